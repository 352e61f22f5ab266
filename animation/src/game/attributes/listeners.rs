//! Who hears of the values of an attribute.

use super::attribute::{Attribute, AttributeValue, ListenerId, Notice};
use super::error::AttributeError;
use super::log::PostLog;
use crate::game::EntityId;

/// What hears of a value: the notice, and a log for what it wants to change in answer.
pub(super) type Listener<T> = Box<dyn Fn(&Notice<'_, T>, &mut PostLog) + Send + Sync>;

/// A place for a listener.
struct Place<T> {
    /// How many listeners had the place before.
    generation: u32,
    /// None while the place is free.
    listener: Option<Listener<T>>,
    /// How many listeners were registered before it.
    order: u64,
    /// How often it is attached.
    attached: usize,
}

/// That a listener hears of something.
#[derive(Clone, Copy)]
struct Attached {
    /// The order of its listener among all: places are used again.
    order: u64,
    number: u32,
    parameter: u64,
}

/// The listeners of one attribute.
pub(super) struct Listeners<T> {
    attribute: Attribute<T>,
    /// By number.
    places: Vec<Place<T>>,
    free: Vec<u32>,
    /// Listeners so far.
    registered: u64,
    /// Those that hear of all entities.
    all: Vec<Attached>,
    /// By slot: those that hear of one entity, in the order of registration.
    of: Vec<Vec<(EntityId, Attached)>>,
    /// How many there are in `all` and `of`.
    attached: usize,
}

impl<T: AttributeValue> Listeners<T> {
    /// Of an attribute.
    pub fn new(attribute: Attribute<T>) -> Self {
        let (places, free, all, of) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { attribute, places, free, registered: 0, all, of, attached: 0 }
    }

    /// Takes one in that hears of an entity, or of all.
    ///
    /// # Errors
    /// The entity has gone: a later one in its slot has listeners.
    pub fn add(
        &mut self,
        listener: Listener<T>,
        of: Option<EntityId>,
        parameter: u64,
    ) -> Result<ListenerId<T>, AttributeError> {
        if let Some(entity) = of.filter(|entity| self.knows_later(*entity)) {
            return Err(AttributeError::Dead { entity });
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place { generation: 0, listener: None, order: 0, attached: 0 });
            self.places.len() as u32 - 1
        });
        let place = &mut self.places[number as usize];
        (place.listener, place.order) = (Some(listener), self.registered);
        self.registered += 1;
        let id = ListenerId { attribute: self.attribute, number, generation: place.generation };
        self.attach(id, of, parameter)?;
        Ok(id)
    }

    fn is_there(&self, id: ListenerId<T>) -> bool {
        let place = self.places.get(id.number as usize);
        place.is_some_and(|place| place.generation == id.generation && place.listener.is_some())
    }

    /// Whether something hears of an entity that had the slot of another one after it.
    fn knows_later(&self, entity: EntityId) -> bool {
        let list = self.of.get(entity.slot()).map_or(&[][..], Vec::as_slice);
        list.iter().any(|(of, _)| *of > entity)
    }

    /// Lets one hear of an entity, or of all.
    ///
    /// # Errors
    /// There is no such listener; or the entity has gone.
    pub fn attach(
        &mut self,
        id: ListenerId<T>,
        of: Option<EntityId>,
        parameter: u64,
    ) -> Result<(), AttributeError> {
        if !self.is_there(id) {
            return Err(AttributeError::Unknown);
        }
        if let Some(entity) = of.filter(|entity| self.knows_later(*entity)) {
            return Err(AttributeError::Dead { entity });
        }
        let place = &mut self.places[id.number as usize];
        place.attached += 1;
        self.attached += 1;
        let one = Attached { order: place.order, number: id.number, parameter };
        let Some(entity) = of else {
            let at = self.all.partition_point(|other| other.order <= one.order);
            self.all.insert(at, one);
            return Ok(());
        };
        if self.of.len() <= entity.slot() {
            self.of.resize_with(entity.slot() + 1, Vec::new);
        }
        // Those of the entity that had the slot before hear of nothing any more.
        if self.of[entity.slot()].first().is_some_and(|(of, _)| *of != entity) {
            self.forget(entity.slot());
        }
        let list = &mut self.of[entity.slot()];
        let at = list.partition_point(|(_, other)| other.order <= one.order);
        list.insert(at, (entity, one));
        Ok(())
    }

    /// Takes one away. Whether it was there.
    pub fn remove(&mut self, number: u32, generation: u32) -> bool {
        if !self.is_there(ListenerId { attribute: self.attribute, number, generation }) {
            return false;
        }
        let left = self.places[number as usize].attached;
        self.attached -= left;
        let before = self.all.len();
        self.all.retain(|one| one.number != number);
        let mut left = left - (before - self.all.len());
        for list in &mut self.of {
            if left == 0 {
                break;
            }
            let before = list.len();
            list.retain(|(_, one)| one.number != number);
            left -= before - list.len();
        }
        self.free_place(number);
        true
    }

    fn free_place(&mut self, number: u32) {
        let place = &mut self.places[number as usize];
        (place.listener, place.attached) = (None, 0);
        // A place whose generations are used up stays empty.
        if place.generation < u32::MAX {
            place.generation += 1;
            self.free.push(number);
        }
    }

    /// Takes away what hears of the entity in a slot, and listeners that hear of nothing else.
    pub fn forget(&mut self, slot: usize) {
        let Some(list) = self.of.get_mut(slot).filter(|list| !list.is_empty()) else { return };
        let mut gone = std::mem::take(list);
        self.attached -= gone.len();
        for (_, one) in gone.drain(..) {
            let place = &mut self.places[one.number as usize];
            place.attached -= 1;
            if place.attached == 0 {
                self.free_place(one.number);
            }
        }
        // The memory serves again.
        self.of[slot] = gone;
    }

    /// Whether nobody listens.
    pub fn is_empty(&self) -> bool {
        self.attached == 0
    }

    /// Whether somebody hears of an entity.
    pub fn hear_of(&self, entity: EntityId) -> bool {
        !self.all.is_empty() || self.of.get(entity.slot()).is_some_and(|list| !list.is_empty())
    }

    /// Tells those concerned of a value, in the order of registration; gives how many heard.
    pub fn tell(&self, entity: EntityId, value: &T, answers: &mut PostLog) -> u64 {
        let of = self.of.get(entity.slot()).map_or(&[][..], Vec::as_slice);
        let of = of.iter().filter(|(of, _)| *of == entity).map(|(_, one)| one);
        let (mut all, mut of) = (self.all.iter().peekable(), of.peekable());
        let mut heard = 0;
        loop {
            let of_is_next = match (all.peek(), of.peek()) {
                (None, None) => return heard,
                (Some(one), Some(other)) => other.order < one.order,
                (all, _) => all.is_none(),
            };
            let next = if of_is_next { of.next() } else { all.next() };
            let Some(one) = next else { return heard };
            let place = &self.places[one.number as usize];
            if let Some(listener) = &place.listener {
                let id = ListenerId {
                    attribute: self.attribute,
                    number: one.number,
                    generation: place.generation,
                };
                listener(&Notice { entity, value, parameter: one.parameter, listener: id }, answers);
                heard += 1;
            }
        }
    }
}
