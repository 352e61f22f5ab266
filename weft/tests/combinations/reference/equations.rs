//! The equations that Newton's method solves.

use nalgebra::DVector;

use super::group::{Factors, Group};
use super::newton::Equation;
use super::schemes::NONE;
use super::{Linear, Reference};

/// f(x) = 0.
pub(super) struct Balance<'a> {
    pub reference: &'a mut Reference,
    pub solver: usize,
    pub group: &'a mut Group,
    pub linear: Linear,
    pub begin: Vec<Vec<f64>>,
}

impl Equation for Balance<'_> {
    fn residual(&mut self) -> Result<DVector<f64>, String> {
        Ok(self.reference.projection(self.group) * self.reference.forces(self.group))
    }

    fn step(&mut self, f: &DVector<f64>) -> Result<DVector<f64>, String> {
        self.begin = self.reference.positions(self.group);
        let matrix = self.reference.served(self.solver, self.group, Factors { k: -1.0, ..NONE }, self.linear);
        self.reference.solve_projected(self.group, &matrix, f.clone(), self.linear)
    }

    fn go(&mut self, step: &DVector<f64>, alpha: f64) {
        self.reference.put(self.group, &self.begin, &(step * alpha), None);
        self.reference.map_down(self.group);
    }

    fn size(&self) -> f64 {
        self.reference.positions(self.group).iter().flatten().map(|c| c * c).sum::<f64>().sqrt()
    }

    fn doubt(&self, why: &'static str) {
        self.reference.doubt.set(Some(why));
    }
}

/// A step of backward differentiation.
pub(super) struct Step<'a> {
    pub reference: &'a mut Reference,
    pub solver: usize,
    pub group: &'a mut Group,
    pub linear: Linear,
    pub span: f64,
    pub damping: (f64, f64),
    pub x: Vec<Vec<f64>>,
    pub v: DVector<f64>,
    /// How far the estimate is from the beginning of the step.
    pub d: DVector<f64>,
    /// Displacement and velocity from which a step goes.
    pub base: Option<(DVector<f64>, DVector<f64>)>,
}

impl Step<'_> {
    fn excess(&self) -> DVector<f64> {
        let v = self.reference.velocities(self.group);
        self.reference.projection(self.group) * (&self.d - v * self.span)
    }
}

impl Equation for Step<'_> {
    fn residual(&mut self) -> Result<DVector<f64>, String> {
        let Self { reference, group, span, damping: (rm, rk), .. } = self;
        let f = reference.forces(group);
        let new = reference.velocities(group);
        let damped = reference.products(group, Factors { m: -*rm, b: 0.0, k: *rk }) * &new;
        let gained = reference.products(group, Factors { m: 1.0, ..NONE }) * (new - &self.v);
        Ok(reference.projection(group) * (gained - (f + damped) * *span))
    }

    fn step(&mut self, residual: &DVector<f64>) -> Result<DVector<f64>, String> {
        let (s, (rm, rk)) = (self.span, self.damping);
        let excess = self.excess();
        let mut b = -residual;
        b -= self.reference.products(self.group, Factors { k: s, ..NONE }) * &excess;
        self.base = Some((&self.d - excess, self.reference.velocities(self.group)));
        let left = Factors { m: 1.0 + s * rm, b: -s, k: -s * (rk + s) };
        let matrix = self.reference.served(self.solver, self.group, left, self.linear);
        self.reference.solve(self.group, &matrix, &b, self.linear)
    }

    fn go(&mut self, step: &DVector<f64>, alpha: f64) {
        let Some((d, v)) = &self.base else { return };
        self.d = d + step * (alpha * self.span);
        let v = v + step * alpha;
        self.reference.put(self.group, &self.x, &self.d, Some(&v));
        self.reference.project(self.group);
        self.reference.map_down(self.group);
    }

    fn size(&self) -> f64 {
        self.reference.velocities(self.group).norm()
    }

    fn doubt(&self, why: &'static str) {
        self.reference.doubt.set(Some(why));
    }
}
