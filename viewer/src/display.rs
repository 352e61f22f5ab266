//! What is shown: SOFA's display flags.

use scenes::visual::DisplayFlags;

use crate::surface::{Color, Role};

/// Which models are drawn, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Display {
    /// `showVisual`.
    pub visual: bool,
    /// `showBehavior`.
    pub behavior: bool,
    /// `showCollision`.
    pub collision: bool,
    /// `showForceFields`: the elements that forces act between.
    pub forces: bool,
    /// `showMappings`: what carries mapped points.
    pub mappings: bool,
    /// `showInteractionForceFields`: contacts.
    pub contacts: bool,
    /// `showWireframe`.
    pub wireframe: bool,
    /// The floor under the scene.
    pub floor: bool,
    /// Bodies have the color of the worker that owns them.
    pub workers: bool,
}

impl Default for Display {
    fn default() -> Self {
        Self {
            visual: true,
            behavior: false,
            collision: false,
            forces: false,
            mappings: false,
            contacts: false,
            wireframe: false,
            floor: true,
            workers: false,
        }
    }
}

impl Display {
    /// What shows a scene best, if nobody says: its visual models, or without any its behavior models.
    pub fn of(has_visual: bool) -> Self {
        Self { behavior: !has_visual, ..Self::default() }
    }

    /// The same, but for what a scene says.
    #[must_use]
    pub fn with(self, flags: &DisplayFlags) -> Self {
        let DisplayFlags { visual, behavior, collision, forces, mappings, interactions, wireframe } = *flags;
        Self {
            visual: visual.unwrap_or(self.visual),
            behavior: behavior.unwrap_or(self.behavior),
            collision: collision.unwrap_or(self.collision),
            forces: forces.unwrap_or(self.forces),
            mappings: mappings.unwrap_or(self.mappings),
            contacts: interactions.unwrap_or(self.contacts),
            wireframe: wireframe.unwrap_or(self.wireframe),
            ..self
        }
    }

    /// Whether surfaces of a role are drawn.
    pub fn shows(&self, role: Role) -> bool {
        match role {
            Role::Visual => self.visual,
            Role::Behavior | Role::Region => self.behavior,
            Role::Collision => self.collision,
            Role::Force => self.forces,
        }
    }
}

/// The color of a worker.
pub fn worker_color(worker: u32) -> Color {
    // Hues a golden section of the circle apart, so that neighbors differ, however many there are.
    let hue = f64::from(worker) * 0.618_033_988_749_895 + 0.58;
    let channel = |shift: f64| {
        let h = ((hue + shift).fract() * 6.0 - 3.0).abs() - 1.0;
        (0.25 + 0.65 * h.clamp(0.0, 1.0)) as f32
    };
    [channel(0.0), channel(2.0 / 3.0), channel(1.0 / 3.0), 1.0]
}

/// The color of what sleeps: half way to white.
pub fn pale([r, g, b, a]: Color) -> Color {
    let [r, g, b] = [r, g, b].map(|c| 0.5 * (c + 1.0));
    [r, g, b, a]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_decides_what_it_says_something_of() {
        let flags = DisplayFlags { visual: Some(false), wireframe: Some(true), ..DisplayFlags::default() };
        let shown = Display::of(true).with(&flags);
        assert_eq!(shown, Display { visual: false, wireframe: true, ..Display::of(true) });
        assert_eq!(Display::of(false).with(&DisplayFlags::default()), Display::of(false));
    }

    #[test]
    fn workers_can_be_told_apart() {
        let colors: Vec<Color> = (0..8).map(worker_color).collect();
        for (k, a) in colors.iter().enumerate() {
            assert!(a.iter().all(|c| (0.0..=1.0).contains(c)));
            for b in &colors[..k] {
                let difference: f32 = a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum();
                assert!(difference > 0.2, "{a:?} {b:?}");
            }
        }
    }
}
