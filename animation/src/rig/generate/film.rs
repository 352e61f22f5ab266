//! A character as films have them: a biped with what makes real ones serial.

use std::collections::BTreeMap;

use super::Seed;
use super::biped::biped;
use crate::rig::error::RigError;
use crate::rig::nodes::{BlendShape, ChainIk, FixedCurve, Joint, Vector};
use crate::rig::rig::{Control, ControlId, KindId, NodeId, Rig};
use crate::rig::value::PortType;

/// Nodes of the motion system, each after the other.
const MOTION: usize = 12;
/// Layers of shapes on the skin of the body, each after the other.
const LAYERS: usize = 3;
/// Shapes of a layer.
const SHAPES: usize = 16;

/// A character of roughly so many nodes, of which the longest way takes about an eighth of the time of all: a motion system solved step by step
/// moves the root of the body; the skin goes through layers of corrective shapes, each on top of the one before; clothes and
/// hair have a layer on each of their pieces.
///
/// The layers are what threads inside nodes are for: a quarter of the time or so.
///
/// **Source:** Watt et al., *LibEE* (2013): 1.35 times from threads inside nodes on 16 cores (a share of 0.28), later 7 to 8 times in all,
/// limited by the critical path.
///
/// # Errors
/// None for numbers of nodes that fit into memory.
pub fn film(nodes: usize, seed: u64) -> Result<Rig, RigError> {
    let pieces = nodes / 2000;
    let mut film = Film {
        rig: biped(nodes.saturating_sub(4 * MOTION + LAYERS * (SHAPES / 4 + 1) + pieces), seed)?,
        seed: Seed::new(seed ^ 0x5eed),
        time: ControlId(0),
        curve: KindId(0),
        scale: (nodes as f64 / 50_000.0).max(0.02),
        shapes: BTreeMap::new(),
    };
    film.time = film.rig.find_control("time")?;
    // Never 0: shapes without weight would cost nothing.
    let keys = (0..9).flat_map(|k| [0.5 * f64::from(k), 0.2 + 0.1 * f64::from(k % 3), 0.0, 0.0]).collect();
    let curve = FixedCurve::new(keys);
    film.curve = film.rig.kind(curve.map_err(|message| RigError::Range { control: "time".into(), message })?);
    film.rig.component("body");
    film.motion()?;
    film.skin()?;
    for (component, what) in [("wardrobe", "cloth"), ("hair", "hair")] {
        film.rig.component(component);
        film.pieces(what)?;
    }
    Ok(film.rig)
}

struct Film {
    rig: Rig,
    seed: Seed,
    time: ControlId,
    curve: KindId,
    /// Amount of work, relative to a character of 50,000 nodes.
    scale: f64,
    /// The shapes of a layer, by its number of points: all of a number have the same.
    shapes: BTreeMap<u32, KindId>,
}

impl Film {
    /// Chains that reach for targets, each beginning as the one before it stands; the last one moves the root.
    fn motion(&mut self) -> Result<(), RigError> {
        let (points, turns) = (16, (50.0 * self.scale).clamp(2.0, 1000.0) as u32);
        let mut rest: Option<NodeId> = None;
        for k in 0..MOTION {
            // Nothing is near enough: each turn is made.
            let solver = self.rig.node(format!("motion {k}"), ChainIk { points, turns, tolerance: 0.0 })?;
            match rest {
                Some(before) => self.rig.bind(before, 0, solver, 0)?,
                None => {
                    let line: Vec<f64> = (0..points).flat_map(|p| [0.0, 0.1 * f64::from(p), 0.0]).collect();
                    self.rig.set(solver, 0, &line)?;
                }
            }
            let (name, of) = (format!("motion {k} target"), PortType::Vec3);
            let default = vec![0.8 + 0.02 * k as f64, 0.9, 0.1];
            let target = self.rig.control(Control { name, of, range: Some((-3.0, 3.0)), default })?;
            self.rig.bind_control(target, solver, 1)?;
            rest = Some(solver);
        }
        let balance = self.rig.node("balance", Vector)?;
        if let Some(last) = rest {
            self.rig.bind(last, 1, balance, 0)?;
        }
        let root = self.rig.find("root")?;
        self.rig.unbind(root, Joint::TRANSLATE)?;
        self.rig.bind(balance, 0, root, Joint::TRANSLATE)
    }

    /// Layers on the skin of the body.
    fn skin(&mut self) -> Result<(), RigError> {
        let mut skin = self.rig.find("body")?;
        for layer in 0..LAYERS {
            skin = self.layer(&format!("body corrective {layer}"), skin)?;
        }
        self.rig.output("body corrected", skin, 0).map(|_| ())
    }

    /// A layer on each piece of clothes or hair.
    fn pieces(&mut self, what: &str) -> Result<(), RigError> {
        for k in 0.. {
            let Ok(piece) = self.rig.find(&format!("{what} part {k}")) else { break };
            let layer = self.layer(&format!("{what} layer {k}"), piece)?;
            self.rig.output(format!("{what} layer {k}"), layer, 0)?;
        }
        Ok(())
    }

    /// Shapes on top of what a node gives, by curves.
    fn layer(&mut self, name: &str, on: NodeId) -> Result<NodeId, RigError> {
        let points = self.rig.ports(on).outputs[0].of.elements().unwrap_or(0);
        let kind = match self.shapes.get(&points) {
            Some(kind) => *kind,
            None => {
                let (seed, n) = (&mut self.seed, 3 * points as usize);
                let deltas =
                    (0..SHAPES).map(|_| (0..n).map(|_| seed.between(-1e-3, 1e-3)).collect()).collect();
                let shape = BlendShape::new(points, deltas);
                let shape = shape.map_err(|message| RigError::Range { control: name.into(), message })?;
                let kind = self.rig.kind(shape);
                self.shapes.insert(points, kind);
                kind
            }
        };
        let shape = self.rig.add(name, kind)?;
        self.rig.bind(on, 0, shape, 0)?;
        let mut weight = None;
        for k in 0..SHAPES {
            // Four shapes a curve.
            if k % 4 == 0 {
                let curve = self.rig.add(format!("{name} weight {k}"), self.curve)?;
                self.rig.bind_control(self.time, curve, 0)?;
                weight = Some(curve);
            }
            if let Some(weight) = weight {
                self.rig.bind(weight, 0, shape, 1 + k)?;
            }
        }
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Backend, Evaluator, Settings};

    #[test]
    fn the_longest_way_goes_through_motion_and_skin_and_all_is_finite() {
        let rig = film(20_000, 1).unwrap();
        let n = rig.n_nodes();
        assert!(n.abs_diff(20_000) < 400, "{n}");
        let mut e = Evaluator::new(rig, Backend::sequential(), Settings::default()).unwrap();
        let time = e.rig().find_control("time").unwrap();
        e.set(time, &[1.3]).unwrap();
        assert_eq!(e.evaluate().unwrap().nodes, n);
        let corrected = e.value(e.rig().find_output("body corrected").unwrap());
        assert!(corrected.iter().all(|x| x.is_finite() && x.abs() < 10.0));
        let (path, _) = e.critical_path();
        for name in ["motion 0", "motion 11", "root", "body corrective 2"] {
            assert!(path.contains(&e.rig().find(name).unwrap()), "{name}");
        }
    }
}
