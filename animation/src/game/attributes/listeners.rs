//! Who hears of the values of an attribute.

use super::attribute::{AttributeValue, Notice};
use super::log::PostLog;
use crate::game::EntityId;

/// What hears of a value: the notice, and a log for what it wants to change in answer.
pub(super) type Listener<T> = Box<dyn Fn(&Notice<'_, T>, &mut PostLog) + Send + Sync>;

/// The listeners of one attribute.
pub(super) struct Listeners<T> {
    /// By number; none if it was taken away.
    list: Vec<Option<Listener<T>>>,
    /// Those that hear of all entities: number, and parameter.
    all: Vec<(u32, u64)>,
    /// By slot: those that hear of one entity, in the order of registration.
    of: Vec<Vec<(EntityId, u32, u64)>>,
}

impl<T: AttributeValue> Listeners<T> {
    pub fn new() -> Self {
        Self { list: Vec::new(), all: Vec::new(), of: Vec::new() }
    }

    /// Takes one in, which hears of nothing yet; gives its number.
    pub fn add(&mut self, listener: Listener<T>) -> u32 {
        self.list.push(Some(listener));
        self.list.len() as u32 - 1
    }

    /// Lets one hear of an entity, or of all. Whether there is such a listener.
    pub fn attach(&mut self, number: u32, of: Option<EntityId>, parameter: u64) -> bool {
        if !self.list.get(number as usize).is_some_and(Option::is_some) {
            return false;
        }
        let Some(entity) = of else {
            let at = self.all.partition_point(|(other, _)| *other <= number);
            self.all.insert(at, (number, parameter));
            return true;
        };
        if self.of.len() <= entity.slot() {
            self.of.resize_with(entity.slot() + 1, Vec::new);
        }
        let list = &mut self.of[entity.slot()];
        // Those of the entity that had the slot before hear of nothing any more.
        list.retain(|(of, ..)| *of == entity);
        let at = list.partition_point(|(_, other, _)| *other <= number);
        list.insert(at, (entity, number, parameter));
        true
    }

    /// Takes one away. Whether it was there.
    pub fn remove(&mut self, number: u32) -> bool {
        let there = self.list.get_mut(number as usize).and_then(Option::take).is_some();
        self.all.retain(|(of, _)| *of != number);
        self.of.iter_mut().for_each(|list| list.retain(|(_, of, _)| *of != number));
        there
    }

    /// Takes away what hears of an entity.
    pub fn forget(&mut self, entity: EntityId) {
        if let Some(list) = self.of.get_mut(entity.slot()) {
            list.clear();
        }
    }

    /// Whether nobody listens.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.of.iter().all(Vec::is_empty)
    }

    /// Tells those concerned of a value, in the order of registration; gives how many heard.
    pub fn tell(&self, entity: EntityId, value: &T, answers: &mut PostLog) -> u64 {
        let of = self.of.get(entity.slot()).map_or(&[][..], Vec::as_slice);
        let (mut all, mut of) = (self.all.iter().peekable(), of.iter().peekable());
        let mut heard = 0;
        loop {
            let next_of = of.peek().map(|(_, number, _)| *number);
            let (number, parameter) = match (all.peek(), next_of) {
                (None, None) => return heard,
                (Some((number, _)), Some(other)) if other < *number => of_one(&mut of, entity),
                (None, Some(_)) => of_one(&mut of, entity),
                (Some((number, parameter)), _) => {
                    let one = (Some(*number), *parameter);
                    all.next();
                    one
                }
            };
            let Some(Some(listener)) = number.and_then(|number| self.list.get(number as usize)) else {
                continue;
            };
            listener(&Notice { entity, value, parameter }, answers);
            heard += 1;
        }
    }
}

/// The next of those that hear of one entity; no number if it was another entity in this slot.
fn of_one<'l>(
    list: &mut impl Iterator<Item = &'l (EntityId, u32, u64)>,
    entity: EntityId,
) -> (Option<u32>, u64) {
    list.next().map_or((None, 0), |(of, number, parameter)| ((*of == entity).then_some(*number), *parameter))
}
