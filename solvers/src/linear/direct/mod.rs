//! Direct solvers: the matrix of a system is factorised in each step, and its solution is exact to rounding.

mod components;
mod factorization;
mod scalar_matrix;

pub use components::descriptions;
pub use factorization::Method;

use std::any::Any;
use std::sync::Arc;

use engine::data::{Data, Role, Workspace, read, set, update, val, work_in, write};
use sim_core::component::solver::{LinearSolver, LinearSystem, SolveRecord};
use sim_core::visitor::mechanical::MechanicalVisitor;
use sim_core::visitor::visit::At;

use super::system::{System, record_systems};
pub use factorization::Factorization;

/// A direct solver of any of SOFA's names.
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
}

/// The factors of a system's matrix, as each of its independent states keeps them for others.
pub struct SystemFactors {
    /// The factors, which the last step has left.
    pub factorization: Workspace<Factorization>,
    /// The independent states, with the first block row of each.
    pub members: Vec<(At, u32)>,
}

impl SystemFactors {
    /// Under which name.
    pub const KEPT: &str = "factors of its system";
}

/// Under which name the first object of a system keeps the buffers of its solution.
const KEPT: &str = "direct solution";
/// Under which name an independent state keeps its part of the right-hand side.
const KEPT_RIGHT: &str = "right-hand side in blocks";

/// The buffers of a solution.
#[derive(Clone, Copy)]
struct SolutionData {
    factorization: Workspace<Factorization>,
    solution: Data<f64>,
    failed: Data<u32>,
}

impl LinearSolver for DirectSolver {
    fn class(&self) -> &'static str {
        self.class
    }

    fn record_solve(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, system: LinearSystem) -> SolveRecord {
        let systems = record_systems(visitor, system.factors, !self.exact_projection);
        let mut rights: Vec<Vec<Data<f64>>> = Vec::new();
        visitor.visit.rec.sweep("right_hand_side");
        for s in &systems {
            let mut right = Vec::new();
            for (at, _, n_rows) in &s.members {
                let part = right_hand_side(visitor, *at, *n_rows);
                visitor.visit.v_to_blocks(*at, system.right_hand_side, part);
                right.push(part);
            }
            rights.push(right);
        }
        let data: Vec<SolutionData> = systems.iter().map(|s| self.data(visitor, s)).collect();
        for (s, d) in systems.iter().zip(&data) {
            let members: Vec<(At, u32)> = s.members.iter().map(|(at, first, _)| (*at, *first)).collect();
            let factors = Arc::new(SystemFactors { factorization: d.factorization, members });
            for (at, ..) in &s.members {
                visitor.visit.vectors[at.state.0 as usize].keep(SystemFactors::KEPT, factors.clone(), vec![]);
            }
        }
        visitor.visit.rec.sweep("factorize");
        for (s, d) in systems.iter().zip(&data) {
            let accesses = (work_in(d.factorization), work_in(s.matrix), write(d.failed));
            visitor.visit.rec.own(
                self.class,
                s.at.tag,
                s.at.object,
                accesses,
                |(factorization, matrix, failed)| {
                    failed[0] = u32::from(factorization.factorize(matrix).is_err());
                },
            );
        }
        visitor.visit.rec.sweep("solve");
        for ((s, d), right) in systems.iter().zip(&data).zip(&rights) {
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
        for (s, d) in systems.iter().zip(&data) {
            for (at, first, _) in &s.members {
                visitor.visit.v_from_blocks(*at, system.solution, d.solution, 3 * *first as usize);
            }
        }
        let rec = &mut *visitor.visit.rec;
        rec.sweep("failed");
        let mut failed = rec.scalar_value::<bool>();
        rec.scalar("failed", visitor.group.tag, (set(failed),), |(failed,)| *failed = false);
        for d in &data {
            let before = std::mem::replace(&mut failed, rec.scalar_value::<bool>());
            let accesses = (set(failed), val(before), read(d.failed));
            rec.scalar("failed", visitor.group.tag, accesses, |(failed, before, this)| {
                *failed = before || this[0] != 0;
            });
        }
        SolveRecord { iterations: None, failed: Some(failed), reason: Some(self.method.reason()) }
    }

    fn has_factors(&self) -> bool {
        true
    }

    fn is_of_whole_group(&self) -> bool {
        true
    }

    fn merged(&self, others: &[&dyn LinearSolver]) -> Option<Box<dyn LinearSolver>> {
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
    /// The buffers of a system's solution, which its first object keeps from one recording to the next.
    fn data(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, system: &System) -> SolutionData {
        let state = system.at.state.0 as usize;
        let n: usize = system.members.iter().map(|(_, _, n)| 3 * *n as usize).sum();
        let store = visitor.visit.rec.store();
        let data = match visitor.visit.vectors[state].kept::<SolutionData>(KEPT) {
            Some(kept) => *kept,
            None => {
                let object = system.at.object;
                let data = SolutionData {
                    factorization: store.workspace("factorization", object, Factorization::new(self.method)),
                    solution: store.create("solution in blocks", object, Role::Scratch, Vec::new()),
                    failed: store.create("whether there is none", object, Role::Scratch, vec![0]),
                };
                let buffers = vec![data.factorization.id(), data.solution.id(), data.failed.id()];
                visitor.visit.vectors[state].keep(KEPT, Arc::new(data), buffers);
                data
            }
        };
        let store = visitor.visit.rec.store();
        if store.workspace_mut(data.factorization).method() != self.method {
            *store.workspace_mut(data.factorization) = Factorization::new(self.method);
        }
        if store.len(data.solution) != n {
            store.replace(data.solution, vec![0.0; n]);
        }
        data
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
