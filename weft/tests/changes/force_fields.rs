//! The spring by which a mouse pulls a body comes and goes by plan updates; its target moves without any.

use super::support::{bits, falling, same_bits_everywhere, scene};
use sim_core::math::Vec3;
use sim_core::scene::StateId;
use sim_core::visitor::vectors::StateVectors;
use weft::prelude::MouseSpring;
use weft::simulation::{ChangeError, PlanChange, Simulation, SimulationOptions};

fn spring(target: Vec3) -> MouseSpring {
    MouseSpring { index: 0, local: Vec3::new(0.1, 0.0, 0.2), target, stiffness: 400.0, damping: 5.0 }
}

/// An independent state of either type, and a mapped one.
fn grips(s: &Simulation) -> [StateId; 3] {
    let world = s.world();
    let moved = || world.objects.iter().filter(|o| o.solver.is_some());
    let root = |rigid: bool| {
        let is = |o: &&sim_core::visitor::object::Object| {
            matches!(world.vectors[o.root.0 as usize], StateVectors::Rigid3(_)) == rigid
        };
        moved().find(is).expect("one of each").root
    };
    let mapped = moved().filter_map(|o| o.states.get(1)).next_back().expect("a mapped state");
    [root(false), root(true), *mapped]
}

/// A heap falls while bodies are pulled about, so that contacts and groups come and go too.
fn course(merges: bool, options: SimulationOptions) -> Vec<u64> {
    let mut s = falling("9", merges, options);
    let mut held = Vec::new();
    let mut n_updated = 0;
    for step in 0..150 {
        if step % 40 == 20 {
            let up = Vec3::new(0.0, 3.0, 0.0);
            for state in grips(&s) {
                held.push(s.attach_body(state, spring(up)).expect("it can be held"));
                s.check_plan().expect("with the spring");
            }
        }
        for (k, c) in held.iter().enumerate() {
            let spring = s.mouse_spring_mut(*c).expect("it is there");
            *spring.target += Vec3::new(0.02 * k as f64, 0.01, -0.015);
            *spring.stiffness *= 1.01;
        }
        if step % 40 == 45 % 40 {
            for c in held.drain(..) {
                s.remove_force_field(c).expect("it is there");
                s.check_plan().expect("without the spring");
                assert!(s.mouse_spring_mut(c).is_none());
            }
        }
        if s.step().expect("a step").plan == PlanChange::Updated {
            n_updated += 1;
            s.check_plan().expect("an updated plan equals one made anew");
        }
    }
    assert!(n_updated > 15, "only {n_updated} steps changed their plan");
    bits(&s)
}

#[test]
fn springs_come_and_go_while_a_heap_falls() {
    same_bits_everywhere(|options| course(true, options));
}

#[test]
fn springs_come_and_go_where_contacts_act_outside_all_solvers() {
    same_bits_everywhere(|options| course(false, options));
}

const BAR: &str = "<Node dt='0.02' gravity='0 -9.81 0'>
    <Node name='bar'>
        <EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/>
        <CGLinearSolver iterations='60' tolerance='1e-9' threshold='1e-12' TEMPLATE/>
        <RegularGridTopology n='5 2 2' min='0 -0.5 -0.5' max='4 0.5 0.5'/>
        <MechanicalObject name='dofs'/>
        <UniformMass totalMass='4'/>
        <HexahedronFEMForceField youngModulus='4000' poissonRatio='0.3'/>
        SPRING
    </Node>
    <Node name='other'>
        <EulerExplicitSolver/>
        <MechanicalObject name='dofs' position='9 9 9'/>
        <UniformMass totalMass='1'/>
    </Node>
</Node>";

fn bar(template: &str, spring: &str) -> Simulation {
    let text = BAR.replace("TEMPLATE", template).replace("SPRING", spring);
    scene(&text, SimulationOptions { threads: 2, ..SimulationOptions::default() })
}

/// With and without an assembled matrix, whose pattern must follow.
#[test]
fn an_added_spring_does_what_one_of_the_file_does() {
    for template in ["", "template='CompressedRowSparseMatrixMat3x3d'"] {
        let written = "<MouseSpringForceField index='3' target='5 3 0' stiffness='90' damping='2' localPosition='0 0 0'/>";
        let (mut file, mut added) = (bar(template, written), bar(template, ""));
        let dofs = added.find_state("/bar/dofs").expect("it is there");
        let target = Vec3::new(5.0, 3.0, 0.0);
        let spring = MouseSpring { index: 3, local: Vec3::zeros(), target, stiffness: 90.0, damping: 2.0 };
        let held = added.attach_body(dofs, spring).expect("it can be held");
        for step in 0..60 {
            assert_eq!(file.step().is_ok(), added.step().is_ok());
            assert!(file.state_hash().unwrap() == added.state_hash().unwrap(), "{template}, step {step}");
        }
        let let_go = file.find_component("/bar/MouseSpringForceField1").expect("it is there");
        file.remove_force_field(let_go).expect("one of the file can go too");
        added.remove_force_field(held).expect("it is there");
        // What comes back is as if it had never been away.
        let held = added.attach_body(dofs, spring).expect("it can be held again");
        added.remove_force_field(held).expect("it is there");
        for step in 0..60 {
            assert!(file.step().is_ok() && added.step().is_ok());
            file.check_plan().expect("without the spring");
            assert!(file.state_hash().unwrap() == added.state_hash().unwrap(), "{template}, step {step}");
        }
    }
}

#[test]
fn what_is_pulled_follows_the_target_and_no_plan_changes() {
    let mut s = bar("", "");
    let dofs = s.find_state("/bar/dofs").expect("it is there");
    s.step().expect("a step");
    let target = Vec3::new(2.0, 2.0, 0.0);
    let spring = MouseSpring { index: 9, local: Vec3::zeros(), target, stiffness: 400.0, damping: 40.0 };
    let held = s.attach_body(dofs, spring).expect("it can be held");
    assert_eq!(s.step().expect("a step").plan, PlanChange::Updated);
    for goal in [Vec3::new(2.0, 2.0, 0.0), Vec3::new(-1.0, 3.0, 1.0)] {
        for _ in 0..400 {
            let to = s.mouse_spring_mut(held).expect("it is there");
            *to.target += (goal - *to.target) * 0.1;
            *to.stiffness = 500.0;
            assert_eq!(s.step().expect("a step").plan, PlanChange::Replayed);
        }
        let at = &s.states()[0].position[9];
        // The weight of the bar, 4 kg, hangs on the spring.
        let expected = goal - Vec3::new(0.0, 4.0 * 9.81 / 500.0, 0.0);
        let miss = (Vec3::new(at[0], at[1], at[2]) - expected).norm();
        assert!(miss < 0.06, "{at:?} instead of {expected:?}");
    }
}

#[test]
fn gravity_and_the_time_step_change_from_one_step_to_the_next() {
    let mut s = scene(
        "<Node dt='0.1' gravity='0 -10 0'><EulerExplicitSolver/>
         <MechanicalObject name='dofs' position='0 0 0'/><UniformMass totalMass='2'/></Node>",
        SimulationOptions::default(),
    );
    let mut expected = Vec3::zeros();
    for (gravity, dt) in [([0.0, -10.0, 0.0], 0.1), ([3.0, 0.0, 1.0], 0.1), ([0.0, 4.0, 0.0], 0.05)] {
        let gravity = Vec3::from(gravity);
        s.set_gravity(gravity).expect("it is finite");
        s.set_dt(dt).expect("it is positive");
        assert_ne!(s.step().expect("a step").plan, PlanChange::Updated);
        expected += gravity * dt;
        let v = &s.states()[0].velocity[0];
        assert!((Vec3::new(v[0], v[1], v[2]) - expected).norm() < 1e-12, "{v:?} instead of {expected:?}");
        assert_eq!(s.gravity(), gravity);
    }
    assert!(s.set_gravity(Vec3::new(f64::NAN, 0.0, 0.0)).is_err() && s.set_dt(-1.0).is_err());
}

#[test]
fn what_cannot_be_done_is_said() {
    let mut s = scene(
        "<Node><MechanicalObject name='dofs' position='0 0 0'/><Node name='a'><EulerExplicitSolver/>
         <MechanicalObject name='dofs' position='0 0 0'/><UniformMass totalMass='1'/></Node></Node>",
        SimulationOptions::default(),
    );
    let (fixed, moved) = (s.find_state("/dofs").unwrap(), s.find_state("/a/dofs").unwrap());
    let there = spring(Vec3::zeros());
    let before = s.world().scene.all_components().count();
    assert!(matches!(s.attach_body(fixed, there), Err(ChangeError::NotSimulated(p)) if p == "/dofs"));
    assert!(matches!(s.attach_body(StateId(7), there), Err(ChangeError::NoSuchState(7))));
    let beyond = MouseSpring { index: 4, ..there };
    assert!(matches!(s.attach_body(moved, beyond), Err(ChangeError::NoSuchPoint { n: 1, index: 4, .. })));
    let wrong = MouseSpring { stiffness: -1.0, ..there };
    assert!(matches!(s.attach_body(moved, wrong), Err(ChangeError::OutOfRange { name: "stiffness", .. })));
    let wrong = MouseSpring { target: Vec3::new(0.0, f64::NAN, 0.0), ..there };
    assert!(matches!(s.attach_body(moved, wrong), Err(ChangeError::OutOfRange { name: "target", .. })));
    assert_eq!(s.world().scene.all_components().count(), before);
    let mass = s.find_component("/a/UniformMass1").expect("it is there");
    assert!(matches!(s.remove_force_field(mass), Err(ChangeError::NotAForceField(_))));
    s.step().expect("nothing was changed");
}
