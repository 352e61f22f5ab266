//! The everyday mathematical types: reals, 3-vectors, rotations, rigid coordinates and their derivatives.
//!
//! Formulas and the order of their operations are SOFA's, since some of its scenes amplify the last bit.

pub mod lane;

use engine::data::{InnerProduct, Store};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// The one scalar type of the simulation.
pub type Real = f64;
/// A point, vector, velocity or force in space.
pub type Vec3 = nalgebra::Vector3<f64>;
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

/// The position and orientation of a rigid frame.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
pub struct RigidCoord {
    /// Centre [m], world axes.
    pub center: Vec3,
    /// Unit quaternion (x, y, z, w).
    pub orientation: Quat,
}

/// The velocity, force or displacement of a rigid frame, in world axes about its centre.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
pub struct RigidDeriv {
    /// Linear part.
    pub linear: Vec3,
    /// Angular part.
    pub angular: Vec3,
}

impl Default for RigidCoord {
    fn default() -> Self {
        Self { center: Vec3::zeros(), orientation: Quat::identity() }
    }
}

impl Add for RigidDeriv {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { linear: self.linear + o.linear, angular: self.angular + o.angular }
    }
}
impl Sub for RigidDeriv {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self { linear: self.linear - o.linear, angular: self.angular - o.angular }
    }
}
impl Neg for RigidDeriv {
    type Output = Self;
    fn neg(self) -> Self {
        Self { linear: -self.linear, angular: -self.angular }
    }
}
impl Mul<f64> for RigidDeriv {
    type Output = Self;
    fn mul(self, s: f64) -> Self {
        Self { linear: self.linear * s, angular: self.angular * s }
    }
}
impl AddAssign for RigidDeriv {
    fn add_assign(&mut self, o: Self) {
        self.linear += o.linear;
        self.angular += o.angular;
    }
}
impl SubAssign for RigidDeriv {
    fn sub_assign(&mut self, o: Self) {
        self.linear -= o.linear;
        self.angular -= o.angular;
    }
}

/// Tells a store which of our types consist of real numbers alone, so that values which are not finite can be found in them.
pub fn register_floats(store: &mut Store) {
    store.register_floats::<RigidCoord>();
    store.register_floats::<RigidDeriv>();
}

/// A velocity-like vector of one degree of freedom: what solvers add, scale and multiply; its inner product adds in SOFA's
/// order.
pub trait Deriv:
    InnerProduct
    + Default
    + std::fmt::Debug
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
    + AddAssign
    + SubAssign
{
    /// Number of scalars.
    const SIZE: usize;
    /// Number of blocks of three scalars that it takes in an assembled matrix: `SIZE` / 3, rounded up.
    const BLOCKS: usize;
    /// Three of its scalars, from `3 k` on; zero where it has none.
    fn block(&self, k: usize) -> Vec3;
    /// Sets three of its scalars, from `3 k` on; those that it has not are left out.
    fn set_block(&mut self, k: usize, block: Vec3);
    /// The zero vector.
    fn zero() -> Self {
        Self::default()
    }
    /// Whether every scalar is finite.
    fn is_finite(&self) -> bool;
    /// Adds a translation (gravity, a contact force at the centre) to the linear part.
    fn add_linear(&mut self, v: &Vec3);
    /// The linear part.
    fn linear(&self) -> Vec3;
    /// Appends the scalars.
    fn scalars(&self, out: &mut Vec<f64>);
    /// One of the `SIZE` scalars.
    ///
    /// # Panics
    /// If there is no such scalar.
    fn scalar_mut(&mut self, k: usize) -> &mut f64;
    /// Builds one from `SIZE` scalars; fewer give `None`.
    fn from_scalars(s: &[f64]) -> Option<Self>;
}

/// A position-like coordinate of one degree of freedom.
pub trait Coord: Copy + Send + Sync + Default + std::fmt::Debug + PartialEq + 'static {
    /// The type of its velocity.
    type Deriv: Deriv;
    /// Number of scalars.
    const SIZE: usize;
    /// Where the four scalars of a unit quaternion begin, if it has one.
    const QUATERNION: Option<usize> = None;
    /// This coordinate moved by `d` (rigid: world-frame rotation vector, as SOFA integrates).
    fn moved(&self, d: &Self::Deriv) -> Self;
    /// The point it is at.
    fn center(&self) -> Vec3;
    /// The coordinate at a point, with identity orientation.
    fn at(point: Vec3) -> Self;
    /// Scales the centre, rotates it and the orientation, then translates (MechanicalObject's transform).
    fn transformed(&self, scale: &Vec3, rotation: &Quat, translation: &Vec3) -> Self;
    /// Whether every scalar is finite.
    fn is_finite(&self) -> bool;
    /// Appends the scalars.
    fn scalars(&self, out: &mut Vec<f64>);
    /// Builds one from `SIZE` scalars; fewer give `None`.
    fn from_scalars(s: &[f64]) -> Option<Self>;
}

impl InnerProduct for RigidDeriv {
    const COMPONENTS: usize = 6;
    #[inline]
    fn inner(&self, o: &Self) -> f64 {
        self.linear.inner(&o.linear) + self.angular.inner(&o.angular)
    }
}

impl Deriv for Vec3 {
    const SIZE: usize = 3;
    const BLOCKS: usize = 1;
    #[inline]
    fn block(&self, _: usize) -> Vec3 {
        *self
    }
    #[inline]
    fn set_block(&mut self, _: usize, block: Vec3) {
        *self = block;
    }
    #[inline]
    fn is_finite(&self) -> bool {
        self.x.is_finite() & self.y.is_finite() & self.z.is_finite()
    }
    #[inline]
    fn add_linear(&mut self, v: &Vec3) {
        *self += v;
    }
    fn linear(&self) -> Vec3 {
        *self
    }
    fn scalars(&self, out: &mut Vec<f64>) {
        out.extend_from_slice(self.as_slice());
    }
    fn scalar_mut(&mut self, k: usize) -> &mut f64 {
        &mut self[k]
    }
    fn from_scalars(s: &[f64]) -> Option<Self> {
        (s.len() >= 3).then(|| Vec3::new(s[0], s[1], s[2]))
    }
}

impl Deriv for RigidDeriv {
    const SIZE: usize = 6;
    const BLOCKS: usize = 2;
    #[inline]
    fn block(&self, k: usize) -> Vec3 {
        if k == 0 { self.linear } else { self.angular }
    }
    #[inline]
    fn set_block(&mut self, k: usize, block: Vec3) {
        *(if k == 0 { &mut self.linear } else { &mut self.angular }) = block;
    }
    #[inline]
    fn is_finite(&self) -> bool {
        Deriv::is_finite(&self.linear) & Deriv::is_finite(&self.angular)
    }
    #[inline]
    fn add_linear(&mut self, v: &Vec3) {
        self.linear += v;
    }
    fn linear(&self) -> Vec3 {
        self.linear
    }
    fn scalars(&self, out: &mut Vec<f64>) {
        out.extend_from_slice(self.linear.as_slice());
        out.extend_from_slice(self.angular.as_slice());
    }
    fn scalar_mut(&mut self, k: usize) -> &mut f64 {
        if k < 3 { &mut self.linear[k] } else { &mut self.angular[k - 3] }
    }
    fn from_scalars(s: &[f64]) -> Option<Self> {
        (s.len() >= 6)
            .then(|| Self { linear: Vec3::new(s[0], s[1], s[2]), angular: Vec3::new(s[3], s[4], s[5]) })
    }
}

impl Coord for Vec3 {
    type Deriv = Vec3;
    const SIZE: usize = 3;
    #[inline]
    fn moved(&self, d: &Vec3) -> Self {
        self + d
    }
    fn center(&self) -> Vec3 {
        *self
    }
    fn at(point: Vec3) -> Self {
        point
    }
    fn transformed(&self, scale: &Vec3, rotation: &Quat, translation: &Vec3) -> Self {
        rotate(rotation, &self.component_mul(scale)) + translation
    }
    #[inline]
    fn is_finite(&self) -> bool {
        Deriv::is_finite(self)
    }
    fn scalars(&self, out: &mut Vec<f64>) {
        out.extend_from_slice(self.as_slice());
    }
    fn from_scalars(s: &[f64]) -> Option<Self> {
        <Vec3 as Deriv>::from_scalars(s)
    }
}

impl Coord for RigidCoord {
    type Deriv = RigidDeriv;
    const SIZE: usize = 7;
    const QUATERNION: Option<usize> = Some(3);
    /// **Source:** as SOFA's RigidCoord + RigidDeriv: half rotation vector u, e = (sin|u|/|u| u, cos|u|), orientation := e * orientation.
    fn moved(&self, d: &RigidDeriv) -> Self {
        let u = d.angular / 2.0;
        let theta = u.inner(&u).sqrt();
        let e = if theta < f64::EPSILON {
            let q = Quat::new(1.0, u.x, u.y, u.z);
            q / q.norm()
        } else {
            let s = theta.sin() / theta;
            Quat::new(theta.cos(), s * u.x, s * u.y, s * u.z)
        };
        Self { center: self.center + d.linear, orientation: e * self.orientation }
    }
    fn center(&self) -> Vec3 {
        self.center
    }
    fn at(point: Vec3) -> Self {
        Self { center: point, orientation: Quat::identity() }
    }
    fn transformed(&self, scale: &Vec3, rotation: &Quat, translation: &Vec3) -> Self {
        Self {
            center: rotate(rotation, &self.center.component_mul(scale)) + translation,
            orientation: rotation * self.orientation,
        }
    }
    #[inline]
    fn is_finite(&self) -> bool {
        Deriv::is_finite(&self.center) && self.orientation.coords.iter().all(|c| c.is_finite())
    }
    fn scalars(&self, out: &mut Vec<f64>) {
        out.extend_from_slice(self.center.as_slice());
        out.extend_from_slice(self.orientation.coords.as_slice());
    }
    fn from_scalars(s: &[f64]) -> Option<Self> {
        (s.len() >= 7).then(|| Self {
            center: Vec3::new(s[0], s[1], s[2]),
            orientation: Quat::new(s[6], s[3], s[4], s[5]),
        })
    }
}

/// What kind of degrees of freedom a mechanical state has: SOFA's template argument.
pub trait StateType: Copy + Send + Sync + 'static {
    /// SOFA's name of the template (`Vec3`, `Rigid3`).
    const NAME: &'static str;
    /// Whether a degree of freedom is a frame, which has an orientation, and not a point.
    const IS_FRAME: bool;
    /// Positions.
    type Coord: Coord<Deriv = Self::Deriv>;
    /// Velocities, forces, displacements.
    type Deriv: Deriv;
}

/// Points in space.
#[derive(Clone, Copy, Debug)]
pub struct Vec3Type;
/// Rigid frames.
#[derive(Clone, Copy, Debug)]
pub struct Rigid3Type;

impl StateType for Vec3Type {
    const NAME: &'static str = "Vec3";
    const IS_FRAME: bool = false;
    type Coord = Vec3;
    type Deriv = Vec3;
}
impl StateType for Rigid3Type {
    const NAME: &'static str = "Rigid3";
    const IS_FRAME: bool = true;
    type Coord = RigidCoord;
    type Deriv = RigidDeriv;
}
