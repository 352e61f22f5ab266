//! For how long an object has been at rest.

use sim_core::component::sleeping::Sleeping;

/// A stretch of time, up to now, over which the root mean square of an object's speed stayed within what counts as rest.
///
/// What trembles in a heap passes a limit of its speed for a step or two again and again; were the limit of each single step, one
/// such object would keep all awake that touches it. So the limit is of the mean square since the stretch began, and of the speed
/// at the moment of falling asleep. The mean keeps within it at each moment, or the stretch ends. So what comes to a halt begins to
/// rest once it is slower than the limit itself; and what is accelerated evenly, as at the turning point of a throw or from a
/// standstill, falls asleep only where it would with a limit of each step: where its speed is below the limit for the whole delay.
/// What was longer ago than the delay is forgotten evenly, so that a long rest excuses no more than a short one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rest {
    /// How long it is, at most the delay [s].
    since: f64,
    /// The integral of the square of the speed over it [m^2/s].
    moved: f64,
}

impl Rest {
    /// Goes on by a step of `dt` [s] in which `motion` was the mean square of the speeds of the object's points [m^2/s^2]; says
    /// whether the object may sleep now.
    pub(super) fn go_on(&mut self, motion: f64, dt: f64, settings: &Sleeping) -> bool {
        let Sleeping { speed, delay, .. } = *settings;
        self.since += dt;
        self.moved += motion * dt;
        if self.since > delay {
            self.moved *= delay / self.since;
            self.since = delay;
        }
        let limit = speed * speed;
        // So that what is not a number is no rest.
        let rests = self.moved <= limit * self.since;
        if !rests {
            *self = Self::default();
        }
        rests && motion <= limit && self.since >= delay
    }

    /// Goes on by a step in which it was awake, however fast, or begins anew.
    pub(super) fn awake_for(&mut self, dt: Option<f64>) {
        self.since = dt.map_or(0.0, |dt| self.since + dt);
    }

    /// How long it is [s].
    pub(super) fn since(&self) -> f64 {
        self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 0.01;
    const AT_REST: Sleeping =
        Sleeping { speed: 0.05, delay: 0.5, damping: 0.0, braking: 0.0, damping_speed: 0.1, of_each: None };

    /// When something whose speed depends on time falls asleep, if it does within ten seconds [s].
    fn sleeps_at(speed: impl Fn(f64) -> f64) -> Option<f64> {
        let mut rest = Rest::default();
        let mut times = (1..=1000).map(|k| f64::from(k) * DT);
        times.find(|t| rest.go_on(speed(*t).powi(2), DT, &AT_REST))
    }

    #[test]
    fn what_stays_slower_sleeps_after_the_delay() {
        let at = |found: Option<f64>, expected: f64| (found.unwrap_or(f64::NAN) - expected).abs() < 1.5 * DT;
        assert!(at(sleeps_at(|_| 0.0499), 0.5));
        assert_eq!(sleeps_at(|_| 0.0501), None);
        assert!(at(sleeps_at(|t| if t < 1.0 { 3.0 } else { 0.0 }), 1.5), "the past is over");
        assert_eq!(sleeps_at(|_| f64::NAN), None);
    }

    #[test]
    fn what_trembles_sleeps() {
        // Two steps in ten at 0.1 m/s: 0.045 m/s in the mean.
        let jerks = |t: f64| if (t / DT).round() % 10.0 < 2.0 { 0.1 } else { 0.005 };
        assert!(sleeps_at(jerks).is_some_and(|t| t < 1.0));
        let larger = |t: f64| if (t / DT).round() % 10.0 < 2.0 { 0.2 } else { 0.005 };
        assert_eq!(sleeps_at(larger), None);
    }

    #[test]
    fn what_turns_back_does_not_sleep() {
        // A throw, and pendulums: the turning point is passed within the delay.
        assert_eq!(sleeps_at(|t| 4.0 - 9.81 * t), None);
        for (amplitude, period) in [(1.0, 2.0), (1.0, 4.0), (0.2, 3.0), (0.05, 2.0), (3.0, 10.0)] {
            let rate = std::f64::consts::TAU / period;
            assert_eq!(sleeps_at(|t| amplitude * rate * (rate * t).sin()), None, "{amplitude} m, {period} s");
        }
        // Down a slope: slow at first, faster and faster. The limit of each step was passed within the delay, too.
        assert_eq!(sleeps_at(|t| 0.101 * t), None);
        assert!(sleeps_at(|t| 0.099 * t).is_some());
        // At the turning point of what accelerates as little, twice as long.
        assert_eq!(sleeps_at(|t| 0.202 * (t - 1.0)), None);
        assert!(sleeps_at(|t| 0.196 * (t - 1.0)).is_some());
    }

    #[test]
    fn a_long_rest_excuses_no_more_than_a_short_one() {
        for rested in [50, 10_000] {
            let mut rest = Rest::default();
            for _ in 0..rested {
                rest.go_on(0.0, DT, &AT_REST);
            }
            // At 0.1 m/s it does not sleep, and after a while it does not rest either.
            let mut kept = (0..100).map(|_| (rest.go_on(0.01, DT, &AT_REST), rest.since));
            assert_eq!(kept.position(|(sleeps, since)| sleeps || since == 0.0), Some(14), "{rested}");
            assert!(rest.since == 0.0);
        }
    }
}
