//! The cases of the paper: what was done to make rigs faster, before and after.
//!
//! Nodes do a known amount of work ([`Work`]), so that what changes is who waits for whom, and how long for.
//!
//! **Source:** Watt et al., *LibEE* (2013), section *Threading Visualizer tool*: quadruped claws, hair solver, free clothing.

use crate::rig::error::RigError;
use crate::rig::node::Safety;
use crate::rig::nodes::Work;
use crate::rig::rig::{ControlId, NodeId, Rig};

/// Rounds of work of a microsecond, roughly.
const ROUNDS_PER_US: u32 = 130;

/// How the claws of a quadruped are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claws {
    /// Whether the node that concatenates hierarchies, of which a chain is on the critical path, is the fast one.
    pub fast_concatenation: bool,
    /// Whether each claw deforms by itself, to be merged at last, rather than one after the other.
    pub parallel: bool,
    /// Whether an expensive node beside the critical path is the fast one.
    pub fast_beside: bool,
}

/// How hair is built: pieces one after the other, or side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hair {
    /// Whether pieces are side by side.
    pub parallel: bool,
}

/// A body, with clothing or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clothing {
    /// Whether there is clothing.
    pub clothed: bool,
}

/// A rig whose nodes do known amounts of work.
struct Builder {
    rig: Rig,
    control: ControlId,
}

impl Builder {
    fn new(name: &str) -> Result<Self, RigError> {
        let mut rig = Rig::new(name);
        let control = rig.scalar_control("pose")?;
        Ok(Self { rig, control })
    }

    /// A node of so many microseconds that waits for others; one that waits for none follows the control.
    fn work(&mut self, name: &str, us: f64, after: &[NodeId]) -> Result<NodeId, RigError> {
        let (inputs, rounds) = (after.len().max(1) as u32, (us * f64::from(ROUNDS_PER_US)) as u32);
        let node = self.rig.node(name, Work { inputs, rounds, safety: Safety::Reentrant })?;
        for (k, before) in after.iter().enumerate() {
            self.rig.bind(*before, 0, node, k)?;
        }
        if after.is_empty() {
            self.rig.bind_control(self.control, node, 0)?;
        }
        Ok(node)
    }

    fn chain(&mut self, name: &str, n: usize, us: f64, after: NodeId) -> Result<NodeId, RigError> {
        (0..n).try_fold(after, |before, k| self.work(&format!("{name} {k}"), us, &[before]))
    }
}

impl Claws {
    /// Number of claws: three on each foot.
    pub const CLAWS: usize = 12;

    /// As the rig was found.
    pub const BEFORE: Self = Self { fast_concatenation: false, parallel: false, fast_beside: false };
    /// After the first step: a faster node on the critical path.
    pub const FASTER: Self = Self { fast_concatenation: true, ..Self::BEFORE };
    /// After the second step: claws side by side, and a faster node beside the critical path.
    pub const AFTER: Self = Self { fast_concatenation: true, parallel: true, fast_beside: true };

    /// The rig.
    ///
    /// # Errors
    /// None.
    pub fn rig(self) -> Result<Rig, RigError> {
        let mut b = Builder::new("quadruped claws")?;
        b.rig.component("motion");
        let root = b.work("root", 5.0, &[])?;
        let concatenation = if self.fast_concatenation { 10.0 } else { 40.0 };
        let mut motion = root;
        let mut posed = Vec::new();
        for claw in 0..Self::CLAWS {
            motion = b.work(&format!("claw {claw} concatenate"), concatenation, &[motion])?;
            posed.push(motion);
        }
        b.rig.component("deformation");
        let mut deformed = Vec::new();
        let mut before = None;
        for (claw, pose) in posed.iter().enumerate() {
            let mut after = vec![*pose];
            if !self.parallel {
                // Serial claws begin when all motion is there.
                after = vec![before.unwrap_or(motion)];
            }
            let bend = b.work(&format!("claw {claw} bend"), 25.0, &after)?;
            let push = b.work(&format!("claw {claw} push"), 25.0, &[bend])?;
            before = Some(push);
            deformed.push(push);
        }
        let claws = b.work("claws", 10.0, &deformed)?;
        b.rig.component("body");
        let beside = b.work("tail", if self.fast_beside { 40.0 } else { 160.0 }, &[root])?;
        b.rig.output("claws", claws, 0)?;
        b.rig.output("tail", beside, 0)?;
        Ok(b.rig)
    }
}

impl Hair {
    /// The rig: the same work in both forms.
    ///
    /// # Errors
    /// None.
    pub fn rig(self) -> Result<Rig, RigError> {
        let mut b = Builder::new("hair")?;
        b.rig.component("body");
        let root = b.work("head", 20.0, &[])?;
        b.rig.component("hair");
        let mut parts = Vec::new();
        let mut before = root;
        for k in 0..16 {
            let after = if self.parallel { root } else { before };
            before = b.chain(&format!("part {k} step"), 3, 20.0, after)?;
            parts.push(before);
        }
        let hair = b.work("hair", 10.0, &parts)?;
        b.rig.output("hair", hair, 0)?;
        Ok(b.rig)
    }
}

impl Clothing {
    /// The rig: clothes hang on the torso, the critical path goes through the limbs.
    ///
    /// # Errors
    /// None.
    pub fn rig(self) -> Result<Rig, RigError> {
        let mut b = Builder::new("clothing")?;
        b.rig.component("body");
        let root = b.work("root", 10.0, &[])?;
        let torso = b.chain("torso", 4, 20.0, root)?;
        let mut ends = Vec::new();
        for limb in 0..4 {
            ends.push(b.chain(&format!("limb {limb}"), 20, 30.0, torso)?);
        }
        let body = b.work("body", 20.0, &ends)?;
        b.rig.output("body", body, 0)?;
        if self.clothed {
            b.rig.component("wardrobe");
            let mut pieces = Vec::new();
            for piece in 0..6 {
                pieces.push(b.chain(&format!("cloth {piece}"), 10, 40.0, torso)?);
            }
            let clothes = b.work("clothes", 20.0, &pieces)?;
            b.rig.output("clothes", clothes, 0)?;
        }
        Ok(b.rig)
    }
}
