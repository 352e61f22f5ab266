//! The `UniformMass` that nothing is given of: weight without inertia.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::each;

/// A weight of 1 kg of each point, which has no inertia.
///
/// **Source:** as SOFA's UniformMass without `totalMass`, `vertexMass` and `filename`: it reports an error and counts as invalid, so that it
/// adds nothing to matrices and products and no acceleration, but its force is added all the same, with the default mass of 1.
pub struct WeightAlone<S>(PhantomData<S>);

impl<S: StateType> Mass for WeightAlone<S> {
    type State = S;
    type Constants = ();
    /// Points that have weight; none: all.
    type Element = u32;
    const NAME: &'static str = "UniformMass";

    fn is_diagonal((): &()) -> bool {
        true
    }

    fn add_gravity((): &(), AddGravity { elements, gravity, f }: AddGravity<'_, Self>) {
        each(elements, f.len(), |i| f[i].add_linear(&gravity));
    }

    fn add_m_dx((): &(), _: AddMDx<'_, Self>) {}

    fn acc_from_f((): &(), AccFromF { a, .. }: AccFromF<'_, Self>) {
        a.fill(S::Deriv::zero());
    }

    fn add_m_to_matrix((): &(), _: AddMToMatrix<'_, Self>) {}

    fn total_mass((): &(), _: &[u32], _: usize) -> Real {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Explicit solvers ask for an acceleration where others only leave out the mass.
    #[test]
    fn a_weight_without_inertia_accelerates_nothing() {
        type W = WeightAlone<Vec3Type>;
        let gravity = Vec3::new(0.0, -9.81, 0.0);
        let mut f = [Vec3::x(); 2];
        W::add_gravity(&(), AddGravity { elements: &[1], gravity, f: &mut f });
        assert_eq!(f, [Vec3::x(), Vec3::x() + gravity]);
        let (x, mut a, mut product) = ([Vec3::zeros(); 2], [Vec3::y(); 2], [Vec3::y(); 2]);
        W::acc_from_f(&(), AccFromF { elements: &[], a: &mut a, f: &f, x: &x });
        W::add_m_dx(&(), AddMDx { factor: 1.0, elements: &[], result: &mut product, dx: &f, x: &x });
        assert_eq!((a, product), ([Vec3::zeros(); 2], [Vec3::y(); 2]));
    }
}
