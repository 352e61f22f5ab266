//! Rows of constraints as the states feel them: pulled up through mappings to what is corrected.

use std::collections::{BTreeMap, BTreeSet};

use super::visit::{At, Visit};
use crate::component::lagrangian_constraint::RowEntry;
use crate::component::matrix::End;
use crate::math::lane::Row;
use crate::math::{Mat3, Vec3};
use crate::scene::StateId;
use crate::scene::parts::Parts;
use engine::data::{Data, ObjectId, Role, Store, Workspace, grow, read};
use engine::graph::ComponentTag;

/// The Jacobian of a unit's rows: of those constraints that its states feel.
#[derive(Debug, Default)]
pub struct UnitRows {
    /// Of each row, the constraint and the row among the constraint's.
    pub rows: Vec<[u32; 2]>,
    /// First entry of each row, and the end of the last one's.
    pub starts: Vec<u32>,
    /// The block row of each entry, ascending within a row, each once, and its direction.
    pub entries: Vec<(u32, Vec3)>,
    /// Number of block rows of the unit's states.
    pub n_blocks: usize,
    /// Of each scalar of the block rows, whether projective constraints hold it at all times.
    pub held: Vec<bool>,
    /// Scalars that projective constraints hold at some times only, constraint by constraint.
    pub by_time: Vec<Vec<u32>>,
    /// Of each scalar, whether they hold it in this step.
    fixed: Vec<bool>,
    /// For who computes with them.
    pub room: Vec<f64>,
    /// For who computes with several vectors at once.
    pub lanes: Vec<Row>,
    taken: Vec<([u32; 2], u32, Vec3)>,
}

impl UnitRows {
    /// Forgets the rows of the step before, and what was held in it only.
    pub fn begin(&mut self) {
        self.taken.clear();
        self.fixed.clone_from(&self.held);
    }

    /// Scalars with this number among those [`Self::by_time`] are held in this step.
    pub fn hold(&mut self, number: usize) {
        let Self { by_time, fixed, .. } = self;
        for scalar in by_time.get(number).into_iter().flatten() {
            if let Some(fixed) = fixed.get_mut(*scalar as usize) {
                *fixed = true;
            }
        }
    }

    /// Takes the entries of a constraint on one of the states, whose first block row is `first`.
    pub fn take(&mut self, constraint: u32, end: Option<End>, first: u32, entries: &[RowEntry]) {
        for e in entries.iter().filter(|e| end.is_none_or(|end| e.end == end)) {
            let block = first + e.block;
            let mut direction = e.direction;
            for k in 0..3 {
                if self.fixed.get(3 * block as usize + k).is_some_and(|fixed| *fixed) {
                    direction[k] = 0.0;
                }
            }
            self.taken.push(([constraint, e.row], block, direction));
        }
    }

    /// Puts the entries in order, and adds up those of one place.
    pub fn finish(&mut self) {
        let Self { rows, starts, entries, taken, .. } = self;
        // Rows come in their order, but where both ends of a constraint are here. What is added up is so in the order in which it came.
        if !taken.is_sorted_by_key(|(row, ..)| *row) {
            taken.sort_by_key(|(row, ..)| *row);
        }
        rows.clear();
        starts.clear();
        entries.clear();
        let mut start = 0;
        for &(row, block, direction) in taken.iter() {
            if rows.last() != Some(&row) {
                rows.push(row);
                start = entries.len();
                starts.push(start as u32);
            }
            // A row has few entries, or entries in order.
            let before = entries[start..].iter().rposition(|e| e.0 <= block).map_or(start, |k| start + k + 1);
            match entries[start..before].last_mut() {
                Some(known) if known.0 == block => known.1 += direction,
                _ => entries.insert(before, (block, direction)),
            }
        }
        starts.push(entries.len() as u32);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no constraint acts.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The entries of a row.
    pub fn row(&self, row: usize) -> &[(u32, Vec3)] {
        &self.entries[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// A row times a vector in blocks of three scalars.
    pub fn times(&self, row: usize, blocks: &[f64]) -> f64 {
        let of_block = |(block, d): &(u32, Vec3)| {
            let b = &blocks[3 * *block as usize..][..3];
            d.x * b[0] + d.y * b[1] + d.z * b[2]
        };
        self.row(row).iter().map(of_block).sum()
    }

    /// Adds a row times a force to a vector in blocks.
    pub fn add_transposed(&self, row: usize, force: f64, blocks: &mut [f64]) {
        for (block, d) in self.row(row) {
            let b = &mut blocks[3 * *block as usize..][..3];
            (0..3).for_each(|k| b[k] += d[k] * force);
        }
    }
}

/// Independent states that a correction corrects together.
pub struct CorrectedUnit {
    /// The correction's identity, and the first of the states.
    pub at: At,
    /// The states, with the first block row of each.
    pub members: Vec<(At, u32)>,
    /// The rows that they feel.
    pub rows: Workspace<UnitRows>,
    /// In blocks: J^T lambda, then the motion that it causes.
    pub motion: Data<f64>,
}

/// Buffers of entries that were pulled up to a state, kept for the next recording.
#[derive(Debug, Default)]
pub struct PulledEntries {
    of_object: BTreeMap<ObjectId, (Vec<Data<RowEntry>>, usize)>,
}

impl PulledEntries {
    /// All of them may be used again.
    pub fn rewind(&mut self) {
        self.of_object.values_mut().for_each(|(_, used)| *used = 0);
    }

    /// Gives them back.
    pub fn free(self, store: &mut Store) {
        self.of_object.into_values().flat_map(|(all, _)| all).for_each(|data| store.free(data.id()));
    }

    fn next(&mut self, visit: &mut Visit<'_, '_>, object: ObjectId) -> Data<RowEntry> {
        let (all, used) = self.of_object.entry(object).or_default();
        if all.len() == *used {
            all.push(visit.rec.store().create("constraint.pulled", object, Role::Scratch, Vec::new()));
        }
        *used += 1;
        all[*used - 1]
    }
}

/// The Jacobian of a mapping: its blocks, and where those of each output row are.
#[derive(Clone, Copy, Debug)]
struct JacobianRows {
    values: Data<Mat3>,
    starts: Data<u32>,
    /// Of each block of a row, its column and its number.
    blocks: Data<[u32; 2]>,
}

/// The Jacobians of mappings, by mapping, kept for the next recording.
#[derive(Debug, Default)]
pub struct MappingJacobians {
    of_mapping: BTreeMap<usize, JacobianRows>,
    recorded: BTreeSet<usize>,
}

impl MappingJacobians {
    /// Each is to be recorded anew.
    pub fn rewind(&mut self) {
        self.recorded.clear();
    }

    /// Gives their buffers back.
    pub fn free(self, store: &mut Store) {
        for JacobianRows { values, starts, blocks } in self.of_mapping.into_values() {
            [values.id(), starts.id(), blocks.id()].into_iter().for_each(|id| store.free(id));
        }
    }

    /// Records the Jacobian of a mapping at the positions of the beginning of the step, once.
    pub fn record(&mut self, visit: &mut Visit<'_, '_>, parts: &Parts, mapping: usize, tag: ComponentTag) {
        if !self.recorded.insert(mapping) {
            return;
        }
        let m = &parts.mappings[mapping];
        let object = visit.object(m.second);
        let n_rows = visit.vectors[m.second.0 as usize].n_block_rows();
        let known = self.of_mapping.entry(mapping).or_insert_with(|| {
            let store = visit.rec.store();
            let places = m.node.jacobian_places(store);
            let mut numbers: Vec<u32> = (0..places.len() as u32).collect();
            numbers.sort_by_key(|k| places[*k as usize].0);
            let mut starts = vec![0u32; n_rows + 1];
            places.iter().for_each(|(row, _)| starts[*row as usize + 1] += 1);
            (0..n_rows).for_each(|r| starts[r + 1] += starts[r]);
            let blocks = numbers.into_iter().map(|k| [places[k as usize].1, k]).collect();
            let zeros = vec![Mat3::zeros(); places.len()];
            JacobianRows {
                values: store.create("constraint.jacobian", object, Role::Scratch, zeros),
                starts: store.create("constraint.jacobian_starts", object, Role::Parameter, starts),
                blocks: store.create("constraint.jacobian_blocks", object, Role::Parameter, blocks),
            }
        });
        let values = known.values;
        m.node.record_jacobian(visit, At { tag, state: m.second, object }, values);
    }

    fn pull(
        &self,
        visit: &mut Visit<'_, '_>,
        (mapping, object, tag): (usize, ObjectId, ComponentTag),
        end: Option<End>,
        from: Data<RowEntry>,
        to: Data<RowEntry>,
    ) {
        let Some(&JacobianRows { values, starts, blocks }) = self.of_mapping.get(&mapping) else { return };
        let accesses = (grow(to), read(from), read(values), read(starts), read(blocks));
        visit.rec.own("pull_up", tag, object, accesses, move |(mut to, from, values, starts, blocks)| {
            to.clear();
            for e in from.iter().filter(|e| end.is_none_or(|end| e.end == end)) {
                let of_row = starts[e.block as usize] as usize..starts[e.block as usize + 1] as usize;
                for &[column, number] in &blocks[of_row] {
                    let direction = values[number as usize].tr_mul(&e.direction);
                    to.push(RowEntry { block: column, direction, ..*e });
                }
            }
        });
    }
}

/// Entries of a constraint on a state.
#[derive(Clone, Copy, Debug)]
pub struct OnState {
    /// The state.
    pub state: StateId,
    /// Which of the entries are meant; none: all.
    pub end: Option<End>,
    /// The entries.
    pub entries: Data<RowEntry>,
}

/// Which mappings bring constraints from each state to those above it.
#[derive(Debug, Default)]
pub struct MappingsUp {
    of_state: BTreeMap<StateId, Vec<usize>>,
}

impl MappingsUp {
    /// Those of a scene.
    pub fn new(parts: &Parts) -> Self {
        let mut of_state: BTreeMap<StateId, Vec<usize>> = BTreeMap::new();
        for (k, m) in parts.mappings.iter().enumerate().filter(|(_, m)| m.node.map_constraints()) {
            of_state.entry(m.second).or_default().push(k);
        }
        Self { of_state }
    }

    /// Those that end in a state.
    fn of(&self, state: StateId) -> &[usize] {
        self.of_state.get(&state).map_or(&[], |mappings| mappings)
    }

    /// Those that stand between a state and the independent ones above.
    pub fn above(&self, parts: &Parts, state: StateId) -> Vec<usize> {
        let mut found = Vec::new();
        let mut states = vec![state];
        while let Some(state) = states.pop() {
            for &k in self.of(state) {
                if !found.contains(&k) {
                    found.push(k);
                    states.push(parts.mappings[k].first);
                }
            }
        }
        found
    }
}

/// Records that the entries at one end of a constraint are brought up to the independent states above it, by as many ways as
/// there are; the entries on these, and on all states on the way.
pub fn record_pull_up(
    visit: &mut Visit<'_, '_>,
    (parts, mappings): (&Parts, &MappingsUp),
    (jacobians, pulled): (&MappingJacobians, &mut PulledEntries),
    (state, end, tag): (StateId, End, ComponentTag),
    entries: Data<RowEntry>,
) -> Vec<OnState> {
    let mut found = Vec::new();
    let mut open = vec![(state, Some(end), entries)];
    while let Some((state, end, entries)) = open.pop() {
        found.push(OnState { state, end, entries });
        if !visit.vectors[state.0 as usize].mapped() {
            continue;
        }
        for &k in mappings.of(state) {
            let m = &parts.mappings[k];
            let object = visit.object(m.first);
            let to = pulled.next(visit, object);
            jacobians.pull(visit, (k, object, tag), end, entries, to);
            open.push((m.first, None, to));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// In whatever order entries come: as sorted by row and block, and added up in the order in which they came.
        #[test]
        fn rows_are_put_in_order(
            taken in prop::collection::vec((0u32..3, 0u32..4, 0u32..5, prop::array::uniform3(-1.0..1.0f64)), 0..60),
            by_constraint in any::<bool>(),
        ) {
            let mut taken = taken;
            if by_constraint {
                taken.sort_by_key(|(constraint, row, ..)| (*constraint, *row));
            }
            let mut rows = UnitRows::default();
            rows.begin();
            for (constraint, row, block, d) in &taken {
                let entry = RowEntry { row: *row, end: End::First, block: *block, direction: Vec3::from(*d) };
                rows.take(*constraint, None, 0, &[entry]);
            }
            rows.finish();
            taken.sort_by_key(|(constraint, row, block, _)| (*constraint, *row, *block));
            let mut expected: Vec<([u32; 2], u32, Vec3)> = Vec::new();
            for (constraint, row, block, d) in taken {
                match expected.last_mut().filter(|e| (e.0, e.1) == ([constraint, row], block)) {
                    Some(last) => last.2 += Vec3::from(d),
                    None => expected.push(([constraint, row], block, Vec3::from(d))),
                }
            }
            let of_row = |k: usize| rows.row(k).iter().map(move |(block, d)| (k, *block, *d));
            let found: Vec<_> = (0..rows.len()).flat_map(of_row).collect();
            let found: Vec<_> = found.into_iter().map(|(k, block, d)| (rows.rows[k], block, d)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn entries_of_one_place_add_up_and_what_is_held_counts_for_nothing() {
        let (held, by_time) = (vec![false; 9], vec![vec![3, 4, 5]]);
        let mut rows = UnitRows { n_blocks: 3, held, by_time, ..UnitRows::default() };
        rows.held[7] = true;
        // What was held in another step only.
        rows.begin();
        rows.hold(0);
        let entry = |row, end, block, direction| RowEntry { row, end, block, direction };
        rows.begin();
        let of_second = [entry(0, End::First, 1, Vec3::x()), entry(0, End::Second, 0, Vec3::y())];
        rows.take(1, Some(End::First), 1, &of_second);
        rows.take(0, None, 0, &[entry(1, End::First, 2, Vec3::new(1.0, 2.0, 3.0))]);
        rows.take(1, None, 0, &[entry(0, End::First, 0, Vec3::z()), entry(0, End::First, 2, Vec3::z())]);
        rows.finish();
        assert_eq!(rows.rows, [[0, 1], [1, 0]]);
        assert_eq!(rows.row(0), [(2, Vec3::new(1.0, 0.0, 3.0))]);
        assert_eq!(rows.row(1), [(0, Vec3::z()), (2, Vec3::new(1.0, 0.0, 1.0))]);
        let x: Vec<f64> = (0..9).map(f64::from).collect();
        assert_eq!((rows.times(0, &x), rows.times(1, &x)), (6.0 + 24.0, 2.0 + 6.0 + 8.0));
        let mut f = [0.0; 9];
        rows.add_transposed(1, 2.0, &mut f);
        assert_eq!(f, [0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 2.0]);
    }
}
