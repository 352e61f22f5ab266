//! What becomes of points and elements when a topology changes: which is which, before and after.

use crate::math::{Coord, Deriv};

/// A kind of element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ElementKind {
    /// Two nodes.
    Edge,
    /// Three nodes.
    Triangle,
    /// Four nodes of a face.
    Quad,
    /// Four nodes of a body.
    Tetrahedron,
    /// Eight nodes.
    Hexahedron,
}

impl ElementKind {
    /// All of them, from the least nodes to the most.
    pub const ALL: [Self; 5] = [Self::Edge, Self::Triangle, Self::Quad, Self::Tetrahedron, Self::Hexahedron];

    /// Number of nodes.
    pub const fn nodes(self) -> usize {
        match self {
            Self::Edge => 2,
            Self::Triangle => 3,
            Self::Quad | Self::Tetrahedron => 4,
            Self::Hexahedron => 8,
        }
    }

    /// The name of several, as SOFA's attributes have it.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Edge => "edges",
            Self::Triangle => "triangles",
            Self::Quad => "quads",
            Self::Tetrahedron => "tetrahedra",
            Self::Hexahedron => "hexahedra",
        }
    }
}

/// Where a point that is there after a change comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum PointOrigin {
    /// It was there, with this number.
    Kept(u32),
    /// It is new, between points that were there: their numbers and weights, which add up to 1.
    Mean(Vec<(u32, f64)>),
}

/// The number of no element: of one that is new.
pub const NEW: u32 = u32::MAX;

/// Where new numbers lead: for each of `n_before`, its number now, [`NEW`] for one that has gone.
pub fn inverse(origins: impl Iterator<Item = Option<u32>>, n_before: usize) -> Vec<u32> {
    let mut now = vec![NEW; n_before];
    for (k, origin) in origins.enumerate() {
        if let Some(old) = origin.and_then(|o| now.get_mut(o as usize)) {
            *old = k as u32;
        }
    }
    now
}

/// The present number of what had a number, by what [`inverse`] gives; none where it has gone, or there was none.
pub fn present(now: &[u32], before: i64) -> Option<u32> {
    let number = *now.get(usize::try_from(before).ok()?)?;
    (number != NEW).then_some(number)
}

/// Positions after a change of the points. A new frame has no orientation between those of its ancestors: only points may be new.
pub fn renumbered_coords<C: Coord>(origins: &[PointOrigin], before: &[C]) -> Vec<C> {
    let at = |o: &PointOrigin| match o {
        PointOrigin::Kept(old) => before[*old as usize],
        PointOrigin::Mean(of) => {
            let mut mean = vec![0.0; C::SIZE];
            let mut scalars = Vec::new();
            for (old, weight) in of {
                scalars.clear();
                before[*old as usize].scalars(&mut scalars);
                mean.iter_mut().zip(&scalars).for_each(|(m, s)| *m += s * weight);
            }
            C::from_scalars(&mean).unwrap_or_default()
        }
    };
    origins.iter().map(at).collect()
}

/// Velocities after a change of the points.
pub fn renumbered_derivs<D: Deriv>(origins: &[PointOrigin], before: &[D]) -> Vec<D> {
    let at = |o: &PointOrigin| match o {
        PointOrigin::Kept(old) => before[*old as usize],
        PointOrigin::Mean(of) => {
            of.iter().fold(D::zero(), |mean, (old, weight)| mean + before[*old as usize] * *weight)
        }
    };
    origins.iter().map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    #[test]
    fn what_stays_is_itself_and_what_is_new_a_mean() {
        let origins =
            [PointOrigin::Kept(2), PointOrigin::Kept(1), PointOrigin::Mean(vec![(0, 0.25), (2, 0.75)])];
        let x = [Vec3::new(4.0, 0.0, 0.0), Vec3::y(), Vec3::new(0.0, 8.0, 0.0)];
        let now = [x[2], x[1], Vec3::new(1.0, 6.0, 0.0)];
        assert_eq!(renumbered_coords(&origins, &x), now);
        assert_eq!(renumbered_derivs(&origins, &x), now);
        let kept = origins.iter().map(|o| match o {
            PointOrigin::Kept(old) => Some(*old),
            PointOrigin::Mean(_) => None,
        });
        let now = inverse(kept, 3);
        assert_eq!(now, [NEW, 1, 0]);
        assert_eq!([-1, 0, 1, 2, 3].map(|old| present(&now, old)), [None, None, Some(1), Some(0), None]);
    }
}
