//! The scenes on which MCEE was measured, as generators.
//!
//! **Source:** Technicolor, *MCEE*, Web3D 2013, section 5.2. An event is one delivery along one route.

use std::sync::Arc;

use diagnostics::Location;

use super::field::{Access, Value};
use super::ids::{ContextId, FieldId, NodeId};
use super::scene::{Alias, Context, ContextKind, EventScene, FieldDeclaration, Node, NodeType, Route};

/// A graph that is being written, node by node.
pub struct SceneBuilder {
    /// What was written so far.
    pub scene: EventScene,
    /// The context that nodes come into.
    pub context: ContextId,
}

impl Default for SceneBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl SceneBuilder {
    /// A graph of one context without nodes.
    pub fn new() -> Self {
        let file = Context {
            kind: ContextKind::File,
            parent: None,
            file: "".into(),
            roots: Vec::new(),
            imports: Vec::new(),
            metadata: Vec::new(),
            declared: Arc::default(),
        };
        Self { scene: EventScene { contexts: vec![file], ..EventScene::default() }, context: ContextId(0) }
    }

    /// Adds a node of a type, with the type's default values.
    pub fn node(&mut self, node_type: &Arc<NodeType>, def: impl AsRef<str>) -> NodeId {
        let id = NodeId(self.scene.nodes.len() as u32);
        self.scene.nodes.push(Node {
            node_type: node_type.clone(),
            def: Some(def.as_ref().into()),
            values: node_type.fields.iter().map(|f| f.default.clone()).collect(),
            context: self.context,
            location: nowhere(),
        });
        self.scene.contexts[self.context.0 as usize].roots.push(id);
        id
    }

    /// Begins a context in the present one.
    pub fn enter(&mut self, kind: ContextKind) {
        let (parent, roots, imports, metadata) = (Some(self.context), Vec::new(), Vec::new(), Vec::new());
        let (file, declared) = ("".into(), Arc::default());
        self.scene.contexts.push(Context { kind, parent, file, roots, imports, metadata, declared });
        self.context = ContextId(self.scene.contexts.len() as u32 - 1);
    }

    /// Sets a field of a node.
    ///
    /// # Panics
    /// If the node has no such field.
    pub fn set(&mut self, node: NodeId, field: &str, value: Value) {
        let (_, FieldId(k)) = self.field(node, field);
        self.scene.nodes[node.0 as usize].values[k as usize] = value;
    }

    /// A field by its name.
    ///
    /// # Panics
    /// If the node has no such field.
    pub fn field(&self, node: NodeId, field: &str) -> (NodeId, FieldId) {
        let found = self.scene.node(node).node_type.field(field);
        (node, found.expect("a field of the node's type"))
    }

    /// Adds a route.
    ///
    /// # Panics
    /// If a node has no such field.
    pub fn route(&mut self, from: NodeId, output: &str, to: NodeId, input: &str) {
        let (from, to) = (self.field(from, output), self.field(to, input));
        self.scene.routes.push(Route {
            from,
            to,
            sides: [true; 2],
            older_names: [None, None],
            location: nowhere(),
        });
    }
}

fn nowhere() -> Location {
    Location { file: "".into(), line: 0, column: 0 }
}

/// A type of nodes from its fields: name, access and default.
pub fn node_type(name: &str, fields: &[(&str, Access, Value)]) -> Arc<NodeType> {
    let declaration = |(name, access, default): &(&str, Access, Value)| FieldDeclaration {
        name: (*name).into(),
        field_type: default.field_type(),
        access: *access,
        default: default.clone(),
    };
    let fields = fields.iter().map(declaration).collect();
    Arc::new(NodeType { name: name.into(), fields, is_prototype: false })
}

/// X3D's TimeSensor; one that is generated runs from time 0 in circles of a second.
pub fn time_sensor() -> Arc<NodeType> {
    use Access::{InputOutput, OutputOnly};
    node_type(
        "TimeSensor",
        &[
            ("enabled", InputOutput, Value::SFBool(true)),
            ("cycleInterval", InputOutput, Value::SFTime(1.0)),
            ("loop", InputOutput, Value::SFBool(true)),
            ("startTime", InputOutput, Value::SFTime(0.0)),
            ("stopTime", InputOutput, Value::SFTime(0.0)),
            ("pauseTime", InputOutput, Value::SFTime(0.0)),
            ("resumeTime", InputOutput, Value::SFTime(0.0)),
            ("isActive", OutputOnly, Value::SFBool(false)),
            ("isPaused", OutputOnly, Value::SFBool(false)),
            ("cycleTime", OutputOnly, Value::SFTime(0.0)),
            ("elapsedTime", OutputOnly, Value::SFTime(0.0)),
            ("fraction_changed", OutputOnly, Value::SFFloat(0.0)),
            ("time", OutputOnly, Value::SFTime(0.0)),
        ],
    )
}

/// One of X3D's interpolators, with empty lists of keys.
pub fn interpolator(name: &str, values: Value, out: Value) -> Arc<NodeType> {
    use Access::{InputOnly, InputOutput, OutputOnly};
    node_type(
        name,
        &[
            ("set_fraction", InputOnly, Value::SFFloat(0.0)),
            ("key", InputOutput, Value::MFFloat([].into())),
            ("keyValue", InputOutput, values),
            ("value_changed", OutputOnly, out),
        ],
    )
}

/// X3D's OrientationInterpolator.
pub fn orientation_interpolator() -> Arc<NodeType> {
    let out = Value::SFRotation([0.0, 0.0, 1.0, 0.0]);
    interpolator("OrientationInterpolator", Value::MFRotation([].into()), out)
}

/// X3D's PositionInterpolator.
pub fn position_interpolator() -> Arc<NodeType> {
    interpolator("PositionInterpolator", Value::MFVec3f([].into()), Value::SFVec3f([0.0; 3]))
}

/// What moves: Transform, HAnimJoint and HAnimHumanoid have these fields.
pub fn moving(name: &str) -> Arc<NodeType> {
    use Access::InputOutput;
    node_type(
        name,
        &[
            ("translation", InputOutput, Value::SFVec3f([0.0; 3])),
            ("rotation", InputOutput, Value::SFRotation([0.0, 0.0, 1.0, 0.0])),
            ("scale", InputOutput, Value::SFVec3f([1.0; 3])),
        ],
    )
}

/// Numbers in 0..1, the same for the same seed.
pub struct Numbers(pub u64);

impl Numbers {
    /// The next one.
    pub fn draw(&mut self) -> f32 {
        // Steele, Lea, Flood: SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 24) as f32
    }
}

fn even_keys(n: usize) -> Value {
    Value::MFFloat((0..n).map(|k| k as f32 / (n - 1) as f32).collect())
}

fn rotations(n: usize, numbers: &mut Numbers) -> Value {
    let one = |_| {
        let axis = [numbers.draw() - 0.5, numbers.draw() - 0.5, numbers.draw() - 0.5 + 1e-3];
        let length = axis.iter().map(|v| v * v).sum::<f32>().sqrt();
        [axis[0] / length, axis[1] / length, axis[2] / length, 3.0 * numbers.draw()]
    };
    Value::MFRotation((0..n).map(one).collect())
}

fn positions(n: usize, numbers: &mut Numbers) -> Value {
    Value::MFVec3f((0..n).map(|_| [numbers.draw(), numbers.draw(), numbers.draw()]).collect())
}

/// Keys of an interpolator of the paper's scenes 1 and 3.
const KEYS: usize = 12;

/// Scene 1: 3,200 objects, a TimeSensor, 3,200 OrientationInterpolators and 1,248 PositionInterpolators. 8,896 events a frame: the paper prints
/// 5,708, which does not fit its counts of the other two scenes.
pub fn scene_1() -> EventScene {
    let mut b = SceneBuilder::new();
    let mut numbers = Numbers(1);
    let clock = b.node(&time_sensor(), "Clock");
    let (turning, moving_by) = (orientation_interpolator(), position_interpolator());
    let object = moving("Transform");
    for k in 0..3200 {
        let at = b.node(&object, format!("Object{k}"));
        let turn = b.node(&turning, format!("Turn{k}"));
        b.set(turn, "key", even_keys(KEYS));
        b.set(turn, "keyValue", rotations(KEYS, &mut numbers));
        b.route(clock, "fraction_changed", turn, "set_fraction");
        b.route(turn, "value_changed", at, "rotation");
        if k < 1248 {
            let way = b.node(&moving_by, format!("Way{k}"));
            b.set(way, "key", even_keys(KEYS));
            b.set(way, "keyValue", positions(KEYS, &mut numbers));
            b.route(clock, "fraction_changed", way, "set_fraction");
            b.route(way, "value_changed", at, "translation");
        }
    }
    b.scene
}

/// Scene 2: a TimeSensor and 63 shapes with 48,855 vertices in all, each with a CoordinateInterpolator and a NormalInterpolator: 252 events a frame.
pub fn scene_2() -> EventScene {
    const SHAPES: usize = 63;
    const VERTICES: usize = 48_855;
    const KEYS: usize = 4;
    let mut b = SceneBuilder::new();
    let mut numbers = Numbers(2);
    let clock = b.node(&time_sensor(), "Clock");
    let list = || Value::MFVec3f([].into());
    let [points, normals] =
        ["CoordinateInterpolator", "NormalInterpolator"].map(|n| interpolator(n, list(), list()));
    let field = |name| [(name, Access::InputOutput, list())];
    let (coordinate, normal) =
        (node_type("Coordinate", &field("point")), node_type("Normal", &field("vector")));
    for k in 0..SHAPES {
        let n = VERTICES * (k + 1) / SHAPES - VERTICES * k / SHAPES;
        for (of, to, name, input) in
            [(&points, &coordinate, "Points", "point"), (&normals, &normal, "Normals", "vector")]
        {
            let from = b.node(of, format!("{name}{k}"));
            b.set(from, "key", even_keys(KEYS));
            b.set(from, "keyValue", positions(KEYS * n, &mut numbers));
            let to = b.node(to, format!("Shape{k}{name}"));
            b.route(clock, "fraction_changed", from, "set_fraction");
            b.route(from, "value_changed", to, input);
        }
    }
    b.scene
}

/// How the humanoids of scene 3 stand in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// All in one file.
    Flat,
    /// Each is an instance of a prototype, whose `startTime` is that of its TimeSensors.
    Prototypes,
    /// Each is an inlined file.
    Inlines,
    /// Each is an instance in a file that is inlined.
    Nested,
}

/// Scene 3: humanoids with two TimeSensors, 54 OrientationInterpolators and a PositionInterpolator each. The paper has 1,000 of them: 110,000 events a
/// frame.
pub fn scene_3(humanoids: usize) -> EventScene {
    scene_3_as(humanoids, Nesting::Flat)
}

/// [`scene_3`] in another form. Nodes of humanoids come in the same order, behind those that hold them.
pub fn scene_3_as(humanoids: usize, nesting: Nesting) -> EventScene {
    let mut b = SceneBuilder::new();
    let mut numbers = Numbers(3);
    let types = [
        time_sensor(),
        orientation_interpolator(),
        position_interpolator(),
        moving("HAnimJoint"),
        moving("HAnimHumanoid"),
    ];
    let start = [("startTime", Access::InputOutput, Value::SFTime(0.0))];
    let instance = Arc::new(NodeType { is_prototype: true, ..(*node_type("Humanoid", &start)).clone() });
    let inline = node_type("Inline", &[("load", Access::InputOutput, Value::SFBool(true))]);
    for h in 0..humanoids {
        let mut holder = None;
        if matches!(nesting, Nesting::Inlines | Nesting::Nested) {
            let node = b.node(&inline, format!("Inline{h}"));
            b.enter(ContextKind::Inline(node));
        }
        if matches!(nesting, Nesting::Prototypes | Nesting::Nested) {
            let node = b.node(&instance, format!("Instance{h}"));
            holder = Some(node);
            b.enter(ContextKind::Prototype(node));
        }
        let clocks = humanoid(&mut b, h, &types, &mut numbers);
        if let Some(node) = holder {
            for clock in clocks {
                let (outer, inner) = (b.field(node, "startTime"), b.field(clock, "startTime"));
                b.scene.aliases.push(Alias { outer, inner });
            }
        }
        b.context = ContextId(0);
    }
    b.scene
}

/// A humanoid; yields its TimeSensors.
fn humanoid(
    b: &mut SceneBuilder,
    h: usize,
    types: &[Arc<NodeType>; 5],
    numbers: &mut Numbers,
) -> [NodeId; 2] {
    let [clock, turning, moving_by, joint, humanoid] = types;
    let body = b.node(humanoid, format!("H{h}"));
    let limbs = b.node(clock, format!("H{h}_limbs"));
    let walk = b.node(clock, format!("H{h}_walk"));
    let interval = Value::SFTime(1.0 + f64::from(numbers.draw()));
    b.set(limbs, "cycleInterval", interval.clone());
    b.set(walk, "cycleInterval", interval);
    for k in 0..54 {
        let at = b.node(joint, format!("H{h}_joint{k}"));
        let turn = b.node(turning, format!("H{h}_turn{k}"));
        b.set(turn, "key", even_keys(KEYS));
        b.set(turn, "keyValue", rotations(KEYS, numbers));
        b.route(limbs, "fraction_changed", turn, "set_fraction");
        b.route(turn, "value_changed", at, "rotation");
    }
    let way = b.node(moving_by, format!("H{h}_way"));
    b.set(way, "key", even_keys(KEYS));
    b.set(way, "keyValue", positions(KEYS, numbers));
    b.route(walk, "fraction_changed", way, "set_fraction");
    b.route(way, "value_changed", body, "translation");
    [limbs, walk]
}
