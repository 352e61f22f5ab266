//! Shape matching: `ClusteringEngine` divides points into overlapping clusters, and `ShapeMatching` puts each cluster's rest shape where
//! its points are.

mod clustering_engine;
pub(crate) mod matched;
pub(crate) mod shape_matching_engine;

use sim_core::component::description::ComponentDescription;

/// The components of this family.
pub(super) const ALL: [ComponentDescription; 2] =
    [clustering_engine::DESCRIPTION, shape_matching_engine::DESCRIPTION];
