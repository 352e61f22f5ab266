//! Where models stand.

/// How far models stand apart, in widths of one.
const APART: f64 = 1.25;

/// Places of so many models in rows and columns on the plane of x and z, as far apart as one with these points is wide.
pub(super) fn grid(n: usize, points: impl Iterator<Item = [f32; 3]>) -> Vec<[f64; 3]> {
    let mut bounds = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    for [x, _, z] in points {
        for (k, x) in [x, z].map(f64::from).into_iter().enumerate() {
            bounds[0][k] = bounds[0][k].min(x);
            bounds[1][k] = bounds[1][k].max(x);
        }
    }
    let width = [0, 1].map(|k| bounds[1][k] - bounds[0][k]).into_iter().fold(0.0, f64::max);
    let columns = (n as f64).sqrt().ceil().max(1.0) as usize;
    let apart = if width.is_finite() && width > 0.0 { APART * width } else { 1.0 };
    (0..n).map(|m| [(m % columns) as f64 * apart, 0.0, -((m / columns) as f64) * apart]).collect()
}
