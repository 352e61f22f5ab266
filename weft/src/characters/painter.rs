//! Drawing in software: what a host does with vertices while the next frame is computed, where there is no window.

use super::ShownCharacters;
use crate::execution::hash::StateHash;

/// Width and height of the picture \[pixels\].
const SIZE: [usize; 2] = [640, 480];
/// What is shown of the space around the models, in extents of theirs.
const AROUND: f32 = 1.1;

/// Draws vertices as points, from the front and slightly above, each over what lies behind it. It reads each vertex once, as a driver does that
/// takes it to a graphics card.
#[derive(Clone, Debug)]
pub struct Painter {
    /// By pixel: how near the nearest point is; minus infinity where there is none.
    depth: Vec<f32>,
    /// From space to pixels: the middle of what is seen, and pixels per length; none before the first picture, after which it stays.
    view: Option<([f32; 2], f32)>,
    pictures: u64,
    points: u64,
}

impl Default for Painter {
    fn default() -> Self {
        let depth = vec![f32::NEG_INFINITY; SIZE[0] * SIZE[1]];
        Self { depth, view: None, pictures: 0, points: 0 }
    }
}

/// How far down something goes in the picture that lies further behind.
const SLOPE: f32 = 0.25;

impl Painter {
    /// Draws a frame.
    pub fn paint(&mut self, of: &ShownCharacters<'_>) {
        let (middle, scale) = *self.view.get_or_insert_with(|| view(of));
        self.depth.fill(f32::NEG_INFINITY);
        self.pictures += 1;
        for model in (0..of.n_models()).filter(|model| of.is_filled(*model)) {
            let place = of.place(model).unwrap_or_default().map(|x| x as f32);
            if of.meshes().is_empty() {
                let joints = of.matrices(model).iter().map(|m| [m[3][0], m[3][1], m[3][2]]);
                joints.for_each(|p| self.point(p, place, middle, scale));
            }
            for vertices in (0..of.meshes().len()).filter_map(|mesh| of.vertices(model, mesh)) {
                for part in vertices.parts() {
                    part.iter().for_each(|v| self.point(v.position, place, middle, scale));
                }
            }
        }
    }

    #[inline]
    fn point(&mut self, p: [f32; 3], place: [f32; 3], middle: [f32; 2], scale: f32) {
        let [x, y, z] = [p[0] + place[0], p[1] + place[1], p[2] + place[2]];
        let column = (x - middle[0]) * scale + 0.5 * SIZE[0] as f32;
        let row = (y - SLOPE * z - middle[1]) * scale + 0.5 * SIZE[1] as f32;
        self.points += 1;
        // What is no number is in no pixel.
        if column >= 0.0 && row >= 0.0 && column < SIZE[0] as f32 && row < SIZE[1] as f32 {
            let pixel = &mut self.depth[row as usize * SIZE[0] + column as usize];
            *pixel = pixel.max(z);
        }
    }

    /// Pictures that were drawn.
    pub fn pictures(&self) -> u64 {
        self.pictures
    }

    /// Points that were drawn, in all pictures.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// A hash of the exact bits of the last picture.
    pub fn hash(&self) -> String {
        let mut hash = StateHash::new();
        self.depth.iter().for_each(|z| hash.add(u64::from(z.to_bits())));
        hash.text()
    }
}

/// What the first picture shows as a whole.
fn view(of: &ShownCharacters<'_>) -> ([f32; 2], f32) {
    let mut bounds = [[f32::INFINITY; 2], [f32::NEG_INFINITY; 2]];
    let mut add = |p: [f32; 3], place: [f64; 3]| {
        let [x, y, z] = [0, 1, 2].map(|k| p[k] + place[k] as f32);
        for (k, x) in [x, y - SLOPE * z].into_iter().enumerate() {
            bounds[0][k] = bounds[0][k].min(x);
            bounds[1][k] = bounds[1][k].max(x);
        }
    };
    for model in 0..of.n_models() {
        let place = of.place(model).unwrap_or_default();
        of.matrices(model).iter().for_each(|m| add([m[3][0], m[3][1], m[3][2]], place));
        for mesh in 0..of.meshes().len() {
            of.vertices(model, mesh).into_iter().flatten().for_each(|v| add(v.position, place));
        }
    }
    let [low, high] = bounds;
    let middle = [0, 1].map(|k| 0.5 * (low[k] + high[k]));
    let per_pixel =
        [0, 1].map(|k| AROUND * (high[k] - low[k]) / SIZE[k] as f32).into_iter().fold(0.0, f32::max);
    if per_pixel > 0.0 && per_pixel.is_finite() { (middle, 1.0 / per_pixel) } else { ([0.0; 2], 1.0) }
}
