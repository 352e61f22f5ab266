//! SOFA scene format, component registry, mesh readers and writers, and the gallery.

pub mod diagnostics;
pub mod element;
pub mod files;
pub mod include;
pub mod mesh;
pub mod parse;
pub mod path;
pub mod value_syntax;
