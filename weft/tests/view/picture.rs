//! Pictures, asked for what is where.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Rows from above, three bytes per pixel.
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<u8>,
}

impl Picture {
    pub fn read(path: &Path) -> Self {
        let image = image::open(path).expect("a picture").to_rgb8();
        let (width, height) = image.dimensions();
        Self { width: width as usize, height: height as usize, rgb: image.into_raw() }
    }

    /// Saves it for who wants to know why a test failed, and says where.
    pub fn keep(&self) -> PathBuf {
        static KEPT: AtomicU32 = AtomicU32::new(0);
        let (process, number) = (std::process::id(), KEPT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("screen_{process}_{number}.png"));
        let (width, height) = (self.width as u32, self.height as u32);
        let saved = image::save_buffer(&path, &self.rgb, width, height, image::ColorType::Rgb8);
        saved.expect("a picture");
        path
    }

    /// The pixels whose color is as wanted: how many, and their middle (x from the left, y from above).
    pub fn find(&self, wanted: impl Fn([u8; 3]) -> bool) -> Option<(usize, [f64; 2])> {
        let (mut n, mut sum) = (0, [0.0, 0.0]);
        for (k, p) in self.rgb.chunks_exact(3).enumerate() {
            if wanted([p[0], p[1], p[2]]) {
                n += 1;
                sum[0] += (k % self.width) as f64;
                sum[1] += (k / self.width) as f64;
            }
        }
        (n > 0).then(|| (n, sum.map(|s| s / n as f64)))
    }
}

/// Whether one channel stands out.
fn is_mostly(channel: usize) -> impl Fn([u8; 3]) -> bool {
    move |p| (0..3).all(|k| k == channel || f64::from(p[k]) < 0.55 * f64::from(p[channel])) && p[channel] > 60
}

pub fn red(p: [u8; 3]) -> bool {
    is_mostly(0)(p)
}

pub fn green(p: [u8; 3]) -> bool {
    is_mostly(1)(p)
}

pub fn blue(p: [u8; 3]) -> bool {
    is_mostly(2)(p)
}
