//! Interpolators by kind: the same numbers as their behaviours compute, without a call and a [`Value`] for each.

use std::sync::Arc;

use super::slot::{Ports, Slot, Words, pack, renewed};
use crate::event::field::{FieldType, Value};
use crate::event::nodes::interpolation::{color, keys, linear, normal, rotation};
use crate::event::scene::NodeType;

/// Interpolators of one kind, fed by one port each; those of one source stand side by side.
pub(super) struct Batch {
    pub runs: Vec<Run>,
    pub kernel: Kernel,
}

/// Interpolators of one source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub producer: u32,
    /// Where the fraction lies there.
    pub slot: Slot,
    pub begin: u32,
    pub end: u32,
    /// The fraction that came last.
    pub last: Option<f32>,
    /// Whether it was said that a fraction was no number.
    pub is_said: bool,
}

/// An interpolator's keys.
pub(super) struct Keyed<T> {
    keys: Arc<[f32]>,
    values: Arc<[T]>,
    /// Where `value_changed` lies among the narrow ports.
    pub out: u32,
    cursor: u32,
}

/// An interpolator's keys, with the ways between their rotations.
pub(super) struct KeyedRotation {
    keyed: Keyed<[f32; 4]>,
    ways: Arc<[rotation::Way]>,
}

/// Keys of an interpolator of lists.
pub(super) struct KeyedList {
    keys: Arc<[f32]>,
    values: Arc<[[f32; 3]]>,
    /// Where `value_changed` lies among the wide ports.
    out: u32,
    cursor: u32,
    /// Memory for the next value: the one before the last.
    spare: Arc<[[f32; 3]]>,
}

macro_rules! kernels {
    ($($name:ident($keyed:ty) $($type_name:literal)?),* $(,)?) => {
        /// Interpolators of one kind.
        pub(super) enum Kernel {
            $($name(Vec<$keyed>),)*
        }

        /// A kind of interpolators.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum KernelKind {
            $($name,)*
        }

        impl KernelKind {
            /// The kind of a type of nodes.
            pub fn of(node_type: &NodeType) -> Option<Self> {
                let name = &*node_type.name;
                match name {
                    $($($type_name if !node_type.is_prototype => Some(Self::$name),)?)*
                    _ => None,
                }
            }

            /// Interpolators of the kind: none yet.
            pub fn kernel(self) -> Kernel {
                match self {
                    $(Self::$name => Kernel::$name(Vec::new()),)*
                }
            }
        }

        impl Kernel {
            /// How many there are.
            pub fn len(&self) -> usize {
                match self {
                    $(Self::$name(all) => all.len(),)*
                }
            }
        }
    };
}

kernels! {
    Scalar(Keyed<f32>) "ScalarInterpolator",
    Position(Keyed<[f32; 3]>) "PositionInterpolator",
    Position2D(Keyed<[f32; 2]>) "PositionInterpolator2D",
    Color(Keyed<[f32; 3]>) "ColorInterpolator",
    Orientation(KeyedRotation) "OrientationInterpolator",
    Coordinates(KeyedList) "CoordinateInterpolator",
    Normals(KeyedList) "NormalInterpolator",
}

/// Keys that need no repair, with as many values.
fn placed<T>(keys: &Arc<[f32]>, values: &Arc<[T]>, out: Slot) -> Option<Keyed<T>> {
    let out = out.split().ok()? as u32;
    Some(Keyed { keys: keys.clone(), values: values.clone(), out, cursor: 0 })
}

fn clean<T>(keys: &Arc<[f32]>, values: &Arc<[T]>, out: Slot) -> Option<Keyed<T>> {
    let is_clean = keys::usable(keys).1.is_none() && keys.len() == values.len();
    placed(keys, values, out).filter(|_| is_clean)
}

fn clean_list(keys: &Arc<[f32]>, values: &Arc<[[f32; 3]]>, out: Slot) -> Option<KeyedList> {
    let fits = if keys.is_empty() { values.is_empty() } else { values.len().is_multiple_of(keys.len()) };
    let is_clean = keys::usable(keys).1.is_none() && fits && (keys.is_empty() || !values.is_empty());
    let out = out.split().err().filter(|_| is_clean)? as u32;
    Some(KeyedList { keys: keys.clone(), values: values.clone(), out, cursor: 0, spare: [].into() })
}

/// The ways between an interpolator's rotations, once they are known.
pub(super) type KnownWays = Option<Arc<[rotation::Way]>>;

impl KernelKind {
    /// Whether a node's keys are such that its behaviour would have nothing to say about them.
    pub fn takes(self, key: &Value, values: &Value, out: FieldType) -> bool {
        let Value::MFFloat(keys) = key else { return false };
        let (small, wide) = (Slot::narrow(0), Slot::wide(0));
        match (self, values, out) {
            (Self::Scalar, Value::MFFloat(v), FieldType::SFFloat) => clean(keys, v, small).is_some(),
            (Self::Position, Value::MFVec3f(v), FieldType::SFVec3f) => clean(keys, v, small).is_some(),
            (Self::Position2D, Value::MFVec2f(v), FieldType::SFVec2f) => clean(keys, v, small).is_some(),
            (Self::Color, Value::MFColor(v), FieldType::SFColor) => clean(keys, v, small).is_some(),
            (Self::Orientation, Value::MFRotation(v), FieldType::SFRotation) => {
                clean(keys, v, small).is_some()
            }
            (Self::Coordinates | Self::Normals, Value::MFVec3f(v), FieldType::MFVec3f) => {
                clean_list(keys, v, wide).is_some()
            }
            _ => false,
        }
    }
}

impl Kernel {
    /// Adds an interpolator whose keys the kind [takes](KernelKind::takes); whether it does. What was found out about its
    /// rotations before is in `known`, and stays there.
    pub fn add(&mut self, key: &Value, values: &Value, out: Slot, known: &mut KnownWays) -> bool {
        let Value::MFFloat(keys) = key else { return false };
        match (self, values) {
            (Self::Scalar(all), Value::MFFloat(v)) => push(all, placed(keys, v, out)),
            (Self::Position(all), Value::MFVec3f(v)) => push(all, placed(keys, v, out)),
            (Self::Position2D(all), Value::MFVec2f(v)) => push(all, placed(keys, v, out)),
            (Self::Color(all), Value::MFColor(v)) => push(all, placed(keys, v, out)),
            (Self::Orientation(all), Value::MFRotation(v)) => {
                let find = || {
                    let ends = v.windows(2).map(|w| [w[0], w[1]].map(rotation::quaternion));
                    ends.map(|[a, b]| rotation::Way::shortest(&a, &b)).collect()
                };
                let ways = known.get_or_insert_with(find).clone();
                let keyed = placed(keys, v, out).map(|mut keyed| {
                    // Many joints have the same keys: their place among them is looked for once.
                    if let Some(last) = all.last().filter(|last| last.keyed.keys == keyed.keys) {
                        keyed.keys = last.keyed.keys.clone();
                    }
                    keyed
                });
                push(all, keyed.map(|keyed| KeyedRotation { ways, keyed }))
            }
            (Self::Coordinates(all) | Self::Normals(all), Value::MFVec3f(v)) => {
                push(all, clean_list(keys, v, out))
            }
            _ => false,
        }
    }

    /// Evaluates the interpolators `begin..end` at a fraction; whether any sent.
    #[inline]
    pub fn evaluate(
        &mut self,
        (begin, end): (u32, u32),
        fraction: f32,
        ports: &mut Ports,
        frame: u32,
    ) -> bool {
        let range = begin as usize..end as usize;
        match self {
            Self::Scalar(all) => small(
                &mut all[range],
                ports,
                frame,
                |k, c| linear::scalar(&k.keys, &k.values, fraction, c),
                |v| [v, 0.0, 0.0, 0.0],
            ),
            Self::Position(all) => small(
                &mut all[range],
                ports,
                frame,
                |k, c| linear::position(&k.keys, &k.values, fraction, c),
                |[x, y, z]| [x, y, z, 0.0],
            ),
            Self::Position2D(all) => small(
                &mut all[range],
                ports,
                frame,
                |k, c| linear::position(&k.keys, &k.values, fraction, c),
                |[x, y]| [x, y, 0.0, 0.0],
            ),
            Self::Color(all) => small(
                &mut all[range],
                ports,
                frame,
                |k, c| color::color(&k.keys, &k.values, fraction, c),
                |[x, y, z]| [x, y, z, 0.0],
            ),
            Self::Orientation(all) => {
                let mut any = false;
                let mut found: (*const [f32], Option<keys::Place>) = (&[], None);
                for KeyedRotation { keyed, ways } in &mut all[range] {
                    let same = std::ptr::eq(found.0, &*keyed.keys);
                    if !same {
                        let mut cursor = keyed.cursor as usize;
                        found = (&*keyed.keys, keys::find(&keyed.keys, fraction, &mut cursor));
                        keyed.cursor = cursor as u32;
                    }
                    let value = found.1.and_then(|keys::Place { index, weight }| {
                        if weight == 0.0 {
                            return keyed.values.get(index).copied();
                        }
                        ways.get(index).map(|way| rotation::axis_angle(way.at(weight)))
                    });
                    any |= send(ports, keyed.out, frame, value);
                }
                any
            }
            Self::Coordinates(all) => lists(&mut all[range], ports, frame, |k, c, out| {
                linear::coordinates(&k.keys, &k.values, fraction, c, out)
            }),
            Self::Normals(all) => lists(&mut all[range], ports, frame, |k, c, out| {
                normal::normals(&k.keys, &k.values, fraction, c, out)
            }),
        }
    }
}

fn push<T>(all: &mut Vec<T>, one: Option<T>) -> bool {
    let is_there = one.is_some();
    all.extend(one);
    is_there
}

/// A field sends once in a time stamp.
#[inline(always)]
fn send(ports: &mut Ports, out: u32, frame: u32, value: Option<[f32; 4]>) -> bool {
    let sent = &mut ports.narrow_sent[out as usize];
    match value {
        Some(value) if *sent != frame => {
            *sent = frame;
            ports.narrow[out as usize] = value.map(f32::to_bits);
            true
        }
        _ => false,
    }
}

#[inline(always)]
fn small<T, V>(
    all: &mut [Keyed<T>],
    ports: &mut Ports,
    frame: u32,
    at: impl Fn(&Keyed<T>, &mut usize) -> Option<V>,
    widen: impl Fn(V) -> [f32; 4],
) -> bool {
    let mut any = false;
    for keyed in all {
        let mut cursor = keyed.cursor as usize;
        let value = at(keyed, &mut cursor).map(&widen);
        keyed.cursor = cursor as u32;
        any |= send(ports, keyed.out, frame, value);
    }
    any
}

fn lists(
    all: &mut [KeyedList],
    ports: &mut Ports,
    frame: u32,
    at: impl Fn(&KeyedList, &mut usize, &mut [[f32; 3]]) -> bool,
) -> bool {
    let mut any = false;
    for list in all {
        let n = list.values.len().checked_div(list.keys.len()).unwrap_or(0);
        let mut spare = std::mem::replace(&mut list.spare, EMPTY.with(Arc::clone));
        let mut cursor = list.cursor as usize;
        let has_value = at(list, &mut cursor, renewed(&mut spare, n));
        list.cursor = cursor as u32;
        let out = list.out as usize;
        if has_value && ports.wide_sent[out] != frame {
            ports.wide_sent[out] = frame;
            let before = std::mem::replace(&mut ports.wide[out], Value::MFVec3f(spare));
            if let Value::MFVec3f(before) = before {
                list.spare = before;
            }
            any = true;
        } else {
            list.spare = spare;
        }
    }
    any
}

thread_local! {
    /// What stands for a list while it is away.
    static EMPTY: Arc<[[f32; 3]]> = [].into();
}

impl Batch {
    /// The run of interpolator `k`: runs stand in the order of their interpolators.
    fn run(&self, k: u32) -> Option<usize> {
        let at = self.runs.partition_point(|run| run.end <= k);
        self.runs.get(at).filter(|run| run.begin <= k).map(|_| at)
    }

    /// The fraction that came last to interpolator `k`.
    pub fn fraction(&self, k: u32) -> Option<f32> {
        self.runs[self.run(k)?].last
    }

    /// Evaluates one interpolator at a fraction; whether it sent.
    pub fn evaluate(&mut self, k: u32, fraction: f32, ports: &mut Ports, frame: u32) -> bool {
        if let Some(run) = self.run(k) {
            self.runs[run].last = Some(fraction);
        }
        self.kernel.evaluate((k, k + 1), fraction, ports, frame)
    }
}

/// The words of a value that another chunk keeps in a wide port, or a narrow one.
#[inline(always)]
pub(super) fn words_of(ports: &Ports, slot: Slot) -> Words {
    match slot.split() {
        Ok(k) => ports.narrow[k],
        Err(k) => pack(&ports.wide[k]).unwrap_or_default(),
    }
}
