//! Models that are animated every few frames: how evenly their work is spread.

use std::fmt::Write;

use animation::Backend;

use super::crowds::crowd;
use super::{Outcome, Size};

/// Models animated by frame, counted.
pub fn part(size: Size) -> Outcome<String> {
    let mut text = "## Intervals\n\nEach model is animated every k frames. The paper: the work of a frame falls to 1/k, at an animation rate of 1/k of the frames.\n\n".to_owned();
    text += "| models | k | models a frame, mean | most | most to mean | animations a second at 60 Hz |\n|---|---|---|---|---|---|\n";
    let even = size.small.next_multiple_of(4) + 2;
    for (models, interval) in [(even, 1), (even, 2), (even, 3), (even, 6), (14, 6)] {
        let mut crowd = crowd(models, interval, Backend::sequential(), false)?;
        let mut counts = Vec::new();
        for frame in 0..=6 * interval {
            let animated = crowd.step(frame, frame as f64 / 60.0)?;
            // In the first frame all are new.
            if frame > 0 {
                counts.push(animated);
            }
        }
        let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
        let most = counts.iter().copied().max().unwrap_or(0);
        let expected = models as f64 / interval as f64;
        if (mean - expected).abs() > 1e-9 || most as f64 > expected.ceil() {
            return Err(format!("interval {interval}: {counts:?} models a frame").into());
        }
        writeln!(
            text,
            "| {models} | {interval} | {mean:.2} | {most} | {:.3} | {:.1} |",
            most as f64 / mean,
            60.0 / interval as f64
        )?;
    }
    text += "\nWhere the number of models is no multiple of k, some frames have one more than others: the most is the mean rounded up.";
    Ok(text)
}
