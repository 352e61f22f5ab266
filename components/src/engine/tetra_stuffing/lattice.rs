//! The body-centered cubic lattice: the points of a grid, then those of a second one that are the centers of its cells.

use sim_core::math::Vec3;

/// Ways from a point to its neighbors: six along the axes to its own grid, eight to the other one. Ways 2 k and 2 k + 1 are opposite.
pub(super) const WAYS: usize = 14;
/// How many of them are along the axes.
pub(super) const LONG_WAYS: usize = 6;

/// A lattice; the second grid has one point more along each axis.
#[derive(Clone, Debug)]
pub(super) struct Lattice {
    first: [usize; 3],
    second: [usize; 3],
    /// The first point of the second grid.
    pub n_first: usize,
}

impl Lattice {
    /// One with so many points per axis of the first grid.
    pub fn new(first: [usize; 3]) -> Self {
        Self { first, second: first.map(|n| n + 1), n_first: first.iter().product() }
    }

    /// The number of points of a lattice; none where it is beyond all numbers.
    pub fn size(first: [usize; 3]) -> Option<usize> {
        let product = |n: [usize; 3]| n[0].checked_mul(n[1])?.checked_mul(n[2]);
        product(first)?.checked_add(product(first.map(|n| n + 1))?)
    }

    /// Positions, given that of the first point, x running fastest [m].
    pub fn positions(&self, origin: Vec3, cell: f64) -> Vec<Vec3> {
        let grid = |n: [usize; 3], origin: Vec3| {
            let place = move |p: usize| [p % n[0], p / n[0] % n[1], p / (n[0] * n[1])];
            (0..n.iter().product()).map(move |p| origin + Vec3::from(place(p).map(|c| c as f64 * cell)))
        };
        let half = Vec3::from_element(cell / 2.0);
        grid(self.first, origin).chain(grid(self.second, origin - half)).collect()
    }

    /// The point that a way leads to, if there is one.
    pub fn neighbor(&self, point: usize, way: usize) -> Option<usize> {
        let (is_first, n) = if point < self.n_first { (true, self.first) } else { (false, self.second) };
        let p = if is_first { point } else { point - self.n_first };
        let mut at = [p % n[0], p / n[0] % n[1], p / (n[0] * n[1])];
        if way < LONG_WAYS {
            let (axis, up) = (way / 2, way % 2 == 1);
            at[axis] = if up { at[axis] + 1 } else { at[axis].checked_sub(1)? };
            return (at[axis] < n[axis]).then(|| index(at, n) + if is_first { 0 } else { self.n_first });
        }
        let k = way - LONG_WAYS;
        let step = [k & 1, (k >> 1 ^ k) & 1, (k >> 2 ^ k) & 1];
        for (at, step) in at.iter_mut().zip(step) {
            *at = if is_first { *at + step } else { (*at + step).checked_sub(1)? };
        }
        if is_first {
            return Some(self.n_first + index(at, self.second));
        }
        at.iter().zip(self.first).all(|(at, n)| *at < n).then(|| index(at, self.first))
    }

    /// The tetrahedra, each around an edge of the first grid: both its points and an edge of the ring of the second grid around it.
    pub fn tetrahedra(&self) -> impl Iterator<Item = [usize; 4]> + '_ {
        let points = (0..self.n_first).map(|p| (p, [0, 1, 2].map(|a| self.coordinate(p, a))));
        let along = points.flat_map(|(p, at)| (0..3).filter(move |a| at[*a] > 0).map(move |a| (p, at, a)));
        along.flat_map(|(p, at, axis)| {
            let stride = [1, self.second[0], self.second[0] * self.second[1]];
            let corner = self.n_first + index(at, self.second);
            // Around each axis, the ring begins at the lower corner and turns the same way.
            let (b, c) = ([(1, 2), (2, 0), (0, 1)])[axis];
            let ring = [corner, corner + stride[b], corner + stride[b] + stride[c], corner + stride[c]];
            let below = p - [1, self.first[0], self.first[0] * self.first[1]][axis];
            (0..4).map(move |k| [p, below, ring[(k + 1) % 4], ring[k]])
        })
    }

    fn coordinate(&self, p: usize, axis: usize) -> usize {
        match axis {
            0 => p % self.first[0],
            1 => p / self.first[0] % self.first[1],
            _ => p / (self.first[0] * self.first[1]),
        }
    }
}

fn index(at: [usize; 3], n: [usize; 3]) -> usize {
    at[0] + n[0] * (at[1] + n[1] * at[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_lead_back() {
        let lattice = Lattice::new([3, 4, 2]);
        let x = lattice.positions(Vec3::zeros(), 1.0);
        assert_eq!(x.len(), Lattice::size([3, 4, 2]).unwrap());
        for (p, way) in (0..x.len()).flat_map(|p| (0..WAYS).map(move |w| (p, w))) {
            if let Some(q) = lattice.neighbor(p, way) {
                assert_eq!(lattice.neighbor(q, way ^ 1), Some(p), "{p} {way}");
                let wanted: f64 = if way < LONG_WAYS { 1.0 } else { 0.75 };
                assert!((x[q] - x[p]).norm_squared() - wanted < 1e-12, "{p} {way}");
            }
        }
    }

    #[test]
    fn tetrahedra_fill_the_space_between_the_points_of_the_first_grid() {
        let lattice = Lattice::new([3, 3, 3]);
        let x = lattice.positions(Vec3::zeros(), 2.0);
        for t in lattice.tetrahedra() {
            let [a, b, c, d] = t.map(|p| x[p]);
            let volume = (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0;
            assert!((volume.abs() - 8.0 / 12.0).abs() < 1e-12, "{volume}");
        }
        assert_eq!(lattice.tetrahedra().count(), 4 * 3 * 18);
    }
}
