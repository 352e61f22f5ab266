//! A watchdog for mixes.

use std::sync::mpsc;
use std::time::Duration;

/// How long a mix may take: far longer than any does.
const AT_MOST: Duration = Duration::from_secs(120);

/// As many mixes as `WEFT_GAME_MIXES` says, or else as many as the gate has time for.
pub fn n_mixes(gate: u64) -> u64 {
    std::env::var("WEFT_GAME_MIXES").ok().and_then(|n| n.parse().ok()).unwrap_or(gate)
}

/// Runs the mixes of the seeds from 0 on.
///
/// # Panics
/// If one panics or does not end, with its seed.
pub fn every_one_ends(n: u64, mix: fn(u64)) {
    let (tell, hear) = mpsc::channel();
    // What hangs hangs in its own thread: this one says which mix it was.
    let mixes = std::thread::Builder::new().spawn(move || {
        for seed in 0..n {
            mix(seed);
            if tell.send(seed).is_err() {
                return;
            }
        }
    });
    let mut next = 0;
    while next < n {
        match hear.recv_timeout(AT_MOST) {
            Ok(seed) => next = seed + 1,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the mix of seed {next} does not end"),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    assert!(mixes.unwrap().join().is_ok(), "the mix of seed {next} failed");
}
