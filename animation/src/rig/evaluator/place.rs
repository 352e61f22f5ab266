//! Which worker runs what, and in which order: whatever the most work hangs on goes first.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use engine::data::ObjectId;
use engine::graph::Assignment;

use super::frames::InFlight;
use super::run::TaskWork;
use crate::rig::structure::{Guard, Structure};

/// What it takes until a worker knows what another one has done [ns].
const PASS_ON_NS: f64 = 500.0;

/// Where the tasks of a plan run, and in which order they are recorded: that in which they begin.
pub(super) struct Placed {
    pub(super) assignment: Assignment,
    /// Numbers of tasks. Of each frame, what waits comes behind.
    pub(super) order: Vec<u32>,
}

/// The tasks of a plan, with what decides on their places.
struct Tasks<'a> {
    s: &'a Structure,
    tasks: &'a [(TaskWork, u32)],
    ns: &'a [f64],
    /// By object: its task, if it is in the plan.
    of_object: Vec<Option<u32>>,
}

impl Tasks<'_> {
    fn object(&self, task: u32) -> usize {
        let (work, block) = self.tasks[task as usize];
        work.frame as usize * self.s.blocks.len() + block as usize
    }

    /// The tasks of the plan that a task waits for.
    fn before(&self, task: u32) -> impl Iterator<Item = u32> + '_ {
        let (work, block) = self.tasks[task as usize];
        let of_frame = work.frame as usize * self.s.blocks.len();
        let before = &self.s.blocks[block as usize].before;
        before.iter().filter_map(move |b| self.of_object[of_frame + *b as usize])
    }

    fn guard(&self, task: u32) -> Guard {
        self.s.blocks[self.tasks[task as usize].1 as usize].guard
    }

    /// What a task takes; never nothing, so that who waits begins later.
    fn ns(&self, task: u32) -> f64 {
        self.ns[task as usize].max(1.0)
    }

    /// The longest way from the beginning of each task to the end of all.
    fn ranks(&self, pass_on: f64) -> Vec<f64> {
        let mut ranks: Vec<f64> = (0..self.tasks.len() as u32).map(|k| self.ns(k)).collect();
        // Blocks, and so tasks, are numbered with producers first.
        for k in (0..self.tasks.len() as u32).rev() {
            for before in self.before(k) {
                let through = ranks[k as usize] + pass_on + self.ns(before);
                ranks[before as usize] = ranks[before as usize].max(through);
            }
        }
        ranks
    }
}

/// Places the tasks of a plan on workers: of those that could begin next, the one goes first behind which the longest way lies, to
/// the worker that would be done with it first; at equal times where its values come from.
///
/// With several frames for throughput, each has workers of its own.
///
/// **Source:** Topcuoglu, Hariri, Wu, *Performance-effective and low-complexity task scheduling for heterogeneous computing*, IEEE TPDS
/// 13(3), 2002 (upward rank, earliest finish time), here with a list of what is ready, so that no worker is idle while there is something
/// that it could do.
pub(super) fn place(
    s: &Structure,
    tasks: &[(TaskWork, u32)],
    task_ns: &[f64],
    workers: u32,
    (frames, in_flight): (usize, InFlight),
) -> Placed {
    let (workers, n) = (workers.max(1), s.blocks.len());
    let mut of_object = vec![None; n * frames];
    for (k, (work, block)) in (0..).zip(tasks) {
        of_object[work.frame as usize * n + *block as usize] = Some(k);
    }
    let all = Tasks { s, tasks, ns: task_ns, of_object };
    let mut assignment = Assignment::new(workers);
    let mut order: Vec<u32> = (0..tasks.len() as u32).collect();
    if workers == 1 {
        // What tolerates nothing beside it comes last of its level.
        order.sort_by_key(|&k| {
            let (work, block) = tasks[k as usize];
            (work.frame, s.blocks[block as usize].level, all.guard(k) == Guard::Everything)
        });
        return Placed { assignment, order };
    }
    let mut turn = Turn::new(&all, workers as usize, in_flight == InFlight::Latency);
    let own = frames.min(workers as usize) as u32;
    let is_apart = frames > 1 && in_flight == InFlight::Throughput;
    while let Some(task) = turn.next() {
        let frame = tasks[task as usize].0.frame;
        let allowed = |w: &u32| !is_apart || w % own == frame % own;
        let worker = turn.run(task, (0..workers).filter(allowed));
        assignment.set(ObjectId(all.object(task) as u32), worker);
    }
    let begins: Vec<f64> =
        turn.done.iter().zip(0..).map(|(d, k)| d.map_or(0.0, |d| d.0) - all.ns(k)).collect();
    order.sort_by(|&a, &b| {
        let key = |k: u32| tasks[k as usize].0.frame;
        let (x, y) = (begins[a as usize], begins[b as usize]);
        key(a).cmp(&key(b)).then(x.total_cmp(&y)).then(a.cmp(&b))
    });
    Placed { assignment, order }
}

/// What is to be done next, and when workers are free.
struct Turn<'a> {
    all: &'a Tasks<'a>,
    after: Vec<Vec<u32>>,
    /// How many others each task still waits for.
    left: Vec<u32>,
    /// What could begin: by frame if frames come one after the other, then what tolerates others first, then by rank.
    ready: BTreeSet<(u32, Class, Reverse<u64>, u32)>,
    /// Whether frames come one after the other.
    in_turn: bool,
    /// What could begin later, by the time when.
    soon: BTreeSet<(u64, u32)>,
    ranks: Vec<f64>,
    free: Vec<f64>,
    /// By group of which one task at a time may run: when the last one is done.
    groups: Vec<f64>,
    /// When a task is done, and by whom.
    done: Vec<Option<(f64, u32)>>,
}

/// Whether a task runs alone: such ones come last of what is ready.
type Class = bool;

impl<'a> Turn<'a> {
    fn new(all: &'a Tasks<'a>, workers: usize, in_turn: bool) -> Self {
        let n = all.tasks.len();
        let mut after = vec![Vec::new(); n];
        let mut left = vec![0_u32; n];
        for k in 0..n as u32 {
            for before in all.before(k) {
                after[before as usize].push(k);
                left[k as usize] += 1;
            }
        }
        let mut turn = Self {
            all,
            after,
            left,
            ready: BTreeSet::new(),
            in_turn,
            soon: BTreeSet::new(),
            ranks: all.ranks(PASS_ON_NS),
            free: vec![0.0; workers],
            groups: vec![0.0; all.s.groups.len()],
            done: vec![None; n],
        };
        for k in (0..n as u32).filter(|k| turn.left[*k as usize] == 0).collect::<Vec<_>>() {
            turn.soon.insert((0, k));
        }
        turn
    }

    /// The task that goes next. Times are never negative, so that their bits are in their order.
    fn next(&mut self) -> Option<u32> {
        let mut now = self.free.iter().copied().fold(f64::INFINITY, f64::min);
        if self.ready.is_empty() {
            now = now.max(f64::from_bits(self.soon.first()?.0));
        }
        while let Some(&(at, task)) = self.soon.first()
            && f64::from_bits(at) <= now
        {
            self.soon.pop_first();
            let rank = Reverse(self.ranks[task as usize].to_bits());
            let frame = if self.in_turn { self.all.tasks[task as usize].0.frame } else { 0 };
            self.ready.insert((frame, self.all.guard(task) == Guard::Everything, rank, task));
        }
        self.ready.pop_first().map(|(_, _, _, task)| task)
    }

    /// Gives a task to the worker that would be done first.
    fn run(&mut self, task: u32, workers: impl Iterator<Item = u32>) -> u32 {
        let all = self.all;
        let guard = all.guard(task);
        let least = match guard {
            Guard::None => 0.0,
            Guard::Group(group) => self.groups[group as usize],
            Guard::Everything => self.free.iter().copied().fold(0.0, f64::max),
        };
        let mut best: Option<(f64, bool, u32)> = None;
        for worker in workers {
            let mut begin = self.free[worker as usize].max(least);
            let mut is_near = false;
            for (at, by) in all.before(task).filter_map(|b| self.done[b as usize]) {
                begin = begin.max(if by == worker { at } else { at + PASS_ON_NS });
                is_near |= by == worker;
            }
            // A worker that has the values is worth a little.
            let is_better = |&(least, near, _): &(f64, bool, u32)| {
                begin < least - 1.0 || begin <= least + 1.0 && is_near && !near
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some((begin, is_near, worker));
            }
        }
        let (begin, _, worker) = best.unwrap_or((0.0, false, 0));
        let end = begin + all.ns(task);
        self.free[worker as usize] = end;
        match guard {
            Guard::None => {}
            Guard::Group(group) => self.groups[group as usize] = end,
            Guard::Everything => self.free.iter_mut().for_each(|free| *free = free.max(end)),
        }
        self.done[task as usize] = Some((end, worker));
        for k in 0..self.after[task as usize].len() {
            let next = self.after[task as usize][k];
            self.left[next as usize] -= 1;
            if self.left[next as usize] == 0 {
                let times = all.before(next).filter_map(|b| self.done[b as usize]).map(|d| d.0);
                self.soon.insert((times.fold(0.0, f64::max).to_bits(), next));
            }
        }
        worker
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::generate::cases::Claws;
    use crate::rig::structure::{Fusion, Threading};

    #[test]
    fn workers_get_about_the_same_and_what_waits_begins_later() {
        let rig = Claws::AFTER.rig().unwrap();
        let s = Structure::new(&rig, Some(Fusion::Off), 2, Threading::default()).unwrap();
        let of = |block: u32| TaskWork { begin: block, end: block + 1, frame: 0, first_step: block };
        let tasks: Vec<_> = (0..s.blocks.len() as u32).map(|b| (of(b), b)).collect();
        let task_ns: Vec<f64> = s.blocks.iter().map(|b| b.cost_ns).collect();
        let placed = place(&s, &tasks, &task_ns, 2, (1, InFlight::Latency));
        let mut loads = [0.0; 2];
        for (b, ns) in (0..).zip(&task_ns) {
            loads[placed.assignment.worker(ObjectId(b)) as usize] += ns;
        }
        assert!((loads[0] - loads[1]).abs() < 0.25 * (loads[0] + loads[1]), "{loads:?}");
        let at: Vec<usize> =
            (0..tasks.len()).map(|b| placed.order.iter().position(|k| *k as usize == b).unwrap()).collect();
        for (b, block) in s.blocks.iter().enumerate() {
            assert!(block.before.iter().all(|before| at[*before as usize] < at[b]));
        }
        let all = place(&s, &tasks, &task_ns, 2, (2, InFlight::Throughput));
        assert!((0..s.blocks.len() as u32).all(|b| all.assignment.worker(ObjectId(b)) == 0));
    }
}
