//! What of a rig runs on several workers is switched at run time, and changes no bit; kinds are tried side by side.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use weft_animation::rig::format::Catalogue;
use weft_animation::rig::generate::film::film;
use weft_animation::rig::generate::random::random;
use weft_animation::rig::node::{NodeKind, PortList, Safety};
use weft_animation::rig::nodes::Pass;
use weft_animation::rig::testing::check_catalogue;
use weft_animation::rig::value::PortType;
use weft_animation::rig::{Backend, Evaluator, LOOP_NS, OutputId, Ports, Rig, Settings, Threading};

use crate::backends::{N, backend, nth, replay};

const MODES: [Threading; 4] = [
    Threading { graph: true, nodes: true },
    Threading { graph: true, nodes: false },
    Threading { graph: false, nodes: true },
    Threading { graph: false, nodes: false },
];

/// The bits of all outputs of a full evaluation.
fn bits(e: &mut Evaluator) -> Vec<u64> {
    e.touch_all();
    e.evaluate().unwrap();
    let n = e.rig().outputs().count() as u32;
    (0..n).flat_map(|k| e.value(OutputId(k)).iter().map(|v| v.to_bits())).collect()
}

#[test]
fn switches_of_threading_change_no_bit() {
    for seed in 0..130 {
        let rig = random(24, seed).unwrap();
        let mut one = Evaluator::new(rig.clone(), Backend::sequential(), Settings::default()).unwrap();
        let expected = bits(&mut one);
        let (name, backend) = nth(seed as usize % N);
        // Divided as finely as can be.
        let mut e = Evaluator::new(rig.divided(10.0).unwrap(), backend, Settings::default()).unwrap();
        for threading in MODES {
            e.set_threading(threading).unwrap();
            assert!(bits(&mut e) == expected, "{name}, seed {seed}, {threading}");
        }
        let report = {
            e.touch_all();
            e.evaluate().unwrap()
        };
        assert!(report.tasks <= 1, "{name}: one task evaluates everything");
    }
}

#[test]
fn a_switch_that_is_off_is_the_reason_why_a_node_is_serial() {
    let rig = film(3000, 1).unwrap();
    let divided = rig.divided(200.0).unwrap();
    let mut e = Evaluator::new(divided, replay(2), Settings::default()).unwrap();
    let expected = bits(&mut e);
    let head = e.rig().find("head").unwrap();
    for threading in MODES {
        e.set_threading(threading).unwrap();
        assert!(bits(&mut e) == expected, "{threading}");
        let why: Vec<String> = e.why_serial(head).iter().map(ToString::to_string).collect();
        assert_eq!(
            why.contains(&"threading of the graph is switched off".to_owned()),
            !threading.graph,
            "{why:?}"
        );
        let rebuilt: Vec<String> = e.why_rebuilt().iter().map(ToString::to_string).collect();
        assert!(rebuilt.contains(&format!("threading is {threading}")), "{rebuilt:?}");
    }
}

#[test]
fn loops_are_divided_above_a_grain_and_left_whole_where_that_is_said() {
    let mut rig = film(6000, 1).unwrap();
    assert!(rig.loops().is_empty());
    let corrective = rig.find("body corrective 0").unwrap();
    let loops = rig.divided(LOOP_NS).unwrap().loops();
    let of = loops.iter().find(|l| l.kind == "blend-shape" && l.parts > 1).unwrap();
    assert!(of.points >= of.parts && of.cost_ns > LOOP_NS && of.longest_ns <= 1.1 * LOOP_NS, "{of:?}");
    rig.set_whole(corrective, true);
    let less = rig.divided(LOOP_NS).unwrap().loops();
    assert_eq!(less.len() + 1, loops.len());
}

/// Parts of this kind must not run beside each other.
struct Jealous {
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    points: u32,
}

impl NodeKind for Jealous {
    fn kind(&self) -> &'static str {
        "jealous"
    }
    fn ports(&self) -> PortList {
        PortList::new().input("x", PortType::Scalar).output("points", PortType::Points(self.points))
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let x = p.scalar(0);
        p.output(0).fill(x);
        (0..500).for_each(|_| std::hint::spin_loop());
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::TypeUnsafe)
    }
    fn cost_ns(&self) -> f64 {
        f64::from(self.points) * 100.0
    }
    fn part(&self, points: std::ops::Range<u32>) -> Option<Arc<dyn NodeKind>> {
        let (now, most) = (self.now.clone(), self.most.clone());
        Some(Arc::new(Self { now, most, points: points.len() as u32 }))
    }
}

#[test]
fn parts_of_nodes_that_take_turns_take_turns_and_no_lock_waits_for_a_loop() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut rig = Rig::new("jealous");
    let x = rig.scalar_control("x").unwrap();
    for k in 0..4 {
        let kind = Jealous { now: now.clone(), most: most.clone(), points: 40 };
        let node = rig.node(format!("jealous {k}"), kind).unwrap();
        rig.bind_control(x, node, 0).unwrap();
        rig.output(format!("o{k}"), node, 0).unwrap();
    }
    let divided = rig.divided(500.0).unwrap();
    assert_eq!(divided.loops().len(), 4);
    for k in 0..N {
        let (name, backend) = nth(k);
        let mut e = Evaluator::new(divided.clone(), backend, Settings::default()).unwrap();
        for threading in MODES {
            e.set_threading(threading).unwrap();
            for round in 0..4 {
                e.set(x, &[f64::from(round) + 0.5]).unwrap();
                e.evaluate().unwrap();
                assert_eq!(e.value(OutputId(3))[119], f64::from(round) + 0.5);
            }
            assert_eq!(most.load(Ordering::SeqCst), 1, "{name}, {threading}");
        }
    }
}

/// Several workers, whatever they run on.
fn several() -> Vec<Backend> {
    let options = executors::Options::new(2);
    vec![replay(2), backend(Box::new(executors::Stealing::new(&options)), 2)]
}

#[test]
fn every_kind_of_the_catalogue_runs_side_by_side_as_it_declares() {
    let mut catalogue = Catalogue::new();
    let n = catalogue.kinds().count();
    assert_eq!(check_catalogue(&catalogue, &mut several), Ok(n));
    // A kind of one's own: registered, and with a sample.
    catalogue.register("mine", |_| Some(Arc::new(Pass { inputs: 3 })));
    let wrong = check_catalogue(&catalogue, &mut several).unwrap_err();
    assert_eq!(wrong, ["`mine`: there is no sample of it"]);
    catalogue.sample("mine", r#""inputs": { "in1": 2 }"#);
    assert_eq!(check_catalogue(&catalogue, &mut several), Ok(n + 1));
}
