//! Regression tests as SOFA has them: scenes, how many steps, and the states that they should have then.
//!
//! `list.rs` reads SOFA's lists of scenes (`.regression-tests`), `reference.rs` its files of states, old and new; `case.rs` runs one
//! scene and compares, or writes what others are to be compared with; `page.rs` shows what came of it. What runs scenes beside each
//! other is the command `weft regress`.

mod case;
mod list;
mod page;
mod reference;

pub use case::{ObjectError, Outcome, Status, compare, record};
pub use list::{Case, SceneList, lists};
pub use page::write_page;
pub use reference::{Form, Frames, Reference, find_reference, write_reference};
