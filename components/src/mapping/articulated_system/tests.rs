//! Bodies in a tree of joints: derivatives, places by closed forms, what is refused.

use sim_core::math::{Coord, rotate};
use sim_core::testing::{Random, mapping};

use super::*;
use crate::state::mechanical_object;
use crate::test_support::TestScene;
use crate::topology;

/// A description of this family by its class.
fn topology_class(class: &str) -> ComponentDescription {
    topology::all().into_iter().find(|d| d.class == class).expect("it is registered")
}

/// A joint: parent, child, places on both, articulations as axis, rotation, translation and number, what axes are attached to.
type JointText<'a> =
    (&'a str, &'a str, &'a str, &'a str, &'a [(&'a str, &'a str, &'a str, &'a str)], &'a str);

/// The scene, the state of the numbers and that of the bodies; `root` is a frame that carries body 0.
fn scene(
    joints: &[JointText<'_>],
    [numbers, bodies]: [&str; 2],
    root: Option<&str>,
) -> Result<(TestScene, StateId), BuildError> {
    let mut t = TestScene::new();
    let top = t.child(t.root(), "numbers");
    t.add(&mechanical_object::DESCRIPTION, top, &[("template", "Vec1"), ("position", numbers)])?;
    let below = t.child(top, "bodies");
    let given = [("template", "Rigid3"), ("position", bodies)];
    let c = t.add(&mechanical_object::DESCRIPTION, below, &given)?;
    t.add(&topology_class(CONTAINER), top, &[])?;
    let all = t.child(top, "joints");
    for (parent, child, on_parent, on_child, articulations, process) in joints {
        let node = t.child(all, "joint");
        let given = [
            ("parentIndex", *parent),
            ("childIndex", *child),
            ("posOnParent", *on_parent),
            ("posOnChild", *on_child),
            ("articulationProcess", *process),
        ];
        t.add(&topology_class(CENTER), node, &given)?;
        let inner = t.child(node, "articulations");
        for (axis, rotation, translation, index) in *articulations {
            let given = [
                ("axis", *axis),
                ("rotation", *rotation),
                ("translation", *translation),
                ("articulationIndex", *index),
            ];
            t.add(&topology_class(ARTICULATION), inner, &given)?;
        }
    }
    let mut links = vec![("input1", LinkTarget::Node(top))];
    if let Some(root) = root {
        let node = t.child(t.root(), "frame");
        t.add(&mechanical_object::DESCRIPTION, node, &[("template", "Rigid3"), ("position", root)])?;
        links.push(("input2", LinkTarget::Node(node)));
    }
    t.add_linked(&DESCRIPTION, below, &[], &links)?;
    let state = t.scene.state_of_component(c).expect("it is a state");
    Ok((t, state))
}

/// A tree of five bodies: a hinge, a ball joint of three angles with a slider, a slider and a hinge on one parent; body 5 hangs on nothing.
const TREE: [JointText<'_>; 4] = [
    ("0", "1", "1 0 0", "-1 0.5 0", &[("0 0 1", "1", "0", "0")], "0"),
    (
        "1",
        "2",
        "0.3 0 0",
        "0 -0.2 0.1",
        &[
            ("1 0 0", "1", "0", "1"),
            ("0 1 0", "1", "0", "2"),
            ("0 1 2", "0", "1", "3"),
            ("0 0 1", "1", "0", "4"),
        ],
        "0",
    ),
    ("2", "3", "0 1 0", "0 0 0", &[("1 1 0", "1", "1", "5")], "1"),
    ("2", "4", "0 0 1", "1 0 0", &[("0 3 0", "1", "0", "6")], "2"),
];
const BODIES: &str =
    "1 2 3 0 0 0 1  0 0 0 0 0 0 1  0 0 0 0 0 0 1  0 0 0 0 0 0 1  0 0 0 0 0 0 1  7 8 9 0 0 0 1";
const NUMBERS: &str = "0.3 -0.5 0.7 0.2 1.1 0.4 -2";

#[test]
fn conforms() {
    let (t, _) = scene(&TREE, [NUMBERS, BODIES], None).expect("builds");
    let mut random = Random::new(3);
    let numbers = NUMBERS.split(' ').map(|n| number(n.parse().expect("a number")));
    let joints = joints_below(&t.scene, t.scene.root());
    let bodies = vec![RigidCoord::at(Vec3::new(1.0, 2.0, 3.0)); 6];
    let of = |root| parts(&t.scene, &joints, [7, 6], &bodies, root).expect("they are in order");
    let stored = |parts: &[Part]| vec![[Vec3::zeros(); 2]; parts.len()];
    let still = of(None);
    let (stored_still, x) = (stored(&still), numbers.collect::<Vec<_>>());
    mapping(&MappingParts::<ArticulatedSystem<Vec1Type>>::new((), still, stored_still, 6), &x, 1);
    let carried = of(Some(8));
    let stored_carried = stored(&carried);
    let x = random.moved(&[RigidCoord::default(); 9], 1.0);
    mapping(&MappingParts::<ArticulatedSystem<Rigid3Type>>::new((), carried, stored_carried, 6), &x, 2);
}

fn number(x: f64) -> sim_core::math::Vec1 {
    sim_core::math::Vec1::new(x)
}

/// The frames of the bodies.
fn frames(joints: &[JointText<'_>], given: [&str; 2], root: Option<&str>) -> Vec<RigidCoord> {
    let (t, state) = scene(joints, given, root).expect("builds");
    t.scene.initial_as::<Rigid3Type>(state).expect("frames").position.clone()
}

#[test]
fn a_chain_of_hinges_is_where_its_angles_say() {
    let hinge = [("0 0 2", "1", "0", "0")];
    let second = [("0 0 1", "1", "0", "1")];
    for process in ["0", "1", "2"] {
        let joints: [JointText<'_>; 2] =
            [("0", "1", "0 0 0", "-1 0 0", &hinge, process), ("1", "2", "1 0 0", "-1 0 0", &second, process)];
        let (a, b) = (0.4_f64, 0.7_f64);
        let bodies = "5 0 0 0 0 0 1  0 0 0 0 0 0 1  0 0 0 0 0 0 1";
        let x = frames(&joints, ["0.4 0.7", bodies], None);
        let at = |angle: f64| Vec3::new(angle.cos(), angle.sin(), 0.0);
        let origin = Vec3::new(5.0, 0.0, 0.0);
        assert!((x[0].center - origin).norm() == 0.0);
        assert!((x[1].center - origin - at(a)).norm() < 1e-15, "{:?}", x[1]);
        assert!((x[2].center - origin - at(a) * 2.0 - at(a + b)).norm() < 1e-15, "{:?}", x[2]);
        assert!((rotate(&x[2].orientation, &Vec3::x()) - at(a + b)).norm() < 1e-15);
        // The same on a frame that is turned by a right angle around x.
        let turned = "0 0 0 0 0 0 1  0 0 5 0.7071067811865476 0 0 0.7071067811865476";
        let x = frames(&joints, ["0.4 0.7", bodies], Some(turned));
        let at = |angle: f64| Vec3::new(angle.cos(), 0.0, angle.sin());
        let origin = Vec3::new(0.0, 0.0, 5.0);
        assert!((x[2].center - origin - at(a) * 2.0 - at(a + b)).norm() < 1e-14, "{:?}", x[2]);
    }
}

/// The joints of a character are matrices, in single precision.
#[test]
fn a_tree_of_hinges_is_where_the_skeleton_of_a_character_has_it() {
    use animation::skeleton::{Joint, Matrix, Skeleton, Transform};

    let axes = ["0 0 1", "1 0 0", "0 1 0", "0 0.6 0.8"];
    let on_parents = ["1 0.2 0", "0.3 -1 0.5", "0 0.7 1", "-1 0 0.4"];
    let parents = ["0", "1", "1", "3"];
    let angles = [0.4_f64, -1.1, 2.2, 0.9];
    let of: Vec<[(&str, &str, &str, &str); 1]> =
        axes.iter().zip(["0", "1", "2", "3"]).map(|(axis, k)| [(*axis, "1", "0", k)]).collect();
    let joint = |k: usize| -> JointText<'_> {
        (parents[k], ["1", "2", "3", "4"][k], on_parents[k], "0 0 0", &of[k], "0")
    };
    let bodies = ["0 0 0 0 0 0 1"; 5].join(" ");
    let numbers = angles.map(|a| a.to_string()).join(" ");
    let x = frames(&[0, 1, 2, 3].map(joint), [&numbers, &bodies], None);

    let vector = |text: &str| -> Vec<f32> { text.split(' ').map(|x| x.parse().expect("a number")).collect() };
    let mut all = vec![Joint { name: String::new(), parent: None, rest: Transform::default() }];
    for (k, angle) in angles.into_iter().enumerate() {
        let (axis, at) = (vector(axes[k]), vector(on_parents[k]));
        let (sin, cos) = (0.5 * angle as f32).sin_cos();
        let rotation = [axis[0] * sin, axis[1] * sin, axis[2] * sin, cos];
        let rest = Transform { translation: [at[0], at[1], at[2]], rotation, scale: [1.0; 3] };
        all.push(Joint { name: String::new(), parent: parents[k].parse().ok(), rest });
    }
    let (skeleton, _) = Skeleton::new(all).expect("a skeleton");
    let mut matrices = vec![Matrix::default(); 5];
    skeleton.to_model(skeleton.rest(), &mut matrices);
    for (matrix, body) in matrices.iter().zip(&x) {
        let column = |c: usize| Vec3::new(matrix[c][0].into(), matrix[c][1].into(), matrix[c][2].into());
        assert!((column(3) - body.center).norm() < 2e-6, "{matrix:?} {body:?}");
        for (c, axis) in [Vec3::x(), Vec3::y(), Vec3::z()].iter().enumerate() {
            assert!((column(c) - rotate(&body.orientation, axis)).norm() < 2e-6, "{matrix:?} {body:?}");
        }
    }
}

#[test]
fn a_slider_moves_its_joint_and_the_axis_of_later_articulations_has_turned() {
    let articulations = [("0 0 1", "1", "0", "0"), ("1 0 0", "0", "1", "1"), ("0 1 0", "1", "0", "2")];
    let joints: [JointText<'_>; 1] = [("0", "1", "1 0 0", "0 0 -2", &articulations, "0")];
    let quarter = std::f64::consts::FRAC_PI_2;
    let numbers = format!("{quarter} 3 {quarter}");
    let x = frames(&joints, [&numbers, "0 0 0 0 0 0 1  0 0 0 0 0 0 1"], None);
    // The axis of the slider points along y by then; the child's own y axis along -x, around which its z axis turns to y.
    assert!((x[1].center - Vec3::new(1.0, 5.0, 0.0)).norm() < 1e-14, "{:?}", x[1]);
}

#[test]
fn what_cannot_be_is_said() {
    let hinge = [("0 0 1", "1", "0", "0")];
    let bodies = "0 0 0 0 0 0 1  0 0 0 0 0 0 1  0 0 0 0 0 0 1";
    let says = |joints: &[JointText<'_>], root: Option<&str>| {
        scene(joints, ["0 0", bodies], root).err().map(|e| e.message).unwrap_or_default()
    };
    let joint = |parent, child| -> JointText<'_> { (parent, child, "0 0 0", "0 0 0", &hinge, "0") };
    let frame = Some("0 0 0 0 0 0 1");
    assert!(says(&[joint("0", "3")], None).contains("no body 3"));
    assert!(says(&[joint("-1", "1")], None).contains("no body -1"));
    assert!(says(&[joint("0", "1"), joint("2", "1")], None).contains("another joint"));
    assert!(says(&[joint("2", "1"), joint("0", "2")], None).contains("comes later"));
    assert!(says(&[joint("1", "0")], frame).contains("input2"));
    assert!(says(&[], None).contains("no ArticulationCenter"));
    let beyond = [("0 0 1", "1", "0", "2")];
    assert!(
        says(&[("0", "1", "0 0 0", "0 0 0", &beyond, "0")], None).contains("no number of an articulation 2")
    );
    let two = [("0 0 1", "1", "0", "0"), ("0 1 0", "1", "0", "1")];
    assert!(says(&[("0", "1", "0 0 0", "0 0 0", &two, "1")], None).contains("articulationProcess"));
    assert!(says(&[("0", "1", "0 0 0", "0 0 0", &hinge, "3")], None).contains("0, 1 or 2"));
    let flat = [("0 0 0", "1", "0", "0")];
    assert!(says(&[("0", "1", "0 0 0", "0 0 0", &flat, "0")], None).contains("no direction"));
}
