//! Graphs in a step of physics in the real window: the gallery's `puppet` and `rigged` run, stop, step and begin anew, with the timeline.

use std::collections::BTreeSet;

use crate::desktop::Desktop;
use crate::picture::Picture;

const SPACE: u32 = 0x20;
const ESCAPE: u32 = 0xff1b;
const R: u32 = 'r' as u32;
const N: u32 = 'n' as u32;
const L: u32 = 'l' as u32;
const P: u32 = 'p' as u32;

/// Pixels that differ clearly.
fn difference(a: &Picture, b: &Picture) -> usize {
    let differ = |(a, b): (&[u8], &[u8])| (0..3).any(|k| a[k].abs_diff(b[k]) > 24);
    a.rgb.chunks_exact(3).zip(b.rgb.chunks_exact(3)).filter(|pair| differ(*pair)).count()
}

/// A picture that stays the same for a while.
fn at_rest(desktop: &Desktop) -> Picture {
    let mut last: Option<Picture> = None;
    let mut same = 0;
    desktop.wait("a picture at rest", |p| {
        let is_same = last.as_ref().is_some_and(|l| difference(l, p) < 20);
        same = if is_same { same + 1 } else { 0 };
        last = Some(Picture { rgb: p.rgb.clone(), ..*p });
        (same >= 10).then_some(())
    });
    last.expect("it was seen")
}

fn look(scene: &str) {
    let arguments = [scene, "--paused", "--size", "480x360", "--threads", "2"];
    let Some(mut desktop) = Desktop::start(&arguments) else { return };
    // Without the panels, which show a clock.
    desktop.key(P);
    // A window is there before anything is drawn in it.
    desktop.wait("colors", |p| {
        let colors: BTreeSet<&[u8]> = p.rgb.chunks_exact(3).collect();
        (colors.len() > 5).then_some(())
    });
    let first = at_rest(&desktop);
    desktop.key(SPACE);
    desktop.wait("movement", |p| (difference(&first, p) > 200).then_some(()));
    desktop.key(L);
    desktop.key(SPACE);
    desktop.key(L);
    at_rest(&desktop);
    desktop.key(R);
    desktop.wait("the beginning", |p| (difference(&first, p) < 200).then_some(()));
    for _ in 0..40 {
        desktop.key(N);
    }
    desktop.wait("steps", |p| (difference(&first, p) > 60).then_some(()));
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0), "{scene}");
}

#[test]
fn the_puppet_walks_stops_and_begins_anew_in_the_window() {
    look("puppet");
}

#[test]
fn the_rigged_chain_swings_stops_and_begins_anew_in_the_window() {
    look("rigged");
}
