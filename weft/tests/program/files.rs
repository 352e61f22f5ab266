//! Files that scenes themselves write and read: states, tables, meshes.

use super::{Scratch, weft, weft_ok, weft_refuses};

/// A swinging mass on a spring, and what stands in its node besides.
fn swing(more: &str) -> String {
    format!(
        "<Node dt='0.01' gravity='0 -10 0'>
  <Node name='swing'>
    <EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>
    <CGLinearSolver iterations='20' tolerance='1e-12' threshold='1e-20'/>
    <MechanicalObject name='points' position='0 0 0  1 0 0  1 1 0'/>
    <MeshTopology edges='0 1' triangles='0 1 2'/>
    <UniformMass name='mass' totalMass='3'/>
    <MeshSpringForceField stiffness='100' damping='1'/>
    <FixedProjectiveConstraint indices='0'/>
    {more}
  </Node>
</Node>
"
    )
}

#[test]
fn what_one_scene_writes_another_reads() {
    for ending in ["txt", "txt.gz"] {
        let s = Scratch::new();
        let file = format!("states.{ending}");
        let writer = s.file("w.scn", &swing(&format!("<WriteState filename='{file}' writeV='1'/>")));
        let (files, out) = (s.path("out"), s.path("w.jsonl"));
        let a = weft_ok(&["run", &writer, "--steps", "60", "--files", &files, "--export-state", &out]);
        assert!(a.stdout.contains("FPS"), "{}", a.stdout);
        assert!(s.exists(&format!("out/{file}")));
        let reader = format!(
            "<Node dt='0.01'><Node name='copy'>
               <MechanicalObject name='points' position='0 0 0 0 0 0 0 0 0'/><ReadState filename='out/{file}'/>
               <CompareState name='same' filename='out/{file}'/>
               <Node name='mapped'><MechanicalObject name='all' position='0 0 0 0 0 0 0 0 0'/><IdentityMapping/></Node>
             </Node></Node>"
        );
        let reader = s.file("r.scn", &reader);
        let (again, report) = (s.path("r.jsonl"), s.path("r.json"));
        let a = weft_ok(&["run", &reader, "--steps", "60", "--export-state", &again, "--report", &report]);
        assert!(
            a.stdout.contains("compared       /copy/same: 60 frames, positions 0.000e0 m"),
            "{}",
            a.stdout
        );
        assert_eq!(s.json("r.json")["compared_states"][0]["frames"], 60);
        let lines = |name: &str| -> Vec<serde_json::Value> {
            s.read(name).lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
        };
        let (wrote, read) = (lines("w.jsonl"), lines("r.jsonl"));
        // Sixty steps: after some the time is a bit less than what the file says of it.
        // A frame is read at the beginning of the step at its time: after it the state is that from which the step began.
        for step in 1..=60 {
            let (then, now) = (&wrote[step - 1], &read[2 * step]);
            for field in ["position", "velocity"] {
                for point in 0..3 {
                    for k in 0..3 {
                        let [a, b] = [then, now].map(|l| l[field][point][k].as_f64().expect("a number"));
                        assert!((a - b).abs() <= 5.1e-6 * a.abs(), "{ending}, step {step}: {field} {a} {b}");
                    }
                }
            }
            assert_eq!(read[2 * step]["position"], read[2 * step + 1]["position"], "what is mapped follows");
        }
    }
}

/// What the integrator has left: in the first step all weigh 10 N, the point that is held, too, and no spring pulls yet.
#[test]
fn forces_are_written_that_the_step_before_has_left_whoever_computes() {
    let written = |threads: &str, executor: &str| {
        let s = Scratch::new();
        let components = "<WriteState filename='f.txt' writeX='0' writeF='1'/>
            <Monitor name='tip' indices='1 2' ExportForces='1'/>
            <Node><MechanicalObject name='idle'/><WriteState filename='idle.txt' writeF='1'/></Node>";
        let scene = s.file("a.scn", &swing(components));
        let files = s.path("");
        weft_ok(&[
            "run",
            &scene,
            "--steps",
            "40",
            "--files",
            &files,
            "--quiet",
            "--threads",
            threads,
            "--executor",
            executor,
        ]);
        (s.read("f.txt"), s.read("tip_f.txt"))
    };
    let (states, table) = written("1", "replay");
    let lines: Vec<&str> = states.lines().collect();
    assert_eq!(lines[..4], ["T= 0", "  F= 0 0 0 0 0 0 0 0 0", "T= 0.01", "  F= 0 -10 0 0 -10 0 0 -10 0"]);
    assert_eq!(lines.len(), 80);
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows[0], "# Gnuplot File : forces of 2 particle(s) Monitored");
    assert_eq!(rows[2], "0.01\t0 -10 0\t0 -10 0\t");
    // Springs pull by now; a row is what the frame of the next step says of the two points.
    let numbers = lines[79].trim_start_matches("  F= ").split(' ').collect::<Vec<_>>();
    assert_eq!(rows[40], format!("0.39\t{}\t{}\t", numbers[3..6].join(" "), numbers[6..].join(" ")));
    assert_ne!(numbers[4], "-10");
    for (threads, executor) in [("1", "sequential"), ("3", "replay"), ("2", "stealing")] {
        assert!(written(threads, executor) == (states.clone(), table.clone()), "{threads} {executor}");
    }
}

#[test]
fn states_are_written_at_the_times_that_a_scene_says() {
    let times = |attributes: &str, steps: &str| -> Vec<String> {
        let s = Scratch::new();
        let scene = s.file("a.scn", &swing(&format!("<WriteState filename='s.txt' {attributes}/>")));
        weft_ok(&["run", &scene, "--steps", steps, "--files", &s.path(""), "--quiet"]);
        let text = s.read("s.txt");
        text.lines().filter_map(|l| l.strip_prefix("T= ").map(str::to_owned)).collect()
    };
    assert_eq!(times("", "3"), ["0", "0.01", "0.02"]);
    assert_eq!(times("time='0.02 0.05'", "9"), ["0.02", "0.05"]);
    assert_eq!(times("time='0.01' period='0.03'", "9"), ["0.01", "0.04", "0.07"]);
    assert_eq!(times("period='0.02'", "5"), ["0", "0.02", "0.04"]);
    // The energy grows from 0 by 1.5 J or so in 0.02 s, which is less than 100 J.
    assert_eq!(times("stopAt='100' keperiod='0.02'", "9"), ["0", "0.01", "0.02"]);
}

/// As SOFA's: at the listed time, then once a period has gone; with no time, a frame in every step.
#[test]
fn elements_are_written_at_the_times_that_a_scene_says() {
    let s = Scratch::new();
    let writers = "<WriteTopology filename='t.txt' time='0' period='0.02'/>
        <WriteTopology filename='each.txt.gz' writeContainers='0'/>";
    let scene = s.file("a.scn", &swing(writers));
    weft_ok(&["run", &scene, "--steps", "5", "--files", &s.path(""), "--quiet"]);
    let text = s.read("t.txt");
    let times: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("T= ")).collect();
    assert_eq!(times, ["0", "0.02", "0.04"]);
    assert_eq!(text.matches("  Triangles= 1\n0 1 2\n  Quads= 0\n\n").count(), 3, "{text}");
    let (each, is_cut) =
        scenes::playback::read_text(std::path::Path::new(&s.path("each.txt.gz"))).expect("text");
    assert_eq!((each.as_str(), is_cut), ("T= 0\nT= 0.01\nT= 0.02\nT= 0.03\nT= 0.04\n", false));
}

#[test]
fn exporters_write_what_others_read() {
    let s = Scratch::new();
    let exporters = "
      <Monitor name='tip' indices='1 2' ExportPositions='1' ExportVelocities='1'/>
      <VTKExporter filename='v/shape' edges='1' triangles='1' pointsDataFields='points.velocity speed=points.position'
                   exportAtBegin='1' exportEveryNumberOfSteps='2'/>
      <VTKExporter filename='v/old.vtk' XMLformat='0' triangles='1' exportAtEnd='1'/>
      <VTKExporter filename='v/linked' mstate='@points' exportAtEnd='1'/>
      <VTKExporter filename='v/silent' exportAtEnd='1' enable='0'/>
      <MeshExporter filename='m/all_%p_%n' exportAtEnd='1'/>
      <MeshExporter name='Each' filename='m' format='gmsh' exportEveryNumberOfSteps='3'/>
      <STLExporter filename='text' binaryformat='0' exportAtBegin='1' exportAtEnd='1' position='@points.position' triangle='0 1 2'/>
      <STLExporter filename='binary' exportAtEnd='1'/>
      <STLExporter filename='never' exportAtEnd='1' enable='0'/>
      <Node name='seen'><OglModel name='skin' position='0 0 0 1 0 0 1 1 0' triangles='0 1 2' color='red'/><IdentityMapping/></Node>
      <OBJExporter filename='skin' exportAtEnd='1'/>";
    let scene = s.file("a.scn", &swing(exporters));
    std::fs::create_dir(s.path("m")).expect("a folder");
    let out = s.path("out.jsonl");
    let a = weft_ok(&["run", &scene, "--steps", "6", "--files", &s.path(""), "--export-state", &out]);
    assert_eq!(a.stderr, "", "no warning");
    let expected = [
        "tip_x.txt",
        "tip_v.txt",
        "v/shape0.vtu",
        "v/shape1.vtu",
        "v/shape3.vtu",
        "v/old_0.vtk",
        "v/linked0.vtu",
        "m/all_3_6.vtu",
        "m/all_3_6.vtk",
        "m/all_3_6.mesh",
        "m/all_3_6.node",
        "m/all_3_6.ele",
        "m/all_3_6.face",
        "m/all_3_6.gmsh",
        "m/all_3_6.obj",
        "m/Each00001.gmsh",
        "m/Each00002.gmsh",
        "text.stl",
        "binary.stl",
        "skin.obj",
        "skin.mtl",
    ];
    let missing: Vec<&str> = expected.into_iter().filter(|f| !s.exists(f)).collect();
    let others: Vec<&str> =
        ["never.stl", "v/shape4.vtu", "v/silent0.vtu"].into_iter().filter(|f| s.exists(f)).collect();
    assert!(missing.is_empty() && others.is_empty(), "{missing:?}, {others:?}");
    // The tables: time, then the points with tabs between.
    let table = s.read("tip_x.txt");
    let rows: Vec<&str> = table.lines().filter(|l| !l.starts_with('#')).collect();
    let last: serde_json::Value =
        serde_json::from_str(s.read("out.jsonl").lines().last().expect("a line")).expect("JSON");
    assert_eq!((rows.len(), rows[5].split('\t').next()), (6, Some("0.06")));
    let second: f64 =
        rows[5].split('\t').nth(1).and_then(|p| p.split(' ').nth(1)).and_then(|y| y.parse().ok()).expect("y");
    let wanted = |line: &serde_json::Value, point: usize| line["position"][point][1].as_f64().expect("y");
    assert!((second - wanted(&last, 1)).abs() < 1e-5, "{second} {last}");
    // The meshes load in scenes, each with its three points where they are at the end.
    for (loader, file) in [
        ("MeshVTKLoader", "v/shape3.vtu"),
        ("MeshVTKLoader", "v/old_0.vtk"),
        ("MeshVTKLoader", "m/all_3_6.vtu"),
        ("MeshVTKLoader", "m/all_3_6.vtk"),
        ("MeshGmshLoader", "m/Each00002.gmsh"),
        ("MeshOBJLoader", "m/all_3_6.obj"),
        ("MeshOBJLoader", "skin.obj"),
        ("MeshSTLLoader", "text.stl"),
    ] {
        let scene =
            format!("<Node><{loader} name='l' filename='{file}'/><MechanicalObject src='@l'/></Node>");
        let (scene, out) = (s.file("load.scn", &scene), s.path("load.jsonl"));
        weft_ok(&["run", &scene, "--steps", "0", "--quiet", "--lenient", "--export-state", &out]);
        let line: serde_json::Value = serde_json::from_str(s.read("load.jsonl").trim()).expect("JSON");
        assert_eq!(line["position"].as_array().map(Vec::len), Some(3), "{file}");
        let y = wanted(&line, 2);
        assert!((y - wanted(&last, 2)).abs() < 2e-6, "{loader} {file}: {y} {}", wanted(&last, 2));
    }
    assert!(s.read("skin.mtl").contains("newmtl") && s.read("skin.mtl").contains("Kd 1 0 0"));
}

#[test]
fn files_of_other_runs_are_kept() {
    let s = Scratch::new();
    let scene = s.file("a.scn", &swing("<WriteState filename='mine.txt'/>"));
    s.file("mine.txt", "precious");
    let run = |more: &[&str]| {
        weft(&[&["run", &scene, "--steps", "2", "--files", &s.path(""), "--quiet"], more].concat())
    };
    let a = run(&[]);
    assert!(
        a.code == Some(0) && a.stderr.contains("mine.txt was there before; it is kept as"),
        "{}",
        a.stderr
    );
    assert_eq!(s.read("mine.txt.~1~"), "precious");
    assert!(s.read("mine.txt").starts_with("T= 0"));
    assert_eq!(run(&["--overwrite"]).stderr, "");
    assert!(!s.exists("mine.txt.~2~"));
    let none = Scratch::new();
    weft_ok(&["run", &scene, "--steps", "2", "--no-files", "--quiet"]);
    assert!(!none.exists("mine.txt"));
}

#[test]
fn a_file_that_cannot_be_written_is_named_with_its_component() {
    let s = Scratch::new();
    let blocked = s.file("file", "");
    for (component, file) in [
        ("<WriteState name='w' filename='a.txt'/>", "a.txt"),
        ("<Monitor name='w' indices='0' ExportPositions='1' fileName='a'/>", "a_x.txt"),
        ("<VTKExporter name='w' filename='a' exportAtBegin='1'/>", "a0.vtu"),
        ("<STLExporter name='w' filename='a' exportAtEnd='1'/>", "a.stl"),
    ] {
        let scene = s.file("a.scn", &swing(component));
        let words = ["/swing/w", "a.scn:10", "cannot write", &format!("file/{file}")];
        weft_refuses(&["run", &scene, "--steps", "2", "--quiet", "--files", &blocked], 1, &words);
    }
}

#[test]
fn what_a_reader_cannot_use_is_refused() {
    let s = Scratch::new();
    s.file("short.txt", "T= 0\n  X= 0 0 0\n");
    let scene = s.file("a.scn", &swing("<ReadState filename='short.txt'/>"));
    weft_refuses(
        &["run", &scene, "--steps", "1", "--quiet"],
        1,
        &["short.txt: line 1: 3 numbers of positions; the state has 9"],
    );
    let scene = s.file("a.scn", &swing("<ReadState filename='nowhere.txt'/>"));
    weft_refuses(&["run", &scene, "--steps", "1", "--quiet"], 1, &["nowhere.txt"]);
    let scene = s.file(
        "a.scn",
        &swing("<WriteState filename='x.txt' stopAt='1'/>")
            .replace("<UniformMass name='mass' totalMass='3'/>", ""),
    );
    let a = weft(&["run", &scene, "--steps", "1", "--quiet", "--files", &s.path("")]);
    assert!(a.code == Some(1), "{}", a.stderr);
}

#[test]
fn no_two_components_write_one_file() {
    let two = |a: &str, b: &str| {
        let body = |name: &str, more: &str| {
            format!(
                "<Node name='{name}'><MechanicalObject name='d' position='0 0 0'/><UniformMass totalMass='1'/>{more}</Node>"
            )
        };
        format!(
            "<Node dt='0.01'><EulerImplicitSolver/><CGLinearSolver/>{}
             {}</Node>",
            body("A", a),
            body("B", b)
        )
    };
    let run =
        |s: &Scratch, scene: &str| weft(&["run", scene, "--steps", "1", "--quiet", "--files", &s.path("")]);
    let states = "<WriteState filename='t.txt'/>";
    let stl = "<STLExporter filename='./s' exportAtEnd='1' position='@d.position' triangle='0 0 0'/>";
    for (a, b) in [(states, "<WriteState filename='./t.txt'/>"), (stl, stl)] {
        let s = Scratch::new();
        let scene = s.file("a.scn", &two(a, b));
        let answer = run(&s, &scene);
        let said = answer.stderr.contains("a.scn:2") && answer.stderr.contains("a.scn:1");
        assert!(answer.code == Some(1) && said, "{}", answer.stderr);
    }
    let s = Scratch::new();
    let monitor = "<Monitor indices='0' ExportPositions='1'/>";
    let scene = s.file(
        "a.scn",
        &two(monitor, &format!("{monitor}<Monitor name='m' indices='0' ExportVelocities='1'/>")),
    );
    let answer = run(&s, &scene);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    for file in ["A_Monitor1_x.txt", "B_Monitor1_x.txt", "m_v.txt"] {
        assert!(s.exists(file), "{file}");
    }
    weft_refuses(
        &["run", &s.file("b.scn", &two(states, "")), "--files", &s.path(""), "--report", &s.path("t.txt")],
        1,
        &["--report"],
    );
}
