//! What Inline nodes show, and how it comes and goes while a graph runs.
//!
//! An Inline's `load` and `url` are looked at between two frames: what they say in one frame is there, or gone, when the next one begins. So
//! nothing depends on when in a frame an event reached them, and no executor or mode sees another order. A file whose nodes have gone comes again as
//! other nodes, in their first state.
//!
//! **Source:** ISO/IEC 19775-1, 9.4.2, *Inline*; 9.4.3, *LoadSensor*.

use std::collections::BTreeMap;
use std::sync::Arc;

use diagnostics::{Diagnostic, Severity};
use engine::data::Store;

use super::event_graph::EventGraph;
use super::inlines::{Shown, Urls, ports};
use super::kept::Outside;
use super::places::Field;
use super::world::World;
use crate::event::field::Value;
use crate::event::host::{HostEvent, Loading};
use crate::event::ids::{ContextId, FieldId, NodeId};
use crate::event::scene::ContextKind;

impl World {
    /// Notes what nodes from a number on show from the start.
    pub fn notice_inlines(&mut self, first: usize) {
        let contexts = (0..).zip(&self.scene.contexts);
        let context_of: BTreeMap<NodeId, ContextId> = contexts
            .filter_map(|(k, c)| match c.kind {
                ContextKind::Inline(node) => Some((node, ContextId(k))),
                _ => None,
            })
            .collect();
        for (k, node) in self.scene.nodes.iter().enumerate().skip(first) {
            let id = NodeId(k as u32);
            if &*node.node_type.name == "LoadSensor" {
                self.inlines.sensors.push(id);
            }
            let Some((load, url)) = ports(&self.scene, id) else { continue };
            self.inlines.all.push(id);
            let value = |field: FieldId| node.values.get(field.0 as usize);
            let context = context_of.get(&id).copied();
            let waits = load.and_then(value) == Some(&Value::SFBool(false));
            if let Some(Value::MFString(urls)) = value(url)
                && (context.is_some() || !(waits || urls.is_empty()))
            {
                let state = if context.is_some() { Loading::Loaded } else { Loading::Failed };
                self.inlines.news.push((id, state));
                self.inlines.shown.insert(id, Shown { urls: urls.clone(), context });
            }
        }
    }

    /// Notes to which Inlines routes lead; `is_reached` says it of a field.
    pub fn notice_routed_inlines(&mut self, is_reached: impl Fn(Field) -> bool) {
        let (scene, natures) = (&self.scene, &self.natures);
        let is_routed = |&node: &NodeId| {
            let (load, url) = ports(scene, node).unzip();
            let mut fields = load.flatten().into_iter().chain(url);
            !natures[node.0 as usize].is_gone && fields.any(|field| is_reached((node, field)))
        };
        self.inlines.routed = self.inlines.all.iter().copied().filter(is_routed).collect();
    }

    /// Makes what an Inline shows what its fields say.
    fn show(&mut self, inline: NodeId, load: bool, urls: &Urls) {
        let is_wanted = load && !urls.is_empty();
        match self.inlines.shown.get(&inline) {
            Some(shown) if is_wanted && shown.urls == *urls => return,
            Some(_) => self.hide(inline),
            None => {}
        }
        if !is_wanted {
            return;
        }
        let context = match &mut self.loader {
            None => {
                let message = "this host loads no files while a graph runs";
                let at = &self.scene.node(inline).location;
                let found =
                    Diagnostic::new(Severity::Warning, at, message).component("Inline").attribute("load");
                self.inlines.say(inline, vec![found]);
                None
            }
            Some(loader) => match loader.load_inline(&mut self.scene, inline, urls) {
                Ok((context, found)) => {
                    self.inlines.say(inline, found);
                    Some(context)
                }
                Err(found) => {
                    self.inlines.say(inline, found);
                    None
                }
            },
        };
        self.inlines.shown.insert(inline, Shown { urls: urls.clone(), context });
        if context.is_some() {
            for route in std::mem::take(&mut self.scene.routes) {
                self.take_route(route);
            }
            self.version += 1;
            self.animate();
        }
        let state = if context.is_some() { Loading::Loaded } else { Loading::Failed };
        self.inlines.news.push((inline, state));
    }

    /// Lets what an Inline shows go, with what is shown by Inlines in it.
    pub fn hide(&mut self, inline: NodeId) {
        let Some(Shown { context, .. }) = self.inlines.shown.remove(&inline) else { return };
        let Some(context) = context else { return };
        let contexts = &self.scene.contexts;
        // A context stands behind that which it stands in.
        let mut goes = vec![false; contexts.len()];
        goes[context.0 as usize] = true;
        for k in context.0 as usize + 1..contexts.len() {
            goes[k] = contexts[k].parent.is_some_and(|p| goes[p.0 as usize]);
        }
        let all = self.scene.nodes.iter().zip(&self.natures).enumerate();
        let going = all.filter(|(_, (node, nature))| goes[node.context.0 as usize] && !nature.is_gone);
        let going: Vec<NodeId> = going.map(|(k, _)| NodeId(k as u32)).collect();
        self.let_go(&going);
        if let Some(loader) = &mut self.loader {
            loader.unload_inline(&mut self.scene, inline);
        }
    }

    /// Forgets what Inlines that have gone showed.
    pub fn forget_inlines(&mut self) {
        let natures = &self.natures;
        let is_there = |node: &NodeId| !natures[node.0 as usize].is_gone;
        self.inlines.shown.retain(|node, _| is_there(node));
        self.inlines.all.retain(is_there);
        self.inlines.sensors.retain(is_there);
        self.inlines.news.retain(|(node, _)| is_there(node));
    }
}

impl EventGraph {
    /// Looks at the Inlines that events may have reached, and loads, or lets go, what they show.
    pub(super) fn show_inlines(&mut self, store: &Store) {
        if !self.world.inlines.routed.is_empty() || !self.world.inlines.asked.is_empty() {
            let mut due = std::mem::take(&mut self.world.inlines.asked);
            due.extend(&self.world.inlines.routed);
            for inline in due {
                // One before may have let it go.
                if self.world.check_node(inline).is_err() {
                    continue;
                }
                let Some((load, url)) = ports(&self.world.scene, inline) else { continue };
                let load = load.and_then(|field| self.value(store, inline, field));
                if let Some(Value::MFString(urls)) = self.value(store, inline, url) {
                    self.world.show(inline, load != Some(Value::SFBool(false)), &urls);
                }
            }
        }
        if !self.world.inlines.news.is_empty() {
            self.tell_load_sensors(store);
        }
    }

    /// Tells LoadSensors how what they watch came out.
    fn tell_load_sensors(&mut self, store: &Store) {
        let news: BTreeMap<NodeId, Loading> =
            std::mem::take(&mut self.world.inlines.news).into_iter().collect();
        for k in 0..self.world.inlines.sensors.len() {
            let sensor = self.world.inlines.sensors[k];
            let node_type = self.world.scene.node(sensor).node_type.clone();
            let watched = node_type.field("watchList").or_else(|| node_type.field("children"));
            let Some(Value::MFNode(watched)) = watched.and_then(|field| self.value(store, sensor, field))
            else {
                continue;
            };
            let state_of = |node: &Option<NodeId>| news.get(node.as_ref()?).copied();
            let states = (0..).zip(watched.iter()).filter_map(|(child, node)| Some((child, state_of(node)?)));
            let states: Arc<[(u32, Loading)]> = states.collect();
            if !states.is_empty() {
                self.world.outside.push(Outside::Tell(sensor, HostEvent::Load(states)));
            }
        }
    }

    /// What was wrong with files that were loaded since the last call.
    pub fn take_findings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.world.inlines.findings)
    }
}
