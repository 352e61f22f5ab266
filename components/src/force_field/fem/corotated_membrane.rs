//! Elastic triangles in space: what `TriangularFEMForceField`, `TriangularAnisotropicFEMForceField` and `TriangleFEMForceField` share.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::membrane::{InPlane, PlaneGradients, PlaneMaterial, axes, in_plane, in_space};

/// How the axes of a triangle's plane follow.
#[derive(Word, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MembraneMethod {
    /// They are x and y of the world: no force along z.
    Small,
    /// Along the first side, and across it.
    #[default]
    Large,
}

/// What tells the fields of triangles apart.
pub trait MembraneKind: Send + Sync + 'static {
    /// What triangles are made of.
    type Material: PlaneMaterial;
    /// SOFA's class name.
    const NAME: &'static str;
    /// Whether the method `small` knows that the first side of a triangle may not be along x.
    const SMALL_KNOWS_SKEW: bool;
    /// Whether the stiffness of the method `small` is in assembled matrices.
    const SMALL_IS_ASSEMBLED: bool;
    /// Whether the stiffness of a triangle grows with its area, as it should.
    const TIMES_AREA: bool = true;
}

/// An elastic triangle.
#[derive(Clone, Copy, Debug)]
pub struct Triangle<M> {
    nodes: [u32; 3],
    /// Second and third node at rest, from the first, in the axes at rest [m].
    rest: [[Real; 2]; 2],
    material: M,
}

/// A triangle as the last force found it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Placed {
    axes: [Vec3; 2],
    gradients: PlaneGradients,
}

/// Linear elasticity on triangles in the axes of each.
///
/// **Source:** as SOFA's: displacements are taken to the shape at rest, but strains with the gradients of the *deformed* triangle;
/// the tangent leaves out how gradients and axes follow. A triangle that has collapsed to a line (twice its area is below 2.2e-16)
/// has no force; SOFA leaves out all elements after it, too.
pub struct CorotatedMembrane<K>(PhantomData<K>);

/// Twice the area below which a triangle is a line.
const COLLAPSED: Real = 2.2e-16;

impl<K: MembraneKind> CorotatedMembrane<K> {
    /// The force field of triangles on points at rest; `material` is that of each, times what is to be multiplied by its area.
    ///
    /// # Errors
    /// The first triangle that has no area at rest.
    pub fn parts(
        method: MembraneMethod,
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        material: impl Fn(usize) -> K::Material,
    ) -> Result<ForceFieldParts<Self>, usize> {
        let element = |(e, nodes): (usize, &[u32; 3])| {
            let [a, b, c] = nodes.map(|n| rest[n as usize]);
            let (ab, ac) = (b - a, c - a);
            let twice_area = ab.cross(&ac).norm();
            if twice_area.is_nan() || twice_area <= COLLAPSED {
                return Err(e);
            }
            let axes = axes_of(method, &ab, &ac);
            let rest = [&ab, &ac].map(|side| in_plane(&axes, side));
            let area = if K::TIMES_AREA { twice_area / 2.0 } else { 1.0 };
            Ok(Triangle { nodes: *nodes, rest, material: material(e).times(area) })
        };
        let triangles: Vec<Triangle<K::Material>> =
            triangles.iter().enumerate().map(element).collect::<Result<_, _>>()?;
        let stored = vec![Placed::default(); triangles.len()];
        Ok(ForceFieldParts::new(method, triangles, stored))
    }

    fn place(method: MembraneMethod, ab: &Vec3, ac: &Vec3) -> Option<(Placed, [[Real; 2]; 2])> {
        let axes = axes_of(method, ab, ac);
        let (mut b, c) = (in_plane(&axes, ab), in_plane(&axes, ac));
        if method == MembraneMethod::Large {
            b[1] = 0.0;
        }
        let skew = method == MembraneMethod::Small && K::SMALL_KNOWS_SKEW;
        let (side, twice_area) = if skew { (b, ab.cross(ac).norm()) } else { ([b[0], 0.0], b[0] * c[1]) };
        let placed = || Placed { axes, gradients: PlaneGradients::new(side, c, twice_area) };
        (twice_area.abs() >= COLLAPSED).then(|| (placed(), [b, c]))
    }
}

fn axes_of(method: MembraneMethod, ab: &Vec3, ac: &Vec3) -> [Vec3; 2] {
    match method {
        MembraneMethod::Small => [Vec3::x(), Vec3::y()],
        MembraneMethod::Large => axes(ab, ac),
    }
}

impl<K: MembraneKind> ForceField for CorotatedMembrane<K> {
    type State = Vec3Type;
    type Constants = MembraneMethod;
    type Element = Triangle<K::Material>;
    type Stored = Placed;
    const NAME: &'static str = K::NAME;

    fn add_force(method: &MembraneMethod, AddForce { elements, stored, f, x, .. }: AddForce<'_, Self>) {
        for (t, stored) in elements.iter().zip(stored) {
            let nodes = t.nodes.map(|n| n as usize);
            let [a, b, c] = nodes.map(|n| x[n]);
            *stored = Placed::default();
            if let Some((placed, now)) = Self::place(*method, &(b - a), &(c - a)) {
                *stored = placed;
                let toward = |k: usize| [t.rest[k][0] - now[k][0], t.rest[k][1] - now[k][1]];
                let forces = placed.gradients.forces(&t.material, &[[0.0; 2], toward(0), toward(1)]);
                for (n, force) in nodes.into_iter().zip(forces) {
                    f[n] += in_space(&placed.axes, force);
                }
            }
        }
    }

    fn add_d_force(_: &MembraneMethod, at: AddDForce<'_, Self>) {
        for (t, placed) in at.elements.iter().zip(at.stored) {
            let nodes = t.nodes.map(|n| n as usize);
            let u: InPlane = nodes.map(|n| in_plane(&placed.axes, &at.dx[n]));
            let forces = placed.gradients.forces(&t.material, &u);
            for (n, force) in nodes.into_iter().zip(forces) {
                at.df[n] -= in_space(&placed.axes, force) * at.k_factor;
            }
        }
    }

    fn add_k_to_matrix(method: &MembraneMethod, at: AddKToMatrix<'_, Self>) {
        if *method == MembraneMethod::Small && !K::SMALL_IS_ASSEMBLED {
            return;
        }
        for (t, placed) in at.elements.iter().zip(at.stored) {
            for i in 0..3 {
                for j in 0..3 {
                    let block = placed.gradients.block(&t.material, &placed.axes, [i, j]) * -at.k_factor;
                    at.matrix.add_block(t.nodes[i], t.nodes[j], &block);
                }
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::membrane::{FibreElasticity, PlaneElasticity};
    use super::*;
    use sim_core::testing::{ForceFieldCheck, Random};

    pub(crate) const TRIANGLES: [[u32; 3]; 3] = [[0, 1, 2], [2, 1, 3], [4, 2, 3]];

    /// A crumpled strip of three triangles.
    pub(crate) fn strip() -> Vec<Vec3> {
        [[0.0, 0.0, 0.0], [1.0, 0.1, 0.2], [0.3, 1.1, -0.1], [1.4, 1.2, 0.4], [0.9, 2.0, 0.8]]
            .map(Vec3::from)
            .to_vec()
    }

    struct Skewed;
    impl MembraneKind for Skewed {
        type Material = PlaneElasticity;
        const NAME: &'static str = "skewed";
        const SMALL_KNOWS_SKEW: bool = true;
        const SMALL_IS_ASSEMBLED: bool = false;
    }
    struct Straight;
    impl MembraneKind for Straight {
        type Material = PlaneElasticity;
        const NAME: &'static str = "straight";
        const SMALL_KNOWS_SKEW: bool = false;
        const SMALL_IS_ASSEMBLED: bool = true;
    }

    struct Fibres;
    impl MembraneKind for Fibres {
        type Material = FibreElasticity;
        const NAME: &'static str = "fibres";
        const SMALL_KNOWS_SKEW: bool = true;
        const SMALL_IS_ASSEMBLED: bool = false;
        const TIMES_AREA: bool = false;
    }

    fn field<K: MembraneKind<Material = PlaneElasticity>>(
        method: MembraneMethod,
    ) -> ForceFieldParts<CorotatedMembrane<K>> {
        let elasticity = |e| PlaneElasticity::plane_stress(100.0 * (e + 1) as Real, 0.3);
        CorotatedMembrane::parts(method, &strip(), &TRIANGLES, elasticity).unwrap()
    }

    /// The force in axes and with gradients that are held.
    fn frozen<M: PlaneMaterial>(elements: &[Triangle<M>], stored: &[Placed], f: &mut [Vec3], x: &[Vec3]) {
        for (t, placed) in elements.iter().zip(stored) {
            let from_first =
                t.nodes.map(|n| in_plane(&placed.axes, &(x[n as usize] - x[t.nodes[0] as usize])));
            let rest = [[0.0; 2], t.rest[0], t.rest[1]];
            let u = std::array::from_fn(|k| [rest[k][0] - from_first[k][0], rest[k][1] - from_first[k][1]]);
            for (n, force) in t.nodes.iter().zip(placed.gradients.forces(&t.material, &u)) {
                f[*n as usize] += in_space(&placed.axes, force);
            }
        }
    }

    fn check<K: MembraneKind>(
        method: MembraneMethod,
        seed: u64,
        parts: &ForceFieldParts<CorotatedMembrane<K>>,
    ) {
        let mut random = Random::new(seed);
        let x = random.moved(&strip(), 0.3);
        let mut check = ForceFieldCheck::new(parts, x, random.derivs(5)).seed(seed).symmetric();
        if method == MembraneMethod::Large {
            check = check.internal();
        }
        if method == MembraneMethod::Large || K::SMALL_IS_ASSEMBLED {
            check = check.assembled();
        }
        check.frozen(|_, elements, stored, f, x, _| frozen(elements, stored, f, x)).run();
    }

    #[test]
    fn conforms() {
        use MembraneMethod::{Large, Small};
        check(Large, 1, &field::<Skewed>(Large));
        check(Small, 2, &field::<Skewed>(Small));
        check(Large, 3, &field::<Straight>(Large));
        check(Small, 4, &field::<Straight>(Small));
        for method in [Large, Small] {
            let material = |e| FibreElasticity::new([100.0 * (e + 1) as Real, 40.0], 0.3, [0.6, 0.8]);
            let parts = CorotatedMembrane::<Fibres>::parts(method, &strip(), &TRIANGLES, material);
            check(method, 5, &parts.unwrap());
        }
    }

    fn force<K: MembraneKind>(parts: &ForceFieldParts<CorotatedMembrane<K>>, x: &[Vec3]) -> Vec<Vec3> {
        let (mut f, v) = (vec![Vec3::zeros(); x.len()], vec![Vec3::zeros(); x.len()]);
        let (params, elements) = (MechanicalParams { dt: 0.01, time: 0.0 }, &parts.elements);
        let stored = &mut parts.stored.clone();
        CorotatedMembrane::<K>::add_force(
            &parts.constants,
            AddForce { params, elements, stored, f: &mut f, x, v: &v },
        );
        f
    }

    #[test]
    fn turned_triangles_have_no_force_and_stretched_ones_that_of_their_new_gradients() {
        let turn = sim_core::math::quat_to_matrix(&sim_core::math::quat_from_euler_degrees(Vec3::new(
            70.0, -40.0, 110.0,
        )));
        let x: Vec<Vec3> = strip().iter().map(|p| turn * p + Vec3::new(1.0, 2.0, 3.0)).collect();
        let f = force(&field::<Skewed>(MembraneMethod::Large), &x);
        assert!(f.iter().all(|f| f.norm() < 1e-12), "{f:?}");
        // A right triangle with sides of 1, stretched to 2 along its first side: displacement -1 over a length of 2, twice.
        let rest = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let parts = CorotatedMembrane::<Skewed>::parts(MembraneMethod::Large, &rest, &[[0, 1, 2]], |_| {
            PlaneElasticity::plane_stress(100.0, 0.0)
        });
        let f = force(&parts.unwrap(), &[Vec3::zeros(), Vec3::x() * 2.0, Vec3::y()]);
        assert!((f[1] - Vec3::new(-12.5, 0.0, 0.0)).norm() < 1e-12, "{f:?}");
    }

    #[test]
    fn a_triangle_without_area_is_found_at_rest_and_left_out_later() {
        let line = [Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0];
        let elasticity = |_| PlaneElasticity::plane_stress(100.0, 0.3);
        let e = CorotatedMembrane::<Skewed>::parts(MembraneMethod::Large, &line, &[[0, 1, 2]], elasticity);
        assert_eq!(e.err(), Some(0));
        for method in [MembraneMethod::Large, MembraneMethod::Small] {
            let mut x = strip();
            (x[1], x[2]) = (x[0], x[0]);
            let f = force(&field::<Skewed>(method), &x);
            assert!(f.iter().all(|f| f.iter().all(|c| c.is_finite())), "{f:?}");
        }
    }
}
