//! What a worker wants to change.

use std::any::Any;

use super::attribute::{Attribute, AttributeError, AttributeValue};
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

/// Posts of one worker, by attribute. Its memory is kept from cycle to cycle.
pub struct PostLog {
    /// The manager that it is for.
    manager: u64,
    /// By attribute: a `Vec<Post<T>>`; none before the first post.
    lists: Vec<Option<Box<dyn Any + Send>>>,
}

impl PostLog {
    /// An empty log for a manager.
    pub(super) fn of(manager: u64) -> Self {
        Self { manager, lists: Vec::new() }
    }

    /// The manager that it is for.
    pub(super) fn manager(&self) -> u64 {
        self.manager
    }

    /// Notes a post.
    ///
    /// # Errors
    /// The attribute is of another manager than the log.
    pub fn post<T: AttributeValue>(
        &mut self,
        attribute: Attribute<T>,
        post: Post<T>,
    ) -> Result<(), AttributeError> {
        if attribute.manager() != self.manager {
            return Err(AttributeError::Unknown);
        }
        let k = attribute.index();
        if self.lists.len() <= k {
            self.lists.resize_with(k + 1, || None);
        }
        let list = self.lists[k].get_or_insert_with(|| Box::new(Vec::<Post<T>>::new()));
        // Of one manager a number means one type.
        let list = list.downcast_mut::<Vec<Post<T>>>().ok_or(AttributeError::Unknown)?;
        list.push(post);
        Ok(())
    }

    /// The posts for an attribute, if there are any.
    pub(super) fn posted<T: AttributeValue>(&mut self, attribute: Attribute<T>) -> Option<&mut Vec<Post<T>>> {
        self.lists.get_mut(attribute.index())?.as_mut()?.downcast_mut()
    }
}
