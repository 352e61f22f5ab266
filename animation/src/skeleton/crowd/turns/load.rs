//! How much there is to do in each frame.

/// Rounds of more frames are not looked at: models whose intervals have no shorter one are spread by their numbers.
const LONGEST: usize = 5040;

/// How many models are animated in each frame of a round, which repeats: as many frames as all intervals divide.
#[derive(Clone, Debug, Default)]
pub(super) struct Load {
    frames: Vec<u32>,
}

impl Load {
    /// Adds a model of an interval, in the phase whose busiest frame has the least to do; of equal ones, in that of its number or the next.
    pub fn add(&mut self, model: usize, interval: u64) -> u64 {
        let by_number = model as u64 % interval;
        if !self.extend(interval) {
            return by_number;
        }
        let phases = (by_number..interval).chain(0..by_number);
        let busy = |phase: &u64| {
            let frames = || of_phase(interval, *phase, self.frames.len()).map(|frame| self.frames[frame]);
            (frames().max(), frames().sum::<u32>())
        };
        // The first of equal ones.
        let phase = phases.min_by_key(busy).unwrap_or(by_number);
        of_phase(interval, phase, self.frames.len()).for_each(|frame| self.frames[frame] += 1);
        phase
    }

    /// Takes a model away.
    pub fn remove(&mut self, interval: u64, phase: u64) {
        let n = self.frames.len();
        if interval <= n as u64 && (n as u64).is_multiple_of(interval) {
            of_phase(interval, phase, n).for_each(|frame| self.frames[frame] -= 1);
        }
    }

    /// Makes rounds as long as an interval asks for; false if that would be too long.
    fn extend(&mut self, interval: u64) -> bool {
        let n = self.frames.len().max(1);
        let Some(interval) = usize::try_from(interval).ok().filter(|k| *k <= LONGEST) else { return false };
        let (mut a, mut b) = (n, interval);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        let round = n / a * interval;
        if round > LONGEST {
            return false;
        }
        let frames = (0..round).map(|frame| self.frames.get(frame % n).copied().unwrap_or(0));
        self.frames = frames.collect();
        true
    }
}

/// The frames of a round in which the turn of a phase comes.
fn of_phase(interval: u64, phase: u64, n: usize) -> impl Iterator<Item = usize> {
    let interval = interval as usize;
    ((interval - phase as usize % interval) % interval..n).step_by(interval)
}
