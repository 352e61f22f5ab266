//! What a task may declare.

use super::schedule::MAX_ADDING;
use super::task::Place;
use crate::data::{AccessDecl, AccessKind, Meaning};

/// Refuses declarations that no order of tasks could make safe.
pub(super) fn check(name: &str, place: Place, accesses: &[AccessDecl]) {
    let is_data_read = |a: &AccessDecl| matches!(a.kind, AccessKind::Read);
    let n_listed = accesses.iter().filter(|a| a.meaning == Meaning::Listed).count();
    let last = &accesses[accesses.len() - n_listed..];
    assert!(
        last.iter().all(|a| a.meaning == Meaning::Listed),
        "task {name}: a list is the last of its accesses"
    );
    let adds = |a: &AccessDecl| a.kind == AccessKind::Accumulate;
    let n_first = accesses.len().min(MAX_ADDING);
    assert!(!accesses[n_first..].iter().any(adds), "task {name}: additions stand first among its accesses");
    let n_locks = accesses.iter().filter(|a| a.kind == AccessKind::Lock).count();
    assert!(n_locks < 2, "task {name}: two locks, which others may hold in the other order");
    assert!(n_locks == 0 || place != Place::Replicated, "task {name}: every worker would wait for its lock");
    for (i, a) in accesses.iter().enumerate() {
        if place == Place::Replicated {
            assert!(
                !a.kind.is_data() || is_data_read(a),
                "task {name}: a replicated task writes scalars only, and declares {} of buffer {}",
                a.kind,
                a.id
            );
        } else {
            assert!(a.kind != AccessKind::ScalarWrite, "task {name}: only replicated tasks set scalars");
            // No dependence keeps the parts of other workers before it.
            assert!(a.kind != AccessKind::Gather, "task {name}: only replicated tasks sum dot products");
        }
        for b in &accesses[..i] {
            let same_buffer = a.kind.is_data() && b.kind.is_data() && a.id == b.id;
            let is_scalar = |k| matches!(k, AccessKind::ScalarRead | AccessKind::ScalarWrite);
            let same_scalar = is_scalar(a.kind) && is_scalar(b.kind) && a.id == b.id;
            let conflict = (same_buffer && !(is_data_read(a) && is_data_read(b)))
                || (same_scalar && (a.kind == AccessKind::ScalarWrite || b.kind == AccessKind::ScalarWrite));
            assert!(!conflict, "task {name}: {} and {} of the same handle (number {})", b.kind, a.kind, a.id);
        }
    }
}
