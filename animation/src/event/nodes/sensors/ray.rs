//! Where a pointer's ray meets what it drags along.

/// A point or direction \[m\].
pub(super) type Vec3 = [f32; 3];

pub(super) fn add(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|k| a[k] + b[k])
}
pub(super) fn sub(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|k| a[k] - b[k])
}
pub(super) fn scale(a: Vec3, s: f32) -> Vec3 {
    a.map(|v| v * s)
}
pub(super) fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
pub(super) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
pub(super) fn length(a: Vec3) -> f32 {
    dot(a, a).sqrt()
}
pub(super) fn unit(a: Vec3) -> Option<Vec3> {
    let l = length(a);
    (l > f32::MIN_POSITIVE && l.is_finite()).then(|| scale(a, 1.0 / l))
}

/// A half line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    pub(super) origin: Vec3,
    pub(super) direction: Vec3,
}

impl Ray {
    fn at(&self, t: f32) -> Vec3 {
        add(self.origin, scale(self.direction, t))
    }
    /// Where it meets the plane through a point, if that lies ahead.
    pub(super) fn plane(&self, point: Vec3, normal: Vec3) -> Option<Vec3> {
        let speed = dot(self.direction, normal);
        let t = dot(sub(point, self.origin), normal) / speed;
        (speed != 0.0 && t.is_finite() && t >= 0.0).then(|| self.at(t))
    }
    /// The first root of `a t^2 + 2 b t + c`, or where it comes nearest to one.
    fn first_or_nearest(a: f32, b: f32, c: f32) -> Option<(f32, bool)> {
        if a <= f32::MIN_POSITIVE {
            return None;
        }
        let under = b * b - a * c;
        if under < 0.0 {
            return Some((-b / a, false));
        }
        let near = (-b - under.sqrt()) / a;
        Some((if near >= 0.0 { near } else { (-b + under.sqrt()) / a }, true))
    }
    /// Where it meets the cylinder about the y axis; one that passes by, the cylinder's point next to it.
    pub(super) fn cylinder(&self, radius: f32) -> Option<Vec3> {
        let flat = |v: Vec3| [v[0], 0.0, v[2]];
        let (o, d) = (flat(self.origin), flat(self.direction));
        let (t, meets) = Self::first_or_nearest(dot(d, d), dot(o, d), dot(o, o) - radius * radius)?;
        let point = self.at(t);
        if meets {
            return Some(point);
        }
        let out = scale(unit(flat(point))?, radius);
        Some([out[0], point[1], out[2]])
    }
    /// The same of the sphere about the origin.
    pub(super) fn sphere(&self, radius: f32) -> Option<Vec3> {
        let (o, d) = (self.origin, self.direction);
        let (t, meets) = Self::first_or_nearest(dot(d, d), dot(o, d), dot(o, o) - radius * radius)?;
        let point = self.at(t);
        if meets { Some(point) } else { Some(scale(unit(point)?, radius)) }
    }
}
