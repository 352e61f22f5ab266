//! `FrameSpringForceField`: springs between points that are fixed in frames, which turn the frames toward each other, too.

use sim_core::math::{RigidCoord, RigidDeriv, quat_to_matrix};
use sim_core::prelude::*;

use super::beam_fem_force_field::rotation_vector;
use super::springs::pair::{self, PairLaw};

/// Springs between frames: each draws a point of one frame to a point of the other, and turns both alike.
#[derive(Attributes)]
#[attributes(ignored("show lawful Torsion", "show illicit Torsion"))]
struct Settings {
    /// springs: `BEGIN_SPRING first second`, then what is not 0 (`KS_T`, `KS_R`, `KD`, `VEC1`, `VEC2`), `END_SPRING`
    spring: Option<String>,
    /// state of the first frames; this node's if not given
    object1: Option<LinkTarget>,
    /// state of the second frames; this node's if not given
    object2: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "FrameSpringForceField", build)
        .templates(&[Rigid3Type::NAME])
        .samples(&[
            Sample::new("spring='BEGIN_SPRING 0 1 KS_T 0.03 KS_R 0.002 KD 0.05 VEC1 0.3 0 0 VEC2 -0.3 0 0 END_SPRING'")
                .template("Rigid3"),
            Sample::new(
                "object1='{first}' object2='{second}' spring='BEGIN_SPRING 0 0 KS_T 0.03 KS_R 0.002 KD 0.05 END_SPRING'",
            )
            .template("Rigid3"),
        ]);

/// A spring between two frames.
#[derive(Clone, Copy, Debug)]
pub struct FrameSpring {
    ends: [u32; 2],
    /// Stiffness against translation [N/m].
    translation: Real,
    /// Stiffness against rotation [N m/rad].
    rotation: Real,
    /// Damping of the frames' velocities against each other [N s/m].
    damping: Real,
    /// The points that it joins, each in its frame [m].
    arms: [Vec3; 2],
}

/// Springs between points of frames.
///
/// **Source:** as SOFA's: the torque against a rotation is the rotation vector in the first frame, taken as if it were in the world's
/// axes; damping turns both frames the same way. The tangent is the two stiffnesses, without arms. A product is that of the factor 1
/// whatever a solver asks for: under `EulerImplicitSolver`, whose factor is −h², a stiffness is taken from the mass instead of being
/// added to it, so that only springs that are softer than frames are heavy move them the right way. Explicit integrators ask for no
/// products. Assembled matrices have nothing of it: it acts on their right-hand side only.
pub struct FrameSprings;

impl PairLaw for FrameSprings {
    type State = Rigid3Type;
    type Spring = FrameSpring;
    /// Stiffness against translation and rotation.
    type Tangent = [Real; 2];
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = false;

    fn ends(spring: &FrameSpring) -> [u32; 2] {
        spring.ends
    }

    fn force(s: &FrameSpring, x: [&RigidCoord; 2], v: [&RigidDeriv; 2]) -> (RigidDeriv, [Real; 2]) {
        let ([first, _], tangent) = Self::forces(s, x, v);
        (first, tangent)
    }

    fn forces(
        s: &FrameSpring,
        [a, b]: [&RigidCoord; 2],
        [v, w]: [&RigidDeriv; 2],
    ) -> ([RigidDeriv; 2], [Real; 2]) {
        let arms = [quat_to_matrix(&a.orientation) * s.arms[0], quat_to_matrix(&b.orientation) * s.arms[1]];
        let linear =
            ((b.center + arms[1]) - (a.center + arms[0])) * s.translation + (w.linear - v.linear) * s.damping;
        let turn = rotation_vector(&(a.orientation.conjugate() * b.orientation)) * s.rotation;
        let damping = (w.angular - v.angular) * s.damping;
        let first = RigidDeriv { linear, angular: turn + arms[0].cross(&linear) + damping };
        let second = RigidDeriv { linear, angular: turn + arms[1].cross(&linear) - damping };
        ([first, -second], [s.translation, s.rotation])
    }

    fn factor(k_factor: Real) -> Real {
        if k_factor == 0.0 { 0.0 } else { 1.0 }
    }

    fn product([translation, rotation]: &[Real; 2], d: &RigidDeriv) -> RigidDeriv {
        RigidDeriv { linear: d.linear * *translation, angular: d.angular * *rotation }
    }
}

/// The springs of a text.
fn parse(text: &str) -> Result<Vec<FrameSpring>, String> {
    let mut words = text.split_whitespace();
    let mut springs = Vec::new();
    while let Some(word) = words.next() {
        if word != "BEGIN_SPRING" {
            return Err(format!("a spring begins with BEGIN_SPRING, not with `{word}`"));
        }
        let mut next =
            |what: &str| words.next().ok_or_else(|| format!("the text of a spring ends before {what}"));
        let mut end = || {
            let word = next("its two frames")?;
            word.parse::<u32>().map_err(|_| format!("`{word}` is no number of a frame"))
        };
        let ends = [end()?, end()?];
        let mut s =
            FrameSpring { ends, translation: 0.0, rotation: 0.0, damping: 0.0, arms: [Vec3::zeros(); 2] };
        loop {
            let word = next("END_SPRING")?;
            let mut number = || {
                let given = next(&format!("the numbers of {word}"))?;
                given.parse::<Real>().map_err(|_| format!("`{given}` after {word} is no number"))
            };
            match word {
                "END_SPRING" => break,
                "KS_T" => s.translation = number()?,
                "KS_R" => s.rotation = number()?,
                "KD" => s.damping = number()?,
                "VEC1" => s.arms[0] = Vec3::new(number()?, number()?, number()?),
                "VEC2" => s.arms[1] = Vec3::new(number()?, number()?, number()?),
                other => return Err(format!("`{other}` is no part of a spring")),
            }
        }
        springs.push(s);
    }
    Ok(springs)
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let ends = pair::ends::<FrameSprings>(b, [s.object1, s.object2])?;
    let wrong = |text: String| BuildError::attribute("spring", text);
    let springs = parse(s.spring.as_deref().unwrap_or_default()).map_err(wrong)?;
    if springs.is_empty() {
        b.warn(Some("spring"), "`spring` names no springs, so there will be no force");
    }
    let n = ends.map(|state| b.size(state));
    for (k, spring) in springs.iter().enumerate() {
        for (number, n) in spring.ends.iter().zip(n) {
            if *number as usize >= n {
                return Err(wrong(format!("spring {k} of `spring` is at frame {number}, but there are {n}")));
            }
        }
    }
    pair::add::<FrameSprings>(b, ends, springs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::quat_from_euler_degrees;

    fn spring(text: &str) -> FrameSpring {
        parse(&format!("BEGIN_SPRING 0 1 {text} END_SPRING")).unwrap()[0]
    }

    fn frame(center: [f64; 3], degrees: [f64; 3]) -> RigidCoord {
        RigidCoord { center: Vec3::from(center), orientation: quat_from_euler_degrees(Vec3::from(degrees)) }
    }

    /// Without arms and where both frames are turned alike, the tangent is the derivative.
    #[test]
    fn the_product_is_the_derivative_without_arms() {
        let s = spring("KS_T 30 KS_R 5");
        let (a, b) = (frame([0.0; 3], [0.0; 3]), frame([0.3, -0.2, 1.0], [0.0; 3]));
        let still = RigidDeriv::default();
        let force = |b: &RigidCoord| FrameSprings::force(&s, [&a, b], [&still, &still]);
        let (f, tangent) = force(&b);
        let d = RigidDeriv { linear: Vec3::new(1.0, 2.0, -0.5), angular: Vec3::new(0.3, -0.4, 0.2) };
        let h = 1e-6;
        let turned = quat_from_euler_degrees(d.angular.map(|a| (a * h).to_degrees()));
        let moved = RigidCoord { center: b.center + d.linear * h, orientation: turned };
        let change = (force(&moved).0 - f) * (1.0 / h);
        let product = FrameSprings::product(&tangent, &d);
        assert!((change.linear - product.linear).norm() < 1e-6, "{change:?} {product:?}");
        assert!((change.angular - product.angular).norm() < 1e-4, "{change:?} {product:?}");
        assert_eq!([FrameSprings::factor(-0.25), FrameSprings::factor(0.0)], [1.0, 0.0]);
    }

    #[test]
    fn arms_turn_their_frames_and_damping_turns_both_the_same_way() {
        let s = spring("KS_T 10 KD 2 VEC1 1 0 0 VEC2 0 1 0");
        let x = [frame([0.0; 3], [0.0, 0.0, 90.0]), frame([0.0, 0.0, 2.0], [0.0; 3])];
        let v = [RigidDeriv::default(), RigidDeriv { linear: Vec3::zeros(), angular: Vec3::x() }];
        // Both points are at (0, 1) in the plane.
        let ([first, second], _) = FrameSprings::forces(&s, [&x[0], &x[1]], [&v[0], &v[1]]);
        assert!((first.linear - Vec3::z() * 20.0).norm() < 1e-12);
        assert!((second.linear + Vec3::z() * 20.0).norm() < 1e-12);
        assert!((first.angular - Vec3::x() * 22.0).norm() < 1e-12, "{first:?}");
        assert!((second.angular + Vec3::x() * 18.0).norm() < 1e-12, "{second:?}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for wrong in [
            "0 1",
            "BEGIN_SPRING 0",
            "BEGIN_SPRING 0 1 KS_T x END_SPRING",
            "BEGIN_SPRING 0 1 KS_B 1 END_SPRING",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
