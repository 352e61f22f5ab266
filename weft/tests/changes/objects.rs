//! Objects come to a falling heap and go again.

use super::support::{bits, falling, of_elements, same_bits_everywhere, ways};
use scenes::load::LoadOptions;
use weft::prelude::Element;
use weft::simulation::{ChangeError, PlanChange, Simulation, SimulationOptions};

/// A soft cube with a solver and a collision model of its own.
fn cube(name: &str, [x, y, z]: [f64; 3]) -> Element {
    let corner = |d: f64| format!("{} {} {}", x + d, y + d, z + d);
    Element::node(name)
        .child(Element::new("EulerImplicitSolver").with("rayleighStiffness", 0.1).with("rayleighMass", 0.1))
        .child(
            Element::new("CGLinearSolver")
                .with("iterations", 25)
                .with("tolerance", 1e-9)
                .with("threshold", 1e-9),
        )
        .child(
            Element::new("RegularGridTopology")
                .with("n", "3 3 3")
                .with("min", corner(0.0))
                .with("max", corner(0.6)),
        )
        .child(Element::new("MechanicalObject").with("name", "dofs"))
        .child(Element::new("UniformMass").with("totalMass", 2))
        .child(Element::new("RegularGridSpringForceField").with("stiffness", 300).with("damping", 1))
        .child(
            Element::node("surface")
                .child(Element::new("MechanicalObject").with("position", corner(0.3)))
                .child(Element::new("BarycentricMapping")),
        )
        .child(Element::new("SphereCollisionModel").with("radius", 0.2))
}

/// A rigid ball.
fn ball(name: &str, [x, y, z]: [f64; 3]) -> Element {
    Element::node(name)
        .child(Element::new("EulerImplicitSolver").with("rayleighStiffness", 0.1).with("rayleighMass", 0.1))
        .child(Element::new("CGLinearSolver").with("iterations", 25))
        .child(
            Element::new("MechanicalObject")
                .with("template", "Rigid3")
                .with("position", format!("{x} {y} {z} 0 0 0 1")),
        )
        .child(Element::new("UniformMass").with("totalMass", 3))
        .child(Element::new("SphereCollisionModel").with("radius", 0.4))
}

fn add(s: &mut Simulation, element: Element) -> sim_core::scene::NodeId {
    let root = s.world().scene.root();
    let added = s.add_object(root, element, &LoadOptions::default()).expect("it fits");
    s.check_plan().expect("with the new object");
    added.node
}

/// Objects come every few steps, above the heap or inside of each other, and go after a while, first those that came last.
fn course(merges: bool, options: SimulationOptions) -> Vec<u64> {
    let mut s = falling("7", merges, options);
    let mut there = Vec::new();
    let mut n_contacts = 0;
    for step in 0u32..130 {
        let k = f64::from(step);
        match step % 20 {
            // Before the first step too.
            0 => there.push(add(&mut s, cube(&format!("cube{step}"), [0.1 * (k / 20.0), 1.0, 0.0]))),
            7 => there.push(add(&mut s, ball(&format!("ball{step}"), [0.3, 1.2, 0.01 * k]))),
            15 if step > 40 => {
                for node in there.split_off(there.len() - 2) {
                    s.remove_object(node).expect("it is there");
                    s.check_plan().expect("without the object");
                }
            }
            _ => {}
        }
        if step == 100 {
            // One of the file goes too.
            let first = s.world().objects.iter().find(|o| o.solver.is_some()).expect("one is there").root;
            let mut node = s.world().scene.component(s.world().scene.component_of_state(first)).node;
            let root = s.world().scene.root();
            while s.world().scene.node(node).parent != Some(root) {
                node = s.world().scene.node(node).parent.expect("below the root");
            }
            s.remove_object(node).expect("nobody needs it");
            s.check_plan().expect("without the first object");
        }
        let report = s.step().expect("a step");
        n_contacts = n_contacts.max(report.contacts);
        if report.plan == PlanChange::Updated {
            s.check_plan().expect("an updated plan equals one made anew");
        }
    }
    assert!(n_contacts > 20, "only {n_contacts} contacts");
    bits(&s)
}

#[test]
fn objects_come_and_go_while_a_heap_falls() {
    same_bits_everywhere(|options| course(true, options));
}

#[test]
fn objects_come_and_go_where_contacts_act_outside_all_solvers() {
    same_bits_everywhere(|options| course(false, options));
}

const WORLD: &str = "<Node dt='0.02' gravity='0 -9.81 0'>
    <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
    <NewProximityIntersection alarmDistance='0.1' contactDistance='0.05'/>
    <CollisionResponse response='PenalityContactForceField'/><CollisionGroupManager/>
    <Node name='floor'>
        <MechanicalObject name='dofs' position='0 -0.8 0'/>
        <SphereCollisionModel radius='0.8' simulated='false' moving='false' contactStiffness='100'/>
    </Node>
</Node>";

fn world(content: &[Element], options: SimulationOptions) -> Simulation {
    let mut root = scenes::parse::parse_text(WORLD, "test.scn").expect("well formed").root;
    root.children.extend_from_slice(content);
    of_elements(root, options)
}

fn two_bodies() -> [Element; 2] {
    [cube("a", [-0.3, 0.1, -0.3]), ball("b", [0.1, 1.4, 0.05])]
}

#[test]
fn what_is_added_before_the_first_step_moves_as_what_the_file_has() {
    for options in ways() {
        let [a, b] = two_bodies();
        let mut file = world(&[a.clone(), b.clone(), cube("c", [0.0, 2.2, 0.1])], options.clone());
        let mut added = world(&[], options);
        for body in [a, b, cube("c", [0.0, 2.2, 0.1])] {
            add(&mut added, body);
        }
        let mut n_contacts = 0;
        for step in 0..120 {
            n_contacts = n_contacts.max(file.step().expect("a step").contacts);
            added.step().expect("a step");
            assert_eq!(file.state_hash().unwrap(), added.state_hash().unwrap(), "step {step}");
        }
        assert!(n_contacts > 2, "only {n_contacts} contacts");
    }
}

#[test]
fn what_comes_and_goes_without_touching_leaves_no_trace() {
    let [a, b] = two_bodies();
    let options = SimulationOptions { threads: 2, ..SimulationOptions::default() };
    let mut alone = world(&[a.clone(), b.clone()], options.clone());
    let mut visited = world(&[a, b], options);
    let mut guest = None;
    for step in 0..90 {
        match step % 30 {
            5 => guest = Some(add(&mut visited, cube("guest", [20.0, 5.0, 0.0]))),
            25 => visited.remove_object(guest.take().expect("it came")).expect("it is there"),
            _ => {}
        }
        alone.step().expect("a step");
        visited.step().expect("a step");
        if guest.is_none() {
            assert_eq!(alone.state_hash().unwrap(), visited.state_hash().unwrap(), "step {step}");
        }
    }
    visited.check_plan().expect("as if nobody had come");
    assert_eq!(visited.states().len(), alone.states().len());
    assert_eq!(visited.census().n_objects, 2);
}

/// Springs that join what comes with what is there; their node can go with or before either end, not an end before them.
#[test]
fn springs_between_what_comes_and_what_is_there_follow() {
    let springs = |first: &str, second: &str| {
        Element::node("link").child(
            Element::new("SpringForceField")
                .with("object1", format!("@/{first}/dofs"))
                .with("object2", format!("@/{second}/dofs"))
                .with("spring", "0 0 50 0.5 1.0  1 2 50 0.5 1.0"),
        )
    };
    same_bits_everywhere(|options| {
        let mut s = world(&[cube("a", [0.0, 0.2, 0.0])], options);
        for _ in 0..5 {
            s.step().expect("a step");
        }
        let c = add(&mut s, cube("c", [3.0, 0.4, 0.0]));
        let link = add(&mut s, springs("a", "c"));
        for _ in 0..20 {
            s.step().expect("a step");
            s.check_plan().expect("with springs");
        }
        let needed = s.remove_object(c).expect_err("the springs need it");
        assert_eq!(needed.to_string(), "/link/SpringForceField1 needs /c/dofs; remove it first, or with it");
        s.remove_object(link).expect("nobody needs it");
        s.check_plan().expect("without springs");
        s.remove_object(c).expect("nobody needs it any more");
        s.check_plan().expect("without the cube");
        for _ in 0..20 {
            s.step().expect("a step");
        }
        bits(&s)
    });
}

#[test]
fn what_cannot_come_or_go_is_said_and_nothing_has_changed() {
    let [a, b] = two_bodies();
    let mut s = world(&[a, b], SimulationOptions { threads: 2, ..SimulationOptions::default() });
    for _ in 0..30 {
        s.step().expect("a step");
    }
    let before = (s.states().len(), s.world().scene.mark(), s.world().objects.len());
    let options = LoadOptions::default();
    let root = s.world().scene.root();
    let nowhere = sim_core::scene::NodeId(999);
    let e = s.add_object(nowhere, cube("c", [0.0; 3]), &options).expect_err("no such node");
    assert!(matches!(e, ChangeError::NoSuchNode(999)));
    let wrong = Element::node("c").child(Element::new("MechanicalObjct"));
    let e = s.add_object(root, wrong, &options).expect_err("no such class");
    assert!(matches!(&e, ChangeError::Load(l) if l.errors().next().unwrap().suggestion.is_some()), "{e}");
    let e = s.add_object(root, Element::new("MechanicalObject"), &options).expect_err("not a node");
    assert!(matches!(e, ChangeError::Load(_)));
    let mapped = Element::node("c")
        .child(Element::new("MechanicalObject").with("position", "0 0.3 0"))
        .child(Element::new("BarycentricMapping").with("input", "@/a/dofs"));
    let e = s.add_object(root, mapped, &options).expect_err("its input was there before");
    assert!(matches!(&e, ChangeError::DoesNotFit(_)), "{e}");
    assert!(matches!(s.remove_object(root), Err(ChangeError::Root)));
    assert!(matches!(s.remove_object(nowhere), Err(ChangeError::NoSuchNode(999))));
    assert_eq!((s.states().len(), s.world().scene.mark(), s.world().objects.len()), before);
    s.check_plan().expect("as before");
    let a = s.find_node("/a").expect("it is there");
    s.remove_object(a).expect("nobody needs it");
    assert!(matches!(s.remove_object(a), Err(ChangeError::NoSuchNode(_))));
    s.step().expect("a step");
}

/// A node goes that holds a solver and a spring between two bodies outside: the spring's unit goes with its solver.
#[test]
fn a_spring_between_bodies_outside_goes_with_its_solver() {
    same_bits_everywhere(|options| {
        let [a, b] = two_bodies();
        let mut s = world(&[a, b], options);
        let link = |name: &str| {
            cube(name, [9.0, 3.0, 0.0]).child(
                Element::new("SpringForceField")
                    .with("object1", "@/a/dofs")
                    .with("object2", "@/a/surface/MechanicalObject1")
                    .with("spring", "0 0 50 0.5 1.0"),
            )
        };
        // Before there is a plan, and after.
        for name in ["c", "d"] {
            let node = add(&mut s, link(name));
            for _ in 0..3 {
                s.step().expect("a step");
                s.check_plan().expect("with the spring");
            }
            s.remove_object(node).expect("nobody needs it");
            s.check_plan().expect("without the spring");
            s.step().expect("a step");
        }
        let outside = cube("e", [9.0, 3.0, 0.0]).child(
            Element::new("SpringForceField")
                .with("object1", "@/a/dofs")
                .with("object2", "@/f/dofs")
                .with("spring", "0 0 50 0.5 1.0"),
        );
        add(&mut s, cube("f", [0.0, 2.5, 0.0]));
        let node = add(&mut s, outside);
        s.step().expect("a step");
        s.remove_object(node).expect("nobody needs it");
        s.check_plan().expect("without the spring");
        for _ in 0..10 {
            s.step().expect("a step");
        }
        bits(&s)
    });
}

/// Where a part of the solver's masses couples points, its steps are others: it goes back to the simple ones when that goes.
#[test]
fn an_explicit_solver_follows_the_kinds_of_masses_that_come_and_go() {
    let points = |name: &str, mass: &str| {
        Element::node(name)
            .child(
                Element::new("RegularGridTopology")
                    .with("n", "2 2 2")
                    .with("min", "0 0 0")
                    .with("max", "1 1 1"),
            )
            .child(Element::new("MechanicalObject").with("name", "dofs"))
            .child(Element::new(mass).with("totalMass", 2))
            .child(
                Element::new("HexahedronFEMForceField").with("youngModulus", 100).with("poissonRatio", 0.3),
            )
    };
    same_bits_everywhere(|options| {
        let text = "<Node dt='0.002' gravity='0 -9.81 0'><EulerExplicitSolver/>
            <CGLinearSolver iterations='30' tolerance='1e-12' threshold='1e-12'/></Node>";
        let mut root = scenes::parse::parse_text(text, "test.scn").expect("well formed").root;
        root = root.child(points("a", "UniformMass")).child(points("b", "MeshMatrixMass"));
        root = root.child(points("c", "UniformMass"));
        let mut s = of_elements(root, options);
        s.step().expect("a step");
        for name in ["b", "a"] {
            let node = s.find_node(&format!("/{name}")).expect("it is there");
            s.remove_object(node).expect("nobody needs it");
            s.check_plan().unwrap_or_else(|e| panic!("without {name}: {e}"));
            s.step().expect("a step");
        }
        let node = add(&mut s, points("d", "MeshMatrixMass"));
        s.step().expect("a step");
        s.remove_object(node).expect("nobody needs it");
        s.check_plan().expect("without d");
        s.step().expect("a step");
        bits(&s)
    });
}

/// The worker that tests the pairs of each object, in the last step.
fn narrow_phase_workers(s: &mut Simulation) -> Vec<(u32, u32)> {
    s.observe(true);
    s.step().expect("a step");
    let record = s.record().expect("it was observed");
    s.observe(false);
    let run =
        record.runs.iter().find(|r| r.phase == weft::record::Phase::NarrowPhase).expect("a narrow phase");
    let mut found = Vec::new();
    for activity in &run.activities {
        if let engine::exec::Deed::Task { task, .. } = activity.deed {
            let first = run.graph.tasks[task.0 as usize].objects[0];
            found.push((first, activity.worker));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What comes at run time is tested by the workers that it was given to, as what was there at first is.
#[test]
fn the_narrow_phase_of_what_comes_is_shared() {
    let options = SimulationOptions { threads: 2, ..SimulationOptions::default() };
    let mut s = world(&[], options);
    s.step().expect("a step without objects");
    for k in 0..6 {
        let at = [0.1 * f64::from(k % 2), 0.1 + 0.65 * f64::from(k), 0.0];
        add(&mut s, cube(&format!("cube{k}"), at));
    }
    for _ in 0..4 {
        s.step().expect("a step");
    }
    let found = narrow_phase_workers(&mut s);
    for worker in [0, 1] {
        assert!(found.iter().filter(|f| f.1 == worker).count() > 1, "{found:?}");
    }
    // Whoever is moved between workers later on is so in all plans.
    for _ in 0..140 {
        s.step().expect("a step");
    }
    s.check_plan().expect("after moves");
}

/// A scene without a pipeline gets one with what is added, and may become empty.
#[test]
fn a_pipeline_may_come_later_and_all_may_go() {
    let mut s = world(&[], SimulationOptions { threads: 2, ..SimulationOptions::default() });
    s.step().expect("a step without objects");
    let floor = s.find_node("/floor").expect("it is there");
    let ball = add(&mut s, ball("b", [0.05, 0.5, 0.0]));
    let touches = (0..60).any(|_| s.step().expect("a step").contacts > 0);
    assert!(touches, "the ball touches the floor");
    s.remove_object(floor).expect("nobody needs it");
    s.check_plan().expect("without contacts");
    assert_eq!(s.step().expect("a step").contacts, 0);
    s.remove_object(ball).expect("nobody needs it");
    s.check_plan().expect("without objects");
    s.step().expect("a step without objects");
    assert!(s.states().is_empty());
}
