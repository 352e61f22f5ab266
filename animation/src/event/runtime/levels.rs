//! MCEE's method: the graph level by level.
//!
//! The *event flow vector* is the list of levels: of components with circles one node would come first and break the circle; here
//! a circle is evaluated as one node ([`super::cascade`]), which repairs three faults of the published algorithms: a node
//! that breaks a circle is inserted twice, a circle that nothing else leads to makes the search run off its list, and a circle that events
//! enter elsewhere than where it was broken loses them. A level has a parallel batch, cut by a [`Strategy`], a sequential one (nodes that
//! reach the whole graph, on the caller's thread), and a step that brings the events to the next levels, one by one on one thread.
//!
//! What is not the paper's: the bodies of prototypes stand in the levels of the whole graph instead of in a hierarchical batch; which worker
//! takes a part is the executor's business (`fork-join` for the loop strategies, `stealing` for the pool's dynamic one,
//! `replay` for its static one).
//!
//! **Source:** Gobeaut, Maggiore, Boulic et al. (Technicolor), *MCEE*, Web3D 2013, algorithms 1 and 2, section 3.3.

use engine::exec::{Deed, Observation};
use engine::graph::Program;

use super::options::Strategy;
use crate::graph::Structure;

impl Strategy {
    /// The group of each component: parts of the parallel batch of its level; a component that reaches the whole graph stands alone.
    pub(super) fn groups(self, order: &Structure, reaches: impl Fn(u32) -> bool, workers: u32) -> Vec<u32> {
        let workers = workers.max(1);
        let n = order.n_components() as u32;
        let mut group_of = vec![0; n as usize];
        let mut next = 0;
        let mut begin = 0;
        while begin < n {
            let level = order.level(begin);
            let end = (begin..n).find(|&c| order.level(c) != level).unwrap_or(n);
            let (alone, mut batch): (Vec<u32>, Vec<u32>) = (begin..end).partition(|&c| reaches(c));
            let mut batch = &mut batch[..];
            while !batch.is_empty() {
                let left = batch.len() as u32;
                let size = match self {
                    Self::PoolStatic | Self::LoopStatic => {
                        (end - begin - alone.len() as u32).div_ceil(workers)
                    }
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
            begin = end;
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
    use crate::graph::{Graph, NodeKey, Port};

    #[test]
    fn strategies_cut_levels_as_the_paper_says() {
        let mut graph = Graph::new();
        let nodes: Vec<NodeKey> = (0..9).map(|_| graph.add_node()).collect();
        for &to in &nodes[1..] {
            graph.connect(Port { node: nodes[0], port: 0 }, Port { node: to, port: 0 });
        }
        let s = Structure::of(&graph);
        let sizes = |strategy: Strategy| {
            let groups = strategy.groups(&s, |c| c == 8, 2);
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
