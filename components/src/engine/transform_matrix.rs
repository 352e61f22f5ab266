//! `InvertTransformMatrixEngine`, `TranslateTransformMatrixEngine`, `RotateTransformMatrixEngine`, `ScaleTransformMatrixEngine` and
//! `ProjectiveTransformEngine`: matrices of transformations, and one that is applied. The file is long for its five classes, which share
//! what they offer.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::{Mat3, Vec3, quat_from_euler_degrees, quat_to_matrix};

/// The inverse of a transformation.
#[derive(Attributes)]
#[attributes(ignored("outT"))]
struct Inverted {
    /// rows of the 4 by 4 matrix
    #[attribute(default = "1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1")]
    in_t: [f64; 16],
}

/// A transformation after a translation.
#[derive(Attributes)]
#[attributes(ignored("outT"))]
struct Translated {
    /// rows of the 4 by 4 matrix
    #[attribute(default = "1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1")]
    in_t: [f64; 16],
    /// the translation [m]
    #[attribute(default = "0 0 0")]
    translation: Vec3,
}

/// A transformation after a rotation.
#[derive(Attributes)]
#[attributes(ignored("outT"))]
struct Rotated {
    /// rows of the 4 by 4 matrix
    #[attribute(default = "1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1")]
    in_t: [f64; 16],
    /// angles about x, then y, then z [deg]
    #[attribute(default = "0 0 0")]
    rotation: Vec3,
}

/// A transformation after a scaling.
#[derive(Attributes)]
#[attributes(ignored("outT"))]
struct Scaled {
    /// rows of the 4 by 4 matrix
    #[attribute(default = "1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1")]
    in_t: [f64; 16],
    /// factors along the axes; nothing is left if not given, as in SOFA
    #[attribute(default = "0 0 0")]
    scale: Vec3,
}

/// Points as a camera sees them.
#[derive(Attributes)]
#[attributes(ignored("output_position"))]
struct Projected {
    /// points [m]
    #[attribute(name = "input_position")]
    input_position: Vec<Vec3>,
    /// rows of the 3 by 4 matrix of the camera
    #[attribute(name = "proj_mat")]
    matrix: [f64; 12],
    /// how far the plane of the picture is from the camera [m]
    #[attribute(name = "focal_distance", default = "1")]
    focal_distance: f64,
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 5] = [
    ComponentDescription::new::<Inverted>(Family::Engine, "InvertTransformMatrixEngine", invert),
    ComponentDescription::new::<Translated>(Family::Engine, "TranslateTransformMatrixEngine", translate),
    ComponentDescription::new::<Rotated>(Family::Engine, "RotateTransformMatrixEngine", turn),
    ComponentDescription::new::<Scaled>(Family::Engine, "ScaleTransformMatrixEngine", scale),
    ComponentDescription::new::<Projected>(Family::Engine, "ProjectiveTransformEngine", project)
        .templates(&["Vec3"]),
];

/// An affine transformation: its linear part, and where it moves the origin.
struct Affine {
    linear: Mat3,
    shift: Vec3,
}

impl Affine {
    /// The rows of its matrix.
    fn rows(&self) -> [[f64; 4]; 4] {
        let row = |k: usize| [self.linear[(k, 0)], self.linear[(k, 1)], self.linear[(k, 2)], self.shift[k]];
        [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]]
    }
}

/// Offers a matrix times an affine transformation.
fn offer_after(b: &mut Builder<'_>, given: &[f64; 16], first: &Affine) {
    let (rows, first) = (given.as_chunks::<4>().0, first.rows());
    let entry =
        |row: &[f64; 4], j: usize| (1..4).fold(row[0] * first[0][j], |sum, k| sum + row[k] * first[k][j]);
    let product = rows.iter().flat_map(|row| (0..4).map(|j| entry(row, j))).collect();
    b.offer("outT", Value::Reals(product));
}

/// **Source:** as SOFA's: the last row of the matrix does not count. Where SOFA leaves the output undefined, it is an error.
fn invert(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let t = Inverted::read(b)?.in_t;
    let linear = Mat3::new(t[0], t[1], t[2], t[4], t[5], t[6], t[8], t[9], t[10]);
    let inverse = linear.try_inverse().ok_or_else(|| {
        BuildError::attribute("inT", "`inT` has no inverse: its first three columns are flat")
    })?;
    let shift = -(inverse * Vec3::new(t[3], t[7], t[11]));
    let rows = Affine { linear: inverse, shift }.rows();
    b.offer("outT", Value::Reals(rows.concat()));
    Ok(())
}

fn translate(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Translated::read(b)?;
    offer_after(b, &s.in_t, &Affine { linear: Mat3::identity(), shift: s.translation });
    Ok(())
}

fn turn(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Rotated::read(b)?;
    let linear = quat_to_matrix(&quat_from_euler_degrees(s.rotation));
    offer_after(b, &s.in_t, &Affine { linear, shift: Vec3::zeros() });
    Ok(())
}

fn scale(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Scaled::read(b)?;
    offer_after(b, &s.in_t, &Affine { linear: Mat3::from_diagonal(&s.scale), shift: Vec3::zeros() });
    Ok(())
}

/// **Source:** as SOFA's: the homogeneous coordinates are scaled such that the third one is the focal distance. Points in the camera's own plane,
/// which SOFA moves to infinity, are an error.
fn project(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Projected::read(b)?;
    let rows = s.matrix.as_chunks::<4>().0;
    let mut seen = Vec::with_capacity(s.input_position.len());
    for x in &s.input_position {
        let place = Vec3::from_fn(|k, _| rows[k][0] * x.x + rows[k][1] * x.y + rows[k][2] * x.z + rows[k][3]);
        let factor = s.focal_distance / place.z;
        if !factor.is_finite() {
            return Err(BuildError::attribute("proj_mat", format!("{x:?} is in the plane of the camera")));
        }
        seen.push(place * factor);
    }
    b.offer("output_position", Value::from_points(&seen));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    const T: &str = "0 -1 0 1  1 0 0 2  0 0 1 3  0 0 0 1";

    fn out(class: usize, attributes: &[(&'static str, &str)]) -> Result<Vec<f64>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&ALL[class], root, attributes)?;
        let name = if class == 4 { "output_position" } else { "outT" };
        Ok(t.scene.component(c).fields[name].reals().unwrap())
    }

    #[test]
    fn transformations_follow_each_other() {
        let moved = out(1, &[("inT", T), ("translation", "10 0 0")]).unwrap();
        assert_eq!(moved, [0., -1., 0., 1., 1., 0., 0., 12., 0., 0., 1., 3., 0., 0., 0., 1.]);
        let back = out(0, &[("inT", T)]).unwrap();
        assert_eq!(back, [0., 1., 0., -2., -1., 0., 0., 1., 0., 0., 1., -3., 0., 0., 0., 1.]);
        let turned = out(2, &[("rotation", "0 0 90")]).unwrap();
        let quarter = [0., -1., 0., 0., 1., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
        assert!(turned.iter().zip(quarter).all(|(a, b)| (a - b).abs() < 1e-15), "{turned:?}");
        let stretched = out(3, &[("inT", T), ("scale", "2 3 4")]).unwrap();
        assert_eq!(stretched, [0., -3., 0., 1., 2., 0., 0., 2., 0., 0., 4., 3., 0., 0., 0., 1.]);
        assert!(out(0, &[("inT", "1 0 0 0 0 1 0 0 0 0 0 0 0 0 0 1")]).is_err());
        assert_eq!(
            out(1, &[]).unwrap(),
            Affine { linear: Mat3::identity(), shift: Vec3::zeros() }.rows().concat()
        );
    }

    #[test]
    fn points_are_seen_in_the_plane_of_the_picture() {
        let camera = ("proj_mat", "1 0 0 0  0 1 0 0  0 0 1 1");
        let seen = out(4, &[camera, ("input_position", "2 4 1"), ("focal_distance", "3")]).unwrap();
        assert_eq!(seen, [3.0, 6.0, 3.0]);
        assert!(out(4, &[camera, ("input_position", "2 4 -1")]).is_err());
        assert!(out(4, &[("input_position", "2 4 1")]).is_err(), "without a camera");
    }
}
