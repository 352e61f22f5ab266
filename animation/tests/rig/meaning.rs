//! What nodes of files compute where their inputs are at a limit: weights that sum to nothing, maps that are flat, lengths below zero.

use weft_animation::rig::format::{Catalogue, read};
use weft_animation::rig::{Backend, Evaluator, Settings};

/// The value of an output of a node `a`, or why there is none.
fn value(node: &str, output: &str) -> Result<Vec<f64>, String> {
    let text = format!(
        r#"{{ "rig": "t", "nodes": [ {{ "name": "a", {node} }} ], "outputs": [ {{ "name": "o", "from": "a.{output}" }} ] }}"#
    );
    let said =
        |wrong: Vec<diagnostics::Diagnostic>| wrong.iter().map(ToString::to_string).collect::<String>();
    let rig = read("t.rig", &text, &Catalogue::new()).map_err(said)?;
    let made = Evaluator::new(rig, Backend::sequential(), Settings::default());
    let mut e = made.map_err(|wrong| wrong[0].to_string())?;
    e.evaluate().map_err(|failure| failure.to_string())?;
    Ok(e.value(e.rig().find_output("o").expect("an output")).to_vec())
}

const BASE: &str = r#""base": [0,-1,0,5, 1,0,0,6, 0,0,1,7]"#;

#[test]
fn weights_that_sum_to_nothing_leave_the_base() {
    let base = [0.0, -1.0, 0.0, 5.0, 1.0, 0.0, 0.0, 6.0, 0.0, 0.0, 1.0, 7.0];
    let targets = r#""target0": [1,0,0,1, 0,1,0,2, 0,0,1,3], "target1": [1,0,0,3, 0,0,-1,2, 0,1,0,3]"#;
    for kind in ["point", "orient", "parent"] {
        for weights in [[0.0, 0.0], [-1.0, 0.0], [1.0, -1.0], [-2.0, 0.5]] {
            let weights = format!(r#""weight0": {}, "weight1": {}"#, weights[0], weights[1]);
            let node = format!(
                r#""kind": "{kind}-constraint", "targets": 2, "inputs": {{ {BASE}, {targets}, {weights} }}"#
            );
            assert_eq!(value(&node, "world").unwrap(), base, "{kind} {weights}");
        }
    }
}

#[test]
fn three_parents_in_any_order_are_the_same_three() {
    let maps =
        ["[1,0,0,1, 0,0,-1,0, 0,1,0,0]", "[0,0,1,0, 0,1,0,2, -1,0,0,0]", "[0,-1,0,0, 1,0,0,0, 0,0,1,3]"];
    let of = |order: [usize; 3]| {
        let [a, b, c] = order.map(|k| maps[k]);
        let inputs = format!(r#"{BASE}, "target0": {a}, "target1": {b}, "target2": {c}"#);
        value(&format!(r#""kind": "parent-constraint", "targets": 3, "inputs": {{ {inputs} }}"#), "world")
    };
    let first = of([0, 1, 2]).unwrap();
    for order in [[1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let found = of(order).unwrap();
        assert!(first.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-12), "{first:?} {found:?}");
    }
}

#[test]
fn quaternions_of_any_length_are_rotations() {
    let unit = value(r#""kind": "joint", "inputs": { "orient": [0, 0, 0.6, 0.8] }"#, "world").unwrap();
    for length in [1e-3, 2.0, -40.0] {
        let q = format!("[0, 0, {}, {}]", 0.6 * length, 0.8 * length);
        for node in [
            format!(r#""kind": "joint", "inputs": {{ "orient": {q} }}"#),
            format!(r#""kind": "compose", "inputs": {{ "rotation": {q} }}"#),
        ] {
            let found = value(&node, if node.contains("joint") { "world" } else { "matrix" }).unwrap();
            assert!(unit.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-12), "{node}: {found:?}");
        }
    }
    let zero = value(r#""kind": "joint", "inputs": { "orient": [0, 0, 0, 0] }"#, "world").unwrap();
    assert_eq!(zero, [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn what_cannot_be_computed_is_named() {
    for (node, output, said) in [
        (
            r#""kind": "local", "inputs": { "world": [1,0,0,0,0,1,0,0,0,0,1,0], "parent": [1,0,0,9,0,0,0,9,0,0,1,9] }"#,
            "local",
            "`parent` is flat",
        ),
        (
            r#""kind": "two-bone-ik", "inputs": { "target": [1, 0, 0], "lower": -0.5 }"#,
            "end",
            "`lower` is -0.5",
        ),
        (
            r#""kind": "multiply", "inputs": { "a": 5 }"#,
            "value",
            "`a.b` takes scalar, and nothing is bound to it",
        ),
        (
            r#""kind": "divide", "inputs": { "b": 5 }"#,
            "value",
            "`a.a` takes scalar, and nothing is bound to it",
        ),
    ] {
        let found = value(node, output).unwrap_err();
        assert!(found.contains(said), "{found}");
    }
    assert_eq!(value(r#""kind": "subtract", "inputs": { "a": 5 }"#, "value").unwrap(), [5.0]);
}

#[test]
fn a_map_without_an_axis_is_turned_as_the_others_are() {
    let flat = r#""kind": "decompose", "inputs": { "matrix": [1,0,0,0, 0,0,0,0, 0,0,1,0] }"#;
    assert_eq!(value(flat, "rotation").unwrap(), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(value(flat, "scale").unwrap(), [1.0, 0.0, 1.0]);
}
