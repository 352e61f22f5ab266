//! Posts from what does not end with a cycle.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::attribute::{Attribute, AttributeValue};
use super::error::AttributeError;
use super::initial::Initial;
use super::log::PostLog;
use super::post::Post;
use crate::game::EntityId;

/// What a task that lasts longer than a cycle posts with, at any time. A propagation takes what was posted before it began; what is
/// posted while it runs is for the next one. The last clone may go with posts in it: the next propagation takes them.
///
/// ```
/// use weft_animation::game::InTurn;
/// use weft_animation::game::attributes::{AttributeStateManager, EntityFactory, Initial, Post};
///
/// let (mut manager, mut factory) = (AttributeStateManager::default(), EntityFactory::new());
/// let map = manager.register::<[u8; 4]>("map")?;
/// let level = manager.create(&mut factory, &Initial::new(), 0)?;
/// let mailbox = manager.mailbox();
/// let post = Post { entity: level, value: *b"cave", priority: 0, stamp: 0, poster: 9 };
/// std::thread::scope(|scope| scope.spawn(move || mailbox.post(map, post)).join().expect("no panic"))?;
/// manager.propagate(&mut factory, &mut [], &InTurn)?;
/// assert_eq!(manager.value(map, level), Ok(Some(*b"cave")));
/// # Ok::<(), weft_animation::game::attributes::AttributeError>(())
/// ```
#[derive(Clone)]
pub struct Mailbox(Arc<Mutex<PostLog>>);

impl Mailbox {
    /// Of a manager.
    pub(super) fn of(manager: u64) -> Self {
        Self(Arc::new(Mutex::new(PostLog::of(manager))))
    }

    fn log(&self) -> MutexGuard<'_, PostLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a post, as [`PostLog::post`].
    ///
    /// # Errors
    /// The attribute is of another manager.
    pub fn post<T: AttributeValue>(
        &self,
        attribute: Attribute<T>,
        post: Post<T>,
    ) -> Result<(), AttributeError> {
        self.log().post(attribute, post)
    }

    /// Wishes that an entity comes into being, as [`PostLog::create`].
    ///
    /// # Errors
    /// A value is for an attribute of another manager.
    pub fn create(&self, initial: Initial, tag: u64, rank: (u64, u32)) -> Result<(), AttributeError> {
        self.log().create(initial, tag, rank)
    }

    /// Wishes that entities come into being together, as [`PostLog::create_all`].
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_all(
        &self,
        initials: Vec<Initial>,
        tag: u64,
        rank: (u64, u32),
    ) -> Result<(), AttributeError> {
        self.log().create_all(initials, tag, rank)
    }

    /// Wishes that an entity goes, as [`PostLog::destroy`].
    pub fn destroy(&self, entity: EntityId, rank: (u64, u32)) {
        self.log().destroy(entity, rank);
    }

    /// Whether nobody else can post with it.
    pub(super) fn is_last(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Exchanges what was posted for an empty log.
    pub(super) fn take(&self, into: &mut PostLog) {
        std::mem::swap(&mut *self.log(), into);
    }
}
