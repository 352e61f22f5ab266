//! Solids against solids, spheres and points.

use super::patch::{CHOSEN, Patch};
use super::queries::nearest_on;
use super::separation::{extent, separation};
use super::support::facet;
use super::{Solids, surface};
use crate::collision::narrow_phase::DetectionOutput;
use crate::collision::{List, ModelKind};

/// By how much nearest points must be nearer than all corners to count beside them, as a share of the size of both.
pub(super) const RIM: f64 = 1e-6;

/// How many ids a pair of solids has: one for each spot, by whose facet it is chosen.
const IDS: u32 = 32;

impl<L: List<DetectionOutput>> Solids<'_, L> {
    /// Two solids.
    pub(super) fn pair(&mut self, i: u32, j: u32) {
        let [first, second] = self.models;
        let (a, b) = (first.solid(i), second.solid(j));
        let rounding = a.rounding + b.rounding;
        let farthest = self.distances.alarm + rounding;
        let Some(apart) = separation(&a.core, &b.core, farthest) else { return };
        let n = apart.normal;
        let (mine, others) = (facet(&a.core, &n), facet(&b.core, &-n));
        let patch = Patch::new(&mine, &others, n, false);
        // Of equal faces the first counts, however they are turned: else contacts would change their numbers now and then.
        let areas = [&mine, &others].map(Patch::area_of);
        let by_second = areas[1] < areas[0] * (1.0 - 1e-6) && areas[0] > 0.0 || areas[0] - areas[1] > 1e200;
        let chosen = patch.chosen(if by_second { &others } else { &mine }, &n);
        // Ids wrap where models have more than some ten thousand solids each.
        let pair = i.wrapping_mul(second.len()).wrapping_add(j).wrapping_mul(IDS);
        let on =
            |points: [_; 2]| [surface(first.kind, &a, points[0], n), surface(second.kind, &b, points[1], -n)];
        if patch.spots().next().is_none() {
            self.push([i, j], pair, on(apart.points), n, apart.distance - rounding);
            return;
        }
        let first_id = pair.wrapping_add(if by_second { IDS / 2 } else { 0 });
        let mut least = f64::INFINITY;
        for (slot, spot) in (0..CHOSEN as u32).zip(&chosen) {
            if let Some(spot) = spot {
                least = least.min(spot.gap);
                self.push([i, j], first_id.wrapping_add(slot), on(spot.points), n, spot.gap - rounding);
            }
        }
        // A rim is nearest between the corners that stand for it.
        if least > apart.distance + RIM * (extent(&a.core) + extent(&b.core)) {
            let id = first_id.wrapping_add(CHOSEN as u32);
            self.push([i, j], id, on(apart.points), n, apart.distance - rounding);
        }
    }

    /// A solid and a sphere or a point.
    pub(super) fn ball(&mut self, i: u32, j: u32) {
        let [first, second] = self.models;
        let (a, center) = (first.solid(i), second.positions.center(j));
        let radius = if second.kind == ModelKind::Point { 0.0 } else { second.sphere(j).radius };
        let (on, n, outside) = nearest_on(&a, center);
        let p = if first.kind == ModelKind::LineCapsule { on - n * a.rounding } else { on };
        // The spring of a sphere is as long as its radius and more: it ends in the center.
        let id = i.wrapping_mul(second.len()).wrapping_add(j);
        self.push([i, j], id, [p, center], n, outside - radius);
    }
}
