//! What a camera sees.

/// The part of space that a camera sees: the inner sides of six planes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    /// Each as a normal of length one, inwards, and an offset: what is inside has a product with the normal of at least minus the offset.
    planes: [[f64; 4]; 6],
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = dot(a, a).sqrt();
    if length > 0.0 { a.map(|x| x / length) } else { a }
}

/// Where a camera is and what it looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is.
    pub eye: [f64; 3],
    /// A point that it looks at.
    pub at: [f64; 3],
    /// What is up; not along the line of sight.
    pub up: [f64; 3],
    /// Its angle from the lower to the upper edge \[rad\].
    pub angle: f64,
    /// Width over height.
    pub aspect: f64,
    /// The distances between which it sees something.
    pub range: [f64; 2],
}

impl Frustum {
    /// Of a camera.
    pub fn of(camera: &Camera) -> Self {
        let Camera { eye, at, up, angle, aspect, range: [near, far] } = *camera;
        let ahead = unit([at[0] - eye[0], at[1] - eye[1], at[2] - eye[2]]);
        let right = unit(cross(ahead, up));
        let up = cross(right, ahead);
        let high = (angle / 2.0).tan();
        let wide = high * aspect;
        // Through the eye, along an edge: at right angles to both is inwards.
        let side = |across: [f64; 3], slope: f64| {
            let inward: [f64; 3] = std::array::from_fn(|k| ahead[k] * slope - across[k]);
            let n = unit(inward);
            [n[0], n[1], n[2], -dot(n, eye)]
        };
        let opposite = |a: [f64; 3]| a.map(|x| -x);
        let depth = dot(ahead, eye);
        let back = opposite(ahead);
        let planes = [
            side(right, wide),
            side(opposite(right), wide),
            side(up, high),
            side(opposite(up), high),
            [ahead[0], ahead[1], ahead[2], -depth - near],
            [back[0], back[1], back[2], depth + far],
        ];
        Self { planes }
    }

    /// Whether a sphere may be seen: it may not, if it is outside of one of the planes.
    pub fn sees(&self, center: [f64; 3], radius: f64) -> bool {
        self.planes.iter().all(|[x, y, z, offset]| dot([*x, *y, *z], center) + offset >= -radius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_angle_ahead() {
        let camera = Camera {
            eye: [1.0, 2.0, 3.0],
            at: [1.0, 2.0, 0.0],
            up: [0.0, 1.0, 0.0],
            angle: std::f64::consts::FRAC_PI_2,
            aspect: 2.0,
            range: [0.5, 100.0],
        };
        let frustum = Frustum::of(&camera);
        let sees = |x: f64, y: f64, z: f64, radius| frustum.sees([1.0 + x, 2.0 + y, 3.0 + z], radius);
        // At a distance of 10 it is 20 high and 40 wide.
        for (x, y, z, radius, expected) in [
            (0.0, 0.0, -10.0, 0.0, true),
            (0.0, 0.0, 10.0, 5.0, false),
            (19.9, 0.0, -10.0, 0.0, true),
            (-20.1, 0.0, -10.0, 0.0, false),
            (-20.1, 0.0, -10.0, 1.0, true),
            (0.0, 9.9, -10.0, 0.0, true),
            (0.0, -10.1, -10.0, 0.0, false),
            (0.0, 0.0, -0.4, 0.05, false),
            (0.0, 0.0, -101.0, 0.5, false),
            (0.0, 0.0, -101.0, 1.5, true),
        ] {
            assert_eq!(sees(x, y, z, radius), expected, "{x} {y} {z} {radius}");
        }
    }
}
