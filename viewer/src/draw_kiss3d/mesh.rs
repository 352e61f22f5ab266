//! One surface on the graphics card.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use kiss3d::color::Color;
use kiss3d::glamx::{Vec2, Vec3};
use kiss3d::prelude::SceneNode3d;
use kiss3d::resource::GpuMesh3d;
use kiss3d::window::Window;

use super::canvas::caught;
use crate::surface::{self, Motion, Rows, Shaded, Surface};

/// Size of points [px].
const POINT: f32 = 7.0;
/// Width of lines [px].
const LINE: f32 = 2.0;

/// Lines from points to what carries them.
const MAPPING: Color = Color::new(0.3, 0.5, 0.9, 1.0);

/// What is drawn of a surface.
pub(super) struct Mesh {
    motion: Motion,
    shaded: Shaded,
    lines: Vec<[u32; 2]>,
    own_color: Color,
    /// Its own, or another that it is painted in.
    color: Color,
    /// None where there are no triangles.
    node: Option<SceneNode3d>,
    /// Positions of the surface's points, as last updated.
    points: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

pub(super) fn color(c: surface::Color) -> Color {
    Color::new(c[0], c[1], c[2], c[3])
}

impl Mesh {
    pub(super) fn new(surface: &Surface, states: &[Rows], parent: &mut SceneNode3d) -> Self {
        let now = surface.motion.points(states);
        let shaded = Shaded::new(&surface.faces, &now);
        let mut mesh = Self {
            motion: surface.motion.clone(),
            lines: surface.faces.lines.clone(),
            own_color: color(surface.look.color),
            color: color(surface.look.color),
            node: None,
            points: now.iter().map(single).collect(),
            normals: Vec::new(),
            shaded,
        };
        if !mesh.shaded.triangles.is_empty() {
            mesh.shaded.normals(&mesh.points, &mut mesh.normals);
            let coords = mesh.shaded.points.iter().map(|p| Vec3::from(mesh.points[*p as usize])).collect();
            let normals = mesh.normals.iter().map(|n| Vec3::from(*n)).collect();
            let uvs = mesh.uvs(&surface.look.tex_coords);
            let gpu = GpuMesh3d::new(coords, mesh.shaded.triangles.clone(), Some(normals), uvs, true);
            let mut node = parent.add_mesh(Rc::new(RefCell::new(gpu)), Vec3::ONE);
            node.set_color(mesh.color)
                .enable_backface_culling(mesh.shaded.has_two_sides)
                .set_metallic(0.0)
                .set_roughness(0.55);
            // The two sides of a sheet are at one place, and would lie in each other's shadow.
            node.set_casts_shadows(!mesh.shaded.has_two_sides);
            if let Some(texture) = &surface.look.texture {
                lay(&mut node, texture);
            }
            mesh.node = Some(node);
        }
        mesh
    }

    fn uvs(&self, tex_coords: &[[f32; 2]]) -> Option<Vec<Vec2>> {
        let at = |p: &u32| tex_coords.get(*p as usize).map(|uv| Vec2::new(uv[0], 1.0 - uv[1]));
        self.shaded.points.iter().map(at).collect()
    }

    /// How low it reaches along a direction [m]; infinite for nothing.
    pub(super) fn lowest(&self, up: [f32; 3]) -> f32 {
        self.points.iter().map(|p| p[0] * up[0] + p[1] * up[1] + p[2] * up[2]).fold(f32::INFINITY, f32::min)
    }

    /// Moves it to where it is in a state.
    pub(super) fn update(&mut self, states: &[Rows]) {
        if self.motion.state().is_none() {
            return;
        }
        self.points.clear();
        let points = &mut self.points;
        self.motion.for_each(states, |p| points.push(single(&p)));
        let Some(node) = &mut self.node else { return };
        self.shaded.normals(&self.points, &mut self.normals);
        let (points, shaded, normals) = (&self.points, &self.shaded, &self.normals);
        node.modify_vertices(&mut |vertices: &mut Vec<Vec3>| {
            let at = shaded.points.iter().map(|p| Vec3::from(points[*p as usize]));
            vertices.iter_mut().zip(at).for_each(|(v, p)| *v = p);
        });
        node.modify_normals(&mut |old: &mut Vec<Vec3>| {
            old.iter_mut().zip(normals).for_each(|(o, n)| *o = Vec3::from(*n));
        });
    }

    /// Shows or hides its triangles, filled or as lines.
    pub(super) fn show(&mut self, visible: bool, wireframe: bool) {
        if let Some(node) = &mut self.node {
            node.set_visible(visible);
            node.set_surface_rendering_activation(!wireframe);
            node.set_lines_width(if wireframe { 1.0 } else { 0.0 }, false);
        }
    }

    /// Paints it in another color, or in its own.
    pub(super) fn paint(&mut self, other: Option<surface::Color>) {
        let now = other.map_or(self.own_color, color);
        if now != self.color {
            self.color = now;
            if let Some(node) = &mut self.node {
                node.set_color(now);
            }
        }
    }

    /// Draws, for this frame, lines from its points to what carries them.
    pub(super) fn draw_mapping(&self, states: &[Rows], window: &mut Window) {
        self.motion.for_each_carrier(states, |point, carrier| {
            window.draw_line(Vec3::from(single(&point)), Vec3::from(single(&carrier)), MAPPING, 1.0, false);
        });
    }

    /// Draws its lines for this frame, or its points where it has no elements at all.
    pub(super) fn draw_thin(&self, window: &mut Window) {
        let at = |p: u32| self.points.get(p as usize).map(|p| Vec3::from(*p));
        for [a, b] in &self.lines {
            if let (Some(a), Some(b)) = (at(*a), at(*b)) {
                window.draw_line(a, b, self.color, LINE, false);
            }
        }
        if self.node.is_none() {
            self.points.iter().for_each(|p| window.draw_point(Vec3::from(*p), self.color, POINT));
        }
    }
}

/// Lays an image on a mesh; one that cannot be read is left out.
fn lay(node: &mut SceneNode3d, texture: &Path) {
    let read = std::fs::read(texture).map_err(|e| e.to_string());
    let laid = read.and_then(|bytes| {
        // kiss3d panics at what is no image.
        caught(|| drop(node.set_texture_from_memory(&bytes, &texture.to_string_lossy())))
    });
    if let Err(e) = laid {
        log::warn!("{}: {e}", texture.display());
    }
}

fn single(p: &sim_core::math::Vec3) -> [f32; 3] {
    [p.x as f32, p.y as f32, p.z as f32]
}
