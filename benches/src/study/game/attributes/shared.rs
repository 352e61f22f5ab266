//! What the tasks of tables 8 to 11 share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Instant;

use ::game::attributes::{Attribute, AttributeStateManager, Caching, EntityFactory, Initial, Post, PostLog};
use ::game::{Context, EntityId};
use animation::game::InTurn;

use super::super::Outcome;

/// Entities of all runs.
pub const ENTITIES: usize = 1000;

/// How attributes are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Immediate,
    Serial,
    Parallel,
}

/// A run of the thesis.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub name: &'static str,
    pub way: Way,
    pub attributes: usize,
    pub listeners: usize,
    pub posters: usize,
    pub caching: Caching,
    /// All, posting, propagation \[s\], as the thesis has them.
    pub thesis: &'static str,
    /// Bytes that it distributes.
    pub bytes: u64,
}

/// What tasks share.
pub struct Shared<const BYTES: usize> {
    pub state: RwLock<(AttributeStateManager, EntityFactory)>,
    all: Vec<EntityId>,
    attributes: Vec<Attribute<[u8; BYTES]>>,
    /// By task.
    pub logs: Vec<Mutex<PostLog>>,
    /// All tasks together \[ns\].
    pub posting: AtomicU64,
    pub propagation: AtomicU64,
}

fn ns(began: Instant) -> u64 {
    began.elapsed().as_nanos() as u64
}

impl<const BYTES: usize> Shared<BYTES> {
    /// Entities, attributes, listeners and logs of a case.
    pub fn new(case: &Case) -> Outcome<Self> {
        let (mut manager, mut factory) = (AttributeStateManager::default(), EntityFactory::new());
        let attributes = (0..case.attributes)
            .map(|k| manager.register_with::<[u8; BYTES]>(&format!("attribute {k}"), case.caching))
            .collect::<Result<Vec<_>, _>>()?;
        let all = (0..ENTITIES)
            .map(|_| manager.create(&mut factory, &Initial::new(), 0))
            .collect::<Result<Vec<_>, _>>()?;
        for attribute in &attributes {
            for _ in 0..case.listeners {
                // As the thesis': a map of entities that each notification updates.
                let map: Vec<AtomicU64> = (0..ENTITIES).map(|_| AtomicU64::new(0)).collect();
                manager.listen(*attribute, None, 0, move |notice, _| {
                    // Relaxed: nobody reads it meanwhile.
                    map[notice.entity.slot()].store(u64::from(notice.value[0]), Ordering::Relaxed);
                })?;
            }
        }
        let logs = (0..case.attributes * case.posters).map(|_| Mutex::new(manager.log())).collect();
        let (posting, propagation) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(Self { state: RwLock::new((manager, factory)), all, attributes, logs, posting, propagation })
    }

    /// A poster posts its attribute for all entities.
    pub fn post(&self, task: usize, posters: usize, way: Way, stamp: u64) {
        let began = Instant::now();
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let mut log = self.logs[task].lock().unwrap_or_else(PoisonError::into_inner);
        let (attribute, poster) = (self.attributes[task / posters], (task % posters) as u32);
        let value = [(stamp as u8).wrapping_add(poster as u8); BYTES];
        for &entity in &self.all {
            let done = match way {
                Way::Immediate => state.0.post_now(state.1.entities(), attribute, (entity, &value), &mut log),
                _ => log.post(attribute, Post { entity, value, priority: 0, stamp, poster }),
            };
            done.expect("attributes and entities are there as long as the run lasts");
        }
        self.posting.fetch_add(ns(began), Ordering::Relaxed);
    }

    /// The exchange after all have posted.
    pub fn propagate(&self, way: Way, context: &Context<'_>) {
        let began = Instant::now();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let (manager, factory) = &mut *state;
        let take = |log: &Mutex<PostLog>| {
            std::mem::replace(&mut *log.lock().unwrap_or_else(PoisonError::into_inner), manager.log())
        };
        let mut logs: Vec<PostLog> = self.logs.iter().map(take).collect();
        let done = match way {
            Way::Parallel => manager.propagate(factory, &mut logs, context),
            _ => manager.propagate(factory, &mut logs, &InTurn),
        };
        done.expect("nobody answers");
        for (log, taken) in self.logs.iter().zip(logs) {
            *log.lock().unwrap_or_else(PoisonError::into_inner) = taken;
        }
        if way != Way::Immediate {
            self.propagation.fetch_add(ns(began), Ordering::Relaxed);
        }
    }
}
