//! The elements that components ask of a topology.

/// What elements a sample asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elements {
    None,
    /// Some, whichever.
    Any,
    Edges,
    Triangles,
    Tetrahedra,
    Hexahedra,
    /// Hexahedra of a regular grid.
    Grid,
}

impl Elements {
    /// By the word of a sample.
    pub fn of(word: &str) -> Self {
        match word {
            "" => Self::None,
            "any" => Self::Any,
            "edges" => Self::Edges,
            "triangles" => Self::Triangles,
            "tetrahedra" => Self::Tetrahedra,
            "hexahedra" => Self::Hexahedra,
            "grid" => Self::Grid,
            _ => panic!("no elements are called {word}"),
        }
    }

    /// What two ask for together; none if there is no such topology.
    pub fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Grid, Self::Hexahedra) | (Self::Hexahedra, Self::Grid) => Some(Self::Grid),
            (some, Self::None | Self::Any) if some != Self::None => Some(some),
            (Self::None | Self::Any, other) => Some(other),
            (a, b) => (a == b).then_some(a),
        }
    }
}
