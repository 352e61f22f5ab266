//! `weft list --components --json`: the components, for programs.

use std::collections::{BTreeMap, BTreeSet};

use scenes::element::Element;
use scenes::gallery;
use scenes::registry::Registry;
use serde::Serialize;
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription, Family};

use crate::program::failure::Failure;

/// Families in the order of a scene, with their titles.
pub const FAMILIES: &[(Family, &str)] = &[
    (Family::Loader, "Loaders"),
    (Family::Topology, "Topologies"),
    (Family::State, "Mechanical states"),
    (Family::Engine, "Engines"),
    (Family::Mass, "Masses"),
    (Family::ForceField, "Force fields"),
    (Family::InteractionForceField, "Interaction force fields"),
    (Family::Mapping, "Mappings"),
    (Family::Constraint, "Constraints"),
    (Family::LagrangianConstraint, "Constraints with Lagrange multipliers"),
    (Family::ConstraintSolver, "Constraint solvers"),
    (Family::ConstraintCorrection, "Constraint corrections"),
    (Family::OdeSolver, "ODE solvers"),
    (Family::LinearSolver, "Linear solvers"),
    (Family::SolverSettings, "Settings of solvers"),
    (Family::Collision, "Collision"),
    (Family::AnimationLoop, "Animation loops"),
    (Family::Playback, "Files read and written while a scene runs"),
];

/// A family of components.
#[derive(Serialize)]
struct FamilyEntry {
    title: &'static str,
    components: Vec<ComponentEntry>,
}

/// A class of components.
#[derive(Serialize)]
struct ComponentEntry {
    class: &'static str,
    old_names: &'static [&'static str],
    summary: &'static str,
    templates: &'static [&'static str],
    attributes: Vec<AttributeEntry>,
    /// SOFA's attributes that are warned of.
    unsupported: Vec<AttributeEntry>,
    /// SOFA's attributes that change nothing.
    without_effect: Vec<&'static str>,
    gallery: BTreeSet<&'static str>,
}

/// An attribute.
#[derive(Serialize)]
struct AttributeEntry {
    name: &'static str,
    aliases: &'static [&'static str],
    form: String,
    default: &'static str,
    unit: &'static str,
    summary: &'static str,
}

/// All components by family, in the order of a scene.
///
/// # Errors
/// A gallery scene that cannot be made.
pub fn json(registry: &Registry) -> Result<String, Failure> {
    let used = used_in_gallery(registry)?;
    let entry = |d: &ComponentDescription| component(d, used.get(d.class).cloned().unwrap_or_default());
    let families: Vec<FamilyEntry> = FAMILIES
        .iter()
        .map(|(family, title)| FamilyEntry {
            title,
            components: registry.iter().filter(|d| d.family == *family).map(entry).collect(),
        })
        .collect();
    serde_json::to_string_pretty(&families).map_err(|e| Failure::Usage(e.to_string()))
}

fn component(d: &ComponentDescription, gallery: BTreeSet<&'static str>) -> ComponentEntry {
    let of = |kind: fn(AttributeKind) -> bool| d.all_attributes().filter(move |a| kind(a.kind));
    let unsupported = |k| k == AttributeKind::Unsupported;
    let ignored = |k| k == AttributeKind::Ignored;
    let read = |k| k != AttributeKind::Unsupported && k != AttributeKind::Ignored;
    ComponentEntry {
        class: d.class,
        old_names: d.old_names,
        summary: d.summary,
        templates: d.templates,
        attributes: of(read).map(attribute).collect(),
        unsupported: of(unsupported).map(attribute).collect(),
        without_effect: of(ignored).map(|a| a.name).collect(),
        gallery,
    }
}

fn attribute(a: &AttributeDescription) -> AttributeEntry {
    let AttributeDescription { name, aliases, default, unit, summary, .. } = *a;
    AttributeEntry { name, aliases, form: kind(a.kind), default, unit, summary }
}

/// Which gallery scenes have a class, by its present name.
fn used_in_gallery(registry: &Registry) -> Result<BTreeMap<&'static str, BTreeSet<&'static str>>, Failure> {
    let mut used: BTreeMap<&'static str, BTreeSet<&'static str>> = BTreeMap::new();
    for scene in gallery::all() {
        let root = scene.elements(&[]).map_err(|e| Failure::Usage(e.to_string()))?;
        let mut open: Vec<&Element> = vec![&root];
        while let Some(element) = open.pop() {
            open.extend(&element.children);
            if let Some(d) = registry.find(&element.class) {
                used.entry(d.class).or_default().insert(scene.name);
            }
        }
    }
    Ok(used)
}

/// The form of an attribute's value, in words.
pub fn kind(kind: AttributeKind) -> String {
    match kind {
        AttributeKind::Bool => "bool".into(),
        AttributeKind::Integer => "integer".into(),
        AttributeKind::Real | AttributeKind::Real32 => "real".into(),
        AttributeKind::Text => "text".into(),
        AttributeKind::File => "file".into(),
        AttributeKind::Option(words) | AttributeKind::WordOrDefault(words) => {
            format!("one of {}", words.join(" "))
        }
        AttributeKind::Reals(n) => format!("{n} reals"),
        AttributeKind::Integers(n) => format!("{n} integers"),
        AttributeKind::RealRows(1) => "reals".into(),
        AttributeKind::RealRows(n) => format!("rows of {n} reals"),
        AttributeKind::RigidMasses => "mass, or mass, volume and 3 by 3 reals".into(),
        AttributeKind::IndexRows(1) => "indices".into(),
        AttributeKind::IndexRows(n) => format!("rows of {n} indices"),
        AttributeKind::Bools => "bools".into(),
        AttributeKind::Texts => "words".into(),
        AttributeKind::Lists => "lists in brackets".into(),
        AttributeKind::PointVector => "as many reals as the points have".into(),
        AttributeKind::Coords => "rows of coordinates".into(),
        AttributeKind::Derivs => "rows of velocities".into(),
        AttributeKind::Link => "link".into(),
        AttributeKind::Links => "links".into(),
        AttributeKind::Ignored => "no effect".into(),
        AttributeKind::Unsupported => "not supported".into(),
    }
}
