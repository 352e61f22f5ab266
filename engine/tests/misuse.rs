//! Handles, snapshots and parts of another recorder or store are refused before they reach memory.

use std::sync::Arc;

use weft_engine::data::{
    Data, ObjectId, Role, Store, gather, locked, part, read, read_all, set, update, val, when, write,
};
use weft_engine::exec::{Executor, Sequential};
use weft_engine::graph::{ComponentTag, GroupId, Place, Recorder, Recording, Sums};

const TAG: ComponentTag = ComponentTag(7);
const A: ObjectId = ObjectId(0);

fn scratch(store: &mut Store, values: &[f64]) -> Data<f64> {
    store.create("data", A, Role::Scratch, values.to_vec())
}

#[test]
#[should_panic(expected = "a scalar of another recorder")]
fn a_scalar_of_an_earlier_recorder_is_refused() {
    let mut store = Store::new();
    let mut rec = Recorder::new(&mut store);
    let scalars = [(); 40].map(|()| rec.scalar_value::<f64>());
    rec.finish();
    let mut rec = Recorder::new(&mut store);
    rec.scalar("far out", TAG, (set(scalars[39]),), |(s,)| *s = 1.0);
}

#[test]
#[should_panic(expected = "a scalar of another recorder")]
fn a_loop_over_a_scalar_of_an_earlier_recorder_is_refused() {
    let mut store = Store::new();
    let mut rec = Recorder::new(&mut store);
    let limit = rec.scalar_value::<u32>();
    rec.finish();
    Recorder::new(&mut store).begin_loop(limit);
}

/// Both recorders are the first of their stores, so that only the type tells.
#[test]
#[should_panic(expected = "a scalar of another store")]
fn a_real_number_is_not_read_as_a_flag_of_another_store() {
    let (mut store, mut other) = (Store::new(), Store::new());
    let flag = Recorder::new(&mut other).scalar_value::<bool>();
    let mut rec = Recorder::new(&mut store);
    let real = rec.scalar_value::<f64>();
    rec.scalar("real", TAG, (set(real),), |(s,)| *s = f64::MAX);
    rec.scalar("flag", TAG, (set(flag),), |(s,)| *s = !*s);
}

#[test]
#[should_panic(expected = "a dot product of another recorder")]
fn a_dot_product_of_an_earlier_recorder_is_refused() {
    let mut store = Store::new();
    let dot = Recorder::new(&mut store).dot("dot");
    let mut rec = Recorder::new(&mut store);
    let own = rec.dot("own");
    let sum = rec.scalar_value::<f64>();
    rec.scalar("own", TAG, (gather(own), set(sum)), |(dot, sum)| *sum = dot);
    rec.scalar("theirs", TAG, (gather(dot), set(sum)), |(dot, sum)| *sum = dot);
}

/// The parts may be another worker's, and nothing would make this one wait for them.
#[test]
#[should_panic(expected = "only replicated tasks sum dot products")]
fn an_objects_own_task_sums_no_dot_product() {
    let mut store = Store::new();
    let x = scratch(&mut store, &[1.0]);
    let mut rec = Recorder::new(&mut store);
    let dot = rec.dot("dot");
    rec.sweep("sum");
    rec.own("sum", TAG, A, (update(x), gather(dot)), |(x, dot)| x[0] = dot);
}

#[test]
#[should_panic(expected = "a handle of another store")]
fn a_running_sum_over_a_vector_of_another_store_is_refused() {
    let (mut store, mut other) = (Store::new(), Store::new());
    let x = scratch(&mut other, &[1.0; 8]);
    store.create("bytes", A, Role::Scratch, vec![7u8; 8]);
    let mut rec = Recorder::new(&mut store);
    rec.set_sums(Sums::Sofa);
    let dot = rec.dot("dot");
    rec.sweep("dot");
    rec.dot_product(dot, TAG, A, x, x);
}

#[test]
#[should_panic(expected = "a step parameter of another store")]
fn a_parameter_of_another_store_is_refused() {
    let (mut store, mut other) = (Store::new(), Store::new());
    let dt = other.parameter("dt", 0.1);
    let x = scratch(&mut store, &[0.0]);
    Recorder::new(&mut store).own("step", TAG, A, (update(x), val(dt)), |(x, dt)| x[0] += dt);
}

/// A snapshot's bytes are values of one store's types: those of another would make a `bool` of anything.
#[test]
#[should_panic(expected = "a snapshot of another store")]
fn a_snapshot_of_another_store_is_refused() {
    let (mut store, mut other) = (Store::new(), Store::new());
    other.create_state("bytes", A, vec![7u8; 4]);
    let (flags, _) = store.create_state("flags", A, vec![false; 4]);
    store.restore(&other.snapshot());
    assert!(store.read(flags).iter().all(|flag| !flag));
}

/// A program with a dot product over one vector.
fn with_dot(store: &mut Store, x: Data<f64>) -> (Recording, weft_engine::data::Scalar<f64>) {
    let mut rec = Recorder::new(store);
    let (dot, sum) = (rec.dot("dot"), rec.scalar_value::<f64>());
    rec.sweep("dot");
    rec.own("part", TAG, A, (part(dot, A), read(x)), |(out, x)| {
        out.iter_mut().for_each(|out| *out = x.iter().sum());
    });
    rec.scalar("sum", TAG, (gather(dot), set(sum)), |(dot, sum)| *sum = dot);
    (rec.finish(), sum)
}

/// Whoever summed at an address of before would read memory that is another's by now.
#[test]
fn sums_do_not_reach_for_parts_that_were_freed() {
    let mut store = Store::new();
    let x = scratch(&mut store, &[1.0, 2.0]);
    let (recording, sum) = with_dot(&mut store, x);
    let partial = recording.program.group(GroupId(0)).dots[0].terms[0].partial;
    let mut exec = Sequential::new();
    let plan = exec.load_plan(None, Arc::new(recording), Arc::default(), &mut store).unwrap();
    exec.run(plan, &mut store).unwrap();
    assert_eq!(exec.scalar(plan, sum), 3.0);
    store.free(partial);
    let others: Vec<_> = (0..20).map(|_| scratch(&mut store, &[1e9; 16])).collect();
    exec.run(plan, &mut store).unwrap();
    assert_eq!(exec.scalar(plan, sum), 0.0);
    assert!(others.iter().all(|o| store.read(*o) == [1e9; 16]));
}

#[test]
fn what_was_freed_is_empty_and_its_number_is_not_given_again() {
    let mut store = Store::new();
    let flags = store.create("flags", A, Role::Scratch, vec![true; 8]);
    store.free(flags.id());
    let bytes = store.create("bytes", A, Role::Scratch, vec![7u8; 8]);
    assert!(bytes.id() != flags.id() && store.read(flags).is_empty());
}

#[test]
#[should_panic(expected = "parts that were recorded on another store")]
fn parts_of_another_store_are_refused() {
    let (mut store, mut other) = (Store::new(), Store::new());
    let (x, y) = (scratch(&mut store, &[1.0]), scratch(&mut other, &[1.0]));
    let (mut recording, _) = with_dot(&mut store, x);
    let (parts, _) = with_dot(&mut other, y);
    recording.remove(GroupId(0), Place::Own(A));
    recording.adopt(GroupId(0), Place::Own(A), &parts, GroupId(0));
}

#[test]
#[should_panic(expected = "parts of a group with other scalars or dot products")]
fn parts_with_more_scalars_are_refused() {
    let mut store = Store::new();
    let x = scratch(&mut store, &[1.0]);
    let (mut recording, _) = with_dot(&mut store, x);
    let mut rec = Recorder::new(&mut store);
    let scalars = [(); 40].map(|()| rec.scalar_value::<f64>());
    rec.sweep("far out");
    rec.own("far out", TAG, A, (update(x), val(scalars[39])), |(x, s)| x[0] = s);
    let parts = rec.finish();
    recording.adopt(GroupId(0), Place::Own(A), &parts, GroupId(0));
}

#[test]
#[should_panic(expected = "a break inside a condition")]
fn a_break_inside_a_condition_is_refused() {
    let mut store = Store::new();
    let mut rec = Recorder::new(&mut store);
    let (limit, flag) = (rec.scalar_value::<u32>(), rec.scalar_value::<bool>());
    rec.begin_loop(limit);
    rec.begin_if(flag);
    rec.break_if(flag);
}

#[test]
#[should_panic(expected = "two locks")]
fn a_task_with_two_locks_is_refused() {
    let mut store = Store::new();
    let locks = [store.lock(), store.lock()];
    let mut rec = Recorder::new(&mut store);
    rec.own("both", TAG, A, (locked(locks[0]), locked(locks[1])), |(_a, _b)| {});
}

#[test]
#[should_panic(expected = "a lock of another store")]
fn a_lock_of_another_store_is_refused() {
    let (mut store, mut other) = (Store::new(), Store::new());
    let lock = other.lock();
    let mut rec = Recorder::new(&mut store);
    rec.own("locked", TAG, A, (locked(lock),), |(_held,)| {});
}

#[test]
#[should_panic(expected = "a list of another store")]
fn a_list_of_other_elements_is_refused() {
    let (mut store, mut other) = (Store::new(), Store::new());
    let numbers = scratch(&mut store, &[1.0]);
    store.list(&[numbers]);
    let flags = other.create("flags", A, Role::Scratch, vec![true]);
    let list = other.list(&[flags]);
    let mut rec = Recorder::new(&mut store);
    rec.own("all", TAG, A, (read_all(list),), |(_,)| {});
}

#[test]
#[should_panic(expected = "a list is the last of its accesses")]
fn a_list_before_other_accesses_is_refused() {
    let mut store = Store::new();
    let (x, y) = (scratch(&mut store, &[1.0]), scratch(&mut store, &[1.0]));
    let list = store.list(&[x]);
    let mut rec = Recorder::new(&mut store);
    rec.own("all", TAG, A, (read_all(list), update(y)), |(_, _)| {});
}

#[test]
#[should_panic(expected = "x (next) is written under conditions only")]
fn a_state_that_may_be_left_as_it_was_two_steps_before_is_refused() {
    let mut store = Store::new();
    let flag = store.create("flag", A, Role::Scratch, vec![false]);
    let (x, x_next) = store.create_state("x", A, vec![1.0]);
    let mut rec = Recorder::new(&mut store);
    rec.own("move", TAG, A, (write(x_next), read(x), when(flag)), |(next, x, ())| next.copy_from_slice(x));
    rec.finish();
}
