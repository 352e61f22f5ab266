//! What is written: state lines, reports, traces, snapshots, lists.

use serde_json::Value;

use super::{SPRING, Scratch, weft_ok};

#[test]
fn state_lines_have_the_promised_fields() {
    let s = Scratch::new();
    let (scene, out) = (s.file("spring.scn", SPRING), s.path("out.jsonl"));
    weft_ok(&["run", &scene, "--steps", "4", "--export-state", &out, "--export-steps", "0,3,3,4"]);
    let lines: Vec<Value> =
        s.read("out.jsonl").lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let steps: Vec<u64> = lines.iter().filter_map(|l| l["step"].as_u64()).collect();
    assert_eq!(steps, [0, 3, 4]);
    let first = &lines[0];
    assert_eq!(first["object"], "/MechanicalObject1");
    assert_eq!(first["template"], "Vec3");
    assert_eq!((first["simulated"].as_bool(), first["mapped"].as_bool()), (Some(true), Some(false)));
    assert_eq!(first["position"], serde_json::json!([[0.0, 0.0, 0.0], [0.0, -1.0, 0.0]]));
    assert!((lines[1]["time"].as_f64().expect("time") - 0.03).abs() < 1e-15);
    let y = |l: &Value| l["position"][1][1].as_f64().expect("a number");
    assert!(y(&lines[2]) < -1.0, "it falls");
    assert_eq!(lines[2]["position"][0], first["position"][0], "it is fixed");
    weft_ok(&["run", &scene, "--steps", "6", "--export-state", &out, "--export-steps", "every:3"]);
    assert_eq!(s.read("out.jsonl").lines().count(), 3);
}

#[test]
fn the_report_has_the_promised_fields() {
    let s = Scratch::new();
    let report = s.path("r.json");
    let bars = ["--set", "objects=2", "--steps", "6", "--report", &report, "--report-from", "2"];
    let a = weft_ok(&[&["run", "bars"], &bars[..], &["--compare"]].concat());
    let r = s.json("r.json");
    let numbers = [
        "/steps",
        "/dt",
        "/threads",
        "/objects",
        "/dofs",
        "/step_ms/min",
        "/step_ms/median",
        "/step_ms/p95",
        "/step_ms/max",
        "/phase_ms/collision",
        "/phase_ms/graph",
        "/phase_ms/integrate",
        "/phase_ms/other",
        "/tasks/compute",
        "/tasks/mirrored",
        "/tasks/signal",
        "/tasks/wait",
        "/tasks/reducer",
        "/tasks/loop",
        "/graph/built",
        "/graph/updated",
        "/graph/pairs_changed",
        "/graph/build_ms",
        "/graph/update_ms",
        "/cg_iterations/mean",
        "/cg_iterations/max",
        "/contacts/mean",
        "/contacts/max",
        "/contacts/max_penetration",
        "/worker_busy/0",
        "/compare/speedup",
    ];
    for path in numbers {
        assert!(r.pointer(path).is_some_and(Value::is_number), "{path}: {r}");
    }
    for path in ["/scene", "/executor", "/partitioner", "/state_hash"] {
        assert!(r.pointer(path).is_some_and(Value::is_string), "{path}: {r}");
    }
    assert_eq!((r["steps"].as_u64(), r["objects"].as_u64()), (Some(6), Some(2)));
    assert_eq!(r["dofs"].as_u64(), Some(2 * 3 * 4 * 4 * 16));
    assert_eq!(r["graph"]["built"].as_u64(), Some(1));
    assert_eq!(r["compare"]["same_state"].as_bool(), Some(true));
    assert!(r["tasks"]["compute"].as_u64() > Some(0) && r["tasks"]["loop"].as_u64() > Some(0));
    for word in
        ["objects", "ms per step", "real time", "tasks", "plan", "CG iterations", "workers busy", "speedup"]
    {
        assert!(a.stdout.contains(word), "{word}: {}", a.stdout);
    }
    let last = a.stdout.trim_end().lines().last().expect("a last line");
    assert!(last.starts_with("6 iterations done in ") && last.ends_with(" FPS)"), "{last}");
}

#[test]
fn a_trace_has_a_row_per_worker() {
    let s = Scratch::new();
    let trace = s.path("t.json");
    weft_ok(&["run", "bars", "--set", "objects=2", "--steps", "2", "--threads", "2", "--trace", &trace]);
    let t = s.json("t.json");
    let events = t["traceEvents"].as_array().expect("events");
    let of = |phase: &'static str| events.iter().filter(move |e| e["ph"] == phase);
    assert_eq!(of("M").count(), 2);
    let workers: std::collections::BTreeSet<u64> = of("X").filter_map(|e| e["tid"].as_u64()).collect();
    assert_eq!(workers.into_iter().collect::<Vec<_>>(), [0, 1]);
    let component =
        |e: &Value| e["args"]["component"] == "/bar1/FEM" && e["name"] == "HexahedronFEMForceField";
    assert!(of("X").any(component), "tasks carry their component");
    // Viewers drop a slice that begins before the last one of its row has ended.
    for worker in 0..2 {
        let slice = |e: &Value| (e["ts"].as_f64().expect("a time"), e["dur"].as_f64().expect("a duration"));
        let mut slices: Vec<(f64, f64)> = of("X").filter(|e| e["tid"] == worker).map(slice).collect();
        slices.sort_by(|a, b| a.0.total_cmp(&b.0));
        let overlap = |w: &&[(f64, f64)]| w[0].0 + w[0].1 > w[1].0 + 5e-4;
        assert_eq!(slices.windows(2).filter(overlap).count(), 0, "of {} slices", slices.len());
    }
}

/// Who falls asleep and who wakes is marked, with its path, and a curve says how many sleep.
#[test]
fn a_trace_says_who_sleeps() {
    let s = Scratch::new();
    let trace = s.path("t.json");
    weft_ok(&["run", "falling", "--set", "objects=2", "--steps", "900", "--trace", &trace]);
    let t = s.json("t.json");
    let events = t["traceEvents"].as_array().expect("events");
    let named = |name: &str| events.iter().filter(|e| e["name"] == name).collect::<Vec<_>>();
    let (falls, wakes, counts) = (named("falls asleep"), named("wakes"), named("asleep"));
    assert_eq!(falls.len() - wakes.len(), 2, "{} fell asleep, {} woke", falls.len(), wakes.len());
    let path = falls[0]["args"]["objects"][0].as_str().expect("a path");
    assert!(path.starts_with('/'), "{path}");
    assert_eq!(counts.last().expect("a curve")["args"]["count"], 2);
    assert!(falls[0]["args"]["step"].as_u64().expect("a step") > 50);
}

#[test]
fn snapshots_are_readable_objects() {
    let s = Scratch::new();
    let (directory, scene) = (s.path("meshes"), "falling");
    let few = ["--set", "objects=5", "--steps", "4", "--export-mesh", &directory, "--every", "2"];
    weft_ok(&[&["run", scene], &few[..]].concat());
    assert!(s.exists("meshes/step_000000.obj") && s.exists("meshes/step_000002.obj"));
    assert!(!s.exists("meshes/step_000003.obj"));
    let text = s.read("meshes/step_000004.obj");
    let n = text.lines().filter(|l| l.starts_with("v ")).count();
    let n_objects = text.lines().filter(|l| l.starts_with("o ")).count();
    assert!(n_objects >= 5, "{n_objects}");
    for l in text.lines().filter(|l| l.starts_with("f ")) {
        let inside = |w: &str| w.parse::<usize>().is_ok_and(|i| i >= 1 && i <= n);
        assert!(l.split(' ').skip(1).all(inside), "{l}");
    }
    let (first, last) = (s.read("meshes/step_000000.obj"), &text);
    assert_ne!(&first, last, "it moves");
}

/// Surfaces lose what elements lose, and a visual model below a topological mapping has the points of what it follows.
#[test]
fn snapshots_follow_changes_of_the_topology() {
    let s = Scratch::new();
    let text = r#"<Node name="root" dt="0.01" gravity="0 0 0"><DefaultAnimationLoop/><Node name="body">
        <EulerImplicitSolver/><CGLinearSolver iterations="25" tolerance="1e-9" threshold="1e-9"/>
        <TetrahedronSetTopologyContainer name="tetrahedra" position="0 0 0 1 0 0 0 1 0 0 0 1 1 1 1" tetrahedra="0 1 2 3  1 2 3 4"/>
        <TetrahedronSetTopologyModifier/><MechanicalObject name="dofs"/><UniformMass vertexMass="0.1"/>
        <TopologicalChangeProcessor useDataInputs="1" tetrahedraToRemove="1" timeToRemove="0.015"/>
        <Node name="skin"><TriangleSetTopologyContainer name="triangles"/><TriangleSetTopologyModifier/>
            <Tetra2TriangleTopologicalMapping input="@../tetrahedra" output="@triangles"/>
            <OglModel name="visual"/><IdentityMapping input="@../dofs" output="@visual"/></Node></Node></Node>"#;
    let (scene, directory) = (s.file("cut.scn", text), s.path("meshes"));
    weft_ok(&["run", &scene, "--steps", "4", "--export-mesh", &directory, "--every", "4"]);
    let count = |step: usize, what: &str| {
        let text = s.read(&format!("meshes/step_{step:06}.obj"));
        text.lines().filter(|l| l.starts_with(what)).count()
    };
    assert_eq!([count(0, "v "), count(0, "f ")], [5, 6]);
    assert_eq!([count(4, "v "), count(4, "f ")], [4, 4]);
}

#[test]
fn lists() {
    let gallery = weft_ok(&["list"]).stdout;
    for name in ["falling", "bars", "cloth", "objects = "] {
        assert!(gallery.contains(name), "{name}");
    }
    let components = weft_ok(&["list", "--components"]).stdout;
    for words in ["TetrahedronFEMForceField", "youngModulus", "default", "EulerImplicitSolver", "[", "Pa"] {
        assert!(words == "[" || components.contains(words), "{words}");
    }
    let s = Scratch::new();
    let text = weft_ok(&["list", "--export", "bars", "--set", "objects=2"]).stdout;
    let file = s.file("bars.scn", &text);
    let hash = |scene: &[&str]| {
        let report = s.path("r.json");
        weft_ok(&[&["run"], scene, &["--steps", "3", "--quiet", "--report", &report]].concat());
        s.json("r.json")["state_hash"].as_str().map(str::to_owned)
    };
    assert_eq!(hash(&[&file]), hash(&["bars", "--set", "objects=2"]), "the exported scene is the same scene");
}

#[test]
fn stages_are_shown_with_their_tasks() {
    let s = Scratch::new();
    let out = weft_ok(&["stages", &s.file("spring.scn", SPRING)]).stdout;
    assert!(out.starts_with("integration: "), "{out}");
    let line = |words: &[&str]| out.lines().any(|l| words.iter().all(|w| l.contains(w)));
    assert!(line(&[" Own ", " add_force ", "/: ", "MeshSpringForceField"]), "{out}");
    assert!(line(&[" Replicated ", " cg_norm "]), "{out}");
    let begin =
        out.lines().position(|l| l.contains(" BeginLoop")).expect("the loop of the conjugate gradient");
    let end = out.lines().position(|l| l.contains(" EndLoop ")).expect("its end");
    assert!(begin < end, "{out}");
    // All tasks are counted, and shown where they are asked for.
    let cloth = ["stages", "cloth", "--set", "size=12", "--set", "pieces=6"];
    let (some, all) = (weft_ok(&cloth).stdout, weft_ok(&[&cloth[..], &["--all"]].concat()).stdout);
    assert!(
        some.contains(" Joint ") && some.contains("; and 3 more\n") && !all.contains(" more\n"),
        "{some}"
    );
    let number = |l: &str| l.split_once(": ")?.1.strip_suffix(" tasks")?.parse::<usize>().ok();
    let counted: usize = all.lines().filter_map(number).sum();
    let kinds = [" Own ", " Joint ", " Replicated "];
    let stages = all.lines().filter(|l| kinds.iter().any(|k| l.contains(k)));
    let shown: usize = stages.map(|l| l.split([',', ';']).count()).sum();
    assert_eq!(shown, counted, "{all}");
}
