//! Interpolators: a fraction in, a value between key values out.
//!
//! The mathematics are functions of slices ([`linear`], [`rotation`], [`color`], [`normal`], [`spline`], [`ease`]), which a kernel over many
//! nodes calls with the same bits; [`behaviour_of`] makes nodes of them.
//!
//! What the standard leaves undefined: keys that decrease, or are no number, count as the one before; of keys and values the surplus is left out;
//! without keys, without values or for a fraction that is no number nothing is sent. Each is said once.
//!
//! **Source:** ISO/IEC 19775-1, clause 19, *Interpolation component*.

pub mod color;
mod curves;
pub mod ease;
pub(in crate::event) mod first;
pub mod keys;
pub mod linear;
pub mod normal;
pub mod rotation;
pub mod spline;

use super::port::{Kind, MFFloat, Port, SFBool, SFFloat};
use crate::event::FieldId;
use crate::event::behaviour::{Behaviour, Turn};
use crate::event::scene::NodeType;

/// Types that have a behaviour here.
pub const TYPES: &[&str] = &[
    "ScalarInterpolator",
    "PositionInterpolator",
    "PositionInterpolator2D",
    "OrientationInterpolator",
    "ColorInterpolator",
    "CoordinateInterpolator",
    "CoordinateInterpolator2D",
    "NormalInterpolator",
    "EaseInEaseOut",
    "SplineScalarInterpolator",
    "SplinePositionInterpolator",
    "SplinePositionInterpolator2D",
    "SquadOrientationInterpolator",
];

/// An interpolator's behaviour; none for other types.
pub fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    match &*node_type.name {
        "ScalarInterpolator" => node::<curves::Scalar>(node_type),
        "PositionInterpolator" => node::<curves::Position>(node_type),
        "PositionInterpolator2D" => node::<curves::Position2D>(node_type),
        "OrientationInterpolator" => node::<curves::Orientation>(node_type),
        "ColorInterpolator" => node::<curves::Color>(node_type),
        "CoordinateInterpolator" => node::<curves::Coordinates>(node_type),
        "CoordinateInterpolator2D" => node::<curves::Coordinates2D>(node_type),
        "NormalInterpolator" => node::<curves::Normals>(node_type),
        "EaseInEaseOut" => node::<curves::Ease>(node_type),
        "SplineScalarInterpolator" => node::<curves::SplineScalar>(node_type),
        "SplinePositionInterpolator" => node::<curves::SplinePosition>(node_type),
        "SplinePositionInterpolator2D" => node::<curves::SplinePosition2D>(node_type),
        "SquadOrientationInterpolator" => node::<curves::Squad>(node_type),
        _ => None,
    }
}

/// What an interpolator calculates.
trait Curve: Send + Clone + 'static {
    /// Key values' type.
    type Values: Kind;
    /// The type of what it sends.
    type Out: Kind;
    /// The field of key values.
    const VALUES: &str = "keyValue";
    /// The field that sends.
    const OUT: &str = "value_changed";
    /// Fields whose values count besides keys and key values.
    fn of(node_type: &NodeType) -> Option<Self>;
    /// Whether a field is one of those.
    fn depends_on(&self, _field: FieldId) -> bool {
        false
    }
    /// Values for so many keys have come: prepares what does not depend on the fraction. Yields for how many keys there are values, and
    /// whether some are left over.
    fn prepare(&mut self, keys: &[f32], turn: &dyn Turn, values: Port<Self::Values>) -> (usize, bool);
    /// The value at a fraction.
    fn at(
        &self,
        keys: &[f32],
        values: <Self::Values as Kind>::Get<'_>,
        fraction: f32,
        cursor: &mut usize,
    ) -> Option<<Self::Out as Kind>::Set>;
}

fn node<C: Curve>(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    Some(Box::new(Interpolator {
        key: Port::of(node_type, "key")?,
        values: Port::of(node_type, C::VALUES)?,
        fraction: Port::of(node_type, "set_fraction")?,
        out: Port::of(node_type, C::OUT)?,
        curve: C::of(node_type)?,
        keys: Vec::new(),
        cursor: 0,
        stale: true,
        asked: false,
        has_sent: false,
        said: Said::default(),
    }))
}

/// What has been said of a node's mistakes.
#[derive(Clone, Copy, Default)]
struct Said {
    keys: bool,
    count: bool,
    fraction: bool,
}

struct Interpolator<C: Curve> {
    key: Port<MFFloat>,
    values: Port<C::Values>,
    fraction: Port<SFFloat>,
    out: Port<C::Out>,
    curve: C,
    // Keys as the search wants them, as many as there are values for.
    keys: Vec<f32>,
    cursor: usize,
    stale: bool,
    asked: bool,
    /// Whether it has sent a value.
    has_sent: bool,
    said: Said,
}

impl<C: Curve> Clone for Interpolator<C> {
    fn clone(&self) -> Self {
        Self { curve: self.curve.clone(), keys: self.keys.clone(), ..*self }
    }
}

impl<C: Curve> Interpolator<C> {
    fn read_keys(&mut self, turn: &mut dyn Turn) {
        let (keys, fault) = keys::usable(self.key.get(turn));
        self.keys = keys;
        if let (Some(fault), false) = (fault, self.said.keys) {
            self.said.keys = true;
            let what = match fault {
                keys::KeyFault::Unsorted => "decrease",
                keys::KeyFault::NotANumber => "are not all numbers",
            };
            turn.complain(format_args!("keys {what}: such a key counts as the one before it"));
        }
        let (n, surplus) = self.curve.prepare(&self.keys, turn, self.values);
        if (n < self.keys.len() || surplus) && !self.said.count {
            self.said.count = true;
            turn.complain(format_args!(
                "{} keys and {} that do not fit: {n} keys are used",
                self.keys.len(),
                C::VALUES
            ));
        }
        self.keys.truncate(n);
        self.cursor = 0;
        self.stale = false;
    }
}

impl<C: Curve> Behaviour for Interpolator<C> {
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        if self.fraction.is(field) {
            self.asked = true;
        } else if self.key.is(field) || self.values.is(field) || self.curve.depends_on(field) {
            self.stale = true;
            if !self.has_sent {
                let n_keys = self.key.get(turn).len();
                let first = first::first_value(n_keys, turn.value(self.values.id()), C::Out::TYPE);
                if let Some(first) = first {
                    turn.set(self.out.id(), first);
                }
            }
        }
    }
    fn events_processed(&mut self, turn: &mut dyn Turn) {
        if !std::mem::take(&mut self.asked) {
            return;
        }
        if self.stale {
            self.read_keys(turn);
        }
        let fraction = self.fraction.get(turn);
        if fraction.is_nan() && !self.said.fraction {
            self.said.fraction = true;
            turn.complain(format_args!("set_fraction is not a number: no event is sent"));
        }
        let value = self.curve.at(&self.keys, self.values.get(turn), fraction, &mut self.cursor);
        if let Some(value) = value {
            self.has_sent = true;
            self.out.send(turn, value);
        }
    }
}

/// The two switches that a smooth curve has.
#[derive(Clone, Copy)]
struct Switches {
    closed: Port<SFBool>,
    normalized: Port<SFBool>,
}

#[cfg(test)]
mod tests;
