//! The judge of combinations: small scenes, each with the states that SOFA computes for it, all digits of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::verdict::{Judged, Verdict};

/// The largest difference of positions and of velocities, relative to the largest coordinate of the object.
const TOLERANCE: f64 = 1e-8;

/// One line of exported states.
struct State {
    step: u64,
    object: String,
    rows: [Vec<Vec<f64>>; 2],
}

/// What a state holds: positions [m], velocities [m/s], and orientations.
const FIELDS: [&str; 2] = ["position", "velocity"];

/// Judges every `NAME.scn` by the states in `NAME.expected.jsonl`.
///
/// # Errors
/// Where files cannot be read or the program cannot be started.
pub fn combos(shared: &Path, program: &Path) -> Result<Vec<Judged>> {
    let folder = shared.join("combos");
    let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut scenes: Vec<PathBuf> = entries.map(|e| Ok(e?.path())).collect::<Result<_>>()?;
    scenes.retain(|path| path.extension().is_some_and(|e| e == "scn"));
    scenes.sort();
    scenes.iter().map(|scene| judge(scene, program)).collect()
}

fn judge(scene: &Path, program: &Path) -> Result<Judged> {
    let name = scene.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let expected = states(&scene.with_extension("expected.jsonl"))?;
    let mut steps: Vec<u64> = expected.iter().map(|s| s.step).collect();
    steps.sort_unstable();
    steps.dedup();
    let last = steps.last().copied().unwrap_or(0).to_string();
    let at: Vec<String> = steps.iter().map(u64::to_string).collect();
    let out = program.with_file_name(format!("judged_{}.jsonl", std::process::id()));
    let mut command = Command::new(program);
    command.arg("run").arg(scene).args(["--steps", &last, "--threads", "1", "--quiet"]);
    command.arg("--export-state").arg(&out).args(["--export-steps", &at.join(",")]);
    let output = command.output().with_context(|| program.display().to_string())?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let why = stderr.trim_end().lines().last().unwrap_or("(silent)").to_owned();
        return Ok(Judged { scene: name, verdict: Verdict::NoRun, why });
    }
    let computed = states(&out)?;
    std::fs::remove_file(&out).with_context(|| out.display().to_string())?;
    let (worst, why) = difference(&expected, &computed);
    let verdict = if worst <= TOLERANCE { Verdict::Agrees } else { Verdict::Differs };
    Ok(Judged { scene: name, verdict, why })
}

fn states(path: &Path) -> Result<Vec<State>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    text.lines().map(|line| state(line).with_context(|| path.display().to_string())).collect()
}

/// A number that is none, which JSON cannot say, agrees with nothing.
fn state(line: &str) -> Result<State> {
    let json: Value = serde_json::from_str(line)?;
    let rows = |field: &str| -> Option<Vec<Vec<f64>>> {
        let rows = json[field].as_array()?.iter();
        rows.map(|r| Some(r.as_array()?.iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect())).collect()
    };
    Ok(State {
        step: json["step"].as_u64().context("a state without `step`")?,
        object: json["object"].as_str().context("a state without `object`")?.to_owned(),
        rows: [
            rows(FIELDS[0]).context("a state without `position`")?,
            rows(FIELDS[1]).context("a state without `velocity`")?,
        ],
    })
}

/// The largest difference, and where it is: infinite where an object or a point is missing.
fn difference(expected: &[State], computed: &[State]) -> (f64, String) {
    let by: BTreeMap<(u64, &str), &State> =
        computed.iter().map(|s| ((s.step, s.object.as_str()), s)).collect();
    let mut worst = (f64::INFINITY, "no states to compare".to_owned());
    for (n, state) in expected.iter().enumerate() {
        let Some(own) = by.get(&(state.step, state.object.as_str())) else {
            return (f64::INFINITY, format!("step {}: no object {}", state.step, state.object));
        };
        for (field, what) in FIELDS.iter().enumerate() {
            let d = of_rows(&state.rows[field], &own.rows[field]);
            if (n, field) == (0, 0) || d > worst.0 {
                worst = (d, format!("step {} {} {what}: {d:.1e}", state.step, state.object));
            }
        }
    }
    worst
}

/// A quaternion and its negative are the same orientation.
fn of_rows(expected: &[Vec<f64>], own: &[Vec<f64>]) -> f64 {
    if expected.len() != own.len() || expected.iter().zip(own).any(|(e, o)| e.len() != o.len()) {
        return f64::INFINITY;
    }
    let scale = expected.iter().flatten().fold(1e-9_f64, |m, c| m.max(c.abs()));
    let rows = expected.iter().zip(own).map(|(e, o)| {
        let largest = |sign: f64| {
            let signs = (0..e.len()).map(|k| if e.len() == 7 && k >= 3 { sign } else { 1.0 });
            let differences = e.iter().zip(o).zip(signs).map(|((e, o), s)| (e - s * o).abs());
            differences.fold(0.0, |m: f64, d| if d.is_nan() { f64::INFINITY } else { m.max(d) })
        };
        largest(1.0).min(largest(-1.0))
    });
    rows.fold(0.0, f64::max) / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(step: u64, object: &str, position: &str, velocity: &str) -> State {
        let text = format!(
            r#"{{"step":{step},"object":"{object}","position":[{position}],"velocity":[{velocity}]}}"#
        );
        state(&text).unwrap()
    }

    #[test]
    fn the_largest_difference_is_relative_to_the_object() {
        let expected = [line(1, "/a", "[0,100,0]", "[1,0,0]"), line(1, "/b", "[0,1,0]", "[0,0,0]")];
        let same = [line(1, "/b", "[0,1,0]", "[0,0,0]"), line(1, "/a", "[0,100,0]", "[1,0,0]")];
        assert_eq!(difference(&expected, &same).0, 0.0);
        let far = [line(1, "/a", "[1,100,0]", "[1,0,0]"), line(1, "/b", "[0,1,0]", "[0,0,0]")];
        let (worst, why) = difference(&expected, &far);
        assert_eq!(worst, 0.01);
        assert_eq!(why, "step 1 /a position: 1.0e-2");
    }

    #[test]
    fn what_is_missing_or_no_number_agrees_with_nothing() {
        let expected = [line(1, "/a", "[0,1,0]", "[1,0,0]")];
        for other in [
            line(2, "/a", "[0,1,0]", "[1,0,0]"),
            line(1, "/b", "[0,1,0]", "[1,0,0]"),
            line(1, "/a", "[0,1,0],[0,1,0]", "[1,0,0]"),
            line(1, "/a", "[0,1,null]", "[1,0,0]"),
            line(1, "/a", "[0,1]", "[1,0,0]"),
        ] {
            assert_eq!(difference(&expected, &[other]).0, f64::INFINITY);
        }
        assert_eq!(difference(&[], &expected).0, f64::INFINITY);
    }

    #[test]
    fn a_quaternion_and_its_negative_are_one_orientation() {
        let expected = [line(1, "/a", "[0,1,0,0,0.6,0,0.8]", "[0,0,0,0,0,1]")];
        let negative = [line(1, "/a", "[0,1,0,0,-0.6,0,-0.8]", "[0,0,0,0,0,1]")];
        assert_eq!(difference(&expected, &negative).0, 0.0);
        let other = [line(1, "/a", "[0,1,0,0,-0.6,0,0.8]", "[0,0,0,0,0,1]")];
        assert!(difference(&expected, &other).0 > 0.1);
        let turned = [line(1, "/a", "[0,1,0,0,0.6,0,0.8]", "[0,0,0,0,0,-1]")];
        assert!(difference(&expected, &turned).0 > 0.1);
    }
}
