//! Speedup and efficiency over the number of workers.

use super::{Axis, Figure, Line, Lines, Panel, Scale, Stroke};

/// Speedups of one way to compute.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Number of workers and speedup over one worker.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// A named curve.
    pub fn new(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), points }
    }
}

/// Two panels: speedup with the ideal line, and with the bound that the critical path sets if it is given; efficiency
/// (speedup over workers).
pub fn speedup_and_efficiency(title: &str, curves: &[Curve], bound: Option<f64>) -> Figure {
    let workers = || curves.iter().flat_map(|c| &c.points).map(|p| p.0);
    let (least, most) = (workers().fold(f64::INFINITY, f64::min), workers().fold(0.0, f64::max));
    // In even steps of the logarithm, so that lines which bend in the frame look so.
    let along = |name: &str, stroke: Stroke, at: &dyn Fn(f64) -> f64| {
        let points = (0..=32).map(|k| least * (most / least).powf(f64::from(k) / 32.0));
        Line { name: name.to_owned(), points: points.map(|w| (w, at(w))).collect(), stroke }
    };
    let marked = |of: fn(&(f64, f64)) -> (f64, f64)| -> Vec<Line> {
        let line = |c: &Curve| Line {
            name: c.name.clone(),
            points: c.points.iter().map(of).collect(),
            stroke: Stroke::Marked,
        };
        curves.iter().map(line).collect()
    };
    // A bound far above what is shown would press everything else to the floor.
    let shown = bound.filter(|b| *b <= 2.0 * most);
    let mut speedup = marked(|p| *p);
    speedup.push(along("ideal", Stroke::Dashed, &|w| w));
    let mut efficiency = marked(|&(w, s)| (w, s / w));
    efficiency.push(along("ideal", Stroke::Dashed, &|_| 1.0));
    if let Some(bound) = shown {
        speedup.push(along("critical path", Stroke::Dotted, &|_| bound));
        efficiency.push(along("critical path", Stroke::Dotted, &|w| (bound / w).min(1.0)));
    }
    // Speedups span as many powers of two as workers do.
    let scale = if most > 8.0 { Scale::Log2 } else { Scale::Linear };
    let mut y = Axis::new("speedup", scale);
    if scale == Scale::Linear {
        y = y.including(0.0);
    }
    let x = Axis::new("workers", Scale::Log2);
    let panels = vec![
        Panel::Lines(Lines { x: x.clone(), y, lines: speedup }),
        Panel::Lines(Lines {
            x,
            y: Axis::new("efficiency (speedup / workers)", Scale::Linear).including(0.0),
            lines: efficiency,
        }),
    ];
    Figure { title: title.to_owned(), panels }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(panel: &Panel) -> &[Line] {
        match panel {
            Panel::Lines(l) => &l.lines,
            Panel::Bars(_) => &[],
        }
    }

    #[test]
    fn efficiency_is_speedup_over_workers_beside_the_ideal_and_the_bound() {
        let curve = Curve::new("replay", vec![(1.0, 1.0), (4.0, 3.0)]);
        let figure = speedup_and_efficiency("bars", &[curve], Some(3.5));
        assert_eq!(lines(&figure.panels[1])[0].points, [(1.0, 1.0), (4.0, 0.75)]);
        assert!(lines(&figure.panels[0])[1].points.iter().all(|p| p.0 == p.1));
        let bound = &lines(&figure.panels[0])[2].points;
        assert!(!bound.is_empty() && bound.iter().all(|p| p.1 == 3.5));
    }

    #[test]
    fn a_bound_far_above_the_plot_is_left_out() {
        let curve = Curve::new("replay", vec![(1.0, 1.0), (2.0, 1.9)]);
        let figure = speedup_and_efficiency("bars", &[curve], Some(40.0));
        assert_eq!(lines(&figure.panels[0]).len(), 2);
    }
}
