//! `weft predict`: how long a step would take on other machines.

mod measure;
mod table;
mod verify;

use std::io::Write;
use std::path::Path;

use crate::output::plot::{Curve, speedup_and_efficiency};
use crate::predict::{PlanChoices, Prediction, StepSample, critical_path, machine, predict as predicted};
use crate::simulation::default_workers;
use partition::simulate::{Machine, Stuck};
use partition::{Accumulation, Partitioner as ObjectPartitioner};

use super::characters::CharacterSource;
use super::events::GraphSource;
use super::games::{self, GameSource};
use super::rigs::RigSource;
use super::scene::Source;
use crate::program::Program;
use crate::program::arguments::{Accumulate, Partitioner, PredictArguments};
use crate::program::failure::Failure;
use crate::program::say::say;
use measure::{Emitter, Measurements, Setup};

/// Numbers of workers, if nobody says.
const WORKERS: [u32; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// Most workers a core that are run to verify predictions.
const MOST_SHARING: u32 = 4;

/// What is known of a scene on a machine.
struct Answer {
    scene: String,
    machine: Machine,
    /// One worker, which all speedups are over.
    one: Prediction,
    all: Vec<Prediction>,
    /// A worker per object, no latencies [ns].
    critical_path_ns: f64,
}

impl Answer {
    fn speedup(&self, of: &Prediction) -> f64 {
        self.one.ns / of.ns
    }

    /// The largest speedup that the dependences of the step allow.
    fn bound(&self) -> f64 {
        self.one.ns / self.critical_path_ns
    }
}

/// Predicts a scene.
///
/// # Errors
/// See [`Failure`].
pub fn predict(program: &Program, arguments: &PredictArguments) -> Result<(), Failure> {
    let name = &arguments.scene.scene;
    if let Some(game) = GameSource::find(&arguments.scene)? {
        return games::predict(&game, arguments);
    }
    let source = if let Some(graph) = GraphSource::find(&arguments.scene)? {
        Emitter::Events(graph)
    } else if let Some(rig) = RigSource::find(program, &arguments.scene)? {
        Emitter::Rig(rig)
    } else if let Some(characters) = CharacterSource::find(&arguments.scene)? {
        Emitter::Characters(characters)
    } else {
        Emitter::Scene(Source::find(program, &arguments.scene)?)
    };
    let machine = machine(&arguments.machine).map_err(|e| Failure::Usage(format!("--machine: {e}")))?;
    let mut workers = if arguments.workers.is_empty() { WORKERS.to_vec() } else { arguments.workers.clone() };
    workers.sort_unstable();
    workers.dedup();
    let here = default_workers() as u32;
    let mut counts: Vec<u32> = vec![1];
    if arguments.verify {
        // Who names more workers than there are cores wants to see what sharing them costs.
        let most = if arguments.workers.is_empty() { here } else { MOST_SHARING * here };
        counts.extend(workers.iter().filter(|&&w| w > 1 && w <= most));
    }
    let setup = Setup::new(program, arguments, &source)?;
    let measured = setup.measure(&counts)?;
    let answer = answer(name, machine, &measured, &workers, choices(arguments))?;
    say(&table::table(&answer, &measured));
    if arguments.verify {
        say(&verify::verify(&measured, &counts)?);
    }
    if let Some(path) = &arguments.csv {
        write(path, &table::csv(&answer))?;
    }
    if let Some(path) = &arguments.svg {
        let points = answer.all.iter().map(|p| (f64::from(p.workers), answer.speedup(p))).collect();
        let title = format!("{name} on {}: predicted", answer.machine.name);
        let curves = [Curve::new("predicted", points)];
        let svg = speedup_and_efficiency(&title, &curves, Some(answer.bound())).to_svg();
        write(path, &svg.map_err(|e| Failure::output(path, e))?)?;
    }
    Ok(())
}

fn answer(
    scene: &str,
    machine: Machine,
    measured: &Measurements,
    workers: &[u32],
    choices: PlanChoices,
) -> Result<Answer, Failure> {
    let samples = measured.samples();
    let store = measured.one().store();
    let mean = |workers: u32| -> Result<Prediction, Stuck> {
        let of_step = |step: &StepSample| predicted(step, store, workers, &machine, choices);
        let all: Vec<Prediction> = samples.iter().map(of_step).collect::<Result<_, _>>()?;
        Ok(Prediction::mean(&all).unwrap_or_default())
    };
    let paths = samples.iter().map(|s| critical_path(s, machine.core_speed));
    let paths: Vec<f64> = paths.collect::<Result<_, _>>().map_err(stuck)?;
    let all: Vec<Prediction> = workers.iter().map(|&w| mean(w)).collect::<Result<_, _>>().map_err(stuck)?;
    Ok(Answer {
        scene: scene.to_owned(),
        one: mean(1).map_err(stuck)?,
        all,
        critical_path_ns: paths.iter().sum::<f64>() / paths.len() as f64,
        machine,
    })
}

fn stuck(error: Stuck) -> Failure {
    Failure::Simulation(error.to_string())
}

fn choices(arguments: &PredictArguments) -> PlanChoices {
    PlanChoices {
        partitioner: match arguments.partitioner {
            Partitioner::Owner => ObjectPartitioner::Owner,
            Partitioner::Metis => ObjectPartitioner::Metis,
        },
        accumulation: match arguments.accumulate {
            Accumulate::Auto => Accumulation::Auto,
            Accumulate::Mirror => Accumulation::Mirror,
            Accumulate::Reduce => Accumulation::Reduce,
        },
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let written = std::fs::File::create(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|e| Failure::output(path, e))
}
