//! Numbers and words, one after the other.

use half::f16;

/// What is wrong with an archive.
#[derive(Debug)]
pub(super) struct Wrong {
    /// The byte, from 0.
    pub at: usize,
    pub what: String,
}

/// An archive that is read from its beginning to its end.
pub(super) struct Archive<'b> {
    bytes: &'b [u8],
    at: usize,
    is_little: bool,
}

impl<'b> Archive<'b> {
    /// The first byte says in which order bytes are: 1, the least first.
    pub fn new(bytes: &'b [u8]) -> Result<Self, Wrong> {
        match bytes.first() {
            Some(order @ (0 | 1)) => Ok(Self { bytes, at: 1, is_little: *order == 1 }),
            Some(_) => Err(Wrong { at: 0, what: "it is no ozz archive".to_owned() }),
            None => Err(Wrong { at: 0, what: "the file is empty".to_owned() }),
        }
    }

    /// The next byte.
    pub fn at(&self) -> usize {
        self.at
    }

    /// An error at the next byte.
    pub fn wrong(&self, what: impl ToString) -> Wrong {
        Wrong { at: self.at, what: what.to_string() }
    }

    /// So many bytes.
    pub fn take(&mut self, n: usize, what: &str) -> Result<&'b [u8], Wrong> {
        let end = self.at.checked_add(n).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| self.wrong(format!("the file ends within {what}")))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// Lists of N bytes each.
    pub fn chunks<const N: usize>(&mut self, n: usize, what: &str) -> Result<&'b [[u8; N]], Wrong> {
        Ok(self.take(n.saturating_mul(N), what)?.as_chunks().0)
    }

    /// Whole numbers of two bytes.
    pub fn shorts(&mut self, n: usize, what: &str) -> Result<Vec<u16>, Wrong> {
        let is_little = self.is_little;
        let all = self.chunks::<2>(n, what)?.iter();
        Ok(all.map(|b| if is_little { u16::from_le_bytes(*b) } else { u16::from_be_bytes(*b) }).collect())
    }

    /// A number of half precision.
    pub fn half(&self, bytes: [u8; 2]) -> f32 {
        if self.is_little { f16::from_le_bytes(bytes) } else { f16::from_be_bytes(bytes) }.to_f32()
    }

    /// Real numbers, all of them finite.
    pub fn floats(&mut self, n: usize, what: &str) -> Result<Vec<f32>, Wrong> {
        let (is_little, begin) = (self.is_little, self.at);
        let all = self.chunks::<4>(n, what)?.iter();
        let all = all.map(|b| if is_little { f32::from_le_bytes(*b) } else { f32::from_be_bytes(*b) });
        let all: Vec<f32> = all.collect();
        match all.iter().position(|x| !x.is_finite()) {
            Some(k) => Err(Wrong { at: begin + 4 * k, what: format!("a number of {what} is not finite") }),
            None => Ok(all),
        }
    }

    /// A real number.
    pub fn float(&mut self) -> Result<f32, Wrong> {
        Ok(self.floats(1, "a number")?[0])
    }

    /// How many there are of something.
    pub fn count(&mut self, what: &str) -> Result<usize, Wrong> {
        let at = self.at;
        let bytes = self.chunks::<4>(1, what)?[0];
        let n = if self.is_little { i32::from_le_bytes(bytes) } else { i32::from_be_bytes(bytes) };
        usize::try_from(n).map_err(|_| Wrong { at, what: format!("the number of {what} is {n}") })
    }

    /// A word that ends with a zero.
    pub fn word(&mut self) -> Result<String, Wrong> {
        let rest = &self.bytes[self.at..];
        let n = rest.iter().position(|b| *b == 0);
        let n = n.ok_or_else(|| self.wrong("the file ends within a name"))?;
        self.at += n + 1;
        Ok(String::from_utf8_lossy(&rest[..n]).into_owned())
    }

    /// That nothing is left.
    pub fn end(&self) -> Result<(), Wrong> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            n => Err(self.wrong(format!("{n} bytes follow that do not belong to it"))),
        }
    }
}
