//! Runs the gallery's falling objects and draws what each step cost: the picture in docs/speed.md.
//!
//! `cargo run --release --manifest-path examples/Cargo.toml --bin plot_a_run -- docs/falling.svg 500`

use std::fmt::Write;
use std::path::PathBuf;

use weft::prelude::*;

/// Width and height of the picture, and its margins [px].
const SIZE: [f64; 2] = [820.0, 360.0];
const LEFT: f64 = 56.0;
const RIGHT: f64 = 56.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 42.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().map_or_else(|| std::env::temp_dir().join("weft_falling.svg"), PathBuf::from);
    let steps: usize = arguments.next().map_or(Ok(40), |n| n.parse())?;

    let scene = weft::gallery::find("falling")?.elements(&[])?;
    let loaded = load_elements(scene, &LoadOptions::default())?;
    let threads = weft::simulation::default_workers();
    let options = SimulationOptions { threads, ..SimulationOptions::default() };
    let mut simulation = Simulation::new(loaded.scene, options)?;
    let mut history = Vec::with_capacity(steps);
    for _ in 0..steps {
        history.push(simulation.step()?);
    }
    let title = format!("falling: 40 objects, {} workers", simulation.workers());
    std::fs::write(&file, plot(&title, &history))?;
    println!("{} steps drawn in {}", steps, file.display());
    Ok(())
}

/// Milliseconds of the phases as areas on top of each other, contact points as a line.
fn plot(title: &str, history: &[StepReport]) -> String {
    let ms = |ns: u64| ns as f64 * 1e-6;
    // The median of nine steps: single steps that the system interrupts would hide the rest.
    let phases: Vec<[f64; 3]> = (0..history.len())
        .map(|i| {
            let near = &history[i.saturating_sub(4)..(i + 5).min(history.len())];
            let middle = |of: &dyn Fn(&StepReport) -> u64| {
                let mut v: Vec<u64> = near.iter().map(of).collect();
                v.sort_unstable();
                ms(v[v.len() / 2])
            };
            [middle(&|s| s.integrate_ns), middle(&|s| s.collision_ns), middle(&|s| s.graph_ns)]
        })
        .collect();
    let top_ms = nice(phases.iter().map(|p| p.iter().sum()).fold(1e-3, f64::max));
    let top_contacts = nice(history.iter().map(|s| s.contacts as f64).fold(1.0, f64::max));
    let n = history.len().max(2);
    let x = |i: usize| LEFT + (SIZE[0] - LEFT - RIGHT) * i as f64 / (n - 1) as f64;
    let y = |share: f64| SIZE[1] - BOTTOM - (SIZE[1] - TOP - BOTTOM) * share;

    let mut t = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        SIZE[0], SIZE[1]
    );
    let mut text = |x: f64, y: f64, anchor: &str, fill: &str, s: &str| {
        let _ = writeln!(
            t,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{s}</text>"
        );
    };
    text(LEFT, 20.0, "start", "black", title);
    for k in 0..=4 {
        let share = f64::from(k) / 4.0;
        text(
            LEFT - 6.0,
            y(share) + 4.0,
            "end",
            "black",
            &format!("{:.3}", top_ms * share).trim_end_matches('0').trim_end_matches('.').to_owned(),
        );
        text(
            SIZE[0] - RIGHT + 6.0,
            y(share) + 4.0,
            "start",
            "#b02020",
            &format!("{:.0}", top_contacts * share),
        );
        let step = n * k as usize / 4;
        text(x(step), SIZE[1] - BOTTOM + 16.0, "middle", "black", &step.to_string());
    }
    text(SIZE[0] / 2.0, SIZE[1] - 8.0, "middle", "black", "step");
    text(LEFT, TOP - 2.0, "start", "#606060", "ms per step");
    text(SIZE[0] - RIGHT, TOP - 2.0, "end", "#b02020", "contact points");

    let colors = [("integration", "#4a7ab5"), ("collision", "#8fbf6a"), ("plans", "#e0a040")];
    for (k, (name, color)) in colors.iter().enumerate() {
        let sum = |i: usize, m: usize| phases[i][..m].iter().sum::<f64>() / top_ms;
        let mut points = String::new();
        for i in 0..phases.len() {
            let _ = write!(points, "{:.1},{:.1} ", x(i), y(sum(i, k + 1)));
        }
        for i in (0..phases.len()).rev() {
            let _ = write!(points, "{:.1},{:.1} ", x(i), y(sum(i, k)));
        }
        let _ = writeln!(t, "<polygon points=\"{}\" fill=\"{color}\"/>", points.trim_end());
        let at = LEFT + 220.0 + 110.0 * k as f64;
        let _ = writeln!(t, "<rect x=\"{at}\" y=\"10\" width=\"12\" height=\"12\" fill=\"{color}\"/>");
        let _ = writeln!(t, "<text x=\"{}\" y=\"20\">{name}</text>", at + 17.0);
    }
    let mut line = String::new();
    for (i, s) in history.iter().enumerate() {
        let _ = write!(line, "{:.1},{:.1} ", x(i), y(s.contacts as f64 / top_contacts));
    }
    let line = line.trim_end();
    let _ =
        writeln!(t, "<polyline points=\"{line}\" fill=\"none\" stroke=\"#b02020\" stroke-width=\"1.2\"/>");
    let (left, right, bottom) = (LEFT, SIZE[0] - RIGHT, SIZE[1] - BOTTOM);
    let axes = format!("M{left},{TOP} V{bottom} H{right} V{TOP}");
    let _ = writeln!(t, "<path d=\"{axes}\" fill=\"none\" stroke=\"black\"/>\n</svg>");
    t
}

/// The next of 1, 2, 4, 8 (times a power of ten) that is not less.
fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 4.0, 8.0, 10.0].iter().map(|m| m * power).find(|v| *v >= value).unwrap_or(value)
}
