//! `PartialLinearMovementProjectiveConstraint`: points that move evenly between keys in some directions. The file is long for SOFA's
//! second way to move points, as the corners around them.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::linear_movement::{Row, interval, points, rows};

/// Points that move evenly between keys in some directions, all alike or as the corners of a body around them.
#[derive(Attributes)]
#[attributes(ignored("topology", "showMovement", "mainIndice", "minDepIndice", "maxDepIndice"))]
struct Settings {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// times of the keys, ascending, or equal where points jump; a single one at 0 if none is given [s]
    key_times: Vec<f64>,
    /// how far points have moved at each key, a row of the state's velocities: of a frame, angles about x, then y, then z [m, rad]
    movements: DerivRows,
    /// in which directions points are moved: 1 or 0 for each; in all if not given
    moved_directions: Option<Vec<bool>>,
    /// whether movements are those of corners, between which points move in proportion
    linear_movement_between_nodes_in_indices: bool,
    /// how much each corner moves: four of a rectangle, or eight of a box
    imposed_displacment_on_macro_nodes: Deferred<Vec<Real>>,
    /// length of the body along x [m]
    #[attribute(name = "X0", default = "0")]
    x0: Deferred<Real>,
    /// length along y [m]
    #[attribute(name = "Y0", default = "0")]
    y0: Deferred<Real>,
    /// length along z; 0 for a rectangle [m]
    #[attribute(name = "Z0", default = "0")]
    z0: Deferred<Real>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription = ComponentDescription::new::<Settings>(
    Family::Constraint,
    "PartialLinearMovementProjectiveConstraint",
    build,
)
.old_names(&["PartialLinearMovementConstraint"])
.templates(&["Vec3", "Vec2", "Vec1", "Vec6", "Rigid3"])
.follows(Following::of_points(&["indices"]).with_other_lists(&["keyTimes", "movements"]))
.samples(&[
    Sample::new("indices='0 1' keyTimes='0 0.05 1' movements='0 0 0 0.1 0 0 0 0.1 0' movedDirections='1 0 1'")
        .template("Vec3"),
    Sample::new(
        "indices='0 1 5' keyTimes='0 0.05 1' movements='0 0 0 0.1 0.2 0 0 0.1 0' linearMovementBetweenNodesInIndices='1'
         imposedDisplacmentOnMacroNodes='0 1 0.5 0 1 1 0 2' X0='1' Y0='1' Z0='2'",
    )
    .template("Vec3"),
]);

/// How the corners of a body move, one relative to the other.
#[derive(Clone, Copy, Debug)]
struct Corners {
    /// Lengths of the body; two of a rectangle [m].
    lengths: [Real; 3],
    is_rectangle: bool,
    movements: [Real; 8],
}

/// Which directions are moved, and how points between corners are.
#[derive(Clone, Copy, Debug)]
pub struct Directions {
    moved: [bool; 6],
    corners: Option<Corners>,
}

/// Points that move evenly between keys in some directions, and are free in others and outside of the keys' times.
///
/// Between the times tₖ and tₖ₊₁ of two keys, with s = (t − tₖ)/(tₖ₊₁ − tₖ): x = x₀ + (1 − s) mₖ + s mₖ₊₁ in `movedDirections`, with
/// `movements` m and the place x₀ at the beginning, v = (mₖ₊₁ − mₖ)/(tₖ₊₁ − tₖ), and responses are 0 in these directions.
///
/// **Source:** as SOFA's: velocities are those of the interval in all directions, and frames move in all of them; forces and the rows and
/// columns of assembled matrices are left out in the directions that are moved, the latter at all times; multipliers move points that are
/// free. Where there are multipliers, SOFA's goes through their rows without end while points are moved: here they lose those directions. Between corners points begin where
/// they are counted from the first corner; corners are counted around a rectangle from the origin, those of a box along z, x, against z,
/// first below, then above. Where one length is 0, the others are the sides of a rectangle in x and y.
pub struct PartialLinearMovementProjectiveConstraint<S>(PhantomData<S>);

impl Corners {
    /// How much a point moves that begins at these coordinates.
    fn factor(&self, x: &[Real; 6]) -> Real {
        let ([a, b, c], m) = (self.lengths, &self.movements);
        let (left, low, back) = (a - x[0], b - x[1], c - x[2]);
        if self.is_rectangle {
            let sum = left * low * m[0] + x[0] * low * m[1] + x[0] * x[1] * m[2] + left * x[1] * m[3];
            return 1.0 / (a * b) * sum;
        }
        let sum = left * low * back * m[0]
            + left * low * x[2] * m[1]
            + x[0] * low * x[2] * m[2]
            + x[0] * low * back * m[3]
            + left * x[1] * back * m[4]
            + left * x[1] * x[2] * m[5]
            + x[0] * x[1] * x[2] * m[6]
            + x[0] * x[1] * back * m[7];
        1.0 / (a * b * c) * sum
    }
}

/// The scalars of what has no orientation.
fn scalars<D: Deriv>(x: &D) -> [Real; 6] {
    std::array::from_fn(|k| if k < D::SIZE { x.scalar(k) } else { 0.0 })
}

impl<S: StateType> ProjectiveConstraint for PartialLinearMovementProjectiveConstraint<S> {
    type State = S;
    type Constants = Directions;
    type Element = Row<S>;
    const NAME: &'static str = DESCRIPTION.class;
    const MOVES_BY_TIME: bool = true;
    const PROJECTS_COLUMNS: Option<AtTime<Self>> = Some(|_, rows, time| interval(rows, time).is_some());

    fn project_response(c: &Directions, ProjectResponse { params, elements, d }: ProjectResponse<'_, Self>) {
        if interval(elements, params.time).is_none() {
            return;
        }
        for i in points(elements) {
            for k in (0..S::Deriv::SIZE).filter(|k| c.moved[*k]) {
                *d[i as usize].scalar_mut(k) = 0.0;
            }
        }
    }

    fn project_velocity(_: &Directions, ProjectVelocity { params, elements, v }: ProjectVelocity<'_, Self>) {
        if let Some(at) = interval(elements, params.time) {
            let velocity = at.velocity();
            points(elements).for_each(|i| v[i as usize] = velocity);
        }
    }

    fn project_position(c: &Directions, ProjectPosition { params, elements, x }: ProjectPosition<'_, Self>) {
        let Some(at) = interval(elements, params.time) else { return };
        let moved = at.moved();
        for row in elements {
            let Row::Point(i, begin) = row else { continue };
            let x = &mut x[*i as usize];
            if let Some(frame) = at.frame::<S>(begin) {
                *x = frame;
                continue;
            }
            let (begin, mut now) = (scalars(&begin.position()), scalars(&x.position()));
            let factor = c.corners.map_or(1.0, |corners| corners.factor(&begin));
            for k in (0..S::Deriv::SIZE).filter(|k| c.moved[*k]) {
                now[k] = begin[k] + factor * moved.scalar(k);
            }
            *x = S::Coord::from_scalars(&now[..S::Coord::SIZE]).unwrap_or(*x);
        }
    }

    fn fixed_dofs(c: &Directions, rows: &[Row<S>], _: usize) -> Vec<u32> {
        let all = c.moved.iter().take(S::Deriv::SIZE).all(|moved| *moved);
        if all { points(rows).collect() } else { Vec::new() }
    }

    fn fixed_scalars(c: &Directions, rows: &[Row<S>], _: usize) -> Vec<u32> {
        let size = S::Deriv::SIZE as u32;
        let moved = move || (0..size).filter(|k| c.moved[*k as usize]);
        points(rows).flat_map(|i| moved().map(move |k| size * i + k)).collect()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    for_state_type!(b, state, S in [Vec3Type, Vec2Type, Vec1Type, Vec6Type, Rigid3Type] => {
        let rows = rows::<S>(b, state, &s.indices, &s.key_times, &s.movements)?;
        let constants = Directions { moved: directions::<S>(s.moved_directions.as_deref())?, corners: corners::<S>(b, &s)? };
        type C<S> = PartialLinearMovementProjectiveConstraint<S>;
        let mut parts = ProjectiveConstraintParts::<C<S>>::new(constants, rows);
        (parts.projects_position, parts.projects_velocity) = (true, true);
        b.add_projective_constraint(state, parts)
    })
}

fn directions<S: StateType>(given: Option<&[bool]>) -> Result<[bool; 6], BuildError> {
    let mut directions = [true; 6];
    let Some(given) = given else { return Ok(directions) };
    let (n, wanted) = (given.len(), S::Deriv::SIZE);
    if n != wanted {
        let text = format!("`movedDirections` has {n} entries; a {} has {wanted} directions", S::NAME);
        return Err(BuildError::attribute("movedDirections", text));
    }
    directions[..n].copy_from_slice(given);
    Ok(directions)
}

fn corners<S: StateType>(b: &mut Builder<'_>, s: &Settings) -> Result<Option<Corners>, BuildError> {
    if !s.linear_movement_between_nodes_in_indices {
        return Ok(None);
    }
    if S::IS_FRAME {
        let text = "has no effect on frames, as in SOFA";
        b.warn(Some("linearMovementBetweenNodesInIndices"), text);
        return Ok(None);
    }
    let [mut x, mut y, z] = [s.x0.get(b)?, s.y0.get(b)?, s.z0.get(b)?];
    let is_rectangle = x == 0.0 || y == 0.0 || z == 0.0;
    if x == 0.0 {
        (x, y) = (y, z);
    }
    if y == 0.0 {
        y = z;
    }
    let given = s.imposed_displacment_on_macro_nodes.get(b)?;
    let (wanted, axes) = if is_rectangle { (4, 2) } else { (8, 3) };
    if given.len() < wanted || S::Deriv::SIZE < axes {
        let (n, name) = (given.len(), "imposedDisplacmentOnMacroNodes");
        let text =
            format!("`{name}` has {n} entries; {wanted} corners are needed, in {axes} directions at least");
        return Err(BuildError::attribute(name, text));
    }
    if x * y == 0.0 {
        return Err(BuildError::attribute("X0", "two of `X0`, `Y0` and `Z0` must not be 0"));
    }
    let movements = std::array::from_fn(|k| given.get(k).copied().unwrap_or(0.0));
    Ok(Some(Corners { lengths: [x, y, z], is_rectangle, movements }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    type C = PartialLinearMovementProjectiveConstraint<Vec3Type>;

    fn at(c: &Directions, time: f64) -> (Vec3, Vec3, Vec3) {
        let mut rows: Vec<Row<Vec3Type>> = vec![
            Row::Key(1.0, Vec3::zeros()),
            Row::Key(3.0, Vec3::new(4.0, 2.0, 8.0)),
            Row::Point(1, Vec3::new(0.5, 1.0, 0.0)),
        ];
        let params = MechanicalParams { dt: 0.1, time };
        let (mut x, mut v, mut d) = ([Vec3::repeat(9.0); 2], [Vec3::z(); 2], [Vec3::repeat(1.0); 2]);
        C::project_position(c, ProjectPosition { params, elements: &mut rows, x: &mut x });
        C::project_velocity(c, ProjectVelocity { params, elements: &rows, v: &mut v });
        C::project_response(c, ProjectResponse { params, elements: &rows, d: &mut d });
        assert_eq!((x[0], d[0]), (Vec3::repeat(9.0), Vec3::repeat(1.0)));
        (x[1], v[1], d[1])
    }

    const X_AND_Y: [bool; 6] = [true, true, false, true, true, true];

    #[test]
    fn points_move_in_some_directions() {
        let c = Directions { moved: X_AND_Y, corners: None };
        let (x, v, d) = at(&c, 2.0);
        assert_eq!(x, Vec3::new(2.5, 2.0, 9.0));
        assert_eq!((v, d), (Vec3::new(2.0, 1.0, 4.0), Vec3::z()), "velocities are those of all directions");
        let (x, v, d) = at(&c, 3.0);
        assert_eq!((x, v, d), (Vec3::repeat(9.0), Vec3::z(), Vec3::repeat(1.0)), "free from the last key on");
        let rows = [Row::<Vec3Type>::Point(1, Vec3::zeros())];
        assert_eq!(C::fixed_scalars(&c, &rows, 2), [3, 4]);
        assert!(C::fixed_dofs(&c, &rows, 2).is_empty());
    }

    #[test]
    fn points_move_between_corners() {
        let rectangle = Corners {
            lengths: [1.0, 2.0, 0.0],
            is_rectangle: true,
            movements: [0., 1., 3., 2., 0., 0., 0., 0.],
        };
        // In the middle: the mean of the corners.
        let (x, ..) = at(&Directions { moved: X_AND_Y, corners: Some(rectangle) }, 2.0);
        assert_eq!(x, Vec3::new(0.5 + 1.5 * 2.0, 1.0 + 1.5, 9.0));
        let movements = [1., 2., 3., 4., 5., 6., 7., 8.];
        let block = Corners { lengths: [1.0, 2.0, 3.0], is_rectangle: false, movements };
        let corners = [
            [0., 0., 0.],
            [0., 0., 3.],
            [1., 0., 3.],
            [1., 0., 0.],
            [0., 2., 0.],
            [0., 2., 3.],
            [1., 2., 3.],
            [1., 2., 0.],
        ];
        for ([x, y, z], wanted) in corners.into_iter().zip(movements) {
            assert!((block.factor(&[x, y, z, 0.0, 0.0, 0.0]) - wanted).abs() < 1e-15);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        let keys = [("keyTimes", "0 1"), ("movements", "0 0 0 1 0 0")];
        let mut wrong = |more: &[(&'static str, &str)]| {
            t.add(&DESCRIPTION, root, &[&keys[..], more].concat()).err().and_then(|e| e.attribute)
        };
        assert_eq!(wrong(&[("movedDirections", "1 0 1")]), None);
        assert_eq!(wrong(&[("movedDirections", "1 0")]).as_deref(), Some("movedDirections"));
        let between = ("linearMovementBetweenNodesInIndices", "1");
        let corners = ("imposedDisplacmentOnMacroNodes", "0 1 1 0");
        assert_eq!(wrong(&[between]).as_deref(), Some("imposedDisplacmentOnMacroNodes"));
        assert_eq!(wrong(&[between, corners, ("X0", "1")]).as_deref(), Some("X0"));
        assert_eq!(wrong(&[between, corners, ("X0", "1"), ("Z0", "2")]), None);
    }
}
