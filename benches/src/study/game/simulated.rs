//! Table 12: a game that does all that the architecture has.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use ::game::attributes::{
    Attribute, AttributeError, AttributeStateManager, EntityFactory, Initial, Post, PostLog,
};
use ::game::tree::{Parallel, Repeat, Sequence};
use ::game::{
    Context, CycleScheduler, Group, Options, Outcome as Ended, Overheads, Profile, Supply, TaskInfo,
    VirtualScheduler, WhenAlone, WorkerProfile,
};
use animation::game::InTurn;

use super::runs::spin;
use super::{Outcome, Size};

const ENTITIES: u64 = 1000;
/// Systems that go over all entities, with what they take; two of them post.
const PHYSICS: Duration = Duration::from_millis(8);
/// Thinking is in parts, each for some of the entities.
const THINKING: (usize, Duration) = (4, Duration::from_millis(2));
const DRAWING: Duration = Duration::from_millis(5);
/// Tasks of game logic, each of which reads, and now and then creates and destroys.
const LOGIC: (usize, Duration) = (8, Duration::from_micros(500));
/// A task of a tree that some cycles submit.
const REACTION: Duration = Duration::from_millis(1);
/// What lasts longer than a cycle.
const LOADING: Duration = Duration::from_millis(12);
/// The group of what is not safe on any thread.
const MIDDLEWARE: Group = Group::Named(1);

/// Whether posts are made at once, and whether tasks keep a core busy.
#[derive(Clone, Copy, Debug)]
struct Way {
    immediate: bool,
    real: bool,
}

struct World {
    state: RwLock<(AttributeStateManager, EntityFactory)>,
    attributes: [Attribute<[f32; 4]>; 2],
    logs: Vec<Mutex<PostLog>>,
    way: Way,
    /// What went wrong first.
    wrong: Mutex<Option<AttributeError>>,
}

impl World {
    fn new(way: Way) -> Outcome<Self> {
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
    fn system(&self, k: usize, (part, parts): (usize, usize), stamp: u64) {
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

    fn exchange(&self, context: &Context<'_>) {
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
    fn supply(self: &Arc<Self>, supply: &mut Supply, exchange: Duration) -> Outcome<()> {
        let real = self.way.real;
        let lasts = move |length: Duration| {
            if real {
                spin(length);
            }
        };
        let mut leaves = Vec::new();
        let add = |supply: &mut Supply, info: TaskInfo, mut run: Box<dyn FnMut(&Context<'_>) + Send>| {
            let length = info.cost;
            let task = supply.tasks.add(info, move |context: &Context<'_>| {
                lasts(length);
                run(context);
                Ended::Success
            });
            supply.tree.task(task)
        };
        let systems = [("physics", (1, PHYSICS), MIDDLEWARE), ("thinking", THINKING, Group::Any)];
        for (k, (name, (parts, length), group)) in systems.into_iter().enumerate() {
            for part in 0..parts {
                let world = self.clone();
                let run = move |context: &Context<'_>| world.system(k, (part, parts), context.cycle.number);
                leaves.push(add(supply, TaskInfo::new(name, length).group(group), Box::new(run)));
            }
        }
        let drawing = TaskInfo::new("drawing", DRAWING).group(Group::Main);
        leaves.push(add(supply, drawing, Box::new(|_| ())));
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
            leaves.push(add(supply, TaskInfo::new(format!("logic {k}"), LOGIC.1), run));
        }
        let world = self.clone();
        let info = TaskInfo::new("exchange", exchange);
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

fn options(workers: usize) -> Options {
    Options { when_alone: WhenAlone::RunOnMain, ..Options::new(workers) }
}

/// Time \[s\] and profile.
type Ran = (f64, Profile);

fn in_virtual_time(workers: usize, way: Way, exchange: Duration, cycles: u64) -> Outcome<Ran> {
    let tried = Arc::new(World::new(way)?);
    let overheads =
        Overheads::measure(options(workers), 4, |supply| drop(tried.supply(supply, Duration::ZERO)));
    let world = Arc::new(World::new(way)?);
    let mut scheduler = VirtualScheduler::new(options(workers), overheads);
    scheduler.edit(|supply| world.supply(supply, exchange))?;
    scheduler.lock_group(MIDDLEWARE, &[0])?;
    for number in 0..cycles {
        scheduler.cycle(Duration::from_millis(16) * number as u32)?;
    }
    world.wrong.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)?;
    Ok((scheduler.now().as_secs_f64(), scheduler.profile()))
}

fn for_real(workers: usize, immediate: bool, cycles: u64) -> Outcome<Ran> {
    let world = Arc::new(World::new(Way { immediate, real: true })?);
    let mut scheduler = CycleScheduler::new(options(workers));
    scheduler.edit(|supply| world.supply(supply, Duration::from_micros(100)))?;
    scheduler.lock_group(MIDDLEWARE, &[0])?;
    let began = Instant::now();
    scheduler.reset_profile();
    for number in 0..cycles {
        scheduler.cycle(Duration::from_millis(16) * number as u32)?;
    }
    let time = began.elapsed().as_secs_f64();
    world.wrong.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)?;
    Ok((time, scheduler.profile()))
}

/// What the exchange takes here.
fn exchange_here() -> Outcome<Duration> {
    let world = World::new(Way { immediate: false, real: false })?;
    let (cycle, edits) = (::game::Cycle::default(), ::game::Edits::default());
    let mut times = Vec::new();
    for stamp in 0..20 {
        world.system(0, (0, 1), stamp);
        (0..THINKING.0).for_each(|part| world.system(1, (part, THINKING.0), stamp));
        let began = Instant::now();
        world.exchange(&Context::new(&cycle, 0, &edits, &::game::Alone));
        times.push(began.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

/// Table 12.
///
/// # Errors
/// If a cycle fails.
pub fn part(size: Size) -> Outcome<String> {
    let cycles = 100 / size.shorter;
    let exchange = exchange_here()?;
    let mut page = format!("## Table 12: a game of all features, {ENTITIES} entities, {cycles} cycles\n\n");
    writeln!(
        page,
        "Physics (8 ms, a group on worker 0), thinking (4 times 2 ms), drawing (5 ms, main worker), 8 tasks of logic (0.5 ms) that create and destroy, \
         a tree of 4 tasks of 1 ms in every fourth cycle, loading (12 ms, longer than cycles), an exchange ({:.0} us, as measured here). The \
         thesis does not say what its tasks take; a cycle of one worker is about as long as there.\n",
        1e6 * exchange.as_secs_f64()
    )?;
    page += "| run | | cycle [ms] | speedup | search | tasks | long-term | loops | idle |\n\
             |---|---|---|---|---|---|---|---|---|\n";
    let mut firsts = [None, None];
    let mut row = |page: &mut String, name: &str, real: usize, (time, profile): &Ran| {
        let share = |part: fn(&WorkerProfile) -> Duration| 100.0 * profile.share(part);
        let first = *firsts[real].get_or_insert(*time);
        writeln!(
            page,
            "| | {name} | {:.2} | {:.2} | {:.2} % | {:.2} % | {:.2} % | {:.2} % | {:.2} % |",
            1e3 * time / cycles as f64,
            first / time,
            share(|w| w.search),
            share(|w| w.cycle_tasks),
            share(|w| w.long_term),
            share(|w| w.parallel_for),
            share(|w| w.idle),
        )
    };
    let thesis = [
        (1, "#1 deferred", "36.12 | 1.00 | 0.17 % | 75.88 % | 13.41 % | 1.57 % | 8.97 %"),
        (2, "#2 deferred", "27.06 | 1.33 | 1.73 % | 75.96 % | 9.02 % | 1.69 % | 11.61 %"),
        (4, "#3 deferred", "17.60 | 2.05 | 5.51 % | 71.05 % | 6.89 % | 1.70 % | 14.85 %"),
        (4, "#4 immediate", "18.63 | 1.94 | 10.54 % | 69.67 % | 6.56 % | 0.00 % | 13.23 %"),
    ];
    for (workers, name, thesis) in thesis {
        let immediate = name.ends_with("immediate");
        writeln!(page, "| {name}, {workers} workers | thesis | {thesis} |")?;
        let way = Way { immediate, real: false };
        row(&mut page, "virtual time", 0, &in_virtual_time(workers, way, exchange, cycles)?)?;
        if workers <= std::thread::available_parallelism().map_or(1, usize::from) {
            row(&mut page, "for real", 1, &for_real(workers, immediate, cycles)?)?;
        }
    }
    Ok(page)
}
