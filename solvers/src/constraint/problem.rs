//! The problem of a step's multipliers: W lambda + delta, block by block, with W in compressed rows.

use std::sync::Arc;

use super::block_motions::{BlockMotions, KeptRows};
use super::compliance_matrix::{ComplianceMatrix, Run};
use super::eigenvalues::SymmetricMatrix;
use super::null_space::{NullRows, NullSpace};
use engine::data::{Data, Role, Workspace, grow, look_in, read, set, work_in, write};
use nalgebra::{DMatrix, SMatrix};
use sim_core::component::constraint_solver::{ConstraintData, ConstraintProblemData, FormerForce, UnitData};
use sim_core::component::lagrangian_constraint::{ConstraintBlock, Resolution};
use sim_core::component::solver::SolveRecord;
use sim_core::math::Mat3;
use sim_core::visitor::constraints::UnitRows;
use sim_core::visitor::visit::Visit;

/// Rows that are solved together.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Its first row.
    pub first: usize,
    /// Number of rows.
    pub n: usize,
    /// What they demand.
    pub resolution: Resolution,
    /// Which block of its constraint it is from step to step.
    pub id: Option<u32>,
    /// Where its inverse is, if its resolution needs one.
    inverse: usize,
}

/// What a sweep leaves: how far it is from what is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepError {
    /// The sum of the errors of all rows.
    pub sum: f64,
    /// Whether each row's error is small enough by itself.
    pub all_verified: bool,
}

/// The multipliers of a step and what they must fulfil.
#[derive(Debug, Default)]
pub struct ConstraintProblem {
    /// The blocks in the order of rows.
    pub blocks: Vec<Block>,
    /// Violations after the free motion.
    pub free: Vec<f64>,
    /// The multipliers.
    pub lambda: Vec<f64>,
    /// The sum of all changes of multipliers by sweeps, where that moves objects, and not the multipliers; else empty.
    pub changed: Vec<f64>,
    /// W, without what units move whose compliance is blocks.
    pub w: ComplianceMatrix,
    /// What these move.
    motions: BlockMotions,
    /// What solvers keep from sweep to sweep.
    pub room: [Vec<f64>; 4],
    /// W as it is where its eigenvalues are asked for.
    pub(super) dense: SymmetricMatrix,
    /// For products of W and scaled vectors.
    pub scaled: Vec<f64>,
    /// Sweeps done.
    pub sweeps: u32,
    /// The error that the last sweep has left, and that at which sweeps end, as the solver measures them.
    pub error: [f64; 2],
    /// Whether sweeps ended since they hardly change forces any more, without such an error.
    pub stands_still: bool,
    first_rows: Vec<u32>,
    units: Vec<UnitShare>,
    /// Of each row, the units that it is in, with its number among each one's rows.
    shares: Vec<Vec<(u32, u32)>>,
    inverses: Vec<f64>,
    null_rows: NullRows,
}

/// A unit's part of W.
#[derive(Debug, Default)]
struct UnitShare {
    /// Its rows among all.
    rows: Vec<u32>,
    /// They are runs of neighbors.
    runs: Vec<Run>,
    /// Its part, row by row, where it has one.
    w: Vec<f64>,
    /// Where its compliance is blocks: the number of its first block row, and the entries of its rows.
    blocks: Option<u32>,
    entries: KeptRows,
    regularization: f64,
    /// Whether forces on it have changed in this step.
    is_touched: bool,
}

impl UnitShare {
    /// Adds its part of W, as it is without a solver's regularization.
    fn add_to(&self, w: &mut NullRows) {
        for (row, of_row) in self.rows.iter().zip(self.w.chunks_exact(self.rows.len().max(1))) {
            let row = *row as usize;
            self.rows.iter().zip(of_row).for_each(|(column, value)| w.add(row, *column as usize, *value));
            w.add(row, row, self.regularization);
        }
    }
}

impl ConstraintProblem {
    pub(super) fn begin(&mut self) {
        self.blocks.clear();
        self.free.clear();
        self.lambda.clear();
        self.changed.clear();
        self.first_rows.clear();
        self.units.iter_mut().for_each(|u| u.rows.clear());
        self.motions.begin();
        self.sweeps = 0;
        self.error = [0.0; 2];
        self.stands_still = false;
    }

    pub(super) fn take_constraint(
        &mut self,
        blocks: &[ConstraintBlock],
        violations: &[f64],
        initial: &[f64],
    ) {
        let mut first = self.free.len();
        self.first_rows.push(first as u32);
        for b in blocks {
            let n = b.n_rows as usize;
            self.blocks.push(Block { first, n, resolution: b.resolution, id: b.id, inverse: 0 });
            first += n;
        }
        self.free.extend_from_slice(violations);
        let missing = violations.len().saturating_sub(initial.len());
        self.lambda.extend_from_slice(&initial[..initial.len().min(violations.len())]);
        self.lambda.extend(std::iter::repeat_n(0.0, missing));
    }

    /// Takes a unit by its part of W, row by row.
    pub(super) fn take_unit(
        &mut self,
        unit: usize,
        rows: &[[u32; 2]],
        w: &[f64],
        factor: f64,
        regularization: f64,
    ) {
        let share = self.take_rows(unit, rows, regularization);
        share.blocks = None;
        share.w.clear();
        share.w.extend(w.iter().map(|w| w * factor));
        // Nothing gives way where no compliance was found.
        share.w.resize(share.rows.len() * share.rows.len(), 0.0);
    }

    /// Takes a unit by the compliances of its block rows.
    pub(super) fn take_unit_of_blocks(
        &mut self,
        unit: usize,
        rows: &UnitRows,
        compliances: &[Mat3],
        factor: f64,
        regularization: f64,
    ) {
        let first = self.motions.take_unit(compliances, factor);
        let share = self.take_rows(unit, &rows.rows, regularization);
        share.blocks = Some(first);
        share.w.clear();
        share.entries.take(rows);
    }

    fn take_rows(&mut self, unit: usize, rows: &[[u32; 2]], regularization: f64) -> &mut UnitShare {
        if self.units.len() <= unit {
            self.units.resize_with(unit + 1, UnitShare::default);
        }
        let share = &mut self.units[unit];
        let first_rows = &self.first_rows;
        share.rows.extend(rows.iter().map(|[constraint, row]| first_rows[*constraint as usize] + row));
        share.runs.clear();
        for &row in &share.rows {
            match share.runs.last_mut() {
                Some(run) if run.first + run.len == row => run.len += 1,
                _ => share.runs.push(Run { first: row, len: 1 }),
            }
        }
        share.regularization = regularization;
        share.is_touched = false;
        share
    }

    /// Puts W together, in the order of units, with `regularization` on the diagonal: on all of it, or on that of rows in the
    /// null space. Where motions are asked for, it is not in these.
    pub(super) fn assemble(&mut self, n_units: usize, assembly: Assembly) {
        let Assembly { regularization, null_space: of, unbuilt, .. } = assembly;
        let n = self.free.len();
        self.units.truncate(n_units);
        self.shares.resize_with(n.max(self.shares.len()), Vec::new);
        self.shares.iter_mut().for_each(Vec::clear);
        for (k, unit) in self.units.iter().enumerate() {
            for (local, row) in unit.rows.iter().enumerate() {
                self.shares[*row as usize].push((k as u32, local as u32));
            }
        }
        let Self { null_rows, units, .. } = self;
        let marked = of.filter(|_| regularization > f64::EPSILON).map(|of| {
            null_rows.begin(n);
            units.iter().for_each(|unit| unit.add_to(null_rows));
            null_rows.find(of)
        });
        let of_row = |row: usize| match marked {
            Some(marked) if !marked[row] => 0.0,
            _ if unbuilt => 0.0,
            _ => regularization,
        };
        let Self { w, blocks, shares, motions, .. } = self;
        w.begin(n);
        for b in blocks.iter() {
            w.push_block(b.n, |sums| {
                for (row, shares) in shares[b.first..b.first + b.n].iter().enumerate() {
                    let mut on_diagonal = of_row(b.first + row);
                    for &(k, local) in shares {
                        let unit = &units[k as usize];
                        on_diagonal += if unbuilt { 0.0 } else { unit.regularization };
                        if unit.blocks.is_some() {
                            continue;
                        }
                        let m = unit.rows.len();
                        let of_row = &unit.w[local as usize * m..][..m];
                        let mut begin = 0;
                        for run in &unit.runs {
                            let len = run.len as usize;
                            sums.add_run(row, run.first as usize, &of_row[begin..begin + len]);
                            begin += len;
                        }
                    }
                    sums.add(row, b.first + row, on_diagonal);
                }
            });
        }
        if !motions.is_empty() {
            for (k, b) in blocks.iter().enumerate() {
                motions.push_block(b.n);
                for (row, shares) in shares[b.first..b.first + b.n].iter().enumerate() {
                    for &(k, local) in shares {
                        let unit = &units[k as usize];
                        if let Some(first) = unit.blocks {
                            motions.add_row(row, first, unit.entries.row(local as usize));
                        }
                    }
                }
                w.add_to_own(k, |own| motions.add_own(k, own));
            }
        }
        for (k, b) in blocks.iter().enumerate().filter(|_| unbuilt) {
            // What gives way nowhere is left alone.
            w.add_to_own(k, |own| {
                for row in 0..b.n {
                    let diagonal = &mut own[row * (b.n + 1)];
                    if *diagonal != 0.0 {
                        *diagonal += regularization;
                    }
                }
            });
        }
        self.move_anew();
        self.w.forget_rounding();
        self.find_inverses();
    }

    /// Finds what the present multipliers move, where compliances are blocks.
    pub(super) fn move_anew(&mut self) {
        if self.motions.is_empty() {
            return;
        }
        self.motions.rest();
        for (k, b) in self.blocks.iter().enumerate() {
            let lambda = &self.lambda[b.first..b.first + b.n];
            if lambda.iter().any(|lambda| *lambda != 0.0) {
                self.motions.change_forces(k, |row| lambda[row]);
            }
        }
    }

    fn find_inverses(&mut self) {
        self.inverses.clear();
        for (k, b) in self.blocks.iter_mut().enumerate() {
            if b.n == 1 || !matches!(b.resolution, Resolution::Bilateral { .. }) {
                continue;
            }
            let (own, n) = (self.w.own(k), b.n);
            let entry = |i: usize, j: usize| own[i * n + j];
            b.inverse = self.inverses.len();
            // A block that gives way in no direction, or not in all: its multipliers stay what they are.
            match b.n {
                2 => self.inverses.extend(inverse::<2>(entry)),
                3 => self.inverses.extend(inverse::<3>(entry)),
                6 => self.inverses.extend(inverse::<6>(entry)),
                _ => {
                    let inverse = DMatrix::from_fn(b.n, b.n, entry).try_inverse();
                    let inverse = inverse.unwrap_or_else(|| DMatrix::zeros(b.n, b.n));
                    self.inverses.extend(inverse.transpose().as_slice());
                }
            }
        }
    }

    /// The violation of a row under the present multipliers.
    pub fn violation(&self, row: usize) -> f64 {
        self.free[row] + self.w.product(row, &self.lambda)
    }

    /// The violation of a row under the forces on the units that [`Self::touch`] has named.
    ///
    /// **Source:** as SOFA's unbuilt solvers, where forces of the step before count once something has changed what acts with them.
    /// SOFA tells degrees of freedom apart there, this tells units.
    pub fn unbuilt_violation(&self, row: usize) -> f64 {
        let shares = self.shares[row].iter().map(|(k, local)| (&self.units[*k as usize], *local));
        shares.filter(|(unit, _)| unit.is_touched).fold(self.free[row], |sum, (unit, local)| {
            let of_row = &unit.w[local as usize * unit.rows.len()..][..unit.rows.len()];
            let forces = unit.rows.iter().map(|row| self.lambda[*row as usize]);
            sum + of_row.iter().zip(forces).map(|(w, lambda)| w * lambda).sum::<f64>()
        })
    }

    /// The forces on what a row acts on have changed.
    pub fn touch(&mut self, row: usize) {
        for (k, _) in &self.shares[row] {
            self.units[*k as usize].is_touched = true;
        }
    }

    /// An entry of W's diagonal.
    pub fn own_diagonal(&self, row: usize) -> f64 {
        self.w.diagonal(row)
    }

    /// The block of W of three rows.
    pub fn own_block(&self, first: usize) -> [[f64; 3]; 3] {
        [0, 1, 2].map(|i| [0, 1, 2].map(|j| self.w.at(first + i, first + j)))
    }

    /// Begins with the forces of the step before, by the ids of a constraint's blocks.
    pub fn begin_with(&mut self, constraint: usize, former: &[FormerForce]) {
        let end = self.first_rows.get(constraint + 1).map_or(self.free.len(), |row| *row as usize);
        let begin = self.first_rows[constraint] as usize;
        for b in self.blocks.iter().filter(|b| (begin..end).contains(&b.first)) {
            let known = b.id.and_then(|id| former.iter().find(|f| f.id == id));
            if let Some(f) = known {
                for (k, lambda) in self.lambda[b.first..b.first + b.n].iter_mut().enumerate().take(3) {
                    *lambda = f.forces[k];
                }
            }
        }
    }

    /// Solves a block for the violations `d` that it has under the present multipliers.
    ///
    /// **Source:** as SOFA's resolutions. What gives way nowhere (a row of W without diagonal, or by rounding alone) is left alone, where
    /// SOFA divides by zero.
    pub fn resolve(&mut self, block: usize, d: &mut [f64]) {
        let Block { first, n, resolution, inverse, .. } = self.blocks[block];
        let w = self.w.own(block)[0];
        match resolution {
            Resolution::Bilateral { .. } if n == 1 => {
                if w != 0.0 {
                    self.lambda[first] -= d[0] / w;
                }
            }
            Resolution::Bilateral { load } => {
                for i in 0..n {
                    let row = &self.inverses[inverse + i * n..][..n];
                    let change: f64 = row.iter().zip(&*d).map(|(b, d)| b * d).sum();
                    self.lambda[first + i] -= load * change;
                }
            }
            Resolution::Unilateral => {
                if w != 0.0 {
                    self.lambda[first] = (self.lambda[first] - d[0] / w).max(0.0);
                }
            }
            Resolution::Friction { mu, .. } => self.resolve_friction(block, mu, d),
            Resolution::AugmentedFriction { mu, epsilon, .. } => {
                let lambda = &mut self.lambda[first..first + 3];
                lambda[0] -= epsilon * d[0];
                if lambda[0] < 0.0 {
                    lambda.fill(0.0);
                    return;
                }
                let (a, b) = (lambda[1] - epsilon * d[1], lambda[2] - epsilon * d[2]);
                if (a * a + b * b).sqrt() < mu * lambda[0] {
                    (lambda[1], lambda[2]) = (a, b);
                } else {
                    let size = (d[1] * d[1] + d[2] * d[2]).sqrt();
                    if size > 0.0 {
                        lambda[1] -= mu * epsilon * d[0] * d[1] / size;
                        lambda[2] -= mu * epsilon * d[0] * d[2] / size;
                    }
                }
            }
            Resolution::Stopper { min, max } => {
                if w != 0.0 {
                    let q = d[0] - w * self.lambda[first];
                    self.lambda[first] = (q.clamp(min, max) - q) / w;
                }
            }
        }
    }

    fn resolve_friction(&mut self, block: usize, mu: f64, d: &mut [f64]) {
        let first = self.blocks[block].first;
        let own = self.w.own(block);
        let (w, to_t, to_s, both) = (own[0], own[3], own[6], own[4] + own[8]);
        if w == 0.0 {
            return;
        }
        let lambda = &mut self.lambda[first..first + 3];
        let before = lambda[0];
        lambda[0] -= d[0] / w;
        if lambda[0] < 0.0 {
            lambda.fill(0.0);
            return;
        }
        let change = lambda[0] - before;
        d[1] += to_t * change;
        d[2] += to_s * change;
        if both != 0.0 {
            lambda[1] -= 2.0 * d[1] / both;
            lambda[2] -= 2.0 * d[2] / both;
        }
        onto_cone(lambda, mu);
    }

    /// One sweep of block Gauss-Seidel.
    ///
    /// **Source:** as SOFA's BlockGaussSeidelConstraintSolver; the error of a row in a block is the root of the sum of squares of
    /// each product, as there.
    pub fn sweep(&mut self, tolerance: f64) -> SweepError {
        let mut error = SweepError { sum: 0.0, all_verified: true };
        let (mut d, mut before) = (std::mem::take(&mut self.room[0]), std::mem::take(&mut self.room[1]));
        let (has_motions, keeps_changes) = (!self.motions.is_empty(), !self.changed.is_empty());
        for k in 0..self.blocks.len() {
            let Block { first, n, resolution, .. } = self.blocks[k];
            d.clear();
            d.extend_from_slice(&self.free[first..first + n]);
            self.w.add_products(k, if keeps_changes { &self.changed } else { &self.lambda }, &mut d);
            if has_motions {
                self.motions.add_violations(k, &mut d);
            }
            before.clear();
            before.extend_from_slice(&self.lambda[first..first + n]);
            self.resolve(k, &mut d);
            let now = &self.lambda[first..first + n];
            if before == now {
                continue;
            }
            if has_motions {
                self.motions.change_forces(k, |row| now[row] - before[row]);
            }
            if keeps_changes {
                let changes = now.iter().zip(&before).map(|(now, before)| now - before);
                self.changed[first..].iter_mut().zip(changes).for_each(|(sum, change)| *sum += change);
            }
            let mut of_block = 0.0;
            if n == 1 {
                of_block = (self.w.own(k)[0] * (self.lambda[first] - before[0])).abs();
                error.all_verified &= of_block <= tolerance;
            } else {
                for of_row in self.w.own(k).chunks_exact(n) {
                    let squares =
                        of_row.iter().zip(&self.lambda[first..]).zip(&before).map(|((w, now), before)| {
                            let change = w * (now - before);
                            change * change
                        });
                    let of_row = squares.sum::<f64>().sqrt();
                    error.all_verified &= of_row <= tolerance;
                    of_block += of_row;
                }
            }
            let own = resolution.tolerance();
            if own != 0.0 {
                error.all_verified &= of_block <= own;
                of_block *= tolerance / own;
            }
            error.sum += of_block;
        }
        (self.room[0], self.room[1]) = (d, before);
        self.sweeps += 1;
        error
    }
}

/// Brings the tangential part of a force back onto Coulomb's cone.
pub fn onto_cone(lambda: &mut [f64], mu: f64) {
    let (size, limit) = ((lambda[1] * lambda[1] + lambda[2] * lambda[2]).sqrt(), mu * lambda[0]);
    if size > limit {
        let factor = limit / size;
        lambda[1] *= factor;
        lambda[2] *= factor;
    }
}

/// Under which name the first corrected state keeps the problem from one recording to the next.
const KEPT: &str = "constraint problem";

/// A problem as it is recorded.
#[derive(Clone, Copy)]
pub struct RecordedProblem {
    /// The problem.
    pub problem: Workspace<ConstraintProblem>,
    /// Where a sweep says whether it was the last one needed.
    pub done: Data<u32>,
    /// What the last one has left, see [`SolveRecord::remaining`].
    pub remaining: Data<f64>,
}

/// The inverse of a block of `N` rows, row by row; zeros if it has none.
fn inverse<const N: usize>(entry: impl Fn(usize, usize) -> f64) -> impl Iterator<Item = f64>
where
    nalgebra::Const<N>: nalgebra::ToTypenum,
{
    let inverse = SMatrix::<f64, N, N>::from_fn(entry).try_inverse().unwrap_or_else(SMatrix::zeros);
    (0..N * N).map(move |k| inverse[(k / N, k % N)])
}

/// How W is put together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Assembly {
    /// Added to the diagonal of W.
    pub regularization: f64,
    /// Only to rows in this null space; none: to all.
    pub null_space: Option<NullSpace>,
    /// Whether it is the W that solvers see which never build it: SOFA leaves out the integrator's factors there, and has the
    /// regularization in what a sweep divides by, but not in what forces move.
    pub unbuilt: bool,
    /// Whether the integrator's factors count there, too.
    pub exact_factors: bool,
}

/// Records that the problem of the step is put together.
pub fn record_problem(
    visit: &mut Visit<'_, '_>,
    data: &ConstraintProblemData<'_>,
    assembly: Assembly,
) -> RecordedProblem {
    let state = data.at.state.0 as usize;
    let kept = visit.vectors[state].kept::<RecordedProblem>(KEPT);
    let recorded = kept.map(|kept| *kept).unwrap_or_else(|| {
        let (store, object) = (visit.rec.store(), data.at.object);
        let recorded = RecordedProblem {
            problem: store.workspace("constraint.problem", object, ConstraintProblem::default()),
            done: store.create("constraint.done", object, Role::Scratch, vec![0]),
            remaining: store.create("constraint.remaining", object, Role::Scratch, vec![0.0; 3]),
        };
        let buffers = vec![recorded.problem.id(), recorded.done.id(), recorded.remaining.id()];
        visit.vectors[state].keep(KEPT, Arc::new(recorded), buffers);
        recorded
    });
    let problem = recorded.problem;
    let (tag, object) = (data.tag, data.at.object);
    let dt = visit.parameters.dt;
    let rec = &mut *visit.rec;
    rec.sweep("constraint_problem");
    rec.own("problem_begin", tag, object, (work_in(problem),), |(problem,)| problem.begin());
    for ConstraintData { blocks, violations, initial, .. } in data.constraints {
        let accesses = (work_in(problem), read(*blocks), read(*violations), read(*initial));
        rec.own("problem_rows", tag, object, accesses, |(problem, blocks, violations, initial)| {
            problem.take_constraint(blocks, violations, initial);
        });
    }
    for (k, UnitData { rows, compliance, blocks, jacobian, factors }) in data.units.iter().enumerate() {
        let leaves_out = assembly.unbuilt && !assembly.exact_factors;
        let factor = if leaves_out { factors.unbuilt } else { factors.compliance };
        let of_unit = factors.regularization;
        if let Some(blocks) = blocks {
            let accesses = (work_in(problem), look_in(*jacobian), read(*blocks), engine::data::val(dt));
            rec.own("problem_unit", tag, object, accesses, move |(problem, rows, c, dt)| {
                problem.take_unit_of_blocks(k, rows, c, factor.at(dt), of_unit);
            });
            continue;
        }
        let accesses = (work_in(problem), read(*rows), read(*compliance), engine::data::val(dt));
        rec.own("problem_unit", tag, object, accesses, move |(problem, rows, w, dt)| {
            problem.take_unit(k, rows, w, factor.at(dt), of_unit);
        });
    }
    let n_units = data.units.len();
    rec.own("problem_assemble", tag, object, (work_in(problem),), move |(problem,)| {
        problem.assemble(n_units, assembly);
    });
    recorded
}

/// Records a loop of sweeps, at most `limit`; `sweep` says whether another one is needed.
pub fn record_sweeps(
    visit: &mut Visit<'_, '_>,
    data: &ConstraintProblemData<'_>,
    recorded: RecordedProblem,
    limit: u32,
    sweep: impl Fn(&mut ConstraintProblem) -> bool + Copy + Send + Sync + 'static,
) -> SolveRecord {
    let (tag, object) = (data.tag, data.at.object);
    let rec = &mut *visit.rec;
    rec.sweep("constraint_limit");
    let (most, is_done) = (rec.scalar_value::<u32>(), rec.scalar_value::<bool>());
    rec.scalar("constraint_limit", tag, (set(most),), move |(most,)| *most = limit);
    let of = rec.begin_loop(most);
    rec.sweep("constraint_sweep");
    let accesses = (work_in(recorded.problem), write(recorded.done));
    rec.own("constraint_sweep", tag, object, accesses, move |(problem, done)| {
        done[0] = u32::from(problem.free.is_empty() || sweep(problem));
    });
    rec.sweep("constraint_done");
    rec.scalar("constraint_done", tag, (set(is_done), read(recorded.done)), |(is_done, done)| {
        *is_done = done[0] != 0;
    });
    rec.break_if(is_done);
    rec.end_loop();
    let iterations = rec.loop_count(of);
    rec.sweep("constraint_remaining");
    let accesses = (work_in(recorded.problem), read(recorded.done), write(recorded.remaining));
    rec.own("constraint_remaining", tag, object, accesses, |(problem, done, remaining)| {
        let [error, tolerance] = problem.error;
        let is_done = problem.free.is_empty() || done[0] != 0 && !problem.stands_still;
        remaining.copy_from_slice(&[error, tolerance, f64::from(u8::from(is_done))]);
    });
    SolveRecord {
        iterations: Some(iterations),
        remaining: Some(recorded.remaining),
        ..SolveRecord::default()
    }
}

/// Records that the multipliers are where others read them.
pub fn record_forces(visit: &mut Visit<'_, '_>, data: &ConstraintProblemData<'_>, recorded: RecordedProblem) {
    let rec = &mut *visit.rec;
    rec.sweep("constraint_forces");
    let accesses = (work_in(recorded.problem), grow(data.forces), grow(data.first_rows));
    rec.own(
        "constraint_forces",
        data.tag,
        data.at.object,
        accesses,
        |(problem, mut forces, mut first_rows)| {
            forces.clear();
            forces.extend_from_slice(&problem.lambda);
            first_rows.clear();
            first_rows.extend_from_slice(&problem.first_rows);
        },
    );
}
