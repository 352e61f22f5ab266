//! Script nodes: programs in ECMAScript that files bring along.
//!
//! [`Scripts`] gives each Script of a run its behaviour. A Script's text runs in a world of its own ([`world::World`]; with QuickJS, a
//! global object per Script) with X3D's types as classes, its fields as names, and a `Browser` that knows what makes sense without one.
//! Scripts of a context share a runtime, so that no two of them run at once; what a Script does is limited in steps and memory, and counted in the same way
//! in each run.
//!
//! What a Script assigns to a field is sent when all events of the time stamp have been received, the last value of each field; that is never
//! later than the standard says, since all have one time stamp, and loses nothing if two of its functions assign to one field. A Script is evaluated at once whether
//! `mustEvaluate` or not. Setting other nodes' fields, and routes, without `directOutput` is undefined: it is done, as browsers do, and said once.
//!
//! Hues of `getHSV` and `setHSV` are in degrees. `Math.random` yields the same numbers in each run, and `Date` the scene's time.
//!
//! **Source:** ISO/IEC 19775-1, clause 29, *Scripting component*; 19777-1, *ECMAScript binding*; 14772-1, annex C.

mod check;
pub mod fragments;
pub mod limits;
mod node;
mod quickjs;
pub mod source;
pub mod world;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use animation::event::NodeId;
use animation::event::behaviour::{Behaviour, Behaviours};
use animation::event::nodes::BuiltIn;
use animation::event::scene::EventScene;

pub use check::check;

use limits::{Limits, Stop};
use node::ScriptNode;
use source::{LocalFiles, SourceLoader};
use world::World;

/// Runtimes that a run has at most: contexts beyond share them.
const MOST_WORLDS: u32 = 64;

/// A runtime, once a Script needs it.
type SharedWorld = Arc<Mutex<Option<Box<dyn World>>>>;

/// Behaviours of all Scripts of a run.
pub struct Scripts {
    limits: Limits,
    stop: Stop,
    loader: Arc<Mutex<dyn SourceLoader>>,
    worlds: BTreeMap<u32, SharedWorld>,
}

impl Default for Scripts {
    fn default() -> Self {
        Self::new(Limits::default(), LocalFiles)
    }
}

impl Scripts {
    /// Scripts with limits, whose files a loader reads.
    pub fn new(limits: Limits, loader: impl SourceLoader + 'static) -> Self {
        Self { limits, stop: Stop::default(), loader: Arc::new(Mutex::new(loader)), worlds: BTreeMap::new() }
    }

    /// Has Scripts that go on for long end once this is asked.
    pub fn stop_at(&mut self, stop: Stop) {
        self.stop = stop;
    }
}

impl Behaviours for Scripts {
    fn behaviour_of(&mut self, scene: &EventScene, node: NodeId) -> Option<Box<dyn Behaviour>> {
        let it = scene.node(node);
        if &*it.node_type.name != "Script" || it.node_type.is_prototype {
            return None;
        }
        let number = it.context.0 % MOST_WORLDS;
        let world = self.worlds.entry(number).or_default().clone();
        let base = scene.contexts.get(it.context.0 as usize).map_or("".into(), |c| c.file.clone());
        let (loader, limits) = (self.loader.clone(), (self.limits, self.stop.clone()));
        Some(Box::new(ScriptNode::new((node, it), base, (number, world), loader, limits)))
    }
}

/// Behaviours of all nodes of an X3D scene: built-in ones and Scripts.
#[derive(Default)]
pub struct AllNodes {
    /// Built-in nodes.
    pub built_in: BuiltIn,
    /// Scripts.
    pub scripts: Scripts,
}

impl Behaviours for AllNodes {
    fn behaviour_of(&mut self, scene: &EventScene, node: NodeId) -> Option<Box<dyn Behaviour>> {
        self.scripts.behaviour_of(scene, node).or_else(|| self.built_in.behaviour_of(scene, node))
    }
    fn woken(&mut self, scene: &EventScene, node: NodeId) -> Option<Box<dyn Behaviour>> {
        self.built_in.woken(scene, node)
    }
}

#[cfg(test)]
mod tests;
