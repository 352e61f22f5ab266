//! Where components stand in the tree: what acts on what, and what is refused.

use super::support::*;
use scenes::load::{LoadOptions, load_text};
use weft::simulation::Simulation;

/// A point at 1 that moves, and one at 0 that does not, or belongs to another solver; weightless, mass 2.
fn two_points(solver: &str, joint_inside: &str, joint_above: &str, joint_after: &str, other: &str) -> String {
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 0 0">
            {joint_above}
            <Node name="anchor">{other}<MechanicalObject name="points" position="0 0 0"/></Node>
            <Node name="body">
                {solver}
                <MechanicalObject name="points" position="1 0 0" velocity="0.5 0 0"/>
                <UniformMass vertexMass="2"/>
                <Node name="mapped"><MechanicalObject name="points" position="1 0 0"/><IdentityMapping/></Node>
                {joint_inside}
            </Node>
            <Node name="last">{joint_after}</Node>
        </Node>"#
    )
}

/// k = 50, damping 3, rest length 0.8.
fn spring(second: &str) -> String {
    format!(
        r#"<SpringForceField name="joint" object1="@/anchor/points" object2="@{second}" spring="0 0 50 3 0.8"/>"#
    )
}

/// The force of that spring on its second end.
fn force(x: f64, v: f64) -> f64 {
    -50.0 * (x - 0.8) - 3.0 * v
}

const RUNGE_KUTTA: &str = "<RungeKutta4Solver/>";

/// The oscillator m x'' = f(x, x') by the classical scheme, written out.
fn runge_kutta(n: usize) -> (f64, f64) {
    let h = 0.01;
    let (mut x, mut v) = (1.0, 0.5);
    for _ in 0..n {
        let a = |x: f64, v: f64| force(x, v) / 2.0;
        let (k1, l1) = (v, a(x, v));
        let (k2, l2) = (v + h / 2.0 * l1, a(x + h / 2.0 * k1, v + h / 2.0 * l1));
        let (k3, l3) = (v + h / 2.0 * l2, a(x + h / 2.0 * k2, v + h / 2.0 * l2));
        let (k4, l4) = (v + h * l3, a(x + h * k3, v + h * l3));
        x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    (x, v)
}

#[test]
fn a_spring_to_what_nobody_moves_is_felt_at_every_stage_of_runge_kutta() {
    let (x, v) = runge_kutta(20);
    for end in ["/body/points", "/body/mapped/points"] {
        let mut simulation = simulate(&two_points(RUNGE_KUTTA, &spring(end), "", "", ""));
        steps(&mut simulation, 20);
        let (got, speed) = along(&simulation, "/body/points", 0);
        close(got, x, 1e-13);
        close(speed, v, 1e-13);
    }
}

#[test]
fn a_spring_above_all_solvers_acts_once_per_step() {
    let mut simulation = simulate(&two_points(RUNGE_KUTTA, "", &spring("/body/points"), "", ""));
    let (mut x, mut v) = (1.0, 0.5);
    for _ in 0..20 {
        // Constant acceleration over the step, which the scheme integrates exactly.
        let a = force(x, v) / 2.0;
        x += 0.01 * v + 0.5 * 0.01 * 0.01 * a;
        v += 0.01 * a;
    }
    steps(&mut simulation, 20);
    let (got, speed) = along(&simulation, "/body/points", 0);
    close(got, x, 1e-13);
    close(speed, v, 1e-13);
}

#[test]
fn a_spring_within_one_object_above_its_solver_acts_once_per_step() {
    let text = r#"<Node name="root" dt="0.01" gravity="0 0 0">
        <SpringForceField object1="@/body/points" object2="@/body/points" spring="0 1 50 0 0.8"/>
        <Node name="body">
            <EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-14" threshold="0"/>
            <MechanicalObject name="points" position="0 0 0  1 0 0"/>
            <UniformMass vertexMass="2"/>
        </Node>
    </Node>"#;
    let mut simulation = simulate(text);
    let (mut x, mut v) = (1.0, 0.0);
    for _ in 0..20 {
        // Each end by symmetry; implicit Euler without a matrix of the spring is symplectic Euler.
        v += 0.01 * -50.0 * (2.0 * x - 1.0 - 0.8) / 2.0;
        x += 0.01 * v;
    }
    steps(&mut simulation, 20);
    close(state(&simulation, "points").position[1][0], x, 1e-12);
}

#[test]
fn what_stands_after_its_solver_or_below_another_one_is_warned_of() {
    let of_anchor = "<EulerExplicitSolver/>";
    let cases = [
        (two_points(RUNGE_KUTTA, "", "", &spring("/body/points"), ""), "has done its step by then"),
        (two_points(RUNGE_KUTTA, &spring("/body/points"), "", "", of_anchor), "below another solver"),
    ];
    for (text, expected) in cases {
        let loaded = load_text(&text, "test.scn", &LoadOptions::default()).expect("it runs");
        let said: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        assert!(said.iter().any(|d| d.contains(expected) && d.contains("joint")), "{expected}: {said:#?}");
    }
    let fine = two_points(RUNGE_KUTTA, &spring("/body/points"), "", "", "");
    let loaded = load_text(&fine, "test.scn", &LoadOptions::default()).expect("it runs");
    assert!(!loaded.diagnostics.iter().any(|d| d.to_string().contains("does not act")));
    // What stands too late changes nothing.
    let mut simulation = simulate(&two_points(RUNGE_KUTTA, "", "", &spring("/body/points"), ""));
    steps(&mut simulation, 10);
    close(along(&simulation, "/body/points", 0).0, 1.05, 1e-13);
}

#[test]
fn explicit_integrators_refuse_masses_that_they_cannot_divide_by() {
    let body = |inside: &str| {
        format!(
            r#"<Node name="root" dt="0.01">
                <RungeKutta4Solver/>
                <RegularGridTopology name="grid" n="2 2 2" min="0 0 0" max="1 1 1"/>
                <MechanicalObject name="points"/>
                {inside}
            </Node>"#
        )
    };
    let child = r#"<Node name="child"><MechanicalObject name="points" position="0.5 0.5 0.5"/>
        <UniformMass vertexMass="1"/><BarycentricMapping/></Node>"#;
    let two = r#"<UniformMass vertexMass="1"/><UniformMass vertexMass="2"/>"#;
    let cases = [
        (body(r#"<MeshMatrixMass totalMass="1"/>"#), "not diagonal"),
        (body(child), "mapped state"),
        (body(two), "second one"),
    ];
    for (text, expected) in cases {
        let loaded = load_text(&text, "test.scn", &LoadOptions::default()).expect("it is a scene");
        let refused = Simulation::new(loaded.scene, sequential()).err().expect("it is refused").to_string();
        assert!(refused.contains(expected) && refused.contains("Mass"), "{refused}");
    }
    let mut simulation = simulate(&body(r#"<MeshMatrixMass totalMass="1" lumping="1"/>"#));
    steps(&mut simulation, 10);
    close(along(&simulation, "points", 1).1, -0.981, 1e-13);
}

#[test]
fn a_plane_has_its_place_in_an_assembled_matrix_before_it_is_touched() {
    let scene = |template: &str| {
        format!(
            r#"<Node name="root" dt="0.01">
                <EulerImplicitSolver/><CGLinearSolver iterations="200" tolerance="1e-14" threshold="0" {template}/>
                <RegularGridTopology name="grid" n="2 2 2" min="0 0 0" max="1 1 1"/>
                <MechanicalObject name="points" translation="0 0.02 0"/>
                <UniformMass totalMass="1"/>
                <HexahedronFEMForceField youngModulus="500" poissonRatio="0.3"/>
                <PlaneForceField normal="0 1 0" d="0" stiffness="300"/>
            </Node>"#
        )
    };
    let mut free = simulate(&scene(""));
    let mut assembled = simulate(&scene(r#"template="CompressedRowSparseMatrixMat3x3""#));
    steps(&mut free, 40);
    steps(&mut assembled, 40);
    let (a, b) = (state(&free, "points"), state(&assembled, "points"));
    assert!(a.position[0][1] < 0.0, "it lies on the plane");
    a.position.iter().zip(&b.position).for_each(|(a, b)| {
        a.iter().zip(b).for_each(|(a, b)| close(*a, *b, 1e-9));
    });
}
