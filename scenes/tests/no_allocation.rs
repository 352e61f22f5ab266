//! Replaying a plan allocates nothing, in whichever way additions are done.
//!
//! A program of its own without the test harness, so that nothing else allocates meanwhile.

#[path = "../../engine/tests/support/counting.rs"]
mod counting;

use std::sync::Arc;

use counting::counted;
use engine::data::{ObjectId, Role, Store, accumulate, gather, grow, read, set, update};
use engine::exec::Executor;
use engine::graph::{Assignment, ComponentTag, Recorder};
use executors::{Options, Replay};
use partition::{Accumulation, control::lower};

fn main() {
    const TAG: ComponentTag = ComponentTag(0);
    for mode in [Accumulation::Mirror, Accumulation::Reduce] {
        let mut store = Store::new();
        let mut data = |name: &str| -> Vec<_> {
            (0..6).map(|i| store.create(name, ObjectId(i), Role::Scratch, vec![0.5; 40])).collect()
        };
        let (x, f) = (data("x"), data("f"));
        let list = store.create("list", ObjectId(0), Role::Scratch, Vec::<u32>::new());
        let mut rec = Recorder::new(&mut store);
        rec.begin_group("group");
        let (limit, stop) = (rec.scalar_value::<u32>(), rec.scalar_value::<bool>());
        rec.scalar("limit", TAG, (set(limit),), |(limit,)| *limit = 10);
        rec.begin_loop(limit);
        rec.sweep("sweep");
        rec.own("list", TAG, ObjectId(0), (grow(list),), |(mut list,)| {
            list.clear();
            (0..500).for_each(|i| list.push(i));
        });
        for i in 0..6 {
            let (f, x) = (f[i], x[i]);
            rec.own("own", TAG, ObjectId(i as u32), (update(f), read(x)), |(f, x)| f[0] = 0.5 * f[0] + x[0]);
        }
        for i in 1..6 {
            let accesses = (accumulate(f[i - 1]), accumulate(f[i]), read(x[i]));
            rec.joint(
                "pair",
                TAG,
                (ObjectId(i as u32 - 1), ObjectId(i as u32)),
                accesses,
                |(mut a, mut b, x)| {
                    (0..40).for_each(|k| {
                        a.add(k, 0.01 * x[k]);
                        b.add(k, -0.01 * x[k]);
                    });
                },
            );
        }
        let dot = rec.dot("dot");
        for i in 0..6 {
            rec.dot_product(dot, TAG, ObjectId(i as u32), f[i], x[i]);
        }
        rec.scalar("stop", TAG, (gather(dot), set(stop)), |(dot, stop)| *stop = dot > 1e300);
        rec.break_if(stop);
        rec.end_loop();
        rec.end_group();
        let recording = Arc::new(rec.finish());
        let mut assignment = Assignment::new(2);
        (0..6).for_each(|i| assignment.set(ObjectId(i), i % 2));
        let schedule = Arc::new(lower(&recording.program, &assignment, mode));
        // A team that rests lays the plan out for one thread.
        let mut exec = Replay::new(&Options { adapt: false, ..Options::new(2) });
        let plan = exec.load_plan(None, recording, schedule, &mut store).unwrap();
        let mut run = |times: usize| {
            for _ in 0..times {
                exec.run(plan, &mut store).unwrap();
            }
        };
        run(3);
        let ((), n) = counted(|| run(200));
        assert_eq!(n, 0, "allocations in a replayed run ({mode:?})");
    }
    println!("a replayed run allocates nothing");
}
