//! The attributes of all entities, and how posts become values.

use std::sync::atomic::{AtomicU64, Ordering};

use super::MOST_BYTES;
use super::attribute::{Attribute, AttributeError, AttributeValue, Counts, Notice};
use super::column::{AnyColumn, Column};
use super::log::PostLog;
use crate::game::{Entities, EntityId};

/// Attributes of entities. See the module's page.
pub struct AttributeStateManager {
    /// Its number, which its attributes and logs have.
    number: u64,
    names: Vec<String>,
    columns: Vec<Box<dyn AnyColumn>>,
    counts: Counts,
    /// Rounds of listeners in one propagation.
    rounds: u32,
    next: PostLog,
}

impl Default for AttributeStateManager {
    fn default() -> Self {
        Self::new(16)
    }
}

impl AttributeStateManager {
    /// Without attributes; in a propagation listeners may answer each other so many rounds.
    pub fn new(rounds: u32) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        // Relaxed: numbers must differ, and nothing else.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (counts, next) = (Counts::default(), PostLog::of(number));
        Self { number, names: Vec::new(), columns: Vec::new(), counts, rounds, next }
    }

    /// An empty log for a worker.
    pub fn log(&self) -> PostLog {
        PostLog::of(self.number)
    }

    /// The attribute of a name, which is registered if it is new.
    ///
    /// # Errors
    /// The name is taken by another type, or the type is too large.
    pub fn register<T: AttributeValue>(&mut self, name: &str) -> Result<Attribute<T>, AttributeError> {
        if let Some(k) = self.names.iter().position(|n| n == name) {
            return match self.columns[k].as_any().is::<Column<T>>() {
                true => Ok(Attribute::of(self.number, k as u32)),
                false => Err(AttributeError::Type { name: name.to_owned() }),
            };
        }
        if size_of::<T>() > MOST_BYTES {
            return Err(AttributeError::TooLarge { name: name.to_owned(), bytes: size_of::<T>() });
        }
        self.names.push(name.to_owned());
        self.columns.push(Box::new(Column::<T>::new()));
        Ok(Attribute::of(self.number, self.names.len() as u32 - 1))
    }

    fn column<T: AttributeValue>(
        &mut self,
        attribute: Attribute<T>,
    ) -> Result<&mut Column<T>, AttributeError> {
        if attribute.manager() != self.number {
            return Err(AttributeError::Unknown);
        }
        let column = self.columns.get_mut(attribute.index());
        column.and_then(|c| c.as_any_mut().downcast_mut()).ok_or(AttributeError::Unknown)
    }

    /// The present value of an entity's attribute; none if it has none, or belonged to an entity before it.
    pub fn value<T: AttributeValue>(&self, attribute: Attribute<T>, entity: EntityId) -> Option<T> {
        let column = self.columns.get(attribute.index()).filter(|_| attribute.manager() == self.number)?;
        let column = column.as_any().downcast_ref::<Column<T>>()?;
        column.values.get(entity.slot()).copied().flatten().filter(|(of, _)| *of == entity).map(|(_, v)| v)
    }

    /// Sets a value at once, without listeners.
    ///
    /// # Errors
    /// The entity is not alive, or the handle is of another manager.
    pub fn set<T: AttributeValue>(
        &mut self,
        entities: &Entities,
        attribute: Attribute<T>,
        entity: EntityId,
        value: T,
    ) -> Result<(), AttributeError> {
        if !entities.is_alive(entity) {
            return Err(AttributeError::Dead { entity });
        }
        self.column(attribute)?.set(entity, value);
        self.counts.posts += 1;
        self.counts.distributed += 1;
        self.counts.bytes += size_of::<T>() as u64;
        Ok(())
    }

    /// Lets something hear of an attribute, of one entity or of all, with a parameter of its own. It hears in the order of registration, of
    /// one entity after the other. What it posts is merged in the next round of the same propagation.
    ///
    /// # Errors
    /// The handle is of another manager.
    pub fn listen<T: AttributeValue>(
        &mut self,
        attribute: Attribute<T>,
        of: Option<EntityId>,
        parameter: u64,
        listener: impl FnMut(&Notice<T>, &mut PostLog) + Send + 'static,
    ) -> Result<(), AttributeError> {
        self.column(attribute)?.listeners.push((of, parameter, Box::new(listener)));
        Ok(())
    }

    /// Merges logs, which are empty afterwards, and tells listeners, attribute by attribute in the order of registration; then what listeners
    /// posted, and so on. Posts for entities that are not alive are counted and dropped.
    ///
    /// # Errors
    /// A log is of another manager: nothing is merged. Or listeners still post when the rounds are used up: what was merged stays, what they posted last is dropped.
    pub fn propagate(&mut self, entities: &Entities, logs: &mut [PostLog]) -> Result<(), AttributeError> {
        if logs.iter().any(|log| log.manager() != self.number) {
            return Err(AttributeError::Unknown);
        }
        self.merge(entities, logs);
        for _ in 0..self.rounds {
            let mut next = std::mem::replace(&mut self.next, PostLog::of(self.number));
            self.columns.iter_mut().for_each(|column| column.notify(&mut next));
            let before = self.counts.posts;
            self.merge(entities, std::slice::from_mut(&mut next));
            self.next = next;
            if self.counts.posts == before {
                return Ok(());
            }
        }
        // Of what was posted last listeners do not hear; only if one would answer, something is lost.
        let mut next = std::mem::replace(&mut self.next, PostLog::of(self.number));
        let mut last = None;
        for (k, column) in self.columns.iter_mut().enumerate() {
            column.notify(&mut next);
            let mut found = Counts::default();
            column.merge(
                (self.number, k as u32),
                &Entities::new(),
                std::slice::from_mut(&mut next),
                &mut found,
            );
            last = if found.posts > 0 { Some(k) } else { last };
        }
        match last {
            Some(k) => Err(AttributeError::Endless { rounds: self.rounds, name: self.names[k].clone() }),
            None => Ok(()),
        }
    }

    fn merge(&mut self, entities: &Entities, logs: &mut [PostLog]) {
        for (k, column) in (0..).zip(&mut self.columns) {
            column.merge((self.number, k), entities, logs, &mut self.counts);
        }
    }

    /// What was posted and distributed since the beginning.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}
