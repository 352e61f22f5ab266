//! The mesh of an Extrusion: a cross section that is carried along a spine.
//!
//! **Source:** ISO/IEC 19775-1, 13.3.5, *Extrusion*.

use animation::event::NodeId;
use animation::event::field::Value;
use animation::rig::math::vector::{Vec3, cross, norm, sub};

use super::affine::Affine;
use super::fields::Fields;
use super::mesh::Mesh;

fn unit(a: Vec3) -> Option<Vec3> {
    let length = norm(a);
    (length > 1e-12).then(|| a.map(|x| x / length))
}

/// The mesh of an Extrusion.
pub fn mesh(fields: &Fields<'_>, node: NodeId) -> Mesh {
    let section = fields.points(node, "crossSection");
    let spine = fields.points(node, "spine");
    let scales = fields.points(node, "scale");
    let orientations: Vec<[f64; 4]> = match fields.get(node, "orientation") {
        Some(Value::MFRotation(all)) => all.iter().map(|r| r.map(f64::from)).collect(),
        _ => Vec::new(),
    };
    let (n, mut mesh) = (section.len() as u32, Mesh::default());
    if spine.len() < 2 || n < 2 {
        return mesh;
    }
    for (k, (at, [x, y, z])) in spine.iter().zip(planes(&spine)).enumerate() {
        let [sx, sz, _] = *scales.get(k.min(scales.len().saturating_sub(1))).unwrap_or(&[1.0; 3]);
        let turn = orientations.get(k.min(orientations.len().saturating_sub(1)));
        let turn = turn.map_or(Affine::IDENTITY, |r| Affine::rotation(*r));
        for [px, pz, _] in &section {
            let local = turn.apply([px * sx, 0.0, pz * sz]);
            mesh.points
                .push(std::array::from_fn(|i| at[i] + local[0] * x[i] + local[1] * y[i] + local[2] * z[i]));
        }
    }
    let rings = spine.len() as u32;
    for k in 1..rings {
        let (lower, upper) = ((k - 1) * n, k * n);
        for i in 1..n {
            mesh.convex(&[lower + i - 1, upper + i - 1, upper + i, lower + i]);
        }
    }
    let is_closed = section.first() == section.last();
    let corners = |first: u32| -> Vec<u32> { (first..first + n - u32::from(is_closed)).collect() };
    if fields.flag(node, "beginCap", true) {
        mesh.polygon(&corners(0));
    }
    if fields.flag(node, "endCap", true) {
        let mut last = corners((rings - 1) * n);
        last.reverse();
        mesh.polygon(&last);
    }
    mesh
}

/// The axes x, y and z of the section at each point of the spine.
fn planes(spine: &[Vec3]) -> Vec<[Vec3; 3]> {
    let n = spine.len();
    let is_closed = spine[0] == spine[n - 1];
    let neighbors = |k: usize| match k {
        0 if is_closed => (spine[n - 2], spine[0], spine[1]),
        0 => (spine[0], spine[0], spine[1]),
        k if k == n - 1 && is_closed => (spine[n - 2], spine[0], spine[1]),
        k if k == n - 1 => (spine[n - 2], spine[k], spine[k]),
        k => (spine[k - 1], spine[k], spine[k + 1]),
    };
    let inner = |k: usize| if is_closed { k } else { k.clamp(1, (n - 2).max(1)) };
    let along: Vec<Option<Vec3>> = (0..n).map(|k| unit(sub(neighbors(k).2, neighbors(k).0))).collect();
    let mut across: Vec<Option<Vec3>> = (0..n)
        .map(|k| {
            let (before, at, after) = neighbors(inner(k).min(n - 1));
            unit(cross(sub(after, at), sub(before, at)))
        })
        .collect();
    // Where the spine is straight, the axis of the point before is kept; a straight spine is turned from the y axis.
    let first = across.iter().flatten().next().copied();
    let mut last = first.or_else(|| along.iter().flatten().next().map(|y| from_y(*y)));
    for z in &mut across {
        if let (Some(z), Some(before)) = (&mut *z, last)
            && z.iter().zip(before).map(|(a, b)| a * b).sum::<f64>() < 0.0
        {
            *z = z.map(|c| -c);
        }
        last = z.or(last);
        *z = last;
    }
    let mut y = along.iter().flatten().next().copied().unwrap_or([0.0, 1.0, 0.0]);
    along
        .iter()
        .zip(across)
        .map(|(own, z)| {
            y = own.unwrap_or(y);
            let z = z.unwrap_or([0.0, 0.0, 1.0]);
            let x = unit(cross(y, z)).unwrap_or([1.0, 0.0, 0.0]);
            [x, y, z]
        })
        .collect()
}

/// Where the z axis comes to if the y axis is turned to `y` the short way.
fn from_y(y: Vec3) -> Vec3 {
    let axis = cross([0.0, 1.0, 0.0], y);
    match unit(axis) {
        Some([ax, ay, az]) => {
            Affine::rotation([ax, ay, az, y[1].clamp(-1.0, 1.0).acos()]).apply([0.0, 0.0, 1.0])
        }
        None => [0.0, 0.0, 1.0],
    }
}
