//! Where an axis has its ticks.

/// How values lie along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm to base 2, with powers of 2 as ticks.
    Log2,
}

impl Scale {
    /// Where a value lies, if it does.
    pub(super) fn place(self, value: f64) -> Option<f64> {
        let place = if self == Self::Log2 { value.log2() } else { value };
        place.is_finite().then_some(place)
    }

    /// The label of a tick at a place.
    pub(super) fn label(self, place: f64) -> String {
        match self {
            // Powers of 2 below 1 and all decimals print as short as they are.
            Self::Log2 => format!("{}", place.exp2()),
            Self::Linear => format!("{}", (place * 1e9).round() / 1e9),
        }
    }

    /// The ends of an axis for places from `low` to `high`, and its ticks.
    pub(super) fn ticks(self, low: f64, high: f64) -> (f64, f64, Vec<f64>) {
        let step = match self {
            Self::Linear => nice((high - low) / 6.0),
            Self::Log2 => ((high - low) / 10.0).ceil().max(1.0),
        };
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        let last = if last > first { last } else { first + 1.0 };
        let n = (last - first) as usize;
        (first * step, last * step, (0..=n).map(|k| (first + k as f64) * step).collect())
    }
}

/// The least of 1, 2 and 5 times powers of 10 that is not below a number.
fn nice(least: f64) -> f64 {
    if !(least > 0.0 && least.is_finite()) {
        return 1.0;
    }
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|k| k * power);
    // Rounding may leave a power of ten just below itself.
    steps.into_iter().find(|s| *s >= least * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_ticks_are_round_numbers_around_the_values() {
        let (low, high, ticks) = Scale::Linear.ticks(0.0, 1.07);
        let labels: Vec<String> = ticks.iter().map(|t| Scale::Linear.label(*t)).collect();
        assert_eq!((low, labels.join(" ")), (0.0, "0 0.2 0.4 0.6 0.8 1 1.2".to_owned()));
        assert!((high - 1.2).abs() < 1e-12);
        assert_eq!(Scale::Linear.ticks(3.0, 3.0).2, [3.0, 4.0]);
        assert_eq!(Scale::Linear.label(0.1 + 0.2), "0.3");
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_two() {
        let (low, high, ticks) = Scale::Log2.ticks(0.0, 5.3);
        assert_eq!((low, high), (0.0, 6.0));
        let labels: Vec<String> = ticks.iter().map(|t| Scale::Log2.label(*t)).collect();
        assert_eq!(labels, ["1", "2", "4", "8", "16", "32", "64"]);
        assert_eq!(Scale::Log2.place(0.0), None);
        assert_eq!(Scale::Log2.label(-1.0), "0.5");
    }
}
