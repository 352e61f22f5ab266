//! What follows when points and elements go: springs between states, fields, boxes that elements leave.

use super::support::{bits, same_bits_everywhere, scene, sequential};
use sim_core::scene::ComponentId;
use weft::simulation::{Simulation, SimulationOptions};

const SOLVER: &str = r#"<EulerImplicitSolver rayleighStiffness="0.1" rayleighMass="0.1"/>
    <CGLinearSolver iterations="200" tolerance="1e-14" threshold="1e-14"/>"#;

fn component(s: &Simulation, path: &str) -> ComponentId {
    let scene = &s.world().scene;
    scene.all_components().find(|c| scene.path(*c) == path).expect("it is there")
}

/// Two states under one solver, joined by springs; `processor` stands with the points that are free.
fn joined(points: &str, springs: &str, processor: &str) -> String {
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -10 0"><DefaultAnimationLoop/>{SOLVER}
        <Node name="held"><MechanicalObject name="dofs" position="0 2 0  1 2 0"/>
            <FixedProjectiveConstraint indices="0 1"/></Node>
        <Node name="free">
            <PointSetTopologyContainer name="points" position="{points}"/><PointSetTopologyModifier/>
            <MechanicalObject name="dofs"/><UniformMass vertexMass="1"/>{processor}</Node>
        <SpringForceField object1="@held/dofs" object2="@free/dofs" spring="{springs}"/></Node>"#
    )
}

#[test]
fn springs_between_states_go_with_their_points() {
    let processor =
        r#"<TopologicalChangeProcessor useDataInputs="1" pointsToRemove="0" timeToRemove="0.015"/>"#;
    let all = joined("0 1 0  1 1.2 0  2 1 0", "0 0 100 0 1  1 1 100 0.5 1  1 2 50 0 1", processor);
    // The last point gets the number of the one that goes.
    let left = joined("2 1 0  1 1.2 0", "1 0 50 0 1  1 1 100 0.5 1", "");
    let (mut s, mut never) = (scene(&all, sequential()), scene(&left, sequential()));
    for _ in 0..40 {
        s.step().expect("a step");
        never.step().expect("a step");
        s.check_plan().expect("with other springs");
    }
    let (a, b) = (&s.states()[1].position, &never.states()[1].position);
    assert_eq!((a.len(), b.len()), (2, 2));
    // Iterations of the steps before end elsewhere.
    let worst = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-9, "{worst:e}");
    assert!((a[0][1] - 1.0).abs() > 0.05, "it moves");
    let course = |options: SimulationOptions| {
        let mut s = scene(&all, options);
        for _ in 0..10 {
            s.step().expect("a step");
        }
        bits(&s)
    };
    same_bits_everywhere(course);
}

/// Fields that are computed anew for what is left, in a sheet and in a bar that lose elements.
#[test]
fn fields_are_those_of_what_is_left() {
    let sheet = |fields: &str, triangles: &str, processor: &str| {
        format!(
            r#"<Node name="root" dt="0.01" gravity="0 -9.81 0"><DefaultAnimationLoop/><Node name="sheet">{SOLVER}
            <MechanicalObject name="dofs" position="0 0 0 1 0 0 1 0 1 0 0 1 2 0 0.2 2 0 1"/>
            <TriangleSetTopologyContainer name="faces" nbPoints="6" triangles="{triangles}"/>
            <TriangleSetTopologyModifier/><UniformMass vertexMass="0.1"/>
            <FixedProjectiveConstraint indices="0 3"/>{fields}{processor}</Node></Node>"#
        )
    };
    let processor =
        r#"<TopologicalChangeProcessor useDataInputs="1" trianglesToRemove="1" timeToRemove="-1"/>"#;
    for fields in [
        r#"<TriangularBiquadraticSpringsForceField youngModulus="600" poissonRatio="0.3"/>"#,
        r#"<TriangularFEMForceField youngModulus="600" poissonRatio="0.3" method="large"/>
            <EdgePressureForceField pressure="1 0 2" edges="5 2"/>"#,
        r#"<TriangularFEMForceField youngModulus="600" poissonRatio="0.3" method="large"/>
            <PlaneForceField normal="0 1 0" d="-0.05" stiffness="50"/>"#,
    ] {
        // Triangle 1 goes, the last one gets its number; no point goes.
        let mut s = scene(&sheet(fields, "0 1 2  1 4 5  0 2 3  1 5 2", processor), sequential());
        let mut never = scene(&sheet(fields, "0 1 2  1 5 2  0 2 3", ""), sequential());
        // The first step has the removal at its beginning; what is not removed hangs on the same points.
        for _ in 0..20 {
            s.step().expect("a step");
            never.step().expect("a step");
        }
        let n = |s: &Simulation| {
            s.world().scene.topology(component(s, "/sheet/faces")).expect("faces").triangles.len()
        };
        assert_eq!((n(&s), n(&never)), (3, 3));
        let (a, b) = (&s.states()[0].position, &never.states()[0].position);
        let far = |a: &[Vec<f64>], b: &[Vec<f64>]| {
            a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        // Point 4 has no triangle any more and goes; 5 gets its number.
        assert_eq!((a.len(), b.len()), (5, 6));
        // The solver's iterations end within their tolerance, with a free point more or less at another place.
        assert!(far(&a[..4], &b[..4]) < 1e-5 && far(&a[4..], &b[5..]) < 1e-5, "{fields}: {a:?} {b:?}");
    }
}

#[test]
fn what_leaves_a_box_is_removed() {
    let text = format!(
        r#"<Node name="root" dt="0.05" gravity="0 -10 0"><DefaultAnimationLoop/><Node name="sheet">{SOLVER}
        <TriangleSetTopologyContainer name="faces" position="0 0 0 1 0 0 1 0 1 0 0 1 5 0 0 6 0 0 6 0 1"
            triangles="0 1 2 0 2 3 4 5 6"/><TriangleSetTopologyModifier/>
        <MechanicalObject name="dofs"/><UniformMass vertexMass="0.1"/>
        <FixedProjectiveConstraint indices="0 1 2 3"/>
        <TriangularFEMForceField youngModulus="600" poissonRatio="0.3" method="large"/>
        <TopologyBoundingTrasher box="-1 -0.5 -1 7 1 2"/></Node></Node>"#
    );
    let course = |options: SimulationOptions| {
        let mut s = scene(&text, options);
        let mut left = Vec::new();
        for _ in 0..10 {
            s.step().expect("a step");
            s.check_plan().expect("with what is inside");
            left.push(s.states()[0].position.len());
        }
        // The loose triangle has fallen by 0.5 after seven steps of implicit Euler, damped, at most.
        let gone = left.iter().position(|n| *n == 4).expect("it falls out");
        assert!((5..9).contains(&gone), "{left:?}");
        assert!(left[..gone].iter().all(|n| *n == 7) && left[gone..].iter().all(|n| *n == 4), "{left:?}");
        bits(&s)
    };
    same_bits_everywhere(course);
    let without = text.replace("<TriangleSetTopologyModifier/>", "");
    let e = scenes::load::load_text(&without, "test.scn", &scenes::load::LoadOptions::default()).err();
    let e = e.map(|e| e.to_string()).unwrap_or_default();
    assert!(e.contains("TopologyModifier") && e.contains("TopologyBoundingTrasher"), "{e}");
}

/// Points in elements that stay, stay where they are in them: in a distorted hexahedron what its weights make of a place is not quite that
/// place, so that weights come from the places that the scene gave, however often they are found.
#[test]
fn points_in_other_elements_do_not_jump() {
    let x = "0 0 0  1.1 -0.1 0.05  2 0.1 0  3.1 0 0  0 1 0.1  0.9 1.1 -0.1  2.1 0.9 0.1  2.9 1 0
        0.1 0 1  1 0.1 1.1  1.9 0 0.9  3 0.1 1  0 0.9 1  1.1 1 0.9  2 1.1 1  3 0.9 1.1";
    let text = format!(
        r#"<Node name="root" dt="0.01" gravity="0 0 0"><DefaultAnimationLoop/><Node name="row">{SOLVER}
        <HexahedronSetTopologyContainer position="{x}" hexahedra="0 1 5 4 8 9 13 12  1 2 6 5 9 10 14 13  2 3 7 6 10 11 15 14"/>
        <HexahedronSetTopologyModifier/><MechanicalObject name="dofs" position="{x}"/><UniformMass vertexMass="0.1"/>
        <TopologicalChangeProcessor useDataInputs="1" hexahedraToRemove="0" timeToRemove="0.015"/>
        <Node name="child"><MechanicalObject name="inside" position="2.5 0.3 0.4  2.2 0.8 0.9  1.5 0.5 0.5"/>
            <BarycentricMapping/></Node></Node></Node>"#
    );
    let mut s = scene(&text, sequential());
    let inside = |s: &Simulation| {
        s.states().into_iter().find(|s| s.path.contains("inside")).map(|s| s.position).unwrap_or_default()
    };
    let before = inside(&s).concat();
    for _ in 0..4 {
        s.step().expect("a step");
        s.check_plan().expect("with an element less");
    }
    assert_eq!(s.states()[0].position.len(), 12, "it has gone");
    let after = inside(&s).concat();
    let most = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(before.len() == 9 && most < 1e-12, "{before:?} {after:?}");
}

/// Points that a schedule moves are led on from where they began when others go, whatever numbers they get.
#[test]
fn led_points_are_led_on() {
    let sheet = |constraint: &str| {
        format!(
            r#"<Node name="root" dt="0.01" gravity="0 -9.81 0"><DefaultAnimationLoop/><Node name="sheet">{SOLVER}
            <MechanicalObject name="dofs" position="0 0 0 1 0 0 1 0 1 0 0 1 2 0 0.2 2 0 1"/>
            <TriangleSetTopologyContainer name="faces" nbPoints="6" triangles="0 1 2  1 4 5  0 2 3  1 5 2"/>
            <TriangleSetTopologyModifier/><UniformMass vertexMass="0.1"/>
            <TriangularFEMForceField youngModulus="600" poissonRatio="0.3" method="large"/>{constraint}
            <TopologicalChangeProcessor useDataInputs="1" trianglesToRemove="1" timeToRemove="0.035"/></Node></Node>"#
        )
    };
    for constraint in [
        r#"<LinearMovementProjectiveConstraint indices="0 4 5" keyTimes="0 0.2" movements="0 0 0  0 0.2 0"/>"#,
        r#"<AffineMovementProjectiveConstraint indices="0 4 5" endConstraintTime="0.2" translation="0 0.2 0"/>"#,
    ] {
        let text = sheet(constraint);
        let mut s = scene(&text, sequential());
        for _ in 0..11 {
            s.step().expect("a step");
            s.check_plan().expect("with fewer points");
        }
        // Point 4 has gone, and 5 got its number. Points lag a step behind the time.
        let x = &s.states()[0].position;
        assert_eq!(x.len(), 5);
        let far =
            |i: usize, at: [f64; 3]| x[i].iter().zip(at).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far(0, [0.0, 0.1, 0.0]) < 1e-12 && far(4, [2.0, 0.1, 1.0]) < 1e-12, "{constraint}: {x:?}");
        same_bits_everywhere(|options: SimulationOptions| {
            let mut s = scene(&text, options);
            (0..8).for_each(|_| s.step().map(|_| ()).expect("a step"));
            bits(&s)
        });
    }
}

/// Pairs that multipliers hold go with their points; the others hold on, from the multipliers that they had.
#[test]
fn held_pairs_go_with_their_points() {
    let text = |pairs: &str, points: &str, processor: &str| {
        format!(
            r#"<Node name="root" dt="0.01" gravity="0 -10 0"><FreeMotionAnimationLoop/>
            <BlockGaussSeidelConstraintSolver maxIterations="500" tolerance="1e-13"/>
            <Node name="held"><MechanicalObject name="dofs" position="0 2 0  1 2 0  2 2 0"/></Node>
            <Node name="free"><EulerImplicitSolver/><CGLinearSolver iterations="50" tolerance="1e-14" threshold="1e-14"/>
                <PointSetTopologyContainer name="points" position="{points}"/><PointSetTopologyModifier/>
                <MechanicalObject name="dofs"/><UniformMass vertexMass="1"/>
                <UncoupledConstraintCorrection/>{processor}</Node>
            <BilateralLagrangianConstraint object1="@held/dofs" object2="@free/dofs" {pairs}/></Node>"#
        )
    };
    let processor =
        r#"<TopologicalChangeProcessor useDataInputs="1" pointsToRemove="0" timeToRemove="0.045"/>"#;
    let all = text(
        r#"first_point="0 1 2" second_point="0 1 2" rest_vector="0 -1 0  0 -1 0  0 -0.5 0""#,
        "0 1 0  1 1 0  2 1.5 0  3 1 0",
        processor,
    );
    let mut s = scene(&all, sequential());
    for step in 0..20 {
        s.step().expect("a step");
        s.check_plan().expect("with fewer pairs");
        let x = &s.states()[1].position;
        // Point 0 goes, and the last one, which nothing holds, gets its number.
        let at = if step < 5 { [0, 1, 2, 3] } else { [3, 1, 2, 0] };
        assert_eq!(x.len(), if step < 5 { 4 } else { 3 });
        let held = |i: usize, y: f64| (x[i][1] - y).abs() < 1e-9;
        assert!(held(at[1], 1.0) && held(at[2], 1.5), "{step}: {x:?}");
        let free = if step < 5 { 3 } else { 0 };
        assert!(x[free][1] < 1.0 && x[free][0] == 3.0, "{step}: {x:?}");
    }
    same_bits_everywhere(|options: SimulationOptions| {
        let mut s = scene(&all, options);
        (0..10).for_each(|_| s.step().map(|_| ()).expect("a step"));
        bits(&s)
    });
}
