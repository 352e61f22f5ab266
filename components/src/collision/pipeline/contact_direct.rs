//! `PenalityContactForceField` evaluated directly: on plain numbers, apart from tasks and solvers.

use sim_core::component::MechanicalParams;
use sim_core::component::collision::FormerContact;
use sim_core::math::{Deriv, Vec3};
use sim_core::visitor::direct::{
    ContactEnd, DirectInteraction, FrictionalContact, add_derivs, coords, derivs,
};

use crate::collision::response::{Anchor, Anchored, ContactLaw, ContactPoint, Contacts, FrictionParameters};

/// Types of which an evaluator has no value.
type Types<T> = std::marker::PhantomData<fn() -> T>;

/// The contacts of one detection between two states, which may be the same.
struct Direct<L, A, B> {
    points: Vec<ContactPoint>,
    frictional: Vec<FrictionalContact>,
    has_points: [bool; 2],
    types: Types<(L, A, B)>,
}

/// The evaluator of contacts between these ids and elements: of their normal forces, with what their friction is defined by
/// beside them, if there are parameters of it. `has_points` says which ends are on points of their own.
pub(super) fn direct<L: ContactLaw, A: Anchored, B: Anchored>(
    points: &[ContactPoint],
    between: impl Iterator<Item = FormerContact>,
    parameters: Option<&FrictionParameters>,
    has_points: [bool; 2],
) -> Box<dyn DirectInteraction> {
    let contact = |parameters: &FrictionParameters, c: &ContactPoint, between| FrictionalContact {
        between,
        ends: [end::<A>(&c.a, c.n_a), end::<B>(&c.b, c.n_b)],
        normal: c.normal,
        distance: c.distance,
        stiffness: c.stiffness,
        tangential_stiffness: parameters.relative_stiffness * c.stiffness,
        coefficient: parameters.coefficient,
        rolling: parameters.rolling,
    };
    let frictional = match parameters {
        Some(parameters) => points.iter().zip(between).map(|(c, b)| contact(parameters, c, b)).collect(),
        None => Vec::new(),
    };
    let types = std::marker::PhantomData;
    Box::new(Direct::<L, A, B> { points: points.to_vec(), frictional, has_points, types })
}

fn end<S: Anchored>(anchor: &Anchor, n: u32) -> ContactEnd {
    if S::IS_FRAME {
        let [x, y, z, _] = anchor.weights;
        return ContactEnd::Frame(anchor.indices[0] as usize, Vec3::new(x, y, z));
    }
    let points = anchor.indices.iter().map(|i| *i as usize).zip(anchor.weights);
    ContactEnd::Points(points.take(n as usize).collect())
}

/// The normal forces at these points.
fn normal_forces(points: &[ContactPoint]) -> Contacts<'_> {
    Contacts { points, friction: &[], rolling: &[] }
}

/// df += k K dx of the normal forces at these points.
fn add_d_normal<L: ContactLaw, A: Anchored, B: Anchored>(
    k: f64,
    points: &[ContactPoint],
    x: [&[f64]; 2],
    dx: [&[f64]; 2],
    [to_a, to_b]: [&mut [f64]; 2],
) {
    let (xa, xb) = (coords::<A>(x[0]), coords::<B>(x[1]));
    let (dxa, dxb) = (derivs::<A>(dx[0]), derivs::<B>(dx[1]));
    let (mut fa, mut fb) = (vec![A::Deriv::zero(); xa.len()], vec![B::Deriv::zero(); xb.len()]);
    let add_a = |i: u32, f: A::Deriv| fa[i as usize] += f;
    let add_b = |i: u32, f: B::Deriv| fb[i as usize] += f;
    let contacts = (normal_forces(points), None);
    L::add_d_force::<A, B>([k, 0.0], contacts, (&xa, &xb), (&dxa, &dxb), add_a, add_b);
    add_derivs::<A>(&fa, to_a);
    add_derivs::<B>(&fb, to_b);
}

impl<L: ContactLaw, A: Anchored, B: Anchored> DirectInteraction for Direct<L, A, B> {
    fn add_force(&self, _: &MechanicalParams, x: [&[f64]; 2], _: [&[f64]; 2], [to_a, to_b]: [&mut [f64]; 2]) {
        let (xa, xb) = (coords::<A>(x[0]), coords::<B>(x[1]));
        let (mut fa, mut fb) = (vec![A::Deriv::zero(); xa.len()], vec![B::Deriv::zero(); xb.len()]);
        let add_a = |i: u32, f: A::Deriv| fa[i as usize] += f;
        let add_b = |i: u32, f: B::Deriv| fb[i as usize] += f;
        L::add_force::<A, B>(normal_forces(&self.points), (&xa, &xb), (&[], &[]), add_a, add_b);
        add_derivs::<A>(&fa, to_a);
        add_derivs::<B>(&fb, to_b);
    }

    fn add_d_force(
        &self,
        [k, _]: [f64; 2],
        x: [&[f64]; 2],
        _: [&[f64]; 2],
        dx: [&[f64]; 2],
        df: [&mut [f64]; 2],
    ) {
        add_d_normal::<L, A, B>(k, &self.points, x, dx, df);
    }

    fn contact_points(&self) -> [Option<Vec<ContactEnd>>; 2] {
        let [first, second] = self.has_points;
        [
            first.then(|| self.points.iter().map(|c| end::<A>(&c.a, c.n_a)).collect()),
            second.then(|| self.points.iter().map(|c| end::<B>(&c.b, c.n_b)).collect()),
        ]
    }

    fn add_d_force_of(
        &self,
        contact: usize,
        [k, _]: [f64; 2],
        [x, _]: [[&[f64]; 2]; 2],
        dx: [&[f64]; 2],
        df: [&mut [f64]; 2],
    ) {
        add_d_normal::<L, A, B>(k, &self.points[contact..=contact], x, dx, df);
    }

    fn frictional(&self) -> &[FrictionalContact] {
        &self.frictional
    }
}
