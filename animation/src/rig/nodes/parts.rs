//! Values of values: what is put together, taken apart, or mapped.

use crate::rig::math::affine::{Affine, compose, decompose, point};
use crate::rig::math::quaternion::normalized;
use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;
use crate::rig::value::PortType;

/// A map of a translation, a rotation and a scale. Inputs: `translate`, `rotation` (of any length; zero is none), `scale`. Outputs: `matrix`,
/// and the three as `transform`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compose;

impl NodeKind for Compose {
    fn kind(&self) -> &'static str {
        "compose"
    }
    fn ports(&self) -> PortList {
        PortList::new()
            .input("translate", PortType::Vec3)
            .input("rotation", PortType::Quaternion)
            .input_or("scale", PortType::Vec3, vec![1.0; 3])
            .output("matrix", PortType::Matrix)
            .output("transform", PortType::Transform)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let (t, q, s): ([f64; 3], _, [f64; 3]) = (p.array(0), normalized(p.array(1)), p.array(2));
        p.set(0, &compose(t, q, s));
        p.set(1, &[t[0], t[1], t[2], q[0], q[1], q[2], q[3], s[0], s[1], s[2]]);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
}

/// Three numbers as a vector. Inputs: `x`, `y`, `z`. Output: `value`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vector;

impl NodeKind for Vector {
    fn kind(&self) -> &'static str {
        "vector"
    }
    fn ports(&self) -> PortList {
        let of = PortType::Scalar;
        PortList::new().input("x", of).input("y", of).input("z", of).output("value", PortType::Vec3)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let value = [p.scalar(0), p.scalar(1), p.scalar(2)];
        p.set(0, &value);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        15.0
    }
}

/// Translation, rotation and scale of a map, as [`decompose`] finds them. Input: `matrix`. Outputs: `translate`, `rotation`, `scale`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decompose;

impl NodeKind for Decompose {
    fn kind(&self) -> &'static str {
        "decompose"
    }
    fn ports(&self) -> PortList {
        PortList::new()
            .required("matrix", PortType::Matrix)
            .output("translate", PortType::Vec3)
            .output("rotation", PortType::Quaternion)
            .output("scale", PortType::Vec3)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let (t, q, s) = decompose(&p.array(0));
        p.set(0, &t);
        p.set(1, &q);
        p.set(2, &s);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
}

/// Points moved by one map. Inputs: `points`, `matrix`. Output: `points`.
#[derive(Clone, Copy, Debug)]
pub struct MapPoints {
    /// Number of points.
    pub points: u32,
}

impl NodeKind for MapPoints {
    fn kind(&self) -> &'static str {
        "map-points"
    }
    fn ports(&self) -> PortList {
        let of = PortType::Points(self.points);
        PortList::new().required("points", of).input("matrix", PortType::Matrix).output("points", of)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let (points, map): (_, Affine) = (p.input(0), p.array(1));
        for (out, at) in p.output(0).chunks_exact_mut(3).zip(points.chunks_exact(3)) {
            out.copy_from_slice(&point(&map, [at[0], at[1], at[2]]));
        }
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        10.0 + 4.0 * f64::from(self.points)
    }
}

/// Points of several meshes as those of one, in order. Inputs: `part0`, `part1` and so on. Output: `points`.
#[derive(Clone, Debug)]
pub struct Merge {
    /// Numbers of points.
    pub parts: Vec<u32>,
}

impl NodeKind for Merge {
    fn kind(&self) -> &'static str {
        "merge"
    }
    fn ports(&self) -> PortList {
        let mut list = PortList::new();
        for (k, n) in self.parts.iter().enumerate() {
            list = list.required(format!("part{k}"), PortType::Points(*n));
        }
        list.output("points", PortType::Points(self.parts.iter().sum()))
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let mut begin = 0;
        for k in 0..self.parts.len() {
            let part = p.input(k);
            p.output(0)[begin..begin + part.len()].copy_from_slice(part);
            begin += part.len();
        }
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        10.0 + self.parts.iter().map(|n| f64::from(*n)).sum::<f64>()
    }
}
