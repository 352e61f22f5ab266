//! Models that come and go.

use engine::graph::validate::validate;
use partition::control::lower;

use super::*;

/// The plan is the one that would be made anew, and has no races.
fn check(crowd: &Crowd) {
    let Work { backend, plan: Some(plan), .. } = crowd.desk.seen() else {
        assert!(crowd.is_empty());
        return;
    };
    let (recording, schedule) = (backend.executor.recording(*plan), backend.executor.schedule(*plan));
    if schedule.groups.is_empty() {
        return; // The plain path has no schedule.
    }
    validate(&recording.program, schedule).expect("no races");
    let anew = lower(&recording.program, &schedule.assignment, Accumulation::Auto);
    assert_eq!(schedule.difference(&anew), None);
    for model in &crowd.models {
        for (object, _) in &model.costs {
            assert_eq!(schedule.assignment.worker(*object), crowd.load.placed().worker(*object));
        }
    }
}

fn assert_equal(a: &Crowd, b: &Crowd, n_meshes: usize, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for model in 0..a.len() {
        assert_eq!(a.matrices(model), b.matrices(model), "{what}: model {model}");
        for mesh in 0..n_meshes {
            let (a, b) = (a.vertices(model, mesh, 0), b.vertices(model, mesh, 0));
            assert!(a.is_some() && a == b, "{what}: model {model}, mesh {mesh}");
        }
    }
}

#[test]
fn models_come_and_go_as_if_they_had_been_there_from_the_start() {
    let (skeleton, clip) = walker();
    for drawn in [Arc::default(), drawn(), large()] {
        let n = if drawn.skins.is_empty() || drawn.meshes.len() == 2 { 7 } else { 2 };
        let mut starts: Vec<f64> = (0..n).map(|k| f64::from(k) / 7.0).collect();
        for (backend, mut reference) in backends().into_iter().zip(backends()) {
            let name = backend.executor.name();
            let mut crowd =
                Crowd::drawn(&skeleton, Some(&clip), (&starts, 1), &drawn, backend).expect("a crowd");
            let mut seed = 88_172_645_463_325_252_u64;
            for frame in 0..24 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let random = (seed >> 33) as usize;
                if random.is_multiple_of(2) && !starts.is_empty() {
                    starts.remove(random % starts.len());
                    crowd.remove(random % crowd.len()).expect("there is one");
                } else {
                    let start = random as f64 * 1e-9;
                    starts.push(start);
                    assert_eq!(crowd.add(start).expect("it comes"), starts.len() - 1);
                }
                check(&crowd);
                let time = frame as f64 * 0.03;
                assert_eq!(crowd.step(frame, time), Ok(starts.len()), "{name}");
                let mut other = Crowd::drawn(&skeleton, Some(&clip), (&starts, 1), &drawn, reference)
                    .expect("the same from the start");
                other.step(frame, time).expect("runs");
                assert_equal(&crowd, &other, drawn.meshes.len(), &format!("{name}, {frame}"));
                // Executors are for any number of crowds, one after the other.
                reference = other.desk.into_backend();
            }
            starts = (0..n).map(|k| f64::from(k) / 7.0).collect();
        }
    }
}

#[test]
fn the_last_one_goes_and_others_come() {
    let (skeleton, clip) = walker();
    for backend in backends() {
        let mut crowd = Crowd::new(&skeleton, Some(&clip), &[0.25], 1, backend).expect("a crowd");
        crowd.step(0, 0.0).expect("runs");
        crowd.remove(0).expect("there is one");
        assert_eq!((crowd.step(1, 0.1), crowd.len()), (Ok(0), 0));
        for k in 0..5 {
            crowd.add(f64::from(k)).expect("it comes");
            check(&crowd);
        }
        assert_eq!(crowd.step(2, 0.2), Ok(5));
        assert_eq!(crowd.matrices(3), expected(&skeleton, &clip, 3.2));
    }
}

#[test]
fn those_who_stay_keep_their_turns_workers_and_names() {
    let (skeleton, clip) = walker();
    for backend in backends() {
        let mut crowd = Crowd::new(&skeleton, Some(&clip), &[0.0; 24], 4, backend).expect("a crowd");
        crowd.step(0, 0.0).expect("runs");
        let before: Vec<_> = (0..24).map(|m| crowd.object(m)).collect();
        let workers: Vec<_> = before.iter().map(|o| crowd.load.placed().worker(*o)).collect();
        crowd.remove(5).expect("there is one");
        let new = crowd.add(0.5).expect("it comes");
        assert!(!before.contains(&crowd.object(new)));
        let stay = || (0..24).filter(|m| *m != 5);
        for (at, was) in stay().enumerate() {
            assert_eq!(crowd.object(at), before[was]);
            assert_eq!(crowd.load.placed().worker(before[was]), workers[was]);
        }
        // Who has come is animated at once, the others when it is their turn.
        crowd.step(1, 0.1).expect("runs");
        assert_eq!(
            (crowd.animated_in(new), crowd.matrices(new)),
            (Some(1), &*expected(&skeleton, &clip, 0.6))
        );
        for (at, was) in stay().enumerate() {
            assert_eq!(crowd.animated_in(at), Some(u64::from((1 + was).is_multiple_of(4))), "{was}");
        }
        // It has a phase where there was a gap: six models in each frame.
        let counts: Vec<usize> = (2..10).map(|f| crowd.step(f, 0.1).expect("runs")).collect();
        assert_eq!(counts, [6; 8]);
    }
}

#[test]
fn work_stays_even_whoever_goes() {
    let (skeleton, clip) = walker();
    for backend in backends().into_iter().skip(1) {
        let mut crowd = Crowd::new(&skeleton, Some(&clip), &[0.0; 60], 1, backend).expect("a crowd");
        for _ in 0..40 {
            // All that the first worker had go first.
            crowd.remove(0).expect("there is one");
            check(&crowd);
        }
        let mut counts = [0; 3];
        crowd.models.iter().for_each(|m| counts[crowd.load.placed().worker(m.object()) as usize] += 1);
        assert!(counts.iter().all(|n| (5..=10).contains(n)), "{counts:?}");
    }
}

#[test]
fn what_cannot_come_or_go_is_named() {
    let (skeleton, clip) = walker();
    let mut crowd = Crowd::new(&skeleton, Some(&clip), &[0.0; 2], 1, Backend::sequential()).expect("a crowd");
    let line = |wrong: Result<(), CrowdError>| wrong.expect_err("wrong").to_string();
    assert_eq!(line(crowd.remove(2)), "there is no model 2: the crowd has 2 models, counted from 0");
    assert_eq!(line(crowd.add(f64::NAN).map(drop)), "a model begins at a time of its clip, not at NaN");
    let wrong = Crowd::new(&skeleton, Some(&clip), &[f64::INFINITY], 1, Backend::sequential());
    assert_eq!(line(wrong.map(drop)), "a model begins at a time of its clip, not at inf");
    assert_eq!((crowd.len(), crowd.step(0, 0.0)), (2, Ok(2)));
}
