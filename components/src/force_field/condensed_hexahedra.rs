//! What elastic hexahedra share that are the mass, too, and whose matrices come from finer cells within them.

use std::marker::PhantomData;

use sim_core::prelude::*;
use sim_core::topology::Topology;

use super::fem::attributes::ElasticAttributes;
use super::fem::condensed::Cell;
use super::fem::dense_hexahedra::{self, Hexahedron};
use super::fem::frame::Method;
use super::fem::material::Material;
use super::fem::tetrahedra::check_nodes;
use super::hexahedron_mass::HexahedronMassAttributes;
use super::tetrahedron_fem_force_field::topology;

/// What tells the classes apart.
pub trait CondensedKind: Send + Sync + 'static {
    /// SOFA's class name.
    const NAME: &'static str;
}

/// The methods that these classes have.
#[derive(Word, Clone, Copy)]
#[word(of = Method)]
enum FrameMethod {
    Large,
    Polar,
    Small,
}

/// The attributes of both parts.
#[derive(Attributes)]
#[attributes(ignored("initialPoints", "stiffnessMatrices", "drawing", "drawPercentageOffset"))]
pub(super) struct CondensedAttributes {
    /// how frames follow the elements
    #[attribute(default = "large")]
    method: FrameMethod,
    /// whether stiffness is that of the deformed elements; only false is supported
    update_stiffness_matrix: bool,
    /// how many levels of finer cells count; the SparseGridTopology must have as many
    #[attribute(default = "0", non_negative)]
    nb_virtual_finer_levels: i64,
    /// whether mass is that of the cells, and not spread evenly over the points
    #[attribute(default = "1")]
    use_mass: bool,
    /// without `useMass`, the mass of a point times the number of elements [kg]
    #[attribute(default = "0", non_negative)]
    total_mass: Real,
    #[attribute(flatten)]
    pub mass: HexahedronMassAttributes,
    #[attribute(flatten)]
    elastic: ElasticAttributes,
}

impl CondensedAttributes {
    /// How frames follow the elements.
    pub fn method(&self) -> Method {
        self.method.into()
    }
}

/// The elastic part; the constant is how frames follow. Shapes at rest are those of the positions at the beginning.
pub struct CondensedHexahedra<K>(PhantomData<K>);

impl<K: CondensedKind> ForceField for CondensedHexahedra<K> {
    type State = Vec3Type;
    type Constants = Method;
    type Element = Hexahedron;
    type Stored = Mat3;
    const NAME: &'static str = K::NAME;

    fn add_force(method: &Method, at: AddForce<'_, Self>) {
        dense_hexahedra::add_force(*method, at.elements, at.stored, at.f, at.x);
    }

    fn add_d_force(_: &Method, at: AddDForce<'_, Self>) {
        dense_hexahedra::add_d_force(at.k_factor, at.elements, at.stored, at.df, at.dx);
    }

    fn add_k_to_matrix(_: &Method, at: AddKToMatrix<'_, Self>) {
        dense_hexahedra::add_k_to_matrix(at.k_factor, at.elements, at.stored, Mat3::transpose, at.matrix);
    }

    fn potential_energy(method: &Method, elements: &[Hexahedron], x: &[Vec3]) -> Option<Real> {
        Some(dense_hexahedra::potential_energy(*method, elements, x))
    }
}

/// The mass of a cell.
#[derive(Clone, Copy, Debug)]
pub struct CellMass {
    nodes: [u32; 8],
    /// Its matrix, for each axis [kg].
    matrix: [[Vec3; 8]; 8],
    /// What each point weighs of it [kg].
    weight: Real,
}

/// The mass part.
///
/// **Source:** as SOFA's: the mass matrix comes from the finer cells as the stiffness does, and has their factors of stiffness, too. In the
/// finest cells every pair of points has the same entry, 8/27 of density times volume. Weight is density times volume times the factor of
/// mass, an eighth for each point. Lumped, a point has the absolute sum of its row.
pub struct CondensedMass<K>(PhantomData<K>);

impl<K: CondensedKind> Mass for CondensedMass<K> {
    type State = Vec3Type;
    type Constants = ();
    type Element = CellMass;
    const NAME: &'static str = K::NAME;

    /// Also where it is lumped, since SOFA has no inverse of it.
    fn is_diagonal(_: &()) -> bool {
        false
    }

    fn add_gravity(_: &(), AddGravity { elements, gravity, f }: AddGravity<'_, Self>) {
        for e in elements {
            for n in e.nodes {
                f[n as usize] += gravity * e.weight;
            }
        }
    }

    fn add_m_dx(_: &(), AddMDx { factor, elements, result, dx, .. }: AddMDx<'_, Self>) {
        for e in elements {
            let d = e.nodes.map(|n| dx[n as usize]);
            for (n, row) in e.nodes.iter().zip(&e.matrix) {
                let product: Vec3 = row.iter().zip(&d).map(|(m, d)| d.component_mul(m)).sum();
                result[*n as usize] += product * factor;
            }
        }
    }

    /// Never asked for, since the matrix is not diagonal.
    fn acc_from_f(_: &(), _: AccFromF<'_, Self>) {}

    fn add_m_to_matrix(_: &(), AddMToMatrix { factor, elements, matrix, .. }: AddMToMatrix<'_, Self>) {
        for e in elements {
            for (row, masses) in e.nodes.iter().zip(&e.matrix) {
                for (column, m) in e.nodes.iter().zip(masses) {
                    matrix.add_block(*row, *column, &Mat3::from_diagonal(&(m * factor)));
                }
            }
        }
    }

    fn total_mass(_: &(), elements: &[CellMass], _: usize) -> Real {
        elements.iter().map(|e| 8.0 * e.weight).sum()
    }
}

/// Puts both parts into the scene; `cells` makes the matrices of all cells of a grid, whose points are given, with a material, from so many
/// levels of finer cells.
///
/// # Errors
/// No state or topology, or cells without volume.
pub(super) fn add<K: CondensedKind>(
    b: &mut Builder<'_>,
    s: &CondensedAttributes,
    cells: impl FnOnce(&Topology, &[Vec3], &Material, usize) -> Result<Vec<Cell>, String>,
) -> Result<(), BuildError> {
    let state = b.state()?;
    if s.update_stiffness_matrix {
        let text = "`updateStiffnessMatrix` is not supported: remove it, or use tetrahedra";
        return Err(BuildError::attribute("updateStiffnessMatrix", text));
    }
    let t = topology(b)?.clone();
    let x = b.scene.initial_as::<Vec3Type>(state).map(|initial| initial.position.clone());
    let x = x.ok_or_else(|| b.wrong_template(state, &[Vec3Type::NAME]))?;
    check_nodes("hexahedron", &t.hexahedra, x.len()).map_err(|e| BuildError::new(e.to_string()))?;
    let levels = levels(b, &t, s.nb_virtual_finer_levels);
    let material = Material::from_attributes(b, s.elastic.clone(), t.hexahedra.len());
    if t.hexahedra.is_empty() {
        b.warn(None, "the topology has no hexahedra, so there will be no force");
    }
    let cells = cells(&t, &x, &material, levels).map_err(BuildError::new)?;
    let method = s.method();
    let elastic = |(nodes, cell): (&[u32; 8], &Cell)| {
        let p = nodes.map(|n| x[n as usize]);
        let frame = dense_hexahedra::frames(method, &[p])[0];
        Hexahedron::new(*nodes, &frame, &p, |i, j| cell.stiffness[i][j])
    };
    let elements: Vec<Hexahedron> = t.hexahedra.iter().zip(&cells).map(elastic).collect();
    let stored = vec![Mat3::identity(); elements.len()];
    b.add_force_field(state, ForceFieldParts::<CondensedHexahedra<K>>::new(method, elements, stored))?;
    let masses = if s.use_mass {
        let factor = |e: usize| t.sparse.as_ref().map_or(1.0, |cells| cells.mass[e]);
        let of = |(e, (nodes, cell)): (usize, (&[u32; 8], &Cell))| {
            let weight = s.mass.density * cell.volume * factor(e) / 8.0;
            let matrix = if s.mass.lumped_mass { lumped(&cell.mass) } else { cell.mass };
            CellMass { nodes: *nodes, matrix, weight }
        };
        t.hexahedra.iter().zip(&cells).enumerate().map(of).collect()
    } else {
        spread(&t.hexahedra, x.len(), s.total_mass)
    };
    b.add_mass(state, MassParts::<CondensedMass<K>>::new((), masses))
}

/// How many levels of finer cells count; none, with a warning, where the topology has fewer than are asked for.
fn levels(b: &mut Builder<'_>, t: &Topology, asked: i64) -> usize {
    let there = t.sparse.as_ref().map_or(0, |cells| cells.finer.len());
    let asked = usize::try_from(asked).unwrap_or(usize::MAX);
    if asked > there {
        let text =
            format!("the topology has {there} levels of finer cells, and {asked} are asked for; none counts");
        b.warn(Some("nbVirtualFinerLevels"), text);
        return 0;
    }
    asked
}

/// The diagonal matrix of the absolute sums of rows.
fn lumped(matrix: &[[Vec3; 8]; 8]) -> [[Vec3; 8]; 8] {
    let mut diagonal = [[Vec3::zeros(); 8]; 8];
    for (i, row) in matrix.iter().enumerate() {
        diagonal[i][i] = row.iter().sum::<Vec3>().abs();
    }
    diagonal
}

/// A mass for each point: the total by the number of elements, as SOFA has it.
fn spread(hexahedra: &[[u32; 8]], n_points: usize, total: Real) -> Vec<CellMass> {
    let of_point = total / hexahedra.len().max(1) as Real;
    let mut known = vec![false; n_points];
    let mut masses = Vec::new();
    for nodes in hexahedra {
        let mut matrix = [[Vec3::zeros(); 8]; 8];
        for (i, n) in nodes.iter().enumerate() {
            if !std::mem::replace(&mut known[*n as usize], true) {
                matrix[i][i] = Vec3::repeat(of_point);
            }
        }
        masses.push(CellMass { nodes: *nodes, matrix, weight: 0.0 });
    }
    masses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::condensed::Condensed;
    use crate::force_field::fem::material::Lame;
    use crate::force_field::fem::oracle::bar;
    use sim_core::testing::{ForceFieldCheck, Random};

    struct Any;

    impl CondensedKind for Any {
        const NAME: &'static str = "cells";
    }

    /// The elements of a bar of unit cubes, each with the matrix of a box.
    fn elements(method: Method) -> (Vec<Vec3>, Vec<Hexahedron>) {
        let (rest, hexahedra) = bar([2, 1, 2]);
        let cell = Condensed::new(Vec3::repeat(1.0), &Lame::new(1000.0, 0.3), 0, 2.0).unwrap().finest(1.0);
        let of = |nodes: &[u32; 8]| {
            let p = nodes.map(|n| rest[n as usize]);
            let frame = dense_hexahedra::frames(method, &[p])[0];
            Hexahedron::new(*nodes, &frame, &p, |i, j| cell.stiffness[i][j])
        };
        let elements = hexahedra.iter().map(of).collect();
        (rest, elements)
    }

    /// With the frames as they are stored, product and matrix are the derivative of the force; without frames, force that of the energy.
    #[test]
    fn conforms() {
        for method in [Method::Small, Method::Large, Method::Polar] {
            let (rest, elements) = elements(method);
            let stored = vec![Mat3::identity(); elements.len()];
            let parts = ForceFieldParts::<CondensedHexahedra<Any>>::new(method, elements, stored);
            let x = Random::new(7).moved(&rest, 0.1);
            let v = vec![Vec3::zeros(); x.len()];
            let check = ForceFieldCheck::new(&parts, x, v).seed(7).symmetric().assembled();
            let check = if matches!(method, Method::Small) { check.conservative() } else { check };
            check
                .frozen(|_, elements, stored, f, x, _| {
                    for (e, q) in elements.iter().zip(stored) {
                        let u: Vec<Vec3> = (0..8).map(|n| q * x[e.nodes[n] as usize] - e.rest[n]).collect();
                        for i in 0..8 {
                            let force: Vec3 = u.iter().enumerate().map(|(j, u)| e.block(i, j) * u).sum();
                            f[e.nodes[i] as usize] -= q.transpose() * force;
                        }
                    }
                })
                .run();
        }
    }

    #[test]
    fn the_mass_conforms() {
        let (rest, hexahedra) = bar([2, 1, 2]);
        let cell = Condensed::new(Vec3::repeat(1.0), &Lame::new(1000.0, 0.3), 0, 2.0).unwrap().finest(1.0);
        for matrix in [cell.mass, lumped(&cell.mass)] {
            let of = |nodes: &[u32; 8]| CellMass { nodes: *nodes, matrix, weight: 0.25 };
            let masses = hexahedra.iter().map(of).collect();
            sim_core::testing::mass(&MassParts::<CondensedMass<Any>>::new((), masses), &rest, 5);
        }
    }
}
