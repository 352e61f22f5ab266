//! What a node with exclusive access does with the graph.

use std::sync::Arc;

use diagnostics::Diagnostic;
use engine::data::{Store, Workspace};

use super::chunk::Chunk;
use super::kept::Outside;
use super::layout::Layout;
use super::places::Field;
use super::world::World;
use crate::event::field::Value;
use crate::event::graph_access::{Ends, FragmentLoader, GraphAccess, GraphError};
use crate::event::ids::{ContextId, FieldId, NodeId};
use crate::event::scene::{Context, ContextKind, Declared, EventScene, NodeType, Route};

/// What a node with exclusive access sees: the graph as data, and the values in chunks.
pub(super) struct Exclusive<'a> {
    pub world: &'a mut World,
    pub layout: &'a Layout,
    pub store: &'a Store,
    pub workspaces: &'a [Workspace<Chunk>],
    /// The values of the fields of the node itself and its loop, whose chunk is away.
    pub own: Vec<(Field, Value)>,
}

impl Exclusive<'_> {
    fn load(
        &mut self,
        context: ContextId,
        read: impl FnOnce(&mut dyn FragmentLoader, &str) -> Result<EventScene, Vec<Diagnostic>>,
    ) -> Result<Vec<NodeId>, GraphError> {
        let known = self.world.scene.contexts.get(context.0 as usize);
        let base = known.ok_or(GraphError::NoSuchContext)?.file.clone();
        let loader = self.world.loader.as_mut();
        let loader = loader.ok_or_else(|| {
            GraphError::Unsupported("this host reads no pieces of X3D while it runs".to_owned())
        })?;
        let fragment = read(&mut **loader, &base).map_err(GraphError::Fragment)?;
        Ok(self.world.admit(fragment, context))
    }
}

impl GraphAccess for Exclusive<'_> {
    fn node_type(&self, node: NodeId) -> Option<Arc<NodeType>> {
        self.world.check_node(node).ok().map(|()| self.world.scene.node(node).node_type.clone())
    }
    fn def(&self, node: NodeId) -> Option<Arc<str>> {
        self.world.check_node(node).ok().and_then(|()| self.world.scene.node(node).def.clone())
    }
    fn value(&self, node: NodeId, field: FieldId) -> Result<Value, GraphError> {
        self.world.check_node(node)?;
        let cold = self.world.scene.node(node).values.get(field.0 as usize);
        let cold = cold.ok_or(GraphError::NoSuchField)?;
        let at = self.layout.aliases.first((node, field));
        // What it has sent but not yet seen delivered.
        let sent = self.world.outside.iter().rev().find_map(|outside| match outside {
            Outside::Event(to, value) | Outside::Emit(to, value) if *to == (node, field) || *to == at => {
                Some(value.clone())
            }
            Outside::State(to, state) if *to == (node, field) || *to == at => Some(Value::SFBool(*state)),
            _ => None,
        });
        if let Some(value) = sent {
            return Ok(value);
        }
        if let Some((_, value)) = self.own.iter().find(|(own, _)| *own == at) {
            return Ok(value.clone());
        }
        let chunk = |c: u32| self.store.workspace_ref(self.workspaces[c as usize]);
        let present = self.layout.present(&self.world.scene, at, chunk);
        Ok(present.unwrap_or_else(|| match at == (node, field) {
            true => cold.clone(),
            false => self.world.scene.node(at.0).values[at.1.0 as usize].clone(),
        }))
    }
    fn send_to(&mut self, node: NodeId, field: FieldId, value: Value) -> Result<(), GraphError> {
        self.world.check((node, field), true, Some(&value))?;
        self.world.outside.push(Outside::Event((node, field), value));
        Ok(())
    }
    fn emit_from(&mut self, node: NodeId, field: FieldId, value: Value) -> Result<(), GraphError> {
        self.world.check((node, field), false, Some(&value))?;
        self.world.outside.push(Outside::Emit((node, field), value));
        Ok(())
    }
    fn emit_state_from(&mut self, node: NodeId, field: FieldId, state: bool) -> Result<(), GraphError> {
        self.world.check((node, field), false, Some(&Value::SFBool(state)))?;
        self.world.outside.push(Outside::State((node, field), state));
        Ok(())
    }
    fn add_route(&mut self, from: Field, to: Field) -> Result<(), GraphError> {
        self.world.add_route(from, to)
    }
    fn delete_route(&mut self, from: Field, to: Field) -> Result<(), GraphError> {
        self.world.delete_route(from, to)
    }
    fn routes(&self, context: ContextId) -> Vec<Ends> {
        let of_it = |r: &&Route| self.world.scene.node(r.from.0).context == context;
        self.world.routes().map(|(_, route)| route).filter(of_it).map(|r| (r.from, r.to)).collect()
    }
    fn create_from_text(&mut self, context: ContextId, text: &str) -> Result<Vec<NodeId>, GraphError> {
        self.load(context, |loader, base| loader.fragment_of_text(text, base))
    }
    fn create_from_urls(&mut self, context: ContextId, urls: &[Arc<str>]) -> Result<Vec<NodeId>, GraphError> {
        self.load(context, |loader, base| loader.fragment_of_urls(urls, base))
    }
    fn create_node(&mut self, context: ContextId, type_name: &str) -> Result<NodeId, GraphError> {
        let roots = self.load(context, |loader, base| loader.node(type_name, base))?;
        let none = || GraphError::Unsupported(format!("the reader made no node of {type_name}"));
        roots.first().copied().ok_or_else(none)
    }
    fn remove(&mut self, node: NodeId) -> Result<(), GraphError> {
        self.world.remove(node)
    }
    fn set_roots(&mut self, context: ContextId, roots: &[NodeId]) -> Result<(), GraphError> {
        for &root in roots {
            self.world.check_node(root)?;
        }
        let known = self.world.scene.contexts.get_mut(context.0 as usize).ok_or(GraphError::NoSuchContext)?;
        known.roots = roots.to_vec();
        Ok(())
    }
    fn roots(&self, context: ContextId) -> Vec<NodeId> {
        self.world.scene.contexts.get(context.0 as usize).map_or_else(Vec::new, |c| c.roots.clone())
    }
    fn find(&self, context: ContextId, name: &str) -> Option<NodeId> {
        let scene = &self.world.scene;
        let mut named = scene.nodes.iter().enumerate().filter(|(k, node)| {
            node.context == context && node.def.as_deref() == Some(name) && !self.world.natures[*k].is_gone
        });
        let imports = &scene.contexts.get(context.0 as usize)?.imports;
        let imported = || imports.iter().find(|(known, _)| &**known == name).map(|(_, node)| *node);
        named.next().map(|(k, _)| NodeId(k as u32)).or_else(imported)
    }
    fn metadata(&self, context: ContextId, name: &str) -> Option<Arc<str>> {
        let metadata = &file_of(&self.world.scene, context)?.metadata;
        metadata.iter().find(|(known, _)| &**known == name).map(|(_, content)| content.clone())
    }
    fn declared(&self, context: ContextId) -> Option<Arc<Declared>> {
        Some(file_of(&self.world.scene, context)?.declared.clone())
    }
    fn world_url(&self) -> Arc<str> {
        self.world.scene.contexts.first().map_or_else(|| "".into(), |c| c.file.clone())
    }
}

/// The context of the file that a context is of: a prototype's body is of the file that its instance is in.
fn file_of(scene: &EventScene, mut context: ContextId) -> Option<&Context> {
    let mut known = scene.contexts.get(context.0 as usize)?;
    while let (ContextKind::Prototype(_), Some(parent)) = (&known.kind, known.parent) {
        // Contexts stand after those that they are in.
        if parent >= context {
            return None;
        }
        context = parent;
        known = scene.contexts.get(context.0 as usize)?;
    }
    Some(known)
}
