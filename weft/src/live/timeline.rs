//! From an observed step to what a window shows of it.

use engine::exec::Deed;
use viewer::timeline::{Cell, Collector, Timeline};

use crate::profile::{Chain, critical_path};
use crate::record::{RunRecord, StepRecord};

const NS: f64 = 1e-9;

/// What the workers did in a step, and what its length hangs on. Of work between the graphs, which is the caller's thread's
/// and on the critical path, the row of the first worker tells.
pub(super) fn timeline(record: &StepRecord) -> Timeline {
    let mut collector = Collector::new(record.n_workers, record.wall_ns as f64 * NS);
    let (mut path_ns, mut work_ns) = (0, 0);
    for run in &record.runs {
        let chain = critical_path(run);
        path_ns += chain.length_ns;
        work_ns += chain.work_ns;
        add_run(&mut collector, run, &chain);
    }
    for section in &record.sections {
        path_ns += section.duration_ns;
        work_ns += section.duration_ns;
        collector.mark(0, section.start_ns as f64 * NS, section.duration_ns as f64 * NS);
    }
    collector.finish(record.step, path_ns as f64 * NS, work_ns as f64 * NS)
}

fn add_run(collector: &mut Collector, run: &RunRecord, chain: &Chain) {
    // Of a task that several workers ran, one is marked.
    let mut on_path: Vec<(u32, u32)> = chain.links.iter().map(|l| (l.task, l.iteration)).collect();
    on_path.sort_unstable();
    let mut is_marked = vec![false; on_path.len()];
    for a in &run.activities {
        let (start, length) = ((run.start_ns + a.start_ns) as f64 * NS, a.duration_ns as f64 * NS);
        let cell = match a.deed {
            Deed::Task { task, .. } => {
                if let Ok(k) = on_path.binary_search(&(task.0, a.iteration))
                    && !std::mem::replace(&mut is_marked[k], true)
                {
                    collector.mark(a.worker as usize, start, length);
                }
                Cell::Task
            }
            Deed::Reducer { .. } => Cell::Reduction,
            Deed::Wait(_) => Cell::Wait,
        };
        collector.add(a.worker as usize, cell, start, length);
    }
}
