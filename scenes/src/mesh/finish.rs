//! What SOFA's mesh loaders do after reading: transform, triangulate, derive elements, drop points, compute normals.

use components::topology::derive::{self, FACES_OF_HEXAHEDRON};
use sim_core::math::{Mat3, Vec3};

use super::{LoadOptions, Mesh, MeshFormat, Transform};

/// Local nodes of a tetrahedron's faces as loaders list them (not as topologies do).
const LOADER_FACES_OF_TETRAHEDRON: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// Everything after reading, in SOFA's order.
pub fn finish(mesh: &mut Mesh, format: MeshFormat, options: &LoadOptions) {
    if options.flip_normals && format != MeshFormat::Gmsh {
        mesh.triangles.iter_mut().for_each(|t| t.reverse());
        mesh.quads.iter_mut().for_each(|q| q.reverse());
    }
    transform(mesh, &options.transform);
    if options.triangulate {
        triangulate(mesh, options.flip_normals);
    }
    if options.create_subelements.unwrap_or(format == MeshFormat::Gmsh) {
        create_subelements(mesh);
    }
    if options.only_attached_points {
        drop_unattached_points(mesh);
    }
    if mesh.normals.len() != mesh.positions.len() {
        mesh.normals = normals(mesh);
    }
}

/// Moves the positions, and turns normals that came with them (SOFA leaves those as they were).
fn transform(mesh: &mut Mesh, transform: &Transform) {
    transform.apply(&mut mesh.positions);
    if let Some((linear, _)) = transform.matrix() {
        // The cofactor matrix carries normals over, mirrored ones too.
        let (a, b, c) = (linear.column(0), linear.column(1), linear.column(2));
        let cofactors = Mat3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)]);
        mesh.normals.iter_mut().for_each(|n| *n = unit(cofactors * *n));
    }
}

/// Two triangles for each quad, after the triangles that are there.
///
/// **Source:** as SOFA; with `flip`, the halves of a flipped quad are flipped once more.
fn triangulate(mesh: &mut Mesh, flip: bool) {
    for q in std::mem::take(&mut mesh.quads) {
        for mut t in [[q[0], q[1], q[2]], [q[0], q[2], q[3]]] {
            if flip {
                t.reverse();
            }
            mesh.triangles.push(t);
        }
    }
}

/// Faces of the volumes, then edges of the quads and triangles, each if no element has the same nodes.
fn create_subelements(mesh: &mut Mesh) {
    let quads = derive::missing(&mesh.quads, &derive::parts(&mesh.hexahedra, &FACES_OF_HEXAHEDRON));
    mesh.quads.extend(quads);
    let faces = derive::parts(&mesh.tetrahedra, &LOADER_FACES_OF_TETRAHEDRON);
    mesh.triangles.extend(derive::missing(&mesh.triangles, &faces));
    let mut edges = derive::parts(&mesh.quads, &derive::EDGES_IN_QUAD);
    edges.extend(derive::parts(&mesh.triangles, &derive::EDGES_IN_TRIANGLE));
    mesh.edges.extend(derive::missing(&mesh.edges, &edges));
}

/// Keeps the points that elements name, in their order.
fn drop_unattached_points(mesh: &mut Mesh) {
    let mut attached = vec![false; mesh.positions.len()];
    each_index(mesh, |i| attached[*i as usize] = true);
    let mut new_index = vec![0; attached.len()];
    let mut n = 0;
    for (new, attached) in new_index.iter_mut().zip(&attached) {
        *new = n;
        n += u32::from(*attached);
    }
    each_index(mesh, |i| *i = new_index[*i as usize]);
    keep(&mut mesh.positions, &attached);
    keep(&mut mesh.normals, &attached);
    keep(&mut mesh.tex_coords, &attached);
}

fn each_index(mesh: &mut Mesh, mut f: impl FnMut(&mut u32)) {
    mesh.edges.as_flattened_mut().iter_mut().for_each(&mut f);
    mesh.triangles.as_flattened_mut().iter_mut().for_each(&mut f);
    mesh.quads.as_flattened_mut().iter_mut().for_each(&mut f);
    mesh.tetrahedra.as_flattened_mut().iter_mut().for_each(&mut f);
    mesh.hexahedra.as_flattened_mut().iter_mut().for_each(&mut f);
}

fn keep<T>(list: &mut Vec<T>, kept: &[bool]) {
    if list.len() == kept.len() {
        let mut flags = kept.iter();
        list.retain(|_| *flags.next().unwrap_or(&false));
    }
}

/// At each point the mean of its triangles' unit normals and its quads' unit corner normals, normalized.
fn normals(mesh: &Mesh) -> Vec<Vec3> {
    let x = |i: u32| mesh.positions[i as usize];
    let mut normals = vec![Vec3::zeros(); mesh.positions.len()];
    for t in &mesh.triangles {
        let n = unit((x(t[1]) - x(t[0])).cross(&(x(t[2]) - x(t[0]))));
        t.iter().for_each(|i| normals[*i as usize] += n);
    }
    for q in &mesh.quads {
        for k in 0..4 {
            let (at, next, previous) = (x(q[k]), x(q[(k + 1) % 4]), x(q[(k + 3) % 4]));
            normals[q[k] as usize] += unit((next - at).cross(&(previous - at)));
        }
    }
    normals.into_iter().map(unit).collect()
}

/// The unit vector, or zero for a vector of no length.
fn unit(v: Vec3) -> Vec3 {
    v.try_normalize(f64::EPSILON).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quad() -> Mesh {
        Mesh {
            positions: [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [9., 9., 9.]]
                .map(Vec3::from)
                .to_vec(),
            quads: vec![[0, 1, 2, 3]],
            ..Mesh::default()
        }
    }

    #[test]
    fn options_apply_in_sofas_order() {
        let mut mesh = quad();
        let options = LoadOptions {
            triangulate: true,
            create_subelements: Some(true),
            only_attached_points: true,
            ..LoadOptions::default()
        };
        finish(&mut mesh, MeshFormat::Obj, &options);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(mesh.edges, [[1, 2], [2, 0], [0, 1], [2, 3], [3, 0]]);
        assert_eq!((mesh.positions.len(), mesh.quads.len()), (4, 0));
        assert_eq!(mesh.normals, [Vec3::new(0.0, 0.0, 1.0); 4]);
    }

    #[test]
    fn flipping_reverses_faces() {
        let mut mesh = quad();
        finish(&mut mesh, MeshFormat::Vtk, &LoadOptions { flip_normals: true, ..LoadOptions::default() });
        assert_eq!(mesh.quads, [[3, 2, 1, 0]]);
        assert_eq!(mesh.normals[0], Vec3::new(0.0, 0.0, -1.0));
    }

    #[test]
    fn subelements_of_volumes() {
        let mut mesh = Mesh {
            positions: vec![Vec3::zeros(); 12],
            tetrahedra: vec![[8, 9, 10, 11]],
            hexahedra: vec![[0, 1, 2, 3, 4, 5, 6, 7]],
            triangles: vec![[9, 8, 10]],
            ..Mesh::default()
        };
        finish(&mut mesh, MeshFormat::Gmsh, &LoadOptions::default());
        assert_eq!(mesh.triangles, [[9, 8, 10], [8, 9, 11], [8, 11, 10], [9, 10, 11]]);
        assert_eq!((mesh.quads.len(), mesh.edges.len()), (6, 18));
        assert_eq!(mesh.edges[0], [3, 2]);
    }
}
