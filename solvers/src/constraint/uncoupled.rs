//! SOFA's `UncoupledConstraintCorrection`: each degree of freedom gives way by itself. The file is long for the product of many rows of
//! one body, which is computed in lanes.

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
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};
use sim_core::math::{Mat3, Rigid3Type, Vec3, quat_to_matrix};
use sim_core::visitor::constraints::{CorrectedUnit, UnitRows};
use sim_core::visitor::vectors::VecCoordId;
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
    #[attribute(default = "1", alias = "useIntegrationSchemeIntegrationFactors")]
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
/// W = J C J^T with a diagonal C: of points the `compliance` c of each, or one for all; of frames 1/m of the translation and I^-1 of the
/// rotation, from seven numbers or the `UniformMass` of the node. Times the integrator's factors, unless `useOdeSolverIntegrationFactors`
/// is 0; then C has the step squared where the mass says it, and motions the factors that are given.
///
/// **Source:** as SOFA's: a list of another length than the degrees of freedom is replaced by its first value, or by
/// `defaultCompliance` if that is set; the inertia of a rigid body stays in world axes, unless it is that of a mass that is
/// `gyroscopic`, which is an addition of ours: there the compliance turns with the body.
struct UncoupledConstraintCorrection {
    blocks: Vec<Mat3>,
    /// Whether the blocks of rotations are in the axes of bodies that turn.
    turns: bool,
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
    let (blocks, turns) = if b.scene.initial_as::<Rigid3Type>(state).is_some() {
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
        ((0..n).map(|i| Mat3::identity() * if listed { list[i] } else { each }).collect(), false)
    };
    b.scene.add_constraint_correction(
        b.component,
        Box::new(UncoupledConstraintCorrection { blocks, turns, own_factors }),
    );
    Ok(())
}

/// The blocks of frames, and whether they turn with these.
fn rigid_blocks(
    b: &mut Builder<'_>,
    list: &[f64],
    default: Option<f64>,
    by_itself: bool,
) -> Result<(Vec<Mat3>, bool), BuildError> {
    let state = b.state()?;
    let of_list = |c: &[f64]| {
        [Mat3::identity() * c[0], Mat3::new(c[1], c[2], c[3], c[2], c[4], c[5], c[3], c[5], c[6])]
    };
    let (blocks, turns) = if list.len() == 7 {
        (of_list(list), false)
    } else {
        let e = if by_itself { b.scene.dt * b.scene.dt } else { 1.0 };
        let masses = b.scene.components_of(b.node);
        let mass = masses.filter_map(|c| b.scene.component(c).extension::<RigidBodyMass>().copied()).next();
        match (default, mass) {
            (Some(default), _) => ([Mat3::identity() * default, Mat3::identity() * e], false),
            (None, Some(mass)) => ([Mat3::identity() * (e / mass.mass), mass.inverse * e], mass.turns),
            (None, None) => {
                return Err(BuildError::new(
                    "neither `compliance` (7 numbers) nor `defaultCompliance` nor a UniformMass in its node says how the body gives way",
                ));
            }
        }
    };
    Ok(((0..b.size(state)).flat_map(|_| blocks).collect(), turns))
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
        let role = if self.turns { Role::Scratch } else { Role::Parameter };
        let data = store.create("uncoupled.compliance", unit.at.object, role, self.blocks.clone());
        visit.vectors[state].keep(KEPT, Arc::new(data), vec![data.id()]);
        data
    }

    /// The compliances in the axes of the world, where the step begins.
    fn turned(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit) -> Data<Mat3> {
        let data = self.data(visit, unit);
        if !self.turns {
            return data;
        }
        let own = self.blocks.get(1).copied().unwrap_or_else(Mat3::identity);
        let x = visit.coord::<Rigid3Type>(unit.at.state, VecCoordId::POSITION);
        let accesses = (read(x), update(data));
        visit.rec.own("turned_compliance", unit.at.tag, unit.at.object, accesses, move |(x, c)| {
            for (x, c) in x.iter().zip(c.chunks_exact_mut(2)) {
                let r = quat_to_matrix(&x.orientation);
                c[1] = r * own * r.transpose();
            }
        });
        data
    }
}

/// J C J^T for a C of blocks, row by row.
fn compliance(rows: &mut UnitRows, c: &[Mat3], out: &mut [f64]) {
    let n = rows.len();
    // C J^T, entry by entry.
    let mut turned = std::mem::take(&mut rows.room);
    turned.clear();
    for (block, d) in &rows.entries {
        turned.extend_from_slice((c[*block as usize] * d).as_slice());
    }
    if n > 0 && has_same_blocks(rows) {
        dispatch(OfOneBody { rows, turned: &turned, out });
    } else {
        let turned_row = |row: usize| &turned[3 * rows.starts[row] as usize..];
        for i in 0..n {
            for j in 0..=i {
                let product = product(rows.row(i), rows.row(j), turned_row(j));
                out[i * n + j] = product;
                out[j * n + i] = product;
            }
        }
    }
    rows.room = turned;
}

/// A row of J times a column of C J^T, given as the row of J that it is of, and its entries.
fn product(a: &[(u32, Vec3)], b: &[(u32, Vec3)], turned: &[f64]) -> f64 {
    let (mut k, mut l, mut sum) = (0, 0, 0.0);
    while k < a.len() && l < b.len() {
        match a[k].0.cmp(&b[l].0) {
            std::cmp::Ordering::Less => k += 1,
            std::cmp::Ordering::Greater => l += 1,
            std::cmp::Ordering::Equal => {
                sum += a[k].1.dot(&Vec3::new(turned[3 * l], turned[3 * l + 1], turned[3 * l + 2]));
                (k, l) = (k + 1, l + 1);
            }
        }
    }
    sum
}

/// Whether all rows are of the same blocks, as those of one rigid body are.
fn has_same_blocks(rows: &UnitRows) -> bool {
    let first = rows.row(0);
    (1..rows.len()).all(|k| {
        let row = rows.row(k);
        row.len() == first.len() && row.iter().zip(first).all(|(a, b)| a.0 == b.0)
    })
}

/// [`product`] for all pairs of rows of the same blocks, several at a time, each of the later with the earlier.
struct OfOneBody<'a> {
    rows: &'a mut UnitRows,
    turned: &'a [f64],
    out: &'a mut [f64],
}

impl LaneKernel for OfOneBody<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { rows, turned, out } = self;
        let n = rows.len();
        let entries = rows.row(0).len();
        let groups = n.div_ceil(BLOCK);
        // Of eight rows side by side: their entries of J, then those of C J^T.
        let mut lanes = std::mem::take(&mut rows.lanes);
        lanes.clear();
        lanes.resize(6 * entries * groups, Row::splat(0.0));
        let mut row = 0;
        while row < n {
            let (group, lane) = (row / BLOCK, row % BLOCK);
            let mut k = 0;
            while k < 3 * entries {
                let at = 2 * group * 3 * entries + k;
                lanes[at].0[lane] = rows.row(row)[k / 3].1[k % 3];
                lanes[at + 3 * entries].0[lane] = turned[3 * entries * row + k];
                k += 1;
            }
            row += 1;
        }
        let mut products = Row::splat(0.0);
        let mut i = 0;
        while i < n {
            let mut group = 0;
            while group < groups {
                let (own, own_turned) = (rows.row(i), &turned[3 * entries * i..][..3 * entries]);
                let of_group = &lanes[2 * group * 3 * entries..][..6 * entries];
                let (before, count) = (BLOCK * group, BLOCK.min(n - BLOCK * group));
                let to = &mut out[i * n + before..][..count];
                // Of those up to the row itself the row is the later one, of the others it is the earlier one.
                if before <= i {
                    let mut at = 0;
                    while at < BLOCK {
                        products_of_later::<L>(own, &of_group[3 * entries..], at).store(&mut products, at);
                        at += L::WIDTH;
                    }
                    let upto = count.min(i + 1 - before);
                    to[..upto].copy_from_slice(&products.0[..upto]);
                }
                if before + count > i + 1 {
                    let mut at = 0;
                    while at < BLOCK {
                        products_of_earlier::<L>(own_turned, of_group, at).store(&mut products, at);
                        at += L::WIDTH;
                    }
                    let from = (i + 1).saturating_sub(before);
                    to[from..].copy_from_slice(&products.0[from..count]);
                }
                group += 1;
            }
            i += 1;
        }
        rows.lanes = lanes;
    }
}

/// A row of J times eight columns of C J^T.
#[inline(always)]
fn products_of_later<L: Lane>(own: &[(u32, Vec3)], turned: &[Row], at: usize) -> L {
    let mut sum = L::splat(0.0);
    let mut k = 0;
    while k < own.len() {
        let d = &own[k].1;
        let x = L::splat(d.x) * L::load(&turned[3 * k], at);
        let y = L::splat(d.y) * L::load(&turned[3 * k + 1], at);
        let z = L::splat(d.z) * L::load(&turned[3 * k + 2], at);
        sum = sum + (x + y + z);
        k += 1;
    }
    sum
}

/// Eight rows of J times a column of C J^T.
#[inline(always)]
fn products_of_earlier<L: Lane>(own: &[f64], others: &[Row], at: usize) -> L {
    let mut sum = L::splat(0.0);
    let mut k = 0;
    while k < own.len() {
        let x = L::load(&others[k], at) * L::splat(own[k]);
        let y = L::load(&others[k + 1], at) * L::splat(own[k + 1]);
        let z = L::load(&others[k + 2], at) * L::splat(own[k + 2]);
        sum = sum + (x + y + z);
        k += 3;
    }
    sum
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

    fn block_compliances(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit) -> Option<Data<Mat3>> {
        Some(self.turned(visit, unit))
    }

    fn record_compliance(&self, visit: &mut Visit<'_, '_>, unit: &CorrectedUnit, out: Data<f64>) {
        let c = self.turned(visit, unit);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sim_core::component::lagrangian_constraint::RowEntry;
    use sim_core::component::matrix::End;

    use super::*;

    proptest! {
        /// The rows of one body, and those of several points: the same as entry by entry.
        #[test]
        fn many_rows_at_a_time_have_the_bits_of_one_by_one(
            directions in prop::collection::vec((prop::array::uniform3(-1.0..1.0f64), 0u32..4), 1..60),
            is_body in any::<bool>(),
        ) {
            let entries: Vec<RowEntry> = directions.iter().zip(0u32..).map(|((d, block), k)| RowEntry {
                row: k / 2,
                end: End::First,
                block: if is_body { k % 2 } else { *block },
                direction: Vec3::from(*d),
            }).collect();
            // A body has two blocks in each row.
            let entries = if is_body { &entries[..entries.len() / 2 * 2] } else { &entries[..] };
            let c: Vec<Mat3> = (0..4).map(|k| Mat3::new(1.3, 0.1, 0.2, 0.1, 0.7, f64::from(k), 0.2, 0.4, 2.0)).collect();
            let mut rows = UnitRows::default();
            rows.begin();
            rows.take(0, None, 0, entries);
            rows.finish();
            let n = rows.len();
            let mut out = vec![0.0; n * n];
            compliance(&mut rows, &c, &mut out);
            for i in 0..n {
                for j in 0..n {
                    let (a, b) = (rows.row(i.max(j)), rows.row(i.min(j)));
                    let mut sum = 0.0;
                    for (block, d) in a {
                        for (_, e) in b.iter().filter(|(other, _)| other == block) {
                            sum += d.dot(&(c[*block as usize] * e));
                        }
                    }
                    prop_assert_eq!(out[i * n + j].to_bits(), sum.to_bits());
                }
            }
        }
    }
}
