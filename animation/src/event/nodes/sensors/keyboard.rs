//! KeySensor and StringSensor.

use std::sync::Arc;

use super::super::port::ports;
use crate::event::FieldId;
use crate::event::behaviour::{Behaviour, Turn};
use crate::event::host::{HostEvent, Key};
use crate::event::scene::NodeType;

ports! {
    struct KeyPorts {
        enabled: SFBool = "enabled",
        action_press: SFInt32 = "actionKeyPress",
        action_release: SFInt32 = "actionKeyRelease",
        alt: SFBool = "altKey",
        control: SFBool = "controlKey",
        is_active: SFBool = "isActive",
        press: SFString = "keyPress",
        release: SFString = "keyRelease",
        shift: SFBool = "shiftKey",
    }
}
ports! {
    struct StringPorts {
        enabled: SFBool = "enabled",
        deletion_allowed: SFBool = "deletionAllowed",
        entered: SFString = "enteredText",
        complete: SFString = "finalText",
        is_active: SFBool = "isActive",
    }
}

pub(super) fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    match &*node_type.name {
        "KeySensor" => Some(Box::new(KeySensor { ports: KeyPorts::of(node_type)?, down: 0 })),
        _ => Some(Box::new(StringSensor {
            ports: StringPorts::of(node_type)?,
            text: String::new(),
            active: false,
        })),
    }
}

/// Keys as they go down and up.
#[derive(Clone, Copy)]
struct KeySensor {
    ports: KeyPorts,
    /// How many are down.
    down: u32,
}

impl Behaviour for KeySensor {
    fn host(&mut self, event: &HostEvent, turn: &mut dyn Turn) {
        let HostEvent::Key { key, pressed } = event else { return };
        let p = self.ports;
        if !p.enabled.get(turn) {
            return;
        }
        let was = self.down;
        self.down = if *pressed { was + 1 } else { was.saturating_sub(1) };
        match key {
            Key::Character(c) => {
                let text: Arc<str> = c.encode_utf8(&mut [0; 4]).into();
                if *pressed { p.press } else { p.release }.send(turn, text);
            }
            Key::Action(key) => {
                if *pressed { p.action_press } else { p.action_release }.send(turn, *key as i32);
            }
            Key::Shift => p.shift.say(turn, *pressed),
            Key::Control => p.control.say(turn, *pressed),
            Key::Alt => p.alt.say(turn, *pressed),
        }
        if (was > 0) != (self.down > 0) {
            p.is_active.say(turn, *pressed);
        }
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        let p = self.ports;
        if p.enabled.is(field) && !p.enabled.get(turn) && std::mem::take(&mut self.down) > 0 {
            p.is_active.say(turn, false);
        }
    }
}

/// Text as it is written, and whole when Enter is pressed.
#[derive(Clone)]
struct StringSensor {
    ports: StringPorts,
    text: String,
    active: bool,
}

/// A text that grows for ever helps nobody.
const LONGEST: usize = 1 << 16;

impl Behaviour for StringSensor {
    fn host(&mut self, event: &HostEvent, turn: &mut dyn Turn) {
        let HostEvent::Key { key: Key::Character(c), pressed: true } = event else { return };
        let p = self.ports;
        if !p.enabled.get(turn) {
            return;
        }
        match c {
            '\r' | '\n' => {
                let text = std::mem::take(&mut self.text);
                p.complete.send(turn, text.into());
                if std::mem::take(&mut self.active) {
                    p.is_active.say(turn, false);
                }
                return;
            }
            '\u{8}' => {
                if !p.deletion_allowed.get(turn) || self.text.pop().is_none() {
                    return;
                }
            }
            c if c.is_control() || self.text.len() >= LONGEST => return,
            c => self.text.push(*c),
        }
        if !std::mem::replace(&mut self.active, true) {
            p.is_active.say(turn, true);
        }
        p.entered.send(turn, self.text.as_str().into());
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        let p = self.ports;
        if p.enabled.is(field) && !p.enabled.get(turn) {
            self.text.clear();
            if std::mem::take(&mut self.active) {
                p.is_active.say(turn, false);
            }
        }
    }
}
