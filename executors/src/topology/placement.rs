//! Which hardware thread each worker gets.

use engine::exec::thread_of;

use super::Topology;

/// A seat for a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The system's number of the hardware thread.
    pub thread: u32,
    /// Position in [`Topology::cores`].
    pub core: usize,
    /// Position in [`Topology::nodes`].
    pub node: usize,
}

impl Topology {
    /// The order in which hardware threads are taken: one per physical core first, node by node; then the second ones.
    ///
    /// Threads of one core share its units for arithmetic, so that a second worker there gains little; cores of one
    /// node share its memory.
    pub fn places(&self) -> Vec<Place> {
        let deepest = self.cores.iter().map(|c| c.threads.len()).max().unwrap_or(0);
        let row = |k: usize| {
            let has = self.cores.iter().enumerate().filter(move |(_, c)| c.threads.len() > k);
            has.map(move |(core, c)| Place { thread: c.threads[k], core, node: c.node })
        };
        (0..deepest).flat_map(row).collect()
    }

    /// The node of each worker, by position in [`Self::nodes`], if workers run on [`thread_of`] and the threads take
    /// [`Self::places`] in order.
    pub fn worker_nodes(&self, workers: u32, threads: usize) -> Vec<u32> {
        let places = self.places();
        let place = |w| places[thread_of(w, workers, threads) % places.len()];
        (0..workers).map(|w| place(w).node as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::Topology;

    #[test]
    fn physical_cores_come_first_node_by_node() {
        let machine = Topology::described("2x2x2").expect("a description");
        let places = machine.places();
        let nodes: Vec<usize> = places.iter().map(|p| p.node).collect();
        assert_eq!(nodes, [0, 0, 1, 1, 0, 0, 1, 1]);
        let mut cores: Vec<usize> = places[..4].iter().map(|p| p.core).collect();
        cores.dedup();
        assert_eq!(cores.len(), 4, "no core twice before every core once");
        let mut threads: Vec<u32> = places.iter().map(|p| p.thread).collect();
        threads.sort_unstable();
        assert_eq!(threads, [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn workers_that_share_a_thread_share_its_node() {
        let machine = Topology::described("2x1").expect("a description");
        assert_eq!(machine.worker_nodes(5, 2), [0, 0, 0, 1, 1]);
        assert_eq!(machine.worker_nodes(3, 1), [0, 0, 0]);
        assert_eq!(Topology::flat(3).worker_nodes(4, 3), [0; 4]);
    }
}
