//! Springs to where the points of another state are: what `external_rest_shape` of the springs to rest shapes means.

use std::marker::PhantomData;

use sim_core::component::interaction_force_field::{
    AddDForceBetween, AddForceBetween, AddKToMatrixBetween, InteractionForceField,
};
use sim_core::component::matrix::End::First;
use sim_core::prelude::*;

use super::rest_spring::{Active, RestSpring};

/// The state that has the targets, if it is another one, and the target of each point.
///
/// **Source:** as SOFA's: without another state a point is pulled to where it rests itself, whatever `external_points` says; their number
/// must be right all the same. With another state that has the targets, all its points are the targets if none is named.
pub(super) fn targets(
    b: &mut Builder<'_>,
    state: StateId,
    external: Option<LinkTarget>,
    named: &Indices,
    points: &[u32],
) -> Result<(Option<StateId>, Vec<u32>), BuildError> {
    let external = external.map(|link| b.state_at(link, "external_rest_shape")).transpose()?;
    if external == Some(state) {
        let text = "the points would be pulled to where they are; name another state, or leave it out";
        return Err(BuildError::attribute("external_rest_shape", text));
    }
    let of = external.unwrap_or(state);
    let targets = match (named.is_empty(), external) {
        (true, None) => points.to_vec(),
        _ => named.below_or_all(b.size(of))?,
    };
    if points.len() != targets.len() {
        let text = format!("there are {} `external_points` for {} points", targets.len(), points.len());
        return Err(BuildError::attribute("external_points", text));
    }
    if external.is_none() && targets != points {
        let text = "without `external_rest_shape` each point is pulled to where it rests itself, as in SOFA";
        b.warn(Some("external_points"), text);
        return Ok((None, points.to_vec()));
    }
    Ok((external, targets))
}

/// A point that is pulled to a point of another state.
#[derive(Clone, Copy, Debug)]
pub struct Pull {
    pub(super) point: u32,
    /// The other state's point.
    pub(super) target: u32,
    /// Stiffness of the translation [N/m] and of the rotation [N m/rad].
    pub(super) stiffness: [Real; 2],
    /// What SOFA's assembled matrix takes for them.
    pub(super) assembled: [Real; 2],
}

impl Pull {
    /// The spring to where the other state's point is.
    pub(super) fn toward<S: StateType>(&self, x: &[S::Coord]) -> RestSpring<S> {
        let &Pull { point, target, stiffness, assembled } = self;
        RestSpring {
            point,
            target: x.get(target as usize).copied().unwrap_or_default(),
            stiffness,
            assembled,
        }
    }
}

/// Springs between points and those of another state; the constants say which directions are pulled.
///
/// **Source:** as SOFA's: the springs of `RestShapeSpringsForceField`, to present positions. The other state feels nothing, and the tangent
/// leaves its displacement out.
pub struct PullTowardState<S>(PhantomData<S>);

impl<S: StateType> InteractionForceField for PullTowardState<S> {
    type State1 = S;
    type State2 = S;
    type Constants = Active;
    type Element = Pull;
    const NAME: &'static str = "RestShapeSpringsForceField";
    const ACTS_ON_SECOND: bool = false;

    fn add_force(active: &Active, mut at: AddForceBetween<'_, Self>) {
        for p in at.elements {
            let i = p.point as usize;
            let forces = p.toward::<S>(at.x2).forces(active, &at.x1[i]);
            forces.into_iter().for_each(|force| at.f1.add(i, force));
        }
    }

    fn add_d_force(active: &Active, mut at: AddDForceBetween<'_, Self>) {
        for p in at.elements {
            let i = p.point as usize;
            let changes = p.toward::<S>(at.x2).changes(active, &at.dx1[i], at.k_factor);
            changes.into_iter().for_each(|change| at.df1.add(i, change));
        }
    }

    fn add_k_to_matrix(active: &Active, at: AddKToMatrixBetween<'_, Self>) {
        for p in at.elements {
            let add = |k, block| at.matrix.add_block((First, k), (First, k), &block);
            p.toward::<S>(at.x2).blocks(active, at.k_factor, add);
        }
    }

    fn potential_energy(active: &Active, pulls: &[Pull], x1: &[S::Coord], x2: &[S::Coord]) -> Option<Real> {
        let energy = |p: &Pull| p.toward::<S>(x2).energy(active, &x1[p.point as usize]);
        Some(pulls.iter().map(energy).sum())
    }
}

#[cfg(test)]
mod tests {
    use crate::force_field::{
        polynomial_rest_shape_springs_force_field as polynomial, rest_shape_springs_force_field as linear,
    };
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::component::build::{BuildError, LinkTarget};

    /// Where the state that has the targets is its own, or has too few points, that is said.
    #[test]
    fn the_state_of_the_targets_is_another_one_with_a_point_for_each() {
        let polynomials: &[_] = &[("polynomialDegree", "1 1 1"), ("polynomialStiffness", "5 5 5")];
        for (description, numbers) in [(linear::DESCRIPTION, &[][..]), (polynomial::DESCRIPTION, polynomials)]
        {
            let mut t = TestScene::new();
            let root = t.root();
            let (own, other) = (t.child(root, "own"), t.child(root, "other"));
            t.add(&mechanical_object::DESCRIPTION, own, &[("position", "0 0 0 1 0 0 2 0 0")]).unwrap();
            t.add(&mechanical_object::DESCRIPTION, other, &[("position", "0 1 0 1 1 0")]).unwrap();
            let mut add = |targets: Option<&str>, state: Option<_>| -> Result<Vec<String>, BuildError> {
                let attributes: Vec<_> =
                    numbers.iter().copied().chain(targets.map(|t| ("external_points", t))).collect();
                let links: Vec<_> =
                    state.map(|n| ("external_rest_shape", LinkTarget::Node(n))).into_iter().collect();
                t.add_linked(&description, own, &attributes, &links)?;
                Ok(std::mem::take(&mut t.warnings))
            };
            let wrong = |e: BuildError| e.attribute.unwrap_or_default();
            assert_eq!(wrong(add(None, Some(own)).unwrap_err()), "external_rest_shape");
            for (targets, state) in [(None, Some(other)), (Some("0 1 2"), Some(other)), (Some("0 1"), None)] {
                match add(targets, state) {
                    Ok(warnings) if description.class == linear::DESCRIPTION.class => {
                        assert!(warnings.iter().any(|w| w.contains("nothing is pulled")), "{warnings:?}");
                    }
                    found => assert_eq!(wrong(found.unwrap_err()), "external_points"),
                }
            }
            add(Some("0 1 1"), Some(other)).unwrap();
            let ignored = add(Some("2 1 0"), None).unwrap();
            assert!(ignored.iter().any(|w| w.contains("rests itself")), "{ignored:?}");
        }
    }
}
