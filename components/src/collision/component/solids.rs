//! The collision models of solids: `OBBCollisionModel`, `CapsuleCollisionModel`, `CylinderCollisionModel`.

use sim_core::component::attributes::Attributes;
use sim_core::component::description::{ComponentDescription, Sample};
use sim_core::math::{Rigid3Type, StateType, Vec3, Vec3Type};

use super::models::{Kind, Shared, build, model, topology};
use crate::collision::Padded;

/// A box in each frame, with its middle in the frame's center and its sides along the frame's axes.
///
/// Boxes, capsules and cylinders meet each other, spheres, points, and the triangles and lines of meshes, by every intersection method but
/// `CCDTightInclusionIntersection`, and under every response. Two of them push each other at each corner of what they share: a box stands
/// on its four corners. Corners of boxes meet triangles, and so do vertices of triangles the faces of boxes; edges count where a surface is
/// bent. The attributes of a method that leave kinds of elements out (`useLineLine`, `useSphereTriangle`) are not for them.
#[derive(Attributes)]
#[attributes(ignored("bothSide"))]
struct Boxes {
    #[attribute(flatten)]
    _shared: Shared,
    /// half the lengths of each box along its axes, padded with `defaultExtent` [m]
    extents: Vec<Vec3>,
    /// half the lengths of all other boxes, which are cubes [m]
    #[attribute(default = "1")]
    default_extent: f64,
}

/// **Source:** attributes and sizes as SOFA's plugin CollisionOBBCapsule, which gives one point for each pair of elements; here they are
/// up to nine, since a body on a single point has nothing to stand on.
pub(super) const BOX: ComponentDescription = model::<Boxes>("OBBCollisionModel", |b| {
    let Boxes { extents, default_extent, .. } = Boxes::read(b)?;
    let default = Vec3::from_element(default_extent);
    build(b, Kind::Boxes(Padded { attribute: "extents", list: extents, default }), false)
})
.templates(&[Rigid3Type::NAME])
.old_names(&["OBB", "OBBModel", "TOBBModel"])
.samples(&[Sample::new("extents='0.3 0.2 0.25' contactStiffness='5'").template("Rigid3")]);

/// A capsule in each frame along its y axis, or around each edge of a topology: a cylinder with half a sphere at each end.
///
/// On points, those of an edge carry a contact by how near it is to each; neighbours that share a point do not meet. It meets what an
/// `OBBCollisionModel` meets, at the two ends of what it shares with the other. Capsules around edges do not follow changes of the topology.
#[derive(Attributes)]
#[attributes(ignored("bothSide"))]
struct Capsules {
    #[attribute(flatten)]
    _shared: Shared,
    /// radius of each capsule, padded with `defaultRadius` [m]
    #[attribute(name = "listCapsuleRadii", alias = "radii")]
    radii: Vec<f64>,
    /// length of each between the centers of its half spheres, padded with `defaultHeight` [m]; on points, edges say it
    heights: Vec<f64>,
    /// radius of all others [m]
    #[attribute(default = "0.5")]
    default_radius: f64,
    /// length of all others [m]
    #[attribute(default = "2", alias = "dafaultHeight")]
    default_height: f64,
    /// on points: what has the edges; else the first found from its node upward
    _topology: Option<sim_core::component::build::LinkTarget>,
}

/// **Source:** as SOFA's plugin CollisionOBBCapsule: radii are `listCapsuleRadii` on points and `radii` on frames; its default height is
/// spelt `dafaultHeight`. As for boxes, it gives one point for each pair, and boxes for bounds that leave out `contactDistance`.
pub(super) const CAPSULE: ComponentDescription = model::<Capsules>("CapsuleCollisionModel", |b| {
    let Capsules { radii, heights, default_radius, default_height, .. } = Capsules::read(b)?;
    let radii = Padded { attribute: "radii", list: radii, default: default_radius };
    let state = b.state()?;
    if b.scene.initial_as::<Vec3Type>(state).is_none() {
        let heights = Padded { attribute: "heights", list: heights, default: default_height };
        return build(b, Kind::Capsules { radii, heights }, false);
    }
    for name in ["heights", "defaultHeight"] {
        if b.is_set(name) {
            b.warn(Some(name), "on points the edges say how long capsules are; this counts on frames only");
        }
    }
    let topology = topology(b)?;
    let radii = Padded { attribute: "listCapsuleRadii", ..radii };
    build(b, Kind::LineCapsules(topology, radii), false)
})
.old_names(&["Capsule", "CapsuleModel", "TCapsuleModel"])
.samples(&[
    Sample::new("radii='0.2' heights='0.5' contactStiffness='5'").template("Rigid3"),
    Sample::new("defaultRadius='0.1' contactStiffness='5'").template("Vec3").elements("any"),
]);

/// A cylinder in each frame, with its middle in the frame's center.
///
/// It meets what an `OBBCollisionModel` meets. It stands on eight points of its rim, and on the exact point of the rim where it leans by
/// more than 2.6 degrees; it lies on two.
#[derive(Attributes)]
#[attributes(ignored("bothSide"))]
struct Cylinders {
    #[attribute(flatten)]
    _shared: Shared,
    /// radius of each cylinder, padded with `defaultRadius` [m]
    radii: Vec<f64>,
    /// height of each, padded with `defaultHeight` [m]
    heights: Vec<f64>,
    /// direction of each in its frame, padded with `defaultLocalAxis`; its length is a factor of the height
    local_axes: Vec<Vec3>,
    /// radius of all others [m]
    #[attribute(default = "0.5")]
    default_radius: f64,
    /// height of all others [m]
    #[attribute(default = "2")]
    default_height: f64,
    /// direction of all others in their frames
    #[attribute(default = "0 1 0")]
    default_local_axis: Vec3,
}

/// **Source:** attributes as SOFA's, where `localAxes` is filled by programs and is no attribute. Its plugin has responses for pairs of
/// cylinders with others; its tests of them were not looked at.
pub(super) const CYLINDER: ComponentDescription = model::<Cylinders>("CylinderCollisionModel", |b| {
    let s = Cylinders::read(b)?;
    let kind = Kind::Cylinders {
        radii: Padded { attribute: "radii", list: s.radii, default: s.default_radius },
        heights: Padded { attribute: "heights", list: s.heights, default: s.default_height },
        axes: Padded { attribute: "localAxes", list: s.local_axes, default: s.default_local_axis },
    };
    build(b, kind, false)
})
.templates(&[Rigid3Type::NAME])
.old_names(&["Cylinder", "CylinderModel"])
.samples(&[Sample::new("radii='0.2' heights='0.5' contactStiffness='5'").template("Rigid3")]);
