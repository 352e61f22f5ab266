//! What a window needs to know of a scene before the first state.

use std::collections::{BTreeMap, VecDeque};
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
    /// The same scene as it is now: what looks otherwise takes the place of what it was, what came is beside it.
    #[must_use]
    pub fn with(&self, changed: &[Arc<Surface>]) -> Self {
        Self { surfaces: present(&self.surfaces, changed), ..self.clone() }
    }

    /// All points that are seen.
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

    /// The box around all that is seen.
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

/// The surfaces of now: those that were there at the beginning in their order, each as it looks now, then those that came.
pub fn present(begin: &[Arc<Surface>], changed: &[Arc<Surface>]) -> Vec<Arc<Surface>> {
    // Nodes without a name have their path in common: the first of a path is the first of it later.
    let mut later: BTreeMap<_, VecDeque<usize>> = BTreeMap::new();
    changed.iter().enumerate().for_each(|(k, s)| later.entry(key(s)).or_default().push_back(k));
    let mut taken = vec![false; changed.len()];
    let mut now = Vec::with_capacity(begin.len());
    for s in begin {
        let k = later.get_mut(&key(s)).and_then(VecDeque::pop_front);
        k.into_iter().for_each(|k| taken[k] = true);
        now.push(k.map_or(s, |k| &changed[k]).clone());
    }
    now.extend(changed.iter().zip(taken).filter(|(_, taken)| !taken).map(|(s, _)| s.clone()));
    now
}

/// All that is seen `now`, and nothing in the place of what was seen in the beginning and is not there any more.
pub fn with_gone(begin: &[Arc<Surface>], now: Vec<Surface>) -> Vec<Arc<Surface>> {
    let mut all: Vec<Arc<Surface>> = now.into_iter().map(Arc::new).collect();
    let mut left: BTreeMap<_, usize> = BTreeMap::new();
    all.iter().for_each(|s| *left.entry(key(s)).or_default() += 1);
    let mut gone = Vec::new();
    for s in begin {
        match left.get_mut(&key(s)) {
            Some(n) if *n > 0 => *n -= 1,
            _ => gone.push(Arc::new(Surface::nothing(s.path.clone(), s.role))),
        }
    }
    all.extend(gone);
    all
}

fn key(s: &Surface) -> (Role, &str) {
    (s.role, &s.path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{Faces, Motion};

    fn surface(path: &str, n_points: usize) -> Surface {
        let motion = Motion::Still(vec![Vec3::x(); n_points]);
        Surface::new(path.to_owned(), Role::Visual, None, motion, Faces::default(), [1.0; 4])
    }

    fn shown(all: &[Arc<Surface>]) -> Vec<(&str, usize)> {
        all.iter().map(|s| (s.path.as_str(), s.motion.n_points())).collect()
    }

    #[test]
    fn what_changes_is_in_its_place_what_comes_is_beside_it_and_what_goes_is_nothing() {
        let begin = [("/a", 1), ("/", 2), ("/", 3)].map(|(path, n)| Arc::new(surface(path, n)));
        let viewed = Viewed { surfaces: begin.to_vec(), ..Viewed::default() };
        let one = viewed.with(&[Arc::new(surface("/a", 7))]);
        assert_eq!(shown(&one.surfaces), [("/a", 7), ("/", 2), ("/", 3)]);
        let all = with_gone(&begin, vec![surface("/", 5), surface("/", 6), surface("/b", 4)]);
        let later = viewed.with(&all);
        assert_eq!(shown(&later.surfaces), [("/a", 0), ("/", 5), ("/", 6), ("/b", 4)]);
        assert_eq!(later.bounds(&[]).max, Vec3::x());
        let next = with_gone(&begin, vec![surface("/", 5)]);
        assert_eq!(shown(&viewed.with(&next).surfaces), [("/a", 0), ("/", 5), ("/", 0)]);
    }
}
