//! Shapes that are added to a rest shape.

use std::ops::Range;
use std::sync::Arc;

use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;
use crate::rig::value::PortType;

/// A face, say: the rest shape, and each shape's difference from it by a weight.
///
/// Inputs: `rest` (points), `weight0`, `weight1` and so on. Output: `points`.
#[derive(Clone, Debug)]
pub struct BlendShape {
    points: u32,
    deltas: Arc<Vec<Vec<f64>>>,
    /// The points that it moves.
    range: Range<u32>,
}

impl BlendShape {
    /// The differences of shapes of so many points.
    ///
    /// # Errors
    /// If a shape has another number of points.
    pub fn new(points: u32, deltas: Vec<Vec<f64>>) -> Result<Self, String> {
        let n = 3 * points as usize;
        match deltas.iter().position(|d| d.len() != n) {
            Some(k) => Err(format!("shape {k} has {} numbers, {points} points have {n}", deltas[k].len())),
            None => Ok(Self { points, deltas: Arc::new(deltas), range: 0..points }),
        }
    }
}

impl NodeKind for BlendShape {
    fn kind(&self) -> &'static str {
        "blend-shape"
    }
    fn ports(&self) -> PortList {
        let mut list = PortList::new().required("rest", PortType::Points(self.points));
        for k in 0..self.deltas.len() {
            list = list.input(format!("weight{k}"), PortType::Scalar);
        }
        list.output("points", PortType::Points(self.range.len() as u32))
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let range = 3 * self.range.start as usize..3 * self.range.end as usize;
        let rest = p.input(0);
        p.output(0).copy_from_slice(&rest[range.clone()]);
        for (k, delta) in self.deltas.iter().enumerate() {
            let weight = p.scalar(1 + k);
            add_shape(p.output(0), &delta[range.clone()], weight);
        }
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        self.range.len() as f64 * (2.0 + 1.5 * self.deltas.len() as f64)
    }
    fn part(&self, points: Range<u32>) -> Option<Arc<dyn NodeKind>> {
        Some(Arc::new(Self { range: points, ..self.clone() }))
    }
}

/// One more shape, by the sum that [`crate::rig::math::deform::blend_shapes`] makes of all at once.
fn add_shape(out: &mut [f64], delta: &[f64], weight: f64) {
    if weight != 0.0 {
        out.iter_mut().zip(delta).for_each(|(out, delta)| *out += weight * delta);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::math::deform::blend_shapes;

    #[test]
    fn shape_by_shape_is_all_at_once() {
        let rest = [1.0, 2.0, 3.0];
        let shapes = [([0.1, 0.2, 0.3], 0.7), ([-1.0, 0.0, 5.0], 0.0), ([0.3, 0.3, 0.3], -0.2)];
        let (mut one, mut all) = (rest, [0.0; 3]);
        shapes.iter().for_each(|(delta, w)| add_shape(&mut one, delta, *w));
        blend_shapes(&mut all, &rest, shapes.iter().map(|(delta, w)| (&delta[..], *w)));
        assert_eq!(one, all);
        assert!(BlendShape::new(2, vec![vec![0.0; 6], vec![0.0; 3]]).unwrap_err().contains("shape 1"));
    }
}
