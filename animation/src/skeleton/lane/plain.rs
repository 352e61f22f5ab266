//! Arrays: what the others must give, bit for bit.

use std::array::from_fn;

use super::{Arithmetic, LANES, Lanes, Row};

/// No instructions but those for single numbers.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

impl Arithmetic for Plain {
    type V = Row;

    #[inline(always)]
    fn one(self) -> Row {
        self.splat(1.0)
    }

    #[inline(always)]
    fn add(self, a: Row, b: Row) -> Row {
        from_fn(|k| a[k] + b[k])
    }

    #[inline(always)]
    fn sub(self, a: Row, b: Row) -> Row {
        from_fn(|k| a[k] - b[k])
    }

    #[inline(always)]
    fn mul(self, a: Row, b: Row) -> Row {
        from_fn(|k| a[k] * b[k])
    }
}

impl Lanes for Plain {
    type M = [bool; LANES];

    #[inline(always)]
    fn load(self, from: &Row) -> Row {
        *from
    }

    #[inline(always)]
    fn store(self, v: Row, to: &mut Row) {
        *to = v;
    }

    #[inline(always)]
    fn splat(self, x: f32) -> Row {
        [x; LANES]
    }

    #[inline(always)]
    fn div(self, a: Row, b: Row) -> Row {
        from_fn(|k| a[k] / b[k])
    }

    #[inline(always)]
    fn sqrt(self, v: Row) -> Row {
        v.map(f32::sqrt)
    }

    #[inline(always)]
    fn is_greater(self, a: Row, b: Row) -> [bool; LANES] {
        from_fn(|k| a[k] > b[k])
    }

    #[inline(always)]
    fn select(self, yes: [bool; LANES], a: Row, b: Row) -> Row {
        from_fn(|k| if yes[k] { a[k] } else { b[k] })
    }

    #[inline(always)]
    fn with_sign_of(self, size: Row, sign: Row) -> Row {
        from_fn(|k| size[k].copysign(sign[k]))
    }

    #[inline(always)]
    fn halves(self, low: &[f32; 4], high: &[f32; 4]) -> Row {
        from_fn(|k| if k < 4 { low[k] } else { high[k - 4] })
    }

    #[inline(always)]
    fn split(self, v: Row) -> [[f32; 4]; 2] {
        [from_fn(|k| v[k]), from_fn(|k| v[k + 4])]
    }

    #[inline(always)]
    fn exchanged(self, a: Row, b: Row) -> [Row; 2] {
        let ([a, c], [b, d]) = (self.split(a), self.split(b));
        [self.halves(&a, &b), self.halves(&c, &d)]
    }

    #[inline(always)]
    fn spread<const AT: i32>(self, v: Row) -> Row {
        from_fn(|k| v[k / 4 * 4 + AT as usize])
    }

    #[inline(always)]
    fn transposed(self, rows: [Row; 4]) -> [Row; 4] {
        from_fn(|c| from_fn(|k| rows[k % 4][k / 4 * 4 + c]))
    }

    #[inline(always)]
    fn columns(self, of: &[[f32; 3]; LANES]) -> [Row; 3] {
        from_fn(|c| from_fn(|k| of[k][c]))
    }
}
