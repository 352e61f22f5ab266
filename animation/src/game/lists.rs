//! What a worker notes for later, by the number of what it is for; of each number all notes have one type.

use std::any::Any;
use std::sync::{Mutex, PoisonError};

/// The notes for one number.
struct List {
    /// Which holder of the number they are for.
    generation: u32,
    /// A `Vec` of the notes.
    notes: Box<dyn Any + Send>,
    len: usize,
}

/// Lists of notes. Their memory is kept when they are drained.
///
/// Each list has a lock, so that several workers may drain lists of one log at the same time, each a list of its own; who notes has
/// the log for himself and locks nothing.
#[derive(Default)]
pub(super) struct Lists(Vec<Mutex<Option<List>>>);

impl Lists {
    /// Notes something for a number in its generation. What was noted for another generation is dropped; gives how many these were.
    pub fn push<N: Send + 'static>(&mut self, index: usize, generation: u32, note: N) -> usize {
        if self.0.len() <= index {
            self.0.resize_with(index + 1, Mutex::default);
        }
        let place = self.0[index].get_mut().unwrap_or_else(PoisonError::into_inner);
        let list = place.get_or_insert_with(|| List { generation, notes: Box::new(Vec::<N>::new()), len: 0 });
        let mut dropped = 0;
        if list.generation != generation {
            dropped = list.len;
            *list = List { generation, notes: Box::new(Vec::<N>::new()), len: 0 };
        }
        // Of one generation a number means one type.
        if let Some(notes) = list.notes.downcast_mut::<Vec<N>>() {
            notes.push(note);
            list.len = notes.len();
        }
        dropped
    }

    /// Takes all notes for a number, in their order. Notes for another generation are dropped; gives how many these were.
    pub fn drain<N: 'static>(&self, index: usize, generation: u32, mut each: impl FnMut(N)) -> usize {
        let Some(place) = self.0.get(index) else { return 0 };
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(list) = &mut *place else { return 0 };
        if list.generation == generation {
            list.len = 0;
            if let Some(notes) = list.notes.downcast_mut::<Vec<N>>() {
                notes.drain(..).for_each(&mut each);
                return 0;
            }
        }
        place.take().map_or(0, |list| list.len)
    }

    /// Drops the notes for a number; how many these were.
    pub fn forget(&self, index: usize) -> usize {
        let Some(place) = self.0.get(index) else { return 0 };
        place.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(0, |list| list.len)
    }

    /// The numbers for which something is noted, in ascending order.
    pub fn noted(&mut self) -> impl Iterator<Item = usize> {
        let is_noted = |place: &mut Mutex<Option<List>>| {
            let list = place.get_mut().unwrap_or_else(PoisonError::into_inner);
            list.as_ref().is_some_and(|list| list.len > 0)
        };
        self.0.iter_mut().enumerate().filter_map(move |(k, place)| is_noted(place).then_some(k))
    }
}
