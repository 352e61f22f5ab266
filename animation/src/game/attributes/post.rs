//! A value on its way.

use crate::game::EntityId;

/// A value for an entity, and what decides whether it wins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Post<T> {
    /// The entity.
    pub entity: EntityId,
    /// Its new value.
    pub value: T,
    /// What is higher wins.
    pub priority: i32,
    /// Logical time: of equal priorities the later wins.
    pub stamp: u64,
    /// Who posts: of equal stamps the greater number wins.
    pub poster: u32,
}

impl<T> Post<T> {
    /// What decides, without the place in a log.
    pub(super) fn rank(&self) -> (i32, u64, u32) {
        (self.priority, self.stamp, self.poster)
    }
}
