//! Pairs of attached points, and which of them act.

use sim_core::math::Quat;
use sim_core::prelude::*;

/// What holds for all pairs.
#[derive(Clone, Copy, Debug)]
pub struct Attachment {
    pub two_way: bool,
    pub position: Real,
    pub velocity: Real,
    pub response: Real,
    /// Where pairs end, and in which direction.
    pub last: Option<(Vec3, Vec3)>,
    /// Whether second points of pairs that have ended are held where pairs end.
    pub clamp: bool,
    pub min_distance: Option<Real>,
    pub free_rotations: bool,
    pub last_free_rotation: bool,
}

/// What a pair does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Acts {
    /// Its points are attached.
    Attached,
    /// Its second point is held where pairs end.
    Clamped,
    /// Nothing.
    Not,
}

/// Two points, the factor of their pair, and what it does since positions were projected last.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub points: [u32; 2],
    pub factor: Real,
    /// Whether its first point is not beyond the place where pairs end.
    active: bool,
    /// Whether its points were too far apart.
    released: bool,
    /// Whether rotations are free.
    pub free_rotation: bool,
    rest: Quat,
    /// How the second frame is turned against the first.
    pub turned: Quat,
}

impl Pair {
    /// A pair that acts.
    pub fn new(points: [u32; 2], factor: Real, rest: Quat) -> Self {
        Self { points, factor, active: true, released: false, free_rotation: false, rest, turned: rest }
    }

    /// What it does.
    pub fn acts(&self, c: &Attachment) -> Acts {
        match (self.released, self.active, c.clamp) {
            (true, ..) | (false, false, false) => Acts::Not,
            (false, true, _) => Acts::Attached,
            (false, false, true) => Acts::Clamped,
        }
    }
}

/// A turn about an axis of any length; none about an axis without length.
pub fn turn(axis: Vec3, angle: Real) -> Quat {
    let Some(axis) = axis.try_normalize(f64::EPSILON) else { return Quat::identity() };
    let (sin, cos) = (angle / 2.0).sin_cos();
    Quat::from_parts(cos, axis * sin)
}

/// Finds which pairs act, from positions before they are projected; `apart` is the distance of a pair's second point from a place.
///
/// **Source:** as SOFA's. What it reads beyond its last pair counts as a pair that has ended.
pub fn update<X: Coord>(
    c: &Attachment,
    pairs: &mut [Pair],
    at: impl Fn(usize, [u32; 2]) -> [X; 2],
    apart: impl Fn(&X, &X) -> Real,
    place: impl Fn(&X, Vec3) -> X,
) {
    let beyond = |x: &X| c.last.map(|(position, direction)| (x.center() - position).dot(&direction));
    for (k, pair) in pairs.iter_mut().enumerate() {
        let [first, second] = at(k, pair.points);
        pair.active = beyond(&first).is_none_or(|distance| distance <= 0.0);
        if pair.active || c.clamp {
            let held_to = match c.last {
                Some((last, _)) if !pair.active => place(&first, last),
                _ => first,
            };
            pair.released = c.min_distance.is_some_and(|limit| apart(&second, &held_to) > limit);
        }
    }
    for k in 0..pairs.len() {
        let next = pairs.get(k + 1).map(|next| next.active);
        let beyond_at = |k: usize, points| beyond(&at(k, points)[0]);
        let distances = match pairs.get(k + 1).filter(|next| !next.active) {
            Some(next) => beyond_at(k, pairs[k].points).zip(beyond_at(k + 1, next.points)),
            None => None,
        };
        let pair = &mut pairs[k];
        pair.free_rotation =
            c.free_rotations || pair.active && c.last_free_rotation && !next.unwrap_or(false);
        pair.turned = pair.rest;
        if let Some((here, there)) = distances {
            let part = -here / (there - here);
            pair.turned = turn(pair.rest.imag(), 2.0 * pair.rest.w.acos() * part);
        }
    }
}

/// Scalars of the first state whose rows and columns an assembled matrix clears: those that the second points would have there.
///
/// **Source:** as SOFA's, which counts them from the first state's place in the matrix, and goes on by two from pair to pair where it
/// looks which of them act.
pub fn cleared<D: Deriv>(c: &Attachment, pairs: &[Pair], n_dofs: usize, linear: usize) -> Vec<u32> {
    let mut scalars = Vec::new();
    if c.two_way {
        return scalars;
    }
    let size_where = |free| if free { linear } else { D::SIZE };
    let (all, last) = (size_where(c.free_rotations), size_where(c.last_free_rotation));
    let mut k = 0;
    for pair in pairs {
        if !c.clamp && pairs.get(k).is_some_and(|p| !p.active) {
            k += 1;
            continue;
        }
        let n = if pairs.get(k + 1).is_some_and(|p| p.active) { all } else { last };
        let first = pair.points[1] as usize * D::SIZE;
        if (pair.points[1] as usize) < n_dofs {
            scalars.extend((first..first + n).map(|scalar| scalar as u32));
        }
        k += 2;
    }
    scalars
}
