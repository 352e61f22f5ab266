//! `CubeTopology`: the surface of a box. The file is long for SOFA's three ways to number the points of a box's surface.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;
use sim_core::topology::{Topology, TopologyKind};

use super::corners::BoxCorners;
use super::counts::whole;
use super::field::{Drawing, failed, set};
use super::{MAX_POINTS, TopologyError};

/// The surface of a box: quads and their edges.
#[derive(Attributes)]
#[attributes(ignored("position", "edges", "quads"))]
struct Settings {
    /// points along x
    #[attribute(default = "0")]
    nx: i64,
    /// points along y
    #[attribute(default = "0")]
    ny: i64,
    /// points along z
    #[attribute(default = "0")]
    nz: i64,
    /// whether there are points within, which no quad has
    internal_points: bool,
    /// whether each side has points of its own, so that edges are sharp
    split_normals: bool,
    #[attribute(flatten)]
    corners: BoxCorners,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, Drawing)>(Family::Topology, "CubeTopology", build);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let n = whole("nx", [s.nx, s.ny, s.nz])?.map(|n| usize::try_from(n).unwrap_or(0));
    let total = n.iter().fold(1_u128, |total, n| total.saturating_mul(2 * *n as u128));
    if total == 0 {
        return Err(BuildError::attribute("nx", "`nx`, `ny` and `nz` must be at least 1"));
    }
    if total > MAX_POINTS as u128 {
        return Err(failed(&TopologyError::TooManyPoints { n_points: total, limit: MAX_POINTS }));
    }
    let [min, max] = s.corners.get(b)?;
    let numbering = if s.split_normals {
        Numbering::PerSide
    } else if !s.internal_points && n.iter().all(|n| *n > 1) {
        Numbering::Surface
    } else {
        Numbering::Lattice
    };
    set(b, b.component, Surface { n, numbering }.topology(min, max));
    Ok(())
}

/// How points are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbering {
    /// All points of the lattice, x running fastest.
    Lattice,
    /// Those of the lowest layer, of the highest, then of each layer between: the two rows along x, the two along y.
    Surface,
    /// Those of the lower sides across x, y and z, then of the upper ones.
    PerSide,
}

/// The surface of a lattice.
struct Surface {
    n: [usize; 3],
    numbering: Numbering,
}

/// A side: the axis across it, and whether it is the upper one.
type Side = (usize, bool);

impl Surface {
    /// **Source:** as SOFA's, with its order of points, edges and quads; quads are seen counter-clockwise from outside.
    fn topology(&self, min: Vec3, max: Vec3) -> Topology {
        let step =
            Vec3::from_fn(
                |k, _| if self.n[k] > 1 { (max[k] - min[k]) / (self.n[k] - 1) as f64 } else { 0.0 },
            );
        let at = |p: [usize; 3]| min + Vec3::from_fn(|k, _| step[k] * p[k] as f64);
        let points: Vec<Vec3> = self.places().into_iter().map(at).collect();
        Topology {
            n_points: points.len(),
            points,
            edges: self.edges(),
            quads: self.quads(),
            ..Topology::empty(TopologyKind::Mesh)
        }
    }

    /// Where the points are in the lattice, in their order.
    fn places(&self) -> Vec<[usize; 3]> {
        let [nx, ny, nz] = self.n;
        let lattice = |xs: [usize; 2], ys: [usize; 2], zs: [usize; 2]| {
            let row = move |z: usize, y: usize| (xs[0]..xs[1]).map(move |x| [x, y, z]);
            (zs[0]..zs[1]).flat_map(move |z| (ys[0]..ys[1]).flat_map(move |y| row(z, y)))
        };
        let all = |k: usize| [0, self.n[k]];
        let one = |i: usize| [i, i + 1];
        let mut places = Vec::new();
        match self.numbering {
            Numbering::Lattice => places.extend(lattice(all(0), all(1), all(2))),
            Numbering::Surface => {
                places.extend(lattice(all(0), all(1), one(0)));
                places.extend(lattice(all(0), all(1), one(nz - 1)));
                for z in 1..nz - 1 {
                    places.extend(lattice(all(0), one(0), one(z)));
                    places.extend(lattice(all(0), one(ny - 1), one(z)));
                    places.extend(lattice(one(0), [1, ny - 1], one(z)));
                    places.extend(lattice(one(nx - 1), [1, ny - 1], one(z)));
                }
            }
            Numbering::PerSide => {
                for upper in [false, true].into_iter().take(1 + usize::from(self.n.iter().any(|n| *n > 1))) {
                    for axis in 0..3 {
                        if upper && self.n[axis] == 1 {
                            continue;
                        }
                        let mut ranges = [all(0), all(1), all(2)];
                        ranges[axis] = one(if upper { self.n[axis] - 1 } else { 0 });
                        places.extend(lattice(ranges[0], ranges[1], ranges[2]));
                    }
                }
            }
        }
        places
    }

    /// The number of a point as one of a side.
    fn point(&self, p: [usize; 3], side: Side) -> u32 {
        let ([nx, ny, nz], [x, y, z]) = (self.n, p);
        let number = match self.numbering {
            Numbering::Lattice => x + nx * (y + ny * z),
            Numbering::Surface if z == 0 => x + nx * y,
            Numbering::Surface if z == nz - 1 => x + nx * (y + ny),
            Numbering::Surface => {
                let base = 2 * nx * ny + (2 * nx + 2 * ny - 4) * (z - 1);
                base + match (x, y) {
                    (_, 0) => x,
                    (_, y) if y == ny - 1 => nx + x,
                    (0, _) => 2 * nx + y - 1,
                    _ => 2 * nx + ny - 2 + y - 1,
                }
            }
            Numbering::PerSide => self.on_side(p, side),
        };
        number as u32
    }

    fn on_side(&self, [x, y, z]: [usize; 3], (axis, upper): Side) -> usize {
        let [nx, ny, nz] = self.n;
        let of_sides = [ny * nz, nx * nz, nx * ny];
        let lower: usize = if upper { of_sides.iter().sum() } else { 0 };
        // A side of a flat box has no upper one; those after it move up.
        let before: usize = (0..axis).filter(|k| !upper || self.n[*k] > 1).map(|k| of_sides[k]).sum();
        lower + before + [y + ny * z, x + nx * z, x + nx * y][axis]
    }

    /// The first side that a point is on: across x, then y, then z, lower sides first.
    fn side_of(&self, p: [usize; 3]) -> Side {
        let on = |k: usize| (p[k] == 0 || p[k] + 1 == self.n[k]).then(|| (k, p[k] != 0));
        (0..3).find_map(on).unwrap_or((0, false))
    }

    fn edges(&self) -> Vec<[u32; 2]> {
        let [nx, ny, nz] = self.n;
        let mut edges = Vec::new();
        for i in 0..nx * ny * nz {
            let p = [i % nx, i / nx % ny, i / (nx * ny)];
            let border = |k: usize| p[k] == 0 || p[k] + 1 == self.n[k];
            for k in 0..3 {
                if p[k] + 1 < self.n[k] && (border((k + 1) % 3) || border((k + 2) % 3)) {
                    let mut q = p;
                    q[k] += 1;
                    edges.push([self.point(p, self.side_of(p)), self.point(q, self.side_of(q))]);
                }
            }
        }
        edges
    }

    /// Those across z, y and x, of each the lower side first.
    fn quads(&self) -> Vec<[u32; 4]> {
        let mut quads = Vec::new();
        for axis in [2, 1, 0] {
            // The inner and the outer of the two axes in the side.
            let [u, v] = [[1, 2], [0, 2], [0, 1]][axis];
            for upper in [false, true] {
                if upper && self.n[axis] == 1 {
                    continue;
                }
                let turned = upper != (axis == 1);
                for j in 0..self.n[v].saturating_sub(1) {
                    for i in 0..self.n[u].saturating_sub(1) {
                        let corner = |du: usize, dv: usize| {
                            let mut p = [0; 3];
                            p[axis] = if upper { self.n[axis] - 1 } else { 0 };
                            (p[u], p[v]) = (i + du, j + dv);
                            self.point(p, (axis, upper))
                        };
                        let (first, second) = if turned { ([1, 0], [0, 1]) } else { ([0, 1], [1, 0]) };
                        let [a, b] = [first, second].map(|d| corner(d[0], d[1]));
                        quads.push([corner(0, 0), a, corner(1, 1), b]);
                    }
                }
            }
        }
        quads
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn built(attributes: &[(&'static str, &str)]) -> Topology {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, attributes).unwrap();
        t.scene.topology(c).unwrap().clone()
    }

    const SIZE: [(&str, &str); 4] = [("nx", "3"), ("ny", "4"), ("nz", "5"), ("max", "2 3 4")];

    fn with(more: &[(&'static str, &str)]) -> Topology {
        built(&[&SIZE[..], more].concat())
    }

    /// The volume within quads that are seen counter-clockwise from outside.
    fn volume(t: &Topology) -> f64 {
        let of = |[a, b, c]: [u32; 3]| {
            let [a, b, c] = [a, b, c].map(|i| t.points[i as usize]);
            a.dot(&b.cross(&c)) / 6.0
        };
        t.quads.iter().map(|q| of([q[0], q[1], q[2]]) + of([q[0], q[2], q[3]])).sum()
    }

    #[test]
    fn every_numbering_gives_the_same_closed_surface() {
        for (more, n_points) in [
            (&[][..], 60 - 6),
            (&[("internalPoints", "1")], 60),
            (&[("splitNormals", "1")], 2 * (12 + 15 + 20)),
        ] {
            let t = with(more);
            assert_eq!((t.n_points, t.quads.len()), (n_points, 2 * (6 + 8 + 12)), "{more:?}");
            assert!((volume(&t) - 24.0).abs() < 1e-12, "{more:?}: {}", volume(&t));
            assert_eq!(t.edges.len(), 2 * t.quads.len(), "{more:?}");
            let lengths = t.edges.iter().map(|[a, b]| (t.points[*a as usize] - t.points[*b as usize]).norm());
            assert!(lengths.into_iter().all(|l| (l - 1.0).abs() < 1e-12), "{more:?}");
        }
    }

    #[test]
    fn points_are_numbered_as_in_sofa() {
        let t = with(&[]);
        assert_eq!(t.points[12], Vec3::new(0.0, 0.0, 4.0), "the highest layer follows the lowest");
        assert_eq!(t.points[24], Vec3::new(0.0, 0.0, 1.0));
        assert_eq!(t.points[30], Vec3::new(0.0, 1.0, 1.0));
        assert_eq!(t.quads[0], [0, 3, 4, 1]);
        assert_eq!(t.edges[..3], [[0, 1], [0, 3], [0, 24]]);
        let sides = with(&[("splitNormals", "1")]);
        assert_eq!(sides.points[20], Vec3::zeros(), "the side across y follows that across x");
        assert_eq!(sides.points[47], Vec3::new(2.0, 0.0, 0.0), "the upper sides follow the lower ones");
    }

    #[test]
    fn a_box_of_no_points_is_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        let e = t.add(&DESCRIPTION, root, &[("nx", "3")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("nx"));
    }
}
