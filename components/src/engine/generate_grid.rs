//! `GenerateGrid`: a box of hexahedra and tetrahedra, or a sheet of quads and triangles.

use sim_core::component::value::Value;
use sim_core::prelude::*;

/// A box divided into hexahedra and tetrahedra, or a sheet divided into quads and triangles.
#[derive(Attributes)]
#[attributes(ignored("output_position", "position", "tetrahedra", "hexahedra", "triangles", "quads"))]
struct Settings {
    /// the corner with the least coordinates [m]
    #[attribute(default = "0 0 0")]
    min: Vec3,
    /// the corner with the greatest coordinates [m]
    #[attribute(default = "0 0 0")]
    max: Vec3,
    /// how many cells there are along x, y and z; a sheet with 0 along z
    #[attribute(default = "3 3 3")]
    resolution: [i64; 3],
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "GenerateGrid", build).templates(&["Vec3"]);

/// The most points that are made; more are a mistake.
const MOST_POINTS: usize = 50_000_000;

/// **Source:** as SOFA's: points along x first, cells along z first, six tetrahedra of each cell.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let [nx, ny, nz] = counts(b, s.resolution)?;
    let size = s.max - s.min;
    let step = |length: f64, n: usize| if n == 0 { 0.0 } else { length / n as f64 };
    let steps = Vec3::new(step(size.x, nx), step(size.y, ny), step(size.z, nz));
    let mut points = Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1));
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                let cell = Vec3::new(i as f64, j as f64, k as f64);
                points.push(cell.component_mul(&steps) + s.min);
            }
        }
    }
    let at = |i: usize, j: usize, k: usize| (i + (nx + 1) * (j + (ny + 1) * k)) as u32;
    let square = |i, j, k| [at(i, j, k), at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k)];
    let columns = || (0..nx).flat_map(|i| (0..ny).map(move |j| (i, j)));
    let quads: Vec<[u32; 4]> =
        if nz == 0 { columns().map(|(i, j)| square(i, j, 0)).collect() } else { Vec::new() };
    let triangles: Vec<[u32; 3]> =
        quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *d], [*d, *b, *c]]).collect();
    let cells = columns().flat_map(|(i, j)| (0..nz).map(move |k| (i, j, k)));
    let hexahedra: Vec<[u32; 8]> = cells
        .map(|(i, j, k)| {
            let ([a, b, c, d], [e, f, g, h]) = (square(i, j, k), square(i, j, k + 1));
            [a, b, c, d, e, f, g, h]
        })
        .collect();
    let tetrahedra: Vec<[u32; 4]> = hexahedra.iter().flat_map(six_tetrahedra).collect();
    b.offer("output_position", Value::from_points(&points));
    b.offer("position", Value::from_points(&points));
    b.offer("hexahedra", Value::from_rows(&hexahedra));
    b.offer("tetrahedra", Value::from_rows(&tetrahedra));
    b.offer("quads", Value::from_rows(&quads));
    b.offer("triangles", Value::from_rows(&triangles));
    Ok(())
}

fn six_tetrahedra(h: &[u32; 8]) -> [[u32; 4]; 6] {
    [[0, 5, 1, 6], [0, 1, 3, 6], [1, 3, 6, 2], [6, 3, 0, 7], [6, 7, 0, 5], [7, 5, 4, 0]]
        .map(|t: [usize; 4]| t.map(|n| h[n]))
}

fn counts(b: &mut Builder<'_>, given: [i64; 3]) -> Result<[usize; 3], BuildError> {
    let mut counts = [0; 3];
    for (axis, n) in given.iter().enumerate() {
        counts[axis] = usize::try_from(*n).map_err(|_| {
            BuildError::attribute("resolution", format!("`resolution` holds {n}; give numbers of cells"))
        })?;
        if counts[axis] == 0 && axis < 2 {
            b.warn(Some("resolution"), "there is one cell at least along x and along y; 1 is taken for 0");
            counts[axis] = 1;
        }
    }
    let points = counts.iter().try_fold(1_usize, |n, c| n.checked_mul(c.checked_add(1)?));
    match points {
        Some(n) if n <= MOST_POINTS => Ok(counts),
        _ => {
            let text = format!("the grid would have more than {MOST_POINTS} points");
            Err(BuildError::attribute("resolution", text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn made(resolution: &str) -> impl Fn(&str) -> Vec<f64> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, &[("max", "3 2 1"), ("resolution", resolution)]).unwrap();
        move |name| t.scene.component(c).fields[name].reals().unwrap()
    }

    #[test]
    fn a_box_has_the_volume_of_its_tetrahedra() {
        let get = made("3 2 2");
        let x: Vec<Vec3> = get("position").chunks(3).map(Vec3::from_column_slice).collect();
        assert_eq!((x.len(), get("hexahedra").len()), (36, 8 * 12));
        let volumes = get("tetrahedra");
        let volumes = volumes.chunks(4).map(|t| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| x[t[i] as usize]);
            (b - a).dot(&(c - a).cross(&(d - a))).abs() / 6.0
        });
        let (n, volume) = volumes.fold((0, 0.0), |(n, sum), v| (n + 1, sum + v));
        assert!(n == 72 && (volume - 6.0).abs() < 1e-12, "{n}: {volume}");
        assert!(get("quads").is_empty());
    }

    #[test]
    fn a_sheet_has_quads_and_triangles() {
        let get = made("3 2 0");
        assert_eq!((get("position").len(), get("quads").len(), get("triangles").len()), (36, 24, 36));
        assert!(get("hexahedra").is_empty());
    }

    #[test]
    fn numbers_of_cells_are_checked() {
        let mut t = TestScene::new();
        let root = t.root();
        assert!(t.add(&DESCRIPTION, root, &[("resolution", "-1 1 1")]).is_err());
        assert!(t.add(&DESCRIPTION, root, &[("resolution", "9000000 9000000 9")]).is_err());
        assert!(t.add(&DESCRIPTION, root, &[("resolution", "0 1 1")]).is_ok() && t.warnings.len() == 1);
    }
}
