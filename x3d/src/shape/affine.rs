//! Affine maps: where nodes stand in the world.

/// A map x -> A x + b of points \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// A, row by row.
    pub linear: [[f64; 3]; 3],
    /// b.
    pub offset: [f64; 3],
}

/// The product of two matrices.
fn product(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

impl Affine {
    /// What leaves points where they are.
    pub const IDENTITY: Self =
        Self { linear: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], offset: [0.0; 3] };

    /// A translation.
    pub fn translation(offset: [f64; 3]) -> Self {
        Self { offset, ..Self::IDENTITY }
    }

    /// A scale along the axes.
    pub fn scale(s: [f64; 3]) -> Self {
        Self { linear: [[s[0], 0.0, 0.0], [0.0, s[1], 0.0], [0.0, 0.0, s[2]]], offset: [0.0; 3] }
    }

    /// A rotation about an axis by an angle \[rad\]; an axis without length turns nothing.
    pub fn rotation([x, y, z, angle]: [f64; 4]) -> Self {
        let length = (x * x + y * y + z * z).sqrt();
        if length == 0.0 || !length.is_finite() {
            return Self::IDENTITY;
        }
        let (x, y, z) = (x / length, y / length, z / length);
        let (s, c) = angle.sin_cos();
        let t = 1.0 - c;
        let linear = [
            [t * x * x + c, t * x * y - s * z, t * x * z + s * y],
            [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
            [t * x * z - s * y, t * y * z + s * x, t * z * z + c],
        ];
        Self { linear, offset: [0.0; 3] }
    }

    /// The map back; none if this loses a dimension.
    pub fn inverse(&self) -> Option<Self> {
        let [a, b, c] = self.linear;
        let cross = |u: [f64; 3], v: [f64; 3]| {
            [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        };
        let columns = [cross(b, c), cross(c, a), cross(a, b)];
        let determinant: f64 = (0..3).map(|k| a[k] * columns[0][k]).sum();
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        let linear = std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i] / determinant));
        let back = Self { linear, offset: [0.0; 3] };
        Some(Self { linear, offset: back.turn(self.offset).map(|x| -x) })
    }

    /// First `inner`, then this.
    pub fn after(&self, inner: &Self) -> Self {
        Self { linear: product(&self.linear, &inner.linear), offset: self.apply(inner.offset) }
    }

    /// Where a point comes to.
    pub fn apply(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| (0..3).map(|k| self.linear[i][k] * p[k]).sum::<f64>() + self.offset[i])
    }

    /// Where a direction points to.
    pub fn turn(&self, d: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| (0..3).map(|k| self.linear[i][k] * d[k]).sum())
    }

    /// The map of a Transform: translation, center, rotation, and a scale along axes that are turned by an orientation.
    ///
    /// **Source:** ISO/IEC 19775-1, 10.4.4, *Transform*: P' = T C R SR S -SR -C P.
    pub fn transform(
        translation: [f64; 3],
        center: [f64; 3],
        rotation: [f64; 4],
        scale: [f64; 3],
        [x, y, z, angle]: [f64; 4],
    ) -> Self {
        let mut all = Self::translation(translation);
        if scale == [1.0; 3] {
            all = all.after(&Self::translation(center)).after(&Self::rotation(rotation));
        } else {
            all = all.after(&Self::translation(center)).after(&Self::rotation(rotation));
            all = all.after(&Self::rotation([x, y, z, angle])).after(&Self::scale(scale));
            all = all.after(&Self::rotation([x, y, z, -angle]));
        }
        all.after(&Self::translation(center.map(|c| -c)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transform_turns_about_its_center() {
        let half = std::f64::consts::FRAC_PI_2;
        let t = Affine::transform(
            [0.0, 0.0, 5.0],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 2.0, half],
            [2.0, 1.0, 1.0],
            [0.0, 0.0, 1.0, 0.0],
        );
        // One to the right of the center: two after the scale, up after the turn.
        let p = t.apply([2.0, 0.0, 0.0]);
        let expected = [1.0, 2.0, 5.0];
        assert!(p.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{p:?}");
        assert!(t.apply([1.0, 0.0, 0.0]).iter().zip([1.0, 0.0, 5.0]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(Affine::rotation([0.0, 0.0, 0.0, 1.0]), Affine::IDENTITY);
    }

    #[test]
    fn there_and_back() {
        let map = Affine::transform(
            [1.0, 2.0, 3.0],
            [0.5, 0.0, -1.0],
            [1.0, 2.0, -1.0, 0.7],
            [2.0, 0.5, 3.0],
            [0.0, 1.0, 0.0, 0.3],
        );
        let both = map.inverse().expect("it keeps all dimensions").after(&map);
        let p = both.apply([0.3, -4.0, 2.0]);
        assert!(p.iter().zip([0.3, -4.0, 2.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{p:?}");
        assert!(Affine::scale([1.0, 0.0, 1.0]).inverse().is_none());
    }
}
