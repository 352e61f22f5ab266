//! Which solvers can move together, and by which solver then.

use crate::component::solver::{LinearSolver, OdeSolver};
use crate::visitor::world::World;

/// The solver of a merged group.
pub(super) type Merged = (Box<dyn OdeSolver>, Option<Box<dyn LinearSolver>>);

/// Whether two solvers can be merged: an equivalence, since it compares schemes and not numbers.
pub(super) fn can_merge(world: &World, a: usize, b: usize) -> bool {
    // The further integrators of a node are those of its own objects.
    let integrates_again = |s: usize| {
        let mut after = world.solvers[s].after.iter().map(|(ode, _)| &world.scene.solvers.ode[*ode].node);
        after.any(|ode| !ode.follows())
    };
    a == b || !integrates_again(a) && !integrates_again(b) && merged_solvers(world, &[a, b]).is_some()
}

/// The solver of a group of several; `None` where schemes differ.
pub(super) fn merged_solvers(world: &World, solvers: &[usize]) -> Option<Merged> {
    let odes: Vec<&dyn OdeSolver> = solvers.iter().map(|s| ode(world, *s)).collect();
    let ode = odes[0].merged(&odes[1..])?;
    let linears: Vec<Option<&dyn LinearSolver>> = solvers.iter().map(|s| linear(world, *s)).collect();
    if linears.iter().all(Option::is_none) {
        return Some((ode, None));
    }
    let linears: Vec<&dyn LinearSolver> = linears.into_iter().collect::<Option<_>>()?;
    Some((ode, Some(linears[0].merged(&linears[1..])?)))
}

/// Whether all these solvers have the same numbers, so that tasks which one of them recorded do for all.
pub(super) fn are_equal(world: &World, solvers: &[usize]) -> bool {
    let (first, others) = (solvers[0], &solvers[1..]);
    others.iter().all(|&s| {
        let linears = match (linear(world, first), linear(world, s)) {
            (None, None) => true,
            (Some(a), Some(b)) => a.is_equal(b),
            _ => false,
        };
        linears && ode(world, first).is_equal(ode(world, s))
    })
}

pub(super) fn ode(world: &World, solver: usize) -> &dyn OdeSolver {
    &*world.scene.solvers.ode[world.solvers[solver].ode].node
}

pub(super) fn linear(world: &World, solver: usize) -> Option<&dyn LinearSolver> {
    world.solvers[solver].linear.map(|l| &*world.scene.solvers.linear[l].node)
}
