//! `MechanicalObject`: the positions and velocities of one object. The file is long for SOFA's order of what a state is made from: lists,
//! topologies, other vectors, and transformations.

use sim_core::component::attributes::{Attributes, CoordRows, Deferred, DerivRows};
use sim_core::component::build::{BuildError, Builder, LinkTarget, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::mechanical_state::{
    InitialState, StateAccess, TEMPLATES, for_template, template_name,
};
use sim_core::component::value::Value;
use sim_core::math::{Coord, Deriv, Quat, StateType, Vec3, Vec3Type, quat_from_euler_degrees};
use sim_core::topology::{Topology, TopologyKind};

use crate::topology::PointsOfElements;

/// Positions and velocities of points (Vec1, Vec2, Vec3, Vec6) or rigid frames (Rigid2, Rigid3).
#[derive(Attributes)]
#[attributes(
    ignored("reserve", "force"),
    unsupported("externalForce", summary = "adds these forces in the first step"),
    ignored("derivX", "free_position", "free_velocity", "reset_position", "reset_velocity"),
    ignored("showObject", "showObjectScale", "showIndices", "showIndicesScale"),
    ignored("showVectors", "showVectorsScale", "drawMode", "showColor")
)]
struct Settings {
    /// positions (Rigid3: centre and quaternion x y z w; Rigid2: centre and angle) [m]
    position: Option<CoordRows>,
    /// velocities (Rigid3, Rigid2: linear and angular) [m/s]
    velocity: Option<DerivRows>,
    /// rest positions; position, transformed, if not given [m]
    #[attribute(name = "rest_position")]
    rest_position: Option<CoordRows>,
    /// number of degrees of freedom, if no vector gives it
    size: Option<i64>,
    #[attribute(flatten)]
    transform: Transform,
    /// whether positions may come from the node's topology
    #[attribute(default = "1")]
    use_topology: Deferred<bool>,
    /// where positions come from; the node's first topology if not given
    topology: Deferred<Option<LinkTarget>>,
}

/// How positions are moved when they have been read. What wins makes the others of no effect.
#[derive(Attributes)]
struct Transform {
    /// moves position, last [m]
    #[attribute(default = "0 0 0")]
    translation: Deferred<Vec3>,
    /// turns position about x, then y, then z [deg]
    #[attribute(default = "0 0 0")]
    rotation: Deferred<Vec3>,
    /// stretches position, first
    #[attribute(default = "1 1 1")]
    scale3d: Deferred<Vec3>,
    /// x of the translation; wins over `translation` [m]
    #[attribute(kind = Real32)]
    dx: Option<f64>,
    /// y of the translation [m]
    #[attribute(kind = Real32)]
    dy: Option<f64>,
    /// z of the translation [m]
    #[attribute(kind = Real32)]
    dz: Option<f64>,
    /// rotation about x; wins over `rotation` [deg]
    #[attribute(kind = Real32)]
    rx: Option<f64>,
    /// rotation about y [deg]
    #[attribute(kind = Real32)]
    ry: Option<f64>,
    /// rotation about z [deg]
    #[attribute(kind = Real32)]
    rz: Option<f64>,
    /// stretch along x; wins over `scale` and `scale3d`
    #[attribute(kind = Real32)]
    sx: Option<f64>,
    /// stretch along y
    #[attribute(kind = Real32)]
    sy: Option<f64>,
    /// stretch along z
    #[attribute(kind = Real32)]
    sz: Option<f64>,
    /// stretch along all axes; wins over `scale3d`
    #[attribute(kind = Real32)]
    scale: Deferred<Option<f64>>,
    /// moves position after rest_position is taken [m]
    #[attribute(default = "0 0 0")]
    translation2: Deferred<Vec3>,
    /// turns position after rest_position is taken [deg]
    #[attribute(default = "0 0 0")]
    rotation2: Deferred<Vec3>,
    /// x of the second translation [m]
    #[attribute(kind = Real32)]
    dx2: Option<f64>,
    /// y of the second translation [m]
    #[attribute(kind = Real32)]
    dy2: Option<f64>,
    /// z of the second translation [m]
    #[attribute(kind = Real32)]
    dz2: Option<f64>,
    /// second rotation about x [deg]
    #[attribute(kind = Real32)]
    rx2: Option<f64>,
    /// second rotation about y [deg]
    #[attribute(kind = Real32)]
    ry2: Option<f64>,
    /// second rotation about z [deg]
    #[attribute(kind = Real32)]
    rz2: Option<f64>,
    /// factor from position to rest_position
    #[attribute(default = "1")]
    rest_scale: Deferred<f64>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::State, "MechanicalObject", build).templates(TEMPLATES);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let given = b.attributes.template.clone().filter(|t| !t.is_empty());
    let name = given.as_deref().map_or(Vec3Type::NAME, template_name);
    for_template!(name, S => build_as::<S>(b)).unwrap_or_else(|| {
        let there = TEMPLATES.join(", ");
        let text = format!("a MechanicalObject of template `{name}` is not supported; there are {there}");
        Err(BuildError::attribute("template", text))
    })
}

/// **Source:** the order of steps is that of SOFA's MechanicalObject: sizes, topology, first transform, rest position,
/// second transform.
fn build_as<S: StateAccess>(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let position = coords::<S>(b, "position", s.position.as_ref())?;
    let velocity = derivs::<S>(b, "velocity", s.velocity.as_ref());
    let rest = coords::<S>(b, "rest_position", s.rest_position.as_ref())?;
    let mut state = sized::<S>(b, &s, position, velocity, rest.as_deref())?;

    let t = &s.transform;
    let scale = scale(b, t)?;
    let rotation = three([t.rx, t.ry, t.rz], 0.0).map_or_else(|| t.rotation.get(b), Ok)?;
    let translation = three([t.dx, t.dy, t.dz], 0.0).map_or_else(|| t.translation.get(b), Ok)?;
    transform::<S>(&mut state.position, &scale, &rotation, &translation);

    state.rest_position = match rest {
        Some(rest) if rest.len() == state.position.len() => rest,
        _ => {
            let factor = t.rest_scale.get(b)?;
            state.position.iter().map(|x| if factor == 1.0 { *x } else { x.scaled(factor) }).collect()
        }
    };

    let rotation = three([t.rx2, t.ry2, t.rz2], 0.0).map_or_else(|| t.rotation2.get(b), Ok)?;
    let translation = three([t.dx2, t.dy2, t.dz2], 0.0).map_or_else(|| t.translation2.get(b), Ok)?;
    transform::<S>(&mut state.position, &Vec3::new(1.0, 1.0, 1.0), &rotation, &translation);

    offer_vectors(b, &state);
    b.scene.add_state(b.component, S::wrap(state));
    Ok(())
}

/// Makes the vectors equally long, after taking positions from the topology where there are none.
///
/// **Source:** as SOFA's, which first gives all vectors the length of the longest, so that what lacks is 0: velocities after the last one
/// given, and positions where there are rest positions only. A single velocity is that of all points where these come from a topology.
fn sized<S: StateAccess>(
    b: &mut Builder<'_>,
    s: &Settings,
    position: Option<Vec<S::Coord>>,
    velocity: Option<Vec<S::Deriv>>,
    rest: Option<&[S::Coord]>,
) -> Result<InitialState<S>, BuildError> {
    let size = match s.size {
        None => None,
        Some(n) => {
            Some(usize::try_from(n).ok().filter(|n| *n <= crate::topology::MAX_POINTS).ok_or_else(|| {
                BuildError::attribute(
                    "size",
                    format!("`size` is {n}; it must be a number of degrees of freedom"),
                )
            })?)
        }
    };
    let none = position.is_none() && velocity.is_none() && size.is_none();
    let mut position =
        position.unwrap_or_else(|| vec![S::Coord::default(); size.unwrap_or(usize::from(none))]);
    let mut velocity = velocity.unwrap_or_default();
    if let Some(rest) = rest
        && rest.len() > position.len()
    {
        let is_mapped =
            b.scene.components_of(b.node).any(|c| b.scene.component(c).class.ends_with("Mapping"));
        if !is_mapped && rest.iter().any(|x| x.center() != Vec3::zeros()) {
            let text = "`rest_position` has more points than `position`: those that lack are at the origin, as in SOFA; give both";
            b.warn(Some("rest_position"), text);
        }
        position.resize(rest.len(), S::Coord::default());
    }
    if position.len() <= 1
        && velocity.len() <= 1
        && size.unwrap_or(0) <= 1
        && let Some(points) = topology_points(b, s)?
    {
        position = points.into_iter().map(S::Coord::at).collect();
        let all = velocity.last().copied().unwrap_or_default();
        velocity.resize(position.len(), all);
    }
    let n = position.len().max(velocity.len()).max(size.unwrap_or(0));
    position.resize(n, S::Coord::default());
    velocity.resize(n, S::Deriv::default());
    Ok(InitialState { position, velocity, rest_position: Vec::new() })
}

fn topology_points(b: &mut Builder<'_>, s: &Settings) -> Result<Option<Vec<Vec3>>, BuildError> {
    if !s.use_topology.get(b)? {
        return Ok(None);
    }
    let link = s.topology.get(b)?;
    let component = match link {
        Some(LinkTarget::Component(c)) => Some(c),
        Some(LinkTarget::Node(n)) => b.scene.find_topology(n, TopologySearch::FirstHere),
        None => b.scene.find_topology(b.node, TopologySearch::FirstHere),
    };
    let topology = component.and_then(|c| b.scene.topology(c));
    if link.is_some() && topology.is_none() {
        return Err(BuildError::attribute("topology", "`topology` leads to no topology component"));
    }
    // A sparse grid counts even where it is empty, as in SOFA.
    let counts = |t: &&Topology| !t.points.is_empty() || t.kind == TopologyKind::SparseGrid;
    let mut points = topology.filter(counts).map(|t| t.points.clone());
    let of_elements = component.and_then(|c| b.scene.component(c).extension::<PointsOfElements>());
    if let (Some(points), Some(PointsOfElements(n))) = (&mut points, of_elements) {
        let (n, all) = (*n, points.len());
        points.truncate(n);
        b.warn(
            None,
            format!("elements of the topology name {n} of its {all} points; the state has {n}, as in SOFA"),
        );
    }
    Ok(points)
}

/// The reals of an attribute in rows; an incomplete last row is dropped, as SOFA does, with a warning.
fn whole_rows(b: &mut Builder<'_>, name: &'static str, reals: &[f64], width: usize) -> Vec<f64> {
    let extra = reals.len() % width;
    if extra != 0 {
        b.warn(Some(name), format!("`{name}` has rows of {width} numbers; the last {extra} are left over"));
    }
    reals[..reals.len() - extra].to_vec()
}

fn coords<S: StateType>(
    b: &mut Builder<'_>,
    name: &'static str,
    given: Option<&CoordRows>,
) -> Result<Option<Vec<S::Coord>>, BuildError> {
    let Some(given) = given else { return Ok(None) };
    let reals = whole_rows(b, name, &given.reals, S::Coord::SIZE);
    if let Some(first) = S::Coord::QUATERNION {
        check_quaternions(b, name, reals.chunks_exact(S::Coord::SIZE).map(|x| &x[first..first + 4]));
    }
    Ok(Some(reals.chunks_exact(S::Coord::SIZE).filter_map(S::Coord::from_scalars).collect()))
}

/// Warns of quaternions that are not of length 1, which keep the length that they are given.
///
/// **Source:** as SOFA, which scales none: of a length that is not 1, rotations scale and shear by its square's difference from 1. The
/// quaternion 0 turns nothing, and stays 0.
fn check_quaternions<'q>(
    b: &mut Builder<'_>,
    name: &'static str,
    quaternions: impl Iterator<Item = &'q [f64]>,
) {
    let (mut other, mut zeros) = (0, None);
    for (i, quaternion) in quaternions.enumerate() {
        let norm = quaternion.iter().map(|c| c * c).sum::<f64>().sqrt();
        if norm < 1e-9 {
            zeros = zeros.or(Some(i));
        } else {
            other += usize::from((norm - 1.0).abs() > 1e-3);
        }
    }
    if let Some(i) = zeros {
        let text = format!(
            "frame {i} of `{name}` has the quaternion 0, which turns nothing, and stays 0, as in SOFA; write 0 0 0 1 for no rotation"
        );
        b.warn(Some(name), text);
    }
    if other > 0 {
        b.warn(
            Some(name),
            format!("{other} quaternions of `{name}` are not of length 1: as in SOFA they stay so, and what they turn is scaled"),
        );
    }
}

fn derivs<S: StateType>(
    b: &mut Builder<'_>,
    name: &'static str,
    given: Option<&DerivRows>,
) -> Option<Vec<S::Deriv>> {
    let reals = whole_rows(b, name, &given?.reals, S::Deriv::SIZE);
    Some(reals.chunks_exact(S::Deriv::SIZE).filter_map(S::Deriv::from_scalars).collect())
}

/// The vector of three by-hand attributes, if any of them is set; those that are not count as `absent`.
fn three(given: [Option<f64>; 3], absent: f64) -> Option<Vec3> {
    let any = given.iter().any(Option::is_some);
    any.then(|| Vec3::from(given.map(|c| c.unwrap_or(absent))))
}

fn scale(b: &Builder<'_>, t: &Transform) -> Result<Vec3, BuildError> {
    if let Some(v) = three([t.sx, t.sy, t.sz], 1.0) {
        return Ok(v);
    }
    match t.scale.get(b)? {
        Some(s) => Ok(Vec3::new(s, s, s)),
        None => t.scale3d.get(b),
    }
}

fn transform<S: StateType>(x: &mut [S::Coord], scale: &Vec3, rotation: &Vec3, translation: &Vec3) {
    let q: Quat = quat_from_euler_degrees(*rotation);
    let nothing = Vec3::zeros();
    if *rotation == nothing && *translation == nothing && *scale == Vec3::new(1.0, 1.0, 1.0) {
        return;
    }
    for x in x {
        *x = x.transformed(scale, &q, translation);
    }
}

fn offer_vectors<S: StateType>(b: &mut Builder<'_>, state: &InitialState<S>) {
    let mut reals = Vec::new();
    state.position.iter().for_each(|x| x.scalars(&mut reals));
    b.offer("position", Value::Reals(std::mem::take(&mut reals)));
    state.rest_position.iter().for_each(|x| x.scalars(&mut reals));
    b.offer("rest_position", Value::Reals(std::mem::take(&mut reals)));
    state.velocity.iter().for_each(|v| v.scalars(&mut reals));
    b.offer("velocity", Value::Reals(reals));
    b.offer("size", Value::Integer(state.position.len() as i64));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;
    use sim_core::math::{Rigid2Coord, Rigid2Type, Rigid3Type, RigidCoord, Vec1, Vec2, Vec6, rotate};
    use sim_core::math::{Vec1Type, Vec2Type, Vec6Type};
    use sim_core::scene::Scene;

    fn vec3(scene: &Scene, component: sim_core::scene::ComponentId) -> InitialState<Vec3Type> {
        let id = scene.state_of_component(component).expect("a state");
        scene.initial_as::<Vec3Type>(id).expect("Vec3").clone()
    }

    fn one(attributes: &[(&'static str, &str)]) -> InitialState<Vec3Type> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, attributes).unwrap();
        vec3(&t.scene, c)
    }

    #[test]
    fn without_anything_it_is_one_point_at_the_origin() {
        let s = one(&[]);
        assert_eq!(s.position, [Vec3::zeros()]);
        assert_eq!(s.velocity, [Vec3::zeros()]);
        assert_eq!(s.rest_position, [Vec3::zeros()]);
        assert_eq!(one(&[("position", "")]).position.len(), 0);
        assert_eq!(one(&[("size", "3")]).position.len(), 3);
    }

    #[test]
    fn scales_then_rotates_then_translates_and_rests_there() {
        let s = one(&[
            ("position", "1 0 0  0 1 0"),
            ("scale", "2"),
            ("rotation", "0 0 90"),
            ("translation", "5 0 0"),
            ("translation2", "0 0 1"),
        ]);
        assert!((s.rest_position[0] - Vec3::new(5.0, 2.0, 0.0)).norm() < 1e-15);
        assert!((s.position[0] - Vec3::new(5.0, 2.0, 1.0)).norm() < 1e-15);
        assert!((s.position[1] - Vec3::new(3.0, 0.0, 1.0)).norm() < 1e-15);
    }

    #[test]
    fn by_hand_attributes_win_are_32_bit_and_replace_the_whole_vector() {
        let s = one(&[("translation", "1 2 3"), ("dx", "7.6871")]);
        assert_eq!(s.position, [Vec3::new(f64::from(7.6871_f32), 0.0, 0.0)]);
        let s = one(&[("position", "1 1 1"), ("scale", "3"), ("sy", "2")]);
        assert_eq!(s.position, [Vec3::new(1.0, 2.0, 1.0)]);
    }

    #[test]
    fn a_given_rest_position_of_the_same_size_stays_untransformed() {
        let s = one(&[("position", "1 0 0"), ("rest_position", "2 0 0"), ("dx", "1")]);
        assert_eq!((s.position[0].x, s.rest_position[0].x), (2.0, 2.0));
        let s = one(&[("rest_position", "1 0 0 2 0 0"), ("dx", "1")]);
        assert_eq!(
            (s.position[1].x, s.rest_position[1].x),
            (1.0, 2.0),
            "as in SOFA, positions do not follow"
        );
        let s = one(&[("position", "5 0 0"), ("rest_position", "1 0 0 2 0 0")]);
        assert_eq!((s.position[0].x, s.position[1].x), (5.0, 0.0));
        let s = one(&[("position", "1 0 0 2 0 0"), ("rest_position", "9 9 9"), ("restScale", "0.5")]);
        assert_eq!(s.rest_position, [Vec3::new(0.5, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)]);
    }

    #[test]
    fn takes_the_points_of_the_first_topology_here_and_repeats_one_velocity() {
        let mut t = TestScene::new();
        let root = t.root();
        for x in [1.0, 2.0] {
            let c = t.scene.add_component(root, "MeshTopology", None, Default::default());
            let points = vec![Vec3::new(x, 0.0, 0.0); 3];
            t.scene.set_topology(c, Topology { points, ..Topology::empty(TopologyKind::Mesh) });
        }
        let c = t.add(&DESCRIPTION, root, &[("velocity", "0 0 1")]).unwrap();
        let s = vec3(&t.scene, c);
        assert_eq!(s.position, [Vec3::new(1.0, 0.0, 0.0); 3]);
        assert_eq!(s.velocity, [Vec3::new(0.0, 0.0, 1.0); 3]);
        let below = t.child(root, "below");
        let c = t.add(&DESCRIPTION, below, &[]).unwrap();
        assert_eq!(vec3(&t.scene, c).position.len(), 1, "only the topology of its own node counts");
    }

    #[test]
    fn one_velocity_is_that_of_the_first_point_where_positions_are_given() {
        let s = one(&[("position", "0 0 0 1 1 1 2 2 2"), ("velocity", "1 0 0")]);
        assert_eq!(s.velocity, [Vec3::new(1.0, 0.0, 0.0), Vec3::zeros(), Vec3::zeros()]);
        let s = one(&[("size", "2"), ("velocity", "1 0 0")]);
        assert_eq!(s.velocity, [Vec3::new(1.0, 0.0, 0.0), Vec3::zeros()]);
    }

    #[test]
    fn of_a_mesh_a_state_has_the_points_up_to_the_last_that_an_element_names() {
        let mesh =
            crate::topology::all().into_iter().find(|d| d.class == "MeshTopology").expect("there is one");
        for (edges, n) in [("0 1", 2), ("0 2", 3), ("", 3)] {
            let mut t = TestScene::new();
            let root = t.root();
            let points = [("position", "0 0 0 1 0 0 2 0 0"), ("edges", edges)];
            t.add(&mesh, root, &points).unwrap();
            let c = t.add(&DESCRIPTION, root, &[]).unwrap();
            assert_eq!(vec3(&t.scene, c).position.len(), n, "edges {edges}");
            assert_eq!(t.warnings.len(), usize::from(n < 3));
        }
    }

    #[test]
    fn a_rigid_frame_is_turned_and_moved_as_a_whole() {
        let mut t = TestScene::new();
        let root = t.root();
        let attributes =
            [("template", "Rigid3"), ("position", "1 0 0 0 0 0 1"), ("rz", "90"), ("scale", "2")];
        let c = t.add(&DESCRIPTION, root, &attributes).unwrap();
        let s = t.scene.initial_as::<Rigid3Type>(t.scene.state_of_component(c).unwrap()).expect("Rigid3");
        let RigidCoord { center, orientation } = s.position[0];
        assert!((center - Vec3::new(0.0, 2.0, 0.0)).norm() < 1e-15);
        assert!((rotate(&orientation, &Vec3::x()) - Vec3::y()).norm() < 1e-15);
        assert_eq!(s.rest_position, s.position);
    }

    fn of_template<S: StateAccess>(attributes: &[(&'static str, &str)]) -> InitialState<S> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, &[&[("template", S::NAME)], attributes].concat()).unwrap();
        t.scene.initial_as::<S>(t.scene.state_of_component(c).unwrap()).expect("of this template").clone()
    }

    #[test]
    fn every_template_has_rows_of_its_own_width() {
        let s =
            of_template::<Vec1Type>(&[("position", "1 2 3"), ("velocity", "4"), ("translation", "1 7 7")]);
        assert_eq!(s.position, [2.0, 3.0, 4.0].map(Vec1::new));
        assert_eq!(s.velocity, [4.0, 0.0, 0.0].map(Vec1::new));
        let s = of_template::<Vec2Type>(&[("position", "1 2 3 4"), ("scale", "2")]);
        assert_eq!(s.position, [Vec2::new(2.0, 4.0), Vec2::new(6.0, 8.0)]);
        let s = of_template::<Vec6Type>(&[("position", "1 2 3 4 5 6"), ("dx", "1"), ("restScale", "2")]);
        assert_eq!(s.position, [Vec6::new(2.0, 2.0, 3.0, 4.0, 5.0, 6.0)]);
        assert_eq!(s.rest_position, [Vec6::new(4.0, 4.0, 6.0, 8.0, 10.0, 12.0)]);
        let s =
            of_template::<Rigid2Type>(&[("position", "1 2 0.5"), ("velocity", "3 4 6"), ("restScale", "2")]);
        assert_eq!(s.position, [Rigid2Coord { center: Vec2::new(1.0, 2.0), orientation: 0.5 }]);
        assert_eq!(s.rest_position, [Rigid2Coord { center: Vec2::new(2.0, 4.0), orientation: 1.0 }]);
        assert_eq!((s.velocity[0].linear, s.velocity[0].angular), (Vec2::new(3.0, 4.0), 6.0));
    }

    #[test]
    fn bad_input_is_named() {
        let mut t = TestScene::new();
        let root = t.root();
        let e = t.add(&DESCRIPTION, root, &[("template", "Vec4")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("template"));
        let e = t.add(&DESCRIPTION, root, &[("size", "-4")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("size"));
        t.add(&DESCRIPTION, root, &[("position", "1 2 3 4")]).unwrap();
        assert!(t.warnings[0].contains("left over"), "{:?}", t.warnings);
    }

    #[test]
    fn quaternions_keep_the_length_that_they_are_given() {
        let mut t = TestScene::new();
        let root = t.root();
        let frames = [("template", "Rigid3"), ("position", "0 0 0 0.707914 0 0 0.707914  0 0 0 0 0 0.6 0.8")];
        let c = t.add(&DESCRIPTION, root, &frames).unwrap();
        let s = t.scene.initial_as::<Rigid3Type>(t.scene.state_of_component(c).unwrap()).unwrap();
        assert_eq!(s.position[0].orientation, Quat::new(0.707914, 0.707914, 0.0, 0.0));
        assert_eq!(t.warnings.len(), 1, "one of them is not of length 1: {:?}", t.warnings);
        let zero = [("template", "Rigid3"), ("position", "0 0 0 0 0 0 0")];
        t.add(&DESCRIPTION, root, &zero).unwrap();
        assert!(t.warnings[1].contains("quaternion 0"), "{:?}", t.warnings);
    }
}
