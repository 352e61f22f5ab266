//! Where two programs or schedules differ, in words: for those who look for a defect in an update.

use super::program::Program;
use super::schedule::{Schedule, Wait};

impl Program {
    /// The first difference between two programs in what matters; none if their fingerprints are equal.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.fingerprint() == other.fingerprint() {
            return None;
        }
        let (mine, theirs): (Vec<_>, Vec<_>) = (self.groups().collect(), other.groups().collect());
        if mine.len() != theirs.len() {
            return Some(format!("{} groups and {}", mine.len(), theirs.len()));
        }
        for ((_, a), (_, b)) in mine.into_iter().zip(theirs) {
            let at = format!("group {}", a.name);
            if a.name != b.name {
                return Some(format!("{at} is {} there", b.name));
            }
            if (&a.scalars, &a.loops, &a.outline) != (&b.scalars, &b.loops, &b.outline) {
                return Some(format!("{at}: the outlines differ"));
            }
            if let Some((a, b)) = a.dots.iter().zip(&b.dots).find(|(a, b)| a != b) {
                return Some(format!("{at}: the dot products differ: {a:?} and {b:?}"));
            }
            let positions =
                |g: &super::Group| g.stages.iter().map(|s| (s.position, s.name)).collect::<Vec<_>>();
            if positions(a) != positions(b) {
                return Some(format!("{at}: stages {:?} and {:?}", positions(a), positions(b)));
            }
            for (s, t) in a.stages.iter().zip(&b.stages) {
                let tasks = |program: &Self, stage: &super::Stage| -> Vec<String> {
                    let text = |(key, &id)| {
                        let task = program.task(id);
                        let (name, component) = (task.name, task.component);
                        format!("{key:?} {name} {component:?} {:?}", program.accesses_of(id))
                    };
                    stage.tasks.iter().map(text).collect()
                };
                let (mine, theirs) = (tasks(self, s), tasks(other, t));
                if let Some((a, b)) = mine.iter().zip(&theirs).find(|(a, b)| a != b) {
                    return Some(format!("{at}, stage {}: {a} and {b}", s.name));
                }
                if mine.len() != theirs.len() {
                    return Some(format!(
                        "{at}, stage {}: {} tasks and {}",
                        s.name,
                        mine.len(),
                        theirs.len()
                    ));
                }
            }
        }
        Some("the states that they write differ".to_owned())
    }
}

impl Schedule {
    /// The first difference between two schedules in what matters; none if their fingerprints are equal.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.fingerprint() == other.fingerprint() {
            return None;
        }
        if (&self.assignment, self.in_order) != (&other.assignment, other.in_order) {
            return Some("the assignments or the orders of groups differ".to_owned());
        }
        for ((g, a), (h, b)) in self.groups().zip(other.groups()) {
            if a.participants != b.participants {
                return Some(format!("group {}: workers {:?} and {:?}", g.0, a.participants, b.participants));
            }
            let positions = |plan: &super::schedule::GroupPlan| -> Vec<(u32, Vec<u32>)> {
                plan.stages
                    .iter()
                    .map(|s| (s.position, s.workers.iter().map(|w| w.worker).collect()))
                    .collect()
            };
            if positions(a) != positions(b) {
                return Some(format!("group {}: stages {:?} and {:?}", g.0, positions(a), positions(b)));
            }
            for (s, t) in a.stages.iter().zip(&b.stages) {
                for (v, w) in s.workers.iter().zip(&t.workers) {
                    let text = |w: &super::schedule::WorkerStage| {
                        let items: Vec<_> =
                            w.chain.iter().map(|(k, i)| (k, i.kind, i.discard, i.log)).collect();
                        let wait = |x: &Wait| (x.group.0, x.position, x.worker, x.region, x.carried, x.count);
                        let waits: Vec<_> = w.waits.iter().map(wait).collect();
                        format!("waits {waits:?}, publishes {}, items {items:?}", w.publishes)
                    };
                    if g == h && text(v) != text(w) {
                        let at = format!("group {}, {} at {}, worker {}", g.0, s.name, s.position, v.worker);
                        return Some(format!("{at}: {} and {}", text(v), text(w)));
                    }
                }
            }
        }
        Some("the groups differ".to_owned())
    }
}
