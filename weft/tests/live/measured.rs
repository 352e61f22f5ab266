//! What a window asks for: energies, and what the workers do.

use viewer::snapshot::{Command, Link, Sample};
use viewer::timeline::Timeline;
use weft::live::{Beginning, Live};

use super::support::{WAITING, gallery, of_text, wait};

fn timeline(link: &Link) -> Timeline {
    loop {
        match link.timelines.try_recv() {
            Ok(timeline) => return timeline,
            Err(_) => std::thread::yield_now(),
        }
    }
}

#[test]
fn energies_are_measured_while_somebody_looks() {
    let text = "<Node dt='0.01' gravity='0 -9.81 0'>
        <RungeKutta4Solver/><MechanicalObject position='0 5 0'/><UniformMass totalMass='2'/>
    </Node>";
    let (live, _, mut link) = Live::start("point", WAITING, || of_text(text)).expect("it begins");
    let mut samples = |on: bool, last: u64| -> Vec<Sample> {
        link.tell(Command::MeasureEnergy(on));
        (0..20).for_each(|_| link.tell(Command::Step));
        let s = wait(&mut link, |s| s.step == last);
        assert!(s.without_energy.is_empty(), "{:?}", s.without_energy);
        link.samples.try_iter().collect()
    };
    assert!(samples(false, 20).iter().all(|s| s.energy.is_none()));
    let seen = samples(true, 40);
    assert_eq!(seen.len(), 20);
    for sample in seen {
        let e = sample.energy.expect("each step is the last one for now");
        assert!((e.total() - 2.0 * 9.81 * 5.0).abs() < 1e-9, "{e:?}");
        assert!((e.kinetic - (9.81 * sample.time).powi(2)).abs() < 1e-9, "{e:?}");
    }
    assert!(samples(false, 60).iter().all(|s| s.energy.is_none()));
    drop(link);
    live.join();
}

#[test]
fn what_energies_leave_out_is_said() {
    let (live, _, mut link) = Live::start("stack", WAITING, || gallery("stack", 1)).expect("it begins");
    (0..60).for_each(|_| link.tell(Command::Step));
    assert!(wait(&mut link, |s| s.step == 60).without_energy.is_empty(), "nobody looks");
    link.tell(Command::MeasureEnergy(true));
    link.tell(Command::Step);
    let s = wait(&mut link, |s| s.step == 61);
    assert!(s.without_energy.contains(&"contacts"), "{:?}", s.without_energy);
    drop(link);
    live.join();
}

#[test]
fn the_critical_path_is_marked_and_bounds_the_step() {
    let (live, _, mut link) = Live::start("stack", WAITING, || gallery("stack", 2)).expect("it begins");
    (0..10).for_each(|_| link.tell(Command::Step));
    wait(&mut link, |s| s.step == 10);
    assert!(link.timelines.try_recv().is_err(), "nobody looks");
    link.tell(Command::Observe(true));
    for again in [false, true] {
        if again {
            // It goes on after a reset, and with other workers.
            link.tell(Command::Reset);
            wait(&mut link, |s| s.resets == 1);
        }
        link.tell(Command::Step);
        let t = timeline(&link);
        assert_eq!((t.step, t.workers.len()), (if again { 0 } else { 10 }, 2));
        assert!(t.path > 0.0 && t.path <= t.work * (1.0 + 1e-9), "{} {}", t.path, t.work);
        let marked: usize = (0..2).flat_map(|w| t.path_stretches(w)).map(|(_, n)| n).sum();
        assert!(marked > 0, "{:?}", t.on_path.len());
    }
    link.tell(Command::Observe(false));
    link.tell(Command::Step);
    wait(&mut link, |s| s.step == 2);
    assert!(link.timelines.try_recv().is_err(), "nobody looks");
    drop(link);
    live.join();
}

/// No more than can be read.
#[test]
fn a_few_steps_a_second_are_looked_at() {
    let running = Beginning { running: true, paced: false };
    let (live, _, mut link) = Live::start("stack", running, || gallery("stack", 1)).expect("it begins");
    link.tell(Command::Observe(true));
    let steps: Vec<u64> = (0..11).map(|_| timeline(&link).step).collect();
    assert!(steps.is_sorted_by(|a, b| a < b), "{steps:?}");
    assert!(steps[10] > steps[0] + 10, "some are left out: {steps:?}");
    link.tell(Command::Run(false));
    wait(&mut link, |s| !s.running);
    drop(link);
    live.join();
}

#[test]
fn what_takes_most_is_said_while_steps_are_slower_than_the_clock() {
    let (live, _, mut link) = Live::start("stack", WAITING, || gallery("stack", 1)).expect("it begins");
    link.tell(Command::SetDt(1e-7));
    link.tell(Command::Pace(true));
    link.tell(Command::Run(true));
    let busiest = wait(&mut link, |s| s.busiest.is_some()).busiest.expect("it was waited for");
    assert!(!busiest.class.is_empty() && busiest.share > 0.0 && busiest.share <= 1.0, "{busiest:?}");
    link.tell(Command::Pace(false));
    wait(&mut link, |s| s.busiest.is_none());
    drop(link);
    live.join();
}

#[test]
fn a_window_knows_that_nothing_moves() {
    let text = "<Node dt='0.01' gravity='0 0 0'>
        <Sleeping speed='0.1' delay='0.05'/>
        <EulerImplicitSolver/><CGLinearSolver/>
        <MechanicalObject name='dofs' position='0 5 0'/><UniformMass totalMass='2'/>
    </Node>";
    let (live, _, mut link) = Live::start("point", WAITING, || of_text(text)).expect("it begins");
    link.tell(Command::Run(true));
    let asleep = wait(&mut link, |s| s.asleep == [true]);
    let later = wait(&mut link, |s| s.step > asleep.step);
    assert!(later.moved <= asleep.step && later.moved > 0, "{} {}", later.moved, asleep.step);
    link.tell(Command::SetAttribute {
        path: "/dofs".to_owned(),
        attribute: "position".to_owned(),
        value: "0 6 0".to_owned(),
    });
    link.tell(Command::SetGravity(sim_core::math::Vec3::new(0.0, -9.81, 0.0)));
    wait(&mut link, |s| s.moved > later.moved && s.asleep.iter().all(|a| !a));
    drop(link);
    live.join();
}
