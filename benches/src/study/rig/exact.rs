//! What is exact: which nodes run, what runs beside what, bits, paths.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use animation::rig::generate::biped::biped;
use animation::rig::generate::random::random;
use animation::rig::generate::{Seed, without_mathematics};
use animation::rig::node::{PortList, Safety};
use animation::rig::nodes::{Closure, Switch};
use animation::rig::value::PortType;
use animation::rig::{Backend, ControlId, Evaluator, NodeId, OutputId, Rig, Settings, Source, Threading};

use super::workers::{evaluator, replay};
use super::{Outcome, Size};
use crate::counting::counted;

/// What was counted, beside what must be.
pub fn part(size: Size) -> Outcome<String> {
    let mut text = "## Counts\n\n| what | found | must be |\n|---|---|---|\n".to_owned();
    let (nodes, expected, controls) = edits(size)?;
    writeln!(
        text,
        "| nodes that edits of {controls} controls ran, in {} nodes | {nodes} | {expected}, by a search along bindings |",
        size.hero
    )?;
    let (ran, dead) = switch()?;
    writeln!(text, "| nodes of the branch that a switch takes, of the other one | {ran}, {dead} | 100, 0 |")?;
    let (unsafe_most, all_most) = readers()?;
    writeln!(
        text,
        "| of two type-unsafe readers at once, of all nodes at once, on 2 workers | {unsafe_most}, {all_most} | 1, 2 |"
    )?;
    let n = if size.hero > 10_000 { 1000 } else { 50 };
    writeln!(
        text,
        "| random rigs whose bits are the same with the kill switch, with threads, and one node by one, of {n} | {} | {n} |",
        switched(n)?
    )?;
    writeln!(
        text,
        "| random rigs whose critical path is the longest of all ways, gone through one by one, of {n} | {} | {n} |",
        paths(n)?
    )?;
    let (frames, all, one) = allocations(size)?;
    writeln!(
        text,
        "| allocations in {frames} replayed frames on 2 workers, of all nodes and of one control, in {} nodes | {all}, {one} | 0, 0 |",
        size.hero
    )?;
    Ok(text)
}

/// Frames whose recordings are kept: how many they are, and what was allocated in them, on all threads, in full evaluations and after edits
/// of one control.
fn allocations(size: Size) -> Outcome<(u32, usize, usize)> {
    const FRAMES: u32 = 20;
    let mut e = evaluator(biped(size.hero, 1)?, replay(2), Settings::default())?;
    let control = ControlId(0);
    let mut value = e.rig().controls()[0].default.clone();
    let mut frame = |e: &mut Evaluator, is_full: bool| -> Outcome<()> {
        if is_full {
            e.touch_all();
        } else {
            value[0] += 0.001;
            e.set(control, &value)?;
        }
        e.evaluate()?;
        Ok(())
    };
    let mut found = [0; 2];
    for (is_full, found) in [true, false].into_iter().zip(&mut found) {
        // The first ones are recorded, and reach what memory they need.
        (0..4).try_for_each(|_| frame(&mut e, is_full))?;
        let (ran, allocated) = counted(|| (0..FRAMES).try_for_each(|_| frame(&mut e, is_full)));
        ran?;
        *found = allocated;
    }
    Ok((FRAMES, found[0], found[1]))
}

/// Edits of single controls: nodes that ran, and those that a search along bindings finds.
fn edits(size: Size) -> Outcome<(usize, usize, usize)> {
    let rig = without_mathematics(&biped(size.hero, 1)?)?;
    let mut readers: Vec<Vec<NodeId>> = vec![Vec::new(); rig.n_nodes()];
    let mut of_control: Vec<Vec<NodeId>> = vec![Vec::new(); rig.controls().len()];
    for node in (0..rig.n_nodes() as u32).map(NodeId) {
        for input in 0..rig.ports(node).inputs.len() {
            match rig.source(node, input) {
                Source::Output(from, _) => readers[from.0 as usize].push(node),
                Source::Control(control) => of_control[control.0 as usize].push(node),
                _ => {}
            }
        }
    }
    // All outputs are asked for, so what leads to one is needed.
    let mut needed = vec![false; rig.n_nodes()];
    let mut open: Vec<NodeId> =
        (0..rig.outputs().count() as u32).map(|k| rig.output_port(OutputId(k)).0).collect();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut needed[node.0 as usize], true) {
            continue;
        }
        for input in 0..rig.ports(node).inputs.len() {
            if let Source::Output(from, _) = rig.source(node, input) {
                open.push(*from);
            }
        }
    }
    let n = rig.controls().len();
    let mut e = evaluator(rig, replay(2), Settings::default())?;
    e.evaluate()?;
    let (mut ran, mut expected) = (0, 0);
    for (control, mut open) in (0..n as u32).zip(of_control) {
        e.set(ControlId(control), &[7.0 + f64::from(control)])?;
        ran += e.evaluate()?.nodes;
        let mut met = BTreeSet::new();
        while let Some(node) = open.pop() {
            if met.insert(node) {
                open.extend(&readers[node.0 as usize]);
            }
        }
        expected += met.iter().filter(|n| needed[n.0 as usize]).count();
    }
    Ok((ran, expected, n))
}

/// A hundred nodes in each of two branches: those of the one that is taken and of the other that ran when the switch turned.
fn switch() -> Outcome<(usize, usize)> {
    let ran = [Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0))];
    let mut rig = Rig::new("switch");
    let [index, pose] = [rig.scalar_control("level")?, rig.scalar_control("pose")?];
    let turn = rig.node(
        "turn",
        Closure::new(
            "index",
            PortList::new().input("a", PortType::Scalar).output("b", PortType::Index),
            |p| {
                let a = p.scalar(0);
                p.set_scalar(0, a);
            },
        )
        .safe(Safety::Reentrant),
    )?;
    rig.bind_control(index, turn, 0)?;
    let switch = rig.node("switch", Switch { branches: 2, of: PortType::Scalar })?;
    rig.bind(turn, 0, switch, Switch::INDEX)?;
    for (branch, ran) in ran.iter().enumerate() {
        let mut last: Option<NodeId> = None;
        for k in 0..100 {
            let ran = ran.clone();
            let ports = PortList::new().input("a", PortType::Scalar).output("b", PortType::Scalar);
            let counted = Closure::new("counted", ports, move |p| {
                ran.fetch_add(1, Ordering::Relaxed);
                let a = p.scalar(0);
                p.set_scalar(0, a);
            });
            let node = rig.node(format!("{branch} {k}"), counted.safe(Safety::Reentrant))?;
            match last {
                Some(last) => rig.bind(last, 0, node, 0)?,
                None => rig.bind_control(pose, node, 0)?,
            }
            last = Some(node);
        }
        if let Some(last) = last {
            rig.bind(last, 0, switch, Switch::branch(branch))?;
        }
    }
    rig.output("out", switch, 0)?;
    let mut e = evaluator(rig, replay(2), Settings::default())?;
    e.evaluate()?;
    ran.iter().for_each(|ran| ran.store(0, Ordering::Relaxed));
    e.set(index, &[1.0])?;
    e.evaluate()?;
    Ok((ran[1].load(Ordering::Relaxed), ran[0].load(Ordering::Relaxed)))
}

/// A pair of readers of a type-unsafe kind beside others: the most of both, and of all, that ever ran at once.
fn readers() -> Outcome<(usize, usize)> {
    #[derive(Default)]
    struct Inside(AtomicUsize, AtomicUsize);
    impl Inside {
        fn stay(&self) {
            self.1.fetch_max(self.0.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            (0..20_000).for_each(|_| std::hint::spin_loop());
        }
        fn leave(&self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let (both, all) = (Arc::new(Inside::default()), Arc::new(Inside::default()));
    let mut rig = Rig::new("readers");
    let file = rig.scalar_control("file")?;
    let ports = || PortList::new().input("file", PortType::Scalar).output("data", PortType::Scalar);
    for k in 0..8 {
        let (readers, everyone) = (both.clone(), all.clone());
        let node = if k < 2 {
            let reader = Closure::new("fbx-reader", ports(), move |p| {
                readers.stay();
                everyone.stay();
                everyone.leave();
                readers.leave();
                let file = p.scalar(0);
                p.set_scalar(0, file);
            });
            rig.node(format!("reader {k}"), reader.safe(Safety::TypeUnsafe).cost_ns(50_000.0))?
        } else {
            let other = Closure::new("other", ports(), move |p| {
                everyone.stay();
                everyone.leave();
                let file = p.scalar(0);
                p.set_scalar(0, file);
            });
            rig.node(format!("other {k}"), other.safe(Safety::Reentrant).cost_ns(50_000.0))?
        };
        rig.bind_control(file, node, 0)?;
        rig.output(format!("o{k}"), node, 0)?;
    }
    let mut e = evaluator(rig, replay(2), Settings::default())?;
    for k in 0..200 {
        e.set(file, &[f64::from(k) + 1.0])?;
        e.evaluate()?;
    }
    Ok((both.1.load(Ordering::SeqCst), all.1.load(Ordering::SeqCst)))
}

/// The bits of all outputs after some edits.
fn bits(mut e: Evaluator, seed: u64) -> Outcome<Vec<u64>> {
    let (mut seed, mut found) = (Seed::new(seed), Vec::new());
    for _ in 0..3 {
        let control = ControlId(seed.below(e.rig().controls().len()) as u32);
        let len = e.rig().controls()[control.0 as usize].of.len();
        e.set(control, &(0..len).map(|_| seed.between(-1.0, 1.0)).collect::<Vec<_>>())?;
        e.evaluate()?;
        let n = e.rig().outputs().count() as u32;
        found.extend((0..n).flat_map(|k| e.value(OutputId(k))).map(|v| v.to_bits()));
    }
    Ok(found)
}

/// How many random rigs have the same bits with threads of all sorts, without any, and one node by one.
fn switched(n: u64) -> Outcome<u64> {
    let mut same = 0;
    for seed in 0..n {
        let rig = random(20, seed)?;
        let expected = bits(evaluator(rig.clone(), Backend::sequential(), Settings::default())?, seed)?;
        let divided = rig.divided(10.0)?;
        let with = |graph, nodes| -> Outcome<bool> {
            let settings = Settings { threading: Threading { graph, nodes }, ..Settings::default() };
            Ok(bits(evaluator(divided.clone(), replay(2), settings)?, seed)? == expected)
        };
        let threaded = [(true, true), (true, false), (false, true)][seed as usize % 3];
        same += u64::from(with(threaded.0, threaded.1)? && with(false, false)?);
    }
    Ok(same)
}

/// How many random rigs have a critical path that is the longest of all ways.
fn paths(n: u64) -> Outcome<u64> {
    /// The longest way that ends in a node, by going through all of them.
    fn longest(e: &Evaluator, node: NodeId) -> f64 {
        let inputs = 0..e.rig().ports(node).inputs.len();
        let before = inputs.filter_map(|k| match e.rig().source(node, k) {
            Source::Output(from, _) => Some(longest(e, *from)),
            _ => None,
        });
        e.cost_ns(node) + before.fold(0.0, f64::max)
    }
    let mut same = 0;
    for seed in 0..n {
        let e = evaluator(random(14, seed)?, Backend::sequential(), Settings::default())?;
        let all = (0..e.rig().n_nodes() as u32).map(|k| longest(&e, NodeId(k))).fold(0.0, f64::max);
        let (path, length) = e.critical_path();
        let sum: f64 = path.iter().map(|n| e.cost_ns(*n)).sum();
        let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.max(b);
        same += u64::from(is_near(all, length) && is_near(sum, length));
    }
    Ok(same)
}
