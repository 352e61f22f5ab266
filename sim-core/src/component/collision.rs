//! The face of a collision pipeline.
