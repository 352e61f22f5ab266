//! Dropping duplicates where contacts have friction: a vertex is held by each part of a surface that it touches. An addition of
//! ours.
//!
//! Of the outputs of a vertex SOFA keeps the nearest ([`super::filter`]). Where two parts of a body lie side by side, such as two
//! strands of a knot, a vertex then pushes one only, which gives way, so that in the next step the other is the nearest one. Both
//! tremble for ever. With a contact for each part, the force at a vertex is continuous as it moves from one to the other. What
//! hangs together by elements with outputs is one part; in it the nearest element counts.

use super::elongation::KeptContact;
use crate::collision::narrow_phase::DetectionOutput;
use crate::collision::{List, ModelKind, ModelView};

/// Where the number of a part stands in an id.
const SHIFT: u32 = 29;
/// How many parts have a number; a vertex that touches more is held by so many.
const PARTS: usize = 1 << (u32::BITS - SHIFT);

/// Keeps, of the outputs with one id, the nearest of each part of the two models, and gives those of other parts another id.
///
/// On equal values the earliest is kept; the kept ones stay in order. The nearest of all is kept at any distance, that of another
/// part if it pushes. `kept` lists the contacts of the step before in ascending order of ids. An element that it names counts as
/// nearer by `margin` [m]: a vertex in a valley is pushed by the nearest face only; with no margin it is pushed from face to face
/// for ever, a little farther than the other face each time; with one, friction holds it at one of them. By the elements that it
/// names, a part is known again: the upper three bits of an id say which it is, zero as long as a vertex touches one only.
///
/// Points and spheres, which do not hang together, count as one part. So does all if ids need the upper bits: those of models with
/// more than thirty million elements.
///
/// # Cost
/// Two sorts of integers, one per output and one per kept output; for each id, as many comparisons of elements as outputs, unless
/// it has several parts. `scratch` is overwritten.
pub fn keep_nearest_of_parts(
    outputs: &mut impl List<DetectionOutput>,
    kept: &[KeptContact],
    margin: f64,
    models: [&ModelView; 2],
    scratch: &mut impl List<u64>,
) {
    scratch.clear();
    for (place, o) in outputs.as_slice().iter().enumerate() {
        scratch.push((u64::from(o.id) << 32) | place as u64);
    }
    scratch.as_mut_slice().sort_unstable();
    let n_kept = Choice::new(outputs.as_slice(), kept, margin, models).winners(scratch.as_mut_slice());
    scratch.as_mut_slice()[..n_kept].sort_unstable();
    let all = outputs.as_mut_slice();
    for (to, &key) in scratch.as_slice()[..n_kept].iter().enumerate() {
        // The place is at least `to`, since places ascend.
        let (from, part) = (upper(key), lower(key) as u32);
        all[to] = all[from];
        all[to].id |= part << SHIFT;
    }
    outputs.truncate(n_kept);
}

fn upper(key: u64) -> usize {
    (key >> 32) as usize
}

fn lower(key: u64) -> usize {
    (key & u64::from(u32::MAX)) as usize
}

/// What outputs are chosen by.
struct Choice<'a> {
    outputs: &'a [DetectionOutput],
    kept: &'a [KeptContact],
    margin: f64,
    models: [&'a ModelView<'a>; 2],
    /// In the step before, some id had several parts.
    had_parts: bool,
}

impl<'a> Choice<'a> {
    fn new(
        outputs: &'a [DetectionOutput],
        kept: &'a [KeptContact],
        margin: f64,
        models: [&'a ModelView<'a>; 2],
    ) -> Self {
        let had_parts = kept.last().is_some_and(|k| k.id >> SHIFT > 0);
        Self { outputs, kept, margin, models, had_parts }
    }

    /// Replaces sorted keys (id, place) by (place, part) of those that are kept, at the front; says how many there are.
    fn winners(&self, keys: &mut [u64]) -> usize {
        let has_room = keys.last().is_none_or(|k| upper(*k) >> SHIFT == 0);
        let (mut n, mut at) = (0, 0);
        while at < keys.len() {
            let id = upper(keys[at]);
            let len = keys[at..].iter().take_while(|k| upper(**k) == id).count();
            let (id, end, first) = (id as u32, at + len, n);
            while at < end {
                let part = if has_room { self.gather_part(&mut keys[at..end]) } else { end - at };
                // What is written lies before what is still to be read: a part has at least one output.
                keys[n] = self.nearest(id, has_room, &keys[at..at + part]) as u64;
                n += 1;
                at += part;
            }
            n = first + self.number(id, has_room, &mut keys[first..n]);
        }
        n
    }

    /// Brings the outputs of one part to the front, and says how many they are.
    fn gather_part(&self, keys: &mut [u64]) -> usize {
        let (mut len, mut next) = (1, 0);
        while next < len && len < keys.len() {
            let elements = self.outputs[lower(keys[next])].elements;
            let mut at = len;
            while at < keys.len() {
                if self.hang_together(elements, self.outputs[lower(keys[at])].elements) {
                    keys.swap(at, len);
                    len += 1;
                }
                at += 1;
            }
            next += 1;
        }
        len
    }

    fn hang_together(&self, a: [u32; 2], b: [u32; 2]) -> bool {
        let in_model = |k: usize| {
            let model = self.models[k];
            a[k] == b[k]
                || !matches!(model.kind, ModelKind::Triangle | ModelKind::TriangleOctree | ModelKind::Line)
                || {
                    let [a, b] = [a[k], b[k]].map(|e| &model.elements[e as usize].vertices);
                    a.iter().any(|v| b.contains(v))
                }
        };
        in_model(0) && in_model(1)
    }

    /// The elements of a contact of the step before.
    fn former(&self, id: u32) -> Option<[u32; 2]> {
        let at = self.kept.binary_search_by_key(&id, |k| k.id).ok()?;
        Some(self.kept[at].elements)
    }

    /// Those of all parts of an id, by their numbers.
    fn formers(&self, id: u32, has_room: bool) -> impl Iterator<Item = (usize, [u32; 2])> {
        let parts = if self.had_parts && has_room { PARTS } else { 1 };
        (0..parts).filter_map(move |part| Some((part, self.former(id | (part << SHIFT) as u32)?)))
    }

    /// The place of the nearest of some outputs.
    fn nearest(&self, id: u32, has_room: bool, keys: &[u64]) -> usize {
        let value = |key: &u64| {
            let o = &self.outputs[lower(*key)];
            let was_there = keys.len() > 1 && self.formers(id, has_room).any(|(_, e)| e == o.elements);
            (if was_there { o.value - self.margin } else { o.value }, lower(*key))
        };
        let mut best = value(&keys[0]);
        for other in keys[1..].iter().map(value) {
            if other.0 < best.0 || (other.0 == best.0 && other.1 < best.1) {
                best = other;
            }
        }
        best.1
    }

    /// Gives the winners of an id, places, the numbers of their parts, and leaves out what does not push; says how many are left.
    fn number(&self, id: u32, has_room: bool, winners: &mut [u64]) -> usize {
        let value = |place: &u64| self.outputs[*place as usize].value;
        winners.sort_unstable_by(|a, b| value(a).total_cmp(&value(b)).then(a.cmp(b)));
        let n = winners.iter().skip(1).take_while(|w| value(w) < 0.0).count() + 1;
        let n = n.min(PARTS);
        let mut parts = [None; PARTS];
        if n > 1 || self.had_parts {
            for (part, elements) in self.formers(id, has_room) {
                let is_same = |w: usize| {
                    parts[w].is_none()
                        && self.hang_together(elements, self.outputs[winners[w] as usize].elements)
                };
                if let Some(w) = (0..n).find(|w| is_same(*w)) {
                    parts[w] = Some(part);
                }
            }
        }
        for (w, winner) in winners.iter_mut().enumerate().take(n) {
            let free = (0..PARTS).find(|part| !parts.contains(&Some(*part)));
            let part = parts[w].or(free).unwrap_or(w);
            parts[w] = Some(part);
            *winner = (*winner << 32) | part as u64;
        }
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::response::keep_nearest;
    use crate::collision::test_meshes::Body;
    use proptest::prelude::*;
    use sim_core::component::collision::FormerContact;
    use sim_core::math::Vec3;

    /// Triangles in a row, each of which shares an edge with the next, but for gaps after the fourth and the eighth.
    fn strips() -> Body {
        let mut triangles: Vec<[u32; 3]> = (0..12).map(|i| [i, i + 1, i + 2]).collect();
        for (i, t) in triangles.iter_mut().enumerate() {
            t.iter_mut().for_each(|v| *v += 2 * (i as u32 / 4));
        }
        let x: Vec<[f64; 3]> = (0..18).map(|i| [f64::from(i), f64::from(i % 2), 0.0]).collect();
        Body::triangles(&triangles, &x)
    }

    fn output(id: u32, element: u32, value: f64) -> DetectionOutput {
        let (points, normal) = ([Vec3::zeros(); 2], Vec3::z());
        DetectionOutput { elements: [id, element], id, points, normal, value }
    }

    fn was_at(id: u32, element: u32) -> KeptContact {
        FormerContact { id, elements: [id & !(7 << SHIFT), element] }.into()
    }

    fn part(id: u32, part: u32) -> u32 {
        id | (part << SHIFT)
    }

    /// Ids and elements of what is kept of outputs (id, element, value).
    fn choose(list: &[(u32, u32, f64)], kept: &[KeptContact]) -> Vec<(u32, u32)> {
        let (points, strips) = (Body::points(&[[0.0; 3]; 8]), strips());
        let mut outputs: Vec<_> = list.iter().map(|&(id, e, value)| output(id, e, value)).collect();
        keep_nearest_of_parts(&mut outputs, kept, 0.01, [&points.view(), &strips.view()], &mut vec![7]);
        outputs.iter().map(|o| (o.id, o.elements[1])).collect()
    }

    #[test]
    fn each_part_that_pushes_keeps_its_nearest() {
        let list =
            [(1, 5, -0.1), (1, 1, -0.2), (0, 2, 0.1), (1, 0, -0.1), (1, 9, 0.05), (1, 6, -0.15), (0, 7, 0.2)];
        assert_eq!(choose(&list, &[]), [(1, 1), (0, 2), (part(1, 1), 6)]);
        assert_eq!(choose(&[], &[]), []);
    }

    #[test]
    fn parts_keep_their_ids_as_others_become_the_nearest() {
        let kept = [was_at(1, 1), was_at(part(1, 1), 6)];
        let list = |here: f64, there: f64| [(1, 1, here), (1, 6, there)];
        for (here, there) in [(-0.2, -0.1), (-0.1, -0.2)] {
            assert_eq!(choose(&list(here, there), &kept), [(1, 1), (part(1, 1), 6)]);
        }
        // On the elements beside, and the one that is left.
        assert_eq!(choose(&[(1, 2, -0.1), (1, 5, -0.2)], &kept), [(1, 2), (part(1, 1), 5)]);
        assert_eq!(choose(&[(1, 6, -0.1)], &kept), [(part(1, 1), 6)]);
        assert_eq!(choose(&[(1, 6, 0.1), (1, 1, 0.2)], &kept), [(part(1, 1), 6)]);
        // A third takes the number that is free.
        assert_eq!(choose(&[(1, 6, -0.1), (1, 9, -0.2)], &kept), [(part(1, 1), 6), (1, 9)]);
    }

    #[test]
    fn in_a_part_a_contact_stays_until_another_element_is_nearer_by_the_margin() {
        let kept = [was_at(0, 1), was_at(1, 1), was_at(part(1, 1), 6)];
        let at = |value: f64| choose(&[(1, 0, -0.1), (1, 1, value), (1, 5, -0.1), (1, 6, value)], &kept);
        assert_eq!(at(-0.091), [(1, 1), (part(1, 1), 6)]);
        assert_eq!(at(-0.089), [(1, 0), (part(1, 1), 5)]);
    }

    #[test]
    fn ids_that_need_all_bits_have_one_contact_each() {
        let id = u32::MAX - 1;
        let points = Body::points(&[[0.0; 3]; 8]);
        let mut outputs = [(1, -0.1), (6, -0.2)].map(|(e, value)| output(id, e, value)).to_vec();
        let body = strips();
        keep_nearest_of_parts(&mut outputs, &[], 0.01, [&points.view(), &body.view()], &mut Vec::new());
        assert_eq!(outputs.iter().map(|o| (o.id, o.elements[1])).collect::<Vec<_>>(), [(id, 6)]);
    }

    #[test]
    fn spheres_are_one_part() {
        let points = Body::points(&[[0.0; 3]; 2]);
        let spheres = Body::spheres(0.1, &[[0.0; 3]; 4]);
        let mut outputs = [(1, -0.1), (3, -0.2)].map(|(e, value)| output(0, e, value)).to_vec();
        keep_nearest_of_parts(&mut outputs, &[], 0.01, [&points.view(), &spheres.view()], &mut Vec::new());
        assert_eq!(outputs.iter().map(|o| (o.id, o.elements[1])).collect::<Vec<_>>(), [(0, 3)]);
    }

    /// Of a list with one output per id and element: the nearest of each strip where there is no gap between outputs of it.
    fn expected(list: &[(u32, u32, f64)]) -> Vec<(u32, u32)> {
        // Triangles two apart still share a vertex.
        let hang = |a: u32, b: u32| a / 4 == b / 4 && a.abs_diff(b) <= 2;
        let mut sets: Vec<usize> = (0..list.len()).collect();
        for _ in 0..list.len() {
            for i in 0..list.len() {
                for j in 0..list.len() {
                    if list[i].0 == list[j].0 && hang(list[i].1, list[j].1) {
                        sets[i] = sets[i].min(sets[j]);
                    }
                }
            }
        }
        let beats = |i: usize, j: usize| list[i].2 < list[j].2 || (list[i].2 == list[j].2 && i < j);
        let kept = |j: usize| {
            let others = (0..list.len()).filter(|i| list[*i].0 == list[j].0 && beats(*i, j));
            let others: Vec<usize> = others.collect();
            others.iter().all(|i| sets[*i] != sets[j]) && (others.is_empty() || list[j].2 < 0.0)
        };
        (0..list.len()).filter(|j| kept(*j)).map(|j| (list[j].0, list[j].1)).collect()
    }

    proptest! {
        #[test]
        fn as_comparing_each_with_each(list in prop::collection::vec((0u32..4, 0u32..12, -3i8..3), 0..40)) {
            let mut seen = std::collections::BTreeSet::new();
            let list = list.into_iter().filter(|(id, e, _)| seen.insert((*id, *e)));
            let list: Vec<_> = list.map(|(id, e, v)| (id, e, f64::from(v))).collect();
            let chosen = choose(&list, &[]);
            let ids: std::collections::BTreeSet<u32> = chosen.iter().map(|c| c.0).collect();
            prop_assert_eq!(ids.len(), chosen.len(), "each has another id");
            let plain: Vec<_> = chosen.iter().map(|c| (c.0 & !(7 << SHIFT), c.1)).collect();
            prop_assert_eq!(plain, expected(&list));
            // Of each id the nearest is what SOFA keeps.
            let mut nearest: Vec<_> = list.iter().map(|&(id, e, value)| output(id, e, value)).collect();
            keep_nearest(&mut nearest, &mut Vec::new());
            prop_assert!(nearest.iter().all(|o| chosen.contains(&(o.id, o.elements[1]))));
        }
    }
}
