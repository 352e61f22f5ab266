//! Legacy VTK meshes, text and binary: unstructured grids and polygonal data.
//!
//! **Source:** the file format description of VTK 2 to 5; what becomes of the cells as SOFA's `MeshVTKLoader`:
//! quadratic cells by their linear part, other kinds skipped, strips inside out against VTK's definition (`add_strip`), coordinates in text
//! rounded to single precision where the file calls them `float` (found by SofaWasher's states, which differ by 3e-5 otherwise).
//! Keywords may be written in any case, as VTK says.

use std::path::Path;

use sim_core::math::Vec3;

use super::scanner::{Scanner, shown};
use super::vtk_cells::{Cells, add_strip};
use super::{Mesh, MeshError};

/// Reads a legacy VTK file; `path` is for messages.
///
/// # Errors
/// Anything that is not a complete mesh.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Mesh, MeshError> {
    let mut scanner = Scanner::new(path, bytes);
    let first = scanner.rest_of_line().unwrap_or_default();
    if !first.get(..14).is_some_and(|w| w.eq_ignore_ascii_case(b"# vtk DataFile")) {
        return Err(scanner.error_at(1, "not a VTK file"));
    }
    scanner.rest_of_line(); // The title.
    let binary = match scanner.expect("ASCII or BINARY")? {
        word if word.eq_ignore_ascii_case(b"ASCII") => false,
        word if word.eq_ignore_ascii_case(b"BINARY") => true,
        other => return Err(scanner.error(format!("ASCII or BINARY is expected, not `{}`", shown(other)))),
    };
    keyword(&mut scanner, b"DATASET")?;
    let dataset = scanner.expect("the kind of data set")?;
    if ![&b"UNSTRUCTURED_GRID"[..], b"POLYDATA"].iter().any(|known| dataset.eq_ignore_ascii_case(known)) {
        let message =
            format!("data set {} cannot be read; known are UNSTRUCTURED_GRID, POLYDATA", shown(dataset));
        return Err(scanner.error(message));
    }
    Reader { scanner, binary, mesh: Mesh::default() }.sections()
}

fn keyword(scanner: &mut Scanner, word: &[u8]) -> Result<(), MeshError> {
    let found = scanner.expect(&shown(word))?;
    if found.eq_ignore_ascii_case(word) {
        return Ok(());
    }
    Err(scanner.error(format!("{} is expected, not `{}`", shown(word), shown(found))))
}

/// Lists of indices one after the other, and where each begins; one entry more than there are lists.
struct Lists {
    offsets: Vec<usize>,
    nodes: Vec<u32>,
}

impl Lists {
    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.offsets.windows(2).map(|w| &self.nodes[w[0]..w[1]])
    }
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    binary: bool,
    mesh: Mesh,
}

impl Reader<'_> {
    fn sections(mut self) -> Result<Mesh, MeshError> {
        let mut cells: Option<Lists> = None;
        let (mut has_points, mut has_cells) = (false, false);
        while let Some(section) = self.scanner.token() {
            match section.to_ascii_uppercase().as_slice() {
                b"POINTS" if !has_points => {
                    self.points()?;
                    has_points = true;
                }
                kind @ (b"CELLS" | b"POLYGONS" | b"LINES" | b"VERTICES" | b"TRIANGLE_STRIPS") => {
                    if !has_points {
                        return Err(self.scanner.error(format!("{} comes before POINTS", shown(section))));
                    }
                    let list = self.cells()?;
                    match kind {
                        b"CELLS" => cells = Some(list),
                        b"POLYGONS" => list.iter().for_each(|c| self.mesh.add_polygon(c, false)),
                        b"LINES" => {
                            self.mesh.warn(
                                "lines of a file of polygons are no edges, as in SOFA; they are skipped",
                            );
                        }
                        b"TRIANGLE_STRIPS" => list.iter().for_each(|c| add_strip(&mut self.mesh, c)),
                        _ => {}
                    }
                    has_cells |= kind != b"CELLS";
                }
                b"CELL_TYPES" => {
                    let cells =
                        cells.take().ok_or_else(|| self.scanner.error("CELL_TYPES comes before CELLS"))?;
                    self.cell_types(&cells)?;
                    has_cells = true;
                }
                b"METADATA" => {
                    self.scanner.rest_of_line();
                    while self.scanner.rest_of_line().is_some_and(|line| !line.is_empty()) {}
                }
                b"FIELD" => self.field()?,
                // What follows are values at points or cells, of no interest here.
                b"POINT_DATA" | b"CELL_DATA" => break,
                _ => {
                    let message = format!("section `{}` is unknown here", shown(section));
                    return Err(self.scanner.error(message));
                }
            }
        }
        match (has_points, has_cells) {
            (false, _) => Err(self.scanner.error("the file ends without POINTS")),
            (true, false) => Err(self.scanner.error("the file ends without cells and their types")),
            (true, true) => Ok(self.mesh),
        }
    }

    fn points(&mut self) -> Result<(), MeshError> {
        let n = self.count("the number of points")?;
        let kind = self.kind()?;
        let numbers = self.reals(kind, n.saturating_mul(3), "a coordinate")?;
        self.mesh.positions = numbers.chunks_exact(3).map(|c| Vec3::new(c[0], c[1], c[2])).collect();
        Ok(())
    }

    /// One list of cells: classic (count and nodes of each), or since version 5 offsets and connectivity.
    fn cells(&mut self) -> Result<Lists, MeshError> {
        let n = self.count("the number of cells")?;
        let size = self.count("the size of the cell list")?;
        let mut ahead = self.scanner.clone();
        if ahead.token().is_some_and(|word| word.eq_ignore_ascii_case(b"OFFSETS")) {
            self.scanner = ahead;
            let kind = self.kind()?;
            let mut offsets: Vec<usize> =
                self.integers(kind, n, "an offset")?.iter().map(|o| *o as usize).collect();
            keyword(&mut self.scanner, b"CONNECTIVITY")?;
            let kind = self.kind()?;
            let start = self.scanner.clone();
            let nodes = self.integers(kind, size, "a point's index")?;
            if offsets.is_empty() {
                offsets.push(0);
            }
            if !offsets.is_sorted() || offsets[0] != 0 || offsets.last() != Some(&nodes.len()) {
                return Err(self.scanner.error("the offsets do not fit the connectivity"));
            }
            return Ok(Lists { offsets, nodes: self.indices(&start, 0, &nodes)? });
        }
        let start = self.scanner.clone();
        let numbers = self.integers(Kind::I32, size, "a cell's entry")?;
        let mut cells = Lists { offsets: vec![0], nodes: Vec::new() };
        let mut at = 0;
        for _ in 0..n {
            let own = numbers.get(at).and_then(|n| numbers[at + 1..].get(..usize::try_from(*n).ok()?));
            let own = own.ok_or_else(|| self.blame(&start, at, "the cells are longer than their list"))?;
            cells.nodes.extend(self.indices(&start, at + 1, own)?);
            cells.offsets.push(cells.nodes.len());
            at += 1 + own.len();
        }
        if at < numbers.len() {
            return Err(self.blame(&start, at, "the cells are shorter than their list"));
        }
        Ok(cells)
    }

    fn cell_types(&mut self, cells: &Lists) -> Result<(), MeshError> {
        let n = self.count("the number of cell types")?;
        if n + 1 != cells.offsets.len() {
            return Err(self.scanner.error(format!("{n} cell types for {} cells", cells.offsets.len() - 1)));
        }
        let types = self.integers(Kind::I32, n, "a cell's type")?;
        let mut reader = Cells::default();
        for (cell, kind) in cells.iter().zip(types) {
            reader.add(&mut self.mesh, kind, cell).map_err(|message| self.scanner.error(message))?;
        }
        reader.finish(&mut self.mesh);
        Ok(())
    }

    /// Passes over a block of arrays.
    fn field(&mut self) -> Result<(), MeshError> {
        self.scanner.expect("the field's name")?;
        for _ in 0..self.count("the number of arrays")? {
            self.scanner.expect("an array's name")?;
            let components = self.count("the number of components")?;
            let tuples = self.count("the number of tuples")?;
            let kind = self.kind()?;
            let n = components.saturating_mul(tuples);
            if self.binary {
                self.raw(kind, n, "an array")?;
            } else {
                (0..n).try_for_each(|_| self.scanner.expect("a number of an array").map(drop))?;
            }
        }
        Ok(())
    }

    fn count(&mut self, what: &str) -> Result<usize, MeshError> {
        let n = self.scanner.integer(what)?;
        u32::try_from(n)
            .map(|n| n as usize)
            .map_err(|_| self.scanner.error(format!("{what} is too large: {n}")))
    }

    fn kind(&mut self) -> Result<Kind, MeshError> {
        let name = self.scanner.expect("the type of the numbers")?;
        Kind::of(name)
            .ok_or_else(|| self.scanner.error(format!("numbers of type `{}` are unknown", shown(name))))
    }

    /// The bytes of `n` numbers, which begin on the next line.
    fn raw(&mut self, kind: Kind, n: usize, what: &str) -> Result<&[u8], MeshError> {
        self.scanner.rest_of_line();
        self.scanner.take(n.saturating_mul(kind.size()), what)
    }

    fn reals(&mut self, kind: Kind, n: usize, what: &str) -> Result<Vec<f64>, MeshError> {
        if !self.binary {
            // A header may promise anything: numbers are only believed in as they come.
            return (0..n)
                .map(|_| self.scanner.real(what).and_then(|x| self.stored(kind, x, what)))
                .collect();
        }
        let bytes = self.raw(kind, n, what)?;
        let numbers: Vec<f64> = bytes.chunks_exact(kind.size()).map(|b| kind.real(b)).collect();
        if numbers.iter().any(|x| !x.is_finite()) {
            return Err(self.scanner.binary_error(format!("{what} is not a finite number")));
        }
        Ok(numbers)
    }

    /// A number as a file of its kind would hold it in binary.
    fn stored(&self, kind: Kind, number: f64, what: &str) -> Result<f64, MeshError> {
        let stored = if matches!(kind, Kind::F32) { f64::from(number as f32) } else { number };
        let too_large = || self.scanner.error(format!("{what} is too large for a float: {number}"));
        stored.is_finite().then_some(stored).ok_or_else(too_large)
    }

    fn integers(&mut self, kind: Kind, n: usize, what: &str) -> Result<Vec<u64>, MeshError> {
        if !self.binary {
            return (0..n).map(|_| self.scanner.integer(what)).collect();
        }
        let bytes = self.raw(kind, n, what)?;
        let numbers: Option<Vec<u64>> = bytes.chunks_exact(kind.size()).map(|b| kind.integer(b)).collect();
        numbers.ok_or_else(|| self.scanner.binary_error(format!("{what} is not a whole number")))
    }

    /// Numbers of a list that begins at `start`, from its entry `first` on, as indices of points.
    fn indices(&self, start: &Scanner, first: usize, numbers: &[u64]) -> Result<Vec<u32>, MeshError> {
        let n = self.mesh.positions.len();
        let out_of_range = |k: usize, i: u64| {
            self.blame(start, first + k, &format!("index {i} is out of range: there are only {n} points"))
        };
        let index = |(k, i): (usize, &u64)| {
            u32::try_from(*i).ok().filter(|i| (*i as usize) < n).ok_or_else(|| out_of_range(k, *i))
        };
        numbers.iter().enumerate().map(index).collect()
    }

    /// An error at entry `k` of a list that begins at `start`; its line is looked up only now.
    fn blame(&self, start: &Scanner, k: usize, message: &str) -> MeshError {
        if self.binary {
            return self.scanner.binary_error(message);
        }
        let mut scanner = start.clone();
        for _ in 0..=k {
            scanner.token();
        }
        scanner.error(message)
    }
}

/// How numbers are stored in binary files, big end first.
#[derive(Clone, Copy)]
enum Kind {
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl Kind {
    fn of(name: &[u8]) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"float" => Self::F32,
            b"double" => Self::F64,
            b"char" => Self::I8,
            b"short" => Self::I16,
            b"int" | b"vtktypeint32" => Self::I32,
            b"long" | b"vtkidtype" | b"vtktypeint64" => Self::I64,
            b"unsigned_char" => Self::U8,
            b"unsigned_short" => Self::U16,
            b"unsigned_int" => Self::U32,
            b"unsigned_long" => Self::U64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// The bits of a number of `size` bytes, zero-extended.
    fn bits(bytes: &[u8]) -> u64 {
        bytes.iter().fold(0, |bits, b| bits << 8 | u64::from(*b))
    }

    fn signed(self, bytes: &[u8]) -> i64 {
        let unused = 64 - 8 * self.size();
        ((Self::bits(bytes) << unused) as i64) >> unused
    }

    fn real(self, bytes: &[u8]) -> f64 {
        match self {
            Self::F32 => f64::from(f32::from_bits(Self::bits(bytes) as u32)),
            Self::F64 => f64::from_bits(Self::bits(bytes)),
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Self::bits(bytes) as f64,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => self.signed(bytes) as f64,
        }
    }

    fn integer(self, bytes: &[u8]) -> Option<u64> {
        match self {
            Self::F32 | Self::F64 => None,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Some(Self::bits(bytes)),
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => u64::try_from(self.signed(bytes)).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: &str = "# vtk DataFile Version 2.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD F 1\nt 1 1 double\n0\n\
        POINTS 8 double\n0 0 0 1 0 0\n0 1 0 1 1 0\n0 0 1 1 0 1\n0 1 1 1 1 1\n\
        CELLS 6 28\n2 0 1\n3 0 1 2\n4 0 1 2 3\n4 0 1 2 4\n8 0 1 2 3 4 5 6 7\n1 5\nCELL_TYPES 6\n3 5 8 10 11 1\n";

    fn read(bytes: &[u8]) -> Result<Mesh, String> {
        parse(Path::new("m.vtk"), bytes).map_err(|e| e.to_string())
    }

    #[test]
    fn cells_become_elements() {
        let mesh = read(GRID.as_bytes()).unwrap();
        assert_eq!((&mesh.edges[..], &mesh.triangles[..]), (&[[0, 1]][..], &[[0, 1, 2]][..]));
        assert_eq!((&mesh.quads[..], &mesh.tetrahedra[..]), (&[[0, 1, 3, 2]][..], &[[0, 1, 2, 4]][..]));
        assert_eq!(mesh.hexahedra, [[0, 1, 3, 2, 4, 5, 7, 6]]);
        assert_eq!(mesh.positions[7], Vec3::new(1.0, 1.0, 1.0));
    }

    #[test]
    fn keywords_are_written_in_any_case_and_what_is_left_out_is_named() {
        let lower = GRID.replace("ASCII\nDATASET UNSTRUCTURED_GRID", "ascii\nDataset unstructured_grid");
        let lower =
            lower.replace("POINTS", "points").replace("CELLS", "Cells").replace("CELL_TYPES", "cell_types");
        assert_eq!(read(lower.as_bytes()), read(GRID.as_bytes()));
        let other = read(GRID.replace("3 5 8 10 11 1\n", "4 5 5 13 11 1\n").as_bytes()).unwrap();
        assert_eq!((other.triangles.len(), other.edges.len()), (2, 0));
        let said = [
            "1 cells of type 4 (polylines) are",
            "1 cells of type 13 (wedges) are",
            "1 cells of type 5 have more",
        ];
        assert!(other.warnings.iter().zip(said).all(|(w, s)| w.starts_with(s)), "{:?}", other.warnings);
        assert_eq!(other.warnings.len(), 3);
    }

    #[test]
    fn floats_in_text_have_single_precision() {
        let of = |kind: &str, x: &str| {
            let cells = "CELLS 1 2\n1 0\nCELL_TYPES 1\n1\n";
            let header = "# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n";
            read(format!("{header}POINTS 1 {kind}\n{x} 0 0\n{cells}").as_bytes())
        };
        assert_eq!(of("float", "161.942833").unwrap().positions[0].x, 161.94284057617188);
        assert_eq!(of("double", "161.942833").unwrap().positions[0].x, 161.942833);
        let error = of("float", "1e300").unwrap_err().to_string();
        assert!(error.contains("too large for a float"), "{error}");
    }

    #[test]
    fn polygonal_data_has_polygons_lines_and_strips() {
        let text = "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n0 0 0 1 0 0 1 1 0 0 1 0 2 2 2\n\
            METADATA\nINFORMATION 0\n\nVERTICES 1 2\n1 0\nLINES 1 4\n3 0 1 2\n\
            POLYGONS 3 14\n3 0 1 2\n4 0 1 2 3\n4 0 1 2 4\nTRIANGLE_STRIPS 1 5\n4 0 1 3 2\nPOINT_DATA 5\ngarbage\n";
        let mesh = read(text.as_bytes()).unwrap();
        assert_eq!(mesh.edges, [[0; 2]; 0], "lines are no edges");
        assert_eq!(mesh.quads, [[0, 1, 2, 3], [0, 1, 2, 4]]);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 3, 1], [1, 3, 2]]);
    }

    #[test]
    fn elements_with_nodes_on_their_edges_bring_edges() {
        let points = "POINTS 14 float\n".to_owned() + &"0 0 0\n".repeat(14);
        let cells =
            "CELLS 3 27\n10 3 2 1 0 4 5 6 7 8 9\n10 0 1 2 10 4 5 6 7 8 9\n4 0 1 2 3\nCELL_TYPES 3\n24 24 4\n";
        let text = format!("# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n{points}{cells}");
        let mesh = read(text.as_bytes()).unwrap();
        assert_eq!(mesh.tetrahedra, [[3, 2, 1, 0], [0, 1, 2, 10]]);
        let edges = [[2, 3], [1, 2], [1, 3], [0, 3], [0, 2], [0, 1], [0, 10], [1, 10], [2, 10]];
        assert_eq!(mesh.edges, edges);
    }

    fn binary(version5: bool) -> Vec<u8> {
        let mut file =
            b"# vtk DataFile Version 5.1\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n".to_vec();
        for x in [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.0] {
            file.extend(x.to_be_bytes());
        }
        if version5 {
            file.extend(b"\nCELLS 2 3\nOFFSETS vtktypeint64\n");
            [0_i64, 3].iter().for_each(|x| file.extend(x.to_be_bytes()));
            file.extend(b"\nCONNECTIVITY vtktypeint64\n");
            [0_i64, 1, 2].iter().for_each(|x| file.extend(x.to_be_bytes()));
        } else {
            file.extend(b"\nCELLS 1 4\n");
            [3_i32, 0, 1, 2].iter().for_each(|x| file.extend(x.to_be_bytes()));
        }
        file.extend(b"\nCELL_TYPES 1\n");
        file.extend(5_i32.to_be_bytes());
        file
    }

    #[test]
    fn binary_files_are_read_in_both_layouts() {
        for version5 in [false, true] {
            let mesh = read(&binary(version5)).unwrap();
            assert_eq!(mesh.triangles, [[0, 1, 2]]);
            assert_eq!(mesh.positions[2], Vec3::new(0.0, 0.5, 0.0));
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        for file in [binary(false), binary(true)] {
            for end in 0..file.len() {
                assert!(read(&file[..end]).is_err(), "cut at {end}");
            }
        }
    }

    #[test]
    fn errors_name_the_line() {
        for (from, to, message) in [
            ("4 0 1 2 4", "4 0 1 2 8", "m.vtk:17: index 8 is out of range: there are only 8 points"),
            ("4 0 1 2 4", "5 0 1 2 4", "m.vtk:18: index 8 is out of range: there are only 8 points"),
            ("4 0 1 2 4", "99 0 1 2 4", "m.vtk:17: the cells are longer than their list"),
            ("POINTS 8", "POINTS 9", "m.vtk:13: a coordinate is not a finite number: `CELLS`"),
            ("6 28", "6 29", "m.vtk:20: a cell's entry is not a whole number: `CELL_TYPES`"),
            ("6\n3 5", "5\n3 5", "m.vtk:20: 5 cell types for 6 cells"),
            ("6\n3 5", "6\n5 5", "m.vtk:21: a cell of type 5 has 2 points"),
            ("ASCII", "TEXT", "m.vtk:3: ASCII or BINARY is expected, not `TEXT`"),
            (
                "UNSTRUCTURED_GRID",
                "FIELD",
                "m.vtk:4: data set FIELD cannot be read; known are UNSTRUCTURED_GRID, POLYDATA",
            ),
            ("# vtk", "vtk", "m.vtk:1: not a VTK file"),
        ] {
            assert_eq!(read(GRID.replace(from, to).as_bytes()).unwrap_err(), message);
        }
    }
}
