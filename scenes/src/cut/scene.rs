//! All bodies of a scene.

use std::collections::BTreeSet;

use sim_core::component::build::TopologySearch;
use sim_core::component::value::Value;
use sim_core::math::Vec3Type;
use sim_core::scene::{NodeId, Scene};

use super::body::cut_body;
use super::part::{Body, NotCut};
use crate::assemble::assemble;
use crate::diagnostics::{Diagnostic, Severity};
use crate::element::Element;
use crate::files::FileFinder;
use crate::instantiate::instantiate;
use crate::options::LoadOptions;
use crate::pieces::Pieces;
use crate::registry::Registry;

/// Cuts every body of a scene without includes that can be cut; notes of each that should be and cannot, why.
pub(crate) fn cut(
    root: &Element,
    pieces: Pieces,
    files: &FileFinder,
    options: &LoadOptions,
    found: &mut Vec<Diagnostic>,
) -> Element {
    // Built as it is, to see the meshes. What is wrong with the scene will be found when what is returned is built.
    let mut unsaid = Vec::new();
    let mut draft = instantiate(root, options, &mut unsaid);
    assemble(&mut draft, files, options, &mut unsaid);
    let scene = &draft.scene;
    let mut linked_nodes = BTreeSet::new();
    collect_links(root, &mut linked_nodes);
    let nodes = scene.depth_first().into_iter();
    Cutter { scene, registry: &options.registry, pieces, found, nodes, linked_nodes }.node(root)
}

struct Cutter<'a> {
    scene: &'a Scene,
    registry: &'a Registry,
    pieces: Pieces,
    found: &'a mut Vec<Diagnostic>,
    /// The nodes that were built, in the order of their elements.
    nodes: std::vec::IntoIter<NodeId>,
    /// Names that stand in links.
    linked_nodes: BTreeSet<String>,
}

impl Cutter<'_> {
    fn node(&mut self, e: &Element) -> Element {
        let Some(node) = self.nodes.next() else { return e.clone() };
        let mut result = Element { children: Vec::with_capacity(e.children.len()), ..e.clone() };
        for child in &e.children {
            let child = if child.is_node() { self.node(child) } else { child.clone() };
            result.children.push(child);
        }
        // From the inside out, so that bodies below this one are cut already.
        match self.body(&result, node) {
            Ok(cut) => cut,
            Err(NotCut::NoElements | NotCut::Small) => result,
            Err(why) => {
                let path = self.scene.node_path(node);
                let message = format!("this body is not cut into pieces: {why}");
                self.found.push(Diagnostic::new(Severity::Note, &e.location, message).component(path));
                result
            }
        }
    }

    fn body(&self, e: &Element, node: NodeId) -> Result<Element, NotCut> {
        let Some(state) = self.scene.state_in(node) else { return Err(NotCut::NoElements) };
        let Some(state) = self.scene.initial_as::<Vec3Type>(state) else { return Err(NotCut::NoElements) };
        let topology = self.scene.find_topology(node, TopologySearch::Last);
        let topology = topology.and_then(|c| self.scene.topology(c)).ok_or(NotCut::NoElements)?;
        let linked = |link: &str| self.linked(node, link);
        let named_elsewhere = self.linked_nodes.contains(&self.scene.node(node).name);
        let solver = |n: NodeId| self.scene.solvers.ode.iter().find(|s| s.at == n && !s.node.follows());
        let outermost = self.scene.upward(node).filter_map(solver).last();
        let divides_by_masses = outermost.is_some_and(|s| !s.node.needs_linear_solver(true));
        let begins_by_masses = outermost.is_some_and(|s| s.node.begins_by_masses());
        let (linked, node) = (&linked, e);
        let body =
            Body { node, state, topology, linked, named_elsewhere, divides_by_masses, begins_by_masses };
        cut_body(&body, self.registry, self.pieces)
    }

    /// The integers that a data link to a component of the same node reads.
    fn linked(&self, node: NodeId, link: &str) -> Option<Vec<i64>> {
        let (name, field) = link.strip_prefix('@')?.split_once('.')?;
        let mut components = self.scene.components_of(node).map(|c| self.scene.component(c));
        match components.find(|c| c.name == name.trim_start_matches("./"))?.fields.get(field)? {
            Value::Integers(v) => Some(v.clone()),
            _ => None,
        }
    }
}

/// The names of all nodes and components that links lead through.
fn collect_links(e: &Element, into: &mut BTreeSet<String>) {
    let words =
        e.attributes.iter().filter(|a| a.value.contains('@')).flat_map(|a| a.value.split_whitespace());
    for link in words.filter_map(|w| w.strip_prefix('@')) {
        into.extend(link.split(['/', '.']).filter(|part| !part.is_empty()).map(str::to_owned));
    }
    e.children.iter().for_each(|c| collect_links(c, into));
}
