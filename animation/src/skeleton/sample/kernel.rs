//! What tracks of lines show at a time, eight tracks at a time.

use super::super::lane::{Kernel, LANES, Lanes, Row};
use super::super::pose::{Pose, ROTATION, SCALE};
use super::lines::{Group, Keys, Lane, Lines};

/// By lane: the key that a span begins with.
#[inline(always)]
fn places(of: &[Lane; LANES], spans: &[u32]) -> [usize; LANES] {
    of.map(|lane| (lane.first + spans[lane.timeline as usize]) as usize)
}

/// What tracks show at a time.
pub(super) struct Sampled<'s> {
    pub time: f32,
    /// Of translations and scales, and of rotations.
    pub of: (&'s [Lines<3>; 2], &'s Lines<4>),
    /// By timeline, the span that time is in.
    pub spans: &'s [u32],
    pub pose: &'s mut Pose,
}

impl Kernel for Sampled<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { time, of: ([translations, scales], rotations), spans, pose } = self;
        vectors(lanes, time, (translations, spans), (0, pose));
        vectors(lanes, time, (scales, spans), (SCALE, pose));
        arcs(lanes, time, (rotations, spans), pose);
    }
}

/// Translations or scales.
#[inline(always)]
fn vectors<L: Lanes>(lanes: L, time: f32, (of, spans): (&Lines<3>, &[u32]), (row, pose): (usize, &mut Pose)) {
    of.put_still(lanes, row, pose);
    for group in &of.groups {
        let [[ax, ay, az, begin], [bx, by, bz, end]] = of.vectors(lanes, group, spans);
        let way = way(lanes, lanes.splat(time), begin, end);
        let weights = [lanes.sub(lanes.splat(1.0), way), way];
        let has_track = lanes.is_greater(lanes.load(&group.has_track), lanes.splat(0.0));
        let to = &mut pose.groups_mut()[group.at as usize];
        put(lanes, has_track, mix(lanes, weights, [ax, bx]), &mut to[row]);
        put(lanes, has_track, mix(lanes, weights, [ay, by]), &mut to[row + 1]);
        put(lanes, has_track, mix(lanes, weights, [az, bz]), &mut to[row + 2]);
    }
}

/// Rotations.
#[inline(always)]
fn arcs<L: Lanes>(lanes: L, time: f32, (of, spans): (&Lines<4>, &[u32]), pose: &mut Pose) {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    of.put_still(lanes, ROTATION, pose);
    for group in &of.groups {
        let [[ax, ay, az, aw], [bx, by, bz, bw], of_span] = of.arcs(lanes, group, spans);
        let [begin, angle, factor, end] = of_span;
        let way = way(lanes, lanes.splat(time), begin, end);
        let back = lanes.sub(one, way);
        // glTF 2.0, appendix C.4: on arcs with sines, which a straight line is the limit of.
        let is_arc = lanes.is_greater(factor, zero);
        let before = lanes.mul(sine(lanes, lanes.mul(back, angle)), factor);
        let after = lanes.mul(sine(lanes, lanes.mul(way, angle)), factor);
        let weights = [lanes.select(is_arc, before, back), lanes.select(is_arc, after, way)];
        let (x, y) = (mix(lanes, weights, [ax, bx]), mix(lanes, weights, [ay, by]));
        let (z, w) = (mix(lanes, weights, [az, bz]), mix(lanes, weights, [aw, bw]));
        let two = lanes.add(lanes.mul(x, x), lanes.mul(y, y));
        let square = lanes.add(lanes.add(two, lanes.mul(z, z)), lanes.mul(w, w));
        let (length, is_some) = (lanes.sqrt(square), lanes.is_greater(square, zero));
        let has_track = lanes.is_greater(lanes.load(&group.has_track), zero);
        let to = &mut pose.groups_mut()[group.at as usize];
        // Opposite rotations have no middle: then nothing is turned.
        put(lanes, has_track, lanes.select(is_some, lanes.div(x, length), zero), &mut to[ROTATION]);
        put(lanes, has_track, lanes.select(is_some, lanes.div(y, length), zero), &mut to[ROTATION + 1]);
        put(lanes, has_track, lanes.select(is_some, lanes.div(z, length), zero), &mut to[ROTATION + 2]);
        put(lanes, has_track, lanes.select(is_some, lanes.div(w, length), one), &mut to[ROTATION + 3]);
    }
}

#[inline(always)]
fn rows_of<L: Lanes>(lanes: L, rows: &[Row]) -> [L::V; 4] {
    [lanes.load(&rows[0]), lanes.load(&rows[1]), lanes.load(&rows[2]), lanes.load(&rows[3])]
}

/// The numbers of eight rows, by number.
#[inline(always)]
fn columns<L: Lanes>(lanes: L, rows: &[[f32; 4]], at: [usize; LANES]) -> [L::V; 4] {
    lanes.transposed([
        lanes.halves(&rows[at[0]], &rows[at[4]]),
        lanes.halves(&rows[at[1]], &rows[at[5]]),
        lanes.halves(&rows[at[2]], &rows[at[6]]),
        lanes.halves(&rows[at[3]], &rows[at[7]]),
    ])
}

/// How far times are from the beginnings of spans to their ends, 0 before and 1 after; 0 for a time that is no number.
#[inline(always)]
fn way<L: Lanes>(lanes: L, time: L::V, begin: L::V, end: L::V) -> L::V {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let way = lanes.div(lanes.sub(time, begin), lanes.sub(end, begin));
    let way = lanes.select(lanes.is_greater(way, zero), way, zero);
    lanes.select(lanes.is_greater(way, one), one, way)
}

#[inline(always)]
fn mix<L: Lanes>(lanes: L, weights: [L::V; 2], [a, b]: [L::V; 2]) -> L::V {
    lanes.add(lanes.mul(weights[0], a), lanes.mul(weights[1], b))
}

/// Writes what joints with a track show.
#[inline(always)]
fn put<L: Lanes>(lanes: L, has_track: L::M, value: L::V, to: &mut Row) {
    let value = lanes.select(has_track, value, lanes.load(to));
    lanes.store(value, to);
}

/// The sine of an angle from 0 to a quarter turn, to 1e-7: Taylor's series to the eleventh power.
#[inline(always)]
fn sine<L: Lanes>(lanes: L, x: L::V) -> L::V {
    let q = lanes.mul(x, x);
    let mut sum = lanes.splat(-1.0 / 39_916_800.0);
    for c in [1.0 / 362_880.0, -1.0 / 5_040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0] {
        sum = lanes.add(lanes.mul(sum, q), lanes.splat(c));
    }
    lanes.mul(x, sum)
}

impl<const N: usize> Lines<N> {
    /// Writes what stays as it is into a pose, whose rows for it begin with one.
    #[inline(always)]
    fn put_still<L: Lanes>(&self, lanes: L, row: usize, pose: &mut Pose) {
        for still in &self.still {
            let has_track = lanes.is_greater(lanes.load(&still.has_track), lanes.splat(0.0));
            let to = &mut pose.groups_mut()[still.at as usize][row..];
            for (to, value) in to.iter_mut().zip(&still.values) {
                put(lanes, has_track, lanes.load(value), to);
            }
        }
    }

    /// The values of eight tracks at the beginning and at the end of the span that time is in, and these times, for tracks of three numbers.
    #[inline(always)]
    fn vectors<L: Lanes>(&self, lanes: L, group: &Group, spans: &[u32]) -> [[L::V; 4]; 2] {
        match &group.keys {
            Keys::Together { first, timeline } => {
                let at = *first as usize + spans[*timeline as usize] as usize * Self::ROWS;
                let rows = &self.together[at..at + 2 * Self::ROWS];
                [rows_of(lanes, rows), rows_of(lanes, &rows[4..])]
            }
            Keys::Scattered(of) => {
                let at = places(of, spans);
                [columns(lanes, &self.values, at), columns(lanes, &self.values, at.map(|k| k + 1))]
            }
        }
    }

    /// The same for rotations; then when the span begins, the angle, the factor, and when it ends.
    #[inline(always)]
    fn arcs<L: Lanes>(&self, lanes: L, group: &Group, spans: &[u32]) -> [[L::V; 4]; 3] {
        match &group.keys {
            Keys::Together { first, timeline } => {
                let at = *first as usize + spans[*timeline as usize] as usize * Self::ROWS;
                let rows = &self.together[at..at + 2 * Self::ROWS];
                let [angle, factor, begin] =
                    [lanes.load(&rows[4]), lanes.load(&rows[5]), lanes.load(&rows[6])];
                let of_span = [begin, angle, factor, lanes.load(&rows[13])];
                [rows_of(lanes, rows), rows_of(lanes, &rows[7..]), of_span]
            }
            Keys::Scattered(of) => {
                let at = places(of, spans);
                let ends =
                    [columns(lanes, &self.values, at), columns(lanes, &self.values, at.map(|k| k + 1))];
                [ends[0], ends[1], columns(lanes, &self.spans, at)]
            }
        }
    }
}
