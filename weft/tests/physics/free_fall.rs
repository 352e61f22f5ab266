//! Free fall and uniform motion.

use super::support::*;
use scenes::diagnostics::Diagnostic;
use scenes::load::{LoadOptions, load_text};
use weft::simulation::Simulation;

const H: f64 = 0.01;
const G: f64 = -9.81;

fn scene(solver: &str, dt: f64, mass: &str) -> String {
    format!(
        r#"<Node name="root" dt="{dt}" gravity="0 {G} 0">
            <Node name="points">
                {solver}
                <MechanicalObject position="1 2 3  4 5 6" velocity="0.5 1 -2  0 0 0"/>
                {mass}
            </Node>
        </Node>"#
    )
}

const IMPLICIT: &str =
    r#"<EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-15" threshold="0"/>"#;
const MASS: &str = r#"<UniformMass vertexMass="0.7"/>"#;

/// x_n = x_0 + n h v_0 + g h^2 n (n + s) / 2 and v_n = v_0 + n h g: the recurrences v += h g, x += h v summed, with s = 1
/// where x moves with the new velocity, -1 where it moves with the old one, 0 for the exact parabola.
fn falls_by_the_sum(text: &str, s: f64) {
    let mut simulation = simulate(text);
    for n in [1, 9, 90] {
        steps(&mut simulation, n);
        let n = simulation.step_index() as f64;
        let points = state(&simulation, "points");
        for (i, (x0, v0)) in
            [([1.0, 2.0, 3.0], [0.5, 1.0, -2.0]), ([4.0, 5.0, 6.0], [0.0; 3])].iter().enumerate()
        {
            for k in 0..3 {
                let g = if k == 1 { G } else { 0.0 };
                close(points.velocity[i][k], v0[k] + n * H * g, 1e-12);
                close(points.position[i][k], x0[k] + n * H * v0[k] + g * H * H * n * (n + s) / 2.0, 1e-12);
            }
        }
    }
}

#[test]
fn backward_euler_falls_by_its_sum() {
    falls_by_the_sum(&scene(IMPLICIT, H, MASS), 1.0);
}

#[test]
fn symplectic_euler_falls_by_its_sum() {
    falls_by_the_sum(&scene("<EulerExplicitSolver/>", H, MASS), 1.0);
}

#[test]
fn forward_euler_falls_by_its_sum() {
    falls_by_the_sum(&scene(r#"<EulerExplicitSolver symplectic="0"/>"#, H, MASS), -1.0);
}

/// Runge-Kutta is exact for parabolas.
#[test]
fn runge_kutta_falls_exactly() {
    falls_by_the_sum(&scene("<RungeKutta4Solver/>", H, MASS), 0.0);
}

/// Gravity kept apart is added to v after x has moved by the implicit solver, before by the explicit one.
///
/// **Source:** SOFA's order of operations.
#[test]
fn separate_gravity_comes_after_the_implicit_step_and_before_the_explicit_one() {
    let mass = r#"<UniformMass vertexMass="0.7" separateGravity="1"/>"#;
    falls_by_the_sum(&scene(IMPLICIT, H, mass), -1.0);
    falls_by_the_sum(&scene("<EulerExplicitSolver/>", H, mass), 1.0);
}

/// The error at a time t is g h t / 2: it halves with the step. g t^2 / 2: Galilei.
#[test]
fn converges_to_the_parabola_at_first_order() {
    let error = |dt: f64, n: usize| {
        let mut simulation = simulate(&scene(IMPLICIT, dt, MASS));
        steps(&mut simulation, n);
        along(&simulation, "points", 1).0 - (2.0 + 1.0 + G / 2.0)
    };
    let (coarse, fine) = (error(0.01, 100), error(0.005, 200));
    close(coarse, G * 0.01 / 2.0, 1e-11);
    close(order(coarse, fine), 1.0, 1e-6);
}

/// Without forces the velocity keeps its bits, whatever the solver.
#[test]
fn moves_uniformly_without_forces() {
    for solver in [IMPLICIT, "<EulerExplicitSolver/>", "<RungeKutta4Solver/>"] {
        let text = scene(solver, H, MASS).replace(&format!("0 {G} 0"), "0 0 0");
        let mut simulation = simulate(&text);
        steps(&mut simulation, 200);
        let points = state(&simulation, "points");
        assert_eq!(points.velocity, [[0.5, 1.0, -2.0], [0.0, 0.0, 0.0]]);
        assert_eq!(points.position[1], [4.0, 5.0, 6.0]);
        for (x, expected) in points.position[0].iter().zip([1.0 + 1.0, 2.0 + 2.0, 3.0 - 4.0]) {
            close(*x, expected, 1e-13);
        }
    }
}

/// All masses fall alike: Vec3 and Rigid3, one mass per point or a mass per volume, lumped or consistent.
#[test]
fn falls_alike_with_every_mass() {
    let masses = [
        ("Vec3", r#"<UniformMass totalMass="3"/>"#),
        ("Vec3", r#"<DiagonalMass massDensity="2"/>"#),
        ("Vec3", r#"<MeshMatrixMass massDensity="2" lumping="1"/>"#),
        ("Vec3", r#"<MeshMatrixMass massDensity="2"/>"#),
        ("Rigid3", r#"<UniformMass vertexMass="2 1 0.1 0 0 0 0.2 0 0 0 0.3"/>"#),
    ];
    for (template, mass) in masses {
        let text = format!(
            r#"<Node name="root" dt="{H}" gravity="0 {G} 0">
                <EulerImplicitSolver/>
                <CGLinearSolver iterations="100" tolerance="1e-14" threshold="0"/>
                <RegularGridTopology n="2 3 2" min="0 0 0" max="1 2 1"/>
                <MechanicalObject name="points" template="{template}"/>
                {mass}
            </Node>"#
        );
        let mut simulation = simulate(&text);
        let before = state(&simulation, "points");
        steps(&mut simulation, 50);
        let after = state(&simulation, "points");
        for (a, b) in after.position.iter().zip(&before.position) {
            // MeshMatrixMass, consistent: gravity is lumped with SOFA's coefficient 2.5 and its matrix lacks the
            // diagonals of the hexahedron, so rows do not sum to the lumped mass; it does not fall like a stone.
            if !mass.contains("MeshMatrixMass") || mass.contains("lumping") {
                close(a[1] - b[1], G * H * H * 50.0 * 51.0 / 2.0, 1e-10);
                close(a[0], b[0], 1e-10);
            }
        }
    }
}

/// What a `Gravity` below the root gives its node holds there and below, wherever in the node it stands; siblings keep the root's.
#[test]
fn nodes_fall_by_their_own_gravity() {
    let body = |mass: &str| {
        format!(
            "{IMPLICIT}<MechanicalObject position='1 2 3'/>{mass}<Node name='below'><MechanicalObject position='0 1 0'/>
             <IdentityMapping/>{mass}</Node>"
        )
    };
    let separate = r#"<UniformMass vertexMass="0.7" separateGravity="1"/>"#;
    let text = format!(
        "<Node name='root' dt='{H}' gravity='0 {G} 0'>
           <Node name='up'><Node name='body'>{}</Node><Gravity gravity='0 10 1'/></Node>
           <Node name='split'>{IMPLICIT}<Gravity gravity='1 0 0'/><MechanicalObject position='1 2 3'/>{separate}</Node>
           <Node name='down'>{}</Node>
         </Node>",
        body(MASS),
        body(MASS),
    );
    let mut s = simulate(&text);
    steps(&mut s, 5);
    for (part, g) in
        [("up/body/Mech", [0.0, 10.0, 1.0]), ("split", [1.0, 0.0, 0.0]), ("down/Mech", [0.0, G, 0.0])]
    {
        for (v, g) in state(&s, part).velocity[0].iter().zip(g) {
            close(*v, 5.0 * H * g, 1e-12);
        }
    }
    assert_eq!(s.gravity().y, G);
}

/// A point with its mass, and the same mass once more on a point that is mapped from it.
fn with_mapped_mass(solver: &str) -> String {
    format!(
        r#"<Node name="root" dt="{H}" gravity="0 {G} 0">
            {solver}
            <MechanicalObject name="moving" position="0 1 0"/>
            {MASS}
            <Node name="below"><MechanicalObject/><IdentityMapping/><UniformMass name="second" vertexMass="0.7"/></Node>
        </Node>"#
    )
}

/// As in SOFA: such solvers divide by the mass of the state that moves, while the other one pulls, too.
#[test]
fn where_forces_are_divided_by_masses_one_on_a_mapped_state_is_a_weight_only() {
    for solver in ["RungeKutta2Solver", "RungeKutta4Solver", "CentralDifferenceSolver"] {
        let text = with_mapped_mass(&format!("<{solver}/>"));
        let loaded = load_text(&text, "test.scn", &LoadOptions::default()).expect("a scene");
        let said = |d: &Diagnostic| {
            d.component.as_deref().is_some_and(|c| c.contains("second"))
                && d.message.contains("it is no inertia")
        };
        assert!(loaded.diagnostics.iter().any(said), "{solver}: {:?}", loaded.diagnostics);
        let mut simulation = simulate(&text);
        steps(&mut simulation, 1);
        close(along(&simulation, "moving", 1).1, 2.0 * G * H, 1e-14);
    }
    // Momenta would be of both masses.
    let text = with_mapped_mass("<VariationalSymplecticSolver explicitIntegration='1'/>");
    let loaded = load_text(&text, "test.scn", &LoadOptions::default()).expect("a scene");
    let refused =
        Simulation::new(loaded.scene, sequential()).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(refused.contains("second") && refused.contains("stands on a mapped state"), "{refused}");
    // A linear system has both.
    let mut simulation = simulate(&with_mapped_mass(IMPLICIT));
    steps(&mut simulation, 1);
    close(along(&simulation, "moving", 1).1, G * H, 1e-12);
}

/// As in SOFA: the acceleration before the first step is f / m of each state's own mass, whatever stands beside and below it; 0 where that
/// mass is not diagonal.
#[test]
fn newmark_begins_with_each_states_own_mass() {
    let solver = r#"<NewmarkImplicitSolver/><SparseLDLSolver/>"#;
    let mut simulation = simulate(&with_mapped_mass(solver));
    steps(&mut simulation, 1);
    close(along(&simulation, "moving", 1).1, (2.0 * G + G) / 2.0 * H, 1e-12);

    let beside = format!(
        r#"<Node name="root" dt="{H}" gravity="0 {G} 0">
            {solver}
            <Node><MechanicalObject name="point" position="0 1 0"/>{MASS}</Node>
            <Node>
                <MeshTopology name="mesh" position="0 0 0  1 0 0  0 1 0" triangles="0 1 2"/>
                <MechanicalObject name="sheet"/>
                <MeshMatrixMass totalMass="3"/>
            </Node>
        </Node>"#
    );
    let mut simulation = simulate(&beside);
    steps(&mut simulation, 1);
    close(along(&simulation, "point", 1).1, G * H, 1e-12);
    close(along(&simulation, "sheet", 1).1, G * H / 2.0, 1e-12);
}

/// Integrators that add no weight to velocities, as SOFA's, lose that of masses with `separateGravity`: it is said.
#[test]
fn weights_that_act_on_nothing_are_said() {
    for (solver, acts) in [
        ("EulerImplicitSolver", true),
        ("NewmarkImplicitSolver", true),
        ("BDFOdeSolver", false),
        ("StaticSolver", false),
        ("VariationalSymplecticSolver", false),
    ] {
        let text = format!(
            r#"<Node name="root" gravity="0 -10 0"><NewtonRaphsonSolver/><{solver}/><SparseLDLSolver/><MechanicalObject position="0 0 0"/>
            <UniformMass totalMass="1" separateGravity="1"/><RestShapeSpringsForceField stiffness="1"/></Node>"#
        );
        let said = warnings(&text).iter().any(|w| w.contains("its weight acts on nothing"));
        assert_eq!(said, !acts, "{solver}");
        let mut s = simulate(&text);
        steps(&mut s, 5);
        assert_eq!(along(&s, "", 1).0 != 0.0, acts, "{solver}");
    }
}

/// The matrix of a factorising solver does not know of points that are attached to those of another state: it is said.
#[test]
fn attachments_that_a_matrix_does_not_know_are_said() {
    let scene = |solver: &str, more: &str, second: &str| {
        format!(
            r#"<Node name="root" gravity="0 -10 0"><EulerImplicitSolver/><{solver}/>
            <Node name="a"><MechanicalObject name="s" position="0 0 0 1 0 0"/><UniformMass totalMass="2"/></Node>
            <Node name="b"><MechanicalObject name="s" position="0 1 0 1 1 0"/><UniformMass totalMass="2"/></Node>
            <AttachProjectiveConstraint object1="@a/s" object2="@{second}/s" indices1="0" indices2="1" {more}/></Node>"#
        )
    };
    let products = r#"CGLinearSolver iterations="25" tolerance="1e-9" threshold="1e-9""#;
    let assembled = r#"CGLinearSolver template="CompressedRowSparseMatrixMat3x3" iterations="25" tolerance="1e-9" threshold="1e-9""#;
    for (solver, more, second, says) in [
        ("SparseLDLSolver", "", "b", true),
        ("SparseLDLSolver", r#"twoWay="1""#, "b", true),
        ("SparseLDLSolver", "", "a", false),
        (assembled, "", "b", true),
        (products, "", "b", false),
    ] {
        let said = warnings(&scene(solver, more, second)).iter().any(|w| w.contains("the matrix of"));
        assert_eq!(said, says, "{solver} {more} {second}");
    }
}

/// Two masses on one state are both inertia, or refused: a body fell at twice or three times g.
#[test]
fn two_masses_on_a_state_fall_at_g() {
    let scene = |solver: &str, linear: &str| {
        format!(
            r#"<Node name="root" dt="0.1" gravity="0 -10 0"><{solver}/>{linear}<MechanicalObject position="0 0 0"/>
            <UniformMass totalMass="8"/><UniformMass totalMass="4"/></Node>"#
        )
    };
    let direct = "<SparseLDLSolver/>";
    for solver in ["EulerExplicitSolver", "EulerImplicitSolver"] {
        let mut s = simulate(&scene(solver, direct));
        steps(&mut s, 1);
        close(along(&s, "", 1).1, -1.0, 1e-12);
    }
    for (solver, linear, why) in [
        ("EulerExplicitSolver", "", "add a CGLinearSolver"),
        ("NewmarkImplicitSolver", direct, "put both into one"),
        ("RungeKutta4Solver", "", "put both into one"),
    ] {
        let loaded =
            load_text(&scene(solver, linear), "test.scn", &LoadOptions::default()).expect("it loads");
        let refused = Simulation::new(loaded.scene, sequential()).err().map(|e| e.to_string());
        assert!(refused.as_ref().is_some_and(|e| e.contains(why)), "{solver}: {refused:?}");
    }
}

/// Points that a mass does not reach are not moved by forces, whatever their accelerations were before.
#[test]
fn points_without_mass_keep_their_velocities() {
    let (points, frames) =
        ("0 0 0 1 0 0 2 0 0 3 0 0", "0 0 0 0 0 0 1 1 0 0 0 0 0 1 2 0 0 0 0 0 1 3 0 0 0 0 0 1");
    for (solver, template, position, mass, moves) in [
        ("EulerExplicitSolver", "Vec3", points, r#"UniformMass totalMass="8" indices="1 2""#, [1, 2, 2]),
        ("RungeKutta4Solver", "Vec3", points, r#"UniformMass totalMass="8" indices="1 2""#, [1, 2, 2]),
        ("EulerExplicitSolver", "Vec3", points, r#"DiagonalMass vertexMass="1 2 3""#, [0, 1, 2]),
        (
            "EulerExplicitSolver",
            "Rigid2",
            points,
            r#"UniformMass vertexMass="2 1 0.3" indices="1 2""#,
            [1, 2, 2],
        ),
        ("EulerExplicitSolver", "Rigid3", frames, r#"UniformMass totalMass="8" indices="1 2""#, [1, 2, 2]),
    ] {
        let force = if template == "Rigid3" { "4 0 0 0 0 0" } else { "4 0 0" };
        let text = format!(
            r#"<Node name="root" dt="0.1" gravity="0 -10 0"><{solver}/><MechanicalObject template="{template}" position="{position}"/>
            <{mass}/><ConstantForceField indices="0 1 2 3" totalForce="{force}"/></Node>"#
        );
        let mut s = simulate(&text);
        steps(&mut s, 3);
        let moved: Vec<bool> = state(&s, "").velocity.iter().map(|v| v[0] != 0.0).collect();
        assert_eq!(moved, [0, 1, 2, 3].map(|k| moves.contains(&k)), "{solver} {template} {mass}");
    }
}

/// A mass of which nothing is given weighs on what holds its points, and has no inertia: the stiffness alone resists.
#[test]
fn a_mass_that_is_not_given_weighs_and_does_not_accelerate() {
    let (h, k) = (0.01, 100.0);
    let scene = |solver: &str, held: &str| {
        format!(
            r#"<Node name="root" dt="{h}" gravity="0 {G} 0">{solver}
                <MechanicalObject position="0 0 0 1 0 0"/><UniformMass/>{held}</Node>"#
        )
    };
    let springs = format!(r#"<RestShapeSpringsForceField stiffness="{k}"/>"#);
    for linear in
        ["<SparseLDLSolver/>", r#"<CGLinearSolver iterations="20" tolerance="1e-15" threshold="0"/>"#]
    {
        let text = scene(&format!("<EulerImplicitSolver/>{linear}"), &springs);
        assert!(warnings(&text).iter().any(|w| w.contains("weighs 1 kg and has no inertia")));
        let mut s = simulate(&text);
        for _ in 0..3 {
            // h (f - h k v) = h^2 k dv: whatever it was, the velocity is that which reaches the balance at once.
            steps(&mut s, 1);
            close(along(&s, "", 1).0, G / k, 1e-12);
        }
    }
    for solver in ["EulerExplicitSolver", "RungeKutta4Solver", "CentralDifferenceSolver"] {
        let mut s = simulate(&scene(&format!("<{solver}/>"), ""));
        steps(&mut s, 3);
        assert_eq!(along(&s, "", 1), (0.0, 0.0), "{solver}");
    }
}
