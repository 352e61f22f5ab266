//! Which cells of a lattice a closed surface runs through, encloses or leaves out.

use sim_core::math::Vec3;
use sim_core::topology::{RegularGrid, Topology};

/// Where a cell lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// The surface goes through it.
    Border,
    /// The surface encloses it.
    Inside,
    /// It can be reached from the sides of the lattice.
    Outside,
}

/// The triangles of a surface; its polygons are fans.
pub(super) fn triangles(surface: &Topology) -> impl Iterator<Item = [u32; 3]> + '_ {
    let halves = |q: &[u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]];
    surface.triangles.iter().copied().chain(surface.quads.iter().flat_map(halves))
}

/// Where each cell lies, x running fastest.
///
/// **Source:** as SOFA's sparse grids: cells of vertices are on the border, and those that a triangle meets, tested in 32-bit
/// coordinates of the cell; what a fill through faces reaches from the sides of the lattice is outside, the rest inside. A vertex
/// on an upper face of the lattice belongs to the cell below it, which it does not put on the border.
pub(super) fn voxelize(lattice: &RegularGrid, surface: &Topology) -> Vec<Cell> {
    let mut cells = vec![Cell::Inside; lattice.cells().iter().product()];
    let place = |x: &Vec3| lattice.place_of(x);
    let places: Vec<Option<[usize; 3]>> = surface
        .points
        .iter()
        .map(|x| {
            let found = place(x);
            if let Some(at) = found {
                cells[lattice.cell(at)] = Cell::Border;
            }
            found.or_else(|| place(&moved_inwards(lattice, x)))
        })
        .collect();
    for triangle in triangles(surface) {
        let [Some(a), Some(b), Some(c)] = triangle.map(|i| places[i as usize]) else { continue };
        let corners = triangle.map(|i| surface.points[i as usize]);
        let least: [usize; 3] = std::array::from_fn(|k| a[k].min(b[k]).min(c[k]));
        let most: [usize; 3] = std::array::from_fn(|k| a[k].max(b[k]).max(c[k]));
        for z in least[2]..=most[2] {
            for y in least[1]..=most[1] {
                for x in least[0]..=most[0] {
                    let cell = lattice.cell([x, y, z]);
                    if cells[cell] != Cell::Border && meets(lattice, [x, y, z], &corners) {
                        cells[cell] = Cell::Border;
                    }
                }
            }
        }
    }
    flood(lattice, &mut cells);
    cells
}

/// A position beyond or on a side of the lattice, moved to half a cell within that side.
fn moved_inwards(lattice: &RegularGrid, x: &Vec3) -> Vec3 {
    let half = (lattice.dx + lattice.dy + lattice.dz) / 2.0;
    let (min, max) = (lattice.p0, lattice.point(lattice.cells()));
    let margin = f64::from(f32::EPSILON);
    Vec3::from_fn(|k, _| {
        if x[k] - margin < min[k] {
            min[k] + half[k]
        } else if x[k] + margin > max[k] {
            max[k] - half[k]
        } else {
            x[k]
        }
    })
}

/// Whether a triangle meets a cell: separating axes in coordinates in which the cell is the unit cube about the origin.
fn meets(lattice: &RegularGrid, place: [usize; 3], corners: &[Vec3; 3]) -> bool {
    let first = lattice.point(place);
    let diagonal = lattice.point(place.map(|i| i + 1)) - first;
    let centre = first + diagonal * 0.5;
    let p = corners.map(|x| (x - centre).component_div(&diagonal).map(|c| f64::from(c as f32)));
    let separates = |axis: Vec3| {
        let along = p.map(|x| x.dot(&axis));
        let reach = 0.5 * axis.iter().map(|c| c.abs()).sum::<f64>();
        along.iter().all(|a| *a > reach) || along.iter().all(|a| *a < -reach)
    };
    let sides = [p[1] - p[0], p[2] - p[1], p[0] - p[2]];
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    let crossed = || sides.iter().flat_map(|s| axes.map(|a| s.cross(&a)));
    !(axes.into_iter().any(separates) || separates(sides[0].cross(&sides[1])) || crossed().any(separates))
}

/// Puts outside what is reached through faces from the sides of the lattice.
fn flood(lattice: &RegularGrid, cells: &mut [Cell]) {
    let n = lattice.cells();
    let mut reached: Vec<[usize; 3]> = (0..cells.len())
        .map(|c| lattice.place(c))
        .filter(|p| (0..3).any(|k| p[k] == 0 || p[k] + 1 == n[k]))
        .collect();
    while let Some(place) = reached.pop() {
        let cell = &mut cells[lattice.cell(place)];
        if *cell != Cell::Inside {
            continue;
        }
        *cell = Cell::Outside;
        for k in 0..3 {
            let with = |i: usize| {
                let mut p = place;
                p[k] = i;
                p
            };
            reached.extend(place[k].checked_sub(1).map(with));
            reached.extend((place[k] + 1 < n[k]).then(|| with(place[k] + 1)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::topology::TopologyKind;

    /// Unit cells from the origin.
    pub fn lattice(n: [usize; 3]) -> RegularGrid {
        RegularGrid { n: n.map(|n| n + 1), p0: Vec3::zeros(), dx: Vec3::x(), dy: Vec3::y(), dz: Vec3::z() }
    }

    fn surface(points: &[[f64; 3]], quads: &[[u32; 4]]) -> Topology {
        let points = points.iter().map(|p| Vec3::from(*p)).collect();
        Topology { points, quads: quads.to_vec(), ..Topology::empty(TopologyKind::Mesh) }
    }

    /// The surface of a box.
    fn shell(a: f64, b: f64) -> Topology {
        let p: Vec<[f64; 3]> =
            (0..8).map(|i| [0, 1, 2].map(|k| if i >> k & 1 == 1 { b } else { a })).collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        surface(&p, &quads)
    }

    #[test]
    fn a_shell_has_cells_on_its_border_and_within() {
        let cells = voxelize(&lattice([7; 3]), &shell(1.3, 5.6));
        let count = |kind| cells.iter().filter(|c| **c == kind).count();
        assert_eq!((count(Cell::Inside), count(Cell::Border)), (27, 125 - 27));
        assert_eq!(cells[lattice([7; 3]).cell([3, 3, 3])], Cell::Inside);
    }

    #[test]
    fn a_shell_with_a_hole_encloses_nothing() {
        let mut open = shell(1.3, 5.6);
        open.quads.pop();
        let cells = voxelize(&lattice([7; 3]), &open);
        assert!(cells.iter().all(|c| *c != Cell::Inside));
        assert!(cells.contains(&Cell::Border));
    }

    #[test]
    fn a_slanted_triangle_meets_what_it_crosses_only() {
        let mut t = surface(&[[0.1, 0.1, 0.5], [2.9, 0.1, 0.5], [0.1, 2.9, 0.5]], &[]);
        t.triangles = vec![[0, 1, 2]];
        let cells = voxelize(&lattice([3, 3, 1]), &t);
        let border: Vec<usize> = (0..9).filter(|i| cells[*i] == Cell::Border).collect();
        assert_eq!(
            border,
            [0, 1, 2, 3, 4, 6],
            "the diagonal runs along the corner of cells 5 and 7 at a distance"
        );
    }

    #[test]
    fn a_vertex_on_an_upper_face_belongs_to_the_cell_below() {
        let mut t = surface(&[[2.0, 0.5, 0.5], [1.2, 0.4, 0.5], [1.2, 0.6, 0.5]], &[]);
        t.triangles = vec![[0, 1, 2]];
        let cells = voxelize(&lattice([2, 1, 1]), &t);
        assert_eq!(cells, [Cell::Outside, Cell::Border]);
    }
}
