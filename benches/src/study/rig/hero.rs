//! The hero: building, first, full and single-control evaluation; recordings that are kept.

use std::fmt::Write;

use animation::rig::generate::{Seed, biped::biped, without_mathematics};
use animation::rig::{ControlId, Fusion, Rig, Settings};

use super::workers::{evaluator, full, measured, ms, replay};
use super::{Outcome, Size};

fn real(size: Size) -> Outcome<Rig> {
    Ok(biped(size.hero, 1)?)
}

fn empty(size: Size) -> Outcome<Rig> {
    Ok(without_mathematics(&biped(size.hero, 1)?)?)
}

/// Sizes, times and hits.
pub fn part(size: Size) -> Outcome<String> {
    let mut text = format!("## A hero of {} nodes\n\n", size.hero);
    text += "The paper: up to 150,000 nodes, which should be evaluated at close to 24 frames a second (41.7 ms).\n\n";
    text += "| nodes | workers | build ms | lay out ms | first ms | full, least ms | full, median ms | ns a node | tasks | levels | MB |\n";
    text += "|---|---|---|---|---|---|---|---|---|---|---|\n";
    let mut cached = String::new();
    type Make = fn(Size) -> Outcome<Rig>;
    for (name, make) in [("empty", empty as Make), ("with mathematics", real)] {
        for workers in [1, 2] {
            let (rig, built) = ms(|| make(size));
            let (e, laid) = ms(|| evaluator(rig?, replay(workers), Settings::default()));
            let mut e = e?;
            let (first, first_ms) = ms(|| e.evaluate());
            let first = first?;
            drop(e);
            let mut e = measured(make(size)?, replay(workers), Settings::default())?;
            let (least, median) = full(&mut e, size.rounds)?;
            let s = e.structure();
            writeln!(
                text,
                "| {name} | {workers} | {built:.0} | {laid:.0} | {first_ms:.1} | {least:.2} | {median:.2} | {:.1} | {} | {} | {:.1} |",
                least * 1e6 / first.nodes.max(1) as f64,
                s.n_blocks(),
                s.n_levels(),
                e.state_bytes() as f64 * 1e-6,
            )?;
            writeln!(cached, "{}", edits(&mut e, name, workers, size)?)?;
        }
    }
    let unfused =
        evaluator(real(size)?, replay(1), Settings { fusion: Some(Fusion::Off), ..Settings::default() })?;
    writeln!(
        text,
        "\nWithout fusion: {} tasks in {} levels.\n",
        unfused.structure().n_blocks(),
        unfused.structure().n_levels()
    )?;
    let e = measured(real(size)?, replay(1), Settings::default())?;
    let (path, length) = e.critical_path();
    let total: f64 = (0..e.rig().n_nodes() as u32).map(|k| e.cost_ns(animation::rig::NodeId(k))).sum();
    writeln!(
        text,
        "Critical path: {} nodes, {:.1} us of {:.1} us in all: an average concurrency of {:.0} at most. It ends in `{}`.\n",
        path.len(),
        length * 1e-3,
        total * 1e-3,
        total / length.max(1.0),
        path.last().map_or("", |n| e.rig().name_of(*n))
    )?;
    text += "## Edits of single controls\n\n| nodes | workers | edits | controls | hits | hit ms | of it beside the replay ms | misses | miss ms | of it beside the replay ms | a miss to a hit, beside the replay | least to most nodes |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    text += &cached;
    Ok(text)
}

/// Edits of a hundred controls in random order.
fn edits(e: &mut animation::rig::Evaluator, name: &str, workers: u32, size: Size) -> Outcome<String> {
    let mut seed = Seed::new(1);
    // The first control is time, of which everything hangs.
    let n = (e.rig().controls().len() - 1).min(100);
    let (mut hits, mut misses) = ([0.0; 3], [0.0; 3]);
    let (mut least, mut most) = (usize::MAX, 0);
    for _ in 0..size.edits {
        let control = ControlId(1 + seed.below(n) as u32);
        let off = seed.between(-0.5, 0.5);
        let value: Vec<f64> =
            e.rig().controls()[control.0 as usize].default.iter().map(|v| v + off).collect();
        e.set(control, &value)?;
        let (report, took) = ms(|| e.evaluate());
        let report = report?;
        let of = if report.hit { &mut hits } else { &mut misses };
        *of = [of[0] + 1.0, of[1] + took, of[2] + took - report.wall_ns as f64 * 1e-6];
        (least, most) = (least.min(report.nodes), most.max(report.nodes));
    }
    let mean = |of: [f64; 3], k: usize| of[k] / of[0].max(1.0);
    Ok(format!(
        "| {name} | {workers} | {} | {n} | {} | {:.4} | {:.4} | {} | {:.4} | {:.4} | {:.0} | {least} to {most} |",
        size.edits,
        hits[0],
        mean(hits, 1),
        mean(hits, 2),
        misses[0],
        mean(misses, 1),
        mean(misses, 2),
        mean(misses, 2) / mean(hits, 2).max(1e-6),
    ))
}
