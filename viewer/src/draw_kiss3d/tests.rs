//! A canvas in memory: its driver may go away, and its memory may not grow.

use kiss3d::context::Context;

use super::{Canvas, CanvasError, Pictures};
use crate::snapshot::Snapshot;
use crate::viewed::Viewed;

#[test]
fn a_lost_device_is_an_error() {
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
}

#[test]
#[cfg(target_os = "linux")]
fn many_pictures_take_no_more_memory_than_a_few() {
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
}
