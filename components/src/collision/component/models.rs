//! The collision models: `TriangleCollisionModel`, `LineCollisionModel`, `PointCollisionModel`, `SphereCollisionModel`. The file is long
//! for its five classes, which are built alike.

use sim_core::component::attributes::{AttributeGroups, Attributes};
use sim_core::component::build::{BuildError, Builder, LinkTarget, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::math::{Rigid3Type, StateType, Vec3, Vec3Type};
use sim_core::scene::{ComponentId, NodeId, Scene, StateId};
use sim_core::topology::{Topology, TopologyKind};

use super::phases::{asked, keep};
use crate::collision::{CollisionModel, CollisionModelError, ModelAttributes, Padded};

/// What a collision model is made of, until all states have their final size.
#[derive(Clone, Debug)]
pub struct Model {
    /// The attributes that all models share.
    pub attributes: ModelAttributes,
    /// The state under it.
    pub state: StateId,
    kind: Kind,
}

impl Model {
    /// Whether it follows changes of its topology. Capsules around edges that come and go are not there yet.
    pub(crate) fn follows(&self) -> bool {
        !matches!(self.kind, Kind::LineCapsules(..))
    }
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Triangles(ComponentId),
    Octree(ComponentId),
    Lines(ComponentId),
    /// With the node, and the topology that makes a surface of them.
    Points(NodeId, Option<ComponentId>),
    Spheres {
        radius: f64,
        radii: Vec<f64>,
    },
    Boxes(Padded<Vec3>),
    Capsules {
        radii: Padded<f64>,
        heights: Padded<f64>,
    },
    /// Around the edges of a topology.
    LineCapsules(ComponentId, Padded<f64>),
    Cylinders {
        radii: Padded<f64>,
        heights: Padded<f64>,
        axes: Padded<Vec3>,
    },
}

impl Kind {
    /// Whether its elements lie on points, and on frames.
    fn lies_on(&self) -> [bool; 2] {
        match self {
            Self::Spheres { .. } => [true, true],
            Self::Boxes(_) | Self::Capsules { .. } | Self::Cylinders { .. } => [false, true],
            _ => [true, false],
        }
    }
}

impl Model {
    /// Its geometry on the state as it is now.
    ///
    /// # Errors
    /// An element outside the state, a radius that is none.
    pub fn geometry(&self, scene: &Scene) -> Result<CollisionModel, CollisionModelError> {
        let n = scene.initial(self.state).len();
        let empty = Topology::empty(TopologyKind::Mesh);
        let topology = |c: ComponentId| scene.topology(c).unwrap_or(&empty);
        match &self.kind {
            Kind::Triangles(c) => CollisionModel::triangles(topology(*c), n),
            Kind::Octree(c) => CollisionModel::octree(topology(*c), n),
            Kind::Lines(c) => CollisionModel::lines(topology(*c), n),
            // SOFA's points have a surface where their node, or one above it, has a model of lines.
            Kind::Points(node, Some(c)) if has_lines(scene, *node) => {
                CollisionModel::points_on(topology(*c), n)
            }
            Kind::Points(..) => Ok(CollisionModel::points(n)),
            Kind::Spheres { radius, radii } => {
                let on_frames = scene.initial_as::<Rigid3Type>(self.state).is_some();
                CollisionModel::spheres(n, on_frames, *radius, radii)
            }
            Kind::Boxes(extents) => CollisionModel::boxes(n, extents),
            Kind::Capsules { radii, heights } => CollisionModel::capsules(n, radii, heights),
            Kind::LineCapsules(c, radii) => CollisionModel::line_capsules(topology(*c), n, radii),
            Kind::Cylinders { radii, heights, axes } => CollisionModel::cylinders(n, radii, heights, axes),
        }
    }
}

/// Whether there is a model of lines in a node or above it.
fn has_lines(scene: &Scene, node: NodeId) -> bool {
    let is_lines = |c| {
        let model = scene.component(c).extension::<Model>();
        model.is_some_and(|m| matches!(m.kind, Kind::Lines(_)))
    };
    scene.upward(node).any(|n| scene.components_of(n).any(is_lines))
}

/// What all models have.
#[derive(Attributes)]
#[attributes(
    unsupported(
        "useCurvature",
        default = "0",
        summary = "lets a surface collide with itself only where it is curved enough"
    ),
    ignored("contactFriction", "contactRestitution", "color", "numberOfContacts"),
    ignored("computeNormals", "displayNormals")
)]
pub(super) struct Shared {
    /// takes part at all
    #[attribute(default = "true")]
    active: bool,
    /// its boxes follow its points
    #[attribute(default = "true")]
    moving: bool,
    /// two models that are not are never tested
    #[attribute(default = "true")]
    simulated: bool,
    /// models of one node collide only if both have it
    self_collision: bool,
    /// models that share a group do not collide
    group: Vec<i64>,
    /// skin around each element [m]
    #[attribute(default = "0", alias = "proximity")]
    contact_distance: f64,
    /// factor of the stiffness of its contacts
    #[attribute(default = "10", non_negative)]
    contact_stiffness: f64,
    /// class of the response, if this model asks for one; attributes of the contacts may follow: CLASS?name1=value1&name2=value2
    contact_response: Option<String>,
    /// its mechanical state; else the one found from its node upward
    _mstate: Option<LinkTarget>,
}

/// What models of surfaces have.
#[derive(Attributes)]
struct Sides {
    /// both sides of a surface repel (with LocalMinDistance; the other methods know no sides)
    both_side: bool,
}

/// A model of the elements of a topology.
#[derive(Attributes)]
struct OnTopology {
    #[attribute(flatten)]
    _shared: Shared,
    #[attribute(flatten)]
    _sides: Sides,
    /// its topology; else the first found from its node upward
    _topology: Option<LinkTarget>,
}

/// All points of a state.
///
/// They are those of their state, whatever elements there are.
#[derive(Attributes)]
struct OnPoints {
    #[attribute(flatten)]
    _shared: Shared,
    #[attribute(flatten)]
    _sides: Sides,
    /// what makes a surface of the points, which LocalMinDistance asks for; else the first found from its node upward
    _topology: Option<LinkTarget>,
}

/// A sphere around each degree of freedom.
#[derive(Attributes)]
#[attributes(ignored("bothSide", "topology", "showImpostors"))]
struct Spheres {
    #[attribute(flatten)]
    _shared: Shared,
    /// radius of all spheres [m]
    #[attribute(default = "1")]
    radius: f64,
    /// radius of each sphere, padded with `radius` [m]
    list_radius: Vec<f64>,
}

pub(super) const fn model<A: AttributeGroups>(
    class: &'static str,
    build: fn(&mut Builder<'_>) -> Result<(), BuildError>,
) -> ComponentDescription {
    ComponentDescription::new::<A>(Family::Collision, class, build)
        .templates(&[Vec3Type::NAME, Rigid3Type::NAME])
}

pub(super) const TRIANGLE: ComponentDescription = model::<OnTopology>("TriangleCollisionModel", |b| {
    let topology = topology(b)?;
    let Sides { both_side } = Sides::read(b)?;
    build(b, Kind::Triangles(topology), both_side)
})
.summary("The triangles of a topology, and two for each quadrangle.")
.old_names(&["Triangle", "TriangleModel", "TriangleMesh", "TriangleSet"])
.samples(&[Sample::new("contactStiffness='5'").template("Vec3").elements("triangles")]);

/// The triangles of a closed surface, and two for each quadrangle, that meet others of their class under a RayTraceNarrowPhase.
#[derive(Attributes)]
#[attributes(ignored("bothSide", "drawOctree"))]
struct OctreeSettings {
    #[attribute(flatten)]
    _shared: Shared,
    /// its topology; else the first found from its node upward
    _topology: Option<LinkTarget>,
}

/// **Source:** as SOFA's, whose octree is of use to rays only; what other narrow phases do with it there was not looked at.
pub(super) const TRIANGLE_OCTREE: ComponentDescription =
    model::<OctreeSettings>("TriangleOctreeCollisionModel", |b| {
        let topology = topology(b)?;
        build(b, Kind::Octree(topology), false)
    })
    .old_names(&["TriangleOctreeModel"]);

pub(super) const LINE: ComponentDescription = model::<OnTopology>("LineCollisionModel", |b| {
    let topology = topology(b)?;
    let Sides { both_side } = Sides::read(b)?;
    build(b, Kind::Lines(topology), both_side)
})
.summary("The edges of a topology.")
.old_names(&["Line", "LineModel", "LineMesh", "LineSet"])
.samples(&[Sample::new("contactStiffness='5'").template("Vec3").elements("any")]);

pub(super) const POINT: ComponentDescription = model::<OnPoints>("PointCollisionModel", |b| {
    let topology = b.topology_component(TopologySearch::First);
    let Sides { both_side } = Sides::read(b)?;
    build(b, Kind::Points(b.node, topology), both_side)
})
.old_names(&["Point", "PointModel", "PointMesh", "PointSet"])
.samples(&[Sample::new("contactStiffness='5'").template("Vec3")]);

pub(super) const SPHERE: ComponentDescription = model::<Spheres>("SphereCollisionModel", |b| {
    let Spheres { radius, list_radius: radii, .. } = Spheres::read(b)?;
    build(b, Kind::Spheres { radius, radii }, false)
})
.old_names(&["Sphere", "SphereModel", "TSphereModel"])
.samples(&[Sample::new("radius='0.25' contactStiffness='5'")]);

pub(super) fn topology(b: &Builder<'_>) -> Result<ComponentId, BuildError> {
    b.topology_component(TopologySearch::First).ok_or_else(|| {
        BuildError::new(
            "there is no topology in this node or above it; put a MeshTopology before this component",
        )
    })
}

pub(super) fn build(b: &mut Builder<'_>, kind: Kind, both_side: bool) -> Result<(), BuildError> {
    let state = b.state()?;
    let on_points = b.scene.initial_as::<Vec3Type>(state).is_some();
    let on_frames = b.scene.initial_as::<Rigid3Type>(state).is_some();
    let [takes_points, takes_frames] = kind.lies_on();
    if !(on_points && takes_points || on_frames && takes_frames) {
        return Err(BuildError::new(if takes_points {
            "it needs a MechanicalObject of type Vec3; below a rigid body, map one with RigidMapping"
        } else {
            "it needs a MechanicalObject of type Rigid3: a frame for each element"
        }));
    }
    let s = Shared::read(b)?;
    let attributes = ModelAttributes {
        active: s.active,
        moving: s.moving,
        simulated: s.simulated,
        self_collision: s.self_collision,
        both_side,
        group: s.group.into_iter().map(|g| g as i32).collect(),
        contact_distance: s.contact_distance,
        contact_stiffness: s.contact_stiffness,
        contact_response: s.contact_response.map(|text| asked(b, &text, "contactResponse")).transpose()?,
    };
    keep(b, Model { attributes, state, kind })
}
