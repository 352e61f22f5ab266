//! How the tetrahedra around a point have turned.

use sim_core::math::lane::{BLOCK, Lane, LaneKernel, dispatch};
use sim_core::math::{Mat3, Vec3};

use super::frame;
use super::lane_algebra::*;
use super::patches::{Direct, Route};
use super::tetrahedra::{Block, Constants, current_frame, edges};

/// Of each point, the rotation nearest to the mean of those of the elements around it; the identity where none is. The mean of an element
/// and of an inverted one, which is reflected by the method `polar`, is singular: what is turned by it would be lost.
pub(crate) fn of_points(c: &Constants, blocks: &[Block], x: &[Vec3], rotations: &mut [Mat3]) {
    rotations.fill(Mat3::zeros());
    let mut frames = ZERO_ROWS;
    for block in blocks {
        dispatch(Frames { c, block, x, frames: &mut frames });
        let matrix = |rows: &MRow, lane: usize| Mat3::from_fn(|i, j| rows[i][j].0[lane]);
        for lane in 0..usize::from(block.nodes.count) {
            // Rows of a frame are its axes: what was along one at rest is along the same one now.
            let turn = matrix(&frames, lane).tr_mul(&matrix(&block.rest_frame, lane));
            block.nodes.points.iter().for_each(|points| rotations[points[lane] as usize] += turn);
        }
    }
    for sum in rotations {
        *sum = if *sum == Mat3::zeros() { Mat3::identity() } else { frame::orthogonal_factor(sum) };
    }
}

/// The frames of a block.
struct Frames<'a> {
    c: &'a Constants,
    block: &'a Block,
    x: &'a [Vec3],
    frames: &'a mut MRow,
}

impl LaneKernel for Frames<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { c, block, x, frames } = self;
        let mut at = 0;
        while at < BLOCK {
            let edges = edges::<L>(&Direct.gather(&block.nodes, x, at));
            store33(&current_frame(c.method, block, &edges, at), frames, at);
            at += L::WIDTH;
        }
    }
}
