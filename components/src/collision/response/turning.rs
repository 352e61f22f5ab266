//! How the end of a contact turns, by the motion of the degrees of freedom that it hangs on.

use sim_core::math::{Mat3, Vec3};

/// A triangle whose points have less than this share of the inertia of a round one, to the third power, counts as a line.
const THIN: f64 = 1e-4;

/// How fast an end turns about two axes, as a linear function of the motion of its degrees of freedom: per axis, for the second
/// and the last point of a triangle or quadrangle the factors of how they move beside the first one; for a frame the axis itself.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turning(pub(super) [[Vec3; 2]; 2]);

impl Turning {
    /// That of a frame about axes.
    #[inline]
    pub fn of_frame(axes: [Vec3; 2]) -> Self {
        Self(axes.map(|axis| [axis, Vec3::zeros()]))
    }

    /// That of three points about axes; none if they lie in a line.
    ///
    /// It is the rotation w that fits the velocities of the points best: with their places r from their center and the inertia J of
    /// unit masses there, J w is the sum of r x v. So forces without sum carry a moment.
    pub fn of_triangle(x: [Vec3; 3], axes: [Vec3; 2]) -> Option<Self> {
        let center = (x[0] + x[1] + x[2]) / 3.0;
        let r = x.map(|x| x - center);
        let about = |r: &Vec3| Mat3::identity() * r.norm_squared() - r * r.transpose();
        let inertia = about(&r[0]) + about(&r[1]) + about(&r[2]);
        let mean = inertia.trace() / 3.0;
        let is_wide = inertia.determinant() > THIN * mean * mean * mean;
        let inverse = is_wide.then(|| inertia.try_inverse()).flatten()?;
        let factors = |axis: Vec3| {
            let u = inverse * axis;
            [u.cross(&r[1]), u.cross(&r[2])]
        };
        Some(Self(axes.map(factors)))
    }

    /// How fast points with these velocities turn about each axis [rad/s].
    #[inline]
    pub fn of_points(&self, [first, second, third]: [Vec3; 3]) -> [f64; 2] {
        let (v, w) = (second - first, third - first);
        self.0.map(|[f, g]| f.dot(&v) + g.dot(&w))
    }

    /// The forces on three points that are moments about the axes: the adjoint of [`Self::of_points`].
    #[inline]
    pub fn forces(&self, [m, o]: [f64; 2]) -> [Vec3; 3] {
        let [a, b] = self.0;
        let (f, g) = (a[0] * m + b[0] * o, a[1] * m + b[1] * o);
        [-f - g, f, g]
    }

    /// How fast a frame turns about each axis [rad/s].
    #[inline]
    pub fn of_rotation(&self, angular: &Vec3) -> [f64; 2] {
        self.0.map(|[axis, _]| axis.dot(angular))
    }

    /// The moment on a frame: the adjoint of [`Self::of_rotation`].
    #[inline]
    pub fn moment(&self, [m, o]: [f64; 2]) -> Vec3 {
        self.0[0][0] * m + self.0[1][0] * o
    }
}

/// A vector, at most of a length.
pub(super) fn shortened(d: Vec3, length: f64) -> Vec3 {
    let norm = d.norm();
    if norm > length { d * (length / norm) } else { d }
}

/// A vector turned into the plane to which `normal` is perpendicular: projected there, its length kept.
pub(super) fn turned(normal: &Vec3, d: Vec3) -> Vec3 {
    let flat = d - normal * normal.dot(&d);
    let norm = flat.norm();
    if norm > 0.0 { flat * (d.norm() / norm) } else { Vec3::zeros() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [Vec3; 3] =
        [Vec3::new(1.0, 0.2, 0.0), Vec3::new(2.0, 0.5, 0.3), Vec3::new(1.2, 1.5, -0.4)];

    #[test]
    fn a_triangle_that_moves_rigidly_turns_as_it_does() {
        let (w, v) = (Vec3::new(0.3, -0.7, 1.1), Vec3::new(5.0, -2.0, 1.0));
        let axes = [Vec3::new(0.6, 0.8, 0.0), Vec3::z()];
        let turning = Turning::of_triangle(TRIANGLE, axes).expect("a triangle");
        let found = turning.of_points(TRIANGLE.map(|x| v + w.cross(&x)));
        for (found, axis) in found.iter().zip(axes) {
            assert!((found - w.dot(&axis)).abs() < 1e-12);
        }
        assert_eq!(Turning::of_frame(axes).of_rotation(&w), axes.map(|axis| axis.dot(&w)));
    }

    #[test]
    fn the_forces_of_a_moment_have_no_sum_and_are_that_moment() {
        let axes = [Vec3::x(), Vec3::y()];
        let turning = Turning::of_triangle(TRIANGLE, axes).expect("a triangle");
        let forces = turning.forces([2.0, -3.0]);
        assert!(forces.iter().sum::<Vec3>().norm() < 1e-14);
        let moment: Vec3 = TRIANGLE.iter().zip(&forces).map(|(x, f)| x.cross(f)).sum();
        assert!((moment - Vec3::new(2.0, -3.0, 0.0)).norm() < 1e-13, "{moment}");
        assert_eq!(Turning::of_frame(axes).moment([2.0, -3.0]), Vec3::new(2.0, -3.0, 0.0));
        let v = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-1.0, 0.5, 0.2), Vec3::new(0.3, 0.1, -2.0)];
        let work: f64 = v.iter().zip(&forces).map(|(v, f)| v.dot(f)).sum();
        let [w, u] = turning.of_points(v);
        assert!((work - (2.0 * w - 3.0 * u)).abs() < 1e-13);
    }

    #[test]
    fn points_in_a_line_tell_nothing() {
        let axes = [Vec3::x(), Vec3::y()];
        let line = [0.0, 1.0, 3.0].map(|s| Vec3::new(1.0, s, 2.0 * s));
        assert_eq!(Turning::of_triangle(line, axes), None);
        assert_eq!(Turning::of_triangle([Vec3::x(); 3], axes), None);
    }
}
