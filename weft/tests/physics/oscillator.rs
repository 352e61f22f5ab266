//! A point on a linear spring (a plane that pulls both ways): m x'' = -k x, in the complex plane z' = i w z with
//! z = x - i v / w and w^2 = k / m. One step of a linear scheme multiplies z by a number, whose power is the oracle.

use super::support::*;

const MASS: f64 = 0.5;
const STIFFNESS: f64 = 80.0;
const H: f64 = 0.01;
const N: usize = 400;

fn omega() -> f64 {
    (STIFFNESS / MASS).sqrt()
}

const CG: &str = r#"<CGLinearSolver iterations="10" tolerance="1e-15" threshold="0"/>"#;

const NEWTON: &str = r#"<NewtonRaphsonSolver maxNbIterationsNewton="5" absoluteResidualStoppingThreshold="1e-14"
    relativeInitialStoppingThreshold="0" relativeSuccessiveStoppingThreshold="0"/>"#;

fn scene(solver: &str, dt: f64) -> String {
    format!(
        r#"<Node name="root" dt="{dt}" gravity="0 0 0">
            {solver}
            <MechanicalObject name="point" position="0 1 0" velocity="0 0.3 0"/>
            <UniformMass vertexMass="{MASS}"/>
            <PlaneForceField normal="0 1 0" d="0" stiffness="{STIFFNESS}" damping="0" bilateral="1"/>
        </Node>"#
    )
}

fn z0() -> Complex {
    Complex(1.0, -0.3 / omega())
}

/// Every 40 steps, (x, v) is that of factor^n z_0.
fn follows(solver: &str, factor: Complex, tolerance: f64) {
    let mut simulation = simulate(&scene(solver, H));
    for n in (40..=N).step_by(40) {
        steps(&mut simulation, 40);
        let z = factor.power(n).times(z0());
        let (x, v) = along(&simulation, "point", 1);
        close(x, z.0, tolerance);
        close(v, -omega() * z.1, tolerance);
    }
}

/// factor = 1 / (1 - i w h): modulus (1 + w^2 h^2)^(-1/2) (the numerical damping), angle atan(w h) (the frequency).
///
/// **Source:** Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.
#[test]
fn backward_euler_damps_and_slows_as_its_factor_says() {
    follows(&format!("<EulerImplicitSolver/>{CG}"), Complex(1.0, -omega() * H).inverse(), 1e-12);
}

#[test]
fn forward_euler_grows_as_its_factor_says() {
    follows(r#"<EulerExplicitSolver symplectic="0"/>"#, Complex(1.0, omega() * H), 1e-12);
}

/// factor = 1 + s + s^2/2 + s^3/6 + s^4/24 with s = i w h.
#[test]
fn runge_kutta_follows_its_polynomial() {
    let s = Complex(0.0, omega() * H);
    let mut factor = Complex(1.0, 0.0);
    for k in (1..=4).rev() {
        factor = Complex(1.0, 0.0).plus(s.times(factor).scaled(1.0 / f64::from(k)));
    }
    follows("<RungeKutta4Solver/>", factor, 1e-12);
}

/// factor = 1 + s + s^2/2 with s = i w h.
#[test]
fn the_explicit_mid_point_rule_follows_its_polynomial() {
    let s = Complex(0.0, omega() * H);
    let factor = Complex(1.0, 0.0).plus(s).plus(s.times(s).scaled(0.5));
    follows("<RungeKutta2Solver/>", factor, 1e-12);
}

/// With gamma = 1/2 and beta = 1/4: factor = (1 + s/2) / (1 - s/2) with s = i w h, of modulus 1: the energy is kept.
///
/// **Source:** Newmark 1959, average acceleration; it is the trapezoidal rule where forces are linear.
#[test]
fn newmark_with_average_acceleration_turns_without_loss() {
    let s = Complex(0.0, omega() * H / 2.0);
    let factor = Complex(1.0, 0.0).plus(s).times(Complex(1.0, -s.1).inverse());
    follows(&format!("<NewmarkImplicitSolver/>{CG}"), factor, 1e-11);
}

/// With beta = 1/2 and no Rayleigh damping SOFA leaves out the term in the acceleration of the step before, whose factor is 0 then, and
/// keeps that in the velocity: (m + h^2 k / 2) a' = -k (x + h v), x += h v + h^2 a' / 2, v += h (a + a') / 2.
#[test]
fn newmark_with_beta_one_half_keeps_the_term_in_the_velocity() {
    let mut simulation = simulate(&scene(&format!(r#"<NewmarkImplicitSolver beta="0.5"/>{CG}"#), H));
    let (mut x, mut v) = along(&simulation, "point", 1);
    let mut a = -STIFFNESS * x / MASS;
    for _ in 0..N {
        steps(&mut simulation, 1);
        let next = -STIFFNESS * (x + H * v) / (MASS + H * H * STIFFNESS / 2.0);
        x += H * v + H * H * next / 2.0;
        v += H * (a + next) / 2.0;
        a = next;
        let now = along(&simulation, "point", 1);
        close(now.0, x, 1e-11);
        close(now.1, v, 1e-11);
    }
}

/// The mid-point rule has the same factor where forces are linear.
///
/// **Source:** Kharevych et al. 2006.
#[test]
fn the_variational_scheme_turns_without_loss() {
    let s = Complex(0.0, omega() * H / 2.0);
    let factor = Complex(1.0, 0.0).plus(s).times(Complex(1.0, -s.1).inverse());
    let solver = format!(r#"<VariationalSymplecticSolver newtonError="1e-14" steps="4"/>{CG}"#);
    let mut simulation = simulate(&scene(&solver, H));
    for n in (40..=N).step_by(40) {
        steps(&mut simulation, 40);
        // Its velocities are those of mid-points, so positions alone are compared.
        close(along(&simulation, "point", 1).0, factor.power(n).times(z0()).0, 1e-11);
    }
}

/// Backward Euler for order 1. For order 2, SOFA's scheme: a first step of h, then steps of 2 h / 3.
#[test]
fn backward_differentiation_goes_in_spans_of_its_formula() {
    let factor = |h: f64| Complex(1.0, -omega() * h).inverse();
    follows(&format!("<BDFOdeSolver/>{NEWTON}{CG}"), factor(H), 1e-12);
    for (order, spans) in [(2, [1.0, 2.0 / 3.0, 2.0 / 3.0]), (3, [1.0, 2.0 / 3.0, 6.0 / 11.0])] {
        let mut simulation = simulate(&scene(&format!(r#"<BDFOdeSolver order="{order}"/>{NEWTON}{CG}"#), H));
        let mut z = z0();
        for n in 0..50 {
            steps(&mut simulation, 1);
            z = factor(spans[n.min(2)] * H).times(z);
            let (x, v) = along(&simulation, "point", 1);
            close(x, z.0, 1e-12);
            close(v, -omega() * z.1, 1e-12);
        }
    }
}

/// Leapfrog: v' = c v - d w^2 x, x' = x + h v' with c = (1/h - r/2) / (1/h + r/2), d = 1 / (1/h + r/2).
#[test]
fn central_differences_follow_their_recurrence() {
    for r in [0.0, 0.8] {
        let mut simulation =
            simulate(&scene(&format!(r#"<CentralDifferenceSolver rayleighMass="{r}"/>"#), H));
        let (mut x, mut v) = along(&simulation, "point", 1);
        for _ in 0..N {
            steps(&mut simulation, 1);
            v = (v * (1.0 / H - r / 2.0) - omega() * omega() * x) / (1.0 / H + r / 2.0);
            x += H * v;
            let now = along(&simulation, "point", 1);
            close(now.0, x, 1e-12);
            close(now.1, v, 1e-12);
        }
    }
}

/// After each step of the integrator before it, v *= exp(-rate h), and what is slower than the threshold stops.
#[test]
fn velocities_are_damped_behind_an_integrator() {
    let damp = r#"<DampVelocitySolver rate="3" threshold="0.5"/>"#;
    let mut simulation = simulate(&scene(&format!("<EulerExplicitSolver/>{damp}"), H));
    let (mut x, mut v) = along(&simulation, "point", 1);
    let mut stopped = 0;
    for _ in 0..N {
        steps(&mut simulation, 1);
        v -= H * omega() * omega() * x;
        x += H * v;
        v *= (-3.0 * H).exp();
        if v.abs() < 0.5 {
            (v, stopped) = (0.0, stopped + 1);
        }
        let now = along(&simulation, "point", 1);
        close(now.0, x, 1e-12);
        close(now.1, v, 1e-12);
    }
    assert!(stopped > 0);
}

/// Forces balance after one step: gravity against the plane, from wherever the point is; velocities stay.
#[test]
fn the_static_solver_finds_the_balance() {
    let text = scene(&format!("<StaticSolver/>{CG}"), H).replace("0 0 0", "0 -10 0");
    let mut simulation = simulate(&text);
    steps(&mut simulation, 1);
    let (x, v) = along(&simulation, "point", 1);
    close(x, -10.0 * MASS / STIFFNESS, 1e-12);
    assert_eq!(v, 0.3);
}

/// Newton's method on a spring that hangs from a fixed end far from its rest length converges quadratically, and says so; where
/// the whole step would go too far, the line search shortens it, so that no residual grows.
#[test]
fn newtons_method_reports_how_it_converged() {
    let hanging = |newton: &str, position: &str| {
        format!(
            r#"<Node name="root" dt="0.01" gravity="0 -10 0">
                <StaticSolver/>
                <NewtonRaphsonSolver maxNbIterationsNewton="60" absoluteResidualStoppingThreshold="1e-11"
                    relativeInitialStoppingThreshold="0" relativeSuccessiveStoppingThreshold="0" {newton}/>
                <SparseLDLSolver/>
                <MechanicalObject name="point" position="0 0 0  {position}"/>
                <UniformMass vertexMass="2"/>
                <FixedProjectiveConstraint indices="0"/>
                <SpringForceField spring="0 1 100 0 1"/>
            </Node>"#
        )
    };
    let mut s = simulate(&hanging("", "0.2 -1.4 0"));
    let report = steps(&mut s, 1).expect("a step");
    let residuals = &report.residuals[0];
    assert_eq!(residuals.len() as u32, report.cg_iterations[0] + 1);
    assert!(residuals.last().is_some_and(|r| *r < 1e-11), "{residuals:?}");
    // The last ones go down as squares do.
    let end = residuals.iter().position(|r| *r < 1e-3).expect("it converges");
    assert!(residuals[end + 1] < 1e-1 * residuals[end], "{residuals:?}");
    let hung = state(&s, "point").position[1].clone();
    close(hung[0], 0.0, 1e-10);
    close(hung[1], -1.2, 1e-10);

    let mut s = simulate(&hanging(r#"maxNbIterationsLineSearch="20""#, "1.5 0.1 0"));
    let report = steps(&mut s, 1).expect("a step");
    let residuals = &report.residuals[0];
    let fell = residuals.windows(2).filter(|r| r[1] < r[0]).count();
    assert!(fell + 1 >= residuals.len() - 1, "{residuals:?}");
}

/// v^2 + w^2 x^2 - h w^2 x v is kept exactly, hence the energy stays within a band for ever; cos(w' h) = 1 - w^2 h^2 / 2.
///
/// **Source:** Hairer, Lubich, Wanner, Geometric Numerical Integration, I.5 (the modified energy of symplectic Euler).
#[test]
fn symplectic_euler_keeps_its_modified_energy() {
    let mut simulation = simulate(&scene("<EulerExplicitSolver/>", H));
    let w2 = omega() * omega();
    let invariant = |x: f64, v: f64| v * v + w2 * x * x - H * w2 * x * v;
    let energy = |x: f64, v: f64| v * v + w2 * x * x;
    let (x, v) = along(&simulation, "point", 1);
    let (kept, first) = (invariant(x, v), energy(x, v));
    let mut band = (f64::INFINITY, 0.0_f64);
    let mut previous = [x, 0.0];
    for n in 0..5_000 {
        steps(&mut simulation, 1);
        let (x, v) = along(&simulation, "point", 1);
        close(invariant(x, v) / kept, 1.0, 1e-11);
        band = (band.0.min(energy(x, v)), band.1.max(energy(x, v)));
        if n > 0 {
            // x_(n+1) + x_(n-1) = 2 cos(w' h) x_n
            close(x + previous[1], (2.0 - w2 * H * H) * previous[0], 1e-12);
        }
        previous = [x, previous[0]];
    }
    let width = omega() * H / 2.0;
    assert!(band.0 > first * (1.0 - 2.5 * width) && band.1 < first * (1.0 + 2.5 * width), "{band:?} {first}");
}

/// The error at time 1 for a step and for half of it.
fn measured_order(solver: &str, dt: f64) -> f64 {
    let error = |dt: f64| {
        let mut simulation = simulate(&scene(solver, dt));
        steps(&mut simulation, (1.0 / dt).round() as usize);
        let (x, v) = along(&simulation, "point", 1);
        let z = Complex(omega().cos(), omega().sin()).times(z0());
        ((x - z.0).powi(2) + (v / omega() + z.1).powi(2)).sqrt()
    };
    order(error(dt), error(dt / 2.0))
}

#[test]
fn each_scheme_converges_at_its_order() {
    for (solver, expected, dt) in [
        (format!("<EulerImplicitSolver/>{CG}"), 1.0, 0.0005),
        (format!(r#"<EulerImplicitSolver trapezoidalScheme="1"/>{CG}"#), 1.0, 0.0005),
        ("<EulerExplicitSolver/>".to_owned(), 1.0, 0.0005),
        (r#"<EulerExplicitSolver symplectic="0"/>"#.to_owned(), 1.0, 0.0005),
        ("<RungeKutta4Solver/>".to_owned(), 4.0, 0.005),
        ("<RungeKutta2Solver/>".to_owned(), 2.0, 0.001),
        ("<CentralDifferenceSolver/>".to_owned(), 1.0, 0.0005),
        (format!("<NewmarkImplicitSolver/>{CG}"), 2.0, 0.001),
        (format!(r#"<NewmarkImplicitSolver gamma="0.6" beta="0.3"/>{CG}"#), 1.0, 0.0005),
        (format!("<BDFOdeSolver/>{NEWTON}{CG}"), 1.0, 0.0005),
        // Of second order in positions; its velocities are those of mid-points.
        (format!(r#"<VariationalSymplecticSolver newtonError="1e-14" steps="4"/>{CG}"#), 1.0, 0.0005),
        (r#"<VariationalSymplecticSolver explicitIntegration="1"/>"#.to_owned(), 1.0, 0.0005),
    ] {
        let measured = measured_order(&solver, dt);
        assert!((measured - expected).abs() < 0.1, "{solver}: order {measured}, not {expected}");
    }
}

/// SOFA's trapezoidal scheme halves the stiffness terms of the system but moves x by h v_new: one step has the
/// determinant (4 - w^2 h^2) / (4 + w^2 h^2), half the damping of backward Euler and the same first order.
#[test]
fn the_trapezoidal_scheme_damps_half_as_much_as_backward_euler() {
    let mut simulation = simulate(&scene(&format!(r#"<EulerImplicitSolver trapezoidalScheme="1"/>{CG}"#), H));
    let s = (omega() * H).powi(2) / 4.0;
    let (mut x, mut v) = along(&simulation, "point", 1);
    for _ in 0..N {
        steps(&mut simulation, 1);
        v = ((1.0 - s) * v - omega() * omega() * H * x) / (1.0 + s);
        x += H * v;
        let now = along(&simulation, "point", 1);
        close(now.0, x, 1e-12);
        close(now.1, v, 1e-12);
    }
    // The amplitude decays by sqrt(determinant) a step.
    let determinant = (1.0 - s) / (1.0 + s);
    let amplitude = |x: f64, v: f64| (x * x + (v / omega()).powi(2)).sqrt();
    let measured = amplitude(x, v) / amplitude(1.0, 0.3);
    close(measured.ln() / (determinant.ln() * N as f64 / 2.0), 1.0, 0.05);
}

/// ((1 + h rM) m + h (h + rS) k) dv = h (-k x - (h + rS) k v - rM m v), as DESIGN states the scheme.
#[test]
fn rayleigh_damping_follows_its_recurrence() {
    let (r_s, r_m) = (0.02, 0.7);
    let solver = format!(r#"<EulerImplicitSolver rayleighStiffness="{r_s}" rayleighMass="{r_m}"/>{CG}"#);
    let mut simulation = simulate(&scene(&solver, H));
    let w2 = omega() * omega();
    let (mut x, mut v) = along(&simulation, "point", 1);
    for _ in 0..N {
        steps(&mut simulation, 1);
        v = (v - H * w2 * x) / (1.0 + H * r_m + H * (H + r_s) * w2);
        x += H * v;
        let now = along(&simulation, "point", 1);
        close(now.0, x, 1e-12);
        close(now.1, v, 1e-12);
    }
}

/// x = exp(-d t) (x_0 cos(w_d t) + (v_0 + d x_0) / w_d sin(w_d t)), d = (rM + rS w^2) / 2, w_d^2 = w^2 - d^2.
///
/// **Source:** Rayleigh damping of a single oscillator, e.g. Bathe, Finite Element Procedures, 9.3.3.
#[test]
fn rayleigh_damping_converges_to_the_damped_oscillator() {
    let (r_s, r_m) = (0.01, 0.7);
    let solver = format!(r#"<EulerImplicitSolver rayleighStiffness="{r_s}" rayleighMass="{r_m}"/>{CG}"#);
    let d = (r_m + r_s * omega() * omega()) / 2.0;
    let w = (omega() * omega() - d * d).sqrt();
    let exact = (-d).exp() * (w.cos() + (0.3 + d) / w * w.sin());
    let error = |dt: f64| {
        let mut simulation = simulate(&scene(&solver, dt));
        steps(&mut simulation, (1.0 / dt).round() as usize);
        along(&simulation, "point", 1).0 - exact
    };
    let (coarse, fine) = (error(0.0005), error(0.00025));
    assert!(coarse.abs() < 0.02 && (order(coarse, fine) - 1.0).abs() < 0.1, "{coarse} {fine}");
}

/// A force field's own rayleighStiffness enters the matrix with the factor of B, not the right-hand side.
///
/// **Source:** SOFA's EulerImplicitSolver: the factor of B on the right is 0.
#[test]
fn a_force_fields_own_rayleigh_stiffness_is_in_the_matrix_alone() {
    let own = 0.03;
    let text = scene(&format!("<EulerImplicitSolver/>{CG}"), H)
        .replace("bilateral=", &format!(r#"rayleighStiffness="{own}" bilateral="#));
    let mut simulation = simulate(&text);
    let w2 = omega() * omega();
    let (mut x, mut v) = along(&simulation, "point", 1);
    for _ in 0..100 {
        steps(&mut simulation, 1);
        v += H * (-w2 * x - H * w2 * v) / (1.0 + H * H * w2 + H * own * w2);
        x += H * v;
        close(along(&simulation, "point", 1).0, x, 1e-12);
    }
}

/// v_n = v_0 exp(-n h c), and x moves with the velocity before it is damped.
#[test]
fn velocity_damping_is_exponential() {
    let c = 1.5;
    let solver = format!(r#"<EulerImplicitSolver vdamping="{c}"/>{CG}"#);
    let text = scene(&solver, H).replace(&format!("stiffness=\"{STIFFNESS}\""), "stiffness=\"0\"");
    let mut simulation = simulate(&text);
    let decay = (-H * c).exp();
    for n in 1..=100 {
        steps(&mut simulation, 1);
        let (x, v) = along(&simulation, "point", 1);
        close(v, 0.3 * (-H * c * f64::from(n)).exp(), 1e-13);
        close(x, 1.0 + H * 0.3 * (1.0 - decay.powi(n)) / (1.0 - decay), 1e-13);
    }
}

/// M v = f(x): x_n = x_0 / (1 + h k / m)^n, which converges to x_0 exp(-k t / m).
#[test]
fn the_first_order_equation_relaxes() {
    let solver = format!(r#"<EulerImplicitSolver firstOrder="1"/>{CG}"#);
    let error = |dt: f64| {
        let n = (0.05 / dt).round() as usize;
        let mut simulation = simulate(&scene(&solver, dt));
        steps(&mut simulation, n);
        let (x, v) = along(&simulation, "point", 1);
        let rate = STIFFNESS / MASS;
        close(x, (1.0 + dt * rate).powi(-(n as i32)), 1e-12);
        close(v, -rate * x, 1e-12);
        x - (-rate * 0.05).exp()
    };
    let (coarse, fine) = (error(0.0001), error(0.00005));
    assert!((order(coarse, fine) - 1.0).abs() < 0.1);
}

/// A point that hits a one-sided plane with damping c per depth: m v dv/dx = -k x + c x v gives F(v) = -x^2 / (2 m) with
/// F(v) = -v / c - k / c^2 ln(1 - c v / k), so that it leaves with the v_1 > 0 of which F(v_1) = F(-v_0).
///
/// **Source:** separation of variables; the damping that grows with the depth is Hunt and Crossley's (1975).
#[test]
fn a_plane_takes_as_much_speed_as_its_damping_says() {
    let (k, c, v0) = (80.0_f64, 20.0, 1.0);
    let integral = |v: f64| -v / c - k / (c * c) * (1.0 - c * v / k).ln();
    let (mut low, mut high) = (0.0, v0);
    while high - low > 1e-14 {
        let middle = (low + high) / 2.0;
        if integral(middle) < integral(-v0) { low = middle } else { high = middle }
    }
    let error = |dt: f64| {
        let mut simulation = simulate(&format!(
            r#"<Node name="root" dt="{dt}" gravity="0 0 0">
                <EulerExplicitSolver/>
                <MechanicalObject name="point" position="0 0.05 0" velocity="0 -{v0} 0"/>
                <UniformMass vertexMass="{MASS}"/>
                <PlaneForceField normal="0 1 0" stiffness="{k}" damping="{c}"/>
            </Node>"#
        ));
        steps(&mut simulation, (0.6 / dt).round() as usize);
        along(&simulation, "point", 1).1 - low
    };
    let (coarse, fine) = (error(1e-3), error(1e-4));
    assert!(coarse.abs() < 5e-3 && fine.abs() < 5e-4, "{coarse} {fine} of {low}");
}
