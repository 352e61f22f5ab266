//! The vertices of a model's meshes: two buffers, of which one is read while the other is filled, each of parts that a task fills.

use std::ops::{Index, Range};
use std::sync::Arc;

use engine::data::{Data, ObjectId, Role, StepParameter, Store, Workspace, read, update, val, when, work_in};
use engine::graph::{ComponentTag, Recorder};

use super::super::lane::LANES;
use super::super::mesh::Mesh;
use super::super::sequence::Sequence;
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
    sides: [Data<Vertex>; 2],
    skinner: Workspace<Skinner>,
}

/// The buffers of a model's mesh: parts of so many vertices each, the last one of those that are left.
pub(in super::super) struct Buffers {
    parts: Vec<Part>,
    per_part: usize,
    n_vertices: usize,
}

impl Buffers {
    /// Of all meshes of a model; what no clip and no joint has moved yet is as at rest. Parts do not depend on the number of workers.
    pub fn of_model(
        store: &mut Store,
        (model, next): (ObjectId, &mut u32),
        drawn: &Arc<Drawn>,
        of: (&Sequence, f64),
    ) -> Vec<Self> {
        let mut all = Vec::with_capacity(drawn.meshes.len());
        for (k, mesh) in drawn.meshes.iter().enumerate() {
            let n_vertices = mesh.positions.len();
            let cost = vertex_cost(mesh);
            let n_parts = (n_vertices as f64 * cost / PART).ceil().max(1.0) as usize;
            // Whole groups of lanes, but for the last part.
            let per_part = n_vertices.div_ceil(n_parts).next_multiple_of(LANES).max(LANES);
            let mut parts = Vec::with_capacity(n_parts);
            for first in (0..n_vertices.max(1)).step_by(per_part) {
                let part = first..n_vertices.min(first + per_part);
                let object = if first == 0 {
                    model
                } else {
                    *next += 1;
                    ObjectId(*next - 1)
                };
                let vertices = at_rest(mesh, part.clone());
                let mut side = |name: &str| {
                    store.create(format!("vertices {k}{name}"), object, Role::Scratch, vertices.clone())
                };
                let sides = [side(""), side(" (other)")];
                let cost = part.len() as f64 * cost;
                let skinner = store.workspace("skinner", object, Skinner::new(drawn, (k, part), of));
                parts.push(Part { object, cost, sides, skinner });
            }
            all.push(Self { parts, per_part, n_vertices });
        }
        all
    }

    /// What each part is of, and what it costs \[ns\].
    pub fn costs(&self) -> impl Iterator<Item = (ObjectId, f64)> {
        self.parts.iter().map(|part| (part.object, part.cost))
    }

    /// Records the tasks that fill either side, where it is due.
    pub fn record(
        &self,
        rec: &mut Recorder<'_>,
        (clock, mix): (StepParameter<f64>, Data<f32>),
        joints: Data<Matrix>,
        due: [Data<bool>; 2],
    ) {
        for part in &self.parts {
            for (side, due) in part.sides.into_iter().zip(due) {
                let accesses =
                    (work_in(part.skinner), val(clock), read(mix), read(joints), update(side), when(due));
                type Given<'a> = (&'a mut Skinner, f64, &'a [f32], &'a [Matrix], &'a mut [Vertex], ());
                let kernel = |(skinner, time, mix, joints, into, ()): Given<'_>| {
                    skinner.fill((time, mix), joints, into);
                };
                rec.own("skin", ComponentTag(1), part.object, accesses, kernel);
            }
        }
    }

    /// The vertices of a side.
    pub fn side<'s>(&'s self, store: &'s Store, side: usize) -> MeshVertices<'s> {
        MeshVertices { store, of: self, side }
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

/// The vertices of a model's mesh, in parts that lie by themselves.
#[derive(Clone, Copy)]
pub struct MeshVertices<'c> {
    store: &'c Store,
    of: &'c Buffers,
    side: usize,
}

impl<'c> MeshVertices<'c> {
    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.of.n_vertices
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertices, part by part.
    pub fn parts(self) -> impl Iterator<Item = &'c [Vertex]> {
        self.of.parts.iter().map(move |part| self.store.read(part.sides[self.side]))
    }

    /// The vertices, one by one.
    pub fn iter(self) -> Vertices<'c> {
        Vertices { of: self, part: 0, left: [].iter() }
    }
}

impl Index<usize> for MeshVertices<'_> {
    type Output = Vertex;

    fn index(&self, vertex: usize) -> &Vertex {
        let part = &self.of.parts[vertex / self.of.per_part];
        &self.store.read(part.sides[self.side])[vertex % self.of.per_part]
    }
}

impl PartialEq for MeshVertices<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl std::fmt::Debug for MeshVertices<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'c> IntoIterator for MeshVertices<'c> {
    type Item = &'c Vertex;
    type IntoIter = Vertices<'c>;

    fn into_iter(self) -> Vertices<'c> {
        self.iter()
    }
}

/// The vertices of a mesh, one by one.
#[derive(Clone)]
pub struct Vertices<'c> {
    of: MeshVertices<'c>,
    /// The part that comes next.
    part: usize,
    left: std::slice::Iter<'c, Vertex>,
}

impl<'c> Iterator for Vertices<'c> {
    type Item = &'c Vertex;

    fn next(&mut self) -> Option<&'c Vertex> {
        loop {
            if let Some(vertex) = self.left.next() {
                return Some(vertex);
            }
            let part = self.of.of.parts.get(self.part)?;
            self.left = self.of.store.read(part.sides[self.of.side]).iter();
            self.part += 1;
        }
    }
}
