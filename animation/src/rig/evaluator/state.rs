//! One frame's state: its values, and what of them is out of date.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::data::{Data, DataList, ObjectId, Resource, Role, Store};

use super::dirts::{DirtId, Dirts};
use crate::rig::bits::BitSet;
use crate::rig::structure::{From, Guard, Structure};

/// The buffers of one frame, and what of it is out of date.
pub(super) struct State {
    /// Controls and constants.
    pub(super) fixed: Data<f64>,
    /// Outputs of nodes, by block.
    pub(super) values: Vec<Data<f64>>,
    /// Which inputs each node read, by block; empty unless they are counted.
    pub(super) reads: Vec<Data<u64>>,
    /// What each block reads of others, if these are many.
    pub(super) lists: Vec<Option<DataList<f64>>>,
    /// The controls that were set since the last evaluation.
    pub(super) edited: BitSet,
    /// What else is out of date.
    pub(super) dirt: DirtId,
    /// Which branch each switch takes; [`u32::MAX`] where it is not known.
    pub(super) branches: Vec<u32>,
    /// Set by whoever no longer wants the frame that is being evaluated.
    pub(super) cancel: Arc<AtomicBool>,
}

/// What guards are in the engine.
pub(super) struct Guards {
    /// What each task looks at, and a task that tolerates no other one changes.
    pub(super) everything: Data<u8>,
    pub(super) groups: Vec<Resource>,
    /// By block: what keeps it from running in two frames at once.
    pub(super) one_frame: Vec<Option<Resource>>,
}

/// Blocks that read more than so many others read a list.
pub(super) const FEW: usize = 4;

impl State {
    pub(super) fn new(s: &Structure, store: &mut Store, frame: usize, count_reads: bool) -> Self {
        let object = |block: usize| ObjectId((frame * s.blocks.len() + block) as u32);
        Self::at(s, store, object, count_reads)
    }

    /// The same with other objects for its blocks.
    pub(super) fn at(
        s: &Structure,
        store: &mut Store,
        object: impl Fn(usize) -> ObjectId,
        count_reads: bool,
    ) -> Self {
        let fixed = store.create("controls", object(0), Role::Scratch, s.fixed.clone());
        let mut values = Vec::with_capacity(s.blocks.len());
        let mut reads = Vec::with_capacity(s.blocks.len());
        for (k, block) in s.blocks.iter().enumerate() {
            let len = block.len as usize;
            values.push(store.create("values", object(k), Role::Scratch, vec![0.0; len]));
            let n = if count_reads { block.steps.len() } else { 0 };
            reads.push(store.create("reads", object(k), Role::Scratch, vec![0_u64; n]));
        }
        let list = |store: &mut Store, before: &[u32]| {
            let buffers: Vec<_> = before.iter().map(|&b| values[b as usize]).collect();
            (buffers.len() > FEW).then(|| store.list(&buffers))
        };
        let lists = s.blocks.iter().map(|b| list(store, &b.before)).collect();
        let n_controls = s.control_at.len();
        let branches = vec![u32::MAX; s.switches.len()];
        let cancel = Arc::new(AtomicBool::new(false));
        let edited = BitSet::new(n_controls);
        Self { fixed, values, reads, lists, edited, dirt: Dirts::ALL, branches, cancel }
    }

    /// The value of a switch's index, wherever it comes from.
    pub(super) fn index(&self, s: &Structure, store: &Store, switch: usize) -> f64 {
        let step = &s.code.steps[s.switches[switch] as usize];
        match s.from[step.first_input as usize] {
            From::Fixed(at) => store.read(self.fixed)[at as usize],
            From::Attribute(attribute) => {
                let (block, range) = s.place_of(attribute);
                store.read(self.values[block as usize])[range][0]
            }
        }
    }
}

impl Guards {
    pub(super) fn new(s: &Structure, store: &mut Store, frames: usize) -> Self {
        Self::at(s, store, ObjectId(0), frames)
    }

    /// The same with what is looked at in an object.
    pub(super) fn at(s: &Structure, store: &mut Store, object: ObjectId, frames: usize) -> Self {
        let everything = store.create("everything", object, Role::Scratch, vec![0_u8]);
        let groups = s.groups.iter().map(|name| store.resource(name.clone())).collect();
        let one_frame = s.blocks.iter().map(|b| {
            let is_asked = b.is_one_frame && frames > 1 && b.guard == Guard::None;
            is_asked.then(|| store.resource("one frame"))
        });
        Self { everything, groups, one_frame: one_frame.collect() }
    }
}
