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
    /// `OBBCollisionModel`: boxes on rigid frames.
    Box,
    /// `CapsuleCollisionModel` on rigid frames.
    Capsule,
    /// `CapsuleCollisionModel` on points: around edges.
    LineCapsule,
    /// `CylinderCollisionModel`: on rigid frames.
    Cylinder,
}

impl ModelKind {
    /// Whether contacts act on points of their own, which follow the model's state.
    ///
    /// **Source:** as SOFA's contact mappers: those of points, and of spheres on points, take the state itself.
    pub fn has_contact_points(self) -> bool {
        match self {
            Self::Triangle | Self::TriangleOctree | Self::Line | Self::RigidSphere => true,
            Self::Box | Self::Capsule | Self::LineCapsule | Self::Cylinder => true,
            Self::Sphere | Self::Point => false,
        }
    }

    /// Whether its elements are solids, of which a pair may have several contacts: boxes, capsules, cylinders.
    pub fn is_solid(self) -> bool {
        matches!(self, Self::Box | Self::Capsule | Self::LineCapsule | Self::Cylinder)
    }

    /// How many numbers say what size an element is: of a sphere its radius, of a box half its lengths, of a capsule its radius and half
    /// its height, of a cylinder these and its axis in its frame.
    pub fn sizes(self) -> usize {
        match self {
            Self::Sphere | Self::RigidSphere | Self::LineCapsule => 1,
            Self::Capsule => 2,
            Self::Box => 3,
            Self::Cylinder => 5,
            Self::Triangle | Self::TriangleOctree | Self::Line | Self::Point => 0,
        }
    }
}
