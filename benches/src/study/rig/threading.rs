//! Threading inside nodes and of the graph: what each brings.

use std::fmt::Write;

use animation::rig::generate::biped::biped;
use animation::rig::node::Safety;
use animation::rig::nodes::Work;
use animation::rig::{NodeId, Rig, Settings};

use super::predicted::{machine, planned_for, said_for, time};
use super::workers::{full, measured, replay};
use super::{Outcome, Size};

/// What parts of nodes are to take [ns].
const PART_NS: f64 = 1000.0;

/// The rig with nothing beside a node but its own parts: threading inside nodes only.
fn nodes_only(size: Size) -> Outcome<Rig> {
    let mut rig = biped(size.threading, 1)?.divided(PART_NS)?;
    for node in (0..rig.n_nodes() as u32).map(NodeId) {
        if !rig.name_of(node).contains(" part ") {
            rig.set_safety(node, Some(Safety::GloballyUnsafe));
        }
    }
    Ok(rig)
}

fn whole(size: Size) -> Outcome<Rig> {
    Ok(biped(size.threading, 1)?)
}

fn both(size: Size) -> Outcome<Rig> {
    Ok(biped(size.threading, 1)?.divided(PART_NS)?)
}

/// Measured here, and predicted for 16 and 32 workers.
pub fn part(size: Size) -> Outcome<String> {
    let mut text = format!("## Threading inside nodes and of the graph ({} nodes)\n\n", size.threading);
    text += "The paper, 16 cores: inside nodes 1.35 times, the graph another 4.2 times, 5.7 in all; later 7 to 8.\n";
    text += "A node of which parts run beside each other is divided into nodes of 1 us or so; without threading of the graph, whatever is \
             not such a part runs alone.\n\n";
    text += "| | 1 worker ms | 2 workers ms | speedup | predicted on 16 | predicted on 32 |\n|---|---|---|---|---|---|\n";
    type Make = fn(Size) -> Outcome<Rig>;
    let settings = Settings::default;
    let mut base = None;
    for (name, make) in [("the graph", whole as Make), ("inside nodes", nodes_only), ("both", both)] {
        let one = full(&mut measured(make(size)?, replay(1), settings())?, size.rounds)?.1;
        let two = full(&mut measured(make(size)?, replay(2), settings())?, size.rounds)?.1;
        let predicted = |workers| -> Outcome<f64> {
            let mut e = planned_for(workers, &|| make(size), settings())?;
            time(&mut e, &machine(workers, false)?)
        };
        let alone = predicted(1)?;
        let base = *base.get_or_insert(alone);
        writeln!(
            text,
            "| {name} | {one:.2} | {two:.2} | {:.2} | {:.1} | {:.1} |",
            one / two,
            base / predicted(16)?,
            base / predicted(32)?
        )?;
    }
    text += "\n### A rig of which a fifteenth is serial\n\n";
    text += "The paper: 8 times on 16 cores would be 10 times on 32, by Amdahl's law.\n\n| workers | predicted | Amdahl |\n|---|---|---|\n";
    for workers in [2, 4, 8, 16, 32] {
        let time_on = |workers: u32| -> Outcome<f64> {
            time(&mut said_for(workers, serial_share()?, settings())?, &machine(workers, false)?)
        };
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
