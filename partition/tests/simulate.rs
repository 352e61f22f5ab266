//! The simulator against schedules worked out by hand, and against bounds that hold for all plans.

use engine::data::{ObjectId, Role, Store, accumulate, gather, part, read, set, update};
use engine::graph::{Assignment, ComponentTag, Program, Recorder};
use proptest::prelude::*;
use weft_partition::simulate::{
    Action, Deed, Entry, LoopRun, Machine, Measured, RemoteRead, StageInfo, StaticPlan, Stream, StreamWait,
    Streams, simulate, simulate_events,
};
use weft_partition::{Accumulation, control::lower};

const TAG: ComponentTag = ComponentTag(0);

fn run(ns: f64) -> Action {
    Action::Run { tasks: 1, ns, bytes: 0.0, reads: Vec::new() }
}

fn entry(stage: u32, waits: &[(u32, u32)], action: Action) -> Entry {
    let waits = waits.iter().map(|&(worker, place)| StreamWait { worker, region: 0, place, carried: false });
    Entry { stage, waits: waits.collect(), action, region: 0, place: stage, publishes: true }
}

fn plan(stages: usize, streams: Vec<Vec<Entry>>) -> StaticPlan {
    StaticPlan {
        workers: streams.len() as u32,
        stages: vec![StageInfo::default(); stages],
        regions: 1,
        streams: (0..)
            .zip(streams)
            .map(|(worker, entries)| Stream { worker, after: None, entries })
            .collect(),
        ..StaticPlan::default()
    }
}

/// Signals take 10 between the cores of a node and 30 between nodes, remote lines 8 and 20; nothing else costs.
fn machine(nodes: u32, cores: u32) -> Machine {
    Machine { nodes, cores, signal_ns: vec![10.0, 30.0], line_ns: vec![0.0, 0.0], ..Machine::ideal(1) }
}

#[test]
fn a_wait_ends_a_latency_after_the_stage_that_it_waits_for() {
    // 0: 100 | 1: starts at 10, 20, waits until 110, 5; the caller sees its end 10 later.
    let two = plan(
        2,
        vec![vec![entry(0, &[], run(100.0))], vec![entry(0, &[], run(20.0)), entry(1, &[(0, 0)], run(5.0))]],
    );
    let outcome = simulate(&two, &machine(1, 2)).expect("it ends");
    assert_eq!(outcome.ns, 125.0);
    assert_eq!((outcome.workers[1].busy_ns, outcome.workers[1].wait_ns), (25.0, 80.0));
    assert_eq!((outcome.stages[0].busy_ns, outcome.stages[1].wait_ns), (120.0, 80.0));
    // On two nodes: 100 + 30, 5, 30.
    assert_eq!(simulate(&two, &machine(2, 1)).expect("it ends").ns, 165.0);
}

#[test]
fn more_workers_than_cores_share_threads() {
    let entries = |ns: f64| vec![entry(0, &[], run(ns))];
    let four = plan(1, [10.0, 20.0, 30.0, 40.0].map(entries).to_vec());
    // Workers 0 and 1 on one thread, 2 and 3 on the other, which starts at 10 and is seen 10 later.
    assert_eq!(simulate(&four, &machine(1, 2)).expect("it ends").ns, 90.0);
    assert_eq!(simulate(&four, &machine(1, 1)).expect("it ends").ns, 100.0);
}

#[test]
fn a_worker_that_waits_in_one_stream_goes_on_in_another() {
    let mut one = plan(
        3,
        vec![
            vec![entry(0, &[], run(100.0))],
            vec![entry(0, &[], run(5.0)), entry(1, &[(0, 0)], run(5.0)), entry(2, &[], run(60.0))],
        ],
    );
    let machine = Machine { signal_ns: vec![10.0], ..machine(1, 2) };
    assert_eq!(simulate(&one, &machine).expect("it ends").ns, 110.0 + 65.0 + 10.0);
    // The third stage in a stream of its own: it runs from 15 to 75 while the first waits.
    let third = one.streams[1].entries.pop().expect("three stages");
    one.streams.push(Stream { worker: 1, after: None, entries: vec![third] });
    assert_eq!(simulate(&one, &machine).expect("it ends").ns, 110.0 + 5.0 + 10.0);
    // Unless it must come after the first.
    one.streams[2].after = Some(1);
    assert_eq!(simulate(&one, &machine).expect("it ends").ns, 110.0 + 65.0 + 10.0);
}

#[test]
fn loops_run_as_often_as_they_were_measured_and_leave_where_they_did() {
    let body = |stage: u32, action: Action| Entry { region: 1, ..entry(stage, &[], action) };
    let entries = vec![
        entry(0, &[], Action::Begin { id: 0, region: 1, end: 5 }),
        body(1, run(10.0)),
        body(2, Action::Break { id: 0, number: 0, end: 5 }),
        body(3, run(100.0)),
        body(4, Action::Break { id: 0, number: 1, end: 5 }),
        entry(5, &[], Action::End { id: 0, region: 1, first: 1 }),
        entry(6, &[], run(1.0)),
    ];
    let time = |completed: u32, broken_at: Option<u32>| {
        let mut plan = plan(7, vec![entries.clone()]);
        (plan.regions, plan.loops) = (2, vec![LoopRun { completed, broken_at }]);
        simulate(&plan, &Machine::ideal(1)).expect("it ends").ns
    };
    assert_eq!(time(0, None), 1.0);
    assert_eq!(time(3, None), 331.0);
    assert_eq!(time(3, Some(0)), 341.0);
    assert_eq!(time(3, Some(1)), 441.0);
    assert_eq!(time(0, Some(0)), 11.0);
}

#[test]
fn remote_lines_cost_their_latency_and_memory_its_bandwidth() {
    let reads = vec![RemoteRead { from: 0, lines: 4.0 }];
    let slow = |bytes: f64, reads: Vec<RemoteRead>| Action::Run { tasks: 1, ns: 100.0, bytes, reads };
    let two =
        plan(1, vec![vec![entry(0, &[], slow(400.0, Vec::new()))], vec![entry(0, &[], slow(400.0, reads))]]);
    let machine = Machine { signal_ns: vec![0.0], line_ns: vec![8.0, 20.0], ..machine(1, 2) };
    let ns = |machine: &Machine| simulate(&two, machine).expect("it ends").ns;
    assert_eq!(ns(&machine), 132.0);
    assert_eq!(ns(&Machine { overlap: 0.75, ..machine.clone() }), 108.0);
    // Together they ask for 8 bytes per nanosecond.
    assert_eq!(ns(&Machine { bandwidth: 4.0, ..machine.clone() }), 232.0);
    assert_eq!(ns(&Machine { core_speed: 2.0, ..machine }), 82.0);
}

#[test]
fn a_circle_of_waits_is_found() {
    let wait = |on: u32| vec![entry(0, &[(on, 0)], run(1.0))];
    let stuck = simulate(&plan(1, vec![wait(1), wait(0)]), &machine(1, 2)).expect_err("nobody can begin");
    assert_eq!((stuck.worker, stuck.other), (0, 1));
}

/// A program like a solver's: forces of objects and pairs, then a loop with two dot products and a break.
fn program(store: &mut Store, n: usize, pairs: &[(usize, usize)]) -> Program {
    let data: Vec<_> = (0..n)
        .map(|i| {
            let mut make = |name| store.create(name, ObjectId(i as u32), Role::Scratch, vec![0.0; 4]);
            (make("f"), make("x"))
        })
        .collect();
    let object = |i: usize| ObjectId(i as u32);
    let mut rec = Recorder::new(store);
    let forces = |rec: &mut Recorder<'_>| {
        rec.sweep("forces");
        for (i, &(f, x)) in data.iter().enumerate() {
            rec.own("own", TAG, object(i), (update(f), read(x)), |(_, _)| {});
        }
        for &(a, b) in pairs {
            let ((fa, xa), (fb, xb)) = (data[a], data[b]);
            let accesses = (accumulate(fa), accumulate(fb), read(xa), read(xb));
            rec.joint("pair", TAG, (object(a), object(b)), accesses, |(_, _, _, _)| {});
        }
    };
    rec.begin_group("solver");
    forces(&mut rec);
    let (limit, stop) = (rec.scalar_value::<u32>(), rec.scalar_value::<bool>());
    rec.begin_loop(limit);
    forces(&mut rec);
    let dot = rec.dot("f.f");
    rec.sweep("dot");
    for (i, &(f, _)) in data.iter().enumerate() {
        rec.own("partial", TAG, object(i), (part(dot, object(i)), read(f)), |(_, _)| {});
    }
    rec.scalar("stop", TAG, (gather(dot), set(stop)), |(_, _)| {});
    rec.break_if(stop);
    rec.sweep("x");
    for (i, &(f, x)) in data.iter().enumerate() {
        rec.own("move", TAG, object(i), (update(x), read(f)), |(_, _)| {});
    }
    rec.end_loop();
    rec.end_group();
    rec.finish().program
}

/// A schedule of a program with costs that differ from task to task.
fn scheduled(
    program: &Program,
    of: impl Fn(usize) -> u32,
    workers: u32,
    loops: &[LoopRun],
    streams: Streams,
) -> StaticPlan {
    let mut assignment = Assignment::new(workers);
    let accesses = program.tasks().flat_map(|(id, _)| program.accesses_of(id));
    let n = accesses.map(|a| a.object.0 as usize + 1).max().unwrap_or(0);
    (0..n).for_each(|i| assignment.set(ObjectId(i as u32), of(i)));
    let schedule = lower(program, &assignment, Accumulation::Mirror);
    let task_ns: Vec<f64> = (0..program.n_task_ids()).map(|t| 50.0 + (t * 37 % 101) as f64).collect();
    let measured = Measured { task_ns: &task_ns, loops, overhead_ns: 0.0, bytes_of: &|_| 4096, cache: 0.0 };
    StaticPlan::new(program, &schedule, &measured, streams)
}

#[test]
fn one_worker_takes_the_sum_of_its_tasks() {
    let mut store = Store::new();
    let program = program(&mut store, 5, &[(0, 1), (2, 4)]);
    let loops = [LoopRun { completed: 3, broken_at: Some(0) }];
    let outcome = simulate(&scheduled(&program, |_| 0, 1, &loops, Streams::PerWorker), &Machine::ideal(1));
    // The body up to the break runs once more than what follows it.
    let mut sum = 0.0;
    for stage in program.groups().flat_map(|(_, g)| &g.stages) {
        let times = match (stage.in_loop, stage.name) {
            (None, _) => 1.0,
            (Some(_), "x") => 3.0,
            (Some(_), _) => 4.0,
        };
        sum += times * stage.tasks.iter().map(|(_, t)| 50.0 + f64::from(t.0 * 37 % 101)).sum::<f64>();
    }
    let outcome = outcome.expect("it ends");
    assert_eq!((outcome.ns, outcome.workers[0].busy_ns, outcome.workers[0].wait_ns), (sum, sum, 0.0));
    assert_eq!(outcome.stages.iter().map(|s| s.busy_ns).sum::<f64>(), sum);
}

#[test]
fn contacts_between_workers_read_what_the_other_wrote() {
    let mut store = Store::new();
    let program = program(&mut store, 2, &[(0, 1)]);
    let loops = [LoopRun { completed: 2, broken_at: None }];
    let plan = scheduled(&program, |i| i as u32, 2, &loops, Streams::PerWorker);
    let reads = |name: &str| -> Vec<RemoteRead> {
        let entries = plan.streams[0].entries.iter().filter(|e| plan.stages[e.stage as usize].name == name);
        let of = |e: &Entry| match &e.action {
            Action::Run { reads, .. } => reads.clone(),
            _ => Vec::new(),
        };
        entries.flat_map(of).collect()
    };
    // 4,096 bytes of the other's x before the loop, which the last step wrote, and in each iteration.
    assert_eq!(reads("forces"), [RemoteRead { from: 1, lines: 64.0 }; 2]);
    assert!(reads("x").is_empty() && reads("dot").is_empty());
}

#[test]
fn events_are_the_stages_in_the_order_of_the_streams() {
    let mut store = Store::new();
    let program = program(&mut store, 4, &[(0, 1), (1, 2), (2, 3)]);
    let loops = [LoopRun { completed: 2, broken_at: Some(0) }];
    let plan = scheduled(&program, |i| (i / 2) as u32, 2, &loops, Streams::PerWorker);
    let outcome = simulate_events(&plan, &machine(2, 1)).expect("it ends");
    for (worker, stream) in (0..).zip(&plan.streams) {
        let mut expected = Vec::new();
        // Straight code, two whole iterations and one up to the break, each stage after its waits.
        let at = |kind: fn(&Action) -> bool| stream.entries.iter().position(|e| kind(&e.action));
        let begin = at(|a| matches!(a, Action::Begin { .. })).expect("a loop");
        let leave = at(|a| matches!(a, Action::Break { .. })).expect("a break");
        let end = at(|a| matches!(a, Action::End { .. })).expect("an end");
        let walks =
            [(0, begin), (begin + 1, end), (begin + 1, end), (begin + 1, leave), (end + 1, usize::MAX)];
        for (from, to) in walks {
            for entry in stream.entries.iter().skip(from).take(to.saturating_add(1) - from) {
                let waited = (0..entry.waits.len() as u32).map(|w| (entry.stage, Deed::Waited(w)));
                expected.extend(waited.chain([(entry.stage, Deed::Ran)]));
            }
        }
        let of_worker = outcome.events.iter().filter(|e| e.worker == worker);
        assert_eq!(of_worker.map(|e| (e.stage, e.deed)).collect::<Vec<_>>(), expected);
    }
    // Nobody passes a wait before what it waits for was done.
    let ran = |worker: u32, stage: u32, iteration: u32| {
        let mut events = outcome.events.iter().filter(|e| e.deed == Deed::Ran);
        events.find(|e| (e.worker, e.stage, e.iteration) == (worker, stage, iteration)).map(|e| e.at_ns)
    };
    let mut waits = 0;
    for event in &outcome.events {
        let Deed::Waited(number) = event.deed else { continue };
        let entries = &plan.streams[event.worker as usize].entries;
        let entry = entries.iter().find(|e| e.stage == event.stage).expect("its own");
        let wait = entry.waits[number as usize];
        let of_other = &plan.streams[wait.worker as usize].entries;
        let other =
            of_other.iter().find(|e| (e.region, e.place) == (wait.region, wait.place)).expect("a stage");
        if !wait.carried && matches!(other.action, Action::Run { .. }) && wait.region == entry.region {
            let done = ran(wait.worker, other.stage, event.iteration).expect("it ran");
            assert!(done + 30.0 <= event.at_ns, "{event:?} after {done}");
            waits += 1;
        }
    }
    assert!(waits > 4, "{waits}");
}

/// Objects, pairs, iterations and seeds.
fn scenes() -> impl Strategy<Value = (usize, Vec<(usize, usize)>, LoopRun, u64)> {
    let runs = (0_u32..6, prop::option::of(Just(0)));
    (2_usize..9, prop::collection::btree_set((0_usize..8, 0_usize..8), 0..9), runs, any::<u64>()).prop_map(
        |(n, pairs, (completed, broken_at), seed)| {
            let pairs: std::collections::BTreeSet<_> =
                pairs.into_iter().filter(|(a, b)| a < b && *b < n).collect();
            (n, pairs.into_iter().collect(), LoopRun { completed, broken_at }, seed)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn more_latency_never_shortens((n, pairs, run, seed) in scenes(), workers in 1_u32..5, latency in 0.0..2000.0) {
        let mut store = Store::new();
        let program = program(&mut store, n, &pairs);
        let of = |i: usize| ((seed >> (4 * i)) % u64::from(workers)) as u32;
        let plan = scheduled(&program, of, workers, &[run], Streams::PerWorker);
        let ns = |signal: f64| {
            let machine = Machine { signal_ns: vec![signal], ..Machine::ideal(workers) };
            simulate(&plan, &machine).expect("it ends").ns
        };
        prop_assert!(ns(latency) <= ns(latency * 1.3));
        prop_assert!(ns(0.0) <= ns(latency));
    }

    #[test]
    fn no_plan_beats_its_critical_path_or_its_load_and_none_exceeds_the_sum(
        (n, pairs, run, seed) in scenes(),
        workers in 1_u32..5,
    ) {
        let mut store = Store::new();
        let program = program(&mut store, n, &pairs);
        let of = |i: usize| ((seed >> (4 * i)) % u64::from(workers)) as u32;
        let time = |plan: &StaticPlan, cores: u32| simulate(plan, &Machine::ideal(cores)).expect("it ends");
        let plan = scheduled(&program, of, workers, &[run], Streams::PerWorker);
        let outcome = time(&plan, workers);
        let path = time(&scheduled(&program, |i| i as u32, n as u32, &[run], Streams::PerWorker), n as u32);
        let loads: Vec<f64> = outcome.workers.iter().map(|w| w.busy_ns).collect();
        let sum: f64 = loads.iter().sum();
        let slack = 1e-9 * sum;
        prop_assert!(path.ns <= outcome.ns + slack);
        prop_assert!(loads.iter().all(|&l| l <= outcome.ns + slack));
        prop_assert!(outcome.ns <= sum + slack);
        for w in &outcome.workers {
            prop_assert!(w.busy_ns + w.wait_ns <= outcome.ns + slack);
        }
        // On one core all workers take turns; nothing is lost without latencies.
        prop_assert!((time(&plan, 1).ns - sum).abs() <= slack);
        // With a stream per group the same work is done.
        let grouped = time(&scheduled(&program, of, workers, &[run], Streams::PerGroup), workers);
        let total: f64 = grouped.workers.iter().map(|w| w.busy_ns).sum();
        prop_assert!((total - sum).abs() <= slack);
    }
}
