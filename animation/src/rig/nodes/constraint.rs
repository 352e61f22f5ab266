//! Constraints: what follows others, by weights.

use crate::rig::math::affine::{Affine, compose, decompose, mul, translation};
use crate::rig::math::aim::{Rotations, look, mean, mean_of_arcs, mean_rotation};
use crate::rig::math::quaternion::{IDENTITY, Quaternion};
use crate::rig::math::vector::Vec3;
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

/// The targets and their weights, by number.
fn each<'p>(p: &'p mut Ports<'_>, n: u32) -> impl Fn(usize) -> (Affine, f64) + 'p {
    for k in 0..2 * n as usize {
        p.input(1 + k);
    }
    let p = &*p;
    move |k| (p.peeked(1 + 2 * k), p.peeked::<1>(2 + 2 * k)[0])
}

/// Rotations of so many maps are kept while their mean is found; those of more are found anew each time.
const KEPT: usize = 8;

/// The mean of the rotations of so many maps, found by one of the functions of `aim`.
fn mean_of_maps(
    n: usize,
    maps: &dyn Fn(usize) -> (Affine, f64),
    mean: fn(Rotations<'_>) -> Option<Quaternion>,
) -> Option<Quaternion> {
    let rotation = |k: usize| {
        let (map, w) = maps(k);
        (decompose(&map).1, w)
    };
    let mut kept = [(IDENTITY, 0.0); KEPT];
    kept.iter_mut().take(n).enumerate().for_each(|(k, of)| *of = rotation(k));
    mean(Rotations { n, of: &|k| kept.get(k).copied().unwrap_or_else(|| rotation(k)) })
}

/// Lies where its targets are, in the mean by weights; turned and scaled as `base`. Weights that do not sum to more than zero leave it where
/// `base` is.
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
        let own = translation(&world);
        let target = each(p, self.targets);
        let places = (0..self.targets as usize).map(target).map(|(target, w)| (translation(&target), w));
        let at = mean(places, own);
        [world[3], world[7], world[11]] = at;
        p.set(0, &world);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
}

/// Is turned as its targets are, in the mean of quaternions by weights, in whatever order they come; lies where `base` lies, and is scaled as
/// it. Weights that do not sum to more than zero leave it turned as `base`.
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
        let base: Affine = p.array(0);
        let mean = mean_of_maps(self.targets as usize, &each(p, self.targets), mean_rotation);
        let turned = mean.map(|q| {
            let (t, _, s) = decompose(&base);
            compose(t, q, s)
        });
        p.set(0, &turned.unwrap_or(base));
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
}

/// Hangs on its targets as if it were their child: `base` is where it is within them. Of several, it is where it would hang on each, in the
/// mean by weights: of places and scales along lines, of rotations along arcs, in whatever order they come. Weights that do not sum to more
/// than zero leave it where `base` is.
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
        let hung = hang(&base, self.targets as usize, &each(p, self.targets));
        p.set(0, &hung.unwrap_or(base));
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        200.0 * f64::from(self.targets)
    }
}

/// The mean of what hangs on each of some targets.
fn hang(base: &Affine, n: usize, targets: &dyn Fn(usize) -> (Affine, f64)) -> Option<Affine> {
    let child = |k: usize| {
        let (target, w) = targets(k);
        (mul(&target, base), w)
    };
    // One that has all of the weight keeps its shear.
    let mut heavy = (0..n).map(targets).zip(0..).filter(|((_, w), _)| *w != 0.0);
    if let (Some(((_, w), k)), None) = (heavy.next(), heavy.next()) {
        return (w > 0.0 || w.is_nan()).then(|| child(k).0);
    }
    let q = mean_of_maps(n, &child, mean_of_arcs)?;
    let part = |of: fn((Vec3, Quaternion, Vec3)) -> Vec3| {
        mean((0..n).map(child).map(|(child, w)| (of(decompose(&child)), w)), [0.0; 3])
    };
    Some(compose(part(|(t, ..)| t), q, part(|(.., s)| s)))
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
