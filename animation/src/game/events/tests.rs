use std::sync::{Arc, Mutex};

use super::*;

#[test]
fn deferred_events_come_in_the_order_of_stamps_and_posters_whatever_log_has_them() {
    for swapped in [false, true] {
        let mut manager = EventManager::default();
        let hit = manager.register::<&str>("hit").expect("registers");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = heard.clone();
        manager
            .listen(hit, 7, move |event, parameter, _| ears.lock().expect("sane").push((*event, parameter)))
            .expect("listens");
        let mut logs = [manager.log(), manager.log()];
        let (a, b) = if swapped { (1, 0) } else { (0, 1) };
        logs[a].raise(hit, "second", (1, 0)).expect("raises");
        logs[b].raise(hit, "third", (1, 3)).expect("raises");
        logs[b].raise(hit, "first", (0, 3)).expect("raises");
        logs[b].raise(hit, "fourth", (1, 3)).expect("raises");
        assert_eq!(manager.deliver(&mut logs), Ok(4));
        assert_eq!(*heard.lock().expect("sane"), [("first", 7), ("second", 7), ("third", 7), ("fourth", 7)]);
        assert_eq!((manager.deliver(&mut logs), manager.delivered()), (Ok(0), 4));
    }
}

#[test]
fn immediate_events_are_heard_before_the_call_returns_and_answers_follow() {
    let mut manager = EventManager::new(3);
    let (door, bell) =
        (manager.register::<u32>("door").expect("one"), manager.register::<u8>("bell").expect("two"));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = heard.clone();
    manager
        .listen(door, 0, move |at, _, log| {
            ears.lock().expect("sane").push(format!("door {at}"));
            log.raise(bell, 9, (0, 0)).expect("raises");
        })
        .expect("listens");
    let ears = heard.clone();
    manager
        .listen(bell, 0, move |n, _, _| ears.lock().expect("sane").push(format!("bell {n}")))
        .expect("listens");
    assert_eq!(manager.raise_now(door, &4), Ok(2));
    assert_eq!(*heard.lock().expect("sane"), ["door 4", "bell 9"]);
}

#[test]
fn what_is_wrong_is_an_error() {
    let mut manager = EventManager::new(3);
    let echo = manager.register::<u32>("echo").expect("registers");
    assert_eq!(manager.register::<f32>("echo").err(), Some(EventError::Type { name: "echo".to_owned() }));
    let of_another = EventManager::default().register::<u32>("echo").expect("registers");
    assert_eq!(manager.raise_now(of_another, &1), Err(EventError::Unknown));
    assert_eq!(manager.log().raise(of_another, 1, (0, 0)), Err(EventError::Unknown));
    assert_eq!(manager.deliver(&mut [EventManager::default().log()]), Err(EventError::Unknown));
    manager
        .listen(echo, 0, move |n, _, log| log.raise(echo, n + 1, (0, 0)).expect("raises"))
        .expect("listens");
    let endless = EventError::Endless { rounds: 3, name: "echo".to_owned() };
    assert_eq!(manager.raise_now(echo, &0), Err(endless.clone()));
    let mut logs = [manager.log()];
    logs[0].raise(echo, 0, (0, 0)).expect("raises");
    assert_eq!(manager.deliver(&mut logs), Err(endless));
    assert_eq!(manager.deliver(&mut logs), Ok(0));
}
