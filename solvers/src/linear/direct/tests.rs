//! Factors that are made in the memory of earlier ones are those that are made anew, and solve the system.

use super::factorization::{Factorization, Method};
use super::side_by_side::{TOGETHER, copy_column, groups_of, set_column};
use crate::linear::system::SystemMatrix;
use crate::linear::system::structure::{Elsewhere, Joint, LocalMatrix, Rows, Structure};
use nalgebra::{DMatrix, DVector};
use sim_core::component::matrix::{End, JointBlock};
use sim_core::math::Mat3;
use sim_core::math::lane::Row;
use sim_core::visitor::matrix::OwnScalars;

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
    holding(&[])
}

/// The same, some of whose scalars are held.
fn holding(held: &[usize]) -> SystemMatrix {
    SystemMatrix::new(Structure {
        n_rows: N,
        states: vec![Rows::Independent { first: 0 }],
        locals: vec![LocalMatrix { state: 0, places: places() }],
        scalars: (0..3 * N).collect(),
        fixed: (0..3 * N as usize).map(|k| held.contains(&k)).collect(),
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

/// What is held stays, to the bit, whatever the size of the rest.
#[test]
fn what_is_held_is_not_moved_by_rounding() {
    let held = [0, 7, 8, 21];
    for (method, _) in METHODS.into_iter().filter(|(_, solves)| *solves) {
        let (mut system, mut factors) = (holding(&held), Factorization::new(method));
        fill(&mut system, 1);
        factors.factorize(&system).unwrap_or_else(|e| panic!("{method:?}: {e}"));
        let right = |k: usize| if held.contains(&k) { 0.0 } else { 1e12 * (k as f64 * 0.7).sin() };
        let mut x: Vec<f64> = (0..3 * N as usize).map(right).collect();
        factors.solve(&mut x);
        assert!(held.iter().all(|k| x[*k] == 0.0), "{method:?}: {x:?}");
    }
}

/// A matrix that is not definite, whose diagonal is zero but for rounding: elimination without pivots divides by that.
#[test]
fn pivots_that_are_nearly_zero_cost_no_accuracy() {
    let n = 3 * N as usize;
    let of = |row: u32, column: u32| {
        let beside = if row.abs_diff(column) == 1 { 2.0 } else { 0.0 };
        if row == column { 2e-16 } else { entry(row, column, 0) + beside }
    };
    let system = filled(of);
    let near = |i: usize, j: usize| (i / 6).abs_diff(j / 6) <= 1;
    let whole = DMatrix::from_fn(n, n, |i, j| if near(i, j) { of(i as u32, j as u32) } else { 0.0 });
    let right = |k: usize| DVector::from_fn(n, |i, _| ((i + 7 * k) as f64 * 0.37).sin());
    let check = |found: &[f64], k: usize| {
        let expected = whole.clone().lu().solve(&right(k)).expect("a regular matrix");
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert!((found - expected).abs() < 1e-11, "scalar {i} of {k}: {found} {expected}");
        }
    };
    let mut factors = Factorization::new(Method::Ldlt);
    factors.factorize(&system).expect("no pivot is zero");
    let mut block = vec![Row::splat(0.0); n * groups_of(9)];
    (0..9).for_each(|k| set_column(&mut block, groups_of(9), k, right(k).as_slice()));
    factors.solve_block(&mut block, 9);
    for k in 0..9 {
        let mut found = Vec::new();
        copy_column(&block, groups_of(9), k, &mut found);
        check(&found, k);
    }
    // What has been replaced is of these numbers: the next ones are factorised as they are.
    factors.factorize(&system).expect("no pivot is zero");
    let mut found = right(3).as_slice().to_vec();
    factors.solve(&mut found);
    check(&found, 3);
}

/// A system with these numbers.
fn filled(of: impl Fn(u32, u32) -> f64) -> SystemMatrix {
    let mut system = system();
    let block = |&(i, j): &(u32, u32)| Mat3::from_fn(|r, c| of(3 * i + r as u32, 3 * j + c as u32));
    system.begin();
    system.begin_sum();
    system.add_local(0, &places().iter().map(block).collect::<Vec<_>>());
    system
}

/// Where nothing is on the diagonal, there are no factors without pivots; a singular matrix has none at all.
#[test]
fn what_needs_pivots_gets_them() {
    // Of each six scalars, the first three are coupled with the last three alone.
    let of = |row: u32, column: u32| match (row / 3).abs_diff(column / 3) == 1 && row / 6 == column / 6 {
        true => entry(row, column, 0) + if row.abs_diff(column) == 3 { 4.0 } else { 0.0 },
        false => 0.0,
    };
    let n = 3 * N as usize;
    let whole = DMatrix::from_fn(n, n, |i, j| of(i as u32, j as u32));
    let right = DVector::from_fn(n, |i, _| (i as f64 * 0.37).sin());
    let expected = whole.lu().solve(&right).expect("a regular matrix");
    let mut factors = Factorization::new(Method::Ldlt);
    let check = |factors: &mut Factorization| {
        let mut block = vec![Row::splat(0.0); n * groups_of(2)];
        (0..2).for_each(|k| set_column(&mut block, groups_of(2), k, right.as_slice()));
        factors.solve_block(&mut block, 2);
        let mut found = Vec::new();
        copy_column(&block, groups_of(2), 1, &mut found);
        assert!((DVector::from_vec(found) - &expected).amax() < 1e-12);
    };
    for _ in 0..2 {
        factors.factorize(&filled(of)).expect("a regular matrix");
        check(&mut factors);
    }
    factors.begin(&filled(of)).expect("a pattern");
    (0..super::fronts::PARTS).for_each(|part| factors.factorize_part(part));
    factors.end().expect("a regular matrix");
    check(&mut factors);
    // Two rows alike.
    let twice = |row: u32| if row == 4 { 3 } else { row };
    let singular = filled(|row, column| of(twice(row), twice(column)));
    assert!(factors.factorize(&singular).is_err() && !factors.has_factors());
    let nothing_holds = |k: u32| k == 13;
    let singular = filled(|i, j| if nothing_holds(i) || nothing_holds(j) { 0.0 } else { of(i, j) });
    assert!(factors.factorize(&singular).is_err() && !factors.has_factors());
    let definite = filled(|row, column| entry(row, column, 0));
    factors.factorize(&definite).expect("pivots are not needed");
    let mut anew = Factorization::new(Method::Ldlt);
    anew.factorize(&definite).expect("likewise");
    let [mut kept, mut found] = [right.as_slice().to_vec(), right.as_slice().to_vec()];
    factors.solve(&mut kept);
    anew.solve(&mut found);
    assert_eq!(kept, found);
}

/// Some of them with one number other than zero, as a row of a constraint on one point has.
#[test]
fn right_hand_sides_side_by_side_are_solved_as_one_after_the_other() {
    let n = 3 * N as usize;
    let right = |k: usize| -> Vec<f64> {
        let number =
            |i: usize| if k.is_multiple_of(3) && i != 5 * k % n { 0.0 } else { (i + 7 * k) as f64 * 0.37 };
        (0..n).map(|i| number(i).sin()).collect()
    };
    for (method, _) in METHODS {
        let mut system = system();
        fill(&mut system, 1);
        let mut factors = Factorization::new(method);
        factors.factorize(&system).unwrap_or_else(|e| panic!("{method:?}: {e}"));
        for columns in [1, 8, 9, 20, TOGETHER] {
            let groups = groups_of(columns);
            let mut block = vec![Row::splat(0.0); n * groups];
            (0..columns).for_each(|k| set_column(&mut block, groups, k, &right(k)));
            factors.solve_block(&mut block, columns);
            for k in 0..columns {
                let (mut expected, mut found) = (right(k), Vec::new());
                factors.solve(&mut expected);
                copy_column(&block, groups, k, &mut found);
                let bits = |x: &[f64]| -> Vec<u64> { x.iter().map(|v| v.to_bits()).collect() };
                assert_eq!(bits(&found), bits(&expected), "{method:?}, {k} of {columns}");
            }
        }
    }
}

/// The coupling of a point with one outside of the system, as SOFA's block tridiagonal matrix keeps it: what is below its three diagonals is
/// in another block, what is above is nowhere, and a matrix of other kind has it where the numbers of the outer point lead.
#[test]
fn coupling_with_an_outer_point_is_where_sofa_has_it() {
    let scalars = OwnScalars { per_dof: 3, blocks_per_dof: 1, of_contacts: true };
    let outside = Some(Elsewhere { first: 0, scalars });
    let structure = Structure {
        n_rows: N,
        states: vec![Rows::Independent { first: 0 }],
        locals: vec![LocalMatrix { state: 0, places: places() }],
        joints: vec![Joint { ends: [Some(0), None], elsewhere: [None, outside] }],
        scalars: (0..3 * N).collect(),
        fixed: (0..3 * N).map(|k| k == 13).collect(),
        ..Structure::default()
    };
    let mut system = SystemMatrix::new(structure);
    let coupling = Mat3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0);
    // The point's number is not where it goes: that of the contact is.
    let (inner, outer, contact) = ((End::First, 6), (End::Second, 4), Some(0));
    // Scalars 27 to 29 of 24: only a block tridiagonal matrix has room for them.
    let beyond = Some(9);
    system.begin();
    system.take_joint(
        0,
        &[
            JointBlock { row: inner, column: outer, block: coupling, contact },
            JointBlock { row: outer, column: inner, block: coupling.transpose(), contact },
            JointBlock { row: outer, column: outer, block: coupling, contact },
            JointBlock { row: outer, column: (End::First, 0), block: coupling, contact: beyond },
            JointBlock { row: (End::First, 0), column: outer, block: coupling.transpose(), contact: beyond },
        ],
    );
    system.begin_sum();
    let block = |&(i, j): &(u32, u32)| Mat3::from_fn(|r, c| entry(3 * i + r as u32, 3 * j + c as u32, 0));
    system.add_local(0, &places().iter().map(block).collect::<Vec<_>>());

    let n = 3 * N as usize;
    let near = |i: usize, j: usize| (i / 6).abs_diff(j / 6) <= 1;
    let whole = DMatrix::from_fn(n, n, |i, j| if near(i, j) { entry(i as u32, j as u32, 0) } else { 0.0 });
    let held = |mut matrix: DMatrix<f64>| {
        matrix.row_mut(13).fill(0.0);
        matrix.column_mut(13).fill(0.0);
        matrix[(13, 13)] = 1.0;
        matrix
    };
    let (mut folded, mut symmetric) = (whole.clone(), whole);
    // Block 2 * 3 + 0 + 1 of three in a row is the one on the diagonal of row 2.
    let mut at = folded.view_mut((12, 12), (3, 3));
    at += coupling;
    // Block 2 * 4 + 0 + 1 is the first of row 3, that below the diagonal; the rows of the contact are the last three of it.
    let mut at = folded.view_mut((21, 12), (3, 3));
    at += coupling;
    let mut at = symmetric.view_mut((18, 0), (3, 3));
    at += coupling;
    let mut at = symmetric.view_mut((0, 18), (3, 3));
    at += coupling.transpose();
    let b = DVector::from_fn(n, |k, _| k as f64 % 5.0 - 1.5);
    for (method, matrix) in [(Method::BlockTridiagonal, folded), (Method::Ldlt, symmetric)] {
        let expected = held(matrix).lu().solve(&b).expect("a regular matrix");
        let mut found = b.as_slice().to_vec();
        let mut factors = Factorization::new(method);
        factors.factorize(&system).unwrap_or_else(|e| panic!("{method:?}: {e}"));
        factors.solve(&mut found);
        for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert!((found - expected).abs() < 1e-12, "{method:?}, scalar {k}: {found} {expected}");
        }
    }
}
