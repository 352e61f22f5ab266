//! Further integrators, as they are defined.

use nalgebra::{DMatrix, DVector};

use super::equations::{Balance, Step};
use super::group::{Factors, Group};
use super::integrator::Integrator;
use super::motion::moved;
use super::newton::Newton;
use super::{Linear, Reference, Serves, part};

pub(super) const NONE: Factors = Factors { m: 0.0, b: 0.0, k: 0.0 };

impl Reference {
    /// The matrix by which a solver solves in this step.
    pub(super) fn served(
        &mut self,
        solver: usize,
        group: &Group,
        factors: Factors,
        linear: Linear,
    ) -> DMatrix<f64> {
        let matrix = self.serve(solver, group, factors, linear);
        self.solvers[solver].system = Some(matrix.clone());
        // Factors are made of what is assembled, whatever solves.
        let exact = Linear { assembled: true, exact: true, direct: true, ..linear };
        if self.solvers[solver].first_system.as_ref().is_none_or(|m| m.nrows() != group.size) {
            self.solvers[solver].first_system = Some(self.matrix(group, factors, exact));
        }
        if linear.definite {
            self.doubt_preconditioner(group, &self.matrix(group, factors, exact));
            // A precomputed one has the factors of the first.
            self.solvers[solver]
                .first_system
                .iter()
                .for_each(|first| self.doubt_preconditioner(group, first));
        }
        matrix
    }

    fn serve(&mut self, solver: usize, group: &Group, factors: Factors, linear: Linear) -> DMatrix<f64> {
        let every = match linear.serves {
            Serves::Once => return self.matrix(group, factors, linear),
            Serves::Forever => usize::MAX,
            Serves::Late(n) => n,
        };
        let mut served = std::mem::take(&mut self.solvers[solver].served);
        if served.now.as_ref().is_some_and(|m| m.nrows() != group.size) {
            served = super::Served::default();
        }
        if served.count.is_multiple_of(every) {
            let matrix = self.matrix(group, factors, linear);
            if served.now.is_none() {
                served.now = Some(matrix);
            } else if let Some(ready) = served.next.replace(matrix) {
                served.now = Some(ready);
            }
        }
        served.count += 1;
        let matrix = served.now.clone().unwrap_or_else(|| DMatrix::zeros(group.size, group.size));
        self.solvers[solver].served = served;
        matrix
    }

    pub(super) fn integrate_otherwise(
        &mut self,
        solver: usize,
        group: &mut Group,
        integrator: Integrator,
        linear: Option<Linear>,
    ) -> Result<(), String> {
        let linear = || linear.ok_or("there is no linear solver".to_owned());
        match integrator {
            Integrator::RungeKutta2 => self.runge_kutta2(group),
            Integrator::CentralDifference { rayleigh_mass } => self.central_difference(group, rayleigh_mass),
            Integrator::Newmark { .. } => self.newmark(solver, group, integrator, linear()?),
            Integrator::Static { newton } => {
                let linear = linear()?;
                newton.solve(&mut Balance { reference: self, solver, group, linear, begin: Vec::new() })
            }
            Integrator::Bdf { newton, .. } => self.bdf(solver, group, integrator, newton, linear()?),
            Integrator::Variational { explicit: true, .. } => self.variational_explicit(group, integrator),
            Integrator::Variational { .. } => self.variational(solver, group, integrator, linear()?),
            _ => Err("not one of these schemes".to_owned()),
        }
    }

    pub(super) fn velocities(&self, group: &Group) -> DVector<f64> {
        let all = group.roots.iter().flat_map(|(s, _)| self.states[*s].v.iter().copied());
        DVector::from_iterator(group.size, all)
    }

    pub(super) fn positions(&self, group: &Group) -> Vec<Vec<f64>> {
        group.roots.iter().map(|(s, _)| self.states[*s].x.clone()).collect()
    }

    /// Puts the independent states at these positions moved by d, with these velocities if there are any, and maps them down.
    pub(super) fn put(
        &mut self,
        group: &mut Group,
        from: &[Vec<f64>],
        d: &DVector<f64>,
        v: Option<&DVector<f64>>,
    ) {
        for ((s, offset), x) in group.roots.iter().zip(from) {
            let state = &mut self.states[*s];
            let size = state.size();
            state.x = moved(x, &part(d, *offset, size), state.rigid);
            if let Some(v) = v {
                state.v = part(v, *offset, size);
            }
        }
    }

    pub(super) fn project(&mut self, group: &Group) {
        let params = self.parameters();
        for (s, _) in &group.roots {
            let state = &mut self.states[*s];
            for c in self.constraints.iter_mut().filter(|c| c.state == *s) {
                c.direct.project_position(&params, &mut state.x);
                c.direct.project_velocity(&params, &mut state.v);
            }
        }
    }

    pub(super) fn map_down(&mut self, group: &mut Group) {
        self.propagate(Some(&group.states));
        self.fill_jacobians(group);
    }

    pub(super) fn products(&self, group: &Group, factors: Factors) -> DMatrix<f64> {
        self.matrix(group, factors, Linear::default())
    }

    /// What the integrator has left, or this where it has left nothing yet.
    pub(super) fn history(&self, group: &Group, first: &DVector<f64>) -> DVector<f64> {
        let mut all = DVector::zeros(group.size);
        for (s, offset) in &group.roots {
            let state = &self.states[*s];
            let own = state.history.clone().unwrap_or_else(|| part(first, *offset, state.size()));
            all.rows_mut(*offset, own.len()).copy_from_slice(&own);
        }
        all
    }

    pub(super) fn leave(&mut self, group: &Group, history: &DVector<f64>) {
        for (s, offset) in &group.roots {
            let size = self.states[*s].size();
            self.states[*s].history = Some(part(history, *offset, size));
        }
    }

    pub(super) fn divided_by_masses(&self, group: &Group) -> Result<(), String> {
        let mut own = self.masses.iter().filter(|m| group.place(m.state).is_some());
        if own.all(|m| m.direct.is_diagonal()) {
            return Ok(());
        }
        Err("masses that are not diagonal have no M^-1 f".to_owned())
    }

    /// **Source:** x += h V, v += h acc(X, V) with X = x + h/2 v, V = v + h/2 acc(x, v); acc projects its arguments.
    fn runge_kutta2(&mut self, group: &mut Group) -> Result<(), String> {
        self.divided_by_masses(group)?;
        let h = self.dt;
        self.add_separate_gravity(group);
        self.project(group);
        let (x, v) = (self.positions(group), self.velocities(group));
        self.map_down(group);
        let f = self.forces(group);
        let a = self.projection(group) * self.accelerations(group, &f)?;
        self.put(group, &x, &(&v * (h / 2.0)), Some(&(&v + &a * (h / 2.0))));
        self.project(group);
        self.map_down(group);
        let f = self.forces(group);
        let a = self.projection(group) * self.accelerations(group, &f)?;
        let middle = self.velocities(group);
        self.put(group, &x, &(middle * h), Some(&(v + a * h)));
        Ok(())
    }

    /// **Source:** v' = v (1/h - r/2) / (1/h + r/2) + a / (1/h + r/2), x' = x + h v'.
    fn central_difference(&mut self, group: &mut Group, r: f64) -> Result<(), String> {
        self.divided_by_masses(group)?;
        let h = self.dt;
        self.add_separate_gravity(group);
        let f = self.forces(group);
        let a = self.projection(group) * self.accelerations(group, &f)?;
        let sum = 1.0 / h + r / 2.0;
        let v = self.velocities(group) * ((1.0 / h - r / 2.0) / sum) + a / sum;
        let x = self.positions(group);
        self.put(group, &x, &(&v * h), Some(&v));
        Ok(())
    }

    /// **Source:** SOFA's facts; with beta = 1/2 and no damping, the term in a is left out.
    fn newmark(
        &mut self,
        solver: usize,
        group: &mut Group,
        integrator: Integrator,
        linear: Linear,
    ) -> Result<(), String> {
        let Integrator::Newmark { rayleigh_stiffness: rk, rayleigh_mass: rm, vdamping, gamma: g, beta } =
            integrator
        else {
            return Err("not this scheme".to_owned());
        };
        let h = self.dt;
        let f = self.forces(group);
        let first = self.projection(group) * self.accelerations(group, &f)?;
        let a = self.history(group, &first);
        let mut b = f;
        if rm != 0.0 || rk != 0.0 || beta != 0.5 {
            let k = h * (1.0 - g) * rk + h * h * (1.0 - 2.0 * beta) / 2.0;
            let of_a = Factors { m: -h * (1.0 - g) * rm, b: h * (1.0 - g), k };
            b += self.products(group, of_a) * &a;
        }
        b += self.times_velocity(group, Factors { m: -rm, b: 1.0, k: rk + h });
        let left = Factors { m: 1.0 + h * g * rm, b: -h * g, k: -(h * h * beta + h * rk * g) };
        let matrix = self.served(solver, group, left, linear);
        let new = self.solve(group, &matrix, &b, linear)?;
        let v = self.velocities(group);
        let d = &v * h + &a * (h * h * (0.5 - beta)) + &new * (h * h * beta);
        let x = self.positions(group);
        self.put(group, &x, &d, Some(&(v + a * (h * (1.0 - g)) + &new * (h * g))));
        self.add_separate_gravity(group);
        for (s, _) in &group.roots {
            self.states[*s].v.iter_mut().for_each(|v| *v *= (-h * vdamping).exp());
        }
        self.leave(group, &new);
        Ok(())
    }

    /// **Source:** x' - x = s v', M (v' - v) = s (f' + (-rM M + rK K) v') with s = h b, b the sum of 1/j up to the order, inverted.
    fn bdf(
        &mut self,
        solver: usize,
        group: &mut Group,
        integrator: Integrator,
        newton: Newton,
        linear: Linear,
    ) -> Result<(), String> {
        let Integrator::Bdf { order, rayleigh_stiffness, rayleigh_mass, .. } = integrator else {
            return Err("not this scheme".to_owned());
        };
        let terms = order.min(self.steps + 1);
        let span = self.dt / (1..=terms).map(|j| 1.0 / j as f64).sum::<f64>();
        let (x, v) = (self.positions(group), self.velocities(group));
        let d = &v * self.dt;
        self.put(group, &x, &d, None);
        self.project(group);
        self.map_down(group);
        let damping = (rayleigh_mass, rayleigh_stiffness);
        let mut step = Step { reference: self, solver, group, linear, span, damping, x, v, d, base: None };
        newton.solve(&mut step)
    }
}
