//! The names under which SOFA has direct solvers.
//!
//! SOFA's differ in the library that they call; all give the exact solution to rounding. `template` says how a matrix is laid
//! out, which has no meaning for the result.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family, Sample};

use super::{DirectSolver, Method};

/// Sparse L D L^T, exact in each step; symmetric matrices only.
#[derive(Attributes)]
#[attributes(
    ignored("precomputeSymbolicDecomposition", summary = "the pattern is always kept while it fits"),
    ignored("parallelInverseProduct", summary = "of constraint corrections"),
    ignored("orderingMethod", summary = "the order of elimination is approximate minimum degree"),
    ignored(
        "linearSystem",
        summary = "the solver makes its own; a system's own attributes are checked there"
    ),
    ignored("L_nnz", summary = "output of SOFA's")
)]
struct Sparse {
    /// of our own: joints on mapped states have no blocks where SOFA's matrix has them in wrong places
    exact_projection: bool,
}

/// L L^T of a dense matrix, exact in each step; symmetric positive definite matrices only.
#[derive(Attributes)]
#[attributes(ignored("linearSystem", summary = "the solver makes its own"))]
struct Dense {
    /// of our own: joints on mapped states have no blocks where SOFA's matrix has them in wrong places
    exact_projection: bool,
}

/// Singular values of a dense matrix, for matrices that may be singular.
#[derive(Attributes)]
#[attributes(
    ignored("linearSystem", summary = "the solver makes its own"),
    ignored("verbose", "conditionNumber", summary = "output of SOFA's")
)]
struct Svd {
    /// singular values up to this one are left out
    #[attribute(default = "1e-6", non_negative)]
    min_singular_value: f64,
    /// of our own: joints on mapped states have no blocks where SOFA's matrix has them in wrong places
    exact_projection: bool,
}

/// How SOFA calls layouts of matrices.
const TEMPLATES: &[&str] = &[
    "CompressedRowSparseMatrixMat3x3d",
    "CompressedRowSparseMatrixMat3x3",
    "CompressedRowSparseMatrixd",
    "CompressedRowSparseMatrix",
    "FullMatrix",
    "SparseMatrix",
];

const SAMPLES: &[Sample] = &[Sample::new("")];
const SAMPLES_OF_LDL: &[Sample] = &[Sample::new(""), Sample::new("exactProjection='1'")];

fn add(b: &mut Builder<'_>, class: &'static str, method: Method, exact_projection: bool) {
    b.scene.add_linear_solver(b.component, Box::new(DirectSolver { class, method, exact_projection }));
}

macro_rules! sparse {
    ($class:literal, $Method:ident) => {
        ComponentDescription::new::<Sparse>(Family::LinearSolver, $class, |b| {
            let s = Sparse::read(b)?;
            add(b, $class, Method::$Method, s.exact_projection);
            Ok(())
        })
        .templates(TEMPLATES)
        .samples(SAMPLES)
    };
}

fn build_dense(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Dense::read(b)?;
    add(b, "CholeskySolver", Method::DenseLlt, s.exact_projection);
    Ok(())
}

fn build_svd(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Svd::read(b)?;
    let min_singular_value = s.min_singular_value;
    add(b, "SVDLinearSolver", Method::DenseSvd { min_singular_value }, s.exact_projection);
    Ok(())
}

/// All direct solvers.
pub fn descriptions() -> Vec<ComponentDescription> {
    vec![
        ComponentDescription::new::<Dense>(Family::LinearSolver, "CholeskySolver", build_dense)
            .templates(TEMPLATES)
            .samples(SAMPLES),
        sparse!("EigenSimplicialLDLT", Ldlt),
        sparse!("EigenSimplicialLLT", Llt),
        sparse!("EigenSparseLU", Lu).old_names(&["SparseLUSolver"]),
        sparse!("EigenSparseQR", Qr),
        ComponentDescription::new::<Svd>(Family::LinearSolver, "SVDLinearSolver", build_svd)
            .templates(TEMPLATES)
            .samples(SAMPLES),
        sparse!("SparseLDLSolver", Ldlt).samples(SAMPLES_OF_LDL),
    ]
}
