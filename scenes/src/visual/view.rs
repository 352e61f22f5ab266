//! How a scene asks to be looked at: `VisualStyle`, cameras, `BackgroundSetting`.

use std::sync::Arc;

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::{Quat, Vec3, rotate};
use sim_core::scene::Scene;

use super::color::{self, parse_color};

/// What is shown; none where the scene says nothing of it.
///
/// **Source:** as SOFA's `DisplayFlags`: words that begin with `show` or `hide`. A word for a group stands for all of its flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DisplayFlags {
    /// `VisualModels`.
    pub visual: Option<bool>,
    /// `BehaviorModels`.
    pub behavior: Option<bool>,
    /// `CollisionModels`.
    pub collision: Option<bool>,
    /// `ForceFields`.
    pub forces: Option<bool>,
    /// `MechanicalMappings`.
    pub mappings: Option<bool>,
    /// `InteractionForceFields`.
    pub interactions: Option<bool>,
    /// `Wireframe`.
    pub wireframe: Option<bool>,
}

impl DisplayFlags {
    /// Takes up a word; false where it is none.
    fn take(&mut self, word: &str) -> bool {
        let (name, on) = match (word.strip_prefix("show"), word.strip_prefix("hide")) {
            (Some(name), _) => (name, Some(true)),
            (_, Some(name)) => (name, Some(false)),
            _ => return false,
        };
        let Self { visual, behavior, collision, forces, mappings, interactions, wireframe } = self;
        let flags: &mut [&mut Option<bool>] = match name {
            "All" => &mut [visual, behavior, collision, forces, mappings, interactions],
            "Visual" | "VisualModels" => &mut [visual],
            "Behavior" => &mut [behavior, forces, interactions],
            "BehaviorModels" => &mut [behavior],
            "ForceFields" => &mut [forces],
            "InteractionForceFields" => &mut [interactions],
            "Collision" | "CollisionModels" => &mut [collision],
            "Mapping" | "MechanicalMappings" => &mut [mappings],
            "Wireframe" | "Options" => &mut [wireframe],
            // Drawn in SOFA only: the boxes of collision models, mappings of visual models, normals, advanced rendering.
            "BoundingCollisionModels"
            | "Mappings"
            | "VisualMappings"
            | "Normals"
            | "Rendering"
            | "DetectionOutputs" => &mut [],
            _ => return false,
        };
        flags.iter_mut().for_each(|flag| **flag = on);
        true
    }
}

/// From where a scene asks to be looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneCamera {
    /// Where the camera is \[m\].
    pub position: Vec3,
    /// Away from what it looks at, of length 1.
    pub back: Vec3,
    /// Which way is up in the picture, of length 1, orthogonal to `back`.
    pub up: Vec3,
    /// The angle that it sees from top to bottom \[rad\].
    pub field_of_view: f64,
}

/// What is behind everything: red, green, blue from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Background(pub [f32; 3]);

/// The first part of a kind in a scene, in its order.
pub fn first<T: Copy + Send + Sync + 'static>(scene: &Scene) -> Option<T> {
    scene.all_components().find_map(|c| scene.component(c).extension::<T>().copied())
}

/// What a window shows at first. The flags of the first style hold for the whole picture.
#[derive(Attributes)]
struct Style {
    /// words such as `showBehaviorModels` and `hideVisualModels`
    display_flags: Option<String>,
}

/// A camera: from its place it looks at a point, or along the direction of its orientation.
///
/// **Source:** as SOFA's `BaseCamera`: without turn it looks along -z, and y is up. A camera without a place, or with neither a point nor an
/// orientation, shows the whole scene.
#[derive(Attributes)]
struct CameraSettings {
    /// where it is [m]
    position: Option<Vec3>,
    /// what it looks at [m]
    look_at: Option<Vec3>,
    /// how it is turned: a quaternion x y z w
    orientation: Option<[f64; 4]>,
    /// the angle that it sees from top to bottom [deg]
    #[attribute(default = "45")]
    field_of_view: f64,
}

/// What is behind everything.
#[derive(Attributes)]
struct BackgroundSettings {
    /// a name, or red green blue alpha from 0 to 1
    color: Option<String>,
}

/// The classes.
const CLASSES: [&str; 4] = ["VisualStyle", "InteractiveCamera", "RecordedCamera", "BackgroundSetting"];

/// Whether a class says how a scene is looked at, and is not seen itself.
pub(crate) fn is_of_the_view(class: &str) -> bool {
    CLASSES.contains(&class)
}

/// The descriptions of all these classes.
pub fn all() -> Vec<ComponentDescription> {
    let camera = |class: &'static str| {
        ComponentDescription::new::<CameraSettings>(Family::Visual, class, camera)
            .summary("From where the window looks at the scene at first; no effect on the simulation")
    };
    let [style_class, interactive, recorded, background_class] = CLASSES;
    vec![
        ComponentDescription::new::<Style>(Family::Visual, style_class, style)
            .summary("What the window shows at first; no effect on the simulation"),
        camera(interactive),
        camera(recorded),
        ComponentDescription::new::<BackgroundSettings>(Family::Visual, background_class, background)
            .summary("What is behind everything; no effect on the simulation"),
    ]
}

fn style(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let mut flags = DisplayFlags::default();
    let text = Style::read(b)?.display_flags.unwrap_or_default();
    for word in text.split_ascii_whitespace().filter(|word| !flags.take(word)) {
        let what = format!(
            "`{word}` is no flag, such as `showBehaviorModels` or `hideVisualModels`; it is left out"
        );
        b.warn(Some("displayFlags"), what);
    }
    b.scene.component_mut(b.component).extension = Some(Arc::new(flags));
    Ok(())
}

fn camera(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = CameraSettings::read(b)?;
    let Some(position) = s.position else { return Ok(()) };
    let turned =
        s.orientation.map(|[x, y, z, w]| Quat::new(w, x, y, z)).filter(|q| q.norm() > 0.0).map(turned);
    let away = s.look_at.map(|at| position - at).filter(|d| d.norm() > 0.0);
    let (back, up) = match (away, turned) {
        (Some(away), turned) => (away.normalize(), turned.map_or(Vec3::y(), |(_, up)| up)),
        (None, Some(turned)) => turned,
        (None, None) => return Ok(()),
    };
    // A camera that looks straight up or down needs another way up.
    let up = [up, Vec3::y(), -Vec3::z()]
        .into_iter()
        .map(|up| up - back * up.dot(&back))
        .find(|up| up.norm() > 1e-6);
    let Some(up) = up else { return Ok(()) };
    let field_of_view = s.field_of_view.clamp(1.0, 170.0).to_radians();
    let camera = SceneCamera { position, back, up: up.normalize(), field_of_view };
    b.scene.component_mut(b.component).extension = Some(Arc::new(camera));
    Ok(())
}

/// Back and up of a camera that is turned.
fn turned(turn: Quat) -> (Vec3, Vec3) {
    let turn = turn.normalize();
    (rotate(&turn, &Vec3::z()), rotate(&turn, &Vec3::y()))
}

fn background(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let Some(text) = BackgroundSettings::read(b)?.color else { return Ok(()) };
    match parse_color(&text) {
        Some([red, green, blue, _]) => {
            b.scene.component_mut(b.component).extension = Some(Arc::new(Background([red, green, blue])));
        }
        None => {
            let what = format!(
                "`{text}` is no color: a name ({}), three or four numbers from 0 to 1, or #rrggbb",
                color::names()
            );
            b.warn(Some("color"), what);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{LoadOptions, load_text};

    fn loaded(components: &str) -> (Scene, Vec<String>) {
        let text = format!("<Node><MechanicalObject/>{components}</Node>");
        let loaded = load_text(&text, "t.scn", &LoadOptions::default()).expect("loads");
        let said = loaded.diagnostics.iter().map(ToString::to_string).collect();
        (loaded.scene, said)
    }

    #[test]
    fn flags_are_words_and_the_last_one_counts() {
        let (scene, said) =
            loaded("<VisualStyle displayFlags='showAll hideVisualModels hideForceFields showWireframe x'/>");
        let flags = first::<DisplayFlags>(&scene).expect("a style");
        let expected = DisplayFlags {
            visual: Some(false),
            behavior: Some(true),
            collision: Some(true),
            forces: Some(false),
            mappings: Some(true),
            interactions: Some(true),
            wireframe: Some(true),
        };
        assert_eq!(flags, expected);
        assert!(said.iter().any(|w| w.contains("`displayFlags`: `x` is no flag")), "{said:?}");
        assert_eq!(first::<DisplayFlags>(&loaded("").0), None);
    }

    #[test]
    fn a_camera_looks_at_a_point_or_along_its_orientation() {
        let camera = |text: &str| first::<SceneCamera>(&loaded(&format!("<InteractiveCamera {text}/>")).0);
        let seen = camera("position='0 3 4' lookAt='0 0 0' fieldOfView='60'").expect("a camera");
        assert!(
            (seen.back - Vec3::new(0.0, 0.6, 0.8)).norm() < 1e-12
                && (seen.up - Vec3::new(0.0, 0.8, -0.6)).norm() < 1e-12
        );
        assert!((seen.field_of_view - 60f64.to_radians()).abs() < 1e-12);
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let turned = camera(&format!("position='1 2 3' orientation='0 {half} 0 {half}'")).expect("a camera");
        assert!(
            (turned.back - Vec3::x()).norm() < 1e-12 && (turned.up - Vec3::y()).norm() < 1e-12,
            "{turned:?}"
        );
        let down = camera("position='0 5 0' lookAt='0 0 0'").expect("a camera");
        assert!((down.back - Vec3::y()).norm() < 1e-12 && (down.up + Vec3::z()).norm() < 1e-12, "{down:?}");
        assert_eq!(camera("position='1 2 3'"), None);
        assert_eq!(camera("position='1 2 3' lookAt='1 2 3'"), None);
    }

    #[test]
    fn what_is_behind_has_a_color() {
        assert_eq!(
            first::<Background>(&loaded("<BackgroundSetting color='1 0.5 0 1'/>").0),
            Some(Background([1.0, 0.5, 0.0]))
        );
        let (scene, said) = loaded("<BackgroundSetting color='bluish'/>");
        assert_eq!(first::<Background>(&scene), None);
        assert!(said.iter().any(|w| w.contains("`bluish` is no color")), "{said:?}");
    }
}
