//! Fusion: which nodes are one task together.
//!
//! A task costs some 80 ns whatever it does, and a wait between workers more. So nodes are put together until a task is worth
//! it, in ways that cannot make a circle of tasks:
//!
//! 1. an *island* (what is connected in whatever direction) that is small enough is one unit: nobody waits for it, it waits for
//!    nobody;
//! 2. a *chain* (one that only feeds one that is only fed by it) is one unit, however long: nothing in it can run beside anything
//!    else of it;
//! 3. what feeds one unit only joins it while that stays small: everything that leaves such a unit leaves at its last node, so
//!    nothing that leaves it can come back;
//! 4. what is fed from one unit only joins it while that stays much smaller, since all others that are fed from it wait for the
//!    whole: everything that enters such a unit enters at its first node;
//! 5. units of one level are packed into chunks, those that wait for the same side by side: a level is left upwards only.
//!
//! What a chunk computes does not depend on where its borders are: it goes through its nodes with producers first.

use super::edits::NodeKey;
use super::rows::Rows;
use super::structure::Structure;
use super::units::{ALONE, levels, packed};

/// How nodes are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fusion {
    /// Each component is a task of its own.
    Off,
    /// Until a task lasts so long \[ns\].
    On {
        /// What a task is to last; 20 to 50 us are worth it.
        grain_ns: u32,
    },
}

impl Default for Fusion {
    fn default() -> Self {
        Self::On { grain_ns: 35_000 }
    }
}

/// The components of a graph in chunks, each to be a task.
#[derive(Clone, Debug)]
pub struct Chunks {
    components: Rows,
    chunk_of: Vec<u32>,
    before: Rows,
    levels: Vec<u32>,
    costs: Vec<u64>,
}

impl Chunks {
    /// Puts the components of a graph together. `cost` is a node's time \[ns\]; only nodes of one class come together, those
    /// of the class [`ALONE`] with nobody, though a component always stays whole.
    pub fn of(
        structure: &Structure,
        fusion: Fusion,
        cost: impl Fn(NodeKey) -> u32,
        class: impl Fn(NodeKey) -> u32,
    ) -> Self {
        Self::of_bound(structure, fusion, cost, class, |_| None)
    }

    /// As [`Self::of`], where some nodes are in the chunk of another one whatever it costs: the only one that they feed.
    pub fn of_bound(
        structure: &Structure,
        fusion: Fusion,
        cost: impl Fn(NodeKey) -> u32,
        class: impl Fn(NodeKey) -> u32,
        bound: impl Fn(NodeKey) -> Option<NodeKey>,
    ) -> Self {
        let n = structure.n_components();
        let costs = component_costs(structure, &cost);
        let mut classes = Vec::with_capacity(n);
        for c in 0..n as u32 {
            let members = structure.members(c);
            let first = class(NodeKey(members[0]));
            let is_one = members.iter().all(|&m| class(NodeKey(m)) == first);
            classes.push(if is_one { first } else { ALONE });
        }
        let bound = |c: u32| match (structure.members(c), structure.after(c)) {
            (&[node], &[after]) => {
                bound(NodeKey(node)).map(|n| structure.component(n)).filter(|b| *b == after)
            }
            _ => None,
        };
        let of_component = match fusion {
            Fusion::Off => (0..n as u32).map(|c| bound(c).unwrap_or(c)).collect(),
            Fusion::On { grain_ns } => packed(structure, u64::from(grain_ns), (&costs, &classes), &bound),
        };
        Self::new(structure, of_component, &costs)
    }

    /// Chunks that the caller has chosen: the group of each component. Groups must not wait for each other in a circle; one level's
    /// components may be grouped in any way.
    pub fn of_groups(structure: &Structure, group_of: Vec<u32>, cost: impl Fn(NodeKey) -> u32) -> Self {
        let costs = component_costs(structure, &cost);
        Self::new(structure, group_of, &costs)
    }

    /// Numbers chunks by level and first component, and finds what each waits for.
    fn new(structure: &Structure, group_of: Vec<u32>, component_costs: &[u64]) -> Self {
        let n = structure.n_components();
        let n_groups = group_of.iter().map(|&g| g as usize + 1).max().unwrap_or(0);
        let components = Rows::of_pairs(n_groups, group_of.iter().copied().zip(0..));
        let waits = (0..n as u32).flat_map(|c| {
            let group_of = &group_of;
            structure.before(c).iter().map(move |&b| (group_of[c as usize], group_of[b as usize]))
        });
        let before = Rows::of_pairs(n_groups, waits.filter(|(a, b)| a != b)).sorted_without_doubles();
        let levels = levels(&before);
        let mut order: Vec<u32> = (0..n_groups as u32).filter(|&g| !components.row(g).is_empty()).collect();
        order.sort_unstable_by_key(|&g| (levels[g as usize], components.row(g)[0]));
        let mut number = vec![u32::MAX; n_groups];
        for (k, &g) in order.iter().enumerate() {
            number[g as usize] = k as u32;
        }
        let mut chunks = Self {
            components: Rows::default(),
            chunk_of: group_of.iter().map(|&g| number[g as usize]).collect(),
            before: Rows::default(),
            levels: Vec::with_capacity(order.len()),
            costs: Vec::with_capacity(order.len()),
        };
        let mut waits = Vec::new();
        for &g in &order {
            chunks.components.push(components.row(g).iter().copied());
            waits.clear();
            waits.extend(before.row(g).iter().map(|&b| number[b as usize]));
            waits.sort_unstable();
            chunks.before.push(waits.iter().copied());
            chunks.levels.push(levels[g as usize]);
            chunks.costs.push(components.row(g).iter().map(|&c| component_costs[c as usize]).sum());
        }
        chunks
    }

    /// Number of chunks.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether there is no chunk.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// The components of a chunk, ascending, so that producers come first.
    pub fn components(&self, chunk: u32) -> &[u32] {
        self.components.row(chunk)
    }

    /// The chunk of a component.
    pub fn chunk_of(&self, component: u32) -> u32 {
        self.chunk_of[component as usize]
    }

    /// The chunks that must have run before a chunk, ascending; all have smaller numbers.
    pub fn before(&self, chunk: u32) -> &[u32] {
        self.before.row(chunk)
    }

    /// How many chunks the longest way to a chunk passes.
    pub fn level(&self, chunk: u32) -> u32 {
        self.levels[chunk as usize]
    }

    /// The time of a chunk's nodes \[ns\].
    pub fn cost(&self, chunk: u32) -> u64 {
        self.costs[chunk as usize]
    }
}

fn component_costs(structure: &Structure, cost: &impl Fn(NodeKey) -> u32) -> Vec<u64> {
    let of_members = |c| structure.members(c).iter().map(|&m| u64::from(cost(NodeKey(m)))).sum();
    (0..structure.n_components() as u32).map(of_members).collect()
}
