//! Classes that SOFA's scenes use and that have no effect on the numbers.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};

/// The classes: any attribute is accepted.
const CLASSES: &[&str] = &[
    "AMDOrderingMethod",
    "APIVersion",
    "AddFrameButtonSetting",
    "AddPluginRepository",
    "AddRecordedCameraButtonSetting",
    "AdvancedTimer",
    "AttachBodyButtonSetting",
    "COLAMDOrderingMethod",
    "ClipPlane",
    "ConstraintAttachButtonSetting",
    "DefaultVisualManagerLoop",
    "DirectionalLight",
    "FileMessageHandlerComponent",
    "FixPickedParticleButtonSetting",
    "GlobalSystemMatrixImage",
    "InfoComponent",
    "LightManager",
    "MessageHandlerComponent",
    "MetisOrderingMethod",
    "NaturalOrderingMethod",
    "OglFloat2Attribute",
    "OglFloat2Variable",
    "OglFloat3Attribute",
    "OglFloat3Variable",
    "OglFloat4Attribute",
    "OglFloat4Variable",
    "OglFloatAttribute",
    "OglFloatVariable",
    "OglFloatVector2Variable",
    "OglFloatVector3Variable",
    "OglFloatVector4Variable",
    "OglFloatVectorVariable",
    "OglInt2Attribute",
    "OglInt2Variable",
    "OglInt3Attribute",
    "OglInt3Variable",
    "OglInt4Attribute",
    "OglInt4Variable",
    "OglIntAttribute",
    "OglIntVariable",
    "OglIntVector2Variable",
    "OglIntVector3Variable",
    "OglIntVector4Variable",
    "OglIntVectorVariable",
    "OglMatrix2Variable",
    "OglMatrix2x3Variable",
    "OglMatrix2x4Variable",
    "OglMatrix3Variable",
    "OglMatrix3x2Variable",
    "OglMatrix3x4Variable",
    "OglMatrix4Variable",
    "OglMatrix4VectorVariable",
    "OglMatrix4x2Variable",
    "OglMatrix4x3Variable",
    "OglShaderDefineMacro",
    "OglUInt2Attribute",
    "OglUInt3Attribute",
    "OglUInt4Attribute",
    "OglUIntAttribute",
    "OrderIndependentTransparencyManager",
    "PauseAnimationOnEvent",
    "PositionalLight",
    "PostProcessManager",
    "RequiredPlugin",
    "SofaDefaultPathSetting",
    "SpotLight",
    "StartNavigationButtonSetting",
    "StatsSetting",
    "TopologyChecker",
    "ViewerSetting",
    "VonMisesStress",
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
