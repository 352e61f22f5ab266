//! `TubularMapping`: circles about a row of frames.

use std::f64::consts::TAU;

use sim_core::prelude::*;

use super::influence::{Influence, InfluenceMapping, add_influences, check_templates};

/// A circle of points about the x axis of each frame.
#[derive(Attributes)]
struct Settings {
    /// how many points each circle has
    #[attribute(positive)]
    nb_points_on_each_circle: i64,
    /// radius of the circles; must be given [m]
    radius: Option<Real>,
    /// over how many circles the tube comes to a point: at its beginning, or at its end where negative
    #[attribute(default = "0")]
    peak: i64,
    /// of our own: each frame feels the forces on its own circle; in SOFA's forces and products it also feels those on all circles before it
    exact_forces: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, InputAttribute)>(Family::Mapping, "TubularMapping", build)
        .templates(&["Rigid3,Vec3"])
        .samples(&[
            // By SOFA's forces products are not those of a symmetric matrix, and where a conjugate gradient ends then is rounding.
            Sample::new("nbPointsOnEachCircle='3' radius='0.2' exactForces='1'"),
            Sample::new("nbPointsOnEachCircle='2' radius='0.2' peak='-1' exactForces='1'"),
        ]);

/// Circles about the x axes of frames.
///
/// **Source:** as SOFA's: point i N + j stands at c_i + R_i (0, cos, sin)(2 pi j/N) r_i, where r_i grows from 0 over the circles of the
/// peak. To each frame it adds the forces on the circles of all frames before it, too, since its sums are not begun anew; so it is in forces and
/// products, but neither in assembled matrices nor in rows of constraints, which have the Jacobian.
pub struct TubularAsSofas;

impl InfluenceMapping for TubularAsSofas {
    const NAME: &'static str = DESCRIPTION.class;
    const GATHERS: bool = true;
}

/// The same, where each frame feels its own circle alone.
pub struct Tubular;

impl InfluenceMapping for Tubular {
    const NAME: &'static str = DESCRIPTION.class;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, ends) = (Settings::read(b)?, b.mapping_ends()?);
    check_templates::<Tubular>(b, ends)?;
    let Some(radius) = s.radius else {
        return Err(BuildError::attribute("radius", "give the radius of the circles"));
    };
    let (n_frames, n) = (b.size(ends.0) as u32, u32::try_from(s.nb_points_on_each_circle).ok());
    let fits = n.and_then(|n| n.checked_mul(n_frames).map(|_| n));
    let Some(n) = fits else {
        let text = format!("{} points on each circle are too many", s.nb_points_on_each_circle);
        return Err(BuildError::attribute("nbPointsOnEachCircle", text));
    };
    let mut influences = Vec::with_capacity((n * n_frames) as usize);
    for frame in 0..n_frames {
        let from_peak = if s.peak > 0 { frame } else { n_frames - 1 - frame };
        let part = if i64::from(from_peak) < s.peak.saturating_abs() {
            f64::from(from_peak) / s.peak.unsigned_abs() as f64
        } else {
            1.0
        };
        for j in 0..n {
            let (sin, cos) = (TAU * f64::from(j) / f64::from(n)).sin_cos();
            let arm = Vec3::new(0.0, cos, sin) * (part * radius);
            influences.push(Influence { point: frame * n + j, frame, weight: 1.0, arm });
        }
    }
    let n_points = (n * n_frames) as usize;
    if s.exact_forces {
        add_influences::<Tubular>(b, ends, influences, n_points)
    } else {
        add_influences::<TubularAsSofas>(b, ends, influences, n_points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    fn tube(attributes: &[(&'static str, &str)]) -> Result<Vec<Vec3>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        // The second frame's x axis is y.
        let frames = "0 0 0 0 0 0 1 5 0 0 0 0 0.7071067811865476 0.7071067811865476";
        let frames = [("template", "Rigid3"), ("position", frames)];
        t.add(&mechanical_object::DESCRIPTION, root, &frames).unwrap();
        let child = t.child(root, "tube");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[]).unwrap();
        t.add(&DESCRIPTION, child, attributes)?;
        let state = t.scene.state_of_component(c).unwrap();
        Ok(t.scene.initial_as::<Vec3Type>(state).unwrap().position.clone())
    }

    #[test]
    fn circles_stand_across_the_frames() {
        let x = tube(&[("nbPointsOnEachCircle", "4"), ("radius", "2")]).unwrap();
        let expected = [
            [0.0, 2.0, 0.0],
            [0.0, 0.0, 2.0],
            [0.0, -2.0, 0.0],
            [0.0, 0.0, -2.0],
            [3.0, 0.0, 0.0],
            [5.0, 0.0, 2.0],
            [7.0, 0.0, 0.0],
            [5.0, 0.0, -2.0],
        ];
        assert_eq!(x.len(), expected.len());
        assert!(x.iter().zip(expected).all(|(x, e)| (x - Vec3::from(e)).norm() < 1e-14), "{x:?}");
    }

    #[test]
    fn a_peak_is_at_the_beginning_or_at_the_end() {
        let radii = |peak| {
            let x = tube(&[("nbPointsOnEachCircle", "1"), ("radius", "2"), ("peak", peak)]).unwrap();
            [x[0].norm(), (x[1] - Vec3::x() * 5.0).norm()]
        };
        for (peak, [first, last]) in [("1", [0.0, 2.0]), ("2", [0.0, 1.0]), ("-2", [1.0, 0.0])] {
            let [a, b] = radii(peak);
            assert!((a - first).abs() < 1e-14 && (b - last).abs() < 1e-14, "{peak}: {a} {b}");
        }
    }

    /// Three circles of two points: by SOFA's way frame i has the sums over the circles 0 to i, by the Jacobian those of its own.
    #[test]
    fn forces_are_gathered_as_sofas_or_by_the_jacobian() {
        use super::super::influence::WeightedFrames;
        use sim_core::math::{RigidCoord, RigidDeriv};
        use sim_core::testing::{Random, mapping};
        let mut random = Random::new(6);
        let influence = |k: u32| Influence { point: k, frame: k / 2, weight: 1.0, arm: random.vec3() };
        let influences: Vec<Influence> = (0..6).map(influence).collect();
        let arms = vec![Vec3::zeros(); 6];
        let exact = MappingParts::<WeightedFrames<Tubular>>::new((), influences.clone(), arms.clone(), 6);
        mapping(&exact, &random.moved(&[RigidCoord::default(); 3], 1.0), 6);
        let (f, stored): (Vec<Vec3>, Vec<Vec3>) = (random.derivs(6), random.derivs(6));
        let own: Vec<RigidDeriv> = (0..3)
            .map(|frame| {
                let points = [2 * frame, 2 * frame + 1];
                let linear = points.iter().map(|k| f[*k]).sum();
                RigidDeriv { linear, angular: points.iter().map(|k| stored[*k].cross(&f[*k])).sum() }
            })
            .collect();
        let mut by_jacobian = vec![RigidDeriv::default(); 3];
        let mut as_sofas = by_jacobian.clone();
        let (elements, stored) = (&influences[..], &stored[..]);
        let at = ApplyJt { elements, stored, f_in: &mut by_jacobian, f_out: &f };
        WeightedFrames::<Tubular>::apply_jt(&(), at);
        WeightedFrames::<TubularAsSofas>::apply_jt(
            &(),
            ApplyJt { elements, stored, f_in: &mut as_sofas, f_out: &f },
        );
        let mut sum = RigidDeriv::default();
        for k in 0..3 {
            sum += own[k];
            for (found, wanted) in [(by_jacobian[k], own[k]), (as_sofas[k], sum)] {
                let error = found - wanted;
                assert!(error.linear.norm() + error.angular.norm() < 1e-14, "{found:?} {wanted:?}");
            }
        }
    }

    #[test]
    fn the_radius_must_be_given() {
        let error = tube(&[("nbPointsOnEachCircle", "4")]).unwrap_err();
        assert_eq!(error.attribute.as_deref(), Some("radius"));
    }
}
