//! Which points of the lattice are inside, and which of them move onto the surface.

use std::collections::{BTreeMap, BTreeSet};

use sim_core::math::Vec3;

use super::cut::Cut;
use super::lattice::{LONG_WAYS, Lattice, WAYS};
use super::rays::Surface;

/// What the stuffing is asked to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Whether points near the surface move onto it.
    pub snap_points: bool,
    /// Whether tetrahedra that the surface cuts are cut.
    pub split_tetrahedra: bool,
    /// How near points are that move, relative to the edges along the axes and to the others.
    pub alpha: [f64; 2],
}

/// A lattice whose points know where the surface is.
pub(super) struct Stuffing {
    lattice: Lattice,
    options: Options,
    points: Vec<Vec3>,
    /// Positive inside, negative outside, 0 on the surface.
    inside: Vec<i32>,
    /// How far the surface is on each way, relative to the way's length; 0 where it is not known.
    distances: Vec<[f64; WAYS]>,
}

impl Stuffing {
    /// Looks along all lines of the lattice for the surface.
    ///
    /// **Source:** as SOFA's: each line votes for each of its points by the nearest crossing; a point with as many votes for either side
    /// is outside.
    pub fn new(
        lattice: Lattice,
        positions: Vec<Vec3>,
        (points, triangles): (&[Vec3], &[[u32; 3]]),
        options: Options,
    ) -> Self {
        let n = positions.len();
        let (inside, distances) = (vec![0; n], vec![[0.0; WAYS]; n]);
        let mut stuffing = Self { lattice, options, points: positions, inside, distances };
        let surface = Surface::new(points, triangles);
        for way in (0..WAYS).step_by(2) {
            stuffing.look_along(way, &surface);
        }
        stuffing.inside.iter_mut().filter(|votes| **votes == 0).for_each(|votes| *votes = -1);
        stuffing
    }

    fn look_along(&mut self, way: usize, surface: &Surface<'_>) {
        for start in 0..self.points.len() {
            let Some(next) = self.lattice.neighbor(start, way) else { continue };
            if self.lattice.neighbor(start, way + 1).is_some() {
                continue;
            }
            let direction = self.points[next] - self.points[start];
            let crossings = surface.crossings(&self.points[start], &direction);
            let Some(last) = crossings.last() else { continue };
            let (mut passed, mut at, mut point) = (0, 0.0, Some(start));
            while let Some(p) = point {
                while crossings.get(passed).is_some_and(|c| c.t < at) {
                    passed += 1;
                }
                let before = passed.checked_sub(1).map(|k| crossings[k]);
                self.inside[p] += match (before, crossings.get(passed)) {
                    (_, None) => -last.sign,
                    (None, Some(next)) => next.sign,
                    (Some(before), Some(next)) if at - before.t < next.t - at => next.sign,
                    (Some(before), Some(_)) => -before.sign,
                };
                if let Some(next) = crossings.get(passed) {
                    self.distances[p][way] = next.t - at;
                }
                if let Some(before) = before {
                    self.distances[p][way + 1] = at - before.t;
                }
                point = self.lattice.neighbor(p, way);
                at += 1.0;
            }
        }
    }

    fn alpha(&self, way: usize) -> f64 {
        self.options.alpha[usize::from(way >= LONG_WAYS)]
    }

    /// Whether the surface is so near on a way that the point should move onto it.
    fn is_near(&self, p: usize, way: usize, alpha: f64) -> bool {
        self.distances[p][way] != 0.0 && self.distances[p][way] < alpha
    }

    /// Moves points that are too near to the surface onto it, those outside first, as long as any moves.
    ///
    /// **Source:** as SOFA's, where an outer point moves along ways to points that are not inside, and an inner one along ways to outer
    /// ones.
    fn snap(&mut self) {
        let (mut inner, mut outer) = (BTreeSet::new(), BTreeSet::new());
        for p in 0..self.points.len() {
            let is_inside = self.inside[p] > 0;
            let violated = |way: usize| {
                let other = self.lattice.neighbor(p, way);
                other.is_some_and(|q| (self.inside[q] > 0) != is_inside)
                    && self.is_near(p, way, self.alpha(way))
            };
            if (0..WAYS).any(violated) {
                if is_inside {
                    inner.insert(p)
                } else {
                    outer.insert(p)
                };
            }
        }
        let all_outer: Vec<usize> = outer.iter().copied().collect();
        loop {
            let mut moved = 0;
            for &p in &all_outer {
                if self.inside[p] == 0 {
                    continue;
                }
                let is_barred = |q: usize| self.inside[q] > 0 || inner.contains(&q) || outer.contains(&q);
                let Some(way) = self.nearest_way(p, is_barred) else { continue };
                self.move_onto_surface(p, way);
                moved += 1;
                outer.remove(&p);
                self.release(p, &mut inner);
            }
            if moved == 0 {
                break;
            }
        }
        for p in inner {
            if let Some(way) = self.nearest_way(p, |q| self.inside[q] >= 0) {
                self.move_onto_surface(p, way);
                self.forget(p);
            }
        }
    }

    /// The way on which the surface is nearest of those that ask for a move and do not lead to a barred point.
    fn nearest_way(&self, p: usize, is_barred: impl Fn(usize) -> bool) -> Option<usize> {
        let mut nearest: Option<(f64, usize)> = None;
        for way in 0..WAYS {
            let Some(q) = self.lattice.neighbor(p, way) else { continue };
            if is_barred(q) || !self.is_near(p, way, self.alpha(way)) {
                continue;
            }
            let length = if way < LONG_WAYS { 4.0 } else { 3.0 };
            let distance = self.distances[p][way] * self.distances[p][way] * length;
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, way));
            }
        }
        nearest.map(|(_, way)| way)
    }

    fn move_onto_surface(&mut self, p: usize, way: usize) {
        let Some(q) = self.lattice.neighbor(p, way) else { return };
        self.points[p] = self.points[p] + (self.points[q] - self.points[p]) * self.distances[p][way];
        self.inside[p] = 0;
    }

    /// Nothing is known of the surface on the ways from and to a point any more.
    fn forget(&mut self, p: usize) {
        for way in 0..WAYS {
            self.distances[p][way] = 0.0;
            if let Some(q) = self.lattice.neighbor(p, way) {
                self.distances[q][way ^ 1] = 0.0;
            }
        }
    }

    /// The same; inner neighbors that need not move any more are taken off their list.
    fn release(&mut self, p: usize, inner: &mut BTreeSet<usize>) {
        for way in 0..WAYS {
            self.distances[p][way] = 0.0;
            let Some(q) = self.lattice.neighbor(p, way) else { continue };
            self.distances[q][way ^ 1] = 0.0;
            if !inner.contains(&q) || self.inside[q] <= 0 {
                continue;
            }
            // By the nearness that holds for the way to this neighbor, whatever its own way: so SOFA's.
            let alpha = self.alpha(way);
            let still = |k: usize| {
                let outer = self.lattice.neighbor(q, k).is_some_and(|r| self.inside[r] < 0);
                outer && self.is_near(q, k, alpha)
            };
            if !(0..WAYS).any(still) {
                inner.remove(&q);
            }
        }
    }

    /// Points and tetrahedra of the volume.
    pub fn finish(mut self) -> (Vec<Vec3>, Vec<[u32; 4]>) {
        if self.options.snap_points {
            self.snap();
        }
        let mut cuts = BTreeMap::new();
        if self.options.split_tetrahedra {
            for p in (0..self.inside.len()).filter(|p| self.inside[*p] < 0) {
                for way in 0..WAYS {
                    let Some(q) = self.lattice.neighbor(p, way).filter(|q| self.inside[*q] > 0) else {
                        continue;
                    };
                    cuts.insert((p, q), self.points.len());
                    let cut = self.points[p] + (self.points[q] - self.points[p]) * self.distances[p][way];
                    self.points.push(cut);
                }
            }
        }
        let cut = Cut {
            points: &self.points,
            inside: &self.inside,
            n_first: self.lattice.n_first,
            cuts: self.options.split_tetrahedra.then_some(&cuts),
        };
        let mut tetrahedra = Vec::new();
        self.lattice.tetrahedra().for_each(|t| cut.add(t, &mut tetrahedra));
        compressed(&self.points, &tetrahedra)
    }
}

/// The points that are used, in their order, and the tetrahedra on them.
fn compressed(points: &[Vec3], tetrahedra: &[[usize; 4]]) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let mut used = vec![false; points.len()];
    tetrahedra.as_flattened().iter().for_each(|p| used[*p] = true);
    let (mut number, mut n) = (vec![0_u32; points.len()], 0);
    for (number, used) in number.iter_mut().zip(&used) {
        *number = n;
        n += u32::from(*used);
    }
    let kept = points.iter().zip(&used).filter(|(_, used)| **used).map(|(p, _)| *p).collect();
    (kept, tetrahedra.iter().map(|t| t.map(|p| number[p])).collect())
}
