//! The multipliers of a step, from dense matrices.

use nalgebra::{DMatrix, DVector};
use sim_core::component::lagrangian_constraint::Resolution;

use super::continuation::way;

/// What the reference says of a scene in which something is divided by zero, or leaves what a number can be.
pub const NOT_FINITE: &str = "the numbers of the reference are not finite";

/// What the reference says where multipliers are not found by as many sweeps as a solver has.
pub const NO_MULTIPLIERS: &str = "the multipliers are not found in so many sweeps";

/// The rows of a step, over the independent scalars of each solver.
pub(super) struct Rows {
    /// Of each entry: the state, the scalar of it, the row and the value.
    pub entries: Vec<(usize, usize, usize, f64)>,
    pub violations: DVector<f64>,
    /// Of each block, its number of rows and what they demand.
    pub blocks: Vec<(usize, Resolution)>,
    pub jacobians: Vec<DMatrix<f64>>,
    /// The same before what is held was taken out.
    pub whole: Vec<DMatrix<f64>>,
}

/// A correction in a step.
pub(super) struct Unit {
    /// The rows on what it corrects, and how this gives way.
    pub jacobian: DMatrix<f64>,
    pub compliance: DMatrix<f64>,
    /// The states, with their first scalars.
    pub members: Vec<(usize, usize)>,
    /// Factors of W, positions and velocities.
    pub factors: [f64; 3],
    pub regularization: f64,
    /// Of each row, whether it acts on one of the states, held or not.
    pub acts: Vec<bool>,
}

/// What it says where contacts with friction have several solutions: which of them sweeps find is a matter of where they begin and of
/// their order.
pub const SEVERAL_MULTIPLIERS: &str = "friction has several solutions";

/// The greatest number of sweeps, far fewer than scenes allow: what needs more is too loosely determined to compare.
const SWEEPS: usize = 2000;

/// The tolerance of the scenes' sweeps, for each row.
const TOLERANCE: f64 = 1e-15;

/// How a solver that is off by last digits finds multipliers.
#[derive(Clone, Copy)]
pub(super) struct Loosely {
    /// By how much compliances are off, relative to their size.
    pub by: f64,
    /// The step, in each of which they are off otherwise.
    pub step: usize,
    /// Whether a sweep answers a share of a violation only, and may end where that share is small.
    pub by_shares: bool,
}

impl Loosely {
    /// One of two signs for each row and column, the same both ways round.
    fn sign(self, row: usize, column: usize) -> f64 {
        way((row.min(column), row.max(column), self.step, self.by.to_bits()))
    }

    /// What the solver makes of compliances and violations.
    ///
    /// **Source:** as SOFA's ImprovedJacobiConstraintSolver, a share is 1.8 over the square of the greatest eigenvalue, or 1.
    fn disturb(self, w: &mut DMatrix<f64>, violations: &mut DVector<f64>) {
        let n = violations.len();
        // Singular values of what is not finite are looked for without end.
        if n == 0 || w.iter().any(|w| !w.is_finite()) {
            return;
        }
        let size = w.singular_values().max();
        // What gives way nowhere does so whatever the last digits of the rest are.
        let gives_way: Vec<bool> = w.diagonal().iter().map(|w| *w != 0.0).collect();
        *w = w.map_with_location(|i, j, w| {
            if gives_way[i] && gives_way[j] { w + self.by * size * self.sign(i, j) } else { w }
        });
        let share = if self.by_shares && size > 0.0 { (1.8 / (size * size)).min(1.0) } else { 1.0 };
        let left = TOLERANCE * n as f64 / share;
        violations.iter_mut().enumerate().for_each(|(k, v)| *v += left * self.sign(k, 0));
    }
}

/// Whether friction has other solutions than these multipliers: sweeps from behind, or from elsewhere, end with another motion.
pub(super) fn has_others(rows: &Rows, units: &[Unit], lambda: &DVector<f64>) -> bool {
    if !rows.blocks.iter().any(|(_, r)| matches!(r, Resolution::Friction { .. })) {
        return false;
    }
    let most = lambda.amax();
    let starts = [0.0, 0.5, 2.0].map(|by| DVector::from_fn(lambda.len(), |k, _| by * lambda[k] + by * most));
    let starts = starts.into_iter().flat_map(|start| [(start.clone(), false), (start, true)]).skip(1);
    let moves = |lambda: &DVector<f64>| -> DVector<f64> {
        let of_unit = |u: &Unit| u.jacobian.transpose() * lambda;
        units.iter().map(|u| &u.jacobian * (&u.compliance * of_unit(u)) * u.factors[0]).sum()
    };
    let own = moves(lambda);
    starts.into_iter().any(|(start, from_behind)| {
        let other = solve_from(rows, units, None, (start, from_behind));
        other.is_ok_and(|other| (moves(&other) - &own).amax() > 1e-9 * (1e-6 + own.amax()))
    })
}

/// The multipliers, row by row until nothing changes; or as loosely as the scene's own sweeps may find them.
pub(super) fn solve(rows: &Rows, units: &[Unit], loosely: Option<Loosely>) -> Result<DVector<f64>, String> {
    let start = DVector::zeros(rows.violations.len());
    solve_from(rows, units, loosely, (start, false))
}

/// The same from somewhere, in the order of blocks or from behind.
fn solve_from(
    rows: &Rows,
    units: &[Unit],
    loosely: Option<Loosely>,
    (mut lambda, from_behind): (DVector<f64>, bool),
) -> Result<DVector<f64>, String> {
    let mut violations = rows.violations.clone();
    let n = violations.len();
    let mut w = DMatrix::zeros(n, n);
    for unit in units {
        let mut own = &unit.jacobian * &unit.compliance * unit.jacobian.transpose() * unit.factors[0];
        for k in (0..n).filter(|k| unit.acts[*k]) {
            own[(k, k)] += unit.regularization;
        }
        w += own;
    }
    if let Some(loosely) = loosely {
        loosely.disturb(&mut w, &mut violations);
    }
    let mut blocks = Vec::new();
    let mut first = 0;
    for (n, resolution) in &rows.blocks {
        let own = w.view((first, first), (*n, *n)).clone_owned();
        // A block that gives way in some directions only is left alone; one that hardly does so in some is nobody's to compare.
        let is_held = own.row_iter().any(|row| row.iter().all(|w| *w == 0.0));
        // Singular values of what is not finite are looked for without end.
        if own.iter().any(|w| !w.is_finite()) {
            return Err(NOT_FINITE.to_owned());
        }
        let values = own.singular_values();
        if *n > 1 && !is_held && values.min() < 1e-10 * values.max() {
            return Err(NO_MULTIPLIERS.to_owned());
        }
        let is_left = is_held && !matches!(resolution, Resolution::Friction { .. });
        blocks.push((first, *n, if is_left { None } else { Some(*resolution) }));
        first += n;
    }
    if from_behind {
        blocks.reverse();
    }
    let scale = rows.violations.amax();
    let least = 1e-14 * scale;
    let least = if loosely.is_some() { least.max(TOLERANCE * n as f64) } else { least };
    for _ in 0..SWEEPS {
        let mut change: f64 = 0.0;
        for (first, n, resolution) in &blocks {
            let before = lambda.rows(*first, *n).clone_owned();
            match resolution {
                Some(Resolution::Friction { mu, .. }) => slide(&w, &violations, *first, *mu, &mut lambda),
                Some(resolution) => {
                    for k in *first..first + n {
                        push(&w, violations[k], k, *resolution, &mut lambda)?;
                    }
                }
                None => {}
            }
            for k in 0..*n {
                change = change.max(((lambda[first + k] - before[k]) * w[(first + k, first + k)]).abs());
            }
        }
        if !change.is_finite() || lambda.iter().any(|l| !l.is_finite()) {
            break;
        }
        if change <= least {
            return Ok(lambda);
        }
    }
    Err(NO_MULTIPLIERS.to_owned())
}

/// Solves one row by itself.
fn push(
    w: &DMatrix<f64>,
    free: f64,
    k: usize,
    resolution: Resolution,
    lambda: &mut DVector<f64>,
) -> Result<(), String> {
    let own = w[(k, k)];
    if own == 0.0 {
        return Ok(());
    }
    let q = free + (w.row(k) * &*lambda)[0] - own * lambda[k];
    lambda[k] = match resolution {
        Resolution::Bilateral { .. } => -q / own,
        Resolution::Unilateral => (-q / own).max(0.0),
        Resolution::Stopper { min, max } => (q.clamp(min, max) - q) / own,
        other => return Err(format!("the reference does not know {other:?}: teach it in {}", file!())),
    };
    Ok(())
}

/// Solves a contact by itself: no force that pulls; along the tangents as much as Coulomb's cone allows of what stops the motion.
///
/// **Source:** as SOFA's resolution of contacts with friction: the step along the tangents is by the mean of W's two entries.
fn slide(w: &DMatrix<f64>, free: &DVector<f64>, first: usize, mu: f64, lambda: &mut DVector<f64>) {
    if w[(first, first)] == 0.0 {
        return;
    }
    let moves = |lambda: &DVector<f64>, k: usize| free[k] + (w.row(k) * lambda)[0];
    lambda[first] -= moves(lambda, first) / w[(first, first)];
    if lambda[first] < 0.0 {
        lambda.rows_mut(first, 3).fill(0.0);
        return;
    }
    let mean = (w[(first + 1, first + 1)] + w[(first + 2, first + 2)]) / 2.0;
    if mean != 0.0 {
        let [t, s] = [1, 2].map(|k| moves(lambda, first + k));
        lambda[first + 1] -= t / mean;
        lambda[first + 2] -= s / mean;
    }
    let (size, most) = (lambda[first + 1].hypot(lambda[first + 2]), mu * lambda[first]);
    if size > most {
        lambda[first + 1] *= most / size;
        lambda[first + 2] *= most / size;
    }
}
