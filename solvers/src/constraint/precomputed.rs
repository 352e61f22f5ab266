//! SOFA's `PrecomputedConstraintCorrection`: the compliance of the first step's matrix, for all steps. The file is long for motions and
//! compliances that turn with the points.

use std::sync::Arc;

use engine::data::{Data, Role, grow, read, update, work_in};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::LinkTarget;
use sim_core::component::constraint_solver::{
    ConstraintCorrection, CorrectionFactors, IntegrationFactors, IntegratorSystem,
};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::lagrangian_constraint::ConstraintOrder;
use sim_core::component::solver::Preconditioner;
use sim_core::math::lane::{BLOCK, Row};
use sim_core::math::{Mat3, Vec3};
use sim_core::visitor::constraints::CorrectedUnit;
use sim_core::visitor::mechanical::MechanicalVisitor;
use sim_core::visitor::vectors::VecDerivId;
use sim_core::visitor::visit::{At, Visit};

use super::by_factors;
use crate::linear::{DirectSolver, KeptNames, Method, Reuse, SystemFactors, groups_of, record_once};

/// Gives way to constraints by the matrix that the integrator has in the first step, whatever it becomes; optionally turned with the points.
#[derive(Attributes)]
#[attributes(
    ignored("restDeformations", summary = "of no effect in SOFA"),
    ignored("recompute", summary = "the compliance is found anew in each run"),
    ignored("debugViewFrameScale", summary = "of SOFA's drawing"),
    ignored("fileDir", "group", summary = "no file is written"),
    unsupported(
        "fileCompliance",
        "filePrefix",
        summary = "no file is read: the compliance is found in the first step"
    )
)]
struct Settings {
    /// rows and motions are turned as the elements around each point have turned since their rest
    rotations: bool,
    /// added to the diagonal of the compliance
    #[attribute(default = "0", non_negative)]
    regularization_term: f64,
    /// the linear solver; its system is factorised here, whatever solves it
    _linear_solver: Option<LinkTarget>,
    /// the integrator; that of the node or above is taken
    #[attribute(name = "ODESolver")]
    _ode_solver: Option<LinkTarget>,
}

pub(super) const DESCRIPTION: ComponentDescription = ComponentDescription::new::<Settings>(
    Family::ConstraintCorrection,
    "PrecomputedConstraintCorrection",
    |b| {
        let Settings { rotations, regularization_term: regularization, .. } = Settings::read(b)?;
        let correction = PrecomputedConstraintCorrection { rotations, regularization };
        b.scene.add_constraint_correction(b.component, Box::new(correction));
        Ok(())
    },
)
.samples(&[Sample::new(""), Sample::new("regularizationTerm='0.0001'")]);

/// W = h J C J^T with the C = A^-1 of the first step, x = x_free + h C J^T lambda, v = v_free + C J^T lambda. With `rotations`, C is R C R^T,
/// where R turns each point's axes.
///
/// A is the matrix of an EulerImplicitSolver, at the positions and velocities of the first step, of what is assembled: a
/// `JointSpringForceField`, say, has no part in it. What constraints hold gives way nowhere. Where points come or go, A is factorised anew.
///
/// **Source:** as SOFA's, which finds a dense C before the first step, column by column: a step from rest without weight, by a unit force.
/// Forces that do not vanish at rest are in each of its columns; here they are left out. Where a conjugate gradient solves, so is in its
/// columns what is not assembled. Where an iterative solver ends by a tolerance, so far only are SOFA's columns found; here they are
/// exact. One that begins with its former solution (a `PCGLinearSolver`) begins the first step with the column of the last unit force,
/// here too. A linear solver that assembles its matrix keeps that of the first step ever after in SOFA, unless the compliance came from
/// a file; here it does not. SOFA adds the regularization once for each point that a row acts on, here once for a row. It turns rows,
/// but motions only under an LCPConstraintSolver (other solvers' motions stay in the axes of the rest); here motions are always turned.
#[derive(Clone, Copy, Debug)]
struct PrecomputedConstraintCorrection {
    rotations: bool,
    regularization: f64,
}

/// Under which name a state keeps where its points' rotations are.
const KEPT_ROTATIONS: &str = "rotations of a compliance";

/// Under which name a group keeps whether its linear solver has a solution to begin with.
const FIRST_SOLUTION: &str = "first solution beside a compliance";

/// A unit force, as the right-hand side of the integrator's system.
const UNIT: VecDerivId = VecDerivId::temporary(0);

/// The factors, where the state stands in them, and how its points are turned.
struct Prepared {
    factors: Arc<SystemFactors>,
    first: usize,
    /// None, where they are not asked for.
    rotations: Data<Mat3>,
}

fn prepared(visit: &Visit<'_, '_>, at: At) -> Option<Prepared> {
    let vectors = &visit.vectors[at.state.0 as usize];
    let factors = vectors.kept::<SystemFactors>(KeptNames::OF_COMPLIANCE.factors)?;
    let first = factors.members.iter().find(|(m, _)| m.state == at.state)?.1 as usize;
    let rotations = *vectors.kept::<Data<Mat3>>(KEPT_ROTATIONS)?;
    Some(Prepared { factors, first, rotations })
}

/// Turns the blocks of a vector, of as many points as there are rotations: by R, or by R^T.
fn turn(blocks: &mut [f64], rotations: &[Mat3], back: bool) {
    for (b, r) in blocks.chunks_exact_mut(3).zip(rotations) {
        let v = Vec3::new(b[0], b[1], b[2]);
        let turned = if back { r.tr_mul(&v) } else { r * v };
        b.copy_from_slice(turned.as_slice());
    }
}

/// The same for each of several vectors, of which each scalar has so many rows of lanes.
fn turn_block(block: &mut [Row], groups: usize, rotations: &[Mat3], back: bool) {
    for (of_point, r) in block.chunks_exact_mut(3 * groups).zip(rotations) {
        for (group, lane) in (0..groups).flat_map(|g| (0..BLOCK).map(move |lane| (g, lane))) {
            let v = Vec3::from_fn(|k, _| of_point[k * groups + group].0[lane]);
            let turned = if back { r.tr_mul(&v) } else { r * v };
            (0..3).for_each(|k| of_point[k * groups + group].0[lane] = turned[k]);
        }
    }
}

impl ConstraintCorrection for PrecomputedConstraintCorrection {
    fn class(&self) -> &'static str {
        DESCRIPTION.class
    }

    fn prepares(&self) -> bool {
        true
    }

    fn needs_rotations(&self) -> bool {
        self.rotations
    }

    fn record_preparation(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        root: At,
        system: IntegratorSystem<'_>,
    ) {
        let solver = DirectSolver {
            class: DESCRIPTION.class,
            // Once for all steps: it need not be the fastest, and the tangents of some force fields are not symmetric.
            method: Method::Lu,
            exact_projection: true,
            reuse: Reuse::Forever,
            kept: KeptNames::OF_COMPLIANCE,
        };
        let factors = solver.record_factors(visitor, system.factors, 1);
        if system.linear.begins_with_former_solution() {
            // In the first step only: that of a unit force on the last scalar, which SOFA solves last.
            record_once(visitor, FIRST_SOLUTION, |visitor| {
                visitor.each_root("first_solution", |visit, at| match at.state == root.state {
                    true => visit.v_last_unit(at, UNIT, system.of_force),
                    false => visit.v_clear(at, UNIT),
                });
                visitor.project_response(UNIT);
                factors.record_apply(visitor, VecDerivId::SOLUTION_PREVIOUS, UNIT);
                // Constraints that clear no rows of the matrix are not in it.
                visitor.project_response(VecDerivId::SOLUTION_PREVIOUS);
            });
        }
        let found = if self.rotations { visitor.record_rotations(root.state) } else { None };
        let state = root.state.0 as usize;
        let kept = visitor.visit.vectors[state].kept::<Data<Mat3>>(KEPT_ROTATIONS);
        if found.is_none() && kept.is_some() {
            return;
        }
        let (rotations, buffers) = match found {
            Some(rotations) => (rotations, vec![]),
            None => {
                let store = visitor.visit.rec.store();
                let none = store.create(KEPT_ROTATIONS, root.object, Role::Scratch, Vec::new());
                (none, vec![none.id()])
            }
        };
        visitor.visit.vectors[state].keep(KEPT_ROTATIONS, Arc::new(rotations), buffers);
    }

    fn members(&self, visit: &Visit<'_, '_>, root: At) -> Vec<(At, u32)> {
        let first = prepared(visit, root).map_or(0, |p| p.first as u32);
        vec![(root, first)]
    }

    fn factors(&self, order: ConstraintOrder, integrator: IntegrationFactors) -> CorrectionFactors {
        let IntegrationFactors { position, velocity } = integrator;
        let compliance = if order == ConstraintOrder::Position { position } else { velocity };
        let regularization = self.regularization;
        CorrectionFactors { compliance, position, velocity, regularization, unbuilt: position }
    }

    fn record_compliance(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit, out: Data<f64>) {
        let Some(Prepared { factors, first, rotations }) = prepared(visit, unit.at) else { return };
        let At { tag, object, .. } = unit.at;
        let accesses = (work_in(unit.rows), grow(out), work_in(factors.factorization), read(rotations));
        visit.rec.own(DESCRIPTION.class, tag, object, accesses, move |(rows, out, factors, turns)| {
            let size = factors.size();
            by_factors::compliance(rows, out, size, |block, n| {
                let groups = groups_of(n);
                turn_block(&mut block[3 * first * groups..], groups, turns, true);
                for (x, _) in block.chunks_exact_mut(groups).zip(factors.held()).filter(|(_, held)| **held) {
                    x.fill(Row::splat(0.0));
                }
                factors.solve_block(block, n);
                turn_block(&mut block[3 * first * groups..], groups, turns, false);
            });
        });
    }

    fn record_motion(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit) {
        let Some(Prepared { factors, first, rotations }) = prepared(visit, unit.at) else { return };
        let At { tag, object, .. } = unit.at;
        let accesses =
            (update(unit.motion), work_in(unit.rows), work_in(factors.factorization), read(rotations));
        visit.rec.own(DESCRIPTION.class, tag, object, accesses, move |(motion, rows, factors, turns)| {
            by_factors::motion(motion, rows, factors.size(), |x| {
                turn(&mut x[3 * first..], turns, true);
                x.iter_mut().zip(factors.held()).filter(|(_, held)| **held).for_each(|(x, _)| *x = 0.0);
                factors.solve(x);
                turn(&mut x[3 * first..], turns, false);
            });
        });
    }
}
