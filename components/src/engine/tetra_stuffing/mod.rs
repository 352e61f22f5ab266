//! `MeshTetraStuffing`: tetrahedra that fill a closed surface.

mod cut;
mod lattice;
mod octree;
mod rays;
mod stuffing;

use sim_core::component::attributes::{Attributes, CoordRows, IndexRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::{Vec3, Vec3Type};

use lattice::Lattice;
pub(in crate::engine) use rays::Surface;
use stuffing::{Options, Stuffing};

use crate::topology::MAX_POINTS;

/// Fills a closed surface with tetrahedra of a body-centered cubic lattice.
#[derive(Attributes)]
#[attributes(ignored("outputPoints", "outputTetrahedra", "outputTetras", "draw"))]
struct Settings {
    /// two corners of the box that is filled; the surface's, and a hundredth more on each side, if not given [m]
    vbbox: Option<[f64; 6]>,
    /// edge length of the lattice [m]; if negative, into how many cells the longest side of the box is cut
    #[attribute(default = "-8")]
    size: f64,
    /// points of the surface [m]
    #[attribute(name = "inputPoints")]
    points: CoordRows,
    /// triangles of the surface, counter-clockwise seen from outside
    #[attribute(name = "inputTriangles")]
    triangles: Option<IndexRows<3>>,
    /// quads of the surface, which are halved
    #[attribute(name = "inputQuads")]
    quads: Option<IndexRows<4>>,
    /// points nearer to the surface than this part of an edge along an axis move onto it
    #[attribute(default = "0.24999", non_negative)]
    alpha_long: f64,
    /// the same for the other edges
    #[attribute(default = "0.42978", non_negative)]
    alpha_short: f64,
    /// whether points near the surface move onto it
    snap_points: bool,
    /// whether tetrahedra that the surface cuts are cut; else they are kept whole
    #[attribute(alias = "splitTetras")]
    split_tetrahedra: bool,
}

/// The component in the registry.
///
/// **Source:** as SOFA's; F. Labelle, J. R. Shewchuk, *Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral Angles*, SIGGRAPH
/// 2007. The lattice has a point at the center of the box, and reaches two cells beyond it.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "MeshTetraStuffing", build);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let points = s.points.of::<Vec3Type>()?;
    let mut triangles = s.triangles.map_or(Ok(Vec::new()), |t| t.below(points.len()))?;
    let quads = s.quads.map_or(Ok(Vec::new()), |q| q.below(points.len()))?;
    triangles.extend(quads.iter().flat_map(|q: &[u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]));
    if points.is_empty() || triangles.is_empty() {
        let attribute = if points.is_empty() { "inputPoints" } else { "inputTriangles" };
        b.warn(Some(attribute), "there is no surface to fill, so there are no tetrahedra");
        return offer(b, &[], &[]);
    }
    let corners = s.vbbox.map(|c| [Vec3::new(c[0], c[1], c[2]), Vec3::new(c[3], c[4], c[5])]);
    let [low, high] = corners.filter(|[low, high]| low.x < high.x).unwrap_or_else(|| around(&points));
    let cell = if s.size < 0.0 { (high - low).max() / -s.size } else { s.size };
    let (lattice, positions) = fill(low, high, cell).ok_or_else(|| {
        let text = format!(
            "edges of {cell} fill the box from {low:?} to {high:?} with too many points; write another `size`"
        );
        BuildError::attribute("size", text)
    })?;
    let alpha = [s.alpha_long, s.alpha_short];
    let options = Options { snap_points: s.snap_points, split_tetrahedra: s.split_tetrahedra, alpha };
    let (points, tetrahedra) = Stuffing::new(lattice, positions, (&points, &triangles), options).finish();
    if tetrahedra.is_empty() {
        b.warn(Some("size"), "no point of the lattice is inside of the surface, so there are no tetrahedra");
    }
    offer(b, &points, &tetrahedra)
}

fn offer(b: &mut Builder<'_>, points: &[Vec3], tetrahedra: &[[u32; 4]]) -> Result<(), BuildError> {
    b.offer("outputPoints", Value::from_points(points));
    b.offer("outputTetrahedra", Value::from_rows(tetrahedra));
    b.offer("outputTetras", Value::from_rows(tetrahedra));
    Ok(())
}

/// A box around the points, a hundredth larger on each side.
fn around(points: &[Vec3]) -> [Vec3; 2] {
    let (low, high) = points.iter().fold((points[0], points[0]), |(l, h), p| (l.inf(p), h.sup(p)));
    let more = (high - low) * 0.01;
    [low - more, high + more]
}

/// The lattice that fills a box, and its positions; none where it has too many points.
fn fill(low: Vec3, high: Vec3, cell: f64) -> Option<(Lattice, Vec<Vec3>)> {
    let center = (low + high) / 2.0;
    let (mut n, mut origin) = ([0; 3], center);
    for k in 0..3 {
        let [below, above] = [(center[k] - low[k]) / cell, (high[k] - center[k]) / cell];
        if !(cell > 0.0 && below.abs() < MAX_POINTS as f64 && above.abs() < MAX_POINTS as f64) {
            return None;
        }
        let [below, above] = [below as i64 + 2, above as i64 + 2];
        n[k] = usize::try_from(below + above + 1).ok()?;
        origin[k] = center[k] - below as f64 * cell;
    }
    if Lattice::size(n)? > MAX_POINTS {
        return None;
    }
    let lattice = Lattice::new(n);
    let positions = lattice.positions(origin, cell);
    Some((lattice, positions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    const CUBE: &str = "0 0 0 3 0 0 3 3 0 0 3 0 0 0 3 3 0 3 3 3 3 0 3 3";
    const QUADS: &str = "0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7";

    fn volume(attributes: &[(&'static str, &str)]) -> (f64, usize) {
        let mut t = TestScene::new();
        let root = t.root();
        let all = [&[("inputPoints", CUBE), ("inputQuads", QUADS)], attributes].concat();
        let c = t.add(&DESCRIPTION, root, &all).unwrap();
        let field = |name: &str| t.scene.component(c).fields[name].clone();
        let x: Vec<f64> = field("outputPoints").reals().unwrap();
        let at = |i: &i64| Vec3::from_column_slice(&x[3 * *i as usize..3 * *i as usize + 3]);
        let tetrahedra = field("outputTetras").integers().unwrap();
        let volumes = tetrahedra.chunks_exact(4).map(|t| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| at(&t[k]));
            (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
        });
        let volumes: Vec<f64> = volumes.collect();
        assert!(volumes.iter().all(|v| *v >= 0.0), "none is turned inside out");
        (volumes.iter().sum(), volumes.len())
    }

    /// Whole tetrahedra stand out, cut ones do not (but for edges and corners of the cube).
    #[test]
    fn cut_tetrahedra_fill_a_cube() {
        let (whole, n) = volume(&[("size", "0.31")]);
        assert!(whole > 27.0 && n > 1000, "{whole} {n}");
        let (cut, _) = volume(&[("size", "0.31"), ("splitTetras", "1")]);
        assert!((cut - 27.0).abs() < 0.2, "{cut}");
        let (snapped, fewer) = volume(&[("size", "0.31"), ("splitTetras", "1"), ("snapPoints", "1")]);
        assert!((snapped - 27.0).abs() < 0.4, "{snapped}");
        assert!(fewer < n * 3, "{fewer} {n}");
    }

    #[test]
    fn sizes_without_sense_are_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        for size in ["0", "1e-9"] {
            let given = [("inputPoints", CUBE), ("inputQuads", QUADS), ("size", size)];
            let e = t.add(&DESCRIPTION, root, &given).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some("size"), "{size}");
        }
        t.add(&DESCRIPTION, root, &[("inputPoints", CUBE)]).unwrap();
        assert!(t.warnings[0].contains("no surface"), "{:?}", t.warnings);
    }
}
