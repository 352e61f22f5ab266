//! Inverse kinematics.

use crate::rig::math::affine::compose;
use crate::rig::math::aim::look;
use crate::rig::math::ik::{chain, two_bones};
use crate::rig::math::vector::sub;
use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;
use crate::rig::value::PortType;

/// Two bones, such as those of an arm, that reach for a target.
///
/// Inputs: `root`, `target`, `pole` (points), `upper`, `lower` (lengths).
/// Outputs: the maps `first` (at the root) and `second` (at the middle), each with x along its bone and y towards the pole, and
/// the points `middle` and `end`. A target out of reach is aimed at.
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
        let (middle, end) = two_bones(root, target, pole, p.scalar(3), p.scalar(4));
        let up = sub(pole, root);
        p.set(0, &compose(root, look(root, middle, up), [1.0; 3]));
        p.set(1, &compose(middle, look(middle, end, up), [1.0; 3]));
        p.set(2, &middle);
        p.set(3, &end);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        150.0
    }
}

/// A chain of points, such as a tail, whose end reaches for a target.
///
/// Inputs: `rest` (points, from which lengths are taken), `target`. Outputs: `points`, and `distance` from end to target.
#[derive(Clone, Debug)]
pub struct ChainIk {
    /// Number of points.
    pub points: u32,
    /// How often it is gone through at most.
    pub turns: u32,
    /// How near is near enough.
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
        let off = chain(points, lengths, target, self.turns as usize, self.tolerance);
        p.set_scalar(1, off);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        f64::from(self.points) * f64::from(self.turns) * 10.0
    }
}
