//! Frames in tetrahedra: the mapping that `BarycentricMapping` is where its output has orientations.

use sim_core::math::{RigidCoord, quat_to_matrix};
use sim_core::prelude::*;
use sim_core::topology::Topology;

use crate::force_field::fem::frame::polar_rotation;

/// A frame in a tetrahedron.
#[derive(Clone, Copy, Debug)]
pub struct FrameInTetrahedron {
    nodes: [u32; 4],
    weights: [Real; 4],
    /// Its axes in the edges from the first node, each of unit length there.
    axes: Mat3,
}

/// Frames whose centers are means of the nodes of a tetrahedron, and which turn with its edges.
///
/// **Source:** as SOFA's. Each frame lies in the tetrahedron that its center is in, or else in that whose center is nearest. Its
/// orientation is the polar factor of its axes, as the edges carry them. The angular velocity is Σ x × v over the four nodes, with x from
/// the origin of the world: SOFA's, which is not the derivative of the orientation, and depends on where the body is. Torques go the
/// same way back, so that power is conserved between the two.
pub struct FramesInTetrahedra;

impl FramesInTetrahedra {
    /// The frames in the tetrahedra of a topology whose points are at `x`; none where there is no tetrahedron with a volume.
    fn place(t: &Topology, x: &[Vec3], frames: &[RigidCoord]) -> Option<Vec<FrameInTetrahedron>> {
        let bases = t.tetrahedra.iter().map(|nodes| {
            let p = nodes.map(|n| x[n as usize]);
            let edges = Mat3::from_columns(&[p[1] - p[0], p[2] - p[0], p[3] - p[0]]);
            (edges.try_inverse(), p[0], p.iter().sum::<Vec3>() * 0.25)
        });
        let bases: Vec<_> = bases.collect();
        let of = |frame: &RigidCoord| {
            let mut best: Option<(Real, usize, Vec3, Mat3)> = None;
            for (k, (inverse, origin, center)) in bases.iter().enumerate() {
                let Some(inverse) = inverse else { continue };
                let v = inverse * (frame.center - origin);
                let outside = (-v.x).max(-v.y).max((-v.z).max(v.x + v.y + v.z - 1.0));
                let score = if outside > 0.0 { (frame.center - center).norm_squared() } else { outside };
                if best.as_ref().is_none_or(|(least, ..)| score < *least) {
                    best = Some((score, k, v, *inverse));
                }
            }
            let (_, k, v, inverse) = best?;
            let mut axes = inverse * quat_to_matrix(&frame.orientation);
            for mut axis in axes.column_iter_mut() {
                axis.normalize_mut();
            }
            Some(FrameInTetrahedron {
                nodes: t.tetrahedra[k],
                weights: [1.0 - v.x - v.y - v.z, v.x, v.y, v.z],
                axes,
            })
        };
        frames.iter().map(of).collect()
    }
}

impl Mapping for FramesInTetrahedra {
    type Input = Vec3Type;
    type Output = Rigid3Type;
    type Constants = ();
    /// One for each frame.
    type Element = FrameInTetrahedron;
    /// Where the nodes of a frame's tetrahedron are [m].
    type Stored = [Vec3; 4];
    const NAME: &'static str = "BarycentricMapping";

    fn apply(_: &(), Apply { elements, stored, x_out, x_in }: Apply<'_, Self>) {
        for ((out, stored), e) in x_out.iter_mut().zip(stored).zip(elements) {
            let p = e.nodes.map(|n| x_in[n as usize]);
            *stored = p;
            out.center = p.iter().zip(e.weights).map(|(p, w)| p * w).sum();
            let edges = Mat3::from_columns(&[p[1] - p[0], p[2] - p[0], p[3] - p[0]]);
            out.orientation = orientation(&polar_rotation(&(edges * e.axes)));
        }
    }

    fn apply_j(_: &(), ApplyJ { elements, stored, v_out, v_in }: ApplyJ<'_, Self>) {
        for ((out, x), e) in v_out.iter_mut().zip(stored).zip(elements) {
            let v = e.nodes.map(|n| v_in[n as usize]);
            out.linear = v.iter().zip(e.weights).map(|(v, w)| v * w).sum();
            out.angular = x.iter().zip(&v).map(|(x, v)| x.cross(v)).sum();
        }
    }

    fn apply_jt(_: &(), ApplyJt { elements, stored, f_in, f_out }: ApplyJt<'_, Self>) {
        for ((f, x), e) in f_out.iter().zip(stored).zip(elements) {
            for ((n, w), x) in e.nodes.iter().zip(e.weights).zip(x) {
                f_in[*n as usize] += f.linear * w - x.cross(&f.angular);
            }
        }
    }

    fn add_jacobian(_: &(), AddJacobian { elements, stored, matrix, .. }: AddJacobian<'_, Self>) {
        for ((i, e), x) in (0..).zip(elements).zip(stored) {
            for ((n, w), x) in e.nodes.iter().zip(e.weights).zip(x) {
                matrix.add_block(2 * i, *n, &(Mat3::identity() * w));
                matrix.add_block(2 * i + 1, *n, &x.cross_matrix());
            }
        }
    }

    fn carriers(frames: &[FrameInTetrahedron], _: usize, mut put: impl FnMut(u32, u32)) {
        for (i, e) in (0..).zip(frames) {
            e.nodes.iter().for_each(|n| put(i, *n));
        }
    }
}

/// The quaternion of a rotation, from the greatest of its components.
fn orientation(r: &Mat3) -> Quat {
    let (trace, diagonal) = (r.trace(), r.diagonal());
    let k = diagonal.imax();
    if trace > 0.0 {
        let s = (trace + 1.0).sqrt();
        let v = Vec3::new(r.m32 - r.m23, r.m13 - r.m31, r.m21 - r.m12) * (0.5 / s);
        return Quat::new(0.5 * s, v.x, v.y, v.z);
    }
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let s = (r[(k, k)] - r[(i, i)] - r[(j, j)] + 1.0).sqrt();
    let mut v = Vec3::zeros();
    v[k] = 0.5 * s;
    v[i] = (r[(i, k)] + r[(k, i)]) * 0.5 / s;
    v[j] = (r[(j, k)] + r[(k, j)]) * 0.5 / s;
    Quat::new((r[(j, i)] - r[(i, j)]) * 0.5 / s, v.x, v.y, v.z)
}

/// Puts the mapping into the scene.
pub(super) fn add(
    b: &mut Builder<'_>,
    (input, output): (StateId, StateId),
    topology: &Topology,
    (x_in, x_out): (&[Vec3], &[RigidCoord]),
) -> Result<(), BuildError> {
    if topology.n_points > x_in.len() {
        return Err(BuildError::new("the input's topology has more points than its state"));
    }
    let frames = FramesInTetrahedra::place(topology, x_in, x_out).ok_or_else(|| {
        BuildError::attribute(
            "input_topology",
            "frames need tetrahedra with a volume to lie in; put a topology with tetrahedra into the input's node",
        )
    })?;
    let (stored, n) = (vec![[Vec3::zeros(); 4]; frames.len()], frames.len());
    b.add_mapping(input, output, MappingParts::<FramesInTetrahedra>::new((), frames, stored, n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::{RigidDeriv, quat_from_euler_degrees};
    use sim_core::topology::TopologyKind;

    fn tetrahedron() -> (Topology, Vec<Vec3>) {
        let t = Topology {
            n_points: 4,
            tetrahedra: vec![[0, 1, 2, 3]],
            ..Topology::empty(TopologyKind::SetContainer)
        };
        (t, [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]].map(Vec3::from).to_vec())
    }

    fn frames() -> Vec<RigidCoord> {
        let turned = quat_from_euler_degrees(Vec3::new(20.0, -50.0, 10.0));
        [([0.3, 0.4, 0.5], turned), ([3.0, 3.0, 3.0], quat_from_euler_degrees(Vec3::zeros()))]
            .map(|(c, orientation)| RigidCoord { center: Vec3::from(c), orientation })
            .to_vec()
    }

    fn applied(x: &[Vec3]) -> (Vec<RigidCoord>, Vec<FrameInTetrahedron>, Vec<[Vec3; 4]>) {
        let (t, rest) = tetrahedron();
        let elements = FramesInTetrahedra::place(&t, &rest, &frames()).unwrap();
        let (mut out, mut stored) = (frames(), vec![[Vec3::zeros(); 4]; 2]);
        FramesInTetrahedra::apply(
            &(),
            Apply { elements: &elements, stored: &mut stored, x_out: &mut out, x_in: x },
        );
        (out, elements, stored)
    }

    #[test]
    fn frames_move_and_turn_with_their_tetrahedron() {
        let rest = tetrahedron().1;
        let same = |a: &RigidCoord, b: &RigidCoord| {
            let d = (quat_to_matrix(&a.orientation) - quat_to_matrix(&b.orientation)).norm();
            assert!((a.center - b.center).norm() < 1e-12 && d < 1e-12, "{a:?} {b:?}");
        };
        applied(&rest).0.iter().zip(&frames()).for_each(|(a, b)| same(a, b));
        let (q, d) = (quat_from_euler_degrees(Vec3::new(30.0, 40.0, 50.0)), Vec3::new(1.0, 2.0, 3.0));
        let moved: Vec<Vec3> = rest.iter().map(|x| quat_to_matrix(&q) * x + d).collect();
        for (a, b) in applied(&moved).0.iter().zip(&frames()) {
            same(
                a,
                &RigidCoord { center: quat_to_matrix(&q) * b.center + d, orientation: q * b.orientation },
            );
        }
    }

    #[test]
    fn power_is_conserved() {
        let mut random = sim_core::testing::Random::new(3);
        let x = random.moved(&tetrahedron().1, 0.2);
        let (_, elements, stored) = applied(&x);
        let v = random.moved(&[Vec3::zeros(); 4], 1.0);
        let f: Vec<RigidDeriv> =
            (0..2).map(|_| RigidDeriv { linear: random.vec3(), angular: random.vec3() }).collect();
        let (mut v_out, mut f_in) = (vec![RigidDeriv::default(); 2], vec![Vec3::zeros(); 4]);
        FramesInTetrahedra::apply_j(
            &(),
            ApplyJ { elements: &elements, stored: &stored, v_out: &mut v_out, v_in: &v },
        );
        FramesInTetrahedra::apply_jt(
            &(),
            ApplyJt { elements: &elements, stored: &stored, f_in: &mut f_in, f_out: &f },
        );
        let out: Real =
            v_out.iter().zip(&f).map(|(v, f)| v.linear.dot(&f.linear) + v.angular.dot(&f.angular)).sum();
        let into: Real = v.iter().zip(&f_in).map(|(v, f)| v.dot(f)).sum();
        assert!((out - into).abs() < 1e-12, "{out} {into}");
    }
}
