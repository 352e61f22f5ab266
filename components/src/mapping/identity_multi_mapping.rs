//! `IdentityMultiMapping`: the points of several states, one state after the other.
//!
//! y = (x₁, x₂, …) of the inputs one after the other, velocities likewise; each input gets the forces on its own points.

use sim_core::prelude::*;

use super::subset_multi_mapping::{add, several_ends};

/// The points of several states, one state after the other.
#[derive(Attributes)]
struct Settings {
    /// states that move; the output belongs to the first one's object
    input: Vec<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mapping, "IdentityMultiMapping", build)
        .templates(&["Vec3,Vec3", "Rigid3,Rigid3", "Vec2,Vec2", "Vec1,Vec1"])
        .samples(&[
            Sample::new("input='{input} {other}'").template("Vec3,Vec3"),
            Sample::new("input='{input} {other}'").template("Rigid3,Rigid3"),
        ]);

/// All points of all inputs, as a `SubsetMultiMapping` that leaves none out.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let (inputs, output) = several_ends(b, &s.input)?;
    let pairs_of = |(k, input): (i64, &StateId)| (0..b.size(*input) as i64).flat_map(move |i| [k, i]);
    let pairs: Vec<i64> = (0..).zip(&inputs).flat_map(pairs_of).collect();
    for_state_type!(b, output, S in [Vec3Type, Rigid3Type, Vec2Type, Vec1Type] => add::<S>(b, &pairs, &inputs, output))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    #[test]
    fn states_follow_each_other() {
        let mut t = TestScene::new();
        let inputs = ["0 0 0 1 0 0", "2 0 0"].map(|position| {
            let node = t.child(t.root(), "input");
            t.add(&mechanical_object::DESCRIPTION, node, &[("position", position)]).unwrap();
            ("input", LinkTarget::Node(node))
        });
        let child = t.child(t.root(), "all");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[]).unwrap();
        assert!(t.add(&DESCRIPTION, child, &[]).is_err(), "no input");
        t.add_linked(&DESCRIPTION, child, &[], &[inputs[1], inputs[0]]).unwrap();
        let state = t.scene.state_of_component(c).unwrap();
        let x: Vec<f64> = t.scene.initial(state).centers().iter().map(|p| p.x).collect();
        assert_eq!(x, [2.0, 0.0, 1.0]);
    }
}
