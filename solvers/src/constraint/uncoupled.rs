//! SOFA's `UncoupledConstraintCorrection`: each degree of freedom gives way by itself.

use std::sync::Arc;

use engine::data::{Data, Role, grow, read, update, work_in};
use sim_core::component::attributes::{Attributes, Deferred};
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::constraint_solver::{
    ConstraintCorrection, CorrectionFactors, IntegrationFactors, OfTimeStep,
};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::lagrangian_constraint::ConstraintOrder;
use sim_core::component::mass::RigidBodyMass;
use sim_core::math::{Mat3, Rigid3Type};
use sim_core::visitor::constraints::{CorrectedUnit, UnitRows};
use sim_core::visitor::visit::Visit;

/// Gives way to constraints by a compliance per degree of freedom, whatever the integrator's matrix is.
#[derive(Attributes)]
#[attributes(ignored("verbose", "topology", "group"))]
struct Settings {
    /// compliance of each degree of freedom; of a rigid body: of the translation, and six of the symmetric matrix of the rotation
    compliance: Option<Vec<f64>>,
    /// compliance of those that the list does not name
    #[attribute(default = "1e-5")]
    default_compliance: f64,
    /// positions and velocities are corrected as the integrator would
    #[attribute(default = "1")]
    use_ode_solver_integration_factors: bool,
    /// factor of corrections of positions, where the integrator does not say
    #[attribute(default = "1")]
    correction_position_factor: Deferred<f64>,
    /// factor of corrections of velocities, where the integrator does not say
    #[attribute(default = "1")]
    correction_velocity_factor: Deferred<f64>,
    /// the integrator; that of the node or above is taken
    #[attribute(name = "ODESolver")]
    _ode_solver: Option<LinkTarget>,
}

pub(super) const DESCRIPTION: ComponentDescription = ComponentDescription::new::<Settings>(
    Family::ConstraintCorrection,
    "UncoupledConstraintCorrection",
    build,
)
.samples(&[
    Sample::new("defaultCompliance='0.02'").template("Vec3"),
    Sample::new("compliance='0.02 0.1 0 0.01 0.2 0 0.3'").template("Rigid3"),
    Sample::new("defaultCompliance='0.02'").template("Vec1"),
    Sample::new(
        "defaultCompliance='0.02' useOdeSolverIntegrationFactors='0' correctionPositionFactor='0.9' correctionVelocityFactor='0.7'",
    )
    .template("Vec3"),
]);

/// The compliance of each block of three scalars, and what is done with it.
///
/// **Source:** as SOFA's: a list of another length than the degrees of freedom is replaced by its first value, or by
/// `defaultCompliance` if that is set; the inertia of a rigid body stays in world axes.
struct UncoupledConstraintCorrection {
    blocks: Vec<Mat3>,
    /// The factors of positions and velocities, where the integrator's are not used.
    own_factors: Option<[f64; 2]>,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let state = b.state()?;
    let s = Settings::read(b)?;
    let own_factors = if s.use_ode_solver_integration_factors {
        None
    } else {
        Some([s.correction_position_factor.get(b)?, s.correction_velocity_factor.get(b)?])
    };
    let list = s.compliance.unwrap_or_default();
    let default = b.is_set("defaultCompliance").then_some(s.default_compliance);
    let blocks = if b.scene.initial_as::<Rigid3Type>(state).is_some() {
        rigid_blocks(b, &list, default, own_factors.is_some())?
    } else {
        let n = b.size(state);
        let template = b.scene.initial(state).template();
        if !matches!(template, "Vec1" | "Vec2" | "Vec3") {
            return Err(b.wrong_template(state, &["Vec1", "Vec2", "Vec3", "Rigid3"]));
        }
        let each = match (default, list.first()) {
            (Some(default), _) => default,
            (None, Some(first)) => *first,
            (None, None) => s.default_compliance,
        };
        if list.contains(&0.0) || each == 0.0 {
            return Err(BuildError::attribute("compliance", "a compliance of 0 does not give way"));
        }
        let listed = list.len() == n;
        (0..n).map(|i| Mat3::identity() * if listed { list[i] } else { each }).collect()
    };
    b.scene.add_constraint_correction(
        b.component,
        Box::new(UncoupledConstraintCorrection { blocks, own_factors }),
    );
    Ok(())
}

fn rigid_blocks(
    b: &mut Builder<'_>,
    list: &[f64],
    default: Option<f64>,
    by_itself: bool,
) -> Result<Vec<Mat3>, BuildError> {
    let state = b.state()?;
    let of_list = |c: &[f64]| {
        [Mat3::identity() * c[0], Mat3::new(c[1], c[2], c[3], c[2], c[4], c[5], c[3], c[5], c[6])]
    };
    let blocks = if list.len() == 7 {
        of_list(list)
    } else {
        let e = if by_itself { b.scene.dt * b.scene.dt } else { 1.0 };
        let masses = b.scene.components_of(b.node);
        let mass = masses.filter_map(|c| b.scene.component(c).extension::<RigidBodyMass>().copied()).next();
        match (default, mass) {
            (Some(default), _) => [Mat3::identity() * default, Mat3::identity() * e],
            (None, Some(mass)) => [Mat3::identity() * (e / mass.mass), mass.inverse * e],
            (None, None) => {
                return Err(BuildError::new(
                    "neither `compliance` (7 numbers) nor `defaultCompliance` nor a UniformMass in its node says how the body gives way",
                ));
            }
        }
    };
    Ok((0..b.size(state)).flat_map(|_| blocks).collect())
}

/// Under which name a state keeps its compliances.
const KEPT: &str = "uncoupled compliance";

impl UncoupledConstraintCorrection {
    fn data(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit) -> Data<Mat3> {
        let state = unit.at.state.0 as usize;
        if let Some(kept) = visit.vectors[state].kept::<Data<Mat3>>(KEPT) {
            return *kept;
        }
        let store = visit.rec.store();
        let data = store.create("uncoupled.compliance", unit.at.object, Role::Parameter, self.blocks.clone());
        visit.vectors[state].keep(KEPT, Arc::new(data), vec![data.id()]);
        data
    }
}

/// J C J^T for a C of blocks, row by row.
fn compliance(rows: &UnitRows, c: &[Mat3], out: &mut [f64]) {
    let n = rows.len();
    for i in 0..n {
        for j in 0..=i {
            let (a, b) = (rows.row(i), rows.row(j));
            let (mut k, mut l, mut sum) = (0, 0, 0.0);
            while k < a.len() && l < b.len() {
                match a[k].0.cmp(&b[l].0) {
                    std::cmp::Ordering::Less => k += 1,
                    std::cmp::Ordering::Greater => l += 1,
                    std::cmp::Ordering::Equal => {
                        sum += a[k].1.dot(&(c[a[k].0 as usize] * b[l].1));
                        (k, l) = (k + 1, l + 1);
                    }
                }
            }
            out[i * n + j] = sum;
            out[j * n + i] = sum;
        }
    }
}

impl ConstraintCorrection for UncoupledConstraintCorrection {
    fn class(&self) -> &'static str {
        DESCRIPTION.class
    }

    fn factors(&self, order: ConstraintOrder, integrator: IntegrationFactors) -> CorrectionFactors {
        let one = OfTimeStep::new(1.0, 0);
        match self.own_factors {
            Some([position, velocity]) => {
                let power = if order == ConstraintOrder::Position { -1 } else { 0 };
                CorrectionFactors {
                    compliance: one,
                    position: OfTimeStep::new(position, 0),
                    velocity: OfTimeStep::new(velocity, power),
                    regularization: 0.0,
                    unbuilt: one,
                }
            }
            None => {
                let IntegrationFactors { position, velocity } = integrator;
                let compliance = if order == ConstraintOrder::Position { position } else { velocity };
                CorrectionFactors { compliance, position, velocity, regularization: 0.0, unbuilt: one }
            }
        }
    }

    fn record_compliance(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit, out: Data<f64>) {
        let c = self.data(visit, unit);
        let accesses = (work_in(unit.rows), grow(out), read(c));
        visit.rec.own(DESCRIPTION.class, unit.at.tag, unit.at.object, accesses, |(rows, mut out, c)| {
            out.clear();
            (0..rows.len() * rows.len()).for_each(|_| out.push(0.0));
            compliance(rows, c, out.as_mut_slice());
        });
    }

    fn record_motion(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit) {
        let c = self.data(visit, unit);
        let accesses = (update(unit.motion), read(c));
        visit.rec.own(DESCRIPTION.class, unit.at.tag, unit.at.object, accesses, |(motion, c)| {
            for (f, c) in motion.chunks_exact_mut(3).zip(c) {
                let moved = c * sim_core::math::Vec3::new(f[0], f[1], f[2]);
                f.copy_from_slice(moved.as_slice());
            }
        });
    }
}
