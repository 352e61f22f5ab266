mod conflicts;
mod life;
mod listeners;
mod wrong;

use super::*;
use crate::game::{EntityId, ParallelFor};

fn post<T>(entity: EntityId, value: T, (priority, stamp, poster): (i32, u64, u32)) -> Post<T> {
    Post { entity, value, priority, stamp, poster }
}

/// So many entities without values.
fn entities(n: usize) -> (EntityFactory, Vec<EntityId>) {
    let (mut manager, mut factory) = (AttributeStateManager::default(), EntityFactory::new());
    let mut one = |_| manager.create(&mut factory, &Initial::new(), 0).expect("nobody answers");
    let all = (0..n).map(&mut one).collect();
    (factory, all)
}

/// A loop whose turns are taken by threads, the last one first.
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
