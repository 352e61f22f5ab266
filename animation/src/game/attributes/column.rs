//! The values of one attribute, by entity.

use std::any::Any;
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::attribute::{Attribute, AttributeValue, Caching, Counts, ListenerId};
use super::cells::Cells;
use super::error::AttributeError;
use super::listeners::{Listener, Listeners};
use super::log::PostLog;
use super::post::Post;
use crate::game::lists::Lists;
use crate::game::{Entities, EntityId};

/// What was posted at once for a pair of an entity and an attribute.
struct Cell<T> {
    /// The newest value, if values are kept.
    value: Option<(EntityId, T)>,
    /// Whether a worker tells listeners of the pair. It does so without the cell's lock: listeners may read values, and post.
    is_telling: bool,
    /// What was posted meanwhile, of which that worker tells next.
    untold: VecDeque<(EntityId, T)>,
}

impl<T> Default for Cell<T> {
    fn default() -> Self {
        Self { value: None, is_telling: false, untold: VecDeque::new() }
    }
}

/// The values of one attribute.
pub(super) struct Column<T> {
    attribute: Attribute<T>,
    caching: Caching,
    /// By slot: whose value it is.
    owners: Vec<Option<EntityId>>,
    /// By slot: the value, as the last propagation left it.
    values: Vec<T>,
    /// By slot: what was posted at once since then.
    newer: Cells<Cell<T>>,
    /// Whether anything was.
    has_newer: AtomicBool,
    /// By slot: one more than the place of the best post so far, while logs are merged.
    best: Vec<u32>,
    /// The best posts, by slot.
    winners: Vec<Post<T>>,
    listeners: Listeners<T>,
}

/// A column of any type.
pub(super) trait AnyColumn: Send + Sync {
    /// The column itself.
    fn as_any(&self) -> &dyn Any;
    /// The same, to change.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// Takes what was posted at once as values of those that are alive.
    fn settle(&mut self, entities: &Entities);
    /// Takes what wins of lists as values.
    fn merge(&mut self, entities: &Entities, lists: &mut dyn Iterator<Item = &Lists>) -> Counts;
    /// Number of winners of whom somebody is to hear.
    fn to_tell(&self) -> usize;
    /// Tells listeners of a stretch of the winners; they post into a log.
    fn tell(&self, winners: Range<usize>, answers: &mut PostLog) -> u64;
    /// Distributes all posts in lists at once, one after the other.
    fn post_lists_now(&self, entities: &Entities, lists: &Lists, answers: &mut PostLog) -> Counts;
    /// Lets go of the values of an entity and of what hears of it.
    fn forget(&mut self, entity: EntityId);
    /// Takes a listener away: its number and generation. Whether it was there.
    fn silence(&mut self, number: u32, generation: u32) -> bool;
}

impl<T: AttributeValue> Column<T> {
    /// Without values.
    pub fn new(attribute: Attribute<T>, caching: Caching) -> Self {
        Self {
            attribute,
            caching,
            owners: Vec::new(),
            values: Vec::new(),
            newer: Cells::new(),
            has_newer: AtomicBool::new(false),
            best: Vec::new(),
            winners: Vec::new(),
            listeners: Listeners::new(attribute),
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
            && let Some((of, value)) = self.newer.lock(entity.slot()).value
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

    /// Whether another entity owns the slot of one that is older.
    fn has_gone(&self, entity: EntityId) -> bool {
        self.owners.get(entity.slot()).is_some_and(|owner| owner.is_some_and(|owner| owner > entity))
    }

    /// Lets something hear of an entity, or of all.
    pub fn listen(
        &mut self,
        listener: Listener<T>,
        of: Option<EntityId>,
        parameter: u64,
    ) -> Result<ListenerId<T>, AttributeError> {
        match of.filter(|entity| self.has_gone(*entity)) {
            Some(entity) => Err(AttributeError::Dead { entity }),
            None => self.listeners.add(listener, of, parameter),
        }
    }

    /// Lets a listener hear of one more entity.
    pub fn attach(
        &mut self,
        listener: ListenerId<T>,
        entity: EntityId,
        parameter: u64,
    ) -> Result<(), AttributeError> {
        match self.has_gone(entity) {
            true => Err(AttributeError::Dead { entity }),
            false => self.listeners.attach(listener, Some(entity), parameter),
        }
    }

    /// Keeps a value, with the pair locked, and tells listeners. The entity is alive.
    pub fn post_now(&self, entity: EntityId, value: &T, answers: &mut PostLog) -> Counts {
        let mut counts =
            Counts { posts: 1, distributed: 1, bytes: size_of::<T>() as u64, ..Counts::default() };
        let mut cell = self.newer.lock(entity.slot());
        if self.caching == Caching::On {
            cell.value = Some((entity, *value));
            // Read first: many threads would write the same flag.
            if !self.has_newer.load(Ordering::Relaxed) {
                self.has_newer.store(true, Ordering::Release);
            }
        }
        if !self.listeners.hear_of(entity) {
            return counts;
        }
        if cell.is_telling {
            cell.untold.push_back((entity, *value));
            return counts;
        }
        cell.is_telling = true;
        drop(cell);
        counts.notices = self.tell_now(entity, *value, answers);
        counts
    }

    /// Tells listeners of a value, and of those that are posted for the pair meanwhile, in the order of posting. So nobody waits for
    /// listeners, and of one pair they hear one value at a time.
    fn tell_now(&self, entity: EntityId, value: T, answers: &mut PostLog) -> u64 {
        let (mut next, mut notices, mut panicked) = (Some((entity, value)), 0, None);
        while let Some((of, value)) = next {
            // Of others' values listeners hear though one panics.
            match catch_unwind(AssertUnwindSafe(|| self.listeners.tell(of, &value, answers))) {
                Ok(heard) => notices += heard,
                Err(payload) => panicked = panicked.or(Some(payload)),
            }
            let mut cell = self.newer.lock(entity.slot());
            next = cell.untold.pop_front();
            cell.is_telling = next.is_some();
        }
        if let Some(payload) = panicked {
            resume_unwind(payload);
        }
        notices
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

    fn settle(&mut self, entities: &Entities) {
        if !std::mem::take(self.has_newer.get_mut()) {
            return;
        }
        let mut newer = std::mem::replace(&mut self.newer, Cells::new());
        for (_, cell) in newer.iter_mut() {
            // One that another manager destroyed is not alive, either.
            if let Some((entity, value)) = cell.value.take().filter(|(entity, _)| entities.is_alive(*entity))
            {
                self.keep(entity, value);
            }
        }
        self.newer = newer;
    }

    fn merge(&mut self, entities: &Entities, lists: &mut dyn Iterator<Item = &Lists>) -> Counts {
        self.winners.clear();
        let (mut counts, attribute) = (Counts::default(), self.attribute);
        let Self { best, winners, .. } = self;
        for of in lists {
            let removed = of.drain(attribute.index(), attribute.generation(), |post: Post<T>| {
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
        let of = self.attribute;
        let removed = lists.drain(of.index(), of.generation(), |post: Post<T>| {
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
        let slot = entity.slot();
        self.listeners.forget(slot);
        if let Some(owner) = self.owners.get_mut(slot).filter(|owner| **owner == Some(entity)) {
            *owner = None;
        }
        if let Some(cell) = self.newer.get_mut(slot).filter(|cell| cell.value.is_some_and(|v| v.0 == entity))
        {
            cell.value = None;
        }
    }

    fn silence(&mut self, number: u32, generation: u32) -> bool {
        self.listeners.remove(number, generation)
    }
}
