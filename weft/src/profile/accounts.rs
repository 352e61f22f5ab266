//! From analyzed steps to a profile.

use std::collections::BTreeMap;

use engine::exec::Deed;

use super::amdahl::{Amdahl, Cascade};
use super::cause::Cause;
use super::step::StepAnalysis;
use super::summary::{
    BesideRow, FORMAT, PathOfStep, Profile, SerialRow, Setting, TaskRow, WaitingRow, WorkerRow,
};
use super::waiting::Split;
use crate::output::statistics::{Spread, median};
use crate::record::{Names, Serial, StepRecord};

const MS: f64 = 1e-6;

/// Time and executions of something.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    ns: f64,
    count: u64,
    path_ns: f64,
}

/// What was added up over steps.
#[derive(Debug, Default)]
pub struct Accounts {
    wall: Vec<u64>,
    work: Vec<u64>,
    critical_path: Vec<u64>,
    concurrency: Vec<f64>,
    dependence_bound: Vec<f64>,
    placement_bound: Vec<f64>,
    splits: Vec<Split>,
    serial_ns: [u64; 3],
    /// Work beside the steps, by name: how often, and how long [ns].
    beside: BTreeMap<String, (usize, u64)>,
    /// By number of the component, behind the engine's own.
    components: Vec<Account>,
    /// By number of the object, behind tasks that every worker runs.
    objects: Vec<Account>,
    timed: u64,
    executions: u64,
    cascade: Cascade,
}

fn slot(accounts: &mut Vec<Account>, number: usize) -> &mut Account {
    if accounts.len() <= number {
        accounts.resize(number + 1, Account::default());
    }
    &mut accounts[number]
}

impl Accounts {
    /// Number of steps so far.
    pub fn n_steps(&self) -> usize {
        self.wall.len()
    }

    /// Adds a step.
    pub fn add(&mut self, record: &StepRecord, analysis: &StepAnalysis) {
        self.wall.push(analysis.wall_ns);
        self.work.push(analysis.work_ns());
        self.critical_path.push(analysis.critical_path_ns());
        self.concurrency.push(analysis.concurrency());
        self.dependence_bound.push(analysis.dependence_bound());
        self.placement_bound.push(analysis.placement_bound());
        self.splits.resize(self.splits.len().max(analysis.splits.len()), Split::default());
        for (sum, split) in self.splits.iter_mut().zip(&analysis.splits) {
            sum.tasks_ns += split.tasks_ns;
            sum.reducers_ns += split.reducers_ns;
            sum.serial_ns += split.serial_ns;
            sum.control_ns += split.control_ns;
            sum.waiting_ns.iter_mut().zip(split.waiting_ns).for_each(|(s, w)| *s += w);
        }
        self.cascade.add(record);
        for work in &record.beside {
            let (count, ns) = self.beside.entry(work.name.clone()).or_default();
            (*count, *ns) = (*count + 1, *ns + work.duration_ns);
        }
        for section in &record.sections {
            self.serial_ns[section.kind as usize] += section.duration_ns;
        }
        for (run, chain) in record.runs.iter().zip(&analysis.chains) {
            for activity in &run.activities {
                let (task, object) = match activity.deed {
                    Deed::Task { task, timed } => {
                        self.timed += u64::from(timed);
                        (task, None)
                    }
                    Deed::Reducer { first, object } => {
                        self.timed += 1;
                        (first, Some(object.0))
                    }
                    Deed::Wait(_) => continue,
                };
                self.executions += 1;
                let facts = &run.graph.tasks[task.0 as usize];
                let objects: &[u32] = object.as_ref().map_or(&facts.objects, std::slice::from_ref);
                self.book(facts.component, objects, |account, share| {
                    account.ns += activity.duration_ns as f64 * share;
                    account.count += 1;
                });
            }
            for link in &chain.links {
                let facts = &run.graph.tasks[link.task as usize];
                self.book(facts.component, &facts.objects, |account, share| {
                    account.path_ns += link.duration_ns as f64 * share;
                });
            }
        }
    }

    fn book(&mut self, component: Option<u32>, objects: &[u32], mut entry: impl FnMut(&mut Account, f64)) {
        entry(slot(&mut self.components, component.map_or(0, |c| c as usize + 1)), 1.0);
        if objects.is_empty() {
            entry(slot(&mut self.objects, 0), 1.0);
        }
        for object in objects {
            entry(slot(&mut self.objects, *object as usize + 1), 1.0 / objects.len() as f64);
        }
    }

    /// Amdahl's bound of the steps so far, with so many workers.
    pub fn amdahl(&self, workers: usize) -> Amdahl {
        self.cascade.bound(workers)
    }

    /// The profile of the steps so far.
    pub fn profile(&self, setting: Setting, names: &Names, critical_path: PathOfStep) -> Profile {
        let n = self.n_steps().max(1) as f64;
        let ms = |ns: u64| ns as f64 * MS / n;
        let spread = |ns: &[u64]| Spread::of(ns.iter().map(|&ns| ns as f64 * MS));
        let all_workers: f64 = self.wall.iter().sum::<u64>() as f64 * self.splits.len() as f64;
        let waiting = Cause::ALL.map(|cause| {
            let ns: u64 = self.splits.iter().map(|s| s.waiting_ns[cause as usize]).sum();
            WaitingRow { cause, ms: ms(ns), share: ns as f64 / all_workers.max(1.0) }
        });
        let beside = self.beside.iter().map(|(name, &(count, ns))| BesideRow {
            name: name.clone(),
            count,
            ms: ns as f64 * MS / count.max(1) as f64,
        });
        let serial = [Serial::BroadPhase, Serial::PlanWork, Serial::Other]
            .map(|kind| SerialRow { kind, ms: ms(self.serial_ns[kind as usize]) });
        let components = self.rows(&self.components, |k| {
            let (path, class) = names.component(k.checked_sub(1).map(|k| k as u32));
            (path.to_owned(), class.to_owned())
        });
        let objects = self.rows(&self.objects, |k| match k.checked_sub(1) {
            Some(k) => (names.object(k as u32).to_owned(), String::new()),
            None => ("(every worker)".to_owned(), String::new()),
        });
        Profile {
            format: FORMAT.to_owned(),
            setting,
            steps: self.n_steps(),
            step_ms: spread(&self.wall),
            work_ms: spread(&self.work),
            critical_path_ms: spread(&self.critical_path),
            concurrency: median(self.concurrency.iter().copied()),
            dependence_bound: median(self.dependence_bound.iter().copied()),
            placement_bound: median(self.placement_bound.iter().copied()),
            timed_share: self.timed as f64 / self.executions.max(1) as f64,
            workers: self
                .splits
                .iter()
                .map(|s| WorkerRow {
                    tasks: ms(s.tasks_ns),
                    reducers: ms(s.reducers_ns),
                    serial: ms(s.serial_ns),
                    control: ms(s.control_ns),
                    waiting: s.waiting_ns.iter().map(|&ns| ms(ns)).collect(),
                })
                .collect(),
            waiting: waiting.to_vec(),
            serial: serial.to_vec(),
            beside: beside.collect(),
            amdahl: None,
            critical_path,
            classes: by_class(&components),
            components,
            objects,
        }
    }

    /// Rows for all that took time, by decreasing time.
    fn rows(&self, accounts: &[Account], name: impl Fn(usize) -> (String, String)) -> Vec<TaskRow> {
        let n = self.n_steps().max(1) as f64;
        let total: f64 = accounts.iter().map(|a| a.ns).sum();
        let path: u64 = self.critical_path.iter().sum();
        let used = accounts.iter().enumerate().filter(|(_, a)| a.count > 0);
        let mut rows: Vec<TaskRow> = used
            .map(|(k, a)| {
                let (name, class) = name(k);
                TaskRow {
                    name,
                    class,
                    members: 1,
                    ms: a.ns * MS / n,
                    share: a.ns / total.max(1.0),
                    count: a.count as f64 / n,
                    path_ms: a.path_ns * MS / n,
                    path_share: a.path_ns / (path as f64).max(1.0),
                }
            })
            .collect();
        sort(&mut rows);
        rows
    }
}

fn sort(rows: &mut [TaskRow]) {
    rows.sort_by(|a, b| b.ms.total_cmp(&a.ms).then_with(|| a.name.cmp(&b.name)));
}

/// Components of one class together.
fn by_class(components: &[TaskRow]) -> Vec<TaskRow> {
    let mut classes: Vec<TaskRow> = Vec::new();
    for row in components {
        let known = classes.iter().position(|c| c.class == row.class).unwrap_or_else(|| {
            let (name, class) = (row.class.clone(), row.class.clone());
            classes.push(TaskRow { name, class, ..TaskRow::default() });
            classes.len() - 1
        });
        let class = &mut classes[known];
        class.members += row.members;
        class.ms += row.ms;
        class.share += row.share;
        class.count += row.count;
        class.path_ms += row.path_ms;
        class.path_share += row.path_share;
    }
    sort(&mut classes);
    classes
}
