use std::path::PathBuf;

use super::super::build::{AttributeValues, BuildEnvironment, Builder};
use super::super::description::AttributeKind;
use super::super::value::Value;
use super::{Attributes, Deferred, DerivRows, ForceFieldAttributes, Indices, PointRange};
use crate::math::{Rigid3Type, Vec3, Vec3Type};
use crate::scene::{Location, Scene};
use crate::topology::Topology;

/// A plane. It pushes
/// back.
///
/// Not of the summary.
#[derive(derive::Attributes, Debug)]
#[attributes(
    crate = "crate",
    ignored("showPlane", "showSize", summary = "drawing only"),
    unsupported("isCompliance", default = "0", summary = "something else", alias = "compliant")
)]
struct Plane {
    /// its normal
    #[attribute(default = "0 1 0")]
    normal: Vec3,
    /// largest force [N]
    #[attribute(positive)]
    max_force: Option<f64>,
    /// first and last point
    #[attribute(default = "-1 -1", alias = "range", alias = "points")]
    local_range: [i64; 2],
    /// points
    #[attribute(name = "the_indices")]
    indices: Indices,
    /// rows of the state
    forces: DerivRows,
    /// counts sometimes
    sometimes: Deferred<Option<f64>>,
    /// whether it is so
    flag: bool,
    /// some points
    #[attribute(name = "localRange2")]
    some: PointRange,
    /// a file
    #[attribute(kind = File)]
    filename: Option<String>,
    #[attribute(flatten)]
    shared: ForceFieldAttributes,
}

#[derive(Default)]
struct Environment(std::cell::RefCell<Vec<String>>);

impl BuildEnvironment for Environment {
    fn find_file(&self, name: &str) -> Result<PathBuf, String> {
        Err(name.to_owned())
    }
    fn read_mesh(&self, name: &str) -> Result<Topology, String> {
        Err(name.to_owned())
    }
    fn asked(&self, attribute: &str) {
        self.0.borrow_mut().push(attribute.to_owned());
    }
    fn warn(&mut self, _: Option<&str>, _: String) {}
}

fn build<T>(set: &[(&'static str, Value)], f: impl FnOnce(&mut Builder<'_>) -> T) -> (T, Vec<String>) {
    let mut scene = Scene::new("root");
    let node = scene.root();
    let component = scene.add_component(node, "Plane", None, Location::default());
    let mut values = AttributeValues::default();
    values.defaults.insert("normal", Value::Reals(vec![0.0, 1.0, 0.0]));
    values.defaults.insert("localRange", Value::Integers(vec![-1, -1]));
    values.defaults.insert("localRange2", Value::Integers(vec![-1, -1]));
    values.defaults.insert("flag", Value::Bool(false));
    values.defaults.insert("rayleighStiffness", Value::Real(0.0));
    values.set.extend(set.iter().cloned());
    let mut environment = Environment::default();
    let mut builder = Builder {
        scene: (&mut scene).into(),
        component,
        node,
        attributes: &values,
        environment: &mut environment,
    };
    let result = f(&mut builder);
    (result, environment.0.into_inner())
}

#[test]
fn a_struct_describes_itself() {
    assert_eq!(Plane::SUMMARY, "A plane. It pushes back");
    let names: Vec<&str> = Plane::ATTRIBUTES.iter().map(|a| a.name).collect();
    let own = [
        "normal",
        "maxForce",
        "localRange",
        "the_indices",
        "forces",
        "sometimes",
        "flag",
        "localRange2",
        "filename",
    ];
    let shared = ["mstate", "rayleighStiffness", "isCompliance"];
    assert_eq!(names[..12], [&own[..], &shared[..]].concat());
    assert_eq!(names[12..], ["showPlane", "showSize", "isCompliance"]);
    let of = |name: &str| Plane::ATTRIBUTES.iter().find(|a| a.name == name).expect("described");
    assert_eq!((of("normal").kind, of("normal").default), (AttributeKind::Reals(3), "0 1 0"));
    assert_eq!((of("maxForce").kind, of("maxForce").unit), (AttributeKind::Real, "N"));
    assert_eq!(of("maxForce").summary, "largest force");
    assert_eq!(
        (of("localRange").kind, of("localRange").aliases),
        (AttributeKind::Integers(2), &["range", "points"][..])
    );
    assert_eq!((of("flag").kind, of("flag").default), (AttributeKind::Bool, "0"));
    assert_eq!((of("localRange2").kind, of("localRange2").default), (AttributeKind::Integers(2), "-1 -1"));
    assert_eq!(of("filename").kind, AttributeKind::File);
    assert_eq!(of("mstate").kind, AttributeKind::Link);
    assert_eq!((of("showSize").kind, of("showSize").summary), (AttributeKind::Ignored, "drawing only"));
    let last = Plane::ATTRIBUTES[14];
    assert_eq!(
        (last.kind, last.default, last.aliases),
        (AttributeKind::Unsupported, "0", &["compliant"][..])
    );
}

#[test]
fn values_and_defaults_are_read() {
    let set = [
        ("maxForce", Value::Integer(3)),
        ("the_indices", Value::Integers(vec![2, 0])),
        ("forces", Value::Reals(vec![1.0; 6])),
        ("filename", Value::Text("a.obj".into())),
    ];
    let (plane, asked) = build(&set, |b| Plane::read(b).expect("it is right"));
    assert_eq!((plane.normal, plane.max_force, plane.local_range), (Vec3::y(), Some(3.0), [-1, -1]));
    assert_eq!(plane.indices.below(3).expect("in range"), [2, 0]);
    assert!(plane.indices.below(2).is_err());
    assert_eq!(plane.forces.of::<Vec3Type>().expect("two rows").len(), 2);
    assert_eq!(plane.forces.of::<Rigid3Type>().expect("one row").len(), 1);
    assert_eq!(plane.filename.as_deref(), Some("a.obj"));
    assert!(!plane.flag);
    assert_eq!((plane.some.of(4), plane.some.remark(4)), ([0, 4], None));
    assert!(plane.shared.mstate.is_none() && plane.shared.rayleigh_stiffness == 0.0);
    assert!(asked.iter().any(|a| a == "mstate") && !asked.iter().any(|a| a == "sometimes"), "{asked:?}");
}

#[test]
fn what_is_deferred_is_asked_for_when_it_is_needed() {
    let (value, asked) = build(&[("sometimes", Value::Real(2.0))], |b| {
        let plane = Plane::read(b).expect("it is right");
        plane.sometimes.get(b).expect("a number")
    });
    assert_eq!(value, Some(2.0));
    assert!(asked.iter().any(|a| a == "sometimes"));
}

/// The loops of SOFA's SphereForceField and PlaneForceField, of which the latter takes all points where the ends are no range.
#[test]
fn ranges_of_points_end_where_the_points_do() {
    for (ends, points, of_plane) in [
        ([1, 2], [1, 3], [1, 3]),
        ([1, 7], [1, 3], [1, 3]),
        ([-1, 1], [0, 2], [0, 3]),
        ([1, -1], [1, 3], [0, 3]),
        ([2, 0], [1, 1], [0, 3]),
        ([5, 7], [3, 3], [3, 3]),
    ] {
        let set = [("localRange2", Value::Integers(ends.to_vec()))];
        let (range, _) = build(&set, |b| Plane::read(b).expect("it is right").some);
        assert_eq!((range.of(3), range.or_all().of(3)), (points, of_plane));
        assert_eq!(range.remark(3).is_some(), ends != [1, 2], "{ends:?}");
    }
}

#[test]
fn errors_name_the_attribute() {
    for (name, value, says) in [
        ("maxForce", Value::Real(0.0), "must be positive"),
        ("maxForce", Value::Real(f64::NAN), "one finite number"),
        ("localRange", Value::Integers(vec![1]), "2 numbers"),
        ("normal", Value::Reals(vec![1.0]), "three finite numbers"),
    ] {
        let (read, _) = build(&[(name, value)], |b| Plane::read(b).map(|_| ()));
        let e = read.expect_err("it is wrong");
        assert_eq!(e.attribute.as_deref(), Some(name));
        assert!(e.message.contains(says), "{e}");
    }
    let (rows, _) = build(&[("forces", Value::Reals(vec![1.0; 4]))], |b| {
        Plane::read(b).and_then(|p| p.forces.of::<Vec3Type>())
    });
    assert_eq!(rows.expect_err("four numbers").attribute.as_deref(), Some("forces"));
}
