//! `RigFrames`: outputs of a rig as frames, for a state to follow.

use animation::rig::math::affine::decompose;
use animation::rig::math::quaternion::{IDENTITY, Quaternion, normalized};
use animation::rig::value::PortType;
use animation::rig::{Backend, Evaluator, OutputId, Rig};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::scene::ComponentId;

use super::rig_file::{RigFile, rig_of};
use crate::diagnostics::did_you_mean;

/// Outputs of a rig as frames: a MechanicalObject whose `position` is linked to `position` follows them, with velocities that are the
/// differences of two steps.
#[derive(Attributes)]
struct Settings {
    /// the RigFile; that of this node or the nearest above if not given
    rig: Option<LinkTarget>,
    /// names of outputs that are a vec3, a matrix or a transform: a row of positions for each
    outputs: Vec<String>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Loader, "RigFrames", build);

/// Outputs of a rig of the scene as frames.
#[derive(Clone, Debug)]
pub struct OutputFrames {
    /// The component with the rig, a [`RigFile`].
    pub rig: ComponentId,
    /// Which outputs, and what they are.
    pub outputs: Vec<(OutputId, PortType)>,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let component = rig_of(b, s.rig)?;
    let Some(RigFile { rig, .. }) = b.scene.component(component).extension::<RigFile>().cloned() else {
        return Err(BuildError::attribute("rig", "`rig` leads to no RigFile"));
    };
    let wrong = |text: String| BuildError::attribute("outputs", text);
    if s.outputs.is_empty() {
        return Err(wrong("`outputs` names no output".to_owned()));
    }
    let mut outputs = Vec::new();
    for name in &s.outputs {
        let found = rig.find_output(name).map_err(|_| {
            let hint = did_you_mean(name, rig.outputs()).map_or_else(String::new, |h| format!("; {h}"));
            wrong(format!("the rig has no output `{name}`{hint}"))
        })?;
        let (node, port) = rig.output_port(found);
        let of = rig.ports(node).outputs[port].of;
        if !matches!(of, PortType::Vec3 | PortType::Matrix | PortType::Transform) {
            return Err(wrong(format!(
                "output `{name}` is {of}; a frame is a vec3, a matrix or a transform"
            )));
        }
        outputs.push((found, of));
    }
    let rows = at_rest(&rig, &outputs).map_err(wrong)?;
    b.offer("position", Value::Reals(rows));
    b.keep(Some(OutputFrames { rig: component, outputs }));
    Ok(())
}

/// Rows of positions as controls are in the file.
fn at_rest(rig: &Rig, outputs: &[(OutputId, PortType)]) -> Result<Vec<f64>, String> {
    let evaluator = Evaluator::new(rig.clone(), Backend::sequential(), animation::rig::Settings::default());
    let mut evaluator = evaluator.map_err(|wrong| {
        wrong.first().map_or_else(|| "the rig cannot be evaluated".to_owned(), ToString::to_string)
    })?;
    evaluator.evaluate().map_err(|failure| failure.to_string())?;
    let frames = outputs.iter().map(|(output, of)| frame(*of, evaluator.value(*output)));
    Ok(frames.flat_map(|(p, q)| p.into_iter().chain(q)).collect())
}

/// The frame of a value: of a map with scales or shear, the orientation of its axes.
pub fn frame(of: PortType, value: &[f64]) -> ([f64; 3], Quaternion) {
    match (of, value) {
        (PortType::Matrix, v) if v.len() == 12 => {
            let mut map = [0.0; 12];
            map.copy_from_slice(v);
            let (at, turn, _) = decompose(&map);
            (at, turn)
        }
        (PortType::Transform, [x, y, z, a, b, c, d, ..]) => ([*x, *y, *z], normalized([*a, *b, *c, *d])),
        (_, [x, y, z, ..]) => ([*x, *y, *z], IDENTITY),
        _ => ([0.0; 3], IDENTITY),
    }
}
