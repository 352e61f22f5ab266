//! The nodes of trees, and how they are put together.

use super::super::cycle::Cycle;
use super::super::panicked::Panicked;
use super::super::tasks::{TaskId, Tasks};
use super::agenda::Agenda;
use super::behaviour::{Behaviour, Ended, Heard};
use super::error::TreeError;
use super::kinds::Parallel;
use super::length::Lengths;
use super::node::{Links, Node, Place, State, What};

/// The handle of a node. It is that of no other one, even after the node is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId {
    slot: u32,
    generation: u32,
}

/// Trees of behaviours, and the tasks that those that run release. See the module's page.
///
/// A tree is built from its leaves up and submitted by its root. When it has ended it can be submitted again.
///
/// ```
/// use std::time::Duration;
/// use weft_animation::game::schedule::tree::{BehaviourTree, Ended, Selector};
/// use weft_animation::game::schedule::{Cycle, Outcome, TaskInfo, TaskSupplier, Tasks};
///
/// let (mut tasks, mut tree) = (Tasks::new(), BehaviourTree::new());
/// let ways = ["flee", "hide"].map(|name| tasks.add(TaskInfo::new(name, Duration::ZERO), |_| Outcome::Success));
/// let leaves = ways.map(|task| tree.task(task));
/// let root = tree.node(Selector, &leaves)?;
/// tree.submit(root, &tasks)?;
/// // What a scheduler does: the first way fails, so the second one is tried.
/// tree.begin_cycle(&Cycle::default());
/// let mut out = Vec::new();
/// for (way, outcome) in ways.into_iter().zip([Outcome::Failure, Outcome::Success]) {
///     tree.query_many(&mut out);
///     let released = out.remove(0);
///     assert_eq!(released.task, way);
///     tree.report(released, outcome);
/// }
/// assert_eq!(tree.ended(root), Some(Ended::Success));
/// # Ok::<(), weft_animation::game::schedule::tree::TreeError>(())
/// ```
#[derive(Default)]
pub struct BehaviourTree {
    pub(super) nodes: Vec<Node>,
    free: Vec<u32>,
    pub(super) running: Agenda,
}

impl BehaviourTree {
    /// Without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a leaf that is a task. It ends as the task does; a task that makes progress goes on in the next cycle.
    pub fn task(&mut self, task: TaskId) -> NodeId {
        self.add(What::Task(task), Vec::new())
    }

    /// Adds a node with a behaviour and its children.
    ///
    /// # Errors
    /// A child has a parent already, or the behaviour does not take so many.
    pub fn node(
        &mut self,
        behaviour: impl Behaviour + 'static,
        children: &[NodeId],
    ) -> Result<NodeId, TreeError> {
        self.boxed(Box::new(behaviour), children)
    }

    /// Adds a node that holds tasks beside its children: all begin together, and it ends when all have ended.
    ///
    /// **Source:** the task container of Zettersten 2010, section 3.1.5.2, "not necessarily a leaf".
    ///
    /// # Errors
    /// A child has a parent already.
    pub fn container(&mut self, tasks: &[TaskId], children: &[NodeId]) -> Result<NodeId, TreeError> {
        let mut all: Vec<_> = tasks.iter().map(|task| self.task(*task)).collect();
        all.extend(children);
        self.node(Parallel::default(), &all)
    }

    /// Adds a node with a behaviour of any type.
    pub(super) fn boxed(
        &mut self,
        behaviour: Box<dyn Behaviour>,
        children: &[NodeId],
    ) -> Result<NodeId, TreeError> {
        Self::check_number(&*behaviour, children.len())?;
        for (k, child) in children.iter().enumerate() {
            if self.get(*child)?.links.parent.is_some() || children[..k].contains(child) {
                return Err(TreeError::Twice { node: self.label(*child) });
            }
            if self.get(*child)?.place.state != State::Asleep {
                return Err(TreeError::Runs { node: self.label(*child) });
            }
        }
        let slots = children.iter().map(|child| child.slot).collect();
        let id = self.add(What::Behaviour(behaviour), slots);
        for (k, child) in (0..).zip(children) {
            self.nodes[child.slot as usize].links.parent = Some((id.slot, k));
        }
        Ok(id)
    }

    fn check_number(behaviour: &dyn Behaviour, found: usize) -> Result<(), TreeError> {
        let takes = behaviour.takes();
        if takes.contains(&found) {
            return Ok(());
        }
        let expected = match (*takes.start(), *takes.end()) {
            (0, 0) => "none".to_owned(),
            (least, most) if least == most => least.to_string(),
            (least, usize::MAX) => format!("at least {least}"),
            (least, most) => format!("{least} to {most}"),
        };
        Err(TreeError::Children { node: "a node".to_owned(), found, expected })
    }

    /// Exchanges the children of a node that does not run at the moment, though its tree may: a task submits batches so that what follows
    /// them in a sequence waits for them. Those that are no longer its children become roots.
    ///
    /// # Errors
    /// The node is a task, or runs; a child has another parent, runs, is above the node, or a task of it was removed; or the behaviour does
    /// not take so many. Then nothing is changed.
    pub fn set_children(
        &mut self,
        parent: NodeId,
        children: &[NodeId],
        tasks: &Tasks,
    ) -> Result<(), TreeError> {
        let What::Behaviour(behaviour) = &self.get(parent)?.what else {
            let (node, expected) = (self.label(parent), "none: it is a task".to_owned());
            return Err(TreeError::Children { node, found: children.len(), expected });
        };
        Self::check_number(&**behaviour, children.len())?;
        if self.below(parent.slot).iter().any(|slot| self.nodes[*slot as usize].place.state != State::Asleep)
        {
            return Err(TreeError::Runs { node: self.label(parent) });
        }
        let mut above = vec![parent.slot];
        while let Some((next, _)) = above.last().and_then(|slot| self.nodes[*slot as usize].links.parent) {
            above.push(next);
        }
        let mut new = Vec::new();
        for (k, child) in children.iter().enumerate() {
            let node = self.get(*child)?;
            if above.contains(&child.slot) {
                return Err(TreeError::Above { node: self.label(*child) });
            }
            if node.links.parent.is_some_and(|(other, _)| other != parent.slot)
                || children[..k].contains(child)
            {
                return Err(TreeError::Twice { node: self.label(*child) });
            }
            if node.place.state != State::Asleep {
                return Err(TreeError::Runs { node: self.label(*child) });
            }
            new.extend(self.below(child.slot));
        }
        self.read_tasks(&new, tasks)?;
        for old in std::mem::take(&mut self.nodes[parent.slot as usize].links.children) {
            self.nodes[old as usize].links.parent = None;
        }
        for (k, child) in (0..).zip(children) {
            self.nodes[child.slot as usize].links.parent = Some((parent.slot, k));
            self.nodes[parent.slot as usize].links.children.push(child.slot);
        }
        let root = above.last().copied().unwrap_or(parent.slot);
        Lengths::of(&self.below(root), &self.nodes).store(&mut self.nodes);
        Ok(())
    }

    /// Reads what is known of the tasks of nodes.
    fn read_tasks(&mut self, slots: &[u32], tasks: &Tasks) -> Result<(), TreeError> {
        for slot in slots {
            let node = &mut self.nodes[*slot as usize];
            let What::Task(task) = node.what else { continue };
            let generation = node.generation;
            let Some(info) = tasks.info(task) else {
                return Err(TreeError::NoTask { node: self.label(NodeId { slot: *slot, generation }) });
            };
            node.place.cost = info.cost;
            node.place.long_term = info.long_term;
        }
        Ok(())
    }

    fn add(&mut self, what: What, children: Vec<u32>) -> NodeId {
        let links = Links { children, ..Links::default() };
        if let Some(slot) = self.free.pop() {
            let generation = self.nodes[slot as usize].generation;
            self.nodes[slot as usize] = Node { what, links, place: Place::default(), generation, name: None };
            return NodeId { slot, generation };
        }
        self.nodes.push(Node { what, links, place: Place::default(), generation: 0, name: None });
        NodeId { slot: self.nodes.len() as u32 - 1, generation: 0 }
    }

    /// Gives a node a name, for messages.
    ///
    /// # Errors
    /// There is no such node.
    pub fn name(&mut self, id: NodeId, name: &str) -> Result<(), TreeError> {
        self.get(id)?;
        self.nodes[id.slot as usize].name = Some(name.into());
        Ok(())
    }

    fn get(&self, id: NodeId) -> Result<&Node, TreeError> {
        let node = self.nodes.get(id.slot as usize).filter(|node| node.generation == id.generation);
        node.ok_or(TreeError::Unknown)
    }

    /// How messages call a node.
    fn label(&self, id: NodeId) -> String {
        match self.get(id) {
            Ok(_) => self.label_of(id.slot),
            Err(_) => format!("node {}", id.slot),
        }
    }

    /// How messages call the node in a slot.
    pub(super) fn label_of(&self, slot: u32) -> String {
        match &self.nodes[slot as usize].name {
            Some(name) => format!("node `{name}`"),
            None => format!("node {slot}"),
        }
    }

    fn root(&self, id: NodeId) -> Result<(), TreeError> {
        match self.get(id)?.links.parent {
            Some(_) => Err(TreeError::NotARoot { node: self.label(id) }),
            None => Ok(()),
        }
    }

    /// Lets a tree run from its root on: in this cycle if one runs, else from the beginning of the next one, whose time it has. The
    /// probable costs of its tasks are read now.
    ///
    /// # Errors
    /// The node is inside a tree, runs already, or a task of the tree was removed.
    pub fn submit(&mut self, root: NodeId, tasks: &Tasks) -> Result<(), TreeError> {
        self.root(root)?;
        if self.get(root)?.place.state != State::Asleep {
            return Err(TreeError::Runs { node: self.label(root) });
        }
        let below = self.below(root.slot);
        self.read_tasks(&below, tasks)?;
        Lengths::of(&below, &self.nodes).store(&mut self.nodes);
        if self.running.is_open {
            self.running.hear(root.slot, Heard::Begin);
            self.settle();
        } else {
            let place = &mut self.nodes[root.slot as usize].place;
            (place.state, place.ended) = (State::Deferred, None);
            self.running.submitted.push(root.slot);
        }
        Ok(())
    }

    /// What has panicked since it was asked last: behaviours of a game's own. Their nodes have failed.
    pub fn take_panicked(&mut self) -> Vec<Panicked> {
        std::mem::take(&mut self.running.panicked)
    }

    /// How a tree ended that was submitted; none while it runs, or before.
    pub fn ended(&self, root: NodeId) -> Option<Ended> {
        self.get(root).ok().and_then(|node| node.place.ended)
    }

    /// Removes a tree with all its nodes.
    ///
    /// # Errors
    /// The node is inside a tree, or the tree runs.
    pub fn remove(&mut self, root: NodeId) -> Result<(), TreeError> {
        self.root(root)?;
        let below = self.below(root.slot);
        if below.iter().any(|slot| self.nodes[*slot as usize].place.state != State::Asleep) {
            return Err(TreeError::Runs { node: self.label(root) });
        }
        for slot in below {
            let node = &mut self.nodes[slot as usize];
            (node.what, node.links, node.name) = (What::Nothing, Links::default(), None);
            if node.generation < u32::MAX {
                node.generation += 1;
                self.free.push(slot);
            }
        }
        Ok(())
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A node and all below it, parents first. No recursion: trees may be as deep as memory goes.
    pub(super) fn below(&self, slot: u32) -> Vec<u32> {
        let (mut list, mut at) = (vec![slot], 0);
        while let Some(slot) = list.get(at) {
            let node = &self.nodes[*slot as usize];
            list.extend_from_slice(&node.links.children);
            at += 1;
        }
        list
    }

    /// The cycle in which the tree is.
    pub fn cycle(&self) -> &Cycle {
        self.running.cycle()
    }
}
