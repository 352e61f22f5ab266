//! Regions of interest: boxes in which points are chosen.

use components::topology::changes::region::BoxRegion;
use sim_core::visitor::world::World;

use super::{Color, Faces, Motion, Role, Surface};

const COLOR: Color = [1.0, 0.4, 0.4, 1.0];

/// Pairs of corners that differ in one bit.
const EDGES: [[u32; 2]; 12] =
    [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

/// The edges of the boxes of each `BoxROI` that wants them to be drawn.
pub(super) fn surfaces(world: &World) -> Vec<Surface> {
    let scene = &world.scene;
    let regions =
        scene.all_components().filter_map(|c| Some((c, scene.component(c).extension::<BoxRegion>()?)));
    let drawn = regions.map(|(c, region)| (c, region.drawn().collect::<Vec<_>>()));
    drawn
        .filter(|(_, boxes)| !boxes.is_empty())
        .map(|(c, boxes)| {
            let corner = |k: usize| EDGES.map(|e| e.map(|i| i + 8 * k as u32));
            let lines = (0..boxes.len()).flat_map(corner).collect();
            let motion = Motion::Still(boxes.iter().flatten().copied().collect());
            let faces = Faces { lines, ..Faces::default() };
            Surface::new(scene.path(c), Role::Region, None, motion, faces, COLOR)
        })
        .collect()
}
