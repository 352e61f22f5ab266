//! `Vertex2Frame`: a frame at each point of a mesh.

use sim_core::component::value::Value;
use sim_core::prelude::*;

/// Which axis of the frames they are turned about.
#[derive(Word, Clone, Copy, PartialEq, Eq)]
enum Axis {
    #[word("0")]
    X,
    #[word("1")]
    Y,
    #[word("2")]
    Z,
}

/// A frame at each point, along the normal there or toward the next point.
#[derive(Attributes)]
#[attributes(ignored("texCoords", "frames"))]
struct Settings {
    /// the points [m]
    position: Vec<Vec3>,
    /// normal at each point
    normals: Deferred<Vec<Vec3>>,
    /// whether the z axes are the normals; else the x axes lead to the next point
    #[attribute(default = "1")]
    use_normals: bool,
    /// whether the z axes are opposite to the normals
    invert_normals: Deferred<bool>,
    /// axis that the frames are turned about by `rotationAngle`: 0, 1 or 2
    #[attribute(default = "0")]
    rotation: Axis,
    /// how far the frames are turned [degrees]
    #[attribute(default = "0")]
    rotation_angle: Real,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "Vertex2Frame", build).templates(&["Rigid3"]);

/// **Source:** as SOFA's. With normals the frame's z is the normal and its x is across y, or across z where the normal is along y. Else
/// its x leads to the next point, its y is across the x axis, or across z where the way leads along x; the last frame is turned as
/// the one before it. The orientation is that of the matrix of the axes, turned about one of them.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let axes = if s.use_normals { along_normals(b, &s)? } else { toward_next(&s.position)? };
    let turned_by = (s.rotation_angle * std::f64::consts::PI / 180.0) / 2.0;
    let mut frames = Vec::with_capacity(7 * s.position.len());
    let mut n_without = 0;
    for (p, axes) in s.position.iter().zip(&axes) {
        // Points that coincide lead nowhere, and a normal of length 0 neither.
        let orientation = if axes.iter().any(|a| a.norm_squared() == 0.0) {
            n_without += 1;
            Quat::identity()
        } else {
            let axis = axes[s.rotation as usize];
            let turn = Quat::from_parts(turned_by.cos(), axis * turned_by.sin());
            turn * quat_of_axes(axes)
        };
        frames.extend_from_slice(p.as_slice());
        frames.extend_from_slice(orientation.coords.as_slice());
    }
    if n_without > 0 {
        b.warn(None, format!("{n_without} points have no direction; their frames are not turned"));
    }
    b.offer("frames", Value::Reals(frames));
    Ok(())
}

fn along_normals(b: &Builder<'_>, s: &Settings) -> Result<Vec<[Vec3; 3]>, BuildError> {
    let (normals, inverted) = (s.normals.get(b)?, s.invert_normals.get(b)?);
    if normals.len() < s.position.len() {
        let text = format!("{} normals are given for {} points", normals.len(), s.position.len());
        return Err(BuildError::attribute("normals", text));
    }
    let frame = |n: &Vec3| {
        let z = direction(if inverted { -n } else { *n });
        let y = if is_along(&z, &Vec3::y()) { Vec3::z() } else { Vec3::y() };
        let x = direction(y.cross(&z));
        [x, direction(z.cross(&x)), z]
    };
    Ok(normals.iter().take(s.position.len()).map(frame).collect())
}

fn toward_next(points: &[Vec3]) -> Result<Vec<[Vec3; 3]>, BuildError> {
    if points.len() == 1 {
        let text = "one point leads to no other; give its normal, or more points";
        return Err(BuildError::attribute("position", text));
    }
    let frame = |pair: &[Vec3]| {
        let x = direction(pair[1] - pair[0]);
        let z = if is_along(&x, &Vec3::x()) { Vec3::z() } else { Vec3::x() };
        let y = direction(z.cross(&x));
        [x, y, direction(x.cross(&y))]
    };
    let mut frames: Vec<[Vec3; 3]> = points.windows(2).map(frame).collect();
    frames.extend(frames.last().copied());
    Ok(frames)
}

/// The vector with length 1; zero where it has none.
fn direction(v: Vec3) -> Vec3 {
    v.try_normalize(0.0).unwrap_or_default()
}

fn is_along(v: &Vec3, axis: &Vec3) -> bool {
    1.0 - v.dot(axis).abs() <= Real::EPSILON
}

/// The quaternion of the rotation matrix with these columns.
///
/// **Source:** as SOFA's: the real part first where the trace is positive, else the largest of the others.
fn quat_of_axes(axes: &[Vec3; 3]) -> Quat {
    let m = Mat3::from_columns(axes);
    let trace = m.trace();
    if trace > 0.0 {
        let s = (trace + 1.0).sqrt();
        let f = 0.5 / s;
        return Quat::new(
            0.5 * s,
            (m[(2, 1)] - m[(1, 2)]) * f,
            (m[(0, 2)] - m[(2, 0)]) * f,
            (m[(1, 0)] - m[(0, 1)]) * f,
        );
    }
    let mut i = if m[(1, 1)] > m[(0, 0)] { 1 } else { 0 };
    if m[(2, 2)] > m[(i, i)] {
        i = 2;
    }
    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
    let s = ((m[(i, i)] - (m[(j, j)] + m[(k, k)])) + 1.0).sqrt();
    let f = if s == 0.0 { 0.0 } else { 0.5 / s };
    let mut imaginary = Vec3::zeros();
    imaginary[i] = 0.5 * s;
    imaginary[j] = (m[(j, i)] + m[(i, j)]) * f;
    imaginary[k] = (m[(k, i)] + m[(i, k)]) * f;
    Quat::from_parts((m[(k, j)] - m[(j, k)]) * f, imaginary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;
    use sim_core::math::{quat_to_matrix, rotate};
    use sim_core::testing::Random;

    fn frames(attributes: &[(&'static str, &str)]) -> Result<Vec<Quat>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, attributes)?;
        let reals = t.scene.component(c).fields["frames"].reals().unwrap();
        Ok(reals.chunks(7).map(|c| Quat::new(c[6], c[3], c[4], c[5])).collect())
    }

    #[test]
    fn axes_make_a_quaternion() {
        let mut random = Random::new(2);
        for _ in 0..50 {
            let x = random.vec3().normalize();
            let y = x.cross(&random.vec3()).normalize();
            let axes = [x, y, x.cross(&y)];
            let q = quat_of_axes(&axes);
            assert!((quat_to_matrix(&q) - Mat3::from_columns(&axes)).norm() < 1e-14, "{q}");
        }
    }

    #[test]
    fn frames_look_to_the_next_point() {
        let q = frames(&[("position", "0 0 0 0 2 0 3 2 0"), ("useNormals", "0")]).unwrap();
        let x: Vec<Vec3> = q.iter().map(|q| rotate(q, &Vec3::x())).collect();
        assert!((x[0] - Vec3::y()).norm() < 1e-15 && (x[1] - Vec3::x()).norm() < 1e-15);
        assert_eq!(q[2], q[1], "the last looks as the one before");
    }

    #[test]
    fn frames_stand_on_normals_and_are_turned() {
        let given = [("position", "0 0 0 1 0 0"), ("normals", "1 0 0 0 3 0")];
        let z = |more: &[(&'static str, &str)]| -> Vec<Vec3> {
            let q = frames(&[&given[..], more].concat()).unwrap();
            q.iter().map(|q| rotate(q, &Vec3::z())).collect()
        };
        let near = |a: &[Vec3], b: [Vec3; 2]| a.iter().zip(b).all(|(a, b)| (a - b).norm() < 1e-15);
        assert!(near(&z(&[]), [Vec3::x(), Vec3::y()]));
        assert!(near(&z(&[("invertNormals", "1")]), [-Vec3::x(), -Vec3::y()]));
        // Half a turn about their own x axes.
        let turned = z(&[("rotationAngle", "180")]);
        assert!(near(&turned, [-Vec3::x(), -Vec3::y()]), "{turned:?}");
        assert!(near(&z(&[("rotationAngle", "70"), ("rotation", "2")]), [Vec3::x(), Vec3::y()]));
    }

    #[test]
    fn what_has_no_direction_is_said() {
        assert_eq!(frames(&[("position", "0 0 0")]).unwrap_err().attribute.as_deref(), Some("normals"));
        let one = [("position", "0 0 0"), ("useNormals", "0")];
        assert_eq!(frames(&one).unwrap_err().attribute.as_deref(), Some("position"));
        let same = frames(&[("position", "1 1 1 1 1 1"), ("useNormals", "0")]).unwrap();
        assert_eq!(same[0], Quat::identity());
    }
}
