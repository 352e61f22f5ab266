//! Lines over a horizontal axis.

use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::draw::{Area, Chart, Failed, GRAY, PALETTE, Ruler, frame, legend};
use super::{Axis, Line, Lines, Stroke};

impl Lines {
    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().all(|l| self.places(l).is_empty())
    }

    /// Where a line's points lie in the frame.
    fn places(&self, line: &Line) -> Vec<(f64, f64)> {
        let place = |&(x, y): &(f64, f64)| Some((self.x.scale.place(x)?, self.y.scale.place(y)?));
        line.points.iter().filter_map(place).collect()
    }

    /// Whether the first line grows: then the upper left corner is free for the legend.
    fn grows(&self) -> bool {
        let points = self.lines.first().map(|l| &l.points);
        points.and_then(|p| Some(p.last()?.1 > p.first()?.1)).unwrap_or(true)
    }

    pub(super) fn draw(&self, area: &Area<'_>) -> Result<(), Failed> {
        let placed: Vec<Vec<(f64, f64)>> = self.lines.iter().map(|l| self.places(l)).collect();
        let (x_label, y_label) = (|v: &f64| self.x.scale.label(*v), |v: &f64| self.y.scale.label(*v));
        let all = || placed.iter().flatten();
        let x = self.x.ruler(all().map(|p| p.0), &x_label);
        let y = self.y.ruler(all().map(|p| p.1), &y_label);
        let mut chart = frame(area, x, y, true)?;
        // What to compare with lies below what is compared.
        let numbered = || self.lines.iter().zip(&placed).filter(|(l, _)| l.stroke == Stroke::Marked);
        for (line, points) in self.lines.iter().zip(&placed).filter(|(l, _)| l.stroke != Stroke::Marked) {
            reference(&mut chart, line, points)?;
        }
        for (number, (line, points)) in numbered().enumerate() {
            marked(&mut chart, line, points, number)?;
        }
        let corner =
            if self.grows() { SeriesLabelPosition::UpperLeft } else { SeriesLabelPosition::LowerLeft };
        legend(&mut chart, corner)
    }
}

impl Axis {
    fn ruler<'a>(
        &'a self,
        places: impl Iterator<Item = f64>,
        label: &'a dyn Fn(&f64) -> String,
    ) -> Ruler<'a> {
        let included = self.includes.and_then(|v| self.scale.place(v));
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = places.chain(included).fold(ends, |(l, h), v| (l.min(v), h.max(v)));
        let (low, high, ticks) = self.scale.ticks(low, high);
        Ruler { ends: (low, high), ticks, title: &self.title, label }
    }
}

/// A gray line.
fn reference(chart: &mut Chart<'_>, line: &Line, points: &[(f64, f64)]) -> Result<(), Failed> {
    let (dash, gap) = if line.stroke == Stroke::Dashed { (7, 4) } else { (2, 3) };
    let style = GRAY.stroke_width(2);
    chart
        .draw_series(DashedLineSeries::new(points.to_vec(), dash, gap, style))?
        .label(&line.name)
        .legend(move |(x, y)| DashedPathElement::new([(x, y), (x + 22, y)], dash, gap, style));
    Ok(())
}

/// A colored line with a marker at each point.
fn marked(chart: &mut Chart<'_>, line: &Line, points: &[(f64, f64)], number: usize) -> Result<(), Failed> {
    let color = PALETTE[number % PALETTE.len()];
    let style = color.stroke_width(2);
    let marker = |at: (f64, f64)| EmptyElement::at(at) + Polygon::new(marker(number, 0), color);
    chart.draw_series(points.iter().map(|&p| marker(p)))?;
    chart.draw_series([PathElement::new(points.to_vec(), style)])?.label(&line.name).legend(move |at| {
        EmptyElement::at(at)
            + PathElement::new([(0, 0), (22, 0)], style)
            + Polygon::new(self::marker(number, 11), color)
    });
    Ok(())
}

/// Corners of a marker around (`x`, 0) [px]; neighbors in number differ.
fn marker(number: usize, x: i32) -> Vec<(i32, i32)> {
    const SHAPES: [&[(i32, i32)]; 4] = [
        &[(-4, -2), (-2, -4), (2, -4), (4, -2), (4, 2), (2, 4), (-2, 4), (-4, 2)],
        &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
        &[(0, -6), (5, 4), (-5, 4)],
        &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    ];
    SHAPES[number % SHAPES.len()].iter().map(|(dx, dy)| (x + dx, *dy)).collect()
}
