//! What moves the points of a surface: nothing, a state's points, a frame, weighted points.

use components::mapping::barycentric::WeightedPoint;
use sim_core::math::{Quat, Vec3, rotate};

/// The positions of one mechanical state, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Numbers in a row: 3 for points, 7 for frames (center, then quaternion x y z w).
    pub stride: usize,
    /// All rows, shape `[n][stride]`.
    pub values: Vec<f64>,
}

impl Rows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The point, or the center of the frame, in a row [m].
    pub fn point(&self, row: usize) -> Vec3 {
        match self.values.get(row * self.stride..) {
            Some([x, y, z, ..]) => Vec3::new(*x, *y, *z),
            _ => Vec3::zeros(),
        }
    }

    /// The frame in a row, if these are frames.
    pub fn frame(&self, row: usize) -> Option<(Vec3, Quat)> {
        let r = self.values.get(row * self.stride..)?.get(..7).filter(|_| self.stride == 7)?;
        Some((Vec3::new(r[0], r[1], r[2]), Quat::new(r[6], r[3], r[4], r[5])))
    }
}

/// Where the points of a surface are.
#[derive(Clone, Debug)]
pub enum Motion {
    /// Where they were [m].
    Still(Vec<Vec3>),
    /// At the points of a state: its place among the states, and how many of its points.
    Points(usize, usize),
    /// Beside points (or centers of frames) of a state: the point, and how far beside it [m].
    Beside(usize, Vec<(u32, Vec3)>),
    /// Carried by a frame of a state, its first: local coordinates [m].
    Frame(usize, Vec<Vec3>),
    /// Each point carried by a frame of a state: which, and its local coordinates [m].
    Carried(usize, Vec<(u32, Vec3)>),
    /// Between points of a state: indices and weights.
    Weighted(usize, Vec<WeightedPoint>),
}

impl Motion {
    /// The middle of what moves it \[m\]; none where nothing does.
    pub fn middle(&self, states: &[Rows]) -> Option<Vec3> {
        let mean = |sum: Vec3, n: usize| (n > 0).then(|| sum / n as f64);
        match self {
            Self::Still(points) => mean(points.iter().sum(), points.len()),
            Self::Points(state, n) => {
                let rows = states.get(*state)?;
                let n = (*n).min(rows.len());
                mean((0..n).map(|k| rows.point(k)).sum(), n)
            }
            Self::Beside(state, _) | Self::Carried(state, _) | Self::Weighted(state, _) => {
                let rows = states.get(*state)?;
                mean((0..rows.len()).map(|k| rows.point(k)).sum(), rows.len())
            }
            Self::Frame(state, points) => {
                let (center, turn) = states.get(*state)?.frame(0)?;
                Some(center + rotate(&turn, &mean(points.iter().sum(), points.len())?))
            }
        }
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        match self {
            Self::Still(points) | Self::Frame(_, points) => points.len(),
            Self::Points(_, n) => *n,
            Self::Beside(_, points) | Self::Carried(_, points) => points.len(),
            Self::Weighted(_, points) => points.len(),
        }
    }

    /// The state that moves it: its place among the states.
    pub fn state(&self) -> Option<usize> {
        match self {
            Self::Still(_) => None,
            Self::Points(s, _) | Self::Beside(s, _) | Self::Frame(s, _) => Some(*s),
            Self::Carried(s, _) | Self::Weighted(s, _) => Some(*s),
        }
    }

    /// Calls `put` with every point in turn [m].
    pub fn for_each(&self, states: &[Rows], mut put: impl FnMut(Vec3)) {
        let empty = Rows::default();
        let rows = |s: &usize| states.get(*s).unwrap_or(&empty);
        match self {
            Self::Still(points) => points.iter().for_each(|p| put(*p)),
            Self::Points(s, n) => (0..*n).for_each(|i| put(rows(s).point(i))),
            Self::Beside(s, points) => {
                let rows = rows(s);
                points.iter().for_each(|(i, offset)| put(rows.point(*i as usize) + offset));
            }
            Self::Frame(s, local) => {
                let (center, q) = rows(s).frame(0).unwrap_or((Vec3::zeros(), Quat::identity()));
                local.iter().for_each(|p| put(rotate(&q, p) + center));
            }
            Self::Carried(s, points) => {
                let rows = rows(s);
                let none = (Vec3::zeros(), Quat::identity());
                points.iter().for_each(|(i, local)| {
                    let (center, q) = rows.frame(*i as usize).unwrap_or(none);
                    put(rotate(&q, local) + center);
                });
            }
            Self::Weighted(s, weights) => {
                let rows = rows(s);
                for w in weights {
                    put((0..w.n).map(|k| rows.point(w.nodes[k] as usize) * w.weights[k]).sum());
                }
            }
        }
    }

    /// Calls `put` with each point and each of what carries it [m].
    pub fn for_each_carrier(&self, states: &[Rows], mut put: impl FnMut(Vec3, Vec3)) {
        let Some(rows) = self.state().and_then(|s| states.get(s)) else { return };
        let mut k = 0;
        self.for_each(states, |p| {
            match self {
                Self::Still(_) | Self::Points(..) | Self::Beside(..) => {}
                Self::Frame(..) => put(p, rows.point(0)),
                Self::Carried(_, points) => put(p, rows.point(points[k].0 as usize)),
                Self::Weighted(_, weights) => {
                    let w = &weights[k];
                    let carriers = (0..w.n).filter(|i| w.weights[*i] != 0.0);
                    carriers.for_each(|i| put(p, rows.point(w.nodes[i] as usize)));
                }
            }
            k += 1;
        });
    }

    /// All points [m].
    pub fn points(&self, states: &[Rows]) -> Vec<Vec3> {
        let mut out = Vec::with_capacity(self.n_points());
        self.for_each(states, |p| out.push(p));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_carries_its_points() {
        // A quarter turn about z takes x to y.
        let h = 0.5f64.sqrt();
        let frames = Rows { stride: 7, values: vec![1.0, 2.0, 3.0, 0.0, 0.0, h, h] };
        let motion = Motion::Frame(0, vec![Vec3::new(1.0, 0.0, 0.0)]);
        let points = motion.points(std::slice::from_ref(&frames));
        assert!((points[0] - Vec3::new(1.0, 3.0, 3.0)).norm() < 1e-12, "{points:?}");
        assert_eq!(motion.n_points(), 1);
        let mut carriers = Vec::new();
        motion.for_each_carrier(std::slice::from_ref(&frames), |_, c| carriers.push(c));
        assert_eq!(carriers, [Vec3::new(1.0, 2.0, 3.0)]);
        let beside =
            Motion::Beside(0, vec![(0, Vec3::new(0.5, 0.0, 0.0))]).points(std::slice::from_ref(&frames));
        assert_eq!(beside, [Vec3::new(1.5, 2.0, 3.0)], "an offset is not turned");
        let carried = Motion::Carried(0, vec![(0, Vec3::new(1.0, 0.0, 0.0))]);
        assert!((carried.points(std::slice::from_ref(&frames))[0] - Vec3::new(1.0, 3.0, 3.0)).norm() < 1e-12);
        let centers = Motion::Points(0, 1).points(&[frames]);
        assert_eq!(centers, [Vec3::new(1.0, 2.0, 3.0)]);
    }
}
