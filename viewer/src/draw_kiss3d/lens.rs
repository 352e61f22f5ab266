//! Our camera, as kiss3d asks for one.

use kiss3d::camera::Camera3d;
use kiss3d::event::WindowEvent;
use kiss3d::glamx::glam::camera::rh::proj::opengl;
use kiss3d::glamx::{Mat4, Pose3, Vec3};
use kiss3d::window::Canvas;

use crate::camera::Camera;

/// A fixed view: where our camera is in this frame. Events are ours to handle, so it ignores them.
pub(super) struct Lens {
    eye: Vec3,
    view: Pose3,
    projection: Mat4,
    clip: (f32, f32),
    field_of_view: f32,
    /// Where the middle of what is seen is in the picture, whose borders are at -1 and 1.
    center: [f32; 2],
}

pub(super) fn vec3(v: sim_core::math::Vec3) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

impl Lens {
    pub(super) fn new(camera: &Camera, aspect: f32) -> Self {
        let (near, far) = camera.clip();
        let eye = vec3(camera.eye());
        let mut lens = Self {
            eye,
            view: Pose3::look_at_rh(eye, vec3(camera.target), vec3(camera.axes()[1])),
            projection: Mat4::IDENTITY,
            clip: (near as f32, far as f32),
            field_of_view: camera.field_of_view as f32,
            center: camera.free.center().map(|c| c as f32),
        };
        lens.set_aspect(aspect);
        lens
    }

    fn set_aspect(&mut self, aspect: f32) {
        let (near, far) = self.clip;
        self.projection = opengl::perspective(self.field_of_view, aspect, near, far);
        // The fourth coordinate is the depth, by which the others are divided.
        self.projection.z_axis.x -= self.center[0];
        self.projection.z_axis.y -= self.center[1];
    }
}

impl Camera3d for Lens {
    fn handle_event(&mut self, _: &Canvas, event: &WindowEvent) {
        if let WindowEvent::FramebufferSize(width, height) = event
            && *width > 0
            && *height > 0
        {
            self.set_aspect(*width as f32 / *height as f32);
        }
    }

    fn eye(&self) -> Vec3 {
        self.eye
    }

    fn view_transform(&self) -> Pose3 {
        self.view
    }

    fn transformation(&self) -> Mat4 {
        self.projection * self.view.to_mat4()
    }

    fn inverse_transformation(&self) -> Mat4 {
        self.transformation().inverse()
    }

    fn clip_planes(&self) -> (f32, f32) {
        self.clip
    }

    fn update(&mut self, _: &Canvas) {}

    fn view_transform_pair(&self, _: usize) -> (Pose3, Mat4) {
        (self.view, self.projection)
    }
}
