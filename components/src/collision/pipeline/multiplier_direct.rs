//! Contacts with Lagrange multipliers evaluated directly: on plain numbers, apart from tasks and solvers.

use std::marker::PhantomData;

use sim_core::component::lagrangian_constraint::{ConstraintOrder, FreeState};
use sim_core::visitor::direct::{DirectLagrangian, DirectRows, FlatFreeState, coords, derivs};

use crate::collision::response::{Anchored, ContactPoint, MultiplierLaw};

/// The contacts of one detection between two states, each with its id.
struct Direct<A, B> {
    contacts: Vec<(ContactPoint, u32)>,
    law: MultiplierLaw,
    types: PhantomData<fn() -> (A, B)>,
}

/// The evaluator of contacts that obey a law.
pub(super) fn direct<A: Anchored, B: Anchored>(
    contacts: Vec<(ContactPoint, u32)>,
    law: MultiplierLaw,
) -> Box<dyn DirectLagrangian> {
    Box::new(Direct::<A, B> { contacts, law, types: PhantomData })
}

impl<A: Anchored, B: Anchored> DirectLagrangian for Direct<A, B> {
    fn rows(&self, order: ConstraintOrder, dt: f64, [a, b]: [FlatFreeState<'_>; 2]) -> DirectRows {
        let ([x1, free_x1], free_v1) = ([a.x, a.free_x].map(coords::<A>), derivs::<A>(a.free_v));
        let ([x2, free_x2], free_v2) = ([b.x, b.free_x].map(coords::<B>), derivs::<B>(b.free_v));
        let first = FreeState::<A> { x: &x1, rest: &x1, free_x: &free_x1, free_v: &free_v1 };
        let second = FreeState::<B> { x: &x2, rest: &x2, free_x: &free_x2, free_v: &free_v2 };
        let mut rows = DirectRows::default();
        self.law.rows((order, dt), self.contacts.iter().copied(), &first, &second, &mut rows);
        rows
    }
}
