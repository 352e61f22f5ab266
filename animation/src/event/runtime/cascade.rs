//! Loops: a component in which events run in circles is evaluated as one.
//!
//! Ticks and what the host has come first, then the events from outside the loop, node by node in the order of their numbers,
//! each node's in the order of routes. From the fields that have sent by then the cascade runs first in, first out: a field's
//! event travels along its routes in their order. An event for a field that receives and sends, and has sent in this time stamp,
//! is dropped, and so is what a node would send a second time: that is where circles end, wherever events entered them, and the log
//! says so. When nothing is left to travel, nodes that received are told so, in the order of their numbers, which may send again.
//!
//! **Source:** ISO/IEC 19775-1, 4.4.8.3: a field sends at most one event per time stamp, so loops end.

use super::chunk::{ActiveNode, Chunk, Loop, Producers, Queued, VertexKind};
use super::counted;
use super::evaluate::reborrow;
use super::turn::{Around, Now};
use crate::event::field::{Access, Value};

impl Chunk {
    /// Evaluates loop `k`. `is_late`: in a frame that was stopped, what was delivered stays.
    pub fn cascade(
        &mut self,
        k: u32,
        producers: impl Producers,
        now: Now,
        mut around: Around<'_>,
        is_late: bool,
    ) {
        let mut circle = std::mem::take(&mut self.loops[k as usize]);
        circle.queue.clear();
        self.refused = Some(Vec::new());
        let vertices = circle.vertices.clone();
        // Fields that the host, or an earlier part of this frame, let send: what was delivered is not delivered again.
        for vertex in vertices.clone() {
            match self.vertices[vertex as usize].kind {
                VertexKind::Passive(slot) if self.ports.sent(slot) == now.frame => {
                    circle.queue.push_back(Queued { vertex, field: 0, refused: None });
                }
                VertexKind::Node(node) => {
                    let fields = self.nodes[node as usize].fields.clone();
                    let sent = fields.clone().filter(|&f| self.ports.wide_sent[f as usize] == now.frame);
                    let queued = |f| Queued { vertex, field: f - fields.start, refused: None };
                    circle.queue.extend(sent.map(queued));
                }
                _ => {}
            }
        }
        for vertex in vertices.clone() {
            if let VertexKind::Node(node) = self.vertices[vertex as usize].kind {
                self.tick(node, now, reborrow(&mut around));
                self.hear_host(vertex, node, now, &mut around);
            }
            self.queue(&mut circle, vertex);
        }
        for vertex in vertices {
            self.receive_links(vertex, producers, now, &mut around, is_late, true);
            self.queue(&mut circle, vertex);
            self.hear_of(&mut circle, vertex, now.frame);
        }
        // A ring of interpolators goes through this once for each of them: only nodes that received are looked at.
        let mut received = Vec::new();
        loop {
            while let Some(Queued { vertex, field, refused }) = circle.queue.pop_front() {
                match refused {
                    Some(value) => self.drop_refused(&circle, vertex, field, &value, now.frame),
                    None => self.travel(&mut circle, vertex, field, now, &mut around),
                }
            }
            std::mem::swap(&mut received, &mut circle.received);
            received.sort_unstable();
            for vertex in received.drain(..) {
                counted::visit();
                if let VertexKind::Node(node) = self.vertices[vertex as usize].kind {
                    self.processed(node, now, reborrow(&mut around));
                    self.queue(&mut circle, vertex);
                }
            }
            if circle.queue.is_empty() {
                break;
            }
        }
        self.refused = None;
        self.loops[k as usize] = circle;
    }

    /// Whether a field receives and sends, and has sent in this time stamp: another event for it is dropped.
    pub fn passed(&self, vertex: u32, field: u32, frame: u32) -> bool {
        match self.vertices[vertex as usize].kind {
            VertexKind::Passive(slot) => self.ports.sent(slot) == frame,
            VertexKind::Node(node) => {
                let ActiveNode { node_type, fields, .. } = &self.nodes[node as usize];
                let port = (fields.start + field) as usize;
                node_type.fields[field as usize].access == Access::InputOutput
                    && self.ports.wide_sent[port] == frame
            }
            VertexKind::Interpolator(..) => false,
        }
    }

    /// Notes a node that has received, which is to be told once nothing is left to travel.
    fn hear_of(&self, circle: &mut Loop, vertex: u32, frame: u32) {
        if let VertexKind::Node(node) = self.vertices[vertex as usize].kind
            && self.nodes[node as usize].received == frame
        {
            circle.received.push(vertex);
        }
    }

    /// Puts the fields that a vertex has sent in its turn into the queue, and behind them what it would have sent a second time.
    fn queue(&mut self, circle: &mut Loop, vertex: u32) {
        circle.queue.extend(self.turn.drain(..).map(|field| Queued { vertex, field, refused: None }));
        let refused = self.refused.iter_mut().flat_map(|all| all.drain(..));
        circle.queue.extend(refused.map(|(field, value)| Queued { vertex, field, refused: Some(value) }));
    }

    /// Notes what a field would have sent a second time: there the circle is broken.
    fn drop_refused(&mut self, circle: &Loop, vertex: u32, field: u32, value: &Value, frame: u32) {
        let ways = &circle.inner[(vertex - circle.vertices.start) as usize];
        for way in ways.iter().filter(|way| way.from == field) {
            self.note(self.vertices[way.to as usize].order, way.route, value, true, frame);
        }
    }

    /// Lets a field's event travel along its routes inside the loop.
    fn travel(&mut self, circle: &mut Loop, vertex: u32, field: u32, now: Now, around: &mut Around<'_>) {
        let first = circle.vertices.start;
        let ways = circle.inner[(vertex - first) as usize].len();
        for k in 0..ways {
            let way = &mut circle.inner[(vertex - first) as usize][k];
            if way.from != field || way.delivered == now.frame {
                continue;
            }
            way.delivered = now.frame;
            let way = *way;
            let value = match self.vertices[vertex as usize].kind {
                VertexKind::Passive(slot) => self.ports.value(slot, way.field_type),
                VertexKind::Node(node) => {
                    self.ports.wide[(self.nodes[node as usize].fields.start + field) as usize].clone()
                }
                // Interpolators of loops have their behaviours.
                VertexKind::Interpolator(..) => continue,
            };
            let is_dropped = self.passed(way.to, way.field, now.frame);
            self.note(self.vertices[way.to as usize].order, way.route, &value, is_dropped, now.frame);
            match self.vertices[way.to as usize].kind {
                VertexKind::Passive(slot) if self.ports.sent(slot) != now.frame => {
                    self.ports.set(slot, value);
                    self.ports.mark(slot, now.frame);
                    self.sent = now.frame;
                    self.turn.push(0);
                }
                VertexKind::Node(node) => {
                    self.receive(node, way.field, value, now, reborrow(around), true);
                }
                _ => {}
            }
            self.queue(circle, way.to);
            self.hear_of(circle, way.to, now.frame);
        }
    }
}
