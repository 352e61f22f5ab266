//! Factors that are found beside the steps, while older ones serve.

use engine::data::{Due, LongWork, ObjectId, Start, StepParameter, Store};

use super::factorization::{Factorization, Method};
use super::taken_matrix::TakenMatrix;

/// The work of finding factors beside the steps.
pub type FactorsAhead = LongWork<TakenMatrix, NextFactors>;

/// Where that is begun.
pub type StartAhead<'a> = Start<'a, TakenMatrix, NextFactors>;

/// The factors that will serve.
pub struct NextFactors(pub Factorization);

impl Clone for NextFactors {
    /// Memory for factors, without any: they are found again from what they were found from.
    fn clone(&self) -> Self {
        Self(Factorization::new(self.0.method()))
    }
}

/// The work that belongs to an object. Tasks count by themselves when its result is due.
pub fn factors_ahead(
    store: &mut Store,
    object: ObjectId,
    clock: StepParameter<u64>,
    method: Method,
) -> FactorsAhead {
    let due = Due { clock, after: Due::BY_TASKS };
    let memory = (TakenMatrix::default(), NextFactors(Factorization::new(method)));
    store.long_work("factorization beside the steps", object, due, memory, |taken, next, _| {
        // Factors that there are not are missed when they are to serve, if they ever are.
        let _ = next.0.factorize_taken(taken);
    })
}
