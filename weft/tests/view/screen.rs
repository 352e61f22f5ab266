//! What is on a desktop's screen, and what a window manager does to the window there.

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{self, ConnectionExt as _, ImageFormat, InputFocus};

use crate::desktop::{BETWEEN, Desktop, TRIES};
use crate::picture::Picture;

impl Desktop {
    /// What is on the screen.
    pub fn picture(&self) -> Picture {
        let g = self.x.get_geometry(self.root).expect("sent").reply().expect("answered");
        let image = self
            .x
            .get_image(ImageFormat::Z_PIXMAP, self.root, 0, 0, g.width, g.height, !0)
            .expect("sent")
            .reply()
            .expect("answered");
        // Blue, green, red, nothing.
        let rgb = image.data.chunks_exact(4).flat_map(|p| [p[2], p[1], p[0]]).collect();
        Picture { width: g.width.into(), height: g.height.into(), rgb }
    }

    /// Waits until the screen is as wanted, and returns what was wanted of it.
    pub fn wait<T>(&self, what: &str, mut wanted: impl FnMut(&Picture) -> Option<T>) -> T {
        for _ in 0..TRIES {
            if let Some(found) = wanted(&self.picture()) {
                return found;
            }
            std::thread::sleep(BETWEEN);
        }
        let kept = self.picture().keep();
        panic!("never seen: {what}; the screen is in {}", kept.display());
    }

    /// Changes the size of the window.
    pub fn resize(&self, size: [u32; 2]) {
        let to = xproto::ConfigureWindowAux::new().width(size[0]).height(size[1]);
        self.x.configure_window(self.window, &to).expect("sent").check().expect("it is resized");
    }

    /// Hides the window, as minimizing does, or shows it again, with the keyboard.
    pub fn show(&self, visible: bool) {
        if !visible {
            self.x.unmap_window(self.window).expect("sent").check().expect("it is hidden");
            return;
        }
        self.x.map_window(self.window).expect("sent").check().expect("it is shown");
        let focus = self.x.set_input_focus(InputFocus::PARENT, self.window, x11rb::CURRENT_TIME);
        focus.expect("sent").check().expect("it takes the keyboard");
    }

    /// Ends the display under the program.
    pub fn end_server(&mut self) {
        self.server.kill().expect("it runs");
        self.server.wait().expect("it ends");
    }

    /// Asks the window to close, as its title bar's button does.
    pub fn close(&self) {
        let atom = |name: &str| {
            self.x.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("answered").atom
        };
        let data = [atom("WM_DELETE_WINDOW"), x11rb::CURRENT_TIME, 0, 0, 0];
        let event = xproto::ClientMessageEvent::new(32, self.window, atom("WM_PROTOCOLS"), data);
        self.x.send_event(false, self.window, xproto::EventMask::NO_EVENT, event).expect("sent");
        self.x.flush().expect("sent");
    }
}
