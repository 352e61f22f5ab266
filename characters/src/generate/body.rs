//! A tube around each bone.

use animation::skeleton::{IDENTITY, Matrix};

use super::JOINTS;

/// Corners of a ring of a tube.
const AROUND: u32 = 8;

/// A tube: the joint that carries its beginning, the one that carries its end, where both are from these joints \[m\], and half its width and
/// depth at both \[m\].
struct Tube {
    joints: [u32; 2],
    from: [[f32; 3]; 2],
    half: [[f32; 2]; 2],
}

/// All tubes: trunk, head, arms, legs, feet.
fn tubes() -> Vec<Tube> {
    let tube = |joints, from, half| Tube { joints, from, half };
    let zero = [0.0; 3];
    let mut all = vec![
        tube([0, 1], [[0.0, -0.12, 0.0], zero], [[0.14, 0.1], [0.13, 0.09]]),
        tube([1, 2], [zero; 2], [[0.13, 0.09], [0.15, 0.1]]),
        tube([2, 3], [zero, zero], [[0.15, 0.1], [0.08, 0.07]]),
        tube([3, 4], [[0.0, -0.02, 0.0], [0.0, 0.02, 0.0]], [[0.05, 0.05], [0.06, 0.06]]),
        tube([4, 4], [[0.0, 0.0, 0.01], [0.0, 0.2, 0.01]], [[0.07, 0.08], [0.06, 0.07]]),
    ];
    for arm in [5, 8] {
        all.push(tube([arm, arm + 1], [[0.0, 0.05, 0.0], zero], [[0.055, 0.055], [0.045, 0.045]]));
        all.push(tube([arm + 1, arm + 2], [zero; 2], [[0.045, 0.045], [0.03, 0.035]]));
        all.push(tube([arm + 2, arm + 2], [zero, [0.0, -0.12, 0.0]], [[0.02, 0.04], [0.015, 0.03]]));
    }
    for leg in [11, 14] {
        all.push(tube([leg, leg + 1], [[0.0, 0.02, 0.0], zero], [[0.085, 0.09], [0.06, 0.06]]));
        all.push(tube([leg + 1, leg + 2], [zero; 2], [[0.06, 0.06], [0.04, 0.045]]));
        all.push(tube(
            [leg + 2, leg + 2],
            [[0.0, -0.03, -0.06], [0.0, -0.03, 0.16]],
            [[0.045, 0.03], [0.04, 0.02]],
        ));
    }
    all
}

/// Where joints are at rest: none is turned.
fn places() -> Vec<[f32; 3]> {
    let mut all: Vec<[f32; 3]> = Vec::new();
    for (_, parent, from) in JOINTS {
        let at = parent.map_or([0.0; 3], |p| all[p as usize]);
        all.push(std::array::from_fn(|k| at[k] + from[k]));
    }
    all
}

/// A surface around the bones at rest.
#[derive(Default)]
pub(super) struct Surface {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    /// By vertex: the joints that move it, and by how much; those without weight are 0.
    pub joints: Vec<[u8; 4]>,
    pub weights: Vec<[f32; 4]>,
    pub triangles: Vec<[u32; 3]>,
}

/// By joint: the matrix from the surface to the joint at rest.
pub(super) fn inverse_binds() -> Vec<Matrix> {
    let bind = |at: [f32; 3]| {
        let mut to = IDENTITY;
        to[3][..3].copy_from_slice(&at.map(|x| -x));
        to
    };
    places().into_iter().map(bind).collect()
}

/// The surface.
pub(super) fn surface() -> Surface {
    let (places, mut all) = (places(), Surface::default());
    tubes().iter().for_each(|tube| add(tube, &places, &mut all));
    all
}

/// Rings of a tube, by how far they are along it, and how much of them is at its end's joint.
const RINGS: [(f32, f32); 5] = [(0.0, 0.0), (0.1, 0.0), (0.5, 0.0), (0.9, 0.25), (1.0, 0.5)];

fn add(tube: &Tube, places: &[[f32; 3]], to: &mut Surface) {
    let ends: [[f32; 3]; 2] = [0, 1].map(|e: usize| {
        let at = places[tube.joints[e] as usize];
        std::array::from_fn(|k| at[k] + tube.from[e][k])
    });
    // A foot lies along z; all other tubes stand.
    let lies = (ends[1][2] - ends[0][2]).abs() > (ends[1][1] - ends[0][1]).abs();
    let across: [usize; 2] = if lies { [0, 1] } else { [0, 2] };
    let along = if lies { 2 } else { 1 };
    let goes_up = ends[1][along] > ends[0][along];
    let first = to.positions.len() as u32;
    let mut vertex = |t: f32, share: f32, around: Option<u32>| {
        let mut at: [f32; 3] = std::array::from_fn(|k| ends[0][k] + t * (ends[1][k] - ends[0][k]));
        let mut normal = [0.0; 3];
        match around {
            Some(corner) => {
                let (s, c) = (std::f32::consts::TAU * corner as f32 / AROUND as f32).sin_cos();
                for (k, x) in across.into_iter().zip([c, s]) {
                    let half = |e: usize| tube.half[e][usize::from(k != 0)];
                    at[k] += x * (half(0) + t * (half(1) - half(0)));
                    normal[k] = x;
                }
            }
            None => normal[along] = if (t > 0.5) == goes_up { 1.0 } else { -1.0 },
        }
        to.positions.push(at);
        to.normals.push(normal);
        let [a, b] = tube.joints.map(|joint| joint as u8);
        let is_shared = share > 0.0 && a != b;
        to.joints.push([a, if is_shared { b } else { 0 }, 0, 0]);
        to.weights.push(if is_shared { [1.0 - share, share, 0.0, 0.0] } else { [1.0, 0.0, 0.0, 0.0] });
    };
    for (t, share) in RINGS {
        (0..AROUND).for_each(|corner| vertex(t, share, Some(corner)));
    }
    vertex(0.0, 0.0, None);
    vertex(1.0, 0.5, None);
    // Seen from outside corners go round one way or the other.
    let turned = goes_up != lies;
    let mut triangle = |[a, b, c]: [u32; 3]| {
        let t = if turned { [a, c, b] } else { [a, b, c] };
        to.triangles.push(t.map(|v| first + v));
    };
    let last = RINGS.len() as u32 - 1;
    for corner in 0..AROUND {
        let next = (corner + 1) % AROUND;
        for ring in 0..last {
            let [a, b] = [corner, next].map(|k| ring * AROUND + k);
            triangle([a, b, b + AROUND]);
            triangle([a, b + AROUND, a + AROUND]);
        }
        let caps = (last + 1) * AROUND;
        triangle([caps, next, corner]);
        triangle([caps + 1, last * AROUND + corner, last * AROUND + next]);
    }
}
