//! Generations that are computed while the last one is drawn.

use engine::exec::Beside;
use executors::background::Background;

use super::*;

fn vertices_of(shown: &Shown, n: usize) -> Vec<Vec<Vertex>> {
    (0..n).map(|m| shown.vertices(m, 0, 9).into_iter().flatten().copied().collect()).collect()
}

#[test]
fn what_is_drawn_is_the_last_generation_while_the_next_is_computed() {
    let (skeleton, clip) = walker();
    let drawn = drawn();
    let starts = [0.0, 0.2, 0.4, 0.6, 0.8];
    let none: Arc<dyn Beside> = Arc::new(Background::new(0));
    let one: Arc<dyn Beside> = Arc::new(Background::new(1));
    for beside in [None, Some(none), Some(one)] {
        for backend in backends() {
            let make = |backend| {
                Crowd::drawn(&skeleton, Some(&clip), (&starts, 2), &drawn, backend).expect("a crowd")
            };
            let (mut crowd, mut other) = (make(backend), make(Backend::sequential()));
            crowd.compute_beside(beside.clone());
            let mut before = vertices_of(crowd.shown(), 5);
            assert!(before.iter().all(Vec::is_empty), "nothing is drawn that was not filled");
            for frame in 0..40 {
                let time = frame as f64 * 0.03;
                let pending = crowd.begin(frame, time);
                // A host that draws for some time.
                for _ in 0..3 {
                    assert_eq!(vertices_of(pending.shown(), 5), before);
                }
                let animated = pending.animated();
                assert_eq!(pending.finish(), Ok(animated));
                assert_eq!(other.step(frame, time), Ok(animated));
                before = vertices_of(crowd.shown(), 5);
                assert_eq!(before, vertices_of(other.shown(), 5), "{frame}");
                for model in 0..5 {
                    assert_eq!(crowd.animated_in(model), other.animated_in(model));
                }
                assert_eq!(crowd.shown().frame(), frame);
            }
        }
    }
}

#[test]
fn who_drops_a_generation_waits_for_it() {
    let (skeleton, clip) = walker();
    for backend in backends() {
        let mut crowd = Crowd::new(&skeleton, Some(&clip), &[0.0; 5], 1, backend).expect("a crowd");
        crowd.compute_beside(Some(Arc::new(Background::new(1))));
        for frame in 0..20 {
            drop(crowd.begin(frame, 0.1));
            assert_eq!(crowd.animated_in(4), Some(frame));
            assert_eq!(crowd.store().parameter_value(crowd.clock), 0.1);
        }
        // Who leaks one gets the tasks back all the same.
        std::mem::forget(crowd.begin(20, 0.5));
        assert_eq!(crowd.step(21, 0.2), Ok(5));
        assert_eq!(crowd.matrices(4), expected(&skeleton, &clip, 0.2));
        std::mem::forget(crowd.begin(22, 0.5));
        crowd.remove(4).expect("there is one");
        assert_eq!(crowd.step(23, 0.2), Ok(4));
    }
}

#[test]
fn a_generation_is_over_before_somebody_asks_for_it() {
    let (skeleton, clip) = walker();
    let mut crowd = Crowd::new(&skeleton, Some(&clip), &[0.0; 5], 1, Backend::sequential()).expect("a crowd");
    assert!(!crowd.begin(0, 0.0).is_over(), "the plain path computes when it is finished");
    crowd.compute_beside(Some(Arc::new(Background::new(1))));
    let pending = crowd.begin(1, 0.0);
    while !pending.is_over() {
        std::thread::yield_now();
    }
    assert_eq!(pending.finish(), Ok(5));
}
