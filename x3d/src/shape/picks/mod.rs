//! What the geometries of pick sensors meet: geometry against geometry, in the sensor's coordinates.
//!
//! Each shape under a target is met or not by itself, and its geometry node is what is picked. With `BOUNDS` it counts as the box around its
//! points, along the axes of its own coordinates. What is not shown now is not met. Points lie in a geometry that is closed. Of lines the distance
//! is that from a line's first point, of other geometry that from its middle, of a cone from its tip. Texture coordinates are not found out.
//!
//! **Source:** ISO/IEC 19775-1, clause 38, *Picking component*.

mod meet;

use std::sync::Arc;

use animation::event::NodeId;
use animation::event::field::Value;
use animation::event::host::HostEvent;
use animation::event::nodes::sensors::PICK_SENSORS;
use animation::event::scene::EventScene;

use super::fields::{FieldValues, Fields};
use super::mesh::Mesh;
use super::place::{self, Frame};
use super::{Affine, Shapes, body, geometry};
use meet::Target;

/// The pick sensors of a scene.
#[derive(Clone, Debug, Default)]
pub struct Picks {
    sensors: Vec<NodeId>,
}

/// Where something is met: points with normals.
type Places = Vec<([f64; 3], [f64; 3])>;

/// What is met of one shape.
struct Met {
    geometry: NodeId,
    distance: f64,
    points: Places,
}

impl Picks {
    /// Whether a type of nodes finds what a geometry meets.
    pub fn are_of(type_name: &str) -> bool {
        PICK_SENSORS.contains(&type_name)
    }

    /// Adds a sensor.
    pub fn add(&mut self, sensor: NodeId) {
        self.sensors.push(sensor);
    }

    /// Keeps the sensors that are still there.
    pub fn retain(&mut self, is_there: impl Fn(NodeId) -> bool) {
        self.sensors.retain(|node| is_there(*node));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sensors.is_empty()
    }

    /// Tells each sensor that is switched on what it meets now.
    pub fn tell(
        &self,
        scene: &EventScene,
        values: &dyn FieldValues,
        mut tell: impl FnMut(NodeId, HostEvent),
    ) {
        let fields = Fields { scene, values };
        let is_on = |node: &&NodeId| fields.flag(**node, "enabled", true);
        if self.sensors.iter().find(is_on).is_none() {
            return;
        }
        // Groups may have other children than before, so all of them are gone through.
        let shapes = Shapes::of(scene, values);
        let mut world: Vec<Vec<[f64; 3]>> = Vec::with_capacity(shapes.shapes.len());
        shapes.points(scene, values, |_, points| world.push(points.to_vec()));
        let mut frames: Vec<Frame> = Vec::with_capacity(shapes.places.len());
        place::frames(&fields, &shapes.places, &mut frames);
        for sensor in self.sensors.iter().filter(is_on) {
            let look = Look { fields: &fields, shapes: &shapes, world: &world, frames: &frames };
            let found = look.found(*sensor).unwrap_or_default();
            let single = |p: [f64; 3]| p.map(|c| c as f32);
            let points = found.iter().flat_map(|m| &m.points);
            let event = HostEvent::Picked {
                geometry: found.iter().map(|m| Some(m.geometry)).collect(),
                points: points.clone().map(|p| single(p.0)).collect::<Arc<[_]>>(),
                normals: points.map(|p| single(p.1)).collect::<Arc<[_]>>(),
            };
            tell(*sensor, event);
        }
    }
}

/// All that there is to be met.
struct Look<'a> {
    fields: &'a Fields<'a>,
    shapes: &'a Shapes,
    world: &'a [Vec<[f64; 3]>],
    frames: &'a [Frame],
}

impl Look<'_> {
    /// What a sensor meets, in the order that it asks for; none where it has no geometry or no place in the world.
    fn found(&self, sensor: NodeId) -> Option<Vec<Met>> {
        let fields = self.fields;
        let text = |name: &str| match fields.get(sensor, name) {
            Some(Value::SFString(text)) => text,
            _ => "".into(),
        };
        let types = self.words(sensor, "objectType");
        if types.iter().any(|t| &**t == "NONE") {
            return None;
        }
        let picking = body(&self.shapes.inner, fields.node(sensor, "pickingGeometry")?);
        let mesh = geometry::mesh(fields, picking)?;
        let place = self.shapes.places.iter().position(|p| p.node == sensor);
        let own = place.map_or(Affine::IDENTITY, |k| self.frames[k].map).inverse()?;
        let by_bounds = &*text("intersectionType") != "GEOMETRY";
        let targets = fields.nodes(sensor, "pickTarget");
        let criterion = text("matchCriterion");
        let order = text("sortOrder");
        let is_any = &*order == "ANY";
        let mut all = Vec::new();
        for (number, shape) in self.shapes.shapes.iter().enumerate() {
            let frame = &self.frames[shape.place as usize];
            if !frame.is_seen || !self.is_target(shape.place, &targets, &types, &criterion) {
                continue;
            }
            let Some(geometry) = fields.node(shape.node, "geometry") else { continue };
            let target = if by_bounds {
                Target::bounds(&self.world[number], frame.map, own)
            } else {
                let points = self.world[number].iter().map(|p| own.apply(*p)).collect();
                Some(Target::mesh(points, shape.triangles.clone()))
            };
            let Some(target) = target else { continue };
            let met = self.met(sensor, picking, &mesh, &target);
            if let Some((distance, points)) = met {
                all.push(Met { geometry, distance, points });
                if is_any {
                    break;
                }
            }
        }
        Some(self.in_order(sensor, &order, all))
    }

    fn words(&self, node: NodeId, name: &str) -> Vec<Arc<str>> {
        match self.fields.get(node, name) {
            Some(Value::MFString(words)) => words.to_vec(),
            _ => vec!["ALL".into()],
        }
    }

    /// Whether a shape stands under one of a sensor's targets, and may be picked by a sensor of these types.
    fn is_target(&self, place: u32, targets: &[NodeId], types: &[Arc<str>], criterion: &str) -> bool {
        let (mut is_under, mut theirs) = (false, None);
        let mut at = Some(place);
        while let Some(here) = at.map(|k| &self.shapes.places[k as usize]) {
            is_under |= targets.contains(&here.node);
            if self.fields.type_name(here.node) == "PickableGroup" {
                if !self.fields.flag(here.node, "pickable", true) {
                    return false;
                }
                // The nearest one says what it is.
                theirs.get_or_insert_with(|| self.words(here.node, "objectType"));
            }
            at = here.parent;
        }
        let theirs = theirs.unwrap_or_else(|| vec!["ALL".into()]);
        if !is_under || theirs.iter().any(|t| &**t == "NONE") {
            return false;
        }
        if theirs.iter().chain(types).any(|t| &**t == "ALL") {
            return true;
        }
        let common = types.iter().filter(|t| theirs.contains(t)).count();
        match criterion {
            "MATCH_EVERY" => common == types.len(),
            "MATCH_ONLY_ONE" => common == 1,
            _ => common > 0,
        }
    }

    /// How far away a target is, and where it is met; none if it is not.
    fn met(&self, sensor: NodeId, picking: NodeId, mesh: &Mesh, target: &Target) -> Option<(f64, Places)> {
        let fields = self.fields;
        match fields.type_name(sensor) {
            "LinePickSensor" => {
                let lines = mesh.lines.iter().map(|l| l.map(|k| mesh.points[k as usize]));
                let mut hits: Vec<meet::Hit> = lines.flat_map(|[a, b]| target.hits(a, b)).collect();
                hits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
                let first = hits.first()?.distance;
                Some((first, hits.into_iter().map(|h| (h.point, h.normal)).collect()))
            }
            "PointPickSensor" => {
                let inside = mesh.points.iter().filter(|p| target.contains(**p));
                let points: Vec<_> = inside.map(|p| (*p, [0.0; 3])).collect();
                (!points.is_empty()).then_some((0.0, points))
            }
            _ => {
                let is_ball = fields.type_name(picking) == "Sphere";
                let is_met = if is_ball {
                    target.meets_ball(fields.number(picking, "radius", 1.0))
                } else {
                    target.meets(&Target::mesh(mesh.points.clone(), mesh.triangles.clone()))
                };
                let from = match fields.type_name(picking) {
                    "Cone" => [0.0, fields.number(picking, "height", 2.0) / 2.0, 0.0],
                    "Box" | "Cylinder" | "Sphere" => [0.0; 3],
                    _ => meet::middle(&mesh.points),
                };
                is_met.then(|| (target.distance(from), Vec::new()))
            }
        }
    }

    /// What was met as `sortOrder` has it: one, the closest one, all, or all by distance. Of the closest one the first point counts.
    fn in_order(&self, sensor: NodeId, order: &str, mut all: Vec<Met>) -> Vec<Met> {
        // A point is no way away from what it lies in.
        let is_point = self.fields.type_name(sensor) == "PointPickSensor";
        match order {
            "ALL" => {}
            "ALL_SORTED" => all.sort_by(|a, b| a.distance.total_cmp(&b.distance)),
            "ANY" => all.truncate(1),
            _ => {
                all.sort_by(|a, b| a.distance.total_cmp(&b.distance));
                all.truncate(1);
                if let Some(met) = all.first_mut().filter(|_| !is_point) {
                    met.points.truncate(1);
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests;
