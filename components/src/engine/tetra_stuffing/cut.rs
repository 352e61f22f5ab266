//! Tetrahedra of the lattice that are kept, and the pieces of those that the surface cuts.

use std::collections::BTreeMap;

use sim_core::math::Vec3;

/// What tetrahedra are made of.
pub(super) struct Cut<'a> {
    /// Positions, those of cut points behind those of the lattice [m].
    pub points: &'a [Vec3],
    /// For each point of the lattice: positive inside, negative outside, 0 on the surface.
    pub inside: &'a [i32],
    /// Where the lattice's second grid begins.
    pub n_first: usize,
    /// The cut points between an outer and an inner point; none where tetrahedra are not cut.
    pub cuts: Option<&'a BTreeMap<(usize, usize), usize>>,
}

fn volume(points: &[Vec3], t: [usize; 4]) -> f64 {
    let [a, b, c, d] = t.map(|p| points[p]);
    (b - a).dot(&(c - a).cross(&(d - a)))
}

impl Cut<'_> {
    /// Adds what becomes of a tetrahedron of the lattice: nothing, itself, or one to three pieces.
    ///
    /// **Source:** Labelle and Shewchuk 2007, figure 3, with the pieces in SOFA's order. A diagonal of a cut side goes through the long
    /// edge's end, or else as the parity of its ends says, so that neighbors agree.
    pub fn add(&self, mut t: [usize; 4], out: &mut Vec<[usize; 4]>) {
        if volume(self.points, t) < 0.0 {
            t.swap(2, 3);
        }
        let with = |sign: i32| t.into_iter().filter(move |p| self.inside[*p].signum() == sign);
        let (outer, inner): (Vec<usize>, Vec<usize>) = (with(-1).collect(), with(1).collect());
        let Some(cuts) = self.cuts.filter(|_| !outer.is_empty()) else {
            if outer.is_empty() || !inner.is_empty() {
                self.push(t, out);
            }
            return;
        };
        let between = |outer: usize, inner: usize| cuts.get(&(outer, inner)).copied().unwrap_or(outer);
        match (&inner[..], &outer[..]) {
            ([], _) => {}
            ([i], _) => {
                let moved = |p: usize| if self.inside[p] < 0 { between(p, *i) } else { p };
                self.push(t.map(moved), out);
            }
            ([i, j], [o]) => {
                let Some(on) = with(0).next() else { return };
                let (ci, cj) = (between(*o, *i), between(*o, *j));
                if self.is_flipped(*i, *j, cj, *o) {
                    self.push([on, *i, *j, ci], out);
                    self.push([on, *j, cj, ci], out);
                } else {
                    self.push([on, *i, *j, cj], out);
                    self.push([on, *i, cj, ci], out);
                }
            }
            ([i, j], [o, p, ..]) => {
                let [ci, cj, di, dj] = [between(*o, *i), between(*o, *j), between(*p, *i), between(*p, *j)];
                match (self.is_flipped(*i, *j, cj, *o), self.is_flipped(*i, *j, dj, *p)) {
                    (false, true) => {
                        self.push([*i, *j, cj, di], out);
                        self.push([*i, cj, ci, di], out);
                        self.push([*j, cj, di, dj], out);
                    }
                    (true, false) => {
                        self.push([*i, *j, ci, dj], out);
                        self.push([*j, ci, dj, cj], out);
                        self.push([*i, ci, di, dj], out);
                    }
                    // No rule of diagonals leads here: of both outer points, one is on either grid.
                    _ => {}
                }
            }
            ([i, j, k, ..], [o, ..]) => self.prism([*i, *j, *k], *o, between, out),
            (_, []) => {}
        }
    }

    /// The three pieces of a tetrahedron that loses one corner.
    fn prism(
        &self,
        inner: [usize; 3],
        outer: usize,
        between: impl Fn(usize, usize) -> usize,
        out: &mut Vec<[usize; 4]>,
    ) {
        let cut = inner.map(|i| between(outer, i));
        let flipped = |a: usize, b: usize| self.is_flipped(inner[a], inner[b], cut[b], outer);
        let (f, g, mut h) = (flipped(0, 1), flipped(1, 2), flipped(2, 0));
        if f == g && g == h {
            h = !f;
        }
        // The inner point and the cut point at which two diagonals meet.
        let low = inner[if f && !g {
            1
        } else if g && !h {
            2
        } else {
            0
        }];
        let high = cut[if !f && g {
            1
        } else if !g && h {
            2
        } else {
            0
        }];
        self.push([low, cut[0], cut[2], cut[1]], out);
        self.push([high, inner[0], inner[1], inner[2]], out);
        let third = if f == g {
            1
        } else if g == h {
            2
        } else {
            0
        };
        self.push([inner[third], cut[third], low, high], out);
    }

    /// Whether the diagonal of a cut side between the inner points `a` and `b` starts at `b` in place of `a`; `c` is the cut point on
    /// the way from `b` to the outer point.
    fn is_flipped(&self, a: usize, b: usize, c: usize, outer: usize) -> bool {
        let is_first = |p: usize| p < self.n_first;
        if is_first(a) == is_first(outer) {
            return true;
        }
        if is_first(b) == is_first(outer) {
            return false;
        }
        let (a_at, c_at) = (&self.points[a], &self.points[c]);
        let greater = a_at.iter().zip(c_at.iter()).filter(|(a, c)| a > c).count();
        (greater % 2 == 1) != is_first(a)
    }

    /// Adds a tetrahedron, turned so that its volume is not negative.
    fn push(&self, mut t: [usize; 4], out: &mut Vec<[usize; 4]>) {
        if volume(self.points, t) < 0.0 {
            t.swap(2, 3);
        }
        out.push(t);
    }
}
