//! The steps of `levels` mode that bring events from one level to the next.

use std::collections::BTreeMap;

use super::chunk::{Chunk, Copy, Step};
use super::fill::Filler;
use super::options::EventOptions;
use super::places::{Field, Way};
use super::slot::Slot;
use crate::graph::NodeKey;

/// What a step copies, by place among its producers.
#[derive(Default)]
struct Copies {
    small: Vec<(u32, u32, u32)>,
    others: Vec<Copy>,
}

impl Filler<'_> {
    /// A chunk for each batch that takes the events that leave it, and where each way's event lies there: a field's event is brought on once,
    /// however many ways begin at the field, as all of them read the same.
    pub fn relays(&mut self, options: &EventOptions) -> Vec<(u32, Slot)> {
        let part = self.part;
        let level = |way: &Way| part.ranks[part.order().component(NodeKey(way.sender)) as usize];
        let first = self.filled.chunks.len() as u32;
        let n_levels = part.ranks.iter().max().map_or(0, |last| last + 1);
        for _ in 0..n_levels {
            let mut chunk = Chunk::new(options.log);
            chunk.is_relay = true;
            self.filled.chunks.push(chunk);
            self.filled.producers.push(Vec::new());
        }
        let mut found: Vec<Vec<Copy>> = vec![Vec::new(); n_levels as usize];
        let mut known: BTreeMap<Field, (u32, Slot)> = BTreeMap::new();
        let mut places = Vec::with_capacity(part.ways.len());
        for way in &part.ways {
            if let Some(place) = known.get(&way.from) {
                places.push(*place);
                continue;
            }
            let relay = first + level(way);
            let (chunk, from) = self.source(way);
            let producers = &mut self.filled.producers[relay as usize];
            if producers.last() != Some(&chunk) {
                producers.push(chunk);
            }
            let field_type = self.scene.field(way.from).field_type;
            let value = &self.scene.node(way.from.0).values[way.from.1.0 as usize];
            let to = self.filled.chunks[relay as usize].ports.add(value);
            found[level(way) as usize].push(Copy { producer: chunk, from, to, field_type });
            known.insert(way.from, (relay, to));
            places.push((relay, to));
        }
        for (relay, found) in (first as usize..).zip(found) {
            let producers = &mut self.filled.producers[relay];
            producers.sort_unstable();
            producers.dedup();
            let mut copies = Copies::default();
            for copy in found {
                copies
                    .add(Copy { producer: producers.partition_point(|&p| p < copy.producer) as u32, ..copy });
            }
            self.filled.chunks[relay].steps = copies.steps().into();
        }
        places
    }
}

impl Copies {
    fn add(&mut self, copy: Copy) {
        match (copy.from.split(), copy.to.split()) {
            (Ok(from), Ok(to)) => self.small.push((copy.producer, from as u32, to as u32)),
            _ => self.others.push(copy),
        }
    }

    /// No two copies write the same place, so their order says nothing.
    fn steps(mut self) -> Vec<Step> {
        self.small.sort_unstable();
        let mut steps = Vec::new();
        if !self.small.is_empty() {
            steps.push(Step::Foreign(self.small));
        }
        if !self.others.is_empty() {
            steps.push(Step::Copies(self.others));
        }
        steps
    }
}
