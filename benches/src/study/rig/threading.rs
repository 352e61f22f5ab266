//! Threading inside nodes and of the graph: what each brings.

use std::fmt::Write;

use animation::rig::generate::biped::biped;
use animation::rig::generate::film::film;
use animation::rig::node::Safety;
use animation::rig::nodes::Work;
use animation::rig::{LOOP_NS, Rig, Settings, Threading};

use super::predicted::{Costed, here, machine};
use super::workers::{evaluator, full, replay};
use super::{Outcome, Size};

/// Measured here, and predicted for 16 and 32 workers.
pub fn part(size: Size) -> Outcome<String> {
    let mut text = format!("## Threading inside nodes and of the graph ({} nodes)\n\n", size.threading);
    text += "The paper, 16 cores: inside nodes 1.35 times, the graph another 4.2 times, 5.7 in all; later 7 to 8.\n";
    writeln!(
        text,
        "`film` is the biped with what is serial in film characters: a motion system solved step by step, layers of shapes on the skin, each on \
         top of the one before. Nodes longer than {:.1} us are divided into parts of about that (the paper: 10,000 cycles). What is not \
         threaded is switched off at run time (`set_threading`).\n",
        LOOP_NS * 1e-3
    )?;
    text += "Predicted: the recorded tasks with the costs measured on one worker, walked with a clock per worker (`partition::simulate`), on one \
             processor with latencies as in `server-2x64`.\n\n";
    text += "| rig | threads | tasks for 16 | 1 worker ms | 2 workers ms | speedup | predicted on 2, here | error | predicted on 16 | predicted on 32 |\n";
    text += "|---|---|---|---|---|---|---|---|---|---|\n";
    let (this, mut notes) = (here(), String::new());
    let rigs: [(&str, Rig); 2] = [("film", film(size.threading, 1)?), ("biped", biped(size.threading, 1)?)];
    for (name, rig) in rigs {
        let whole = Costed::new(rig, Settings::default(), size.rounds)?;
        // Divided by what was measured, not by what kinds say of themselves.
        let divided = whole.laid_out(1, Settings::default())?.rig().divided(LOOP_NS)?;
        let divided = Costed::new(divided, Settings::default(), size.rounds)?;
        let base = whole.on(1, &machine(1, false)?, Settings::default())?;
        let modes = [
            ("none", false, false),
            ("inside nodes", false, true),
            ("of the graph", true, false),
            ("both", true, true),
        ];
        for (what, graph, nodes) in modes {
            let settings = || Settings { threading: Threading { graph, nodes }, ..Settings::default() };
            let costed = if nodes { &divided } else { &whole };
            let on = |workers| -> Outcome<f64> { costed.on(workers, &machine(workers, false)?, settings()) };
            // Milliseconds, and what the workers beside the first did of it.
            let measured = |workers| -> Outcome<(f64, f64)> {
                let rig = costed.laid_out(1, settings())?.rig().clone();
                let mut e = evaluator(rig, replay(workers), settings())?;
                e.evaluate()?;
                let least = full(&mut e, 4 * size.rounds)?.0;
                let others = e.executor().workers().iter().skip(1).map(|w| w.busy_ns as f64 * 1e-6);
                Ok((least, others.sum()))
            };
            let ((one, _), (two, second)) = (measured(1)?, measured(2)?);
            let predicted = costed.on(2, &this, settings())?;
            writeln!(
                text,
                "| {name} | {what} | {} | {one:.2} | {two:.2} | {:.2} | {predicted:.2} | {:+.0} % | {:.1} | {:.1} |",
                costed.laid_out(16, settings())?.structure().n_blocks(),
                whole.one_ms / two,
                100.0 * (predicted / two - 1.0),
                base / on(16)?,
                base / on(32)?
            )?;
            if nodes && !graph {
                let loops: f64 =
                    costed.laid_out(1, settings())?.rig().loops().iter().map(|l| l.cost_ns).sum();
                let (loops, gain) = (loops * 1e-6, two / whole.one_ms.max(1e-9));
                writeln!(
                    notes,
                    "\nInside nodes of `{name}`: {loops:.2} of {:.2} ms are in loops that are divided, so two workers gain {:.2} ms at most. The second one computed for {second:.2} ms of the last \
                     evaluation; all of it took {gain:.2} times as long as whole nodes do on one.",
                    whole.one_ms,
                    0.5 * loops,
                )?;
            }
        }
        let e = whole.laid_out(16, Settings::default())?;
        let (path, length) = e.critical_path();
        let total: f64 = (0..e.rig().n_nodes() as u32).map(|k| e.cost_ns(animation::rig::NodeId(k))).sum();
        writeln!(
            notes,
            "\nCritical path of `{name}`: {} nodes, 1/{:.1} of the time of all: so many times as fast at most, as long as nodes are whole.",
            path.len(),
            total / length.max(1.0),
        )?;
        if name == "film" {
            notes += &loops(&divided)?;
        }
    }
    Ok(text + &notes + &amdahl()?)
}

/// The loops inside nodes, of which each is so many parts.
fn loops(divided: &Costed) -> Outcome<String> {
    let e = divided.laid_out(1, Settings::default())?;
    let loops = e.rig().loops();
    let all: f64 = loops.iter().map(|l| l.cost_ns).sum();
    let mut text = format!(
        "\nLoops of {} nodes are divided, {:.0} us in all. The longest:\n\n",
        loops.len(),
        all * 1e-3
    );
    text +=
        "| node | kind | trip count (points) | parts | us | longest part us |\n|---|---|---|---|---|---|\n";
    for of in loops.iter().take(5) {
        let (name, us, longest) = (e.rig().name_of(of.node), of.cost_ns * 1e-3, of.longest_ns * 1e-3);
        writeln!(text, "| `{name}` | {} | {} | {} | {us:.1} | {longest:.1} |", of.kind, of.points, of.parts)?;
    }
    Ok(text)
}

/// Workers of the rig of which a fifteenth is serial.
fn amdahl() -> Outcome<String> {
    let mut text = "\n### A rig of which a fifteenth is serial\n\n".to_owned();
    text += "The paper: 8 times on 16 cores would be 10 times on 32, by Amdahl's law.\n\n| workers | predicted | Amdahl |\n|---|---|---|\n";
    let rig = Costed::said(serial_share()?);
    let time_on = |workers: u32| rig.on(workers, &machine(workers, false)?, Settings::default());
    for workers in [2, 4, 8, 16, 32] {
        let amdahl = 1.0 / (0.067 + 0.933 / f64::from(workers));
        writeln!(text, "| {workers} | {:.2} | {amdahl:.2} |", time_on(1)? / time_on(workers)?)?;
    }
    Ok(text)
}

/// 67 nodes one after the other, then 933 side by side, all alike.
fn serial_share() -> Outcome<Rig> {
    let mut rig = Rig::new("serial share");
    let control = rig.scalar_control("pose")?;
    let kind = rig.kind(Work { inputs: 1, rounds: 1300, safety: Safety::Reentrant });
    let mut last = rig.add("serial 0", kind)?;
    rig.bind_control(control, last, 0)?;
    for k in 1..67 {
        let node = rig.add(format!("serial {k}"), kind)?;
        rig.bind(last, 0, node, 0)?;
        last = node;
    }
    for k in 0..933 {
        let node = rig.add(format!("parallel {k}"), kind)?;
        rig.bind(last, 0, node, 0)?;
        rig.output(format!("out {k}"), node, 0)?;
    }
    Ok(rig)
}
