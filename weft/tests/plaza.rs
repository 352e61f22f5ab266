//! Characters in a step of physics: states follow their joints, things feel their bones, one program for all, the same bits everywhere.

use scenes::gallery;
use scenes::load::{LoadOptions, load_elements, load_text};
use weft::execution::Stepped;
use weft::record::{Phase, RunRecord, Section, Serial};
use weft::simulation::{ExecutorKind, PartitionerKind, Simulation, SimulationOptions, StateView};

fn options(executor: ExecutorKind, threads: usize, partitioner: PartitionerKind) -> SimulationOptions {
    SimulationOptions { executor, threads, partitioner, pin: false, ..SimulationOptions::default() }
}

fn alone() -> SimulationOptions {
    options(ExecutorKind::Sequential, 1, PartitionerKind::Owner)
}

fn plaza(set: &[(&str, &str)], options: SimulationOptions) -> Simulation {
    let set: Vec<(String, String)> = set.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    let root = gallery::find("plaza").and_then(|s| s.elements(&set)).expect("a gallery scene");
    let loaded = load_elements(root, &LoadOptions::default()).expect("it loads");
    Simulation::new(loaded.scene, options).expect("it can be simulated")
}

const SMALL: [(&str, &str); 2] = [("people", "10"), ("objects", "6")];

#[test]
fn characters_kick_things_with_the_same_bits_by_every_executor() {
    let run = |options| {
        let mut s = plaza(&SMALL, options);
        for step in 0..60 {
            s.step().expect("a step");
            if step % 20 == 0 {
                s.check_plan().expect("an updated plan equals one made anew");
            }
        }
        s.state_hash().expect("finite")
    };
    let expected = run(alone());
    for way in [
        options(ExecutorKind::Replay, 1, PartitionerKind::Owner),
        options(ExecutorKind::Replay, 3, PartitionerKind::Metis),
        options(ExecutorKind::Stealing, 2, PartitionerKind::Owner),
        options(ExecutorKind::ForkJoin, 2, PartitionerKind::Owner),
    ] {
        assert_eq!(run(way.clone()), expected, "{:?} {}", way.executor, way.threads);
    }
}

fn of<'s>(states: &'s [StateView], path: &str) -> &'s StateView {
    states.iter().find(|v| v.path == path).expect("a state")
}

#[test]
fn they_walk_apart_and_the_cloak_hangs_on() {
    let mut s = plaza(&SMALL, alone());
    let hips = |s: &Simulation| -> Vec<[f64; 2]> {
        let states = s.states();
        let at = |k: usize| of(&states, &format!("/people/person{k}/frames")).position[0].clone();
        (0..10).map(|k| [at(k)[0], at(k)[2]]).collect()
    };
    let begin = hips(&s);
    for _ in 0..400 {
        s.step().expect("a step");
        let now = hips(&s);
        for (k, a) in now.iter().enumerate() {
            for b in &now[..k] {
                // Twice the radius of 0.4 m, less what two go in a step.
                assert!((a[0] - b[0]).hypot(a[1] - b[1]) > 0.8 - 2.0 * 3.2 * 0.01 - 1e-6);
            }
        }
        let states = s.states();
        let (collar, cloak) =
            (of(&states, "/people/person9/collar/points"), of(&states, "/cloak/sheet/points"));
        for (a, b) in collar.position.iter().zip(&cloak.position) {
            let apart = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            assert!(apart < 0.12, "the cloak's edge is {apart} m from the shoulders");
        }
    }
    let walked = hips(&s).iter().zip(&begin).filter(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]) > 0.5).count();
    assert!(walked >= 5, "{walked} of 10 are elsewhere");
}

#[test]
fn bones_of_both_kinds_push_what_stands_in_their_way() {
    let things = |people: &str, humanoids: &str| {
        let mut s = plaza(&[("people", people), ("humanoids", humanoids), ("objects", "9")], alone());
        (0..500).for_each(|_| drop(s.step().expect("a step")));
        let states = s.states();
        let middle = |k: usize| {
            let rows = &of(&states, &format!("/things/thing{k}/dofs")).position;
            [0, 2].map(|c: usize| rows.iter().map(|p| p[c]).sum::<f64>() / rows.len() as f64)
        };
        for k in 0..9 {
            let rows = &of(&states, &format!("/things/thing{k}/dofs")).position;
            let height = rows.iter().map(|p| p[1]).sum::<f64>() / rows.len() as f64;
            assert!((0.1..2.5).contains(&height), "thing{k} lies at a height of {height} m");
        }
        (0..9).map(middle).collect::<Vec<_>>()
    };
    let alone = things("0", "0");
    // All are of the glTF file; all but the last, who wears the cloak, are humanoids of the X3D file.
    for humanoids in ["0", "1"] {
        let with = things("9", humanoids);
        let moved = with.iter().zip(&alone).filter(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]) > 0.2).count();
        assert!(moved >= 2, "humanoids={humanoids}: {moved} of 9 things lie elsewhere than without people");
    }
}

#[test]
fn the_crowd_has_characters_of_a_gltf_file_and_humanoids_with_skins_of_their_own() {
    let s = plaza(&SMALL, alone());
    let scene = &s.world().scene;
    let files: Vec<(String, usize, usize)> = scene
        .all_components()
        .filter_map(|c| {
            Some((scene.path(c), scene.component(c).extension::<scenes::animated::CharacterFile>()?))
        })
        .map(|(path, file)| (path, file.models.len(), file.character.meshes[0].positions.len()))
        .collect();
    let (states, mut points) = (s.states(), Vec::new());
    for k in 0..10 {
        let skin = &of(&states, &format!("/people/person{k}/skin/points")).position;
        assert!(skin.iter().all(|p| (-0.1..2.0).contains(&p[1])), "person{k} stands on the ground");
        points.push(skin.len());
    }
    assert_eq!(files.len(), 2, "{files:?}");
    assert_eq!(
        (files[0].0.as_str(), files[0].1, files[1].0.as_str(), files[1].1),
        ("/people_file", 8, "/humanoids_file", 2)
    );
    assert_ne!(files[0].2, files[1].2);
    for (k, n) in points.iter().enumerate() {
        assert_eq!(*n, files[usize::from(k % 4 == 2)].2, "person{k}");
    }
}

#[test]
fn who_is_taken_over_goes_where_it_is_told_with_the_same_bits_by_every_executor() {
    use animation::skeleton::walk::{Drive, Pace};
    let run = |options| {
        let mut s = plaza(&[("people", "6"), ("objects", "0")], options);
        let skin = s.find_state("/people/person1/skin/points").expect("a skin");
        let who = s.walking_at(skin).expect("it walks");
        assert_eq!(s.walking_at(s.find_state("/cloak/sheet/points").expect("a cloak")), None);
        let hips = |s: &Simulation| {
            let states = s.states();
            let at = &of(&states, "/people/person1/frames").position[0];
            [at[0], at[2]]
        };
        let mut ways = Vec::new();
        // In the first row, person1 stands in the middle and looks along z, to the others.
        for (heading, pace) in [(std::f64::consts::PI, Pace::Walk), (std::f64::consts::PI, Pace::Stand)] {
            assert!(s.drive(who, Some(Drive { heading, pace })));
            let before = hips(&s);
            (0..220).for_each(|_| drop(s.step().expect("a step")));
            let after = hips(&s);
            ways.push([after[0] - before[0], after[1] - before[1]]);
        }
        assert!(ways[0][1] < -0.8, "it walks back: {ways:?}");
        assert!(ways[1][0].hypot(ways[1][1]) < 0.5, "it stops: {ways:?}");
        assert_eq!(s.way_of(who).map(|way| way.pace), Some(Pace::Stand));
        assert!(s.drive(who, None));
        let before = hips(&s);
        (0..600).for_each(|_| drop(s.step().expect("a step")));
        let after = hips(&s);
        assert!((after[0] - before[0]).hypot(after[1] - before[1]) > 0.3, "it goes where it wants again");
        s.state_hash().expect("finite")
    };
    let expected = run(alone());
    assert_eq!(run(options(ExecutorKind::Replay, 3, PartitionerKind::Metis)), expected);
    assert_eq!(run(options(ExecutorKind::Stealing, 2, PartitionerKind::Owner)), expected);
}

#[test]
fn a_record_of_one_step_has_tasks_of_all() {
    let mut s = plaza(&SMALL, options(ExecutorKind::Replay, 2, PartitionerKind::Owner));
    // Things fall for a while, so that some touch.
    (0..80).for_each(|_| drop(s.step().expect("a step")));
    Stepped::observe(&mut s, true);
    s.step().expect("a step");
    let record = s.record().expect("it was observed");
    let names = s.names();
    let programs: Vec<Vec<(&str, &str)>> = record
        .runs
        .iter()
        .map(|run| {
            let of = |component: Option<u32>| component.map_or("", |c| &*names.components[c as usize].1);
            run.graph.tasks.iter().map(|t| (t.name, of(t.component))).collect()
        })
        .collect();
    // The programs of a step, one after the other: what moves by itself with bounds, then pairs, then forces and motion.
    let wanted: [&[(&str, &str)]; 3] = [
        &[
            ("decide", "CharacterFile"),
            ("walk", "CharacterFile"),
            ("animate", "CharacterFile"),
            ("follow", "CharacterJoints"),
            ("follow", "X3DJoints"),
            ("bounds", "SphereCollisionModel"),
        ],
        &[("narrow_phase", "")],
        &[
            ("MeshSpringForceField", "MeshSpringForceField"),
            ("TetrahedronFEMForceField", "TetrahedronFEMForceField"),
            ("PenalityContactForceField", ""),
            ("cg_alpha", "EulerImplicitSolver"),
            ("euler_update", "EulerImplicitSolver"),
        ],
    ];
    let phases: Vec<Phase> = record.runs.iter().map(|run| run.phase).collect();
    assert_eq!(phases, [Phase::Bounds, Phase::NarrowPhase, Phase::Integration]);
    for (program, wanted) in programs.iter().zip(wanted) {
        for (name, class) in wanted {
            let is_it = |(n, c): &&(&str, &str)| n.contains(name) && (class.is_empty() || c == class);
            let mut known = program.clone();
            known.sort_unstable();
            known.dedup();
            assert!(program.iter().any(|task| is_it(&task)), "{name} {class} is not in {known:?}");
        }
    }
    // They follow each other, and the broad phase is on the caller's thread between the first two.
    let [first, second, third] = &record.runs[..] else { panic!("three") };
    let end = |run: &RunRecord| run.start_ns + run.duration_ns;
    assert!(end(first) <= second.start_ns && end(second) <= third.start_ns);
    let is_between = |of: &&Section| (end(first)..=second.start_ns).contains(&of.start_ns);
    let between = record.sections.iter().find(is_between).expect("something is between them");
    assert_eq!(between.kind, Serial::BroadPhase);
}

/// The clip of `gallery:walker` at rest, on a turned and scaled model at a place.
#[test]
fn a_skin_on_frames_is_the_skin_of_the_character() {
    let text = r#"<Node name="root" dt="0.1"><DefaultAnimationLoop/>
      <CharacterFile filename="gallery:walker" clips="walk" unit="2" places="1 0.5 3" headings="90" models="2" speed="0.5"/>
      <Node name="one"><CharacterJoints name="joints" model="1"/>
        <MechanicalObject name="frames" template="Rigid3" position="@joints.position"/>
        <Node name="skin"><CharacterMesh name="mesh"/>
          <MechanicalObject name="points" position="@mesh.position"/>
          <SkinningMapping nbRef="@mesh.nbRef" indices="@mesh.indices" weight="@mesh.weight"/></Node></Node></Node>"#;
    let loaded = load_text(text, "skin.scn", &LoadOptions::default()).expect("it loads");
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let mut s = Simulation::new(loaded.scene, alone()).expect("it can be simulated");
    let walker = weft_walker();
    for step in 0..8 {
        // Model 1 of 2 begins half way; time goes at half speed.
        let wanted = walker(0.55 + 0.5 * 0.1 * f64::from(step));
        let states = s.states();
        let seen = &of(&states, "/one/skin/points").position;
        assert_eq!(seen.len(), wanted.len());
        for (a, [x, y, z]) in seen.iter().zip(&wanted) {
            // Turned by a quarter about y: what was along z is along x.
            let b = [1.0 + 2.0 * z, 0.5 + 2.0 * y, 3.0 - 2.0 * x];
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 2e-5), "step {step}: {a:?} {b:?}");
        }
        s.step().expect("a step");
    }
}

/// The walker's vertices at a time of its walk, by the crowd's kernels.
fn weft_walker() -> impl Fn(f64) -> Vec<[f64; 3]> {
    use std::sync::Arc;
    let character = characters::walker();
    let clip = Arc::new(character.clips[1].clone());
    let skeleton = Arc::new(character.skeleton.clone());
    move |time| {
        let drawn =
            animation::skeleton::Drawn { skins: character.skins.clone(), meshes: character.meshes.clone() };
        let backend = animation::Backend::sequential();
        let mut crowd =
            animation::skeleton::Crowd::drawn(&skeleton, Some(&clip), (&[0.0], 1), &Arc::new(drawn), backend)
                .expect("a crowd");
        crowd.step(0, time).expect("runs");
        crowd.vertices(0, 0, 0).expect("filled").iter().map(|v| v.position.map(f64::from)).collect()
    }
}

/// What is said of a scene that is refused.
fn refused(text: &str) -> String {
    match load_text(text, "wrong.scn", &LoadOptions::default()) {
        Ok(_) => panic!("it loads: {text}"),
        Err(wrong) => wrong.to_string(),
    }
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    for (attributes, expected) in [
        (r#"filename="gallery:walkr""#, "there is no character `walkr` in the gallery"),
        (
            r#"filename="gallery:walker" clips="wlak""#,
            "there is no clip `wlak` in the file; did you mean `walk`?",
        ),
        (
            r#"filename="gallery:walker" clips="walk run""#,
            "1 clips come in after the first, but 0 times are given",
        ),
        (r#"filename="gallery:walker" area="3""#, "`area` counts where `ground` is `walk` only"),
        (
            r#"filename="gallery:walker" ground="walk" models="2" places="0 0 0 0.5 0 0""#,
            "models 0 and 1 stand nearer to each other than twice the radius",
        ),
        (r#"filename="gallery:walker" ground="fly""#, "fly"),
    ] {
        let text = format!(r#"<Node name="root"><CharacterFile {attributes}/></Node>"#);
        let wrong = refused(&text);
        assert!(wrong.contains(expected), "{wrong}");
    }
    let text = r#"<Node name="root"><CharacterFile filename="gallery:walker"/><CharacterJoints joints="l_elbwo"/></Node>"#;
    let wrong = refused(text);
    assert!(wrong.contains("the character has no joint `l_elbwo`; did you mean `l_elbow`?"), "{wrong}");
}

#[test]
fn a_guest_walks_in_a_circle_and_lamps_glow_in_turns() {
    let mut s = plaza(&[("people", "0"), ("objects", "0")], alone());
    let at = |s: &Simulation| {
        let states = s.states();
        let frames = of(&states, "/guest/frames").position.clone();
        (frames, of(&states, "/guest/skin/points").position.clone())
    };
    let distance = |a: &[f64], b: &[f64]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    let mut bends = Vec::new();
    let mut strength = Vec::new();
    for _ in 0..400 {
        s.step().expect("a step");
        let (frames, skin) = at(&s);
        let root = &frames[0];
        assert!((root[0].hypot(root[2]) - 2.6).abs() < 0.03 && (root[1] - 0.92).abs() < 1e-3, "{root:?}");
        for p in &skin {
            let near = frames.iter().map(|f| distance(f, p)).fold(f64::INFINITY, f64::min);
            assert!(near < 0.6 && p[1] > -0.25, "a point of the skin is {near} m from every joint, at {p:?}");
        }
        // From the hip to the knee: 0.4 m, whatever the leg does.
        assert!((distance(&frames[7], &frames[8]) - 0.4).abs() < 1e-6);
        bends.push(frames[8][1]);
        let lamps = s.lamps();
        assert_eq!(lamps.len(), 4);
        strength.push(lamps[0].color[0]);
    }
    let range = |all: &[f64]| {
        all.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b))
            - all.iter().fold(f64::INFINITY, |a, b| a.min(*b))
    };
    assert!(range(&bends) > 0.02 && range(&strength) > 1.0, "{} {}", range(&bends), range(&strength));
    let (frames, _) = at(&s);
    // Four seconds of sixteen: a quarter of the circle.
    assert!(frames[0][0].abs() < 0.1 && (frames[0][2] - 2.6).abs() < 0.1, "{:?}", frames[0]);
}
