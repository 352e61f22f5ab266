//! Whole states, commands between steps, an end when nobody looks.

use sim_core::math::Vec3;
use viewer::pick::Grip;
use viewer::snapshot::{Command, Link, Steer};
use viewer::surface::Role;
use viewer::viewed::Viewed;
use weft::live::{Beginning, Live, positions};
use weft::prelude::*;

use super::support::{WAITING, gallery, of_text, wait};

fn simulation() -> Result<Simulation, String> {
    gallery("chain", 2)
}

#[test]
fn steps_on_command_are_those_of_the_simulation_bit_by_bit() {
    let (live, viewed, mut link) = Live::start("chain", WAITING, simulation).expect("it begins");
    assert!(viewed.surfaces.iter().any(|s| s.role == viewer::surface::Role::Visual));
    let first = wait(&mut link, |s| !s.states.is_empty());
    assert_eq!((first.step, first.running), (0, false));
    for _ in 0..5 {
        link.tell(Command::Step);
    }
    let fifth = wait(&mut link, |s| s.step == 5);
    let mut own = simulation().expect("it begins");
    let mut states = Vec::new();
    positions(&own, &mut states);
    assert_eq!(first.states, states);
    for _ in 0..5 {
        own.step().expect("a step");
    }
    positions(&own, &mut states);
    assert_eq!(fifth.states, states);
    assert!(!fifth.running);
    let samples: Vec<u64> = link.samples.try_iter().map(|s| s.step).collect();
    assert_eq!(samples, [1, 2, 3, 4, 5]);
    link.tell(Command::Reset);
    assert_eq!(wait(&mut link, |s| s.resets == 1).states, first.states);
    drop(link);
    live.join();
}

#[test]
fn it_runs_by_itself_until_it_is_stopped_and_no_older_state_follows_a_newer_one() {
    let beginning = Beginning { running: true, paced: false };
    let (live, _, mut link) = Live::start("chain", beginning, simulation).expect("it begins");
    let mut last = 0;
    while last < 200 {
        let snapshot = link.newest();
        assert!(snapshot.step >= last);
        let rows: Vec<usize> = snapshot.states.iter().map(|r| r.len()).collect();
        assert!(rows.iter().all(|n| *n > 0), "step {}: {rows:?}", snapshot.step);
        last = snapshot.step;
    }
    link.tell(Command::Run(false));
    let stopped = wait(&mut link, |s| !s.running);
    link.tell(Command::Step);
    assert_eq!(wait(&mut link, |s| s.step > stopped.step).step, stopped.step + 1);
    drop(link);
    live.join();
}

#[test]
fn gravity_and_time_step_change_between_steps_and_what_makes_no_sense_is_refused() {
    let (live, _, mut link) = Live::start("chain", WAITING, simulation).expect("it begins");
    link.tell(Command::SetGravity(Vec3::new(1.0, 2.0, 3.0)));
    link.tell(Command::SetDt(0.004));
    let changed = wait(&mut link, |s| s.dt == 0.004);
    assert_eq!((changed.gravity, changed.refusal), (Vec3::new(1.0, 2.0, 3.0), None));
    link.tell(Command::Step);
    assert_eq!(wait(&mut link, |s| s.step == 1).time, 0.004);
    link.tell(Command::SetDt(-1.0));
    let refused = wait(&mut link, |s| s.refusal.is_some());
    assert_eq!(refused.dt, 0.004);
    drop(link);
    live.join();
}

#[test]
fn a_body_is_pulled_to_the_hand_and_falls_when_it_is_let_go() {
    let make = || {
        let text = "<Node dt='0.01' gravity='0 -9.81 0'>
            <EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>
            <MechanicalObject position='0 0 0'/>
            <UniformMass totalMass='1'/>
        </Node>";
        of_text(text)
    };
    let (live, _, mut link) = Live::start("body", WAITING, make).expect("it begins");
    let grip = Grip {
        state: 0,
        index: 0,
        local: Vec3::zeros(),
        at: Vec3::zeros(),
        depth: 1.0,
        direction: Vec3::z(),
    };
    link.tell(Command::Grasp(grip, 1000.0));
    link.tell(Command::Pull(Vec3::new(2.0, 1.0, 0.0)));
    (0..300).for_each(|_| link.tell(Command::Step));
    let held = wait(&mut link, |s| s.step == 300).states[0].point(0);
    // It hangs below the hand by m g / k.
    assert!((held - Vec3::new(2.0, 1.0 - 9.81 / 1000.0, 0.0)).norm() < 1e-3, "{held}");
    link.tell(Command::LetGo);
    (0..50).for_each(|_| link.tell(Command::Step));
    let free = wait(&mut link, |s| s.step == 350);
    assert!(free.states[0].point(0).y < 0.0 && free.refusal.is_none());
    link.tell(Command::Grasp(Grip { index: 7, ..grip }, 1000.0));
    let refused = wait(&mut link, |s| s.refusal.is_some()).refusal.expect("it was waited for");
    assert!(refused.contains("no point 7"), "{refused}");
    link.tell(Command::Grasp(Grip { state: 9, ..grip }, 1000.0));
    wait(&mut link, |s| s.refusal.as_deref().is_some_and(|r| r.contains("no mechanical state")));
    drop(link);
    live.join();
}

#[test]
fn contacts_are_published_while_somebody_looks_at_them() {
    let make = || gallery("stack", 1);
    let (live, _, mut link) = Live::start("stack", WAITING, make).expect("it begins");
    (0..60).for_each(|_| link.tell(Command::Step));
    let unseen = wait(&mut link, |s| s.step == 60);
    assert!(unseen.contacts.is_empty());
    link.tell(Command::ShowContacts(true));
    let seen = wait(&mut link, |s| !s.contacts.is_empty());
    for [a, b] in &seen.contacts {
        // The lowest box lies on the floor, whose top is at 0, within the alarm distance.
        assert!((a - b).norm() < 0.15 && a.y > -0.2 && a.y < 3.0, "{a} {b}");
    }
    assert_eq!(seen.owners.iter().flatten().count(), 3, "three boxes are simulated, the floor is not");
    link.tell(Command::ShowContacts(false));
    wait(&mut link, |s| s.contacts.is_empty());
    link.tell(Command::Observe(true));
    link.tell(Command::Step);
    let timeline = loop {
        match link.timelines.try_recv() {
            Ok(timeline) => break timeline,
            Err(_) => std::thread::yield_now(),
        }
    };
    assert_eq!((timeline.step, timeline.workers.len()), (60, 1));
    assert!(timeline.busy(0) > 0.0);
    drop(link);
    live.join();
}

#[test]
fn a_scene_that_cannot_begin_says_why() {
    let make = || Err::<Simulation, _>("no such scene".to_owned());
    assert_eq!(Live::start("none", WAITING, make).err().as_deref(), Some("no such scene"));
}

#[test]
fn a_simulation_that_fails_keeps_its_last_state_and_can_begin_anew() {
    let text = "<Node dt='1'>
        <EulerExplicitSolver/>
        <MechanicalObject position='0 1 0'/>
        <UniformMass totalMass='1'/>
        <ConstantForceField forces='1e300 0 0'/>
    </Node>";
    let make = move || of_text(text);
    let beginning = Beginning { running: true, paced: false };
    let (live, _, mut link) = Live::start("fails", beginning, make).expect("it begins");
    let failed = wait(&mut link, |s| s.failure.is_some());
    assert!(!failed.running);
    let reason = failed.failure.expect("it was waited for");
    assert!(reason.contains("failed in /"), "{reason}");
    assert!(failed.states.iter().all(|r| r.values.iter().all(|v| v.is_finite())));
    link.tell(Command::Reset);
    assert_eq!(wait(&mut link, |s| s.resets == 1 && s.failure.is_none()).step, 0);
    drop(link);
    live.join();
}

/// Free points, of which the first three are seen in a color by their number; or what cannot be read.
fn points(n: Option<usize>) -> String {
    let Some(n) = n else { return "<Node><Broken></Node>".to_owned() };
    let position: String = (0..n).map(|k| format!("{k} {} 0  ", k * k)).collect();
    format!(
        "<Node dt='0.01' gravity='0 -9.81 0'>
        <EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>
        <MechanicalObject name='dofs' position='{position}'/><UniformMass totalMass='1'/>
        <Node name='seen'><OglModel name='model' position='{position}' triangles='0 1 2' color='0 0.{n} 0 1'/>
            <IdentityMapping/></Node>
    </Node>"
    )
}

#[test]
fn after_a_reset_there_is_to_see_what_was_read_then_and_what_cannot_be_read_stops_nothing() {
    let mut files = [Some(3), Some(5), None, Some(3)].into_iter();
    let make = move || of_text(&points(files.next().expect("a file")));
    let (live, viewed, mut link) = Live::start("file", WAITING, make).expect("it begins");
    let color =
        |viewed: &Viewed| viewed.surfaces.iter().find(|s| s.role == Role::Visual).map(|s| s.look.color[1]);
    assert_eq!(color(&viewed), Some(0.3));
    let first = wait(&mut link, |s| !s.states.is_empty());
    assert_eq!(first.viewed.as_deref().and_then(color), Some(0.3));
    link.tell(Command::Reset);
    let other = wait(&mut link, |s| s.resets == 1);
    assert_eq!(other.states[0].len(), 5);
    assert_eq!(other.viewed.as_deref().and_then(color), Some(0.5));
    assert_eq!(other.viewed.as_ref().map(|v| v.title.as_str()), Some("file"));
    // What is there goes on where the file is broken.
    link.tell(Command::Run(true));
    wait(&mut link, |s| s.step > 3);
    link.tell(Command::Reset);
    let refused = wait(&mut link, |s| s.refusal.is_some());
    assert!(refused.refusal.as_ref().is_some_and(|r| r.contains("Broken")), "{:?}", refused.refusal);
    assert_eq!((refused.failure.clone(), refused.resets, refused.states[0].len()), (None, 1, 5));
    wait(&mut link, |s| s.step > refused.step + 3);
    link.tell(Command::Run(false));
    let stopped = wait(&mut link, |s| !s.running);
    link.tell(Command::Step);
    wait(&mut link, |s| s.step == stopped.step + 1);
    link.tell(Command::Reset);
    let back = wait(&mut link, |s| s.resets == 2);
    assert_eq!((back.refusal.as_deref(), back.states[0].len()), (None, 3));
    drop(link);
    live.join();
}

#[test]
fn a_character_is_taken_over_steered_and_let_go() {
    let plaza = || -> Result<Simulation, String> {
        let set = [("people", "4"), ("objects", "0")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        let root = weft::gallery::find("plaza").and_then(|s| s.elements(&set)).expect("a gallery scene");
        let loaded = scenes::load_elements(root, &LoadOptions::default()).map_err(|e| e.to_string())?;
        Simulation::new(loaded.scene, SimulationOptions::default()).map_err(|e| e.to_string())
    };
    let (live, viewed, mut link) = Live::start("plaza", WAITING, plaza).expect("it begins");
    wait(&mut link, |s| !s.states.is_empty());
    let surface = |path: &str| viewed.surfaces.iter().find(|s| s.path.starts_with(path)).expect("it is seen");
    let grip = |path: &str| {
        let state = surface(path).motion.state().expect("it moves");
        Grip { state, index: 0, local: Vec3::zeros(), at: Vec3::zeros(), depth: 1.0, direction: Vec3::z() }
    };
    let said =
        |link: &mut Link, what: &str| wait(link, |s| s.refusal.as_deref().is_some_and(|r| r.contains(what)));
    link.tell(Command::Steer(Steer::Faster));
    said(&mut link, "no character is yours");
    link.tell(Command::TakeOver(Some(grip("/cloak/"))));
    said(&mut link, "nobody who walks");
    // It looks along z, in the first of two rows: after six turns to its right it looks back, where nobody is.
    link.tell(Command::TakeOver(Some(grip("/people/person0/skin"))));
    let taken = said(&mut link, "model 0 is yours");
    (0..6).for_each(|_| link.tell(Command::Steer(Steer::Right)));
    link.tell(Command::Steer(Steer::Slower));
    link.tell(Command::Steer(Steer::Slower));
    said(&mut link, "stands");
    link.tell(Command::Steer(Steer::Faster));
    said(&mut link, "walks");
    (0..200).for_each(|_| link.tell(Command::Step));
    let state = grip("/people/person0/skin").state;
    let middle = |s: &viewer::snapshot::Snapshot| {
        let values = &s.states[state].values;
        values.iter().skip(2).step_by(3).sum::<f64>() / (values.len() / 3) as f64
    };
    let driven = wait(&mut link, |s| s.step == 200);
    assert!(middle(&driven) < middle(&taken) - 0.8, "{} {}", middle(&taken), middle(&driven));
    link.tell(Command::TakeOver(Some(grip("/people/person0/skin"))));
    said(&mut link, "goes where it wants again");
    link.tell(Command::TakeOver(None));
    said(&mut link, "nobody who walks");
    link.tell(Command::Reset);
    assert_eq!(wait(&mut link, |s| s.resets == 1).step, 0);
    drop(link);
    live.join();
}
