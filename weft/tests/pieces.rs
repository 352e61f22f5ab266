//! A body that is cut into pieces moves as the uncut one, to rounding.

use scenes::gallery;
use scenes::load::{LoadOptions, load_elements, load_text};
use scenes::pieces::Pieces;
use weft::simulation::{ExecutorKind, Simulation, SimulationOptions};

fn simulation(loaded: scenes::LoadedScene) -> Simulation {
    let options =
        SimulationOptions { executor: ExecutorKind::Sequential, pin: false, ..SimulationOptions::default() };
    Simulation::new(loaded.scene, options).expect("it can be simulated")
}

/// Positions at the beginning and after so many steps, of states whose path ends so, in the order of the beginning.
fn run(mut s: Simulation, ending: &str, steps: usize) -> Vec<(Vec<f64>, Vec<f64>)> {
    let points = |s: &mut Simulation| -> Vec<Vec<f64>> {
        let states = s.states();
        states.into_iter().filter(|v| v.path.ends_with(ending)).flat_map(|v| v.position).collect()
    };
    let begin = points(&mut s);
    for _ in 0..steps {
        s.step().expect("a step");
    }
    let mut all: Vec<_> = begin.into_iter().zip(points(&mut s)).collect();
    all.sort_by(|a, b| {
        a.0.iter()
            .zip(&b.0)
            .map(|(a, b)| a.total_cmp(b))
            .find(|o| o.is_ne())
            .unwrap_or(a.0.len().cmp(&b.0.len()))
    });
    all
}

/// How far the bodies have moved at most, and how far they are apart at most.
fn compare(whole: &[(Vec<f64>, Vec<f64>)], cut: &[(Vec<f64>, Vec<f64>)]) -> (f64, f64) {
    assert_eq!(whole.len(), cut.len());
    let most = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let mut result: (f64, f64) = (0.0, 0.0);
    for ((at, x), (again, y)) in whole.iter().zip(cut) {
        assert_eq!(at, again);
        result = (result.0.max(most(at, x)), result.1.max(most(x, y)));
    }
    result
}

#[test]
fn bars_of_hexahedra() {
    let bars = |pieces: &str| {
        let set = [("objects", "2"), ("pieces", pieces)].map(|(n, v)| (n.to_owned(), v.to_owned()));
        let root = gallery::find("bars").and_then(|s| s.elements(&set)).expect("a gallery scene");
        simulation(load_elements(root, &LoadOptions::default()).expect("it loads"))
    };
    let whole = run(bars("1"), "/dofs", 60);
    assert_eq!(whole.len(), 2 * 256);
    for pieces in [2, 3, 7] {
        let s = bars(&pieces.to_string());
        assert_eq!(s.world().objects.len(), 2 * pieces);
        let (moved, apart) = compare(&whole, &run(s, "/points", 60));
        assert!(moved > 0.5, "the bars hardly moved: {moved}");
        assert!(apart <= 1e-9 * moved, "{pieces} pieces: {apart}");
        println!("{pieces} pieces differ by {apart:e} of {moved} m");
    }
}

/// Loads a scene with bodies cut, and without a word of complaint.
fn load(text: &str, pieces: Option<Pieces>) -> Simulation {
    let loaded = load_text(text, "test.scn", &LoadOptions { pieces, ..LoadOptions::default() });
    let loaded = loaded.expect("it loads");
    let said: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert!(said.is_empty(), "{said:#?}");
    simulation(loaded)
}

#[test]
fn tetrahedra_with_a_mass_matrix_and_a_region_of_interest() {
    let set: [(String, String); 0] = [];
    let text = gallery::find("cantilever_tetrahedra").and_then(|s| s.export(&set)).expect("a gallery scene");
    let text = text.replace("iterations=\"100\" tolerance=\"1e-9\" threshold=\"1e-9\"", EXACT);
    let whole = run(load(&text, None), "/dofs", 60);
    for pieces in [2, 6] {
        let s = load(&text, Some(Pieces::Number(pieces)));
        assert_eq!(s.world().objects.len(), 2 * pieces);
        let (moved, apart) = compare(&whole, &run(s, "/points", 60));
        assert!(moved > 0.2, "the bars hardly moved: {moved}");
        assert!(apart <= 1e-9 * moved, "{pieces} pieces: {apart}");
    }
}

/// To the last digit: else rounding decides in which iteration the solver has had enough.
const EXACT: &str = "iterations=\"500\" tolerance=\"1e-14\" threshold=\"1e-25\"";

/// A ball of tetrahedra with an embedded surface falls onto a floor.
const BALL: &str = r#"<Node name="root" dt="0.01" gravity="0 -9.81 0">
    <DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
    <NewProximityIntersection alarmDistance="0.1" contactDistance="0.05"/>
    <CollisionResponse response="PenalityContactForceField"/><CollisionGroupManager/>
    <MeshOBJLoader name="surface" filename="generated:sphere?radius=1&amp;frequency=3"/>
    <MeshGmshLoader name="volume" filename="generated:ball_tetrahedra?radius=1&amp;frequency=3&amp;layers=2"/>
    <Node name="floor">
        <MeshOBJLoader name="loader" filename="generated:box?x=6&amp;y=1&amp;z=6&amp;nx=6&amp;ny=1&amp;nz=6" translation="0 -1.6 0"/>
        <MeshTopology src="@loader"/>
        <MechanicalObject name="dofs" src="@loader"/>
        <TriangleCollisionModel simulated="0" moving="0" contactStiffness="30"/>
    </Node>
    <Node name="ball">
        <EulerImplicitSolver rayleighStiffness="0.02" rayleighMass="0.1"/>
        <CGLinearSolver iterations="500" tolerance="1e-14" threshold="1e-25"/>
        <MeshTopology src="@../volume"/>
        <MechanicalObject name="body" rotation="10 20 30" velocity="0.1 -2 0"/>
        <UniformMass totalMass="5"/>
        <TetrahedronFEMForceField youngModulus="3000" poissonRatio="0.3" method="large"/>
        <Node name="skin">
            <MeshTopology src="@../../surface"/>
            <MechanicalObject name="skin" src="@../../surface" rotation="10 20 30"/>
            <TriangleCollisionModel contactStiffness="30"/>
            <BarycentricMapping/>
        </Node>
    </Node>
</Node>"#;

#[test]
fn a_body_that_others_are_mapped_from_keeps_its_state() {
    let whole = run(load(BALL, None), "/skin/skin", 25);
    let free = {
        let text = BALL.replace("<CollisionPipeline/>", "");
        run(load(&text, None), "/skin/skin", 25)
    };
    assert!(compare(&whole, &free).1 > 1e-3, "it does not reach the floor");
    for pieces in [2, 5] {
        let s = load(BALL, Some(Pieces::Number(pieces)));
        let (moved, apart) = compare(&whole, &run(s, "/skin/skin", 25));
        assert!(apart <= 1e-9 * moved, "{pieces} pieces: {apart} of {moved}");
    }
}

#[test]
fn the_number_of_workers_changes_no_bit_of_it() {
    let mut hashes = Vec::new();
    for (executor, threads) in
        [(ExecutorKind::Sequential, 1), (ExecutorKind::Replay, 3), (ExecutorKind::ForkJoin, 2)]
    {
        let loaded = load_text(
            BALL,
            "test.scn",
            &LoadOptions { pieces: Some(Pieces::Number(4)), ..LoadOptions::default() },
        );
        let options = SimulationOptions { executor, threads, pin: false, ..SimulationOptions::default() };
        let mut s = Simulation::new(loaded.expect("it loads").scene, options).expect("it can be simulated");
        for _ in 0..20 {
            s.step().expect("a step");
        }
        hashes.push(s.state_hash().expect("a finite state"));
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:?}");
}

#[test]
fn what_cannot_be_cut_says_why() {
    let text = BALL.replace("youngModulus=\"3000\"", "youngModulus=\"3000 4000\"");
    let options = LoadOptions { pieces: Some(Pieces::Number(4)), ..LoadOptions::default() };
    let loaded = load_text(&text, "test.scn", &options).expect("it loads");
    assert_eq!(simulation(loaded).world().objects.len(), 2, "a material per element cannot be dealt out");
    let text = BALL.replace("<UniformMass", "<FixedProjectiveConstraint fixAll=\"1\"/><UniformMass");
    let loaded = load_text(&text, "test.scn", &options).expect("it loads");
    let said: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|d| d.contains("/ball") && d.contains("FixedProjectiveConstraint")), "{said:?}");
    // It begins with the accelerations: forces divided by masses, which would stand on the whole state.
    let newmark = BALL.replace("EulerImplicitSolver", "NewmarkImplicitSolver");
    for (mass, objects) in [("DiagonalMass", 2), ("UniformMass", 5)] {
        let loaded =
            load_text(&newmark.replace("UniformMass", mass), "test.scn", &options).expect("it loads");
        let said: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(simulation(loaded).world().objects.len(), objects, "{mass}: {said:?}");
        assert!(
            mass == "UniformMass" || said.iter().any(|d| d.contains("/ball") && d.contains(mass)),
            "{said:?}"
        );
    }
}

/// A sheet of springs hung at two corners, with what else there may be.
fn sheet(size: usize, springs: &str, more: &str) -> String {
    let last = size - 1;
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -9.81 0">
    <DefaultAnimationLoop/>
    <EulerImplicitSolver rayleighStiffness="0.01"/>
    <CGLinearSolver {EXACT}/>
    <Node name="cloth">
        <RegularGridTopology nx="{size}" ny="1" nz="{size}" xmin="0" xmax="{last}" ymin="0" ymax="0" zmin="0" zmax="{last}"/>
        <MechanicalObject name="dofs"/>
        <UniformMass totalMass="1"/>
        <FixedProjectiveConstraint indices="0 {last}"/>
        {springs}
        {more}
    </Node>
</Node>"#
    )
}

#[test]
fn sheets_of_springs() {
    let mesh = r#"<MeshSpringForceField name="net" linesStiffness="100" quadsStiffness="70" damping="0.1" rayleighStiffness="0.02"/>"#;
    let pulling = mesh.replace("/>", " noCompression=\"1\"/>");
    let listed = r#"<SpringForceField spring="5 40 3 0.1 3 41 80 2 0 4 80 80 1 1 1"/>"#;
    let sheets = [sheet(12, mesh, ""), sheet(12, &pulling, ""), sheet(12, &format!("{mesh}{listed}"), "")];
    for text in sheets {
        let whole = run(load(&text, None), "/dofs", 40);
        for pieces in [2, 5] {
            let s = load(&text, Some(Pieces::Number(pieces)));
            let (moved, apart) = compare(&whole, &run(s, "/points", 40));
            assert!(moved > 0.5, "the sheet hardly moved: {moved}");
            assert!(apart <= 1e-9 * moved, "{pieces} pieces: {apart} of {moved}");
        }
    }
}

#[test]
fn pieces_of_springs_have_the_same_bits_on_any_number_of_workers() {
    let text = sheet(40, r#"<MeshSpringForceField stiffness="100" damping="0.1"/>"#, "");
    let hash = |executor, threads| {
        let options = LoadOptions { pieces: Some(Pieces::Number(4)), ..LoadOptions::default() };
        let loaded = load_text(&text, "test.scn", &options).expect("it loads");
        let options = SimulationOptions { executor, threads, pin: false, ..SimulationOptions::default() };
        let mut s = Simulation::new(loaded.scene, options).expect("it can be simulated");
        (0..5).for_each(|_| {
            s.step().expect("a step");
        });
        s.state_hash().expect("a finite state")
    };
    let sequential = hash(ExecutorKind::Sequential, 1);
    for (executor, threads) in
        [(ExecutorKind::Replay, 2), (ExecutorKind::Stealing, 3), (ExecutorKind::ForkJoin, 2)]
    {
        assert_eq!(hash(executor, threads), sequential, "{executor:?}");
    }
}

#[test]
fn what_needs_the_whole_state_keeps_it() {
    let springs = r#"<MeshSpringForceField stiffness="100" damping="0.1"/>"#;
    let text = sheet(12, springs, r#"<PlaneForceField normal="0 1 0" d="-2" stiffness="300"/>"#);
    let whole = run(load(&text, None), "cloth/dofs", 60);
    let s = load(&text, Some(Pieces::Number(3)));
    let (moved, apart) = compare(&whole, &run(s, "cloth/dofs", 60));
    assert!(apart <= 1e-9 * moved, "{apart} of {moved}");
    let text = sheet(12, springs, r#"<WriteState filename="never.state"/>"#);
    let s = load(&text, Some(Pieces::Number(3)));
    assert!(s.states().iter().any(|v| v.path.ends_with("cloth/dofs")), "what is written is the whole state");
}

#[test]
fn bodies_are_cut_by_themselves_where_that_costs_little() {
    let springs = r#"<MeshSpringForceField stiffness="100" damping="0.1"/>"#;
    let objects = |text: &str| {
        let options = LoadOptions { pieces: Some(Pieces::WherePays), ..LoadOptions::default() };
        let loaded = load_text(text, "test.scn", &options).expect("it loads");
        let notes: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        // Those without states are for tasks of a large one.
        let s = simulation(loaded);
        let states = s.world().objects.iter().filter(|o| !o.states.is_empty()).count();
        (states, notes.iter().filter(|n| n.contains("cut into pieces")).count())
    };
    let large = sheet(128, springs, "");
    assert_eq!(objects(&large), (2, 1));
    // Too small, a matrix of all, a mass and springs on the whole, a name elsewhere.
    assert_eq!(objects(&sheet(40, springs, "")), (1, 0));
    let direct = large.replace(&format!("<CGLinearSolver {EXACT}/>"), "<SparseLDLSolver/>");
    assert_eq!(objects(&direct), (1, 0));
    assert_eq!(objects(&large.replace("<UniformMass totalMass", "<MeshMatrixMass totalMass")), (1, 0));
    assert_eq!(objects(&sheet(128, springs, r#"<ConstantForceField totalForce="0 1 0"/>"#)), (1, 0));
    assert_eq!(objects(&sheet(128, springs, r#"<WriteState filename="never.state" writeF="1"/>"#)), (1, 0));
    let other = r#"<Node name="other"><MechanicalObject position="0 0 0"/>
        <SpringForceField object1="@." object2="@../cloth/dofs" spring="0 5 1 0 1"/></Node></Node>"#;
    let (others, _) = objects(&large.replace("    </Node>\n</Node>", &format!("</Node>{other}")));
    assert_eq!(others, 2);
}

/// What needs a body's state to move by itself, or its masses where they are, keeps the body whole, with a note; nobody's scene is refused
/// for a cut.
#[test]
fn bodies_that_something_needs_whole_stay_whole() {
    let scene = |head: &str, solver: &str, inside: &str, beside: &str| {
        format!(
            r#"<Node name="root" gravity="0 -10 0" dt="0.01">{head}<Node name="h"><EulerImplicitSolver/><{solver}/>
            <Node name="b"><RegularGridTopology n="3 3 8" min="0 0 0" max="1 1 3"/><MechanicalObject name="s"/>
                <UniformMass totalMass="1"/><HexahedronFEMForceField youngModulus="1000" poissonRatio="0.3"/>{inside}</Node>
            <Node name="b2"><MechanicalObject name="s2" position="0 2 0 1 2 0"/><UniformMass totalMass="1"/></Node>
            {beside}</Node></Node>"#
        )
    };
    let cg = r#"CGLinearSolver iterations="25" tolerance="1e-9" threshold="1e-9""#;
    let (center, correction) = (
        r#"<Node name="c"><MechanicalObject size="1"/><CenterOfMassMapping/></Node>"#,
        "<LinearSolverConstraintCorrection/>",
    );
    let of_several = r#"<Node name="c"><MechanicalObject name="t" size="2"/><SubsetMultiMapping template="Vec3,Vec3" input="@../b2/s2 @../b/s" output="@t" indexPairs="0 0 1 3"/></Node>"#;
    let attached =
        r#"<AttachProjectiveConstraint object1="@b/s" object2="@b2/s2" indices1="3" indices2="0"/>"#;
    let texts = [
        scene("", cg, center, ""),
        scene("<FreeMotionAnimationLoop/>", "SparseLDLSolver", correction, ""),
        scene("", cg, "", of_several),
        scene("", cg, "", attached),
    ];
    for text in texts {
        let options = LoadOptions { pieces: Some(Pieces::Number(3)), ..LoadOptions::default() };
        let loaded = load_text(&text, "test.scn", &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let notes: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        assert!(notes.iter().any(|n| n.contains("cut into pieces")), "{notes:?}");
        let mut s = simulation(loaded);
        assert!(s.states().iter().all(|s| !s.path.contains("/piece")), "{text}");
        s.step().expect("a step");
    }
}
