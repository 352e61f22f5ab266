//! A force field in the scene: its arrays become data, its kernels tasks.

use std::any::Any;
use std::sync::Arc;

use super::direct::{DirectForceField, direct_force_field};
use super::matrix::{Reach, SlotSink, SlotTable};
use super::vectors::{StateVectors, VecCoordId, VecDerivId, VectorsAccess};
use super::visit::{At, Visit};
use crate::component::MechanicalParams;
use crate::component::force_field::{AddDForce, AddForce, AddKToMatrix, ForceField, ForceFieldParts};
use crate::component::matrix::BlockSink;
use crate::math::Mat3;
use engine::data::{Data, ObjectId, Role, Scalar, Store, read, update, val, write};

/// A force field behind its type.
pub trait ForceFieldNode: Send + Sync {
    /// SOFA's class name.
    fn class(&self) -> &'static str;
    /// Puts its arrays into the store.
    fn freeze(&mut self, store: &mut Store, object: ObjectId, name: &str);
    /// Frees its arrays, when no task names them any more.
    fn free(&mut self, store: &mut Store);
    /// Records that what it carries over from the last step is the first content of this step's own copy.
    fn record_carry_over(&self, visit: &mut Visit<'_, '_>, at: At);
    /// The handle of its elements (`Data<Element>`), which may be changed between steps.
    fn elements(&self) -> Option<&dyn Any>;
    /// Its elements (`Vec<Element>`), while they are in no store yet.
    fn unfrozen_elements(&self) -> Option<&dyn Any>;
    /// Whether it joins points as what joins two states does, see [`ForceField::JOINS_STATES`].
    fn joins_states(&self) -> bool;
    /// Whether its force changes with time, see [`ForceField::changes_by_time`].
    fn changes_by_time(&self) -> bool;
    /// Whether it has a tangent that it does not write into assembled matrices; to be asked while its arrays are in no store yet.
    fn is_left_out_of_matrices(&self) -> bool;
    /// Whether it knows how points have turned.
    fn has_rotations(&self) -> bool;
    /// Records how they have, from their rest to where they stand at the beginning of the step; where that is found.
    fn record_rotations(&self, visit: &mut Visit<'_, '_>, at: At) -> Data<Mat3>;
    /// Records f += F(x, v).
    fn record_add_force(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        f: VecDerivId,
        x: VecCoordId,
        v: VecDerivId,
    );
    /// Records df += k K dx + b B dx.
    fn record_add_d_force(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        k: Scalar<f64>,
        b: Scalar<f64>,
        df: VecDerivId,
        dx: VecDerivId,
    );
    /// Writes the pattern of its blocks to a matrix.
    fn pattern(&self, store: &Store, sink: &mut dyn BlockSink);
    /// Records the addition of its blocks to the values of an assembled matrix.
    fn record_add_to_matrix(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        k: Scalar<f64>,
        b: Scalar<f64>,
        values: Data<Mat3>,
        slots: SlotTable,
    );
    /// Evaluates it on plain numbers, with a copy of its arrays as they are now.
    fn direct(&self, store: &Store) -> Box<dyn DirectForceField>;
    /// Potential energy of the present state [J], where the component defines one.
    fn potential_energy(&self, store: &Store, state: &StateVectors) -> Option<f64>;
}

/// Under which name a state keeps the rotations of its points.
const KEPT_ROTATIONS: &str = "rotations of points";

type FreshArrays<F> = (Vec<<F as ForceField>::Element>, Vec<<F as ForceField>::Stored>);

/// The handles of a force field's arrays.
#[derive(Clone, Copy)]
struct Arrays<E, S> {
    elements: Data<E>,
    /// As the last step left it.
    stored: Data<S>,
    /// What the kernels work on: where nothing carries over, the same.
    stored_next: Data<S>,
}

struct Typed<F: ForceField> {
    constants: F::Constants,
    rayleigh_stiffness: f64,
    fresh: Option<FreshArrays<F>>,
    data: Option<Arrays<F::Element, F::Stored>>,
}

impl<F: ForceField> Typed<F> {
    fn data(&self) -> Arrays<F::Element, F::Stored> {
        self.data.expect("the scene was frozen before recording")
    }
}

impl<F: ForceField> ForceFieldNode for Typed<F>
where
    F::State: VectorsAccess,
{
    fn class(&self) -> &'static str {
        F::NAME
    }

    fn joins_states(&self) -> bool {
        F::JOINS_STATES
    }

    fn changes_by_time(&self) -> bool {
        F::changes_by_time(&self.constants)
    }

    fn is_left_out_of_matrices(&self) -> bool {
        let Some((elements, stored)) = self.fresh.as_ref().filter(|_| F::HAS_STIFFNESS) else { return false };
        let acts = !(elements.is_empty() && stored.is_empty());
        acts && !reach::<F>(&self.constants, elements, stored).any
    }

    fn freeze(&mut self, store: &mut Store, object: ObjectId, name: &str) {
        if let Some((elements, stored)) = self.fresh.take() {
            let elements = store.create(format!("{name}.elements"), object, Role::Parameter, elements);
            let name = format!("{name}.stored");
            let (stored, stored_next) = if F::CARRIES_OVER {
                store.create_state(name, object, stored)
            } else {
                let stored = store.create(name, object, Role::Scratch, stored);
                (stored, stored)
            };
            self.data = Some(Arrays { elements, stored, stored_next });
        }
    }

    fn free(&mut self, store: &mut Store) {
        if let Some(Arrays { elements, stored, stored_next }) = self.data.take() {
            store.free(elements.id());
            store.free(stored.id());
            if stored_next != stored {
                store.free(stored_next.id());
            }
        }
    }

    fn record_carry_over(&self, visit: &mut Visit<'_, '_>, at: At) {
        if F::CARRIES_OVER {
            let Arrays { stored, stored_next, .. } = self.data();
            visit.rec.own(F::NAME, at.tag, at.object, (write(stored_next), read(stored)), |(next, now)| {
                next.copy_from_slice(now);
            });
        }
    }

    fn elements(&self) -> Option<&dyn Any> {
        self.data.as_ref().map(|data| &data.elements as &dyn Any)
    }

    fn has_rotations(&self) -> bool {
        F::HAS_ROTATIONS
    }

    fn record_rotations(&self, visit: &mut Visit<'_, '_>, at: At) -> Data<Mat3> {
        let (c, Arrays { elements, .. }) = (self.constants, self.data());
        let x = visit.coord::<F::State>(at.state, VecCoordId::POSITION);
        let state = at.state.0 as usize;
        let kept = visit.vectors[state].kept::<Data<Mat3>>(KEPT_ROTATIONS);
        let rotations = kept.map(|kept| *kept).unwrap_or_else(|| {
            let none = vec![Mat3::identity(); visit.vectors[state].len()];
            let data = visit.rec.store().create(KEPT_ROTATIONS, at.object, Role::Scratch, none);
            visit.vectors[state].keep(KEPT_ROTATIONS, Arc::new(data), vec![data.id()]);
            data
        });
        let accesses = (write(rotations), read(elements), read(x));
        visit.rec.own(F::NAME, at.tag, at.object, accesses, move |(rotations, elements, x)| {
            F::rotations(&c, elements, x, rotations);
        });
        rotations
    }

    fn unfrozen_elements(&self) -> Option<&dyn Any> {
        self.fresh.as_ref().map(|(elements, _)| elements as &dyn Any)
    }

    fn record_add_force(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        f: VecDerivId,
        x: VecCoordId,
        v: VecDerivId,
    ) {
        let c = self.constants;
        let Arrays { elements, stored_next: stored, .. } = self.data();
        let f = visit.deriv::<F::State>(at.state, f);
        let x = visit.coord::<F::State>(at.state, x);
        let v = visit.deriv::<F::State>(at.state, v);
        let (dt, time) = (visit.parameters.whole_dt, visit.parameters.time);
        visit.rec.own(
            F::NAME,
            at.tag,
            at.object,
            (update(f), update(stored), read(elements), read(x), read(v), val(dt), val(time)),
            move |(f, stored, elements, x, v, dt, time)| {
                let params = MechanicalParams { dt, time };
                F::add_force(&c, AddForce { params, elements, stored, f, x, v });
            },
        );
    }

    fn record_add_d_force(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        k: Scalar<f64>,
        b: Scalar<f64>,
        df: VecDerivId,
        dx: VecDerivId,
    ) {
        if !F::HAS_STIFFNESS {
            return;
        }
        let c = self.constants;
        let rayleigh = self.rayleigh_stiffness;
        let Arrays { elements, stored_next: stored, .. } = self.data();
        let df = visit.deriv::<F::State>(at.state, df);
        let dx = visit.deriv::<F::State>(at.state, dx);
        visit.rec.own(
            F::NAME,
            at.tag,
            at.object,
            (update(df), read(stored), read(elements), read(dx), val(k), val(b)),
            move |(df, stored, elements, dx, k, b)| {
                let (k_factor, b_factor) = (k + b * rayleigh, b);
                F::add_d_force(&c, AddDForce { k_factor, b_factor, elements, stored, df, dx });
            },
        );
    }

    fn pattern(&self, store: &Store, sink: &mut dyn BlockSink) {
        let Arrays { elements, stored, .. } = self.data();
        let (elements, stored) = (store.read(elements), store.read(stored));
        let at = AddKToMatrix { k_factor: 1.0, b_factor: 1.0, elements, stored, matrix: sink };
        F::add_k_to_matrix(&self.constants, at);
    }

    fn record_add_to_matrix(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        k: Scalar<f64>,
        b: Scalar<f64>,
        values: Data<Mat3>,
        slots: SlotTable,
    ) {
        let c = self.constants;
        let rayleigh = self.rayleigh_stiffness;
        let Arrays { elements, stored_next: stored, .. } = self.data();
        let SlotTable { table, first, count } = slots;
        visit.rec.own(
            F::NAME,
            at.tag,
            at.object,
            (update(values), read(table), read(stored), read(elements), val(k), val(b)),
            move |(values, table, stored, elements, k, b)| {
                let matrix = &mut SlotSink { values, slots: SlotTable::of(first, count, table), next: 0 };
                let (k_factor, b_factor) = (k + b * rayleigh, b);
                F::add_k_to_matrix(&c, AddKToMatrix { k_factor, b_factor, elements, stored, matrix });
            },
        );
    }

    fn direct(&self, store: &Store) -> Box<dyn DirectForceField> {
        let Arrays { elements, stored, .. } = self.data();
        let (elements, stored) = (store.read(elements), store.read(stored));
        direct_force_field::<F>(self.constants, self.rayleigh_stiffness, elements, stored)
    }

    fn potential_energy(&self, store: &Store, state: &StateVectors) -> Option<f64> {
        let vectors = F::State::vectors(state)?;
        F::potential_energy(&self.constants, store.read(self.data().elements), store.read(vectors.position()))
    }
}

/// How far a force field's blocks reach in an assembled matrix.
pub fn reach<F: ForceField>(
    constants: &F::Constants,
    elements: &[F::Element],
    stored: &[F::Stored],
) -> Reach {
    let mut reach = Reach::default();
    let at = AddKToMatrix { k_factor: 1.0, b_factor: 1.0, elements, stored, matrix: &mut reach };
    F::add_k_to_matrix(constants, at);
    reach
}

/// Hides the type of a force field.
pub fn erase_force_field<F: ForceField>(parts: ForceFieldParts<F>) -> Box<dyn ForceFieldNode>
where
    F::State: VectorsAccess,
{
    Box::new(Typed::<F> {
        constants: parts.constants,
        rayleigh_stiffness: parts.rayleigh_stiffness,
        fresh: Some((parts.elements, parts.stored)),
        data: None,
    })
}
