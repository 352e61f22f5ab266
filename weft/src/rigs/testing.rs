//! A check of kinds of nodes, for their authors.

use animation::rig::Backend;
use animation::rig::format::{Catalogue, NodeDescription};
use animation::rig::testing::check_kind;
use partition::Accumulation;
use partition::control::lower;

use crate::execution::team::{executor, team};
use crate::execution::{ExecutorKind, SimulationOptions};

/// Workers of each executor.
const WORKERS: usize = 2;

/// Runs many nodes of a kind, as its sample says, side by side on every executor with two workers, with random values of their inputs. Checked
/// are: outputs are finite, the same bits for all executors and fusions, and depend on the inputs alone; its dirty rules tell the truth; it
/// uses no port that it has not declared.
///
/// # Errors
/// What is wrong, in a line.
pub fn node(description: NodeDescription) -> Result<(), String> {
    let mut catalogue = Catalogue::new();
    catalogue.add(description);
    let backend = |kind: ExecutorKind| {
        let team =
            team(&SimulationOptions { threads: WORKERS, executor: kind, ..SimulationOptions::default() });
        let lower = Box::new(|program: &_, placed: &_| lower(program, placed, Accumulation::Auto));
        Backend { executor: executor(kind, &team), lower, workers: team.workers }
    };
    check_kind(&catalogue, description.kind, &mut || ExecutorKind::ALL.map(backend).into())
}
