//! The conformance check of a mapping: positions, velocities and forces must fit together.

use super::Random;
use super::vectors::{PADDING, Product, compare, difference, flat, in_blocks, inner};
use crate::component::mapping::{
    AddGeometricStiffness, AddJacobian, Apply, ApplyJ, ApplyJt, InCoord, InDeriv, Mapping, MappingParts,
    OutCoord, OutDeriv,
};
use crate::component::matrix::{BlockSink, PatternSink};
use crate::math::{Coord, Deriv};

/// Checks a mapping at input positions `x`: it overwrites its output; `apply_j` is the derivative of `apply` (by central
/// differences); `apply_jt` is its transpose, f_out . (J v) = (J^T f_out) . v, and adds to what is there; and a point
/// that moves with an element of the input names it as its carrier; `add_jacobian` writes the matrix of `apply_j`, at places that
/// do not depend on positions; `add_geometric_stiffness` is the derivative of `apply_jt` under constant forces.
///
/// # Panics
/// Where anything disagrees.
pub fn mapping<M: Mapping>(parts: &MappingParts<M>, x: &[InCoord<M>], seed: u64) {
    const H: f64 = 1e-5;
    let (c, elements) = (&parts.constants, &parts.elements[..]);
    let name = |what: &str| format!("{} (seed {seed}): {what}", M::NAME);
    let mut random = Random::new(seed);
    let apply = |x: &[InCoord<M>], fill: OutCoord<M>| {
        let mut stored = parts.stored.clone();
        let mut out = vec![fill; parts.n_out];
        M::apply(c, Apply { elements, stored: &mut stored, x_out: &mut out, x_in: x });
        (out, stored)
    };
    let other = random.moved(&[OutCoord::<M>::default()], 5.0)[0];
    let (out, stored) = apply(x, OutCoord::<M>::default());
    assert!(out == apply(x, other).0, "{}", name("apply leaves something of what was there"));

    let mut carriers = Vec::new();
    M::carriers(elements, parts.n_out, |out, input| carriers.push((out as usize, input as usize)));
    for input in 0..x.len() {
        let mut moved = x.to_vec();
        moved[input] = moved[input].moved(&random.derivs(1)[0]);
        for (k, (now, before)) in apply(&moved, other).0.iter().zip(&out).enumerate() {
            let is_named = now == before || carriers.contains(&(k, input));
            assert!(is_named, "{}", name(&format!("point {k} moves with {input}, which is not its carrier")));
        }
    }

    let jacobian = |x: &[InCoord<M>], matrix: &mut dyn BlockSink| {
        let stored = &apply(x, other).1[..];
        M::add_jacobian(c, AddJacobian { elements, stored, n_out: parts.n_out, matrix });
    };
    let places = |x: &[InCoord<M>]| {
        let mut pattern = PatternSink::default();
        jacobian(x, &mut pattern);
        pattern
    };
    for _ in 0..4 {
        let v: Vec<InDeriv<M>> = random.derivs(x.len());
        let mut jv: Vec<OutDeriv<M>> = random.derivs(parts.n_out);
        M::apply_j(c, ApplyJ { elements, stored: &stored, v_out: &mut jv, v_in: &v });

        let moved =
            |h: f64| -> Vec<InCoord<M>> { x.iter().zip(&v).map(|(x, v)| x.moved(&(*v * h))).collect() };
        let (ahead, behind) = (apply(&moved(H), other).0, apply(&moved(-H), other).0);
        let linear =
            |h: f64| -> Vec<OutCoord<M>> { out.iter().zip(&jv).map(|(x, v)| x.moved(&(*v * h))).collect() };
        let slope = |a: &[OutCoord<M>], b: &[OutCoord<M>]| -> Vec<f64> {
            let (a, b) = (scalars(a), scalars(b));
            a.iter().zip(&b).map(|(a, b)| (a - b) / (2.0 * H)).collect()
        };
        compare(
            &name("apply_j and the difference of positions"),
            &slope(&linear(H), &linear(-H)),
            &slope(&ahead, &behind),
            1e-7,
        );

        let points: Vec<u32> = (0..parts.n_out as u32).step_by(2).collect();
        if M::BY_POINTS {
            let untouched: Vec<OutDeriv<M>> = random.derivs(parts.n_out);
            let mut some = untouched.clone();
            M::apply_j_at(c, ApplyJ { elements, stored: &stored, v_out: &mut some, v_in: &v }, &points);
            for (k, s) in some.iter().enumerate() {
                let expected = if points.contains(&(k as u32)) { &jv[k] } else { &untouched[k] };
                assert!(s == expected, "{}", name("apply_j_at differs from apply_j, or writes other points"));
            }
        }

        let f: Vec<OutDeriv<M>> = random.derivs(parts.n_out);
        let before: Vec<InDeriv<M>> = random.derivs(x.len());
        let mut after = before.clone();
        M::apply_jt(c, ApplyJt { elements, stored: &stored, f_in: &mut after, f_out: &f });
        let jtf = difference(&after, &before, 1.0);
        let size = inner(&f, &f).sqrt() * inner(&jv, &jv).sqrt() + 1e-12;
        let (a, b) = (inner(&f, &jv), inner(&jtf, &v));
        assert!((a - b).abs() <= 1e-11 * size, "{}: {a:e} and {b:e}", name("f.(Jv) and (J^T f).v differ"));
        if M::BY_POINTS {
            let [mut some, mut all] = [before.clone(), before.clone()];
            M::apply_jt_at(c, ApplyJt { elements, stored: &stored, f_in: &mut some, f_out: &f }, &points);
            let on_points = |(k, f): (usize, &OutDeriv<M>)| {
                if points.contains(&(k as u32)) { *f } else { OutDeriv::<M>::zero() }
            };
            let f: Vec<OutDeriv<M>> = f.iter().enumerate().map(on_points).collect();
            M::apply_jt(c, ApplyJt { elements, stored: &stored, f_in: &mut all, f_out: &f });
            assert!(some == all, "{}", name("apply_jt_at differs from apply_jt of forces on these points"));
        }
        assert_eq!(places(x), places(&moved(1.0)), "{}", name("blocks of J move with positions"));
        let mut product = Product::of_rows(in_blocks(&v, PADDING), in_blocks(&jv, 0.0).len());
        jacobian(x, &mut product);
        compare(&name("add_jacobian and apply_j"), product.scalars(), &in_blocks(&jv, 0.0), 1e-12);

        let mut geometric = Product::with(&v);
        let at = AddGeometricStiffness {
            k_factor: 2.0,
            elements,
            stored: &stored,
            f_out: &f,
            matrix: &mut geometric,
        };
        M::add_geometric_stiffness(c, at);
        let force = |h: f64| -> Vec<f64> {
            let mut at = vec![InDeriv::<M>::zero(); x.len()];
            let stored = &apply(&moved(h), other).1[..];
            M::apply_jt(c, ApplyJt { elements, stored, f_in: &mut at, f_out: &f });
            flat(&at)
        };
        let slope: Vec<f64> = force(H).iter().zip(force(-H)).map(|(a, b)| (a - b) / H).collect();
        let what = name("add_geometric_stiffness and the difference of J^T f");
        compare(&what, &flat(&geometric.product::<InDeriv<M>>()), &slope, 1e-6);
        assert!(flat(&jtf).iter().all(|s| s.is_finite()), "{}", name("J^T f is not finite"));
    }
}

fn scalars<C: Coord>(x: &[C]) -> Vec<f64> {
    let mut out = Vec::new();
    for x in x {
        x.scalars(&mut out);
    }
    out
}
