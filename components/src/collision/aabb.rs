//! Boxes along the axes, and the nodes of trees of them.

use sim_core::math::Vec3;

/// A box along the axes; empty where a minimum exceeds its maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lower corner [m].
    pub min: [f64; 3],
    /// Upper corner [m].
    pub max: [f64; 3],
}

impl Aabb {
    /// The box that contains nothing.
    pub const EMPTY: Self = Self { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// Whether two boxes are at most `margin` apart along each axis.
    #[inline]
    pub fn is_near(&self, o: &Self, margin: f64) -> bool {
        // No short circuit: six comparisons cost less than one misprediction.
        (0..3).fold(true, |near, k| {
            near & (self.min[k] <= o.max[k] + margin) & (o.min[k] <= self.max[k] + margin)
        })
    }

    /// Whether a point is in the box.
    #[inline]
    pub fn contains(&self, p: &Vec3) -> bool {
        (0..3).fold(true, |inside, k| inside & (self.min[k] <= p[k]) & (p[k] <= self.max[k]))
    }

    /// The box grown by `margin` on each side.
    #[inline]
    pub fn grown(&self, margin: f64) -> Self {
        Self { min: self.min.map(|v| v - margin), max: self.max.map(|v| v + margin) }
    }

    /// The smallest box that contains both.
    #[inline]
    pub fn union(&self, o: &Self) -> Self {
        let mut u = *self;
        for k in 0..3 {
            u.min[k] = smaller(u.min[k], o.min[k]);
            u.max[k] = larger(u.max[k], o.max[k]);
        }
        u
    }
}

/// The smaller of two; one instruction, unlike `f64::min`, which looks for NaN.
#[inline]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// A cell or, at the end of the array, the box of one element; one cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeNode {
    /// Its box.
    pub bounds: Aabb,
    /// Of a cell the index of its first child (they are contiguous), of a leaf its element.
    pub first: u32,
    /// Number of children; 0 marks a leaf.
    pub count: u32,
}

impl TreeNode {
    /// Whether it is the box of an element.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.count == 0
    }
}
