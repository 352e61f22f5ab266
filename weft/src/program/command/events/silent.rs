//! Nodes from which events are expected, and do not come here.

use std::collections::BTreeSet;

use animation::event::field::Access;
use animation::event::nodes::is_silent;
use animation::event::nodes::sensors::BROWSER_SENSORS;
use animation::event::scene::EventScene;
use scenes::diagnostics::{Diagnostic, Severity};

use crate::program::say::complain;

/// Types with which a browser would do something by itself that is not done here, and what.
const INERT: &[(&str, &str)] = &[
    ("ParticleSystem", "no particles fly"),
    ("EspduTransform", "nothing comes over a network"),
    ("DISEntityManager", "nothing comes over a network"),
    ("AudioClip", "nothing sounds"),
    ("MovieTexture", "no film is shown"),
    ("BufferAudioSource", "nothing sounds"),
    ("OscillatorSource", "nothing sounds"),
    ("MicrophoneSource", "nothing is heard"),
    ("StreamAudioSource", "nothing sounds"),
    ("GeoLOD", "it loads no files"),
];

/// Fields from which events are expected, and do not come, and why.
const SILENT_FIELDS: &[(&str, &str, &str)] = &[(
    "NavigationInfo",
    "transitionComplete",
    "viewpoints change at once here, without a transition; routes from transitionComplete bring nothing",
)];

/// Types that rigid bodies let speak.
const OF_BODIES: &[&str] = &["BallJoint", "SingleAxisHingeJoint", "SliderJoint", "CollisionSensor"];

/// Geometry that has no shape in pictures here.
const UNDRAWN: &[&str] = &[
    "Text",
    "NurbsCurve",
    "NurbsPatchSurface",
    "NurbsSweptSurface",
    "NurbsSwungSurface",
    "NurbsTrimmedSurface",
    "GeoElevationGrid",
    "InlineGeometry",
    "VolumeData",
    "SegmentedVolumeData",
    "IsoSurfaceVolumeData",
];

/// Says of types whose nodes do not do here what a browser does with them, and of shapes that are not drawn; of each once.
pub fn tell_of_inert_nodes(scene: &EventScene) {
    let mut said = BTreeSet::new();
    for node in scene.nodes.iter().filter(|n| !n.node_type.is_prototype) {
        let name = &*node.node_type.name;
        let inert = INERT.iter().find(|(known, _)| *known == name).map(|(_, what)| (*what).to_owned());
        let undrawn = || UNDRAWN.contains(&name).then(|| "it is not drawn here".to_owned());
        if let Some(what) = inert.or_else(undrawn)
            && said.insert(name.to_owned())
        {
            let found = Diagnostic::new(Severity::Note, &node.location, what);
            complain(&found.component(name).to_string());
        }
    }
}

/// Says of types that send no events here, if routes wait for them; of each once. Keys are told in the window, and nowhere else.
pub fn tell_of_silent_nodes(scene: &EventScene, has_window: bool) {
    let mut said = BTreeSet::new();
    let has_bodies = scene.nodes.iter().any(|n| x3d::bodies::BodySystem::is_of(&n.node_type.name));
    for route in &scene.routes {
        let node = scene.node(route.from.0);
        let name = &node.node_type.name;
        let speaks = has_bodies && OF_BODIES.contains(&&**name);
        if scene.field(route.from).access != Access::OutputOnly || node.node_type.is_prototype || speaks {
            continue;
        }
        let field = &scene.field(route.from).name;
        let of_field = SILENT_FIELDS.iter().find(|(of, known, _)| *of == &**name && *known == &**field);
        let message = if let Some((_, _, message)) = of_field {
            (*message).to_owned()
        } else if is_silent(&node.node_type) {
            format!("a {name} sends no events here; routes from it bring nothing")
        } else if matches!(&**name, "KeySensor" | "StringSensor") {
            if has_window {
                continue;
            }
            format!(
                "only the window of `view` tells a {name} of keys; without it, routes from it bring nothing"
            )
        } else if BROWSER_SENSORS.contains(&&**name) {
            format!("nothing here tells a {name} of what it senses; routes from it bring nothing")
        } else {
            continue;
        };
        if said.insert(name.clone()) {
            complain(&Diagnostic::new(Severity::Warning, &node.location, message).to_string());
        }
    }
}
