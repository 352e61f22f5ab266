//! A guest whose joints an X3D file moves (HAnim): bones that things feel, and a skin.

use super::FIXED;
use crate::element::{Element, numbers};

/// Where the guest stands in the file at first \[m\].
const AT: [f64; 3] = [2.6, 0.0, 0.0];

/// Joints by name, a row each: where the file has them \[m\], and the joint above.
pub(super) const JOINTS: [(&str, [f64; 3], usize); 11] = [
    ("G_ROOT", [0.0, 0.92, 0.0], 0),
    ("G_VL5", [0.0, 1.02, 0.0], 0),
    ("G_SKULL", [0.0, 1.5, 0.0], 1),
    ("G_LSHOULDER", [0.2, 1.4, 0.0], 1),
    ("G_LELBOW", [0.23, 1.12, 0.0], 3),
    ("G_RSHOULDER", [-0.2, 1.4, 0.0], 1),
    ("G_RELBOW", [-0.23, 1.12, 0.0], 5),
    ("G_LHIP", [0.1, 0.88, 0.0], 0),
    ("G_LKNEE", [0.1, 0.48, 0.0], 7),
    ("G_RHIP", [-0.1, 0.88, 0.0], 0),
    ("G_RKNEE", [-0.1, 0.48, 0.0], 9),
];

/// The joint's row, from where to where \[m\], and the radii there \[m\].
pub(super) type Limb = (usize, [f64; 3], [f64; 3], [f64; 2]);

/// Limbs.
pub(super) const LIMBS: [Limb; 13] = [
    (0, [0.0, 0.82, 0.0], [0.0, 1.04, 0.0], [0.12, 0.13]),
    (1, [0.0, 1.02, 0.0], [0.0, 1.44, 0.0], [0.13, 0.17]),
    (2, [0.0, 1.46, 0.0], [0.0, 1.76, 0.0], [0.07, 0.1]),
    (3, [0.2, 1.4, 0.0], [0.23, 1.12, 0.0], [0.06, 0.05]),
    (4, [0.23, 1.12, 0.0], [0.25, 0.8, 0.0], [0.05, 0.035]),
    (5, [-0.2, 1.4, 0.0], [-0.23, 1.12, 0.0], [0.06, 0.05]),
    (6, [-0.23, 1.12, 0.0], [-0.25, 0.8, 0.0], [0.05, 0.035]),
    (7, [0.1, 0.88, 0.0], [0.1, 0.48, 0.0], [0.09, 0.07]),
    (8, [0.1, 0.48, 0.0], [0.1, 0.06, 0.0], [0.07, 0.045]),
    (8, [0.1, 0.05, -0.07], [0.1, 0.05, 0.19], [0.05, 0.04]),
    (9, [-0.1, 0.88, 0.0], [-0.1, 0.48, 0.0], [0.09, 0.07]),
    (10, [-0.1, 0.48, 0.0], [-0.1, 0.06, 0.0], [0.07, 0.045]),
    (10, [-0.1, 0.05, -0.07], [-0.1, 0.05, 0.19], [0.05, 0.04]),
];

/// Points around a limb, and rings along it.
const AROUND: usize = 10;
const RINGS: usize = 5;

/// Points, triangles, and of each point the joints that it follows, with weights.
#[derive(Default)]
struct Skin {
    points: Vec<[f64; 3]>,
    triangles: Vec<[usize; 3]>,
    carriers: Vec<Vec<(usize, f64)>>,
}

/// Adds the guest; its file has been added before.
pub(super) fn add(root: &mut Element) {
    let skin = skin();
    let names: Vec<&str> = JOINTS.iter().map(|(name, ..)| *name).collect();
    let lists = |of: &dyn Fn(&(usize, f64)) -> String| {
        let list = |c: &Vec<(usize, f64)>| format!("[{}]", c.iter().map(of).collect::<Vec<_>>().join(","));
        skin.carriers.iter().map(list).collect::<Vec<_>>().join(" ")
    };
    let points = numbers(skin.points.iter().flatten().copied());
    let triangles = numbers(skin.triangles.iter().flatten().copied());
    let bones = Element::node("bones")
        .child(
            Element::new("MechanicalObject")
                .with("position", numbers(LIMBS.iter().flat_map(|limb| bone(limb).0))),
        )
        .child(
            Element::new("SphereCollisionModel")
                .with("listRadius", numbers(LIMBS.iter().map(|limb| bone(limb).1)))
                .with("simulated", 0)
                .with("contactStiffness", 80)
                .with("group", FIXED),
        )
        .child(
            Element::new("RigidMapping")
                .with("rigidIndexPerPoint", numbers(LIMBS.iter().map(|(row, ..)| *row))),
        );
    let seen = Element::node("seen")
        .child(
            Element::new("OglModel")
                .with("position", points.clone())
                .with("triangles", triangles.clone())
                .with("color", "0.9 0.85 0.75"),
        )
        .child(Element::new("IdentityMapping"));
    let cover = Element::node("skin")
        .child(Element::new("MeshTopology").with("position", points.clone()).with("triangles", triangles))
        .child(Element::new("MechanicalObject").with("name", "points").with("position", points))
        .child(
            Element::new("SkinningMapping")
                .with("nbRef", numbers(skin.carriers.iter().map(Vec::len)))
                .with("indices", lists(&|c| c.0.to_string()))
                .with("weight", lists(&|c| c.1.to_string())),
        )
        .child(seen);
    root.push(
        Element::node("guest")
            .child(Element::new("X3DJoints").with("name", "joints").with("joints", names.join(" ")))
            .child(
                Element::new("MechanicalObject")
                    .with("name", "frames")
                    .with("template", "Rigid3")
                    .with("position", "@joints.position"),
            )
            .child(bones)
            .child(
                Element::node("way")
                    .child(Element::new("MechanicalObject").with("position", "0 0 0"))
                    .child(Element::new("WalkObstacle").with("radius", "0.4"))
                    .child(Element::new("RigidMapping").with("index", 0)),
            )
            .child(cover),
    );
}

/// The sphere that things feel of a limb: where it is from the joint \[m\], and its radius \[m\].
pub(super) fn bone((row, from, to, radii): &Limb) -> ([f64; 3], f64) {
    let (_, joint, _) = JOINTS[*row];
    (std::array::from_fn(|k| (from[k] + to[k]) / 2.0 - joint[k]), radii[0].max(0.06))
}

fn skin() -> Skin {
    let mut skin = Skin::default();
    for (joint, from, to, radii) in LIMBS {
        let begin = skin.points.len();
        let way: [f64; 3] = std::array::from_fn(|k| to[k] - from[k]);
        let length = way.iter().map(|c| c * c).sum::<f64>().sqrt();
        let d = way.map(|c| c / length);
        // Two directions at right angles to the limb, so that u, v and d are right-handed.
        let aside = if d[0].abs() < 0.5 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
        let v = unit(cross(d, aside));
        let u = cross(v, d);
        for ring in 0..RINGS {
            let t = ring as f64 / (RINGS - 1) as f64;
            let radius = radii[0] + (radii[1] - radii[0]) * t;
            for k in 0..AROUND {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / AROUND as f64).sin_cos();
                skin.points.push(std::array::from_fn(|c| {
                    AT[c] + from[c] + way[c] * t + radius * (cos * u[c] + sin * v[c])
                }));
                // Where a limb begins, it follows the one above, too.
                let above = JOINTS[joint].2;
                let starts_at_joint = ring == 0 && from == JOINTS[joint].1 && above != joint;
                skin.carriers.push(if starts_at_joint {
                    vec![(joint, 0.5), (above, 0.5)]
                } else {
                    vec![(joint, 1.0)]
                });
            }
        }
        let at = |ring: usize, k: usize| begin + ring * AROUND + k % AROUND;
        for k in 0..AROUND {
            for ring in 0..RINGS - 1 {
                let [a, b, c, e] = [at(ring, k), at(ring, k + 1), at(ring + 1, k), at(ring + 1, k + 1)];
                skin.triangles.extend([[a, b, c], [b, e, c]]);
            }
        }
        for (end, ring) in [(from, 0), (to, RINGS - 1)] {
            let middle = skin.points.len();
            skin.points.push(std::array::from_fn(|c| AT[c] + end[c]));
            skin.carriers.push(vec![(joint, 1.0)]);
            for k in 0..AROUND {
                let (a, b) = (at(ring, k), at(ring, k + 1));
                skin.triangles.push(if ring == 0 { [middle, b, a] } else { [middle, a, b] });
            }
        }
    }
    skin
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = a.iter().map(|c| c * c).sum::<f64>().sqrt();
    a.map(|c| c / length)
}
