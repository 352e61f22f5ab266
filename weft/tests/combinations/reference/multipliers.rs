//! A free motion and its correction by Lagrange multipliers, by their definition, with dense matrices.

use nalgebra::{DMatrix, DVector};
use sim_core::component::lagrangian_constraint::ConstraintOrder;
use sim_core::component::matrix::End;
use sim_core::visitor::direct::{DirectLagrangian, FlatFreeState};

use super::continuation::way;
use super::group::Group;
use super::integrator::Integrator;
use super::motion::moved;
use super::solvers::Solver;
use super::sweeps::{Loosely, Rows, SEVERAL_MULTIPLIERS, Unit, has_others, solve};
use super::{Reference, State};

/// What the reference says where an integrator had nothing to solve yet, since its forces are balanced.
pub const NO_SYSTEM: &str = "no system was solved yet, whose matrix corrections need";

/// A constraint, on two states or twice the same.
pub(super) struct Multiplied {
    pub ends: [usize; 2],
    pub direct: Box<dyn DirectLagrangian>,
}

/// Positions and velocities of a state.
pub type Vectors = [Vec<f64>; 2];

/// How an independent state gives way.
pub(super) enum Compliance {
    /// By the inverse of its integrator's matrix, or of the first that this had: with all that it moves, or by itself.
    OfMatrix { factor: f64, regularization: f64, whole: bool, first: bool },
    /// Degree of freedom by degree of freedom, with the factors of positions and velocities where the integrator's do not count.
    Uncoupled { matrix: DMatrix<f64>, own: Option<[f64; 2]> },
}

/// What a scene has for multipliers.
pub(super) struct Multipliers {
    pub order: ConstraintOrder,
    pub constraints: Vec<Multiplied>,
    /// Of independent states.
    pub corrections: Vec<(usize, Compliance)>,
    /// Whether the solver builds no matrix.
    pub unbuilt: bool,
    /// Whether it takes its compliances without the integrator's factors.
    pub leaves_out_factors: bool,
    /// Whether its sweeps answer a share of each violation.
    pub by_shares: bool,
    /// Whether what a projective constraint holds gives way nowhere.
    pub projects: bool,
    /// Whether multipliers are forces under which mappings take their geometric stiffness in the next step.
    pub leaves_forces: bool,
    /// Free positions and velocities of all states, as the last free motion has left them.
    pub free: Vec<Vectors>,
}

impl Reference {
    /// **Source:** SOFA's FreeMotionAnimationLoop: a free motion of all solvers; W = w J C J^T; W lambda + delta fulfils what
    /// constraints demand; x = x_free + p C J^T lambda, v = v_free + q C J^T lambda.
    pub(super) fn step_with_multipliers(&mut self, all: &mut Multipliers) -> Result<(), String> {
        let begin: Vec<Vectors> = self.states.iter().map(|s| [s.x.clone(), s.v.clone()]).collect();
        if all.free.is_empty() {
            all.free.clone_from(&begin);
        }
        let mut left = begin.clone();
        for solver in 0..self.solvers.len() {
            self.integrate(&[solver])?;
            // Forces are those at the present states, whatever another solver has made of them. Mapped states, and Jacobians, stay
            // where forces were evaluated last.
            for (s, _) in self.group(&[solver]).roots {
                let State { x, v, .. } = &mut self.states[s];
                left[s] =
                    [std::mem::replace(x, begin[s][0].clone()), std::mem::replace(v, begin[s][1].clone())];
            }
        }
        let groups: Vec<Group> = (0..self.solvers.len()).map(|s| self.group(&[s])).collect();
        self.leave_free(all, &groups, left);
        let own_constraints = all.constraints.len();
        all.constraints.append(&mut self.detection.multiplied(&self.states, &all.free)?);
        let rows = self.rows(all, &groups);
        all.constraints.truncate(own_constraints);
        let rows = rows?;
        let units = self.units(all, &groups, &rows)?;
        let loosely = Loosely { by: self.disturbance, step: self.steps, by_shares: all.by_shares };
        let lambda = solve(&rows, &units, (self.disturbance != 0.0).then_some(loosely))?;
        if self.disturbance == 0.0 && has_others(&rows, &units, &lambda) {
            self.doubt.set(Some(SEVERAL_MULTIPLIERS));
        }
        self.correct(all, &groups, &units, &lambda);
        if all.leaves_forces {
            self.leave_multipliers(&rows, &lambda);
        }
        let params = self.parameters();
        for c in &mut self.constraints {
            let s = &mut self.states[c.state];
            if groups.iter().any(|g| g.roots.iter().any(|r| r.0 == c.state)) {
                c.direct.project_position(&params, &mut s.x);
                c.direct.project_velocity(&params, &mut s.v);
            }
        }
        self.propagate(None);
        self.time += self.dt;
        self.steps += 1;
        Ok(())
    }

    /// Free velocities are what solvers have left, projected, and mapped down; free positions are ahead by them, or what solvers
    /// have left.
    fn leave_free(&mut self, all: &mut Multipliers, groups: &[Group], left: Vec<Vectors>) {
        let (h, params) = (self.dt, self.parameters());
        for (s, _) in groups.iter().flat_map(|g| &g.roots) {
            let mut v = left[*s][1].clone();
            for c in self.constraints.iter().filter(|c| c.state == *s) {
                c.direct.project_response(&params, &mut v);
            }
            all.free[*s][1] = v;
        }
        for e in &self.edges {
            if groups.iter().any(|g| g.states.contains(&e.output)) {
                let v = all.free[e.input][1].clone();
                e.direct.apply_j(&v, &mut all.free[e.output][1]);
            }
        }
        for s in groups.iter().flat_map(|g| &g.states) {
            let state = &self.states[*s];
            if all.order == ConstraintOrder::Position {
                let d: Vec<f64> = all.free[*s][1].iter().map(|v| h * v).collect();
                all.free[*s][0] = moved(&state.x, &d, state.rigid);
            } else if !state.mapped {
                all.free[*s][0].clone_from(&left[*s][0]);
            }
        }
    }

    fn rows(&self, all: &Multipliers, groups: &[Group]) -> Result<Rows, String> {
        let mut rows = Rows {
            violations: DVector::zeros(0),
            blocks: Vec::new(),
            jacobians: groups.iter().map(|g| DMatrix::zeros(0, g.size)).collect(),
            whole: Vec::new(),
            entries: Vec::new(),
        };
        let mut violations: Vec<f64> = Vec::new();
        for c in &all.constraints {
            let of = c.ends.map(|e| {
                let State { x, rest, .. } = &self.states[e];
                FlatFreeState { x, rest, free_x: &all.free[e][0], free_v: &all.free[e][1] }
            });
            let own = c.direct.rows(all.order, self.dt, of);
            let (first, n) = (violations.len(), own.violations.len());
            violations.extend(&own.violations);
            rows.blocks.extend(own.blocks.iter().map(|b| (b.n_rows as usize, b.resolution)));
            for e in &own.entries {
                let state = c.ends[usize::from(e.end == End::Second)];
                let (width, row) = (self.states[state].width, first + e.row as usize);
                let (dof, part) =
                    (e.block as usize / width.div_ceil(3), e.block as usize % width.div_ceil(3));
                let scalars = (0..3).filter(|i| 3 * part + i < width);
                let entry = |i: usize| (state, dof * width + 3 * part + i, row, e.direction[i]);
                rows.entries.extend(scalars.map(entry));
            }
            for (group, jacobian) in groups.iter().zip(&mut rows.jacobians) {
                *jacobian = jacobian.clone().resize_vertically(first + n, 0.0);
                for e in &own.entries {
                    let state = c.ends[usize::from(e.end == End::Second)];
                    let Some(place) = group.states.iter().position(|s| *s == state) else { continue };
                    let width = self.states[state].width;
                    let blocks = width.div_ceil(3);
                    let (dof, part) = (e.block as usize / blocks, e.block as usize % blocks);
                    for i in (0..3).filter(|i| 3 * part + i < width) {
                        let of_scalar = group.up[place].column(dof * width + 3 * part + i) * e.direction[i];
                        let mut row = jacobian.row_mut(first + e.row as usize);
                        row += of_scalar.transpose();
                    }
                }
            }
        }
        rows.whole.clone_from(&rows.jacobians);
        // What a projective constraint holds gives way nowhere.
        for (group, jacobian) in groups.iter().zip(&mut rows.jacobians).filter(|_| all.projects) {
            for scalar in self.projected_columns(group) {
                jacobian.column_mut(scalar).fill(0.0);
            }
        }
        rows.violations = DVector::from_vec(violations);
        Ok(rows)
    }

    /// Each mapping keeps J^T lambda on its output, with what its output moves.
    fn leave_multipliers(&mut self, rows: &Rows, lambda: &DVector<f64>) {
        let mut on: Vec<Vec<f64>> = self.states.iter().map(|s| vec![0.0; s.size()]).collect();
        for (state, scalar, row, value) in &rows.entries {
            on[*state][*scalar] += value * lambda[*row];
        }
        for e in self.edges.iter_mut().rev() {
            e.multipliers.clone_from(&on[e.output]);
            e.direct.apply_jt(&e.multipliers, &mut on[e.input]);
        }
    }

    fn units(&self, all: &Multipliers, groups: &[Group], rows: &Rows) -> Result<Vec<Unit>, String> {
        let mut units = Vec::new();
        for (state, compliance) in &all.corrections {
            let Some(solver) = self.solver_of(*state) else { continue };
            let group = &groups[solver];
            let whole = matches!(compliance, Compliance::OfMatrix { whole: true, .. });
            let members: Vec<(usize, usize)> =
                group.roots.iter().copied().filter(|r| whole || r.0 == *state).collect();
            let mut is_member = vec![false; group.size];
            for (s, offset) in &members {
                is_member[*offset..offset + self.states[*s].size()].fill(true);
            }
            let (factors, regularization) = self.factors(all, compliance, solver)?;
            // What moves is asked for there, and nothing moves by it.
            let regularization = if all.unbuilt { 0.0 } else { regularization };
            let mut matrix = match compliance {
                // What such an integrator leaves is not corrected.
                Compliance::OfMatrix { .. } if factors == [0.0; 3] => DMatrix::zeros(group.size, group.size),
                Compliance::OfMatrix { first: false, .. } => self.inverse(solver, group, false)?,
                // Found by steps in which what is held does not move.
                Compliance::OfMatrix { first: true, .. } => {
                    let cleared = self.clearing(group);
                    &cleared * self.inverse(solver, group, true)? * &cleared
                }
                Compliance::Uncoupled { matrix, .. } => {
                    let mut full = DMatrix::zeros(group.size, group.size);
                    let (at, size) = (members[0].1, self.states[*state].size());
                    full.view_mut((at, at), (size, size)).copy_from(matrix);
                    full
                }
            };
            let acts =
                |row: usize| (0..group.size).any(|k| is_member[k] && rows.whole[solver][(row, k)] != 0.0);
            let acts = (0..rows.violations.len()).map(acts).collect();
            let mut jacobian = rows.jacobians[solver].clone();
            for k in (0..group.size).filter(|k| !is_member[*k]) {
                jacobian.column_mut(k).fill(0.0);
                matrix.row_mut(k).fill(0.0);
            }
            units.push(Unit { jacobian, compliance: matrix, members, factors, regularization, acts });
        }
        Ok(units)
    }

    /// The inverse of the matrix that a solver's last system had, or its first one.
    fn inverse(&self, solver: usize, group: &Group, first: bool) -> Result<DMatrix<f64>, String> {
        let Solver { path, system, first_system, .. } = &self.solvers[solver];
        let system = if first { first_system } else { system };
        let system = system.as_ref().ok_or(format!("{path}: {NO_SYSTEM}"))?;
        let cleared = self.clearing(group);
        let identity = DMatrix::identity(group.size, group.size);
        let by = self.disturbance;
        let off = |i: usize, j: usize, a: f64| a * by * way((i.min(j), i.max(j), self.steps, by.to_bits()));
        let projected =
            &cleared * (system + system.map_with_location(off)) * &cleared + (identity - &cleared);
        projected.try_inverse().ok_or_else(|| super::NO_SOLUTION.to_owned())
    }

    /// Factors of W, positions and velocities, and what is added to W's diagonal.
    ///
    /// **Source:** SOFA's getPositionIntegrationFactor and getVelocityIntegrationFactor of integrators; corrections by matrices leave
    /// their own factor out of velocities where these are solved for.
    fn factors(&self, all: &Multipliers, of: &Compliance, solver: usize) -> Result<([f64; 3], f64), String> {
        let h = self.dt;
        let (p, q) = match self.solvers[solver].integrator {
            Integrator::EulerImplicit { .. } | Integrator::Newmark { .. } | Integrator::Static { .. } => {
                (h, 1.0)
            }
            Integrator::EulerExplicit { symplectic: true } | Integrator::CentralDifference { .. } => {
                (h * h, h)
            }
            Integrator::EulerExplicit { symplectic: false } => (0.0, h),
            Integrator::RungeKutta2 | Integrator::RungeKutta4 => (0.0, h / 2.0),
            Integrator::Bdf { .. } | Integrator::Variational { .. } => (0.0, 0.0),
        };
        let of_position = all.order == ConstraintOrder::Position;
        Ok(match of {
            Compliance::OfMatrix { factor, regularization, .. } => {
                let w = factor * if of_position { p } else { q };
                let velocity = if of_position { factor * q } else { q };
                let w = if all.leaves_out_factors { p } else { w };
                ([w, factor * p, velocity], *regularization)
            }
            Compliance::Uncoupled { own: None, .. } => {
                let w = if of_position { p } else { q };
                ([if all.leaves_out_factors { 1.0 } else { w }, p, q], 0.0)
            }
            Compliance::Uncoupled { own: Some([x, v]), .. } => {
                ([1.0, *x, if of_position { v / h } else { *v }], 0.0)
            }
        })
    }

    /// What a correction does not take over stays as it was at the beginning.
    fn correct(&mut self, all: &Multipliers, groups: &[Group], units: &[Unit], lambda: &DVector<f64>) {
        let h = self.dt;
        let velocity = all.order == ConstraintOrder::Velocity;
        for (s, _) in groups.iter().flat_map(|g| &g.roots).filter(|_| velocity) {
            let state = &mut self.states[*s];
            let d: Vec<f64> = state.v.iter().map(|v| h * v).collect();
            let is_corrected = units.iter().any(|u| u.members.iter().any(|m| m.0 == *s));
            if !is_corrected {
                state.x = moved(&state.x, &d, state.rigid);
            }
        }
        for unit in units {
            let motion = &unit.compliance * unit.jacobian.transpose() * lambda;
            let [_, p, q] = unit.factors;
            for (s, offset) in &unit.members {
                let state = &mut self.states[*s];
                let c = motion.rows(*offset, state.size());
                let [free_x, free_v] = &all.free[*s];
                state.v = free_v.iter().zip(c.iter()).map(|(v, c)| v + q * c).collect();
                let (from, d): (&Vec<f64>, Vec<f64>) = if velocity {
                    (&state.x, state.v.iter().map(|v| h * v).collect())
                } else {
                    (free_x, c.iter().map(|c| p * c).collect())
                };
                state.x = moved(from, &d, state.rigid);
            }
        }
    }
}
