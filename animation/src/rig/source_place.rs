//! Where nodes stand in the file that a rig was read from.

use std::fmt;
use std::sync::Arc;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// The file, by its name for messages.
    pub file: Arc<str>,
    /// The line, from 1 on.
    pub line: u32,
    /// The column, from 1 on.
    pub column: u32,
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A place as a message begins, where one is known.
pub(super) fn before(place: Option<&SourcePlace>) -> String {
    place.map_or_else(String::new, |place| format!("{place}: "))
}

/// The places of all nodes of a rig; few numbers, since there are many nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct SourcePlaces {
    file: Arc<str>,
    /// Line and column by node; zero where a program has added it.
    of_nodes: Vec<(u32, u32)>,
}

impl SourcePlaces {
    /// Of a file.
    pub fn of(file: Arc<str>) -> Self {
        Self { file, of_nodes: Vec::new() }
    }

    /// The place of a node by its number.
    pub fn get(&self, node: u32) -> Option<SourcePlace> {
        let (line, column) = *self.of_nodes.get(node as usize).filter(|(line, _)| *line > 0)?;
        Some(SourcePlace { file: self.file.clone(), line, column })
    }

    /// The node of this number stands there.
    pub fn set(&mut self, node: u32, line: u32, column: u32) {
        let n = self.of_nodes.len().max(node as usize + 1);
        self.of_nodes.resize(n, (0, 0));
        self.of_nodes[node as usize] = (line, column);
    }

    /// A node stands where one of others does.
    pub fn set_as(&mut self, node: u32, others: &Self, of: u32) {
        if let Some(SourcePlace { file, line, column }) = others.get(of) {
            self.file = file;
            self.set(node, line, column);
        }
    }
}
