//! Each mistake gets one clear line and the right exit code.

use super::{SPRING, Scratch, answer, program, weft, weft_ok, weft_refuses};

#[test]
fn wrong_command_lines() {
    weft_refuses(&["run"], 2, &["SCENE"]);
    weft_refuses(&["run", "bars", "--dt", "0"], 2, &["--dt", "greater than 0"]);
    weft_refuses(&["run", "bars", "--dt", "-1"], 2, &["--dt", "greater than 0"]);
    weft_refuses(&["run", "bars", "--dt", "nan"], 2, &["--dt"]);
    weft_refuses(&["run", "bars", "--threads", "0"], 2, &["--threads", "at least one worker"]);
    weft_refuses(&["run", "bars", "--threads", "-2"], 2, &["--threads", "at least one worker"]);
    weft_refuses(&["run", "bars", "--steps", "ten"], 2, &["--steps"]);
    weft_refuses(&["run", "bars", "--executor", "magic"], 2, &["--executor", "magic"]);
    weft_refuses(&["run", "bars", "--export-steps", "1"], 2, &["--export-state"]);
    weft_refuses(&["run", "bars", "--export-state", "x", "--export-steps", "every:0"], 2, &["every:"]);
    weft_refuses(&["run", "bars", "--strict", "--lenient"], 2, &["--lenient"]);
    weft_refuses(&["run", "bars", "--set", "objects"], 2, &["NAME=VALUE"]);
    weft_refuses(&["run", "bars", "--set", "objets=3"], 2, &["objets", "did you mean `objects`"]);
    weft_refuses(&["run", "bars", "--set", "objects=0"], 2, &["objects"]);
    weft_refuses(&["frobnicate"], 2, &["frobnicate"]);
    if cfg!(feature = "view") {
        weft_refuses(&["view", "bars", "--at-step", "3"], 2, &["--screenshot"]);
        weft_refuses(&["view", "bars", "--screenshot", "bars.jpg"], 2, &["--screenshot", "`.png`"]);
        weft_refuses(&["view", "bars", "--size", "0x3"], 2, &["--size", "pixels"]);
    } else {
        weft_refuses(&["view", "bars"], 2, &["built without its window"]);
    }
    weft_refuses(&["list", "--export", "bras"], 2, &["did you mean `bars`"]);
}

#[test]
fn scenes_that_are_none() {
    let s = Scratch::new();
    weft_refuses(&["run", "faling"], 1, &["faling", "did you mean `falling`"]);
    weft_refuses(&["run", &s.path("missing.scn")], 1, &["missing.scn"]);
    weft_refuses(&["run", &s.path(".")], 1, &["is a directory"]);
    weft_refuses(&["check", &s.path(".")], 1, &["is a directory"]);
    weft_refuses(&["run", &s.file("empty.scn", "")], 1, &["empty.scn", "empty"]);
    weft_refuses(&["run", &s.file("cut.scn", &SPRING[..200])], 1, &["cut.scn:"]);
    weft_refuses(&["run", &s.file("nothing.scn", "<Node/>")], 1, &["nothing.scn"]);
    let spring = s.file("spring.scn", SPRING);
    weft_refuses(&["run", &spring, "--set", "objects=3"], 2, &["only gallery scenes"]);
}

#[test]
fn mistakes_in_a_scene_name_their_place() {
    let s = Scratch::new();
    let refuses = |from: &str, to: &str, words: &[&str]| {
        assert!(SPRING.contains(from), "{from}");
        weft_refuses(&["run", &s.file("a.scn", &SPRING.replace(from, to))], 1, words);
    };
    refuses("dt='0.01'", "dt='0'", &["dt"]);
    refuses("dt='0.01'", "dt='x'", &["a.scn:1:", "dt"]);
    refuses("'20'", "'twenty'", &["a.scn:3:", "CGLinearSolver", "iterations"]);
    refuses("CGLinearSolver", "VisualStyle", &["a.scn:2:3: error: /EulerImplicitSolver1 ", "CGLinearSolver"]);
    // What only shows when the scene is taken in.
    let model = "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><CollisionResponse/>
        <MinProximityIntersection alarmDistance='0.1' contactDistance='0.05'/><SphereCollisionModel radius='-1'/>";
    refuses(
        "<FixedProjectiveConstraint indices='0'/>",
        model,
        &["a.scn:9:", ": error: /SphereCollisionModel1: sphere 0 has radius -1"],
    );
    refuses("totalMass='2'", "totalMass='-2'", &["a.scn:6:", "UniformMass", "totalMass"]);
    refuses(
        "MeshSpringForceField",
        "MeshSprngForceField",
        &["a.scn:7:", "did you mean `MeshSpringForceField`"],
    );
    refuses("edges='0 1'", "edges='0 7'", &["a.scn:"]);
    let text = SPRING.replace("indices='0'", "indices='@nowhere.indices'");
    let a = weft_ok(&["run", &s.file("link.scn", &text), "--steps", "1"]);
    let says = a.stderr.contains("link.scn:8:") && a.stderr.contains("nowhere");
    assert!(says, "as in SOFA, the default holds, and that is said: {}", a.stderr);
    let text = SPRING.replace("<MeshTopology", "<MeshGmshLoader filename='none.msh'/><MeshTopology");
    let a = weft_ok(&["run", &s.file("none.scn", &text), "--steps", "1"]);
    let says = a.stderr.contains("none.scn:5:") && a.stderr.contains("`none.msh` is not found");
    assert!(says, "as in SOFA, the mesh is empty, and that is said: {}", a.stderr);
    let mesh = "<MeshGmshLoader filename='cut.msh'/><MeshTopology";
    s.file("cut.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0");
    refuses("<MeshTopology", mesh, &["a.scn:5:", "cut.msh"]);
    s.file("b.scn", "<Node><include href='a.scn'/></Node>");
    refuses("<MeshTopology", "<include href='b.scn'/><MeshTopology", &["b.scn"]);
}

#[test]
fn unknown_names_are_errors_or_warnings_as_asked() {
    let s = Scratch::new();
    let attribute = s.file("attribute.scn", &SPRING.replace("rayleighMass", "rayleighMas"));
    let a = weft_ok(&["run", &attribute, "--steps", "1"]);
    assert!(
        a.stderr.contains("attribute.scn:2:") && a.stderr.contains("did you mean `rayleighMass`"),
        "{}",
        a.stderr
    );
    weft_refuses(&["run", &attribute, "--steps", "1", "--strict"], 1, &["rayleighMas"]);
    assert_eq!(weft(&["check", &attribute]).code, Some(1));
    let component = s.file("component.scn", &SPRING.replace("<UniformMass", "<Gadget/><UniformMass"));
    weft_refuses(&["run", &component], 1, &["component.scn:6:", "Gadget"]);
    let a = weft_ok(&["run", &component, "--lenient", "--steps", "1"]);
    assert!(a.stderr.contains("warning") && a.stderr.contains("Gadget"), "{}", a.stderr);
}

#[test]
fn files_that_cannot_be_written() {
    let s = Scratch::new();
    let spring = s.file("spring.scn", SPRING);
    let (nowhere, directory) = (s.path("no/such/file"), s.path("."));
    for option in ["--export-state", "--report", "--trace"] {
        weft_refuses(&["run", &spring, option, &nowhere], 2, &["cannot write", "no/such/file"]);
        weft_refuses(&["run", &spring, option, &directory], 2, &["cannot write", "is a directory"]);
    }
    weft_refuses(&["run", &spring, "--export-mesh", &spring], 2, &["cannot write", "spring.scn"]);
}

#[test]
fn what_fails_destroys_nothing() {
    let s = Scratch::new();
    let (spring, wrong) = (s.file("spring.scn", SPRING), s.file("wrong.scn", "<Node><Gadget/></Node>"));
    let last = s.file("last.json", "the last results");
    for option in ["--export-state", "--report", "--trace"] {
        assert_eq!(weft(&["run", &wrong, option, &last]).code, Some(1));
        assert_eq!(s.read("last.json"), "the last results", "{option}");
        weft_refuses(&["run", &spring, option, &spring], 2, &[option, "the scene itself"]);
        assert_eq!(s.read("spring.scn"), SPRING, "{option}");
    }
    let twice = ["run", &spring, "--report", &last, "--trace", &s.path("./last.json")];
    weft_refuses(&twice, 2, &["--report and --trace name the same file"]);
    weft_ok(&["run", &spring, "--steps", "1", "--quiet", "--report", &last]);
    assert_eq!(s.json("last.json")["steps"], 1);
}

#[test]
fn a_simulation_that_diverges_is_told_with_its_place() {
    let s = Scratch::new();
    let explicit = SPRING
        .replace("<EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>", "<EulerExplicitSolver/>")
        .replace("stiffness='100'", "stiffness='1e12'");
    let scene = s.file("stiff.scn", &explicit);
    let report = s.path("r.json");
    let a = weft(&["run", &scene, "--steps", "500", "--quiet", "--report", &report]);
    assert_eq!(a.code, Some(3), "{}", a.stderr);
    assert!(a.complaint().starts_with("error: step "), "{}", a.stderr);
    assert!(a.complaint().contains("stiff.scn:"), "{}", a.stderr);
    let json = s.json("r.json");
    assert!(json["failure"].is_string() && json["steps"].as_u64() < Some(500));
}

#[test]
fn environment_variables() {
    let a = answer(program().args(["run", "bars", "--steps", "1"]).env("WEFT_EXECUTOR", "magic"));
    assert_eq!(a.code, Some(2));
    assert!(a.complaint().contains("WEFT_EXECUTOR"), "{}", a.stderr);
    let a = answer(program().args(["run", "bars", "--steps", "1"]).env("WEFT_SUMS", "magic"));
    assert_eq!(a.code, Some(2));
    let s = Scratch::new();
    let mut command = program();
    command.args(["run", &s.file("spring.scn", SPRING), "--steps", "1", "--executor", "replay"]);
    let a = answer(command.env("WEFT_EXECUTOR", "sequential"));
    assert_eq!(a.code, Some(0), "{}", a.stderr);
    assert!(a.stderr.contains("sequential (WEFT_EXECUTOR)"), "{}", a.stderr);
}

#[test]
fn solids_that_meet_nothing_are_named() {
    let s = Scratch::new();
    let scene = |phase: &str, method: &str| {
        format!(
            "<Node dt='0.01'><RequiredPlugin name='CollisionOBBCapsule'/><CollisionPipeline/><BruteForceBroadPhase/>{phase}
            <CollisionResponse/><{method} alarmDistance='0.1' contactDistance='0.05'/>
            <EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-9' threshold='1e-9'/>
            <MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1'/><UniformMass totalMass='1'/><OBBCollisionModel name='crate'/></Node>"
        )
    };
    for (phase, method, words) in [
        ("<BVHNarrowPhase/>", "CCDTightInclusionIntersection", "CCDTightInclusionIntersection looks at"),
        ("<RayTraceNarrowPhase/>", "NewProximityIntersection", "RayTraceNarrowPhase sees others only"),
    ] {
        let a = weft_ok(&["run", &s.file("a.scn", &scene(phase, method)), "--steps", "1"]);
        let says = a.stderr.contains("/crate: meets nothing, since it is a OBBCollisionModel");
        assert!(says && a.stderr.contains(words), "{}", a.stderr);
    }
    let a = weft_ok(&[
        "run",
        &s.file("a.scn", &scene("<BVHNarrowPhase/>", "NewProximityIntersection")),
        "--steps",
        "1",
    ]);
    assert!(!a.stderr.contains("meets nothing") && !a.stderr.contains("RequiredPlugin"), "{}", a.stderr);
    let old = scene("<BVHNarrowPhase/>", "NewProximityIntersection").replace("OBBCollisionModel", "OBBModel");
    weft_ok(&["run", &s.file("a.scn", &old), "--steps", "1"]);
    let size =
        scene("<BVHNarrowPhase/>", "NewProximityIntersection").replace("name='crate'", "extents='1 -2 1'");
    weft_refuses(&["run", &s.file("a.scn", &size)], 1, &["a.scn:", "element 0: `extents` is -2"]);
    let points = scene("<BVHNarrowPhase/>", "NewProximityIntersection")
        .replace("template='Rigid3' position='0 0 0 0 0 0 1'", "position='0 0 0'");
    weft_refuses(&["run", &s.file("a.scn", &points)], 1, &["OBBCollisionModel", "Rigid3"]);
}
