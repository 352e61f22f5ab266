//! Rigid bodies of an X3D file as a scene: a RigidBodyCollection becomes a tree of elements, as the parser yields it for a scene file.
//!
//! A body is a frame (`Rigid3`) at its center of mass, which its own integrator moves freely; contacts and joints correct the motion by
//! Lagrange multipliers. What of it collides is mapped to the frame.

mod joints;

use animation::event::scene::EventScene;
use x3d::bodies::{Body, BodySystem, Collidable, Contacts, Pose, Solid};

use crate::element::{Element, numbers};

/// Where a body's center of mass is when its simulation begins, and its velocity and angular velocity \[m/s, rad/s\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The frame of the center of mass.
    pub center: Pose,
    /// Velocity, and angular velocity.
    pub velocity: [[f64; 3]; 2],
}

impl Start {
    /// Of a body as its fields say.
    pub fn of(body: &Body) -> Self {
        Self { center: body.center_at(&body.pose), velocity: body.velocity }
    }
}

/// How near surfaces come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distances {
    /// Between surfaces that touch \[m\]. Balls, boxes and cylinders are smaller by half of it on all sides, so that they touch where
    /// the file has their surfaces.
    pub contact: f64,
    /// How far what moves may come in a step without passing through what it meets \[m\].
    pub step: f64,
}

/// The distance of contacts, in parts of the smallest half extent of what collides.
const CONTACT: f64 = 0.04;
/// The same for how far what moves may come in a step.
const STEP: f64 = 0.1;
/// Fewer sweeps than this end too early for a stack, whatever a file says.
const LEAST_SWEEPS: u32 = 50;
/// Sweeps where time does not matter.
const MANY_SWEEPS: u32 = 2000;

impl Distances {
    /// Those of a collection; none where nothing collides.
    pub fn of(system: &BodySystem) -> Option<Self> {
        let of_bodies = system.bodies.iter().flat_map(|b| &b.collidables).filter(|c| c.collides);
        let solids = of_bodies.chain(&system.obstacles).filter_map(|c| c.solid.as_ref());
        let smallest = solids.map(Solid::half_extent).fold(f64::INFINITY, f64::min);
        smallest.is_finite().then_some(Self { contact: CONTACT * smallest, step: STEP * smallest })
    }
}

/// The name of a body's node.
pub fn body_name(number: usize) -> String {
    format!("body{number}")
}

/// The force on a body's center of mass, and the torque, as a frame's force is written.
pub fn load(system: &BodySystem, body: &Body) -> String {
    let gravity = if body.has_gravity { system.gravity.map(|g| g * body.mass) } else { [0.0; 3] };
    let [force, torque] = body.load;
    numbers((0..3).map(|k| force[k] + gravity[k]).chain(torque))
}

/// The scene of a collection whose bodies begin at `starts`.
pub fn elements(scene: &EventScene, system: &BodySystem, starts: &[Start], dt: f64) -> Element {
    let distances = Distances::of(system);
    let (sweeps, tolerance) = if system.is_accurate {
        (system.sweeps.max(MANY_SWEEPS), "1e-10")
    } else {
        (system.sweeps.max(LEAST_SWEEPS), "1e-6")
    };
    let mut root = Element::node("root").with("dt", dt).with("gravity", "0 0 0");
    root.push(Element::new("FreeMotionAnimationLoop"));
    root.push(
        Element::new("BlockGaussSeidelConstraintSolver")
            .with("maxIterations", sweeps)
            .with("tolerance", tolerance),
    );
    if let Some(distances) = distances {
        collision(&mut root, system, distances);
    }
    let groups = joints::groups(system);
    let at = |node| scene.node(node).location.clone();
    for (number, (body, start)) in system.bodies.iter().zip(starts).enumerate() {
        let mut element = frame(number, system, body, start);
        for (k, collidable) in body.collidables.iter().enumerate().filter(|(_, c)| c.collides) {
            let Some((solid, distances)) = collidable.solid.as_ref().zip(distances) else { continue };
            let center = body.center_of_mass.map(|c| -c);
            let place = collidable.solid_place;
            let place = Pose { position: std::array::from_fn(|i| center[i] + place.position[i]), ..place };
            let model = Model { groups: &groups[number], is_moved: !body.is_fixed, is_mapped: true };
            element.push(collides(&format!("shape{k}"), solid, &place, distances, &model));
        }
        joints::anchors(&mut element, system, Some(number));
        element.location = at(body.node);
        root.push(element);
    }
    for (k, Collidable { node, solid, solid_place, .. }) in system.obstacles.iter().enumerate() {
        let Some((solid, distances)) = solid.as_ref().zip(distances) else { continue };
        let model = Model { groups: "", is_moved: false, is_mapped: false };
        let mut element = collides(&format!("obstacle{k}"), solid, solid_place, distances, &model);
        element.location = at(*node);
        root.push(element);
    }
    let mut world = Element::node("world");
    joints::anchors(&mut world, system, None);
    if !world.children.is_empty() {
        root.push(world);
    }
    joints::constraints(&mut root, system, &at);
    root
}

/// What finds contacts, and what these do.
fn collision(root: &mut Element, system: &BodySystem, distances: Distances) {
    let Distances { contact, step } = distances;
    let Contacts { friction, bounce, least_bounce_speed } = system.contacts;
    let parameters = format!("mu={friction}&bounce={bounce}&bounceSpeed={least_bounce_speed}&onSurfaces=1");
    root.push(Element::new("CollisionPipeline"));
    root.push(Element::new("BruteForceBroadPhase"));
    root.push(Element::new("BVHNarrowPhase"));
    root.push(
        Element::new("NewProximityIntersection")
            .with("alarmDistance", contact + step)
            .with("contactDistance", contact)
            .with("exactEdges", 1),
    );
    root.push(
        Element::new("CollisionResponse")
            .with("response", "FrictionContactConstraint")
            .with("responseParams", parameters),
    );
}

/// A body without what collides.
fn frame(number: usize, system: &BodySystem, body: &Body, start: &Start) -> Element {
    let Start { center, velocity: [linear, angular] } = start;
    let position = center.position.into_iter().chain(center.orientation);
    let mut element = Element::node(&body_name(number));
    if !body.is_fixed {
        element.push(Element::new("EulerImplicitSolver"));
        element.push(Element::new("SparseLDLSolver").with("template", "CompressedRowSparseMatrixd"));
    }
    element.push(
        Element::new("MechanicalObject")
            .with("name", "dofs")
            .with("template", "Rigid3")
            .with("position", numbers(position))
            .with("velocity", numbers(linear.iter().chain(angular))),
    );
    if !body.is_fixed {
        let mass = [body.mass, 1.0].into_iter().chain(body.inertia.map(|i| i / body.mass));
        element.push(Element::new("UniformMass").with("vertexMass", numbers(mass)).with("gyroscopic", "1"));
        element
            .push(Element::new("ConstantForceField").with("name", "load").with("forces", load(system, body)));
        element.push(Element::new("LinearSolverConstraintCorrection"));
    }
    element
}

/// What collision models are told.
struct Model<'a> {
    /// Models that share a group do not collide.
    groups: &'a str,
    /// Whether a solver moves it.
    is_moved: bool,
    /// Whether it hangs on a frame; else it stands in the world.
    is_mapped: bool,
}

impl Model<'_> {
    fn element(&self, class: &str) -> Element {
        let mut element = Element::new(class);
        if !self.groups.is_empty() {
            element = element.with("group", self.groups);
        }
        if !self.is_moved {
            element = element.with("simulated", 0);
        }
        if !self.is_mapped {
            element = element.with("moving", 0);
        }
        element
    }
}

/// A solid that collides.
fn collides(name: &str, solid: &Solid, place: &Pose, distances: Distances, model: &Model<'_>) -> Element {
    let within = 0.5 * distances.contact;
    let mut node = Element::node(name);
    match (solid, solid.surface(within)) {
        (Solid::Ball(radius), _) => {
            let frame = place.position.into_iter().chain(place.orientation);
            node.push(
                Element::new("MechanicalObject").with("template", "Rigid3").with("position", numbers(frame)),
            );
            node.push(model.element("SphereCollisionModel").with("radius", radius - within));
        }
        (_, Some(surface)) => {
            let points = surface.points.iter().flat_map(|p| place.apply(*p));
            let points = numbers(points);
            let triangles = numbers(surface.triangles.iter().flatten());
            node.push(Element::new("MeshTopology").with("position", &points).with("triangles", triangles));
            node.push(Element::new("MechanicalObject").with("position", points));
            node.push(model.element("TriangleCollisionModel"));
        }
        (_, None) => {}
    }
    if model.is_mapped {
        node.push(Element::new("RigidMapping"));
    }
    node
}
