//! Points that are weighted sums of other points, or of the centres of frames.
//!
//! What differs between the components is which points carry one, with which weights.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::ends::pair;

/// The component that a mapping of weighted points belongs to.
pub trait WeightedMapping: Send + Sync + 'static {
    /// SOFA's class name.
    const NAME: &'static str;
}

/// That a point of the input carries a point of the output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The point of the output.
    pub point: u32,
    /// The point of the input.
    pub carrier: u32,
    /// How much it counts.
    pub weight: Real,
}

/// Weighted sums of points: x = sum of w c, v = sum of w v_c.
pub struct WeightedPoints<I, K>(PhantomData<(I, K)>);

impl<I: StateType, K: WeightedMapping> Mapping for WeightedPoints<I, K> {
    type Input = I;
    type Output = Vec3Type;
    type Constants = ();
    /// The shares, by points.
    type Element = Share;
    type Stored = ();
    const NAME: &'static str = K::NAME;

    fn apply(_: &(), Apply { elements, x_out, x_in, .. }: Apply<'_, Self>) {
        x_out.fill(Vec3::zeros());
        for e in elements {
            x_out[e.point as usize] += x_in[e.carrier as usize].center() * e.weight;
        }
    }

    fn apply_j(_: &(), ApplyJ { elements, v_out, v_in, .. }: ApplyJ<'_, Self>) {
        v_out.fill(Vec3::zeros());
        for e in elements {
            v_out[e.point as usize] += v_in[e.carrier as usize].linear() * e.weight;
        }
    }

    fn apply_jt(_: &(), ApplyJt { elements, f_in, f_out, .. }: ApplyJt<'_, Self>) {
        for e in elements {
            f_in[e.carrier as usize].add_linear(&(f_out[e.point as usize] * e.weight));
        }
    }

    fn add_jacobian(_: &(), AddJacobian { elements, matrix, .. }: AddJacobian<'_, Self>) {
        for e in elements {
            matrix.add_block(e.point, e.carrier * I::Deriv::BLOCKS as u32, &(Mat3::identity() * e.weight));
        }
    }

    fn carriers(elements: &[Share], _: usize, mut put: impl FnMut(u32, u32)) {
        elements.iter().for_each(|e| put(e.point, e.carrier));
    }
}

/// Puts the mapping of `n` points into the scene.
pub(super) fn add_shares<K: WeightedMapping>(
    b: &mut Builder<'_>,
    (input, output): (StateId, StateId),
    shares: Vec<Share>,
    n: usize,
) -> Result<(), BuildError> {
    let templates = pair(b, (input, output));
    match templates.as_str() {
        "Vec3,Vec3" => b.add_mapping(
            input,
            output,
            MappingParts::<WeightedPoints<Vec3Type, K>>::new((), shares, vec![], n),
        ),
        "Rigid3,Vec3" => b.add_mapping(
            input,
            output,
            MappingParts::<WeightedPoints<Rigid3Type, K>>::new((), shares, vec![], n),
        ),
        _ => Err(BuildError::new(format!("a {} of {templates} does not exist; use Vec3,Vec3", K::NAME))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::RigidCoord;
    use sim_core::testing::{Random, mapping};

    struct Anything;

    impl WeightedMapping for Anything {
        const NAME: &'static str = "shares";
    }

    #[test]
    fn conforms() {
        let mut random = Random::new(3);
        let shares: Vec<Share> =
            (0..7).map(|k| Share { point: k / 2, carrier: k * 5 % 3, weight: 0.2 * f64::from(k) }).collect();
        let parts = MappingParts::<WeightedPoints<Vec3Type, Anything>>::new((), shares.clone(), vec![], 4);
        mapping(&parts, &random.moved(&[Vec3::zeros(); 3], 1.0), 1);
        let parts = MappingParts::<WeightedPoints<Rigid3Type, Anything>>::new((), shares, vec![], 4);
        mapping(&parts, &random.moved(&[RigidCoord::default(); 3], 1.0), 2);
    }
}
