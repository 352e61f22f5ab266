//! HAnimMotion and HAnimPose. HAnimMotion: recorded motion, frame by frame, for the joints of the humanoid that has it.
//!
//! A frame lasts `frameDuration`; between two frames nothing is interpolated. Rotations are in degrees, about the channels' axes in their order, the last
//! one first. An `endFrame` of 0, or behind the last frame, is the last frame. A motion begins when it is loaded or enabled.
//!
//! **Source:** ISO/IEC 19775-1 (X3D 4), 26.3.4, *HAnimMotion*; ISO/IEC 19774-2, *Motion data animation*.

mod channels;
mod pose;

use std::sync::Arc;

use super::port::ports;
use crate::event::behaviour::{Behaviour, Reach, Turn};
use crate::event::field::Value;
use crate::event::scene::EventScene;
use crate::event::{FieldId, NodeId};
use channels::{Channels, Kind};

ports! {
    struct Ports {
        enabled: SFBool = "enabled",
        joints: SFString = "joints",
        channels_enabled: MFBool = "channelsEnabled",
        channels: SFString = "channels",
        values: MFFloat = "values",
        looped: SFBool = "loop",
        next: SFBool = "next",
        previous: SFBool = "previous",
        index: SFInt32 = "frameIndex",
        duration: SFTime = "frameDuration",
        increment: SFInt32 = "frameIncrement",
        first: SFInt32 = "startFrame",
        last: SFInt32 = "endFrame",
        cycle_time: SFTime = "cycleTime",
        elapsed_time: SFTime = "elapsedTime",
        count: SFInt32 = "frameCount",
    }
}

/// The node's behaviour; none for other types.
pub(super) fn behaviour_of(scene: &EventScene, node: NodeId) -> Option<Box<dyn Behaviour>> {
    let node_type = &scene.node(node).node_type;
    match &*node_type.name {
        "HAnimMotion" => {}
        "HAnimPose" => return pose::behaviour_of(scene, node),
        _ => return None,
    }
    Some(Box::new(Motion {
        ports: Ports::of(node_type)?,
        skeleton: skeleton_of(scene, node).into(),
        channels: Arc::default(),
        began: None,
        cycle: -1.0,
        shown: None,
        said: false,
    }))
}

/// The nodes in a field of a node.
fn nodes_of(scene: &EventScene, node: NodeId, name: &str) -> Vec<NodeId> {
    let it = scene.node(node);
    match it.node_type.field(name).and_then(|f| it.values.get(f.0 as usize)) {
        Some(Value::MFNode(all)) => all.iter().flatten().copied().collect(),
        _ => Vec::new(),
    }
}

/// The children of a node.
fn children_of(scene: &EventScene, node: NodeId) -> Vec<NodeId> {
    nodes_of(scene, node, "children")
}

/// Joints by name of the humanoid that has a motion or a pose; of a pose that stands elsewhere, of the only humanoid.
fn skeleton_of(scene: &EventScene, motion: NodeId) -> Vec<(String, NodeId)> {
    let nodes_of = |node: NodeId, name: &str| nodes_of(scene, node, name);
    let is_humanoid = |k: &u32| &*scene.node(NodeId(*k)).node_type.name == "HAnimHumanoid";
    let has_it = |k: &u32| {
        is_humanoid(k)
            && ["motions", "poses", "children"].iter().any(|f| nodes_of(NodeId(*k), f).contains(&motion))
    };
    let ids = || 0..scene.nodes.len() as u32;
    let the_only_one = || {
        let mut all = ids().filter(is_humanoid);
        let first = all.next().filter(|_| &*scene.node(motion).node_type.name == "HAnimPose")?;
        all.next().is_none().then_some(first)
    };
    let Some(humanoid) = ids().find(has_it).or_else(the_only_one).map(NodeId) else { return Vec::new() };
    let mut joints = Vec::new();
    let mut seen = vec![false; scene.nodes.len()];
    let mut open = [nodes_of(humanoid, "skeleton"), nodes_of(humanoid, "joints")].concat();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node.0 as usize], true) {
            continue;
        }
        let it = scene.node(node);
        if let (true, Some(Value::SFString(name))) = (
            &*it.node_type.name == "HAnimJoint",
            it.node_type.field("name").and_then(|f| it.values.get(f.0 as usize)),
        ) {
            joints.push((name.trim().to_owned(), node));
        }
        open.extend(nodes_of(node, "children"));
    }
    joints
}

#[derive(Clone)]
struct Motion {
    ports: Ports,
    skeleton: Arc<[(String, NodeId)]>,
    channels: Arc<Channels>,
    /// When the first frame of the first cycle was due.
    began: Option<f64>,
    cycle: f64,
    shown: Option<usize>,
    said: bool,
}

impl Motion {
    fn read(&mut self, turn: &mut dyn Turn) {
        let p = self.ports;
        let (joints, words) = (p.joints.get(turn), p.channels.get(turn));
        let channels = Channels::read(&joints, &words, p.channels_enabled.get(turn), |name| {
            let same = |known: &str| known == name || (name == "HumanoidRoot" && known == "humanoid_root");
            self.skeleton.iter().find(|(known, _)| same(known)).map(|(_, node)| *node)
        });
        self.channels = Arc::new(channels);
        let missing = self.channels.missing.join(", ");
        if !missing.is_empty() {
            turn.complain(format_args!("its humanoid has no joints {missing}"));
        }
        let count = self.n_frames(turn);
        p.count.send(turn, count as i32);
        self.shown = None;
    }
    fn n_frames(&self, turn: &dyn Turn) -> usize {
        self.ports.values.get(turn).len().checked_div(self.channels.n_numbers).unwrap_or(0)
    }
    /// The frames that are played: first and last.
    fn range(&self, turn: &dyn Turn) -> Option<(usize, usize)> {
        let end = self.n_frames(turn).checked_sub(1)?;
        let frame = |n: i32| usize::try_from(n).unwrap_or(0).min(end);
        let (first, last) = (frame(self.ports.first.get(turn)), frame(self.ports.last.get(turn)));
        let last = if last == 0 { end } else { last };
        Some((first.min(last), first.max(last)))
    }
    /// Shows a frame: moves the joints.
    fn show(&mut self, frame: usize, turn: &mut dyn Turn) {
        if self.shown.replace(frame) == Some(frame) {
            return;
        }
        let n = self.channels.n_numbers;
        let Some(numbers) = self.ports.values.get(turn).get(frame * n..(frame + 1) * n) else { return };
        let poses: Vec<(NodeId, Kind, Value)> = self.channels.poses(numbers);
        if self.ports.index.get(turn) != frame as i32 {
            self.ports.index.send(turn, frame as i32);
        }
        let mut refused = false;
        match turn.graph() {
            Some(graph) => {
                for (joint, kind, value) in poses {
                    let field = graph.node_type(joint).and_then(|t| t.field(kind.field()));
                    refused |= field.is_none_or(|field| graph.send_to(joint, field, value).is_err());
                }
            }
            None => refused = !poses.is_empty(),
        }
        if refused && !std::mem::replace(&mut self.said, true) {
            turn.complain(format_args!("a joint cannot be moved"));
        }
    }
    /// Goes on from a frame at this time.
    fn go_on_from(&mut self, frame: i64, turn: &mut dyn Turn) {
        let Some((first, last)) = self.range(turn) else { return };
        let span = (last - first) as i64 + 1;
        let looped = self.ports.looped.get(turn);
        let inside = frame - first as i64;
        let place = if looped { inside.rem_euclid(span) } else { inside.clamp(0, span - 1) };
        let (step, now) = (i64::from(self.ports.increment.get(turn)).abs().max(1), turn.time());
        let backwards = self.ports.increment.get(turn) < 0;
        let steps = if backwards { span - 1 - place } else { place } / step;
        self.began = Some(now - steps as f64 * self.ports.duration.get(turn));
        self.cycle = 0.0;
        self.show(first + place as usize, turn);
    }
}

impl Behaviour for Motion {
    fn reach(&self) -> Reach {
        Reach::Graph
    }
    fn initialize(&mut self, turn: &mut dyn Turn) {
        self.read(turn);
    }
    fn is_time_dependent(&self) -> bool {
        true
    }
    fn tick(&mut self, turn: &mut dyn Turn) {
        let p = self.ports;
        let (Some((first, last)), true) = (self.range(turn), p.enabled.get(turn)) else { return };
        let (duration, increment, now) = (p.duration.get(turn), p.increment.get(turn), turn.time());
        if !(duration > 0.0 && duration.is_finite()) {
            if !std::mem::replace(&mut self.said, true) {
                turn.complain(format_args!("frameDuration is {duration}, and must be greater than 0"));
            }
            return;
        }
        if increment == 0 {
            let index = usize::try_from(p.index.get(turn)).unwrap_or(0).clamp(first, last);
            return self.show(index, turn);
        }
        let began = *self.began.get_or_insert(now);
        let size = increment.unsigned_abs() as usize;
        let n_steps = ((last - first) / size + 1) as f64;
        let step = ((now - began) / duration).floor().max(0.0);
        let (cycle, within) = ((step / n_steps).floor(), step % n_steps);
        let over = cycle >= 1.0 && !p.looped.get(turn);
        let within = if over { n_steps - 1.0 } else { within };
        if over && self.cycle >= 1.0 {
            return;
        }
        if cycle > self.cycle {
            self.cycle = cycle;
            if !over {
                p.cycle_time.send(turn, began + cycle * n_steps * duration);
            }
        }
        let way = within as usize * size;
        self.show(if increment > 0 { first + way } else { last - way }, turn);
        p.elapsed_time.send(turn, now - began);
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        let p = self.ports;
        if p.joints.is(field) || p.channels.is(field) || p.values.is(field) || p.channels_enabled.is(field) {
            self.read(turn);
        } else if p.enabled.is(field) {
            (self.began, self.cycle) = (None, -1.0);
        } else if p.index.is(field) {
            let index = i64::from(p.index.get(turn));
            self.go_on_from(index, turn);
        } else if (p.next.is(field) && p.next.get(turn)) || (p.previous.is(field) && p.previous.get(turn)) {
            let step = i64::from(p.increment.get(turn).abs().max(1));
            let shown = self.shown.unwrap_or(0) as i64;
            self.go_on_from(if p.next.is(field) { shown + step } else { shown - step }, turn);
        }
    }
}
