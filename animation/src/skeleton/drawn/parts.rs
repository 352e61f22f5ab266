//! The vertices of a model's meshes that tasks fill, in parts of a task each. Who draws has the other buffers: what was filled last.

use std::mem::swap;
use std::ops::Range;
use std::sync::Arc;

use engine::data::{Data, ObjectId, StepParameter, Store, Workspace, look_in, read, val, when, work_in};
use engine::graph::{ComponentTag, Recorder};

use super::super::lane::LANES;
use super::super::mesh::Mesh;
use super::super::sequence::Sequence;
use super::super::shown::ShownMesh;
use super::super::transform::Matrix;
use super::super::vertex::Vertex;
use super::{Drawn, Skinner};

/// A part of a mesh is worth about so much time \[ns\]: much longer than it takes to begin a task, and short enough that a model of some
/// ten thousand vertices keeps several workers busy.
const PART: f64 = 25_000.0;

/// About what a vertex of a mesh costs \[ns\], by the benchmark `skeleton`.
fn vertex_cost(mesh: &Mesh) -> f64 {
    let moved = match (&mesh.skin, mesh.normals.is_empty()) {
        (Some(_), false) => 5.0,
        (Some(_), true) => 3.5,
        (None, _) => 2.0,
    };
    moved + 2.0 * mesh.targets.len() as f64
}

/// Vertices that a task fills.
struct Part {
    /// What the task is of: the model, or for further parts an object of its own, which another worker may have.
    object: ObjectId,
    cost: f64,
    vertices: Workspace<Vec<Vertex>>,
    skinner: Workspace<Skinner>,
}

/// The buffers of a model's mesh: parts of so many vertices each, the last one of those that are left.
pub(in super::super) struct Buffers {
    parts: Vec<Part>,
}

impl Buffers {
    /// Of all meshes of a model, with what is shown of them; what no clip and no joint has moved yet is as at rest. Parts do not depend on
    /// the number of workers.
    pub fn of_model(
        store: &mut Store,
        (model, next): (ObjectId, &mut u32),
        drawn: &Arc<Drawn>,
        of: (&Sequence, f64),
    ) -> (Vec<Self>, Vec<ShownMesh>) {
        let (mut all, mut shown) = (Vec::new(), Vec::new());
        for (k, mesh) in drawn.meshes.iter().enumerate() {
            let n_vertices = mesh.positions.len();
            let cost = vertex_cost(mesh);
            let n_parts = (n_vertices as f64 * cost / PART).ceil().max(1.0) as usize;
            // Whole groups of lanes, but for the last part.
            let per_part = n_vertices.div_ceil(n_parts).next_multiple_of(LANES).max(LANES);
            let mut parts = Vec::with_capacity(n_parts);
            let mut seen = ShownMesh { parts: Vec::with_capacity(n_parts), per_part, n_vertices };
            for first in (0..n_vertices.max(1)).step_by(per_part) {
                let part = first..n_vertices.min(first + per_part);
                let object = if first == 0 {
                    model
                } else {
                    *next += 1;
                    ObjectId(*next - 1)
                };
                let vertices = at_rest(mesh, part.clone());
                seen.parts.push(vertices.clone());
                let vertices = store.workspace(format!("vertices {k}"), object, vertices);
                let cost = part.len() as f64 * cost;
                let skinner = store.workspace("skinner", object, Skinner::new(drawn, (k, part), of));
                parts.push(Part { object, cost, vertices, skinner });
            }
            all.push(Self { parts });
            shown.push(seen);
        }
        (all, shown)
    }

    /// What each part is of, and what it costs \[ns\].
    pub fn costs(&self) -> impl Iterator<Item = (ObjectId, f64)> {
        self.parts.iter().map(|part| (part.object, part.cost))
    }

    /// Records the tasks that fill them where the model is due.
    pub fn record(
        &self,
        rec: &mut Recorder<'_>,
        (clock, mix): (StepParameter<f64>, Data<f32>),
        joints: Workspace<Vec<Matrix>>,
        due: Data<bool>,
    ) {
        for part in &self.parts {
            let accesses = (
                work_in(part.skinner),
                val(clock),
                read(mix),
                look_in(joints),
                work_in(part.vertices),
                when(due),
            );
            type Given<'a> = (&'a mut Skinner, f64, &'a [f32], &'a Vec<Matrix>, &'a mut Vec<Vertex>, ());
            let kernel = |(skinner, time, mix, joints, into, ()): Given<'_>| {
                skinner.fill((time, mix), joints, into);
            };
            rec.own("skin", ComponentTag(1), part.object, accesses, kernel);
        }
    }

    /// Shows what was filled, and has what was shown filled next.
    pub fn exchange(&self, store: &mut Store, shown: &mut ShownMesh) {
        for (part, shown) in self.parts.iter().zip(&mut shown.parts) {
            swap(store.workspace_mut(part.vertices), shown);
        }
    }
}

fn at_rest(mesh: &Mesh, part: Range<usize>) -> Vec<Vertex> {
    let vertices = part.map(|v| Vertex {
        position: mesh.positions[v],
        normal: mesh.normals.get(v).copied().unwrap_or_default(),
        texture: mesh.texture.get(v).copied().unwrap_or_default(),
    });
    vertices.collect()
}
