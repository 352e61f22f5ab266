//! What the shader reads: rows of four numbers.

use std::array::from_fn;

use kiss3d::camera::Camera3d;
use kiss3d::light::{FogMode, LightCollection};

/// A vector of a uniform.
type Row = [f32; 4];
/// As `Frame` in the shader: a matrix, the eye, fog, what comes from everywhere, and two lights.
pub(super) type FrameRows = [Row; 11];
/// As `Object` in the shader: a matrix and a color.
pub(super) type ObjectRows = [Row; 5];

/// Lights that are computed; later ones are left out.
const LIGHTS: usize = 2;
/// Camera, fog and light of a frame, as the shader reads them.
pub(super) fn frame_rows(pass: usize, camera: &mut dyn Camera3d, lights: &LightCollection) -> FrameRows {
    let (view, projection) = camera.view_transform_pair(pass);
    let [x, y, z, w] = (projection * view.to_mat4()).to_cols_array_2d();
    let eye = camera.eye();
    // Without fog it begins where nothing is.
    let (begin, density) = match lights.fog.mode {
        FogMode::Linear { start, end } => (start, 1.0 / (end - start).max(f32::MIN_POSITIVE)),
        _ => (f32::MAX, 0.0),
    };
    let fog = lights.fog.color;
    let a = lights.ambient_color;
    let [key, fill]: [[Row; 2]; LIGHTS] = from_fn(|i| {
        let Some(light) = lights.lights.get(i) else { return [[0.0; 4]; 2] };
        let (d, c) = (-light.world_direction.normalize_or_zero(), light.color);
        // As kiss3d's material: a matte surface scatters one part in pi into each direction.
        let bright = light.intensity / std::f32::consts::PI;
        [[d.x, d.y, d.z, 0.0], [c.x * bright, c.y * bright, c.z * bright, 0.0]]
    });
    [
        x,
        y,
        z,
        w,
        [eye.x, eye.y, eye.z, begin],
        [fog.r, fog.g, fog.b, density],
        [a.r * lights.ambient, a.g * lights.ambient, a.b * lights.ambient, 0.0],
        key[0],
        key[1],
        fill[0],
        fill[1],
    ]
}
