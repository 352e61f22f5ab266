//! SOFA's `LinearSolverConstraintCorrection` and `GenericConstraintCorrection`: the compliance of the integrator's matrix. The file is
//! long for its two classes, and for compliances that several tasks compute side by side.

use std::sync::Arc;

use engine::data::{Data, Workspace, WorkspaceList, grow, look_in, look_in_all, update, work_in};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::LinkTarget;
use sim_core::component::constraint_solver::{
    ConstraintCorrection, CorrectionFactors, IntegrationFactors, OfTimeStep,
};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::lagrangian_constraint::ConstraintOrder;
use sim_core::visitor::constraints::CorrectedUnit;
use sim_core::visitor::object::ObjectsBeside;
use sim_core::visitor::visit::{At, Visit};

use super::by_factors::{self, ComplianceRoom, gather_compliance};
use crate::linear::{Factors, KeptNames, SystemFactors};

/// Gives way to constraints by the matrix that the node's linear solver has factorised for the free motion.
#[derive(Attributes)]
#[attributes(
    ignored("group"),
    unsupported(
        "wire_optimization",
        default = "0",
        summary = "sorts constraints by their points, which is the order of unbuilt sweeps"
    )
)]
struct LinearSolverSettings {
    /// added to the diagonal of the compliance
    #[attribute(default = "0", non_negative)]
    regularization_term: f64,
    /// the linear solver; the integrator's is taken
    _linear_solver: Option<LinkTarget>,
    /// the integrator; that of the node or above is taken
    #[attribute(name = "ODESolver")]
    _ode_solver: Option<LinkTarget>,
}

/// The same for all states of the linear solver's system.
#[derive(Attributes)]
#[attributes(ignored("group"))]
struct GenericSettings {
    /// factor of the compliance
    #[attribute(default = "1")]
    compliance_factor: f64,
    /// added to the diagonal of the compliance
    #[attribute(default = "0", non_negative)]
    regularization_term: f64,
    /// the linear solver; the integrator's is taken
    _linear_solver: Option<LinkTarget>,
    /// the integrator; that of the node or above is taken
    #[attribute(name = "ODESolver")]
    _ode_solver: Option<LinkTarget>,
}

pub(super) const LINEAR_SOLVER: ComponentDescription = ComponentDescription::new::<LinearSolverSettings>(
    Family::ConstraintCorrection,
    "LinearSolverConstraintCorrection",
    |b| {
        let regularization = LinearSolverSettings::read(b)?.regularization_term;
        let class = "LinearSolverConstraintCorrection";
        let correction = FactorisedCorrection { class, factor: 1.0, regularization, is_of_system: false };
        b.scene.add_constraint_correction(b.component, Box::new(correction));
        Ok(())
    },
)
.samples(&[Sample::new(""), Sample::new("regularizationTerm='0.0001'")]);

pub(super) const GENERIC: ComponentDescription = ComponentDescription::new::<GenericSettings>(
    Family::ConstraintCorrection,
    "GenericConstraintCorrection",
    |b| {
        let s = GenericSettings::read(b)?;
        let (factor, regularization) = (s.compliance_factor, s.regularization_term);
        let class = "GenericConstraintCorrection";
        let correction = FactorisedCorrection { class, factor, regularization, is_of_system: true };
        b.scene.add_constraint_correction(b.component, Box::new(correction));
        Ok(())
    },
)
.samples(&[Sample::new(""), Sample::new("complianceFactor='0.8' regularizationTerm='0.0001'")]);

/// The compliance of the integrator's matrix.
///
/// W = s p J A^-1 J^T (q for p where velocities are solved for), x = x_free + s p A^-1 J^T λ, v = v_free + s q A^-1 J^T λ, for the A of
/// the free motion: its mass, damping and stiffness, projected. p and q are the integrator's factors of positions and velocities, s is
/// `complianceFactor`, or 1. `regularizationTerm` is added to the diagonal of W.
///
/// **Source:** as SOFA's.
struct FactorisedCorrection {
    class: &'static str,
    factor: f64,
    regularization: f64,
    /// Whether it corrects all states of the system.
    is_of_system: bool,
}

fn factors_of(visit: &Visit<'_, '_>, at: At) -> Option<Arc<SystemFactors>> {
    visit.vectors[at.state.0 as usize].kept::<SystemFactors>(KeptNames::OF_SOLVER.factors)
}

/// The name under which a state keeps where tasks compute its compliance side by side.
const ROOMS: &str = "rooms of compliance";

struct Rooms {
    each: Vec<Workspace<ComplianceRoom>>,
    list: WorkspaceList<ComplianceRoom>,
}

impl Rooms {
    /// Those of a unit, which its state keeps from one recording to the next.
    fn of(visit: &mut Visit<'_, '_>, unit: &CorrectedUnit, beside: ObjectsBeside) -> Arc<Self> {
        let state = unit.at.state.0 as usize;
        if let Some(kept) = visit.vectors[state].kept::<Self>(ROOMS) {
            return kept;
        }
        let store = visit.rec.store();
        let room = |object| store.workspace("compliance", object, ComplianceRoom::default());
        let each: Vec<_> = beside.of_phase(1).map(room).collect();
        let rooms = Arc::new(Self { list: store.workspace_list(&each), each });
        let buffers = rooms.each.iter().map(|room| room.id()).collect();
        visit.vectors[state].keep(ROOMS, rooms.clone(), buffers);
        rooms
    }
}

impl FactorisedCorrection {
    /// Records the compliance by tasks side by side, each of some columns.
    fn record_blocks(
        &self,
        visit: &mut Visit<'_, '_>,
        unit: &CorrectedUnit,
        out: Data<f64>,
        (factorization, beside): (Workspace<Factors>, ObjectsBeside),
    ) {
        let rooms = Rooms::of(visit, unit, beside);
        let tasks = rooms.each.len();
        for (own, (room, object)) in rooms.each.iter().zip(beside.of_phase(1)).enumerate() {
            let accesses = (work_in(*room), look_in(unit.rows), look_in(factorization));
            visit.rec.own(self.class, unit.at.tag, object, accesses, move |(room, rows, factors)| {
                room.compute(rows, factors, [own, tasks]);
            });
        }
        let accesses = (work_in(unit.rows), grow(out), work_in(factorization), look_in_all(rooms.list));
        visit.rec.own(self.class, unit.at.tag, unit.at.object, accesses, |(rows, out, factors, rooms)| {
            let size = factors.size();
            gather_compliance(rows, out, size, rooms, |block, n| factors.solve_block(block, n));
        });
    }
}

impl ConstraintCorrection for FactorisedCorrection {
    fn class(&self) -> &'static str {
        self.class
    }

    fn needs_factors(&self) -> bool {
        true
    }

    fn is_of_whole_system(&self) -> bool {
        self.is_of_system
    }

    fn members(&self, visit: &Visit<'_, '_>, root: At) -> Vec<(At, u32)> {
        let Some(system) = factors_of(visit, root) else { return vec![(root, 0)] };
        let mut members = system.members.clone();
        if !self.is_of_system {
            members.retain(|(at, _)| at.state == root.state);
        }
        members
    }

    fn factors(&self, order: ConstraintOrder, integrator: IntegrationFactors) -> CorrectionFactors {
        let scaled = |f: OfTimeStep| OfTimeStep { coefficient: self.factor * f.coefficient, ..f };
        let IntegrationFactors { position: p, velocity: q } = integrator;
        let (compliance, velocity) = match order {
            ConstraintOrder::Position => (scaled(p), scaled(q)),
            // As in SOFA, which leaves the factor out here.
            ConstraintOrder::Velocity => (scaled(q), q),
        };
        let regularization = self.regularization;
        CorrectionFactors { compliance, position: scaled(p), velocity, regularization, unbuilt: p }
    }

    fn record_compliance(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit, out: Data<f64>) {
        let Some(system) = factors_of(visit, unit.at) else { return };
        if let Some(beside) = system.beside {
            return self.record_blocks(visit, unit, out, (system.factorization, beside));
        }
        let accesses = (work_in(unit.rows), grow(out), work_in(system.factorization));
        visit.rec.own(self.class, unit.at.tag, unit.at.object, accesses, |(rows, out, factors)| {
            by_factors::compliance(rows, out, factors.size(), |block, n| factors.solve_block(block, n));
        });
    }

    fn record_motion(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit) {
        let Some(system) = factors_of(visit, unit.at) else { return };
        let accesses = (update(unit.motion), work_in(unit.rows), work_in(system.factorization));
        visit.rec.own(self.class, unit.at.tag, unit.at.object, accesses, |(motion, rows, factors)| {
            by_factors::motion(motion, rows, factors.size(), |x| factors.solve(x));
        });
    }
}
