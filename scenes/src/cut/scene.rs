//! All bodies of a scene.

use std::collections::{BTreeMap, BTreeSet};

use components::force_field::springs::Spring;
use components::force_field::springs::field::springs_among;
use sim_core::component::build::TopologySearch;
use sim_core::component::description::Family;
use sim_core::component::value::Value;
use sim_core::math::Vec3Type;
use sim_core::scene::{ComponentId, NodeId, StateId};

use super::body::cut_body;
use super::part::{Body, NotCut};
use crate::assemble::assemble;
use crate::diagnostics::{Diagnostic, Severity};
use crate::element::Element;
use crate::files::FileFinder;
use crate::instantiate::{DraftScene, instantiate};
use crate::options::LoadOptions;
use crate::pieces::Pieces;
use crate::registry::Registry;

/// Cuts every body of a scene without includes that can be cut, as [`cut_built`] does.
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
    cut_built(root, &draft, pieces, &options.registry, found).unwrap_or_else(|| root.clone())
}

/// Cuts every body that can be cut of a scene that has been built of `root`; notes of each that should be and cannot, why, unless
/// nobody has asked. `None` where nothing is cut.
pub(crate) fn cut_built(
    root: &Element,
    draft: &DraftScene<'_>,
    pieces: Pieces,
    registry: &Registry,
    found: &mut Vec<Diagnostic>,
) -> Option<Element> {
    let scene = &draft.scene;
    let mut sizes = (0..scene.n_states() as u32).map(|s| scene.initial(StateId(s)).len());
    if pieces == Pieces::WherePays && sizes.all(|n| pieces.count(n) == 1) {
        return None;
    }
    let mut links = BTreeMap::new();
    collect_links(root, &mut links);
    let nodes = scene.depth_first().into_iter();
    let mut cutter = Cutter { draft, registry, pieces, found, nodes, links, has_cut: false };
    let cut = cutter.node(root);
    cutter.has_cut.then_some(cut)
}

/// What takes states only that move by themselves, or all but the first of which do.
const OF_MOVING_STATES: [&str; 3] =
    ["AttachProjectiveConstraint", "IdentityMultiMapping", "SubsetMultiMapping"];

struct Cutter<'a> {
    draft: &'a DraftScene<'a>,
    registry: &'a Registry,
    pieces: Pieces,
    found: &'a mut Vec<Diagnostic>,
    /// The nodes that were built, in the order of their elements.
    nodes: std::vec::IntoIter<NodeId>,
    /// Names that stand in links, with the classes of who has these.
    links: BTreeMap<String, BTreeSet<String>>,
    /// Whether a body has been cut.
    has_cut: bool,
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
        let asked = self.pieces != Pieces::WherePays;
        let mut severity = Severity::Note;
        let note = match self.body(e, &result, node) {
            Ok(cut) => {
                self.has_cut = true;
                result = cut;
                let message = "this body is cut into pieces, which several workers share (`--pieces 1`: not)";
                (!asked).then(|| message.to_owned())
            }
            Err(NotCut::NoElements | NotCut::Small) => None,
            // A number that is too large would be passed over in silence.
            Err(why @ NotCut::Mesh(_)) if asked => {
                severity = Severity::Warning;
                Some(format!("this body is not cut into pieces: {why}"))
            }
            Err(why) => asked.then(|| format!("this body is not cut into pieces: {why}")),
        };
        if let Some(message) = note {
            let path = self.draft.scene.node_path(node);
            self.found.push(Diagnostic::new(severity, &e.location, message).component(path));
        }
        result
    }

    /// The node of a body, cut; in `e` bodies below are cut already, `built` is what has been built.
    fn body(&self, built: &Element, e: &Element, node: NodeId) -> Result<Element, NotCut> {
        let scene = &self.draft.scene;
        let Some(state_id) = scene.state_in(node) else { return Err(NotCut::NoElements) };
        let Some(state) = scene.initial_as::<Vec3Type>(state_id) else { return Err(NotCut::NoElements) };
        let own_names = [&scene.node(node).name, &scene.component(scene.component_of_state(state_id)).name];
        let mut linking = own_names.into_iter().filter_map(|name| self.links.get(name)).flatten();
        if let Some(class) = linking.find(|class| OF_MOVING_STATES.contains(&class.as_str())) {
            let reason = "the state that it names must move by itself";
            return Err(NotCut::Component { component: class.clone(), reason });
        }
        let topology = scene.find_topology(node, TopologySearch::Last).and_then(|c| scene.topology(c));
        let linked = |link: &str| self.linked(node, link);
        let springs = |k: usize| self.springs(state_id, built.children.get(k)?);
        let named_elsewhere = self.links.contains_key(&scene.node(node).name);
        let solver = |n: NodeId| scene.solvers.ode.iter().find(|s| s.at == n && !s.node.follows());
        let outermost = scene.solved_from(node).filter_map(solver).last();
        let divides_by_masses = outermost.is_some_and(|s| !s.node.needs_linear_solver(true));
        let begins_by_masses = outermost.is_some_and(|s| s.node.begins_by_masses());
        let (linked, springs, has_no_matrix) = (&linked, &springs, self.has_no_matrix());
        cut_body(
            &Body {
                node: e,
                state,
                topology,
                springs,
                linked,
                named_elsewhere,
                divides_by_masses,
                begins_by_masses,
                has_no_matrix,
            },
            self.registry,
            self.pieces,
        )
    }

    /// Whether all linear solvers of the scene need products only.
    fn has_no_matrix(&self) -> bool {
        let mut solvers = self
            .draft
            .drafts
            .iter()
            .filter(|d| d.description.is_some_and(|d| d.family == Family::LinearSolver));
        solvers.all(|d| {
            d.description.is_some_and(|d| d.class == "CGLinearSolver")
                && d.element.get("template").is_none_or(|t| t.trim() == "GraphScattered")
        })
    }

    /// The springs that a component has put on a state.
    fn springs(&self, state: StateId, e: &Element) -> Option<Vec<Spring>> {
        let component = self.draft.drafts.iter().position(|d| std::ptr::eq(d.element, e))?;
        let component = ComponentId(component as u32);
        let fields = &self.draft.scene.parts.force_fields;
        let field = fields.iter().find(|f| f.component == component && f.state == state)?;
        springs_among(field.node.unfrozen_elements()?)
    }

    /// The integers that a data link to a component of the same node reads.
    fn linked(&self, node: NodeId, link: &str) -> Option<Vec<i64>> {
        let scene = &self.draft.scene;
        let (name, field) = link.strip_prefix('@')?.split_once('.')?;
        let mut components = scene.components_of(node).map(|c| scene.component(c));
        match components.find(|c| c.name == name.trim_start_matches("./"))?.fields.get(field)? {
            Value::Integers(v) => Some(v.clone()),
            _ => None,
        }
    }
}

/// The names of all nodes and components that links lead through, with the classes of who has the links.
fn collect_links(e: &Element, into: &mut BTreeMap<String, BTreeSet<String>>) {
    let words =
        e.attributes.iter().filter(|a| a.value.contains('@')).flat_map(|a| a.value.split_whitespace());
    for link in words.filter_map(|w| w.strip_prefix('@')) {
        for part in link.split(['/', '.']).filter(|part| !part.is_empty()) {
            into.entry(part.to_owned()).or_default().insert(e.class.clone());
        }
    }
    e.children.iter().for_each(|c| collect_links(c, into));
}
