//! The values of one attribute, by entity.

use std::any::Any;

use super::attribute::{Attribute, AttributeValue, Counts, Notice};
use super::log::{Post, PostLog};
use crate::game::{Entities, EntityId};

/// What hears of a winner: the notice, and a log for what it wants to change in the next round.
pub(super) type Listener<T> = Box<dyn FnMut(&Notice<T>, &mut PostLog) + Send>;

/// The values of one attribute.
pub(super) struct Column<T> {
    /// By slot of entities: whose value it is, and the value.
    pub values: Vec<Option<(EntityId, T)>>,
    /// By slot: one more than the place of the best post so far, while logs are merged.
    best: Vec<u32>,
    /// The best posts, in the order of the first post for each entity.
    winners: Vec<Post<T>>,
    pub listeners: Vec<(Option<EntityId>, u64, Listener<T>)>,
}

/// A column of any type.
pub(super) trait AnyColumn: Send {
    /// The column itself.
    fn as_any(&self) -> &dyn Any;
    /// The same, to change.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// Takes what wins of the logs as values.
    fn merge(&mut self, number: (u64, u32), entities: &Entities, logs: &mut [PostLog], counts: &mut Counts);
    /// Tells listeners of what won last; they post into a log.
    fn notify(&mut self, next: &mut PostLog);
}

impl<T: AttributeValue> Column<T> {
    /// Without values.
    pub fn new() -> Self {
        Self { values: Vec::new(), best: Vec::new(), winners: Vec::new(), listeners: Vec::new() }
    }

    /// Sets a value.
    pub fn set(&mut self, entity: EntityId, value: T) {
        if self.values.len() <= entity.slot() {
            self.values.resize(entity.slot() + 1, None);
        }
        self.values[entity.slot()] = Some((entity, value));
    }
}

impl<T: AttributeValue> AnyColumn for Column<T> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn merge(
        &mut self,
        (manager, index): (u64, u32),
        entities: &Entities,
        logs: &mut [PostLog],
        counts: &mut Counts,
    ) {
        self.winners.clear();
        for log in logs {
            let Some(posts) = log.posted(Attribute::<T>::of(manager, index)) else { continue };
            for post in posts.drain(..) {
                counts.posts += 1;
                if !entities.is_alive(post.entity) {
                    counts.to_dead += 1;
                    continue;
                }
                let slot = post.entity.slot();
                if self.best.len() <= slot {
                    self.best.resize(slot + 1, 0);
                }
                let place = self.best[slot] as usize;
                if place == 0 {
                    self.winners.push(post);
                    self.best[slot] = self.winners.len() as u32;
                } else if post.rank() >= self.winners[place - 1].rank() {
                    self.winners[place - 1] = post;
                }
            }
        }
        for k in 0..self.winners.len() {
            let Post { entity, value, .. } = self.winners[k];
            self.best[entity.slot()] = 0;
            self.set(entity, value);
        }
        // In the order of entities, whatever worker posted first.
        self.winners.sort_unstable_by_key(|post| post.entity.slot());
        counts.distributed += self.winners.len() as u64;
        counts.bytes += (self.winners.len() * size_of::<T>()) as u64;
    }

    fn notify(&mut self, next: &mut PostLog) {
        for (of, parameter, listener) in &mut self.listeners {
            let heard = self.winners.iter().filter(|post| of.is_none_or(|of| of == post.entity));
            for Post { entity, value, .. } in heard {
                listener(&Notice { entity: *entity, value: *value, parameter: *parameter }, next);
            }
        }
        self.winners.clear();
    }
}
