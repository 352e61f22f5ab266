//! Gmsh meshes: formats 1, 2 and 4 as text, 2 and 4.1 in binary, of either order of bytes.
//!
//! **Source:** the format descriptions in Gmsh's manual; what becomes of the elements as SOFA's `MeshGmshLoader`:
//! nodes in file order, elements of all groups, higher-order elements by their linear part, other kinds skipped.
//! Unlike SOFA, which reads no binary files, format 4 honors node tags too, and an unknown tag is an error.

use std::path::Path;

use sim_core::math::Vec3;

use super::gmsh_numbers::Numbers;
use super::scanner::{Scanner, real, shown};
use super::vtk_cells::{QuadraticEdges, add_edges_of_quadratic};
use super::{Mesh, MeshError};

/// Reads a Gmsh file; `path` is for messages.
///
/// # Errors
/// Anything that is not a complete mesh of one of the formats.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Mesh, MeshError> {
    let reader = Reader {
        numbers: Numbers::new(Scanner::new(path, bytes)),
        mesh: Mesh::default(),
        nodes: Vec::new(),
        skipped: 0,
        quadratic: QuadraticEdges::new(),
        knows_edges: false,
    };
    reader.file()
}

/// The dialects of the format, which differ in how nodes and elements are written.
#[derive(Clone, Copy, PartialEq)]
enum Dialect {
    V1,
    V2,
    V40,
    V41,
}

/// How many nodes the elements have that are passed over: type, number.
///
/// **Source:** Gmsh's manual, the list of element types of format 4.1.
const NODES_OF_SKIPPED: &[(u64, u64)] = &[
    (6, 6),
    (7, 5),
    (10, 9),
    (12, 27),
    (13, 18),
    (14, 14),
    (15, 1),
    (16, 8),
    (17, 20),
    (18, 15),
    (19, 13),
    (20, 9),
    (21, 10),
    (22, 12),
    (23, 15),
    (24, 15),
    (25, 21),
    (26, 4),
    (27, 5),
    (28, 6),
    (29, 20),
    (30, 35),
    (31, 56),
    (92, 64),
    (93, 125),
];

struct Reader<'a> {
    numbers: Numbers<'a>,
    mesh: Mesh,
    /// (tag, index), sorted by tag once all nodes are read.
    nodes: Vec<(u64, u32)>,
    skipped: usize,
    /// Edges of elements with nodes on them.
    quadratic: QuadraticEdges,
    /// Whether these are of all elements, not of the last one.
    knows_edges: bool,
}

impl Reader<'_> {
    fn file(mut self) -> Result<Mesh, MeshError> {
        let mut dialect = None;
        let (mut has_nodes, mut has_elements) = (false, false);
        while let Some(section) = self.numbers.scanner.token() {
            match section {
                b"$MeshFormat" => {
                    dialect = Some(self.mesh_format()?);
                    self.end(&[b"$EndMeshFormat"])?;
                }
                b"$NOD" | b"$Nodes" => {
                    if section == b"$NOD" {
                        dialect.get_or_insert(Dialect::V1);
                    }
                    let dialect = dialect.ok_or_else(|| self.no_format())?;
                    self.numbers.begin_section();
                    self.nodes(dialect)?;
                    self.end(&[b"$ENDNOD", b"$EndNodes"])?;
                    has_nodes = true;
                }
                b"$ELM" | b"$Elements" => {
                    if !has_nodes {
                        return Err(self.numbers.error("elements come before the nodes"));
                    }
                    self.numbers.begin_section();
                    self.elements(dialect.ok_or_else(|| self.no_format())?)?;
                    self.end(&[b"$ENDELM", b"$EndElements"])?;
                    has_elements = true;
                }
                other if other.starts_with(b"$") => self.numbers.skip_section(other)?,
                other => {
                    let message = format!("a section such as $Nodes is expected, not `{}`", shown(other));
                    return Err(self.numbers.error(message));
                }
            }
        }
        match (has_nodes, has_elements) {
            (false, _) => Err(self.numbers.error("the file ends without nodes: not a Gmsh mesh")),
            (true, false) => Err(self.numbers.error("the file ends without elements")),
            (true, true) => {
                if self.skipped > 0 {
                    let message =
                        format!("{} elements of kinds that are not used here are skipped", self.skipped);
                    self.mesh.warn(message);
                }
                Ok(self.mesh)
            }
        }
    }

    fn no_format(&self) -> MeshError {
        self.numbers.error("$MeshFormat is missing")
    }

    fn mesh_format(&mut self) -> Result<Dialect, MeshError> {
        let version = self.numbers.scanner.expect("the format's version")?;
        let dialect = match real(version) {
            Some(v) if (1.0..2.0).contains(&v) => Dialect::V1,
            Some(v) if (2.0..3.0).contains(&v) => Dialect::V2,
            Some(4.0) => Dialect::V40,
            Some(v) if (4.1..5.0).contains(&v) => Dialect::V41,
            _ => {
                let message = format!("format {} is unknown; known are 1, 2, 4", shown(version));
                return Err(self.numbers.error(message));
            }
        };
        let is_binary = self.numbers.scanner.integer("the file type")? != 0;
        let size = self.numbers.scanner.integer("the data size")?;
        match dialect {
            _ if !is_binary => {}
            Dialect::V2 => self.numbers.begin_binary(4)?,
            Dialect::V41 => self.numbers.begin_binary(size)?,
            Dialect::V1 | Dialect::V40 => {
                let message = "binary Gmsh files of this format cannot be read; save as format 2.2 or 4.1";
                return Err(self.numbers.error(message));
            }
        }
        Ok(dialect)
    }

    /// The end of a section.
    fn end(&mut self, names: &[&[u8]]) -> Result<(), MeshError> {
        let name = shown(names[names.len() - 1]);
        let found = self.numbers.scanner.expect(&name)?;
        if names.contains(&found) {
            return Ok(());
        }
        Err(self.numbers.error(format!("{name} is expected, not `{}`", shown(found))))
    }

    fn nodes(&mut self, dialect: Dialect) -> Result<(), MeshError> {
        if !self.nodes.is_empty() {
            return Err(self.numbers.error("nodes come twice"));
        }
        let at = self.numbers.scanner.line();
        match dialect {
            Dialect::V1 | Dialect::V2 => {
                let n = self.numbers.count("the number of nodes")?;
                self.tagged_nodes(n)?;
            }
            Dialect::V40 => {
                for _ in 0..self.blocks(2)? {
                    let [_, _, _, n] = self.block()?;
                    self.tagged_nodes(n)?;
                }
            }
            Dialect::V41 => {
                for _ in 0..self.blocks(4)? {
                    let [dim, _, parametric, n] = self.block()?;
                    self.tags_then_nodes(n, if parametric == 0 { 0 } else { dim })?;
                }
            }
        }
        self.nodes.sort_unstable();
        if let Some(pair) = self.nodes.array_windows().find(|[a, b]| a.0 == b.0) {
            return Err(self.numbers.scanner.error_at(at, format!("node {} comes twice", pair[0].0)));
        }
        Ok(())
    }

    /// The number of blocks, out of a header of `n` numbers.
    fn blocks(&mut self, n: usize) -> Result<u64, MeshError> {
        let blocks = self.numbers.tag("the number of blocks")?;
        (1..n).try_for_each(|_| self.numbers.tag("a number of the header").map(drop))?;
        Ok(blocks)
    }

    /// The four numbers at the head of a block; entity tags may be negative, and are of no interest.
    fn block(&mut self) -> Result<[u64; 4], MeshError> {
        const WHAT: &str = "a number at the head of a block";
        let mut head = [0; 4];
        if self.numbers.is_binary() {
            head[0] = self.numbers.small(WHAT)?;
            self.numbers.skip_small(1, WHAT)?;
            head[2] = self.numbers.small(WHAT)?;
            head[3] = self.numbers.tag(WHAT)?;
            return Ok(head);
        }
        for (i, number) in head.iter_mut().enumerate() {
            let mut ahead = self.numbers.scanner.clone();
            let negative_tag = i < 2 && ahead.token().is_some_and(|t| t.starts_with(b"-"));
            if negative_tag {
                self.numbers.scanner = ahead;
            } else {
                *number = self.numbers.tag(WHAT)?;
            }
        }
        Ok(head)
    }

    fn point(&mut self) -> Result<Vec3, MeshError> {
        let n = &mut self.numbers;
        Ok(Vec3::new(n.real("x")?, n.real("y")?, n.real("z")?))
    }

    fn tagged_nodes(&mut self, n: u64) -> Result<(), MeshError> {
        for _ in 0..n {
            let tag = self.numbers.tag("a node's number")?;
            let x = self.point()?;
            self.add_node(tag, x)?;
        }
        Ok(())
    }

    fn tags_then_nodes(&mut self, n: u64, parameters: u64) -> Result<(), MeshError> {
        let mut tags = Vec::new();
        for _ in 0..n {
            tags.push(self.numbers.tag("a node's number")?);
        }
        for tag in tags {
            let x = self.point()?;
            (0..parameters.min(3)).try_for_each(|_| self.numbers.real("a parameter").map(drop))?;
            self.add_node(tag, x)?;
        }
        Ok(())
    }

    fn add_node(&mut self, tag: u64, x: Vec3) -> Result<(), MeshError> {
        let index =
            u32::try_from(self.mesh.positions.len()).map_err(|_| self.numbers.error("too many nodes"))?;
        self.nodes.push((tag, index));
        self.mesh.positions.push(x);
        Ok(())
    }

    fn elements(&mut self, dialect: Dialect) -> Result<(), MeshError> {
        if dialect == Dialect::V1 || dialect == Dialect::V2 {
            let n = self.numbers.count("the number of elements")?;
            return if self.numbers.is_binary() {
                self.runs_of_elements(n)
            } else {
                self.listed_elements(n, dialect)
            };
        }
        self.knows_edges = true;
        for _ in 0..self.blocks(if dialect == Dialect::V40 { 2 } else { 4 })? {
            let [_, _, kind, n] = self.block()?;
            for _ in 0..n {
                self.numbers.tag("an element's number")?;
                self.element(kind, None)?;
            }
        }
        Ok(())
    }

    fn listed_elements(&mut self, n: u64, dialect: Dialect) -> Result<(), MeshError> {
        for _ in 0..n {
            self.numbers.tag("an element's number")?;
            let kind = self.numbers.small("an element's type")?;
            let n = if dialect == Dialect::V1 {
                self.numbers.skip_small(2, "an element's tag")?;
                Some(self.numbers.small("the number of nodes")?)
            } else {
                let tags = self.numbers.small("the number of tags")?;
                self.numbers.skip_small(tags, "an element's tag")?;
                None
            };
            self.element(kind, n)?;
        }
        Ok(())
    }

    /// Elements of a binary file of format 2: before some of one type stand the type, how many follow, and how many tags each has.
    fn runs_of_elements(&mut self, n: u64) -> Result<(), MeshError> {
        let mut left = n;
        while left > 0 {
            let kind = self.numbers.small("an element's type")?;
            let follow = self.numbers.small("the number of elements that follow")?;
            let tags = self.numbers.small("the number of tags")?;
            left = left.checked_sub(follow).filter(|_| follow > 0).ok_or_else(|| {
                self.numbers.error(format!("{follow} elements follow, where {left} are left of {n}"))
            })?;
            for _ in 0..follow {
                self.numbers.tag("an element's number")?;
                self.numbers.skip_small(tags, "an element's tag")?;
                self.element(kind, None)?;
            }
        }
        Ok(())
    }

    /// The nodes of one element; `n` of them where the file says so.
    fn element(&mut self, kind: u64, n: Option<u64>) -> Result<(), MeshError> {
        let own = match kind {
            1 => 2,
            2 | 8 => 3,
            3 | 4 => 4,
            5 => 8,
            9 => 6,
            11 => 10,
            _ => {
                self.skipped += usize::from(kind != 15);
                return self.skip_element(kind, n);
            }
        };
        if n.is_some_and(|n| n != own) {
            let message = format!("an element of type {kind} has {own} nodes, not {}", n.unwrap_or(0));
            return Err(self.numbers.error(message));
        }
        let mut nodes = [0; 10];
        for node in nodes.iter_mut().take(own as usize) {
            let tag = self.numbers.tag("a node's number")?;
            *node = self.index_of(tag)?;
        }
        let [a, b, c, d, e, f, g, h, ..] = nodes;
        match kind {
            1 | 8 => self.mesh.edges.push([a, b]),
            2 | 9 => self.mesh.triangles.push([a, b, c]),
            3 => self.mesh.quads.push([a, b, c, d]),
            4 | 11 => self.mesh.tetrahedra.push([a, b, c, d]),
            _ => self.mesh.hexahedra.push([a, b, c, d, e, f, g, h]),
        }
        let edges: &[[usize; 2]] = match kind {
            9 => &[[0, 1], [1, 2], [2, 0]],
            11 => &[[0, 1], [1, 2], [0, 2], [0, 3], [2, 3], [1, 3]],
            _ => &[],
        };
        // In the older formats SOFA knows nothing of the elements before.
        if !self.knows_edges {
            self.quadratic.clear();
        }
        add_edges_of_quadratic((&mut self.mesh, &mut self.quadratic), &nodes, edges);
        Ok(())
    }

    /// Passes over the nodes of an element of no use here.
    fn skip_element(&mut self, kind: u64, n: Option<u64>) -> Result<(), MeshError> {
        let n = match n {
            None if !self.numbers.is_binary() => {
                self.numbers.scanner.rest_of_line();
                return Ok(());
            }
            None => NODES_OF_SKIPPED.iter().find(|(k, _)| *k == kind).map(|(_, n)| *n),
            some => some,
        };
        let n = n.ok_or_else(|| {
            self.numbers.error(format!("elements of type {kind} are unknown, and so where they end"))
        })?;
        self.numbers.skip_tags(n, "a node's number")
    }

    fn index_of(&self, tag: u64) -> Result<u32, MeshError> {
        // Most files number their nodes 1, 2, 3 ...
        if let Some((t, index)) = tag.checked_sub(1).and_then(|i| self.nodes.get(i as usize))
            && *t == tag
        {
            return Ok(*index);
        }
        match self.nodes.binary_search_by_key(&tag, |node| node.0) {
            Ok(i) => Ok(self.nodes[i].1),
            Err(_) => Err(self.numbers.error(format!("there is no node {tag}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V1: &str = "$NOD\n5\n10 0 0 0\n3 1 0 0\n7 0 1 0\n8 0 0 1\n9 1 1 1\n$ENDNOD\n\
        $ELM\n4\n1 15 1 1 1 9\n2 1 1 -1 2 10 3\n3 2 1 1 3 10 3 7\n4 4 1 1 4 10 3 7 8\n$ENDELM\n";
    const V2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a b\"\n$EndPhysicalNames\n\
        $Nodes\n5\n10 0 0 0\n3 1 0 0\n7 0 1 0\n8 0 0 1\n9 1 1 1\n$EndNodes\n\
        $Elements\n4\n1 15 2 0 1 9\n2 1 2 0 1 10 3\n3 2 2 0 -1 10 3 7\n4 4 2 0 1 10 3 7 8\n$EndElements\n";
    const V41: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n\
        $Nodes\n2 5 3 10\n3 1 0 4\n10\n3\n7\n8\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n2 1 1 1\n9\n1 1 1 0.5 0.5\n$EndNodes\n\
        $Elements\n4 4 1 4\n0 1 15 1\n1 9\n1 1 1 1\n2 10 3\n2 1 2 1\n3 10 3 7\n3 1 4 1\n4 10 3 7 8\n$EndElements\n";
    const V40: &str = "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n$Nodes\n1 5\n1 3 0 5\n10 0 0 0\n3 1 0 0\n7 0 1 0\n\
        8 0 0 1\n9 1 1 1\n$EndNodes\n$Elements\n4 4\n1 0 15 1\n1 9\n1 1 1 1\n2 10 3\n1 2 2 1\n3 10 3 7\n1 3 4 1\n\
        4 10 3 7 8\n$EndElements\n";

    fn read(text: &str) -> Result<Mesh, String> {
        parse(Path::new("m.msh"), text.as_bytes()).map_err(|e| e.to_string())
    }

    #[test]
    fn all_formats_give_the_same_mesh() {
        for text in [V1, V2, V40, V41] {
            let mesh = read(text).unwrap();
            assert_eq!(mesh.positions.len(), 5);
            assert_eq!(mesh.positions[4], Vec3::new(1.0, 1.0, 1.0));
            assert_eq!((&mesh.edges[..], &mesh.triangles[..]), (&[[0, 1]][..], &[[0, 1, 2]][..]));
            assert_eq!(mesh.tetrahedra, [[0, 1, 2, 3]]);
            assert_eq!(read(&text.replace('\n', "\r\n")).unwrap(), mesh);
        }
    }

    #[test]
    fn higher_orders_keep_their_linear_part_and_unknown_kinds_are_skipped() {
        let text = V2
            .replace("3 2 2 0 -1 10 3 7", "3 9 2 0 1 10 3 7 8 9 10")
            .replace("1 15 2 0 1 9", "1 6 0 1 2 3 4 5 6");
        let mesh = read(&text).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
        assert_eq!(mesh.positions.len(), 5);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            (V1.replace("10 3 7 8", "10 3 7 6"), "m.msh:14: there is no node 6"),
            (V1.replace("7 0 1 0", "7 0 one 0"), "m.msh:5: y is not a finite number: `one`"),
            (V1.replace("7 0 1 0", "7 0 inf 0"), "m.msh:5: y is not a finite number: `inf`"),
            (V1.replace("4 4 1 1 4", "4 4 1 1 3"), "m.msh:14: an element of type 4 has 4 nodes, not 3"),
            (V1.replace("3 1 0 0", "10 1 0 0"), "m.msh:1: node 10 comes twice"),
            (V1.replace("$NOD\n5", "$NOD\n6"), "m.msh:8: a node's number is not a whole number: `$ENDNOD`"),
            (
                V40.replace("4.0 0", "4.0 1"),
                "m.msh:2: binary Gmsh files of this format cannot be read; save as format 2.2 or 4.1",
            ),
            (V2.replace("2.2 0", "2.2 1"), "m.msh: at byte 24: the number 1 is expected"),
            (V2.replace("2.2 0", "3.0 0"), "m.msh:2: format 3.0 is unknown; known are 1, 2, 4"),
            (V2.replace("$EndPhysicalNames", ""), "m.msh:4: section $PhysicalNames has no end"),
            ("hello".to_owned(), "m.msh:1: a section such as $Nodes is expected, not `hello`"),
            (String::new(), "m.msh:1: the file ends without nodes: not a Gmsh mesh"),
        ] {
            assert_eq!(read(&text).unwrap_err(), message);
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        for text in [V1, V2, V40, V41] {
            for end in 0..text.trim_end().len() {
                assert!(read(&text[..end]).is_err(), "cut at {end}");
            }
        }
    }

    /// Bytes of numbers in either order.
    #[derive(Clone, Copy)]
    struct Order {
        big: bool,
        width: usize,
    }

    impl Order {
        fn small(self, out: &mut Vec<u8>, numbers: &[i32]) {
            for n in numbers {
                out.extend(if self.big { n.to_be_bytes() } else { n.to_le_bytes() });
            }
        }
        fn tags(self, out: &mut Vec<u8>, numbers: &[u64]) {
            for n in numbers {
                let bytes = if self.big { n.to_be_bytes() } else { n.to_le_bytes() };
                let from = if self.big { 8 - self.width } else { 0 };
                out.extend(&bytes[from..from + self.width]);
            }
        }
        fn reals(self, out: &mut Vec<u8>, numbers: &[f64]) {
            for x in numbers {
                out.extend(if self.big { x.to_be_bytes() } else { x.to_le_bytes() });
            }
        }
    }

    /// The mesh of `V2` as the manual writes it in binary.
    fn binary_2(big: bool) -> Vec<u8> {
        let (o, mut b) = (Order { big, width: 4 }, b"$MeshFormat\n2.2 1 8\n".to_vec());
        o.small(&mut b, &[1]);
        b.extend(b"\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a b\"\n$EndPhysicalNames\n$Nodes\n5\n");
        let nodes =
            [(10, [0., 0., 0.]), (3, [1., 0., 0.]), (7, [0., 1., 0.]), (8, [0., 0., 1.]), (9, [1., 1., 1.])];
        for (tag, x) in nodes {
            o.small(&mut b, &[tag]);
            o.reals(&mut b, &x);
        }
        b.extend(b"\n$EndNodes\n$Elements\n5\n");
        // A point and a prism, of no use here, and two triangles in a row.
        o.small(&mut b, &[15, 1, 2, 1, 0, 1, 9]);
        o.small(&mut b, &[1, 1, 2, 2, 0, -1, 10, 3]);
        o.small(&mut b, &[2, 2, 1, 3, 0, 10, 3, 7, 4, 1, 3, 7, 8]);
        o.small(&mut b, &[4, 1, 0, 5, 10, 3, 7, 8]);
        b.extend(b"\n$EndElements\n$NodeData\n");
        b.extend([0, 200, b'$', 3]);
        b.extend(b"\n$EndNodeData\n");
        b
    }

    /// The same in format 4.1.
    fn binary_41(big: bool, width: usize) -> Vec<u8> {
        let (o, mut b) = (Order { big, width }, format!("$MeshFormat\n4.1 1 {width}\n").into_bytes());
        o.small(&mut b, &[1]);
        b.extend(b"\n$EndMeshFormat\n$Entities\n");
        o.tags(&mut b, &[0, 0, 0, 0]);
        b.extend(b"\n$EndEntities\n$Nodes\n");
        o.tags(&mut b, &[2, 5, 3, 10]);
        o.small(&mut b, &[3, -1, 0]);
        o.tags(&mut b, &[4, 10, 3, 7, 8]);
        o.reals(&mut b, &[0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.]);
        o.small(&mut b, &[2, 1, 1]);
        o.tags(&mut b, &[1, 9]);
        o.reals(&mut b, &[1., 1., 1., 0.5, 0.5]);
        b.extend(b"\n$EndNodes\n$Elements\n");
        o.tags(&mut b, &[5, 6, 1, 6]);
        o.small(&mut b, &[0, 1, 15]);
        o.tags(&mut b, &[1, 1, 9]);
        o.small(&mut b, &[1, -1, 1]);
        o.tags(&mut b, &[1, 2, 10, 3]);
        o.small(&mut b, &[2, 1, 2]);
        o.tags(&mut b, &[2, 3, 10, 3, 7, 4, 3, 7, 8]);
        o.small(&mut b, &[3, 1, 4]);
        o.tags(&mut b, &[1, 5, 10, 3, 7, 8]);
        o.small(&mut b, &[3, 1, 6]);
        o.tags(&mut b, &[1, 6, 10, 3, 7, 8, 9, 10]);
        b.extend(b"\n$EndElements\n");
        b
    }

    fn all_binary() -> Vec<Vec<u8>> {
        let four = [(false, 8), (true, 8), (false, 4), (true, 4)];
        let two = [false, true].map(binary_2);
        two.into_iter().chain(four.map(|(big, width)| binary_41(big, width))).collect()
    }

    #[test]
    fn binary_files_of_either_order_of_bytes_give_the_same_mesh() {
        for bytes in all_binary() {
            let mesh = parse(Path::new("m.msh"), &bytes).unwrap();
            let text = read(V2).unwrap();
            assert_eq!((&mesh.positions, &mesh.edges), (&text.positions, &text.edges));
            assert_eq!(mesh.triangles, [[0, 1, 2], [1, 2, 3]]);
            assert_eq!(mesh.tetrahedra, text.tetrahedra);
        }
    }

    #[test]
    fn binary_files_that_are_cut_or_lie_are_errors() {
        for bytes in all_binary() {
            let whole = bytes.windows(12).position(|w| w == b"$EndElements").unwrap() + 12;
            for end in 0..whole {
                assert!(parse(Path::new("m.msh"), &bytes[..end]).is_err(), "cut at {end}");
            }
        }
        let said = |bytes: &[u8]| parse(Path::new("m.msh"), bytes).unwrap_err().to_string();
        // A count that is far beyond the file.
        let mut many = binary_41(false, 8);
        let at = many.windows(7).position(|w| w == b"$Nodes\n").unwrap() + 7;
        many[at + 32 + 12..at + 32 + 20].fill(0x7f);
        assert!(said(&many).contains("the file ends within"), "{}", said(&many));
        let mut unknown = binary_41(false, 8);
        let at = unknown.len() - "\n$EndElements\n".len() - 8 * 8 - 4;
        assert_eq!(unknown[at], 6);
        unknown[at] = 77;
        assert!(said(&unknown).ends_with("elements of type 77 are unknown, and so where they end"));
        let none = binary_2(false);
        let at = none.windows(10).position(|w| w == b"$Elements\n").unwrap() + 12 + 4;
        let mut none = none;
        none[at] = 0;
        assert!(said(&none).ends_with("0 elements follow, where 5 are left of 5"), "{}", said(&none));
    }

    proptest::proptest! {
        /// Whatever becomes of some bytes: an error, or a mesh no larger than the file, and no panic.
        #[test]
        fn changed_binary_files_never_panic(
            which in 0_usize..6,
            changes in proptest::collection::vec((0_usize..700, proptest::num::u8::ANY), 1..8),
        ) {
            let mut bytes = all_binary().swap_remove(which);
            let n = bytes.len();
            for (at, byte) in changes {
                bytes[at % n] = byte;
            }
            if let Ok(mesh) = parse(Path::new("m.msh"), &bytes) {
                proptest::prop_assert!(mesh.positions.len() * 24 <= n);
                proptest::prop_assert!(mesh.triangles.len() * 12 <= n);
            }
        }
    }
}
