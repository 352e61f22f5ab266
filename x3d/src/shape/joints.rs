//! Where nodes of a scene stand as frames: positions and orientations, for whoever moves something with them.

use animation::event::field::Value;
use animation::event::runtime::NUMBERS;
use animation::event::scene::EventScene;
use animation::event::{FieldId, NodeId};
use animation::rig::math::quaternion::{IDENTITY, Quaternion, about, mul};
use diagnostics::nearest;

use super::affine::Affine;
use super::fields::Fields;
use super::place::{inner_roots, places};

/// The fields of a Transform, in the order in which they are asked for.
const FIELDS: [&str; 5] = ["translation", "center", "rotation", "scale", "scaleOrientation"];

/// A name of no node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no node is called `{name}`, by DEF or by its field `name`")]
pub struct UnknownJoint {
    /// The name.
    pub name: String,
    /// A name that there is, and that may be meant.
    pub nearest: Option<String>,
}

/// A node on the way from the root to one that is wanted.
#[derive(Clone, Copy, Debug)]
struct Step {
    parent: Option<u32>,
    /// Its first field among those that are asked for; none of a node that moves nothing.
    first_field: Option<u32>,
}

/// Frames of nodes, mostly joints of a humanoid.
///
/// A frame stands at the node's `center`, in the world, and is turned by all rotations above it and its own. Scales move what is below
/// them and turn nothing. The tree above the nodes is that of the file.
#[derive(Clone, Debug)]
pub struct Joints {
    steps: Vec<Step>,
    /// The steps that are wanted.
    wanted: Vec<u32>,
    fields: Vec<(NodeId, FieldId)>,
}

/// A node's map into the world, and its orientation.
pub type JointPlace = (Affine, Quaternion);

impl Joints {
    /// Those of some names: of `DEF`, else of the field `name` of a HAnimJoint and the like; the first of the scene counts.
    ///
    /// # Errors
    /// The first name that no node has.
    pub fn of(scene: &EventScene, names: &[String]) -> Result<Self, UnknownJoint> {
        let fields = Fields { scene, values: scene };
        let all = places(&fields, &inner_roots(scene));
        let def = |node: NodeId| scene.node(node).def.as_deref().map(str::to_owned);
        let own = |node: NodeId| match fields.get(node, "name") {
            Some(Value::SFString(name)) if !name.is_empty() => Some(name.to_string()),
            _ => None,
        };
        let mut joints = Self { steps: Vec::new(), wanted: Vec::new(), fields: Vec::new() };
        let mut known: Vec<Option<u32>> = vec![None; all.len()];
        for name in names {
            let is_it = |of: &dyn Fn(NodeId) -> Option<String>| {
                all.iter().position(|p| of(p.node).is_some_and(|n| n == *name))
            };
            let Some(place) = is_it(&def).or_else(|| is_it(&own)) else {
                let there: Vec<String> =
                    all.iter().flat_map(|p| [def(p.node), own(p.node)]).flatten().collect();
                let nearest = nearest(name, there.iter().map(String::as_str)).map(str::to_owned);
                return Err(UnknownJoint { name: name.clone(), nearest });
            };
            // From the node up to one that is known, and down again.
            let mut way = Vec::new();
            let mut at = Some(place);
            while let Some(k) = at.filter(|k| known[*k].is_none()) {
                way.push(k);
                at = all[k].parent.map(|p| p as usize);
            }
            for k in way.into_iter().rev() {
                let node = all[k].node;
                let first_field = all[k].moves.then_some(joints.fields.len() as u32);
                if all[k].moves {
                    let id =
                        |name: &&str| scene.node(node).node_type.field(name).unwrap_or(FieldId(u32::MAX));
                    joints.fields.extend(FIELDS.iter().map(|name| (node, id(name))));
                }
                let parent = all[k].parent.and_then(|p| known[p as usize]);
                known[k] = Some(joints.steps.len() as u32);
                joints.steps.push(Step { parent, first_field });
            }
            joints.wanted.extend(known[place]);
        }
        Ok(joints)
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.wanted.len()
    }

    /// Whether there is no frame.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// The fields that frames follow from.
    pub fn fields(&self) -> &[(NodeId, FieldId)] {
        &self.fields
    }

    /// Memory for [`Self::frames`].
    pub fn memory(&self) -> Vec<JointPlace> {
        vec![(Affine::IDENTITY, IDENTITY); self.steps.len()]
    }

    /// Calls `put` with the number, position \[m\] and orientation of each frame. `numbers` are the present values of the fields,
    /// [`NUMBERS`] for each; `memory` is what [`Self::memory`] gave.
    pub fn frames(
        &self,
        numbers: &[f64],
        memory: &mut [JointPlace],
        mut put: impl FnMut(usize, [f64; 3], Quaternion),
    ) {
        let four = |field: u32| -> [f64; NUMBERS] {
            let at = NUMBERS * field as usize;
            std::array::from_fn(|k| numbers.get(at + k).copied().unwrap_or(0.0))
        };
        let three = |field: u32| {
            let [x, y, z, _] = four(field);
            [x, y, z]
        };
        for (k, step) in self.steps.iter().enumerate() {
            let (mut map, mut turn) =
                step.parent.map_or((Affine::IDENTITY, IDENTITY), |p| memory[p as usize]);
            if let Some(f) = step.first_field {
                let rotation = four(f + 2);
                let own = Affine::transform(three(f), three(f + 1), rotation, three(f + 3), four(f + 4));
                map = map.after(&own);
                let [x, y, z, angle] = rotation;
                turn = mul(turn, about([x, y, z], angle));
            }
            memory[k] = (map, turn);
        }
        for (number, &wanted) in self.wanted.iter().enumerate() {
            let (map, turn) = memory[wanted as usize];
            let center = self.steps[wanted as usize].first_field.map_or([0.0; 3], |f| three(f + 1));
            put(number, map.apply(center), turn);
        }
    }

    /// Positions \[m\] and orientations as a scene has them in its file.
    pub fn at_rest(&self, scene: &EventScene) -> Vec<([f64; 3], Quaternion)> {
        let mut numbers = vec![0.0; NUMBERS * self.fields.len()];
        for (to, &(node, field)) in numbers.chunks_exact_mut(NUMBERS).zip(&self.fields) {
            match scene.node(node).values.get(field.0 as usize) {
                Some(Value::SFVec3f(v)) => to[..3].copy_from_slice(&v.map(f64::from)),
                Some(Value::SFRotation(v)) => to.copy_from_slice(&v.map(f64::from)),
                _ => {}
            }
        }
        let mut frames = Vec::with_capacity(self.len());
        self.frames(&numbers, &mut self.memory(), |_, position, turn| frames.push((position, turn)));
        frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoadOptions, load_text};

    const ARM: &str = "#X3D V3.3 utf8\nPROFILE Immersive\nCOMPONENT HAnim:1
        DEF BODY HAnimHumanoid { translation 0 1 0 skeleton [ DEF root HAnimJoint { name \"humanoid_root\" children [
          DEF shoulder HAnimJoint { name \"l_shoulder\" center 1 0 0 rotation 0 0 1 1.5707964 children [
            DEF elbow HAnimJoint { name \"l_elbow\" center 2 0 0 } ] } ] } ] }";

    #[test]
    fn a_joint_stands_at_its_center_and_turns_what_is_below() {
        let loaded = load_text(ARM, "arm.x3dv", &LoadOptions::default()).expect("loads");
        let names = ["l_elbow", "shoulder", "l_elbow"].map(str::to_owned);
        let joints = Joints::of(&loaded.scene, &names).expect("known");
        let frames = joints.at_rest(&loaded.scene);
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        let half = std::f64::consts::FRAC_1_SQRT_2;
        // The elbow is one to the right of the shoulder at rest, and above it when the shoulder has turned.
        assert!(
            near(&frames[0].0, &[1.0, 2.0, 0.0]) && near(&frames[0].1, &[0.0, 0.0, half, half]),
            "{frames:?}"
        );
        assert!(near(&frames[1].0, &[1.0, 1.0, 0.0]), "{frames:?}");
        assert_eq!(frames[0], frames[2]);
        assert_eq!(joints.fields().len(), 4 * FIELDS.len(), "each node on the way once");
    }

    #[test]
    fn an_unknown_name_is_refused() {
        let loaded = load_text(ARM, "arm.x3dv", &LoadOptions::default()).expect("loads");
        let error = Joints::of(&loaded.scene, &["l_shulder".to_owned()]).expect_err("refused");
        assert_eq!(error.nearest.as_deref(), Some("l_shoulder"));
    }
}
