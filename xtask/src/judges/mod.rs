//! Weft beside SOFA: scenes of suites that lie beside the repository are run, and compared with the states that SOFA
//! computes.
//!
//! The repository keeps the names of the scenes that agree (`xtask/judged/`), none of SOFA's data; a scene that agreed must
//! go on doing so, and one that differs must have a known reason.

mod combos;
mod record;
mod scripts;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail, ensure};

use record::Record;
use verdict::{Counts, Judged};

struct Judge {
    name: &'static str,
    /// What it needs, relative to the folder of suites.
    needs: &'static [&'static str],
    is_script: bool,
    judge: fn(&Path, &Path) -> Result<Vec<Judged>>,
}

const JUDGES: [Judge; 3] = [
    Judge {
        name: "examples",
        needs: &["tools/sofa_examples.py", "sofa-examples"],
        is_script: true,
        judge: scripts::examples,
    },
    Judge {
        name: "regression",
        needs: &["tools/sofa_regression.py", "sofa-regression"],
        is_script: true,
        judge: scripts::regression,
    },
    Judge { name: "combos", needs: &["combos"], is_script: false, judge: combos::combos },
];

/// Options of `cargo xtask judge`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// Whether the record takes in what agrees now.
    update: bool,
    /// Whether the record also lets go of what no longer agrees.
    drop: bool,
    /// Another program than the one that the tests built.
    program: Option<PathBuf>,
}

impl Choice {
    /// Reads options; none if one is unknown or makes no sense.
    pub fn parse(words: &[&str]) -> Option<Self> {
        let mut choice = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--update" => choice.update = true,
                "--drop" => choice.drop = true,
                "--program" => choice.program = Some(PathBuf::from(words.next()?)),
                _ => return None,
            }
        }
        (choice.update || !choice.drop).then_some(choice)
    }
}

/// The step of the gate: judges by all that is there.
///
/// # Errors
/// Where a scene is not as the record says.
pub fn check(root: &Path) -> Result<()> {
    run(root, &Choice::default())
}

/// Judges by all that is there, and compares with the record or updates it.
///
/// # Errors
/// Where a scene is not as the record says, or a judge fails.
pub fn run(root: &Path, choice: &Choice) -> Result<()> {
    let shared = root.join("../shared");
    if !shared.is_dir() {
        println!("there is no ../shared, which holds scenes with the states of SOFA: nothing to judge by");
        return Ok(());
    }
    // Judges write beside the program, and scripts start it from wherever they are.
    let program = choice.program.clone().unwrap_or_else(|| root.join("target/debug/weft"));
    ensure!(program.is_file(), "{} is not built", program.display());
    let (shared, program) = (shared.canonicalize()?, program.canonicalize()?);
    let folder = root.join("xtask/judged");
    let (mut total, mut n_known, mut n_complaints) = (Counts::default(), 0, 0);
    for judge in &JUDGES {
        if let Some(missing) = judge.missing(&shared) {
            println!("{}: not judged, for there is no {missing}", judge.name);
            continue;
        }
        let begin = Instant::now();
        let mut judged = (judge.judge)(&shared, &program)?;
        judged.sort_by(|a, b| a.scene.cmp(&b.scene));
        let mut record = Record::read(&folder, judge.name)?;
        if choice.update {
            record.update(&judged, choice.drop);
            record.write(&folder, judge.name)?;
        }
        let (counts, complaints) = (Counts::of(&judged), record.complaints(&judged));
        println!("{}: {counts}, in {:.0} s", judge.name, begin.elapsed().as_secs_f64());
        complaints.iter().for_each(|c| println!("{}: {c}", judge.name));
        total = total.plus(counts);
        n_known += record.n_known();
        n_complaints += complaints.len();
    }
    println!("judged by SOFA: {total}; {n_known} differences are known");
    if n_complaints > 0 {
        bail!("scenes are not as `{}` says", folder.display());
    }
    Ok(())
}

impl Judge {
    /// What a judge needs and does not find.
    fn missing(&self, shared: &Path) -> Option<&'static str> {
        if self.is_script && !has_python() {
            return Some("python3");
        }
        self.needs.iter().copied().find(|path| !shared.join(path).exists())
    }
}

fn has_python() -> bool {
    let quiet = Stdio::null;
    let status = Command::new("python3").arg("--version").stdout(quiet()).stderr(quiet()).status();
    status.is_ok_and(|s| s.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        assert_eq!(Choice::parse(&[]), Some(Choice::default()));
        let all = Choice { update: true, drop: true, program: Some("a".into()) };
        assert_eq!(Choice::parse(&["--update", "--drop", "--program", "a"]), Some(all));
        for wrong in [&["--drop"][..], &["--program"], &["--dorp"]] {
            assert_eq!(Choice::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn where_there_is_nothing_to_judge_by_the_step_passes() {
        let root = std::env::temp_dir().join(format!("weft_judges_{}/weft", std::process::id()));
        std::fs::create_dir_all(&root).expect("a folder");
        assert!(check(&root).is_ok());
        std::fs::remove_dir_all(root.parent().expect("it has one")).expect("it is removed");
    }
}
