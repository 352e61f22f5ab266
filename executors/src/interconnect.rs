//! What passing a word between cores costs on this machine: measured, for predictions.
//!
//! Every figure is the median of several short series, so that a thread which loses its core for a moment does not
//! decide. On a busy machine all of them are larger.

use std::hint::black_box;
use std::time::Instant;

use crate::affinity::{allowed_cores, pin_to};
use crate::sync::{AtomicBool, AtomicU64, Line, Ordering, Progress};
use crate::topology::Topology;

/// Measured costs of signals [ns].
#[derive(Clone, Debug, PartialEq)]
pub struct Interconnect {
    /// From the store of a progress word until a thread that polls it on another core goes on: half a round trip. The first
    /// figure is for two cores of a node, the second for cores of different nodes if there are several; empty with
    /// one core.
    pub signal_ns: Vec<f64>,
    /// Reading a line that another core wrote, one after the other in an order that cannot be foreseen; as above.
    pub line_ns: Vec<f64>,
    /// Share of that latency which is hidden where lines are read whose addresses are known early.
    pub overlap: f64,
    /// From unparking a thread until it runs.
    pub wake_ns: f64,
    /// One look at the clock.
    pub clock_ns: f64,
}

/// Series of each measurement.
const SERIES: usize = 15;
/// Round trips of a series.
const TRIPS: u64 = 2000;
/// Lines that are read in a series: 32 KiB with the line beside each left out.
const LINES: usize = 256;
/// Wake-ups that are measured.
const WAKES: usize = 40;

/// Measures; takes some tens of milliseconds. The calling thread may run everywhere again afterwards.
pub fn measure() -> Interconnect {
    let machine = Topology::system();
    let places = machine.places();
    let mut distances = Vec::new();
    if let Some(first) = places.first() {
        let near = places[1..].iter().find(|p| p.node == first.node);
        let far = places[1..].iter().find(|p| p.node != first.node);
        distances =
            [near.or(far), near.and(far)].into_iter().flatten().map(|p| (first.thread, p.thread)).collect();
    }
    let cores = allowed_cores();
    let mut measured = Interconnect {
        signal_ns: Vec::new(),
        line_ns: Vec::new(),
        overlap: 0.0,
        wake_ns: wake(),
        clock_ns: clock(),
    };
    for (a, b) in distances {
        measured.signal_ns.push(signal(a as usize, b as usize));
        let (scattered, known) = lines(a as usize, b as usize);
        measured.line_ns.push(scattered);
        if measured.line_ns.len() == 1 && scattered > 0.0 {
            measured.overlap = (1.0 - known / scattered).clamp(0.0, 1.0);
        }
    }
    pin_to(&cores);
    measured
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Two threads answer each other.
fn signal(a: usize, b: usize) -> f64 {
    let (ping, pong) = (Progress::default(), Progress::default());
    let until = |word: &Progress, stamp: u64| {
        while word.seen() < stamp {
            std::hint::spin_loop();
        }
    };
    let all = SERIES as u64 * TRIPS;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pin_to(&[b]);
            for stamp in 1..=all {
                until(&ping, stamp);
                pong.publish(stamp);
            }
        });
        pin_to(&[a]);
        let series = (0..SERIES as u64).map(|s| {
            let begin = Instant::now();
            for stamp in s * TRIPS + 1..=(s + 1) * TRIPS {
                ping.publish(stamp);
                until(&pong, stamp);
            }
            begin.elapsed().as_nanos() as f64 / (2 * TRIPS) as f64
        });
        median(series.collect())
    })
}

/// One thread writes lines, the other reads them: each line's address from the line before, then all in a row.
fn lines(a: usize, b: usize) -> (f64, f64) {
    let lines: Vec<Line<AtomicU64>> = (0..LINES).map(|_| Line(AtomicU64::new(0))).collect();
    // An odd step visits every line once, in an order that no prefetcher follows.
    let next = |at: usize| (at * 173 + 91) % LINES;
    let (written, read) = (Progress::default(), Progress::default());
    let until = |word: &Progress, stamp: u64| {
        while word.seen() < stamp {
            std::hint::spin_loop();
        }
    };
    let rounds = 2 * SERIES as u64;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pin_to(&[b]);
            for round in 1..=rounds {
                until(&read, round - 1);
                for (at, line) in lines.iter().enumerate() {
                    // Relaxed: published below.
                    line.0.store(next(at) as u64, Ordering::Relaxed);
                }
                written.publish(round);
            }
        });
        pin_to(&[a]);
        let (mut scattered, mut known) = (Vec::new(), Vec::new());
        for round in 1..=rounds {
            until(&written, round);
            let begin = Instant::now();
            let mut sum = 0;
            if round.is_multiple_of(2) {
                let mut at = 0;
                for _ in 0..LINES {
                    // Relaxed, here and below: ordered by the progress word.
                    at = lines[at].0.load(Ordering::Relaxed) as usize;
                }
                sum += at as u64;
            } else {
                sum = lines.iter().map(|l| l.0.load(Ordering::Relaxed)).sum();
            }
            black_box(sum);
            let ns = begin.elapsed().as_nanos() as f64 / LINES as f64;
            if round.is_multiple_of(2) { &mut scattered } else { &mut known }.push(ns);
            read.publish(round);
        }
        (median(scattered), median(known))
    })
}

/// A thread is parked and woken.
fn wake() -> f64 {
    let (sleeps, woken) = (AtomicBool::new(false), AtomicU64::new(0));
    let origin = Instant::now();
    std::thread::scope(|scope| {
        let sleeper = scope.spawn(|| {
            for _ in 0..WAKES {
                // Release and Acquire: the partners are below.
                sleeps.store(true, Ordering::Release);
                while sleeps.load(Ordering::Acquire) {
                    std::thread::park();
                }
                woken.store(origin.elapsed().as_nanos() as u64, Ordering::Release);
            }
        });
        let mut latencies = Vec::new();
        for _ in 0..WAKES {
            while !sleeps.load(Ordering::Acquire) {
                std::hint::spin_loop();
            }
            // Long enough to fall asleep.
            std::thread::sleep(std::time::Duration::from_micros(200));
            woken.store(0, Ordering::Release);
            let begin = origin.elapsed().as_nanos() as u64;
            sleeps.store(false, Ordering::Release);
            sleeper.thread().unpark();
            let end = loop {
                match woken.load(Ordering::Acquire) {
                    0 => std::thread::yield_now(),
                    end => break end,
                }
            };
            latencies.push(end.saturating_sub(begin) as f64);
        }
        median(latencies)
    })
}

fn clock() -> f64 {
    let series = (0..SERIES).map(|_| {
        let begin = Instant::now();
        for _ in 0..1000 {
            black_box(Instant::now());
        }
        begin.elapsed().as_nanos() as f64 / 1000.0
    });
    median(series.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_positive_and_there_is_one_per_kind_of_neighbor() {
        let measured = measure();
        let machine = Topology::system();
        let kinds = match (machine.n_threads(), machine.n_nodes_with_cores()) {
            (1, _) => 0..=0,
            (_, 1) => 1..=1,
            _ => 1..=2,
        };
        assert!(kinds.contains(&measured.signal_ns.len()), "{measured:?}");
        assert_eq!(measured.signal_ns.len(), measured.line_ns.len());
        let all = measured.signal_ns.iter().chain(&measured.line_ns);
        assert!(all.chain([&measured.wake_ns, &measured.clock_ns]).all(|&ns| ns > 0.0), "{measured:?}");
        assert!((0.0..=1.0).contains(&measured.overlap), "{measured:?}");
    }
}
