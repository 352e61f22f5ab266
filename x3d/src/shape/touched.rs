//! What a pointing device's ray meets of the shapes, as the sensors that listen to them measure it.

use animation::event::NodeId;
use animation::event::scene::EventScene;
use animation::rig::math::vector::{cross, dot, sub, unit_or};

use super::fields::{FieldValues, Fields};
use super::place::{self, Frame};
use super::{Affine, Shapes, body, geometry, pointing, texture};

/// A place on a shape that sensors listen to.
#[derive(Clone, Debug, PartialEq)]
pub struct Touched {
    /// The sensors that listen to the shape.
    pub sensors: Vec<NodeId>,
    /// From the world to the sensors' coordinates.
    pub map: Affine,
    /// The place, in the sensors' coordinates \[m\].
    pub point: [f64; 3],
    /// The normal of the triangle there, in the sensors' coordinates, of length 1; it looks out of the shape.
    pub normal: [f64; 3],
    /// Texture coordinates there; zero where the shape has none.
    pub tex_coord: [f64; 2],
}

/// The nearest triangle that a ray meets.
struct Nearest {
    depth: f64,
    shape: usize,
    triangle: usize,
    corners: [[f64; 3]; 3],
    /// Shares of the corners in the place.
    weights: [f64; 3],
}

impl Shapes {
    /// What a ray from a place in the world meets first; none where it meets nothing, or a shape to which no sensor listens.
    ///
    /// # Cost
    /// All points, and the triangles of the shapes whose box the ray meets.
    pub fn touched(
        &self,
        scene: &EventScene,
        values: &dyn FieldValues,
        origin: [f64; 3],
        direction: [f64; 3],
    ) -> Option<Touched> {
        let mut nearest: Option<Nearest> = None;
        self.points(scene, values, |shape, points| {
            if !may_meet(points, origin, direction) {
                return;
            }
            for (triangle, t) in self.shapes[shape].triangles.iter().enumerate() {
                let corners = t.map(|k| points[k as usize]);
                let Some((depth, weights)) = meets(origin, direction, &corners) else { continue };
                if nearest.as_ref().is_none_or(|n| depth < n.depth) {
                    nearest = Some(Nearest { depth, shape, triangle, corners, weights });
                }
            }
        });
        self.as_sensed(&Fields { scene, values }, origin, direction, &nearest?)
    }

    /// From the world to the coordinates of a pointing device sensor; none where it does not stand in the scene.
    pub fn map_to(&self, scene: &EventScene, values: &dyn FieldValues, sensor: NodeId) -> Option<Affine> {
        let fields = Fields { scene, values };
        let stands = self.places.iter().position(|place| place.node == sensor)?;
        let mut frames: Vec<Frame> = Vec::with_capacity(self.places.len());
        place::frames(&fields, &self.places, &mut frames);
        frames[stands].map.inverse()
    }

    fn as_sensed(
        &self,
        fields: &Fields<'_>,
        origin: [f64; 3],
        direction: [f64; 3],
        at: &Nearest,
    ) -> Option<Touched> {
        let shape = &self.shapes[at.shape];
        let (group, sensors) = pointing::sensors(fields, &self.places, shape.place)?;
        let mut frames: Vec<Frame> = Vec::with_capacity(self.places.len());
        place::frames(fields, &self.places, &mut frames);
        let map = group.map_or(Affine::IDENTITY, |group| frames[group as usize].map).inverse()?;
        let [a, b, c] = at.corners.map(|corner| map.apply(corner));
        // A mirror between the shape and its sensors turns triangles to the other side.
        let own = map.after(&frames[shape.place as usize].map);
        let side = if determinant(&own.linear) < 0.0 { -1.0 } else { 1.0 };
        let normal = unit_or(cross(sub(b, a), sub(c, a)), [0.0; 3]).map(|x| side * x);
        let place = std::array::from_fn(|k| origin[k] + at.depth * direction[k]);
        let tex_coord = fields.node(shape.node, "geometry").and_then(|geometry| {
            let geometry = body(&self.inner, geometry);
            let mesh = geometry::mesh(fields, geometry)?;
            let touched = texture::Touched { mesh: &mesh, triangle: at.triangle, weights: at.weights };
            texture::coordinates(fields, &self.inner, geometry, &touched)
        });
        let tex_coord = tex_coord.unwrap_or_default();
        Some(Touched { sensors, map, point: map.apply(place), normal, tex_coord })
    }
}

fn determinant([a, b, c]: &[[f64; 3]; 3]) -> f64 {
    dot(*a, cross(*b, *c))
}

/// Whether a ray meets the box around points.
fn may_meet(points: &[[f64; 3]], origin: [f64; 3], direction: [f64; 3]) -> bool {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in points {
        low = std::array::from_fn(|k| low[k].min(p[k]));
        high = std::array::from_fn(|k| high[k].max(p[k]));
    }
    let (mut near, mut far) = (0.0_f64, f64::INFINITY);
    for k in 0..3 {
        if direction[k] == 0.0 {
            if origin[k] < low[k] || origin[k] > high[k] {
                return false;
            }
            continue;
        }
        let [a, b] = [low[k], high[k]].map(|c| (c - origin[k]) / direction[k]);
        (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
    }
    near <= far
}

/// Where along a ray it meets a triangle from either side, and the corners' shares in that place.
///
/// **Source:** Möller and Trumbore, *Fast, Minimum Storage Ray-Triangle Intersection* (1997).
fn meets(origin: [f64; 3], direction: [f64; 3], [a, b, c]: &[[f64; 3]; 3]) -> Option<(f64, [f64; 3])> {
    let (u, v) = (sub(*b, *a), sub(*c, *a));
    let p = cross(direction, v);
    let determinant = dot(u, p);
    if determinant.abs() < 1e-300 {
        return None;
    }
    let from = sub(origin, *a);
    let s = dot(from, p) / determinant;
    let q = cross(from, u);
    let t = dot(direction, q) / determinant;
    let depth = dot(v, q) / determinant;
    (s >= 0.0 && t >= 0.0 && s + t <= 1.0 && depth > 0.0).then_some((depth, [1.0 - s - t, s, t]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoadOptions, load_text};

    fn scene(text: &str) -> EventScene {
        let text = format!("#X3D V4.0 utf8\nPROFILE Full\n{text}");
        load_text(&text, "a.x3dv", &LoadOptions::default()).unwrap_or_else(|d| panic!("{d:?}")).scene
    }

    fn touched(text: &str, origin: [f64; 3], direction: [f64; 3]) -> Option<Touched> {
        let scene = scene(text);
        Shapes::of(&scene, &scene).touched(&scene, &scene, origin, direction)
    }

    fn is_near<const N: usize>(a: [f64; N], b: [f64; N]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6)
    }

    #[test]
    fn a_place_on_a_box_is_measured_where_its_sensor_stands() {
        // The group is turned by a quarter about z: its x looks up in the world.
        let text = "Transform { translation 5 0 0 rotation 0 0 1 1.5707963267948966
            children [ DEF T TouchSensor { } Transform { scale 1 1 -1 children Shape { geometry Box { } } } ] }";
        let down = touched(text, [5.2, 9.0, 0.3], [0.0, -1.0, 0.0]).expect("it is met");
        assert_eq!(down.sensors.len(), 1);
        assert!(is_near(down.point, [1.0, -0.2, 0.3]), "{down:?}");
        assert!(is_near(down.normal, [1.0, 0.0, 0.0]), "a mirror does not turn it inside out: {down:?}");
        let front = touched(text, [5.2, 0.0, 9.0], [0.0, 0.0, -1.0]).expect("it is met");
        assert!(
            is_near(front.point, [0.0, -0.2, 1.0]) && is_near(front.normal, [0.0, 0.0, 1.0]),
            "{front:?}"
        );
        assert_eq!(touched(text, [9.0, 9.0, 0.0], [0.0, -1.0, 0.0]), None, "beside it");
        let hidden = format!("Group {{ children Shape {{ geometry Sphere {{ radius 20 }} }} }} {text}");
        assert_eq!(
            touched(&hidden, [5.2, 0.0, 90.0], [0.0, 0.0, -1.0]),
            None,
            "a wall without a sensor is before it"
        );
    }

    #[test]
    fn a_sensors_map_is_that_of_the_group_that_it_stands_in() {
        let scene = scene(
            "Transform { translation 5 0 0 children [ DEF T TouchSensor { } Shape { geometry Box { } } ] }",
        );
        let sensor = scene.nodes.iter().position(|n| &*n.node_type.name == "TouchSensor").expect("a sensor");
        let shapes = Shapes::of(&scene, &scene);
        let map = shapes.map_to(&scene, &scene, NodeId(sensor as u32)).expect("it stands there");
        assert_eq!(map.apply([6.0, 0.0, 0.0]), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn texture_coordinates_are_the_files_or_those_that_x3d_gives_a_geometry() {
        let at = |geometry: &str, x: f64, y: f64| {
            let text = format!("Group {{ children [ TouchSensor {{ }} Shape {{ geometry {geometry} }} ] }}");
            touched(&text, [x, y, 9.0], [0.0, 0.0, -1.0]).map(|t| t.tex_coord)
        };
        let square = "coord Coordinate { point [ 0 0 0, 2 0 0, 2 1 0, 0 1 0 ] } coordIndex [ 0 1 2 3 -1 ]";
        let close = |found: Option<[f64; 2]>, wanted| {
            assert!(found.is_some_and(|f| is_near(f, wanted)), "{found:?} {wanted:?}")
        };
        // Without any: the longer side is 1 long.
        close(at(&format!("IndexedFaceSet {{ {square} }}"), 1.0, 0.25), [0.5, 0.125]);
        let own = "texCoord TextureCoordinate { point [ 0 0, 4 0, 4 4, 0 4, 9 9 ] }";
        close(at(&format!("IndexedFaceSet {{ {square} {own} }}"), 1.0, 0.25), [2.0, 1.0]);
        close(
            at(&format!("IndexedFaceSet {{ {square} {own} texCoordIndex [ 4 4 4 4 -1 ] }}"), 1.0, 0.25),
            [9.0, 9.0],
        );
        let two =
            "coord Coordinate { point [ 0 0 0, 2 0 0, 2 1 0, 0 1 0 ] } coordIndex [ 0 1 3 -1 1 2 3 -1 ]";
        close(
            at(&format!("IndexedFaceSet {{ {two} {own} texCoordIndex [ 4 4 4 -1 0 0 0 -1 ] }}"), 1.9, 0.9),
            [0.0, 0.0],
        );
        close(
            at(&format!("IndexedFaceSet {{ {two} {own} texCoordIndex [ 4 4 4 -1 0 0 0 -1 ] }}"), 0.1, 0.1),
            [9.0, 9.0],
        );
        close(at("Box { size 4 2 2 }", 1.0, 0.5), [0.75, 0.75]);
        close(at("Sphere { }", 0.0, 0.0), [0.5, 0.5]);
        close(at("Cylinder { }", 0.0, 0.5), [0.5, 0.75]);
        close(
            at(
                "TriangleSet { coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] } texCoord TextureCoordinate { point [ 0 0, 1 0, 0 1 ] } }",
                0.25,
                0.5,
            ),
            [0.25, 0.5],
        );
    }
}
