//! The critical path of a run: the longest chain of tasks that depend on each other, with measured durations.
//!
//! Loops are unrolled by their measured iterations. Dependence follows from the accesses in recorded order alone (read
//! after write, write after read, write after write, additions in any order), and what comes after a loop's condition
//! waits for the condition. Who owns which object plays no part: this is what no placement, and no number of workers,
//! can beat.

use engine::exec::{Activity, Deed};

use crate::record::{Code, Graph, RunRecord, Touch};

/// One execution of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The task.
    pub task: u32,
    /// Iterations of the loop around it that the run had begun before.
    pub iteration: u32,
    /// How long it took [ns].
    pub duration_ns: u64,
}

/// The longest chain of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// In order.
    pub links: Vec<Link>,
    /// Its length [ns].
    pub length_ns: u64,
    /// All executions, each once even if several workers computed it [ns].
    pub work_ns: u64,
}

/// When something is done at the earliest, and the execution that it hangs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Done {
    at_ns: u64,
    /// One more than the number of the execution; zero: none.
    by: u32,
}

#[derive(Clone, Copy, Default)]
struct Datum {
    written: Done,
    read: Done,
    added: Done,
}

impl Datum {
    /// When the touch may happen.
    fn ready(&self, touch: Touch) -> Done {
        match touch {
            Touch::Read(_) => self.written.max(self.added),
            Touch::Add(_) => self.written.max(self.read),
            Touch::Write(_) => self.written.max(self.added).max(self.read),
        }
    }

    fn touch(&mut self, touch: Touch, done: Done) {
        match touch {
            Touch::Read(_) => {
                // A read ends the epoch of additions: later ones come after it.
                self.written = self.written.max(std::mem::take(&mut self.added));
                self.read = self.read.max(done);
            }
            Touch::Add(_) => self.added = self.added.max(done),
            Touch::Write(_) => *self = Self { written: done, ..Self::default() },
        }
    }
}

/// Finds the longest chain of a run.
pub fn critical_path(run: &RunRecord) -> Chain {
    let durations = Durations::of(&run.activities, run.graph.tasks.len());
    let mut walk = Walk {
        graph: &run.graph,
        durations: &durations,
        data: vec![Datum::default(); run.graph.n_data],
        held: vec![Done::default(); run.graph.n_groups],
        links: Vec::new(),
        before: Vec::new(),
        last: Done::default(),
    };
    walk.code(&visits(run));
    walk.chain()
}

/// Iterations of each visit, per loop.
fn visits(run: &RunRecord) -> Vec<Vec<u32>> {
    let mut visits = vec![Vec::new(); run.graph.n_loops];
    if !run.visits.is_empty() {
        for (id, iterations) in &run.visits {
            visits[*id as usize].push(*iterations);
        }
        return visits;
    }
    let mut iterations = vec![0; run.graph.n_loops];
    for activity in &run.activities {
        if let Deed::Task { task, .. } = activity.deed
            && let Some(id) = run.graph.tasks[task.0 as usize].in_loop
        {
            let known: &mut u32 = &mut iterations[id as usize];
            *known = (*known).max(activity.iteration + 1);
        }
    }
    iterations.into_iter().map(|n| vec![n]).collect()
}

/// Mean time of each execution, by task and iteration.
struct Durations {
    /// Where each task begins in `executions`.
    first: Vec<u32>,
    /// Iteration, time, by task and iteration.
    executions: Vec<(u32, u64)>,
}

impl Durations {
    fn of(activities: &[Activity], n_tasks: usize) -> Self {
        let mut all: Vec<(u32, u32, u64)> = Vec::with_capacity(activities.len());
        for a in activities {
            if let Deed::Task { task, .. } = a.deed {
                all.push((task.0, a.iteration, a.duration_ns));
            }
        }
        all.sort_unstable();
        let (mut first, mut executions) = (Vec::with_capacity(n_tasks + 1), Vec::new());
        for same in all.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (task, iteration, _) = same[0];
            first.resize((task as usize + 1).max(first.len()), executions.len() as u32);
            let mean = same.iter().map(|s| s.2).sum::<u64>() / same.len() as u64;
            executions.push((iteration, mean));
        }
        first.resize(n_tasks + 1, executions.len() as u32);
        Self { first, executions }
    }

    fn of_task(&self, task: u32, iteration: u32) -> Option<u64> {
        let range = self.first[task as usize] as usize..self.first[task as usize + 1] as usize;
        let executions = &self.executions[range];
        // Mostly the iterations are all there, so that the place is known.
        let found = executions
            .get(iteration as usize)
            .filter(|e| e.0 == iteration)
            .or_else(|| executions.binary_search_by_key(&iteration, |e| e.0).ok().map(|i| &executions[i]));
        found.map(|e| e.1)
    }
}

struct Walk<'a> {
    graph: &'a Graph,
    durations: &'a Durations,
    data: Vec<Datum>,
    /// Per group: when its loops' conditions so far are known.
    held: Vec<Done>,
    links: Vec<Link>,
    /// Per execution: the one that it hangs on, as in `Done::by`.
    before: Vec<u32>,
    last: Done,
}

impl Walk<'_> {
    /// Walks the code as the run did.
    fn code(&mut self, visits: &[Vec<u32>]) {
        let mut next_visit = vec![0; visits.len()];
        let mut left = vec![0; visits.len()];
        let mut iteration = vec![0u32; visits.len()];
        let mut at = 0;
        while let Some(code) = self.graph.code.get(at) {
            at += 1;
            match code {
                Code::Tasks(tasks) => {
                    for &task in tasks {
                        let in_loop = self.graph.tasks[task as usize].in_loop;
                        let iteration = in_loop.map_or(0, |id| iteration[id as usize].saturating_sub(1));
                        self.task(task, iteration);
                    }
                }
                &Code::Begin { id, group, limit, end } => {
                    self.hold(group, limit);
                    let id = id as usize;
                    left[id] = visits[id].get(next_visit[id]).copied().unwrap_or(0);
                    next_visit[id] += 1;
                    if left[id] == 0 {
                        at = end + 1;
                    } else {
                        iteration[id] += 1;
                    }
                }
                &Code::Break { group, condition } => self.hold(group, condition),
                &Code::End { id, begin } => {
                    let id = id as usize;
                    left[id] -= 1;
                    if left[id] > 0 {
                        iteration[id] += 1;
                        at = begin + 1;
                    }
                }
            }
        }
    }

    /// What follows in a group waits for a condition.
    fn hold(&mut self, group: u32, condition: u32) {
        let known = self.data[condition as usize].ready(Touch::Read(condition));
        let held = &mut self.held[group as usize];
        *held = (*held).max(known);
    }

    fn task(&mut self, task: u32, iteration: u32) {
        // Behind the break of the last iteration, nothing was executed.
        let Some(duration_ns) = self.durations.of_task(task, iteration) else { return };
        let facts = &self.graph.tasks[task as usize];
        let mut ready = self.held[facts.group as usize];
        for touch in &facts.touches {
            ready = ready.max(self.data[touch.datum() as usize].ready(*touch));
        }
        self.links.push(Link { task, iteration, duration_ns });
        self.before.push(ready.by);
        let done = Done { at_ns: ready.at_ns + duration_ns, by: self.links.len() as u32 };
        for touch in &facts.touches {
            self.data[touch.datum() as usize].touch(*touch, done);
        }
        self.last = self.last.max(done);
    }

    fn chain(self) -> Chain {
        let mut links = Vec::new();
        let mut by = self.last.by;
        while by > 0 {
            let number = by as usize - 1;
            links.push(self.links[number]);
            by = self.before[number];
        }
        links.reverse();
        let work_ns = self.links.iter().map(|l| l.duration_ns).sum();
        Chain { links, length_ns: self.last.at_ns, work_ns }
    }
}

#[cfg(test)]
mod tests;
