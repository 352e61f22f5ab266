//! The graph of objects: what each costs, and what it would cost to separate two.

use std::collections::BTreeMap;

use engine::data::{AccessKind, ObjectId, Store};
use engine::exec::Costs;
use engine::graph::{Place, Program};

/// Iterations that an unmeasured loop is taken to have.
const ITERATIONS: f64 = 20.0;
/// Time of a task beside what its data cost [ns].
const PER_TASK: f64 = 20.0;
/// Time per byte that a task touches, before it is measured [ns].
const PER_BYTE: f64 = 0.2;

/// Objects with their costs, and pairs with the cost of computing them twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectGraph {
    /// The objects, ascending.
    pub objects: Vec<ObjectId>,
    /// Time of each object's own tasks per run [ns].
    pub weights: Vec<f64>,
    /// Pairs of positions in `objects`, first below second, ascending, with the time of their tasks per run [ns].
    pub edges: Vec<(usize, usize, f64)>,
    /// Bytes that a move of each object would copy.
    pub bytes: Vec<f64>,
    /// Bytes that each object's own tasks touch per run.
    pub touched: Vec<f64>,
    /// Bytes that the tasks of each edge touch per run.
    pub shared: Vec<f64>,
}

impl ObjectGraph {
    /// The graph of a program's objects. What was not measured yet is estimated from the sizes of the data that tasks
    /// touch, scaled to what was measured.
    pub fn new(program: &Program, costs: &Costs, store: &Store) -> Self {
        let mut own: BTreeMap<ObjectId, f64> = BTreeMap::new();
        let mut pairs: BTreeMap<(ObjectId, ObjectId), f64> = BTreeMap::new();
        let mut bytes: BTreeMap<ObjectId, f64> = BTreeMap::new();
        let mut traffic: BTreeMap<ObjectId, f64> = BTreeMap::new();
        let mut shared: BTreeMap<(ObjectId, ObjectId), f64> = BTreeMap::new();
        for stage in program.groups().flat_map(|(_, g)| &g.stages) {
            let repeated = if stage.in_loop.is_some() { ITERATIONS } else { 1.0 };
            for (_, &task) in stage.tasks.iter() {
                let accesses = program.accesses_of(task).iter().filter(|a| a.kind.is_data());
                let bytes_of = |id| store.bytes_of(id) as f64;
                let touched: f64 = accesses.clone().map(|a| bytes_of(a.id)).sum();
                let time = repeated * (PER_TASK + PER_BYTE * touched);
                match program.task(task).place {
                    Place::Own(a) => {
                        *own.entry(a).or_default() += time;
                        *traffic.entry(a).or_default() += repeated * touched;
                        let most = bytes.entry(a).or_default();
                        *most = most.max(touched);
                        // What it takes over from another object are some points of it: as many as the smallest of its
                        // data names (the indices of a mapping).
                        let least = accesses.clone().map(|a| bytes_of(a.id)).filter(|b| *b > 0.0);
                        let least = least.reduce(f64::min).unwrap_or(0.0);
                        let read = accesses.filter(|d| d.kind == AccessKind::Read && d.object != a);
                        for other in read.map(|d| d.object) {
                            own.entry(other).or_default();
                            let pair = pairs.entry((a.min(other), a.max(other))).or_default();
                            *pair += repeated * PER_BYTE * least;
                        }
                    }
                    Place::Joint(a, b) => {
                        own.entry(a).or_default();
                        own.entry(b).or_default();
                        if a != b {
                            *pairs.entry((a.min(b), a.max(b))).or_default() += time;
                            *shared.entry((a.min(b), a.max(b))).or_default() += repeated * touched;
                        }
                    }
                    Place::Replicated => {}
                }
            }
        }
        let measured = |a: ObjectId| costs.objects.get(a.0 as usize).copied().filter(|&ns| ns > 0.0);
        let (known, guessed) = own
            .iter()
            .filter_map(|(&a, &guess)| measured(a).map(|ns| (ns, guess)))
            .fold((0.0, 0.0), |sum, (ns, guess)| (sum.0 + ns, sum.1 + guess));
        let scale = if guessed > 0.0 { known / guessed } else { 1.0 };
        let mut measured_pairs: BTreeMap<(ObjectId, ObjectId), f64> = BTreeMap::new();
        for &((a, b), ns) in costs.pairs.iter().filter(|p| p.1 > 0.0) {
            *measured_pairs.entry((a.min(b), a.max(b))).or_default() += ns;
        }
        let objects: Vec<ObjectId> = own.keys().copied().collect();
        let place = |a: &ObjectId| objects.binary_search(a).ok();
        let edges = pairs.iter().filter_map(|(pair, &guess)| {
            let time = measured_pairs.get(pair).copied().unwrap_or(guess * scale);
            Some((place(&pair.0)?, place(&pair.1)?, time))
        });
        Self {
            edges: edges.collect(),
            weights: own.iter().map(|(&a, &guess)| measured(a).unwrap_or(guess * scale)).collect(),
            bytes: objects.iter().map(|a| bytes.get(a).copied().unwrap_or(0.0)).collect(),
            touched: objects.iter().map(|a| traffic.get(a).copied().unwrap_or(0.0)).collect(),
            // The same pairs as those of `edges`, in the same order.
            shared: shared.into_values().collect(),
            objects,
        }
    }

    /// The neighbors of each object: position and weight of the edge.
    pub fn neighbors(&self) -> Vec<Vec<(usize, f64)>> {
        let mut neighbors = vec![Vec::new(); self.objects.len()];
        for &(a, b, weight) in &self.edges {
            neighbors[a].push((b, weight));
            neighbors[b].push((a, weight));
        }
        neighbors
    }

    /// The graph of some objects, their positions ascending. Tasks with objects elsewhere run here as well.
    pub fn part_of(&self, members: &[usize]) -> Self {
        let pick = |values: &[f64]| -> Vec<f64> { members.iter().map(|&i| values[i]).collect() };
        let mut part = Self {
            objects: members.iter().map(|&i| self.objects[i]).collect(),
            weights: pick(&self.weights),
            bytes: pick(&self.bytes),
            touched: pick(&self.touched),
            ..Self::default()
        };
        for (&(a, b, time), &bytes) in self.edges.iter().zip(&self.shared) {
            match (members.binary_search(&a), members.binary_search(&b)) {
                (Ok(a), Ok(b)) => {
                    part.edges.push((a, b, time));
                    part.shared.push(bytes);
                }
                (Ok(here), Err(_)) | (Err(_), Ok(here)) => part.weights[here] += time,
                (Err(_), Err(_)) => {}
            }
        }
        part
    }

    /// A graph for each phase of the work, ascending: phases come one after the other, so that each is to be balanced by itself.
    pub fn phases(self, store: &Store) -> Vec<Self> {
        let phase = |object: &ObjectId| store.phase_of(*object);
        let mut found: Vec<u32> = self.objects.iter().map(phase).collect();
        found.sort_unstable();
        found.dedup();
        if found.len() < 2 {
            return vec![self];
        }
        let members = |of: u32| (0..self.objects.len()).filter(|i| phase(&self.objects[*i]) == of).collect();
        let of: Vec<Vec<usize>> = found.into_iter().map(members).collect();
        of.iter().map(|members| self.part_of(members)).collect()
    }
}
