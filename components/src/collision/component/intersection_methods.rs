//! The intersection methods: `MinProximityIntersection`, `NewProximityIntersection`, `LocalMinDistance`, `DiscreteIntersection`,
//! `CCDTightInclusionIntersection`. The file is long for its five classes.

use sim_core::component::attributes::{Attributes, Deferred, Word};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};

use super::phases::keep;
use crate::collision::narrow_phase::{
    Cones, IntersectionMethod, LocalMinDistance, MinProximity, NewProximity, Sweep, TightInclusion,
};

/// An intersection method.
#[derive(Clone, Copy, Debug)]
pub struct Intersection(pub IntersectionMethod);

#[derive(Attributes)]
struct Distances {
    /// closer elements give an output [m]
    #[attribute(default = "1", non_negative)]
    alarm_distance: f64,
    /// closer elements repel [m]
    #[attribute(default = "0.5", non_negative)]
    contact_distance: f64,
}

fn distances(b: &mut Builder<'_>) -> Result<Distances, BuildError> {
    let distances = Distances::read(b)?;
    let Distances { alarm_distance, contact_distance } = distances;
    for (name, value) in [("alarmDistance", alarm_distance), ("contactDistance", contact_distance)] {
        if !b.is_set(name) {
            b.warn(Some(name), format!("`{name}` is not given; {value} is used"));
        }
    }
    Ok(distances)
}

/// Distances between points, lines and triangles; triangles meet points only.
#[derive(Attributes)]
struct MinProximitySettings {
    #[attribute(flatten)]
    _distances: Distances,
    /// test spheres against triangles, lines and points
    #[attribute(default = "true")]
    use_sphere_triangle: bool,
    /// test points against points
    #[attribute(default = "true")]
    use_point_point: bool,
    /// test lines against points
    #[attribute(default = "true")]
    use_line_point: bool,
    /// test lines against lines
    #[attribute(default = "true")]
    use_line_line: bool,
    /// a contact of triangle and point takes the triangle's normal
    use_surface_normals: bool,
}

pub(super) const MIN_PROXIMITY: ComponentDescription =
    ComponentDescription::new::<MinProximitySettings>(Family::Collision, "MinProximityIntersection", |b| {
        let Distances { alarm_distance, contact_distance } = distances(b)?;
        let s = MinProximitySettings::read(b)?;
        let method = MinProximity {
            alarm_distance,
            contact_distance,
            use_sphere_triangle: s.use_sphere_triangle,
            use_point_point: s.use_point_point,
            use_line_point: s.use_line_point,
            use_line_line: s.use_line_line,
            use_surface_normals: s.use_surface_normals,
        };
        keep(b, Intersection(IntersectionMethod::MinProximity(method)))
    });

/// Distances between points, lines and triangles, all kinds against all.
///
/// Of two surfaces each vertex meets the nearest triangle of the other. The first corner of each triangle of the first model counts once
/// for each triangle that begins with it, so that forces depend somewhat on the order of models and corners.
/// A sphere over a common edge of two triangles may meet neither of them, or be pushed aside, and a vertex or an edge that the first
/// triangle around it owns meets nothing where that one has no area.
///
/// **Source:** as SOFA's. Its flags of edges are mixed up for spheres; `exactEdges` is of our own.
#[derive(Attributes)]
struct NewProximitySettings {
    #[attribute(flatten)]
    _distances: Distances,
    /// test edges against edges
    use_line_line: bool,
    /// spheres meet edges and corners of triangles as points do; SOFA's may fall through between two triangles
    exact_edges: bool,
}

pub(super) const NEW_PROXIMITY: ComponentDescription =
    ComponentDescription::new::<NewProximitySettings>(Family::Collision, "NewProximityIntersection", |b| {
        let Distances { alarm_distance, contact_distance } = distances(b)?;
        let NewProximitySettings { use_line_line, exact_edges, .. } = NewProximitySettings::read(b)?;
        let method = NewProximity { alarm_distance, contact_distance, use_line_line, exact_edges };
        keep(b, Intersection(IntersectionMethod::NewProximity(method)))
    });

/// Distances between points, lines and triangles, where the surfaces around both points face each other.
///
/// Triangles and lines meet points and spheres that lie above their inside, lines meet lines that cross them, and triangles meet no
/// triangles and no lines. Each element accepts contacts in a cone of directions only.
#[derive(Attributes)]
struct LocalMinDistanceSettings {
    #[attribute(flatten)]
    _distances: Distances,
    /// elements accept contacts in their cone of directions only
    #[attribute(default = "true")]
    filter_intersection: bool,
    /// by how much the cones are wider, as the sine of an angle
    #[attribute(default = "0")]
    angle_cone: Deferred<f64>,
    /// which share of the angle between the normal and a side of a surface counts to a cone
    #[attribute(default = "0.5")]
    cone_factor: Deferred<f64>,
    /// switches the cones off, too: the filters that were to take their place are no longer in SOFA
    #[attribute(name = "useLMDFilters")]
    use_lmd_filters: bool,
}

pub(super) const LOCAL_MIN_DISTANCE: ComponentDescription =
    ComponentDescription::new::<LocalMinDistanceSettings>(Family::Collision, "LocalMinDistance", |b| {
        let Distances { alarm_distance, contact_distance } = distances(b)?;
        let s = LocalMinDistanceSettings::read(b)?;
        let cones = if s.filter_intersection && !s.use_lmd_filters {
            Some(Cones { angle: s.angle_cone.get(b)?, factor: s.cone_factor.get(b)? })
        } else {
            None
        };
        let method = LocalMinDistance { alarm_distance, contact_distance, cones };
        keep(b, Intersection(IntersectionMethod::LocalMinDistance(method)))
    });

/// Overlaps of spheres, and lines that cross triangles.
#[derive(Attributes)]
struct DiscreteSettings {}

pub(super) const DISCRETE: ComponentDescription =
    ComponentDescription::new::<DiscreteSettings>(Family::Collision, "DiscreteIntersection", |b| {
        keep(b, Intersection(IntersectionMethod::Discrete))
    });

/// How far a method looks ahead.
#[derive(Word, Clone, Copy)]
enum ContinuousCollisionType {
    #[word("None", "0")]
    None,
    #[word("Inertia", "1")]
    Inertia,
    #[word("FreeMotion", "2")]
    FreeMotion,
}

/// Points that meet triangles, and lines that meet lines, on their way from the beginning of a step to the end of its free motion.
///
/// What is fast passes nothing: contacts are found wherever elements meet in between. A triangle pushes along its normal, whatever side a
/// point comes from. Under a `DefaultAnimationLoop`, which has no free motion, elements stay where a step begins, and so does everywhere
/// what no solver moves.
#[derive(Attributes)]
struct TightInclusionSettings {
    #[attribute(flatten)]
    _distances: Distances,
    /// what boxes hold of the way of their elements: where it begins, where the velocity would lead, or where the free motion leads
    #[attribute(default = "None")]
    continuous_collision_type: ContinuousCollisionType,
    /// how exactly the time of a contact is found [m]
    #[attribute(default = "1e-10", positive)]
    tolerance: f64,
    /// after looking at so many boxes of times and places a contact is as early as it may be; without limit if it is 0 or less
    #[attribute(default = "1000")]
    max_iterations: i64,
}

/// **Source:** as SOFA's, which tests the ways of free motions whatever `continuousCollisionType` says: that makes boxes only.
pub(super) const TIGHT_INCLUSION: ComponentDescription = ComponentDescription::new::<TightInclusionSettings>(
    Family::Collision,
    "CCDTightInclusionIntersection",
    |b| {
        let Distances { alarm_distance, contact_distance } = distances(b)?;
        let s = TightInclusionSettings::read(b)?;
        let sweep = match s.continuous_collision_type {
            ContinuousCollisionType::None => Sweep::Begin,
            ContinuousCollisionType::Inertia => Sweep::Inertia,
            ContinuousCollisionType::FreeMotion => Sweep::FreeMotion,
        };
        let (tolerance, max_boxes) = (s.tolerance, s.max_iterations);
        let method = TightInclusion { alarm_distance, contact_distance, sweep, tolerance, max_boxes };
        keep(b, Intersection(IntersectionMethod::TightInclusion(method)))
    },
);
