//! The mass of hexahedra whose force field is their mass, too.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// What tells the classes apart that are force field and mass of hexahedra in one.
pub trait HexahedronMassKind: Send + Sync + 'static {
    /// SOFA's class name.
    const NAME: &'static str;
    /// Whether the blocks that join two points are in assembled matrices.
    const JOINS_POINTS: bool;
}

/// The attributes of a mass of hexahedra.
#[derive(Attributes, Debug)]
#[attributes(ignored("massMatrices"))]
pub struct HexahedronMassAttributes {
    /// density [kg/m^3]
    #[attribute(default = "1", positive)]
    pub density: Real,
    /// whether the matrix is made diagonal
    pub lumped_mass: bool,
}

/// The mass of a hexahedron.
#[derive(Clone, Copy, Debug)]
pub struct HexahedronMass {
    nodes: [u32; 8],
    /// The entry of each pair of its points [kg].
    entry: Real,
    /// What each point weighs of it [kg].
    weight: Real,
}

/// Which matrix the masses have.
#[derive(Clone, Copy, Debug)]
pub struct MassMatrix {
    /// Whether it is made diagonal.
    pub lumped: bool,
    /// Whether it is the consistent one.
    pub consistent: bool,
}

/// Where each of the eight points of a box is, along its three axes.
const CORNERS: [[bool; 3]; 8] = [
    [false, false, false],
    [true, false, false],
    [true, true, false],
    [false, true, false],
    [false, false, true],
    [true, false, true],
    [true, true, true],
    [false, true, true],
];

/// The share of a box's mass that a pair of its points has in the consistent matrix: the integral of both shape functions over the volume, 1/3
/// along each axis where they are at one end of it, 1/6 where they are not.
fn consistent_share(i: usize, j: usize) -> Real {
    let along = |(a, b): (&bool, &bool)| if a == b { 1.0 / 3.0 } else { 1.0 / 6.0 };
    CORNERS[i].iter().zip(&CORNERS[j]).map(along).product()
}

/// Masses of hexahedra.
///
/// **Source:** as SOFA's: every pair of the eight points of an element has the same entry, 8/27 of density times volume, and not that of the
/// consistent matrix; so the inertia of an element is about 19 times its mass. Its weight is density times volume, an eighth for each
/// point. The volume is the product of three edges. Lumped, a point has the sum of its row, in assembled matrices too, where SOFA takes
/// the whole matrix. There is no inverse. With the attribute `exactMass` of our own the matrix is the consistent one of a box, whose sum is its
/// mass, in assembled matrices, too.
pub struct FilledHexahedra<K>(PhantomData<K>);

impl<K: HexahedronMassKind> FilledHexahedra<K> {
    /// The masses of elements on points at rest; `filled` has a factor for each, those beyond it 1.
    pub fn parts(
        rest: &[Vec3],
        hexahedra: &[[u32; 8]],
        s: &HexahedronMassAttributes,
        filled: &[Real],
        consistent: bool,
    ) -> MassParts<Self> {
        let of = |(e, nodes): (usize, &[u32; 8])| {
            let p = nodes.map(|n| rest[n as usize]);
            let density = s.density * filled.get(e).copied().unwrap_or(1.0);
            let mass = density * [1, 3, 4].map(|k| (p[k] - p[0]).norm()).iter().product::<Real>();
            HexahedronMass { nodes: *nodes, entry: mass * 8.0 / 27.0, weight: mass / 8.0 }
        };
        let constants = MassMatrix { lumped: s.lumped_mass, consistent };
        MassParts::new(constants, hexahedra.iter().enumerate().map(of).collect())
    }
}

impl HexahedronMass {
    /// The entry of a pair of its points in the consistent matrix [kg].
    fn consistent(&self, i: usize, j: usize) -> Real {
        8.0 * self.weight * consistent_share(i, j)
    }
}

impl<K: HexahedronMassKind> Mass for FilledHexahedra<K> {
    type State = Vec3Type;
    type Constants = MassMatrix;
    type Element = HexahedronMass;
    const NAME: &'static str = K::NAME;

    /// Also where it is lumped, since SOFA has no inverse of it.
    fn is_diagonal(_: &MassMatrix) -> bool {
        false
    }

    fn add_gravity(_: &MassMatrix, AddGravity { elements, gravity, f }: AddGravity<'_, Self>) {
        for e in elements {
            for n in e.nodes {
                f[n as usize] += gravity * e.weight;
            }
        }
    }

    fn add_m_dx(m: &MassMatrix, AddMDx { factor, elements, result, dx, .. }: AddMDx<'_, Self>) {
        for e in elements {
            if m.lumped {
                let of_point = if m.consistent { e.weight } else { 8.0 * e.entry };
                for n in e.nodes.map(|n| n as usize) {
                    result[n] += dx[n] * (of_point * factor);
                }
            } else if m.consistent {
                let d = e.nodes.map(|n| dx[n as usize]);
                for (i, n) in e.nodes.iter().enumerate() {
                    let product: Vec3 = d.iter().enumerate().map(|(j, d)| d * e.consistent(i, j)).sum();
                    result[*n as usize] += product * factor;
                }
            } else {
                let sum: Vec3 = e.nodes.iter().map(|n| dx[*n as usize]).sum();
                for n in e.nodes {
                    result[n as usize] += sum * (e.entry * factor);
                }
            }
        }
    }

    /// Never asked for, since the matrix is not diagonal.
    fn acc_from_f(_: &MassMatrix, _: AccFromF<'_, Self>) {}

    fn add_m_to_matrix(
        m: &MassMatrix,
        AddMToMatrix { factor, elements, matrix, .. }: AddMToMatrix<'_, Self>,
    ) {
        for e in elements {
            for (i, row) in e.nodes.into_iter().enumerate() {
                if m.lumped || !(K::JOINS_POINTS || m.consistent) {
                    let entry = match (m.lumped, m.consistent) {
                        (true, true) => e.weight,
                        (true, false) => 8.0 * e.entry,
                        (false, _) => e.entry,
                    };
                    matrix.add_block(row, row, &(Mat3::identity() * (entry * factor)));
                    continue;
                }
                for (j, column) in e.nodes.into_iter().enumerate() {
                    let entry = if m.consistent { e.consistent(i, j) } else { e.entry };
                    matrix.add_block(row, column, &(Mat3::identity() * (entry * factor)));
                }
            }
        }
    }

    fn total_mass(_: &MassMatrix, elements: &[HexahedronMass], _: usize) -> Real {
        elements.iter().map(|e| 8.0 * e.weight).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::oracle::bar;

    struct Full;
    impl HexahedronMassKind for Full {
        const NAME: &'static str = "hexahedra";
        const JOINS_POINTS: bool = true;
    }

    #[test]
    fn conforms_and_weighs_its_volume() {
        let (rest, hexahedra) = bar([2, 1, 2]);
        for (lumped_mass, exact) in [(false, false), (true, false), (false, true), (true, true)] {
            let s = HexahedronMassAttributes { density: 3.0, lumped_mass };
            let parts = FilledHexahedra::<Full>::parts(&rest, &hexahedra, &s, &[], exact);
            sim_core::testing::mass(&parts, &rest, 3);
            let total = FilledHexahedra::<Full>::total_mass(&parts.constants, &parts.elements, 0);
            assert!((total - 12.0).abs() < 1e-12);
        }
    }

    /// The kinetic energy of a box whose points move linearly in space is that of the continuum: a translation has m v^2, and a field that
    /// grows along x from 0 to 1 over the two elements m / 3. SOFA's matrix gives a translation 64 * 8/27 times as much.
    #[test]
    fn the_consistent_matrix_has_the_energy_of_the_continuum() {
        let (rest, hexahedra) = bar([2, 1, 2]);
        let twice_energy = |lumped_mass: bool, exact: bool, v: &[Vec3]| -> Real {
            let s = HexahedronMassAttributes { density: 3.0, lumped_mass };
            let parts = FilledHexahedra::<Full>::parts(&rest, &hexahedra, &s, &[], exact);
            let mut result = vec![Vec3::zeros(); rest.len()];
            let at = AddMDx { factor: 1.0, elements: &parts.elements, result: &mut result, dx: v, x: &rest };
            FilledHexahedra::<Full>::add_m_dx(&parts.constants, at);
            result.iter().zip(v).map(|(r, v)| r.dot(v)).sum()
        };
        let along = vec![Vec3::x(); rest.len()];
        let length = rest.iter().map(|p| p.x).fold(0.0, Real::max);
        let growing: Vec<Vec3> = rest.iter().map(|p| Vec3::y() * (p.x / length)).collect();
        let mass = 12.0;
        assert!((twice_energy(false, true, &along) - mass).abs() < 1e-12);
        assert!((twice_energy(true, true, &along) - mass).abs() < 1e-12);
        assert!((twice_energy(false, true, &growing) - mass / 3.0).abs() < 1e-12);
        assert!((twice_energy(false, false, &along) - mass * 64.0 * 8.0 / 27.0).abs() < 1e-9);
    }
}
