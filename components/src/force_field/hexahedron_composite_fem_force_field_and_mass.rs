//! `HexahedronCompositeFEMForceFieldAndMass`: elastic hexahedra of several materials, condensed from finer cells within them.

use sim_core::prelude::*;
use sim_core::topology::Topology;

use super::condensed_hexahedra::{self, CondensedAttributes, CondensedKind};
use super::fem::composite::{Composite, Influence, Interpolation, through_all};
use super::fem::condensed::{Cell, Condensed};
use super::fem::frame::Method;
use super::fem::material::Material;

/// Elastic hexahedra, which are the mass, too, each condensed from finer cells of different stiffness.
#[derive(Attributes)]
#[attributes(
    ignored("homogenizationMethod", "drawType", "drawColor", "drawSize"),
    unsupported("finestToCoarse", summary = "condenses all finest cells at once, instead of level by level")
)]
struct Settings {
    #[attribute(flatten)]
    condensed: CondensedAttributes,
    /// whether points within a cell follow displacements across the axes, too
    complete_interpolation: bool,
    /// whether parts of a cell that touch without being connected move each on its own, where the grid keeps them apart
    #[attribute(default = "1")]
    use_ramification: bool,
}

/// The component in the registry.
///
/// It is of the family of masses, and puts a force field into the scene besides.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mass, "HexahedronCompositeFEMForceFieldAndMass", build)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("density='0.5' lumpedMass='1' youngModulus='3000' poissonRatio='0.3'")
            .template("Vec3")
            .elements("hexahedra")]);

/// Cells condensed from their children.
///
/// With the frame Q of a cell, f = −Qᵀ K (Q x − Q₀ X), K = Wᵀ K' W and M = Wᵀ M' W of its children's K' and M', put together at their 27
/// points. The weight is density times volume times its factor of mass, an eighth for each point.
///
/// **Source:** as SOFA's: from level to level a cell's corners are held, its children's other corners move in balance, and of the weights
/// W those along the same axis from the corners of the same edge or face count, divided by their sum; the matrices are Wᵀ K W and Wᵀ M W
/// of the children's. Children that are missing are very stiff for the balance. All cells have the material of the first. With
/// `completeInterpolation`, points within follow all weights in grids that keep branches apart; in others, what an edge or face does
/// across itself is 0.6 or 0.3 times Poisson's ratio, with the sign of the weight. In SOFA the children of a finer cell with several
/// branches are those of its last one; here each branch has its own.
pub struct CompositeHexahedra;

impl CondensedKind for CompositeHexahedra {
    const NAME: &'static str = DESCRIPTION.class;
}

/// What a `HexahedronCompositeFEMMapping` needs of the field.
#[derive(Debug)]
pub struct CompositeCells {
    /// How frames follow the cells.
    pub method: Method,
    /// How many levels of finer cells count.
    pub levels: usize,
    /// For each finest cell, the cell that holds it, and how its corners move with that cell's.
    pub influences: Influences,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let (density, method) = (s.condensed.mass.density, s.condensed.method());
    let mut kept = None;
    condensed_hexahedra::add::<CompositeHexahedra>(b, &s.condensed, |t, x, material, levels| {
        let (cells, influences) = cells(t, x, material, (levels, density), &s)?;
        kept = Some(CompositeCells { method, levels, influences });
        Ok(cells)
    })?;
    b.keep(kept);
    Ok(())
}

/// By finer cell: its cell, and how it follows that one's points.
pub type Influences = Vec<(u32, Influence)>;

/// The matrices of all cells, and what points in them follow.
///
/// # Errors
/// A cell without volume, or finer cells without stiffness.
fn cells(
    t: &Topology,
    x: &[Vec3],
    material: &Material,
    (levels, density): (usize, Real),
    s: &Settings,
) -> Result<(Vec<Cell>, Influences), String> {
    let grid = t.sparse.as_ref();
    let interpolation =
        match (s.complete_interpolation, grid.is_some_and(|g| g.branched) && s.use_ramification) {
            (false, _) => Interpolation::Normalized,
            (true, true) => Interpolation::Whole,
            (true, false) => Interpolation::Bulging(material.young_and_poisson(0).1),
        };
    let finer = grid.map_or(&[][..], |g| &g.finer[..levels]);
    let room = |level: &sim_core::topology::FinerCells| vec![[[Mat3::zeros(); 8]; 8]; level.hexahedra.len()];
    let mut found: Vec<Vec<Influence>> = finer.iter().map(room).collect();
    let mut known: Option<Composite> = None;
    let mut cells = Vec::with_capacity(t.hexahedra.len());
    for (e, nodes) in t.hexahedra.iter().enumerate() {
        let p = nodes.map(|n| x[n as usize]);
        let size = Vec3::from([1, 3, 4].map(|k: usize| (p[k] - p[0]).norm()));
        // Cells of a grid are equal, but for rounding.
        let is_known =
            known.as_ref().is_some_and(|k| (k.finest().size() - size).norm() <= 1e-9 * size.norm());
        if !is_known {
            let finest = Condensed::new(size, &material.lame(0, 1.0), levels, density);
            known = finest.and_then(|finest| Composite::new(finest, interpolation));
        }
        let composite = known.as_ref().ok_or_else(|| format!("hexahedron {e} has no volume; remove it"))?;
        cells.push(match grid {
            Some(_) if levels > 0 => composite.of_children(finer, e as u32, &mut found).map_err(|_| {
                format!("finer cells of hexahedron {e} have no stiffness; give the surfaces some")
            })?,
            Some(g) => Cell {
                mass: composite.finest().finest(g.mass[e]).mass,
                ..composite.finest().finest(g.stiffness[e])
            },
            None => composite.finest().finest(1.0),
        });
    }
    Ok((cells, through_all(finer, &found, t.hexahedra.len())))
}
