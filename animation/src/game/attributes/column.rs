//! The values of one attribute, by entity.

use std::any::Any;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::attribute::{AttributeValue, Caching, Counts};
use super::cells::Cells;
use super::listeners::Listeners;
use super::log::PostLog;
use super::post::Post;
use crate::game::lists::Lists;
use crate::game::{Entities, EntityId};

/// The values of one attribute.
pub(super) struct Column<T> {
    /// Its place and generation.
    key: (u32, u32),
    caching: Caching,
    /// By slot: whose value it is.
    owners: Vec<Option<EntityId>>,
    /// By slot: the value, as the last propagation left it.
    values: Vec<T>,
    /// By slot: what was posted at once since then.
    newer: Cells<Option<(EntityId, T)>>,
    /// Whether anything was.
    has_newer: AtomicBool,
    /// By slot: one more than the place of the best post so far, while logs are merged.
    best: Vec<u32>,
    /// The best posts, by slot.
    winners: Vec<Post<T>>,
    pub listeners: Listeners<T>,
}

/// A column of any type.
pub(super) trait AnyColumn: Send + Sync {
    /// The column itself.
    fn as_any(&self) -> &dyn Any;
    /// The same, to change.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// Takes what was posted at once as values.
    fn settle(&mut self);
    /// Takes what wins of lists as values.
    fn merge(&mut self, entities: &Entities, lists: &mut dyn Iterator<Item = &Lists>) -> Counts;
    /// Number of winners of whom somebody is to hear.
    fn to_tell(&self) -> usize;
    /// Tells listeners of a stretch of the winners; they post into a log.
    fn tell(&self, winners: Range<usize>, answers: &mut PostLog) -> u64;
    /// Distributes all posts in lists at once, one after the other.
    fn post_lists_now(&self, entities: &Entities, lists: &Lists, answers: &mut PostLog) -> Counts;
    /// Lets go of what hears of an entity.
    fn forget(&mut self, entity: EntityId);
}

impl<T: AttributeValue> Column<T> {
    /// Without values.
    pub fn new(key: (u32, u32), caching: Caching) -> Self {
        Self {
            key,
            caching,
            owners: Vec::new(),
            values: Vec::new(),
            newer: Cells::new(),
            has_newer: AtomicBool::new(false),
            best: Vec::new(),
            winners: Vec::new(),
            listeners: Listeners::new(),
        }
    }

    /// Whether its values are kept.
    pub fn caching(&self) -> Caching {
        self.caching
    }

    /// The newest value of an entity.
    pub fn newest(&self, entity: EntityId) -> Option<T> {
        // Acquire pairs with the release in `post_now`: who knows that a post was made finds it.
        if self.has_newer.load(Ordering::Acquire)
            && let Some((of, value)) = *self.newer.lock(entity.slot())
            && of == entity
        {
            return Some(value);
        }
        self.settled(entity)
    }

    /// The value of an entity, as the last propagation left it.
    pub fn settled(&self, entity: EntityId) -> Option<T> {
        let is_its = self.owners.get(entity.slot()).is_some_and(|of| *of == Some(entity));
        is_its.then(|| self.values[entity.slot()])
    }

    /// By slot: whose value it is, and the value, as the last propagation left them.
    pub fn columns(&self) -> (&[Option<EntityId>], &[T]) {
        (&self.owners, &self.values)
    }

    /// Keeps a value and tells listeners, with the pair locked. The entity is alive.
    pub fn post_now(&self, entity: EntityId, value: &T, answers: &mut PostLog) -> Counts {
        let mut cell = self.newer.lock(entity.slot());
        if self.caching == Caching::On {
            *cell = Some((entity, *value));
            // Read first: many threads would write the same flag.
            if !self.has_newer.load(Ordering::Relaxed) {
                self.has_newer.store(true, Ordering::Release);
            }
        }
        let notices = self.listeners.tell(entity, value, answers);
        drop(cell);
        Counts { posts: 1, distributed: 1, bytes: size_of::<T>() as u64, notices, ..Counts::default() }
    }

    fn keep(&mut self, entity: EntityId, value: T) {
        let slot = entity.slot();
        if self.values.len() <= slot {
            self.values.resize(slot + 1, value);
            self.owners.resize(slot + 1, None);
        }
        self.owners[slot] = Some(entity);
        self.values[slot] = value;
    }
}

impl<T: AttributeValue> AnyColumn for Column<T> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn settle(&mut self) {
        if !std::mem::take(self.has_newer.get_mut()) {
            return;
        }
        let mut newer = std::mem::replace(&mut self.newer, Cells::new());
        for (_, cell) in newer.iter_mut() {
            if let Some((entity, value)) = cell.take() {
                self.keep(entity, value);
            }
        }
        self.newer = newer;
    }

    fn merge(&mut self, entities: &Entities, lists: &mut dyn Iterator<Item = &Lists>) -> Counts {
        self.winners.clear();
        let (mut counts, (index, generation)) = (Counts::default(), self.key);
        let Self { best, winners, .. } = self;
        for of in lists {
            let removed = of.drain(index as usize, generation, |post: Post<T>| {
                counts.posts += 1;
                if !entities.is_alive(post.entity) {
                    counts.to_dead += 1;
                    return;
                }
                let slot = post.entity.slot();
                if best.len() <= slot {
                    best.resize(slot + 1, 0);
                }
                let place = best[slot] as usize;
                if place == 0 {
                    winners.push(post);
                    best[slot] = winners.len() as u32;
                } else if post.rank() >= winners[place - 1].rank() {
                    winners[place - 1] = post;
                }
            });
            counts.posts += removed as u64;
            counts.to_removed += removed as u64;
        }
        for k in 0..self.winners.len() {
            let Post { entity, value, .. } = self.winners[k];
            self.best[entity.slot()] = 0;
            if self.caching == Caching::On {
                self.keep(entity, value);
            }
        }
        // In the order of entities, whatever log had the first post.
        if !self.winners.is_sorted_by_key(|post| post.entity.slot()) {
            self.winners.sort_unstable_by_key(|post| post.entity.slot());
        }
        counts.distributed = self.winners.len() as u64;
        counts.bytes = (self.winners.len() * size_of::<T>()) as u64;
        counts
    }

    fn to_tell(&self) -> usize {
        if self.listeners.is_empty() { 0 } else { self.winners.len() }
    }

    fn tell(&self, winners: Range<usize>, answers: &mut PostLog) -> u64 {
        let winners = &self.winners[winners];
        winners.iter().map(|post| self.listeners.tell(post.entity, &post.value, answers)).sum()
    }

    fn post_lists_now(&self, entities: &Entities, lists: &Lists, answers: &mut PostLog) -> Counts {
        let mut counts = Counts::default();
        let removed = lists.drain(self.key.0 as usize, self.key.1, |post: Post<T>| {
            if entities.is_alive(post.entity) {
                counts += self.post_now(post.entity, &post.value, answers);
            } else {
                counts += Counts { posts: 1, to_dead: 1, ..Counts::default() };
            }
        });
        counts += Counts { posts: removed as u64, to_removed: removed as u64, ..Counts::default() };
        counts
    }

    fn forget(&mut self, entity: EntityId) {
        self.listeners.forget(entity);
    }
}
