//! How long it takes to wake a thread.

use std::time::Duration;

use super::Stopwatch;
use crate::sync::Sleepers;

/// The least time from waking a thread that sleeps until it runs: half of the way there and back.
pub fn least_wake() -> Duration {
    const TURNS: u64 = 200;
    let (sleepers, clock) = (Sleepers::new(2), Stopwatch::default());
    let turn = |me: usize| {
        let seen = sleepers.epoch();
        if sleepers.lie_down(me, seen) {
            sleepers.sleep(me);
        }
    };
    let mut least = Duration::MAX;
    std::thread::scope(|scope| {
        sleepers.attend(0, std::thread::current());
        let (sleepers, turn) = (&sleepers, &turn);
        let other = scope.spawn(move || {
            for _ in 0..TURNS {
                turn(1);
                // The first thread lies down at once.
                while !sleepers.wake(0) {
                    std::thread::yield_now();
                }
            }
        });
        sleepers.attend(1, other.thread().clone());
        for _ in 0..TURNS {
            while !sleepers.is_asleep(1) {
                std::thread::yield_now();
            }
            let began = clock.now();
            sleepers.wake(1);
            turn(0);
            least = least.min((clock.now() - began) / 2);
        }
    });
    least
}
