//! `CylinderGridTopology` and `SphereGridTopology`: lattices whose square cross-section is bent into a round one.

use sim_core::component::attributes::{Attributes, Deferred};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;
use sim_core::topology::{Topology, TopologyKind};

use super::RegularGridTopology;
use super::counts::GridCounts;
use super::field::{Drawing, failed, set};

/// What both grids have.
#[derive(Attributes)]
struct Round {
    #[attribute(flatten)]
    counts: GridCounts,
    /// the middle [m]
    #[attribute(default = "0 0 0")]
    center: Vec3,
    /// direction along which the last count runs
    #[attribute(default = "0 0 1")]
    axis: Vec3,
    /// distance of the outermost points from the axis, or from the center [m]
    #[attribute(default = "1")]
    radius: f64,
}

/// A lattice bent into a cylinder.
#[derive(Attributes)]
struct Cylinder {
    #[attribute(flatten)]
    round: Round,
    /// extent along the axis, which begins at the center [m]
    #[attribute(default = "1")]
    length: Deferred<f64>,
}

/// A lattice bent into a ball.
#[derive(Attributes)]
struct Ball {
    #[attribute(flatten)]
    round: Round,
}

/// The components.
pub(super) const ALL: [ComponentDescription; 2] = [
    ComponentDescription::new::<(Cylinder, Drawing)>(Family::Topology, "CylinderGridTopology", |b| {
        let s = Cylinder::read(b)?;
        let length = s.length.get(b)?;
        build(b, &s.round, |i, n, r| cylinder(i, n, r, length))
    }),
    ComponentDescription::new::<(Ball, Drawing)>(Family::Topology, "SphereGridTopology", |b| {
        let s = Ball::read(b)?;
        build(b, &s.round, ball)
    }),
];

fn build(
    b: &mut Builder<'_>,
    s: &Round,
    bend: impl Fn([usize; 3], [usize; 3], f64) -> Vec3,
) -> Result<(), BuildError> {
    if s.axis.norm() == 0.0 {
        return Err(BuildError::attribute("axis", "`axis` is 0; give the direction of the axis"));
    }
    let n = s.counts.get(b)?;
    let lattice = RegularGridTopology { n, ..RegularGridTopology::default() };
    let mut topology = lattice.build().map_err(|e| failed(&e))?;
    let axes = axes(&s.axis);
    let counts = topology.counts.unwrap_or([1; 3]);
    for (i, x) in topology.points.iter_mut().enumerate() {
        let at = [i % counts[0], i / counts[0] % counts[1], i / (counts[0] * counts[1])];
        let p = bend(at, counts, s.radius);
        *x = s.center + axes[0] * p.x + axes[1] * p.y + axes[2] * p.z;
    }
    // Points are looked for among its elements, not in a lattice.
    set(b, b.component, Topology { kind: TopologyKind::Mesh, grid: None, ..topology });
    Ok(())
}

/// **Source:** as SOFA's: z along the axis, x near the first axis of space, or near the second where that is the grid's axis.
fn axes(axis: &Vec3) -> [Vec3; 3] {
    let z = axis.normalize();
    let near = if (z - Vec3::x()).norm() < 1e-6 { Vec3::y() } else { Vec3::x() };
    let y = z.cross(&near).normalize();
    [y.cross(&z).normalize(), y, z]
}

/// From -radius to radius along an axis; the middle where there is one point.
fn across(i: usize, n: usize, radius: f64) -> f64 {
    if n > 1 { 2.0 * radius * i as f64 / (n - 1) as f64 - radius } else { 0.0 }
}

/// Moves a point of a square, or of a cube, onto the circle, or sphere, that has its largest coordinate as radius.
///
/// **Source:** as SOFA's; points nearer than 1e-7 to the middle stay.
fn rounded(p: Vec3) -> Vec3 {
    let length = p.norm();
    if length > 1e-7 { p * (p.amax() / length) } else { p }
}

fn cylinder(i: [usize; 3], n: [usize; 3], radius: f64, length: f64) -> Vec3 {
    let mut p = rounded(Vec3::new(across(i[0], n[0], radius), across(i[1], n[1], radius), 0.0));
    if n[2] > 1 {
        p.z = i[2] as f64 * length / (n[2] - 1) as f64;
    }
    p
}

fn ball(i: [usize; 3], n: [usize; 3], radius: f64) -> Vec3 {
    rounded(Vec3::from_fn(|k, _| across(i[k], n[k], radius)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn built(class: usize, attributes: &[(&'static str, &str)]) -> Topology {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&ALL[class], root, attributes).unwrap();
        t.scene.topology(c).unwrap().clone()
    }

    #[test]
    fn a_cylinder_has_its_border_at_the_radius() {
        let t = built(
            0,
            &[("n", "3 3 5"), ("axis", "0 2 0"), ("radius", "2"), ("length", "8"), ("center", "1 1 1")],
        );
        assert_eq!((t.n_points, t.hexahedra.len(), t.counts), (45, 16, Some([3, 3, 5])));
        for (i, x) in t.points.iter().enumerate() {
            let d = x - Vec3::new(1.0, 1.0, 1.0);
            let expected = if i % 9 == 4 { 0.0 } else { 2.0 };
            assert!((d.x.hypot(d.z) - expected).abs() < 1e-14, "{i}: {x}");
            assert!((d.y - 2.0 * (i / 9) as f64).abs() < 1e-14, "{i}: {x}");
        }
        assert!(t.grid.is_none());
    }

    #[test]
    fn a_ball_has_its_border_at_the_radius() {
        let t = built(1, &[("nx", "5"), ("ny", "5"), ("nz", "5"), ("radius", "4"), ("axis", "1 0 0")]);
        let norms: Vec<f64> = t.points.iter().map(|x| x.norm()).collect();
        assert!((norms[0] - 4.0).abs() < 1e-14 && norms[62] < 1e-14);
        assert_eq!(norms.iter().filter(|r| (**r - 4.0).abs() < 1e-12).count(), 125 - 27);
        assert_eq!(norms.iter().filter(|r| (**r - 2.0).abs() < 1e-12).count(), 26);
    }

    #[test]
    fn an_axis_of_no_length_is_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        let e = t.add(&ALL[0], root, &[("axis", "0 0 0")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("axis"));
    }
}
