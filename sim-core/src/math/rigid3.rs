//! Rigid frames in space.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use engine::data::InnerProduct;

use super::{Coord, Deriv, Quat, StateType, Vec3, rotate};

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

impl InnerProduct for RigidDeriv {
    const COMPONENTS: usize = 6;
    #[inline]
    fn inner(&self, o: &Self) -> f64 {
        self.linear.inner(&o.linear) + self.angular.inner(&o.angular)
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
    type Translation = Vec3;
    #[inline]
    fn divided(&self, by: f64) -> Self {
        Self { linear: self.linear / by, angular: self.angular / by }
    }
    #[inline]
    fn translation(&self) -> Vec3 {
        self.linear
    }
    #[inline]
    fn add_translation(&mut self, t: &Vec3) {
        self.linear += t;
    }
    fn scalars(&self, out: &mut Vec<f64>) {
        out.extend_from_slice(self.linear.as_slice());
        out.extend_from_slice(self.angular.as_slice());
    }
    fn scalar_mut(&mut self, k: usize) -> &mut f64 {
        if k < 3 { &mut self.linear[k] } else { &mut self.angular[k - 3] }
    }
    fn scalar(&self, k: usize) -> f64 {
        if k < 3 { self.linear[k] } else { self.angular[k - 3] }
    }
    fn from_scalars(s: &[f64]) -> Option<Self> {
        (s.len() >= 6)
            .then(|| Self { linear: Vec3::new(s[0], s[1], s[2]), angular: Vec3::new(s[3], s[4], s[5]) })
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
    fn orientation(&self) -> Option<Quat> {
        Some(self.orientation)
    }
    fn position(&self) -> Vec3 {
        self.center
    }
    fn scaled(&self, factor: f64) -> Self {
        Self { center: self.center * factor, ..*self }
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

/// Rigid frames.
#[derive(Clone, Copy, Debug)]
pub struct Rigid3Type;

impl StateType for Rigid3Type {
    const NAME: &'static str = "Rigid3";
    const IS_FRAME: bool = true;
    type Coord = RigidCoord;
    type Deriv = RigidDeriv;
}
