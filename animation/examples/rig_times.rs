//! Times of a character of 150,000 nodes: `cargo run --release -p weft-animation --example rig_times [nodes]`.

use std::time::Instant;

use executors::{Options, Replay};
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};
use weft_animation::rig::generate::{Seed, biped::biped, without_mathematics};
use weft_animation::rig::{Backend, ControlId, Evaluator, Fusion, InFlight, Rig, Settings};

fn replay(workers: u32) -> Backend {
    let mut planner = Planner::new(PlannerOptions {
        workers,
        partitioner: Partitioner::Metis,
        accumulation: Accumulation::Auto,
    });
    let schedule =
        move |program: &engine::graph::Program, store: &engine::data::Store, costs: &engine::exec::Costs| {
            let (first, _) = planner.plan(program, store);
            if planner.rebalance(program, costs, store).is_empty() {
                first
            } else {
                planner.plan(program, store).0
            }
        };
    Backend { executor: Box::new(Replay::new(&Options::new(workers))), schedule: Box::new(schedule), workers }
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn full(e: &mut Evaluator, rounds: usize) -> (f64, f64) {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            e.touch_all();
            let begin = Instant::now();
            e.evaluate().expect("no node fails");
            ms(begin)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[rounds / 2])
}

fn study(name: &str, make: &dyn Fn() -> Rig, workers: u32, fusion: Fusion, measured: bool) {
    let begin = Instant::now();
    let rig = make();
    let made = ms(begin);
    let begin = Instant::now();
    let mut e =
        Evaluator::new(rig, replay(workers), Settings { fusion, ..Settings::default() }).expect("a rig");
    let built = ms(begin);
    if measured {
        let zero = Instant::now();
        e.measure(3, &mut || zero.elapsed().as_nanos() as u64).expect("a rig");
    }
    let begin = Instant::now();
    let first = e.evaluate().expect("no node fails");
    let first_ms = ms(begin);
    let (least, median) = full(&mut e, 41);
    let s = e.structure();
    println!(
        "{name} workers {workers} {fusion:?} measured {measured}: made {made:.0} ms, laid out {built:.0} ms, first {first_ms:.1} ms, full min {least:.2} median {median:.2} ms; {} nodes {} tasks {} levels {:.1} MB",
        first.nodes,
        first.tasks,
        s.n_levels(),
        s.n_values() as f64 * 8e-6
    );
    let control = ControlId(5);
    let n = e.rig().controls()[5].of.len();
    let (mut hit, mut miss) = (Vec::new(), 0.0);
    for k in 0..50 {
        e.set(control, &vec![0.01 * f64::from(k + 1); n]).expect("a control");
        let begin = Instant::now();
        let report = e.evaluate().expect("no node fails");
        if report.hit {
            hit.push(ms(begin))
        } else {
            miss = ms(begin)
        }
        if k == 49 {
            hit.sort_by(f64::total_cmp);
            println!(
                "   one control: {} nodes, {} tasks; miss {miss:.3} ms, hit {:.4} ms",
                report.nodes,
                report.tasks,
                hit[hit.len() / 2]
            );
        }
    }
    // A hundred controls, edited one at a time.
    let mut seed = Seed::new(1);
    let all = e.rig().controls().len().min(100);
    let (mut hits, mut of_hits, mut of_misses, mut misses) = (0, 0.0, 0.0, 0);
    for _ in 0..10_000 {
        let control = ControlId(1 + seed.below(all - 1) as u32);
        let n = e.rig().controls()[control.0 as usize].of.len();
        e.set(control, &vec![seed.between(-0.5, 0.5); n]).expect("a control");
        let begin = Instant::now();
        let report = e.evaluate().expect("no node fails");
        let took = ms(begin);
        if report.hit {
            (hits, of_hits) = (hits + 1, of_hits + took);
        } else {
            (misses, of_misses) = (misses + 1, of_misses + took);
        }
    }
    println!(
        "   10,000 edits of {all} controls: {hits} hits of {:.4} ms, {misses} misses of {:.4} ms",
        of_hits / f64::from(hits),
        of_misses / f64::from(misses.max(1))
    );
}

fn main() {
    let n: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(150_000);
    let real = || biped(n, 1).expect("a character");
    let empty = || without_mathematics(&biped(n, 1).expect("a character")).expect("a rig");
    for workers in [1, 2] {
        study("empty", &empty, workers, Fusion::default(), false);
        study("empty", &empty, workers, Fusion::default(), true);
        study("real", &real, workers, Fusion::default(), true);
    }
    for (workers, frames, in_flight) in [
        (1, 1, InFlight::Throughput),
        (2, 1, InFlight::Latency),
        (2, 2, InFlight::Throughput),
        (2, 2, InFlight::Latency),
    ] {
        let settings = Settings { frames, in_flight, ..Settings::default() };
        let mut e = Evaluator::new(real(), replay(workers), settings).expect("a rig");
        e.evaluate().expect("no node fails");
        let (least, median) = full(&mut e, 21);
        println!(
            "{frames} frames on {workers}, {in_flight:?}: {least:.2} / {median:.2} ms, {:.2} ms a frame, {:.1} MB",
            median / frames as f64,
            e.state_bytes() as f64 * 1e-6
        );
    }
}
