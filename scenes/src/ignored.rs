//! Classes that SOFA's scenes use and that have no effect on the numbers, and the animation loop, which is always there.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription, Family};

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

/// The descriptions of all ignored classes, and of `DefaultAnimationLoop`.
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
    ignored.chain([ANIMATION_LOOP]).collect()
}

const ANIMATION_LOOP: ComponentDescription = ComponentDescription {
    class: "DefaultAnimationLoop",
    old_names: &[],
    family: Family::AnimationLoop,
    summary: "Collision detection, then every solver, then mappings; a scene without any loop has this one",
    templates: &[],
    attributes: &[&[
        AttributeDescription::new(
            "parallelODESolving",
            AttributeKind::Ignored,
            "solvers that share no state always may run in parallel",
        ),
        AttributeDescription::new("computeBoundingBox", AttributeKind::Ignored, "drawing only"),
    ]],
    samples: &[],
    build: nothing,
};

pub(crate) fn nothing(_: &mut Builder<'_>) -> Result<(), BuildError> {
    Ok(())
}
