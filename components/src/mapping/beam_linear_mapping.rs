//! `BeamLinearMapping`: points along beams, which follow the frames at both ends.

use sim_core::math::{RigidCoord, quat_to_matrix};
use sim_core::prelude::*;

use super::influence::{Influence, InfluenceMapping, add_influences, check_templates};

/// Points along a row of beams, which follow the frames at both ends of theirs.
#[derive(Attributes)]
struct Settings {
    /// whether the output's x counts frames, and y and z lengths of beams; else positions in space
    #[attribute(default = "1")]
    local_coord: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, InputAttribute)>(Family::Mapping, "BeamLinearMapping", build)
        .templates(&["Rigid3,Vec3"])
        .samples(&[Sample::new(""), Sample::new("localCoord='0'")]);

/// Points along a row of beams.
///
/// A point at x = a + t on the beam between the frames a and a + 1 is carried by both, with the weights 1 - s and s, where
/// s = 3 t^2 - 2 t^3 stays what it was.
///
/// **Source:** as SOFA's: the beam's length is that of the difference of its frames as they are at the beginning, which adds the square of
/// the vector of the quaternion between them to that of the distance. Positions in space are taken in the axes of the first
/// frame, and divided by the length of the beam that they reach; the last length is repeated.
pub struct BeamLinear;

impl InfluenceMapping for BeamLinear {
    const NAME: &'static str = DESCRIPTION.class;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, ends) = (Settings::read(b)?, b.mapping_ends()?);
    check_templates::<BeamLinear>(b, ends)?;
    let (Some(frames), Some(own)) =
        (b.scene.initial_as::<Rigid3Type>(ends.0), b.scene.initial_as::<Vec3Type>(ends.1))
    else {
        return Ok(());
    };
    let (frames, points) = (&frames.position, &own.position);
    if frames.len() < 2 {
        return Err(BuildError::attribute("input", "a beam needs two frames"));
    }
    let lengths: Vec<Real> = frames.windows(2).map(|pair| length(&pair[0], &pair[1])).collect();
    if !s.local_coord && lengths.contains(&0.0) {
        return Err(BuildError::attribute(
            "localCoord",
            "a beam has no length for positions to be divided by",
        ));
    }
    let mut influences = Vec::with_capacity(2 * points.len());
    for (point, p) in (0..).zip(points) {
        let p = if s.local_coord { *p } else { counted(p, &frames[0], &lengths) };
        // A float too large for an index saturates, and is clamped to the beams all the same.
        let beam = (p.x.floor() as i64).clamp(0, lengths.len() as i64 - 1) as usize;
        let t = p.x - beam as Real;
        let second = 3.0 * (t * t) - 2.0 * (t * t * t);
        for (end, weight, along) in [(0, 1.0 - second, t), (1, second, t - 1.0)] {
            let arm = Vec3::new(along, p.y, p.z) * (lengths[beam] * weight);
            influences.push(Influence { point, frame: (beam + end) as u32, weight, arm });
        }
    }
    let n = points.len();
    add_influences::<BeamLinear>(b, ends, influences, n)
}

/// What SOFA takes as the length between two frames.
fn length(a: &RigidCoord, b: &RigidCoord) -> Real {
    let turn = (b.orientation.conjugate() * a.orientation).imag();
    ((a.center - b.center).norm_squared() + turn.norm_squared()).sqrt()
}

/// A position in space as x, which counts frames, and y and z in lengths of the beam.
fn counted(p: &Vec3, first: &RigidCoord, lengths: &[Real]) -> Vec3 {
    let mut p = quat_to_matrix(&first.orientation).tr_mul(&(p - first.center));
    let mut beam = 0;
    let length_of = |beam: usize| lengths[beam.min(lengths.len() - 1)];
    while beam <= lengths.len() && p.x >= length_of(beam) {
        p.x -= length_of(beam);
        beam += 1;
    }
    p /= length_of(beam);
    p.x += beam as Real;
    p
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    fn along(
        frames: &str,
        points: &str,
        attributes: &[(&'static str, &str)],
    ) -> Result<Vec<Vec3>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let frames = [("template", "Rigid3"), ("position", frames)];
        t.add(&mechanical_object::DESCRIPTION, root, &frames).unwrap();
        let child = t.child(root, "points");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[("position", points)]).unwrap();
        t.add(&DESCRIPTION, child, attributes)?;
        let state = t.scene.state_of_component(c).unwrap();
        Ok(t.scene.initial_as::<Vec3Type>(state).unwrap().position.clone())
    }

    const STRAIGHT: &str = "0 0 0 0 0 0 1 2 0 0 0 0 0 1 4 0 0 0 0 0 1";

    #[test]
    fn straight_beams_count_frames_or_lengths() {
        let points = "0.25 0 0.5 1.5 1 0 3 0 0";
        let counted = along(STRAIGHT, points, &[]).unwrap();
        let expected = [[0.5, 0.0, 1.0], [3.0, 2.0, 0.0], [6.0, 0.0, 0.0]];
        assert!(counted.iter().zip(expected).all(|(x, e)| (x - Vec3::from(e)).norm() < 1e-14), "{counted:?}");
        let same = along(STRAIGHT, points, &[("localCoord", "0")]).unwrap();
        let expected = [[0.25, 0.0, 0.5], [1.5, 1.0, 0.0], [3.0, 0.0, 0.0]];
        assert!(same.iter().zip(expected).all(|(x, e)| (x - Vec3::from(e)).norm() < 1e-14), "{same:?}");
    }

    #[test]
    fn a_turned_end_bends_the_beam() {
        // Its second frame looks along y: at its end, the beam does.
        let bent = "0 0 0 0 0 0 1 2 0 0 0 0 0.7071067811865476 0.7071067811865476";
        let x = along(bent, "0.99 0 0 1 0 0", &[]).unwrap();
        let direction = (x[1] - x[0]).normalize();
        assert!((direction - Vec3::y()).norm() < 0.1, "{direction:?}");
        // In the middle, each end brings half of its arm, of half of the root of 2^2 + 1/2.
        let middle = along(bent, "0.5 0 0", &[]).unwrap()[0];
        let arm = 4.5_f64.sqrt() / 4.0;
        assert!((middle - Vec3::new(1.0 + arm, -arm, 0.0)).norm() < 1e-14, "{middle:?}");
    }

    #[test]
    fn one_frame_is_no_beam() {
        let error = along("0 0 0 0 0 0 1", "0 0 0", &[]).unwrap_err();
        assert_eq!(error.attribute.as_deref(), Some("input"));
    }
}
