//! What is greatest in the state before a step that failed: it says where to look, since an integrator's numbers overflow last.

use engine::exec::PlanId;
use sim_core::component::MechanicalParams;
use sim_core::math::Vec3;
use sim_core::scene::{ComponentId, StateId};
use sim_core::visitor::world::World;

use super::report::place;
use super::{Simulation, StepFailure};

/// A number of a component, and at which of its state's points it is.
struct Found {
    size: f64,
    component: ComponentId,
    point: usize,
}

/// The largest number found so far; what is no number is larger than all.
#[derive(Default)]
struct Greatest(Option<Found>);

impl Greatest {
    fn look(&mut self, component: ComponentId, values: &[f64], n: usize) {
        let width = values.len().checked_div(n).unwrap_or(1).max(1);
        for (k, value) in values.iter().enumerate() {
            let size = if value.is_nan() { f64::INFINITY } else { value.abs() };
            if size > self.0.as_ref().map_or(0.0, |f| f.size) {
                self.0 = Some(Found { size, component, point: k / width });
            }
        }
    }

    fn text(&self, what: &str, world: &World) -> Option<String> {
        let Found { size, component, point } = self.0.as_ref()?;
        let path = world.scene.path(*component);
        let location = &world.scene.component(*component).location;
        let place = place(&location.file, &location.line);
        let size = if size.is_finite() { format!("{size:.3e}") } else { "not finite".to_owned() };
        Some(format!("the greatest {what} is {size} (of {path}, point {point}{place})"))
    }
}

/// Positions and velocities of a state, number by number.
struct Flat {
    x: Vec<f64>,
    v: Vec<f64>,
    n: usize,
}

impl Simulation {
    /// Finds which task left what is not finite, and says what is greatest in the state before the step.
    pub(super) fn blame_growth(&mut self, plan: PlanId) -> StepFailure {
        let mut blamed = self.blame(plan, None);
        if blamed.component.is_empty() {
            // No task has left anything that is not finite: squares were summed up, and are nowhere but in a solver's scalars.
            (blamed.component, blamed.task) = ("/".to_owned(), "solve".to_owned());
            blamed.message.push_str(", or a solver's sums over it overflow");
        }
        let greatest = self.greatest();
        if !greatest.is_empty() {
            blamed.message.push_str(&format!("; before the step {}", greatest.join(" and ")));
        }
        blamed
    }

    /// The greatest number of velocities, and that of forces; contacts are left out.
    fn greatest(&self) -> Vec<String> {
        let World { scene, store, vectors, parameters, .. } = &self.world;
        let parts = &scene.parts;
        let here = |c: ComponentId| scene.has_component(c);
        let flat = |s: u32| {
            let (mut x, mut v) = (Vec::new(), Vec::new());
            self.append_state(StateId(s), &mut x, &mut v);
            Flat { x, v, n: vectors[s as usize].len() }
        };
        let states: Vec<Flat> = (0..scene.n_states() as u32).map(flat).collect();
        let state = |s: StateId| &states[s.0 as usize];
        let (mut speed, mut force) = (Greatest::default(), Greatest::default());
        for (s, Flat { v, n, .. }) in states.iter().enumerate() {
            speed.look(scene.component_of_state(StateId(s as u32)), v, *n);
        }
        let params = MechanicalParams { dt: self.dt(), time: self.time() };
        let gravity = Vec3::from(parameters.gravity.map(|g| store.parameter_value(g)));
        for part in parts.force_fields.iter().filter(|p| here(p.component)) {
            let Flat { x, v, n } = state(part.state);
            let mut f = vec![0.0; v.len()];
            part.node.direct(store).add_force(&params, x, v, &mut f);
            force.look(part.component, &f, *n);
        }
        for part in parts.masses.iter().filter(|p| here(p.component)) {
            let Flat { x, v, n } = state(part.state);
            let mut f = vec![0.0; v.len()];
            part.node.direct(store).add_force(&gravity, x, v, &mut f);
            force.look(part.component, &f, *n);
        }
        for part in parts.interactions.iter().filter(|p| here(p.component)) {
            let [first, second] = [state(part.first), state(part.second)];
            let (mut f, mut g) = (vec![0.0; first.v.len()], vec![0.0; second.v.len()]);
            let (x, v) = ([&*first.x, &*second.x], [&*first.v, &*second.v]);
            part.node.direct(store).add_force(&params, x, v, [&mut f, &mut g]);
            force.look(part.component, &f, first.n);
            force.look(part.component, &g, second.n);
        }
        [speed.text("speed", &self.world), force.text("force", &self.world)].into_iter().flatten().collect()
    }
}
