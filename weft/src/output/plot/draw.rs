//! Drawing with plotters.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;

use super::{Figure, Panel, PlotError};

/// Width and height of a panel, and height of the title [px].
const PANEL: (u32, u32) = (470, 360);
const TITLE: u32 = 34;

/// Okabe and Ito's colors without yellow, which is hard to see on white, in an order in which neighbors differ most.
pub(super) const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];
pub(super) const GRAY: RGBColor = RGBColor(110, 110, 110);
const TEXT: RGBColor = RGBColor(40, 40, 40);

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Ticked, Ticked>>;

/// What the drawing library may answer.
pub(super) type Failed = DrawingAreaErrorKind<std::io::Error>;

pub(super) fn svg(figure: &Figure) -> Result<String, PlotError> {
    let shown = |panel: &Panel| match panel {
        Panel::Lines(lines) => !lines.is_empty(),
        Panel::Bars(bars) => !bars.is_empty(),
    };
    if figure.panels.is_empty() || !figure.panels.iter().all(shown) {
        return Err(PlotError::Empty(figure.title.clone()));
    }
    let mut text = String::new();
    let size = (PANEL.0 * figure.panels.len() as u32, PANEL.1 + TITLE);
    draw(figure, SVGBackend::with_string(&mut text, size)).map_err(|e| PlotError::Drawing(e.to_string()))?;
    Ok(text)
}

fn draw(figure: &Figure, backend: SVGBackend<'_>) -> Result<(), Failed> {
    let root = backend.into_drawing_area();
    root.fill(&WHITE)?;
    let root = root.titled(&figure.title, font(18.0))?;
    for (panel, area) in figure.panels.iter().zip(root.split_evenly((1, figure.panels.len()))) {
        match panel {
            Panel::Lines(lines) => lines.draw(&area)?,
            Panel::Bars(bars) => bars.draw(&area)?,
        }
    }
    root.present()
}

fn font(size: f64) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&TEXT)
}

/// A coordinate with exactly these ticks.
pub(super) struct Ticked {
    ends: (f64, f64),
    ticks: Vec<f64>,
}

impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.ends.0) / (self.ends.1 - self.ends.0);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Light points are drawn between the bold ones: there are none.
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.ends.0..self.ends.1
    }
}

/// One axis of a frame: its ends, ticks, title and labels.
pub(super) struct Ruler<'a> {
    pub ends: (f64, f64),
    pub ticks: Vec<f64>,
    pub title: &'a str,
    pub label: &'a dyn Fn(&f64) -> String,
}

/// A frame with axes and a grid; `columns`: with vertical lines too.
pub(super) fn frame<'a>(
    area: &Area<'a>,
    x: Ruler<'_>,
    y: Ruler<'_>,
    columns: bool,
) -> Result<Chart<'a>, Failed> {
    let mut builder = ChartBuilder::on(area);
    builder.margin(14).x_label_area_size(46).y_label_area_size(58);
    let (horizontal, vertical) =
        (Ticked { ends: x.ends, ticks: x.ticks }, Ticked { ends: y.ends, ticks: y.ticks });
    let mut chart = builder.build_cartesian_2d(horizontal, vertical)?;
    let mut mesh = chart.configure_mesh();
    mesh.bold_line_style(GRAY.mix(0.25)).light_line_style(TRANSPARENT).axis_style(GRAY);
    mesh.label_style(font(13.0)).axis_desc_style(font(14.0)).x_desc(x.title).y_desc(y.title);
    mesh.x_label_formatter(x.label).y_label_formatter(y.label);
    if !columns {
        mesh.disable_x_mesh();
    }
    mesh.draw()?;
    Ok(chart)
}

/// The names of what was drawn.
pub(super) fn legend(chart: &mut Chart<'_>, position: SeriesLabelPosition) -> Result<(), Failed> {
    let mut labels = chart.configure_series_labels();
    labels.position(position).margin(8).legend_area_size(26).label_font(font(13.0));
    labels.background_style(WHITE.mix(0.85)).border_style(GRAY.mix(0.4)).draw()
}
