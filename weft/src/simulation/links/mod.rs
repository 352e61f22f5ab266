//! Engines that compute again when what they are linked to has changed, and what follows their outputs: before and after each step, at
//! the cost of what has changed.
//!
//! Engines are tasks of a graph of their own ([`graph`]). What follows them (a force field that is built again, a state that is put
//! somewhere) may change what the step's other graphs consist of, so it follows one by one, on the caller's thread.

mod graph;
mod slot;

use std::mem::take;
use std::time::Instant;

use components::topology::changes::TopologicalChanges;
use engine::data::ObjectId;
use engine::exec::PlanId;
use scenes::data_flow::{self, DataFlow, DataLink, Moving};
use scenes::intake::Intake;
use scenes::playback::Frame;
use scenes::rebuild::build_linked;
use sim_core::component::description::Family;
use sim_core::component::value::Value;
use sim_core::scene::{ComponentId, Scene};
use sim_core::visitor::world::World;

use super::{ChangeError, Simulation, StepFailure};
use crate::execution::clock::Clock;
pub(super) use graph::Run;
use graph::{Key, LinkGraph};

/// Along which links changes go, and what has changed since they last went.
#[derive(Default)]
pub(super) struct Links {
    flow: DataFlow,
    /// The tasks; where nothing moves, made when something may have changed for the first time.
    graph: Option<LinkGraph>,
    /// A graph of before, which plans may still name.
    before: Option<LinkGraph>,
    /// Objects that are reserved for tasks.
    objects: Vec<ObjectId>,
    /// Data that have changed by a hand; all of a component where none is named.
    changed: Vec<(ComponentId, Option<String>)>,
    /// Topologies have changed: whatever hangs on their elements and points is looked at.
    elements_changed: bool,
}

impl Links {
    /// Those of a scene at its beginning: engines have read what states are initially. Where something of it moves, tasks are given objects
    /// now, so that these have their names from the start.
    pub(super) fn begin(world: &mut World) -> Self {
        let mut links = Self { flow: flow_of(world), ..Self::default() };
        if !links.flow.watched.is_empty() {
            links.graph = Some(LinkGraph::new(&links.flow, world, &mut links.objects, &mut []));
        }
        links
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
        self.flow = flow_of(world);
        self.outdate();
    }

    /// The graph is not that of the scene any more.
    fn outdate(&mut self) {
        self.before = self.graph.take().or(self.before.take());
    }

    /// Plans have gone with their executor, and their recordings with them.
    pub(super) fn forget_plans(&mut self) {
        self.outdate();
        self.before.iter_mut().for_each(|g| g.plans = [None; 2]);
    }

    /// Whether a plan is of the links.
    pub(super) fn has_plan(&self, plan: PlanId) -> bool {
        self.graph.iter().chain(&self.before).any(|g| g.plans.contains(&Some(plan)))
    }

    /// Writes what objects of tasks are called.
    pub(super) fn name_objects(&self, scene: &Scene, names: &mut [String]) {
        let components = self.graph.iter().flat_map(LinkGraph::components);
        for (object, component) in self.objects.iter().zip(components) {
            if let Some(name) = names.get_mut(object.0 as usize) {
                *name = format!("{} (data links)", scene.path(component));
            }
        }
    }

    /// Tells slots what has changed by a hand.
    fn tell(&mut self, graph: &LinkGraph, world: &mut World) {
        for (component, data) in self.changed.drain(..) {
            graph.tell(&mut world.store, component, data.as_deref());
        }
        if take(&mut self.elements_changed) {
            let World { scene, store, .. } = world;
            for link in self.flow.inputs.iter().chain(&self.flow.takers) {
                if scene.topology(link.source).is_some() || link.data == "rest_position" {
                    graph.tell(store, link.source, Some(&link.data));
                }
            }
        }
    }
}

/// The links of a scene as it is now.
fn flow_of(world: &World) -> DataFlow {
    let mut flow = DataFlow::of(&world.scene);
    flow.watched.retain(|(c, ..)| world.scene.has_component(*c));
    flow
}

/// The values of those of some links whose data have changed and that are others than before.
fn values<'l>(
    graph: &LinkGraph,
    world: &World,
    links: impl Iterator<Item = &'l DataLink>,
) -> Result<Vec<(&'static str, Value)>, String> {
    let World { scene, store, .. } = world;
    let mut values = Vec::new();
    for link in links {
        let Some(source) = graph.source(store, link).filter(|s| s.has_changed(&link.data)) else { continue };
        // The graph does not run: engines are with their components.
        let linked = match source.kind {
            slot::Kind::State(_) => source.value(scene, &link.data)?,
            _ => data_flow::now(scene, link.source, &link.data)?,
        };
        let value = Intake::of(scene, link)?.taken(linked)?;
        let recipe = scene.component(link.component).recipe.as_ref();
        if recipe.and_then(|r| r.attributes.set.get(link.attribute)) != Some(&value) {
            values.push((link.attribute, value));
        }
    }
    Ok(values)
}

impl Simulation {
    /// Has engines compute again whose inputs have changed, and everything follow that is linked to what has changed, as
    /// [`Self::step`] does at its beginning and at its end. What a state is given is projected by its constraints, and mappings follow.
    ///
    /// # Errors
    /// An engine or another component that cannot be built with the new values; it is then as it was.
    pub(super) fn follow_links(&mut self, run: Run, clock: &mut Clock) -> Result<(), StepFailure> {
        let links = &self.links;
        if links.flow.inputs.is_empty() && links.flow.takers.is_empty() {
            self.links.changed.clear();
            return Ok(());
        }
        if links.flow.watched.is_empty() && links.changed.is_empty() && !links.elements_changed {
            return Ok(());
        }
        let mut links = take(&mut self.links);
        let graph = self.link_graph(&mut links, run, clock);
        let done = match graph {
            Ok((graph, plan)) => {
                let done = self.follow(&mut links, (&graph, plan), clock);
                if done.is_ok() {
                    graph.settle(&mut self.world.store);
                }
                links.graph = Some(graph);
                done
            }
            Err(failure) => Err(failure),
        };
        // What is given to a state is no change that others have not seen: they see it next time.
        links.changed.append(&mut self.links.changed);
        links.elements_changed |= self.links.elements_changed;
        self.links = links;
        done
    }

    /// The graph of the links, planned for a run.
    fn link_graph(
        &mut self,
        links: &mut Links,
        run: Run,
        clock: &mut Clock,
    ) -> Result<(LinkGraph, PlanId), StepFailure> {
        if links.elements_changed && links.graph.as_ref().is_some_and(|g| !g.is_current(&self.world.scene)) {
            links.outdate();
        }
        let begin = Instant::now();
        let mut graph = match links.graph.take() {
            Some(graph) => graph,
            None => {
                let seen = links.before.as_ref().map(|g| g.seen(&self.world.store));
                let mut seen: Vec<(Key, Vec<f64>)> = seen.unwrap_or_default();
                LinkGraph::new(&links.flow, &mut self.world, &mut links.objects, &mut seen)
            }
        };
        if let Some(plan) = graph.plans[run as usize] {
            return Ok((graph, plan));
        }
        let before = links.before.take();
        let replaced = before.as_ref().map_or([None; 2], |g| g.plans);
        let loaded = graph.load(replaced, &mut self.engine, &mut self.world.store);
        loaded.map_err(|e| self.not_loaded(&e))?;
        if let Some(before) = before {
            before.free(&mut self.world.store);
        }
        clock.add_plan(begin);
        let [first, second] = graph.plans;
        let plan = match run {
            Run::Before => first,
            Run::After => second,
        };
        plan.map(|plan| (graph, plan))
            .ok_or_else(|| self.not_followed(ComponentId(0), "its plan has gone".to_owned()))
    }

    fn follow(
        &mut self,
        links: &mut Links,
        (graph, plan): (&LinkGraph, PlanId),
        clock: &mut Clock,
    ) -> Result<(), StepFailure> {
        links.tell(graph, &mut self.world);
        let begin = Instant::now();
        let run = graph.lend(&mut self.world, |store| self.engine.run(plan, store));
        let run = run.map_err(|f| {
            let component = f.component.map_or(ComponentId(0), |c| ComponentId(c.0));
            StepFailure { task: f.task_name.to_owned(), ..self.not_followed(component, f.message) }
        })?;
        clock.add_run(plan, begin, run, self.engine.workers());
        if let Some((engine, message)) = graph.failure(&mut self.world.store) {
            return Err(self.not_followed(engine, message));
        }
        let mut k = 0;
        while let Some(component) = links.flow.takers.get(k).map(|l| l.component) {
            let all = links.flow.takers[k..].iter().take_while(|l| l.component == component);
            let (n, values) = (all.clone().count(), values(graph, &self.world, all));
            k += n;
            let values = values.map_err(|message| self.not_followed(component, message))?;
            if !values.is_empty() {
                self.take_over(component, values)?;
            }
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use scenes::load::{LoadOptions, load_text};

    use crate::simulation::{ExecutorKind, Simulation, SimulationOptions};

    /// Where workers change places, the plans of a phase are changed, which needs each recording to be its executor's alone.
    #[test]
    fn nobody_else_holds_the_recordings_of_plans() {
        let text = r#"<Node name="root" dt="0.01"><DefaultAnimationLoop/><Node name="points">
            <EulerImplicitSolver/><CGLinearSolver iterations="9" tolerance="1e-9" threshold="1e-9"/>
            <MechanicalObject name="dofs" position="0 0 0"/><UniformMass vertexMass="1"/></Node>
            <TransformEngine name="shift" input_position="@points/dofs.position" translation="1 0 0"/>
            <Node name="led"><MechanicalObject position="@../shift.output_position"/></Node></Node>"#;
        let scene = load_text(text, "test.scn", &LoadOptions::default()).expect("a scene").scene;
        let options = SimulationOptions { executor: ExecutorKind::Replay, threads: 2, ..Default::default() };
        let mut s = Simulation::new(scene, options).expect("a simulation");
        s.step().expect("a step");
        let plans = s.links.graph.as_ref().expect("a graph").plans;
        for plan in plans {
            let recording = s.engine.recording(plan.expect("it is loaded"));
            assert_eq!(Arc::strong_count(&recording), 2, "the executor's and this one");
        }
    }
}
