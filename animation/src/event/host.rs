//! What comes into a graph from outside: a pointer, keys, the viewer, files that have been loaded.
//!
//! A host posts a [`HostEvent`] to a node; the node makes X3D events of it at the start of the next frame. Positions and directions are in the
//! sensor's coordinates \[m\]: only the host knows where things are drawn.

use std::sync::Arc;

use super::NodeId;

/// A pointing device over what a sensor listens to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pointer {
    /// Where its ray begins, in the sensor's coordinates \[m\].
    pub origin: [f32; 3],
    /// The ray's direction, in the sensor's coordinates.
    pub direction: [f32; 3],
    /// What it meets of the sensor's geometry; none if it points elsewhere.
    pub hit: Option<Hit>,
    /// Whether its button is down.
    pub pressed: bool,
}

/// Where a pointer's ray meets a geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The point, in the sensor's coordinates \[m\].
    pub point: [f32; 3],
    /// The surface's normal there, in the sensor's coordinates.
    pub normal: [f32; 3],
    /// Texture coordinates there.
    pub tex_coord: [f32; 2],
}

/// Keys that are no characters, by X3D's numbers (19775-1, 21.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the keys' names say it")]
pub enum ActionKey {
    F1 = 1,
    F2 = 2,
    F3 = 3,
    F4 = 4,
    F5 = 5,
    F6 = 6,
    F7 = 7,
    F8 = 8,
    F9 = 9,
    F10 = 10,
    F11 = 11,
    F12 = 12,
    Home = 13,
    End = 14,
    PageUp = 15,
    PageDown = 16,
    Up = 17,
    Down = 18,
    Left = 19,
    Right = 20,
}

/// A key of the keyboard.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// One that writes a character; Backspace is `\u{8}`, Enter is `\r` or `\n`.
    Character(char),
    /// One that does not.
    Action(ActionKey),
    /// A shift key.
    Shift,
    /// A control key.
    Control,
    /// An Alt key.
    Alt,
}

/// How loading a file came out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loading {
    /// It goes on; a fraction of 0 to 1 has come.
    Progress(f32),
    /// It is there.
    Loaded,
    /// It cannot be read.
    Failed,
}

/// What a host tells a node.
#[derive(Clone, Debug, PartialEq)]
pub enum HostEvent {
    /// A pointer moved, or its button changed (TouchSensor, PlaneSensor, CylinderSensor, SphereSensor).
    Pointer(Pointer),
    /// A key went down or up (KeySensor, StringSensor).
    Key {
        /// Which.
        key: Key,
        /// Whether it went down.
        pressed: bool,
    },
    /// Where the viewer stands, in the sensor's coordinates (ProximitySensor, and LOD by its distance).
    Viewer {
        /// Position \[m\].
        position: [f32; 3],
        /// Axis and angle \[rad\].
        orientation: [f32; 4],
        /// What the viewer turns around \[m\]; none where the NavigationInfo that is bound has no `LOOKAT` in its type.
        center_of_rotation: Option<[f32; 3]>,
    },
    /// Where a TransformSensor's target stands, in the sensor's coordinates.
    Target {
        /// Position \[m\].
        position: [f32; 3],
        /// Axis and angle \[rad\].
        orientation: [f32; 4],
    },
    /// What the geometry of a pick sensor meets; nothing where the list is empty.
    Picked {
        /// The geometry nodes that are met.
        geometry: Arc<[Option<NodeId>]>,
        /// Where, in the sensor's coordinates \[m\], of those sensors that know it.
        points: Arc<[[f32; 3]]>,
        /// The surfaces' normals there, in the sensor's coordinates.
        normals: Arc<[[f32; 3]]>,
    },
    /// Whether a VisibilitySensor's box is seen.
    Visible(bool),
    /// Whether the viewer collides with a Collision node's geometry.
    Colliding(bool),
    /// How far loading a LoadSensor's children has come since it was told last: places among its children, and how far each is. All of a
    /// frame come at once, for the sensor says once what they come to together.
    Load(Arc<[(u32, Loading)]>),
}
