//! Checks a schedule by vector clocks: replays it symbolically, using nothing but its waits and publications, and
//! looks for two conflicting accesses of which neither is known to come first.
//!
//! It looks at instances directly and shares nothing with the dependence analysis.

use std::collections::BTreeMap;

use super::program::{Group, GroupId, Program, StageKind};
use super::schedule::{GroupPlan, Item, ItemKind, PlanKind, PlanStage, Schedule, Wait};
use super::task::TaskId;
use crate::data::AccessKind;

/// A course that the loops may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Course {
    /// Iterations of each visit of a loop.
    iterations: u32,
    /// Break taken at this stage in this iteration of a visit.
    leave: Option<(GroupId, u32, u32)>,
}

type Clock = Vec<u64>;

#[derive(Clone, Default)]
struct Touched {
    write: Option<(u32, u64)>,
    reads: Vec<(u32, u64)>,
}

struct Check<'a> {
    program: &'a Program,
    schedule: &'a Schedule,
    clocks: Vec<Clock>,
    published: BTreeMap<(GroupId, u32, u32, u32), Clock>,
    touched: BTreeMap<u32, Touched>,
    /// Iterations of each group's loops since the step began, over all visits, and within this visit.
    iterations: BTreeMap<GroupId, Vec<(u32, u32)>>,
    first_log: u32,
}

/// Checks that every pair of conflicting accesses is ordered, for several courses of the loops.
///
/// # Errors
/// The first pair that is not, or a wait for something that is never published.
pub fn validate(program: &Program, schedule: &Schedule) -> Result<(), String> {
    let mut courses: Vec<Course> = [0, 1, 4].map(|iterations| Course { iterations, leave: None }).to_vec();
    for (id, group) in program.groups() {
        for stage in group.stages.iter().filter(|s| matches!(s.kind, StageKind::Break(..))) {
            courses.extend([1, 3].map(|i| Course { iterations: 4, leave: Some((id, stage.position, i)) }));
        }
    }
    courses.into_iter().try_for_each(|course| {
        let workers = schedule.assignment.workers() as usize;
        let mut check = Check {
            program,
            schedule,
            clocks: (0..workers).map(|w| (0..workers).map(|v| u64::from(v == w)).collect()).collect(),
            published: BTreeMap::new(),
            touched: BTreeMap::new(),
            iterations: program.groups().map(|(id, g)| (id, vec![(0, 0); g.loops.len()])).collect(),
            first_log: program.n_data() as u32,
        };
        check.walk(course).map_err(|e| format!("{e} ({course:?})"))
    })
}

impl Check<'_> {
    fn walk(&mut self, course: Course) -> Result<(), String> {
        let (program, schedule) = (self.program, self.schedule);
        schedule.groups().try_for_each(|(id, plan)| self.walk_group(id, program.group(id), plan, course))
    }

    fn visit(&mut self, group: GroupId, number: usize) -> &mut (u32, u32) {
        &mut self.iterations.get_mut(&group).expect("a group of the program")[number]
    }

    fn walk_group(
        &mut self,
        id: GroupId,
        group: &Group,
        plan: &GroupPlan,
        course: Course,
    ) -> Result<(), String> {
        let at_or_after = |position: u32| plan.stages.partition_point(|s| s.position < position);
        let mut at = 0;
        while let Some(stage) = plan.stages.get(at) {
            at += 1;
            if let PlanKind::Recorded(StageKind::Break(l, _)) = stage.kind {
                let (_, visit) = *self.visit(id, l.0 as usize);
                if course.leave == Some((id, stage.position, visit)) {
                    at = at_or_after(group.loops[l.0 as usize].end);
                    // Left by a break: what follows is the end of the loop without another iteration.
                    self.publish_end(id, &plan.stages[at]);
                    at += 1;
                }
                continue;
            }
            if let PlanKind::Recorded(StageKind::EndLoop(l)) = stage.kind {
                let (total, visit) = *self.visit(id, l.0 as usize);
                if visit < course.iterations {
                    *self.visit(id, l.0 as usize) = (total + 1, visit + 1);
                    at = at_or_after(group.loops[l.0 as usize].begin) + 1;
                } else {
                    self.publish_end(id, stage);
                }
                continue;
            }
            for worker in &stage.workers {
                for wait in &worker.waits {
                    self.wait(stage, worker.worker, wait)?;
                }
                for (_, item) in worker.chain.iter() {
                    self.run(group, stage, worker.worker, *item)?;
                }
            }
            self.publish_end(id, stage);
            if let PlanKind::Recorded(StageKind::BeginLoop(l)) = stage.kind {
                let (total, _) = *self.visit(id, l.0 as usize);
                if course.iterations == 0 {
                    at = at_or_after(group.loops[l.0 as usize].end);
                    self.publish_end(id, &plan.stages[at]);
                    at += 1;
                } else {
                    *self.visit(id, l.0 as usize) = (total + 1, 1);
                }
            }
        }
        Ok(())
    }

    fn iteration(&self, group: GroupId, region: u32) -> (u32, u32) {
        region.checked_sub(1).map_or((0, 0), |l| self.iterations[&group][l as usize])
    }

    fn publish_end(&mut self, group: GroupId, stage: &PlanStage) {
        let (total, _) = self.iteration(group, stage.region);
        for worker in &stage.workers {
            let w = worker.worker as usize;
            self.clocks[w][w] += 1;
            if worker.publishes > 0 {
                let mut clock = self.clocks[w].clone();
                clock[w] -= 1;
                self.published.insert((group, worker.worker, stage.position, total), clock);
            }
        }
    }

    fn wait(&mut self, stage: &PlanStage, worker: u32, wait: &Wait) -> Result<(), String> {
        let (total, visit) = self.iteration(wait.group, wait.region);
        if wait.carried && visit <= 1 {
            return Ok(());
        }
        let key = (wait.group, wait.worker, wait.position, total - u32::from(wait.carried));
        let Some(clock) = self.published.get(&key) else {
            return Err(format!(
                "stage {} of worker {worker} waits for {key:?}: never published",
                stage.position
            ));
        };
        for (mine, theirs) in self.clocks[worker as usize].iter_mut().zip(clock) {
            *mine = (*mine).max(*theirs);
        }
        Ok(())
    }

    fn run(&mut self, group: &Group, stage: &PlanStage, worker: u32, item: Item) -> Result<(), String> {
        let program = self.program;
        if item.kind == ItemKind::Reducer {
            let reducer = &self.schedule.reducers[item.index as usize];
            for &(_, _, log) in &reducer.logs {
                self.touch(stage, worker, self.first_log + log, false)?;
            }
            return self.touch(stage, worker, reducer.target, true);
        }
        for (position, access) in program.accesses_of(TaskId(item.index)).iter().enumerate() {
            match access.kind {
                AccessKind::Accumulate if item.discard >> position & 1 == 1 => {}
                AccessKind::Accumulate if item.log >> position & 1 == 1 => {
                    let (_, log) =
                        item.logs().find(|(p, _)| *p == position).expect("a log per logged access");
                    self.touch(stage, worker, self.first_log + log, true)?;
                }
                AccessKind::Gather => {
                    for term in &group.dots[access.id as usize].terms {
                        match term.vectors {
                            None => self.touch(stage, worker, term.partial, false)?,
                            Some((a, b)) => {
                                self.touch(stage, worker, a, false)?;
                                self.touch(stage, worker, b, false)?;
                            }
                        }
                    }
                }
                kind if kind.is_data() => self.touch(stage, worker, access.id, kind != AccessKind::Read)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn touch(&mut self, stage: &PlanStage, worker: u32, item: u32, write: bool) -> Result<(), String> {
        let clock = &self.clocks[worker as usize];
        let touched = self.touched.entry(item).or_default();
        let known = |&(w, at): &(u32, u64)| w == worker || clock[w as usize] >= at;
        let unordered =
            touched.write.iter().chain(if write { &touched.reads[..] } else { &[] }).find(|t| !known(t));
        if let Some((other, _)) = unordered {
            let what = if write { "write" } else { "read" };
            return Err(format!(
                "stage {} ({}): {what} of {item} by worker {worker} is not ordered after worker {other}",
                stage.position, stage.name
            ));
        }
        // What a wait for this stage brings along is the clock when it is published.
        let now = (worker, clock[worker as usize]);
        if write {
            *touched = Touched { write: Some(now), reads: Vec::new() };
        } else {
            touched.reads.retain(|r| r.0 != worker);
            touched.reads.push(now);
        }
        Ok(())
    }
}
