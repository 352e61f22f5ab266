//! The window as a user sees it: the program itself, its pictures compared by content, its keys and mouse.
//!
//! Pictures need a graphics driver (Mesa's software drivers will do), the window a display (Xvfb will do); where there is
//! none, the tests say so and pass.
#![cfg(feature = "view")]

mod desktop;
mod panels;
mod picture;
mod pictures;
mod window;

use std::path::PathBuf;
use std::process::{Command, Output};

/// The program, with all workers on one thread so that tests beside each other get on.
fn weft() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weft"));
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WEFT_DATA_PATH");
    command
}

/// Whether a program ended because there is no graphics driver here; says so.
fn has_no_driver(stderr: &str) -> bool {
    let none = stderr.contains("no graphics driver was found");
    if none {
        println!("SKIPPED: {}", stderr.trim());
    }
    none
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Takes a picture; none where there is no graphics driver.
fn screenshot(arguments: &[&str]) -> Option<picture::Picture> {
    let directory = tempfile::tempdir().expect("a directory");
    let path: PathBuf = directory.path().join("picture.png");
    let output: Output =
        weft().arg("view").args(arguments).arg("--screenshot").arg(&path).output().expect("it starts");
    let stderr = text(&output.stderr);
    if has_no_driver(&stderr) {
        return None;
    }
    assert!(output.status.success(), "{stderr}");
    Some(picture::Picture::read(&path))
}
