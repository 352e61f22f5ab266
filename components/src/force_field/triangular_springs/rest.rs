//! A triangle at rest.

use sim_core::math::{Real, Vec3};

/// Squared lengths, area and cotangents of a triangle at rest; side j is opposite to point j.
#[derive(Clone, Copy, Debug)]
pub struct RestTriangle {
    /// Squares of the sides' lengths [m²].
    pub squares: [Real; 3],
    /// Area [m²].
    pub area: Real,
    /// Cotangents of the angles.
    pub cotangents: [Real; 3],
}

impl RestTriangle {
    /// Of three points; none if they have no area.
    pub fn new(p: &[Vec3; 3]) -> Option<Self> {
        let squares = [0, 1, 2].map(|j| (p[(j + 2) % 3] - p[(j + 1) % 3]).norm_squared());
        let others = |j: usize| squares[(j + 1) % 3] + squares[(j + 2) % 3] - squares[j];
        let area = 0.25 * (0..3).map(|j| squares[j] * others(j)).sum::<Real>().max(0.0).sqrt();
        let size: Real = squares.iter().sum();
        let has_area = area > 1e-12 * size && area.is_finite();
        has_area.then(|| Self { squares, area, cotangents: [0, 1, 2].map(|j| others(j) / (4.0 * area)) })
    }

    /// Stiffness of each side's spring and of each corner's, per (2 cot² (λ + μ) + μ) / A and so on.
    pub fn constants(&self, [lambda, mu]: [Real; 2]) -> [[Real; 3]; 2] {
        let cot = &self.cotangents;
        let sides = [0, 1, 2].map(|j| (2.0 * cot[j] * cot[j] * (lambda + mu) + mu) / self.area);
        let corners =
            [0, 1, 2].map(|j| (2.0 * cot[(j + 1) % 3] * cot[(j + 2) % 3] * (lambda + mu) - mu) / self.area);
        [sides, corners]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_triangle_has_its_area_and_cotangents() {
        let t = RestTriangle::new(&[Vec3::zeros(), Vec3::x() * 3.0, Vec3::y() * 4.0]).unwrap();
        assert!((t.area - 6.0).abs() < 1e-14);
        let wanted = [0.0, 3.0 / 4.0, 4.0 / 3.0];
        assert!(t.cotangents.iter().zip(wanted).all(|(c, w)| (c - w).abs() < 1e-14));
        assert!(RestTriangle::new(&[Vec3::zeros(), Vec3::x(), Vec3::x() * 3.0]).is_none());
    }
}
