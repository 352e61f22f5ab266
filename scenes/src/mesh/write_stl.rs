//! Writes surfaces as STL, text or binary.

use std::io::{self, Write};

use sim_core::math::Vec3;

use super::General;

/// Significant digits of a text: those that the numbers of a binary file have.
const DIGITS: usize = 9;
const TITLE: &str = "Exported from Weft";

/// Writes triangles whose corners are numbers of positions; normals are 0, which readers take from the corners.
///
/// # Errors
/// Whatever `out` reports; a binary file of more triangles than its number can say.
pub fn write_stl(
    out: &mut impl Write,
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    binary: bool,
) -> io::Result<()> {
    let corners = |t: &[u32; 3]| t.map(|i| positions.get(i as usize).copied().unwrap_or_default());
    if !binary {
        writeln!(out, "solid {TITLE}")?;
        for t in triangles {
            writeln!(out, "facet normal 0 0 0\nouter loop")?;
            for x in corners(t) {
                let [x, y, z] = [x.x, x.y, x.z].map(|c| General(c, DIGITS));
                writeln!(out, "vertex {x} {y} {z}")?;
            }
            writeln!(out, "endloop\nendfacet")?;
        }
        return writeln!(out, "endsolid {TITLE}");
    }
    let mut header = [0; 80];
    header[..TITLE.len()].copy_from_slice(TITLE.as_bytes());
    out.write_all(&header)?;
    let n = u32::try_from(triangles.len()).map_err(io::Error::other)?;
    out.write_all(&n.to_le_bytes())?;
    for t in triangles {
        out.write_all(&[0; 12])?;
        for c in corners(t).iter().flat_map(|x| [x.x, x.y, x.z]) {
            out.write_all(&(c as f32).to_le_bytes())?;
        }
        out.write_all(&[0; 2])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::stl;
    use super::*;

    #[test]
    fn both_kinds_are_read_back() {
        let points = [Vec3::zeros(), Vec3::new(1.0, 0.5, 0.0), Vec3::new(0.5_f64.powi(30), 2.0, -0.25)];
        for binary in [false, true] {
            let mut file = Vec::new();
            write_stl(&mut file, &points, &[[0, 1, 2], [2, 1, 0]], binary).expect("written");
            let mesh = stl::parse(Path::new("m.stl"), &file).expect("read");
            assert_eq!(mesh.triangles.len(), 2);
            let first: Vec<Vec3> = mesh.triangles[0].iter().map(|i| mesh.positions[*i as usize]).collect();
            assert!(first.iter().zip(&points).all(|(a, b)| (a - b).amax() <= 1e-18), "{first:?}");
        }
    }
}
