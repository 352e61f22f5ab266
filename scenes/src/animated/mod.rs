//! Graphs that are not physics and move what physics meets: event graphs (X3D), rigs and characters, whose frames states follow.
//!
//! The components are plain data here: what a file holds, and which of it is wanted. A simulation records the graphs into its own step.

mod character_file;
mod character_joints;
mod character_mesh;
mod humanoid;
mod rig_control;
mod rig_file;
mod rig_frames;
mod walk_obstacle;
mod x3d_file;
mod x3d_joints;

use sim_core::component::description::ComponentDescription;
use sim_core::scene::{ComponentId, Scene, StateId};

pub use character_file::CharacterFile;
pub use character_joints::{CharacterFrames, joint_frame, placed};
pub use rig_control::{ControlValue, Controlled};
pub use rig_file::RigFile;
pub use rig_frames::{OutputFrames, frame};
pub use walk_obstacle::WalkObstacle;
pub use x3d_file::X3dFile;
pub use x3d_joints::JointFrames;

use crate::diagnostics::{Diagnostic, Severity};

/// Where addresses of files inside the gallery begin.
pub const GALLERY: &str = "gallery:";

/// The descriptions of all of them.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        character_file::DESCRIPTION,
        character_joints::DESCRIPTION,
        character_mesh::DESCRIPTION,
        rig_control::DESCRIPTION,
        rig_file::DESCRIPTION,
        rig_frames::DESCRIPTION,
        walk_obstacle::DESCRIPTION,
        x3d_file::DESCRIPTION,
        x3d_joints::DESCRIPTION,
    ]
}

/// A state that follows a graph: its `position` is linked to a graph's frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Driven {
    /// The state.
    pub state: StateId,
    /// What gives its positions: a component with [`JointFrames`], [`OutputFrames`] or [`CharacterFrames`].
    pub by: ComponentId,
}

/// Whether a component gives frames of a graph.
pub fn gives_frames(scene: &Scene, component: ComponentId) -> bool {
    let component = scene.component(component);
    component.extension::<JointFrames>().is_some()
        || component.extension::<OutputFrames>().is_some()
        || component.extension::<CharacterFrames>().is_some()
}

/// The states that follow graphs, in scene order.
pub fn driven(scene: &Scene) -> Vec<Driven> {
    let of = |c: ComponentId| {
        let component = scene.component(c);
        let recipe = component.recipe.as_ref().filter(|_| scene.node(component.node).active)?;
        let (by, data) = recipe.attributes.sources.get("position")?;
        let is_graph = data == "position" && gives_frames(scene, *by);
        is_graph.then_some(Driven { state: component.state?, by: *by })
    };
    scene.all_components().filter(|c| scene.has_component(*c)).filter_map(of).collect()
}

/// The first error of a file with its place in it, and how many more there are.
fn first_error(found: &[Diagnostic]) -> String {
    let mut errors = found.iter().filter(|d| d.severity == Severity::Error);
    let first = errors.next().map_or_else(|| "the file cannot be read".to_owned(), ToString::to_string);
    match errors.count() {
        0 => first,
        n => format!("{first} (and {n} more)"),
    }
}
