//! What SOFA's assembled matrix has beside the right blocks where a joint component acts on a mapped state.

use super::interaction_node::{Between, Sides};
use super::mechanical::{MbkFactors, MechanicalVisitor};
use super::vectors::{VecDerivId, VectorsAccess};
use super::visit::At;
use crate::math::Deriv;
use crate::scene::StateId;
use crate::with_state_type;
use engine::data::{read, update};

/// Numbers of other states, read as those of a joint's end.
const SEEN: VecDerivId = VecDerivId::temporary(20);
/// What a joint does to an end, to be added to another state as it is.
const FORCE: VecDerivId = VecDerivId::temporary(21);

/// Scalars `from..from + n` of one state are those from `to` on of another one.
#[derive(Clone, Copy)]
struct Overlap {
    from: usize,
    to: usize,
    n: usize,
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
    /// **Source:** as SOFA's MatrixProjectionMethod, whose lists of independent states are joined before pairs are made;
    /// reproduced to 1e-14 (spheres on a mapped state against spheres of an independent one, one assembled system).
    pub fn add_misplaced_blocks(&mut self, result: VecDerivId, dx: VecDerivId, factors: MbkFactors) {
        let ends: Vec<(usize, Between)> = (0..self.group.joints.len())
            .filter(|&k| self.is_misplaced(k))
            .map(|k| (k, self.joint_at_tangent(k).0))
            .collect();
        for (k, between) in ends {
            for receives_first in [true, false] {
                self.add_misplaced_of(k, between, receives_first, [result, dx], factors);
            }
        }
    }

    /// Whether SOFA puts blocks of the group's k-th joint into wrong places: both ends are one solver's, follow two independent states, and
    /// at least one is mapped. What several inputs move is left out: bodies that are cut into pieces are such.
    pub fn is_misplaced(&self, k: usize) -> bool {
        let joint = &self.group.joints[k];
        let states = [joint.first, joint.second];
        let [a, b] = states.map(|s| &self.objects[self.visit.object(s).0 as usize]);
        joint.sides == Sides { first: true, second: true }
            && a.id != b.id
            && a.solver_tag == b.solver_tag
            && (joint.first != a.root || joint.second != b.root)
            && states.into_iter().all(|s| self.follows_one(s))
    }

    fn follows_one(&self, state: StateId) -> bool {
        let mut onto = self.parts.mappings.iter().filter(|m| m.second == state);
        match (onto.next(), onto.next()) {
            (None, _) => true,
            (Some(m), None) => self.follows_one(m.first),
            (Some(_), Some(_)) => false,
        }
    }

    /// The misplaced products of the block between the end that receives and the other one.
    fn add_misplaced_of(
        &mut self,
        joint: usize,
        between: Between,
        receives_first: bool,
        [result, dx]: [VecDerivId; 2],
        MbkFactors { k, b, .. }: MbkFactors,
    ) {
        let (s, t) =
            if receives_first { (between.first, between.second) } else { (between.second, between.first) };
        let between = Between { sides: Sides { first: receives_first, second: !receives_first }, ..between };
        let of = |dx: VecDerivId| {
            if receives_first { [VecDerivId::ZERO, dx] } else { [dx, VecDerivId::ZERO] }
        };
        let root = |visitor: &Self, state| visitor.objects[visitor.visit.object(state).0 as usize].root;
        let (at_s, at_t) = (self.at(s), self.at(t));
        self.visit.rec.sweep("misplaced_columns");
        self.visit.v_clear(at_t, SEEN);
        self.visit.v_clear(at_s, FORCE);
        let from = root(self, s);
        for (other, o) in self.overlaps(from, t) {
            let o = Overlap { from: o.to, to: o.from, n: o.n };
            with_state_type!(self.visit, t, T => with_state_type!(self.visit, other, O =>
                self.add_scalars::<T, O>(at_t, SEEN, (other, dx), o)));
        }
        self.visit.rec.sweep("misplaced_forces");
        let node = self.group.joints[joint].node;
        node.record_add_d_force(&mut self.visit, between, k, b, result, of(SEEN));
        node.record_add_d_force(&mut self.visit, between, k, b, FORCE, of(dx));
        node.record_add_d_force(&mut self.visit, between, k, b, FORCE, of(SEEN));
        self.visit.rec.sweep("misplaced_rows");
        let from = root(self, t);
        for (other, o) in self.overlaps(from, s) {
            let at = self.at(other);
            with_state_type!(self.visit, other, O => with_state_type!(self.visit, s, S =>
                self.add_scalars::<O, S>(at, result, (s, FORCE), o)));
        }
    }

    /// The independent states whose scalars, one state after the other from `first` on, those of `state` fall on.
    fn overlaps(&self, first: StateId, state: StateId) -> Vec<(StateId, Overlap)> {
        let size = |s: StateId| self.visit.vectors[s.0 as usize].n_scalars();
        let roots = self.group_objects().map(|o| o.root).skip_while(|r| *r != first);
        let (mut from, total) = (0, size(state));
        let mut overlaps = Vec::new();
        for root in roots {
            let n = size(root).min(total - from);
            if n == 0 {
                break;
            }
            overlaps.push((root, Overlap { from, to: 0, n }));
            from += n;
        }
        overlaps
    }

    /// target[to + i] += source[from + i], scalar by scalar.
    fn add_scalars<T: VectorsAccess, S: VectorsAccess>(
        &mut self,
        at: At,
        target: VecDerivId,
        (source_state, source): (StateId, VecDerivId),
        Overlap { from, to, n }: Overlap,
    ) {
        let target = self.visit.deriv::<T>(at.state, target);
        let source = self.visit.deriv::<S>(source_state, source);
        let accesses = (update(target), read(source));
        self.visit.rec.own("add_scalars", at.tag, at.object, accesses, move |(target, source)| {
            for i in 0..n {
                let (s, t) = (from + i, to + i);
                let mut of_source = source[s / S::Deriv::SIZE];
                *target[t / T::Deriv::SIZE].scalar_mut(t % T::Deriv::SIZE) +=
                    *of_source.scalar_mut(s % S::Deriv::SIZE);
            }
        });
    }
}
