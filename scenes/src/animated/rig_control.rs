//! `RigControl`: what a control of a rig is, in each step.

use animation::rig::ControlId;
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::scene::{ComponentId, StateId};

use super::rig_file::{RigFile, find_control, rig_of};

/// Sets a control of a rig: to numbers, or to where a point of a state is at the beginning of each step.
#[derive(Attributes)]
struct Settings {
    /// the RigFile; that of this node or the nearest above if not given
    rig: Option<LinkTarget>,
    /// name of the control
    control: String,
    /// its numbers; a link to the `position` of a state follows a point of it
    value: Vec<f64>,
    /// which point of that state
    #[attribute(default = "0", non_negative)]
    index: i64,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Playback, "RigControl", build);

/// A control of a rig of the scene, and what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlValue {
    /// The component with the rig, a [`RigFile`].
    pub rig: ComponentId,
    /// Which control.
    pub control: ControlId,
    /// What it is.
    pub value: Controlled,
}

/// What a control is.
#[derive(Clone, Debug, PartialEq)]
pub enum Controlled {
    /// The same in all steps.
    Fixed(Vec<f64>),
    /// Where a point of a state is at the beginning of the step \[m\].
    Point(StateId, usize),
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let component = rig_of(b, s.rig)?;
    let Some(RigFile { rig, time }) = b.scene.component(component).extension::<RigFile>().cloned() else {
        return Err(BuildError::attribute("rig", "`rig` leads to no RigFile"));
    };
    let control = find_control(&rig, &s.control).map_err(|e| BuildError::attribute("control", e))?;
    if time == Some(control) {
        let text = format!("`{}` gets the time (`timeControl` of the RigFile)", s.control);
        return Err(BuildError::attribute("control", text));
    }
    let of = rig.controls()[control.0 as usize].of;
    let source = b.source("value").map(|(c, data)| (c, data.to_owned()));
    let state =
        source.filter(|(_, data)| data == "position").and_then(|(c, _)| b.scene.state_of_component(c));
    let value = match state {
        Some(state) => {
            let (n, index) = (b.scene.initial(state).len(), s.index as usize);
            if index >= n {
                let text = format!("there is no point {index}; the state has {n}");
                return Err(BuildError::attribute("index", text));
            }
            if of.len() != 3 {
                let text = format!("a point is three numbers; control `{}` is {of}", s.control);
                return Err(BuildError::attribute("control", text));
            }
            Controlled::Point(state, index)
        }
        None => {
            if b.is_set("index") {
                b.warn(
                    Some("index"),
                    "has no effect where `value` is not linked to the `position` of a state",
                );
            }
            if s.value.len() != of.len() {
                let text = format!(
                    "{} numbers for control `{}`, which is {of}: {}",
                    s.value.len(),
                    s.control,
                    of.len()
                );
                return Err(BuildError::attribute("value", text));
            }
            Controlled::Fixed(s.value)
        }
    };
    b.keep(Some(ControlValue { rig: component, control, value }));
    Ok(())
}
