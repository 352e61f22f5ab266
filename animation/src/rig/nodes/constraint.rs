//! Constraints: what follows others, by weights.

use crate::rig::math::affine::{Affine, compose, decompose, mul, translation};
use crate::rig::math::aim::{blend, look, mean, mean_rotation};
use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;
use crate::rig::value::PortType;

/// Inputs `base`, then `target0`, `weight0`, `target1` and so on; output `world`.
fn targets(n: u32) -> PortList {
    let mut list = PortList::new().input("base", PortType::Matrix);
    for k in 0..n {
        list = list.required(format!("target{k}"), PortType::Matrix);
        list = list.input_or(format!("weight{k}"), PortType::Scalar, vec![1.0]);
    }
    list.output("world", PortType::Matrix)
}

/// The targets and their weights.
fn each<'p>(p: &'p mut Ports<'_>, n: u32) -> impl Iterator<Item = (Affine, f64)> + 'p {
    (0..n as usize).map(move |k| (p.array(1 + 2 * k), p.scalar(2 + 2 * k)))
}

/// Lies where its targets are, in the mean; turned and scaled as `base`.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Number of targets.
    pub targets: u32,
}

impl NodeKind for Point {
    fn kind(&self) -> &'static str {
        "point-constraint"
    }
    fn ports(&self) -> PortList {
        targets(self.targets)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let mut world: Affine = p.array(0);
        let at =
            mean(each(p, self.targets).map(|(target, w)| (translation(&target), w)), translation(&world));
        [world[3], world[7], world[11]] = at;
        p.set(0, &world);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
}

/// Is turned as its targets are, in the mean; lies where `base` lies, and is scaled as it.
#[derive(Clone, Copy, Debug)]
pub struct Orient {
    /// Number of targets.
    pub targets: u32,
}

impl NodeKind for Orient {
    fn kind(&self) -> &'static str {
        "orient-constraint"
    }
    fn ports(&self) -> PortList {
        targets(self.targets)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let (t, own, s) = decompose(&p.array(0));
        let mean = mean_rotation(each(p, self.targets).map(|(target, w)| (decompose(&target).1, w)));
        let q = if self.targets == 0 { own } else { mean };
        p.set(0, &compose(t, q, s));
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
}

/// Hangs on its targets as if it were their child: `base` is where it is within them.
#[derive(Clone, Copy, Debug)]
pub struct Parent {
    /// Number of targets.
    pub targets: u32,
}

impl NodeKind for Parent {
    fn kind(&self) -> &'static str {
        "parent-constraint"
    }
    fn ports(&self) -> PortList {
        targets(self.targets)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let base: Affine = p.array(0);
        let mut sum: Option<(Affine, f64)> = None;
        for (target, w) in each(p, self.targets) {
            // The mean so far, and the next one by its share of the weight.
            let child = mul(&target, &base);
            sum = Some(match sum {
                None => (child, w),
                Some((mean, weight)) if weight + w != 0.0 => {
                    (blend(&mean, &child, w / (weight + w)), weight + w)
                }
                Some(before) => before,
            });
        }
        p.set(0, &sum.map_or(base, |(mean, _)| mean));
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        80.0 * f64::from(self.targets)
    }
}

/// Points with x at a target, and with y as near as possible to `up`; lies where `base` lies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aim;

impl NodeKind for Aim {
    fn kind(&self) -> &'static str {
        "aim-constraint"
    }
    fn ports(&self) -> PortList {
        PortList::new()
            .input("base", PortType::Matrix)
            .required("target", PortType::Vec3)
            .input_or("up", PortType::Vec3, vec![0.0, 1.0, 0.0])
            .output("world", PortType::Matrix)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let (at, _, scale) = decompose(&p.array(0));
        let world = compose(at, look(at, p.array(1), p.array(2)), scale);
        p.set(0, &world);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        80.0
    }
}
