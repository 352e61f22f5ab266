//! A projective constraint in the scene: its arrays become data, its kernels tasks.

use super::constraints::UnitRows;
use super::direct::{DirectConstraint, direct_constraint};
use super::vectors::{VecCoordId, VecDerivId, VectorsAccess};
use super::visit::{At, Visit};
use crate::component::MechanicalParams;
use crate::component::projective_constraint::{
    EndTime, ProjectPosition, ProjectResponse, ProjectVelocity, ProjectiveConstraint,
    ProjectiveConstraintParts,
};
use crate::scene::StateId;
use engine::data::{Data, ObjectId, Role, Store, Workspace, read, update, val, work_in};

/// A projective constraint behind its type.
pub trait ConstraintNode: Send + Sync {
    /// SOFA's class name.
    fn class(&self) -> &'static str;
    /// Puts its arrays into the store.
    fn freeze(&mut self, store: &mut Store, object: ObjectId, name: &str);
    /// Frees its arrays, when no task names them any more.
    fn free(&mut self, store: &mut Store);
    /// Records the projection of a force, residual or displacement.
    fn record_project_response(&self, visit: &mut Visit<'_, '_>, at: At, d: VecDerivId);
    /// Records the projection of a velocity, where it does anything.
    fn record_project_velocity(&self, visit: &mut Visit<'_, '_>, at: At, v: VecDerivId);
    /// Records the projection of a position, where it does anything.
    fn record_project_position(&self, visit: &mut Visit<'_, '_>, at: At, x: VecCoordId);
    /// Whether time alone may move what it holds, see [`ProjectiveConstraint::MOVES_BY_TIME`].
    fn moves_by_time(&self) -> bool {
        false
    }
    /// Whether it projects positions or velocities.
    fn projects_state(&self) -> bool;
    /// The state at its other end, which must be under the same solver; none of a constraint on one state.
    fn other_state(&self) -> Option<StateId> {
        None
    }
    /// Evaluates it on plain numbers, with a copy of its arrays as they are now.
    fn direct(&self, store: &Store) -> Box<dyn DirectConstraint>;
    /// Scalars whose rows and columns an assembled matrix clears.
    fn fixed_scalars(&self, store: &Store, n_dofs: usize) -> Vec<u32>;
    /// Scalars whose columns the Jacobians of Lagrangian constraints lose, see [`ProjectiveConstraint::projected_columns`].
    fn projected_columns(&self, _: &Store, _: usize) -> Vec<u32> {
        Vec::new()
    }
    /// Whether they lose them at some times only.
    fn projects_columns_by_time(&self) -> bool {
        false
    }
    /// Records that the scalars with this number in a unit's [`UnitRows::by_time`] are held where the constraint projects columns at the
    /// time of the step.
    fn record_project_columns(&self, _: &mut Visit<'_, '_>, _: At, _: Workspace<UnitRows>, _: usize) {}
}

struct Typed<P: ProjectiveConstraint> {
    parts: ProjectiveConstraintParts<P>,
    data: Option<Data<P::Element>>,
}

impl<P: ProjectiveConstraint> Typed<P> {
    fn elements(&self) -> Data<P::Element> {
        self.data.expect("the scene was frozen before recording")
    }
}

impl<P: ProjectiveConstraint> ConstraintNode for Typed<P>
where
    P::State: VectorsAccess,
{
    fn class(&self) -> &'static str {
        P::NAME
    }

    fn freeze(&mut self, store: &mut Store, object: ObjectId, name: &str) {
        let elements = std::mem::take(&mut self.parts.elements);
        self.data = Some(store.create(format!("{name}.elements"), object, Role::Scratch, elements));
    }

    fn free(&mut self, store: &mut Store) {
        if let Some(elements) = self.data.take() {
            store.free(elements.id());
        }
    }

    fn record_project_response(&self, visit: &mut Visit<'_, '_>, at: At, d: VecDerivId) {
        let (c, end) = (self.parts.constants, self.parts.end);
        let d = visit.deriv::<P::State>(at.state, d);
        let (dt, time) = (visit.parameters.whole_dt, visit.parameters.time);
        visit.rec.own(
            P::NAME,
            at.tag,
            at.object,
            (update(d), read(self.elements()), val(dt), val(time)),
            move |(d, elements, dt, time)| {
                let params = MechanicalParams { dt, time };
                if end.is_after(time) {
                    P::project_response(&c, ProjectResponse { params, elements, d });
                }
            },
        );
    }

    fn record_project_velocity(&self, visit: &mut Visit<'_, '_>, at: At, v: VecDerivId) {
        if self.parts.projects_velocity {
            let (c, end) = (self.parts.constants, self.parts.end);
            let v = visit.deriv::<P::State>(at.state, v);
            let (dt, time) = (visit.parameters.whole_dt, visit.parameters.time);
            visit.rec.own(
                P::NAME,
                at.tag,
                at.object,
                (update(v), read(self.elements()), val(dt), val(time)),
                move |(v, elements, dt, time)| {
                    let params = MechanicalParams { dt, time };
                    if end.is_after(time) {
                        P::project_velocity(&c, ProjectVelocity { params, elements, v });
                    }
                },
            );
        }
    }

    fn record_project_position(&self, visit: &mut Visit<'_, '_>, at: At, x: VecCoordId) {
        if self.parts.projects_position {
            let (c, end) = (self.parts.constants, self.parts.end);
            let x = visit.coord::<P::State>(at.state, x);
            let (dt, time) = (visit.parameters.whole_dt, visit.parameters.time);
            visit.rec.own(
                P::NAME,
                at.tag,
                at.object,
                (update(x), update(self.elements()), val(dt), val(time)),
                move |(x, elements, dt, time)| {
                    let params = MechanicalParams { dt, time };
                    if end.is_after(time) {
                        P::project_position(&c, ProjectPosition { params, elements, x });
                    }
                },
            );
        }
    }

    fn moves_by_time(&self) -> bool {
        // It lets go by time.
        P::MOVES_BY_TIME || self.parts.end != EndTime::NEVER
    }

    fn projects_state(&self) -> bool {
        self.parts.projects_position || self.parts.projects_velocity
    }

    fn direct(&self, store: &Store) -> Box<dyn DirectConstraint> {
        let ProjectiveConstraintParts { constants, projects_velocity, projects_position, end, .. } =
            self.parts;
        let projects = [projects_velocity, projects_position];
        direct_constraint::<P>((constants, end), store.read(self.elements()), projects)
    }

    fn fixed_scalars(&self, store: &Store, n_dofs: usize) -> Vec<u32> {
        P::fixed_scalars(&self.parts.constants, store.read(self.elements()), n_dofs)
    }

    fn projected_columns(&self, store: &Store, n_dofs: usize) -> Vec<u32> {
        P::projected_columns(&self.parts.constants, store.read(self.elements()), n_dofs)
    }

    fn projects_columns_by_time(&self) -> bool {
        P::PROJECTS_COLUMNS.is_some() || self.parts.end != EndTime::NEVER
    }

    fn record_project_columns(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        rows: Workspace<UnitRows>,
        number: usize,
    ) {
        let (c, end) = (self.parts.constants, self.parts.end);
        let accesses = (work_in(rows), read(self.elements()), val(visit.parameters.time));
        visit.rec.own(P::NAME, at.tag, at.object, accesses, move |(rows, elements, time)| {
            if end.is_after(time) && P::PROJECTS_COLUMNS.is_none_or(|projects| projects(&c, elements, time)) {
                rows.hold(number);
            }
        });
    }
}

/// Hides the type of a projective constraint.
pub fn erase_constraint<P: ProjectiveConstraint>(
    parts: ProjectiveConstraintParts<P>,
) -> Box<dyn ConstraintNode>
where
    P::State: VectorsAccess,
{
    Box::new(Typed { parts, data: None })
}
