//! Changes of a running simulation, between steps: they cost what comes or goes, not what is there.

use std::sync::Arc;

use components::topology::changes::EditError;
use engine::exec::{LoadError, RunFailure};
use sim_core::step::{IntegrationUpdate, NeedsRecording};
use sim_core::visitor::depart::StillNeeded;
use sim_core::visitor::exchange::OtherParts;
use sim_core::visitor::world::FreezeError;

use super::Simulation;
use crate::execution::planned_executor::Phase;

/// Why a running simulation cannot be changed as asked; it is then as it was.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ChangeError {
    /// There is no such state, or it was removed.
    #[error("there is no mechanical state of number {0} in the scene")]
    NoSuchState(u32),
    /// No solver moves the state, so a force would change nothing.
    #[error("no ODE solver moves {0}, so a force on it would change nothing")]
    NotSimulated(String),
    /// A force field of points on frames, or the other way round.
    #[error("{path} holds {found} degrees of freedom, and the force field acts on {wanted}")]
    Template {
        /// Path of the state.
        path: String,
        /// Its template.
        found: &'static str,
        /// That of the force field.
        wanted: &'static str,
    },
    /// The state has fewer points.
    #[error("{path} has {n} points, so there is no point {index}")]
    NoSuchPoint {
        /// Path of the state.
        path: String,
        /// How many points it has.
        n: usize,
        /// The one that was asked for.
        index: u32,
    },
    /// A number that is negative or not finite.
    #[error("`{name}` is {value}; it must be a finite number that is not negative")]
    OutOfRange {
        /// What it is.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The component is not a force field on one state, or was removed.
    #[error("{0} is not a force field on one state of the scene, or is something else too")]
    NotAForceField(String),
    /// A component that is built again would be made of other parts.
    #[error(transparent)]
    OtherParts(#[from] OtherParts),
    /// No topology beside a modifier has an element there.
    #[error(
        "nothing that may be removed is there: it takes a topology with elements, and a ...SetTopologyModifier for them"
    )]
    NothingToRemove,
    /// There is no such node, or it was removed.
    #[error("there is no node of number {0} in the scene")]
    NoSuchNode(u32),
    /// There is no such component, or it was removed.
    #[error("there is no component of number {0} in the scene")]
    NoSuchComponent(u32),
    /// A topology cannot change, or not so.
    #[error(transparent)]
    Topology(#[from] EditError),
    /// Rows of another width than the elements have.
    #[error("{kind} have {wanted} points each; a row has {n}")]
    ElementWidth {
        /// The elements.
        kind: &'static str,
        /// How many points they have.
        wanted: usize,
        /// How many a row has.
        n: usize,
    },
    /// An attribute cannot have the value.
    #[error(transparent)]
    Attribute(#[from] scenes::rebuild::AttributeError),
    /// A component cannot be built with what it is linked to.
    #[error("{0}")]
    NotBuilt(String),
    /// The root stands for the scene as a whole.
    #[error("the root of the scene cannot be removed")]
    Root,
    /// The collision pipeline finds the contacts of the whole scene.
    #[error("{0} holds the collision pipeline, which cannot be removed")]
    HoldsPipeline(String),
    /// Something that stays acts on what should go.
    #[error(transparent)]
    StillNeeded(#[from] StillNeeded),
    /// What should come is wrong in itself.
    #[error(transparent)]
    Load(#[from] scenes::LoadError),
    /// What should come does not fit what is there.
    #[error("{0}")]
    DoesNotFit(#[from] FreezeError),
    /// What came cannot be mapped to its initial positions.
    #[error("{0}")]
    Propagation(#[from] RunFailure),
    /// Somebody has to compute.
    #[error("the number of workers is 0; at least 1 is needed")]
    NoWorkers,
    /// The executor does not take the changed plan.
    #[error("the plan cannot be changed: {0}")]
    Plan(#[from] LoadError),
}

impl Simulation {
    /// Brings the integration's plan up to date after components changed; with `in_step` also with the contacts that came or
    /// went in the present step. Without a plan there is nothing to do.
    pub(super) fn update_integration(&mut self, in_step: bool) -> Result<(), LoadError> {
        let Some(plan) = self.integration else { return Ok(()) };
        let (contacts, changes) = match &self.collision {
            Some(c) => (c.contacts(), c.contact_changes()),
            None => (&[][..], &[][..]),
        };
        let changes = if in_step { changes } else { &[] };
        let updated = self.groups.update(&mut self.world, contacts, changes, self.engine.program(plan));
        let store = &mut self.world.store;
        match updated {
            Ok(IntegrationUpdate { ops, parts }) => {
                let updated = self.engine.update(Phase::Integration, plan, &ops, &parts, store);
                self.groups.take_back(parts);
                updated?;
            }
            Err(NeedsRecording) => {
                let recording = Arc::new(self.groups.record_present(&mut self.world, contacts));
                self.engine.load(Phase::Integration, Some(plan), recording, &mut self.world.store)?;
            }
        }
        Ok(())
    }
}
