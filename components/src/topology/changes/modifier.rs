//! The `...SetTopologyModifier` components: which elements of the container beside them may go and come.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::mechanical_state::TEMPLATES;
use sim_core::renumbering::ElementKind;
use sim_core::scene::{NodeId, Scene};

/// Says of which kind the elements are that are removed from the container beside it.
#[derive(Attributes)]
#[attributes(
    ignored("topology", "tagMechanics", "propagate"),
    ignored("list_Out", "list_In", "list_X"),
    unsupported("propagateToDOF", default = "1", summary = "leaves the state as it is where set to false")
)]
struct Settings {
    /// whether points that no element has any more go too (tetrahedra, hexahedra)
    #[attribute(default = "1")]
    remove_isolated: bool,
}

/// What a modifier says of the topology of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modifier {
    /// The elements that are removed by number; none for a container of points.
    pub kind: Option<ElementKind>,
    /// Whether points that no element has any more go too.
    pub removes_isolated: bool,
}

impl Modifier {
    /// The modifier for a topology in a node: the first of the node, or else of the nearest one above that has one.
    pub fn find(scene: &Scene, node: NodeId) -> Option<Self> {
        let of = |n| scene.components_of(n).find_map(|c| scene.component(c).extension::<Self>().copied());
        scene.upward(node).find_map(of)
    }
}

const KINDS: [(&str, ElementKind); 5] = [
    ("EdgeSetTopologyModifier", ElementKind::Edge),
    ("TriangleSetTopologyModifier", ElementKind::Triangle),
    ("QuadSetTopologyModifier", ElementKind::Quad),
    ("TetrahedronSetTopologyModifier", ElementKind::Tetrahedron),
    ("HexahedronSetTopologyModifier", ElementKind::Hexahedron),
];

/// The description of a modifier.
pub(in crate::topology) const fn modifier(class: &'static str) -> ComponentDescription {
    ComponentDescription::new::<Settings>(Family::Ignored, class, build).templates(TEMPLATES)
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let Settings { remove_isolated } = Settings::read(b)?;
    let class = b.scene.component(b.component).class;
    let kind = KINDS.iter().find(|(name, _)| *name == class).map(|(_, kind)| *kind);
    // SOFA's modifiers of edges, triangles and quads have no such switch.
    let has_switch = matches!(kind, Some(ElementKind::Tetrahedron | ElementKind::Hexahedron));
    if !has_switch && !remove_isolated {
        b.warn(
            Some("removeIsolated"),
            "`removeIsolated` is for tetrahedra and hexahedra; here points always go",
        );
    }
    b.keep(Some(Modifier { kind, removes_isolated: remove_isolated || !has_switch }));
    Ok(())
}
