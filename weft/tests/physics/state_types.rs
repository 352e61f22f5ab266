//! States that are neither points nor frames in space: points on a line, in a plane and of six dimensions, frames in a plane.

use super::support::*;

const MASS: f64 = 0.5;
const STIFFNESS: f64 = 80.0;
const H: f64 = 0.01;

const LINEAR: [&str; 4] = [
    r#"<CGLinearSolver iterations="20" tolerance="1e-15" threshold="0"/>"#,
    r#"<CGLinearSolver template="CompressedRowSparseMatrixMat3x3" iterations="20" tolerance="1e-15" threshold="0"/>"#,
    "<EigenSparseLU/>",
    "<CholeskySolver/>",
];

/// A point is held by a spring of length 1 to a fixed one.
fn oscillator(template: &str, positions: &str, solver: &str) -> String {
    format!(
        r#"<Node name="root" dt="{H}" gravity="0 0 0">
            {solver}
            <MechanicalObject template="{template}" name="points" position="{positions}"/>
            <UniformMass vertexMass="{MASS}"/>
            <FixedProjectiveConstraint indices="0"/>
            <SpringForceField spring="0 1 {STIFFNESS} 0 1"/>
        </Node>"#
    )
}

/// m u'' = -k u for the elongation u: a step of backward Euler multiplies u - i u'/w by 1 / (1 - i w h). On a line a spring is
/// linear, so the factor is exact; so it is in more dimensions, as long as the point moves along the spring.
#[test]
fn a_spring_on_a_line_oscillates_as_its_factor_says() {
    let omega = (STIFFNESS / MASS).sqrt();
    let cases = [
        ("Vec1", "0 1.5", vec![1.0]),
        ("Vec2", "0 0 0.9 1.2", vec![0.6, 0.8]),
        ("Vec6", "0 0 0 0 0 0 0 0 0.9 0 1.2 0", vec![0.0, 0.0, 0.6, 0.0, 0.8, 0.0]),
    ];
    for (template, positions, along) in cases {
        for linear in LINEAR {
            let solver = format!("<EulerImplicitSolver/>{linear}");
            let mut simulation = simulate(&oscillator(template, positions, &solver));
            let factor = Complex(1.0, -omega * H).inverse();
            for n in (40..=200).step_by(40) {
                steps(&mut simulation, 40);
                let z = factor.power(n).times(Complex(0.5, 0.0));
                let s = state(&simulation, "points");
                close(dot(&s.position[1], &along), 1.0 + z.0, 1e-11);
                close(dot(&s.velocity[1], &along), -omega * z.1, 1e-11);
                assert_eq!(norm(&s.position[0]), 0.0, "{template}: the fixed point moved");
            }
        }
    }
}

/// The time of a period, 2 pi sqrt(m / k), to the fourth order of Runge and Kutta's method.
#[test]
fn an_oscillator_on_a_line_has_its_period() {
    let period = 2.0 * std::f64::consts::PI * (MASS / STIFFNESS).sqrt();
    let n = 200;
    let text = oscillator("Vec1", "0 1.5", "<RungeKutta4Solver/>");
    let text = text.replace(&format!("dt=\"{H}\""), &format!("dt=\"{}\"", period / f64::from(n)));
    let mut simulation = simulate(&text);
    steps(&mut simulation, 10 * n as usize);
    let s = state(&simulation, "points");
    close(s.position[1][0], 1.5, 1e-6);
    close(s.velocity[1][0], 0.0, 1e-4);
}

/// Gravity g and a constant force f and torque t: symplectic Euler gives v_n = n h a and x_n = h^2 a n (n + 1) / 2 on each
/// scalar, with a = (g + f / m, t / (m j)).
#[test]
fn a_frame_in_a_plane_falls_and_turns() {
    let (m, j, force) = (2.0, 0.3, [1.0, 4.0, 0.9]);
    let text = format!(
        r#"<Node name="root" dt="{H}" gravity="0.5 -9.81 7">
            <EulerExplicitSolver/>
            <MechanicalObject template="Rigid2" name="frame" position="1 2 0.5" velocity="0 0 3"/>
            <UniformMass vertexMass="{m} 1 {j}"/>
            <ConstantForceField totalForce="{} {} {}"/>
        </Node>"#,
        force[0], force[1], force[2]
    );
    let mut simulation = simulate(&text);
    let n = 150;
    steps(&mut simulation, n);
    let n = n as f64;
    let s = state(&simulation, "frame");
    let a = [0.5 + force[0] / m, -9.81 + force[1] / m, force[2] / (m * j)];
    let (x, v) = ([1.0, 2.0, 0.5], [0.0, 0.0, 3.0]);
    for k in 0..3 {
        close(s.velocity[0][k], v[k] + n * H * a[k], 1e-12);
        close(s.position[0][k], x[k] + n * H * v[k] + H * H * a[k] * n * (n + 1.0) / 2.0, 1e-12);
    }
}

/// The centre of a frame in a plane, as a point mapped from it, oscillates on a line that pulls both ways; the frame turns on.
#[test]
fn the_centre_of_a_frame_in_a_plane_is_pulled_and_the_frame_turns_on() {
    let omega = (STIFFNESS / MASS).sqrt();
    for linear in LINEAR {
        let text = format!(
            r#"<Node name="root" dt="{H}" gravity="0 0 0">
                <EulerImplicitSolver/>{linear}
                <MechanicalObject template="Rigid2" name="frame" position="3 0.5 0" velocity="0 0 2"/>
                <UniformMass vertexMass="{MASS} 1 0.1"/>
                <Node name="centre">
                    <MechanicalObject template="Vec2" name="centre"/>
                    <IdentityMapping/>
                    <PlaneForceField normal="0 1" d="0" stiffness="{STIFFNESS}" damping="0" bilateral="1"/>
                </Node>
            </Node>"#
        );
        let mut simulation = simulate(&text);
        let n = 120;
        steps(&mut simulation, n);
        let z = Complex(1.0, -omega * H).inverse().power(n).times(Complex(0.5, 0.0));
        let s = state(&simulation, "frame");
        close(s.position[0][0], 3.0, 1e-14);
        close(s.position[0][1], z.0, 1e-11);
        close(s.position[0][2], 2.0 * H * n as f64, 1e-12);
        assert_eq!(state(&simulation, "centre/centre").position[0], s.position[0][..2]);
    }
}
