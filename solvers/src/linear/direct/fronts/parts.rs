//! Which fronts are done side by side: subtrees of about the same work.

use super::PARTS;
use super::pattern::{Front, FrontPattern, NONE};

/// Multiplications below which nothing is worth a task of its own.
const LEAST_WORK: f64 = 1e5;

impl FrontPattern {
    /// Puts subtrees into parts: the heaviest are taken apart, as long as that lets all be done sooner by as many workers as there are
    /// parts.
    pub(super) fn divide(&mut self, parents: &[u32]) {
        let own: Vec<f64> = self.fronts.iter().map(Front::work).collect();
        let mut work = own.clone();
        for (k, parent) in parents.iter().enumerate() {
            if *parent != NONE {
                work[*parent as usize] += work[k];
            }
        }
        let heavier = |a: &u32, b: &u32| work[*b as usize].total_cmp(&work[*a as usize]).then(a.cmp(b));
        let mut subtrees: Vec<u32> =
            (0..parents.len() as u32).filter(|k| parents[*k as usize] == NONE).collect();
        subtrees.sort_by(heavier);
        let total: f64 = subtrees.iter().map(|k| work[*k as usize]).sum();
        // Nothing is divided, at first.
        let (mut best, mut least, mut last) = (Vec::new(), total - LEAST_WORK, 0.0);
        while last < least {
            let (part_of, most) = put_side_by_side(&subtrees, &work);
            if last + most < least {
                (best, least) = (subtrees.iter().copied().zip(part_of).collect(), last + most);
            }
            if subtrees.is_empty() || work[subtrees[0] as usize] < LEAST_WORK {
                break;
            }
            let heaviest = subtrees.remove(0);
            last += own[heaviest as usize];
            let front = &self.fronts[heaviest as usize];
            for child in &self.children[front.child as usize..][..front.children as usize] {
                let at = subtrees.partition_point(|k| heavier(k, child).is_lt());
                subtrees.insert(at, *child);
            }
        }
        let mut part_of = vec![NONE; parents.len()];
        best.into_iter().for_each(|(k, part)| part_of[k as usize] = part);
        self.parts = vec![Vec::new(); PARTS + 1];
        // From the roots down: what is below a subtree's root is with it, what is above all of them is the last part.
        for k in (0..parents.len()).rev() {
            if part_of[k] == NONE {
                part_of[k] = part_of.get(parents[k] as usize).copied().unwrap_or(PARTS as u32);
            }
        }
        for k in self.depth_first(parents) {
            let part = part_of[k as usize];
            self.fronts[k as usize].part = part;
            self.parts[part as usize].push(k);
        }
    }

    /// The fronts, each after those that pass on to it, and these one subtree after the other.
    fn depth_first(&self, parents: &[u32]) -> Vec<u32> {
        let mut found: Vec<u32> = Vec::with_capacity(parents.len());
        let mut open: Vec<u32> = (0..parents.len() as u32).filter(|k| parents[*k as usize] == NONE).collect();
        // The other way round: each before what passes on to it, the last of these first.
        while let Some(k) = open.pop() {
            found.push(k);
            let front = &self.fronts[k as usize];
            open.extend_from_slice(&self.children[front.child as usize..][..front.children as usize]);
        }
        found.reverse();
        found
    }
}

/// Puts subtrees, the heaviest first, each into the part that has least; gives back the part of each and the work of the one that has most.
fn put_side_by_side(subtrees: &[u32], work: &[f64]) -> (Vec<u32>, f64) {
    let mut loads = [0.0; PARTS];
    let mut part_of = Vec::with_capacity(subtrees.len());
    for k in subtrees {
        let least = (0..PARTS).min_by(|a, b| f64::total_cmp(&loads[*a], &loads[*b])).unwrap_or_default();
        loads[least] += work[*k as usize];
        part_of.push(least as u32);
    }
    (part_of, loads.into_iter().fold(0.0, f64::max))
}
