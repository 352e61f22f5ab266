//! What can be wrong with a tree.

use thiserror::Error;

/// What is wrong with a tree.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TreeError {
    /// A handle is of no node, or of one that was removed.
    #[error("there is no such node")]
    Unknown,
    /// A node is to be in two places.
    #[error("{node} has a parent already: a node is in one place of one tree")]
    Twice {
        /// The node.
        node: String,
    },
    /// A behaviour cannot have so many children.
    #[error("{node} has {found} children and takes {expected}")]
    Children {
        /// The node.
        node: String,
        /// How many it has.
        found: usize,
        /// How many it may have.
        expected: String,
    },
    /// What is submitted or removed is not the root of a tree.
    #[error("{node} is inside a tree; only a root can be submitted or removed")]
    NotARoot {
        /// The node.
        node: String,
    },
    /// A node is to be below itself.
    #[error("{node} is above the node whose child it is to be")]
    Above {
        /// The node.
        node: String,
    },
    /// The tree was submitted and has not ended.
    #[error("{node} runs already")]
    Runs {
        /// The root.
        node: String,
    },
    /// A task of the tree is in nobody's hands.
    #[error("{node} is of a task that was removed")]
    NoTask {
        /// The node.
        node: String,
    },
}
