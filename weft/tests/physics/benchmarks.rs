//! Benchmarks of elasticity under refinement: Cook's membrane, a thick-walled sphere, Euler's column.

use super::support::*;

/// A step so long that inertia plays no part.
const LONG: f64 = 1e4;
const DIRECT: &str = "<EulerImplicitSolver/><SparseLDLSolver/>";

fn list<T: ToString>(all: impl IntoIterator<Item = T>) -> String {
    all.into_iter().map(|x| x.to_string()).collect::<Vec<_>>().join(" ")
}

/// Cook's membrane of n x n quadrangles, each cut into two triangles: how far the middle of its free end moves up.
///
/// The load is a hundred-thousandth of the benchmark's, so that corotational elements are linear.
fn cook(n: usize) -> f64 {
    const LOAD: f64 = 1e-5;
    let point = |i: usize, j: usize| {
        let (u, v) = (i as f64 / n as f64, j as f64 / n as f64);
        // Lower side from (0, 0) to (48, 44), upper side from (0, 44) to (48, 60).
        [48.0 * u, 44.0 * u + v * (44.0 - 28.0 * u), 0.0]
    };
    let at = |i: usize, j: usize| i * (n + 1) + j;
    let points = list((0..=n).flat_map(|i| (0..=n).flat_map(move |j| point(i, j))));
    let mut triangles = Vec::new();
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        triangles.extend([a, b, d, b, c, d]);
    }
    // A constant traction: half a share at both ends of the side.
    let share = |j: usize| if j == 0 || j == n { 0.5 } else { 1.0 } * LOAD / n as f64;
    let text = format!(
        r#"<Node name="root" dt="{LONG}" gravity="0 0 0">{DIRECT}
            <MeshTopology position="{points}" triangles="{}"/>
            <MechanicalObject name="sheet"/><UniformMass vertexMass="1e-9"/>
            <TriangularFEMForceFieldOptim youngModulus="1" poissonRatio="{}"/>
            <FixedProjectiveConstraint indices="{}"/>
            <PartialFixedProjectiveConstraint fixAll="1" fixedDirections="0 0 1"/>
            <ConstantForceField indices="{}" forces="{}"/></Node>"#,
        list(&triangles),
        1.0 / 3.0,
        list((0..=n).map(|j| at(0, j))),
        list((0..=n).map(|j| at(n, j))),
        list((0..=n).flat_map(|j| [0.0, share(j), 0.0]))
    );
    let mut s = simulate(&text);
    let before = state(&s, "sheet").position;
    steps(&mut s, 3);
    let after = state(&s, "sheet").position;
    let middle = at(n, n / 2);
    (after[middle][1] - before[middle][1]) / LOAD
}

/// Triangles of constant strain are too stiff, and the less so the finer they are; between first and second order, since the corner at
/// which the clamped side begins is singular.
///
/// **Source:** Cook 1974; the converged displacement 23.96 for E = 1, nu = 1/3, plane stress is the usual reference (Simo and Rifai 1990).
#[test]
fn cooks_membrane_converges_from_below() {
    const EXACT: f64 = 23.96;
    let found = [4, 8, 16, 32].map(cook);
    for pair in found.windows(2) {
        assert!(pair[0] < pair[1] && pair[1] < EXACT, "{found:?}");
    }
    let errors = found.map(|d| EXACT - d);
    for pair in errors[1..].windows(2) {
        let order = order(pair[0], pair[1]);
        assert!((1.0..2.1).contains(&order), "order {order}: {found:?}");
    }
    // What remains, extrapolated with the order that was measured last.
    let ratio = errors[3] / errors[2];
    let extrapolated = found[3] + (found[3] - found[2]) * ratio / (1.0 - ratio);
    assert!((extrapolated / EXACT - 1.0).abs() < 0.01, "{found:?}, extrapolated {extrapolated}");
    assert!(errors[3] / EXACT < 0.03, "{found:?}");
}

const INNER: f64 = 1.0;
const OUTER: f64 = 2.0;

/// An eighth of a sphere's wall of tetrahedra under pressure from within: how far its inner and outer surface move outward, in the mean.
fn sphere(n: usize, poisson: f64) -> [f64; 2] {
    const PRESSURE: f64 = 1e-3;
    // A triangle of directions from x to y to z in n rows, times 2n layers.
    let layers = 2 * n;
    let rows: Vec<(usize, usize)> = (0..=n).flat_map(|i| (0..=n - i).map(move |j| (i, j))).collect();
    let number = |i: usize, j: usize| rows.iter().position(|r| *r == (i, j)).expect("a direction");
    let direction = |(i, j): (usize, usize)| {
        let angle = |k: usize| (k as f64 / n as f64 * std::f64::consts::FRAC_PI_2).sin();
        let d = [angle(i), angle(j), angle(n - i - j)];
        d.map(|c| c / norm(&d))
    };
    let m = rows.len();
    let radius = |k: usize| INNER + (OUTER - INNER) * k as f64 / layers as f64;
    let points: Vec<[f64; 3]> =
        (0..=layers).flat_map(|k| rows.iter().map(move |r| direction(*r).map(|c| c * radius(k)))).collect();
    let mut faces = Vec::new();
    for (i, j) in &rows {
        if i + j < n {
            faces.push([number(*i, *j), number(i + 1, *j), number(*i, j + 1)]);
        }
        if i + j + 1 < n {
            faces.push([number(i + 1, *j), number(i + 1, j + 1), number(*i, j + 1)]);
        }
    }
    // A prism is cut by the order of its points' numbers, so that neighbors cut their common side alike.
    let mut tetrahedra = Vec::new();
    for (k, face) in (0..layers).flat_map(|k| faces.iter().map(move |f| (k, f))) {
        let mut low = *face;
        low.sort_unstable();
        let [a, b, c] = low.map(|i| k * m + i);
        let up = |i: usize| i + m;
        for t in [[a, b, c, up(c)], [a, b, up(b), up(c)], [a, up(a), up(b), up(c)]] {
            let [p, q, r, s] = t.map(|i| points[i]);
            let edge = |x: [f64; 3]| [0, 1, 2].map(|k| x[k] - p[k]);
            let volume = dot(&edge(q), &cross(&edge(r), &edge(s)));
            let [p, q, r, s] = t;
            tetrahedra.extend(if volume > 0.0 { [p, q, r, s] } else { [p, q, s, r] });
        }
    }
    // The pressure on a face, a third to each of its points.
    let mut loads = vec![[0.0; 3]; m];
    for face in &faces {
        let [a, b, c] = face.map(|i| points[i]);
        let (u, v) = ([0, 1, 2].map(|k| b[k] - a[k]), [0, 1, 2].map(|k| c[k] - a[k]));
        let normal = cross(&u, &v);
        let outward = dot(&normal, &a).signum();
        for i in face {
            (0..3).for_each(|k| loads[*i][k] += outward * PRESSURE * normal[k] / 6.0);
        }
    }
    let symmetric: String = (0..3)
        .map(|axis| {
            let on_plane = (0..points.len()).filter(|i| points[*i][axis].abs() < 1e-12);
            let directions = [0, 1, 2].map(|k| u8::from(k == axis));
            let (indices, directions) = (list(on_plane), list(directions));
            format!(
                r#"<PartialFixedProjectiveConstraint indices="{indices}" fixedDirections="{directions}"/>"#
            )
        })
        .collect();
    let text = format!(
        r#"<Node name="root" dt="{LONG}" gravity="0 0 0">{DIRECT}
            <MeshTopology position="{}" tetrahedra="{}"/>
            <MechanicalObject name="wall"/><UniformMass vertexMass="1e-9"/>
            <TetrahedronFEMForceField youngModulus="1" poissonRatio="{poisson}" method="small"/>
            {symmetric}<ConstantForceField indices="{}" forces="{}"/></Node>"#,
        list(points.iter().flatten()),
        list(&tetrahedra),
        list(0..m),
        list(loads.iter().flatten())
    );
    let mut s = simulate(&text);
    steps(&mut s, 3);
    let after = state(&s, "wall").position;
    let mean = |k: usize| {
        let outward = |i: usize| norm(&after[k * m + i]) - norm(&points[k * m + i]);
        (0..m).map(outward).sum::<f64>() / m as f64 / PRESSURE
    };
    [mean(0), mean(layers)]
}

/// u(r) = p a^3 r / (E (b^3 - a^3)) ((1 - 2 nu) + (1 + nu) b^3 / (2 r^3)).
///
/// **Source:** Lame 1852; Timoshenko and Goodier, Theory of Elasticity, art. 142.
#[test]
fn a_thick_sphere_under_pressure_widens_as_lame_says() {
    let cube = |r: f64| r * r * r;
    for poisson in [0.0, 0.3] {
        let widening = |r: f64| {
            let factor = cube(INNER) * r / (cube(OUTER) - cube(INNER));
            factor * ((1.0 - 2.0 * poisson) + (1.0 + poisson) * cube(OUTER) / (2.0 * cube(r)))
        };
        let wanted = [widening(INNER), widening(OUTER)];
        let found = [2, 4, 8].map(|n| sphere(n, poisson));
        for side in 0..2 {
            let errors = found.map(|f| 1.0 - f[side] / wanted[side]);
            // Second order, once the facets are small against the radius.
            let last = order(errors[1], errors[2]);
            assert!((1.6..2.4).contains(&last), "nu {poisson}, side {side}: order {last}, {errors:?}");
            // A facet of angle h = pi / 2 / 8 and a layer of 1 / 16 leave h^2 of the displacement at most.
            assert!(errors[2].abs() < 0.0386, "nu {poisson}, side {side}: {errors:?}");
        }
    }
}

/// A column of n beams along x, clamped at one end, pressed by a share of Euler's load and pushed a little sideways at its free end: how
/// far this moves sideways, by how far it would move without pressure.
fn bent(n: usize, share: f64, iterations: usize) -> f64 {
    const YOUNG: f64 = 1e6;
    const RADIUS: f64 = 0.02;
    const PUSH: f64 = 1e-6;
    let inertia = std::f64::consts::PI * RADIUS.powi(4) / 4.0;
    let euler = std::f64::consts::PI.powi(2) * YOUNG * inertia / 4.0;
    let points = list((0..=n).flat_map(|i| [i as f64 / n as f64, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]));
    let edges = list((0..n).flat_map(|i| [i, i + 1]));
    let text = format!(
        r#"<Node name="root" dt="{LONG}" gravity="0 0 0">{DIRECT}
            <MeshTopology edges="{edges}"/>
            <MechanicalObject name="column" template="Rigid3" position="{points}"/>
            <UniformMass vertexMass="1e-9 1 1 0 0 0 1 0 0 0 1"/>
            <BeamFEMForceField radius="{RADIUS}" youngModulus="{YOUNG}" poissonRatio="0.3"/>
            <FixedProjectiveConstraint indices="0"/>
            <ConstantForceField indices="{n}" forces="{} {PUSH} 0 0 0 0"/></Node>"#,
        -share * euler
    );
    let mut s = simulate(&text);
    steps(&mut s, iterations);
    state(&s, "column").position[n][1] * 3.0 * YOUNG * inertia / PUSH
}

/// Pressed by P, a column that is clamped at one end bends (tan kL - kL) / ((kL)^3 / 3) times as far as without P, where k^2 = P / (E I); at
/// Euler's load, pi^2 E I / (4 L^2), that is infinite, and beyond it no straight column stays.
///
/// **Source:** Timoshenko and Gere, Theory of Elastic Stability, art. 1.2.
#[test]
fn a_column_buckles_at_eulers_load() {
    let theory = |share: f64| {
        let u: f64 = std::f64::consts::FRAC_PI_2 * share.sqrt();
        3.0 * (u.tan() - u) / u.powi(3)
    };
    for share in [0.2, 0.5, 0.7] {
        // A beam's frame is that of its first end, so errors are of first order in the beams' length, and what extrapolation leaves
        // is of second order in k L / n, the larger the nearer the load is to Euler's.
        let found = [4, 8, 16].map(|n| bent(n, share, 150));
        let errors = found.map(|d| d / theory(share) - 1.0);
        for pair in errors.windows(2) {
            let order = order(pair[0], pair[1]);
            assert!((order - 1.0).abs() < 0.2, "{share}: order {order}, {errors:?}");
        }
        let extrapolated = 2.0 * found[2] - found[1];
        let second = (std::f64::consts::FRAC_PI_2 / 16.0).powi(2) * share / (1.0 - share);
        assert!((extrapolated / theory(share) - 1.0).abs() < second, "{share}: {found:?}, {extrapolated}");
    }
    let beyond = bent(16, 1.2, 400);
    assert!(beyond > 1e4, "beyond the load it gives way: {beyond}");
}
