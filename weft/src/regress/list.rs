//! SOFA's lists of scenes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The ending of SOFA's lists.
const ENDING: &str = "regression-tests";
/// What a line holds.
const FIELDS: &str = "scene, steps, epsilon, whether mapped states count (0 or 1), number of frames";

/// One scene of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The line of the list, from 1.
    pub line: usize,
    /// The scene as the list names it.
    pub name: String,
    /// Its file.
    pub scene: PathBuf,
    /// What the names of its references begin with.
    pub reference: PathBuf,
    /// Number of steps.
    pub steps: u64,
    /// The largest error that passes.
    pub epsilon: f64,
    /// Whether states that mappings move are compared, too.
    pub mapped: bool,
    /// In how many frames references are written, besides that of the beginning.
    pub frames: u64,
}

/// A list of scenes.
#[derive(Clone, Debug, Default)]
pub struct SceneList {
    /// Its file.
    pub file: PathBuf,
    /// Its scenes, in its order.
    pub cases: Vec<Case>,
    /// Lines that cannot be used, each in one line that begins with file and line.
    pub errors: Vec<String>,
    /// Lines that leave something to a default.
    pub warnings: Vec<String>,
}

/// The lists that a path means: itself, or all below a folder, by name.
///
/// # Errors
/// It cannot be read.
pub fn lists(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == ENDING) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

impl SceneList {
    /// Reads a list. Scenes are beside it or in `scenes`; references in `references`, else in the folder that the first line of the
    /// list names, in which `$REGRESSION_DIR` stands for that variable of the environment.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(file: &Path, scenes: Option<&Path>, references: Option<&Path>) -> io::Result<Self> {
        let text = fs::read_to_string(file)?;
        let text = text.trim_start_matches('\u{feff}').to_owned();
        let variable = std::env::var("REGRESSION_DIR").ok();
        Ok(Self::parse(file, &text, [scenes, references], variable.as_deref()))
    }

    fn parse(
        file: &Path,
        text: &str,
        [scenes, references]: [Option<&Path>; 2],
        variable: Option<&str>,
    ) -> Self {
        let mut list = Self { file: file.to_owned(), ..Self::default() };
        let beside = file.parent().unwrap_or(Path::new(""));
        let scenes = scenes.unwrap_or(beside);
        let mut folder = references.map(Path::to_owned);
        let mut is_first = true;
        for (k, line) in text.lines().enumerate() {
            let about = |what: String| format!("{}:{}: {what}", file.display(), k + 1);
            let fields: Vec<&str> = line.split_whitespace().collect();
            if fields.is_empty() || line.starts_with('#') {
                continue;
            }
            // A first line with nothing but a name says where references are.
            if std::mem::take(&mut is_first) && fields.len() == 1 && !scenes.join(fields[0]).is_file() {
                match named_folder(beside, fields[0], variable) {
                    Ok(named) => {
                        folder.get_or_insert(named);
                    }
                    Err(e) if folder.is_none() => list.errors.push(about(e)),
                    Err(_) => {}
                }
                continue;
            }
            let Some(folder) = &folder else {
                let text = "no line before this one says where references are; give --references DIR";
                list.errors.push(about(text.to_owned()));
                return list;
            };
            match case(k + 1, &fields, scenes, folder) {
                Ok((case, defaults)) => {
                    list.warnings.extend(defaults.map(about));
                    list.cases.push(case);
                }
                Err(e) => list.errors.push(about(e)),
            }
        }
        list
    }
}

fn named_folder(beside: &Path, name: &str, variable: Option<&str>) -> Result<PathBuf, String> {
    let name = match (name.contains("$REGRESSION_DIR"), variable) {
        (true, Some(value)) => name.replace("$REGRESSION_DIR", value),
        (true, None) => {
            return Err(
                "the environment variable REGRESSION_DIR is not set; set it, or give --references".into()
            );
        }
        (false, _) => name.to_owned(),
    };
    Ok(beside.join(name))
}

/// A scene, and what was left to defaults.
fn case(
    line: usize,
    fields: &[&str],
    scenes: &Path,
    folder: &Path,
) -> Result<(Case, Option<String>), String> {
    fn number<T: std::str::FromStr + PartialOrd + Copy>(
        text: Option<&&str>,
        default: T,
        (what, least): (&str, T),
    ) -> Result<T, String> {
        let Some(text) = text else { return Ok(default) };
        let wrong = || format!("the {what} is `{text}`; a line holds {FIELDS}");
        text.parse().ok().filter(|n| *n >= least).ok_or_else(wrong)
    }
    let steps = number(fields.get(1), 1000_u64, ("number of steps", 1))?;
    let epsilon = number(fields.get(2), 1e-4, ("epsilon", 0.0))?;
    let mapped = number(fields.get(3), 0_u8, ("flag for mapped states", 0))?;
    if mapped > 1 {
        return Err(format!("the flag for mapped states is `{mapped}`; a line holds {FIELDS}"));
    }
    // Older lists have 0 for every step here.
    let frames = number(fields.get(4), 1_u64, ("number of frames", 0))?;
    let scene = scenes.join(fields[0]);
    if !scene.is_file() {
        return Err(format!("there is no scene {}", scene.display()));
    }
    let defaults = match fields.len() {
        5 => None,
        n if n > 5 => Some(format!("what stands behind the fifth field is not read; a line holds {FIELDS}")),
        n => Some(format!("{n} of 5 fields, the rest by default; a line holds {FIELDS}")),
    };
    let case = Case {
        line,
        name: fields[0].to_owned(),
        scene,
        reference: folder.join(fields[0]),
        steps,
        epsilon,
        mapped: mapped == 1,
        frames: if frames == 0 { steps } else { frames.min(steps) },
    };
    Ok((case, defaults))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, variable: Option<&str>) -> SceneList {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/gallery");
        SceneList::parse(&folder.join("x.regression-tests"), text, [None, None], variable)
    }

    #[test]
    fn lines_say_scene_steps_and_epsilon() {
        let list = parse("# SOFA\n../refs\n\nnet.scn 100 1e-4 1 5\nrope.scn 7 0 0 0\nchain.scn\n", None);
        assert_eq!(list.errors, [] as [String; 0]);
        let [net, rope, chain] = &list.cases[..] else { panic!("three scenes: {list:?}") };
        assert_eq!((net.line, net.steps, net.epsilon, net.mapped, net.frames), (4, 100, 1e-4, true, 5));
        assert!(net.reference.ends_with("gallery/../refs/net.scn"), "{net:?}");
        assert_eq!((rope.mapped, rope.frames), (false, 7));
        assert_eq!((chain.steps, chain.epsilon), (1000, 1e-4));
        assert!(list.warnings[0].contains("x.regression-tests:6: 1 of 5 fields"), "{:?}", list.warnings);
    }

    #[test]
    fn a_wrong_line_is_named_and_costs_no_other() {
        let text = "$REGRESSION_DIR/r\nnet.scn x 1 0 1\nnet.scn 5 -1 0 1\nnone.scn 5 1 0 1\nnet.scn 5 1 2 1\nnet.scn 5 1 0 1";
        let list = parse(text, Some("/there"));
        let wanted = [
            "x.regression-tests:2: the number of steps is `x`",
            "x.regression-tests:3: the epsilon is `-1`",
            "x.regression-tests:4: there is no scene",
            "x.regression-tests:5: the flag for mapped states is `2`",
        ];
        assert_eq!(list.errors.len(), wanted.len());
        for (error, wanted) in list.errors.iter().zip(wanted) {
            assert!(error.contains(wanted), "{error}");
        }
        assert_eq!(list.cases.len(), 1);
        assert!(list.cases[0].reference.starts_with("/there/r"));
        assert!(parse("$REGRESSION_DIR/r\nnet.scn", None).errors[0].contains("REGRESSION_DIR is not set"));
        assert!(parse("net.scn 5 1 0 1", None).errors[0].contains("give --references"));
    }
}
