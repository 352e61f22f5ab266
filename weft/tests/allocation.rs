//! No allocation in a replayed step without contact changes: a counting allocator, on all threads, under the two executors that keep an
//! order (`stealing` keeps none, and allocates where its queues meet).
//!
//! With several workers, one step in 64 weighs whether objects should move to another worker; that is planning, and allocates.
//!
//! A program of its own without the test harness, so that nothing else allocates meanwhile.

#[path = "../../engine/tests/support/counting.rs"]
mod counting;

use scenes::load::{LoadOptions, load_text};
use weft::live::{Beginning, Live};
use weft::simulation::{
    AccumulateMode, EnergyMeter, ExecutorKind, PlanChange, REBALANCE_AT, REBALANCE_EVERY, Simulation,
    SimulationOptions, StepReport,
};

use counting::counted;

/// Every kind of component that takes part in a step; the boxes rest on the floor and on each other.
const SCENE: &str = r#"<Node name="root" dt="0.01" gravity="0 -9.81 0">
    <DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
    <NewProximityIntersection alarmDistance="0.1" contactDistance="0.05"/>
    <CollisionResponse response="PenalityContactForceField"/><CollisionGroupManager/>
    <MeshOBJLoader name="mesh" filename="generated:box?nx=2&amp;ny=2&amp;nz=2"/>
    <Node name="floor">
        <MeshOBJLoader name="loader" filename="generated:box?x=6&amp;y=1&amp;z=6&amp;nx=6&amp;ny=1&amp;nz=6" translation="0 -0.5 0"/>
        <MeshTopology src="@loader"/>
        <MechanicalObject src="@loader"/>
        <TriangleCollisionModel simulated="0" moving="0" contactStiffness="30"/>
    </Node>
    <Node name="rigid">
        <EulerImplicitSolver rayleighStiffness="0.05" rayleighMass="5"/>
        <CGLinearSolver iterations="30" tolerance="1e-8" threshold="1e-12"/>
        <MechanicalObject template="Rigid3" position="0 0.53 0 0 0 0 1"/>
        <UniformMass totalMass="1"/>
        <Node name="surface">
            <MeshTopology src="@/mesh"/>
            <MechanicalObject src="@/mesh"/>
            <TriangleCollisionModel contactStiffness="30"/>
            <RigidMapping/>
        </Node>
    </Node>
    <Node name="soft">
        <EulerImplicitSolver rayleighStiffness="0.05" rayleighMass="5"/>
        <CGLinearSolver iterations="30" tolerance="1e-8" threshold="1e-12"/>
        <RegularGridTopology n="3 3 3" min="-0.5 -0.5 -0.5" max="0.5 0.5 0.5"/>
        <MechanicalObject translation="0.05 1.55 0"/>
        <UniformMass totalMass="1"/>
        <HexahedronFEMForceField youngModulus="5000" poissonRatio="0.3"/>
        <Node name="surface">
            <MeshTopology src="@/mesh"/>
            <MechanicalObject src="@/mesh"/>
            <TriangleCollisionModel contactStiffness="30"/>
            <BarycentricMapping/>
        </Node>
    </Node>
    <Node name="crate">
        <EulerImplicitSolver rayleighStiffness="0.05" rayleighMass="5"/>
        <CGLinearSolver iterations="30" tolerance="1e-8" threshold="1e-12"/>
        <MechanicalObject template="Rigid3" position="2 0.34 0 0 0 0 1"/>
        <UniformMass totalMass="1"/>
        <OBBCollisionModel extents="0.5 0.3 0.5" contactStiffness="30"/>
    </Node>
    <Node name="barrel">
        <EulerImplicitSolver rayleighStiffness="0.05" rayleighMass="5"/>
        <CGLinearSolver iterations="30" tolerance="1e-8" threshold="1e-12"/>
        <MechanicalObject template="Rigid3" position="2 1.18 0 0 0 0 1"/>
        <UniformMass totalMass="1"/>
        <CylinderCollisionModel radii="0.3" heights="1" contactStiffness="30"/>
    </Node>
    <Node name="bars">
        <EulerImplicitSolver rayleighStiffness="0.05" rayleighMass="0.1"/>
        <CGLinearSolver iterations="30" tolerance="1e-8" threshold="1e-12" warmStart="1"/>
        <Node name="springs">
            <RegularGridTopology n="5 2 2" min="5 0 0" max="9 1 1"/>
            <MechanicalObject name="dofs"/>
            <UniformMass totalMass="1"/>
            <FixedProjectiveConstraint indices="0 5 10 15"/>
            <RegularGridSpringForceField stiffness="200" damping="1"/>
        </Node>
        <Node name="free">
            <MechanicalObject name="dofs" position="10 0 0  10 1 0"/>
            <UniformMass totalMass="0.1"/>
            <PlaneForceField normal="0 1 0" d="-3"/>
        </Node>
        <SpringForceField object1="@springs/dofs" object2="@free/dofs" spring="4 0 20 1 1  9 1 20 1 1"/>
    </Node>
    <Node name="tetrahedra">
        <EulerImplicitSolver rayleighStiffness="0.05" rayleighMass="0.1"/>
        <CGLinearSolver template="CompressedRowSparseMatrixMat3x3" iterations="30" tolerance="1e-8" threshold="1e-12"/>
        <RegularGridTopology n="4 2 2" min="0 5 0" max="3 6 1"/>
        <MechanicalObject/>
        <DiagonalMass massDensity="1"/>
        <FixedProjectiveConstraint indices="0 4 8 12"/>
        <TetrahedronFEMForceField youngModulus="5000" poissonRatio="0.3" method="polar"/>
    </Node>
    <Node name="exact">
        <RungeKutta4Solver/>
        <MechanicalObject position="20 0 0"/>
        <UniformMass totalMass="1"/>
        <ConstantForceField indices="0" forces="0 9.81 0"/>
    </Node>
</Node>"#;

/// Linear solvers that make factors, or what takes their place, in each step or now and then.
const FACTORS: [&str; 11] = [
    "<SparseLDLSolver/>",
    "<EigenSimplicialLDLT/>",
    "<EigenSimplicialLLT/>",
    "<EigenSparseLU/>",
    "<EigenSparseQR/>",
    "<CholeskySolver/>",
    "<SVDLinearSolver/>",
    "<AsyncSparseLDLSolver delay='4'/>",
    "<PCGLinearSolver preconditioner='@with' iterations='20' tolerance='1e-9'/><JacobiPreconditioner name='with'/>",
    "<PCGLinearSolver preconditioner='@with' iterations='20' tolerance='1e-9'/><BlockJacobiPreconditioner name='with'/>",
    "<PCGLinearSolver preconditioner='@with' iterations='20' tolerance='1e-9'/><SSORPreconditioner name='with'/>",
];

fn main() {
    factors_allocate_nothing();
    a_replayed_step_allocates_nothing();
    publishing_allocates_nothing();
    println!("a replayed step allocates nothing, nor does publishing it");
}

/// A hanging bar of springs.
const BAR: &str = r#"<RegularGridTopology n="4 2 2" min="0 0 0" max="3 1 1"/>
    <MechanicalObject/><UniformMass totalMass="1"/><FixedProjectiveConstraint indices="0 4 8 12"/>
    <RegularGridSpringForceField stiffness="200" damping="1"/>"#;
/// A hanging wire of beams, whose matrix is block tridiagonal.
const WIRE: &str = r#"<EdgeSetTopologyContainer position="0 0 0  1 0 0  2 0 0" edges="0 1  1 2"/>
    <MechanicalObject template="Rigid3" position="0 0 0 0 0 0 1  1 0 0 0 0 0 1  2 0 0 0 0 0 1"/>
    <UniformMass totalMass="1"/><FixedProjectiveConstraint indices="0"/>
    <BeamFEMForceField radius="0.1" youngModulus="1e5" poissonRatio="0.3"/>"#;

/// A bar that is held twice at one point, so that rows of its constraints depend on each other.
const HELD_TWICE: &str = r#"<FreeMotionAnimationLoop/>
    <BlockGaussSeidelConstraintSolver tolerance="1e-10" regularizationTerm="0.001" useSVDForRegularization="1"/>
    <Node name="bar">
        <EulerImplicitSolver rayleighStiffness="0.05" rayleighMass="0.1"/><SparseLDLSolver/>
        <RegularGridTopology n="4 2 2" min="0 0 0" max="3 1 1"/>
        <MechanicalObject/><UniformMass totalMass="1"/>
        <RegularGridSpringForceField stiffness="200" damping="1"/>
        <FixedLagrangianConstraint indices="0 4"/><FixedLagrangianConstraint indices="0"/>
        <LinearSolverConstraintCorrection/>
    </Node>"#;

fn factors_allocate_nothing() {
    let body = |(solver, body): (&str, &str)| {
        format!(r#"<EulerImplicitSolver rayleighStiffness="0.05" rayleighMass="0.1"/>{solver}{body}"#)
    };
    let bodies = FACTORS.map(|f| (f, BAR)).into_iter();
    let bodies = bodies.chain([("<BTDLinearSolver template='BTDMatrix6d'/>", WIRE)]);
    for solver in bodies.map(body).chain([HELD_TWICE.to_owned()]) {
        let text = format!(r#"<Node dt="0.01" gravity="0 -9.81 0">{solver}</Node>"#);
        for executor in [ExecutorKind::Sequential, ExecutorKind::Replay] {
            let options =
                SimulationOptions { executor, threads: 1, pin: false, adapt: false, ..Default::default() };
            let loaded =
                load_text(&text, "factors.scn", &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
            let mut simulation = Simulation::new(loaded.scene, options).unwrap_or_else(|e| panic!("{e}"));
            let mut report = StepReport::default();
            for step in 0..60 {
                let (result, count) = counted(|| simulation.step_into(&mut report));
                result.unwrap_or_else(|f| panic!("{solver}: {f}"));
                assert!(
                    step < 20 || count == 0,
                    "{solver}, {executor:?}: {count} allocations in step {step}"
                );
            }
        }
    }
}

fn a_replayed_step_allocates_nothing() {
    let sequential =
        SimulationOptions { executor: ExecutorKind::Sequential, pin: false, ..SimulationOptions::default() };
    let mut all = vec![(sequential.clone(), false)];
    for (threads, accumulate) in
        [(1, AccumulateMode::Auto), (2, AccumulateMode::Mirror), (2, AccumulateMode::Reduce)]
    {
        let executor = ExecutorKind::Replay;
        let options = SimulationOptions { executor, threads, accumulate, adapt: false, ..sequential.clone() };
        all.push((options, false));
    }
    // Where a team rests, a plan is laid out for one thread: once, unless objects have moved meanwhile.
    let resting =
        all.last().map(|(options, _)| (SimulationOptions { adapt: true, ..options.clone() }, false));
    all.extend(resting);
    // Observed steps note more when workers wait more, which depends on what else the machine does, so that the notes' memory
    // may grow now and then, to the double; not in every step.
    let observed = all.last().map(|(options, _)| (options.clone(), true));
    all.extend(observed);
    for (options, is_observed) in all {
        let loaded =
            load_text(SCENE, "allocation.scn", &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let mut simulation = Simulation::new(loaded.scene, options.clone()).unwrap_or_else(|e| panic!("{e}"));
        simulation.observe(is_observed);
        let mut report = StepReport::default();
        let (mut replayed, mut contacts, mut guilty) = (0, 0, Vec::new());
        for step in 0..600 {
            let (result, count) = counted(|| simulation.step_into(&mut report));
            result.unwrap_or_else(|f| panic!("{f}"));
            // Buffers grow to their high-water mark while the heap settles.
            if step >= 300 && report.plan == PlanChange::Replayed && report.pairs_changed == 0 {
                replayed += 1;
                contacts += report.contacts;
                // Objects that move do so for the graph of this step and for those of the next one.
                let moves = REBALANCE_AT..=REBALANCE_AT + 1;
                if count > 0 && !(options.threads > 1 && moves.contains(&(step % REBALANCE_EVERY))) {
                    guilty.push((step, count));
                }
            }
        }
        assert!(
            replayed > 250 && contacts > 10 * replayed,
            "{options:?}: {replayed} steps, {contacts} contacts"
        );
        let allowed = match (is_observed, options.adapt && options.threads > 1) {
            (true, _) => replayed / 4,
            (false, true) => replayed / 16,
            (false, false) => 0,
        };
        assert!(
            guilty.len() <= allowed,
            "{options:?}: allocations in {} steps: {:?}",
            guilty.len(),
            &guilty[..guilty.len().min(20)]
        );
        measuring_allocates_nothing(&simulation);
    }
}

/// Energies, once the meter has its memory.
fn measuring_allocates_nothing(simulation: &Simulation) {
    let mut meter = EnergyMeter::default();
    let first = simulation.energy(&mut meter);
    let (again, count) = counted(|| simulation.energy(&mut meter));
    assert_eq!(count, 0, "allocations in a measurement");
    assert!(first == again && meter.without() == ["TetrahedronFEMForceField"], "{first:?} {again:?}");
}

/// Steps on a thread of their own, with every state published and looked at.
fn publishing_allocates_nothing() {
    let text = r#"<Node dt="0.01" gravity="0 -9.81 0">
        <EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-9" threshold="1e-12"/>
        <RegularGridTopology n="4 4 4" min="0 0 0" max="1 1 1"/>
        <MechanicalObject/><UniformMass totalMass="1"/>
        <RegularGridSpringForceField stiffness="200" damping="1"/>
    </Node>"#;
    let make = move || {
        let loaded = load_text(text, "published.scn", &LoadOptions::default()).map_err(|e| e.to_string())?;
        Simulation::new(loaded.scene, SimulationOptions::default()).map_err(|e| e.to_string())
    };
    let beginning = Beginning { running: true, paced: false };
    let (live, _, mut link) = Live::start("published", beginning, make).unwrap_or_else(|e| panic!("{e}"));
    let mut look_until = |step: u64| {
        let mut looks = 0;
        while link.newest().step < step {
            link.samples.try_iter().for_each(drop);
            looks += 1;
        }
        looks
    };
    look_until(200);
    let (looks, count) = counted(|| look_until(600));
    assert!(looks > 0);
    assert_eq!(count, 0, "allocations in 400 published steps");
    drop(link);
    live.join();
}
