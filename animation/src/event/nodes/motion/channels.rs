//! What a motion's numbers mean.

use crate::event::NodeId;
use crate::event::field::Value;
use crate::event::nodes::interpolation::rotation::{axis_angle, multiply, quaternion};

/// What of a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Translation,
    Rotation,
    Scale,
}

impl Kind {
    /// The joint's field.
    pub(super) fn field(self) -> &'static str {
        match self {
            Kind::Translation => "translation",
            Kind::Rotation => "rotation",
            Kind::Scale => "scale",
        }
    }
}

/// The numbers of one joint in each frame.
struct OfJoint {
    joint: Option<NodeId>,
    /// What each number is, and its axis; none for what is unknown.
    numbers: Vec<Option<(Kind, usize)>>,
}

/// All channels of a motion.
#[derive(Default)]
pub(super) struct Channels {
    of_joints: Vec<OfJoint>,
    /// Numbers in a frame.
    pub(super) n_numbers: usize,
    /// Joints that the humanoid does not have.
    pub(super) missing: Vec<String>,
}

fn number_of(word: &str) -> Option<(Kind, usize)> {
    let axis = match word.chars().next()? {
        'X' => 0,
        'Y' => 1,
        'Z' => 2,
        _ => return None,
    };
    match word.get(1..)? {
        "position" => Some((Kind::Translation, axis)),
        "rotation" => Some((Kind::Rotation, axis)),
        "scale" => Some((Kind::Scale, axis)),
        _ => None,
    }
}

impl Channels {
    /// From the node's lists: names of joints, and for each a count with so many names of channels.
    pub(super) fn read(
        joints: &str,
        channels: &str,
        enabled: &[bool],
        find: impl Fn(&str) -> Option<NodeId>,
    ) -> Self {
        let words = |text: &str| -> Vec<String> {
            let split = text.split(|c: char| c.is_whitespace() || c == ',');
            split.filter(|w| !w.is_empty()).map(str::to_owned).collect()
        };
        let (names, words) = (words(joints), words(channels));
        let mut all = Self::default();
        for word in words {
            if word.parse::<u32>().is_ok() {
                let k = all.of_joints.len();
                let name = names.get(k).map_or("IGNORED", String::as_str);
                let joint = if name == "IGNORED" { None } else { find(name) };
                if joint.is_none() && name != "IGNORED" {
                    all.missing.push(name.to_owned());
                }
                let joint = joint.filter(|_| enabled.get(k).copied().unwrap_or(true));
                all.of_joints.push(OfJoint { joint, numbers: Vec::new() });
            } else if let Some(of_joint) = all.of_joints.last_mut() {
                of_joint.numbers.push(number_of(&word));
                all.n_numbers += 1;
            }
        }
        all
    }
    /// Where the joints are in a frame.
    pub(super) fn poses(&self, numbers: &[f32]) -> Vec<(NodeId, Kind, Value)> {
        let mut poses = Vec::new();
        let mut numbers = numbers.iter();
        for of_joint in &self.of_joints {
            let (mut place, mut size) = ([0.0_f32; 3], [1.0_f32; 3]);
            let mut turn = [0.0, 0.0, 0.0, 1.0];
            let mut has = [false; 3];
            for (kind, number) in of_joint.numbers.iter().zip(&mut numbers) {
                match *kind {
                    Some((Kind::Translation, axis)) => place[axis] = *number,
                    Some((Kind::Scale, axis)) => size[axis] = *number,
                    Some((Kind::Rotation, axis)) => {
                        let mut r = [0.0, 0.0, 0.0, number.to_radians()];
                        r[axis] = 1.0;
                        turn = multiply(&turn, &quaternion(r));
                    }
                    None => continue,
                }
                if let Some((kind, _)) = kind {
                    has[*kind as usize] = true;
                }
            }
            let Some(joint) = of_joint.joint else { continue };
            let values = [Value::SFVec3f(place), Value::SFRotation(axis_angle(turn)), Value::SFVec3f(size)];
            for ((kind, has), value) in
                [Kind::Translation, Kind::Rotation, Kind::Scale].into_iter().zip(has).zip(values)
            {
                if has {
                    poses.push((joint, kind, value));
                }
            }
        }
        poses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_places_and_rotations() {
        let find = |name: &str| match name {
            "a" => Some(NodeId(7)),
            "b" => Some(NodeId(8)),
            _ => None,
        };
        let text = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation, 1 Yrotation 3 Xscale Yscale Zscale 1 What";
        let c = Channels::read("a, IGNORED b c", text, &[], find);
        assert_eq!((c.n_numbers, &*c.missing), (11, &["c".to_owned()][..]));
        let poses = c.poses(&[1.0, 2.0, 3.0, 90.0, 0.0, 0.0, 45.0, 2.0, 3.0, 4.0, 9.0]);
        assert_eq!(poses.len(), 3);
        assert_eq!(poses[0], (NodeId(7), Kind::Translation, Value::SFVec3f([1.0, 2.0, 3.0])));
        let Value::SFRotation(r) = &poses[1].2 else { panic!() };
        assert!((r[2] - 1.0).abs() < 1e-6 && (r[3] - 90.0_f32.to_radians()).abs() < 1e-6);
        assert_eq!(poses[2], (NodeId(8), Kind::Scale, Value::SFVec3f([2.0, 3.0, 4.0])));
        let off = Channels::read("a", "1 Xrotation", &[false], find);
        assert!(off.poses(&[5.0]).is_empty());
    }
}
