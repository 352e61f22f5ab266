//! Where entities come from, and who hears of it.

use super::log::PostLog;
use crate::game::{Entities, EntityId};

/// What happened to an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It came into being. Its initial values follow.
    Created,
    /// It is gone.
    Destroyed,
}

/// What is told of an entity that came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifeNotice {
    /// The entity.
    pub entity: EntityId,
    /// What happened to it.
    pub life: Life,
    /// What it was created with, to tell sorts of entities apart.
    pub tag: u64,
}

type Listener = Box<dyn Fn(&LifeNotice, &mut PostLog) + Send + Sync>;

/// The entities that are alive, and who hears when they come and go.
///
/// Entities come and go where nothing else runs: at once by [`AttributeStateManager::create`](super::AttributeStateManager::create), or
/// at the end of a propagation where tasks wished it ([`PostLog::create`]).
///
/// **Source:** Zettersten 2010, section 3.1.6.1.
#[derive(Default)]
pub struct EntityFactory {
    entities: Entities,
    /// By slot: what the entity was created with.
    tags: Vec<u64>,
    listeners: Vec<Listener>,
}

impl EntityFactory {
    /// Without entities.
    pub fn new() -> Self {
        Self::default()
    }

    /// The entities that are alive.
    pub fn entities(&self) -> &Entities {
        &self.entities
    }

    /// What an entity was created with; none if it is not alive.
    pub fn tag(&self, entity: EntityId) -> Option<u64> {
        self.entities.is_alive(entity).then(|| self.tags[entity.slot()])
    }

    /// Lets something hear when entities come and go, after those that registered before it. It may post in answer.
    pub fn listen(&mut self, listener: impl Fn(&LifeNotice, &mut PostLog) + Send + Sync + 'static) {
        self.listeners.push(Box::new(listener));
    }

    /// Creates an entity and tells of it.
    pub(super) fn create(&mut self, tag: u64, answers: &mut PostLog) -> EntityId {
        let entity = self.entities.create();
        if self.tags.len() <= entity.slot() {
            self.tags.resize(entity.slot() + 1, 0);
        }
        self.tags[entity.slot()] = tag;
        self.tell(LifeNotice { entity, life: Life::Created, tag }, answers);
        entity
    }

    /// Destroys an entity and tells of it; whether it was alive.
    pub(super) fn destroy(&mut self, entity: EntityId, answers: &mut PostLog) -> bool {
        let there = self.entities.destroy(entity);
        if there {
            let tag = self.tags[entity.slot()];
            self.tell(LifeNotice { entity, life: Life::Destroyed, tag }, answers);
        }
        there
    }

    fn tell(&self, notice: LifeNotice, answers: &mut PostLog) {
        self.listeners.iter().for_each(|listener| listener(&notice, answers));
    }
}
