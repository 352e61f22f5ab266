//! Factors that are made in the memory of earlier ones are those that are made anew, and solve the system.

use super::factorization::{Factorization, Method};
use crate::linear::system::SystemMatrix;
use crate::linear::system::structure::{LocalMatrix, Rows, Structure};
use sim_core::math::Mat3;

/// Block rows.
const N: u32 = 8;

/// What factorises, and whether it solves (else it preconditions).
const METHODS: [(Method, bool); 11] = [
    (Method::Ldlt, true),
    (Method::Llt, true),
    (Method::Lu, true),
    (Method::Qr, true),
    (Method::DenseLlt, true),
    (Method::DenseSvd { min_singular_value: 1e-9 }, true),
    (Method::BlockTridiagonal, true),
    (Method::Jacobi, false),
    (Method::BlockJacobi, false),
    (Method::Ssor { omega: 1.0 }, false),
    (Method::Ssor { omega: 1.3 }, false),
];

/// Places of neighbors, two blocks of three scalars being one of six.
fn places() -> Vec<(u32, u32)> {
    let all = (0..N).flat_map(|i| (0..N).map(move |j| (i, j)));
    all.filter(|(i, j)| (i / 2).abs_diff(j / 2) <= 1).collect()
}

fn system() -> SystemMatrix {
    SystemMatrix::new(Structure {
        n_rows: N,
        states: vec![Rows::Independent { first: 0 }],
        locals: vec![LocalMatrix { state: 0, places: places() }],
        scalars: (0..3 * N).collect(),
        fixed: vec![false; 3 * N as usize],
        ..Structure::default()
    })
}

/// Symmetric, positive definite, another one in each turn.
fn entry(row: u32, column: u32, turn: u32) -> f64 {
    let (a, b) = (row.min(column), row.max(column));
    let noise = (f64::from(a * 31 + b * 17 + turn * 7) * 0.73).sin();
    if a == b { 20.0 + noise } else { noise }
}

fn fill(system: &mut SystemMatrix, turn: u32) {
    let block = |&(i, j): &(u32, u32)| Mat3::from_fn(|r, c| entry(3 * i + r as u32, 3 * j + c as u32, turn));
    let blocks: Vec<Mat3> = places().iter().map(block).collect();
    system.begin();
    system.begin_sum();
    system.add_local(0, &blocks);
}

#[test]
fn factors_in_memory_that_has_served_are_those_made_anew() {
    for (method, solves) in METHODS {
        let (mut system, mut kept) = (system(), Factorization::new(method));
        for turn in 0..4 {
            fill(&mut system, turn);
            let mut anew = Factorization::new(method);
            kept.factorize(&system).unwrap_or_else(|e| panic!("{method:?}: {e}"));
            anew.factorize(&system).unwrap_or_else(|e| panic!("{method:?}: {e}"));
            let b: Vec<f64> = (0..3 * N).map(|k| f64::from(k % 5) - 1.5).collect();
            let (mut x, mut y) = (b.clone(), b.clone());
            kept.solve(&mut x);
            anew.solve(&mut y);
            let bits = |x: &[f64]| -> Vec<u64> { x.iter().map(|v| v.to_bits()).collect() };
            assert_eq!(bits(&x), bits(&y), "{method:?}, turn {turn}");
            if !solves {
                continue;
            }
            for (row, b) in (0_u32..).zip(&b) {
                let near = |column: &u32| (row / 6).abs_diff(column / 6) <= 1;
                let sum: f64 = (0..3 * N).filter(near).map(|k| entry(row, k, turn) * x[k as usize]).sum();
                assert!((sum - b).abs() < 1e-12, "{method:?}, turn {turn}, row {row}: {sum} {b}");
            }
        }
    }
}
