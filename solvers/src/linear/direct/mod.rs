//! Direct solvers: the matrix of a system is factorised in each step, and its solution is exact to rounding.

mod block_tridiagonal;
mod components;
mod factorization;
mod factors;
mod factors_ahead;
mod fronts;
mod kept_names;
mod lu;
mod pivoted;
mod qr;
mod relaxation;
mod scalar_matrix;
mod side_by_side;
mod singular;
mod singular_values;
mod taken_matrix;
#[cfg(test)]
mod tests;

pub use components::descriptions;
pub use factorization::{Method, Several};
pub use factors::Factors;
pub use kept_names::KeptNames;
pub use side_by_side::{TOGETHER, groups_of};

use std::any::Any;
use std::sync::Arc;

use engine::data::{
    Data, ObjectId, Role, Scalar, Workspace, begin_work, look_in, read, set, update, val, work_in, write,
};
use sim_core::component::solver::{LinearSolver, LinearSystem, Preconditioner, SolveRecord};
use sim_core::scene::StateId;
use sim_core::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use sim_core::visitor::object::ObjectsBeside;
use sim_core::visitor::vectors::VecDerivId;
use sim_core::visitor::visit::At;

use self::factors_ahead::{FactorsAhead, factors_ahead};
use super::system::{System, record_systems, record_whole_system};

/// A direct solver of any of SOFA's names, or what does not solve a system but approximates its solution by its matrix.
///
/// Where the matrix cannot be factorised the step fails, and the state stays what it was. SOFA goes on with what is in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectSolver {
    /// SOFA's class name.
    pub class: &'static str,
    /// How the matrix is factorised.
    pub method: Method,
    /// Whether joints on mapped states have their blocks in the right places only, which SOFA's have not, see
    /// [`MechanicalVisitor::add_misplaced_blocks`].
    pub exact_projection: bool,
    /// How long factors serve.
    pub reuse: Reuse,
    /// Where they are kept.
    pub kept: KeptNames,
}

/// How long the factors of a matrix serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// Until the matrix is assembled again, which is for each solution.
    None,
    /// For ever: no other matrix is assembled, as long as the system has as many rows.
    Forever,
    /// A matrix is assembled once in so many times, and its factors serve from the next such time on: until then they are found beside the
    /// steps. The first serve at once.
    Delayed(u32),
}

/// The factors of a system's matrix, as each of its independent states keeps them for others.
pub struct SystemFactors {
    /// The factors, which the last step has left.
    pub factorization: Workspace<Factors>,
    /// The independent states, with the first block row of each.
    pub members: Vec<(At, u32)>,
    /// Where tasks can solve by them side by side, their objects.
    pub beside: Option<ObjectsBeside>,
}

/// Under which name an independent state keeps its part of the right-hand side.
const KEPT_RIGHT: &str = "right-hand side in blocks";

/// The buffers of a solution.
#[derive(Clone, Copy)]
struct SolutionData {
    factorization: Workspace<Factors>,
    /// Where factors are found beside the steps.
    ahead: Option<FactorsAhead>,
    solution: Data<f64>,
    failed: Data<u32>,
}

/// How often the factors of a group have served.
#[derive(Clone, Copy)]
struct Clock {
    /// Number of times; zero where there are none yet.
    age: Data<u32>,
    /// Whether new ones are due.
    due: Data<bool>,
}

impl Clock {
    /// Records that it goes on, and begins what runs where factors are due: once in `rate` times.
    fn record(visitor: &mut MechanicalVisitor<'_, '_, '_>, rate: u32, name: &'static str) -> Self {
        let tag = visitor.group.tag;
        let first = visitor.group_objects().next().map(|o| visitor.at(o.root));
        let At { state, object, .. } = first.unwrap_or(At { tag, state: StateId(0), object: ObjectId(0) });
        let kept = visitor.visit.vectors[state.0 as usize].kept::<Self>(name);
        let clock = kept.map(|kept| *kept).unwrap_or_else(|| {
            let store = visitor.visit.rec.store();
            let clock = Self {
                age: store.create("age of factors", object, Role::Scratch, vec![0]),
                due: store.create("whether factors are due", object, Role::Scratch, vec![true]),
            };
            let buffers = vec![clock.age.id(), clock.due.id()];
            visitor.visit.vectors[state.0 as usize].keep_lasting(name, Arc::new(clock), buffers);
            clock
        });
        let rec = &mut *visitor.visit.rec;
        rec.sweep("due");
        rec.own("due", tag, object, (update(clock.age), write(clock.due)), move |(age, due)| {
            due[0] = age[0] == 0 || age[0] >= rate;
            age[0] = if due[0] { 1 } else { age[0] + 1 };
        });
        rec.sweep("due");
        let due = rec.flag(tag, clock.due);
        rec.begin_if(due);
        clock
    }
}

/// Records what is done in the first step only.
pub(crate) fn record_once(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    name: &'static str,
    record: impl FnOnce(&mut MechanicalVisitor<'_, '_, '_>),
) {
    Clock::record(visitor, u32::MAX, name);
    record(visitor);
    visitor.visit.rec.end_if();
}

/// Factors as they were recorded.
pub struct RecordedFactors {
    class: &'static str,
    reason: &'static str,
    systems: Vec<(System, SolutionData)>,
}

impl RecordedFactors {
    /// Records x := what the factors make of b.
    fn record_solution(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, x: VecDerivId, b: VecDerivId) {
        let mut rights: Vec<Vec<Data<f64>>> = Vec::new();
        visitor.visit.rec.sweep("right_hand_side");
        for (s, _) in &self.systems {
            let mut right = Vec::new();
            for (at, _, n_rows) in &s.members {
                let part = right_hand_side(visitor, *at, *n_rows);
                visitor.visit.v_to_blocks(*at, b, part);
                right.push(part);
            }
            rights.push(right);
        }
        visitor.visit.rec.sweep("solve");
        for ((s, d), right) in self.systems.iter().zip(&rights) {
            let (rec, At { tag, object, .. }) = (&mut *visitor.visit.rec, s.at);
            for ((_, first, _), part) in s.members.iter().zip(right) {
                let first = 3 * *first as usize;
                let accesses = (read(*part), update(d.solution));
                rec.own("right_hand_side", tag, object, accesses, move |(part, solution)| {
                    solution[first..][..part.len()].copy_from_slice(part);
                });
            }
            let accesses = (work_in(d.factorization), update(d.solution), update(d.failed));
            rec.own(self.class, tag, object, accesses, |(f, solution, failed)| {
                f.solve(solution);
                // Pivots that are zero by rounding alone show here.
                failed[0] |= u32::from(solution.iter().any(|x| !x.is_finite()));
            });
        }
        visitor.visit.rec.sweep("solution");
        for (s, d) in &self.systems {
            for (at, first, _) in &s.members {
                visitor.visit.v_from_blocks(*at, x, d.solution, 3 * *first as usize);
            }
        }
    }
}

impl Preconditioner for RecordedFactors {
    fn record_apply(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, z: VecDerivId, r: VecDerivId) {
        self.record_solution(visitor, z, r);
    }

    fn record_failed(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>) -> Scalar<bool> {
        let rec = &mut *visitor.visit.rec;
        rec.sweep("failed");
        let mut failed = rec.scalar_value::<bool>();
        rec.scalar("failed", visitor.group.tag, (set(failed),), |(failed,)| *failed = false);
        for (_, d) in &self.systems {
            let before = std::mem::replace(&mut failed, rec.scalar_value::<bool>());
            let accesses = (set(failed), val(before), read(d.failed));
            rec.scalar("failed", visitor.group.tag, accesses, |(failed, before, this)| {
                *failed = before || this[0] != 0;
            });
        }
        failed
    }

    fn reason(&self) -> Option<&'static str> {
        Some(self.reason)
    }
}

impl DirectSolver {
    /// Records the factors of m M + b B + k K, made anew once in `rate` times that this is run.
    pub(crate) fn record_factors(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        factors: MbkFactors,
        rate: u32,
    ) -> RecordedFactors {
        let rate = match self.reuse {
            Reuse::None => rate.max(1),
            Reuse::Forever => u32::MAX,
            Reuse::Delayed(n) => n.max(rate).max(1),
        };
        let is_kept = rate > 1;
        // Whether factors are due is known before the matrix is assembled, by what the first object of the group keeps.
        let clock = is_kept.then(|| Clock::record(visitor, rate, self.kept.clock));
        // Where a block stands in the matrix says whether it is beside the diagonal. What serves for longer is of the whole
        // group: contacts that come and go meanwhile neither join nor part it.
        let is_whole = self.method == Method::BlockTridiagonal
            || self.reuse != Reuse::None
            || visitor.is_corrected_as_whole();
        let record = if is_whole { record_whole_system } else { record_systems };
        let systems: Vec<(System, SolutionData)> =
            record(visitor, factors, !self.exact_projection, self.kept.system)
                .into_iter()
                .map(|s| {
                    let n = s.members.iter().map(|(_, _, n)| 3 * *n as usize).sum();
                    let (data, is_new) = self.data(visitor, s.at, n);
                    if let Some(clock) = clock.filter(|_| is_new) {
                        visitor.visit.rec.store().write(clock.age)[0] = 0;
                    }
                    (s, data)
                })
                .collect();
        let beside = |visitor: &MechanicalVisitor<'_, '_, '_>, s: &System| {
            let of_state =
                || visitor.visit.vectors[s.at.state.0 as usize].kept::<ObjectsBeside>(ObjectsBeside::KEPT);
            self.method.is_by_fronts().then(of_state).flatten().map(|beside| *beside)
        };
        for (s, d) in &systems {
            let members: Vec<(At, u32)> = s.members.iter().map(|(at, first, _)| (*at, *first)).collect();
            let beside = beside(visitor, s);
            let factors = Arc::new(SystemFactors { factorization: d.factorization, members, beside });
            for (at, ..) in &s.members {
                visitor.visit.vectors[at.state.0 as usize].keep(self.kept.factors, factors.clone(), vec![]);
            }
        }
        visitor.visit.rec.sweep("factorize");
        for (s, d) in &systems {
            let (tag, object) = (s.at.tag, s.at.object);
            if let Some(ahead) = d.ahead {
                let accesses =
                    (work_in(d.factorization), begin_work(ahead), work_in(s.matrix), write(d.failed));
                visitor.visit.rec.own(
                    self.class,
                    tag,
                    object,
                    accesses,
                    |(factors, mut ahead, matrix, failed)| {
                        failed[0] = u32::from(factors.go_on(&mut ahead, matrix).is_err());
                    },
                );
                continue;
            }
            let in_parts = beside(visitor, s).is_some();
            let accesses = (work_in(d.factorization), work_in(s.matrix), write(d.failed));
            visitor.visit.rec.own(self.class, tag, object, accesses, move |(factors, matrix, failed)| {
                let done = if in_parts { factors.begin(matrix) } else { factors.factorize(matrix) };
                failed[0] = u32::from(done.is_err());
            });
        }
        let in_parts: Vec<_> = systems
            .iter()
            .filter_map(|(s, d)| Some((s, d, beside(visitor, s).filter(|_| d.ahead.is_none())?)))
            .collect();
        visitor.visit.rec.sweep("factorize_parts");
        for (s, d, beside) in &in_parts {
            for (part, object) in beside.of_phase(0).enumerate() {
                let accesses = (look_in(d.factorization),);
                visitor.visit.rec.own(self.class, s.at.tag, object, accesses, move |(factors,)| {
                    factors.factorize_part(part);
                });
            }
        }
        visitor.visit.rec.sweep("factorize_last");
        for (s, d, _) in &in_parts {
            let accesses = (work_in(d.factorization), update(d.failed));
            visitor.visit.rec.own(self.class, s.at.tag, s.at.object, accesses, |(factors, failed)| {
                failed[0] |= u32::from(factors.end().is_err());
            });
        }
        if clock.is_some() {
            visitor.visit.rec.end_if();
        }
        RecordedFactors { class: self.class, reason: self.method.reason(), systems }
    }
}

impl LinearSolver for DirectSolver {
    fn class(&self) -> &'static str {
        self.class
    }

    fn record_solve(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, system: LinearSystem) -> SolveRecord {
        let factors = self.record_factors(visitor, system.factors, 1);
        factors.record_solution(visitor, system.solution, system.right_hand_side);
        let failed = factors.record_failed(visitor);
        SolveRecord {
            iterations: None,
            failed: Some(failed),
            reason: Some(self.method.reason()),
            ..SolveRecord::default()
        }
    }

    fn has_factors(&self) -> bool {
        true
    }

    fn tasks_beside(&self) -> u32 {
        if self.method.is_by_fronts() { fronts::PARTS as u32 } else { 0 }
    }

    fn is_preconditioner(&self) -> bool {
        true
    }

    fn record_preconditioner(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        factors: MbkFactors,
        rate: u32,
    ) -> Option<Box<dyn Preconditioner>> {
        // Blocks in wrong places are for SOFA's solutions, which a preconditioner does not change.
        let exact = Self { exact_projection: true, ..*self };
        Some(Box::new(exact.record_factors(visitor, factors, rate)))
    }

    fn is_of_whole_group(&self) -> bool {
        true
    }

    fn merged(&self, others: &[&dyn LinearSolver]) -> Option<Box<dyn LinearSolver>> {
        // Older factors are those of one group.
        if self.reuse != Reuse::None {
            return None;
        }
        others.iter().all(|o| self.is_equal(*o)).then(|| Box::new(*self) as Box<dyn LinearSolver>)
    }

    fn is_equal(&self, other: &dyn LinearSolver) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl DirectSolver {
    /// The buffers of the solution of a system of `n` rows, which its first object keeps from one recording to the next,
    /// and whether they are new.
    fn data(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, at: At, n: usize) -> (SolutionData, bool) {
        let state = at.state.0 as usize;
        let clock = visitor.visit.parameters.step;
        let store = visitor.visit.rec.store();
        let is_ahead = matches!(self.reuse, Reuse::Delayed(_)) && self.method.is_by_scalars();
        let kept = visitor.visit.vectors[state].kept::<SolutionData>(self.kept.solution);
        let kept = kept.map(|kept| *kept).filter(|kept| kept.ahead.is_some() == is_ahead);
        let data = match kept {
            Some(kept) => kept,
            None => {
                let object = at.object;
                let data = SolutionData {
                    factorization: store.workspace("factorization", object, Factors::new(self.method)),
                    solution: store.create("solution in blocks", object, Role::Scratch, Vec::new()),
                    failed: store.create("whether there is none", object, Role::Scratch, vec![0]),
                    ahead: is_ahead.then(|| factors_ahead(store, object, clock, self.method)),
                };
                let mut buffers = vec![data.factorization.id(), data.solution.id(), data.failed.id()];
                buffers.extend(data.ahead.map(FactorsAhead::id));
                let vectors = &mut visitor.visit.vectors[state];
                match self.reuse {
                    Reuse::None => vectors.keep(self.kept.solution, Arc::new(data), buffers),
                    _ => vectors.keep_lasting(self.kept.solution, Arc::new(data), buffers),
                }
                data
            }
        };
        let store = visitor.visit.rec.store();
        let is_of_method = store.workspace_mut(data.factorization).method() == self.method;
        let is_new = !is_of_method || store.len(data.solution) != n;
        if is_new {
            store.workspace_mut(data.factorization).begin_anew(self.method);
            data.ahead.into_iter().for_each(|ahead| store.cancel(ahead));
            store.replace(data.solution, vec![0.0; n]);
        }
        if self.reuse != Reuse::None {
            // The matrix, whose version goes with its pattern, may be another one.
            store.workspace_mut(data.factorization).forget_patterns();
        }
        (data, is_new)
    }
}

/// The buffer of an independent state's part of the right-hand side, which the state keeps.
fn right_hand_side(visitor: &mut MechanicalVisitor<'_, '_, '_>, at: At, n_rows: u32) -> Data<f64> {
    let state = at.state.0 as usize;
    if let Some(kept) = visitor.visit.vectors[state].kept::<Data<f64>>(KEPT_RIGHT) {
        return *kept;
    }
    let zeros = vec![0.0; 3 * n_rows as usize];
    let data = visitor.visit.rec.store().create("right-hand side in blocks", at.object, Role::Scratch, zeros);
    visitor.visit.vectors[state].keep(KEPT_RIGHT, Arc::new(data), vec![data.id()]);
    data
}
