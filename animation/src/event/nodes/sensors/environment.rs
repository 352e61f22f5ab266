//! What is near, seen, hit or loaded: ProximitySensor, TransformSensor, VisibilitySensor, Collision, LoadSensor, and LOD's level.

use super::super::port::{Port, SFBool, SFRotation, SFTime, SFVec3f, ports};
use super::ray::{Vec3, length, sub};
use crate::event::FieldId;
use crate::event::behaviour::{Behaviour, Turn};
use crate::event::host::{HostEvent, Loading};
use crate::event::scene::NodeType;

pub(super) fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    match &*node_type.name {
        name @ ("ProximitySensor" | "TransformSensor") => Some(Box::new(Near {
            of_viewer: name == "ProximitySensor",
            center: Some(Port::of(node_type, "center")?),
            ..Near::without_center(node_type)?
        })),
        "VisibilitySensor" => Some(Box::new(Seen { presence: Presence::of(node_type)? })),
        "Collision" => Some(Box::new(Collision { ports: CollisionPorts::of(node_type)?, colliding: false })),
        "LoadSensor" => {
            Some(Box::new(Load { ports: LoadPorts::of(node_type)?, states: Vec::new(), active: false }))
        }
        "LOD" => Some(Box::new(Level { ports: LevelPorts::of(node_type)?, level: None })),
        _ => None,
    }
}

/// Whether something is there, and since when it has been or not.
#[derive(Clone, Copy)]
struct Presence {
    enabled: Port<SFBool>,
    is_active: Port<SFBool>,
    enter: Port<SFTime>,
    exit: Port<SFTime>,
    there: bool,
}

impl Presence {
    fn of(node_type: &NodeType) -> Option<Self> {
        Some(Self {
            enabled: Port::of(node_type, "enabled")?,
            is_active: Port::of(node_type, "isActive")?,
            enter: Port::of(node_type, "enterTime")?,
            exit: Port::of(node_type, "exitTime")?,
            there: false,
        })
    }
    fn update(&mut self, turn: &mut dyn Turn, there: bool) {
        if std::mem::replace(&mut self.there, there) == there {
            return;
        }
        let now = turn.time();
        self.is_active.say(turn, there);
        if there { self.enter } else { self.exit }.send(turn, now);
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        if self.enabled.is(field) && !self.enabled.get(turn) {
            self.update(turn, false);
        }
    }
}

/// The viewer, or a target, in a box.
#[derive(Clone, Copy)]
pub(in crate::event::nodes) struct Near {
    of_viewer: bool,
    presence: Presence,
    center: Option<Port<SFVec3f>>,
    /// The middle of a box that no field gives.
    pub(in crate::event::nodes) middle: Vec3,
    size: Port<SFVec3f>,
    position: Port<SFVec3f>,
    orientation: Port<SFRotation>,
    center_of_rotation: Option<Port<SFVec3f>>,
    /// Where it was last, and what the viewer looked at if it looks at something.
    at: Option<(Vec3, [f32; 4], Option<Vec3>)>,
}

impl Near {
    /// Of the viewer, in a box whose middle [`Near::middle`] says.
    pub(in crate::event::nodes) fn without_center(node_type: &NodeType) -> Option<Self> {
        Some(Self {
            of_viewer: true,
            presence: Presence::of(node_type)?,
            center: None,
            middle: [0.0; 3],
            size: Port::of(node_type, "size")?,
            position: Port::of(node_type, "position_changed")?,
            orientation: Port::of(node_type, "orientation_changed")?,
            // Came with X3D 3.
            center_of_rotation: Port::of(node_type, "centerOfRotation_changed"),
            at: None,
        })
    }
    /// Whether something is in the box.
    pub(in crate::event::nodes) fn is_active(&self) -> bool {
        self.presence.there
    }
    fn inside(&self, turn: &dyn Turn, position: Vec3) -> bool {
        let center = self.center.map_or(self.middle, |port| port.get(turn));
        let (size, from) = (self.size.get(turn), sub(position, center));
        // A box without extent in any direction holds nothing.
        (0..3).all(|k| size[k] > 0.0 && from[k].abs() <= size[k] / 2.0)
    }
}

impl Behaviour for Near {
    fn host(&mut self, event: &HostEvent, turn: &mut dyn Turn) {
        let (position, orientation, center) = match *event {
            HostEvent::Viewer { position, orientation, center_of_rotation } if self.of_viewer => {
                (position, orientation, center_of_rotation)
            }
            HostEvent::Target { position, orientation } if !self.of_viewer => (position, orientation, None),
            _ => return,
        };
        if !self.presence.enabled.get(turn) {
            return;
        }
        let inside = self.inside(turn, position);
        self.presence.update(turn, inside);
        let was = self.at.take();
        if !inside && was.is_none() {
            return;
        }
        // Who comes and who goes says all of it, the time of going included.
        let known = was.filter(|_| inside);
        if known.is_none_or(|w| w.0 != position) {
            self.position.send(turn, position);
        }
        if known.is_none_or(|w| w.1 != orientation) {
            self.orientation.send(turn, orientation);
        }
        if let (Some(port), Some(center)) = (self.center_of_rotation, center)
            && known.is_none_or(|w| w.2 != Some(center))
        {
            port.send(turn, center);
        }
        self.at = inside.then_some((position, orientation, center));
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        self.presence.receive(field, turn);
        if !self.presence.there {
            self.at = None;
        }
    }
}

/// A box in the viewer's sight.
#[derive(Clone, Copy)]
struct Seen {
    presence: Presence,
}

impl Behaviour for Seen {
    fn host(&mut self, event: &HostEvent, turn: &mut dyn Turn) {
        if let HostEvent::Visible(visible) = *event
            && self.presence.enabled.get(turn)
        {
            self.presence.update(turn, visible);
        }
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        self.presence.receive(field, turn);
    }
}

ports! {
    struct CollisionPorts {
        enabled: SFBool = "enabled",
        is_active: SFBool = "isActive",
        time: SFTime = "collideTime",
    }
}

/// The viewer against a geometry.
#[derive(Clone, Copy)]
struct Collision {
    ports: CollisionPorts,
    colliding: bool,
}

impl Behaviour for Collision {
    fn host(&mut self, event: &HostEvent, turn: &mut dyn Turn) {
        let HostEvent::Colliding(colliding) = *event else { return };
        let p = self.ports;
        if !p.enabled.get(turn) || std::mem::replace(&mut self.colliding, colliding) == colliding {
            return;
        }
        p.is_active.say(turn, colliding);
        if colliding {
            let now = turn.time();
            p.time.send(turn, now);
        }
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        let p = self.ports;
        if p.enabled.is(field) && !p.enabled.get(turn) && std::mem::take(&mut self.colliding) {
            p.is_active.say(turn, false);
        }
    }
}

ports! {
    struct LoadPorts {
        enabled: SFBool = "enabled",
        is_active: SFBool = "isActive",
        is_loaded: SFBool = "isLoaded",
        time: SFTime = "loadTime",
        progress: SFFloat = "progress",
    }
}

/// Files on their way: active until all children the host has spoken of are there or have failed; loaded if none has failed.
#[derive(Clone)]
struct Load {
    ports: LoadPorts,
    /// How far each child is.
    states: Vec<Loading>,
    active: bool,
}

impl Behaviour for Load {
    fn host(&mut self, event: &HostEvent, turn: &mut dyn Turn) {
        let HostEvent::Load(news) = event else { return };
        let p = self.ports;
        // More children than any file has would be a mistake of the host's.
        let is_known = |&&(child, _): &&(u32, Loading)| child < 1 << 16;
        let Some(most) = news.iter().filter(is_known).map(|n| n.0 as usize).max() else { return };
        if !p.enabled.get(turn) {
            return;
        }
        if self.states.len() <= most {
            self.states.resize(most + 1, Loading::Progress(0.0));
        }
        for &(child, state) in news.iter().filter(is_known) {
            self.states[child as usize] = state;
        }
        let done = |s: &Loading| match s {
            Loading::Progress(f) => f.clamp(0.0, 1.0),
            Loading::Loaded | Loading::Failed => 1.0,
        };
        let open = self.states.iter().any(|s| matches!(s, Loading::Progress(_)));
        if open && !std::mem::replace(&mut self.active, true) {
            p.is_active.say(turn, true);
        }
        let progress = self.states.iter().map(done).sum::<f32>() / self.states.len() as f32;
        p.progress.send(turn, progress);
        if open {
            return;
        }
        if std::mem::take(&mut self.active) {
            p.is_active.say(turn, false);
        }
        let loaded = self.states.iter().all(|s| *s == Loading::Loaded);
        p.is_loaded.say(turn, loaded);
        if loaded {
            let now = turn.time();
            p.time.send(turn, now);
        }
    }
    fn receive(&mut self, _field: FieldId, _turn: &mut dyn Turn) {}
}

ports! {
    struct LevelPorts {
        center: SFVec3f = "center",
        range: MFFloat = "range",
        level: SFInt32 = "level_changed",
    }
}

/// The level of detail that the viewer's distance asks for.
#[derive(Clone, Copy)]
struct Level {
    ports: LevelPorts,
    level: Option<i32>,
}

impl Behaviour for Level {
    fn host(&mut self, event: &HostEvent, turn: &mut dyn Turn) {
        let HostEvent::Viewer { position, .. } = *event else { return };
        let p = self.ports;
        let distance = length(sub(position, p.center.get(turn)));
        let level = p.range.get(turn).iter().take_while(|r| distance >= **r).count() as i32;
        if self.level.replace(level) != Some(level) {
            p.level.send(turn, level);
        }
    }
    fn receive(&mut self, _field: FieldId, _turn: &mut dyn Turn) {}
}
