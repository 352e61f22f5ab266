//! Frames of a scene's graphs, and the steps that they are of.

use std::sync::Arc;
use std::time::Instant;

use animation::event::NodeId;
use engine::exec::{RunFailure, Sequential};
use engine::graph::{Recorder, Recording};
use sim_core::scene::ComponentId;
use sim_core::visitor::vectors::for_vectors;
use sim_core::visitor::world::World;

use scenes::diagnostics::{Diagnostic, Severity};

use super::Followed;
use super::rigs::RigGraph;
use crate::execution::clock::{Clock, since};
use crate::execution::planned_executor::Phase;
use crate::simulation::{Simulation, StepFailure};

impl Simulation {
    /// Plays the frame of the time at which the simulation begins, and puts states where it has them, at rest.
    pub(in crate::simulation) fn begin_animation(&mut self) -> Result<(), StepFailure> {
        if self.animated.is_empty() {
            return Ok(());
        }
        let time = self.time();
        self.animated.begin_frame(&mut self.world.store, time);
        loop {
            let recording = self.record_animation();
            let run = Sequential::run_once(&recording, &mut self.world.store);
            self.world.store.discard_states();
            run.map_err(|f| self.not_animated(f))?;
            if self.proceed_animation()? {
                break;
            }
        }
        let World { store, .. } = &mut self.world;
        self.animated.followings().for_each(|f| store.workspace_mut(f.follower).begin());
        self.animated.characters.iter().for_each(|of| of.begin(store));
        Ok(())
    }

    /// Begins the frame of a step, and plays it unless the detection does.
    pub(in crate::simulation) fn animate(&mut self, clock: &mut Clock) -> Result<(), StepFailure> {
        if self.animated.is_empty() {
            return Ok(());
        }
        // What moves by itself may touch what rests.
        self.wake_all().map_err(|e| self.not_loaded(&e))?;
        let time = self.time() + self.dt();
        self.animated.begin_frame(&mut self.world.store, time);
        if self.animated.joins_detection() {
            return Ok(());
        }
        loop {
            let mut begin = Instant::now();
            let plan = match self.animated.plan {
                Some(plan) if !self.animated.has_changed() => plan,
                before => {
                    let recording = Arc::new(self.record_animation());
                    let store = &mut self.world.store;
                    let loaded = self.engine.load(Phase::Collision, before, recording, store);
                    let plan = loaded.map_err(|e| self.not_loaded(&e))?;
                    self.animated.plan = Some(plan);
                    clock.add_plan(begin);
                    begin = Instant::now();
                    plan
                }
            };
            let run = self.engine.run(plan, &mut self.world.store);
            let run = run.map_err(|f| self.blame(plan, Some(f)))?;
            clock.add_run(plan, begin, run, self.engine.workers());
            clock.integrate_ns += since(begin);
            if self.proceed_animation()? {
                return Ok(());
            }
        }
    }

    /// After a run of all graphs; whether their frame is complete. If not, they are to run once more.
    pub(in crate::simulation) fn proceed_animation(&mut self) -> Result<bool, StepFailure> {
        let store = &mut self.world.store;
        if !self.animated.proceed(store) {
            return Ok(false);
        }
        self.animated.end_frame(store);
        let failed = |rig: &RigGraph| rig.failure(store).map(|message| (rig.component, message));
        if let Some((component, message)) = self.animated.rigs.iter().find_map(failed) {
            return Err(self.failure_of(component, message));
        }
        let lost = |f: Followed| store.workspace_ref(f.follower).lost().map(|k| (f.component, k));
        match self.animated.followings().find_map(lost) {
            None => Ok(true),
            Some((component, k)) => {
                let message = format!("its frame {k} is nowhere: a number of it is not finite");
                Err(self.failure_of(component, message))
            }
        }
    }

    /// After a step that failed: states that follow are where they were, and what the graphs left half done is made anew. What nodes of
    /// event graphs keep for themselves stays as the step left it; Scripts that may have gone on are named.
    pub(in crate::simulation) fn undo_animation(&mut self) {
        if self.animated.is_empty() {
            return;
        }
        let World { store, vectors, .. } = &mut self.world;
        for g in &mut self.animated.graphs {
            let scene = g.graph.scene();
            let nodes = (0..).map(NodeId).zip(&scene.nodes).filter(|(id, _)| !g.graph.is_removed(*id));
            let scripts = nodes.map(|(_, node)| node).filter(|node| {
                &*node.node_type.name == "Script" && !node.node_type.is_prototype && !g.has_warned
            });
            for node in scripts {
                let name = node.def.as_deref().unwrap_or(&node.node_type.name);
                let message = "the step has failed, and what this program keeps for itself is not taken back";
                log::warn!("{}", Diagnostic::new(Severity::Warning, &node.location, message).component(name));
            }
            g.has_warned = true;
            g.graph.fail_frame();
        }
        for f in self.animated.followings() {
            for_vectors!(&vectors[f.state.0 as usize], S, v => {
                let (mut x, mut fast) = (store.read(v.position()).to_vec(), store.read(v.velocity()).to_vec());
                store.workspace_ref(f.follower).undo::<S>(&mut x, &mut fast, self.step);
                store.write(v.position()).copy_from_slice(&x);
                store.write(v.velocity()).copy_from_slice(&fast);
            });
        }
        let members = self.animated.members();
        if let Err(failure) = self.propagate(&members) {
            log::warn!("mapped states could not be restored: {failure}");
        }
    }

    fn record_animation(&mut self) -> Recording {
        let World { scene, store, vectors, objects, parameters, .. } = &mut self.world;
        let mut rec = Recorder::new(store);
        self.animated.emit(&mut rec, scene, vectors, objects, *parameters);
        rec.finish()
    }

    fn not_animated(&self, failure: RunFailure) -> StepFailure {
        let component = failure.component.map_or(ComponentId(0), |c| ComponentId(c.0));
        StepFailure { task: failure.task_name.to_owned(), ..self.failure_of(component, failure.message) }
    }

    /// A step that fails for what a component says.
    fn failure_of(&self, component: ComponentId, message: String) -> StepFailure {
        let location = &self.world.scene.component(component).location;
        StepFailure {
            step: self.step,
            task: "follow".to_owned(),
            component: self.world.scene.path(component),
            file: location.file.to_string(),
            line: location.line,
            message,
        }
    }
}
