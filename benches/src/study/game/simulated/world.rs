//! The game of table 12.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use ::game::attributes::{
    Attribute, AttributeError, AttributeStateManager, EntityFactory, Initial, Post, PostLog,
};
use ::game::tree::{Parallel, Repeat, Sequence};
use ::game::{Context, Group, Options, Outcome as Ended, Supply, TaskInfo, WhenAlone};
use animation::game::InTurn;

use super::super::Outcome;
use super::super::runs::spin;

pub const ENTITIES: u64 = 1000;
/// Systems that go over all entities, with what they take; two of them post.
const PHYSICS: Duration = Duration::from_millis(8);
/// Thinking is in parts, each for some of the entities.
pub const THINKING: (usize, Duration) = (4, Duration::from_millis(2));
const DRAWING: Duration = Duration::from_millis(5);
/// Tasks of game logic, each of which reads, and now and then creates and destroys.
const LOGIC: (usize, Duration) = (8, Duration::from_micros(500));
/// A task of a tree that some cycles submit.
const REACTION: Duration = Duration::from_millis(1);
/// What lasts longer than a cycle.
const LOADING: Duration = Duration::from_millis(12);
/// The group of what is not safe on any thread.
pub const MIDDLEWARE: Group = Group::Named(1);

/// What a system's task takes for its posts, and what an exchange takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct PostCosts {
    pub physics: Duration,
    /// A part of thinking.
    pub thinking: Duration,
    pub exchange: Duration,
}

/// Whether posts are made at once, and whether tasks keep a core busy.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub immediate: bool,
    pub real: bool,
}

type Run = Box<dyn FnMut(&Context<'_>) + Send>;

/// What the tasks of the game share.
pub struct World {
    state: RwLock<(AttributeStateManager, EntityFactory)>,
    attributes: [Attribute<[f32; 4]>; 2],
    logs: Vec<Mutex<PostLog>>,
    way: Way,
    /// What went wrong first.
    pub wrong: Mutex<Option<AttributeError>>,
}

impl World {
    pub fn new(way: Way) -> Outcome<Self> {
        let (mut manager, mut factory) = (AttributeStateManager::default(), EntityFactory::new());
        let attributes = [manager.register("position")?, manager.register("mood")?];
        let initial = Initial::new().with(attributes[0], [0.0; 4]).with(attributes[1], [1.0; 4]);
        for _ in 0..ENTITIES {
            manager.create(&mut factory, &initial, 0)?;
        }
        let logs = (0..1 + THINKING.0 + LOGIC.0).map(|_| Mutex::new(manager.log())).collect();
        Ok(Self { state: RwLock::new((manager, factory)), attributes, logs, way, wrong: Mutex::default() })
    }

    fn noted(&self, result: Result<(), AttributeError>) {
        if let Err(wrong) = result {
            self.wrong.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(wrong);
        }
    }

    /// A system posts its attribute for the entities of a part of so many.
    pub fn system(&self, k: usize, (part, parts): (usize, usize), stamp: u64) {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let mut log = self.logs[k + part].lock().unwrap_or_else(PoisonError::into_inner);
        let (attribute, value) = (self.attributes[k], [stamp as f32; 4]);
        for entity in state.1.entities().iter().skip(part).step_by(parts) {
            self.noted(if self.way.immediate {
                state.0.post_now(state.1.entities(), attribute, (entity, &value), &mut log)
            } else {
                log.post(attribute, Post { entity, value, priority: 0, stamp, poster: (k + part) as u32 })
            });
        }
    }

    /// A task of game logic: reads some values, and lets one entity go and another come in some cycles.
    fn logic(&self, k: usize, cycle: u64) {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let mut log = self.logs[1 + THINKING.0 + k].lock().unwrap_or_else(PoisonError::into_inner);
        for entity in state.1.entities().iter().skip(k).step_by(97) {
            std::hint::black_box(state.0.value(self.attributes[k % 2], entity).ok());
        }
        if (cycle * 7 + k as u64).is_multiple_of(5) {
            let rank = (cycle, k as u32);
            if let Some(entity) = state.1.entities().iter().nth(k) {
                log.destroy(entity, rank);
            }
            let initial = Initial::new().with(self.attributes[0], [k as f32; 4]);
            self.noted(log.create(initial.with(self.attributes[1], [0.0; 4]), 0, rank));
        }
    }

    /// The exchange at the end of a cycle.
    pub fn exchange(&self, context: &Context<'_>) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let (manager, factory) = &mut *state;
        let take = |log: &Mutex<PostLog>| {
            std::mem::replace(&mut *log.lock().unwrap_or_else(PoisonError::into_inner), manager.log())
        };
        let mut logs: Vec<PostLog> = self.logs.iter().map(take).collect();
        self.noted(if self.way.real {
            manager.propagate(factory, &mut logs, context)
        } else {
            manager.propagate(factory, &mut logs, &InTurn)
        });
        for (log, taken) in self.logs.iter().zip(logs) {
            *log.lock().unwrap_or_else(PoisonError::into_inner) = taken;
        }
    }

    /// Adds the game to what is supplied.
    pub fn supply(self: &Arc<Self>, supply: &mut Supply, posts: PostCosts) -> Outcome<()> {
        let real = self.way.real;
        let lasts = move |length: Duration| {
            if real {
                spin(length);
            }
        };
        let mut leaves = Vec::new();
        // What is posted takes its own time where tasks are real.
        let add = |supply: &mut Supply, mut info: TaskInfo, posting: Duration, mut run: Run| {
            let length = info.cost;
            info.cost += posting;
            let task = supply.tasks.add(info, move |context: &Context<'_>| {
                lasts(length);
                run(context);
                Ended::Success
            });
            supply.tree.task(task)
        };
        let systems = [
            ("physics", (1, PHYSICS), posts.physics, MIDDLEWARE),
            ("thinking", THINKING, posts.thinking, Group::Any),
        ];
        for (k, (name, (parts, length), posting, group)) in systems.into_iter().enumerate() {
            for part in 0..parts {
                let world = self.clone();
                let run = move |context: &Context<'_>| world.system(k, (part, parts), context.cycle.number);
                let info = TaskInfo::new(name, length).group(group);
                leaves.push(add(supply, info, posting, Box::new(run)));
            }
        }
        let drawing = TaskInfo::new("drawing", DRAWING).group(Group::Main);
        leaves.push(add(supply, drawing, Duration::ZERO, Box::new(|_| ())));
        for k in 0..LOGIC.0 {
            let world = self.clone();
            let run = Box::new(move |context: &Context<'_>| {
                let cycle = context.cycle.number;
                world.logic(k, cycle);
                // Some cycles have something to react to.
                if k == 0 && (cycle * 11).is_multiple_of(4) {
                    context.submit(move |supply| drop(reaction(supply, lasts)));
                }
            });
            let info = TaskInfo::new(format!("logic {k}"), LOGIC.1);
            leaves.push(add(supply, info, Duration::ZERO, run));
        }
        let world = self.clone();
        let info = TaskInfo::new("exchange", posts.exchange);
        let exchange = supply.tasks.add(info, move |context: &Context<'_>| {
            world.exchange(context);
            Ended::Success
        });
        let loading = TaskInfo::new("loading", LOADING).group(Group::NonMain).long_term();
        let loading = supply.tasks.add(loading, move |_: &Context<'_>| {
            lasts(LOADING);
            Ended::Progress
        });
        supply.queue.submit(loading);
        let Supply { tree, tasks, .. } = supply;
        let systems = tree.node(Parallel::default(), &leaves)?;
        let exchange = tree.task(exchange);
        let cycle = tree.node(Sequence, &[systems, exchange])?;
        let root = tree.node(Repeat::forever(), &[cycle])?;
        tree.submit(root, tasks)?;
        Ok(())
    }
}

/// Submits a tree: a task, two side by side, a task.
fn reaction(
    supply: &mut Supply,
    lasts: impl Fn(Duration) + Copy + Send + 'static,
) -> Result<(), ::game::tree::TreeError> {
    let Supply { tree, tasks, .. } = supply;
    let mut one = || {
        let task = tasks.add(TaskInfo::new("reaction", REACTION), move |_: &Context<'_>| {
            lasts(REACTION);
            Ended::Success
        });
        tree.task(task)
    };
    let (first, two, last) = (one(), [one(), one()], one());
    let beside = tree.node(Parallel::default(), &two)?;
    let root = tree.node(Sequence, &[first, beside, last])?;
    tree.submit(root, tasks)
}

/// How its schedulers work.
pub fn options(workers: usize) -> Options {
    Options { when_alone: WhenAlone::RunOnMain, ..Options::new(workers) }
}
