//! B-spline basis functions over a knot vector.
//!
//! **Source:** Piegl and Tiller, *The NURBS Book*, second edition, algorithms A2.1 to A2.3.

/// Highest order (degree + 1) of a curve: basis functions live in arrays of this length.
pub const MOST_ORDER: usize = 16;

/// Knots of a curve of an order with `n` control points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knots {
    order: usize,
    n: usize,
    knots: Vec<f64>,
}

/// Whether a file's knots serve: as many as control points and order together, growing, with a domain that has a length, and none
/// repeated so often that the curve would fall apart in its middle.
fn serve(given: &[f64], order: usize, n: usize) -> bool {
    given.len() == n + order
        && given.iter().all(|k| k.is_finite())
        && given.is_sorted()
        && given[order - 1] < given[n]
        && given[1..n + order - 1].windows(order).all(|run| run[0] < run[order - 1])
}

impl Knots {
    /// Knots of a file, or where they do not serve uniform ones from 0 to 1, with which the curve begins in its first control point
    /// and ends in its last one; whether the file's own were taken. None where there is no curve: an order below 2 or above
    /// [`MOST_ORDER`], or fewer control points than that.
    pub fn of(given: &[f64], order: usize, n: usize) -> Option<(Self, bool)> {
        if !(2..=MOST_ORDER).contains(&order) || n < order {
            return None;
        }
        if serve(given, order, n) {
            return Some((Self { order, n, knots: given.to_vec() }, true));
        }
        let inner = (n - order + 1) as f64;
        let at = |k: usize| ((k + 1) as f64 - order as f64).clamp(0.0, inner) / inner;
        Some((Self { order, n, knots: (0..n + order).map(at).collect() }, false))
    }

    /// Number of control points.
    pub fn n(&self) -> usize {
        self.n
    }

    /// A parameter within the domain; beyond its ends it counts as the end.
    pub fn clamped(&self, u: f64) -> f64 {
        u.clamp(self.knots[self.order - 1], self.knots[self.n])
    }

    /// The number of the first control point that counts at a parameter, and for each from there on the basis function and its
    /// derivative; `order` of them count.
    pub fn basis(&self, u: f64) -> (usize, [f64; MOST_ORDER], [f64; MOST_ORDER]) {
        let (p, knots) = (self.order - 1, &self.knots);
        // The last span holds the end of the domain, too.
        let span = (knots[p + 1..=self.n].partition_point(|k| *k <= u) + p).min(self.last_span());
        let (mut value, mut slope) = ([0.0; MOST_ORDER], [0.0; MOST_ORDER]);
        value[0] = 1.0;
        for degree in 1..=p {
            if degree == p {
                // N'_i = p (N_{i, p-1} / (u_{i+p} - u_i) - N_{i+1, p-1} / (u_{i+p+1} - u_{i+1})); value[r] is N_{span-p+1+r, p-1}.
                for r in 0..p {
                    let i = span + 1 + r - p;
                    let share = p as f64 * value[r] / (knots[i + p] - knots[i]);
                    slope[r] -= share;
                    slope[r + 1] += share;
                }
            }
            let mut carried = 0.0;
            for r in 0..degree {
                let (right, left) = (knots[span + r + 1] - u, u - knots[span + 1 + r - degree]);
                let share = value[r] / (right + left);
                value[r] = carried + right * share;
                carried = left * share;
            }
            value[degree] = carried;
        }
        (span - p, value, slope)
    }

    /// The last span that has a length within the domain.
    fn last_span(&self) -> usize {
        let end = self.knots[self.n];
        self.knots[..self.n].partition_point(|k| *k < end) - 1
    }

    /// Order of the curve.
    pub fn order(&self) -> usize {
        self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_sum_to_one_and_slopes_to_zero() {
        let given = [
            (2, vec![0.0, 0.0, 1.0, 2.0, 2.0]),
            (3, vec![0.0, 0.0, 0.0, 0.4, 1.0, 1.0, 1.0]),
            (4, (0..9).map(f64::from).collect()),
            (4, vec![-1.0, -1.0, -1.0, -1.0, 3.0, 3.0, 3.0, 5.0, 5.0, 5.0, 5.0]),
        ];
        for (order, given) in given {
            let (knots, own) = Knots::of(&given, order, given.len() - order).expect("a curve");
            assert!(own, "{given:?}");
            for k in 0..=40 {
                let (from, to) = (knots.clamped(f64::MIN), knots.clamped(f64::MAX));
                let u = from + (to - from) * f64::from(k) / 40.0;
                let (first, value, slope) = knots.basis(u);
                assert!(first + order <= knots.n());
                assert!(value.iter().all(|v| *v >= 0.0) && value[order..] == [0.0; MOST_ORDER][order..]);
                assert!((value.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{u} {value:?}");
                assert!(slope.iter().sum::<f64>().abs() < 1e-9, "{u} {slope:?}");
            }
        }
    }

    #[test]
    fn without_inner_knots_they_are_bernsteins() {
        let (knots, _) = Knots::of(&[], 4, 4).expect("a curve");
        for k in 0..=10 {
            let u = f64::from(k) / 10.0;
            let (_, value, slope) = knots.basis(u);
            let v = 1.0 - u;
            let exact = [v * v * v, 3.0 * u * v * v, 3.0 * u * u * v, u * u * u];
            let steep = [-3.0 * v * v, 3.0 * v * v - 6.0 * u * v, 6.0 * u * v - 3.0 * u * u, 3.0 * u * u];
            for r in 0..4 {
                assert!((value[r] - exact[r]).abs() < 1e-14 && (slope[r] - steep[r]).abs() < 1e-13, "{u}");
            }
        }
    }

    #[test]
    fn knots_that_do_not_serve_are_replaced() {
        for given in [
            vec![0.0; 7],
            vec![0.0, 1.0, 2.0],
            vec![0.0, 0.0, 0.0, f64::NAN, 1.0, 1.0, 1.0],
            vec![0.0, 0.0, 0.0, 2.0, 1.0, 1.0, 1.0],
            vec![0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0],
        ] {
            let (knots, own) = Knots::of(&given, 3, 4).expect("a curve");
            assert_eq!((own, &*knots.knots), (false, &[0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0][..]), "{given:?}");
        }
        assert!(Knots::of(&[], 1, 4).is_none() && Knots::of(&[], 5, 4).is_none());
        assert!(Knots::of(&[], 17, 40).is_none() && Knots::of(&[], 3, 0).is_none());
    }
}
