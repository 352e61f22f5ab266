//! What is laid out in runs, and that forces are there when they are added.

use sim_core::testing::Random;

use super::*;

/// The edges and diagonals of a sheet of `n` by `n` points, whose numbers are those of `names`.
fn sheet(n: u32, names: &[u32]) -> Vec<Spring> {
    let at = |i: u32, k: u32| names[(i + n * k) as usize];
    let mut springs = Vec::new();
    let mut add = |i, j| {
        springs.push(Spring { i, j, stiffness: 1.0, damping: 0.0, length: 1.0, elongation_only: false });
    };
    for k in 0..n {
        for i in 0..n {
            if i + 1 < n {
                add(at(i, k), at(i + 1, k));
            }
            if k + 1 < n {
                add(at(i, k), at(i, k + 1));
            }
        }
    }
    for k in 0..n - 1 {
        for i in 0..n - 1 {
            add(at(i, k), at(i + 1, k + 1));
            add(at(i + 1, k), at(i, k + 1));
        }
    }
    springs
}

fn names(n: u32) -> Vec<u32> {
    (0..n * n).collect()
}

#[test]
fn every_force_is_there_when_it_is_added_and_in_recorded_order() {
    for n in [16, 32, 45, 100] {
        let springs = sheet(n, &names(n));
        let plan = Plan::new(&springs).expect("a sheet is runs");
        assert!(springs.len() * 10 > plan.blocks.len() * BLOCK * 9, "{n}: {} blocks", plan.blocks.len());
        let kept = plan.ring * BLOCK;
        assert!(plan.ring <= RING);
        let mut got: Vec<Vec<(u32, bool)>> = vec![Vec::new(); (n * n) as usize];
        let mut evaluated = 0;
        for round in &plan.rounds {
            evaluated += round.blocks * BLOCK;
            assert!(round.sums.len() <= SUMS);
            assert!(round.sums.iter().map(|s| s.terms.len()).sum::<usize>() <= TERMS);
            for (sum, term) in round.sums.iter().flat_map(|s| s.terms.iter().map(move |t| (s, t))) {
                for lane in (0..BLOCK).filter(|lane| term.lanes >> lane & 1 == 1) {
                    // The last place that has been evaluated and is this one in the ring.
                    let in_ring = (usize::from(term.begin) + lane) % kept;
                    let place = (evaluated - 1) - (evaluated - 1 + kept - in_ring) % kept;
                    let spring =
                        plan.blocks[place / BLOCK].springs[place % BLOCK].expect("there is a spring");
                    let s = &springs[spring as usize];
                    let point = sum.first as usize + lane;
                    assert_eq!(point as u32, if term.negative { s.j } else { s.i });
                    got[point].push((spring, term.negative));
                }
            }
        }
        assert!(got.iter().all(|own| own.is_sorted_by(|a, b| a.0 < b.0)));
        assert_eq!(got.iter().flatten().count(), 2 * springs.len());
    }
}

#[test]
fn rows_of_a_sheet_are_added_with_few_terms() {
    let plan = Plan::new(&sheet(64, &names(64))).expect("a sheet is runs");
    let terms: usize = plan.rounds.iter().flat_map(|r| &r.sums).map(|s| s.terms.len()).sum();
    // Inside, eight points get eight terms, and more where a run goes on in another block.
    assert!(terms < 11 * 64 * 64 / BLOCK, "{terms}");
}

/// The springs of `MeshSpringForceField` on the triangles of a regular grid: on its border, edges have other directions than within.
fn triangulated(n: u32) -> Vec<Spring> {
    let mut seen = std::collections::BTreeSet::new();
    let mut springs = Vec::new();
    let corners = |i, k| [i + n * k, i + 1 + n * k, i + 1 + n * (k + 1), i + n * (k + 1)];
    let quads = (0..n - 1).flat_map(|k| (0..n - 1).map(move |i| corners(i, k)));
    let quads: Vec<[u32; 4]> = quads.collect();
    let edges = quads.iter().flat_map(|[a, b, c, d]| [[b, c], [c, a], [a, b], [c, d], [d, a], [a, c]]);
    for [i, j] in edges.chain(quads.iter().map(|[_, b, _, d]| [b, d])).map(|e| e.map(|p| *p)) {
        if seen.insert([i.min(j), i.max(j)]) {
            springs.push(Spring { i, j, stiffness: 1.0, damping: 0.0, length: 1.0, elongation_only: false });
        }
    }
    springs
}

#[test]
fn a_few_springs_beside_the_runs_keep_no_forces_waiting() {
    for n in [64, 128, 512] {
        let plan = Plan::new(&triangulated(n)).expect("all but a border is runs");
        assert!(plan.ring <= RING * 3 / 4, "{n}: {}", plan.ring);
    }
}

#[test]
fn few_or_irregular_springs_have_no_plan() {
    assert!(Plan::new(&[]).is_none());
    assert!(Plan::new(&sheet(8, &names(8))).is_none());
    let spring = sheet(2, &names(2))[0];
    let star: Vec<Spring> = (1..1000).map(|j| Spring { j, ..spring }).collect();
    assert!(Plan::new(&star).is_none());
    let mut random = Random::new(2);
    let mut below = |n: u32| ((random.real().abs() * 1e6) as u32) % n;
    let tangle: Vec<Spring> =
        (0..30_000).map(|_| Spring { i: below(9000), j: below(9000), ..spring }).collect();
    assert!(Plan::new(&tangle).is_none());
    let mut shuffled = names(40);
    (1..shuffled.len()).rev().for_each(|k| shuffled.swap(k, below(k as u32 + 1) as usize));
    assert!(Plan::new(&sheet(40, &shuffled)).is_none());
}
