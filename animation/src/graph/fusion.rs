//! Fusion: which nodes are one task together.
//!
//! A task costs some 80 ns whatever it does, and a wait between workers more. So nodes are put together until a task is worth
//! it, in ways that cannot make a circle of tasks:
//!
//! 1. an *island* (what is connected in whatever direction) that is small enough is one unit: nobody waits for it, it waits for
//!    nobody;
//! 2. a *chain* (one that only feeds one that is only fed by it) is one unit, however long: nothing in it can run beside anything
//!    else of it;
//! 3. what is fed from one unit only joins it while that stays small: everything that enters such a unit enters at its first node,
//!    so nothing that leaves it can come back;
//! 4. units of one level are packed into chunks: a level is left upwards only.
//!
//! What a chunk computes does not depend on where its borders are: it goes through its nodes with producers first.

use super::edits::NodeKey;
use super::islands::islands;
use super::rows::Rows;
use super::structure::Structure;

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

/// The class of nodes that share a chunk with no other component.
pub const ALONE: u32 = u32::MAX;

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
        let n = structure.n_components();
        let costs = component_costs(structure, &cost);
        let mut classes = Vec::with_capacity(n);
        for c in 0..n as u32 {
            let members = structure.members(c);
            let first = class(NodeKey(members[0]));
            let is_one = members.iter().all(|&m| class(NodeKey(m)) == first);
            classes.push(if is_one { first } else { ALONE });
        }
        let of_component = match fusion {
            Fusion::Off => (0..n as u32).collect(),
            Fusion::On { grain_ns } => packed(structure, u64::from(grain_ns), &costs, &classes),
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

/// The length of the longest way to each row of a graph without circles.
fn levels(before: &Rows) -> Vec<u32> {
    let n = before.len();
    let pairs = (0..n as u32).flat_map(|a| before.row(a).iter().map(move |&b| (b, a)));
    let after = Rows::of_pairs(n, pairs);
    let mut left: Vec<u32> = before.iter().map(|row| row.len() as u32).collect();
    let mut levels = vec![0_u32; n];
    let mut ready: Vec<u32> = (0..n as u32).filter(|&k| left[k as usize] == 0).collect();
    while let Some(k) = ready.pop() {
        for &to in after.row(k) {
            let to = to as usize;
            levels[to] = levels[to].max(levels[k as usize] + 1);
            left[to] -= 1;
            if left[to] == 0 {
                ready.push(to as u32);
            }
        }
    }
    levels
}

/// A group of components that becomes a part of a chunk.
struct Unit {
    cost: u64,
    class: u32,
    is_island: bool,
    first: u32,
}

/// The group of each component.
fn packed(structure: &Structure, grain: u64, costs: &[u64], classes: &[u32]) -> Vec<u32> {
    let (unit_of, units) = units(structure, grain, costs, classes);
    let waits = (0..unit_of.len() as u32).flat_map(|c| {
        let unit_of = &unit_of;
        structure.before(c).iter().map(move |&b| (unit_of[c as usize], unit_of[b as usize]))
    });
    let before = Rows::of_pairs(units.len(), waits.filter(|(a, b)| a != b)).sorted_without_doubles();
    let levels = levels(&before);
    let mut order: Vec<u32> = (0..units.len() as u32).collect();
    let key = |u: u32| {
        let unit = &units[u as usize];
        (unit.is_island, levels[u as usize], unit.class)
    };
    order.sort_unstable_by_key(|&u| (key(u), units[u as usize].first));
    let mut group_of_unit = vec![0_u32; units.len()];
    let (mut group, mut filled, mut previous) = (0, 0, None);
    for u in order {
        let unit = &units[u as usize];
        let is_new = previous != Some(key(u)) || unit.class == ALONE || filled + unit.cost > grain;
        if is_new {
            (group, filled) = (group + u32::from(previous.is_some()), 0);
        }
        previous = Some(key(u));
        filled += unit.cost;
        group_of_unit[u as usize] = group;
    }
    unit_of.iter().map(|&u| group_of_unit[u as usize]).collect()
}

/// Islands, chains, and what is fed from one unit only.
fn units(structure: &Structure, grain: u64, costs: &[u64], classes: &[u32]) -> (Vec<u32>, Vec<Unit>) {
    let n = costs.len();
    let pairs = (0..n as u32).flat_map(|c| structure.before(c).iter().map(move |&b| (c, b)));
    let islands = islands(n, pairs);
    // Of each island: its cost, its class, and its unit once it has one.
    let mut of_island: Vec<(u64, u32, Option<u32>)> = vec![(0, ALONE, None); n];
    for c in (0..n).rev() {
        let island = &mut of_island[islands[c] as usize];
        let is_first = island.0 == 0 && island.2.is_none();
        island.0 += costs[c].max(1);
        island.1 = if is_first || island.1 == classes[c] { classes[c] } else { ALONE };
    }
    let mut units: Vec<Unit> = Vec::new();
    let mut unit_of = Vec::with_capacity(n);
    for c in 0..n as u32 {
        let (cost, class) = (costs[c as usize], classes[c as usize]);
        let &(island_cost, island_class, island_unit) = &of_island[islands[c as usize] as usize];
        let is_island = island_class != ALONE && island_cost <= grain;
        let from = if is_island { island_unit } else { fed_from(structure, c, &unit_of) };
        let joined = from.filter(|&u| {
            let unit = &units[u as usize];
            let is_chain = matches!(structure.before(c), [b] if structure.after(*b) == [c]);
            let is_small = is_island || is_chain || unit.cost + cost <= grain;
            is_small && unit.class == class && class != ALONE
        });
        let unit = joined.unwrap_or_else(|| {
            units.push(Unit { cost: 0, class, is_island, first: c });
            units.len() as u32 - 1
        });
        units[unit as usize].cost += cost;
        if is_island {
            of_island[islands[c as usize] as usize].2 = Some(unit);
        }
        unit_of.push(unit);
    }
    (unit_of, units)
}

/// The only unit that feeds a component.
fn fed_from(structure: &Structure, component: u32, unit_of: &[u32]) -> Option<u32> {
    let (first, others) = structure.before(component).split_first()?;
    let unit = unit_of[*first as usize];
    others.iter().all(|&b| unit_of[b as usize] == unit).then_some(unit)
}
