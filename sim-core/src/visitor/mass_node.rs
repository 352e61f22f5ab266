//! A mass in the scene: its arrays become data, its kernels tasks.

use super::direct::{DirectMass, direct_mass};
use super::energy::{Energy, energy_of_mass};
use super::matrix::{SlotSink, SlotTable};
use super::vectors::{Room, StateVectors, VecCoordId, VecDerivId, VectorsAccess};
use super::visit::{At, Visit};
use crate::component::mass::{AccFromF, AddGravity, AddInertiaForce, AddMDx, AddMToMatrix, Mass, MassParts};
use crate::component::matrix::BlockSink;
use crate::math::{Deriv, Mat3, StateType, Vec3};
use engine::data::{Data, ObjectId, Role, Scalar, Store, read, update, val, write};

/// A mass behind its type.
pub trait MassNode: Send + Sync {
    /// SOFA's class name.
    fn class(&self) -> &'static str;
    /// Puts its arrays into the store.
    fn freeze(&mut self, store: &mut Store, object: ObjectId, name: &str);
    /// Frees its arrays, when no task names them any more.
    fn free(&mut self, store: &mut Store);
    /// Takes the gravity of its node, where that is not the scene's.
    fn set_gravity(&mut self, own: Option<Vec3>);
    /// Whether the mass matrix is diagonal.
    fn is_diagonal(&self) -> bool;
    /// Whether gravity is added to the velocity by the solver.
    fn separate_gravity(&self) -> bool;
    /// Whether it has a force of its own that depends on velocities, as that of an inertia that turns.
    fn has_inertia_force(&self) -> bool;
    /// Records f += M g (unless gravity is separate) and inertia forces.
    fn record_add_force(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        f: VecDerivId,
        x: VecCoordId,
        v: VecDerivId,
    );
    /// Records result += m M dx, where m is corrected by the component's own Rayleigh mass.
    fn record_add_m_dx(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        m: Scalar<f64>,
        b: Scalar<f64>,
        result: VecDerivId,
        dx: VecDerivId,
    );
    /// Records a = M^-1 f at x, at which the inertia of a frame may be turned.
    fn record_acc_from_f(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        a: VecDerivId,
        f: VecDerivId,
        x: VecCoordId,
    );
    /// Records v += h g.
    fn record_add_gravity_to_velocity(&self, visit: &mut Visit<'_, '_>, at: At, v: VecDerivId);
    /// Writes the pattern of its blocks to a matrix.
    fn pattern(&self, store: &Store, state: &StateVectors, sink: &mut dyn BlockSink);
    /// Records the addition of its blocks to the values of an assembled matrix.
    fn record_add_to_matrix(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        m: Scalar<f64>,
        b: Scalar<f64>,
        values: Data<Mat3>,
        slots: SlotTable,
    );
    /// Evaluates it on plain numbers, with a copy of its arrays as they are now.
    fn direct(&self, store: &Store) -> Box<dyn DirectMass>;
    /// Total mass [kg].
    fn total_mass(&self, store: &Store, n_dofs: usize) -> f64;
    /// What each point weighs, lumped, while its arrays are not in the store yet [kg]; nothing once they are.
    fn point_masses(&self, n_dofs: usize) -> Vec<f64>;
    /// Kinetic energy, and potential energy of the weight, of the present state; `room` is written over.
    fn energy(&self, store: &Store, state: &StateVectors, gravity: &Vec3, room: &mut Room) -> Energy;
}

struct Typed<M: Mass> {
    constants: M::Constants,
    separate_gravity: bool,
    /// Gravity of its node, where that is not the scene's.
    own_gravity: Option<Vec3>,
    rayleigh_mass: f64,
    has_inertia_force: bool,
    fresh: Option<Vec<M::Element>>,
    data: Option<Data<M::Element>>,
}

impl<M: Mass> Typed<M> {
    fn elements(&self) -> Data<M::Element> {
        self.data.expect("the scene was frozen before recording")
    }
}

impl<M: Mass> MassNode for Typed<M>
where
    M::State: VectorsAccess,
{
    fn class(&self) -> &'static str {
        M::NAME
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

    fn set_gravity(&mut self, own: Option<Vec3>) {
        self.own_gravity = own;
    }

    fn is_diagonal(&self) -> bool {
        M::is_diagonal(&self.constants)
    }

    fn separate_gravity(&self) -> bool {
        self.separate_gravity
    }

    fn has_inertia_force(&self) -> bool {
        self.has_inertia_force
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
        let elements = self.elements();
        let f = visit.deriv::<M::State>(at.state, f);
        if !self.separate_gravity {
            let [gx, gy, gz] = visit.parameters.gravity;
            let own = self.own_gravity;
            visit.rec.own(
                M::NAME,
                at.tag,
                at.object,
                (update(f), read(elements), val(gx), val(gy), val(gz)),
                move |(f, elements, gx, gy, gz)| {
                    let gravity = own.unwrap_or_else(|| Vec3::new(gx, gy, gz));
                    M::add_gravity(&c, AddGravity { elements, gravity, f });
                },
            );
        }
        if self.has_inertia_force {
            let x = visit.coord::<M::State>(at.state, x);
            let v = visit.deriv::<M::State>(at.state, v);
            visit.rec.own(
                M::NAME,
                at.tag,
                at.object,
                (update(f), read(elements), read(x), read(v)),
                move |(f, elements, x, v)| M::add_inertia_force(&c, AddInertiaForce { elements, f, x, v }),
            );
        }
    }

    fn record_add_m_dx(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        m: Scalar<f64>,
        b: Scalar<f64>,
        result: VecDerivId,
        dx: VecDerivId,
    ) {
        let c = self.constants;
        let rayleigh = self.rayleigh_mass;
        let elements = self.elements();
        let result = visit.deriv::<M::State>(at.state, result);
        let dx = visit.deriv::<M::State>(at.state, dx);
        let x = visit.coord::<M::State>(at.state, VecCoordId::POSITION);
        visit.rec.own(
            M::NAME,
            at.tag,
            at.object,
            (update(result), read(elements), read(dx), read(x), val(m), val(b)),
            move |(result, elements, dx, x, m, b)| {
                M::add_m_dx(&c, AddMDx { factor: m - b * rayleigh, elements, result, dx, x });
            },
        );
    }

    fn record_acc_from_f(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        a: VecDerivId,
        f: VecDerivId,
        x: VecCoordId,
    ) {
        let c = self.constants;
        let elements = self.elements();
        let a = visit.deriv::<M::State>(at.state, a);
        let f = visit.deriv::<M::State>(at.state, f);
        let x = visit.coord::<M::State>(at.state, x);
        visit.rec.own(
            M::NAME,
            at.tag,
            at.object,
            (write(a), read(elements), read(f), read(x)),
            move |(a, elements, f, x)| {
                // Elements may not reach every degree of freedom; a mass without any reaches all.
                if !elements.is_empty() {
                    a.fill(<M::State as StateType>::Deriv::zero());
                }
                M::acc_from_f(&c, AccFromF { elements, a, f, x });
            },
        );
    }

    fn record_add_gravity_to_velocity(&self, visit: &mut Visit<'_, '_>, at: At, v: VecDerivId) {
        let v = visit.deriv::<M::State>(at.state, v);
        let [gx, gy, gz] = visit.parameters.gravity;
        let own = self.own_gravity;
        let dt = visit.parameters.dt;
        visit.rec.own(
            "separate_gravity",
            at.tag,
            at.object,
            (update(v), val(gx), val(gy), val(gz), val(dt)),
            move |(v, gx, gy, gz, dt)| {
                let dv = own.unwrap_or_else(|| Vec3::new(gx, gy, gz)) * dt;
                for v in v {
                    v.add_linear(&dv);
                }
            },
        );
    }

    fn pattern(&self, store: &Store, state: &StateVectors, sink: &mut dyn BlockSink) {
        if let Some(vectors) = M::State::vectors(state) {
            let x = store.read(vectors.position());
            let elements = store.read(self.elements());
            M::add_m_to_matrix(&self.constants, AddMToMatrix { factor: 1.0, elements, x, matrix: sink });
        }
    }

    fn record_add_to_matrix(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        m: Scalar<f64>,
        b: Scalar<f64>,
        values: Data<Mat3>,
        slots: SlotTable,
    ) {
        let c = self.constants;
        let rayleigh = self.rayleigh_mass;
        let elements = self.elements();
        let SlotTable { table, first, count } = slots;
        let x = visit.coord::<M::State>(at.state, VecCoordId::POSITION);
        visit.rec.own(
            M::NAME,
            at.tag,
            at.object,
            (update(values), read(table), read(elements), read(x), val(m), val(b)),
            move |(values, table, elements, x, m, b)| {
                let mut sink = SlotSink { values, slots: SlotTable::of(first, count, table), next: 0 };
                M::add_m_to_matrix(
                    &c,
                    AddMToMatrix { factor: m - b * rayleigh, elements, x, matrix: &mut sink },
                );
            },
        );
    }

    fn direct(&self, store: &Store) -> Box<dyn DirectMass> {
        let elements = store.read(self.elements());
        direct_mass::<M>(
            self.constants,
            elements,
            (self.separate_gravity, self.own_gravity),
            self.rayleigh_mass,
        )
    }

    fn point_masses(&self, n_dofs: usize) -> Vec<f64> {
        let Some(elements) = &self.fresh else { return Vec::new() };
        // The weight along an axis along which the gravity is 1.
        let mut f = vec![<M::State as StateType>::Deriv::zero(); n_dofs];
        M::add_gravity(&self.constants, AddGravity { elements, gravity: Vec3::x(), f: &mut f });
        f.iter().map(|f| f.linear().x).collect()
    }

    fn total_mass(&self, store: &Store, n_dofs: usize) -> f64 {
        M::total_mass(&self.constants, store.read(self.elements()), n_dofs)
    }

    fn energy(&self, store: &Store, state: &StateVectors, gravity: &Vec3, room: &mut Room) -> Energy {
        let gravity = self.own_gravity.as_ref().unwrap_or(gravity);
        energy_of_mass::<M>(&self.constants, store.read(self.elements()), (store, state), gravity, room)
    }
}

/// Hides the type of a mass.
pub fn erase_mass<M: Mass>(parts: MassParts<M>) -> Box<dyn MassNode>
where
    M::State: VectorsAccess,
{
    Box::new(Typed::<M> {
        constants: parts.constants,
        separate_gravity: parts.separate_gravity,
        own_gravity: None,
        rayleigh_mass: parts.rayleigh_mass,
        has_inertia_force: parts.has_inertia_force,
        fresh: Some(parts.elements),
        data: None,
    })
}
