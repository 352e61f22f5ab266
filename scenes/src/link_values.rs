//! What a data link reads: the vectors of a state, the elements of a topology, the fields that a component offers, or its
//! attributes.

use sim_core::component::build::AttributeValues;
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription, Family};
use sim_core::component::mechanical_state::for_initial_state;
use sim_core::component::surroundings::Fields;
use sim_core::component::value::Value;
use sim_core::math::{Coord, Deriv, StateType};
use sim_core::scene::{ComponentId, Scene};

use crate::animated::gives_frames;
use crate::diagnostics::did_you_mean;
use crate::instantiate::DraftScene;
use crate::value_syntax::Widths;

/// A value and the width of its rows; 0 where it is not known.
#[derive(Clone, Debug)]
pub struct Linked {
    /// The value.
    pub value: Value,
    /// Numbers per row.
    pub width: usize,
}

type Wrong = (String, Option<String>);

/// Data that `src` never takes over: a loader's own transformation is in its positions already.
const NOT_LINKED: &[&str] = &[
    "name",
    "type",
    "filename",
    "fileTopology",
    "printLog",
    "tags",
    "bbox",
    "componentState",
    "listening",
    "flipNormals",
    "triangulate",
    "createSubelements",
    "onlyAttachedPoints",
    "translation",
    "rotation",
    "scale3d",
    "scale",
    "transformation",
];

/// What `src` gives an attribute of a component of a family; an empty list is left for the component to derive.
///
/// **Source:** positions of a state may be empty, as in SOFA: it then has no points, or those of its topology.
pub fn from_source(
    draft: &DraftScene<'_>,
    source: ComponentId,
    family: Family,
    attribute: &AttributeDescription,
) -> Option<Linked> {
    if !attribute.kind.is_read() || NOT_LINKED.contains(&attribute.name) {
        return None;
    }
    let names = std::iter::once(attribute.name).chain(attribute.aliases.iter().copied());
    let scene = &draft.scene;
    let of = draft.draft(source).description;
    let found =
        names.into_iter().find_map(|n| structure(scene, source, n).or_else(|| field(scene, of, source, n)));
    let may_be_empty = family == Family::State && attribute.name == "position";
    found.filter(|l| may_be_empty || !is_empty(&l.value))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Reals(v) => v.is_empty(),
        Value::Integers(v) => v.is_empty(),
        Value::Bools(v) => v.is_empty(),
        Value::Texts(v) => v.is_empty(),
        _ => false,
    }
}

/// What a link to one name reads.
///
/// # Errors
/// The component has no such data.
pub fn of_component(
    draft: &DraftScene<'_>,
    built: &[AttributeValues],
    source: ComponentId,
    name: &str,
) -> Result<Linked, Wrong> {
    let of = draft.draft(source).description;
    let found = structure(&draft.scene, source, name)
        .or_else(|| field(&draft.scene, of, source, name))
        .or_else(|| attribute_of(of, &built[source.0 as usize], name));
    found.ok_or_else(|| {
        let component = draft.scene.component(source);
        let fields = component.fields.keys().copied();
        let description = draft.draft(source).description;
        let attributes = description.iter().flat_map(|d| d.all_attributes()).map(|a| a.name);
        let names: Vec<&str> = fields.chain(attributes).collect();
        let path = draft.scene.path(source);
        if draft.scene.upward(component.node).any(|n| !draft.scene.node(n).active) {
            let message =
                format!("{path} ({}) is not built, since its node is not activated", component.class);
            return (message, None);
        }
        if names.contains(&name) {
            let message = format!("{path} ({}) has nothing in `{name}` when this is read", component.class);
            return (message, None);
        }
        (format!("{path} ({}) has no data `{name}`", component.class), did_you_mean(name, names))
    })
}

/// The vectors of a state and the elements of a topology, as they are now, under SOFA's names and other names of theirs.
///
/// **Source:** `reset_position` of a state is that from which the simulation begins; SOFA's is empty while a scene is loaded.
pub(crate) fn structure(scene: &Scene, source: ComponentId, name: &str) -> Option<Linked> {
    if let Some(id) = scene.state_of_component(source) {
        let state = for_initial_state!(scene.initial(id), S, s => vector_of::<S>(s, name));
        if state.is_some() {
            return state;
        }
    }
    let t = scene.topology(source)?;
    let linked = |value, width| Some(Linked { value, width });
    match name {
        "position" | "points" if !t.points.is_empty() => linked(Value::from_points(&t.points), 3),
        "edges" | "lines" => linked(Value::from_rows(&t.edges), 2),
        "triangles" => linked(Value::from_rows(&t.triangles), 3),
        "quads" => linked(Value::from_rows(&t.quads), 4),
        "tetrahedra" | "tetras" => linked(Value::from_rows(&t.tetrahedra), 4),
        "hexahedra" | "hexas" => linked(Value::from_rows(&t.hexahedra), 8),
        "n" => t.counts.and_then(|n| linked(Value::Integers(n.iter().map(|n| *n as i64).collect()), 3)),
        _ => None,
    }
}

fn vector_of<S: StateType>(
    state: &sim_core::component::mechanical_state::InitialState<S>,
    name: &str,
) -> Option<Linked> {
    let mut reals = Vec::new();
    let width = match name {
        "position" | "rest_position" | "reset_position" => {
            let x = if name == "rest_position" { &state.rest_position } else { &state.position };
            x.iter().for_each(|x| x.scalars(&mut reals));
            S::Coord::SIZE
        }
        "velocity" => {
            state.velocity.iter().for_each(|v| v.scalars(&mut reals));
            S::Deriv::SIZE
        }
        _ => return None,
    };
    Some(Linked { value: Value::Reals(reals), width })
}

/// A field that the component offers, under its name or another name of the same attribute.
pub(crate) fn field(
    scene: &Scene,
    description: Option<ComponentDescription>,
    source: ComponentId,
    name: &str,
) -> Option<Linked> {
    let description = description?;
    let loaded = match (description.family, name) {
        (Family::Loader, "position") if gives_frames(scene, source) => 7,
        (Family::Loader, "position") => 3,
        _ => 0,
    };
    in_fields(&description, &scene.component(source).fields, name, loaded)
}

/// The same of these fields; `loaded` is the width of rows of what is no attribute.
pub(crate) fn in_fields(
    description: &ComponentDescription,
    fields: &Fields,
    name: &str,
    loaded: usize,
) -> Option<Linked> {
    let attributes: Vec<_> = description.attributes_named(name).collect();
    let width = attributes.first().map_or(loaded, |a| width_of(a.kind));
    let others = attributes.iter().flat_map(|a| std::iter::once(a.name).chain(a.aliases.iter().copied()));
    let found = fields.get(name).or_else(|| others.into_iter().find_map(|n| fields.get(n)));
    found.map(|value| Linked { value: value.clone(), width })
}

/// The value of an attribute, as it was given or is by default.
pub(crate) fn attribute_of(
    description: Option<ComponentDescription>,
    values: &AttributeValues,
    name: &str,
) -> Option<Linked> {
    description?.attributes_named(name).find_map(|a| {
        let value = values.set.get(a.name).or_else(|| values.defaults.get(a.name))?;
        Some(Linked { value: value.clone(), width: width_of(a.kind) })
    })
}

fn width_of(kind: AttributeKind) -> usize {
    match kind {
        AttributeKind::RealRows(w) | AttributeKind::IndexRows(w) => w,
        AttributeKind::Reals(w) | AttributeKind::Integers(w) => w,
        AttributeKind::PointVector => 1,
        _ => 0,
    }
}

/// The value as an attribute of another kind needs it, if it can be had.
pub fn convert(linked: Linked, kind: AttributeKind, widths: Widths) -> Option<Value> {
    let Linked { value, width } = linked;
    let reals = |v: &Value| v.reals();
    let integers = |v: &Value| match v {
        Value::Real(r) if r.fract() == 0.0 => Some(vec![*r as i64]),
        Value::Reals(r) => r.iter().map(|r| (r.fract() == 0.0).then_some(*r as i64)).collect(),
        v => v.integers(),
    };
    match kind {
        AttributeKind::Text | AttributeKind::File => match value {
            Value::Text(_) => Some(value),
            _ => None,
        },
        AttributeKind::Option(words) | AttributeKind::WordOrDefault(words) => match value {
            Value::Text(text) if words.contains(&text.trim()) => Some(Value::Text(text.trim().to_owned())),
            _ => None,
        },
        AttributeKind::Bool => match value {
            Value::Bool(_) => Some(value),
            v => integers(&v).filter(|i| i.len() == 1).map(|i| Value::Bool(i[0] != 0)),
        },
        AttributeKind::Integer => integers(&value).filter(|i| i.len() == 1).map(|i| Value::Integer(i[0])),
        AttributeKind::Real | AttributeKind::Real32 => {
            reals(&value).filter(|r| r.len() == 1).map(|r| Value::Real(r[0]))
        }
        AttributeKind::Reals(n) => reals(&value).filter(|r| r.len() >= n).map(|mut r| {
            r.truncate(n);
            Value::Reals(r)
        }),
        AttributeKind::Integers(n) => integers(&value).filter(|i| i.len() >= n).map(|mut i| {
            i.truncate(n);
            Value::Integers(i)
        }),
        AttributeKind::Coords => reals(&value).map(|r| Value::Reals(frames(r, width, widths.coord))),
        AttributeKind::RigidMasses => reals(&value).map(Value::Reals),
        AttributeKind::RealRows(w) => reals(&value).map(|r| Value::Reals(frames(r, width, w))),
        AttributeKind::Derivs | AttributeKind::PointVector => reals(&value).map(Value::Reals),
        AttributeKind::IndexRows(_) => integers(&value).map(Value::Integers),
        AttributeKind::Bools => match value {
            Value::Bools(_) => Some(value),
            Value::Bool(b) => Some(Value::Bools(vec![b])),
            v => integers(&v).map(|i| Value::Bools(i.iter().map(|i| *i != 0).collect())),
        },
        AttributeKind::Texts => match value {
            Value::Texts(_) => Some(value),
            Value::Text(t) => Some(Value::Texts(vec![t])),
            v => reals(&v).map(|r| Value::Texts(r.iter().map(f64::to_string).collect())),
        },
        AttributeKind::Lists => match value {
            Value::Text(_) => Some(value),
            Value::Texts(t) => Some(Value::Text(t.join(" "))),
            v => reals(&v).map(|r| Value::Text(r.iter().map(f64::to_string).collect::<Vec<_>>().join(" "))),
        },
        AttributeKind::Link | AttributeKind::Links | AttributeKind::Ignored | AttributeKind::Unsupported => {
            None
        }
    }
}

/// Whether a template is one of plain numbers, as those of engines may be: `Data<double>`, `vector<int>`.
pub fn is_of_numbers(template: Option<&str>) -> bool {
    let Some(template) = template else { return false };
    let inner = ["Data<", "vector<"].iter().find_map(|p| template.strip_prefix(p)).unwrap_or(template);
    matches!(inner.trim_end_matches(['>', ' ']), "double" | "float" | "int" | "unsigned int" | "Real")
}

impl Linked {
    /// The same between a source and an attribute of which the one or the other is of plain numbers.
    ///
    /// **Source:** as SOFA: of a row that is linked to a number the first entry counts, and a number that is linked to a coordinate is its
    /// first entry, the others zero.
    #[must_use]
    pub fn between(self, of_source: bool, of_target: bool, kind: AttributeKind, widths: Widths) -> Self {
        let Value::Reals(reals) = &self.value else { return self };
        let (value, width) = match (of_source, of_target, kind) {
            (_, true, _) if self.width > 1 => (reals.chunks(self.width).map(|row| row[0]).collect(), 1),
            (true, _, AttributeKind::Coords) => {
                let row =
                    |first: &f64| std::iter::once(*first).chain(std::iter::repeat_n(0.0, widths.coord - 1));
                (reals.iter().flat_map(row).collect(), widths.coord)
            }
            _ => return self,
        };
        Self { value: Value::Reals(value), width }
    }
}

/// Points become frames without rotation, frames become their centers.
fn frames(reals: Vec<f64>, from: usize, to: usize) -> Vec<f64> {
    match (from, to) {
        (3, 7) => reals.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 0.0, 0.0, 0.0, 1.0]).collect(),
        (7, 3) => reals.chunks_exact(7).flat_map(|p| [p[0], p[1], p[2]]).collect(),
        _ => reals,
    }
}

/// The same as [`convert`], with the reason where it cannot be had.
///
/// # Errors
/// The value is of another sort.
pub fn convert_or_explain(linked: Linked, kind: AttributeKind, widths: Widths) -> Result<Value, Wrong> {
    let is = sort_of(&linked.value);
    convert(linked, kind, widths).ok_or_else(|| (format!("the link leads to {is}, which does not fit"), None))
}

fn sort_of(value: &Value) -> String {
    match value {
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Integer(_) => "an integer".to_owned(),
        Value::Real(_) => "a number".to_owned(),
        Value::Text(_) => "a text".to_owned(),
        Value::Reals(v) => format!("a list of {} numbers", v.len()),
        Value::Integers(v) => format!("a list of {} integers", v.len()),
        Value::Bools(_) => "a list of booleans".to_owned(),
        Value::Texts(_) => "a list of words".to_owned(),
    }
}
