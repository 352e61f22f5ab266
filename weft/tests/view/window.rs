//! The window itself, on a display of its own.

use crate::desktop::Desktop;
use crate::picture::{Picture, blue, green, red};

const SPACE: u32 = 0x20;
const ESCAPE: u32 = 0xff1b;
const R: u32 = 'r' as u32;
const N: u32 = 'n' as u32;
const ONE: u32 = '1' as u32;
const THREE: u32 = '3' as u32;
const P: u32 = 'p' as u32;
const SHIFT: u32 = 0xffe1;

const ARGUMENTS: &[&str] = &["stack", "--paused", "--size", "480x360", "--threads", "1"];

/// Where the blue box is, if it is seen whole.
fn blue_box(p: &Picture) -> Option<[f64; 2]> {
    p.find(blue).filter(|(n, _)| *n > 300).map(|(_, at)| at)
}

/// A number once it stays, in more pictures than one.
fn settled(desktop: &Desktop, number: impl Fn(&Picture) -> usize) -> usize {
    let (mut last, mut same) = (None, 0);
    desktop.wait("a picture at rest", |p| {
        let now = Some(number(p));
        same = if now == last { same + 1 } else { 0 };
        last = now;
        now.filter(|_| same >= 8)
    })
}

/// Where it is once it stays, in more pictures than one: where other programs use the machine, a window may be drawn less
/// often than it is looked at.
fn at_rest(desktop: &Desktop) -> [f64; 2] {
    let (mut last, mut same) = (None, 0);
    desktop.wait("the blue box at rest", |p| {
        let now = blue_box(p);
        same = if now == last { same + 1 } else { 0 };
        last = now;
        now.filter(|_| same >= 8)
    })
}

#[test]
fn space_starts_and_stops_n_steps_r_begins_anew_and_escape_closes() {
    let Some(mut desktop) = Desktop::start(ARGUMENTS) else { return };
    // Without the panels, which would cover a part of so small a window.
    desktop.key(P);
    let first = at_rest(&desktop);
    desktop.key(SPACE);
    desktop.wait("the blue box falling", |p| blue_box(p).filter(|at| at[1] > first[1] + 8.0));
    desktop.key(SPACE);
    let stopped = at_rest(&desktop);
    desktop.key(R);
    desktop.wait("the beginning", |p| blue_box(p).filter(|at| (at[1] - first[1]).abs() < 0.5));
    // A box falls half a pixel or so in some steps.
    for _ in 0..12 {
        desktop.key(N);
    }
    let stepped = desktop.wait("steps", |p| blue_box(p).filter(|at| at[1] > first[1] + 0.5));
    assert!(stepped[1] < stopped[1] + 100.0);
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
}

#[test]
fn the_mouse_turns_moves_and_zooms_and_the_title_bar_closes() {
    let Some(mut desktop) = Desktop::start(ARGUMENTS) else { return };
    // Without the panels, which would cover a part of so small a window.
    desktop.key(P);
    let first = at_rest(&desktop);
    let boxes = |p: &Picture| p.find(|c| red(c) || green(c) || blue(c)).map_or(0, |(n, _)| n);
    let size = boxes(&desktop.picture());
    // To the right by the right button.
    desktop.point([240, 330]);
    desktop.button(3, true);
    desktop.point([300, 330]);
    desktop.button(3, false);
    desktop.wait("the boxes moved", |p| blue_box(p).filter(|at| at[0] > first[0] + 30.0));
    // Nearer by the wheel.
    for _ in 0..4 {
        desktop.button(4, true);
        desktop.button(4, false);
    }
    desktop.wait("larger boxes", |p| (boxes(p) > size + size / 4).then_some(()));
    // From above by the left button: the top of the red box vanishes below the others.
    let before = settled(&desktop, |p| p.find(red).map_or(0, |(n, _)| n));
    desktop.button(1, true);
    desktop.point([300, 500]);
    desktop.button(1, false);
    desktop.wait("a view from above", |p| (p.find(red).map_or(0, |(n, _)| n) < before / 2).then_some(()));
    desktop.close();
    assert_eq!(desktop.end(), Some(0));
}

#[test]
fn display_flags_hide_and_the_window_may_change_its_size() {
    let Some(mut desktop) = Desktop::start(ARGUMENTS) else { return };
    desktop.key(P);
    at_rest(&desktop);
    desktop.key(ONE);
    desktop.wait("no visual models", |p| p.find(blue).is_none_or(|(n, _)| n < 20).then_some(()));
    desktop.key(ONE);
    at_rest(&desktop);
    desktop.resize([700, 550]);
    desktop.wait("a larger picture", |p| blue_box(p).filter(|at| at[0] > 300.0));
    desktop.resize([200, 150]);
    desktop.wait("a smaller picture", |p| p.find(blue).filter(|(n, at)| *n > 30 && at[0] < 150.0));
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
}

#[test]
fn a_simulation_that_fails_stays_in_sight_and_begins_anew() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("too_heavy.scn");
    // What it falls by is no number after a step.
    let scene = "<Node dt='10' gravity='0 -1e308 0'>
        <EulerExplicitSolver/><MechanicalObject position='0 0 0  1 0 0  1 1 0  0 1 0'/><UniformMass totalMass='1'/>
        <Node>
            <OglModel position='0 0 0  1 0 0  1 1 0  0 1 0' quads='0 1 2 3' color='0 0 1 1'/><IdentityMapping/>
        </Node>
    </Node>";
    std::fs::write(&file, scene).expect("it is written");
    let file = file.to_str().expect("its name is text");
    let arguments = [file, "--paused", "--size", "800x600", "--threads", "1"];
    let Some(mut desktop) = Desktop::start(&arguments) else { return };
    let message = |p: &Picture| p.find(red).is_some_and(|(n, _)| n > 20);
    desktop.wait("the blue square", |p| p.find(blue).filter(|_| !message(p)));
    desktop.key(SPACE);
    desktop.wait("what went wrong, over the last good state", |p| p.find(blue).filter(|_| message(p)));
    desktop.key(R);
    desktop.wait("the beginning", |p| p.find(blue).filter(|_| !message(p)));
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
}

#[test]
fn wireframes_follow_what_moves() {
    let Some(mut desktop) = Desktop::start(ARGUMENTS) else { return };
    desktop.key(P);
    at_rest(&desktop);
    // Collision models only: they are lines.
    desktop.key(ONE);
    desktop.key(THREE);
    let orange = |p: &Picture| {
        let is_line = |[r, g, b]: [u8; 3]| r > 180 && g < r.saturating_sub(40) && b < g.saturating_sub(30);
        // The uppermost, of the box that falls farthest.
        let rows = p.rgb.chunks_exact(3).enumerate().filter(|(_, c)| is_line([c[0], c[1], c[2]]));
        rows.map(|(k, _)| k / p.width).next()
    };
    let first = desktop.wait("lines", orange);
    desktop.key(SPACE);
    desktop.wait("lines that fall", |p| orange(p).filter(|y| *y > first + 6));
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
}

#[test]
fn a_window_may_be_minimized_and_come_back() {
    let Some(mut desktop) = Desktop::start(ARGUMENTS) else { return };
    desktop.key(P);
    let first = at_rest(&desktop);
    desktop.key(SPACE);
    desktop.show(false);
    desktop.wait("an empty screen", |p| blue_box(p).is_none().then_some(()));
    desktop.show(true);
    desktop.wait("the box, which fell meanwhile", |p| blue_box(p).filter(|at| at[1] > first[1] + 8.0));
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
}

#[test]
fn a_display_that_goes_away_ends_the_program() {
    let Some(mut desktop) = Desktop::start(ARGUMENTS) else { return };
    at_rest(&desktop);
    desktop.key(SPACE);
    desktop.end_server();
    // The X library ends the program itself, with a message and status 1; what the window's library drops meanwhile, or a
    // thread of the driver that is at work, may end it by a signal. On a busy machine the driver may be the first to notice.
    assert!(matches!(desktop.end(), Some(1) | None));
    let said = desktop.said();
    let reasons = ["X server", "X connection", "the graphics driver failed"];
    assert!(reasons.iter().any(|reason| said.contains(reason)), "{said}");
}

#[test]
fn shift_and_the_mouse_pull_a_body_along() {
    let Some(mut desktop) = Desktop::start(ARGUMENTS) else { return };
    desktop.key(P);
    let first = at_rest(&desktop);
    // Taken before it can fall away from the mouse, however late that comes.
    let hand = first.map(|c| c as i16);
    desktop.hold(SHIFT, true);
    desktop.point(hand);
    desktop.button(1, true);
    desktop.point([hand[0] + 60, hand[1]]);
    desktop.key(SPACE);
    let pulled =
        desktop.wait("the box beside the stack", |p| blue_box(p).filter(|at| at[0] > first[0] + 40.0));
    assert!((pulled[1] - first[1]).abs() < 60.0, "it hangs on the mouse: {pulled:?}");
    desktop.button(1, false);
    desktop.hold(SHIFT, false);
    desktop.wait("the box falling", |p| blue_box(p).filter(|at| at[1] > first[1] + 60.0));
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
}
