//! Lines on stdout and stderr. A closed pipe (`weft list | head`) is no reason to panic, and nothing that fails; a full disk does.

use std::io::{ErrorKind, Write};
use std::sync::OnceLock;

/// What kept stdout from being written, first.
static BROKEN: OnceLock<String> = OnceLock::new();

/// One line, or several, on stdout.
pub fn say(text: &str) {
    note(writeln!(std::io::stdout().lock(), "{text}"));
}

/// One line, or several, on stderr.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Why stdout does not hold all that was said; nobody who closed a pipe asks.
pub fn not_said() -> Option<String> {
    note(std::io::stdout().lock().flush());
    BROKEN.get().map(|e| format!("cannot write to stdout: {e}"))
}

fn note(written: std::io::Result<()>) {
    if let Err(e) = written
        && e.kind() != ErrorKind::BrokenPipe
    {
        let _ = BROKEN.set(e.to_string());
    }
}
