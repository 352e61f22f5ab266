//! Nodes in fields that take other ones.
//!
//! **Source:** ISO/IEC 19775-1, the types in brackets behind node fields.

use animation::event::NodeId;
use animation::event::field::Value;
use diagnostics::{Diagnostic, Severity};

use super::super::Builder;
use crate::catalogue::{self, Standard};

/// What fields of these names take, whatever node they belong to.
const TAKEN: [(&str, &str); 12] = [
    ("appearance", "X3DAppearanceNode"),
    ("backMaterial", "X3DMaterialNode"),
    ("children", "X3DChildNode"),
    ("color", "X3DColorNode"),
    ("coord", "X3DCoordinateNode"),
    ("fontStyle", "X3DFontStyleNode"),
    ("geometry", "X3DGeometryNode"),
    ("material", "X3DMaterialNode"),
    ("normal", "X3DNormalNode"),
    ("texCoord", "X3DTextureCoordinateNode"),
    ("texture", "X3DTextureNode"),
    ("textureTransform", "X3DTextureTransformNode"),
];

impl Builder<'_> {
    /// Nodes of a type that the field which they stand in does not take. An instance of a prototype is what its body's first node is.
    pub(super) fn check_types(&mut self) {
        let below = self.roots_by_node();
        let mut wrong = Vec::new();
        for k in self.first_node..self.scene.nodes.len() {
            let parent = &self.scene.nodes[k];
            if parent.node_type.is_prototype {
                continue;
            }
            for (value, field) in parent.values.iter().zip(&parent.node_type.fields) {
                let children = match value {
                    Value::SFNode(child @ Some(_)) => std::slice::from_ref(child),
                    Value::MFNode(children) if !children.is_empty() => &**children,
                    _ => continue,
                };
                let Some((name, base)) = TAKEN.iter().find(|(name, _)| *name == &*field.name) else {
                    continue;
                };
                // Bodies of physics have geometry that is no geometry.
                if *name == "geometry" && &*parent.node_type.name != "Shape" {
                    continue;
                }
                for child in children.iter().flatten() {
                    if let Some(standard) = self.standard_of(*child, &below)
                        && !standard.bases.contains(base)
                        && standard.container_field != *name
                    {
                        wrong.push((NodeId(k as u32), *child, standard, *name, *base));
                    }
                }
            }
        }
        for (parent, child, standard, name, base) in wrong {
            let at = &self.scene.node(child).location;
            let message = format!(
                "stands in the field `{name}` of {}, which takes nodes of the type {base}, and {} is none",
                self.label(parent),
                standard.node_type.name
            );
            let d = Diagnostic::new(Severity::Warning, at, message).component(self.label(child));
            let there = format!("it belongs into a field `{}`", standard.container_field);
            self.report(d.suggestion(Some(there)));
        }
    }

    /// The standard type that a node is of, or that it is as an instance of a prototype; none where nothing says that.
    fn standard_of(&self, mut node: NodeId, below: &[(NodeId, usize)]) -> Option<&'static Standard> {
        // A body may begin with an instance of a prototype declared before it.
        for _ in 0..100 {
            let node_type = &self.scene.node(node).node_type;
            if !node_type.is_prototype {
                return catalogue::standard().get(&node_type.name);
            }
            let context = below.get(below.partition_point(|b| b.0 < node)).filter(|b| b.0 == node)?.1;
            node = *self.scene.contexts[context].roots.first()?;
        }
        None
    }
}
