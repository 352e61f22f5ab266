//! A mapping in the scene: its arrays become data, its kernels tasks.

use super::direct::{DirectMapping, direct_mapping};
use super::kept_forces::{Found, KeptForces, MappingData, RowsOnOutput};
use super::matrix::{ProductSink, SequenceSink};
use super::vectors::{VecCoordId, VecDerivId, VectorsAccess};
use super::visit::{At, Visit};
use crate::component::mapping::{
    AddGeometricStiffness, AddJacobian, Apply, ApplyJ, ApplyJt, Mapping, MappingParts, OutDeriv,
};
use crate::component::matrix::PatternSink;
use crate::component::mechanical_state::{AnyInitialState, StateAccess};
use crate::math::Mat3;
use crate::scene::StateId;
use engine::data::{Data, ObjectId, Role, Scalar, Store, read, update, val, write};

/// A mapping behind its types. `at.state` is the output, `input` the other state.
pub trait MappingNode: Send + Sync {
    /// SOFA's class name.
    fn class(&self) -> &'static str;
    /// Whether forces go back to the input.
    fn map_forces(&self) -> bool;
    /// Whether constraints with multipliers go back to the input.
    fn map_constraints(&self) -> bool;
    /// Resizes the output and maps the initial vectors.
    fn apply_initial(&mut self, input: &AnyInitialState, output: &mut AnyInitialState);
    /// Puts its arrays into the store.
    fn freeze(&mut self, store: &mut Store, object: ObjectId, name: &str);
    /// Gives its arrays back: the scene has another one in its place.
    fn free(&mut self, store: &mut Store);
    /// Each point of the output beside each element of the input that carries it, so that they can be shown.
    fn carriers(&self, store: &Store) -> Vec<[u32; 2]>;
    /// The places of the blocks of its Jacobian, in the order in which they are written: block rows are those of the output,
    /// block columns those of the input. Blocks at one place add up.
    fn jacobian_places(&self, store: &Store) -> Vec<(u32, u32)>;
    /// Records that `values` are the blocks of the Jacobian at the positions of the last `apply`, one for each place.
    fn record_jacobian(&self, visit: &mut Visit<'_, '_>, at: At, values: Data<Mat3>);
    /// Whether its geometric stiffness joins the tangent.
    fn has_geometric_stiffness(&self) -> bool;
    /// Records that the forces `f_out` are those under which geometric stiffness is taken from here on.
    fn record_keep_force(&self, visit: &mut Visit<'_, '_>, at: At, f_out: VecDerivId);
    /// Whether the multipliers of a step are forces under which the next one's geometric stiffness is taken.
    fn takes_multipliers(&self) -> bool;
    /// Records that the multipliers of this step on the output are those of these rows.
    fn record_multipliers(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        rows: &[RowsOnOutput],
        found: Option<Found>,
    );
    /// Records df_in += k times the geometric stiffness under the kept forces, times dx_in; those of products, or of a matrix.
    fn record_add_geometric_d_force(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        input: StateId,
        geometric: Geometric,
        df: VecDerivId,
    );
    /// The places of the blocks of its geometric stiffness, in the order in which they are written: block rows and columns are
    /// those of the input. Blocks at one place add up.
    fn geometric_places(&self, store: &Store) -> Vec<(u32, u32)>;
    /// Records that `values` are the blocks of k times the geometric stiffness under the kept forces, one for each place.
    fn record_geometric(&self, visit: &mut Visit<'_, '_>, at: At, k: Scalar<f64>, values: Data<Mat3>);
    /// Evaluates it on plain numbers, with a copy of its arrays as they are now.
    fn direct(&self, store: &Store) -> Box<dyn DirectMapping>;
    /// Records x_out = map(x_in).
    fn record_apply(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        input: StateId,
        x_out: VecCoordId,
        x_in: VecCoordId,
    );
    /// Records v_out = J v_in.
    fn record_apply_j(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        input: StateId,
        v_out: VecDerivId,
        v_in: VecDerivId,
    );
    /// Records f_in += J^T f_out.
    fn record_apply_jt(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        input: StateId,
        f_in: VecDerivId,
        f_out: VecDerivId,
    );
    /// Whether it can be evaluated at some points alone, see [`Mapping::BY_POINTS`].
    fn is_by_points(&self) -> bool;
    /// Records v_out = J v_in at some points of the output.
    fn record_apply_j_at(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        input: StateId,
        v: [VecDerivId; 2],
        points: Data<u32>,
    );
    /// Records f_in += J^T f_out for the forces at some points of the output.
    fn record_apply_jt_at(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        input: StateId,
        f: [VecDerivId; 2],
        points: Data<u32>,
    );
}

/// How geometric stiffness counts in a product.
#[derive(Clone, Copy, Debug)]
pub struct Geometric {
    /// What it is multiplied by, on the input.
    pub dx: VecDerivId,
    /// Its factor.
    pub k: Scalar<f64>,
    /// Whether it stands for an assembled matrix, whose forces are others.
    pub of_matrix: bool,
}

type Arrays<M> = (Data<<M as Mapping>::Element>, Data<<M as Mapping>::Stored>);

struct Typed<M: Mapping> {
    parts: MappingParts<M>,
    data: Option<Arrays<M>>,
    forces: Option<KeptForces<M>>,
}

impl<M: Mapping> Typed<M> {
    fn data(&self) -> (Data<M::Element>, Data<M::Stored>) {
        self.data.expect("the scene was frozen before recording")
    }

    fn forces(&self) -> &KeptForces<M> {
        self.forces.as_ref().expect("the scene was frozen before recording")
    }
}

impl<M: Mapping> MappingNode for Typed<M>
where
    M::Input: VectorsAccess,
    M::Output: VectorsAccess,
{
    fn class(&self) -> &'static str {
        M::NAME
    }

    fn map_forces(&self) -> bool {
        self.parts.map_forces
    }

    fn map_constraints(&self) -> bool {
        self.parts.map_constraints
    }

    fn apply_initial(&mut self, input: &AnyInitialState, output: &mut AnyInitialState) {
        let (Some(from), Some(to)) = (M::Input::of(input), M::Output::of_mut(output)) else { return };
        let MappingParts { constants, elements, stored, n_out, apply_rest_position, .. } = &mut self.parts;
        let elements = &elements[..];
        to.resize(*n_out);
        if *apply_rest_position {
            let (x_out, x_in) = (&mut to.rest_position[..], &from.rest_position[..]);
            M::apply(constants, Apply { elements, stored, x_out, x_in });
        }
        M::apply(constants, Apply { elements, stored, x_out: &mut to.position, x_in: &from.position });
        M::apply_j(constants, ApplyJ { elements, stored, v_out: &mut to.velocity, v_in: &from.velocity });
    }

    fn freeze(&mut self, store: &mut Store, object: ObjectId, name: &str) {
        let elements = std::mem::take(&mut self.parts.elements);
        let stored = std::mem::take(&mut self.parts.stored);
        self.data = Some((
            store.create(format!("{name}.elements"), object, Role::Parameter, elements),
            store.create(format!("{name}.stored"), object, Role::Scratch, stored),
        ));
        self.forces = Some(KeptForces::new(store, object, name, &self.parts));
    }

    fn free(&mut self, store: &mut Store) {
        if let Some((elements, stored)) = self.data.take() {
            store.free(elements.id());
            store.free(stored.id());
        }
        if let Some(forces) = self.forces.take() {
            forces.free(store);
        }
    }

    fn carriers(&self, store: &Store) -> Vec<[u32; 2]> {
        let elements = self.data.map_or(&self.parts.elements[..], |(elements, _)| store.read(elements));
        let mut pairs = Vec::new();
        M::carriers(elements, self.parts.n_out, |out, input| pairs.push([out, input]));
        pairs
    }

    fn jacobian_places(&self, store: &Store) -> Vec<(u32, u32)> {
        let (elements, stored) = self.data();
        let mut sink = PatternSink::default();
        let MappingParts { constants, n_out, .. } = &self.parts;
        let (elements, stored) = (store.read(elements), store.read(stored));
        M::add_jacobian(constants, AddJacobian { elements, stored, n_out: *n_out, matrix: &mut sink });
        sink.places
    }

    fn record_jacobian(&self, visit: &mut Visit<'_, '_>, at: At, values: Data<Mat3>) {
        let (c, n_out) = (self.parts.constants, self.parts.n_out);
        let (elements, stored) = self.data();
        let accesses = (write(values), read(elements), read(stored));
        visit.rec.own(M::NAME, at.tag, at.object, accesses, move |(values, elements, stored)| {
            let matrix = &mut SequenceSink { values, next: 0 };
            M::add_jacobian(&c, AddJacobian { elements, stored, n_out, matrix });
        });
    }

    fn has_geometric_stiffness(&self) -> bool {
        self.parts.geometric_stiffness
    }

    fn record_keep_force(&self, visit: &mut Visit<'_, '_>, at: At, f_out: VecDerivId) {
        let (elements, stored) = self.data();
        self.forces().record(
            visit,
            at,
            f_out,
            MappingData { constants: self.parts.constants, elements, stored },
        );
    }

    fn takes_multipliers(&self) -> bool {
        self.forces().takes_multipliers()
    }

    fn record_multipliers(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        rows: &[RowsOnOutput],
        found: Option<Found>,
    ) {
        self.forces().record_multipliers(visit, at, rows, found);
    }

    fn record_add_geometric_d_force(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        input: StateId,
        Geometric { dx, k, of_matrix }: Geometric,
        df: VecDerivId,
    ) {
        let c = self.parts.constants;
        let (elements, stored) = self.data();
        let result = visit.deriv::<M::Output>(at.state, df);
        let df = visit.deriv::<M::Input>(input, df);
        let dx = visit.deriv::<M::Input>(input, dx);
        let object = visit.object(input);
        let forces = self.forces();
        let of_forces = if of_matrix { forces.of_matrix } else { forces.of_products };
        if of_matrix || !M::products_under_result(&c) {
            let accesses = (update(df), read(dx), read(elements), read(stored), read(of_forces), val(k));
            visit.rec.own(
                M::NAME,
                at.tag,
                object,
                accesses,
                move |(df, dx, elements, stored, f_out, k_factor)| {
                    let matrix = &mut ProductSink { dx, df };
                    M::add_geometric_stiffness(
                        &c,
                        AddGeometricStiffness { k_factor, elements, stored, f_out, matrix },
                    );
                },
            );
        } else {
            let accesses =
                (update(df), read(dx), read(elements), read(stored), read(of_forces), read(result), val(k));
            visit.rec.own(
                M::NAME,
                at.tag,
                object,
                accesses,
                move |(df, dx, elements, stored, of_multipliers, result, k_factor)| {
                    let is_empty = of_multipliers.iter().all(|f| *f == OutDeriv::<M>::default());
                    let f_out = if is_empty { result } else { of_multipliers };
                    let matrix = &mut ProductSink { dx, df };
                    M::add_geometric_stiffness(
                        &c,
                        AddGeometricStiffness { k_factor, elements, stored, f_out, matrix },
                    );
                },
            );
        }
    }

    fn geometric_places(&self, store: &Store) -> Vec<(u32, u32)> {
        let (elements, stored) = self.data();
        let (elements, stored, f_out) =
            (store.read(elements), store.read(stored), store.read(self.forces().of_matrix));
        let matrix = &mut PatternSink::default();
        let at = AddGeometricStiffness { k_factor: 1.0, elements, stored, f_out, matrix };
        M::add_geometric_stiffness(&self.parts.constants, at);
        std::mem::take(&mut matrix.places)
    }

    fn record_geometric(&self, visit: &mut Visit<'_, '_>, at: At, k: Scalar<f64>, values: Data<Mat3>) {
        let c = self.parts.constants;
        let (elements, stored) = self.data();
        let accesses = (write(values), read(elements), read(stored), read(self.forces().of_matrix), val(k));
        visit.rec.own(
            M::NAME,
            at.tag,
            at.object,
            accesses,
            move |(values, elements, stored, f_out, k_factor)| {
                let matrix = &mut SequenceSink { values, next: 0 };
                M::add_geometric_stiffness(
                    &c,
                    AddGeometricStiffness { k_factor, elements, stored, f_out, matrix },
                );
            },
        );
    }

    fn direct(&self, store: &Store) -> Box<dyn DirectMapping> {
        let (elements, stored) = self.data();
        direct_mapping::<M>(&self.parts, store.read(elements), store.read(stored))
    }

    fn record_apply(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        input: StateId,
        x_out: VecCoordId,
        x_in: VecCoordId,
    ) {
        let c = self.parts.constants;
        let (elements, stored) = self.data();
        let x_out = visit.coord::<M::Output>(at.state, x_out);
        let x_in = visit.coord::<M::Input>(input, x_in);
        let (tag, object) = (at.tag, at.object);
        if M::PARTIAL {
            let accesses = (update(x_out), update(stored), read(elements), read(x_in));
            visit.rec.own(M::NAME, tag, object, accesses, move |(x_out, stored, elements, x_in)| {
                M::apply(&c, Apply { elements, stored, x_out, x_in });
            });
        } else {
            let accesses = (write(x_out), update(stored), read(elements), read(x_in));
            visit.rec.own(M::NAME, tag, object, accesses, move |(x_out, stored, elements, x_in)| {
                M::apply(&c, Apply { elements, stored, x_out, x_in });
            });
        }
    }

    fn record_apply_j(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        input: StateId,
        v_out: VecDerivId,
        v_in: VecDerivId,
    ) {
        let c = self.parts.constants;
        let (elements, stored) = self.data();
        let v_out = visit.deriv::<M::Output>(at.state, v_out);
        let v_in = visit.deriv::<M::Input>(input, v_in);
        let (tag, object) = (at.tag, at.object);
        if M::PARTIAL {
            let accesses = (update(v_out), read(stored), read(elements), read(v_in));
            visit.rec.own(M::NAME, tag, object, accesses, move |(v_out, stored, elements, v_in)| {
                M::apply_j(&c, ApplyJ { elements, stored, v_out, v_in });
            });
        } else {
            let accesses = (write(v_out), read(stored), read(elements), read(v_in));
            visit.rec.own(M::NAME, tag, object, accesses, move |(v_out, stored, elements, v_in)| {
                M::apply_j(&c, ApplyJ { elements, stored, v_out, v_in });
            });
        }
    }

    fn record_apply_jt(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        input: StateId,
        f_in: VecDerivId,
        f_out: VecDerivId,
    ) {
        let c = self.parts.constants;
        let (elements, stored) = self.data();
        let f_in = visit.deriv::<M::Input>(input, f_in);
        let f_out = visit.deriv::<M::Output>(at.state, f_out);
        // With the input's object, whose forces it changes: the output may follow several.
        let object = visit.object(input);
        let accesses = (update(f_in), read(stored), read(elements), read(f_out));
        visit.rec.own(M::NAME, at.tag, object, accesses, move |(f_in, stored, elements, f_out)| {
            M::apply_jt(&c, ApplyJt { elements, stored, f_in, f_out });
        });
    }

    fn is_by_points(&self) -> bool {
        // What takes its own result reads all of it.
        M::BY_POINTS && !M::PARTIAL && !M::products_under_result(&self.parts.constants)
    }

    fn record_apply_j_at(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        input: StateId,
        [v_out, v_in]: [VecDerivId; 2],
        points: Data<u32>,
    ) {
        let c = self.parts.constants;
        let (elements, stored) = self.data();
        let v_out = visit.deriv::<M::Output>(at.state, v_out);
        let v_in = visit.deriv::<M::Input>(input, v_in);
        let accesses = (update(v_out), read(stored), read(elements), read(v_in), read(points));
        visit.rec.own(
            M::NAME,
            at.tag,
            at.object,
            accesses,
            move |(v_out, stored, elements, v_in, points)| {
                M::apply_j_at(&c, ApplyJ { elements, stored, v_out, v_in }, points);
            },
        );
    }

    fn record_apply_jt_at(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        input: StateId,
        [f_in, f_out]: [VecDerivId; 2],
        points: Data<u32>,
    ) {
        let c = self.parts.constants;
        let (elements, stored) = self.data();
        let f_in = visit.deriv::<M::Input>(input, f_in);
        let f_out = visit.deriv::<M::Output>(at.state, f_out);
        let object = visit.object(input);
        let accesses = (update(f_in), read(stored), read(elements), read(f_out), read(points));
        visit.rec.own(M::NAME, at.tag, object, accesses, move |(f_in, stored, elements, f_out, points)| {
            M::apply_jt_at(&c, ApplyJt { elements, stored, f_in, f_out }, points);
        });
    }
}

/// Hides the types of a mapping.
pub fn erase_mapping<M: Mapping>(parts: MappingParts<M>) -> Box<dyn MappingNode>
where
    M::Input: VectorsAccess,
    M::Output: VectorsAccess,
{
    Box::new(Typed { parts, data: None, forces: None })
}
