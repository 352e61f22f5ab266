//! `EllipsoidForceField` and `InteractionEllipsoidForceField`: ellipsoids that push points, at rest or carried by a frame. The file is
//! long for its two classes, a force on points and one between states.
//!
//! Of a place p, in the frame's axes where one carries the ellipsoid, with its centre c and half axes r: N² = Σ (pᵢ − cᵢ)²/rᵢ², φ =
//! N − 1, gᵢ = (pᵢ − cᵢ)/rᵢ². Where (N² − 1) k < 0, with k from `stiffness` and c_d from `damping`: f = −|k| φ g/|g| − c_d |φ| v; of
//! several ellipsoids the one with the least N² acts. The tangent is `Dᵢⱼ = gᵢ gⱼ (F₁ + F₃/rⱼ²) + δᵢⱼ F₂/rᵢ²` with F₁ = −|k|/(N |g|),
//! F₂ = −|k| φ/|g|, F₃ = −|k| φ/|g|²: not the derivative of the force, and not symmetric.

use std::marker::PhantomData;

use sim_core::component::interaction_force_field::{
    AddDForceBetween, AddForceBetween, InteractionForceField, InteractionForceFieldParts,
};
use sim_core::math::{RigidCoord, RigidDeriv, quat_to_matrix};
use sim_core::prelude::*;

use super::ellipsoids::{Ellipsoid, EllipsoidAttributes, Push};

/// An ellipsoid that pushes points out, or keeps them inside.
#[derive(Attributes)]
#[attributes(ignored("contacts", "color"))]
struct Settings {
    /// centre, in as many dimensions as the points have; the origin if not given [m]
    center: Option<PointVector>,
    /// half axes, in as many dimensions as the points have [m]
    vradius: Option<PointVector>,
    /// force per relative depth; points are kept inside where it is negative [N]
    #[attribute(default = "500")]
    stiffness: Real,
    /// force per relative depth and velocity [N s/m]
    #[attribute(default = "5")]
    damping: Real,
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
        .templates(&[Vec3Type::NAME, Vec2Type::NAME, Vec1Type::NAME])
        .samples(&[
            Sample::new("center='0.4 0.3 0.2' vradius='0.9 0.9 0.9' stiffness='30' damping='0.2'")
                .template("Vec3"),
            Sample::new("center='0.4 0.3' vradius='0.9 0.8' stiffness='30'").template("Vec2"),
            Sample::new("center='0.4' vradius='0.9' stiffness='30'").template("Vec1"),
        ]);

/// The class `InteractionEllipsoidForceField`.
pub const INTERACTION: ComponentDescription =
    ComponentDescription::new::<Carried>(Family::ForceField, "InteractionEllipsoidForceField", build_carried)
        .templates(&["Vec3,Rigid3"])
        .samples(&[Sample::new(
            "object1='{first}' object2='{second}' vradius='1.9 1.9 1.9' stiffness='7' damping='0.1'",
        )
        .template("Vec3,Rigid3")]);

/// An ellipsoid at rest (an ellipse, a segment), in as many dimensions as the points have, at most three; what is stored of each point is
/// its tangent.
///
/// **Source:** as SOFA's, and so is the tangent.
#[derive(Clone, Copy, Debug)]
pub struct AtRest<P> {
    push: Push,
    ellipsoid: Ellipsoid,
    points: PhantomData<P>,
}

impl<P: Deriv> PointForce for AtRest<P> {
    type Point = P;
    type Tangent = Mat3;
    const NAME: &'static str = DESCRIPTION.class;

    fn force(&self, x: &P, v: &P) -> Option<(P, Mat3)> {
        let (force, tangent) = self.push.force(&[self.ellipsoid], &x.linear(), &v.linear())?;
        Some((P::from_linear(&force), tangent))
    }

    fn d_force(&self, tangent: &Mat3, dx: &P, factor: Real) -> P {
        P::from_linear(&(tangent * dx.linear() * factor))
    }

    fn block(&self, tangent: &Mat3, _: usize, _: usize, factor: Real) -> Mat3 {
        tangent * factor
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
/// **Source:** as SOFA's: v is the point's velocity in the world, turned into the frame's axes; the frame's does not count, and it feels
/// no torque. The tangent goes with the point's displacement less that of the frame's centre, and is not in assembled matrices.
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

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let push = Push { stiffness: s.stiffness, damping: s.damping };
    for_state_type!(b, state, S in [Vec3Type, Vec2Type, Vec1Type] => {
        let center: TranslationOf<S> = PointVector::or_origin::<S>(s.center.as_ref())?;
        let radius: Option<TranslationOf<S>> = s.vradius.as_ref().map(PointVector::of::<S>).transpose()?;
        // As in SOFA, whose ellipsoid is a point then.
        let range = if radius.is_some() { PointRange::ALL } else { PointRange::NONE };
        if radius.is_none() {
            b.warn(Some("vradius"), "there is no `vradius`, so that nothing is pushed, as in SOFA");
        }
        let ellipsoid = ellipsoid(center, radius.unwrap_or_else(|| Deriv::from_linear(&Vec3::repeat(1.0))))?;
        b.add_point_force::<S, _>(state, AtRest { push, ellipsoid, points: PhantomData }, &range)
    })
}

/// Of an ellipsoid in as many dimensions as its points have: along the others nothing counts.
fn ellipsoid<P: Deriv>(center: P, radius: P) -> Result<Ellipsoid, BuildError> {
    let mut inverse_squares = P::zero();
    for k in 0..P::SIZE {
        let r = radius.scalar(k);
        if r == 0.0 {
            let text = format!("`vradius` has a half axis of 0 ({radius:?})");
            return Err(BuildError::attribute("vradius", text));
        }
        *inverse_squares.scalar_mut(k) = 1.0 / (r * r);
    }
    Ok(Ellipsoid { center: center.linear(), inverse_squares: inverse_squares.linear() })
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
    let push = Push { stiffness: s.ellipsoids.stiffness, damping: s.ellipsoids.damping };
    let carrier = Carrier { push, frame, is_pushed: s.object2_forces, inverted: s.object2_invert };
    if ellipsoids.is_empty() {
        b.warn(Some("center"), "there is neither `center` nor `vradius`, so there are no ellipsoids");
    }
    let parts = InteractionForceFieldParts::<InteractionEllipsoidForceField>::new(carrier, ellipsoids);
    b.add_interaction_force_field(first, second, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::{Vec2, quat_from_euler_degrees};
    use sim_core::testing::{ForceFieldCheck, Random};

    /// SOFA's tangent is that of a ball's force along the normal only; so the product is compared with what is stored.
    #[test]
    fn the_product_is_that_of_what_is_stored() {
        let push = Push { stiffness: 10.0, damping: 0.0 };
        let ellipsoid = Ellipsoid { center: Vec3::zeros(), inverse_squares: Vec3::new(1.0, 0.6, 1.4) };
        let at_rest = AtRest { push, ellipsoid, points: PhantomData };
        let parts =
            ForceFieldParts::<PointForceField<Vec3Type, AtRest<Vec3>>>::of_point_force(at_rest, [0, 7]);
        let mut random = Random::new(4);
        let x = random.moved(&[Vec3::zeros(); 7], 1.0);
        let at = x.clone();
        ForceFieldCheck::new(&parts, x, random.derivs(7))
            .seed(4)
            .assembled()
            .frozen(move |(at_rest, _), _, stored, f, x, v| {
                for (i, tangent) in stored.iter().enumerate() {
                    let force = at_rest.force(&at[i], &v[i]).unwrap_or_default().0;
                    f[i] += force + tangent.unwrap_or_default() * (x[i] - at[i]);
                }
            })
            .run();
    }

    /// By hand: with the half axes 2 and 1 and the point (1, 0.25), N = sqrt(1/4 + 1/16), g = (1/4, 1/4), f = -k (N - 1) g / |g|.
    #[test]
    fn an_ellipse_pushes_points_of_a_plane() {
        let ellipsoid = ellipsoid(Vec2::new(3.0, 1.0), Vec2::new(2.0, 1.0)).unwrap();
        let push = Push { stiffness: 10.0, damping: 0.0 };
        let at_rest = AtRest::<Vec2> { push, ellipsoid, points: PhantomData };
        let (force, tangent) = at_rest.force(&Vec2::new(4.0, 1.25), &Vec2::zeros()).unwrap();
        let along = 10.0 * (1.0 - 0.3125_f64.sqrt()) / 2.0_f64.sqrt();
        assert!((force - Vec2::new(along, along)).norm() < 1e-12, "{force}");
        assert_eq!((tangent.row(2).norm(), tangent.column(2).norm()), (0.0, 0.0));
        assert!(super::ellipsoid(Vec2::zeros(), Vec2::new(2.0, 0.0)).is_err());
    }

    /// One ellipsoid only, and none where there are no half axes.
    #[test]
    fn what_lacks_is_said() {
        use crate::state::mechanical_object;
        use crate::test_support::TestScene;
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        t.add(&DESCRIPTION, root, &[("vradius", "1 1 1")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        t.add(&DESCRIPTION, root, &[("center", "1 1 1")]).unwrap();
        assert!(t.warnings[0].contains("nothing is pushed"), "{:?}", t.warnings);
        let e = t.add(&DESCRIPTION, root, &[("vradius", "1 1 1 2 2 2")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("vradius"));
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
