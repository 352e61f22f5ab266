//! Points and tangents of rational curves and surfaces.
//!
//! **Source:** Piegl and Tiller, *The NURBS Book*, second edition, equations 4.1, 4.8 and 4.15.

use super::basis::Knots;

/// A point with its weight, weighted: `(w x, w y, w z, w)`.
pub type Weighted = [f64; 4];

/// Control points with their weights.
pub fn weighted(points: &[[f64; 3]], weights: &[f64]) -> Vec<Weighted> {
    let weight = |k: usize| if weights.is_empty() { 1.0 } else { weights[k] };
    points
        .iter()
        .enumerate()
        .map(|(k, p)| [p[0] * weight(k), p[1] * weight(k), p[2] * weight(k), weight(k)])
        .collect()
}

fn add(to: &mut Weighted, by: f64, of: &Weighted) {
    for (to, of) in to.iter_mut().zip(of) {
        *to += by * of;
    }
}

/// The point of homogeneous coordinates, and from their derivative its own; none where the weights cancel.
fn projected(at: &Weighted, slopes: [&Weighted; 2]) -> Option<([f64; 3], [[f64; 3]; 2])> {
    let w = at[3];
    let point = [at[0] / w, at[1] / w, at[2] / w];
    let slope = |d: &Weighted| std::array::from_fn(|k| (d[k] - d[3] * point[k]) / w);
    point.iter().all(|x| x.is_finite()).then(|| (point, slopes.map(slope)))
}

/// A curve's point at a parameter, and its derivative; none where the weights cancel.
pub fn on_curve(knots: &Knots, points: &[Weighted], u: f64) -> Option<([f64; 3], [f64; 3])> {
    let (first, value, slope) = knots.basis(u);
    let (mut at, mut along) = ([0.0; 4], [0.0; 4]);
    for (k, point) in points.get(first..first + knots.order())?.iter().enumerate() {
        add(&mut at, value[k], point);
        add(&mut along, slope[k], point);
    }
    projected(&at, [&along, &along]).map(|(point, [along, _])| (point, along))
}

/// A surface's point at two parameters, and its derivatives by each; none where the weights cancel. Of the points, `u` runs fastest.
pub fn on_surface(
    (u_knots, v_knots): (&Knots, &Knots),
    points: &[Weighted],
    [u, v]: [f64; 2],
) -> Option<([f64; 3], [[f64; 3]; 2])> {
    let (u_first, u_value, u_slope) = u_knots.basis(u);
    let (v_first, v_value, v_slope) = v_knots.basis(v);
    let (mut at, mut by_u, mut by_v) = ([0.0; 4], [0.0; 4], [0.0; 4]);
    for j in 0..v_knots.order() {
        let row = (v_first + j) * u_knots.n() + u_first;
        for (i, point) in points.get(row..row + u_knots.order())?.iter().enumerate() {
            add(&mut at, u_value[i] * v_value[j], point);
            add(&mut by_u, u_slope[i] * v_value[j], point);
            add(&mut by_v, u_value[i] * v_slope[j], point);
        }
    }
    projected(&at, [&by_u, &by_v])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: [f64; 3], b: [f64; 3]) -> bool {
        a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn a_quarter_of_a_circle_is_one() {
        let points = [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let points = weighted(&points, &[1.0, 0.5_f64.sqrt(), 1.0]);
        let (knots, _) = Knots::of(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0], 3, 3).expect("a curve");
        for k in 0..=20 {
            let ([x, y, z], along) = on_curve(&knots, &points, f64::from(k) / 20.0).expect("a point");
            assert!((x * x + y * y - 1.0).abs() < 1e-14 && z == 0.0);
            // The tangent is at right angles to the radius, and turns to the left.
            assert!((x * along[0] + y * along[1]).abs() < 1e-13 && x * along[1] - y * along[0] > 0.0);
        }
        let (middle, _) = on_curve(&knots, &points, 0.5).expect("a point");
        assert!(near(middle, [0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0]));
    }

    #[test]
    fn a_line_of_any_order_is_one_and_derivatives_are_differences() {
        for order in 2..=5 {
            let line: Vec<[f64; 3]> = (0..6).map(|k| [f64::from(k), 2.0, -f64::from(k)]).collect();
            let (knots, _) = Knots::of(&[], order, 6).expect("a curve");
            let points = weighted(&line, &[1.0, 2.0, 0.5, 1.0, 3.0, 1.0]);
            for k in 1..50 {
                let u = f64::from(k) / 50.0;
                let at = |u: f64| on_curve(&knots, &points, u).expect("a point").0;
                let (point, along) = on_curve(&knots, &points, u).expect("a point");
                assert!(point[1] == 2.0 || (point[1] - 2.0).abs() < 1e-14);
                assert!((point[0] + point[2]).abs() < 1e-14);
                let h = 1e-6;
                let slope = (at(u + h)[0] - at(u - h)[0]) / (2.0 * h);
                // At an inner knot of a polygon the slope jumps.
                let is_smooth = order > 2 || (u * 5.0).fract() > 1e-3;
                assert!(!is_smooth || (slope - along[0]).abs() < 1e-5 * slope.abs().max(1.0), "{order} {u}");
            }
        }
    }

    #[test]
    fn a_flat_surface_has_its_normal_and_a_bilinear_one_its_middle() {
        let points = weighted(&[[0.0; 3], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [2.0, 3.0, 4.0]], &[]);
        let (knots, _) = Knots::of(&[], 2, 2).expect("an edge");
        let (middle, [by_u, by_v]) = on_surface((&knots, &knots), &points, [0.5; 2]).expect("a point");
        assert!(near(middle, [1.0, 1.5, 1.0]) && near(by_u, [2.0, 0.0, 2.0]) && near(by_v, [0.0, 3.0, 2.0]));
        assert!(on_surface((&knots, &knots), &points[..3], [0.5; 2]).is_none());
    }

    #[test]
    fn weights_that_cancel_have_no_point() {
        let points = weighted(&[[0.0; 3], [1.0; 3]], &[1.0, -1.0]);
        let (knots, _) = Knots::of(&[], 2, 2).expect("a curve");
        assert!(on_curve(&knots, &points, 0.5).is_none() && on_curve(&knots, &points, 0.25).is_some());
    }
}
