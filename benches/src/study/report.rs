//! What a study leaves: every run and all ratios as tables, a figure, and a page that holds them together.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};

use super::Study;
use super::figure;
use super::machine::Machine;
use super::measure::Run;
use super::statistics::{Found, Row};
use crate::ratio::Ratio;

/// A study's findings.
pub struct Report {
    /// Which study.
    pub study: Study,
    /// Whether it was only tried.
    pub quick: bool,
    /// Rounds.
    pub rounds: u32,
    /// Who measured.
    pub machine: Machine,
    /// What `weft topology` says.
    pub topology: String,
    /// The cases.
    pub found: Vec<Found>,
}

impl Report {
    /// Writes `runs.csv`, `speedups.csv`, the figure and `report.md` into a folder.
    ///
    /// # Errors
    /// If a file cannot be written, or there is nothing to draw.
    pub fn write(&self, folder: &Path, runs: &[Run]) -> Result<()> {
        let picture = format!("{}.svg", self.study.name());
        let figure = figure::of(self.study, &self.found).to_svg()?;
        let files = [
            ("runs.csv", runs_table(runs)),
            ("speedups.csv", self.speedups_table()),
            (picture.as_str(), figure),
            ("report.md", self.page(&picture)),
        ];
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }

    fn speedups_table(&self) -> String {
        let mut text =
            "case,executor,workers,step_ms,integrate_ms,collision_ms,graph_ms,speedup,speedup_least,\
            speedup_greatest,speedup_integrate,share_of_limit,share_of_limit_integrate\n"
                .to_owned();
        for found in &self.found {
            for r in &found.rows {
                let t = r.times;
                let share = |s: Option<Ratio>| s.map_or(String::new(), |s| format!("{:.4}", s.median));
                // Writing to a string cannot fail.
                let _ = writeln!(
                    text,
                    "{},{},{},{:.4},{:.4},{:.4},{:.4},{:.4},{:.4},{:.4},{:.4},{},{}",
                    found.case.name,
                    r.way,
                    r.workers,
                    t.step,
                    t.integrate,
                    t.collision,
                    t.graph,
                    r.speedup.median,
                    r.speedup.least,
                    r.speedup.greatest,
                    r.speedup_integrate.median,
                    share(r.share),
                    share(r.share_integrate),
                );
            }
            for (n, limit) in &found.limits {
                let (name, of) = (&found.case.name, limit);
                let _ = writeln!(
                    text,
                    "{name},independent processes,{n},,,,,{:.4},{:.4},{:.4},,,",
                    of.median, of.least, of.greatest
                );
            }
        }
        text
    }

    fn page(&self, picture: &str) -> String {
        let mut text = format!("# Study `{}`\n\n", self.study.name());
        if self.quick {
            text.push_str("Tried with `--quick`: these figures mean nothing.\n\n");
        }
        let quick = if self.quick { " --quick" } else { "" };
        let command = format!("cargo run --release -p benches -- study {}{quick}", self.study.name());
        let workers = self.found.iter().flat_map(|f| &f.rows).map(|r| r.workers);
        let mut workers: Vec<u32> = workers.collect();
        workers.sort_unstable();
        workers.dedup();
        let workers: Vec<String> = workers.iter().map(u32::to_string).collect();
        let _ = writeln!(
            text,
            "Made by `{command} --workers {} --rounds {}`.\n\n![Speedups]({picture})\n\n\
             In each of {} rounds every variant ran once, in processes of its own, in an order that turns. Times are medians \
             over steps, then over rounds; ratios are of the same round, then the median over rounds (least to greatest). \
             *Speedup* is against the sequential executor. *Share of the limit* is the gain over replay on one worker, by \
             what as many independent one-worker processes gain that do an equal part of the work each.\n",
            workers.join(","),
            self.rounds,
            self.rounds
        );
        let _ = write!(text, "{}\n```text\n{}\n```\n", self.machine.table(), self.topology);
        for found in &self.found {
            let _ = write!(text, "\n## {}: {}\n\n", found.case.name, found.case.title);
            let scene = &found.case.scene;
            let set: String = scene.set.iter().map(|s| format!(" --set {s}")).collect();
            let _ = writeln!(
                text,
                "`weft run {}{set} --steps {} --report-from {}`. Sequential against itself: {}.\n",
                scene.name,
                scene.steps,
                scene.from,
                spread(found.itself)
            );
            text.push_str(HEAD);
            for row in &found.rows {
                let _ = writeln!(text, "{}", line(row));
            }
            for (n, limit) in &found.limits {
                let limit = spread(*limit);
                let _ = writeln!(text, "| *independent processes* | {n} | | | {limit} | | | |");
            }
        }
        text
    }

    /// A few lines for the terminal.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        for found in &self.found {
            let _ = writeln!(text, "{}: {}", found.case.name, found.case.title);
            let _ = writeln!(text, "  sequential against itself {}", spread(found.itself));
            for (n, limit) in &found.limits {
                let _ =
                    writeln!(text, "  limit of this machine, {n} independent processes: {}", spread(*limit));
            }
            for r in &found.rows {
                let share =
                    |s: Option<Ratio>| s.map_or(String::new(), |s| format!(", {:.3} of the limit", s.median));
                let _ = writeln!(
                    text,
                    "  {:<14} {:>3} workers: step {:9.3} ms, speedup {}{}; integration {:.3}{}",
                    r.way,
                    r.workers,
                    r.times.step,
                    spread(r.speedup),
                    share(r.share),
                    r.speedup_integrate.median,
                    share(r.share_integrate),
                );
            }
        }
        text
    }
}

const HEAD: &str = "| executor | workers | step [ms] | integration [ms] | speedup | of integration | share of the limit | of integration |\n\
    |---|--:|--:|--:|---|--:|--:|--:|\n";

fn line(r: &Row) -> String {
    let share = |s: Option<Ratio>| s.map_or(String::new(), |s| format!("{:.3}", s.median));
    format!(
        "| {} | {} | {:.3} | {:.3} | {} | {:.3} | {} | {} |",
        r.way,
        r.workers,
        r.times.step,
        r.times.integrate,
        spread(r.speedup),
        r.speedup_integrate.median,
        share(r.share),
        share(r.share_integrate),
    )
}

fn spread(r: Ratio) -> String {
    format!("{:.3} ({:.3} to {:.3})", r.median, r.least, r.greatest)
}

fn runs_table(runs: &[Run]) -> String {
    let mut text =
        "case,variant,workers,round,step_ms,integrate_ms,collision_ms,graph_ms,state_hash\n".to_owned();
    for r in runs {
        let t = r.times;
        let name = r.variant.replace(',', ":");
        let _ = writeln!(
            text,
            "{},{name},{},{},{:.4},{:.4},{:.4},{:.4},{}",
            r.case, r.workers, r.round, t.step, t.integrate, t.collision, t.graph, r.state_hash
        );
    }
    text
}
