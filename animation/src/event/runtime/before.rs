//! The cascade before a frame: what nodes send when they begin.
//!
//! It has a number of its own, so that a field may send in it and in the frame that follows, and no node looks at the clock in it: a clock that
//! is set there runs as if the file had set it. The caller's thread plays it, chunk by chunk in the order of tasks, since it happens once.
//!
//! **Source:** ISO/IEC 19775-1, clause 29, *Scripting*: `initialize` is called before any events are processed, and what it sends comes
//! before all other events.

use engine::data::Store;

use super::chunk::{Between, Chunk};
use super::event_graph::EventGraph;
use super::turn::Now;

impl EventGraph {
    /// Lets nodes begin that came, and plays what they send.
    pub(super) fn play_before_frame(&mut self, store: &mut Store) {
        if self.world.n_initialized == self.world.natures.len() {
            return;
        }
        self.now.is_before = true;
        // What the host has said is for the frame.
        let of_frame = std::mem::take(&mut self.world.outside);
        self.begin_nodes(store);
        self.apply_outside(store);
        while self.run_here(store) {
            self.evaluate_waiting(store);
        }
        if self.options.log {
            self.collect(store);
        }
        self.log.n_before = self.log.deliveries.len();
        self.n_before = self.n_deliveries(store);
        self.world.outside.splice(0..0, of_frame);
        self.stops = 0;
        self.now = Now::in_frame(self.now.frame + 1, self.now.time);
    }

    /// Lets nodes begin, those too that come by that; routes that they add are there then.
    fn begin_nodes(&mut self, store: &mut Store) {
        for _ in 0..self.options.most_stops {
            self.initialize(store);
            self.prepare(store);
            if self.world.n_initialized == self.world.natures.len() {
                return;
            }
        }
    }

    /// Runs the graph's chunks on this thread; whether one of them waits for its turn with the whole graph.
    fn run_here(&mut self, store: &mut Store) -> bool {
        let now = self.now;
        let (Some(in_store), Some(layout)) = (&self.in_store, &self.layout) else { return false };
        for stage in &layout.stages {
            for &c in &stage.chunks {
                let workspace = in_store.workspaces[c as usize];
                let mut chunk = std::mem::replace(store.workspace_mut(workspace), Chunk::new(false));
                let of = &layout.producers[c as usize];
                let producers: Vec<_> = of.iter().map(|&p| in_store.workspaces[p as usize]).collect();
                let producers = Between(store, &producers);
                let goes_on = if stage.name == "gate" {
                    chunk.knock(producers, now)
                } else {
                    chunk.run(producers, now);
                    true
                };
                *store.workspace_mut(workspace) = chunk;
                if !goes_on {
                    return true;
                }
            }
        }
        false
    }
}
