//! Which task a failed step is to be blamed on.

use engine::data::ObjectId;
use engine::exec::{LoadError, PlanId, RunFailure, Sequential};
use engine::graph::ComponentTag;
use sim_core::scene::ComponentId;

use super::{Simulation, StepFailure};

impl Simulation {
    /// Finds the task to blame by running the step again in recorded order with a check after each task.
    pub(super) fn blame(&mut self, plan: PlanId, failure: Option<RunFailure>) -> StepFailure {
        self.world.store.discard_states();
        let all: Vec<ObjectId> = self.world.objects.iter().map(|o| o.id).collect();
        let restored = self.propagate(&all);
        let recording = self.engine.recording(plan);
        let mut checker = Sequential::new();
        checker.set_check(true);
        let id = checker.load(None, recording, &self.world.store);
        let again = engine::exec::Executor::run(&mut checker, id, &mut self.world.store);
        self.world.store.discard_states();
        // Mapped states were overwritten once more.
        let restored = restored.and_then(|()| self.propagate(&all));
        let found = again.err().or(failure);
        let mut out = StepFailure {
            step: self.step,
            task: String::new(),
            component: String::new(),
            file: String::new(),
            line: 0,
            message: "the state is not finite".to_owned(),
        };
        if let Some(f) = found {
            out.task = f.task_name.to_owned();
            out.message = f.message;
            if let Some(ComponentTag(tag)) = f.component
                && (tag as usize) < self.world.scene.all_components().count()
            {
                let id = ComponentId(tag);
                let location = &self.world.scene.component(id).location;
                out.component = self.world.scene.path(id);
                out.file = location.file.to_string();
                out.line = location.line;
            }
        }
        if let Err(f) = restored {
            out.message.push_str(&format!("; the mapped states could not be restored: {f}"));
        }
        out
    }

    pub(super) fn not_loaded(&self, error: &LoadError) -> StepFailure {
        self.of_scene("plan", error.to_string())
    }

    /// Steps that lead beyond all numbers are not begun.
    pub(super) fn check_time(&self) -> Result<(), StepFailure> {
        let (time, dt) = (self.time(), self.dt());
        if (time + dt).is_finite() {
            return Ok(());
        }
        Err(self.of_scene("time", format!("the time is {time:e} s, and {dt:e} s more are not finite")))
    }

    fn of_scene(&self, task: &str, message: String) -> StepFailure {
        StepFailure {
            step: self.step,
            task: task.to_owned(),
            component: "/".to_owned(),
            file: String::new(),
            line: 0,
            message,
        }
    }
}
