//! What is drawn of a mesh, by vertex.

/// A vertex as it goes to a graphics card: 32 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Vertex {
    /// Its position in the model.
    pub position: [f32; 3],
    /// Its normal in the model, of length one; zero if its mesh has none.
    pub normal: [f32; 3],
    /// Its place in a texture; zero if its mesh has none.
    pub texture: [f32; 2],
}
