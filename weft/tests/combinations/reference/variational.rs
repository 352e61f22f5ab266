//! The mid-point rule in momenta.

use nalgebra::DVector;

use super::group::{Factors, Group};
use super::integrator::Integrator;
use super::schemes::NONE;
use super::{Linear, Reference};

impl Reference {
    /// **Source:** SOFA's facts: a = M^-1 (f + p/h) - rM v, projected; v' = h a, p' = M v', x' = x + h v'.
    pub(super) fn variational_explicit(
        &mut self,
        group: &mut Group,
        integrator: Integrator,
    ) -> Result<(), String> {
        let Integrator::Variational { rayleigh_mass, .. } = integrator else {
            return Err("not this scheme".to_owned());
        };
        self.divided_by_masses(group)?;
        let h = self.dt;
        let mass = self.products(group, Factors { m: 1.0, ..NONE });
        let v = self.velocities(group);
        let p = self.history(group, &(&mass * &v));
        let f = self.forces(group) + p / h;
        let a = self.projection(group) * (self.accelerations(group, &f)? - v * rayleigh_mass);
        let new = a * h;
        let x = self.positions(group);
        self.put(group, &x, &(&new * h), Some(&new));
        self.leave(group, &(mass * new));
        Ok(())
    }

    /// **Source:** SOFA's facts: see the solver's formulas.
    pub(super) fn variational(
        &mut self,
        solver: usize,
        group: &mut Group,
        integrator: Integrator,
        linear: Linear,
    ) -> Result<(), String> {
        let Integrator::Variational { error, steps, rayleigh_stiffness: rk, rayleigh_mass: rm, .. } =
            integrator
        else {
            return Err("not this scheme".to_owned());
        };
        let h = self.dt;
        let (x, v) = (self.positions(group), self.velocities(group));
        let p = self.history(group, &(self.products(group, Factors { m: 1.0, ..NONE }) * &v));
        let size = x.iter().flatten().map(|c| c * c).sum::<f64>().sqrt();
        let mut d = DVector::zeros(group.size);
        for _ in 0..steps.max(1) {
            self.map_down(group);
            let f = self.forces(group);
            let b = f + &p * (2.0 / h) - self.products(group, Factors { k: 1.0, ..NONE }) * &d;
            let left = Factors { m: 4.0 / (h * h) + 4.0 * rm / h, b: 0.0, k: -(1.0 + 4.0 * rk / h) };
            let matrix = self.served(solver, group, left, linear);
            d = self.solve(group, &matrix, &b, linear)?;
            let before = self.positions(group);
            self.put(group, &x, &d, None);
            let after = self.positions(group);
            let change = after.iter().flatten().zip(before.iter().flatten());
            let change = change.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            if change / size <= error {
                break;
            }
        }
        let new = d * (2.0 / h);
        self.put(group, &x, &(&new * (h / 2.0)), Some(&new));
        self.map_down(group);
        let f = self.projection(group) * self.forces(group);
        let momentum = f * (h / 2.0) + self.products(group, Factors { m: 1.0, ..NONE }) * &new;
        self.put(group, &x, &(&new * h), Some(&new));
        self.leave(group, &momentum);
        Ok(())
    }
}
