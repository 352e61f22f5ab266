//! kiss3d's events in our words.

use kiss3d::event::{Action, Key as K, Modifiers, MouseButton, WindowEvent};

use crate::app::{Button, Input, Key};
use crate::snapshot::Steer;
use crate::viewpoint::Typed;

/// What an event means, if anything. A key may mean something for the scene, something for the window, or both.
pub(super) fn inputs(event: &WindowEvent) -> [Option<Input>; 2] {
    match *event {
        WindowEvent::Key(key, action, modifiers) => {
            let is_shifted = modifiers.intersects(Modifiers::Shift);
            let typed = typed(key, is_shifted).map(|typed| Input::Type(typed, action == Action::Press));
            let control = modifiers.intersects(Modifiers::Control);
            let is_down = action == Action::Press && !modifiers.intersects(Modifiers::Alt | Modifiers::Super);
            [typed, self::key(key).filter(|_| is_down).map(|key| Input::Key(key, control))]
        }
        _ => [input(event), None],
    }
}

fn input(event: &WindowEvent) -> Option<Input> {
    Some(match *event {
        WindowEvent::MouseButton(button, Action::Press, modifiers) => {
            Input::Press(self::button(button)?, modifiers.intersects(Modifiers::Shift | Modifiers::Control))
        }
        WindowEvent::MouseButton(button, Action::Release, _) => Input::Release(self::button(button)?),
        WindowEvent::CursorPos(x, y, _) => Input::Move([x, y]),
        WindowEvent::CursorEnter(false) => Input::Leave,
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
        (K::U, 'u'),
        (K::W, 'w'),
        (K::X, 'x'),
    ];
    const DIGITS: &[(K, u8)] =
        &[(K::Key1, 1), (K::Key2, 2), (K::Key3, 3), (K::Key4, 4), (K::Key5, 5), (K::Key6, 6)];
    match key {
        K::Space => Some(Key::Space),
        K::Escape => Some(Key::Escape),
        K::Up => Some(Key::Arrow(Steer::Faster)),
        K::Down => Some(Key::Arrow(Steer::Slower)),
        K::Left => Some(Key::Arrow(Steer::Left)),
        K::Right => Some(Key::Arrow(Steer::Right)),
        _ => {
            let letter = LETTERS.iter().find(|(k, _)| *k == key).map(|(_, c)| Key::Letter(*c));
            letter.or_else(|| DIGITS.iter().find(|(k, _)| *k == key).map(|(_, d)| Key::Digit(*d)))
        }
    }
}

/// A key for a scene. Characters are those of an American keyboard: the window hears of keys, not of what they write.
fn typed(key: K, is_shifted: bool) -> Option<Typed> {
    const FUNCTIONS: [K; 12] =
        [K::F1, K::F2, K::F3, K::F4, K::F5, K::F6, K::F7, K::F8, K::F9, K::F10, K::F11, K::F12];
    const LETTERS: [K; 26] = [
        K::A,
        K::B,
        K::C,
        K::D,
        K::E,
        K::F,
        K::G,
        K::H,
        K::I,
        K::J,
        K::K,
        K::L,
        K::M,
        K::N,
        K::O,
        K::P,
        K::Q,
        K::R,
        K::S,
        K::T,
        K::U,
        K::V,
        K::W,
        K::X,
        K::Y,
        K::Z,
    ];
    const OTHERS: &[(K, char, char)] = &[
        (K::Key1, '1', '!'),
        (K::Key2, '2', '@'),
        (K::Key3, '3', '#'),
        (K::Key4, '4', '$'),
        (K::Key5, '5', '%'),
        (K::Key6, '6', '^'),
        (K::Key7, '7', '&'),
        (K::Key8, '8', '*'),
        (K::Key9, '9', '('),
        (K::Key0, '0', ')'),
        (K::Minus, '-', '_'),
        (K::Equals, '=', '+'),
        (K::LBracket, '[', '{'),
        (K::RBracket, ']', '}'),
        (K::Semicolon, ';', ':'),
        (K::Apostrophe, '\'', '"'),
        (K::Grave, '`', '~'),
        (K::Backslash, '\\', '|'),
        (K::Comma, ',', '<'),
        (K::Period, '.', '>'),
        (K::Slash, '/', '?'),
        (K::Space, ' ', ' '),
        (K::Return, '\r', '\r'),
        (K::NumpadEnter, '\r', '\r'),
        (K::Back, '\u{8}', '\u{8}'),
        (K::Tab, '\t', '\t'),
        (K::Delete, '\u{7f}', '\u{7f}'),
    ];
    Some(match key {
        K::Home => Typed::Home,
        K::End => Typed::End,
        K::PageUp => Typed::PageUp,
        K::PageDown => Typed::PageDown,
        K::Up => Typed::Up,
        K::Down => Typed::Down,
        K::Left => Typed::Left,
        K::Right => Typed::Right,
        K::LShift | K::RShift => Typed::Shift,
        K::LControl | K::RControl => Typed::Control,
        K::LAlt | K::RAlt => Typed::Alt,
        _ => {
            if let Some(k) = FUNCTIONS.iter().position(|f| *f == key) {
                return Some(Typed::Function(k as u8 + 1));
            }
            if let Some(k) = LETTERS.iter().position(|l| *l == key) {
                let letter = char::from(b'a' + k as u8);
                return Some(Typed::Character(if is_shifted { letter.to_ascii_uppercase() } else { letter }));
            }
            let (_, plain, shifted) = OTHERS.iter().find(|(k, ..)| *k == key)?;
            Typed::Character(if is_shifted { *shifted } else { *plain })
        }
    })
}
