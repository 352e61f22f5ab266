//! What came of a list of scenes, on a terminal.

use crate::regress::{Outcome, Status};

/// A line for each scene, and its reasons where it is not as it should be.
pub(super) fn table(outcomes: &[Outcome]) -> String {
    let width = outcomes.iter().map(|o| o.scene.chars().count()).max().unwrap_or(0).min(80);
    let mut lines = Vec::new();
    for o in outcomes {
        let numbers = match o.error {
            Some(error) => format!("error {error:9.3e} of {:7.1e}", o.epsilon),
            None => " ".repeat(28),
        };
        let mut line = format!(
            "{:8} {:width$}  {numbers}  {:4} frames {:6} steps {:8.2} s",
            o.status.word(),
            o.scene,
            o.frames,
            o.steps,
            o.seconds
        );
        line.truncate(line.trim_end().len());
        lines.push(line);
        if !o.status.is_good() {
            let text = if o.message.is_empty() { worst(o) } else { o.message.clone() };
            lines.extend(text.lines().map(|l| format!("         {}: {l}", o.place)));
        }
    }
    lines.join("\n")
}

/// The state that differs most.
fn worst(o: &Outcome) -> String {
    let worst = o.objects.iter().max_by(|a, b| a.error.total_cmp(&b.error));
    worst.map_or_else(String::new, |w| {
        format!("most of it is {}, error {:.3e}, largest difference {:.3e}", w.path, w.error, w.largest)
    })
}

/// How many there are of each.
pub(super) fn counts(outcomes: &[Outcome], errors: usize, jobs: usize) -> String {
    let of = |status: Status| outcomes.iter().filter(|o| o.status == status).count();
    let all = [Status::Passed, Status::Written, Status::Kept, Status::Differs, Status::Failed];
    let mut parts: Vec<String> =
        all.into_iter().filter(|s| of(*s) > 0).map(|s| format!("{} {}", of(s), s.word())).collect();
    if errors > 0 {
        parts.push(format!("{errors} wrong lines"));
    }
    if outcomes.len() < jobs {
        parts.push(format!("{} not run", jobs - outcomes.len()));
    }
    format!("{} of {jobs} scenes", parts.join(", "))
}
