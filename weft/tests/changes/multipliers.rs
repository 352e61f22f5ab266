//! Bodies that multipliers hold come to a running scene and go again.

use super::support::{bits, of_elements, same_bits_everywhere, scene};
use scenes::load::LoadOptions;
use sim_core::math::Vec3;
use sim_core::scene::NodeId;
use weft::prelude::Element;
use weft::simulation::{ChangeError, PlanChange, Simulation, SimulationOptions};

const WORLD: &str = r#"<Node name="root" dt="0.01" gravity="0 -9.81 0"><FreeMotionAnimationLoop/>
    <BlockGaussSeidelConstraintSolver tolerance="1e-12" maxIterations="2000"/>
    <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
    <NewProximityIntersection alarmDistance="0.1" contactDistance="0.02"/>
    <CollisionResponse response="FrictionContactConstraint" responseParams="mu=0.3"/>
    <Node name="floor">
        <MeshTopology position="-90 0 -50  90 0 -50  0 0 150" triangles="0 2 1"/>
        <MechanicalObject name="points" position="-90 0 -50  90 0 -50  0 0 150"/>
        <TriangleCollisionModel simulated="0" moving="0"/>
    </Node></Node>"#;

/// A rigid brick with its corners as a collision model, pulled up through a mapping.
fn brick(name: &str, [x, y, z]: [f64; 3]) -> Element {
    let corner = |k: usize| {
        let side = |bit: usize, half: f64| if k >> bit & 1 == 1 { half } else { -half };
        format!("{} {} {} ", side(0, 0.3), side(1, 0.1), side(2, 0.2))
    };
    Element::node(name)
        .child(Element::new("EulerImplicitSolver"))
        .child(Element::new("SparseLDLSolver").with("template", "CompressedRowSparseMatrix"))
        .child(
            Element::new("MechanicalObject")
                .with("name", "frame")
                .with("template", "Rigid3")
                .with("position", format!("{x} {y} {z} 0 0 0 1")),
        )
        .child(Element::new("UniformMass").with("totalMass", 2))
        .child(Element::new("UncoupledConstraintCorrection"))
        .child(
            Element::node("corners")
                .child(
                    Element::new("MechanicalObject")
                        .with("name", "corners")
                        .with("position", (0..8).map(corner).collect::<String>()),
                )
                .child(Element::new("PointCollisionModel"))
                .child(Element::new("RigidMapping")),
        )
}

/// Two points on a spring, corrected by the factors of their matrix; a nail holds the first.
fn pendulum(name: &str, [x, y, z]: [f64; 3]) -> Element {
    Element::node(name)
        .child(Element::new("EulerImplicitSolver"))
        .child(Element::new("SparseLDLSolver"))
        .child(
            Element::new("MechanicalObject")
                .with("name", "points")
                .with("position", format!("{x} {y} {z}  {} {y} {z}", x + 0.5)),
        )
        .child(Element::new("UniformMass").with("totalMass", 1))
        .child(Element::new("SpringForceField").with("spring", "0 1 500 1 0.5"))
        .child(Element::new("FixedLagrangianConstraint").with("indices", "0"))
        .child(Element::new("LinearSolverConstraintCorrection"))
}

fn add(s: &mut Simulation, element: Element) -> NodeId {
    let root = s.world().scene.root();
    s.add_object(root, element, &LoadOptions::default()).expect("it fits").node
}

fn remove(s: &mut Simulation, node: NodeId) {
    s.remove_object(node).expect("nobody needs it");
}

fn steps(s: &mut Simulation, n: usize) {
    (0..n).for_each(|_| {
        s.step().expect("a step");
    });
}

/// Those that came first go first: what the constraints keep from step to step belongs to them.
fn course(options: SimulationOptions) -> Vec<u64> {
    let mut s = scene(WORLD, options);
    steps(&mut s, 2);
    let mut there = Vec::new();
    for k in 0..5 {
        let x = f64::from(k);
        there.push(add(&mut s, brick(&format!("brick{k}"), [0.1 * x, 0.3 + 0.15 * x, 0.05 * x])));
        there.push(add(&mut s, pendulum(&format!("pendulum{k}"), [2.0 + x, 1.0, 0.0])));
        steps(&mut s, 12);
        if k > 1 {
            let first = there.remove(0);
            remove(&mut s, first);
            steps(&mut s, 3);
        }
    }
    let joint = Element::node("joint").child(
        Element::new("BilateralLagrangianConstraint")
            .with("object1", "@/pendulum3/points")
            .with("object2", "@/pendulum4/points")
            .with("first_point", 1)
            .with("second_point", 1),
    );
    let joint = add(&mut s, joint);
    steps(&mut s, 20);
    let pendulum = there[there.len() - 1];
    let refused = s.remove_object(pendulum).expect_err("the joint needs it");
    assert!(matches!(refused, ChangeError::StillNeeded(_)), "{refused}");
    remove(&mut s, joint);
    remove(&mut s, pendulum);
    steps(&mut s, 10);
    bits(&s)
}

#[test]
fn bodies_come_and_go_under_multipliers() {
    same_bits_everywhere(course);
}

/// The place of the second point of a pendulum.
fn end(s: &Simulation, name: &str) -> Vec<f64> {
    let states = s.states();
    let state = states.iter().find(|v| v.path.contains(name)).expect("it is there");
    state.position[1].to_vec()
}

#[test]
fn a_joint_added_to_a_running_scene_holds_and_one_removed_lets_go() {
    let mut s = scene(WORLD, SimulationOptions::default());
    add(&mut s, pendulum("a", [0.0, 3.0, 0.0]));
    add(&mut s, pendulum("b", [1.0, 3.0, 0.0]));
    steps(&mut s, 3);
    let nail = Element::node("nail")
        .child(Element::new("MechanicalObject").with("name", "nail").with("position", "0.5 3 0"))
        .child(
            Element::new("BilateralLagrangianConstraint")
                .with("object1", "@nail")
                .with("object2", "@/a/points")
                .with("first_point", 0)
                .with("second_point", 1),
        );
    let nail = add(&mut s, nail);
    steps(&mut s, 30);
    let (a, b) = (end(&s, "/a/"), end(&s, "/b/"));
    assert!((a[0] - 0.5).abs() + (a[1] - 3.0).abs() < 1e-9, "{a:?}");
    assert!(b[1] < 2.7, "{b:?}");
    remove(&mut s, nail);
    steps(&mut s, 30);
    let a = end(&s, "/a/");
    assert!(a[1] < 2.7, "{a:?}");
}

/// What touches again has rows again, as long as it has been near: the graph stays.
#[test]
fn near_bodies_touch_again_without_another_plan() {
    // With a wall beside it: what is above it is near.
    let tray = r#"<Node name="tray">
        <MeshTopology position="-5 1 -5  5 1 -5  5 1 5  -5 1 5  -5 4 -5  -5 4 5" triangles="0 2 1  0 3 2  0 4 5  0 5 3"/>
        <MechanicalObject name="points" position="-5 1 -5  5 1 -5  5 1 5  -5 1 5  -5 4 -5  -5 4 5"/>
        <TriangleCollisionModel simulated="0" moving="0"/>
    </Node><Node name="floor">"#;
    let mut s = scene(&WORLD.replace(r#"<Node name="floor">"#, tray), SimulationOptions::default());
    add(&mut s, brick("brick", [0.0, 1.3, 0.0]));
    steps(&mut s, 40);
    let mut fall = |up: f64, n: usize| {
        s.set_gravity(Vec3::new(0.0, up, 0.0)).expect("a vector");
        steps(&mut s, 1);
        let report = |_| s.step().expect("a step");
        (0..n).map(report).map(|r| (r.plan, r.contacts > 0)).collect::<Vec<_>>()
    };
    assert!(fall(-9.81, 1)[0].1, "it lies there");
    let (rises, falls) = (fall(9.81, 25), fall(-9.81, 80));
    let touches = |all: &[(PlanChange, bool)]| all.iter().map(|s| s.1).collect::<Vec<_>>();
    assert!(!touches(&rises)[24] && !touches(&falls)[0] && touches(&falls)[79], "{falls:?}");
    assert!(rises.iter().chain(&falls).all(|s| s.0 == PlanChange::Replayed), "{rises:?} {falls:?}");
}

/// A wall that a ball breaks, its multipliers swept over by the motions of bricks.
#[test]
fn a_wall_breaks_alike_under_all_executors() {
    same_bits_everywhere(|options| {
        let set =
            [("courses", "3"), ("length", "3")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let wall = scenes::gallery::find("bricks").and_then(|s| s.elements(&set)).expect("a gallery scene");
        let mut s = of_elements(wall, options);
        steps(&mut s, 60);
        bits(&s)
    });
}
