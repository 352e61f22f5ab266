//! The text files of voxels that sparse grids read.

use sim_core::math::Vec3;
use sim_core::topology::RegularGrid;

use super::voxels::Cell;

/// The lattice and the cells of a `.voxel` file: three counts, three sizes, and a number for each cell, x running fastest.
///
/// **Source:** as SOFA's: the lattice goes from the origin to the whole part of size times count; a cell whose number is not 0 is inside.
///
/// # Errors
/// One line, where the file says something else, or has fewer numbers.
pub(super) fn parse(text: &str) -> Result<(RegularGrid, Vec<Cell>), String> {
    let mut words = text.split_whitespace();
    let mut next = |what: &str| words.next().ok_or_else(|| format!("the file ends before {what}"));
    let mut counts = [0_usize; 3];
    for count in &mut counts {
        let word = next("the three counts")?;
        *count = word
            .parse()
            .ok()
            .filter(|n| (1..=4096).contains(n))
            .ok_or_else(|| format!("`{word}` is no count of cells between 1 and 4096"))?;
    }
    let mut max = Vec3::zeros();
    for k in 0..3 {
        let word = next("the three sizes")?;
        let size: f32 = word.parse().map_err(|_| format!("`{word}` is no size of a cell"))?;
        max[k] = f64::from((size * counts[k] as f32).trunc());
        if !(max[k] > 0.0 && max[k].is_finite()) {
            return Err(format!("cells of size {size} give a grid of no extent"));
        }
    }
    let total = counts.iter().product();
    let mut cells = Vec::with_capacity(total);
    for _ in 0..total {
        let word = next("the number of each cell")?;
        let value: i64 = word.parse().map_err(|_| format!("`{word}` is no number of a cell"))?;
        cells.push(if value == 0 { Cell::Outside } else { Cell::Inside });
    }
    let step = |k: usize| max[k] / counts[k] as f64;
    let lattice = RegularGrid {
        n: counts.map(|n| n + 1),
        p0: Vec3::zeros(),
        dx: Vec3::x() * step(0),
        dy: Vec3::y() * step(1),
        dz: Vec3::z() * step(2),
    };
    Ok((lattice, cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_which_cells_are_filled() {
        let (lattice, cells) = parse("2 1 1\n 1.5 2 1\n 0 7").unwrap();
        assert_eq!((lattice.n, lattice.dx.x, lattice.dy.y), ([3, 2, 2], 1.5, 2.0));
        assert_eq!(cells, [Cell::Outside, Cell::Inside]);
        assert!(parse("2 1 1 1 1 1 0").unwrap_err().contains("ends"));
        assert!(parse("2 -1 1 1 1 1 0").unwrap_err().contains("-1"));
        assert!(parse("2 1 1 0 1 1 0 0").unwrap_err().contains("no extent"));
        assert!(parse("2 1 1 1 1 1 0 x").unwrap_err().contains("`x`"));
    }
}
