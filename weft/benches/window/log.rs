//! What the program says of itself, with the time at which each line arrived.

use std::io::{BufRead, BufReader};
use std::process::ChildStderr;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// A line of the log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Said {
    /// A frame was drawn.
    Frame,
    /// The simulation moved what the mouse holds.
    Pulled,
    /// A step ended: its number and how long it took [us].
    Step(u64, f64),
}

fn read(line: &str) -> Option<Said> {
    let words: Vec<&str> = line.split_whitespace().skip_while(|w| !w.ends_with("TRACE]")).skip(1).collect();
    match words[..] {
        ["frame"] => Some(Said::Frame),
        ["pulled"] => Some(Said::Pulled),
        ["step", number, us, "us"] => Some(Said::Step(number.parse().ok()?, us.parse().ok()?)),
        _ => None,
    }
}

/// Follows a log until it ends.
pub fn follow(log: ChildStderr) -> Receiver<(Instant, Said)> {
    let (tell, told) = channel();
    let follow = move || {
        for line in BufReader::new(log).lines().map_while(Result::ok) {
            if let Some(said) = read(&line)
                && tell.send((Instant::now(), said)).is_err()
            {
                return;
            }
        }
    };
    std::thread::Builder::new().spawn(follow).expect("the system starts one more thread");
    told
}
