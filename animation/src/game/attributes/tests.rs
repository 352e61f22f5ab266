use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::*;
use crate::game::{Entities, EntityId};

fn post<T>(entity: EntityId, value: T, (priority, stamp, poster): (i32, u64, u32)) -> Post<T> {
    Post { entity, value, priority, stamp, poster }
}

#[test]
fn priority_then_stamp_then_poster_decides() {
    let mut entities = Entities::new();
    let e = entities.create();
    let mut manager = AttributeStateManager::default();
    let speed = manager.register::<f32>("speed").expect("registers");
    for (ranks, winner) in [
        ([(0, 9, 9), (1, 0, 0)], 1),
        ([(1, 5, 9), (1, 6, 0)], 1),
        ([(1, 5, 2), (1, 5, 1)], 0),
        ([(1, 5, 1), (1, 5, 1)], 1),
    ] {
        let mut log = manager.log();
        ranks
            .iter()
            .enumerate()
            .for_each(|(k, rank)| log.post(speed, post(e, k as f32, *rank)).expect("posts"));
        let mut logs = [log];
        manager.propagate(&entities, &mut logs).expect("propagates");
        assert_eq!(manager.value(speed, e), Some(winner as f32), "{ranks:?}");
    }
}

/// Table 8 of the thesis at a tenth of its cycles: 8 attributes of 128 bytes, 4 posters, 1,000 entities.
#[test]
fn posts_and_bytes_are_those_of_the_thesis() {
    let mut entities = Entities::new();
    let all: Vec<EntityId> = (0..1000).map(|_| entities.create()).collect();
    let of = |manager: &mut AttributeStateManager| -> Vec<Attribute<[u8; 128]>> {
        (0..8).map(|k| manager.register(&format!("a{k}")).expect("registers")).collect()
    };
    let (mut deferred, mut immediate) = (AttributeStateManager::default(), AttributeStateManager::default());
    let (attributes, direct) = (of(&mut deferred), of(&mut immediate));
    let mut logs: Vec<PostLog> = (0..4).map(|_| deferred.log()).collect();
    for cycle in 0..10 {
        for (poster, log) in (0..).zip(&mut logs) {
            for &entity in &all {
                for (a, b) in attributes.iter().zip(&direct) {
                    log.post(*a, post(entity, [poster as u8; 128], (0, cycle, poster))).expect("posts");
                    immediate.set(&entities, *b, entity, [poster as u8; 128]).expect("alive");
                }
            }
        }
        deferred.propagate(&entities, &mut logs).expect("propagates");
    }
    assert_eq!((deferred.counts().posts, deferred.counts().bytes), (320_000, 10_240_000));
    assert_eq!((immediate.counts().posts, immediate.counts().bytes), (320_000, 40_960_000));
    assert!(all.iter().all(|e| deferred.value(attributes[3], *e) == Some([3; 128])));
}

#[test]
fn listeners_hear_winners_once_and_may_answer() {
    let mut entities = Entities::new();
    let (a, b) = (entities.create(), entities.create());
    let mut manager = AttributeStateManager::default();
    let (hit, pain) =
        (manager.register::<u32>("hit").expect("one"), manager.register::<u32>("pain").expect("two"));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = heard.clone();
    manager
        .listen(hit, None, 7, move |notice, next| {
            ears.lock().expect("no panic").push((notice.entity, notice.value, notice.parameter));
            next.post(pain, post(notice.entity, 10 * notice.value, (0, 0, 0))).expect("posts");
        })
        .expect("listens");
    let ears = heard.clone();
    let only_b = move |notice: &Notice<u32>, _: &mut PostLog| {
        ears.lock().expect("no panic").push((notice.entity, notice.value, notice.parameter));
    };
    manager.listen(pain, Some(b), 8, only_b).expect("listens");
    let mut logs = [manager.log(), manager.log()];
    logs[1].post(hit, post(b, 5, (0, 0, 1))).expect("posts");
    logs[0].post(hit, post(a, 1, (0, 0, 0))).expect("posts");
    logs[1].post(hit, post(a, 2, (0, 1, 1))).expect("posts");
    manager.propagate(&entities, &mut logs).expect("propagates");
    assert_eq!(*heard.lock().expect("no panic"), [(a, 2, 7), (b, 5, 7), (b, 50, 8)]);
    assert_eq!((manager.value(pain, a), manager.value(pain, b)), (Some(20), Some(50)));
}

#[test]
fn what_is_wrong_is_an_error_or_is_counted() {
    let mut entities = Entities::new();
    let (dead, gone) = (entities.create(), entities.create());
    entities.destroy(dead);
    let mut manager = AttributeStateManager::new(3);
    let x = manager.register::<f64>("x").expect("registers");
    assert_eq!(manager.register::<f32>("x").err(), Some(AttributeError::Type { name: "x".to_owned() }));
    assert!(manager.register::<f64>("x").is_ok());
    let large = manager.register::<[u8; 2000]>("large").err();
    assert_eq!(large, Some(AttributeError::TooLarge { name: "large".to_owned(), bytes: 2000 }));
    assert_eq!(manager.set(&entities, x, dead, 1.0), Err(AttributeError::Dead { entity: dead }));
    let other = AttributeStateManager::default().register::<f32>("y").expect("registers");
    assert_eq!(manager.set(&entities, other, gone, 1.0), Err(AttributeError::Unknown));
    let mut logs = [manager.log()];
    logs[0].post(x, post(dead, 1.0, (0, 0, 0))).expect("posts");
    assert_eq!(logs[0].post(other, post(gone, 1.0, (0, 0, 0))), Err(AttributeError::Unknown));
    logs[0].post(x, post(gone, 4.0, (0, 0, 0))).expect("posts");
    manager.propagate(&entities, &mut logs).expect("propagates");
    assert_eq!((manager.counts().to_dead, manager.value(x, dead)), (1, None));
    let mut strange = [AttributeStateManager::default().log()];
    assert_eq!(manager.propagate(&entities, &mut strange), Err(AttributeError::Unknown));
    // A new entity in the place of another has nothing of it.
    entities.destroy(gone);
    let heir = entities.create();
    assert_eq!((heir.slot(), manager.value(x, heir)), (gone.slot(), None));
    logs[0].post(x, post(gone, 9.0, (0, 0, 0))).expect("posts");
    manager.propagate(&entities, &mut logs).expect("propagates");
    assert_eq!((manager.counts().to_dead, manager.value(x, heir)), (2, None));
    // A listener that answers itself.
    let echo = move |n: &Notice<f64>, next: &mut PostLog| {
        next.post(x, post(n.entity, n.value + 1.0, (0, 0, 0))).expect("posts");
    };
    manager.listen(x, None, 0, echo).expect("listens");
    logs[0].post(x, post(heir, 0.0, (0, 0, 0))).expect("posts");
    let endless = manager.propagate(&entities, &mut logs);
    assert_eq!(endless, Err(AttributeError::Endless { rounds: 3, name: "x".to_owned() }));
    assert_eq!(manager.value(x, heir), Some(3.0));
}

proptest! {
    /// The same winners however posts are spread over workers, as a plain search for the greatest has them.
    #[test]
    fn workers_do_not_decide(
        posts in prop::collection::vec((0_usize..6, -2_i32..3, 0_u64..4, 0_u32..5), 1..60),
        spread in prop::collection::vec(0_usize..4, 60),
    ) {
        let mut entities = Entities::new();
        let all: Vec<EntityId> = (0..6).map(|_| entities.create()).collect();
        let mut manager = AttributeStateManager::default();
        let value = manager.register::<usize>("value").expect("registers");
        // One poster posts on one worker, so that its own order is known.
        let mut logs: Vec<PostLog> = (0..4).map(|_| manager.log()).collect();
        for (k, (e, priority, stamp, poster)) in posts.iter().enumerate() {
            let worker = spread[*poster as usize];
            logs[worker].post(value, post(all[*e], k, (*priority, *stamp, *poster))).expect("posts");
        }
        manager.propagate(&entities, &mut logs).expect("propagates");
        for (e, entity) in all.iter().enumerate() {
            let of = posts.iter().enumerate().filter(|(_, p)| p.0 == e);
            let winner = of.max_by_key(|(k, p)| (p.1, p.2, p.3, *k)).map(|(k, _)| k);
            prop_assert_eq!(manager.value(value, *entity), winner);
        }
    }
}
