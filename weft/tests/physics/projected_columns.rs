//! What multipliers do not move: the columns that projective constraints take out of Jacobians, after hand calculations.

use super::support::*;
use weft::simulation::Simulation;

/// A point with a constraint, and one above it; both are to be at one place. Each gives way alike.
fn joined(constraint: &str, gap: f64, push: f64) -> String {
    let correction = r#"<UncoupledConstraintCorrection defaultCompliance="1"/>"#;
    let solver =
        r#"<EulerImplicitSolver/><CGLinearSolver iterations="100" tolerance="1e-14" threshold="1e-20"/>"#;
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 0 0"><FreeMotionAnimationLoop/>
        <BlockGaussSeidelConstraintSolver tolerance="1e-14" maxIterations="5000"/>
        <Node name="a">{solver}<MechanicalObject position="0 0 0  0 0 0"/><UniformMass vertexMass="1"/>
            {constraint}{correction}</Node>
        <Node name="b">{solver}<MechanicalObject position="0 {gap} 0"/><UniformMass vertexMass="1"/>
            <ConstantForceField indices="0" forces="0 {push} 0"/>{correction}</Node>
        <BilateralLagrangianConstraint object1="@a" object2="@b" first_point="0" second_point="0"/></Node>"#
    )
}

/// Where a point is that began 2 mm above another one, to which it is joined: there, or halfway if the other one comes, too.
fn met(constraint: &str) -> f64 {
    let mut s = simulate(&joined(constraint, 0.002, 0.0));
    steps(&mut s, 1);
    state(&s, "/b/").position[0][1]
}

/// **Source:** as each of SOFA's classes projects Jacobians, whatever it does to assembled matrices.
#[test]
fn multipliers_do_not_move_what_is_held() {
    let keys = r#"keyTimes="0 1" movements="0 0 0 0 0 0""#;
    for held in [
        r#"<FixedProjectiveConstraint/>"#,
        r#"<PartialFixedProjectiveConstraint fixedDirections="0 1 0"/>"#,
        r#"<FixedTranslationProjectiveConstraint/>"#,
        r#"<FixedPlaneProjectiveConstraint indices="0" direction="0 1 0"/>"#,
        r#"<PointProjectiveConstraint/>"#,
        r#"<OscillatorProjectiveConstraint oscillators="0  0 0 0  0 0 0  5 0"/>"#,
        r#"<HermiteSplineProjectiveConstraint indices="0" EndTime="1"/>"#,
        r#"<ParabolicProjectiveConstraint indices="0" P2="1 1 0" P3="2 0 0" EndTime="1"/>"#,
        &format!(r#"<LinearMovementProjectiveConstraint {keys}/>"#),
        &format!(r#"<PartialLinearMovementProjectiveConstraint movedDirections="0 1 0" {keys}/>"#),
    ] {
        assert!(met(held).abs() < 1e-12, "{held}: {}", met(held));
    }
}

#[test]
fn multipliers_move_what_is_not_held() {
    let (keys, later) = (r#"keyTimes="0 1""#, r#"keyTimes="5 6""#);
    let (rest, still) = (r#"movements="0 0 0 0 0 0""#, r#"velocities="0 0 0 0 0 0""#);
    for free in [
        "",
        r#"<FixedProjectiveConstraint endTime="0"/>"#,
        r#"<OscillatorProjectiveConstraint oscillators="0  0 0 0  0 0 0  5 0" endTime="0"/>"#,
        r#"<PartialFixedProjectiveConstraint fixedDirections="1 0 1"/>"#,
        r#"<FixedPlaneProjectiveConstraint indices="0" direction="1 0 0"/>"#,
        r#"<LineProjectiveConstraint direction="1 0 0"/>"#,
        r#"<PlaneProjectiveConstraint normal="0 1 0"/>"#,
        r#"<DirectionProjectiveConstraint direction="1 0 0"/>"#,
        r#"<AffineMovementProjectiveConstraint indices="0"/>"#,
        r#"<AttachProjectiveConstraint indices1="1" indices2="0"/>"#,
        r#"<AttachProjectiveConstraint indices1="1" indices2="0" twoWay="1"/>"#,
        r#"<HermiteSplineProjectiveConstraint indices="0" BeginTime="5" EndTime="6"/>"#,
        r#"<ParabolicProjectiveConstraint indices="0" P2="1 1 0" P3="2 0 0" BeginTime="5" EndTime="6"/>"#,
        &format!(r#"<LinearMovementProjectiveConstraint {later} {rest}/>"#),
        &format!(r#"<PartialLinearMovementProjectiveConstraint {later} {rest}/>"#),
        &format!(r#"<PartialLinearMovementProjectiveConstraint movedDirections="1 0 1" {keys} {rest}/>"#),
        &format!(r#"<LinearVelocityProjectiveConstraint {keys} {still}/>"#),
        &format!(r#"<LinearVelocityProjectiveConstraint {later} {still}/>"#),
    ] {
        assert!((met(free) - 0.001).abs() < 1e-12, "{free}: {}", met(free));
    }
}

fn heights(s: &Simulation) -> [f64; 2] {
    ["/a/", "/b/"].map(|path| state(s, path).position[0][1])
}

/// The step that begins at 0 is held, the next one is free.
#[test]
fn what_is_held_changes_from_step_to_step() {
    let keys = r#"keyTimes="0 0.005" movements="0 0 0 0 0 0""#;
    for constraint in [
        r#"<FixedProjectiveConstraint endTime="0.005"/>"#,
        r#"<HermiteSplineProjectiveConstraint indices="0" EndTime="0.005"/>"#,
        &format!(r#"<LinearMovementProjectiveConstraint {keys}/>"#),
        &format!(r#"<PartialLinearMovementProjectiveConstraint {keys}/>"#),
    ] {
        let mut s = simulate(&joined(constraint, 0.0, 10.0));
        steps(&mut s, 1);
        assert!(heights(&s).iter().all(|y| y.abs() < 1e-15), "{constraint}: {:?}", heights(&s));
        steps(&mut s, 1);
        let [a, b] = heights(&s);
        assert!(a > 1e-4 && (a - b).abs() < 1e-12, "{constraint}: {a} {b}");
    }
}
