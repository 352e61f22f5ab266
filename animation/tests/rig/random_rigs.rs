//! Random rigs, edited at random: the same bits for every executor, number of workers, and way of putting nodes together.

use proptest::prelude::*;
use weft_animation::rig::generate::Seed;
use weft_animation::rig::generate::random::random;
use weft_animation::rig::{Backend, ControlId, Evaluator, Fusion, OutputId, Settings};

use crate::backends::{N, nth};

/// The bits of outputs after each of some edits: those that `evaluate` brings up to date.
fn bits_by(
    (backend, settings): (Backend, Settings),
    (nodes, seed, edits): (usize, u64, usize),
    evaluate: impl Fn(&mut Evaluator, &[OutputId]),
) -> Vec<Vec<u64>> {
    let rig = random(nodes, seed).expect("a rig");
    let mut evaluator = Evaluator::new(rig, backend, settings).expect("a rig without mistakes");
    let mut seed = Seed::new(seed ^ 77);
    let n_outputs = evaluator.rig().outputs().count() as u32;
    let n_controls = evaluator.rig().controls().len();
    let mut found = Vec::new();
    for _ in 0..edits {
        for _ in 0..1 + seed.below(2) {
            let control = ControlId(seed.below(n_controls) as u32);
            let of = evaluator.rig().controls()[control.0 as usize].of;
            let value: Vec<f64> = (0..of.len()).map(|_| seed.between(-1.0, 1.0)).collect();
            evaluator.set(control, &value).expect("a control");
        }
        let wanted: Vec<OutputId> = (0..n_outputs).filter(|_| seed.below(4) > 0).map(OutputId).collect();
        evaluate(&mut evaluator, &wanted);
        let all = wanted.iter().flat_map(|o| evaluator.value(*o).iter().map(|v| v.to_bits()));
        found.push(all.collect());
    }
    found
}

/// What is evaluated where it is dirty and needed.
fn bits(backend: Backend, fusion: Fusion, nodes: usize, seed: u64, edits: usize) -> Vec<Vec<u64>> {
    let settings = Settings { fusion: Some(fusion), plans: 6, ..Settings::default() };
    bits_by((backend, settings), (nodes, seed, edits), |evaluator, wanted| {
        evaluator.request(wanted).expect("outputs");
        evaluator.evaluate().expect("no node fails");
        assert_eq!(evaluator.validate(0), [], "seed {seed}");
    })
}

/// Everything evaluated anew after each edit, by one thread, without fusion.
fn brute_force(nodes: usize, seed: u64, edits: usize) -> Vec<Vec<u64>> {
    let settings = Settings { fusion: Some(Fusion::Off), ..Settings::default() };
    bits_by((Backend::sequential(), settings), (nodes, seed, edits), |evaluator, _| {
        evaluator.touch_all();
        evaluator.evaluate().expect("no node fails");
    })
}

#[test]
fn a_thousand_random_rigs_have_the_same_bits_with_threads_and_without() {
    const NODES: usize = 24;
    let mut config = ProptestConfig::with_cases(1000);
    config.failure_persistence = None;
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let which = (any::<u64>(), 0..NODES, 0..N, any::<bool>());
    let outcome = runner.run(&which, |(seed, nodes, executor, fused)| {
        let (name, backend) = nth(executor);
        let fusion = if fused { Fusion::On { grain_ns: 300 } } else { Fusion::Off };
        let (found, expected) = (bits(backend, fusion, nodes + 1, seed, 4), brute_force(nodes + 1, seed, 4));
        prop_assert_eq!(found, expected, "{}, {} nodes, seed {}", name, nodes, seed);
        Ok(())
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn a_larger_rig_has_the_same_bits_with_every_executor() {
    let expected = brute_force(300, 5, 6);
    for k in 0..N {
        for fusion in [Fusion::Off, Fusion::On { grain_ns: 2000 }] {
            let (name, backend) = nth(k);
            assert!(bits(backend, fusion, 300, 5, 6) == expected, "{name}, {fusion:?}");
        }
    }
}
