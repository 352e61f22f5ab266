//! How posts become values: the exclusive point of a cycle.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::attribute::Counts;
use super::error::AttributeError;
use super::factory::EntityFactory;
use super::initial::Initial;
use super::log::{PostLog, Wish};
use super::manager::{AttributeStateManager, dropped};
use crate::game::lists::Lists;
use crate::game::parallel::{InTurn, ParallelFor};
use crate::game::{Entities, EntityId};

/// Winners whose listeners one turn of a loop tells. It does not depend on the number of workers, so that answers do not, either.
const TOLD: usize = 128;

impl AttributeStateManager {
    /// Merges logs, which are empty afterwards, and tells listeners of the winners; then what these posted in answer, and so on; then
    /// entities come and go as was wished. Posts for entities that are not alive are counted and dropped. Values that were posted at once
    /// since the last propagation are settled before.
    ///
    /// Attributes are merged in the turns of one parallel loop, and listeners told in those of another: of an attribute 128 entities a turn,
    /// in the order of their slots. Values, counts and answers are the same however the turns run.
    ///
    /// # Errors
    /// A log is of another manager: nothing is merged. Or listeners still answer when the rounds are used up: what was merged stays, what
    /// they posted and wished last is dropped.
    pub fn propagate(
        &mut self,
        factory: &mut EntityFactory,
        logs: &mut [PostLog],
        how: &dyn ParallelFor,
    ) -> Result<(), AttributeError> {
        if logs.iter().any(|log| log.manager() != self.number) {
            return Err(AttributeError::Unknown);
        }
        let mut mailboxes = std::mem::take(&mut self.mailboxes);
        // Asked before its posts are taken: then none can come after them.
        let last: Vec<bool> = mailboxes.iter().map(|(mailbox, _)| mailbox.is_last()).collect();
        for (mailbox, log) in &mut mailboxes {
            mailbox.take(log);
        }
        let taken = mailboxes.iter_mut().map(|(_, log)| log);
        for log in logs.iter_mut().chain(taken) {
            self.orders.append(&mut log.orders);
            self.counts += std::mem::take(&mut log.counts);
        }
        for place in &mut self.places {
            place.column.iter_mut().for_each(|column| column.settle(factory.entities()));
        }
        let taken = mailboxes.iter().map(|(_, log)| &log.lists);
        let lists: Vec<&Lists> = logs.iter().map(|log| &log.lists).chain(taken).collect();
        self.merge(factory.entities(), &lists, how);
        let mut last = last.into_iter();
        mailboxes.retain(|_| last.next() != Some(true));
        self.mailboxes = mailboxes;
        self.answer(factory, how)
    }

    /// Creates an entity with initial values and tells of them.
    ///
    /// # Errors
    /// A value is for an attribute of another manager: no entity is created. Or listeners answer without end, as in [`Self::propagate`].
    pub fn create(
        &mut self,
        factory: &mut EntityFactory,
        initial: &Initial,
        tag: u64,
    ) -> Result<EntityId, AttributeError> {
        let all = self.create_all(factory, std::slice::from_ref(initial), tag)?;
        Ok(all[0])
    }

    /// Creates an entity for each of the initial values, and tells of all at once; a list of none is told to nobody.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_all(
        &mut self,
        factory: &mut EntityFactory,
        initials: &[Initial],
        tag: u64,
    ) -> Result<Vec<EntityId>, AttributeError> {
        initials.iter().try_for_each(|initial| initial.check(self.number))?;
        let all = self.begin(factory, initials, tag);
        self.answer_to_lives(factory)?;
        Ok(all)
    }

    fn begin(&mut self, factory: &mut EntityFactory, initials: &[Initial], tag: u64) -> Vec<EntityId> {
        let all = factory.create(initials.len(), tag, &mut self.lives);
        for (entity, initial) in all.iter().zip(initials) {
            initial.post(*entity, &mut self.lives.lists);
        }
        all
    }

    /// Destroys an entity and tells of it.
    ///
    /// # Errors
    /// It is not alive. Or listeners answer without end, as in [`Self::propagate`].
    pub fn destroy(&mut self, factory: &mut EntityFactory, entity: EntityId) -> Result<(), AttributeError> {
        if !self.end(factory, entity) {
            return Err(AttributeError::Dead { entity });
        }
        self.answer_to_lives(factory)
    }

    fn end(&mut self, factory: &mut EntityFactory, entity: EntityId) -> bool {
        let there = factory.destroy(entity, &mut self.lives);
        if there {
            self.places.iter_mut().flat_map(|place| &mut place.column).for_each(|c| c.forget(entity));
        }
        there
    }

    fn answer_to_lives(&mut self, factory: &mut EntityFactory) -> Result<(), AttributeError> {
        self.merge_lives(factory.entities());
        self.answer(factory, &InTurn)
    }

    fn merge_lives(&mut self, entities: &Entities) {
        let mut lives = std::mem::replace(&mut self.lives, PostLog::of(self.number));
        self.orders.append(&mut lives.orders);
        self.merge(entities, &[&lives.lists], &InTurn);
        self.lives = lives;
    }

    /// Tells listeners of what was merged last, and goes on until none answers.
    fn answer(&mut self, factory: &mut EntityFactory, how: &dyn ParallelFor) -> Result<(), AttributeError> {
        for round in 0..=self.rounds {
            self.tell(how);
            let mut answers = std::mem::take(&mut self.answers);
            let logs = answers.iter_mut().map(|log| log.get_mut().unwrap_or_else(PoisonError::into_inner));
            let mut last = None;
            for log in logs {
                self.orders.append(&mut log.orders);
                last = last.max(log.lists.noted().last());
            }
            if last.is_none() && self.orders.is_empty() {
                self.answers = answers;
                return Ok(());
            }
            if round == self.rounds {
                // The answers are dropped with their logs.
                self.orders.clear();
                let what = last.map_or_else(|| "entities".to_owned(), |k| self.what(k));
                return Err(AttributeError::Endless { rounds: self.rounds, what });
            }
            if last.is_some() {
                let logs =
                    answers.iter_mut().map(|log| log.get_mut().unwrap_or_else(PoisonError::into_inner));
                let lists: Vec<&Lists> = logs.map(|log| &log.lists).collect();
                self.merge(factory.entities(), &lists, how);
            } else {
                self.grant(factory);
                self.merge_lives(factory.entities());
            }
            self.answers = answers;
        }
        Ok(())
    }

    /// Lets entities come and go as was wished.
    fn grant(&mut self, factory: &mut EntityFactory) {
        let mut orders = std::mem::take(&mut self.orders);
        orders.sort_by_key(|order| (order.stamp, order.poster));
        for order in orders.drain(..) {
            match order.wish {
                Wish::Create { initials, tag } => drop(self.begin(factory, &initials, tag)),
                Wish::Destroy { entity } => drop(self.end(factory, entity)),
                Wish::Silence { attribute: (index, generation), listener: (number, of) } => {
                    let place = self.places.get_mut(index).filter(|place| place.generation == generation);
                    if let Some(column) = place.and_then(|place| place.column.as_mut()) {
                        column.silence(number, of);
                    }
                }
            }
        }
        // What listeners wished meanwhile is with what they posted.
        self.orders = orders;
    }

    /// Merges lists, attribute by attribute.
    fn merge(&mut self, entities: &Entities, lists: &[&Lists], how: &dyn ParallelFor) {
        let columns: Vec<_> =
            self.places.iter_mut().map(|place| Mutex::new((&mut place.column, Counts::default()))).collect();
        how.for_each(columns.len(), &|k| {
            let mut of = columns[k].lock().unwrap_or_else(PoisonError::into_inner);
            of.1 = match &mut of.0 {
                Some(column) => column.merge(entities, &mut lists.iter().copied()),
                None => dropped(lists.iter().map(|lists| lists.forget(k)).sum()),
            };
        });
        for column in columns {
            self.counts += column.into_inner().unwrap_or_else(PoisonError::into_inner).1;
        }
    }

    /// Tells listeners of the winners.
    fn tell(&mut self, how: &dyn ParallelFor) {
        let mut turns: Vec<(usize, Range<usize>)> = Vec::new();
        for (k, place) in self.places.iter().enumerate() {
            let winners = place.column.as_ref().map_or(0, |column| column.to_tell());
            let stretches = (0..winners).step_by(TOLD);
            turns.extend(stretches.map(|first| (k, first..winners.min(first + TOLD))));
        }
        let manager = self.number;
        if self.answers.len() < turns.len() {
            self.answers.resize_with(turns.len(), || Mutex::new(PostLog::of(manager)));
        }
        let Self { places, answers, .. } = self;
        how.for_each(turns.len(), &|turn| {
            let (k, winners) = &turns[turn];
            let mut answers = answers[turn].lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(column) = &places[*k].column {
                let notices = column.tell(winners.clone(), &mut answers);
                answers.counts.notices += notices;
            }
        });
        for log in &mut self.answers[..turns.len()] {
            let log = log.get_mut().unwrap_or_else(PoisonError::into_inner);
            self.counts += std::mem::take(&mut log.counts);
        }
    }
}
