//! `flags`: MCEE's scene 2: meshes whose points and normals are interpolated.

use std::f64::consts::TAU;
use std::fmt::Write;

use scenes::gallery::{GalleryError, Parameter, Settings};

use super::{GraphScene, keys, route};

pub(super) const SCENE: GraphScene = GraphScene {
    name: "flags",
    summary: "Sheets that wave: points and normals of each are interpolated, as MCEE's scene 2",
    parameters: &[
        Parameter { name: "sheets", default: "63", summary: "number of sheets" },
        Parameter { name: "points", default: "48855", summary: "points of all sheets together" },
    ],
    make,
};

/// States between which is interpolated.
const STATES: usize = 5;
/// Rows of a sheet.
const ROWS: usize = 25;

fn make(settings: &Settings) -> Result<String, GalleryError> {
    let sheets = settings.integer("sheets", 1..=100_000)?;
    let points = settings.integer("points", 4 * ROWS * sheets..=100_000_000)?;
    let columns = (1..).find(|c| c * c >= sheets).unwrap_or(1);
    let mut t = String::from("DEF CLOCK TimeSensor { cycleInterval 2 loop TRUE }\n");
    for k in 0..sheets {
        // Where they cannot be shared out evenly, the first have one more.
        let n = points / sheets + usize::from(k < points % sheets);
        sheet(&mut t, k, n, [3 * (k % columns), 3 * (k / columns)]);
    }
    for k in 0..sheets {
        route(&mut t, "CLOCK.fraction_changed", &format!("POINTS{k}.set_fraction"));
        route(&mut t, "CLOCK.fraction_changed", &format!("NORMALS{k}.set_fraction"));
        route(&mut t, &format!("POINTS{k}.value_changed"), &format!("COORDINATE{k}.set_point"));
        route(&mut t, &format!("NORMALS{k}.value_changed"), &format!("NORMAL{k}.set_vector"));
    }
    Ok(t)
}

/// A sheet of `n` points in rows, column after column; the last column may be short.
fn sheet(t: &mut String, k: usize, n: usize, [x, y]: [usize; 2]) {
    let place =
        |i: usize| [2.0 * (i / ROWS) as f64 / (n / ROWS) as f64, 2.0 * (i % ROWS) as f64 / ROWS as f64];
    let (mut points, mut normals) = (Vec::new(), Vec::new());
    for state in 0..STATES {
        let phase = TAU * state as f64 / (STATES - 1) as f64;
        let (mut of_points, mut of_normals) = (String::new(), String::new());
        for i in 0..n {
            let [u, v] = place(i);
            let (s, c) = (3.0 * u + phase + 0.1 * k as f64).sin_cos();
            let slope = 0.3 * u * 3.0 * c + 0.3 * s;
            let length = (1.0 + slope * slope).sqrt();
            let _ = write!(of_points, "{u:.3} {v:.3} {:.3} ", 0.3 * u * s);
            let _ = write!(of_normals, "{:.3} 0 {:.3} ", -slope / length, 1.0 / length);
        }
        points.push(of_points);
        normals.push(of_normals);
    }
    let _ = write!(t, "Transform {{ translation {x} {y} 0 children Shape {{ ");
    t.push_str("appearance Appearance { material Material { diffuseColor 0.8 0.3 0.2 } } ");
    let _ =
        write!(t, "geometry IndexedFaceSet {{ solid FALSE coord DEF COORDINATE{k} Coordinate {{ point [ ");
    let _ = write!(
        t,
        "{}] }} normal DEF NORMAL{k} Normal {{ vector [ {}] }} coordIndex [ ",
        points[0], normals[0]
    );
    for i in 0..n.saturating_sub(ROWS + 1) {
        if i % ROWS + 1 < ROWS {
            let _ = write!(t, "{i} {} {} {} -1 ", i + ROWS, i + ROWS + 1, i + 1);
        }
    }
    t.push_str("] } } }\n");
    let _ = write!(t, "DEF POINTS{k} CoordinateInterpolator {{ ");
    keys(t, &points);
    let _ = write!(t, " }}\nDEF NORMALS{k} NormalInterpolator {{ ");
    keys(t, &normals);
    t.push_str(" }\n");
}
