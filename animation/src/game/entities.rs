//! Entities: things of a game that have attributes.

/// The handle of an entity. It is that of no other one, even after the entity is destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId {
    slot: u32,
    generation: u32,
}

impl EntityId {
    /// Its place in columns of values.
    pub fn slot(self) -> usize {
        self.slot as usize
    }
}

/// The entities that are alive.
///
/// ```
/// let mut entities = weft_animation::game::Entities::new();
/// let one = entities.create();
/// assert!(entities.destroy(one));
/// let next = entities.create();
/// assert!(next.slot() == one.slot() && next != one && !entities.is_alive(one));
/// ```
///
/// **Source:** Zettersten 2010, section 3.2 (the entity factory).
#[derive(Clone, Debug, Default)]
pub struct Entities {
    /// By slot: the generation, and whether one is alive there.
    slots: Vec<(u32, bool)>,
    free: Vec<u32>,
}

impl Entities {
    /// No entities.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an entity.
    pub fn create(&mut self) -> EntityId {
        if let Some(slot) = self.free.pop() {
            let (generation, alive) = &mut self.slots[slot as usize];
            *alive = true;
            return EntityId { slot, generation: *generation };
        }
        self.slots.push((0, true));
        EntityId { slot: self.slots.len() as u32 - 1, generation: 0 }
    }

    /// Destroys an entity; whether it was alive.
    pub fn destroy(&mut self, id: EntityId) -> bool {
        if !self.is_alive(id) {
            return false;
        }
        let (generation, alive) = &mut self.slots[id.slot()];
        *alive = false;
        // A slot whose generations are used up stays empty.
        if *generation < u32::MAX {
            *generation += 1;
            self.free.push(id.slot);
        }
        true
    }

    /// Whether an entity is alive.
    pub fn is_alive(&self, id: EntityId) -> bool {
        self.slots.get(id.slot()) == Some(&(id.generation, true))
    }

    /// Number of entities that are alive.
    pub fn len(&self) -> usize {
        self.slots.iter().filter(|(_, alive)| *alive).count()
    }

    /// Whether none is alive.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those that are alive, in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = EntityId> {
        let of = |(slot, (generation, alive)): (u32, &(u32, bool))| {
            alive.then_some(EntityId { slot, generation: *generation })
        };
        (0..).zip(&self.slots).filter_map(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_never_that_of_another_entity() {
        let mut entities = Entities::new();
        let (a, b) = (entities.create(), entities.create());
        assert!(entities.destroy(a) && !entities.destroy(a));
        let c = entities.create();
        assert_eq!(c.slot(), a.slot());
        assert!(c != a && !entities.is_alive(a) && entities.is_alive(c));
        assert_eq!(entities.iter().collect::<Vec<_>>(), [c, b]);
        assert_eq!(entities.len(), 2);
    }
}
