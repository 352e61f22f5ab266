//! The systems of a flocking game as tasks under a tree of behaviours.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use diagnostics::Diagnostic;

use super::Flock;
use crate::game::InTurn;
use crate::game::attributes::AttributeError;
use crate::game::schedule::tree::read_tree;
use crate::game::schedule::{Context, Group, Outcome, Supply, TaskId, TaskInfo};

/// The tree of a flocking game, as a file has it.
pub const TREE: &str = include_str!("flock.tree.json");

/// How values are distributed at the end of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Propagation {
    /// By one worker.
    Serial,
    /// In loops that idle workers share.
    #[default]
    Parallel,
}

/// A flocking game as tasks.
///
/// Each system of a cycle, and each batch, has a token. Who gives back the last one submits the exchange, which so runs in the same cycle,
/// when all others have ended, and deals out the tokens of the next one.
pub struct Play {
    flock: Arc<Flock>,
    propagation: Propagation,
    /// Tokens that are out.
    tokens: AtomicUsize,
    /// The tasks of batches: those of this cycle, and those that have ended.
    batches: Mutex<Vec<TaskId>>,
    exchange: Mutex<Option<TaskId>>,
    result: Mutex<Option<AttributeError>>,
}

/// Systems that have a token in every cycle: thinking, physics, input, drawing.
const SYSTEMS: usize = 4;

/// About what the systems take themselves, with a few hundred members.
const UPDATE: Duration = Duration::from_micros(10);

impl Play {
    /// Adds the tasks of a flock to what is supplied, and its tree, and lets it run. With groups, what belongs to the window's thread runs on
    /// the main worker.
    ///
    /// # Errors
    /// The tree that is built in does not fit, which would be a fault of ours.
    pub fn begin(
        flock: &Arc<Flock>,
        supply: &mut Supply,
        propagation: Propagation,
        groups: bool,
    ) -> Result<Arc<Self>, Vec<Diagnostic>> {
        Self::begin_costing(flock, supply, propagation, groups, |_| UPDATE)
    }

    /// The same, where the probable cost of each task of the tree, and of `exchange`, is said by its name. A scheduler in virtual time takes
    /// it for what the task lasts.
    ///
    /// # Errors
    /// As [`Self::begin`].
    pub fn begin_costing(
        flock: &Arc<Flock>,
        supply: &mut Supply,
        propagation: Propagation,
        groups: bool,
        cost: impl Fn(&str) -> Duration,
    ) -> Result<Arc<Self>, Vec<Diagnostic>> {
        let play = Arc::new(Self {
            flock: flock.clone(),
            propagation,
            tokens: AtomicUsize::new(SYSTEMS),
            batches: Mutex::default(),
            exchange: Mutex::default(),
            result: Mutex::default(),
        });
        let main = if groups { Group::Main } else { Group::Any };
        type System = fn(&Arc<Play>, &Context<'_>);
        let systems: [(&str, Group, System); 7] = [
            ("initialize", Group::Any, |_, _| ()),
            ("update thinking", Group::Any, |play, context| {
                let weights = play.flock.update_thinking(context.n_workers());
                play.submit(context, "think", &weights, |flock, batch| flock.think(batch));
            }),
            ("update physics", Group::Any, |play, context| {
                let weights = play.flock.update_physics(context.n_workers());
                play.submit(context, "simulate", &weights, |flock, batch| flock.simulate(batch));
            }),
            ("update input", main, |play, _| play.flock.update_input()),
            ("process input", Group::Any, |play, context| {
                play.flock.process_input();
                play.give_back(context);
            }),
            ("render frame", main, |play, context| {
                play.flock.draw();
                play.give_back(context);
            }),
            ("update statistics", Group::Any, |play, _| play.flock.update_statistics()),
        ];
        for (name, group, system) in systems {
            let own = play.clone();
            supply.tasks.add(TaskInfo::new(name, cost(name)).group(group), move |context: &Context<'_>| {
                system(&own, context);
                Outcome::Success
            });
        }
        let own = play.clone();
        let exchange =
            supply.tasks.add(TaskInfo::new("exchange", cost("exchange")), move |context: &Context<'_>| {
                own.exchange(context);
                Outcome::Success
            });
        *play.exchange.lock().unwrap_or_else(PoisonError::into_inner) = Some(exchange);
        let Supply { tree, tasks, .. } = supply;
        for root in read_tree(tree, tasks, "flock.tree.json", TREE)? {
            tree.submit(root, tasks).map_err(|wrong| {
                let location = diagnostics::Location { file: "flock.tree.json".into(), line: 1, column: 1 };
                vec![Diagnostic::new(diagnostics::Severity::Error, &location, wrong.to_string())]
            })?;
        }
        Ok(play)
    }

    /// The flock.
    pub fn flock(&self) -> &Arc<Flock> {
        &self.flock
    }

    /// What went wrong in the cycles since it was asked last.
    ///
    /// # Errors
    /// That.
    pub fn result(&self) -> Result<(), AttributeError> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    /// Submits batches of a system, whose estimated weights are their costs, and gives back the token of the system.
    fn submit(
        self: &Arc<Self>,
        context: &Context<'_>,
        name: &'static str,
        weights: &[f64],
        work: fn(&Flock, usize) -> bool,
    ) {
        // Relaxed: who gives back a token that was dealt out here gets its task from the supply, which orders both.
        self.tokens.fetch_add(weights.len(), Ordering::Relaxed);
        let costs: Vec<Duration> = weights.iter().map(|ns| Duration::from_nanos(*ns as u64)).collect();
        let play = self.clone();
        context.submit(move |supply| {
            for (batch, cost) in costs.into_iter().enumerate() {
                let own = play.clone();
                let task = supply.tasks.add(TaskInfo::new(name, cost), move |context: &Context<'_>| {
                    work(&own.flock, batch);
                    own.give_back(context);
                    Outcome::Success
                });
                supply.queue.submit(task);
                play.batches.lock().unwrap_or_else(PoisonError::into_inner).push(task);
            }
        });
        self.give_back(context);
    }

    /// Gives back a token; the last one submits the exchange.
    fn give_back(self: &Arc<Self>, context: &Context<'_>) {
        // What was posted before a token was given back is seen by the exchange.
        if self.tokens.fetch_sub(1, Ordering::AcqRel) == 1 {
            let exchange = *self.exchange.lock().unwrap_or_else(PoisonError::into_inner);
            context.submit(move |supply| {
                if let Some(exchange) = exchange {
                    supply.queue.submit(exchange);
                }
            });
        }
    }

    fn exchange(self: &Arc<Self>, context: &Context<'_>) {
        let result = match self.propagation {
            Propagation::Serial => self.flock.exchange(&InTurn),
            Propagation::Parallel => self.flock.exchange(context),
        };
        if let Err(wrong) = result {
            self.result.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(wrong);
        }
        self.tokens.store(SYSTEMS, Ordering::Release);
        let ended = std::mem::take(&mut *self.batches.lock().unwrap_or_else(PoisonError::into_inner));
        context.submit(move |supply| {
            for task in ended {
                supply.tasks.remove(task);
            }
        });
    }
}
