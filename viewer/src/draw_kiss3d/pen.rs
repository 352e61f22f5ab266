//! Lines and points, drawn for one frame.

use kiss3d::color::Color;
use kiss3d::glamx::Vec3;
use kiss3d::window::Window;

/// How much of the way to the eye lines and points are moved, so that they lie on the surfaces that they are in.
const LIFT: f32 = 0.002;

/// Draws lines and points in the next frame.
pub(super) struct Pen<'a> {
    window: &'a mut Window,
    eye: Vec3,
}

impl<'a> Pen<'a> {
    /// For a window that is looked into from a place.
    pub(super) fn new(window: &'a mut Window, eye: Vec3) -> Self {
        Self { window, eye }
    }

    /// A line so wide [px].
    pub(super) fn line(&mut self, [a, b]: [Vec3; 2], color: Color, width: f32) {
        let [a, b] = [a, b].map(|p| self.lifted(p));
        self.window.draw_line(a, b, color, width, false);
    }

    /// A point of a size [px].
    pub(super) fn point(&mut self, at: Vec3, color: Color, size: f32) {
        self.window.draw_point(self.lifted(at), color, size);
    }

    fn lifted(&self, p: Vec3) -> Vec3 {
        p + (self.eye - p) * LIFT
    }
}
