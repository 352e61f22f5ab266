//! Rigs among the tasks of a step: what their controls are, their nodes, and the states that follow their outputs.

use animation::rig::value::PortType;
use animation::rig::{PartLayout, RigPart, ValuePlace};
use engine::data::{Data, ObjectId, StepParameter, Store, Workspace, read, read_all, update, val, work_in};
use engine::graph::Recorder;
use scenes::animated::{ControlValue, Controlled, OutputFrames, RigFile, frame};
use sim_core::math::{Coord, StateType};
use sim_core::scene::{ComponentId, StateId};
use sim_core::visitor::vectors::{StateVectors, Vectors, for_vectors};
use sim_core::visitor::visit::{StepParameters, tag_of};
use sim_core::visitor::world::World;

use super::follower::Follower;

/// A rig of the scene.
pub(super) struct RigGraph {
    pub(super) component: ComponentId,
    pub(super) part: RigPart,
    /// Where the time goes to.
    time: Option<ValuePlace>,
    points: Vec<Point>,
    pub(super) followers: Vec<OutputFollowing>,
}

/// A control that follows a point of a state.
struct Point {
    component: ComponentId,
    state: StateId,
    index: usize,
    to: ValuePlace,
}

/// A state that follows outputs.
pub(super) struct OutputFollowing {
    pub(super) component: ComponentId,
    pub(super) state: StateId,
    pub(super) object: ObjectId,
    pub(super) follower: Workspace<Follower>,
    code: Workspace<Outputs>,
    buffers: Vec<Data<f64>>,
}

/// Where outputs lie: buffer among those that are read, first number, and what they are.
struct Outputs(Vec<(usize, usize, PortType)>);

impl RigGraph {
    /// The rig of a component, with controls as the scene has them; a state that follows it gives it objects.
    pub(super) fn new(world: &mut World, component: ComponentId, state: StateId) -> Option<Self> {
        let RigFile { rig, time } = world.scene.component(component).extension::<RigFile>()?.clone();
        let layout = match PartLayout::new((*rig).clone()) {
            Ok(layout) => layout,
            Err(wrong) => {
                // The loader has evaluated it.
                log::error!(
                    "{}: {}",
                    world.scene.path(component),
                    wrong.first().map_or_else(String::new, ToString::to_string)
                );
                return None;
            }
        };
        let first = world.reserve_objects(layout.n_objects(), state);
        let part = layout.settle(&mut world.store, first);
        let mut points = Vec::new();
        let all: Vec<ComponentId> = world.scene.all_components().collect();
        for c in all.into_iter().filter(|c| world.scene.has_component(*c)) {
            let Some(set) = world.scene.component(c).extension::<ControlValue>().cloned() else { continue };
            if set.rig != component {
                continue;
            }
            let to = part.control(set.control);
            match set.value {
                Controlled::Fixed(value) => {
                    world.store.write(to.data)[to.begin..to.begin + to.len].copy_from_slice(&value);
                }
                Controlled::Point(state, index) => points.push(Point { component: c, state, index, to }),
            }
        }
        let time = time.map(|control| part.control(control));
        Some(Self { component, part, time, points, followers: Vec::new() })
    }

    /// Adds a state that follows outputs.
    pub(super) fn add(&mut self, world: &mut World, by: ComponentId, state: StateId) {
        let Some(OutputFrames { outputs, .. }) = world.scene.component(by).extension().cloned() else {
            return;
        };
        let (mut code, mut buffers): (Vec<_>, Vec<Data<f64>>) = (Vec::new(), Vec::new());
        for (output, of) in outputs {
            let place = self.part.output(output);
            let known = buffers.iter().position(|b| b.id() == place.data.id());
            let at = known.unwrap_or_else(|| {
                buffers.push(place.data);
                buffers.len() - 1
            });
            code.push((at, place.begin, of));
        }
        let object = world.vectors[state.0 as usize].object();
        let follower = world.store.workspace("follower", object, Follower::new(code.len()));
        let code = world.store.workspace("outputs", object, Outputs(code));
        self.followers.push(OutputFollowing { component: by, state, object, follower, code, buffers });
    }

    /// Records what controls are, the nodes, and what follows.
    pub(super) fn emit(
        &self,
        rec: &mut Recorder<'_>,
        vectors: &[StateVectors],
        parameters: StepParameters,
        end: StepParameter<f64>,
    ) {
        rec.sweep("controls");
        let object = self.part.object();
        if let Some(to) = self.time {
            let begin = to.begin;
            rec.own(
                "control",
                tag_of(self.component),
                object,
                (update(to.data), val(end)),
                move |(fixed, time)| {
                    fixed[begin] = time;
                },
            );
        }
        for point in &self.points {
            for_vectors!(&vectors[point.state.0 as usize], S, v => point.emit::<S>(rec, v, object));
        }
        self.part.emit(rec, tag_of(self.component));
        rec.sweep("follow");
        for f in &self.followers {
            match &vectors[f.state.0 as usize] {
                StateVectors::Vec3(v) => f.emit(rec, v, parameters),
                StateVectors::Rigid3(v) => f.emit(rec, v, parameters),
                // The loader refuses states of other types.
                _ => {}
            }
        }
    }

    /// After a run: the node that failed, with what it says.
    pub(super) fn failure(&self, store: &mut Store) -> Option<String> {
        let (node, message) = self.part.failure(store)?;
        Some(format!("node `{node}`: {message}"))
    }
}

impl Point {
    fn emit<S: StateType>(&self, rec: &mut Recorder<'_>, v: &Vectors<S>, object: ObjectId) {
        let (begin, index) = (self.to.begin, self.index);
        let accesses = (update(self.to.data), read(v.position()));
        rec.own("control", tag_of(self.component), object, accesses, move |(fixed, x)| {
            // Where a topology has lost the point, the control stays.
            if let Some(x) = x.get(index) {
                fixed[begin..begin + 3].copy_from_slice(x.center().as_slice());
            }
        });
    }
}

impl OutputFollowing {
    fn emit<S: StateType>(&self, rec: &mut Recorder<'_>, vectors: &Vectors<S>, parameters: StepParameters) {
        let list = rec.store().list(&self.buffers);
        let accesses = (
            update(vectors.position()),
            update(vectors.velocity()),
            work_in(self.follower),
            engine::data::look_in(self.code),
            val(parameters.dt),
            val(parameters.step),
            read_all(list),
        );
        rec.own(
            "follow",
            tag_of(self.component),
            self.object,
            accesses,
            |(x, v, follower, code, dt, step, values)| {
                follower.follow::<S>(x, v, (dt, step), |put| {
                    for (k, &(buffer, begin, of)) in code.0.iter().enumerate() {
                        let (at, turn) = frame(of, &values.get(buffer)[begin..begin + of.len()]);
                        put(k, at, turn);
                    }
                });
            },
        );
    }
}
