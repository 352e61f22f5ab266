//! Programs that change between steps: pairs and objects come and go, groups merge and split. All of it has flags, conditional
//! regions, loops, a lock, resources, and work that lasts longer than a step.
//!
//! What is spliced equals what is recorded and lowered anew, and runs with the bits of that under the sequential executor.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine::data::{
    ObjectId, Store, accumulate, begin_work, exclusive, gather, locked, part, read, result_of, set, update,
    val, when, write,
};
use engine::exec::{Executor, PlanId, Sequential};
use engine::graph::splice::SpliceOp;
use engine::graph::validate::validate;
use engine::graph::{Assignment, ComponentTag, GroupId, Place, Recorder, Recording};
use partition::control::{Accumulation, Ledger, Splice, lower, lower_with_ledger};

use super::world::{LEN, Object, Random, World, bits, squash, world};
use super::{assignment, bind, executors};

const STEPS: u32 = 14;

/// What there is in a step.
#[derive(Clone, Debug, Default)]
struct Present {
    /// The objects of each group, with what tells two parts of one object apart.
    groups: BTreeMap<u32, BTreeMap<u32, u32>>,
    /// Pairs of objects of one group.
    pairs: BTreeSet<(u32, u32)>,
    /// Whether some tasks of pairs never run together.
    has_lock: bool,
    /// Whose tasks ask for a resource.
    asking: Asking,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Asking {
    #[default]
    Nobody,
    Objects,
    ObjectsAndPairs,
}

impl Present {
    fn new(n: u32, has_lock: bool, asking: Asking) -> Self {
        // What groups share gives them an order, so that their schedules are made anew: one group, to begin with.
        let groups = match asking {
            Asking::Nobody => (0..n).map(|o| (o + 1, BTreeMap::from([(o, 0)]))).collect(),
            _ => BTreeMap::from([(1, (0..n).map(|o| (o, o % 3)).collect())]),
        };
        Self { groups, pairs: BTreeSet::new(), has_lock, asking }
    }

    fn group_of(&self, object: u32) -> Option<u32> {
        self.groups.iter().find(|(_, objects)| objects.contains_key(&object)).map(|(group, _)| *group)
    }

    fn order(&self, group: u32) -> u32 {
        self.groups[&group].keys().next().map_or(0, |o| o + 1)
    }

    /// The pairs of an object.
    fn pairs_of(&self, object: u32) -> Vec<(u32, u32)> {
        self.pairs.iter().copied().filter(|(a, b)| *a == object || *b == object).collect()
    }

    /// Changes something; gives back what a recording must do to follow.
    fn change(&mut self, n: u32, random: &mut Random) -> Vec<SpliceOp> {
        let group = |g: u32| GroupId(g);
        let own = |o: u32| Place::Own(ObjectId(o));
        let joint = |(a, b): (u32, u32)| Place::Joint(ObjectId(a), ObjectId(b));
        let number = random.below(self.groups.len());
        let (&at, objects) = self.groups.iter().nth(number).expect("as many groups");
        let objects: Vec<u32> = objects.keys().copied().collect();
        let first = objects[random.below(objects.len())];
        match random.below(6) {
            // A pair comes or goes.
            0 | 1 if objects.len() > 1 => {
                let second = objects[random.below(objects.len())];
                let pair = (first.min(second), first.max(second));
                if first == second {
                    return Vec::new();
                }
                if self.pairs.remove(&pair) {
                    return vec![SpliceOp::Remove { group: group(at), place: joint(pair) }];
                }
                self.pairs.insert(pair);
                vec![SpliceOp::Adopt { group: group(at), place: joint(pair) }]
            }
            // An object's own part is another one.
            2 => {
                self.groups.get_mut(&at).and_then(|g| g.get_mut(&first)).into_iter().for_each(|v| *v += 1);
                let (group, place) = (group(at), own(first));
                vec![SpliceOp::Remove { group, place }, SpliceOp::Adopt { group, place }]
            }
            // Two groups merge.
            3 | 0 | 1 if self.groups.len() > 1 => {
                let other = self.groups.keys().copied().nth(random.below(self.groups.len())).unwrap_or(at);
                if other == at {
                    return Vec::new();
                }
                let gone = self.groups.remove(&other).unwrap_or_default();
                let mut places: Vec<Place> = gone.keys().map(|o| own(*o)).collect();
                places.extend(self.pairs.iter().filter(|(a, _)| gone.contains_key(a)).map(|p| joint(*p)));
                self.groups.get_mut(&at).into_iter().for_each(|g| g.extend(gone.clone()));
                let (from, to) = (group(other), group(at));
                let mut ops: Vec<_> =
                    places.into_iter().map(|place| SpliceOp::Transfer { from, to, place }).collect();
                ops.push(SpliceOp::RemoveGroup { group: from });
                ops.push(SpliceOp::Renew { group: to, order: self.order(at) });
                ops
            }
            // An object leaves its group, with or without its pairs' partners: here its pairs go.
            4 if objects.len() > 1 => {
                let new = (1..).find(|g| !self.groups.contains_key(g)).unwrap_or(n + 1);
                let (from, to) = (group(at), group(new));
                let pairs = self.pairs_of(first);
                let variant = self.groups.get_mut(&at).and_then(|g| g.remove(&first)).unwrap_or(0);
                self.groups.insert(new, BTreeMap::from([(first, variant)]));
                self.pairs.retain(|pair| !pairs.contains(pair));
                let mut ops: Vec<_> =
                    pairs.iter().map(|p| SpliceOp::Remove { group: from, place: joint(*p) }).collect();
                ops.push(SpliceOp::AddGroup { group: to, order: u32::MAX });
                ops.push(SpliceOp::Transfer { from, to, place: own(first) });
                ops.extend([at, new].map(|g| SpliceOp::Renew { group: group(g), order: self.order(g) }));
                ops
            }
            // An object comes or goes.
            _ => {
                let object = random.below(n as usize) as u32;
                let Some(at) = self.group_of(object) else {
                    let new = (1..).find(|g| !self.groups.contains_key(g)).unwrap_or(n + 1);
                    self.groups.insert(new, BTreeMap::from([(object, 0)]));
                    let order = self.order(new);
                    return vec![
                        SpliceOp::AddGroup { group: group(new), order },
                        SpliceOp::Adopt { group: group(new), place: own(object) },
                    ];
                };
                if self.groups[&at].len() == 1 && self.groups.len() == 1 {
                    return Vec::new();
                }
                let pairs = self.pairs_of(object);
                self.pairs.retain(|pair| !pairs.contains(pair));
                self.groups.get_mut(&at).and_then(|g| g.remove(&object));
                let mut ops: Vec<_> =
                    pairs.iter().map(|p| SpliceOp::Remove { group: group(at), place: joint(*p) }).collect();
                ops.push(SpliceOp::Remove { group: group(at), place: own(object) });
                if self.groups[&at].is_empty() {
                    self.groups.remove(&at);
                    ops.push(SpliceOp::RemoveGroup { group: group(at) });
                } else {
                    ops.push(SpliceOp::Renew { group: group(at), order: self.order(at) });
                }
                ops
            }
        }
    }

    /// Records all that is there.
    fn record(&self, store: &mut Store, w: &World, keep_own: bool) -> Recording {
        let mut rec = Recorder::new(store);
        rec.keep_own_tasks(keep_own);
        for &group in self.groups.keys() {
            rec.begin_group_as(GroupId(group), self.order(group), "group");
            self.record_group(&mut rec, w, group);
            rec.end_group();
        }
        rec.finish()
    }

    fn record_group(&self, rec: &mut Recorder<'_>, w: &World, group: u32) {
        let members: Vec<(Object, u32)> =
            self.groups[&group].iter().map(|(o, variant)| (w.objects[*o as usize], *variant)).collect();
        let is_here = |(a, _): &&(u32, u32)| self.groups[&group].contains_key(a);
        let pairs: Vec<(Object, Object)> = self
            .pairs
            .iter()
            .filter(is_here)
            .map(|(a, b)| (w.objects[*a as usize], w.objects[*b as usize]))
            .collect();
        let (limit, sum, stop) =
            (rec.scalar_value::<u32>(), rec.scalar_value::<f64>(), rec.scalar_value::<bool>());
        let condition = rec.scalar_value::<bool>();
        let tag = |o: Object| ComponentTag(o.id.0);
        rec.sweep("flags");
        for &(o, variant) in &members {
            let c = 0.1 * f64::from(variant % 7);
            rec.own("flag", tag(o), o.id, (write(o.flag), read(o.x)), move |(flag, x)| {
                flag[0] = (31.0 * (x[0] + c)).fract().abs() > 0.5;
            });
        }
        let dot = rec.dot("dot");
        rec.sweep("dot");
        for &(o, _) in &members {
            rec.own("part", tag(o), o.id, (part(dot, o.id), read(o.x)), |(p, x)| p[0] = x[0] * x[1]);
        }
        let accesses = (gather(dot), set(sum), set(limit), set(condition), val(w.step));
        rec.scalar("decide", ComponentTag(99), accesses, |(dot, sum, limit, condition, step)| {
            *sum = squash(dot);
            *limit = 1 + u32::from(step.is_multiple_of(3));
            *condition = !(step + u32::from(dot > 0.1)).is_multiple_of(2);
        });
        rec.begin_if(condition);
        rec.sweep("inside");
        for &(o, variant) in &members {
            let accesses = (begin_work(o.long), read(o.x), when(o.flag));
            rec.own("begin", tag(o), o.id, accesses, move |(mut start, x, ())| {
                start.begin(|input| (0..LEN).for_each(|k| input[k] = x[k] + 0.01 * f64::from(variant)));
            });
        }
        for &(a, b) in &pairs {
            let accesses = (accumulate(a.f), accumulate(b.f), read(a.x), read(b.x), when(a.flag));
            rec.joint("pair if", tag(a), (a.id, b.id), accesses, |(mut fa, mut fb, xa, xb, ())| {
                for k in 0..LEN {
                    fa.add(k, 0.3 * (xb[k] - xa[k]));
                    fb.add(k, 0.2 * (xa[k] - xb[k]));
                }
            });
        }
        rec.begin_loop(limit);
        rec.sweep("turn");
        for &(o, _) in &members {
            let accesses = (update(o.q), read(o.f), val(sum));
            rec.own("turn", tag(o), o.id, accesses, |(q, f, sum)| {
                (0..LEN).for_each(|k| q[k] = squash(q[k] + 0.2 * f[k] + 0.1 * sum));
            });
        }
        for &(a, b) in pairs.iter().filter(|_| self.has_lock) {
            let accesses = (accumulate(a.f), accumulate(b.f), read(b.q), locked(w.lock));
            rec.joint("alone", tag(a), (a.id, b.id), accesses, |(mut fa, mut fb, q, _held)| {
                fa.add(0, 0.1 * q[1]);
                fb.add(1, -0.1 * q[0]);
            });
        }
        self.record_turns(rec, w, &members, &pairs);
        rec.scalar("stop", ComponentTag(99), (set(stop), val(sum)), |(stop, sum)| *stop = sum > 0.3);
        rec.break_if(stop);
        rec.end_loop();
        rec.end_if();
        rec.sweep("integrate");
        for &(o, variant) in &members {
            let accesses = (write(o.x_next), read(o.x), read(o.q), update(o.f), result_of(o.long));
            let c = 0.02 * f64::from(variant);
            rec.own("integrate", tag(o), o.id, accesses, move |(next, x, q, f, result)| {
                for k in 0..LEN {
                    let ahead = result.as_deref().map_or(c, |result| result[k]);
                    next[k] = squash(x[k] + 0.3 * q[k] - 0.1 * ahead + c);
                    f[k] *= 0.5;
                }
            });
        }
        self.record_touches(rec, &pairs);
    }

    /// Tasks of one resource between others of the same objects and sweep, which follow them.
    fn record_turns(
        &self,
        rec: &mut Recorder<'_>,
        w: &World,
        members: &[(Object, u32)],
        pairs: &[(Object, Object)],
    ) {
        if self.asking == Asking::Nobody {
            return;
        }
        let resource = w.resources[0];
        let tag = |o: Object| ComponentTag(o.id.0);
        rec.sweep("turns");
        for &(o, variant) in members {
            rec.own("before", tag(o), o.id, (update(o.list), read(o.x)), |(list, x)| {
                list[0] = squash(list[0] + x[0]);
            });
            let c = 0.01 * f64::from(variant);
            match variant % 3 {
                0 => rec.own("alone", tag(o), o.id, (update(o.q), exclusive(resource)), move |(q, ())| {
                    q[0] = squash(q[0] + c);
                }),
                // After what it reads, so deeper than others'.
                1 => {
                    let accesses = (update(o.q), read(o.list), exclusive(resource));
                    rec.own("alone", tag(o), o.id, accesses, move |(q, list, ())| {
                        q[1] = squash(q[1] - c * list[0]);
                    });
                    let accesses = (update(o.list), exclusive(resource));
                    rec.own("again", tag(o), o.id, accesses, |(list, ())| list[1] = squash(2.0 * list[1]));
                }
                _ => {}
            }
            rec.own("after", tag(o), o.id, (update(o.joint), read(o.q)), |(joint, q)| {
                joint[0] = squash(joint[0] + q[0]);
            });
        }
        for &(a, b) in pairs {
            let is_asking = self.asking == Asking::ObjectsAndPairs && (a.id.0 + b.id.0).is_multiple_of(2);
            if is_asking {
                let accesses = (accumulate(a.f), accumulate(b.f), read(a.q), exclusive(resource));
                rec.joint("alone", tag(a), (a.id, b.id), accesses, |(mut fa, mut fb, q, ())| {
                    fa.add(0, 0.1 * q[1]);
                    fb.add(1, -0.1 * q[0]);
                });
            } else {
                let accesses = (accumulate(a.f), accumulate(b.f), read(a.joint), read(b.q));
                rec.joint("beside", tag(a), (a.id, b.id), accesses, |(mut fa, mut fb, joint, q)| {
                    fa.add(0, 0.1 * joint[0]);
                    fb.add(1, -0.1 * q[0]);
                });
            }
        }
    }

    /// The next value of a state is written by an object's own task, and added to under a condition.
    fn record_touches(&self, rec: &mut Recorder<'_>, pairs: &[(Object, Object)]) {
        let tag = |o: Object| ComponentTag(o.id.0);
        for &(a, b) in pairs {
            let accesses = (accumulate(a.x_next), accumulate(b.x_next), read(a.q), when(b.flag));
            rec.joint("touch", tag(a), (a.id, b.id), accesses, |(mut xa, mut xb, q, ())| {
                xa.add(0, 0.01 * q[0]);
                xb.add(1, -0.01 * q[0]);
            });
        }
    }
}

/// A plan that follows changes.
struct Spliced {
    plan: PlanId,
    /// None where the schedule cannot be updated.
    ledger: Option<Ledger>,
    assignment: Assignment,
    mode: Accumulation,
}

impl Spliced {
    fn load(
        exec: &mut dyn Executor,
        replaced: Option<PlanId>,
        recording: Arc<Recording>,
        (assignment, mode): (Assignment, Accumulation),
        store: &mut Store,
    ) -> Self {
        let (schedule, ledger) = lower_with_ledger(&recording.program, &assignment, mode);
        let plan = exec.load_plan(replaced, recording, Arc::new(schedule), store).unwrap();
        Self { plan, ledger, assignment, mode }
    }

    /// Follows; whether the schedule was updated, not made anew.
    fn follow(
        &mut self,
        exec: &mut dyn Executor,
        ops: &[SpliceOp],
        parts: &Recording,
        store: &mut Store,
    ) -> bool {
        let (mut ledger, mut is_updated) = (self.ledger.take(), true);
        let mode = self.mode;
        exec.update_plan(self.plan, store, &mut |recording, schedule, delta| {
            let mut splice = Splice::new(recording, schedule, ledger.as_mut(), delta, mode);
            splice.apply(ops, parts);
            is_updated = splice.finish().is_ok();
        })
        .unwrap();
        if is_updated {
            self.ledger = ledger;
        } else {
            let recording = exec.recording(self.plan).clone();
            *self = Self::load(exec, Some(self.plan), recording, (self.assignment.clone(), mode), store);
        }
        is_updated
    }

    /// Compares with what is recorded and lowered anew.
    fn check(&self, exec: &dyn Executor, anew: &Recording, how: &str) {
        let (recording, schedule) = (exec.recording(self.plan), exec.schedule(self.plan));
        if let Some(difference) = recording.program.difference(&anew.program) {
            panic!("{how}: {difference}");
        }
        validate(&recording.program, schedule).unwrap_or_else(|e| panic!("{how}: {e}"));
        let lowered = lower(&anew.program, &self.assignment, self.mode);
        assert_eq!(schedule.fingerprint(), lowered.fingerprint(), "{how}: another schedule");
    }
}

/// The bits after each step. Without an executor, each step is recorded anew and run in recorded order.
fn simulate(
    mut exec: Option<&mut dyn Executor>,
    seed: u64,
    n: usize,
    (assignment, mode): (&Assignment, Accumulation),
    n_updated: &mut usize,
) -> Vec<Vec<u64>> {
    let mut store = Store::new();
    let w = world(&mut store, n);
    bind(&mut store, seed, n);
    let mut random = Random(seed);
    let has_lock = random.chance(25);
    let asking = [Asking::Nobody, Asking::Nobody, Asking::Objects, Asking::ObjectsAndPairs][random.below(4)];
    let mut present = Present::new(n as u32, has_lock, asking);
    let mut spliced = exec.as_deref_mut().map(|exec| {
        let recording = Arc::new(present.record(&mut store, &w, true));
        Spliced::load(exec, None, recording, (assignment.clone(), mode), &mut store)
    });
    (0..STEPS)
        .map(|step| {
            w.begin_step(&mut store, step);
            let mut anew = None;
            for _ in 0..random.below(4) {
                let ops = present.change(n as u32, &mut random);
                let recorded = present.record(&mut store, &w, true);
                if let (Some(exec), Some(spliced)) = (exec.as_deref_mut(), &mut spliced) {
                    let is_own = |place: Place| matches!(place, Place::Own(_));
                    let has_own =
                        ops.iter().any(|op| matches!(op, SpliceOp::Adopt { place, .. } if is_own(*place)));
                    let parts = present.record(&mut store, &w, has_own);
                    let how = format!("{}, seed {seed}, {n} objects, step {step}, {ops:?}", exec.name());
                    *n_updated += usize::from(spliced.follow(exec, &ops, &parts, &mut store));
                    spliced.check(exec, &recorded, &how);
                }
                anew = Some(recorded);
            }
            match (exec.as_deref_mut(), &spliced) {
                (Some(exec), Some(spliced)) => exec.run(spliced.plan, &mut store),
                _ => {
                    let anew = anew.unwrap_or_else(|| present.record(&mut store, &w, true));
                    Sequential::run_once(&anew, &mut store)
                }
            }
            .unwrap_or_else(|f| panic!("seed {seed}, {n} objects, step {step}: {f}"));
            store.swap_states();
            bits(&store, &w)
        })
        .collect()
}

pub fn check(seed: u64, n: usize, workers: u32, mode: Accumulation) {
    let assignment = assignment(seed, seed, n, workers);
    let how = (&assignment, mode);
    let expected = simulate(None, seed, n, how, &mut 0);
    let mut all: Vec<_> = executors(seed, workers);
    all.push((Box::new(Sequential::new()), String::new()));
    for (mut exec, name) in all {
        let found = simulate(Some(&mut *exec), seed, n, how, &mut 0);
        assert!(found == expected, "{} {name}: seed {seed}, {n} objects, {workers} workers", exec.name());
    }
}

/// Tasks of objects that take turns come and go by updates.
#[test]
fn tasks_in_turn_are_spliced() {
    let n = 6;
    let mut n_changes = 0;
    for seed in 1..40 {
        let mut store = Store::new();
        let w = world(&mut store, n);
        let mut random = Random(seed);
        let mut present = Present::new(n as u32, false, Asking::Objects);
        let mut exec = Sequential::new();
        let recording = Arc::new(present.record(&mut store, &w, true));
        let how = (assignment(seed, seed, n, 3), Accumulation::Mirror);
        let mut spliced = Spliced::load(&mut exec, None, recording, how, &mut store);
        for _ in 0..12 {
            let before = present.clone();
            let ops = present.change(n as u32, &mut random);
            if present.groups.len() != 1 {
                present = before;
                continue;
            }
            let anew = present.record(&mut store, &w, true);
            let is_updated = spliced.follow(&mut exec, &ops, &anew, &mut store);
            assert!(is_updated, "seed {seed}, {ops:?}");
            spliced.check(&exec, &anew, &format!("seed {seed}, {ops:?}"));
            n_changes += usize::from(!ops.is_empty());
        }
    }
    assert!(n_changes > 100, "{n_changes}");
}

#[test]
fn schedules_are_mostly_updated() {
    let (mut n_updated, mut n_steps) = (0, 0);
    for seed in 1..40 {
        let assignment = assignment(seed, seed, 6, 3);
        let how = (&assignment, Accumulation::Mirror);
        simulate(Some(&mut Sequential::new()), seed, 6, how, &mut n_updated);
        n_steps += STEPS as usize;
    }
    // One change or two in a step.
    assert!(n_updated > n_steps, "{n_updated} in {n_steps} steps");
}
