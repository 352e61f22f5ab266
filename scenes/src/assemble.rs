//! Builds the components of a scene, each with its attributes parsed and its links read.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use animation::rig::format::Catalogue;
use sim_core::component::build::{AttributeValues, BuildEnvironment, BuildError, Builder, LinkTarget};
use sim_core::component::description::{AttributeKind, ComponentDescription, Family, Recipe};
use sim_core::component::mechanical_state::template_name;
use sim_core::scene::{ComponentId, NodeId, Scene};
use sim_core::topology::Topology;

use crate::diagnostics::{Diagnostic, Severity};
use crate::element::Element;
use crate::files::FileFinder;
use crate::instantiate::{DraftScene, Setting, Status};
use crate::link_values;
use crate::loaders::generated;
use crate::mesh;
use crate::options::LoadOptions;
use crate::order::build_order;
use crate::registry::Registry;
use crate::value_syntax::{self, Widths};
use crate::visual;

/// Families whose components can be built again while a simulation runs.
pub const CHANGEABLE: &[Family] = &[
    Family::Mass,
    Family::ForceField,
    Family::InteractionForceField,
    Family::OdeSolver,
    Family::LinearSolver,
];

/// Builds all components of active nodes.
pub fn assemble(
    draft: &mut DraftScene<'_>,
    files: &FileFinder,
    options: &LoadOptions,
    found: &mut Vec<Diagnostic>,
) {
    let order = build_order(draft);
    for cycle in &order.cycles {
        let names: Vec<String> = cycle.iter().map(|c| draft.scene.path(*c)).collect();
        let message = format!("data links go round in a circle: {}", names.join(" -> "));
        found.push(draft.finding(Severity::Error, cycle[0], message));
        for c in cycle {
            draft.drafts[c.0 as usize].status = Status::Failed;
        }
    }
    let mut built: Vec<AttributeValues> = vec![AttributeValues::default(); draft.drafts.len()];
    let mut done: Vec<(ComponentId, ComponentDescription, usize)> = Vec::new();
    for id in order.order {
        let d = draft.draft(id);
        let Some(description) = d.description else { continue };
        let active = draft.scene.node(draft.scene.component(id).node).active;
        if d.status != Status::Waiting || !active {
            continue;
        }
        let projections = draft.scene.n_projections();
        let ok = !d.broken && !needs_failed(draft, id, options, found) && {
            let before = found.len();
            let attributes = attributes(draft, id, &description, &built, found);
            let errors = found[before..].iter().any(|f| f.severity == Severity::Error);
            let ok =
                !errors && build(draft, id, &description, &attributes, (files, &options.registry), found);
            built[id.0 as usize] = attributes;
            ok
        };
        draft.drafts[id.0 as usize].status = if ok { Status::Built } else { Status::Failed };
        if ok {
            done.push((id, description, projections));
        }
    }
    for (id, description, projections) in done {
        let attributes = std::mem::take(&mut built[id.0 as usize]);
        // Of most, less is kept in the end: see `data_flow::abridge`.
        let repeats = CHANGEABLE.contains(&description.family) || description.family == Family::Engine;
        let recipe = Recipe { description, attributes, repeats, projections };
        draft.scene.component_mut(id).recipe = Some(Arc::new(recipe));
    }
}

/// Whether a component that this one links to is not there; then an error was reported already, or with `--lenient` a warning.
fn needs_failed(
    draft: &DraftScene<'_>,
    id: ComponentId,
    options: &LoadOptions,
    found: &mut Vec<Diagnostic>,
) -> bool {
    let d = draft.draft(id);
    let mut failed = d.src.into_iter().collect::<Vec<_>>();
    for (_, setting) in &d.settings {
        match setting {
            Setting::Data(c, _) => failed.push(*c),
            Setting::Links(targets) => failed.extend(targets.iter().filter_map(|t| match t {
                LinkTarget::Component(c) => Some(*c),
                LinkTarget::Node(_) => None,
            })),
            Setting::Text | Setting::OfNode(_) => {}
        }
    }
    failed.retain(|c| draft.draft(*c).status == Status::Failed);
    if let Some(first) = failed.first() {
        let lenient = options.mode.unknown_component < Severity::Error;
        let severity = if lenient && !d.is(Family::Ignored) && !d.is(Family::SolverSettings) {
            Severity::Warning
        } else {
            Severity::Note
        };
        let message = format!("left out, since it links to {}, which is not there", draft.scene.path(*first));
        found.push(draft.finding(severity, id, message));
    }
    !failed.is_empty()
}

/// The widths of rows for an attribute of a component: by its own template, or else by the state that it finds.
pub fn widths(
    scene: &Scene,
    node: NodeId,
    description: &ComponentDescription,
    template: Option<&str>,
) -> Widths {
    let own = template.and_then(Widths::of_template);
    let found = || {
        let state = scene.state_from(node)?;
        Widths::of_template(scene.initial(state).template())
    };
    let state = description.family == Family::State;
    own.or_else(|| if state { None } else { found() }).unwrap_or(Widths::VEC3)
}

/// SOFA's names of one template: `Vec3d`, `Rigid`, `CompressedRowSparseMatrixMat3x3d` and the like, and lists of them.
fn canonical_template(text: &str) -> String {
    let one = |t: &str| match template_name(t.trim()) {
        "CompressedRowSparseMatrixd" | "CompressedRowSparseMatrixf" => "CompressedRowSparseMatrix".to_owned(),
        // What visual models had, up to 2018.
        "ExtVec3" => "Vec3".to_owned(),
        p => p.to_owned(),
    };
    text.split(',').map(one).collect::<Vec<_>>().join(",")
}

fn template(
    draft: &DraftScene<'_>,
    id: ComponentId,
    description: &ComponentDescription,
    found: &mut Vec<Diagnostic>,
) -> Option<String> {
    let attribute = draft.draft(id).element.attribute("template")?;
    let wanted = canonical_template(&attribute.value);
    if wanted.is_empty() {
        return None;
    }
    // A mass names what it moves and, behind a comma, what its mesh is made of or its masses are written as: the first alone counts.
    let of_mass = wanted.split(',').next().filter(|_| description.family == Family::Mass);
    let known = |t: &&&str| {
        let t = canonical_template(t);
        t == wanted || Some(t.as_str()) == of_mass
    };
    if description.templates.is_empty() || description.family == Family::Visual {
        return Some(wanted);
    }
    if let Some(t) = description.templates.iter().find(known) {
        return Some((*t).to_owned());
    }
    // Another number of coordinates is another simulation; other templates SOFA replaces by the default.
    let dimension = wanted.split(',').any(|t| Widths::of_template(t).is_some());
    let available = description.templates.join(", ");
    let (severity, message) = if dimension && !wanted.split(',').all(|t| t == "Vec3" || t == "Rigid3") {
        (
            Severity::Error,
            format!("there is no {} of template `{wanted}`; there is {available}", description.class),
        )
    } else {
        let class = description.class;
        let message =
            format!("{class} has no template `{}`: left out; there is {available}", attribute.value);
        (Severity::Warning, message)
    };
    found.push(draft.finding_at(severity, id, attribute, message));
    None
}

fn attributes(
    draft: &DraftScene<'_>,
    id: ComponentId,
    description: &ComponentDescription,
    built: &[AttributeValues],
    found: &mut Vec<Diagnostic>,
) -> AttributeValues {
    let d = draft.draft(id);
    let mut attributes =
        AttributeValues { template: template(draft, id, description, found), ..AttributeValues::default() };
    let node = draft.scene.component(id).node;
    let widths = widths(&draft.scene, node, description, attributes.template.as_deref());
    if let Some(source) = d.src {
        for a in description.all_attributes() {
            let linked = link_values::from_source(draft, source, description.family, a);
            if let Some(value) = linked.and_then(|l| link_values::convert(l, a.kind, widths)) {
                attributes.set.insert(a.name, value);
                attributes.sources.insert(a.name, (source, a.name.to_owned()));
            }
        }
    }
    for (i, setting) in &d.settings {
        let attribute = &d.element.attributes[*i];
        let text = if let Setting::OfNode(text) = setting { text } else { &attribute.value };
        for a in description.attributes_named(&attribute.name) {
            match setting {
                Setting::Links(targets) => {
                    attributes.links.insert(a.name, targets.clone());
                }
                Setting::Data(source, field) => {
                    let of_numbers =
                        [built[source.0 as usize].template.as_deref(), attributes.template.as_deref()]
                            .map(link_values::is_of_numbers);
                    match link_values::of_component(draft, built, *source, field)
                        .map(|l| l.between(of_numbers[0], of_numbers[1], a.kind, widths))
                        .and_then(|l| link_values::convert_or_explain(l, a.kind, widths))
                    {
                        Ok(value) => {
                            attributes.set.insert(a.name, value);
                            attributes.sources.insert(a.name, (*source, field.clone()));
                        }
                        Err((message, suggestion)) => {
                            let f = draft.finding_at(Severity::Error, id, attribute, message);
                            found.push(f.suggestion(suggestion));
                        }
                    }
                }
                Setting::Text | Setting::OfNode(_) => match value_syntax::parse(a.kind, text, widths) {
                    Ok(parsed) => {
                        let warning = parsed.warning;
                        found.extend(warning.map(|w| draft.finding_at(Severity::Warning, id, attribute, w)));
                        if let Some(value) = parsed.value {
                            attributes.set.insert(a.name, value);
                            // What `src` gave is given up.
                            attributes.sources.remove(a.name);
                        }
                    }
                    Err(e) => {
                        let severity = if d.is(Family::Visual) { Severity::Warning } else { Severity::Error };
                        let f = draft.finding_at(severity, id, attribute, e.message);
                        found.push(f.suggestion(e.suggestion));
                    }
                },
            }
        }
    }
    for (name, wrong) in defaults(description, widths, &mut attributes) {
        let message =
            format!("the default of `{name}` is wrong, which is a mistake in the component: {wrong}");
        found.push(draft.finding(Severity::Error, id, message));
    }
    attributes
}

/// Fills in the defaults of what the scene does not set. Returns those that are no values of their kind, and why.
fn defaults(
    description: &ComponentDescription,
    widths: Widths,
    attributes: &mut AttributeValues,
) -> Vec<(&'static str, String)> {
    let mut wrong = Vec::new();
    for a in description.all_attributes() {
        let link = matches!(a.kind, AttributeKind::Link | AttributeKind::Links) || !a.kind.is_read();
        // A text has a default even where it is empty.
        let none = a.default.is_empty() && a.kind != AttributeKind::Text;
        if none || link || attributes.set.contains_key(a.name) {
            continue;
        }
        match value_syntax::parse(a.kind, a.default, widths) {
            Ok(parsed) => {
                if let Some(value) = parsed.value {
                    attributes.defaults.insert(a.name, value);
                }
            }
            Err(e) => wrong.push((a.name, e.message)),
        }
    }
    wrong
}

struct Environment<'a> {
    element: &'a Element,
    files: &'a FileFinder,
    registry: &'a Registry,
    from: &'a str,
    warnings: Vec<(Option<String>, String)>,
    asked: RefCell<BTreeSet<String>>,
}

impl BuildEnvironment for Environment<'_> {
    fn find_file(&self, name: &str) -> Result<PathBuf, String> {
        self.files.find(name, self.from)
    }
    fn read_mesh(&self, name: &str) -> Result<Topology, String> {
        match name.trim().strip_prefix(generated::PREFIX) {
            Some(shape) => generated::mesh(shape).map(mesh::to_topology),
            None => {
                let path = self.find_file(name)?;
                let found = mesh::sphere::points(&path).unwrap_or_else(|| mesh::load_topology(&path));
                found.map_err(|e| e.to_string())
            }
        }
    }
    fn asked(&self, attribute: &str) {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(attribute) {
            asked.insert(attribute.to_owned());
        }
    }
    fn further(&self, attribute: &str) -> Option<String> {
        self.element.attribute(attribute).map(|a| a.value.clone())
    }
    fn warn(&mut self, attribute: Option<&str>, message: String) {
        self.warnings.push((attribute.map(str::to_owned), message));
    }
    fn given(&self, of: TypeId) -> Option<&dyn Any> {
        (of == TypeId::of::<Catalogue>()).then_some(&**self.registry.rig_nodes())
    }
}

/// Builds one component; whether it went well.
fn build(
    draft: &mut DraftScene<'_>,
    id: ComponentId,
    description: &ComponentDescription,
    attributes: &AttributeValues,
    (files, registry): (&FileFinder, &Registry),
    found: &mut Vec<Diagnostic>,
) -> bool {
    let node = draft.scene.component(id).node;
    let file = draft.scene.component(id).location.file.clone();
    let element = draft.drafts[id.0 as usize].element;
    let mut environment = Environment {
        element,
        files,
        registry,
        from: &file,
        warnings: Vec::new(),
        asked: RefCell::default(),
    };
    let visual_output = visual_output(draft, id, description);
    let result = match visual_output {
        Some(model) => {
            let input = attributes.links.get("input").and_then(|l| l.first().copied());
            visual::attach(&mut draft.scene, model, id, input)
        }
        None => (description.build)(&mut Builder {
            scene: (&mut draft.scene).into(),
            component: id,
            node,
            attributes,
            environment: &mut environment,
        }),
    };
    let Environment { warnings, asked, .. } = environment;
    draft.take_in_parts_of(id);
    for (attribute, message) in warnings {
        found.push(about(draft, id, Severity::Warning, attribute.as_deref(), message));
    }
    draft.drafts[id.0 as usize].asked = asked.into_inner();
    let result = result.and_then(|()| choose_linear_solver(draft, id, description, attributes));
    let Err(e) = result else {
        if visual_output.is_none() {
            unread(draft, id, description, attributes, found);
        }
        return true;
    };
    let severity = match description.family {
        Family::Visual => Severity::Warning,
        _ if lacks_something_that_failed(draft, node) => Severity::Note,
        _ => Severity::Error,
    };
    found.push(about(draft, id, severity, e.attribute.as_deref(), e.message));
    false
}

/// An integrator may name the linear solver that it uses: whichever family it is of, the scene keeps the pair.
fn choose_linear_solver(
    draft: &mut DraftScene<'_>,
    id: ComponentId,
    description: &ComponentDescription,
    attributes: &AttributeValues,
) -> Result<(), BuildError> {
    const LINK: &str = "linearSolver";
    if description.family != Family::OdeSolver {
        return Ok(());
    }
    draft.drafts[id.0 as usize].asked.insert(LINK.to_owned());
    match attributes.links.get(LINK).and_then(|targets| targets.first()) {
        None => Ok(()),
        Some(LinkTarget::Component(c)) if draft.draft(*c).is(Family::LinearSolver) => {
            draft.scene.solvers.chosen.insert(id, *c);
            Ok(())
        }
        Some(_) => Err(BuildError::attribute(LINK, "`linearSolver` leads to no linear solver")),
    }
}

/// Says which attributes the scene sets and the constructor did not look at, the others being as they are.
fn unread(
    draft: &DraftScene<'_>,
    id: ComponentId,
    description: &ComponentDescription,
    attributes: &AttributeValues,
    found: &mut Vec<Diagnostic>,
) {
    if matches!(description.family, Family::Visual | Family::Ignored) {
        return;
    }
    let d = draft.draft(id);
    for (i, _) in &d.settings {
        let attribute = &d.element.attributes[*i];
        let has = |name| attributes.set.contains_key(name) || attributes.links.contains_key(name);
        let mut meant = description.attributes_named(&attribute.name).filter(|a| has(a.name)).peekable();
        if meant.peek().is_some() && meant.all(|a| !d.asked.contains(a.name)) {
            let message = "has no effect here: the other attributes decide";
            found.push(draft.finding_at(Severity::Warning, id, attribute, message));
        }
    }
}

fn about(
    draft: &DraftScene<'_>,
    id: ComponentId,
    severity: Severity,
    attribute: Option<&str>,
    message: String,
) -> Diagnostic {
    match attribute {
        None => draft.finding(severity, id, message),
        Some(name) => match draft.draft(id).element.attribute(name) {
            Some(a) => draft.finding_at(severity, id, a, message),
            None => draft.finding(severity, id, message).attribute(name),
        },
    }
}

/// The visual model that a mapping moves, if it moves one instead of a mechanical state.
fn visual_output(
    draft: &DraftScene<'_>,
    id: ComponentId,
    description: &ComponentDescription,
) -> Option<ComponentId> {
    if description.family != Family::Mapping {
        return None;
    }
    let node = match draft.draft(id).link("output") {
        Some(LinkTarget::Component(c)) => return draft.draft(c).is(Family::Visual).then_some(c),
        Some(LinkTarget::Node(n)) => n,
        None => draft.scene.component(id).node,
    };
    let find = |family| draft.scene.components_of(node).find(|c| draft.draft(*c).is(family));
    if find(Family::State).is_some() {
        return None;
    }
    let model = |c: &ComponentId| draft.scene.component(*c).extension::<visual::VisualModel>().is_some();
    let drawn = |c: &ComponentId| visual::is_mapped(draft.scene.component(*c).class);
    draft.scene.components_of(node).find(model).or_else(|| draft.scene.components_of(node).find(drawn))
}

/// Whether the node or one above it lacks a component that others rely on without a link, because that one failed.
fn lacks_something_that_failed(draft: &DraftScene<'_>, node: NodeId) -> bool {
    let failed = |c: ComponentId| {
        let d = draft.draft(c);
        let relied_on = |f| matches!(f, Family::State | Family::Topology | Family::Loader | Family::Mass);
        d.status == Status::Failed && d.description.is_none_or(|d| relied_on(d.family))
    };
    draft.scene.upward(node).any(|n| draft.scene.components_of(n).any(failed))
}

/// Puts force fields, masses and constraints back into the order of the scene, in which SOFA applies them.
pub fn sort_parts(scene: &mut Scene) {
    let mut rank = vec![0usize; scene.all_components().count()];
    let ordered = scene.depth_first().into_iter().flat_map(|n| scene.node(n).components.clone());
    for (i, c) in ordered.enumerate() {
        rank[c.0 as usize] = i;
    }
    let rank = |c: ComponentId| rank[c.0 as usize];
    scene.parts.force_fields.sort_by_key(|p| rank(p.component));
    scene.parts.interactions.sort_by_key(|p| rank(p.component));
    scene.parts.masses.sort_by_key(|p| rank(p.component));
    scene.parts.constraints.sort_by_key(|p| rank(p.component));
    scene.solvers.ode.sort_by_key(|p| rank(p.component));
    scene.solvers.linear.sort_by_key(|p| rank(p.component));
}
