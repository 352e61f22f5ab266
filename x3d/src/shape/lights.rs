//! How bright lights make shapes.
//!
//! Each shape is lit as a whole, by what reaches its middle: its material's color times the headlight's white, if that is on, and the color of each
//! light that is on. Which faces look at a light, and shadows, are left to who draws.
//!
//! **Source:** ISO/IEC 19775-1, 17.2 (*Lighting concepts*): attenuation, the beam of a SpotLight, scopes.

use animation::rig::math::vector::{dot, norm, sub};

use super::fields::Fields;
use super::place::{Frame, Place};

/// What there is without headlight, from lights far away: what is not lit is still to be seen.
const DARK: f64 = 0.15;

/// Whether nodes of a type are lights.
pub fn is_light(type_name: &str) -> bool {
    matches!(type_name, "DirectionalLight" | "PointLight" | "SpotLight")
}

/// The light at a place of the world, red, green and blue; `under` says whether what stands there is in the same group as a light.
pub fn at(
    fields: &Fields<'_>,
    places: &[Place],
    frames: &[Frame],
    lights: &[u32],
    (point, has_headlight): ([f64; 3], bool),
    under: impl Fn(u32) -> bool,
) -> [f64; 3] {
    let mut sum = [if has_headlight { 1.0 } else { DARK }; 3];
    for number in lights {
        let Place { node, parent, .. } = places[*number as usize];
        let frame = &frames[*number as usize];
        let is_global = fields.flag(node, "global", false) || parent.is_none();
        if !frame.is_seen || !fields.flag(node, "on", true) || !(is_global || parent.is_some_and(&under)) {
            continue;
        }
        let strength = fields.number(node, "intensity", 1.0).max(0.0) * reaches(fields, node, frame, point)
            + fields.number(node, "ambientIntensity", 0.0).max(0.0);
        let color = fields.three(node, "color", [1.0; 3]);
        for (sum, c) in sum.iter_mut().zip(color) {
            *sum += strength * c;
        }
    }
    sum
}

/// The first NavigationInfo says whether the viewer carries a light.
pub fn has_headlight(fields: &Fields<'_>) -> bool {
    let nodes = (0..fields.scene.nodes.len() as u32).map(animation::event::NodeId);
    let mut infos = nodes.filter(|n| fields.type_name(*n) == "NavigationInfo");
    infos.next().is_none_or(|info| fields.flag(info, "headlight", true))
}

/// The share of a light that comes to a point.
fn reaches(fields: &Fields<'_>, light: animation::event::NodeId, frame: &Frame, point: [f64; 3]) -> f64 {
    if fields.type_name(light) == "DirectionalLight" {
        return 1.0;
    }
    let Some(back) = frame.map.inverse() else { return 0.0 };
    let (here, from) = (back.apply(point), fields.three(light, "location", [0.0; 3]));
    let way = sub(here, from);
    let distance = norm(way);
    if distance > fields.number(light, "radius", 100.0) {
        return 0.0;
    }
    let [a, b, c] = fields.three(light, "attenuation", [1.0, 0.0, 0.0]);
    let faded = 1.0 / (a + b * distance + c * distance * distance).max(1.0);
    if fields.type_name(light) == "PointLight" {
        return faded;
    }
    let direction = fields.three(light, "direction", [0.0, 0.0, -1.0]);
    let both = distance * norm(direction);
    let angle = if both > 0.0 { (dot(way, direction) / both).clamp(-1.0, 1.0).acos() } else { 0.0 };
    let cut = fields.number(light, "cutOffAngle", std::f64::consts::FRAC_PI_4);
    let beam = fields.number(light, "beamWidth", std::f64::consts::FRAC_PI_2).min(cut);
    match () {
        () if angle <= beam => faded,
        () if angle >= cut => 0.0,
        () => faded * (cut - angle) / (cut - beam),
    }
}

/// A PointLight as it shines now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lamp {
    /// Where it is in the world \[m\].
    pub at: [f64; 3],
    /// Red, green and blue, times its intensity.
    pub color: [f64; 3],
    /// How far it reaches \[m\].
    pub radius: f64,
    /// It fades with a + b d + c d^2 of the distance d \[m\].
    pub attenuation: [f64; 3],
}

/// The PointLights that are on.
pub(super) fn lamps(fields: &Fields<'_>, places: &[Place], frames: &[Frame], lights: &[u32]) -> Vec<Lamp> {
    let lamp = |number: &u32| {
        let (Place { node, .. }, frame) = (places[*number as usize], &frames[*number as usize]);
        let is_lamp =
            fields.type_name(node) == "PointLight" && frame.is_seen && fields.flag(node, "on", true);
        let intensity = fields.number(node, "intensity", 1.0).max(0.0);
        is_lamp.then(|| Lamp {
            at: frame.map.apply(fields.three(node, "location", [0.0; 3])),
            color: fields.three(node, "color", [1.0; 3]).map(|c| c * intensity),
            radius: fields.number(node, "radius", 100.0),
            attenuation: fields.three(node, "attenuation", [1.0, 0.0, 0.0]),
        })
    };
    lights.iter().filter_map(lamp).collect()
}
