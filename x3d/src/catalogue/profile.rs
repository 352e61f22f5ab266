//! Which components a profile has, and up to which level.
//!
//! **Source:** ISO/IEC 19775-1, annexes A to G.

/// Components and levels of a profile. Full has all of them.
type Levels = &'static [(&'static str, u32)];

const CORE: Levels = &[("Core", 1)];
const INTERCHANGE: Levels = &[
    ("Core", 1),
    ("Time", 1),
    ("Networking", 1),
    ("Grouping", 1),
    ("Rendering", 3),
    ("Shape", 1),
    ("Geometry3D", 2),
    ("Lighting", 1),
    ("Texturing", 2),
    ("Interpolation", 2),
    ("Navigation", 1),
    ("EnvironmentalEffects", 1),
];
const CAD_INTERCHANGE: Levels = &[
    ("Core", 1),
    ("Networking", 2),
    ("Grouping", 1),
    ("Rendering", 4),
    ("Shape", 2),
    ("Lighting", 1),
    ("Texturing", 2),
    ("Navigation", 2),
    ("Shaders", 1),
    ("CADGeometry", 2),
];
const INTERACTIVE: Levels = &[
    ("Core", 1),
    ("Time", 1),
    ("Networking", 2),
    ("Grouping", 2),
    ("Rendering", 3),
    ("Shape", 1),
    ("Geometry3D", 3),
    ("Lighting", 2),
    ("Texturing", 2),
    ("Interpolation", 2),
    ("PointingDeviceSensor", 1),
    ("KeyDeviceSensor", 1),
    ("EnvironmentalSensor", 1),
    ("Navigation", 1),
    ("EnvironmentalEffects", 1),
    ("EventUtilities", 1),
];
const IMMERSIVE: Levels = &[
    ("Core", 2),
    ("Time", 1),
    ("Networking", 3),
    ("Grouping", 2),
    ("Rendering", 3),
    ("Shape", 2),
    ("Geometry2D", 1),
    ("Geometry3D", 4),
    ("Text", 1),
    ("Sound", 1),
    ("Lighting", 2),
    ("Texturing", 3),
    ("Interpolation", 2),
    ("PointingDeviceSensor", 1),
    ("KeyDeviceSensor", 2),
    ("EnvironmentalSensor", 2),
    ("Navigation", 2),
    ("EnvironmentalEffects", 2),
    ("Scripting", 1),
    ("EventUtilities", 1),
];

/// The profiles that a file may name.
pub(crate) const PROFILES: &[&str] = &[
    "Core",
    "Interchange",
    "CADInterchange",
    "Interactive",
    "Immersive",
    "MedicalInterchange",
    "MPEG-4",
    "Full",
];

/// The level of a component in a profile, 0 where it has none; none where nothing is known or all is in it.
pub(crate) fn level_in_profile(profile: &str, component: &str) -> Option<u32> {
    let levels = match profile {
        "Core" => CORE,
        "Interchange" => INTERCHANGE,
        "CADInterchange" => CAD_INTERCHANGE,
        "Interactive" => INTERACTIVE,
        "Immersive" => IMMERSIVE,
        _ => return None,
    };
    Some(levels.iter().find(|(name, _)| *name == component).map_or(0, |(_, level)| *level))
}
