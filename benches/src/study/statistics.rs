//! Ratios of what ran in the same round, and their medians.

use super::cases::{Case, Role, Variant};
use super::measure::{Run, Times};
use crate::ratio::Ratio;

/// An executor's figures on a number of workers.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The variant's name without the number of workers.
    pub way: String,
    /// Number of workers.
    pub workers: u32,
    /// Median times [ms].
    pub times: Times,
    /// Whole steps: sequential by this.
    pub speedup: Ratio,
    /// Integration alone: sequential by this.
    pub speedup_integrate: Ratio,
    /// Whole steps: replay on one worker by this, as a share of the machine's limit (none on one worker).
    pub share: Option<Ratio>,
    /// The same for the integration.
    pub share_integrate: Option<Ratio>,
}

/// What a case has shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The case.
    pub case: Case,
    /// Sequential against itself: how far a ratio of equals is from 1.
    pub itself: Ratio,
    /// The machine's limit by number of workers: P processes with 1/P of the work each, against one with all.
    pub limits: Vec<(u32, Ratio)>,
    /// The executors, by name and workers.
    pub rows: Vec<Row>,
}

impl Found {
    /// From the runs of all cases; `variants` are those of this one.
    pub fn new(case: &Case, variants: &[Variant], runs: &[Run]) -> Self {
        let of = |index: usize| -> Vec<Times> {
            let mut own: Vec<&Run> =
                runs.iter().filter(|r| r.case == case.name && r.index == index).collect();
            own.sort_by_key(|r| r.round);
            own.into_iter().map(|r| r.times).collect()
        };
        let find = |role: Role| variants.iter().position(|v| v.role == role).map(of).unwrap_or_default();
        let (sequential, again) = (find(Role::Sequential), find(Role::SequentialAgain));
        // The first executor on one worker is replay.
        let one_worker = variants.iter().position(|v| v.role == Role::Executor && v.workers == 1);
        let one_worker = one_worker.map(of).unwrap_or_default();
        let whole = Some(find(Role::ControlWhole)).filter(|w| !w.is_empty()).unwrap_or(one_worker.clone());
        let mut limits: Vec<(u32, Vec<f64>)> = Vec::new();
        for (index, v) in variants.iter().enumerate() {
            if let Role::ControlParts { work } = v.role {
                limits.push((v.workers, ratios(&whole, &of(index), |t| t.step, 1.0 / work)));
            }
        }
        let mut rows = Vec::new();
        for (index, v) in variants.iter().enumerate().filter(|(_, v)| v.role == Role::Executor) {
            let times = of(index);
            let limit = limits.iter().find(|(n, _)| *n == v.workers).map(|(_, l)| l);
            let share = |figure: fn(&Times) -> f64| {
                let gains = ratios(&one_worker, &times, figure, 1.0);
                limit.map(|l| Ratio::of(gains.iter().zip(l).map(|(gain, limit)| gain / limit).collect()))
            };
            rows.push(Row {
                way: v.way(),
                workers: v.workers,
                speedup: Ratio::of(ratios(&sequential, &times, |t| t.step, 1.0)),
                speedup_integrate: Ratio::of(ratios(&sequential, &times, |t| t.integrate, 1.0)),
                share: share(|t| t.step),
                share_integrate: share(|t| t.integrate),
                times: medians(&times),
            });
        }
        let order = |way: &str| variants.iter().position(|v| v.way() == way);
        rows.sort_by_key(|r| (!r.way.starts_with("replay"), order(&r.way), r.workers));
        Self {
            case: case.clone(),
            itself: Ratio::of(ratios(&sequential, &again, |t| t.step, 1.0)),
            limits: limits.into_iter().map(|(n, l)| (n, Ratio::of(l))).collect(),
            rows,
        }
    }
}

/// `factor` a / b, round by round.
fn ratios(a: &[Times], b: &[Times], figure: fn(&Times) -> f64, factor: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| factor * figure(a) / figure(b)).collect()
}

fn medians(times: &[Times]) -> Times {
    let of = |figure: fn(&Times) -> f64| Ratio::of(times.iter().map(figure).collect()).median;
    Times {
        step: of(|t| t.step),
        integrate: of(|t| t.integrate),
        collision: of(|t| t.collision),
        graph: of(|t| t.graph),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Study;
    use crate::study::cases;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(Ratio::of(vec![3.0, 1.0, 2.0]), Ratio { median: 2.0, least: 1.0, greatest: 3.0 });
        assert_eq!(Ratio::of(vec![4.0, 1.0]).median, 2.5);
    }

    #[test]
    fn ratios_are_of_the_same_round() {
        let case = &cases::of(Study::Bars, false)[0];
        let variants = case.variants(&[1, 2]);
        let mut runs = Vec::new();
        // The machine is twice as slow in the second round; two workers gain 1.8, two processes 1.9.
        for (round, slow) in [1.0, 2.0].into_iter().enumerate() {
            for (index, v) in variants.iter().enumerate() {
                let gain = match (v.role, v.workers) {
                    (Role::ControlParts { .. }, _) => 1.9,
                    (_, 2) => 1.8,
                    _ => 1.0,
                };
                let t = 10.0 * slow / gain;
                runs.push(Run {
                    case: case.name.clone(),
                    round: round as u32,
                    index,
                    variant: v.way(),
                    workers: v.workers,
                    is_control: false,
                    times: Times { step: t, integrate: t, ..Times::default() },
                    state_hash: String::new(),
                });
            }
        }
        let found = Found::new(case, &variants, &runs);
        assert_eq!(found.itself.median, 1.0);
        assert_eq!(found.limits.len(), 1);
        assert!((found.limits[0].1.median - 1.9).abs() < 1e-12);
        assert_eq!(found.rows.len(), 7);
        for row in found.rows.iter().filter(|r| r.workers == 2) {
            assert!((row.speedup.least - 1.8).abs() < 1e-12 && (row.speedup.greatest - 1.8).abs() < 1e-12);
            let share = row.share.expect("there is a limit");
            assert!((share.median - 1.8 / 1.9).abs() < 1e-12);
        }
        assert!(found.rows.iter().all(|r| (r.workers == 1) == r.share.is_none()));
    }
}
