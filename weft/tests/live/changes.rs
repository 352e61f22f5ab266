//! What is changed from a window: numbers of components, who computes, the spring of the mouse.

use std::sync::Arc;

use sim_core::math::Vec3;
use viewer::attribute::{Attribute, Edit};
use viewer::execution::Execution;
use viewer::pick::Grip;
use viewer::snapshot::{Command, Snapshot};
use viewer::surface::Role;
use weft::live::{Live, choices};

use super::support::{WAITING, gallery, of_text, wait};

const HANGING: &str = "<Node dt='0.01' gravity='0 -9.81 0'>
    <EulerImplicitSolver name='ode' rayleighStiffness='0.1' rayleighMass='0.5'/>
    <CGLinearSolver name='cg' iterations='60' tolerance='1e-9' threshold='1e-12'/>
    <MechanicalObject name='dofs' position='0 0 0  0 -1 0'/>
    <UniformMass name='mass' vertexMass='1'/>
    <FixedProjectiveConstraint name='fixed' indices='0'/>
    <SpringForceField name='spring' spring='0 1 100 1 1'/>
</Node>";

fn set(path: &str, attribute: &str, value: &str) -> Command {
    let (path, attribute, value) = (path.to_owned(), attribute.to_owned(), value.to_owned());
    Command::SetAttribute { path, attribute, value }
}

fn shown(s: &Snapshot, path: &str, attribute: &str) -> Attribute {
    let component = s.outline.component(path).unwrap_or_else(|| panic!("{path} in {:#?}", s.outline));
    component.attributes.iter().find(|a| a.name == attribute).expect("it is shown").clone()
}

#[test]
fn an_attribute_changes_in_the_next_step_and_what_is_shown_is_in_force() {
    let (live, _, mut link) = Live::start("hanging", WAITING, || of_text(HANGING)).expect("it begins");
    let first = wait(&mut link, |s| !s.states.is_empty());
    assert_eq!(shown(&first, "/mass", "vertexMass").edit, Edit::Numbers(vec![1.0]));
    (0..600).for_each(|_| link.tell(Command::Step));
    let low = |s: &Snapshot| s.states[0].point(1).y;
    // m g / k below its rest length.
    let rest = wait(&mut link, |s| s.step == 600);
    assert!((low(&rest) + 1.0 + 9.81 / 100.0).abs() < 1e-3, "{}", low(&rest));
    assert!(Arc::ptr_eq(&first.outline, &rest.outline), "it is not copied with every state");
    link.tell(set("/mass", "vertexMass", "2"));
    link.tell(set("/spring", "spring", "0 1 50 1 1"));
    (0..1200).for_each(|_| link.tell(Command::Step));
    let lower = wait(&mut link, |s| s.step == 1800);
    assert!((low(&lower) + 1.0 + 2.0 * 9.81 / 50.0).abs() < 1e-3, "{}", low(&lower));
    assert_eq!(shown(&lower, "/mass", "vertexMass").value, "2");
    assert_eq!(shown(&lower, "/spring", "spring").value, "0 1 50 1 1");
    // What the simulation does not take is not shown.
    link.tell(set("/mass", "vertexMass", "-5"));
    let refused = wait(&mut link, |s| s.refusal.is_some());
    assert!(refused.refusal.as_ref().is_some_and(|r| r.contains("`vertexMass`")), "{:?}", refused.refusal);
    assert_eq!(shown(&refused, "/mass", "vertexMass").value, "2");
    for (command, why) in [
        (set("/mass", "vertexMas", "1"), "did you mean `vertexMass`?"),
        (set("/fixed", "indices", "1"), "cannot change while the simulation runs"),
        (set("/none", "x", "1"), "there is no component /none"),
    ] {
        link.tell(command);
        wait(&mut link, |s| s.refusal.as_ref().is_some_and(|r| r.contains(why)));
    }
    // After a reset the scene's own values are in force.
    link.tell(Command::Reset);
    let anew = wait(&mut link, |s| s.resets == 1);
    assert_eq!((anew.refusal.as_deref(), anew.step), (None, 0));
    assert_eq!(shown(&anew, "/mass", "vertexMass").value, "1");
    (0..600).for_each(|_| link.tell(Command::Step));
    assert_eq!(low(&wait(&mut link, |s| s.step == 600)), low(&rest));
    drop(link);
    live.join();
}

#[test]
fn what_is_seen_of_a_force_field_changes_with_its_attributes() {
    let text = "<Node>
        <EulerImplicitSolver/><CGLinearSolver/><MechanicalObject position='0 9 0'/><UniformMass totalMass='1'/>
        <PlaneForceField name='floor' d='1' showPlaneSize='2'/>
    </Node>";
    let (live, viewed, mut link) = Live::start("plane", WAITING, || of_text(text)).expect("it begins");
    assert!(viewed.surfaces.iter().any(|s| s.path == "/floor"));
    assert!(wait(&mut link, |s| !s.states.is_empty()).changed.is_empty());
    link.tell(set("/floor", "d", "-3"));
    link.tell(set("/floor", "planeColor", "1 0 0 1"));
    let low = wait(&mut link, |s| s.changed.first().is_some_and(|f| f.look.color == [1.0, 0.0, 0.0, 1.0]));
    let [floor] = &low.changed[..] else { panic!("{:?}", low.changed) };
    assert_eq!((floor.path.as_str(), floor.role), ("/floor", Role::Force));
    let corners = floor.motion.points(&low.states);
    assert!(corners.len() == 4 && corners.iter().all(|c| c.y == -3.0), "{corners:?}");
    link.tell(set("/floor", "showPlane", "0"));
    wait(&mut link, |s| s.changed.first().is_some_and(|f| f.faces.quads.is_empty()));
    link.tell(Command::Reset);
    assert!(wait(&mut link, |s| s.resets == 1).changed.is_empty());
    drop(link);
    live.join();
}

#[test]
fn who_computes_changes_while_it_runs_and_no_bit_of_the_states() {
    let names = choices();
    assert!(names.most_workers >= 2);
    let run = |hands: bool| {
        let (live, _, mut link) = Live::start("stack", WAITING, || gallery("stack", 1)).expect("it begins");
        let mut executions = Vec::new();
        let mut step = 0;
        for executor in ["replay", "stealing", "fork-join", "sequential", "replay"] {
            for partitioner in &names.partitioners {
                let executor = *names.executors.iter().find(|e| **e == executor).expect("it can be chosen");
                let wanted = Execution { workers: 2, partitioner, executor };
                if hands {
                    link.tell(Command::SetExecution(wanted));
                }
                (0..8).for_each(|_| link.tell(Command::Step));
                step += 8;
                let s = wait(&mut link, |s| s.step == step);
                assert_eq!(s.refusal, None);
                executions.push((s.execution, wanted));
            }
        }
        let last = wait(&mut link, |s| s.step == step).states;
        if hands {
            assert!(executions.iter().all(|(shown, wanted)| shown == wanted), "{executions:?}");
            link.tell(Command::SetExecution(Execution { executor: "magic", ..executions[0].1 }));
            let refused = wait(&mut link, |s| s.refusal.is_some());
            assert!(refused.refusal.is_some_and(|r| r.contains("no executor `magic`")));
            link.tell(Command::SetExecution(Execution { workers: 0, ..executions[0].1 }));
            wait(&mut link, |s| s.refusal.as_ref().is_some_and(|r| r.contains("at least 1")));
            // It stays after a reset.
            link.tell(Command::SetExecution(executions[0].1));
            link.tell(Command::Reset);
            assert_eq!(wait(&mut link, |s| s.resets == 1).execution, executions[0].1);
        }
        drop(link);
        live.join();
        last
    };
    assert!(run(true) == run(false));
}

#[test]
fn a_held_spring_takes_another_stiffness_at_once() {
    let text = "<Node dt='0.01' gravity='0 -9.81 0'>
        <EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>
        <MechanicalObject position='0 0 0'/><UniformMass totalMass='1'/>
    </Node>";
    let (live, _, mut link) = Live::start("body", WAITING, || of_text(text)).expect("it begins");
    let grip = Grip {
        state: 0,
        index: 0,
        local: Vec3::zeros(),
        at: Vec3::zeros(),
        depth: 1.0,
        direction: Vec3::z(),
    };
    link.tell(Command::SetStiffness(5.0));
    link.tell(Command::Grasp(grip, 1000.0));
    (0..300).for_each(|_| link.tell(Command::Step));
    let held = wait(&mut link, |s| s.step == 300).states[0].point(0);
    assert!((held.y + 9.81 / 1000.0).abs() < 1e-3, "{held}");
    link.tell(Command::SetStiffness(100.0));
    (0..400).for_each(|_| link.tell(Command::Step));
    let softer = wait(&mut link, |s| s.step == 700);
    assert!((softer.states[0].point(0).y + 9.81 / 100.0).abs() < 1e-3, "{}", softer.states[0].point(0));
    drop(link);
    live.join();
}

#[test]
fn what_the_mouse_points_at_is_removed() {
    let text = "<Node dt='0.01' gravity='0 0 0'>
        <EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>
        <TriangleSetTopologyContainer position='0 0 0 1 0 0 1 0 1 0 0 1' triangles='0 1 2 0 2 3'/>
        <TriangleSetTopologyModifier/><MechanicalObject/><UniformMass vertexMass='1'/>
        <TriangularFEMForceField youngModulus='10' poissonRatio='0.3'/>
    </Node>";
    let (live, _, mut link) = Live::start("sheet", WAITING, || of_text(text)).expect("it begins");
    let at = Vec3::new(0.9, 0.0, 0.4);
    let grip = Grip { state: 0, index: 0, local: Vec3::zeros(), at, depth: 1.0, direction: Vec3::z() };
    link.tell(Command::Remove(grip));
    // It is seen at once, though nothing runs.
    let seen = wait(&mut link, |s| !s.changed.is_empty());
    let sheet = seen.changed.iter().find(|s| s.role == Role::Behavior).expect("it is seen");
    assert_eq!((seen.step, sheet.faces.triangles.len(), seen.states[0].len()), (0, 1, 3));
    link.tell(Command::Step);
    let cut = wait(&mut link, |s| s.step == 1);
    // The triangle at x is gone, and point 1, which it had for itself; the last point has its number.
    assert_eq!((cut.refusal.clone(), cut.states[0].len()), (None, 3));
    assert_eq!(cut.states[0].point(1), Vec3::z());
    link.tell(Command::Remove(Grip { state: 7, ..grip }));
    let refused = wait(&mut link, |s| s.refusal.is_some());
    assert!(refused.refusal.as_ref().is_some_and(|r| r.contains("Modifier")), "{:?}", refused.refusal);
    drop(link);
    live.join();
}

#[test]
fn the_element_that_was_pointed_at_goes_and_not_the_one_whose_middle_is_near() {
    // A large triangle, and a small one at its long side.
    let text = "<Node dt='0.01' gravity='0 0 0'>
        <EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>
        <TriangleSetTopologyContainer position='0 0 0  10 0 0  0 10 0  7 7 0' triangles='0 1 2  1 3 2'/>
        <TriangleSetTopologyModifier/><MechanicalObject/><UniformMass vertexMass='1'/>
        <TriangularFEMForceField youngModulus='10' poissonRatio='0.3'/>
    </Node>";
    let (live, _, mut link) = Live::start("sheet", WAITING, || of_text(text)).expect("it begins");
    let at = Vec3::new(6.0, 3.9, 0.0);
    let grip = Grip { state: 0, index: 1, local: Vec3::zeros(), at, depth: 1.0, direction: Vec3::z() };
    link.tell(Command::Remove(grip));
    let seen = wait(&mut link, |s| !s.changed.is_empty());
    // The corner that only the large one had is gone with it.
    let left: Vec<Vec3> = (0..seen.states[0].len()).map(|k| seen.states[0].point(k)).collect();
    assert!(left.len() == 3 && !left.contains(&Vec3::zeros()), "{left:?}");
    drop(link);
    live.join();
}

/// What is removed and what its rows are called hang on the container, not on a grid beside it.
#[test]
fn a_topology_that_cannot_follow_says_what_to_do() {
    let text = "<Node dt='0.01' gravity='0 0 0'>
        <EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>
        <RegularGridTopology name='grid' n='3 3 1' min='0 0 0' max='2 2 0'/>
        <TriangleSetTopologyContainer name='c' position='@grid.position' triangles='@grid.triangles'/>
        <TriangleSetTopologyModifier/><MechanicalObject/><UniformMass vertexMass='1'/>
        <TriangularFEMForceField youngModulus='10' poissonRatio='0.3'/>
    </Node>";
    let (live, _, mut link) = Live::start("sheet", WAITING, || of_text(text)).expect("it begins");
    let at = Vec3::new(0.2, 0.1, 0.0);
    let grip = Grip { state: 0, index: 0, local: Vec3::zeros(), at, depth: 1.0, direction: Vec3::z() };
    link.tell(Command::Remove(grip));
    let refused = wait(&mut link, |s| s.refusal.is_some()).refusal.expect("it was waited for");
    assert!(refused.contains("/grid") && refused.contains("node of its own"), "{refused}");
    drop(link);
    live.join();
}

#[test]
fn what_is_taken_in_the_place_of_a_value_is_shown_and_said() {
    let (live, _, mut link) = Live::start("hanging", WAITING, || of_text(HANGING)).expect("it begins");
    link.tell(set("/cg", "tolerance", "-1"));
    let replaced = wait(&mut link, |s| s.refusal.is_some());
    assert!(replaced.refusal.as_ref().is_some_and(|r| r.contains("1e-5 is used")), "{:?}", replaced.refusal);
    assert_eq!(shown(&replaced, "/cg", "tolerance").edit, Edit::Numbers(vec![1e-5]));
    link.tell(set("/cg", "iterations", "2.7"));
    let refused = wait(&mut link, |s| s.refusal.as_ref().is_some_and(|r| r.contains("iterations")));
    assert_eq!(shown(&refused, "/cg", "iterations").edit, Edit::Integer(60), "{:?}", refused.refusal);
    drop(link);
    live.join();
}
