//! Signals and waits: the dependences of a ledger, written into the stages of a schedule.

use super::ledger::Ledger;
use engine::graph::Schedule;
use engine::graph::dependence::{Edge, Spot};
use engine::graph::schedule::{Wait, WorkerStage, region_of};

/// Brings waits and publications up to date for dependences whose number may have changed; tells which stages of workers
/// changed.
pub(super) fn wire(
    schedule: &mut Schedule,
    ledger: &Ledger,
    changed: &mut Vec<Edge>,
    mut touched: impl FnMut(Spot),
) {
    changed.sort_unstable();
    changed.dedup();
    for edge in &*changed {
        let wanted = ledger.count(edge);
        let wait = Wait {
            group: edge.from.group,
            position: edge.from.position,
            worker: edge.from.worker,
            region: region_of(edge.in_loop),
            carried: edge.carried,
            count: wanted,
        };
        let Some(had) = set_wait(schedule, edge.to, wait).filter(|had| *had != wanted) else { continue };
        // How many dependences ask for the same wait is nothing to an executor.
        if (had == 0) != (wanted == 0) {
            touched(edge.to);
        }
        if let Some(from) = find(schedule, edge.from) {
            let before = from.publishes;
            from.publishes = before + wanted - had;
            if (before == 0) != (from.publishes == 0) {
                touched(edge.from);
            }
        }
    }
}

/// So many dependences less ask for a stage to be published.
pub(super) fn unpublish(schedule: &mut Schedule, spot: Spot, count: u32) {
    if let Some(stage) = find(schedule, spot) {
        stage.publishes -= count;
    }
}

/// What a worker does in a stage, if it and its group are there.
fn find(schedule: &mut Schedule, spot: Spot) -> Option<&mut WorkerStage> {
    let plan = schedule.groups.get_mut(spot.group.0 as usize)?.as_mut()?;
    let at = plan.find(spot.position).ok()?;
    let workers = &mut plan.stages[at].workers;
    let at = workers.binary_search_by_key(&spot.worker, |w| w.worker).ok()?;
    Some(&mut workers[at])
}

/// Sets how many dependences ask for a wait; gives back how many did, or nothing if the stage went.
fn set_wait(schedule: &mut Schedule, to: Spot, wait: Wait) -> Option<u32> {
    let waits = &mut find(schedule, to)?.waits;
    let key = |w: &Wait| (w.group, w.position, w.worker, w.region, w.carried);
    match waits.binary_search_by_key(&key(&wait), key) {
        Ok(at) if wait.count == 0 => Some(waits.remove(at).count),
        Ok(at) => Some(std::mem::replace(&mut waits[at].count, wait.count)),
        Err(_) if wait.count == 0 => Some(0),
        Err(at) => {
            waits.insert(at, wait);
            Some(0)
        }
    }
}
