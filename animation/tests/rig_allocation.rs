//! No allocation in a frame whose recording is kept: a counting allocator, on all threads.
//!
//! A program of its own without the test harness, so that nothing else allocates meanwhile.

#[path = "../../engine/tests/support/counting.rs"]
mod counting;

use counting::counted;
use engine::exec::Executor;
use executors::{Options, Replay};
use partition::Accumulation;
use partition::control::lower;
use weft_animation::rig::generate::biped::biped;
use weft_animation::rig::nodes::Switch;
use weft_animation::rig::value::PortType;
use weft_animation::rig::{Backend, Evaluator, Settings};

fn replay(workers: u32) -> Backend {
    let executor: Box<dyn Executor> =
        Box::new(Replay::new(&Options { checked: false, ..Options::new(workers) }));
    let lower = Box::new(|program: &_, placed: &_| lower(program, placed, Accumulation::Auto));
    Backend { executor, lower, workers }
}

fn main() {
    for workers in [1, 2] {
        let mut rig = biped(2000, 1).expect("a character");
        let level = rig.scalar_control("level").expect("a new name");
        let index = rig.node("index", weft_animation::rig::nodes::Pass { inputs: 1 }).expect("a new name");
        rig.bind_control(level, index, 0).expect("an input");
        let switch =
            rig.node("level of detail", Switch { branches: 2, of: PortType::Matrix }).expect("a new name");
        rig.bind(index, 0, switch, 0).expect("an input");
        for (k, name) in ["head", "neck"].iter().enumerate() {
            let joint = rig.find(name).expect("a joint");
            rig.bind(joint, 0, switch, 1 + k).expect("an input");
        }
        rig.output("detail", switch, 0).expect("a new name");
        let mut e = Evaluator::new(rig, replay(workers), Settings::default()).expect("a rig");
        let controls = ["time", "head rotate", "left thumb 2 rotate", "level"];
        let controls = controls.map(|name| e.rig().find_control(name).expect("a control"));
        let frame = |e: &mut Evaluator, k: usize| {
            let control = controls[k % controls.len()];
            let x = if k % 4 == 3 { (k / 4 % 2) as f64 } else { 0.01 * k as f64 };
            let value = [x; 3];
            let n = e.rig().controls()[control.0 as usize].of.len();
            e.set(control, &value[..n]).expect("a value of its type");
            e.evaluate().expect("no node fails").nodes
        };
        let _: usize = (0..64).map(|k| frame(&mut e, k)).sum();
        let (nodes, n) = counted(|| (64..164).map(|k| frame(&mut e, k)).sum::<usize>());
        assert!(nodes > 10_000, "{nodes} nodes ran");
        assert_eq!(n, 0, "{n} allocations in a hundred frames, {workers} workers");
        println!("{workers} workers: {nodes} nodes in a hundred frames, no allocation");
    }
}
