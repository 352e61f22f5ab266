//! What the systems of a flock take on this machine.

use std::time::{Duration, Instant};

use animation::game::InTurn;
use animation::game::flock::{Batching, Flock, FlockError, FlockOptions};

/// What the systems of a flock take on this machine, measured on one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct FlockCosts {
    /// By how much the time of thinking and of physics exceeds their estimated weight.
    thinking: f64,
    physics: f64,
    /// By the name of a task.
    systems: Vec<(&'static str, Duration)>,
}

/// Cycles before the first that is measured.
const WARM: u64 = 20;

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_unstable_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

impl FlockCosts {
    /// Measures them: the medians over some cycles, after some more.
    ///
    /// # Errors
    /// The options make no sense.
    pub fn measure(of: &FlockOptions, cycles: u64) -> Result<Self, FlockError> {
        let flock = Flock::new(of)?;
        let mut measured: [Vec<f64>; 8] = Default::default();
        for cycle in 0..WARM + cycles.max(1) {
            let mut times = [0.0; 8];
            let timed = |place: &mut f64, system: &mut dyn FnMut()| {
                let began = Instant::now();
                system();
                *place = began.elapsed().as_nanos() as f64;
            };
            let (mut thinking, mut physics) = (Vec::new(), Vec::new());
            // Whether a system found something wrong shows in the exchange.
            timed(&mut times[0], &mut || flock.update_input());
            timed(&mut times[1], &mut || {
                flock.process_input();
            });
            timed(&mut times[2], &mut || thinking = flock.update_thinking(1));
            timed(&mut times[3], &mut || {
                for batch in 0..thinking.len() {
                    flock.think(batch);
                }
            });
            timed(&mut times[4], &mut || physics = flock.update_physics(1));
            timed(&mut times[5], &mut || {
                for batch in 0..physics.len() {
                    flock.simulate(batch);
                }
            });
            timed(&mut times[6], &mut || {
                flock.draw();
            });
            let mut result = Ok(());
            timed(&mut times[7], &mut || result = flock.exchange(&InTurn));
            debug_assert!(result.is_ok(), "nobody answers");
            times[3] /= thinking.iter().sum::<f64>().max(1.0);
            times[5] /= physics.iter().sum::<f64>().max(1.0);
            if cycle >= WARM {
                measured.iter_mut().zip(times).for_each(|(all, time)| all.push(time));
            }
        }
        let medians = measured.map(median);
        let duration = |k: usize| Duration::from_nanos(medians[k] as u64);
        let systems = vec![
            ("update input", duration(0)),
            ("process input", duration(1)),
            ("update thinking", duration(2)),
            ("update physics", duration(4)),
            ("render frame", duration(6)),
            ("exchange", duration(7)),
        ];
        Ok(Self { thinking: medians[3], physics: medians[5], systems })
    }

    /// What a task takes, by its name; none is counted for one that was not measured.
    pub fn of(&self, task: &str) -> Duration {
        self.systems.iter().find(|(name, _)| *name == task).map_or(Duration::ZERO, |(_, cost)| *cost)
    }

    /// What was measured, task by task.
    pub fn systems(&self) -> impl Iterator<Item = (&'static str, Duration)> {
        self.systems.iter().copied()
    }

    /// Options whose weights are nanoseconds of this machine.
    pub fn options(&self, of: &FlockOptions) -> FlockOptions {
        let scaled = |batching: Batching, by: f64| Batching {
            entity: batching.entity * by.max(1e-3),
            neighbour: batching.neighbour * by.max(1e-3),
            ..batching
        };
        FlockOptions {
            thinking: scaled(of.thinking, self.thinking),
            physics: scaled(of.physics, self.physics),
            ..*of
        }
    }
}
