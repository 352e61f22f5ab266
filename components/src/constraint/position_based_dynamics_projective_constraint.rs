//! `PositionBasedDynamicsProjectiveConstraint`: points that are put where something else wants them.

use sim_core::prelude::*;

use crate::engine::shape_matching::matched::{MatchedPoint, Matching, Slot, match_shapes, slots};
use crate::engine::shape_matching::shape_matching_engine::Shapes;

/// Points that are put toward target positions at the end of a step; their velocities are those of the way that they have gone.
#[derive(Attributes)]
#[attributes(ignored("velocity", "old_position", summary = "what SOFA's keeps from step to step"))]
struct Settings {
    /// how much of the way to its target a point is put
    #[attribute(default = "1")]
    stiffness: f64,
    /// target positions, one for each point of the state; of a `ShapeMatching` of this state they are computed where the step has brought
    /// it [m]
    position: Vec<Vec3>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription = ComponentDescription::new::<Settings>(
    Family::Constraint,
    "PositionBasedDynamicsProjectiveConstraint",
    build,
)
.old_names(&["PositionBasedDynamicsConstraint"])
.templates(&[Vec3Type::NAME])
.samples(&[Sample::new("position='@shapes.targetPosition' stiffness='0.5'")
    .template(Vec3Type::NAME)
    .before(
        "<ShapeMatching name='shapes' position='@dofs.position' cluster='[0,1,2,3,4,5] [4,5,6,7,8,9]'/>",
    )]);

/// What is kept with a component whose targets are found within the step, so that it need not read them again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FindsTargets;

/// How far points are put, and how their targets are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Targets {
    stiffness: Real,
    n_points: usize,
    /// Shapes that are matched; none where targets stay.
    matching: Option<Matching>,
}

/// A point, and a place in the list of clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Place {
    slot: Slot,
    /// Where the point was at the end of the step before [m]; none before the first one.
    old: Option<Vec3>,
    velocity: Vec3,
}

impl AsRef<Slot> for Place {
    fn as_ref(&self) -> &Slot {
        &self.slot
    }
}

impl AsMut<Slot> for Place {
    fn as_mut(&mut self) -> &mut Slot {
        &mut self.slot
    }
}

/// Points that follow targets.
///
/// At the end of a step h, with the target t of a point and s from `stiffness`: x += s (t − x), then v = (x − x₀)/h with the place x₀ at
/// the end of the step before.
///
/// **Source:** as SOFA's: forces and displacements inside linear solvers are not projected, and the matrix is left as it is. It is SOFA's
/// order, too: an integrator's step, then targets from its positions, then positions, then velocities.
struct PositionBasedDynamicsProjectiveConstraint;

impl ProjectiveConstraint for PositionBasedDynamicsProjectiveConstraint {
    type State = Vec3Type;
    type Constants = Targets;
    /// The points, beside the clusters.
    type Element = Place;
    const NAME: &'static str = DESCRIPTION.class;

    fn project_response(_: &Targets, _: ProjectResponse<'_, Self>) {}

    fn project_velocity(c: &Targets, ProjectVelocity { elements, v, .. }: ProjectVelocity<'_, Self>) {
        for (v, e) in v.iter_mut().zip(&elements[..c.n_points]) {
            *v = e.velocity;
        }
    }

    fn project_position(c: &Targets, ProjectPosition { params, elements, x }: ProjectPosition<'_, Self>) {
        if params.dt == 0.0 {
            return;
        }
        if let Some(matching) = &c.matching {
            for (x, e) in x.iter().zip(&mut elements[..c.n_points]) {
                e.slot.point.target = *x;
            }
            match_shapes(matching, elements, c.n_points);
        }
        for (x, e) in x.iter_mut().zip(&mut elements[..c.n_points]) {
            let old = e.old.unwrap_or(*x);
            *x += (e.slot.point.target - *x) * c.stiffness;
            e.velocity = (*x - old) / params.dt;
            e.old = Some(*x);
        }
    }

    fn fixed_dofs(_: &Targets, _: &[Place], _: usize) -> Vec<u32> {
        Vec::new()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    b.check_template::<Vec3Type>(state)?;
    let n = b.size(state);
    if s.position.len() != n {
        let text = format!("`position` has {} targets for {n} points", s.position.len());
        return Err(BuildError::attribute("position", text));
    }
    let source = b.source("position").filter(|(_, data)| *data == "targetPosition").map(|(c, _)| c);
    let shapes = source.and_then(|c| b.scene.component(c).extension::<Shapes>());
    let own = Some(b.scene.component_of_state(state));
    let (matching, slots) = match shapes {
        Some(shapes) if shapes.follows.is_some() && shapes.follows == own => {
            (Some(shapes.matching), shapes.slots.clone())
        }
        _ => {
            let target = |x: &Vec3| MatchedPoint { target: *x, ..MatchedPoint::default() };
            (None, slots(&s.position.iter().map(target).collect::<Vec<_>>(), &[]))
        }
    };
    b.keep(matching.map(|_| FindsTargets));
    let place = |slot| Place { slot, ..Place::default() };
    let constants = Targets { stiffness: s.stiffness, n_points: n, matching };
    let elements = slots.into_iter().map(place).collect();
    b.add_projective_constraint(
        state,
        ProjectiveConstraintParts::<PositionBasedDynamicsProjectiveConstraint> {
            projects_velocity: true,
            projects_position: true,
            ..ProjectiveConstraintParts::new(constants, elements)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64) -> Vec3 {
        Vec3::new(x, 0.0, 0.0)
    }

    fn projected(c: &Targets, elements: &mut [Place], x: &mut [Vec3]) -> Vec<Vec3> {
        let params = MechanicalParams { dt: 0.5, time: 0.0 };
        let mut v = vec![Vec3::zeros(); x.len()];
        type P = PositionBasedDynamicsProjectiveConstraint;
        P::project_position(c, ProjectPosition { params, elements: &mut *elements, x });
        P::project_velocity(c, ProjectVelocity { params, elements, v: &mut v });
        v
    }

    #[test]
    fn points_go_a_share_of_the_way_and_have_the_velocity_of_it() {
        let target = MatchedPoint { target: at(4.0), ..MatchedPoint::default() };
        let place = Place { slot: Slot { point: target, ..Slot::default() }, ..Place::default() };
        let (c, mut elements) = (Targets { stiffness: 0.5, n_points: 1, matching: None }, [place]);
        let mut x = [at(0.0)];
        assert_eq!(projected(&c, &mut elements, &mut x), [at(4.0)], "in half a second from 0 to 2");
        assert_eq!(x, [at(2.0)]);
        x[0] = at(3.0);
        assert_eq!(
            projected(&c, &mut elements, &mut x),
            [at(3.0)],
            "from 2, where the last step ended, to 3.5"
        );
        assert_eq!(x, [at(3.5)]);
    }
}
