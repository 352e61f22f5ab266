//! Components that consist of several parts of one kind: all of them are changed, and all of them go.

use super::support::{bits, same_bits_everywhere, scene, sequential};
use components::constraint::attach;
use components::force_field::constant_force_field::ConstantForceField;
use components::force_field::spring_force_field::SpringsBetween;
use components::force_field::springs::Spring;
use components::mass::diagonal_mass::DiagonalMass;
use scenes::load::{LoadOptions, load_text};
use sim_core::component::following::RunTime;
use sim_core::component::interaction_force_field::InteractionForceFieldParts;
use weft::prelude::{
    Attributes, BuildError, Builder, ComponentDescription, Family, ForceFieldParts, LinkTarget, MassParts,
    Real, Registry, Vec3, Vec3Type,
};
use weft::simulation::{ChangeError, Simulation, SimulationOptions};

const GRID: &str = "<Node dt='0.02' gravity='0 -9.81 0'>
    <SpringForceField name='above' object1='@body/dofs' object2='@body/dofs' spring='1 7 90 1 0.4'/>
    <Node name='body'>
        <EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/>
        <CGLinearSolver iterations='60' tolerance='1e-9' threshold='1e-12' TEMPLATE/>
        <RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>
        <MechanicalObject name='dofs'/>
        <UniformMass totalMass='3'/>
        <FixedProjectiveConstraint indices='0'/>
        <ConstantForceField name='wind' indices='3' forces='2 0 1'/>
        <RegularGridSpringForceField name='grid' linesStiffness='300' damping='1' spring='0 7 90 1 0.4'/>
        <ConstantForceField name='rain' indices='5' forces='0 -1 0'/>
    </Node>
</Node>";

/// Runs both for some steps, and compares all bits.
fn are_same(a: &mut Simulation, b: &mut Simulation, what: &str) {
    for step in 0..8 {
        a.step().expect("a step");
        b.step().expect("a step");
        assert!(bits(a) == bits(b), "{what}, step {step}");
    }
    a.check_plan().expect("as one made anew");
}

/// Listed springs are one part of the component, those of the lattice another.
#[test]
fn each_part_of_a_lattice_is_changed() {
    let spring = "spring='0 7 90 1 0.4'";
    for template in ["", "template='CompressedRowSparseMatrixMat3x3d'"] {
        let text = GRID.replace("TEMPLATE", template);
        let other = |attribute: &str, value: &str| match attribute {
            "linesStiffness" => text.replace("linesStiffness='300'", &format!("linesStiffness='{value}'")),
            _ => text.replace(spring, &format!("spring='{value}'")),
        };
        for (attribute, value) in [
            ("linesStiffness", "900"),
            ("spring", "0 7 400 2 0.2"),
            ("spring", "1 2 50 0 3 0 7 9 0 1"),
            ("spring", ""),
        ] {
            let mut changed = scene(&text, sequential());
            let mut file = scene(&other(attribute, value), sequential());
            let grid = changed.find_component("/body/grid").expect("it is there");
            changed.set_attribute(grid, attribute, value).expect("it can be changed");
            are_same(&mut changed, &mut file, &format!("{attribute} {value} {template}"));
            // What was one part is two again.
            changed.set_attribute(grid, "spring", "0 7 90 1 0.4").expect("it can be changed");
            changed.set_attribute(grid, "linesStiffness", "300").expect("it can be changed");
            let grid = file.find_component("/body/grid").expect("it is there");
            file.set_attribute(grid, "spring", "0 7 90 1 0.4").expect("it can be changed");
            file.set_attribute(grid, "linesStiffness", "300").expect("it can be changed");
            are_same(&mut changed, &mut file, "back");
        }
    }
}

#[test]
fn all_parts_of_a_lattice_go() {
    for template in ["", "template='CompressedRowSparseMatrixMat3x3d'"] {
        let text = GRID.replace("TEMPLATE", template);
        let grid = "<RegularGridSpringForceField name='grid' linesStiffness='300' damping='1' spring='0 7 90 1 0.4'/>";
        let wind = "<ConstantForceField name='wind' indices='3' forces='2 0 1'/>";
        assert!(text.contains(grid) && text.contains(wind));
        let mut changed = scene(&text, sequential());
        let component = changed.find_component("/body/grid").expect("it is there");
        changed.remove_force_field(component).expect("it can go");
        are_same(&mut changed, &mut scene(&text.replace(grid, ""), sequential()), template);
        // One that goes before it, whose place in the lists its parts get.
        let mut changed = scene(&text, sequential());
        let component = changed.find_component("/body/wind").expect("it is there");
        changed.remove_force_field(component).expect("it can go");
        let component = changed.find_component("/body/grid").expect("it is there");
        changed.set_attribute(component, "linesStiffness", "900").expect("it can be changed");
        let without = text.replace(wind, "").replace("linesStiffness='300'", "linesStiffness='900'");
        are_same(&mut changed, &mut scene(&without, sequential()), template);
        changed.remove_force_field(component).expect("it can go");
        changed.step().expect("a step");
        changed.check_plan().expect("without it");
    }
}

/// What acts from above the solver, too.
#[test]
fn what_stands_above_the_solver_goes() {
    let text = GRID.replace("TEMPLATE", "");
    let above =
        "<SpringForceField name='above' object1='@body/dofs' object2='@body/dofs' spring='1 7 90 1 0.4'/>";
    assert!(text.contains(above));
    let mut changed = scene(&text, sequential());
    let component = changed.find_component("/above").expect("it is there");
    changed.remove_force_field(component).expect("it can go");
    are_same(&mut changed, &mut scene(&text.replace(above, ""), sequential()), "above");
}

/// Pulls points by several force fields, weighs them twice and joins two states twice.
#[derive(Attributes)]
struct Several {
    /// how many force fields pull
    #[attribute(default = "2")]
    count: i64,
    /// force of the first; of the others as many times as their number [N]
    #[attribute(default = "1")]
    strength: Real,
    /// what each point weighs by the first mass, and half of it by the second [kg]
    #[attribute(default = "0.5")]
    weight: Real,
    /// stiffness of the first joint, and twice that of the second [N/m]
    #[attribute(default = "20")]
    stiffness: Real,
    /// how many joints there are
    #[attribute(default = "2")]
    joints: i64,
    /// the other state
    other: Option<LinkTarget>,
}

fn build_several(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Several::read(b)?;
    let state = b.state()?;
    let n = b.size(state);
    for k in 0..s.count {
        let force = Vec3::new(0.3, 1.0, -0.2) * s.strength * (k + 1) as Real;
        let elements = vec![((k as usize % n) as u32, force)];
        b.add_force_field(state, ForceFieldParts::<ConstantForceField<Vec3Type>>::new((), elements, vec![]))?;
    }
    for share in [1.0, 0.5] {
        b.add_mass(state, MassParts::<DiagonalMass<Vec3Type>>::new((), vec![s.weight * share; n]))?;
    }
    let Some(other) = s.other else { return Ok(()) };
    let other = b.state_at(other, "other")?;
    for k in 0..s.joints as u32 {
        let stiffness = s.stiffness * Real::from(k + 1);
        let spring = Spring { i: k, j: k, stiffness, damping: 0.1, length: 0.5, elongation_only: false };
        b.add_interaction_force_field(
            state,
            other,
            InteractionForceFieldParts::<SpringsBetween<Vec3Type>>::new((), vec![spring]),
        )?;
    }
    Ok(())
}

fn registry() -> Registry {
    let mut registry = Registry::with_builtins();
    registry.register(ComponentDescription::new::<Several>(Family::Mass, "Several", build_several));
    let attached = ComponentDescription { class: "Attached", ..attach::DESCRIPTION };
    registry.register(attached.at_run_time(RunTime::All));
    registry
}

fn own(text: &str, options: SimulationOptions) -> Simulation {
    let load = LoadOptions { registry: registry(), ..LoadOptions::default() };
    let loaded = load_text(text, "test.scn", &load).unwrap_or_else(|e| panic!("{:?}", e.diagnostics));
    Simulation::new(loaded.scene, SimulationOptions { pin: false, ..options }).expect("it can be simulated")
}

fn several(attributes: &str) -> String {
    format!(
        "<Node dt='0.02' gravity='0 -9.81 0'><Node name='both'>
        <EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-14' threshold='1e-28'/>
        <Node name='a'><MechanicalObject name='dofs' position='0 0 0 1 0 0 0 1 0'/>
            <ConstantForceField name='first' indices='0' forces='1 0 0'/>
            <Several name='it' other='@../b/dofs' {attributes}/>
            <ConstantForceField name='last' indices='1' forces='0 0 1'/></Node>
        <Node name='b'><MechanicalObject name='dofs' position='0 0 2 1 0 2'/><UniformMass totalMass='1'/></Node>
        </Node></Node>"
    )
}

#[test]
fn parts_of_every_kind_are_changed_in_order() {
    let changes = [
        ("strength", "3"),
        ("weight", "0.2"),
        ("stiffness", "55"),
        ("count", "4"),
        ("count", "1"),
        ("count", "0"),
    ];
    for (attribute, value) in changes {
        let mut changed = own(&several(""), sequential());
        let mut file = own(&several(&format!("{attribute}='{value}'")), sequential());
        let it = changed.find_component("/both/a/it").expect("it is there");
        changed.set_attribute(it, attribute, value).expect("it can be changed");
        are_same(&mut changed, &mut file, &format!("{attribute} {value}"));
        // After another one has gone, whose place in the list the last part gets.
        let mut changed = own(&several(""), sequential());
        let first = changed.find_component("/both/a/first").expect("it is there");
        changed.set_attribute(it, attribute, value).expect("it can be changed");
        changed.remove_force_field(first).expect("it can go");
        changed.set_attribute(it, "strength", "2").expect("it can be changed");
        let own_value =
            if attribute == "strength" { String::new() } else { format!("{attribute}='{value}'") };
        let text = several(&format!("{own_value} strength='2'"));
        let first = "<ConstantForceField name='first' indices='0' forces='1 0 0'/>";
        assert!(text.contains(first));
        let mut file = own(&text.replace(first, ""), sequential());
        are_same(&mut changed, &mut file, &format!("{attribute} {value}, and another goes"));
    }
}

#[test]
fn parts_change_in_every_way_of_execution() {
    same_bits_everywhere(|options| {
        let mut s = own(&several(""), options);
        let it = s.find_component("/both/a/it").expect("it is there");
        for (attribute, value) in [("strength", "3"), ("stiffness", "55"), ("count", "3"), ("count", "1")] {
            s.set_attribute(it, attribute, value).expect("it can be changed");
            for _ in 0..3 {
                s.step().expect("a step");
            }
            s.check_plan().expect("as one made anew");
        }
        bits(&s)
    });
}

/// Joints cannot become more or fewer; that is said, and all is as it was.
#[test]
fn another_number_of_joints_is_refused_by_name() {
    let mut changed = own(&several(""), sequential());
    let it = changed.find_component("/both/a/it").expect("it is there");
    let refused = changed.set_attribute(it, "joints", "1").unwrap_err();
    assert!(matches!(refused, ChangeError::OtherParts(_)), "{refused}");
    let text = refused.to_string();
    assert!(
        text.contains("/both/a/it") && text.contains("1 interaction force fields where it has 2"),
        "{text}"
    );
    assert!(matches!(changed.remove_force_field(it), Err(ChangeError::NotAForceField(_))));
    are_same(&mut changed, &mut own(&several(""), sequential()), "refused");
}

/// A constraint between two states is two parts, one on each.
#[test]
fn both_ends_of_a_constraint_are_changed() {
    let text = "<Node dt='0.05' gravity='0 0 0'><Node name='both'>
        <EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-14' threshold='1e-28'/>
        <Node name='a'><MechanicalObject name='dofs' position='0 0 0 1 3 0' velocity='0 0 0 0 -1 0'/><UniformMass totalMass='2'/>
            <BoxROI name='roi' box='-9 0.9 -9 9 2.1 9' position='@dofs.position'/></Node>
        <Node name='b'><MechanicalObject name='dofs' position='0 0 2 1 0 2'/><UniformMass totalMass='2'/></Node>
        <Attached object1='@a/dofs' object2='@b/dofs' indices1='@a/roi.indices' indices2='@a/roi.indices' twoWay='1'/>
        </Node></Node>";
    same_bits_everywhere(|options| {
        let mut s = own(text, options);
        let apart = |s: &Simulation| {
            let states = s.states();
            let [a, b] = [0, 1].map(|k| states[k].position[1].clone());
            a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let mut met = 0;
        for _ in 0..40 {
            s.step().expect("a step");
            s.check_plan().expect("as one made anew");
            met += usize::from(apart(&s) < 1e-3);
        }
        assert!(met > 2, "it came into the box, and was attached");
        bits(&s)
    });
}
