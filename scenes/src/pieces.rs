//! How many pieces a large body is cut into.

use std::str::FromStr;

/// Points per piece of `auto`: the vectors of a piece fit into a core's own cache, and an iteration of the conjugate gradient on
/// it takes long enough for signals between workers not to matter.
const POINTS_PER_PIECE: usize = 1024;

/// The same for springs, of which a point has fewer than of elements, and cheaper ones.
const POINTS_PER_PIECE_OF_SPRINGS: usize = 2048;

/// The same where nobody asks: the border of a piece, which costs more than what is inside, is a small part of larger ones.
const POINTS_PER_PIECE_UNASKED: usize = 8192;

/// So many of those, enough for most machines; a body that would have more gets larger ones.
const ENOUGH: usize = 16;

/// Points of these: borders cost most where a body is in no cache.
const POINTS_PER_PIECE_OF_MANY: usize = 2 * POINTS_PER_PIECE_UNASKED;

/// How many pieces a body is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// As many as its size asks for, whatever the number of workers, so that results do not depend on that.
    Auto,
    /// So many.
    Number(usize),
    /// By size too, into larger pieces; only bodies of which nothing is left whole in a solver's products, and without a word about
    /// the others.
    WherePays,
}

impl Pieces {
    /// The number of pieces for a body of so many points with finite elements.
    pub fn count(self, points: usize) -> usize {
        self.of_size(points, POINTS_PER_PIECE)
    }

    /// The same for a body of springs.
    pub fn count_of_springs(self, points: usize) -> usize {
        self.of_size(points, POINTS_PER_PIECE_OF_SPRINGS)
    }

    fn of_size(self, points: usize, per_piece: usize) -> usize {
        let of = |size: usize| (points + size / 2) / size;
        match self {
            Self::Auto => of(per_piece),
            Self::Number(n) => n,
            Self::WherePays => of(POINTS_PER_PIECE_OF_MANY).max(of(POINTS_PER_PIECE_UNASKED).min(ENOUGH)),
        }
        .max(1)
    }
}

impl FromStr for Pieces {
    type Err = String;

    /// `auto`, or a number from 1 on; `where-it-pays` is for those who measure it.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "auto" => Ok(Self::Auto),
            "where-it-pays" => Ok(Self::WherePays),
            number => match number.parse() {
                Ok(n) if n > 0 => Ok(Self::Number(n)),
                _ => Err("it must be `auto` or a number of pieces, from 1 on".to_owned()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_alone_decides() {
        assert_eq!("auto".parse(), Ok(Pieces::Auto));
        assert_eq!([1, 1500, 1600, 65_536].map(|n| Pieces::Auto.count(n)), [1, 1, 2, 64]);
        assert_eq!([3071, 3072, 16_384].map(|n| Pieces::Auto.count_of_springs(n)), [1, 2, 8]);
        let sizes = [12_287, 12_288, 65_536, 262_144, 1_048_576];
        assert_eq!(sizes.map(|n| Pieces::WherePays.count_of_springs(n)), [1, 2, 8, 16, 64]);
        assert_eq!(sizes.map(|n| Pieces::WherePays.count(n)), [1, 2, 8, 16, 64]);
        assert_eq!(Pieces::Number(3).count(1_000_000), 3);
        assert_eq!(" 5 ".parse(), Ok(Pieces::Number(5)));
        assert!("0".parse::<Pieces>().is_err() && "-1".parse::<Pieces>().is_err());
    }
}
