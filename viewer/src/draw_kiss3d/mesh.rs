//! One surface on the graphics card.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use kiss3d::color::Color;
use kiss3d::glamx::{Pose3, Quat, Vec2, Vec3};
use kiss3d::prelude::SceneNode3d;
use kiss3d::resource::{AllocationType, BufferType, GPUVec, GpuMesh3d};

use super::caught::caught;
use super::root::Root;
use crate::surface::{self, Motion, Rows, Shaded, Surface};

/// A list on the graphics card, of which several meshes may be made.
type Shared<T> = Arc<RwLock<GPUVec<T>>>;

/// A list that goes to the graphics card; a macro, since kiss3d does not name what its lists may hold.
macro_rules! share {
    ($data:expr, $kind:ident) => {
        Arc::new(RwLock::new(GPUVec::new($data, BufferType::$kind, AllocationType::DynamicDraw)))
    };
}

/// The triangles of a surface: one node for each look, which share their vertices.
pub(super) struct Mesh {
    pieces: Vec<Piece>,
    shaded: Shaded,
    vertices: Shared<Vec3>,
    normals: Shared<Vec3>,
    /// What is uploaded next; kept, since lists on the card are changed in place.
    fresh_normals: Vec<[f32; 3]>,
    /// Whether it is visible, and its color where that is not its own.
    shown: Option<(bool, Option<surface::Color>)>,
}

/// The triangles of one look.
struct Piece {
    node: SceneNode3d,
    own_color: Color,
}

pub(super) fn color(c: surface::Color) -> Color {
    Color::new(c[0], c[1], c[2], c[3])
}

impl Mesh {
    /// Loads a surface as it is in a state; nothing, where it has no triangles.
    pub(super) fn new(surface: &Surface, states: &[Rows], root: &mut Root) -> Option<Self> {
        let bent;
        // A frame carries its surface as it is; others bend.
        let (points, bends) = match &surface.motion {
            Motion::Frame(_, points) | Motion::Still(points) => (&points[..], false),
            Motion::Points(..) | Motion::Beside(..) | Motion::Carried(..) | Motion::Weighted(..) => {
                bent = surface.motion.points(states);
                (&bent[..], true)
            }
        };
        let mut shaded = Shaded::new(&surface.faces, points);
        if shaded.triangles.is_empty() {
            return None;
        }
        let local: Vec<[f32; 3]> = points.iter().map(single).collect();
        let mut fresh_normals = Vec::new();
        shaded.normals(&local, &mut fresh_normals);
        let coords = shaded.points.iter().map(|p| Vec3::from(local[*p as usize])).collect();
        let vertices = share!(coords, Array);
        let normals = share!(fresh_normals.iter().map(|n| Vec3::from(*n)).collect(), Array);
        let uvs = share!(uvs(&shaded, &surface.look.tex_coords), Array);
        let looks = std::iter::once((surface.look.color, &surface.look.texture))
            .chain(surface.patches.iter().map(|p| (p.color, &p.texture)));
        let mut pieces = Vec::new();
        for ((own, texture), triangles) in looks.zip(shaded.parts(&surface.faces, &surface.patches)) {
            if triangles.is_empty() {
                continue;
            }
            let faces = share!(triangles, ElementArray);
            {
                // Their numbers never change: the card's copy will do.
                let mut faces = faces.write().unwrap_or_else(PoisonError::into_inner);
                faces.load_to_gpu();
                faces.unload_from_ram();
            }
            let gpu = GpuMesh3d::new_with_gpu_vectors(vertices.clone(), faces, normals.clone(), uvs.clone());
            let mut node = root.add(gpu);
            node.set_color(color(own))
                .enable_backface_culling(shaded.has_two_sides)
                .set_metallic(0.0)
                .set_roughness(0.55);
            // The two sides of a sheet are at one place, and would lie in each other's shadow. What lets light through has a faint one only,
            // which shows as stripes on a floor just below it.
            node.set_casts_shadows(!shaded.has_two_sides && own[3] == 1.0);
            if let Some(texture) = texture {
                lay(&mut node, texture);
            }
            pieces.push(Piece { node, own_color: color(own) });
        }
        if !bends {
            (shaded, fresh_normals) = (Shaded::default(), Vec::new());
        }
        Some(Self { pieces, shaded, vertices, normals, fresh_normals, shown: None })
    }

    /// Takes it from the stage.
    pub(super) fn remove(&mut self) {
        self.pieces.iter_mut().for_each(|p| p.node.remove());
    }

    /// Moves it to where it is in a state; `points` are where its points are then, if it bends.
    pub(super) fn update(&mut self, motion: &Motion, states: &[Rows], points: &[[f32; 3]]) {
        match motion {
            Motion::Still(_) => {}
            Motion::Frame(state, _) => {
                let Some((center, q)) = states.get(*state).and_then(|rows| rows.frame(0)) else { return };
                let [x, y, z] = [q.i, q.j, q.k].map(|c| c as f32);
                let turn = Quat::from_xyzw(x, y, z, q.w as f32);
                let pose = Pose3::from_parts(Vec3::from(single(&center)), turn);
                self.pieces.iter_mut().for_each(|p| drop(p.node.set_pose(pose)));
            }
            Motion::Points(..) | Motion::Beside(..) | Motion::Carried(..) | Motion::Weighted(..) => {
                self.shaded.normals(points, &mut self.fresh_normals);
                let at = self.shaded.points.iter().map(|p| points[*p as usize]);
                overwrite(&self.vertices, at);
                overwrite(&self.normals, self.fresh_normals.iter().copied());
            }
        }
    }

    /// Shows or hides it, in its own color or in another.
    pub(super) fn show(&mut self, visible: bool, other: Option<surface::Color>) {
        if self.shown == Some((visible, other)) {
            return;
        }
        self.shown = Some((visible, other));
        for Piece { node, own_color } in &mut self.pieces {
            node.set_visible(visible).set_color(other.map_or(*own_color, color));
        }
    }
}

fn overwrite(list: &Shared<Vec3>, with: impl Iterator<Item = [f32; 3]>) {
    let mut list = list.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(old) = list.data_mut() {
        old.iter_mut().zip(with).for_each(|(o, n)| *o = Vec3::from(n));
    }
}

/// Texture coordinates of the vertices; zero where there are none.
fn uvs(shaded: &Shaded, tex_coords: &[[f32; 2]]) -> Vec<Vec2> {
    let at = |p: &u32| tex_coords.get(*p as usize).map_or(Vec2::ZERO, |uv| Vec2::new(uv[0], 1.0 - uv[1]));
    shaded.points.iter().map(at).collect()
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

pub(super) fn single(p: &sim_core::math::Vec3) -> [f32; 3] {
    [p.x as f32, p.y as f32, p.z as f32]
}
