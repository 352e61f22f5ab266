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

impl ModelKind {
    /// Whether contacts act on points of their own, which follow the model's state.
    ///
    /// **Source:** as SOFA's contact mappers: those of points, and of spheres on points, take the state itself.
    pub fn has_contact_points(self) -> bool {
        match self {
            Self::Triangle | Self::TriangleOctree | Self::Line | Self::RigidSphere => true,
            Self::Sphere | Self::Point => false,
        }
    }
}
