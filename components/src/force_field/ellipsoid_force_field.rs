//! `EllipsoidForceField` and `InteractionEllipsoidForceField`: ellipsoids that push points, at rest or carried by a frame.

use sim_core::component::interaction_force_field::{
    AddDForceBetween, AddForceBetween, InteractionForceField, InteractionForceFieldParts,
};
use sim_core::math::{RigidCoord, RigidDeriv, quat_to_matrix};
use sim_core::prelude::*;

use super::ellipsoids::{Ellipsoid, EllipsoidAttributes, Push};

/// Ellipsoids that push points out, or keep them inside.
#[derive(Attributes)]
#[attributes(ignored("contacts", "color"))]
struct Settings {
    #[attribute(flatten)]
    ellipsoids: EllipsoidAttributes,
}

/// Ellipsoids that a frame carries, which push points out, or keep them inside.
#[derive(Attributes)]
#[attributes(ignored("contacts", "color"))]
struct Carried {
    #[attribute(flatten)]
    ellipsoids: EllipsoidAttributes,
    /// state of the points; this node's if not given
    object1: Option<LinkTarget>,
    /// state of the frame; this node's if not given
    object2: Option<LinkTarget>,
    /// frame that carries the ellipsoids
    #[attribute(name = "object2_dof_index", default = "0")]
    object2_dof_index: Index,
    /// whether the frame feels the opposite forces, at its centre
    #[attribute(name = "object2_forces", default = "1")]
    object2_forces: bool,
    /// whether the frame's inverse carries them
    #[attribute(name = "object2_invert")]
    object2_invert: bool,
}

/// The class `EllipsoidForceField`.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "EllipsoidForceField", build)
        .follows(Following::PLAIN)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("center='0.4 0.3 0.2' vradius='0.9 0.9 0.9' stiffness='30' damping='0.2'")]);

/// The class `InteractionEllipsoidForceField`.
pub const INTERACTION: ComponentDescription =
    ComponentDescription::new::<Carried>(Family::ForceField, "InteractionEllipsoidForceField", build_carried)
        .templates(&["Vec3,Rigid3"])
        .samples(&[Sample::new(
            "object1='{first}' object2='{second}' vradius='1.9 1.9 1.9' stiffness='7' damping='0.1'",
        )
        .template("Vec3,Rigid3")]);

/// Ellipsoids at rest; what is stored of each point is its tangent.
///
/// **Source:** as SOFA's; the tangent is not symmetric, and not in assembled matrices: it acts on their right-hand side only.
pub struct EllipsoidForceField;

impl ForceField for EllipsoidForceField {
    type State = Vec3Type;
    type Constants = Push;
    type Element = Ellipsoid;
    type Stored = Mat3;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(push: &Push, AddForce { elements, stored, f, x, v, .. }: AddForce<'_, Self>) {
        for (i, stored) in stored.iter_mut().enumerate() {
            let (force, tangent) = push.force(elements, &x[i], &v[i]).unwrap_or_default();
            f[i] += force;
            *stored = tangent;
        }
    }

    fn add_d_force(_: &Push, AddDForce { k_factor, stored, df, dx, .. }: AddDForce<'_, Self>) {
        for (i, tangent) in stored.iter().enumerate() {
            df[i] += tangent * dx[i] * k_factor;
        }
    }
}

/// Numbers of carried ellipsoids.
#[derive(Clone, Copy, Debug)]
pub struct Carrier {
    push: Push,
    frame: u32,
    is_pushed: bool,
    inverted: bool,
}

/// Ellipsoids carried by a frame.
///
/// **Source:** as SOFA's: the frame's velocity does not count, and it feels no torque. The tangent is not in assembled matrices.
pub struct InteractionEllipsoidForceField;

impl Carrier {
    /// The frame as a rotation and a centre.
    fn frame(&self, x: &[RigidCoord]) -> (Mat3, Vec3) {
        let x = &x[self.frame as usize];
        let q = quat_to_matrix(&x.orientation);
        if self.inverted { (q.transpose(), -(q.tr_mul(&x.center))) } else { (q, x.center) }
    }

    /// The force on a point, and the tangent, in the world.
    fn force(
        &self,
        (q, c): &(Mat3, Vec3),
        ellipsoids: &[Ellipsoid],
        x: &Vec3,
        v: &Vec3,
    ) -> Option<(Vec3, Mat3)> {
        let (force, tangent) = self.push.force(ellipsoids, &q.tr_mul(&(x - c)), &q.tr_mul(v))?;
        Some((q * force, q * tangent * q.transpose()))
    }
}

impl InteractionForceField for InteractionEllipsoidForceField {
    type State1 = Vec3Type;
    type State2 = Rigid3Type;
    type Constants = Carrier;
    type Element = Ellipsoid;
    const NAME: &'static str = INTERACTION.class;

    fn add_force(c: &Carrier, mut at: AddForceBetween<'_, Self>) {
        let frame = c.frame(at.x2);
        for (i, (x, v)) in at.x1.iter().zip(at.v1).enumerate() {
            if let Some((force, _)) = c.force(&frame, at.elements, x, v) {
                at.f1.add(i, force);
                if c.is_pushed {
                    at.f2.add(c.frame as usize, RigidDeriv { linear: -force, angular: Vec3::zeros() });
                }
            }
        }
    }

    fn add_d_force(c: &Carrier, mut at: AddDForceBetween<'_, Self>) {
        let frame = c.frame(at.x2);
        for (i, (x, v)) in at.x1.iter().zip(at.v1).enumerate() {
            if let Some((_, tangent)) = c.force(&frame, at.elements, x, v) {
                let carried = if c.is_pushed { at.dx2[c.frame as usize].linear } else { Vec3::zeros() };
                let d = tangent * (at.dx1[i] - carried) * at.k_factor;
                at.df1.add(i, d);
                if c.is_pushed {
                    at.df2.add(c.frame as usize, RigidDeriv { linear: -d, angular: Vec3::zeros() });
                }
            }
        }
    }
}

fn push(s: &EllipsoidAttributes) -> Push {
    Push { stiffness: s.stiffness, damping: s.damping }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?.ellipsoids);
    let ellipsoids = s.ellipsoids()?;
    warn_of_none(b, &ellipsoids);
    let stored = vec![Mat3::zeros(); b.size(state)];
    b.add_force_field(state, ForceFieldParts::<EllipsoidForceField>::new(push(&s), ellipsoids, stored))
}

fn build_carried(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Carried::read(b)?;
    let end = |link: Option<LinkTarget>, name: &str| match link {
        Some(target) => b.state_at(target, name),
        None => b.state(),
    };
    let (first, second) = (end(s.object1, "object1")?, end(s.object2, "object2")?);
    let ellipsoids = s.ellipsoids.ellipsoids()?;
    let frame = s.object2_dof_index.below(b.size(second))?;
    let carrier =
        Carrier { push: push(&s.ellipsoids), frame, is_pushed: s.object2_forces, inverted: s.object2_invert };
    warn_of_none(b, &ellipsoids);
    let parts = InteractionForceFieldParts::<InteractionEllipsoidForceField>::new(carrier, ellipsoids);
    b.add_interaction_force_field(first, second, parts)
}

fn warn_of_none(b: &mut Builder<'_>, ellipsoids: &[Ellipsoid]) {
    if ellipsoids.is_empty() {
        b.warn(Some("center"), "there is neither `center` nor `vradius`, so there are no ellipsoids");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::quat_from_euler_degrees;
    use sim_core::testing::{ForceFieldCheck, Random};

    /// SOFA's tangent is that of a ball's force along the normal only; so the product is compared with what is stored.
    #[test]
    fn the_product_is_that_of_what_is_stored() {
        let ball = Ellipsoid { center: Vec3::zeros(), inverse_squares: Vec3::new(1.0, 0.6, 1.4) };
        let push = Push { stiffness: 10.0, damping: 0.0 };
        let parts = ForceFieldParts::<EllipsoidForceField>::new(push, vec![ball], vec![Mat3::zeros(); 7]);
        let mut random = Random::new(4);
        let x = random.moved(&[Vec3::zeros(); 7], 1.0);
        let at = x.clone();
        ForceFieldCheck::new(&parts, x, random.derivs(7))
            .seed(4)
            .frozen(move |push, ellipsoids, stored, f, x, v| {
                for (i, tangent) in stored.iter().enumerate() {
                    let force = push.force(ellipsoids, &at[i], &v[i]).unwrap_or_default().0;
                    f[i] += force + tangent * (x[i] - at[i]);
                }
            })
            .run();
    }

    #[test]
    fn a_frame_carries_the_ellipsoids() {
        let q = quat_from_euler_degrees(Vec3::new(0.0, 0.0, 90.0));
        let x2 = [RigidCoord { center: Vec3::new(0.0, 5.0, 0.0), orientation: q }];
        let long = [Ellipsoid { center: Vec3::x() * 2.0, inverse_squares: Vec3::repeat(1.0) }];
        let push = Push { stiffness: 10.0, damping: 0.0 };
        let carrier = Carrier { push, frame: 0, is_pushed: true, inverted: false };
        // The centre lies at (0, 7, 0) in the world.
        let (force, _) =
            carrier.force(&carrier.frame(&x2), &long, &Vec3::new(0.0, 7.5, 0.0), &Vec3::zeros()).unwrap();
        assert!((force - Vec3::y() * 5.0).norm() < 1e-12, "{force}");
        // The inverse frame takes the point p to q p + c.
        let inverted = Carrier { inverted: true, ..carrier };
        let (q, c) = inverted.frame(&x2);
        let p = Vec3::new(0.3, 0.2, 0.1);
        let wanted = sim_core::math::rotate(&x2[0].orientation, &p) + x2[0].center;
        assert!((q.tr_mul(&(p - c)) - wanted).norm() < 1e-12);
    }
}
