//! What a type of state is: its positions, its velocities and its name.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use engine::data::InnerProduct;

use super::{Mat3, Quat, Vec3};

/// A velocity-like vector of one degree of freedom: what solvers add, scale and multiply; its inner product adds in SOFA's
/// order.
pub trait Deriv:
    InnerProduct
    + bytemuck::Pod
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
    /// Each scalar divided by a number, as SOFA's divisions are, and not multiplied by its inverse.
    fn divided(&self, by: f64) -> Self;
    /// The blocks of the identity on the diagonal: ones where there are scalars, zeros where there are none.
    fn identity_block(k: usize) -> Mat3 {
        Mat3::from_fn(|i, j| f64::from(i == j && 3 * k + i < Self::SIZE))
    }
    /// The zero vector.
    fn zero() -> Self {
        Self::default()
    }
    /// Whether every scalar is finite.
    fn is_finite(&self) -> bool;
    /// What is left of it without rotations, in as many dimensions as the state's points have (SOFA's `DPos`).
    type Translation: Deriv<Translation = Self::Translation>;
    /// The part without rotations.
    fn translation(&self) -> Self::Translation;
    /// Adds to the part without rotations.
    fn add_translation(&mut self, t: &Self::Translation);
    /// Adds a translation (gravity, a contact force at the centre) to the linear part, in space: components that it has not are left out.
    fn add_linear(&mut self, v: &Vec3);
    /// What there is of a vector in space in the linear part; zero elsewhere.
    fn from_linear(v: &Vec3) -> Self {
        let mut all = Self::zero();
        all.add_linear(v);
        all
    }
    /// The linear part in space; zero where it has no component.
    fn linear(&self) -> Vec3;
    /// Appends the scalars.
    fn scalars(&self, out: &mut Vec<f64>);
    /// One of the `SIZE` scalars.
    ///
    /// # Panics
    /// If there is no such scalar.
    fn scalar_mut(&mut self, k: usize) -> &mut f64;
    /// One of the `SIZE` scalars.
    ///
    /// # Panics
    /// If there is no such scalar.
    fn scalar(&self, k: usize) -> f64;
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
    /// The point it is at, in space; zero where it has no component.
    fn center(&self) -> Vec3;
    /// Its orientation in space, if it is a frame: a unit quaternion.
    fn orientation(&self) -> Option<Quat> {
        None
    }
    /// The point it is at, in as many dimensions as the state's points have (SOFA's `CPos`).
    fn position(&self) -> <Self::Deriv as Deriv>::Translation;
    /// Each scalar that is no orientation in space, times a factor (MechanicalObject's `restScale`).
    fn scaled(&self, factor: f64) -> Self;
    /// The coordinate at a point, with identity orientation.
    fn at(point: Vec3) -> Self;
    /// Scales, rotates, then translates (MechanicalObject's transform). Points of fewer dimensions are padded with zeros
    /// first; what they have not is left out afterwards.
    fn transformed(&self, scale: &Vec3, rotation: &Quat, translation: &Vec3) -> Self;
    /// Whether every scalar is finite.
    fn is_finite(&self) -> bool;
    /// Appends the scalars.
    fn scalars(&self, out: &mut Vec<f64>);
    /// Builds one from `SIZE` scalars; fewer give `None`.
    fn from_scalars(s: &[f64]) -> Option<Self>;
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
