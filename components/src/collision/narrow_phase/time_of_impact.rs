//! When two elements meet that move along straight lines: the earliest time, from below, however the motion ends.
//!
//! The difference of a place on one element and a place on the other is, axis by axis, a function of the time and of two weights. Over
//! a box of these three numbers its values lie between those at the box's eight corners. A box over which they stay farther from zero than
//! the elements may come holds no impact; others are halved, level by level, until they are small.
//!
//! **Source:** Wang, Ferguson, Schneider, Jiang, Attene, Panozzo 2021, "A Large-Scale Benchmark and an Inclusion-Based Algorithm for
//! Continuous Collision Detection", with the order of the authors' program (Tight-Inclusion), which decides what is known when the
//! number of boxes is used up. Times and weights are multiples of powers of two, so that halving them rounds nothing.

use sim_core::math::Vec3;

use crate::collision::List;

/// Two elements that move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingElements {
    /// What the four points are.
    pub kind: MovingKind,
    /// The points at the beginning [m].
    pub begin: [Vec3; 4],
    /// The points at the end [m].
    pub end: [Vec3; 4],
}

/// What the points of two elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovingKind {
    /// A point, then the corners of a triangle.
    PointAndTriangle,
    /// The ends of a segment, then those of another one.
    Segments,
}

/// How exactly a time is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactSearch {
    /// Elements meet that come as near as this along each axis [m].
    pub separation: f64,
    /// How far from each other the values over a box may be that is not halved any more [m].
    pub tolerance: f64,
    /// After so many boxes the earliest time of the level is taken; without limit if it is 0 or less.
    pub max_boxes: i64,
}

/// A box of the time and of two weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterBox {
    low: [f64; 3],
    high: [f64; 3],
    /// How often it was halved.
    level: u32,
}

impl ParameterBox {
    const WHOLE: Self = Self { low: [0.0; 3], high: [1.0; 3], level: 0 };

    /// Whether another one is looked at first: it lies on a lower level, or begins earlier.
    fn waits_for(&self, other: &Self) -> bool {
        (self.level, self.low[0]) > (other.level, other.low[0])
    }

    fn widths(&self) -> [f64; 3] {
        std::array::from_fn(|k| self.high[k] - self.low[k])
    }
}

impl MovingElements {
    /// The difference along an axis at a time and two weights.
    fn difference(&self, axis: usize, [t, u, v]: [f64; 3]) -> f64 {
        let at = |k: usize| {
            let (begin, end) = (self.begin[k][axis], self.end[k][axis]);
            (end - begin) * t + begin
        };
        let [a, b, c, d] = [0, 1, 2, 3].map(at);
        match self.kind {
            MovingKind::PointAndTriangle => a - ((c - b) * u + (d - b) * v + b),
            MovingKind::Segments => ((b - a) * u + a) - ((d - c) * v + c),
        }
    }

    /// The least and the greatest difference along an axis over a box.
    fn range(&self, axis: usize, of: &ParameterBox) -> [f64; 2] {
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for corner in 0..8 {
            let at = std::array::from_fn(|k| if corner >> (2 - k) & 1 == 1 { of.high[k] } else { of.low[k] });
            let value = self.difference(axis, at);
            least = if value < least { value } else { least };
            greatest = if value > greatest { value } else { greatest };
        }
        [least, greatest]
    }

    /// How small a box must be along each of its sides for its values to be as near to each other as the tolerance.
    fn least_widths(&self, tolerance: f64) -> [f64; 3] {
        let (x, y) = (&self.begin, &self.end);
        let corners = match self.kind {
            MovingKind::PointAndTriangle => {
                let at = |p: &[Vec3; 4]| [p[0] - p[1], p[0] - p[3], p[0] - p[2], p[0] - (p[2] + p[3] - p[1])];
                [at(x), at(y)]
            }
            // The program of the paper's authors takes the second segment as it is at the beginning at both times.
            MovingKind::Segments => {
                let at = |p: &[Vec3; 4]| [p[0] - x[2], p[0] - x[3], p[1] - x[2], p[1] - x[3]];
                [at(x), at(y)]
            }
        };
        let [[p000, p001, p010, p011], [p100, p101, p110, p111]] = corners;
        let longest = |pairs: [[Vec3; 2]; 4]| {
            3.0 * pairs.iter().map(|[from, to]| (to - from).amax()).fold(0.0, f64::max)
        };
        let lengths = [
            longest([[p000, p100], [p001, p101], [p011, p111], [p010, p110]]),
            longest([[p000, p010], [p100, p110], [p101, p111], [p001, p011]]),
            longest([[p000, p001], [p100, p101], [p110, p111], [p010, p011]]),
        ];
        lengths.map(|length| if length == 0.0 { f64::INFINITY } else { tolerance / length })
    }

    /// What rounding may make of a difference along each axis.
    fn rounding(&self, separation: f64) -> [f64; 3] {
        let of_unit = match (self.kind, separation > 0.0) {
            (MovingKind::Segments, false) => 6.217248937900877e-15,
            (MovingKind::PointAndTriangle, false) => 6.661338147750939e-15,
            (MovingKind::Segments, true) => 7.105427357601002e-15,
            (MovingKind::PointAndTriangle, true) => 7.549516567451064e-15,
        };
        std::array::from_fn(|axis| {
            let all = self.begin.iter().chain(&self.end);
            let size = all.map(|p| p[axis].abs()).fold(0.0, f64::max).min(1.0);
            of_unit * (size * size * size)
        })
    }
}

impl ImpactSearch {
    /// The time of the first impact, from 0 at the beginning to 1 at the end, or a little before; none if there is none. `queue` is
    /// scratch.
    pub fn time_of_impact(
        &self,
        elements: &MovingElements,
        queue: &mut impl List<ParameterBox>,
    ) -> Option<f64> {
        let Self { separation, tolerance, max_boxes } = *self;
        let least_widths = elements.least_widths(tolerance);
        let reach = elements.rounding(separation).map(|rounding| rounding + separation);
        queue.clear();
        push(queue, ParameterBox::WHOLE);
        // Of what is small already, the earliest time.
        let mut small: Option<f64> = None;
        let mut n_boxes = 0;
        // Of the present level: whether all that may hold an impact was small so far, and the first of these.
        let (mut level, mut all_small, mut first) = (None, true, None);
        while let Some(now) = pop(queue) {
            let begins = now.low[0];
            if small.is_some_and(|t| begins >= t) {
                continue;
            }
            if level != Some(now.level) {
                (level, all_small, first) = (Some(now.level), true, None);
            }
            n_boxes += 1;
            let Some((is_inside, spread)) = look(elements, &now, &reach) else { continue };
            let widths = now.widths();
            let is_small = spread <= tolerance;
            let is_narrow = widths.iter().zip(&least_widths).all(|(w, least)| w <= least);
            let holds = is_inside && all_small;
            all_small &= is_small;
            if is_narrow || holds || all_small {
                return Some(begins);
            }
            let first = *first.get_or_insert(begins);
            if max_boxes > 0 && n_boxes > max_boxes {
                return Some(first);
            }
            if is_small || is_inside {
                small = Some(small.map_or(begins, |t| t.min(begins)));
                continue;
            }
            if !halve(elements.kind, &now, &widths, &least_widths, queue) {
                return Some(first);
            }
        }
        small
    }
}

/// Whether all differences over a box are within reach of zero, and how far they are from each other; nothing if none is within reach.
fn look(elements: &MovingElements, now: &ParameterBox, reach: &[f64; 3]) -> Option<(bool, f64)> {
    let (mut is_inside, mut spread) = (true, 0.0);
    for (axis, reach) in reach.iter().enumerate() {
        let [least, greatest] = elements.range(axis, now);
        if least > *reach || greatest < -reach {
            return None;
        }
        is_inside &= least >= -reach && greatest <= *reach;
        spread = f64::max(spread, greatest - least);
    }
    Some((is_inside, spread))
}

/// Queues the halves of a box across the side that is widest beside what it may be; false where it cannot be halved.
fn halve(
    kind: MovingKind,
    now: &ParameterBox,
    widths: &[f64; 3],
    least_widths: &[f64; 3],
    queue: &mut impl List<ParameterBox>,
) -> bool {
    let excess = |k: usize| {
        if widths[k] > least_widths[k] { widths[k] / least_widths[k] } else { f64::NEG_INFINITY }
    };
    let side = (1..3).fold(0, |side, k| if excess(k) > excess(side) { k } else { side });
    let middle = (now.low[side] + now.high[side]) * 0.5;
    if middle <= now.low[side] || middle >= now.high[side] {
        return false;
    }
    let (mut lower, mut upper) = (*now, *now);
    (lower.high[side], upper.low[side]) = (middle, middle);
    for mut half in [upper, lower] {
        // Weights of a place on a triangle are at most 1 together.
        let is_outside = kind == MovingKind::PointAndTriangle && side > 0 && half.low[1] + half.low[2] > 1.0;
        if !is_outside {
            half.level += 1;
            push(queue, half);
        }
    }
    true
}

// A binary heap as GCC's library has it. Which of equal boxes comes first decides what is known when the number of boxes is used up.

fn push(heap: &mut impl List<ParameterBox>, value: ParameterBox) {
    heap.push(value);
    let heap = heap.as_mut_slice();
    rise(heap, heap.len() - 1, value);
}

/// Puts a value at a hole, or as far above as it belongs.
fn rise(heap: &mut [ParameterBox], mut hole: usize, value: ParameterBox) {
    while hole > 0 && heap[(hole - 1) / 2].waits_for(&value) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = value;
}

fn pop(heap: &mut impl List<ParameterBox>) -> Option<ParameterBox> {
    let value = heap.pop()?;
    let heap = heap.as_mut_slice();
    let Some(top) = heap.first().copied() else { return Some(value) };
    // The hole sinks to a leaf; the last value takes it, and rises.
    let mut hole = 0;
    while 2 * hole + 2 < heap.len() {
        let right = 2 * hole + 2;
        let child = if heap[right].waits_for(&heap[right - 1]) { right - 1 } else { right };
        heap[hole] = heap[child];
        hole = child;
    }
    if 2 * hole + 2 == heap.len() {
        heap[hole] = heap[2 * hole + 1];
        hole = 2 * hole + 1;
    }
    rise(heap, hole, value);
    Some(top)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SEARCH: ImpactSearch = ImpactSearch { separation: 1e-4, tolerance: 1e-8, max_boxes: 100_000 };

    fn time(search: &ImpactSearch, elements: &MovingElements) -> Option<f64> {
        search.time_of_impact(elements, &mut Vec::new())
    }

    fn point_over_triangle(from: Vec3, to: Vec3) -> MovingElements {
        let corners = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let with = |p: Vec3| [p, corners[0], corners[1], corners[2]];
        MovingElements { kind: MovingKind::PointAndTriangle, begin: with(from), end: with(to) }
    }

    #[test]
    fn a_point_that_passes_a_triangle_meets_it_in_between() {
        let through = point_over_triangle(Vec3::new(0.25, 0.25, 3.0), Vec3::new(0.25, 0.25, -1.0));
        let t = time(&SEARCH, &through).expect("it meets");
        let exact = (3.0 - 1e-4) / 4.0;
        assert!(t <= exact && t > exact - 1e-6, "{t} {exact}");
        let beside = point_over_triangle(Vec3::new(0.6, 0.6, 3.0), Vec3::new(0.6, 0.6, -1.0));
        assert_eq!(time(&SEARCH, &beside), None);
        let short = point_over_triangle(Vec3::new(0.25, 0.25, 3.0), Vec3::new(0.25, 0.25, 0.1));
        assert_eq!(time(&SEARCH, &short), None);
        // What is near at the beginning meets at once.
        let near = point_over_triangle(Vec3::new(0.25, 0.25, 5e-5), Vec3::new(0.25, 0.25, 1.0));
        assert_eq!(time(&SEARCH, &near), Some(0.0));
    }

    #[test]
    fn segments_that_cross_on_their_way_meet() {
        let segment = |z: f64| [Vec3::new(-1.0, 0.0, z), Vec3::new(1.0, 0.0, z)];
        let other = [Vec3::new(0.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
        let points = |z: f64| [segment(z)[0], segment(z)[1], other[0], other[1]];
        let moving =
            |from, to| MovingElements { kind: MovingKind::Segments, begin: points(from), end: points(to) };
        let t = time(&SEARCH, &moving(1.0, -3.0)).expect("they meet");
        assert!((t - 0.25).abs() < 1e-4 && t <= 0.25, "{t}");
        assert_eq!(time(&SEARCH, &moving(1.0, 0.5)), None);
    }

    /// However few boxes there may be, no impact is missed, and none is said to be later than it is.
    #[test]
    fn few_boxes_give_an_earlier_time() {
        let through = point_over_triangle(Vec3::new(0.21, 0.33, 3.0), Vec3::new(0.27, 0.31, -1.0));
        let exact = time(&SEARCH, &through).expect("it meets");
        let mut last = 0.0;
        for max_boxes in [1, 3, 10, 30, 100, 300] {
            let t = time(&ImpactSearch { max_boxes, ..SEARCH }, &through).expect("it meets");
            assert!(t <= exact && t >= last, "{max_boxes}: {last} {t} {exact}");
            last = t;
        }
    }

    #[test]
    fn what_is_no_number_ends() {
        let broken = point_over_triangle(Vec3::new(f64::NAN, 0.25, 3.0), Vec3::new(0.25, 0.25, -1.0));
        let _ = time(&SEARCH, &broken);
    }

    proptest! {
        /// Against many moments: what is near at one of them is found, at a time not after it; what is found is near.
        #[test]
        fn it_is_as_a_walk_through_time_finds_it(
            numbers in proptest::collection::vec(-1.0_f64..1.0, 24),
            is_segments in any::<bool>(),
        ) {
            let point = |k: usize| Vec3::from_row_slice(&numbers[3 * k..3 * k + 3]);
            let kind = if is_segments { MovingKind::Segments } else { MovingKind::PointAndTriangle };
            let moving = MovingElements {
                kind,
                begin: std::array::from_fn(point),
                end: std::array::from_fn(|k| point(k + 4)),
            };
            let search = ImpactSearch { separation: 0.05, ..SEARCH };
            let found = time(&search, &moving);
            // Places on a grid of times and weights.
            let grid = || (0..=24).map(|k| f64::from(k) / 24.0);
            let distance = |at: [f64; 3]| {
                (0..3).map(|axis| moving.difference(axis, at).abs()).fold(0.0, f64::max)
            };
            for t in grid() {
                for (u, v) in grid().flat_map(|u| grid().map(move |v| (u, v))) {
                    let is_on = is_segments || u + v <= 1.0;
                    if is_on && distance([t, u, v]) <= 0.05 {
                        prop_assert!(found.is_some_and(|found| found <= t), "{found:?} after {t}");
                    }
                }
            }
            if let Some(t) = found {
                let fine = || (0..=200).map(|k| f64::from(k) / 200.0);
                let places = fine().flat_map(|u| fine().map(move |v| (u, v)));
                let nearest = places
                    .filter(|(u, v)| is_segments || u + v <= 1.0)
                    .map(|(u, v)| distance([t, u, v]))
                    .fold(f64::INFINITY, f64::min);
                prop_assert!(nearest <= 0.05 + 0.03, "{t}: {nearest}");
            }
        }
    }
}
