//! Line and bar plots as SVG: what a study or a prediction shows.
//!
//! A [`Figure`] is plain data; [`Figure::to_svg`] draws it. Text stays text, and colors are those of Okabe and Ito, which
//! the color-blind can tell apart; lines also differ by their markers.
//!
//! ```
//! use weft::output::plot::{Curve, speedup_and_efficiency};
//! let replay = Curve::new("replay", vec![(1.0, 1.0), (2.0, 1.9), (4.0, 3.4)]);
//! let svg = speedup_and_efficiency("bars", &[replay], Some(21.0)).to_svg()?;
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), weft::output::plot::PlotError>(())
//! ```

mod bars;
mod draw;
mod lines;
mod speedup;
mod ticks;

pub use bars::{Bars, Stack};
pub use speedup::{Curve, speedup_and_efficiency};
pub use ticks::Scale;

/// Panels side by side under a title.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Stands above all panels.
    pub title: String,
    /// From left to right.
    pub panels: Vec<Panel>,
}

/// One plot of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Panel {
    /// Lines over a horizontal axis of numbers.
    Lines(Lines),
    /// Bars over named categories.
    Bars(Bars),
}

/// Lines in a common frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines, in the order of the legend.
    pub lines: Vec<Line>,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub title: String,
    /// How values lie along it.
    pub scale: Scale,
    /// A value that is to be inside, whatever the points are; typically zero.
    pub includes: Option<f64>,
}

impl Axis {
    /// An axis with a title.
    pub fn new(title: &str, scale: Scale) -> Self {
        Self { title: title.to_owned(), scale, includes: None }
    }

    /// The axis, with this value inside.
    #[must_use]
    pub fn including(self, value: f64) -> Self {
        Self { includes: Some(value), ..self }
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stroke {
    /// A colored line with markers: what was measured or predicted.
    #[default]
    Marked,
    /// A gray dashed line: what to compare with.
    Dashed,
    /// A gray dotted line.
    Dotted,
}

/// A line of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Its points, in order; those that are not finite, or not positive on a logarithmic axis, are left out.
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub stroke: Stroke,
}

/// A figure that could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlotError {
    /// There is nothing to show.
    #[error("the plot `{0}` has no points")]
    Empty(String),
    /// The drawing library refused.
    #[error("the plot could not be drawn: {0}")]
    Drawing(String),
}

impl Figure {
    /// The figure as an SVG document.
    ///
    /// # Errors
    /// If a panel has nothing to show.
    pub fn to_svg(&self) -> Result<String, PlotError> {
        draw::svg(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_titles_and_ticks_are_text() {
        let bars = Bars {
            title: "ms per step".to_owned(),
            categories: vec!["one worker".to_owned(), "two".to_owned()],
            stacks: vec![Stack { name: "waiting".to_owned(), values: vec![0.0, 2.5] }],
        };
        let curve = Curve::new("replay <2>", vec![(1.0, 1.0), (64.0, 40.0)]);
        let mut figure = speedup_and_efficiency("falling", &[curve], Some(50.0));
        figure.panels.push(Panel::Bars(bars));
        let svg = figure.to_svg().expect("something to draw");
        let words = ["falling", "replay &lt;2&gt;", "ideal", "critical path", "speedup", "workers", "64"];
        for word in words.into_iter().chain(["ms per step", "one worker", "waiting", "2.5"]) {
            assert!(svg.contains(&format!(">\n{word}\n<")), "{word} is not in the plot");
        }
        assert!(svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn nothing_to_show_is_refused() {
        let nothing = Curve::new("replay", vec![(0.0, 1.0), (1.0, f64::NAN)]);
        let figure = speedup_and_efficiency("void", &[nothing], None);
        assert_eq!(figure.to_svg(), Err(PlotError::Empty("void".to_owned())));
        assert!(Figure::default().to_svg().is_err());
    }
}
