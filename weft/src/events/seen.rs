//! An event graph as it is looked at: its shapes as surfaces whose points are given anew with each frame.

use std::sync::Arc;

use animation::event::field::Value;
use animation::event::{FieldId, NodeId};
use sim_core::math::Vec3;
use viewer::surface::{Color, Faces, Look, Motion, Role, Rows, Surface};
use viewer::viewed::Viewed;
use x3d::shape::{FieldValues, Shape, Shapes};

use super::EventSimulation;

/// Down, for who looks: X3D's worlds stand on the xz plane.
const DOWN: [f64; 3] = [0.0, -9.81, 0.0];

/// What a window needs to know of the shapes.
pub fn viewed(title: &str, shapes: &Shapes) -> Viewed {
    Viewed {
        title: title.to_owned(),
        surfaces: surfaces(shapes).map(Arc::new).collect(),
        gravity: Vec3::from(DOWN),
        ..Viewed::default()
    }
}

/// The surfaces of all shapes.
pub fn surfaces(shapes: &Shapes) -> impl Iterator<Item = Surface> {
    shapes.shapes().iter().enumerate().map(|(k, shape)| surface(k, shape))
}

fn surface(number: usize, shape: &Shape) -> Surface {
    let faces = Faces { lines: shape.lines.clone(), ..Faces::new(shape.triangles.clone(), Vec::new()) };
    Surface {
        path: shape.path.clone(),
        role: Role::Visual,
        object: Some(number as u32),
        motion: Motion::Points(number, shape.n_points),
        faces,
        look: Look::from(shape.color),
        patches: Vec::new(),
    }
}

impl FieldValues for EventSimulation {
    fn present(&self, node: NodeId, field: FieldId) -> Value {
        let scene = || self.graph().scene().node(node).values[field.0 as usize].clone();
        self.value(node, field).unwrap_or_else(scene)
    }
}

/// The shapes of a graph as they are now.
pub fn shapes(simulation: &EventSimulation) -> Shapes {
    Shapes::of(simulation.graph().scene(), simulation)
}

/// Writes where the points of all shapes are over `out`, whose lists keep their memory.
pub fn positions(simulation: &EventSimulation, shapes: &Shapes, out: &mut Vec<Rows>) {
    out.resize_with(shapes.shapes().len(), Rows::default);
    shapes.points(simulation.graph().scene(), simulation, |number, points| {
        let rows = &mut out[number];
        rows.stride = 3;
        rows.values.clear();
        rows.values.extend(points.iter().flatten());
    });
}

/// Writes the present colors over `out`: of each shape, its own where that is another than in the beginning.
pub fn colors(simulation: &EventSimulation, shapes: &Shapes, out: &mut Vec<Option<Color>>) {
    out.clear();
    shapes.colors(simulation.graph().scene(), simulation, |shape, color| {
        out.push((color != shape.color).then_some(color));
    });
}
