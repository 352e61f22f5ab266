//! What of a game's own panicked.

use std::any::Any;

/// Something of a game's own that panicked while it was asked: a behaviour, a supplier, a change.
pub struct Panicked {
    /// What it was, for messages; nothing if it is not known.
    pub what: Option<String>,
    /// What the panic said.
    pub payload: Box<dyn Any + Send>,
}
