//! SOFA's `PCGLinearSolver`: a conjugate gradient with a preconditioner. The file is long since an iteration is recorded as sweeps and
//! scalars in a loop of the graph.

use std::any::Any;

use engine::data::{gather, set, val};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::convergence::LinearRecord;
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::solver::{LinearSolver, LinearSystem, SolveRecord, SolverSetting};
use sim_core::scene::{ComponentId, NodeId};
use sim_core::visitor::mechanical::MechanicalVisitor;
use sim_core::visitor::vectors::VecDerivId;

use super::cg_linear_solver::product;
use super::warp_preconditioner::{linked_preconditioner, missing};

/// The conjugate gradient in the metric of a preconditioner P, with SOFA's stopping rule: before each iteration, r.P^-1 r is
/// compared with `tolerance` b.b, so that the rule depends on the scale of P. It begins with the solution of the step before,
/// also where b is zero.
///
/// The product with the matrix is matrix-free; P is made of the assembled matrix. Where w.A w is exactly zero it ends; SOFA
/// divides by it.
///
/// What the preconditioner makes of a residual is projected by the constraints, so that a preconditioner changes the number of
/// iterations and not the solution. SOFA leaves it as it is: where a constraint clears no rows of the matrix (a
/// `PlaneProjectiveConstraint`, say), its factors lead to a solution that is not within the constraint. Without a preconditioner the
/// residual is projected likewise, which changes no more than its rounding.
///
/// With r = b − A x and p = P^-1 r at first: a = (r·P^-1 r)/(p·A p), x += a p, s = r − a A p, p = P^-1 s + (s·P^-1 s)/(r·P^-1 r) p, and r = s.
///
/// **Source:** as SOFA's PCGLinearSolver; Shewchuk 1994.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PCGLinearSolver {
    /// Greatest number of iterations.
    pub iterations: u32,
    /// Ratio r.P^-1 r / b.b at which it ends.
    pub tolerance: f64,
    /// The linear solver whose factors precondition; none: P is the identity.
    pub preconditioner: Option<ComponentId>,
    at: NodeId,
    system: Option<ComponentId>,
}

/// Conjugate gradient with a preconditioner.
#[derive(Attributes)]
#[attributes(
    ignored("graph", summary = "output of SOFA's; see the report"),
    ignored("parallelInverseProduct", summary = "of constraint corrections"),
    ignored("update_step", summary = "of no effect in SOFA: see PreconditionedMatrixFreeSystem")
)]
struct Settings {
    /// greatest number of iterations
    #[attribute(default = "25", non_negative)]
    iterations: i64,
    /// ratio of r.P^-1 r and b.b at which it ends; negative: it does not end thereby
    #[attribute(default = "1e-5")]
    tolerance: f64,
    /// whether the preconditioner is used
    #[attribute(name = "use_precond", default = "true")]
    use_precond: bool,
    /// the linear solver that serves as preconditioner
    preconditioner: Option<LinkTarget>,
    /// the PreconditionedMatrixFreeSystem that says how often it is made anew; else the first of the node
    linear_system: Option<LinkTarget>,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::LinearSolver, "PCGLinearSolver", build)
        .old_names(&["ShewchukPCGLinearSolver"])
        .templates(&["GraphScattered"])
        .samples(&[
            Sample::new("iterations='500' tolerance='1e-28'"),
            Sample::new("iterations='500' tolerance='1e-28' preconditioner='@factors'").after(
                "<SparseLDLSolver name='factors'/><PreconditionedMatrixFreeSystem assemblingRate='2'/>",
            ),
        ]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let preconditioner = linked_preconditioner(b, "preconditioner", s.preconditioner)?;
    let solver = PCGLinearSolver {
        iterations: u32::try_from(s.iterations).unwrap_or(u32::MAX).min(u32::MAX - 1),
        tolerance: s.tolerance,
        preconditioner: preconditioner.filter(|_| s.use_precond),
        at: b.scene.component(b.component).node,
        system: match s.linear_system {
            Some(LinkTarget::Component(c)) => Some(c),
            _ => None,
        },
    };
    b.scene.add_linear_solver(b.component, Box::new(solver));
    Ok(())
}

const R: VecDerivId = VecDerivId::temporary(22);
const W: VecDerivId = VecDerivId::temporary(23);
const S: VecDerivId = VecDerivId::temporary(24);

impl PCGLinearSolver {
    /// Once in how many set-ups the preconditioner is made anew.
    fn rate(&self, visitor: &MechanicalVisitor<'_, '_, '_>) -> u32 {
        let rate = |setting| match setting {
            SolverSetting::AssemblingRate(rate) => Some(rate),
            _ => None,
        };
        let linked = self.system.and_then(|c| visitor.setting(c)).and_then(rate);
        linked.or_else(|| visitor.setting_at(self.at, rate)).unwrap_or(1)
    }
}

impl LinearSolver for PCGLinearSolver {
    fn class(&self) -> &'static str {
        "PCGLinearSolver"
    }

    fn has_factors(&self) -> bool {
        self.preconditioner.is_some()
    }

    fn begins_with_former_solution(&self) -> bool {
        true
    }

    fn record_solve(&self, visitor: &mut MechanicalVisitor<'_, '_, '_>, system: LinearSystem) -> SolveRecord {
        let tag = visitor.group.tag;
        let (x, b) = (system.solution, system.right_hand_side);
        let Self { iterations, tolerance, preconditioner, .. } = *self;
        let p = match preconditioner {
            None => None,
            Some(component) => {
                let rate = self.rate(visitor);
                let solver = visitor.linear_solver(component);
                let made = solver.and_then(|s| s.record_preconditioner(visitor, system.factors, rate));
                match made {
                    Some(made) => Some(made),
                    None => return missing(visitor),
                }
            }
        };
        let precondition = |visitor: &mut MechanicalVisitor<'_, '_, '_>, z, r| {
            match &p {
                Some(p) => p.record_apply(visitor, z, r),
                None => visitor.each_root("pcg_copy", |visit, at| visit.v_copy(at, z, r)),
            }
            // A preconditioner's matrix does not know of constraints that clear no rows. Without one, what rounding leaves beside
            // a plane, or a mean, would stay in the residual for ever, and lead anywhere once it is all that is left.
            visitor.project_response(z);
        };

        if x == VecDerivId::SOLUTION {
            visitor.each_root("pcg_begin", |visit, at| visit.v_copy_previous_solution(at, x));
            // What was free in the step before may be held by now.
            visitor.project_response(x);
        }
        product(visitor, &None, system, S, x);
        visitor.each_root("pcg_begin", |visit, at| visit.v_difference(at, R, b, S)); // r = b - A x
        precondition(visitor, W, R);
        let bb = visitor.v_dot("pcg_bb", b, b);
        let rw = visitor.v_dot("pcg_rw", R, W);
        let rec = &mut *visitor.visit.rec;
        let mut real = || rec.scalar_value::<f64>();
        let (limit_of_delta, delta, alpha, beta, size) = (real(), real(), real(), real(), real());
        let (limit, count) = (rec.scalar_value::<u32>(), rec.scalar_value::<u32>());
        let (done, failed) = (rec.scalar_value::<bool>(), rec.scalar_value::<bool>());
        rec.sweep("pcg_tolerance");
        rec.scalar(
            "pcg_tolerance",
            tag,
            (
                gather(bb),
                gather(rw),
                set(limit_of_delta),
                set(delta),
                set(limit),
                set(count),
                set(failed),
                set(size),
            ),
            move |(bb, rw, limit_of_delta, delta, limit, count, failed, size)| {
                (*limit_of_delta, *delta, *count, *size) = (tolerance * bb, rw, 0, bb);
                *failed = !(bb.is_finite() && rw.is_finite());
                *limit = if rw > *limit_of_delta && !*failed { iterations } else { 0 };
            },
        );
        rec.begin_loop(limit);
        product(visitor, &None, system, S, W);
        let ws = visitor.v_dot("pcg_ws", W, S);
        let rec = &mut *visitor.visit.rec;
        rec.sweep("pcg_alpha");
        rec.scalar(
            "pcg_alpha",
            tag,
            (gather(ws), val(delta), set(alpha), set(done), set(failed), set(count)),
            |(ws, delta, alpha, done, failed, count)| {
                *alpha = delta / ws;
                *failed |= !ws.is_finite();
                *done = *failed || !alpha.is_finite();
                if !*done {
                    *count += 1;
                }
            },
        );
        rec.break_if(done);
        visitor.each_root("pcg_advance", |visit, at| visit.v_advance(at, [x, R], [W, S], alpha, None));
        precondition(visitor, S, R);
        let rs = visitor.v_dot("pcg_rs", R, S);
        let rec = &mut *visitor.visit.rec;
        rec.sweep("pcg_beta");
        rec.scalar(
            "pcg_beta",
            tag,
            (gather(rs), set(delta), val(limit_of_delta), set(beta), set(done), set(failed)),
            |(rs, delta, limit, beta, done, failed)| {
                *beta = rs / *delta;
                *delta = rs;
                *failed |= !rs.is_finite();
                *done = *failed || rs <= limit;
            },
        );
        rec.break_if(done);
        let never = rec.scalar_value::<bool>();
        visitor.each_root("pcg_direction", |visit, at| visit.v_direction(at, W, S, beta, never));
        visitor.visit.rec.end_loop();
        let linear = Some(LinearRecord {
            limit: iterations,
            iterations: count,
            residual: delta,
            reference: size,
            ratio: |delta, size| delta / size,
            tolerance,
            ended: None,
        });
        let Some(p) = p else {
            return SolveRecord {
                iterations: Some(count),
                failed: Some(failed),
                linear,
                ..SolveRecord::default()
            };
        };
        let unmade = p.record_failed(visitor);
        let rec = &mut *visitor.visit.rec;
        let any = rec.scalar_value::<bool>();
        rec.scalar("failed", tag, (val(failed), val(unmade), set(any)), |(a, b, any)| *any = a || b);
        SolveRecord {
            iterations: Some(count),
            failed: Some(any),
            linear,
            reason: p.reason(),
            ..SolveRecord::default()
        }
    }

    fn is_of_whole_group(&self) -> bool {
        self.preconditioner.is_some()
    }

    /// Solvers of equal numbers are merged; preconditioners stay with theirs.
    fn merged(&self, others: &[&dyn LinearSolver]) -> Option<Box<dyn LinearSolver>> {
        let is_alike = |o: &&dyn LinearSolver| {
            let other = o.as_any().downcast_ref::<Self>();
            other.is_some_and(|o| {
                let numbers = |s: &Self| (s.iterations, s.tolerance, s.preconditioner);
                numbers(o) == numbers(self) && self.preconditioner.is_none()
            })
        };
        others.iter().all(is_alike).then(|| Box::new(*self) as Box<dyn LinearSolver>)
    }

    fn is_equal(&self, other: &dyn LinearSolver) -> bool {
        self.merged(&[other]).is_some()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
