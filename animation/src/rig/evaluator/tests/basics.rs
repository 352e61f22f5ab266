use crate::rig::nodes::{Arithmetic, Operation, Switch};
use crate::rig::value::PortType;
use crate::rig::{Backend, Evaluator, Rig, Settings};

#[test]
fn a_chain_is_evaluated_once_and_then_not_again() {
    let mut rig = Rig::new("chain");
    let a = rig.scalar_control("a").unwrap();
    let add = rig.kind(Arithmetic { operation: Operation::Add, of: PortType::Scalar });
    let mut before = None;
    for k in 0..10 {
        let node = rig.add(format!("n{k}"), add).unwrap();
        match before {
            None => rig.bind_control(a, node, 0).unwrap(),
            Some(before) => rig.bind(before, 0, node, 0).unwrap(),
        }
        rig.set(node, 1, &[1.0]).unwrap();
        before = Some(node);
    }
    let out = rig.output("out", before.unwrap(), 0).unwrap();
    let mut evaluator = Evaluator::new(rig, Backend::sequential(), Settings::default()).unwrap();
    let report = evaluator.evaluate().unwrap();
    assert_eq!((report.nodes, report.tasks, report.hit), (10, 1, false));
    assert_eq!(evaluator.value(out), [10.0]);
    assert_eq!(evaluator.evaluate().unwrap().nodes, 0);
    evaluator.set(a, &[5.0]).unwrap();
    assert!(!evaluator.is_clean(0, out));
    assert_eq!(evaluator.evaluate().unwrap().nodes, 10);
    assert_eq!(evaluator.value(out), [15.0]);
    evaluator.set(a, &[6.0]).unwrap();
    assert!(evaluator.evaluate().unwrap().hit);
    assert_eq!(evaluator.value(out), [16.0]);
}

#[test]
fn a_switch_runs_the_branch_that_it_takes() {
    let mut rig = Rig::new("switch");
    let [a, b, index] = ["a", "b", "index"].map(|name| rig.scalar_control(name).unwrap());
    let add = rig.kind(Arithmetic { operation: Operation::Add, of: PortType::Scalar });
    let [low, high, offset] = ["low", "high", "offset"].map(|name| rig.add(name, add).unwrap());
    rig.bind_control(a, low, 0).unwrap();
    rig.bind_control(b, high, 0).unwrap();
    rig.bind_control(index, offset, 0).unwrap();
    let switch = rig.node("switch", Switch { branches: 2, of: PortType::Scalar }).unwrap();
    rig.bind(offset, 0, switch, 0).unwrap();
    rig.bind(low, 0, switch, 1).unwrap();
    rig.bind(high, 0, switch, 2).unwrap();
    let out = rig.output("out", switch, 0).unwrap();
    let mut evaluator = Evaluator::new(rig, Backend::sequential(), Settings::default()).unwrap();
    evaluator.set(a, &[1.0]).unwrap();
    evaluator.set(b, &[2.0]).unwrap();
    let report = evaluator.evaluate().unwrap();
    assert_eq!((report.index_nodes, report.nodes), (1, 2));
    assert_eq!(evaluator.value(out), [1.0]);
    // The other branch is not looked at.
    evaluator.set(b, &[3.0]).unwrap();
    let report = evaluator.evaluate().unwrap();
    assert_eq!((report.index_nodes, report.nodes), (0, 0));
    evaluator.set(index, &[1.0]).unwrap();
    let report = evaluator.evaluate().unwrap();
    assert_eq!((report.index_nodes, report.nodes), (1, 2));
    assert_eq!(evaluator.value(out), [3.0]);
    for bad in [2.0, -1.0, f64::NAN] {
        evaluator.set(index, &[bad]).unwrap();
        let failure = evaluator.evaluate().unwrap_err();
        assert_eq!(failure.name, "switch");
        assert!(failure.message.contains("there is no branch"), "{failure}");
        assert!(!evaluator.is_clean(0, out));
    }
    evaluator.set(index, &[0.0]).unwrap();
    evaluator.evaluate().unwrap();
    assert_eq!(evaluator.value(out), [1.0]);
}

#[test]
fn a_chain_of_switches_is_found_out_without_running_anything_twice() {
    const N: usize = 300;
    let mut rig = Rig::new("chain");
    let index = rig.scalar_control("index").unwrap();
    let mut before = None;
    for k in 0..N {
        let switch = rig.node(format!("s{k}"), Switch { branches: 2, of: PortType::Index }).unwrap();
        match before {
            None => rig.bind_control(index, switch, 0).unwrap(),
            Some(before) => rig.bind(before, 0, switch, 0).unwrap(),
        }
        rig.set(switch, 1, &[1.0]).unwrap();
        rig.set(switch, 2, &[0.0]).unwrap();
        before = Some(switch);
    }
    let out = rig.output("out", before.unwrap(), 0).unwrap();
    let mut evaluator = Evaluator::new(rig, Backend::sequential(), Settings::default()).unwrap();
    for (value, expected) in [(0.0, 0.0), (1.0, 1.0), (0.0, 0.0)] {
        evaluator.set(index, &[value]).unwrap();
        let report = evaluator.evaluate().unwrap();
        assert_eq!((report.index_nodes, report.nodes), (N - 1, 1));
        assert_eq!(evaluator.value(out), [expected]);
    }
}
