//! TouchSensor.

use super::super::port::ports;
use crate::event::FieldId;
use crate::event::behaviour::{Behaviour, Turn};
use crate::event::host::{Hit, HostEvent};
use crate::event::scene::NodeType;

ports! {
    struct Ports {
        enabled: SFBool = "enabled",
        hit_normal: SFVec3f = "hitNormal_changed",
        hit_point: SFVec3f = "hitPoint_changed",
        hit_tex_coord: SFVec2f = "hitTexCoord_changed",
        is_active: SFBool = "isActive",
        is_over: SFBool = "isOver",
        touch_time: SFTime = "touchTime",
    }
}

pub(in crate::event::nodes) fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    let ports = Ports::of(node_type)?;
    Some(Box::new(TouchSensor { ports, hit: None, pressed: false, active: false }))
}

/// Touched is what was pressed and let go while the pointer was over it.
#[derive(Clone, Copy)]
struct TouchSensor {
    ports: Ports,
    /// What the pointer was over last.
    hit: Option<Hit>,
    pressed: bool,
    active: bool,
}

impl TouchSensor {
    fn let_go(&mut self, turn: &mut dyn Turn) {
        if std::mem::take(&mut self.active) {
            self.ports.is_active.say(turn, false);
        }
    }
}

impl Behaviour for TouchSensor {
    fn host(&mut self, event: &HostEvent, turn: &mut dyn Turn) {
        let HostEvent::Pointer(pointer) = event else { return };
        let p = self.ports;
        let was_pressed = std::mem::replace(&mut self.pressed, pointer.pressed);
        if !p.enabled.get(turn) {
            return;
        }
        let was = std::mem::replace(&mut self.hit, pointer.hit);
        if was.is_some() != pointer.hit.is_some() {
            p.is_over.say(turn, pointer.hit.is_some());
        }
        if let Some(hit) = pointer.hit.filter(|hit| was.as_ref() != Some(hit)) {
            p.hit_point.send(turn, hit.point);
            p.hit_normal.send(turn, hit.normal);
            p.hit_tex_coord.send(turn, hit.tex_coord);
        }
        if pointer.pressed && !was_pressed && pointer.hit.is_some() {
            self.active = true;
            p.is_active.say(turn, true);
        } else if !pointer.pressed && self.active {
            self.let_go(turn);
            if pointer.hit.is_some() {
                let now = turn.time();
                p.touch_time.send(turn, now);
            }
        }
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        // A sensor that is switched off forgets where the pointer is.
        if self.ports.enabled.is(field) && !self.ports.enabled.get(turn) {
            if self.hit.take().is_some() {
                self.ports.is_over.say(turn, false);
            }
            self.let_go(turn);
        }
    }
}
