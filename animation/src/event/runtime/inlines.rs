//! What is known of a graph's Inline nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use diagnostics::Diagnostic;

use crate::event::host::Loading;
use crate::event::ids::{ContextId, FieldId, NodeId};
use crate::event::scene::EventScene;

pub(super) type Urls = Arc<[Arc<str>]>;

/// What has become of an Inline's addresses.
pub(super) struct Shown {
    pub urls: Urls,
    /// The file's context; none if there was nothing to show.
    pub context: Option<ContextId>,
}

/// What the Inline nodes of a graph show.
#[derive(Default)]
pub(super) struct Inlines {
    pub shown: BTreeMap<NodeId, Shown>,
    /// All Inline nodes.
    pub all: Vec<NodeId>,
    /// Those whose `load` or `url` events may reach by routes.
    pub routed: Vec<NodeId>,
    /// Those to which something was sent without a route.
    pub asked: BTreeSet<NodeId>,
    pub sensors: Vec<NodeId>,
    /// What LoadSensors are still to be told.
    pub news: Vec<(NodeId, Loading)>,
    /// What was said of each Inline: a file that goes and comes has the same mistakes each time.
    said: BTreeSet<(NodeId, String)>,
    pub findings: Vec<Diagnostic>,
}

/// `load` and `url` of an Inline, if the node is one.
pub(super) fn ports(scene: &EventScene, node: NodeId) -> Option<(Option<FieldId>, FieldId)> {
    let node_type = &scene.node(node).node_type;
    let is_one = &*node_type.name == "Inline" && !node_type.is_prototype;
    let url = node_type.field("url").filter(|_| is_one)?;
    Some((node_type.field("load"), url))
}

impl Inlines {
    /// Notes that something was sent to a node without a route.
    pub fn ask(&mut self, node: NodeId) {
        self.asked.insert(node);
    }

    pub fn say(&mut self, inline: NodeId, found: Vec<Diagnostic>) {
        let new = |d: &Diagnostic| self.said.insert((inline, d.to_string()));
        self.findings.extend(found.into_iter().filter(new));
    }
}
