//! The paper's Table 1: scene 3 in all ways, measured on one worker and two, and predicted for more.

use std::fmt::Write;

use animation::event::runtime::Strategy;
use anyhow::{Context, Result, bail};
use partition::simulate::Machine;

use super::levels::Frames;
use super::{Setting, Variant, graphs, measure, ratio};

/// A row of the table.
struct Way {
    name: &'static str,
    strategy: Strategy,
    options: [&'static str; 6],
    /// Speedups on 2, 4 and 6 cores.
    paper: [f64; 3],
}

const fn way(name: &'static str, strategy: Strategy, executor: &'static str, paper: [f64; 3]) -> Way {
    let options = ["--events", "levels", "--strategy", name, "--executor", executor];
    Way { name, strategy, options, paper }
}

/// The paper's Table 1, scene 3; each strategy on the executor that hands tasks out as it says.
const TABLE_1: [Way; 5] = [
    way("pool-static", Strategy::PoolStatic, "replay", [1.75, 3.04, 3.89]),
    way("pool-dynamic", Strategy::PoolDynamic, "stealing", [1.61, 2.50, 3.18]),
    way("loop-static", Strategy::LoopStatic, "fork-join", [1.84, 3.04, 4.00]),
    way("loop-guided", Strategy::LoopGuided, "fork-join", [1.79, 3.11, 4.00]),
    way("loop-dynamic", Strategy::LoopDynamic, "fork-join", [1.59, 2.50, 3.18]),
];
/// What the paper's speedups cannot exceed, by the share of its step that brings events.
const AMDAHL: [f64; 3] = [1.85, 3.21, 4.25];
/// A frame of scene 3 on one core of the paper's machine, as its figures imply \[ms\].
const PAPER_ONE_CORE: f64 = 142.0;
/// The numbers of cores that speedups are predicted for.
const PREDICTED: [u32; 4] = [4, 6, 16, 32];
/// The machine that they are predicted on.
const MACHINE: &str = "server-2x64";

/// Measures and predicts.
///
/// # Errors
/// A run fails.
pub fn page(text: &mut String, setting: &Setting<'_>) -> Result<()> {
    let set = format!("humanoids={}", setting.humanoids);
    let mut variants = Vec::new();
    for workers in [1, 2] {
        variants.push(Variant::new("dataflow", "parade", &["--set", &set], workers));
        for way in &TABLE_1 {
            let options = [&way.options, &["--set", set.as_str()][..]].concat();
            variants.push(Variant::new(way.name, "parade", &options, workers));
        }
    }
    measure(setting, &mut variants)?;
    let scene = graphs::scene_of(&graphs::parade(setting.humanoids, "flat")?)?;
    let mut frames = Frames::new(&scene);
    let (serial, bound) = {
        let frame = frames.of(Strategy::LoopStatic, 2)?;
        (frame.serial_share(), frame.bound(2.0))
    };
    let (ones, twos) = variants.split_at(variants.len() / 2);
    text.push_str(
        "\n## Table 1: scene 3\n\nMeasured.\n\n| way | one worker, ms | two, ms | speedup | Amdahl's bound here | the paper's, 2 cores | 4 | 6 |\n|---|---|---|---|---|---|---|---|\n",
    );
    let [two, four, six] = AMDAHL;
    let _ = writeln!(text, "| the paper's bound (Amdahl) | | | | | {two} | {four} | {six} |");
    for (one_worker, two) in ones.iter().zip(twos) {
        let paper = TABLE_1.iter().find(|way| way.name == one_worker.name);
        let (bound, paper) = match paper {
            Some(Way { paper: p, .. }) => (format!("{bound:.2}"), format!("{} | {} | {}", p[0], p[1], p[2])),
            None => ("2.00 (no step brings events)".to_owned(), " | | ".to_owned()),
        };
        let _ = writeln!(
            text,
            "| {} | {:.3} | {:.3} | {:.2} | {bound} | {paper} |",
            one_worker.name,
            one_worker.median(),
            two.median(),
            ratio(one_worker, two)
        );
    }
    let (one_ms, two_ms) = (ones[0].median(), twos[0].median());
    let speedup = ratio(&ones[0], &twos[0]);
    let said = |is_met: bool| if is_met { "met" } else { "not met" };
    let _ = writeln!(
        text,
        "\nThe share of the step that brings events (1 - p) is {:.3} in `levels`, the paper's 0.081.\n\nOn one core of the paper's machine a frame takes some \
         {PAPER_ONE_CORE} ms, as its figures imply; here {one_ms:.2} ms in `dataflow`, {:.0} ns a delivery. At most 5 ms on one core: {}; 3 ms on two: {}; \
         a speedup on two above 1.85: {} ({speedup:.2}).",
        serial,
        one_ms * 1e6 / (110.0 * setting.humanoids as f64),
        said(one_ms <= 5.0),
        said(two_ms <= 3.0),
        said(speedup > AMDAHL[0]),
    );
    predicted(text, setting, &mut frames, (ones, twos))
}

/// Both modes on more workers, and what such predictions say of one and two.
fn predicted(
    text: &mut String,
    setting: &Setting<'_>,
    frames: &mut Frames<'_>,
    (ones, twos): (&[Variant], &[Variant]),
) -> Result<()> {
    let machine = Machine::named(MACHINE)?;
    let _ = writeln!(
        text,
        "\n### Predicted\n\nFrom costs measured on one worker, for the machine `{MACHINE}`: `dataflow` by `weft predict`, `levels` batch by batch. Speedups, and for one and two workers \
         how far the prediction is from what was measured here.\n\n| way | 1, error | 2, error | 4 | 6 | 16 | 32 |\n|---|---|---|---|---|---|---|"
    );
    let (checked, speedups) = dataflow(setting)?;
    let of = |all: &[(u32, f64)], n: u32| all.iter().find(|(w, _)| *w == n).map_or(f64::NAN, |(_, s)| *s);
    let _ = write!(text, "| dataflow | {:+.1} % | {:+.1} % |", of(&checked, 1), of(&checked, 2));
    for n in PREDICTED {
        let _ = write!(text, " {:.2} |", of(&speedups, n));
    }
    text.push('\n');
    for way in &TABLE_1 {
        let mut ms =
            |n: u32| -> Result<f64> { Ok(frames.of(way.strategy, n)?.ms(way.strategy, n, &machine)) };
        let one = ms(1)?;
        let find =
            |all: &[Variant]| all.iter().find(|v| v.name == way.name).map_or(f64::NAN, Variant::median);
        let error = |predicted: f64, measured: f64| (predicted / measured - 1.0) * 100.0;
        let _ = write!(
            text,
            "| {} | {:+.1} % | {:+.1} % |",
            way.name,
            error(one, find(ones)),
            error(ms(2)?, find(twos))
        );
        for n in PREDICTED {
            let _ = write!(text, " {:.2} |", one / ms(n)?);
        }
        text.push('\n');
    }
    let bound = frames.of(Strategy::LoopStatic, 2)?;
    let _ = write!(text, "| Amdahl's bound in `levels` here | | {:.2} |", bound.bound(2.0));
    for n in PREDICTED {
        let _ = write!(text, " {:.2} |", bound.bound(f64::from(n)));
    }
    text.push_str("\n\nWhat an executor costs beside its tasks is measured on one worker, as the tasks are; a signal at each end of a batch, and a part taken from a common counter, are added.\n");
    Ok(())
}

/// By workers: how far predictions are off \[%\], and predicted speedups.
type Predictions = (Vec<(u32, f64)>, Vec<(u32, f64)>);

/// What `weft predict` says of dataflow.
fn dataflow(setting: &Setting<'_>) -> Result<Predictions> {
    let set = format!("humanoids={}", setting.humanoids);
    let csv = setting.out.join("predicted.csv");
    let run = |workers: &str, verify: bool| -> Result<String> {
        let mut command = setting.program.command();
        command.args(["predict", "parade", "--set", &set, "--machine", MACHINE, "--workers", workers]);
        command.args(["--steps", "30", "--csv"]).arg(&csv);
        if verify {
            command.arg("--verify");
        }
        let output = command.output().context("cannot start weft")?;
        if !output.status.success() {
            bail!("weft predict: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // `2 workers: predicted 1.2 ms, measured 1.3 ms per step, -7.0 %`
    let said = run("1,2", true)?;
    let checked = said.lines().filter_map(|line| {
        let (workers, rest) = line.split_once(" worker")?;
        let percent = rest.split_once(" per step, ")?.1.strip_suffix(" %")?;
        Some((workers.trim().parse().ok()?, percent.parse().ok()?))
    });
    let checked = checked.collect();
    let workers = PREDICTED.map(|n| n.to_string()).join(",");
    run(&workers, false)?;
    let table = std::fs::read_to_string(&csv)?;
    let row = |line: &str| {
        let mut cells = line.split(',');
        Some((cells.next()?.parse().ok()?, cells.nth(1)?.parse().ok()?))
    };
    Ok((checked, table.lines().skip(1).filter_map(row).collect()))
}
