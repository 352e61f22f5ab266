//! What commands do to a running simulation.

use std::sync::Arc;
use std::time::Instant;

use sim_core::scene::StateId;
use viewer::outline::Outline;
use viewer::snapshot::Command;

use super::execution::meant;
use super::hand::Hand;
use super::helm::Helm;
use super::session::{Next, Session};
use super::viewed;
use crate::simulation::{Execution, ExecutorKind, Simulation};

impl Session {
    pub(super) fn obey(&mut self, command: Command) -> Next {
        match command {
            Command::Run(running) => {
                self.running = running && self.failure.is_none();
                (self.due, self.last) = (Instant::now(), None);
                if !running {
                    self.analyst.hand_over(true);
                }
                self.publish();
            }
            Command::Step => {
                self.running = false;
                return Next::Step;
            }
            Command::Reset => self.reset(),
            Command::Pace(paced) => {
                self.paced = paced;
                self.due = Instant::now();
            }
            Command::Grasp(grip, stiffness) => self
                .changed(|s, hand, order| hand.grasp(s, order, &grip, stiffness).map_err(|e| e.to_string())),
            Command::Pull(to) => {
                self.hand.pull(&mut self.simulation, to);
                log::trace!("pulled");
            }
            Command::SetStiffness(stiffness) => self.hand.stiffen(&mut self.simulation, stiffness),
            Command::LetGo => self.changed(|s, hand, _| hand.let_go(s).map_err(|e| e.to_string())),
            Command::Remove(grip) => self.changed(|s, _, order| {
                // A place among the states that is none is refused as one where there is nothing.
                let state = order.get(grip.state).copied().unwrap_or(StateId(u32::MAX));
                s.remove_element_at(state, grip.index, &grip.at).map(|_| ()).map_err(|e| e.to_string())
            }),
            Command::TakeOver(grip) => {
                let Self { helm, simulation, order, .. } = self;
                let said = helm.take_over(simulation, order, grip.as_ref());
                self.say(said);
            }
            Command::Steer(steer) => {
                let said = self.helm.steer(&mut self.simulation, steer);
                self.say(said);
            }
            Command::Observe(on) => {
                self.observes = on;
                self.simulation.observe(on);
                self.analyst.forget();
            }
            Command::MeasureEnergy(on) => self.meter.switch(on),
            // Physics knows no keys.
            Command::Key(_) => {}
            Command::ShowContacts(on) => {
                self.shows_contacts = on;
                self.publish();
            }
            // Nothing of physics asks for keys, or for who looks at it.
            Command::Point(_) | Command::Button(_) | Command::Look(..) | Command::Type(..) => {}
            Command::SetDt(dt) => self.changed(|s, _, _| s.set_dt(dt).map_err(|e| e.to_string())),
            Command::SetGravity(g) => self.changed(|s, _, _| s.set_gravity(g).map_err(|e| e.to_string())),
            Command::SetAttribute { path, attribute, value } => self.set_attribute(&path, &attribute, &value),
            Command::SetExecution(execution) => {
                self.analyst.forget();
                self.changed(|s, _, _| s.set_execution(meant(&execution)?).map_err(|e| e.to_string()));
            }
        }
        Next::Listen
    }

    /// Changes the simulation between two steps, or says why it cannot be changed so.
    fn changed(&mut self, change: impl FnOnce(&mut Simulation, &mut Hand, &[StateId]) -> Result<(), String>) {
        self.refusal = change(&mut self.simulation, &mut self.hand, &self.order).err();
        self.see_topology_changes();
        self.publish();
    }

    /// Has the window say what was done, or why nothing was.
    fn say(&mut self, said: Result<String, String>) {
        self.refusal = Some(said.unwrap_or_else(|why| why));
        self.publish();
    }

    /// Gives an attribute another value; what is shown of it is what the simulation has then.
    fn set_attribute(&mut self, path: &str, attribute: &str, value: &str) {
        let (component, another) = {
            let mut found = self.simulation.find_components(path);
            (found.next(), found.next())
        };
        self.refusal = match component {
            _ if another.is_some() => Some(format!("several components are called {path}; give them names")),
            None => Some(format!("there is no component {path}")),
            Some(id) => self.simulation.set_attribute(id, attribute, value).err().map(|e| e.to_string()),
        };
        if let (Some(id), None) = (component, &self.refusal) {
            // What is taken in the place of what was typed is shown, and said.
            self.refusal = self.simulation.take_edit_notice();
            let world = self.simulation.world();
            Arc::make_mut(&mut self.outline).renew(&world.scene, id);
            if let Some(surface) = viewer::surface::changed(world, &self.order, id) {
                let changed = Arc::make_mut(&mut self.changed);
                changed.retain(|s| s.path != surface.path);
                changed.push(Arc::new(surface));
            }
        }
        self.publish();
    }

    /// Begins anew, with the values of the scene, and run as at present.
    fn reset(&mut self) {
        match self.anew() {
            Ok(simulation) => {
                self.simulation = simulation;
                self.simulation.observe(self.observes);
                (self.hand, self.helm) = (Hand::default(), Helm::default());
                self.order = self.simulation.state_order();
                self.outline = Arc::new(Outline::of(&self.simulation.world().scene));
                self.changed = Arc::default();
                self.viewed = Arc::new(viewed(&self.viewed.title, &self.simulation));
                self.topology_changes = self.simulation.topology_changes();
                (self.failure, self.refusal) = (None, None);
                self.resets += 1;
            }
            // What was there before can go on.
            Err(message) => self.refusal = Some(message),
        }
        self.analyst.forget();
        (self.due, self.last) = (Instant::now(), None);
        self.publish();
    }

    /// Another simulation from the beginning.
    fn anew(&mut self) -> Result<Simulation, String> {
        let execution = self.simulation.execution();
        // The present one lets its threads go first, and this thread, which both would pin.
        let idle = Execution { executor: ExecutorKind::Sequential, ..execution };
        self.simulation.set_execution(idle).map_err(|e| e.to_string())?;
        let made = (self.make)().and_then(|mut simulation| {
            simulation.set_execution(execution).map_err(|e| e.to_string())?;
            Ok(simulation)
        });
        if made.is_err() {
            self.simulation.set_execution(execution).map_err(|e| e.to_string())?;
        }
        made
    }
}
