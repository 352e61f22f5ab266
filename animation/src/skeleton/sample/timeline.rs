//! Times of keys that tracks share, and where a player is in them.

use std::collections::BTreeMap;

/// Times of keys. Tracks of the same times, which many files have, are looked up once for all.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Timeline {
    /// Where its spans begin in the list of all.
    first: u32,
    n_spans: u32,
}

/// All times of a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Timelines {
    all: Vec<Timeline>,
    /// By span, when it begins \[s\], and when the last one ends: the first one before all times, the last one after.
    bounds: Vec<f32>,
}

impl Timelines {
    /// Number of timelines.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The times of a track, which grow; `known` says which there are.
    pub fn add(&mut self, times: &[f32], known: &mut BTreeMap<Vec<u32>, u32>) -> u32 {
        let bits = times.iter().map(|t| t.to_bits()).collect();
        *known.entry(bits).or_insert_with(|| {
            let inner = times.get(1..times.len() - 1).unwrap_or_default();
            let (first, n_spans) = (self.bounds.len() as u32, inner.len() as u32 + 1);
            self.bounds.push(f32::NEG_INFINITY);
            self.bounds.extend(inner);
            self.bounds.push(f32::INFINITY);
            self.all.push(Timeline { first, n_spans });
            self.all.len() as u32 - 1
        })
    }

    /// Brings cursors to the spans of a time \[s\]; to the first one if it is no number.
    #[inline]
    pub fn seek(&self, time: f32, cursors: &mut [u32]) {
        // An infinite time is in the last span, too.
        let time = if time > f32::MAX { f32::MAX } else { time };
        for (of, cursor) in self.all.iter().zip(cursors) {
            let bounds = &self.bounds[of.first as usize..][..of.n_spans as usize + 1];
            let mut span = (*cursor).min(of.n_spans - 1) as usize;
            // From frame to frame time stays in a span or goes to the next one, or to the one after that: to count spares wrong guesses.
            span += usize::from(time >= bounds[span + 1]);
            span += usize::from(time >= bounds[span + 1]);
            let is_here = (time >= bounds[span]) & (time < bounds[span + 1]);
            if !is_here {
                span = look_up(bounds, time);
            }
            *cursor = span as u32;
        }
    }
}

/// The span of a time.
#[cold]
fn look_up(bounds: &[f32], time: f32) -> usize {
    bounds.partition_point(|begin| *begin <= time).saturating_sub(1)
}
