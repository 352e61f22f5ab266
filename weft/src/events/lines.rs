//! What happens in frames, as lines of JSON.

use std::io::{self, Write};

use animation::event::json::Json;
use animation::event::runtime::{Delivery, EventGraph};
use animation::event::scene::{ContextKind, EventScene};
use animation::event::{FieldId, NodeId};
use scenes::diagnostics::did_you_mean;

use super::EventSimulation;

/// What a node is called in output: its name (`DEF`), its type and number if it has none; in an instance of a prototype or an inlined
/// file behind the instance's name and a slash.
fn name(scene: &EventScene, node: NodeId) -> String {
    let mut names = vec![own_name(scene, node)];
    let mut context = scene.node(node).context;
    loop {
        let context_of = &scene.contexts[context.0 as usize];
        let (ContextKind::Prototype(around) | ContextKind::Inline(around)) = context_of.kind else { break };
        names.push(own_name(scene, around));
        context = scene.node(around).context;
    }
    names.reverse();
    names.join("/")
}

fn own_name(scene: &EventScene, node: NodeId) -> String {
    let node_of = scene.node(node);
    node_of.def.as_deref().map_or_else(|| format!("{}#{}", node_of.node_type.name, node.0), str::to_owned)
}

/// The events of each frame: `{"frame":3,"time":0.03,"from":"TS.fraction_changed","to":"PI.set_fraction","value":0.25}`. Where a circle ends, since the
/// field has sent in this time stamp, the event that is dropped there has `"dropped":true`.
pub struct EventLines<W: Write> {
    out: W,
    /// By route: the two ends as they are written; made when a route is first used, since routes come and go.
    ends: Vec<Option<(String, String)>>,
    written: Written,
}

/// What has been written of a frame: an event is written once that reaches several fields which are one field of an instance (`IS`).
#[derive(Default)]
struct Written {
    /// By route: the cascade in which it was used last, and which of its deliveries were written.
    routes: Vec<(u64, Vec<usize>)>,
    /// How many cascades there were: a frame's, and that of what nodes sent when they began before it.
    cascades: u64,
}

impl Written {
    /// Whether a delivery is to be written.
    fn is_new(&mut self, all: &[Delivery], k: usize) -> bool {
        let delivery = &all[k];
        let route = delivery.route as usize;
        if self.routes.len() <= route {
            self.routes.resize_with(route + 1, Default::default);
        }
        let (cascade, written) = &mut self.routes[route];
        if std::mem::replace(cascade, self.cascades) != self.cascades {
            written.clear();
        }
        let is_new = !written.iter().any(|&before| is_same(&all[before], delivery));
        if is_new {
            written.push(k);
        }
        is_new
    }
}

impl<W: Write> EventLines<W> {
    /// Into a file.
    pub fn new(out: W) -> Self {
        Self { out, ends: Vec::new(), written: Written::default() }
    }

    /// Writes the events of the last frame.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&mut self, frame: u64, simulation: &EventSimulation) -> io::Result<()> {
        let log = simulation.log();
        self.written.cascades += 1;
        for (place, delivery) in log.deliveries.iter().enumerate() {
            if place == log.n_before {
                self.written.cascades += 1;
            }
            if !self.written.is_new(&log.deliveries, place) {
                continue;
            }
            let k = delivery.route as usize;
            if self.ends.len() <= k {
                self.ends.resize(k + 1, None);
            }
            let (from, to) = self.ends[k].get_or_insert_with(|| ends(simulation.graph(), delivery.route));
            writeln!(
                self.out,
                "{{\"frame\":{frame},\"time\":{},\"from\":{from},\"to\":{to},\"value\":{}{}}}",
                log.time,
                Json(&delivery.value),
                if delivery.is_dropped { ",\"dropped\":true" } else { "" }
            )?;
        }
        Ok(())
    }

    /// Writes what is left of the frames so far.
    ///
    /// # Errors
    /// What the writer says.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// What the writer says.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether two deliveries of a route are written in the same words; numbers that are none are no other ones then.
fn is_same(a: &Delivery, b: &Delivery) -> bool {
    let in_words = |delivery: &Delivery| Json(&delivery.value).to_string();
    a == b || (a.is_dropped == b.is_dropped && in_words(a) == in_words(b))
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn ends(graph: &EventGraph, route: u32) -> (String, String) {
    let scene = graph.scene();
    let Some(route) = graph.route(route) else { return (quoted(""), quoted("")) };
    let end = |(node, field): (NodeId, FieldId), k: usize| {
        let field = match &route.older_names[k] {
            Some(older) => older.to_string(),
            None => scene.field((node, field)).side_name(k == 0, route.sides[k]).to_string(),
        };
        quoted(&format!("{}.{field}", name(scene, node)))
    };
    (end(route.from, 0), end(route.to, 1))
}

/// A field that is to be written is not there.
#[derive(Clone, Debug, thiserror::Error)]
#[error("--export-fields {node}.{field}: {what}{}", .suggestion.as_ref().map(|s| format!("; {s}")).unwrap_or_default())]
pub struct UnknownField {
    /// The node's name.
    pub node: String,
    /// The field's.
    pub field: String,
    /// What is not there.
    pub what: String,
    /// What may be meant.
    pub suggestion: Option<String>,
}

/// Values of some fields after each frame: `{"frame":3,"time":0.03,"field":"T.translation","value":[0,1,0]}`.
pub struct FieldLines<W: Write> {
    out: W,
    fields: Vec<WrittenField>,
    /// The version of the structure in which they were looked for.
    version: u64,
}

/// A field that is written.
struct WrittenField {
    /// As it is written.
    name: String,
    /// Its node's name, and its own.
    path: (String, String),
    /// Where it is; nowhere while the Inline that shows it has not loaded it.
    at: Option<(NodeId, FieldId)>,
}

impl WrittenField {
    /// Nodes came or went: the name may mean another one now.
    fn look_again(&mut self, graph: &EventGraph) {
        if self.at.is_some_and(|(node, _)| !graph.is_removed(node)) {
            return;
        }
        let (node, field) = &self.path;
        let field_of = |id: NodeId| graph.scene().node(id).node_type.field(field).map(|f| (id, f));
        self.at = find(graph, node).and_then(field_of);
    }
}

/// The node of a name.
fn find(graph: &EventGraph, wanted: &str) -> Option<NodeId> {
    let all = (0..graph.scene().nodes.len() as u32).map(NodeId);
    all.filter(|id| !graph.is_removed(*id)).find(|id| name(graph.scene(), *id) == wanted)
}

/// Whether a name's node may come with the file of an Inline that shows nothing yet.
fn may_come(graph: &EventGraph, wanted: &str) -> bool {
    let shows_nothing = |inline: NodeId| {
        let is_its = |c: &animation::event::scene::Context| c.kind == ContextKind::Inline(inline);
        let scene = graph.scene();
        &*scene.node(inline).node_type.name == "Inline" && !scene.contexts.iter().any(is_its)
    };
    let around = wanted.match_indices('/').map(|(k, _)| &wanted[..k]);
    around.filter_map(|around| find(graph, around)).any(shows_nothing)
}

impl<W: Write> FieldLines<W> {
    /// Of fields by the names of nodes (as [`EventLines`] writes them) and fields.
    ///
    /// # Errors
    /// There is no such node or field.
    pub fn new(out: W, graph: &EventGraph, fields: &[(String, String)]) -> Result<Self, UnknownField> {
        let scene = graph.scene();
        let look_up = |(node, field): &(String, String)| {
            let written = |at| WrittenField {
                name: quoted(&format!("{node}.{field}")),
                path: (node.clone(), field.clone()),
                at,
            };
            let unknown = |what: String, suggestion| UnknownField {
                node: node.clone(),
                field: field.clone(),
                what,
                suggestion,
            };
            let all = (0..scene.nodes.len() as u32).map(NodeId);
            let Some(id) = find(graph, node) else {
                if may_come(graph, node) {
                    return Ok(written(None));
                }
                let names: Vec<String> = all.map(|id| name(scene, id)).collect();
                let suggestion = did_you_mean(node, names.iter().map(String::as_str));
                return Err(unknown(format!("there is no node `{node}`"), suggestion));
            };
            let node_type = &scene.node(id).node_type;
            let Some(found) = node_type.field(field) else {
                let suggestion = did_you_mean(field, node_type.fields.iter().map(|f| &*f.name));
                return Err(unknown(format!("{} has no field `{field}`", node_type.name), suggestion));
            };
            Ok(written(Some((id, found))))
        };
        let fields = fields.iter().map(look_up).collect::<Result<_, _>>()?;
        Ok(Self { out, fields, version: graph.version() })
    }

    /// Writes the values after the last frame.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&mut self, frame: u64, time: f64, simulation: &EventSimulation) -> io::Result<()> {
        let graph = simulation.graph();
        if std::mem::replace(&mut self.version, graph.version()) != graph.version() {
            self.fields.iter_mut().for_each(|written| written.look_again(graph));
        }
        for WrittenField { name, at, .. } in &self.fields {
            // A node that has gone has no value any more.
            if let Some(value) = at.and_then(|(node, field)| simulation.value(node, field)) {
                let value = Json(&value);
                writeln!(
                    self.out,
                    "{{\"frame\":{frame},\"time\":{time},\"field\":{name},\"value\":{value}}}"
                )?;
            }
        }
        Ok(())
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// What the writer says.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}
