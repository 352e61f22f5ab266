//! Who wins, and what is counted.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::*;
use crate::game::InTurn;

#[test]
fn priority_then_stamp_then_poster_decides() {
    let (mut factory, all) = entities(1);
    let e = all[0];
    let mut manager = AttributeStateManager::default();
    let speed = manager.register::<f32>("speed").expect("registers");
    for (ranks, winner) in [
        ([(0, 9, 9), (1, 0, 0)], 1),
        ([(1, 5, 9), (1, 6, 0)], 1),
        ([(1, 5, 2), (1, 5, 1)], 0),
        // Two posts of one poster with one stamp: the last one.
        ([(1, 5, 1), (1, 5, 1)], 1),
    ] {
        let mut log = manager.log();
        let mut one = |(k, rank): (usize, &_)| log.post(speed, post(e, k as f32, *rank)).expect("posts");
        ranks.iter().enumerate().for_each(&mut one);
        manager.propagate(&mut factory, &mut [log], &InTurn).expect("propagates");
        assert_eq!(manager.value(speed, e), Ok(Some(winner as f32)), "{ranks:?}");
    }
}

/// Posts of one attribute's size, number, listeners and posters at a tenth of the thesis' cycles, deferred and at once.
fn posted<const BYTES: usize>(attributes: usize, posters: u32) -> (Counts, Counts) {
    let (mut factory, all) = entities(1000);
    let (mut deferred, mut direct) = (AttributeStateManager::default(), AttributeStateManager::default());
    let of = |manager: &mut AttributeStateManager| -> Vec<Attribute<[u8; BYTES]>> {
        (0..attributes).map(|k| manager.register(&format!("a{k}")).expect("registers")).collect()
    };
    let (later, now) = (of(&mut deferred), of(&mut direct));
    let mut logs: Vec<PostLog> = (0..posters).map(|_| deferred.log()).collect();
    let mut counting = vec![direct.log()];
    for cycle in 0..10 {
        for (poster, log) in (0..).zip(&mut logs) {
            for &entity in &all {
                let value = [poster as u8; BYTES];
                for (a, b) in later.iter().zip(&now) {
                    log.post(*a, post(entity, value, (0, cycle, poster))).expect("posts");
                    let (e, log) = (factory.entities(), &mut counting[0]);
                    direct.post_now(e, *b, (entity, &value), log).expect("alive");
                }
            }
        }
        deferred.propagate(&mut factory, &mut logs, &Threads(2)).expect("propagates");
        direct.propagate(&mut factory, &mut counting, &InTurn).expect("settles");
    }
    for (a, b) in later.iter().zip(&now) {
        let last = Ok(Some([posters as u8 - 1; BYTES]));
        assert!(all.iter().all(|e| deferred.value(*a, *e) == last && direct.value(*b, *e) == last));
    }
    (deferred.counts(), direct.counts())
}

/// Tables 8, 9 and 10: 3,200,000, 12,800,000 and 3,200,000 posts in a hundred cycles.
#[test]
fn posts_and_bytes_are_those_of_the_thesis() {
    for ((deferred, direct), (posts, deferred_bytes, bytes)) in [
        (posted::<128>(8, 4), (320_000, 10_240_000, 40_960_000)),
        (posted::<32>(32, 4), (1_280_000, 10_240_000, 40_960_000)),
        (posted::<32>(32, 1), (320_000, 10_240_000, 10_240_000)),
    ] {
        assert_eq!((deferred.posts, deferred.bytes), (posts, deferred_bytes));
        assert_eq!((direct.posts, direct.bytes), (posts, bytes));
    }
}

#[test]
fn what_is_posted_at_once_shows_at_once_and_settles_with_the_propagation() {
    let (mut factory, all) = entities(2);
    let mut manager = AttributeStateManager::default();
    let speed = manager.register::<f32>("speed").expect("registers");
    let mut logs = [manager.log()];
    let now = |manager: &AttributeStateManager, value: f32, log: &mut PostLog, factory: &EntityFactory| {
        manager.post_now(factory.entities(), speed, (all[1], &value), log).expect("alive");
    };
    now(&manager, 1.0, &mut logs[0], &factory);
    assert_eq!((manager.value(speed, all[1]), manager.settled(speed, all[1])), (Ok(Some(1.0)), Ok(None)));
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("settles");
    assert_eq!(manager.settled(speed, all[1]), Ok(Some(1.0)));
    let (owners, values) = manager.columns(speed).expect("cached");
    assert_eq!((owners, values[1]), (&[None, Some(all[1])][..], 1.0));
    // A deferred post is merged after what was posted at once in its cycle.
    logs[0].post(speed, post(all[1], 5.0, (0, 0, 0))).expect("posts");
    now(&manager, 4.0, &mut logs[0], &factory);
    assert_eq!(manager.value(speed, all[1]), Ok(Some(4.0)));
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("propagates");
    assert_eq!(manager.value(speed, all[1]), Ok(Some(5.0)));
}

#[test]
fn many_threads_post_at_once_and_every_post_is_distributed() {
    let (mut factory, all) = entities(40);
    let mut manager = AttributeStateManager::default();
    let value = manager.register::<[u64; 4]>("value").expect("registers");
    let mut logs: Vec<PostLog> = (0..4).map(|_| manager.log()).collect();
    std::thread::scope(|scope| {
        for (poster, log) in (0_u64..).zip(&mut logs) {
            let (manager, factory, all) = (&manager, &factory, &all);
            scope.spawn(move || {
                for k in 0..2000 {
                    let entity = all[k % all.len()];
                    let posted = [poster * 10_000 + k as u64; 4];
                    manager.post_now(factory.entities(), value, (entity, &posted), log).expect("alive");
                }
            });
        }
    });
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("settles");
    assert_eq!((manager.counts().posts, manager.counts().bytes), (8000, 8000 * 32));
    for entity in &all {
        let [a, b, c, d] = manager.value(value, *entity).expect("cached").expect("posted");
        assert!(a == b && b == c && c == d, "a pair is locked: values are whole");
    }
}

#[test]
fn many_threads_post_for_one_pair_and_listeners_hear_one_after_the_other_up_to_the_value_that_stays() {
    let (mut factory, all) = entities(1);
    let mut manager = AttributeStateManager::default();
    let value = manager.register::<[u64; 4]>("value").expect("registers");
    let (heard, inside) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicU32::new(0)));
    let (ears, its) = (heard.clone(), inside.clone());
    manager
        .listen(value, None, 0, move |notice, _| {
            assert_eq!(its.fetch_add(1, Ordering::AcqRel), 0, "one value at a time");
            ears.lock().expect("sane").push(*notice.value);
            its.fetch_sub(1, Ordering::AcqRel);
        })
        .expect("listens");
    let mut logs: Vec<PostLog> = (0..4).map(|_| manager.log()).collect();
    std::thread::scope(|scope| {
        for (poster, log) in (0_u64..).zip(&mut logs) {
            let (manager, factory, all) = (&manager, &factory, &all);
            scope.spawn(move || {
                for k in 0..2000 {
                    let posted = [poster * 10_000 + k; 4];
                    manager.post_now(factory.entities(), value, (all[0], &posted), log).expect("alive");
                }
            });
        }
    });
    let heard = heard.lock().expect("sane");
    assert_eq!(manager.value(value, all[0]), Ok(heard.last().copied()));
    for poster in 0..4 {
        let its: Vec<u64> = heard.iter().map(|v| v[0]).filter(|v| v / 10_000 == poster).collect();
        assert_eq!(its, (poster * 10_000..poster * 10_000 + 2000).collect::<Vec<_>>());
    }
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("settles");
    assert_eq!((manager.counts().posts, manager.counts().notices), (8000, 8000));
}

#[test]
fn values_that_are_not_cached_are_only_heard() {
    let (mut factory, all) = entities(1);
    let mut manager = AttributeStateManager::default();
    let noise = manager.register_with::<u32>("noise", Caching::Off).expect("registers");
    let mut logs = [manager.log()];
    manager.post_now(factory.entities(), noise, (all[0], &1), &mut logs[0]).expect("alive");
    logs[0].post(noise, post(all[0], 2, (0, 0, 0))).expect("posts");
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("propagates");
    let not_cached = AttributeError::NotCached { name: "noise".to_owned() };
    assert_eq!(manager.value(noise, all[0]), Err(not_cached.clone()));
    assert_eq!(manager.columns(noise).err(), Some(not_cached));
    assert_eq!(manager.counts().distributed, 2);
}

proptest! {
    /// The same winners however posts are spread over logs and turns over threads, as a plain search for the greatest has them.
    #[test]
    fn workers_do_not_decide(
        posts in prop::collection::vec((0_usize..6, -2_i32..3, 0_u64..4, 0_u32..5), 1..60),
        spread in prop::collection::vec(0_usize..4, 60),
        threads in 1_usize..4,
    ) {
        let (mut factory, all) = entities(6);
        let mut manager = AttributeStateManager::default();
        let value = manager.register::<usize>("value").expect("registers");
        // One poster posts to one log, so that its own order is known.
        let mut logs: Vec<PostLog> = (0..4).map(|_| manager.log()).collect();
        for (k, (e, priority, stamp, poster)) in posts.iter().enumerate() {
            let worker = spread[*poster as usize];
            logs[worker].post(value, post(all[*e], k, (*priority, *stamp, *poster))).expect("posts");
        }
        manager.propagate(&mut factory, &mut logs, &Threads(threads)).expect("propagates");
        for (e, entity) in all.iter().enumerate() {
            let of = posts.iter().enumerate().filter(|(_, p)| p.0 == e);
            let winner = of.max_by_key(|(k, p)| (p.1, p.2, p.3, *k)).map(|(k, _)| k);
            prop_assert_eq!(manager.value(value, *entity), Ok(winner));
        }
    }
}
