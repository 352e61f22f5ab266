//! The paper's configuration A, predicted: three workers animate while the program's thread draws, on four cores.

use std::fmt::Write;

use animation::skeleton::Vertex;
use weft::execution::Stepped;
use weft::predict::{PlanChoices, Prediction, StepSample, calibrate, machine, median, predict, settle};

use super::overlap::{self, ms};
use super::{Outcome, Size};
use weft::characters::CharacterSimulation;

/// Steps that are observed.
const OBSERVED: usize = 12;

/// A frame of models on one thread, and predicted for workers of this machine's kind \[ms\].
struct Frame {
    /// Animation on one thread.
    one: f64,
    /// Drawing on one thread.
    drawing: f64,
    /// Animation by three workers.
    three: f64,
}

impl Frame {
    fn of(models: usize, interval: u64) -> Outcome<Self> {
        let mut simulation = overlap::characters(models, interval, false)?;
        let (mut card, mut drawing, mut rounds, mut timings) =
            (Vec::<Vertex>::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..OBSERVED {
            for _ in 0..interval {
                simulation.step_timed()?;
                let (_, took) = ms(|| overlap::draw(&simulation.shown(), &mut card));
                drawing.push(took);
            }
            timings.push(simulation.step_timed()?);
            Stepped::observe(&mut simulation, true);
            simulation.step_timed()?;
            rounds.push(simulation.graph_samples());
            Stepped::observe(&mut simulation, false);
        }
        // With intervals a model's task takes its time in some of the steps only: no step stands for those beside it.
        if interval == 1 {
            settle(&mut rounds);
        }
        calibrate(&mut rounds, &timings);
        let serial_ns = median(timings.iter().map(|timing| timing.serial_ns()).collect());
        let samples: Vec<StepSample> = rounds
            .into_iter()
            .map(|graphs| StepSample { gaps_ns: vec![0.0; graphs.len()], graphs, serial_ns })
            .collect();
        let at = |workers: u32| predicted(&simulation, &samples, workers);
        Ok(Self { one: at(1)?, three: at(3)?, drawing: median(drawing) })
    }
}

/// The mean of predictions for some steps \[ms\].
fn predicted(simulation: &CharacterSimulation, samples: &[StepSample], workers: u32) -> Outcome<f64> {
    let machine = machine("1x4")?;
    let of = |step| predict(step, Stepped::store(simulation), workers, &machine, PlanChoices::default());
    let all = samples.iter().map(of).collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
    Ok(Prediction::mean(&all).unwrap_or_default().ns * 1e-6)
}

/// Speedups and rates on four cores, beside the paper's.
pub fn part(size: Size) -> Outcome<String> {
    let mut text = "## Four cores, predicted\n\nOne thread that animates and draws, and three workers that animate while the program's thread draws the frame before, as in the paper's configuration A: a frame then takes as long as the longer of both. Three workers are predicted from the tasks that one has run here. In the paper's test 4 models are animated every 6 frames.\n\n".to_owned();
    text += "| models | k | one thread, animation and drawing ms | three workers ms | drawing ms | speedup | frames a second | updates of a model a second |\n|---|---|---|---|---|---|---|---|\n";
    text += "| the paper, tests 3 to 5 | | | | | 2.69 | | |\n| the paper, test 4 | 6 | | | | | 126 to 216 | 21 to 36 |\n";
    for interval in [1, 2, 6] {
        let Frame { one, drawing, three } = Frame::of(size.large, interval)?;
        let frame = three.max(drawing);
        let fps = 1e3 / frame;
        writeln!(
            text,
            "| {} | {interval} | {one:.2} and {drawing:.2} | {three:.2} | {drawing:.2} | {:.2} | {fps:.0} | {:.0} |",
            size.large,
            (one + drawing) / frame,
            fps / interval as f64
        )?;
    }
    Ok(text.trim_end().to_owned())
}
