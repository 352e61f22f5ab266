//! Random programs: groups of some of the objects, nested loops, breaks at any place, chains of scalars, resources.

use engine::data::{
    Data, Scalar, Store, accumulate, begin_work, exclusive, gather, grow, locked, part, read, read_all,
    result_of, set, update, val, when, write,
};
use engine::graph::{ComponentTag, LoopId, Recorder, Recording, Sums};

use super::world::{LEN, Object, Random, World, disturb, squash};

const DEEPEST: u32 = 3;

/// What is being recorded.
struct Generator<'a, 's> {
    rec: Recorder<'s>,
    world: &'a World,
    random: Random,
    /// Each task has a component of its own.
    tag: u32,
    /// The objects of the present group.
    members: Vec<Object>,
    /// The present group's scalars.
    scalars: Vec<Scalar<f64>>,
    open_loops: Vec<LoopId>,
}

/// Records the program of a seed.
pub fn record(store: &mut Store, world: &World, seed: u64, n_groups: usize) -> Recording {
    let mut random = Random(seed | 1);
    let mut rec = Recorder::new(store);
    if random.chance(20) {
        rec.set_sums(Sums::Sofa);
    }
    let members = world.objects.clone();
    let of_step = vec![rec.scalar_value::<f64>()];
    let mut g = Generator { rec, world, random, tag: 0, members, scalars: of_step, open_loops: Vec::new() };
    g.sweep();
    for _ in 0..n_groups {
        g.rec.begin_group("group");
        let scalar = g.rec.scalar_value::<f64>();
        g.scalars = vec![scalar];
        g.choose_members();
        g.block(0);
        g.rec.end_group();
        g.members = world.objects.clone();
        // Code of the step behind a group is a group of its own, with scalars of its own.
        g.scalars = vec![g.rec.scalar_value::<f64>()];
        if g.random.chance(50) {
            g.block(1);
        }
    }
    g.integrate();
    g.rec.finish()
}

impl Generator<'_, '_> {
    /// A new component.
    fn tag(&mut self) -> (ComponentTag, u32) {
        self.tag += 1;
        (ComponentTag(self.tag), self.tag)
    }

    /// At least two objects, often not all.
    fn choose_members(&mut self) {
        while self.members.len() > 2 && self.random.chance(60) {
            let k = self.random.below(self.members.len());
            self.members.remove(k);
        }
    }

    fn member(&mut self) -> Object {
        self.members[self.random.below(self.members.len())]
    }

    fn two(&mut self) -> (Object, Object) {
        let n = self.members.len();
        let a = self.random.below(n);
        let b = (a + 1 + self.random.below(n - 1)) % n;
        (self.members[a.min(b)], self.members[a.max(b)])
    }

    /// Anything, of objects of other groups too.
    fn source(&mut self) -> Data<f64> {
        let k = self.random.below(self.world.objects.len());
        let object = if self.random.chance(85) { self.member() } else { self.world.objects[k] };
        object.any(&mut self.random)
    }

    fn scalar(&mut self) -> Scalar<f64> {
        self.scalars[self.random.below(self.scalars.len())]
    }

    fn constant(&mut self) -> f64 {
        0.1 + 0.07 * self.random.below(9) as f64
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(4) {
            match self.random.below(8) {
                0 => self.dot(),
                1 => self.chain(),
                2 | 3 if depth < DEEPEST => self.nest(depth),
                4 if depth < DEEPEST => self.condition(depth),
                _ => self.sweep(),
            }
        }
    }

    /// A loop; what is in it varies, and so does the way in which it is left.
    fn nest(&mut self, depth: u32) {
        let (tag, t) = self.tag();
        let limit = self.rec.scalar_value::<u32>();
        let from = self.scalar();
        let most = self.random.below(5) as u32;
        let step = self.world.step;
        match self.random.below(8) {
            // Zero in some steps.
            0..=2 => {
                self.rec.scalar("limit", tag, (set(limit), val(step)), move |(limit, step)| {
                    disturb(t);
                    *limit = (most + step) % 4;
                });
            }
            // Zero always.
            3 => self.rec.scalar("limit", tag, (set(limit),), move |(limit,)| {
                disturb(t);
                *limit = 0;
            }),
            _ => self.rec.scalar("limit", tag, (set(limit), val(from)), move |(limit, from)| {
                disturb(t);
                *limit = most + u32::from((from * 31.0).fract() > 0.0);
            }),
        }
        let the_loop = self.rec.begin_loop(limit);
        self.open_loops.push(the_loop);
        if self.random.chance(20) {
            self.leave();
        }
        for _ in 0..1 + self.random.below(3) {
            self.sweep();
            match self.random.below(8) {
                0 | 1 => self.leave(),
                2 => {
                    self.leave();
                    self.leave();
                }
                3 | 4 => {
                    self.dot();
                    self.leave();
                }
                5 => self.chain(),
                _ => {}
            }
            if self.random.chance(25) && depth + 1 < DEEPEST {
                self.block(depth + 1);
            }
        }
        if self.random.chance(20) {
            self.leave();
        }
        self.open_loops.pop();
        self.rec.end_loop();
    }

    /// What runs only if a flag says so: an object's, or a scalar.
    fn condition(&mut self, depth: u32) {
        let (tag, t) = self.tag();
        let (flag, from) = (self.member().flag, self.scalar());
        let condition = if self.random.chance(50) {
            self.rec.flag(tag, flag)
        } else {
            let condition = self.rec.scalar_value::<bool>();
            let (step, k) = (self.world.step, self.random.below(2) as u32);
            let accesses = (set(condition), val(from), val(step));
            self.rec.scalar("decide", tag, accesses, move |(condition, from, step)| {
                disturb(t);
                *condition = (step + k).is_multiple_of(2) == (from > 0.1);
            });
            condition
        };
        self.rec.begin_if(condition);
        self.sweep();
        if self.random.chance(50) {
            // What is left by a break is the loop around.
            let loops_around = std::mem::take(&mut self.open_loops);
            self.block(depth + 1);
            self.open_loops = loops_around;
        }
        self.rec.end_if();
    }

    /// A condition of its own, and a break; in which iteration it leaves varies from step to step.
    fn leave(&mut self) {
        let (tag, t) = self.tag();
        let stop = self.rec.scalar_value::<bool>();
        let step = self.world.step;
        let from = self.scalar();
        let k = self.random.below(5) as u32;
        let of = self.open_loops[self.random.below(self.open_loops.len())];
        let count = self.rec.loop_count(of);
        if self.random.chance(50) {
            let accesses = (set(stop), val(count), val(step));
            self.rec.scalar("count", tag, accesses, move |(stop, count, step)| {
                disturb(t);
                *stop = count == (k + 3 * step) % 5;
            });
        } else {
            let threshold = 0.4 + 0.1 * f64::from(k);
            self.rec.scalar("compare", tag, (set(stop), val(from)), move |(stop, from)| {
                disturb(t);
                *stop = (from * 97.0).fract().abs() > threshold;
            });
        }
        self.rec.break_if(stop);
    }

    /// Some scalar tasks in a row: of scalars, of a parameter, of a buffer.
    fn chain(&mut self) {
        for _ in 0..1 + self.random.below(4) {
            let from = self.scalar();
            self.scalar_task(from);
        }
    }

    fn scalar_task(&mut self, from: Scalar<f64>) {
        let (tag, t) = self.tag();
        let c = self.constant();
        let dt = self.world.dt;
        let is_new = self.scalars.len() < 4 && self.random.chance(60);
        let to = if is_new { self.rec.scalar_value::<f64>() } else { self.scalar() };
        if is_new {
            self.scalars.push(to);
        }
        let source = self.source();
        let long = self.member().long;
        match self.random.below(4) {
            3 => self.rec.scalar("use", tag, (set(to), result_of(long)), move |(to, result)| {
                disturb(t);
                *to = result.map_or(c, |result| squash(result[0]));
            }),
            0 => self.rec.scalar("read", tag, (set(to), read(source)), move |(to, source)| {
                disturb(t);
                *to = squash(c + source.iter().sum::<f64>());
            }),
            _ if to.index() == from.index() => {
                self.rec.scalar("forget", tag, (set(to), val(dt)), move |(to, dt)| {
                    disturb(t);
                    *to = c + dt;
                });
            }
            _ => self.rec.scalar("chain", tag, (set(to), val(from), val(dt)), move |(to, from, dt)| {
                disturb(t);
                *to = squash(from * (1.0 + dt) - c);
            }),
        }
    }

    /// A dot product over some members, and what is made of it.
    fn dot(&mut self) {
        let dot = self.rec.dot("dot");
        self.rec.sweep("dot");
        for object in self.members.clone() {
            let (tag, t) = self.tag();
            match self.random.below(8) {
                0 => {}
                1..=4 => self.rec.dot_product(dot, tag, object.id, object.q, object.f),
                _ => {
                    let accesses = (part(dot, object.id), read(object.x), read(object.f));
                    self.rec.own("part", tag, object.id, accesses, move |(p, x, f)| {
                        disturb(t);
                        p[0] = x[0] * f[1] + 0.1;
                    });
                }
            }
        }
        // Often more than one task gathers it.
        for _ in 0..1 + self.random.below(2) {
            let (tag, t) = self.tag();
            let to = self.scalar();
            self.rec.scalar("sum", tag, (gather(dot), set(to)), move |(sum, to)| {
                disturb(t);
                *to = squash(sum);
            });
            if self.random.chance(50) {
                self.scalar_task(to);
            }
        }
    }

    fn sweep(&mut self) {
        self.rec.sweep("sweep");
        for _ in 0..1 + self.random.below(2 * self.members.len()) {
            if self.random.chance(55) { self.own() } else { self.pair() }
        }
    }

    fn own(&mut self) {
        let (tag, t) = self.tag();
        let (o, other) = (self.member(), self.member());
        let (from, c) = (self.source(), self.constant());
        let to = [o.f, o.q][self.random.below(2)];
        let alpha = self.scalar();
        let kind = self.random.below(18);
        let is_last = self.random.chance(50);
        if to == from || (kind == 5 && from == other.f) || (kind == 6 && from == o.list) {
            return;
        }
        let rec = &mut self.rec;
        match kind {
            4 => {
                let accesses = (write(to), read(from), val(self.world.dt));
                rec.own("write", tag, o.id, accesses, move |(to, from, dt)| {
                    disturb(t);
                    for (k, to) in to.iter_mut().enumerate() {
                        *to = squash(c + from.get(k).copied().unwrap_or(c) * (1.0 + dt));
                    }
                });
            }
            5 => rec.own("add", tag, o.id, (accumulate(other.f), read(from)), move |(mut f, from)| {
                disturb(t);
                from.iter().take(LEN).enumerate().for_each(|(i, v)| f.add(i, 0.1 * c * v));
            }),
            6 => rec.own("grow", tag, o.id, (grow(o.list), read(from)), move |(mut list, from)| {
                disturb(t);
                list.truncate(2);
                from.iter().filter(|v| **v > 0.0).take(4).for_each(|v| list.push(squash(c + v)));
            }),
            7 => {
                let resource = self.world.resources[self.random.below(2)];
                let accesses = (update(to), read(from), exclusive(resource));
                rec.own("alone", tag, o.id, accesses, move |(to, from, ())| {
                    disturb(t);
                    to.iter_mut().zip(from).for_each(|(to, v)| *to = squash(*to - c * v));
                });
            }
            8 => rec.own("flag", tag, o.id, (write(o.flag), read(from)), move |(flag, from)| {
                disturb(t);
                flag[0] = from.iter().sum::<f64>() > 0.2;
            }),
            9 => {
                let accesses = (write(to), when(other.flag), read(from));
                rec.own("write if", tag, o.id, accesses, move |(to, (), from)| {
                    disturb(t);
                    to.fill(squash(c + from.first().copied().unwrap_or(c)));
                });
            }
            10 if to != o.x => {
                let accesses = (update(to), read_all(self.world.positions));
                rec.own("read all", tag, o.id, accesses, move |(to, all)| {
                    disturb(t);
                    let k = if is_last { all.len() - 1 } else { 0 };
                    to[0] = squash(to[0] + c * all.get(k)[1] + all.iter().map(|x| x[0]).sum::<f64>());
                });
            }
            14 => {
                let accesses = (begin_work(o.long), read(o.q), update(o.f));
                rec.own("begin", tag, o.id, accesses, move |(mut start, q, f)| {
                    disturb(t);
                    let has_begun = start.begin(|input| input.copy_from_slice(q));
                    f[0] = squash(f[0] + c * f64::from(u32::from(has_begun)));
                });
            }
            15 => {
                let accesses = (begin_work(other.long), read(from), when(o.flag));
                rec.own("begin if", tag, o.id, accesses, move |(mut start, from, ())| {
                    disturb(t);
                    start.begin(|input| input.iter_mut().zip(from).for_each(|(to, v)| *to = c * v));
                });
            }
            16 | 17 => {
                let accesses = (update(to), result_of(other.long));
                rec.own("use", tag, o.id, accesses, move |(to, result)| {
                    disturb(t);
                    let result = result.as_deref();
                    to[0] = squash(to[0] + result.map_or(c, |result| result.iter().sum()));
                });
            }
            11 => {
                let accesses = (update(to), read(from), locked(self.world.lock));
                rec.own("locked", tag, o.id, accesses, move |(to, from, _held)| {
                    disturb(t);
                    to.iter_mut().zip(from).for_each(|(to, v)| *to = squash(*to + c * v));
                });
            }
            _ => rec.own(
                "update",
                tag,
                o.id,
                (update(to), read(from), val(alpha)),
                move |(to, from, alpha)| {
                    disturb(t);
                    to.iter_mut().zip(from).for_each(|(to, v)| *to = squash(*to + c * v + 0.01 * alpha));
                },
            ),
        }
    }

    fn pair(&mut self) {
        let (tag, t) = self.tag();
        let ((a, b), third) = (self.two(), self.member());
        let (c, alpha) = (self.constant(), self.scalar());
        let ids = (a.id, b.id);
        let rec = &mut self.rec;
        match self.random.below(14) {
            13 => {
                let accesses = (accumulate(a.f), accumulate(b.f), result_of(third.long), read(a.x));
                rec.joint("use", tag, ids, accesses, move |(mut fa, mut fb, result, x)| {
                    disturb(t);
                    let result = result.as_deref().map_or(x, |result| result);
                    (0..LEN).for_each(|i| fa.add(i, c * result[i]));
                    fb.add(2, -c * result[0]);
                });
            }
            10 | 11 => {
                let accesses = (accumulate(a.f), accumulate(b.f), read(a.q), when(third.flag));
                rec.joint("pair if", tag, ids, accesses, move |(mut fa, mut fb, q, ())| {
                    disturb(t);
                    (0..LEN).for_each(|i| fa.add(i, c * q[i]));
                    fb.add(1, -c * q[0]);
                });
            }
            12 => {
                let accesses = (accumulate(a.f), accumulate(b.f), read(b.x), locked(self.world.lock));
                rec.joint("locked", tag, ids, accesses, move |(mut fa, mut fb, x, _held)| {
                    disturb(t);
                    fa.add(0, c * x[1]);
                    (0..LEN).for_each(|i| fb.add(i, -c * x[i]));
                });
            }
            0 => rec.joint("make", tag, ids, (write(a.joint), read(a.x), read(b.x)), move |(to, xa, xb)| {
                disturb(t);
                (0..LEN).for_each(|i| to[i] = squash(xa[i] - c * xb[i]));
            }),
            // An exclusive access beside an addition: such a task is never mirrored.
            1 => {
                let accesses = (update(a.joint), accumulate(b.f), read(b.q));
                rec.joint("keep", tag, ids, accesses, move |(own, mut f, q)| {
                    disturb(t);
                    for i in 0..LEN {
                        own[i] = squash(own[i] + c * q[i]);
                        f.add(i, 0.2 * own[i]);
                    }
                });
            }
            2 => {
                let resource = self.world.resources[self.random.below(2)];
                let accesses = (accumulate(a.f), accumulate(b.f), read(a.x), exclusive(resource));
                rec.joint("alone", tag, ids, accesses, move |(mut fa, mut fb, x, ())| {
                    disturb(t);
                    (0..LEN).for_each(|i| fa.add(i, c * x[i]));
                    fb.add(0, -c * x[0]);
                });
            }
            3 if third.id != a.id && third.id != b.id => {
                let accesses = (accumulate(a.f), accumulate(b.f), accumulate(third.f), read(third.x));
                rec.joint("three", tag, ids, accesses, move |(mut a, mut b, mut third, x)| {
                    disturb(t);
                    for i in 0..LEN {
                        a.add(i, c * x[i]);
                        b.add(i, -c * x[LEN - 1 - i]);
                        third.add(i, 0.3 * c);
                    }
                });
            }
            _ => {
                let accesses = (accumulate(a.f), accumulate(b.f), read(a.q), read(b.q), val(alpha));
                rec.joint("pair", tag, ids, accesses, move |(mut fa, mut fb, xa, xb, alpha)| {
                    disturb(t);
                    for i in 0..LEN {
                        let v = squash(c * (xa[i] - xb[i]) + 0.1 * alpha);
                        fa.add(i, -v);
                        fa.add(0, 0.3 * v);
                        fb.add(i, v);
                    }
                });
            }
        }
    }

    /// The next state, and bounds for what is added to.
    fn integrate(&mut self) {
        self.rec.sweep("integrate");
        for object in self.world.objects.clone() {
            let ((tag, t), (bound, _)) = (self.tag(), self.tag());
            let accesses = (write(object.x_next), read(object.x), read(object.f), read(object.q));
            self.rec.own("integrate", tag, object.id, accesses, move |(next, x, f, q)| {
                disturb(t);
                (0..LEN).for_each(|i| next[i] = squash(x[i] + 0.3 * f[i] - 0.2 * q[i]));
            });
            let correct = self.random.chance(50).then(|| self.tag());
            let flag = self.member().flag;
            if let Some((tag, t)) = correct {
                let accesses = (update(object.x_next), when(flag), read(object.q));
                self.rec.own("correct", tag, object.id, accesses, move |(next, (), q)| {
                    disturb(t);
                    next[1] = squash(next[1] + 0.1 * q[2]);
                });
            }
            self.rec.own("damp", bound, object.id, (update(object.f),), |(f,)| {
                f.iter_mut().for_each(|f| *f = squash(*f));
            });
        }
    }
}
