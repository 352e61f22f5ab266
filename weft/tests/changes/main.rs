//! Force fields and objects that come to a running scene and go again.

mod attributes;
mod force_fields;
mod objects;
mod support;
