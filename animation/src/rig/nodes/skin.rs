//! Linear blend skinning.

use std::ops::Range;
use std::sync::Arc;

use crate::rig::math::affine::{Affine, inverse};
use crate::rig::math::deform::{Misfit, Weights, skin, skin_map};
use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;
use crate::rig::value::{IDENTITY, PortType};

/// Points that follow joints by weights.
///
/// Inputs: `rest` (points), and `joint0`, `joint1` and so on (maps). Outputs: `points`, and `maps`, what each joint does to points
/// of the rest shape, which does not depend on the points.
#[derive(Clone, Debug)]
pub struct Skin {
    shape: Arc<Shape>,
    /// The points that it moves.
    range: Range<u32>,
}

#[derive(Debug)]
struct Shape {
    inverse_bind: Vec<Affine>,
    weights: Weights,
    points: u32,
}

impl Skin {
    /// A skin of so many points, on joints that stand at `bind` in the rest shape. Weights need not sum to one.
    ///
    /// # Errors
    /// If a bind map is flat, or the weights do not fit: see [`Weights::check`].
    pub fn new(points: u32, bind: &[Affine], mut weights: Weights) -> Result<Self, Misfit> {
        weights.check(points as usize, bind.len())?;
        weights.normalize();
        let back = |(k, map): (usize, &Affine)| {
            inverse(map).ok_or_else(|| Misfit::new("bind", format!("joint {k} is flat")))
        };
        let inverse_bind = bind.iter().enumerate().map(back).collect::<Result<_, _>>()?;
        Ok(Self { shape: Arc::new(Shape { inverse_bind, weights, points }), range: 0..points })
    }

    /// The input of a joint.
    pub fn joint(k: usize) -> usize {
        1 + k
    }

    /// The weights.
    pub fn weights(&self) -> &Weights {
        &self.shape.weights
    }
}

impl NodeKind for Skin {
    fn kind(&self) -> &'static str {
        "skin"
    }
    fn ports(&self) -> PortList {
        let n = self.shape.inverse_bind.len();
        let mut list = PortList::new().required("rest", PortType::Points(self.shape.points));
        for k in 0..n {
            list = list.required(format!("joint{k}"), PortType::Matrix);
        }
        let list = list.output("points", PortType::Points(self.range.len() as u32));
        list.output("maps", PortType::Matrices(n as u32)).independent(1, 0)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        for (k, back) in self.shape.inverse_bind.iter().enumerate() {
            let map = skin_map(&p.array(1 + k), back);
            p.output(1)[12 * k..12 * k + 12].copy_from_slice(&map);
        }
        if !p.wants(0) {
            return;
        }
        let range = 3 * self.range.start as usize..3 * self.range.end as usize;
        let rest = &p.input(0)[range];
        let [points, maps] = p.two_outputs(0, 1);
        skin(points, rest, &self.shape.weights, self.range.start as usize, |k| {
            maps[12 * k..12 * k + 12].try_into().unwrap_or(IDENTITY)
        });
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        let of_point = 6.0 * self.shape.weights.per_point as f64;
        self.shape.inverse_bind.len() as f64 * 15.0 + self.range.len() as f64 * of_point
    }
    fn part(&self, points: Range<u32>) -> Option<Arc<dyn NodeKind>> {
        Some(Arc::new(Self { shape: self.shape.clone(), range: points }))
    }
}
