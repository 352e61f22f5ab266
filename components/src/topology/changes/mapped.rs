//! How topologies follow from which mappings fill them.
//!
//! **Source:** SOFA's topological mappings. A border mapping adds the parts that lie bare when an element goes, seen from the
//! element that stays, and then removes those that no element has. `Hexa2QuadTopologicalMapping` does not hear of new hexahedra.
//! A quad that is new is cut from its first to its third node, whichever diagonal the mapping chose at the beginning.

use std::collections::BTreeMap;

use sim_core::renumbering::ElementKind;

use super::border::{Border, Isolated, MappingKind};
use super::edit::Edit;
use super::lists::{Key, Lists, key, part, parts_of};

/// The elements around each part of an input.
struct Around {
    numbers: BTreeMap<Key, u32>,
    elements: Vec<Vec<u32>>,
}

impl Around {
    fn new(lists: &Lists, of: ElementKind, part_kind: ElementKind) -> Self {
        let numbers = lists.of(part_kind).by_nodes();
        let mut elements = vec![Vec::new(); lists.of(part_kind).len()];
        for (nodes, k) in lists.of(of).each().zip(0..) {
            for local in parts_of(of, part_kind) {
                if let Some(number) = numbers.get(&key(&part(nodes, local))) {
                    elements[*number as usize].push(k);
                }
            }
        }
        Self { numbers, elements }
    }
}

impl Edit {
    /// What a mapping does before elements of its input go, whose numbers descend.
    pub(super) fn before_removal(
        &mut self,
        input: usize,
        output: usize,
        mapping: MappingKind,
        kind: ElementKind,
        descending: &[u32],
    ) {
        let Some(border) = mapping.border() else {
            if kind == ElementKind::Quad {
                self.remove_halves(input, output, descending);
            }
            return;
        };
        if kind == border.of && border.adds_when_removed {
            let bare = self.laid_bare(input, mapping, &border, descending);
            self.add_to(output, border.part, &bare);
        }
        if kind == border.part {
            let nodes: Vec<Key> = descending.iter().map(|k| key(self.lists(input).of(kind).of(*k))).collect();
            self.remove_by_nodes(output, &border, &nodes);
        }
    }

    /// The parts that lie bare when elements go: those that one of them shares with one other element, which was not listed
    /// before it.
    fn laid_bare(
        &self,
        input: usize,
        mapping: MappingKind,
        border: &Border,
        descending: &[u32],
    ) -> Vec<Vec<u32>> {
        let lists = self.lists(input);
        let around = Around::new(lists, border.of, border.part);
        let local = parts_of(border.of, border.part);
        let mut done = vec![false; lists.of(border.of).len()];
        let mut bare = Vec::new();
        for &element in descending {
            for nodes in local.iter().map(|l| part(lists.of(border.of).of(element), l)) {
                let Some(&number) = around.numbers.get(&key(&nodes)) else { continue };
                let [a, b] = around.elements[number as usize][..] else { continue };
                let other = if a == element { b } else { a };
                if done[other as usize] {
                    continue;
                }
                let of_other = local.iter().map(|l| part(lists.of(border.of).of(other), l));
                let outward = of_other.into_iter().find(|n| key(n) == key(&nodes)).unwrap_or(nodes);
                bare.push(mapping.bare(outward, lists.of(border.part).of(number)));
            }
            done[element as usize] = true;
        }
        bare
    }

    /// Removes the parts of a border that have these nodes, as far as they are there.
    fn remove_by_nodes(&mut self, output: usize, border: &Border, nodes: &[Key]) {
        if border.removes_together {
            let numbers = self.lists(output).of(border.part).by_nodes();
            let mut found: Vec<u32> = nodes.iter().filter_map(|n| numbers.get(n)).copied().collect();
            found.sort_unstable_by(|a, b| b.cmp(a));
            found.dedup();
            self.remove_from(output, border.part, &found, border.isolated);
            return;
        }
        for wanted in nodes {
            let found = self.lists(output).of(border.part).each().position(|n| key(n) == *wanted);
            if let Some(found) = found {
                self.remove_from(output, border.part, &[found as u32], border.isolated);
            }
        }
    }

    /// Removes the two triangles of each quad that goes.
    fn remove_halves(&mut self, input: usize, output: usize, descending: &[u32]) {
        let isolated = Isolated { parts: true, points: false };
        for &quad in descending {
            let [a, b, c, d] = *self.lists(input).of(ElementKind::Quad).of(quad) else { continue };
            let numbers = self.lists(output).of(ElementKind::Triangle).by_nodes();
            let halves = [[[a, b, c], [a, c, d]], [[a, b, d], [b, c, d]]];
            let found = halves.iter().find_map(|[first, second]| {
                numbers.get(&key(first)).copied().zip(numbers.get(&key(second)).copied())
            });
            if let Some((first, second)) = found {
                let both = [first.max(second), first.min(second)];
                self.remove_from(output, ElementKind::Triangle, &both, isolated);
            }
        }
    }

    /// What a mapping does after elements of its input have come.
    pub(super) fn after_addition(
        &mut self,
        input: usize,
        output: usize,
        mapping: MappingKind,
        kind: ElementKind,
        added: &[u32],
    ) {
        let Some(border) = mapping.border() else {
            if kind == ElementKind::Quad {
                let quads = added.iter().map(|k| self.lists(input).of(kind).of(*k));
                let halves = quads.flat_map(|q| [vec![q[0], q[1], q[2]], vec![q[0], q[2], q[3]]]);
                let halves: Vec<Vec<u32>> = halves.collect();
                self.add_to(output, ElementKind::Triangle, &halves);
            }
            return;
        };
        if kind != border.of || !border.adds_when_added {
            return;
        }
        let lists = self.lists(input);
        let around = Around::new(lists, border.of, border.part);
        let mut known = self.lists(output).of(border.part).by_nodes();
        let (mut comes, mut covered) = (Vec::new(), Vec::new());
        for element in added {
            for local in parts_of(border.of, border.part) {
                let nodes = key(&part(lists.of(border.of).of(*element), local));
                let Some(&number) = around.numbers.get(&nodes) else { continue };
                let is_border = around.elements[number as usize].len() == 1;
                match known.contains_key(&nodes) {
                    true if !is_border && !covered.contains(&nodes) => covered.push(nodes),
                    false if is_border => {
                        comes.push(lists.of(border.part).of(number).to_vec());
                        known.insert(nodes, number);
                    }
                    _ => {}
                }
            }
        }
        self.add_to(output, border.part, &comes);
        self.remove_by_nodes(output, &Border { removes_together: true, ..border }, &covered);
    }
}
