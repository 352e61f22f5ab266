//! `RigidMapping`: points, or further frames, that are fixed to rigid frames. The file is long for its geometric stiffness, which is
//! exact, stabilized or none, and for what SOFA knows of points and their frames.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::carried::{Carried, FramesOnFrames, PointsInPlane, PointsOnFrames};
use super::ends::pair;
use super::geometric_stiffness::GeometricStiffness;
use crate::xsp_file::XspFile;

/// Points, or further frames, that are fixed to rigid frames.
#[derive(Attributes)]
struct Settings {
    /// points in the frame's axes, rows of the output's coordinates; the output's own if not given [m]
    initial_points: CoordRows,
    /// file of the points in the frame's axes, instead of `initialPoints`: masses (.xs3), spheres (.sph) or a mesh
    #[attribute(kind = File, alias = "fileRigidMapping")]
    filename: Option<String>,
    /// frame that all points are fixed to
    #[attribute(default = "0")]
    index: Deferred<Index>,
    /// whether `index` counts backward from the last frame
    index_from_end: Deferred<bool>,
    /// frame of each point, instead of `index`
    #[attribute(alias = "pointsPerFrame")]
    rigid_index_per_point: Indices,
    /// whether the output's rest positions are used, whatever else is given
    #[attribute(name = "useX0")]
    use_x0: bool,
    /// whether the output's own points are given in world axes
    global_to_local_coords: Deferred<bool>,
    /// stiffness from turning forces
    #[attribute(default = "None")]
    geometric_stiffness: GeometricStiffness,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, InputAttribute)>(Family::Mapping, "RigidMapping", build)
        .templates(&["Rigid3,Vec3", "Rigid3,Rigid3", "Rigid2,Vec2"])
        .samples(&[
            Sample::new("index='1'").template("Rigid3,Vec3"),
            Sample::new("rigidIndexPerPoint='0 1 2 0'").template("Rigid3,Vec3"),
            Sample::new("rigidIndexPerPoint='0 1 2'").template("Rigid3,Rigid3"),
            Sample::new("index='1'").template("Rigid2,Vec2"),
        ]);

/// What is fixed to a frame: its place in the frame's axes.
#[derive(Clone, Copy, Debug)]
pub struct Local<C> {
    place: C,
    frame: u32,
    /// Whether no point before is fixed to the same frame.
    is_first: bool,
    /// The next point of the same frame, or a mark.
    next: u32,
}

/// Stands for a point after the last one.
const NO_POINT: u32 = u32::MAX;

/// What is fixed to frames, where each is in its frame's axes.
fn local<C: Copy>(places: &[C], frame_of: &[u32]) -> Vec<Local<C>> {
    let n_frames = frame_of.iter().max().map_or(0, |last| *last as usize + 1);
    let mut last_of: Vec<Option<usize>> = vec![None; n_frames];
    let mut all: Vec<Local<C>> = Vec::with_capacity(places.len());
    for (i, (place, frame)) in places.iter().zip(frame_of).enumerate() {
        let before = last_of[*frame as usize].replace(i);
        if let Some(before) = before {
            all[before].next = i as u32;
        }
        all.push(Local { place: *place, frame: *frame, is_first: before.is_none(), next: NO_POINT });
    }
    all
}

/// Points or frames fixed to frames.
///
/// **Source:** as SOFA's RigidMapping: x = c + R p, v = v_c + w x R p, f_c += f, t += R p x f. A frame turns with its frame, and adds
/// its torque to that. Points that are given, and rest positions, are in the frame's axes, also with `globalToLocalCoords`.
///
/// Geometric stiffness: the torque R p x f changes where the arm turns. Stabilized, what all points of a frame make together is made symmetric
/// and its positive eigenvalues 0; products (the right-hand side of an implicit Euler, a conjugate gradient without matrix) take it under
/// what they have added up on the points so far, as SOFA's `applyDJT` does, and not under the points' forces. Multipliers of the step before
/// are forces, too; products take them alone if they count.
pub struct RigidMapping<K>(PhantomData<K>);

impl<K: Carried> Mapping for RigidMapping<K> {
    type Input = K::Input;
    type Output = K::Output;
    type Constants = GeometricStiffness;
    type Element = Local<<K::Output as StateType>::Coord>;
    /// R p of the last `apply`.
    type Stored = K::Arm;
    const NAME: &'static str = DESCRIPTION.class;
    const BY_POINTS: bool = true;
    const TAKES_MULTIPLIERS: bool = true;

    fn apply(_: &GeometricStiffness, Apply { elements, stored, x_out, x_in }: Apply<'_, Self>) {
        // Points of one frame follow each other, mostly: its matrix is made once.
        let mut last: Option<(u32, K::Turned)> = None;
        for ((x, arm), p) in x_out.iter_mut().zip(stored).zip(elements) {
            let turned = match last {
                Some((frame, turned)) if frame == p.frame => turned,
                _ => K::turned(&x_in[p.frame as usize]),
            };
            last = Some((p.frame, turned));
            (*x, *arm) = K::place(&turned, &p.place);
        }
    }

    fn apply_j(_: &GeometricStiffness, ApplyJ { elements, stored, v_out, v_in }: ApplyJ<'_, Self>) {
        for ((v, arm), p) in v_out.iter_mut().zip(stored).zip(elements) {
            *v = K::velocity(&v_in[p.frame as usize], arm);
        }
    }

    fn apply_jt(_: &GeometricStiffness, ApplyJt { elements, stored, f_in, f_out }: ApplyJt<'_, Self>) {
        for ((f, arm), p) in f_out.iter().zip(stored).zip(elements) {
            K::add_force(&mut f_in[p.frame as usize], arm, f);
        }
    }

    fn apply_j_at(
        _: &GeometricStiffness,
        ApplyJ { elements, stored, v_out, v_in }: ApplyJ<'_, Self>,
        points: &[u32],
    ) {
        for i in points.iter().map(|i| *i as usize) {
            v_out[i] = K::velocity(&v_in[elements[i].frame as usize], &stored[i]);
        }
    }

    fn apply_jt_at(
        _: &GeometricStiffness,
        ApplyJt { elements, stored, f_in, f_out }: ApplyJt<'_, Self>,
        points: &[u32],
    ) {
        for i in points.iter().map(|i| *i as usize) {
            K::add_force(&mut f_in[elements[i].frame as usize], &stored[i], &f_out[i]);
        }
    }

    fn add_jacobian(
        _: &GeometricStiffness,
        AddJacobian { elements, stored, matrix, .. }: AddJacobian<'_, Self>,
    ) {
        for (i, (arm, p)) in (0..).zip(stored.iter().zip(elements)) {
            K::add_jacobian(arm, i, p.frame, matrix);
        }
    }

    fn products_under_result(which: &GeometricStiffness) -> bool {
        *which == GeometricStiffness::Stabilized
    }

    fn add_geometric_stiffness(which: &GeometricStiffness, at: AddGeometricStiffness<'_, Self>) {
        let AddGeometricStiffness { k_factor, elements, stored, f_out, matrix } = at;
        let of_point = |i: usize| K::torque_change(&stored[i], &f_out[i]);
        let mut add = |frame: u32, angular: u32, block: Mat3| {
            let row = frame * <K::Input as StateType>::Deriv::BLOCKS as u32 + angular;
            matrix.add_block(row, row, &(block * k_factor));
        };
        if *which == GeometricStiffness::Exact {
            for (i, p) in elements.iter().enumerate() {
                let (angular, block) = of_point(i);
                add(p.frame, angular, block);
            }
        }
        if *which != GeometricStiffness::Stabilized {
            return;
        }
        for (first, p) in elements.iter().enumerate().filter(|(_, p)| p.is_first) {
            let (angular, mut sum) = of_point(first);
            let mut next = p.next;
            while let Some(p) = elements.get(next as usize) {
                sum += of_point(next as usize).1;
                next = p.next;
            }
            add(p.frame, angular, without_positive(&sum));
        }
    }

    fn carriers(points: &[Self::Element], _: usize, mut put: impl FnMut(u32, u32)) {
        (0..).zip(points).for_each(|(i, p)| put(i, p.frame));
    }
}

/// The symmetric part, without what belongs to positive eigenvalues.
fn without_positive(block: &Mat3) -> Mat3 {
    let eigen = ((block + block.transpose()) * 0.5).symmetric_eigen();
    let negative = Mat3::from_diagonal(&eigen.eigenvalues.map(|value| value.min(0.0)));
    eigen.eigenvectors * negative * eigen.eigenvectors.transpose()
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, ends) = (Settings::read(b)?, b.mapping_ends()?);
    let templates = pair(b, ends);
    match templates.as_str() {
        "Rigid3,Vec3" => add::<PointsOnFrames>(b, &s, ends),
        "Rigid3,Rigid3" => add::<FramesOnFrames>(b, &s, ends),
        "Rigid2,Vec2" => add::<PointsInPlane>(b, &s, ends),
        _ => Err(BuildError::new(format!("a RigidMapping of {templates} does not exist; use Rigid3,Vec3"))),
    }
}

fn add<K: Carried>(
    b: &mut Builder<'_>,
    s: &Settings,
    (input, output): (StateId, StateId),
) -> Result<(), BuildError> {
    b.check_template::<K::Input>(input)?;
    b.check_template::<K::Output>(output)?;
    let (Some(frames), Some(own)) =
        (b.scene.initial_as::<K::Input>(input), b.scene.initial_as::<K::Output>(output))
    else {
        return Ok(());
    };
    let frames = frames.position.clone();
    let given = match &s.filename {
        Some(name) if !name.trim().is_empty() => of_file(b, name)?,
        _ => s.initial_points.of::<K::Output>()?,
    };
    let of_output = given.is_empty() && !s.use_x0;
    let mut places = if s.use_x0 {
        own.rest_position.clone()
    } else if of_output {
        own.position.clone()
    } else {
        given
    };
    let frame_of = frame_of_point(b, s, frames.len(), places.len())?;
    if of_output && s.global_to_local_coords.get(b)? {
        for (place, frame) in places.iter_mut().zip(&frame_of) {
            *place = K::local(&frames[*frame as usize], place);
        }
    }
    let n = places.len();
    let elements = local(&places, &frame_of);
    let which = s.geometric_stiffness;
    let parts = MappingParts::<RigidMapping<K>>::new(which, elements, vec![K::Arm::default(); n], n);
    b.add_mapping(input, output, parts.with_geometric_stiffness(which != GeometricStiffness::None))
}

/// The points of a file; frames there stand as the axes.
///
/// **Source:** as SOFA's: the file's points take the place of `initialPoints`; one without any counts as not given.
fn of_file<C: Coord>(b: &Builder<'_>, name: &str) -> Result<Vec<C>, BuildError> {
    let points = if name.trim().ends_with(".xs3") {
        XspFile::read(&b.file("filename")?, "filename")?.positions
    } else {
        b.mesh("filename")?.points
    };
    let coord = |p: &Vec3| C::from_scalars([p.x, p.y, p.z, 0.0, 0.0, 0.0, 1.0].get(..C::SIZE)?);
    Ok(points.iter().filter_map(coord).collect())
}

fn frame_of_point(
    b: &mut Builder<'_>,
    s: &Settings,
    n_frames: usize,
    n_points: usize,
) -> Result<Vec<u32>, BuildError> {
    let per_point = s.rigid_index_per_point.below(n_frames)?;
    if per_point.len() == n_points && !per_point.is_empty() {
        return Ok(per_point);
    }
    if !per_point.is_empty() {
        let text = format!("{} frames are given for {n_points} points; `index` is used", per_point.len());
        b.warn(Some("rigidIndexPerPoint"), text);
    }
    let index = s.index.get(b)?.below(n_frames)?;
    let index = if s.index_from_end.get(b)? { n_frames as u32 - 1 - index } else { index };
    Ok(vec![index; n_points])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{Rigid2Coord, RigidCoord, Vec2};
    use sim_core::testing::{Random, mapping};

    fn parts<K: Carried>(places: Vec<<K::Output as StateType>::Coord>) -> MappingParts<RigidMapping<K>> {
        let n = places.len();
        let frame_of: Vec<u32> = (0..n as u32).map(|i| i / 3).collect();
        MappingParts::new(GeometricStiffness::Exact, local(&places, &frame_of), vec![K::Arm::default(); n], n)
    }

    #[test]
    fn conforms() {
        let mut random = Random::new(1);
        let frames = random.moved(&[RigidCoord::default(); 2], 2.0);
        let points = random.moved(&[Vec3::zeros(); 6], 1.0);
        mapping(&parts::<PointsOnFrames>(points), &frames, 1);
        let fixed = random.moved(&[RigidCoord::default(); 6], 1.0);
        mapping(&parts::<FramesOnFrames>(fixed), &frames, 2);
        let flat = random.moved(&[Rigid2Coord::default(); 2], 2.0);
        let points = random.moved(&[Vec2::zeros(); 6], 1.0);
        mapping(&parts::<PointsInPlane>(points), &flat, 3);
    }

    #[test]
    fn stabilized_is_symmetric_and_never_positive() {
        let mut random = Random::new(7);
        for _ in 0..20 {
            let block = random.vec3().cross_matrix() * random.vec3().cross_matrix();
            let stable = without_positive(&block);
            assert!((stable - stable.transpose()).norm() < 1e-15);
            let largest = stable.symmetric_eigen().eigenvalues.max();
            assert!(largest < 1e-14, "{largest}");
            let symmetric = (block + block.transpose()) * 0.5;
            let taken = (symmetric - stable).symmetric_eigen().eigenvalues.min();
            assert!(taken > -1e-14, "only what is positive was taken away: {taken}");
        }
    }

    #[test]
    fn frames_on_frames_turn_with_them() {
        let mut t = TestScene::new();
        let root = t.root();
        let turned = "1 0 0 0 0 0.7071067811865476 0.7071067811865476";
        let rigid = |position| [("template", "Rigid3"), ("position", position)];
        t.add(&mechanical_object::DESCRIPTION, root, &rigid(turned)).unwrap();
        for (attributes, center, w) in [
            (&[][..], Vec3::new(1.0, 2.0, 0.0), 0.0),
            (&[("globalToLocalCoords", "1")], Vec3::new(2.0, 0.0, 0.0), std::f64::consts::FRAC_1_SQRT_2),
            (
                &[("initialPoints", "0 0 3 0 0 0 1")],
                Vec3::new(1.0, 0.0, 3.0),
                std::f64::consts::FRAC_1_SQRT_2,
            ),
        ] {
            let child = t.child(root, "frames");
            let half = "2 0 0 0 0 0.7071067811865476 0.7071067811865476";
            let c = t.add(&mechanical_object::DESCRIPTION, child, &rigid(half)).unwrap();
            t.add(&DESCRIPTION, child, attributes).unwrap();
            let state = t.scene.state_of_component(c).unwrap();
            let x = t.scene.initial_as::<Rigid3Type>(state).unwrap().position[0];
            assert!((x.center - center).norm() < 1e-14, "{x:?}");
            assert!((x.orientation.w - w).abs() < 1e-14, "{x:?}");
        }
    }

    fn build_with(
        attributes: &[(&'static str, &str)],
    ) -> (Result<ComponentId, BuildError>, TestScene, ComponentId) {
        let mut t = TestScene::new();
        let root = t.root();
        let rigid = [("template", "Rigid3"), ("position", "1 0 0 0 0 0 1 0 1 0 0 0 0 1"), ("rz", "90")];
        t.add(&mechanical_object::DESCRIPTION, root, &rigid).unwrap();
        let child = t.child(root, "points");
        let state = t.add(&mechanical_object::DESCRIPTION, child, &[("position", "1 0 0 0 2 0")]).unwrap();
        let built = t.add(&DESCRIPTION, child, attributes);
        (built, t, state)
    }

    fn positions(attributes: &[(&'static str, &str)]) -> Vec<Vec3> {
        let (built, t, state) = build_with(attributes);
        built.unwrap();
        t.scene.initial_as::<Vec3Type>(t.scene.state_of_component(state).unwrap()).unwrap().position.clone()
    }

    fn near(a: &[Vec3], b: &[[f64; 3]]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - Vec3::from(*b)).norm() < 1e-14)
    }

    #[test]
    fn points_are_local_or_in_world_axes() {
        // The frames stand at (0, 1, 0) and (-1, 0, 0), turned by 90 degrees about z.
        assert!(near(&positions(&[]), &[[0.0, 2.0, 0.0], [-2.0, 1.0, 0.0]]));
        assert!(near(&positions(&[("globalToLocalCoords", "1")]), &[[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]));
        assert!(near(&positions(&[("index", "1")]), &[[-1.0, 1.0, 0.0], [-3.0, 0.0, 0.0]]));
        assert!(near(&positions(&[("rigidIndexPerPoint", "1 0")]), &[[-1.0, 1.0, 0.0], [-2.0, 1.0, 0.0]]));
        let given = ("initialPoints", "0 0 3");
        assert!(near(&positions(&[given]), &[[0.0, 1.0, 3.0]]), "the output is resized");
        let local = [given, ("globalToLocalCoords", "1")];
        assert!(near(&positions(&local), &[[0.0, 1.0, 3.0]]), "points that are given are local in any case");
        let rest = [given, ("useX0", "1"), ("globalToLocalCoords", "1")];
        assert!(near(&positions(&rest), &[[0.0, 2.0, 0.0], [-2.0, 1.0, 0.0]]), "rest positions go before");
    }

    #[test]
    fn a_frame_that_is_not_there_is_an_error() {
        let wrong = |a: &[(&'static str, &str)]| build_with(a).0.unwrap_err().attribute.unwrap_or_default();
        assert_eq!(wrong(&[("index", "2")]), "index");
        assert_eq!(wrong(&[("rigidIndexPerPoint", "0 7")]), "rigidIndexPerPoint");
    }
}
