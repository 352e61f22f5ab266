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

/// Classes that do nothing standing alone in a scene, in SOFA neither, and why.
///
/// **Source:** as SOFA's: a contact response makes its constraint itself and adds its contacts to that; rays are those of a mouse, and a scene's
/// own model has none; a `ContactListener` is asked by programs and scripts; a `ReadTopology` keeps what it reads for a `CompareTopology`.
const IDLE: &[(&str, &str)] = &[
    (
        "UnilateralLagrangianConstraint",
        "holds nothing alone, as in SOFA: its contacts are those that a `FrictionContactConstraint` response adds to a constraint of its own",
    ),
    (
        "AugmentedLagrangianConstraint",
        "holds nothing alone, as in SOFA: its contacts are those that an `AugmentedLagrangianResponseConstraint` adds to a constraint of its own",
    ),
    (
        "RayCollisionModel",
        "has no rays, as in SOFA, where a mouse adds some; the window here pulls without it",
    ),
    (
        "ContactListener",
        "tells nobody of contacts: in SOFA scripts ask it; `--report` says how many contacts there are",
    ),
    (
        "ReadTopology",
        "reads nothing: in SOFA what it reads changes no topology, and is for a `CompareTopology` alone",
    ),
    ("CompareTopology", "compares nothing; `WriteTopology` writes the elements of each step"),
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
    without_effect.chain(WRITERS.iter().map(writer)).chain(idle()).collect()
}

fn idle() -> impl Iterator<Item = ComponentDescription> {
    let idle = |(class, _): &(&'static str, &str)| {
        ComponentDescription::new::<()>(Family::Ignored, class, |b| {
            let class = b.scene.component(b.component).class;
            if let Some((_, why)) = IDLE.iter().find(|(idle, _)| *idle == class) {
                b.warn(None, *why);
            }
            Ok(())
        })
        .summary("Accepted with a warning that says why it does nothing")
    };
    IDLE.iter().map(idle)
}

/// A class that is accepted with any attribute, of which nothing is built.
pub(crate) fn without_attributes(family: Family, class: &'static str) -> ComponentDescription {
    ComponentDescription::new::<()>(family, class, nothing)
}

fn nothing(_: &mut Builder<'_>) -> Result<(), BuildError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{LoadOptions, load_text};

    #[test]
    fn what_does_nothing_says_why() {
        let all: String = IDLE.iter().map(|(class, _)| format!("<{class} anything='1'/>")).collect();
        let text = format!("<Node><MechanicalObject/><MeshTopology position='0 0 0'/>{all}</Node>");
        let loaded = load_text(&text, "idle.scn", &LoadOptions::default()).expect("loads");
        let said: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        for (class, why) in IDLE {
            let of_class = said.iter().filter(|d| d.contains(class) && d.contains(why)).count();
            assert_eq!(of_class, 1, "{class}: {said:?}");
        }
    }
}
