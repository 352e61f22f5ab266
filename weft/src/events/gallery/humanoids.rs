//! `parade`: MCEE's scene 3: humanoids whose joints are interpolated.

use std::fmt::Write;

use scenes::gallery::{GalleryError, Parameter, Settings};

use super::{GraphScene, Numbers, keys, route};

pub(super) const SCENE: GraphScene = GraphScene {
    name: "parade",
    summary: "Humanoids of 54 joints, each with an interpolator, and one that carries the whole: MCEE's scene 3",
    parameters: &[
        Parameter { name: "humanoids", default: "1000", summary: "number of humanoids" },
        Parameter {
            name: "borders",
            default: "flat",
            summary: "flat: all nodes in one file; protos: a prototype per humanoid; nested: one within another",
        },
    ],
    make,
};

/// Joints of a humanoid.
const JOINTS: usize = 54;
/// Joints in a limb.
const LIMB: usize = 9;
/// States between which is interpolated.
const STATES: usize = 9;

fn make(settings: &Settings) -> Result<String, GalleryError> {
    let humanoids = settings.integer("humanoids", 1..=100_000)?;
    let borders = settings.choice("borders", &["flat", "protos", "nested"])?;
    let columns = (1..).find(|c| c * c >= humanoids).unwrap_or(1);
    let mut t = String::new();
    for h in 0..humanoids {
        let (x, z) = (2.0 * (h % columns) as f64, 2.0 * (h / columns) as f64);
        let mut random = Numbers(h as u64);
        if borders != "flat" {
            let _ = writeln!(t, "PROTO Humanoid{h} [ ] {{ Group {{ children [");
        }
        if borders == "nested" {
            t.push_str("Group { children [\n");
        }
        let name = if borders == "flat" { format!("H{h}_") } else { String::new() };
        nodes(&mut t, &name, [x, z], &mut random);
        if borders == "nested" {
            t.push_str("] }\n");
        }
        if borders != "flat" {
            t.push_str("] }\n");
        }
        routes(&mut t, &name);
        if borders != "flat" {
            t.push_str("}\n");
        }
        match borders {
            "protos" => {
                let _ = writeln!(t, "DEF H{h} Humanoid{h} {{ }}");
            }
            "nested" => {
                let _ = writeln!(
                    t,
                    "PROTO Outer{h} [ ] {{ DEF INNER Humanoid{h} {{ }} }}\nDEF H{h} Outer{h} {{ }}"
                );
            }
            _ => {}
        }
    }
    Ok(t)
}

/// The same as files: the first has an Inline for each humanoid, the others a humanoid each; their names, and their texts without header.
pub(super) fn files(humanoids: usize) -> Vec<(String, String)> {
    let columns = (1..).find(|c| c * c >= humanoids).unwrap_or(1);
    let mut main = String::new();
    let mut files = Vec::with_capacity(humanoids + 1);
    for h in 0..humanoids {
        let _ = writeln!(main, "DEF H{h} Inline {{ url \"humanoid{h}.x3dv\" }}");
        let at = [2.0 * (h % columns) as f64, 2.0 * (h / columns) as f64];
        let mut text = String::new();
        nodes(&mut text, "", at, &mut Numbers(h as u64));
        routes(&mut text, "");
        files.push((format!("humanoid{h}.x3dv"), text));
    }
    files.insert(0, ("inlines.x3dv".to_owned(), main));
    files
}

/// The nodes of a humanoid; `name` begins the name of each.
fn nodes(t: &mut String, name: &str, [x, z]: [f64; 2], random: &mut Numbers) {
    let cycle = 1.2 + 0.2 * random.next();
    let _ = writeln!(t, "DEF {name}STEPS TimeSensor {{ cycleInterval {cycle:.3} loop TRUE }}");
    let _ = writeln!(t, "DEF {name}WAY TimeSensor {{ cycleInterval {:.3} loop TRUE }}", 10.0 * cycle);
    let _ = write!(t, "DEF {name}HUMANOID HAnimHumanoid {{ skeleton [ DEF {name}ROOT HAnimJoint {{ ");
    t.push_str("children [\n");
    for limb in 0..JOINTS / LIMB {
        for k in 0..LIMB {
            let center = [0.1 * limb as f64 - 0.25, 0.1 * (k + 1) as f64, 0.0];
            let _ = write!(
                t,
                "DEF {name}J{} HAnimJoint {{ center {:.2} {:.2} {:.2} children [ ",
                limb * LIMB + k,
                center[0],
                center[1],
                center[2]
            );
        }
        t.push_str("HAnimSegment { children Shape { appearance Appearance { material Material { } } geometry Box { size 0.05 0.2 0.05 } } }");
        t.push_str(&" ] }".repeat(LIMB));
        t.push('\n');
    }
    t.push_str("] } ] }\n");
    for k in 0..JOINTS {
        let (axis, size) = ([random.next(), random.next(), random.next()], 0.4 + 0.3 * random.next());
        let axis = axis.map(|c| format!("{c:.3}")).join(" ");
        let phase = random.next();
        let value = |state: usize| {
            let angle = size * (std::f64::consts::TAU * (state as f64 / (STATES - 1) as f64 + phase)).sin();
            format!("{axis} {angle:.4}")
        };
        let _ = write!(t, "DEF {name}TURN{k} OrientationInterpolator {{ ");
        keys(t, &(0..STATES).map(value).collect::<Vec<_>>());
        t.push_str(" }\n");
    }
    let way = [0.0, 1.0, 0.0].map(|way: f64| format!("{x:.2} 0 {:.2}", z + way));
    let _ = write!(t, "DEF {name}WALK PositionInterpolator {{ ");
    keys(t, &way);
    t.push_str(" }\n");
}

fn routes(t: &mut String, name: &str) {
    for k in 0..JOINTS {
        route(t, &format!("{name}STEPS.fraction_changed"), &format!("{name}TURN{k}.set_fraction"));
        route(t, &format!("{name}TURN{k}.value_changed"), &format!("{name}J{k}.set_rotation"));
    }
    route(t, &format!("{name}WAY.fraction_changed"), &format!("{name}WALK.set_fraction"));
    route(t, &format!("{name}WALK.value_changed"), &format!("{name}HUMANOID.set_translation"));
}
