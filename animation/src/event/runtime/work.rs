//! The steps of a chunk's work, level by level.

use super::chunk::{Chunk, Copy, Link, SELF, Step, VertexKind};
use super::kernels::Run;
use super::slot::Slot;

/// The steps of one level of a chunk.
#[derive(Default)]
pub(super) struct Work {
    own: Vec<(u32, u32)>,
    foreign: Vec<(u32, u32, u32)>,
    copies: Vec<Copy>,
    batches: Vec<u32>,
    vertices: Vec<u32>,
    pub loops: Vec<u32>,
    /// By interpolator: where its fraction comes from.
    sources: Vec<(u32, u32, u32, Slot)>,
}

impl Work {
    /// Adds what a vertex does.
    pub fn add(&mut self, chunk: &Chunk, local: u32) {
        let vertex = &chunk.vertices[local as usize];
        let links = &chunk.links[vertex.links.start as usize..vertex.links.end as usize];
        match (vertex.kind, links) {
            (VertexKind::Passive(_), []) => {}
            (VertexKind::Passive(to), [link]) => match (link.slot.split(), to.split()) {
                (Ok(from), Ok(to)) if link.producer == SELF => self.own.push((from as u32, to as u32)),
                (Ok(from), Ok(to)) => self.foreign.push((link.producer, from as u32, to as u32)),
                _ => {
                    let &Link { producer, slot: from, field_type, .. } = link;
                    self.copies.push(Copy { producer, from, to, field_type });
                }
            },
            (VertexKind::Interpolator(batch, k), [link]) => {
                self.sources.push((batch, k, link.producer, link.slot));
            }
            _ => self.vertices.push(local),
        }
    }

    /// Appends the steps, and the runs of batches.
    pub fn finish(mut self, chunk: &mut Chunk, steps: &mut Vec<Step>) {
        self.sources.sort_unstable_by_key(|s| (s.0, s.1));
        for run in self.sources.chunk_by(|a, b| (a.0, a.2, a.3) == (b.0, b.2, b.3)) {
            let (batch, begin, producer, slot) = run[0];
            let end = begin + run.len() as u32;
            chunk.batches[batch as usize].runs.push(Run {
                producer,
                slot,
                begin,
                end,
                last: None,
                is_said: false,
            });
            if self.batches.last() != Some(&batch) {
                self.batches.push(batch);
            }
        }
        steps.extend(self.vertices.into_iter().map(Step::Vertex));
        steps.extend(self.loops.into_iter().map(Step::Loop));
        steps.extend(self.batches.into_iter().map(Step::Batch));
        if !self.own.is_empty() {
            steps.push(Step::Own(self.own));
        }
        if !self.foreign.is_empty() {
            steps.push(Step::Foreign(self.foreign));
        }
        if !self.copies.is_empty() {
            steps.push(Step::Copies(self.copies));
        }
    }
}
