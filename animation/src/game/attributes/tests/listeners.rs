//! Who hears of what, and what follows from answers.

use std::sync::{Arc, Barrier, Mutex, RwLock};

use super::*;
use crate::game::InTurn;

/// What was heard: entity, value, parameter.
type Heard = Arc<Mutex<Vec<(EntityId, u32, u64)>>>;

fn ears(heard: &Heard) -> impl Fn(&Notice<'_, u32>, &mut PostLog) + Send + Sync + 'static {
    let heard = heard.clone();
    move |notice, _| heard.lock().expect("sane").push((notice.entity, *notice.value, notice.parameter))
}

#[test]
fn listeners_hear_winners_once_and_may_answer_deferred_or_at_once() {
    for at_once in [false, true] {
        let (mut factory, all) = entities(2);
        let (a, b) = (all[0], all[1]);
        let mut manager = AttributeStateManager::default();
        let hit = manager.register::<u32>("hit").expect("one");
        let pain = manager.register::<u32>("pain").expect("two");
        let heard = Heard::default();
        manager.listen(hit, None, 7, ears(&heard)).expect("listens");
        manager
            .listen(hit, None, 0, move |notice, answers| {
                let answer = post(notice.entity, 10 * *notice.value, (0, 0, 0));
                answers.post(pain, answer).expect("posts");
            })
            .expect("listens");
        manager.listen(pain, Some(b), 8, ears(&heard)).expect("listens");
        let mut logs = [manager.log(), manager.log()];
        if at_once {
            for (entity, value) in [(a, 1), (a, 2), (b, 5)] {
                manager.post_now(factory.entities(), hit, (entity, &value), &mut logs[0]).expect("alive");
            }
        } else {
            logs[1].post(hit, post(b, 5, (0, 0, 1))).expect("posts");
            logs[0].post(hit, post(a, 1, (0, 0, 0))).expect("posts");
            logs[1].post(hit, post(a, 2, (0, 1, 1))).expect("posts");
        }
        manager.propagate(&mut factory, &mut logs, &InTurn).expect("propagates");
        let expected = [(a, 1, 7), (a, 2, 7), (b, 5, 7), (b, 50, 8)];
        assert_eq!(heard.lock().expect("sane")[..], expected[usize::from(!at_once)..]);
        assert_eq!((manager.value(pain, a), manager.value(pain, b)), (Ok(Some(20)), Ok(Some(50))));
        let counts = manager.counts();
        let (posts, distributed, notices) = if at_once { (6, 6, 7) } else { (5, 4, 5) };
        assert_eq!((counts.posts, counts.distributed, counts.notices), (posts, distributed, notices));
    }
}

#[test]
fn each_entity_has_its_own_parameter_and_a_listener_may_go() {
    let (mut factory, all) = entities(3);
    let mut manager = AttributeStateManager::default();
    let x = manager.register::<u32>("x").expect("registers");
    let (heard, other) = (Heard::default(), Heard::default());
    let one = manager.listen(x, Some(all[0]), 100, ears(&heard)).expect("listens");
    manager.attach(one, all[2], 102).expect("attaches");
    manager.listen(x, None, 9, ears(&other)).expect("listens");
    let mut logs = [manager.log()];
    let round = |manager: &mut AttributeStateManager, factory: &mut EntityFactory, logs: &mut [PostLog]| {
        all.iter().for_each(|e| logs[0].post(x, post(*e, 1, (0, 0, 0))).expect("posts"));
        manager.propagate(factory, logs, &InTurn).expect("propagates");
    };
    round(&mut manager, &mut factory, &mut logs);
    assert_eq!(*heard.lock().expect("sane"), [(all[0], 1, 100), (all[2], 1, 102)]);
    manager.remove_listener(one).expect("was there");
    assert_eq!(manager.remove_listener(one), Err(AttributeError::Unknown));
    assert_eq!(manager.attach(one, all[1], 0), Err(AttributeError::Unknown));
    round(&mut manager, &mut factory, &mut logs);
    assert_eq!((heard.lock().expect("sane").len(), other.lock().expect("sane").len()), (2, 6));
}

/// A chain of answers among 300 entities, which takes several turns of the loop: the values and the counts of one thread.
#[test]
fn answers_are_the_same_for_any_number_of_threads() {
    let run = |how: &dyn ParallelFor| {
        let (mut factory, all) = entities(300);
        let mut manager = AttributeStateManager::default();
        let x = manager.register::<u64>("x").expect("one");
        let y = manager.register::<u64>("y").expect("two");
        let next = all.clone();
        // Two entities answer to each one: who wins depends on the order of answers alone.
        manager
            .listen(x, None, 0, move |notice, answers| {
                let slot = notice.entity.slot();
                for to in [slot / 2, (7 * slot + 3) % next.len()] {
                    answers.post(y, post(next[to], *notice.value, (0, 0, 0))).expect("posts");
                }
                if *notice.value < 4 {
                    let again = post(next[(slot + 150) % next.len()], notice.value + 1, (0, 0, 0));
                    answers.post(x, again).expect("posts");
                }
            })
            .expect("listens");
        let mut logs = [manager.log()];
        let all_post = |(k, e): (usize, &EntityId)| logs[0].post(x, post(*e, k as u64 % 3, (0, 0, 0)));
        all.iter().enumerate().try_for_each(all_post).expect("posts");
        manager.propagate(&mut factory, &mut logs, how).expect("propagates");
        let values: Vec<_> = all.iter().map(|e| manager.value(y, *e).expect("cached")).collect();
        (values, manager.counts())
    };
    let expected = run(&InTurn);
    for threads in 1..5 {
        assert_eq!(run(&Threads(threads)), expected, "{threads}");
    }
}

#[test]
fn endless_answers_end_with_an_error() {
    let (mut factory, all) = entities(1);
    let mut manager = AttributeStateManager::new(3);
    let x = manager.register::<f64>("x").expect("registers");
    let echo = move |n: &Notice<'_, f64>, next: &mut PostLog| {
        next.post(x, post(n.entity, n.value + 1.0, (0, 0, 0))).expect("posts");
    };
    manager.listen(x, None, 0, echo).expect("listens");
    let mut logs = [manager.log()];
    logs[0].post(x, post(all[0], 0.0, (0, 0, 0))).expect("posts");
    let endless = AttributeError::Endless { rounds: 3, what: "the attribute `x`".to_owned() };
    assert_eq!(manager.propagate(&mut factory, &mut logs, &InTurn), Err(endless.clone()));
    assert_eq!(manager.value(x, all[0]), Ok(Some(3.0)));
    let now = manager.post_now(factory.entities(), x, (all[0], &10.0), &mut logs[0]);
    assert_eq!(now, Err(endless));
    assert_eq!(manager.value(x, all[0]), Ok(Some(13.0)));
    // What was dropped does not come back.
    assert_eq!(manager.propagate(&mut factory, &mut logs, &InTurn), Ok(()));
    assert_eq!(manager.value(x, all[0]), Ok(Some(13.0)));
}

#[test]
fn a_mailbox_takes_posts_while_a_propagation_runs_and_they_are_for_the_next_one() {
    let (mut factory, all) = entities(1);
    let mut manager = AttributeStateManager::default();
    let (x, y) = (manager.register::<u32>("x").expect("one"), manager.register::<u32>("y").expect("two"));
    let mailbox = manager.mailbox();
    let (from, e) = (mailbox.clone(), all[0]);
    // A listener stands for a task that posts meanwhile.
    manager
        .listen(x, None, 0, move |_, _| from.post(y, post(e, 2, (0, 0, 0))).expect("posts"))
        .expect("listens");
    mailbox.post(x, post(e, 1, (0, 0, 0))).expect("posts");
    manager.propagate(&mut factory, &mut [], &InTurn).expect("propagates");
    assert_eq!((manager.value(x, e), manager.value(y, e)), (Ok(Some(1)), Ok(None)));
    manager.propagate(&mut factory, &mut [], &InTurn).expect("propagates");
    assert_eq!(manager.value(y, e), Ok(Some(2)));
}

#[test]
fn a_late_listener_of_one_that_has_gone_is_refused_and_harms_nobody() {
    let (mut factory, all) = entities(2);
    let mut manager = AttributeStateManager::default();
    let x = manager.register::<u32>("x").expect("registers");
    manager.destroy(&mut factory, all[0]).expect("was alive");
    let heir = manager.create(&mut factory, &Initial::new(), 0).expect("creates");
    let heard = Heard::default();
    let id = manager.listen(x, Some(heir), 5, ears(&heard)).expect("listens");
    let dead = Err(AttributeError::Dead { entity: all[0] });
    assert_eq!(manager.listen(x, Some(all[0]), 0, ears(&heard)).map(drop), dead);
    assert_eq!(manager.attach(id, all[0], 0), dead);
    let mut logs = [manager.log()];
    logs[0].post(x, post(heir, 2, (0, 0, 0))).expect("posts");
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("propagates");
    assert_eq!(*heard.lock().expect("sane"), [(heir, 2, 5)]);
}

#[test]
fn a_listener_goes_with_the_last_entity_that_it_hears_of_and_its_place_serves_again() {
    let (mut factory, all) = entities(2);
    let mut manager = AttributeStateManager::default();
    let x = manager.register::<u32>("x").expect("registers");
    let (heard, kept) = (Heard::default(), Arc::new(()));
    let its = kept.clone();
    let one = manager.listen(x, Some(all[0]), 0, move |_, _| drop(its.clone())).expect("listens");
    manager.attach(one, all[1], 0).expect("attaches");
    let last = manager.listen(x, None, 1, ears(&heard)).expect("listens");
    manager.destroy(&mut factory, all[0]).expect("was alive");
    assert_eq!(Arc::strong_count(&kept), 2);
    manager.destroy(&mut factory, all[1]).expect("was alive");
    assert_eq!(Arc::strong_count(&kept), 1);
    assert_eq!(manager.remove_listener(one), Err(AttributeError::Unknown));
    // The place serves again, and yet what registered later hears later.
    let later = manager.listen(x, None, 2, ears(&heard)).expect("listens");
    assert!(later != one && later.number == one.number);
    assert_eq!(manager.remove_listener(one), Err(AttributeError::Unknown));
    let e = manager.create(&mut factory, &Initial::new().with(x, 7), 0).expect("creates");
    assert_eq!(*heard.lock().expect("sane"), [(e, 7, 1), (e, 7, 2)]);
    manager.remove_listener(last).expect("was there");
    manager.remove_listener(later).expect("was there");
    manager.create(&mut factory, &Initial::new().with(x, 8), 0).expect("creates");
    assert_eq!(heard.lock().expect("sane").len(), 2);
}

#[test]
fn a_listener_wishes_to_hear_no_more() {
    let (mut factory, all) = entities(1);
    let mut manager = AttributeStateManager::default();
    let x = manager.register::<u32>("x").expect("registers");
    let heard = Heard::default();
    let hears = ears(&heard);
    let once = manager
        .listen(x, None, 0, move |notice, answers| {
            hears(notice, answers);
            answers.remove_listener(notice.listener, (0, 0)).expect("ours");
        })
        .expect("listens");
    let mut logs = [manager.log()];
    for value in 1..4 {
        logs[0].post(x, post(all[0], value, (0, 0, 0))).expect("posts");
        manager.propagate(&mut factory, &mut logs, &InTurn).expect("propagates");
    }
    assert_eq!(*heard.lock().expect("sane"), [(all[0], 1, 0)]);
    assert_eq!(manager.remove_listener(once), Err(AttributeError::Unknown));
    let mut other = AttributeStateManager::default().log();
    assert_eq!(other.remove_listener(once, (0, 0)), Err(AttributeError::Unknown));
}

/// Two workers post for a pair each, and the listeners of each read the other one's value; then one posts while the other tells.
#[test]
fn listeners_of_what_is_posted_at_once_read_values_and_nobody_waits_for_them() {
    let (factory, all) = entities(2);
    let shared = Arc::new(RwLock::new(AttributeStateManager::default()));
    let x = shared.write().expect("sane").register::<u32>("x").expect("registers");
    let (heard, both) = (Heard::default(), Arc::new(Barrier::new(2)));
    let (weak, ears, meet, pair) = (Arc::downgrade(&shared), heard.clone(), both.clone(), all.clone());
    shared
        .write()
        .expect("sane")
        .listen(x, None, 0, move |notice, _| {
            if *notice.value < 10 {
                // Both are telling now.
                meet.wait();
            }
            let manager = weak.upgrade().expect("there");
            let other = pair[1 - notice.entity.slot()];
            let seen = manager.read().expect("sane").value(x, other).expect("cached").unwrap_or_default();
            ears.lock().expect("sane").push((notice.entity, *notice.value, u64::from(seen)));
        })
        .expect("listens");
    let post_now = |entity, value| {
        let manager = shared.read().expect("sane");
        let mut log = manager.log();
        manager.post_now(factory.entities(), x, (entity, &value), &mut log).expect("alive");
        log.counts
    };
    std::thread::scope(|scope| {
        scope.spawn(|| post_now(all[0], 1));
        scope.spawn(|| post_now(all[1], 2));
    });
    let mut list = std::mem::take(&mut *heard.lock().expect("sane"));
    list.sort_unstable();
    assert_eq!(list, [(all[0], 1, 2), (all[1], 2, 1)]);
    // While a worker tells of 3, others post for the same pair: it tells of these next, in order.
    std::thread::scope(|scope| {
        let first = scope.spawn(|| post_now(all[0], 3));
        while shared.read().expect("sane").value(x, all[0]) != Ok(Some(3)) {
            std::thread::yield_now();
        }
        assert_eq!([post_now(all[0], 11), post_now(all[0], 12)].map(|counts| counts.notices), [0, 0]);
        both.wait();
        assert_eq!(first.join().expect("ends").notices, 3);
    });
    assert_eq!(heard.lock().expect("sane").iter().map(|one| one.1).collect::<Vec<_>>(), [3, 11, 12]);
}

#[test]
fn a_listener_that_panics_keeps_later_values_from_nobody() {
    let (factory, all) = entities(1);
    let mut manager = AttributeStateManager::default();
    let x = manager.register::<u32>("x").expect("registers");
    let heard = Heard::default();
    let hears = ears(&heard);
    manager
        .listen(x, None, 0, move |notice, answers| {
            if *notice.value == 1 {
                std::panic::resume_unwind(Box::new("no ear"));
            }
            hears(notice, answers);
        })
        .expect("listens");
    let mut log = manager.log();
    let mut post_now = |value: u32| manager.post_now(factory.entities(), x, (all[0], &value), &mut log);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| post_now(1)));
    assert!(panicked.is_err());
    post_now(2).expect("alive");
    assert_eq!(*heard.lock().expect("sane"), [(all[0], 2, 0)]);
}

#[test]
fn a_mailbox_that_its_last_holder_lets_go_leaves_the_manager_once_its_posts_are_taken() {
    let (mut factory, all) = entities(1);
    let mut manager = AttributeStateManager::default();
    let x = manager.register::<u32>("x").expect("registers");
    let (kept, gone) = (manager.mailbox(), manager.mailbox());
    gone.post(x, post(all[0], 3, (0, 0, 0))).expect("posts");
    let copy = gone.clone();
    drop(gone);
    manager.propagate(&mut factory, &mut [], &InTurn).expect("propagates");
    assert_eq!((manager.mailboxes.len(), manager.value(x, all[0])), (2, Ok(Some(3))));
    copy.post(x, post(all[0], 4, (0, 0, 0))).expect("posts");
    drop(copy);
    manager.propagate(&mut factory, &mut [], &InTurn).expect("propagates");
    assert_eq!((manager.mailboxes.len(), manager.value(x, all[0])), (1, Ok(Some(4))));
    kept.post(x, post(all[0], 5, (0, 0, 0))).expect("posts");
    manager.propagate(&mut factory, &mut [], &InTurn).expect("propagates");
    assert_eq!(manager.value(x, all[0]), Ok(Some(5)));
}
