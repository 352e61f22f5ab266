//! Chasers: they reach each destination after a given time.

use std::collections::VecDeque;
use std::f64::consts::PI;

use super::super::port::{Port, SFTime};
use super::followed::Followed;
use super::output::Output;
use crate::event::FieldId;
use crate::event::behaviour::{Behaviour, Turn};
use crate::event::scene::NodeType;

/// Steps of the destination that are kept apart; older ones join, as if they had come at once.
const MOST_STEPS: usize = 1024;

pub(super) fn node<F: Followed>(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    Some(Box::new(Chaser::<F> {
        destination: Port::of(node_type, "set_destination")?,
        jump: Port::of(node_type, "set_value")?,
        first_destination: Port::of(node_type, "initialDestination")?,
        first_value: Port::of(node_type, "initialValue")?,
        output: Output::of(node_type)?,
        duration: Port::of(node_type, "duration")?,
        base: None,
        target: None,
        steps: VecDeque::new(),
        last: None,
    }))
}

/// The destination went from one value to another.
struct Step<S> {
    at: f64,
    from: S,
    to: S,
}

struct Chaser<F: Followed> {
    destination: Port<F::Kind>,
    jump: Port<F::Kind>,
    first_destination: Port<F::Kind>,
    first_value: Port<F::Kind>,
    output: Output<F>,
    duration: Port<SFTime>,
    /// The value before all steps that still count.
    base: Option<F::State>,
    target: Option<F::State>,
    steps: VecDeque<Step<F::State>>,
    last: Option<f64>,
}

impl<F: Followed> Chaser<F> {
    fn step_to(&mut self, at: f64, to: F::State) {
        let base = F::fit(self.base.take().unwrap_or_else(|| to.clone()), &to);
        let from = F::fit(self.target.take().unwrap_or_else(|| base.clone()), &to);
        for step in &mut self.steps {
            step.from = F::fit(step.from.clone(), &to);
            step.to = F::fit(step.to.clone(), &to);
        }
        (self.base, self.target) = (Some(base), Some(to.clone()));
        self.steps.push_back(Step { at, from, to });
        if self.steps.len() > MOST_STEPS
            && let (Some(first), Some(second)) = (self.steps.pop_front(), self.steps.front_mut())
        {
            second.from = first.from;
        }
    }
    /// The value now; steps that are over become part of the base.
    fn value(&mut self, now: f64, duration: f64) -> Option<F::State> {
        let mut base = self.base.take()?;
        while let Some(step) = self.steps.front() {
            if duration > 0.0 && now - step.at < duration {
                break;
            }
            base = F::step(&base, &step.from, &step.to, 1.0);
            self.steps.pop_front();
        }
        // All is over: the destination itself, without the sum's rounding.
        if let (true, Some(target)) = (self.steps.is_empty(), &self.target) {
            base = target.clone();
        }
        self.base = Some(base.clone());
        Some(self.steps.iter().fold(base, |value, step| {
            let t = ((now - step.at) / duration).max(0.0);
            F::step(&value, &step.from, &step.to, (0.5 - 0.5 * (t * PI).cos()) as f32)
        }))
    }
}

impl<F: Followed> Behaviour for Chaser<F> {
    fn initialize(&mut self, turn: &mut dyn Turn) {
        let (value, target) = (F::read(self.first_value, turn), F::read(self.first_destination, turn));
        self.output.begin(turn, &value);
        let there = F::distance(&value, &target) == 0.0;
        self.base = Some(value.clone());
        self.target = Some(value);
        if !there {
            let now = turn.time();
            self.step_to(now, target);
        }
    }
    fn is_time_dependent(&self) -> bool {
        true
    }
    fn tick(&mut self, turn: &mut dyn Turn) {
        let now = turn.time();
        let moves = self.output.is_active() || !self.steps.is_empty();
        if !moves || self.last.is_some_and(|last| now <= last) {
            return;
        }
        self.last = Some(now);
        let Some(value) = self.value(now, self.duration.get(turn)) else { return };
        self.output.show(value);
        if self.steps.is_empty() {
            self.output.end();
        } else {
            self.output.activate(turn);
        }
    }
    fn has_more_to_say(&self) -> bool {
        self.output.has_more_to_say()
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        let now = turn.time();
        if self.destination.is(field) {
            let to = F::read(self.destination, turn);
            if self.duration.get(turn) > 0.0 {
                self.step_to(now, to);
                self.output.activate(turn);
            } else {
                self.steps.clear();
                (self.base, self.target) = (Some(to.clone()), Some(to.clone()));
                self.output.show(to);
                self.output.end();
            }
        } else if self.jump.is(field) {
            let value = F::read(self.jump, turn);
            let target = self.target.clone();
            self.steps.clear();
            (self.base, self.target) = (Some(value.clone()), Some(value.clone()));
            self.output.jump(turn, value.clone());
            if let Some(target) = target.filter(|t| F::distance(t, &value) > 0.0) {
                self.step_to(now, target);
                self.output.activate(turn);
            }
        }
    }
    fn events_processed(&mut self, turn: &mut dyn Turn) {
        self.output.send(turn);
    }
}
