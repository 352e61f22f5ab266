//! What can be wrong with an attribute or with a propagation.

use thiserror::Error;

use super::MOST_BYTES;
use crate::game::EntityId;

/// What is wrong with an attribute or with a propagation.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AttributeError {
    /// The name is registered with values of another type.
    #[error("the attribute `{name}` is registered with another type")]
    Type {
        /// The attribute.
        name: String,
    },
    /// No attribute has the name.
    #[error("there is no attribute `{name}`")]
    NoSuchName {
        /// The name.
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
    /// The attribute was removed, or it, a listener or a log is of another manager.
    #[error("the attribute was removed, or it, the listener or the log belongs to another manager")]
    Unknown,
    /// The entity is not alive.
    #[error("{entity:?} is not alive")]
    Dead {
        /// The entity.
        entity: EntityId,
    },
    /// The values of the attribute are not kept.
    #[error("the attribute `{name}` is not cached: only listeners hear of its values")]
    NotCached {
        /// The attribute.
        name: String,
    },
    /// Listeners answer each other without end.
    #[error("after {rounds} rounds listeners still post to {what}")]
    Endless {
        /// The rounds that were allowed.
        rounds: u32,
        /// The attribute that was posted to last, or what else listeners wanted.
        what: String,
    },
}
