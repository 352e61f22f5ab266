//! The panels, in the real window.

use crate::desktop::Desktop;
use crate::picture::Picture;

const L: u32 = 'l' as u32;

/// The color in which nothing but the critical path is drawn.
fn yellow([r, g, b]: [u8; 3]) -> bool {
    r > 240 && (210..240).contains(&g) && b < 30
}

/// Whether a panel is here.
fn is_dark(p: &Picture, [x, y]: [usize; 2]) -> bool {
    p.rgb[3 * (y * p.width + x)..][..3].iter().all(|c| *c < 50)
}

#[test]
fn the_timeline_shows_the_critical_path_and_as_many_workers_as_there_are() {
    let arguments = &["stack", "--size", "800x600", "--threads", "1"];
    let Some(mut desktop) = Desktop::start(arguments) else { return };
    desktop.key(L);
    let (_, [_, y]) = desktop.wait("the critical path", |p| p.find(yellow).filter(|(n, _)| *n > 60));
    assert!(y > 400.0, "the panel is at the bottom: {y}");
    // Above one row, and within four.
    let above = [600, 450];
    desktop.wait("one row", |p| (!is_dark(p, above)).then_some(()));
    // The right end of the slider; held, since what is shorter than a frame is no drag.
    desktop.point([116, 320]);
    desktop.button(1, true);
    desktop.wait("four rows", |p| is_dark(p, above).then_some(()));
    desktop.button(1, false);
    desktop.key(L);
    desktop.wait("no timeline", |p| p.find(yellow).is_none().then_some(()));
    desktop.close();
    assert_eq!(desktop.end(), Some(0));
}
