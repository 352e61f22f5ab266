//! `SpringForceField`: listed springs within one object, or between two. The file is long since springs of one state and of two are
//! computed in different places.

use std::marker::PhantomData;

use sim_core::component::build::AttributeValues;
use sim_core::component::interaction_force_field::{
    AddDForceBetween, AddForceBetween, AddKToMatrixBetween, InteractionForceField, InteractionForceFieldParts,
};
use sim_core::component::matrix::End::{First, Second};
use sim_core::prelude::*;

use super::springs::listed::{SpringLists, SpringSwitches, without_file};
use super::springs::{Spring, SpringKind, SpringsOneByOne, Tangent, field, following};

/// Listed springs between points of one object, or of two.
#[derive(Attributes)]
#[attributes(ignored("showArrowSize", "drawMode"))]
struct Settings {
    #[attribute(flatten)]
    lists: SpringLists,
    #[attribute(flatten)]
    switches: SpringSwitches,
    /// state of the first points; this node's if not given
    object1: Option<LinkTarget>,
    /// state of the second points; this node's if not given
    object2: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "SpringForceField", build)
        .old_names(&["StiffSpringForceField", "ParallelSpringForceField", "ParallelStiffSpringForceField"])
        .follows(Following::of_pairs(following::follow).prepared(&["fileSprings"], without_edges))
        .templates(&["Vec3", "Vec2", "Vec1", "Vec6", "Rigid3"])
        .samples(&[
            Sample::new("spring='0 1 150 0.02 0.3'"),
            Sample::new("object1='{first}' object2='{second}' spring='0 0 100 0.02 0.8 1 0 100 0.02 0.8'"),
            Sample::new(
                "object1='{first}' object2='{second}' spring='1 1 150 0.02 0.4' rayleighStiffness='0.01'",
            ),
        ]);

/// SOFA's springs between points that a container of edges joins go with its edges, which is not so here.
pub(super) fn without_edges(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    let is_of_edges = b.topology(TopologySearch::First).is_some_and(|t| {
        let faces = t.triangles.len() + t.quads.len();
        !t.edges.is_empty() && faces + t.tetrahedra.len() + t.hexahedra.len() == 0
    });
    if is_of_edges {
        return Err(BuildError::new("springs beside a topology of edges do not follow its changes"));
    }
    without_file(b)
}

/// Springs of stiffness k, damping c and length L at rest.
///
/// With u = x₂ − x₁, d = |u| and n = u/d: φ = k (d − L) + c n·(v₂ − v₁), φ n on the first point, −φ n on the second, nothing at d ≤ 1e-9.
/// The tangent (k − φ/d) n nᵀ + (φ/d) I by u leaves out how φ changes with the velocities and n in the damping.
///
/// **Source:** as SOFA's: of frames the centres count. A spring that only pulls (`elongationOnly`) does nothing at d ≤ L. The energy is k
/// (d − L)²/2.
pub struct ListedSprings;

impl SpringKind for ListedSprings {
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = true;
}

/// Springs between the points (or the centres of the frames) of two states.
pub struct SpringsBetween<S>(PhantomData<S>);

/// What is left of a type's velocities without rotations.
type Translation<S> = <<S as StateType>::Deriv as Deriv>::Translation;

fn force<S: StateType>(
    s: &Spring,
    [x1, x2]: [&[S::Coord]; 2],
    [v1, v2]: [&[S::Deriv]; 2],
) -> Option<(Translation<S>, Tangent<Translation<S>>)> {
    let (i, j) = (s.i as usize, s.j as usize);
    s.force(&x1[i].position(), &x2[j].position(), &v1[i].translation(), &v2[j].translation())
}

fn only<D: Deriv>(t: &D::Translation) -> D {
    let mut d = D::zero();
    d.add_translation(t);
    d
}

impl<S: StateType> InteractionForceField for SpringsBetween<S> {
    type State1 = S;
    type State2 = S;
    type Constants = ();
    type Element = Spring;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(_: &(), mut at: AddForceBetween<'_, Self>) {
        for s in at.elements {
            if let Some((force, _)) = force::<S>(s, [at.x1, at.x2], [at.v1, at.v2]) {
                at.f1.add(s.i as usize, only(&force));
                at.f2.add(s.j as usize, only(&-force));
            }
        }
    }

    fn add_d_force(_: &(), mut at: AddDForceBetween<'_, Self>) {
        for s in at.elements {
            if let Some((_, tangent)) = force::<S>(s, [at.x1, at.x2], [at.v1, at.v2]) {
                let (i, j) = (s.i as usize, s.j as usize);
                let d = tangent.times(&(at.dx2[j].translation() - at.dx1[i].translation())) * at.k_factor;
                at.df1.add(i, only(&d));
                at.df2.add(j, only(&-d));
            }
        }
    }

    fn add_k_to_matrix(_: &(), at: AddKToMatrixBetween<'_, Self>) {
        for s in at.elements {
            let tangent =
                force::<S>(s, [at.x1, at.x2], [at.v1, at.v2]).map_or(Tangent::default(), |(_, t)| t);
            let row = |[end, k]: [usize; 2]| {
                let (end, dof) = [(First, s.i), (Second, s.j)][end];
                (end, dof * S::Deriv::BLOCKS as u32 + k as u32)
            };
            tangent.each_block(at.k_factor, |r, c, block| at.matrix.add_block(row(r), row(c), block));
        }
    }

    fn potential_energy(_: &(), springs: &[Spring], x1: &[S::Coord], x2: &[S::Coord]) -> Option<Real> {
        let energy = |s: &Spring| s.energy(&x1[s.i as usize].position(), &x2[s.j as usize].position());
        Some(springs.iter().map(energy).sum())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let settings = Settings::read(b)?;
    let [first, second] = ends(b, [settings.object1, settings.object2])?;
    let n = [first, second].map(|s| b.size(s));
    let springs = settings.lists.expected_springs(b, Some(&settings.switches), n)?;
    one_template(b, [first, second])?;
    if first != second {
        return for_state_type!(b, first, S in [Vec3Type, Vec2Type, Vec1Type, Vec6Type, Rigid3Type] => {
            let parts = InteractionForceFieldParts::<SpringsBetween<S>>::new((), springs);
            b.add_interaction_force_field(first, second, parts)
        });
    }
    if b.scene.initial_as::<Vec3Type>(first).is_some() {
        return field::add::<ListedSprings>(b, first, &springs);
    }
    for_state_type!(b, first, S in [Vec2Type, Vec1Type, Vec6Type, Rigid3Type] => {
        b.add_force_field(first, SpringsOneByOne::<S, ListedSprings>::parts(springs))
    })
}

/// The states that springs join: what links lead to, else this node's.
pub(super) fn ends(b: &Builder<'_>, links: [Option<LinkTarget>; 2]) -> Result<[StateId; 2], BuildError> {
    let end = |link: Option<LinkTarget>, name: &str| match link {
        Some(target) => b.state_at(target, name),
        None => b.state(),
    };
    Ok([end(links[0], "object1")?, end(links[1], "object2")?])
}

/// States of two templates cannot be joined.
pub(super) fn one_template(b: &Builder<'_>, ends: [StateId; 2]) -> Result<(), BuildError> {
    let [first, second] = ends.map(|s| b.scene.initial(s).template());
    if first == second {
        return Ok(());
    }
    let text = format!("springs join states of the same template; these are {first} and {second}");
    Err(BuildError::attribute("object2", text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::RigidCoord;
    use sim_core::testing::{InteractionForceFieldCheck, Random};

    const SPRING: Spring =
        Spring { i: 0, j: 1, stiffness: 100.0, damping: 0.0, length: 0.5, elongation_only: false };

    #[test]
    fn springs_between_two_objects_conform() {
        let springs = vec![SPRING, Spring { i: 1, j: 0, damping: 2.0, elongation_only: true, ..SPRING }];
        for seed in 1..5 {
            let mut random = Random::new(seed);
            let (x1, x2) = (random.derivs(2), random.derivs(2));
            let parts = InteractionForceFieldParts::<SpringsBetween<Vec3Type>>::new((), springs.clone());
            InteractionForceFieldCheck::new(&parts, x1, x2).seed(seed).conservative().assembled().run();
            let (y1, y2) = (random.derivs(2), random.derivs(2));
            let parts = InteractionForceFieldParts::<SpringsBetween<Vec6Type>>::new((), springs.clone());
            InteractionForceFieldCheck::new(&parts, y1, y2).seed(seed).conservative().assembled().run();
            let frames = [RigidCoord::default(); 2];
            let (x1, x2) = (random.moved(&frames, 1.0), random.moved(&frames, 1.0));
            let parts = InteractionForceFieldParts::<SpringsBetween<Rigid3Type>>::new((), springs.clone());
            InteractionForceFieldCheck::new(&parts, x1, x2).seed(seed).conservative().assembled().run();
        }
    }

    #[test]
    fn a_file_may_join_no_point_that_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.xs3");
        std::fs::write(&path, crate::xsp_file::EXAMPLE).unwrap();
        let mut t = TestScene::new();
        t.file("net.xs3", path);
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        let e = t.add(&DESCRIPTION, root, &[("fileSprings", "net.xs3")]).unwrap_err();
        assert_eq!(e.message, "`fileSprings` joins points 1 and 2, but there are 2 and 2 points");
    }

    #[test]
    fn joins_one_state_or_two_and_names_what_is_wrong() {
        let mut t = TestScene::new();
        let root = t.root();
        let a = t.child(root, "a");
        let b = t.child(root, "b");
        let state_a = t.add(&mechanical_object::DESCRIPTION, a, &[("size", "3")]).unwrap();
        let state_b = t.add(&mechanical_object::DESCRIPTION, b, &[("size", "2")]).unwrap();
        t.add(&DESCRIPTION, a, &[("spring", "0 1 100 1 0.5 1 2 100 1 0.5")]).unwrap();
        let lists = [("indices1", "0 1"), ("indices2", "1 0"), ("stiffness", "7"), ("enabled", "1 0")];
        let links =
            [("object1", LinkTarget::Component(state_a)), ("object2", LinkTarget::Component(state_b))];
        t.add_linked(&DESCRIPTION, root, &lists, &links).unwrap();
        assert_eq!((t.scene.parts.force_fields.len(), t.scene.parts.interactions.len()), (1, 1));
        for (wrong, attribute) in [
            (&[("spring", "0 1 100 1")][..], "spring"),
            (&[("spring", "0 3 100 1 0")], "spring"),
            (&[("spring", "0.5 1 100 1 0")], "spring"),
            (&[("indices1", "0"), ("indices2", "3")], "springsIndices2"),
            (&[("indices1", "0 1"), ("indices2", "0")], "springsIndices2"),
            (&[("fileSprings", "none.xs3")], "fileSprings"),
        ] {
            let e = t.add(&DESCRIPTION, a, wrong).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some(attribute));
        }
        let c = t.child(root, "c");
        let frames = t.add(&mechanical_object::DESCRIPTION, c, &[("template", "Rigid3")]).unwrap();
        let links = [("object1", LinkTarget::Component(state_a)), ("object2", LinkTarget::Component(frames))];
        let e = t.add_linked(&DESCRIPTION, root, &[("spring", "0 0 1 0 0")], &links).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("object2"));
    }
}
