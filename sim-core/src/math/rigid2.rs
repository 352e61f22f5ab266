//! Rigid frames in a plane.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use engine::data::InnerProduct;

use super::{Coord, Deriv, Quat, StateType, Vec2, Vec3, rotate};

/// The position and orientation of a rigid frame in the plane z = 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
pub struct Rigid2Coord {
    /// Centre [m].
    pub center: Vec2,
    /// Angle about z [rad].
    pub orientation: f64,
}

/// The velocity, force or displacement of a rigid frame in the plane z = 0, about its centre.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
pub struct Rigid2Deriv {
    /// Linear part.
    pub linear: Vec2,
    /// Angular part, about z.
    pub angular: f64,
}

impl Add for Rigid2Deriv {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { linear: self.linear + o.linear, angular: self.angular + o.angular }
    }
}
impl Sub for Rigid2Deriv {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self { linear: self.linear - o.linear, angular: self.angular - o.angular }
    }
}
impl Neg for Rigid2Deriv {
    type Output = Self;
    fn neg(self) -> Self {
        Self { linear: -self.linear, angular: -self.angular }
    }
}
impl Mul<f64> for Rigid2Deriv {
    type Output = Self;
    fn mul(self, s: f64) -> Self {
        Self { linear: self.linear * s, angular: self.angular * s }
    }
}
impl AddAssign for Rigid2Deriv {
    fn add_assign(&mut self, o: Self) {
        self.linear += o.linear;
        self.angular += o.angular;
    }
}
impl SubAssign for Rigid2Deriv {
    fn sub_assign(&mut self, o: Self) {
        self.linear -= o.linear;
        self.angular -= o.angular;
    }
}

impl InnerProduct for Rigid2Deriv {
    const COMPONENTS: usize = 3;
    #[inline]
    fn inner(&self, o: &Self) -> f64 {
        self.linear.inner(&o.linear) + self.angular * o.angular
    }
}

impl Deriv for Rigid2Deriv {
    const SIZE: usize = 3;
    const BLOCKS: usize = 1;
    type Translation = Vec2;

    #[inline]
    fn block(&self, _: usize) -> Vec3 {
        Vec3::new(self.linear.x, self.linear.y, self.angular)
    }
    #[inline]
    fn set_block(&mut self, _: usize, block: Vec3) {
        *self = Self { linear: Vec2::new(block.x, block.y), angular: block.z };
    }
    #[inline]
    fn is_finite(&self) -> bool {
        Deriv::is_finite(&self.linear) & self.angular.is_finite()
    }
    #[inline]
    fn divided(&self, by: f64) -> Self {
        Self { linear: self.linear / by, angular: self.angular / by }
    }
    #[inline]
    fn translation(&self) -> Vec2 {
        self.linear
    }
    #[inline]
    fn add_translation(&mut self, t: &Vec2) {
        self.linear += t;
    }
    #[inline]
    fn add_linear(&mut self, v: &Vec3) {
        self.linear.add_linear(v);
    }
    fn linear(&self) -> Vec3 {
        self.linear.linear()
    }
    fn scalars(&self, out: &mut Vec<f64>) {
        out.extend_from_slice(&[self.linear.x, self.linear.y, self.angular]);
    }
    fn scalar_mut(&mut self, k: usize) -> &mut f64 {
        assert!(k < Self::SIZE, "there are 3 scalars, and no scalar {k}");
        if k < 2 { &mut self.linear[k] } else { &mut self.angular }
    }
    fn scalar(&self, k: usize) -> f64 {
        self.block(0)[k]
    }
    fn from_scalars(s: &[f64]) -> Option<Self> {
        (s.len() >= 3).then(|| Self { linear: Vec2::new(s[0], s[1]), angular: s[2] })
    }
}

/// **Source:** as SOFA's RigidCoord of two dimensions: all of it is added to, scaled and compared as numbers.
impl Coord for Rigid2Coord {
    type Deriv = Rigid2Deriv;
    const SIZE: usize = 3;

    #[inline]
    fn moved(&self, d: &Rigid2Deriv) -> Self {
        Self { center: self.center + d.linear, orientation: self.orientation + d.angular }
    }
    fn center(&self) -> Vec3 {
        self.center.linear()
    }
    fn orientation(&self) -> Option<Quat> {
        let (sin, cos) = (self.orientation / 2.0).sin_cos();
        Some(Quat::new(cos, 0.0, 0.0, sin))
    }
    fn position(&self) -> Vec2 {
        self.center
    }
    fn scaled(&self, factor: f64) -> Self {
        Self { center: self.center * factor, orientation: self.orientation * factor }
    }
    fn at(point: Vec3) -> Self {
        Self { center: Vec2::new(point.x, point.y), orientation: 0.0 }
    }
    /// **Source:** as SOFA's MechanicalObject: the third scale meets the third scalar, which is the angle here, and a
    /// rotation turns the centre about the origin but not the frame.
    fn transformed(&self, scale: &Vec3, rotation: &Quat, translation: &Vec3) -> Self {
        let center = rotate(rotation, &self.center().component_mul(scale)) + translation;
        Self { center: Vec2::new(center.x, center.y), orientation: self.orientation * scale.z }
    }
    #[inline]
    fn is_finite(&self) -> bool {
        Deriv::is_finite(&self.center) & self.orientation.is_finite()
    }
    fn scalars(&self, out: &mut Vec<f64>) {
        out.extend_from_slice(&[self.center.x, self.center.y, self.orientation]);
    }
    fn from_scalars(s: &[f64]) -> Option<Self> {
        (s.len() >= 3).then(|| Self { center: Vec2::new(s[0], s[1]), orientation: s[2] })
    }
}

/// Rigid frames in a plane.
#[derive(Clone, Copy, Debug)]
pub struct Rigid2Type;

impl StateType for Rigid2Type {
    const NAME: &'static str = "Rigid2";
    const IS_FRAME: bool = true;
    type Coord = Rigid2Coord;
    type Deriv = Rigid2Deriv;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quat_from_euler_degrees;

    #[test]
    fn its_scalars_are_those_of_its_block() {
        let mut d = Rigid2Deriv::from_scalars(&[1.0, 2.0, 3.0]).expect("three");
        for k in 0..3 {
            *d.scalar_mut(k) += 1.0;
            assert_eq!(d.scalar(k), d.block(0)[k]);
        }
        assert_eq!(d.block(0), Vec3::new(2.0, 3.0, 4.0));
        assert_eq!(d.inner(&d), 29.0);
    }

    #[test]
    fn a_rotation_turns_the_centre_only_and_the_third_scale_meets_the_angle() {
        let x = Rigid2Coord { center: Vec2::new(1.0, 0.0), orientation: 0.5 };
        let turn = quat_from_euler_degrees(Vec3::new(0.0, 0.0, 90.0));
        let moved = x.transformed(&Vec3::new(2.0, 2.0, 2.0), &turn, &Vec3::new(0.0, 1.0, 9.0));
        assert!((moved.center - Vec2::new(0.0, 3.0)).norm() < 1e-15);
        assert_eq!(moved.orientation, 1.0);
        let turned = rotate(&moved.orientation().expect("a frame"), &Vec3::x());
        assert!((turned - Vec3::new(1.0_f64.cos(), 1.0_f64.sin(), 0.0)).norm() < 1e-15);
    }
}
