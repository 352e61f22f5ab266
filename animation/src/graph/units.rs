//! Units of fusion: components that are together whatever else their chunk holds.

use super::rows::Rows;
use super::structure::Structure;

/// The class of nodes that share a chunk with no other component.
pub const ALONE: u32 = u32::MAX;

/// What a unit may grow by at its end, as a share of what a chunk is to last: who else waits for it waits for all of it.
const BEHIND: u64 = 8;

/// A group of components that becomes a part of a chunk.
#[derive(Clone, Copy)]
struct Unit {
    cost: u64,
    class: u32,
    is_island: bool,
    first: u32,
}

/// The group of each component.
pub(super) fn packed(
    structure: &Structure,
    grain: u64,
    costs_and_classes: (&[u64], &[u32]),
    bound: &dyn Fn(u32) -> Option<u32>,
) -> Vec<u32> {
    let (funnel_of, funnels) = funnels(structure, grain, costs_and_classes, bound);
    let (unit_of, units) = followed(structure, grain, funnel_of, funnels);
    let before = waits(structure, &unit_of, units.len());
    let levels = levels(&before);
    let mut order: Vec<u32> = (0..units.len() as u32).collect();
    let key = |u: u32| {
        let unit = &units[u as usize];
        (unit.is_island, levels[u as usize], unit.class)
    };
    let place = |u: u32| (key(u), before.row(u), units[u as usize].first);
    order.sort_unstable_by(|&a, &b| place(a).cmp(&place(b)));
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

/// The units that each unit waits for.
fn waits(structure: &Structure, unit_of: &[u32], n: usize) -> Rows {
    let waits = (0..unit_of.len() as u32)
        .flat_map(|c| structure.before(c).iter().map(move |&b| (unit_of[c as usize], unit_of[b as usize])));
    Rows::of_pairs(n, waits.filter(|(a, b)| a != b)).sorted_without_doubles()
}

/// Islands, chains, and what feeds one unit only. Units are numbered so that producers come first.
fn funnels(
    structure: &Structure,
    grain: u64,
    (costs, classes): (&[u64], &[u32]),
    bound: &dyn Fn(u32) -> Option<u32>,
) -> (Vec<u32>, Vec<Unit>) {
    let n = costs.len();
    let islands = islands(structure);
    // Of each island: its cost, its class.
    let mut of_island: Vec<(u64, u32)> = vec![(0, ALONE); n];
    for c in (0..n).rev() {
        let island = &mut of_island[islands[c] as usize];
        let is_first = island.0 == 0;
        island.0 += costs[c].max(1);
        island.1 = if is_first || island.1 == classes[c] { classes[c] } else { ALONE };
    }
    let is_island = |c: usize| {
        let (cost, class) = of_island[islands[c] as usize];
        class != ALONE && cost <= grain
    };
    // By component: the last one of its unit; of that, what the unit costs.
    let mut last: Vec<u32> = (0..n as u32).collect();
    let mut cost = costs.to_vec();
    for c in (0..n).rev() {
        let class = classes[c];
        if class == ALONE || is_island(c) {
            continue;
        }
        let Some((first, others)) = structure.after(c as u32).split_first() else { continue };
        let unit = last[*first as usize];
        let is_chain = others.is_empty() && structure.before(*first) == [c as u32];
        let is_small = is_chain || cost[unit as usize] + cost[c] <= grain;
        let is_bound = bound(c as u32).is_some();
        if (is_small || is_bound)
            && classes[unit as usize] == class
            && others.iter().all(|&a| last[a as usize] == unit)
        {
            last[c] = unit;
            cost[unit as usize] += cost[c];
        }
    }
    let mut units: Vec<Unit> = Vec::new();
    let mut number = vec![u32::MAX; n];
    for c in 0..n {
        // An island is the unit of its smallest component, any other that of its last.
        let is_island = is_island(c);
        let of = if is_island { islands[c] as usize } else { c };
        if of == c && last[c] == c as u32 {
            let cost = if is_island { 0 } else { cost[c] };
            number[c] = units.len() as u32;
            units.push(Unit { cost, class: classes[c], is_island, first: c as u32 });
        }
        if is_island {
            units[number[of] as usize].cost += costs[c];
            last[c] = of as u32;
        }
    }
    let unit_of: Vec<u32> = last.iter().map(|&c| number[c as usize]).collect();
    for (c, &unit) in unit_of.iter().enumerate().rev() {
        units[unit as usize].first = c as u32;
    }
    (unit_of, units)
}

/// Units that are fed from one unit only join it, while it is small or feeds nobody else.
fn followed(structure: &Structure, grain: u64, unit_of: Vec<u32>, units: Vec<Unit>) -> (Vec<u32>, Vec<Unit>) {
    let before = waits(structure, &unit_of, units.len());
    let mut readers = vec![0_u32; units.len()];
    before.iter().flatten().for_each(|&b| readers[b as usize] += 1);
    let mut joined: Vec<Unit> = Vec::with_capacity(units.len());
    // What each unit has become.
    let mut now: Vec<u32> = Vec::with_capacity(units.len());
    for (unit, waits) in units.iter().zip(before.iter()) {
        let from = waits.split_first().and_then(|(&first, others)| {
            let into = now[first as usize];
            let is_one = others.iter().all(|&b| now[b as usize] == into);
            // Nobody else waits for what it joins.
            let is_only = others.is_empty() && readers[first as usize] == 1;
            is_one.then_some((into, is_only))
        });
        let into = from.filter(|&(into, is_only)| {
            let to = &joined[into as usize];
            let most = if is_only { grain } else { grain / BEHIND };
            to.class == unit.class && to.class != ALONE && to.cost + unit.cost <= most
        });
        now.push(into.map_or(joined.len() as u32, |(into, _)| into));
        match into {
            Some((into, _)) => joined[into as usize].cost += unit.cost,
            None => joined.push(*unit),
        }
    }
    (unit_of.iter().map(|&u| now[u as usize]).collect(), joined)
}

/// The smallest component that each component is connected with, in whatever direction.
fn islands(structure: &Structure) -> Vec<u32> {
    let mut up: Vec<u32> = (0..structure.n_components() as u32).collect();
    fn root(up: &mut [u32], mut k: u32) -> u32 {
        while up[k as usize] != k {
            up[k as usize] = up[up[k as usize] as usize];
            k = up[k as usize];
        }
        k
    }
    for c in 0..structure.n_components() as u32 {
        for &b in structure.before(c) {
            let (a, b) = (root(&mut up, c), root(&mut up, b));
            let (low, high) = (a.min(b), a.max(b));
            up[high as usize] = low;
        }
    }
    (0..up.len() as u32).map(|c| root(&mut up, c)).collect()
}

/// The length of the longest way to each row of a graph without circles.
pub(super) fn levels(before: &Rows) -> Vec<u32> {
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
