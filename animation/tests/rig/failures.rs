//! What goes wrong is said, and the rig stays usable.

use weft_animation::rig::node::{PortList, Safety};
use weft_animation::rig::nodes::{Arithmetic, Closure, Operation, Pass};
use weft_animation::rig::value::PortType;
use weft_animation::rig::{Backend, Evaluator, Fusion, Rig, RigError, Settings};

use crate::backends::all;

/// A node that panics above one, one that reads what it has not declared, and others.
fn fragile() -> Rig {
    let mut rig = Rig::new("panics");
    let a = rig.scalar_control("a").unwrap();
    let ports = PortList::new().input("a", PortType::Scalar).output("b", PortType::Scalar);
    let fragile = Closure::new("fragile", ports.clone(), |p| {
        let a = p.scalar(0);
        assert!(a < 1.0, "{a} is too much");
        p.set_scalar(0, a);
    });
    let nosy = Closure::new("nosy", ports, |p| {
        let other = p.scalar(0) > 2.0 && p.scalar(7) > 0.0;
        p.set_scalar(0, f64::from(u8::from(other)));
    });
    let fragile = rig.node("glass", fragile.safe(Safety::Reentrant)).unwrap();
    let nosy = rig.node("nosy", nosy.safe(Safety::Reentrant)).unwrap();
    let beside = rig.node("beside", Pass { inputs: 1 }).unwrap();
    for node in [fragile, nosy, beside] {
        rig.bind_control(a, node, 0).unwrap();
    }
    let behind = rig.node("behind", Pass { inputs: 1 }).unwrap();
    rig.bind(fragile, 0, behind, 0).unwrap();
    for (k, node) in [behind, nosy, beside].iter().enumerate() {
        rig.output(format!("o{k}"), *node, 0).unwrap();
    }
    rig
}

#[test]
fn a_node_that_panics_fails_the_frame_and_stays_dirty() {
    for (name, backend) in all() {
        let settings = Settings { fusion: Some(Fusion::Off), ..Settings::default() };
        let mut e = Evaluator::new(fragile(), backend, settings).unwrap();
        let a = e.rig().find_control("a").unwrap();
        let out = e.rig().find_output("o0").unwrap();
        for round in 0..3 {
            e.set(a, &[0.25 + 0.1 * f64::from(round)]).unwrap();
            e.evaluate().unwrap();
            e.set(a, &[1.5]).unwrap();
            let failure = e.evaluate().unwrap_err();
            assert_eq!((failure.name.as_str(), failure.frame), ("glass", 0), "{name}");
            assert!(failure.to_string().contains("1.5 is too much"), "{failure}");
            assert!(!e.is_clean(0, out));
            // Again, without an edit: it is still dirty, and fails again.
            assert_eq!(e.evaluate().unwrap_err().name, "glass");
            e.set(a, &[2.5]).unwrap();
            e.evaluate().unwrap_err();
            e.request(&[e.rig().find_output("o1").unwrap()]).unwrap();
            let failure = e.evaluate().unwrap_err();
            assert!(failure.message.contains("uses input 7, and has declared 1"), "{failure}");
            e.request(&[out]).unwrap();
            e.set(a, &[0.5]).unwrap();
            e.evaluate().unwrap();
            assert_eq!(e.value(out), [0.5]);
            let all: Vec<_> = ["o0", "o1", "o2"].map(|o| e.rig().find_output(o).unwrap()).to_vec();
            e.request(&all).unwrap();
        }
    }
}

#[test]
fn a_liar_is_named_with_what_it_conceals() {
    let mut rig = Rig::new("liar");
    let [a, b] = ["a", "b"].map(|n| rig.scalar_control(n).unwrap());
    let ports = PortList::new().input("a", PortType::Scalar).input("b", PortType::Scalar);
    let lies = Closure::new("sum", ports.output("sum", PortType::Scalar).independent(0, 1), |p| {
        let sum = p.scalar(0) + p.scalar(1);
        p.set_scalar(0, sum);
    });
    let node = rig.node("liar", lies.safe(Safety::Reentrant)).unwrap();
    let between = rig.node("between", Pass { inputs: 1 }).unwrap();
    rig.bind_control(a, node, 0).unwrap();
    rig.bind_control(b, between, 0).unwrap();
    rig.bind(between, 0, node, 1).unwrap();
    let behind = rig.node("behind", Pass { inputs: 1 }).unwrap();
    rig.bind(node, 0, behind, 0).unwrap();
    rig.output("out", behind, 0).unwrap();
    rig.output("between", between, 0).unwrap();
    let mut e = Evaluator::new(rig, Backend::sequential(), Settings::default()).unwrap();
    e.evaluate().unwrap();
    assert_eq!(e.validate(0), []);
    e.set(b, &[3.0]).unwrap();
    e.evaluate().unwrap();
    let lies = e.validate(0);
    assert_eq!(lies.len(), 1, "{lies:?}");
    assert_eq!(lies[0].to_string(), "`liar.sum` depends on `liar.b`, and its rules deny it");
}

#[test]
fn mistakes_in_a_rig_are_named() {
    let mut rig = Rig::new("wrong");
    let a = rig.scalar_control("a").unwrap();
    let add = rig.kind(Arithmetic { operation: Operation::Add, of: PortType::Scalar });
    let [x, y, z] = ["x", "y", "z"].map(|n| rig.add(n, add).unwrap());
    let vectors = rig.node("v", Arithmetic { operation: Operation::Add, of: PortType::Vec3 }).unwrap();
    assert!(matches!(rig.add("x", add), Err(RigError::Twice { what: "node", .. })));
    let said = |e: Result<(), RigError>| e.unwrap_err().to_string();
    assert_eq!(said(rig.bind(x, 0, vectors, 0)), "`x.value` is scalar, `v.a` takes vec3");
    assert_eq!(said(rig.set(vectors, 0, &[1.0])), "`v.a` is vec3, which is 3 numbers, not 1");
    rig.bind_control(a, x, 0).unwrap();
    assert_eq!(
        said(rig.bind(y, 0, x, 0)),
        "`x.a` is bound to `a` already, and cannot be bound to `y.value` too"
    );
    assert_eq!(said(rig.bind(y, 3, x, 1)), "there is no output `3` of `y` (add)");
    let unknown = rig.find_input(x, "aa").unwrap_err();
    assert_eq!(unknown.suggestion(), Some("did you mean `a`?"));
    assert!(rig.find_control("b").is_err() && rig.find_output("out").is_err());
    for (from, to) in [(x, y), (y, z), (z, x)] {
        rig.bind(from, 0, to, 1).unwrap();
    }
    let wrong = Evaluator::new(rig, Backend::sequential(), Settings::default()).err().unwrap();
    let said: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    assert_eq!(said[0], "a cycle: x -> y -> z -> x");
    assert!(said.contains(&"`y.a` takes scalar, and nothing is bound to it".to_owned()), "{said:?}");
    assert_eq!(wrong.len(), 4);
}

#[test]
fn rigs_of_no_node_of_one_and_of_a_long_chain_are_evaluated() {
    let mut e = Evaluator::new(Rig::new("empty"), Backend::sequential(), Settings::default()).unwrap();
    assert_eq!(e.evaluate().unwrap().nodes, 0);
    for n in [1, 1_000_000] {
        let mut rig = Rig::new("chain");
        let a = rig.scalar_control("a").unwrap();
        let pass = rig.kind(Pass { inputs: 1 });
        let mut last = rig.add("0", pass).unwrap();
        rig.bind_control(a, last, 0).unwrap();
        for k in 1..n {
            let node = rig.add(k.to_string(), pass).unwrap();
            rig.bind(last, 0, node, 0).unwrap();
            last = node;
        }
        let out = rig.output("out", last, 0).unwrap();
        let mut e = Evaluator::new(rig, crate::backends::replay(2), Settings::default()).unwrap();
        e.set(a, &[7.0]).unwrap();
        let report = e.evaluate().unwrap();
        assert_eq!((report.nodes, report.tasks), (n, 1));
        assert_eq!(e.value(out), [7.0]);
    }
}

#[test]
fn an_edit_of_the_rig_that_makes_it_wrong_changes_nothing() {
    let mut rig = Rig::new("edit");
    let a = rig.scalar_control("a").unwrap();
    let pass = rig.kind(Pass { inputs: 1 });
    let [x, y] = ["x", "y"].map(|n| rig.add(n, pass).unwrap());
    rig.bind_control(a, x, 0).unwrap();
    rig.bind(x, 0, y, 0).unwrap();
    let out = rig.output("out", y, 0).unwrap();
    let mut e = Evaluator::new(rig, Backend::sequential(), Settings::default()).unwrap();
    e.set(a, &[1.0]).unwrap();
    e.evaluate().unwrap();
    let wrong = e.edit("a circle", |rig| {
        rig.unbind(x, 0)?;
        rig.bind(y, 0, x, 0)
    });
    assert_eq!(wrong.unwrap_err()[0].to_string(), "a cycle: x -> y -> x");
    assert!(matches!(e.rig().source(x, 0), weft_animation::rig::Source::Control(_)), "the rig is as it was");
    e.set(a, &[2.0]).unwrap();
    e.evaluate().unwrap();
    assert_eq!(e.value(out), [2.0]);
    e.edit("x follows the control again", |rig| {
        rig.unbind(x, 0)?;
        rig.bind_control(a, x, 0)
    })
    .unwrap();
    e.evaluate().unwrap();
    assert_eq!(e.value(out), [2.0]);
    let why: Vec<String> = e.why_rebuilt().iter().map(ToString::to_string).collect();
    assert!(why.contains(&"the rig was edited: x follows the control again".to_owned()), "{why:?}");
}
