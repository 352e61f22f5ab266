//! What joins two states in the scene: interaction force fields, and the contacts that come and go.

use super::direct::{DirectInteraction, direct_interaction};
use super::matrix::JointBlocks;
use super::vectors::{StateVectors, VecCoordId, VecDerivId, VectorsAccess};
use super::visit::Visit;
use crate::component::MechanicalParams;
use crate::component::interaction_force_field::{
    AddDForceBetween, AddForceBetween, AddKToMatrixBetween, InteractionForceField, InteractionForceFieldParts,
};
use crate::component::matrix::JointBlock;
use crate::scene::StateId;
use engine::data::{Adder, Data, ObjectId, Role, Scalar, Store, grow, read, val};
use engine::graph::ComponentTag;

/// Which of the two states receive forces: those that the solver in question moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The first receives.
    pub first: bool,
    /// The second receives.
    pub second: bool,
}

/// Where an end of a joint component stands that the solver in question does not move.
///
/// **Source:** as in SOFA, whose solvers move one after the other, depth first, and whose mapped states follow after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherEnd {
    /// Where it is at the beginning of the step: nobody moves it, or a solver that comes later.
    Present,
    /// An independent state whose solver has moved it in this step.
    Moved,
    /// The same of a state that constraints project: they do so after all solvers.
    Unprojected,
    /// A mapped state whose solver has moved in this step: where it was at the beginning, as a copy.
    Copied,
}

impl OtherEnd {
    /// The vectors that hold it.
    pub fn vectors(self) -> (VecCoordId, VecDerivId) {
        match self {
            Self::Present => (VecCoordId::POSITION, VecDerivId::VELOCITY),
            Self::Moved => (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT),
            Self::Unprojected => (VecCoordId::POSITION_UNPROJECTED, VecDerivId::VELOCITY_UNPROJECTED),
            Self::Copied => (VecCoordId::POSITION_AT_BEGIN, VecDerivId::VELOCITY_AT_BEGIN),
        }
    }
}

/// The identity of a joint component and its two states, while it records.
#[derive(Clone, Copy, Debug)]
pub struct Between {
    /// Its identity in errors and traces.
    pub tag: ComponentTag,
    /// The first state.
    pub first: StateId,
    /// The second state.
    pub second: StateId,
    /// Which of them receive forces.
    pub sides: Sides,
    /// Where their positions are.
    pub x: [VecCoordId; 2],
    /// Where their velocities are.
    pub v: [VecDerivId; 2],
    /// Whether these are the positions at which contacts were detected last, so that what was found there still holds.
    pub at_detection: bool,
}

impl Between {
    /// A component on two states as they are at the beginning of a step.
    pub fn at_begin(tag: ComponentTag, first: StateId, second: StateId, sides: Sides) -> Self {
        let (x, v) = ([VecCoordId::POSITION; 2], [VecDerivId::VELOCITY; 2]);
        Self { tag, first, second, sides, x, v, at_detection: false }
    }

    /// The vectors that hold the two states' parts of `dx`: what a solver does not move has a velocity, and no displacement.
    pub fn seen(&self, dx: VecDerivId) -> [VecDerivId; 2] {
        let seen = |receives: bool, v: VecDerivId| match (receives, dx) {
            (true, _) => dx,
            (false, VecDerivId::VELOCITY) => v,
            (false, _) => VecDerivId::ZERO,
        };
        [seen(self.sides.first, self.v[0]), seen(self.sides.second, self.v[1])]
    }
}

/// Something that adds forces to two states.
pub trait InteractionNode: Send + Sync {
    /// SOFA's class name.
    fn class(&self) -> &'static str;
    /// Puts its arrays into the store.
    fn freeze(&mut self, store: &mut Store, object: ObjectId, name: &str);
    /// Frees its arrays, when no task names them any more.
    fn free(&mut self, store: &mut Store);
    /// Records f += F(x, v) on the receiving sides.
    fn record_add_force(&self, visit: &mut Visit<'_, '_>, between: Between, f: VecDerivId);
    /// Records df += k K dx on the receiving sides, with the tangent at `between`'s positions and velocities; `dx` of the
    /// first and of the second state.
    fn record_add_d_force(
        &self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        k: Scalar<f64>,
        b: Scalar<f64>,
        df: VecDerivId,
        dx: [VecDerivId; 2],
    );
    /// Records that `blocks` holds the blocks of k K over both states, with the tangent at `between`'s positions and
    /// velocities; the task is the object's that `blocks` belongs to.
    fn record_add_to_matrix(
        &self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        k: Scalar<f64>,
        b: Scalar<f64>,
        blocks: Data<JointBlock>,
    );
    /// Of which ends its forces act on states of their own, one point of three scalars for each contact in the order of detection, which
    /// follow the states that it joins: where SOFA has such, its matrices count their scalars.
    fn has_contact_points(&self) -> [bool; 2] {
        [false; 2]
    }
    /// Whether the second state feels it.
    fn acts_on_second(&self) -> bool {
        true
    }
    /// Evaluates it on plain numbers, with a copy of its arrays as they are now.
    fn direct(&self, store: &Store) -> Box<dyn DirectInteraction>;
    /// Potential energy of the present states [J], where the component defines one.
    fn potential_energy(&self, store: &Store, first: &StateVectors, second: &StateVectors) -> Option<f64> {
        let _ = (store, first, second);
        None
    }
}

struct Typed<F: InteractionForceField> {
    constants: F::Constants,
    rayleigh_stiffness: f64,
    fresh: Option<Vec<F::Element>>,
    data: Option<Data<F::Element>>,
}

/// Records a task on two states whose kernel adds to both through adders, in the form that their objects call for:
/// own where both belong to one object, joint with one or two targets otherwise.
///
/// `$accesses` are the further accesses, `$kernel` receives `(f1, f2, ($params...))`.
#[macro_export]
macro_rules! record_pair {
    ($visit:expr, $between:expr, $name:expr, $f1:expr, $f2:expr, ($($access:expr),+), ($($param:ident),+), $kernel:expr) => {{
        let (o1, o2) = ($visit.object($between.first), $visit.object($between.second));
        let (tag, kernel) = ($between.tag, $kernel);
        match $between.sides {
            $crate::visitor::interaction_node::Sides { first: true, second: true } if o1 == o2 => $visit.rec.own(
                $name, tag, o1, (engine::data::update($f1), engine::data::update($f2), $($access),+),
                move |(f1, f2, $($param),+)| kernel(engine::data::Adder::direct(f1), engine::data::Adder::direct(f2), $($param),+),
            ),
            $crate::visitor::interaction_node::Sides { first: true, second: true } => $visit.rec.joint(
                $name, tag, (o1, o2), (engine::data::accumulate($f1), engine::data::accumulate($f2), $($access),+),
                move |(f1, f2, $($param),+)| kernel(f1, f2, $($param),+),
            ),
            $crate::visitor::interaction_node::Sides { first: true, second: false } => $visit.rec.joint(
                $name, tag, (o1, o2), (engine::data::accumulate($f1), $($access),+),
                move |(f1, $($param),+)| kernel(f1, engine::data::Adder::discard(), $($param),+),
            ),
            $crate::visitor::interaction_node::Sides { first: false, second: true } => $visit.rec.joint(
                $name, tag, (o1, o2), (engine::data::accumulate($f2), $($access),+),
                move |(f2, $($param),+)| kernel(engine::data::Adder::discard(), f2, $($param),+),
            ),
            $crate::visitor::interaction_node::Sides { first: false, second: false } => {}
        }
    }};
}

impl<F: InteractionForceField> InteractionNode for Typed<F>
where
    F::State1: VectorsAccess,
    F::State2: VectorsAccess,
{
    fn acts_on_second(&self) -> bool {
        F::ACTS_ON_SECOND
    }

    fn class(&self) -> &'static str {
        F::NAME
    }

    fn freeze(&mut self, store: &mut Store, object: ObjectId, name: &str) {
        if let Some(elements) = self.fresh.take() {
            self.data = Some(store.create(format!("{name}.elements"), object, Role::Parameter, elements));
        }
    }

    fn free(&mut self, store: &mut Store) {
        if let Some(elements) = self.data.take() {
            store.free(elements.id());
        }
    }

    fn record_add_force(&self, visit: &mut Visit<'_, '_>, between: Between, f: VecDerivId) {
        let c = self.constants;
        let elements = self.data.expect("the scene was frozen before recording");
        let Between { first: a, second: b, x, v, .. } = between;
        let (f1, f2) = (visit.deriv::<F::State1>(a, f), visit.deriv::<F::State2>(b, f));
        let (x1, x2) = (visit.coord::<F::State1>(a, x[0]), visit.coord::<F::State2>(b, x[1]));
        let (v1, v2) = (visit.deriv::<F::State1>(a, v[0]), visit.deriv::<F::State2>(b, v[1]));
        let (dt, time) = (visit.parameters.whole_dt, visit.parameters.time);
        record_pair!(
            visit,
            between,
            F::NAME,
            f1,
            f2,
            (read(elements), read(x1), read(x2), read(v1), read(v2), val(dt), val(time)),
            (e, x1, x2, v1, v2, dt, time),
            move |f1: Adder<'_, _>,
                  f2: Adder<'_, _>,
                  elements: &[F::Element],
                  x1: &[_],
                  x2: &[_],
                  v1: &[_],
                  v2: &[_],
                  dt,
                  time| {
                let params = MechanicalParams { dt, time };
                F::add_force(&c, AddForceBetween { params, elements, f1, f2, x1, x2, v1, v2 });
            }
        );
    }

    fn record_add_d_force(
        &self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        k: Scalar<f64>,
        b: Scalar<f64>,
        df: VecDerivId,
        dx: [VecDerivId; 2],
    ) {
        let c = self.constants;
        let rayleigh = self.rayleigh_stiffness;
        let elements = self.data.expect("the scene was frozen before recording");
        let Between { first: s1, second: s2, x, v, .. } = between;
        let (df1, df2) = (visit.deriv::<F::State1>(s1, df), visit.deriv::<F::State2>(s2, df));
        let (dx1, dx2) = (visit.deriv::<F::State1>(s1, dx[0]), visit.deriv::<F::State2>(s2, dx[1]));
        let (x1, x2) = (visit.coord::<F::State1>(s1, x[0]), visit.coord::<F::State2>(s2, x[1]));
        let (v1, v2) = (visit.deriv::<F::State1>(s1, v[0]), visit.deriv::<F::State2>(s2, v[1]));
        record_pair!(
            visit,
            between,
            F::NAME,
            df1,
            df2,
            (read(elements), read(x1), read(x2), read(v1), read(v2), read(dx1), read(dx2), val(k), val(b)),
            (e, x1, x2, v1, v2, dx1, dx2, k, b),
            move |f1: Adder<'_, _>,
                  f2: Adder<'_, _>,
                  elements: &[F::Element],
                  x1: &[_],
                  x2: &[_],
                  v1: &[_],
                  v2: &[_],
                  dx1: &[_],
                  dx2: &[_],
                  k: f64,
                  b: f64| {
                let (k_factor, df1, df2) = (k + b * rayleigh, f1, f2);
                let at = AddDForceBetween { k_factor, elements, df1, df2, x1, x2, v1, v2, dx1, dx2 };
                F::add_d_force(&c, at);
            }
        );
    }

    fn record_add_to_matrix(
        &self,
        visit: &mut Visit<'_, '_>,
        between: Between,
        k: Scalar<f64>,
        b: Scalar<f64>,
        blocks: Data<JointBlock>,
    ) {
        let c = self.constants;
        let rayleigh = self.rayleigh_stiffness;
        let elements = self.data.expect("the scene was frozen before recording");
        let Between { tag, first: s1, second: s2, x, v, .. } = between;
        let (x1, x2) = (visit.coord::<F::State1>(s1, x[0]), visit.coord::<F::State2>(s2, x[1]));
        let (v1, v2) = (visit.deriv::<F::State1>(s1, v[0]), visit.deriv::<F::State2>(s2, v[1]));
        let object = visit.rec.store().info(blocks.id()).object;
        visit.rec.own(
            F::NAME,
            tag,
            object,
            (grow(blocks), read(elements), read(x1), read(x2), read(v1), read(v2), val(k), val(b)),
            move |(blocks, elements, x1, x2, v1, v2, k, b)| {
                let (k_factor, matrix) = (k + b * rayleigh, &mut JointBlocks::new(blocks));
                F::add_k_to_matrix(&c, AddKToMatrixBetween { k_factor, elements, x1, x2, v1, v2, matrix });
            },
        );
    }

    fn direct(&self, store: &Store) -> Box<dyn DirectInteraction> {
        let elements = store.read(self.data.expect("the scene was frozen before recording"));
        direct_interaction::<F>(self.constants, self.rayleigh_stiffness, elements)
    }

    fn potential_energy(&self, store: &Store, first: &StateVectors, second: &StateVectors) -> Option<f64> {
        let elements = store.read(self.data.expect("the scene was frozen before recording"));
        let x1 = store.read(F::State1::vectors(first)?.position());
        let x2 = store.read(F::State2::vectors(second)?.position());
        F::potential_energy(&self.constants, elements, x1, x2)
    }
}

/// Hides the types of an interaction force field.
pub fn erase_interaction<F: InteractionForceField>(
    parts: InteractionForceFieldParts<F>,
) -> Box<dyn InteractionNode>
where
    F::State1: VectorsAccess,
    F::State2: VectorsAccess,
{
    Box::new(Typed::<F> {
        constants: parts.constants,
        rayleigh_stiffness: parts.rayleigh_stiffness,
        fresh: Some(parts.elements),
        data: None,
    })
}
