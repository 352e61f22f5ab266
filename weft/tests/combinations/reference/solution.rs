//! The solutions of a group's linear systems.

use nalgebra::{DMatrix, DVector};

use super::continuation::way;
use super::group::Group;
use super::solvers::Ends;
use super::{Linear, NOT_FINITE, Reference, State, misplaced, part};

/// What the reference says of a system that is singular and has no solution.
pub const NO_SOLUTION: &str = "the linear system has no solution";
/// What it says of one that is not positive definite, where the solver needs that.
pub const NOT_POSITIVE: &str = "the matrix of the linear system is not positive definite";
/// What it says of one that has entries besides its blocks of six rows on the diagonal and beside it.
pub const NOT_BANDED: &str = "the matrix of the linear system is not block tridiagonal";
/// What it says of an indefinite one: a conjugate gradient with a preconditioner may end anywhere.
pub const INDEFINITE: &str =
    "the matrix of the linear system is indefinite, which the solver does not notice";
/// What it says where constraints project twice otherwise than once (two on the same points; frames that get the sum of both): where an
/// iteration ends depends on how often it projects.
pub const NOT_A_PROJECTION: &str = "what constraints do twice differs from what they do once";
/// What it says of one whose matrix is not symmetric, as where a joint couples a state whose forces are not mapped back: a
/// conjugate gradient then leads anywhere.
pub const UNSYMMETRIC: &str = "the matrix of the linear system is not symmetric";

impl Reference {
    /// Solves A x = b within the subspace that the constraints leave free. Where A is singular (an object without mass that
    /// only a contact holds), the shortest of the solutions, which is where a conjugate gradient from zero leads to.
    ///
    /// # Errors
    /// A system without a solution.
    pub fn solve(
        &self,
        group: &Group,
        matrix: &DMatrix<f64>,
        b: &DVector<f64>,
        linear: Linear,
    ) -> Result<DVector<f64>, String> {
        self.solve_projected(group, matrix, self.projection(group) * b, linear)
    }

    /// The same by a solver that may start from the solution of the step before: of that it keeps what constraints hold, which is
    /// something where they did not hold it before. A conjugate gradient keeps all of it where there is nothing to solve.
    ///
    /// # Errors
    /// A system without a solution.
    pub fn solve_from_last(
        &self,
        group: &Group,
        matrix: &DMatrix<f64>,
        b: &DVector<f64>,
        linear: Linear,
    ) -> Result<DVector<f64>, String> {
        if !linear.goes_on {
            return self.solve(group, matrix, b, linear);
        }
        let (p, last) = (self.projection(group), self.last_solution(group));
        let b = &p * b;
        if linear.warm && b.iter().all(|b| *b == 0.0) {
            return Ok(last);
        }
        let way = self.solve_projected(group, matrix, b - p * (matrix * &last), linear)?;
        Ok(last + way)
    }

    /// The solution of the step before.
    fn last_solution(&self, group: &Group) -> DVector<f64> {
        let last = group.roots.iter().flat_map(|(s, _)| self.states[*s].solution.iter().copied());
        DVector::from_iterator(group.size, last)
    }

    /// [`Self::solve`] with a right-hand side that is projected already: constraints that hold the same points may change it when they project
    /// it once more.
    pub fn solve_projected(
        &self,
        group: &Group,
        matrix: &DMatrix<f64>,
        right: DVector<f64>,
        linear: Linear,
    ) -> Result<DVector<f64>, String> {
        let p = self.projection(group);
        let identity = DMatrix::identity(group.size, group.size);
        let cleared = if linear.direct { self.clearing(group) } else { p.clone() };
        let projected = &cleared * matrix * &cleared + (identity - &cleared);
        if !linear.direct && (&p * &p - &p).amax() > 1e-12 {
            self.doubt.set(Some(NOT_A_PROJECTION));
        }
        let asymmetry = (&projected - projected.transpose()).amax();
        if asymmetry > 1e-9 * projected.amax() {
            return Err(UNSYMMETRIC.to_owned());
        }
        // Less than that, and more than rounding: a solver that takes one triangle for both differs by it times the condition.
        if asymmetry > 1e-13 * projected.amax() {
            self.doubt.set(Some(UNSYMMETRIC));
        }
        // What SOFA makes of such blocks beside the band is no symmetric matrix.
        if linear.banded && !linear.exact && group.solvers == 1 && misplaced::is_there(self, group) {
            return Err(UNSYMMETRIC.to_owned());
        }
        let is_outside = |(i, j): (usize, usize)| (i / 6).abs_diff(j / 6) > 1 && projected[(i, j)] != 0.0;
        let entries = (0..group.size).flat_map(|i| (0..group.size).map(move |j| (i, j)));
        if linear.banded && (!group.size.is_multiple_of(6) || entries.into_iter().any(is_outside)) {
            return Err(NOT_BANDED.to_owned());
        }
        if linear.regular && is_singular(&projected) {
            return Err(NO_SOLUTION.to_owned());
        }
        if linear.definite && (projected.clone().cholesky().is_none() || is_singular(&projected)) {
            return Err(INDEFINITE.to_owned());
        }
        if linear.positive && projected.clone().cholesky().is_none() {
            return Err(NOT_POSITIVE.to_owned());
        }
        if linear.gradient && projected.clone().cholesky().is_none() {
            self.doubt.set(Some(INDEFINITE));
        } else if linear.goes_on && is_singular(&projected) {
            self.doubt.set(Some(NO_SOLUTION));
        }
        if is_nearly_singular(&projected) {
            self.doubt.set(Some(NO_SOLUTION));
        }
        let x = solution(&projected, &right, linear)?;
        if self.disturbance == 0.0 {
            return Ok(x);
        }
        // What is left over by a solver that is as good as it can be.
        let size = self.disturbance * right.norm().max(projected.amax() * x.norm());
        let ways = |i: usize, _| size * way((i, self.steps, self.disturbance.to_bits()));
        let mut off = DVector::from_fn(group.size, ways);
        off += self.left_by(linear.ends, group, &p, (&projected, &right, &x));
        solution(&projected, &(right + p * off), linear)
    }

    /// Doubts a preconditioner. Its factors are those of what is assembled, which of some components is nothing, with only some constraints
    /// clearing what they hold.
    pub fn doubt_preconditioner(&self, group: &Group, assembled: &DMatrix<f64>) {
        let cleared = self.clearing(group);
        let identity = DMatrix::identity(group.size, group.size);
        let by_factors = &cleared * assembled * &cleared + (identity - &cleared);
        if is_singular(&by_factors) {
            self.doubt.set(Some(NO_SOLUTION));
        } else if by_factors.cholesky().is_none() {
            self.doubt.set(Some(INDEFINITE));
        }
    }

    /// The residual that a solver may leave of A x = b beside that relative to b, where it moves the solution most.
    fn left_by(
        &self,
        ends: Ends,
        group: &Group,
        p: &DMatrix<f64>,
        (a, b, x): (&DMatrix<f64>, &DVector<f64>, &DVector<f64>),
    ) -> DVector<f64> {
        let zeros = DVector::zeros(group.size);
        let svd = match ends {
            Ends::ByRightHandSide => None,
            _ => a.clone().try_svd(true, false, f64::EPSILON, 1000),
        };
        let Some((u, values)) = svd.and_then(|svd| Some((svd.u?, svd.singular_values))) else { return zeros };
        let size = match ends {
            Ends::ByRightHandSide => 0.0,
            Ends::Minimal(tolerance) => {
                let first = b - a * self.last_solution(group);
                tolerance * a.norm().hypot(first.norm()) * x.norm()
            }
            Ends::Preconditioned(tolerance) => (tolerance * values.max()).sqrt() * b.norm(),
        };
        let regular = (0..values.len()).filter(|k| values[*k] > SINGULAR * values.max());
        let moves = |k: usize| (p * u.column(k)).norm() / values[k];
        let most = regular.max_by(|k, l| moves(*k).total_cmp(&moves(*l)));
        most.map_or(zeros, |k| u.column(k) * size)
    }

    /// M^-1 f, state by state; a state without mass does not accelerate.
    ///
    /// # Errors
    /// A singular mass; numbers that are not finite, whatever constraints would make of them.
    pub fn accelerations(&self, group: &Group, f: &DVector<f64>) -> Result<DVector<f64>, String> {
        let mut a = DVector::zeros(group.size);
        for (s, offset) in &group.roots {
            let State { x, path, .. } = &self.states[*s];
            let size = self.states[*s].size();
            // Masses on mapped states give forces only.
            let mut own = self.masses.iter().filter(|m| m.state == *s && m.direct.is_diagonal());
            let Some(mass) = own.next_back() else { continue };
            let mut matrix = DMatrix::zeros(size, size);
            for i in 0..size {
                let mut unit = vec![0.0; size];
                unit[i] = 1.0;
                let mut column = vec![0.0; size];
                mass.direct.add_m_dx(1.0, 0.0, x, &unit, &mut column);
                matrix.set_column(i, &DVector::from_vec(column));
            }
            let right = DVector::from_vec(part(f, *offset, size));
            let of_state = matrix.lu().solve(&right).ok_or(format!("the mass of {path} is singular"))?;
            a.rows_mut(*offset, size).copy_from(&of_state);
        }
        if a.iter().any(|a| !a.is_finite()) {
            return Err(NOT_FINITE.to_owned());
        }
        Ok(a)
    }

    /// Whether each mass of the group is diagonal and stands on an independent state.
    pub fn masses_are_diagonal(&self, group: &Group) -> bool {
        let own = self.masses.iter().filter(|m| group.place(m.state).is_some());
        own.into_iter().all(|m| m.direct.is_diagonal() && !self.states[m.state].mapped)
    }
}

/// The ratio of singular values at which a matrix counts as singular: what is within its null space is rounding.
const SINGULAR: f64 = 1e-10;

/// Whether a matrix is singular but for rounding.
fn is_singular(a: &DMatrix<f64>) -> bool {
    if a.is_empty() || a.iter().any(|x| !x.is_finite()) {
        return false;
    }
    let pivots = a.clone().lu().u().diagonal().abs();
    // Pivots tell little of a matrix, and are found fast.
    if pivots.min() > 1e-6 * pivots.max() {
        return false;
    }
    let values = a.clone().try_svd(false, false, f64::EPSILON, 1000).map(|svd| svd.singular_values);
    values.is_none_or(|v| v.min() <= SINGULAR * v.max())
}

/// Singular values from here to [`SINGULAR`] are no rounding, and what they say is left out: solvers that go by the residual resolve it.
const ROUNDING: f64 = 1e-15;

/// Whether a matrix has singular values that count as zero and are not.
fn is_nearly_singular(a: &DMatrix<f64>) -> bool {
    if !is_singular(a) {
        return false;
    }
    let values = a.clone().try_svd(false, false, f64::EPSILON, 1000).map(|svd| svd.singular_values);
    let between = |v: &f64, max: f64| *v > ROUNDING * max && *v <= SINGULAR * max;
    values.is_some_and(|v| v.iter().any(|value| between(value, v.max())))
}

/// Solves A x = b; where A is singular, the shortest of the solutions.
fn solution(a: &DMatrix<f64>, b: &DVector<f64>, linear: Linear) -> Result<DVector<f64>, String> {
    let fits = |x: &DVector<f64>| (a * x - b).norm() <= 1e-9 * (1e-6 + b.norm());
    let singular = is_singular(a);
    if let Some(x) = a.clone().lu().solve(b).filter(|x| !singular && fits(x)) {
        return Ok(x);
    }
    // Singular values of what is not finite are looked for without end.
    if linear.regular || a.iter().chain(b).any(|x| !x.is_finite()) {
        return Err(NO_SOLUTION.to_owned());
    }
    let svd = a.clone().try_svd(true, true, f64::EPSILON, 1000).ok_or(NO_SOLUTION)?;
    let x = svd.solve(b, SINGULAR * svd.singular_values.max())?;
    if fits(&x) { Ok(x) } else { Err(NO_SOLUTION.to_owned()) }
}
