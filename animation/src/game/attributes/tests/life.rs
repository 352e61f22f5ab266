//! Entities that come and go.

use std::sync::{Arc, Mutex};

use super::*;
use crate::game::InTurn;

/// Who came and went: what happened, and the tag.
type Seen = Arc<Mutex<Vec<(Life, u64)>>>;

/// A manager whose factory writes down who comes and goes.
fn watched() -> (AttributeStateManager, EntityFactory, Seen) {
    let mut factory = EntityFactory::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let eyes = seen.clone();
    factory.listen(move |notice, _| eyes.lock().expect("sane").push((notice.life, notice.tag)));
    (AttributeStateManager::default(), factory, seen)
}

#[test]
fn an_entity_begins_with_its_values_and_all_are_told() {
    let (mut manager, mut factory, seen) = watched();
    let (x, y) = (manager.register::<u32>("x").expect("one"), manager.register::<f32>("y").expect("two"));
    let heard = Arc::new(Mutex::new(0));
    let ears = heard.clone();
    manager.listen(x, None, 0, move |n, _| *ears.lock().expect("sane") += *n.value).expect("listens");
    // What is posted in answer to the creation wins over the initial value.
    factory.listen(move |n, answers| answers.post(y, post(n.entities[0], 9.0, (0, 0, 0))).expect("posts"));
    let initial = Initial::new().with(x, 3).with(y, 1.0);
    let e = manager.create(&mut factory, &initial, 5).expect("creates");
    assert_eq!((manager.settled(x, e), manager.settled(y, e)), (Ok(Some(3)), Ok(Some(9.0))));
    assert_eq!((*heard.lock().expect("sane"), factory.tag(e)), (3, Some(5)));
    manager.destroy(&mut factory, e).expect("was alive");
    assert_eq!(manager.destroy(&mut factory, e), Err(AttributeError::Dead { entity: e }));
    assert_eq!(*seen.lock().expect("sane"), [(Life::Created, 5), (Life::Destroyed, 5)]);
    assert_eq!(factory.tag(e), None);
}

#[test]
fn wishes_are_granted_in_the_order_of_stamps_whoever_notes_them() {
    for swapped in [false, true] {
        let (mut manager, mut factory, seen) = watched();
        let x = manager.register::<u32>("x").expect("registers");
        let mut logs = [manager.log(), manager.log()];
        let (a, b) = if swapped { (1, 0) } else { (0, 1) };
        logs[a].create(Initial::new().with(x, 1), 1, (4, 0)).expect("ours");
        logs[b].create(Initial::new().with(x, 2), 2, (3, 1)).expect("ours");
        logs[b].create(Initial::new().with(x, 3), 3, (4, 1)).expect("ours");
        let mailbox = manager.mailbox();
        mailbox.create(Initial::new().with(x, 4), 4, (0, 0)).expect("ours");
        manager.propagate(&mut factory, &mut logs, &InTurn).expect("propagates");
        let tags: Vec<u64> = seen.lock().expect("sane").iter().map(|(_, tag)| *tag).collect();
        assert_eq!(tags, [4, 2, 1, 3]);
        let values: Vec<_> = factory.entities().iter().map(|e| manager.value(x, e)).collect();
        assert_eq!(values, [Ok(Some(4)), Ok(Some(2)), Ok(Some(1)), Ok(Some(3))]);
    }
}

#[test]
fn what_comes_together_is_one_notice_in_its_order() {
    let (mut manager, mut factory, seen) = watched();
    let x = manager.register::<u32>("x").expect("registers");
    let lists = Arc::new(Mutex::new(Vec::new()));
    let eyes = lists.clone();
    factory.listen(move |notice, answers| {
        eyes.lock().expect("sane").push(notice.entities.to_vec());
        // An answer wins over the initial value of its entity, and of no other.
        answers.post(x, post(notice.entities[1], 9, (0, 0, 0))).expect("posts");
    });
    let scene = || (1..4).map(|value| Initial::new().with(x, value)).collect::<Vec<_>>();
    let at_once = manager.create_all(&mut factory, &scene(), 7).expect("creates");
    let mut logs = [manager.log()];
    logs[0].create_all(scene(), 8, (0, 0)).expect("ours");
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("propagates");
    assert_eq!(*seen.lock().expect("sane"), [(Life::Created, 7), (Life::Created, 8)]);
    let all: Vec<_> = factory.entities().iter().collect();
    assert_eq!(
        (all[..3].to_vec(), &*lists.lock().expect("sane")),
        (at_once, &vec![all[..3].to_vec(), all[3..].to_vec()])
    );
    let values: Vec<_> = all.iter().map(|e| manager.value(x, *e)).collect();
    assert_eq!(values, [1, 9, 3, 1, 9, 3].map(|value| Ok(Some(value))));
    assert_eq!((factory.tag(all[2]), factory.tag(all[3])), (Some(7), Some(8)));
}

#[test]
fn a_list_of_none_is_told_to_nobody_and_one_that_is_wrong_creates_none() {
    let (mut manager, mut factory, seen) = watched();
    let mut other = AttributeStateManager::default();
    let (x, y) = (manager.register("x").expect("ours"), other.register("y").expect("theirs"));
    assert_eq!(manager.create_all(&mut factory, &[], 0), Ok(Vec::new()));
    let wrong = || vec![Initial::new().with(x, 1), Initial::new().with(y, 2)];
    assert_eq!(manager.create_all(&mut factory, &wrong(), 0), Err(AttributeError::Unknown));
    assert_eq!(manager.log().create_all(wrong(), 0, (0, 0)), Err(AttributeError::Unknown));
    assert_eq!(manager.mailbox().create_all(wrong(), 0, (0, 0)), Err(AttributeError::Unknown));
    assert!(factory.entities().is_empty() && seen.lock().expect("sane").is_empty());
}

#[test]
fn an_entity_that_comes_and_goes_in_one_cycle_is_heard_of_twice() {
    let (mut manager, mut factory, seen) = watched();
    let x = manager.register::<u32>("x").expect("registers");
    // Who dislikes what has come: it goes in the same propagation.
    factory.listen(|n, answers| {
        if n.life == Life::Created {
            answers.destroy(n.entities[0], (0, 0));
        }
    });
    let mut logs = [manager.log()];
    logs[0].create(Initial::new().with(x, 1), 6, (0, 0)).expect("ours");
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("propagates");
    assert_eq!(*seen.lock().expect("sane"), [(Life::Created, 6), (Life::Destroyed, 6)]);
    assert!(factory.entities().is_empty());
}

#[test]
fn a_listener_destroys_an_entity_and_it_goes_at_the_end() {
    let (mut manager, mut factory, _) = watched();
    let health = manager.register::<i32>("health").expect("registers");
    let mark = manager.register::<bool>("mark").expect("registers");
    let all: Vec<_> = (0..3)
        .map(|_| manager.create(&mut factory, &Initial::new().with(health, 5), 0).expect("creates"))
        .collect();
    manager
        .listen(health, None, 0, move |n, answers| {
            if *n.value <= 0 {
                answers.destroy(n.entity, (0, 0));
                answers.post(mark, post(n.entity, true, (0, 0, 0))).expect("posts");
            }
        })
        .expect("listens");
    let marked = Arc::new(Mutex::new(Vec::new()));
    let eyes = marked.clone();
    manager.listen(mark, None, 0, move |n, _| eyes.lock().expect("sane").push(n.entity)).expect("listens");
    let mut logs = [manager.log()];
    logs[0].post(health, post(all[1], 0, (0, 0, 0))).expect("posts");
    // At once: the wish waits for the propagation.
    manager.post_now(factory.entities(), health, (all[2], &-1), &mut logs[0]).expect("alive");
    assert!(factory.entities().is_alive(all[2]));
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("propagates");
    assert_eq!(factory.entities().iter().collect::<Vec<_>>(), [all[0]]);
    // The answers came before the end, so they were distributed; and the values went with their entities.
    assert_eq!((manager.counts().to_dead, &*marked.lock().expect("sane")), (0, &vec![all[2], all[1]]));
    assert_eq!((manager.value(mark, all[1]), manager.settled(mark, all[2])), (Ok(None), Ok(None)));
    assert_eq!(manager.columns(mark).expect("cached").0, [None, None, None]);
}

#[test]
fn a_new_entity_in_the_place_of_another_has_nothing_of_it() {
    let (mut manager, mut factory, _) = watched();
    let x = manager.register::<u32>("x").expect("registers");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let old = manager.create(&mut factory, &Initial::new().with(x, 1), 0).expect("creates");
    let ears = heard.clone();
    manager.listen(x, Some(old), 0, move |n, _| ears.lock().expect("sane").push(*n.value)).expect("listens");
    let mut logs = [manager.log()];
    manager.post_now(factory.entities(), x, (old, &2), &mut logs[0]).expect("alive");
    manager.destroy(&mut factory, old).expect("was alive");
    let heir = manager.create(&mut factory, &Initial::new(), 0).expect("creates");
    assert_eq!((heir.slot(), manager.value(x, heir)), (old.slot(), Ok(None)));
    logs[0].post(x, post(old, 9, (0, 0, 0))).expect("posts");
    logs[0].post(x, post(heir, 4, (0, 0, 0))).expect("posts");
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("propagates");
    assert_eq!(
        (manager.counts().to_dead, manager.value(x, heir), manager.value(x, old)),
        (1, Ok(Some(4)), Ok(None))
    );
    assert_eq!(*heard.lock().expect("sane"), [2], "the listener was the old one's");
}

#[test]
fn what_was_posted_at_once_goes_with_its_entity_and_the_next_one_has_its_own() {
    let (mut manager, mut factory, _) = watched();
    let x = manager.register::<u32>("x").expect("registers");
    let old = manager.create(&mut factory, &Initial::new().with(x, 1), 0).expect("creates");
    let mut logs = [manager.log()];
    manager.post_now(factory.entities(), x, (old, &111), &mut logs[0]).expect("alive");
    manager.destroy(&mut factory, old).expect("was alive");
    assert_eq!((manager.value(x, old), manager.settled(x, old)), (Ok(None), Ok(None)));
    let heir = manager.create(&mut factory, &Initial::new().with(x, 100), 0).expect("creates");
    let late = manager.post_now(factory.entities(), x, (old, &112), &mut logs[0]);
    assert_eq!((heir.slot(), late), (old.slot(), Err(AttributeError::Dead { entity: old })));
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("settles");
    assert_eq!((manager.value(x, heir), manager.value(x, old)), (Ok(Some(100)), Ok(None)));
    assert_eq!(manager.columns(x), Ok((&[Some(heir)][..], &[100][..])));
    assert_eq!(manager.counts().to_dead, 1);
}

#[test]
fn one_that_another_manager_destroyed_leaves_nothing_to_settle() {
    let (mut manager, mut factory, _) = watched();
    let mut other = AttributeStateManager::default();
    let x = manager.register::<u32>("x").expect("registers");
    let old = manager.create(&mut factory, &Initial::new(), 0).expect("creates");
    let mut logs = [manager.log()];
    manager.post_now(factory.entities(), x, (old, &111), &mut logs[0]).expect("alive");
    other.destroy(&mut factory, old).expect("was alive");
    let heir = manager.create(&mut factory, &Initial::new().with(x, 100), 0).expect("creates");
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("settles");
    assert_eq!((heir.slot(), manager.value(x, heir)), (old.slot(), Ok(Some(100))));
}

#[test]
fn endless_births_end_with_an_error() {
    let (_, mut factory, _) = watched();
    let mut manager = AttributeStateManager::new(4);
    factory.listen(|_, answers| answers.create(Initial::new(), 0, (0, 0)).expect("ours"));
    let endless = AttributeError::Endless { rounds: 4, what: "entities".to_owned() };
    assert_eq!(manager.create(&mut factory, &Initial::new(), 0), Err(endless));
}
