//! The collision models: `TriangleCollisionModel`, `LineCollisionModel`, `PointCollisionModel`, `SphereCollisionModel`.

use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::description::{
    AttributeDescription, AttributeKind, ComponentDescription, Family, Sample,
};
use sim_core::component::mechanical_state::AnyInitialState;
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::topology::{Topology, TopologyKind};

use super::phases::keep;
use crate::collision::{CollisionModel, CollisionModelError, ModelAttributes};

/// What a collision model is made of, until all states have their final size.
#[derive(Clone, Debug)]
pub struct Model {
    /// The attributes that all models share.
    pub attributes: ModelAttributes,
    /// The state under it.
    pub state: StateId,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Triangles(ComponentId),
    Lines(ComponentId),
    Points,
    Spheres { radius: f64, radii: Vec<f64> },
}

impl Model {
    /// Its geometry on the state as it is now.
    ///
    /// # Errors
    /// An element outside the state, a radius that is none.
    pub fn geometry(&self, scene: &Scene) -> Result<CollisionModel, CollisionModelError> {
        let state = scene.initial(self.state);
        let n = state.len();
        let empty = Topology::empty(TopologyKind::Mesh);
        let topology = |c: ComponentId| scene.topology(c).unwrap_or(&empty);
        match &self.kind {
            Kind::Triangles(c) => CollisionModel::triangles(topology(*c), n),
            Kind::Lines(c) => CollisionModel::lines(topology(*c), n),
            Kind::Points => Ok(CollisionModel::points(n)),
            Kind::Spheres { radius, radii } => {
                CollisionModel::spheres(n, matches!(state, AnyInitialState::Rigid3(_)), *radius, radii)
            }
        }
    }
}

const fn flag(name: &'static str, default: &'static str, summary: &'static str) -> AttributeDescription {
    AttributeDescription::new(name, AttributeKind::Bool, summary).default(default)
}

const fn ignored(name: &'static str) -> AttributeDescription {
    AttributeDescription::new(name, AttributeKind::Ignored, "no effect on penalty contacts")
}

const SHARED: &[AttributeDescription] = &[
    flag("active", "true", "takes part at all"),
    flag("moving", "true", "its boxes follow its points"),
    flag("simulated", "true", "two models that are not are never tested"),
    flag("selfCollision", "false", "models of one node collide only if both have it"),
    AttributeDescription::new(
        "group",
        AttributeKind::IndexRows(1),
        "models that share a group do not collide",
    ),
    AttributeDescription::new("contactDistance", AttributeKind::Real, "skin around each element")
        .aliases(&["proximity"])
        .default("0")
        .unit("m"),
    AttributeDescription::new(
        "contactStiffness",
        AttributeKind::Real,
        "factor of the stiffness of its contacts",
    )
    .default("10"),
    AttributeDescription::new(
        "contactResponse",
        AttributeKind::Text,
        "class of the response, if this model asks for one",
    )
    .default(""),
    AttributeDescription::new(
        "mstate",
        AttributeKind::Link,
        "its mechanical state; else the one found from its node upward",
    ),
    ignored("contactFriction"),
    ignored("contactRestitution"),
    ignored("color"),
    ignored("numberOfContacts"),
    ignored("bothSide"),
    ignored("computeNormals"),
    AttributeDescription::new(
        "useCurvature",
        AttributeKind::Unsupported,
        "lets a surface collide with itself only where it is curved enough",
    )
    .default("0"),
    ignored("displayNormals"),
];

const TOPOLOGY: &[AttributeDescription] = &[AttributeDescription::new(
    "topology",
    AttributeKind::Link,
    "its topology; else the first found from its node upward",
)];

/// Points and spheres are those of their state, whatever elements there are.
const NO_TOPOLOGY: &[AttributeDescription] = &[ignored("topology")];

const RADII: &[AttributeDescription] = &[
    AttributeDescription::new("radius", AttributeKind::Real, "radius of all spheres").default("1").unit("m"),
    AttributeDescription::new(
        "listRadius",
        AttributeKind::RealRows(1),
        "radius of each sphere, padded with `radius`",
    )
    .unit("m"),
    ignored("showImpostors"),
];

const fn model(
    class: &'static str,
    old_names: &'static [&'static str],
    summary: &'static str,
    attributes: &'static [&'static [AttributeDescription]],
    samples: &'static [Sample],
    build: fn(&mut Builder<'_>) -> Result<(), BuildError>,
) -> ComponentDescription {
    ComponentDescription {
        class,
        old_names,
        family: Family::Collision,
        summary,
        templates: &["Vec3", "Rigid3"],
        attributes,
        samples,
        build,
    }
}

pub(super) const TRIANGLE: ComponentDescription = model(
    "TriangleCollisionModel",
    &["Triangle", "TriangleModel", "TriangleMesh", "TriangleSet"],
    "The triangles of a topology, and two for each quadrangle.",
    &[SHARED, TOPOLOGY],
    &[Sample::new("contactStiffness='5'").template("Vec3").elements("triangles")],
    |b| {
        let topology = topology(b)?;
        build(b, Kind::Triangles(topology))
    },
);

pub(super) const LINE: ComponentDescription = model(
    "LineCollisionModel",
    &["Line", "LineModel", "LineMesh", "LineSet"],
    "The edges of a topology.",
    &[SHARED, TOPOLOGY],
    &[Sample::new("contactStiffness='5'").template("Vec3").elements("any")],
    |b| {
        let topology = topology(b)?;
        build(b, Kind::Lines(topology))
    },
);

pub(super) const POINT: ComponentDescription = model(
    "PointCollisionModel",
    &["Point", "PointModel", "PointMesh", "PointSet"],
    "All points of a state.",
    &[SHARED, NO_TOPOLOGY],
    &[Sample::new("contactStiffness='5'").template("Vec3")],
    |b| build(b, Kind::Points),
);

pub(super) const SPHERE: ComponentDescription = model(
    "SphereCollisionModel",
    &["Sphere", "SphereModel", "TSphereModel"],
    "A sphere around each degree of freedom.",
    &[SHARED, NO_TOPOLOGY, RADII],
    &[Sample::new("radius='0.25' contactStiffness='5'")],
    |b| {
        let kind = Kind::Spheres { radius: b.real("radius")?, radii: b.reals("listRadius")? };
        build(b, kind)
    },
);

fn topology(b: &Builder<'_>) -> Result<ComponentId, BuildError> {
    b.topology_component(TopologySearch::First).ok_or_else(|| {
        BuildError::new(
            "there is no topology in this node or above it; put a MeshTopology before this component",
        )
    })
}

fn build(b: &mut Builder<'_>, kind: Kind) -> Result<(), BuildError> {
    let state = b.state()?;
    let on_points = matches!(b.scene.initial(state), AnyInitialState::Vec3(_));
    if !on_points && !matches!(kind, Kind::Spheres { .. }) {
        return Err(BuildError::new(
            "it needs a MechanicalObject of type Vec3; below a rigid body, map one with RigidMapping",
        ));
    }
    let group = b.integers("group")?.into_iter().map(|g| g as i32).collect();
    let contact_stiffness = b.real("contactStiffness")?;
    if contact_stiffness < 0.0 {
        return Err(BuildError::attribute(
            "contactStiffness",
            format!("`contactStiffness` is {contact_stiffness}, it must not be negative"),
        ));
    }
    let attributes = ModelAttributes {
        active: b.boolean("active")?,
        moving: b.boolean("moving")?,
        simulated: b.boolean("simulated")?,
        self_collision: b.boolean("selfCollision")?,
        both_side: false,
        group,
        contact_distance: b.real("contactDistance")?,
        contact_stiffness,
        contact_response: if b.is_set("contactResponse") {
            b.text("contactResponse")?.to_owned()
        } else {
            String::new()
        },
    };
    keep(b, Model { attributes, state, kind })
}
