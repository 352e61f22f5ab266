//! Wavefront OBJ meshes.
//!
//! **Source:** as SOFA's `MeshOBJLoader`: vertices are kept as they are, four-cornered faces are quads unless
//! triangulated, others become fans. Unlike SOFA, an index out of range is an error (but not where the file has no
//! texture coordinates or normals at all), and a line element of more than
//! two vertices gives edges, not triangles. A `\\` at the end of a line continues it, and what follows a `#` is a comment, behind an element
//! too; SOFA knows neither.

use std::borrow::Cow;
use std::path::Path;

use sim_core::math::Vec3;

use super::scanner::{Scanner, lines, not_a, real, shown, tokens};
use super::{FaceGroup, Mesh, MeshError};

/// What a corner has no texture coordinate or normal with; sorts before all indices, as in SOFA.
const NONE: i64 = -1;

/// Reads an OBJ file; `path` is for messages.
///
/// With `handle_seams` there is one point for each distinct (vertex, texture coordinate, normal) that faces use, and
/// vertices without a face vanish.
///
/// # Errors
/// A malformed number, a face without two vertices, an index out of range.
pub fn parse(path: &Path, bytes: &[u8], triangulate: bool, handle_seams: bool) -> Result<Mesh, MeshError> {
    let mut file = read(&Scanner::new(path, bytes), bytes)?;
    if handle_seams {
        file.distinct = file.corners.clone();
        file.distinct.sort_unstable();
        file.distinct.dedup();
    }
    let mut mesh = if handle_seams { split_at_seams(&file) } else { merge_at_vertices(&file) };
    let mut corners =
        file.corners.iter().map(|c| if handle_seams { file.seam_index(c) } else { c.vertex as u32 });
    let mut nodes = Vec::new();
    let mut uses = file.uses.iter().peekable();
    for (k, face) in file.faces.iter().enumerate() {
        while let Some(used) = uses.next_if(|u| u.from == k) {
            open_group(&mut mesh, Some(used.material));
        }
        nodes.clear();
        nodes.extend(corners.by_ref().take(face.n));
        if face.is_line || face.n == 2 {
            mesh.edges.extend(nodes.windows(2).map(|e| [e[0].min(e[1]), e[0].max(e[1])]));
        } else {
            mesh.add_polygon(&nodes, triangulate);
        }
    }
    (mesh.materials, mesh.material_files) = (file.materials, file.material_files);
    if let Some(Unknown { word, line, n }) = file.unknown {
        let more = if n > 1 { format!(", and so are {} lines after it", n - 1) } else { String::new() };
        mesh.warn(format!("line {line} is skipped, since `{word}` is no keyword of OBJ files{more}"));
    }
    close_group(&mut mesh);
    Ok(mesh)
}

/// Begins the faces of another material; those before the first are a group too.
fn open_group(mesh: &mut Mesh, material: Option<usize>) {
    if mesh.groups.is_empty() && !(mesh.triangles.is_empty() && mesh.quads.is_empty()) {
        mesh.groups.push(FaceGroup { material: None, triangles: 0..0, quads: 0..0 });
    }
    close_group(mesh);
    let (t, q) = (mesh.triangles.len(), mesh.quads.len());
    mesh.groups.push(FaceGroup { material, triangles: t..t, quads: q..q });
}

/// Ends the last group at the last face; one without faces is dropped.
fn close_group(mesh: &mut Mesh) {
    let (t, q) = (mesh.triangles.len(), mesh.quads.len());
    if let Some(group) = mesh.groups.last_mut() {
        (group.triangles.end, group.quads.end) = (t, q);
    }
    mesh.groups.pop_if(|g| g.triangles.is_empty() && g.quads.is_empty());
}

/// One corner of a face, indices from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Corner {
    vertex: i64,
    tex_coord: i64,
    normal: i64,
}

struct Face {
    n: usize,
    is_line: bool,
}

/// The file's own lists.
#[derive(Default)]
struct File {
    vertices: Vec<Vec3>,
    tex_coords: Vec<[f64; 2]>,
    normals: Vec<Vec3>,
    faces: Vec<Face>,
    /// The corners of all faces, one face after the other.
    corners: Vec<Corner>,
    /// The distinct corners, sorted; empty unless seams are handled.
    distinct: Vec<Corner>,
    materials: Vec<String>,
    material_files: Vec<String>,
    /// Where another material begins, in order.
    uses: Vec<Use>,
    unknown: Option<Unknown>,
}

/// Lines that begin with what is no keyword.
struct Unknown {
    /// The first such word.
    word: String,
    /// Its line.
    line: usize,
    /// How many there are.
    n: usize,
}

/// A material is used from a face on.
struct Use {
    from: usize,
    /// Its place among the materials.
    material: usize,
}

impl File {
    /// The place of a corner among the distinct ones.
    fn seam_index(&self, corner: &Corner) -> u32 {
        self.distinct.binary_search(corner).unwrap_or(0) as u32
    }

    fn tex_coord(&self, corner: &Corner) -> Option<[f64; 2]> {
        self.tex_coords.get(usize::try_from(corner.tex_coord).ok()?).copied()
    }

    fn normal(&self, corner: &Corner) -> Option<Vec3> {
        self.normals.get(usize::try_from(corner.normal).ok()?).copied()
    }
}

/// The largest index seen of one kind, and where: vertices may come after the faces that use them.
#[derive(Default)]
struct Largest {
    index: i64,
    line: usize,
}

/// Keywords of what is no mesh, or not of interest here.
const OTHERS: &[&str] = &[
    "g",
    "o",
    "s",
    "p",
    "mg",
    "vp",
    "deg",
    "bmat",
    "step",
    "cstype",
    "curv",
    "curv2",
    "surf",
    "parm",
    "trim",
    "hole",
    "scrv",
    "sp",
    "end",
    "con",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "ctech",
    "stech",
    "maplib",
    "usemap",
    "call",
    "csh",
    "bsp",
    "bzp",
    "cdc",
    "cdp",
    "res",
];

/// The lines of a file, each with those that continue it.
fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, [u8]>)> {
    let mut rest = lines(bytes);
    std::iter::from_fn(move || {
        let (line, text) = rest.next()?;
        let mut text = Cow::Borrowed(text);
        while let Some(part) = text.trim_ascii_end().strip_suffix(b"\\") {
            // A comment may end in whatever it likes.
            if tokens(part).any(|t| t.starts_with(b"#")) {
                break;
            }
            let next = rest.next().map_or(&b""[..], |(_, next)| next);
            text = Cow::Owned([part, b" ", next].concat());
        }
        Some((line, text))
    })
}

fn read(scanner: &Scanner, bytes: &[u8]) -> Result<File, MeshError> {
    let mut file = File::default();
    let mut largest = [const { Largest { index: NONE, line: 0 } }; 3];
    for (line, text) in whole_lines(bytes) {
        let mut fields = tokens(&text);
        let keyword = fields.next().unwrap_or(b"");
        // Names may begin with anything.
        let is_named = matches!(keyword, b"usemtl" | b"mtllib");
        let mut fields = fields.take_while(|f| is_named || !f.starts_with(b"#"));
        match keyword {
            b"v" => file.vertices.push(vector(scanner, line, "a vertex", &mut fields)?),
            b"vn" => file.normals.push(vector(scanner, line, "a normal", &mut fields)?),
            b"vt" => {
                let u = number(scanner, line, "a texture coordinate", fields.next())?;
                let v = fields
                    .next()
                    .map_or(Ok(0.0), |t| number(scanner, line, "a texture coordinate", Some(t)))?;
                file.tex_coords.push([u, v]);
            }
            b"usemtl" => {
                let name = fields.next().map(String::from_utf8_lossy).unwrap_or_default().into_owned();
                let material = file.materials.iter().position(|m| *m == name).unwrap_or_else(|| {
                    file.materials.push(name);
                    file.materials.len() - 1
                });
                file.uses.push(Use { from: file.faces.len(), material });
            }
            b"mtllib" => file.material_files.extend(fields.map(|f| String::from_utf8_lossy(f).into_owned())),
            kind @ (b"f" | b"l") => {
                let before = file.corners.len();
                for field in fields {
                    let corner = corner(&file, field).map_err(|message| scanner.error_at(line, message))?;
                    for (index, largest) in
                        [corner.vertex, corner.tex_coord, corner.normal].into_iter().zip(&mut largest)
                    {
                        if index > largest.index {
                            *largest = Largest { index, line };
                        }
                    }
                    file.corners.push(corner);
                }
                let n = file.corners.len() - before;
                if n < 2 {
                    return Err(scanner.error_at(line, format!("a face of {n} vertices")));
                }
                file.faces.push(Face { n, is_line: kind == b"l" });
            }
            other => {
                let is_known = OTHERS.iter().any(|o| o.as_bytes() == other);
                if !(other.is_empty() || other.starts_with(b"#") || is_known) {
                    let new = Unknown { word: shown(other), line, n: 0 };
                    file.unknown.get_or_insert(new).n += 1;
                }
            }
        }
    }
    let counts = [
        ("vertices", file.vertices.len()),
        ("texture coordinates", file.tex_coords.len()),
        ("normals", file.normals.len()),
    ];
    for (k, (largest, (kind, n))) in largest.iter().zip(counts).enumerate() {
        // SOFA looks the index up and takes none: a file may name what was left out of it as a whole.
        let left_out = k > 0 && n == 0;
        if largest.index >= n as i64 && !left_out {
            let message = format!("index {} is out of range: there are only {n} {kind}", largest.index + 1);
            return Err(scanner.error_at(largest.line, message));
        }
    }
    if file.vertices.len() > u32::MAX as usize || file.corners.len() > u32::MAX as usize {
        return Err(scanner.error("too many vertices"));
    }
    Ok(file)
}

fn number(scanner: &Scanner, line: usize, what: &str, token: Option<&[u8]>) -> Result<f64, MeshError> {
    let token = token.ok_or_else(|| scanner.error_at(line, format!("{what} has too few numbers")))?;
    real(token).ok_or_else(|| scanner.error_at(line, not_a(what, "finite number", token)))
}

fn vector<'a>(
    scanner: &Scanner,
    line: usize,
    what: &str,
    fields: &mut impl Iterator<Item = &'a [u8]>,
) -> Result<Vec3, MeshError> {
    let mut v = Vec3::zeros();
    for c in v.iter_mut() {
        *c = number(scanner, line, what, fields.next())?;
    }
    Ok(v)
}

/// `vertex`, `vertex/tex_coord`, `vertex//normal` or `vertex/tex_coord/normal`; negative: back from the last so far.
fn corner(file: &File, field: &[u8]) -> Result<Corner, String> {
    let counts = [file.vertices.len(), file.tex_coords.len(), file.normals.len()];
    let mut indices = [NONE; 3];
    for (k, part) in field.split(|b| *b == b'/').enumerate().take(3) {
        if part.is_empty() && k > 0 {
            continue;
        }
        let given: i64 = std::str::from_utf8(part)
            .ok()
            .and_then(|t| t.parse().ok())
            .ok_or_else(|| not_a("an index", "whole number", part))?;
        let index = if given > 0 { given - 1 } else { given.saturating_add(counts[k] as i64) };
        if given == 0 || index < 0 {
            return Err(format!("index {given} is out of range"));
        }
        indices[k] = index;
    }
    Ok(Corner { vertex: indices[0], tex_coord: indices[1], normal: indices[2] })
}

/// One point per vertex: its normals summed and normalized, one of its texture coordinates.
fn merge_at_vertices(file: &File) -> Mesh {
    let n = file.vertices.len();
    let mut tex_coords = vec![[0.0; 2]; if file.tex_coords.is_empty() { 0 } else { n }];
    let mut normals = vec![Vec3::zeros(); if file.normals.is_empty() { 0 } else { n }];
    for corner in &file.corners {
        let at = corner.vertex as usize;
        if let Some(new) = file.tex_coord(corner) {
            let old = tex_coords[at];
            // As SOFA: of several, the one that lies most to the upper left.
            if old == [0.0; 2] || (new[1] - old[1]) - (new[0] - old[0]) > 0.0 {
                tex_coords[at] = new;
            }
        }
        if let Some(normal) = file.normal(corner) {
            normals[at] += normal;
        }
    }
    for normal in &mut normals {
        *normal = normal.try_normalize(f64::EPSILON).unwrap_or_default();
    }
    Mesh { positions: file.vertices.clone(), tex_coords, normals, ..Mesh::default() }
}

/// One point per distinct corner.
fn split_at_seams(file: &File) -> Mesh {
    Mesh {
        positions: file.distinct.iter().map(|c| file.vertices[c.vertex as usize]).collect(),
        tex_coords: file.distinct.iter().map(|c| file.tex_coord(c).unwrap_or_default()).collect(),
        normals: file.distinct.iter().map(|c| file.normal(c).unwrap_or_default()).collect(),
        ..Mesh::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = "# a comment\nmtllib m.mtl\no square\nv 0 0 0\nv 1 0 0\nv 1 1 0 1.0\nv 0 1 0\nv 5 5 5\n\
        vt 0 0\nvt 1 0\nvt .5\nvn 0 0 1\nvn 0 1 0\ng a b\nusemtl red\ns off\nf 1/1/1 2/2/1 3/3/1 4\n\
        f -5//2 2 3\nl 4 3 2\nusemtl red\n";

    fn read(text: &str, triangulate: bool, seams: bool) -> Result<Mesh, String> {
        parse(Path::new("m.obj"), text.as_bytes(), triangulate, seams).map_err(|e| e.to_string())
    }

    #[test]
    fn faces_become_quads_triangles_and_edges() {
        let mesh = read(SQUARE, false, false).unwrap();
        assert_eq!(mesh.positions.len(), 5);
        assert_eq!((&mesh.quads[..], &mesh.triangles[..]), (&[[0, 1, 2, 3]][..], &[[0, 1, 2]][..]));
        assert_eq!(mesh.edges, [[2, 3], [1, 2]]);
        assert_eq!(
            (&mesh.materials[..], &mesh.material_files[..]),
            (&["red".into()][..], &["m.mtl".into()][..])
        );
        assert_eq!(mesh.normals[1], Vec3::new(0.0, 0.0, 1.0));
        assert_eq!(mesh.tex_coords[2], [0.5, 0.0]);
        let fans = read(SQUARE, true, false).unwrap();
        assert_eq!(fans.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        assert!(fans.quads.is_empty());
    }

    #[test]
    fn seams_split_vertices_and_drop_unused_ones() {
        let mesh = read(SQUARE, false, true).unwrap();
        // Vertex 1 with (-, 2) and (1, 1), vertex 2 with (-, -) and (2, 1), vertex 3 likewise, vertex 4 once.
        assert_eq!(mesh.positions.len(), 7);
        assert_eq!(mesh.quads, [[1, 3, 5, 6]]);
        assert_eq!(mesh.triangles, [[0, 2, 4]]);
        assert_eq!(mesh.normals[0], Vec3::new(0.0, 1.0, 0.0));
    }

    #[test]
    fn faces_are_grouped_by_material() {
        let points = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
        let faces =
            "f 1 2 3\nusemtl a\nusemtl b\nf 1 2 3 4\nf 1 2 3\nusemtl a\nf 2 3 4\nf 2 3 4 1\nusemtl c\n";
        let mesh = read(&format!("{points}{faces}"), false, false).unwrap();
        assert_eq!(mesh.materials, ["a", "b", "c"]);
        let group = |material, triangles, quads| FaceGroup { material, triangles, quads };
        let expected = [group(None, 0..1, 0..0), group(Some(1), 1..2, 0..1), group(Some(0), 2..3, 1..2)];
        assert_eq!(mesh.groups, expected);
        let fans = read(&format!("{points}{faces}"), true, false).unwrap();
        assert_eq!(fans.groups.last(), Some(&group(Some(0), 4..7, 0..0)));
        assert!(read("v 0 0 0\nf 1 1 1", false, false).unwrap().groups.is_empty());
    }

    #[test]
    fn a_file_without_texture_coordinates_may_name_some() {
        let mesh = read("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/4/1 2/5/2 3/6/3\n", false, false).unwrap();
        assert_eq!((mesh.triangles.len(), mesh.tex_coords.len(), mesh.normals.len()), (1, 0, 0));
        assert_eq!(read("v 0 0 0\nv 1 0 0\nf 1/4 2/5\n", false, true).unwrap().positions.len(), 2);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            ("v 0 0\n", "m.obj:1: a vertex has too few numbers"),
            ("v 0 0 x\n", "m.obj:1: a vertex is not a finite number: `x`"),
            ("v 0 0 0\nf 1 2 1\n", "m.obj:2: index 2 is out of range: there are only 1 vertices"),
            (
                "v 0 0 0\nvt 0 0\nf 1/1 1/2 1/1\n",
                "m.obj:3: index 2 is out of range: there are only 1 texture coordinates",
            ),
            ("v 0 0 0\nf 0 1 1\n", "m.obj:2: index 0 is out of range"),
            ("v 0 0 0\nf -2 1 1\n", "m.obj:2: index -2 is out of range"),
            ("v 0 0 0\nf 1 1 /\n", "m.obj:2: an index is not a whole number: ``"),
            ("v 0 0 0\n\nf 1\n", "m.obj:3: a face of 1 vertices"),
            (
                "v 0 0 0\nf 99999999999999999999 1 1",
                "m.obj:2: an index is not a whole number: `99999999999999999999`",
            ),
        ] {
            assert_eq!(read(text, false, false).unwrap_err(), message);
        }
    }

    #[test]
    fn lines_go_on_and_end_in_comments() {
        let mesh =
            read("v 0 0 0 # a\nv 1 0 \\\n 0\nv 0 1 0\n# C:\\\nf 1 2 \\\r\n3 # 4\nl 1 2#x\\", false, false);
        assert!(mesh.is_err_and(|e| e.starts_with("m.obj:8: an index is not a whole number: `2#x")));
        let mesh =
            read("v 0 0 0 # a\nv 1 0 \\\n 0\nv 0 1 0\n# C:\\\nf 1 2 \\\r\n3 # 4\n", false, false).unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len(), mesh.warnings.len()), (3, 1, 0));
        let old = read("v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", false, false).unwrap();
        assert_eq!((old.positions.len(), old.triangles.len()), (3, 1));
        let capitals = read("g a\nV 0 0 0\nv 1 0 0\nF 1 2 3\n", false, false).unwrap();
        let said = "line 2 is skipped, since `V` is no keyword of OBJ files, and so are 1 lines after it";
        assert_eq!(capitals.warnings, [said]);
    }

    #[test]
    fn vertices_may_follow_their_faces() {
        assert_eq!(read("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0", false, false).unwrap().triangles, [[0, 1, 2]]);
    }
}
