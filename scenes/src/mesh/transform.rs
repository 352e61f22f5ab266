//! Where loaders put the positions of a mesh.

use sim_core::math::{Mat3, Vec3, quat_from_euler_degrees, quat_to_matrix};

/// The attributes that move the positions of a mesh: x := T R S x, or x := M x.
#[derive(Clone, Debug, PartialEq)]
pub struct Transform {
    /// Translation [m].
    pub translation: Vec3,
    /// Rotation about x, then y, then z, fixed axes [degrees].
    pub rotation: Vec3,
    /// Scale along the axes.
    pub scale3d: Vec3,
    /// `transformation`: rows of a 4 by 4 matrix that, if given and not the identity, replaces all the others.
    pub transformation: Option<[[f64; 4]; 4]>,
}

impl Default for Transform {
    fn default() -> Self {
        Self {
            translation: Vec3::zeros(),
            rotation: Vec3::zeros(),
            scale3d: Vec3::new(1.0, 1.0, 1.0),
            transformation: None,
        }
    }
}

impl Transform {
    /// Moves positions; the identity leaves every bit as it is.
    pub fn apply(&self, positions: &mut [Vec3]) {
        if let Some((linear, offset)) = self.matrix() {
            for x in positions {
                *x = linear * *x + offset;
            }
        }
    }

    /// Linear part and offset; `None` for the identity.
    ///
    /// **Source:** as SOFA, which ignores a matrix whose last row is not (0, 0, 0, 1).
    pub(super) fn matrix(&self) -> Option<(Mat3, Vec3)> {
        const IDENTITY: [[f64; 4]; 4] =
            [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
        let (linear, offset) = match &self.transformation {
            Some(m) if *m != IDENTITY => {
                if m[3] != IDENTITY[3] {
                    log::warn!("a transformation whose last row is not 0 0 0 1 is ignored");
                    return None;
                }
                (Mat3::from_fn(|i, j| m[i][j]), Vec3::from_fn(|i, _| m[i][3]))
            }
            _ => {
                let r = quat_to_matrix(&quat_from_euler_degrees(self.rotation));
                (Mat3::from_fn(|i, j| r[(i, j)] * self.scale3d[j]), self.translation)
            }
        };
        (linear != Mat3::identity() || offset != Vec3::zeros()).then_some((linear, offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_scaled_then_rotated_then_translated() {
        let mut x = [Vec3::new(1.0, 0.0, 0.0)];
        Transform {
            translation: Vec3::new(0.0, 0.0, 5.0),
            rotation: Vec3::new(0.0, 0.0, 90.0),
            scale3d: Vec3::new(2.0, 7.0, 7.0),
            transformation: None,
        }
        .apply(&mut x);
        assert!((x[0] - Vec3::new(0.0, 2.0, 5.0)).norm() < 1e-15);
    }

    #[test]
    fn a_matrix_replaces_the_other_attributes() {
        let m = [[1.0, 0.0, 0.0, 3.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
        let transform = |transformation| Transform {
            translation: Vec3::new(0.0, 1.0, 0.0),
            transformation: Some(transformation),
            ..Transform::default()
        };
        let mut x = [Vec3::zeros()];
        transform(m).apply(&mut x);
        assert_eq!(x[0], Vec3::new(3.0, 0.0, 0.0));
        let mut not_affine = m;
        not_affine[3][0] = 1.0;
        transform(not_affine).apply(&mut x);
        assert_eq!(x[0], Vec3::new(3.0, 0.0, 0.0));
    }
}
