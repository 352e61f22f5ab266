//! `X3DJoints`: frames of an X3D file's nodes, for a state to follow.

use std::sync::Arc;

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::scene::ComponentId;
use x3d::shape::Joints;

use super::X3dFile;

/// Frames of joints (or other nodes) of an X3D file: a MechanicalObject whose `position` is linked to `position` follows them, with
/// velocities that are the differences of two steps.
#[derive(Attributes)]
struct Settings {
    /// the X3DFile; that of this node or the nearest above if not given
    file: Option<LinkTarget>,
    /// names of nodes, by DEF or by their field `name`: a row of positions for each
    joints: Vec<String>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Loader, "X3DJoints", build);

/// Frames of an event graph of the scene.
#[derive(Clone, Debug)]
pub struct JointFrames {
    /// The component with the graph, an [`X3dFile`].
    pub file: ComponentId,
    /// Which nodes.
    pub joints: Arc<Joints>,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let is_file = |c: &ComponentId| b.scene.component(*c).extension::<X3dFile>().is_some();
    let file = match s.file {
        Some(LinkTarget::Component(c)) if is_file(&c) => c,
        Some(_) => return Err(BuildError::attribute("file", "`file` leads to no X3DFile")),
        None => {
            let mut all = b.scene.upward(b.node).flat_map(|n| b.scene.components_of(n));
            let found = all.find(is_file);
            found.ok_or_else(|| {
                BuildError::new(
                    "there is no X3DFile before it in this node or above; put one there, or set `file`",
                )
            })?
        }
    };
    if s.joints.is_empty() {
        return Err(BuildError::attribute("joints", "`joints` names no node"));
    }
    let Some(X3dFile { scene, .. }) = b.scene.component(file).extension::<X3dFile>() else {
        return Err(BuildError::attribute("file", "`file` leads to no X3DFile"));
    };
    let joints = Joints::of(scene, &s.joints).map_err(|e| {
        let hint = e.nearest.as_ref().map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
        BuildError::attribute("joints", format!("{e} in {}{hint}", b.scene.path(file)))
    })?;
    let rows = joints.at_rest(scene).into_iter().flat_map(|(p, q)| p.into_iter().chain(q));
    let rows = Value::Reals(rows.collect());
    b.offer("position", rows);
    b.keep(Some(JointFrames { file, joints: Arc::new(joints) }));
    Ok(())
}
