//! Contacts between the elements of two models: bounding trees and positions in, detection outputs out.
//!
//! One file per intersection method; `bvh` walks the two trees, `candidates` keeps from step to step what the walk found,
//! `triangle_features` tests listed vertices against triangles several at a time, `elements` holds the geometry that the methods share,
//! `time_of_impact` when elements meet on their way, `solid` boxes, capsules and cylinders, which are tested alike under all methods.

mod bvh;
mod candidates;
mod cones;
mod detection_output;
mod discrete;
mod element_pair;
mod elements;
mod local_min_distance;
mod method;
mod min_proximity;
mod new_proximity;
mod ray_trace;
mod room;
mod self_filter;
mod solid;
mod tight_inclusion;
mod time_of_impact;
mod triangle_features;

pub use bvh::Work;
pub use candidates::{Candidates, MadeFor, detect_listed};
pub use cones::Cones;
pub use detection_output::DetectionOutput;
pub use element_pair::ElementPair;
pub(super) use elements::{Projection, unit_clamped};
pub use local_min_distance::LocalMinDistance;
pub use method::{IntersectionMethod, Order, detect, detect_ahead};
pub use min_proximity::MinProximity;
pub use new_proximity::NewProximity;
pub use ray_trace::{RaySurface, facets_of, normals_of, trace};
pub use self_filter::SelfFilter;
pub use tight_inclusion::{Sweep, TightInclusion};
pub use time_of_impact::ParameterBox;
pub use triangle_features::{FeatureBlock, Hit};
