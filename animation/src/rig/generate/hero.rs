//! What a character is put together from: animated joints, strands, patches of skin.

use super::seed::Seed;
use crate::rig::error::RigError;
use crate::rig::expression::Expression;
use crate::rig::math::affine::{Affine, compose, mul};
use crate::rig::math::deform::Weights;
use crate::rig::nodes::{Arithmetic, FixedCurve, Joint, Merge, Operation, Skin, Vector};
use crate::rig::rig::{Control, ControlId, KindId, NodeId, Rig};
use crate::rig::value::{IDENTITY, PortType};

/// A joint, and where it stands in the rest shape.
#[derive(Clone, Copy)]
pub(super) struct Bone {
    pub(super) node: NodeId,
    pub(super) rest: Affine,
}

/// A character that is being built, and the kinds that its nodes share.
pub(super) struct Hero<'r> {
    pub(super) rig: &'r mut Rig,
    pub(super) seed: Seed,
    /// Before all names.
    pub(super) prefix: String,
    pub(super) time: ControlId,
    curves: Vec<KindId>,
    joint: KindId,
    vector: KindId,
    add_vectors: KindId,
    multiply: KindId,
}

impl<'r> Hero<'r> {
    pub(super) fn new(rig: &'r mut Rig, prefix: String, seed: u64) -> Result<Self, RigError> {
        let mut seed = Seed::new(seed);
        let curves = (0..16).filter_map(|_| FixedCurve::new(keys(&mut seed)).ok()).collect::<Vec<_>>();
        let curves = curves.into_iter().map(|curve| rig.kind(curve)).collect();
        let of_vectors = Arithmetic { operation: Operation::Add, of: PortType::Vec3 };
        let of_numbers = Arithmetic { operation: Operation::Multiply, of: PortType::Scalar };
        Ok(Self {
            time: rig.scalar_control(format!("{prefix}time"))?,
            curves,
            joint: rig.kind(Joint),
            vector: rig.kind(Vector),
            add_vectors: rig.kind(of_vectors),
            multiply: rig.kind(of_numbers),
            rig,
            seed,
            prefix,
        })
    }

    pub(super) fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub(super) fn add(&mut self, name: &str, kind: KindId) -> Result<NodeId, RigError> {
        let name = self.name(name);
        self.rig.add(name, kind)
    }

    /// A control of angles [rad].
    pub(super) fn angles(&mut self, name: &str) -> Result<ControlId, RigError> {
        let (name, of, default) = (self.name(name), PortType::Vec3, vec![0.0; 3]);
        self.rig.control(Control { name, of, range: Some((-3.2, 3.2)), default })
    }

    /// A curve over time.
    pub(super) fn curve(&mut self, name: &str) -> Result<NodeId, RigError> {
        let kind = self.curves[self.seed.below(self.curves.len())];
        let node = self.add(name, kind)?;
        self.rig.bind_control(self.time, node, 0)?;
        Ok(node)
    }

    /// A joint without controls, turned by a node.
    pub(super) fn joint(
        &mut self,
        name: &str,
        on: Option<Bone>,
        at: [f64; 3],
        turn: Option<NodeId>,
    ) -> Result<Bone, RigError> {
        let node = self.add(name, self.joint)?;
        if let Some(on) = on {
            self.rig.bind(on.node, Joint::WORLD, node, Joint::PARENT)?;
        }
        self.rig.set(node, Joint::TRANSLATE, &at)?;
        if let Some(turn) = turn {
            self.rig.bind(turn, 0, node, Joint::ROTATE)?;
        }
        let rest = on.map_or(IDENTITY, |on| on.rest);
        Ok(Bone { node, rest: mul(&rest, &compose(at, [0.0, 0.0, 0.0, 1.0], [1.0; 3])) })
    }

    /// A joint that curves and a control of its own move: six nodes.
    pub(super) fn animated(&mut self, name: &str, on: Option<Bone>, at: [f64; 3]) -> Result<Bone, RigError> {
        let vector = self.add(&format!("{name} curves"), self.vector)?;
        for (k, axis) in ["x", "y", "z"].iter().enumerate() {
            let curve = self.curve(&format!("{name} {axis}"))?;
            self.rig.bind(curve, 0, vector, k)?;
        }
        let control = self.angles(&format!("{name} rotate"))?;
        let sum = self.add(&format!("{name} angles"), self.add_vectors)?;
        self.rig.bind(vector, 0, sum, 0)?;
        self.rig.bind_control(control, sum, 1)?;
        self.joint(name, on, at, Some(sum))
    }

    /// A control that stretches a joint.
    pub(super) fn stretch(&mut self, name: &str, bone: Bone) -> Result<(), RigError> {
        let (name, of) = (format!("{} stretch", self.name(name)), PortType::Vec3);
        let control =
            self.rig.control(Control { name, of, range: Some((0.5, 2.0)), default: vec![1.0; 3] })?;
        self.rig.bind_control(control, bone.node, Joint::SCALE)
    }

    /// A strand of joints that bends as a whole, with its points: `3 links + 3` nodes.
    pub(super) fn strand(
        &mut self,
        name: &str,
        on: Bone,
        links: usize,
        bend: KindId,
    ) -> Result<NodeId, RigError> {
        let curve = self.curve(&format!("{name} wind"))?;
        let bend = self.add(&format!("{name} bend"), bend)?;
        self.rig.bind(curve, 0, bend, 0)?;
        let root = [self.seed.between(-0.1, 0.1), 0.1, self.seed.between(-0.1, 0.1)];
        let mut bones: Vec<Bone> = Vec::with_capacity(links);
        for k in 0..links {
            let share = self.add(&format!("{name} share {k}"), self.multiply)?;
            self.rig.bind(bend, 0, share, 0)?;
            self.rig.set(share, 1, &[(k + 1) as f64 / links as f64])?;
            let turn = self.add(&format!("{name} turn {k}"), self.vector)?;
            self.rig.bind(share, 0, turn, k % 3)?;
            let (on, at) =
                (bones.last().copied().unwrap_or(on), if k == 0 { root } else { [0.0, 0.05, 0.0] });
            bones.push(self.joint(&format!("{name} {k}"), Some(on), at, Some(turn))?);
        }
        self.skin(&format!("{name} skin"), &bones, 2 * links)
    }

    /// Points around joints, each following two of them.
    pub(super) fn skin(&mut self, name: &str, bones: &[Bone], points: usize) -> Result<NodeId, RigError> {
        let (mut rest, mut weights) = (Vec::new(), Weights { per_point: 2, ..Weights::default() });
        for k in 0..points {
            let bone = k * bones.len() / points.max(1);
            let next = (bone + 1).min(bones.len().saturating_sub(1));
            let [x, y, z] = crate::rig::math::affine::translation(&bones[bone].rest);
            let mut off = || self.seed.between(-0.05, 0.05);
            rest.extend([x + off(), y + off(), z + off()]);
            let share = self.seed.between(0.5, 1.0);
            weights.joints.extend([bone as u32, next as u32]);
            weights.weights.extend([share, 1.0 - share]);
        }
        let bind: Vec<Affine> = bones.iter().map(|b| b.rest).collect();
        let skin = Skin::new(points as u32, &bind, weights);
        let skin =
            skin.map_err(|misfit| RigError::Range { control: name.into(), message: misfit.message })?;
        let name = self.name(name);
        let node = self.rig.node(name, skin)?;
        self.rig.set(node, 0, &rest)?;
        for (k, bone) in bones.iter().enumerate() {
            self.rig.bind(bone.node, Joint::WORLD, node, Skin::joint(k))?;
        }
        Ok(node)
    }

    /// Points of several nodes as those of one.
    pub(super) fn merge(&mut self, name: &str, parts: &[NodeId]) -> Result<NodeId, RigError> {
        let n = |node: &NodeId| self.rig.ports(*node).outputs[0].of.elements().unwrap_or(0);
        let merge = Merge { parts: parts.iter().map(n).collect() };
        let name = self.name(name);
        let node = self.rig.node(name, merge)?;
        for (k, part) in parts.iter().enumerate() {
            self.rig.bind(*part, 0, node, k)?;
        }
        Ok(node)
    }

    /// Points of any number of nodes, merged in two stages.
    pub(super) fn merge_all(&mut self, name: &str, parts: &[NodeId]) -> Result<NodeId, RigError> {
        const TOGETHER: usize = 64;
        if parts.len() <= TOGETHER {
            return self.merge(name, parts);
        }
        let mut merged = Vec::new();
        for (k, parts) in parts.chunks(TOGETHER).enumerate() {
            merged.push(self.merge(&format!("{name} part {k}"), parts)?);
        }
        self.merge(name, &merged)
    }

    /// A kind for how much something bends.
    pub(super) fn bend(&mut self, text: &str) -> Result<KindId, RigError> {
        let code = Expression::new(text);
        let code = code.map_err(|e| RigError::Range { control: text.into(), message: e.to_string() })?;
        Ok(self.rig.kind(code))
    }
}

/// Keys of a curve of four seconds.
fn keys(seed: &mut Seed) -> Vec<f64> {
    let mut keys = Vec::new();
    for k in 0..9 {
        let slope = seed.between(-0.5, 0.5);
        keys.extend([0.5 * f64::from(k), seed.between(-0.3, 0.3), slope, slope]);
    }
    keys
}
