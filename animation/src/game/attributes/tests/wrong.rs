//! What is wrong is an error or is counted.

use super::*;
use crate::game::InTurn;

#[test]
fn types_names_and_sizes() {
    let mut manager = AttributeStateManager::default();
    let x = manager.register::<f64>("x").expect("registers");
    let wrong_type = AttributeError::Type { name: "x".to_owned() };
    assert_eq!(manager.register::<f32>("x").err(), Some(wrong_type.clone()));
    assert_eq!(manager.find::<u64>("x"), Err(wrong_type));
    assert_eq!((manager.register::<f64>("x"), manager.find("x")), (Ok(x), Ok(x)));
    assert_eq!(manager.find::<f64>("y"), Err(AttributeError::NoSuchName { name: "y".to_owned() }));
    let large = AttributeError::TooLarge { name: "large".to_owned(), bytes: MOST_BYTES + 1 };
    assert_eq!(manager.register::<[u8; MOST_BYTES + 1]>("large").err(), Some(large));
    assert!(manager.register::<[u8; MOST_BYTES]>("largest").is_ok());
    assert_eq!(manager.names().collect::<Vec<_>>(), ["x", "largest"]);
}

#[test]
fn entities_that_are_dead() {
    let (mut factory, all) = entities(2);
    let mut manager = AttributeStateManager::default();
    let x = manager.register::<f64>("x").expect("registers");
    manager.destroy(&mut factory, all[0]).expect("was alive");
    let mut logs = [manager.log()];
    let dead = AttributeError::Dead { entity: all[0] };
    assert_eq!(manager.post_now(factory.entities(), x, (all[0], &1.0), &mut logs[0]), Err(dead));
    logs[0].post(x, post(all[0], 1.0, (0, 0, 0))).expect("posts");
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("propagates");
    assert_eq!((manager.counts().to_dead, manager.counts().posts), (2, 2));
    assert_eq!(manager.value(x, all[0]), Ok(None));
}

#[test]
fn another_managers() {
    let (mut factory, all) = entities(1);
    let mut manager = AttributeStateManager::default();
    let mut other = AttributeStateManager::default();
    let foreign = other.register::<f64>("x").expect("registers");
    let own = manager.register::<f64>("x").expect("registers");
    let mut log = manager.log();
    assert_eq!(log.post(foreign, post(all[0], 1.0, (0, 0, 0))), Err(AttributeError::Unknown));
    assert_eq!(log.create(Initial::new().with(foreign, 1.0), 0, (0, 0)), Err(AttributeError::Unknown));
    let mixed = Initial::new().with(own, 1.0).with(foreign, 2.0);
    assert_eq!(manager.create(&mut factory, &mixed, 0), Err(AttributeError::Unknown));
    assert_eq!(factory.entities().len(), 1);
    assert_eq!(manager.value(foreign, all[0]), Err(AttributeError::Unknown));
    let now = manager.post_now(factory.entities(), own, (all[0], &1.0), &mut other.log());
    assert_eq!(now, Err(AttributeError::Unknown));
    assert_eq!(manager.listen(foreign, None, 0, |_, _| ()).err(), Some(AttributeError::Unknown));
    let strange = manager.propagate(&mut factory, &mut [other.log()], &InTurn);
    assert_eq!(strange, Err(AttributeError::Unknown));
}

#[test]
fn attributes_come_and_go_and_a_place_is_not_mistaken() {
    let (mut factory, all) = entities(1);
    let mut manager = AttributeStateManager::default();
    let old = manager.register::<f64>("old").expect("registers");
    let mut logs = [manager.log(), manager.log()];
    logs.iter_mut().for_each(|log| log.post(old, post(all[0], 1.0, (0, 0, 0))).expect("posts"));
    manager.remove(old).expect("was there");
    assert_eq!(
        (manager.remove(old), manager.value(old, all[0])),
        (Err(AttributeError::Unknown), Err(AttributeError::Unknown))
    );
    manager.propagate(&mut factory, &mut logs[..1], &InTurn).expect("propagates");
    let new = manager.register::<u8>("new").expect("registers");
    // One log has posts for the attribute that had this place, and now for the one that has it.
    logs[0].post(old, post(all[0], 2.0, (0, 0, 0))).expect("posts");
    logs[0].post(new, post(all[0], 3, (0, 0, 0))).expect("posts");
    manager.propagate(&mut factory, &mut logs, &InTurn).expect("propagates");
    assert_eq!(manager.value(new, all[0]), Ok(Some(3)));
    assert_eq!((manager.counts().posts, manager.counts().to_removed), (4, 3));
    assert_eq!(manager.names().collect::<Vec<_>>(), ["new"]);
}
