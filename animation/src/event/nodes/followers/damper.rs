//! Dampers: they come nearer to their destination ever more slowly.

use super::super::port::{Port, SFFloat, SFInt32, SFTime};
use super::followed::Followed;
use super::output::Output;
use crate::event::FieldId;
use crate::event::behaviour::{Behaviour, Turn};
use crate::event::scene::NodeType;

/// The highest `order` that the standard has.
const MOST_FILTERS: i32 = 5;
/// How near is near enough if the file leaves it to the browser.
const TOLERANCE: f32 = 1e-4;

pub(super) fn node<F: Followed>(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    Some(Box::new(Damper::<F> {
        destination: Port::of(node_type, "set_destination")?,
        jump: Port::of(node_type, "set_value")?,
        first_destination: Port::of(node_type, "initialDestination")?,
        first_value: Port::of(node_type, "initialValue")?,
        output: Output::of(node_type)?,
        order: Port::of(node_type, "order")?,
        tau: Port::of(node_type, "tau")?,
        tolerance: Port::of(node_type, "tolerance")?,
        filters: Vec::new(),
        moving: false,
        last: None,
    }))
}

struct Damper<F: Followed> {
    destination: Port<F::Kind>,
    jump: Port<F::Kind>,
    first_destination: Port<F::Kind>,
    first_value: Port<F::Kind>,
    output: Output<F>,
    order: Port<SFInt32>,
    tau: Port<SFTime>,
    tolerance: Port<SFFloat>,
    /// The destination, and the value of each filter after it.
    filters: Vec<F::State>,
    /// Whether it is on its way.
    moving: bool,
    last: Option<f64>,
}

impl<F: Followed> Damper<F> {
    fn activate(&mut self, turn: &mut dyn Turn) {
        self.moving = true;
        self.output.activate(turn);
    }
    /// Whether it needs time to get anywhere.
    fn lags(&self, turn: &dyn Turn) -> bool {
        self.filters.len() > 1 && self.tau.get(turn) > 0.0
    }
    /// The filters' values a frame later.
    fn filter(&mut self, nearer: f32) {
        for k in 1..self.filters.len() {
            let before = &self.filters[k - 1];
            let own = F::fit(self.filters[k].clone(), before);
            self.filters[k] = F::mix(&own, before, nearer);
        }
    }
}

impl<F: Followed> Behaviour for Damper<F> {
    fn initialize(&mut self, turn: &mut dyn Turn) {
        let (value, target) = (F::read(self.first_value, turn), F::read(self.first_destination, turn));
        self.output.begin(turn, &value);
        let order = self.order.get(turn).clamp(0, MOST_FILTERS);
        if order != self.order.get(turn) {
            turn.complain(format_args!("order is from 0 to {MOST_FILTERS}: {order} is taken"));
        }
        self.moving = F::distance(&F::fit(value.clone(), &target), &target) > 0.0;
        self.filters = vec![F::fit(value, &target); order as usize + 1];
        self.filters[0] = target;
        self.last = Some(turn.time());
    }
    fn is_time_dependent(&self) -> bool {
        true
    }
    fn tick(&mut self, turn: &mut dyn Turn) {
        let now = turn.time();
        let dt = now - self.last.unwrap_or(now);
        if dt < 0.0 {
            return;
        }
        self.last = Some(now);
        if !self.moving {
            return;
        }
        let tau = self.tau.get(turn);
        let nearer = if tau > 0.0 { 1.0 - (-dt / tau).exp() } else { 1.0 };
        self.filter(nearer as f32);
        let tolerance = self.tolerance.get(turn);
        let tolerance = if tolerance < 0.0 { TOLERANCE } else { tolerance };
        let Some((target, rest)) = self.filters.split_first_mut() else { return };
        let there = rest.iter().all(|f| F::distance(f, target) <= tolerance);
        if there {
            rest.fill(target.clone());
        }
        self.output.show(rest.last().unwrap_or(target).clone());
        if there {
            self.moving = false;
            self.output.end();
        } else {
            self.activate(turn);
        }
    }
    fn has_more_to_say(&self) -> bool {
        self.output.has_more_to_say()
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        if self.destination.is(field) {
            let to = F::read(self.destination, turn);
            if self.lags(turn) {
                self.filters[0] = to;
                self.activate(turn);
            } else {
                self.filters.fill(to.clone());
                self.output.show(to);
                self.moving = false;
                self.output.end();
            }
        } else if self.jump.is(field) {
            let value = F::read(self.jump, turn);
            if let Some((target, rest)) = self.filters.split_first_mut() {
                rest.fill(F::fit(value.clone(), target));
            }
            self.output.jump(turn, value);
            self.activate(turn);
        }
    }
    fn events_processed(&mut self, turn: &mut dyn Turn) {
        self.output.send(turn);
    }
}
