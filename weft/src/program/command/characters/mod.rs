//! What commands do with characters.

mod check;
mod run;
mod source;

pub use check::check;
pub use run::run;
pub use source::CharacterSource;
