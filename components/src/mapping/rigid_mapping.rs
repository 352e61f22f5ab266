//! `RigidMapping`: points that are fixed to rigid frames.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{
    AttributeDescription, AttributeKind, ComponentDescription, Family, Sample,
};
use sim_core::component::mapping::Mapping;
use sim_core::math::{Mat3, Rigid3Type, RigidCoord, RigidDeriv, Vec3, Vec3Type, quat_to_matrix};

use super::ends::{INPUT, ends, pair, parts};
use crate::attributes::attribute;

const STIFFNESSES: &[&str] = &["None", "Exact", "Stabilized"];

const ATTRIBUTES: &[AttributeDescription] = &[
    attribute(
        "initialPoints",
        AttributeKind::RealRows(3),
        "points in the frame's axes; the output's if not given",
    )
    .unit("m"),
    attribute("index", AttributeKind::Integer, "frame that all points are fixed to").default("0"),
    attribute("indexFromEnd", AttributeKind::Bool, "whether `index` counts backward from the last frame")
        .default("0"),
    attribute("rigidIndexPerPoint", AttributeKind::IndexRows(1), "frame of each point, instead of `index`")
        .aliases(&["pointsPerFrame"]),
    attribute("useX0", AttributeKind::Bool, "whether the output's rest positions are used").default("0"),
    attribute("globalToLocalCoords", AttributeKind::Bool, "whether the points are given in world axes")
        .default("0"),
    attribute("geometricStiffness", AttributeKind::Option(STIFFNESSES), "stiffness from turning forces")
        .default("None"),
];

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription {
    class: "RigidMapping",
    old_names: &[],
    family: Family::Mapping,
    summary: "Points that are fixed to rigid frames",
    templates: &["Rigid3,Vec3"],
    attributes: &[ATTRIBUTES, INPUT],
    samples: &[Sample::new("index='1'"), Sample::new("rigidIndexPerPoint='0 1 2 0'")],
    build,
};

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

    fn apply(_: &(), points: &[LocalPoint], arms: &mut [Vec3], x_out: &mut [Vec3], x_in: &[RigidCoord]) {
        // Points of one frame follow each other, mostly: its matrix is made once.
        let mut last: Option<(u32, Mat3, Vec3)> = None;
        for ((x, arm), p) in x_out.iter_mut().zip(arms).zip(points) {
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

    fn apply_j(_: &(), points: &[LocalPoint], arms: &[Vec3], v_out: &mut [Vec3], v_in: &[RigidDeriv]) {
        for ((v, arm), p) in v_out.iter_mut().zip(arms).zip(points) {
            let frame = &v_in[p.frame as usize];
            *v = frame.linear + frame.angular.cross(arm);
        }
    }

    fn apply_jt(_: &(), points: &[LocalPoint], arms: &[Vec3], f_in: &mut [RigidDeriv], f_out: &[Vec3]) {
        for ((f, arm), p) in f_out.iter().zip(arms).zip(points) {
            let frame = &mut f_in[p.frame as usize];
            frame.linear += f;
            frame.angular += arm.cross(f);
        }
    }

    fn carriers(points: &[LocalPoint], _: usize, mut put: impl FnMut(u32, u32)) {
        (0..).zip(points).for_each(|(i, p)| put(i, p.frame));
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (input, output) = ends(b)?;
    let (Some(frames), Some(own)) =
        (b.scene.initial_as::<Rigid3Type>(input), b.scene.initial_as::<Vec3Type>(output))
    else {
        let templates = pair(b, (input, output));
        return Err(BuildError::new(format!(
            "a RigidMapping of {templates} is not supported; use Rigid3,Vec3"
        )));
    };
    let frames = frames.position.clone();
    let mut points = if b.is_set("initialPoints") && !b.points("initialPoints")?.is_empty() {
        b.points("initialPoints")?
    } else if b.boolean("useX0")? {
        own.rest_position.clone()
    } else {
        own.position.clone()
    };
    let frame_of = frame_of_point(b, frames.len(), points.len())?;
    if b.boolean("globalToLocalCoords")? {
        for (p, frame) in points.iter_mut().zip(&frame_of) {
            let frame = &frames[*frame as usize];
            *p = quat_to_matrix(&frame.orientation).tr_mul(&(*p - frame.center));
        }
    }
    if b.text("geometricStiffness").is_ok_and(|s| s != "None" && s != "0") {
        b.warn(Some("geometricStiffness"), "geometric stiffness of a RigidMapping is left out");
    }
    let n = points.len();
    let elements: Vec<LocalPoint> =
        points.into_iter().zip(frame_of).map(|(point, frame)| LocalPoint { point, frame }).collect();
    let parts = parts::<RigidMapping>(b, (), elements, vec![Vec3::zeros(); n], n)?;
    b.scene.add_mapping(b.component, input, output, parts);
    Ok(())
}

fn frame_of_point(b: &mut Builder<'_>, n_frames: usize, n_points: usize) -> Result<Vec<u32>, BuildError> {
    let per_point = b.index_rows::<1>("rigidIndexPerPoint", n_frames)?;
    if per_point.len() == n_points && !per_point.is_empty() {
        return Ok(per_point.into_iter().map(|[i]| i).collect());
    }
    if !per_point.is_empty() {
        let text = format!("{} frames are given for {n_points} points; `index` is used", per_point.len());
        b.warn(Some("rigidIndexPerPoint"), text);
    }
    let index = b.integer("index")?;
    let within = usize::try_from(index).ok().filter(|i| *i < n_frames);
    let index = within.ok_or_else(|| {
        BuildError::attribute("index", format!("`index` is {index}, but the input has {n_frames} frames"))
    })?;
    let index = if b.boolean("indexFromEnd")? { n_frames - 1 - index } else { index };
    Ok(vec![index as u32; n_points])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::component::mapping::MappingParts;
    use sim_core::scene::ComponentId;
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
