//! The study `world`: what each part of the gallery's `plaza` costs, characters, skins, things that fall, and how the whole scales.

use std::fmt::Write;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::measure::Program;

/// How large the study is.
struct Size {
    people: usize,
    objects: usize,
    steps: u64,
    /// Steps before those that count.
    from: u64,
    rounds: u32,
    predicted: &'static str,
}

/// Does the study; what the page says below its heading.
///
/// # Errors
/// If a run fails, or two workers compute other bits than one.
pub fn parts(program: &Program, quick: bool, rounds: Option<u32>) -> Result<String> {
    let size = if quick {
        Size { people: 4, objects: 4, steps: 20, from: 5, rounds: rounds.unwrap_or(1), predicted: "1,2,16" }
    } else {
        Size {
            people: 20,
            objects: 20,
            steps: 400,
            from: 100,
            rounds: rounds.unwrap_or(5),
            predicted: "1,2,4,16,64",
        }
    };
    let mut page = String::new();
    compared(&mut page, program, &size)?;
    components(&mut page, program, &size)?;
    scales(&mut page, program, &size)?;
    Ok(page)
}

/// A plaza of so many, and what is left out.
fn plaza(people: usize, objects: usize, skins: usize) -> Vec<String> {
    vec![format!("people={people}"), format!("objects={objects}"), format!("skins={skins}")]
}

/// A command of the program on a plaza.
fn run(program: &Program, command: &str, set: &[String], arguments: &[&str]) -> Result<()> {
    let mut of = program.command();
    of.args([command, "plaza"]).args(arguments);
    for parameter in set {
        of.args(["--set", parameter]);
    }
    // What the environment says of executors is not what is measured here.
    of.env_remove("WEFT_EXECUTOR").env_remove("WEFT_SUMS").stdout(Stdio::null());
    let status = of.status().context("cannot start weft")?;
    if !status.success() {
        bail!("weft {command} plaza ended with {status}");
    }
    Ok(())
}

fn json(path: &Path) -> Result<Value> {
    Ok(serde_json::from_slice(&std::fs::read(path)?)?)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The whole and the whole without a part, on one worker and on two.
fn compared(page: &mut String, program: &Program, size: &Size) -> Result<()> {
    let Size { people, objects, steps, from, rounds, .. } = *size;
    let _ = writeln!(
        page,
        "\n## Parts\n\nMilliseconds of a step, medians over steps {from} to {steps} and over {rounds} rounds, in which each runs once, in turns. A step is 10 ms of time.\n\n\
         | | one worker | two workers | speedup | of real time on two |\n|---|---|---|---|---|"
    );
    let cases = [
        ("all", plaza(people, objects, 1)),
        ("without skins", plaza(people, objects, 0)),
        ("without things", plaza(people, 0, 1)),
        ("without people", plaza(0, objects, 1)),
        ("twice as many of both", plaza(2 * people, 2 * objects, 1)),
    ];
    let mut found = vec![[Vec::new(), Vec::new()]; cases.len()];
    let folder = tempfile::tempdir()?;
    let report = folder.path().join("report.json");
    let (steps, from, path) = (steps.to_string(), from.to_string(), report.display().to_string());
    for _ in 0..rounds {
        for ((name, set), found) in cases.iter().zip(&mut found) {
            let mut hashes = Vec::new();
            for (threads, found) in ["1", "2"].into_iter().zip(found) {
                let how = [
                    "--quiet",
                    "--steps",
                    &steps,
                    "--report-from",
                    &from,
                    "--threads",
                    threads,
                    "--report",
                    &path,
                ];
                run(program, "run", set, &how)?;
                let of = json(&report)?;
                let ms = of.pointer("/step_ms/median").and_then(Value::as_f64);
                found.push(ms.context("no median in the report")?);
                hashes.push(of["state_hash"].to_string());
            }
            if hashes[0] != hashes[1] {
                bail!("plaza, {name}: two workers compute other bits than one");
            }
        }
    }
    for ((name, _), found) in cases.iter().zip(found) {
        let ratios = found[0].iter().zip(&found[1]).map(|(one, two)| one / two).collect();
        let [one, two] = found.map(median);
        let _ = writeln!(
            page,
            "| {name} | {one:.2} | {two:.2} | {:.2} | {:.0} % |",
            median(ratios),
            100.0 * two / 10.0
        );
    }
    page.push_str("\nBits are the same.\n");
    Ok(())
}

/// What tasks of each component take, on one worker.
fn components(page: &mut String, program: &Program, size: &Size) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("profile.json");
    let (steps, from, shown) = (size.steps.to_string(), size.from.to_string(), path.display().to_string());
    let how = ["--quiet", "--steps", &steps, "--report-from", &from, "--threads", "1", "--json", &shown];
    run(program, "profile", &plaza(size.people, size.objects, 1), &how)?;
    let profile = json(&path)?;
    let rows = profile["classes"].as_array().context("no classes in the profile")?;
    page.push_str("\n## Components\n\nMilliseconds that tasks take in a step, on one worker.\n\n| | ms | of all tasks |\n|---|---|---|\n");
    for row in rows {
        let text = |key: &str| row[key].as_str().filter(|text| !text.is_empty());
        let name = text("class").or(text("name")).unwrap_or("other");
        let (Some(ms), Some(share)) = (row["ms"].as_f64(), row["share"].as_f64()) else { continue };
        let _ = writeln!(page, "| {name} | {ms:.3} | {:.1} % |", 100.0 * share);
    }
    Ok(())
}

/// Predicted for machines with more cores.
fn scales(page: &mut String, program: &Program, size: &Size) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("predicted.csv");
    let shown = path.display().to_string();
    let steps = size.from.to_string();
    let _ = writeln!(
        page,
        "\n## More workers\n\nPredicted by `weft predict` for a server of two nodes with 64 cores each.\n"
    );
    page.push_str("| people and things | workers | ms | speedup |\n|---|---|---|---|\n");
    for times in [1, 4] {
        let (people, objects) = (times * size.people, times * size.objects);
        let how = ["--steps", &steps, "--workers", size.predicted, "--csv", &shown];
        run(program, "predict", &plaza(people, objects, 1), &how)?;
        let text = std::fs::read_to_string(&path)?;
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let (Some(workers), Some(ms), Some(speedup)) = (fields.first(), fields.get(1), fields.get(2))
            else {
                bail!("a line of the prediction is `{line}`");
            };
            let (ms, speedup): (f64, f64) = (ms.parse()?, speedup.parse()?);
            let _ = writeln!(page, "| {people} and {objects} | {workers} | {ms:.2} | {speedup:.2} |");
        }
    }
    Ok(())
}
