//! Which fields say what is to be seen at all: what stands in groups, and which points surfaces join. Where they change, shapes are found anew.

use animation::event::field::{FieldType, Value};
use animation::event::nodes::changed_by;
use animation::event::{FieldId, NodeId};

use super::EventSimulation;

/// Fields that may change what is to be seen, with their values when shapes were found last.
#[derive(Default)]
pub(super) struct Structure {
    fields: Vec<(NodeId, FieldId)>,
    values: Vec<Option<Value>>,
}

impl Structure {
    /// Those of a graph to which routes lead; of all nodes, where a Script may reach them without one.
    pub fn of(simulation: &EventSimulation) -> Self {
        let graph = simulation.graph();
        let scene = graph.scene();
        let node_type = |node: NodeId| &scene.node(node).node_type;
        let says = |(node, field): &(NodeId, FieldId)| {
            let declared = &node_type(*node).fields[field.0 as usize];
            declared.field_type.is_nodes()
                || declared.field_type == FieldType::MFInt32
                    && declared.name.to_lowercase().ends_with("index")
        };
        let ids = (0..scene.nodes.len() as u32).map(NodeId).filter(|id| !graph.is_removed(*id));
        let reaches = |id: NodeId| {
            let it = node_type(id);
            &*it.name == "Script"
                && it.fields.iter().any(|f| f.field_type.is_nodes() && &*f.name != "metadata")
        };
        let mut fields: Vec<(NodeId, FieldId)> = if ids.clone().any(reaches) {
            let all = ids.filter(|id| !node_type(*id).is_prototype && &*node_type(*id).name != "Script");
            all.flat_map(|id| (0..node_type(id).fields.len() as u32).map(move |f| (id, FieldId(f)))).collect()
        } else {
            let ends = graph.routes().map(|(_, route)| route.to);
            let ends = ends.chain(scene.aliases.iter().map(|alias| alias.inner));
            let changed = |(node, field)| (node, changed_by(node_type(node), field).unwrap_or(field));
            ends.map(changed).collect()
        };
        fields.retain(says);
        fields.sort_unstable();
        fields.dedup();
        let values = fields.iter().map(|(node, field)| simulation.value(*node, *field)).collect();
        Self { fields, values }
    }

    /// Whether another thing is to be seen than before.
    pub fn has_changed(&self, simulation: &EventSimulation) -> bool {
        let now = self.fields.iter().map(|(node, field)| simulation.value(*node, *field));
        now.zip(&self.values).any(|(now, before)| now != *before)
    }
}
