//! What came of a list of scenes, as one HTML page that needs nothing else.

use std::io::{self, Write};

use super::case::{Outcome, Status};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .7rem;border-bottom:1px solid #ddd;vertical-align:top}
th{position:sticky;top:0;background:#fff}td.n{text-align:right;font-variant-numeric:tabular-nums}
.passed,.written,.kept{color:#17692f}.differs,.failed{color:#a51d24;font-weight:600}
.bar{height:.5rem;background:#a51d24;margin:.5rem 0 1.5rem}.bar div{height:100%;background:#2c8f4a}
details{margin:.2rem 0}small{color:#666}
@media(prefers-color-scheme:dark){body{background:#16181b;color:#ddd}th{background:#16181b}th,td{border-color:#333}
.passed,.written,.kept{color:#6fce8b}.differs,.failed{color:#ff7b80}}";

/// Writes the page.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_page(
    out: &mut impl Write,
    title: &str,
    outcomes: &[Outcome],
    errors: &[String],
) -> io::Result<()> {
    let good = outcomes.iter().filter(|o| o.status.is_good()).count();
    let n = outcomes.len() + errors.len();
    let share = if n == 0 { 100.0 } else { 100.0 * good as f64 / n as f64 };
    let title = escaped(title);
    writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>")?;
    writeln!(out, "<style>{STYLE}</style></head><body>\n<h1>{title}</h1>")?;
    writeln!(out, "<p>{good} of {n} as they should be. Weft {}.</p>", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "<div class=\"bar\"><div style=\"width:{share:.1}%\"></div></div>")?;
    if !errors.is_empty() {
        writeln!(out, "<h2>Lines that cannot be used</h2>\n<ul>")?;
        errors.iter().try_for_each(|e| writeln!(out, "<li class=\"failed\">{}</li>", escaped(e)))?;
        writeln!(out, "</ul>")?;
    }
    writeln!(
        out,
        "<table><thead><tr><th>scene<th><th>error<th>epsilon<th>frames<th>steps<th>s<th></tr></thead><tbody>"
    )?;
    let mut rows: Vec<&Outcome> = outcomes.iter().collect();
    rows.sort_by_key(|o| match o.status {
        Status::Failed => 0,
        Status::Differs => 1,
        _ => 2,
    });
    rows.into_iter().try_for_each(|o| write_row(out, o))?;
    writeln!(out, "</tbody></table></body></html>")
}

fn write_row(out: &mut impl Write, o: &Outcome) -> io::Result<()> {
    let error = o.error.map_or_else(String::new, |e| format!("{e:.3e}"));
    let word = o.status.word();
    write!(out, "<tr><td>{}<br><small>{}</small>", escaped(&o.scene), escaped(&o.place))?;
    write!(out, "<td class=\"{word}\">{word}<td class=n>{error}<td class=n>{:e}", o.epsilon)?;
    write!(out, "<td class=n>{}<td class=n>{}<td class=n>{:.2}<td>", o.frames, o.steps, o.seconds)?;
    if !o.message.is_empty() {
        write!(out, "{}", escaped(&o.message).replace('\n', "<br>"))?;
    }
    if !o.objects.is_empty() {
        let form = o.form.map_or_else(String::new, |f| format!(", {f} references"));
        write!(out, "<details><summary>{} states{form}</summary>", o.objects.len())?;
        for object in &o.objects {
            let (error, largest) = (object.error, object.largest);
            write!(out, "{}: {error:.3e} (largest difference {largest:.3e})<br>", escaped(&object.path))?;
        }
        write!(out, "</details>")?;
    }
    writeln!(out, "</tr>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
