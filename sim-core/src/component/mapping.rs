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
    /// Whether there are [`Self::apply_j_at`] and [`Self::apply_jt_at`]: a linear solver then maps only the points that contacts act
    /// on, where nothing else acts on the output.
    const BY_POINTS: bool = false;
    /// Whether it finds by the places of the output, as the scene gives them, what each point hangs on: these are kept for when it is
    /// built again, since what it makes of them may lie elsewhere.
    const PLACES: bool = false;

    /// x_out = map(x_in), overwriting all of x_out (all of its points, where several move them); refreshes `stored`.
    fn apply(c: &Self::Constants, at: Apply<'_, Self>);

    /// v_out = J v_in, overwriting all of v_out (likewise).
    fn apply_j(c: &Self::Constants, at: ApplyJ<'_, Self>);

    /// f_in += J^T f_out.
    fn apply_jt(c: &Self::Constants, at: ApplyJt<'_, Self>);

    /// The same as [`Self::apply_j`] for some points of the output, ascending; the others are left alone.
    fn apply_j_at(c: &Self::Constants, at: ApplyJ<'_, Self>, points: &[u32]) {
        let _ = points;
        Self::apply_j(c, at);
    }

    /// The same as [`Self::apply_jt`] where the forces on all points but these, which ascend, are zero; whatever is there.
    fn apply_jt_at(c: &Self::Constants, at: ApplyJt<'_, Self>, points: &[u32]) {
        let _ = points;
        Self::apply_jt(c, at);
    }

    /// Adds the 3 by 3 blocks of J at the positions of the last `apply`: block rows are those of the output, block columns those
    /// of the input, see [`BlockSink`].
    ///
    /// The places of the blocks and their order must follow from `constants` and `elements` alone. By default the scalars
    /// of each point are those of its carriers, as it is where points are chosen and put elsewhere.
    fn add_jacobian(c: &Self::Constants, at: AddJacobian<'_, Self>) {
        let _ = c;
        let (of_input, of_output) = (InDeriv::<Self>::BLOCKS as u32, OutDeriv::<Self>::BLOCKS as u32);
        let of_both = InDeriv::<Self>::SIZE.min(OutDeriv::<Self>::SIZE);
        let equal = |k: usize| Mat3::from_fn(|i, j| f64::from(i == j && 3 * k + i < of_both));
        let AddJacobian { elements, n_out, matrix, .. } = at;
        Self::carriers(elements, n_out, |out, input| {
            for k in 0..of_both.div_ceil(3) {
                let (row, column) = (out * of_output + k as u32, input * of_input + k as u32);
                matrix.add_block(row, column, &equal(k));
            }
        });
    }

    /// Whether the forces under which geometric stiffness is taken are those of multipliers, too.
    const TAKES_MULTIPLIERS: bool = false;
    /// Whether rest positions are mapped where `applyRestPosition` asks for it.
    const MAPS_REST_POSITIONS: bool = true;

    /// Whether products take geometric stiffness under what they have added up on the output so far, instead of the forces that were
    /// computed there.
    fn products_under_result(c: &Self::Constants) -> bool {
        let _ = c;
        false
    }

    /// Adds k_factor times the geometric stiffness d(J^T f)/dx, by which J changes under forces `f_out` that stay as they are;
    /// nothing where J does not depend on positions. Block rows and columns are those of the input.
    ///
    /// It counts where [`MappingParts::geometric_stiffness`] says so. The places of the blocks and their order must follow from
    /// `constants` and `elements` alone.
    fn add_geometric_stiffness(c: &Self::Constants, at: AddGeometricStiffness<'_, Self>) {
        let _ = (c, at);
    }

    /// Calls `put` with each point of the output and each element of the input that carries it, so that they can be shown;
    /// `n_out` is the output's number of points. By default each point has the input's of the same number.
    fn carriers(_elements: &[Self::Element], n_out: usize, mut put: impl FnMut(u32, u32)) {
        (0..n_out as u32).for_each(|i| put(i, i));
    }
}

/// What [`Mapping::apply`] is given.
pub struct Apply<'a, M: Mapping + ?Sized> {
    /// Constant data per output point.
    pub elements: &'a [M::Element],
    /// What the Jacobian needs, to be written.
    pub stored: &'a mut [M::Stored],
    /// Positions of the output, to be written [m].
    pub x_out: &'a mut [OutCoord<M>],
    /// Positions of the input [m].
    pub x_in: &'a [InCoord<M>],
}

/// What [`Mapping::apply_j`] is given.
pub struct ApplyJ<'a, M: Mapping + ?Sized> {
    /// Constant data per output point.
    pub elements: &'a [M::Element],
    /// What the last `apply` stored.
    pub stored: &'a [M::Stored],
    /// Velocities or displacements of the output, to be written.
    pub v_out: &'a mut [OutDeriv<M>],
    /// Velocities or displacements of the input.
    pub v_in: &'a [InDeriv<M>],
}

/// What [`Mapping::apply_jt`] is given.
pub struct ApplyJt<'a, M: Mapping + ?Sized> {
    /// Constant data per output point.
    pub elements: &'a [M::Element],
    /// What the last `apply` stored.
    pub stored: &'a [M::Stored],
    /// Forces on the input to add to [N].
    pub f_in: &'a mut [InDeriv<M>],
    /// Forces on the output [N].
    pub f_out: &'a [OutDeriv<M>],
}

/// What [`Mapping::add_jacobian`] is given.
pub struct AddJacobian<'a, M: Mapping + ?Sized> {
    /// Constant data per output point.
    pub elements: &'a [M::Element],
    /// What the last `apply` stored.
    pub stored: &'a [M::Stored],
    /// The output's number of points.
    pub n_out: usize,
    /// Takes the blocks.
    pub matrix: &'a mut dyn BlockSink,
}

/// What [`Mapping::add_geometric_stiffness`] is given.
pub struct AddGeometricStiffness<'a, M: Mapping + ?Sized> {
    /// Factor of the geometric stiffness.
    pub k_factor: Real,
    /// Constant data per output point.
    pub elements: &'a [M::Element],
    /// What the last `apply` stored.
    pub stored: &'a [M::Stored],
    /// Forces on the output [N].
    pub f_out: &'a [OutDeriv<M>],
    /// Takes the blocks.
    pub matrix: &'a mut dyn BlockSink,
}

/// Positions of a mapping's input.
pub type InCoord<M> = <<M as Mapping>::Input as StateType>::Coord;
/// Velocities, forces and displacements of a mapping's input.
pub type InDeriv<M> = <<M as Mapping>::Input as StateType>::Deriv;
/// Positions of a mapping's output.
pub type OutCoord<M> = <<M as Mapping>::Output as StateType>::Coord;
/// Velocities, forces and displacements of a mapping's output.
pub type OutDeriv<M> = <<M as Mapping>::Output as StateType>::Deriv;

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
    /// Whether constraints with multipliers go back to the input (attribute `mapConstraints`).
    pub map_constraints: bool,
    /// Whether the output's rest positions are mapped too (attribute `applyRestPosition`).
    pub apply_rest_position: bool,
    /// Whether its geometric stiffness joins the tangent (attribute `geometricStiffness`).
    pub geometric_stiffness: bool,
}

impl<M: Mapping> MappingParts<M> {
    /// A mapping that moves `n_out` points and maps forces back.
    pub fn new(
        constants: M::Constants,
        elements: Vec<M::Element>,
        stored: Vec<M::Stored>,
        n_out: usize,
    ) -> Self {
        Self {
            constants,
            elements,
            stored,
            n_out,
            map_forces: true,
            map_constraints: true,
            apply_rest_position: false,
            geometric_stiffness: false,
        }
    }

    /// The same with geometric stiffness, or without.
    pub fn with_geometric_stiffness(mut self, counts: bool) -> Self {
        self.geometric_stiffness = counts;
        self
    }
}
