//! The integrators as they are defined, each with its own few lines.

use nalgebra::DVector;
use sim_core::component::value::Value;
use sim_core::scene::{ComponentId, Scene};

use super::group::{Factors, Group};
use super::motion::moved;
use super::newton::Newton;
use super::{Linear, Reference, Solver, add, part};

/// What the reference knows of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Integrator {
    /// Linearised backward Euler.
    EulerImplicit {
        rayleigh_stiffness: f64,
        rayleigh_mass: f64,
        vdamping: f64,
        first_order: bool,
        trapezoidal: bool,
    },
    /// Forward or symplectic Euler.
    EulerExplicit { symplectic: bool },
    /// The classical scheme of fourth order.
    RungeKutta4,
    /// The explicit mid-point rule.
    RungeKutta2,
    /// Leapfrog.
    CentralDifference { rayleigh_mass: f64 },
    /// Newmark's.
    Newmark { rayleigh_stiffness: f64, rayleigh_mass: f64, vdamping: f64, gamma: f64, beta: f64 },
    /// Balance of forces.
    Static { newton: Newton },
    /// Backward Euler with SOFA's spans of backward differentiation.
    Bdf { order: usize, rayleigh_stiffness: f64, rayleigh_mass: f64, newton: Newton },
    /// The mid-point rule in momenta; with the greatest number of systems a step.
    Variational { error: f64, steps: usize, rayleigh_stiffness: f64, rayleigh_mass: f64, explicit: bool },
}

impl Integrator {
    /// That of an ODE solver of a scene.
    ///
    /// # Errors
    /// One that is not taught here yet.
    pub fn of(scene: &Scene, component: ComponentId) -> Result<Self, String> {
        let real = |name| number(scene, component, name);
        let flag = |name| Ok::<bool, String>(number(scene, component, name)? != 0.0);
        Ok(match scene.component(component).class {
            "EulerImplicitSolver" => Self::EulerImplicit {
                rayleigh_stiffness: real("rayleighStiffness")?,
                rayleigh_mass: real("rayleighMass")?,
                vdamping: real("vdamping")?,
                first_order: flag("firstOrder")?,
                trapezoidal: flag("trapezoidalScheme")?,
            },
            "EulerExplicitSolver" => Self::EulerExplicit { symplectic: flag("symplectic")? },
            "RungeKutta4Solver" => Self::RungeKutta4,
            "RungeKutta2Solver" => Self::RungeKutta2,
            "CentralDifferenceSolver" => Self::CentralDifference { rayleigh_mass: real("rayleighMass")? },
            "NewmarkImplicitSolver" => Self::Newmark {
                rayleigh_stiffness: real("rayleighStiffness")?,
                rayleigh_mass: real("rayleighMass")?,
                vdamping: real("vdamping")?,
                gamma: real("gamma")?,
                beta: real("beta")?,
            },
            "StaticSolver" => Self::Static { newton: Newton::beside(scene, component)? },
            "BDFOdeSolver" => Self::Bdf {
                order: real("order")? as usize,
                rayleigh_stiffness: real("rayleighStiffness")?,
                rayleigh_mass: real("rayleighMass")?,
                newton: Newton::beside(scene, component)?,
            },
            "VariationalSymplecticSolver" => Self::Variational {
                error: real("newtonError")?,
                steps: real("steps")? as usize,
                rayleigh_stiffness: real("rayleighStiffness")?,
                rayleigh_mass: real("rayleighMass")?,
                explicit: flag("explicitIntegration")?,
            },
            other => return Err(format!("the reference does not know {other}: teach it in {}", file!())),
        })
    }

    /// What a group manager makes of several solvers: none if their schemes differ.
    ///
    /// **Source:** SOFA's former solver merger: least Rayleigh factors, greatest velocity damping.
    pub(super) fn merged(solvers: &[&Solver]) -> Option<Self> {
        let mut all = solvers[0].integrator;
        if solvers.iter().any(|s| s.linear != solvers[0].linear) {
            return None;
        }
        if solvers.len() > 1 && matches!(all, Self::Static { .. } | Self::Bdf { .. }) {
            return None;
        }
        for s in &solvers[1..] {
            match (&mut all, s.integrator) {
                (
                    Self::EulerImplicit {
                        rayleigh_stiffness,
                        rayleigh_mass,
                        vdamping,
                        first_order,
                        trapezoidal,
                    },
                    Self::EulerImplicit {
                        rayleigh_stiffness: rs,
                        rayleigh_mass: rm,
                        vdamping: vd,
                        first_order: fo,
                        trapezoidal: tr,
                    },
                ) if *first_order == fo && *trapezoidal == tr => {
                    *rayleigh_stiffness = rayleigh_stiffness.min(rs);
                    *rayleigh_mass = rayleigh_mass.min(rm);
                    *vdamping = vdamping.max(vd);
                }
                (mine, other) if *mine == other => {}
                _ => return None,
            }
        }
        Some(all)
    }
}

/// An attribute of a built component as a number; true is 1.
pub(super) fn number(scene: &Scene, component: ComponentId, name: &str) -> Result<f64, String> {
    let lacks = || format!("{} has no {name}", scene.path(component));
    let recipe = scene.component(component).recipe.as_ref().ok_or_else(lacks)?;
    let attributes = &recipe.attributes;
    match attributes.set.get(name).or_else(|| attributes.defaults.get(name)).ok_or_else(lacks)? {
        Value::Bool(b) => Ok(f64::from(u8::from(*b))),
        other => other.reals().and_then(|r| r.first().copied()).ok_or_else(lacks),
    }
}

/// A list of numbers that is set; none otherwise.
pub(super) fn numbers(scene: &Scene, component: ComponentId, name: &str) -> Option<Vec<f64>> {
    let recipe = scene.component(component).recipe.as_ref()?;
    recipe.attributes.set.get(name)?.reals().map(|r| r.to_vec())
}

impl Reference {
    /// One step of what these solvers move, in place.
    pub(super) fn integrate(&mut self, solvers: &[usize]) -> Result<(), String> {
        let all: Vec<&Solver> = solvers.iter().map(|s| &self.solvers[*s]).collect();
        let path = all[0].path.clone();
        let linear = all[0].linear;
        let integrator = Integrator::merged(&all).ok_or(format!("{path}: solvers that cannot be merged"))?;
        let mut group = self.group(solvers);
        let result = match integrator {
            Integrator::EulerImplicit { .. } => {
                let linear = linear.ok_or(format!("{path} has no linear solver"))?;
                self.euler_implicit(solvers[0], &group, integrator, linear)
            }
            Integrator::EulerExplicit { symplectic } => {
                self.euler_explicit(solvers[0], &group, symplectic, linear)
            }
            Integrator::RungeKutta4 => self.runge_kutta4(&mut group),
            other => self.integrate_otherwise(solvers[0], &mut group, other, linear),
        };
        result.map_err(|e| format!("{path}: {e}"))?;
        for solver in solvers {
            for (rate, threshold) in self.solvers[*solver].damps.clone() {
                let own = self.group(&[*solver]);
                for (s, _) in own.roots {
                    let h = self.dt;
                    let state = &mut self.states[s];
                    let width = state.width;
                    for v in state.v.chunks_exact_mut(width) {
                        v.iter_mut().for_each(|v| *v *= (-rate * h).exp());
                        if v.iter().map(|v| v * v).sum::<f64>() < threshold * threshold {
                            v.fill(0.0);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// **Source:** A dv = h (f + (tr h + rS) K v - rM M v) with A = (1 + tr h rM) M - tr h B - tr h (tr h + rS) K, then
    /// v += dv, x += h v; of first order A = M - tr h K, A v = f. Gravity that is apart, and the decay, come after x.
    fn euler_implicit(
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
        let dv = if linear.warm && (self.projection(group) * &b).iter().all(|b| *b == 0.0) {
            // A conjugate gradient that starts from the last solution keeps it where there is nothing to solve.
            let last = group.roots.iter().flat_map(|(s, _)| self.states[*s].solution.iter().copied());
            DVector::from_iterator(group.size, last)
        } else {
            self.solve(group, &matrix, &b, linear)?
        };
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
    fn euler_explicit(
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
            self.solve(group, &matrix, &f, linear)?
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
    fn runge_kutta4(&mut self, group: &mut Group) -> Result<(), String> {
        if !self.masses_are_diagonal(group) {
            return Err("masses that are not diagonal, or on mapped states, have no M^-1 f".to_owned());
        }
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

    /// v += h g on all points of the states whose masses keep gravity apart.
    pub(super) fn add_separate_gravity(&mut self, group: &Group) {
        for mass in self.masses.iter().filter(|m| m.direct.separate_gravity()) {
            if group.states.contains(&mass.state) {
                let state = &mut self.states[mass.state];
                let width = state.width;
                for v in state.v.chunks_exact_mut(width) {
                    (0..3).for_each(|i| v[i] += self.dt * self.gravity[i]);
                }
            }
        }
    }
}
