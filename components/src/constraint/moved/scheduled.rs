//! `AffineMovementProjectiveConstraint` and `PatchTestMovementProjectiveConstraint`: points that move in a straight line to where a map
//! puts them. The file is long for its two classes, and for SOFA's way to find the corners of a body.

use sim_core::math::Mat3;
use sim_core::prelude::*;

/// When points move.
#[derive(Attributes)]
#[attributes(ignored("topology", "meshIndices", "drawConstrainedPoints"))]
struct Schedule {
    /// points concerned
    indices: Indices,
    /// when they begin to move [s]
    #[attribute(default = "0")]
    begin_constraint_time: f64,
    /// when they have arrived [s]
    #[attribute(default = "20")]
    end_constraint_time: f64,
}

/// Points that move to where a rotation and a translation put them.
#[derive(Attributes)]
#[attributes(ignored("quaternion", "constrainedPoints"))]
struct Affine {
    #[attribute(flatten)]
    schedule: Schedule,
    /// rows of the matrix that positions are multiplied by
    #[attribute(default = "1 0 0 0 1 0 0 0 1")]
    rotation: [f64; 9],
    /// what is added to them [m]
    #[attribute(default = "0 0 0")]
    translation: Vec3,
}

/// Points that move as the corners of a quad or a hexahedron do.
#[derive(Attributes)]
struct Patch {
    #[attribute(flatten)]
    schedule: Schedule,
    /// how far each of the 4 or 8 corners moves [m]
    corner_movements: Vec<Vec3>,
    /// where the corners are; the first, second, fourth and fifth say the extents along x, y and z; found among `constrainedPoints` if not given [m]
    corner_points: Vec<Vec3>,
    /// points among which the corners are [m]
    constrained_points: Deferred<Vec<Vec3>>,
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 2] = [
    ComponentDescription::new::<Affine>(Family::Constraint, "AffineMovementProjectiveConstraint", affine)
        .templates(&[Vec3Type::NAME])
        .follows(Following::of_points(&["indices"]))
        .samples(&[Sample::new(
            "indices='0 1' rotation='0.8 -0.6 0 0.6 0.8 0 0 0 1' translation='0.1 0 0' endConstraintTime='0.1'",
        )]),
    ComponentDescription::new::<Patch>(Family::Constraint, "PatchTestMovementProjectiveConstraint", patch)
        .templates(&[Vec3Type::NAME])
        .follows(Following::of_points(&["indices"]).with_other_lists(&["cornerMovements", "cornerPoints"]))
        .samples(&[Sample::new(
            "indices='0 1' endConstraintTime='0.1' cornerMovements='0 0 0 0.1 0 0 0.1 0.1 0 0 0.1 0' cornerPoints='0 0 0 1 0 0 1 1 0 0 1 0'",
        )]),
];

/// Two times [s].
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    begin: Real,
    end: Real,
}

/// A point on its way.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    index: u32,
    from: Vec3,
    to: Vec3,
}

/// Points that go from where they begin to where they are to be, in a time; `KIND` is the number of the class.
///
/// x = x₀ + (x₁ − x₀)(t − t₁)/(t₂ − t₁) from the time t₁ to t₂; x₁ is A x₀ + b with `rotation` A and `translation` b, or
/// x₀ + Σ wₖ mₖ with `cornerMovements` m and the bilinear or trilinear weights w of x₀ between the corners.
///
/// **Source:** as SOFA's: responses and velocities are 0 at all times; positions are left until the beginning, and after it between the two
/// ends. An assembled matrix is left as it is. Where points of the topology go, a point keeps the place where it began; SOFA's has that of the
/// point which had its number before, if it gets another one.
pub struct Scheduled<const KIND: usize>;

impl<const KIND: usize> ProjectiveConstraint for Scheduled<KIND> {
    type State = Vec3Type;
    type Constants = Interval;
    /// The points.
    type Element = Way;
    const NAME: &'static str = ALL[KIND].class;
    const MOVES_BY_TIME: bool = true;

    fn project_response(_: &Interval, ProjectResponse { elements, d, .. }: ProjectResponse<'_, Self>) {
        elements.iter().for_each(|e| d[e.index as usize] = Vec3::zeros());
    }

    fn project_velocity(_: &Interval, ProjectVelocity { elements, v, .. }: ProjectVelocity<'_, Self>) {
        elements.iter().for_each(|e| v[e.index as usize] = Vec3::zeros());
    }

    fn project_position(c: &Interval, ProjectPosition { params, elements, x }: ProjectPosition<'_, Self>) {
        if params.time <= c.begin {
            return;
        }
        let arrived = params.time > c.end;
        let passed = (params.time - c.begin) / (c.end - c.begin);
        for e in elements {
            x[e.index as usize] = if arrived { e.to } else { e.from + (e.to - e.from) * passed };
        }
    }

    fn fixed_dofs(_: &Interval, _: &[Way], _: usize) -> Vec<u32> {
        Vec::new()
    }
}

fn add<const KIND: usize>(
    b: &mut Builder<'_>,
    s: &Schedule,
    to: impl Fn(&Vec3) -> Vec3,
) -> Result<(), BuildError> {
    let state = b.state()?;
    let indices = s.indices.within(b.size(state), b)?;
    let (begin, end) = (s.begin_constraint_time, s.end_constraint_time);
    if end < begin {
        let text = format!("`endConstraintTime` is {end}, before the beginning at {begin}");
        return Err(BuildError::attribute("endConstraintTime", text));
    }
    let positions = b.scene.initial_as::<Vec3Type>(state).map_or(&[][..], |initial| &initial.position);
    let way = |index: u32| positions.get(index as usize).map(|x| Way { index, from: *x, to: to(x) });
    let elements = indices.into_iter().filter_map(way).collect();
    let mut parts = ProjectiveConstraintParts::<Scheduled<KIND>>::new(Interval { begin, end }, elements);
    (parts.projects_position, parts.projects_velocity) = (true, true);
    b.add_projective_constraint(state, parts)
}

fn affine(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Affine::read(b)?;
    let rotation = Mat3::from_row_slice(&s.rotation);
    add::<0>(b, &s.schedule, |x| rotation * x + s.translation)
}

/// The corners of a box of points: 4, or 8 where the points do not lie in a plane across z.
///
/// **Source:** as SOFA's, which goes through the points once and lets one take the place of a corner where it lies beyond it along *one* of
/// the directions that lead to the corner, so the order of the points decides. The upper corners 4 and 6 are compared with the height of
/// the lower ones, and a point that takes the place of corner 5 is not offered to corner 7.
fn corners(points: &[Vec3]) -> Vec<Vec3> {
    let Some(first) = points.first() else { return Vec::new() };
    let is_box = points.iter().any(|p| p.z != first.z);
    let mut c = [*first; 8];
    let beyond = |p: &Vec3, of: &Vec3, x: bool, y: bool| {
        (if x { p.x > of.x } else { p.x < of.x }) || (if y { p.y > of.y } else { p.y < of.y })
    };
    for p in points {
        for (k, x, y) in [(0, false, false), (2, true, true), (1, true, false), (3, false, true)] {
            if beyond(p, &c[k], x, y) || p.z < c[k].z {
                c[k] = *p;
            }
        }
        if !is_box {
            continue;
        }
        for (k, x, y, height) in [(4, false, false, c[0].z), (6, true, true, c[2].z)] {
            if beyond(p, &c[k], x, y) || p.z > height {
                c[k] = *p;
            }
        }
        let taken = [(5, true, false), (7, false, true)]
            .into_iter()
            .find(|(k, x, y)| beyond(p, &c[*k], *x, *y) || p.z > c[*k].z);
        if let Some((k, ..)) = taken {
            c[k] = *p;
        }
    }
    c[..if is_box { 8 } else { 4 }].to_vec()
}

/// **Source:** as SOFA's: shares are absolute values, so what lies before the first corner counts as what lies behind it.
fn patch(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Patch::read(b)?;
    if !s.corner_points.is_empty() && s.constrained_points.is_set(b) {
        let text = "`cornerPoints` are taken; SOFA appends to them the corners that it finds among `constrainedPoints`";
        b.warn(Some("constrainedPoints"), text);
    }
    let corners =
        if s.corner_points.is_empty() { &corners(&s.constrained_points.get(b)?) } else { &s.corner_points };
    let moves = &mut s.corner_movements.clone();
    if (5..8).contains(&moves.len()) && corners.len() == 8 {
        let text = format!("`cornerMovements` has {} rows for 8 corners; the last stay", moves.len());
        b.warn(Some("cornerMovements"), text);
        moves.resize(8, Vec3::zeros());
    }
    if !matches!(moves.len(), 4 | 8) {
        let text = format!("`cornerMovements` has {} rows; there are 4 or 8 corners", moves.len());
        return Err(BuildError::attribute("cornerMovements", text));
    }
    if corners.len() != moves.len() {
        let text = format!("`cornerPoints` has {} rows for {} corners", corners.len(), moves.len());
        return Err(BuildError::attribute("cornerPoints", text));
    }
    let along =
        |k: usize| if k == 2 && moves.len() == 4 { 0.0 } else { corners[[1, 3, 4][k]][k] - corners[0][k] };
    let extent = Vec3::new(along(0), along(1), along(2));
    let volume = moves.len() == 8;
    if extent.x == 0.0 || extent.y == 0.0 || (volume && extent.z == 0.0) {
        return Err(BuildError::attribute("cornerPoints", "`cornerPoints` have no extent along an axis"));
    }
    add::<1>(b, &s.schedule, |x| {
        let share = |k: usize| ((x[k] - corners[0][k]) / extent[k]).abs();
        let (a, b, c) = (share(0), share(1), if volume { share(2) } else { 0.0 });
        let layer = |m: &[Vec3]| {
            m[0] * ((1.0 - a) * (1.0 - b)) + m[1] * (a * (1.0 - b)) + m[2] * (a * b) + m[3] * ((1.0 - a) * b)
        };
        let lower = layer(&moves[..4]);
        x + if volume { lower * (1.0 - c) + layer(&moves[4..]) * c } else { lower }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    #[test]
    fn points_go_from_the_one_to_the_other() {
        let mut elements = [Way { index: 1, from: Vec3::zeros(), to: Vec3::new(4.0, 0.0, 2.0) }];
        let mut at = |time: f64| {
            let mut x = [Vec3::y(); 2];
            let params = MechanicalParams { dt: 0.1, time };
            let at = ProjectPosition { params, elements: &mut elements, x: &mut x };
            Scheduled::<0>::project_position(&Interval { begin: 1.0, end: 3.0 }, at);
            assert_eq!(x[0], Vec3::y());
            x[1]
        };
        assert_eq!(
            [at(1.0), at(1.5), at(3.0), at(9.0)],
            [Vec3::y(), Vec3::new(1.0, 0.0, 0.5), Vec3::new(4.0, 0.0, 2.0), Vec3::new(4.0, 0.0, 2.0)]
        );
    }

    #[test]
    fn the_corners_of_a_lattice_are_found() {
        let lattice = |nz: u32| -> Vec<Vec3> {
            let at = |i: u32, n: u32| Vec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9 % n));
            (0..9 * nz).map(|i| at(i, nz)).collect()
        };
        let flat = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
        assert_eq!(corners(&lattice(1)), flat);
        let found = corners(&lattice(2));
        assert_eq!(found.len(), 8);
        assert_eq!(found[..4], flat);
        assert_eq!(found[4].z, 1.0);
        assert!(corners(&[]).is_empty());
    }

    #[test]
    fn a_schedule_that_cannot_be_kept_is_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        let e = t.add(&ALL[0], root, &[("indices", "0"), ("endConstraintTime", "-1")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("endConstraintTime"));
        let e = t.add(&ALL[1], root, &[("indices", "0"), ("cornerMovements", "0 0 0")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("cornerMovements"));
        let four = "0 0 0 0 0 0 0 0 0 0 0 0";
        let e = t.add(&ALL[1], root, &[("cornerMovements", four), ("cornerPoints", four)]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("cornerPoints"));
    }

    #[test]
    fn corners_without_a_movement_stay() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "8")]).unwrap();
        let corners = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1";
        let moves = ["1 0 0"; 7].join(" ");
        let a =
            [("indices", "0 1 2 3 4 5 6 7"), ("cornerMovements", moves.as_str()), ("cornerPoints", corners)];
        t.add(&ALL[1], root, &a).unwrap();
        assert!(t.warnings[0].contains("7 rows for 8 corners"), "{:?}", t.warnings);
        t.warnings.clear();
        t.add(&ALL[1], root, &[&a[..], &[("constrainedPoints", corners)]].concat()).unwrap();
        assert!(t.warnings[0].contains("SOFA appends"), "{:?}", t.warnings);
    }
}
