//! The handle of an attribute, what a listener is told, and what is counted.

use std::marker::PhantomData;

use crate::game::EntityId;

/// What the value of an attribute may be: plain data of at most [`MOST_BYTES`](super::MOST_BYTES).
pub trait AttributeValue: Copy + Send + Sync + 'static {}

impl<T: Copy + Send + Sync + 'static> AttributeValue for T {}

/// The handle of a registered attribute, with the type of its values. It is that of no other attribute, even after this one is removed.
#[derive(Debug)]
pub struct Attribute<T> {
    manager: u64,
    index: u32,
    generation: u32,
    values: PhantomData<fn() -> T>,
}

// By hand: a handle is copied whatever its values are.
impl<T> Clone for Attribute<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Attribute<T> {}

impl<T> PartialEq for Attribute<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.manager, self.index, self.generation) == (other.manager, other.index, other.generation)
    }
}

impl<T> Eq for Attribute<T> {}

impl<T> Attribute<T> {
    /// The attribute of a manager that is registered at a place, in its generation.
    pub(super) fn of(manager: u64, index: u32, generation: u32) -> Self {
        Self { manager, index, generation, values: PhantomData }
    }

    /// The number of the manager that registered it.
    pub(super) fn manager(self) -> u64 {
        self.manager
    }

    /// Its place among the manager's attributes.
    pub(super) fn index(self) -> usize {
        self.index as usize
    }

    /// How many attributes had its place before it.
    pub(super) fn generation(self) -> u32 {
        self.generation
    }
}

/// Whether the manager keeps the values of an attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Caching {
    /// They may be asked for at any time.
    #[default]
    On,
    /// Only listeners hear of them.
    Off,
}

/// What a listener is told of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notice<'v, T> {
    /// The entity whose attribute has changed.
    pub entity: EntityId,
    /// Its new value.
    pub value: &'v T,
    /// The parameter that the listener was registered with for this entity.
    pub parameter: u64,
    /// The listener itself, which may wish to hear no more ([`PostLog::remove_listener`](super::PostLog::remove_listener)).
    pub listener: ListenerId<T>,
}

/// The handle of a listener of a manager. It is that of no other one, even after the listener is removed.
#[derive(Debug)]
pub struct ListenerId<T> {
    pub(super) attribute: Attribute<T>,
    pub(super) number: u32,
    pub(super) generation: u32,
}

// By hand: a handle is copied whatever its values are.
impl<T> Clone for ListenerId<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ListenerId<T> {}

impl<T> PartialEq for ListenerId<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.attribute, self.number, self.generation) == (other.attribute, other.number, other.generation)
    }
}

impl<T> Eq for ListenerId<T> {}

/// What a manager has taken and given since its beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Posts, deferred and immediate. Deferred ones count when they are merged.
    pub posts: u64,
    /// Those of them that were distributed: kept and told to listeners.
    pub distributed: u64,
    /// The size of the values that were distributed, each once, however many listeners heard of it \[bytes\].
    pub bytes: u64,
    /// Calls of listeners.
    pub notices: u64,
    /// Posts for entities that were not alive.
    pub to_dead: u64,
    /// Posts for attributes that were removed before they were merged.
    pub to_removed: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.posts += other.posts;
        self.distributed += other.distributed;
        self.bytes += other.bytes;
        self.notices += other.notices;
        self.to_dead += other.to_dead;
        self.to_removed += other.to_removed;
    }
}
