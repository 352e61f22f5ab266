//! The intersection methods: `MinProximityIntersection`, `NewProximityIntersection`, `DiscreteIntersection`.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription, Family};

use super::phases::keep;
use crate::collision::narrow_phase::{IntersectionMethod, MinProximity, NewProximity};

/// An intersection method.
#[derive(Clone, Copy, Debug)]
pub struct Intersection(pub IntersectionMethod);

const DISTANCES: &[AttributeDescription] = &[
    AttributeDescription::new("alarmDistance", AttributeKind::Real, "closer elements give an output")
        .default("1")
        .unit("m"),
    AttributeDescription::new("contactDistance", AttributeKind::Real, "closer elements repel")
        .default("0.5")
        .unit("m"),
];

const fn option(name: &'static str, default: &'static str, summary: &'static str) -> AttributeDescription {
    AttributeDescription::new(name, AttributeKind::Bool, summary).default(default)
}

const fn method(
    class: &'static str,
    summary: &'static str,
    attributes: &'static [&'static [AttributeDescription]],
    build: fn(&mut Builder<'_>) -> Result<(), BuildError>,
) -> ComponentDescription {
    ComponentDescription {
        class,
        old_names: &[],
        family: Family::Collision,
        summary,
        templates: &[],
        attributes,
        samples: &[],
        build,
    }
}

fn distances(b: &mut Builder<'_>) -> Result<(f64, f64), BuildError> {
    let mut read = |name: &'static str| -> Result<f64, BuildError> {
        let value = b.real(name)?;
        if value < 0.0 {
            return Err(BuildError::attribute(name, format!("`{name}` is {value}, it must not be negative")));
        }
        if !b.is_set(name) {
            b.warn(Some(name), format!("`{name}` is not given; {value} is used"));
        }
        Ok(value)
    };
    Ok((read("alarmDistance")?, read("contactDistance")?))
}

pub(super) const MIN_PROXIMITY: ComponentDescription = method(
    "MinProximityIntersection",
    "Distances between points, lines and triangles; triangles meet points only.",
    &[
        DISTANCES,
        &[
            option("useSphereTriangle", "true", "test spheres against triangles"),
            option("usePointPoint", "true", "test points against points"),
            option("useLinePoint", "true", "test lines against points"),
            option("useLineLine", "true", "test lines against lines"),
            option(
                "useSurfaceNormals",
                "false",
                "a contact of triangle and point takes the triangle's normal",
            ),
        ],
    ],
    |b| {
        let (alarm_distance, contact_distance) = distances(b)?;
        let method = MinProximity {
            alarm_distance,
            contact_distance,
            use_sphere_triangle: b.boolean("useSphereTriangle")?,
            use_point_point: b.boolean("usePointPoint")?,
            use_line_point: b.boolean("useLinePoint")?,
            use_line_line: b.boolean("useLineLine")?,
            use_surface_normals: b.boolean("useSurfaceNormals")?,
        };
        keep(b, Intersection(IntersectionMethod::MinProximity(method)))
    },
);

pub(super) const NEW_PROXIMITY: ComponentDescription = method(
    "NewProximityIntersection",
    "Distances between points, lines and triangles, all kinds against all.",
    &[DISTANCES, &[option("useLineLine", "false", "test edges against edges")]],
    |b| {
        let (alarm_distance, contact_distance) = distances(b)?;
        let method =
            NewProximity { alarm_distance, contact_distance, use_line_line: b.boolean("useLineLine")? };
        keep(b, Intersection(IntersectionMethod::NewProximity(method)))
    },
);

pub(super) const DISCRETE: ComponentDescription =
    method("DiscreteIntersection", "Overlaps of spheres, and lines that cross triangles.", &[], |b| {
        keep(b, Intersection(IntersectionMethod::Discrete))
    });
