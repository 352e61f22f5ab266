//! What is seen of a scene: shapes with their meshes, and where these are in the world as fields change.
//!
//! [`Shapes::of`] goes through a scene once; [`Shapes::points`] then gives the points of each shape in the world, for the present
//! values of the fields. `place.rs` has the groups above shapes, `geometry.rs` the meshes, `skin.rs` what joints do to a skin.

mod affine;
mod extrusion;
mod fields;
mod geometry;
mod joints;
mod lights;
mod mesh;
mod picks;
mod place;
mod pointing;
pub(crate) mod primitives;
mod senses;
mod skin;
mod texture;
mod touched;
mod viewer;

use animation::event::NodeId;
use animation::event::scene::EventScene;

use mesh::Mesh;
use place::{Frame, Place};
use skin::Skin;

pub use affine::Affine;
pub use fields::FieldValues;
pub(crate) use fields::Fields;
pub(crate) use geometry::mesh as geometry_mesh;
pub use joints::{JointPlace, Joints, UnknownJoint};
pub use lights::Lamp;
pub use picks::Picks;
pub(crate) use place::{InnerRoots, inner_roots};
pub use senses::Senses;
pub use touched::Touched;
pub use viewer::Viewer;

/// A shape.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The names (`DEF`) of the nodes that it stands under, its own last; nodes without a name count.
    pub path: String,
    /// The Shape node.
    pub node: NodeId,
    /// Triangles between its points.
    pub triangles: Vec<[u32; 3]>,
    /// Lines between its points.
    pub lines: Vec<[u32; 2]>,
    /// Number of points.
    pub n_points: usize,
    /// Red, green, blue and alpha, from 0 to 1.
    pub color: [f32; 4],
    place: u32,
    source: Source,
}

/// Where the points of a shape come from.
#[derive(Clone, Debug)]
enum Source {
    /// They never change in the shape's own coordinates.
    Fixed(Vec<[f64; 3]>),
    /// The points of a Coordinate node.
    Coordinates(NodeId),
    /// The same, moved by the displacers of a segment.
    Displaced(NodeId, Vec<NodeId>),
    /// The points of a skin: its number.
    Skin(usize),
}

/// All shapes of a scene.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    inner: InnerRoots,
    places: Vec<Place>,
    skins: Vec<Skin>,
    shapes: Vec<Shape>,
    /// Places of lights.
    lights: Vec<u32>,
}

impl Shapes {
    /// The shapes of a scene with the present values of its fields.
    pub fn of(scene: &EventScene, values: &dyn FieldValues) -> Self {
        let fields = Fields { scene, values };
        let inner = place::inner_roots(scene);
        let places = place::places(&fields, &inner);
        let skins = skin::skins(&fields, &places);
        let of_place = |(number, place): (usize, &Place)| {
            let place_node = (fields.type_name(place.node) == "Shape").then_some(place.node)?;
            let geometry = fields.node(place_node, "geometry").map(|g| body(&inner, g))?;
            shape(&fields, &inner, (&places, &skins), number as u32, geometry)
        };
        let shapes = places.iter().enumerate().filter_map(of_place).collect();
        let is_light = |k: &u32| lights::is_light(fields.type_name(places[*k as usize].node));
        let lights = (0..places.len() as u32).filter(is_light).collect();
        Self { inner, places, skins, shapes, lights }
    }

    /// All shapes in the order of the scene.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// Calls `put` with each shape and the color that its material and the lights that reach it give it now.
    pub fn colors(
        &self,
        scene: &EventScene,
        values: &dyn FieldValues,
        mut put: impl FnMut(&Shape, [f32; 4]),
    ) {
        let fields = Fields { scene, values };
        let mut light = Vec::new();
        if !self.lights.is_empty() {
            let mut frames: Vec<Frame> = Vec::with_capacity(self.places.len());
            place::frames(&fields, &self.places, &mut frames);
            let has_headlight = lights::has_headlight(&fields);
            self.points(scene, values, |number, points| {
                let place = self.shapes[number].place;
                let under = |group| is_under(&self.places, place, group);
                let at = (middle(points), has_headlight);
                light.push(lights::at(&fields, &self.places, &frames, &self.lights, at, under));
            });
        }
        for (number, shape) in self.shapes.iter().enumerate() {
            let light = light.get(number).copied().unwrap_or([1.0; 3]);
            put(shape, color(&fields, &self.inner, shape.node, !shape.triangles.is_empty(), light));
        }
    }

    /// Whether there are lights.
    pub fn has_lights(&self) -> bool {
        !self.lights.is_empty()
    }

    /// The PointLights that are on.
    pub fn lamps(&self, scene: &EventScene, values: &dyn FieldValues) -> Vec<Lamp> {
        let fields = Fields { scene, values };
        let mut frames: Vec<Frame> = Vec::with_capacity(self.places.len());
        place::frames(&fields, &self.places, &mut frames);
        lights::lamps(&fields, &self.places, &frames, &self.lights)
    }

    /// Calls `put` with the number of each shape and its points in the world \[m\]. A shape that is not seen now has all of its points
    /// in one place.
    pub fn points(
        &self,
        scene: &EventScene,
        values: &dyn FieldValues,
        mut put: impl FnMut(usize, &[[f64; 3]]),
    ) {
        let fields = Fields { scene, values };
        let mut frames: Vec<Frame> = Vec::with_capacity(self.places.len());
        place::frames(&fields, &self.places, &mut frames);
        let skins: Vec<Vec<[f64; 3]>> = self.skins.iter().map(|s| s.points(&fields, &frames)).collect();
        let mut world = Vec::new();
        for (number, shape) in self.shapes.iter().enumerate() {
            let frame = frames[shape.place as usize];
            let read;
            let local = match &shape.source {
                Source::Fixed(points) => points,
                Source::Coordinates(node) => {
                    read = fields.points(*node, "point");
                    &read
                }
                Source::Displaced(node, displacers) => {
                    let mut points = fields.points(*node, "point");
                    skin::displace(&fields, displacers, &mut points);
                    read = points;
                    &read
                }
                Source::Skin(skin) => &skins[*skin],
            };
            world.clear();
            let at = |k: usize| local.get(k).copied().unwrap_or_default();
            if frame.is_seen {
                world.extend((0..shape.n_points).map(|k| frame.map.apply(at(k))));
            } else {
                world.resize(shape.n_points, frame.map.offset);
            }
            put(number, &world);
        }
    }
}

/// The node that an instance of a prototype stands for, through all levels; another node itself.
pub(crate) fn body(inner: &InnerRoots, node: NodeId) -> NodeId {
    let mut at = node;
    // No prototype is within itself, so there are no more levels than instances.
    for _ in 0..inner.len() {
        let found = inner.binary_search_by_key(&at, |(node, _)| *node).ok();
        match found.and_then(|k| inner[k].1.first()) {
            Some(root) => at = *root,
            None => break,
        }
    }
    at
}

fn shape(
    fields: &Fields<'_>,
    inner: &InnerRoots,
    (places, skins): (&[Place], &[Skin]),
    place: u32,
    geometry: NodeId,
) -> Option<Shape> {
    let node = places[place as usize].node;
    let Mesh { points, triangles, lines } = geometry::mesh(fields, geometry)?;
    let coordinates = geometry::coordinates(fields, geometry);
    let skin =
        skins.iter().position(|s| Some(s.coordinates) == coordinates && is_under(places, place, s.humanoid));
    let n_points = points.len();
    let source = match (skin, coordinates) {
        (Some(skin), _) => Source::Skin(skin),
        (None, Some(node)) => match skin::displacers(fields, places, place, node) {
            displacers if displacers.is_empty() => Source::Coordinates(node),
            displacers => Source::Displaced(node, displacers),
        },
        (None, None) => Source::Fixed(points),
    };
    let is_surface = !triangles.is_empty();
    let (path, color) = (path(fields, places, place), color(fields, inner, node, is_surface, [1.0; 3]));
    Some(Shape { path, node, triangles, lines, n_points, color, place, source })
}

fn is_under(places: &[Place], mut place: u32, above: u32) -> bool {
    while place != above {
        match places[place as usize].parent {
            Some(parent) => place = parent,
            None => return false,
        }
    }
    true
}

/// Names on the way down, a number where a node has none.
fn path(fields: &Fields<'_>, places: &[Place], place: u32) -> String {
    let mut names = Vec::new();
    let mut at = Some(place);
    while let Some(number) = at.filter(|_| names.len() < 64) {
        let Place { node, parent, .. } = places[number as usize];
        let def = fields.scene.node(node).def.as_deref();
        if def.is_some() || number == place {
            names.push(def.map_or_else(|| format!("{}{}", fields.type_name(node), node.0), str::to_owned));
        }
        at = parent;
    }
    names.reverse();
    format!("/{}", names.join("/"))
}

/// The middle of points.
fn middle(points: &[[f64; 3]]) -> [f64; 3] {
    let n = points.len().max(1) as f64;
    std::array::from_fn(|k| points.iter().map(|p| p[k]).sum::<f64>() / n)
}

/// What a material makes of a surface in some light, or of lines and points, which glow.
fn color(
    fields: &Fields<'_>,
    inner: &InnerRoots,
    shape: NodeId,
    is_surface: bool,
    light: [f64; 3],
) -> [f32; 4] {
    let material = fields
        .node(shape, "appearance")
        .and_then(|a| fields.node(body(inner, a), "material"))
        .map(|m| body(inner, m));
    let Some(material) = material else { return [0.8, 0.8, 0.8, 1.0] };
    let glow = fields.three(material, "emissiveColor", [0.0; 3]);
    let name = match fields.type_name(material) {
        "UnlitMaterial" => "emissiveColor",
        "PhysicalMaterial" => "baseColor",
        _ if !is_surface => "emissiveColor",
        _ => "diffuseColor",
    };
    let own = fields.three(material, name, [0.8; 3]);
    let light = if name == "emissiveColor" { [1.0; 3] } else { light };
    let own: [f64; 3] = std::array::from_fn(|k| (own[k] * light[k]).min(1.0));
    let own = if is_surface { std::array::from_fn(|k| (own[k] + glow[k]).min(1.0)) } else { own };
    let alpha = 1.0 - fields.number(material, "transparency", 0.0).clamp(0.0, 1.0);
    [own[0] as f32, own[1] as f32, own[2] as f32, alpha as f32]
}

#[cfg(test)]
mod tests {
    use animation::event::field::Value;

    use super::*;
    use crate::{LoadOptions, load_text};

    fn scene(text: &str) -> EventScene {
        let text = format!("#X3D V4.0 utf8\nPROFILE Full\n{text}");
        load_text(&text, "a.x3dv", &LoadOptions::default()).unwrap_or_else(|d| panic!("{d:?}")).scene
    }

    fn points(scene: &EventScene) -> Vec<Vec<[f64; 3]>> {
        let mut all = Vec::new();
        Shapes::of(scene, scene).points(scene, scene, |_, points| all.push(points.to_vec()));
        all
    }

    #[test]
    fn displacers_of_a_segment_move_its_own_points() {
        let scene = scene(
            "HAnimHumanoid { name \"h\" skeleton HAnimJoint { name \"humanoid_root\" children HAnimSegment { name \"sacrum\"
               coord DEF C Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] }
               displacers [ HAnimDisplacer { coordIndex [ 1 2 ] displacements [ 0 0 1, 0 0 2 ] weight 0.5 }
                            HAnimDisplacer { coordIndex [ 0 ] displacements [ 9 9 9 ] } ]
               children [ Shape { geometry IndexedFaceSet { coordIndex [ 0 1 2 -1 ] coord USE C } }
                          Shape { geometry IndexedFaceSet { coordIndex [ 0 1 2 -1 ] coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] } } } ] } } }",
        );
        let all = points(&scene);
        assert_eq!(all[0], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [0.0, 1.0, 1.0]]);
        assert_eq!(all[1], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "not the segment's points");
    }

    #[test]
    fn joints_share_a_skin_wherever_the_file_lists_them() {
        let joint = |k: u32, more: &str| {
            format!(
                "DEF J{k} HAnimJoint {{ name \"j{k}\" {more} skinCoordIndex [ 0 1 2 ] skinCoordWeight [ 0.2 0.2 0.2 ] }}"
            )
        };
        let joints: Vec<String> =
            (0..5).map(|k| joint(k, if k == 4 { "translation 0 1 0" } else { "" })).collect();
        let uses = "USE J0 USE J1 USE J2 USE J3 USE J4";
        let skin = "skinCoord DEF C Coordinate { point [ 0 0 0, 2 0 0, 0 1 0 ] }
            skin Shape { geometry IndexedFaceSet { coordIndex [ 0 1 2 -1 ] coord USE C } }";
        // Five joints of a fifth each, of which one is moved by one: a fifth.
        for (first, second) in [("skeleton", "joints"), ("joints", "skeleton")] {
            let text =
                format!("HAnimHumanoid {{ {skin} {first} [ {} ] {second} [ {uses} ] }}", joints.join(" "));
            let [x, y, z] = points(&scene(&text))[0][..] else { panic!("three points") };
            let wanted = [[0.0, 0.2, 0.0], [2.0, 0.2, 0.0], [0.0, 1.2, 0.0]];
            let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-7);
            assert!([x, y, z].iter().zip(wanted).all(|(a, b)| near(*a, b)), "{first}: {x:?} {y:?} {z:?}");
        }
    }

    #[test]
    fn lights_make_brighter_what_they_reach() {
        let shape = |x: f32| {
            format!(
                "Transform {{ translation {x} 0 0 children Shape {{ appearance Appearance {{ material Material {{ diffuseColor 0.4 0.4 0.4 }} }} geometry Box {{ }} }} }}"
            )
        };
        let colors = |text: &str| {
            let scene = scene(text);
            let mut all = Vec::new();
            Shapes::of(&scene, &scene).colors(&scene, &scene, |_, color| all.push(color));
            all
        };
        let near = |a: [f32; 4], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        let lamp = "Transform { translation 5 3 0 children PointLight { color 1 0.5 0 radius 4 } }";
        let all = colors(&format!("{} {} {lamp}", shape(0.0), shape(5.0)));
        assert!(near(all[0], [0.4; 3]) && near(all[1], [0.8, 0.6, 0.4]), "{all:?}");
        // Without the viewer's light it is dark but for the lamp, which may be out; a light of its group lights the group only.
        let all = colors(&format!(
            "NavigationInfo {{ headlight FALSE }} {} Group {{ children [ DirectionalLight {{ intensity 0.5 }} {} ] }}",
            shape(0.0),
            shape(5.0)
        ));
        assert!(near(all[0], [0.06; 3]) && near(all[1], [0.26; 3]), "{all:?}");
        let all =
            colors(&format!("{} {}", shape(5.0), lamp.replace("PointLight {", "PointLight { on FALSE")));
        assert!(near(all[0], [0.4; 3]), "{all:?}");
        let spot = "SpotLight { location 0 0 5 direction 0 0 -1 cutOffAngle 0.2 attenuation 0 0 0.08 }";
        let all = colors(&format!("{} {} {spot}", shape(0.0), shape(5.0)));
        assert!(near(all[0], [0.6; 3]) && near(all[1], [0.4; 3]), "{all:?}");
    }

    #[test]
    fn shapes_in_layers_are_seen_and_a_level_of_detail_shows_its_level() {
        let set = "geometry PointSet { coord Coordinate { point [ 0 0 0, 1 0 0 ] } }";
        let mut scene = scene(&format!(
            "LayerSet {{ layers [ Layer {{ children Transform {{ translation 5 0 0 children Shape {{ {set} }} }} }} ] }}
             DEF L LOD {{ range [ 1 2 3 ] children [ Shape {{ {set} }} Shape {{ {set} }} ] }}"
        ));
        let is_seen = |points: &[[f64; 3]]| points[0] != points[1];
        let seen = |scene: &EventScene| points(scene).iter().map(|p| is_seen(p)).collect::<Vec<_>>();
        assert_eq!(points(&scene)[0], [[5.0, 0.0, 0.0], [6.0, 0.0, 0.0]]);
        assert_eq!(seen(&scene), [true, true, false]);
        let lod = scene.nodes.iter().position(|n| &*n.node_type.name == "LOD").expect("a LOD");
        let level = scene.nodes[lod].node_type.field("level_changed").expect("a field").0 as usize;
        // More levels than children: the last child.
        for k in [1, 3] {
            scene.nodes[lod].values[level] = Value::SFInt32(k);
            assert_eq!(seen(&scene), [true, false, true]);
        }
    }
}
