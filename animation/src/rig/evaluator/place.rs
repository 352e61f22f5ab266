//! Which worker runs what: each task where it is done first, given what came before.

use engine::data::ObjectId;
use engine::graph::Assignment;

use super::frames::InFlight;
use super::run::TaskWork;
use crate::rig::structure::Structure;

/// What it takes until a worker knows what another one has done [ns].
const PASS_ON_NS: f64 = 500.0;

/// Places the tasks of a plan on workers, level by level, the longest first: each where it would be done first, at equal times where
/// its values come from.
///
/// With several frames for throughput, each has workers of its own.
///
/// **Source:** Topcuoglu, Hariri, Wu, *Performance-effective and low-complexity task scheduling for heterogeneous computing*, IEEE TPDS
/// 13(3), 2002 (earliest finish time), in the order of levels, which is that of replay.
pub(super) fn place(
    s: &Structure,
    tasks: &[(TaskWork, u32)],
    task_ns: &[f64],
    workers: u32,
    (frames, in_flight): (usize, InFlight),
) -> Assignment {
    let (workers, n) = (workers.max(1), s.blocks.len());
    let mut assignment = Assignment::new(workers);
    if workers == 1 {
        return assignment;
    }
    // By object: when it is done and where; nothing that is not in the plan is waited for.
    let mut done: Vec<Option<(f64, u32)>> = vec![None; n * frames];
    let mut free = vec![0.0_f64; workers as usize];
    let mut order: Vec<u32> = (0..tasks.len() as u32).collect();
    order.sort_by(|a, b| {
        let key = |k: u32| {
            let (task, block) = tasks[k as usize];
            (if in_flight == InFlight::Latency { task.frame } else { 0 }, s.blocks[block as usize].level)
        };
        let longer = task_ns[*b as usize].total_cmp(&task_ns[*a as usize]);
        key(*a).cmp(&key(*b)).then(longer).then(a.cmp(b))
    });
    let own = frames.min(workers as usize) as u32;
    for k in order {
        let (task, block) = tasks[k as usize];
        let of_frame = task.frame as usize * n;
        let mut best: Option<(f64, u32)> = None;
        let is_apart = frames > 1 && in_flight == InFlight::Throughput;
        let allowed = |w: &u32| !is_apart || w % own == task.frame % own;
        for worker in (0..workers).filter(allowed) {
            let mut begin = free[worker as usize];
            let mut is_near = false;
            for before in &s.blocks[block as usize].before {
                if let Some((at, by)) = done[of_frame + *before as usize] {
                    begin = begin.max(if by == worker { at } else { at + PASS_ON_NS });
                    is_near |= by == worker;
                }
            }
            // A worker that has the values is worth a little.
            let end = begin + task_ns[k as usize] - if is_near { 1.0 } else { 0.0 };
            if best.is_none_or(|(least, _)| end < least) {
                best = Some((end, worker));
            }
        }
        if let Some((end, worker)) = best {
            free[worker as usize] = end;
            done[of_frame + block as usize] = Some((end, worker));
            assignment.set(ObjectId((of_frame + block as usize) as u32), worker);
        }
    }
    assignment
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::generate::cases::Claws;
    use crate::rig::structure::Fusion;

    #[test]
    fn workers_get_about_the_same_and_a_chain_stays_where_it_is() {
        let rig = Claws::AFTER.rig().unwrap();
        let s = Structure::new(&rig, Some(Fusion::Off), 2).unwrap();
        let of = |block: u32| TaskWork { begin: block, end: block + 1, frame: 0, first_step: block };
        let tasks: Vec<_> = (0..s.blocks.len() as u32).map(|b| (of(b), b)).collect();
        let task_ns: Vec<f64> = s.blocks.iter().map(|b| b.cost_ns).collect();
        let placed = place(&s, &tasks, &task_ns, 2, (1, InFlight::Latency));
        let mut loads = [0.0; 2];
        for (b, ns) in (0..).zip(&task_ns) {
            loads[placed.worker(ObjectId(b)) as usize] += ns;
        }
        assert!((loads[0] - loads[1]).abs() < 0.25 * (loads[0] + loads[1]), "{loads:?}");
        let all = place(&s, &tasks, &task_ns, 2, (2, InFlight::Throughput));
        assert!((0..s.blocks.len() as u32).all(|b| all.worker(ObjectId(b)) == 0));
    }
}
