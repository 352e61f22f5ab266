//! The physics does not depend on who runs it: some scenes under every executor, to the bit.

use super::support::*;
use executors::topology::Topology;
use weft::simulation::{AccumulateMode, ExecutorKind, NumaMode, PartitionerKind, SimulationOptions};

/// Everything at once: FEM, a rigid body, springs by a grid, embedded surfaces, contacts that come and go, groups.
fn mixed() -> String {
    let solver = r#"<EulerImplicitSolver rayleighStiffness="0.02" rayleighMass="0.1"/>
        <CGLinearSolver iterations="30" tolerance="1e-8" threshold="1e-12"/>"#;
    let surface = |mapping: &str, offset: &str| {
        format!(
            r#"<Node name="surface">
                <MeshTopology src="@/mesh"/>
                <MechanicalObject name="points" src="@/mesh" {offset}/>
                <TriangleCollisionModel contactStiffness="30"/>
                <{mapping}/>
            </Node>"#
        )
    };
    let rigid = |i: usize, y: f64| {
        format!(
            r#"<Node name="rigid{i}">{solver}
                <MechanicalObject name="dofs" template="Rigid3" position="0.{i} {y} 0.1 0 0 0 1" rotation="10 20 {i}"/>
                <UniformMass totalMass="1"/>{}
            </Node>"#,
            surface("RigidMapping", "")
        )
    };
    let soft = |i: usize, y: f64| {
        format!(
            r#"<Node name="soft{i}">{solver}
                <RegularGridTopology n="3 3 3" min="-0.5 -0.5 -0.5" max="0.5 0.5 0.5"/>
                <MechanicalObject name="dofs" translation="0.1 {y} 0"/>
                <UniformMass totalMass="1"/>
                <HexahedronFEMForceField youngModulus="2000" poissonRatio="0.3"/>{}
            </Node>"#,
            surface("BarycentricMapping", "")
        )
    };
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -9.81 0">
            <DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
            <NewProximityIntersection alarmDistance="0.1" contactDistance="0.05"/>
            <CollisionResponse response="PenalityContactForceField"/><CollisionGroupManager/>
            <MeshOBJLoader name="mesh" filename="generated:box?nx=2&amp;ny=2&amp;nz=2"/>
            <Node name="floor">
                <MeshOBJLoader name="loader" filename="generated:box?x=6&amp;y=1&amp;z=6&amp;nx=6&amp;ny=1&amp;nz=6" translation="0 -0.5 0"/>
                <MeshTopology src="@loader"/>
                <MechanicalObject name="dofs" src="@loader"/>
                <TriangleCollisionModel simulated="0" moving="0" contactStiffness="30"/>
            </Node>
            {}{}{}{}
        </Node>"#,
        rigid(1, 0.6),
        soft(2, 1.75),
        rigid(3, 2.9),
        soft(4, 4.1)
    )
}

fn hashes(options: &SimulationOptions) -> Vec<String> {
    let mut simulation = simulate_with(&mixed(), options.clone());
    (0..6)
        .map(|_| {
            steps(&mut simulation, 20);
            simulation.state_hash().expect("a finite state")
        })
        .collect()
}

#[test]
fn every_executor_computes_the_same_bits() {
    let reference = hashes(&sequential());
    let mut distinct = reference.clone();
    distinct.dedup();
    assert_eq!(distinct.len(), reference.len(), "it moves");
    for executor in [ExecutorKind::Replay, ExecutorKind::Stealing, ExecutorKind::ForkJoin] {
        for threads in [1, 2, 3] {
            for partitioner in [PartitionerKind::Owner, PartitionerKind::Metis] {
                for accumulate in [AccumulateMode::Mirror, AccumulateMode::Reduce] {
                    let options =
                        SimulationOptions { executor, threads, partitioner, accumulate, ..sequential() };
                    assert_eq!(hashes(&options), reference, "{options:?}");
                }
            }
        }
    }
}

#[test]
fn memory_that_moves_with_its_owners_holds_the_same_bits() {
    let reference = hashes(&sequential());
    for (machine, threads) in [("2x1", 2), ("2x2", 4), ("3x1", 3)] {
        let topology = Some(Topology::described(machine).expect("a description"));
        let (executor, numa) = (ExecutorKind::Replay, NumaMode::Force);
        for partitioner in [PartitionerKind::Owner, PartitionerKind::Metis] {
            let options = SimulationOptions {
                executor,
                threads,
                partitioner,
                topology: topology.clone(),
                numa,
                ..sequential()
            };
            assert_eq!(hashes(&options), reference, "{machine} {partitioner:?}");
        }
    }
}

#[test]
fn every_buffer_of_an_object_moves_to_its_owner() {
    let options = SimulationOptions {
        executor: ExecutorKind::Replay,
        threads: 2,
        topology: Some(Topology::described("2x1").expect("a description")),
        numa: NumaMode::Force,
        ..sequential()
    };
    let mut simulation = simulate_with(&mixed(), options.clone());
    let at_home = |simulation: &weft::simulation::Simulation| {
        let store = &simulation.world().store;
        let movable = || (0..store.n_data() as u32).filter(|&d| store.is_movable(d));
        let nodes = [0, 1].map(|node| movable().filter(|&d| store.home(d) == Some(node)).count());
        (movable().count(), nodes)
    };
    assert_eq!(at_home(&simulation).1, [0, 0]);
    steps(&mut simulation, 1);
    let (all, [first, second]) = at_home(&simulation);
    assert!(first > 0 && second > 0 && first + second == all, "{first} and {second} of {all}");

    let mut without =
        simulate_with(&mixed(), SimulationOptions { numa: NumaMode::Auto, pin: false, ..options });
    steps(&mut without, 1);
    assert_eq!(at_home(&without).1, [0, 0], "threads that may wander have no memory of their own");
}

#[test]
fn large_objects_have_pages_of_their_own_where_all_memory_is_equally_near() {
    let sheet = |name: &str, n: u32| {
        format!(
            r#"<Node name="{name}"><EulerImplicitSolver/><CGLinearSolver iterations="3"/>
                <RegularGridTopology n="{n} {n} 1" min="0 0 0" max="1 1 0"/><MechanicalObject/>
                <UniformMass totalMass="1"/><MeshSpringForceField stiffness="100" damping="1"/></Node>"#
        )
    };
    let scene = format!(r#"<Node name="root" dt="0.01">{}{}</Node>"#, sheet("large", 110), sheet("small", 9));
    let run = |numa| {
        let topology = Some(Topology::described("1x2").expect("a description"));
        let (executor, threads) = (ExecutorKind::Replay, 2);
        let options = SimulationOptions { executor, threads, topology, numa, ..sequential() };
        let mut simulation = simulate_with(&scene, options);
        steps(&mut simulation, 2);
        let store = &simulation.world().store;
        let at_home = (0..store.n_data() as u32).filter(|&d| store.home(d).is_some());
        let bytes: usize = at_home.clone().map(|d| store.bytes_of(d)).sum();
        let mut objects: Vec<_> = at_home.map(|d| store.info(d).object).collect();
        objects.sort_unstable();
        objects.dedup();
        (state(&simulation, "/large/").position, state(&simulation, "/small/").position, objects.len(), bytes)
    };
    let (large, small, n, bytes) = run(NumaMode::Auto);
    assert!(n > 0 && bytes > 2 << 20, "{n} objects with {bytes} bytes have pages of their own");
    let (without, small_without, none, nothing) = run(NumaMode::Off);
    assert_eq!((none, nothing), (0, 0));
    assert!(large == without && small == small_without);
    let (.., all, _) = run(NumaMode::Force);
    assert!(n < all, "{n} of {all}: small objects stay where they are");
}

/// A body of 288 points by factors, half of whose points at one end are held by multipliers, beside one that is small.
fn factorised() -> String {
    let body = |name: &str, n: &str, at: &str, held: &str| {
        format!(
            r#"<Node name="{name}">
                <EulerImplicitSolver rayleighStiffness="0.02" rayleighMass="0.1"/><SparseLDLSolver/>
                <RegularGridTopology n="{n}" min="0 0 0" max="1 1 2"/>
                <MechanicalObject name="dofs" translation="{at}"/>
                <UniformMass totalMass="1"/>
                <HexahedronFEMForceField youngModulus="2000" poissonRatio="0.3"/>
                <FixedLagrangianConstraint indices="{held}"/>
                <LinearSolverConstraintCorrection/>
            </Node>"#
        )
    };
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -9.81 0">
            <FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance="1e-9" maxIterations="200"/>
            {}{}
        </Node>"#,
        body("large", "6 6 8", "0 0 0", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"),
        body("small", "2 2 3", "3 0 0", "0 1")
    )
}

#[test]
fn factors_in_parts_have_the_same_bits_for_every_executor() {
    use ExecutorKind::{ForkJoin, Replay, Sequential, Stealing};
    let mut all = Vec::new();
    for (executor, threads) in
        [(Sequential, 1), (Replay, 1), (Replay, 2), (Replay, 5), (Stealing, 3), (ForkJoin, 2)]
    {
        let options = SimulationOptions { executor, threads, pin: false, ..SimulationOptions::default() };
        let mut simulation = simulate_with(&factorised(), options);
        // Two bodies, and what the tasks of the large one's factors and of its compliance are placed with.
        assert_eq!(simulation.world().objects.len(), 2 + 8 + 8);
        steps(&mut simulation, 10);
        all.push(simulation.state_hash().expect("a finite state"));
        let bent = state(&simulation, "/large").position.iter().map(|p| p[1]).fold(0.0, f64::min);
        assert!((-0.5..-0.01).contains(&bent), "{bent}");
    }
    assert!(all.iter().all(|hash| *hash == all[0]), "{all:?}");
}
