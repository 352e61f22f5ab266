//! States that constraints move without a solver: they go their way, mappings follow, bodies and multipliers feel them.

use super::support::*;
use scenes::load::LoadOptions;
use scenes::parse::parse_text;
use weft::simulation::{ExecutorKind, SimulationOptions};

const DT: f64 = 0.01;
/// How fast the target moves [m/s].
const SPEED: f64 = 2.0;

/// A target that moves along y, which nothing turns, and what is mapped from it.
const TARGET: &str = r#"<Node name="target">
    <MechanicalObject name="frame" template="Rigid3" position="1 0 0 0 0 0 1" velocity="0 7 0 0 0 0"/>
    <LinearMovementProjectiveConstraint indices="0" keyTimes="0 100" movements="0 0 0 0 0 0  0 200 0 0 0 0"/>
    <Node name="mapped"><MechanicalObject name="point" position="0 0 3"/><RigidMapping/></Node>
</Node>"#;

fn world(head: &str, content: &str) -> String {
    format!(r#"<Node name="root" dt="{DT}" gravity="0 -9.81 0">{head}{content}</Node>"#)
}

/// A point that joins hold at the mapped one.
const PULLED: &str = r#"<Node name="pulled">
    <EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name="point" position="1 0 3"/><UniformMass totalMass="2"/>
    <LinearSolverConstraintCorrection/>
</Node>
<BilateralLagrangianConstraint object1="@target/mapped" object2="@pulled" first_point="0" second_point="0"/>"#;

const FALLS: &str =
    r#"<Node name="falls"><EulerExplicitSolver/><MechanicalObject/><UniformMass totalMass="1"/></Node>"#;

const FREE: &str =
    r#"<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance="1e-14" maxIterations="1000"/>"#;

fn ways() -> Vec<SimulationOptions> {
    [
        (ExecutorKind::Sequential, 1),
        (ExecutorKind::Replay, 1),
        (ExecutorKind::Replay, 3),
        (ExecutorKind::Stealing, 2),
        (ExecutorKind::ForkJoin, 2),
    ]
    .map(|(executor, threads)| SimulationOptions { executor, threads, ..sequential() })
    .into()
}

/// As in SOFA, constraints project at the end of a step as they are at its beginning.
#[test]
fn constraints_move_what_has_no_solver_under_every_loop() {
    let loops = ["<DefaultAnimationLoop/>", "<MultiStepAnimationLoop/>", FREE];
    for (animation_loop, content) in loops
        .iter()
        .flat_map(|l| ["", FALLS, PULLED].map(|c| (*l, c)))
        .filter(|(l, c)| *l == FREE || *c != PULLED)
    {
        let mut s = simulate(&world(animation_loop, &(TARGET.to_owned() + content)));
        for n in 1..=20 {
            steps(&mut s, 1);
            let y = SPEED * DT * f64::from(n - 1);
            close(along(&s, "/target/frame", 1).0, y, 1e-12);
            close(along(&s, "/target/frame", 1).1, SPEED, 1e-12);
            close(along(&s, "/target/mapped/", 1).0, y, 1e-12);
            close(along(&s, "/target/mapped/", 1).1, SPEED, 1e-12);
            close(along(&s, "/target/mapped/", 2).0, 3.0, 1e-12);
        }
    }
}

/// As in SOFA, the free motion of what is prescribed is none: multipliers feel it where the step finds it. In the first step too:
/// the free velocity is projected.
#[test]
fn multipliers_feel_what_has_no_solver_where_it_stands() {
    let mut all = Vec::new();
    for options in ways() {
        let mut s = simulate_with(&world(FREE, &(TARGET.to_owned() + PULLED)), options);
        let mut hashes = Vec::new();
        for _ in 0..20 {
            let there = state(&s, "/target/mapped/").position.concat();
            steps(&mut s, 1);
            let pulled = state(&s, "/pulled/").position.concat();
            pulled.iter().zip(&there).for_each(|(a, b)| close(*a, *b, 1e-11));
            hashes.push(s.state_hash().expect("finite"));
        }
        all.push(hashes);
    }
    assert!(all.iter().all(|of_one| *of_one == all[0]));
}

/// The same of what a file moves: ahead by the velocity of the first step, which is none here.
#[test]
fn multipliers_feel_what_a_file_moves_where_it_stands() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let frame = |k: u32| format!("T= {}\n  X= 0 {} 0\n", f64::from(k) * DT - 1e-6, f64::from(k) * 0.05);
    std::fs::write(file.path(), (0..50).map(frame).collect::<String>()).expect("written");
    let target = format!(
        r#"<Node name="target"><Node name="mapped"><MechanicalObject name="point" position="0 0 0"/><ReadState filename="{}"/></Node></Node>"#,
        file.path().display()
    );
    let mut s = simulate(&world(FREE, &(target + PULLED)));
    for n in 0..20 {
        steps(&mut s, 1);
        close(along(&s, "/target/", 1).0, f64::from(n) * 0.05, 1e-12);
        close(along(&s, "/pulled/", 1).0, f64::from(n) * 0.05, 1e-11);
    }
}

const COLLISION: &str = r#"<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
    <NewProximityIntersection alarmDistance="0.1" contactDistance="0.05"/>
    <CollisionResponse response="PenalityContactForceField"/>"#;

/// A plate that waits for four seconds, and then goes up by 0.5 m/s; a ball that lies on it.
const LIFTED: &str = r#"<Node name="plate">
    <MeshTopology position="-9 0 -5  9 0 -5  0 0 15" triangles="0 2 1"/>
    <MechanicalObject position="-9 0 -5  9 0 -5  0 0 15"/>
    <LinearMovementProjectiveConstraint indices="0 1 2" keyTimes="0 4 100" movements="0 0 0  0 0 0  0 48 0"/>
    <TriangleCollisionModel contactStiffness="30"/>
</Node>
<Node name="ball">
    <EulerImplicitSolver rayleighMass="4"/><CGLinearSolver iterations="50" tolerance="1e-12" threshold="0"/>
    <MechanicalObject name="center" position="0 0.34 0"/><UniformMass totalMass="1"/>
    <SphereCollisionModel radius="0.3" contactStiffness="30"/>
</Node>"#;

#[test]
fn a_prescribed_plate_lifts_what_lies_on_it_also_where_bodies_sleep() {
    for sleeping in ["", r#"<Sleeping/>"#] {
        let mut s = simulate(&world(&format!("<DefaultAnimationLoop/>{sleeping}{COLLISION}"), LIFTED));
        steps(&mut s, 601);
        close(along(&s, "/plate/", 1).0, 1.0, 1e-9);
        let gap = along(&s, "/ball/", 1).0 - 1.0;
        assert!((0.3..0.4).contains(&gap), "{sleeping}: the ball is {gap} m above the plate");
    }
}

/// What comes to a running scene and goes again.
#[test]
fn prescribed_objects_come_and_go() {
    for options in ways() {
        let mut s = simulate_with(&world("<DefaultAnimationLoop/>", FALLS), options);
        steps(&mut s, 3);
        let root = s.world().scene.root();
        let target = parse_text(TARGET, "test.scn").expect("it is written above").root;
        let came = s.add_object(root, target, &LoadOptions::default()).expect("it fits").node;
        let before = s.time();
        steps(&mut s, 5);
        close(along(&s, "/target/mapped/", 1).0, SPEED * (before + 4.0 * DT), 1e-12);
        s.remove_object(came).expect("it is there");
        steps(&mut s, 2);
        assert!(s.states().iter().all(|s| !s.path.contains("target")));
        let target = parse_text(TARGET, "test.scn").expect("it is written above").root;
        s.add_object(root, target, &LoadOptions::default()).expect("it fits");
        steps(&mut s, 2);
        close(along(&s, "/target/frame", 1).0, SPEED * (s.time() - DT), 1e-12);
    }
}

/// Another executor: the graph follows.
#[test]
fn another_executor_moves_them_on() {
    let mut s = simulate(&world("<DefaultAnimationLoop/>", TARGET));
    steps(&mut s, 2);
    let other = SimulationOptions { executor: ExecutorKind::Replay, threads: 2, ..sequential() };
    s.set_execution(other.execution()).expect("it is set");
    steps(&mut s, 1);
    close(along(&s, "/target/mapped/", 1).0, SPEED * 2.0 * DT, 1e-12);
}

/// A step that fails leaves it where it was.
#[test]
fn a_failed_step_moves_nothing() {
    let wild = r#"<Node name="wild">
        <EulerExplicitSolver symplectic="0"/><MechanicalObject position="0 1 0"/><UniformMass vertexMass="1"/>
        <PlaneForceField normal="0 1 0" stiffness="1e30" damping="0" bilateral="1"/>
    </Node>"#;
    let mut s = simulate(&world("<DefaultAnimationLoop/>", &(TARGET.to_owned() + wild)));
    for _ in 0..1000 {
        let before = s.state_hash().expect("finite");
        if s.step().is_err() {
            assert_eq!(s.state_hash().expect("finite"), before);
            assert!(along(&s, "/target/mapped/", 1).0 > 0.0, "it has moved");
            return;
        }
    }
    panic!("it did not fail");
}

/// A scene of nothing but prescribed motions is no mistake.
#[test]
fn nothing_is_missed_where_constraints_move_all() {
    let text = world("", TARGET);
    let loaded = scenes::load::load_text(&text, "test.scn", &LoadOptions::default()).expect("a scene");
    assert!(!loaded.diagnostics.iter().any(|d| d.to_string().contains("nothing will move")));
}

/// **Source:** SOFA's MechanicalStateController has constraints project states where a step begins: what is joined to a frame that a
/// constraint moves feels where it is then, and not where it was a step before. Numbers of a Python model of SOFA's step.
#[test]
fn a_controller_shows_forces_where_constraints_are_now() {
    let scene = |controller: &str| {
        format!(
            r#"<Node name="root" dt="0.02" gravity="0 0 0"><EulerImplicitSolver/>
            <CGLinearSolver iterations="100" tolerance="1e-16" threshold="1e-30"/>
            <MechanicalObject template="Rigid3" name="frames" position="0 0 0 0 0 0 1  2 0 0 0 0 0 1"/>
            <UniformMass totalMass="2"/>{controller}
            <LinearMovementProjectiveConstraint indices="0" keyTimes="0 1" movements="0 0 0 0 0 0  -5 0 0 0 0 0"/>
            <Node name="points"><MechanicalObject position="0 0 0  0 0 0"/>
                <RigidMapping rigidIndexPerPoint="0 1"/><SpringForceField spring="0 1 30 0 2"/></Node></Node>"#
        )
    };
    let run = |controller: &str| -> Vec<f64> {
        let mut s = simulate(&scene(controller));
        let mut step = || {
            steps(&mut s, 1);
            state(&s, "frames").position[1][0]
        };
        (0..5).map(|_| step()).collect()
    };
    let led = run(r#"<MechanicalStateController listening="true"/>"#);
    let wanted = [1.99881423, 1.9952850380415255, 1.9882962913379831, 1.9767861112988547, 1.9597588253554608];
    led.iter().zip(wanted).for_each(|(x, wanted)| close(*x, wanted, 1e-8));
    let late = run("");
    assert_eq!(late, run("<MechanicalStateController/>"), "one that does not listen does nothing");
    assert!(late[2] > led[2] + 1e-4, "{late:?}");
}
