//! A canvas in memory: its driver may go away, and its memory may not grow.
//!
//! Each of these tests runs in a process of its own: a lost device is lost to all that draws in a process, and other tests
//! allocate while one measures the process's memory.

use std::process::Command;

use kiss3d::context::Context;

use super::{Canvas, CanvasError, Pictures};
use crate::snapshot::Snapshot;
use crate::viewed::Viewed;

/// Set in a process that is there for one test.
const ALONE: &str = "WEFT_TEST_ALONE";

/// Runs a test of this file in a process of its own, which the test's name picks out.
fn alone(name: &str, test: fn()) {
    if std::env::var_os(ALONE).is_some() {
        return test();
    }
    let this = std::env::current_exe().expect("the tests are a program");
    let module = module_path!().split_once("::").expect("it is in a crate").1;
    let mut command = Command::new(this);
    command.args([&format!("{module}::{name}"), "--exact", "--nocapture", "--test-threads", "1"]);
    let output = command.env(ALONE, "1").output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    said.lines().filter(|l| l.contains("SKIPPED")).for_each(|l| println!("{l}"));
    let is_one = said.contains("test result: ok. 1 passed");
    assert!(output.status.success() && is_one, "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_lost_device_is_an_error() {
    alone("a_lost_device_is_an_error", || {
        let viewed = Viewed::default();
        let mut canvas = match Canvas::in_memory([64, 64], &viewed, &[], Pictures::Few) {
            Ok(canvas) => canvas,
            Err(e) => return println!("SKIPPED: {e}"),
        };
        let (camera, display, snapshot) = (viewed.camera(&[], 1.0), viewed.display(), Snapshot::default());
        assert!(matches!(canvas.draw(&camera, &display, &snapshot), Ok(true)));
        Context::get().device.destroy();
        let drawn = (0..3).map(|_| canvas.draw(&camera, &display, &snapshot)).find(Result::is_err);
        let Some(Err(CanvasError::Lost(said))) = drawn else { panic!("it is not noticed") };
        assert!(!said.is_empty());
    });
}

#[test]
#[cfg(target_os = "linux")]
fn many_pictures_take_no_more_memory_than_a_few() {
    alone("many_pictures_take_no_more_memory_than_a_few", || {
        let resident_kb = || {
            let status = std::fs::read_to_string("/proc/self/status").expect("the system says");
            let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).expect("it is there");
            line.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).expect("a number")
        };
        let viewed = Viewed::default();
        let mut canvas = match Canvas::in_memory([64, 64], &viewed, &[], Pictures::Many) {
            Ok(canvas) => canvas,
            Err(e) => return println!("SKIPPED: {e}"),
        };
        let (camera, display, snapshot) = (viewed.camera(&[], 1.0), viewed.display(), Snapshot::default());
        let mut draw = |n| (0..n).for_each(|_| assert!(canvas.draw(&camera, &display, &snapshot).is_ok()));
        draw(10);
        let before = resident_kb();
        draw(60);
        let after = resident_kb();
        // A picture of the floor alone kept megabytes where the driver made a shader for each.
        assert!(after < before + 16_000, "{before} kB before, {after} kB after 60 pictures");
    });
}
