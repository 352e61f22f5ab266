use proptest::prelude::*;

use super::*;
use crate::skeleton::lane::{Kernel, Plain};
use crate::skeleton::{Transform, moved_point};

fn at(translation: [f32; 3]) -> Matrix {
    Transform { translation, ..Transform::default() }.matrix()
}

#[test]
fn a_bent_elbow_is_half_way_between() {
    let matrices = [at([0.0, 0.0, 0.0]), at([0.0, 2.0, 0.0])];
    let weights = vec![[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]];
    let joints = vec![[0, 1, 0, 0]; 3];
    let influences = Influences::new(3, 2, &[(joints, weights)]).expect("influences");
    let mut to = [Vertex::default(); 3];
    skin(&matrices, (&influences, 0), (&[[1.0, 0.0, 0.0]; 3], &[[0.0, 0.0, 1.0]; 3]), &mut to);
    assert_eq!(to.map(|v| v.position), [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 2.0, 0.0]]);
    assert_eq!(to.map(|v| v.normal), [[0.0, 0.0, 1.0]; 3]);
}

#[test]
fn normals_stay_upright_under_uneven_and_mirrored_scales() {
    let influences = Influences::new(1, 1, &[(vec![[0; 4]], vec![[1.0, 0.0, 0.0, 0.0]])]).expect("one");
    for scale in [[2.0, 1.0, 1.0], [-2.0, 1.0, 1.0]] {
        let m = Transform { scale, ..Transform::default() }.matrix();
        // The plane x + y = 0 and its normal.
        let normal = [0.5_f32.sqrt(), 0.5_f32.sqrt(), 0.0];
        let mut to = [Vertex::default()];
        skin(&[m], (&influences, 0), (&[[1.0, -1.0, 0.0]], &[normal]), &mut to);
        let dot: f32 = to[0].position.iter().zip(to[0].normal).map(|(a, b)| a * b).sum();
        assert!(dot.abs() < 1e-6 && to[0].normal[1] > 0.0, "{to:?}");
    }
}

#[test]
fn wrong_influences_are_refused_and_sums_are_mended() {
    let of = |joints: [u16; 4], weights: [f32; 4]| Influences::new(1, 2, &[(vec![joints], vec![weights])]);
    assert_eq!(of([0; 4], [0.0; 4]), Err(SkinError::Weightless { vertex: 0 }));
    assert_eq!(of([0; 4], [f32::NAN, 1.0, 0.0, 0.0]), Err(SkinError::Weight { vertex: 0 }));
    assert_eq!(of([0; 4], [-1.0, 2.0, 0.0, 0.0]), Err(SkinError::Weight { vertex: 0 }));
    let far = of([0, 7, 0, 0], [0.5, 0.5, 0.0, 0.0]);
    assert_eq!(far, Err(SkinError::Influence { vertex: 0, joint: 7, n: 2 }));
    // One without weight is not looked at.
    assert_eq!(of([0, 7, 0, 0], [1.0, 0.0, 0.0, 0.0]).expect("fine").n_normalized(), 0);
    let mended = of([0, 1, 0, 0], [1.0, 3.0, 0.0, 0.0]).expect("fine");
    assert_eq!((mended.n_normalized(), mended.weights[0]), (1, [0.25, 0.75, 0.0, 0.0]));
    // Rounding is taken out, too, and not counted.
    let thirds = of([0, 1, 0, 0], [0.3333, 0.66665, 0.0, 0.0]).expect("fine");
    assert_eq!((thirds.n_normalized(), thirds.weights[0].iter().sum::<f32>()), (0, 1.0));
    let huge = of([0, 1, 0, 0], [3e38, 3e38, 0.0, 0.0]).expect("fine");
    assert_eq!((huge.n_normalized(), huge.weights[0]), (1, [0.5, 0.5, 0.0, 0.0]));
    let blocks = [(vec![[0; 4]; 2], vec![[1.0; 4]; 2])];
    assert_eq!(Influences::new(1, 1, &blocks), Err(SkinError::Count { vertices: 1, given: 2 }));
}

#[test]
fn wrong_skins_are_refused() {
    assert_eq!(Skin::new(vec![0, 4], vec![], 4), Err(SkinError::Joint { joint: 4, n: 4 }));
    assert_eq!(Skin::new(vec![0, 1], vec![IDENTITY], 4), Err(SkinError::Binds { joints: 2, given: 1 }));
    let flat = Transform { scale: [1.0, 0.0, 1.0], ..Transform::default() }.matrix();
    assert_eq!(Skin::new(vec![0, 1], vec![IDENTITY, flat], 4), Err(SkinError::Singular { joint: 1 }));
    let mut bent = IDENTITY;
    bent[0][3] = 0.5;
    assert_eq!(Skin::new(vec![2], vec![bent], 4), Err(SkinError::LastRow { joint: 0 }));
    assert_eq!(Skin::new(vec![2, 1], vec![], 4).expect("a skin").inverse_binds(), [IDENTITY; 2]);
}

proptest! {
    /// Eight influences, in chunks, against the plain sum in `f64`.
    #[test]
    fn sums_of_moved_points(
        translations in prop::collection::vec([-2.0_f32..2.0, -2.0..2.0, -2.0..2.0], 5),
        turns in prop::collection::vec([-1.0_f32..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0], 5),
        vertices in prop::collection::vec(([-1.0_f32..1.0, -1.0..1.0, -1.0..1.0], [0_u16..5, 0..5, 0..5, 0..5],
            [0_u16..5, 0..5, 0..5, 0..5], [0.01_f32..1.0, 0.0..1.0, 0.0..1.0, 0.0..1.0]), 1..20),
        chunk in 1_usize..7,
    ) {
        let matrices: Vec<Matrix> = translations.iter().zip(&turns).map(|(t, q)| {
            let length = q.iter().map(|x| x * x).sum::<f32>().sqrt();
            Transform { translation: *t, rotation: q.map(|x| x / length), scale: [1.0, 1.5, 0.5] }.matrix()
        }).collect();
        let n = vertices.len();
        let halves = |second: bool| {
            let joints = vertices.iter().map(|v| if second { v.2 } else { v.1 }).collect::<Vec<_>>();
            let of = |v: &([f32; 3], [u16; 4], [u16; 4], [f32; 4])| {
                let sum: f32 = v.3.iter().sum();
                v.3.map(|w| w / sum * if second { 0.25 } else { 0.75 })
            };
            (joints, vertices.iter().map(of).collect::<Vec<_>>())
        };
        let blocks = [halves(false), halves(true)];
        let influences = Influences::new(n, 5, &blocks).expect("influences");
        let rest: Vec<[f32; 3]> = vertices.iter().map(|v| v.0).collect();
        let mut moved = vec![Vertex::default(); n];
        for (k, (from, to)) in rest.chunks(chunk).zip(moved.chunks_mut(chunk)).enumerate() {
            skin(&matrices, (&influences, k * chunk), (from, &[]), to);
        }
        for v in 0..n {
            let mut expected = [0.0_f64; 3];
            for (joints, weights) in &blocks {
                for (j, w) in joints[v].iter().zip(weights[v]) {
                    let p = moved_point(&matrices[usize::from(*j)], rest[v]);
                    expected.iter_mut().zip(p).for_each(|(e, x)| *e += f64::from(w) * f64::from(x));
                }
            }
            for (x, e) in moved[v].position.iter().zip(expected) {
                prop_assert!((f64::from(*x) - e).abs() < 1e-5);
            }
        }
    }
}

proptest! {
    /// All processors give the same bits, and cuts do not show.
    #[test]
    fn vectors_and_single_numbers_have_the_same_bits(
        numbers in prop::collection::vec(-2.0_f32..2.0, 200),
        n in 1_usize..20,
        blocks in 1_usize..3,
        cut in 0_usize..20,
    ) {
        let at = |k: usize| numbers[k % numbers.len()];
        let matrix = |j: usize| -> Matrix {
            std::array::from_fn(|c| std::array::from_fn(|r| if r == 3 { f32::from(c == 3) } else { at(17 * j + 4 * c + r) }))
        };
        let matrices: Vec<Matrix> = (0..5).map(matrix).collect();
        let block = |b: usize| -> InfluenceBlock {
            let joints = (0..n).map(|v| [0, 1, 2, 3].map(|k| ((v * 3 + k + b) % 5) as u16)).collect();
            (joints, (0..n).map(|v| [0, 1, 2, 3].map(|k| at(v + 31 * k + 7 * b).abs() + 0.01)).collect())
        };
        let blocks: Vec<InfluenceBlock> = (0..blocks).map(block).collect();
        let influences = Influences::new(n, 5, &blocks).expect("influences");
        let list = |from: usize| -> Vec<[f32; 3]> { (0..n).map(|v| [0, 1, 2].map(|k| at(from + 3 * v + k))).collect() };
        let (positions, mut normals) = (list(50), list(90));
        normals[0] = [0.0; 3];
        let mut expected = vec![Vertex::default(); n];
        for (v, to) in expected.iter_mut().enumerate() {
            (to.position, to.normal) = plain(&matrices, &influences, v, (positions[v], normals[v]));
        }
        let cut = cut.min(n);
        let mut moved = vec![Vertex::default(); n];
        for part in [0..cut, cut..n] {
            let rest = (&positions[part.clone()], &normals[part.clone()]);
            skin(&matrices, (&influences, part.start), rest, &mut moved[part]);
        }
        prop_assert_eq!(&moved, &expected);
        moved.fill(Vertex::default());
        let of = Vertices { influences: &influences, first: 0, positions: &positions, normals: &normals };
        kernel::Skinned { matrices: &matrices, of, to: &mut moved }.run(Plain);
        prop_assert_eq!(&moved, &expected);
        expected.iter_mut().for_each(|v| v.normal = [9.0; 3]);
        moved.iter_mut().for_each(|v| v.normal = [9.0; 3]);
        skin(&matrices, (&influences, 0), (&positions, &[]), &mut moved);
        prop_assert_eq!(&moved, &expected);
    }
}

/// A vertex by itself, as one writes it down: its position and its normal.
fn plain(
    matrices: &[Matrix],
    influences: &Influences,
    vertex: usize,
    (p, n): ([f32; 3], [f32; 3]),
) -> ([f32; 3], [f32; 3]) {
    let blocks = (vertex..influences.joints.len()).step_by(influences.n_vertices).map(|at| -> Matrix {
        let w = influences.weights[at];
        let [a, b, c, d] = influences.joints[at].map(|joint| &matrices[usize::from(joint)]);
        std::array::from_fn(|k| {
            std::array::from_fn(|r| w[0] * a[k][r] + w[1] * b[k][r] + w[2] * c[k][r] + w[3] * d[k][r])
        })
    });
    let add = |a: Matrix, b: Matrix| std::array::from_fn(|k| std::array::from_fn(|r| a[k][r] + b[k][r]));
    let m = blocks.reduce(add).expect("a block");
    let cross = |p: &[f32; 4], q: &[f32; 4]| {
        [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
    };
    let (a, b, c) = (cross(&m[1], &m[2]), cross(&m[2], &m[0]), cross(&m[0], &m[1]));
    let det = m[0][0] * a[0] + m[0][1] * a[1] + m[0][2] * a[2];
    let v: [f32; 3] = std::array::from_fn(|r| a[r] * n[0] + b[r] * n[1] + c[r] * n[2]);
    let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    let turned = if square > 0.0 { v.map(|x| x * 1.0_f32.copysign(det) / square.sqrt()) } else { n };
    (moved_point(&m, p), turned)
}
