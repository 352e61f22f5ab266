//! Models that walk, among the tasks of a step.

use std::sync::{Mutex, PoisonError};

use engine::data::{
    Data, ObjectId, Role, StepParameter, Store, Workspace, read, read_all, update, val, work_in,
};
use engine::graph::{ComponentTag, Recorder};

use super::drive::Drive;
use super::mind::Mind;
use super::obstacle::Obstacle;
use super::walker::{WalkRules, Walker};

/// Models of a task: few enough to share the work, many enough that tasks are worth it.
const BLOCK: usize = 8;

/// Which step the places of a block are of, and what its models decide.
struct Clock {
    /// None before the first step.
    step: Option<u64>,
    /// By model: where a user has it go, if one does.
    drives: Vec<Option<Drive>>,
    /// By model. Nobody waits for the lock: a task has all of it to itself.
    minds: Mutex<Vec<Mind>>,
}

/// Models that are moved by one task.
struct Block {
    /// Where they were before the step; all blocks read it.
    before: Data<Walker>,
    /// Where they are after it.
    now: Data<Walker>,
    clock: Workspace<Clock>,
    object: ObjectId,
}

/// Models that walk in a step: each sees where the others were before it. A step that is repeated begins where it began before.
pub struct WalkPart {
    blocks: Vec<Block>,
    /// What is in the way; the first list is empty, so that there is one.
    obstacles: Vec<Data<Obstacle>>,
    rules: WalkRules,
    n: usize,
}

impl WalkPart {
    /// Of models, with an object and a mind for each.
    ///
    /// # Panics
    /// If there are fewer objects than models.
    pub fn new(
        store: &mut Store,
        objects: &[ObjectId],
        models: Vec<(Walker, Mind)>,
        rules: WalkRules,
    ) -> Self {
        let (walkers, minds): (Vec<Walker>, Vec<Mind>) = models.into_iter().unzip();
        let mut minds = minds.into_iter();
        let block = |(walkers, objects): (&[Walker], &[ObjectId])| {
            let object = objects[0];
            let mut data = |name: &str| store.create(name, object, Role::Scratch, walkers.to_vec());
            let (before, now) = (data("places before"), data("places"));
            let minds = Mutex::new(minds.by_ref().take(walkers.len()).collect());
            let clock = Clock { step: None, drives: vec![None; walkers.len()], minds };
            Block { before, now, clock: store.workspace("walk", object, clock), object }
        };
        let n = walkers.len();
        let blocks = walkers.chunks(BLOCK).zip(objects[..n].chunks(BLOCK)).map(block).collect();
        let none = store.create(
            "obstacles",
            objects.first().copied().unwrap_or(ObjectId(0)),
            Role::Scratch,
            Vec::new(),
        );
        Self { blocks, obstacles: vec![none], rules, n }
    }

    /// Adds so many obstacles, which whoever they belong to writes in each step before the models walk; there is nothing yet.
    pub fn add_obstacles(&mut self, store: &mut Store, object: ObjectId, n: usize) -> Data<Obstacle> {
        let made = store.create("obstacles", object, Role::Scratch, vec![Obstacle::NONE; n]);
        self.obstacles.push(made);
        made
    }

    /// Number of models.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// How they walk.
    pub fn rules(&self) -> &WalkRules {
        &self.rules
    }

    /// Where a model is after its task: among others in a buffer, and which of them.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn place(&self, model: usize) -> (Data<Walker>, usize) {
        (self.blocks[model / BLOCK].now, model % BLOCK)
    }

    /// How a model goes now, between two steps.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn way_of(&self, store: &Store, model: usize) -> Drive {
        let (places, k) = self.place(model);
        Drive::of(&store.read(places)[k], &self.rules)
    }

    /// Has a model go as a user says, from the next step on; none: where its tree decides.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn drive(&self, store: &mut Store, model: usize, drive: Option<Drive>) {
        store.workspace_mut(self.blocks[model / BLOCK].clock).drives[model % BLOCK] = drive;
    }

    /// Where all models were before the step, once it is decided where they want to go: for models of other parts, which see them.
    pub fn before(&self) -> impl Iterator<Item = Data<Walker>> + '_ {
        self.blocks.iter().map(|block| block.before)
    }

    /// Records the tasks that decide where models want to go in a step.
    pub fn emit_decisions(
        &self,
        rec: &mut Recorder<'_>,
        tag: ComponentTag,
        dt: StepParameter<f64>,
        step: StepParameter<u64>,
    ) {
        rec.sweep("decide");
        for block in &self.blocks {
            let accesses = (update(block.before), read(block.now), work_in(block.clock), val(dt), val(step));
            type Given<'a> = (&'a mut [Walker], &'a [Walker], &'a mut Clock, f64, u64);
            let rules = self.rules;
            rec.own(
                "decide",
                tag,
                block.object,
                accesses,
                move |(before, now, clock, dt, step): Given<'_>| {
                    if clock.step.is_some_and(|known| known != step) {
                        before.copy_from_slice(now);
                        clock.step = Some(step);
                        let minds = clock.minds.get_mut().unwrap_or_else(PoisonError::into_inner);
                        for ((walker, mind), drive) in before.iter_mut().zip(minds).zip(&clock.drives) {
                            match drive {
                                Some(drive) => drive.lead(walker, &rules),
                                None => mind.decide(walker, &rules, (step, dt)),
                            }
                        }
                    }
                },
            );
        }
    }

    /// Records the tasks that move the models in a step; they see the models of other parts, too, which have all decided before.
    pub fn emit_walk(
        &self,
        rec: &mut Recorder<'_>,
        tag: ComponentTag,
        dt: StepParameter<f64>,
        others: impl Iterator<Item = Data<Walker>>,
    ) {
        rec.sweep("walk");
        let all: Vec<Data<Walker>> = self.before().chain(others).collect();
        for (k, block) in self.blocks.iter().enumerate() {
            let list = rec.store().list(&all);
            let obstacles = rec.store().list(&self.obstacles);
            let accesses =
                (update(block.now), work_in(block.clock), val(dt), read_all(list), read_all(obstacles));
            let (rules, n_blocks, n_lists) = (self.rules, all.len(), self.obstacles.len());
            rec.own("walk", tag, block.object, accesses, move |(now, clock, dt, all, lists)| {
                // Before the first step all stand where they begin.
                if clock.step.is_none() {
                    return;
                }
                let others = (0..n_blocks).flat_map(|b| all.get(b)).copied();
                let obstacles = (0..n_lists).flat_map(|b| lists.get(b)).copied();
                for (now, before) in now.iter_mut().zip(all.get(k)) {
                    *now = before.after(dt, &rules, others.clone(), obstacles.clone());
                }
            });
        }
    }

    /// All stand where they begin: what comes next is a step, and moves.
    pub fn begin(&self, store: &mut Store) {
        for block in &self.blocks {
            store.workspace_mut(block.clock).step = Some(u64::MAX);
        }
    }
}
