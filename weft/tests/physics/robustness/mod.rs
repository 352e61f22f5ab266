//! Hostile scenes: each step ends with finite numbers, or fails and says in which component, with the state before it kept.
//! Where a closed form says what the answer is, it is compared with.

mod elements;
mod systems;

use super::support::*;
use weft::simulation::{Simulation, StepFailure};

const CG: &str = r#"<CGLinearSolver iterations="2000" tolerance="1e-12" threshold="1e-30"/>"#;
const LDL: &str = "<SparseLDLSolver/>";

/// Steps a scene; the number of steps that went well, and the failure that ended it, if one did.
fn endure(s: &mut Simulation, n: usize) -> (usize, Option<StepFailure>) {
    for k in 0..n {
        let before = s.state_hash().expect("the state is finite");
        if let Err(failure) = s.step() {
            assert!(!failure.component.is_empty() && !failure.message.is_empty(), "{failure:?}");
            assert_eq!(s.state_hash().ok(), Some(before), "the state before is kept: {failure}");
            return (k, Some(failure));
        }
        s.state_hash().unwrap_or_else(|e| panic!("step {k} ended well: {e}"));
    }
    (n, None)
}

/// All steps go well.
fn endures(text: &str, n: usize) -> Simulation {
    let mut s = simulate(text);
    let (_, failure) = endure(&mut s, n);
    assert!(failure.is_none(), "{}\n{text}", failure.map(|f| f.to_string()).unwrap_or_default());
    s
}
