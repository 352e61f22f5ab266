//! SOFA's `PrecomputedWarpPreconditioner`: the factors of the first matrix as a preconditioner, turned with the points. The file is long
//! for SOFA's inverse, which is nothing, and the one that is meant.

use std::any::Any;

use engine::data::{Data, Scalar, read, update};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, LinearSystem, Preconditioner, SolveRecord};
use sim_core::math::Vec3Type;
use sim_core::math::{Mat3, Vec3};
use sim_core::scene::StateId;
use sim_core::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use sim_core::visitor::vectors::VecDerivId;

use super::direct::{DirectSolver, KeptNames, Method, RecordedFactors, Reuse};

/// z = R A^-1 R^T r with the matrix A of the first step, and with the rotations R of points since their rest.
///
/// SOFA never assembles the matrix that it inverts: its `PrecomputedMatrixSystem` has no components, and the solver that
/// `linearSolver` leads to is asked for solutions without a system. The inverse is zero there, so that a conjugate gradient ends at
/// once with what it began with: nothing moves, in SOFA's own example neither. That is what this does unless `assembled` says
/// otherwise.
///
/// **Source:** as SOFA's PrecomputedWarpPreconditioner, and the states of its example FEMBAR_PCG_PrecomputedWarpPreconditioner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrecomputedWarpPreconditioner {
    assembled: bool,
    use_rotations: bool,
}

/// The inverse of the first matrix, turned with the points, as a preconditioner; as in SOFA that inverse is zero, see `assembled`.
#[derive(Attributes)]
#[attributes(
    ignored("parallelInverseProduct", summary = "of constraint corrections"),
    ignored("linearSystem", summary = "the solver makes its own"),
    ignored("use_file", "share_matrix", summary = "no file is read or written, and nothing is shared"),
    ignored("jmjt_twostep", summary = "of no effect in SOFA"),
    ignored("draw_rotations_scale", summary = "of SOFA's drawing")
)]
struct Settings {
    /// of our own: the matrix of the first step is assembled and factorised; in SOFA it is zero, so that nothing moves
    assembled: bool,
    /// residuals are turned as the elements around each point have turned since their rest
    #[attribute(name = "use_rotations", default = "true")]
    use_rotations: bool,
    /// what inverts the first matrix; it is factorised here in any case
    _linear_solver: Option<LinkTarget>,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::LinearSolver, "PrecomputedWarpPreconditioner", build)
        .templates(&["Vec3", "Vec3d"])
        .samples(&[Sample::new("assembled='1'").before(
            "<PCGLinearSolver name='served' iterations='500' tolerance='1e-28' preconditioner='@linear'/>",
        )]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let Settings { assembled, use_rotations, .. } = Settings::read(b)?;
    if !assembled {
        b.warn(
            Some("assembled"),
            "SOFA never assembles the matrix that this inverts: nothing moves, there and here; set `assembled=\"1\"` for the preconditioner that it is meant to be",
        );
    }
    b.scene
        .add_linear_solver(b.component, Box::new(PrecomputedWarpPreconditioner { assembled, use_rotations }));
    Ok(())
}

/// The factors in a direct solver's way.
const FACTORS: DirectSolver = DirectSolver {
    class: DESCRIPTION.class,
    method: Method::Ldlt,
    exact_projection: true,
    reuse: Reuse::Forever,
    kept: KeptNames::OF_SOLVER,
};

/// What is recorded: factors, and the rotations of the states that have any.
struct Turned {
    factors: RecordedFactors,
    rotations: Vec<(StateId, Data<Mat3>)>,
}

const R: VecDerivId = VecDerivId::temporary(25);

impl Turned {
    /// Records to := R from, or R^T from, over the states that have rotations; what has none is copied.
    fn record_turn(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        (to, from): (VecDerivId, VecDerivId),
        back: bool,
    ) {
        let rotations = &self.rotations;
        visitor.each_root("warp", |visit, at| {
            if to != from {
                visit.v_copy(at, to, from);
            }
            let Some((_, turns)) = rotations.iter().find(|(state, _)| *state == at.state) else { return };
            let v = visit.deriv::<Vec3Type>(at.state, to);
            let accesses = (update(v), read(*turns));
            visit.rec.own(DESCRIPTION.class, at.tag, at.object, accesses, move |(v, turns)| {
                for (v, turn) in v.iter_mut().zip(turns) {
                    let turned: Vec3 = if back { turn.tr_mul(v) } else { turn * *v };
                    *v = turned;
                }
            });
        });
    }
}

impl Preconditioner for Turned {
    fn record_apply(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, z: VecDerivId, r: VecDerivId) {
        self.record_turn(visitor, (R, r), true);
        self.factors.record_apply(visitor, z, R);
        self.record_turn(visitor, (z, z), false);
    }

    fn record_failed(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>) -> Scalar<bool> {
        self.factors.record_failed(visitor)
    }

    fn reason(&self) -> Option<&'static str> {
        self.factors.reason()
    }
}

/// A preconditioner that makes zero of everything.
struct Nothing;

impl Preconditioner for Nothing {
    fn record_apply(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, z: VecDerivId, _: VecDerivId) {
        visitor.each_root("warp", |visit, at| visit.v_clear(at, z));
    }

    fn record_failed(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>) -> Scalar<bool> {
        let tag = visitor.group.tag;
        let rec = &mut *visitor.visit.rec;
        let failed = rec.scalar_value::<bool>();
        rec.sweep("failed");
        rec.scalar("failed", tag, (engine::data::set(failed),), |(failed,)| *failed = false);
        failed
    }

    fn reason(&self) -> Option<&'static str> {
        None
    }
}

impl PrecomputedWarpPreconditioner {
    fn record(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        factors: MbkFactors,
    ) -> Box<dyn Preconditioner> {
        if !self.assembled {
            return Box::new(Nothing);
        }
        let recorded = FACTORS.record_factors(visitor, factors, 1);
        let roots: Vec<StateId> = visitor.group_objects().map(|o| o.root).collect();
        let turns = |state: StateId| Some((state, visitor.record_rotations(state)?));
        let rotations =
            if self.use_rotations { roots.into_iter().filter_map(turns).collect() } else { vec![] };
        Box::new(Turned { factors: recorded, rotations })
    }
}

impl LinearSolver for PrecomputedWarpPreconditioner {
    fn class(&self) -> &'static str {
        DESCRIPTION.class
    }

    fn record_solve(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, system: LinearSystem) -> SolveRecord {
        let approximation = self.record(visitor, system.factors);
        approximation.record_apply(visitor, system.solution, system.right_hand_side);
        let failed = approximation.record_failed(visitor);
        let reason = approximation.reason();
        SolveRecord { iterations: None, failed: Some(failed), reason, ..SolveRecord::default() }
    }

    fn has_factors(&self) -> bool {
        self.assembled
    }

    fn is_preconditioner(&self) -> bool {
        true
    }

    fn record_preconditioner(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        factors: MbkFactors,
        _rate: u32,
    ) -> Option<Box<dyn Preconditioner>> {
        Some(self.record(visitor, factors))
    }

    fn is_of_whole_group(&self) -> bool {
        true
    }

    fn merged(&self, _others: &[&dyn LinearSolver]) -> Option<Box<dyn LinearSolver>> {
        None
    }

    fn is_equal(&self, _other: &dyn LinearSolver) -> bool {
        false
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
