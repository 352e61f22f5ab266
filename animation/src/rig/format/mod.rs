//! The text format `.rig`.
