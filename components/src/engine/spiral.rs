//! `Spiral`: points of a strip, wound up.

use sim_core::component::value::Value;
use sim_core::prelude::*;

/// Points of a strip along x, wound up to an Archimedean spiral about z.
#[derive(Attributes)]
#[attributes(ignored("position"))]
struct Settings {
    /// points of the strip [m]
    #[attribute(name = "rest_position")]
    rest_position: Vec<Vec3>,
    /// radius that the spiral gains for each radian [m]
    #[attribute(default = "0.2", positive)]
    curvature: Real,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "Spiral", build).templates(&["Vec3"]);

/// How often SOFA corrects the angle that belongs to a length.
const CORRECTIONS: usize = 10;

/// What the y component of a normal near the middle is at most, in single precision.
const STEEPEST: Real = 0.8_f32 as Real;

/// **Source:** as SOFA's: r = a t, and |x| is the length of the arc, a/2 (t sqrt(1 + t^2) + asinh t), solved for t by ten steps of Newton's
/// method from sqrt |x|. y leads along the normal, which within a quarter turn of the middle has a y of at most 0.8.
fn wound(a: Real, p: &Vec3) -> Vec3 {
    let length = p.x.abs();
    let mut t = length.sqrt();
    for _ in 0..CORRECTIONS {
        let root = (1.0 + t * t).sqrt();
        t -= (a / 2.0 * (t * root + t.asinh()) - length) / (a * root);
    }
    let (sin, cos) = t.sin_cos();
    let r = if p.x > 0.0 { a * t } else { -a * t };
    let mut normal = Vec3::new(-a * sin - a * t * cos, a * cos - a * t * sin, 0.0).normalize();
    if t.abs() < std::f64::consts::FRAC_PI_2 && normal.y > STEEPEST {
        normal = Vec3::new(-(1.0 - STEEPEST * STEEPEST).sqrt(), STEEPEST, 0.0);
    }
    Vec3::new(r * cos, r * sin, p.z) + normal * p.y
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let points: Vec<Vec3> = s.rest_position.iter().map(|p| wound(s.curvature, p)).collect();
    b.offer("position", Value::from_points(&points));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn lengths_along_the_middle_are_kept() {
        let n = 4000;
        let strip: String = (0..=n).map(|i| format!("{} 0 1 ", f64::from(i) * 5.0 / f64::from(n))).collect();
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, &[("rest_position", strip.as_str())]).unwrap();
        let reals = t.scene.component(c).fields["position"].reals().unwrap();
        let points: Vec<Vec3> = reals.chunks(3).map(Vec3::from_column_slice).collect();
        let length: f64 = points.windows(2).map(|p| (p[1] - p[0]).norm()).sum();
        assert!((length - 5.0).abs() < 1e-5, "{length}");
        assert_eq!((points[0], points[9].z), (Vec3::z(), 1.0));
        assert!(wound(0.2, &Vec3::new(-5.0, 0.0, 0.0)).x + wound(0.2, &Vec3::new(5.0, 0.0, 0.0)).x == 0.0);
    }
}
