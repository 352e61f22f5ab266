//! Why a topology cannot change.

use sim_core::scene::{ComponentId, Scene};

/// Why a topology cannot change, or not so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct EditError {
    /// The component that is in the way.
    pub component: ComponentId,
    /// Its path.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl EditError {
    pub(super) fn new(scene: &Scene, component: ComponentId, message: impl Into<String>) -> Self {
        Self { component, path: scene.path(component), message: message.into() }
    }
}
