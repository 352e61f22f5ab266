//! What triangles and lines are made of.

/// One triangle or line: its points and its flags.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Points; of a line the first two (the third repeats the second).
    pub vertices: [u32; 3],
    /// Which of its vertices and edges a triangle owns, and whether it is half a quadrangle: `Element::VERTEX_1` and so on.
    pub flags: u32,
}

impl Element {
    /// It owns its first vertex: it is the first triangle around that vertex.
    pub const VERTEX_1: u32 = 1;
    /// It owns its second vertex.
    pub const VERTEX_2: u32 = 2;
    /// It owns its third vertex.
    pub const VERTEX_3: u32 = 4;
    /// It owns the edge between its first and its second vertex.
    pub const EDGE_12: u32 = 8;
    /// It owns the edge between its second and its third vertex.
    pub const EDGE_23: u32 = 16;
    /// It owns the edge between its third and its first vertex.
    pub const EDGE_31: u32 = 32;
    /// First half (q1, q2, q0) of the quadrangle (q0, q1, q2, q3); the next element is the second half.
    pub const QUAD_FIRST: u32 = 64;
    /// Second half (q3, q0, q2) of a quadrangle.
    pub const QUAD_SECOND: u32 = 128;

    /// Whether it has all bits of `flag`.
    #[inline]
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag == flag
    }
}
