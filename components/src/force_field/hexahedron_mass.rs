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

/// Masses of hexahedra; the constant says whether the matrix is lumped.
///
/// **Source:** as SOFA's: every pair of the eight points of an element has the same entry, 8/27 of density times volume, and not that of the
/// consistent matrix; so the inertia of an element is about 19 times its mass. Its weight is density times volume, an eighth for each
/// point. The volume is the product of three edges. Lumped, a point has the sum of its row, in assembled matrices too, where SOFA takes
/// the whole matrix. There is no inverse.
pub struct FilledHexahedra<K>(PhantomData<K>);

impl<K: HexahedronMassKind> FilledHexahedra<K> {
    /// The masses of elements on points at rest; `filled` has a factor for each, those beyond it 1.
    pub fn parts(
        rest: &[Vec3],
        hexahedra: &[[u32; 8]],
        s: &HexahedronMassAttributes,
        filled: &[Real],
    ) -> MassParts<Self> {
        let of = |(e, nodes): (usize, &[u32; 8])| {
            let p = nodes.map(|n| rest[n as usize]);
            let density = s.density * filled.get(e).copied().unwrap_or(1.0);
            let mass = density * [1, 3, 4].map(|k| (p[k] - p[0]).norm()).iter().product::<Real>();
            HexahedronMass { nodes: *nodes, entry: mass * 8.0 / 27.0, weight: mass / 8.0 }
        };
        MassParts::new(s.lumped_mass, hexahedra.iter().enumerate().map(of).collect())
    }
}

impl<K: HexahedronMassKind> Mass for FilledHexahedra<K> {
    type State = Vec3Type;
    type Constants = bool;
    type Element = HexahedronMass;
    const NAME: &'static str = K::NAME;

    /// Also where it is lumped, since SOFA has no inverse of it.
    fn is_diagonal(_: &bool) -> bool {
        false
    }

    fn add_gravity(_: &bool, AddGravity { elements, gravity, f }: AddGravity<'_, Self>) {
        for e in elements {
            for n in e.nodes {
                f[n as usize] += gravity * e.weight;
            }
        }
    }

    fn add_m_dx(lumped: &bool, AddMDx { factor, elements, result, dx, .. }: AddMDx<'_, Self>) {
        for e in elements {
            if *lumped {
                for n in e.nodes.map(|n| n as usize) {
                    result[n] += dx[n] * (8.0 * e.entry * factor);
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
    fn acc_from_f(_: &bool, _: AccFromF<'_, Self>) {}

    fn add_m_to_matrix(lumped: &bool, AddMToMatrix { factor, elements, matrix, .. }: AddMToMatrix<'_, Self>) {
        for e in elements {
            for row in e.nodes {
                if *lumped || !K::JOINS_POINTS {
                    let times = if *lumped { 8.0 } else { 1.0 };
                    matrix.add_block(row, row, &(Mat3::identity() * (times * e.entry * factor)));
                    continue;
                }
                for column in e.nodes {
                    matrix.add_block(row, column, &(Mat3::identity() * (e.entry * factor)));
                }
            }
        }
    }

    fn total_mass(_: &bool, elements: &[HexahedronMass], _: usize) -> Real {
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
        for lumped_mass in [false, true] {
            let s = HexahedronMassAttributes { density: 3.0, lumped_mass };
            let parts = FilledHexahedra::<Full>::parts(&rest, &hexahedra, &s, &[]);
            sim_core::testing::mass(&parts, &rest, 3);
            assert!(
                (FilledHexahedra::<Full>::total_mass(&lumped_mass, &parts.elements, 0) - 12.0).abs() < 1e-12
            );
        }
    }
}
