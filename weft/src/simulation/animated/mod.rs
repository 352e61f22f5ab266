//! Graphs that are not physics in a step of physics (event graphs, rigs, characters): their tasks stand in the same program as the bounds of collision models, before
//! these; where no detection comes first in the step, in a graph of their own before the solvers.
//!
//! The frame of a step is that of the time at its end. States that follow are put where their graph has them then, with velocities that are
//! the differences of two frames, before anything collides. They stay so for the whole step.

mod characters;
mod driving;
mod follower;
mod frames;
mod rigs;

use animation::event::runtime::{EventGraph, EventOptions, Next, Sample};
use engine::data::{ObjectId, StepParameter, Store, Workspace, read, update, val, work_in};
use engine::exec::PlanId;
use engine::graph::{ComponentTag, Recorder};
use scenes::animated::{CharacterFrames, Driven, JointFrames, OutputFrames, X3dFile, driven};
use scenes::diagnostics::{Diagnostic, Severity};
use sim_core::component::animation_loop::StepStage;
use sim_core::math::StateType;
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::step::propagate_into;
use sim_core::visitor::object::Object;
use sim_core::visitor::vectors::{StateVectors, VecCoordId, VecDerivId, Vectors};
use sim_core::visitor::visit::{At, StepParameters, Visit, tag_of};
use sim_core::visitor::world::World;
use x3d::script::AllNodes;
use x3d::script::fragments::Fragments;
use x3d::script::limits::Stop;
use x3d::shape::{Lamp, Shapes};

use crate::events::environment::{Environment, Present};
use characters::CharacterGraph;
use follower::{Follower, JointSource};
use rigs::RigGraph;

/// Objects that tasks of one graph are given: it has mostly fewer tasks, and some share an object where it has more.
const MOST_OBJECTS: usize = 128;

/// The graphs of a scene, and the states that follow them.
#[derive(Default)]
pub(super) struct Animated {
    graphs: Vec<Graph>,
    rigs: Vec<RigGraph>,
    characters: Vec<CharacterGraph>,
    /// The time at the end of the step [s], where there are rigs or characters.
    end: Option<StepParameter<f64>>,
    /// The plan of all of them, where they are not in that of the bounds.
    pub(super) plan: Option<PlanId>,
    joins_detection: bool,
    /// Whether steps have a free motion, which what follows takes part in: as free positions are where it is at the step's end.
    is_free: bool,
}

/// An event graph.
struct Graph {
    /// Its component.
    component: ComponentId,
    graph: EventGraph,
    /// Who looks at it: from the viewpoint that is bound.
    environment: Environment,
    /// A step has failed before, and what is not taken back has been said.
    has_warned: bool,
    first_object: u32,
    objects: u32,
    followers: Vec<Following>,
    /// Its lights, if its file has some.
    lit: Option<Shapes>,
}

/// A state that follows.
struct Following {
    /// What gives its positions.
    component: ComponentId,
    state: StateId,
    object: ObjectId,
    sample: Sample,
    joints: Workspace<JointSource>,
    follower: Workspace<Follower>,
}

/// A state that follows a graph, a rig or a character.
struct Followed {
    /// What gives its positions.
    component: ComponentId,
    state: StateId,
    object: ObjectId,
    follower: Workspace<Follower>,
}

impl Followed {
    fn new(
        component: ComponentId,
        (state, object): (StateId, ObjectId),
        follower: Workspace<Follower>,
    ) -> Self {
        Self { component, state, object, follower }
    }
}

impl Animated {
    /// Those of a scene whose steps are these stages. Objects are reserved for their tasks.
    pub(super) fn of(world: &mut World, stages: &[StepStage], has_detection: bool, stop: &Stop) -> Self {
        let driven = driven(&world.scene);
        let joins_detection =
            has_detection && matches!(stages.first(), Some(StepStage::Collide)) && !driven.is_empty();
        let is_free = world.free_motion.is_some();
        let mut animated = Self { joins_detection, is_free, ..Self::default() };
        for Driven { state, by } in driven {
            if let Some(OutputFrames { rig, .. }) = world.scene.component(by).extension().cloned() {
                let known = animated.rigs.iter().position(|g| g.component == rig);
                let Some(at) = known.or_else(|| animated.add_rig(world, rig, state)) else { continue };
                animated.rigs[at].add(world, by, state);
                continue;
            }
            if let Some(CharacterFrames { file, .. }) = world.scene.component(by).extension().cloned() {
                let known = animated.characters.iter().position(|g| g.component == file);
                let Some(at) = known.or_else(|| animated.add_character(world, file, state)) else { continue };
                animated.characters[at].add(world, by, state);
                continue;
            }
            let Some(JointFrames { file, joints }) = world.scene.component(by).extension().cloned() else {
                continue;
            };
            let known = animated.graphs.iter().position(|g| g.component == file);
            let Some(at) = known.or_else(|| animated.add(world, file, state, stop)) else { continue };
            let object = world.vectors[state.0 as usize].object();
            let of = &mut animated.graphs[at];
            let sample = of.graph.sample(&mut world.store, object, joints.fields().to_vec());
            let follower = world.store.workspace("follower", object, Follower::new(joints.len()));
            let joints = world.store.workspace("joints", object, JointSource::new(joints));
            of.followers.push(Following { component: by, state, object, sample, joints, follower });
        }
        animated
    }

    /// Adds the graph of a component, which a state follows; gives back its place.
    fn add(&mut self, world: &mut World, file: ComponentId, state: StateId, stop: &Stop) -> Option<usize> {
        let X3dFile { scene, loader } = world.scene.component(file).extension().cloned()?;
        let objects = scene.nodes.len().clamp(1, MOST_OBJECTS) as u32;
        let first_object = world.reserve_objects(objects + 1, state).0;
        let component = Some(tag_of(file).0);
        let options = EventOptions { first_object, objects, component, ..EventOptions::default() };
        let mut behaviours = Box::new(AllNodes::default());
        behaviours.scripts.stop_at(stop.clone());
        let environment = Environment::new(behaviours.built_in.stacks());
        let lit = Some(Shapes::of(&scene, &*scene)).filter(Shapes::has_lights);
        let mut graph = EventGraph::new((*scene).clone(), behaviours, options);
        graph.set_loader(Box::new(Fragments::new(loader)));
        let followers = Vec::new();
        self.graphs.push(Graph {
            component: file,
            graph,
            environment,
            has_warned: false,
            first_object,
            objects,
            followers,
            lit,
        });
        Some(self.graphs.len() - 1)
    }

    /// Adds the rig of a component, which a state follows; gives back its place.
    fn add_rig(&mut self, world: &mut World, component: ComponentId, state: StateId) -> Option<usize> {
        let rig = RigGraph::new(world, component, state)?;
        self.end.get_or_insert_with(|| world.store.parameter("end of the step", 0.0_f64));
        self.rigs.push(rig);
        Some(self.rigs.len() - 1)
    }

    /// Adds the character of a component, which a state follows; gives back its place.
    fn add_character(&mut self, world: &mut World, component: ComponentId, state: StateId) -> Option<usize> {
        let character = CharacterGraph::new(world, component, state)?;
        self.end.get_or_insert_with(|| world.store.parameter("end of the step", 0.0_f64));
        self.characters.push(character);
        Some(self.characters.len() - 1)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.graphs.is_empty() && self.rigs.is_empty() && self.characters.is_empty()
    }

    /// Whether their tasks stand before the bounds, in one program.
    pub(super) fn joins_detection(&self) -> bool {
        self.joins_detection
    }

    /// Whether what was recorded last are other graphs than there are now.
    pub(super) fn has_changed(&self) -> bool {
        self.graphs.iter().any(|g| g.graph.is_stale())
    }

    /// The objects of the states that follow.
    fn members(&self) -> Vec<ObjectId> {
        self.followings().map(|f| f.object).collect()
    }

    /// All states that follow: what gives their positions, and what they keep.
    fn followings(&self) -> impl Iterator<Item = Followed> + '_ {
        let of_graphs = self.graphs.iter().flat_map(|g| &g.followers);
        let of_graphs = of_graphs.map(|f| Followed::new(f.component, (f.state, f.object), f.follower));
        let of_rigs = self.rigs.iter().flat_map(|g| &g.followers);
        let of_rigs = of_rigs.map(|f| Followed::new(f.component, (f.state, f.object), f.follower));
        let of_characters = self.characters.iter().flat_map(|g| &g.followers);
        let of_characters =
            of_characters.map(|f| Followed::new(f.component, (f.state, f.object), f.follower));
        of_graphs.chain(of_rigs).chain(of_characters)
    }

    fn begin_frame(&mut self, store: &mut Store, time: f64) {
        if let Some(end) = self.end {
            store.set_parameter(end, time);
        }
        for Graph { graph, environment, .. } in &mut self.graphs {
            for (node, event) in environment.told(graph, &Present { graph, store }) {
                graph.tell(node, event);
            }
            graph.begin_frame(store, time);
        }
    }

    /// After a run; whether the frame is complete.
    fn proceed(&mut self, store: &mut Store) -> bool {
        // Each of them is to go on, also if another one waits for a second run.
        let next: Vec<Next> = self.graphs.iter_mut().map(|g| g.graph.proceed(store)).collect();
        next.iter().all(|n| *n == Next::Done)
    }

    fn end_frame(&mut self, store: &mut Store) {
        for g in &mut self.graphs {
            g.graph.end_frame(store);
        }
        self.say();
    }

    /// The lamps of all files, as they shine now.
    pub(super) fn lamps(&self, store: &Store) -> Vec<Lamp> {
        let of_graph = |g: &Graph| {
            let present = Present { graph: &g.graph, store };
            g.lit.as_ref().map(|lit| lit.lamps(g.graph.scene(), &present)).unwrap_or_default()
        };
        self.graphs.iter().flat_map(of_graph).collect()
    }

    /// The run ends: Scripts are shut down, and may have something to say.
    pub(super) fn end(&mut self, store: &mut Store) {
        for g in &mut self.graphs {
            g.graph.end(store);
        }
        self.say();
    }

    fn say(&mut self) {
        for g in &mut self.graphs {
            for finding in g.graph.take_findings() {
                log::warn!("{finding}");
            }
            for print in g.graph.take_prints() {
                log::info!("{}", print.text);
            }
            for complaint in g.graph.take_complaints() {
                let node = g.graph.scene().node(complaint.node);
                let name = node.def.as_deref().unwrap_or(&node.node_type.name);
                let finding = Diagnostic::new(Severity::Warning, &node.location, complaint.message);
                log::warn!("{}", finding.component(name));
            }
        }
    }

    /// Records all graphs, what follows them, and the mappings of what follows.
    pub(super) fn emit(
        &mut self,
        rec: &mut Recorder<'_>,
        scene: &Scene,
        vectors: &mut [StateVectors],
        objects: &[Object],
        parameters: StepParameters,
    ) {
        for Graph { graph, followers, .. } in &mut self.graphs {
            graph.emit(rec);
            for f in followers.iter() {
                graph.emit_sample(rec, &f.sample, tag_of(f.component));
            }
            rec.sweep("follow");
            for f in followers.iter() {
                match &vectors[f.state.0 as usize] {
                    StateVectors::Vec3(v) => f.emit(rec, v, parameters),
                    StateVectors::Rigid3(v) => f.emit(rec, v, parameters),
                    // The loader refuses states of other types.
                    _ => {}
                }
            }
        }
        if let Some(end) = self.end {
            self.rigs.iter().for_each(|rig| rig.emit(rec, vectors, parameters, end));
            self.characters.iter().for_each(|of| of.emit_decisions(rec, vectors, parameters));
            for of in &self.characters {
                let others = self.characters.iter().filter(|other| other.component != of.component);
                of.emit(rec, vectors, (parameters, end), others.flat_map(CharacterGraph::before));
            }
        }
        let members = self.members();
        propagate_into(Visit { rec, vectors, parameters }, &scene.parts, objects, &members);
        if self.is_free {
            rec.sweep("free");
            let mut visit = Visit { rec, vectors, parameters };
            for f in self.followings() {
                for &state in &objects[f.object.0 as usize].states {
                    let at = At { tag: tag_of(f.component), state, object: f.object };
                    visit.x_copy(at, VecCoordId::FREE_POSITION, VecCoordId::POSITION);
                    visit.v_copy(at, VecDerivId::FREE_VELOCITY, VecDerivId::VELOCITY);
                }
            }
        }
    }

    /// Writes what objects of graphs are called.
    pub(super) fn name_objects(&self, scene: &Scene, names: &mut [String]) {
        for rig in &self.rigs {
            let (path, first) = (scene.path(rig.component), rig.part.object().0 as usize);
            let of_objects = rig.part.task_names().into_iter().map(|task| format!("{path}: {task}"));
            names.iter_mut().skip(first).zip(of_objects).for_each(|(name, new)| *name = new);
        }
        for of in &self.characters {
            let (path, first) = (scene.path(of.component), of.first_object.0 as usize);
            let of_objects = (0..of.n_objects()).map(|model| format!("{path}: model {model}"));
            names.iter_mut().skip(first).zip(of_objects).for_each(|(name, new)| *name = new);
        }
        for g in &self.graphs {
            let path = scene.path(g.component);
            let tasks = g.graph.own_task_names();
            let of_objects =
                (0..=g.objects).map(|k| match k.checked_sub(1).and_then(|k| tasks.get(k as usize)) {
                    Some(task) => format!("{path}: {task}"),
                    None => path.clone(),
                });
            let at = g.first_object as usize..=(g.first_object + g.objects) as usize;
            if let Some(names) = names.get_mut(at) {
                names.iter_mut().zip(of_objects).for_each(|(name, new)| *name = new);
            }
        }
    }
}

impl Following {
    fn emit<S: StateType>(&self, rec: &mut Recorder<'_>, vectors: &Vectors<S>, parameters: StepParameters) {
        let StepParameters { dt, step, .. } = parameters;
        let (dt, step): (StepParameter<f64>, StepParameter<u64>) = (dt, step);
        let accesses = (
            update(vectors.position()),
            update(vectors.velocity()),
            work_in(self.follower),
            work_in(self.joints),
            read(self.sample.values()),
            val(dt),
            val(step),
        );
        let tag: ComponentTag = tag_of(self.component);
        rec.own("follow", tag, self.object, accesses, |(x, v, follower, joints, numbers, dt, step)| {
            follower.follow::<S>(x, v, (dt, step), |put| joints.poses(numbers, put));
        });
    }
}
