//! Closed curves with frames along them, to sweep cross-sections along.

use std::f64::consts::TAU;

use sim_core::math::Vec3;

/// A place on a curve: center and two unit vectors across, right-handed with the direction of travel
/// (`u` x `v` points along the curve).
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub center: Vec3,
    pub u: Vec3,
    pub v: Vec3,
}

impl Frame {
    /// The point at (x, y) across the curve.
    pub fn at(&self, x: f64, y: f64) -> Vec3 {
        self.center + self.u * x + self.v * y
    }
}

/// `n` frames around a circle in the plane y = 0.
pub(super) fn circle(radius: f64, n: usize) -> Vec<Frame> {
    let frame = |i: usize| {
        let (s, c) = (TAU * i as f64 / n as f64).sin_cos();
        let out = Vec3::new(c, 0.0, s);
        Frame { center: out * radius, u: out, v: Vec3::y() }
    };
    (0..n).map(frame).collect()
}

/// `n` frames along the (p, q) torus knot: p turns about the y axis, q about the tube of the torus.
///
/// Frames are carried along without twist; what is missing to close the curve is spread over its length.
pub(super) fn torus_knot(p: u32, q: u32, major: f64, minor: f64, n: usize) -> Vec<Frame> {
    let point = |i: usize| {
        let t = TAU * (i % n) as f64 / n as f64;
        let (s, c) = (t * f64::from(p)).sin_cos();
        let (sq, cq) = (t * f64::from(q)).sin_cos();
        let r = major + minor * cq;
        Vec3::new(r * c, minor * sq, r * s)
    };
    let along = |i: usize| (point(i + 1) - point(i + n - 1)).normalize();
    let mut u = across(Vec3::y(), along(0));
    let first = u;
    let mut frames = Vec::with_capacity(n);
    for i in 0..n {
        u = across(u, along(i));
        frames.push(Frame { center: point(i), u, v: along(i).cross(&u) });
    }
    let last = across(u, along(0));
    let missing = last.cross(&first).dot(&along(0)).atan2(last.dot(&first));
    for (i, frame) in frames.iter_mut().enumerate() {
        let (s, c) = (missing * i as f64 / n as f64).sin_cos();
        (frame.u, frame.v) = (frame.u * c + frame.v * s, frame.v * c - frame.u * s);
    }
    frames
}

/// The unit vector nearest to `u` across the unit vector `t`.
fn across(u: Vec3, t: Vec3) -> Vec3 {
    let rest = u - t * t.dot(&u);
    rest.try_normalize(1e-9).unwrap_or_else(|| t.cross(&Vec3::x()).normalize())
}
