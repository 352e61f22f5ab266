//! Executors with planners, and how a scene is played by them.

use std::sync::Arc;

use engine::data::Store;
use engine::exec::{Executor, PlanId, RunFailure, Sequential};
use engine::graph::Recording;
use executors::{ForkJoin, Options, Replay, Stealing};
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};
use weft_animation::event::behaviour::Behaviours;
use weft_animation::event::field::Value;
use weft_animation::event::runtime::{EventGraph, EventOptions, Mode, Player, Restart, Strategy};
use weft_animation::event::scene::EventScene;
use weft_animation::event::{FieldId, NodeId};
use weft_animation::graph::Fusion;

pub struct Machine {
    pub executor: Box<dyn Executor>,
    workers: u32,
    plan: Option<PlanId>,
}

impl Machine {
    pub fn new(kind: Kind, workers: u32) -> Self {
        let options = Options { threads: workers.min(2) as usize, ..Options::new(workers) };
        let executor: Box<dyn Executor> = match kind {
            Kind::Sequential => Box::new(Sequential::new()),
            Kind::Replay => Box::new(Replay::new(&options)),
            Kind::Stealing => Box::new(Stealing::new(&options)),
            Kind::ForkJoin => Box::new(ForkJoin::new(&options)),
        };
        Self { executor, workers, plan: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sequential,
    Replay,
    Stealing,
    ForkJoin,
}

impl Player for Machine {
    type Error = RunFailure;
    fn load(&mut self, recording: Recording, store: &mut Store) -> Result<(), RunFailure> {
        let (partitioner, accumulation) = (Partitioner::Metis, Accumulation::Auto);
        let mut planner = Planner::new(PlannerOptions { workers: self.workers, partitioner, accumulation });
        let schedule = planner.plan(&recording.program, store).0;
        let loaded = self.executor.load_plan(self.plan, Arc::new(recording), Arc::new(schedule), store);
        self.plan = Some(loaded.unwrap());
        Ok(())
    }
    fn run(&mut self, store: &mut Store) -> Result<(), RunFailure> {
        self.executor.run(self.plan.unwrap(), store).map(|_| ())
    }
}

/// What a play yields: the log and all values of each frame.
#[derive(PartialEq, Debug)]
pub struct Played {
    pub log: Vec<String>,
    pub values: Vec<Vec<Value>>,
    pub complaints: Vec<(NodeId, String)>,
}

pub fn name(graph: &EventGraph, (node, field): (NodeId, FieldId)) -> String {
    let known = graph.scene().node(node);
    let def = known.def.as_deref().unwrap_or("?");
    format!("{def}.{}", known.node_type.fields[field.0 as usize].name)
}

pub fn all_values(graph: &EventGraph, store: &Store) -> Vec<Value> {
    let nodes = graph.scene().nodes.iter().enumerate();
    let fields = nodes.flat_map(|(k, n)| (0..n.node_type.fields.len()).map(move |f| (k, f)));
    fields.filter_map(|(k, f)| graph.value(store, NodeId(k as u32), FieldId(f as u32))).collect()
}

/// Plays some frames; `before` may speak to the graph before each.
pub fn play(
    scene: &EventScene,
    behaviours: Box<dyn Behaviours>,
    options: EventOptions,
    (kind, workers): (Kind, u32),
    frames: u32,
    mut before: impl FnMut(u32, &mut EventGraph),
) -> Played {
    let mut store = Store::new();
    let options = EventOptions { log: true, workers, ..options };
    let mut graph = EventGraph::new(scene.clone(), behaviours, options);
    let mut machine = Machine::new(kind, workers);
    let mut played = Played { log: Vec::new(), values: Vec::new(), complaints: Vec::new() };
    for frame in 0..frames {
        before(frame, &mut graph);
        let n = graph.frame(&mut store, &mut machine, f64::from(frame) * 0.1).unwrap().deliveries.len();
        assert_eq!(graph.n_deliveries(&store), n as u64);
        let log = graph.frame_log();
        assert_eq!(log.frame, frame + 1);
        played.log.extend(lines(&graph));
        played.values.push(all_values(&graph, &store));
        let complaints = graph.take_complaints();
        played.complaints.extend(complaints.into_iter().map(|c| (c.node, c.message)));
    }
    played
}

pub fn lines(graph: &EventGraph) -> Vec<String> {
    let log = graph.frame_log();
    let line = |d: &weft_animation::event::runtime::Delivery| {
        let ends = graph.route(d.route).map_or_else(
            || format!("route {}", d.route),
            |r| format!("{}>{}", name(graph, r.from), name(graph, r.to)),
        );
        let dropped = if d.is_dropped { " dropped" } else { "" };
        format!("{} {ends} {}{dropped}", log.frame, d.value)
    };
    log.deliveries.iter().map(line).collect()
}

/// All that must not matter.
pub fn everything() -> Vec<(EventOptions, Kind, u32)> {
    let base = EventOptions::default();
    let tiny = Fusion::On { grain_ns: 300 };
    let mut all = vec![
        (EventOptions { fusion: Fusion::Off, ..base }, Kind::Sequential, 1),
        (EventOptions { fusion: tiny, kernels: false, ..base }, Kind::Sequential, 1),
        (EventOptions { fusion: tiny, ..base }, Kind::Replay, 2),
        (EventOptions { fusion: Fusion::Off, ..base }, Kind::Replay, 3),
        (base, Kind::Stealing, 2),
        (EventOptions { fusion: Fusion::Off, kernels: false, ..base }, Kind::Stealing, 3),
        (EventOptions { fusion: tiny, ..base }, Kind::ForkJoin, 2),
        (EventOptions { fusion: tiny, restart: Restart::Full, ..base }, Kind::Replay, 2),
    ];
    for (strategy, kind) in [
        (Strategy::PoolStatic, Kind::Replay),
        (Strategy::PoolDynamic, Kind::Stealing),
        (Strategy::LoopStatic, Kind::ForkJoin),
        (Strategy::LoopDynamic, Kind::ForkJoin),
        (Strategy::LoopGuided, Kind::Sequential),
    ] {
        all.push((EventOptions { mode: Mode::Levels(strategy), ..base }, kind, 2));
    }
    all
}

/// Plays a scene in all ways and compares; yields the reference.
pub fn play_in_all_ways(
    scene: &EventScene,
    behaviours: impl Fn() -> Box<dyn Behaviours>,
    options: EventOptions,
    frames: u32,
    before: impl Fn(u32, &mut EventGraph),
) -> Played {
    let expected = play(scene, behaviours(), options, (Kind::Sequential, 1), frames, &before);
    for (other, kind, workers) in everything() {
        let other = EventOptions { most_stops: options.most_stops, ..other };
        let found = play(scene, behaviours(), other, (kind, workers), frames, &before);
        assert_eq!(found.log, expected.log, "{other:?} {kind:?} {workers}");
        for (frame, (a, b)) in found.values.iter().zip(&expected.values).enumerate() {
            let differ = (0..a.len()).find(|&k| a[k].to_string() != b[k].to_string());
            assert_eq!(
                differ.map(|k| (k, &a[k], &b[k])),
                None,
                "frame {frame}: {other:?} {kind:?} {workers}"
            );
        }
        assert_eq!(found.complaints, expected.complaints, "{other:?} {kind:?} {workers}");
    }
    expected
}
