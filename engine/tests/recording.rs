//! Recording and sequential execution: stages, order, loops, dot products, misuse.

use std::sync::Arc;
use weft_engine::data::{
    Data, ObjectId, Role, Store, accumulate, gather, grow, part, read, read_all, set, update, val, when,
    write,
};
use weft_engine::exec::{Executor, FailureKind, Sequential};
use weft_engine::graph::{
    ComponentTag, GroupId, Place, Program, Recorder, RecorderMemory, StageKind, Sums, to_graphviz,
};

const TAG: ComponentTag = ComponentTag(7);
const A: ObjectId = ObjectId(0);
const B: ObjectId = ObjectId(1);

fn scratch(store: &mut Store, object: ObjectId, values: &[f64]) -> Data<f64> {
    store.create("data", object, Role::Scratch, values.to_vec())
}

#[test]
fn a_sweep_becomes_own_then_joint_stages_and_pairs_are_sorted() {
    let mut store = Store::new();
    let f = [
        scratch(&mut store, A, &[0.0]),
        scratch(&mut store, B, &[0.0]),
        scratch(&mut store, ObjectId(2), &[0.0]),
    ];
    let mut rec = Recorder::new(&mut store);
    rec.sweep("forces");
    rec.joint("late pair", TAG, (B, ObjectId(2)), (accumulate(f[1]), accumulate(f[2])), |(mut a, mut b)| {
        a.add(0, 1.0);
        b.add(0, -1.0);
    });
    rec.joint("early pair", TAG, (A, B), (accumulate(f[0]), accumulate(f[1])), |(mut a, mut b)| {
        a.add(0, 2.0);
        b.add(0, -2.0);
    });
    for (i, &f) in f.iter().enumerate() {
        rec.own("reset", TAG, ObjectId(i as u32), (write(f),), |(f,)| f.fill(0.5));
        rec.own("scale", TAG, ObjectId(i as u32), (update(f),), |(f,)| f[0] *= 2.0);
    }
    let recording = rec.finish();
    let program = &recording.program;
    // The resets come after the pairs that were recorded before them, so they form a second depth.
    let kinds: Vec<_> = program.group(GroupId(0)).stages.iter().map(|s| s.kind).collect();
    assert_eq!(kinds, [StageKind::Joint, StageKind::Own]);
    assert_eq!(program.tasks().next().unwrap().1.name, "early pair");
    assert!(to_graphviz(program).contains("early pair"));
    Sequential::run_once(&recording, &mut store).unwrap();
    assert_eq!(store.read(f[1]), [1.0]);
}

#[test]
fn conflicts_across_objects_split_a_sweep_by_depth() {
    let mut store = Store::new();
    let (a, b) = (scratch(&mut store, A, &[1.0]), scratch(&mut store, B, &[0.0]));
    let mut rec = Recorder::new(&mut store);
    rec.sweep("mapping");
    rec.own("write a", TAG, A, (update(a),), |(a,)| a[0] += 1.0);
    rec.own("b from a", TAG, B, (write(b), read(a)), |(b, a)| b[0] = a[0]);
    rec.own("more a", TAG, A, (update(a),), |(a,)| a[0] += 1.0);
    let recording = rec.finish();
    assert_eq!(recording.program.group(GroupId(0)).stages.len(), 3);
    Sequential::run_once(&recording, &mut store).unwrap();
    assert_eq!((store.read(a)[0], store.read(b)[0]), (3.0, 2.0));
}

#[test]
fn recording_twice_gives_equal_programs_and_creates_no_new_buffers() {
    let mut store = Store::new();
    let x = store.create("x", A, Role::Scratch, vec![nalgebra::Vector3::new(1.0, 2.0, 3.0); 20_000]);
    let record = |store: &mut Store| {
        let mut rec = Recorder::new(store);
        rec.begin_group("solver");
        let dot = rec.dot("x.x");
        rec.sweep("dot");
        rec.dot_product(dot, TAG, A, x, x);
        let sum = rec.scalar_value::<f64>();
        rec.scalar("sum", TAG, (gather(dot), set(sum)), |(v, s)| *s = v);
        rec.end_group();
        (rec.finish(), sum)
    };
    let (first, _) = record(&mut store);
    let n = store.n_data();
    let (second, sum) = record(&mut store);
    assert_eq!(store.n_data(), n);
    assert_eq!(first.program, second.program);
    assert_eq!(first.program.fingerprint(), second.program.fingerprint());
    let mut exec = Sequential::new();
    let plan = exec.load(None, Arc::new(second), &store);
    exec.run(plan, &mut store).unwrap();
    assert_eq!(exec.scalar(plan, sum), 14.0 * 20_000.0);
}

#[test]
fn loops_iterate_break_and_count() {
    let mut store = Store::new();
    let x = scratch(&mut store, A, &[0.0]);
    let limit = store.parameter("iterations", 10u32);
    let mut rec = Recorder::new(&mut store);
    rec.begin_group("solver");
    let (n, stop) = (rec.scalar_value::<u32>(), rec.scalar_value::<bool>());
    rec.scalar("limit", TAG, (val(limit), set(n)), |(limit, n)| *n = limit);
    let l = rec.begin_loop(n);
    let dot = rec.dot("x");
    rec.sweep("add");
    rec.own("add", TAG, A, (update(x),), |(x,)| x[0] += 1.0);
    rec.own("part", TAG, A, (part(dot, A), read(x)), |(p, x)| p[0] = x[0]);
    rec.scalar("test", TAG, (gather(dot), set(stop)), |(x, stop)| *stop = x >= 4.0);
    rec.break_if(stop);
    rec.end_loop();
    let count = rec.loop_count(l);
    rec.end_group();
    let recording = Arc::new(rec.finish());
    let mut exec = Sequential::new();
    let plan = exec.load(None, recording, &store);
    exec.run(plan, &mut store).unwrap();
    assert_eq!((store.read(x)[0], exec.scalar(plan, count)), (4.0, 3));
    store.write(x)[0] = -100.0;
    exec.run(plan, &mut store).unwrap();
    assert_eq!((store.read(x)[0], exec.scalar(plan, count)), (-90.0, 10));
    store.set_parameter(limit, 0);
    exec.run(plan, &mut store).unwrap();
    assert_eq!((store.read(x)[0], exec.scalar(plan, count)), (-90.0, 0));
}

#[test]
fn running_sums_equal_a_plain_loop() {
    let mut store = Store::new();
    let values: Vec<f64> = (0..1000).map(|i| 1.0 / f64::from(i + 1)).collect();
    let (a, b) = (scratch(&mut store, A, &values), scratch(&mut store, B, &values));
    let mut rec = Recorder::new(&mut store);
    rec.set_sums(Sums::Sofa);
    let dot = rec.dot("d");
    rec.dot_product(dot, TAG, A, a, a);
    rec.dot_product(dot, TAG, B, b, b);
    let sum = rec.scalar_value::<f64>();
    rec.scalar("sum", TAG, (gather(dot), set(sum)), |(v, s)| *s = v);
    let recording = Arc::new(rec.finish());
    let mut exec = Sequential::new();
    let plan = exec.load(None, recording, &store);
    exec.run(plan, &mut store).unwrap();
    let one: f64 = values.iter().fold(0.0, |s, v| s + v * v);
    assert_eq!(exec.scalar(plan, sum), one + one);
}

#[test]
fn states_are_swapped_after_success_only() {
    let mut store = Store::new();
    let (x, next) = store.create_state("x", A, vec![1.0]);
    let fail = store.parameter("fail", false);
    let mut rec = Recorder::new(&mut store);
    rec.own("integrate", TAG, A, (read(x), write(next), val(fail)), |(x, next, fail)| {
        next[0] = x[0] + 1.0;
        assert!(!fail, "told to fail");
    });
    let recording = Arc::new(rec.finish());
    let mut exec = Sequential::new();
    let plan = exec.load(None, recording, &store);
    for _ in 0..3 {
        exec.run(plan, &mut store).unwrap();
        store.swap_states();
    }
    assert_eq!(store.read(x), [4.0]);
    store.set_parameter(fail, true);
    let failure = exec.run(plan, &mut store).unwrap_err();
    assert_eq!((failure.kind, failure.step, failure.component), (FailureKind::Panic, 3, Some(TAG)));
    assert!(failure.message.contains("told to fail"));
    store.swap_states();
    assert_eq!(store.read(x), [4.0]);
}

#[test]
fn check_mode_names_the_first_task_that_writes_a_non_finite_value() {
    let mut store = Store::new();
    let x = scratch(&mut store, A, &[1.0]);
    let mut rec = Recorder::new(&mut store);
    rec.own("fine", TAG, A, (update(x),), |(x,)| x[0] = 2.0);
    rec.own("bad", TAG, A, (update(x),), |(x,)| x[0] = f64::NAN);
    rec.own("later", TAG, A, (update(x),), |(x,)| x[0] += 1.0);
    let recording = Arc::new(rec.finish());
    let mut exec = Sequential::new();
    exec.set_check(true);
    let plan = exec.load(None, recording, &store);
    let failure = exec.run(plan, &mut store).unwrap_err();
    assert_eq!((failure.task_name, failure.kind), ("bad", FailureKind::NonFinite));
}

#[test]
fn grown_lists_keep_their_contents() {
    let mut store = Store::new();
    let list = store.create("list", A, Role::Scratch, Vec::<u32>::new());
    let mut rec = Recorder::new(&mut store);
    rec.own("fill", TAG, A, (grow(list),), |(mut list,)| {
        list.clear();
        for i in 0..1000 {
            list.push(i);
        }
    });
    let recording = rec.finish();
    Sequential::run_once(&recording, &mut store).unwrap();
    assert_eq!(store.read(list), (0..1000).collect::<Vec<u32>>());
}

#[test]
#[should_panic(expected = "of the same handle")]
fn a_handle_occurs_once_in_a_task_unless_it_is_only_read() {
    let mut store = Store::new();
    let x = scratch(&mut store, A, &[1.0]);
    let mut rec = Recorder::new(&mut store);
    rec.own("bad", TAG, A, (update(x), read(x)), |(_, _)| {});
}

#[test]
#[should_panic(expected = "writes scalars only")]
fn replicated_tasks_write_scalars_only() {
    let mut store = Store::new();
    let x = scratch(&mut store, A, &[1.0]);
    let mut rec = Recorder::new(&mut store);
    rec.scalar("bad", TAG, (update(x),), |(_,)| {});
}

#[test]
fn a_recording_in_the_memory_of_another_is_the_same_as_one_in_new_memory() {
    let mut store = Store::new();
    let mut body = |i: u32| (ObjectId(i), scratch(&mut store, ObjectId(i), &[1.0; 4]));
    let bodies: Vec<_> = (0..70).map(&mut body).collect();
    let record = |store: &mut Store, memory: RecorderMemory, n: usize| {
        let mut rec = Recorder::with_memory(store, memory);
        rec.begin_group("group");
        let dot = rec.dot("dot");
        let sum = rec.scalar_value::<f64>();
        rec.sweep("own");
        for &(id, x) in &bodies[..n] {
            rec.own("own", TAG, id, (update(x),), |(x,)| x[0] += 1.0);
            rec.dot_product(dot, TAG, id, x, x);
        }
        rec.scalar("sum", TAG, (gather(dot), set(sum)), |(dot, sum)| *sum = dot);
        rec.end_group();
        rec.finish_with_memory()
    };
    let (anew, _) = record(&mut store, RecorderMemory::default(), 70);
    let mut memory = RecorderMemory::default();
    for n in [3, 70, 1, 70] {
        let (part, kept) = record(&mut store, memory, n);
        assert_eq!(part.program.n_tasks(), 2 * n + 1);
        if n == 70 {
            assert!(part.program == anew.program);
            Sequential::run_once(&part, &mut store).unwrap();
        }
        memory = kept;
        memory.take_back(part);
    }
    assert_eq!(store.read(bodies[69].1), [3.0, 1.0, 1.0, 1.0]);
}

#[test]
fn pairs_stand_where_they_stand_beside_tasks_that_are_not_kept() {
    let mut store = Store::new();
    let (f, g) = (scratch(&mut store, A, &[0.0]), scratch(&mut store, B, &[0.0]));
    let mut record = |own_tasks: bool| {
        let mut rec = Recorder::new(&mut store);
        rec.keep_own_tasks(own_tasks);
        rec.sweep("forces");
        rec.own("late", TAG, A, (read(f),), |(_,)| {});
        rec.joint("pair", TAG, (A, B), (accumulate(f), accumulate(g)), |(mut a, mut b)| {
            a.add(0, 2.0);
            b.add(0, -2.0);
        });
        rec.own("last", TAG, B, (update(g),), |(g,)| g[0] *= 2.0);
        rec.finish().program
    };
    let (all, pairs) = (record(true), record(false));
    let place = Place::Joint(A, B);
    let places = |program: &Program| -> Vec<_> {
        program.group(GroupId(0)).tasks_of(place).map(|t| (t.position, t.key)).collect()
    };
    assert_eq!((all.n_tasks(), pairs.n_tasks()), (3, 1));
    assert_eq!(places(&all), places(&pairs));
    assert_eq!(all.group(GroupId(0)).outline, pairs.group(GroupId(0)).outline);
}

#[test]
fn conditions_skip_stages_and_single_tasks_and_leave_what_they_would_write() {
    let mut store = Store::new();
    let flag = store.create("flag", A, Role::Parameter, vec![false]);
    let (x, y) = (scratch(&mut store, A, &[1.0]), scratch(&mut store, B, &[1.0]));
    let mut rec = Recorder::new(&mut store);
    let condition = rec.flag(TAG, flag);
    rec.begin_if(condition);
    rec.sweep("inside");
    rec.own("inside", TAG, A, (update(x),), |(x,)| x[0] += 1.0);
    rec.end_if();
    rec.sweep("single");
    rec.own("if", TAG, B, (write(y), when(flag)), |(y, ())| y[0] = 5.0);
    rec.own("always", TAG, B, (update(y),), |(y,)| y[0] += 0.5);
    rec.own("scalar", TAG, A, (update(x), when(condition)), |(x, ())| x[0] *= 10.0);
    let recording = rec.finish();
    Sequential::run_once(&recording, &mut store).unwrap();
    assert_eq!((store.read(x)[0], store.read(y)[0]), (1.0, 1.5));
    store.write(flag)[0] = true;
    Sequential::run_once(&recording, &mut store).unwrap();
    assert_eq!((store.read(x)[0], store.read(y)[0]), (20.0, 5.5));
}

#[test]
fn a_list_is_read_in_its_order_and_equal_lists_are_one() {
    let mut store = Store::new();
    let values = [[1.0].as_slice(), &[2.0, 3.0], &[]].map(|v| scratch(&mut store, A, v));
    let sum = scratch(&mut store, B, &[0.0; 3]);
    let lists = [store.list(&values), store.list(&values)];
    let mut rec = Recorder::new(&mut store);
    rec.sweep("all");
    for list in lists {
        rec.own("all", TAG, B, (update(sum), read_all(list)), |(sum, all)| {
            all.iter().zip(sum).for_each(|(values, sum)| *sum += values.iter().sum::<f64>());
        });
    }
    let recording = rec.finish();
    Sequential::run_once(&recording, &mut store).unwrap();
    assert_eq!(store.read(sum), [2.0, 10.0, 0.0]);
}
