//! One surface on the stage: what is drawn of it, loaded when it is first shown and moved only while it is.

use std::sync::Arc;

use kiss3d::color::Color;
use kiss3d::glamx::Vec3;

use super::mesh::{Mesh, color, single};
use super::pen::Pen;
use super::root::Root;
use crate::surface::{self, Motion, Role, Rows, Surface};

/// Size of points [px].
const POINT: f32 = 7.0;
/// Width of lines [px].
const LINE: f32 = 2.0;
/// Width of the lines of a wireframe [px].
const WIRE: f32 = 1.0;

/// Lines from points to what carries them.
const MAPPING: Color = Color::new(0.3, 0.5, 0.9, 1.0);

/// A surface and what is drawn of it.
pub(super) struct Actor {
    pub(super) surface: Arc<Surface>,
    /// Shown with the visual models: a visual model, or the behavior model of an object without one.
    pub(super) is_seen: bool,
    /// The worker's color that it is painted in, if any.
    pub(super) painted: Option<surface::Color>,
    /// Its own color, if it is another one than in the beginning.
    pub(super) recolored: Option<surface::Color>,
    /// Nothing before it is first shown.
    loaded: Option<Loaded>,
    /// Whether there is a newer state than the one that it was last moved to.
    is_stale: bool,
}

struct Loaded {
    /// None where there are no triangles.
    mesh: Option<Mesh>,
    /// Positions of the surface's points; of one that a frame carries only while they are needed here.
    points: Vec<[f32; 3]>,
    /// Edges of its faces, once its wireframe was wanted.
    edges: Option<Vec<[u32; 2]>>,
}

impl Actor {
    pub(super) fn new(surface: Arc<Surface>, is_seen: bool) -> Self {
        Self { surface, is_seen, painted: None, recolored: None, loaded: None, is_stale: true }
    }

    /// Takes another surface.
    pub(super) fn change(&mut self, surface: &Arc<Surface>, is_seen: bool) {
        self.is_seen = is_seen;
        if Arc::ptr_eq(surface, &self.surface) {
            return;
        }
        self.unload();
        (self.surface, self.is_stale) = (surface.clone(), true);
    }

    /// Goes from the stage.
    pub(super) fn leave(mut self) {
        self.unload();
    }

    fn unload(&mut self) {
        if let Some(Loaded { mesh: Some(mut mesh), .. }) = self.loaded.take() {
            mesh.remove();
        }
    }

    /// Says that there is a newer state.
    pub(super) fn age(&mut self) {
        self.is_stale |= self.surface.motion.state().is_some();
    }

    /// How low it reaches along a direction [m]; infinite for nothing, and while it was never shown.
    pub(super) fn lowest(&self, states: &[Rows], up: Vec3) -> f32 {
        let Some(loaded) = &self.loaded else { return f32::INFINITY };
        match &self.surface.motion {
            // The direction is turned, not the points.
            Motion::Frame(state, local) => {
                let Some((center, q)) = states.get(*state).and_then(|rows| rows.frame(0)) else {
                    return f32::INFINITY;
                };
                let up = sim_core::math::Vec3::new(up.x.into(), up.y.into(), up.z.into());
                let turned = sim_core::math::rotate(&q.conjugate(), &up);
                let least = local.iter().map(|p| p.dot(&turned)).fold(f64::INFINITY, f64::min);
                (least + center.dot(&up)) as f32
            }
            _ => loaded.points.iter().map(|p| Vec3::from(*p).dot(up)).fold(f32::INFINITY, f32::min),
        }
    }

    /// Shows or hides it as it is in a state, filled or as lines.
    pub(super) fn show(
        &mut self,
        visible: bool,
        wireframe: bool,
        states: &[Rows],
        root: &mut Root,
        pen: &mut Pen<'_>,
    ) {
        let painted = self.painted.or(self.recolored);
        if !visible {
            if let Some(Loaded { mesh: Some(mesh), .. }) = &mut self.loaded {
                mesh.show(false, painted);
            }
            return;
        }
        let Self { surface, loaded, is_stale, .. } = self;
        let loaded = loaded.get_or_insert_with(|| Loaded::new(surface, states, root));
        if std::mem::take(is_stale) {
            loaded.update(surface, states);
        }
        if let Some(mesh) = &mut loaded.mesh {
            mesh.show(!wireframe, painted);
        }
        let color = color(painted.unwrap_or(surface.look.color));
        loaded.draw_thin(surface, states, wireframe, color, pen);
    }

    /// Draws, for this frame, lines from its points to what carries them.
    pub(super) fn draw_mapping(&self, states: &[Rows], pen: &mut Pen<'_>) {
        self.surface.motion.for_each_carrier(states, |point, carrier| draw_link(&point, &carrier, pen));
    }
}

/// Draws, for this frame, a line from a point to what carries it.
pub(super) fn draw_link(point: &sim_core::math::Vec3, carrier: &sim_core::math::Vec3, pen: &mut Pen<'_>) {
    pen.line([point, carrier].map(|p| Vec3::from(single(p))), MAPPING, WIRE);
}

impl Loaded {
    fn new(surface: &Surface, states: &[Rows], root: &mut Root) -> Self {
        let mut points = Vec::new();
        place(&surface.motion, states, &mut points);
        Self { mesh: Mesh::new(surface, states, root), points, edges: None }
    }

    fn update(&mut self, surface: &Surface, states: &[Rows]) {
        if !matches!(surface.motion, Motion::Frame(..)) {
            place(&surface.motion, states, &mut self.points);
        }
        if let Some(mesh) = &mut self.mesh {
            mesh.update(&surface.motion, states, &self.points);
        }
    }

    /// Draws its lines for this frame, its edges, or its points where it has no elements at all.
    fn draw_thin(
        &mut self,
        surface: &Surface,
        states: &[Rows],
        wireframe: bool,
        color: Color,
        pen: &mut Pen<'_>,
    ) {
        let Self { mesh, points, edges } = self;
        if surface.faces.lines.is_empty() && !wireframe && mesh.is_some() {
            return;
        }
        if matches!(surface.motion, Motion::Frame(..)) {
            place(&surface.motion, states, points);
        }
        let mut draw = |lines: &[[u32; 2]], width: f32| {
            for ends in lines {
                let [a, b] = ends.map(|p| points.get(p as usize).map(|p| Vec3::from(*p)));
                if let (Some(a), Some(b)) = (a, b) {
                    pen.line([a, b], color, width);
                }
            }
        };
        draw(&surface.faces.lines, LINE);
        if wireframe {
            // kiss3d's own wireframes stay where they were when they were first drawn.
            draw(edges.get_or_insert_with(|| surface.faces.edges()), WIRE);
        }
        // Circles of spheres consist of many points.
        let has_points = surface.role != Role::Collision || surface.faces.lines.is_empty();
        if mesh.is_none() && has_points {
            points.iter().for_each(|p| pen.point(Vec3::from(*p), color, POINT));
        }
    }
}

/// Writes where all points are over a list, which keeps its memory.
fn place(motion: &Motion, states: &[Rows], out: &mut Vec<[f32; 3]>) {
    out.clear();
    motion.for_each(states, |p| out.push(single(&p)));
}
