//! The `UniformMass` of rigid frames in a plane.

use sim_core::prelude::*;

use super::{each, mass_of_all};

/// Mass and inertia of a rigid body in a plane.
#[derive(Clone, Copy, Debug)]
pub struct Rigid2Inertia {
    /// Mass [kg].
    mass: Real,
    /// Inertia about the centre [kg m^2].
    inertia: Real,
    /// Its inverse.
    inverse: Real,
}

impl Rigid2Inertia {
    /// From the mass and the inertia per unit of mass, both positive.
    pub fn new(mass: Real, per_mass: Real) -> Self {
        let inertia = per_mass * mass;
        Self { mass, inertia, inverse: 1.0 / inertia }
    }
}

/// Uniform mass and inertia of rigid frames in a plane.
///
/// **Source:** as SOFA's UniformMass of Rigid2: the inertia per unit of mass is 1 unless `vertexMass` gives it.
pub struct UniformMassRigid2;

impl Mass for UniformMassRigid2 {
    type State = Rigid2Type;
    type Constants = Rigid2Inertia;
    /// Frames that have mass; none: all.
    type Element = u32;
    const NAME: &'static str = "UniformMass";

    fn is_diagonal(_: &Rigid2Inertia) -> bool {
        true
    }

    fn add_gravity(c: &Rigid2Inertia, AddGravity { elements, gravity, f }: AddGravity<'_, Self>) {
        let weight = gravity * c.mass;
        each(elements, f.len(), |i| f[i].add_linear(&weight));
    }

    fn add_m_dx(c: &Rigid2Inertia, AddMDx { factor, elements, result, dx, .. }: AddMDx<'_, Self>) {
        each(elements, dx.len(), |i| {
            result[i].linear += (dx[i].linear * c.mass) * factor;
            result[i].angular += (c.inertia * dx[i].angular) * factor;
        });
    }

    fn acc_from_f(c: &Rigid2Inertia, AccFromF { elements, a, f, .. }: AccFromF<'_, Self>) {
        each(elements, f.len(), |i| {
            a[i].linear = f[i].linear / c.mass;
            a[i].angular = c.inverse * f[i].angular;
        });
    }

    fn add_m_to_matrix(c: &Rigid2Inertia, at: AddMToMatrix<'_, Self>) {
        let AddMToMatrix { factor, elements, x, matrix } = at;
        let diagonal = Vec3::new(c.mass, c.mass, c.inertia) * factor;
        let block = Mat3::from_diagonal(&diagonal);
        each(elements, x.len(), |i| matrix.add_block(i as u32, i as u32, &block));
    }

    fn total_mass(c: &Rigid2Inertia, indices: &[u32], n_dofs: usize) -> Real {
        mass_of_all(c.mass, indices, n_dofs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::Rigid2Coord;
    use sim_core::testing::{Random, mass};

    #[test]
    fn conforms() {
        let parts = MassParts::<UniformMassRigid2>::new(Rigid2Inertia::new(4.0, 0.3), vec![]);
        mass(&parts, &Random::new(1).moved(&[Rigid2Coord::default(); 3], 2.0), 1);
    }
}
