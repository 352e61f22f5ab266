//! `weft new`: the crate that it writes (which the gate builds, tests and runs), and what it refuses.

use super::{Scratch, weft, weft_ok, weft_refuses};

#[test]
fn a_crate_is_written() {
    let s = Scratch::new();
    let folder = s.path("below/wind");
    let said = weft_ok(&["new", "force-field", "WindForceField", "--path", &folder]).stdout;
    assert!(said.contains(&format!("cd {folder}")) && said.contains("scenes/wind_force_field.scn"), "{said}");
    let manifest = s.read("below/wind/Cargo.toml");
    let weft_folder = serde_json::Value::from(env!("CARGO_MANIFEST_DIR")).to_string();
    assert!(manifest.contains("name = \"wind_force_field\""), "{manifest}");
    assert_eq!(manifest.matches(&format!("weft = {{ path = {weft_folder},")).count(), 2, "{manifest}");
    assert!(s.read("below/wind/src/lib.rs").contains("impl ForceField for WindForceField"));
    assert!(s.read("below/wind/src/lib.rs").contains("weft::testing::"));
    assert!(s.read("below/wind/src/main.rs").contains("weft::program::main(registry)"));
    assert!(s.read("below/wind/README.md").contains("view scenes/wind_force_field.scn"));
    assert!(s.read("below/wind/.gitignore").contains("target"));
    // Its component is all that its scene has and this program has not.
    let a = weft(&["check", &s.path("below/wind/scenes/wind_force_field.scn")]);
    assert_eq!(a.code, Some(1), "{}", a.stderr);
    assert!(a.stdout.contains("(1 error, 0 warnings)"), "{}", a.stdout);
    assert!(a.stderr.contains("`WindForceField`"), "{}", a.stderr);
}

#[test]
fn a_crate_with_a_kind_of_rig_nodes_is_written() {
    let s = Scratch::new();
    let folder = s.path("limit");
    let said = weft_ok(&["new", "rig-node", "soft-limit", "--path", &folder]).stdout;
    assert!(said.contains(&format!("cd {folder}")) && said.contains("scenes/soft_limit_node.rig"), "{said}");
    assert!(s.read("limit/Cargo.toml").contains("name = \"soft_limit_node\""));
    assert!(s.read("limit/src/lib.rs").contains("impl NodeKind for SoftLimitNode"));
    assert!(s.read("limit/src/main.rs").contains("soft_limit_node::DESCRIPTION"));
    // Its kind is all that its rig has and this program has not.
    let a = weft(&["check", &s.path("limit/scenes/soft_limit_node.rig")]);
    assert_eq!(a.code, Some(1), "{}", a.stderr);
    assert!(a.stderr.contains("`soft-limit`"), "{}", a.stderr);
    weft_refuses(&["new", "rig-node", "SoftLimit"], 2, &["did you mean `soft-limit`?"]);
    weft_refuses(&["new", "rig-node", "joint"], 2, &["already"]);
}

#[test]
fn a_class_may_be_called_as_weft_is() {
    let s = Scratch::new();
    weft_ok(&["new", "force-field", "WEFTForceField", "--path", &s.path("own")]);
    assert!(s.read("own/src/lib.rs").contains("pub struct WEFTForceField {"));
    assert!(s.read("own/Cargo.toml").contains("weft = { path = "));
}

#[test]
fn what_cannot_be_written_is_refused() {
    let s = Scratch::new();
    let folder = s.path("crate");
    let new = |name: &str, code: i32, words: &[&str]| {
        weft_refuses(&["new", "force-field", name, "--path", &folder], code, words);
        assert!(!s.exists("crate"), "{name}");
    };
    new("wind_force_field", 2, &["did you mean `WindForceField`?"]);
    new("WindMass", 2, &["ends in `ForceField`"]);
    new("", 2, &["`WindForceField`"]);
    new("PlaneForceField", 2, &["already"]);
    weft_refuses(&["new", "mass", "WindMass"], 2, &["force-field"]);
    weft_refuses(&["new", "force-field"], 2, &["NAME"]);
    let file = s.file("file", "");
    for there in [&file, &s.path(".")] {
        weft_refuses(&["new", "force-field", "WindForceField", "--path", there], 2, &["exists already"]);
    }
    let below = s.path("file/crate");
    weft_refuses(&["new", "force-field", "WindForceField", "--path", &below], 2, &["cannot write"]);
    assert_eq!(s.read("file"), "");
}
