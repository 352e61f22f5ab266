//! Points that several rigid frames carry together, each with a weight.
//!
//! What differs between the components is which frames carry a point, with which weights: those near it, the two ends of a beam,
//! or a frame on the axis of a tube.

use std::marker::PhantomData;

use sim_core::math::RigidDeriv;
use sim_core::prelude::*;

use super::ends::pair;
use super::frame::Axes;

/// The component that a mapping of influences belongs to.
pub trait InfluenceMapping: Send + Sync + 'static {
    /// SOFA's class name.
    const NAME: &'static str;
    /// Whether, in forces and products, a frame also feels what the frames before it feel; influences are by frames then.
    const GATHERS: bool = false;
}

/// That a frame carries a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// The point of the output.
    pub point: u32,
    /// The frame.
    pub frame: u32,
    /// How much the frame's centre counts.
    pub weight: Real,
    /// From the centre to the point in the frame's axes, times the weight.
    pub arm: Vec3,
}

/// Points that frames carry together: x = sum of w c + R p, v = sum of w v_c + w x R p.
///
/// The geometric stiffness is not in the tangent, as in SOFA.
pub struct WeightedFrames<K>(PhantomData<K>);

impl<K: InfluenceMapping> Mapping for WeightedFrames<K> {
    type Input = Rigid3Type;
    type Output = Vec3Type;
    type Constants = ();
    /// The influences, by points.
    type Element = Influence;
    /// R p of the last `apply`.
    type Stored = Vec3;
    const NAME: &'static str = K::NAME;

    fn apply(_: &(), Apply { elements, stored, x_out, x_in }: Apply<'_, Self>) {
        x_out.fill(Vec3::zeros());
        for (e, arm) in elements.iter().zip(stored) {
            let frame = &x_in[e.frame as usize];
            *arm = Axes::of(&frame.orientation).turned(&e.arm);
            x_out[e.point as usize] += frame.center * e.weight + *arm;
        }
    }

    fn apply_j(_: &(), ApplyJ { elements, stored, v_out, v_in }: ApplyJ<'_, Self>) {
        v_out.fill(Vec3::zeros());
        for (e, arm) in elements.iter().zip(stored) {
            let frame = &v_in[e.frame as usize];
            v_out[e.point as usize] += frame.linear * e.weight + frame.angular.cross(arm);
        }
    }

    fn apply_jt(_: &(), ApplyJt { elements, stored, f_in, f_out }: ApplyJt<'_, Self>) {
        if K::GATHERS {
            return gather(elements, stored, f_in, f_out);
        }
        for (e, arm) in elements.iter().zip(stored) {
            let (frame, f) = (&mut f_in[e.frame as usize], &f_out[e.point as usize]);
            frame.linear += f * e.weight;
            frame.angular += arm.cross(f);
        }
    }

    fn add_jacobian(_: &(), AddJacobian { elements, stored, matrix, .. }: AddJacobian<'_, Self>) {
        for (e, arm) in elements.iter().zip(stored) {
            matrix.add_block(e.point, 2 * e.frame, &(Mat3::identity() * e.weight));
            matrix.add_block(e.point, 2 * e.frame + 1, &-arm.cross_matrix());
        }
    }

    fn add_geometric_stiffness(_: &(), at: AddGeometricStiffness<'_, Self>) {
        let AddGeometricStiffness { k_factor, elements, stored, f_out, matrix } = at;
        for (e, arm) in elements.iter().zip(stored) {
            let f = &f_out[e.point as usize];
            let block = arm * f.transpose() - Mat3::identity() * arm.dot(f);
            matrix.add_block(2 * e.frame + 1, 2 * e.frame + 1, &(block * k_factor));
        }
    }

    fn carriers(elements: &[Influence], _: usize, mut put: impl FnMut(u32, u32)) {
        elements.iter().for_each(|e| put(e.point, e.frame));
    }
}

/// Adds to each frame what acts on its points and on those of all frames before it.
fn gather(elements: &[Influence], arms: &[Vec3], f_in: &mut [RigidDeriv], f_out: &[Vec3]) {
    let mut sum = RigidDeriv::default();
    let mut all = elements.iter().zip(arms).peekable();
    while let Some((e, arm)) = all.next() {
        let f = &f_out[e.point as usize];
        sum.linear += f * e.weight;
        sum.angular += arm.cross(f);
        if all.peek().is_none_or(|(next, _)| next.frame != e.frame) {
            f_in[e.frame as usize] += sum;
        }
    }
}

/// An error unless the states are frames and points.
pub(super) fn check_templates<K: InfluenceMapping>(
    b: &Builder<'_>,
    ends: (StateId, StateId),
) -> Result<(), BuildError> {
    let templates = pair(b, ends);
    if templates == "Rigid3,Vec3" {
        return Ok(());
    }
    Err(BuildError::new(format!("a {} of {templates} does not exist; use Rigid3,Vec3", K::NAME)))
}

/// Puts the mapping of `n` points into the scene.
pub(super) fn add_influences<K: InfluenceMapping>(
    b: &mut Builder<'_>,
    (input, output): (StateId, StateId),
    influences: Vec<Influence>,
    n: usize,
) -> Result<(), BuildError> {
    let arms = vec![Vec3::zeros(); influences.len()];
    b.add_mapping(input, output, MappingParts::<WeightedFrames<K>>::new((), influences, arms, n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::RigidCoord;
    use sim_core::testing::{Random, mapping};

    struct Anything;

    impl InfluenceMapping for Anything {
        const NAME: &'static str = "influences";
    }

    #[test]
    fn conforms() {
        let mut random = Random::new(3);
        let influences: Vec<Influence> = (0..7)
            .map(|k| Influence {
                point: k / 2,
                frame: k * 5 % 3,
                weight: 0.2 * f64::from(k),
                arm: random.vec3(),
            })
            .collect();
        let parts = MappingParts::<WeightedFrames<Anything>>::new((), influences, vec![Vec3::zeros(); 7], 4);
        mapping(&parts, &random.moved(&[RigidCoord::default(); 3], 1.0), 1);
    }

    /// The skin of a character sums the matrices of its joints first and moves each vertex then, in single precision.
    #[test]
    fn points_are_where_the_skin_of_a_character_has_them() {
        use animation::skeleton::{Influences, Matrix, Skin, Transform, Vertex, inverse, skin};

        let single = |v: &Vec3| [v.x as f32, v.y as f32, v.z as f32];
        let matrix = |frame: &RigidCoord| -> Matrix {
            let q = &frame.orientation;
            let rotation = [q.i as f32, q.j as f32, q.k as f32, q.w as f32];
            Transform { translation: single(&frame.center), rotation, ..Transform::default() }.matrix()
        };
        let mut random = Random::new(5);
        let rest = random.moved(&[RigidCoord::default(); 6], 1.0);
        let now = random.moved(&rest, 1.0);
        let points: Vec<Vec3> = (0..21).map(|_| random.vec3()).collect();
        let (mut influences, mut joints, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (point, p) in (0_u32..).zip(&points) {
            let frames = [0, 1, 2, 3].map(|k| (point + k * k) % 6);
            let some = frames.map(|_| random.real().abs() + 0.1);
            let of_sum = some.map(|w| w / some.iter().sum::<Real>());
            for (frame, weight) in frames.into_iter().zip(of_sum) {
                let at = &rest[frame as usize];
                let local = sim_core::math::quat_to_matrix(&at.orientation).tr_mul(&(p - at.center));
                influences.push(Influence { point, frame, weight, arm: local * weight });
            }
            joints.push(frames.map(|f| f as u16));
            weights.push(of_sum.map(|w| w as f32));
        }
        let (mut arms, mut moved) = (vec![Vec3::zeros(); influences.len()], vec![Vec3::zeros(); 21]);
        let at = Apply { elements: &influences, stored: &mut arms, x_out: &mut moved, x_in: &now };
        WeightedFrames::<Anything>::apply(&(), at);

        let binds = rest.iter().map(|frame| inverse(&matrix(frame)).expect("rigid")).collect();
        let bones = Skin::new((0..6).collect(), binds, 6).expect("a skin");
        let mut matrices = vec![Matrix::default(); 6];
        bones.matrices(&now.iter().map(matrix).collect::<Vec<_>>(), &mut matrices);
        let by = Influences::new(21, 6, &[(joints, weights)]).expect("influences");
        let positions: Vec<[f32; 3]> = points.iter().map(single).collect();
        let mut vertices = vec![Vertex::default(); 21];
        skin(&matrices, (&by, 0), (&positions, &[]), &mut vertices);
        for (vertex, point) in vertices.iter().zip(&moved) {
            let there = Vec3::from(vertex.position.map(Real::from));
            assert!((there - point).norm() < 2e-6 * (1.0 + point.norm()), "{there:?} {point:?}");
        }
    }
}
