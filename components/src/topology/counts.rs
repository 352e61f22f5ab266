//! The numbers of points along the axes of a grid, as scenes say them.

use sim_core::component::attributes::{Attributes, Deferred};
use sim_core::component::build::{BuildError, Builder};

/// Points per axis.
#[derive(Attributes)]
pub(super) struct GridCounts {
    /// points per axis
    #[attribute(default = "2 2 2")]
    n: Deferred<[i64; 3]>,
    /// points along x; counts only together with ny and nz
    nx: Option<i64>,
    /// points along y
    ny: Option<i64>,
    /// points along z
    nz: Option<i64>,
}

impl GridCounts {
    /// The counts; a warning where they are not those of a grid.
    pub fn get(&self, b: &mut Builder<'_>) -> Result<[i32; 3], BuildError> {
        let (attribute, counts) = if let (Some(x), Some(y), Some(z)) = (self.nx, self.ny, self.nz) {
            ("nx", [x, y, z])
        } else {
            if [self.nx, self.ny, self.nz].iter().any(Option::is_some) {
                b.warn(None, "nx, ny and nz count only if all three are given; `n` is used");
            }
            ("n", self.n.get(b)?)
        };
        let n = whole(attribute, counts)?;
        if n.iter().any(|n| *n < 1) {
            let text = format!("{n:?} points per axis are not a grid; 2 2 2 is used, as in SOFA");
            b.warn(Some(attribute), text);
        }
        Ok(n)
    }
}

/// Counts as 32-bit integers, which SOFA's are.
pub(super) fn whole(attribute: &str, counts: [i64; 3]) -> Result<[i32; 3], BuildError> {
    let mut n = [0; 3];
    for (n, count) in n.iter_mut().zip(counts) {
        *n = i32::try_from(count).map_err(|_| {
            BuildError::attribute(attribute, format!("{count} points along an axis are too many"))
        })?;
    }
    Ok(n)
}
