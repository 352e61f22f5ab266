//! Linear solvers.

use super::support::*;
use weft::simulation::{ExecutorKind, Simulation, SimulationOptions};

/// A bar, bent and stretched at the start, with a given linear solver.
fn bar(linear: &str) -> String {
    format!(
        r#"<Node name="root" dt="0.02" gravity="0 -9.81 0">
            <EulerImplicitSolver rayleighStiffness="0.02" rayleighMass="0.1"/>
            {linear}
            <RegularGridTopology n="9 3 3" min="0 0 0" max="4 1 1"/>
            <MechanicalObject name="bar"/>
            <UniformMass totalMass="4"/>
            <BoxROI name="end" box="-0.01 -1 -1 0.01 2 2"/>
            <FixedProjectiveConstraint indices="@end.indices"/>
            <HexahedronFEMForceField youngModulus="8000" poissonRatio="0.3" method="large"/>
        </Node>"#
    )
}

fn tight(extra: &str) -> String {
    format!(r#"<CGLinearSolver iterations="300" tolerance="1e-13" threshold="0" {extra}/>"#)
}

fn run(text: &str, n: usize) -> (Simulation, u32) {
    let mut simulation = simulate(text);
    let mut iterations = 0;
    for _ in 0..n {
        let report = steps(&mut simulation, 1).expect("a step");
        iterations += report.cg_iterations.iter().sum::<u32>();
    }
    (simulation, iterations)
}

fn same(a: &Simulation, b: &Simulation, part: &str, tolerance: f64) {
    let (a, b) = (state(a, part), state(b, part));
    for (a, b) in a.position.iter().zip(&b.position) {
        a.iter().zip(b).for_each(|(a, b)| close(*a, *b, tolerance));
    }
}

/// The matrix of blocks and the components' own products are one operator.
#[test]
fn the_assembled_matrix_is_the_matrix_free_operator() {
    let (free, free_iterations) = run(&bar(&tight("")), 50);
    let (assembled, iterations) = run(&bar(&tight(r#"template="CompressedRowSparseMatrixMat3x3""#)), 50);
    same(&assembled, &free, "bar", 1e-10);
    assert!(iterations.abs_diff(free_iterations) <= 50, "{iterations} {free_iterations}");
}

/// Started from the previous solution, it ends at the same one.
#[test]
fn a_warm_start_changes_the_way_and_not_the_end() {
    let (cold, _) = run(&bar(&tight("")), 50);
    let (warm, _) = run(&bar(&tight(r#"warmStart="1""#)), 50);
    same(&warm, &cold, "bar", 1e-9);
    // Where the solution hardly changes from step to step it pays: here, at a coarse tolerance, as the bar comes to rest.
    let loose =
        |extra: &str| format!(r#"<CGLinearSolver iterations="300" tolerance="1e-3" threshold="0" {extra}/>"#);
    let (_, cold) = run(&bar(&loose("")), 100);
    let (_, warm) = run(&bar(&loose(r#"warmStart="1""#)), 100);
    assert!(warm < cold, "{warm} iterations instead of {cold}");
}

/// In exact arithmetic the conjugate gradient ends after as many iterations as the matrix has eigenvalues.
///
/// **Source:** Hestenes, Stiefel 1952.
#[test]
fn it_ends_after_as_many_iterations_as_there_are_eigenvalues() {
    // Three planes of different stiffness, one point each way: M + h^2 K has the eigenvalues of the three axes.
    let text = r#"<Node name="root" dt="0.1" gravity="0 0 0">
        <EulerImplicitSolver/>
        <CGLinearSolver iterations="100" tolerance="1e-12" threshold="0"/>
        <MechanicalObject name="points" position="1 2 3  -2 1 0.5  3 3 -1"/>
        <UniformMass vertexMass="1"/>
        <PlaneForceField normal="1 0 0" stiffness="10" damping="0" bilateral="1"/>
        <PlaneForceField normal="0 1 0" stiffness="200" damping="0" bilateral="1"/>
        <PlaneForceField normal="0 0 1" stiffness="3000" damping="0" bilateral="1"/>
    </Node>"#;
    let mut simulation = simulate(text);
    for _ in 0..5 {
        let report = steps(&mut simulation, 1).expect("a step");
        assert_eq!(report.cg_iterations, [3]);
        assert!(report.linear_iterations.is_empty(), "one system a step");
    }
    // Within Newton's method, whose iterations are those that are counted first.
    let newton = r#"<NewtonRaphsonSolver maxNbIterationsNewton="4" absoluteResidualStoppingThreshold="1e-8"/><StaticSolver/>"#;
    let mut simulation = simulate(&text.replace("<EulerImplicitSolver/>", newton));
    let report = steps(&mut simulation, 1).expect("a step");
    assert_eq!((&report.cg_iterations[..], &report.linear_iterations[..]), (&[1][..], &[3][..]));
}

/// SOFA's stopping rules: at most `iterations`; |r|/|b| at most `tolerance`; |p.Ap| at most the absolute `threshold`, which
/// can keep a body from moving at all. In the very first iteration of the first step neither test counts.
#[test]
fn it_stops_as_sofa_does() {
    let point = |linear: &str| {
        format!(
            r#"<Node name="root" dt="0.01" gravity="0 -1 0">
                <EulerImplicitSolver/>{linear}
                <MechanicalObject name="point"/>
                <UniformMass vertexMass="1"/>
            </Node>"#
        )
    };
    // p.Ap = (h m g)^2 m = 1e-4 stays below the threshold: only the first step moves.
    let (stuck, _) = run(&point(r#"<CGLinearSolver tolerance="0" threshold="1e-3"/>"#), 10);
    close(along(&stuck, "point", 1).1, -0.01, 1e-15);
    let (falling, _) = run(&point(r#"<CGLinearSolver tolerance="0" threshold="1e-5"/>"#), 10);
    close(along(&falling, "point", 1).1, -0.1, 1e-14);
    let (_, iterations) = run(&bar(r#"<CGLinearSolver iterations="7" tolerance="0" threshold="0"/>"#), 10);
    assert_eq!(iterations, 70);
}

fn pair(one_solver: bool) -> String {
    let solver = format!(r#"<EulerImplicitSolver/>{}"#, tight(""));
    let (outer, inner) = if one_solver { (&*solver, "") } else { ("", &*solver) };
    let body = |name: &str, young: f64| {
        format!(
            r#"<Node name="{name}">{inner}
                <RegularGridTopology n="4 3 3" min="0 0 0" max="2 1 1"/>
                <MechanicalObject name="dofs"/>
                <UniformMass totalMass="4"/>
                <BoxROI name="end" box="-0.01 -1 -1 0.01 2 2"/>
                <FixedProjectiveConstraint indices="@end.indices"/>
                <HexahedronFEMForceField youngModulus="{young}" poissonRatio="0.3"/>
            </Node>"#
        )
    };
    format!(
        r#"<Node name="root" dt="0.02" gravity="0 -9.81 0">{outer}{}{}</Node>"#,
        body("soft", 1000.0),
        body("hard", 9000.0)
    )
}

/// Objects under one solver share one conjugate gradient, and move as under one solver each.
#[test]
fn objects_under_one_solver_share_one_conjugate_gradient() {
    let (mut together, mut apart) = (simulate(&pair(true)), simulate(&pair(false)));
    for _ in 0..30 {
        let report = steps(&mut together, 1).expect("a step");
        assert_eq!((report.groups, report.cg_iterations.len()), (1, 1));
        let report = steps(&mut apart, 1).expect("a step");
        assert_eq!((report.groups, report.cg_iterations.len()), (2, 2));
    }
    same(&together, &apart, "soft", 1e-9);
    same(&together, &apart, "hard", 1e-9);
}

/// Fixed points keep their bits.
#[test]
fn fixed_points_do_not_move() {
    let (simulation, _) = run(&bar(&tight("")), 20);
    let points = state(&simulation, "bar");
    let mut n = 0;
    for (x, v) in points.position.iter().zip(&points.velocity).filter(|(x, _)| x[0] == 0.0) {
        assert_eq!(*v, [0.0; 3]);
        assert!(x[1] * 2.0 == (x[1] * 2.0).round() && x[2] * 2.0 == (x[2] * 2.0).round());
        n += 1;
    }
    assert_eq!(n, 9);
}

/// A bar that lands, on points that follow it, on a triangle that no solver moves.
fn landing(linear: &str) -> String {
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -9.81 0">
            <CollisionPipeline/>
            <BruteForceBroadPhase/>
            <BVHNarrowPhase/>
            <MinProximityIntersection alarmDistance="0.1" contactDistance="0.05"/>
            <CollisionResponse response="PenalityContactForceField"/>
            <Node name="body">
                <EulerImplicitSolver rayleighStiffness="0.02" rayleighMass="0.1"/>
                {linear}
                <RegularGridTopology n="4 2 2" min="0 0 0" max="1.5 0.5 0.5"/>
                <MechanicalObject name="bar"/>
                <UniformMass totalMass="2"/>
                <FixedProjectiveConstraint indices="0 4 8 12"/>
                <HexahedronFEMForceField youngModulus="3000" poissonRatio="0.3" method="large"/>
                <Node name="skin">
                    <MechanicalObject name="points" position="0.6 0 0.2  1.5 0 0.1  1.2 0 0.4  1.4 0 0.3"/>
                    <PointCollisionModel contactStiffness="5"/>
                    <BarycentricMapping/>
                </Node>
            </Node>
            <Node name="floor">
                <MechanicalObject name="points" position="-9 -0.1 9  9 -0.1 9  0 -0.1 -9"/>
                <MeshTopology triangles="0 1 2"/>
                <TriangleCollisionModel simulated="0" moving="0" contactStiffness="2"/>
            </Node>
        </Node>"#
    )
}

/// Blocks between points and what the solver does not move are where SOFA's matrix has them, whoever makes products with it; who
/// wants the right matrix has that of the components' own products.
#[test]
fn a_floor_leaves_blocks_in_an_assembled_matrix() {
    let simulated = |linear: &str| {
        let mut s = simulate(&landing(linear));
        let mut contacts = 0;
        for _ in 0..60 {
            contacts += steps(&mut s, 1).expect("a step").contacts;
        }
        assert!(contacts > 20, "{contacts} contacts are too few to show anything");
        s
    };
    let factors = simulated("<SparseLDLSolver/>");
    let products = simulated(&tight(r#"template="CompressedRowSparseMatrixMat3x3""#));
    same(&products, &factors, "bar", 1e-8);
    let exact = simulated(r#"<SparseLDLSolver exactProjection="1"/>"#);
    same(&exact, &simulated(&tight("")), "bar", 1e-8);
    let apart = (state(&exact, "bar").position[3][1] - state(&factors, "bar").position[3][1]).abs();
    assert!(apart > 1e-7, "the blocks change nothing: {apart:e}");
}

/// Of two integrators in a node each takes a whole time step, one after the other: twice as many steps as one takes, with the same bits
/// on any number of workers.
#[test]
fn two_integrators_of_a_node_step_one_after_the_other() {
    let one = bar(&tight(""));
    let first = r#"<EulerImplicitSolver rayleighStiffness="0.02" rayleighMass="0.1"/>"#;
    assert!(one.contains(first));
    let two = one.replace(first, &format!("{first}{}", first.replace("/>", r#" name="again"/>"#)));
    let (one, _) = run(&one, 20);
    let (both, _) = run(&two, 10);
    assert_eq!(state(&both, "bar").position, state(&one, "bar").position);
    assert_eq!(state(&both, "bar").velocity, state(&one, "bar").velocity);
    for executor in [ExecutorKind::Replay, ExecutorKind::Stealing] {
        let options = SimulationOptions { executor, threads: 2, pin: false, ..sequential() };
        let mut other = simulate_with(&two, options);
        steps(&mut other, 10);
        assert_eq!(other.state_hash().expect("finite"), both.state_hash().expect("finite"), "{executor:?}");
    }
}

/// A second integrator is refused where it would go on from what is not up to date, or both keep something of their own.
#[test]
fn a_second_integrator_is_refused_where_it_cannot_go_on() {
    let refused = |text: &str| {
        let loaded = scenes::load::load_text(text, "test.scn", &scenes::load::LoadOptions::default());
        match loaded {
            Ok(loaded) => Simulation::new(loaded.scene, sequential()).err().map(|e| e.to_string()),
            Err(e) => Some(format!("{:?}", e.diagnostics)),
        }
        .unwrap_or_default()
    };
    let again = |text: &str, ode: &str| {
        text.replacen("<EulerImplicitSolver", &format!("<{ode}/><EulerImplicitSolver"), 1)
    };
    let mapped = refused(&again(&landing("<SparseLDLSolver/>"), r#"EulerImplicitSolver name="before""#));
    assert!(mapped.contains("mapped states"), "{mapped}");
    let both = bar(&tight("")).replacen(
        "<EulerImplicitSolver",
        "<NewmarkImplicitSolver name=\"one\"/><NewmarkImplicitSolver",
        1,
    );
    let both = refused(&both);
    assert!(both.contains("both keep"), "{both}");
}

/// SOFA's tests are skipped once in the life of a solver. With a tolerance that is met at once, the first of Newton's iterations of the
/// first step makes one iteration of the conjugate gradient, and the others none.
#[test]
fn only_the_first_solution_of_all_is_exempt_from_tests() {
    let chain = |n: u32, tests: &str| {
        format!(
            r#"<Node name="root" dt="1" gravity="0 -1 0"><StaticSolver newton_iterations="{n}"/>
            <CGLinearSolver iterations="50" {tests}/>
            <MechanicalObject name="chain" position="0 0 0  1 0 0  2 0 0  3 0 0"/><UniformMass vertexMass="1"/>
            <FixedProjectiveConstraint indices="0"/>
            <SpringForceField spring="0 1 80 0 0.5  1 2 60 0 0.5  2 3 40 0 0.5"/></Node>"#
        )
    };
    for tests in [r#"tolerance="2" threshold="0""#, r#"tolerance="1e-12" threshold="1e9""#] {
        let (once, _) = run(&chain(1, tests), 1);
        let (often, _) = run(&chain(6, tests), 1);
        assert!(state(&once, "chain").position[3][1] < -1e-3, "it moved");
        same(&often, &once, "chain", 0.0);
        let (later, _) = run(&chain(6, tests), 3);
        same(&later, &once, "chain", 0.0);
    }
}
