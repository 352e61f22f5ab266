//! Linear elasticity of a triangle in its plane: plainly, one element at a time.

use sim_core::math::{Mat3, Real, Vec3};
use sim_core::prelude::InnerProduct;

/// An isotropic material in a plane, times the area (and thickness) of an element: stresses of strains xx, yy, and xy twice.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaneElasticity {
    normal: Real,
    cross: Real,
    shear: Real,
}

impl PlaneElasticity {
    /// Nothing pulls out of the plane. Young's modulus in Pa; times an area, the product is in N.
    pub fn plane_stress(young: Real, poisson: Real) -> Self {
        let factor = young / (1.0 - poisson * poisson);
        Self { normal: factor, cross: factor * poisson, shear: factor * (1.0 - poisson) / 2.0 }
    }

    /// Nothing moves out of the plane.
    pub fn plane_strain(young: Real, poisson: Real) -> Self {
        let factor = young / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Self { normal: factor * (1.0 - poisson), cross: factor * poisson, shear: factor * (0.5 - poisson) }
    }

    /// From the entries of its matrix.
    pub fn new(normal: Real, cross: Real, shear: Real) -> Self {
        Self { normal, cross, shear }
    }

    /// The same times a factor.
    pub fn times(self, factor: Real) -> Self {
        Self { normal: self.normal * factor, cross: self.cross * factor, shear: self.shear * factor }
    }

    fn stress(&self, [xx, yy, xy]: [Real; 3]) -> [Real; 3] {
        [self.normal * xx + self.cross * yy, self.cross * xx + self.normal * yy, self.shear * xy]
    }
}

/// Displacements or forces of three nodes in a plane.
pub type InPlane = [[Real; 2]; 3];

/// The gradients of a triangle's shape functions in its plane [1/m].
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaneGradients {
    x: [Real; 3],
    y: [Real; 3],
}

impl PlaneGradients {
    /// Of a triangle (0, 0), b, c; `twice_area` is what the sides are divided by.
    pub fn new([bx, by]: [Real; 2], [cx, cy]: [Real; 2], twice_area: Real) -> Self {
        let over = |side: Real| side / twice_area;
        Self { x: [by - cy, cy, -by].map(over), y: [cx - bx, -cx, bx].map(over) }
    }

    /// Forces of an elastic element on its nodes, of displacements that are taken from where they are to where they would rest.
    pub fn forces(&self, elasticity: &PlaneElasticity, u: &InPlane) -> InPlane {
        let (x, y) = (&self.x, &self.y);
        let strain = [
            x[0] * u[0][0] + x[1] * u[1][0] + x[2] * u[2][0],
            y[0] * u[0][1] + y[1] * u[1][1] + y[2] * u[2][1],
            y[0] * u[0][0]
                + x[0] * u[0][1]
                + y[1] * u[1][0]
                + x[1] * u[1][1]
                + y[2] * u[2][0]
                + x[2] * u[2][1],
        ];
        let [xx, yy, xy] = elasticity.stress(strain);
        std::array::from_fn(|n| [x[n] * xx + y[n] * xy, y[n] * yy + x[n] * xy])
    }

    /// The block of the stiffness of node `i` by node `j`, in the axes of the plane in space.
    pub fn block(&self, elasticity: &PlaneElasticity, axes: &[Vec3; 2], [i, j]: [usize; 2]) -> Mat3 {
        let (xi, yi, xj, yj) = (self.x[i], self.y[i], self.x[j], self.y[j]);
        let PlaneElasticity { normal, cross, shear } = *elasticity;
        let entries = [
            [xi * normal * xj + yi * shear * yj, xi * cross * yj + yi * shear * xj],
            [yi * cross * xj + xi * shear * yj, yi * normal * yj + xi * shear * xj],
        ];
        let rows = entries.map(|[x, y]| (axes[0] * x + axes[1] * y).transpose());
        axes[0] * rows[0] + axes[1] * rows[1]
    }
}

/// The axes of a triangle's plane: along its first side, and across it. Not finite where it has no area.
pub fn axes(ab: &Vec3, ac: &Vec3) -> [Vec3; 2] {
    let x = ab / ab.inner(ab).sqrt();
    let z = x.cross(ac);
    let z = z / z.inner(&z).sqrt();
    [x, z.cross(&x)]
}

/// A vector in space in the axes of a plane.
pub fn in_plane(axes: &[Vec3; 2], v: &Vec3) -> [Real; 2] {
    [axes[0].inner(v), axes[1].inner(v)]
}

/// A vector in the axes of a plane, in space.
pub fn in_space(axes: &[Vec3; 2], [x, y]: [Real; 2]) -> Vec3 {
    axes[0] * x + axes[1] * y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uniform_stretch_has_the_stress_of_the_material() {
        let (b, c) = ([2.0, 0.3], [0.4, 1.5]);
        let twice_area = b[0] * c[1] - b[1] * c[0];
        let gradients = PlaneGradients::new(b, c, twice_area);
        let elasticity = PlaneElasticity::plane_stress(1000.0, 0.3);
        // u = (0.01 x, -0.003 y) is pure stress along x.
        let u = [[0.0, 0.0], b, c].map(|[x, y]| [0.01 * x, -0.003 * y]);
        let f = gradients.forces(&elasticity, &u);
        for n in 0..3 {
            assert!((f[n][0] - 10.0 * gradients.x[n]).abs() < 1e-12, "{f:?}");
            assert!(f[n][1].abs() < 1e-12, "{f:?}");
        }
        let turned = [[0.0, 0.0], b, c].map(|[x, y]| [-0.01 * y, 0.01 * x]);
        assert!(gradients.forces(&elasticity, &turned).as_flattened().iter().all(|f| f.abs() < 1e-12));
    }

    #[test]
    fn plane_strain_is_plane_stress_of_a_stiffer_material() {
        let (young, poisson) = (1000.0, 0.3);
        let strain = PlaneElasticity::plane_strain(young, poisson);
        let stress =
            PlaneElasticity::plane_stress(young / (1.0 - poisson * poisson), poisson / (1.0 - poisson));
        for (a, b) in
            [(strain.normal, stress.normal), (strain.cross, stress.cross), (strain.shear, stress.shear)]
        {
            assert!((a - b).abs() < 1e-9, "{strain:?} {stress:?}");
        }
    }

    #[test]
    fn blocks_are_the_derivatives_of_forces() {
        let gradients = PlaneGradients::new([2.0, 0.3], [0.4, 1.5], 2.7);
        let elasticity = PlaneElasticity::plane_strain(700.0, 0.2);
        let axes = axes(&Vec3::new(1.0, 2.0, 3.0), &Vec3::new(-1.0, 0.5, 2.0));
        for j in 0..3 {
            for k in 0..3 {
                let mut u = [[0.0; 2]; 3];
                u[j] = in_plane(&axes, &Vec3::ith(k, 1.0));
                let f = gradients.forces(&elasticity, &u);
                for (i, f) in f.iter().enumerate() {
                    let column = gradients.block(&elasticity, &axes, [i, j]).column(k).into_owned();
                    assert!((in_space(&axes, *f) - column).norm() < 1e-10);
                }
            }
        }
    }
}
