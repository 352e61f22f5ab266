//! A desktop for one program: Xvfb on a display of its own, with keys and a mouse, steered by the X protocol.

use std::io::{BufRead, BufReader, IoSlice};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::xproto::{self, ConnectionExt as _, InputFocus, Window};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::program::{has_no_driver, text};
use crate::weft;

/// Longer than anything here takes, on a machine that others use as well; only a test that fails waits for it.
pub const TRIES: u32 = 6000;
pub const BETWEEN: Duration = Duration::from_millis(50);

/// A display with one program on it; both end with it.
pub struct Desktop {
    pub server: Child,
    pub program: Child,
    pub x: RustConnection,
    pub root: Window,
    pub window: Window,
}

impl Drop for Desktop {
    fn drop(&mut self) {
        // They may have ended already.
        let _ = self.program.kill();
        let _ = self.program.wait();
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Desktop {
    /// Starts the program on a display of its own; none, with a line that says why, where that is impossible here.
    pub fn start(arguments: &[&str]) -> Option<Self> {
        let server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut server) = server else {
            println!(
                "SKIPPED: Xvfb is not installed (Debian: xvfb, and for kiss3d libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0)"
            );
            return None;
        };
        let mut line = String::new();
        let stdout = server.stdout.take().expect("it was asked for");
        BufReader::new(stdout).read_line(&mut line).expect("Xvfb says its display");
        let display = format!(":{}", line.trim());
        let (x, screen) = x11rb::connect(Some(&display)).expect("Xvfb answers");
        let root = x.setup().roots[screen].root;
        let mut program = weft();
        program.env("DISPLAY", &display).env("LP_NUM_THREADS", "1").arg("view").args(arguments);
        let program = program.stderr(Stdio::piped()).spawn().expect("it starts");
        let mut desktop = Self { server, program, x, root, window: root };
        desktop.await_window().then_some(desktop)
    }

    /// Waits for the program's window, and gives it the keyboard, as a window manager would.
    fn await_window(&mut self) -> bool {
        for _ in 0..TRIES {
            if let Some(status) = self.program.try_wait().expect("it can be asked") {
                let stderr = self.said();
                assert!(has_no_driver(&stderr), "{status}: {stderr}");
                return false;
            }
            let tree = self.x.query_tree(self.root).expect("sent").reply().expect("answered");
            let is_shown = |w: &Window| {
                let attributes = self.x.get_window_attributes(*w).ok().and_then(|c| c.reply().ok());
                attributes.is_some_and(|a| a.map_state == xproto::MapState::VIEWABLE)
            };
            if let Some(window) = tree.children.into_iter().find(is_shown) {
                self.window = window;
                let focus = self.x.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME);
                focus.expect("sent").check().expect("it takes the keyboard");
                return true;
            }
            std::thread::sleep(BETWEEN);
        }
        panic!("no window appeared");
    }

    /// XTEST's `FakeInput`, byte by byte: with x11rb's own feature for it, kiss3d's tree would be built twice.
    fn fake(&self, kind: u8, detail: u8, at: [i16; 2]) {
        const FAKE_INPUT: u8 = 2;
        const WORDS: usize = 9;
        let name = self.x.query_extension(b"XTEST").expect("sent").reply().expect("answered");
        assert!(name.present, "Xvfb has the extension XTEST");
        let mut request = [0; 4 * WORDS];
        request[..6].copy_from_slice(&[name.major_opcode, FAKE_INPUT, 0, 0, kind, detail]);
        request[2..4].copy_from_slice(&(WORDS as u16).to_ne_bytes());
        request[12..16].copy_from_slice(&self.root.to_ne_bytes());
        request[24..26].copy_from_slice(&at[0].to_ne_bytes());
        request[26..28].copy_from_slice(&at[1].to_ne_bytes());
        self.x
            .send_request_without_reply(&[IoSlice::new(&request)], Vec::new())
            .expect("sent")
            .check()
            .expect("done");
        self.x.sync().expect("answered");
    }

    /// Presses and releases a key, by what is on it.
    pub fn key(&self, symbol: u32) {
        self.hold(symbol, true);
        self.hold(symbol, false);
    }

    /// Presses or releases a key, by what is on it.
    pub fn hold(&self, symbol: u32, down: bool) {
        let setup = self.x.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let map =
            self.x.get_keyboard_mapping(first, last - first + 1).expect("sent").reply().expect("answered");
        let per = usize::from(map.keysyms_per_keycode);
        let at = map.keysyms.chunks(per).position(|s| s.first() == Some(&symbol)).expect("a key for it");
        let kind = if down { xproto::KEY_PRESS_EVENT } else { xproto::KEY_RELEASE_EVENT };
        self.fake(kind, first + at as u8, [0, 0]);
    }

    /// Moves the mouse.
    pub fn point(&self, at: [i16; 2]) {
        self.fake(xproto::MOTION_NOTIFY_EVENT, 0, at);
    }

    /// Presses or releases a button: 1 left, 2 middle, 3 right, 4 wheel up, 5 wheel down.
    pub fn button(&self, button: u8, down: bool) {
        let kind = if down { xproto::BUTTON_PRESS_EVENT } else { xproto::BUTTON_RELEASE_EVENT };
        self.fake(kind, button, [0, 0]);
    }

    /// What the program wrote to its errors, once it has ended.
    pub fn said(&mut self) -> String {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = self.program.stderr.take() {
            std::io::Read::read_to_end(&mut pipe, &mut bytes).expect("it is read");
        }
        text(&bytes)
    }

    /// Waits until the program has ended, and returns its exit code.
    pub fn end(&mut self) -> Option<i32> {
        for _ in 0..TRIES {
            if let Some(status) = self.program.try_wait().expect("it can be asked") {
                return status.code();
            }
            std::thread::sleep(BETWEEN);
        }
        panic!("it does not end");
    }
}
