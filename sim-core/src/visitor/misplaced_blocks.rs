//! What SOFA's assembled matrix has beside the right blocks where a joint component acts on a mapped state.

use std::sync::Arc;

use super::interaction_node::Sides;
use super::matrix::OwnScalars;
use super::mechanical::{MbkFactors, MechanicalVisitor};
use super::vectors::{VecDerivId, VectorsAccess};
use crate::component::matrix::{End, JointBlock};
use crate::math::{Deriv, Vec3};
use crate::scene::StateId;
use crate::with_state_type;
use engine::data::{Data, Role, read, update};

/// Under which name the first state of a group keeps the blocks of its joints.
const KEPT: &str = "misplaced joints";

/// The blocks of a group's joints.
struct Blocks(Vec<Data<JointBlock>>);

/// Whether SOFA puts blocks of a joint into wrong places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// All are where they belong.
    No,
    /// Those between its two ends, which one solver moves, are in other places, too.
    Between,
    /// Those between one end and another that the solver does not move, such as an obstacle, are somewhere.
    Outside,
}

/// Rows or columns of a joint's block.
#[derive(Clone, Copy)]
enum Numbers {
    /// Those of the end's state.
    Right,
    /// Scalars of another state: those from `from` on, `n` of them, as the joint's own matrix counts its end's.
    Own { scalars: OwnScalars, from: u32, n: u32 },
}

impl Numbers {
    fn read<D: Deriv>(self, v: &[D], row: u32, contact: Option<u32>) -> Vec3 {
        let Self::Own { scalars, from, n } = self else {
            return v[row as usize / D::BLOCKS].block(row as usize % D::BLOCKS);
        };
        let scalar = |number: Option<u32>| {
            let i = number?.checked_sub(from).filter(|i| *i < n)? as usize;
            let mut of_dof = v[i / D::SIZE];
            Some(*of_dof.scalar_mut(i % D::SIZE))
        };
        Vec3::from(scalars.of_row(row, contact).map(|number| scalar(number).unwrap_or(0.0)))
    }

    fn add<D: Deriv>(self, v: &mut [D], row: u32, contact: Option<u32>, value: Vec3) {
        let Self::Own { scalars, from, n } = self else {
            let (dof, k) = (row as usize / D::BLOCKS, row as usize % D::BLOCKS);
            let sum = v[dof].block(k) + value;
            v[dof].set_block(k, sum);
            return;
        };
        for (number, value) in scalars.of_row(row, contact).into_iter().zip(value.iter()) {
            if let Some(i) = number.and_then(|s| s.checked_sub(from)).filter(|i| *i < n) {
                *v[i as usize / D::SIZE].scalar_mut(i as usize % D::SIZE) += value;
            }
        }
    }
}

impl MechanicalVisitor<'_, '_, '_> {
    /// result += what SOFA's assembled matrix has in wrong places, times dx.
    ///
    /// Let K be the block of a joint component between two states s and t, of which at least one is mapped, and A and B the
    /// two independent states that they follow. SOFA adds J_s(a)^T K J_t(b) to the global matrix for *each* a and b of A and
    /// B, and where a state has no Jacobian with respect to a (because it follows the other one, or is itself independent),
    /// it takes K's rows (or columns) as they are for those that begin with a's first. One of the four products is right;
    /// the others are added here. Rows and columns beyond the end of the last state are left out.
    ///
    /// Contacts on triangles, lines and frames act on states of their own, mapped from those that touch, with a point for each
    /// contact; so their K counts contacts, in the order of detection. Contacts on points and spheres act on the points themselves.
    ///
    /// If the solver does not move t, there is A alone: J_s^T K stands at A's columns as they come, and K J_s at its rows. This
    /// is so only where any mapping stands under the solver, that of a contact's points included.
    ///
    /// **Source:** as SOFA's MatrixProjectionMethod, whose lists of independent states are joined before pairs are made, and which finds no
    /// Jacobian for a state that it does not know; contacts as its mappers make them (BarycentricContactMapper, RigidContactMapper,
    /// IdentityContactMapper); reproduced to 1e-14 (spheres on a mapped state against spheres of an independent one, one assembled
    /// system).
    pub fn add_misplaced_blocks(&mut self, result: VecDerivId, dx: VecDerivId, factors: MbkFactors) {
        let joints: Vec<(usize, Misplaced)> = (0..self.group.joints.len())
            .map(|k| (k, self.misplaced(k)))
            .filter(|(_, misplaced)| *misplaced != Misplaced::No)
            .collect();
        let blocks = self.joint_blocks(joints.len());
        self.visit.rec.sweep("misplaced_blocks");
        for ((k, _), blocks) in joints.iter().zip(&blocks) {
            let (between, node) = self.joint_at_tangent(*k);
            node.record_add_to_matrix(&mut self.visit, between, factors.k, factors.b, *blocks);
        }
        self.visit.rec.sweep("misplaced_products");
        for ((k, _), blocks) in joints.into_iter().zip(blocks) {
            for ends in [[End::First, End::Second], [End::Second, End::First]] {
                self.add_misplaced_of(k, blocks, ends, [result, dx]);
            }
        }
    }

    /// Whether SOFA puts blocks of the group's k-th joint into wrong places; see [`Self::add_misplaced_blocks`]. What several inputs move is
    /// left out: bodies that are cut into pieces are such.
    pub fn misplaced(&self, k: usize) -> Misplaced {
        let joint = &self.group.joints[k];
        let object = |s| &self.objects[self.visit.object(s).0 as usize];
        let points = joint.node.has_contact_points();
        let inside = match joint.sides {
            Sides { first: true, second: true } => {
                let [a, b] = [joint.first, joint.second].map(object);
                let follow = self.follows_one(joint.first) && self.follows_one(joint.second);
                let mapped = joint.first != a.root || joint.second != b.root || points.contains(&true);
                let is_so = a.id != b.id && a.solver_tag == b.solver_tag && mapped && follow;
                return if is_so { Misplaced::Between } else { Misplaced::No };
            }
            Sides { first: true, second: false } => joint.first,
            Sides { first: false, second: true } => joint.second,
            Sides { first: false, second: false } => return Misplaced::No,
        };
        let tag = object(inside).solver_tag;
        let is_one = self.group_objects().all(|o| o.solver_tag == tag);
        if is_one && self.has_mappings() && self.follows_one(inside) {
            Misplaced::Outside
        } else {
            Misplaced::No
        }
    }

    /// Whether a mapping stands under the solver, be it that of contacts onto points of their own.
    fn has_mappings(&self) -> bool {
        let of_contacts = |joint: &super::mechanical::Joint<'_>| {
            let [first, second] = joint.node.has_contact_points();
            first && joint.sides.first || second && joint.sides.second
        };
        self.group_objects().any(|o| !o.mappings.is_empty()) || self.group.joints.iter().any(of_contacts)
    }

    fn follows_one(&self, state: StateId) -> bool {
        let mut onto = self.parts.mappings.iter().filter(|m| m.second == state);
        match (onto.next(), onto.next()) {
            (None, _) => true,
            (Some(m), None) => self.follows_one(m.first),
            (Some(_), Some(_)) => false,
        }
    }

    /// How the own matrix of the group's k-th joint counts the scalars of an end.
    pub fn own_scalars(&self, k: usize, end: End) -> OwnScalars {
        let joint = &self.group.joints[k];
        let points = joint.node.has_contact_points();
        let (state, of_contacts) = match end {
            End::First => (joint.first, points[0]),
            End::Second => (joint.second, points[1]),
        };
        let vectors = &self.visit.vectors[state.0 as usize];
        let n = vectors.len().max(1);
        OwnScalars {
            per_dof: (vectors.n_scalars() / n) as u32,
            blocks_per_dof: (vectors.n_block_rows() / n).max(1) as u32,
            of_contacts,
        }
    }

    /// Buffers for the blocks of so many joints.
    fn joint_blocks(&mut self, n: usize) -> Vec<Data<JointBlock>> {
        let first = self.group_objects().next().map(|o| (o.root, o.id));
        let Some((root, object)) = first.filter(|_| n > 0) else { return Vec::new() };
        let kept = self.visit.vectors[root.0 as usize].kept::<Blocks>(KEPT);
        let mut all = kept.map(|blocks| blocks.0.clone()).unwrap_or_default();
        if all.len() < n {
            let store = self.visit.rec.store();
            all.resize_with(n, || store.create("misplaced blocks", object, Role::Scratch, Vec::new()));
            let buffers = all.iter().map(|d| d.id()).collect();
            self.visit.vectors[root.0 as usize].keep(KEPT, Arc::new(Blocks(all.clone())), buffers);
        }
        all.truncate(n);
        all
    }

    /// The misplaced products of the block between two ends: that of the change of the force on `s` with motions of `t`.
    fn add_misplaced_of(
        &mut self,
        k: usize,
        blocks: Data<JointBlock>,
        [s, t]: [End; 2],
        [result, dx]: [VecDerivId; 2],
    ) {
        let joint = &self.group.joints[k];
        let (first, second) = ((joint.first, joint.sides.first), (joint.second, joint.sides.second));
        let ((state_s, s_inside), (state_t, t_inside)) =
            if s == End::First { (first, second) } else { (second, first) };
        let others = |receives: bool, state: StateId, end: End| {
            if receives { self.overlaps(state, self.own_scalars(k, end)) } else { Vec::new() }
        };
        let (columns, rows) = (others(s_inside, state_s, t), others(t_inside, state_t, s));
        let right = |is_there: bool, state: StateId| is_there.then_some((state, Numbers::Right));
        for (target, rows_at) in right(s_inside, state_s).into_iter().chain(rows) {
            for &(source, columns_at) in right(t_inside, state_t).iter().chain(&columns) {
                // Where both are right, the block is in the matrix already.
                if !matches!((rows_at, columns_at), (Numbers::Right, Numbers::Right)) {
                    with_state_type!(self.visit, target, T => with_state_type!(self.visit, source, S =>
                        self.add_product::<T, S>(blocks, [s, t], (target, result, rows_at), (source, dx, columns_at))));
                }
            }
        }
    }

    /// The independent states that the scalars of an end fall on, from that on which `state` follows, one state after the other.
    fn overlaps(&self, state: StateId, scalars: OwnScalars) -> Vec<(StateId, Numbers)> {
        let first = self.objects[self.visit.object(state).0 as usize].root;
        let roots = self.group_objects().map(|o| o.root).skip_while(|r| *r != first);
        let mut from = 0;
        let at = roots.map(|root| {
            let n = self.visit.vectors[root.0 as usize].n_scalars() as u32;
            let numbers = Numbers::Own { scalars, from, n };
            from += n;
            (root, numbers)
        });
        at.collect()
    }

    /// target += blocks source, with the rows and columns as said.
    fn add_product<T: VectorsAccess, S: VectorsAccess>(
        &mut self,
        blocks: Data<JointBlock>,
        ends: [End; 2],
        (target, result, rows): (StateId, VecDerivId, Numbers),
        (source, dx, columns): (StateId, VecDerivId, Numbers),
    ) {
        let at = self.at(target);
        let target = self.visit.deriv::<T>(target, result);
        let source = self.visit.deriv::<S>(source, dx);
        let accesses = (update(target), read(source), read(blocks));
        self.visit.rec.own(
            "misplaced_product",
            at.tag,
            at.object,
            accesses,
            move |(target, source, blocks): (&mut [T::Deriv], &[S::Deriv], &[JointBlock])| {
                for b in blocks.iter().filter(|b| [b.row.0, b.column.0] == ends) {
                    let seen = columns.read(source, b.column.1, b.contact);
                    rows.add(target, b.row.1, b.contact, b.block * seen);
                }
            },
        );
    }
}
