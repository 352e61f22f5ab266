//! MCEE's method: the graph level by level.
//!
//! The *event flow vector* is the list of levels: of components with circles one node would come first and break the circle; here
//! a circle is evaluated as one node ([`super::cascade`]), which repairs three faults of the published algorithms: a node
//! that breaks a circle is inserted twice, a circle that nothing else leads to makes the search run off its list, and a circle that events
//! enter elsewhere than where it was broken loses them. A level has a parallel batch, cut by a [`Strategy`], a sequential one (nodes that
//! reach the whole graph, on the caller's thread), a hierarchical one (instances of prototypes and inlined files, each with a vector of its own:
//! [`super::hierarchy`]), and a step that brings the events on, one by one on one thread.
//!
//! What is not the paper's: which worker
//! takes a part is the executor's business (`fork-join` for the loop strategies, `stealing` for the pool's dynamic one,
//! `replay` for its static one).
//!
//! **Source:** Gobeaut, Maggiore, Boulic et al. (Technicolor), *MCEE*, Web3D 2013, algorithms 1 and 2, section 3.3.

use engine::exec::{Deed, Observation};
use engine::graph::Program;

use super::options::Strategy;
impl Strategy {
    /// The group of each component: parts of the parallel batch of its rank; a component that reaches the whole graph stands alone.
    pub(super) fn groups(self, ranks: &[u32], reaches: impl Fn(u32) -> bool, workers: u32) -> Vec<u32> {
        let workers = workers.max(1);
        let mut group_of = vec![0; ranks.len()];
        let mut next = 0;
        let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
        order.sort_by_key(|&c| ranks[c as usize]);
        for of_rank in order.chunk_by(|a, b| ranks[*a as usize] == ranks[*b as usize]) {
            let (alone, mut batch): (Vec<u32>, Vec<u32>) = of_rank.iter().partition(|&&c| reaches(c));
            let n = batch.len() as u32;
            let mut batch = &mut batch[..];
            while !batch.is_empty() {
                let left = batch.len() as u32;
                let size = match self {
                    Self::PoolStatic | Self::LoopStatic => n.div_ceil(workers),
                    Self::PoolDynamic | Self::LoopDynamic => 1,
                    // What is left, shared among the workers, as OpenMP does.
                    Self::LoopGuided => left.div_ceil(workers),
                };
                let (part, rest) = batch.split_at_mut(size.min(left) as usize);
                part.iter().for_each(|&c| group_of[c as usize] = next);
                (batch, next) = (rest, next + 1);
            }
            for c in alone {
                group_of[c as usize] = next;
                next += 1;
            }
        }
        group_of
    }
}

/// Amdahl's bound of the speedup with `n` workers if a share `p` of the work can be shared.
pub fn amdahl(p: f64, n: f64) -> f64 {
    1.0 / (1.0 - p + p / n)
}

/// The share of the time of a run's tasks that went into bringing events from level to level: what Amdahl's bound calls 1 - p.
/// Zero where nothing of it was observed.
pub fn cascade_share(program: &Program, run: &Observation) -> f64 {
    let (mut cascade, mut all) = (0_u64, 0_u64);
    for activity in &run.activities {
        if let Deed::Task { task, .. } = activity.deed {
            all += activity.duration_ns;
            if program.task(task).name == "cascade" {
                cascade += activity.duration_ns;
            }
        }
    }
    if all == 0 { 0.0 } else { cascade as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_cut_levels_as_the_paper_says() {
        let ranks = [0, 1, 1, 1, 1, 1, 1, 1, 1];
        let sizes = |strategy: Strategy| {
            let groups = strategy.groups(&ranks, |c| c == 8, 2);
            let n = groups.iter().max().unwrap() + 1;
            (0..n).map(|g| groups.iter().filter(|&&x| x == g).count()).collect::<Vec<_>>()
        };
        assert_eq!(sizes(Strategy::PoolStatic), [1, 4, 3, 1]);
        assert_eq!(sizes(Strategy::LoopDynamic), [1; 9]);
        assert_eq!(sizes(Strategy::LoopGuided), [1, 4, 2, 1, 1]);
    }

    #[test]
    fn amdahls_bound_is_the_papers() {
        for (n, bound) in [(2.0, 1.85), (4.0, 3.21), (6.0, 4.25)] {
            assert!((amdahl(0.919, n) - bound).abs() < 0.03);
        }
    }
}
