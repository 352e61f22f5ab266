//! The order in which components are built: that of the file, but what a component needs comes first.

use std::collections::BTreeMap;

use sim_core::component::build::LinkTarget;
use sim_core::component::description::Family;
use sim_core::scene::{ComponentId, NodeId};

use crate::instantiate::{Draft, DraftScene, Setting};

/// What the order is, and which links go round in a circle.
pub struct BuildOrder {
    /// All components.
    pub order: Vec<ComponentId>,
    /// Components whose data need each other, each as the list of its members.
    pub cycles: Vec<Vec<ComponentId>>,
}

/// Finds the order.
pub fn build_order(draft: &DraftScene<'_>) -> BuildOrder {
    let n = draft.drafts.len();
    let mut sorter = Sorter {
        needs: (0..n).map(|i| needs(draft, ComponentId(i as u32))).collect(),
        writers: writers(draft),
        mark: vec![Visited::New; n],
        stack: Vec::new(),
        order: Vec::with_capacity(n),
        cycles: Vec::new(),
    };
    let is_last = |d: &Draft<'_>| d.description.is_some_and(|d| d.built_last);
    for last in [false, true] {
        for (id, _) in (0..).map(ComponentId).zip(&draft.drafts).filter(|(_, d)| is_last(d) == last) {
            sorter.visit(id);
        }
    }
    BuildOrder { order: sorter.order, cycles: sorter.cycles }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visited {
    New,
    Open,
    Done,
}

struct Sorter {
    needs: Vec<Needs>,
    /// Topological mappings that fill a topology.
    writers: BTreeMap<ComponentId, Vec<ComponentId>>,
    mark: Vec<Visited>,
    stack: Vec<ComponentId>,
    order: Vec<ComponentId>,
    cycles: Vec<Vec<ComponentId>>,
}

/// What a component needs.
#[derive(Default)]
struct Needs {
    /// Its data: must exist before.
    data: Vec<ComponentId>,
    /// Should exist before, unless that would make a circle.
    others: Vec<ComponentId>,
}

impl Sorter {
    fn visit(&mut self, id: ComponentId) {
        if self.mark[id.0 as usize] != Visited::New {
            return;
        }
        self.mark[id.0 as usize] = Visited::Open;
        self.stack.push(id);
        let Needs { data, others } = std::mem::take(&mut self.needs[id.0 as usize]);
        for source in &data {
            if self.mark[source.0 as usize] == Visited::Open {
                let first = self.stack.iter().position(|c| c == source).unwrap_or(0);
                self.cycles.push(self.stack[first..].to_vec());
            } else {
                self.visit(*source);
            }
            self.visit_writers(*source);
        }
        for other in &others {
            if !self.reaches_open(*other) {
                self.visit(*other);
                self.visit_writers(*other);
            }
        }
        self.stack.pop();
        self.mark[id.0 as usize] = Visited::Done;
        self.order.push(id);
    }

    fn visit_writers(&mut self, id: ComponentId) {
        for writer in self.writers.get(&id).cloned().unwrap_or_default() {
            if !self.reaches_open(writer) {
                self.visit(writer);
            }
        }
    }

    /// Whether a component needs, through data, one that waits for it; a preference must not turn that into a circle.
    fn reaches_open(&self, id: ComponentId) -> bool {
        let mut seen = vec![id];
        let mut next = 0;
        while let Some(c) = seen.get(next).copied() {
            match self.mark[c.0 as usize] {
                Visited::Open => return true,
                Visited::Done => {}
                Visited::New => {
                    for d in &self.needs[c.0 as usize].data {
                        if !seen.contains(d) {
                            seen.push(*d);
                        }
                    }
                }
            }
            next += 1;
        }
        false
    }
}

fn needs(draft: &DraftScene<'_>, id: ComponentId) -> Needs {
    let d = draft.draft(id);
    let mut needs = Needs::default();
    let Some(description) = d.description else { return needs };
    let node = draft.scene.component(id).node;
    let is_mapping = description.family == Family::Mapping;
    needs.data.extend(d.src.filter(|s| *s != id));
    for (_, setting) in &d.settings {
        match setting {
            Setting::Text | Setting::OfNode(_) => {}
            Setting::Data(c, _) if *c == id => {}
            Setting::Data(c, _) => needs.data.push(*c),
            Setting::Links(targets) => {
                for t in targets {
                    match t {
                        LinkTarget::Component(c) if *c != id => {
                            needs.others.push(*c);
                            let of = draft.scene.component(*c).node;
                            if draft.draft(*c).is(Family::State) && (!is_mapping || of != node) {
                                in_node(draft, of, &[Family::Mapping], &mut needs.others);
                            }
                        }
                        LinkTarget::Component(_) => {}
                        LinkTarget::Node(n) => in_node(draft, *n, &NEEDED_OF_NODES, &mut needs.others),
                    }
                }
            }
        }
    }
    match description.family {
        Family::Ignored | Family::AnimationLoop | Family::Loader | Family::Topology => {}
        Family::OdeSolver | Family::LinearSolver | Family::ConstraintSolver | Family::SolverSettings => {}
        Family::ConstraintCorrection => {
            let families = [Family::Topology, Family::State, Family::Mapping, Family::Mass];
            in_node(draft, node, &families, &mut needs.others);
        }
        Family::State => in_node(draft, node, &[Family::Loader, Family::Topology], &mut needs.others),
        Family::Visual => in_node(draft, node, &[Family::Loader, Family::Topology], &mut needs.others),
        // A mapping's input may get its points from another one. Without a state it moves a visual model.
        Family::Mapping => {
            in_node(draft, node, &[Family::Topology, Family::State, Family::Visual], &mut needs.others);
            let above = draft.scene.upward(node).nth(1);
            above.into_iter().for_each(|above| state_of(draft, above, &mut needs.others));
        }
        // An engine that is given positions needs none of its node, whose positions may come from it.
        Family::Engine if d.settings.iter().any(|(i, s)| is_position(d, *i, s)) => {}
        Family::Engine if MAKERS.contains(&description.class) => {}
        // It may look for points in the nodes above.
        Family::Engine => {
            in_node(draft, node, &NEEDED_OF_NODES, &mut needs.others);
            state_of(draft, node, &mut needs.others);
            for above in draft.scene.upward(node).skip(1) {
                in_node(draft, above, &[Family::Loader], &mut needs.others);
            }
        }
        Family::Playback => {
            in_node(draft, node, &NEEDED_OF_NODES, &mut needs.others);
            in_node(draft, node, &[Family::Visual], &mut needs.others);
        }
        _ => {
            in_node(draft, node, &[Family::Topology], &mut needs.others);
            state_of(draft, node, &mut needs.others);
        }
    }
    if !description.built_after.is_empty() {
        let is_before =
            |d: &Draft<'_>| d.description.is_some_and(|d| description.built_after.contains(&d.class));
        let before = (0..).map(ComponentId).zip(&draft.drafts).filter(|(_, d)| is_before(d));
        needs.others.extend(before.map(|(c, _)| c));
    }
    needs.others.retain(|c| *c != id);
    needs
}

/// Whether a setting gives positions.
fn is_position(draft: &Draft<'_>, attribute: usize, setting: &Setting) -> bool {
    let name = draft.element.attributes.get(attribute).map_or("", |a| a.name.as_str());
    !matches!(setting, Setting::Links(_)) && name.contains("position")
}

/// Engines that look at nothing in their node, whose topology may come from them.
const MAKERS: [&str; 2] = ["GenerateCylinder", "GenerateGrid"];

/// What a link to a node may mean.
const NEEDED_OF_NODES: [Family; 4] = [Family::Loader, Family::Topology, Family::State, Family::Mapping];

/// The state of a node, or that of the nearest node above that has one, and the mappings that say how many points it has.
fn state_of(draft: &DraftScene<'_>, node: NodeId, into: &mut Vec<ComponentId>) {
    let has_state = |n: &NodeId| draft.scene.components_of(*n).any(|c| draft.draft(c).is(Family::State));
    if let Some(node) = draft.scene.upward(node).find(has_state) {
        in_node(draft, node, &[Family::State, Family::Mapping], into);
    }
}

fn in_node(draft: &DraftScene<'_>, node: NodeId, families: &[Family], into: &mut Vec<ComponentId>) {
    let of_families = |c: &ComponentId| families.iter().any(|f| draft.draft(*c).is(*f));
    into.extend(draft.scene.components_of(node).filter(of_families));
}

/// For each topology the topological mappings whose output it is.
fn writers(draft: &DraftScene<'_>) -> BTreeMap<ComponentId, Vec<ComponentId>> {
    let mut writers: BTreeMap<ComponentId, Vec<ComponentId>> = BTreeMap::new();
    for (i, d) in draft.drafts.iter().enumerate() {
        if let (true, Some(LinkTarget::Component(output))) = (d.is(Family::Topology), d.link("output")) {
            writers.entry(output).or_default().push(ComponentId(i as u32));
        }
    }
    writers
}

#[cfg(test)]
mod tests {
    use crate::load::{LoadOptions, load_text};

    #[test]
    fn an_engine_that_makes_a_mesh_comes_before_the_state_of_its_node() {
        let text = "<Node><GenerateGrid name='made' max='1 1 1' resolution='1 1 1'/>
            <MeshTopology position='@made.output_position' hexahedra='@made.hexahedra'/><MechanicalObject/></Node>";
        let scene = load_text(text, "t.scn", &LoadOptions::default()).expect("loads").scene;
        assert_eq!(scene.initial(sim_core::scene::StateId(0)).len(), 8);
    }

    /// A mapping says how many points its output has, and what is mapped on from there finds them wherever it stands.
    #[test]
    fn a_mapping_comes_before_what_acts_on_its_output() {
        use sim_core::scene::StateId;
        let state = "<MechanicalObject name='b'/>";
        let mapping = "<SubsetMapping indices='2 0 1'/>";
        let field = "<RestShapeSpringsForceField stiffness='1'/>";
        let on = "<Node><MechanicalObject name='c'/><SubsetMapping indices='2 1'/></Node>";
        let orders = [
            [state, mapping, field, on],
            [state, field, mapping, on],
            [state, on, field, mapping],
            [on, field, mapping, state],
        ];
        for order in orders {
            let text = format!(
                "<Node><Node><MechanicalObject name='a' position='0 0 0 1 0 0 2 0 0 3 0 0'/>
                <Node>{}</Node></Node></Node>",
                order.concat()
            );
            let loaded = load_text(&text, "t.scn", &LoadOptions::default());
            let scene = loaded.unwrap_or_else(|e| panic!("{order:?}: {:?}", e.diagnostics)).scene;
            for (name, n) in [("/a", 4), ("/b", 3), ("/c", 2)] {
                let path = |k: &u32| scene.path(scene.component_of_state(StateId(*k)));
                let state = (0..3).find(|k| path(k).ends_with(name)).expect("a state of this name");
                assert_eq!(scene.initial(StateId(state)).len(), n, "{name} of {order:?}");
            }
        }
    }

    /// An engine needs the mappings of its node, and a mapping without a state to move needs the model, wherever both stand.
    #[test]
    fn a_mapping_finds_the_model_that_it_moves_wherever_an_engine_stands() {
        let engine = "<ValuesFromIndices template='Vec3d' in='0 0 1 1 0 0' indices='1'/>";
        let model = "<OglModel position='0 0 0 1 0 0' edges='0 1'/>";
        let mapping = "<RigidMapping/>";
        for order in [[engine, model, mapping], [engine, mapping, model], [mapping, model, engine]] {
            let text = format!(
                "<Node><Node><MechanicalObject template='Rigid3d'/><Node>{}</Node></Node></Node>",
                order.concat()
            );
            let loaded = load_text(&text, "t.scn", &LoadOptions::default());
            loaded.unwrap_or_else(|e| panic!("{order:?}: {:?}", e.diagnostics));
        }
    }

    /// Loader, engine, topology, state: each takes its points from the one before, in whatever order they stand.
    #[test]
    fn an_engine_may_feed_the_topology_of_its_node() {
        let parts = [
            "<TransformEngine name='moved' input_position='0 0 0 1 0 0 1 1 0' translation='1 0 0'/>",
            "<TriangleSetTopologyContainer name='mesh' position='@moved.output_position' triangles='0 1 2'/>",
            "<MechanicalObject name='points'/>",
        ];
        let linked = "<TransformEngine name='moved' input_position='@given.position' translation='1 0 0'/>";
        let given = "<PointSetTopologyContainer name='given' position='0 0 0 1 0 0 1 1 0'/>";
        for (before, engine) in [("", parts[0]), (given, linked)] {
            for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
                let own: String = order.map(|k| if k == 0 { engine } else { parts[k] }).concat();
                let text = format!("<Node><Node>{before}{own}</Node></Node>");
                let loaded = load_text(&text, "t.scn", &LoadOptions::default());
                let scene = loaded.unwrap_or_else(|e| panic!("{order:?}: {:?}", e.diagnostics)).scene;
                let points = scene.initial(sim_core::scene::StateId(0)).len();
                assert_eq!(points, 3, "{order:?} of {engine}");
            }
        }
    }
}
