//! Why something was recorded or laid out anew, and how to ask for it.

use std::fmt;
use std::sync::Arc;

use super::key::What;
use super::{Dirts, Evaluator, Key, Plans, no_edits};
use crate::rig::bits::BitSet;
use crate::rig::error::RigError;
use crate::rig::node::Safety;
use crate::rig::rig::{NodeId, Rig};
use crate::rig::structure::{Fusion, Structure, Threading};

/// Why something was recorded or laid out anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rebuild {
    /// The rig was new.
    First,
    /// The rig was edited, for this reason of the caller's.
    Edited(String),
    /// The cost of nodes was measured.
    Costs,
    /// Nodes are put together in another way.
    Fusion(Fusion),
    /// Something else is threaded.
    Threading(Threading),
    /// What may run at the same time as a node changed.
    Safety {
        /// The node.
        node: String,
        /// What was said.
        to: Option<Safety>,
    },
    /// These controls were edited together for the first time, or for the first time in a while, or what was dirty before or the
    /// way a switch stands was new.
    Recorded {
        /// Their names, sorted.
        edited: Vec<String>,
        /// Number of the list of outputs that was requested.
        request: u32,
        /// Switches of the first frame that stand otherwise than when something was recorded last.
        switches: Vec<String>,
    },
}

impl fmt::Display for Rebuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("the rig was new"),
            Self::Edited(why) => write!(f, "the rig was edited: {why}"),
            Self::Costs => f.write_str("the cost of nodes was measured"),
            Self::Fusion(Fusion::Off) => f.write_str("fusion was switched off"),
            Self::Fusion(Fusion::On { grain_ns }) => write!(f, "tasks are to last {grain_ns} ns"),
            Self::Threading(threading) => write!(f, "threading is {threading}"),
            Self::Safety { node, to: Some(to) } => write!(f, "`{node}` was declared {to}"),
            Self::Safety { node, to: None } => write!(f, "`{node}` is again what its kind says"),
            Self::Recorded { edited, request, switches } => {
                write!(f, "no recording was kept for ")?;
                match &edited[..] {
                    [] => f.write_str("what was dirty")?,
                    names => write!(f, "an edit of `{}`", names.join("`, `"))?,
                }
                write!(f, " and outputs {request}")?;
                match &switches[..] {
                    [] => Ok(()),
                    names => write!(f, "; `{}` stands otherwise now", names.join("`, `")),
                }
            }
        }
    }
}

/// Reasons that are remembered.
const REMEMBERED: usize = 256;

impl Evaluator {
    /// Why something was recorded or laid out anew, the newest reason last.
    pub fn why_rebuilt(&self) -> &[Rebuild] {
        &self.rebuilds
    }

    pub(super) fn note(&mut self, why: Rebuild) {
        if self.rebuilds.len() == REMEMBERED {
            self.rebuilds.remove(0);
        }
        self.rebuilds.push(why);
    }

    /// Edits the rig, and lays it out anew. Controls keep their values, all is dirty.
    ///
    /// # Errors
    /// What `edit` says, or all that is wrong with the rig afterwards. The rig is as it was before then.
    pub fn edit(
        &mut self,
        why: &str,
        edit: impl FnOnce(&mut Rig) -> Result<(), RigError>,
    ) -> Result<(), Vec<RigError>> {
        let before = self.rig.clone();
        let outcome = edit(&mut self.rig).map_err(|e| vec![e]);
        let outcome = outcome.and_then(|()| self.rebuild(Rebuild::Edited(why.into())));
        if outcome.is_err() {
            self.rig = before;
        }
        outcome
    }

    /// Says what may run at the same time as a node; none: what its kind says.
    ///
    /// # Errors
    /// If something is wrong with the rig.
    pub fn override_safety(&mut self, node: NodeId, safety: Option<Safety>) -> Result<(), Vec<RigError>> {
        self.rig.set_safety(node, safety.clone());
        self.rebuild(Rebuild::Safety { node: self.rig.name_of(node).into(), to: safety })
    }

    /// Puts nodes together in another way.
    ///
    /// # Errors
    /// If something is wrong with the rig.
    pub fn set_fusion(&mut self, fusion: Fusion) -> Result<(), Vec<RigError>> {
        self.settings.fusion = Some(fusion);
        self.rebuild(Rebuild::Fusion(fusion))
    }

    /// Says what runs on several workers, the graph or the insides of nodes: a switch for whoever looks for a mistake. Values are the
    /// same.
    ///
    /// # Errors
    /// If something is wrong with the rig.
    pub fn set_threading(&mut self, threading: Threading) -> Result<(), Vec<RigError>> {
        self.settings.threading = threading;
        self.rebuild(Rebuild::Threading(threading))
    }

    pub(super) fn rebuild(&mut self, why: Rebuild) -> Result<(), Vec<RigError>> {
        let structure =
            Structure::new(&self.rig, self.settings.fusion, self.backend.workers, self.settings.threading)?;
        self.cache.clear(&mut *self.backend.executor);
        let before: Vec<Vec<f64>> = self.states.iter().map(|s| self.store.read(s.fixed).to_vec()).collect();
        let at_before = self.structure.control_at.clone();
        self.structure = Arc::new(structure);
        self.requests = vec![self.structure.outputs.clone()];
        (self.requested, self.request) = (self.structure.outputs.clone(), 0);
        self.dirts = Dirts::new(self.structure.n_attributes());
        self.plans = Plans::default();
        self.key = Key::new(self.settings.frames, &self.structure);
        self.version += 1;
        self.lay_down();
        // Controls are only ever added.
        for (state, values) in self.states.iter().zip(&before) {
            let fixed = self.store.write(state.fixed);
            for ((control, from), to) in
                self.rig.controls.iter().zip(&at_before).zip(&self.structure.control_at)
            {
                let (from, to, n) = (*from as usize, *to as usize, control.of.len());
                fixed[to..to + n].copy_from_slice(&values[from..from + n]);
            }
        }
        debug_assert!(self.states.iter().all(|s| s.edited == no_edits(&self.rig)), "states are new");
        self.note(why);
        Ok(())
    }
}

impl Evaluator {
    /// Notes what a new recording is for.
    pub(super) fn note_recorded(&mut self) {
        if self.key.what != What::All {
            return;
        }
        let of =
            |edited: &BitSet| edited.iter().map(|c| self.rig.controls[c].name.clone()).collect::<Vec<_>>();
        let mut edited: Vec<String> = self.key.frames.iter().flat_map(|f| of(&f.edited)).collect();
        edited.sort_unstable();
        edited.dedup();
        let stands = self.key.frames[0].branches.clone();
        let name = |k: usize| {
            let node = self.structure.node_of[self.structure.switches[k] as usize];
            self.rig.name_of(node).to_owned()
        };
        let turned = (0..stands.len()).filter(|&k| self.stood.get(k).is_some_and(|b| *b != stands[k]));
        let switches: Vec<String> = turned.map(name).collect();
        self.stood = stands;
        self.note(Rebuild::Recorded { edited, request: self.request, switches });
    }
}
