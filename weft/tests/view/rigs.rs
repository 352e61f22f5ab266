//! A rig in the real window: its controls are sliders.

use crate::desktop::Desktop;
use crate::picture::Picture;

const ESCAPE: u32 = 0xff1b;

/// A board of the color of a rig's first mesh, which a control turns.
const RIG: &str = r#"{
  "rig": "lift",
  "controls": [ { "name": "turn", "range": [0, 1.5] } ],
  "nodes": [
    { "name": "angles", "kind": "vector", "inputs": { "z": "@turn" } },
    { "name": "board", "kind": "joint", "inputs": { "rotate": "angles.value" } },
    { "name": "mesh", "kind": "map-points", "points": 4, "inputs": { "matrix": "board.world",
      "points": [[0, -0.1, 0], [2, -0.1, 0], [2, 0.1, 0], [0, 0.1, 0]] } }
  ],
  "outputs": [ { "name": "mesh", "from": "mesh.points", "triangles": [[0, 1, 2], [0, 2, 3]] } ]
}"#;

/// How wide and high the board is.
fn board(p: &Picture) -> Option<[usize; 2]> {
    let is_skin = |c: &[u8]| c[0] > 150 && c[0] > c[2].saturating_add(25) && c[0] > c[1].saturating_add(8);
    let at: Vec<[usize; 2]> = p
        .rgb
        .chunks_exact(3)
        .enumerate()
        .filter(|(_, c)| is_skin(c))
        .map(|(k, _)| [k % p.width, k / p.width])
        .collect();
    let extent = |axis: usize| {
        let along = at.iter().map(|a| a[axis]);
        Some(along.clone().max()? - along.min()?)
    };
    (at.len() > 300).then_some([extent(0)?, extent(1)?])
}

#[test]
fn a_slider_moves_the_rig_while_it_is_dragged_and_no_frame_goes_by() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lift.rig");
    std::fs::write(&file, RIG).expect("a file");
    let file = file.to_str().expect("its name is text");
    let arguments = [file, "--paused", "--size", "800x600", "--threads", "1"];
    let Some(mut desktop) = Desktop::start(&arguments) else { return };
    desktop.wait("the board, lying", |p| board(p).filter(|[w, h]| *w > 2 * h));
    // The left end of the only slider; held at its right end.
    desktop.point(SLIDER[0]);
    desktop.button(1, true);
    desktop.point(SLIDER[1]);
    desktop.wait("the board, turned", |p| board(p).filter(|[w, h]| h > w));
    desktop.button(1, false);
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
}

/// Both ends of the slider in a window of 800 by 600.
const SLIDER: [[i16; 2]; 2] = [[590, 171], [684, 171]];
