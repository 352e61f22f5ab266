//! `QuatToRigidEngine` and `RigidToQuatEngine`: positions and orientations as frames, and back.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::{Quat, Vec3, rotate};

use crate::lagrangian::rotation::euler_angles;

/// Frames at positions, with orientations.
#[derive(Attributes)]
#[attributes(ignored("rigids", "rigid"))]
struct Together {
    /// where the frames are [m]
    #[attribute(alias = "position")]
    positions: Vec<Vec3>,
    /// their quaternions, or one for all
    #[attribute(alias = "orientation")]
    orientations: Vec<[f64; 4]>,
    /// points through which the z axes of the first frames lead: frames move along these axes only [m]
    #[attribute(alias = "colinearPosition")]
    colinear_positions: Vec<Vec3>,
}

/// Positions and orientations of frames.
#[derive(Attributes)]
#[attributes(ignored("positions", "position", "orientations", "orientation", "orientationsEuler"))]
struct Apart {
    /// the frames, as positions of Rigid3
    #[attribute(alias = "rigid")]
    rigids: Vec<[f64; 7]>,
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 2] = [
    ComponentDescription::new::<Together>(Family::Engine, "QuatToRigidEngine", together).templates(&["Vec3"]),
    ComponentDescription::new::<Apart>(Family::Engine, "RigidToQuatEngine", apart).templates(&["Vec3"]),
];

fn quaternion(q: &[f64]) -> Quat {
    Quat::new(q[3], q[0], q[1], q[2])
}

/// **Source:** as SOFA's: where positions and orientations are not as many, there are as many frames as the fewer of both, but one orientation is
/// that of all.
fn together(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Together::read(b)?;
    let (n, m) = (s.positions.len(), s.orientations.len());
    if m != 1 && m != n {
        let text = format!("there are {n} positions and {m} orientations: {} frames, as in SOFA", n.min(m));
        b.warn(Some("orientations"), text);
    }
    let orientation = |i: usize| s.orientations.get(i).or(s.orientations.first().filter(|_| m == 1));
    let mut frames = Vec::with_capacity(7 * n);
    for (i, p) in s.positions.iter().enumerate() {
        let Some(q) = orientation(i) else { break };
        let at = s.colinear_positions.get(i).map_or(*p, |through| {
            let along = rotate(&quaternion(q), &Vec3::z());
            through + along * (along.dot(&(p - through)) / along.norm())
        });
        frames.extend_from_slice(at.as_slice());
        frames.extend_from_slice(q);
    }
    b.offer("rigids", Value::Reals(frames));
    Ok(())
}

/// **Source:** as SOFA's: `orientationsEuler` are roll, pitch and yaw [rad].
fn apart(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Apart::read(b)?;
    let positions = s.rigids.iter().flat_map(|f| [f[0], f[1], f[2]]).collect();
    let orientations = s.rigids.iter().flat_map(|f| [f[3], f[4], f[5], f[6]]).collect();
    let euler: Vec<Vec3> = s.rigids.iter().map(|f| euler_angles(&normalized(&quaternion(&f[3..])))).collect();
    b.offer("positions", Value::Reals(positions));
    b.offer("orientations", Value::Reals(orientations));
    b.offer("orientationsEuler", Value::from_points(&euler));
    Ok(())
}

/// The quaternion with length 1.
///
/// **Source:** as SOFA's: one that has it but for 1e-10 stays as it is, and 0 is no rotation.
fn normalized(q: &Quat) -> Quat {
    let squared = q.norm_squared();
    if (squared - 1.0).abs() <= 1e-10 {
        *q
    } else if squared == 0.0 {
        Quat::identity()
    } else {
        q * (1.0 / squared.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};

    fn offered(class: usize, attributes: &[(&'static str, &str)], name: &str) -> (Vec<f64>, Vec<String>) {
        let (value, warnings) = TestScene::offered(&ALL[class], attributes, name);
        (value.reals().unwrap(), warnings)
    }

    #[test]
    fn frames_have_positions_and_orientations() {
        let positions = ("positions", "1 2 3 4 5 6");
        let (one, warnings) = offered(0, &[positions, ("orientation", "0 0 0 1")], "rigids");
        assert_eq!(one, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 1.0]);
        assert!(warnings.is_empty());
        let (none, warnings) = offered(0, &[positions], "rigids");
        assert!(none.is_empty() && warnings.len() == 1);
        let three = ("orientations", "0 0 0 1 0 0 0 1 0 0 0 1");
        assert_eq!(offered(0, &[positions, three], "rigids").0.len(), 14);
        // The z axis through the second point stays; the frame moves along it.
        let along = [positions, ("orientations", "0 0 0 1"), ("colinearPositions", "7 8 9")];
        assert_eq!(offered(0, &along, "rigids").0[..3], [7.0, 8.0, 3.0]);
    }

    #[test]
    fn frames_are_taken_apart() {
        let h = FRAC_1_SQRT_2.to_string();
        let frames = format!("1 2 3 0 0 {h} {h} 0 0 0 0 0 0 2");
        let given = [("rigids", frames.as_str())];
        assert_eq!(offered(1, &given, "positions").0, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
        assert_eq!(offered(1, &given, "orientations").0[4..], [0.0, 0.0, 0.0, 2.0], "as it was given");
        let euler = offered(1, &given, "orientationsEuler").0;
        assert!((euler[2] - FRAC_PI_2).abs() < 1e-15 && euler[3..] == [0.0; 3], "{euler:?}");
    }
}
