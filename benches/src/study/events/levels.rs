//! The time of a frame in `levels` mode on more workers than there are.
//!
//! The tasks that a strategy cuts for so many workers are run on one, one by one in order, and timed. A frame is then a list of batches: in a static
//! one each worker has its part, in others the next free worker takes the next part; what brings events on is serial. Times of tasks are scaled so that
//! together they take what a frame takes that nobody observes. What the strategy's executor costs beside the tasks is measured on one worker too, and shared
//! out among the parts. What begins and ends a frame, beside the tasks, is serial too: where each node is a task of its own, it looks at as many of them.

use std::sync::Arc;
use std::time::Instant;

use animation::event::runtime::{EventGraph, EventOptions, Mode, Next, Strategy, amdahl};
use animation::event::scene::EventScene;
use anyhow::{Result, anyhow, bail};
use engine::data::Store;
use engine::exec::{Deed, Executor, Observation, Sequential};
use engine::graph::Recording;
use executors::{ForkJoin, Options, Replay, Stealing};
use partition::simulate::Machine;
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};
use x3d::script::AllNodes;

use super::middle;

/// Frames that are timed.
const FRAMES: usize = 9;
/// Taking the next part of a batch from a common counter \[ns\].
const TAKE_NS: f64 = 40.0;

/// Whether workers know their parts beforehand.
pub fn is_static(strategy: Strategy) -> bool {
    matches!(strategy, Strategy::PoolStatic | Strategy::LoopStatic)
}

/// Frames of a scene by the way in which its levels are cut, each measured once.
pub struct Frames<'a> {
    scene: &'a EventScene,
    known: Vec<((Strategy, u32), Frame)>,
}

/// The executor that hands out parts as a strategy says, on one worker.
fn executor_of(strategy: Strategy) -> Box<dyn Executor> {
    let options = Options::new(1);
    match strategy {
        Strategy::PoolStatic => Box::new(Replay::new(&options)),
        Strategy::PoolDynamic => Box::new(Stealing::new(&options)),
        Strategy::LoopStatic | Strategy::LoopGuided | Strategy::LoopDynamic => {
            Box::new(ForkJoin::new(&options))
        }
    }
}

impl<'a> Frames<'a> {
    /// Of a scene.
    pub fn new(scene: &'a EventScene) -> Self {
        Self { scene, known: Vec::new() }
    }

    /// The frame that is cut for so many workers.
    ///
    /// # Errors
    /// It cannot be run.
    pub fn of(&mut self, strategy: Strategy, workers: u32) -> Result<&Frame> {
        let workers = match strategy {
            Strategy::PoolStatic | Strategy::LoopStatic | Strategy::LoopGuided => workers,
            // A part for each node, for however many workers.
            Strategy::PoolDynamic | Strategy::LoopDynamic => 1,
        };
        let key = (strategy, workers);
        if self.known.iter().all(|(known, _)| *known != key) {
            self.known.push((key, Frame::measure(self.scene, strategy, workers)?));
        }
        let found = self.known.iter().find(|(known, _)| *known == key);
        found.map(|(_, frame)| frame).ok_or_else(|| anyhow!("a frame that was measured"))
    }
}

/// A frame on one worker by the executor of a strategy: its tasks, and what begins and ends it \[ns\].
fn by_executor(
    graph: &mut EventGraph,
    store: &mut Store,
    recording: Arc<Recording>,
    strategy: Strategy,
) -> Result<(f64, f64)> {
    let (partitioner, accumulation) = (Partitioner::Owner, Accumulation::Auto);
    let options = PlannerOptions { workers: 1, partitioner, accumulation };
    let schedule = Arc::new(Planner::new(options).plan(&recording.program, store).0);
    let mut executor = executor_of(strategy);
    let plan = executor.load_plan(None, recording, schedule, store).map_err(|e| anyhow!("{e}"))?;
    let (mut times, mut around) = (Vec::new(), Vec::new());
    for frame in 0..FRAMES + 4 {
        let whole = Instant::now();
        graph.begin_frame(store, 10.0 + 0.016 * frame as f64);
        let begin = Instant::now();
        executor.run(plan, store).map_err(|failure| anyhow!("{failure:?}"))?;
        let took = begin.elapsed().as_nanos() as f64;
        if graph.proceed(store) != Next::Done {
            bail!("a graph with gates cannot be predicted in levels");
        }
        graph.end_frame(store);
        if frame >= 4 {
            times.push(took);
            around.push(whole.elapsed().as_nanos() as f64 - took);
        }
    }
    Ok((middle(times), middle(around)))
}

/// A frame on one worker: its tasks in order, each with its time \[ns\]; none that brings events on in `parts`.
pub struct Frame {
    /// Batches: parts, and the serial step behind them.
    batches: Vec<(Vec<f64>, f64)>,
    /// What the strategy's executor costs beside a part \[ns\].
    beside_ns: f64,
    /// What begins and ends a frame, on the caller's thread \[ns\].
    around_ns: f64,
}

impl Frame {
    /// Measures a scene that is cut for so many workers.
    fn measure(scene: &EventScene, strategy: Strategy, workers: u32) -> Result<Self> {
        let options = EventOptions { mode: Mode::Levels(strategy), workers, ..EventOptions::default() };
        let mut store = Store::new();
        let mut graph = EventGraph::new(scene.clone(), Box::new(AllNodes::default()), options);
        graph.begin_frame(&mut store, 0.0);
        let recording = Arc::new(graph.record(&mut store));
        let mut executor = Sequential::new();
        let plan = executor.load(None, recording.clone(), &store);
        let (mut plain, mut seen): (Vec<f64>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        let mut names = Vec::new();
        let mut observation = Observation::default();
        for frame in 0..2 * FRAMES + 4 {
            if frame > 0 {
                graph.begin_frame(&mut store, 0.016 * frame as f64);
            }
            let is_observed = frame % 2 == 1;
            executor.observe(is_observed);
            let begin = Instant::now();
            executor.run(plan, &mut store).map_err(|failure| anyhow!("{failure:?}"))?;
            let took = begin.elapsed().as_nanos() as f64;
            if graph.proceed(&mut store) != Next::Done {
                bail!("a graph with gates cannot be predicted in levels");
            }
            graph.end_frame(&mut store);
            if frame < 4 {
                continue;
            }
            if !is_observed {
                plain.push(took);
                continue;
            }
            executor.observation(plan, &mut observation);
            let tasks = observation.activities.iter().filter_map(|activity| match activity.deed {
                Deed::Task { task, .. } => {
                    Some((recording.program.task(task).name, activity.duration_ns as f64))
                }
                _ => None,
            });
            let (of, times): (Vec<_>, Vec<_>) = tasks.unzip();
            names = of;
            seen.push(times);
        }
        let times: Vec<f64> = (0..names.len())
            .map(|k| middle(seen.iter().filter_map(|s| s.get(k).copied()).collect()))
            .collect();
        let plain = middle(plain);
        let slower = plain / times.iter().sum::<f64>().max(1.0);
        let (by_executor, around_ns) = by_executor(&mut graph, &mut store, recording, strategy)?;
        let beside_ns = ((by_executor - plain) / times.len().max(1) as f64).max(0.0);
        let mut batches = vec![(Vec::new(), 0.0)];
        for (name, time) in names.into_iter().zip(times) {
            let last = batches.len() - 1;
            if name == "cascade" {
                batches[last].1 = time * slower;
                batches.push((Vec::new(), 0.0));
            } else {
                batches[last].0.push(time * slower);
            }
        }
        Ok(Self { batches, beside_ns, around_ns })
    }

    /// The share of the steps that bring events on.
    pub fn serial_share(&self) -> f64 {
        let serial: f64 = self.batches.iter().map(|b| b.1).sum();
        let all: f64 = serial + self.batches.iter().flat_map(|b| &b.0).sum::<f64>();
        if all > 0.0 { serial / all } else { 0.0 }
    }

    /// Amdahl's bound, as the paper computes it.
    pub fn bound(&self, workers: f64) -> f64 {
        amdahl(1.0 - self.serial_share(), workers)
    }

    /// The time of a frame \[ms\].
    pub fn ms(&self, strategy: Strategy, workers: u32, machine: &Machine) -> f64 {
        let signal = machine.signal_ns.first().copied().unwrap_or_default();
        // All wait for the last, and are told to go on.
        let barrier = if workers > 1 { 2.0 * signal } else { 0.0 };
        let of_batch = |(parts, serial): &(Vec<f64>, f64)| {
            if parts.is_empty() {
                return *serial;
            }
            let mut ends = vec![0.0_f64; workers as usize];
            for (k, part) in parts.iter().enumerate() {
                let at = match is_static(strategy) {
                    true => k % workers as usize,
                    false => (0..ends.len()).min_by(|a, b| ends[*a].total_cmp(&ends[*b])).unwrap_or(0),
                };
                ends[at] +=
                    part + self.beside_ns + if workers > 1 && !is_static(strategy) { TAKE_NS } else { 0.0 };
            }
            ends.into_iter().fold(0.0, f64::max) + barrier + serial
        };
        (self.around_ns + self.batches.iter().map(of_batch).sum::<f64>()) * 1e-6
    }
}
