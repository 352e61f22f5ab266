//! What a surface is drawn with: points doubled along sharp edges, and smooth normals.

use sim_core::math::Vec3;

use super::{Faces, Patch};

/// Edges between faces whose normals differ by more are sharp: the cosine of 50 degrees.
const SHARP: f64 = 0.643;

/// Triangles between vertices, of which several may be at one point of the surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shaded {
    /// The point at which each vertex is, shape `[n_vertices]`.
    pub points: Vec<u32>,
    /// Triangles between vertices.
    pub triangles: Vec<[u32; 3]>,
    /// The face of the surface that each triangle is or is a half of: triangles first, then quadrangles; the back sides are
    /// not listed again.
    pub faces: Vec<u32>,
    /// Whether every triangle is there twice, once for each side: the surface has a border, so that both can be seen.
    pub has_two_sides: bool,
}

impl Shaded {
    /// Doubles points along the edges that are sharp while the points are where they are now [m].
    ///
    /// # Cost
    /// At each point, the square of the number of triangles around it.
    pub fn new(faces: &Faces, points: &[Vec3]) -> Self {
        let n_triangles = faces.triangles.len() as u32;
        let number = |k: u32| if k < n_triangles { k } else { n_triangles + (k - n_triangles) / 2 };
        let is_there = |t: &[u32; 3]| t.iter().all(|p| (*p as usize) < points.len());
        let (triangles, faces): (Vec<[u32; 3]>, Vec<u32>) =
            (0..).zip(faces.triangulated()).filter(|(_, t)| is_there(t)).map(|(k, t)| (t, number(k))).unzip();
        let normals: Vec<Vec3> = triangles.iter().map(|t| normal(t, points)).collect();
        let has_two_sides = has_border(&triangles);
        let mut shaded = Self { points: Vec::with_capacity(points.len()), triangles, faces, has_two_sides };
        let around = Around::new(&shaded.triangles, points.len());
        let mut groups: Vec<(u32, Vec<Vec3>)> = Vec::new();
        for point in 0..points.len() as u32 {
            groups.clear();
            for corner in around.corners(point) {
                let (t, k) = (*corner as usize / 3, *corner as usize % 3);
                let n = normals[t];
                let smooth = |group: &&mut (u32, Vec<Vec3>)| group.1.iter().any(|m| m.dot(&n) >= SHARP);
                let vertex = match groups.iter_mut().find(smooth) {
                    Some(group) => {
                        group.1.push(n);
                        group.0
                    }
                    None => {
                        let vertex = shaded.points.len() as u32;
                        shaded.points.push(point);
                        groups.push((vertex, vec![n]));
                        vertex
                    }
                };
                shaded.triangles[t][k] = vertex;
            }
        }
        if has_two_sides {
            let n = shaded.points.len() as u32;
            shaded.points.extend_from_within(..);
            let backs: Vec<[u32; 3]> =
                shaded.triangles.iter().map(|[a, b, c]| [a + n, c + n, b + n]).collect();
            shaded.triangles.extend(backs);
        }
        shaded
    }

    /// The triangles, both sides, of the faces that are in no patch, then of each patch.
    pub fn parts(&self, faces: &Faces, patches: &[Patch]) -> Vec<Vec<[u32; 3]>> {
        if patches.is_empty() {
            return vec![self.triangles.clone()];
        }
        let n = faces.triangles.len();
        let mut part_of = vec![0; n + faces.quads.len()];
        for (k, patch) in patches.iter().enumerate() {
            let quads = patch.quads.start + n..patch.quads.end + n;
            for range in [patch.triangles.clone(), quads] {
                part_of.get_mut(range).unwrap_or_default().fill(k + 1);
            }
        }
        let mut parts = vec![Vec::new(); patches.len() + 1];
        let both_sides = self.faces.iter().chain(&self.faces);
        both_sides.zip(&self.triangles).for_each(|(face, t)| parts[part_of[*face as usize]].push(*t));
        parts
    }

    /// Writes the normals of all vertices, weighted by area, for points as they are now; the list keeps its memory.
    pub fn normals(&self, points: &[[f32; 3]], out: &mut Vec<[f32; 3]>) {
        out.clear();
        out.resize(self.points.len(), [0.0; 3]);
        let at = |v: u32| points[self.points[v as usize] as usize];
        for t in &self.triangles {
            let [a, b, c] = t.map(at);
            let (u, w) = (minus(b, a), minus(c, a));
            let n = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
            for v in t {
                out[*v as usize].iter_mut().zip(n).for_each(|(sum, c)| *sum += c);
            }
        }
        for n in out {
            let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
            if length > 0.0 {
                n.iter_mut().for_each(|c| *c /= length);
            }
        }
    }
}

/// The corners of triangles at each point.
struct Around {
    /// Where each point's corners begin, and where the last one's end, shape `[n_points + 1]`.
    begin: Vec<u32>,
    /// Three times the triangle, plus the number of its corner.
    corners: Vec<u32>,
}

impl Around {
    fn new(triangles: &[[u32; 3]], n_points: usize) -> Self {
        let mut begin = vec![0; n_points + 1];
        triangles.iter().flatten().for_each(|p| begin[*p as usize + 1] += 1);
        for k in 0..n_points {
            begin[k + 1] += begin[k];
        }
        let mut next = begin.clone();
        let mut corners = vec![0; 3 * triangles.len()];
        for (corner, p) in (0..).zip(triangles.iter().flatten()) {
            let at = &mut next[*p as usize];
            corners[*at as usize] = corner;
            *at += 1;
        }
        Self { begin, corners }
    }

    fn corners(&self, point: u32) -> &[u32] {
        &self.corners[self.begin[point as usize] as usize..self.begin[point as usize + 1] as usize]
    }
}

/// Whether an edge belongs to one triangle only.
fn has_border(triangles: &[[u32; 3]]) -> bool {
    let edges = |[a, b, c]: &[u32; 3]| [[*a, *b], [*b, *c], [*c, *a]].map(|[i, j]| [i.min(j), i.max(j)]);
    let mut all: Vec<[u32; 2]> = triangles.iter().flat_map(edges).collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b).any(|same| same.len() == 1)
}

fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn normal(t: &[u32; 3], points: &[Vec3]) -> Vec3 {
    let [a, b, c] = t.map(|p| points[p as usize]);
    (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_keeps_its_edges_and_a_flat_sheet_its_points() {
        let points: Vec<Vec3> = (0..8)
            .map(|k| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2 & 1)))
            .collect();
        let quads = vec![[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let cube = Shaded::new(&Faces { quads, ..Faces::default() }, &points);
        assert_eq!(cube.points.len(), 24);
        assert_eq!(cube.triangles.len(), 12);
        let sheet = Faces { triangles: vec![[0, 1, 2], [1, 3, 2]], ..Faces::default() };
        let sheet = Shaded::new(&sheet, &points);
        assert_eq!((sheet.points.len(), sheet.triangles.len()), (8, 4), "both sides of a sheet are seen");
        assert!(sheet.has_two_sides && !cube.has_two_sides);
    }

    #[test]
    fn patches_are_some_of_the_faces_from_both_sides() {
        let points: Vec<Vec3> = (0..6).map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3), 0.0)).collect();
        let triangles = vec![[0, 1, 9], [0, 1, 3], [1, 4, 3]];
        let faces = Faces { triangles, quads: vec![[1, 2, 5, 4]], ..Faces::default() };
        let shaded = Shaded::new(&faces, &points);
        let patch = |triangles, quads| Patch { triangles, quads, color: [1.0; 4], texture: None };
        let parts = shaded.parts(&faces, &[patch(2..3, 0..0), patch(0..1, 0..1)]);
        let points_of = |part: &[[u32; 3]]| -> Vec<[u32; 3]> {
            part.iter().map(|t| t.map(|v| shaded.points[v as usize])).collect()
        };
        assert_eq!(parts.len(), 3);
        assert_eq!(points_of(&parts[0]), [[0, 1, 3], [0, 3, 1]]);
        assert_eq!(points_of(&parts[1]), [[1, 4, 3], [1, 3, 4]]);
        assert_eq!(points_of(&parts[2]), [[1, 2, 5], [1, 5, 4], [1, 5, 2], [1, 4, 5]]);
    }

    #[test]
    fn normals_follow_the_points() {
        let sheet = Faces { triangles: vec![[0, 1, 2]], ..Faces::default() };
        let points = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let shaded = Shaded::new(&sheet, &points);
        let mut normals = Vec::new();
        shaded.normals(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], &mut normals);
        assert_eq!(normals[..3], [[0.0, -1.0, 0.0]; 3]);
        assert_eq!(normals[3..], [[0.0, 1.0, 0.0]; 3]);
    }

    #[test]
    fn an_element_without_its_points_is_left_out() {
        let faces = Faces { triangles: vec![[0, 1, 7]], ..Faces::default() };
        assert_eq!(Shaded::new(&faces, &[Vec3::zeros(), Vec3::x()]), Shaded::default());
    }
}
