//! What can be followed.

use std::sync::Arc;

use super::super::interpolation::linear::mix_all;
use super::super::interpolation::rotation::{axis_angle, quaternion, slerp};
use super::super::port::{Kind, MFVec2f, MFVec3f, Port, SFColor, SFFloat, SFRotation, SFVec2f, SFVec3f};
use crate::event::behaviour::Turn;

/// A type of values that can be followed.
pub(super) trait Followed: 'static {
    /// The fields' type.
    type Kind: Kind;
    /// A value between frames.
    type State: Clone + Send + 'static;
    /// The value of a field.
    fn read(port: Port<Self::Kind>, turn: &dyn Turn) -> Self::State;
    /// The value for a field.
    fn written(state: &Self::State) -> <Self::Kind as Kind>::Set;
    /// The value between two.
    fn mix(a: &Self::State, b: &Self::State, t: f32) -> Self::State;
    /// How far two are apart.
    fn distance(a: &Self::State, b: &Self::State) -> f32;
    /// A value that fits the size of another; lists of points may come and go.
    fn fit(state: Self::State, _like: &Self::State) -> Self::State {
        state
    }
    /// `value` moved by the part `t` of the way from one destination to the next.
    fn step(value: &Self::State, from: &Self::State, to: &Self::State, t: f32) -> Self::State;
}

fn far<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
}
fn moved<const N: usize>(v: &[f32; N], from: &[f32; N], to: &[f32; N], t: f32) -> [f32; N] {
    std::array::from_fn(|k| v[k] + (to[k] - from[k]) * t)
}

macro_rules! vectors {
    ($($Name:ident($kind:ident, $n:literal) $read:expr, $written:expr;)*) => {
        $(
            pub(super) struct $Name;
            impl Followed for $Name {
                type Kind = $kind;
                type State = [f32; $n];
                fn read(port: Port<$kind>, turn: &dyn Turn) -> [f32; $n] {
                    $read(port.get(turn))
                }
                fn written(state: &[f32; $n]) -> <$kind as Kind>::Set {
                    $written(*state)
                }
                fn mix(a: &[f32; $n], b: &[f32; $n], t: f32) -> [f32; $n] {
                    mix_all(a, b, t)
                }
                fn distance(a: &[f32; $n], b: &[f32; $n]) -> f32 {
                    far(a, b)
                }
                fn step(value: &[f32; $n], from: &[f32; $n], to: &[f32; $n], t: f32) -> [f32; $n] {
                    moved(value, from, to, t)
                }
            }
        )*
    };
}

vectors! {
    Numbers(SFFloat, 1) |v| [v], |[v]: [f32; 1]| v;
    Plane(SFVec2f, 2) std::convert::identity, std::convert::identity;
    Space(SFVec3f, 3) std::convert::identity, std::convert::identity;
    Colors(SFColor, 3) std::convert::identity, |c: [f32; 3]| c.map(|v| v.clamp(0.0, 1.0));
}

/// Lists: a list of another length is followed from its own values.
macro_rules! lists {
    ($($Name:ident($kind:ident, $n:literal);)*) => {
        $(
            pub(super) struct $Name;
            impl Followed for $Name {
                type Kind = $kind;
                type State = Arc<[[f32; $n]]>;
                fn read(port: Port<$kind>, turn: &dyn Turn) -> Self::State {
                    port.get(turn).into()
                }
                fn written(state: &Self::State) -> Self::State {
                    state.clone()
                }
                fn mix(a: &Self::State, b: &Self::State, t: f32) -> Self::State {
                    a.iter().zip(b.iter()).map(|(a, b)| mix_all(a, b, t)).collect()
                }
                fn distance(a: &Self::State, b: &Self::State) -> f32 {
                    if a.len() != b.len() {
                        return f32::INFINITY;
                    }
                    a.iter().zip(b.iter()).map(|(a, b)| far(a, b)).fold(0.0, f32::max)
                }
                fn fit(state: Self::State, like: &Self::State) -> Self::State {
                    if state.len() == like.len() { state } else { like.clone() }
                }
                fn step(value: &Self::State, from: &Self::State, to: &Self::State, t: f32) -> Self::State {
                    let ends = from.iter().zip(to.iter());
                    value.iter().zip(ends).map(|(v, (from, to))| moved(v, from, to, t)).collect()
                }
            }
        )*
    };
}

lists! {
    Points(MFVec3f, 3);
    TexCoords(MFVec2f, 2);
}

/// Rotations; the state is a unit quaternion.
pub(super) struct Rotations;

impl Followed for Rotations {
    type Kind = SFRotation;
    type State = [f32; 4];
    fn read(port: Port<SFRotation>, turn: &dyn Turn) -> [f32; 4] {
        quaternion(port.get(turn))
    }
    fn written(state: &[f32; 4]) -> [f32; 4] {
        axis_angle(*state)
    }
    fn mix(a: &[f32; 4], b: &[f32; 4], t: f32) -> [f32; 4] {
        slerp(a, b, t)
    }
    fn distance(a: &[f32; 4], b: &[f32; 4]) -> f32 {
        // Both signs are the same rotation.
        2.0 * far(a, b).min(far(a, &b.map(|v| -v)))
    }
    fn step(value: &[f32; 4], from: &[f32; 4], to: &[f32; 4], t: f32) -> [f32; 4] {
        use super::super::interpolation::rotation::{inverse, multiply};
        let whole = multiply(value, &multiply(&inverse(from), to));
        slerp(value, &whole, t)
    }
}
