//! The listeners of one kind of events.

use std::any::Any;

use super::EventLog;
use crate::game::lists::Lists;

/// An event on its way.
pub(super) struct Raised<E> {
    pub event: E,
    pub stamp: u64,
    pub poster: u32,
}

type Listener<E> = Box<dyn Fn(&E, u64, &mut EventLog) + Send + Sync>;

/// The listeners of one kind of events.
pub(super) struct Kind<E> {
    listeners: Vec<(u64, Listener<E>)>,
}

impl<E> Default for Kind<E> {
    fn default() -> Self {
        Self { listeners: Vec::new() }
    }
}

impl<E> Kind<E> {
    pub fn listen(&mut self, parameter: u64, listener: Listener<E>) {
        self.listeners.push((parameter, listener));
    }

    /// Tells listeners of an event, in the order of registration.
    pub fn tell(&self, event: &E, answers: &mut EventLog) {
        self.listeners.iter().for_each(|(parameter, listener)| listener(event, *parameter, answers));
    }
}

/// A kind of any type.
pub(super) trait AnyKind: Send + Sync {
    /// The kind itself.
    fn as_any(&self) -> &dyn Any;
    /// The same, to change.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// Tells listeners of all events of this kind in lists; how many these were.
    fn deliver(&self, index: usize, lists: &[&Lists], answers: &mut EventLog) -> u64;
}

impl<E: Send + 'static> AnyKind for Kind<E> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn deliver(&self, index: usize, lists: &[&Lists], answers: &mut EventLog) -> u64 {
        let mut all: Vec<Raised<E>> = Vec::new();
        for of in lists {
            of.drain(index, 0, |raised| all.push(raised));
        }
        all.sort_by_key(|raised| (raised.stamp, raised.poster));
        all.iter().for_each(|raised| self.tell(&raised.event, answers));
        all.len() as u64
    }
}
