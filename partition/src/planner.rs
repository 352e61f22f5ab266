//! The planner: keeps an assignment of objects to workers, and makes schedules for it.

use engine::data::{ObjectId, Store};
use engine::exec::Costs;
use engine::graph::{Assignment, Place, Program, Schedule};

use crate::control::{Accumulation, Ledger, lower_with_ledger};
use crate::quality::Quality;
use crate::weights::ObjectGraph;
use crate::{metis, one_move, owner_compute, two_level};

/// How objects are placed on workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Partitioner {
    /// Owner computes, balanced by cost.
    Owner,
    /// METIS on the graph of objects.
    #[default]
    Metis,
}

/// Options of a planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannerOptions {
    /// Number of workers.
    pub workers: u32,
    /// How objects are placed.
    pub partitioner: Partitioner,
    /// What becomes of joint tasks whose objects are on several workers.
    pub accumulation: Accumulation,
}

/// Runs over which a move must have paid for itself.
const HORIZON: f64 = 200.0;
/// Gains below this share of a run are not worth a move.
const DEAD_BAND: f64 = 0.03;
/// Cost of moving an object, beside that of its bytes [ns].
const PER_MOVE: f64 = 20_000.0;
/// Rebalancings that an object rests after a move.
const REST: u32 = 2;

/// Where the objects of a phase are.
struct Placed {
    present: Vec<Option<u32>>,
    parts: Vec<u32>,
    /// Predicted time of the phase in a run [ns].
    time: f64,
}

/// Makes schedules; what is placed stays where it is from plan to plan.
#[derive(Debug)]
pub struct Planner {
    options: PlannerOptions,
    assignment: Assignment,
    placed: Vec<bool>,
    /// What each object costs, as far as it is known: its own tasks per run [ns].
    weights: Vec<f64>,
    /// Rebalancings for which an object still rests.
    rest: Vec<u32>,
    /// Whether objects were placed by measured costs.
    measured: bool,
    /// The node of each worker; empty where they share one.
    nodes: Vec<u32>,
}

impl Planner {
    /// A planner without objects.
    pub fn new(options: PlannerOptions) -> Self {
        Self {
            options: PlannerOptions { workers: options.workers.max(1), ..options },
            assignment: Assignment::new(options.workers),
            placed: Vec::new(),
            weights: Vec::new(),
            rest: Vec::new(),
            measured: false,
            nodes: Vec::new(),
        }
    }

    /// The same for workers on several nodes of memory, the node of each worker given: groups of objects are placed on
    /// nodes first, then on the workers there.
    ///
    /// # Panics
    /// If there is not one node per worker.
    pub fn on_nodes(mut self, nodes: Vec<u32>) -> Self {
        assert_eq!(nodes.len(), self.options.workers as usize, "one node per worker");
        let is_one = nodes.iter().all(|&n| n == nodes[0]);
        self.nodes = if is_one { Vec::new() } else { nodes };
        self
    }

    /// Where the objects are.
    pub fn assignment(&self) -> &Assignment {
        &self.assignment
    }

    /// What becomes of joint tasks whose objects are on several workers.
    pub fn accumulation(&self) -> Accumulation {
        self.options.accumulation
    }

    /// A schedule for a program, and the ledger to update it by; objects that it brings along for the first time are placed.
    pub fn plan(&mut self, program: &Program, store: &Store) -> (Schedule, Option<Ledger>) {
        if self.options.workers > 1 {
            self.place_new(program, store);
        }
        let (schedule, ledger) = lower_with_ledger(program, &self.assignment, self.options.accumulation);
        if cfg!(feature = "validate")
            && let Err(race) = engine::graph::validate::validate(program, &schedule)
        {
            panic!("a schedule with a race: {race}");
        }
        (schedule, ledger)
    }

    /// Puts the objects that parts of a program bring along for the first time on the least loaded workers; gives back the
    /// workers of all objects of the parts, since they may be new to the one plan that the parts are for.
    pub fn place(&mut self, parts: &Program, store: &Store) -> Vec<(ObjectId, u32)> {
        if self.options.workers == 1 {
            return Vec::new();
        }
        self.place_on_least_loaded(parts, store);
        let mut objects = Vec::new();
        for (_, task) in parts.tasks() {
            match task.place {
                Place::Own(a) => objects.push(a),
                Place::Joint(a, b) => objects.extend([a, b]),
                Place::Replicated => {}
            }
        }
        objects.sort_unstable();
        objects.dedup();
        objects.into_iter().map(|object| (object, self.assignment.worker(object))).collect()
    }

    fn place_on_least_loaded(&mut self, parts: &Program, store: &Store) {
        if self.knows_all(parts) {
            return;
        }
        for graph in ObjectGraph::new(parts, &Costs::default(), store).phases(store) {
            let phase = graph.objects.first().map(|object| store.phase_of(*object));
            let mut loads = vec![0.0; self.options.workers as usize];
            for (k, weight) in self.weights.iter().enumerate() {
                let object = ObjectId(k as u32);
                if Some(store.phase_of(object)) == phase {
                    loads[self.assignment.worker(object) as usize] += weight;
                }
            }
            for (&object, &weight) in graph.objects.iter().zip(&graph.weights) {
                if self.is_placed(object) {
                    continue;
                }
                let order = |a: &usize, b: &usize| loads[*a].total_cmp(&loads[*b]).then(a.cmp(b));
                let worker = (0..loads.len()).min_by(order).unwrap_or(0);
                let worker = store.bound_worker(object, self.options.workers).map_or(worker, |w| w as usize);
                loads[worker] += weight;
                self.put(object, worker as u32, weight);
            }
        }
    }

    /// An object has left.
    pub fn forget(&mut self, object: ObjectId) {
        if let Some(placed) = self.placed.get_mut(object.0 as usize) {
            *placed = false;
            self.weights[object.0 as usize] = 0.0;
        }
    }

    /// Improves the assignment for a program by measured costs, where that pays; gives back which objects move where.
    /// Schedules made before are out of date then (they stay correct).
    ///
    /// The first time all objects may move; afterwards one object at a time does, from the most to the least
    /// loaded worker, unless a new partition pays for all its moves.
    pub fn rebalance(&mut self, program: &Program, costs: &Costs, store: &Store) -> Vec<(ObjectId, u32)> {
        let is_measured = costs.objects.iter().any(|&ns| ns > 0.0);
        if self.options.workers == 1 || !is_measured {
            return Vec::new();
        }
        self.rest.iter_mut().for_each(|r| *r = r.saturating_sub(1));
        let graph = ObjectGraph::new(program, costs, store);
        for (object, weight) in graph.objects.iter().zip(&graph.weights) {
            if let Some(known) = self.weights.get_mut(object.0 as usize) {
                *known = *weight;
            }
        }
        let horizon = if self.measured { HORIZON } else { 10.0 * HORIZON };
        self.measured = true;
        let phases = graph.phases(store);
        let placed: Vec<Placed> = phases.iter().map(|graph| self.placed(graph)).collect();
        let least_gain = DEAD_BAND * placed.iter().map(|placed| placed.time).sum::<f64>();
        let pairs = phases.iter().zip(&placed);
        pairs.flat_map(|(graph, placed)| self.improve(graph, placed, store, [least_gain, horizon])).collect()
    }

    /// Where a phase's objects are.
    fn placed(&self, graph: &ObjectGraph) -> Placed {
        let present = self.present(graph);
        let parts: Vec<u32> = present.iter().map(|p| p.unwrap_or(0)).collect();
        let time = Quality::of(graph, &parts, self.options.workers).time();
        Placed { present, parts, time }
    }

    /// Improves the placement of one phase, where that makes runs shorter by a least gain, and pays over so many runs.
    fn improve(
        &mut self,
        graph: &ObjectGraph,
        placed: &Placed,
        store: &Store,
        [least_gain, horizon]: [f64; 2],
    ) -> Vec<(ObjectId, u32)> {
        let bound = self.bound(graph, store);
        let anew = self.partition(graph, &placed.present, &bound);
        let gain = placed.time - Quality::of(graph, &anew, self.options.workers).time();
        let moved = (0..anew.len()).filter(|&i| anew[i] != placed.parts[i]);
        let cost: f64 = moved.map(|i| PER_MOVE + graph.bytes[i]).sum();
        if gain > least_gain && gain * horizon > cost {
            return self.adopt(graph, &placed.parts, &anew);
        }
        self.move_one(graph, &placed.parts, &bound, least_gain)
    }

    /// Moves one object from the most to the least loaded worker, if that pays: to one of the same node if it pays there.
    fn move_one(
        &mut self,
        graph: &ObjectGraph,
        parts: &[u32],
        bound: &[Option<u32>],
        least_gain: f64,
    ) -> Vec<(ObjectId, u32)> {
        let now = Quality::of(graph, parts, self.options.workers);
        for way in one_move::ways(&now, &self.nodes) {
            let pays = |&(i, gain): &(usize, f64)| {
                let rests = self.rest.get(graph.objects[i].0 as usize).is_some_and(|&r| r > 0);
                !rests
                    && bound[i].is_none()
                    && gain > least_gain
                    && gain * HORIZON > PER_MOVE + graph.bytes[i]
            };
            let gains = one_move::gains(graph, parts, &now, way).into_iter().filter(pays);
            // Of equal gains the first.
            if let Some((i, _)) = gains.reduce(|best, other| if other.1 > best.1 { other } else { best }) {
                let mut after = parts.to_vec();
                after[i] = way.1;
                return self.adopt(graph, parts, &after);
            }
        }
        Vec::new()
    }

    /// Takes an assignment over; gives back what moved.
    fn adopt(&mut self, graph: &ObjectGraph, before: &[u32], parts: &[u32]) -> Vec<(ObjectId, u32)> {
        let mut moved = Vec::new();
        for (i, &object) in graph.objects.iter().enumerate() {
            if before[i] != parts[i] {
                let index = object.0 as usize;
                if self.rest.len() <= index {
                    self.rest.resize(index + 1, 0);
                }
                self.rest[index] = REST;
                self.assignment.set(object, parts[i]);
                moved.push((object, parts[i]));
            }
        }
        moved
    }

    fn place_new(&mut self, program: &Program, store: &Store) {
        if self.knows_all(program) {
            return;
        }
        for graph in ObjectGraph::new(program, &Costs::default(), store).phases(store) {
            let present = self.present(&graph);
            let bound = self.bound(&graph, store);
            let parts = if present.iter().all(Option::is_none) {
                self.partition(&graph, &present, &bound)
            } else {
                let fixed: Vec<_> = bound.into_iter().zip(present).map(|(b, p)| b.or(p)).collect();
                owner_compute::assign(&graph, &fixed, self.options.workers)
            };
            for ((&object, &weight), part) in graph.objects.iter().zip(&graph.weights).zip(parts) {
                self.put(object, part, weight);
            }
        }
    }

    fn put(&mut self, object: ObjectId, worker: u32, weight: f64) {
        let index = object.0 as usize;
        if self.placed.len() <= index {
            self.placed.resize(index + 1, false);
            self.weights.resize(index + 1, 0.0);
        }
        (self.placed[index], self.weights[index]) = (true, weight);
        self.assignment.set(object, worker);
    }

    fn is_placed(&self, object: ObjectId) -> bool {
        self.placed.get(object.0 as usize).copied().unwrap_or(false)
    }

    /// Whether all objects of a program have their places.
    fn knows_all(&self, program: &Program) -> bool {
        program.tasks().all(|(_, task)| match task.place {
            Place::Own(a) => self.is_placed(a),
            Place::Joint(a, b) => self.is_placed(a) && self.is_placed(b),
            Place::Replicated => true,
        })
    }

    fn present(&self, graph: &ObjectGraph) -> Vec<Option<u32>> {
        graph.objects.iter().map(|a| self.is_placed(*a).then(|| self.assignment.worker(*a))).collect()
    }

    /// The workers of objects that are bound to one.
    fn bound(&self, graph: &ObjectGraph, store: &Store) -> Vec<Option<u32>> {
        graph.objects.iter().map(|&object| store.bound_worker(object, self.options.workers)).collect()
    }

    /// A partition of all objects; those that are bound are put where they must be.
    fn partition(&self, graph: &ObjectGraph, present: &[Option<u32>], bound: &[Option<u32>]) -> Vec<u32> {
        let mut parts = self.partition_freely(graph, present);
        parts.iter_mut().zip(bound).for_each(|(part, bound)| *part = bound.unwrap_or(*part));
        parts
    }

    fn partition_freely(&self, graph: &ObjectGraph, present: &[Option<u32>]) -> Vec<u32> {
        let assign = match self.options.partitioner {
            Partitioner::Owner => owner_compute::afresh,
            Partitioner::Metis => metis::assign,
        };
        if self.nodes.is_empty() {
            assign(graph, present, self.options.workers)
        } else {
            let is_metis = self.options.partitioner == Partitioner::Metis;
            two_level::assign(graph, present, &self.nodes, is_metis, assign)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::data::{Role, accumulate, update};
    use engine::graph::{ComponentTag, Recorder};

    fn chain(store: &mut Store, sizes: &[usize]) -> Program {
        let data: Vec<_> = sizes
            .iter()
            .enumerate()
            .map(|(i, &n)| store.create("x", ObjectId(i as u32), Role::Scratch, vec![0.0; n]))
            .collect();
        let mut rec = Recorder::new(store);
        rec.sweep("own");
        for (i, &x) in data.iter().enumerate() {
            rec.own("own", ComponentTag(0), ObjectId(i as u32), (update(x),), |(_,)| {});
        }
        rec.sweep("pairs");
        for i in 1..data.len() {
            let objects = (ObjectId(i as u32 - 1), ObjectId(i as u32));
            let accesses = (accumulate(data[i - 1]), accumulate(data[i]));
            rec.joint("pair", ComponentTag(0), objects, accesses, |(_, _)| {});
        }
        rec.finish().program
    }

    fn planner(partitioner: Partitioner, workers: u32) -> Planner {
        Planner::new(PlannerOptions { workers, partitioner, accumulation: Accumulation::Auto })
    }

    #[test]
    fn owner_compute_balances_and_metis_cuts_little() {
        let mut store = Store::new();
        let program = chain(&mut store, &[1000; 16]);
        for kind in [Partitioner::Owner, Partitioner::Metis] {
            let mut planner = planner(kind, 4);
            planner.plan(&program, &store);
            let graph = ObjectGraph::new(&program, &Costs::default(), &store);
            let parts: Vec<u32> = graph.objects.iter().map(|&a| planner.assignment().worker(a)).collect();
            let quality = Quality::of(&graph, &parts, 4);
            assert!(quality.imbalance() < 1.2, "{kind:?}: {quality:?}");
            if kind == Partitioner::Metis {
                assert_eq!(quality.cut, 3);
            }
        }
    }

    #[test]
    fn assignments_stick_and_new_objects_fill_the_least_loaded_worker() {
        let mut store = Store::new();
        let mut planner = planner(Partitioner::Metis, 2);
        let program = chain(&mut store, &[1000, 1000, 1000, 1000, 1000]);
        planner.plan(&program, &store);
        let before: Vec<u32> = (0..5).map(|i| planner.assignment().worker(ObjectId(i))).collect();
        let program = chain(&mut store, &[1000, 1000, 1000, 1000, 1000, 3000]);
        planner.plan(&program, &store);
        let after: Vec<u32> = (0..5).map(|i| planner.assignment().worker(ObjectId(i))).collect();
        assert_eq!(before, after);
        let light = u32::from(before.iter().filter(|&&w| w == 0).count() > 2);
        assert_eq!(planner.assignment().worker(ObjectId(5)), light);
    }

    #[test]
    fn measured_costs_move_objects_once_and_then_no_more() {
        let mut store = Store::new();
        let program = chain(&mut store, &[1000; 8]);
        let mut planner = planner(Partitioner::Metis, 2);
        planner.plan(&program, &store);
        let mut objects = vec![1e5; 8];
        objects[0] = 7e5;
        let pairs = (1..8).map(|i| ((ObjectId(i - 1), ObjectId(i)), 1e3)).collect();
        let costs = Costs { objects, pairs };
        assert!(!planner.rebalance(&program, &costs, &store).is_empty());
        let heavy = planner.assignment().worker(ObjectId(0));
        let beside = (1..8).filter(|&i| planner.assignment().worker(ObjectId(i)) == heavy).count();
        assert!(beside <= 1, "{beside} objects beside the heavy one");
        assert!(planner.rebalance(&program, &costs, &store).is_empty());
    }

    /// One object has half of all the work, and parts of it wait for it: all of these on the other worker would be balanced, and useless.
    #[test]
    fn each_phase_is_balanced_by_itself() {
        let mut store = Store::new();
        let alone = |store: &mut Store, n: u32| {
            let data: Vec<_> =
                (0..n).map(|i| store.create("x", ObjectId(i), Role::Scratch, vec![0.0; 1000])).collect();
            let mut rec = Recorder::new(store);
            rec.sweep("own");
            for (i, &x) in (0..n).zip(&data) {
                rec.own("own", ComponentTag(0), ObjectId(i), (update(x),), |(_,)| {});
            }
            rec.finish().program
        };
        let program = alone(&mut store, 9);
        (1..9).for_each(|k| store.set_phase(ObjectId(k), 1));
        let mut objects = vec![1e5; 9];
        objects[0] = 8e5;
        let costs = Costs { objects, pairs: Vec::new() };
        for kind in [Partitioner::Owner, Partitioner::Metis] {
            let mut planner = planner(kind, 2);
            planner.plan(&program, &store);
            for _ in 0..3 {
                let on_one = (1..9).filter(|&k| planner.assignment().worker(ObjectId(k)) == 0).count();
                assert_eq!(on_one, 4, "{kind:?}");
                planner.rebalance(&program, &costs, &store);
            }
            let program = alone(&mut store, 11);
            (9..11).for_each(|k| store.set_phase(ObjectId(k), 1));
            planner.place(&program, &store);
            let of_new = [9, 10].map(|k| planner.assignment().worker(ObjectId(k)));
            assert_ne!(of_new[0], of_new[1], "{kind:?}");
        }
    }

    #[test]
    fn metis_gives_the_same_partition_each_time() {
        let mut store = Store::new();
        let program = chain(&mut store, &[100; 40]);
        let assign = || {
            let mut planner = planner(Partitioner::Metis, 3);
            planner.plan(&program, &store);
            planner.assignment().clone()
        };
        assert_eq!(assign(), assign());
    }

    #[test]
    fn workers_of_one_node_are_placed_as_without_nodes() {
        let mut store = Store::new();
        let program = chain(&mut store, &[100, 900, 300, 500, 200, 800, 400, 600, 700, 100, 300]);
        for kind in [Partitioner::Owner, Partitioner::Metis] {
            let without = planner(kind, 3).plan(&program, &store).0;
            let on_one = planner(kind, 3).on_nodes(vec![4; 3]).plan(&program, &store).0;
            assert_eq!(without, on_one);
            let on_two = planner(kind, 3).on_nodes(vec![0, 0, 1]).plan(&program, &store).0;
            assert_eq!(on_two.counts(&program).compute, without.counts(&program).compute);
        }
    }
}
