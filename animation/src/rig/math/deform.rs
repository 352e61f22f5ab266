//! Deformers: what moves the points of a mesh.

use super::affine::{Affine, mul};

/// Which maps move a point, and by how much: so many per point, side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// How many maps move each point.
    pub per_point: usize,
    /// Numbers of the maps, so many for each point, point by point.
    pub joints: Vec<u32>,
    /// Their weights, so many for each point, point by point.
    pub weights: Vec<f64>,
}

/// What is wrong with weights, or with what they are of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Misfit {
    /// The attribute of a file: `joints`, `weights`, `per_point` or `bind`.
    pub attribute: &'static str,
    /// What is wrong.
    pub message: String,
}

impl Misfit {
    /// Of an attribute.
    pub fn new(attribute: &'static str, message: impl Into<String>) -> Self {
        Self { attribute, message: message.into() }
    }
}

impl Weights {
    /// What is wrong with it for so many points and maps, if anything.
    ///
    /// # Errors
    /// If shapes do not fit, a map is not there, or weights are negative, no numbers, or none at all.
    pub fn check(&self, points: usize, maps: usize) -> Result<(), Misfit> {
        if self.per_point == 0 && points > 0 {
            return Err(Misfit::new("per_point", "no joint moves a point"));
        }
        let n = points * self.per_point;
        for (attribute, found) in [("joints", self.joints.len()), ("weights", self.weights.len())] {
            if found != n {
                let of = self.per_point;
                let message = format!("{found} {attribute} for {points} points of {of} each, which is {n}");
                return Err(Misfit::new(attribute, message));
            }
        }
        if let Some(at) = self.joints.iter().position(|&j| j as usize >= maps) {
            let message =
                format!("point {} follows joint {} of {maps}", at / self.per_point, self.joints[at]);
            return Err(Misfit::new("joints", message));
        }
        if let Some(at) = self.weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            let message = format!("point {} has the weight {}", at / self.per_point, self.weights[at]);
            return Err(Misfit::new("weights", message));
        }
        let is_loose = |w: &[f64]| w.iter().sum::<f64>() <= 0.0;
        match self.weights.chunks(self.per_point.max(1)).position(is_loose) {
            Some(point) => Err(Misfit::new("weights", format!("point {point} has no weight"))),
            None => Ok(()),
        }
    }

    /// Makes the weights of each point sum to one.
    pub fn normalize(&mut self) {
        for weights in self.weights.chunks_mut(self.per_point.max(1)) {
            let sum: f64 = weights.iter().sum();
            if sum > 0.0 {
                weights.iter_mut().for_each(|w| *w /= sum);
            }
        }
    }
}

/// What a joint does to points of the rest shape: back from where the joint was, and forth to where it is.
pub fn skin_map(joint: &Affine, inverse_bind: &Affine) -> Affine {
    mul(joint, inverse_bind)
}

/// Linear blend skinning: each point moves by the weighted mean of its joints' maps.
///
/// `out` and `rest` are points from number `first` on; `map` gives a joint's map.
pub fn skin(out: &mut [f64], rest: &[f64], weights: &Weights, first: usize, map: impl Fn(usize) -> Affine) {
    let n = weights.per_point;
    for (point, (out, rest)) in (first..).zip(out.chunks_exact_mut(3).zip(rest.chunks_exact(3))) {
        let mut sum = [0.0; 12];
        let range = point * n..(point + 1) * n;
        for (&joint, &w) in weights.joints[range.clone()].iter().zip(&weights.weights[range]) {
            let map = map(joint as usize);
            for (sum, m) in sum.iter_mut().zip(&map) {
                *sum += w * m;
            }
        }
        out.copy_from_slice(&super::affine::point(&sum, [rest[0], rest[1], rest[2]]));
    }
}

/// Adds shapes to a rest shape: rest + sum of weight times delta. Shapes without weight cost nothing.
pub fn blend_shapes<'a>(out: &mut [f64], rest: &[f64], shapes: impl Iterator<Item = (&'a [f64], f64)>) {
    out.copy_from_slice(rest);
    for (delta, weight) in shapes {
        if weight != 0.0 {
            for (out, delta) in out.iter_mut().zip(delta) {
                *out += weight * delta;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::affine::{compose, inverse, point};
    use super::super::quaternion::from_euler;
    use super::*;

    #[test]
    fn a_point_of_one_joint_moves_with_it_and_one_of_two_lies_between() {
        let bind = compose([1.0, 0.0, 0.0], from_euler([0.0, 0.0, 0.5]), [1.0; 3]);
        let now = compose([1.0, 2.0, 0.0], from_euler([0.0, 1.0, 0.5]), [1.0; 3]);
        let maps = [skin_map(&now, &inverse(&bind).unwrap()), crate::rig::value::IDENTITY];
        let rest = [2.0, 1.0, 0.0, 2.0, 1.0, 0.0];
        let weights = Weights { per_point: 2, joints: vec![0, 1, 0, 1], weights: vec![1.0, 0.0, 0.5, 0.5] };
        weights.check(2, 2).unwrap();
        let mut out = [0.0; 6];
        skin(&mut out, &rest, &weights, 0, |k| maps[k]);
        let mut second = [0.0; 3];
        skin(&mut second, &rest[3..], &weights, 1, |k| maps[k]);
        assert_eq!(second, out[3..]);
        let alone = point(&maps[0], [2.0, 1.0, 0.0]);
        for k in 0..3 {
            assert!((out[k] - alone[k]).abs() < 1e-12);
            assert!((out[3 + k] - 0.5 * (alone[k] + rest[k])).abs() < 1e-12);
        }
    }

    #[test]
    fn bad_weights_are_named() {
        let of = |joints: Vec<u32>, weights: Vec<f64>| Weights { per_point: 2, joints, weights };
        let said = |w: Weights| w.check(1, 2).unwrap_err().to_string();
        assert!(said(of(vec![0, 5], vec![0.5, 0.5])).contains("joint 5 of 2"));
        assert!(said(of(vec![0, 1], vec![0.0, 0.0])).contains("no weight"));
        assert!(said(of(vec![0, 1], vec![f64::NAN, 0.5])).contains("NaN"));
        assert!(said(of(vec![0], vec![1.0])).contains("1 joints"));
        let mut weights = of(vec![0, 1], vec![3.0, 1.0]);
        weights.normalize();
        assert_eq!(weights.weights, [0.75, 0.25]);
    }

    #[test]
    fn shapes_are_added_by_weight() {
        let mut out = [0.0; 3];
        let shapes = [(&[1.0, 0.0, 0.0][..], 0.5), (&[f64::NAN; 3][..], 0.0)];
        blend_shapes(&mut out, &[1.0, 2.0, 3.0], shapes.into_iter());
        assert_eq!(out, [1.5, 2.0, 3.0]);
    }
}
