//! Kinds of collision models.

/// What the elements of a collision model are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelKind {
    /// `TriangleCollisionModel`: triangles, then two per quadrangle.
    Triangle,
    /// `TriangleOctreeCollisionModel`: triangles, then two per quadrangle, that meet rays.
    TriangleOctree,
    /// `LineCollisionModel`: all edges.
    Line,
    /// `SphereCollisionModel` on points.
    Sphere,
    /// `SphereCollisionModel` on rigid frames.
    RigidSphere,
    /// `PointCollisionModel`: all points of the state.
    Point,
}
