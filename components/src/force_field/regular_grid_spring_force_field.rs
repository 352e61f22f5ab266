//! `RegularGridSpringForceField`: springs along the lines, faces and cells of a lattice. The file is long for two kinds of springs in one
//! component: those of the lattice and listed ones.

use sim_core::prelude::*;
use sim_core::topology::RegularGrid;

use super::springs::listed::{SpringLists, SpringSwitches, without_file};
use super::springs::{Spring, SpringKind, field, following};

/// Springs along the lines, faces and cells of a lattice, and listed springs besides, which alone are in assembled matrices.
#[derive(Attributes)]
#[attributes(ignored("drawMode", "showArrowSize"))]
struct Settings {
    /// stiffness of a spring of unit length along the lines [N]
    #[attribute(default = "100", alias = "stiffness")]
    lines_stiffness: Real,
    /// damping of a spring of unit length along the lines [N s]
    #[attribute(default = "5", alias = "damping")]
    lines_damping: Real,
    /// the same along the diagonals of faces [N]
    #[attribute(default = "100", alias = "stiffness")]
    quads_stiffness: Real,
    /// the same along the diagonals of faces [N s]
    #[attribute(default = "5", alias = "damping")]
    quads_damping: Real,
    /// the same along the diagonals of cells [N]
    #[attribute(default = "100", alias = "stiffness")]
    cubes_stiffness: Real,
    /// the same along the diagonals of cells [N s]
    #[attribute(default = "5", alias = "damping")]
    cubes_damping: Real,
    #[attribute(flatten)]
    lists: SpringLists,
    #[attribute(flatten)]
    switches: SpringSwitches,
    /// topology to read; searched in this node and above if not given
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "RegularGridSpringForceField", build)
        .follows(Following::of_pairs(following::follow).prepared(&["fileSprings"], without_file))
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("stiffness='300' damping='0.05'").elements("grid"),
            Sample::new("linesStiffness='300' damping='0.05' spring='0 3 150 0.02 0.3'").elements("grid"),
        ]);

/// The springs of a lattice.
///
/// Springs along the lines of the lattice, along both diagonals of each face and the four of each cell, at most one between two points: k
/// and c are the stiffness and damping of the kind, over the length L.
///
/// With u = x₂ − x₁, d = |u| and n = u/d: φ = k (d − L) + c n·(v₂ − v₁), φ n on the first point, −φ n on the second, nothing at d ≤ 1e-9.
/// The tangent (k − φ/d) n nᵀ + (φ/d) I by u leaves out how φ changes with the velocities and n in the damping.
///
/// **Source:** as SOFA's, which leaves them out of assembled matrices.
pub struct GridSprings;

impl SpringKind for GridSprings {
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = false;
}

/// Springs that are listed beside those of a lattice.
///
/// **Source:** SOFA's class is one of listed springs, which act before those of the lattice and are in assembled matrices.
pub struct SpringsBesideGrid;

impl SpringKind for SpringsBesideGrid {
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = true;
}

/// A kind of springs: from offset `from` to offset `to` of every cell that has both.
type Pair = ([usize; 3], [usize; 3]);

const LINES: [&[Pair]; 3] = [&[([0, 0, 0], [1, 0, 0])], &[([0, 0, 0], [0, 1, 0])], &[([0, 0, 0], [0, 0, 1])]];
const QUADS: [&[Pair]; 3] = [
    &[([0, 0, 0], [1, 1, 0]), ([1, 0, 0], [0, 1, 0])],
    &[([0, 0, 0], [1, 0, 1]), ([1, 0, 0], [0, 0, 1])],
    &[([0, 0, 0], [0, 1, 1]), ([0, 1, 0], [0, 0, 1])],
];
const CUBES: [&[Pair]; 1] =
    [&[([0, 0, 0], [1, 1, 1]), ([1, 0, 0], [0, 1, 1]), ([0, 1, 0], [1, 0, 1]), ([0, 0, 1], [1, 1, 0])]];

/// All springs of a lattice, given (stiffness, damping) of lines, quads and cubes.
///
/// **Source:** as SOFA: rest lengths are those of the lattice's steps, wherever the state is; lines X, Y, Z, faces XY, XZ,
/// YZ, cells; in each, z outermost and x innermost.
fn springs(grid: &RegularGrid, classes: [(Real, Real); 3]) -> Vec<Spring> {
    let mut all = Vec::new();
    let groups = LINES.iter().map(|g| (g, classes[0]));
    let groups = groups.chain(QUADS.iter().map(|g| (g, classes[1])));
    for (group, (stiffness, damping)) in groups.chain(CUBES.iter().map(|g| (g, classes[2]))) {
        if stiffness == 0.0 && damping == 0.0 {
            continue;
        }
        let reach: [usize; 3] =
            std::array::from_fn(|k| group.iter().map(|(a, b)| a[k].max(b[k])).max().unwrap_or(0));
        let count = |k: usize| grid.n[k].saturating_sub(reach[k]);
        for z in 0..count(2) {
            for y in 0..count(1) {
                for x in 0..count(0) {
                    for (from, to) in *group {
                        let index = |o: &[usize; 3]| {
                            (x + o[0] + grid.n[0] * (y + o[1] + grid.n[1] * (z + o[2]))) as u32
                        };
                        let length = offset(grid, to, from).norm();
                        all.push(Spring::per_length(index(from), index(to), stiffness, damping, length));
                    }
                }
            }
        }
    }
    all
}

fn offset(grid: &RegularGrid, to: &[usize; 3], from: &[usize; 3]) -> Vec3 {
    let step = |k: usize| to[k] as Real - from[k] as Real;
    grid.dx * step(0) + grid.dy * step(1) + grid.dz * step(2)
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let state = b.state()?;
    b.check_template::<Vec3Type>(state)?;
    let n = b.size(state);
    let s = Settings::read(b)?;
    // Lists of numbers without points have no effect here, which the loader says of what is not read.
    let besides =
        if s.lists.is_empty(b)? { Vec::new() } else { s.lists.springs(b, Some(&s.switches), [n; 2])? };
    if !besides.is_empty() {
        field::add::<SpringsBesideGrid>(b, state, &besides)?;
    }
    let Some(grid) = b.topology(TopologySearch::First).and_then(|t| t.grid) else {
        // As SOFA, which goes on without springs, with an error message.
        b.warn(
            Some("topology"),
            "the first topology found is no RegularGridTopology, so there are no springs; put one in this node, before any other topology",
        );
        return field::add::<GridSprings>(b, state, &[]);
    };
    let points = grid.n[0] * grid.n[1] * grid.n[2];
    if points > n {
        return Err(BuildError::attribute(
            "topology",
            format!("the grid has {points} points, but the state only {n}"),
        ));
    }
    let lines = (s.lines_stiffness, s.lines_damping);
    let quads = (s.quads_stiffness, s.quads_damping);
    let cubes = (s.cubes_stiffness, s.cubes_damping);
    let springs = springs(&grid, [lines, quads, cubes]);
    field::add::<GridSprings>(b, state, &springs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;

    #[test]
    fn a_lattice_has_lines_diagonals_and_space_diagonals() {
        let grid = RegularGrid {
            n: [3, 2, 2],
            p0: Vec3::zeros(),
            dx: Vec3::x() * 3.0,
            dy: Vec3::y() * 4.0,
            dz: Vec3::z() * 12.0,
        };
        let all = springs(&grid, [(1.0, 0.0); 3]);
        let lines = 2 * 2 * 2 + 3 * 2 + 3 * 2;
        let quads = 2 * (2 * 2 + 2 * 2 + 3);
        assert_eq!(all.len(), lines + quads + 4 * 2);
        assert_eq!((all[0].i, all[0].j, all[0].length, all[0].stiffness), (0, 1, 3.0, 1.0 / 3.0));
        let diagonals: Vec<_> = all[lines..lines + 2].iter().map(|s| (s.i, s.j, s.length)).collect();
        assert_eq!(diagonals, [(0, 4, 5.0), (1, 3, 5.0)]);
        let space: Vec<_> = all[lines + quads..][..4].iter().map(|s| (s.i, s.j)).collect();
        assert_eq!(space, [(0, 10), (1, 9), (3, 7), (6, 4)]);
        assert_eq!(all[lines + quads].length, 13.0);
        assert_eq!(springs(&grid, [(0.0, 1.0), (0.0, 0.0), (0.0, 0.0)]).len(), lines);
    }

    #[test]
    fn without_a_grid_there_are_no_springs() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "8")]).unwrap();
        t.add(&DESCRIPTION, root, &[]).unwrap();
        assert!(t.warnings[0].starts_with("topology"), "{:?}", t.warnings);
        let without = t.scene.parts.force_fields.len();
        let all = topology::all();
        let grid = all.iter().find(|d| d.class == "RegularGridTopology").unwrap();
        t.add(grid, root, &[("n", "2 2 2")]).unwrap();
        t.add(&DESCRIPTION, root, &[("stiffness", "400"), ("damping", "4")]).unwrap();
        assert_eq!(t.scene.parts.force_fields.len(), without + 1);
        t.add(&DESCRIPTION, root, &[("spring", "0 7 5 0 1")]).unwrap();
        assert_eq!(t.scene.parts.force_fields.len(), without + 3, "a listed one, and the lattice");
        let lists = [("springsIndices1", "0 1"), ("springsIndices2", "7 6"), ("stiffness", "400")];
        t.add(&DESCRIPTION, root, &lists).unwrap();
        let fields = &t.scene.parts.force_fields;
        let springs = field::springs_among(fields[without + 3].node.unfrozen_elements().unwrap()).unwrap();
        let numbers: Vec<_> = springs.iter().map(|s| (s.i, s.j, s.stiffness, s.damping, s.length)).collect();
        assert_eq!(numbers, [(0, 7, 400.0, 5.0, 0.0), (1, 6, 400.0, 5.0, 0.0)]);
        let wrong = t.add(&DESCRIPTION, root, &[("spring", "0 8 5 0 1")]).unwrap_err();
        assert_eq!(wrong.attribute.as_deref(), Some("spring"));
        let small = t.child(root, "small");
        t.add(&mechanical_object::DESCRIPTION, small, &[("size", "7")]).unwrap();
        assert_eq!(t.add(&DESCRIPTION, small, &[]).unwrap_err().attribute.as_deref(), Some("topology"));
    }
}
