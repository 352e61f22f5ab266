//! `tumbling`: MCEE's scene 1: many objects that turn, some of which travel.

use std::f64::consts::FRAC_PI_2;
use std::fmt::Write;

use scenes::gallery::{GalleryError, Parameter, Settings};

use super::{GraphScene, Numbers, keys, route};

pub(super) const SCENE: GraphScene = GraphScene {
    name: "tumbling",
    summary: "Boxes that turn, some of which travel: one clock, an interpolator or two a box, as MCEE's scene 1",
    parameters: &[
        Parameter { name: "objects", default: "3200", summary: "number of boxes" },
        Parameter { name: "travelling", default: "1248", summary: "how many of them travel, too" },
    ],
    make,
};

fn make(settings: &Settings) -> Result<String, GalleryError> {
    let objects = settings.integer("objects", 1..=1_000_000)?;
    let travelling = settings.integer("travelling", 0..=objects)?;
    let columns = (1..).find(|c| c * c >= objects).unwrap_or(1);
    let mut t = String::from("DEF CLOCK TimeSensor { cycleInterval 4 loop TRUE }\n");
    let mut random = Numbers(1);
    for k in 0..objects {
        let (x, z) = (2 * (k % columns), 2 * (k / columns));
        let axis = [random.next(), random.next(), random.next()].map(|c| format!("{c:.3}")).join(" ");
        let turns: Vec<String> = (0..5).map(|q| format!("{axis} {:.4}", FRAC_PI_2 * f64::from(q))).collect();
        let _ = write!(t, "DEF OBJECT{k} Transform {{ translation {x} 0 {z} children ");
        t.push_str(if k == 0 {
            "DEF BOX Shape { appearance Appearance { material Material { diffuseColor 0.3 0.5 0.8 } } geometry Box { size 1 1 1 } } }\n"
        } else {
            "USE BOX }\n"
        });
        let _ = write!(t, "DEF TURN{k} OrientationInterpolator {{ ");
        keys(&mut t, &turns);
        t.push_str(" }\n");
        if k < travelling {
            let heights = [0.0, 1.0, 0.0].map(|h| format!("{x} {:.3} {z}", h * (1.5 + random.next())));
            let _ = write!(t, "DEF TRAVEL{k} PositionInterpolator {{ ");
            keys(&mut t, &heights);
            t.push_str(" }\n");
        }
    }
    for k in 0..objects {
        route(&mut t, "CLOCK.fraction_changed", &format!("TURN{k}.set_fraction"));
        route(&mut t, &format!("TURN{k}.value_changed"), &format!("OBJECT{k}.set_rotation"));
        if k < travelling {
            route(&mut t, "CLOCK.fraction_changed", &format!("TRAVEL{k}.set_fraction"));
            route(&mut t, &format!("TRAVEL{k}.value_changed"), &format!("OBJECT{k}.set_translation"));
        }
    }
    Ok(t)
}
