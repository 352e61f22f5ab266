//! `VectorSpringForceField`: springs with a vector at rest, between two states or along the edges of a mesh.

use sim_core::prelude::*;

use super::springs::pair::{self, PairLaw};

/// Springs between points of two states with the same numbers, or along the edges of a topology, that rest at a vector.
#[derive(Attributes)]
#[attributes(
    unsupported("filename", summary = "reads springs with their vectors at rest from this Xsp file"),
    unsupported("springs", summary = "cannot read springs from a scene")
)]
struct Settings {
    /// stiffness of each spring [N/m]
    #[attribute(default = "1")]
    stiffness: Real,
    /// damping of the ends' velocities against each other, in all directions [N s/m]
    #[attribute(default = "1")]
    viscosity: Real,
    /// whether there is a spring along each edge of the topology, which rests as the first state's rest positions are
    use_topology: bool,
    /// topology with the edges; the last of this node, or above, if not given
    topology: Deferred<Option<LinkTarget>>,
    /// state of the first points; this node's if not given
    object1: Option<LinkTarget>,
    /// state of the second points; this node's if not given
    object2: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "VectorSpringForceField", build)
        .templates(&[Vec3Type::NAME])
        .samples(&[
            // Without a topology, points are counted where it stands, and some arrays' mappings change their number later.
            Sample::new("useTopology='1' stiffness='150' viscosity='0.02'").elements("edges"),
        ]);

/// A spring that rests at a vector.
#[derive(Clone, Copy, Debug)]
pub struct VectorSpring {
    ends: [u32; 2],
    /// Stiffness [N/m].
    stiffness: Real,
    /// Damping [N s/m].
    damping: Real,
    /// From the first end to the second where it rests [m].
    rest: Vec3,
}

/// Springs that rest at vectors, which do not turn with their ends.
///
/// Without a topology there is a spring for each point that the first state has where the component stands; if a mapping makes a state
/// smaller after that, the first step fails and names the component.
///
/// f = k (x₂ − x₁ − r) + c (v₂ − v₁) on the first end, the opposite on the second, with k from `stiffness`, c from `viscosity` and r =
/// x₂ − x₁ at rest. The tangent is k.
///
/// **Source:** as SOFA's: the tangent knows no damping, and assembled matrices have nothing of it: it acts on their right-hand side only.
pub struct VectorSprings;

impl PairLaw for VectorSprings {
    type State = Vec3Type;
    type Spring = VectorSpring;
    type Tangent = Real;
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = false;

    fn ends(spring: &VectorSpring) -> [u32; 2] {
        spring.ends
    }

    fn force(s: &VectorSpring, [a, b]: [&Vec3; 2], [v, w]: [&Vec3; 2]) -> (Vec3, Real) {
        ((b - a - s.rest) * s.stiffness + (w - v) * s.damping, s.stiffness)
    }

    fn product(stiffness: &Real, d: &Vec3) -> Vec3 {
        d * *stiffness
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let ends = pair::ends::<VectorSprings>(b, [s.object1, s.object2])?;
    let n = ends.map(|state| b.size(state));
    let spring = |ends, rest| VectorSpring { ends, stiffness: s.stiffness, damping: s.viscosity, rest };
    let springs: Vec<VectorSpring> = if s.use_topology {
        s.topology.get(b)?;
        let edges = b.topology(TopologySearch::Last).map(|t| t.edges.clone()).ok_or_else(|| {
            BuildError::attribute(
                "topology",
                "there is no topology whose edges have springs; put one in this node",
            )
        })?;
        let rest = b.scene.initial(ends[0]).rest_centers();
        let outside = edges.iter().find(|e| e.iter().any(|p| *p as usize >= n[0].min(n[1])));
        if let Some([i, j]) = outside {
            let text = format!(
                "edge {i} {j} of the topology joins points that the states ({} and {} points) have not",
                n[0], n[1]
            );
            return Err(BuildError::attribute("topology", text));
        }
        edges.iter().map(|e| spring(*e, rest[e[1] as usize] - rest[e[0] as usize])).collect()
    } else {
        if ends[0] == ends[1] {
            b.warn(
                Some("object2"),
                "each spring joins a point with itself, so there will be no force: give two states, or `useTopology`",
            );
        }
        if n[1] < n[0] {
            let text = format!(
                "each of {} points has a spring to that of the same number, but there are {} there",
                n[0], n[1]
            );
            return Err(BuildError::attribute("object2", text));
        }
        (0..n[0] as u32).map(|i| spring([i, i], Vec3::zeros())).collect()
    };
    pair::add::<VectorSprings>(b, ends, springs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::springs::pair::{PairsOfOne, PairsOfTwo};
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;
    use sim_core::component::interaction_force_field::InteractionForceFieldParts;
    use sim_core::testing::{ForceFieldCheck, InteractionForceFieldCheck, Random};

    #[test]
    fn conforms() {
        let spring =
            |ends, damping| VectorSpring { ends, stiffness: 70.0, damping, rest: Vec3::new(0.1, -0.2, 0.3) };
        let mut random = Random::new(4);
        let (x, v) = (random.derivs(3), random.derivs(3));
        let springs = vec![spring([0, 1], 0.0), spring([2, 0], 0.0)];
        let parts = ForceFieldParts::<PairsOfOne<VectorSprings>>::new((), springs, vec![0.0; 2]);
        ForceFieldCheck::new(&parts, x, v).seed(4).symmetric().run();
        let springs = vec![spring([0, 1], 2.0), spring([1, 1], 1.0)];
        let (x, y) = (random.derivs(2), random.derivs(2));
        let parts = InteractionForceFieldParts::<PairsOfTwo<VectorSprings>>::new((), springs);
        InteractionForceFieldCheck::new(&parts, x, y).seed(4).run();
    }

    #[test]
    fn rests_where_the_mesh_does() {
        let s = VectorSpring { ends: [0, 1], stiffness: 10.0, damping: 2.0, rest: Vec3::x() };
        let (force, _) = VectorSprings::force(
            &s,
            [&Vec3::zeros(), &Vec3::new(1.0, 0.5, 0.0)],
            [&Vec3::zeros(), &Vec3::new(0.0, 0.0, 3.0)],
        );
        assert_eq!(force, Vec3::new(0.0, 5.0, 6.0), "it is as long as at rest, but turned");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let mut t = TestScene::new();
        let root = t.root();
        let (a, b) = (t.child(root, "a"), t.child(root, "b"));
        let first = t.add(&mechanical_object::DESCRIPTION, a, &[("size", "3")]).unwrap();
        let second = t.add(&mechanical_object::DESCRIPTION, b, &[("size", "2")]).unwrap();
        let links = [("object1", LinkTarget::Component(first)), ("object2", LinkTarget::Component(second))];
        let e = t.add_linked(&DESCRIPTION, root, &[], &links).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("object2"));
        let links = [("object1", LinkTarget::Component(second)), ("object2", LinkTarget::Component(first))];
        t.add_linked(&DESCRIPTION, root, &[], &links).unwrap();
        let e = t.add(&DESCRIPTION, a, &[("useTopology", "1")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("topology"));
        let all = topology::all();
        let mesh = all.iter().find(|d| d.class == "MeshTopology").unwrap();
        t.add(mesh, a, &[("position", "0 0 0 1 0 0 0 1 0"), ("edges", "0 1 1 2")]).unwrap();
        t.add(&DESCRIPTION, a, &[("useTopology", "1")]).unwrap();
        assert_eq!(t.scene.parts.force_fields.len(), 1);
    }
}
