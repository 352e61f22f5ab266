use proptest::prelude::*;
use sim_core::math::{Quat, RigidCoord, Vec3, quat_from_euler_degrees, quat_to_matrix};

use super::separation::separation;
use crate::collision::bounding_tree;
use crate::collision::narrow_phase::{
    DetectionOutput, IntersectionMethod, LocalMinDistance, MinProximity, NewProximity, Order, SelfFilter,
    detect,
};
use crate::collision::response::keep_nearest;
use crate::collision::solids::{Core, Padded, Solid};
use crate::collision::test_meshes::Body;
use crate::collision::{CollisionModel, ModelKind, ModelView, Positions, TreeNode};

const ALARM: f64 = 0.2;
const CONTACT: f64 = 0.05;
const NEW: NewProximity = NewProximity {
    alarm_distance: ALARM,
    contact_distance: CONTACT,
    use_line_line: false,
    exact_edges: false,
};

fn list<T>(default: T) -> Padded<T> {
    Padded { attribute: "test", list: Vec::new(), default }
}

/// A model on frames with its tree.
struct Frames {
    model: CollisionModel,
    x: Vec<RigidCoord>,
    tree: Vec<TreeNode>,
}

impl Frames {
    fn new(model: CollisionModel, x: Vec<RigidCoord>) -> Self {
        let tree = bounding_tree::build(&model.view(Positions::Frames(&x), &[], 0.0), 6);
        Self { model, x, tree }
    }
    fn boxed(half: [f64; 3], x: RigidCoord) -> Self {
        Self::new(CollisionModel::boxes(1, &list(half.into())).unwrap(), vec![x])
    }
    fn capsule(radius: f64, height: f64, x: RigidCoord) -> Self {
        Self::new(CollisionModel::capsules(1, &list(radius), &list(height)).unwrap(), vec![x])
    }
    fn cylinder(radius: f64, height: f64, x: RigidCoord) -> Self {
        let model = CollisionModel::cylinders(1, &list(radius), &list(height), &list(Vec3::y()));
        Self::new(model.unwrap(), vec![x])
    }
    fn view(&self) -> ModelView<'_> {
        self.model.view(Positions::Frames(&self.x), &self.tree, 0.0)
    }
}

fn at(x: f64, y: f64, z: f64) -> RigidCoord {
    turned(x, y, z, [0.0; 3])
}

fn turned(x: f64, y: f64, z: f64, degrees: [f64; 3]) -> RigidCoord {
    RigidCoord { center: Vec3::new(x, y, z), orientation: quat_from_euler_degrees(degrees.into()) }
}

fn found(first: &ModelView, second: &ModelView) -> Vec<DetectionOutput> {
    let mut out = Vec::new();
    let method = IntersectionMethod::NewProximity(NEW);
    detect(&method, first, second, &SelfFilter::NONE, &mut Vec::new(), &mut out);
    keep_nearest(&mut out, &mut Vec::new());
    out
}

/// What a solid is, and the part of it that a point projects to: for alternating projections.
fn nearest_in(solid: &Solid, p: Vec3) -> Vec3 {
    let in_axes = |center: &Vec3, axes: &[Vec3; 3], clamp: &dyn Fn(Vec3) -> Vec3| {
        let l = axes.map(|a| a.dot(&(p - center)));
        let c = clamp(l.into());
        center + axes[0] * c.x + axes[1] * c.y + axes[2] * c.z
    };
    match &solid.core {
        Core::Box(center, axes, half) => in_axes(center, axes, &|l| {
            Vec3::new(
                l.x.clamp(-half[0], half[0]),
                l.y.clamp(-half[1], half[1]),
                l.z.clamp(-half[2], half[2]),
            )
        }),
        Core::Cylinder(center, axes, half, radius) => in_axes(center, axes, &|l| {
            let across = l.x.hypot(l.z);
            let share = if across > *radius { radius / across } else { 1.0 };
            Vec3::new(l.x * share, l.y.clamp(-half, *half), l.z * share)
        }),
        Core::Segment([a, b]) => {
            let d = b - a;
            let t = if d.norm() > 0.0 { (p - a).dot(&d) / d.dot(&d) } else { 0.0 };
            a + d * t.clamp(0.0, 1.0)
        }
        Core::Triangle(_) => p,
    }
}

/// The distance of two solids' cores by projecting from one onto the other and back, until nothing changes.
fn brute_distance(a: &Solid, b: &Solid) -> f64 {
    let mut p = nearest_in(a, Vec3::zeros());
    let mut best = f64::INFINITY;
    for _ in 0..20_000 {
        let q = nearest_in(b, p);
        p = nearest_in(a, q);
        let d = (q - p).norm();
        if best - d < 1e-14 {
            return d;
        }
        best = d;
    }
    best
}

fn frame(s: &[f64]) -> RigidCoord {
    let q = Quat::new(0.1 + s[3].abs(), s[4], s[5], s[6]);
    RigidCoord { center: Vec3::new(s[0], s[1], s[2]), orientation: q / q.norm() }
}

fn solid_of(kind: usize, sizes: [f64; 3], x: RigidCoord) -> Frames {
    match kind {
        0 => Frames::boxed(sizes, x),
        1 => Frames::capsule(sizes[0], sizes[1], x),
        _ => Frames::cylinder(sizes[0], sizes[1], x),
    }
}

fn kinds() -> impl Strategy<Value = (usize, usize)> {
    (0..3usize, 0..3usize)
}

proptest! {
    #[test]
    fn distances_of_solids_are_those_of_alternating_projections(
        (k, l) in kinds(),
        s in prop::collection::vec(-1.0..1.0f64, 14),
        sizes in prop::array::uniform6(0.1..0.6f64),
    ) {
        let mut y = frame(&s[7..]);
        y.center += Vec3::new(1.2, 0.3, 0.1);
        let (a, b) = (solid_of(k, [sizes[0], sizes[1], sizes[2]], frame(&s)), solid_of(l, [sizes[3], sizes[4], sizes[5]], y));
        let (a, b) = (a.view().solid(0), b.view().solid(0));
        let brute = brute_distance(&a, &b);
        let found = separation(&a.core, &b.core, 1e3).expect("near enough");
        if brute > 1e-3 {
            prop_assert!((found.distance - brute).abs() < 1e-5 * (1.0 + brute), "{} is not {brute}", found.distance);
            // A direction that is short of the distance by a millionth is off by the root of two of them.
            prop_assert!((found.points[1] - found.points[0] - found.normal * found.distance).norm() < 2e-3 * (1.0 + brute));
        } else {
            prop_assert!(found.distance < 2e-3, "{} where they meet", found.distance);
        }
        prop_assert!((found.normal.norm() - 1.0).abs() < 1e-12);
        // The same from the other side.
        let back = separation(&b.core, &a.core, 1e3).expect("near enough");
        prop_assert!((back.distance - found.distance).abs() < 1e-6);
    }

    #[test]
    fn moved_apart_by_their_depth_solids_touch(
        (k, l) in kinds(),
        s in prop::collection::vec(-0.3..0.3f64, 14),
        sizes in prop::array::uniform6(0.2..0.6f64),
    ) {
        let x = [frame(&s), frame(&s[7..])];
        let of = |x: [RigidCoord; 2]| {
            [solid_of(k, [sizes[0], sizes[1], sizes[2]], x[0]), solid_of(l, [sizes[3], sizes[4], sizes[5]], x[1])]
                .map(|f| f.view().solid(0).core)
        };
        let [a, b] = of(x);
        let found = separation(&a, &b, 1.0).expect("near");
        if found.distance < 0.0 {
            let mut apart = x;
            apart[1].center += found.normal * (1e-3 - found.distance);
            let [a, b] = of(apart);
            let after = separation(&a, &b, 1.0).expect("near");
            prop_assert!(after.distance > 0.0, "{}", after.distance);
            // Of what is less around a cylinder's rim, nothing is known.
            let is_exact = k < 2 && l < 2;
            prop_assert!(!is_exact || after.distance < 1e-3 + 1e-6, "{}", after.distance);
        }
    }

    #[test]
    fn the_distance_of_a_sphere_to_a_box_is_that_of_the_closed_form(
        s in prop::collection::vec(-1.0..1.0f64, 7),
        half in prop::array::uniform3(0.1..0.6f64),
        center in prop::array::uniform3(-1.5..1.5f64),
        radius in 0.05..0.4f64,
    ) {
        let x = frame(&s);
        let (boxed, center) = (Frames::boxed(half, x), Vec3::from(center));
        let l = quat_to_matrix(&x.orientation).transpose() * (center - x.center);
        let beyond = Vec3::new(l.x.abs() - half[0], l.y.abs() - half[1], l.z.abs() - half[2]);
        let outside = beyond.sup(&Vec3::zeros()).norm() + beyond.max().min(0.0);
        let out = found(&boxed.view(), &Body::spheres(radius, &[center.into()]).view());
        prop_assert_eq!(out.len(), usize::from(outside - radius < ALARM));
        for o in &out {
            prop_assert!((o.value - (outside - radius - CONTACT)).abs() < 1e-12);
            prop_assert_eq!(o.points[1], center);
            prop_assert!((o.points[0] + o.normal * outside - center).norm() < 1e-9);
        }
    }

    #[test]
    fn boxes_along_the_axes_hold_solids(
        k in 0..3usize,
        s in prop::collection::vec(-1.0..1.0f64, 7),
        sizes in prop::array::uniform3(0.1..0.6f64),
        direction in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let view = solid_of(k, sizes, frame(&s));
        let solid = view.view().solid(0);
        let d = Vec3::from(direction).normalize();
        let p = super::support::support(&solid.core, &d) + d * solid.rounding;
        prop_assert!(solid.bounds().grown(1e-12).contains(&p));
        for axis in 0..3 {
            let mut d = Vec3::zeros();
            d[axis] = 1.0;
            let p = super::support::support(&solid.core, &d) + d * solid.rounding;
            prop_assert!((p[axis] - solid.bounds().max[axis]).abs() < 1e-12, "it is tight");
        }
    }

    /// However little a box is turned or shifted on another one of its size, or on a floor of two triangles, it stands on four points.
    #[test]
    fn a_box_stands_on_four_points(
        exponent in -16..-3i32,
        s in prop::collection::vec(-1.0..1.0f64, 6),
    ) {
        let little = 10f64.powi(exponent);
        let (a, b) = ([s[0], s[1], s[2]].map(|v| v * little), [s[3], s[4], s[5]].map(|v| v * little * 20.0));
        let low = Frames::boxed([0.5; 3], at(0.0, 0.0, 0.0));
        let high = Frames::boxed([0.5; 3], turned(a[0], a[1], 1.02 + a[2], b));
        let out = found(&low.view(), &high.view());
        prop_assert_eq!(out.len(), 4, "{:?}", out);
        for o in &out {
            prop_assert!((o.normal - Vec3::z()).norm() < 0.01);
            prop_assert!((o.points[0].x.abs() - 0.5).abs() < 0.02 && (o.points[0].y.abs() - 0.5).abs() < 0.02);
            prop_assert!((o.value - (0.02 - CONTACT)).abs() < 0.05);
        }
        let floor = floor(0.52);
        let out = found(&floor.view(), &low.view());
        prop_assert_eq!(out.len(), 4);
        let out = found(&floor.view(), &Frames::boxed([0.5; 3], turned(a[0], a[1], 1.04 + a[2], b)).view());
        prop_assert_eq!(out.len(), 4);
    }
}

proptest! {
    /// However it is placed, what touches the edge of a triangle, a line, or the end of one has one contact there.
    #[test]
    fn a_corner_beside_an_edge_has_one_contact(
        k in 0..3usize,
        s in prop::collection::vec(-1.0..1.0f64, 7),
        sizes in prop::array::uniform3(0.1..0.6f64),
        directions in prop::array::uniform2(prop::array::uniform3(-1.0..1.0f64)),
        (share, steep) in (0.0..1.0f64, 0.1..1.5f64),
        kind in 0..4usize,
        gap in 0.01..0.15f64,
    ) {
        let view = solid_of(k, sizes, frame(&s));
        let view = view.view();
        let solid = view.solid(0);
        let [n, e] = directions.map(|d| Vec3::from(d).normalize());
        let along = n.cross(&e).normalize();
        prop_assume!(n.cross(&e).norm() > 0.1);
        let place = super::support::support(&solid.core, &-n) - n * (gap + solid.rounding);
        let below = (along.cross(&n) * steep.cos() - n * steep.sin()) * 2.0;
        let share = if kind == 1 { 0.5 } else { 0.1 + 0.8 * share };
        let x = match kind {
            // A line that ends there.
            3 => [place, place + below, place],
            _ => [place - along * share, place + along * (1.0 - share), place + below],
        };
        let x = x.map(|p| [p.x, p.y, p.z]);
        let mesh = if kind < 2 { Body::triangles(&[[0, 1, 2]], &x) } else { Body::lines(&[[0, 1]], &x) };
        let out = found(&mesh.view(), &view);
        for (k, o) in out.iter().enumerate() {
            let at_its_place = |other: &&DetectionOutput| (o.points[0] - other.points[0]).norm() < 1e-5;
            prop_assert_eq!(out[..k].iter().filter(at_its_place).count(), 0, "{:?}", out);
        }
        let least = out.iter().map(|o| o.value).fold(f64::INFINITY, f64::min);
        // A rim is known to some millionths of the sizes.
        prop_assert!((least - (gap - CONTACT)).abs() < 3e-5, "{least}, not {}", gap - CONTACT);
    }
}

/// Two triangles at a height, with the diagonal through the middle.
fn floor(z: f64) -> Body {
    Body::triangles(
        &[[0, 1, 2], [0, 2, 3]],
        &[[-2.0, -2.0, z], [2.0, -2.0, z], [2.0, 2.0, z], [-2.0, 2.0, z]],
    )
}

#[test]
fn a_sphere_meets_face_edge_and_corner_of_a_box() {
    let boxed = Frames::boxed([0.5, 0.4, 0.3], at(0.0, 0.0, 0.0));
    let one = |p: [f64; 3]| {
        let out = found(&boxed.view(), &Body::spheres(0.1, &[p]).view());
        assert_eq!(out.len(), 1);
        out[0]
    };
    assert!((one([0.1, 0.2, 0.45]).value - (0.15 - 0.1 - CONTACT)).abs() < 1e-15);
    let edge = one([0.6, 0.5, 0.0]);
    assert!((edge.value - (0.1 * 2f64.sqrt() - 0.1 - CONTACT)).abs() < 1e-15);
    assert!((edge.normal - Vec3::new(1.0, 1.0, 0.0).normalize()).norm() < 1e-12);
    let corner = one([-0.6, 0.5, 0.4]);
    assert!((corner.value - (0.1 * 3f64.sqrt() - 0.1 - CONTACT)).abs() < 1e-15);
    let inside = one([0.45, 0.0, 0.0]);
    assert_eq!((inside.normal, inside.points[0]), (Vec3::x(), Vec3::new(0.5, 0.0, 0.0)));
    assert!((inside.value - (-0.05 - 0.1 - CONTACT)).abs() < 1e-15);
    assert_eq!(one([0.5, 0.0, 0.0]).normal, Vec3::x(), "on the face");
    let out = found(&boxed.view(), &Body::points(&[[9.0; 3], [0.0, 0.0, 0.31]]).view());
    assert_eq!((out.len(), out[0].elements, out[0].normal), (1, [0, 1], Vec3::z()));
}

#[test]
fn capsules_lie_on_each_other_on_two_points_and_cross_in_one() {
    let low = Frames::capsule(0.2, 1.0, at(0.0, 0.0, 0.0));
    let out = found(&low.view(), &Frames::capsule(0.1, 1.0, at(0.0, 0.3, 0.31)).view());
    assert_eq!(out.len(), 2);
    let mut ends: Vec<f64> = out.iter().map(|o| o.points[0].y).collect();
    ends.sort_by(f64::total_cmp);
    assert!((ends[0] + 0.2).abs() < 1e-9 && (ends[1] - 0.5).abs() < 1e-9, "{ends:?}");
    assert!(
        out.iter().all(|o| (o.normal - Vec3::z()).norm() < 1e-9 && (o.value - (0.01 - CONTACT)).abs() < 1e-9)
    );
    assert_ne!(out[0].id, out[1].id);
    let out = found(&low.view(), &Frames::capsule(0.1, 1.0, turned(0.0, 0.3, 0.31, [0.0, 0.0, 90.0])).view());
    assert_eq!(out.len(), 1);
    assert!((out[0].points[0] - Vec3::new(0.0, 0.3, 0.2)).norm() < 1e-9);
    let out = found(&low.view(), &Frames::capsule(0.1, 1.0, at(0.0, 1.3, 0.0)).view());
    assert_eq!((out.len(), out[0].normal), (1, Vec3::y()), "end on end");
}

#[test]
fn a_cylinder_stands_on_eight_points_and_lies_on_two() {
    let floor = floor(0.0);
    let view = floor.view();
    let out = found(&view, &Frames::cylinder(0.3, 1.0, turned(0.1, 0.2, 0.51, [90.0, 0.0, 0.0])).view());
    assert_eq!(out.len(), 8);
    assert!(out.iter().all(|o| (o.value - (0.01 - CONTACT)).abs() < 1e-12 && o.normal == Vec3::z()));
    let lying = Frames::cylinder(0.3, 1.0, at(0.1, 0.2, 0.31));
    let out = found(&view, &lying.view());
    assert_eq!(out.len(), 2);
    assert!(out.iter().all(|o| (o.value - (0.01 - CONTACT)).abs() < 1e-12 && o.normal == Vec3::z()));
    // On its rim, at an angle of 45 degrees.
    let height = (0.5 + 0.3) / 2f64.sqrt() + 0.01;
    let out = found(&view, &Frames::cylinder(0.3, 1.0, turned(0.0, 0.0, height, [45.0, 0.0, 0.0])).view());
    assert_eq!(out.len(), 1);
    assert!((out[0].value - (0.01 - CONTACT)).abs() < 1e-12, "{out:?}");
    // Of a box as the floor the same.
    let ground = Frames::boxed([2.0, 2.0, 0.5], at(0.0, 0.0, -0.5));
    let standing = Frames::cylinder(0.3, 1.0, turned(0.1, 0.2, 0.51, [90.0, 0.0, 0.0]));
    assert_eq!(found(&ground.view(), &standing.view()).len(), 8);
    assert_eq!(found(&ground.view(), &lying.view()).len(), 2);
}

/// Seams of a flat floor are felt by nobody, wherever a body lies.
#[test]
fn a_flat_floor_pushes_upward_only() {
    let mut x = Vec::new();
    let (mut triangles, at_grid) = (Vec::new(), |i: u32, j: u32| i * 9 + j);
    for i in 0..9 {
        for j in 0..9 {
            x.push([f64::from(i) * 0.25 - 1.0, f64::from(j) * 0.25 - 1.0, 0.0]);
            if i < 8 && j < 8 {
                triangles.push([at_grid(i, j), at_grid(i + 1, j), at_grid(i + 1, j + 1)]);
                triangles.push([at_grid(i, j), at_grid(i + 1, j + 1), at_grid(i, j + 1)]);
            }
        }
    }
    let floor = Body::triangles(&triangles, &x);
    let mut random = sim_core::testing::Random::new(3);
    for k in 0..300 {
        let (p, angles) = (random.vec3() * 0.4, random.vec3() * 180.0);
        for deep in [0.02, -0.02] {
            let body = |z: f64| solid_of(k % 3, [0.12, 0.3, 0.1], turned(p.x, p.y, z, angles.into()));
            let low = -body(0.0).view().solid(0).bounds().min[2];
            let body = body(low + deep);
            let out = found(&floor.view(), &body.view());
            assert!(!out.is_empty());
            let least = out.iter().map(|o| o.value).fold(f64::INFINITY, f64::min);
            assert!((least - (deep - CONTACT)).abs() < 1e-9, "{k} {deep}: {least}");
            for o in &out {
                assert!((o.normal - Vec3::z()).norm() < 1e-6, "{k} {deep}: {o:?}");
            }
        }
    }
}

#[test]
fn a_box_over_the_edge_of_a_table_is_held_at_the_edge() {
    // A table whose edge is at x = 0, as two triangles, and its side, as two more.
    let x = [
        [-2.0, -2.0, 0.0],
        [0.0, -2.0, 0.0],
        [0.0, 2.0, 0.0],
        [-2.0, 2.0, 0.0],
        [0.0, -2.0, -1.0],
        [0.0, 2.0, -1.0],
    ];
    let table = Body::triangles(&[[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]], &x);
    let out = found(&table.view(), &Frames::boxed([0.5; 3], at(0.1, 0.3, 0.51)).view());
    let at_edge = out.iter().filter(|o| o.points[0].x.abs() < 1e-12 && o.points[0].z.abs() < 1e-12);
    assert_eq!((out.len(), at_edge.count()), (4, 2), "{out:?}");
    assert!(out.iter().all(|o| (o.normal - Vec3::z()).norm() < 1e-12));
    // A capsule that lies across the edge.
    let across = Frames::capsule(0.1, 1.0, turned(0.1, 0.3, 0.11, [0.0, 0.0, 90.0]));
    let out = found(&table.view(), &across.view());
    assert_eq!(out.len(), 2, "{out:?}");
    // Beside the edge, and above it: the distance to the edge.
    let beside = Frames::capsule(0.1, 1.0, at(0.12, 0.3, 0.12));
    let out = found(&table.view(), &beside.view());
    assert!(!out.is_empty());
    for o in &out {
        assert!((o.value - (0.12 * 2f64.sqrt() - 0.1 - CONTACT)).abs() < 1e-9, "{out:?}");
    }
}

#[test]
fn lines_and_points_of_meshes_meet_solids() {
    let boxed = Frames::boxed([0.5; 3], at(0.0, 0.0, 0.0));
    let rope = Body::lines(&[[0, 1], [1, 2]], &[[-1.0, 0.1, 0.52], [0.1, 0.1, 0.52], [1.0, 0.1, 0.52]]);
    let out = found(&rope.view(), &boxed.view());
    let mut places: Vec<f64> = out.iter().map(|o| o.points[0].x).collect();
    places.sort_by(f64::total_cmp);
    assert_eq!(places.len(), 3, "{out:?}");
    for (place, expected) in places.iter().zip([-0.5, 0.1, 0.5]) {
        assert!((place - expected).abs() < 1e-12);
    }
    assert!(
        out.iter()
            .all(|o| (o.normal + Vec3::z()).norm() < 1e-12 && (o.value - (0.02 - CONTACT)).abs() < 1e-12)
    );
    // The lines of a flat surface are its triangles' affair.
    let x = [[-2.0, -2.0, 0.52], [2.0, -2.0, 0.52], [2.0, 2.0, 0.52], [-2.0, 2.0, 0.52]];
    let seams = Body::surface_lines(&[[0, 1, 2], [0, 2, 3]], &x);
    assert!(found(&seams.view(), &boxed.view()).is_empty());
}

#[test]
fn capsules_on_points_report_their_axes() {
    let mut t = sim_core::topology::Topology::empty(sim_core::topology::TopologyKind::Mesh);
    t.edges = vec![[0, 1], [1, 2]];
    let x: Vec<Vec3> = [[-0.4, 0.0, 0.61], [0.4, 0.0, 0.61], [1.4, 0.0, 0.61]].map(Vec3::from).to_vec();
    let model = CollisionModel::line_capsules(&t, 3, &list(0.1)).unwrap();
    let rope = Body::new(model, x);
    let boxed = Frames::boxed([0.5; 3], at(0.0, 0.0, 0.0));
    let out = found(&boxed.view(), &rope.view());
    assert!(
        out.iter()
            .all(|o| (o.points[1].z - 0.61).abs() < 1e-12 && (o.value - (0.01 - CONTACT)).abs() < 1e-12)
    );
    let view = rope.view();
    let filter = SelfFilter::same_node(&view, &view, true, &[]);
    assert!(!filter.allows(0, 1) && filter.is_same_model());
}

#[test]
fn all_methods_but_the_continuous_one_test_solids() {
    use ModelKind::{Box, Capsule, Cylinder, Line, LineCapsule, Point, RigidSphere, Sphere, Triangle};
    let solids = [Box, Capsule, LineCapsule, Cylinder];
    let methods = [
        IntersectionMethod::NewProximity(NEW),
        IntersectionMethod::MinProximity(MinProximity::default()),
        IntersectionMethod::LocalMinDistance(LocalMinDistance::default()),
        IntersectionMethod::Discrete,
    ];
    for method in methods {
        for solid in solids {
            for other in [Triangle, Line, Point, Sphere, RigidSphere, Box, Capsule, LineCapsule, Cylinder] {
                assert_ne!(method.order(solid, other), Order::Ignored, "{solid:?} {other:?}");
                let (a, b) = match method.order(solid, other) {
                    Order::LaterFirst => (solid, other),
                    _ => (other, solid),
                };
                assert!(crate::collision::response::ResponseClass::Penalty.supports(a, b), "{a:?} {b:?}");
            }
            assert_eq!(method.order(solid, ModelKind::TriangleOctree), Order::Ignored);
        }
    }
    let (a, b) = (Frames::boxed([0.5; 3], at(0.0, 0.0, 0.0)), Frames::boxed([0.5; 3], at(0.0, 0.0, 0.99)));
    for method in methods {
        let mut out = Vec::new();
        detect(&method, &a.view(), &b.view(), &SelfFilter::NONE, &mut Vec::new(), &mut out);
        assert_eq!(out.len(), 4, "{method:?}");
        let expected = -0.01 - method.contact_distance();
        assert!(out.iter().all(|o| (o.value - expected).abs() < 1e-12), "{out:?}");
    }
}

/// Cones: a triangle pushes out of its front only, unless both sides do.
#[test]
fn a_triangle_with_cones_pushes_from_its_front() {
    let boxed = Frames::boxed([0.5; 3], at(0.0, 0.0, 0.0));
    let method = IntersectionMethod::LocalMinDistance(LocalMinDistance::default());
    let number = |z: f64, both: bool| {
        let mut floor = floor(z);
        floor.both_side = both;
        let mut out = Vec::new();
        detect(&method, &floor.view(), &boxed.view(), &SelfFilter::NONE, &mut Vec::new(), &mut out);
        keep_nearest(&mut out, &mut Vec::new());
        out.len()
    };
    assert_eq!([number(-0.52, false), number(0.52, false), number(0.52, true)], [4, 0, 4]);
}

/// A floor and a wall of one mesh: corners that touch both have a contact with each.
#[test]
fn a_box_in_a_corner_meets_floor_and_wall() {
    let x = [
        [-2.0, -2.0, 0.0],
        [2.0, -2.0, 0.0],
        [2.0, 2.0, 0.0],
        [-2.0, 2.0, 0.0],
        [-2.0, -2.0, 3.0],
        [-2.0, 2.0, 3.0],
    ];
    let mesh = Body::triangles(&[[0, 1, 2], [0, 2, 3], [0, 3, 5], [0, 5, 4]], &x);
    for deep in [0.01, -0.01] {
        let out = found(&mesh.view(), &Frames::boxed([0.5; 3], at(-1.5 + deep, 0.1, 0.5 + deep)).view());
        let along = |n: Vec3| out.iter().filter(|o| (o.normal - n).norm() < 1e-9).count();
        // Corners that are below both are over neither: there the edge between floor and wall pushes, as the floor's.
        let expected = if deep > 0.0 { (8, 4, 4) } else { (6, 4, 2) };
        assert_eq!((out.len(), along(Vec3::z()), along(Vec3::x())), expected, "{deep} {out:?}");
        assert!(out.iter().all(|o| (o.value - (deep - CONTACT)).abs() < 1e-9));
    }
}

/// A hill so finely meshed that no edge of it is bent by much, and what lies across its top.
#[test]
fn what_lies_across_a_smooth_hill_is_held_by_its_top() {
    let (mut x, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..33u32 {
        for j in 0..33u32 {
            let p = [f64::from(i) * 0.1 - 1.55, f64::from(j) * 0.1 - 1.62];
            x.push([p[0], p[1], -0.1 * (p[0] * p[0] + p[1] * p[1])]);
            if i < 32 && j < 32 {
                let k = 33 * i + j;
                triangles.extend([[k, k + 33, k + 34], [k, k + 34, k + 1]]);
            }
        }
    }
    let hill = Body::triangles(&triangles, &x);
    for degrees in [0.0, 20.0, 45.0, 90.0] {
        let roll = Frames::capsule(0.2, 2.0, turned(0.0, 0.0, 0.22, [0.0, 0.0, degrees]));
        let out = found(&hill.view(), &roll.view());
        let least = out.iter().map(|o| o.value).fold(f64::INFINITY, f64::min);
        assert!((least - (0.02 - CONTACT)).abs() < 2e-3, "{degrees}: {out:?}");
    }
}

#[test]
fn a_capsule_without_height_is_a_sphere() {
    let ball = Frames::capsule(0.3, 0.0, at(0.1, 0.2, 0.31));
    let out = found(&floor(0.0).view(), &ball.view());
    assert_eq!((out.len(), out[0].normal), (1, Vec3::z()), "{out:?}");
    assert!((out[0].value - (0.01 - CONTACT)).abs() < 1e-12);
    let ground = Frames::boxed([2.0, 2.0, 0.5], at(0.0, 0.0, -0.5));
    assert_eq!(found(&ground.view(), &ball.view()).len(), 1);
    assert_eq!(found(&ball.view(), &Frames::capsule(0.1, 0.0, at(0.1, 0.2, 0.72)).view()).len(), 1);
}
