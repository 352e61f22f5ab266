//! Tables 8 to 11: attributes that are posted at once or deferred.

mod costs;
mod shared;

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use ::game::attributes::{Caching, Counts};
use ::game::tree::{BehaviourTree, Repeat, Sequence, TreeError};
use ::game::{
    Context, CycleScheduler, Options, Outcome as Ended, Supply, TaskId, TaskInfo, Tasks, WorkerProfile,
};

use super::runs::exact;
use super::{Outcome, Size};
use costs::in_virtual_time;
use shared::{Case, ENTITIES, Shared, Way};

/// Each cycle all of the first tasks, and then all of the others.
fn for_ever(
    tree: &mut BehaviourTree,
    tasks: &Tasks,
    first: &[TaskId],
    then: &[TaskId],
) -> Result<(), TreeError> {
    let stages = [tree.container(first, &[])?, tree.container(then, &[])?];
    let cycle = tree.node(Sequence, &stages)?;
    let root = tree.node(Repeat::forever(), &[cycle])?;
    tree.submit(root, tasks)
}

/// What came of a run.
struct Ran {
    all: f64,
    posting: f64,
    propagation: f64,
    search: f64,
    tasks: f64,
    loops: f64,
    counts: Counts,
}

fn run<const BYTES: usize>(case: &Case, workers: usize, cycles: u64) -> Outcome<Ran> {
    let shared = Arc::new(Shared::<BYTES>::new(case)?);
    let mut scheduler = CycleScheduler::new(Options::new(workers));
    let Case { way, posters, .. } = *case;
    scheduler.edit(|supply| -> Outcome<()> {
        let Supply { tasks, tree, .. } = supply;
        let poster = |task: usize| {
            let shared = shared.clone();
            let info = TaskInfo::new("post", Duration::from_micros(50));
            (info, move |context: &Context<'_>| {
                shared.post(task, posters, way, context.cycle.number);
                Ended::Success
            })
        };
        let all: Vec<TaskId> = (0..shared.logs.len())
            .map(|task| {
                let (info, run) = poster(task);
                tasks.add(info, run)
            })
            .collect();
        let own = shared.clone();
        let exchange =
            tasks.add(TaskInfo::new("propagate", Duration::from_millis(1)), move |context: &Context<'_>| {
                own.propagate(way, context);
                Ended::Success
            });
        for_ever(tree, tasks, &all, &[exchange])?;
        Ok(())
    })?;
    scheduler.reset_profile();
    let began = Instant::now();
    for number in 0..cycles {
        scheduler.cycle(Duration::from_millis(16) * number as u32)?;
    }
    let all = began.elapsed().as_secs_f64();
    let profile = scheduler.profile();
    let share = |part: fn(&WorkerProfile) -> Duration| 100.0 * profile.share(part);
    let counts = shared.state.read().unwrap_or_else(PoisonError::into_inner).0.counts();
    let seconds = |ns: &AtomicU64| ns.load(Ordering::Relaxed) as f64 * 1e-9;
    Ok(Ran {
        all,
        posting: seconds(&shared.posting),
        propagation: seconds(&shared.propagation),
        search: share(|w| w.search),
        tasks: share(|w| w.cycle_tasks),
        loops: share(|w| w.parallel_for),
        counts,
    })
}

fn cases() -> [(&'static str, Vec<Case>); 4] {
    let case = |name, way, (attributes, listeners, posters), bytes, thesis| Case {
        name,
        way,
        attributes,
        listeners,
        posters,
        caching: Caching::Off,
        thesis,
        bytes,
    };
    let (immediate, merged) = (409_600_000, 102_400_000);
    use Way::{Immediate, Parallel, Serial};
    let cached = |case| Case { caching: Caching::On, ..case };
    let eleven = case("#8, #9", Immediate, (32, 1, 1), merged, "1.4063 | 3.8034 | -");
    [
        (
            "Table 8: 8 attributes of 128 bytes, 4 listeners, 4 posters",
            vec![
                case("#1 immediate", Immediate, (8, 4, 4), immediate, "2.1571 | 6.3666 | -"),
                case("#2 deferred, serial", Serial, (8, 4, 4), merged, "2.3915 | 4.0214 | 1.3358"),
                case("#3 deferred, parallel", Parallel, (8, 4, 4), merged, "1.9280 | 4.0436 | 0.6374"),
            ],
        ),
        (
            "Table 9: 32 attributes of 32 bytes, 4 listeners, 4 posters",
            vec![
                case("#4 immediate", Immediate, (32, 4, 4), immediate, "8.1500 | 25.4287 | -"),
                case("#5 deferred, parallel", Parallel, (32, 4, 4), merged, "7.3747 | 15.7889 | 2.5395"),
            ],
        ),
        (
            "Table 10: 32 attributes of 32 bytes, 32 listeners, 1 poster: no conflicts",
            vec![
                case("#6 immediate", Immediate, (32, 32, 1), merged, "9.4522 | 34.5905 | -"),
                case("#7 deferred, parallel", Parallel, (32, 32, 1), merged, "12.1176 | 4.3734 | 10.7942"),
            ],
        ),
        (
            "Table 11: 32 attributes of 32 bytes, 1 listener, 1 poster, immediate",
            vec![
                Case { name: "#8 not cached", ..eleven },
                Case { name: "#9 cached", thesis: "1.6062 | (copied from #7) | -", ..cached(eleven) },
            ],
        ),
    ]
}

/// Tables 8 to 11.
///
/// # Errors
/// If posts or bytes are other than in the thesis.
pub fn part(size: Size) -> Outcome<String> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(4);
    let cycles = 100 / size.shorter;
    let rounds = if size.shorter > 1 { 1 } else { 5 };
    let mut page = "## Tables 8 to 11: the attribute state manager\n\n".to_owned();
    writeln!(
        page,
        "{ENTITIES} entities, {cycles} cycles. The thesis has 4 workers on 4 cores, here it is {workers} on this machine; variants of a table \
         alternate in {rounds} rounds, and times are medians. Posts and bytes are exact, or the study fails. Posting is summed over workers.\n"
    )?;
    for (title, cases) in cases() {
        writeln!(page, "### {title}\n")?;
        page += "| run | | posts | bytes | all [s] | posting [s] | propagation [s] | search | tasks | loops |\n\
                 |---|---|---|---|---|---|---|---|---|---|\n";
        let mut ran: Vec<Vec<Ran>> = cases.iter().map(|_| Vec::new()).collect();
        for round in 0..rounds {
            for k in 0..cases.len() {
                let k = if round % 2 == 0 { k } else { cases.len() - 1 - k };
                let case = &cases[k];
                ran[k].push(match case.attributes {
                    8 => run::<128>(case, workers, cycles)?,
                    _ => run::<32>(case, workers, cycles)?,
                });
            }
        }
        let mut first = None;
        for (case, ran) in cases.iter().zip(&mut ran) {
            let posts = (case.attributes * case.posters * ENTITIES) as u64;
            for one in ran.iter() {
                exact("posts", one.counts.posts, posts * cycles)?;
                exact("bytes", one.counts.bytes, case.bytes / 100 * cycles)?;
                exact("notices", one.counts.notices, one.counts.distributed * case.listeners as u64)?;
            }
            ran.sort_by(|a, b| a.all.total_cmp(&b.all));
            let one = &ran[ran.len() / 2];
            writeln!(
                page,
                "| {} | thesis | {} | {} | {} | | | |",
                case.name,
                posts * 100,
                case.bytes,
                case.thesis
            )?;
            let first = first.get_or_insert(one.all);
            writeln!(
                page,
                "| | here, {:.2} times the first | {} | {} | {:.4} | {:.4} | {:.4} | {:.2} % | {:.2} % | {:.2} % |",
                one.all / *first,
                one.counts.posts,
                one.counts.bytes,
                one.all,
                one.posting,
                one.propagation,
                one.search,
                one.tasks,
                one.loops,
            )?;
        }
        page += "\n";
        if title.starts_with("Table 10") {
            in_virtual_time(&cases, cycles, &mut page)?;
        }
    }
    Ok(page)
}
