//! X3D's own nodes as a graph's behaviours.

use crate::event::behaviour::{Behaviour, Behaviours};
use crate::event::ids::NodeId;
use crate::event::nodes;
use crate::event::scene::EventScene;

/// Gives nodes of X3D's built-in types their behaviour; prototypes' instances and types that it does not know keep and pass values.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl Behaviours for BuiltIn {
    fn behaviour_of(&mut self, scene: &EventScene, node: NodeId) -> Option<Box<dyn Behaviour>> {
        let node_type = &scene.node(node).node_type;
        if node_type.is_prototype { None } else { nodes::behaviour_of(node_type) }
    }
}
