//! XML VTK meshes: unstructured grids and polygons, with arrays of text, in base64, or appended.
//!
//! **Source:** the file format description of VTK; what becomes of the cells as in [`super::vtk`]. As in SOFA's
//! `MeshVTKLoader`, coordinates are read as 64-bit numbers, whatever type the file gives them (those of legacy files are not), and
//! of `PolyData` the polygons are read.

use std::path::Path;

use sim_core::math::Vec3;

use super::scanner::{Scanner, not_a, real, tokens};
use super::vtk_cells::Cells;
use super::vtu_arrays::{Encoding, without_appended};
use super::{Mesh, MeshError};
use crate::markup::{Markup, Tag, TagKind};

/// Reads an XML VTK file; `path` is for messages.
///
/// # Errors
/// What is no complete unstructured grid, or set of polygons.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Mesh, MeshError> {
    let scanner = Scanner::new(path, bytes);
    let (markup, appended) =
        without_appended(bytes).map_err(|(at, message)| scanner.error_at(line_at(bytes, at), message))?;
    let text = std::str::from_utf8(markup)
        .map_err(|e| scanner.error_at(line_at(bytes, e.valid_up_to()), "this is no text"))?;
    let (mesh, piece, is_divided) = (Mesh::default(), Piece::default(), appended.is_some());
    let encoding = Encoding { is_big_endian: false, header_width: 4, compressor: None, appended };
    let mut reader = Reader { scanner, text, mesh, piece, section: "", is_surface: false, encoding };
    let mut markup = Markup::new(text);
    let mut open: Vec<&str> = Vec::new();
    let mut pieces = 0;
    while let Some(tag) = markup.next_tag().map_err(|f| reader.error(f.at, f.message))? {
        match tag.kind {
            TagKind::Open if tag.name == "DataArray" => {
                let begin = markup.position();
                let end = markup.next_tag().map_err(|f| reader.error(f.at, f.message))?;
                match end.filter(|e| e.kind == TagKind::Close && e.name == tag.name) {
                    Some(end) => reader.array(&tag, begin, &text[begin..end.at])?,
                    None => return Err(reader.error(tag.at, "this array is not closed")),
                }
            }
            TagKind::Open => {
                reader.open(&tag)?;
                open.push(tag.name);
            }
            TagKind::Close => {
                if open.pop() != Some(tag.name) {
                    return Err(reader.error(tag.at, format!("`</{}>` does not fit", tag.name)));
                }
                if tag.name == "Piece" {
                    reader.close_piece(tag.at)?;
                    pieces += 1;
                }
                reader.section = open.last().copied().unwrap_or("");
            }
            TagKind::Empty if tag.name == "DataArray" => reader.array(&tag, tag.at, "")?,
            TagKind::Empty => {}
        }
    }
    // What is appended stands behind all else, and in the element of the file.
    if is_divided && open == ["VTKFile"] {
        open.clear();
    }
    match (open.last(), pieces) {
        (Some(name), _) => {
            Err(reader.error(text.len(), format!("the file ends before `<{name}>` is closed")))
        }
        (None, 0) => Err(reader.error(text.len(), "the file has no piece with points and cells")),
        (None, _) => Ok(reader.mesh),
    }
}

/// The line of a byte, from 1.
fn line_at(bytes: &[u8], at: usize) -> usize {
    1 + bytes[..at.min(bytes.len())].iter().filter(|b| **b == b'\n').count()
}

/// The arrays of a piece, each with the place where it begins.
#[derive(Default)]
struct Piece {
    points: Vec<Vec3>,
    connectivity: Vec<u64>,
    offsets: Vec<u64>,
    types: Vec<u64>,
    /// How many points and cells the file promises, where it does.
    promised: [Option<u64>; 2],
}

struct Reader<'t> {
    scanner: Scanner<'t>,
    text: &'t str,
    mesh: Mesh,
    piece: Piece,
    /// The element in which arrays stand.
    section: &'t str,
    /// Whether the file is of polygons.
    is_surface: bool,
    /// How arrays are written that are no text.
    encoding: Encoding<'t>,
}

impl<'t> Reader<'t> {
    fn error(&self, at: usize, message: impl Into<String>) -> MeshError {
        self.scanner.error_at(line_at(self.text.as_bytes(), at), message)
    }

    fn open(&mut self, tag: &Tag<'t>) -> Result<(), MeshError> {
        let kind = tag.attributes.iter().find(|a| a.name == "type");
        if tag.name == "VTKFile"
            && let Some(kind) = kind
        {
            self.is_surface = kind.value == "PolyData";
            if !self.is_surface && kind.value != "UnstructuredGrid" {
                let what = &kind.value;
                let message = format!(
                    "XML VTK files of type `{what}` cannot be read, only UnstructuredGrid and PolyData"
                );
                return Err(self.error(kind.at, message));
            }
            let is = |name: &str, value: &str| attribute(tag, name).is_some_and(|v| v.trim() == value);
            self.encoding.is_big_endian = is("byte_order", "BigEndian");
            self.encoding.header_width = if is("header_type", "UInt64") { 8 } else { 4 };
            self.encoding.compressor = attribute(tag, "compressor").map(|c| c.trim().to_owned());
        }
        if tag.name == "Piece" {
            let cells = if self.is_surface { "NumberOfPolys" } else { "NumberOfCells" };
            let number = |name: &str| attribute(tag, name).and_then(|n| n.trim().parse().ok());
            self.piece.promised = [number("NumberOfPoints"), number(cells)];
        }
        self.section = tag.name;
        Ok(())
    }

    /// Reads an array, if the mesh is made of it.
    fn array(&mut self, tag: &Tag<'t>, begin: usize, body: &str) -> Result<(), MeshError> {
        let name = attribute(tag, "Name").unwrap_or("");
        let cells = if self.is_surface { "Polys" } else { "Cells" };
        let wanted = self.section == "Points"
            || self.section == cells && matches!(name, "connectivity" | "offsets" | "types");
        if !wanted {
            if self.is_surface
                && matches!(self.section, "Verts" | "Lines" | "Strips")
                && !body.trim().is_empty()
            {
                self.mesh.warn(format!("`{}` of a file of polygons are skipped", self.section));
            }
            return Ok(());
        }
        let format = attribute(tag, "format").unwrap_or("ascii").to_ascii_lowercase();
        let kind = attribute(tag, "type").unwrap_or("");
        let wrong = |message: String| self.error(tag.at, format!("array `{name}`: {message}"));
        let numbers = match format.as_str() {
            "ascii" => self.numbers_of_text(begin, body)?,
            "binary" => self.encoding.inline(kind, body).map_err(wrong)?,
            "appended" => self.encoding.appended(kind, attribute(tag, "offset")).map_err(wrong)?,
            _ => return Err(self.error(tag.at, "an array has the format `ascii`, `binary` or `appended`")),
        };
        if self.section == "Points" {
            let width = attribute(tag, "NumberOfComponents").is_none_or(|n| n.trim() == "3");
            if !width || numbers.len() % 3 != 0 {
                return Err(self.error(tag.at, "a point has three coordinates"));
            }
            self.piece.points = numbers.chunks_exact(3).map(|c| Vec3::new(c[0], c[1], c[2])).collect();
            return Ok(());
        }
        let whole = |x: &f64| (*x >= 0.0 && x.fract() == 0.0 && *x < 9e15).then_some(*x as u64);
        let list = numbers.iter().map(whole).collect::<Option<Vec<u64>>>();
        let list = list.ok_or_else(|| self.error(tag.at, format!("`{name}` holds what is no index")))?;
        match name {
            "connectivity" => self.piece.connectivity = list,
            "offsets" => self.piece.offsets = list,
            _ => self.piece.types = list,
        }
        Ok(())
    }

    fn numbers_of_text(&self, begin: usize, body: &str) -> Result<Vec<f64>, MeshError> {
        let body = &numbers_only(body);
        let numbers = tokens(body.as_bytes()).map(|token| {
            let at = begin + (token.as_ptr() as usize - body.as_ptr() as usize);
            real(token).ok_or_else(|| self.error(at, not_a("an entry", "finite number", token)))
        });
        numbers.collect()
    }

    /// Adds a piece to the mesh: its points behind those that are there.
    fn close_piece(&mut self, at: usize) -> Result<(), MeshError> {
        let Piece { points, connectivity, offsets, types, promised } = std::mem::take(&mut self.piece);
        let (first, n) = (self.mesh.positions.len() as u64, points.len() as u64);
        for (what, n, promised) in [("points", n, promised[0]), ("cells", offsets.len() as u64, promised[1])]
        {
            if let Some(promised) = promised.filter(|p| *p != n) {
                let message = format!("{promised} {what} are promised; there are {n}");
                return Err(self.error(at, message));
            }
        }
        self.mesh.positions.extend(points);
        // Polygons have no types.
        if !self.is_surface && offsets.len() != types.len() {
            let message = format!("{} cell types for {} cells", types.len(), offsets.len());
            return Err(self.error(at, message));
        }
        let mut begin = 0;
        let mut cells = Cells::default();
        for (k, end) in offsets.iter().enumerate() {
            let end = usize::try_from(*end).ok().filter(|e| *e >= begin);
            let cell = end.and_then(|end| connectivity.get(begin..end));
            let cell = cell.ok_or_else(|| self.error(at, "the offsets do not fit the connectivity"))?;
            begin += cell.len();
            let index = |i: &u64| (*i < n).then(|| u32::try_from(first + i).ok()).flatten();
            let nodes = cell.iter().map(index).collect::<Option<Vec<u32>>>();
            let nodes = nodes.ok_or_else(|| {
                self.error(at, format!("a cell names a point that is not there: there are only {n}"))
            })?;
            if self.is_surface {
                self.mesh.add_polygon(&nodes, false);
                continue;
            }
            let added = cells.add(&mut self.mesh, types[k], &nodes);
            added.map_err(|message| self.error(at, message))?;
        }
        if begin < connectivity.len() {
            return Err(self.error(at, "the offsets do not fit the connectivity"));
        }
        cells.finish(&mut self.mesh);
        Ok(())
    }
}

/// The value of an attribute.
fn attribute<'t>(tag: &'t Tag<'_>, name: &str) -> Option<&'t str> {
    tag.attributes.iter().find(|a| a.name == name).map(|a| a.value.as_str())
}

/// A text with blanks in the place of comments and of the marks around text that is no markup, as long as before.
fn numbers_only(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find("<!") {
        out.push_str(&rest[..at]);
        let (comment, data) = ("<!--", "<![CDATA[");
        let (blank, text) = if rest[at..].starts_with(comment) {
            (rest[at..].find("-->").map_or(rest.len() - at, |end| end + 3), "")
        } else if let Some(inside) = rest[at..].strip_prefix(data) {
            let end = inside.find("]]>").unwrap_or(inside.len());
            (data.len(), &inside[..end])
        } else {
            (2, "")
        };
        out.extend(std::iter::repeat_n(' ', blank));
        out.push_str(text);
        rest = &rest[at + blank + text.len()..];
        if let Some(after) = rest.strip_prefix("]]>") {
            out.push_str("   ");
            rest = after;
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: &str = r#"<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">
<UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="2">
<PointData><DataArray type="Float32" Name="u" format="binary">AAAA</DataArray></PointData>
<Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">
0 0 0  1 0 0
0 1 0  0 0 0.1
</DataArray></Points>
<Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 3 0 1 2</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">4 7</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">10 5</DataArray></Cells>
</Piece></UnstructuredGrid></VTKFile>
"#;

    fn read(text: &str) -> Result<Mesh, String> {
        parse(Path::new("m.vtu"), text.as_bytes()).map_err(|e| e.to_string())
    }

    #[test]
    fn a_grid_has_points_and_cells() {
        let mesh = read(GRID).expect("a mesh");
        assert_eq!(mesh.positions[3], Vec3::new(0.0, 0.0, 0.1));
        assert_eq!(
            (mesh.tetrahedra.as_slice(), mesh.triangles.as_slice()),
            (&[[0, 1, 2, 3]][..], &[[0, 1, 2]][..])
        );
    }

    #[test]
    fn comments_and_raw_text_may_stand_in_arrays() {
        let changed = GRID
            .replace("0 1 2 3 0 1 2<", "<!-- 7 --><![CDATA[0 1 2 3]]> 0 1 2<")
            .replace(" format=\"ascii\"", "");
        assert_eq!(read(&changed), read(GRID));
        assert_eq!(numbers_only("1<!-- 2 -->3<![CDATA[4]]>5<!6"), "1          3         4   5  6");
    }

    /// Of a file of polygons triangles and quadrangles stay what they are; what has more corners becomes a fan.
    #[test]
    fn a_surface_has_polygons() {
        let text = r#"<VTKFile type="PolyData"><PolyData><Piece NumberOfPoints="6" NumberOfPolys="3">
<Points><DataArray type="Float32" format="ascii">0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0</DataArray></Points>
<Lines><DataArray Name="connectivity" format="ascii">0 1</DataArray><DataArray Name="offsets" format="ascii">2</DataArray></Lines>
<Polys><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 3  1 4 5  0 1 4 5 3</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">4 7 12</DataArray></Polys>
</Piece></PolyData></VTKFile>"#;
        let mesh = read(text).expect("a mesh");
        assert_eq!((mesh.positions.len(), mesh.edges.len()), (6, 0));
        assert_eq!(mesh.quads, [[0, 1, 2, 3]]);
        assert_eq!(mesh.triangles, [[1, 4, 5], [0, 1, 4], [0, 4, 5], [0, 5, 3]]);
        let e = read(&text.replace("4 5 3<", "4 5 9<")).expect_err("no point 9");
        assert!(e.contains("a cell names a point that is not there"), "{e}");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (from, to, message) in [
            ("0 1 0  0", "0 x 0  0", "m.vtu:7: an entry is not a finite number: `x`"),
            ("0 1 2 3 0", "0 1 2 9 0", "m.vtu:12: a cell names a point that is not there: there are only 4"),
            ("4 7", "4 9", "m.vtu:12: the offsets do not fit the connectivity"),
            ("10 5", "10", "m.vtu:12: 1 cell types for 2 cells"),
            (
                "\"offsets\" format=\"ascii\"",
                "\"offsets\" format=\"binary\"",
                "m.vtu:10: array `offsets`: the array ends too early",
            ),
            (
                "\"offsets\" format=\"ascii\"",
                "\"offsets\" format=\"appended\"",
                "m.vtu:10: array `offsets`: the file has no `<AppendedData>`",
            ),
            (
                "\"offsets\" format=\"ascii\"",
                "\"offsets\" format=\"hex\"",
                "m.vtu:10: an array has the format",
            ),
            ("type=\"UnstructuredGrid\"", "type=\"ImageData\"", "m.vtu:2: XML VTK files of type `ImageData`"),
            ("</Piece>", "", "m.vtu:12: `</UnstructuredGrid>` does not fit"),
            ("10 5", "10 12", "m.vtu:12: a cell of type 12 has 3 points"),
            (
                "NumberOfComponents=\"3\"",
                "NumberOfComponents=\"2\"",
                "m.vtu:5: a point has three coordinates",
            ),
            ("NumberOfPoints=\"4\"", "NumberOfPoints=\"5\"", "m.vtu:12: 5 points are promised; there are 4"),
            ("NumberOfCells=\"2\"", "NumberOfCells=\"3\"", "m.vtu:12: 3 cells are promised; there are 2"),
            ("0 1 2 3 0 1 2<", "0 1 2 3 0 1 2 3<", "m.vtu:12: the offsets do not fit the connectivity"),
        ] {
            let e = read(&GRID.replace(from, to)).expect_err(to);
            assert!(e.starts_with(message), "{e}");
        }
    }

    /// How a test writes a file.
    #[derive(Clone, Copy, Debug)]
    struct Written {
        big: bool,
        wide: bool,
        compressed: bool,
        appended: Option<&'static str>,
    }

    impl Written {
        fn header(self, out: &mut Vec<u8>, numbers: &[usize]) {
            for n in numbers {
                let bytes = if self.big { (*n as u64).to_be_bytes() } else { (*n as u64).to_le_bytes() };
                let bytes = match (self.wide, self.big) {
                    (true, _) => &bytes[..],
                    (false, true) => &bytes[4..],
                    (false, false) => &bytes[..4],
                };
                out.extend(bytes);
            }
        }

        /// An array as the description of the format has it, in base64 where it is to be text.
        fn array(self, words: &[Vec<u8>], is_text: bool) -> Vec<u8> {
            let order =
                |word: &Vec<u8>| if self.big { word.iter().rev().copied().collect() } else { word.clone() };
            let data: Vec<u8> = words.iter().flat_map(order).collect();
            let (mut header, mut body) = (Vec::new(), Vec::new());
            if self.compressed {
                // Blocks of 16 bytes.
                let blocks: Vec<Vec<u8>> = data.chunks(16).map(zlib).collect();
                self.header(&mut header, &[blocks.len(), 16, data.len() % 16]);
                self.header(&mut header, &blocks.iter().map(Vec::len).collect::<Vec<_>>());
                body = blocks.concat();
            } else {
                self.header(&mut header, &[data.len()]);
                header.extend(data);
            }
            if is_text { [base64(&header), base64(&body)].concat() } else { [header, body].concat() }
        }
    }

    fn zlib(block: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, block).expect("to memory");
        encoder.finish().expect("to memory")
    }

    fn base64(bytes: &[u8]) -> Vec<u8> {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digits = |group: &[u8]| {
            let word = (0..3).fold(0_u32, |sum, k| sum << 8 | u32::from(group.get(k).copied().unwrap_or(0)));
            let digit = |k: usize| DIGITS[(word >> (18 - 6 * k)) as usize & 63];
            (0..4).map(|k| if k <= group.len() { digit(k) } else { b'=' }).collect::<Vec<u8>>()
        };
        bytes.chunks(3).flat_map(digits).collect()
    }

    /// The grid of `GRID` with arrays that are no text.
    fn binary(w: Written) -> Vec<u8> {
        let points = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.1];
        let arrays: [(&str, &str, &str, Vec<Vec<u8>>); 4] = [
            ("Points", "Points", "Float64", points.iter().map(|x: &f64| x.to_le_bytes().to_vec()).collect()),
            (
                "Cells",
                "connectivity",
                "Int64",
                [0_i64, 1, 2, 3, 0, 1, 2].iter().map(|i| i.to_le_bytes().to_vec()).collect(),
            ),
            ("Cells", "offsets", "Int32", [4_i32, 7].iter().map(|i| i.to_le_bytes().to_vec()).collect()),
            ("Cells", "types", "UInt8", vec![vec![10], vec![5]]),
        ];
        let (order, header) =
            (if w.big { "BigEndian" } else { "LittleEndian" }, if w.wide { "UInt64" } else { "UInt32" });
        let compressor = if w.compressed { " compressor=\"vtkZLibDataCompressor\"" } else { "" };
        let mut file = format!(
            "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"{order}\" header_type=\"{header}\"{compressor}>\n\
             <UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"2\">\n"
        )
        .into_bytes();
        let mut behind = Vec::new();
        for section in ["Points", "Cells"] {
            file.extend(format!("<{section}>\n").bytes());
            for (_, name, kind, words) in arrays.iter().filter(|a| a.0 == section) {
                let array = w.array(words, w.appended != Some("raw"));
                file.extend(format!("<DataArray type=\"{kind}\" Name=\"{name}\" format=").bytes());
                if w.appended.is_some() {
                    file.extend(format!("\"appended\" offset=\"{}\"/>\n", behind.len()).bytes());
                    behind.extend(array);
                } else {
                    file.extend(b"\"binary\">\n  ");
                    file.extend(array);
                    file.extend(b"\n</DataArray>\n");
                }
            }
            file.extend(format!("</{section}>\n").bytes());
        }
        file.extend(b"</Piece></UnstructuredGrid>\n");
        if let Some(encoding) = w.appended {
            file.extend(format!("<AppendedData encoding=\"{encoding}\">\n _").bytes());
            file.extend(behind);
            file.extend(b"\n</AppendedData>\n");
        }
        file.extend(b"</VTKFile>\n");
        file
    }

    fn all_written() -> Vec<Written> {
        let mut all = Vec::new();
        for appended in [None, Some("base64"), Some("raw")] {
            for k in 0..8 {
                all.push(Written { big: k & 1 > 0, wide: k & 2 > 0, compressed: k & 4 > 0, appended });
            }
        }
        all
    }

    #[test]
    fn arrays_that_are_no_text_give_the_same_mesh() {
        let expected = read(GRID).expect("a mesh");
        for w in all_written() {
            let mesh = parse(Path::new("m.vtu"), &binary(w)).unwrap_or_else(|e| panic!("{w:?}: {e}"));
            assert_eq!(mesh, expected, "{w:?}");
        }
    }

    #[test]
    fn arrays_that_are_cut_or_lie_are_errors() {
        for w in all_written() {
            let file = binary(w);
            for end in 0..file.len() - 40 {
                assert!(parse(Path::new("m.vtu"), &file[..end]).is_err(), "{w:?} cut at {end}");
            }
        }
        let lz4 =
            String::from_utf8(binary(Written { big: false, wide: false, compressed: true, appended: None }));
        let lz4 = lz4.expect("text").replace("vtkZLib", "vtkLZ4");
        let e = read(&lz4).expect_err("no LZ4");
        assert!(e.starts_with("m.vtu:4: array `Points`: arrays compressed by `vtkLZ4DataCompressor`"), "{e}");
    }

    proptest::proptest! {
        /// Whatever becomes of some bytes: an error, or a mesh, and no panic.
        #[test]
        fn changed_arrays_never_panic(
            which in 0_usize..24,
            changes in proptest::collection::vec((0_usize..1500, proptest::num::u8::ANY), 1..6),
        ) {
            let mut bytes = binary(all_written().swap_remove(which));
            let n = bytes.len();
            for (at, byte) in changes {
                bytes[at % n] = byte;
            }
            if let Ok(mesh) = parse(Path::new("m.vtu"), &bytes) {
                proptest::prop_assert!(mesh.positions.len() <= 4 && mesh.triangles.len() <= 3);
            }
        }
    }
}
