//! Springs of any law between degrees of freedom of one state, or of two.
//!
//! A law says what force a spring has on its first end, the opposite of which acts on the second, and what its tangent is.

use std::marker::PhantomData;

use sim_core::component::interaction_force_field::{
    AddDForceBetween, AddForceBetween, AddKToMatrixBetween, InteractionForceField, InteractionForceFieldParts,
};
use sim_core::component::matrix::End::{First, Second};
use sim_core::prelude::*;

/// What springs do.
pub trait PairLaw: Send + Sync + 'static {
    /// The type of both states.
    type State: VectorsAccess;
    /// One spring.
    type Spring: Copy + Send + Sync + 'static;
    /// What its tangent needs.
    type Tangent: Copy + Default + Send + Sync + 'static;
    /// SOFA's class name.
    const NAME: &'static str;
    /// Whether the tangents are in assembled matrices.
    const ASSEMBLED: bool;

    /// The first and the second end of a spring.
    fn ends(spring: &Self::Spring) -> [u32; 2];
    /// The force on the first end, and the tangent.
    fn force(
        spring: &Self::Spring,
        x: [&CoordOf<Self>; 2],
        v: [&DerivOf<Self>; 2],
    ) -> (DerivOf<Self>, Self::Tangent);
    /// The change of the force on the first end by the second end's displacement against the first one's.
    fn product(tangent: &Self::Tangent, d: &DerivOf<Self>) -> DerivOf<Self>;
    /// A block of the tangent's matrix.
    fn block(tangent: &Self::Tangent, row: usize, column: usize) -> Mat3 {
        let _ = (tangent, row, column);
        Mat3::zeros()
    }
}

/// Positions of a law's states.
pub type CoordOf<L> = <<L as PairLaw>::State as StateType>::Coord;
/// Velocities, forces and displacements of a law's states.
pub type DerivOf<L> = <<L as PairLaw>::State as StateType>::Deriv;

/// Calls `f` with the places (which end, which block of it) and the contents of the blocks of a spring's matrix.
fn each_block<L: PairLaw>(
    tangent: &L::Tangent,
    factor: Real,
    mut f: impl FnMut([usize; 2], [usize; 2], &Mat3),
) {
    for row in 0..DerivOf::<L>::BLOCKS {
        for column in 0..DerivOf::<L>::BLOCKS {
            let block = L::block(tangent, row, column) * factor;
            for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                f([a, row], [b, column], &if a == b { -block } else { block });
            }
        }
    }
}

/// Springs between degrees of freedom of one state.
pub struct PairsOfOne<L>(PhantomData<L>);
/// Springs between degrees of freedom of two states.
pub struct PairsOfTwo<L>(PhantomData<L>);

impl<L: PairLaw> ForceField for PairsOfOne<L> {
    type State = L::State;
    type Constants = ();
    type Element = L::Spring;
    type Stored = L::Tangent;
    const NAME: &'static str = L::NAME;
    const JOINS_STATES: bool = true;

    fn add_force(_: &(), AddForce { elements, stored, f, x, v, .. }: AddForce<'_, Self>) {
        for (spring, stored) in elements.iter().zip(stored) {
            let [i, j] = L::ends(spring).map(|n| n as usize);
            let (force, tangent) = L::force(spring, [&x[i], &x[j]], [&v[i], &v[j]]);
            f[i] += force;
            f[j] -= force;
            *stored = tangent;
        }
    }

    fn add_d_force(_: &(), AddDForce { k_factor, elements, stored, df, dx, .. }: AddDForce<'_, Self>) {
        for (spring, tangent) in elements.iter().zip(stored) {
            let [i, j] = L::ends(spring).map(|n| n as usize);
            let d = L::product(tangent, &(dx[j] - dx[i])) * k_factor;
            df[i] += d;
            df[j] -= d;
        }
    }

    fn add_k_to_matrix(_: &(), at: AddKToMatrix<'_, Self>) {
        if !L::ASSEMBLED {
            return;
        }
        let n = DerivOf::<L>::BLOCKS as u32;
        for (spring, tangent) in at.elements.iter().zip(at.stored) {
            let ends = L::ends(spring);
            let place = |[end, k]: [usize; 2]| ends[end] * n + k as u32;
            each_block::<L>(tangent, at.k_factor, |r, c, block| {
                at.matrix.add_block(place(r), place(c), block)
            });
        }
    }
}

impl<L: PairLaw> InteractionForceField for PairsOfTwo<L> {
    type State1 = L::State;
    type State2 = L::State;
    type Constants = ();
    type Element = L::Spring;
    const NAME: &'static str = L::NAME;

    fn add_force(_: &(), mut at: AddForceBetween<'_, Self>) {
        for spring in at.elements {
            let [i, j] = L::ends(spring).map(|n| n as usize);
            let (force, _) = L::force(spring, [&at.x1[i], &at.x2[j]], [&at.v1[i], &at.v2[j]]);
            at.f1.add(i, force);
            at.f2.add(j, -force);
        }
    }

    fn add_d_force(_: &(), mut at: AddDForceBetween<'_, Self>) {
        for spring in at.elements {
            let [i, j] = L::ends(spring).map(|n| n as usize);
            let (_, tangent) = L::force(spring, [&at.x1[i], &at.x2[j]], [&at.v1[i], &at.v2[j]]);
            let d = L::product(&tangent, &(at.dx2[j] - at.dx1[i])) * at.k_factor;
            at.df1.add(i, d);
            at.df2.add(j, -d);
        }
    }

    fn add_k_to_matrix(_: &(), at: AddKToMatrixBetween<'_, Self>) {
        if !L::ASSEMBLED {
            return;
        }
        let n = DerivOf::<L>::BLOCKS as u32;
        for spring in at.elements {
            let [i, j] = L::ends(spring);
            let (_, tangent) = L::force(
                spring,
                [&at.x1[i as usize], &at.x2[j as usize]],
                [&at.v1[i as usize], &at.v2[j as usize]],
            );
            let place = |[end, k]: [usize; 2]| ([First, Second][end], [i, j][end] * n + k as u32);
            each_block::<L>(&tangent, at.k_factor, |r, c, block| {
                at.matrix.add_block(place(r), place(c), block)
            });
        }
    }
}

/// The two states that springs join: what links lead to, else the node's.
///
/// # Errors
/// A link to no state, or a state of another template than the law's.
pub fn ends<L: PairLaw>(b: &Builder<'_>, links: [Option<LinkTarget>; 2]) -> Result<[StateId; 2], BuildError> {
    let end = |link: Option<LinkTarget>, name: &str| {
        let state = match link {
            Some(target) => b.state_at(target, name)?,
            None => b.state()?,
        };
        b.check_template::<L::State>(state).map(|()| state)
    };
    Ok([end(links[0], "object1")?, end(links[1], "object2")?])
}

/// Puts springs into the scene, whose ends are below the numbers of the states' degrees of freedom.
///
/// # Errors
/// As [`Builder::add_force_field`].
pub fn add<L: PairLaw>(
    b: &mut Builder<'_>,
    [first, second]: [StateId; 2],
    springs: Vec<L::Spring>,
) -> Result<(), BuildError> {
    if first == second {
        let stored = vec![L::Tangent::default(); springs.len()];
        return b.add_force_field(first, ForceFieldParts::<PairsOfOne<L>>::new((), springs, stored));
    }
    let parts = InteractionForceFieldParts::<PairsOfTwo<L>>::new((), springs);
    b.add_interaction_force_field(first, second, parts)
}
