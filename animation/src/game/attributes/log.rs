//! What a task wants to change.

use super::attribute::{Attribute, AttributeValue, Counts, ListenerId};
use super::error::AttributeError;
use super::initial::Initial;
use super::post::Post;
use crate::game::EntityId;
use crate::game::lists::Lists;

/// A wish that an entity comes or goes, or a listener.
pub(super) struct Order {
    pub stamp: u64,
    pub poster: u32,
    pub wish: Wish,
}

/// What is wished.
pub(super) enum Wish {
    /// That entities come into being together.
    Create { initials: Vec<Initial>, tag: u64 },
    /// That an entity goes.
    Destroy { entity: EntityId },
    /// That a listener goes: place and generation of its attribute, its number and generation.
    Silence { attribute: (usize, u32), listener: (u32, u32) },
}

/// What a task posts with: deferred posts by attribute, wishes that entities come or go, and counts of its immediate posts. Its memory is
/// kept from cycle to cycle.
///
/// One poster posts to one log in a cycle: among its own posts of equal priority and stamp the last one wins.
pub struct PostLog {
    /// The manager that it is for.
    manager: u64,
    pub(super) lists: Lists,
    pub(super) orders: Vec<Order>,
    pub(super) counts: Counts,
    /// What listeners of immediate posts answer, and what they are answering to.
    pub(super) answers: Option<Box<[PostLog; 2]>>,
}

impl PostLog {
    /// An empty log for a manager.
    pub(super) fn of(manager: u64) -> Self {
        let (lists, orders, counts) = (Lists::default(), Vec::new(), Counts::default());
        Self { manager, lists, orders, counts, answers: None }
    }

    /// The manager that it is for.
    pub(super) fn manager(&self) -> u64 {
        self.manager
    }

    /// Notes a post: the value is copied, and distributed if it wins the next propagation.
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
        let removed = self.lists.push(attribute.index(), attribute.generation(), post) as u64;
        if removed > 0 {
            self.counts += Counts { posts: removed, to_removed: removed, ..Counts::default() };
        }
        Ok(())
    }

    /// Wishes that an entity comes into being with initial values, at the end of the next propagation. Wishes are granted in the order of
    /// stamps, then of posters, then of a log.
    ///
    /// # Errors
    /// A value is for an attribute of another manager.
    pub fn create(&mut self, initial: Initial, tag: u64, rank: (u64, u32)) -> Result<(), AttributeError> {
        self.create_all(vec![initial], tag, rank)
    }

    /// Wishes that entities come into being together, as a scene does: one wish, of which listeners hear once.
    ///
    /// # Errors
    /// As [`Self::create`]; then none is wished.
    pub fn create_all(
        &mut self,
        initials: Vec<Initial>,
        tag: u64,
        (stamp, poster): (u64, u32),
    ) -> Result<(), AttributeError> {
        initials.iter().try_for_each(|initial| initial.check(self.manager))?;
        self.orders.push(Order { stamp, poster, wish: Wish::Create { initials, tag } });
        Ok(())
    }

    /// Wishes that an entity goes, at the end of the next propagation. What was posted for it until then is distributed.
    pub fn destroy(&mut self, entity: EntityId, (stamp, poster): (u64, u32)) {
        self.orders.push(Order { stamp, poster, wish: Wish::Destroy { entity } });
    }

    /// Wishes that a listener hears no more, from the end of the next propagation on. One that has gone by then is no error.
    ///
    /// # Errors
    /// The listener is of another manager than the log.
    pub fn remove_listener<T: AttributeValue>(
        &mut self,
        listener: ListenerId<T>,
        (stamp, poster): (u64, u32),
    ) -> Result<(), AttributeError> {
        let of = listener.attribute;
        if of.manager() != self.manager {
            return Err(AttributeError::Unknown);
        }
        let attribute = (of.index(), of.generation());
        let wish = Wish::Silence { attribute, listener: (listener.number, listener.generation) };
        self.orders.push(Order { stamp, poster, wish });
        Ok(())
    }
}
