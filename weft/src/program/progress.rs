//! The progress bar, on a terminal only, and the wish to end early.

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};

use indicatif::{ProgressBar, ProgressStyle};
use x3d::script::limits::Stop;

/// A bar of so many steps; hidden where stderr is no terminal.
pub fn bar(steps: u64, quiet: bool) -> ProgressBar {
    bar_of(steps, "steps", quiet)
}

/// A bar of so many things of this name; hidden where stderr is no terminal.
pub fn bar_of(n: u64, name: &str, quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(n);
    let style = format!("{{wide_bar}} {{pos}}/{{len}} {name}, {{per_sec}}, {{eta}} left {{msg}}");
    if let Ok(style) = ProgressStyle::with_template(&style) {
        bar.set_style(style);
    }
    bar
}

/// What ends Scripts that go on for long once the program is to end: a frame that does not end hears of nothing else.
pub fn stop() -> Stop {
    static STOP: OnceLock<Stop> = OnceLock::new();
    STOP.get_or_init(Stop::default).clone()
}

/// The wish to end early: Ctrl-C, or the signal to terminate.
pub struct Interrupt(Receiver<()>);

impl Interrupt {
    /// Begins to listen. A second wish ends the program at once.
    pub fn listen() -> Self {
        let (sender, receiver) = channel();
        let mut before = false;
        let listening = ctrlc::set_handler(move || {
            if before {
                std::process::exit(130);
            }
            before = true;
            stop().ask();
            let _ = sender.send(());
        });
        if let Err(e) = listening {
            log::warn!("Ctrl-C will not write what was asked for: {e}");
        }
        Self(receiver)
    }

    /// Whether the run is to end now.
    pub fn came(&self) -> bool {
        self.0.try_recv().is_ok()
    }
}
