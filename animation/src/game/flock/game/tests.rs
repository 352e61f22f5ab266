//! A flock moves the same however its systems run.

use super::*;
use crate::game::InTurn;
use crate::game::flock::Batching;
use crate::rig::math::vector::{dot, norm, sub};

fn options(entities: usize) -> FlockOptions {
    FlockOptions { entities, space: 25.0, spawn: 5, ..FlockOptions::default() }
}

/// Keys that are pressed before a cycle.
fn press(flock: &Flock, frame: u64) {
    match frame {
        3 | 9 => flock.press(Key::Spawn),
        12 => {
            flock.press(Key::Slower);
            flock.press(Key::Remove);
        }
        14 => {
            flock.press(Key::Remove);
            flock.press(Key::Spawn);
        }
        _ => {}
    }
}

/// The motion after 20 cycles with keys, each cycle in order.
fn expected(options: &FlockOptions) -> Vec<(Vec3, Vec3)> {
    let flock = Flock::new(options).expect("sound options");
    for frame in 0..20 {
        press(&flock, frame);
        flock.cycle().expect("nothing is wrong");
    }
    flock.motion()
}

struct Threads(usize);

impl ParallelFor for Threads {
    fn for_each(&self, n: usize, body: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for first in 0..self.0 {
                scope.spawn(move || (first..n).step_by(self.0).rev().for_each(body));
            }
        });
    }
}

#[test]
fn any_workers_batches_posting_and_propagation_give_the_same_bits() {
    let expected = expected(&options(150));
    assert_eq!(expected.len(), 155);
    for posting in [Posting::Deferred, Posting::Immediate] {
        for workers in [1, 2, 3, 8] {
            let few = Batching { preferred: 2000.0 * workers as f64, ..Batching::default() };
            let options = FlockOptions { posting, thinking: few, physics: few, ..options(150) };
            let flock = Flock::new(&options).expect("sound options");
            for frame in 0..20 {
                press(&flock, frame);
                // Physics first, then batches from the last to the first, all at the same time.
                let batches = flock.update_thinking(workers).len();
                flock.update_input();
                let pieces = flock.update_physics(workers).len();
                Threads(workers).for_each(pieces + batches + 2, &|k| {
                    let is_well = match k.checked_sub(pieces) {
                        None => flock.simulate(k),
                        Some(0) => flock.process_input(),
                        Some(1) => flock.draw(),
                        Some(batch) => flock.think(batch - 2),
                    };
                    assert!(is_well);
                });
                let how: &dyn ParallelFor = if frame % 2 == 0 { &InTurn } else { &Threads(workers) };
                flock.exchange(how).expect("nothing is wrong");
            }
            assert!(flock.motion() == expected, "{posting:?}, {workers} workers");
        }
    }
}

#[test]
fn one_worker_has_no_batches_and_more_weight_has_more() {
    let thinking = Batching { preferred: 5_000.0, ..Batching::default() };
    let flock = Flock::new(&FlockOptions { thinking, ..options(300) }).expect("sound options");
    assert_eq!(flock.update_thinking(1).len(), 1);
    let before = flock.update_thinking(2);
    flock.cycle().expect("nothing is wrong");
    let after = flock.update_thinking(2);
    assert!(after.len() > before.len(), "neighbours are known now");
    let batching = flock.options().thinking;
    let known = flock.statistics_now().neighbours;
    assert!((after.iter().sum::<f64>() - batching.weight(300, known)).abs() < 1e-6);
}

#[test]
fn a_flock_stays_in_its_world_gathers_and_goes_one_way() {
    let flock = Flock::new(&FlockOptions { space: 60.0, ..options(200) }).expect("sound options");
    // The mean cosine between the ways of two that are near each other, and the mean number of those near.
    let order = |flock: &Flock| {
        let of = flock.motion();
        let (mut sum, mut n) = (0.0, 0.0);
        for (k, (x, v)) in of.iter().enumerate() {
            for (y, w) in &of[..k] {
                if norm(sub(*x, *y)) < 9.0 {
                    sum += dot(*v, *w) / (norm(*v) * norm(*w));
                    n += 1.0;
                }
            }
        }
        (sum / n, 2.0 * n / of.len() as f64)
    };
    let before = order(&flock);
    for _ in 0..600 {
        flock.cycle().expect("nothing is wrong");
    }
    let after = order(&flock);
    assert!(before.0.abs() < 0.2 && after.0 > 0.6, "{before:?} {after:?}");
    assert!(after.1 > 2.0 * before.1, "{before:?} {after:?}");
    let rules = flock.options().rules;
    for (x, v) in flock.motion() {
        // A bound gives way a little: who comes at the most speed is turned by a force of 40 N within some meters.
        assert!((0..3).all(|k| x[k].abs() < rules.bounds.max[k] + 5.0), "{x:?}");
        assert!(norm(v) > rules.speeds[0] - 1e-9 && norm(v) < rules.speeds[1] + 1e-9);
    }
}

#[test]
fn every_cycle_posts_three_attributes_of_each_member_and_immediate_posts_are_as_many() {
    for posting in [Posting::Deferred, Posting::Immediate] {
        let flock = Flock::new(&FlockOptions { posting, ..options(50) }).expect("sound options");
        let before = flock.statistics_now().counts;
        for _ in 0..10 {
            flock.cycle().expect("nothing is wrong");
        }
        let after = flock.statistics_now().counts;
        assert_eq!(after.posts - before.posts, 3 * 50 * 10);
        assert_eq!(after.bytes - before.bytes, 3 * 50 * 10 * 24);
    }
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let wrong = |change: &dyn Fn(&mut FlockOptions)| {
        let mut options = options(1);
        change(&mut options);
        Flock::new(&options).err().map(|e| e.to_string()).expect("wrong")
    };
    assert_eq!(wrong(&|o| o.dt = 0.0), "the time step of a flock is 0; it must be greater than 0");
    assert_eq!(
        wrong(&|o| o.space = f64::NAN),
        "the space of births of a flock is NaN; it must be greater than 0"
    );
    assert!(wrong(&|o| o.rules.speeds = [9.0, 3.0]).contains("the least speed"));
    assert!(wrong(&|o| o.rules.restitution = 1.5).contains("from 0 to 1"));
    assert!(wrong(&|o| o.rules.radius = 6.0).contains("enlarge a radius of the rules"));
    assert!(wrong(&|o| o.entities = usize::MAX).contains("at most"));
    assert!(wrong(&|o| o.rules.bounds.max[1] = -99.0).contains("an edge of the bounds"));
}

#[test]
fn no_members_are_a_flock_too() {
    let flock = Flock::new(&options(0)).expect("sound options");
    flock.cycle().expect("nothing is wrong");
    assert!(flock.is_empty() && flock.motion().is_empty());
    flock.press(Key::Remove);
    flock.press(Key::Spawn);
    flock.cycle().expect("nothing is wrong");
    assert_eq!((flock.len(), flock.frame()), (5, 2));
    // A second has 60 cycles: statistics are those of the first one until then.
    (2..60).for_each(|_| flock.cycle().expect("nothing is wrong"));
    assert_eq!((flock.statistics().frame, flock.statistics().members), (0, 0));
    (0..2).for_each(|_| flock.cycle().expect("nothing is wrong"));
    assert_eq!(flock.statistics().members, 5);
}
