//! Rotations as the rows of constraints measure them.

use sim_core::math::{Quat, Vec3};

/// The rotation vector of a unit quaternion, its angle between 0 and pi [rad]; of q and -q the same.
pub(super) fn rotation_vector(q: &Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { *q };
    let v = q.imag();
    let sine = v.norm();
    if sine < 1e-16 {
        return v * 2.0;
    }
    v * (2.0 * sine.atan2(q.w) / sine)
}

/// Roll, pitch and yaw of a unit quaternion [rad].
///
/// **Source:** as SOFA's toEulerVector.
pub(crate) fn euler_angles(q: &Quat) -> Vec3 {
    let (w, x, y, z) = (q.w, q.i, q.j, q.k);
    Vec3::new(
        (2.0 * (w * x + y * z)).atan2(1.0 - 2.0 * (x * x + y * y)),
        (2.0 * (w * y - z * x)).clamp(-1.0, 1.0).asin(),
        (2.0 * (w * z + x * y)).atan2(1.0 - 2.0 * (y * y + z * z)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_about_an_axis() {
        let axis = Vec3::new(1.0, 2.0, -2.0) / 3.0;
        for angle in [1e-9, 0.3, 3.0f64] {
            let v = axis * (angle / 2.0).sin();
            let q = Quat::new((angle / 2.0).cos(), v.x, v.y, v.z);
            assert!((rotation_vector(&q) - axis * angle).norm() < 1e-15 * (1.0 + angle));
            assert!((rotation_vector(&-q) - axis * angle).norm() < 1e-15 * (1.0 + angle));
        }
        let quarter = Quat::new(0.5f64.sqrt(), 0.0, 0.0, 0.5f64.sqrt());
        let expected = Vec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2);
        assert!((euler_angles(&quarter) - expected).norm() < 1e-15);
    }
}
