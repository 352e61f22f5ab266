//! The graph of a scene's links: a task looks at each vector of a state that is read, a task is each engine that computes again.
//!
//! Who waits for whom follows from the slots that tasks read and write, so engines side by side run side by side. Most only look at the
//! scene; those that change it, or that have to see initial vectors as they were before constraints moved points, have it to themselves.
//! An engine to which nothing new comes costs its task a look at its sources.

use std::mem::{swap, take};
use std::sync::Arc;

use engine::data::{ObjectId, Store, Workspace, look_in, look_in_all, read, work_in};
use engine::exec::{LoadError, PlanId};
use engine::graph::{Recorder, Recording};
use scenes::data_flow::{self, DataFlow, DataLink, Moving};
use scenes::intake::Intake;
use scenes::rebuild::may_look;
use sim_core::math::{Coord, Deriv, StateType};
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::visitor::vectors::{Vectors, for_vectors};
use sim_core::visitor::visit::tag_of;
use sim_core::visitor::world::World;

use super::slot::{Around, Engine, Input, Kind, Slot, Watched};
use crate::execution::planned_executor::{Phase, PlannedExecutor};

/// Objects that tasks are given: some share one where there are more tasks.
const MOST_OBJECTS: usize = 128;

/// What a slot is found by: a component, and the vector if it is one of a state that is read.
pub(super) type Key = (ComponentId, Option<Moving>);

/// The graph of some links.
pub(super) struct LinkGraph {
    keys: Vec<Key>,
    slots: Vec<Workspace<Slot>>,
    /// Slots of engines in the order of links, and whether they only look at the scene.
    engines: Vec<(usize, bool)>,
    /// Where the scene is while the graph runs.
    seat: Workspace<Scene>,
    /// One for each plan, until it is loaded: who holds a plan's recording keeps it from being changed where workers change places.
    recordings: [Option<Arc<Recording>>; 2],
    /// As it runs before a step and after it; none where it is not loaded.
    pub plans: [Option<PlanId>; 2],
}

/// An engine while its task is recorded.
struct Wired {
    component: ComponentId,
    slot: usize,
    looks: bool,
    /// The slots that it reads.
    sources: Vec<usize>,
}

/// Which of both runs of a step: they are observed one by one.
#[derive(Clone, Copy)]
pub(in crate::simulation) enum Run {
    /// Before it.
    Before = 0,
    /// After it.
    After = 1,
}

impl LinkGraph {
    /// That of the links of a scene; `seen` is how vectors were read before. Tasks are given `objects`, which are reserved where they
    /// have not been yet.
    pub fn new(
        flow: &DataFlow,
        world: &mut World,
        objects: &mut Vec<ObjectId>,
        seen: &mut [(Key, Vec<f64>)],
    ) -> Self {
        let mut keys: Vec<Key> = flow.watched.iter().map(|(c, _, moving)| (*c, Some(*moving))).collect();
        keys.extend(flow.engines.iter().map(|e| (*e, None)));
        for link in flow.inputs.iter().chain(&flow.takers) {
            let key = key_of(&keys, link);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        reserve(objects, keys.len(), flow, world);
        let object = |k: usize| objects[k % objects.len()];
        let seat = world.store.workspace("scene", object(0), Scene::new("nobody is here"));
        let place = |key: &Key| keys.iter().position(|k| k == key);
        let mut slots = Vec::with_capacity(keys.len());
        let mut wired: Vec<Wired> = Vec::new();
        for (k, key) in keys.iter().enumerate() {
            let (component, moving) = *key;
            let (mut looks, mut kind) = (true, Kind::Still);
            if let Some(data) = moving {
                kind = Kind::State(watched(&world.scene, *key, data, seen));
            } else if flow.engines.contains(&component) {
                looks = may_look(&world.scene, component);
                let mut sources = Vec::new();
                let inputs = flow.inputs.iter().filter(|l| l.component == component);
                let inputs = inputs.filter_map(|link| {
                    let source = place(&key_of(&keys, link))?;
                    let known = sources.iter().position(|s| *s == source).unwrap_or_else(|| {
                        sources.push(source);
                        sources.len() - 1
                    });
                    let intake = Intake::of(&world.scene, link);
                    Some(Input { attribute: link.attribute, data: link.data.clone(), source: known, intake })
                });
                let inputs = inputs.collect();
                kind = Kind::Engine(Box::new(Engine::new(inputs)));
                wired.push(Wired { component, slot: k, looks, sources });
            }
            // Who has the scene to itself is where the scene is.
            let at = if looks { object(k) } else { object(0) };
            slots.push(world.store.workspace("data links", at, Slot::new(component, kind)));
        }
        let objects: Vec<ObjectId> = (0..keys.len()).map(object).collect();
        let recordings = record(flow, world, (&slots, seat), &wired, &objects);
        let engines = wired.iter().map(|e| (e.slot, e.looks)).collect();
        Self { keys, slots, engines, seat, recordings, plans: [None; 2] }
    }

    /// Vectors as they were read last.
    pub fn seen(&self, store: &Store) -> Vec<(Key, Vec<f64>)> {
        let of = |(key, slot): (&Key, &Workspace<Slot>)| match &store.workspace_ref(*slot).kind {
            Kind::State(w) => Some((*key, w.last.clone())),
            _ => None,
        };
        self.keys.iter().zip(&self.slots).filter_map(of).collect()
    }

    /// The components of its slots, one after the other.
    pub fn components(&self) -> impl Iterator<Item = ComponentId> + '_ {
        self.keys.iter().map(|(component, _)| *component)
    }

    /// Gives back memory: no plan names it any more.
    pub fn free(self, store: &mut Store) {
        self.slots.iter().for_each(|slot| store.free(slot.id()));
        store.free(self.seat.id());
    }

    /// Whether engines that only look may still do so, and others may not.
    pub fn is_current(&self, scene: &Scene) -> bool {
        self.engines.iter().all(|(k, looks)| *looks == may_look(scene, self.keys[*k].0))
    }

    /// Data of a component have changed; all if none are named.
    pub fn tell(&self, store: &mut Store, component: ComponentId, data: Option<&str>) {
        for (key, slot) in self.keys.iter().zip(&self.slots) {
            if key.0 == component {
                store.workspace_mut(*slot).tell(data);
            }
        }
    }

    /// Changes have gone along the links.
    pub fn settle(&self, store: &mut Store) {
        self.slots.iter().for_each(|slot| store.workspace_mut(*slot).settle());
    }

    /// The slot of what a link leads to.
    pub fn source<'s>(&self, store: &'s Store, link: &DataLink) -> Option<&'s Slot> {
        let key = key_of(&self.keys, link);
        let place = self.keys.iter().position(|k| *k == key)?;
        Some(store.workspace_ref(self.slots[place]))
    }

    /// Plans the graph for both runs of a step, in place of the plans of `before`.
    pub fn load(
        &mut self,
        before: [Option<PlanId>; 2],
        engine: &mut PlannedExecutor,
        store: &mut Store,
    ) -> Result<(), LoadError> {
        for ((plan, before), recording) in self.plans.iter_mut().zip(before).zip(&mut self.recordings) {
            if let Some(recording) = recording.take() {
                *plan = Some(engine.load(Phase::Collision, before, recording, store)?);
            }
        }
        Ok(())
    }

    /// Lends the scene and its engines to the tasks while `run` runs them.
    pub fn lend<T>(&self, world: &mut World, run: impl FnOnce(&mut Store) -> T) -> T {
        self.exchange(world);
        swap(&mut world.scene, world.store.workspace_mut(self.seat));
        let done = run(&mut world.store);
        swap(&mut world.scene, world.store.workspace_mut(self.seat));
        self.exchange(world);
        done
    }

    /// Exchanges what slots of engines have of them with what the scene has; what their crates keep with them goes to the scene.
    fn exchange(&self, world: &mut World) {
        let World { scene, store, .. } = world;
        for (k, _) in &self.engines {
            let component = scene.component_mut(self.keys[*k].0);
            let Some(engine) = store.workspace_mut(self.slots[*k]).engine() else { continue };
            swap(&mut component.recipe, &mut engine.recipe);
            swap(&mut component.fields, &mut engine.fields);
            if let Some(kept) = engine.kept.take() {
                component.extension = kept;
            }
        }
    }

    /// The first engine that has failed, and why.
    pub fn failure(&self, store: &mut Store) -> Option<(ComponentId, String)> {
        let mut first = None;
        for (k, _) in &self.engines {
            let failure = store.workspace_mut(self.slots[*k]).engine().and_then(|e| e.failure.take());
            first = first.or(failure.map(|message| (self.keys[*k].0, message)));
        }
        first
    }
}

/// The slot that a link begins at.
fn key_of(keys: &[Key], link: &DataLink) -> Key {
    let of_state = (link.source, Moving::named(&link.data));
    if of_state.1.is_some() && keys.contains(&of_state) { of_state } else { (link.source, None) }
}

/// Reserves objects for so many slots, where there are fewer.
fn reserve(objects: &mut Vec<ObjectId>, slots: usize, flow: &DataFlow, world: &mut World) {
    let wanted = slots.clamp(1, MOST_OBJECTS);
    let missing = wanted.saturating_sub(objects.len()) as u32;
    if missing == 0 {
        return;
    }
    let any = || (0..world.scene.n_states() as u32).map(StateId).next();
    // Where there is no state nothing else has objects.
    let first = match flow.watched.first().map(|w| w.1).or_else(any) {
        Some(state) => world.reserve_objects(missing, state).0,
        None => objects.len() as u32,
    };
    objects.extend((first..first + missing).map(ObjectId));
}

/// A vector that is read; engines have read it as it is in the beginning, if not since.
fn watched(scene: &Scene, key: Key, data: Moving, seen: &mut [(Key, Vec<f64>)]) -> Watched {
    let name = match data {
        Moving::Position => "position",
        Moving::Velocity => "velocity",
    };
    let mut watched = Watched::new(data, data_flow::now(scene, key.0, name).ok());
    if let Some((_, last)) = seen.iter_mut().find(|(k, _)| *k == key) {
        watched.last = take(last);
    }
    watched
}

fn record(
    flow: &DataFlow,
    world: &mut World,
    (slots, seat): (&[Workspace<Slot>], Workspace<Scene>),
    engines: &[Wired],
    objects: &[ObjectId],
) -> [Option<Arc<Recording>>; 2] {
    let World { scene, store, vectors, .. } = world;
    let lists: Vec<_> = engines
        .iter()
        .map(|e| {
            let sources: Vec<Workspace<Slot>> = e.sources.iter().map(|k| slots[*k]).collect();
            store.workspace_list(&sources)
        })
        .collect();
    [(); 2].map(|()| {
        let mut rec = Recorder::new(store);
        rec.sweep("look");
        for (k, (component, state, moving)) in flow.watched.iter().enumerate() {
            for_vectors!(&vectors[state.0 as usize], S, v => {
                look::<S>(&mut rec, v, *moving, (*component, objects[k], slots[k]));
            });
        }
        rec.sweep("engines");
        // Without links nothing new comes to an engine.
        for (e, list) in engines.iter().zip(&lists).filter(|(e, _)| !e.sources.is_empty()) {
            let (class, tag, slot) = (scene.component(e.component).class, tag_of(e.component), slots[e.slot]);
            if e.looks {
                let accesses = (work_in(slot), look_in(seat), look_in_all(*list));
                rec.own(class, tag, objects[e.slot], accesses, |(slot, scene, sources)| {
                    slot.evaluate(Around::Shared(scene), sources);
                });
            } else {
                let accesses = (work_in(slot), work_in(seat), look_in_all(*list));
                rec.own(class, tag, objects[0], accesses, |(slot, scene, sources)| {
                    slot.evaluate(Around::Whole(scene), sources);
                });
            }
        }
        Some(Arc::new(rec.finish()))
    })
}

/// Records the task that looks at a vector of a state.
fn look<S: StateType>(
    rec: &mut Recorder<'_>,
    v: &Vectors<S>,
    moving: Moving,
    (component, object, slot): (ComponentId, ObjectId, Workspace<Slot>),
) {
    let tag = tag_of(component);
    match moving {
        Moving::Position => {
            rec.own("look", tag, object, (work_in(slot), read(v.position())), |(slot, x)| {
                slot.look(|into| x.iter().for_each(|x| Coord::scalars(x, into)));
            });
        }
        Moving::Velocity => {
            rec.own("look", tag, object, (work_in(slot), read(v.velocity())), |(slot, v)| {
                slot.look(|into| v.iter().for_each(|v| Deriv::scalars(v, into)));
            });
        }
    }
}
