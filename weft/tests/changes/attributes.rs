//! Numbers of components change while the simulation runs.

use super::support::{bits, same_bits_everywhere, scene};
use sim_core::component::value::Value;
use weft::simulation::{ChangeError, Simulation, SimulationOptions};

const SCENE: &str = "<Node dt='0.02' gravity='0 -9.81 0'>
    <Node name='a'>
        <EulerImplicitSolver name='ode' rayleighStiffness='0.1' rayleighMass='0.1'/>
        <CGLinearSolver name='cg' iterations='60' tolerance='1e-9' threshold='1e-12' TEMPLATE/>
        <RegularGridTopology n='4 2 2' min='0 -0.5 -0.5' max='3 0.5 0.5'/>
        <MechanicalObject name='dofs'/>
        <UniformMass name='mass' totalMass='4'/>
        <FixedProjectiveConstraint name='fixed' indices='0 4 8 12'/>
        <HexahedronFEMForceField name='fem' youngModulus='4000' poissonRatio='0.3'/>
    </Node>
    <Node name='b'>
        <EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/>
        <CGLinearSolver iterations='60' tolerance='1e-9' threshold='1e-12'/>
        <RegularGridTopology n='3 3 3' min='4 -0.5 -0.5' max='5 0.5 0.5'/>
        <MechanicalObject name='dofs'/>
        <UniformMass totalMass='3'/>
        <RegularGridSpringForceField name='grid' stiffness='300' damping='1'/>
    </Node>
    <SpringForceField name='link' object1='@a/dofs' object2='@b/dofs' spring='3 0 90 1 1.1'/>
</Node>";

/// Component, attribute, and the text that it has in the scene, and another one.
const CHANGES: &[(&str, &str, &str, &str)] = &[
    ("/a/ode", "rayleighStiffness", "name='ode' rayleighStiffness='0.1'", "0.02"),
    ("/a/ode", "rayleighMass", "name='ode' rayleighStiffness='0.1' rayleighMass='0.1'", "0.5"),
    ("/a/cg", "iterations", "name='cg' iterations='60'", "3"),
    ("/a/cg", "tolerance", "name='cg' iterations='60' tolerance='1e-9'", "1e-2"),
    ("/a/mass", "totalMass", "name='mass' totalMass='4'", "9"),
    ("/a/fem", "youngModulus", "name='fem' youngModulus='4000'", "9000"),
    ("/a/fem", "poissonRatio", "name='fem' youngModulus='4000' poissonRatio='0.3'", "0.4"),
    ("/b/grid", "stiffness", "name='grid' stiffness='300'", "700"),
    ("/b/grid", "damping", "name='grid' stiffness='300' damping='1'", "4"),
    ("/link", "spring", "spring='3 0 90 1 1.1'", "3 0 200 2 0.9"),
];

fn with(text: &str, options: SimulationOptions) -> Simulation {
    scene(text, options)
}

/// With and without an assembled matrix.
#[test]
fn a_changed_number_does_what_that_of_the_file_does() {
    for template in ["", "template='CompressedRowSparseMatrixMat3x3d'"] {
        let text = SCENE.replace("TEMPLATE", template);
        let options = SimulationOptions { threads: 2, ..SimulationOptions::default() };
        for &(component, attribute, written, value) in CHANGES {
            let (before, _) = written.rsplit_once('=').expect("an attribute");
            let other = format!("{before}='{value}'");
            assert!(text.contains(written), "{written}");
            let mut file = with(&text.replace(written, &other), options.clone());
            let mut changed = with(&text, options.clone());
            let mut untouched = with(&text, options.clone());
            let id = changed.find_component(component).expect("it is there");
            changed.set_attribute(id, attribute, value).expect("it can be changed");
            for _ in 0..10 {
                file.step().expect("a step");
                changed.step().expect("a step");
                untouched.step().expect("a step");
            }
            changed.check_plan().expect("with the other number");
            let hash = |s: &Simulation| s.state_hash().expect("finite");
            assert_eq!(hash(&file), hash(&changed), "{component} {attribute}");
            assert_ne!(hash(&file), hash(&untouched), "{component} {attribute} has no effect");
        }
    }
}

#[test]
fn numbers_change_while_it_runs() {
    let text = SCENE.replace("TEMPLATE", "");
    same_bits_everywhere(|options| {
        let mut s = with(&text, options);
        for &(component, attribute, _, value) in CHANGES {
            for _ in 0..5 {
                s.step().expect("a step");
            }
            let id = s.find_component(component).expect("it is there");
            s.set_attribute(id, attribute, value).expect("it can be changed");
            s.check_plan().expect("with the other number");
        }
        s.step().expect("a step");
        bits(&s)
    });
}

#[test]
fn what_cannot_change_is_said_with_what_may_be_meant() {
    let mut s = with(&SCENE.replace("TEMPLATE", ""), SimulationOptions::default());
    s.step().expect("a step");
    let fem = s.find_component("/a/fem").expect("it is there");
    let mut said = |path: &str, attribute: &str, value: &str| {
        let id = s.find_component(path).expect("it is there");
        s.set_attribute(id, attribute, value).expect_err("it cannot").to_string()
    };
    let text = said("/a/fem", "youngModul", "1");
    assert!(text.contains("/a/fem: attribute `youngModul`"), "{text}");
    assert!(text.ends_with("did you mean `youngModulus`?"), "{text}");
    assert!(said("/a/fem", "youngModulus", "stiff").contains("is not a finite number"));
    assert!(said("/a/ode", "rayleighMass", "-5").contains("must not be negative"));
    assert!(said("/a/dofs", "position", "0 0 0").contains("cannot change while the simulation runs"));
    assert!(said("/a/fixed", "indices", "0").contains("cannot change while the simulation runs"));
    assert_eq!(s.attribute(fem, "youngModulus"), Some(&Value::Reals(vec![4000.0])));
    let nobody = sim_core::scene::ComponentId(999);
    assert!(matches!(s.set_attribute(nobody, "x", "1"), Err(ChangeError::NoSuchComponent(999))));
    s.check_plan().expect("as before");
}

/// A value with which the integrator could not move the body is refused, and all goes on as before.
#[test]
fn a_number_that_the_solver_cannot_do_with_is_refused() {
    let text = "<Node dt='0.01'>
        <RungeKutta4Solver/>
        <RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>
        <MechanicalObject name='dofs'/>
        <MeshMatrixMass name='mass' totalMass='1' lumping='1'/>
    </Node>";
    let mut changed = scene(text, SimulationOptions::default());
    let mut left_alone = scene(text, SimulationOptions::default());
    changed.step().unwrap();
    left_alone.step().unwrap();
    let mass = changed.find_component("/mass").expect("it is there");
    let refused = changed.set_attribute(mass, "lumping", "0").unwrap_err();
    assert!(matches!(refused, ChangeError::DoesNotFit(_)), "{refused}");
    assert!(refused.to_string().contains("not diagonal"), "{refused}");
    assert_eq!(changed.attribute(mass, "lumping"), left_alone.attribute(mass, "lumping"));
    for _ in 0..5 {
        changed.step().unwrap();
        left_alone.step().unwrap();
        changed.check_plan().unwrap();
    }
    assert_eq!(bits(&changed), bits(&left_alone));
}

/// A mass of elements is measured where the points of the file are, also where a constraint moved one of them afterwards.
#[test]
fn what_is_built_again_sees_what_it_saw_before_constraints_moved_points() {
    let text = "<Node dt='0.01' gravity='0 -9.81 0'>
        <EulerExplicitSolver/>
        <RegularGridTopology n='3 2 2' min='0 0 0' max='2 1 1'/>
        <MechanicalObject name='dofs'/>
        <MeshMatrixMass name='mass' totalMass='2' lumping='1'/>
        <PointProjectiveConstraint indices='0' point='-3 0 0'/>
        <RegularGridSpringForceField stiffness='100'/>
    </Node>";
    let mut file = with(&text.replace("totalMass='2'", "totalMass='5'"), SimulationOptions::default());
    let mut changed = with(text, SimulationOptions::default());
    let mass = changed.find_component("/mass").expect("it is there");
    changed.set_attribute(mass, "totalMass", "5").expect("it can be changed");
    for _ in 0..5 {
        file.step().expect("a step");
        changed.step().expect("a step");
    }
    assert_eq!(bits(&file), bits(&changed));
}

/// As SOFA stores its `reset_position`: the state that the simulation begins with, and not that of the file.
#[test]
fn what_is_held_where_it_began_is_held_where_constraints_had_put_it() {
    let text = "<Node dt='0.01' gravity='0 0 0'>
        <EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-12' threshold='1e-20'/>
        <MechanicalObject name='dofs' position='0 0 0 1 0 0'/>
        <UniformMass totalMass='2'/>
        <FixedWeakConstraint name='held' indices='0 1' stiffness='50'/>
        <PointProjectiveConstraint indices='0' point='-3 0 0' endTime='0.025'/>
    </Node>";
    let mut s = with(text, SimulationOptions::default());
    let (begin, held) = (bits(&s), s.find_component("/held").expect("it is there"));
    for step in 0..8 {
        s.step().expect("a step");
        assert_eq!(bits(&s), begin, "step {step}");
        if step == 5 {
            s.set_attribute(held, "stiffness", "90").expect("it can be changed");
        }
    }
}
