//! Frames of an event graph.

use engine::data::Store;
use engine::graph::Recording;

use super::chunk::{Chunk, Gate, VertexKind};
use super::event_graph::{Complaint, EventGraph};
use super::event_log::{EventLog, collect};
use super::kept::InStore;
use super::places::NONE;
use super::print::Print;
use super::turn::Now;

/// What a host is to do after a run of the recorded tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The frame is complete.
    Done,
    /// The frame was stopped for a node that reaches the whole graph: run the same recording again.
    Again,
    /// That node has changed the structure: record anew, and run that.
    RecordAgain,
}

impl EventGraph {
    /// Begins a frame: what the host has for nodes reaches them, once nodes that came have begun. [`Self::is_stale`] may be true afterwards.
    pub fn begin_frame(&mut self, store: &mut Store, time: f64) {
        self.now = Now::in_frame(self.now.frame + 1, time);
        self.log.deliveries.clear();
        (self.log.frame, self.log.time, self.log.n_before) = (self.log.frame + 1, time, 0);
        (self.stops, self.n_before) = (0, 0);
        self.show_inlines(store);
        self.prepare(store);
        self.play_before_frame(store);
        if let Some(InStore { frame, time, .. }) = &self.in_store {
            store.set_parameter(*frame, self.now.frame);
            store.set_parameter(*time, self.now.time);
        }
        self.apply_outside(store);
        self.go_on(store);
    }

    pub(super) fn go_on(&mut self, store: &mut Store) {
        if let Some(InStore { goes_on, .. }) = &self.in_store {
            store.write(*goes_on)[0] = true;
        }
    }

    /// After a run: evaluates nodes that reach the whole graph, if the frame was stopped for them.
    pub fn proceed(&mut self, store: &mut Store) -> Next {
        if !self.evaluate_waiting(store) {
            return Next::Done;
        }
        self.go_on(store);
        if self.is_stale() { Next::RecordAgain } else { Next::Again }
    }

    /// Evaluates the node that the frame was stopped for; says whether there is one.
    pub(super) fn evaluate_waiting(&mut self, store: &mut Store) -> bool {
        let Some(in_store) = &self.in_store else { return false };
        let is_waiting =
            |&&c: &&u32| store.workspace_ref(in_store.workspaces[c as usize]).gate == Gate::Waiting;
        let mut gates = self.layout.iter().flat_map(|layout| &layout.gates);
        let Some(&gate) = gates.find(is_waiting) else { return false };
        self.stops += 1;
        self.settle(store);
        let version = self.world.version;
        if self.stops > self.options.most_stops {
            self.give_up(gate, store);
        } else {
            self.evaluate_gate(gate, store);
        }
        if self.options.log {
            self.collect(store);
        }
        let is_changed = self.world.version != version;
        if is_changed {
            self.rebuild(store, true);
            self.initialize(store);
        }
        self.apply_outside(store);
        true
    }

    /// Ends a frame: what was delivered in it, if the log is on.
    pub fn end_frame(&mut self, store: &mut Store) -> &EventLog {
        if self.options.log {
            self.collect(store);
        }
        self.gather_complaints(store);
        &self.log
    }

    /// What was delivered in the frame that ended last.
    pub fn frame_log(&self) -> &EventLog {
        &self.log
    }

    /// A run has failed: a node panicked. The frame stays incomplete; the next one begins from what there is.
    pub fn fail_frame(&mut self) {
        // What the node left half done is made anew.
        self.world.version += 1;
        self.world.dirt.all = true;
    }

    /// Plays a whole frame.
    ///
    /// # Errors
    /// The player's; the graph stays usable.
    pub fn frame<P: Player + ?Sized>(
        &mut self,
        store: &mut Store,
        player: &mut P,
        time: f64,
    ) -> Result<&EventLog, P::Error> {
        self.begin_frame(store, time);
        if self.is_stale() {
            player.load(self.record(store), store)?;
        }
        loop {
            if let Err(error) = player.run(store) {
                self.fail_frame();
                return Err(error);
            }
            match self.proceed(store) {
                Next::Done => return Ok(self.end_frame(store)),
                Next::Again => {}
                Next::RecordAgain => player.load(self.record(store), store)?,
            }
        }
    }

    /// Appends to the log what was delivered since the last call.
    pub(super) fn collect(&mut self, store: &mut Store) {
        let Some(layout) = &self.layout else { return };
        let chunks = self.chunks(store);
        collect(layout, &chunks, self.now.frame, &mut self.log.deliveries);
        let workspaces = self.in_store.iter().flat_map(|s| &s.workspaces);
        for &workspace in workspaces {
            if !store.workspace_ref(workspace).noted.is_empty() {
                store.workspace_mut(workspace).noted.clear();
            }
        }
    }

    pub(super) fn gather_complaints(&mut self, store: &mut Store) {
        let mut new: Vec<Complaint> = Vec::new();
        let mut prints: Vec<Print> = Vec::new();
        for (c, &workspace) in (0..).zip(self.in_store.iter().flat_map(|s| &s.workspaces)) {
            // In `levels` there may be a chunk for each node: each is looked at once.
            let Chunk { not_numbers, complaints, prints: printed, .. } = store.workspace_ref(workspace);
            if not_numbers.is_empty() && complaints.is_empty() && printed.is_empty() {
                continue;
            }
            if !store.workspace_ref(workspace).not_numbers.is_empty() {
                let chunk = store.workspace_mut(workspace);
                let which = std::mem::take(&mut chunk.not_numbers);
                new.extend(self.nodes_of(c, chunk, &which));
            }
            if !store.workspace_ref(workspace).complaints.is_empty() {
                let all = std::mem::take(&mut store.workspace_mut(workspace).complaints);
                new.extend(all.into_iter().map(|(node, message)| Complaint { node, message }));
            }
            if !store.workspace_ref(workspace).prints.is_empty() {
                prints.append(&mut store.workspace_mut(workspace).prints);
            }
        }
        prints.sort_by_key(|print| print.node);
        self.prints.append(&mut prints);
        if !new.is_empty() {
            new.sort_by_key(|complaint| complaint.node);
            self.complaints.extend(new);
        }
    }
}

impl EventGraph {
    /// What interpolators say to fractions that are no numbers.
    fn nodes_of(&self, c: u32, chunk: &Chunk, which: &[(u32, u32, u32)]) -> Vec<Complaint> {
        let Some(layout) = &self.layout else { return Vec::new() };
        let mut found = Vec::new();
        for (vertex, home) in layout.vertices() {
            if home.chunk == c
                && vertex.field == NONE
                && let VertexKind::Interpolator(batch, k) = chunk.vertices[home.local as usize].kind
                && which.iter().any(|&(b, begin, end)| b == batch && begin <= k && k < end)
            {
                let message = "set_fraction is not a number: no event is sent".to_owned();
                found.push(Complaint { node: vertex.node, message });
            }
        }
        found
    }
}

/// Runs what an event graph records: an executor with a planner.
pub trait Player {
    /// What may go wrong.
    type Error;
    /// Loads a program in place of the one before.
    ///
    /// # Errors
    /// It does not fit.
    fn load(&mut self, recording: Recording, store: &mut Store) -> Result<(), Self::Error>;
    /// Runs it once.
    ///
    /// # Errors
    /// A node panicked.
    fn run(&mut self, store: &mut Store) -> Result<(), Self::Error>;
}
