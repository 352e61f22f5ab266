//! What a topological mapping makes of the elements of its input.

use sim_core::renumbering::ElementKind;

/// What goes with elements that are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Isolated {
    /// Edges and faces that no element has any more.
    pub(super) parts: bool,
    /// Points that no element has any more.
    pub(super) points: bool,
}

/// What a mapping makes of the elements of its input, as far as changes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingKind {
    /// `Tetra2TriangleTopologicalMapping`.
    TetrahedraToTriangles {
        /// `flipNormals`.
        flips: bool,
        /// `noNewTriangles`.
        adds_none: bool,
    },
    /// `Hexa2QuadTopologicalMapping`.
    HexahedraToQuads {
        /// `flipNormals`.
        flips: bool,
    },
    /// `Triangle2EdgeTopologicalMapping`.
    TrianglesToEdges,
    /// `Quad2TriangleTopologicalMapping`.
    QuadsToTriangles,
}

/// A mapping whose output is a part of the border of its input.
pub(super) struct Border {
    /// The elements that have the border.
    pub(super) of: ElementKind,
    /// What it consists of.
    pub(super) part: ElementKind,
    /// Whether parts that lose their last element go together, or each for itself.
    pub(super) removes_together: bool,
    /// What goes with them.
    pub(super) isolated: Isolated,
    /// Whether it takes in what lies bare.
    pub(super) adds_when_removed: bool,
    /// Whether it takes in what new elements bring.
    pub(super) adds_when_added: bool,
}

impl MappingKind {
    /// Its border; none of a mapping that halves.
    pub(super) fn border(self) -> Option<Border> {
        let isolated = Isolated { parts: true, points: false };
        match self {
            Self::TetrahedraToTriangles { adds_none, .. } => Some(Border {
                of: ElementKind::Tetrahedron,
                part: ElementKind::Triangle,
                removes_together: true,
                isolated,
                adds_when_removed: !adds_none,
                adds_when_added: !adds_none,
            }),
            Self::HexahedraToQuads { .. } => Some(Border {
                of: ElementKind::Hexahedron,
                part: ElementKind::Quad,
                removes_together: false,
                isolated,
                adds_when_removed: true,
                adds_when_added: false,
            }),
            Self::TrianglesToEdges => Some(Border {
                of: ElementKind::Triangle,
                part: ElementKind::Edge,
                removes_together: false,
                isolated: Isolated { parts: false, points: false },
                adds_when_removed: true,
                adds_when_added: true,
            }),
            Self::QuadsToTriangles => None,
        }
    }

    /// A bare part as it is added: `outward` as the element that stays has it, `kept` as the input's list has it.
    pub(super) fn bare(self, mut outward: Vec<u32>, kept: &[u32]) -> Vec<u32> {
        match self {
            Self::TetrahedraToTriangles { flips, .. } => {
                if flips {
                    outward.swap(1, 2);
                }
                let smallest = (0..3).min_by_key(|k| outward[*k]).unwrap_or(0);
                outward.rotate_left(smallest);
                outward
            }
            Self::HexahedraToQuads { flips } => {
                if flips {
                    outward.reverse();
                }
                outward
            }
            _ => {
                let mut edge = kept.to_vec();
                edge.sort_unstable();
                edge
            }
        }
    }
}
