//! From elements to the nodes and components of a scene, not yet built, with every link resolved.

use std::collections::BTreeSet;

use sim_core::component::attributes::Attributes;
use sim_core::component::build::LinkTarget;
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;
use sim_core::scene::{ComponentId, NodeId, Scene};

use crate::diagnostics::{Diagnostic, Severity, did_you_mean};
use crate::element::{Attribute, Element};
use crate::known;
use crate::options::LoadOptions;
use crate::path::{DataPath, Path, split_links};
use crate::value_syntax::{self, Widths};

/// What became of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Its turn has not come.
    Waiting,
    /// It is built.
    Built,
    /// It is not: it is wrong, unknown, or needs one that failed.
    Failed,
    /// It is not: it would move, or act on, what sleeps for ever.
    Asleep,
}

/// How an attribute gets its value.
#[derive(Clone, Debug)]
pub enum Setting {
    /// From its text.
    Text,
    /// From this text, which a node's data has as the scene begins.
    OfNode(String),
    /// From the data of another component.
    Data(ComponentId, String),
    /// It is a link to these.
    Links(Vec<LinkTarget>),
}

/// A component of the scene before it is built.
pub struct Draft<'e> {
    /// The element.
    pub element: &'e Element,
    /// Its class; none if it is unknown.
    pub description: Option<ComponentDescription>,
    /// The attributes to set, in order of their names: the place in the element, and how.
    pub settings: Vec<(usize, Setting)>,
    /// The component that `src` names.
    pub src: Option<ComponentId>,
    /// What became of it.
    pub status: Status,
    /// Whether a link of it leads nowhere.
    pub broken: bool,
    /// The attributes that its constructor looked at.
    pub asked: BTreeSet<String>,
}

impl<'e> Draft<'e> {
    fn new(element: &'e Element, description: Option<ComponentDescription>, status: Status) -> Self {
        Self {
            element,
            description,
            settings: Vec::new(),
            src: None,
            status,
            broken: false,
            asked: BTreeSet::new(),
        }
    }
}

impl Draft<'_> {
    /// Whether it is of a family.
    pub fn is(&self, family: Family) -> bool {
        self.description.is_some_and(|d| d.family == family)
    }
    /// Where an object link leads.
    pub fn link(&self, name: &str) -> Option<LinkTarget> {
        self.settings.iter().find_map(|(i, s)| match s {
            Setting::Links(l) if self.element.attributes[*i].name == name => l.first().copied(),
            _ => None,
        })
    }
}

/// The scene with its components in the order of the file.
pub struct DraftScene<'e> {
    /// Nodes and components, places taken.
    pub scene: Scene,
    /// The components, by their number.
    pub drafts: Vec<Draft<'e>>,
    /// Whether a component has nodes sleep and wake.
    has_sleep_controller: bool,
}

impl DraftScene<'_> {
    /// A component.
    pub fn draft(&self, id: ComponentId) -> &Draft<'_> {
        &self.drafts[id.0 as usize]
    }
    /// A finding about a component.
    pub fn finding(&self, severity: Severity, id: ComponentId, message: impl Into<String>) -> Diagnostic {
        let c = self.scene.component(id);
        let class = &self.draft(id).element.class;
        Diagnostic::new(severity, &c.location, message)
            .component(format!("{} ({class})", self.scene.path(id)))
    }
    /// A finding about an attribute of a component.
    pub fn finding_at(
        &self,
        severity: Severity,
        id: ComponentId,
        attribute: &Attribute,
        message: impl Into<String>,
    ) -> Diagnostic {
        let mut d = self.finding(severity, id, message).attribute(attribute.name.as_str());
        if attribute.location.line > 0 {
            d.location = attribute.location.clone();
        }
        d
    }
}

impl<'e> DraftScene<'e> {
    /// Takes in what a component has put into the scene besides itself: it stands where the component does.
    pub fn take_in_parts_of(&mut self, id: ComponentId) {
        let element: &'e Element = self.drafts[id.0 as usize].element;
        let n = self.scene.all_components().count();
        self.drafts.resize_with(n, || Draft::new(element, None, Status::Built));
    }
}

/// Attributes that every component has.
const COMMON: &[&str] =
    &["name", "template", "printLog", "tags", "listening", "src", "bbox", "componentState"];

/// The class under which a component stands in the scene that Weft does not know.
const UNKNOWN: &str = "UnknownComponent";

/// Makes the nodes and components of a scene and resolves all links.
pub fn instantiate<'e>(
    root: &'e Element,
    options: &LoadOptions,
    found: &mut Vec<Diagnostic>,
) -> DraftScene<'e> {
    let mut draft = DraftScene {
        scene: Scene::new(root.name().unwrap_or("root")),
        drafts: Vec::new(),
        has_sleep_controller: has_sleep_controller(root),
    };
    let node = draft.scene.root();
    draft.scene.node_mut(node).location = root.location.clone();
    read_root(root, &mut draft.scene, options, found);
    add_content(root, node, &mut draft, options, found);
    for i in 0..draft.drafts.len() {
        resolve(ComponentId(i as u32), &mut draft, options, found);
    }
    draft
}

/// A draft of what comes to a scene that is there: its components are built already.
pub fn draft_of<'e>(scene: Scene, blank: &'e Element, options: &LoadOptions) -> DraftScene<'e> {
    let draft = |c: ComponentId| {
        let is_there = scene.has_component(c);
        let known = options.registry.find(scene.component(c).class).copied();
        let description = known.filter(|_| is_there);
        let status = if is_there && known.is_none() { Status::Failed } else { Status::Built };
        Draft::new(blank, description, status)
    };
    let drafts = scene.all_components().map(draft).collect();
    let has_sleep_controller = scene.sleeping().is_some_and(|s| s.of_each.is_some());
    DraftScene { scene, drafts, has_sleep_controller }
}

fn has_sleep_controller(element: &Element) -> bool {
    element.class == "SleepController" || element.children.iter().any(has_sleep_controller)
}

/// Makes the nodes and components of an element below a node of the scene and resolves their links.
pub fn instantiate_below<'e>(
    element: &'e Element,
    parent: NodeId,
    draft: &mut DraftScene<'e>,
    options: &LoadOptions,
    found: &mut Vec<Diagnostic>,
) {
    let first = draft.drafts.len();
    add_node(element, parent, draft, options, found);
    for i in first..draft.drafts.len() {
        resolve(ComponentId(i as u32), draft, options, found);
    }
}

fn read_root(root: &Element, scene: &mut Scene, options: &LoadOptions, found: &mut Vec<Diagnostic>) {
    read_node(root, "/", options, found, |name, value| match (name, value) {
        ("gravity", Value::Reals(g)) => {
            scene.gravity = Vec3::new(g[0], g[1], g[2]);
            Ok(())
        }
        ("dt", Value::Real(dt)) if dt > 0.0 => {
            scene.dt = dt;
            Ok(())
        }
        ("dt", Value::Real(dt)) => Err(format!("the time step is {dt}; it must be greater than 0")),
        ("time", Value::Real(t)) => {
            scene.time = t;
            Ok(())
        }
        _ => Ok(()),
    });
    let node = scene.root();
    if root.get("activated").and_then(boolean) == Some(false) {
        scene.node_mut(node).active = false;
    }
    scene.node_mut(node).rests =
        root.get("sleeping").and_then(boolean) == Some(true) && !has_sleep_controller(root);
}

fn boolean(text: &str) -> Option<bool> {
    match value_syntax::parse(AttributeKind::Bool, text, Widths::VEC3).ok()?.value? {
        Value::Bool(b) => Some(b),
        _ => None,
    }
}

/// A node. Those of SOFA's window are accepted too.
#[derive(Attributes)]
#[attributes(
    ignored("animate", "bbox", "tags", "printLog", "listening", "debug"),
    ignored("depend", "multiThreadSimulation", "currentLevel", "coarsestLevel", "finestLevel")
)]
struct NodeAttributes {
    /// its name
    _name: Option<String>,
    /// gravity; of the root only [m/s^2]
    _gravity: Option<Vec3>,
    /// time step; of the root only [s]
    _dt: Option<f64>,
    /// time at the beginning; of the root only [s]
    _time: Option<f64>,
    /// whether it takes part
    _activated: Option<bool>,
    /// whether it takes no part; beside a SleepController, with `canChangeSleepingState`, at the beginning only
    _sleeping: Option<bool>,
    /// whether a SleepController may have what stands in it sleep and wake
    #[attribute(name = "canChangeSleepingState")]
    _can_change_sleeping_state: Option<bool>,
}

/// Reads the attributes of a node and hands those with a value to `set`.
fn read_node(
    element: &Element,
    path: &str,
    options: &LoadOptions,
    found: &mut Vec<Diagnostic>,
    mut set: impl FnMut(&'static str, Value) -> Result<(), String>,
) {
    for a in &element.attributes {
        let about = |severity, message: String| {
            let location = if a.location.line > 0 { &a.location } else { &element.location };
            Diagnostic::new(severity, location, message)
                .component(format!("{path} (Node)"))
                .attribute(a.name.as_str())
        };
        let Some(d) = NodeAttributes::ATTRIBUTES.iter().find(|d| d.name == a.name) else {
            if !is_disabled(&a.name) && !a.name.starts_with("show") {
                let names = NodeAttributes::ATTRIBUTES.iter().map(|d| d.name);
                let unknown =
                    about(options.mode.unknown_attribute, "a node has no such attribute".to_owned());
                found.push(unknown.suggestion(did_you_mean(&a.name, names)));
            }
            continue;
        };
        if d.kind == AttributeKind::Ignored || (a.value.trim().is_empty() && d.name == "name") {
            continue;
        }
        match value_syntax::parse(d.kind, &a.value, Widths::VEC3) {
            Ok(parsed) => {
                found.extend(parsed.warning.map(|w| about(Severity::Warning, w)));
                if let Some(Err(message)) = parsed.value.map(|v| set(d.name, v)) {
                    found.push(about(Severity::Error, message));
                }
            }
            Err(e) => found.push(about(Severity::Error, e.message).suggestion(e.suggestion)),
        }
    }
}

/// Names by which SOFA's scenes switch an attribute off.
fn is_disabled(name: &str) -> bool {
    name.starts_with('_') || name.starts_with("NO")
}

fn add_content<'e>(
    element: &'e Element,
    node: NodeId,
    draft: &mut DraftScene<'e>,
    options: &LoadOptions,
    found: &mut Vec<Diagnostic>,
) {
    for child in &element.children {
        if child.is_node() {
            add_node(child, node, draft, options, found);
        } else {
            add_component(child, node, draft, options, found);
        }
    }
}

fn add_node<'e>(
    element: &'e Element,
    parent: NodeId,
    draft: &mut DraftScene<'e>,
    options: &LoadOptions,
    found: &mut Vec<Diagnostic>,
) {
    let node = draft.scene.add_node(parent, element.name().unwrap_or(""), element.location.clone());
    let path = draft.scene.node_path(node);
    let (gravity, dt) = (draft.scene.gravity, draft.scene.dt);
    let (mut active, mut sleeps, mut can_sleep) = (true, false, false);
    let mut ineffective = Vec::new();
    read_node(element, &path, options, found, |name, value| {
        match (name, value) {
            ("activated", Value::Bool(b)) => active = b,
            ("sleeping", Value::Bool(b)) => sleeps = b,
            ("canChangeSleepingState", Value::Bool(b)) => can_sleep = b,
            ("gravity", Value::Reals(g)) if g != [gravity.x, gravity.y, gravity.z] => {
                ineffective.push("gravity");
            }
            ("dt", Value::Real(h)) if h != dt => ineffective.push("dt"),
            _ => {}
        }
        Ok(())
    });
    for name in ineffective {
        let at = element.attribute(name).map_or(&element.location, |a| &a.location);
        let message = "has no effect here: only the root's counts, as in SOFA";
        let d = Diagnostic::new(Severity::Note, at, message);
        found.push(d.component(format!("{path} (Node)")).attribute(name));
    }
    let rests = sleeps && !draft.has_sleep_controller;
    if rests {
        let at = element.attribute("sleeping").map_or(&element.location, |a| &a.location);
        let message = "nothing wakes what stands in it, as in SOFA without a SleepController: it stays where it is, and others may touch it";
        let d = Diagnostic::new(Severity::Note, at, message);
        found.push(d.component(format!("{path} (Node)")).attribute("sleeping"));
    } else if sleeps && !can_sleep {
        // As in SOFA, where such a node is as its parent is.
        let at = element.attribute("sleeping").map_or(&element.location, |a| &a.location);
        let message = "has no effect beside a SleepController without `canChangeSleepingState`, as in SOFA";
        let d = Diagnostic::new(Severity::Warning, at, message);
        found.push(d.component(format!("{path} (Node)")).attribute("sleeping"));
    }
    let scene_node = draft.scene.node_mut(node);
    scene_node.active &= active;
    scene_node.rests |= rests;
    (scene_node.can_sleep, scene_node.sleeps) = (can_sleep, can_sleep && sleeps);
    add_content(element, node, draft, options, found);
}

fn add_component<'e>(
    element: &'e Element,
    node: NodeId,
    draft: &mut DraftScene<'e>,
    options: &LoadOptions,
    found: &mut Vec<Diagnostic>,
) {
    let description = options.registry.find(&element.class).copied();
    let class = description.map_or(UNKNOWN, |d| d.class);
    // A class that is not ours is counted under its own name, as SOFA counts it.
    let name = match (element.name(), description) {
        (Some(name), _) => Some(name.to_owned()),
        (None, Some(_)) => None,
        (None, None) => {
            Some(draft.scene.make_name(node, known::renamed(&element.class).unwrap_or(&element.class)))
        }
    };
    let id = draft.scene.add_component(node, class, name.as_deref(), element.location.clone());
    let rests = draft.scene.node(node).rests && description.is_some_and(|d| MOVES.contains(&d.family));
    let status = match description {
        None => Status::Failed,
        Some(_) if rests => Status::Asleep,
        Some(_) => Status::Waiting,
    };
    draft.drafts.push(Draft::new(element, description, status));
    if description.is_none() {
        let (message, suggestion) = options.registry.explain_unknown(&element.class);
        let active = draft.scene.node(node).active;
        let severity = if active { options.mode.unknown_component } else { Severity::Note };
        found.push(draft.finding(severity, id, message).suggestion(suggestion));
    } else if let Some(child) = element.children.first() {
        let message = format!("a component holds no elements: `{}` is left out", child.class);
        let mut d = draft.finding(Severity::Warning, id, message);
        d.location = child.location.clone();
        found.push(d);
    }
}

/// What moves states, or acts on them: it is left out of nodes that sleep for ever, where SOFA's mechanical visitors do not go.
const MOVES: [Family; 9] = [
    Family::OdeSolver,
    Family::LinearSolver,
    Family::Mass,
    Family::ForceField,
    Family::InteractionForceField,
    Family::Constraint,
    Family::LagrangianConstraint,
    Family::ConstraintSolver,
    Family::ConstraintCorrection,
];

/// Whether a component may carry any attribute.
fn accepts_anything(description: &ComponentDescription) -> bool {
    matches!(description.family, Family::Visual | Family::Ignored)
}

/// Finds out how every attribute of a component gets its value.
fn resolve(id: ComponentId, draft: &mut DraftScene<'_>, options: &LoadOptions, found: &mut Vec<Diagnostic>) {
    let Some(description) = draft.draft(id).description else { return };
    let element = draft.drafts[id.0 as usize].element;
    let mut order: Vec<usize> = (0..element.attributes.len()).collect();
    // SOFA sets attributes in the order of their names, so that of two names of one value the last wins.
    order.sort_by(|a, b| element.attributes[*a].name.cmp(&element.attributes[*b].name));
    let mut settings = Vec::new();
    let mut src = None;
    let mut broken = false;
    for i in order {
        let attribute = &element.attributes[i];
        let result = if attribute.name == "src" {
            source(draft, id, &attribute.value).map(|s| {
                src = s;
                None
            })
        } else {
            match description.attributes_named(&attribute.name).next() {
                Some(d) => {
                    found.extend(unsupported(draft, id, d, attribute));
                    setting(draft, id, d, &attribute.value)
                }
                None => {
                    found.extend(unknown_attribute(draft, id, &description, attribute, options));
                    Ok(None)
                }
            }
        };
        match result {
            Ok(setting) => settings.extend(setting.map(|s| (i, s))),
            Err((message, suggestion)) => {
                let dangling = is_dangling(draft, id, &description, attribute);
                let message =
                    if dangling { format!("{message}; it is left out, as in SOFA") } else { message };
                let lenient = dangling || accepts_anything(&description);
                let severity = if lenient { Severity::Warning } else { Severity::Error };
                broken |= !lenient;
                found.push(draft.finding_at(severity, id, attribute, message).suggestion(suggestion));
            }
        }
    }
    let d = &mut draft.drafts[id.0 as usize];
    (d.settings, d.src, d.broken) = (settings, src, broken);
}

fn unknown_attribute(
    draft: &DraftScene<'_>,
    id: ComponentId,
    description: &ComponentDescription,
    attribute: &Attribute,
    options: &LoadOptions,
) -> Option<Diagnostic> {
    let name = attribute.name.as_str();
    let element = draft.draft(id).element;
    let names = description.further.and_then(|by| element.attribute(by)).map_or("", |a| a.value.as_str());
    let is_named = names.split_ascii_whitespace().any(|n| n == name);
    if COMMON.contains(&name) || is_disabled(name) || is_named || accepts_anything(description) {
        return None;
    }
    let known = description.all_attributes().map(|a| a.name);
    let message = format!("{} has no such attribute", description.class);
    let d = draft.finding_at(options.mode.unknown_attribute, id, attribute, message);
    Some(d.suggestion(did_you_mean(name, known.chain(COMMON.iter().copied()))))
}

/// What to say of an attribute by which SOFA does what Weft does not.
fn unsupported(
    draft: &DraftScene<'_>,
    id: ComponentId,
    description: &AttributeDescription,
    attribute: &Attribute,
) -> Option<Diagnostic> {
    let AttributeDescription { kind, default, summary, .. } = description;
    if *kind != AttributeKind::Unsupported || value_syntax::is_same(&attribute.value, default) {
        return None;
    }
    if asks_for_nothing(draft, id, attribute) {
        return None;
    }
    let only = if default.is_empty() { String::new() } else { format!(" (only `{default}` is)") };
    let message = format!("not supported{only}: SOFA {summary}, Weft does not");
    Some(draft.finding_at(Severity::Warning, id, attribute, message))
}

/// Whether an attribute that is not supported would change nothing in SOFA either, where it stands.
fn asks_for_nothing(draft: &DraftScene<'_>, id: ComponentId, attribute: &Attribute) -> bool {
    match attribute.name.as_str() {
        "externalForce" => attribute.value.split_ascii_whitespace().all(|n| n.parse() == Ok(0.0)),
        "mapMasses" => {
            // Masses below a mapping, or wherever they name their state.
            let node = draft.scene.component(id).node;
            let output = draft.draft(id).element.attribute("output").map_or("", |a| a.value.as_str());
            let is_here = !output.contains('/') || output == "@./";
            let acts_there = |c: ComponentId| {
                let component = draft.draft(c);
                let is_mass = component.description.is_some_and(|d| d.class.contains("Mass"));
                let node_of_mass = draft.scene.component(c).node;
                is_mass
                    && (component.element.attribute("mstate").is_some()
                        || draft.scene.upward(node_of_mass).any(|n| n == node))
            };
            is_here && !draft.scene.all_components().any(acts_there)
        }
        _ => false,
    }
}

type Wrong = (String, Option<String>);

fn source(draft: &DraftScene<'_>, id: ComponentId, text: &str) -> Result<Option<ComponentId>, Wrong> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let path = Path::parse(text).map_err(|m| (m, None))?;
    match path.resolve(&draft.scene, id, false) {
        Some(LinkTarget::Component(c)) => Ok(Some(c)),
        Some(LinkTarget::Node(_)) => Err((format!("`{text}` leads to a node, not to a component"), None)),
        None => Err(leads_nowhere(draft, id, &path, text)),
    }
}

fn setting(
    draft: &DraftScene<'_>,
    id: ComponentId,
    description: &AttributeDescription,
    text: &str,
) -> Result<Option<Setting>, Wrong> {
    let links = match description.kind {
        AttributeKind::Ignored | AttributeKind::Unsupported => return Ok(None),
        AttributeKind::Link => vec![text.trim()],
        AttributeKind::Links => split_links(text),
        _ if text.trim_start().starts_with('@') => return data(draft, id, text).map(Some),
        _ => return Ok(Some(Setting::Text)),
    };
    if text.trim().is_empty() {
        return Ok(None);
    }
    let mut targets = Vec::new();
    for link in links {
        let path = Path::parse(link).map_err(|m| (m, None))?;
        let target = path.resolve(&draft.scene, id, true);
        let target = target.ok_or_else(|| leads_nowhere(draft, id, &path, link))?;
        if description.name == "topology"
            && let Some(class) = no_topology(draft, target)
        {
            return Err((format!("`{link}` leads to a {class}, which is no topology"), None));
        }
        targets.push(target);
    }
    Ok(Some(Setting::Links(targets)))
}

/// The class of a component that holds no elements.
fn no_topology(draft: &DraftScene<'_>, target: LinkTarget) -> Option<&'static str> {
    let LinkTarget::Component(c) = target else { return None };
    let has_elements = |d: &ComponentDescription| {
        [Family::Topology, Family::Loader, Family::Visual].into_iter().any(|f| d.family == f)
    };
    draft.draft(c).description.filter(|d| !has_elements(d)).map(|d| d.class)
}

fn data(draft: &DraftScene<'_>, id: ComponentId, text: &str) -> Result<Setting, Wrong> {
    let link = DataPath::parse(text).map_err(|m| (m, None))?;
    match link.path.resolve(&draft.scene, id, true) {
        Some(LinkTarget::Component(c)) => Ok(Setting::Data(c, link.data)),
        Some(LinkTarget::Node(n)) => {
            of_node(&draft.scene, n, &link.data).map(Setting::OfNode).ok_or_else(|| {
                let message = format!("`{}` leads to a node, which has no data `{}`", text.trim(), link.data);
                (message, None)
            })
        }
        None => Err(leads_nowhere(draft, id, &link.path, text)),
    }
}

/// What the data of a node is as the scene begins; none where a node has no such data.
fn of_node(scene: &Scene, node: NodeId, data: &str) -> Option<String> {
    let flag = |yes: bool| u8::from(yes).to_string();
    let (g, at) = (scene.own_gravity(node).unwrap_or(scene.gravity), scene.node(node));
    Some(match data {
        "gravity" => format!("{} {} {}", g.x, g.y, g.z),
        "dt" => scene.dt.to_string(),
        "time" => scene.time.to_string(),
        "sleeping" => flag(at.sleeps || at.rests),
        "canChangeSleepingState" => flag(at.can_sleep),
        "activated" => flag(at.active),
        "name" => at.name.clone(),
        _ => return None,
    })
}

/// Whether the text is a data link to a component that the scene does not have.
///
/// **Source:** SOFA warns, and the attribute keeps its default.
fn is_dangling(
    draft: &DraftScene<'_>,
    id: ComponentId,
    of: &ComponentDescription,
    attribute: &Attribute,
) -> bool {
    let is_link = |k| matches!(k, AttributeKind::Link | AttributeKind::Links);
    let mut meant = of.attributes_named(&attribute.name).peekable();
    let text = attribute.value.as_str();
    if attribute.name == "src"
        || meant.peek().is_none()
        || meant.any(|a| is_link(a.kind))
        || !text.trim_start().starts_with('@')
    {
        return false;
    }
    DataPath::parse(text).is_ok_and(|link| link.path.resolve(&draft.scene, id, true).is_none())
}

fn leads_nowhere(draft: &DraftScene<'_>, id: ComponentId, path: &Path, text: &str) -> Wrong {
    let scene = &draft.scene;
    let nodes = || scene.upward(scene.component(id).node);
    let components = nodes().flat_map(|n| scene.components_of(n)).map(|c| scene.component(c).name.as_str());
    let children = nodes().flat_map(|n| scene.node(n).children.iter()).map(|n| scene.node(*n).name.as_str());
    let name = path.last_name();
    let others = components.chain(children).filter(|n| Some(*n) != name);
    let suggestion = name.and_then(|name| did_you_mean(name, others));
    let own = Some(scene.component(id).name.as_str()) == name;
    let why = if own { " (a component does not find itself)" } else { "" };
    (format!("`{}` leads to nothing{why}", text.trim()), suggestion)
}
