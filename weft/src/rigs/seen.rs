//! What is seen of a rig: its skeleton as lines, and its outputs of points as meshes, or as points where it has no triangles for them.

use std::sync::Arc;

use animation::rig::nodes::Joint;
use animation::rig::value::PortType;
use animation::rig::{NodeId, OutputId, Rig, Source};
use sim_core::math::Vec3;
use viewer::surface::{Color, Faces, Look, Motion, Role, Rows, Surface};
use viewer::viewed::Viewed;

use super::RigSimulation;

const BONES: Color = [0.15, 0.17, 0.22, 1.0];
/// Colors of meshes, in turn.
const MESHES: [Color; 4] =
    [[0.85, 0.62, 0.50, 1.0], [0.45, 0.60, 0.80, 1.0], [0.55, 0.70, 0.45, 1.0], [0.80, 0.70, 0.40, 1.0]];
/// Down, for who looks: characters stand on the xz plane.
const DOWN: [f64; 3] = [0.0, -9.81, 0.0];

/// What is seen of a rig.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    /// The joints, each a point.
    pub joints: Vec<NodeId>,
    /// Lines between joints.
    bones: Vec<[u32; 2]>,
    /// Outputs of points.
    meshes: Vec<OutputId>,
}

impl Shapes {
    pub fn of(rig: &Rig) -> Self {
        let all = (0..rig.n_nodes() as u32).map(NodeId);
        let joints: Vec<NodeId> = all.filter(|n| rig.kind_of(*n) == "joint").collect();
        let bone = |(k, joint): (u32, &NodeId)| {
            let Source::Output(parent, port) = rig.source(*joint, Joint::PARENT) else { return None };
            let parent = joints.binary_search(parent).ok().filter(|_| *port as usize == Joint::WORLD)?;
            Some([parent as u32, k])
        };
        let bones = (0..).zip(&joints).filter_map(bone).collect();
        let is_mesh = |output: &OutputId| {
            let (node, port) = rig.output_port(*output);
            matches!(rig.ports(node).outputs[port].of, PortType::Points(n) if n > 0)
        };
        let meshes = super::outputs::all_outputs(rig).into_iter().filter(is_mesh).collect();
        Self { joints, bones, meshes }
    }

    /// Whether there is nothing to see.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.meshes.is_empty()
    }

    pub fn viewed(&self, title: &str, rig: &Rig) -> Viewed {
        let names: Vec<&str> = rig.outputs().collect();
        let mut surfaces = Vec::new();
        if !self.joints.is_empty() {
            let faces = Faces { lines: self.bones.clone(), ..Faces::default() };
            let motion = Motion::Points(0, self.joints.len());
            surfaces.push(Surface::new("/skeleton".to_owned(), Role::Behavior, None, motion, faces, BONES));
        }
        for (k, output) in self.meshes.iter().enumerate() {
            let (node, port) = rig.output_port(*output);
            let n = rig.ports(node).outputs[port].of.elements().unwrap_or(0);
            surfaces.push(Surface {
                path: format!("/{}", names[output.0 as usize]),
                role: Role::Visual,
                object: Some(k as u32),
                motion: Motion::Points(k + 1, n as usize),
                faces: Faces::new(rig.triangles(*output).to_vec(), Vec::new()),
                look: Look::from(MESHES[k % MESHES.len()]),
                patches: Vec::new(),
            });
        }
        let surfaces = surfaces.into_iter().map(Arc::new).collect();
        Viewed { title: title.to_owned(), surfaces, gravity: Vec3::from(DOWN), ..Viewed::default() }
    }

    /// Writes where joints and points are over `out`, whose lists keep their memory.
    pub fn positions(&self, simulation: &RigSimulation, out: &mut Vec<Rows>) {
        out.resize_with(1 + self.meshes.len(), Rows::default);
        out.iter_mut().for_each(|rows| {
            rows.stride = 3;
            rows.values.clear();
        });
        let evaluator = simulation.evaluator();
        for joint in &self.joints {
            // The last column of its map.
            let map = evaluator.port_value(0, *joint, Joint::WORLD);
            out[0].values.extend([3, 7, 11].map(|k| map[k]));
        }
        for (rows, output) in out[1..].iter_mut().zip(&self.meshes) {
            rows.values.extend(evaluator.value(*output));
        }
    }
}
