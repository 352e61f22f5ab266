//! What a chunk's task does in a frame.

use super::chunk::{ActiveNode, Chunk, Gate, HostInput, Link, Noted, Producers, SELF, Step, VertexKind};
use super::delivery::Delivery;
use super::kernels::{Run, words_of};
use super::places::Place;
use super::slot::Ports;
use super::turn::{Around, Now};
use crate::event::field::Value;
use crate::event::graph_access::GraphAccess;
use crate::event::ids::FieldId;

impl Chunk {
    /// Whether anything can happen in it in this frame.
    fn is_reached(&self, producers: impl Producers, frame: u32) -> bool {
        let own = self.is_timed || self.sent == frame || !self.host.is_empty() || !self.waiting.is_empty();
        own || producers.any_sent(frame)
    }

    /// Evaluates the chunk's nodes. A chunk without events costs a test of each chunk that it reads.
    pub fn run(&mut self, producers: impl Producers, now: Now) {
        if self.late == now.frame && !self.is_relay {
            return self.run_late(producers, now, None);
        }
        if self.done == now.frame && !self.is_relay {
            return;
        }
        self.done = now.frame;
        if !self.is_reached(producers, now.frame) {
            return;
        }
        // A node that panics must not take the steps along.
        let steps = self.steps.clone();
        for step in &*steps {
            self.step(step, producers, now);
        }
    }

    fn step(&mut self, step: &Step, producers: impl Producers, now: Now) {
        let frame = now.frame;
        match step {
            Step::Own(copies) => {
                let ports = &mut self.ports;
                let mut any = false;
                for &(from, to) in copies {
                    if ports.narrow_sent[from as usize] == frame {
                        ports.narrow[to as usize] = ports.narrow[from as usize];
                        ports.narrow_sent[to as usize] = frame;
                        any = true;
                    }
                }
                self.note_sent(any, frame);
            }
            Step::Foreign(copies) => {
                let mut any = false;
                for &(producer, from, to) in copies {
                    let other = &producers.chunk(producer).ports;
                    if other.narrow_sent[from as usize] == frame {
                        self.ports.narrow[to as usize] = other.narrow[from as usize];
                        self.ports.narrow_sent[to as usize] = frame;
                        any = true;
                    }
                }
                self.note_sent(any, frame);
            }
            Step::Copies(copies) => {
                let mut any = false;
                for copy in copies {
                    let other = if copy.producer == SELF {
                        &self.ports
                    } else {
                        &producers.chunk(copy.producer).ports
                    };
                    if other.sent(copy.from) != frame {
                        continue;
                    }
                    match copy.to.split() {
                        Ok(k) => self.ports.narrow[k] = words_of(other, copy.from),
                        Err(k) => self.ports.wide[k] = other.value(copy.from, copy.field_type),
                    }
                    self.ports.mark(copy.to, frame);
                    any = true;
                }
                self.note_sent(any, frame);
            }
            Step::Batch(k) => {
                let batch = &mut self.batches[*k as usize];
                let mut any = false;
                for run in &mut batch.runs {
                    if let Some(fraction) = run.fraction(&self.ports, producers, frame) {
                        run.last = Some(fraction);
                        if fraction.is_nan() && !run.is_said {
                            run.is_said = true;
                            self.not_numbers.push((*k, run.begin, run.end));
                        }
                        any |= batch.kernel.evaluate((run.begin, run.end), fraction, &mut self.ports, frame);
                    }
                }
                self.note_sent(any, frame);
            }
            Step::Vertex(vertex) => self.vertex(*vertex, producers, now, None, false),
            Step::Loop(k) => self.cascade(*k, producers, now, None, false),
        }
    }

    fn note_sent(&mut self, any: bool, frame: u32) {
        if any {
            self.sent = frame;
        }
    }

    /// The event that came on a link in this frame, if one came.
    pub fn event(&self, link: &Link, producers: impl Producers, frame: u32) -> Option<Value> {
        let ports = if link.producer == SELF { &self.ports } else { &producers.chunk(link.producer).ports };
        (ports.sent(link.slot) == frame).then(|| ports.value(link.slot, link.field_type))
    }

    /// Evaluates one vertex, link by link. `is_late` delivers what was not delivered yet in this frame, and notes what it delivers.
    pub fn vertex(
        &mut self,
        vertex: u32,
        producers: impl Producers,
        now: Now,
        mut around: Around<'_>,
        is_late: bool,
    ) {
        let kind = self.vertices[vertex as usize].kind;
        if let VertexKind::Node(node) = kind {
            self.tick(node, now, reborrow(&mut around));
            self.hear_host(vertex, node, now, &mut around);
        }
        self.receive_links(vertex, producers, now, &mut around, is_late, false);
        if let VertexKind::Node(node) = kind {
            self.processed(node, now, around);
        }
        self.turn.clear();
    }

    /// Hands a node what the host has for it.
    pub fn hear_host(&mut self, vertex: u32, node: u32, now: Now, around: &mut Around<'_>) {
        if self.host.is_empty() {
            return;
        }
        for k in 0..self.host.len() {
            if self.host[k].0 != vertex {
                continue;
            }
            // What was heard stands for nobody.
            let (_, input) = std::mem::replace(
                &mut self.host[k],
                (u32::MAX, HostInput::Event(FieldId(0), Value::SFBool(false))),
            );
            match input {
                HostInput::Event(field, value) => {
                    self.receive(node, field.0, value, now, reborrow(around), false);
                }
                HostInput::Tell(event) => {
                    self.turn(node, now, reborrow(around), |behaviour, turn| behaviour.host(&event, turn));
                }
            }
        }
        if self.host.iter().all(|(vertex, _)| *vertex == u32::MAX) {
            self.host.clear();
        }
    }

    /// Hands a vertex the events on its links, in the order of routes.
    pub fn receive_links(
        &mut self,
        vertex: u32,
        producers: impl Producers,
        now: Now,
        around: &mut Around<'_>,
        is_late: bool,
        in_loop: bool,
    ) {
        let links = self.vertices[vertex as usize].links.clone();
        let (kind, order) = (self.vertices[vertex as usize].kind, self.vertices[vertex as usize].order);
        for k in links {
            let link = self.links[k as usize];
            if is_late && link.delivered == now.frame {
                continue;
            }
            let Some(value) = self.event(&link, producers, now.frame) else { continue };
            if is_late {
                self.links[k as usize].delivered = now.frame;
                let is_dropped = in_loop && self.passed(vertex, link.field, now.frame);
                self.note(order, link.route, &value, is_dropped, now.frame);
            }
            match kind {
                VertexKind::Passive(slot) => {
                    let has_sent = self.ports.sent(slot) == now.frame;
                    if in_loop && is_late && has_sent {
                        continue;
                    }
                    self.ports.set(slot, value);
                    self.ports.mark(slot, now.frame);
                    self.sent = now.frame;
                    if in_loop && !has_sent {
                        self.turn.push(0);
                    }
                }
                VertexKind::Interpolator(batch, k) => {
                    if let Value::SFFloat(fraction) = value {
                        let batch = &mut self.batches[batch as usize];
                        let any = batch.evaluate(k, fraction, &mut self.ports, now.frame);
                        self.note_sent(any, now.frame);
                    }
                }
                VertexKind::Node(node) => {
                    self.receive(node, link.field, value, now, reborrow(around), in_loop && is_late);
                }
            }
        }
    }

    /// Notes a delivery, if deliveries are asked for.
    pub fn note(&mut self, order: Place, route: u32, value: &Value, is_dropped: bool, frame: u32) {
        if self.n_noted.0 != frame {
            self.n_noted = (frame, 0);
        }
        self.n_noted.1 += 1;
        if self.notes {
            let delivery = Delivery { route, value: value.clone(), is_dropped };
            self.noted.push(Noted { order, delivery });
        }
    }

    /// Evaluates what is still to be evaluated in a frame that was stopped.
    pub fn run_late(&mut self, producers: impl Producers, now: Now, mut around: Around<'_>) {
        self.done = now.frame;
        if !self.is_reached(producers, now.frame) {
            return;
        }
        let mut vertex = 0;
        let mut loops = 0;
        while vertex < self.vertices.len() as u32 {
            match self.loops.get(loops) {
                Some(circle) if circle.vertices.start == vertex => {
                    vertex = circle.vertices.end;
                    self.cascade(loops as u32, producers, now, reborrow(&mut around), true);
                    loops += 1;
                }
                _ => {
                    self.vertex(vertex, producers, now, reborrow(&mut around), true);
                    vertex += 1;
                }
            }
        }
    }

    /// Evaluates a gate: stops the frame if events wait for its nodes, or lets it go on. Returns whether it goes on.
    pub fn knock(&mut self, producers: impl Producers, now: Now) -> bool {
        if self.is_waiting(producers, now) {
            self.gate = Gate::Waiting;
            return false;
        }
        if self.done != now.frame {
            self.done = now.frame;
        }
        true
    }

    fn is_waiting(&self, producers: impl Producers, now: Now) -> bool {
        let frame = now.frame;
        let is_late = self.late == frame;
        if self.done == frame && !is_late {
            return false;
        }
        let ticks = || {
            let is_due = |n: &ActiveNode| n.is_timed && n.ticked != frame;
            !now.is_before && (self.nodes.iter().any(is_due) || self.has_waiting(frame))
        };
        let comes = |link: &Link| {
            let ports =
                if link.producer == SELF { &self.ports } else { &producers.chunk(link.producer).ports };
            !(is_late && link.delivered == frame) && ports.sent(link.slot) == frame
        };
        !self.host.is_empty() || ticks() || self.links.iter().any(comes)
    }
}

impl Run {
    /// The fraction that came in this frame, if one came.
    #[inline(always)]
    pub fn fraction(&self, own: &Ports, producers: impl Producers, frame: u32) -> Option<f32> {
        let ports = if self.producer == SELF { own } else { &producers.chunk(self.producer).ports };
        if ports.sent(self.slot) != frame {
            return None;
        }
        match self.slot.split() {
            Ok(k) => Some(f32::from_bits(ports.narrow[k][0])),
            Err(k) => match &ports.wide[k] {
                Value::SFFloat(fraction) => Some(*fraction),
                _ => None,
            },
        }
    }
}

/// The same reach for a shorter time.
pub(super) fn reborrow<'b>(around: &'b mut Around<'_>) -> Around<'b> {
    around.as_mut().map(|a| &mut **a as &mut dyn GraphAccess)
}
