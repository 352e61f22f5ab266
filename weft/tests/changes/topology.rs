//! Elements go and come while a scene runs.

use super::support::{bits, same_bits_everywhere, scene, sequential};
use scenes::load::{LoadOptions, load_text};
use sim_core::renumbering::ElementKind;
use sim_core::scene::ComponentId;
use weft::simulation::{ChangeError, Simulation, SimulationOptions};

const SOLVER: &str = r#"<EulerImplicitSolver rayleighStiffness="0.1" rayleighMass="0.1"/>
    <CGLinearSolver iterations="200" tolerance="1e-14" threshold="1e-14"/>"#;

/// A bar of hexahedra, x fastest; `more` stands in its node behind all else.
fn bar(n: [usize; 3], solver: &str, more: &str) -> String {
    let [nx, ny, nz] = n;
    let max = n.map(|n| (n - 1) as f64);
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -9.81 0"><DefaultAnimationLoop/>
        <RegularGridTopology name="grid" n="{nx} {ny} {nz}" min="0 0 0" max="{} {} {}"/>
        <Node name="bar">{solver}
            <MechanicalObject name="dofs" src="@../grid"/>
            <HexahedronSetTopologyContainer name="cells" src="@../grid"/>
            <HexahedronSetTopologyModifier/>
            {more}
        </Node></Node>"#,
        max[0], max[1], max[2]
    )
}

fn component(s: &Simulation, path: &str) -> ComponentId {
    let scene = &s.world().scene;
    scene.all_components().find(|c| scene.path(*c) == path).expect("it is there")
}

fn positions(s: &Simulation) -> Vec<Vec<f64>> {
    s.states().iter().flat_map(|v| v.position.clone()).collect()
}

fn text(rows: impl IntoIterator<Item = impl ToString>) -> String {
    rows.into_iter().map(|x| x.to_string()).collect::<Vec<_>>().join(" ")
}

const ELASTIC: &str = r#"<HexahedralFEMForceField youngModulus="3000" poissonRatio="0.3" method="large"/>"#;

/// What is cut before the first step moves as what was never there, bit for bit.
#[test]
fn a_bar_that_is_cut_is_the_bar_without_the_elements() {
    for (mass, expected) in [
        (r#"<DiagonalMass massDensity="0.5"/>"#, r#"<DiagonalMass massDensity="0.5"/>"#),
        // Twelve cells of 1 m^3.
        (r#"<MeshMatrixMass totalMass="6"/>"#, r#"<MeshMatrixMass massDensity="0.5"/>"#),
        (r#"<UniformMass totalMass="4.5"/>"#, r#"<UniformMass vertexMass="0.125"/>"#),
    ] {
        let parts = |mass| format!(r#"{mass}<FixedProjectiveConstraint indices="3 35"/>{ELASTIC}"#);
        let mut cut = scene(&bar([4, 3, 3], SOLVER, &parts(mass)), sequential());
        let cells = component(&cut, "/bar/cells");
        cut.remove_elements(cells, ElementKind::Hexahedron, &[0, 3, 3]).expect("it follows");
        let topology = cut.world().scene.topology(cells).expect("a topology");
        assert_eq!((topology.hexahedra.len(), topology.n_points), (10, 33));
        // Points 0, 4 and 8 have gone; the last have got their numbers.
        let hexahedra = text(topology.hexahedra.iter().flatten());
        let points = positions(&cut);
        let fixed: Vec<usize> = points
            .iter()
            .enumerate()
            .filter(|(_, p)| p[..] == [3.0, 0.0, 0.0] || p[..] == [3.0, 2.0, 2.0])
            .map(|(k, _)| k)
            .collect();
        let without = format!(
            r#"<Node name="root" dt="0.01" gravity="0 -9.81 0"><DefaultAnimationLoop/><Node name="bar">{SOLVER}
            <MechanicalObject name="dofs" position="{}"/>
            <HexahedronSetTopologyContainer name="cells" position="{}" hexahedra="{hexahedra}"/>
            {expected}<FixedProjectiveConstraint indices="{}"/>{ELASTIC}</Node></Node>"#,
            text(points.iter().flatten()),
            text(points.iter().flatten()),
            text(&fixed),
        );
        let mut never = scene(&without, sequential());
        let mut worst = 0.0_f64;
        for _ in 0..30 {
            cut.step().expect("a step");
            never.step().expect("a step");
            for (a, b) in positions(&cut).iter().flatten().zip(positions(&never).iter().flatten()) {
                worst = worst.max((a - b).abs());
            }
        }
        assert_eq!(positions(&cut).len(), 33);
        // Products of the sparse mass are added in another order, and iterations end within their tolerance.
        assert!(worst < 1e-7, "{mass}: {worst:e}");
        let moved = positions(&cut).iter().zip(&points).any(|(now, then)| (now[1] - then[1]).abs() > 1e-3);
        assert!(moved, "it hangs");
    }
}

/// What stays keeps its positions and velocities, so that momentum goes with what goes only.
#[test]
fn what_stays_keeps_its_motion() {
    let parts = format!(r#"<DiagonalMass massDensity="0.5"/>{ELASTIC}"#);
    let mut s = scene(&bar([4, 2, 2], SOLVER, &parts), sequential());
    for _ in 0..10 {
        s.step().expect("a step");
    }
    let before = s.states();
    let cells = component(&s, "/bar/cells");
    let mass = |s: &Simulation| {
        let world = s.world();
        world.scene.parts.masses[0].node.total_mass(&world.store, world.vectors[0].len())
    };
    assert!((mass(&s) - 1.5).abs() < 1e-12);
    s.remove_elements(cells, ElementKind::Hexahedron, &[0]).expect("it follows");
    s.check_plan().expect("with other points");
    assert!((mass(&s) - 1.0).abs() < 1e-12);
    // As SOFA numbers them.
    let order = [15, 1, 2, 3, 13, 5, 6, 7, 14, 9, 10, 11];
    let after = s.states();
    for (now, then) in order.iter().enumerate() {
        assert_eq!(after[0].position[now], before[0].position[*then]);
        assert_eq!(after[0].velocity[now], before[0].velocity[*then]);
    }
    // Falling freely, all points go on with the same velocity.
    s.step().expect("a step");
    let fall = s.states()[0].velocity.iter().map(|v| v[1]).collect::<Vec<f64>>();
    assert!(fall.iter().all(|v| (v - fall[0]).abs() < 1e-7), "{fall:?}");
}

#[test]
fn a_processor_removes_lists_at_its_times() {
    let parts = format!(
        r#"<UniformMass vertexMass="1"/>{ELASTIC}
        <TopologicalChangeProcessor useDataInputs="1" timeToRemove="0.02" interval="0.03" hexahedraToRemove="0"/>"#
    );
    let mut s = scene(&bar([5, 2, 2], SOLVER, &parts), sequential());
    let cells = component(&s, "/bar/cells");
    let left: Vec<usize> = (0..8)
        .map(|_| {
            s.step().expect("a step");
            s.world().scene.topology(cells).expect("a topology").hexahedra.len()
        })
        .collect();
    // Steps begin at 0, 0.01, 0.02, ...; the lists are due after 0.02 and 0.05.
    assert_eq!(left, [4, 4, 4, 3, 3, 3, 2, 2]);
}

/// Hexahedra with a border of springs and membranes, above a floor on which they fall.
const HEAP: &str = r#"<Node name="root" dt="0.02" gravity="0 -9.81 0"><DefaultAnimationLoop/>
    <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
    <MinProximityIntersection alarmDistance="0.4" contactDistance="0.2"/>
    <CollisionResponse response="PenalityContactForceField"/>
    <Node name="floor"><MeshTopology position="-20 -1 -20  20 -1 -20  0 -1 30" triangles="0 2 1"/>
        <MechanicalObject position="-20 -1 -20  20 -1 -20  0 -1 30"/>
        <TriangleCollisionModel simulated="0" moving="0" contactStiffness="300"/></Node>
    <RegularGridTopology name="grid" n="4 3 3" min="0 0 0" max="3 2 2"/>
    {bodies}</Node>"#;

fn heap() -> String {
    let body = |name: &str, y: f64, solver: &str| {
        format!(
            r#"<Node name="{name}">{solver}
            <MechanicalObject name="dofs" src="@../grid" translation="0 {y} 0.3"/>
            <HexahedronSetTopologyContainer name="cells" src="@../grid"/><HexahedronSetTopologyModifier/>
            <DiagonalMass massDensity="0.5"/>{ELASTIC}
            <Node name="border">
                <QuadSetTopologyContainer name="quads"/><QuadSetTopologyModifier/>
                <Hexa2QuadTopologicalMapping input="@../cells" output="@quads"/>
                <QuadBendingSprings stiffness="30" damping="0.1"/>
                <Node name="skin">
                    <TriangleSetTopologyContainer name="triangles"/><TriangleSetTopologyModifier/>
                    <Quad2TriangleTopologicalMapping input="@../quads" output="@triangles"/>
                    <TriangularFEMForceField youngModulus="60" poissonRatio="0.3" method="large"/>
                    <TriangleCollisionModel contactStiffness="300"/>
                    <PointCollisionModel contactStiffness="300"/>
                </Node>
            </Node></Node>"#
        )
    };
    let direct = r#"<EulerImplicitSolver rayleighStiffness="0.1" rayleighMass="0.1"/><SparseLDLSolver/>"#;
    let bodies = [body("low", -0.6, SOLVER), body("high", 2.0, SOLVER), body("beside", 0.5, direct)];
    HEAP.replace("{bodies}", &bodies.join("\n"))
}

#[test]
fn a_heap_that_is_cut_has_the_same_bits_everywhere() {
    let text = heap();
    let course = |options: SimulationOptions| {
        let mut s = scene(&text, options);
        let mut touched = 0;
        for step in 0..24 {
            if let Some((body, cells)) = match step {
                3 => Some(("low", &[0, 5][..])),
                9 => Some(("high", &[1][..])),
                10 => Some(("beside", &[11, 2][..])),
                17 => Some(("low", &[0][..])),
                _ => None,
            } {
                let c = component(&s, &format!("/{body}/cells"));
                s.remove_elements(c, ElementKind::Hexahedron, cells).expect("it follows");
                s.check_plan().expect("after a cut");
            }
            touched += s.step().expect("a step").contacts;
        }
        s.check_plan().expect("at the end");
        assert!(touched > 0, "they fall on the floor");
        bits(&s)
    };
    same_bits_everywhere(course);
}

#[test]
fn added_elements_hold_what_they_join() {
    let body = format!(
        r#"<Node name="root" dt="0.01" gravity="0 -9.81 0"><DefaultAnimationLoop/><Node name="sheet">{SOLVER}
        <MechanicalObject name="dofs" position="0 0 0 1 0 0 1 0 1 0 0 1 2 0 0 2 0 1"/>
        <TriangleSetTopologyContainer name="faces" nbPoints="6" triangles="0 1 2 0 2 3"/><TriangleSetTopologyModifier/>
        <UniformMass vertexMass="0.1"/><FixedProjectiveConstraint indices="0 3"/>
        <TriangularFEMForceField youngModulus="600" poissonRatio="0.3" method="large"/></Node></Node>"#
    );
    let mut s = scene(&body, sequential());
    let faces = component(&s, "/sheet/faces");
    s.add_elements(faces, ElementKind::Triangle, &[vec![1, 4, 2], vec![4, 5, 2]]).expect("it follows");
    s.check_plan().expect("with new triangles");
    let whole = body.replace("0 1 2 0 2 3\"/>", "0 1 2 0 2 3 1 4 2 4 5 2\"/>");
    let mut reference = scene(&whole, sequential());
    for _ in 0..20 {
        s.step().expect("a step");
        reference.step().expect("a step");
    }
    assert!(bits(&s) == bits(&reference));
    let wrong = s.add_elements(faces, ElementKind::Triangle, &[vec![1, 4]]);
    assert!(matches!(wrong, Err(ChangeError::ElementWidth { n: 2, .. })));
}

#[test]
fn what_cannot_follow_is_refused_by_name() {
    let processor =
        r#"<TopologicalChangeProcessor useDataInputs="1" timeToRemove="1" hexahedraToRemove="0"/>"#;
    for (parts, named) in [
        (r#"<MeshSpringForceField linesStiffness="10"/>"#, "MeshSpringForceField"),
        (r#"<DiagonalMass vertexMass="1"/>"#, "masses of points"),
        (
            r#"<Node name="far"><MechanicalObject template="Vec1"/>
                <DistanceFromTargetMapping indices="1" targetPositions="3 0 0"/></Node>"#,
            "DistanceFromTargetMapping",
        ),
        (r#"<Node name="other"><MeshTopology triangles="0 1 2"/></Node>"#, "other"),
    ] {
        let text = bar([3, 2, 2], SOLVER, &format!("{parts}{processor}"));
        let e = load_text(&text, "test.scn", &LoadOptions::default()).err().map(|e| e.to_string());
        assert!(e.as_ref().is_some_and(|e| e.contains(named) && e.contains("changes the topology")), "{e:?}");
    }
    let mut s = scene(&bar([3, 2, 2], SOLVER, ELASTIC), sequential());
    let cells = component(&s, "/bar/cells");
    let before = bits(&s);
    let refused = [
        s.remove_elements(cells, ElementKind::Quad, &[0]),
        s.remove_elements(component(&s, "/grid"), ElementKind::Hexahedron, &[0]),
    ];
    assert!(refused.iter().all(|r| matches!(r, Err(ChangeError::Topology(_)))), "{refused:?}");
    assert!(bits(&s) == before);
    s.check_plan().expect("as it was");
    s.step().expect("a step");
    s.remove_elements(cells, ElementKind::Hexahedron, &[0, 1]).expect("all may go, as in SOFA");
    s.check_plan().expect("without elements");
    s.step().expect("a step");
}
