//! `crates`: boxes, capsules and cylinders fall into a tray and come to rest in a heap.

use std::f64::consts::PI;

use super::{GalleryError, GalleryScene, Parameter, Settings, Source};
use crate::element::{Element, numbers};

pub(super) const SCENE: GalleryScene = GalleryScene {
    name: "crates",
    summary: "Crates, rolls and barrels fall into a tray and come to rest in a heap",
    parameters: &[
        Parameter { name: "objects", default: "40", summary: "number of objects" },
        Parameter { name: "seed", default: "1", summary: "changes how the objects are turned" },
        Parameter { name: "friction", default: "0.5", summary: "friction of the contacts" },
        Parameter {
            name: "rolling",
            default: "0.02",
            summary: "rolling friction of the contacts [m]; 0: none",
        },
        Parameter {
            name: "response",
            default: "penalty",
            summary: "penalty: springs push objects apart; multipliers: Lagrange multipliers do, without rolling friction and sleep",
        },
        Parameter {
            name: "sleeping",
            default: "0.02",
            summary: "objects slower than this for half a second are left alone [m/s]; 0: none is",
        },
    ],
    source: Source::Generator(make),
};

/// Distance of the objects at the start [m].
const SPACING: f64 = 1.1;
/// Distance at which surfaces touch, and from which on contacts are looked for [m].
const CONTACT: [f64; 2] = [0.02, 0.06];
/// Mass of an object [kg].
const MASS: f64 = 2.0;
/// The root of the stiffness of a contact times the distance at which surfaces touch.
const STIFFNESS: &str = "40";
/// What is slower is damped [m/s], at this rate [1/s] and with this deceleration [m/s^2].
const DAMPING: [f64; 3] = [0.3, 3.0, 1.0];
/// Height and thickness of the tray's walls [m].
const WALL: [f64; 2] = [1.0, 0.5];

fn make(settings: &Settings) -> Result<Element, GalleryError> {
    let objects = settings.integer("objects", 1..=100_000)?;
    let seed = settings.integer("seed", 0..=usize::MAX)?;
    let friction = settings.real("friction", 0.0..=10.0)?;
    let rolling = settings.real("rolling", 0.0..=10.0)?;
    let with_multipliers = settings.choice("response", &["penalty", "multipliers"])? == "multipliers";
    let sleeping = settings.real("sleeping", 0.0..=f64::INFINITY)?;
    let mut root = Element::node("root").with("dt", "0.01").with("gravity", "0 -9.81 0");
    let [contact, alarm] = CONTACT;
    let mut response = Element::new("CollisionResponse");
    if with_multipliers {
        root.push(Element::new("FreeMotionAnimationLoop"));
        root.push(
            Element::new("UnbuiltGaussSeidelConstraintSolver")
                .with("maxIterations", 50)
                .with("tolerance", "1e-5"),
        );
        response = response
            .with("response", "FrictionContactConstraint")
            .with("responseParams", format!("mu={friction}"));
    } else {
        root.push(Element::new("DefaultAnimationLoop"));
        response = response.with("response", "PenalityContactForceField");
        if friction > 0.0 {
            response = response.with("friction", friction);
            if rolling > 0.0 {
                response = response.with("rollingFriction", rolling);
            }
        }
    }
    for component in [
        Element::new("CollisionPipeline"),
        Element::new("BruteForceBroadPhase"),
        Element::new("BVHNarrowPhase"),
        Element::new("NewProximityIntersection")
            .with("alarmDistance", alarm)
            .with("contactDistance", contact),
        response,
    ] {
        root.push(component);
    }
    if !with_multipliers {
        root.push(Element::new("CollisionGroupManager"));
        if sleeping > 0.0 {
            let [below, rate, braking] = DAMPING;
            root.push(
                Element::new("Sleeping")
                    .with("speed", sleeping)
                    .with("damping", rate)
                    .with("braking", braking)
                    .with("dampingSpeed", below),
            );
        }
    }
    // So wide that the heap is about as high as its walls.
    let across = ((objects as f64 / 3.0).sqrt().ceil() as usize).max(2);
    root.push(tray(across as f64 * SPACING / 2.0 + 0.2));
    let mut random = Random(seed as u64);
    let mut node = Element::node("objects");
    for i in 0..objects {
        let (x, y, z) = (i % across, i / (across * across), i / across % across);
        let middle = (across - 1) as f64 / 2.0;
        let place = |k: usize| (k as f64 - middle) * SPACING;
        let at = [place(x), 0.8 + y as f64 * SPACING, place(z)];
        let rotation = [random.angle(), random.angle(), random.angle()];
        node.push(object(i, at, rotation, with_multipliers));
    }
    root.push(node);
    Ok(root)
}

/// A floor and four walls: boxes that do not move.
fn tray(half: f64) -> Element {
    let [height, thick] = WALL;
    let outer = half + thick;
    let (up, side) = (height / 2.0, half + thick / 2.0);
    let walls = [
        ([0.0, -thick / 2.0, 0.0], [outer, thick / 2.0, outer]),
        ([-side, up, 0.0], [thick / 2.0, up, outer]),
        ([side, up, 0.0], [thick / 2.0, up, outer]),
        ([0.0, up, -side], [half, up, thick / 2.0]),
        ([0.0, up, side], [half, up, thick / 2.0]),
    ];
    let frames = walls.iter().flat_map(|(at, _)| at.iter().copied().chain([0.0, 0.0, 0.0, 1.0]));
    let extents = walls.iter().flat_map(|(_, extents)| *extents);
    Element::node("tray")
        .child(Element::new("MechanicalObject").with("template", "Rigid3").with("position", numbers(frames)))
        .child(
            Element::new("OBBCollisionModel")
                .with("extents", numbers(extents))
                .with("simulated", 0)
                .with("moving", 0)
                .with("contactStiffness", STIFFNESS),
        )
}

/// What an object collides as, its volume [m^3], and its moments of inertia relative to its mass [m^2].
fn shape(i: usize) -> (&'static str, Element, f64, [f64; 3]) {
    // A little of each size.
    let scale = 0.8 + 0.1 * (i / 3 % 4) as f64;
    match i % 3 {
        0 => {
            let [x, y, z] = [0.35, 0.25, 0.3].map(|h| h * scale);
            let squares = [y * y + z * z, x * x + z * z, x * x + y * y];
            let model = Element::new("OBBCollisionModel").with("extents", numbers([x, y, z]));
            ("crate", model, 8.0 * x * y * z, squares.map(|s| s / 3.0))
        }
        1 => {
            let (r, h) = (0.18 * scale, 0.5 * scale);
            let model = Element::new("CapsuleCollisionModel").with("radii", r).with("heights", h);
            let (cylinder, ball) = (PI * r * r * h, 4.0 / 3.0 * PI * r * r * r);
            let whole = cylinder + ball;
            let along = (cylinder * r * r / 2.0 + ball * 0.4 * r * r) / whole;
            let across = (cylinder * (h * h / 12.0 + r * r / 4.0)
                + ball * (0.4 * r * r + h * h / 4.0 + 0.375 * h * r))
                / whole;
            ("roll", model, whole, [across, along, across])
        }
        _ => {
            let (r, h) = (0.28 * scale, 0.6 * scale);
            let model = Element::new("CylinderCollisionModel").with("radii", r).with("heights", h);
            let across = h * h / 12.0 + r * r / 4.0;
            ("barrel", model, PI * r * r * h, [across, r * r / 2.0, across])
        }
    }
}

fn object(i: usize, at: [f64; 3], rotation: [f64; 3], with_multipliers: bool) -> Element {
    let (name, model, volume, [x, y, z]) = shape(i);
    let mass = numbers([MASS, volume, x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z]);
    let node = Element::node(&format!("{name}{i}"))
        .child(
            Element::new("EulerImplicitSolver").with("rayleighStiffness", "0.02").with("rayleighMass", "0.1"),
        )
        .child(
            Element::new("CGLinearSolver")
                .with("iterations", 25)
                .with("tolerance", "1e-8")
                .with("threshold", "1e-12"),
        )
        .child(
            Element::new("MechanicalObject")
                .with("name", "dofs")
                .with("template", "Rigid3")
                .with("translation", numbers(at))
                .with("rotation", numbers(rotation)),
        )
        .child(Element::new("UniformMass").with("vertexMass", mass))
        .child(model.with("contactStiffness", STIFFNESS));
    if with_multipliers {
        return node
            .child(Element::new("UncoupledConstraintCorrection").with("useOdeSolverIntegrationFactors", 0));
    }
    node
}

/// A small generator of pseudo-random numbers (splitmix64): the same scene on every machine.
struct Random(u64);

impl Random {
    /// An angle in whole degrees.
    fn angle(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % 360) as f64
    }
}
