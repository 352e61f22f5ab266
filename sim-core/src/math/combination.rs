//! Linear combinations of vectors: what solvers spend their own time on.
//!
//! Each is a plain loop over scalars, compiled for every instruction set that [`dispatch`] knows. Scalars never mix, so the bits
//! are those of the same operations on degrees of freedom, whatever the processor.

use super::Deriv;
use super::lane::{Lane, LaneKernel, dispatch};

/// The scalars of a vector, one degree of freedom after the other.
fn scalars<D: Deriv>(v: &[D]) -> &[f64] {
    bytemuck::cast_slice(v)
}

fn scalars_mut<D: Deriv>(v: &mut [D]) -> &mut [f64] {
    bytemuck::cast_slice_mut(v)
}

/// a := a + b s.
pub fn add_scaled<D: Deriv>(a: &mut [D], b: &[D], s: f64) {
    dispatch(AddScaled { a: scalars_mut(a), b: scalars(b), s });
}

struct AddScaled<'a> {
    a: &'a mut [f64],
    b: &'a [f64],
    s: f64,
}

impl LaneKernel for AddScaled<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for (a, b) in self.a.iter_mut().zip(self.b) {
            *a += *b * self.s;
        }
    }
}

/// a := b + c s.
pub fn set_sum<D: Deriv>(a: &mut [D], b: &[D], c: &[D], s: f64) {
    dispatch(SetSum { a: scalars_mut(a), b: scalars(b), c: scalars(c), s });
}

struct SetSum<'a> {
    a: &'a mut [f64],
    b: &'a [f64],
    c: &'a [f64],
    s: f64,
}

impl LaneKernel for SetSum<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for ((a, b), c) in self.a.iter_mut().zip(self.b).zip(self.c) {
            *a = *b + *c * self.s;
        }
    }
}

/// a := a s + b.
pub fn scale_and_add<D: Deriv>(a: &mut [D], s: f64, b: &[D]) {
    dispatch(ScaleAndAdd { a: scalars_mut(a), s, b: scalars(b) });
}

struct ScaleAndAdd<'a> {
    a: &'a mut [f64],
    s: f64,
    b: &'a [f64],
}

impl LaneKernel for ScaleAndAdd<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for (a, b) in self.a.iter_mut().zip(self.b) {
            *a = *a * self.s + *b;
        }
    }
}

/// a := a s.
pub fn scale<D: Deriv>(a: &mut [D], s: f64) {
    dispatch(Scale { a: scalars_mut(a), s });
}

struct Scale<'a> {
    a: &'a mut [f64],
    s: f64,
}

impl LaneKernel for Scale<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for a in self.a {
            *a *= self.s;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Rigid3Type, StateType, Vec1Type, Vec2Type, Vec3Type, Vec6Type};
    use crate::testing::Random;

    /// The same operations on degrees of freedom.
    fn has_the_bits_of_single_ones<S: StateType>(n: usize) {
        let mut random = Random::new(n as u64);
        let [a, b, c]: [Vec<S::Deriv>; 3] = std::array::from_fn(|_| random.derivs(n));
        let s = random.real();
        let plain = |of: &dyn Fn(usize) -> S::Deriv| (0..n).map(of).collect::<Vec<_>>();
        let mut out = a.clone();
        add_scaled(&mut out, &b, s);
        assert_eq!(out, plain(&|i| a[i] + b[i] * s));
        set_sum(&mut out, &b, &c, s);
        assert_eq!(out, plain(&|i| b[i] + c[i] * s));
        out.copy_from_slice(&a);
        scale_and_add(&mut out, s, &b);
        assert_eq!(out, plain(&|i| a[i] * s + b[i]));
        out.copy_from_slice(&a);
        scale(&mut out, s);
        assert_eq!(out, plain(&|i| a[i] * s));
    }

    #[test]
    fn all_types_and_lengths_have_the_bits_of_single_degrees_of_freedom() {
        for n in [0, 1, 2, 3, 5, 8, 13, 64, 127] {
            has_the_bits_of_single_ones::<Vec3Type>(n);
            has_the_bits_of_single_ones::<Rigid3Type>(n);
            has_the_bits_of_single_ones::<Vec1Type>(n);
            has_the_bits_of_single_ones::<Vec2Type>(n);
            has_the_bits_of_single_ones::<Vec6Type>(n);
        }
    }
}
