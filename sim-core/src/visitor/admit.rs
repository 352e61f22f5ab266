//! Taking in what has come to a scene: the whole scene at first, later a node with all below it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::interaction_node::Sides;
use super::object::{ForceRef, Object, ObjectsBeside};
use super::vectors::{Kind, StateVectors};
use super::visit::tag_of;
use super::world::{FreezeError, SolverNode, World};
use crate::scene::{ComponentId, NodeId, Scene, SceneMark, StateId};
use engine::data::ObjectId;

/// What was taken in, and what it changes of what was there.
#[derive(Clone, Debug, Default)]
pub struct Arrival {
    /// New objects.
    pub objects: Vec<ObjectId>,
    /// New solvers.
    pub solvers: Vec<usize>,
    /// Objects of before on which new components act.
    pub touched: Vec<ObjectId>,
    /// New interaction force fields: indices in `Parts::interactions`.
    pub interactions: Vec<usize>,
    /// States on which new force fields act from above the solver, one entry each.
    pub external: Vec<StateId>,
    /// Some new mapping takes in several objects.
    pub is_entangled: bool,
}

/// The new states and mappings, sorted out before anything is changed.
struct Draft {
    first_state: usize,
    /// The mapping that moves each new state.
    mapped_by: Vec<Option<usize>>,
    /// The object of each new state.
    object_of: Vec<ObjectId>,
    objects: Vec<Object>,
}

impl Draft {
    fn mapping_of(&self, state: StateId) -> Option<usize> {
        self.mapped_by[state.0 as usize - self.first_state]
    }
    fn object(&self, state: StateId) -> ObjectId {
        self.object_of[state.0 as usize - self.first_state]
    }
}

impl World {
    /// Takes in what came to the scene since a mark, all of it at `from` or below: states, components, solvers.
    ///
    /// # Errors
    /// Mappings that form a cycle, or reach what was there before. The world is then as it was, the scene is not: see
    /// [`Scene::rewind`].
    pub fn admit(&mut self, mark: &SceneMark, from: NodeId) -> Result<Arrival, FreezeError> {
        let order = SceneOrder::new(&self.scene, from, mark);
        let mut draft = self.new_objects(mark, &order)?;
        let solvers = self.new_solvers(mark, &order);
        let solver_at = |n: NodeId| {
            let known = self.solvers.iter().position(|s| s.at == n);
            known.or_else(|| solvers.iter().position(|s| s.at == n).map(|k| self.solvers.len() + k))
        };
        for o in &mut draft.objects {
            let node = self.scene.component(self.scene.component_of_state(o.root)).node;
            o.solver = self.scene.solved_from(node).filter_map(solver_at).last();
        }
        self.check_further_inputs(mark, &draft)?;
        self.check_constraints_between(mark, &draft)?;

        let mut arrival = Arrival {
            objects: draft.objects.iter().map(|o| o.id).collect(),
            solvers: (self.solvers.len()..self.solvers.len() + solvers.len()).collect(),
            interactions: (mark.interactions..self.scene.parts.interactions.len()).collect(),
            ..Arrival::default()
        };
        self.solvers.extend(solvers);
        for o in &mut draft.objects {
            if let Some(s) = o.solver {
                self.solvers[s].objects.push(o.id);
                o.solver_tag = Some(tag_of(self.scene.solvers.ode[self.solvers[s].ode].component));
            }
        }
        self.create_vectors(&draft);
        self.objects.append(&mut draft.objects);
        self.reserve_beside(&arrival.objects);
        self.freeze_parts(mark);
        self.place_components(mark, &order, &mut arrival);
        arrival.is_entangled = self.scene.parts.mappings[mark.mappings..]
            .iter()
            .any(|m| self.object_of(m.first).id != self.object_of(m.second).id);
        self.find_listed_loads(mark);
        for k in arrival.interactions.clone() {
            self.place_interaction(k);
            let i = &self.scene.parts.interactions[k];
            for end in [i.first, i.second] {
                if self.vectors[end.0 as usize].loads_are_anywhere() && (end.0 as usize) < mark.states {
                    arrival.touched.push(self.vectors[end.0 as usize].object());
                }
            }
        }
        Ok(arrival)
    }

    /// The objects that the new states are, with their mappings; nothing else is known of them yet.
    fn new_objects(&self, mark: &SceneMark, order: &SceneOrder) -> Result<Draft, FreezeError> {
        let scene = &self.scene;
        let first_state = mark.states;
        let mut mapped_by = vec![None; scene.n_states() - first_state];
        let mappings = || scene.parts.mappings.iter().enumerate().skip(mark.mappings);
        for (k, m) in mappings() {
            for (end, what) in [(m.first, "input"), (m.second, "output")] {
                if (end.0 as usize) < first_state {
                    let path = scene.path(scene.component_of_state(end));
                    let message =
                        format!("its {what} {path} was there before: such a mapping cannot come later");
                    return Err(FreezeError {
                        component: scene.path(m.component),
                        id: Some(m.component),
                        message,
                    });
                }
            }
            // A state that several inputs move belongs to the object of the first.
            mapped_by[m.second.0 as usize - first_state].get_or_insert(k);
        }
        let n = mapped_by.len();
        let mut draft =
            Draft { first_state, mapped_by, object_of: vec![ObjectId(0); n], objects: Vec::new() };
        let root_of = |state: StateId| {
            let mut s = state;
            // A chain of mappings cannot be longer than the number of states.
            for depth in 0..=n {
                match draft.mapping_of(s) {
                    Some(k) => s = scene.parts.mappings[k].first,
                    None => return Ok((s, depth)),
                }
            }
            let component = scene.component_of_state(state);
            Err(FreezeError {
                component: scene.path(component),
                id: Some(component),
                message: "its mappings form a cycle".to_owned(),
            })
        };
        let mut states: Vec<StateId> = (first_state as u32..scene.n_states() as u32).map(StateId).collect();
        states.sort_by_key(|s| order.component(scene.component_of_state(*s)));
        // Mappings are built after their inputs' own mappings only where the scene orders them so: go by depth.
        let mut mapped: Vec<(usize, StateId, StateId)> = Vec::new();
        for s in states.iter().filter(|s| draft.mapping_of(**s).is_some()) {
            let (root, depth) = root_of(*s)?;
            mapped.push((depth, *s, root));
        }
        mapped.sort_by_key(|(depth, ..)| *depth);
        let first_object = self.objects.len();
        for s in states.into_iter().filter(|s| draft.mapped_by[s.0 as usize - first_state].is_none()) {
            let id = ObjectId((first_object + draft.objects.len()) as u32);
            draft.object_of[s.0 as usize - first_state] = id;
            draft.objects.push(Object {
                id,
                root: s,
                states: vec![s],
                forces: Vec::new(),
                external_forces: Vec::new(),
                constraints: Vec::new(),
                mappings: Vec::new(),
                solver: None,
                solver_tag: None,
            });
        }
        let mut onto: Vec<Vec<usize>> = vec![Vec::new(); n];
        mappings().for_each(|(k, m)| onto[m.second.0 as usize - first_state].push(k));
        for (_, s, root) in mapped {
            let id = draft.object(root);
            draft.object_of[s.0 as usize - first_state] = id;
            let object = &mut draft.objects[id.0 as usize - first_object];
            object.states.push(s);
            object.mappings.append(&mut onto[s.0 as usize - first_state]);
        }
        Ok(draft)
    }

    /// The outermost of the new solvers, each with a linear solver (the one it names, else the first of its node, then
    /// downwards), without objects.
    fn new_solvers(&self, mark: &SceneMark, order: &SceneOrder) -> Vec<SolverNode> {
        let scene = &self.scene;
        let mut solvers: Vec<SolverNode> = Vec::new();
        let mut odes: Vec<usize> = (mark.ode..scene.solvers.ode.len()).collect();
        odes.sort_by_key(|k| order.component(scene.solvers.ode[*k].component));
        for ode in odes {
            let at = scene.solvers.ode[ode].at;
            if scene.solvers.ode[ode].node.follows() {
                if let Some(solver) = solvers.iter_mut().find(|s| s.at == at) {
                    solver.after.push((ode, None));
                }
                continue;
            }
            // Of several in a node, each integrates in its turn; inner ones are left out.
            let is_above = |n: NodeId| {
                self.solvers.iter().any(|s| s.at == n) || n != at && solvers.iter().any(|s| s.at == n)
            };
            if scene.upward(at).any(is_above) {
                continue;
            }
            let chosen = scene.solvers.chosen.get(&scene.solvers.ode[ode].component);
            let chosen = chosen.and_then(|c| scene.solvers.linear.iter().position(|l| l.component == *c));
            let below = |n: NodeId| scene.upward(n).any(|m| m == at);
            // In scene order: what is linked to is built before what links to it, as a preconditioner is.
            let found =
                (mark.linear..scene.solvers.linear.len()).filter(|k| below(scene.solvers.linear[*k].at));
            let linear = found.min_by_key(|k| {
                let l = &scene.solvers.linear[*k];
                (l.at != at, order.node(l.at), order.component(l.component))
            });
            if let Some(first) = solvers.iter_mut().find(|s| s.at == at) {
                first.after.push((ode, chosen.or(linear)));
                continue;
            }
            solvers.push(SolverNode {
                ode,
                linear: chosen.or(linear),
                after: Vec::new(),
                objects: Vec::new(),
                interactions: Vec::new(),
                at,
            });
        }
        solvers
    }

    /// The further inputs of a state that several move must be independent, and moved by the solver of the first: within a
    /// sweep, what is mapped is mapped once.
    fn check_further_inputs(&self, mark: &SceneMark, draft: &Draft) -> Result<(), FreezeError> {
        let scene = &self.scene;
        let solver = |s: StateId| draft.objects[draft.object(s).0 as usize - self.objects.len()].solver;
        for (k, m) in scene.parts.mappings.iter().enumerate().skip(mark.mappings) {
            let further = draft.mapping_of(m.second) != Some(k);
            let message = if further && draft.mapping_of(m.first).is_some() {
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

    /// Both ends of a projective constraint must be independent, and moved by one solver: each is projected by what the other is.
    fn check_constraints_between(&self, mark: &SceneMark, draft: &Draft) -> Result<(), FreezeError> {
        let scene = &self.scene;
        let is_new = |s: StateId| (s.0 as usize) >= mark.states;
        let is_mapped = |s: StateId| {
            if is_new(s) { draft.mapping_of(s).is_some() } else { self.object_of(s).root != s }
        };
        let solver = |s: StateId| {
            if is_new(s) {
                draft.objects[draft.object(s).0 as usize - self.objects.len()].solver
            } else {
                self.object_of(s).solver
            }
        };
        for c in &scene.parts.constraints[mark.constraints..] {
            let Some(other) = c.node.other_state().filter(|other| *other != c.state) else { continue };
            let message = if is_mapped(c.state) {
                "is moved by a mapping; attach points of the state that moves it"
            } else if solver(c.state) != solver(other) {
                "is not moved by the same solver as the other; put both below one"
            } else {
                continue;
            };
            let state = scene.path(scene.component_of_state(c.state));
            return Err(FreezeError {
                component: scene.path(c.component),
                id: Some(c.component),
                message: format!("its state {state} {message}"),
            });
        }
        Ok(())
    }

    /// Reserves objects for tasks of large ones that can run side by side.
    fn reserve_beside(&mut self, objects: &[ObjectId]) {
        for object in objects {
            let o = &self.objects[object.0 as usize];
            let (root, solver) = (o.root, o.solver.map(|s| self.solvers[s].at));
            let Some(at) = solver else { continue };
            if self.vectors[root.0 as usize].len() < ObjectsBeside::LEAST_POINTS {
                continue;
            }
            let linear = self.scene.solvers.linear.iter();
            let below = linear.filter(|l| self.scene.upward(l.at).any(|n| n == at));
            let n = below.map(|l| l.node.tasks_beside()).max().unwrap_or_default();
            if n > 0 {
                let phases = ObjectsBeside::PHASES;
                let beside = ObjectsBeside { first: self.reserve_objects(n * phases.len() as u32, root), n };
                for (k, phase) in phases.into_iter().enumerate() {
                    beside.of_phase(k).for_each(|object| self.store.set_phase(object, phase));
                }
                let vectors = &mut self.vectors[root.0 as usize];
                vectors.keep_lasting(ObjectsBeside::KEPT, Arc::new(beside), vec![]);
            }
        }
    }

    fn create_vectors(&mut self, draft: &Draft) {
        let Self { scene, store, vectors, sleeping, .. } = self;
        for k in draft.first_state..scene.n_states() {
            let s = StateId(k as u32);
            let name = scene.path(scene.component_of_state(s));
            let kind = Kind { mapped: draft.mapping_of(s).is_some(), measures_motion: sleeping.is_some() };
            vectors.push(StateVectors::new(store, draft.object(s), kind, name, scene.initial(s)));
        }
    }

    /// Puts the arrays of new components into the store.
    fn freeze_parts(&mut self, mark: &SceneMark) {
        let Self { scene, store, vectors, .. } = self;
        let mut parts = std::mem::take(&mut scene.parts);
        let object = |s: StateId| vectors[s.0 as usize].object();
        for p in &mut parts.force_fields[mark.force_fields..] {
            p.node.freeze(store, object(p.state), &scene.path(p.component));
        }
        for p in &mut parts.masses[mark.masses..] {
            p.node.set_gravity(scene.own_gravity(scene.component(p.component).node));
            p.node.freeze(store, object(p.state), &scene.path(p.component));
        }
        for p in &mut parts.constraints[mark.constraints..] {
            p.node.freeze(store, object(p.state), &scene.path(p.component));
        }
        for p in &mut parts.mappings[mark.mappings..] {
            p.node.freeze(store, object(p.second), &scene.path(p.component));
        }
        for p in &mut parts.interactions[mark.interactions..] {
            p.node.freeze(store, object(p.first), &scene.path(p.component));
        }
        for p in &mut parts.lagrangian[mark.lagrangian..] {
            p.node.freeze(store, object(p.first), &scene.path(p.component));
        }
        scene.parts = parts;
    }

    /// Finds which mapped states carry forces at listed points only, see [`super::loads`].
    fn find_listed_loads(&mut self, mark: &SceneMark) {
        let Self { scene, vectors, .. } = self;
        let mut outputs = BTreeSet::new();
        for m in &scene.parts.mappings[mark.mappings..] {
            let is_only_one = outputs.insert(m.second);
            if !is_only_one || !m.node.is_by_points() {
                vectors[m.second.0 as usize].loads_are_anywhere();
            }
            vectors[m.first.0 as usize].loads_are_anywhere();
        }
    }

    /// Gives each object the new forces and constraints on it, in scene order.
    fn place_components(&mut self, mark: &SceneMark, order: &SceneOrder, arrival: &mut Arrival) {
        let parts = &self.scene.parts;
        let mut forces: Vec<(u32, StateId, ForceRef)> = Vec::new();
        for (k, f) in parts.force_fields.iter().enumerate().skip(mark.force_fields) {
            forces.push((order.component(f.component), f.state, ForceRef::ForceField(k)));
        }
        for (k, m) in parts.masses.iter().enumerate().skip(mark.masses) {
            forces.push((order.component(m.component), m.state, ForceRef::Mass(k)));
        }
        forces.sort_by_key(|f| f.0);
        let mut constraints: Vec<(u32, StateId, usize)> = Vec::new();
        for (k, c) in parts.constraints.iter().enumerate().skip(mark.constraints) {
            constraints.push((order.component(c.component), c.state, k));
        }
        constraints.sort_by_key(|c| c.0);
        for (_, state, force) in forces {
            let treatment = self.treatment(force);
            if treatment == Treatment::External {
                arrival.external.push(state);
            }
            if (state.0 as usize) < mark.states {
                self.place_force(force);
                arrival.touched.push(self.object_of(state).id);
                continue;
            }
            let object = &mut self.objects[self.vectors[state.0 as usize].object().0 as usize];
            match (treatment, force) {
                (Treatment::Solver, _) => object.forces.push(force),
                (Treatment::External, ForceRef::ForceField(k)) => object.external_forces.push(k),
                _ => {}
            }
        }
        for (_, state, k) in constraints {
            if (state.0 as usize) < mark.states {
                self.place_constraint(k);
                arrival.touched.push(self.object_of(state).id);
            } else {
                let object = self.vectors[state.0 as usize].object();
                self.objects[object.0 as usize].constraints.push(k);
            }
        }
    }

    fn place_interaction(&mut self, k: usize) {
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
            None => {
                let receives = |s: StateId| {
                    let solver = self.object_of(s).solver;
                    solver.is_some_and(|s| self.scene.node_precedes(node, self.solvers[s].at))
                };
                let sides = Sides { first: receives(i.first), second: receives(i.second) };
                if sides.first || sides.second {
                    self.external.push((k, sides));
                }
            }
        }
    }
}

/// Who evaluates a force on one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// The state's solver.
    Solver,
    /// Nobody but the step itself, before the solvers.
    External,
    /// Nobody: the state's solver does not see it.
    Nobody,
}

impl World {
    /// Who evaluates a force: the solver above it, if that moves the state.
    ///
    /// **Source:** SOFA_COLLISION section 1.2, the solve traversal: a solver sees what stands in its node and below; above all
    /// solvers, what joins states (be they one and the same) is evaluated into external forces, which the solvers that are
    /// visited afterwards add.
    pub(super) fn treatment(&self, force: ForceRef) -> Treatment {
        let parts = &self.scene.parts;
        let (component, state, joins) = match force {
            ForceRef::ForceField(k) => {
                let f = &parts.force_fields[k];
                (f.component, f.state, f.node.joins_states())
            }
            ForceRef::Mass(k) => (parts.masses[k].component, parts.masses[k].state, false),
        };
        let node = self.scene.component(component).node;
        match (self.object_of(state).solver, self.solver_above(node)) {
            (None, _) => Treatment::Solver,
            (Some(own), Some(above)) if own == above => Treatment::Solver,
            (Some(own), None) if joins && self.scene.node_precedes(node, self.solvers[own].at) => {
                Treatment::External
            }
            _ => Treatment::Nobody,
        }
    }
}

/// The place of every new component and node in a depth-first walk.
struct SceneOrder {
    first_component: usize,
    first_node: usize,
    component: Vec<u32>,
    node: Vec<u32>,
}

impl SceneOrder {
    fn new(scene: &Scene, from: NodeId, mark: &SceneMark) -> Self {
        let end = scene.mark();
        let mut order = Self {
            first_component: mark.components,
            first_node: mark.nodes,
            component: vec![0; end.components - mark.components],
            node: vec![0; end.nodes - mark.nodes],
        };
        let mut next = 0;
        for (k, n) in scene.depth_first_from(from).into_iter().enumerate() {
            order.node[n.0 as usize - mark.nodes] = k as u32;
            for c in scene.components_of(n) {
                order.component[c.0 as usize - mark.components] = next;
                next += 1;
            }
        }
        order
    }
    fn component(&self, id: ComponentId) -> u32 {
        self.component[id.0 as usize - self.first_component]
    }
    fn node(&self, id: NodeId) -> u32 {
        self.node[id.0 as usize - self.first_node]
    }
}
