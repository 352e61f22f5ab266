//! The manual's examples are those of the crate's page, which are compiled and run.

use std::path::Path;

/// The blocks of Rust of a page without the lines that rustdoc hides.
fn blocks(text: &str) -> Vec<String> {
    let of = |block: &str| {
        let code = block.split("```").next().unwrap_or_default();
        let shown = code.lines().filter(|line| !line.starts_with("# "));
        shown.fold(String::new(), |all, line| all + line + "\n")
    };
    text.split("```rust\n").skip(1).map(of).collect()
}

#[test]
fn the_manual_shows_what_is_compiled() {
    let manual =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/games.md")).unwrap();
    // Users have the crate `weft`, which re-exports this one.
    let compiled = include_str!("../src/examples.md").replace("weft_game", "weft::game");
    let (shown, compiled) = (blocks(&manual), blocks(&compiled));
    assert_eq!(shown.len(), 6);
    for (one, other) in shown.iter().zip(&compiled) {
        assert_eq!(one, other);
    }
    assert_eq!(shown.len(), compiled.len());
}

/// What the manual names, from this crate alone.
#[test]
fn all_that_the_manual_names_is_here() {
    use weft_game::attributes::{
        Attribute, AttributeError, AttributeStateManager, Caching, Counts, EntityFactory, Initial, Life,
        ListenerId, Mailbox, Notice, Post, PostLog,
    };
    use weft_game::events::{EventError, EventKind, EventLog, EventManager};
    use weft_game::flock::{Contact, Flock, FlockOptions, Grid, contacts, moved, steering};
    use weft_game::tree::{
        Behaviour, BehaviourTree, Decision, Diagnostic, Ended, Every, Heard, If, Invert, NodeId, Order,
        Parallel, Random, Repeat, Selector, Sequence, TreeError, Wait, read_tree,
    };
    use weft_game::{
        Context, Cycle, CycleFailure, CycleReport, CycleScheduler, Entities, EntityId, FixedStep, Given,
        Group, InTurn, LockError, Monitor, NotTaken, OnFailure, Options, Outcome, Overheads, Panicked,
        ParallelFor, Parsing, Profile, Query, Released, Submitter, Supply, Taken, Task, TaskFailure, TaskId,
        TaskInfo, TaskSupplier, Tasks, UnorderedQueue, VirtualScheduler, WhenAlone, WorkerKind,
    };
    fn is<T: ?Sized>() -> &'static str {
        std::any::type_name::<T>()
    }
    let types = [
        is::<(
            Attribute<u8>,
            AttributeError,
            AttributeStateManager,
            Caching,
            Counts,
            EntityFactory,
            Initial,
            Life,
        )>(),
        is::<(ListenerId<u8>, Mailbox, Notice<'_, u8>, Post<u8>, PostLog)>(),
        is::<(EventError, EventKind<u8>, EventLog, EventManager)>(),
        is::<(Contact, Flock, FlockOptions, Grid)>(),
        is::<(BehaviourTree, Decision, Diagnostic, Ended, Every, Heard, If, Invert, NodeId, Order, Parallel)>(
        ),
        is::<(Random, Repeat, Selector, Sequence, TreeError, Wait)>(),
        is::<(Context<'_>, Cycle, CycleFailure, CycleReport, CycleScheduler, Entities, EntityId, FixedStep)>(
        ),
        is::<(Given, Group, InTurn, LockError, Monitor, NotTaken, OnFailure, Options, Outcome, Overheads)>(),
        is::<(Panicked, Parsing, Profile, Query, Released, Submitter, Supply, Taken, TaskFailure, TaskId)>(),
        is::<(TaskInfo, Tasks, UnorderedQueue, VirtualScheduler, WhenAlone, WorkerKind)>(),
        is::<(Box<dyn Behaviour>, Box<dyn Task>, Box<dyn TaskSupplier>, &dyn ParallelFor)>(),
    ];
    assert!(types.iter().all(|names| !names.is_empty()));
    let _ = (read_tree, contacts, moved, steering);
}
