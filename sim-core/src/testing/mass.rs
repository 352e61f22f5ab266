//! The conformance check of a mass: its weight, its products, its inverse and its assembled matrix must fit together.

use super::Random;
use super::vectors::{Product, compare, flat, inner};
use crate::component::mass::{
    AccFromF, AddGravity, AddInertiaForce, AddMDx, AddMToMatrix, CoordOf, DerivOf, Mass, MassParts,
};
use crate::math::{Deriv, Real, Vec3};

/// Checks a mass at positions `x`: products are added, not overwritten, linear in the factor, symmetric and positive;
/// the assembled matrix is that of the products; the inverse of a diagonal mass inverts them; the weights sum to the total
/// mass; inertia forces do no work, and there are none where the parts say so.
///
/// # Panics
/// Where anything disagrees.
pub fn mass<M: Mass>(parts: &MassParts<M>, x: &[CoordOf<M>], seed: u64) {
    let (c, elements, n) = (&parts.constants, &parts.elements[..], x.len());
    let name = |what: &str| format!("{} (seed {seed}): {what}", M::NAME);
    let mut random = Random::new(seed);
    let times = |factor: Real, d: &[DerivOf<M>]| {
        let mut r = vec![DerivOf::<M>::zero(); n];
        M::add_m_dx(c, AddMDx { factor, elements, result: &mut r, dx: d, x });
        r
    };

    let gravity = random.vec3();
    let mut weight = vec![DerivOf::<M>::zero(); n];
    M::add_gravity(c, AddGravity { elements, gravity, f: &mut weight });
    let sum: Vec3 = weight.iter().map(Deriv::linear).sum();
    let mut total = DerivOf::<M>::zero();
    total.add_linear(&(gravity * M::total_mass(c, elements, n)));
    compare(&name("the weights and the total mass"), sum.as_slice(), total.linear().as_slice(), 1e-12);

    let least = least_eigenvalue(n, |d| times(1.0, d));
    assert!(least >= 0.0, "{}", name("it has a direction in which it is negative"));

    for _ in 0..4 {
        let (a, b): (Vec<DerivOf<M>>, Vec<DerivOf<M>>) = (random.derivs(n), random.derivs(n));
        let (ma, mb) = (times(1.0, &a), times(1.0, &b));
        let (amb, bma) = (inner(&a, &mb), inner(&b, &ma));
        compare(&name("a.Mb and b.Ma"), &[amb], &[bma], 1e-9);
        assert!(inner(&a, &ma) > 0.0, "{}", name("a.Ma is not positive"));

        let mut added = b.clone();
        M::add_m_dx(c, AddMDx { factor: -0.7, elements, result: &mut added, dx: &a, x });
        let expected: Vec<DerivOf<M>> = b.iter().zip(&ma).map(|(b, m)| *b + *m * -0.7).collect();
        compare(&name("products added and their sum"), &flat(&added), &flat(&expected), 1e-12);

        let mut sink = Product::with(&a);
        M::add_m_to_matrix(c, AddMToMatrix { factor: 1.3, elements, x, matrix: &mut sink });
        assert!(sink.blocks > 0, "{}", name("add_m_to_matrix writes nothing"));
        let product: Vec<DerivOf<M>> = sink.product();
        compare(&name("the assembled matrix and add_m_dx"), &flat(&product), &flat(&times(1.3, &a)), 1e-12);

        if M::is_diagonal(c) {
            let mut back = vec![DerivOf::<M>::zero(); n];
            M::acc_from_f(c, AccFromF { elements, a: &mut back, f: &ma, x });
            compare(&name("M^-1 M a and a"), &flat(&back), &flat(&a), 1e-12);
        }

        let mut f = vec![DerivOf::<M>::zero(); n];
        M::add_inertia_force(c, AddInertiaForce { elements, f: &mut f, x, v: &a });
        let size = inner(&f, &f).sqrt();
        assert!(
            parts.has_inertia_force || size == 0.0,
            "{}",
            name("has an inertia force that it does not declare")
        );
        assert!(inner(&f, &a).abs() <= 1e-12 * size.max(1.0), "{}", name("the inertia force does work"));
    }
}

/// The least eigenvalue of a symmetric product, 0 if it is that but for rounding.
fn least_eigenvalue<D: Deriv>(n: usize, times: impl Fn(&[D]) -> Vec<D>) -> Real {
    let size = n * D::SIZE;
    let column = |k: usize| {
        let mut d = vec![D::zero(); n];
        let mut unit = vec![0.0; D::SIZE];
        unit[k % D::SIZE] = 1.0;
        d[k / D::SIZE] = D::from_scalars(&unit).unwrap_or_default();
        flat(&times(&d))
    };
    let entries: Vec<Real> = (0..size).flat_map(column).collect();
    let values = nalgebra::DMatrix::from_vec(size, size, entries).symmetric_eigenvalues();
    let (least, most) = (values.min(), values.amax());
    if least > -1e-9 * most { least.max(0.0) } else { least }
}
