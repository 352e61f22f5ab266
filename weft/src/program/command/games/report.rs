//! What is said of a game after a run.

use game::{Profile, WorkerProfile};
use serde::Serialize;

use crate::execution::{FrameFailure, FrameReport};
use crate::games::FlockSimulation;
use crate::program::command::frames::{Facts, FrameByFrame};

/// What a report says of a flock.
#[derive(Clone, Debug, Serialize)]
pub struct FlockFacts {
    /// Members at the end.
    members: usize,
    /// Neighbours of all members together, at the end.
    neighbours: usize,
    /// Contacts of all cycles, each counted from both sides.
    contacts: u64,
    /// Batches of thinking in the last cycle.
    batches: usize,
    /// Posts of attributes.
    posts: u64,
    /// Values that were distributed \[bytes\].
    bytes: u64,
    /// What workers did with their time, as shares of it; none where systems run in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<Shares>,
}

/// Shares of all workers' time, from 0 to 1.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Shares {
    /// Looking for tasks.
    pub search: f64,
    /// Running tasks.
    pub tasks: f64,
    /// Helping with loops.
    pub parallel_for: f64,
    /// Waiting.
    pub idle: f64,
}

impl Shares {
    /// Of a profile.
    pub fn of(profile: &Profile) -> Self {
        let share = |part: fn(&WorkerProfile) -> std::time::Duration| profile.share(part);
        Self {
            search: share(|w| w.search),
            tasks: share(|w| w.cycle_tasks),
            parallel_for: share(|w| w.parallel_for),
            idle: share(|w| w.idle),
        }
    }

    /// In words.
    pub fn text(&self) -> String {
        let Self { search, tasks, parallel_for, idle } = self;
        let percent = |share: f64| 100.0 * share;
        format!(
            "search {:.2} %, tasks {:.2} %, parallel loops {:.2} %, idle {:.2} %",
            percent(*search),
            percent(*tasks),
            percent(*parallel_for),
            percent(*idle)
        )
    }
}

impl Facts for FlockFacts {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let Self { members, neighbours, contacts, batches, posts, bytes, .. } = self;
        let each = *neighbours as f64 / (*members).max(1) as f64;
        let mut lines = vec![
            ("members", format!("{members}, each with {each:.1} neighbours; {contacts} contacts in all")),
            ("attributes", format!("{posts} posts, {bytes} bytes distributed")),
            ("batches", format!("{batches} in the last cycle")),
        ];
        lines.extend(self.shares.map(|shares| ("workers", shares.text())));
        lines
    }
}

impl FrameByFrame for FlockSimulation {
    type Facts = FlockFacts;

    fn frame(&mut self) -> Result<FrameReport, FrameFailure> {
        self.step()
    }

    fn facts(&self) -> FlockFacts {
        let of = self.statistics();
        FlockFacts {
            members: of.members,
            neighbours: of.neighbours,
            contacts: of.contacts,
            batches: of.batches,
            posts: of.counts.posts,
            bytes: of.counts.bytes,
            shares: self.profile().map(|profile| Shares::of(&profile)),
        }
    }

    fn hash(&self) -> String {
        self.state_hash()
    }
}
