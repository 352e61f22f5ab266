//! Every pair of features, and chosen triples, against a dense reference stepper that knows nothing of how Weft works.
//!
//! Features are what the registry has, by the samples that stand with each component, and where they stand: see [`features`].
//! A component, mapping or solver that is registered is in the array without another line here.

mod combos;
mod covering;
mod features;
mod reference;
mod run;
mod scene;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use covering::Problem;
use features::factor::*;
use features::{Features, Joint};
use run::{Outcome, names_a_component, refusals, run};
use scene::SceneText;
use scenes::registry::Registry;

/// Classes that agree with the reference in most cases, not in all: whether they are wrong there or the reference is, is not known.
/// Their cases are computed and listed; `docs/sofa.md` names the classes to users. The list may only become shorter.
const OPEN: &[&str] = &[
    "BDFOdeSolver",
    "FixedRotationProjectiveConstraint",
    "FixedTranslationProjectiveConstraint",
    "LineProjectiveConstraint",
    "LinearVelocityProjectiveConstraint",
    "NewmarkImplicitSolver",
    "PatchTestMovementProjectiveConstraint",
    "PlaneProjectiveConstraint",
    "StaticSolver",
];

/// How many cases differ with these classes, at most.
const OPEN_CASES: usize = 20;

#[test]
fn every_pair_of_features_agrees_with_the_reference() {
    let start = Instant::now();
    let mut features = Features::of(&Registry::with_builtins()).expect("every class has samples");
    features.refused = refusals(&features);
    let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
    for why in features.refused.values() {
        assert!(names_a_component(&features, why), "refused without naming a component: {why}");
        *refusals.entry(without_place(why)).or_default() += 1;
    }
    let together = features.refused.len();
    let factors = features.factors();
    let problem = Problem {
        sizes: factors.iter().map(|f| f.values.len()).collect(),
        triples: vec![
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
        ],
        in_triples: (0..factors.len()).map(|f| features.in_triples(f, factors[f].values.len())).collect(),
        order: ORDER.to_vec(),
        conflict: &|case| features.conflict(case),
    };
    let array = problem.cover();
    let covered = start.elapsed();
    // CASE=1,2,3: these cases alone.
    let only: Option<Vec<usize>> = std::env::var("CASE")
        .ok()
        .map(|list| list.split(',').filter_map(|n| n.trim().parse().ok()).collect());
    let outcomes: Mutex<BTreeMap<usize, (Outcome, f64)>> = Mutex::default();
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
                    let Some(case) = array.cases.get(k) else { break };
                    if only.as_ref().is_none_or(|o| o.contains(&k)) {
                        let begin = Instant::now();
                        let outcome = run(&features, case);
                        let took = begin.elapsed().as_secs_f64();
                        outcomes.lock().expect("no panic is left").insert(k, (outcome, took));
                    }
                }
            });
        }
    });
    std::panic::set_hook(hook);
    let outcomes = outcomes.into_inner().expect("no panic is left");
    let describe = |k: usize| {
        let values =
            array.cases[k].iter().zip(&factors).map(|(v, f)| format!("{}: {}", f.name, f.values[*v]));
        values.collect::<Vec<_>>().join("; ")
    };
    let (mut agree, mut failed, mut undefined, mut amplify, mut without_touch) = (0, 0, 0, 0, 0);
    let (mut n_refused, mut open) = (0, 0);
    // LIST=1: every case, with what came of it and the seconds that it took.
    if std::env::var("LIST").is_ok() {
        for (k, (outcome, took)) in &outcomes {
            println!("{k}\t{took:.4}\t{outcome:?}\t{}", describe(*k));
        }
    }
    for (k, (outcome, _)) in &outcomes {
        match outcome {
            Outcome::Agrees { touched } => {
                agree += 1;
                let contact = matches!(features.joints[array.cases[*k][JOINT]], Joint::Contact(_));
                without_touch += usize::from(contact && !touched);
            }
            Outcome::Undefined => undefined += 1,
            Outcome::Amplifies => amplify += 1,
            Outcome::Refused(why) => {
                n_refused += 1;
                *refusals.entry(without_place(why)).or_default() += 1;
            }
            Outcome::Fails(why) => {
                let case = describe(*k);
                let is_open = OPEN.iter().any(|class| has_class(&case, class));
                if is_open {
                    open += 1;
                } else {
                    failed += 1;
                }
                let says = if is_open { "is open" } else { "FAILS" };
                println!("case {k} {says}: {why}\n    {case}");
                if only.as_ref().is_some_and(|o| o.len() == 1) {
                    let text = SceneText::new(&features, &array.cases[*k]);
                    println!("before: {}\nafter: {}", text.text(false), text.text(true));
                }
            }
        }
    }
    for (why, times) in &refusals {
        println!("refused {times} times: {why}");
    }
    println!(
        "{} cases cover {} pairs and {} triples ({} cannot be) of {} factors: {agree} agree ({without_touch} with contacts that never touch), {} are refused by name (and {together} sets of integrator, linear solver, mass and its place), {undefined} define no motion, {amplify} amplify rounding, {open} differ with classes that are not proven, {failed} fail; {:.1} s, {:.1} s of them for the array",
        array.cases.len(),
        array.pairs,
        array.triples,
        array.impossible.len(),
        factors.len(),
        n_refused,
        start.elapsed().as_secs_f64(),
        covered.as_secs_f64(),
    );
    assert_eq!(failed, 0, "cases that fail, listed above");
    assert!(open <= OPEN_CASES, "{open} cases with classes that are not proven differ, not {OPEN_CASES}");
}

/// Whether a case has a component of a class.
fn has_class(case: &str, class: &str) -> bool {
    case.split([' ', ';']).any(|word| word == class)
}

/// The words of a refusal without line and column, and without how many more there are.
fn without_place(why: &str) -> String {
    let text = why
        .strip_prefix("case.scn:1:")
        .map_or(why, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    text.split(" (and ").next().unwrap_or(text).trim_start_matches(": ").to_owned()
}
