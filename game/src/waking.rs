//! Who is woken for what.
//!
//! For what one worker may do, or those of a group, one of these is woken. For what any worker may do nobody is woken while as many are
//! awake as there are cores, and who is awake beyond these lies down again. Threads that share a core take turns of milliseconds, and
//! cycles may be shorter: a cycle would wait for a task whose worker has no core. Which workers are awake hardly changes from cycle to
//! cycle, the first ones; the others sleep on. A worker that runs what lasts longer than cycles does not count: it may wait for a file.
//!
//! A worker that is awake and finds nothing searches again before it lies down, if something was announced meanwhile. So who announces
//! may count on it instead of waking another one ([`Sleepers::n_awake`](executors::sync::Sleepers::n_awake)).

use crate::groups::Groups;
use crate::shared::Shared;

impl Shared {
    /// Says that there is something to find, and wakes one of the other workers for it if there is a core for it.
    pub fn tell(&self, me: usize) {
        self.tell_many(me, 1);
    }

    /// Says that there are so many things to find, and wakes as many of the other workers, or as have cores.
    pub fn tell_many(&self, me: usize, n: usize) {
        self.tell_those(n, |worker| worker != me);
    }

    /// The same, for workers that the caller accepts.
    pub fn tell_those(&self, n: usize, accept: impl Fn(usize) -> bool) {
        self.sleepers.announce();
        let free = self.cores.saturating_sub(self.sleepers.n_awake(self.options.workers));
        for _ in 0..n.min(free) {
            if self.sleepers.wake_one(&accept).is_none() {
                return;
            }
        }
    }

    /// Whether as many workers as have cores are awake before this one, who find what it would find.
    pub fn is_surplus(&self, me: usize) -> bool {
        me >= self.cores && self.sleepers.n_awake(me) >= self.cores
    }

    /// Whether a worker that rests may poll for a while: it has a core, unless others were woken for what only they may do.
    pub fn may_poll(&self, me: usize) -> bool {
        me < self.cores
    }

    /// No cycle waits for a worker from now on; `seen` is what was announced when it searched last. Who announced more since then may have
    /// counted on it: so another one is woken.
    pub fn go_away(&self, me: usize, seen: u64) {
        if !self.sleepers.go_away(me, seen) {
            self.tell(me);
        }
    }

    /// Wakes a worker for each group of which tasks wait.
    pub fn wake_for(&self, groups: &Groups) {
        for group in groups.waiting_groups() {
            self.sleepers.wake_one(|worker| groups.may_run(group, worker));
        }
        for group in groups.waiting_long() {
            self.sleepers.wake_one(|worker| groups.takes_long(group, worker));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use animation::game::schedule::{Cycle, Edits, Group, Outcome, TaskInfo};

    use crate::item::{Ended, Item, Report};
    use crate::options::{Options, Parsing, WorkerKind};
    use crate::shared::Shared;
    use crate::worker::{Step, Worker};

    /// Eight workers who take steps in turn.
    struct Eight {
        shared: Shared,
        workers: Vec<Worker>,
        tasks: Vec<Option<Item>>,
        /// Those that do not sleep.
        awake: Vec<bool>,
    }

    impl Eight {
        fn new(options: Options) -> Self {
            let workers = (0..8).map(Worker::new).collect();
            let tasks = (0..8).map(|_| None).collect();
            let mut eight = Self { shared: Shared::new(options, 2), workers, tasks, awake: vec![true; 8] };
            // All begin awake, and nothing is there.
            while eight.awake[1..].contains(&true) {
                (1..8).for_each(|me| {
                    eight.go_on(me, &mut Vec::new());
                });
            }
            eight
        }

        fn add(&self, n: usize, info: &TaskInfo) {
            self.shared.edit(|supply| {
                for _ in 0..n {
                    let task = supply.tasks.add(info.clone(), |_| Outcome::Progress);
                    supply.queue.submit(task);
                }
            });
        }

        /// A cycle; who ran its tasks, and how many were awake at most.
        fn cycle(&mut self, number: u64) -> (Vec<usize>, usize) {
            self.shared.begin_cycle(Cycle { number, ..Cycle::default() });
            self.workers[0].begin();
            self.awake[0] = true;
            let (mut ran, mut most) = (Vec::new(), 0);
            loop {
                for me in 0..8 {
                    self.awake[me] |= !self.shared.sleepers.is_asleep(me);
                    if self.go_on(me, &mut ran) {
                        return (ran, most);
                    }
                }
                most = most.max(self.awake.iter().filter(|awake| **awake).count());
            }
        }

        /// Whether the cycle is over.
        fn go_on(&mut self, me: usize, ran: &mut Vec<usize>) -> bool {
            if !self.awake[me] {
                return false;
            }
            if let Some(item) = self.tasks[me].take() {
                ran.push(me);
                let (ended, edits) = (Ended::Outcome(Outcome::Progress), Edits::default());
                self.workers[me].bring_back(Report { item, ended, edits, worker: me });
                return false;
            }
            match self.workers[me].step(&self.shared) {
                Step::Run(_, item) => self.tasks[me] = Some(item),
                Step::Rest => self.awake[me] = false,
                Step::Leave => return true,
                Step::Next(_) | Step::Help(_) => {}
            }
            false
        }
    }

    fn all() -> impl Iterator<Item = Options> {
        let ways = [Parsing::Blocking, Parsing::NonBlocking];
        WorkerKind::ALL
            .into_iter()
            .flat_map(move |kind| ways.map(|way| Options::new(8).kind(kind).parsing(way)))
    }

    #[test]
    fn as_many_are_awake_as_have_cores_and_the_same_ones() {
        for options in all() {
            let mut eight = Eight::new(options);
            eight.add(30, &TaskInfo::new("free", Duration::from_micros(10)));
            for number in 1..5 {
                let (ran, most) = eight.cycle(number);
                assert_eq!((ran.len(), most), (30, 2), "{options:?}");
                assert!(
                    ran.contains(&0) && ran.contains(&1) && ran.iter().all(|me| *me < 2),
                    "{options:?}: {ran:?}"
                );
            }
        }
    }

    #[test]
    fn who_is_woken_for_a_group_lies_down_after_it() {
        for options in all().filter(|options| options.kind == WorkerKind::Locking) {
            let mut eight = Eight::new(options);
            eight.shared.lock_group(Group::Named(0), &[5]).unwrap();
            eight.add(30, &TaskInfo::new("free", Duration::from_micros(10)));
            eight.add(2, &TaskInfo::new("of a group", Duration::from_micros(10)).group(Group::Named(0)));
            for number in 1..5 {
                let (mut ran, most) = eight.cycle(number);
                ran.sort_unstable();
                assert!(most <= 3 && ran.len() == 32, "{options:?}: {ran:?}");
                assert_eq!(ran.iter().filter(|me| **me > 1).collect::<Vec<_>>(), [&5, &5]);
            }
        }
    }
}
