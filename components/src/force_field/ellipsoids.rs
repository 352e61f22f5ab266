//! Ellipsoids that push points out, or keep them inside.

use sim_core::prelude::*;

/// Attributes of ellipsoids.
#[derive(Attributes)]
pub(super) struct EllipsoidAttributes {
    /// centres of the ellipsoids; the last is repeated [m]
    center: Vec<Vec3>,
    /// half axes of the ellipsoids; the last is repeated, 1 if none is given [m]
    vradius: Vec<Vec3>,
    /// force per relative depth; points are kept inside where it is negative [N]
    #[attribute(default = "500")]
    pub stiffness: Real,
    /// force per relative depth and velocity [N s/m]
    #[attribute(default = "5")]
    pub damping: Real,
}

/// An ellipsoid along the axes.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsoid {
    /// Its centre [m].
    pub center: Vec3,
    /// One over the squares of its half axes [1/m²].
    pub inverse_squares: Vec3,
}

/// How ellipsoids push.
#[derive(Clone, Copy, Debug)]
pub struct Push {
    /// Stiffness [N].
    pub stiffness: Real,
    /// Damping [N s/m].
    pub damping: Real,
}

impl EllipsoidAttributes {
    /// The ellipsoids, as many as the longer list has.
    ///
    /// # Errors
    /// A half axis that is 0.
    pub fn ellipsoids(&self) -> Result<Vec<Ellipsoid>, BuildError> {
        let entry =
            |list: &[Vec3], k: usize, otherwise| list.get(k).or(list.last()).copied().unwrap_or(otherwise);
        let of = |k: usize| {
            let radius = entry(&self.vradius, k, Vec3::repeat(1.0));
            if radius.iter().any(|r| *r == 0.0) {
                let text = format!("`vradius` has an ellipsoid with a half axis of 0 ({radius:?})");
                return Err(BuildError::attribute("vradius", text));
            }
            let inverse_squares = radius.map(|r| 1.0 / (r * r));
            Ok(Ellipsoid { center: entry(&self.center, k, Vec3::zeros()), inverse_squares })
        };
        (0..self.center.len().max(self.vradius.len())).map(of).collect()
    }
}

impl Push {
    /// The force on a point, and its derivative as SOFA has it; none where it does not touch the ellipsoid that it is deepest in.
    ///
    /// **Source:** as SOFA's `EllipsoidForceField`: with N² = Σ (p − c)²/r², φ = N − 1, g = (p − c)/r², f = −k φ g/|g| − c |φ| v. The derivative
    /// is not that of the force, and not symmetric.
    pub fn force(&self, ellipsoids: &[Ellipsoid], p: &Vec3, v: &Vec3) -> Option<(Vec3, Mat3)> {
        let depth = |e: &Ellipsoid| {
            let d = p - e.center;
            d.component_mul(&d).dot(&e.inverse_squares)
        };
        let deepest = ellipsoids.iter().map(|e| (depth(e), e)).min_by(|a, b| a.0.total_cmp(&b.0));
        let (square, e) = deepest.filter(|(square, _)| (square - 1.0) * self.stiffness < 0.0)?;
        let (norm, k) = (square.sqrt(), self.stiffness.abs());
        let phi = norm - 1.0;
        let g = (p - e.center).component_mul(&e.inverse_squares);
        let length = g.norm();
        if length == 0.0 {
            return None;
        }
        let force = g * (-k * phi / length) - v * (self.damping * phi.abs());
        let (f1, f2, f3) = (-k / (norm * length), -k * phi / length, -k * phi / (length * length));
        let r = &e.inverse_squares;
        let tangent = Mat3::from_fn(|i, j| {
            let diagonal = if i == j { f2 * r[i] } else { 0.0 };
            g[i] * g[j] * (f1 + f3 * r[j]) + diagonal
        });
        Some((force, tangent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_pushed_out_or_kept_in() {
        let ball = [Ellipsoid { center: Vec3::x(), inverse_squares: Vec3::repeat(0.25) }];
        let push = Push { stiffness: 10.0, damping: 0.0 };
        let force =
            |push: &Push, x: f64| push.force(&ball, &Vec3::new(x, 0.0, 0.0), &Vec3::zeros()).map(|f| f.0);
        assert!((force(&push, 2.0).unwrap() - Vec3::x() * 5.0).norm() < 1e-12);
        assert_eq!(force(&push, 3.5), None);
        let keep = Push { stiffness: -10.0, ..push };
        assert!((force(&keep, 4.0).unwrap() + Vec3::x() * 5.0).norm() < 1e-12);
        assert_eq!(force(&keep, 2.0), None);
    }
}
