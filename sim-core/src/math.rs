//! The everyday mathematical types: reals, 3-vectors, rotations, rigid coordinates and their derivatives.
//!
//! Formulas and the order of their operations are SOFA's, since some of its scenes amplify the last bit.

pub mod combination;
pub mod lane;
mod points;
mod rigid2;
mod rigid3;
mod state_type;

pub use points::{Vec1Type, Vec2Type, Vec3Type, Vec6Type};
pub use rigid2::{Rigid2Coord, Rigid2Deriv, Rigid2Type};
pub use rigid3::{Rigid3Type, RigidCoord, RigidDeriv};
pub use state_type::{Coord, Deriv, StateType};

use engine::data::Store;

/// The one scalar type of the simulation.
pub type Real = f64;
/// A point, vector, velocity or force in space.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A point, vector, velocity or force on a line.
pub type Vec1 = nalgebra::Vector1<f64>;
/// A point, vector, velocity or force in a plane.
pub type Vec2 = nalgebra::Vector2<f64>;
/// Six numbers of a degree of freedom: a point in space, and three more.
pub type Vec6 = nalgebra::Vector6<f64>;
/// A 3 by 3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// A quaternion stored as (x, y, z, w).
pub type Quat = nalgebra::Quaternion<f64>;

/// The quaternion of R = Rz(c) Ry(b) Rx(a), angles in degrees: first about x, then y, then z, all fixed axes.
///
/// **Source:** as SOFA's attributes `rotation` and `rx ry rz`.
pub fn quat_from_euler_degrees(angles: Vec3) -> Quat {
    let half = angles * (std::f64::consts::PI / 180.0) / 2.0;
    let (s1, c1) = half.x.sin_cos();
    let (s2, c2) = half.y.sin_cos();
    let (s3, c3) = half.z.sin_cos();
    Quat::new(
        c1 * c2 * c3 + s1 * s2 * s3,
        s1 * c2 * c3 - c1 * s2 * s3,
        c1 * s2 * c3 + s1 * c2 * s3,
        c1 * c2 * s3 - s1 * s2 * c3,
    )
}

/// Rotates a vector by a unit quaternion.
pub fn rotate(q: &Quat, v: &Vec3) -> Vec3 {
    quat_to_matrix(q) * v
}

/// The rotation matrix of a unit quaternion.
pub fn quat_to_matrix(q: &Quat) -> Mat3 {
    let (x, y, z, w) = (q.i, q.j, q.k, q.w);
    Mat3::new(
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - z * w),
        2.0 * (z * x + y * w),
        2.0 * (x * y + z * w),
        1.0 - 2.0 * (z * z + x * x),
        2.0 * (y * z - x * w),
        2.0 * (z * x - y * w),
        2.0 * (y * z + x * w),
        1.0 - 2.0 * (y * y + x * x),
    )
}

/// Tells a store which of our types consist of real numbers alone, so that values which are not finite can be found in them.
pub fn register_floats(store: &mut Store) {
    store.register_floats::<RigidCoord>();
    store.register_floats::<RigidDeriv>();
    store.register_floats::<Rigid2Coord>();
    store.register_floats::<Rigid2Deriv>();
}
