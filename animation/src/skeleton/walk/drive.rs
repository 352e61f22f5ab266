//! A user's control of one who walks.

use super::walker::{WalkRules, Walker};

/// How far ahead the goal of who is driven is \[m\].
const FAR_AHEAD: f64 = 100.0;

/// How fast one goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It stands.
    Stand,
    /// It walks.
    Walk,
    /// It runs.
    Run,
}

/// Where a user has one go who walks; its tree decides nothing meanwhile. It keeps out of the way of others as ever.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// Which way: the angle about y from the z axis \[rad\].
    pub heading: f64,
    /// How fast.
    pub pace: Pace,
}

impl Drive {
    /// On the way that it goes, as it goes.
    pub fn of(walker: &Walker, rules: &WalkRules) -> Self {
        let pace = match walker.wish {
            wish if wish >= rules.run => Pace::Run,
            wish if wish > 0.0 => Pace::Walk,
            _ => Pace::Stand,
        };
        Self { heading: walker.heading, pace }
    }

    /// The next faster pace, if there is one.
    pub fn faster(self) -> Self {
        let pace = if self.pace == Pace::Stand { Pace::Walk } else { Pace::Run };
        Self { pace, ..self }
    }

    /// The next slower pace, if there is one.
    pub fn slower(self) -> Self {
        let pace = if self.pace == Pace::Run { Pace::Walk } else { Pace::Stand };
        Self { pace, ..self }
    }

    /// Turned about y \[rad\]; above zero to its left.
    pub fn turned(self, by: f64) -> Self {
        Self { heading: self.heading + by, ..self }
    }

    /// Has one want to go so.
    pub(super) fn lead(&self, walker: &mut Walker, rules: &WalkRules) {
        let (sin, cos) = self.heading.sin_cos();
        walker.goal = [walker.at[0] + FAR_AHEAD * sin, walker.at[1] + FAR_AHEAD * cos];
        walker.wish = match self.pace {
            Pace::Stand => 0.0,
            Pace::Walk => rules.walk,
            Pace::Run => rules.run,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_driven_goes_where_it_is_told() {
        let rules = WalkRules { area: [50.0, 50.0], ..WalkRules::default() };
        let mut walker = Walker::new([0.0; 2], 0.0, 1, &rules);
        let mut drive = Drive::of(&walker, &rules);
        assert_eq!(drive.pace, Pace::Stand);
        let go = |walker: &mut Walker, drive: &Drive| {
            for _ in 0..200 {
                drive.lead(walker, &rules);
                *walker = walker.after(0.01, &rules, std::iter::empty(), std::iter::empty());
            }
        };
        drive = drive.faster();
        go(&mut walker, &drive);
        assert!(walker.at[0].abs() < 1e-9 && (walker.speed - rules.walk).abs() < 1e-9, "{walker:?}");
        // To its left, which is along x for one who looks along z.
        drive = drive.faster().faster().turned(std::f64::consts::FRAC_PI_2);
        let before = walker;
        go(&mut walker, &drive);
        assert!(walker.at[0] > before.at[0] + 4.0 && walker.ahead()[0] > 0.999, "{walker:?}");
        assert_eq!((drive.pace, Drive::of(&walker, &rules).pace), (Pace::Run, Pace::Run));
        drive = drive.slower().slower().slower();
        go(&mut walker, &drive);
        assert_eq!(walker.speed, 0.0);
    }
}
