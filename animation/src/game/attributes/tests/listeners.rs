//! Who hears of what, and what follows from answers.

use std::sync::{Arc, Mutex};

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
