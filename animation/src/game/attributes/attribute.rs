//! The handle of an attribute, what a listener is told, what is counted, and what can be wrong.

use std::marker::PhantomData;

use thiserror::Error;

use super::MOST_BYTES;
use crate::game::EntityId;

/// What the value of an attribute may be: plain data of at most [`MOST_BYTES`].
pub trait AttributeValue: Copy + Send + 'static {}

impl<T: Copy + Send + 'static> AttributeValue for T {}

/// The handle of a registered attribute, with the type of its values.
#[derive(Debug)]
pub struct Attribute<T> {
    manager: u64,
    index: u32,
    values: PhantomData<fn() -> T>,
}

// By hand: a handle is copied whatever its values are.
impl<T> Clone for Attribute<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Attribute<T> {}

impl<T> Attribute<T> {
    /// The attribute of a manager that is registered under an index.
    pub(super) fn of(manager: u64, index: u32) -> Self {
        Self { manager, index, values: PhantomData }
    }

    /// The number of the manager that registered it.
    pub(super) fn manager(self) -> u64 {
        self.manager
    }

    /// Its place among the manager's attributes.
    pub(super) fn index(self) -> usize {
        self.index as usize
    }
}

/// What a listener is told of a winner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notice<T> {
    /// The entity whose attribute has changed.
    pub entity: EntityId,
    /// Its new value.
    pub value: T,
    /// The parameter that the listener was registered with.
    pub parameter: u64,
}

/// What a manager has taken and given since its beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Posts that were merged, and values that were set at once.
    pub posts: u64,
    /// Those of them that became values.
    pub distributed: u64,
    /// The size of the values that were distributed \[bytes\].
    pub bytes: u64,
    /// Posts for entities that were not alive.
    pub to_dead: u64,
}

/// What is wrong with an attribute or with a propagation.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AttributeError {
    /// The name is registered with values of another type.
    #[error("the attribute `{name}` is registered with another type")]
    Type {
        /// The attribute.
        name: String,
    },
    /// Its values are larger than [`MOST_BYTES`].
    #[error("a value of the attribute `{name}` takes {bytes} bytes; at most {MOST_BYTES} are taken")]
    TooLarge {
        /// The attribute.
        name: String,
        /// The size of a value.
        bytes: usize,
    },
    /// A handle or a log is of another manager.
    #[error("the attribute or the log belongs to another manager")]
    Unknown,
    /// The entity is not alive.
    #[error("{entity:?} is not alive")]
    Dead {
        /// The entity.
        entity: EntityId,
    },
    /// Listeners answer each other without end.
    #[error("after {rounds} rounds listeners still post to the attribute `{name}`")]
    Endless {
        /// The rounds that were allowed.
        rounds: u32,
        /// The attribute that was posted to last.
        name: String,
    },
}
