//! Classes that SOFA's scenes use and that have no effect on the numbers.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};

/// The classes: any attribute is accepted.
const CLASSES: &[&str] = &[
    "AMDOrderingMethod",
    "AdvancedTimer",
    "AttachBodyButtonSetting",
    "AddFrameButtonSetting",
    "AddRecordedCameraButtonSetting",
    "BackgroundSetting",
    "COLAMDOrderingMethod",
    "ClipPlane",
    "ConstraintAttachButtonSetting",
    "DefaultVisualManagerLoop",
    "DirectionalLight",
    "FileMessageHandlerComponent",
    "FixPickedParticleButtonSetting",
    "InfoComponent",
    "InteractiveCamera",
    "LightManager",
    "MetisOrderingMethod",
    "NaturalOrderingMethod",
    "OrderIndependentTransparencyManager",
    "PositionalLight",
    "PostProcessManager",
    "RequiredPlugin",
    "SofaDefaultPathSetting",
    "SpotLight",
    "StatsSetting",
    "ViewerSetting",
    "VisualStyle",
];

/// The descriptions of all ignored classes.
pub fn all() -> Vec<ComponentDescription> {
    let ignored = |class: &&'static str| without_attributes(Family::Ignored, class);
    CLASSES.iter().map(|c| ignored(c).summary("Accepted; has no effect on the simulation")).collect()
}

/// A class that is accepted with any attribute, of which nothing is built.
pub(crate) fn without_attributes(family: Family, class: &'static str) -> ComponentDescription {
    ComponentDescription::new::<()>(family, class, nothing)
}

fn nothing(_: &mut Builder<'_>) -> Result<(), BuildError> {
    Ok(())
}
