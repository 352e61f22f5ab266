//! Which columns projective constraints take out of the Jacobian of a correction.

use crate::scene::parts::Parts;
use crate::visitor::constraint_node::ConstraintNode;
use crate::visitor::object::Object;
use crate::visitor::visit::{At, Visit};

/// The scalars of some states' block rows that multipliers do not move.
pub(super) struct ProjectedColumns<'a> {
    /// Of each, whether a constraint holds it at all times.
    pub held: Vec<bool>,
    /// Constraints that hold some at some times only.
    pub timed: Vec<&'a dyn ConstraintNode>,
    /// What each of these holds then.
    pub by_time: Vec<Vec<u32>>,
}

impl<'a> ProjectedColumns<'a> {
    /// None.
    pub fn none(n_blocks: usize) -> Self {
        Self { held: vec![false; 3 * n_blocks], timed: Vec::new(), by_time: Vec::new() }
    }

    /// Those of the constraints on states, which have these first block rows, of so many.
    pub fn of(
        visit: &mut Visit<'_, '_>,
        parts: &'a Parts,
        objects: &[Object],
        (members, n_blocks): (&[(At, u32)], usize),
    ) -> Self {
        let mut columns = Self::none(n_blocks);
        for (member, first) in members {
            let vectors = visit.vectors[member.state.0 as usize].clone();
            let here = objects[member.object.0 as usize].constraints.iter().map(|k| &parts.constraints[*k]);
            for c in here.filter(|c| c.state == member.state) {
                let scalars = c.node.projected_columns(visit.rec.store(), vectors.len()).into_iter();
                let scalars = scalars.map(|k| 3 * first + vectors.scalar_of_blocks(k as usize) as u32);
                if c.node.projects_columns_by_time() {
                    columns.timed.push(&*c.node);
                    columns.by_time.push(scalars.collect());
                } else {
                    scalars.for_each(|k| columns.held[k as usize] = true);
                }
            }
        }
        columns
    }
}
