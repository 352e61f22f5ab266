//! Dampers: they come nearer to their destination ever more slowly.

use super::super::port::{Kind, Port, SFBool, SFFloat, SFInt32, SFTime};
use super::followed::Followed;
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
        out: Port::of(node_type, "value_changed")?,
        is_active: Port::of(node_type, "isActive")?,
        order: Port::of(node_type, "order")?,
        tau: Port::of(node_type, "tau")?,
        tolerance: Port::of(node_type, "tolerance")?,
        filters: Vec::new(),
        active: false,
        moving: false,
        ended: None,
        last: None,
    }))
}

struct Damper<F: Followed> {
    destination: Port<F::Kind>,
    jump: Port<F::Kind>,
    first_destination: Port<F::Kind>,
    first_value: Port<F::Kind>,
    out: Port<F::Kind>,
    is_active: Port<SFBool>,
    order: Port<SFInt32>,
    tau: Port<SFTime>,
    tolerance: Port<SFFloat>,
    /// The destination, and the value of each filter after it.
    filters: Vec<F::State>,
    active: bool,
    /// Whether it is on its way.
    moving: bool,
    /// When it said last that it is there: what sets it off again in that time stamp it says in the next one.
    ended: Option<f64>,
    last: Option<f64>,
}

impl<F: Followed> Damper<F> {
    fn activate(&mut self, turn: &mut dyn Turn) {
        self.moving = true;
        if !self.active && self.ended != Some(turn.time()) {
            self.active = true;
            self.is_active.send(turn, true);
        }
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
        turn.set(self.out.id(), F::Kind::value(F::written(&value)));
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
        // Only what it says first in a frame counts: one that is there at once need not say that it was on its way.
        let begins = !self.active;
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
        let value = F::written(rest.last().unwrap_or(target));
        if begins && !there {
            self.activate(turn);
        }
        self.out.send(turn, value);
        if there {
            self.moving = false;
            self.active = false;
            if !begins {
                self.ended = Some(now);
                self.is_active.send(turn, false);
            }
        }
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        if self.destination.is(field) {
            let to = F::read(self.destination, turn);
            if let Some(target) = self.filters.first_mut() {
                *target = to;
            }
            self.activate(turn);
        } else if self.jump.is(field) {
            let value = F::read(self.jump, turn);
            if let Some((target, rest)) = self.filters.split_first_mut() {
                rest.fill(F::fit(value.clone(), target));
            }
            self.out.send(turn, F::written(&value));
            self.activate(turn);
        }
    }
}
