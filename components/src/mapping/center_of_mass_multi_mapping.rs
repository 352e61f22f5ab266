//! `CenterOfMassMultiMapping` and `CenterOfMassMulti2Mapping`: the centre of mass of several states.

use sim_core::prelude::*;

use super::center_of_mass_mapping::masses_of;
use super::subset_multi_mapping::{gather_centers, several_ends};
use super::weighted_points::{Share, WeightedMapping, add_shares};

/// The centre of mass of several states, as a point.
#[derive(Attributes)]
struct Settings {
    /// states that have masses; the output belongs to the first one's object
    input: Vec<LinkTarget>,
}

/// The centre of mass of states of two templates, as a point.
#[derive(Attributes)]
struct OfTwoTemplates {
    /// states of points; the output belongs to the first one's object
    input1: Vec<LinkTarget>,
    /// states of frames
    input2: Vec<LinkTarget>,
}

/// The class `CenterOfMassMultiMapping`.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mapping, "CenterOfMassMultiMapping", build)
        .templates(&["Vec3,Vec3", "Rigid3,Vec3"])
        .samples(&[Sample::new("input='{input} {other}'").template("Vec3,Vec3")]);

/// The class `CenterOfMassMulti2Mapping`.
pub const OF_TWO_TEMPLATES: ComponentDescription =
    ComponentDescription::new::<OfTwoTemplates>(Family::Mapping, "CenterOfMassMulti2Mapping", build_of_two)
        .templates(&["Vec3,Rigid3,Vec3"]);

/// The centre of several masses.
///
/// y = Σ mᵢ xᵢ/Σ mᵢ over the points and centers of all inputs, v = Σ mᵢ vᵢ/Σ mᵢ, fᵢ += f mᵢ/Σ mᵢ.
///
/// **Source:** as SOFA's: the sum of m x over the whole mass of all inputs, with what the masses in their nodes weigh when the scene is built. The
/// points and the centers of the frames of all inputs are gathered in a state of their own, which is mapped.
pub struct CenterOfMasses;

impl WeightedMapping for CenterOfMasses {
    const NAME: &'static str = DESCRIPTION.class;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let (inputs, output) = several_ends(b, &s.input)?;
    add(b, &inputs, output)
}

fn build_of_two(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = OfTwoTemplates::read(b)?;
    let all: Vec<LinkTarget> = s.input1.iter().chain(&s.input2).copied().collect();
    let (inputs, output) = several_ends(b, &all)?;
    let (points, frames) = inputs.split_at(s.input1.len());
    points.iter().try_for_each(|state| b.check_template::<Vec3Type>(*state))?;
    frames.iter().try_for_each(|state| b.check_template::<Rigid3Type>(*state))?;
    add(b, &inputs, output)
}

fn add(b: &mut Builder<'_>, inputs: &[StateId], output: StateId) -> Result<(), BuildError> {
    let mut masses = Vec::new();
    for input in inputs {
        masses.extend(masses_of(b, *input)?);
    }
    let total: Real = masses.iter().sum();
    let gathered = gather_centers(b, "masses", inputs)?;
    let share = |(carrier, m): (u32, &Real)| Share { point: 0, carrier, weight: m / total };
    let shares = (0..).zip(&masses).map(share).collect();
    add_shares::<CenterOfMasses>(b, (gathered, output), shares, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mass;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    fn center(class: &ComponentDescription, names: [&'static str; 2], frames: bool) -> Vec3 {
        let mut t = TestScene::new();
        let masses = mass::all();
        let uniform = masses.iter().find(|d| d.class == "UniformMass").unwrap();
        let bodies = [
            ("Vec3", "0 0 0 2 0 0", "3"),
            if frames { ("Rigid3", "0 9 0 0 0 0 1", "6") } else { ("Vec3", "0 9 0", "6") },
        ];
        let links: Vec<(&'static str, LinkTarget)> = bodies
            .iter()
            .zip(names)
            .map(|((template, position, total), name)| {
                let node = t.child(t.root(), "body");
                let state = [("template", *template), ("position", *position)];
                t.add(&mechanical_object::DESCRIPTION, node, &state).unwrap();
                t.add(uniform, node, &[("totalMass", total)]).unwrap();
                (name, LinkTarget::Node(node))
            })
            .collect();
        let child = t.child(t.root(), "center");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[("position", "7 7 7")]).unwrap();
        t.add_linked(class, child, &[], &links).unwrap();
        let state = t.scene.state_of_component(c).unwrap();
        t.scene.initial_as::<Vec3Type>(state).unwrap().position[0]
    }

    #[test]
    fn all_masses_count() {
        let expected = Vec3::new(1.0 / 3.0, 6.0, 0.0);
        for (class, names, frames) in
            [(&DESCRIPTION, ["input", "input"], false), (&OF_TWO_TEMPLATES, ["input1", "input2"], true)]
        {
            let x = center(class, names, frames);
            assert!((x - expected).norm() < 1e-14, "{x}");
        }
    }

    #[test]
    fn a_state_without_mass_is_named() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        let child = t.child(root, "center");
        t.add(&mechanical_object::DESCRIPTION, child, &[]).unwrap();
        let links = [("input", LinkTarget::Node(root))];
        let e = t.add_linked(&DESCRIPTION, child, &[], &links).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("input"));
    }
}
