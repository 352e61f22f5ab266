//! `OscillatingTorsionPressureForceField`: a surface that is turned to and fro about an axis, and kept in shape. The file is long for the
//! moment, its shares and the penalties, which are SOFA's three laws in one.

use sim_core::math::rotate;
use sim_core::prelude::*;
use sim_core::renumbering::ElementKind;

use super::nodal_loads::between_planes;
use super::triangle_pressure_force_field::{listed, triangles};

/// Turns a surface to and fro about an axis, and keeps its points where they were on it.
#[derive(Attributes)]
#[attributes(ignored("showForces", "trianglePressureMap"))]
struct Settings {
    /// greatest moment on the surface [N m]
    #[attribute(default = "0")]
    moment: Real,
    /// triangles of the surface, which go before the planes
    triangle_list: Indices,
    /// direction of the axis, and normal of two planes between which the triangles lie
    #[attribute(default = "0 0 1")]
    axis: Vec3,
    /// a point of the axis [m]
    #[attribute(default = "0 0 0")]
    center: Vec3,
    /// stiffness that keeps points where the turned surface has them [N/m]
    #[attribute(default = "1000")]
    penalty: Real,
    /// how often the moment goes to and fro [Hz]
    #[attribute(default = "1")]
    frequency: Real,
    /// place of the first plane along the axis; no planes where it equals the second [m]
    #[attribute(default = "0")]
    dmin: Real,
    /// place of the second plane along the axis [m]
    #[attribute(default = "0")]
    dmax: Real,
    /// topology with the triangles; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "OscillatingTorsionPressureForceField", build)
        .follows(Following::of_elements(&[("triangleList", ElementKind::Triangle)]))
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new(
            "moment='0.5' triangleList='0 1' axis='0 0 2' center='0.2 0.1 0' penalty='20' frequency='3'",
        )
        .elements("triangles")]);

/// Numbers of the torsion: its axis has length 1.
#[derive(Clone, Copy, Debug)]
pub struct Oscillation {
    moment: Real,
    axis: Vec3,
    center: Vec3,
    penalty: Real,
    frequency: Real,
}

/// A point of the surface.
#[derive(Clone, Copy, Debug)]
pub struct TurnedPoint {
    point: u32,
    /// From the axis to the point at rest [m].
    from_axis: Vec3,
    /// The point of the axis nearest to it at rest [m].
    on_axis: Vec3,
    /// Which part of the moment it gets.
    part: Real,
}

/// A moment on a surface, less what penalties exert already.
///
/// With φ the angle by which the surface is turned and w(φ) where a point would be if it were turned as a whole: f = k (w(φ) − x), k from
/// `penalty`; these forces have a moment P about the axis. Then each point gets f += d (M cos(2π ν t) − P) s/r, with M from `moment`, ν
/// from `frequency`, the point's distance r from the axis, its direction d around it and its share s of the moment, whose sum is 1.
///
/// **Source:** as SOFA's, with its value of 2π. The angle by which the surface is turned is the mean of those of its points, weighed by their
/// distances from the axis. The time is that at the beginning of the step. There is no tangent.
pub struct OscillatingTorsionPressureForceField;

/// Points nearer to the axis than this have no direction [m].
const NEAREST: Real = 1e-10;
/// Twice π as SOFA has it.
#[expect(clippy::approx_constant, reason = "its last digits decide the last digits of SOFA's forces")]
const TWO_PI: Real = 6.2831853;

impl Oscillation {
    /// From the axis to a point.
    fn arm(&self, x: &Vec3) -> Vec3 {
        let on_axis = self.axis * (x - self.center).dot(&self.axis) + self.center;
        x - on_axis
    }

    /// The angle from one vector across the axis to another, against the sense of the axis.
    fn angle(&self, from: &Vec3, to: &Vec3) -> Real {
        let cosine = from.dot(to) / (from.norm() * to.norm());
        let angle = cosine.clamp(-1.0, 1.0).acos();
        if self.axis.dot(&from.cross(to)) > 0.0 { -angle } else { angle }
    }

    /// How far the surface is turned, on average [rad].
    fn turned(&self, points: &[TurnedPoint], x: &[Vec3]) -> Real {
        let (mut sum, mut weight) = (0.0, 0.0);
        for p in points {
            let now = self.arm(&x[p.point as usize]);
            let distance = now.norm();
            if distance > NEAREST && p.from_axis.norm() > NEAREST {
                sum += distance * self.angle(&now, &p.from_axis);
                weight += distance;
            }
        }
        if weight > 0.0 { sum / weight } else { 0.0 }
    }

    /// Where a point is pushed by a moment, and its distance from the axis; none where it has no direction.
    fn lever(&self, p: &TurnedPoint, x: &Vec3) -> Option<(Vec3, Real)> {
        let now = self.arm(x);
        let distance = now.norm();
        let has_direction = distance > NEAREST && p.from_axis.norm() > NEAREST;
        has_direction.then(|| (self.axis.cross(&now).try_normalize(0.0).unwrap_or_default(), distance))
    }
}

impl ForceField for OscillatingTorsionPressureForceField {
    type State = Vec3Type;
    type Constants = Oscillation;
    type Element = TurnedPoint;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;
    const HAS_STIFFNESS: bool = false;

    fn changes_by_time(o: &Oscillation) -> bool {
        o.moment != 0.0
    }

    fn add_force(o: &Oscillation, AddForce { params, elements, f, x, .. }: AddForce<'_, Self>) {
        let half = o.turned(elements, x) / 2.0;
        let turn = Quat::from_parts(half.cos(), o.axis * half.sin());
        let mut exerted = 0.0;
        for p in elements {
            let i = p.point as usize;
            let wanted = rotate(&turn, &p.from_axis) + p.on_axis;
            let force = (wanted - x[i]) * o.penalty;
            f[i] += force;
            if let Some((direction, distance)) = o.lever(p, &x[i]) {
                exerted += force.dot(&direction) * distance;
            }
        }
        let left = o.moment * (TWO_PI * o.frequency * params.time).cos() - exerted;
        for p in elements {
            let i = p.point as usize;
            if let Some((direction, distance)) = o.lever(p, &x[i]) {
                f[i] += direction * left * p.part / distance;
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let (triangles, rest) = triangles(b, state)?;
    let axis = s.axis.try_normalize(0.0).ok_or_else(|| BuildError::attribute("axis", "`axis` is 0"))?;
    let oscillation =
        Oscillation { moment: s.moment, axis, center: s.center, penalty: s.penalty, frequency: s.frequency };
    let chosen = if s.triangle_list.is_empty() {
        between_planes(&axis, [s.dmin, s.dmax], &triangles, &rest).unwrap_or_default()
    } else {
        listed(&s.triangle_list, triangles.len())?
    };
    if chosen.is_empty() {
        b.warn(Some("triangleList"), "no triangle is chosen, so that nothing is turned");
    }
    let chosen: Vec<[u32; 3]> = chosen.into_iter().map(|t| triangles[t as usize]).collect();
    let points = points(&oscillation, &chosen, &rest);
    if !points.is_empty() && points.iter().all(|p| p.from_axis.norm() <= NEAREST) {
        let text = "all points are on the axis, so that nothing is turned";
        return Err(BuildError::attribute("center", text));
    }
    type Parts = ForceFieldParts<OscillatingTorsionPressureForceField>;
    b.add_force_field(state, Parts::new(oscillation, points, vec![]))
}

/// The points of some triangles, ascending, with their parts of the moment.
///
/// **Source:** as SOFA's: in each triangle a corner's part is its distance from the axis, times a third of the area, times the squares of
/// five distances: its own, those halfway to both others, that of the mean of these three, and the mean of all corners'.
fn points(o: &Oscillation, triangles: &[[u32; 3]], rest: &[Vec3]) -> Vec<TurnedPoint> {
    let mut parts: Vec<Option<Real>> = vec![None; rest.len()];
    for t in triangles {
        let [p, q, r] = t.map(|i| rest[i as usize]);
        let area = 0.5 * (q - p).cross(&(r - p)).norm();
        let d = [p, q, r].map(|x| o.arm(&x).norm());
        let mean = (d[0] + d[1] + d[2]) / 3.0;
        for k in 0..3 {
            let (own, after, before) = (d[k], (d[k] + d[(k + 1) % 3]) / 2.0, (d[(k + 2) % 3] + d[k]) / 2.0);
            let near = (own + after + before) / 3.0;
            let squares = own * own + after * after + before * before + near * near + mean * mean;
            *parts[t[k] as usize].get_or_insert(0.0) += squares * own * area / 3.0;
        }
    }
    let total: Real = parts.iter().flatten().sum();
    let point = |(i, part): (u32, &Option<Real>)| {
        let from_axis = o.arm(&rest[i as usize]);
        let part = if total == 0.0 { 0.0 } else { (*part)? / total };
        Some(TurnedPoint { point: i, from_axis, on_axis: rest[i as usize] - from_axis, part })
    };
    (0..).zip(&parts).filter(|(_, part)| part.is_some()).filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;
    use sim_core::testing::{ForceFieldCheck, Random};

    const REST: [Vec3; 4] = [
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(0.0, 2.0, 0.0),
        Vec3::new(-1.0, 0.0, 0.5),
        Vec3::new(0.0, -2.0, 0.0),
    ];

    fn torsion(moment: Real) -> (Oscillation, Vec<TurnedPoint>) {
        let o = Oscillation { moment, axis: Vec3::z(), center: Vec3::zeros(), penalty: 50.0, frequency: 2.0 };
        (o, points(&o, &[[0, 1, 2], [0, 2, 3]], &REST))
    }

    fn forces(moment: Real, time: Real, x: &[Vec3; 4]) -> [Vec3; 4] {
        let (o, elements) = torsion(moment);
        let mut f = [Vec3::zeros(); 4];
        let params = MechanicalParams { dt: 0.01, time };
        let at = AddForce { params, elements: &elements, stored: &mut [], f: &mut f, x, v: x };
        OscillatingTorsionPressureForceField::add_force(&o, at);
        f
    }

    fn moment(f: &[Vec3; 4], x: &[Vec3; 4]) -> Real {
        f.iter().zip(x).map(|(f, x)| x.cross(f).z).sum()
    }

    #[test]
    fn the_moment_is_what_it_is_said_to_be() {
        let mut random = Random::new(3);
        let x: [Vec3; 4] = random.moved(&REST, 0.3).try_into().unwrap();
        for (time, expected) in [(0.0, 7.0), (0.25, -7.0), (0.125, 0.0)] {
            let f = forces(7.0, time, &x);
            assert!((moment(&f, &x) - expected).abs() < 1e-5, "{time}: {}", moment(&f, &x));
        }
        // Turned as a whole, penalties do nothing.
        let turn = Quat::from_parts(0.3_f64.cos(), Vec3::z() * 0.3_f64.sin());
        let turned = REST.map(|x| rotate(&turn, &x));
        let f = forces(0.0, 0.0, &turned);
        assert!(f.iter().all(|f| f.norm() < 1e-12), "{f:?}");
        let parts: Real = torsion(0.0).1.iter().map(|p| p.part).sum();
        assert!((parts - 1.0).abs() < 1e-15);
    }

    #[test]
    fn conforms() {
        let (o, elements) = torsion(3.0);
        let x = Random::new(1).moved(&REST, 0.2);
        let parts = ForceFieldParts::<OscillatingTorsionPressureForceField>::new(o, elements, vec![]);
        ForceFieldCheck::new(&parts, x, vec![Vec3::zeros(); 4]).seed(1).run();
    }

    #[test]
    fn triangles_are_listed_or_between_planes() {
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let mesh = all.iter().find(|d| d.class == "MeshTopology").unwrap();
        let points = "1 0 0 0 1 0 -1 0 0 1 0 5 0 1 5 -1 0 5";
        t.add(mesh, root, &[("position", points), ("triangles", "0 1 2 3 4 5")]).unwrap();
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", points)]).unwrap();
        t.add(&DESCRIPTION, root, &[("dmin", "4"), ("dmax", "6"), ("moment", "1")]).unwrap();
        t.add(&DESCRIPTION, root, &[("triangleList", "0"), ("moment", "1")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        t.add(&DESCRIPTION, root, &[("moment", "1")]).unwrap();
        assert_eq!(t.warnings.len(), 1);
        let e = t.add(&DESCRIPTION, root, &[("triangleList", "9")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("triangleList"));
        assert!(t.add(&DESCRIPTION, root, &[("triangleList", "0"), ("axis", "0 0 0")]).is_err());
    }
}
