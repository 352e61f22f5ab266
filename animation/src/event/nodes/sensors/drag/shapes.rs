//! What a drag moves along: a plane, a cylinder, a sphere.

use super::super::super::interpolation::rotation::{axis_angle, inverse, multiply, quaternion, rotate};
use super::super::super::port::{Port, SFFloat, SFRotation, SFVec2f, SFVec3f};
use super::super::ray::{Ray, Vec3, add, cross, dot, length, sub, unit};
use super::Drag;
use crate::event::behaviour::Turn;

/// The quaternion of the sensor's own axes.
fn axes(axis: Option<Port<SFRotation>>, turn: &dyn Turn) -> [f32; 4] {
    axis.map_or([0.0, 0.0, 0.0, 1.0], |a| quaternion(a.get(turn)))
}

/// A ray as the sensor's own axes see it.
fn turned(ray: Ray, axes: &[f32; 4]) -> Ray {
    let back = inverse(axes);
    Ray { origin: rotate(&back, ray.origin), direction: rotate(&back, ray.direction) }
}

/// A value within limits; without limits if the lower one is the higher.
fn limited(value: f32, lowest: f32, highest: f32) -> f32 {
    if lowest <= highest { value.clamp(lowest, highest) } else { value }
}

/// Moves in the plane of x and y through the point that was pressed.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    pub(super) axis: Option<Port<SFRotation>>,
    pub(super) lowest: Port<SFVec2f>,
    pub(super) highest: Port<SFVec2f>,
    pub(super) start: Vec3,
}

impl Drag for Plane {
    type Moved = SFVec3f;
    type Value = Vec3;
    type Offset = SFVec3f;
    const MOVED: &str = "translation_changed";
    fn begin(&mut self, turn: &dyn Turn, _ray: Ray, hit: Vec3) {
        self.start = rotate(&inverse(&axes(self.axis, turn)), hit);
    }
    fn follow(&mut self, turn: &dyn Turn, ray: Ray, offset: Vec3) -> Option<(Vec3, Vec3)> {
        let axes = axes(self.axis, turn);
        let point = turned(ray, &axes).plane(self.start, [0.0, 0.0, 1.0])?;
        let mut moved = add(sub(point, self.start), offset);
        let (lowest, highest) = (self.lowest.get(turn), self.highest.get(turn));
        for k in 0..2 {
            moved[k] = limited(moved[k], lowest[k], highest[k]);
        }
        Some((rotate(&axes, point), rotate(&axes, moved)))
    }
    fn offset(moved: Vec3) -> Vec3 {
        moved
    }
}

/// What a cylinder's drag moves along.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Surface {
    /// Seen from above: the disk through the point.
    Disk,
    /// Seen from the side: the mantle, of this radius.
    Mantle(f32),
}

/// Turns about the y axis.
#[derive(Clone, Copy)]
pub(super) struct Cylinder {
    pub(super) axis: Option<Port<SFRotation>>,
    pub(super) disk_angle: Port<SFFloat>,
    pub(super) lowest: Port<SFFloat>,
    pub(super) highest: Port<SFFloat>,
    pub(super) start: Vec3,
    pub(super) on: Surface,
    /// How far it has turned, over full turns too.
    pub(super) turned: f32,
    pub(super) before: f32,
}

/// The angle about y from z on, towards x.
fn heading(point: Vec3) -> f32 {
    point[0].atan2(point[2])
}

impl Drag for Cylinder {
    type Moved = SFRotation;
    type Value = [f32; 4];
    type Offset = SFFloat;
    const MOVED: &str = "rotation_changed";
    fn begin(&mut self, turn: &dyn Turn, ray: Ray, hit: Vec3) {
        let axes = axes(self.axis, turn);
        self.start = rotate(&inverse(&axes), hit);
        let direction = turned(ray, &axes).direction;
        let along = dot(direction, [0.0, 1.0, 0.0]).abs() / length(direction).max(f32::MIN_POSITIVE);
        self.on = if along.min(1.0).acos() < self.disk_angle.get(turn) {
            Surface::Disk
        } else {
            Surface::Mantle(self.start[0].hypot(self.start[2]))
        };
        self.turned = 0.0;
        self.before = heading(self.start);
    }
    fn follow(&mut self, turn: &dyn Turn, ray: Ray, offset: f32) -> Option<(Vec3, [f32; 4])> {
        use std::f32::consts::{PI, TAU};
        let axes = axes(self.axis, turn);
        let ray = turned(ray, &axes);
        let point = match self.on {
            Surface::Disk => ray.plane(self.start, [0.0, 1.0, 0.0])?,
            Surface::Mantle(radius) => ray.cylinder(radius)?,
        };
        let now = heading(point);
        let step = now - self.before;
        // The shorter way from the last frame's heading.
        self.turned += if step > PI {
            step - TAU
        } else if step < -PI {
            step + TAU
        } else {
            step
        };
        self.before = now;
        let angle = limited(self.turned + offset, self.lowest.get(turn), self.highest.get(turn));
        let y = rotate(&axes, [0.0, 1.0, 0.0]);
        Some((rotate(&axes, point), [y[0], y[1], y[2], angle]))
    }
    fn offset(moved: [f32; 4]) -> f32 {
        moved[3]
    }
}

/// Turns about the origin, on the sphere through the point that was pressed.
#[derive(Clone, Copy)]
pub(super) struct Sphere {
    pub(super) start: Vec3,
}

impl Drag for Sphere {
    type Moved = SFRotation;
    type Value = [f32; 4];
    type Offset = SFRotation;
    const MOVED: &str = "rotation_changed";
    fn begin(&mut self, _turn: &dyn Turn, _ray: Ray, hit: Vec3) {
        self.start = hit;
    }
    fn follow(&mut self, _turn: &dyn Turn, ray: Ray, offset: [f32; 4]) -> Option<(Vec3, [f32; 4])> {
        let point = ray.sphere(length(self.start))?;
        let (from, to) = (unit(self.start)?, unit(point)?);
        let axis = unit(cross(from, to)).unwrap_or([0.0, 1.0, 0.0]);
        let angle = length(cross(from, to)).atan2(dot(from, to));
        let drag = quaternion([axis[0], axis[1], axis[2], angle]);
        Some((point, axis_angle(multiply(&drag, &quaternion(offset)))))
    }
    fn offset(moved: [f32; 4]) -> [f32; 4] {
        moved
    }
}
