//! Event graphs in a step of physics: states follow them, one program for both, the same bits by every executor.

use std::path::Path;

use scenes::diagnostics::Severity;
use scenes::gallery;
use scenes::load::{LoadOptions, load_elements, load_file};
use weft::execution::Stepped;
use weft::simulation::{ExecutorKind, PartitionerKind, Simulation, SimulationOptions, StateView};

fn options(executor: ExecutorKind, threads: usize, partitioner: PartitionerKind) -> SimulationOptions {
    SimulationOptions { executor, threads, partitioner, pin: false, ..SimulationOptions::default() }
}

fn alone() -> SimulationOptions {
    options(ExecutorKind::Sequential, 1, PartitionerKind::Owner)
}

fn ways() -> [SimulationOptions; 5] {
    [
        options(ExecutorKind::Replay, 1, PartitionerKind::Owner),
        options(ExecutorKind::Replay, 3, PartitionerKind::Metis),
        options(ExecutorKind::Replay, 2, PartitionerKind::Owner),
        options(ExecutorKind::Stealing, 2, PartitionerKind::Owner),
        options(ExecutorKind::ForkJoin, 2, PartitionerKind::Owner),
    ]
}

fn of_gallery(name: &str, options: SimulationOptions) -> Simulation {
    let root = gallery::find(name).and_then(|s| s.elements(&[])).expect("a gallery scene");
    let loaded = load_elements(root, &LoadOptions::default()).expect("it loads");
    Simulation::new(loaded.scene, options).expect("it can be simulated")
}

fn puppet(options: SimulationOptions) -> Simulation {
    of_gallery("puppet", options)
}

#[test]
fn the_puppet_pushes_soft_bodies_with_the_same_bits_by_every_executor() {
    let run = |options| {
        let mut s = puppet(options);
        for step in 0..70 {
            s.step().expect("a step");
            if step % 10 == 0 {
                s.check_plan().expect("an updated plan equals one made anew");
            }
        }
        s.state_hash().expect("finite")
    };
    let expected = run(alone());
    for way in ways() {
        assert_eq!(run(way.clone()), expected, "{:?} {}", way.executor, way.threads);
    }
    let mut s = puppet(alone());
    let row = |s: &Simulation, path: &str| {
        let states = s.states();
        let state = states.iter().find(|v| v.path == path).expect("a state");
        state.position.iter().map(|p| p[2]).sum::<f64>() / state.position.len() as f64
    };
    let (before, walked) = (row(&s, "/left_block/dofs"), row(&s, "/puppet/frames"));
    (0..150).for_each(|_| drop(s.step().expect("a step")));
    assert!(row(&s, "/puppet/frames") - walked > 0.8, "the puppet walks");
    assert!(row(&s, "/left_block/dofs") - before > 0.05, "and pushes a block");
}

#[test]
fn a_rig_drags_a_chain_and_looks_at_what_hangs_on_it() {
    let run = |options| {
        let mut s = of_gallery("rigged", options);
        for step in 0..60 {
            s.step().expect("a step");
            if step % 10 == 0 {
                s.check_plan().expect("an updated plan equals one made anew");
            }
        }
        s.state_hash().expect("finite")
    };
    let expected = run(alone());
    for way in ways() {
        assert_eq!(run(way.clone()), expected, "{:?} {}", way.executor, way.threads);
    }
    let mut s = of_gallery("rigged", alone());
    for _ in 0..60 {
        // The eye looks at where the block's middle is at the beginning of the step.
        let before = s.states();
        s.step().expect("a step");
        let states = s.states();
        let of = |states: &[StateView], path: &str, k: usize| {
            states.iter().find(|v| v.path == path).expect("a state").position[k].clone()
        };
        let (anchor, seen) = (of(&states, "/hook/anchor", 0), of(&before, "/chain/block/dofs", 13));
        let (turn, lift) = (0.9 * (1.5 * s.time() / 0.8).sin(), 0.35 + 0.25 * (2.3 * s.time() / 0.8).sin());
        let hook = [turn.cos() * lift.cos(), 1.8 + lift.sin(), -turn.sin() * lift.cos()];
        assert!(anchor.iter().zip(hook).all(|(a, b)| (a - b).abs() < 1e-9), "{anchor:?} {hook:?}");
        let eye = of(&states, "/arm/joints", 2);
        let [x, y, z, w] = [eye[3], eye[4], eye[5], eye[6]];
        // The first axis of the frame.
        let axis = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)];
        let way: Vec<f64> = seen.iter().zip(&eye).map(|(a, b)| a - b).collect();
        let length = way.iter().map(|c| c * c).sum::<f64>().sqrt();
        assert!(axis.iter().zip(&way).all(|(a, b)| (a - b / length).abs() < 1e-9), "{axis:?} {way:?}");
    }
}

#[test]
fn a_record_of_one_step_has_tasks_of_both() {
    let mut s = puppet(options(ExecutorKind::Replay, 2, PartitionerKind::Owner));
    s.step().expect("a step");
    Stepped::observe(&mut s, true);
    s.step().expect("a step");
    let record = s.record().expect("it was observed");
    let names = s.names();
    let tasks = record.runs[0].graph.tasks.iter();
    let first: Vec<(&str, &str)> =
        tasks.filter_map(|t| Some((t.name, &*names.components[t.component? as usize].1))).collect();
    for wanted in
        [("follow", "X3DJoints"), ("event values", "X3DJoints"), ("bounds", "TriangleCollisionModel")]
    {
        assert!(first.iter().any(|t| t.1 == wanted.1), "{wanted:?} is not in {first:?}");
    }
    assert!(first.iter().any(|t| t.1 == "X3DFile"), "{first:?}");
}

/// A box that goes along x by 1 m/s and turns about z by 2 rad/s; a Script adds a node after half a second.
const MOVING: &str = "#X3D V3.3 utf8\nPROFILE Immersive\n
DEF CART Transform { children DEF HOOK Transform { translation 0 2 0 } }
DEF CLOCK TimeSensor { cycleInterval 4 loop TRUE }
DEF GO PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0, 4 0 0 ] }
DEF TURN OrientationInterpolator { key [ 0 0.25 0.5 ] keyValue [ 0 0 1 0, 0 0 1 2, 0 0 1 4 ] }
ROUTE CLOCK.fraction_changed TO GO.set_fraction
ROUTE GO.value_changed TO CART.set_translation
ROUTE CLOCK.fraction_changed TO TURN.set_fraction
ROUTE TURN.value_changed TO CART.set_rotation
DEF MAKER Script { directOutput TRUE inputOnly SFTime now initializeOnly SFBool done FALSE initializeOnly SFNode cart USE CART
  url \"ecmascript: function now(t) { if (!done && t > 0.5) { done = true;
    cart.children[cart.children.length] = Browser.currentScene.createNode('Transform'); } }\" }
ROUTE CLOCK.time TO MAKER.now
";

const COLLISION: &str = "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
  <NewProximityIntersection alarmDistance='0.2' contactDistance='0.1'/><CollisionResponse response='PenalityContactForceField'/>";

fn scene(folder: &Path, more: &str, inside: &str) -> std::path::PathBuf {
    std::fs::write(folder.join("moving.x3dv"), MOVING).expect("written");
    let animation_loop = if more.contains("FreeMotion") { "" } else { "<DefaultAnimationLoop/>" };
    let text = format!(
        "<Node name='root' dt='0.01' gravity='0 -9.81 0'>\n{animation_loop}{more}\n<X3DFile name='moving' filename='moving.x3dv'/>\n{inside}\n</Node>"
    );
    let path = folder.join("scene.scn");
    std::fs::write(&path, text).expect("written");
    path
}

const CHAIN: &str = "<Node name='anchor'><X3DJoints name='joints' joints='HOOK CART'/>
    <MechanicalObject name='points' template='Vec3' position='@joints.position'/></Node>
  <Node name='frames'><X3DJoints name='joints' joints='HOOK'/>
    <MechanicalObject name='frame' template='Rigid3' position='@joints.position'/>
    <Node name='tip'><MechanicalObject name='point' position='1 0 0'/><SphereCollisionModel radius='0.1' simulated='0'/><RigidMapping/></Node></Node>
  <Node name='chain'><EulerImplicitSolver rayleighMass='1'/><CGLinearSolver iterations='50' tolerance='1e-9' threshold='1e-9'/>
    <MeshTopology position='0 1.5 0 0 1 0' edges='0 1'/><MechanicalObject name='points'/><UniformMass vertexMass='0.1'/>
    <MeshSpringForceField stiffness='100'/><SphereCollisionModel radius='0.1'/>
    <SpringForceField object1='@/anchor/points' object2='@/chain/points' spring='0 0 200 1 0.5'/></Node>";

#[test]
fn states_follow_in_a_graph_of_their_own_and_before_the_bounds() {
    let folder = tempfile::tempdir().expect("a folder");
    for more in ["", COLLISION] {
        let path = scene(folder.path(), more, CHAIN);
        let run = |options: SimulationOptions| {
            let loaded = load_file(&path, &LoadOptions::default());
            let loaded = loaded.unwrap_or_else(|e| panic!("{:#?}", e.diagnostics));
            let mut s = Simulation::new(loaded.scene, options).expect("it can be simulated");
            let near = |a: &[f64], b: &[f64]| {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
            };
            for step in 0..80 {
                s.step().expect("a step");
                s.check_plan().expect("the same plan anew");
                let (t, states) = (0.01 * f64::from(step + 1), s.states());
                let of = |path: &str| states.iter().find(|v| v.path == path).expect("a state");
                let hook = [t - 2.0 * (2.0 * t).sin(), 2.0 * (2.0 * t).cos(), 0.0];
                let anchor = of("/anchor/points");
                assert!(near(&anchor.position[0], &hook), "{:?} {hook:?} at {t}", anchor.position);
                assert!(near(&anchor.position[1], &[t, 0.0, 0.0]));
                let frame = of("/frames/frame");
                assert!(near(&frame.position[0][..3], &hook));
                assert!(near(&frame.position[0][3..], &[0.0, 0.0, t.sin(), t.cos()]));
                assert!((frame.velocity[0][5] - 2.0).abs() < 1e-2, "{:?}", frame.velocity);
                assert!((anchor.velocity[1][0] - 1.0).abs() < 1e-2, "{:?}", anchor.velocity);
                let tip = of("/frames/tip/point");
                let out = [hook[0] + (2.0 * t).cos(), hook[1] + (2.0 * t).sin(), 0.0];
                assert!(near(&tip.position[0], &out), "mappings follow");
            }
            let states = s.states();
            let chain = states.iter().find(|v| v.path == "/chain/points").expect("a state");
            assert!(chain.position[0][0] < -0.2, "the chain is drawn along: {:?}", chain.position);
            s.state_hash().expect("finite")
        };
        let expected = run(alone());
        for way in ways() {
            assert_eq!(run(way.clone()), expected, "{:?} {}", way.executor, way.threads);
        }
    }
}

/// Multipliers: a weight hangs on the hook by one, and a ball is in the way of the tip.
const FREE: &str = "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance='1e-10' maxIterations='1000'/>
  <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><LocalMinDistance alarmDistance='0.2' contactDistance='0.05'/>
  <CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.3'/>";

const PUSHED: &str = "<Node name='anchor'><X3DJoints name='joints' joints='HOOK'/>
    <MechanicalObject name='points' template='Vec3' position='@joints.position'/></Node>
  <Node name='frames'><X3DJoints name='joints' joints='HOOK'/>
    <MechanicalObject name='frame' template='Rigid3' position='@joints.position'/>
    <Node name='tip'><MechanicalObject name='point' position='1 0 0'/><SphereCollisionModel radius='0.1' simulated='0'/><RigidMapping/></Node></Node>
  <Node name='weight'><EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-20'/>
    <MechanicalObject name='points' position='0 2 0'/><UniformMass vertexMass='0.1'/><UncoupledConstraintCorrection/></Node>
  <Node name='ball'><EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-20'/>
    <MechanicalObject name='points' position='0.45 2.35 0'/><UniformMass vertexMass='0.1'/>
    <SphereCollisionModel radius='0.2'/><UncoupledConstraintCorrection/></Node>
  <BilateralLagrangianConstraint template='Vec3' object1='@anchor/points' object2='@weight/points' first_point='0' second_point='0'/>";

#[test]
fn what_follows_pulls_and_pushes_by_multipliers() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = scene(folder.path(), FREE, PUSHED);
    let run = |options: SimulationOptions| {
        let loaded = load_file(&path, &LoadOptions::default());
        let loaded = loaded.unwrap_or_else(|e| panic!("{:#?}", e.diagnostics));
        let mut s = Simulation::new(loaded.scene, options).expect("it can be simulated");
        for step in 0..40 {
            s.step().expect("a step");
            s.check_plan().expect("the same plan anew");
            let (t, states) = (0.01 * f64::from(step + 1), s.states());
            let of =
                |path: &str| states.iter().find(|v| v.path == path).expect("a state").position[0].clone();
            let hook = [t - 2.0 * (2.0 * t).sin(), 2.0 * (2.0 * t).cos(), 0.0];
            let near = |a: &[f64]| a.iter().zip(hook).all(|(a, b)| (a - b).abs() < 1e-4);
            assert!(near(&of("/anchor/points")), "{:?} {hook:?}", of("/anchor/points"));
            assert!(
                near(&of("/weight/points")),
                "the weight is held: {:?} {hook:?} at {t}",
                of("/weight/points")
            );
            let (tip, ball) = (of("/frames/tip/point"), of("/ball/points"));
            let apart = tip.iter().zip(&ball).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            assert!(apart > 0.3, "the tip is not within the ball: {apart} at {t}");
        }
        let states = s.states();
        let ball = states.iter().find(|v| v.path == "/ball/points").expect("a state");
        assert!(ball.velocity[0][0] < -1.0, "the ball was hit: {:?}", ball.velocity);
        s.state_hash().expect("finite")
    };
    let expected = run(alone());
    for way in ways() {
        assert_eq!(run(way.clone()), expected, "{:?} {}", way.executor, way.threads);
    }
}

#[test]
fn what_cannot_follow_is_refused_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let findings = |inside: &str| -> Vec<String> {
        let path = scene(folder.path(), "", inside);
        match load_file(&path, &LoadOptions::default()) {
            Err(e) => e.diagnostics.iter().map(ToString::to_string).collect(),
            Ok(loaded) => {
                let warnings = loaded.diagnostics.iter().filter(|d| d.severity >= Severity::Warning);
                warnings.map(ToString::to_string).collect()
            }
        }
    };
    let body = "<MechanicalObject template='Rigid3' position='@joints.position'/>";
    let cases = [
        (String::new(), ["X3DFile", "no state follows it"]),
        (format!("<X3DJoints name='joints' joints='HOK'/>{body}"), ["4:", "did you mean `HOOK`?"]),
        (format!("<X3DJoints name='joints' joints=''/>{body}"), ["4:", "names no node"]),
        (
            format!(
                "<X3DJoints name='joints' joints='HOOK'/><EulerImplicitSolver/><CGLinearSolver iterations='5' tolerance='1e-9' threshold='1e-9'/>{body}<UniformMass totalMass='1'/>"
            ),
            ["`position`", "moves this state"],
        ),
        ("<X3DFile name='other' filename='movin.x3dv'/>".to_owned(), ["4:", "movin.x3dv"]),
        (
            "<X3DFile name='other' filename='gallery:pupet.x3dv'/>".to_owned(),
            ["`filename`", "did you mean `puppet.x3dv`?"],
        ),
        (
            format!(
                "<X3DJoints name='joints' joints='HOOK'/>{body}<TransformEngine template='Rigid3' input_position='@joints.position' translation='1 0 0'/>"
            ),
            ["input_position", "read once"],
        ),
    ];
    for (inside, wanted) in cases {
        let found = findings(&inside);
        let fits = |f: &String| wanted.iter().all(|w| f.contains(w));
        assert!(found.iter().any(fits), "{inside}: {wanted:?} is not in {found:#?}");
    }
}

#[test]
fn a_file_in_a_step_is_looked_at_from_its_viewpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#X3D V3.3 utf8\nPROFILE Full\nDEF CLOCK TimeSensor { cycleInterval 4 loop TRUE }\n\
        DEF GO PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 10, 4 0 10 ] }\nDEF EYE Viewpoint { position 0 0 10 }\n\
        DEF NEAR ProximitySensor { size 100 100 100 }\nDEF SEEN Transform { }\nDEF TOUCH TouchSensor { }\n\
        ROUTE CLOCK.fraction_changed TO GO.set_fraction\nROUTE GO.value_changed TO EYE.position\n\
        ROUTE NEAR.position_changed TO SEEN.translation\nROUTE TOUCH.touchTime TO CLOCK.startTime\n";
    std::fs::write(folder.path().join("eye.x3dv"), text).expect("written");
    let scene = "<Node name='root' dt='0.01'><DefaultAnimationLoop/><X3DFile filename='eye.x3dv'/>
        <Node name='seen'><X3DJoints name='joints' joints='SEEN'/>
        <MechanicalObject name='point' template='Vec3' position='@joints.position'/></Node></Node>";
    let path = folder.path().join("eye.scn");
    std::fs::write(&path, scene).expect("written");
    let loaded = load_file(&path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{:#?}", e.diagnostics));
    let said: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    let touch = |d: &&String| d.contains("TouchSensor: nothing in a step of physics tells it");
    assert_eq!(said.iter().filter(touch).count(), 1, "{said:?}");
    let run = |options| {
        let loaded =
            load_file(&path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{:#?}", e.diagnostics));
        let mut s = Simulation::new(loaded.scene, options).expect("it can be simulated");
        let mut seen = Vec::new();
        for _ in 0..20 {
            s.step().expect("a step");
            seen.push(s.states()[0].position[0].clone());
        }
        seen
    };
    let expected = run(alone());
    // What a step tells of the viewer is where the step before left it: one hundredth of a second behind.
    for (step, at) in expected.iter().enumerate().skip(2) {
        assert!((at[0] - 0.01 * step as f64).abs() < 1e-5 && at[2] == 10.0, "{step}: {at:?}");
    }
    for options in ways() {
        assert_eq!(run(options), expected);
    }
}
