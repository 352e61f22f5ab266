//! Mappings between mechanical states.

use super::matrix::BlockSink;
use crate::math::{Deriv, Mat3, Real, StateType};

/// A mapping from an input state to an output state.
pub trait Mapping: Send + Sync + 'static {
    /// The state that moves.
    type Input: StateType;
    /// The state that follows.
    type Output: StateType;
    /// Numbers that hold for the whole component.
    type Constants: Copy + Send + Sync + 'static;
    /// Constant data per output point (or per block).
    type Element: Copy + Send + Sync + 'static;
    /// What `apply` leaves for the Jacobian (rotated arms).
    type Stored: Copy + Send + Sync + 'static;
    /// SOFA's class name.
    const NAME: &'static str;
    /// Whether it is one of several mappings that move a state together, from an input each: then it writes its own
    /// points of the output, and all of them write all.
    const PARTIAL: bool = false;

    /// x_out = map(x_in), overwriting all of x_out (all of its points, where several move them).
    fn apply(
        c: &Self::Constants,
        elements: &[Self::Element],
        stored: &mut [Self::Stored],
        x_out: &mut [<Self::Output as StateType>::Coord],
        x_in: &[<Self::Input as StateType>::Coord],
    );

    /// v_out = J v_in, overwriting all of v_out (likewise).
    fn apply_j(
        c: &Self::Constants,
        elements: &[Self::Element],
        stored: &[Self::Stored],
        v_out: &mut [<Self::Output as StateType>::Deriv],
        v_in: &[<Self::Input as StateType>::Deriv],
    );

    /// f_in += J^T f_out.
    fn apply_jt(
        c: &Self::Constants,
        elements: &[Self::Element],
        stored: &[Self::Stored],
        f_in: &mut [<Self::Input as StateType>::Deriv],
        f_out: &[<Self::Output as StateType>::Deriv],
    );

    /// Adds the 3 by 3 blocks of J at the positions of the last `apply`: block rows are those of the output, block columns those
    /// of the input, see [`BlockSink`].
    ///
    /// The places of the blocks and their order must follow from `constants` and `elements` alone. By default each point has
    /// the velocity of its carriers, as it is where points are chosen and put elsewhere.
    fn add_jacobian(
        c: &Self::Constants,
        elements: &[Self::Element],
        stored: &[Self::Stored],
        n_out: usize,
        matrix: &mut dyn BlockSink,
    ) {
        let _ = (c, stored);
        let of_input = <Self::Input as StateType>::Deriv::BLOCKS as u32;
        let of_output = <Self::Output as StateType>::Deriv::BLOCKS as u32;
        Self::carriers(elements, n_out, |out, input| {
            for k in 0..of_output {
                matrix.add_block(out * of_output + k, input * of_input + k, &Mat3::identity());
            }
        });
    }

    /// Adds k_factor times the geometric stiffness d(J^T f)/dx, by which J changes under forces `f_out` that stay as they are;
    /// nothing where J does not depend on positions. Block rows and columns are those of the input.
    fn add_geometric_stiffness(
        c: &Self::Constants,
        elements: &[Self::Element],
        stored: &[Self::Stored],
        k_factor: Real,
        f_out: &[<Self::Output as StateType>::Deriv],
        matrix: &mut dyn BlockSink,
    ) {
        let _ = (c, elements, stored, k_factor, f_out, matrix);
    }

    /// Calls `put` with each point of the output and each element of the input that carries it, so that they can be shown;
    /// `n_out` is the output's number of points. By default each point has the input's of the same number.
    fn carriers(_elements: &[Self::Element], n_out: usize, mut put: impl FnMut(u32, u32)) {
        (0..n_out as u32).for_each(|i| put(i, i));
    }
}

/// A mapping as its constructor leaves it.
pub struct MappingParts<M: Mapping> {
    /// Numbers for the whole component.
    pub constants: M::Constants,
    /// Constant data per output point.
    pub elements: Vec<M::Element>,
    /// Initial content of what `apply` stores.
    pub stored: Vec<M::Stored>,
    /// Number of output points: the output state is resized to it.
    pub n_out: usize,
    /// Whether forces go back to the input (attribute `mapForces`).
    pub map_forces: bool,
    /// Whether the output's rest positions are mapped too (attribute `applyRestPosition`).
    pub apply_rest_position: bool,
}

impl<M: Mapping> MappingParts<M> {
    /// A mapping that moves `n_out` points and maps forces back.
    pub fn new(
        constants: M::Constants,
        elements: Vec<M::Element>,
        stored: Vec<M::Stored>,
        n_out: usize,
    ) -> Self {
        Self { constants, elements, stored, n_out, map_forces: true, apply_rest_position: false }
    }
}
