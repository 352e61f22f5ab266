//! The integrators as they are defined, each with its own few lines.

use sim_core::component::value::Value;
use sim_core::scene::{ComponentId, Scene};

use super::group::Group;
use super::newton::Newton;
use super::{Reference, Solver};

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
        if solvers.len() > 1 && solvers.iter().any(|s| !s.further.is_empty()) {
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
        let further = self.solvers[solvers[0]].further.clone();
        for integrator in [integrator].into_iter().chain(further) {
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
        }
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
