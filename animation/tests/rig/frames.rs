//! Several frames in flight.

use weft_animation::rig::generate::biped::biped;
use weft_animation::rig::node::{PortList, Safety};
use weft_animation::rig::nodes::Closure;
use weft_animation::rig::value::PortType;
use weft_animation::rig::{Cancel, Evaluated, Evaluator, InFlight, Rig, Settings};

use crate::backends::{N, all, nth, replay};

#[test]
fn frames_in_flight_have_the_bits_of_frames_one_by_one() {
    let mut one = Evaluator::new(biped(1600, 1).unwrap(), replay(1), Settings::default()).unwrap();
    let time = one.rig().find_control("time").unwrap();
    let mesh = one.rig().find_output("hair mesh").unwrap();
    let expected: Vec<Vec<f64>> = (0..6)
        .map(|k| {
            one.set(time, &[0.2 * f64::from(k)]).unwrap();
            one.evaluate().unwrap();
            one.value(mesh).to_vec()
        })
        .collect();
    for k in 0..N {
        for in_flight in [InFlight::Throughput, InFlight::Latency] {
            let (name, backend) = nth(k);
            let settings = Settings { frames: 2, in_flight, ..Settings::default() };
            let mut e = Evaluator::new(biped(1600, 1).unwrap(), backend, settings).unwrap();
            for pair in 0..3 {
                for frame in 0..2 {
                    e.set_in(frame, time, &[0.2 * (2 * pair + frame) as f64]).unwrap();
                }
                let report = e.evaluate().unwrap();
                assert_eq!(report.cancelled, 0);
                for frame in 0..2 {
                    assert!(e.value_in(frame, mesh) == expected[2 * pair + frame], "{name} {in_flight:?}");
                }
            }
        }
    }
    let two =
        Evaluator::new(biped(1600, 1).unwrap(), replay(1), Settings { frames: 2, ..Settings::default() })
            .unwrap();
    assert_eq!(two.state_bytes(), 2 * one.state_bytes());
}

#[test]
fn a_frame_that_is_cancelled_meanwhile_stays_dirty_and_the_other_does_not() {
    for (name, backend) in all() {
        let mut rig = Rig::new("cancelled");
        let a = rig.scalar_control("a").unwrap();
        static HANDLE: std::sync::Mutex<Option<Cancel>> = std::sync::Mutex::new(None);
        let ports = || PortList::new().input("a", PortType::Scalar).output("b", PortType::Scalar);
        let cancels = Closure::new("cancels", ports(), |p| {
            let a = p.scalar(0);
            if a == 5.0
                && let Some(cancel) = HANDLE.lock().expect("no panic").take()
            {
                cancel.cancel();
            }
            p.set_scalar(0, a);
        });
        let first = rig.node("first", cancels.safe(Safety::TypeUnsafe)).unwrap();
        rig.bind_control(a, first, 0).unwrap();
        let pass = Closure::new("pass on", ports(), |p| {
            let a = p.scalar(0);
            p.set_scalar(0, a);
        });
        let second = rig.node("second", pass.safe(Safety::Reentrant)).unwrap();
        rig.bind(first, 0, second, 0).unwrap();
        let out = rig.output("out", second, 0).unwrap();
        let mut e = Evaluator::new(rig, backend, Settings { frames: 2, ..Settings::default() }).unwrap();
        e.evaluate().unwrap();
        *HANDLE.lock().unwrap() = Some(e.cancel(1));
        e.set_in(0, a, &[4.0]).unwrap();
        e.set_in(1, a, &[5.0]).unwrap();
        let report = e.evaluate().unwrap();
        assert_eq!(report.cancelled, 1, "{name}");
        assert_eq!((e.outcome(0), e.outcome(1)), (Evaluated::Done, Evaluated::Cancelled), "{name}");
        assert!(e.is_clean(0, out) && !e.is_clean(1, out), "{name}");
        assert_eq!(e.value_in(0, out), [4.0]);
        assert_eq!(e.value_in(1, out), [0.0], "the task behind did not run");
        e.resume(1);
        e.evaluate().unwrap();
        assert!(e.is_clean(1, out));
        assert_eq!(e.value_in(1, out), [5.0]);
    }
}
