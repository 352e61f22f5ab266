//! Loads that are shared out to points once and stay as they are.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// What tells the classes of loads apart.
pub trait LoadKind: Send + Sync + 'static {
    /// SOFA's class name.
    const NAME: &'static str;
}

/// Constant forces on points: an element is a point and its force. There is no tangent.
pub struct NodalLoads<K>(PhantomData<K>);

impl<K: LoadKind> ForceField for NodalLoads<K> {
    type State = Vec3Type;
    type Constants = ();
    type Element = (u32, Vec3);
    type Stored = ();
    const NAME: &'static str = K::NAME;
    const HAS_STIFFNESS: bool = false;

    fn add_force(_: &(), AddForce { elements, f, .. }: AddForce<'_, Self>) {
        for (point, force) in elements {
            f[*point as usize] += force;
        }
    }

    /// Minus the work, from the origin.
    fn potential_energy(_: &(), loads: &[(u32, Vec3)], x: &[Vec3]) -> Option<Real> {
        Some(-loads.iter().map(|(point, force)| force.dot(&x[*point as usize])).sum::<Real>())
    }
}

/// The numbers of the elements whose points at rest all lie between two planes; none where these are one.
pub(super) fn between_planes<const N: usize>(
    normal: &Vec3,
    [first, second]: [Real; 2],
    elements: &[[u32; N]],
    rest: &[Vec3],
) -> Option<Vec<u32>> {
    let inside = |n: &u32| {
        let d = normal.dot(&rest[*n as usize]);
        d > first && d < second
    };
    let numbered = elements.iter().zip(0..).filter(|(e, _)| e.iter().all(inside));
    (first != second).then(|| numbered.map(|(_, k)| k).collect())
}

/// Which elements of a surface or line are loaded: those between two planes, or listed ones.
#[derive(Attributes)]
pub(super) struct SlabAttributes {
    /// normal of two planes; elements whose points at rest all lie between them are loaded, which are all or none where it is 0
    #[attribute(default = "0 0 0")]
    pub normal: Vec3,
    /// place of the first plane along the normal; no planes where it equals the second [m]
    #[attribute(default = "0")]
    pub dmin: Real,
    /// place of the second plane along the normal [m]
    #[attribute(default = "0")]
    pub dmax: Real,
}

impl SlabAttributes {
    /// The numbers of the elements between the planes; none where there are no planes.
    pub fn between<const N: usize>(&self, elements: &[[u32; N]], rest: &[Vec3]) -> Option<Vec<u32>> {
        between_planes(&self.normal, [self.dmin, self.dmax], elements, rest)
    }
}
