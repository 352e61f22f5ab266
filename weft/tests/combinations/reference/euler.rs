//! Euler's methods, and the classical one of fourth order.

use nalgebra::DVector;

use super::group::{Factors, Group};
use super::integrator::Integrator;
use super::motion::moved;
use super::{Linear, Reference, add, part};

impl Reference {
    /// **Source:** A dv = h (f + (tr h + rS) K v - rM M v) with A = (1 + tr h rM) M - tr h B - tr h (tr h + rS) K, then
    /// v += dv, x += h v; of first order A = M - tr h K, A v = f. Gravity that is apart, and the decay, come after x.
    pub(super) fn euler_implicit(
        &mut self,
        solver: usize,
        group: &Group,
        integrator: Integrator,
        linear: Linear,
    ) -> Result<(), String> {
        let Integrator::EulerImplicit {
            rayleigh_stiffness,
            rayleigh_mass,
            vdamping,
            first_order,
            trapezoidal,
        } = integrator
        else {
            return Err("not this scheme".to_owned());
        };
        let h = self.dt;
        let tr = if trapezoidal { 0.5 } else { 1.0 };
        let f = self.forces(group);
        let (b, factors) = if first_order {
            (f, Factors { m: 1.0, b: 0.0, k: -tr * h })
        } else {
            let stiffness = tr * h + rayleigh_stiffness;
            let damping = Factors { m: -rayleigh_mass, b: 0.0, k: stiffness };
            let b = h * (f + self.times_velocity(group, damping));
            (b, Factors { m: 1.0 + tr * h * rayleigh_mass, b: -tr * h, k: -tr * h * stiffness })
        };
        let matrix = self.served(solver, group, factors, linear);
        let dv = self.solve_from_last(group, &matrix, &b, linear)?;
        for (s, offset) in &group.roots {
            let state = &mut self.states[*s];
            let change = part(&dv, *offset, state.size());
            state.solution.clone_from(&change);
            if first_order {
                state.v = change;
            } else {
                add(&mut state.v, &change);
            }
            let d: Vec<f64> = state.v.iter().map(|v| h * v).collect();
            state.x = moved(&state.x, &d, state.rigid);
        }
        self.add_separate_gravity(group);
        for (s, _) in &group.roots {
            self.states[*s].v.iter_mut().for_each(|v| *v *= (-h * vdamping).exp());
        }
        Ok(())
    }

    /// **Source:** a = M^-1 f, projected; where a mass is not diagonal or lies on a mapped state, M a = f in the free subspace.
    pub(super) fn euler_explicit(
        &mut self,
        solver: usize,
        group: &Group,
        symplectic: bool,
        linear: Option<Linear>,
    ) -> Result<(), String> {
        let h = self.dt;
        self.add_separate_gravity(group);
        let f = self.forces(group);
        let a = if self.masses_are_diagonal(group) {
            self.projection(group) * self.accelerations(group, &f)?
        } else {
            let mass = Factors { m: 1.0, b: 0.0, k: 0.0 };
            let linear = linear.unwrap_or_default();
            let matrix = self.served(solver, group, mass, Linear { assembled: false, ..linear });
            let a = self.solve_from_last(group, &matrix, &f, linear)?;
            for (s, offset) in &group.roots {
                let state = &mut self.states[*s];
                state.solution = part(&a, *offset, state.size());
            }
            a
        };
        for (s, offset) in &group.roots {
            let state = &mut self.states[*s];
            let dv: Vec<f64> = part(&a, *offset, state.size()).iter().map(|a| h * a).collect();
            let old = state.v.clone();
            add(&mut state.v, &dv);
            let v = if symplectic { &state.v } else { &old };
            let d: Vec<f64> = v.iter().map(|v| h * v).collect();
            state.x = moved(&state.x, &d, state.rigid);
        }
        Ok(())
    }

    /// **Source:** the classical tableau; each stage projects its positions and velocities and maps them down.
    pub(super) fn runge_kutta4(&mut self, group: &mut Group) -> Result<(), String> {
        self.divided_by_masses(group)?;
        let (h, params) = (self.dt, self.parameters());
        self.add_separate_gravity(group);
        let begin: Vec<(Vec<f64>, Vec<f64>)> =
            group.roots.iter().map(|(s, _)| (self.states[*s].x.clone(), self.states[*s].v.clone())).collect();
        let (mut kv, mut ka): (Vec<DVector<f64>>, Vec<DVector<f64>>) = (Vec::new(), Vec::new());
        for stage in [0.0, h / 2.0, h / 2.0, h] {
            for ((s, offset), (x, v)) in group.roots.iter().zip(&begin) {
                let state = &mut self.states[*s];
                (state.x, state.v) = (x.clone(), v.clone());
                if let (Some(last_v), Some(last_a)) = (kv.last(), ka.last()) {
                    let d = part(&(last_v * stage), *offset, state.size());
                    state.x = moved(x, &d, state.rigid);
                    add(&mut state.v, &part(&(last_a * stage), *offset, d.len()));
                }
                for c in self.constraints.iter_mut().filter(|c| c.state == *s) {
                    c.direct.project_position(&params, &mut state.x);
                    c.direct.project_velocity(&params, &mut state.v);
                }
            }
            self.propagate(Some(&group.states));
            self.fill_jacobians(group);
            let f = self.forces(group);
            ka.push(self.projection(group) * self.accelerations(group, &f)?);
            let v = group.roots.iter().flat_map(|(s, _)| self.states[*s].v.iter().copied());
            kv.push(DVector::from_iterator(group.size, v));
        }
        let weights = [h / 6.0, h / 3.0, h / 3.0, h / 6.0];
        for ((s, offset), (x, v)) in group.roots.iter().zip(begin) {
            let state = &mut self.states[*s];
            (state.x, state.v) = (x, v);
            for ((kv, ka), w) in kv.iter().zip(&ka).zip(weights) {
                let d = part(&(kv * w), *offset, state.size());
                state.x = moved(&state.x, &d, state.rigid);
                add(&mut state.v, &part(&(ka * w), *offset, d.len()));
            }
        }
        Ok(())
    }
}
