//! Engines whose inputs change while a scene runs, and what is linked to them.

use super::support::{bits, same_bits_everywhere, scene, sequential};
use engine::exec::Deed;
use scenes::load::{LoadOptions, load_text};
use sim_core::scene::ComponentId;
use weft::record::Phase;
use weft::simulation::{Execution, ExecutorKind, Simulation, SimulationOptions};

const SOLVER: &str =
    r#"<EulerImplicitSolver/><CGLinearSolver iterations="100" tolerance="1e-14" threshold="1e-14"/>"#;

fn component(s: &Simulation, path: &str) -> ComponentId {
    let scene = &s.world().scene;
    scene.all_components().find(|c| scene.path(*c) == path).expect("it is there")
}

fn positions(s: &Simulation, state: usize) -> Vec<[f64; 3]> {
    s.states()[state].position.iter().map(|x| [x[0], x[1], x[2]]).collect()
}

fn root(inside: &str) -> String {
    format!(r#"<Node name="root" dt="0.1" gravity="0 -10 0"><DefaultAnimationLoop/>{inside}</Node>"#)
}

/// A point that falls out of a box is held no longer; one that falls into it is held from then on.
#[test]
fn who_is_inside_of_a_box_is_found_in_every_step() {
    let falling = |solver: &str, constraint: &str| {
        root(&format!(
            r#"<Node name="points">{solver}<MechanicalObject name="dofs" position="0 0 0  1 3 0" velocity="0 0 0  0 -1 0"/>
            <UniformMass vertexMass="1"/>
            <BoxROI name="roi" box="-9 0.9 -9  9 2.1 9" position="@dofs.position"/>{constraint}</Node>"#
        ))
    };
    let direct = "<EulerImplicitSolver/><SparseLDLSolver/>";
    let fixed = ["FixedProjectiveConstraint", "PartialFixedProjectiveConstraint"];
    for (class, solver) in fixed.into_iter().flat_map(|c| [(c, SOLVER), (c, direct)]) {
        let text = falling(solver, &format!(r#"<{class} indices="@roi.indices"/>"#));
        let mut s = scene(&text, sequential());
        let fixed: Vec<f64> = (0..12)
            .map(|_| {
                s.step().expect("a step");
                s.check_plan().expect("with other points");
                positions(&s, 0)[1][1]
            })
            .collect();
        // As SOFA's: what comes into the box keeps the velocity that it has.
        let mut expected = Vec::new();
        let (mut x, mut v) = (3.0_f64, -1.0_f64);
        for _ in 0..12 {
            let held = (0.9..=2.1).contains(&x);
            v -= if held { 0.0 } else { 1.0 };
            x += 0.1 * v;
            expected.push(x);
        }
        let worst = fixed.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{class}: {fixed:?} {expected:?}");
        assert!(fixed.last().is_some_and(|y| *y < 0.9), "it came and went");
        same_bits_everywhere(|options: SimulationOptions| {
            let mut s = scene(&text, options);
            (0..12).for_each(|_| drop(s.step().expect("a step")));
            bits(&s)
        });
    }
}

/// With `doUpdate="0"` who is inside is found once, as in SOFA, and nothing says that it changes.
#[test]
fn who_was_inside_of_a_box_stays_held_without_updates() {
    for region in [
        r#"BoxROI box="-9 0.9 -9  9 2.1 9""#,
        r#"SphereROI centers="0 1.5 0" radii="0.6""#,
        r#"PlaneROI plane="-9 1.5 -9  9 1.5 -9  9 1.5 9  1.2""#,
    ] {
        let text = root(&format!(
            r#"<Node name="points">{SOLVER}<MechanicalObject name="dofs" position="0 3 0  0 1.5 0" velocity="0 -1 0  0 -1 0"/>
            <UniformMass vertexMass="1"/>
            <{region} name="roi" position="@dofs.position" doUpdate="0"/>
            <FixedProjectiveConstraint indices="@roi.indices"/>
            <Node><MechanicalObject/><SubsetMapping indices="@../roi.indices"/></Node></Node>"#
        ));
        let loaded = load_text(&text, "t.scn", &LoadOptions::default()).expect("a scene");
        assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
        let mut s = scene(&text, sequential());
        let (mut x, mut v) = (3.0_f64, -1.0_f64);
        for step in 1..=12 {
            s.step().expect("a step");
            v -= 1.0;
            x += 0.1 * v;
            let [falls, held] = positions(&s, 0)[..] else { panic!("two points") };
            assert!((falls[1] - x).abs() < 1e-12, "{region}: {falls:?} instead of {x}");
            let kept = 1.5 - 0.1 * f64::from(step);
            assert!((held[1] - kept).abs() < 1e-12, "{region}: {held:?} instead of {kept}");
        }
    }
}

/// Pairs of near points are those of the beginning, whichever points a region has by now.
#[test]
fn pairs_of_near_points_stay_as_they_were() {
    let text = root(&format!(
        r#"<Node name="points">{SOLVER}<MechanicalObject name="dofs" position="0 3 0  1 1.5 0" velocity="0 -1 0  0 -1 0"/>
        <UniformMass vertexMass="1"/>
        <BoxROI name="roi" box="-9 0.9 -9  9 2.1 9" position="@dofs.position"/>
        <NearestPointROI name="near" object1="@dofs" object2="@dofs" radius="0.1" inputIndices1="@roi.indices" inputIndices2="@roi.indices"/>
        <FixedProjectiveConstraint indices="@near.indices1"/></Node>"#
    ));
    let mut s = scene(&text, sequential());
    (0..12).for_each(|_| drop(s.step().expect("a step")));
    let [falls, held] = positions(&s, 0)[..] else { panic!("two points") };
    assert!((falls[1] - (3.0 - 1.2 - 0.1 * 78.0)).abs() < 1e-12, "{falls:?}");
    assert!((held[1] - 0.3).abs() < 1e-12, "{held:?}");
}

/// A state is where an engine says, which is linked to another state by way of a second engine; what is mapped from it follows.
#[test]
fn a_state_goes_where_engines_say() {
    let text = root(&format!(
        r#"<Node name="led"><TransformEngine name="twice" input_position="@shift.output_position" scale="2 2 2"/>
            <MechanicalObject name="dofs" position="@twice.output_position"/>
            <Node name="mapped"><MechanicalObject name="dofs" position="7 7 7"/>
                <SubsetMapping indices="1"/></Node></Node>
        <TransformEngine name="shift" input_position="@points/dofs.position" translation="1 0 0"/>
        <Node name="points">{SOLVER}<MechanicalObject name="dofs" position="0 0 0  1 3 0"/><UniformMass vertexMass="1"/></Node>"#
    ));
    let loaded = load_text(&text, "t.scn", &LoadOptions::default()).expect("a scene");
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let mut s = scene(&text, sequential());
    for _ in 0..5 {
        s.step().expect("a step");
        let (led, mapped, free) = (positions(&s, 0), positions(&s, 1), positions(&s, 2));
        let expected: Vec<[f64; 3]> =
            free.iter().map(|x| [2.0 * (x[0] + 1.0), 2.0 * x[1], 2.0 * x[2]]).collect();
        assert_eq!(led, expected, "at the end of the step");
        assert_eq!(mapped[0], expected[1]);
    }
    assert!(positions(&s, 0)[0][1] < -2.0, "it falls");
}

/// Numbers that are edited go along links: through engines, and to force fields.
#[test]
fn what_is_edited_is_followed() {
    let text = root(&format!(
        r#"<TransformEngine name="shift" input_position="0 0 0" translation="1 0 0"/>
        <Node name="led"><MechanicalObject name="dofs" position="@../shift.output_position"/></Node>
        <Node name="points">{SOLVER}<MechanicalObject name="dofs" position="0 0 0"/><UniformMass vertexMass="1"/>
            <ConstantForceField name="first" indices="0" forces="0 4 0"/>
            <ConstantForceField name="second" indices="0" forces="@first.forces"/></Node>"#
    ));
    let mut s = scene(&text, sequential());
    s.step().expect("a step");
    assert_eq!(positions(&s, 0), [[1.0, 0.0, 0.0]]);
    let velocity = |s: &Simulation| s.states()[1].velocity[0][1];
    let before = velocity(&s);
    assert!((before - -0.2).abs() < 1e-12, "{before}");
    let (shift, first) = (component(&s, "/shift"), component(&s, "/points/first"));
    s.set_attribute(shift, "translation", "5 6 7").expect("an engine");
    s.set_attribute(first, "forces", "0 5 0").expect("a force field");
    s.step().expect("a step");
    assert_eq!(positions(&s, 0), [[5.0, 6.0, 7.0]]);
    assert!((velocity(&s) - before).abs() < 1e-12, "both push with 5");
}

/// What a processor removes is what its lists lead to when it is due; what a list leads to afterwards is renumbered, too.
#[test]
fn lists_of_elements_are_those_of_the_moment() {
    let text = root(&format!(
        r#"<RegularGridTopology name="grid" n="4 2 2" min="0 0 0" max="3 1 1"/>
        <Node name="bar">{SOLVER}<MechanicalObject name="dofs" topology="@../grid" velocity="1 0 0"/>
            <HexahedronSetTopologyContainer name="cells" src="@../grid"/><HexahedronSetTopologyModifier/>
            <UniformMass vertexMass="1"/>
            <BoxROI name="roi" box="3.25 -99 -9  9 99 9" position="@dofs.position" hexahedra="@cells.hexahedra" strict="0"/>
            <MeshROI name="unused" position="@dofs.rest_position" ROIposition="0 0 0 1 0 0 0 1 0 0 0 1" ROItriangles="0 1 2 0 2 3 0 3 1 1 3 2"/>
            <TopologicalChangeProcessor useDataInputs="1" timeToRemove="-1" interval="0.05" hexahedraToRemove="@roi.hexahedronIndices"/></Node>"#
    ));
    let mut s = scene(&text, sequential());
    let cells = component(&s, "/bar/cells");
    let left: Vec<usize> = (0..20)
        .map(|_| {
            s.step().expect("a step");
            s.world().scene.topology(cells).expect("a topology").hexahedra.len()
        })
        .collect();
    // The middles begin at 0.5, 1.5 and 2.5, and move at 1 m/s: beyond 3.25 after 0.75, 1.75 and 2.75 s.
    let expected: Vec<usize> = (0..20).map(|k| 3 - usize::from(k >= 8) - usize::from(k >= 18)).collect();
    assert_eq!(left, expected);
}

/// A list that is read once says so, and an engine that reads a file.
#[test]
fn what_does_not_follow_is_named() {
    let text = root(&format!(
        r#"<Node name="points">{SOLVER}<MechanicalObject name="dofs" position="0 0 0  1 0 0"/><UniformMass vertexMass="1"/>
        <BoxROI name="roi" box="-9 -9 -9  9 9 9" position="@dofs.position"/>
        <LinearMovementProjectiveConstraint indices="@roi.indices" keyTimes="0 1" movements="0 0 0 0 1 0"/></Node>"#
    ));
    let loaded = load_text(&text, "t.scn", &LoadOptions::default()).expect("a scene");
    let found: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert!(
        found.len() == 1 && found[0].contains("read once") && found[0].contains("LinearMovement"),
        "{found:?}"
    );
}

/// A list that leads to a point that there is not ends the step, which says where.
#[test]
fn what_cannot_follow_ends_the_step() {
    let text = root(&format!(
        r#"<Node name="points">{SOLVER}<MechanicalObject name="dofs" position="0 0 0"/><UniformMass vertexMass="1"/>
        <Node name="others"><MechanicalObject name="dofs" position="0 0 0  1 0.3 0"/></Node>
        <BoxROI name="roi" box="-9 -9 -9  9 9 9" position="@others/dofs.position"/>
        <ConstantForceField name="push" indices="@roi.indicesOut" totalForce="1 0 0"/></Node>"#
    ));
    let mut s = scene(&text, sequential());
    s.step().expect("nothing is outside");
    let roi = component(&s, "/points/roi");
    s.set_attribute(roi, "box", "-9 -9 -9  9 0.1 9").expect("a box");
    let failure = s.step().expect_err("there is one point only");
    assert!(failure.component.contains("push") && failure.message.contains('1'), "{failure:?}");
}

/// Engines side by side, and one that takes what two of them have: tasks before and after a step, which a profile sees.
#[test]
fn engines_are_tasks_of_a_graph() {
    let engine = |name: &str, from: &str, x: usize| {
        format!(r#"<TransformEngine name="{name}" input_position="@{from}" translation="{x} 0 0"/>"#)
    };
    let side: String = (0..6).map(|k| engine(&format!("e{k}"), "points/dofs.position", k)).collect();
    let last = engine("last", "both.points", 9);
    let led: String = ["e0.output_position", "e5.output_position", "last.output_position"]
        .iter()
        .map(|from| format!(r#"<Node><MechanicalObject position="@../{from}"/></Node>"#))
        .collect();
    let text = root(&format!(
        r#"{led}{last}<MergePoints name="both" position1="@e1.output_position" position2="@e2.output_position"/>{side}
        <Node name="points">{SOLVER}<MechanicalObject name="dofs" position="0 0 0  1 3 0"/><UniformMass vertexMass="1"/></Node>"#
    ));
    let mut s = scene(&text, sequential());
    s.observe(true);
    s.step().expect("a step");
    let record = s.record().expect("an observed step");
    let of_links = record.runs.iter().filter(|run| run.phase == Phase::Links);
    let ran: Vec<Vec<&str>> = of_links
        .map(|run| {
            let tasks = run.activities.iter().filter_map(|a| match a.deed {
                Deed::Task { task, .. } => Some(&*run.graph.tasks[task.0 as usize].name),
                _ => None,
            });
            tasks.collect()
        })
        .collect();
    assert_eq!(ran.len(), 2, "before the step and after it");
    for tasks in ran {
        let count = |name: &str| tasks.iter().filter(|t| **t == name).count();
        assert_eq!([count("look"), count("TransformEngine"), count("MergePoints")], [1, 7, 1], "{tasks:?}");
    }
    let free = positions(&s, 3);
    let expected: Vec<[f64; 3]> =
        [10.0, 11.0].iter().flat_map(|d| free.iter().map(move |x| [x[0] + d, x[1], x[2]])).collect();
    assert_eq!(positions(&s, 2), expected);
    same_bits_everywhere(|options| {
        let mut s = scene(&text, options);
        (0..5).for_each(|_| drop(s.step().expect("a step")));
        bits(&s)
    });
}

/// Engines go on where others compute from then on.
#[test]
fn links_hold_whoever_computes() {
    let text = root(&format!(
        r#"<Node name="led"><TransformEngine name="shift" input_position="@../points/dofs.position" translation="1 0 0"/>
            <MechanicalObject name="dofs" position="@shift.output_position"/></Node>
        <Node name="points">{SOLVER}<MechanicalObject name="dofs" position="0 0 0"/><UniformMass vertexMass="1"/></Node>"#
    ));
    let mut s = scene(&text, sequential());
    let before = s.execution();
    for (executor, threads) in
        [(ExecutorKind::Replay, 2), (ExecutorKind::ForkJoin, 2), (ExecutorKind::Stealing, 3)]
    {
        for execution in [Execution { executor, threads, ..before }, before] {
            s.set_execution(execution).expect("it can be changed");
            (0..3).for_each(|_| drop(s.step().expect("a step")));
            let (led, free) = (positions(&s, 0)[0], positions(&s, 1)[0]);
            assert_eq!(led, [free[0] + 1.0, free[1], free[2]]);
        }
    }
    assert!(positions(&s, 1)[0][1] < 0.0, "it falls");
}

/// Engines are linked to what comes and goes, by several workers.
#[test]
fn links_are_renewed_with_the_scene() {
    let text = root(&format!(
        r#"<Node name="led"><TransformEngine name="shift" input_position="@../points/dofs.position" translation="1 0 0"/>
            <MechanicalObject name="dofs" position="@shift.output_position"/></Node>
        <Node name="points">{SOLVER}<MechanicalObject name="dofs" position="0 0 0"/><UniformMass vertexMass="1"/></Node>
        <Node name="other">{SOLVER}<MechanicalObject name="dofs" position="5 0 0"/><UniformMass vertexMass="1"/></Node>"#
    ));
    same_bits_everywhere(|options| {
        let mut s = scene(&text, options);
        let step = |s: &mut Simulation| {
            s.step().expect("a step");
            let (led, free) = (positions(s, 0)[0], positions(s, 1)[0]);
            assert_eq!(led, [free[0] + 1.0, free[1], free[2]]);
        };
        (0..3).for_each(|_| step(&mut s));
        let other = component(&s, "/other/dofs");
        let node = s.world().scene.component(other).node;
        s.remove_object(node).expect("it may go");
        (0..3).for_each(|_| step(&mut s));
        bits(&s)
    });
}
