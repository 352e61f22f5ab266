//! Where entities come from, and who hears of it.

use super::log::PostLog;
use crate::game::{Entities, EntityId};

/// What happened to entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// They came into being. Their initial values follow.
    Created,
    /// They are gone.
    Destroyed,
}

/// What is told of entities that came together, or of one that went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifeNotice<'n> {
    /// The entities, at least one: of a list that was created together, all in its order.
    pub entities: &'n [EntityId],
    /// What happened to them.
    pub life: Life,
    /// What they were created with, to tell sorts of entities apart.
    pub tag: u64,
}

type Listener = Box<dyn Fn(&LifeNotice<'_>, &mut PostLog) + Send + Sync>;

/// The entities that are alive, and who hears when they come and go.
///
/// Entities come and go where nothing else runs: at once by [`AttributeStateManager::create`](super::AttributeStateManager::create), or
/// at the end of a propagation where tasks wished it ([`PostLog::create`]). What comes together, as a scene does, is one notice
/// ([`AttributeStateManager::create_all`](super::AttributeStateManager::create_all), [`PostLog::create_all`]).
///
/// ```
/// use weft_animation::game::InTurn;
/// use weft_animation::game::attributes::{AttributeStateManager, EntityFactory, Initial, Life};
///
/// let (mut manager, mut factory) = (AttributeStateManager::default(), EntityFactory::new());
/// factory.listen(|notice, _| println!("{:?} of sort {}: {:?}", notice.entities, notice.tag, notice.life));
/// let tree = manager.create(&mut factory, &Initial::new(), 3)?;
/// // A task wishes that it goes, with a stamp and who wishes it.
/// let mut logs = [manager.log()];
/// logs[0].destroy(tree, (0, 0));
/// assert_eq!((factory.entities().is_alive(tree), factory.tag(tree)), (true, Some(3)));
/// manager.propagate(&mut factory, &mut logs, &InTurn)?;
/// assert!(factory.entities().is_empty());
/// # Ok::<(), weft_animation::game::attributes::AttributeError>(())
/// ```
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
    pub fn listen(&mut self, listener: impl Fn(&LifeNotice<'_>, &mut PostLog) + Send + Sync + 'static) {
        self.listeners.push(Box::new(listener));
    }

    /// Creates so many entities and tells of all at once.
    pub(super) fn create(&mut self, n: usize, tag: u64, answers: &mut PostLog) -> Vec<EntityId> {
        let all: Vec<_> = (0..n).map(|_| self.entities.create()).collect();
        for entity in &all {
            if self.tags.len() <= entity.slot() {
                self.tags.resize(entity.slot() + 1, 0);
            }
            self.tags[entity.slot()] = tag;
        }
        if n > 0 {
            self.tell(LifeNotice { entities: &all, life: Life::Created, tag }, answers);
        }
        all
    }

    /// Destroys an entity and tells of it; whether it was alive.
    pub(super) fn destroy(&mut self, entity: EntityId, answers: &mut PostLog) -> bool {
        let there = self.entities.destroy(entity);
        if there {
            let tag = self.tags[entity.slot()];
            self.tell(LifeNotice { entities: &[entity], life: Life::Destroyed, tag }, answers);
        }
        there
    }

    fn tell(&self, notice: LifeNotice<'_>, answers: &mut PostLog) {
        self.listeners.iter().for_each(|listener| listener(&notice, answers));
    }
}
