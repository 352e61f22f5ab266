//! The interpolators' mathematics, joined with their nodes' fields.

use std::sync::Arc;

use super::super::port::{
    Kind, MFColor, MFFloat, MFRotation, MFVec2f, MFVec3f, Port, SFColor, SFFloat, SFRotation, SFVec2f,
    SFVec3f,
};
use super::{Curve, Switches, color, ease, linear, normal, rotation, spline};
use crate::event::FieldId;
use crate::event::behaviour::Turn;
use crate::event::scene::NodeType;

/// One value for each key.
fn one_each(keys: &[f32], values: usize) -> (usize, bool) {
    (keys.len().min(values), values > keys.len())
}

/// As many values for each key as there are.
fn several_each(keys: &[f32], values: usize) -> (usize, bool) {
    let n = if values >= keys.len() { keys.len() } else { 0 };
    (n, n > 0 && !values.is_multiple_of(n))
}

/// Curves that need nothing but keys and values.
macro_rules! plain {
    ($( $Name:ident($values:ident, $out:ident) $counts:path, $at:expr; )*) => {
        $(
            #[derive(Clone)]
            pub(super) struct $Name;
            impl Curve for $Name {
                type Values = $values;
                type Out = $out;
                fn of(_: &NodeType) -> Option<Self> {
                    Some(Self)
                }
                fn prepare(&mut self, keys: &[f32], turn: &dyn Turn, values: Port<$values>) -> (usize, bool) {
                    $counts(keys, values.get(turn).len())
                }
                fn at(
                    &self,
                    keys: &[f32],
                    values: <$values as Kind>::Get<'_>,
                    fraction: f32,
                    cursor: &mut usize,
                ) -> Option<<$out as Kind>::Set> {
                    $at(keys, values, fraction, cursor)
                }
            }
        )*
    };
}

plain! {
    Scalar(MFFloat, SFFloat) one_each, linear::scalar;
    Position(MFVec3f, SFVec3f) one_each, linear::position;
    Position2D(MFVec2f, SFVec2f) one_each, linear::position;
    Color(MFColor, SFColor) one_each, color::color;
    Coordinates(MFVec3f, MFVec3f) several_each, |k, v, f, c| filled(linear::coordinates, (k, v), f, c);
    Coordinates2D(MFVec2f, MFVec2f) several_each, |k, v, f, c| filled(linear::coordinates, (k, v), f, c);
    Normals(MFVec3f, MFVec3f) several_each, |k, v, f, c| filled(normal::normals, (k, v), f, c);
}

type Fill<const N: usize> = fn(&[f32], &[[f32; N]], f32, &mut usize, &mut [[f32; N]]) -> bool;

/// A list as long as each key's.
fn filled<const N: usize>(
    fill: Fill<N>,
    (keys, values): (&[f32], &[[f32; N]]),
    fraction: f32,
    cursor: &mut usize,
) -> Option<Arc<[[f32; N]]>> {
    let n = values.len().checked_div(keys.len())?;
    let mut out: Arc<[[f32; N]]> = std::iter::repeat_n([0.0; N], n).collect();
    // Nobody else has seen it yet.
    let room = Arc::get_mut(&mut out)?;
    fill(keys, values, fraction, cursor, room).then_some(out)
}

#[derive(Clone)]
pub(super) struct Orientation {
    quaternions: Vec<[f32; 4]>,
}

impl Curve for Orientation {
    type Values = MFRotation;
    type Out = SFRotation;
    fn of(_: &NodeType) -> Option<Self> {
        Some(Self { quaternions: Vec::new() })
    }
    fn prepare(&mut self, keys: &[f32], turn: &dyn Turn, values: Port<MFRotation>) -> (usize, bool) {
        let values = values.get(turn);
        self.quaternions = values.iter().map(|v| rotation::quaternion(*v)).collect();
        one_each(keys, values.len())
    }
    fn at(&self, keys: &[f32], values: &[[f32; 4]], fraction: f32, cursor: &mut usize) -> Option<[f32; 4]> {
        rotation::orientation(keys, values, &self.quaternions, fraction, cursor)
    }
}

#[derive(Clone)]
pub(super) struct Squad {
    quaternions: Vec<[f32; 4]>,
    points: Vec<[f32; 4]>,
}

impl Curve for Squad {
    type Values = MFRotation;
    type Out = SFRotation;
    fn of(_: &NodeType) -> Option<Self> {
        Some(Self { quaternions: Vec::new(), points: Vec::new() })
    }
    fn prepare(&mut self, keys: &[f32], turn: &dyn Turn, values: Port<MFRotation>) -> (usize, bool) {
        let values = values.get(turn);
        let counts = one_each(keys, values.len());
        (self.quaternions, self.points) = rotation::squad_points(&values[..counts.0]);
        counts
    }
    fn at(&self, keys: &[f32], values: &[[f32; 4]], fraction: f32, cursor: &mut usize) -> Option<[f32; 4]> {
        rotation::squad(keys, values, (&self.quaternions, &self.points), fraction, cursor)
    }
}

#[derive(Clone)]
pub(super) struct Ease;

impl Curve for Ease {
    type Values = MFVec2f;
    type Out = SFFloat;
    const VALUES: &str = "easeInEaseOut";
    const OUT: &str = "modifiedFraction_changed";
    fn of(_: &NodeType) -> Option<Self> {
        Some(Self)
    }
    fn prepare(&mut self, keys: &[f32], turn: &dyn Turn, values: Port<MFVec2f>) -> (usize, bool) {
        one_each(keys, values.get(turn).len())
    }
    fn at(&self, keys: &[f32], values: &[[f32; 2]], fraction: f32, cursor: &mut usize) -> Option<f32> {
        ease::ease_in_ease_out(keys, values, fraction, cursor)
    }
}

/// Smooth curves: velocities as another list of values.
macro_rules! splines {
    ($( $Name:ident($values:ident, $out:ident, $n:literal) $wide:expr, $narrow:expr; )*) => {
        $(
            #[derive(Clone)]
            pub(super) struct $Name {
                velocities: Port<$values>,
                switches: Switches,
                tangents: spline::Tangents<$n>,
            }
            impl Curve for $Name {
                type Values = $values;
                type Out = $out;
                fn of(node_type: &NodeType) -> Option<Self> {
                    Some(Self {
                        velocities: Port::of(node_type, "keyVelocity")?,
                        switches: Switches {
                            closed: Port::of(node_type, "closed")?,
                            normalized: Port::of(node_type, "normalizeVelocity")?,
                        },
                        tangents: spline::Tangents::default(),
                    })
                }
                fn depends_on(&self, field: FieldId) -> bool {
                    self.velocities.is(field)
                        || self.switches.closed.is(field)
                        || self.switches.normalized.is(field)
                }
                fn prepare(&mut self, keys: &[f32], turn: &dyn Turn, values: Port<$values>) -> (usize, bool) {
                    let counts = one_each(keys, values.get(turn).len());
                    let switches = (self.switches.closed.get(turn), self.switches.normalized.get(turn));
                    let (values, given) = ($wide(values.get(turn)), $wide(self.velocities.get(turn)));
                    self.tangents = spline::tangents(&keys[..counts.0], &values, &given, switches);
                    counts
                }
                fn at(
                    &self,
                    keys: &[f32],
                    values: <$values as Kind>::Get<'_>,
                    fraction: f32,
                    cursor: &mut usize,
                ) -> Option<<$out as Kind>::Set> {
                    spline::spline(keys, &$wide(values), &self.tangents, fraction, cursor).map($narrow)
                }
            }
        )*
    };
}

fn columns(values: &[f32]) -> &[[f32; 1]] {
    values.as_chunks().0
}

splines! {
    SplineScalar(MFFloat, SFFloat, 1) columns, |[v]| v;
    SplinePosition(MFVec3f, SFVec3f, 3) std::convert::identity, std::convert::identity;
    SplinePosition2D(MFVec2f, SFVec2f, 2) std::convert::identity, std::convert::identity;
}
