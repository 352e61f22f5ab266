//! What must not run at the same time does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use weft_animation::rig::node::{PortList, Safety};
use weft_animation::rig::nodes::Closure;
use weft_animation::rig::value::PortType;
use weft_animation::rig::{Evaluator, Fusion, NodeId, Rig, Settings};

use crate::backends::all;

/// How many nodes run now, and the most that ever did.
#[derive(Default)]
struct Inside {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Inside {
    fn stay(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        for _ in 0..300 {
            std::hint::spin_loop();
        }
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A rig of nodes side by side: of two unsafe kinds that read files, and of others.
fn rig(of_readers: Option<Safety>, readers: &Arc<Inside>, all: &Arc<Inside>) -> Rig {
    let mut rig = Rig::new("readers");
    let control = rig.scalar_control("file").unwrap();
    let ports = || PortList::new().input("file", PortType::Scalar).output("data", PortType::Scalar);
    let (inside, everyone) = (readers.clone(), all.clone());
    let reader = Closure::new("fbx-reader", ports(), move |p| {
        inside.stay();
        everyone.stay();
        let file = p.scalar(0);
        p.set_scalar(0, file + 1.0);
    });
    let reader = match of_readers {
        Some(safety) => rig.kind(reader.safe(safety)),
        None => rig.kind(reader),
    };
    let everyone = all.clone();
    let other = Closure::new("other", ports(), move |p| {
        everyone.stay();
        let file = p.scalar(0);
        p.set_scalar(0, 2.0 * file);
    });
    let other = rig.kind(other.safe(Safety::Reentrant));
    let mut before: Vec<NodeId> = Vec::new();
    for level in 0..3 {
        let mut here = Vec::new();
        for k in 0..6 {
            let kind = if k < 2 { reader } else { other };
            let node = rig.add(format!("n{level} {k}"), kind).unwrap();
            match before.get((k + 1) % 6) {
                Some(before) => rig.bind(*before, 0, node, 0).unwrap(),
                None => rig.bind_control(control, node, 0).unwrap(),
            }
            here.push(node);
        }
        before = here;
    }
    for (k, node) in before.iter().enumerate() {
        rig.output(format!("o{k}"), *node, 0).unwrap();
    }
    rig
}

#[test]
fn readers_take_turns_and_what_is_globally_unsafe_runs_alone() {
    let classes = [
        (Some(Safety::TypeUnsafe), false),
        (Some(Safety::GroupUnsafe("fbx".into())), false),
        (Some(Safety::GloballyUnsafe), true),
        (None, true),
    ];
    for (safety, is_alone) in classes {
        for (name, backend) in all() {
            let (readers, everyone) = (Arc::new(Inside::default()), Arc::new(Inside::default()));
            let settings = Settings { fusion: Some(Fusion::Off), ..Settings::default() };
            let mut e = Evaluator::new(rig(safety.clone(), &readers, &everyone), backend, settings).unwrap();
            let control = e.rig().find_control("file").unwrap();
            for k in 0..20 {
                e.set(control, &[f64::from(k)]).unwrap();
                e.evaluate().unwrap();
            }
            assert_eq!(readers.most.load(Ordering::SeqCst), 1, "{name}, {safety:?}");
            let node = e.rig().find("n0 0").unwrap();
            let why: Vec<String> = e.why_serial(node).iter().map(ToString::to_string).collect();
            if is_alone {
                let said = if safety.is_some() { "declared globally unsafe" } else { "nobody has said" };
                assert!(why[0].contains(said), "{why:?}");
            } else {
                assert!(why[0].contains("never beside `n0 1`"), "{why:?}");
            }
            let warned = e.warnings();
            assert_eq!(warned.len(), usize::from(safety.is_none()), "{warned:?}");
            assert!(
                warned.iter().all(|w| w.contains("6 nodes of kind `fbx-reader` run alone")),
                "{warned:?}"
            );
        }
    }
}

#[test]
fn a_class_is_overridden_at_run_time() {
    let (readers, everyone) = (Arc::new(Inside::default()), Arc::new(Inside::default()));
    let rig = rig(None, &readers, &everyone);
    let mut e = Evaluator::new(rig, crate::backends::replay(2), Settings::default()).unwrap();
    e.evaluate().unwrap();
    let node = e.rig().find("n1 1").unwrap();
    let before: Vec<Vec<f64>> = (0..6).map(|k| e.value(weft_animation::rig::OutputId(k)).to_vec()).collect();
    e.override_safety(node, Some(Safety::Reentrant)).unwrap();
    assert!(e.why_serial(node).iter().all(|why| !why.to_string().contains("alone")));
    assert!(e.why_rebuilt().last().unwrap().to_string().contains("`n1 1` was declared reentrant"));
    e.evaluate().unwrap();
    let after: Vec<Vec<f64>> = (0..6).map(|k| e.value(weft_animation::rig::OutputId(k)).to_vec()).collect();
    assert_eq!(before, after);
}
