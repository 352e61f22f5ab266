//! What is won: which scenes of a suite agree with SOFA, and which differences are known.
//!
//! The files hold names only, sorted, one scene a line; known differences each with a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::verdict::{Judged, Verdict};

/// The record of one judge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Scenes that agree.
    agree: BTreeSet<String>,
    /// Scenes that run and differ, with the reason.
    known: BTreeMap<String, String>,
}

/// Lines that begin so are remarks.
const REMARK: &str = "#";

impl Record {
    /// Reads the record of a judge; files that are absent are empty.
    ///
    /// # Errors
    /// Where a file cannot be read, or a known difference has no reason.
    pub fn read(folder: &Path, judge: &str) -> Result<Self> {
        let [agree, known] = files(folder, judge);
        let known = lines(&known)?.into_iter().map(|line| {
            let (scene, reason) = line
                .split_once(": ")
                .with_context(|| format!("{}: `{line}` has no reason", known.display()))?;
            Ok((scene.to_owned(), reason.to_owned()))
        });
        Ok(Self { known: known.collect::<Result<_>>()?, agree: lines(&agree)?.into_iter().collect() })
    }

    /// Writes the record of a judge. Remarks at the beginning of a file stay.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write(&self, folder: &Path, judge: &str) -> Result<()> {
        let [agree, known] = files(folder, judge);
        let differences = self.known.iter().map(|(scene, reason)| format!("{scene}: {reason}"));
        write(&agree, self.agree.iter().cloned())?;
        write(&known, differences)
    }

    /// What speaks against a change, a line each: scenes that no longer agree, scenes that differ for no known reason, and
    /// what the record does not say yet.
    pub fn complaints(&self, judged: &[Judged]) -> Vec<String> {
        let by: BTreeMap<&str, &Judged> = judged.iter().map(|j| (j.scene.as_str(), j)).collect();
        let mut complaints = Vec::new();
        for scene in &self.agree {
            match by.get(scene.as_str()) {
                Some(Judged { verdict: Verdict::Agrees, .. }) => {}
                Some(Judged { why, .. }) => {
                    complaints.push(format!("{scene} agreed, and no longer does: {why}"));
                }
                None => complaints.push(format!("{scene} agreed, and is no longer in the suite")),
            }
        }
        for Judged { scene, why, .. } in judged.iter().filter(|j| j.verdict == Verdict::Differs) {
            if !self.agree.contains(scene) && !self.known.contains_key(scene) {
                complaints.push(format!("{scene} runs and differs: {why}"));
            }
        }
        for scene in self.known.keys().filter(|s| !is(&by, s, Verdict::Differs)) {
            complaints.push(format!("{scene} is a known difference, and no longer differs; `{UPDATE}`"));
        }
        let new = judged.iter().filter(|j| j.verdict == Verdict::Agrees && !self.agree.contains(&j.scene));
        let new: Vec<&str> = new.map(|j| j.scene.as_str()).collect();
        if !new.is_empty() {
            complaints
                .push(format!("{} scenes agree that are not in the list; `{UPDATE}` adds them:", new.len()));
            complaints.extend(new.iter().map(|scene| format!("  {scene}")));
        }
        complaints
    }

    /// Takes in what agrees, and lets go of known differences that are none any more. Scenes that no longer agree stay,
    /// unless they are to be dropped.
    pub fn update(&mut self, judged: &[Judged], drop: bool) {
        let by: BTreeMap<&str, &Judged> = judged.iter().map(|j| (j.scene.as_str(), j)).collect();
        if drop {
            self.agree.clear();
        }
        let agree = judged.iter().filter(|j| j.verdict == Verdict::Agrees);
        self.agree.extend(agree.map(|j| j.scene.clone()));
        self.known.retain(|scene, _| is(&by, scene, Verdict::Differs));
    }

    /// How many differences are known.
    pub fn n_known(&self) -> usize {
        self.known.len()
    }
}

const UPDATE: &str = "cargo xtask judge --update";

fn is(by: &BTreeMap<&str, &Judged>, scene: &str, verdict: Verdict) -> bool {
    by.get(scene).is_some_and(|j| j.verdict == verdict)
}

fn files(folder: &Path, judge: &str) -> [PathBuf; 2] {
    [folder.join(format!("{judge}.txt")), folder.join(format!("{judge}_differ.txt"))]
}

fn text(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        read => read.with_context(|| path.display().to_string()),
    }
}

fn lines(path: &Path) -> Result<Vec<String>> {
    let text = text(path)?;
    let lines = text.lines().map(str::trim_end).filter(|l| !l.is_empty() && !l.starts_with(REMARK));
    Ok(lines.map(str::to_owned).collect())
}

fn write(path: &Path, entries: impl Iterator<Item = String>) -> Result<()> {
    let before = text(path)?;
    let remarks = before.lines().take_while(|l| l.starts_with(REMARK)).map(str::to_owned);
    let all: String = remarks.chain(entries).map(|line| line + "\n").collect();
    std::fs::write(path, all).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(verdicts: &[(&str, Verdict)]) -> Vec<Judged> {
        let one = |(scene, verdict): &(&str, Verdict)| Judged {
            scene: (*scene).to_owned(),
            verdict: *verdict,
            why: "why".to_owned(),
        };
        verdicts.iter().map(one).collect()
    }

    fn record(agree: &[&str], known: &[&str]) -> Record {
        Record {
            agree: agree.iter().map(|s| (*s).to_owned()).collect(),
            known: known.iter().map(|s| ((*s).to_owned(), "a reason".to_owned())).collect(),
        }
    }

    #[test]
    fn what_is_as_the_record_says_is_no_complaint() {
        let record = record(&["a"], &["b"]);
        let judged = judged(&[("a", Verdict::Agrees), ("b", Verdict::Differs), ("c", Verdict::NoRun)]);
        assert!(record.complaints(&judged).is_empty());
    }

    #[test]
    fn each_change_is_a_complaint() {
        let record = record(&["a"], &["b"]);
        let agree = [("a", Verdict::Agrees), ("b", Verdict::Differs)];
        for (change, words) in [
            (vec![("a", Verdict::Differs), agree[1]], "a agreed, and no longer does: why"),
            (vec![("a", Verdict::NoRun), agree[1]], "a agreed, and no longer does: why"),
            (vec![agree[1]], "a agreed, and is no longer in the suite"),
            (vec![agree[0], agree[1], ("c", Verdict::Differs)], "c runs and differs: why"),
            (vec![agree[0], ("b", Verdict::NoRun)], "b is a known difference, and no longer differs"),
            (vec![agree[0]], "b is a known difference, and no longer differs"),
        ] {
            let complaints = record.complaints(&judged(&change));
            assert!(complaints.len() == 1 && complaints[0].contains(words), "{words}: {complaints:?}");
        }
        let new = judged(&[agree[0], agree[1], ("c", Verdict::Agrees)]);
        let complaints = record.complaints(&new);
        assert!(complaints[0].starts_with("1 scenes agree that are not in the list"), "{complaints:?}");
        assert_eq!(complaints[1], "  c");
    }

    #[test]
    fn an_update_adds_and_drops_only_when_asked() {
        let after = judged(&[("a", Verdict::Differs), ("b", Verdict::Agrees), ("c", Verdict::Differs)]);
        let mut kept = record(&["a"], &["b"]);
        kept.update(&after, false);
        assert_eq!(kept, record(&["a", "b"], &[]));
        let mut dropped = record(&["a"], &["b", "c"]);
        dropped.update(&after, true);
        assert_eq!(dropped, record(&["b"], &["c"]));
    }

    #[test]
    fn a_record_is_read_as_it_was_written_and_remarks_stay() {
        let folder = std::env::temp_dir().join(format!("weft_record_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let remark = "# a remark\n";
        std::fs::write(folder.join("judge.txt"), remark).unwrap();
        let written = record(&["b.scn", "a.scn"], &["c.scn"]);
        written.write(&folder, "judge").unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("judge.txt")).unwrap(), "# a remark\na.scn\nb.scn\n");
        assert_eq!(Record::read(&folder, "judge").unwrap(), written);
        std::fs::write(folder.join("judge_differ.txt"), "c.scn\n").unwrap();
        assert!(Record::read(&folder, "judge").is_err(), "a difference without a reason");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
