//! Bytes of the second buffers of vertices.

use std::sync::Arc;

use animation::Backend;
use animation::skeleton::{Crowd, Drawn, Mesh, Skeleton};
use benches::character::skeleton;

use super::{Outcome, Size};

const MODELS: usize = 100;
const VERTICES: usize = 5000;

/// The paper's example, counted.
pub fn part(_: Size) -> Outcome<String> {
    let skeleton: Arc<Skeleton> = Arc::new(skeleton());
    let mesh = Mesh { positions: vec![[0.0; 3]; VERTICES], ..Mesh::default() };
    let drawn = Arc::new(Drawn { skins: Vec::new(), meshes: vec![mesh] });
    let crowd = Crowd::drawn(&skeleton, None, (&[0.0; MODELS], 1), &drawn, Backend::sequential())?;
    let bytes = crowd.second_buffer_bytes();
    if bytes != 16_000_000 {
        return Err(format!("second buffers take {bytes} bytes, not 16,000,000").into());
    }
    Ok(format!(
        "## Memory\n\nThe second buffers of {MODELS} models of {VERTICES} vertices of 32 bytes take {bytes} bytes, as in the paper."
    ))
}
