//! Table 10 on four workers in virtual time: what posting and exchanging take is measured on one thread.

use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ::game::{
    Alone, Context, Cycle, Edits, Options, Outcome as Ended, Overheads, Supply, TaskInfo, VirtualScheduler,
};

use super::super::Outcome;
use super::for_ever;
use super::shared::{Case, Shared, Way};

/// Workers of the thesis.
const WORKERS: usize = 4;

/// What a poster and an exchange take here: medians.
fn measured(case: &Case) -> Outcome<(Duration, Duration)> {
    let shared = Shared::<32>::new(case)?;
    let (cycle, edits) = (Cycle::default(), Edits::default());
    let (mut posting, mut exchange) = (Vec::new(), Vec::new());
    let mut before = (0, 0);
    for stamp in 0..20 {
        for task in 0..shared.logs.len() {
            shared.post(task, case.posters, case.way, stamp);
            let now = shared.posting.load(Ordering::Relaxed);
            posting.push(now - before.0);
            before.0 = now;
        }
        let began = std::time::Instant::now();
        shared.propagate(case.way, &Context::new(&cycle, 0, &edits, &Alone));
        exchange.push(began.elapsed().as_nanos() as u64);
    }
    let median = |all: &mut Vec<u64>| {
        all.sort_unstable();
        Duration::from_nanos(all[all.len() / 2])
    };
    Ok((median(&mut posting), median(&mut exchange)))
}

/// Rows of cases without conflicts, whose posters do not wait for each other.
///
/// # Errors
/// If a cycle fails.
pub fn in_virtual_time(cases: &[Case], cycles: u64, page: &mut String) -> Outcome<()> {
    writeln!(
        page,
        "On {WORKERS} workers in virtual time, tasks as long as measured here on one thread, where nobody waits for a line that another core \
         has written; a parallel propagation is divided evenly:\n\n| run | a poster [us] | an exchange [us] | all [s] | |\n|---|---|---|---|---|"
    )?;
    let mut first = None;
    for case in cases {
        let (posting, exchange) = measured(case)?;
        let parts = if case.way == Way::Parallel { WORKERS } else { 1 };
        let supply = |supply: &mut Supply| {
            let Supply { tasks, tree, .. } = supply;
            let mut add = |n: usize, cost: Duration| -> Vec<_> {
                (0..n).map(|_| tasks.add(TaskInfo::new("task", cost), |_| Ended::Success)).collect()
            };
            let (posters, exchanges) =
                (add(case.attributes * case.posters, posting), add(parts, exchange / parts as u32));
            for_ever(tree, tasks, &posters, &exchanges)
        };
        let options = Options::new(WORKERS);
        let overheads = Overheads::measure(options, 4, |all| drop(supply(all)));
        let mut scheduler = VirtualScheduler::new(options, overheads);
        scheduler.edit(supply)?;
        for number in 0..cycles {
            scheduler.cycle(Duration::from_millis(16) * number as u32)?;
        }
        let all = scheduler.now().as_secs_f64();
        writeln!(
            page,
            "| {} | {:.1} | {:.1} | {all:.4} | {:.2} times the first |",
            case.name,
            1e6 * posting.as_secs_f64(),
            1e6 * exchange.as_secs_f64(),
            all / *first.get_or_insert(all)
        )?;
    }
    *page += "\n";
    Ok(())
}
