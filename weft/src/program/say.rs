//! Lines on stdout and stderr. A closed pipe (`weft list | head`) is no reason to panic.

use std::io::Write;

/// One line, or several, on stdout.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// One line, or several, on stderr.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
