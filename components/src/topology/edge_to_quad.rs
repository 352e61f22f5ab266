//! `Edge2QuadTopologicalMapping`: tubes around the edges of frames.

use std::f64::consts::PI;

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::mechanical_state::StateAccess;
use sim_core::math::{Rigid3Type, RigidCoord, Vec3, Vec3Type, rotate};

use super::SetTopologyContainer;
use super::ends::Ends;
use super::field::{failed, set};

/// Fills a container with quads that make tubes around the edges between frames.
#[derive(Attributes)]
#[attributes(ignored("toQuadContainer", "toQuadModifier"))]
struct Settings {
    /// points on the circle around each frame, at least 3
    nb_points_on_each_circle: i64,
    /// radius of the circles; of ellipses that along the second axis [m]
    radius: Option<f64>,
    /// radius along the focal axis; 0 for circles [m]
    #[attribute(default = "0", non_negative)]
    radius_focal: f64,
    /// axis of the other radius, in the axes of a frame
    #[attribute(default = "0 0 1")]
    focal_axis: Vec3,
    /// edges around which tubes are made; all if not given
    edge_list: Vec<i64>,
    /// whether quads are turned inside out
    flip_normals: bool,
    #[attribute(flatten)]
    ends: Ends,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Topology, "Edge2QuadTopologicalMapping", build);

/// The most points of a circle.
const MAX_POINTS: i64 = 100_000;

/// Points around a frame's first axis.
struct Circle {
    n: usize,
    /// Half axes, in the axes of a frame [m].
    axes: [Vec3; 2],
}

impl Circle {
    fn around<'c>(&'c self, frame: &'c RigidCoord) -> impl Iterator<Item = Vec3> + 'c {
        (0..self.n).map(move |j| {
            let (sine, cosine) = (2.0 * PI * j as f64 / self.n as f64).sin_cos();
            frame.center + rotate(&frame.orientation, &(self.axes[0] * cosine + self.axes[1] * sine))
        })
    }

    /// The quads between the circles of an edge's frames.
    fn quads(&self, [a, b]: [u32; 2]) -> impl Iterator<Item = [u32; 4]> + '_ {
        let n = self.n as u32;
        (0..n).map(move |j| {
            let next = (j + 1) % n;
            [a * n + j, b * n + j, b * n + next, a * n + next]
        })
    }
}

/// **Source:** as SOFA's: the points are put at their places once; a `TubularMapping` moves them afterwards. A turned quad has its points in
/// reverse, with `edgeList` in reverse after the first.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let circle = circle(&s)?;
    let (input, output) = s.ends.pair(b)?;
    let edges = b.scene.topology(input).map(|t| t.edges.clone()).unwrap_or_default();
    let state = b.scene.state_from(b.scene.component(input).node);
    let frames = state.and_then(|s| b.scene.initial_as::<Rigid3Type>(s)).map(|s| s.position.clone());
    let Some(frames) = frames else {
        return Err(BuildError::attribute(
            "input",
            "there are no frames at the input: a Rigid3 MechanicalObject is needed",
        ));
    };
    if let Some(p) = edges.as_flattened().iter().find(|p| **p as usize >= frames.len()) {
        return Err(BuildError::attribute(
            "input",
            format!("an edge has frame {p}, but there are {}", frames.len()),
        ));
    }
    let points: Vec<Vec3> = frames.iter().flat_map(|frame| circle.around(frame)).collect();
    let mut quads: Vec<[u32; 4]> =
        chosen(&edges, &s.edge_list)?.into_iter().flat_map(|e| circle.quads(e)).collect();
    if s.flip_normals {
        let first = usize::from(!s.edge_list.is_empty());
        quads.iter_mut().for_each(|q| q[first..].reverse());
    }
    let node = b.scene.component(output).node;
    let moved = b.scene.state_in(node).map(|state| b.scene.initial_mut(state));
    if let Some(initial) = moved.and_then(Vec3Type::of_mut) {
        initial.position.clone_from(&points);
        initial.rest_position.clone_from(&points);
        initial.velocity.resize(points.len(), Vec3::zeros());
    }
    let n_points = points.len();
    let container = SetTopologyContainer { points, n_points, quads, ..Default::default() };
    let topology = container.build().map_err(|e| failed(&e))?;
    set(b, output, topology);
    Ok(())
}

fn circle(s: &Settings) -> Result<Circle, BuildError> {
    if !(3..=MAX_POINTS).contains(&s.nb_points_on_each_circle) {
        let text = format!(
            "`nbPointsOnEachCircle` is {}; a circle has from 3 to {MAX_POINTS}",
            s.nb_points_on_each_circle
        );
        return Err(BuildError::attribute("nbPointsOnEachCircle", text));
    }
    let n = s.nb_points_on_each_circle as usize;
    if s.radius.is_none() && s.radius_focal == 0.0 {
        return Err(BuildError::attribute("radius", "give a `radius`, or a `radiusFocal`"));
    }
    let radius = s.radius.unwrap_or(1.0);
    if s.radius_focal == 0.0 {
        return Ok(Circle { n, axes: [Vec3::y() * radius, Vec3::z() * radius] });
    }
    let focal = s.focal_axis.try_normalize(0.0);
    let focal =
        focal.ok_or_else(|| BuildError::attribute("focalAxis", "`focalAxis` is 0; give a direction"))?;
    Ok(Circle { n, axes: [focal.cross(&Vec3::x()) * radius, focal * s.radius_focal] })
}

fn chosen(edges: &[[u32; 2]], list: &[i64]) -> Result<Vec<[u32; 2]>, BuildError> {
    if list.is_empty() {
        return Ok(edges.to_vec());
    }
    let edge = |i: &i64| {
        let found = usize::try_from(*i).ok().and_then(|i| edges.get(i)).copied();
        found.ok_or_else(|| {
            BuildError::attribute(
                "edgeList",
                format!("`edgeList` holds {i}, but there are {} edges", edges.len()),
            )
        })
    };
    list.iter().map(edge).collect()
}

#[cfg(test)]
mod tests {
    use super::super::containers;
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::component::build::LinkTarget;
    use sim_core::topology::Topology;

    fn made(more: &[(&'static str, &str)]) -> Result<(Topology, Vec<Vec3>), BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let class = |name: &str| *containers::ALL.iter().find(|d| d.class == name).unwrap();
        let frames = [("template", "Rigid3"), ("position", "0 0 0 0 0 0 1  1 0 0 0 0 0 1  2 0 0 1 0 0 0")];
        t.add(&mechanical_object::DESCRIPTION, root, &frames).unwrap();
        let edges = t.add(&class("EdgeSetTopologyContainer"), root, &[("edges", "0 1 1 2")]).unwrap();
        let child = t.child(root, "tube");
        let points = t.add(&mechanical_object::DESCRIPTION, child, &[]).unwrap();
        let quads = t.add(&class("QuadSetTopologyContainer"), child, &[]).unwrap();
        let links = [("input", LinkTarget::Component(edges)), ("output", LinkTarget::Component(quads))];
        t.add_linked(&DESCRIPTION, child, more, &links)?;
        let state = t.scene.state_of_component(points).unwrap();
        let x = t.scene.initial_as::<Vec3Type>(state).unwrap().position.clone();
        Ok((t.scene.topology(quads).unwrap().clone(), x))
    }

    #[test]
    fn tubes_lie_around_edges() {
        let (tube, x) = made(&[("nbPointsOnEachCircle", "4"), ("radius", "0.5")]).unwrap();
        assert_eq!((tube.quads.len(), tube.n_points, x.len()), (8, 12, 12));
        assert_eq!(tube.quads[..2], [[0, 4, 5, 1], [1, 5, 6, 2]]);
        assert_eq!(tube.quads[3], [3, 7, 4, 0]);
        assert_eq!(x[0], Vec3::new(0.0, 0.5, 0.0));
        assert!((x[5] - Vec3::new(1.0, 0.0, 0.5)).norm() < 1e-15);
        assert!((x[8] - Vec3::new(2.0, -0.5, 0.0)).norm() < 1e-15, "the last frame is turned half about x");
        assert_eq!(tube.points, x);
    }

    #[test]
    fn ellipses_chosen_edges_and_turned_quads() {
        let n = ("nbPointsOnEachCircle", "4");
        let (_, x) = made(&[n, ("radius", "2"), ("radiusFocal", "3")]).unwrap();
        assert!(
            (x[0] - Vec3::new(0.0, 2.0, 0.0)).norm() < 1e-15
                && (x[1] - Vec3::new(0.0, 0.0, 3.0)).norm() < 1e-15
        );
        let (tube, _) = made(&[n, ("radius", "1"), ("flipNormals", "1")]).unwrap();
        assert_eq!(tube.quads[0], [1, 5, 4, 0]);
        let (tube, _) = made(&[n, ("radius", "1"), ("flipNormals", "1"), ("edgeList", "1")]).unwrap();
        assert_eq!((tube.quads.len(), tube.quads[0]), (4, [4, 5, 9, 8]));
    }

    #[test]
    fn what_makes_no_tube_is_refused() {
        let n = ("nbPointsOnEachCircle", "4");
        let wrong = |more: &[(&'static str, &str)]| made(more).err().unwrap().attribute.unwrap();
        assert_eq!(wrong(&[n]), "radius");
        assert_eq!(wrong(&[("nbPointsOnEachCircle", "2"), ("radius", "1")]), "nbPointsOnEachCircle");
        assert_eq!(wrong(&[n, ("radius", "1"), ("edgeList", "2")]), "edgeList");
        assert_eq!(wrong(&[n, ("radiusFocal", "1"), ("focalAxis", "0 0 0")]), "focalAxis");
    }
}
