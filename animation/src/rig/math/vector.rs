//! Vectors of three numbers.

/// Three numbers.
pub type Vec3 = [f64; 3];

/// a + b.
#[inline(always)]
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a - b.
#[inline(always)]
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// s a.
#[inline(always)]
pub fn scale(a: Vec3, s: f64) -> Vec3 {
    [s * a[0], s * a[1], s * a[2]]
}

/// a . b.
#[inline(always)]
pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a x b.
#[inline(always)]
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The length.
#[inline(always)]
pub fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

/// The direction, or `otherwise` if there is none.
pub fn unit_or(a: Vec3, otherwise: Vec3) -> Vec3 {
    let length = norm(a);
    if length > 1e-12 && length.is_finite() { scale(a, 1.0 / length) } else { otherwise }
}

/// a + t (b - a).
#[inline(always)]
pub fn lerp(a: Vec3, b: Vec3, t: f64) -> Vec3 {
    add(a, scale(sub(b, a), t))
}

/// A direction at right angles to a unit vector; always the same one.
pub fn perpendicular(a: Vec3) -> Vec3 {
    let away = if a[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    unit_or(cross(a, away), [0.0, 0.0, 1.0])
}
