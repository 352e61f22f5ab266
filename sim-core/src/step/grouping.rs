//! The groups that contacts make of solvers, kept up to date link by link.
//!
//! With a group manager, solvers whose objects touch move together. Which solvers are a group is a function of the present
//! links alone; the numbers of groups are memory, and mean nothing.
//!
//! **Source:** ENGINE section 8; as SOFA's former collision group manager.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use engine::graph::GroupId;

/// A change of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Regrouping {
    /// All solvers of a group join another one, and the group is gone.
    Merge {
        /// The group that goes.
        from: GroupId,
        /// The group that stays.
        into: GroupId,
        /// Who moves.
        moved: Vec<usize>,
    },
    /// Some solvers leave a group and make a new one.
    Split {
        /// The group that is left.
        from: GroupId,
        /// The new one.
        new: GroupId,
        /// Who moves.
        moved: Vec<usize>,
    },
}

impl Regrouping {
    /// The group that is left, the group that is joined, and who moves.
    pub fn parts(&self) -> (GroupId, GroupId, &[usize]) {
        match self {
            Self::Merge { from, into, moved } => (*from, *into, moved),
            Self::Split { from, new, moved } => (*from, *new, moved),
        }
    }
}

/// Solvers, links between them, and the groups that follow.
#[derive(Clone, Debug, Default)]
pub struct Grouping {
    group_of: Vec<GroupId>,
    members: BTreeMap<GroupId, BTreeSet<usize>>,
    /// Number of contacts with each neighbor, by solver.
    links: Vec<BTreeMap<usize, u32>>,
    free: Vec<GroupId>,
    came: Vec<(usize, usize)>,
    went: Vec<(usize, usize)>,
}

impl Grouping {
    /// Each of `n` solvers by itself; the groups are numbered from 1, in order.
    pub fn new(n: usize) -> Self {
        let group = |s: usize| GroupId(s as u32 + 1);
        Self {
            group_of: (0..n).map(group).collect(),
            members: (0..n).map(|s| (group(s), BTreeSet::from([s]))).collect(),
            links: vec![BTreeMap::new(); n],
            ..Self::default()
        }
    }

    /// The group of a solver.
    pub fn group_of(&self, solver: usize) -> GroupId {
        self.group_of[solver]
    }

    /// The solvers of a group, ascending; none if there is no such group.
    pub fn members(&self, group: GroupId) -> Vec<usize> {
        self.members.get(&group).into_iter().flatten().copied().collect()
    }

    /// The groups in the order of execution, that of their first solvers.
    pub fn groups(&self) -> Vec<GroupId> {
        let mut groups: Vec<GroupId> = self.members.keys().copied().collect();
        groups.sort_by_key(|g| self.members[g].first().copied());
        groups
    }

    /// The place of a group in the order of execution.
    pub fn order(&self, group: GroupId) -> u32 {
        self.members[&group].first().map_or(0, |s| *s as u32 + 1)
    }

    /// Whether there is such a group.
    pub fn contains(&self, group: GroupId) -> bool {
        self.members.contains_key(&group)
    }

    /// Number of groups.
    pub fn n_groups(&self) -> usize {
        self.members.len()
    }

    /// One solver more, by itself; gives back its group.
    pub fn add(&mut self) -> GroupId {
        let group = self.free.pop().unwrap_or_else(|| self.unused(&[]));
        let solver = self.group_of.len();
        self.group_of.push(group);
        self.links.push(BTreeMap::new());
        self.members.insert(group, BTreeSet::from([solver]));
        group
    }

    /// Forgets a solver without links, which is a group by itself; gives back that group.
    pub fn remove(&mut self, solver: usize) -> GroupId {
        let group = self.group_of[solver];
        let members = self.members.remove(&group);
        assert_eq!(members.map_or(0, |m| m.len()), 1, "a solver that others are grouped with");
        self.free.push(group);
        group
    }

    /// Two solvers are joined by one contact more.
    pub fn link(&mut self, a: usize, b: usize) {
        for (from, to) in [(a, b), (b, a)] {
            let count = self.links[from].entry(to).or_default();
            *count += 1;
            if *count == 1 && from == a {
                self.came.push((a, b));
            }
        }
    }

    /// Two solvers are joined by one contact less.
    pub fn unlink(&mut self, a: usize, b: usize) {
        for (from, to) in [(a, b), (b, a)] {
            let Some(count) = self.links[from].get_mut(&to) else { continue };
            *count -= 1;
            if *count == 0 {
                self.links[from].remove(&to);
                if from == a {
                    self.went.push((a, b));
                }
            }
        }
    }

    /// Brings the groups up to date; the smaller side moves. Cost: what moves and, for each link that went, a search that
    /// ends when both of its ends have met or the smaller side has been seen whole.
    pub fn settle(&mut self) -> Vec<Regrouping> {
        let mut changes = Vec::new();
        let mut freed = Vec::new();
        for (a, b) in std::mem::take(&mut self.came) {
            // It may have gone again.
            let is_there = self.links[a].contains_key(&b);
            let (a, b) = (self.group_of[a], self.group_of[b]);
            if a == b || !is_there {
                continue;
            }
            let size = |g: GroupId| (self.members[&g].len(), std::cmp::Reverse(g));
            let (from, into) = if size(a) < size(b) { (a, b) } else { (b, a) };
            let moved: Vec<usize> = self.members.remove(&from).into_iter().flatten().collect();
            self.put(&moved, into);
            freed.push(from);
            changes.push(Regrouping::Merge { from, into, moved });
        }
        let went = std::mem::take(&mut self.went);
        let mut ends: BTreeMap<GroupId, BTreeSet<usize>> = BTreeMap::new();
        for (a, b) in went {
            if self.group_of[a] == self.group_of[b] && !self.links[a].contains_key(&b) {
                ends.entry(self.group_of[a]).or_default().extend([a, b]);
            }
        }
        for (from, ends) in ends {
            for moved in self.parts(&ends) {
                let new = self.free.pop().unwrap_or_else(|| self.unused(&freed));
                for s in &moved {
                    if let Some(left) = self.members.get_mut(&from) {
                        left.remove(s);
                    }
                }
                self.put(&moved, new);
                changes.push(Regrouping::Split { from, new, moved });
            }
        }
        // Not given out again before the next time: who follows the changes may still use the number.
        self.free.append(&mut freed);
        changes
    }

    fn unused(&self, freed: &[GroupId]) -> GroupId {
        let used = self.members.keys().chain(freed).chain(&self.free).map(|g| g.0).max().unwrap_or(0);
        GroupId(used + 1)
    }

    fn put(&mut self, moved: &[usize], into: GroupId) {
        moved.iter().for_each(|&s| self.group_of[s] = into);
        self.members.entry(into).or_default().extend(moved.iter().copied());
    }

    /// The parts that a group has fallen into, but the one that stays: searches from all ends of links that went take turns,
    /// join when they meet, and stop when all but one have seen their whole part.
    fn parts(&self, ends: &BTreeSet<usize>) -> Vec<Vec<usize>> {
        struct Search {
            seen: Vec<usize>,
            queue: VecDeque<usize>,
        }
        let mut searches: Vec<Option<Search>> =
            ends.iter().map(|&s| Some(Search { seen: vec![s], queue: VecDeque::from([s]) })).collect();
        let mut seen_by: BTreeMap<usize, usize> = ends.iter().enumerate().map(|(k, &s)| (s, k)).collect();
        let mut done: Vec<Vec<usize>> = Vec::new();
        while searches.iter().flatten().count() > 1 {
            for k in 0..searches.len() {
                if searches.iter().flatten().count() < 2 {
                    break;
                }
                let Some(search) = &mut searches[k] else { continue };
                let Some(at) = search.queue.pop_front() else {
                    done.extend(searches[k].take().map(|s| s.seen));
                    continue;
                };
                for &next in self.links[at].keys() {
                    match seen_by.get(&next).copied() {
                        None => {
                            seen_by.insert(next, k);
                            if let Some(search) = &mut searches[k] {
                                search.seen.push(next);
                                search.queue.push_back(next);
                            }
                        }
                        Some(other) if other != k => {
                            if let (Some(theirs), Some(mine)) = (searches[other].take(), &mut searches[k]) {
                                theirs.seen.iter().for_each(|s| {
                                    seen_by.insert(*s, k);
                                });
                                mine.seen.extend(theirs.seen);
                                mine.queue.extend(theirs.queue);
                            }
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        done.iter_mut().for_each(|part| part.sort_unstable());
        done.sort_unstable();
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The components of the links, by plain flooding.
    fn components(n: usize, links: &BTreeMap<(usize, usize), u32>) -> Vec<Vec<usize>> {
        let mut label: Vec<usize> = (0..n).collect();
        loop {
            let before = label.clone();
            for (&(a, b), &count) in links {
                if count > 0 {
                    let least = label[a].min(label[b]);
                    (label[a], label[b]) = (least, least);
                }
            }
            if label == before {
                break;
            }
        }
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        label.iter().enumerate().for_each(|(s, l)| parts.entry(*l).or_default().push(s));
        parts.into_values().collect()
    }

    proptest! {
        #[test]
        fn groups_are_the_components_of_the_present_links(
            rounds in prop::collection::vec(
                prop::collection::vec((0usize..9, 0usize..9, any::<bool>()), 0..8), 0..40),
        ) {
            let n = 9;
            let mut grouping = Grouping::new(n);
            let mut links: BTreeMap<(usize, usize), u32> = BTreeMap::new();
            for round in rounds {
                for (a, b, come) in round {
                    if a == b { continue; }
                    let count = links.entry((a.min(b), a.max(b))).or_default();
                    if come {
                        *count += 1;
                        grouping.link(a, b);
                    } else if *count > 0 {
                        *count -= 1;
                        grouping.unlink(a, b);
                    }
                }
                let mut followed: Vec<GroupId> = (0..n).map(|s| grouping.group_of(s)).collect();
                let changes = grouping.settle();
                for change in &changes {
                    let (from, into, moved) = change.parts();
                    for &s in moved {
                        // What moved was in that group before, once the earlier changes are followed.
                        prop_assert!(followed[s] == from || grouping.group_of(s) == into);
                        followed[s] = into;
                    }
                }
                let found: Vec<Vec<usize>> =
                    grouping.groups().into_iter().map(|g| grouping.members(g)).collect();
                prop_assert_eq!(found, components(n, &links));
                for (s, group) in followed.iter().enumerate() {
                    prop_assert_eq!(*group, grouping.group_of(s));
                }
            }
        }
    }
}
