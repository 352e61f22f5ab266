//! Direct solvers: the exact solution of the system of all that is coupled.

use super::support::*;
use weft::simulation::{ExecutorKind, Simulation, SimulationOptions};

/// What converges to the same, with each preconditioner.
const ITERATIVE: [&str; 8] = [
    r#"<PCGLinearSolver iterations="900" tolerance="1e-28"/>"#,
    r#"<PCGLinearSolver iterations="900" tolerance="1e-28" preconditioner="@p"/><JacobiPreconditioner name="p" exactProjection="1"/>"#,
    r#"<PCGLinearSolver iterations="900" tolerance="1e-28" preconditioner="@p"/><BlockJacobiPreconditioner name="p" exactProjection="1"/>"#,
    r#"<PCGLinearSolver iterations="900" tolerance="1e-28" preconditioner="@p"/><SSORPreconditioner name="p" omega="1.2" exactProjection="1"/>"#,
    r#"<PCGLinearSolver iterations="900" tolerance="1e-28" preconditioner="@p"/><SparseLDLSolver name="p" exactProjection="1"/>
       <PreconditionedMatrixFreeSystem assemblingRate="4"/>"#,
    r#"<PCGLinearSolver iterations="900" tolerance="1e-28" preconditioner="@p"/><AsyncSparseLDLSolver name="p" exactProjection="1"/>"#,
    r#"<PCGLinearSolver iterations="900" tolerance="1e-28" preconditioner="@p"/>
       <WarpPreconditioner name="p" linearSolver="@f"/><SparseLDLSolver name="f" exactProjection="1"/>"#,
    r#"<MinResLinearSolver iterations="900" tolerance="1e-16"/>"#,
];

const DIRECT: [&str; 7] = [
    "<SparseLDLSolver/>",
    "<EigenSimplicialLDLT/>",
    "<EigenSimplicialLLT/>",
    "<EigenSparseLU/>",
    "<EigenSparseQR/>",
    "<CholeskySolver/>",
    "<SVDLinearSolver/>",
];

const CONVERGED: &str = r#"<CGLinearSolver iterations="500" tolerance="1e-15" threshold="0"/>"#;

/// Two bars and a frame that fall onto a ball under one solver: joints between independent and mapped states, contacts whose
/// places change from step to step, and what a constraint holds.
fn heap(linear: &str) -> String {
    let bar = |name: &str, x: f64, y: f64, constraint: &str| {
        format!(
            r#"<Node name="{name}">
                <RegularGridTopology n="4 2 2" min="{x} {y} 0" max="{} {} 0.5"/>
                <MechanicalObject name="dofs"/>
                <UniformMass totalMass="2"/>
                {constraint}
                <HexahedronFEMForceField youngModulus="3000" poissonRatio="0.3" method="large"/>
                <Node name="skin">
                    <MechanicalObject name="points" position="{x} {y} 0.25  {} {y} 0.25  {} {y} 0.25"/>
                    <SphereCollisionModel radius="0.15" contactStiffness="40"/>
                    <BarycentricMapping/>
                    <UniformMass totalMass="0.3"/>
                </Node>
            </Node>"#,
            x + 1.5,
            y + 0.5,
            x + 0.75,
            x + 1.5,
        )
    };
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -9.81 0">
            <CollisionPipeline/>
            <BruteForceBroadPhase/>
            <BVHNarrowPhase/>
            <MinProximityIntersection alarmDistance="0.1" contactDistance="0.05"/>
            <CollisionResponse response="PenalityContactForceField"/>
            <EulerImplicitSolver rayleighStiffness="0.02" rayleighMass="0.1"/>
            {linear}
            {}
            {}
            <Node name="frame">
                <MechanicalObject name="dofs" template="Rigid3" position="0.2 1.6 0.3 0 0 0.1 0.99"/>
                <UniformMass totalMass="1"/>
                <Node name="points">
                    <MechanicalObject name="points" position="0 -0.2 0  0.3 0 0"/>
                    <SphereCollisionModel radius="0.15" contactStiffness="40"/>
                    <RigidMapping/>
                </Node>
            </Node>
            <SpringForceField object1="@lower/skin" object2="@frame/points" spring="2 1 60 0.4 1"/>
            <SpringForceField object1="@lower" object2="@upper" spring="3 0 60 0.4 0.5"/>
        </Node>"#,
        bar("lower", 0.0, 0.0, r#"<FixedProjectiveConstraint indices="0 4 8 12"/>"#),
        bar("upper", 0.1, 0.9, ""),
    )
}

/// The largest difference of any position.
fn apart(a: &Simulation, b: &Simulation) -> f64 {
    let numbers =
        |s: &Simulation| -> Vec<f64> { s.states().into_iter().flat_map(|s| s.position).flatten().collect() };
    numbers(a).into_iter().zip(numbers(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// SOFA's misplaced blocks apart, a direct solver and a converged conjugate gradient have one system and one solution.
#[test]
fn every_direct_solver_has_the_solution_of_a_converged_conjugate_gradient() {
    let mut wanted = simulate(&heap(CONVERGED));
    let mut contacts = 0;
    for _ in 0..60 {
        contacts += steps(&mut wanted, 1).expect("a step").contacts;
    }
    assert!(contacts > 20, "{contacts} contacts are too few to show anything");
    for linear in DIRECT {
        let exact = linear.replace("/>", r#" exactProjection="1"/>"#);
        let mut found = simulate(&heap(&exact));
        steps(&mut found, 60);
        assert!(apart(&found, &wanted) < 1e-8, "{linear}: {:e} apart", apart(&found, &wanted));
    }
}

/// Preconditioners change iterations, not solutions.
#[test]
fn every_iterative_solver_converges_to_that_solution() {
    let mut wanted = simulate(&heap(CONVERGED));
    steps(&mut wanted, 60);
    let mut iterations = Vec::new();
    for linear in ITERATIVE {
        let mut found = simulate(&heap(linear));
        let last = steps(&mut found, 60).expect("a step");
        assert!(apart(&found, &wanted) < 1e-7, "{linear}: {:e} apart", apart(&found, &wanted));
        iterations.push(last.cg_iterations[0]);
    }
    let [none, jacobi, blocks, sweep, old, _, factors, _] = iterations[..] else { panic!("{iterations:?}") };
    assert!(factors <= 2, "its own factors leave nothing to do: {iterations:?}");
    assert!(sweep < blocks && sweep < jacobi && old < none, "{iterations:?}");
}

/// A plane that points stay in clears no rows of a matrix: what a preconditioner is made of does not know of it.
#[test]
fn no_preconditioner_leaves_what_constraints_allow() {
    let within = |linear: &str| {
        let held = r#"<FixedProjectiveConstraint indices="0 4 8 12"/>"#;
        let plane = r#"<PlaneProjectiveConstraint indices="0 4 8 12" normal="0.6 0.8 0"/>"#;
        let text = heap(linear);
        assert!(text.contains(held));
        let mut s = simulate(&text.replace(held, plane));
        steps(&mut s, 20);
        s
    };
    let wanted = within(CONVERGED);
    for linear in ITERATIVE {
        let found = within(linear);
        assert!(apart(&found, &wanted) < 1e-7, "{linear}: {:e} apart", apart(&found, &wanted));
    }
}

/// Contacts come and go, and with them patterns: all executors have the same bits.
#[test]
fn no_executor_changes_a_bit() {
    for linear in [
        "<SparseLDLSolver/>",
        "<AsyncSparseLDLSolver delay=\"3\"/>",
        ITERATIVE[3],
        ITERATIVE[4],
        ITERATIVE[7],
    ] {
        changes_no_bit(linear);
    }
}

fn changes_no_bit(linear: &str) {
    let text = heap(linear);
    let mut one = simulate(&text);
    steps(&mut one, 60);
    let hash = one.state_hash().expect("finite");
    for executor in [ExecutorKind::Replay, ExecutorKind::ForkJoin, ExecutorKind::Stealing] {
        let mut other =
            simulate_with(&text, SimulationOptions { executor, threads: 2, pin: false, ..sequential() });
        steps(&mut other, 60);
        assert_eq!(other.state_hash().expect("finite"), hash, "{executor:?} {linear}");
    }
}

/// Factors that serve for longer are those of all that the solver moves: a contact that comes finds the matrix of before, and a
/// limp spring that couples the bodies from the beginning changes nothing.
#[test]
fn older_factors_know_nothing_of_contacts_that_came_since() {
    let scene = |linear: &str, spring: &str| {
        format!(
            r#"<Node name="root" dt="0.01" gravity="0 0 0">
                <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
                <DiscreteIntersection/><CollisionResponse response="PenalityContactForceField"/>
                <EulerImplicitSolver rayleighStiffness="0.1"/>
                {linear}
                <Node name="left">
                    <MechanicalObject name="dofs" position="0 0 0" velocity="1 0 0"/>
                    <UniformMass vertexMass="1"/>
                    <SphereCollisionModel radius="0.5" contactStiffness="100"/>
                </Node>
                <Node name="right">
                    <MechanicalObject name="dofs" position="1.055 0.1 0" velocity="-1 0 0"/>
                    <UniformMass vertexMass="2"/>
                    <SphereCollisionModel radius="0.5" contactStiffness="100"/>
                </Node>
                {spring}
            </Node>"#
        )
    };
    let limp = r#"<SpringForceField object1="@left/dofs" object2="@right/dofs" spring="0 0 0 0 1"/>"#;
    let run = |linear: &str, spring: &str| {
        let mut s = simulate(&scene(linear, spring));
        steps(&mut s, 30);
        s
    };
    for linear in ["<AsyncSparseLDLSolver delay=\"7\"/>", "<PrecomputedLinearSolver/>"] {
        let (apart_from_the_beginning, coupled) = (run(linear, ""), run(linear, limp));
        let apart_by = apart(&apart_from_the_beginning, &coupled);
        assert!(apart_by < 1e-12, "{linear}: {apart_by:e} apart");
        let present = apart(&run("<SparseLDLSolver/>", ""), &coupled);
        assert!(present > 1e-4, "the bodies touch, and an older matrix is not the present one: {present:e}");
    }
}

/// Nothing that a solver cannot factorise is passed over in silence.
#[test]
fn a_matrix_without_factors_fails_the_step_and_says_why() {
    let scene = |linear: &str, mass: &str| {
        format!(
            r#"<Node name="root" dt="0.1" gravity="0 -9.81 0">
                <EulerImplicitSolver/>
                {linear}
                <MechanicalObject name="points" position="0 0 0  1 0 0"/>
                {mass}
            </Node>"#
        )
    };
    let fails = |linear: &str, mass: &str, words: &str| {
        let mut s = simulate(&scene(linear, mass));
        let before = s.state_hash().expect("finite");
        let failure = s.step().expect_err("it has no solution");
        assert!(failure.to_string().contains(words), "{linear}: {failure}");
        assert!(failure.component.contains("root") || failure.component.starts_with('/'), "{failure}");
        assert_eq!(s.state_hash().expect("finite"), before);
    };
    let massless = r#"<ConstantForceField forces="0 1 0" indices="0"/>"#;
    for linear in ["<SparseLDLSolver/>", "<EigenSparseLU/>", "<BTDLinearSolver/>", "<JacobiPreconditioner/>"]
    {
        fails(linear, massless, "singular");
    }
    // Points 0 and 4 are in blocks that are not beside each other.
    let chord = r#"<UniformMass vertexMass="1"/><SpringForceField spring="0 4 10 0 1"/>"#;
    let more = "0 0 0  1 0 0  2 0 0  3 0 0  4 0 0  5 0 0";
    let mut s = simulate(&scene("<BTDLinearSolver/>", chord).replace("0 0 0  1 0 0", more));
    let failure = s.step().expect_err("its matrix is not block tridiagonal");
    assert!(failure.to_string().contains("not block tridiagonal"), "{failure}");
    let near = chord.replace("0 4 10", "0 2 10");
    let run = |linear: &str| {
        let mut s = simulate(&scene(linear, &near).replace("0 0 0  1 0 0", more));
        steps(&mut s, 5);
        s
    };
    assert!(apart(&run("<BTDLinearSolver/>"), &run("<SparseLDLSolver/>")) < 1e-12);
    // A spring that is pressed together pushes sideways: its stiffness is negative there, and stronger than the mass.
    let pressed = r#"<UniformMass vertexMass="0.001"/><SpringForceField spring="0 1 1000 0 5"/>"#;
    for linear in ["<EigenSimplicialLLT/>", "<CholeskySolver/>"] {
        fails(linear, pressed, "not positive definite");
    }
    let mut symmetric = simulate(&scene("<SparseLDLSolver/>", pressed));
    symmetric.step().expect("an indefinite matrix has factors L D L^T");
}

/// Rows of what nothing holds are left out of a pseudoinverse.
#[test]
fn singular_values_leave_out_what_has_no_mass() {
    let text = r#"<Node name="root" dt="0.1" gravity="0 -10 0">
        <EulerImplicitSolver/>
        <SVDLinearSolver minSingularValue="1e-6"/>
        <Node name="heavy"><MechanicalObject name="dofs"/><UniformMass vertexMass="2"/></Node>
        <Node name="light"><MechanicalObject name="dofs"/><UniformMass vertexMass="1e-9"/></Node>
    </Node>"#;
    let mut s = simulate(text);
    steps(&mut s, 1);
    close(along(&s, "heavy", 1).1, -1.0, 1e-14);
    close(along(&s, "light", 1).1, 0.0, 1e-14);
}

/// SOFA's masses of hexahedra are indefinite: a vertex weighs less than its edges take. L D L^T without pivots loses most digits.
#[test]
fn an_indefinite_matrix_is_solved_as_by_orthogonal_factors() {
    let bar = |linear: &str| {
        format!(
            r#"<Node name="root" dt="1e-5" gravity="0 -9.81 0">
                <Node name="bar">
                    <EulerExplicitSolver symplectic="0"/>
                    {linear}
                    <RegularGridTopology name="grid" n="4 4 11" min="-1.5 -1.5 0" max="1.5 1.5 10"/>
                    <MechanicalObject name="dofs"/>
                    <MeshMatrixMass totalMass="15"/>
                    <FixedProjectiveConstraint indices="0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"/>
                    <MeshSpringForceField stiffness="300"/>
                </Node>
            </Node>"#
        )
    };
    let velocities = |linear: &str| {
        let mut s = simulate(&bar(linear));
        steps(&mut s, 20);
        state(&s, "bar").velocity
    };
    let (ldl, qr) = (velocities("<SparseLDLSolver/>"), velocities("<EigenSparseQR/>"));
    let largest = ldl.iter().flatten().fold(0.0f64, |l, v| l.max(v.abs()));
    let apart = ldl.iter().flatten().zip(qr.iter().flatten()).fold(0.0f64, |d, (a, b)| d.max((a - b).abs()));
    assert!(largest > 1e-3 && apart < 1e-11 * largest, "{apart:e} of {largest:e}");
}
