//! Engines that compute again when what they are linked to has changed, and what follows their outputs: between steps, at the cost of
//! what has changed.

use std::mem::take;

use components::topology::changes::TopologicalChanges;
use scenes::data_flow::{self, DataFlow, DataLink, Linked, Moving};
use scenes::playback::Frame;
use scenes::rebuild::build_linked;
use sim_core::component::description::Family;
use sim_core::component::value::Value;
use sim_core::math::{Coord, Deriv, StateType};
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::visitor::vectors::for_vectors;
use sim_core::visitor::world::World;

use super::{ChangeError, Simulation, StepFailure};

/// Along which links changes go, and what has changed since they last went.
#[derive(Default)]
pub(super) struct Links {
    flow: DataFlow,
    /// Vectors of states that are read, as they were when they were read last.
    watched: Vec<Watched>,
    /// Memory of the vectors as they are now.
    present: Vec<f64>,
    /// Data that have changed; all of a component where none is named.
    changed: Vec<(ComponentId, Option<String>)>,
    /// Topologies have changed: whatever hangs on their elements and points is looked at.
    elements_changed: bool,
}

struct Watched {
    component: ComponentId,
    state: StateId,
    data: Moving,
    /// Rows flattened.
    last: Vec<f64>,
    /// Numbers in a row.
    width: usize,
}

impl Links {
    /// Those of a scene at its beginning: engines have read what states are initially.
    pub(super) fn of(world: &World) -> Self {
        let flow = DataFlow::of(&world.scene);
        let watched = flow.watched.iter().filter(|(c, ..)| world.scene.has_component(*c));
        let watched = watched.map(|(component, state, data)| {
            let name = match data {
                Moving::Position => "position",
                Moving::Velocity => "velocity",
            };
            let initial = data_flow::now(&world.scene, *component, name).ok();
            let width = initial.as_ref().map_or(0, |l| l.width);
            let last = initial.and_then(|l| l.value.reals()).unwrap_or_default();
            Watched { component: *component, state: *state, data: *data, last, width }
        });
        Self { watched: watched.collect(), flow, ..Self::default() }
    }

    /// Something of a component was edited.
    pub(super) fn edited(&mut self, component: ComponentId) {
        self.changed.push((component, None));
    }

    /// Elements and points have come or gone.
    pub(super) fn topologies_changed(&mut self) {
        self.elements_changed = true;
    }

    /// Components have come or gone: links are looked up anew; what was read stays so.
    pub(super) fn renew(&mut self, world: &World) {
        let mut now = Self::of(world);
        for watched in &mut now.watched {
            let same = |w: &&mut Watched| (w.component, w.data) == (watched.component, watched.data);
            if let Some(before) = self.watched.iter_mut().find(same) {
                watched.last = take(&mut before.last);
            }
        }
        (now.changed, now.elements_changed) = (take(&mut self.changed), self.elements_changed);
        *self = now;
    }

    /// Compares the vectors that are read with what they were.
    fn look(&mut self, world: &World) {
        for watched in &mut self.watched {
            self.present.clear();
            scalars(world, watched.state, watched.data, &mut self.present);
            if self.present != watched.last {
                std::mem::swap(&mut self.present, &mut watched.last);
                let name = if watched.data == Moving::Position { "position" } else { "velocity" };
                self.changed.push((watched.component, Some(name.to_owned())));
            }
        }
        if take(&mut self.elements_changed) {
            let links = self.flow.inputs.iter().chain(&self.flow.takers);
            let of_elements =
                links.filter(|l| world.scene.topology(l.source).is_some() || l.data == "rest_position");
            self.changed.extend(of_elements.map(|l| (l.source, Some(l.data.clone()))));
        }
    }

    /// Whether what a link leads to has changed.
    fn has_changed(&self, link: &DataLink) -> bool {
        let is_of = |(c, data): &(ComponentId, Option<String>)| {
            *c == link.source && data.as_ref().is_none_or(|d| *d == link.data)
        };
        self.changed.iter().any(is_of)
    }

    /// What a link's attribute is now.
    fn value(&self, scene: &Scene, link: &DataLink) -> Result<Value, String> {
        let is_it = |w: &&Watched| w.component == link.source && Moving::named(&link.data) == Some(w.data);
        let linked = match self.watched.iter().find(is_it) {
            Some(w) => Linked { value: Value::Reals(w.last.clone()), width: w.width },
            None => data_flow::now(scene, link.source, &link.data)?,
        };
        data_flow::taken(scene, link, linked)
    }

    /// The values of those of some links whose data have changed and that are others than before, and their component.
    fn values<'l>(
        &self,
        scene: &Scene,
        links: impl Iterator<Item = &'l DataLink>,
    ) -> Result<Vec<(&'static str, Value)>, String> {
        let mut values = Vec::new();
        for link in links.filter(|l| self.has_changed(l)) {
            let value = self.value(scene, link)?;
            let recipe = scene.component(link.component).recipe.as_ref();
            if recipe.and_then(|r| r.attributes.set.get(link.attribute)) != Some(&value) {
                values.push((link.attribute, value));
            }
        }
        Ok(values)
    }
}

/// The numbers of a vector of a state, rows one after the other.
fn scalars(world: &World, state: StateId, data: Moving, into: &mut Vec<f64>) {
    for_vectors!(&world.vectors[state.0 as usize], S, v => match data {
        Moving::Position => {
            let x: &[<S as StateType>::Coord] = world.store.read(v.position());
            x.iter().for_each(|x| Coord::scalars(x, into));
        }
        Moving::Velocity => {
            let v: &[<S as StateType>::Deriv] = world.store.read(v.velocity());
            v.iter().for_each(|v| Deriv::scalars(v, into));
        }
    });
}

impl Simulation {
    /// Has engines compute again whose inputs have changed, and everything follow that is linked to what has changed, as
    /// [`Self::step`] does at its beginning and at its end. What a state is given is projected by its constraints, and mappings follow.
    ///
    /// # Errors
    /// An engine or another component that cannot be built with the new values; it is then as it was.
    pub fn follow_links(&mut self) -> Result<(), StepFailure> {
        if self.links.flow.inputs.is_empty() && self.links.flow.takers.is_empty() {
            self.links.changed.clear();
            return Ok(());
        }
        let mut links = take(&mut self.links);
        links.look(&self.world);
        let done = if links.changed.is_empty() { Ok(()) } else { self.follow(&mut links) };
        if done.is_ok() {
            links.changed.clear();
        }
        // What is given to a state is no change that others have not seen: they see it next time.
        links.changed.append(&mut self.links.changed);
        links.elements_changed |= self.links.elements_changed;
        self.links = links;
        done
    }

    fn follow(&mut self, links: &mut Links) -> Result<(), StepFailure> {
        for k in 0..links.flow.engines.len() {
            let engine = links.flow.engines[k];
            let inputs = links.flow.inputs.iter().filter(|l| l.component == engine);
            let values = links.values(&self.world.scene, inputs);
            let values = values.map_err(|message| self.not_followed(engine, message))?;
            if !values.is_empty() {
                let changed = self.evaluate(engine, values)?;
                links.changed.extend(changed.into_iter().map(|data| (engine, Some(data.to_owned()))));
            }
        }
        let mut k = 0;
        while let Some(component) = links.flow.takers.get(k).map(|l| l.component) {
            let all = links.flow.takers[k..].iter().take_while(|l| l.component == component);
            let (n, values) = (all.clone().count(), links.values(&self.world.scene, all));
            k += n;
            let values = values.map_err(|message| self.not_followed(component, message))?;
            if !values.is_empty() {
                self.take_over(component, values)?;
            }
        }
        Ok(())
    }

    /// Has an engine compute again; gives back the names of the data that are others than before.
    fn evaluate(
        &mut self,
        engine: ComponentId,
        values: Vec<(&'static str, Value)>,
    ) -> Result<Vec<&'static str>, StepFailure> {
        let scene = &mut self.world.scene;
        let before = take(&mut scene.component_mut(engine).fields);
        if let Err(message) = build_linked(scene, engine, values) {
            scene.component_mut(engine).fields = before;
            return Err(self.not_followed(engine, message));
        }
        let now = &scene.component(engine).fields;
        Ok(now
            .iter()
            .filter(|(name, value)| before.get(**name) != Some(value))
            .map(|(name, _)| *name)
            .collect())
    }

    /// Gives attributes that are linked to what has changed their new values.
    fn take_over(
        &mut self,
        component: ComponentId,
        values: Vec<(&'static str, Value)>,
    ) -> Result<(), StepFailure> {
        let (state, family) = {
            let component = self.world.scene.component(component);
            (component.state, component.recipe.as_ref().map(|r| r.description.family))
        };
        let done = match (state, family) {
            (Some(state), Some(Family::State)) => {
                let mut frame = Frame::default();
                for (name, value) in values {
                    match Moving::named(name) {
                        Some(Moving::Position) => frame.position = value.reals(),
                        Some(Moving::Velocity) => frame.velocity = value.reals(),
                        None => {}
                    }
                }
                self.give(state, &frame)
            }
            _ if self.world.scene.component(component).extension::<TopologicalChanges>().is_some() => {
                let built = build_linked(&mut self.world.scene, component, values);
                self.renew_processor(component);
                built
            }
            _ => {
                let build =
                    |scene: &mut Scene| build_linked(scene, component, values).map_err(ChangeError::NotBuilt);
                self.build_again(component, build).map_err(|e| e.to_string())
            }
        };
        done.map_err(|message| self.not_followed(component, message))
    }

    /// A step that fails since something cannot follow what it is linked to.
    fn not_followed(&self, component: ComponentId, message: String) -> StepFailure {
        let location = &self.world.scene.component(component).location;
        StepFailure {
            step: self.step,
            task: "data links".to_owned(),
            component: self.world.scene.path(component),
            file: location.file.to_string(),
            line: location.line,
            message,
        }
    }
}
