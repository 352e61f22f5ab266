//! Files of masses and springs (`.xs3`, "Xsp").

use std::path::Path;
use std::str::SplitWhitespace;

use sim_core::component::build::BuildError;
use sim_core::math::Vec3;

/// What an Xsp file says of points and the springs between them.
///
/// **Source:** as SOFA reads them: `Xsp` and the version, 3 or 4; then words, each with its numbers: `mass` (number, a letter, position,
/// velocity, mass, elasticity), `lspg` (number, two points from 1, stiffness, damping, rest length, and in version 4 the vector at rest).
/// A negative mass is that of a fixed point, which nobody asks for. A rest length of -1 is the distance of the two points, and divides
/// stiffness and damping. `numm`, `nums`, `grav`, `visc`, `step`, `frce` have no effect, and `#` begins a comment. What SOFA reads up to an
/// error still counts there; here it is an error.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct XspFile {
    /// Where each point is [m].
    pub positions: Vec<Vec3>,
    /// Mass of each point [kg].
    pub masses: Vec<f64>,
    /// Springs between the points.
    pub springs: Vec<XspSpring>,
}

/// A spring of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct XspSpring {
    /// Its two points, from 0.
    pub ends: [u32; 2],
    /// Stiffness [N/m].
    pub stiffness: f64,
    /// Damping [N s/m].
    pub damping: f64,
    /// Rest length [m].
    pub length: f64,
}

impl XspFile {
    /// Reads the file that an attribute names.
    ///
    /// # Errors
    /// One of the attribute, which names the file and the line in it.
    pub fn read(path: &Path, attribute: &str) -> Result<Self, BuildError> {
        let wrong = |text: String| BuildError::attribute(attribute, text);
        let bytes = std::fs::read(path)
            .map_err(|e| wrong(format!("cannot read the file {}: {e}", path.display())))?;
        let text = String::from_utf8_lossy(&bytes);
        Self::parse(&text).map_err(|m| wrong(format!("{}: {m}", path.display())))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut words = Words::new(text);
        if words.next() != Some("Xsp") {
            return Err("line 1: not an Xsp file: it should begin with `Xsp 3.0`".to_owned());
        }
        let version = words.number("the version")?;
        if version != 3.0 && version != 4.0 {
            return Err(words.error(format!("version {version} is unknown; known are 3 and 4")));
        }
        let n_further = if version == 4.0 { 3 } else { 0 };
        let mut file = Self::default();
        while let Some(word) = words.next() {
            match word {
                "numm" | "nums" | "visc" => drop(words.number(word)?),
                "grav" => drop(words.numbers::<3>(word)?),
                "mass" => file.add_mass(&mut words)?,
                "lspg" => {
                    file.add_spring(&mut words)?;
                    (0..n_further).try_for_each(|_| words.number("the vector at rest").map(drop))?;
                }
                "step" | "frce" => words.skip_line(),
                comment if comment.starts_with('#') => words.skip_line(),
                other => return Err(words.error(format!("unknown word `{}`", shown(other)))),
            }
        }
        Ok(file)
    }

    fn add_mass(&mut self, words: &mut Words<'_>) -> Result<(), String> {
        words.number("the number of a mass")?;
        if words.next().is_none() {
            return Err(words.error("the file ends within a mass".to_owned()));
        }
        let [x, y, z, _, _, _, mass, _] = words.numbers("a mass")?;
        self.positions.push(Vec3::new(x, y, z));
        self.masses.push(f64::abs(mass));
        Ok(())
    }

    fn add_spring(&mut self, words: &mut Words<'_>) -> Result<(), String> {
        words.number("the number of a spring")?;
        let n = self.positions.len();
        let mut end = || {
            let point = words.number("a spring's point")?;
            if point.fract() == 0.0 && point >= 1.0 && point <= n as f64 {
                return Ok(point as u32 - 1);
            }
            Err(words.error(format!("a spring names mass {point}, but {n} stand before it")))
        };
        let ends = [end()?, end()?];
        let [mut stiffness, mut damping, mut length] = words.numbers("a spring")?;
        if (length + 1.0).abs() <= f64::EPSILON {
            length = (self.positions[ends[0] as usize] - self.positions[ends[1] as usize]).norm();
            stiffness /= length;
            damping /= length;
            if !(stiffness.is_finite() && damping.is_finite()) {
                return Err(words
                    .error("a spring of the length of its two masses, which are at one place".to_owned()));
            }
        }
        self.springs.push(XspSpring { ends, stiffness, damping, length });
        Ok(())
    }
}

/// The words of a file, with the line that the last one stands in.
struct Words<'t> {
    lines: std::iter::Enumerate<std::str::Lines<'t>>,
    line: usize,
    words: SplitWhitespace<'t>,
}

impl<'t> Words<'t> {
    fn new(text: &'t str) -> Self {
        Self { lines: text.lines().enumerate(), line: 1, words: "".split_whitespace() }
    }

    fn next(&mut self) -> Option<&'t str> {
        loop {
            if let Some(word) = self.words.next() {
                return Some(word);
            }
            let (i, text) = self.lines.next()?;
            self.line = i + 1;
            self.words = text.split_whitespace();
        }
    }

    fn skip_line(&mut self) {
        self.words = "".split_whitespace();
    }

    fn error(&self, text: String) -> String {
        format!("line {}: {text}", self.line)
    }

    fn number(&mut self, what: &str) -> Result<f64, String> {
        let Some(word) = self.next() else {
            return Err(self.error(format!("the file ends where {what} is expected")));
        };
        word.parse()
            .ok()
            .filter(|x: &f64| x.is_finite())
            .ok_or_else(|| self.error(format!("{what} is not a finite number: `{}`", shown(word))))
    }

    fn numbers<const N: usize>(&mut self, what: &str) -> Result<[f64; N], String> {
        let mut found = [0.0; N];
        for number in &mut found {
            *number = self.number(what)?;
        }
        Ok(found)
    }
}

/// The beginning of a word, for a message.
fn shown(word: &str) -> String {
    word.chars().take(40).collect()
}

/// A file of four masses and three springs, for tests of what reads such files.
#[cfg(test)]
pub(crate) const EXAMPLE: &str = "Xsp 3.0\nnumm 4\nnums 3\ngrav 0 -9.81 0\nvisc 0.1\n# a comment\n\
    mass 1 s 0 0 0 0 0 0 2 0.5\nmass 2 v 3 0 0 0 0 0 -4 0\nmass 3 s 3 4 0 0 0 0 1 0\nmass 4 s 0 0 1 0 0 0 0.5 0\n\
    step 1 2 3\nlspg 1 1 2 60 3 -1\nlspg 2 2 3 10 0.5 3.5\nlspg 3 1 3 50 1 -1\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masses_and_springs_are_read() {
        let file = XspFile::parse(EXAMPLE).unwrap();
        assert_eq!(file.masses, [2.0, 4.0, 1.0, 0.5]);
        assert_eq!(file.positions[2], Vec3::new(3.0, 4.0, 0.0));
        let spring = |ends, stiffness, damping, length| XspSpring { ends, stiffness, damping, length };
        let expected =
            [spring([0, 1], 20.0, 1.0, 3.0), spring([1, 2], 10.0, 0.5, 3.5), spring([0, 2], 10.0, 0.2, 5.0)];
        assert_eq!(file.springs, expected);
        // A vector at rest follows each spring of version 4.
        let four = EXAMPLE
            .replace("Xsp 3.0", "Xsp 4.0")
            .replace(" -1\n", " -1 0 0 1\n")
            .replace("3.5\n", "3.5 1 2 3\n");
        assert_eq!(XspFile::parse(&four), Ok(file));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (from, to, message) in [
            ("Xsp 3.0", "Xsp 5", "line 1: version 5 is unknown; known are 3 and 4"),
            ("Xsp", "xsp", "line 1: not an Xsp file: it should begin with `Xsp 3.0`"),
            ("lspg 2 2 3", "lspg 2 2 5", "line 13: a spring names mass 5, but 4 stand before it"),
            ("lspg 2 2 3", "lspg 2 0 3", "line 13: a spring names mass 0, but 4 stand before it"),
            ("visc 0.1", "visc x", "line 5: visc is not a finite number: `x`"),
            ("visc", "vise", "line 5: unknown word `vise`"),
            (
                "3 4 0 0 0 0 1 0",
                "0 0 0 0 0 0 1 0",
                "line 14: a spring of the length of its two masses, which are at one place",
            ),
        ] {
            assert_eq!(XspFile::parse(&EXAMPLE.replacen(from, to, 1)).unwrap_err(), message);
        }
        for end in 0..EXAMPLE.len() {
            // Nothing panics, and no half of a line counts.
            if let Ok(file) = XspFile::parse(&EXAMPLE[..end]) {
                assert!(file.springs.len() <= 3 && file.masses.len() == file.positions.len());
            }
        }
        assert!(XspFile::read(Path::new("/"), "filename").is_err());
    }
}
