//! `DeformableOnRigidFrameMapping`: points that deform in the axes of rigid frames.

use sim_core::math::quat_to_matrix;
use sim_core::prelude::*;

use super::subset_multi_mapping::gather_before_frames;

/// Points that deform in the axes of rigid frames.
#[derive(Attributes)]
#[attributes(ignored("globalToLocalCoords", "rootAngularForceScaleFactor", "rootLinearForceScaleFactor"))]
struct Settings {
    /// the points, in the axes of their frames
    input1: LinkTarget,
    /// the frames
    input2: LinkTarget,
    /// frame of all points, where `repartition` is not given
    #[attribute(default = "0")]
    index: i64,
    /// whether `index` counts backward from the last frame
    index_from_end: bool,
    /// how many points each frame has, one after the other; one number for all of them
    repartition: Vec<i64>,
    /// whether the stiffness from turning forces counts; an addition of ours
    geometric_stiffness: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mapping, "DeformableOnRigidFrameMapping", build)
        .summary("Points that deform in the axes of rigid frames")
        .templates(&["Vec3,Rigid3,Vec3"]);

/// Points that deform in the axes of frames, from a state that has the points first and the frames behind them.
///
/// **Source:** as SOFA's: x = c + R p, v = v_c + w x R p + R v_p; f_c += f, t += R p x f, f_p += R^T f. Its geometric
/// stiffness counts with `geometricStiffness` only, which SOFA's has not. With `repartition`, SOFA takes the frame `index` for velocities and forces, here each point has its own frame throughout.
struct DeformableOnRigidFrame;

/// R p, and R.
type Turned = (Vec3, Mat3);

impl Mapping for DeformableOnRigidFrame {
    type Input = Rigid3Type;
    type Output = Vec3Type;
    type Constants = ();
    /// The frame, among the points and the frames.
    type Element = u32;
    type Stored = Turned;
    const NAME: &'static str = DESCRIPTION.class;

    fn apply(_: &(), Apply { elements, stored, x_out, x_in }: Apply<'_, Self>) {
        let points = x_out.iter_mut().zip(stored).zip(x_in).zip(elements);
        for (((x, (arm, r)), p), frame) in points {
            let frame = &x_in[*frame as usize];
            *r = quat_to_matrix(&frame.orientation);
            *arm = *r * p.center;
            *x = *arm + frame.center;
        }
    }

    fn apply_j(_: &(), ApplyJ { elements, stored, v_out, v_in }: ApplyJ<'_, Self>) {
        let points = v_out.iter_mut().zip(stored).zip(v_in).zip(elements);
        for (((v, (arm, r)), p), frame) in points {
            let frame = &v_in[*frame as usize];
            *v = frame.linear + frame.angular.cross(arm) + r * p.linear;
        }
    }

    fn apply_jt(_: &(), ApplyJt { elements, stored, f_in, f_out }: ApplyJt<'_, Self>) {
        for (i, ((f, (arm, r)), frame)) in f_out.iter().zip(stored).zip(elements).enumerate() {
            f_in[i].linear += r.tr_mul(f);
            let frame = &mut f_in[*frame as usize];
            frame.linear += f;
            frame.angular += arm.cross(f);
        }
    }

    fn add_jacobian(_: &(), AddJacobian { elements, stored, matrix, .. }: AddJacobian<'_, Self>) {
        for (i, ((arm, r), frame)) in (0..).zip(stored.iter().zip(elements)) {
            matrix.add_block(i, 2 * i, r);
            matrix.add_block(i, 2 * frame, &Mat3::identity());
            matrix.add_block(i, 2 * frame + 1, &-arm.cross_matrix());
        }
    }

    /// The torque R p x f and the force R^T f on the point change where the frame turns, the torque where the point moves, too.
    fn add_geometric_stiffness(_: &(), at: AddGeometricStiffness<'_, Self>) {
        let AddGeometricStiffness { k_factor, elements, stored, f_out, matrix } = at;
        for (i, ((arm, r), (frame, f))) in (0..).zip(stored.iter().zip(elements.iter().zip(f_out))) {
            let (point, turn, across) = (2 * i, 2 * frame + 1, f.cross_matrix() * k_factor);
            matrix.add_block(turn, turn, &(across * arm.cross_matrix()));
            matrix.add_block(turn, point, &-(across * r));
            matrix.add_block(point, turn, &(r.transpose() * across));
        }
    }

    fn carriers(frames: &[u32], _: usize, mut put: impl FnMut(u32, u32)) {
        for (i, frame) in (0..).zip(frames) {
            put(i, i);
            put(i, *frame);
        }
    }
}

/// The points and the frames are gathered in a state of their own, in a node below, and the points placed from there.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let points = b.state_at(s.input1, "input1")?;
    let frames = b.state_at(s.input2, "input2")?;
    let output = b.mapping_output()?;
    b.check_template::<Vec3Type>(points)?;
    b.check_template::<Rigid3Type>(frames)?;
    b.check_template::<Vec3Type>(output)?;
    let (n, n_frames) = (b.size(points) as u32, b.size(frames) as u32);
    let elements: Vec<u32> = s.frames(n, n_frames)?.into_iter().map(|frame| n + frame).collect();
    let gathered = gather_before_frames::<Vec3Type>(b, "rigid_points", [points, frames])?;
    let stored = vec![(Vec3::zeros(), Mat3::identity()); n as usize];
    let parts = MappingParts::<DeformableOnRigidFrame>::new((), elements, stored, n as usize);
    b.add_mapping(gathered, output, parts.with_geometric_stiffness(s.geometric_stiffness))
}

impl Settings {
    /// The frame of each point.
    fn frames(&self, n: u32, n_frames: u32) -> Result<Vec<u32>, BuildError> {
        if self.repartition.is_empty() {
            let known = u32::try_from(self.index).ok().filter(|index| *index < n_frames);
            let index = known.ok_or_else(|| {
                let text = format!("there is no frame {}; there are {n_frames}", self.index);
                BuildError::attribute("index", text)
            })?;
            let frame = if self.index_from_end { n_frames - 1 - index } else { index };
            return Ok(vec![frame; n as usize]);
        }
        let each = |frame: u32| match self.repartition[..] {
            [all] => all,
            _ => self.repartition.get(frame as usize).copied().unwrap_or(0),
        };
        let of_frame = |frame: u32| std::iter::repeat_n(frame, usize::try_from(each(frame)).unwrap_or(0));
        let is_too_many =
            (0..n_frames).map(|frame| each(frame).max(0)).fold(0, i64::saturating_add) > i64::from(n);
        let frames: Vec<u32> =
            if is_too_many { Vec::new() } else { (0..n_frames).flat_map(of_frame).collect() };
        if frames.len() != n as usize {
            let text = format!("the numbers for {n_frames} frames do not add up to the {n} points");
            return Err(BuildError::attribute("repartition", text));
        }
        Ok(frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::RigidCoord;
    use sim_core::testing::{Random, mapping};

    #[test]
    fn conforms() {
        let mut random = Random::new(2);
        let stored = vec![(Vec3::zeros(), Mat3::identity()); 4];
        let parts = MappingParts::<DeformableOnRigidFrame>::new((), vec![4, 5, 4, 5], stored, 4);
        mapping(&parts, &random.moved(&[RigidCoord::default(); 6], 1.0), 1);
    }

    fn points(attributes: &[(&'static str, &str)]) -> Result<Vec<[f64; 3]>, BuildError> {
        let mut t = TestScene::new();
        let (local, frames) = (t.child(t.root(), "local"), t.child(t.root(), "frames"));
        let corners = [("position", "1 0 0  0 1 0  0 0 1")];
        t.add(&mechanical_object::DESCRIPTION, local, &corners).unwrap();
        // The second one is turned by a right angle about z.
        let turned = "0 0 10 0 0 0 1  5 0 0 0 0 0.7071067811865476 0.7071067811865476";
        let given = [("template", "Rigid3"), ("position", turned)];
        t.add(&mechanical_object::DESCRIPTION, frames, &given).unwrap();
        let child = t.child(local, "world");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[]).unwrap();
        let links = [("input1", LinkTarget::Node(local)), ("input2", LinkTarget::Node(frames))];
        t.add_linked(&DESCRIPTION, child, attributes, &links)?;
        let state = t.scene.state_of_component(c).unwrap();
        let rounded = |x: &Vec3| [0, 1, 2].map(|k| (x[k] * 1e9).round() / 1e9 + 0.0);
        Ok(t.scene.initial_as::<Vec3Type>(state).unwrap().position.iter().map(rounded).collect())
    }

    #[test]
    fn points_are_placed_by_their_frames() {
        let by_first = [[1.0, 0.0, 10.0], [0.0, 1.0, 10.0], [0.0, 0.0, 11.0]];
        let by_second = [[5.0, 1.0, 0.0], [4.0, 0.0, 0.0], [5.0, 0.0, 1.0]];
        assert_eq!(points(&[]).unwrap(), by_first);
        assert_eq!(points(&[("index", "1")]).unwrap(), by_second);
        assert_eq!(points(&[("indexFromEnd", "1")]).unwrap(), by_second);
        assert_eq!(points(&[("repartition", "1 2")]).unwrap(), [by_first[0], by_second[1], by_second[2]]);
        let wrong = |given| points(&[given]).unwrap_err().attribute.unwrap_or_default();
        assert_eq!(wrong(("index", "2")), "index");
        assert_eq!(wrong(("repartition", "2")), "repartition");
        assert_eq!(wrong(("repartition", "9000000000000000000 9000000000000000000")), "repartition");
    }
}
