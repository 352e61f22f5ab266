//! A task that lasts longer than cycles posts while a propagation runs, on threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use animation::game::InTurn;
use weft_game::attributes::{AttributeStateManager, EntityFactory, Initial, Post};
use weft_game::{CycleScheduler, Group, Options, Outcome, TaskInfo};

const CYCLES: u64 = 200;

#[test]
fn what_a_long_task_posts_during_a_propagation_is_for_the_next_one() {
    let (mut manager, mut factory) = (AttributeStateManager::default(), EntityFactory::new());
    let value = manager.register::<u64>("value").unwrap();
    let entity = manager.create(&mut factory, &Initial::new(), 0).unwrap();
    let mailbox = manager.mailbox();
    // Odd while the propagation of a cycle waits for the long task's post; even once it is made.
    let stage = Arc::<AtomicU64>::default();
    let heard = Arc::<Mutex<Vec<u64>>>::default();
    let (its, ears) = (stage.clone(), heard.clone());
    let listener = manager.listen(value, None, 0, move |notice, _| {
        ears.lock().unwrap().push(*notice.value);
        let mine = its.fetch_add(1, Ordering::AcqRel) + 1;
        while its.load(Ordering::Acquire) == mine {
            std::thread::yield_now();
        }
    });
    listener.unwrap();
    let mut scheduler = CycleScheduler::new(Options::new(2));
    scheduler.submit(TaskInfo::new("long", Duration::from_secs(1)).long_term(), move |context| {
        for k in 0..CYCLES {
            while stage.load(Ordering::Acquire) != 2 * k + 1 {
                if context.is_ending() {
                    return Outcome::Failure;
                }
                std::thread::yield_now();
            }
            // It wins over what is posted within cycles.
            mailbox.post(value, Post { entity, value: k, priority: 1, stamp: k, poster: 1 }).unwrap();
            stage.fetch_add(1, Ordering::AcqRel);
        }
        Outcome::Success
    });
    let state = Arc::new(Mutex::new((manager, factory)));
    let its = state.clone();
    let exchange = TaskInfo::new("exchange", Duration::from_micros(10)).group(Group::Main);
    scheduler.submit(exchange, move |context| {
        let mut state = its.lock().unwrap();
        let (manager, factory) = &mut *state;
        let (mut log, stamp) = (manager.log(), context.cycle.number);
        log.post(value, Post { entity, value: 1000 + stamp, priority: 0, stamp, poster: 0 }).unwrap();
        manager.propagate(factory, &mut [log], &InTurn).unwrap();
        Outcome::Progress
    });
    for number in 0..CYCLES {
        scheduler.cycle(Duration::from_millis(number)).unwrap();
    }
    // In the first cycle nothing had come from the long task; in each other one what it posted during the propagation before.
    let expected: Vec<u64> = std::iter::once(1000).chain(0..CYCLES - 1).collect();
    assert_eq!(*heard.lock().unwrap(), expected);
    drop(scheduler);
    // The last post waits for a propagation that was never made.
    assert_eq!(state.lock().unwrap().0.counts().posts, 2 * CYCLES - 1);
}
