//! Inverse kinematics.

use crate::rig::math::affine::of_axes;
use crate::rig::math::ik::{Reach, chain, two_bones};
use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;
use crate::rig::value::PortType;

/// Two bones, such as those of an arm, that reach for a target.
///
/// Inputs: `root`, `target`, `pole` (points), `upper`, `lower` (lengths).
/// Outputs: the maps `first` (at the root) and `second` (at the middle), each with x along its bone and z along the normal
/// (target - root) x (pole - root), and the points `middle` and `end`. A target out of reach is aimed at. A length below zero fails the
/// evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub struct TwoBoneIk;

impl NodeKind for TwoBoneIk {
    fn kind(&self) -> &'static str {
        "two-bone-ik"
    }
    fn ports(&self) -> PortList {
        PortList::new()
            .input("root", PortType::Vec3)
            .required("target", PortType::Vec3)
            .input_or("pole", PortType::Vec3, vec![0.0, 1.0, 0.0])
            .input_or("upper", PortType::Scalar, vec![1.0])
            .input_or("lower", PortType::Scalar, vec![1.0])
            .output("first", PortType::Matrix)
            .output("second", PortType::Matrix)
            .output("middle", PortType::Vec3)
            .output("end", PortType::Vec3)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let (root, target, pole) = (p.array(0), p.array(1), p.array(2));
        for k in [3, 4] {
            if let Some(why) = self.refuses(k, &[p.scalar(k)]) {
                p.fail(why);
                return;
            }
        }
        let bones = two_bones(root, target, pole, p.scalar(3), p.scalar(4));
        p.set(0, &of_axes(bones.first, root));
        p.set(1, &of_axes(bones.second, bones.middle));
        p.set(2, &bones.middle);
        p.set(3, &bones.end);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        150.0
    }
    fn refuses(&self, input: usize, value: &[f64]) -> Option<String> {
        let name = [(3, "upper"), (4, "lower")].iter().find(|(k, _)| *k == input)?.1;
        let below = value.iter().find(|length| **length < 0.0)?;
        Some(format!("`{name}` is {below}, and no length is below zero"))
    }
}

/// A chain of points, such as a tail, whose end reaches for a target.
///
/// Inputs: `rest` (points, from which lengths are taken), `target`. Outputs: `points`, `distance` from end to target, and `lengths` of bones.
/// A target within reach is reached but for the tolerance, unless there are too few turns: `distance` says how well.
#[derive(Clone, Debug)]
pub struct ChainIk {
    /// Number of points.
    pub points: u32,
    /// How often it is gone through at most.
    pub turns: u32,
    /// How near is near enough, as a share of the chain's length.
    pub tolerance: f64,
}

impl NodeKind for ChainIk {
    fn kind(&self) -> &'static str {
        "chain-ik"
    }
    fn ports(&self) -> PortList {
        PortList::new()
            .required("rest", PortType::Points(self.points))
            .required("target", PortType::Vec3)
            .output("points", PortType::Points(self.points))
            .output("distance", PortType::Scalar)
            .output("lengths", PortType::Scalars(self.points.saturating_sub(1)))
            .independent(2, 1)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let (rest, target) = (p.input(0), p.array(1));
        let lengths = p.output(2);
        for (length, pair) in lengths.iter_mut().zip(rest.windows(6).step_by(3)) {
            *length =
                crate::rig::math::vector::norm([pair[3] - pair[0], pair[4] - pair[1], pair[5] - pair[2]]);
        }
        let [points, lengths] = p.two_outputs(0, 2);
        points.copy_from_slice(rest);
        let reach = Reach { turns: self.turns as usize, tolerance: self.tolerance };
        let off = chain(points, lengths, target, reach);
        p.set_scalar(1, off);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        // Most targets are reached in a few turns.
        let turns = if self.tolerance > 0.0 { self.turns.min(20) } else { self.turns };
        f64::from(self.points) * f64::from(turns) * 10.0
    }
}
