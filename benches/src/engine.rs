//! The engine's own costs beside what the machine allows: empty tasks beside a list written by hand, a dependence between
//! two workers beside the bare round trip of a cache line.
//!
//! Clocks of virtual machines wander by half; so both sides of a ratio are measured in turns within one run, and the
//! medians over the rounds are what counts.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use engine::data::{Data, ObjectId, Role, Store, read, update};
use engine::exec::{Executor, PlanId, Sequential};
use engine::graph::{ComponentTag, Recorder, Recording};
use executors::{Options, Replay, Stealing, interconnect};
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};

use crate::ratio::Ratio;

const TAG: ComponentTag = ComponentTag(0);
/// Empty tasks of a run, enough that starting one does not count.
const TASKS: usize = 8_000;
/// Dependences of a run, there and back.
const LINKS: usize = 2_000;

/// How the engine is measured.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Rounds; in each, everything runs once
    #[arg(long, default_value_t = 201, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,
}

/// A plan that an executor runs.
struct Loaded {
    store: Store,
    executor: Box<dyn Executor>,
    plan: PlanId,
}

impl Loaded {
    /// Each object goes to a worker by its number.
    fn new(
        mut executor: Box<dyn Executor>,
        workers: u32,
        record: impl FnOnce(&mut Recorder<'_>, &[Data<f64>]),
        objects: usize,
    ) -> Result<Self> {
        let mut store = Store::new();
        let create = |i: usize| store.create("x", ObjectId(i as u32), Role::Scratch, vec![0.0; 8]);
        let data: Vec<Data<f64>> = (0..objects).map(create).collect();
        let mut recorder = Recorder::new(&mut store);
        recorder.begin_group("group");
        record(&mut recorder, &data);
        recorder.end_group();
        let recording: Arc<Recording> = Arc::new(recorder.finish());
        let options =
            PlannerOptions { workers, partitioner: Partitioner::Owner, accumulation: Accumulation::Mirror };
        let schedule = Arc::new(Planner::new(options).plan(&recording.program, &store).0);
        let plan = executor.load_plan(None, recording, schedule, &mut store).context("a plan")?;
        Ok(Self { store, executor, plan })
    }

    /// Runs once [ns].
    fn run(&mut self) -> Result<f64> {
        let begin = Instant::now();
        self.executor.run(self.plan, &mut self.store).map_err(|f| anyhow::anyhow!("{f}"))?;
        Ok(begin.elapsed().as_nanos() as f64)
    }
}

/// Empty tasks, as many in each stage.
fn empty_tasks(n_stages: usize) -> impl Fn(&mut Recorder<'_>, &[Data<f64>]) {
    move |recorder, data| {
        for _ in 0..n_stages {
            recorder.sweep("empty");
            for k in 0..TASKS / n_stages {
                let object = k % data.len();
                recorder.own("empty", TAG, ObjectId(object as u32), (update(data[object]),), |params| {
                    black_box(params);
                });
            }
        }
    }
}

/// Two objects of which each waits for the other, in turns.
fn there_and_back(recorder: &mut Recorder<'_>, data: &[Data<f64>]) {
    for _ in 0..LINKS / 2 {
        for (to, from) in [(0, 1), (1, 0)] {
            recorder.sweep("link");
            let accesses = (update(data[to]), read(data[from]));
            recorder.own("link", TAG, ObjectId(to as u32), accesses, |params| {
                black_box(params);
            });
        }
    }
}

/// The environment of a task that was written by hand.
type Environment = (usize, usize);
/// What it does, and its environment.
type Task = (fn(&Environment), Environment);

/// A static list as one would write it by hand: a function and its environment, called one after the other.
struct List(Vec<Task>);

impl List {
    fn new() -> Self {
        fn empty(environment: &Environment) {
            black_box(environment);
        }
        Self((0..TASKS).map(|k| (black_box(empty as fn(&Environment)), (k, k))).collect())
    }

    /// Runs once [ns].
    fn run(&self) -> f64 {
        let begin = Instant::now();
        for (function, environment) in &self.0 {
            function(environment);
        }
        begin.elapsed().as_nanos() as f64
    }
}

fn unchecked(workers: u32) -> Options {
    Options { checked: false, pin: workers > 1, ..Options::new(workers) }
}

/// Measures and prints a table.
///
/// # Errors
/// If a plan cannot be loaded or a run fails.
pub fn run(arguments: &Arguments) -> Result<()> {
    tasks(arguments.rounds)?;
    links(arguments.rounds.div_ceil(4))
}

/// What an empty task costs on one worker.
fn tasks(rounds: u32) -> Result<()> {
    let mut cases: Vec<(String, Loaded)> = Vec::new();
    for name in ["sequential", "replay", "stealing"] {
        for per_stage in [500, 20, 1] {
            let executor: Box<dyn Executor> = match name {
                "sequential" => Box::new(Sequential::new()),
                "replay" => Box::new(Replay::new(&unchecked(1))),
                _ => Box::new(Stealing::new(&unchecked(1))),
            };
            let loaded = Loaded::new(executor, 1, empty_tasks(TASKS / per_stage), per_stage)?;
            cases.push((format!("{name}, {per_stage} a stage"), loaded));
        }
    }
    let list = List::new();
    let mut floor = Vec::new();
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); cases.len()];
    for round in 0..=rounds {
        let by_hand = list.run();
        for ((_, case), times) in cases.iter_mut().zip(&mut times) {
            let ns = case.run()?;
            // The first round warms up.
            if round > 0 {
                times.push(ns);
            }
        }
        if round > 0 {
            floor.push(by_hand);
        }
    }
    println!("Empty tasks on one worker, {rounds} rounds of {TASKS}, medians:");
    let per_task = |ns: &[f64]| Ratio::of(ns.iter().map(|t| t / TASKS as f64).collect()).median;
    println!("  {:28} {:6.2} ns", "a list written by hand", per_task(&floor));
    for ((name, _), times) in cases.iter().zip(&times) {
        let ratio = Ratio::of(times.iter().zip(&floor).map(|(t, f)| t / f).collect());
        println!("  {name:28} {:6.2} ns   {:5.2} x the list", per_task(times), ratio.median);
    }
    Ok(())
}

/// What a dependence between two workers costs.
fn links(rounds: u32) -> Result<()> {
    let mut replay = Loaded::new(Box::new(Replay::new(&unchecked(2))), 2, there_and_back, 2)?;
    let (mut bare, mut links, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let Some(half) = interconnect::measure().signal_ns.first().copied() else {
            println!("There is one core: no dependence between workers to measure.");
            return Ok(());
        };
        let trip = 2.0 * half;
        let link = replay.run()? / LINKS as f64;
        if round > 0 {
            bare.push(trip);
            links.push(link);
            ratios.push(link / trip);
        }
    }
    let median = |values: Vec<f64>| Ratio::of(values).median;
    println!("A dependence between two workers, {} rounds of {LINKS}, medians:", ratios.len());
    println!("  bare round trip of a cache line  {:6.1} ns", median(bare));
    println!(
        "  replay, task to dependent task   {:6.1} ns   {:5.2} x the round trip",
        median(links),
        median(ratios)
    );
    Ok(())
}
