//! kiss3d's events in our words.

use kiss3d::event::{Action, Key as K, Modifiers, MouseButton, WindowEvent};

use crate::app::{Button, Input, Key};

/// What an event means, if anything.
pub(super) fn input(event: &WindowEvent) -> Option<Input> {
    Some(match *event {
        WindowEvent::Key(key, Action::Press, modifiers) => {
            // Control and a letter is something else than the letter.
            let plain = !modifiers.intersects(Modifiers::Control | Modifiers::Alt | Modifiers::Super);
            Input::Key(self::key(key).filter(|_| plain)?)
        }
        WindowEvent::MouseButton(button, Action::Press, modifiers) => {
            Input::Press(self::button(button)?, modifiers.intersects(Modifiers::Shift | Modifiers::Control))
        }
        WindowEvent::MouseButton(button, Action::Release, _) => Input::Release(self::button(button)?),
        WindowEvent::CursorPos(x, y, _) => Input::Move([x, y]),
        WindowEvent::Scroll(_, y, _) => Input::Scroll(y / PER_NOTCH),
        WindowEvent::FramebufferSize(width, height) => Input::Size([f64::from(width), f64::from(height)]),
        _ => return None,
    })
}

/// kiss3d's measure of one notch of the wheel.
const PER_NOTCH: f64 = 10.0;

fn button(button: MouseButton) -> Option<Button> {
    Some(match button {
        MouseButton::Button1 => Button::Left,
        MouseButton::Button2 => Button::Right,
        MouseButton::Button3 => Button::Middle,
        _ => return None,
    })
}

fn key(key: K) -> Option<Key> {
    const LETTERS: &[(K, char)] = &[
        (K::B, 'b'),
        (K::C, 'c'),
        (K::E, 'e'),
        (K::F, 'f'),
        (K::G, 'g'),
        (K::H, 'h'),
        (K::K, 'k'),
        (K::L, 'l'),
        (K::M, 'm'),
        (K::N, 'n'),
        (K::P, 'p'),
        (K::R, 'r'),
        (K::S, 's'),
        (K::T, 't'),
        (K::W, 'w'),
        (K::X, 'x'),
    ];
    const DIGITS: &[(K, u8)] =
        &[(K::Key1, 1), (K::Key2, 2), (K::Key3, 3), (K::Key4, 4), (K::Key5, 5), (K::Key6, 6)];
    match key {
        K::Space => Some(Key::Space),
        K::Escape => Some(Key::Escape),
        _ => {
            let letter = LETTERS.iter().find(|(k, _)| *k == key).map(|(_, c)| Key::Letter(*c));
            letter.or_else(|| DIGITS.iter().find(|(k, _)| *k == key).map(|(_, d)| Key::Digit(*d)))
        }
    }
}
