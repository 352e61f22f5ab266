//! The judges that are scripts beside the repository: SOFA's example scenes and SOFA's regression suite.
//!
//! They run the program themselves, and print a line per scene and the counts; only what they print is read.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::verdict::{Counts, Judged, Verdict};

/// Judges by SOFA's examples, several scenes at a time.
///
/// # Errors
/// Where the script does not run, or its counts are not those of its lines.
pub fn examples(shared: &Path, program: &Path) -> Result<Vec<Judged>> {
    let mut command = Command::new("python3");
    command.arg(shared.join("tools/sofa_examples.py"));
    command.args(["--verbose", "--jobs", &n_jobs().to_string(), "--"]).arg(program);
    examples_said(&said(start(command, &written_in(program)?)?)?)
}

/// Judges by SOFA's regression suite. The script takes one scene after the other, so several are started, each with a part
/// of the scenes.
///
/// # Errors
/// Where a script does not run, or its counts are not those of its lines.
pub fn regression(shared: &Path, program: &Path) -> Result<Vec<Judged>> {
    let list =
        std::fs::read_to_string(shared.join("sofa-regression/LIST")).context("sofa-regression/LIST")?;
    let lines = list.lines().filter(|l| !l.starts_with('#'));
    let scenes: Vec<&str> = lines.filter_map(|l| l.split_whitespace().next()).collect();
    let parts_in = program.with_file_name(format!("judged_{}", std::process::id()));
    std::fs::create_dir_all(&parts_in).with_context(|| parts_in.display().to_string())?;
    let written = written_in(program)?;
    let mut scripts = Vec::new();
    for part in 0..n_jobs().min(scenes.len()) {
        let names: Vec<&str> = scenes.iter().skip(part).step_by(n_jobs()).copied().collect();
        let file = parts_in.join(part.to_string());
        std::fs::write(&file, names.join("\n")).with_context(|| file.display().to_string())?;
        let mut command = Command::new("python3");
        command.arg(shared.join("tools/sofa_regression.py")).arg("--list").arg(file);
        // No scene is to fail because the machine is busy with something else.
        command.args(["--threads", "1", "--timeout", "1500", "--"]).arg(program);
        scripts.push(start(command, &written)?);
    }
    let mut judged = Vec::new();
    for script in scripts {
        judged.extend(regression_said(&said(script)?)?);
    }
    std::fs::remove_dir_all(&parts_in).with_context(|| parts_in.display().to_string())?;
    ensure!(judged.len() == scenes.len(), "{} scenes of {} were judged", judged.len(), scenes.len());
    Ok(judged)
}

/// Scenes judged at the same time.
fn n_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The folder, empty at first, for what scenes write.
fn written_in(program: &Path) -> Result<PathBuf> {
    let folder = program.with_file_name("judged_files");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

fn start(mut command: Command, folder: &Path) -> Result<Child> {
    command.current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().with_context(|| format!("cannot start {command:?}"))
}

/// What a script printed. Its exit status says only whether all scenes agree; a script that fails prints no counts.
fn said(script: Child) -> Result<String> {
    let output = script.wait_with_output().context("a judge's script")?;
    let stdout = String::from_utf8(output.stdout).context("a judge's script")?;
    if stdout.trim().is_empty() || !output.stderr.is_empty() {
        bail!("a judge's script: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(stdout)
}

/// Reads `agree   SCENE  WHY` and so on, and the counts at the end.
fn examples_said(text: &str) -> Result<Vec<Judged>> {
    let words = [("agree   ", Verdict::Agrees), ("differ  ", Verdict::Differs), ("no run  ", Verdict::NoRun)];
    let judged: Vec<Judged> = text
        .lines()
        .filter_map(|line| {
            let (rest, verdict) = words.iter().find_map(|(w, v)| Some((line.strip_prefix(w)?, *v)))?;
            let (scene, why) = rest.split_once("  ").unwrap_or((rest, ""));
            Some(Judged { scene: scene.to_owned(), verdict, why: why.to_owned() })
        })
        .collect();
    counted(text, &Counts::of(&judged).to_string())?;
    Ok(judged)
}

/// Reads `pass  SCENE  WHY` and `FAIL  SCENE  WHY`, and the counts at the end. Of a scene that failed without having run,
/// the script says so instead of an error or of what is missing in the states.
fn regression_said(text: &str) -> Result<Vec<Judged>> {
    const NO_RUN: [&str; 4] = ["exit ", "no answer ", "no reference", "cannot judge"];
    let judged: Vec<Judged> = text
        .lines()
        .filter_map(|line| {
            let (word, rest) = line.split_once("  ").filter(|(w, _)| ["pass", "FAIL"].contains(w))?;
            let (scene, why) = rest.split_once("  ")?;
            let verdict = match word {
                "pass" => Verdict::Agrees,
                _ if NO_RUN.iter().any(|n| why.starts_with(n)) => Verdict::NoRun,
                _ => Verdict::Differs,
            };
            Some(Judged { scene: scene.to_owned(), verdict, why: why.to_owned() })
        })
        .collect();
    let Counts { agree, differ, no_run } = Counts::of(&judged);
    counted(text, &format!("{agree} passed, {} failed", differ + no_run))?;
    Ok(judged)
}

/// Checks that a script's last line is what its other lines come to.
fn counted(text: &str, expected: &str) -> Result<()> {
    let last = text.lines().last().unwrap_or_default();
    ensure!(last == expected, "a judge's script counts `{last}`, its lines come to `{expected}`");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(judged: &[Judged]) -> Vec<(&str, Verdict)> {
        judged.iter().map(|j| (j.scene.as_str(), j.verdict)).collect()
    }

    #[test]
    fn lines_of_the_examples_are_read() {
        let text = "agree   A/a b.scn  step 50 /x: 1e-12\n\
            differ  A/c.scn  no object /y\n\
            no run  d.scn  d.scn:3:1: error: no\n\
            further lines of the same error\n\
            1 agree, 1 differ, 1 do not run, of 3\n";
        let judged = examples_said(text).unwrap();
        let expected =
            [("A/a b.scn", Verdict::Agrees), ("A/c.scn", Verdict::Differs), ("d.scn", Verdict::NoRun)];
        assert_eq!(verdicts(&judged), expected);
        assert_eq!(judged[1].why, "no object /y");
    }

    #[test]
    fn lines_of_the_regression_suite_are_read() {
        let text = "pass  A/a.scn  error 1e-9 (threshold 1e-4, 1 objects)\n\
            FAIL  A/b.scn  error 1e-2 (threshold 1e-4, 1 objects)\n\
            FAIL  A/c.scn  1 simulated objects, the reference has 2\n\
            FAIL  A/d.scn  exit 1: error: it does not run: 2 errors\n\
            FAIL  A/e.scn  no answer in 300 s\n\
            1 passed, 4 failed\n";
        let expected = [
            ("A/a.scn", Verdict::Agrees),
            ("A/b.scn", Verdict::Differs),
            ("A/c.scn", Verdict::Differs),
            ("A/d.scn", Verdict::NoRun),
            ("A/e.scn", Verdict::NoRun),
        ];
        assert_eq!(verdicts(&regression_said(text).unwrap()), expected);
    }

    #[test]
    fn counts_that_do_not_fit_are_an_error() {
        assert!(examples_said("agree   a.scn  x\n2 agree, 0 differ, 0 do not run, of 2\n").is_err());
        assert!(examples_said("agree   a.scn  x\n").is_err());
        assert!(regression_said("pass  a.scn  x\n0 passed, 1 failed\n").is_err());
    }
}
