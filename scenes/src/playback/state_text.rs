//! SOFA's text files of states: a line with the time, then a line for each vector.

use std::io::{self, Write};

use crate::mesh::General;

/// Significant digits of SOFA's state files.
const DIGITS: usize = 6;

/// A vector of a state, as the files name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateVector {
    /// `X=`
    Position,
    /// `X0=`
    RestPosition,
    /// `V=`
    Velocity,
    /// `F=`
    Force,
}

impl StateVector {
    fn label(self) -> &'static str {
        match self {
            Self::Position => "X=",
            Self::RestPosition => "X0=",
            Self::Velocity => "V=",
            Self::Force => "F=",
        }
    }
}

/// What a file says of one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The time [s].
    pub time: f64,
    /// Line of the file in which it begins, from 1.
    pub line: usize,
    /// Positions, rows flattened, if they are given.
    pub position: Option<Vec<f64>>,
    /// Velocities, rows flattened, if they are given.
    pub velocity: Option<Vec<f64>>,
}

/// Reads frames: positions and velocities; other vectors are passed over.
///
/// **Source:** SOFA's `ReadState`: the first word of a line says what it is; what comes before a time belongs to time 0.
///
/// # Errors
/// A line that has no numbers where there should be some, and what is wrong with it.
pub fn parse_frames(text: &str) -> Result<Vec<Frame>, String> {
    let mut frames: Vec<Frame> = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let Some(label) = words.next() else { continue };
        let numbers = |words: std::str::SplitWhitespace<'_>| -> Result<Vec<f64>, String> {
            let wrong = |w: &str| format!("line {}: `{w}` is no finite number", k + 1);
            words.map(|w| w.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| wrong(w))).collect()
        };
        if label == "T=" {
            let time = numbers(words)?;
            let &[time] = &time[..] else { return Err(format!("line {}: a time is one number", k + 1)) };
            frames.push(Frame { time, line: k + 1, ..Frame::default() });
            continue;
        }
        if !matches!(label, "X=" | "V=") {
            if matches!(label, "X0=" | "F=") {
                continue;
            }
            return Err(format!("line {}: `{label}` is unknown; T=, X=, X0=, V= and F= are known", k + 1));
        }
        if frames.is_empty() {
            frames.push(Frame { line: k + 1, ..Frame::default() });
        }
        if let Some(frame) = frames.last_mut() {
            let vector = if label == "X=" { &mut frame.position } else { &mut frame.velocity };
            *vector = Some(numbers(words)?);
        }
    }
    Ok(frames)
}

/// Writes a frame as SOFA's `WriteState` does, with six significant digits.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_frame(out: &mut impl Write, time: f64, vectors: &[(StateVector, &[f64])]) -> io::Result<()> {
    writeln!(out, "T= {}", General(time, DIGITS))?;
    for (vector, values) in vectors {
        write!(out, "  {}", vector.label())?;
        for x in *values {
            write!(out, " {}", General(*x, DIGITS))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_written_as_sofa_does_and_read_back() {
        let mut out = Vec::new();
        let x = [1.0 / 3.0, -2e-12, 0.0];
        write_frame(&mut out, 0.01, &[(StateVector::Position, &x), (StateVector::RestPosition, &x)])
            .and_then(|()| {
                write_frame(&mut out, 0.02, &[(StateVector::Velocity, &[1.0]), (StateVector::Force, &[-0.5])])
            })
            .expect("a Vec takes everything");
        let text = String::from_utf8(out).expect("text");
        let wanted = "T= 0.01\n  X= 0.333333 -2e-12 0\n  X0= 0.333333 -2e-12 0\nT= 0.02\n  V= 1\n  F= -0.5\n";
        assert_eq!(text, wanted);
        let frames = parse_frames(&text).expect("frames");
        assert_eq!(frames[0].position.as_deref(), Some(&[0.333_333, -2e-12, 0.0][..]));
        assert_eq!(
            (frames[1].time, frames[1].line, frames[1].velocity.as_deref()),
            (0.02, 4, Some(&[1.0][..]))
        );
    }

    #[test]
    fn what_is_wrong_is_named_by_its_line() {
        for (text, wanted) in [
            ("T= 0\n  X= 1 x", "line 2: `x` is no finite number"),
            ("T= 0\n  X= 1 nan", "line 2: `nan` is no finite number"),
            ("T= 0 1", "line 1: a time is one number"),
            ("hello", "line 1: `hello` is unknown; T=, X=, X0=, V= and F= are known"),
        ] {
            assert_eq!(parse_frames(text).expect_err("wrong"), wanted);
        }
        assert_eq!(parse_frames("X= 1").expect("time 0")[0].time, 0.0);
    }
}
