//! SOFA's files of the states that scenes should have.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use scenes::playback::{StateVector, TextSink, parse_frames, read_text, write_frame};
use serde::{Deserialize, Serialize};

use crate::simulation::StateView;

/// How references are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// A text of times and positions with six digits (`.reference_0_name_mstate.txt.gz`), as SOFA's C++ program writes them.
    Text,
    /// JSON with all digits (`.reference_mstate_0_name.json.gz`), as SOFA's Python program writes them.
    Json,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Json => "JSON",
        })
    }
}

/// Times [s], ascending, and the positions of one state then, rows flattened.
pub type Frames = Vec<(f64, Vec<f64>)>;

/// What the states of a scene should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// How it was written.
    pub form: Form,
    /// File and frames of each state, in the order of the scene.
    pub objects: Vec<(PathBuf, Frames)>,
}

/// Finds and reads the reference of a scene: that of the given form, or JSON if there is one, else text; none, if there is none.
///
/// # Errors
/// A file that cannot be read, with its name and what is wrong.
pub fn find_reference(prefix: &Path, form: Option<Form>) -> Result<Option<Reference>, String> {
    let forms = form.map_or(vec![Form::Json, Form::Text], |form| vec![form]);
    for form in forms {
        let files = files(prefix, form);
        if files.is_empty() {
            continue;
        }
        let mut objects = Vec::new();
        for (k, (number, path)) in files.into_iter().enumerate() {
            if number != k {
                return Err(format!("{} is there, and none with the number {k}", path.display()));
            }
            let wrong = |e: String| format!("{}: {e}", path.display());
            let (text, is_cut) = read_text(&path).map_err(|e| wrong(e.to_string()))?;
            // SOFA does not always finish the files that it compresses.
            if is_cut {
                log::info!("{} ends early; what stands before is read", path.display());
            }
            let frames = match form {
                Form::Text => from_text(&text),
                Form::Json => from_json(&text),
            };
            objects.push((path.clone(), frames.map_err(wrong)?));
        }
        return Ok(Some(Reference { form, objects }));
    }
    Ok(None)
}

/// The files of a form, by the numbers of their states.
fn files(prefix: &Path, form: Form) -> Vec<(usize, PathBuf)> {
    let folder = prefix.parent().unwrap_or(Path::new(""));
    let Some(scene) = prefix.file_name().and_then(|n| n.to_str()) else { return Vec::new() };
    let begin = match form {
        Form::Text => format!("{scene}.reference_"),
        Form::Json => format!("{scene}.reference_mstate_"),
    };
    let number = |path: &Path| {
        let rest = path.file_name()?.to_str()?.strip_prefix(&begin)?;
        let rest = rest.strip_suffix(".gz").unwrap_or(rest);
        let rest = rest.strip_suffix(if form == Form::Text { "_mstate.txt" } else { ".json" })?;
        rest.split('_').next()?.parse::<usize>().ok()
    };
    let entries = fs::read_dir(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let paths = entries.into_iter().flatten().filter_map(|e| Some(e.ok()?.path()));
    let mut found: Vec<(usize, PathBuf)> = paths.filter_map(|p| Some((number(&p)?, p))).collect();
    found.sort();
    found
}

fn from_text(text: &str) -> Result<Frames, String> {
    let frames = parse_frames(text)?;
    let all = frames.into_iter().filter_map(|f| Some((f.time, f.position?))).collect::<Frames>();
    sorted(all)
}

fn from_json(text: &str) -> Result<Frames, String> {
    let frames: BTreeMap<String, Vec<Vec<f64>>> = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let frame = |(time, rows): (String, Vec<Vec<f64>>)| {
        let time: f64 = time.parse().map_err(|_| format!("`{time}` is no time"))?;
        Ok((time, rows.concat()))
    };
    let mut all = frames.into_iter().map(frame).collect::<Result<Frames, String>>()?;
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    sorted(all)
}

fn sorted(frames: Frames) -> Result<Frames, String> {
    if frames.is_empty() {
        return Err("there are no positions in it".to_owned());
    }
    match frames.windows(2).find(|w| w[1].0 <= w[0].0) {
        Some(w) => Err(format!("the time {} follows {}", w[1].0, w[0].0)),
        None => Ok(frames),
    }
}

/// Writes the reference of a scene: times and the compared states then. Returns the files.
///
/// # Errors
/// A file that cannot be written, with its name.
pub fn write_reference(
    prefix: &Path,
    form: Form,
    frames: &[(f64, Vec<StateView>)],
) -> Result<Vec<PathBuf>, String> {
    let n = frames.first().map_or(0, |(_, states)| states.len());
    let mut written = Vec::new();
    for k in 0..n {
        let own: Vec<(f64, &StateView)> =
            frames.iter().filter_map(|(t, states)| Some((*t, states.get(k)?))).collect();
        let Some((_, first)) = own.first() else { continue };
        let name = first.path.rsplit('/').next().unwrap_or_default().replace(char::is_whitespace, "_");
        let ending = match form {
            Form::Text => format!(".reference_{k}_{name}_mstate.txt.gz"),
            Form::Json => format!(".reference_mstate_{k}_{name}.json.gz"),
        };
        let mut path = prefix.as_os_str().to_owned();
        path.push(ending);
        let path = PathBuf::from(path);
        write_one(&path, form, &own).map_err(|e| format!("{}: {e}", path.display()))?;
        written.push(path);
    }
    Ok(written)
}

fn write_one(path: &Path, form: Form, frames: &[(f64, &StateView)]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut out = TextSink::new(path, File::create(path)?);
    match form {
        Form::Text => {
            for (time, state) in frames {
                write_frame(&mut out, *time, &[(StateVector::Position, &state.position.concat())])?;
            }
        }
        Form::Json => {
            write!(out, "{{")?;
            for (k, (time, state)) in frames.iter().enumerate() {
                write!(out, "{}\"{time:?}\": ", if k > 0 { ", " } else { "" })?;
                serde_json::to_writer(&mut out, &state.position)?;
            }
            write!(out, "}}")?;
        }
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_back_and_json_counts_first() {
        let folder = std::env::temp_dir().join(format!("weft_reference_{}", std::process::id()));
        let prefix = folder.join("a.scn");
        let view = |x: f64| StateView {
            path: "/body/points".into(),
            template: "Vec3",
            simulated: true,
            mapped: false,
            position: vec![vec![x, 0.5, 1.0 / 3.0]; 2],
            velocity: Vec::new(),
        };
        let frames = vec![(0.0, vec![view(0.0), view(1.0)]), (0.1, vec![view(2.0), view(3.0)])];
        assert_eq!(find_reference(&prefix, None), Ok(None));
        let text = write_reference(&prefix, Form::Text, &frames).expect("written");
        assert!(text[1].ends_with("a.scn.reference_1_points_mstate.txt.gz"), "{text:?}");
        let read = find_reference(&prefix, None).expect("read").expect("there");
        assert_eq!((read.form, read.objects[1].1[1].1[2]), (Form::Text, 0.333_333));
        write_reference(&prefix, Form::Json, &frames).expect("written");
        let read = find_reference(&prefix, None).expect("read").expect("there");
        assert_eq!((read.form, read.objects[1].1[1].1[2]), (Form::Json, 1.0 / 3.0));
        assert_eq!(
            find_reference(&prefix, Some(Form::Text)).expect("read").map(|r| r.form),
            Some(Form::Text)
        );
        fs::remove_file(&text[0]).expect("removed");
        let error = find_reference(&prefix, Some(Form::Text)).expect_err("the first is missing");
        assert!(error.contains("none with the number 0"), "{error}");
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        assert!(from_json("{\"x\": [[1]]}").expect_err("a time").contains("`x` is no time"));
        assert!(from_json("{\"0\": [[NaN]]}").is_err());
        assert!(from_text("T= 1\nX= 1\nT= 0\nX= 1").expect_err("order").contains("the time 0 follows 1"));
        assert!(from_text("").expect_err("empty").contains("no positions"));
    }
}
