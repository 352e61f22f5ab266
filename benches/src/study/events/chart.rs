//! The frame chart (the paper's figures 1, 12 and 13): what each worker does in a frame, as Chrome's trace and as a picture.

use std::fmt::Write;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Setting;

/// The frame that is drawn: late enough that nothing is made anew.
const FRAME: u64 = 140;
const WIDTH: f64 = 960.0;
const ROW: f64 = 44.0;
const LEFT: f64 = 70.0;

/// Draws a frame of each mode on two workers.
///
/// # Errors
/// A run fails, or its trace cannot be read.
pub fn page(text: &mut String, setting: &Setting<'_>) -> Result<()> {
    text.push_str(
        "\n## Frame charts\n\nScene 3 on two workers: a rectangle per task (blue), the step that brings events on (orange), waiting (white). Beside each picture lies the trace that Chrome and Perfetto open.\n",
    );
    let set = format!("humanoids={}", setting.humanoids);
    for (name, options) in
        [("dataflow", &[][..]), ("levels", &["--events", "levels", "--strategy", "loop-static"][..])]
    {
        let file = setting.out.join(format!("frame-{name}.json"));
        let (frames, from) = ((FRAME + 1).to_string(), FRAME.to_string());
        let mut command = setting.program.command();
        command.args(["run", "parade", "--set", &set, "--threads", "2", "--quiet"]);
        command.args(["--steps", &frames, "--report-from", &from]).args(options).arg("--trace").arg(&file);
        let output = command.stdin(Stdio::null()).output().context("cannot start weft")?;
        if !output.status.success() {
            bail!("weft run --trace: {}", String::from_utf8_lossy(&output.stderr));
        }
        let trace: Value = serde_json::from_slice(&std::fs::read(&file)?)?;
        let spans = spans(&trace);
        std::fs::write(setting.out.join(format!("frame-{name}.svg")), svg(name, &spans))?;
        let sum = |cascade: bool| -> f64 {
            // The sum of nothing is -0.
            let of_kind = spans.iter().filter(|s| !s.waits && s.cascade == cascade);
            of_kind.fold(0.0, |sum, s| sum + s.length) * 1e-3
        };
        let _ = writeln!(
            text,
            "\n![A frame in {name}](frame-{name}.svg)\n\n`{name}` ([trace](frame-{name}.json)): {:.3} ms of evaluation and {:.3} ms of bringing events on, all workers together.",
            sum(false),
            sum(true)
        );
    }
    Ok(())
}

/// A stretch of a worker's time \[us\].
struct Span {
    worker: u64,
    begin: f64,
    length: f64,
    name: String,
    waits: bool,
    cascade: bool,
}

/// What workers did in a traced frame.
fn spans(trace: &Value) -> Vec<Span> {
    let events = trace["traceEvents"].as_array().map_or(&[][..], Vec::as_slice);
    let span = |event: &Value| {
        let name = event["name"].as_str()?;
        (event["ph"] == "X").then(|| Span {
            worker: event["tid"].as_u64().unwrap_or(0),
            begin: event["ts"].as_f64().unwrap_or(0.0),
            length: event["dur"].as_f64().unwrap_or(0.0),
            name: name.to_owned(),
            waits: event["cat"] == "wait",
            cascade: name == "cascade",
        })
    };
    events.iter().filter_map(span).collect()
}

/// A row per worker, time to the right.
fn svg(title: &str, spans: &[Span]) -> String {
    let begin = spans.iter().map(|s| s.begin).fold(f64::INFINITY, f64::min);
    let end = spans.iter().map(|s| s.begin + s.length).fold(0.0, f64::max);
    let rows = spans.iter().map(|s| s.worker + 1).max().unwrap_or(1);
    let scale = (WIDTH - LEFT - 10.0) / (end - begin).max(1e-9);
    let height = 40.0 + ROW * rows as f64 + 30.0;
    let mut t = String::new();
    let _ = writeln!(
        t,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<text x=\"{LEFT}\" y=\"22\">A frame of scene 3 in {title}: {:.3} ms</text>",
        (end - begin) * 1e-3
    );
    for row in 0..rows {
        let y = 40.0 + ROW * row as f64;
        let _ = writeln!(
            t,
            "<text x=\"6\" y=\"{}\">worker {row}</text><rect x=\"{LEFT}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#999999\"/>",
            y + 0.5 * ROW,
            WIDTH - LEFT - 10.0,
            ROW - 8.0
        );
    }
    for span in spans.iter().filter(|s| !s.waits) {
        let color = if span.cascade { "#e08214" } else { "#4393c3" };
        let name = span.name.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            t,
            "<rect x=\"{:.2}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{:.1}\" fill=\"{color}\" stroke=\"#ffffff\" stroke-width=\"0.3\"><title>{name}: {:.1} us</title></rect>",
            LEFT + (span.begin - begin) * scale,
            40.0 + ROW * span.worker as f64,
            (span.length * scale).max(0.4),
            ROW - 8.0,
            span.length
        );
    }
    let _ = writeln!(t, "<text x=\"{LEFT}\" y=\"{}\">0 ms</text>\n</svg>", height - 10.0);
    t
}
