//! Springs between points and between objects.

use super::support::*;

const CG: &str = r#"<CGLinearSolver iterations="200" tolerance="1e-14" threshold="0"/>"#;

/// Two masses on a spring: the distance oscillates with w^2 = k (1/m1 + 1/m2), the centre stays.
///
/// Along its axis the spring is linear, so backward Euler has its closed form 1 / (1 - i w h).
#[test]
fn two_masses_vibrate_with_their_reduced_mass() {
    let (m, k, l, h) = (0.5_f64, 40.0, 1.0, 0.005);
    let text = format!(
        r#"<Node name="root" dt="{h}" gravity="0 0 0">
            <EulerImplicitSolver/>{CG}
            <MechanicalObject name="points" position="0 0 0  1.1 0 0"/>
            <UniformMass vertexMass="{m}"/>
            <SpringForceField spring="0 1 {k} 0 {l}"/>
        </Node>"#
    );
    let w = (k * 2.0 / m).sqrt();
    let factor = Complex(1.0, -w * h).inverse();
    let mut simulation = simulate(&text);
    for n in (20..=200).step_by(20) {
        steps(&mut simulation, 20);
        let s = state(&simulation, "points");
        let z = factor.power(n).scaled(0.1);
        close(s.position[1][0] - s.position[0][0], l + z.0, 1e-11);
        close(s.velocity[1][0] - s.velocity[0][0], -w * z.1, 1e-11);
        close(s.position[1][0] + s.position[0][0], 1.1, 1e-12);
    }
}

/// A spring's own damping is explicit: v' = v - h (w^2 e + 2 d v) in the symplectic scheme, d = c (1/m1 + 1/m2) / 2.
#[test]
fn a_damped_spring_follows_its_recurrence() {
    let (m, k, c, h) = (0.5, 40.0, 0.3, 0.005);
    let text = format!(
        r#"<Node name="root" dt="{h}" gravity="0 0 0">
            <EulerExplicitSolver/>
            <MechanicalObject name="points" position="0 0 0  0 1.1 0"/>
            <UniformMass vertexMass="{m}"/>
            <SpringForceField spring="0 1 {k} {c} 1"/>
        </Node>"#
    );
    let mut simulation = simulate(&text);
    let (mut e, mut v) = (0.1, 0.0);
    for _ in 0..500 {
        steps(&mut simulation, 1);
        v -= h * 2.0 / m * (k * e + c * v);
        e += h * v;
        let s = state(&simulation, "points");
        close(s.position[1][1] - s.position[0][1], 1.0 + e, 1e-11);
    }
}

/// A pendulum on a stiff spring: the arm is longer by m (g cos + v^2/L) / k, a correction that vanishes with 1/k.
#[test]
fn a_stiff_spring_makes_a_pendulum() {
    let (g, l, dt) = (9.81, 1.0, 2e-4);
    let period = |k: f64| {
        let angle: f64 = 0.2;
        let text = format!(
            r#"<Node name="root" dt="{dt}" gravity="0 -{g} 0">
                <RungeKutta4Solver/>
                <MechanicalObject name="points" position="0 0 0  {} {} 0"/>
                <UniformMass vertexMass="1"/>
                <FixedProjectiveConstraint indices="0"/>
                <SpringForceField spring="0 1 {k} 0 {l}"/>
            </Node>"#,
            l * angle.sin(),
            -l * angle.cos()
        );
        let mut simulation = simulate(&text);
        let mut previous = l * angle.sin();
        // A quarter of the period is where it first hangs straight down.
        loop {
            steps(&mut simulation, 1);
            let x = state(&simulation, "points").position[1][0];
            if x <= 0.0 {
                return 4.0 * (simulation.time() - dt * x / (x - previous));
            }
            assert!(simulation.time() < 10.0);
            previous = x;
        }
    };
    // 2 pi sqrt(L/g) (1 + a^2/16 + 11 a^4/3072): the period's series in the amplitude.
    let a: f64 = 0.2;
    let exact =
        2.0 * std::f64::consts::PI * (l / g).sqrt() * (1.0 + a * a / 16.0 + 11.0 * a.powi(4) / 3072.0);
    let (soft, stiff) = (period(1e4) - exact, period(1e5) - exact);
    assert!(stiff.abs() < 1e-3 * exact, "{soft} {stiff} of {exact}");
    assert!(stiff.abs() < soft.abs(), "{soft} {stiff} of {exact}");
}

/// A ring of points, in one object or in two of which every other spring crosses.
fn ring(objects: usize) -> String {
    let n = 12;
    let position = |i: usize| {
        let a = 2.0 * std::f64::consts::PI * i as f64 / n as f64;
        vec![2.0 * a.cos(), 2.0 * a.sin(), 0.3 * (3.0 * a).sin()]
    };
    let spring = |i: usize, j: usize| format!("{i} {j} 50 0.2 1.1 ");
    let body = |name: &str, points: Vec<Vec<f64>>, springs: String| {
        format!(
            r#"<Node name="{name}">
                <MechanicalObject name="dofs" position="{}"/>
                <UniformMass vertexMass="0.3"/>
                <SpringForceField spring="{springs}"/>
            </Node>"#,
            numbers(&points)
        )
    };
    let solver = format!(r#"<EulerImplicitSolver rayleighMass="0.1" rayleighStiffness="0.01"/>{CG}"#);
    let inner = if objects == 1 {
        let springs = (0..n).map(|i| spring(i, (i + 1) % n)).collect();
        body("whole", (0..n).map(position).collect(), springs)
    } else {
        let half = n / 2;
        let springs: String = (0..half - 1).map(|i| spring(i, i + 1)).collect();
        let crossing = spring(half - 1, 0) + &format!("0 {} 50 0.2 1.1", half - 1);
        format!(
            r#"{}{}<SpringForceField object1="@first/dofs" object2="@second/dofs" spring="{crossing}"/>"#,
            body("first", (0..half).map(position).collect(), springs.clone()),
            body("second", (half..n).map(position).collect(), springs),
        )
    };
    format!(r#"<Node name="root" dt="0.01" gravity="0 -1 0">{solver}{inner}</Node>"#)
}

/// Springs that cross objects under one solver are those of one object: one system, one conjugate gradient.
#[test]
fn a_cut_ring_equals_the_whole() {
    let (mut whole, mut cut) = (simulate(&ring(1)), simulate(&ring(2)));
    for _ in 0..100 {
        let report = steps(&mut whole, 1);
        assert_eq!(report.map(|r| r.groups), Some(1));
        let report = steps(&mut cut, 1);
        assert_eq!(report.map(|r| (r.groups, r.cg_iterations.len())), Some((1, 1)));
    }
    let whole = state(&whole, "whole");
    let (first, second) = (state(&cut, "first"), state(&cut, "second"));
    let cut = first.position.iter().chain(&second.position);
    for (a, b) in whole.position.iter().zip(cut) {
        a.iter().zip(b).for_each(|(a, b)| close(*a, *b, 1e-9));
    }
}

/// A sum of springs with two ends each has no momentum of its own.
#[test]
fn the_cut_rings_momentum_is_its_weight() {
    let mut simulation = simulate(&ring(2).replace("rayleighMass=\"0.1\"", ""));
    steps(&mut simulation, 50);
    let all = simulation.states();
    for (axis, expected) in [(0, 0.0), (1, -0.01 * 50.0), (2, 0.0)] {
        let mean = all.iter().flat_map(|s| &s.velocity).map(|v| v[axis]).sum::<f64>() / 12.0;
        close(mean, expected, 1e-11);
    }
}

/// A mass that is drawn by a spring to a point that leaves at constant velocity V lags: x = V t - V/w sin(w t), w^2 = k/m. The point feels
/// nothing.
#[test]
fn what_is_drawn_to_another_state_lags_behind_it() {
    let (m, k, velocity, h) = (0.5_f64, 40.0, 0.7, 0.002);
    let w = (k / m).sqrt();
    let of = |field: &str| {
        format!(
            r#"<Node name="root" dt="{h}" gravity="0 0 0"><RungeKutta4Solver/>
            <Node name="ahead"><MechanicalObject name="led" position="5 0 0  0 1 0" velocity="0 0 0  {velocity} 0 0"/>
                <UniformMass vertexMass="0.1"/></Node>
            <Node name="behind"><MechanicalObject name="drawn" position="9 9 9  0 1 0"/><UniformMass vertexMass="{m}"/>
                <{field} external_rest_shape="@../ahead/led" points="1" external_points="1"/></Node></Node>"#
        )
    };
    // Without smoothing a polynomial of the first degree is a linear spring.
    let polynomial =
        format!(r#"PolynomialRestShapeSpringsForceField polynomialStiffness="{k}" smoothShift="-900""#);
    for (field, tolerance) in
        [(format!(r#"RestShapeSpringsForceField stiffness="{k}""#), 1e-9), (polynomial, 1e-9)]
    {
        let mut simulation = simulate(&of(&field));
        for n in 1..=5 {
            steps(&mut simulation, 100);
            let t = f64::from(n) * 100.0 * h;
            let (led, drawn) = (state(&simulation, "led"), state(&simulation, "drawn"));
            close(led.position[1][0], velocity * t, 1e-12);
            close(drawn.position[1][0], velocity * (t - (w * t).sin() / w), tolerance);
            assert_eq!(drawn.position[0], [9.0, 9.0, 9.0]);
        }
    }
}

/// A frame that is drawn to another one turns toward it: about one axis the angle is that of a rotation spring.
#[test]
fn a_frame_is_turned_to_another_one() {
    let angle = 0.4_f64;
    let text = format!(
        r#"<Node name="root" dt="0.002" gravity="0 0 0"><RungeKutta4Solver/>
        <Node name="ahead"><MechanicalObject name="led" template="Rigid3" position="0 0 0  0 0 {} {}"/></Node>
        <Node name="behind"><MechanicalObject name="drawn" template="Rigid3" position="0 0 0 0 0 0 1"/>
            <UniformMass vertexMass="0.5 1 [0.02 0 0, 0 0.02 0, 0 0 0.02]"/>
            <RestShapeSpringsForceField external_rest_shape="@../ahead/led" stiffness="40" angularStiffness="0.3"/></Node></Node>"#,
        (angle / 2.0).sin(),
        (angle / 2.0).cos()
    );
    let mut simulation = simulate(&text);
    let inertia = 0.5 * 0.02;
    let w = f64::sqrt(0.3 / inertia);
    for n in 1..=5 {
        steps(&mut simulation, 40);
        let turned = angle * (1.0 - (w * f64::from(n) * 0.08).cos());
        let q = state(&simulation, "drawn").position[0].clone();
        close(2.0 * q[5].atan2(q[6]), turned, 1e-6);
    }
}

/// Masses, springs and points on a frame from an Xsp file are those of the same numbers in the scene, to the bit; a file's springs come
/// behind those of rows, and lists of points count for nothing then.
#[test]
fn a_file_of_masses_and_springs_is_what_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("net.xs3");
    let file = "Xsp 3.0\nmass 1 s 0 0 0 0 0 0 2 0\nmass 2 s 3 0 0 0 0 0 4 0\nmass 3 s 3 4 0 0 0 0 1 0\n\
        lspg 1 1 2 60 3 -1\nlspg 2 2 3 10 0.5 3.5\n";
    std::fs::write(&path, file).expect("the file is written");
    let name = path.display();
    let scene = |mass: &str, springs: &str, points: &str| {
        let solver =
            r#"<EulerImplicitSolver/><CGLinearSolver iterations="50" tolerance="1e-15" threshold="0"/>"#;
        format!(
            r#"<Node name="root" dt="0.01" gravity="0 -9.81 0">
                <Node name="net">{solver}
                    <MechanicalObject name="dofs" position="0 0.2 0  3 0.1 0.3  3 4 0"/>
                    <DiagonalMass {mass}/>
                    <SpringForceField {springs}/>
                </Node>
                <Node name="body">{solver}
                    <MechanicalObject name="frame" template="Rigid3" position="1 2 3 0 0 0 1" velocity="0 0 0 1 2 3"/>
                    <UniformMass vertexMass="2 1 0.5 0 0 0 1 0 0 0 1.5"/>
                    <Node name="points"><MechanicalObject name="dofs"/><RigidMapping {points}/></Node>
                </Node>
            </Node>"#
        )
    };
    let hash = |text: &str| {
        let mut simulation = simulate(text);
        steps(&mut simulation, 5);
        simulation.state_hash().expect("a finite state")
    };
    let by_hand = scene(
        r#"vertexMass="2 4 1""#,
        r#"spring="0 2 7 0 1  0 1 20 1 3  1 2 10 0.5 3.5""#,
        r#"initialPoints="0 0 0  3 0 0  3 4 0""#,
    );
    let by_file = scene(
        &format!(r#"filename="{name}""#),
        &format!(r#"spring="0 2 7 0 1" indices1="0" indices2="1" fileSprings="{name}""#),
        &format!(r#"fileRigidMapping="{name}""#),
    );
    assert_eq!(hash(&by_file), hash(&by_hand));
    let others =
        scene(r#"vertexMass="2 4 1""#, r#"spring="0 2 7 0 1""#, r#"initialPoints="0 0 0  3 0 0  3 4 0""#);
    assert_ne!(hash(&others), hash(&by_hand));
    let spheres = folder.path().join("points.sph");
    std::fs::write(&spheres, "sph 1.0\nsphe 1 0 0 0 1\nsphe 2 3 0 0 1\nsphe 3 3 4 0 1\n").expect("written");
    let of_spheres = format!(r#"filename="{}""#, spheres.display());
    let by_spheres =
        scene(r#"vertexMass="2 4 1""#, r#"spring="0 2 7 0 1  0 1 20 1 3  1 2 10 0.5 3.5""#, &of_spheres);
    assert_eq!(hash(&by_spheres), hash(&by_hand));
}
