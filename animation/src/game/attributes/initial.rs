//! The values with which an entity begins.

use super::attribute::{Attribute, AttributeValue};
use super::error::AttributeError;
use super::post::Post;
use crate::game::EntityId;
use crate::game::lists::Lists;

/// Puts a value into lists, for an entity.
type Put = Box<dyn Fn(EntityId, &mut Lists) + Send + Sync>;

/// The values with which an entity begins, by attribute.
#[derive(Default)]
pub struct Initial {
    /// The manager of the attributes; none before the first one.
    manager: Option<u64>,
    values: Vec<Put>,
    is_mixed: bool,
}

impl Initial {
    /// No values.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more value.
    pub fn with<T: AttributeValue>(mut self, attribute: Attribute<T>, value: T) -> Self {
        self.is_mixed |= *self.manager.get_or_insert(attribute.manager()) != attribute.manager();
        self.values.push(Box::new(move |entity, lists| {
            // What others post in answer to the creation wins.
            let post = Post { entity, value, priority: i32::MIN, stamp: 0, poster: 0 };
            lists.push(attribute.index(), attribute.generation(), post);
        }));
        self
    }

    /// Whether all its attributes are of a manager.
    ///
    /// # Errors
    /// They are not.
    pub(super) fn check(&self, manager: u64) -> Result<(), AttributeError> {
        match self.is_mixed || self.manager.is_some_and(|of| of != manager) {
            true => Err(AttributeError::Unknown),
            false => Ok(()),
        }
    }

    /// Posts the values for an entity.
    pub(super) fn post(&self, entity: EntityId, lists: &mut Lists) {
        self.values.iter().for_each(|put| put(entity, lists));
    }
}
