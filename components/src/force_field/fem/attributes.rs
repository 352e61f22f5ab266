//! Attributes that the linear-elastic force fields share.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::LinkTarget;

/// Material and topology.
#[derive(Attributes, Clone, Debug)]
pub(crate) struct ElasticAttributes {
    /// topology with the elements; else the last one of the node, or above
    _topology: Option<LinkTarget>,
    /// Young's modulus: one, or one per element (elements beyond the list take the first) [Pa]
    #[attribute(default = "5000")]
    pub young_modulus: Vec<f64>,
    /// Poisson's ratio in [0, 0.5): one, or one per element (elements beyond the list take the first)
    #[attribute(default = "0.45")]
    pub poisson_ratio: Vec<f64>,
}

impl ElasticAttributes {
    /// Of a component whose own attributes have other defaults.
    pub fn of(young_modulus: Vec<f64>, poisson_ratio: Vec<f64>) -> Self {
        Self { _topology: None, young_modulus, poisson_ratio }
    }
}

/// What both fields of tetrahedra have.
#[derive(Attributes, Debug)]
#[attributes(
    ignored("computeVonMisesStress"),
    ignored("drawHeterogeneousTetra", "vonMisesPerElement", "vonMisesPerNode", "vonMisesStressColors"),
    ignored("showStressColorMap", "showStressAlpha", "showVonMisesStressPerNode"),
    ignored("showVonMisesStressPerNodeColorMap", "showVonMisesStressPerElement"),
    ignored("drawing", "drawAsEdges", "drawColor1", "drawColor2", "drawColor3", "drawColor4")
)]
pub(crate) struct TetrahedraAttributes {
    /// factors of Young's modulus, spread evenly over the elements
    pub local_stiffness_factor: Vec<f64>,
    /// whether strains are taken with the gradients of the deformed elements
    pub update_stiffness_matrix: bool,
    /// accepted; forces are computed element by element in either case
    #[attribute(alias = "assembling")]
    pub compute_global_matrix: bool,
    #[attribute(flatten)]
    pub elastic: ElasticAttributes,
}
