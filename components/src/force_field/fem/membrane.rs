//! Linear elasticity of a triangle in its plane: plainly, one element at a time.

use sim_core::math::{Mat3, Real, Vec3};
use sim_core::prelude::InnerProduct;

/// A linear material in a plane.
pub trait PlaneMaterial: Copy + Default + std::fmt::Debug + Send + Sync + 'static {
    /// Stresses of strains xx, yy, and xy twice.
    fn stress(&self, strain: [Real; 3]) -> [Real; 3];
    /// The same times a factor.
    #[must_use]
    fn times(self, factor: Real) -> Self;
    /// The stiffness in the plane of a node by another, whose shape functions have these gradients.
    fn stiffness(&self, first: [Real; 2], second: [Real; 2]) -> [[Real; 2]; 2];
}

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
}

impl PlaneMaterial for PlaneElasticity {
    fn stress(&self, [xx, yy, xy]: [Real; 3]) -> [Real; 3] {
        [self.normal * xx + self.cross * yy, self.cross * xx + self.normal * yy, self.shear * xy]
    }

    fn times(self, factor: Real) -> Self {
        Self { normal: self.normal * factor, cross: self.cross * factor, shear: self.shear * factor }
    }

    fn stiffness(&self, [xi, yi]: [Real; 2], [xj, yj]: [Real; 2]) -> [[Real; 2]; 2] {
        let PlaneElasticity { normal, cross, shear } = *self;
        [
            [xi * normal * xj + yi * shear * yj, xi * cross * yj + yi * shear * xj],
            [yi * cross * xj + xi * shear * yj, yi * normal * yj + xi * shear * xj],
        ]
    }
}

/// A material in a plane that is stiff along its fibres, times the area (and thickness) of an element.
#[derive(Clone, Copy, Debug, Default)]
pub struct FibreElasticity(Mat3);

impl FibreElasticity {
    /// Plane stress with Young's modulus along and across the fibres [Pa], which have this direction in the plane; `poisson` is how
    /// far it narrows across where it is drawn along. The shear modulus is that of an isotropic material along the fibres.
    pub fn new([along, across]: [Real; 2], poisson: Real, [c, s]: [Real; 2]) -> Self {
        let narrowing = 1.0 - poisson * (poisson * (across / along));
        let (q11, q12, q22) = (along / narrowing, poisson * across / narrowing, across / narrowing);
        let q66 = along / (2.0 * (1.0 + poisson));
        let (c2, s2) = (c * c, s * s);
        let (c4, s4, both) = (c2 * c2, s2 * s2, c2 * s2);
        let (near, far) = (q11 - q12 - 2.0 * q66, q12 - q22 + 2.0 * q66);
        let (skew, mixed) = ([s * c2 * c, s2 * s * c], 2.0 * both * (q12 + 2.0 * q66));
        let xx = c4 * q11 + mixed + s4 * q22;
        let yy = s4 * q11 + mixed + c4 * q22;
        let cross = both * (q11 + q22 - 4.0 * q66) + (c4 + s4) * q12;
        let x_skew = skew[0] * near + skew[1] * far;
        let y_skew = skew[1] * near + skew[0] * far;
        let shear = both * (q11 + q22 - 2.0 * q12 - 2.0 * q66) + (c4 + s4) * q66;
        Self(Mat3::new(xx, cross, x_skew, cross, yy, y_skew, x_skew, y_skew, shear))
    }
}

impl PlaneMaterial for FibreElasticity {
    fn stress(&self, strain: [Real; 3]) -> [Real; 3] {
        (self.0 * Vec3::from(strain)).into()
    }

    fn times(self, factor: Real) -> Self {
        Self(self.0 * factor)
    }

    fn stiffness(&self, first: [Real; 2], second: [Real; 2]) -> [[Real; 2]; 2] {
        let strains = |[x, y]: [Real; 2]| [Vec3::new(x, 0.0, y), Vec3::new(0.0, y, x)];
        let stresses = strains(second).map(|strain| self.0 * strain);
        strains(first).map(|of| [of.dot(&stresses[0]), of.dot(&stresses[1])])
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
    pub fn forces(&self, material: &impl PlaneMaterial, u: &InPlane) -> InPlane {
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
        let [xx, yy, xy] = material.stress(strain);
        std::array::from_fn(|n| [x[n] * xx + y[n] * xy, y[n] * yy + x[n] * xy])
    }

    /// The block of the stiffness of node `i` by node `j`, in the axes of the plane in space.
    pub fn block(&self, material: &impl PlaneMaterial, axes: &[Vec3; 2], [i, j]: [usize; 2]) -> Mat3 {
        let entries = material.stiffness([self.x[i], self.y[i]], [self.x[j], self.y[j]]);
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
        check_blocks(&PlaneElasticity::plane_strain(700.0, 0.2));
        check_blocks(&FibreElasticity::new([900.0, 200.0], 0.3, [0.6, 0.8]));
    }

    fn check_blocks(elasticity: &impl PlaneMaterial) {
        let gradients = PlaneGradients::new([2.0, 0.3], [0.4, 1.5], 2.7);
        let axes = axes(&Vec3::new(1.0, 2.0, 3.0), &Vec3::new(-1.0, 0.5, 2.0));
        for j in 0..3 {
            for k in 0..3 {
                let mut u = [[0.0; 2]; 3];
                u[j] = in_plane(&axes, &Vec3::ith(k, 1.0));
                let f = gradients.forces(elasticity, &u);
                for (i, f) in f.iter().enumerate() {
                    let column = gradients.block(elasticity, &axes, [i, j]).column(k).into_owned();
                    assert!((in_space(&axes, *f) - column).norm() < 1e-10);
                }
            }
        }
    }

    /// Fibres of equal moduli are none; those that are drawn along their direction have the stress of their own modulus.
    #[test]
    fn fibres_turn_the_material() {
        let (strain, plain) = ([0.3, -0.2, 0.7], PlaneElasticity::plane_stress(700.0, 0.2));
        let same = FibreElasticity::new([700.0, 700.0], 0.2, [0.6, 0.8]).stress(strain);
        for (a, b) in same.iter().zip(plain.stress(strain)) {
            assert!((a - b).abs() < 1e-9, "{same:?}");
        }
        let (c, s) = (0.6, 0.8);
        // Stretched along the fibres by 1, and across them by what nothing but that stretch makes it.
        let narrow = -0.3;
        let strain = [c * c + narrow * s * s, s * s + narrow * c * c, 2.0 * c * s * (1.0 - narrow)];
        let stress = FibreElasticity::new([900.0, 200.0], 0.3, [c, s]).stress(strain);
        for (a, b) in stress.iter().zip([900.0 * c * c, 900.0 * s * s, 900.0 * c * s]) {
            assert!((a - b).abs() < 1e-9, "{stress:?}");
        }
    }
}
