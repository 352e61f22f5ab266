//! The steps that predictions start from, on one worker; and on more, side by side, to check them.

use std::time::{Duration, Instant};

use crate::execution::Stepped;
use crate::predict::{GraphSample, StepSample, StepTiming, calibrate, median, settle};
use crate::record::Phase;
use crate::simulation::{AccumulateMode, ExecutorKind, PartitionerKind, SimulationOptions};
use scenes::LoadOptions;

use crate::program::Program;
use crate::program::arguments::{Accumulate, Partitioner, PredictArguments};
use crate::program::command::characters::CharacterSource;
use crate::program::command::events::GraphSource;
use crate::program::command::rigs::RigSource;
use crate::program::command::run::{mode, simulation_of};
use crate::program::command::scene::{Source, load, load_options};
use crate::program::failure::Failure;

/// The graphs of a step.
pub const PHASES: [Phase; 7] = [
    Phase::Links,
    Phase::Bounds,
    Phase::NarrowPhase,
    Phase::Integration,
    Phase::Events,
    Phase::Rig,
    Phase::Characters,
];

/// What emits the tasks of a step.
pub enum Emitter {
    /// A scene of physics.
    Scene(Source),
    /// An event graph.
    Events(GraphSource),
    /// A rig.
    Rig(RigSource),
    /// Characters.
    Characters(CharacterSource),
}

/// What is to be measured.
pub struct Setup<'a> {
    arguments: &'a PredictArguments,
    source: &'a Emitter,
    load: LoadOptions,
    options: SimulationOptions,
}

/// A step that was not observed, and the one after it, which was.
pub struct Round {
    /// The step that was not.
    pub timing: StepTiming,
    /// When the graphs of the other ran.
    pub observed: StepTiming,
    /// What its tasks cost.
    pub graphs: Vec<GraphSample>,
}

/// What was measured with one number of workers.
pub struct Series {
    pub workers: u32,
    pub rounds: Vec<Round>,
    simulation: Box<dyn Stepped>,
}

/// All that was measured; the first series is on one worker.
pub struct Measurements {
    pub series: Vec<Series>,
    /// How many times as long as its tasks, had nothing interrupted them, a step on one worker takes.
    pub slower: f64,
}

impl<'a> Setup<'a> {
    pub fn new(
        program: &Program,
        arguments: &'a PredictArguments,
        source: &'a Emitter,
    ) -> Result<Self, Failure> {
        let load = load_options(program, &arguments.scene, mode(&arguments.scene));
        let options = SimulationOptions {
            executor: ExecutorKind::Replay,
            partitioner: match arguments.partitioner {
                Partitioner::Owner => PartitionerKind::Owner,
                Partitioner::Metis => PartitionerKind::Metis,
            },
            accumulate: match arguments.accumulate {
                Accumulate::Auto => AccumulateMode::Auto,
                Accumulate::Mirror => AccumulateMode::Mirror,
                Accumulate::Reduce => AccumulateMode::Reduce,
            },
            pin: true,
            ..SimulationOptions::default()
        };
        Ok(Self { arguments, source, load, options })
    }

    /// Steps all numbers of workers side by side, and measures after the first steps.
    pub fn measure(&self, counts: &[u32]) -> Result<Measurements, Failure> {
        let name = &self.arguments.scene.scene;
        let mut series = Vec::with_capacity(counts.len());
        for &workers in counts {
            let options = SimulationOptions { threads: workers as usize, ..self.options.clone() };
            let simulation: Box<dyn Stepped> = match self.source {
                Emitter::Scene(source) => {
                    Box::new(simulation_of(name, load(source, &self.load, name)?, options)?)
                }
                Emitter::Events(graph) => Box::new(graph.plain_simulation(&options)?),
                Emitter::Rig(rig) => Box::new(rig.simulation(&options)?),
                Emitter::Characters(characters) => Box::new(characters.simulation(&options)?),
            };
            series.push(Series { workers, rounds: Vec::new(), simulation });
        }
        let failed = Failure::Simulation;
        for one in &mut series {
            for _ in 0..self.arguments.steps {
                one.simulation.step_timed().map_err(failed)?;
            }
        }
        let warm_up = warm_up(&mut series).map_err(failed)?;
        for round in 0..self.arguments.samples as usize {
            // Each is first in its turn, so that none always meets the others' data in the cache.
            let n = series.len();
            for k in 0..n {
                // Threads of the series before still poll for its next step, on the same cores.
                std::thread::sleep(2 * Duration::from_micros(self.options.spin_us));
                series[(round + k) % n].round(warm_up).map_err(failed)?;
            }
        }
        for one in &mut series {
            one.change_graphs(|graphs, _| settle(graphs));
        }
        let slower = series[0].change_graphs(calibrate);
        let measured = Measurements { series, slower };
        if measured.one_series().observed().next().is_none() {
            return Err(Failure::Simulation(format!("{name}: no step could be observed whole")));
        }
        Ok(measured)
    }
}

/// How long a simulation runs before one of its steps is measured [s]: its threads have slept, its core has been slow, and its
/// data were not in the cache, since others ran.
const WARM_UP: f64 = 0.02;
/// Steps to warm up at most.
const MOST_TO_WARM_UP: f64 = 64.0;

/// Steps that take that long, in all series alike so that they stay in step.
fn warm_up(series: &mut [Series]) -> Result<u32, String> {
    let mut longest = 0.0_f64;
    for one in series {
        let begin = Instant::now();
        one.simulation.step_timed()?;
        longest = longest.max(begin.elapsed().as_secs_f64());
    }
    Ok((WARM_UP / longest).ceil().clamp(1.0, MOST_TO_WARM_UP) as u32)
}

impl Series {
    /// Steps to warm up, one to measure, one to observe.
    fn round(&mut self, warm_up: u32) -> Result<(), String> {
        for _ in 0..warm_up {
            self.simulation.step_timed()?;
        }
        let timing = self.simulation.step_timed()?;
        self.simulation.observe(true);
        let observed = self.simulation.step_timed()?;
        let mut graphs = self.simulation.graph_samples();
        self.simulation.observe(false);
        if graphs.len() != observed.runs.len() {
            graphs.clear();
        }
        self.rounds.push(Round { timing, observed, graphs });
        Ok(())
    }

    /// The rounds whose second step could be observed whole.
    pub fn observed(&self) -> impl Iterator<Item = &Round> {
        self.rounds.iter().filter(|r| !r.graphs.is_empty())
    }

    /// Changes what the tasks of all steps cost, given how long steps are that nobody observes.
    fn change_graphs<T>(&mut self, change: impl FnOnce(&mut [Vec<GraphSample>], &[StepTiming]) -> T) -> T {
        let (mut all, timings): (Vec<_>, Vec<_>) =
            self.rounds.iter_mut().map(|r| (std::mem::take(&mut r.graphs), r.timing.clone())).unzip();
        let result = change(&mut all, &timings);
        for (round, graphs) in self.rounds.iter_mut().zip(all) {
            round.graphs = graphs;
        }
        result
    }
}

impl Measurements {
    fn one_series(&self) -> &Series {
        &self.series[0]
    }

    /// The simulation on one worker.
    pub fn one(&self) -> &dyn Stepped {
        &*self.one_series().simulation
    }

    /// The observed steps on one worker.
    pub fn samples(&self) -> Vec<StepSample> {
        let rounds: Vec<&Round> = self.one_series().observed().collect();
        // Plans change in some steps only: their work counts with its mean.
        let plan_ns = rounds.iter().map(|r| r.timing.plan_ns).sum::<f64>() / rounds.len() as f64;
        let serial_ns = plan_ns + median(rounds.iter().map(|r| r.timing.serial_ns()).collect());
        let of_round =
            |round: &Round| StepSample { graphs: round.graphs.clone(), gaps_ns: round.gaps(), serial_ns };
        rounds.into_iter().map(of_round).collect()
    }
}

impl Round {
    /// Serial time before each graph of the observed step [ns].
    fn gaps(&self) -> Vec<f64> {
        let mut end = 0.0;
        let gap = |&(_, start, length): &(Phase, f64, f64)| {
            let gap = start - end;
            end = start + length;
            gap
        };
        self.observed.runs.iter().map(gap).collect()
    }
}
