//! The command line program `weft`.
fn main() {}
