//! The program, and what it says.

use std::process::Command;

/// The program, without the display, the data and the choices of who runs the tests.
pub fn weft() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weft"));
    for variable in [
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "WAYLAND_SOCKET",
        "WEFT_DATA_PATH",
        "WEFT_EXECUTOR",
        "WEFT_SUMS",
        "WEFT_TOPOLOGY",
        "RUST_LOG",
    ] {
        command.env_remove(variable);
    }
    command
}

/// Whether a program ended because there is no graphics driver here; says so.
pub fn has_no_driver(stderr: &str) -> bool {
    let none = stderr.contains("no graphics driver was found");
    if none {
        println!("SKIPPED: {}", stderr.trim());
    }
    none
}

/// What was written, as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
