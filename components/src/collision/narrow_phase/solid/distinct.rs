//! Of corners that lie at one place, one: where a corner lies on an edge, rounding says whether edges cross there, too.

use sim_core::math::Vec3;

use super::between::RIM;
use super::patch::{Corner, SPOTS, Spot};
use super::support::Facet;

/// How near to each other, as a share of the smaller facet, an edge's crossing and a corner or another crossing are at one place.
const CROSSING: f64 = 1e-3;
/// How near corners of both facets are at one place, as a share of that.
const CORNER: f64 = 1e-3;

/// The spots of a patch that are reported, with their ids.
pub(super) struct Distinct {
    spots: [Option<(u32, Spot)>; SPOTS],
    len: usize,
    /// How near is at one place [m].
    near: f64,
    /// By how much a spot must be deeper than one at its place to stand for both [m].
    deeper: f64,
}

impl Distinct {
    /// None yet, of two facets, whose cores are together of some size [m].
    pub fn new(size: f64, facets: [&Facet; 2]) -> Self {
        let sizes = facets.map(|f| {
            let far = |c: &Vec3| (c - f.corners[0]).norm();
            f.corners[..f.len].iter().map(far).fold(0.0, f64::max)
        });
        Self {
            spots: [None; SPOTS],
            len: 0,
            near: CROSSING * sizes[0].min(sizes[1]),
            deeper: 0.5 * RIM * size,
        }
    }

    /// Takes a spot, unless there is one at its place. Corners come before crossings, and have the place if they are as deep.
    pub fn add(&mut self, id: u32, spot: Spot) {
        let near = if matches!(spot.corner, Corner::Crossing(..)) { self.near } else { CORNER * self.near };
        let is_of_other = |kept: &Spot| {
            use Corner::{OfFirst, OfSecond};
            !matches!((kept.corner, spot.corner), (OfFirst(_), OfFirst(_)) | (OfSecond(_), OfSecond(_)))
        };
        let at_its_place = |kept: &Spot| {
            is_of_other(kept) && (kept.flat[0] - spot.flat[0]).hypot(kept.flat[1] - spot.flat[1]) <= near
        };
        let here = self.spots[..self.len].iter_mut().flatten().find(|(_, kept)| at_its_place(kept));
        if let Some(here) = here {
            if spot.gap < here.1.gap - self.deeper {
                *here = (id, spot);
            }
        } else if self.len < SPOTS {
            self.spots[self.len] = Some((id, spot));
            self.len += 1;
        }
    }

    /// Puts the nearest points of both cores in the place of the spot that is there. Says whether there is one.
    pub fn deepen(&mut self, points: [Vec3; 2], gap: f64) -> bool {
        let near = self.near;
        let at_its_place = |kept: &Spot| (kept.points[0] - points[0]).norm() <= near;
        let here = self.spots[..self.len].iter_mut().flatten().find(|(_, kept)| at_its_place(kept));
        if let Some((_, spot)) = here {
            (spot.points, spot.gap) = (points, gap);
            return true;
        }
        false
    }

    /// Those at places of their own.
    pub fn spots(&self) -> impl Iterator<Item = (u32, Spot)> {
        self.spots[..self.len].iter().flatten().copied()
    }
}
