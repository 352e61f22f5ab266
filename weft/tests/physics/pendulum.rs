//! Pendulums with rigid arms.

use super::support::*;

const G: f64 = 9.81;
const ARM: f64 = 1.5;
const POINT_MASS: f64 = 2.0;
/// Inertia of the frame itself about z.
const INERTIA: f64 = 0.25;

/// A frame that may only turn about z, with a mass at the end of an arm that hangs along -y.
fn scene(solver: &str, dt: f64, degrees: f64) -> String {
    format!(
        r#"<Node name="root" dt="{dt}" gravity="0 -{G} 0">
            {solver}
            <MechanicalObject name="frame" template="Rigid3" position="0 0 0 0 0 0 1" rotation="0 0 {degrees}"/>
            <UniformMass vertexMass="1 1 {INERTIA} 0 0 0 {INERTIA} 0 0 0 {INERTIA}"/>
            <PartialFixedProjectiveConstraint indices="0" fixedDirections="1 1 1 1 1 0"/>
            <Node name="arm">
                <MechanicalObject name="end" position="0 -{ARM} 0"/>
                <UniformMass vertexMass="{POINT_MASS}"/>
                <RigidMapping/>
            </Node>
        </Node>"#
    )
}

/// The arithmetic-geometric mean: K(k) = pi / (2 agm(1, sqrt(1 - k^2))).
fn agm(mut a: f64, mut b: f64) -> f64 {
    while (a - b).abs() > 1e-15 * a {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    a
}

/// T = 2 pi / w / agm(1, cos(theta/2)), w^2 = m g L / (I + m L^2).
///
/// **Source:** Gauss; the physical pendulum released at rest.
fn period(degrees: f64) -> f64 {
    let w2 = POINT_MASS * G * ARM / (INERTIA + POINT_MASS * ARM * ARM);
    2.0 * std::f64::consts::PI / w2.sqrt() / agm(1.0, (degrees.to_radians() / 2.0).cos())
}

/// From the first to the last of some passages through the vertical in one direction, interpolated.
fn measured_period(text: &str, dt: f64, periods: usize) -> f64 {
    let mut simulation = simulate(text);
    let mut crossings = Vec::new();
    let mut previous = along(&simulation, "end", 0).0;
    while crossings.len() <= periods {
        steps(&mut simulation, 1);
        assert!(simulation.time() < 100.0, "it does not swing");
        let x = along(&simulation, "end", 0).0;
        if previous < 0.0 && x >= 0.0 {
            crossings.push(simulation.time() - dt * x / (x - previous));
        }
        previous = x;
    }
    (crossings[periods] - crossings[0]) / periods as f64
}

const CG: &str = r#"<CGLinearSolver iterations="20" tolerance="1e-15" threshold="0"/>"#;

/// The mapping has no geometric stiffness by default, so gravity's torque is explicit: the implicit solver is symplectic
/// here, keeps the amplitude, and the period's error is of second order.
#[test]
fn the_period_converges_for_small_and_large_amplitudes() {
    for degrees in [5.0, 60.0, 150.0] {
        let exact = period(degrees);
        let error = |dt: f64| {
            let solver = format!("<EulerImplicitSolver/>{CG}");
            measured_period(&scene(&solver, dt, degrees), dt, 2) - exact
        };
        let (coarse, fine) = (error(0.02), error(0.01));
        assert!(fine.abs() < 1e-3 * exact, "{degrees} degrees: {coarse} {fine} of {exact}");
        assert!(order(coarse, fine) > 1.7, "{degrees} degrees: {coarse} {fine}");
    }
}

/// With Rayleigh damping it comes to rest below its axis, and the arm keeps its length.
#[test]
fn it_hangs_down_at_last() {
    let solver = format!(r#"<EulerImplicitSolver rayleighMass="2"/>{CG}"#);
    let mut simulation = simulate(&scene(&solver, 0.02, 100.0));
    for _ in 0..1_000 {
        steps(&mut simulation, 1);
        let end = state(&simulation, "end");
        close(norm(&end.position[0]), ARM, 1e-10);
    }
    let end = state(&simulation, "end");
    close(end.position[0][0], 0.0, 1e-4);
    close(end.position[0][1], -ARM, 1e-8);
}
