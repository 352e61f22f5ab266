//! `ArticulatedHierarchyContainer`, `ArticulationCenter` and `Articulation`: which bodies hang on which, and how they may move.

use std::sync::Arc;

use sim_core::prelude::*;
use sim_core::scene::{ComponentId, NodeId, Scene};

/// Joints between rigid bodies, for an ArticulatedSystemMapping.
#[derive(Attributes)]
#[attributes(unsupported(
    "filename",
    summary = "makes the joints of a BVH file; here they are written in the scene, and a CharacterFile plays such a file"
))]
struct ContainerSettings;

/// Where a child body hangs on its parent.
#[derive(Attributes)]
#[attributes(ignored("globalPosition"))]
struct CenterSettings {
    /// number of the parent body
    #[attribute(default = "0")]
    parent_index: i64,
    /// number of the child body
    #[attribute(default = "0")]
    child_index: i64,
    /// place of the joint in the axes of the parent [m]
    #[attribute(default = "0 0 0")]
    pos_on_parent: Vec3,
    /// place of the joint in the axes of the child [m]
    #[attribute(default = "0 0 0")]
    pos_on_child: Vec3,
    /// what axes are attached to: 0, to the child as the articulations before have turned it; 1, to the parent; 2, to the child
    #[attribute(default = "0")]
    articulation_process: i64,
}

/// One way in which the child of a joint moves: around or along an axis.
#[derive(Attributes)]
struct ArticulationSettings {
    /// the axis, in the axes of the child
    #[attribute(default = "1 0 0", alias = "rotationAxis")]
    axis: Vec3,
    /// whether the child turns around it
    rotation: bool,
    /// whether the child slides along it
    translation: bool,
    /// which number of the input says how far [rad or m]
    #[attribute(default = "0")]
    articulation_index: i64,
}

/// The components.
pub(super) const ALL: [ComponentDescription; 3] = [
    ComponentDescription::new::<ContainerSettings>(Family::Topology, CONTAINER, |_| Ok(())),
    ComponentDescription::new::<CenterSettings>(Family::Topology, CENTER, build_center),
    ComponentDescription::new::<ArticulationSettings>(Family::Topology, ARTICULATION, build_articulation),
];

/// The class of what has joints below it.
pub const CONTAINER: &str = "ArticulatedHierarchyContainer";
/// The class of a joint.
pub const CENTER: &str = "ArticulationCenter";
/// The class of one of its ways to move.
pub const ARTICULATION: &str = "Articulation";

/// Where a child body hangs on its parent, as the scene has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArticulationCenter {
    /// Number of the parent body.
    pub parent: i64,
    /// Number of the child body.
    pub child: i64,
    /// Place of the joint in the axes of the parent [m].
    pub on_parent: Vec3,
    /// Place of the joint in the axes of the child [m].
    pub on_child: Vec3,
    /// What axes are attached to (SOFA's `articulationProcess`).
    pub process: i64,
}

/// One way in which the child of a joint moves, as the scene has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Articulation {
    /// The axis, in the axes of the child, of length 1.
    pub axis: Vec3,
    /// Whether the child turns around it.
    pub rotation: bool,
    /// Whether the child slides along it.
    pub translation: bool,
    /// Which number says how far.
    pub index: i64,
}

/// A joint with all its ways to move.
pub struct ArticulatedJoint {
    /// The component that stands for it.
    pub component: ComponentId,
    /// Where it is.
    pub center: ArticulationCenter,
    /// How its child moves, one after the other.
    pub articulations: Vec<Articulation>,
}

/// The joints in a node and below, in their order.
///
/// **Source:** as SOFA's: the articulations of a joint are those in the children of its node, and below.
pub fn joints_below(scene: &Scene, node: NodeId) -> Vec<ArticulatedJoint> {
    let of_nodes = |nodes: Vec<NodeId>| nodes.into_iter().flat_map(|n| scene.components_of(n));
    let of_joint = |component: ComponentId| {
        let of = scene.component(component);
        let below = scene.depth_first_from(of.node).split_off(1);
        let articulations = of_nodes(below).filter_map(|c| scene.component(c).extension().copied()).collect();
        Some(ArticulatedJoint { component, center: *of.extension()?, articulations })
    };
    of_nodes(scene.depth_first_from(node)).filter_map(of_joint).collect()
}

fn build_center(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = CenterSettings::read(b)?;
    if !(0..=2).contains(&s.articulation_process) {
        let text = format!("`articulationProcess` is {}; it is 0, 1 or 2", s.articulation_process);
        return Err(BuildError::attribute("articulationProcess", text));
    }
    let center = ArticulationCenter {
        parent: s.parent_index,
        child: s.child_index,
        on_parent: s.pos_on_parent,
        on_child: s.pos_on_child,
        process: s.articulation_process,
    };
    b.scene.component_mut(b.component).extension = Some(Arc::new(center));
    Ok(())
}

fn build_articulation(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = ArticulationSettings::read(b)?;
    let axis = s
        .axis
        .try_normalize(0.0)
        .ok_or_else(|| BuildError::attribute("axis", "`axis` is zero, and has no direction"))?;
    if !s.rotation && !s.translation {
        let text = "neither `rotation` nor `translation` is set, so that nothing moves";
        b.warn(None, text);
    }
    let articulation =
        Articulation { axis, rotation: s.rotation, translation: s.translation, index: s.articulation_index };
    b.scene.component_mut(b.component).extension = Some(Arc::new(articulation));
    Ok(())
}
