//! Every pair of features, and chosen triples, against a dense reference stepper that knows nothing of how Weft works.
//!
//! Features are what the registry has, by the samples that stand with each component, and where they stand: see [`features`].
//! A component, mapping or solver that is registered is in the array without another line here.
//! What the program refuses is found while the array is made: see [`refused`].

mod combos;
mod compare;
mod covering;
mod execution;
mod features;
mod reference;
mod refused;
mod report;
mod run;
mod scene;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use covering::{Array, Problem};
use features::Features;
use features::factor::*;
use report::Report;
use run::{Outcome, names_a_component, refusal, run};
use scenes::registry::Registry;

#[test]
fn every_pair_of_features_agrees_with_the_reference() {
    let features = Features::of(&Registry::with_builtins()).expect("every class has samples");
    let triples = vec![
        [INTEGRATOR, JOINT, OTHER_END],
        [INTEGRATOR, MASS, CHAIN],
        [LINEAR, JOINT, CHAIN],
        [INTEGRATOR, MASS_ON, GROUPS],
        [INTEGRATOR, GROUPS, OTHER_END],
        [CHANGE, GROUPS, OTHER_END],
        [SOLVER_AT, JOINT_AT, OTHER_END],
        [INTEGRATOR, PIECES, MASS],
        [GROUPS, PASSES, MASS_ON],
        [LINEAR, FIELD, FIELD_ON],
    ];
    compare(&features, triples);
}

#[test]
fn every_pair_of_features_beside_multipliers_agrees_with_the_reference() {
    let features = Features::with_multipliers(&Registry::with_builtins()).expect("every class has samples");
    let triples = vec![
        [JOINT, CORRECTION, MULTIPLIERS],
        [JOINT, CORRECTION, ORDER_OF_MULTIPLIERS],
        [JOINT, OTHER_END, CORRECTION],
        [CORRECTION, SOLVER_AT, OTHER_END],
    ];
    compare(&features, triples);
}

#[test]
fn every_pair_of_features_beside_elements_that_go_agrees_with_the_reference() {
    let features = Features::of(&Registry::with_builtins()).expect("every class has samples").that_follow();
    compare(&features, vec![[CHANGE, CHAIN, FIELD_ON], [CHANGE, JOINT, FIRST_END]]);
}

#[test]
fn every_pair_of_features_beside_elements_that_go_and_multipliers_agrees_with_the_reference() {
    let features = Features::with_multipliers(&Registry::with_builtins()).expect("every class has samples");
    compare(&features.that_follow(), vec![[CHANGE, CHAIN, JOINT]]);
}

/// Runs an array of all pairs, and these triples.
fn compare(features: &Features, triples: Vec<[usize; 3]>) {
    let start = Instant::now();
    let factors = features.factors();
    // SEED=n: other cases, which cover the same.
    let seed = std::env::var("SEED").ok().and_then(|n| n.trim().parse().ok()).unwrap_or(7);
    let problem = Problem {
        seed,
        sizes: factors.iter().map(|f| f.values.len()).collect(),
        triples,
        in_triples: (0..factors.len()).map(|f| features.in_triples(f, factors[f].values.len())).collect(),
        order: ORDER.to_vec(),
        conflict: &|case| features.conflict(case),
        refusal: &|case| refusal(features, case),
        named: &|case, words| features.named(case, words),
    };
    // CASE_VALUES=1,0,4: this case alone, as the failure of an array prints it, without making the array.
    let values: Option<Vec<usize>> = std::env::var("CASE_VALUES")
        .ok()
        .map(|list| list.split(',').filter_map(|n| n.trim().parse().ok()).collect());
    let array = match values {
        Some(case) if case.len() == factors.len() => Array::of(case),
        _ => problem.cover(),
    };
    for (_, why) in &array.refused {
        assert!(names_a_component(features, why), "refused without naming a component: {why}");
    }
    let covered = start.elapsed();
    // CASE=1,2,3: these cases alone.
    let only: Option<Vec<usize>> = std::env::var("CASE")
        .ok()
        .map(|list| list.split(',').filter_map(|n| n.trim().parse().ok()).collect());
    // CLASS=a,b: the cases with these classes alone.
    let classes = std::env::var("CLASS").unwrap_or_default();
    let none = BTreeMap::new();
    let all = Report { features, factors: &factors, array: &array, outcomes: &none };
    let has_class = |k: &usize| {
        let words = all.describe_case(*k);
        classes.split(',').any(|class| words.split([' ', ';']).any(|word| word == class))
    };
    let only = only.or((!classes.is_empty()).then(|| (0..array.cases.len()).filter(has_class).collect()));
    // LIST=1: every case, with what came of it and the seconds that it took; what is refused; pairs that no case proves.
    let lists = std::env::var("LIST").is_ok();
    if lists {
        println!(
            "{} cases after {:.1} s, {} refused",
            array.cases.len(),
            covered.as_secs_f64(),
            array.refused.len()
        );
    }
    let outcomes = outcomes(&array, only.as_deref(), |k| {
        let begin = Instant::now();
        let outcome = run(features, &array.cases[k]);
        let took = begin.elapsed().as_secs_f64();
        if lists {
            println!("case {k}\t{took:.4}\t{outcome:?}\t{}", all.describe_case(k));
        }
        outcome
    });
    let report = Report { outcomes: &outcomes, ..all };
    if lists {
        report.list();
    }
    let failed = report.failures(only.as_ref().is_some_and(|o| o.len() == 1));
    println!(
        "{}; {:.1} s, {:.1} s of them for the array",
        report.summary(),
        start.elapsed().as_secs_f64(),
        covered.as_secs_f64(),
    );
    assert_eq!(failed, 0, "cases that fail, listed above");
}

/// What comes of the cases.
fn outcomes(
    array: &Array,
    only: Option<&[usize]>,
    run: impl Fn(usize) -> Outcome + Sync,
) -> BTreeMap<usize, Outcome> {
    let outcomes: Mutex<BTreeMap<usize, Outcome>> = Mutex::default();
    let next = AtomicUsize::new(0);
    // Cases are independent; panics within them are caught and reported as theirs.
    let hook = std::panic::take_hook();
    if only.is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from).min(4) {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= array.cases.len() {
                        break;
                    }
                    if only.is_none_or(|o| o.contains(&k)) {
                        let outcome = run(k);
                        outcomes.lock().expect("no panic is left").insert(k, outcome);
                    }
                }
            });
        }
    });
    std::panic::set_hook(hook);
    outcomes.into_inner().expect("no panic is left")
}
