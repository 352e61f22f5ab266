//! Points with triangles and lines between them.

use animation::rig::math::vector::{cross, dot, sub};

/// What a geometry node is made of. Without triangles and lines it is seen as points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Points \[m\].
    pub points: Vec<[f64; 3]>,
    /// Triangles, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Lines.
    pub lines: Vec<[u32; 2]>,
}

impl Mesh {
    /// Adds the triangles of a polygon that is convex.
    pub fn convex(&mut self, corners: &[u32]) {
        for pair in corners.windows(2).skip(1) {
            self.triangles.push([corners[0], pair[0], pair[1]]);
        }
    }

    /// Adds the triangles of a polygon that may have notches, by cutting ears off. What cannot be cut (it crosses itself) is filled
    /// as if it were convex.
    pub fn polygon(&mut self, corners: &[u32]) {
        let at = |points: &[[f64; 3]], i: u32| points.get(i as usize).copied().unwrap_or_default();
        let normal = newell(corners.iter().map(|i| at(&self.points, *i)));
        let mut rest = corners.to_vec();
        'cut: while rest.len() > 3 {
            let n = rest.len();
            for k in 0..n {
                let ear = [rest[(k + n - 1) % n], rest[k], rest[(k + 1) % n]];
                let [a, b, c] = ear.map(|i| at(&self.points, i));
                let is_corner = dot(cross(sub(b, a), sub(c, b)), normal) > 0.0;
                let is_free = |i: &u32| {
                    ear.contains(i) || {
                        let p = at(&self.points, *i);
                        let side = |u, v| dot(cross(sub(v, u), sub(p, u)), normal);
                        side(a, b) < 0.0 || side(b, c) < 0.0 || side(c, a) < 0.0
                    }
                };
                if is_corner && rest.iter().all(is_free) {
                    self.triangles.push(ear);
                    rest.remove(k);
                    continue 'cut;
                }
            }
            break;
        }
        self.convex(&rest);
    }

    /// Turns all triangles to the other side.
    pub fn turn_over(&mut self) {
        self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }

    /// Drops triangles and lines between points that are not there.
    pub fn drop_dangling(&mut self) {
        let n = self.points.len() as u32;
        self.triangles.retain(|t| t.iter().all(|i| *i < n));
        self.lines.retain(|l| l.iter().all(|i| *i < n));
    }
}

/// Twice the area of a polygon along its normal (Newell's sum).
fn newell(points: impl Iterator<Item = [f64; 3]> + Clone) -> [f64; 3] {
    let next = points.clone().cycle().skip(1);
    points.zip(next).fold([0.0; 3], |sum, (a, b)| {
        let c = cross(a, b);
        std::array::from_fn(|k| sum[k] + c[k])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notch_stays_open() {
        // An L of area 3.
        let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let mut mesh = Mesh { points: corners.map(|[x, y]| [x, y, 0.0]).to_vec(), ..Mesh::default() };
        mesh.polygon(&[0, 1, 2, 3, 4, 5]);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| mesh.points[i as usize]);
            0.5 * cross(sub(b, a), sub(c, a))[2]
        };
        assert_eq!(mesh.triangles.len(), 4);
        assert!(mesh.triangles.iter().all(|t| area(t) > 0.0));
        assert!((mesh.triangles.iter().map(area).sum::<f64>() - 3.0).abs() < 1e-12);
    }
}
