//! A camera that looks about at random: nothing is drawn that is older than its life, or was never filled.

use std::fmt::Write;

use animation::Backend;

use super::crowds::crowd;
use super::{Outcome, Size};

/// The next number of a sequence that looks random (Marsaglia's xorshift).
fn next(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

/// Frames that are drawn and that are not, counted.
pub fn part(size: Size) -> Outcome<String> {
    let mut text = "## Life\n\nEach frame each of 8 models comes into view or leaves it with a chance of 1 in 8. A model is drawn if its vertices are not older than a life.\n\n".to_owned();
    text += "| interval | life | in view | drawn | not drawn: too old or not filled yet | oldest drawn, frames |\n|---|---|---|---|---|---|\n";
    const MODELS: usize = 8;
    for (interval, life) in [(1, 1), (3, 3), (3, 1), (6, 2)] {
        let mut crowd = crowd(MODELS, interval, Backend::sequential(), false)?;
        let (mut seed, mut seen) = (88_172_645_463_325_252, [true; MODELS]);
        let (mut in_view, mut drawn, mut not, mut oldest) = (0, 0, 0, 0);
        for frame in 0..size.looks {
            for (model, is_seen) in seen.iter_mut().enumerate() {
                if next(&mut seed).is_multiple_of(8) {
                    *is_seen = !*is_seen;
                    crowd.set_visible(model, *is_seen);
                }
            }
            crowd.step(frame, frame as f64 / 60.0)?;
            for model in (0..MODELS).filter(|m| seen[*m]) {
                in_view += 1;
                match crowd.animated_in(model).map(|last| frame - last).filter(|age| *age <= life) {
                    Some(age) => {
                        drawn += 1;
                        oldest = oldest.max(age);
                    }
                    None => not += 1,
                }
            }
        }
        if oldest > life || (life + 1 >= interval && not > 0) {
            return Err(
                format!("interval {interval}, life {life}: {not} not drawn, the oldest {oldest}").into()
            );
        }
        writeln!(text, "| {interval} | {life} | {in_view} | {drawn} | {not} | {oldest} |")?;
    }
    text += "\nA model that comes into view is animated in the same frame, so that it is never drawn as it was when it left.";
    Ok(text)
}
