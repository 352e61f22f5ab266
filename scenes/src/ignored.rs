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
    "OglFloat2Variable",
    "OglFloat3Variable",
    "OglFloat4Variable",
    "OglFloatVariable",
    "OglFloatVectorVariable",
    "OglInt2Variable",
    "OglInt3Variable",
    "OglInt4Variable",
    "OglIntVariable",
    "OglMatrix4Variable",
    "OrderIndependentTransparencyManager",
    "PositionalLight",
    "PostProcessManager",
    "RecordedCamera",
    "RequiredPlugin",
    "SofaDefaultPathSetting",
    "SpotLight",
    "StatsSetting",
    "ViewerSetting",
    "VisualStyle",
];

/// Classes that write files, which programs of Weft write where they are asked to on the command line.
const WRITERS: &[&str] = &["BlenderExporter"];

/// The descriptions of all ignored classes.
pub fn all() -> Vec<ComponentDescription> {
    let ignored = |class: &&'static str| without_attributes(Family::Ignored, class);
    let writer = |class: &&'static str| {
        ComponentDescription::new::<()>(Family::Ignored, class, |b| {
            b.warn(None, "writes no file here; `weft run --help` says what can be written");
            Ok(())
        })
        .summary("Accepted with a warning; writes nothing")
    };
    let without_effect =
        CLASSES.iter().map(|c| ignored(c).summary("Accepted; has no effect on the simulation"));
    without_effect.chain(WRITERS.iter().map(writer)).collect()
}

/// A class that is accepted with any attribute, of which nothing is built.
pub(crate) fn without_attributes(family: Family, class: &'static str) -> ComponentDescription {
    ComponentDescription::new::<()>(family, class, nothing)
}

fn nothing(_: &mut Builder<'_>) -> Result<(), BuildError> {
    Ok(())
}
