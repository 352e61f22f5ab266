//! The attribute state manager: values of entities that tasks share without meeting.
//!
//! An [`Attribute`] is registered by name and type. Tasks change it in one of two ways:
//!
//! - **deferred**: a task notes what it wants to change in a [`PostLog`] of its own; nothing is locked, and readers see the values of
//!   before. At the cycle's exclusive point [`AttributeStateManager::propagate`] merges the logs: of several posts for one pair of entity
//!   and attribute the one of highest priority wins, among these the latest by its logical stamp, among these the one of the poster with
//!   the greatest number, among these the last in its log. Only the winner is distributed. It is the same for any number of workers, as
//!   long as posters, stamps and priorities are;
//! - **at once**: [`AttributeStateManager::post_now`] keeps the value and tells listeners, of one pair one value after the other. Every post
//!   is distributed.
//!
//! Cached attributes may be asked for their [newest](AttributeStateManager::value) value at any time, as on a blackboard, or for
//! [all values](AttributeStateManager::columns) as the last propagation left them: what reads these computes the same whether others
//! post at once or not. [Listeners](AttributeStateManager::listen) hear of what is distributed, and may answer.
//!
//! Entities come and go through an [`EntityFactory`], with [`Initial`] values, where nothing else runs. Listeners and tasks wish it
//! ([`PostLog::create`], [`PostLog::destroy`]), and that a list of them comes together ([`PostLog::create_all`]). What lasts longer than cycles posts into a [`Mailbox`].
//!
//! | what | what happens |
//! |---|---|
//! | a post for an entity that is dead, or whose slot another one has | dropped and counted; at once: an error |
//! | a listener for an entity whose slot another one has | an error |
//! | a handle of a removed attribute | an error; what is in logs is dropped and counted |
//! | a listener posts to what it hears of | distributed in the next round |
//! | listeners answer each other without end | an error after so many rounds as were allowed |
//! | a listener destroys an entity | it goes at the end of the propagation |
//! | an entity goes | its values go, and listeners that heard of it alone |
//! | an entity is created and destroyed in one cycle | listeners hear of both, in order |
//! | a mailbox gets a post while a propagation runs | it is for the next one |
//!
//! **Source:** Zettersten, *A parallel architecture for real-time games*, KTH 2010, sections 3.1.6 and 3.2.1.

mod attribute;
mod cells;
mod column;
mod error;
mod factory;
mod initial;
mod listeners;
mod log;
mod mailbox;
mod manager;
mod post;
mod propagation;

pub use attribute::{Attribute, AttributeValue, Caching, Counts, ListenerId, Notice};
pub use error::AttributeError;
pub use factory::{EntityFactory, Life, LifeNotice};
pub use initial::Initial;
pub use log::PostLog;
pub use mailbox::Mailbox;
pub use manager::AttributeStateManager;
pub use post::Post;

/// The largest attribute \[bytes\].
pub const MOST_BYTES: usize = 1024;

#[cfg(test)]
mod tests;
