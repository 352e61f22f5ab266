//! Newton's method of an integrator, by its definition.

use nalgebra::DVector;
use sim_core::scene::{ComponentId, Scene};

use super::NOT_FINITE;
use super::integrator::number;

/// When it ends: the attributes of the NewtonRaphsonSolver beside an integrator, or those that SOFA has without one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    iterations: usize,
    successive: f64,
    initial: f64,
    absolute: f64,
    relative_step: f64,
    absolute_step: f64,
    searches: usize,
    shortens: f64,
}

/// An equation: an estimate, which a step moves, and its residual.
pub trait Equation {
    /// The residual at the estimate.
    fn residual(&mut self) -> Result<DVector<f64>, String>;
    /// The step at the estimate with this residual, which is where the moves begin from here on. It evaluates no forces: some
    /// carry over what the last evaluation has left.
    fn step(&mut self, residual: &DVector<f64>) -> Result<DVector<f64>, String>;
    /// Moves the estimate to where it began, and by so much of the step.
    fn go(&mut self, step: &DVector<f64>, alpha: f64);
    /// The size of the estimate.
    fn size(&self) -> f64;
    /// Others may go another way from here on, for this reason.
    fn doubt(&self, why: &'static str);
}

/// What the reference says where the line search compares residuals that differ by rounding alone.
pub const UNDECIDED: &str = "a line search goes by what rounding makes of two residuals";
/// Up to which share of their size residuals differ by rounding alone.
const ROUNDING: f64 = 1e-13;

impl Newton {
    /// That of an integrator.
    pub fn beside(scene: &Scene, component: ComponentId) -> Result<Self, String> {
        let node = scene.component(component).node;
        let below = scene.depth_first_from(node);
        let mut all = below.iter().flat_map(|n| scene.components_of(*n));
        let Some(c) = all.find(|c| scene.component(*c).class == "NewtonRaphsonSolver") else {
            return Ok(Self {
                iterations: 1,
                successive: 1e-5,
                initial: 1e-5,
                absolute: 1e-5,
                relative_step: 0.0,
                absolute_step: 0.0,
                searches: 1,
                shortens: 0.5,
            });
        };
        // What a scene does not set is kept of some components only.
        let real = |name, default| number(scene, c, name).unwrap_or(default);
        Ok(Self {
            iterations: real("maxNbIterationsNewton", 1.0) as usize,
            successive: real("relativeSuccessiveStoppingThreshold", 1e-5),
            initial: real("relativeInitialStoppingThreshold", 1e-5),
            absolute: real("absoluteResidualStoppingThreshold", 1e-5),
            relative_step: real("relativeEstimateDifferenceThreshold", 0.0),
            absolute_step: real("absoluteEstimateDifferenceThreshold", 0.0),
            searches: (real("maxNbIterationsLineSearch", 1.0) as usize).max(1),
            shortens: real("lineSearchCoefficient", 0.5),
        })
    }

    /// Solves an equation.
    pub fn solve(&self, equation: &mut dyn Equation) -> Result<(), String> {
        let mut residual = equation.residual()?;
        let first = residual.norm();
        if self.absolute > 0.0 && first <= self.absolute {
            return Ok(());
        }
        let mut now = first;
        for _ in 0..self.iterations {
            let (before, size) = (now, equation.size());
            let step = equation.step(&residual)?;
            let lengths = (0..self.searches).map(|k| self.shortens.powi(k as i32));
            let mut is_less = false;
            for alpha in lengths {
                equation.go(&step, alpha);
                residual = equation.residual()?;
                now = residual.norm();
                is_less = now < before;
                if self.searches > 1 && (now - before).abs() <= ROUNDING * before {
                    equation.doubt(UNDECIDED);
                }
                if is_less {
                    break;
                }
            }
            if !is_less && self.searches > 1 {
                equation.go(&step, 1.0);
                residual = equation.residual()?;
                now = residual.norm();
            }
            // Nobody knows where balance would be: the solver says so, whatever constraints would make of the positions.
            if !now.is_finite() {
                return Err(NOT_FINITE.to_owned());
            }
            let below = |value: f64, threshold: f64, of: f64| threshold > 0.0 && value < threshold * of;
            if below(now, self.successive, before)
                || below(now, self.initial, first)
                || below(now, self.absolute, 1.0)
                || below(step.norm(), self.relative_step, size)
                || below(step.norm(), self.absolute_step, 1.0)
            {
                break;
            }
        }
        Ok(())
    }
}
