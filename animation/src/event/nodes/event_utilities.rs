//! Filters, toggles, triggers and sequencers.
//!
//! **Source:** ISO/IEC 19775-1, clause 30, *Event utilities component*.

use super::interpolation::keys;
use super::port::{Kind, MFBool, MFFloat, MFInt32, Port, SFBool, SFFloat, SFInt32, ports};
use crate::event::FieldId;
use crate::event::behaviour::{Behaviour, Turn};
use crate::event::scene::NodeType;

/// Types that have a behaviour here.
pub const TYPES: &[&str] = &[
    "BooleanFilter",
    "BooleanToggle",
    "BooleanTrigger",
    "BooleanSequencer",
    "IntegerTrigger",
    "IntegerSequencer",
    "TimeTrigger",
];

/// An event utility's behaviour; none for other types.
pub(super) fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    match &*node_type.name {
        "BooleanFilter" => Some(Box::new(Immediate { ports: Filter::of(node_type)?, act: filter })),
        "BooleanToggle" => Some(Box::new(Immediate { ports: Toggle::of(node_type)?, act: toggle })),
        "BooleanTrigger" => {
            Some(Box::new(Immediate { ports: BooleanTrigger::of(node_type)?, act: boolean_trigger }))
        }
        "IntegerTrigger" => {
            Some(Box::new(Immediate { ports: IntegerTrigger::of(node_type)?, act: integer_trigger }))
        }
        "TimeTrigger" => Some(Box::new(Immediate { ports: TimeTrigger::of(node_type)?, act: time_trigger })),
        "BooleanSequencer" => sequencer::<SFBool, MFBool>(node_type),
        "IntegerSequencer" => sequencer::<SFInt32, MFInt32>(node_type),
        _ => None,
    }
}

ports! {
    struct Filter {
        input: SFBool = "set_boolean",
        if_false: SFBool = "inputFalse",
        negated: SFBool = "inputNegate",
        if_true: SFBool = "inputTrue",
    }
}
ports! {
    struct Toggle {
        input: SFBool = "set_boolean",
        toggle: SFBool = "toggle",
    }
}
ports! {
    struct BooleanTrigger {
        input: SFTime = "set_triggerTime",
        output: SFBool = "triggerTrue",
    }
}
ports! {
    struct IntegerTrigger {
        input: SFBool = "set_boolean",
        key: SFInt32 = "integerKey",
        output: SFInt32 = "triggerValue",
    }
}
ports! {
    struct TimeTrigger {
        input: SFBool = "set_boolean",
        output: SFTime = "triggerTime",
    }
}

/// A node that answers each event by itself, and remembers nothing.
struct Immediate<P> {
    ports: P,
    act: fn(P, FieldId, &mut dyn Turn),
}

impl<P: Copy + Send + 'static> Behaviour for Immediate<P> {
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        (self.act)(self.ports, field, turn);
    }
}

fn filter(p: Filter, field: FieldId, turn: &mut dyn Turn) {
    if p.input.is(field) {
        let value = p.input.get(turn);
        if value { p.if_true } else { p.if_false }.send(turn, value);
        p.negated.send(turn, !value);
    }
}

fn toggle(p: Toggle, field: FieldId, turn: &mut dyn Turn) {
    if p.input.is(field) && p.input.get(turn) {
        let value = !p.toggle.get(turn);
        p.toggle.send(turn, value);
    }
}

fn boolean_trigger(p: BooleanTrigger, field: FieldId, turn: &mut dyn Turn) {
    if p.input.is(field) {
        p.output.send(turn, true);
    }
}

/// Whatever the boolean is.
fn integer_trigger(p: IntegerTrigger, field: FieldId, turn: &mut dyn Turn) {
    if p.input.is(field) {
        let key = p.key.get(turn);
        p.output.send(turn, key);
    }
}

/// Whatever the boolean is.
fn time_trigger(p: TimeTrigger, field: FieldId, turn: &mut dyn Turn) {
    if p.input.is(field) {
        let time = turn.time();
        p.output.send(turn, time);
    }
}

fn sequencer<S, M>(node_type: &NodeType) -> Option<Box<dyn Behaviour>>
where
    S: Kind + 'static,
    S::Set: Copy + 'static,
    M: for<'a> Kind<Get<'a> = &'a [S::Set]> + 'static,
{
    Some(Box::new(Sequencer::<S, M> {
        fraction: Port::of(node_type, "set_fraction")?,
        next: Port::of(node_type, "next")?,
        previous: Port::of(node_type, "previous")?,
        key: Port::of(node_type, "key")?,
        values: Port::of(node_type, "keyValue")?,
        out: Port::of(node_type, "value_changed")?,
        at: None,
        cursor: 0,
        said: false,
    }))
}

/// Steps between values: `value_changed` is that of the last key not after the fraction.
struct Sequencer<S, M> {
    fraction: Port<SFFloat>,
    next: Port<SFBool>,
    previous: Port<SFBool>,
    key: Port<MFFloat>,
    values: Port<M>,
    out: Port<S>,
    /// The value that was sent last.
    at: Option<usize>,
    cursor: usize,
    said: bool,
}

impl<S, M> Clone for Sequencer<S, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S, M> Copy for Sequencer<S, M> {}

impl<S, M> Sequencer<S, M>
where
    S: Kind + 'static,
    S::Set: Copy + 'static,
    M: for<'a> Kind<Get<'a> = &'a [S::Set]> + 'static,
{
    fn by_fraction(&mut self, turn: &mut dyn Turn) -> Option<usize> {
        let fraction = self.fraction.get(turn);
        let (key, n_values) = (self.key.get(turn), self.values.get(turn).len());
        let n = key.len().min(n_values);
        let mismatch = key.len() != n_values;
        let keys = &key[..n];
        // Keys in order, which they should be, are searched as they stand.
        let sorted = keys.is_sorted();
        let place = if sorted {
            keys::find(keys, fraction, &mut self.cursor)
        } else {
            keys::find(&keys::usable(keys).0, fraction, &mut 0)
        };
        if (mismatch || !sorted || fraction.is_nan()) && !std::mem::replace(&mut self.said, true) {
            turn.complain(format_args!(
                "{} keys, {n_values} values: {n} are used, a key that decreases counts as the one before it, and a \
                 fraction that is no number sends nothing",
                self.key.get(turn).len()
            ));
        }
        place.map(|p| p.index)
    }
    fn step(&self, turn: &dyn Turn, forward: bool) -> Option<usize> {
        let n = self.values.get(turn).len();
        let last = n.checked_sub(1)?;
        Some(match (self.at, forward) {
            (None, true) => 0,
            (None, false) => last,
            (Some(k), true) => (k + 1) % n,
            (Some(k), false) => k.min(n).checked_sub(1).unwrap_or(last),
        })
    }
}

impl<S, M> Behaviour for Sequencer<S, M>
where
    S: Kind + 'static,
    S::Set: Copy + 'static,
    M: for<'a> Kind<Get<'a> = &'a [S::Set]> + 'static,
{
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        let at = if self.fraction.is(field) {
            self.by_fraction(turn)
        } else if self.next.is(field) && self.next.get(turn) {
            self.step(turn, true)
        } else if self.previous.is(field) && self.previous.get(turn) {
            self.step(turn, false)
        } else {
            None
        };
        if self.values.is(field)
            && self.at.is_none()
            && let Some(first) = self.values.get(turn).first().copied()
        {
            turn.set(self.out.id(), S::value(first));
        }
        if let Some(value) = at.and_then(|k| self.values.get(turn).get(k).copied()) {
            self.at = at;
            self.out.send(turn, value);
        }
    }
}

#[cfg(test)]
mod tests;
