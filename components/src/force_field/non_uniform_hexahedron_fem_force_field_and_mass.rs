//! `NonUniformHexahedronFEMForceFieldAndMass`: elastic hexahedra whose matrices come from finer cells within them.

use sim_core::prelude::*;
use sim_core::topology::Topology;

use super::condensed_hexahedra::{self, CondensedAttributes, CondensedKind};
use super::fem::condensed::{Cell, Condensed};
use super::fem::material::Material;

/// Elastic hexahedra, which are the mass, too, whose matrices are put together from those of finer cells.
#[derive(Attributes)]
struct Settings {
    #[attribute(flatten)]
    condensed: CondensedAttributes,
}

/// The component in the registry.
///
/// It is of the family of masses, and puts a force field into the scene besides.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mass, "NonUniformHexahedronFEMForceFieldAndMass", build)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("density='0.5' lumpedMass='1' youngModulus='3000' poissonRatio='0.3'")
            .template("Vec3")
            .elements("hexahedra")]);

/// Cells put together from their children.
///
/// With the frame Q of a cell, f = −Qᵀ K (Q x − Q₀ X), K = Σ Pᵀ K' P and M = Σ Pᵀ M' P over its children, M' having 8/27 of density times
/// volume for each pair of points. The weight is density times volume times its factor of mass, an eighth for each point.
///
/// **Source:** as SOFA's: the matrix of a cell is the sum of Pᵀ K P over its eight children, where P interpolates a child's corners from
/// the cell's, down to the finest level, whose cells have the matrix of a box times their factor. All cells have the material of the
/// first.
pub struct NonUniform;

impl CondensedKind for NonUniform {
    const NAME: &'static str = DESCRIPTION.class;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?.condensed;
    let density = s.mass.density;
    condensed_hexahedra::add::<NonUniform>(b, &s, |t, x, material, levels| {
        cells(t, x, material, levels, density)
    })
}

/// The matrices of all cells.
///
/// # Errors
/// A cell without volume.
fn cells(
    t: &Topology,
    x: &[Vec3],
    material: &Material,
    levels: usize,
    density: Real,
) -> Result<Vec<Cell>, String> {
    let lame = material.lame(0, 1.0);
    let mut known: Option<Condensed> = None;
    let of = |(e, nodes): (usize, &[u32; 8])| {
        let p = nodes.map(|n| x[n as usize]);
        let size = Vec3::from([1, 3, 4].map(|k: usize| (p[k] - p[0]).norm()));
        // Cells of a grid are equal, but for rounding.
        let is_known = known.as_ref().is_some_and(|k| (k.size() - size).norm() <= 1e-9 * size.norm());
        if !is_known {
            known = Condensed::new(size, &lame, levels, density);
        }
        let condensed = known.as_ref().ok_or_else(|| format!("hexahedron {e} has no volume; remove it"))?;
        Ok(match &t.sparse {
            Some(cells) if levels > 0 => condensed.of_children(&cells.finer, e as u32),
            Some(cells) => condensed.finest(cells.stiffness[e]),
            None => condensed.finest(1.0),
        })
    };
    t.hexahedra.iter().enumerate().map(of).collect()
}
