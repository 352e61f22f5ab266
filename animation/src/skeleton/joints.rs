//! A skeleton: joints that are moved with their parents.

use super::error::SkeletonError;
use super::lane::run;
use super::pose::Pose;
use super::transform::{Matrix, Transform, of_length_one};

pub(super) mod kernel;

/// A joint of a skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name; several may have the same.
    pub name: String,
    /// The joint that it is moved with; none for a root, of which there may be several.
    pub parent: Option<u32>,
    /// Its transform relative to its parent, where no clip moves it.
    pub rest: Transform,
}

/// Joints, each after its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
    /// Joints that have a parent, and these, by their number of ancestors: who is near in the list seldom waits for another one.
    children: Vec<[u32; 2]>,
    rest: Pose,
}

impl Skeleton {
    /// Of joints in any order; the second result says where each of them is in the skeleton. Parents come before their children, and
    /// joints that may come in any order keep theirs.
    ///
    /// # Errors
    /// A parent that is not there, a circle, or a rest that is not finite.
    pub fn new(joints: Vec<Joint>) -> Result<(Self, Vec<u32>), SkeletonError> {
        let n = joints.len();
        let mut children = vec![Vec::new(); n];
        for (k, joint) in (0_u32..).zip(&joints) {
            if !joint.rest.is_finite() {
                return Err(SkeletonError::Rest { joint: joint.name.clone() });
            }
            if let Some(parent) = joint.parent {
                let of = children.get_mut(parent as usize);
                let of = of.ok_or_else(|| SkeletonError::Parent { joint: joint.name.clone(), parent, n })?;
                of.push(k);
            }
        }
        let is_sorted = (0_u32..).zip(&joints).all(|(k, joint)| joint.parent.is_none_or(|p| p < k));
        let order = if is_sorted { (0..n as u32).collect() } else { parents_first(&joints, &children)? };
        let mut place = vec![0; n];
        for (to, from) in (0_u32..).zip(&order) {
            place[*from as usize] = to;
        }
        let mut sorted = Vec::with_capacity(n);
        for from in &order {
            let mut joint = joints[*from as usize].clone();
            joint.parent = joint.parent.map(|p| place[p as usize]);
            // A rest that is finite has one.
            joint.rest.rotation = of_length_one(joint.rest.rotation).unwrap_or(joint.rest.rotation);
            sorted.push(joint);
        }
        let children = by_depth(&sorted);
        let mut rest = Pose::new(n);
        sorted.iter().enumerate().for_each(|(k, joint)| rest.set(k, &joint.rest));
        Ok((Self { joints: sorted, children, rest }, place))
    }

    /// The joints, each after its parent.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether it has no joints.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// The pose at rest.
    pub fn rest(&self) -> &Pose {
        &self.rest
    }

    /// The first joint of a name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.joints.iter().position(|j| j.name == name).map(|k| k as u32)
    }

    /// From transforms relative to parents to matrices relative to the model: one for each joint.
    ///
    /// # Panics
    /// If the pose or the matrices are not as many as the joints.
    pub fn to_model(&self, pose: &Pose, into: &mut [Matrix]) {
        assert_eq!((pose.len(), into.len()), (self.len(), self.len()), "as many as joints");
        run(kernel::ToModel { children: &self.children, pose, into });
    }
}

/// The joints that have a parent, and these, by their number of ancestors.
fn by_depth(joints: &[Joint]) -> Vec<[u32; 2]> {
    let mut depths: Vec<u32> = Vec::with_capacity(joints.len());
    for joint in joints {
        depths.push(joint.parent.map_or(0, |parent| depths[parent as usize] + 1));
    }
    let with_parents = (0_u32..).zip(joints).filter_map(|(k, joint)| Some([k, joint.parent?]));
    let mut children: Vec<[u32; 2]> = with_parents.collect();
    children.sort_by_key(|[joint, _]| depths[*joint as usize]);
    children
}

/// The joints in an order in which parents come first.
fn parents_first(joints: &[Joint], children: &[Vec<u32>]) -> Result<Vec<u32>, SkeletonError> {
    let mut order: Vec<u32> =
        (0..joints.len() as u32).filter(|k| joints[*k as usize].parent.is_none()).collect();
    let mut next = 0;
    while next < order.len() {
        order.extend(&children[order[next] as usize]);
        next += 1;
    }
    if order.len() == joints.len() {
        return Ok(order);
    }
    let mut is_placed = vec![false; joints.len()];
    order.iter().for_each(|k| is_placed[*k as usize] = true);
    // What is left is in a circle or below one: as many steps up as there are joints end in it.
    let mut at = is_placed.iter().position(|placed| !placed).unwrap_or(0);
    for _ in 0..joints.len() {
        at = joints[at].parent.map_or(at, |p| p as usize);
    }
    Err(SkeletonError::Circle { joint: joints[at].name.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::lane::{Kernel, Plain};
    use crate::skeleton::{IDENTITY, moved_point, product};

    fn joint(name: &str, parent: Option<u32>, translation: [f32; 3], rotation: [f32; 4]) -> Joint {
        let rest = Transform { translation, rotation, scale: [1.0; 3] };
        Joint { name: name.to_owned(), parent, rest }
    }

    const STRAIGHT: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

    #[test]
    fn a_bent_chain_is_where_geometry_says() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let bent = [0.0, 0.0, half, half];
        // In any order: the tip comes first.
        let joints = vec![
            joint("tip", Some(2), [1.0, 0.0, 0.0], STRAIGHT),
            joint("root", None, [0.0, 0.0, 5.0], bent),
            joint("middle", Some(1), [1.0, 0.0, 0.0], bent),
            joint("other", None, [7.0, 0.0, 0.0], STRAIGHT),
        ];
        let (skeleton, place) = Skeleton::new(joints).expect("a skeleton");
        assert_eq!(place, [3, 0, 2, 1]);
        let mut matrices = vec![crate::skeleton::IDENTITY; 4];
        skeleton.to_model(skeleton.rest(), &mut matrices);
        let at = |name| moved_point(&matrices[skeleton.find(name).expect("there") as usize], [0.0; 3]);
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-6);
        assert!(near(at("middle"), [0.0, 1.0, 5.0]), "{:?}", at("middle"));
        assert!(near(at("tip"), [-1.0, 1.0, 5.0]), "{:?}", at("tip"));
        assert!(near(at("other"), [7.0, 0.0, 0.0]));
    }

    #[test]
    fn lanes_and_single_joints_have_the_same_bits() {
        let noise = |k: usize| ((k * 7919 % 1000) as f32 - 499.5) / 500.0;
        for n in [1, 7, 8, 9, 30] {
            let joint = |k: usize| {
                let q = [0, 1, 2, 3].map(|c| noise(31 * k + c + 1));
                let length = q.iter().map(|x| x * x).sum::<f32>().sqrt();
                let of = |from: usize| [0, 1, 2].map(|c| noise(17 * k + from + c) + 1.5);
                let rest = Transform { translation: of(3), rotation: q.map(|x| x / length), scale: of(9) };
                Joint { name: String::new(), parent: (!k.is_multiple_of(5)).then_some(k as u32 / 2), rest }
            };
            let (skeleton, _) = Skeleton::new((0..n).map(joint).collect()).expect("a skeleton");
            let mut expected: Vec<Matrix> = Vec::new();
            for (k, joint) in skeleton.joints().iter().enumerate() {
                let local = skeleton.rest().get(k).matrix();
                expected.push(joint.parent.map_or(local, |p| product(&expected[p as usize], &local)));
            }
            let (mut plain, mut wide) = (vec![IDENTITY; n], vec![IDENTITY; n]);
            skeleton.to_model(skeleton.rest(), &mut wide);
            let (children, pose) = (&skeleton.children, skeleton.rest());
            kernel::ToModel { children, pose, into: &mut plain }.run(Plain);
            assert_eq!((&wide, &plain), (&expected, &expected), "{n} joints");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let of = |joints| Skeleton::new(joints).expect_err("wrong");
        let circle = vec![
            joint("tail", Some(1), [0.0; 3], STRAIGHT),
            joint("a", Some(2), [0.0; 3], STRAIGHT),
            joint("b", Some(1), [0.0; 3], STRAIGHT),
        ];
        assert!(matches!(of(circle), SkeletonError::Circle { joint } if joint != "tail"));
        let parent = of(vec![joint("a", Some(9), [0.0; 3], STRAIGHT)]);
        assert_eq!(parent.to_string(), "joint `a` has the parent 9, but there are 1 joints");
        let rest = of(vec![joint("a", None, [f32::NAN; 3], STRAIGHT)]);
        assert_eq!(rest, SkeletonError::Rest { joint: "a".to_owned() });
        assert!(matches!(of(vec![joint("a", None, [0.0; 3], [0.0; 4])]), SkeletonError::Rest { .. }));
    }
}
