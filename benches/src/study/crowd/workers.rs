//! One worker and two, in turns within one run; and whether a large crowd keeps up with a screen.

use std::fmt::Write;

use super::crowds::{crowd, median};
use super::{Outcome, Size};
use crate::study::workers::{ms, replay};

/// A frame of a screen at 60 Hz \[ms\].
const SCREEN: f64 = 1000.0 / 60.0;

/// Speedups, and frames of a large crowd.
pub fn part(size: Size) -> Outcome<String> {
    let mut text = "## Workers\n\nModels of 67 joints and 3,934 vertices; frames by one and by two workers in turns.\n\n".to_owned();
    text += "The paper: 2.69 times on four cores, one of them drawing; two cores, at most 2.\n\n";
    text += "| models | interval | one worker ms | two workers ms | speedup | frames of 16.7 ms kept by two |\n|---|---|---|---|---|---|\n";
    for (models, interval) in [(size.small, 1), (size.large, 1), (size.large, 2), (size.large, 6)] {
        let (mut one, mut two) =
            (crowd(models, interval, replay(1), true)?, crowd(models, interval, replay(2), true)?);
        let mut took = [Vec::new(), Vec::new()];
        for frame in 0..size.frames {
            let time = frame as f64 / 60.0;
            for (crowd, took) in [&mut one, &mut two].into_iter().zip(&mut took) {
                let (animated, ms) = ms(|| crowd.step(frame, time));
                animated?;
                // All models are animated in the first frame.
                if frame > 0 {
                    took.push(ms);
                }
            }
        }
        for model in 0..models {
            if one.matrices(model) != two.matrices(model)
                || one.vertices(model, 0, interval) != two.vertices(model, 0, interval)
            {
                return Err(format!("model {model} of {models} has other bits on two workers").into());
            }
        }
        let kept = took[1].iter().filter(|ms| **ms <= SCREEN).count();
        let of = took[1].len();
        let [one, two] = took.map(median);
        writeln!(
            text,
            "| {models} | {interval} | {one:.2} | {two:.2} | {:.2} | {kept} of {of} |",
            one / two
        )?;
    }
    text += "\nBits are the same.";
    Ok(text)
}
