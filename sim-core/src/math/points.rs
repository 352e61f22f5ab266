//! Points of any number of dimensions.

use nalgebra::SVector;

use super::{Coord, Deriv, Quat, StateType, Vec1, Vec2, Vec3, Vec6, rotate};

/// Velocities, forces and displacements of points.
impl<const N: usize> Deriv for SVector<f64, N>
where
    Self: Default,
{
    const SIZE: usize = N;
    const BLOCKS: usize = N.div_ceil(3);
    type Translation = Self;

    #[inline]
    fn block(&self, k: usize) -> Vec3 {
        Vec3::from_fn(|i, _| if 3 * k + i < N { self[3 * k + i] } else { 0.0 })
    }
    #[inline]
    fn set_block(&mut self, k: usize, block: Vec3) {
        for i in 0..(N - 3 * k).min(3) {
            self[3 * k + i] = block[i];
        }
    }
    #[inline]
    fn is_finite(&self) -> bool {
        self.iter().fold(true, |finite, c| finite & c.is_finite())
    }
    #[inline]
    fn divided(&self, by: f64) -> Self {
        self / by
    }
    #[inline]
    fn translation(&self) -> Self {
        *self
    }
    #[inline]
    fn add_translation(&mut self, t: &Self) {
        *self += t;
    }
    #[inline]
    fn add_linear(&mut self, v: &Vec3) {
        for i in 0..N.min(3) {
            self[i] += v[i];
        }
    }
    #[inline]
    fn linear(&self) -> Vec3 {
        self.block(0)
    }
    fn scalars(&self, out: &mut Vec<f64>) {
        out.extend_from_slice(self.as_slice());
    }
    #[inline]
    fn scalar_mut(&mut self, k: usize) -> &mut f64 {
        &mut self[k]
    }
    #[inline]
    fn scalar(&self, k: usize) -> f64 {
        self[k]
    }
    fn from_scalars(s: &[f64]) -> Option<Self> {
        let numbers: [f64; N] = s.get(..N)?.try_into().ok()?;
        Some(Self::from(numbers))
    }
}

/// Positions of points.
impl<const N: usize> Coord for SVector<f64, N>
where
    Self: Default,
{
    type Deriv = Self;
    const SIZE: usize = N;

    #[inline]
    fn moved(&self, d: &Self) -> Self {
        self + d
    }
    #[inline]
    fn center(&self) -> Vec3 {
        self.linear()
    }
    #[inline]
    fn position(&self) -> Self {
        *self
    }
    fn scaled(&self, factor: f64) -> Self {
        self * factor
    }
    fn at(point: Vec3) -> Self {
        let mut x = Self::zeros();
        x.set_block(0, point);
        x
    }
    /// **Source:** as SOFA, which moves the first three components of a point that has more, and leaves the others.
    fn transformed(&self, scale: &Vec3, rotation: &Quat, translation: &Vec3) -> Self {
        let mut x = *self;
        x.set_block(0, rotate(rotation, &self.center().component_mul(scale)) + translation);
        x
    }
    #[inline]
    fn is_finite(&self) -> bool {
        Deriv::is_finite(self)
    }
    fn scalars(&self, out: &mut Vec<f64>) {
        Deriv::scalars(self, out);
    }
    fn from_scalars(s: &[f64]) -> Option<Self> {
        <Self as Deriv>::from_scalars(s)
    }
}

/// Points in space.
#[derive(Clone, Copy, Debug)]
pub struct Vec3Type;
/// Points on a line, or single numbers: what a joint's angle or a length is.
#[derive(Clone, Copy, Debug)]
pub struct Vec1Type;
/// Points in a plane.
#[derive(Clone, Copy, Debug)]
pub struct Vec2Type;
/// Points of six dimensions. The first three are seen in space, and gravity acts on them.
#[derive(Clone, Copy, Debug)]
pub struct Vec6Type;

impl StateType for Vec3Type {
    const NAME: &'static str = "Vec3";
    const IS_FRAME: bool = false;
    type Coord = Vec3;
    type Deriv = Vec3;
}
impl StateType for Vec1Type {
    const NAME: &'static str = "Vec1";
    const IS_FRAME: bool = false;
    type Coord = Vec1;
    type Deriv = Vec1;
}
impl StateType for Vec2Type {
    const NAME: &'static str = "Vec2";
    const IS_FRAME: bool = false;
    type Coord = Vec2;
    type Deriv = Vec2;
}
impl StateType for Vec6Type {
    const NAME: &'static str = "Vec6";
    const IS_FRAME: bool = false;
    type Coord = Vec6;
    type Deriv = Vec6;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quat_from_euler_degrees;

    #[test]
    fn blocks_hold_what_there_is_and_zeros() {
        let mut line = Vec1::new(5.0);
        assert_eq!(line.block(0), Vec3::new(5.0, 0.0, 0.0));
        line.set_block(0, Vec3::new(1.0, 2.0, 3.0));
        assert_eq!((line, Vec1::BLOCKS, Vec2::BLOCKS, Vec6::BLOCKS), (Vec1::new(1.0), 1, 1, 2));
        let mut six = Vec6::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
        assert_eq!(six.block(1), Vec3::new(4.0, 5.0, 6.0));
        six.set_block(1, Vec3::zeros());
        assert_eq!(six, Vec6::new(1.0, 2.0, 3.0, 0.0, 0.0, 0.0));
    }

    #[test]
    fn a_transform_moves_what_a_point_has_of_space() {
        let turn = quat_from_euler_degrees(Vec3::new(0.0, 0.0, 90.0));
        let (scale, shift) = (Vec3::new(2.0, 3.0, 4.0), Vec3::new(10.0, 20.0, 30.0));
        assert!(
            (Vec2::new(1.0, 1.0).transformed(&scale, &turn, &shift) - Vec2::new(7.0, 22.0)).norm() < 1e-14
        );
        assert!((Vec1::new(1.0).transformed(&scale, &turn, &shift) - Vec1::new(10.0)).norm() < 1e-14);
        let x = Vec6::new(1.0, 1.0, 1.0, 4.0, 5.0, 6.0).transformed(&scale, &turn, &shift);
        assert!((x - Vec6::new(7.0, 22.0, 34.0, 4.0, 5.0, 6.0)).norm() < 1e-14);
    }
}
