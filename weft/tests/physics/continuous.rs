//! Contacts that are found on the way of a step: what is fast passes nothing, whoever of two moves.

use super::support::*;
use weft::simulation::{ExecutorKind, Simulation, SimulationOptions};

const METHOD: &str = "CCDTightInclusionIntersection continuousCollisionType='FreeMotion' alarmDistance='0'";
const CONTACT_DISTANCE: f64 = 1e-3;
const CORRECTED: &str =
    "<EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-14' threshold='1e-20'/>";
const UNCOUPLED: &str = "<UncoupledConstraintCorrection defaultCompliance='1'/>";

fn scene(method: &str, nodes: &str) -> String {
    format!(
        "<Node dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/>
        <BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='500'/>
        <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><{method} contactDistance='{CONTACT_DISTANCE}'/>
        <CollisionResponse response='FrictionContactConstraint' responseParams='mu=0'/>{nodes}</Node>"
    )
}

/// A large triangle that lies in the plane z = 0 and looks up, with more components.
fn plate(name: &str, more: &str, model: &str) -> String {
    let corners = "-9 -9 0  9 -9 0  0 9 0";
    format!(
        "<Node name='{name}'>{more}<MeshTopology position='{corners}' triangles='0 1 2'/>
        <MechanicalObject name='dofs' position='{corners}'/><TriangleCollisionModel {model}/></Node>"
    )
}

fn point(name: &str, z: f64, v: f64) -> String {
    format!(
        "<Node name='{name}'>{CORRECTED}<MechanicalObject name='dofs' position='0.2 0.3 {z}' velocity='0 0 {v}'/>
        <UniformMass totalMass='2'/><PointCollisionModel/>{UNCOUPLED}</Node>"
    )
}

/// The bits of all states after some steps, the same for all executors.
fn everywhere(text: &str, n: usize) -> Simulation {
    let bits = |s: &Simulation| {
        let all = s.states();
        let numbers = all.iter().flat_map(|v| v.position.iter().chain(&v.velocity)).flatten();
        numbers.map(|c| c.to_bits()).collect::<Vec<_>>()
    };
    let mut reference = simulate(text);
    steps(&mut reference, n);
    for (executor, threads) in [
        (ExecutorKind::Replay, 1),
        (ExecutorKind::Replay, 2),
        (ExecutorKind::Stealing, 2),
        (ExecutorKind::ForkJoin, 2),
    ] {
        let options = SimulationOptions { executor, threads, pin: false, ..SimulationOptions::default() };
        let mut s = simulate_with(text, options);
        for _ in 0..n {
            steps(&mut s, 1);
            s.check_plan().expect("a plan");
        }
        assert_eq!(bits(&s), bits(&reference), "{executor:?} {threads}");
    }
    reference
}

/// A point that goes through forty plates' thicknesses in a step is stopped at one without any; where contacts are looked for at the
/// beginnings of steps only, it passes.
#[test]
fn a_bullet_does_not_pass_a_plate() {
    let nodes = plate("plate", "", "simulated='0' moving='0'") + &point("bullet", 1.0, -400.0);
    let s = everywhere(&scene(METHOD, &nodes), 5);
    close(along(&s, "/bullet/", 2).0, CONTACT_DISTANCE, 1e-9);
    close(state(&s, "/bullet/").position[0][0], 0.2, 1e-12);
    let mut other = simulate(&scene("NewProximityIntersection alarmDistance='0.1'", &nodes));
    steps(&mut other, 5);
    assert!(along(&other, "/bullet/", 2).0 < -10.0);
    // Boxes of where a step begins do not meet; a velocity tells of the way as the free motion does.
    let with = |kind: &str| {
        let mut s = simulate(&scene(&METHOD.replace("FreeMotion", kind), &nodes));
        steps(&mut s, 5);
        along(&s, "/bullet/", 2).0
    };
    assert!(with("None") < -10.0);
    close(with("Inertia"), CONTACT_DISTANCE, 1e-9);
}

/// Momentum is kept, and both go on together.
#[test]
fn a_bullet_takes_a_free_plate_along() {
    let direct = "<EulerImplicitSolver/><SparseLDLSolver/>";
    let body = format!("{direct}<UniformMass vertexMass='1'/><LinearSolverConstraintCorrection/>");
    let bullet = point("bullet", 1.0, -400.0);
    let bullet = bullet.replace(CORRECTED, direct).replace(UNCOUPLED, "<LinearSolverConstraintCorrection/>");
    let s = everywhere(&scene(METHOD, &(plate("plate", &body, "") + &bullet)), 1);
    let (bullet, plate) = (state(&s, "/bullet/"), state(&s, "/plate/"));
    let momentum = 2.0 * bullet.velocity[0][2] + plate.velocity.iter().map(|v| v[2]).sum::<f64>();
    close(momentum, -800.0, 1e-9);
    // The place at (0.2, 0.3) among the corners: the third by y, the second by x.
    let third = (0.3 + 9.0) / 18.0;
    let second = (0.2 + 9.0 - 9.0 * third) / 18.0;
    let weights = [1.0 - second - third, second, third];
    let under: f64 = weights.iter().zip(&plate.position).map(|(w, p)| w * p[2]).sum();
    close(bullet.position[0][2] - under, CONTACT_DISTANCE, 1e-9);
}

/// A plate that a constraint moves, without a solver, stands still within a step, as in SOFA.
#[test]
fn a_plate_that_a_constraint_moves_is_where_the_step_begins() {
    let moved =
        "<LinearMovementProjectiveConstraint indices='0 1 2' keyTimes='0 1' movements='0 0 0  0 0 1'/>";
    let nodes = plate("plate", moved, "simulated='0'") + &point("bullet", 30.0, -400.0);
    let text = scene(METHOD, &nodes);
    let mut s = everywhere(&text, 7);
    let before = along(&s, "/plate/", 2).0;
    assert!(before > 0.05 && along(&s, "/bullet/", 2).0 > before);
    steps(&mut s, 1);
    close(along(&s, "/bullet/", 2).0, before + CONTACT_DISTANCE, 1e-9);
}

/// Without a free motion elements stay where a step begins: a point in reach is pushed as by other methods.
#[test]
fn without_a_free_motion_contacts_are_those_of_the_beginning() {
    let run = |z: f64| {
        let nodes =
            plate("plate", "", "simulated='0' moving='0' contactStiffness='1000'") + &point("ball", z, 0.0);
        let text = scene(METHOD, &nodes).replace("<FreeMotionAnimationLoop/>", "<DefaultAnimationLoop/>");
        let text = text.replace("alarmDistance='0'", "alarmDistance='0.1'");
        let mut s = simulate(&text.replace("FrictionContactConstraint", "PenalityContactForceField"));
        steps(&mut s, 1);
        along(&s, "/ball/", 2).1
    };
    assert!(run(0.5 * CONTACT_DISTANCE) > 0.0);
    assert_eq!(run(2.0 * CONTACT_DISTANCE), 0.0);
}

/// What fell asleep on a floor is met where it lies, and not where its last free motion would have led.
#[test]
fn what_sleeps_is_met_where_it_lies() {
    let direct = "<EulerImplicitSolver/><SparseLDLSolver/>";
    let corners = format!("-2 -2 {z}  2 -2 {z}  0 2 {z}", z = CONTACT_DISTANCE);
    let board = format!(
        "<Node name='board'>{direct}<MeshTopology position='{corners}' triangles='0 1 2'/>
        <MechanicalObject name='dofs' position='{corners}'/><UniformMass vertexMass='1'/>
        <TriangleCollisionModel/><PointCollisionModel/><LinearSolverConstraintCorrection/></Node>"
    );
    let nodes = plate("floor", "", "simulated='0' moving='0'") + &board + &point("bullet", 201.0, -400.0);
    let alarmed = METHOD.replace("alarmDistance='0'", "alarmDistance='0.01'");
    let text = scene(&alarmed, &("<Sleeping speed='0.01' delay='0.1'/>".to_owned() + &nodes));
    let mut s = simulate(&text.replace("gravity='0 0 0'", "gravity='0 0 -9.81'"));
    let (mut lies, mut n_asleep) = (0.0, 0);
    while along(&s, "/bullet/", 2).0 > 1.0 {
        assert!(s.step_index() < 100, "it does not pass");
        (lies, n_asleep) = (along(&s, "/board/", 2).0, s.n_asleep());
        steps(&mut s, 1);
    }
    assert!(s.step_index() > 40 && n_asleep == 1, "{} {n_asleep}", s.step_index());
    close(along(&s, "/bullet/", 2).0, lies + CONTACT_DISTANCE, 1e-6);
}
