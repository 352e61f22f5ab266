//! Workers stay on cores of their own if they are told to.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::time::Duration;

use weft_game::{CycleScheduler, Options};

/// The threads of schedulers in this process: name, and cores that the system lets them use.
///
/// **Source:** Linux, proc(5): `status`.
fn threads() -> Vec<(String, String)> {
    let field = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_default().trim().to_owned()
    };
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    // A thread may end while it is looked at.
    let all = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("status")).ok());
    let named = all.map(|text| (field(&text, "Name:"), field(&text, "Cpus_allowed_list:")));
    named.filter(|(name, _)| name.starts_with("weft game")).collect()
}

/// Those of a scheduler with as many workers as cores, once `are` so, or after some seconds.
fn threads_when(pin: bool, are: impl Fn(&[(String, String)]) -> bool) -> Vec<(String, String)> {
    let scheduler = CycleScheduler::new(Options { pin, ..Options::default() });
    let mut found = threads();
    // Threads pin themselves when they begin.
    for _ in 0..5000 {
        if are(&found) {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
        found = threads();
    }
    assert_eq!(found.len(), scheduler.options().workers - 1);
    found
}

fn is_one_core(list: &str) -> bool {
    list.parse::<usize>().is_ok()
}

#[test]
fn each_worker_but_the_main_one_has_a_core_of_its_own() {
    let workers = Options::default().workers;
    if workers < 2 {
        eprintln!("one core: nothing to pin");
        return;
    }
    let all = |found: &[(String, String)]| found.len() == workers - 1;
    let pinned = threads_when(true, |found| all(found) && found.iter().all(|(_, cores)| is_one_core(cores)));
    assert!(pinned.iter().all(|(_, cores)| is_one_core(cores)), "{pinned:?}");
    let cores: BTreeSet<_> = pinned.iter().map(|(_, cores)| cores).collect();
    assert_eq!(cores.len(), pinned.len(), "{pinned:?}");
    let free = threads_when(false, all);
    assert!(!free.iter().any(|(_, cores)| is_one_core(cores)), "{free:?}");
}
