//! `bricks`: a dry wall that stands by friction alone, until a ball comes; for measuring many contacts with multipliers.

use super::{GalleryError, GalleryScene, Parameter, Settings, Source};
use crate::element::{Element, numbers};

pub(super) const SCENE: GalleryScene = GalleryScene {
    name: "bricks",
    summary: "A wall of bricks without mortar stands by friction, until a ball breaks through it",
    parameters: &[
        Parameter { name: "courses", default: "6", summary: "layers of bricks" },
        Parameter { name: "length", default: "7", summary: "bricks side by side in a layer" },
        Parameter { name: "walls", default: "1", summary: "walls, one behind the other" },
        Parameter { name: "friction", default: "0.6", summary: "coefficient of friction" },
        Parameter { name: "sweeps", default: "50", summary: "sweeps of the multipliers of a step, at most" },
        Parameter {
            name: "solver",
            default: "unbuilt",
            summary: "unbuilt: multipliers are swept over by the velocities of bricks; built: over a matrix of compliances",
        },
        Parameter {
            name: "ball",
            default: "1",
            summary: "1: a ball flies into the first wall; 0: none does",
        },
    ],
    source: Source::Generator(make),
};

/// Length, height and depth of a brick [m].
const BRICK: [f64; 3] = [1.0, 0.4, 0.5];
/// Distance of neighbors in a layer [m]; they do not touch.
const GAP: f64 = 0.06;
/// Distance at which surfaces touch [m].
const CONTACT: f64 = 0.02;
/// Distance from which on contacts are looked for [m].
const ALARM: f64 = 0.04;
/// Distance of walls [m].
const BETWEEN_WALLS: f64 = 4.0;
/// Mass of a brick and of the ball [kg].
const MASSES: [f64; 2] = [2.0, 40.0];
/// The ball's radius [m], its distance from the wall [m], and its speed [m/s].
const BALL: [f64; 3] = [0.6, 6.0, 12.0];
/// The error per row at which sweeps end.
const TOLERANCE: &str = "1e-5";

const COLORS: [&str; 3] = ["0.7 0.3 0.2", "0.6 0.25 0.2", "0.75 0.4 0.3"];

fn make(settings: &Settings) -> Result<Element, GalleryError> {
    let courses = settings.integer("courses", 1..=1000)?;
    let length = settings.integer("length", 1..=10_000)?;
    let walls = settings.integer("walls", 1..=1000)?;
    let friction = settings.real("friction", 0.0..=10.0)?;
    let sweeps = settings.integer("sweeps", 1..=100_000)?;
    let solver = match settings.choice("solver", &["unbuilt", "built"])? {
        "built" => "BlockGaussSeidelConstraintSolver",
        _ => "UnbuiltGaussSeidelConstraintSolver",
    };
    let has_ball = settings.integer("ball", 0..=1)? == 1;
    let [x, y, z] = BRICK;
    let width = length as f64 * (x + GAP);
    let mut root = Element::node("root").with("dt", "0.01").with("gravity", "0 -9.81 0");
    for component in [
        Element::new("FreeMotionAnimationLoop"),
        Element::new(solver).with("maxIterations", sweeps).with("tolerance", TOLERANCE),
        Element::new("CollisionPipeline"),
        Element::new("BruteForceBroadPhase"),
        Element::new("BVHNarrowPhase"),
        Element::new("NewProximityIntersection")
            .with("alarmDistance", ALARM)
            .with("contactDistance", CONTACT)
            .with("exactEdges", 1),
        Element::new("CollisionResponse")
            .with("response", "FrictionContactConstraint")
            .with("responseParams", format!("mu={friction}")),
        Element::new("MeshOBJLoader")
            .with("name", "brick")
            .with("filename", format!("generated:box?x={x}&y={y}&z={z}&nx=1&ny=1&nz=1")),
        Element::new("MeshOBJLoader")
            .with("name", "sphere")
            .with("filename", format!("generated:sphere?radius={}&frequency=5", BALL[0])),
    ] {
        root.push(component);
    }
    root.push(floor(width, walls as f64 * BETWEEN_WALLS));
    let mut node = Element::node("wall");
    for wall in 0..walls {
        for course in 0..courses {
            // Each other layer is half a brick further on.
            let shift = if course % 2 == 0 { 0.0 } else { (x + GAP) / 2.0 };
            for i in 0..length {
                let at = [
                    (x + GAP) * i as f64 + shift - width / 2.0,
                    (y + CONTACT) * course as f64 + CONTACT + y / 2.0,
                    -BETWEEN_WALLS * wall as f64,
                ];
                let name = format!("brick{}", (wall * courses + course) * length + i);
                node.push(brick(&name, at, COLORS[(i + 2 * course) % COLORS.len()]));
            }
        }
    }
    root.push(node);
    if has_ball {
        root.push(ball(courses as f64 * y / 2.0));
    }
    Ok(root)
}

/// What falls and collides: an integrator, and how it gives way.
fn body(name: &str, at: [f64; 3], mass: &str, velocity: [f64; 3]) -> Element {
    let position = at.into_iter().chain([0.0, 0.0, 0.0, 1.0]);
    let velocity = velocity.into_iter().chain([0.0; 3]);
    Element::node(name)
        .child(Element::new("EulerImplicitSolver"))
        .child(
            Element::new("CGLinearSolver")
                .with("iterations", 25)
                .with("tolerance", "1e-9")
                .with("threshold", "1e-12"),
        )
        .child(
            Element::new("MechanicalObject")
                .with("name", "dofs")
                .with("template", "Rigid3")
                .with("position", numbers(position))
                .with("velocity", numbers(velocity)),
        )
        .child(Element::new("UniformMass").with("vertexMass", mass))
        // An unbuilt solver, as SOFA's, does without the integrator's factors: these are those of an implicit Euler method.
        .child(Element::new("UncoupledConstraintCorrection").with("useOdeSolverIntegrationFactors", 0))
}

fn brick(name: &str, at: [f64; 3], color: &str) -> Element {
    let [x, y, z] = BRICK;
    let inertia = [y * y + z * z, x * x + z * z, x * x + y * y].map(|squares| squares / 12.0);
    let mass = rigid_mass(MASSES[0], x * y * z, inertia);
    body(name, at, &mass, [0.0; 3]).child(
        Element::node("surface")
            .child(Element::new("MeshTopology").with("src", "@/brick"))
            .child(Element::new("MechanicalObject").with("src", "@/brick"))
            .child(Element::new("TriangleCollisionModel"))
            .child(Element::new("RigidMapping"))
            .child(
                Element::node("seen")
                    .child(Element::new("OglModel").with("src", "@/brick").with("color", color))
                    .child(Element::new("IdentityMapping")),
            ),
    )
}

fn ball(height: f64) -> Element {
    let [radius, distance, speed] = BALL;
    let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    let mass = rigid_mass(MASSES[1], volume, [0.4 * radius * radius; 3]);
    body("ball", [0.0, height.max(radius + CONTACT), distance], &mass, [0.0, 0.0, -speed])
        .child(Element::new("SphereCollisionModel").with("radius", radius))
        .child(
            Element::node("seen")
                .child(Element::new("OglModel").with("src", "@/sphere").with("color", "0.3 0.3 0.35"))
                .child(Element::new("RigidMapping")),
        )
}

/// Mass, volume, and the matrix of inertia per mass, as `vertexMass` reads them.
fn rigid_mass(mass: f64, volume: f64, [x, y, z]: [f64; 3]) -> String {
    numbers([mass, volume, x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z])
}

fn floor(width: f64, depth: f64) -> Element {
    let (half, front) = (width / 2.0 + 12.0, 10.0);
    let (back, thickness) = (front + depth + 14.0, 1.0);
    let file = format!("generated:box?x={}&y={thickness}&z={back}&nx=1&ny=1&nz=1", 2.0 * half);
    let translation = [0.0, -thickness / 2.0, front - back / 2.0];
    Element::node("floor")
        .child(
            Element::new("MeshOBJLoader")
                .with("name", "loader")
                .with("filename", file)
                .with("translation", numbers(translation)),
        )
        .child(Element::new("MeshTopology").with("src", "@loader"))
        .child(Element::new("MechanicalObject").with("src", "@loader"))
        .child(Element::new("TriangleCollisionModel").with("simulated", 0).with("moving", 0))
        .child(
            Element::node("seen")
                .child(Element::new("OglModel").with("src", "@../loader").with("color", "0.7 0.7 0.7")),
        )
}
