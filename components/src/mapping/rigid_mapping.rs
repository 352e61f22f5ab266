//! `RigidMapping`: points that are fixed to rigid frames.

use sim_core::math::quat_to_matrix;
use sim_core::prelude::*;

use super::ends::{InputAttribute, ends, pair};

/// Which stiffness of forces on turning arms joins the tangent.
#[derive(Word, PartialEq, Eq)]
enum GeometricStiffness {
    #[word("None")]
    None,
    #[word("Exact")]
    Exact,
    #[word("Stabilized")]
    Stabilized,
}

/// Points that are fixed to rigid frames.
#[derive(Attributes)]
struct Settings {
    /// points in the frame's axes; the output's if not given [m]
    initial_points: Vec<Vec3>,
    /// frame that all points are fixed to
    #[attribute(default = "0")]
    index: Deferred<Index>,
    /// whether `index` counts backward from the last frame
    index_from_end: Deferred<bool>,
    /// frame of each point, instead of `index`
    #[attribute(alias = "pointsPerFrame")]
    rigid_index_per_point: Indices,
    /// whether the output's rest positions are used
    #[attribute(name = "useX0")]
    use_x0: Deferred<bool>,
    /// whether the points are given in world axes
    global_to_local_coords: bool,
    /// stiffness from turning forces
    #[attribute(default = "None")]
    geometric_stiffness: GeometricStiffness,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, InputAttribute)>(Family::Mapping, "RigidMapping", build)
        .templates(&["Rigid3,Vec3"])
        .samples(&[Sample::new("index='1'"), Sample::new("rigidIndexPerPoint='0 1 2 0'")]);

/// A point in the axes of a frame.
#[derive(Clone, Copy, Debug)]
pub struct LocalPoint {
    point: Vec3,
    frame: u32,
}

/// Points fixed to frames.
///
/// **Source:** as SOFA's RigidMapping: x = c + R p, v = v_c + w x R p, f_c += f, t += R p x f.
pub struct RigidMapping;

impl Mapping for RigidMapping {
    type Input = Rigid3Type;
    type Output = Vec3Type;
    type Constants = ();
    type Element = LocalPoint;
    /// R p of the last `apply`.
    type Stored = Vec3;
    const NAME: &'static str = DESCRIPTION.class;
    const BY_POINTS: bool = true;

    fn apply(_: &(), Apply { elements, stored, x_out, x_in }: Apply<'_, Self>) {
        // Points of one frame follow each other, mostly: its matrix is made once.
        let mut last: Option<(u32, Mat3, Vec3)> = None;
        for ((x, arm), p) in x_out.iter_mut().zip(stored).zip(elements) {
            let (r, c) = match last {
                Some((frame, r, c)) if frame == p.frame => (r, c),
                _ => {
                    let frame = &x_in[p.frame as usize];
                    (quat_to_matrix(&frame.orientation), frame.center)
                }
            };
            last = Some((p.frame, r, c));
            *arm = r * p.point;
            *x = *arm + c;
        }
    }

    fn apply_j(_: &(), ApplyJ { elements, stored, v_out, v_in }: ApplyJ<'_, Self>) {
        for ((v, arm), p) in v_out.iter_mut().zip(stored).zip(elements) {
            let frame = &v_in[p.frame as usize];
            *v = frame.linear + frame.angular.cross(arm);
        }
    }

    fn apply_jt(_: &(), ApplyJt { elements, stored, f_in, f_out }: ApplyJt<'_, Self>) {
        for ((f, arm), p) in f_out.iter().zip(stored).zip(elements) {
            let frame = &mut f_in[p.frame as usize];
            frame.linear += f;
            frame.angular += arm.cross(f);
        }
    }

    fn apply_j_at(_: &(), ApplyJ { elements, stored, v_out, v_in }: ApplyJ<'_, Self>, points: &[u32]) {
        for i in points.iter().map(|i| *i as usize) {
            let frame = &v_in[elements[i].frame as usize];
            v_out[i] = frame.linear + frame.angular.cross(&stored[i]);
        }
    }

    fn apply_jt_at(_: &(), ApplyJt { elements, stored, f_in, f_out }: ApplyJt<'_, Self>, points: &[u32]) {
        for i in points.iter().map(|i| *i as usize) {
            let frame = &mut f_in[elements[i].frame as usize];
            frame.linear += f_out[i];
            frame.angular += stored[i].cross(&f_out[i]);
        }
    }

    /// v = v_frame - arm x omega.
    fn add_jacobian(_: &(), AddJacobian { elements, stored, matrix, .. }: AddJacobian<'_, Self>) {
        for (i, (arm, p)) in (0..).zip(stored.iter().zip(elements)) {
            matrix.add_block(i, 2 * p.frame, &Mat3::identity());
            matrix.add_block(i, 2 * p.frame + 1, &-arm.cross_matrix());
        }
    }

    /// The torque arm x f changes by (dtheta x arm) x f = f x (arm x dtheta) where the frame turns by dtheta.
    fn add_geometric_stiffness(_: &(), at: AddGeometricStiffness<'_, Self>) {
        let AddGeometricStiffness { k_factor, elements, stored, f_out, matrix } = at;
        for ((f, arm), p) in f_out.iter().zip(stored).zip(elements) {
            let block = f.cross_matrix() * arm.cross_matrix() * k_factor;
            matrix.add_block(2 * p.frame + 1, 2 * p.frame + 1, &block);
        }
    }

    fn carriers(points: &[LocalPoint], _: usize, mut put: impl FnMut(u32, u32)) {
        (0..).zip(points).for_each(|(i, p)| put(i, p.frame));
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, (input, output)) = (Settings::read(b)?, ends(b)?);
    let (Some(frames), Some(own)) =
        (b.scene.initial_as::<Rigid3Type>(input), b.scene.initial_as::<Vec3Type>(output))
    else {
        let templates = pair(b, (input, output));
        return Err(BuildError::new(format!(
            "a RigidMapping of {templates} is not supported; use Rigid3,Vec3"
        )));
    };
    let frames = frames.position.clone();
    let mut points = if !s.initial_points.is_empty() {
        s.initial_points.clone()
    } else if s.use_x0.get(b)? {
        own.rest_position.clone()
    } else {
        own.position.clone()
    };
    let frame_of = frame_of_point(b, &s, frames.len(), points.len())?;
    if s.global_to_local_coords {
        for (p, frame) in points.iter_mut().zip(&frame_of) {
            let frame = &frames[*frame as usize];
            *p = quat_to_matrix(&frame.orientation).tr_mul(&(*p - frame.center));
        }
    }
    if s.geometric_stiffness != GeometricStiffness::None {
        b.warn(Some("geometricStiffness"), "geometric stiffness of a RigidMapping is left out");
    }
    let n = points.len();
    let elements: Vec<LocalPoint> =
        points.into_iter().zip(frame_of).map(|(point, frame)| LocalPoint { point, frame }).collect();
    let arms = vec![Vec3::zeros(); n];
    b.add_mapping(input, output, MappingParts::<RigidMapping>::new((), elements, arms, n))
}

fn frame_of_point(
    b: &mut Builder<'_>,
    s: &Settings,
    n_frames: usize,
    n_points: usize,
) -> Result<Vec<u32>, BuildError> {
    let per_point = s.rigid_index_per_point.below(n_frames)?;
    if per_point.len() == n_points && !per_point.is_empty() {
        return Ok(per_point);
    }
    if !per_point.is_empty() {
        let text = format!("{} frames are given for {n_points} points; `index` is used", per_point.len());
        b.warn(Some("rigidIndexPerPoint"), text);
    }
    let index = s.index.get(b)?.below(n_frames)?;
    let index = if s.index_from_end.get(b)? { n_frames as u32 - 1 - index } else { index };
    Ok(vec![index; n_points])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::RigidCoord;
    use sim_core::testing::{Random, mapping};

    #[test]
    fn conforms() {
        let mut random = Random::new(1);
        let elements: Vec<LocalPoint> =
            (0..6).map(|i| LocalPoint { point: random.vec3(), frame: i / 3 }).collect();
        let parts = MappingParts::<RigidMapping> {
            constants: (),
            elements,
            stored: vec![Vec3::zeros(); 6],
            n_out: 6,
            map_forces: true,
            apply_rest_position: false,
        };
        mapping(&parts, &random.moved(&[RigidCoord::default(); 2], 2.0), 1);
    }

    fn build_with(
        attributes: &[(&'static str, &str)],
    ) -> (Result<ComponentId, BuildError>, TestScene, ComponentId) {
        let mut t = TestScene::new();
        let root = t.root();
        let rigid = [("template", "Rigid3"), ("position", "1 0 0 0 0 0 1 0 1 0 0 0 0 1"), ("rz", "90")];
        t.add(&mechanical_object::DESCRIPTION, root, &rigid).unwrap();
        let child = t.child(root, "points");
        let state = t.add(&mechanical_object::DESCRIPTION, child, &[("position", "1 0 0 0 2 0")]).unwrap();
        let built = t.add(&DESCRIPTION, child, attributes);
        (built, t, state)
    }

    fn positions(attributes: &[(&'static str, &str)]) -> Vec<Vec3> {
        let (built, t, state) = build_with(attributes);
        built.unwrap();
        t.scene.initial_as::<Vec3Type>(t.scene.state_of_component(state).unwrap()).unwrap().position.clone()
    }

    fn near(a: &[Vec3], b: &[[f64; 3]]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - Vec3::from(*b)).norm() < 1e-14)
    }

    #[test]
    fn points_are_local_or_in_world_axes() {
        // The frames stand at (0, 1, 0) and (-1, 0, 0), turned by 90 degrees about z.
        assert!(near(&positions(&[]), &[[0.0, 2.0, 0.0], [-2.0, 1.0, 0.0]]));
        assert!(near(&positions(&[("globalToLocalCoords", "1")]), &[[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]));
        assert!(near(&positions(&[("index", "1")]), &[[-1.0, 1.0, 0.0], [-3.0, 0.0, 0.0]]));
        assert!(near(&positions(&[("rigidIndexPerPoint", "1 0")]), &[[-1.0, 1.0, 0.0], [-2.0, 1.0, 0.0]]));
        assert!(near(&positions(&[("initialPoints", "0 0 3")]), &[[0.0, 1.0, 3.0]]), "the output is resized");
    }

    #[test]
    fn a_frame_that_is_not_there_is_an_error() {
        let wrong = |a: &[(&'static str, &str)]| build_with(a).0.unwrap_err().attribute.unwrap_or_default();
        assert_eq!(wrong(&[("index", "2")]), "index");
        assert_eq!(wrong(&[("rigidIndexPerPoint", "0 7")]), "rigidIndexPerPoint");
    }
}
