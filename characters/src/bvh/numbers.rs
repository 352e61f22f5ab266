//! The numbers of frames, line by line.

use super::words::{Words, Wrong};

/// Reads the numbers of so many frames and channels; those of frames that are whole, frame by frame.
///
/// Lines and frames belong together. A line has the numbers of one frame, or of several. A frame may go on over several lines, of which the
/// last one ends with it. So a line with a number too few or too many is found where it is, and does not shift all that follow.
pub(super) fn numbers(
    words: &mut Words<'_>,
    (n, n_channels): (usize, usize),
    warnings: &mut Vec<String>,
) -> Result<Vec<f32>, Wrong> {
    let wanted = n.saturating_mul(n_channels);
    let mut numbers: Vec<f32> = Vec::new();
    let mut frame = Frame::default();
    let (mut surplus, mut first_surplus, mut last) = (0, 0, words.line);
    while let Some(row) = words.row() {
        let before = numbers.len();
        let is_behind = before >= wanted;
        for word in row {
            let what = if is_behind { "the end, or one more number," } else { "a number of a channel" };
            let number = words.number_of(word, what).map_err(|wrong| match is_behind {
                true => wrong,
                false => in_frame(numbers.len() / n_channels, n, wrong),
            })?;
            numbers.push(number);
        }
        last = words.line;
        if !is_behind {
            let found = numbers.len() - before;
            let of_frame = (before % n_channels, n_channels);
            frame.go_on(last, found, of_frame).map_err(|e| in_frame(before / n_channels, n, e))?;
        }
        if let Some(more) = numbers.len().checked_sub(wanted).filter(|more| *more > 0) {
            first_surplus = if surplus == 0 { last } else { first_surplus };
            surplus += more;
            numbers.truncate(wanted);
        }
    }
    let whole = numbers.len().checked_div(n_channels).unwrap_or(n);
    if whole == 0 {
        let what = "the file ends where a number of a channel should be".to_owned();
        return Err(in_frame(0, n, Wrong { line: last, what }));
    }
    if whole < n {
        warnings.push(format!("it ends after {whole} whole frames of {n}, on line {last}: these are played"));
        numbers.truncate(whole * n_channels);
    }
    if surplus > 0 {
        let from = format!("from line {first_surplus} on");
        warnings.push(format!("{surplus} numbers stand behind its {n} frames, {from}: they are left out"));
    }
    Ok(numbers)
}

/// Something is wrong in a frame of so many.
fn in_frame(frame: usize, n: usize, wrong: Wrong) -> Wrong {
    Wrong { what: format!("frame {frame} of {n}: {}", wrong.what), ..wrong }
}

/// The frame whose numbers are read.
#[derive(Default)]
struct Frame {
    /// The line that it begins on, and how many numbers that line has.
    begin: (usize, usize),
    /// Whether a frame before went on over several lines.
    is_split: bool,
}

impl Frame {
    /// Goes on with a line of so many numbers, where the frame has had some of all its numbers.
    fn go_on(&mut self, line: usize, found: usize, (had, wanted): (usize, usize)) -> Result<(), Wrong> {
        if had == 0 {
            self.begin = (line, found);
        }
        let ends_early = found < wanted - had;
        let ends_with_it = (had + found).is_multiple_of(wanted) && (had == 0 || had + found == wanted);
        self.is_split |= had > 0 && ends_with_it;
        if ends_early || ends_with_it {
            return Ok(());
        }
        if had > 0 && self.is_split {
            let left = wanted - had;
            let what = format!(
                "{left} numbers should be on this line, so that it ends with the frame, not {found} (the frame begins on line {})",
                self.begin.0
            );
            return Err(Wrong { line, what });
        }
        // Where each frame has a line, a frame that does not end with a line is one whose own line is too short.
        let (line, found) = self.begin;
        let what = format!("{wanted} numbers should be on this line, one for each channel, not {found}");
        Err(Wrong { line, what })
    }
}
