//! Elastic fields: beams, bars, patches.

use super::support::*;
use weft::simulation::StateView;

/// A step so long that inertia plays no part: each implicit step is one Newton iteration for the equilibrium
/// (v' = K^-1 f / h, x' = x + h v'), whatever the velocity was.
const STATIC: &str =
    r#"<EulerImplicitSolver/><CGLinearSolver iterations="20000" tolerance="1e-12" threshold="0"/>"#;
const LONG: f64 = 1e4;

const YOUNG: f64 = 1e6;
const DENSITY: f64 = 1.0;
const G: f64 = 9.81;

/// A bar of unit cross-section along x, clamped at x = 0, under its weight; `n` cells along and `m` across.
fn cantilever(field: &str, length: f64, n: usize, m: usize) -> String {
    format!(
        r#"<Node name="root" dt="{LONG}" gravity="0 -{G} 0">
            {STATIC}
            <RegularGridTopology n="{} {} {}" min="0 -0.5 -0.5" max="{length} 0.5 0.5"/>
            <MechanicalObject name="bar"/>
            <DiagonalMass massDensity="{DENSITY}"/>
            <BoxROI name="end" box="-0.001 -1 -1 0.001 1 1"/>
            <FixedProjectiveConstraint indices="@end.indices"/>
            {field}
        </Node>"#,
        n + 1,
        m + 1,
        m + 1
    )
}

/// Mean deflection of the end's cross-section, downward.
fn deflection(text: &str, length: f64) -> f64 {
    let mut simulation = simulate(text);
    let before = state(&simulation, "bar");
    steps(&mut simulation, 3);
    let after = state(&simulation, "bar");
    let end: Vec<usize> =
        (0..before.position.len()).filter(|i| (before.position[*i][0] - length).abs() < 1e-9).collect();
    end.iter().map(|i| before.position[*i][1] - after.position[*i][1]).sum::<f64>() / end.len() as f64
}

/// q L^4 / (8 E I), and the shear that Timoshenko adds: q L^2 / (2 k G A), nu = 0.
///
/// **Source:** Timoshenko, Strength of Materials I.
fn beam(length: f64, k: f64) -> (f64, f64) {
    let q = DENSITY * G;
    let inertia = 1.0 / 12.0;
    let shear_modulus = YOUNG / 2.0;
    (q * length.powi(4) / (8.0 * YOUNG * inertia), q * length.powi(2) / (2.0 * k * shear_modulus))
}

/// Trilinear elements cannot bend: an element of length a has a parasitic shear energy (G/E) (a/H)^2 of the bending
/// energy (H: the bar's height), whatever the number of layers. So refinement along the bar converges at second order;
/// with nu = 0 one layer lacks nothing but the parabola of the shear stress: its k is 1, not 5/6.
///
/// **Source:** Hughes, The Finite Element Method, 4.4 (shear locking of fully integrated elements).
#[test]
fn a_bar_of_hexahedra_converges_to_beam_theory() {
    let length = 10.0;
    let (bending, shear) = beam(length, 1.0);
    for method in ["small", "large", "polar"] {
        let field = format!(
            r#"<HexahedronFEMForceField youngModulus="{YOUNG}" poissonRatio="0" method="{method}"/>"#
        );
        let cells = [20, 40, 80];
        let found = cells.map(|n| deflection(&cantilever(&field, length, n, 1), length));
        let errors = found.map(|d| (bending + shear) / d - 1.0);
        for pair in errors.windows(2) {
            assert!((order(pair[0], pair[1]) - 2.0).abs() < 0.03, "{method}: {errors:?}");
        }
        for (error, n) in errors.iter().zip(cells) {
            let parasitic = 0.5 * (length / n as f64).powi(2);
            assert!((error / parasitic - 1.0).abs() < 0.02, "{method}: {errors:?}");
        }
        // Euler-Bernoulli theory, without shear: within 1 percent.
        assert!((found[2] / bending - 1.0).abs() < 0.01, "{method}: {found:?} {bending}");
        let extrapolated = found[2] + (found[2] - found[1]) / 3.0;
        assert!((extrapolated / (bending + shear) - 1.0).abs() < 1e-3, "{method}: {extrapolated}");
    }
}

/// Linear tetrahedra lock far more: with m cells across, the bar is 1 + c / m^2 times too stiff, c about 5. Refined in all
/// directions that falls at second order; extrapolated to no mesh size, it is beam theory (k = 5/6) within 3 percent.
#[test]
fn a_bar_of_tetrahedra_converges_to_beam_theory() {
    let length = 5.0;
    let (bending, shear) = beam(length, 5.0 / 6.0);
    for method in ["small", "large"] {
        let field = format!(
            r#"<TetrahedronFEMForceField youngModulus="{YOUNG}" poissonRatio="0" method="{method}"/>"#
        );
        let too_stiff = [1, 2, 4]
            .map(|m| (bending + shear) / deflection(&cantilever(&field, length, 5 * m, m), length) - 1.0);
        let [coarse, middle, fine] = too_stiff;
        assert!(coarse > middle && middle > fine && fine > 0.0, "{method}: {too_stiff:?}");
        assert!((order(middle, fine) - 2.0).abs() < 0.15, "{method}: {too_stiff:?}");
        let extrapolated = fine - (middle - fine) / 3.0;
        assert!(extrapolated.abs() < 0.03, "{method}: {too_stiff:?}, extrapolated {extrapolated}");
    }
}

const FIELDS: [(&str, &str); 9] = [
    ("HexahedronFEMForceField", "small"),
    ("HexahedronFEMForceField", "large"),
    ("HexahedronFEMForceField", "polar"),
    ("TetrahedronFEMForceField", "small"),
    ("TetrahedronFEMForceField", "large"),
    ("TetrahedronFEMForceField", "polar"),
    ("TetrahedronFEMForceField", "svd"),
    ("TetrahedralCorotationalFEMForceField", "large"),
    ("TetrahedralCorotationalFEMForceField", "polar"),
];

/// Forces of a field on a 3 x 3 x 3 grid of cells that was moved by `motion`: after one forward step of length 1 with unit masses the velocity is the force.
fn forces(
    class: &str,
    method: &str,
    poisson: f64,
    motion: impl Fn(&[f64]) -> [f64; 3],
) -> (StateView, Vec<Vec<f64>>) {
    let grid = r#"<RegularGridTopology name="grid" n="4 4 4" min="0 0 0" max="1.2 0.9 1.5"/>"#;
    let rest = state(
        &simulate(&format!(r#"<Node name="root">{grid}<MechanicalObject name="dofs"/></Node>"#)),
        "dofs",
    );
    let moved: Vec<Vec<f64>> = rest.position.iter().map(|p| motion(p).to_vec()).collect();
    let tetrahedra = if class.starts_with("Tetra") {
        r#"<TetrahedronSetTopologyContainer name="tetrahedra"/>
           <Hexa2TetraTopologicalMapping input="@grid" output="@tetrahedra" swapping="true"/>"#
    } else {
        ""
    };
    let text = format!(
        r#"<Node name="root" dt="1" gravity="0 0 0">
            <EulerExplicitSolver/>
            {grid}
            <MechanicalObject name="dofs" position="{}" rest_position="{}"/>
            {tetrahedra}
            <UniformMass vertexMass="1"/>
            <{class} youngModulus="1000" poissonRatio="{poisson}" method="{method}"/>
        </Node>"#,
        numbers(&moved),
        numbers(&rest.position)
    );
    let mut simulation = simulate(&text);
    steps(&mut simulation, 1);
    (rest, state(&simulation, "dofs").velocity)
}

fn is_inside(p: &[f64]) -> bool {
    p.iter().zip([1.2, 0.9, 1.5]).all(|(x, max)| *x > 1e-9 && *x < max - 1e-9)
}

/// The patch test: a field of constant strain is in equilibrium inside, and its faces feel the stress of Hooke's law.
///
/// **Source:** Irons 1966; Hughes, The Finite Element Method, 4.6.
#[test]
fn constant_strain_passes_the_patch_test() {
    let (e, nu) = (1000.0, 0.3);
    let (mu, lambda) = (e / (2.0 * (1.0 + nu)), e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)));
    let gradient = [[0.01, 0.004, -0.003], [0.002, -0.006, 0.005], [0.001, -0.002, 0.008]];
    let motion = |p: &[f64]| [0, 1, 2].map(|r| p[r] + dot(&gradient[r], p) + 0.7);
    let trace = gradient[0][0] + gradient[1][1] + gradient[2][2];
    let stress = |r: usize, c: usize| {
        mu * (gradient[r][c] + gradient[c][r]) + if r == c { lambda * trace } else { 0.0 }
    };
    for (class, method) in FIELDS.iter().filter(|f| f.1 == "small") {
        let (rest, f) = forces(class, method, nu, motion);
        let inside = rest.position.iter().zip(&f).filter(|(p, _)| is_inside(p));
        assert_eq!(inside.clone().count(), 8);
        inside.for_each(|(_, f)| assert!(norm(f) < 1e-10, "{class} {method}: {f:?}"));
        // What one half of the block pulls on the other: the forces on the points beyond a cut through the cells sum
        // to minus the stress times the area of the block's section, that is 0.9 times 1.5 across x.
        for r in 0..3 {
            let total: f64 =
                rest.position.iter().zip(&f).filter(|(p, _)| p[0] > 0.6).map(|(_, f)| f[r]).sum();
            close(total, -stress(r, 0) * 0.9 * 1.5, 1e-10);
        }
    }
}

/// A rigid motion costs nothing in the corotational methods, however large.
#[test]
fn a_rigid_motion_has_no_force() {
    let q = [0.3, -0.5, 0.4, (1.0_f64 - 0.5).sqrt()];
    let motion = |p: &[f64]| {
        let r = rotated(&q, p);
        [r[0] + 3.0, r[1] - 2.0, r[2] + 1.0]
    };
    for (class, method) in FIELDS.iter().filter(|f| f.1 != "small") {
        let (_, f) = forces(class, method, 0.3, motion);
        f.iter().for_each(|f| assert!(norm(f) < 1e-9, "{class} {method}: {f:?}"));
    }
}

/// Stretched along the axes and then turned: every cell has the same frame, and feels Hooke's stress in it.
#[test]
fn a_turned_stretch_passes_the_patch_test_where_frames_are_the_cells() {
    let q = [0.3, -0.5, 0.4, (1.0_f64 - 0.5).sqrt()];
    let stretch = [1.02, 0.99, 1.01];
    let motion = |p: &[f64]| rotated(&q, &[p[0] * stretch[0], p[1] * stretch[1], p[2] * stretch[2]]);
    let (mu, lambda) = (1000.0 / 2.6, 300.0 / (1.3 * 0.4));
    let xx = 2.0 * mu * 0.02 + lambda * (0.02 - 0.01 + 0.01);
    for method in ["large", "polar"] {
        let (rest, f) = forces("HexahedronFEMForceField", method, 0.3, motion);
        for (p, f) in rest.position.iter().zip(&f) {
            assert!(!is_inside(p) || norm(f) < 1e-9, "{method}: {f:?}");
        }
        let mut total = [0.0; 3];
        for (_, f) in rest.position.iter().zip(&f).filter(|(p, _)| p[0] > 0.6) {
            total.iter_mut().zip(f).for_each(|(t, f)| *t += f);
        }
        let expected = rotated(&q, &[-xx * 0.9 * 1.5, 0.0, 0.0]);
        total.iter().zip(expected).for_each(|(t, e)| close(*t, e, 1e-8));
    }
}

/// Internal forces and their moments sum to nothing in any deformation: momentum is conserved. (Moments: the corotational
/// forces are balanced in each element's own frame, exactly so only for a rotation plus small strain.)
#[test]
fn internal_forces_balance() {
    let motion = |p: &[f64]| [p[0] + 0.2 * p[1] * p[1], p[1] - 0.1 * p[0] * p[2], p[2] + 0.15 * p[0]];
    for (class, method) in FIELDS {
        let (_, f) = forces(class, method, 0.3, motion);
        for k in 0..3 {
            let total: f64 = f.iter().map(|f| f[k]).sum();
            assert!(total.abs() < 1e-9, "{class} {method}: {total}");
        }
    }
}

/// Pulled at its end, free to become thinner: u = F L / (E A) and -nu of it across.
///
/// **Source:** Hooke; exact for elements of any shape since strain is constant.
#[test]
fn a_pulled_bar_lengthens_and_thins_by_hookes_law() {
    let (length, force, e, nu) = (4.0, 2.0, 1000.0, 0.3);
    let roller = |name: &str, fixed: &str, area: &str| {
        format!(
            r#"<BoxROI name="{name}" box="{area}"/>
               <PartialFixedProjectiveConstraint indices="@{name}.indices" fixedDirections="{fixed}"/>"#
        )
    };
    let text = format!(
        r#"<Node name="root" dt="{LONG}" gravity="0 0 0">
            {STATIC}
            <RegularGridTopology n="9 2 2" min="0 0 0" max="{length} 1 1"/>
            <MechanicalObject name="bar"/>
            <UniformMass totalMass="1"/>
            {}{}{}
            <BoxROI name="end" box="3.99 -1 -1 4.01 2 2"/>
            <ConstantForceField indices="@end.indices" totalForce="{force} 0 0"/>
            <HexahedronFEMForceField youngModulus="{e}" poissonRatio="{nu}" method="small"/>
        </Node>"#,
        roller("x", "1 0 0", "-0.01 -1 -1 0.01 2 2"),
        roller("y", "0 1 0", "-1 -0.01 -1 9 0.01 2"),
        roller("z", "0 0 1", "-1 -1 -0.01 9 2 0.01"),
    );
    let mut simulation = simulate(&text);
    let rest = state(&simulation, "bar");
    steps(&mut simulation, 2);
    let bar = state(&simulation, "bar");
    let strain = force / e;
    for (x, p) in bar.position.iter().zip(&rest.position) {
        close(x[0], p[0] * (1.0 + strain), 1e-9);
        close(x[1], p[1] * (1.0 - nu * strain), 1e-9);
        close(x[2], p[2] * (1.0 - nu * strain), 1e-9);
    }
}

/// The first axial vibration of a bar, clamped at one end, of N cells with lumped masses:
/// w = 2 (c / a) sin(pi a / (4 L)), c^2 = E / rho, a = L / N, whose limit is pi c / (2 L).
///
/// **Source:** the fixed-free chain of N masses; Hughes, The Finite Element Method, 7.3.
#[test]
fn a_bar_vibrates_axially_at_its_frequency() {
    let (n, length, e, rho, dt) = (8, 4.0, 1000.0_f64, 2.0, 1e-3);
    let a = length / n as f64;
    let shape = |x: f64| (std::f64::consts::PI * x / (2.0 * length)).sin();
    let velocity: Vec<Vec<f64>> =
        (0..4 * (n + 1)).map(|i| vec![1e-3 * shape((i % (n + 1)) as f64 * a), 0.0, 0.0]).collect();
    let text = format!(
        r#"<Node name="root" dt="{dt}" gravity="0 0 0">
            <EulerExplicitSolver/>
            <RegularGridTopology name="grid" n="{} 2 2" min="0 0 0" max="{length} 1 1"/>
            <MechanicalObject name="bar" position="@grid.position" velocity="{}"/>
            <DiagonalMass massDensity="{rho}"/>
            <BoxROI name="end" box="-0.01 -1 -1 0.01 2 2"/>
            <FixedProjectiveConstraint indices="@end.indices"/>
            <HexahedronFEMForceField youngModulus="{e}" poissonRatio="0" method="small"/>
        </Node>"#,
        n + 1,
        numbers(&velocity)
    );
    let w = 2.0 / a * (e / rho).sqrt() * (std::f64::consts::PI * a / (4.0 * length)).sin();
    // Symplectic Euler slows it to cos(w' h) = 1 - w^2 h^2 / 2; v_n = v_0 cos(w' (n - 1/2) h) / cos(w' h / 2).
    let slowed = (1.0 - w * w * dt * dt / 2.0).acos();
    let mut simulation = simulate(&text);
    for i in 1..=400 {
        steps(&mut simulation, 1);
        let v = state(&simulation, "bar").velocity[n][0];
        let expected = 1e-3 * (slowed * (f64::from(i) - 0.5)).cos() / (slowed / 2.0).cos();
        assert!((v - expected).abs() < 1e-12, "step {i}: {v} instead of {expected}");
    }
}
