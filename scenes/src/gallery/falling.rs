//! `falling`: objects of five mechanical kinds fall into a bowl and come to rest in a heap.

use super::{GalleryError, GalleryScene, Parameter, Settings, Source};
use crate::element::{Element, numbers};

pub(super) const SCENE: GalleryScene = GalleryScene {
    name: "falling",
    summary: "Rigid and deformable objects of five kinds fall into a bowl and come to rest in a heap",
    parameters: &[
        Parameter { name: "objects", default: "40", summary: "number of objects" },
        Parameter { name: "seed", default: "1", summary: "changes how the objects are turned" },
        Parameter { name: "iterations", default: "25", summary: "conjugate gradient iterations a step" },
        Parameter {
            name: "groups",
            default: "1",
            summary: "1: objects that touch are solved together; 0: contacts are explicit, as in SOFA 26.06",
        },
        Parameter {
            name: "friction",
            default: "0.4",
            summary: "friction of the contacts; 0: none, as in SOFA",
        },
        Parameter {
            name: "response",
            default: "penalty",
            summary: "penalty: springs push objects apart; multipliers: Lagrange multipliers do, objects are rigid or of finite elements, which are solved directly, and of the other parameters `objects`, `seed` and `friction` count",
        },
        Parameter {
            name: "rolling",
            default: "0.2",
            summary: "rolling friction of the contacts, where they have friction; 0.4 is a quarter of the radius of a ball [m]; 0: none",
        },
        Parameter {
            name: "sleeping",
            default: "0.05",
            summary: "objects slower than this for half a second, by the root mean square of their points, are left alone [m/s]; 0: none is",
        },
        Parameter {
            name: "damping",
            default: "5",
            summary: "the rate at which objects almost at rest lose their speed, beside all other damping, where they may sleep [1/s]; 0: none",
        },
        Parameter {
            name: "braking",
            default: "4",
            summary: "the deceleration of objects almost at rest, beside all other damping, where they may sleep [m/s^2]; 0: none",
        },
    ],
    source: Source::Generator(make),
};

/// Distance of the objects at the start [m].
const SPACING: f64 = 4.2;
/// What is slower is damped [m/s]: soft bodies that swing, and what stands almost balanced.
const DAMPING_SPEED: f64 = 1.0;
/// How high the bowl's rim stands above the half sphere [m]: what lies on top of the heap does not roll out.
const RIM: f64 = 1.5;
/// Sweeps of the multipliers of a step, at most, and the error per row at which they end.
const SWEEPS: (usize, &str) = (50, "1e-4");
/// Mass of an object [kg].
const MASS: &str = "5";

/// A shape: its surface, the tetrahedra that fill it, and the half size of the box around it.
struct Shape {
    name: &'static str,
    surface: &'static str,
    volume: &'static str,
    half: [f64; 3],
}

const SHAPES: [Shape; 4] = [
    Shape {
        name: "torus",
        surface: "generated:torus?major=1.4&minor=0.54&around=25&across=10",
        volume: "generated:torus_tetrahedra?major=1.4&minor=0.54&around=24&across=2",
        half: [1.94, 0.54, 1.94],
    },
    Shape {
        name: "ball",
        surface: "generated:sphere?radius=1.5&frequency=5",
        volume: "generated:ball_tetrahedra?radius=1.5&frequency=3&layers=2",
        half: [1.5, 1.5, 1.5],
    },
    Shape {
        name: "knot",
        surface: "generated:knot?p=2&q=3&major=1.2&minor=0.54&tube=0.26&along=80&across=8",
        volume: "generated:knot_tetrahedra?p=2&q=3&major=1.2&minor=0.54&tube=0.26&along=60&across=1",
        half: [2.0, 0.8, 2.0],
    },
    Shape {
        name: "beam",
        surface: "generated:box?x=1&y=1&z=3.6&nx=4&ny=4&nz=14",
        volume: "generated:box_tetrahedra?x=1&y=1&z=3.6&nx=2&ny=2&nz=8",
        half: [0.5, 0.5, 1.8],
    },
];

#[derive(Clone, Copy)]
enum Kind {
    Rigid,
    Springs,
    Tetrahedra,
    Hexahedra,
    Grid,
}

const KINDS: [Kind; 5] = [Kind::Rigid, Kind::Springs, Kind::Tetrahedra, Kind::Hexahedra, Kind::Grid];
/// Springs that are pressed together make a matrix indefinite, and what is solved with it directly flies apart.
const KINDS_WITH_MULTIPLIERS: [Kind; 3] = [Kind::Rigid, Kind::Tetrahedra, Kind::Hexahedra];

/// What keeps objects apart.
#[derive(Clone, Copy, PartialEq)]
enum Response {
    /// Springs; objects are solved by so many iterations of a conjugate gradient.
    Penalty { iterations: usize },
    /// Lagrange multipliers; objects are solved directly.
    Multipliers,
}

impl Response {
    fn kinds(self) -> &'static [Kind] {
        match self {
            Response::Penalty { .. } => &KINDS,
            Response::Multipliers => &KINDS_WITH_MULTIPLIERS,
        }
    }

    /// The linear solver of an object, and how it gives way to multipliers.
    fn solving(self, kind: Kind) -> Vec<Element> {
        let (iterations, correction) = match (self, kind) {
            (Response::Penalty { iterations }, _) => (iterations, None),
            (Response::Multipliers, Kind::Rigid) => (25, Some("UncoupledConstraintCorrection")),
            (Response::Multipliers, _) => {
                return vec![
                    Element::new("SparseLDLSolver").with("template", "CompressedRowSparseMatrixd"),
                    Element::new("LinearSolverConstraintCorrection"),
                ];
            }
        };
        let gradient = Element::new("CGLinearSolver")
            .with("iterations", iterations)
            .with("tolerance", "1e-6")
            .with("threshold", "1e-10");
        std::iter::once(gradient).chain(correction.map(Element::new)).collect()
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Rigid => "rigid",
            Kind::Springs => "springs",
            Kind::Tetrahedra => "tetra",
            Kind::Hexahedra => "hexa",
            Kind::Grid => "grid",
        }
    }
    fn color(self) -> &'static str {
        match self {
            Kind::Rigid => "gray",
            Kind::Springs => "green",
            Kind::Tetrahedra => "red",
            Kind::Hexahedra => "blue",
            Kind::Grid => "yellow",
        }
    }
}

fn make(settings: &Settings) -> Result<Element, GalleryError> {
    let objects = settings.integer("objects", 1..=100_000)?;
    let seed = settings.integer("seed", 0..=usize::MAX)?;
    let iterations = settings.integer("iterations", 1..=100_000)?;
    let response = match settings.choice("response", &["penalty", "multipliers"])? {
        "multipliers" => Response::Multipliers,
        _ => Response::Penalty { iterations },
    };
    let groups = settings.integer("groups", 0..=1)? == 1;
    let friction = settings.real("friction", 0.0..=10.0)?;
    let rolling = settings.real("rolling", 0.0..=10.0)?;
    let sleeping = settings.real("sleeping", 0.0..=f64::INFINITY)?;
    let damping = settings.real("damping", 0.0..=f64::INFINITY)?;
    let braking = settings.real("braking", 0.0..=f64::INFINITY)?;
    // A hemisphere that the heap fills about half.
    let radius = (2.5 * (objects as f64).cbrt()).max(6.0);
    let mut root = Element::node("root").with("dt", "0.01").with("gravity", "0 -9.81 0");
    let collision = match response {
        Response::Penalty { .. } => collision(groups, friction, rolling),
        Response::Multipliers => collision_with_multipliers(friction),
    };
    collision.into_iter().for_each(|component| root.push(component));
    if sleeping > 0.0 && response != Response::Multipliers {
        let mut component = Element::new("Sleeping").with("speed", sleeping);
        for (name, value) in [("damping", damping), ("braking", braking)] {
            if value > 0.0 {
                component = component.with(name, value);
            }
        }
        if damping > 0.0 || braking > 0.0 {
            component = component.with("dampingSpeed", DAMPING_SPEED);
        }
        root.push(component);
    }
    for shape in &SHAPES {
        let loader = |class: &str, name: String, file: &str| {
            Element::new(class).with("name", name).with("filename", file)
        };
        root.push(loader("MeshOBJLoader", format!("{}_surface", shape.name), shape.surface));
        root.push(loader("MeshGmshLoader", format!("{}_volume", shape.name), shape.volume));
    }
    root.push(bowl(radius, response));
    let mut random = Random(seed as u64);
    let mut node = Element::node("objects");
    for (i, at) in places(objects, radius).into_iter().enumerate() {
        let kinds = response.kinds();
        let kind = kinds[i % kinds.len()];
        // Step through the shapes once per round of kinds, so that every kind gets every shape.
        let shape = &SHAPES[(i + i / kinds.len()) % SHAPES.len()];
        let rotation = [random.angle(), random.angle(), random.angle()];
        node.push(object(i, kind, shape, at, rotation, response));
    }
    root.push(node);
    Ok(root)
}

fn collision(groups: bool, friction: f64, rolling: f64) -> Vec<Element> {
    let mut response = Element::new("CollisionResponse").with("response", "PenalityContactForceField");
    if friction > 0.0 {
        response = response.with("friction", friction);
        if rolling > 0.0 {
            response = response.with("rollingFriction", rolling);
        }
    }
    let mut all = vec![
        Element::new("DefaultAnimationLoop"),
        Element::new("CollisionPipeline"),
        Element::new("BruteForceBroadPhase"),
        Element::new("BVHNarrowPhase"),
        Element::new("NewProximityIntersection").with("alarmDistance", "0.3").with("contactDistance", "0.2"),
        response,
    ];
    if groups {
        all.push(Element::new("CollisionGroupManager"));
    }
    all
}

fn collision_with_multipliers(friction: f64) -> Vec<Element> {
    let (sweeps, tolerance) = SWEEPS;
    vec![
        Element::new("FreeMotionAnimationLoop"),
        Element::new("BlockGaussSeidelConstraintSolver")
            .with("maxIterations", sweeps)
            .with("tolerance", tolerance),
        Element::new("CollisionPipeline"),
        Element::new("BruteForceBroadPhase"),
        Element::new("BVHNarrowPhase"),
        Element::new("NewProximityIntersection").with("alarmDistance", "0.1").with("contactDistance", "0.05"),
        Element::new("CollisionResponse")
            .with("response", "FrictionContactConstraint")
            .with("responseParams", format!("mu={friction}")),
    ]
}

fn bowl(radius: f64, response: Response) -> Element {
    let around = (4.0 * radius) as usize;
    let file = format!(
        "generated:bowl?radius={}&thickness=0.5&around={around}&rings={}&rim={RIM}",
        radius + 0.5,
        around / 4
    );
    Element::node("bowl")
        .child(Element::new("MeshOBJLoader").with("name", "loader").with("filename", file))
        .child(Element::new("MeshTopology").with("src", "@loader"))
        .child(Element::new("MechanicalObject").with("src", "@loader"))
        .child(surface_model(response).with("simulated", 0).with("moving", 0))
        .child(
            Element::node("seen")
                .child(Element::new("OglModel").with("src", "@../loader").with("color", "0.8 0.8 0.9 0.4")),
        )
}

fn surface_model(response: Response) -> Element {
    let model = Element::new("TriangleCollisionModel");
    match response {
        Response::Penalty { .. } => model.with("contactStiffness", "20"),
        Response::Multipliers => model,
    }
}

/// Places above the bowl: layers of a hexagonal lattice, from the inside out. Where a bowl is so small that a layer about one
/// place has no second one, it has the three about their middle: objects fall side by side rather than as a tower.
fn places(objects: usize, radius: f64) -> Vec<[f64; 3]> {
    let reach = (radius - 2.4).max(0.1);
    let n = (reach / SPACING) as i32 + 1;
    let mut layer = Vec::new();
    let third = if objects > 1 && reach < SPACING { 1.0 / 3.0 } else { 0.0 };
    for r in -2 * n..=2 * n {
        for q in -2 * n..=2 * n {
            let (q, r) = (f64::from(q) + third, f64::from(r) + third);
            let x = SPACING * (q + r / 2.0);
            let z = SPACING * r * 3f64.sqrt() / 2.0;
            if x * x + z * z <= reach * reach {
                layer.push((x * x + z * z, x, z));
            }
        }
    }
    layer.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |i: usize| {
        let (_, x, z) = layer[i % layer.len()];
        [x, SPACING * (i / layer.len()) as f64 - radius / 2.0 + 3.0, z]
    };
    (0..objects).map(at).collect()
}

fn object(
    i: usize,
    kind: Kind,
    shape: &Shape,
    at: [f64; 3],
    rotation: [f64; 3],
    response: Response,
) -> Element {
    let (translation, rotation) = (numbers(at), numbers(rotation));
    let moved = |e: Element| e.with("translation", &translation).with("rotation", &rotation);
    let source = |what: &str| format!("@/{}_{what}", shape.name);
    let mut node = Element::node(&format!("{}{i}", kind.name())).child(
        Element::new("EulerImplicitSolver").with("rayleighStiffness", "0.02").with("rayleighMass", "1"),
    );
    response.solving(kind).into_iter().for_each(|component| node.push(component));
    let state = moved(Element::new("MechanicalObject").with("name", "dofs"));
    let mass = Element::new("UniformMass").with("totalMass", MASS);
    let mut mapping = Element::new("BarycentricMapping");
    // A mapped state is placed by its mapping if that keeps what is local, else it starts where it belongs.
    let mut surface = Element::new("MechanicalObject").with("src", source("surface"));
    match kind {
        Kind::Rigid => {
            node.push(state.with("template", "Rigid3"));
            node.push(mass);
            mapping = Element::new("RigidMapping");
        }
        Kind::Springs | Kind::Tetrahedra => {
            node.push(Element::new("MeshTopology").with("src", source("volume")));
            node.push(state);
            node.push(mass);
            node.push(match kind {
                Kind::Springs => Element::new("MeshSpringForceField")
                    .with("tetrasStiffness", "400")
                    .with("tetrasDamping", "2"),
                _ => Element::new("TetrahedronFEMForceField")
                    .with("youngModulus", "3000")
                    .with("poissonRatio", "0.3")
                    .with("method", "large"),
            });
            surface = moved(surface);
        }
        Kind::Hexahedra | Kind::Grid => {
            node.push(grid(shape));
            node.push(state);
            node.push(mass);
            node.push(match kind {
                Kind::Grid => {
                    Element::new("RegularGridSpringForceField").with("stiffness", "200").with("damping", "2")
                }
                _ => Element::new("HexahedronFEMForceField")
                    .with("youngModulus", "2000")
                    .with("poissonRatio", "0.3")
                    .with("method", "large"),
            });
        }
    }
    node.child(
        Element::node("surface")
            .child(Element::new("MeshTopology").with("src", source("surface")))
            .child(surface)
            .child(surface_model(response))
            .child(mapping.clone())
            .child(
                Element::node("seen")
                    .child(
                        Element::new("OglModel").with("src", source("surface")).with("color", kind.color()),
                    )
                    .child(Element::new("IdentityMapping")),
            ),
    )
}

/// A grid of about cubic cells around a shape, a little larger than it.
fn grid(shape: &Shape) -> Element {
    let half = shape.half.map(|h| h * 1.02);
    let n = shape.half.map(|h| ((2.0 * h / 0.9).round() as usize).max(1) + 1);
    Element::new("RegularGridTopology")
        .with("n", numbers(n))
        .with("min", numbers(half.map(|h| -h)))
        .with("max", numbers(half))
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
