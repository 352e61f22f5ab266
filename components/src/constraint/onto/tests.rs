use super::*;
use crate::state::mechanical_object;
use crate::test_support::TestScene;
use sim_core::math::{Vec1, Vec2};

/// Initial positions and velocities of points after a constraint was put on them, and what was warned of.
fn begun_as<S: VectorsAccess>(
    state: [(&'static str, &str); 3],
    class: usize,
    attributes: &[(&'static str, &str)],
) -> (Vec<S::Coord>, Vec<S::Deriv>, Vec<String>) {
    let mut t = TestScene::new();
    let root = t.root();
    let c = t.add(&mechanical_object::DESCRIPTION, root, &state).unwrap();
    t.add(&ALL[class], root, attributes).unwrap();
    let state = t.scene.state_of_component(c).unwrap();
    let initial = t.scene.initial_as::<S>(state).unwrap();
    (initial.position.clone(), initial.velocity.clone(), t.warnings.clone())
}

/// The same of two points, nothing being warned of.
fn begun(class: usize, attributes: &[(&'static str, &str)]) -> (Vec<Vec3>, Vec<Vec3>) {
    let state = [("template", "Vec3"), ("position", "1 2 3 4 5 6"), ("velocity", "1 1 1 2 2 2")];
    let (x, v, warnings) = begun_as::<Vec3Type>(state, class, attributes);
    assert!(warnings.is_empty(), "{warnings:?}");
    (x, v)
}

#[test]
fn points_are_moved_to_where_they_stay() {
    let (x, v) = begun(0, &[("indices", "1"), ("point", "7 8 9")]);
    assert_eq!((x[0], x[1]), (Vec3::new(1.0, 2.0, 3.0), Vec3::new(7.0, 8.0, 9.0)));
    assert_eq!((v[0], v[1]), (Vec3::new(1.0, 1.0, 1.0), Vec3::zeros()));
    let (x, v) = begun(1, &[("indices", "1"), ("direction", "0 3 0"), ("origin", "1 0 0")]);
    assert_eq!((x[1], v[1]), (Vec3::new(1.0, 5.0, 0.0), Vec3::new(0.0, 2.0, 0.0)));
    let (x, v) = begun(2, &[("indices", "1"), ("normal", "2 0 0"), ("origin", "1 0 0")]);
    assert_eq!((x[1], v[1]), (Vec3::new(1.0, 5.0, 6.0), Vec3::new(0.0, 2.0, 2.0)));
    let (x, v) = begun(3, &[("indices", "1"), ("direction", "0 0 1")]);
    assert_eq!((x[1], v[1]), (Vec3::new(4.0, 5.0, 6.0), Vec3::new(0.0, 0.0, 2.0)));
}

#[test]
fn points_of_fewer_dimensions_stay_too() {
    let flat = [("template", "Vec2"), ("position", "1 2"), ("velocity", "1 1")];
    let at = |class, attributes: &[_]| begun_as::<Vec2Type>(flat, class, attributes);
    assert_eq!(at(0, &[("point", "7 8")]).0[0], Vec2::new(7.0, 8.0));
    assert_eq!(at(1, &[("direction", "0 1")]).0[0], Vec2::new(0.0, 2.0));
    assert_eq!(at(1, &[]).0[0], Vec2::new(1.0, 0.0));
    assert_eq!(at(2, &[("normal", "0 1")]).0[0], Vec2::new(1.0, 0.0));
    assert_eq!(at(3, &[("direction", "0 1")]).1[0], Vec2::new(0.0, 1.0));
    let line = [("template", "Vec1"), ("position", "4"), ("velocity", "1")];
    let (x, v, _) = begun_as::<Vec1Type>(line, 0, &[("point", "3")]);
    assert_eq!((x[0], v[0]), (Vec1::new(3.0), Vec1::zeros()));
}

#[test]
fn responses_keep_their_free_part() {
    let n = Vec3::new(0.6, 0.0, 0.8);
    let mut d = [Vec3::new(1.0, 2.0, 3.0); 2];
    let elements = [Kept { index: 1, origin: Vec3::zeros(), moves_along: true }];
    let params = crate::test_support::AT_START;
    type Line = MotionProjection<LINE, Vec3Type>;
    Line::project_response(&n, ProjectResponse { params, elements: &elements, d: &mut d });
    assert_eq!(d[0], Vec3::new(1.0, 2.0, 3.0));
    assert!((d[1] - n * 3.0).norm() < 1e-15);
    assert!(Line::fixed_dofs(&n, &elements, 2).is_empty());
    assert_eq!(MotionProjection::<POINT, Vec3Type>::fixed_dofs(&n, &elements, 2), [1]);
}

#[test]
fn without_a_direction_points_are_on_the_x_axis_free_or_still() {
    let state = [("template", "Vec3"), ("position", "1 2 3"), ("velocity", "1 1 1")];
    for (class, name, wanted) in [
        (1, "direction", (Vec3::x(), Vec3::x())),
        (2, "normal", (Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 1.0, 1.0))),
        (3, "direction", (Vec3::new(1.0, 2.0, 3.0), Vec3::zeros())),
    ] {
        for given in [&[][..], &[(name, "0 0 0")]] {
            let (x, v, warnings) = begun_as::<Vec3Type>(state, class, given);
            assert_eq!((x[0], v[0]), wanted, "{class}");
            assert!(warnings[0].contains(name), "{warnings:?}");
        }
    }
}

#[test]
fn of_points_after_one_that_is_listed_twice_only_positions_are_projected() {
    let state = [("template", "Vec3"), ("position", "0 1 0 0 1 0 0 1 0"), ("velocity", "0 1 0 0 1 0 0 1 0")];
    let given = [("indices", "2 1 0 1"), ("direction", "1 0 0")];
    for class in [1, 3] {
        let (x, v, warnings) = begun_as::<Vec3Type>(state, class, &given);
        let y = if class == 1 { 0.0 } else { 1.0 };
        assert!(x.iter().all(|x| x.y == y), "{x:?}");
        assert_eq!(v, [Vec3::zeros(), Vec3::zeros(), Vec3::y()]);
        assert!(warnings[0].contains("point 1 is listed twice"), "{warnings:?}");
    }
}
