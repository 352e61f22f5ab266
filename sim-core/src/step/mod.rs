//! One time step: which solver groups there are, the program of their integration, and how it changes with the contacts.
//!
//! A step is three graphs (bounds, narrow phase, integration). This module records the third: forces that stand above all
//! solvers, then each group's solver, then the projection of the new state and its propagation through mappings.
//!
//! - `groups.rs`: which solvers can move together, and by which solver then.
//! - `grouping.rs`: the groups that the present contacts make, kept up to date link by link.
//! - `contacts.rs`: where a contact acts.
//! - `free_motion.rs`: how the free motion of a step with Lagrange multipliers ends; `constraints.rs`: their problem, and who solves
//!   it; `projected_columns.rs`: what they do not move; `correction.rs`: what they make of the free motion.
//! - `prescribed.rs`: what constraints move without a solver.
//! - `further.rs`: several integrators in one node.
//! - `units.rs`: which units change with the groups of their objects' solvers.
//! - `scope.rs`: records all of a step's integration, or the part of some objects and pairs.
//! - `integration.rs`: what changes of an integration when contacts come and go.
//! - `objects.rs`: what objects that come and go change of it.
//! - `rest.rs`: groups that are left alone while nothing stirs them.

mod constraints;
mod contacts;
mod correction;
mod former_groups;
mod free_motion;
mod further;
mod grouping;
mod groups;
mod integration;
mod objects;
mod prescribed;
mod projected_columns;
mod rest;
mod scope;
mod units;

pub use constraints::{ConstraintStage, Corrected};
pub use free_motion::{make_free_vectors, record_ahead};
pub use grouping::{Grouping, Regrouping};
pub use integration::{GroupRecord, Integration, IntegrationUpdate, NeedsRecording};
pub use prescribed::{prescribed_objects, record_prescribed};

use crate::scene::parts::Parts;
use crate::visitor::mechanical::{Group, MechanicalVisitor};
use crate::visitor::object::Object;
use crate::visitor::vectors::{VecCoordId, VecDerivId};
use crate::visitor::visit::Visit;
use crate::visitor::world::World;
use engine::data::ObjectId;
use engine::graph::{ComponentTag, Recorder, Recording};

/// Records the propagation of the present positions and velocities through the mappings of some objects.
pub fn record_propagation(world: &mut World, members: &[ObjectId]) -> Recording {
    record_present(world, members, false)
}

/// Records the projection of the present positions and velocities of some objects by their constraints, and the propagation through
/// their mappings: what is due where they were set from outside.
pub fn record_projection(world: &mut World, members: &[ObjectId]) -> Recording {
    record_present(world, members, true)
}

fn record_present(world: &mut World, members: &[ObjectId], projects: bool) -> Recording {
    let World { scene, store, vectors, objects, parameters, .. } = world;
    let mut rec = Recorder::new(store);
    let visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
    record_present_into(visit, &scene.parts, (objects, members), projects);
    rec.finish()
}

/// Records the propagation of the present positions and velocities of some of all objects into a recording that has begun.
pub fn propagate_into(visit: Visit<'_, '_>, parts: &Parts, objects: &[Object], members: &[ObjectId]) {
    record_present_into(visit, parts, (objects, members), false);
}

fn record_present_into(
    visit: Visit<'_, '_>,
    parts: &Parts,
    (objects, members): (&[Object], &[ObjectId]),
    projects: bool,
) {
    let external = vec![false; visit.vectors.len()];
    let tag = ComponentTag(u32::MAX);
    let group =
        Group { objects: members, joints: Vec::new(), external: &external, tag, follows_detection: false };
    let mut visitor = MechanicalVisitor::new(visit, group, parts, objects);
    if projects {
        visitor.project_position_and_velocity(VecCoordId::POSITION, VecDerivId::VELOCITY);
    }
    visitor.propagate(VecCoordId::POSITION, VecDerivId::VELOCITY);
}
