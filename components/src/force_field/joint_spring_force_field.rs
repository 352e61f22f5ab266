//! `JointSpringForceField`: springs between frames that are stiff in some directions and free in others. The file is long for SOFA's
//! cases of a rotation: locked, about a pivot, free, beyond its limits.

use sim_core::math::{RigidCoord, RigidDeriv, quat_to_matrix};
use sim_core::prelude::*;

use super::beam_fem_force_field::rotation_vector;
use super::joint_spring_text::{JointSpring, Rest};
use super::springs::pair::{self, PairLaw};

/// Springs between frames that are stiff in some directions, soft in others, and have limits of rotation.
#[derive(Attributes)]
#[attributes(
    ignored(
        "drawSpringSize",
        "drawMode",
        "showLawfulTorsion",
        "showExtraTorsion",
        "outfile",
        "period",
        "reinit"
    ),
    unsupported("infile", summary = "adds forces from this file, a line for each force")
)]
struct Settings {
    /// springs: `BEGIN_SPRING first second`, then what differs from the defaults (`FREE_AXIS`, `KS_T`, `KS_R`, `KS_B`, `KD`, `R_LIM_X`, `R_LIM_Y`, `R_LIM_Z`, `REST_T`, `REST_R`), `END_SPRING`
    spring: Option<String>,
    /// state of the first frames; this node's if not given
    object1: Option<LinkTarget>,
    /// state of the second frames; this node's if not given
    object2: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription::new::<Settings>(
    Family::ForceField,
    "JointSpringForceField",
    build,
)
.templates(&[Rigid3Type::NAME])
.samples(&[
    Sample::new("spring='BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 0 1 0 KS_T 3 40 KS_R 1 20 KD 0.1 END_SPRING'")
        .template("Rigid3"),
    Sample::new(
        "object1='{first}' object2='{second}' spring='BEGIN_SPRING 0 0 KS_T 3 40 KS_R 1 20 END_SPRING'",
    )
    .template("Rigid3"),
]);

/// Springs between frames.
///
/// In the first frame, R, with u = Rᵀ (x₂ − x₁ − t₀) and the rotation vector θ of q₁⁻¹ q₂ q₀, t₀ and q₀ being what `REST_T` and `REST_R`
/// lead to: f = R (k ∘ u) + c (v₂ − v₁) and the torque R (h ∘ θ) + c (ω₂ − ω₁) on the first frame, the opposite on the second. k has for
/// each axis the first number of `KS_T` where `FREE_AXIS` says free, else the second, h the same of `KS_R`; c is `KD`.
///
/// Of a rotation that is free about one axis alone, and within its limits, the two others turn that axis back to where it stands in the
/// first frame. Beyond a limit the torque about the axis is `KS_B` times what is beyond.
///
/// **Source:** as SOFA's: the force acts at both centres without an arm. Where a spring says `REST_T`, what it says is replaced by how the frames
/// stand in the beginning, and where it does not, the translation at rest is 0. The rotation at rest is put together
/// so that frames that are turned against each other in the beginning are not at rest, and motions depend on how the whole is turned. The tangent takes the stiffness of each direction in the
/// first frame, and leaves the rest out. Exactly at a limit an axis is still free: it is blocked where its angle differs from the nearer limit. Assembled matrices have nothing of it: it acts on their right-hand side only.
pub struct JointSprings;

/// The stiffness of each direction of the first frame, and its rotation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tangent {
    frame: Mat3,
    translation: Vec3,
    rotation: Vec3,
}

impl JointSpring {
    /// The torque against a rotation, in the first frame, and the stiffness of each axis.
    fn torque(&self, turned: &Quat) -> (Vec3, Vec3) {
        let theta = rotation_vector(turned);
        let mut stiffness = self.rotation_stiffness();
        let free = |axis: usize| self.free[3 + axis];
        let alone = (0..3).find(|a| free(*a) && !free((a + 1) % 3) && !free((a + 2) % 3));
        if (0..3).all(|a| !free(a)) {
            return (stiffness.component_mul(&theta), stiffness);
        }
        let inside = |a: usize| self.limits[a][0] < theta[a] && theta[a] < self.limits[a][1];
        if let Some(a) = alone.filter(|a| inside(*a)) {
            // A pivot: its axis is turned back to where it stands in the first frame.
            let m = quat_to_matrix(turned);
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            let tilt = (m[(b, a)].hypot(m[(c, a)])).atan2(m[(a, a)]);
            let mut torque = Vec3::zeros();
            torque[a] = theta[a] * stiffness[a];
            torque[b] = -m[(c, a)] * tilt * stiffness[b];
            torque[c] = m[(b, a)] * tilt * stiffness[c];
            return (torque, stiffness);
        }
        let lawful = Vec3::from_fn(|a, _| {
            let [low, high] = self.limits[a];
            match () {
                () if !free(a) => 0.0,
                () if inside(a) => theta[a],
                () => nearer_limit(theta[a], low, high),
            }
        });
        let extra = within_half_a_turn(theta - lawful);
        let mut torque = Vec3::zeros();
        for a in 0..3 {
            if free(a) && theta[a] != lawful[a] {
                stiffness[a] = self.block_stiffness;
                torque[a] = self.block_stiffness * extra[a];
            } else {
                torque[a] = theta[a] * stiffness[a];
            }
        }
        (torque, stiffness)
    }
}

/// Of length 1; 0 stays 0.
fn unit(q: Quat) -> Quat {
    let length = q.norm();
    if length > 0.0 { q / length } else { q }
}

/// The limit that an angle beyond both is nearer to, around the circle.
fn nearer_limit(theta: Real, low: Real, high: Real) -> Real {
    let turn = std::f64::consts::TAU;
    let to_high = if theta > 0.0 { theta - high } else { theta - high + turn };
    let to_low = if theta > 0.0 { low + turn - theta } else { low - theta };
    if to_high < to_low { high } else { low }
}

/// A rotation vector whose angle is brought into half a turn by whole ones.
fn within_half_a_turn(v: Vec3) -> Vec3 {
    let angle = v.norm();
    let turns = (angle / std::f64::consts::TAU).round();
    if angle > 0.0 && turns != 0.0 { v * ((angle - turns * std::f64::consts::TAU) / angle) } else { v }
}

impl PairLaw for JointSprings {
    type State = Rigid3Type;
    type Spring = JointSpring;
    type Tangent = Tangent;
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = false;

    fn ends(spring: &JointSpring) -> [u32; 2] {
        spring.ends
    }

    fn force(s: &JointSpring, [a, b]: [&RigidCoord; 2], [v, w]: [&RigidDeriv; 2]) -> (RigidDeriv, Tangent) {
        let frame = quat_to_matrix(&a.orientation);
        let stretched = frame.tr_mul(&(b.center - a.center - s.translation));
        let translation = s.translation_stiffness();
        let turned = unit(a.orientation.conjugate() * b.orientation * s.rotation);
        let (torque, rotation) = s.torque(&turned);
        let linear = frame * translation.component_mul(&stretched) + (w.linear - v.linear) * s.damping;
        let angular = frame * torque + (w.angular - v.angular) * s.damping;
        (RigidDeriv { linear, angular }, Tangent { frame, translation, rotation })
    }

    fn product(t: &Tangent, d: &RigidDeriv) -> RigidDeriv {
        let along = |stiffness: &Vec3, d: &Vec3| t.frame * stiffness.component_mul(&t.frame.tr_mul(d));
        RigidDeriv { linear: along(&t.translation, &d.linear), angular: along(&t.rotation, &d.angular) }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let ends = pair::ends::<JointSprings>(b, [s.object1, s.object2])?;
    let wrong = |text: String| BuildError::attribute("spring", text);
    let mut springs = JointSpring::parse(s.spring.as_deref().unwrap_or_default()).map_err(wrong)?;
    if springs.is_empty() {
        b.warn(Some("spring"), "`spring` names no springs, so there will be no force");
    }
    for (k, (spring, rest)) in springs.iter_mut().enumerate() {
        let frame = |side: usize| {
            let state = b.scene.initial_as::<Rigid3Type>(ends[side]).map_or(&[][..], |i| &i.position);
            let (n, number) = (state.len(), spring.ends[side]);
            let text = format!("spring {k} of `spring` is at frame {number}, but there are {n}");
            state.get(number as usize).copied().ok_or_else(|| wrong(text))
        };
        let (first, second) = (frame(0)?, frame(1)?);
        if *rest == Rest::AsInTheBeginning {
            spring.translation = second.center - first.center;
            spring.rotation = second.orientation * first.orientation.conjugate();
        }
    }
    pair::add::<JointSprings>(b, ends, springs.into_iter().map(|(spring, _)| spring).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::springs::pair::{PairsOfOne, PairsOfTwo};
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::component::interaction_force_field::InteractionForceFieldParts;
    use sim_core::math::quat_from_euler_degrees;
    use sim_core::testing::{ForceFieldCheck, InteractionForceFieldCheck, Random};

    fn spring(text: &str) -> JointSpring {
        JointSpring::parse(&format!("BEGIN_SPRING 0 1 {text} END_SPRING")).unwrap()[0].0
    }

    fn turned(degrees: [f64; 3]) -> Quat {
        quat_from_euler_degrees(Vec3::from(degrees))
    }

    /// Where both frames coincide nothing is bent, so that the tangent is the derivative.
    #[test]
    fn conforms_where_it_rests() {
        let s = spring("FREE_AXIS 1 0 0 0 0 0 KS_T 3 40 KS_R 1 20");
        let x = Random::new(2).moved(&[RigidCoord::default()], 1.0)[0];
        let parts = ForceFieldParts::<PairsOfOne<JointSprings>>::new((), vec![s], vec![Tangent::default()]);
        ForceFieldCheck::new(&parts, vec![x, x], vec![RigidDeriv::default(); 2]).seed(2).symmetric().run();
        let s = JointSpring { ends: [0, 0], ..s };
        let parts = InteractionForceFieldParts::<PairsOfTwo<JointSprings>>::new((), vec![s]);
        InteractionForceFieldCheck::new(&parts, vec![x], vec![x]).seed(2).run();
    }

    #[test]
    fn a_pivot_turns_against_its_soft_stiffness_and_tilts_against_the_hard_one() {
        let s = spring("FREE_AXIS 0 0 0 1 0 0 KS_R 2 50 R_LIM_X -1 1");
        let (torque, _) = s.torque(&turned([30.0, 0.0, 0.0]));
        assert!((torque - Vec3::x() * (2.0 * 30f64.to_radians())).norm() < 1e-12, "{torque}");
        let (torque, _) = s.torque(&turned([0.0, 20.0, 0.0]));
        // Tilted by the angle a, with the sine of it along the axis.
        let a = 20f64.to_radians();
        assert!((torque - Vec3::y() * (50.0 * a * a.sin())).norm() < 1e-12, "{torque}");
    }

    #[test]
    fn beyond_its_limit_a_rotation_is_blocked() {
        let s = spring("FREE_AXIS 0 0 0 1 0 0 KS_R 2 50 KS_B 700 R_LIM_X -0.2 0.3");
        for (angle, limit) in [(0.5_f64, 0.3), (-0.6, -0.2)] {
            let (torque, stiffness) = s.torque(&turned([angle.to_degrees(), 0.0, 0.0]));
            assert!((torque.x - 700.0 * (angle - limit)).abs() < 1e-10, "{torque}");
            assert_eq!(stiffness.x, 700.0);
        }
        // At the limit nothing is blocked yet; the other axes are held as beyond it.
        let at_zero = spring("FREE_AXIS 0 0 0 1 0 0 KS_R 2 50 KS_B 700 R_LIM_X 0 1");
        let (torque, stiffness) = at_zero.torque(&turned([0.0, 5.0, 0.0]));
        assert_eq!((torque.x, stiffness.x), (0.0, 2.0));
        assert!((torque.y - 50.0 * 5f64.to_radians()).abs() < 1e-12, "{torque}");
        // Without limits that enclose anything an axis is not free.
        assert!(!spring("FREE_AXIS 0 0 0 1 1 1 R_LIM_Y 0 0").free[4]);
    }

    /// SOFA brings the rotation between the frames to length 1.
    #[test]
    fn a_rotation_at_rest_counts_whatever_its_length() {
        let x = [[10.0, -20.0, 5.0], [35.0, 15.0, -10.0]]
            .map(|degrees| RigidCoord { center: Vec3::zeros(), orientation: turned(degrees) });
        let v = RigidDeriv::default();
        let force = |numbers: &str| {
            let s = spring(&format!("FREE_AXIS 0 0 0 0 0 1 KS_R 2 50 REST_R {numbers}"));
            JointSprings::force(&s, [&x[0], &x[1]], [&v, &v]).0.angular
        };
        let (unit, scaled) = (force("0.1 0 -0.2 0.9746794344808963"), force("0.2 0 -0.4 1.9493588689617927"));
        assert!(unit.norm() > 1.0 && (unit - scaled).norm() < 1e-12, "{unit} {scaled}");
    }

    #[test]
    fn frames_that_do_not_exist_are_named() {
        let mut t = TestScene::new();
        let root = t.root();
        let state = [("template", "Rigid3"), ("position", "0 0 0 0 0 0 1 1 0 0 0 0 0 1")];
        t.add(&mechanical_object::DESCRIPTION, root, &state).unwrap();
        t.add(&DESCRIPTION, root, &[("spring", "BEGIN_SPRING 0 1 REST_T 0 0 0 END_SPRING")]).unwrap();
        for wrong in
            ["BEGIN_SPRING 0 2 END_SPRING", "BEGIN_SPRING 0 1 KS_T 1", "BEGIN_SPRING 0 1 KS_X 1 END_SPRING"]
        {
            let e = t.add(&DESCRIPTION, root, &[("spring", wrong)]).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some("spring"), "{wrong}");
        }
    }
}
