//! Mesh readers on real files, on no files, and on files that are not what they should be.

use std::path::{Path, PathBuf};

use components::topology::{MeshTopology, derive};
use proptest::prelude::*;
use weft_scenes::mesh::{LoadOptions, Mesh, MeshFormat, gmsh, load, obj, rigid, sphere, stl, vtk};

/// The meshes of SOFA's regression scenes, where they are at hand.
fn share(sub: &str) -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/sofa-regression/share").join(sub);
    if !dir.is_dir() {
        println!("skipped: {} is not there", dir.display());
        return None;
    }
    Some(dir)
}

fn files(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == ending)).collect();
    files.sort();
    files
}

fn topology(mesh: Mesh) -> sim_core::topology::Topology {
    let Mesh { positions: points, edges, triangles, quads, tetrahedra, hexahedra, .. } = mesh;
    MeshTopology { points, edges, triangles, quads, tetrahedra, hexahedra, ..Default::default() }
        .build()
        .unwrap()
}

#[test]
fn every_real_mesh_loads_with_all_options() {
    for sub in ["mesh", "mesh/SofaScene"] {
        let Some(dir) = share(sub) else { return };
        for ending in ["obj", "msh", "vtk"] {
            for path in files(&dir, ending) {
                let format = MeshFormat::of(&path).unwrap();
                for flags in 0..16 {
                    let options = LoadOptions {
                        triangulate: flags & 1 != 0,
                        create_subelements: (flags & 2 != 0).then_some(true),
                        only_attached_points: flags & 4 != 0,
                        handle_seams: flags & 8 != 0,
                        ..LoadOptions::default()
                    };
                    let mesh = load(&path, format, &options).unwrap_or_else(|e| panic!("{e}"));
                    assert!(!mesh.positions.is_empty() && mesh.normals.len() == mesh.positions.len());
                    if flags == 0 || flags == 15 {
                        topology(mesh);
                    }
                }
            }
        }
    }
}

#[test]
fn the_counts_of_real_meshes_are_theirs() {
    let Some(dir) = share("mesh") else { return };
    let counts = |name: &str| {
        let path = dir.join(name);
        let mesh = load(&path, MeshFormat::of(&path).unwrap(), &LoadOptions::default()).unwrap();
        [
            mesh.positions.len(),
            mesh.edges.len(),
            mesh.triangles.len(),
            mesh.quads.len(),
            mesh.tetrahedra.len(),
        ]
    };
    assert_eq!(counts("dragon.obj"), [1190, 0, 2564, 0, 0]);
    assert_eq!(counts("torus_for_collision.obj"), [200, 0, 400, 0, 0]);
    assert_eq!(counts("floor3.obj"), [12, 0, 4, 5, 0]);
    // A Gmsh file also yields the faces and edges of its tetrahedra.
    let [points, edges, triangles, quads, tetrahedra] = counts("truthcylinder1.msh");
    assert_eq!((points, quads), (642, 0));
    let euler = points as i64 - edges as i64 + triangles as i64 - tetrahedra as i64;
    assert_eq!(euler, 1, "a ball");
    let torus = counts("torus_low_res.msh").map(|n| n as i64);
    assert_eq!(torus[0] - torus[1] + torus[2] - torus[4], 0, "a full torus");
    assert_eq!(counts("test_quad.vtk")[3], 288);
}

#[test]
fn a_generated_list_of_edges_equals_the_topologys() {
    let Some(dir) = share("mesh") else { return };
    let path = dir.join("torus2_for_collision.obj");
    let options = LoadOptions { create_subelements: Some(true), ..LoadOptions::default() };
    let mesh = load(&path, MeshFormat::Obj, &options).unwrap();
    assert_eq!(mesh.edges, derive::edges_from_surface(&mesh.triangles, &[]));
    assert_eq!(mesh.edges.len(), 600);
}

#[test]
fn real_spheres_and_rigid_bodies_load() {
    let Some(dir) = share("mesh") else { return };
    let spheres = sphere::load(&dir.join("liver.sph"), &Default::default()).unwrap();
    assert_eq!((spheres.centers.len(), spheres.radii[2]), (34, 0.35));
    for path in files(&dir.join("../BehaviorModels"), "rigid") {
        let body = rigid::load(&path).unwrap();
        assert_eq!(body.mass, Some(5.0));
        assert!(body.unknown.is_empty() && body.inertia.is_some());
    }
}

#[test]
fn a_missing_file_and_a_directory_are_clear_errors() {
    let dir = tempfile::tempdir().unwrap();
    let directory = dir.path().join("d.obj");
    std::fs::create_dir(&directory).unwrap();
    let message =
        |p: &Path| load(p, MeshFormat::of(p).unwrap(), &LoadOptions::default()).unwrap_err().to_string();
    assert!(message(&directory).ends_with("d.obj: it is a directory"));
    assert!(message(&dir.path().join("m.msh")).ends_with("m.msh: there is no such file"));
    assert!(MeshFormat::of(Path::new("m.ply")).unwrap_err().to_string().contains("unknown mesh format"));
}

#[test]
fn a_large_grid_loads_in_a_moment() {
    let n = 512;
    let mut text = String::new();
    for i in 0..n * n {
        text += &format!("v {} {} 0\n", f64::from(i % n) / 511.0, f64::from(i / n) / 511.0);
    }
    for y in 0..n - 1 {
        for x in 1..n {
            let i = x + n * y;
            text += &format!("f {} {} {}\nf {} {} {}\n", i, i + 1, i + n + 1, i, i + n + 1, i + n);
        }
    }
    let mesh = obj::parse(Path::new("m.obj"), text.as_bytes(), false, false).unwrap();
    let t = topology(mesh);
    assert_eq!(t.n_points + t.triangles.len(), t.edges.len() + 1);
}

/// Every parser on the same bytes; what it says must be one line.
fn parse_all(bytes: &[u8]) {
    let path = Path::new("m");
    let one_line = |e: weft_scenes::mesh::MeshError| assert!(!e.to_string().contains('\n'), "{e}");
    for (triangulate, seams) in [(false, false), (true, true)] {
        obj::parse(path, bytes, triangulate, seams).map(check).unwrap_or_else(one_line);
    }
    gmsh::parse(path, bytes).map(check).unwrap_or_else(one_line);
    vtk::parse(path, bytes).map(check).unwrap_or_else(one_line);
    stl::parse(path, bytes).map(check).unwrap_or_else(one_line);
    sphere::parse(path, bytes).map(drop).unwrap_or_else(one_line);
    rigid::parse(path, bytes).map(drop).unwrap_or_else(one_line);
}

/// All indices lie in range, so that a topology can be built, unless there are no positions at all.
fn check(mesh: Mesh) {
    if !mesh.positions.is_empty() {
        topology(mesh);
    } else {
        assert!(mesh.triangles.is_empty() && mesh.quads.is_empty() && mesh.tetrahedra.is_empty());
    }
}

/// One valid file of each format.
fn samples() -> Vec<Vec<u8>> {
    let mut binary =
        b"# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 double\n".to_vec();
    [0.0_f64, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().for_each(|x| binary.extend(x.to_be_bytes()));
    binary.extend(b"\nCELLS 1 4\n");
    [3_i32, 0, 1, 2].iter().for_each(|x| binary.extend(x.to_be_bytes()));
    binary.extend(b"\nCELL_TYPES 1\n\0\0\0\x05\n");
    let mut facets = vec![b' '; 80];
    facets.extend(1_u32.to_le_bytes());
    facets.extend([0; 12]);
    [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().for_each(|x| facets.extend(x.to_le_bytes()));
    facets.extend([0; 2]);
    [
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvn 0 0 1\nf 1/1/1 2//1 -2\nf 1 2 3 4\nl 1 2\nusemtl a\n",
        "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n1\n1 4 1 1 4 1 2 3 4\n$ENDELM\n",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
            $Elements\n2\n1 4 2 0 1 1 2 3 4\n2 15 0 1\n$EndElements\n",
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n\
            $EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n",
        "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n\
            CELLS 2 9\n4 0 1 2 3\n3 0 1 2\nCELL_TYPES 2\n10 5\n",
        "# vtk DataFile Version 5.1\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n\
            POLYGONS 2 3\nOFFSETS vtktypeint64\n0 3\nCONNECTIVITY vtktypeint64\n0 1 2\n",
        "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n",
        "sph 1.0\nsphe 1 0 0 0 1\nsphe 2 1 0 0 1\n",
        "Xsp 3.0\nvertexMass 5\ninrt 1 0 0 0 1 0 0 0 1\ncenter 0 0 0\n",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .chain([binary, facets])
    .collect()
}

#[test]
fn the_samples_are_valid() {
    let path = Path::new("m");
    let samples = samples();
    assert!(obj::parse(path, &samples[0], false, false).is_ok());
    assert!(samples[1..4].iter().all(|s| gmsh::parse(path, s).is_ok()));
    assert!([4, 5, 9].iter().all(|i| vtk::parse(path, &samples[*i]).is_ok()));
    assert!([6, 10].iter().all(|i| stl::parse(path, &samples[*i]).is_ok()));
    assert!(sphere::parse(path, &samples[7]).is_ok() && rigid::parse(path, &samples[8]).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        parse_all(&bytes);
    }

    #[test]
    fn mutated_files_never_panic(
        sample in 0..11_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        doubled in prop::option::of((any::<prop::sample::Index>(), 1..9_usize)),
    ) {
        let mut bytes = samples().swap_remove(sample);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some((at, n)) = doubled {
            let at = at.index(bytes.len());
            let piece = bytes[at..(at + n).min(bytes.len())].to_vec();
            bytes.splice(at..at, piece);
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        parse_all(&bytes);
    }

    #[test]
    fn mutated_tokens_never_panic(
        sample in 0..9_usize,
        at in any::<prop::sample::Index>(),
        token in prop::sample::select(vec!["", "-1", "0", "1e400", "nan", "4294967295", "18446744073709551615", "-0", "9", "x", "1.5", "#"]),
    ) {
        let text = String::from_utf8(samples().swap_remove(sample)).unwrap();
        let mut tokens: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
        let at = at.index(tokens.len());
        let changed = format!("{token}{}", &tokens[at][tokens[at].trim_end().len()..]);
        tokens[at] = &changed;
        parse_all(tokens.concat().as_bytes());
    }
}
