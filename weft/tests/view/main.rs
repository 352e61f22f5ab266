//! The window as a user sees it: the program itself, its pictures compared by content, its keys and mouse.
//!
//! Pictures need a graphics driver (Mesa's software drivers will do), the window a display (Xvfb will do); where there is
//! none, the tests say so and pass.
#![cfg(feature = "view")]

mod anew;
mod animated;
mod desktop;
mod panels;
mod picture;
mod pictures;
mod pointing;
mod program;
mod rigs;
mod screen;
mod sensing;
mod window;

use std::path::PathBuf;
use std::process::Output;

use program::{has_no_driver, text, weft};

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
