//! `DisplacementTransformEngine` and `DisplacementMatrixEngine`: how frames have moved since their rest.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::{Coord, Mat3, Quat, RigidCoord, Vec3, quat_to_matrix};

/// How frames have moved since their rest, at the beginning.
#[derive(Attributes)]
#[attributes(ignored("displacements"))]
struct Transforms {
    /// frames at rest, as positions of Rigid3
    x0: Vec<[f64; 7]>,
    /// frames as they stand, as many
    x: Vec<[f64; 7]>,
}

/// How frames have moved since their rest, as matrices, at the beginning.
#[derive(Attributes)]
#[attributes(ignored("displaceMats", "displacements"))]
struct Matrices {
    /// frames at rest, as positions of Rigid3
    x0: Vec<[f64; 7]>,
    /// frames as they stand, as many
    x: Vec<[f64; 7]>,
    /// stretch of each frame along its own axes at rest; 1 if none is given
    scales: Vec<Vec3>,
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 2] = [
    ComponentDescription::new::<Transforms>(Family::Engine, "DisplacementTransformEngine", transforms),
    ComponentDescription::new::<Matrices>(Family::Engine, "DisplacementMatrixEngine", matrices),
];

fn frame(row: &[f64; 7]) -> RigidCoord {
    RigidCoord::from_scalars(row).unwrap_or_default()
}

/// Both lists as pairs.
fn pairs(x0: &[[f64; 7]], x: &[[f64; 7]]) -> Result<Vec<(RigidCoord, RigidCoord)>, BuildError> {
    if x0.len() != x.len() {
        let text = format!("`x` has {} frames, `x0` {}", x.len(), x0.len());
        return Err(BuildError::attribute("x", text));
    }
    Ok(x0.iter().map(frame).zip(x.iter().map(frame)).collect())
}

/// **Source:** as SOFA's: with a template that ends in `Mat4x4` rows of 4 by 4 matrices x x0^-1, else the same as frames.
fn transforms(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Transforms::read(b)?;
    let as_matrices = b.attributes.template.as_deref().is_some_and(|t| t.trim_end().ends_with("Mat4x4"));
    let mut reals = Vec::new();
    for (rest, now) in pairs(&s.x0, &s.x)? {
        let turn: Quat = now.orientation * rest.orientation.conjugate();
        let linear = quat_to_matrix(&turn);
        let shift = now.center - linear * rest.center;
        if as_matrices {
            push_rows(&mut reals, &linear, &shift);
        } else {
            reals.extend_from_slice(shift.as_slice());
            reals.extend_from_slice(turn.coords.as_slice());
        }
    }
    b.offer("displacements", Value::Reals(reals));
    Ok(())
}

/// **Source:** as SOFA's: x S x0^-1 with the stretches S.
fn matrices(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Matrices::read(b)?;
    let pairs = pairs(&s.x0, &s.x)?;
    if !s.scales.is_empty() && s.scales.len() != pairs.len() {
        let text = format!("{} `scales` are given for {} frames", s.scales.len(), pairs.len());
        return Err(BuildError::attribute("scales", text));
    }
    let mut reals = Vec::new();
    for (i, (rest, now)) in pairs.iter().enumerate() {
        let stretch = Mat3::from_diagonal(&s.scales.get(i).copied().unwrap_or(Vec3::repeat(1.0)));
        let linear =
            quat_to_matrix(&now.orientation) * stretch * quat_to_matrix(&rest.orientation).transpose();
        push_rows(&mut reals, &linear, &(now.center - linear * rest.center));
    }
    b.offer("displaceMats", Value::Reals(reals.clone()));
    b.offer("displacements", Value::Reals(reals));
    Ok(())
}

fn push_rows(reals: &mut Vec<f64>, linear: &Mat3, shift: &Vec3) {
    for i in 0..3 {
        reals.extend([linear[(i, 0)], linear[(i, 1)], linear[(i, 2)], shift[i]]);
    }
    reals.extend([0.0, 0.0, 0.0, 1.0]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    const FRAMES: [(&str, &str); 2] =
        [("x0", "1 0 0 0 0 0 1"), ("x", "0 2 0 0 0 0.7071067811865476 0.7071067811865476")];

    #[test]
    fn displacements_bring_rest_to_now() {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&ALL[1], root, &[FRAMES[0], FRAMES[1], ("scales", "2 1 1")]).unwrap();
        let m = t.scene.component(c).fields["displaceMats"].reals().unwrap();
        let wanted = [0.0, -1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        assert!(m.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-15), "{m:?}");
        let c = t.add(&ALL[0], root, &FRAMES).unwrap();
        let q = t.scene.component(c).fields["displacements"].reals().unwrap();
        assert!((Vec3::new(q[0], q[1], q[2]) - Vec3::new(0.0, 1.0, 0.0)).norm() < 1e-15 && q.len() == 7);
        assert!(t.add(&ALL[0], root, &FRAMES[..1]).is_err());
    }
}
