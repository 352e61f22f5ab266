//! The camera: it looks at a point, from a distance, and is orbited, panned and zoomed.

use sim_core::math::Vec3;

use crate::viewpoint::Viewpoint;

/// Least angle between the line of sight and the vertical [rad]: beyond, left and right would change places.
const POLE: f64 = 0.02;

/// A camera follows what goes away from it as soon as it would stand at this share of its distance.
const FAR: f64 = 0.7;

/// What is so many times as far from the middle of a picture as its border is lost.
const LOST: f64 = 1.2;

/// The nearest distance that is seen, as a share of the farthest: a depth of four bytes tells surfaces apart that are so far from each other
/// as the floor is below the bodies.
const NEAR: f64 = 1e-3;

/// Half the extent of a scene that is a single point [m].
const LEAST_EXTENT: f64 = 0.5;

/// An orbiting camera.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// What it looks at [m].
    pub target: Vec3,
    /// How far away it is [m].
    pub distance: f64,
    /// Turn about the vertical [rad].
    pub yaw: f64,
    /// Height above the horizon [rad].
    pub pitch: f64,
    /// Vertical field of view [rad].
    pub field_of_view: f64,
    /// Which way is up, of length 1.
    pub up: Vec3,
    /// Half the extent of what there is to see [m]; near and far planes follow from it.
    pub extent: f64,
    /// The part of the picture that it looks through.
    pub free: Free,
}

/// The part of a picture that panels leave free, from the upper left, as shares of its width and height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Free {
    /// Its left and upper border.
    pub min: [f64; 2],
    /// Its right and lower border.
    pub max: [f64; 2],
}

impl Default for Free {
    /// The whole picture.
    fn default() -> Self {
        Self { min: [0.0; 2], max: [1.0; 2] }
    }
}

impl Free {
    /// Its middle, to the right and up from that of the picture, as shares of half the picture's width and height.
    pub fn center(&self) -> [f64; 2] {
        [self.min[0] + self.max[0] - 1.0, 1.0 - self.min[1] - self.max[1]]
    }

    /// Its width and height.
    pub fn size(&self) -> [f64; 2] {
        [self.max[0] - self.min[0], self.max[1] - self.min[1]]
    }

    /// Comes nearer to another one by a share of the way; at once where the rest is not worth a picture.
    pub fn approach(&mut self, goal: &Self, share: f64) {
        let ends = self.min.iter_mut().zip(goal.min).chain(self.max.iter_mut().zip(goal.max));
        for (at, to) in ends {
            *at = if (to - *at).abs() < 1e-3 { to } else { *at + share * (to - *at) };
        }
    }
}

/// A box around points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least coordinates [m].
    pub min: Vec3,
    /// Greatest coordinates [m].
    pub max: Vec3,
}

impl Bounds {
    /// Around points, those that are no numbers left out; none, if there are none.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let mut bounds: Option<Self> = None;
        for p in points.into_iter().filter(|p| p.iter().all(|c| c.is_finite())) {
            let b = bounds.get_or_insert(Self { min: p, max: p });
            b.min = b.min.zip_map(&p, f64::min);
            b.max = b.max.zip_map(&p, f64::max);
        }
        bounds
    }

    /// The middle [m].
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) / 2.0
    }
}

impl Camera {
    /// A camera that sees all points, from the front, a little from the right and from above; gravity says what is down.
    pub fn framing(points: &[Vec3], gravity: Vec3, aspect: f64) -> Self {
        // In this order no square is too large or too small for a number.
        let most = gravity.amax();
        let is_some = gravity.iter().all(|g| g.is_finite()) && most > 1e-12;
        let up = if is_some { -(gravity / most).normalize() } else { Vec3::new(0.0, 1.0, 0.0) };
        let mut camera = Self {
            target: Vec3::zeros(),
            distance: 1.0,
            yaw: 0.5,
            pitch: 0.35,
            field_of_view: 0.7,
            up,
            extent: 1.0,
            free: Free::default(),
        };
        camera.frame(points, aspect);
        camera
    }

    /// Moves back or forth, and aside, until all points just fit; the direction stays.
    pub fn frame(&mut self, points: &[Vec3], aspect: f64) {
        let axes = self.axes();
        // In the camera's own directions, so that the middle of the picture is the middle of what is seen.
        let turned = points.iter().map(|p| Vec3::from_fn(|i, _| p.dot(&axes[i])));
        let Some(bounds) = Bounds::around(turned) else { return };
        let (center, size) = (bounds.center(), bounds.max - bounds.min);
        self.target = axes[0] * center[0] + axes[1] * center[1] + axes[2] * center[2];
        self.extent = (size.norm() / 2.0).max(LEAST_EXTENT);
        let [across, upward] = self.slopes(aspect);
        let needed = points.iter().map(|p| {
            let d = p - self.target;
            let aside = (d.dot(&axes[0]).abs() / across).max(d.dot(&axes[1]).abs() / upward);
            aside + d.dot(&axes[2])
        });
        // A margin, so that nothing touches the border; a single point is seen from some way off.
        self.distance = needed.fold(2.0 * self.extent, f64::max) * 1.08;
    }

    /// Looks from a viewpoint, turned so that what was looked at before stays as deep in the picture as it is. Up stays up where the
    /// viewpoint does not lean to a side.
    pub fn look_from(&mut self, viewpoint: &Viewpoint, aspect: f64) {
        let Viewpoint { eye, back, up, angle } = *viewpoint;
        let (right, level) = (up.cross(&back), back - self.up * back.dot(&self.up));
        let leans = right.dot(&self.up).abs() > 1e-6 || level.norm() < 1e-6 || up.dot(&self.up) <= 0.0;
        let depth = (eye - self.target).dot(&back);
        if leans {
            self.up = up;
        }
        let (a, b) = horizon(self.up);
        let pitch = back.dot(&self.up).clamp(-1.0, 1.0).asin();
        let level = back - self.up * back.dot(&self.up);
        (self.yaw, self.pitch) = (level.dot(&a).atan2(level.dot(&b)), pitch);
        self.distance = if depth > 1e-3 * self.extent { depth } else { self.extent };
        self.target = eye - back * self.distance;
        // The smaller angle is the upright one where the picture is wider than high.
        let half = (angle / 2.0).tan();
        self.field_of_view = 2.0 * (if aspect < 1.0 { half / aspect } else { half }).atan();
    }

    /// From where it looks.
    pub fn viewpoint(&self, aspect: f64) -> Viewpoint {
        let [_, up, back] = self.axes();
        let half = (self.field_of_view / 2.0).tan();
        let angle = 2.0 * (if aspect < 1.0 { half * aspect } else { half }).atan();
        Viewpoint { eye: self.eye(), back, up, angle }
    }

    /// Half the width and height of what is seen through the free part, per distance.
    fn slopes(&self, aspect: f64) -> [f64; 2] {
        let (vertical, [width, height]) = ((self.field_of_view / 2.0).tan(), self.free.size());
        [vertical * aspect * width, vertical * height]
    }

    /// Whether a camera that sees all points just so has another place than this one for good reason: some of them are out of
    /// sight here, or all are far away.
    pub fn is_worse_than(&self, framing: &Self, points: &[Vec3], aspect: f64) -> bool {
        framing.distance < FAR * self.distance || self.misses(points, aspect, 1.0)
    }

    /// Whether some of the points are so far out of sight that they are gone before a camera on its way would be there.
    pub fn loses(&self, points: &[Vec3], aspect: f64) -> bool {
        self.misses(points, aspect, LOST)
    }

    /// Whether some of the points are outside of a picture that is so many times as wide and high.
    fn misses(&self, points: &[Vec3], aspect: f64, times: f64) -> bool {
        let (axes, eye) = (self.axes(), self.eye());
        let [across, upward] = self.slopes(aspect).map(|slope| times * slope);
        points.iter().any(|p| {
            let d = p - eye;
            let depth = -d.dot(&axes[2]);
            d.dot(&axes[0]).abs() > across * depth || d.dot(&axes[1]).abs() > upward * depth
        })
    }

    /// Comes nearer to another camera's place by a share of the way, and says whether it is there; the direction stays.
    pub fn approach(&mut self, framing: &Self, share: f64) -> bool {
        let rest = (framing.target - self.target).norm().max((framing.distance - self.distance).abs());
        if rest < 1e-3 * framing.distance {
            (self.target, self.distance, self.extent) = (framing.target, framing.distance, framing.extent);
            return true;
        }
        self.target += (framing.target - self.target) * share;
        self.distance += (framing.distance - self.distance) * share;
        self.extent += (framing.extent - self.extent) * share;
        false
    }

    /// Right, up, and back toward the camera; of length 1, orthogonal.
    pub fn axes(&self) -> [Vec3; 3] {
        let (a, b) = horizon(self.up);
        let level = a * self.yaw.sin() + b * self.yaw.cos();
        let back = level * self.pitch.cos() + self.up * self.pitch.sin();
        let right = self.up.cross(&back).normalize();
        [right, back.cross(&right), back]
    }

    /// Where it stands [m].
    pub fn eye(&self) -> Vec3 {
        self.target + self.axes()[2] * self.distance
    }

    /// Nearest and farthest distance that is seen [m]. Whatever comes toward the camera is seen until it is at the eye, and so is the floor
    /// below it: nothing near may hang on what there was to see once.
    pub fn clip(&self) -> (f64, f64) {
        let far = self.distance + 30.0 * self.extent;
        ((far * NEAR).min(self.distance * 0.05), far)
    }

    /// Turns around the target; pixels in a window of so many pixels' height.
    pub fn orbit(&mut self, dx: f64, dy: f64, height: f64) {
        self.yaw -= dx / height * std::f64::consts::PI;
        let most = std::f64::consts::FRAC_PI_2 - POLE;
        self.pitch = (self.pitch + dy / height * std::f64::consts::PI).clamp(-most, most);
    }

    /// Moves aside, so that what is at the target follows the cursor.
    pub fn pan(&mut self, dx: f64, dy: f64, height: f64) {
        let [right, up, _] = self.axes();
        let per_pixel = 2.0 * self.distance * (self.field_of_view / 2.0).tan() / height;
        self.target += (up * dy - right * dx) * per_pixel;
    }

    /// Comes nearer (positive) or goes away by so many notches of the wheel.
    pub fn zoom(&mut self, notches: f64) {
        let (least, most) = (self.extent * 1e-3, self.extent * 1e3);
        self.distance = (self.distance * 0.88f64.powf(notches)).clamp(least, most);
    }

    /// The ray under a pixel, counted from the upper left: origin and direction of length 1.
    pub fn ray(&self, at: [f64; 2], size: [f64; 2]) -> (Vec3, Vec3) {
        let [right, up, back] = self.axes();
        let vertical = (self.field_of_view / 2.0).tan();
        let center = self.free.center();
        let x = (2.0 * at[0] / size[0] - 1.0 - center[0]) * vertical * size[0] / size[1];
        let y = (1.0 - 2.0 * at[1] / size[1] - center[1]) * vertical;
        (self.eye(), (right * x + up * y - back).normalize())
    }

    /// The point under a pixel that is as far in front of the camera as another point [m].
    pub fn beside(&self, point: Vec3, at: [f64; 2], size: [f64; 2]) -> Vec3 {
        let back = self.axes()[2];
        let (origin, direction) = self.ray(at, size);
        origin + direction * ((point - origin).dot(&back) / direction.dot(&back))
    }

    /// The pixel at which a point is seen, from the upper left; none, if it is behind.
    pub fn project(&self, point: Vec3, size: [f64; 2]) -> Option<[f64; 2]> {
        let [right, up, back] = self.axes();
        let d = point - self.eye();
        let depth = -d.dot(&back);
        if depth <= 0.0 {
            return None;
        }
        let scale = size[1] / 2.0 / ((self.field_of_view / 2.0).tan() * depth);
        let center = self.free.center();
        let middle = [size[0] / 2.0 * (1.0 + center[0]), size[1] / 2.0 * (1.0 - center[1])];
        Some([middle[0] + d.dot(&right) * scale, middle[1] - d.dot(&up) * scale])
    }
}

/// Two directions that span the horizon: about y these are x and z.
fn horizon(up: Vec3) -> (Vec3, Vec3) {
    let least = (0..3).min_by(|a, b| up[*a].abs().total_cmp(&up[*b].abs())).unwrap_or(0);
    let a = up.cross(&Vec3::from_fn(|i, _| f64::from(u8::from(i == least)))).normalize();
    // About y these are x and z, so that the camera is in front of the scene, which looks along z.
    if least == 0 { (a.cross(&up), -a) } else { (a, a.cross(&up)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [f64; 2] = [800.0, 600.0];

    fn corners() -> Vec<Vec3> {
        let at = |k: u32, bit: u32, low: f64, high: f64| if k >> bit & 1 == 0 { low } else { high };
        (0..8).map(|k| Vec3::new(at(k, 0, -1.0, 3.0), at(k, 1, 0.0, 5.0), at(k, 2, -2.0, 2.0))).collect()
    }

    fn camera() -> Camera {
        Camera::framing(&corners(), Vec3::new(0.0, -9.81, 0.0), SIZE[0] / SIZE[1])
    }

    #[test]
    fn the_whole_scene_is_framed_and_fills_the_picture() {
        let camera = camera();
        let seen: Vec<[f64; 2]> =
            corners().iter().map(|c| camera.project(*c, SIZE).expect("in front")).collect();
        assert!(
            seen.iter().all(|[x, y]| (0.0..SIZE[0]).contains(x) && (0.0..SIZE[1]).contains(y)),
            "{seen:?}"
        );
        let highest = seen.iter().map(|s| s[1]).fold(f64::MAX, f64::min);
        assert!(highest < 100.0, "{seen:?}");
        let (near, far) = camera.clip();
        assert!(near > 0.0 && near < camera.distance && far > camera.distance + camera.extent);
    }

    #[test]
    fn what_comes_near_is_seen_until_it_is_at_the_eye() {
        let mut camera = camera();
        for distance in [camera.distance, 20.0 * camera.extent, 1.0] {
            camera.distance = distance;
            let (near, far) = camera.clip();
            assert!(
                near > 0.0 && near <= 0.05 * distance && far > distance + camera.extent,
                "{distance}: {near}"
            );
        }
    }

    #[test]
    fn a_camera_looks_from_a_viewpoint_and_says_from_where() {
        // Rodrigues' formula.
        let turn = |axis: Vec3, angle: f64| {
            let (k, (s, c)) = (axis.normalize(), angle.sin_cos());
            move |v: Vec3| v * c + k.cross(&v) * s + k * k.dot(&v) * (1.0 - c)
        };
        for (axis, angle) in [
            (Vec3::y(), 0.0),
            (Vec3::y(), 2.5),
            (Vec3::x(), -0.7),
            (Vec3::x(), -std::f64::consts::FRAC_PI_2),
            (Vec3::z(), 0.4),
            (Vec3::new(1.0, 2.0, 3.0), 2.0),
            (Vec3::z(), 3.1),
        ] {
            let by = turn(axis, angle);
            for aspect in [4.0 / 3.0, 0.5] {
                let wanted = Viewpoint {
                    eye: Vec3::new(1.0, 2.0, 30.0),
                    back: by(Vec3::z()),
                    up: by(Vec3::y()),
                    angle: 0.785,
                };
                let mut camera = camera();
                camera.look_from(&wanted, aspect);
                let found = camera.viewpoint(aspect);
                assert!((found.eye - wanted.eye).norm() < 1e-9, "{axis} {angle}: {found:?}");
                assert!(
                    (found.back - wanted.back).norm() < 1e-6 && (found.up - wanted.up).norm() < 1e-6,
                    "{axis} {angle}: {found:?} {wanted:?}"
                );
                assert!((found.angle - wanted.angle).abs() < 1e-12);
            }
        }
        // Looking down a little leaves up as it is, so that one turns about the vertical.
        let by = turn(Vec3::x(), -0.7);
        let mut camera = camera();
        let up = camera.up;
        camera.look_from(
            &Viewpoint { eye: Vec3::new(0.0, 9.0, 9.0), back: by(Vec3::z()), up: by(Vec3::y()), angle: 1.0 },
            1.0,
        );
        assert_eq!(camera.up, up);
    }

    #[test]
    fn a_point_and_nothing_at_all_can_be_looked_at() {
        let down = Vec3::new(0.0, -1.0, 0.0);
        let point = Camera::framing(&[Vec3::new(1.0, 2.0, 3.0)], down, 1.0);
        assert!((point.target - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-12 && point.distance > 0.5);
        assert!(Camera::framing(&[], down, 1.0).eye().iter().all(|c| c.is_finite()));
    }

    #[test]
    fn the_free_part_of_the_picture_is_filled() {
        let free = Free { min: [0.4, 0.0], max: [1.0, 0.75] };
        let mut camera = Camera { free, ..camera() };
        camera.frame(&corners(), SIZE[0] / SIZE[1]);
        let seen: Vec<[f64; 2]> =
            corners().iter().map(|c| camera.project(*c, SIZE).expect("in front")).collect();
        assert!(seen.iter().all(|[x, y]| (320.0..800.0).contains(x) && (0.0..450.0).contains(y)), "{seen:?}");
        let lowest = seen.iter().map(|s| s[1]).fold(0.0, f64::max);
        assert!(lowest > 400.0, "{seen:?}");
        let point = Vec3::new(0.3, 1.2, -0.4);
        let (origin, direction) = camera.ray(camera.project(point, SIZE).expect("in front"), SIZE);
        let off = (point - origin) - direction * (point - origin).dot(&direction);
        assert!(off.norm() < 1e-9, "{off}");
        let mut moved = Free::default();
        (0..100).for_each(|_| moved.approach(&free, 0.2));
        assert_eq!(moved, free);
    }

    #[test]
    fn what_goes_away_is_followed_and_what_moves_in_place_is_not() {
        let (aspect, mut camera) = (SIZE[0] / SIZE[1], camera());
        let framing = |camera: &Camera, points: &[Vec3]| {
            let mut framing = camera.clone();
            framing.frame(points, aspect);
            framing
        };
        let moved = |by: f64| -> Vec<Vec3> { corners().iter().map(|c| c - Vec3::y() * by).collect() };
        let stirred = moved(0.02);
        assert!(!camera.is_worse_than(&framing(&camera, &stirred), &stirred, aspect));
        let fallen = moved(10.0);
        let goal = framing(&camera, &fallen);
        assert!(camera.is_worse_than(&goal, &fallen, aspect) && camera.loses(&fallen, aspect));
        let falls = moved(0.5);
        assert!(
            camera.is_worse_than(&framing(&camera, &falls), &falls, aspect) && !camera.loses(&falls, aspect)
        );
        let heap: Vec<Vec3> = corners().iter().map(|c| c * 0.5).collect();
        assert!(camera.is_worse_than(&framing(&camera, &heap), &heap, aspect), "far away");
        assert!(!camera.approach(&goal, 0.1));
        assert!((0..200).any(|_| camera.approach(&goal, 0.1)));
        assert!(!camera.is_worse_than(&goal, &fallen, aspect));
    }

    #[test]
    fn a_ray_goes_where_a_point_is_seen() {
        let mut camera = camera();
        camera.orbit(37.0, -20.0, SIZE[1]);
        camera.pan(11.0, 5.0, SIZE[1]);
        camera.zoom(2.0);
        let point = Vec3::new(0.3, 1.2, -0.4);
        let (origin, direction) = camera.ray(camera.project(point, SIZE).expect("in front"), SIZE);
        let off = (point - origin) - direction * (point - origin).dot(&direction);
        assert!(off.norm() < 1e-9, "{off}");
    }

    #[test]
    fn what_is_pulled_stays_as_far_away() {
        let camera = camera();
        let point = Vec3::new(0.3, 1.2, -0.4);
        let there = camera.beside(point, [100.0, 500.0], SIZE);
        let seen = camera.project(there, SIZE).expect("in front");
        assert!((seen[0] - 100.0).abs() < 1e-9 && (seen[1] - 500.0).abs() < 1e-9, "{seen:?}");
        assert!((there - point).dot(&camera.axes()[2]).abs() < 1e-9);
    }

    #[test]
    fn what_is_grasped_follows_the_cursor() {
        let mut camera = camera();
        let point = camera.target;
        let before = camera.project(point, SIZE).expect("in front");
        camera.pan(25.0, -10.0, SIZE[1]);
        let after = camera.project(point, SIZE).expect("in front");
        assert!((after[0] - before[0] - 25.0).abs() < 1e-9 && (after[1] - before[1] + 10.0).abs() < 1e-9);
    }

    #[test]
    fn with_y_up_it_stands_in_front_and_a_little_to_the_right() {
        let (eye, target) = (camera().eye(), camera().target);
        assert!(eye.z > target.z && eye.x > target.x && eye.y > target.y, "{eye}");
        assert!(camera().axes()[0].x > 0.8, "x goes to the right");
    }

    #[test]
    fn what_is_in_front_turns_with_the_cursor() {
        for gravity in [[0.0, -9.81, 0.0], [0.0, 0.0, -9.81], [-1.0, 0.0, 0.0], [1.0, 2.0, 3.0]] {
            let mut camera = Camera::framing(&corners(), Vec3::from(gravity), 1.0);
            let near = camera.target + camera.axes()[2] * 0.5;
            let before = camera.project(near, SIZE).expect("in front");
            camera.orbit(30.0, 20.0, SIZE[1]);
            let after = camera.project(near, SIZE).expect("in front");
            assert!(after[0] > before[0] && after[1] > before[1], "{gravity:?}: {before:?} {after:?}");
        }
    }

    #[test]
    fn the_horizon_never_turns_over_and_any_way_may_be_up() {
        for gravity in
            [[0.0, -1e308, 0.0], [0.0, 0.0, -9.81], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [f64::NAN, 2.0, 3.0]]
        {
            let mut camera = Camera::framing(&corners(), Vec3::from(gravity), 1.0);
            camera.orbit(0.0, 1e6, SIZE[1]);
            let [right, up, back] = camera.axes();
            assert!(up.dot(&camera.up) > 0.0 && right.dot(&camera.up).abs() < 1e-9, "{gravity:?}");
            assert!((right.cross(&up) - back).norm() < 1e-9);
        }
    }
}
