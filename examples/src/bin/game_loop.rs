//! A game's loop: a tree of tasks in cycles, a task that lasts longer, a loop over many things.
//!
//! `cargo run --release --manifest-path examples/Cargo.toml --bin game_loop -- 120`
use std::sync::Mutex;
use std::time::Duration;

use weft::game::{CycleScheduler, Group, Options, Outcome, TaskInfo, tree::read_tree};

const FRAME: Duration = Duration::from_micros(16_667);

/// What runs after what. A task that lasts longer than a frame keeps the tree waiting, not the frame.
const TREE: &str = r#"{
    "roots": ["load level", "loop"],
    "nodes": [
        {"name": "load level", "kind": "task"},
        {"name": "loop", "kind": "repeat", "children": ["frame"]},
        {"name": "frame", "kind": "sequence", "children": ["input", "world", "draw"]},
        {"name": "world", "kind": "container", "tasks": ["physics"], "children": ["once a second"]},
        {"name": "once a second", "kind": "every", "seconds": 1, "children": ["score"]},
        {"name": "input", "kind": "task"}, {"name": "score", "kind": "task"}, {"name": "draw", "kind": "task"}
    ]
}"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let frames: u32 = std::env::args().nth(1).map_or(Ok(120), |n| n.parse())?;
    let balls: Vec<_> = (0..10).map(|_| Mutex::new(vec![(1.0_f64, 0.0_f64); 1000])).collect();
    let mut scheduler = CycleScheduler::new(Options::default());
    let roots = scheduler.edit(|supply| {
        let info = |name: &str, us| TaskInfo::new(name, Duration::from_micros(us));
        supply.tasks.add(info("load level", 300_000).long_term(), |_| Outcome::Success);
        // Windows belong to the main thread.
        supply.tasks.add(info("input", 10).group(Group::Main), |_| Outcome::Success);
        supply.tasks.add(info("draw", 900).group(Group::Main), |_| Outcome::Success);
        supply.tasks.add(info("physics", 500), move |context| {
            context.parallel_for(balls.len(), 1, |_, range| {
                for part in &balls[range] {
                    for (height, speed) in part.lock().unwrap_or_else(|broken| broken.into_inner()).iter_mut()
                    {
                        *speed -= 9.81 * FRAME.as_secs_f64();
                        *height = (*height + *speed * FRAME.as_secs_f64()).max(0.0);
                    }
                }
            });
            Outcome::Success
        });
        supply.tasks.add(info("score", 5), |context| {
            println!("{} s", context.cycle.time.as_secs());
            Outcome::Success
        });
        read_tree(&mut supply.tree, &supply.tasks, "game.tree", TREE)
    });
    for root in roots.map_err(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))? {
        scheduler.edit(|supply| supply.tree.submit(root, &supply.tasks))?;
    }
    (0..frames).try_for_each(|frame| scheduler.cycle(FRAME * frame).map(drop))?;
    let profile = scheduler.profile();
    let search = 100.0 * profile.share(|worker| worker.search);
    println!("{frames} cycles of {:?} on average, {search:.1} % search", profile.average_cycle());
    Ok(())
}
