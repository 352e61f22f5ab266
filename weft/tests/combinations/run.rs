//! One case: the scene in every way of execution, against the reference.

use engine::graph::Sums;
use scenes::load::{LoadOptions, load_text};
use scenes::pieces::Pieces;
use sim_core::scene::Scene;
use weft::simulation::Simulation;

use super::compare::{Apart, apart, compare, least_size};
use super::features::factor::*;
use super::features::{EXECUTORS, Features};
use super::reference::{
    INDEFINITE, NO_MULTIPLIERS, NO_SOLUTION, NO_SYSTEM, NOT_A_PROJECTION, NOT_BANDED, NOT_FINITE,
    NOT_POSITIVE, Reference, SEVERAL_MULTIPLIERS, UNDECIDED, UNSYMMETRIC,
};
use super::scene::{AFTER_DT, SceneText};

/// Steps of a case, and after how many of them something changes.
pub(super) const STEPS: usize = 10;
pub(super) const CHANGE_AFTER: usize = 5;

/// What came of a case.
#[derive(Debug)]
pub enum Outcome {
    /// It agrees; whether anything touched.
    Agrees { touched: bool },
    /// It is refused, with these words, which name a component of the scene.
    Refused(String),
    /// The scene defines no motion: the reference's linear system has no solution, or none that a conjugate gradient finds, in these words.
    Undefined(&'static str),
    /// It agrees until rounding is so amplified that the reference differs as much from itself, moved by last digits.
    Amplifies,
    /// It does not do what it should.
    Fails(String),
}

pub(super) fn load(text: &str, pieces: Option<Pieces>, sums: Sums) -> Result<scenes::LoadedScene, String> {
    let options = LoadOptions { pieces, mesh_order: sums == Sums::Sofa, ..LoadOptions::default() };
    load_text(text, "case.scn", &options).map_err(|e| e.to_string())
}

pub(super) struct Run<'a> {
    pub(super) text: SceneText<'a>,
    pub(super) case: &'a [usize],
    /// Whether the body is cut, which some components prevent.
    is_cut: bool,
}

impl Run<'_> {
    pub(super) fn pieces(&self) -> Option<Pieces> {
        (self.case[PIECES] == 1).then_some(Pieces::Number(2))
    }

    /// The reference of a scene; a body that is cut has no blocks in wrong places.
    fn reference(&self, scene: Scene) -> Result<Reference, String> {
        let reference = Reference::new(scene)?;
        Ok(if self.is_cut { reference.exact() } else { reference })
    }

    /// The reference of the scene as it is after the change.
    fn changed_reference(&self, before: Reference) -> Result<Reference, String> {
        let scene = load(&self.text.text(true), None, Sums::Blocked)?.scene;
        let gravity = scene.gravity;
        let changed = [self.text.field_path()];
        let only: &[&str] = if self.text.change() == "number of the field" { &[&changed[0]] } else { &[] };
        let mut after = self.reference(scene)?;
        after = if self.text.changes_topology() {
            after.go_on_changed(before, &self.text.changed_states())
        } else {
            after.go_on(before, only)
        };
        after.gravity = gravity;
        // The scene begins with the former one: what constraints do at init depends on it.
        if self.text.change() == "time step" {
            after.dt = AFTER_DT;
        }
        Ok(after)
    }

    fn against_reference(&self, mut s: Simulation) -> Result<(Vec<u64>, bool), String> {
        let mut reference = self.reference(load(&self.text.text(false), None, Sums::Blocked)?.scene)?;
        let begin = s.states();
        let (mut touched, mut converged, mut swept) = (false, true, true);
        let by_shares = self.text.text(false).contains(BY_SHARES);
        for step in 1..=STEPS {
            if step == CHANGE_AFTER + 1 && self.text.change() != "nothing" {
                self.change(&mut s).map_err(|e| format!("{AT_THE_CHANGE}{e}"))?;
                s.check_plan().map_err(|e| format!("check_plan after the change: {e}"))?;
                reference = self
                    .changed_reference(reference)
                    .map_err(|e| format!("the reference at the change: {e}"))?;
            }
            let was_large = reference.numbers().any(|c| c.abs() > LARGE);
            if let Err(e) = reference.step() {
                if let Some((there, here)) = REFUSED.iter().find(|(there, _)| e.ends_with(there)) {
                    return Err(match s.step() {
                        Err(failure) if failure.message.contains(here) => (*there).to_owned(),
                        // Newton's method looks at the residual before it assembles a matrix.
                        Err(failure) if failure.message.contains("force is not finite") => {
                            NOT_FINITE.to_owned()
                        }
                        // A body that is cut has its points in another order.
                        _ if *there == NOT_BANDED && self.pieces().is_some() => (*there).to_owned(),
                        other => format!("{there}, and the step gave {other:?}; it should say so"),
                    });
                }
                if e.ends_with(NOT_FINITE) {
                    // Of mapped numbers, squares of squares leave what a number can be long before those of the body do.
                    let is_large = reference.numbers().any(|c| c.abs() > LARGE);
                    return Err(match s.step() {
                        Err(failure) if failure.message.contains("finite") => NOT_FINITE.to_owned(),
                        _ if is_large => AMPLIFIED.to_owned(),
                        other => format!("{NOT_FINITE}, and the step gave {other:?}; it should say so"),
                    });
                }
                return Err(format!("the reference in step {step}: {e}"));
            }
            if reference.numbers().any(|c| !c.is_finite()) {
                return Err(match s.step() {
                    Err(failure) if failure.message.contains("finite") => NOT_FINITE.to_owned(),
                    _ if was_large => AMPLIFIED.to_owned(),
                    other => format!("{NOT_FINITE}, and the step gave {other:?}; it should say so"),
                });
            }
            if reference.numbers().any(|c| c.abs() > OVERFLOWS) {
                return Err(AMPLIFIED.to_owned());
            }
            let report = s.step().map_err(|e| self.said_of_failure(&e.to_string(), reference.doubt()))?;
            touched |= report.contacts > 0;
            swept &= report.constraint_error.is_none_or(|e| e.is_reached || e.remaining < SWEPT);
            swept &= !by_shares || report.constraint_sweeps.is_none_or(|n| n <= SUMMED);
            let mut iterations = report.cg_iterations.iter().chain(&report.linear_iterations);
            converged &= iterations.all(|n| *n < ITERATIONS);
            s.check_plan().map_err(|e| format!("check_plan: {e}"))?;
            compare(&reference, &begin, &s.states()).map_err(|e| match e {
                Apart::By(..) if !converged => NOT_CONVERGED.to_owned(),
                Apart::By(..) if !swept => NOT_SWEPT.to_owned(),
                Apart::By(apart, words) => {
                    if let Some(why) = reference.doubt() {
                        return why.to_owned();
                    }
                    let amplified = self.amplified(step);
                    if apart < 30.0 * amplified {
                        return AMPLIFIED.to_owned();
                    }
                    format!("step {step}, {words}; apart by {apart:.1e}, by last digits {amplified:.1e}")
                }
                Apart::Otherwise(words) => format!("step {step}, {words}"),
            })?;
        }
        Ok((bits(&s), touched))
    }

    /// What is said of a step that fails. Sweeps that solve all blocks from what was before may diverge, which the step says.
    /// So may a conjugate gradient.
    fn said_of_failure(&self, failure: &str, doubt: Option<&'static str>) -> String {
        if let Some(why) = doubt.filter(|_| failure.contains("non-finite")) {
            return why.to_owned();
        }
        let diverges = ["non-finite value in constraint.", "the state is not finite"]
            .iter()
            .any(|w| failure.contains(w));
        if diverges && self.text.text(false).contains(BY_SHARES) {
            return NOT_SWEPT.to_owned();
        }
        failure.to_owned()
    }

    /// How far the reference is after so many steps from those that are moved by a few last digits in each, and solve their systems
    /// as loosely, relative to the size of its numbers; without end where one of them says that there is no motion, or leaves the numbers.
    fn amplified(&self, steps: usize) -> f64 {
        let run = |disturbance| -> Result<Vec<f64>, String> {
            let mut reference = self.reference(load(&self.text.text(false), None, Sums::Blocked)?.scene)?;
            reference.disturb(disturbance);
            for step in 1..=steps {
                if step == CHANGE_AFTER + 1 && self.text.change() != "nothing" {
                    reference = self.changed_reference(reference)?;
                }
                reference.shake();
                reference.step()?;
            }
            Ok(reference.numbers().copied().collect())
        };
        let Ok(own) = run(0.0) else { return 0.0 };
        let least_size = least_size(&own);
        // Directions between points that are held in one place may be of the last bit alone.
        let apart =
            [1e-14, 3e-15, 1e-15, 6e-16, 4e-16, 3e-16, 2e-16].map(|disturbance| match run(disturbance) {
                Ok(other) => {
                    let apart = own.iter().zip(&other).map(|(a, b)| apart(*b, *a, least_size));
                    apart.fold(0.0, |most, apart| if apart <= most { most } else { apart.min(f64::INFINITY) })
                }
                Err(why) if UNDEFINED.iter().any(|u| why.ends_with(u)) => f64::INFINITY,
                Err(_) => 0.0,
            });
        apart.into_iter().fold(0.0, f64::max)
    }
}

pub(super) fn bits(s: &Simulation) -> Vec<u64> {
    let states = s.states();
    let all = states.iter().flat_map(|v| v.position.iter().chain(&v.velocity)).flatten();
    all.map(|c| c.to_bits()).collect()
}
/// Matrices that a solver refuses: what the reference says of them, and what a step says that meets one.
const REFUSED: [(&str, &str); 2] =
    [(NOT_POSITIVE, "not positive definite"), (NOT_BANDED, "not block tridiagonal")];

/// Places [m] and velocities [m/s] beyond which forces, that grow with the third power of strains, and their squares may leave what a
/// number can be, here or there.
const OVERFLOWS: f64 = 1e40;
/// Places and velocities beyond which mapped numbers may be so large.
const LARGE: f64 = 1e15;

/// The number of iterations at which iterative linear solvers of the samples end, whether they have converged or not.
const ITERATIONS: u32 = 500;
/// The error of multipliers after as many sweeps as there may be beyond which they were not found.
const SWEPT: f64 = 1e-13;
/// The solver whose violations are sums over its sweeps, and the number of these beyond which they are too much rounding.
const BY_SHARES: &str = "ImprovedJacobiConstraintSolver";
const SUMMED: u32 = 300;
/// What is said of a case whose multipliers were not.
const NOT_SWEPT: &str = "the sweeps of the multipliers have not converged";
/// What is said of a case whose linear solver has not converged by then.
const NOT_CONVERGED: &str = "the linear solver has not converged";

/// What is said of cases that define no motion.
const UNDEFINED: [&str; 10] = [
    NOT_CONVERGED,
    NOT_SWEPT,
    NO_SOLUTION,
    NO_MULTIPLIERS,
    SEVERAL_MULTIPLIERS,
    NO_SYSTEM,
    UNSYMMETRIC,
    INDEFINITE,
    NOT_A_PROJECTION,
    UNDECIDED,
];

/// What is said before the reason why something cannot change.
const AT_THE_CHANGE: &str = "at the change: ";

fn is_refused_at_change(features: &Features, why: &str) -> bool {
    why.strip_prefix(AT_THE_CHANGE).is_some_and(|why| names_a_component(features, why))
}

/// What is said of a case whose rounding is amplified.
const AMPLIFIED: &str = "amplifies rounding";
/// Why the program refuses a case before its first step, without place; nothing where it does not.
pub fn refusal(features: &Features, case: &[usize]) -> Option<String> {
    let run = Run { text: SceneText::new(features, case), case, is_cut: false };
    let changed = run.simulation("sequential").and_then(|mut s| {
        // What cannot follow is known from the beginning.
        if run.text.changes_topology() { run.change(&mut s) } else { Ok(()) }
    });
    changed.err().map(|why| without_place(&why))
}

/// The words of a refusal without line and column, and without how many more there are.
pub fn without_place(why: &str) -> String {
    let text = why
        .strip_prefix("case.scn:1:")
        .map_or(why, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    text.split(" (and ").next().unwrap_or(text).trim_start_matches(": ").to_owned()
}

/// Whether a refusal tells what is refused: a path, and a class of the scene.
pub fn names_a_component(features: &Features, refusal: &str) -> bool {
    refusal.contains('/') && (features.names().any(|n| refusal.contains(n)) || refusal.contains("/world/"))
}

/// Runs a case.
pub fn run(features: &Features, case: &[usize]) -> Outcome {
    let mut run = Run { text: SceneText::new(features, case), case, is_cut: false };
    // TEXT=1: the scene, before and after what changes.
    if std::env::var("TEXT").is_ok() {
        println!("{}\n{}", run.text.text(false), run.text.text(true));
    }
    let simulation = match run.simulation("sequential") {
        Ok(s) => s,
        Err(refusal) if names_a_component(features, &refusal) => return Outcome::Refused(refusal),
        Err(refusal) => {
            return Outcome::Fails(format!("refused without naming a component: {refusal}"));
        }
    };
    run.is_cut = simulation.states().iter().any(|s| s.path.contains("/piece"));
    let sequential =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run.against_reference(simulation)));
    let (bits, touched) = match sequential {
        Ok(Ok(found)) => found,
        Ok(Err(e)) if e == AMPLIFIED => return Outcome::Amplifies,
        Ok(Err(e)) if run.text.changes_topology() && is_refused_at_change(features, &e) => {
            return Outcome::Refused(e);
        }
        Ok(Err(e)) if e == NOT_FINITE || REFUSED.iter().any(|(there, _)| e == *there) => {
            return Outcome::Refused(format!("during a step: {e}"));
        }
        Ok(Err(e)) if UNDEFINED.iter().any(|u| e.ends_with(u)) => {
            let why = UNDEFINED.into_iter().find(|u| e.ends_with(u)).unwrap_or_default();
            return Outcome::Undefined(why);
        }
        Ok(Err(e)) => return Outcome::Fails(e),
        Err(panic) => return Outcome::Fails(format!("a panic: {}", said(&*panic))),
    };
    // QUICK=1: against the reference alone.
    let executor = EXECUTORS[case[EXECUTOR]];
    if std::env::var("QUICK").is_err() {
        let fails = |why: &str| Outcome::Fails(format!("{executor}: {why}"));
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run.elsewhere(executor))) {
            Ok(Ok(others)) if others == bits => {}
            Ok(Ok(_)) => return fails("other bits than the sequential executor"),
            Ok(Err(e)) => return fails(&e),
            Err(panic) => return fails(&format!("a panic: {}", said(&*panic))),
        }
    }
    Outcome::Agrees { touched }
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or(panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
}
