//! Taking components and nodes out of a scene again. Numbers are never given twice: tasks and traces name components by them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::ids::{ComponentId, NodeId, StateId};
use super::solvers::AtNode;
use super::tree::{Scene, Unmapped, Unprojected};
use crate::component::mechanical_state::{AnyInitialState, InitialState};

/// How much there is in a scene: what comes later can be told from it, or taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneMark {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of components.
    pub components: usize,
    /// Number of states.
    pub states: usize,
    /// Number of force fields.
    pub force_fields: usize,
    /// Number of masses.
    pub masses: usize,
    /// Number of projective constraints.
    pub constraints: usize,
    /// Number of interaction force fields.
    pub interactions: usize,
    /// Number of mappings.
    pub mappings: usize,
    /// Number of ODE solvers.
    pub ode: usize,
    /// Number of linear solvers.
    pub linear: usize,
    /// Number of Lagrangian constraints.
    pub lagrangian: usize,
    /// Number of constraint solvers.
    pub constraint_solvers: usize,
    /// Number of constraint corrections.
    pub corrections: usize,
}

impl Scene {
    /// How much there is now.
    pub fn mark(&self) -> SceneMark {
        SceneMark {
            nodes: self.nodes.len(),
            components: self.components.len(),
            states: self.states.len(),
            force_fields: self.parts.force_fields.len(),
            masses: self.parts.masses.len(),
            constraints: self.parts.constraints.len(),
            interactions: self.parts.interactions.len(),
            mappings: self.parts.mappings.len(),
            ode: self.solvers.ode.len(),
            linear: self.solvers.linear.len(),
            lagrangian: self.parts.lagrangian.len(),
            constraint_solvers: self.solvers.constraint.len(),
            corrections: self.solvers.corrections.len(),
        }
    }

    /// Number of projections of initial vectors by the constraints that there are.
    pub fn n_projections(&self) -> usize {
        self.unprojected.len()
    }

    /// Keeps a state as it is before a constraint projects its initial vectors; once, however often the constraint is built.
    pub(super) fn keep_unprojected(&mut self, constraint: ComponentId, state: StateId) {
        let is_kept = |kept: &Unprojected| (kept.constraint, kept.state) == (constraint, state);
        if !self.unprojected.iter().any(is_kept) {
            let initial = self.initial(state).clone();
            self.unprojected.push(Unprojected { constraint, state, initial });
        }
    }

    /// Keeps the output of a mapping as it is before that moves it; once, however often the mapping is built.
    pub(super) fn keep_unmapped(&mut self, mapping: ComponentId, output: StateId) {
        if !self.unmapped.iter().any(|kept| (kept.mapping, kept.output) == (mapping, output)) {
            let initial = self.initial(output).clone();
            self.unmapped.push(Unmapped { mapping, output, initial });
        }
    }

    /// Puts the output of a mapping that is built again to where it was before the mapping first moved it, if that is known.
    pub fn put_unmapped(&mut self, mapping: ComponentId) {
        let kept = self.unmapped.iter().find(|kept| kept.mapping == mapping);
        if let Some((output, initial)) = kept.map(|kept| (kept.output, kept.initial.clone())) {
            *self.initial_mut(output) = initial;
        }
    }

    /// The initial vectors of a state: as they are, then as they were before each projection, then before they were mapped.
    pub fn initial_history(&self, state: StateId) -> Vec<AnyInitialState> {
        let kept = self.unprojected.iter().filter(|kept| kept.state == state).map(|kept| &kept.initial);
        let given = self.unmapped.iter().filter(|kept| kept.output == state).map(|kept| &kept.initial);
        std::iter::once(self.initial(state)).chain(kept).chain(given).cloned().collect()
    }

    /// Replaces what [`Self::initial_history`] gave, in the same order: points of the state came or went.
    pub fn set_initial_history(&mut self, state: StateId, history: Vec<AnyInitialState>) {
        let mut history = history.into_iter();
        if let Some(initial) = history.next() {
            *self.initial_mut(state) = initial;
        }
        let kept =
            self.unprojected.iter_mut().filter(|kept| kept.state == state).map(|kept| &mut kept.initial);
        let given =
            self.unmapped.iter_mut().filter(|kept| kept.output == state).map(|kept| &mut kept.initial);
        kept.chain(given).zip(history).for_each(|(kept, initial)| *kept = initial);
    }

    /// Whether initial vectors are what they were after so many projections.
    pub fn is_initial_as_after(&self, projections: usize) -> bool {
        self.unprojected.iter().skip(projections).all(|kept| kept.initial == *self.initial(kept.state))
    }

    /// Does something to the scene while initial vectors are those that there were after so many projections.
    pub fn with_initial_after<T>(&mut self, projections: usize, act: impl FnOnce(&mut Self) -> T) -> T {
        let mut earlier: BTreeMap<StateId, AnyInitialState> = BTreeMap::new();
        for kept in self.unprojected.iter().skip(projections) {
            earlier.entry(kept.state).or_insert_with(|| kept.initial.clone());
        }
        let mut exchange = |scene: &mut Self| {
            for (state, initial) in &mut earlier {
                std::mem::swap(scene.initial_mut(*state), initial);
            }
        };
        exchange(self);
        let done = act(self);
        exchange(self);
        done
    }

    /// Takes back all that came since a mark.
    pub fn rewind(&mut self, mark: &SceneMark) {
        self.nodes.truncate(mark.nodes);
        self.components.truncate(mark.components);
        for node in &mut self.nodes {
            node.children.retain(|n| (n.0 as usize) < mark.nodes);
            node.components.retain(|c| (c.0 as usize) < mark.components);
        }
        self.states.truncate(mark.states);
        self.unprojected.retain(|kept| (kept.constraint.0 as usize) < mark.components);
        self.unmapped.retain(|kept| (kept.mapping.0 as usize) < mark.components);
        self.parts.force_fields.truncate(mark.force_fields);
        self.parts.masses.truncate(mark.masses);
        self.parts.constraints.truncate(mark.constraints);
        self.parts.interactions.truncate(mark.interactions);
        self.parts.mappings.truncate(mark.mappings);
        self.solvers.ode.truncate(mark.ode);
        self.solvers.linear.truncate(mark.linear);
        self.parts.lagrangian.truncate(mark.lagrangian);
        self.solvers.constraint.truncate(mark.constraint_solvers);
        self.solvers.corrections.truncate(mark.corrections);
        self.solvers.chosen.retain(|ode, _| (ode.0 as usize) < mark.components);
        self.solvers.settings.retain(|component, _| (component.0 as usize) < mark.components);
    }

    /// Whether a node is in the scene: neither unknown nor removed.
    pub fn has_node(&self, node: NodeId) -> bool {
        let is_child = |n: NodeId| match self.node(n).parent {
            Some(parent) => self.node(parent).children.contains(&n),
            None => n == self.root(),
        };
        (node.0 as usize) < self.nodes.len() && self.upward(node).all(is_child)
    }

    /// Whether a component is in the scene: neither unknown nor removed.
    pub fn has_component(&self, id: ComponentId) -> bool {
        (id.0 as usize) < self.components.len()
            && self.components_of(self.component(id).node).any(|c| c == id)
    }

    /// Of components that stand at nodes, those that were not removed.
    pub fn present<'a, T: ?Sized>(&'a self, all: &'a [AtNode<T>]) -> impl Iterator<Item = &'a AtNode<T>> {
        all.iter().filter(|c| self.has_component(c.component))
    }

    /// Takes a node with all below it out of its parent. Nodes, components and states keep their numbers and names.
    pub fn remove_node(&mut self, node: NodeId) {
        for n in self.depth_first_from(node) {
            for component in std::mem::take(&mut self.nodes[n.0 as usize].components) {
                if let Some(state) = self.component(component).state {
                    for kept in self.unprojected.iter_mut().filter(|kept| kept.state == state) {
                        kept.initial = AnyInitialState::Vec3(InitialState::at_rest(Vec::new()));
                    }
                    self.unmapped.retain(|kept| kept.output != state);
                    *self.initial_mut(state) = AnyInitialState::Vec3(InitialState::at_rest(Vec::new()));
                }
                self.remove_component(component);
            }
        }
        if let Some(parent) = self.node(node).parent {
            self.nodes[parent.0 as usize].children.retain(|n| *n != node);
        }
    }

    /// Takes a component out of its node. It keeps its number, name, class and place, so that what was recorded of it can
    /// still be read.
    pub fn remove_component(&mut self, id: ComponentId) {
        let component = &mut self.components[id.0 as usize];
        component.fields = BTreeMap::new();
        (component.topology, component.state, component.extension) = (None, None, None);
        component.recipe = None;
        let node = component.node;
        self.nodes[node.0 as usize].components.retain(|c| *c != id);
    }

    /// Whether a component comes before another one in a depth-first walk; both must be in the scene.
    pub fn precedes(&self, first: ComponentId, second: ComponentId) -> bool {
        let (a, b) = (self.component(first).node, self.component(second).node);
        if a == b {
            let place = |id| self.node(a).components.iter().position(|c| *c == id);
            return place(first) < place(second);
        }
        self.node_precedes(a, b)
    }

    /// Whether a node comes before another one in a depth-first walk.
    pub fn node_precedes(&self, a: NodeId, b: NodeId) -> bool {
        let down = |n: NodeId| {
            let mut way: Vec<NodeId> = self.upward(n).collect();
            way.reverse();
            way
        };
        let (a, b) = (down(a), down(b));
        let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        match (a.get(common), b.get(common)) {
            (Some(a), Some(b)) => {
                let siblings = &self.node(self.upward(*a).nth(1).unwrap_or(*a)).children;
                let place = |n| siblings.iter().position(|c| c == n);
                place(a).cmp(&place(b)) == Ordering::Less
            }
            // A node comes before those below it, and not before itself.
            (in_a, in_b) => in_a.is_none() && in_b.is_some(),
        }
    }
}
