//! `CorotationalFEMForceField` and `LinearSmallStrainFEMForceField` on elements of all kinds, and in all rotations.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::fem::attributes::ElasticAttributes;
use super::fem::finite_element::{FiniteElement, element_stiffness};
use super::fem::material::Material;
use super::fem::rotated_elements::{self, Element, Rotation};
use super::fem::tetrahedra::{ElementError, check_nodes};
use super::tetrahedron_fem_force_field::rest_positions;

/// What tells the two classes apart.
pub trait ElementFieldKind: Send + Sync + 'static {
    /// SOFA's class name.
    const NAME: &'static str;
}

/// Marks `CorotationalFEMForceField`.
pub struct Corotational;
/// Marks `LinearSmallStrainFEMForceField`.
pub struct LinearSmallStrain;

impl ElementFieldKind for Corotational {
    const NAME: &'static str = "CorotationalFEMForceField";
}
impl ElementFieldKind for LinearSmallStrain {
    const NAME: &'static str = "LinearSmallStrainFEMForceField";
}

/// Either class on elements with `N` nodes; the constant is how their rotations are found.
///
/// **Source:** as SOFA's: f = −R K (Rᵀ (p − p̄) − (X − X̄)), with R K Rᵀ as tangent.
pub struct ElementsField<K, const N: usize>(PhantomData<K>);

/// Whether the frame at rest counts; see [`Rotation`].
///
/// **Source:** where SOFA's scene names the default method of triangles, tetrahedra (`triangle`) or hexahedra (`hexahedron`), the frames at
/// rest are found twice, the second time relative to the first: they are the axes then, and the element has forces at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtRest {
    /// As it is.
    Counts,
    /// As if it were that of the axes.
    IsTurnedTwice,
}

impl<K: ElementFieldKind, const N: usize> ElementsField<K, N> {
    /// The force field of elements on points at rest.
    ///
    /// # Errors
    /// An element without volume (area, length), or of points that do not exist.
    pub(crate) fn parts<E: FiniteElement<N>>(
        rest: &[Vec3],
        elements: &[[u32; N]],
        material: &Material,
        rotation: Rotation,
        at_rest: AtRest,
    ) -> Result<ForceFieldParts<Self>, ElementError> {
        check_nodes(E::KIND, elements, rest.len())?;
        let quadrature = E::quadrature();
        let of = |(element, nodes): (usize, &[u32; N])| {
            let x = nodes.map(|n| rest[n as usize]);
            let stiffness = element_stiffness::<E, N>(&quadrature, &x, &material.lame(element, 1.0));
            let none = || ElementError::NoVolume { kind: E::KIND, element, nodes: nodes.to_vec() };
            let twice = at_rest == AtRest::IsTurnedTwice;
            Ok(Element::new(rotation, *nodes, &x, stiffness.ok_or_else(none)?, twice))
        };
        let elements = elements.iter().enumerate().map(of).collect::<Result<Vec<_>, _>>()?;
        let stored = vec![Mat3::identity(); elements.len()];
        Ok(ForceFieldParts::new(rotation, elements, stored))
    }
}

impl<K: ElementFieldKind, const N: usize> ForceField for ElementsField<K, N> {
    type State = Vec3Type;
    type Constants = Rotation;
    type Element = Element<N>;
    type Stored = Mat3;
    const NAME: &'static str = K::NAME;

    fn add_force(rotation: &Rotation, at: AddForce<'_, Self>) {
        rotated_elements::add_force(*rotation, at.elements, at.stored, at.f, at.x);
    }

    fn add_d_force(_: &Rotation, at: AddDForce<'_, Self>) {
        rotated_elements::add_d_force(at.k_factor, at.elements, at.stored, at.df, at.dx);
    }

    fn add_k_to_matrix(_: &Rotation, at: AddKToMatrix<'_, Self>) {
        rotated_elements::add_k_to_matrix(at.k_factor, at.elements, at.stored, at.matrix);
    }

    fn potential_energy(rotation: &Rotation, elements: &[Element<N>], x: &[Vec3]) -> Option<Real> {
        Some(rotated_elements::potential_energy(*rotation, elements, x))
    }
}

/// Puts a field of elements of a kind into the scene.
pub(super) fn add<K: ElementFieldKind, E: FiniteElement<N>, const N: usize>(
    b: &mut Builder<'_>,
    elements: &[[u32; N]],
    elastic: ElasticAttributes,
    rotation: Rotation,
    at_rest: AtRest,
) -> Result<(), BuildError> {
    let state = b.state()?;
    let material = Material::from_attributes(b, elastic, elements.len());
    if elements.is_empty() {
        b.warn(
            None,
            format!("the topology has no elements of the kind `{}`, so there will be no force", E::KIND),
        );
    }
    let rest = rest_positions(b, state)?;
    let parts = ElementsField::<K, N>::parts::<E>(&rest, elements, &material, rotation, at_rest)
        .map_err(|e| BuildError::new(e.to_string()))?;
    b.add_force_field(state, parts)
}

#[cfg(test)]
mod tests {
    use super::super::fem::finite_element::{Edge, Hexahedron, Prism, Pyramid, Quad, Tetrahedron, Triangle};
    use super::*;
    use crate::force_field::fem::oracle;
    use sim_core::testing::{ForceFieldCheck, Random};

    const CUBE: [[f64; 3]; 8] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.1, 0.9, 0.0],
        [0.0, 1.0, 0.1],
        [0.0, 0.0, 1.0],
        [1.0, 0.1, 1.0],
        [1.0, 1.0, 1.2],
        [0.0, 1.0, 1.0],
    ];

    /// One element on the first corners of a cube that is none quite.
    fn one<E: FiniteElement<N>, const N: usize>(
        corners: [usize; N],
        rotation: Rotation,
    ) -> (ForceFieldParts<ElementsField<Corotational, N>>, Vec<Vec3>) {
        let rest: Vec<Vec3> = corners.iter().map(|c| Vec3::from(CUBE[*c])).collect();
        let nodes = std::array::from_fn(|n| n as u32);
        let parts = ElementsField::parts::<E>(
            &rest,
            &[nodes],
            &Material::uniform(1000.0, 0.3),
            rotation,
            AtRest::Counts,
        );
        (parts.unwrap(), rest)
    }

    fn check<E: FiniteElement<N>, const N: usize>(corners: [usize; N], rotation: Rotation) {
        let (parts, rest) = one::<E, N>(corners, rotation);
        let turned = oracle::deformed(&rest, 0.0, 7);
        let v = vec![Vec3::zeros(); rest.len()];
        let mut f = v.clone();
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let mut stored = parts.stored.clone();
        if rotation != Rotation::Identity {
            let at = AddForce {
                params,
                elements: &parts.elements,
                stored: &mut stored,
                f: &mut f,
                x: &turned,
                v: &v,
            };
            ElementsField::<Corotational, N>::add_force(&parts.constants, at);
            assert!(
                f.iter().all(|f| f.norm() < 1e-8),
                "{} {rotation:?}: a turned body rests: {f:?}",
                E::KIND
            );
        }
        let x = Random::new(3).moved(&turned, 0.05);
        let x = if rotation == Rotation::Identity { Random::new(3).moved(&rest, 0.05) } else { x };
        let elements = parts.elements.clone();
        let mut check = ForceFieldCheck::new(&parts, x, v).seed(5).symmetric().assembled().frozen(
            move |_, _, stored, f, x, _| {
                let center = x.iter().sum::<Vec3>() / x.len() as f64;
                let p: Vec<Vec3> = x.iter().map(|x| x - center).collect();
                let u: Vec<Vec3> = p.iter().zip(&rest).map(|(p, r)| stored[0].tr_mul(p) - r).collect();
                let mean = u.iter().sum::<Vec3>() / u.len() as f64;
                let u: Vec<Vec3> = u.iter().map(|u| stored[0] * (u - mean)).collect();
                let zeros = vec![Vec3::zeros(); u.len()];
                let mut df = zeros;
                rotated_elements::add_d_force(1.0, &elements, stored, &mut df, &u);
                f.iter_mut().zip(df).for_each(|(f, df)| *f += df);
            },
        );
        if rotation == Rotation::Identity {
            check = check.conservative();
        }
        check.run();
    }

    #[test]
    fn conforms() {
        use Rotation::{Hexahedron as Frame, Identity, Polar, StablePolar, Triangle as Three};
        for rotation in [Identity, StablePolar] {
            check::<Edge, 2>([0, 1], rotation);
            check::<Quad, 4>([0, 1, 2, 3], rotation);
            check::<Pyramid, 5>([0, 1, 2, 3, 6], rotation);
        }
        for rotation in [Identity, StablePolar, Polar] {
            check::<Prism, 6>([0, 1, 3, 4, 5, 7], rotation);
        }
        for rotation in [Identity, StablePolar, Three] {
            check::<Triangle, 3>([0, 1, 3], rotation);
        }
        for rotation in [Identity, StablePolar, Polar, Three] {
            check::<Tetrahedron, 4>([0, 1, 3, 4], rotation);
        }
        for rotation in [Identity, StablePolar, Polar, Frame] {
            check::<Hexahedron, 8>([0, 1, 2, 3, 4, 5, 6, 7], rotation);
        }
    }

    #[test]
    fn flat_elements_are_refused() {
        let rest = vec![Vec3::zeros(); 6];
        let material = Material::uniform(1000.0, 0.3);
        let (rotation, counts) = (Rotation::StablePolar, AtRest::Counts);
        let nodes = [[0, 1, 2, 3, 4, 5]];
        type Field = ElementsField<Corotational, 6>;
        let e = Field::parts::<Prism>(&rest, &nodes, &material, rotation, counts).err().unwrap();
        assert!(e.to_string().contains("prism 0"), "{e}");
        let e = Field::parts::<Prism>(&rest[..5], &nodes, &material, rotation, counts).err().unwrap();
        assert!(e.to_string().contains("point 5"), "{e}");
    }
}
