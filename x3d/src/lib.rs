//! X3D scenes, in XML and ClassicVRML, as event graphs.
//!
//! [`load_file`] and [`load_text`] yield an [`EventScene`](animation::event::scene::EventScene): all nodes with their values, routes,
//! prototypes and inlined files expanded, each in a context of its own. What is wrong with a file comes back with its place:
//! **errors** where the scene cannot run as it is written, **warnings** where X3D browsers go on and so do we.
//! Of the errors, those about types, fields, values and prototypes cost only what they are about, and the scene comes back with them:
//! a node of an unknown type is left out with what stands in it and with its routes, a field that there is not with its value, a field
//! with a wrong value has its type's, an Inline whose file cannot be read shows nothing. All others cost the scene.
//!
//! | error | warning, and what is done |
//! |---|---|
//! | what cannot be parsed; an empty or binary file; no `Scene` | no header, no profile: read as full X3D |
//! | unknown types, fields, prototypes | a type outside of the file's profile; a root that is no child node |
//! | a value that is none of its type | a list's last element that is not whole: left out |
//! | a value for an event field of a node | the same of a prototype's instance: left out |
//! | `USE` or `ROUTE` of a name that there is not | `ROUTE` before its nodes; a name given twice: the last counts |
//! | a route between types, from no output, to no input, into a StaticGroup | the same route twice: counts once |
//! | `IS` of other types, accesses, missing fields, outside of a prototype | `IS` of an event field of another type: left out; a prototype without a body |
//! | a node, a prototype or a file inside itself | a file that is not there (Inline, EXTERNPROTO): shows nothing, does nothing |
//! | an EXTERNPROTO that is not as declared; an `IMPORT` of what is not exported | an `IMPORT` from an Inline that is not loaded: waits |
//! | | an instance before its prototype; a node in a field that takes others; a field that an EXTERNPROTO does not declare |
//! | | a field given twice: the last counts; a list without brackets; words of the other language; `USE` with more than a name |
//! | | a version, a component or a level that there is not; statements of the header out of order; a second `Scene` |
//! | more nodes than [`LoadOptions`] allows | keys that do not grow or do not match their values; a cycle of no time; a rotation about no axis |
//!
//! **Source:** ISO/IEC 19775-1 (architecture), 19776-1 (XML), 19776-2 (ClassicVRML), 14772-1 (VRML97).

pub mod bodies;
mod build;
pub mod catalogue;
mod files;
mod loader;
mod names;
mod options;
pub mod script;
pub mod shape;
mod source;
mod syntax;

use std::path::Path;

use diagnostics::Diagnostic;

pub use loader::{Loaded, Loader};
pub use options::LoadOptions;

/// Extensions of files that are read here.
const EXTENSIONS: [&str; 11] =
    ["x3d", "x3dv", "wrl", "x3dz", "x3dvz", "wrz", "vrml", "x3d.gz", "x3dv.gz", "wrl.gz", "vrml.gz"];

/// Whether a file is an X3D scene by its name.
pub fn is_x3d(path: impl AsRef<Path>) -> bool {
    let name = path.as_ref().file_name().and_then(|n| n.to_str()).unwrap_or_default().to_lowercase();
    EXTENSIONS.iter().any(|e| name.strip_suffix(e).is_some_and(|stem| stem.ends_with('.')))
}

/// Loads a scene from a file, plain or gzipped; what it holds says which encoding it is.
///
/// # Errors
/// All that is wrong with it.
pub fn load_file(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Loaded, Vec<Diagnostic>> {
    Loader::new(options).file(path.as_ref())
}

/// Loads a scene from a text. Messages name it as `file` says, and addresses in it are relative to that file.
///
/// # Errors
/// All that is wrong with it.
pub fn load_text(text: &str, file: &str, options: &LoadOptions) -> Result<Loaded, Vec<Diagnostic>> {
    Loader::new(options).text(text, file)
}
