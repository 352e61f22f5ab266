//! Nodes that cost alike, and nodes whose costs are log-normal: which strategy is the better one.

use std::fmt::Write;

use animation::event::field::{Access, Value};
use animation::event::generate::{Numbers, SceneBuilder, interpolator, node_type, time_sensor};
use animation::event::runtime::{EventOptions, Mode, Strategy};
use animation::event::scene::EventScene;
use anyhow::Result;
use partition::simulate::Machine;
use weft::execution::{ExecutorKind, SimulationOptions};

use super::levels::Frames;
use super::{Setting, graphs, middle};

const STRATEGIES: [(&str, Strategy, ExecutorKind); 3] = [
    ("loop-static", Strategy::LoopStatic, ExecutorKind::ForkJoin),
    ("loop-guided", Strategy::LoopGuided, ExecutorKind::ForkJoin),
    ("loop-dynamic", Strategy::LoopDynamic, ExecutorKind::ForkJoin),
];
const WORKERS: [u32; 4] = [4, 6, 16, 32];
/// Cheap nodes, and nodes of some twenty microseconds: points of a shape on the average, and how many times fewer shapes there are.
const SIZES: [(f64, usize); 2] = [(300.0, 1), (POINTS_OF_20_US, 8)];
/// A point takes some 1.4 ns.
const POINTS_OF_20_US: f64 = 14_000.0;
/// Deviation of the logarithm.
const SIGMA: f64 = 1.5;

/// Measures on two workers, predicts for more.
///
/// # Errors
/// A frame fails.
pub fn page(text: &mut String, setting: &Setting<'_>) -> Result<()> {
    let machine = Machine::named("server-2x64")?;
    let _ = writeln!(
        text,
        "\n## Imbalance\n\nCoordinateInterpolators: all alike, and with log-normal costs (sigma {SIGMA}); 512 cheap ones, and 64 of some 20 us each. Milliseconds of a frame in `levels`: measured on one worker and \
         two, predicted for more."
    );
    for (points, fewer) in SIZES {
        let shapes = (setting.humanoids / fewer).clamp(8, 512 / fewer);
        of_size(text, (shapes, points), &machine)?;
    }
    Ok(())
}

/// Nodes of one size.
fn of_size(text: &mut String, (shapes, points): (usize, f64), machine: &Machine) -> Result<()> {
    let _ = writeln!(
        text,
        "\n{shapes} nodes of {points} points on the average:\n\n| costs | strategy | 1 | 2 | 2, predicted | 4 | 6 | 16 | 32 |\n|---|---|---|---|---|---|---|---|---|"
    );
    for (name, sigma) in [("alike", 0.0), ("log-normal", SIGMA)] {
        let scene = scene(shapes, points, sigma);
        let mut predicted: Vec<Vec<f64>> = Vec::new();
        let mut frames = Frames::new(&scene);
        for (strategy_name, strategy, executor) in STRATEGIES {
            let measured = [1, 2].map(|workers| measure(&scene, strategy, executor, workers));
            let _ = write!(text, "| {name} | {strategy_name} |");
            for ms in measured {
                let _ = write!(text, " {:.3} |", ms?);
            }
            let mut row = Vec::new();
            for n in std::iter::once(2).chain(WORKERS) {
                let ms = frames.of(strategy, n)?.ms(strategy, n, machine);
                let _ = write!(text, " {ms:.3} |");
                row.push(ms);
            }
            text.push('\n');
            predicted.push(row);
        }
        let gain = |k: usize| {
            let gains: Vec<String> = predicted[k][1..]
                .iter()
                .zip(&predicted[0][1..])
                .map(|(a, b)| format!("{:.2}", b / a))
                .collect();
            gains.join(", ")
        };
        let _ = writeln!(
            text,
            "| {name} | *static takes times as long as guided; dynamic* | | | | {}; {} | | | |",
            gain(1),
            gain(2)
        );
    }
    Ok(())
}

/// Shapes whose points a clock moves.
fn scene(shapes: usize, points: f64, sigma: f64) -> EventScene {
    let mut b = SceneBuilder::new();
    let mut numbers = Numbers(7);
    let clock = b.node(&time_sensor(), "Clock");
    let list = || Value::MFVec3f([].into());
    let moving = interpolator("CoordinateInterpolator", list(), list());
    let shape = node_type("Coordinate", &[("point", Access::InputOutput, list())]);
    for k in 0..shapes {
        // A sum of twelve even numbers is nearly normal.
        let normal = (0..12).map(|_| f64::from(numbers.draw())).sum::<f64>() - 6.0;
        let n = (points * (sigma * normal - 0.5 * sigma * sigma).exp()).round().max(1.0) as usize;
        let from = b.node(&moving, format!("Points{k}"));
        let points = (0..3 * n).map(|_| [numbers.draw(), numbers.draw(), numbers.draw()]).collect();
        b.set(from, "key", Value::MFFloat([0.0, 0.5, 1.0].into()));
        b.set(from, "keyValue", Value::MFVec3f(points));
        let to = b.node(&shape, format!("Shape{k}"));
        b.route(clock, "fraction_changed", from, "set_fraction");
        b.route(from, "value_changed", to, "point");
    }
    b.scene
}

/// The median of frames \[ms\].
fn measure(scene: &EventScene, strategy: Strategy, executor: ExecutorKind, workers: usize) -> Result<f64> {
    let options = SimulationOptions { executor, ..graphs::workers(workers) };
    let events = EventOptions { mode: Mode::Levels(strategy), ..EventOptions::default() };
    let mut simulation = graphs::simulation(scene.clone(), events, &options);
    let mut times = Vec::new();
    for frame in 0..120 {
        let report = simulation.step()?;
        if frame >= 40 {
            times.push(report.total_ns as f64 * 1e-6);
        }
    }
    Ok(middle(times))
}
