//! What reading memory costs alone: the limit of kernels that do little with what they read.

use std::hint::black_box;
use std::time::Instant;

use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};

/// Median seconds of a few runs.
pub fn median(mut run: impl FnMut()) -> f64 {
    let mut seconds: Vec<f64> = (0..15)
        .map(|_| {
            let begin = Instant::now();
            run();
            begin.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Reads rows once.
struct Pass<'a>(&'a [Row]);

impl LaneKernel for Pass<'_> {
    type Output = Row;
    #[inline(always)]
    fn run<L: Lane>(self) -> Row {
        let mut sums = [L::splat(0.0); 4];
        for rows in self.0.chunks_exact(4) {
            let mut at = 0;
            while at < BLOCK {
                let mut i = 0;
                while i < 4 {
                    sums[i] = sums[i] + L::load(&rows[i], at);
                    i += 1;
                }
                at += L::WIDTH;
            }
        }
        let (mut row, mut at) = (Row::default(), 0);
        while at < BLOCK {
            ((sums[0] + sums[1]) + (sums[2] + sums[3])).store(&mut row, at);
            at += L::WIDTH;
        }
        row
    }
}

/// Seconds of `turns` bare passes over so many bytes for each of `objects`, one object after the other.
pub fn bare_passes(objects: usize, bytes_per_object: f64, turns: usize) -> f64 {
    let rows = (bytes_per_object / 64.0).ceil() as usize;
    let objects: Vec<Vec<Row>> = (0..objects).map(|_| vec![Row::splat(1.0); rows]).collect();
    median(|| {
        for object in &objects {
            for _ in 0..turns {
                black_box(dispatch(Pass(black_box(object))));
            }
        }
    })
}
