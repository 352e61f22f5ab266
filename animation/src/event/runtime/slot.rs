//! Where a chunk keeps the values of its fields, and when they last sent.

use std::sync::Arc;

use crate::event::field::{FieldType, Value};
use crate::event::ids::NodeId;

/// A value of at most sixteen bytes.
pub(super) type Words = [u32; 4];

/// Where a field's value lies in its chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(u32);

const WIDE: u32 = 1 << 31;

impl Slot {
    pub fn narrow(index: u32) -> Self {
        Self(index)
    }
    pub fn wide(index: u32) -> Self {
        Self(index | WIDE)
    }
    /// The place among the narrow ones, or among the wide ones.
    pub fn split(self) -> Result<usize, usize> {
        if self.0 & WIDE == 0 { Ok(self.0 as usize) } else { Err((self.0 & !WIDE) as usize) }
    }
}

/// The values of a chunk's fields, each with the frame in which it last sent.
///
/// Small values lie side by side; what does not fit there, and all fields of nodes with behaviours of their own, are [`Value`]s.
#[derive(Default)]
pub(super) struct Ports {
    pub narrow: Vec<Words>,
    pub narrow_sent: Vec<u32>,
    pub wide: Vec<Value>,
    pub wide_sent: Vec<u32>,
}

impl Ports {
    /// Room for a value that changes.
    pub fn add(&mut self, value: &Value) -> Slot {
        match pack(value) {
            Some(words) => {
                self.narrow.push(words);
                self.narrow_sent.push(0);
                Slot::narrow(self.narrow.len() as u32 - 1)
            }
            None => self.add_wide(value.clone()),
        }
    }

    /// Room for a value of any type.
    pub fn add_wide(&mut self, value: Value) -> Slot {
        self.wide.push(value);
        self.wide_sent.push(0);
        Slot::wide(self.wide.len() as u32 - 1)
    }

    /// When a field last sent.
    #[inline(always)]
    pub fn sent(&self, slot: Slot) -> u32 {
        match slot.split() {
            Ok(k) => self.narrow_sent[k],
            Err(k) => self.wide_sent[k],
        }
    }

    /// The value of a field.
    pub fn value(&self, slot: Slot, field_type: FieldType) -> Value {
        match slot.split() {
            Ok(k) => unpack(field_type, self.narrow[k]),
            Err(k) => self.wide[k].clone(),
        }
    }

    /// Sets a field.
    pub fn set(&mut self, slot: Slot, value: Value) {
        match slot.split() {
            Ok(k) => self.narrow[k] = pack(&value).unwrap_or_default(),
            Err(k) => self.wide[k] = value,
        }
    }

    /// Notes that a field sends.
    pub fn mark(&mut self, slot: Slot, frame: u32) {
        match slot.split() {
            Ok(k) => self.narrow_sent[k] = frame,
            Err(k) => self.wide_sent[k] = frame,
        }
    }
}

fn words<const N: usize>(values: [f32; N]) -> Words {
    let mut words = [0; 4];
    words.iter_mut().zip(values).for_each(|(word, value)| *word = value.to_bits());
    words
}

fn floats<const N: usize>(words: Words) -> [f32; N] {
    std::array::from_fn(|k| f32::from_bits(words[k]))
}

fn long(value: f64) -> [u32; 2] {
    let bits = value.to_bits();
    [bits as u32, (bits >> 32) as u32]
}

fn double(low: u32, high: u32) -> f64 {
    f64::from_bits(u64::from(high) << 32 | u64::from(low))
}

/// A small value in words; none if it is larger.
pub(super) fn pack(value: &Value) -> Option<Words> {
    Some(match *value {
        Value::SFBool(v) => [u32::from(v), 0, 0, 0],
        Value::SFInt32(v) => [v as u32, 0, 0, 0],
        Value::SFFloat(v) => words([v]),
        Value::SFDouble(v) | Value::SFTime(v) => {
            let [a, b] = long(v);
            [a, b, 0, 0]
        }
        Value::SFVec2f(v) => words(v),
        Value::SFVec2d([x, y]) => {
            let ([a, b], [c, d]) = (long(x), long(y));
            [a, b, c, d]
        }
        Value::SFVec3f(v) | Value::SFColor(v) => words(v),
        Value::SFVec4f(v) | Value::SFRotation(v) | Value::SFColorRGBA(v) => words(v),
        Value::SFNode(v) => [u32::from(v.is_some()), v.map_or(0, |node| node.0), 0, 0],
        _ => return None,
    })
}

/// What [`pack`] packed.
pub(super) fn unpack(field_type: FieldType, words: Words) -> Value {
    match field_type {
        FieldType::SFBool => Value::SFBool(words[0] != 0),
        FieldType::SFInt32 => Value::SFInt32(words[0] as i32),
        FieldType::SFDouble => Value::SFDouble(double(words[0], words[1])),
        FieldType::SFTime => Value::SFTime(double(words[0], words[1])),
        FieldType::SFVec2f => Value::SFVec2f(floats(words)),
        FieldType::SFVec2d => Value::SFVec2d([double(words[0], words[1]), double(words[2], words[3])]),
        FieldType::SFVec3f => Value::SFVec3f(floats(words)),
        FieldType::SFColor => Value::SFColor(floats(words)),
        FieldType::SFVec4f => Value::SFVec4f(floats(words)),
        FieldType::SFRotation => Value::SFRotation(floats(words)),
        FieldType::SFColorRGBA => Value::SFColorRGBA(floats(words)),
        FieldType::SFNode => Value::SFNode((words[0] != 0).then_some(NodeId(words[1]))),
        // Only what `pack` takes lies among the narrow ones: the rest is a number.
        _ => Value::SFFloat(f32::from_bits(words[0])),
    }
}

/// Memory of a list that is written anew: that of `spare` if nobody else holds it.
pub(super) fn renewed<T: Clone + Default>(spare: &mut Arc<[T]>, len: usize) -> &mut [T] {
    if spare.len() != len || Arc::get_mut(spare).is_none() {
        *spare = vec![T::default(); len].into();
    }
    Arc::get_mut(spare).expect("nobody else holds what was made just now, or was found to be alone")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        let values = [
            Value::SFBool(true),
            Value::SFInt32(-3),
            Value::SFFloat(f32::NAN),
            Value::SFDouble(-1.5e300),
            Value::SFTime(0.1),
            Value::SFVec2f([1.0, -0.0]),
            Value::SFVec2d([0.1, f64::MIN]),
            Value::SFVec3f([1.0, 2.0, 3.0]),
            Value::SFColor([0.1, 0.2, 0.3]),
            Value::SFVec4f([1.0, 2.0, 3.0, 4.0]),
            Value::SFRotation([0.0, 1.0, 0.0, 0.5]),
            Value::SFColorRGBA([0.1, 0.2, 0.3, 0.4]),
            Value::SFNode(None),
            Value::SFNode(Some(NodeId(0))),
        ];
        for value in values {
            let words = pack(&value).unwrap();
            let back = unpack(value.field_type(), words);
            assert_eq!(back.field_type(), value.field_type());
            assert_eq!(pack(&back), Some(words));
        }
        for value in [Value::SFVec3d([1.0; 3]), Value::MFFloat(vec![1.0].into()), Value::SFString("".into())]
        {
            assert!(pack(&value).is_none());
        }
    }
}
