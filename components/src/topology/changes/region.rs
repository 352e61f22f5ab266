//! Boxes that choose points and elements by where they are.

use sim_core::math::Vec3;

/// The boxes of a `BoxROI`, kept with the component.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxRegion {
    /// The boxes.
    pub shapes: Vec<Shape>,
    /// Whether they are drawn.
    pub is_drawn: bool,
}

impl BoxRegion {
    /// The boxes that are drawn: corners of each [m], the corner of number k at its far end along axis i where k has bit i.
    pub fn drawn(&self) -> impl Iterator<Item = [Vec3; 8]> + '_ {
        self.shapes.iter().filter(|_| self.is_drawn).map(Shape::corners)
    }
}

/// A box with edges along the axes, or a thick parallelogram.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A box with edges along the axes.
    Aligned {
        /// Least coordinates [m].
        min: Vec3,
        /// Greatest coordinates [m].
        max: Vec3,
    },
    /// A parallelogram and what is near its plane.
    Oriented {
        /// One of its corners [m].
        corner: Vec3,
        /// Its sides from there [m], and its unit normal.
        axes: [Vec3; 3],
        /// Thickness [m].
        depth: f64,
    },
}

impl Shape {
    /// The box between two corners, in any order.
    pub fn aligned(c: &[f64]) -> Self {
        let (a, b) = (Vec3::new(c[0], c[1], c[2]), Vec3::new(c[3], c[4], c[5]));
        Self::Aligned { min: a.zip_map(&b, f64::min), max: a.zip_map(&b, f64::max) }
    }

    /// The parallelogram of three corners and a thickness; none where they lie on a line.
    ///
    /// **Source:** as SOFA's oriented box: the parallelogram p0, p1, p2, p0 + p2 - p1, half of `depth` to each side.
    pub fn oriented(c: &[f64]) -> Option<Self> {
        let p = |i: usize| Vec3::new(c[3 * i], c[3 * i + 1], c[3 * i + 2]);
        let (along, across) = (p(1) - p(0), p(2) - p(1));
        let normal = along.cross(&across);
        (normal.norm() > 0.0).then(|| Self::Oriented {
            corner: p(0),
            axes: [along, across, normal.normalize()],
            depth: c[9].abs(),
        })
    }

    /// Its corners [m]: that of number k at its far end along axis i where k has bit i.
    pub fn corners(&self) -> [Vec3; 8] {
        let (from, axes) = match self {
            Self::Aligned { min, max } => (*min, [0, 1, 2].map(|i| Vec3::ith(i, max[i] - min[i]))),
            Self::Oriented { corner, axes: [along, across, normal], depth } => {
                (corner - normal * (0.5 * depth), [*along, *across, normal * *depth])
            }
        };
        std::array::from_fn(|k| from + (0..3).filter(|i| k >> i & 1 == 1).map(|i| axes[i]).sum::<Vec3>())
    }

    /// Whether a place is inside, the border included [m].
    pub fn contains(&self, x: &Vec3) -> bool {
        match self {
            Self::Aligned { min, max } => (0..3).all(|k| min[k] <= x[k] && x[k] <= max[k]),
            Self::Oriented { corner, axes: [along, across, normal], depth } => {
                let d = x - corner;
                // Coordinates in the basis of the two sides.
                let area = along.cross(across).dot(normal);
                let (s, t) = (d.cross(across).dot(normal) / area, along.cross(&d).dot(normal) / area);
                (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) && d.dot(normal).abs() <= 0.5 * depth
            }
        }
    }
}
