//! What runs is exactly what must: compared with a search that goes along bindings one by one.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use weft_animation::rig::generate::{Seed, biped::biped};
use weft_animation::rig::node::{PortList, Safety};
use weft_animation::rig::nodes::{Closure, Switch};
use weft_animation::rig::value::PortType;
use weft_animation::rig::{Backend, ControlId, Evaluator, NodeId, OutputId, Rig, Settings, Source};

use crate::backends::replay;

/// A node that notes that it ran.
fn noting(
    k: usize,
    inputs: usize,
    ran: &Arc<Mutex<BTreeSet<usize>>>,
) -> impl weft_animation::rig::node::NodeKind + use<> {
    let mut ports = PortList::new();
    for i in 0..inputs {
        ports = ports.input(format!("i{i}"), PortType::Scalar);
    }
    // The second output depends on the first input only.
    let mut ports = ports.output("a", PortType::Scalar).output("b", PortType::Scalar);
    for i in 1..inputs {
        ports = ports.independent(1, i);
    }
    let ran = ran.clone();
    let note = Closure::new("noting", ports, move |p| {
        ran.lock().expect("no panic").insert(k);
        let sum = (0..p.n_inputs()).map(|i| p.scalar(i)).sum::<f64>();
        p.set_scalar(0, sum + 1.0);
        let first = if p.n_inputs() > 0 { p.scalar(0) } else { 0.0 };
        p.set_scalar(1, 0.5 * first);
    });
    note.safe(Safety::Reentrant)
}

#[test]
fn an_edit_runs_the_nodes_between_control_and_request_and_no_other() {
    for seed in 0..40 {
        let mut seed = Seed::new(seed);
        let ran = Arc::new(Mutex::new(BTreeSet::new()));
        let mut rig = Rig::new("random");
        let controls: Vec<ControlId> = (0..3).map(|k| rig.scalar_control(format!("c{k}")).unwrap()).collect();
        let n = 30;
        for k in 0..n {
            let inputs = 1 + seed.below(3);
            let node = rig.node(format!("n{k}"), noting(k, inputs, &ran)).unwrap();
            for i in 0..inputs {
                match seed.below(5) {
                    0 => rig.bind_control(controls[seed.below(3)], node, i).unwrap(),
                    _ if k > 0 => rig.bind(NodeId(seed.below(k) as u32), seed.below(2), node, i).unwrap(),
                    _ => {}
                }
            }
        }
        let wanted: Vec<NodeId> = (0..3).map(|k| NodeId((n - 1 - 3 * k) as u32)).collect();
        let outputs: Vec<OutputId> = wanted
            .iter()
            .enumerate()
            .map(|(k, node)| rig.output(format!("o{k}"), *node, 0).unwrap())
            .collect();
        let sources: Vec<Vec<Source>> = (0..n as u32)
            .map(|k| {
                (0..rig.ports(NodeId(k)).inputs.len()).map(|i| rig.source(NodeId(k), i).clone()).collect()
            })
            .collect();
        let mut evaluator = Evaluator::new(rig, Backend::sequential(), Settings::default()).unwrap();
        // What is dirty, as the search has it: attributes.
        let mut dirty: BTreeSet<(u32, u32)> = (0..n as u32).flat_map(|k| [(k, 0), (k, 1)]).collect();
        for step in 0..8 {
            let control = controls[seed.below(3)];
            evaluator.set(control, &[f64::from(step) + 1.0]).unwrap();
            let request = seed.below(3);
            evaluator.request(&[outputs[request]]).unwrap();
            // Downwards until nothing changes.
            loop {
                let before = dirty.len();
                for k in 0..n as u32 {
                    for (i, source) in sources[k as usize].iter().enumerate() {
                        let is_dirty = match source {
                            Source::Control(c) => *c == control,
                            Source::Output(from, port) => dirty.contains(&(from.0, *port)),
                            _ => false,
                        };
                        if is_dirty {
                            dirty.insert((k, 0));
                            if i == 0 {
                                dirty.insert((k, 1));
                            }
                        }
                    }
                }
                if dirty.len() == before {
                    break;
                }
            }
            // Upwards.
            let mut must: BTreeSet<usize> = BTreeSet::new();
            let mut open = vec![(wanted[request].0, 0)];
            let mut seen = BTreeSet::new();
            while let Some((k, o)) = open.pop() {
                if dirty.contains(&(k, o)) && seen.insert((k, o)) {
                    must.insert(k as usize);
                    for (i, source) in sources[k as usize].iter().enumerate() {
                        if let Source::Output(from, port) = source
                            && (o == 0 || i == 0)
                        {
                            open.push((from.0, *port));
                        }
                    }
                }
            }
            dirty.retain(|a| !seen.contains(a));
            ran.lock().unwrap().clear();
            let report = evaluator.evaluate().unwrap();
            assert_eq!(*ran.lock().unwrap(), must);
            assert_eq!(report.nodes, must.len());
        }
    }
}

#[test]
fn a_control_is_found_again_and_nothing_runs_that_hangs_on_others() {
    let mut evaluator = Evaluator::new(biped(3000, 1).unwrap(), replay(2), Settings::default()).unwrap();
    let full = evaluator.evaluate().unwrap();
    assert_eq!((full.nodes, full.hit), (3000, false));
    assert!(full.tasks * 20 < full.nodes, "{} tasks", full.tasks);
    let thumb = evaluator.rig().find_control("left thumb 3 rotate").unwrap();
    for k in 1..4 {
        evaluator.set(thumb, &[0.1 * f64::from(k), 0.0, 0.0]).unwrap();
        let report = evaluator.evaluate().unwrap();
        // The sum of angles, the joint, the finger's skin, the mesh.
        assert_eq!((report.nodes, report.hit), (4, k > 1));
    }
}

#[test]
fn recordings_are_kept_up_to_a_number_and_made_again_beyond() {
    const KEPT: usize = 5;
    let of = |plans| {
        let settings = Settings { plans, ..Settings::default() };
        Evaluator::new(biped(400, 3).unwrap(), replay(2), settings).unwrap()
    };
    let (mut few, mut all) = (of(KEPT), of(usize::MAX));
    let n = few.rig().controls().len() as u32;
    let (mut seed, mut hits) = (Seed::new(9), [0, 0]);
    for k in 0..400 {
        // Some are edited again and again, others seldom.
        let control =
            ControlId(if k % 2 == 0 { seed.below(3) as u32 } else { seed.below(n as usize) as u32 });
        let len = few.rig().controls()[control.0 as usize].of.len();
        let value: Vec<f64> = (0..len).map(|_| seed.between(-0.5, 0.5)).collect();
        for (e, hits) in [&mut few, &mut all].into_iter().zip(&mut hits) {
            e.set(control, &value).unwrap();
            *hits += usize::from(e.evaluate().unwrap().hit);
        }
        assert!(few.n_plans() <= KEPT, "{} are kept", few.n_plans());
        for output in (0..few.rig().outputs().count() as u32).map(OutputId) {
            assert_eq!(few.value(output), all.value(output));
        }
    }
    assert!(few.n_plans() == KEPT && all.n_plans() > 5 * KEPT, "{} and {}", few.n_plans(), all.n_plans());
    assert!(0 < hits[0] && hits[0] < hits[1], "{hits:?}");
}

#[test]
fn of_a_switch_within_a_switch_only_what_counts_runs() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let mut rig = Rig::new("nested");
    let [outer, inner, pose] = ["outer", "inner", "pose"].map(|n| rig.scalar_control(n).unwrap());
    let counted = |rig: &mut Rig, name: &str, of: PortType| {
        let ports = PortList::new().input("a", PortType::Scalar).output("b", of);
        let node = Closure::new("counted", ports, |p| {
            RUNS.fetch_add(1, Ordering::Relaxed);
            let a = p.scalar(0);
            p.set_scalar(0, a);
        });
        rig.node(name, node.safe(Safety::Reentrant)).unwrap()
    };
    let index = counted(&mut rig, "inner index", PortType::Index);
    rig.bind_control(inner, index, 0).unwrap();
    let branches = ["low", "high", "other"].map(|name| {
        let node = counted(&mut rig, name, PortType::Scalar);
        rig.bind_control(pose, node, 0).unwrap();
        node
    });
    let first = rig.node("inside", Switch { branches: 2, of: PortType::Scalar }).unwrap();
    rig.bind(index, 0, first, 0).unwrap();
    rig.bind(branches[0], 0, first, 1).unwrap();
    rig.bind(branches[1], 0, first, 2).unwrap();
    let second = rig.node("outside", Switch { branches: 2, of: PortType::Scalar }).unwrap();
    let second_index = counted(&mut rig, "outer index", PortType::Index);
    rig.bind_control(outer, second_index, 0).unwrap();
    rig.bind(second_index, 0, second, 0).unwrap();
    rig.bind(first, 0, second, 1).unwrap();
    rig.bind(branches[2], 0, second, 2).unwrap();
    rig.output("out", second, 0).unwrap();
    let mut e = Evaluator::new(rig, Backend::sequential(), Settings::default()).unwrap();
    let run = |e: &mut Evaluator| {
        RUNS.store(0, Ordering::Relaxed);
        e.evaluate().unwrap();
        RUNS.load(Ordering::Relaxed)
    };
    // Both indices, one branch.
    assert_eq!(run(&mut e), 3);
    e.set(inner, &[1.0]).unwrap();
    assert_eq!(run(&mut e), 2);
    e.set(outer, &[1.0]).unwrap();
    assert_eq!(run(&mut e), 2);
    // The inner switch does not count now: not even its index runs.
    e.set(inner, &[0.0]).unwrap();
    assert_eq!(run(&mut e), 0);
    e.set(pose, &[4.0]).unwrap();
    assert_eq!(run(&mut e), 1);
    // It counts again: both indices, and the branch, which is out of date.
    e.set(outer, &[0.0]).unwrap();
    assert_eq!(run(&mut e), 3);
    assert_eq!(e.value(e.rig().find_output("out").unwrap()), [4.0]);
    assert!(e.why_rebuilt().iter().any(|why| why.to_string().contains("`outside` stands otherwise now")));
}

#[test]
fn what_ran_in_vain_is_counted() {
    let mut rig = Rig::new("vain");
    let [a, choice] = ["a", "choice"].map(|n| rig.scalar_control(n).unwrap());
    let pass = rig.kind(weft_animation::rig::nodes::Pass { inputs: 1 });
    let [left, before, right] = ["left", "before", "right"].map(|n| rig.add(n, pass).unwrap());
    rig.bind_control(a, left, 0).unwrap();
    rig.bind_control(a, before, 0).unwrap();
    rig.bind(before, 0, right, 0).unwrap();
    // Static rules do not know that only one of both is read.
    let ports = PortList::new()
        .input("c", PortType::Scalar)
        .input("l", PortType::Scalar)
        .input("r", PortType::Scalar);
    let choose = Closure::new("choose", ports.output("o", PortType::Scalar), |p| {
        let k = if p.scalar(0) > 0.5 { 2 } else { 1 };
        let value = p.scalar(k);
        p.set_scalar(0, value);
    });
    let choose = rig.node("choose", choose.safe(Safety::Reentrant)).unwrap();
    rig.bind_control(choice, choose, 0).unwrap();
    rig.bind(left, 0, choose, 1).unwrap();
    rig.bind(right, 0, choose, 2).unwrap();
    rig.output("out", choose, 0).unwrap();
    let settings = Settings { count_reads: true, ..Settings::default() };
    let mut e = Evaluator::new(rig, replay(2), settings).unwrap();
    e.set(a, &[1.0]).unwrap();
    assert_eq!(e.evaluate().unwrap().nodes, 4);
    let names = |e: &Evaluator| -> Vec<String> {
        e.over_computed().unwrap().iter().map(|(_, n)| e.rig().name_of(*n).to_owned()).collect()
    };
    assert_eq!(names(&e), ["before", "right"]);
    e.set(choice, &[1.0]).unwrap();
    e.set(a, &[2.0]).unwrap();
    e.evaluate().unwrap();
    assert_eq!(names(&e), ["left"]);
}
