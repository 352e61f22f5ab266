//! Tracks whose keys are joined by lines or arcs, eight tracks side by side: what most clips consist of.

use super::super::lane::{LANES, Row};
use super::super::track::{Interpolation, Track};

/// A track's place in the list of all keys.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Lane {
    pub first: u32,
    pub timeline: u32,
}

/// Where the keys of a group are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Keys {
    /// All tracks have the same times, and their first key is in this row of `together`.
    Together { first: u32, timeline: u32 },
    /// Each is by itself. Joints without a track have a neighbor's.
    Scattered([Lane; LANES]),
}

/// Tracks of eight joints that follow each other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    /// Of the pose.
    pub at: u32,
    pub keys: Keys,
    /// Above zero for joints that have a track.
    pub has_track: Row,
}

/// What joints show all the time whose tracks have equal keys, as most translations and scales have.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Still<const N: usize> {
    /// Of the pose.
    pub at: u32,
    pub has_track: Row,
    pub values: [Row; N],
}

/// Tracks of one kind, of N numbers, keys beside each other.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Lines<const N: usize> {
    pub(super) still: Vec<Still<N>>,
    pub(super) groups: Vec<Group>,
    /// The value of a key; a track of three numbers has the key's time \[s\] in the fourth.
    pub(super) values: Vec<[f32; 4]>,
    /// For rotations: the time of a key \[s\], the angle to the next one, one over its sine (as [`Track::arcs`]), and the time of the next one.
    pub(super) spans: Vec<[f32; 4]>,
    /// The same of groups of equal times, by key: a row for each number, for rotations one for angles and one for factors, one for times.
    pub(super) together: Vec<Row>,
}

/// Whether a track is one of lines.
pub(in super::super) fn is_line<const N: usize>(track: &Track<N>) -> bool {
    matches!(track.interpolation, Interpolation::Linear | Interpolation::Chord)
}

impl<const N: usize> Default for Lines<N> {
    fn default() -> Self {
        let (still, groups) = (Vec::new(), Vec::new());
        Self { still, groups, values: Vec::new(), spans: Vec::new(), together: Vec::new() }
    }
}

impl<const N: usize> Lines<N> {
    /// Rows of a key of a group of equal times.
    pub(super) const ROWS: usize = if N == 4 { 7 } else { 4 };

    /// Of those tracks that are of lines, and whose times are put to the others.
    pub fn new(tracks: &[Track<N>], mut timeline: impl FnMut(&[f32]) -> u32) -> Self {
        let mut all = Self::default();
        let mut tracks: Vec<&Track<N>> = tracks.iter().filter(|track| is_line(track)).collect();
        tracks.sort_unstable_by_key(|track| track.joint);
        let group = |track: &Track<N>| track.joint / LANES as u32;
        let (still, tracks): (Vec<&Track<N>>, Vec<&Track<N>>) =
            tracks.into_iter().partition(|track| track.values.windows(2).all(|w| w[0] == w[1]));
        for tracks in still.chunk_by(|a, b| group(a) == group(b)) {
            let at = group(tracks[0]);
            let mut still = Still { at, has_track: Row::default(), values: [Row::default(); N] };
            for track in tracks {
                let place = track.joint as usize % LANES;
                still.has_track[place] = 1.0;
                for (row, number) in still.values.iter_mut().zip(of_length_one(track.values[0])) {
                    row[place] = number;
                }
            }
            all.still.push(still);
        }
        for tracks in tracks.chunk_by(|a, b| group(a) == group(b)) {
            let mut has_track = Row::default();
            let mut of_lanes = [tracks[0]; LANES];
            for track in tracks {
                let place = track.joint as usize % LANES;
                (of_lanes[place], has_track[place]) = (*track, 1.0);
            }
            let timelines = of_lanes.map(|track| timeline(&track.times));
            let keys = if timelines == [timelines[0]; LANES] {
                Keys::Together { first: all.push_together(of_lanes), timeline: timelines[0] }
            } else {
                let mut lanes = [Lane::default(); LANES];
                for track in tracks {
                    let first = all.push(track);
                    for ((lane, of), timeline) in lanes.iter_mut().zip(of_lanes).zip(timelines) {
                        if std::ptr::eq(of, *track) {
                            *lane = Lane { first, timeline };
                        }
                    }
                }
                Keys::Scattered(lanes)
            };
            all.groups.push(Group { at: group(tracks[0]), keys, has_track });
        }
        all
    }

    /// Adds the keys of a track by themselves; where the first one is.
    fn push(&mut self, track: &Track<N>) -> u32 {
        let first = self.values.len() as u32;
        for key in keys(track) {
            let (value, [begin, angle, factor, end]) = of_key(track, key);
            self.values.push(if N == 4 { value } else { [value[0], value[1], value[2], begin] });
            if N == 4 {
                self.spans.push([begin, angle, factor, end]);
            }
        }
        first
    }

    /// Adds the keys of tracks of equal times; where the first ones are.
    fn push_together(&mut self, tracks: [&Track<N>; LANES]) -> u32 {
        let first = self.together.len() as u32;
        for key in keys(tracks[0]) {
            let of = tracks.map(|track| of_key(track, key));
            self.together.extend((0..N).map(|c| of.map(|(value, _)| value[c])));
            if N == 4 {
                self.together.extend([of.map(|(_, span)| span[1]), of.map(|(_, span)| span[2])]);
            }
            self.together.push(of.map(|(_, span)| span[0]));
        }
        first
    }
}

/// The keys of a track; a single one is there twice, so that there is a span.
fn keys<const N: usize>(track: &Track<N>) -> impl Iterator<Item = usize> {
    let n = track.times.len();
    (0..n).chain((n == 1).then_some(0))
}

/// The value of a key; its time \[s\], the angle to the next one, one over its sine, and the time of the next one.
fn of_key<const N: usize>(track: &Track<N>, key: usize) -> ([f32; 4], [f32; 4]) {
    let next = (key + 1).min(track.times.len() - 1);
    let [angle, factor] = track.arcs.get(key).copied().unwrap_or_default();
    let mut value = [0.0; 4];
    value[..N].copy_from_slice(&track.values[key]);
    (value, [track.times[key], angle, factor, track.times[next]])
}

/// A rotation's numbers to length one; others as they are.
fn of_length_one<const N: usize>(mut value: [f32; N]) -> [f32; N] {
    let square: f32 = value.iter().map(|x| x * x).sum();
    if N == 4 && square > 0.0 {
        value = value.map(|x| x / square.sqrt());
    } else if N == 4 {
        value[N - 1] = 1.0;
    }
    value
}
