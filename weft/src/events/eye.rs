//! Who sits before a window, in X3D's words and in the window's.

use animation::event::host::{ActionKey, Key};
use animation::rig::math::quaternion::rotate;
use sim_core::math::Vec3;
use viewer::viewpoint::{Typed, Viewpoint};
use x3d::shape::Viewer;

/// A viewer as a window looks from there. Of what sees without perspective, the angle at the distance of what it turns about.
pub(super) fn viewpoint_of(viewer: &Viewer) -> Viewpoint {
    let axis = |a: [f64; 3]| Vec3::from(rotate(viewer.orientation, a));
    let eye = Vec3::from(viewer.position);
    let flat = || {
        let distance = (eye - Vec3::from(viewer.center_of_rotation)).norm().max(1e-3);
        2.0 * (viewer.half_extent[0].min(viewer.half_extent[1]) / distance).atan()
    };
    let angle = viewer.field_of_view.unwrap_or_else(flat);
    Viewpoint { eye, back: axis([0.0, 0.0, 1.0]), up: axis([0.0, 1.0, 0.0]), angle }
}

/// Who looks from a window at a picture of so much width over height.
pub(super) fn viewer_at(from: &Viewpoint, aspect: f64) -> Viewer {
    let axes = [from.up.cross(&from.back), from.up, from.back].map(Into::into);
    let viewer = Viewer::with_axes(from.eye.into(), axes);
    Viewer { field_of_view: Some(from.angle), aspect, ..viewer }
}

/// A key in X3D's words.
pub(super) fn key_of(key: Typed) -> Key {
    const FUNCTIONS: [ActionKey; 12] = [
        ActionKey::F1,
        ActionKey::F2,
        ActionKey::F3,
        ActionKey::F4,
        ActionKey::F5,
        ActionKey::F6,
        ActionKey::F7,
        ActionKey::F8,
        ActionKey::F9,
        ActionKey::F10,
        ActionKey::F11,
        ActionKey::F12,
    ];
    Key::Action(match key {
        Typed::Character(c) => return Key::Character(c),
        Typed::Shift => return Key::Shift,
        Typed::Control => return Key::Control,
        Typed::Alt => return Key::Alt,
        Typed::Function(n) => FUNCTIONS[usize::from(n.clamp(1, 12)) - 1],
        Typed::Home => ActionKey::Home,
        Typed::End => ActionKey::End,
        Typed::PageUp => ActionKey::PageUp,
        Typed::PageDown => ActionKey::PageDown,
        Typed::Up => ActionKey::Up,
        Typed::Down => ActionKey::Down,
        Typed::Left => ActionKey::Left,
        Typed::Right => ActionKey::Right,
    })
}
