//! What a window needs to know of a scene before the first state.

use std::sync::Arc;

use scenes::visual::DisplayFlags;
use sim_core::math::Vec3;

use crate::camera::{Bounds, Camera};
use crate::display::Display;
use crate::surface::{Links, Role, Rows, Surface, seen};
use crate::viewpoint::Viewpoint;

/// So many times as far from the middle of a scene as it was large at the beginning, a body has left it.
const FAR_AWAY: f64 = 3.0;
/// Points of a surface by which the camera follows it.
const MOST_POINTS: usize = 200;

/// A scene as it is looked at.
#[derive(Clone, Debug, Default)]
pub struct Viewed {
    /// What it is called.
    pub title: String,
    /// All that can be seen.
    pub surfaces: Vec<Arc<Surface>>,
    /// What carries mapped states.
    pub links: Vec<Links>,
    /// Gravity [m/s^2]: which way is down.
    pub gravity: Vec3,
    /// Whether there are a time step, gravity and what the mouse can pull.
    pub is_mechanical: bool,
    /// What the scene says of what is shown.
    pub flags: DisplayFlags,
    /// From where the scene asks to be looked at.
    pub viewpoint: Option<Viewpoint>,
    /// What the scene says is behind everything: red, green, blue from 0 to 1.
    pub background: Option<[f32; 3]>,
}

impl Viewed {
    /// All points that are seen at first.
    fn points(&self, states: &[Rows]) -> Vec<Vec3> {
        let mut points = Vec::new();
        seen(&self.surfaces).for_each(|s| s.motion.for_each(states, |p| points.push(p)));
        points.retain(|p| p.iter().all(|c| c.is_finite()));
        points
    }

    /// Some of the points of what is still there: bodies that have left the place of a scene's beginning for good are left out,
    /// unless all have.
    pub fn remaining(&self, states: &[Rows], begin: &Bounds) -> Vec<Vec3> {
        let reach = FAR_AWAY * (begin.max - begin.min).norm();
        let (mut all, mut remaining) = (Vec::new(), Vec::new());
        for surface in seen(&self.surfaces) {
            let (first, mut k) = (all.len(), 0);
            let every = surface.motion.n_points().div_ceil(MOST_POINTS).max(1);
            surface.motion.for_each(states, |p| {
                if k % every == 0 && p.iter().all(|c| c.is_finite()) {
                    all.push(p);
                }
                k += 1;
            });
            let is_here = |p: &Vec3| (p - begin.center()).norm() <= reach;
            if all[first..].iter().any(is_here) {
                remaining.extend_from_slice(&all[first..]);
            }
        }
        if remaining.is_empty() { all } else { remaining }
    }

    /// The box around all that is seen at first.
    pub fn bounds(&self, states: &[Rows]) -> Bounds {
        let none = Bounds { min: Vec3::zeros(), max: Vec3::zeros() };
        Bounds::around(self.points(states)).unwrap_or(none)
    }

    /// A camera at the place that the scene asks for, or one that sees all of it.
    pub fn camera(&self, states: &[Rows], aspect: f64) -> Camera {
        let mut camera = Camera::framing(&self.points(states), self.gravity, aspect);
        if let Some(viewpoint) = &self.viewpoint {
            camera.look_from(viewpoint, aspect);
        }
        camera
    }

    /// Moves a camera until it sees all of it; the direction stays.
    pub fn frame(&self, camera: &mut Camera, states: &[Rows], aspect: f64) {
        camera.frame(&self.points(states), aspect);
    }

    /// The surfaces that are shown, visual models and what stands for them before others.
    pub fn shown(&self, display: &Display) -> impl Iterator<Item = &Surface> {
        let display = *display;
        let visual: Vec<&Surface> = if display.visual { seen(&self.surfaces).collect() } else { Vec::new() };
        let others = self
            .surfaces
            .iter()
            .map(|s| &**s)
            .filter(move |s| s.role != Role::Visual && display.shows(s.role));
        visual.into_iter().chain(others)
    }

    /// What is shown at first: what the scene says, and else each object's visual model, or its behavior model where it has none.
    pub fn display(&self) -> Display {
        Display::of(self.surfaces.iter().any(|s| s.role == Role::Visual)).with(&self.flags)
    }
}
