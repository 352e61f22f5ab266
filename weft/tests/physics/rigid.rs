//! Rigid bodies.

use super::support::*;

const CG: &str = r#"<CGLinearSolver iterations="30" tolerance="1e-15" threshold="0"/>"#;

/// Inertia per unit of mass `inertia`, mass 2, spinning with `w`.
fn scene(solver: &str, dt: f64, inertia: [f64; 3], w: [f64; 3], gyroscopic: bool) -> String {
    let ([a, b, c], [x, y, z]) = (inertia, w);
    format!(
        r#"<Node name="root" dt="{dt}" gravity="0 0 0">
            {solver}
            <MechanicalObject name="body" template="Rigid3" position="0 0 0 0 0 0 1" velocity="0.1 0 0 {x} {y} {z}"/>
            <UniformMass vertexMass="2 1 {a} 0 0 0 {b} 0 0 0 {c}" gyroscopic="{}"/>
        </Node>"#,
        u8::from(gyroscopic)
    )
}

fn solvers() -> [String; 3] {
    [format!("<EulerImplicitSolver/>{CG}"), "<EulerExplicitSolver/>".into(), "<RungeKutta4Solver/>".into()]
}

/// Each step turns by exactly h w, so the angle after n steps is n h w; nothing renormalizes, and nothing has to.
#[test]
fn it_turns_about_an_axis_by_the_exact_angle() {
    let w = [0.6, -1.2, 0.4];
    let speed = norm(&w);
    for solver in solvers() {
        let mut simulation = simulate(&scene(&solver, 0.01, [1.0, 1.0, 1.0], w, false));
        for n in [1, 99, 1_900] {
            steps(&mut simulation, n);
            let t = simulation.time();
            let q = &state(&simulation, "body").position[0][3..];
            let (s, c) = (speed * t / 2.0).sin_cos();
            let expected = [s * w[0] / speed, s * w[1] / speed, s * w[2] / speed, c];
            q.iter().zip(expected).for_each(|(q, e)| close(*q, e, 1e-11));
            close(norm(q), 1.0, 1e-11);
        }
    }
}

/// SOFA's rigid mass keeps its inertia in world axes and has no gyroscopic term: without torque the angular velocity
/// keeps its bits, also about an axis that is none of the principal ones. That is the default, so that scenes carry over.
#[test]
fn by_default_the_angular_velocity_is_constant_as_in_sofa() {
    let w = [0.6, -1.2, 0.4];
    for solver in solvers() {
        let mut simulation = simulate(&scene(&solver, 0.01, [1.0, 2.0, 3.0], w, false));
        steps(&mut simulation, 500);
        assert_eq!(state(&simulation, "body").velocity[0][3..], w);
    }
}

/// A symmetric top's principal moments (times mass), its third axis, angular momentum.
const TOP: [f64; 3] = [1.0, 1.0, 1.8];
const SPIN: [f64; 3] = [0.5, 0.0, 3.0];

fn axis_and_momentum(simulation: &weft::simulation::Simulation) -> ([f64; 3], [f64; 3]) {
    let body = state(simulation, "body");
    let (q, w) = (&body.position[0][3..], &body.velocity[0][3..]);
    let conjugate = [-q[0], -q[1], -q[2], q[3]];
    let local = rotated(&conjugate, w);
    let momentum = [0, 1, 2].map(|k| 2.0 * TOP[k] * local[k]);
    (rotated(q, &[0.0, 0.0, 1.0]), rotated(q, &momentum))
}

/// Where the axis of the top should be: turned about the angular momentum by |L| t / I_1.
///
/// **Source:** Euler's equations; Goldstein, Classical Mechanics, 5.6: torque-free precession of a symmetric top.
fn precessed(t: f64) -> [f64; 3] {
    let l = [0, 1, 2].map(|k| 2.0 * TOP[k] * SPIN[k]);
    let size = norm(&l);
    let (s, c) = (size / (2.0 * TOP[0]) * t / 2.0).sin_cos();
    rotated(&[s * l[0] / size, s * l[1] / size, s * l[2] / size, c], &[0.0, 0.0, 1.0])
}

fn precession_errors(solver: &str, dt: f64) -> (f64, f64) {
    let mut simulation = simulate(&scene(solver, dt, TOP, SPIN, true));
    let l0 = axis_and_momentum(&simulation).1;
    steps(&mut simulation, (1.0 / dt).round() as usize);
    let (axis, l) = axis_and_momentum(&simulation);
    let expected = precessed(1.0);
    let apart = |a: [f64; 3], b: [f64; 3]| norm(&[a[0] - b[0], a[1] - b[1], a[2] - b[2]]);
    (apart(axis, expected), apart(l, l0) / norm(&l0))
}

#[test]
fn the_gyroscopic_top_precesses_at_eulers_rate() {
    for (solver, expected) in solvers().iter().zip([1.0, 1.0, 2.0]) {
        let (coarse, fine) = (precession_errors(solver, 0.002), precession_errors(solver, 0.001));
        let orders = (order(coarse.0, fine.0), order(coarse.1, fine.1));
        assert!((orders.0 - expected).abs() < 0.1, "{solver}: axis {coarse:?} {fine:?} {orders:?}");
        assert!((orders.1 - expected).abs() < 0.1, "{solver}: momentum {coarse:?} {fine:?} {orders:?}");
        assert!(fine.0 < 0.02 && fine.1 < 0.01, "{solver}: {coarse:?} {fine:?}");
    }
    let (axis, momentum) = precession_errors("<RungeKutta4Solver/>", 0.001);
    assert!(axis < 1e-5 && momentum < 1e-5, "{axis} {momentum}");
}

/// Momenta turn with the inertia: the torque that stands for that would count twice.
#[test]
fn momenta_and_the_gyroscopic_torque_are_refused_together() {
    for (gyroscopic, is_refused) in [(true, true), (false, false)] {
        let text = scene("<VariationalSymplecticSolver/><SparseLDLSolver/>", 0.01, TOP, SPIN, gyroscopic);
        let loaded = scenes::load::load_text(&text, "test.scn", &scenes::load::LoadOptions::default());
        let made = weft::simulation::Simulation::new(loaded.expect("it loads").scene, sequential());
        let why = made.err().map(|e| e.to_string()).unwrap_or_default();
        assert_eq!(why.contains("UniformMass") || why.contains("momenta"), is_refused, "{why}");
    }
}

/// A torque of which the closed form is w = t T / I; the force turns nothing.
#[test]
fn a_constant_torque_speeds_it_up_uniformly() {
    for solver in solvers() {
        let text = scene(&solver, 0.01, [1.0, 2.0, 3.0], [0.0; 3], false)
            .replace("</Node>", r#"<ConstantForceField indices="0" forces="4 0 0 0 0 3"/></Node>"#);
        let mut simulation = simulate(&text);
        steps(&mut simulation, 100);
        let body = state(&simulation, "body");
        close(body.velocity[0][0], 0.1 + 4.0 / 2.0, 1e-12);
        close(body.velocity[0][5], 3.0 / (2.0 * 3.0), 1e-12);
        close(body.velocity[0][3], 0.0, 1e-15);
    }
}
