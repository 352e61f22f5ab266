//! Stacked bars: parts of a whole, by category.

use plotters::prelude::*;

use super::draw::{Area, Failed, PALETTE, Ruler, frame, legend};
use super::ticks::Scale;

/// Bars beside each other, each a stack of parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// What the vertical axis shows, with the unit.
    pub title: String,
    /// Names of the bars.
    pub categories: Vec<String>,
    /// The parts, from the lowest to the highest.
    pub stacks: Vec<Stack>,
}

/// One part of all bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// Its name in the legend.
    pub name: String,
    /// Its height in each category.
    pub values: Vec<f64>,
}

/// Share of a category's width that its bar takes.
const WIDTH: f64 = 0.6;

impl Bars {
    pub(super) fn is_empty(&self) -> bool {
        self.categories.is_empty() || self.stacks.is_empty()
    }

    fn value(stack: &Stack, category: usize) -> f64 {
        stack.values.get(category).copied().filter(|v| v.is_finite()).unwrap_or(0.0)
    }

    /// Heights of the whole bars.
    fn totals(&self) -> Vec<f64> {
        (0..self.categories.len()).map(|c| self.stacks.iter().map(|s| Self::value(s, c)).sum()).collect()
    }

    pub(super) fn draw(&self, area: &Area<'_>) -> Result<(), Failed> {
        let n = self.categories.len();
        let (_, top, ticks) = Scale::Linear.ticks(0.0, self.totals().into_iter().fold(0.0, f64::max) * 1.15);
        let centers: Vec<f64> = (0..n).map(|c| c as f64).collect();
        let name = |c: &f64| self.categories.get(c.round() as usize).cloned().unwrap_or_default();
        let label = |y: &f64| Scale::Linear.label(*y);
        let x = Ruler { ends: (-0.5, n as f64 - 0.5), ticks: centers, title: "", label: &name };
        let y = Ruler { ends: (0.0, top), ticks, title: &self.title, label: &label };
        let mut chart = frame(area, x, y, false)?;
        let mut floor = vec![0.0; n];
        for (k, stack) in self.stacks.iter().enumerate() {
            let color = PALETTE[k % PALETTE.len()];
            let mut boxes = Vec::with_capacity(n);
            for (c, low) in floor.iter_mut().enumerate() {
                let high = *low + Self::value(stack, c);
                let x = c as f64;
                boxes
                    .push(Rectangle::new([(x - WIDTH / 2.0, *low), (x + WIDTH / 2.0, high)], color.filled()));
                *low = high;
            }
            chart
                .draw_series(boxes)?
                .label(&stack.name)
                .legend(move |(x, y)| Rectangle::new([(x + 4, y - 5), (x + 16, y + 5)], color.filled()));
        }
        legend(&mut chart, SeriesLabelPosition::UpperRight)
    }
}
