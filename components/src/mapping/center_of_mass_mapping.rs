//! `CenterOfMassMapping`: the centre of mass of a state.

use sim_core::prelude::*;

use super::weighted_points::{Share, WeightedMapping, add_shares};

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<InputAttribute>(Family::Mapping, "CenterOfMassMapping", build)
        .summary("The centre of mass of a state, as a point")
        .templates(&["Rigid3,Vec3", "Vec3,Vec3"])
        .samples(&[Sample::new("").template("Vec3,Vec3"), Sample::new("").template("Rigid3,Vec3")]);

/// The centre of mass.
///
/// y = Σ mᵢ xᵢ/Σ mᵢ, v = Σ mᵢ vᵢ/Σ mᵢ, fᵢ += f mᵢ/Σ mᵢ.
///
/// **Source:** as SOFA's: the sum of m x over the whole mass, with what the mass in the input's node weighs at each point when the scene is built.
pub struct CenterOfMass;

impl WeightedMapping for CenterOfMass {
    const NAME: &'static str = DESCRIPTION.class;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let ends = b.mapping_ends()?;
    let masses = masses_of(b, ends.0)?;
    let total: Real = masses.iter().sum();
    let share = |(carrier, m): (u32, &Real)| Share { point: 0, carrier, weight: m / total };
    let shares = (0..).zip(&masses).map(share).collect();
    add_shares::<CenterOfMass>(b, ends, shares, 1)
}

/// What the mass in the node of a state weighs at each of its points.
pub(super) fn masses_of(b: &Builder<'_>, state: StateId) -> Result<Vec<Real>, BuildError> {
    let masses = b.scene.point_masses(state);
    if masses.iter().sum::<Real>() <= 0.0 {
        let text = "nothing has mass there; put a mass into the input's node, before the mapping";
        return Err(BuildError::attribute("input", text));
    }
    Ok(masses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mass;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    fn center(state: &[(&'static str, &str)], class: &str, given: (&'static str, &str)) -> Option<Vec3> {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, state).unwrap();
        let all = mass::all();
        if let Some(d) = all.iter().find(|d| d.class == class) {
            t.add(d, root, &[given]).unwrap();
        }
        let child = t.child(root, "center");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[("position", "9 9 9")]).unwrap();
        t.add(&DESCRIPTION, child, &[]).ok()?;
        let state = t.scene.state_of_component(c).unwrap();
        Some(t.scene.initial_as::<Vec3Type>(state).unwrap().position[0])
    }

    #[test]
    fn masses_count() {
        let points = [("position", "0 0 0 4 0 0 0 4 0 0 0 8")];
        let mean = center(&points, "UniformMass", ("totalMass", "3")).unwrap();
        assert!((mean - Vec3::new(1.0, 1.0, 2.0)).norm() < 1e-15, "{mean}");
        let weighed = center(&points, "DiagonalMass", ("vertexMass", "1 1 2 4")).unwrap();
        assert!((weighed - Vec3::new(0.5, 1.0, 4.0)).norm() < 1e-15, "{weighed}");
        let frames = [("template", "Rigid3"), ("position", "0 0 0 0 0 0 1  2 4 6 0 0 0 1")];
        let mean = center(&frames, "UniformMass", ("totalMass", "3")).unwrap();
        assert!((mean - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-15, "{mean}");
        assert!(center(&points, "", ("", "")).is_none(), "no mass");
    }
}
