//! Forward kinematics.

use crate::rig::math::affine::{compose, inverse, mul};
use crate::rig::math::quaternion::{from_euler, mul as then, normalized};
use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;
use crate::rig::value::PortType;

/// A joint: its parent's map, followed by its own translation, rotation and scale.
///
/// Inputs: `parent`, `translate`, `rotate` (angles about the fixed axes x, then y, then z \[rad\]), `orient` (a rotation of these axes, of any
/// length; zero is none), `scale`.
/// Outputs: `world`, and `local`, which does not depend on the parent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Joint;

impl Joint {
    /// Input: the map of what it hangs on.
    pub const PARENT: usize = 0;
    /// Input: where it is in its parent.
    pub const TRANSLATE: usize = 1;
    /// Input: its angles.
    pub const ROTATE: usize = 2;
    /// Input: a rotation before its angles.
    pub const ORIENT: usize = 3;
    /// Input: its scale.
    pub const SCALE: usize = 4;
    /// Output: its map.
    pub const WORLD: usize = 0;
    /// Output: its map within its parent.
    pub const LOCAL: usize = 1;
}

impl NodeKind for Joint {
    fn kind(&self) -> &'static str {
        "joint"
    }
    fn ports(&self) -> PortList {
        PortList::new()
            .input("parent", PortType::Matrix)
            .input("translate", PortType::Vec3)
            .input("rotate", PortType::Vec3)
            .input("orient", PortType::Quaternion)
            .input_or("scale", PortType::Vec3, vec![1.0; 3])
            .output("world", PortType::Matrix)
            .output("local", PortType::Matrix)
            .independent(Self::LOCAL, Self::PARENT)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let rotation = then(normalized(p.array(Self::ORIENT)), from_euler(p.array(Self::ROTATE)));
        let local = compose(p.array(Self::TRANSLATE), rotation, p.array(Self::SCALE));
        p.set(Self::LOCAL, &local);
        if p.wants(Self::WORLD) {
            let world = mul(&p.array(Self::PARENT), &local);
            p.set(Self::WORLD, &world);
        }
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        60.0
    }
}

/// Where a map stands within another one: first `world`, then the inverse of `parent`. A parent that is flat fails the evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local;

/// Why there is no local map.
const FLAT: &str = "`parent` is flat (a scale is zero): nothing stands within it";

impl NodeKind for Local {
    fn kind(&self) -> &'static str {
        "local"
    }
    fn ports(&self) -> PortList {
        let of = PortType::Matrix;
        PortList::new().required("world", of).input("parent", of).output("local", of)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let world = p.array(0);
        match inverse(&p.array(1)) {
            Some(back) => p.set(0, &mul(&back, &world)),
            None => p.fail(FLAT),
        }
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn refuses(&self, input: usize, value: &[f64]) -> Option<String> {
        let map = value.try_into().ok().filter(|_| input == 1)?;
        inverse(map).is_none().then(|| FLAT.to_owned())
    }
}
