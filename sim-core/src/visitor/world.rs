//! A scene ready to record: every array in the store, every component with its object, every object with its solver.

use super::interaction_node::Sides;
use super::object::{ForceRef, Object};
use super::vectors::{StateVectors, Vectors};
use super::visit::{StepParameters, tag_of};
use crate::component::mechanical_state::AnyInitialState;
use crate::data::{ObjectId, Store};
use crate::scene::{ComponentId, NodeId, Scene, StateId};

/// Why a scene cannot be simulated.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{component}: {message}")]
pub struct FreezeError {
    /// The component's path.
    pub component: String,
    /// The component, for its place in the file.
    pub id: Option<ComponentId>,
    /// What is wrong and what to do, in one line.
    pub message: String,
}

/// An ODE solver and what it moves.
#[derive(Clone, Debug)]
pub struct SolverNode {
    /// Index in `Solvers::ode`.
    pub ode: usize,
    /// Index in `Solvers::linear`.
    pub linear: Option<usize>,
    /// The objects it moves, in order.
    pub objects: Vec<ObjectId>,
    /// Interaction force fields that it treats: indices in `Parts::interactions`, with the sides it moves.
    pub interactions: Vec<(usize, Sides)>,
    /// Its node.
    pub at: NodeId,
}

/// A scene ready to record.
pub struct World {
    /// The scene: names, places, components.
    pub scene: Scene,
    /// All data.
    pub store: Store,
    /// The vectors of all states.
    pub vectors: Vec<StateVectors>,
    /// The independent objects.
    pub objects: Vec<Object>,
    /// The solvers, in depth-first scene order; inner ones are left out, as in SOFA.
    pub solvers: Vec<SolverNode>,
    /// Interaction force fields above all solvers: evaluated once per step into external forces, with the sides that receive.
    pub external: Vec<usize>,
    /// Numbers that are constant within a step.
    pub parameters: StepParameters,
}

impl World {
    /// Takes a scene in.
    ///
    /// # Errors
    /// Where a solver lacks what it needs, or there is nothing to simulate.
    pub fn new(mut scene: Scene) -> Result<Self, FreezeError> {
        let order = SceneOrder::new(&scene);
        let mut mapped_by = vec![None; scene.n_states()];
        // A state that several inputs move belongs to the object of the first.
        for (k, m) in scene.parts.mappings.iter().enumerate() {
            mapped_by[m.second.0 as usize].get_or_insert(k);
        }
        let root_of = |state: StateId| {
            let mut s = state;
            // A chain of mappings cannot be longer than the number of states.
            for _ in 0..mapped_by.len() {
                match mapped_by[s.0 as usize] {
                    Some(k) => s = scene.parts.mappings[k].first,
                    None => return Ok(s),
                }
            }
            let component = scene.component_of_state(state);
            Err(FreezeError {
                component: scene.path(component),
                id: Some(component),
                message: "its mappings form a cycle".to_owned(),
            })
        };
        let mut states: Vec<StateId> = (0..scene.n_states() as u32).map(StateId).collect();
        states.sort_by_key(|s| order.component(scene.component_of_state(*s)));
        let mut objects: Vec<Object> = Vec::new();
        let mut object_of = vec![ObjectId(0); scene.n_states()];
        for s in states.iter().filter(|s| mapped_by[s.0 as usize].is_none()) {
            let id = ObjectId(objects.len() as u32);
            object_of[s.0 as usize] = id;
            objects.push(Object {
                id,
                root: *s,
                states: vec![*s],
                forces: Vec::new(),
                constraints: Vec::new(),
                mappings: Vec::new(),
                solver: None,
                solver_tag: None,
            });
        }
        // Mappings are built after their inputs' own mappings only where the scene orders them so: go by depth.
        let mut mapped: Vec<(usize, StateId)> = Vec::new();
        for s in states.iter().filter(|s| mapped_by[s.0 as usize].is_some()) {
            let root = root_of(*s)?;
            object_of[s.0 as usize] = object_of[root.0 as usize];
            let mut depth = 0;
            let mut at = *s;
            while let Some(k) = mapped_by[at.0 as usize] {
                at = scene.parts.mappings[k].first;
                depth += 1;
            }
            mapped.push((depth, *s));
        }
        mapped.sort_by_key(|(depth, _)| *depth);
        for (_, s) in mapped {
            let object = &mut objects[object_of[s.0 as usize].0 as usize];
            object.states.push(s);
            let mappings = scene.parts.mappings.iter().enumerate();
            object.mappings.extend(mappings.filter(|(_, m)| m.second == s).map(|(k, _)| k));
        }

        let mut forces: Vec<(u32, StateId, ForceRef)> = Vec::new();
        for (k, f) in scene.parts.force_fields.iter().enumerate() {
            forces.push((order.component(f.component), f.state, ForceRef::ForceField(k)));
        }
        for (k, m) in scene.parts.masses.iter().enumerate() {
            forces.push((order.component(m.component), m.state, ForceRef::Mass(k)));
        }
        forces.sort_by_key(|f| f.0);
        for (_, state, f) in forces {
            objects[object_of[state.0 as usize].0 as usize].forces.push(f);
        }
        let mut constraints: Vec<(u32, StateId, usize)> = Vec::new();
        for (k, c) in scene.parts.constraints.iter().enumerate() {
            constraints.push((order.component(c.component), c.state, k));
        }
        constraints.sort_by_key(|c| c.0);
        for (_, state, k) in constraints {
            objects[object_of[state.0 as usize].0 as usize].constraints.push(k);
        }

        let mut store = Store::new();
        let vectors = states_to_vectors(&scene, &mut store, &object_of, &mapped_by);
        freeze_parts(&mut scene, &mut store, &object_of);
        let parameters = StepParameters {
            dt: store.parameter("dt", scene.dt),
            time: store.parameter("time", scene.time),
            gravity: [
                store.parameter("gravity.x", scene.gravity.x),
                store.parameter("gravity.y", scene.gravity.y),
                store.parameter("gravity.z", scene.gravity.z),
            ],
            step: store.parameter("step", 0u64),
        };
        let solvers = solver_nodes(&scene, &order, &mut objects);
        check_further_inputs(&scene, &objects, &object_of, &mapped_by)?;
        let mut world = Self { scene, store, vectors, objects, solvers, external: Vec::new(), parameters };
        world.place_interactions();
        Ok(world)
    }

    /// Checks that every solver has what it needs.
    ///
    /// # Errors
    /// An implicit solver without a linear solver, or no solver at all.
    pub fn check_solvers(&self) -> Result<(), FreezeError> {
        let parts = &self.scene.parts;
        for s in &self.solvers {
            let ode = &self.scene.solvers.ode[s.ode];
            let diagonal = s.objects.iter().all(|o| {
                let o = &self.objects[o.0 as usize];
                o.forces.iter().all(|f| match *f {
                    ForceRef::Mass(k) => {
                        parts.masses[k].node.is_diagonal() && parts.masses[k].state == o.root
                    }
                    ForceRef::ForceField(_) => true,
                })
            });
            if ode.node.needs_linear_solver(diagonal) && s.linear.is_none() {
                return Err(FreezeError {
                    component: self.scene.path(ode.component),
                    id: Some(ode.component),
                    message: format!(
                        "{} solves a linear system and finds no linear solver in its node or below: add a CGLinearSolver",
                        ode.node.class()
                    ),
                });
            }
        }
        Ok(())
    }

    /// The object of a state.
    pub fn object_of(&self, state: StateId) -> &Object {
        &self.objects[self.vectors[state.0 as usize].object().0 as usize]
    }

    /// Whether a solver stands in the state's node or above it: SOFA's regression counts these states.
    pub fn is_simulated(&self, state: StateId) -> bool {
        let node = self.scene.component(self.scene.component_of_state(state)).node;
        self.scene.upward(node).any(|n| self.scene.solvers.ode.iter().any(|s| s.at == n))
    }

    /// The solver whose node is `node` or above it, the outermost.
    pub fn solver_above(&self, node: NodeId) -> Option<usize> {
        self.scene.upward(node).filter_map(|n| self.solvers.iter().position(|s| s.at == n)).last()
    }

    fn place_interactions(&mut self) {
        for k in 0..self.scene.parts.interactions.len() {
            let i = &self.scene.parts.interactions[k];
            let node = self.scene.component(i.component).node;
            match self.solver_above(node) {
                Some(s) => {
                    let sides = Sides {
                        first: self.object_of(i.first).solver == Some(s),
                        second: self.object_of(i.second).solver == Some(s),
                    };
                    self.solvers[s].interactions.push((k, sides));
                }
                None => self.external.push(k),
            }
        }
    }
}

/// The place of every component in a depth-first walk.
struct SceneOrder {
    component: Vec<u32>,
    node: Vec<u32>,
}

impl SceneOrder {
    fn new(scene: &Scene) -> Self {
        let nodes = scene.depth_first();
        let mut node = vec![0; nodes.len()];
        let mut component = vec![0; scene.all_components().count()];
        let mut next = 0;
        for (k, n) in nodes.iter().enumerate() {
            node[n.0 as usize] = k as u32;
            for c in scene.components_of(*n) {
                component[c.0 as usize] = next;
                next += 1;
            }
        }
        Self { component, node }
    }
    fn component(&self, id: ComponentId) -> u32 {
        self.component[id.0 as usize]
    }
    fn node(&self, id: NodeId) -> u32 {
        self.node[id.0 as usize]
    }
}

/// The further inputs of a state that several move must be independent, and moved by the solver of the first: within a
/// sweep, what is mapped is mapped once.
fn check_further_inputs(
    scene: &Scene,
    objects: &[Object],
    object_of: &[ObjectId],
    mapped_by: &[Option<usize>],
) -> Result<(), FreezeError> {
    let solver = |s: StateId| objects[object_of[s.0 as usize].0 as usize].solver;
    for (k, m) in scene.parts.mappings.iter().enumerate() {
        let further = mapped_by[m.second.0 as usize] != Some(k);
        let message = if further && mapped_by[m.first.0 as usize].is_some() {
            "is itself mapped; of several inputs, only the first may be"
        } else if solver(m.first) != solver(m.second) {
            "is not moved by the same solver as the first input; put both below one"
        } else {
            continue;
        };
        let input = scene.path(scene.component_of_state(m.first));
        return Err(FreezeError {
            component: scene.path(m.component),
            id: Some(m.component),
            message: format!("its input {input} {message}"),
        });
    }
    Ok(())
}

fn states_to_vectors(
    scene: &Scene,
    store: &mut Store,
    object_of: &[ObjectId],
    mapped_by: &[Option<usize>],
) -> Vec<StateVectors> {
    (0..scene.n_states() as u32)
        .map(|k| {
            let s = StateId(k);
            let name = scene.path(scene.component_of_state(s));
            let object = object_of[k as usize];
            let mapped = mapped_by[k as usize].is_some();
            match scene.initial(s) {
                AnyInitialState::Vec3(i) => StateVectors::Vec3(Vectors::new(store, object, mapped, name, i)),
                AnyInitialState::Rigid3(i) => {
                    StateVectors::Rigid3(Vectors::new(store, object, mapped, name, i))
                }
            }
        })
        .collect()
}

fn freeze_parts(scene: &mut Scene, store: &mut Store, object_of: &[ObjectId]) {
    let mut parts = std::mem::take(&mut scene.parts);
    for p in &mut parts.force_fields {
        p.node.freeze(store, object_of[p.state.0 as usize], &scene.path(p.component));
    }
    for p in &mut parts.masses {
        p.node.freeze(store, object_of[p.state.0 as usize], &scene.path(p.component));
    }
    for p in &mut parts.constraints {
        p.node.freeze(store, object_of[p.state.0 as usize], &scene.path(p.component));
    }
    for p in &mut parts.mappings {
        p.node.freeze(store, object_of[p.second.0 as usize], &scene.path(p.component));
    }
    for p in &mut parts.interactions {
        p.node.freeze(store, object_of[p.first.0 as usize], &scene.path(p.component));
    }
    scene.parts = parts;
}

/// The outermost solvers, each with a linear solver (its node first, then downwards) and the objects below it.
fn solver_nodes(scene: &Scene, order: &SceneOrder, objects: &mut [Object]) -> Vec<SolverNode> {
    let mut solvers: Vec<SolverNode> = Vec::new();
    let mut odes: Vec<usize> = (0..scene.solvers.ode.len()).collect();
    odes.sort_by_key(|k| order.component(scene.solvers.ode[*k].component));
    for ode in odes {
        let at = scene.solvers.ode[ode].at;
        let shadowed = scene.upward(at).any(|n| solvers.iter().any(|s| s.at == n));
        if shadowed {
            continue;
        }
        let below = |n: NodeId| scene.upward(n).any(|m| m == at);
        let here = scene.solvers.linear.iter().position(|l| l.at == at);
        let linear = here.or_else(|| {
            let mut inside: Vec<usize> =
                (0..scene.solvers.linear.len()).filter(|k| below(scene.solvers.linear[*k].at)).collect();
            inside.sort_by_key(|k| order.node(scene.solvers.linear[*k].at));
            inside.first().copied()
        });
        let index = solvers.len();
        let mut moved = Vec::new();
        for o in objects.iter_mut() {
            if below(scene.component(scene.component_of_state(o.root)).node) {
                o.solver = Some(index);
                o.solver_tag = Some(tag_of(scene.solvers.ode[ode].component));
                moved.push(o.id);
            }
        }
        solvers.push(SolverNode { ode, linear, objects: moved, interactions: Vec::new(), at });
    }
    solvers
}
