//! What somebody looks at: meshes of outputs, and outputs of nodes that no output of the rig needs.

use weft_animation::rig::format::{Catalogue, read};
use weft_animation::rig::{Backend, Evaluator, OutputId, Settings};

const SHEET: &str = r#"{
  "controls": [ { "name": "turn", "type": "vec3" } ],
  "nodes": [
    { "name": "root", "kind": "joint", "inputs": { "rotate": "@turn" } },
    { "name": "end", "kind": "joint", "inputs": { "parent": "root.world", "translate": [2, 0, 0] } },
    { "name": "sheet", "kind": "map-points", "points": 3,
      "inputs": { "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "matrix": "root.world" } }
  ],
  "outputs": [ { "name": "mesh", "from": "sheet.points", "triangles": [[0, 1, 2]] } ]
}"#;

fn mistakes(from: &str, to: &str) -> Vec<String> {
    assert!(SHEET.contains(from), "{from}");
    let wrong = read("sheet.rig", &SHEET.replacen(from, to, 1), &Catalogue::new()).err().unwrap_or_default();
    wrong.iter().map(ToString::to_string).collect()
}

#[test]
fn outputs_of_points_may_be_meshes() {
    let rig = read("sheet.rig", SHEET, &Catalogue::new()).expect("it is read");
    assert_eq!(rig.triangles(OutputId(0)), [[0, 1, 2]]);
    let about = "sheet.rig:9:58: error: output `mesh`: attribute `triangles`:";
    for (from, to, said) in [
        ("[[0, 1, 2]]", "[[0, 1, 3]]", "the mesh of `mesh`: a triangle has the point 3, and there are 3"),
        ("[[0, 1, 2]]", "[[0, 1]]", "2 numbers are no triangles of three"),
        ("sheet.points\"", "root.world\"  ", "the mesh of `mesh`: it is matrix, not points"),
    ] {
        assert_eq!(mistakes(from, to), [format!("{about} {said}")], "{to}");
    }
}

#[test]
fn what_no_output_needs_is_evaluated_where_somebody_looks() {
    let rig = read("sheet.rig", SHEET, &Catalogue::new()).expect("it is read");
    let mut e = Evaluator::new(rig, Backend::sequential(), Settings::default()).expect("it is whole");
    assert_eq!(e.evaluate().expect("it is evaluated").nodes, 2);
    let end = e.rig().find("end").expect("it is there");
    assert!(e.request_with(&[OutputId(0)], &[(end, 7)]).is_err());
    e.request_with(&[OutputId(0)], &[(end, 0)]).expect("they are there");
    assert_eq!(e.evaluate().expect("it is evaluated").nodes, 1, "the rest is up to date");
    assert_eq!(e.port_value(0, end, 0)[3], 2.0);
    let turn = e.rig().find_control("turn").expect("it is there");
    e.set(turn, &[0.0, 0.0, std::f64::consts::FRAC_PI_2]).expect("a vector");
    assert_eq!(e.evaluate().expect("it is evaluated").nodes, 3);
    let at = [3, 7, 11].map(|k| e.port_value(0, end, 0)[k]);
    assert!((at[0].abs() < 1e-12) && (at[1] - 2.0).abs() < 1e-12 && at[2] == 0.0, "{at:?}");
}
