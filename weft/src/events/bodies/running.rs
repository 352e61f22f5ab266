//! One collection of bodies, and its mechanics.

use animation::event::NodeId;
use animation::event::field::Value;
use animation::event::runtime::EventGraph;
use animation::event::scene::EventScene;
use engine::data::Store;
use scenes::bodies::{Distances, Start, body_name, elements, load};
use scenes::diagnostics::Diagnostic;
use scenes::playback::Frame;
use scenes::{LoadOptions, load_elements};
use sim_core::scene::{ComponentId, StateId};
use x3d::bodies::{Body, BodySystem, Pose};
use x3d::shape::FieldValues;

use super::party::{Colliding, party};
use super::told::Told;
use crate::events::environment::Present;
use crate::simulation::{Simulation, SimulationOptions};

/// Longest step \[s\].
const LONGEST_STEP: f64 = 0.01;
/// Steps from frame to frame, at most.
const MOST_STEPS: u32 = 64;

/// A collection and its mechanics.
pub(super) struct Running {
    pub system: BodySystem,
    pub simulation: Simulation,
    /// Of each body.
    states: Vec<StateId>,
    /// Of each body that moves: the force on it.
    loads: Vec<Option<ComponentId>>,
    /// Where each body's center of mass is now, and how it moves.
    pub now: Vec<Start>,
    /// Bodies that are fixed, and that events move.
    carried: Vec<Carried>,
    pub told: Told,
    /// How far a body may come in a step.
    step: Option<f64>,
    /// The distance of surfaces that touch \[m\].
    pub contact: f64,
    pub colliding: Colliding,
}

/// A body that no force moves, and that goes on by events.
struct Carried {
    number: usize,
    from: Pose,
    velocity: [[f64; 3]; 2],
}

/// What a system is but for how it moves.
fn structure(system: &BodySystem) -> BodySystem {
    let mut system = system.clone();
    for body in &mut system.bodies {
        (body.pose, body.velocity, body.load) = (Pose::IDENTITY, [[0.0; 3]; 2], [[0.0; 3]; 2]);
    }
    system
}

impl Running {
    /// The mechanics of a collection: those of before where it is the same; else new ones, in which bodies go on as they moved.
    ///
    /// # Errors
    /// They cannot be made, in words.
    pub fn made(
        scene: &EventScene,
        system: BodySystem,
        before: Option<Self>,
        options: &SimulationOptions,
        dt: f64,
    ) -> Result<(Self, Vec<Diagnostic>), String> {
        let (mut starts, mut told) = (Vec::new(), Told::default());
        for body in &system.bodies {
            let known = before.as_ref().and_then(|b| b.place(body.node));
            starts.push(known.map_or_else(|| Start::of(body), |(old, start)| moved(body, old, start)));
        }
        if let Some(before) = before {
            if structure(&before.system) == structure(&system) {
                return Ok((before, Vec::new()));
            }
            told = before.told;
        }
        let steps = steps_of(dt, 0.0, None);
        let dt = dt / f64::from(steps);
        let root = elements(scene, &system, &starts, dt);
        let loaded = load_elements(root, &LoadOptions::default()).map_err(|e| e.to_string())?;
        let paths: Vec<(String, ComponentId)> =
            loaded.scene.all_components().map(|c| (loaded.scene.path(c), c)).collect();
        let find = |number: usize, name: &str| {
            let path = format!("/{}/{name}", body_name(number));
            paths.iter().find(|(p, _)| *p == path).map(|(_, c)| *c)
        };
        let mut states = Vec::new();
        for number in 0..system.bodies.len() {
            let state = find(number, "dofs").and_then(|c| loaded.scene.state_of_component(c));
            states.push(state.ok_or_else(|| format!("body {number} has no state"))?);
        }
        let loads = (0..system.bodies.len()).map(|number| find(number, "load")).collect();
        let colliding = paths.iter().filter_map(|(path, c)| Some((*c, party(&system, path)?))).collect();
        let options = SimulationOptions { dt: Some(dt), ..options.clone() };
        let simulation = Simulation::new(loaded.scene, options).map_err(|e| e.to_string())?;
        let distances = Distances::of(&system);
        let (step, contact) = (distances.map(|d| d.step), distances.map_or(0.0, |d| d.contact));
        let made = Self {
            system,
            simulation,
            states,
            loads,
            now: starts,
            carried: Vec::new(),
            told,
            step,
            contact,
            colliding,
        };
        Ok((made, loaded.diagnostics))
    }

    /// The RigidBodyCollection.
    pub fn node(&self) -> NodeId {
        self.system.node
    }

    /// The nodes that it was read from.
    pub fn sources(&self) -> &[NodeId] {
        &self.system.sources
    }

    /// Whether a node's place follows a body.
    pub fn owns_place_of(&self, node: NodeId) -> bool {
        self.system.bodies.iter().flat_map(|b| &b.collidables).any(|c| c.node == node)
    }

    fn place(&self, node: NodeId) -> Option<(&Body, &Start)> {
        let bodies = self.system.bodies.iter().zip(&self.now);
        bodies.into_iter().find(|(body, _)| body.node == node)
    }

    /// Takes in what events have changed, and goes on by the time between two frames, unless the collection is not enabled.
    ///
    /// # Errors
    /// A step that fails, in words.
    pub fn advance(&mut self, graph: &EventGraph, store: &Store, dt: f64) -> Result<(), String> {
        self.take_changes(graph, store, dt)?;
        let present = Present { graph, store };
        let enabled = graph.scene().node(self.node()).node_type.field("enabled");
        let enabled = enabled.map(|field| present.present(self.node(), field));
        if enabled == Some(Value::SFBool(false)) {
            return Ok(());
        }
        let steps = steps_of(dt, self.fastest(dt), self.step);
        self.simulation.set_dt(dt / f64::from(steps)).map_err(|e| e.to_string())?;
        for step in 0..steps {
            self.carry(step, steps, dt)?;
            self.simulation.step().map_err(|e| e.to_string())?;
        }
        // Each has come to where events have put it, but for rounding.
        for Carried { number, .. } in std::mem::take(&mut self.carried) {
            let Start { center, velocity } = self.now[number];
            let there = frame(&center, velocity);
            self.simulation.carry(self.states[number], &there, &there)?;
        }
        self.look();
        Ok(())
    }

    /// Takes in places, velocities and forces that are others than what was told, and damps.
    fn take_changes(&mut self, graph: &EventGraph, store: &Store, dt: f64) -> Result<(), String> {
        for number in 0..self.system.bodies.len() {
            let body = &mut self.system.bodies[number];
            let mut start = self.now[number];
            let before = (start, body.pose_at(&start.center));
            let mut pose = before.1;
            if let Some(Value::SFVec3f(p)) = self.told.changed(graph, store, body.node, "position") {
                pose.position = p.map(f64::from);
            }
            if let Some(Value::SFRotation(r)) = self.told.changed(graph, store, body.node, "orientation") {
                pose = Pose::new(pose.position, r.map(f64::from));
            }
            if pose != before.1 {
                start.center = body.center_at(&pose);
            }
            let set = ["linearVelocity", "angularVelocity"]
                .map(|field| self.told.changed(graph, store, body.node, field));
            if body.is_fixed {
                // What carries others along is how events move it.
                start.velocity = start.center.velocity_since(&before.0.center, dt);
            } else {
                for (k, set) in set.into_iter().enumerate() {
                    if let Some(Value::SFVec3f(v)) = set {
                        start.velocity[k] = v.map(f64::from);
                    }
                    start.velocity[k] = start.velocity[k].map(|v| v * (1.0 - body.damping[k]));
                }
            }
            let mut is_loaded = false;
            for (k, field) in ["forces", "torques"].into_iter().enumerate() {
                if let Some(Value::MFVec3f(all)) = self.told.taken(graph, store, body.node, field) {
                    let sum = |i: usize| all.iter().map(|v| f64::from(v[i])).sum::<f64>();
                    let sum = [sum(0), sum(1), sum(2)];
                    is_loaded |= body.load[k] != sum;
                    body.load[k] = sum;
                }
            }
            if let Some(component) = self.loads[number].filter(|_| is_loaded) {
                let load = load(&self.system, &self.system.bodies[number]);
                self.simulation.set_attribute(component, "forces", &load).map_err(|e| e.to_string())?;
            }
            if start == before.0 {
                continue;
            }
            self.now[number] = start;
            if self.system.bodies[number].is_fixed {
                let (from, velocity) = (before.0.center, start.velocity);
                self.carried.retain(|c| c.number != number);
                self.carried.push(Carried { number, from, velocity });
            } else {
                self.simulation.give(self.states[number], &frame(&start.center, start.velocity))?;
            }
        }
        Ok(())
    }

    /// Has bodies that events move go on in a step.
    fn carry(&mut self, step: u32, steps: u32, dt: f64) -> Result<(), String> {
        for Carried { number, from, velocity } in &self.carried {
            let at = |step: u32| {
                let pose = from.moved_by(*velocity, dt * f64::from(step) / f64::from(steps));
                frame(&pose, *velocity)
            };
            self.simulation.carry(self.states[*number], &at(step), &at(step + 1))?;
        }
        Ok(())
    }

    /// Finds where bodies are.
    fn look(&mut self) {
        let (mut x, mut v) = (Vec::new(), Vec::new());
        for (state, now) in self.states.iter().zip(&mut self.now) {
            x.clear();
            v.clear();
            self.simulation.append_state(*state, &mut x, &mut v);
            if let ([px, py, pz, qx, qy, qz, qw], [vx, vy, vz, wx, wy, wz]) = (&x[..], &v[..]) {
                let center = Pose { position: [*px, *py, *pz], orientation: [*qx, *qy, *qz, *qw] };
                *now = Start { center, velocity: [[*vx, *vy, *vz], [*wx, *wy, *wz]] };
            }
        }
    }

    /// How fast the fastest point of what collides may be until the next frame \[m/s\].
    fn fastest(&self, dt: f64) -> f64 {
        let norm = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
        let fall = norm(self.system.gravity) * dt;
        let speed = |(body, now): (&Body, &Start)| {
            let reach = |c: &x3d::bodies::Collidable| {
                let from = std::array::from_fn(|k| c.solid_place.position[k] - body.center_of_mass[k]);
                c.solid.as_ref().filter(|_| c.collides).map(|solid| norm(from) + solid.reach())
            };
            let reach = body.collidables.iter().filter_map(reach).reduce(f64::max);
            reach.map_or(0.0, |reach| norm(now.velocity[0]) + norm(now.velocity[1]) * reach + fall)
        };
        self.system.bodies.iter().zip(&self.now).map(speed).fold(0.0, f64::max)
    }
}

/// A state as it is given.
fn frame(center: &Pose, [linear, angular]: [[f64; 3]; 2]) -> Frame {
    Frame {
        time: 0.0,
        line: 0,
        position: Some(center.position.into_iter().chain(center.orientation).collect()),
        velocity: Some(linear.into_iter().chain(angular).collect()),
    }
}

/// How many steps there are from frame to frame.
fn steps_of(dt: f64, speed: f64, step: Option<f64>) -> u32 {
    let by_time = (dt / LONGEST_STEP).ceil();
    let by_way = step.map_or(1.0, |step| (speed * dt / step).ceil());
    by_time.max(by_way).clamp(1.0, f64::from(MOST_STEPS)) as u32
}

/// Where a body goes on whose mechanics are made anew.
fn moved(body: &Body, old: &Body, start: &Start) -> Start {
    let pose = old.pose_at(&start.center);
    Start { center: body.center_at(&pose), velocity: start.velocity }
}
