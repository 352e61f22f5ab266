//! The components `SparseGridTopology`, `SparseGridRamificationTopology` and `SparseGridMultipleTopology`. The file is long for its three
//! classes, and for surfaces and voxels that fill a grid.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;
use sim_core::topology::{RegularGrid, Topology, TopologyKind};

use super::super::counts::whole;
use super::super::field::{Drawing, failed, set};
use super::super::lists::{self, PointList, QuadList, TriangleList};
use super::super::{MAX_POINTS, TopologyError};
use super::branches::{BranchedLevel, LOWER_SIDES, line_meets};
use super::cells::Level;
use super::voxel_file;
use super::voxels::{Cell, voxelize};

/// The cells of a lattice that a closed surface runs through or encloses.
#[derive(Attributes)]
#[attributes(
    unsupported("facets", summary = "are further polygons of the surface"),
    ignored("dataResolution", "voxelSize", "marchingCubeStep", "convolutionSize", "dataVoxels", "drawFaces"),
    ignored("edges", "hexahedra", "tetrahedra")
)]
struct Settings {
    #[attribute(flatten)]
    points: PointList,
    #[attribute(flatten)]
    triangles: TriangleList,
    #[attribute(flatten)]
    quads: QuadList,
    /// points of the lattice along each axis, at least 2
    #[attribute(default = "2 2 2")]
    n: [i64; 3],
    /// one corner of the lattice; where it equals `max` and both are 0, that of the surface, 1 % of its extent farther out [m]
    #[attribute(default = "0 0 0")]
    min: Vec3,
    /// the opposite corner [m]
    #[attribute(default = "0 0 0")]
    max: Vec3,
    /// size by which cells are counted, instead of n; 0: unused [m]
    #[attribute(default = "0", non_negative)]
    cell_width: f64,
    /// whether cells that the surface goes through count half
    #[attribute(default = "1")]
    fill_weighted: bool,
    /// whether cells that the surface goes through are left out
    only_inside_cells: bool,
    /// how often cells are halved before the surface is looked at
    #[attribute(default = "0")]
    nb_virtual_finer_levels: i64,
}

/// How branches are found.
#[derive(Attributes)]
struct Ramification {
    /// whether neighboring cells on the border are connected only where an edge of the surface crosses between them
    #[attribute(default = "1")]
    finest_connectivity: bool,
}

/// Several surfaces of different stiffness and mass.
#[derive(Attributes)]
struct Multiple {
    /// mesh files of the surfaces; later ones lie within earlier ones
    file_topologies: Vec<String>,
    /// factors of their stiffness; 1 where there are fewer
    stiffness_coefs: Vec<f64>,
    /// factors of their masses; 1 where there are fewer
    mass_coefs: Vec<f64>,
    /// whether cells that touch without being connected are kept apart; always so with finer levels
    #[attribute(default = "1")]
    compute_ramifications: bool,
    /// whether a later factor takes the place of an earlier one on the border, instead of the mean
    erase_previous_coef: bool,
}

/// The components.
pub(in crate::topology) const ALL: [ComponentDescription; 3] = [
    ComponentDescription::new::<(Settings, Drawing)>(Family::Topology, "SparseGridTopology", |b| {
        let s = Settings::read(b)?;
        let levels = s.levels()?;
        if let Some(missing) = s.missing_file(b) {
            b.warn(Some("filename"), format!("{missing}; the topology is empty"));
            set(b, b.component, Topology::empty(TopologyKind::SparseGrid));
            return Ok(());
        }
        let source = Source::read(&s, b)?;
        let mut level = source.finest(&s, levels)?;
        let mut finer = Vec::new();
        for _ in 0..levels {
            let coarser = level.coarser();
            finer.insert(0, level.below(&coarser));
            level = coarser;
        }
        let mut topology = level.topology();
        if let Some(cells) = &mut topology.sparse {
            cells.finer = finer;
        }
        finish(b, topology)
    }),
    ComponentDescription::new::<(Settings, Ramification, Drawing)>(
        Family::Topology,
        "SparseGridRamificationTopology",
        |b| {
            let (s, r) = (Settings::read(b)?, Ramification::read(b)?);
            let source = Source::read(&s, b)?;
            let levels = s.levels()?;
            let level = source.finest(&s, levels)?;
            finish(b, branched(level, levels, r.finest_connectivity, source.surface.as_ref()))
        },
    )
    .summary(
        "The cells that a surface fills; those that touch without being connected have points of their own",
    ),
    ComponentDescription::new::<(Settings, Ramification, Multiple, Drawing)>(
        Family::Topology,
        "SparseGridMultipleTopology",
        build_multiple,
    )
    .summary("The cells that several surfaces fill, with the stiffness and mass of each"),
];

impl Settings {
    /// What is said of a surface that is to be read and is not there: as in SOFA, there are no cells then.
    fn missing_file(&self, b: &Builder<'_>) -> Option<String> {
        self.points.filename.as_ref().filter(|name| !name.trim().is_empty())?;
        b.mesh("filename").err()?;
        b.file("filename").err().map(|e| e.message)
    }

    fn levels(&self) -> Result<u32, BuildError> {
        let levels = self.nb_virtual_finer_levels;
        u32::try_from(levels).ok().filter(|l| *l <= 16).ok_or_else(|| {
            let text = format!("`nbVirtualFinerLevels` is {levels}; it must be between 0 and 16");
            BuildError::attribute("nbVirtualFinerLevels", text)
        })
    }

    /// The lattice of the finest level about points.
    fn lattice(&self, points: &[Vec3], levels: u32) -> Result<RegularGrid, BuildError> {
        let (mut min, mut max) = (self.min, self.max);
        if min == Vec3::zeros() && max == Vec3::zeros() {
            min = points.iter().fold(Vec3::repeat(f64::INFINITY), |m, p| m.zip_map(p, f64::min));
            max = points.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |m, p| m.zip_map(p, f64::max));
            let margin = (max - min) / 100.0;
            (min, max) = (min - margin, max + margin);
        }
        let size = max - min;
        if let Some(k) = (0..3).find(|k| !(size[*k] > 0.0 && size[*k].is_finite())) {
            let text = format!("the lattice has no extent along axis {k}; give `min` and `max`");
            return Err(BuildError::attribute("min", text));
        }
        let mut n = whole("n", self.n)?.map(|n| u64::from(n.max(2).unsigned_abs()));
        if self.cell_width != 0.0 {
            n = [0, 1, 2].map(|k| ((size[k] / self.cell_width).ceil() as u64).saturating_add(1));
        } else {
            n = n.map(|n| (n - 1).saturating_mul(1 << levels) + 1);
        }
        let total = n.iter().fold(1_u128, |total, n| total.saturating_mul(u128::from(*n)));
        if total > MAX_POINTS as u128 {
            return Err(failed(&TopologyError::TooManyPoints { n_points: total, limit: MAX_POINTS }));
        }
        let step = |k: usize| size[k] / (n[k] - 1) as f64;
        let (dx, dy, dz) = (Vec3::x() * step(0), Vec3::y() * step(1), Vec3::z() * step(2));
        Ok(RegularGrid { n: n.map(|n| n as usize), p0: min, dx, dy, dz })
    }

    fn border_factor(&self) -> f32 {
        if self.fill_weighted { 0.5 } else { 1.0 }
    }
}

/// What fills the cells: a surface, or voxels.
struct Source {
    surface: Option<Topology>,
    voxels: Option<(RegularGrid, Vec<Cell>)>,
}

impl Source {
    /// **Source:** as SOFA: a file in place of the lists; `.voxel` files hold cells, all others a surface.
    fn read(s: &Settings, b: &mut Builder<'_>) -> Result<Self, BuildError> {
        let name = s.points.filename.as_deref().map_or("", str::trim);
        let wrong = |text: String| BuildError::attribute("filename", text);
        if name.ends_with(".raw") {
            return Err(wrong("`.raw` files of voxels are not supported; use a surface".to_owned()));
        }
        if name.ends_with(".voxel") {
            let path = b.file("filename")?;
            let text =
                std::fs::read_to_string(&path).map_err(|e| wrong(format!("{}: {e}", path.display())))?;
            let voxels = voxel_file::parse(&text).map_err(|e| wrong(format!("{}: {e}", path.display())))?;
            return Ok(Self { surface: None, voxels: Some(voxels) });
        }
        let surface = lists::surface(&s.points, &s.triangles, &s.quads, b)?;
        if surface.points.is_empty() {
            return Err(BuildError::attribute(
                "filename",
                "there is no surface; give `fileTopology`, or `position` and `triangles`",
            ));
        }
        Ok(Self { surface: Some(surface), voxels: None })
    }

    fn finest(&self, s: &Settings, levels: u32) -> Result<Level, BuildError> {
        let (lattice, cells) = match (&self.voxels, &self.surface) {
            (Some((lattice, cells)), _) => (*lattice, cells.clone()),
            (None, Some(surface)) => {
                let lattice = s.lattice(&surface.points, levels)?;
                (lattice, voxelize(&lattice, surface))
            }
            (None, None) => return Err(BuildError::new("there is nothing to fill cells with")),
        };
        Ok(Level::finest(lattice, &cells, s.only_inside_cells, s.border_factor()))
    }
}

/// The grid of the coarsest level with branches; without finer levels and the test of edges, that without branches.
fn branched(level: Level, levels: u32, test_edges: bool, surface: Option<&Topology>) -> Topology {
    if levels == 0 && !test_edges {
        return level.topology();
    }
    let edges = surface.filter(|_| test_edges);
    let crossed = crossings(&level, edges);
    let finest = BranchedLevel::finest(level, crossed);
    let (mut coarsest, mut finer) = (None, Vec::new());
    for depth in 0..levels {
        let below = coarsest.as_ref().unwrap_or(&finest);
        let coarser = below.coarser();
        finer.insert(0, below.below(&coarser, depth == 0 && !test_edges));
        coarsest = Some(coarser);
    }
    let mut topology = coarsest.as_ref().unwrap_or(&finest).topology(&finest);
    if let Some(cells) = &mut topology.sparse {
        cells.finer = finer;
    }
    topology
}

/// Whether the surface connects two neighboring cells: always where one is not on the border.
fn crossings(level: &Level, surface: Option<&Topology>) -> impl Fn(usize, usize, usize) -> bool + use<> {
    let (on_border, lattice) = (level.on_border.clone(), level.lattice);
    let places: Vec<[[usize; 3]; 8]> = (0..level.cells.len()).map(|c| level.corners(c)).collect();
    let lines: Option<Vec<[Vec3; 2]>> = surface.map(|s| {
        // The edge that closes a polygon is not looked at, as in SOFA.
        let of_triangles = s.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]]]);
        let of_quads = s.quads.iter().flat_map(|q| [[q[0], q[1]], [q[1], q[2]], [q[2], q[3]]]);
        of_triangles.chain(of_quads).map(|e| e.map(|i| s.points[i as usize])).collect()
    });
    move |cell, other, axis| {
        let Some(lines) = &lines else { return true };
        if !(on_border[cell] && on_border[other]) {
            return true;
        }
        // SOFA cuts the side along x as 0 4 7 3, along y as 0 1 5 4, along z as 0 1 2 3.
        let order = if axis == 1 { [0, 3, 2, 1] } else { [0, 1, 2, 3] };
        let corner = order.map(|i| lattice.point(places[cell][LOWER_SIDES[axis][i][0]]));
        let height = corner[0][axis];
        lines.iter().any(|[a, b]| {
            let (least, most) = (b[axis].min(2.0 * a[axis] - b[axis]), b[axis].max(2.0 * a[axis] - b[axis]));
            let margin = 1e-9 * (1.0 + height.abs());
            (least - margin..=most + margin).contains(&height)
                && (line_meets([a, b], [corner[0], corner[1], corner[2]])
                    || line_meets([a, b], [corner[0], corner[2], corner[3]]))
        })
    }
}

fn build_multiple(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, r, m) = (Settings::read(b)?, Ramification::read(b)?, Multiple::read(b)?);
    let levels = s.levels()?;
    if m.file_topologies.is_empty() {
        return Err(BuildError::attribute("fileTopologies", "`fileTopologies` names no file"));
    }
    for name in ["position", "triangles", "quads"] {
        if b.is_set(name) {
            b.warn(Some(name), "has no effect: surfaces are those of `fileTopologies`");
        }
    }
    let mut surfaces = Vec::new();
    for name in &m.file_topologies {
        let read = b.environment.read_mesh(name);
        surfaces.push(read.map_err(|e| BuildError::attribute("fileTopologies", e))?);
    }
    let all: Vec<Vec3> = surfaces.iter().flat_map(|t| t.points.iter().copied()).collect();
    let level = m.finest(&s, s.lattice(&all, levels)?, &surfaces);
    if levels == 0 && !m.compute_ramifications {
        return finish(b, level.topology());
    }
    let connecting = match &s.points.filename {
        Some(name) if !name.trim().is_empty() && r.finest_connectivity => Some(b.mesh("filename")?),
        _ => None,
    };
    finish(b, branched(level, levels, r.finest_connectivity, connecting.as_ref()))
}

impl Multiple {
    /// **Source:** as SOFA's: file by file, what is inside takes the file's factors; on the border of the file they are averaged with
    /// those of earlier files (at first 0) or replace them, and the cell is on the border unless it was inside before.
    fn finest(&self, s: &Settings, lattice: RegularGrid, surfaces: &[Topology]) -> Level {
        let n: usize = lattice.cells().iter().product();
        let mut kinds = vec![Cell::Outside; n];
        let mut factors = vec![[0.0_f32; 2]; n];
        for (i, surface) in surfaces.iter().enumerate() {
            let given = [&self.stiffness_coefs, &self.mass_coefs];
            let of_file = given.map(|list| list.get(i).map_or(1.0, |f| *f as f32));
            for (c, kind) in voxelize(&lattice, surface).into_iter().enumerate() {
                if kind == Cell::Inside || (kind == Cell::Border && !s.fill_weighted) {
                    (kinds[c], factors[c]) = (Cell::Inside, of_file);
                } else if kind == Cell::Border {
                    if kinds[c] != Cell::Inside {
                        kinds[c] = Cell::Border;
                    }
                    let mean = [0, 1].map(|k| (factors[c][k] + of_file[k]) * 0.5);
                    factors[c] = if self.erase_previous_coef { of_file } else { mean };
                }
            }
        }
        let mut level = Level::finest(lattice, &kinds, s.only_inside_cells, 1.0);
        for (i, cell) in level.cells.iter().enumerate() {
            [level.stiffness[i], level.mass[i]] = factors[*cell as usize];
        }
        level
    }
}

fn finish(b: &mut Builder<'_>, topology: Topology) -> Result<(), BuildError> {
    if topology.hexahedra.is_empty() {
        return Err(BuildError::new("the surface fills no cell of the lattice"));
    }
    debug_assert_eq!(topology.kind, TopologyKind::SparseGrid);
    set(b, b.component, topology);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    /// The surface of the unit cube, and its points.
    const CUBE: [(&str, &str); 2] = [
        ("position", "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1"),
        ("quads", "0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7"),
    ];

    fn grid(class: usize, more: &[(&'static str, &str)]) -> Topology {
        let mut t = TestScene::new();
        let root = t.root();
        let attributes: Vec<(&'static str, &str)> = CUBE.iter().chain(more).copied().collect();
        let c = t.add(&ALL[class], root, &attributes).unwrap();
        t.scene.topology(c).unwrap().clone()
    }

    #[test]
    fn a_cube_fills_its_lattice() {
        let t = grid(0, &[("n", "5 5 5")]);
        assert_eq!((t.n_points, t.hexahedra.len()), (125, 64));
        let cells = t.sparse.as_ref().unwrap();
        assert_eq!(cells.border.len(), 56);
        assert!(cells.stiffness[..56].iter().all(|f| *f == 0.5) && cells.stiffness[56..] == [1.0; 8]);
        assert!((t.points[0] - Vec3::repeat(-0.01)).norm() < 1e-15);
        let coarse = grid(0, &[("n", "3 3 3"), ("nbVirtualFinerLevels", "1")]);
        assert_eq!((coarse.n_points, coarse.hexahedra.len()), (27, 8));
        assert_eq!(coarse.sparse.unwrap().stiffness, [(7.0 * 0.5 + 1.0) / 8.0; 8]);
        let inner = grid(0, &[("n", "5 5 5"), ("onlyInsideCells", "1")]);
        assert_eq!(inner.hexahedra.len(), 8);
        assert_eq!(grid(0, &[("cellWidth", "0.3"), ("fillWeighted", "0")]).n_points, 125);
    }

    #[test]
    fn without_splits_a_branched_grid_has_the_same_cells() {
        let whole = [("n", "4 4 4"), ("finestConnectivity", "0"), ("nbVirtualFinerLevels", "1")];
        let t = grid(1, &whole);
        assert_eq!((t.n_points, t.hexahedra.len()), (64, 27));
        // No edge of the surface crosses between cells in the middle of a side of the cube.
        let split = grid(1, &[whole[0], ("finestConnectivity", "1")]);
        assert_eq!((split.n_points, split.hexahedra.len()), (96, 27));
    }

    #[test]
    fn what_cannot_be_filled_is_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        for (attributes, attribute) in [
            (&[][..], "filename"),
            (&[("position", "0 0 0 1 0 0"), ("triangles", "0 1 2")], "triangles"),
            (&[("position", "0 0 0 1 0 0 0 1 0"), ("triangles", "0 1 2")], "min"),
            (&[CUBE[0], CUBE[1], ("nbVirtualFinerLevels", "-1")], "nbVirtualFinerLevels"),
        ] {
            let e = t.add(&ALL[0], root, attributes).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some(attribute), "{e}");
        }
        // A file that is not there leaves the grid empty, with a warning.
        t.add(&ALL[0], root, &[CUBE[0], CUBE[1], ("fileTopology", "a.raw")]).unwrap();
        let e = t.add(&ALL[0], root, &[CUBE[0], CUBE[1], ("n", "9999 9999 9999")]).unwrap_err();
        assert!(e.message.contains("limit"), "{e}");
    }

    #[test]
    fn several_surfaces_give_their_factors() {
        let mut t = TestScene::new();
        let root = t.root();
        let points = |s: f64| -> Vec<Vec3> {
            (0..8).map(|i| Vec3::from_fn(|k, _| if i >> k & 1 == 1 { s } else { -s })).collect()
        };
        let quads = vec![[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        for (name, size) in [("out.obj", 3.0), ("in.obj", 1.2)] {
            let mesh = Topology {
                points: points(size),
                n_points: 8,
                quads: quads.clone(),
                ..Topology::empty(TopologyKind::Mesh)
            };
            t.mesh(name, mesh);
        }
        let attributes = [
            ("fileTopologies", "out.obj in.obj"),
            ("stiffnessCoefs", "1 5"),
            ("n", "7 7 7"),
            ("finestConnectivity", "0"),
        ];
        let c = t.add(&ALL[2], root, &attributes).unwrap();
        let cells = t.scene.topology(c).unwrap().sparse.clone().unwrap();
        let of = |i, j, k| cells.stiffness[cells.hexahedron_of_cell[cells.lattice.cell([i, j, k])] as usize];
        assert_eq!((of(0, 0, 0), of(1, 1, 1), of(2, 2, 2)), (0.5, 3.0, 5.0), "on both borders the mean");
        assert!(cells.mass.contains(&0.5));
    }
}
