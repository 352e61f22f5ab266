//! Events: what happens to nobody's attribute, and who hears of it.
//!
//! An [`EventKind`] is registered by name and type. A task raises an event at once ([`EventManager::raise_now`]): listeners hear of it on
//! the task's own thread before the call returns. Or it notes the event in an [`EventLog`] of its own, and listeners hear of it when the
//! logs are [delivered](EventManager::deliver) where nothing else runs: kind by kind in the order of registration, of a kind in the order
//! of logical stamps, then of posters, then of a log. What listeners raise in answer follows in the next round.
//!
//! **Source:** Zettersten 2010, section 2.4.2 (the host framework's events) and 3.1.6.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use self::kind::{AnyKind, Kind, Raised};
use super::lists::Lists;

mod kind;

/// The handle of a kind of events, with their type.
#[derive(Debug)]
pub struct EventKind<E> {
    manager: u64,
    index: u32,
    events: PhantomData<fn() -> E>,
}

// By hand: a handle is copied whatever its events are.
impl<E> Clone for EventKind<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for EventKind<E> {}

/// What is wrong with an event.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EventError {
    /// The name is registered with events of another type.
    #[error("events `{name}` are registered with another type")]
    Type {
        /// The name.
        name: String,
    },
    /// A kind or a log is of another manager.
    #[error("the kind of events or the log belongs to another manager")]
    Unknown,
    /// Listeners answer each other without end.
    #[error("after {rounds} rounds listeners still raise `{name}`")]
    Endless {
        /// The rounds that were allowed.
        rounds: u32,
        /// The kind that was raised last.
        name: String,
    },
}

/// What a task raises events with. Its memory is kept from cycle to cycle.
pub struct EventLog {
    manager: u64,
    lists: Lists,
}

impl EventLog {
    /// Notes an event for the next delivery: with a logical stamp, and who raises it.
    ///
    /// # Errors
    /// The kind is of another manager than the log.
    pub fn raise<E: Send + 'static>(
        &mut self,
        kind: EventKind<E>,
        event: E,
        (stamp, poster): (u64, u32),
    ) -> Result<(), EventError> {
        if kind.manager != self.manager {
            return Err(EventError::Unknown);
        }
        self.lists.push(kind.index as usize, 0, Raised { event, stamp, poster });
        Ok(())
    }
}

/// Kinds of events and who hears of them. See the module's page.
///
/// ```
/// use weft_animation::game::events::EventManager;
///
/// let mut manager = EventManager::default();
/// let (shot, echo) = (manager.register::<u32>("shot")?, manager.register::<u32>("echo")?);
/// manager.listen(shot, 0, move |n, _, log| log.raise(echo, *n, (0, 0)).expect("ours"))?;
/// manager.listen(echo, 7, |n, parameter, _| println!("{n} of {parameter}"))?;
/// let mut log = manager.log();
/// log.raise(shot, 1, (0, 0))?;
/// assert_eq!(manager.deliver(&mut [log]), Ok(2)); // the answer counts
/// # Ok::<(), weft_animation::game::events::EventError>(())
/// ```
pub struct EventManager {
    number: u64,
    names: Vec<String>,
    kinds: Vec<Box<dyn AnyKind>>,
    rounds: u32,
    delivered: u64,
}

impl Default for EventManager {
    fn default() -> Self {
        Self::new(16)
    }
}

impl EventManager {
    /// Without kinds; after one delivery or one event listeners may answer each other so many rounds.
    pub fn new(rounds: u32) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        // Relaxed: numbers must differ, and nothing else.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Self { number, names: Vec::new(), kinds: Vec::new(), rounds, delivered: 0 }
    }

    /// An empty log for a task.
    pub fn log(&self) -> EventLog {
        EventLog { manager: self.number, lists: Lists::default() }
    }

    /// The kind of a name, which is registered if it is new.
    ///
    /// # Errors
    /// The name is taken by another type.
    pub fn register<E: Send + 'static>(&mut self, name: &str) -> Result<EventKind<E>, EventError> {
        let index = self.names.iter().position(|n| n == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.kinds.push(Box::new(Kind::<E>::default()));
            self.names.len() - 1
        });
        match self.kinds[index].as_any().is::<Kind<E>>() {
            true => Ok(EventKind { manager: self.number, index: index as u32, events: PhantomData }),
            false => Err(EventError::Type { name: name.to_owned() }),
        }
    }

    /// Lets something hear of events, with a parameter of its own, after those that registered before it.
    ///
    /// # Errors
    /// The kind is of another manager.
    pub fn listen<E: Send + 'static>(
        &mut self,
        kind: EventKind<E>,
        parameter: u64,
        listener: impl Fn(&E, u64, &mut EventLog) + Send + Sync + 'static,
    ) -> Result<(), EventError> {
        if kind.manager != self.number {
            return Err(EventError::Unknown);
        }
        let of = self.kinds[kind.index as usize].as_any_mut().downcast_mut::<Kind<E>>();
        of.ok_or(EventError::Unknown)?.listen(parameter, Box::new(listener));
        Ok(())
    }

    /// Tells listeners of an event at once, and of what they raise in answer, round by round. Gives the number of events.
    ///
    /// # Errors
    /// The kind is of another manager; or listeners answer without end: what they raised last is dropped.
    pub fn raise_now<E: Send + 'static>(&self, kind: EventKind<E>, event: &E) -> Result<u64, EventError> {
        if kind.manager != self.number {
            return Err(EventError::Unknown);
        }
        let mut answers = self.log();
        let of = self.kinds[kind.index as usize].as_any().downcast_ref::<Kind<E>>();
        of.ok_or(EventError::Unknown)?.tell(event, &mut answers);
        Ok(1 + self.rounds(&mut answers)?)
    }

    /// Tells listeners of all events in logs, which are empty afterwards. Gives the number of events, answers counted.
    ///
    /// # Errors
    /// A log is of another manager: nothing is delivered. Or listeners answer without end: what they raised last is dropped.
    pub fn deliver(&mut self, logs: &mut [EventLog]) -> Result<u64, EventError> {
        if logs.iter().any(|log| log.manager != self.number) {
            return Err(EventError::Unknown);
        }
        let mut answers = self.log();
        let lists: Vec<&Lists> = logs.iter().map(|log| &log.lists).collect();
        let first: u64 = (0..).zip(&self.kinds).map(|(k, kind)| kind.deliver(k, &lists, &mut answers)).sum();
        self.delivered += first;
        let answered = self.rounds(&mut answers);
        self.delivered += answered.as_ref().copied().unwrap_or(0);
        Ok(first + answered?)
    }

    /// Delivers answers until there are none.
    fn rounds(&self, answers: &mut EventLog) -> Result<u64, EventError> {
        let mut all = 0;
        for round in 0..=self.rounds {
            let Some(last) = answers.lists.noted().last() else { break };
            if round == self.rounds {
                return Err(EventError::Endless { rounds: self.rounds, name: self.names[last].clone() });
            }
            let now = std::mem::replace(answers, self.log());
            let kinds = (0..).zip(&self.kinds);
            all += kinds.map(|(k, kind)| kind.deliver(k, &[&now.lists], answers)).sum::<u64>();
        }
        Ok(all)
    }

    /// Events that were delivered from logs since the beginning, with their answers.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }
}

#[cfg(test)]
mod tests;
