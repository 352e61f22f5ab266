//! SOFA's components for linear systems: a solver makes its own system here, so that they have nothing to do but to be checked.
//!
//! `ConstantSparsityPatternSystem` puts the k-th entry that a component writes where its k-th entry of the first step was; where
//! contacts come and go, SOFA's numbers land in wrong places then. Here they never do.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};

/// The matrix of all that a solver moves; the solver makes it.
#[derive(Attributes)]
#[attributes(
    ignored("checkIndices", summary = "blocks outside the matrix are errors"),
    ignored("parallelAssemblyIndependentMatrices", summary = "assembly is tasks in any case"),
    ignored("assembleGeometricStiffness", summary = "no mapping here has any"),
    ignored("preconditionerSystem", summary = "there are no preconditioners yet"),
    ignored("matrixChanged", summary = "output of SOFA's")
)]
struct Settings {
    /// stiffness is part of the matrix
    #[attribute(default = "1")]
    assemble_stiffness: bool,
    /// mass is part of the matrix
    #[attribute(default = "1")]
    assemble_mass: bool,
    /// damping is part of the matrix
    #[attribute(default = "1")]
    assemble_damping: bool,
    /// what constraints hold is cleared
    #[attribute(default = "1")]
    apply_projective_constraints: bool,
    /// components on mapped states are part of the matrix
    #[attribute(default = "1")]
    apply_mapped_components: bool,
}

const TEMPLATES: &[&str] = &[
    "CompressedRowSparseMatrixd",
    "CompressedRowSparseMatrix",
    "CompressedRowSparseMatrixMat3x3d",
    "CompressedRowSparseMatrixMat3x3",
    "GraphScattered",
    "FullMatrix",
];

/// # Errors
/// Where something is left out of the matrix: no solver here does that.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let parts = [
        ("assembleStiffness", s.assemble_stiffness),
        ("assembleMass", s.assemble_mass),
        ("assembleDamping", s.assemble_damping),
        ("applyProjectiveConstraints", s.apply_projective_constraints),
        ("applyMappedComponents", s.apply_mapped_components),
    ];
    match parts.into_iter().find(|(_, is_part)| !is_part) {
        Some((name, _)) => Err(BuildError::attribute(
            name,
            format!("`{name}` cannot be switched off: a solver's matrix here is always the whole one"),
        )),
        None => Ok(()),
    }
}

/// The components.
pub fn descriptions() -> Vec<ComponentDescription> {
    let system =
        |class| ComponentDescription::new::<Settings>(Family::Ignored, class, build).templates(TEMPLATES);
    vec![system("ConstantSparsityPatternSystem"), system("MatrixFreeSystem"), system("MatrixLinearSystem")]
}
