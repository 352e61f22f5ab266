//! `TetrahedronCollisionModel`, which SOFA has and nothing meets.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::{StateType, Vec3Type};

use super::phases::keep;

/// The tetrahedra of a topology, which meet nothing.
///
/// No method that measures distances tests them. DiscreteIntersection tests them against points, and no response takes what it finds.
///
/// **Source:** as SOFA's TetrahedronCollisionModel, TetrahedronDiscreteIntersection and the contact classes there.
#[derive(Attributes)]
#[attributes(
    ignored("active", "moving", "simulated", "selfCollision", "group", "contactDistance", "proximity"),
    ignored("contactStiffness", "contactFriction", "contactRestitution", "contactResponse"),
    ignored("color", "numberOfContacts", "bothSide")
)]
struct TetrahedronSettings {
    /// its mechanical state; else the one found from its node upward
    _mstate: Option<LinkTarget>,
    /// its topology; else the first found from its node upward
    _topology: Option<LinkTarget>,
}

/// A `TetrahedronCollisionModel`: no pipeline asks for it.
#[derive(Clone, Copy, Debug)]
struct Tetrahedra;

pub(super) const TETRAHEDRON: ComponentDescription =
    ComponentDescription::new::<TetrahedronSettings>(Family::Collision, "TetrahedronCollisionModel", build)
        .templates(&[Vec3Type::NAME])
        .old_names(&["Tetrahedron", "TetrahedronModel"]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let state = b.state()?;
    if b.scene.initial_as::<Vec3Type>(state).is_none() {
        return Err(BuildError::new("it needs a MechanicalObject of type Vec3"));
    }
    if b.topology_component(TopologySearch::First).is_none() {
        return Err(BuildError::new("there is no topology in this node or above it"));
    }
    b.warn(None, "meets nothing, as in SOFA: no contact response takes what is found of tetrahedra");
    keep(b, Tetrahedra)
}
