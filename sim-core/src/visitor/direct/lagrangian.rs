//! Constraints with Lagrange multipliers, evaluated directly.

use super::{coords, derivs};
use crate::component::lagrangian_constraint::{
    BuildRows, ConstraintBlock, ConstraintOrder, FreeState, LagrangianConstraint, Resolution, RowEntry,
    RowSink,
};
use crate::component::matrix::End;
use crate::math::Vec3;

/// A state at the beginning of a step and after its free motion, flat.
#[derive(Clone, Copy, Debug)]
pub struct FlatFreeState<'a> {
    /// Positions at the beginning of the step.
    pub x: &'a [f64],
    /// Rest positions.
    pub rest: &'a [f64],
    /// Positions after the free motion.
    pub free_x: &'a [f64],
    /// Velocities after the free motion.
    pub free_v: &'a [f64],
}

/// The rows of a constraint.
#[derive(Clone, Debug, Default)]
pub struct DirectRows {
    /// Rows that are solved together, in their order.
    pub blocks: Vec<ConstraintBlock>,
    /// Violations after the free motion, one per row.
    pub violations: Vec<f64>,
    /// The Jacobian.
    pub entries: Vec<RowEntry>,
}

impl RowSink for DirectRows {
    fn block(&mut self, n_rows: u32, resolution: Resolution, id: Option<u32>) {
        self.blocks.push(ConstraintBlock { n_rows, resolution, id });
    }
    fn row(&mut self, violation: f64) {
        self.violations.push(violation);
    }
    fn entry(&mut self, end: End, block: u32, direction: Vec3) {
        let row = self.violations.len() as u32 - 1;
        self.entries.push(RowEntry { row, end, block, direction });
    }
}

/// A constraint on flat vectors of its two states; of one on one state, both are that state's.
pub trait DirectLagrangian: Send {
    /// Its rows, for a time step [s].
    fn rows(&self, order: ConstraintOrder, dt: f64, of: [FlatFreeState<'_>; 2]) -> DirectRows;
}

struct Direct<C: LagrangianConstraint> {
    constants: C::Constants,
    elements: Vec<C::Element>,
}

impl<C: LagrangianConstraint> DirectLagrangian for Direct<C> {
    fn rows(&self, order: ConstraintOrder, dt: f64, [a, b]: [FlatFreeState<'_>; 2]) -> DirectRows {
        let [x1, rest1, free_x1] = [a.x, a.rest, a.free_x].map(coords::<C::State1>);
        let [x2, rest2, free_x2] = [b.x, b.rest, b.free_x].map(coords::<C::State2>);
        let (free_v1, free_v2) = (derivs::<C::State1>(a.free_v), derivs::<C::State2>(b.free_v));
        let first = FreeState { x: &x1, rest: &rest1, free_x: &free_x1, free_v: &free_v1 };
        let second = FreeState { x: &x2, rest: &rest2, free_x: &free_x2, free_v: &free_v2 };
        let mut rows = DirectRows::default();
        let at = BuildRows { order, dt, elements: &self.elements, first, second };
        C::build_rows(&self.constants, at, &mut rows);
        rows
    }
}

/// The evaluator of a constraint with these arrays.
pub(in crate::visitor) fn direct_lagrangian<C: LagrangianConstraint>(
    constants: C::Constants,
    elements: &[C::Element],
) -> Box<dyn DirectLagrangian> {
    Box::new(Direct::<C> { constants, elements: elements.to_vec() })
}
