//! States that files give drive a scene like any others: bodies are pushed, mappings and constraints follow, whoever computes.

use super::support::*;
use weft::simulation::{ExecutorKind, SimulationOptions};

/// A plate that a file lifts, and a ball that lies on it.
fn lifted(file: &str) -> String {
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -9.81 0">
            <DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
            <NewProximityIntersection alarmDistance="0.1" contactDistance="0.05"/>
            <CollisionResponse response="PenalityContactForceField"/>
            <Node name="plate">
                <MeshTopology position="-9 0 -5  9 0 -5  0 0 15" triangles="0 2 1"/>
                <MechanicalObject name="corners" position="-9 0 -5  9 0 -5  0 0 15"/>
                <ReadState filename="{file}"/>
                <TriangleCollisionModel contactStiffness="30"/>
            </Node>
            <Node name="ball">
                <EulerImplicitSolver rayleighMass="4"/><CGLinearSolver iterations="50" tolerance="1e-12" threshold="0"/>
                <MechanicalObject name="center" position="0 0.34 0"/>
                <UniformMass totalMass="1"/>
                <SphereCollisionModel radius="0.3" contactStiffness="30"/>
            </Node>
        </Node>"#
    )
}

/// Heights that grow by 0.4 m in a second.
fn heights() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let frame = |k: u32| {
        let (t, y) = (f64::from(k) * 0.01, f64::from(k) * 0.004);
        format!("T= {t}\n  X= -9 {y} -5 9 {y} -5 0 {y} 15\n  V= 0 0.4 0 0 0.4 0 0 0.4 0\n")
    };
    std::fs::write(file.path(), (0..=100).map(frame).collect::<String>()).expect("written");
    file
}

#[test]
fn a_plate_that_a_file_moves_lifts_a_ball_whoever_computes() {
    let file = heights();
    let text = lifted(&file.path().display().to_string());
    let mut before = None;
    for (executor, threads) in [
        (ExecutorKind::Sequential, 1),
        (ExecutorKind::Replay, 1),
        (ExecutorKind::Replay, 3),
        (ExecutorKind::Stealing, 2),
        (ExecutorKind::ForkJoin, 2),
    ] {
        let mut s = simulate_with(&text, SimulationOptions { executor, threads, ..sequential() });
        let hashes: Vec<_> = (0..100)
            .map(|_| {
                steps(&mut s, 1);
                s.state_hash().expect("finite")
            })
            .collect();
        // After 100 steps the plate stands where the file says for the beginning of the last of them.
        close(along(&s, "/plate/", 1).0, 0.396, 1e-12);
        let gap = along(&s, "/ball/", 1).0 - 0.396;
        assert!((0.3..0.4).contains(&gap), "the ball lies {gap} m above the plate");
        assert_eq!(before.get_or_insert_with(|| hashes.clone()), &hashes, "{executor:?} {threads}");
    }
}

#[test]
fn constraints_project_what_is_read_and_mappings_follow_it() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "T= 0\n X= 1 2 3 4 5 6\nT= 0.01\n X= 2 2 2 3 3 3\n V= 1 0 0 1 0 0")
        .expect("written");
    let text = format!(
        r#"<Node name="root" dt="0.01" gravity="0 0 0">
            <EulerImplicitSolver/><CGLinearSolver/>
            <MechanicalObject name="points" position="1 2 3 4 5 6"/><UniformMass totalMass="1"/>
            <ReadState filename="{}"/><FixedProjectiveConstraint indices="1" activate_projectVelocity="1"/>
            <Node><MechanicalObject name="copy" position="0 0 0 0 0 0"/><IdentityMapping/></Node>
        </Node>"#,
        file.path().display()
    );
    let mut s = simulate(&text);
    steps(&mut s, 1);
    assert_eq!(state(&s, "copy").position, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    s.read_states().expect("read");
    assert_eq!(state(&s, "copy").position, [[2.0, 2.0, 2.0], [3.0, 3.0, 3.0]]);
    // The velocity that is read for the fixed point is projected away; the free one is moved by the step.
    assert_eq!(state(&s, "points").velocity, [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]);
    steps(&mut s, 1);
    close(state(&s, "copy").position[0][0], 2.01, 1e-12);
}
