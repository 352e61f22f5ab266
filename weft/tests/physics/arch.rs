//! The simplest arch: two panels that lean against each other stand on friction, or slide apart.

use super::support::*;
use weft::simulation::Simulation;

const G: f64 = 9.81;
/// Half of a panel's height and of its width [m].
const HALF: [f64; 2] = [0.5, 0.3];
/// The angle of a panel from the vertical.
const LEAN: f64 = 0.5;
const SKIN: f64 = 0.02;

/// Two panels of 1 kg, hinged together at the top, with two feet each on a floor with this friction.
fn arch(mu: f64) -> Simulation {
    let panel = |name: &str, side: f64| {
        // The center stands beside the hinge by half a height along the panel.
        let (x, y) = (side * HALF[0] * LEAN.sin(), HALF[0] * LEAN.cos() + SKIN);
        let (sine, cosine) = (side * LEAN / 2.0).sin_cos();
        let ends = |y: f64| format!("0 {y} {}  0 {y} -{}", HALF[1], HALF[1]);
        // Relative to the mass: a thin panel of 2 HALF by 2 HALF.
        let [xx, yy, zz] =
            [(HALF[0].powi(2) + HALF[1].powi(2)) / 3.0, HALF[1].powi(2) / 3.0, HALF[0].powi(2) / 3.0];
        format!(
            r#"<Node name="{name}"><EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-14" threshold="0"/>
                <MechanicalObject name="frame" template="Rigid3" position="{x} {y} 0 0 0 {sine} {cosine}"/>
                <UniformMass vertexMass="1 1 {xx} 0 0 0 {yy} 0 0 0 {zz}"/><UncoupledConstraintCorrection/>
                <Node name="feet"><MechanicalObject position="{}"/><PointCollisionModel group="1"/><RigidMapping/></Node>
                <Node name="top"><MechanicalObject position="{}"/><RigidMapping/></Node>
            </Node>"#,
            ends(-HALF[0]),
            ends(HALF[0])
        )
    };
    let floor = floor_with_friction(SKIN, mu);
    simulate(&format!(
        r#"<Node name="root" dt="0.005" gravity="0 -{G} 0">
            <FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance="1e-9" maxIterations="2000"/>
            {floor}
            {}{}
            <BilateralLagrangianConstraint name="hinge" object1="@left/top" object2="@right/top" first_point="0 1" second_point="0 1"/>
        </Node>"#,
        panel("left", -1.0),
        panel("right", 1.0)
    ))
}

/// Each panel turns about its feet by its own weight, which the thrust H at the hinge balances: H h = m g (h / 2) tan(lean), h its height.
/// The floor gives as much by friction, and m g upward: so the arch stands if mu > tan(lean) / 2, and slides apart otherwise.
#[test]
fn it_stands_on_enough_friction_and_not_on_less() {
    let limit = LEAN.tan() / 2.0;
    let mut s = arch(1.15 * limit);
    let before = state(&s, "left/frame").position[0].clone();
    steps(&mut s, 100);
    for side in ["left/frame", "right/frame"] {
        let now = state(&s, side);
        assert!(norm(&now.velocity[0]) < 1e-6, "{side} stands: {:?}", now.velocity);
    }
    let moved =
        (0..3).map(|k| (state(&s, "left/frame").position[0][k] - before[k]).abs()).fold(0.0, f64::max);
    assert!(moved < 1e-4, "it has not moved: {moved}");
    // The thrust at the hinge, both points together, is what the theory says; multipliers are impulses of a step.
    let all = s.multipliers();
    let hinge = all.iter().find(|m| m.path.contains("hinge")).expect("a hinge");
    let thrust = (hinge.lambda[0] + hinge.lambda[3]).abs() / 0.005;
    close(thrust, G * limit, 1e-5);
    let mut s = arch(0.85 * limit);
    steps(&mut s, 100);
    let (left, right) = (along(&s, "left/frame", 0), along(&s, "right/frame", 0));
    assert!(left.1 < -0.05 && right.1 > 0.05, "the feet slide apart: {left:?} {right:?}");
    close(left.0 + right.0, 0.0, 1e-6);
}
