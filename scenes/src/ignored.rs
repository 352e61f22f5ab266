//! Classes that SOFA's scenes use and that have no effect on the numbers.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};

/// The classes: any attribute is accepted.
const CLASSES: &[&str] = &[
    "AdvancedTimer",
    "AttachBodyButtonSetting",
    "AddFrameButtonSetting",
    "AddRecordedCameraButtonSetting",
    "BackgroundSetting",
    "ClipPlane",
    "ConstraintAttachButtonSetting",
    "DefaultVisualManagerLoop",
    "DirectionalLight",
    "EdgeSetGeometryAlgorithms",
    "EdgeSetTopologyModifier",
    "FileMessageHandlerComponent",
    "FixPickedParticleButtonSetting",
    "HexahedronSetGeometryAlgorithms",
    "HexahedronSetTopologyModifier",
    "InfoComponent",
    "InteractiveCamera",
    "LightManager",
    "NaturalOrderingMethod",
    "OrderIndependentTransparencyManager",
    "PointSetGeometryAlgorithms",
    "PointSetTopologyModifier",
    "PositionalLight",
    "PostProcessManager",
    "QuadSetGeometryAlgorithms",
    "QuadSetTopologyModifier",
    "RequiredPlugin",
    "SofaDefaultPathSetting",
    "SpotLight",
    "StatsSetting",
    "TetrahedronSetGeometryAlgorithms",
    "TetrahedronSetTopologyModifier",
    "TriangleSetGeometryAlgorithms",
    "TriangleSetTopologyModifier",
    "ViewerSetting",
    "VisualStyle",
];

/// The descriptions of all ignored classes.
pub fn all() -> Vec<ComponentDescription> {
    let ignored = CLASSES.iter().map(|class| ComponentDescription {
        class,
        old_names: &[],
        family: Family::Ignored,
        summary: "Accepted; has no effect on the simulation",
        templates: &[],
        attributes: &[],
        samples: &[],
        build: nothing,
    });
    ignored.collect()
}

pub(crate) fn nothing(_: &mut Builder<'_>) -> Result<(), BuildError> {
    Ok(())
}
