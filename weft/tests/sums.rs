//! Ways to sum dot products, which differ in last bits and in nothing else.

use engine::graph::Sums;
use scenes::load::{LoadOptions, load_text};
use weft::simulation::{ExecutorKind, Simulation, SimulationOptions};

/// A bar that bends; `solver` moves it.
fn bar(solver: &str) -> String {
    format!(
        "<Node name='root' dt='0.01' gravity='0.3 -9.81 0.5'><DefaultAnimationLoop/><Node name='bar'>{solver}
            <RegularGridTopology n='2 2 4' min='0 0 0' max='1 1 3'/><MechanicalObject name='dofs'/>
            <UniformMass totalMass='2'/><FixedProjectiveConstraint indices='0 1 2 3'/>
            <HexahedronFEMForceField youngModulus='2000' poissonRatio='0.3'/></Node></Node>"
    )
}

/// Iterations of Newton's method in each step, and where the bar is after the last one.
fn course(solver: &str, sums: Sums) -> (Vec<Vec<u32>>, Vec<f64>) {
    let loaded = load_text(&bar(solver), "bar.scn", &LoadOptions::default()).expect("it loads");
    let options = SimulationOptions {
        executor: ExecutorKind::Sequential,
        sums,
        pin: false,
        ..SimulationOptions::default()
    };
    let mut s = Simulation::new(loaded.scene, options).expect("it can be simulated");
    let iterations = (0..8).map(|_| s.step().expect("a step").cg_iterations).collect();
    (iterations, s.states()[0].position.iter().flatten().copied().collect())
}

/// Newton's method compares the size of a step with that of the estimate before it, which has changed by then.
#[test]
fn newtons_method_ends_where_it_ends_with_any_sums() {
    let newton = "<NewtonRaphsonSolver maxNbIterationsNewton='9' absoluteResidualStoppingThreshold='0' relativeSuccessiveStoppingThreshold='0'
        relativeInitialStoppingThreshold='0' relativeEstimateDifferenceThreshold='1e-4'/>";
    for solver in [
        "<VariationalSymplecticSolver newtonError='1e-6' steps='9'/><SparseLDLSolver/>".to_owned(),
        format!("<StaticSolver/>{newton}<SparseLDLSolver/>"),
        format!("<BDFOdeSolver order='1'/>{newton}<SparseLDLSolver/>"),
    ] {
        let (iterations, x) = course(&solver, Sums::Blocked);
        let (found, y) = course(&solver, Sums::Sofa);
        assert!(iterations.iter().flatten().all(|n| (1..9).contains(n)), "{solver}: {iterations:?}");
        assert_eq!(found, iterations, "{solver}");
        let apart = x.iter().zip(&y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{solver}: {apart:e}");
    }
}
