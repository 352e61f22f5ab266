//! A node with all below it leaves a world that runs. Objects, solvers and components keep their numbers, without contents.

use std::collections::BTreeSet;

use super::interaction_node::Sides;
use super::object::ForceRef;
use super::world::World;
use crate::scene::{ComponentId, NodeId, StateId};
use engine::data::ObjectId;

/// What leaves, and what it changes of what stays.
#[derive(Clone, Debug, Default)]
pub struct Departure {
    /// Objects that go, each with the solver that moved it.
    pub objects: Vec<(ObjectId, Option<usize>)>,
    /// Solvers that go.
    pub solvers: Vec<usize>,
    /// Objects that stay, on which components acted that go.
    pub touched: Vec<ObjectId>,
    /// Interaction force fields that go.
    pub interactions: Vec<GoneInteraction>,
    /// States that stay, on which force fields acted from above the solver that go, one entry each.
    pub external: Vec<StateId>,
}

/// An interaction force field that goes.
#[derive(Clone, Copy, Debug)]
pub struct GoneInteraction {
    /// The states that it joined.
    pub ends: [StateId; 2],
    /// The solver that treated it, with the sides that it moved; none if it stood above all solvers.
    pub treated: Option<(usize, Sides)>,
}

/// Something that stays needs what should go.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{component} needs {state}; remove it first, or with it")]
pub struct StillNeeded {
    /// Path of the component that stays.
    pub component: String,
    /// Path of the state that should go.
    pub state: String,
}

/// The components and states of a node and all below it.
pub struct Subtree {
    /// The nodes.
    pub nodes: BTreeSet<NodeId>,
    /// The components.
    pub components: BTreeSet<ComponentId>,
    /// The states.
    pub states: BTreeSet<StateId>,
}

impl World {
    /// What there is at a node and below.
    pub fn subtree(&self, node: NodeId) -> Subtree {
        let nodes: BTreeSet<NodeId> = self.scene.depth_first_from(node).into_iter().collect();
        let components: BTreeSet<ComponentId> =
            nodes.iter().flat_map(|n| self.scene.components_of(*n)).collect();
        let states = components.iter().filter_map(|c| self.scene.state_of_component(*c)).collect();
        Subtree { nodes, components, states }
    }

    /// Whether what is in a subtree can go: nothing that stays acts on its states.
    ///
    /// # Errors
    /// The component that needs one of them.
    pub fn check_departure(&self, subtree: &Subtree) -> Result<(), StillNeeded> {
        let parts = &self.scene.parts;
        let on_one = parts.force_fields.iter().map(|p| (p.component, p.state));
        let on_one = on_one.chain(parts.masses.iter().map(|p| (p.component, p.state)));
        let on_one = on_one.chain(parts.constraints.iter().map(|p| (p.component, p.state)));
        let pairs = || parts.interactions.iter().map(|p| (p.component, p.first, p.second));
        let mappings = || parts.mappings.iter().map(|p| (p.component, p.first, p.second));
        let constraints = parts.lagrangian.iter().map(|p| (p.component, p.first, p.second));
        let pairs = pairs()
            .chain(constraints)
            .chain(mappings())
            .flat_map(|(c, first, second)| [(c, first), (c, second)]);
        let needs = |(component, state): &(ComponentId, StateId)| {
            subtree.states.contains(state)
                && !subtree.components.contains(component)
                && self.scene.has_component(*component)
        };
        // A mapping that goes while its output stays leaves that behind without its object.
        let orphan = mappings().find(|(component, first, second)| {
            subtree.components.contains(component)
                && !(subtree.states.contains(first) && subtree.states.contains(second))
        });
        let found = on_one.chain(pairs).find(needs).or(orphan
            .map(|(c, first, second)| (c, if subtree.states.contains(&second) { first } else { second })));
        match found {
            None => Ok(()),
            Some((component, state)) => Err(StillNeeded {
                component: self.scene.path(component),
                state: self.scene.path(self.scene.component_of_state(state)),
            }),
        }
    }

    /// Takes a subtree out, which was checked. Its buffers must be freed when no plan names them any more: see
    /// [`engine::data::Store::free_object`].
    pub fn depart(&mut self, node: NodeId, subtree: &Subtree) -> Departure {
        let mut departure = Departure::default();
        let goes = |c: ComponentId| subtree.components.contains(&c);
        for state in &subtree.states {
            let object = self.object_of(*state);
            if object.root == *state {
                departure.objects.push((object.id, object.solver));
            }
        }
        for (s, solver) in self.solvers.iter_mut().enumerate() {
            let is_gone = subtree.nodes.contains(&solver.at);
            if is_gone {
                departure.solvers.push(s);
            }
            let parts = &self.scene.parts;
            solver.interactions.retain(|&(k, sides)| {
                let i = &parts.interactions[k];
                if goes(i.component) {
                    departure
                        .interactions
                        .push(GoneInteraction { ends: [i.first, i.second], treated: Some((s, sides)) });
                }
                !goes(i.component)
            });
        }
        let parts = &self.scene.parts;
        self.external.retain(|(k, _)| {
            let i = &parts.interactions[*k];
            if goes(i.component) {
                departure.interactions.push(GoneInteraction { ends: [i.first, i.second], treated: None });
            }
            !goes(i.component)
        });
        self.withdraw_components(subtree, &mut departure);
        for &(object, solver) in &departure.objects {
            if let Some(s) = solver {
                self.solvers[s].objects.retain(|o| *o != object);
            }
            let o = &mut self.objects[object.0 as usize];
            o.solver = None;
            (o.states, o.forces, o.external_forces, o.constraints, o.mappings) = Default::default();
        }
        self.scene.remove_node(node);
        departure
    }

    /// Takes forces and constraints that go from objects that stay.
    fn withdraw_components(&mut self, subtree: &Subtree, departure: &mut Departure) {
        let goes =
            |c: ComponentId, s: StateId| subtree.components.contains(&c) && !subtree.states.contains(&s);
        let parts = &self.scene.parts;
        let mut forces = Vec::new();
        for (k, f) in parts.force_fields.iter().enumerate().filter(|(_, f)| goes(f.component, f.state)) {
            forces.push((f.state, ForceRef::ForceField(k)));
        }
        for (k, m) in parts.masses.iter().enumerate().filter(|(_, m)| goes(m.component, m.state)) {
            forces.push((m.state, ForceRef::Mass(k)));
        }
        let constraints = parts.constraints.iter().enumerate().filter(|(_, c)| goes(c.component, c.state));
        let constraints: Vec<(StateId, usize)> = constraints.map(|(k, c)| (c.state, k)).collect();
        for (state, force) in forces {
            let object = self.object_of(state).id;
            let of_object = &mut self.objects[object.0 as usize];
            of_object.forces.retain(|f| *f != force);
            let external = &mut of_object.external_forces;
            let before = external.len();
            external.retain(|f| ForceRef::ForceField(*f) != force);
            departure.external.extend((external.len() < before).then_some(state));
            departure.touched.push(object);
        }
        for (state, constraint) in constraints {
            let object = self.object_of(state).id;
            self.objects[object.0 as usize].constraints.retain(|c| *c != constraint);
            departure.touched.push(object);
        }
        departure.touched.sort_unstable();
        departure.touched.dedup();
        for object in departure.touched.clone() {
            self.forget_kept(object);
        }
    }
}
