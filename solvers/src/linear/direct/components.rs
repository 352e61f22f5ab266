//! The names under which SOFA has direct solvers. The file is long for its thirteen classes.
//!
//! SOFA's direct solvers differ in the library that they call; all give the exact solution to rounding, while their factors are those of the
//! present matrix. `template` says how a matrix is laid out, which has no meaning for the result.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family, Sample};

use super::{DirectSolver, KeptNames, Method, Reuse};

/// What all of them have.
#[derive(Attributes)]
#[attributes(
    ignored("parallelInverseProduct", summary = "of constraint corrections"),
    ignored(
        "linearSystem",
        summary = "the solver makes its own; a system's own attributes are checked there"
    )
)]
struct Common {
    /// of our own: joints on mapped states have no blocks where SOFA's matrix has them in wrong places
    exact_projection: bool,
}

/// A = L D L^T of a sparse matrix with a diagonal D, exact in each step; symmetric matrices only.
#[derive(Attributes)]
#[attributes(
    ignored("savingMatrixToFile", summary = "of no effect in SOFA"),
    ignored("precomputeSymbolicDecomposition", summary = "the pattern is always kept while it fits"),
    ignored("orderingMethod", summary = "the order of elimination is approximate minimum degree"),
    ignored("L_nnz", summary = "output of SOFA's")
)]
struct Sparse {
    #[attribute(flatten)]
    common: Common,
}

/// A = L L^T of a dense matrix, exact in each step; symmetric positive definite matrices only.
#[derive(Attributes)]
#[attributes(ignored("verbose", summary = "of no effect in SOFA"))]
struct Dense {
    #[attribute(flatten)]
    common: Common,
}

/// A = U S V^T of a dense matrix with its singular values S, for matrices that may be singular: x = V S^-1 U^T b without those that are too small.
#[derive(Attributes)]
#[attributes(ignored("verbose", "conditionNumber", summary = "output of SOFA's"))]
struct Svd {
    /// singular values up to this one are left out
    #[attribute(default = "1e-6", non_negative)]
    min_singular_value: f64,
    #[attribute(flatten)]
    common: Common,
}

/// Block Thomas algorithm, exact in each step; matrices with blocks of six rows on the diagonal and beside it only: a_i = (A_ii - A_i,i-1 l_i-1)^-1, l_i = a_i A_i,i+1.
#[derive(Attributes)]
#[attributes(
    ignored("blockSize", summary = "of no effect in SOFA"),
    ignored("verbose", "showProblem", "verification", summary = "messages of SOFA's"),
    ignored("subpartSolve", summary = "of constraint corrections")
)]
struct BlockTridiagonal {
    #[attribute(flatten)]
    common: Common,
}

/// A = L D L^T of the first matrix, whose factors serve in all steps as long as there are as many unknowns.
#[derive(Attributes)]
#[attributes(
    ignored("jmjt_twostep", "verbose", summary = "of no effect in SOFA"),
    unsupported(
        "use_file",
        default = "true",
        summary = "no file is read or written: the factors are found in the first step"
    )
)]
struct Precomputed {
    #[attribute(flatten)]
    common: Common,
}

/// A = L D L^T of a sparse matrix, whose factors serve some steps later: SOFA finds them beside the steps, and takes them when they are ready.
///
/// What is ready when depends on time there. In SOFA's own example of a bar, the factors of the first step serve in more than
/// twenty. Here it is a stated number of solutions, so that results are the same everywhere; a step waits for factors that are due
/// and not there yet. Without a thread beside the steps (`--executor sequential`) they are found when they are due.
#[derive(Attributes)]
#[attributes(
    ignored("savingMatrixToFile", summary = "of no effect in SOFA"),
    ignored("precomputeSymbolicDecomposition", summary = "the pattern is always kept while it fits"),
    ignored("enableAssembly", summary = "SOFA's own switch"),
    ignored("orderingMethod", summary = "the order of elimination is approximate minimum degree"),
    ignored("L_nnz", summary = "output of SOFA's")
)]
struct Async {
    /// of our own: in how many solutions the factors of a matrix serve; no other is assembled until then
    #[attribute(default = "25", positive)]
    delay: i64,
    #[attribute(flatten)]
    common: Common,
}

/// Approximates a solution by the diagonal D of the matrix, a preconditioner: z = D^-1 r.
#[derive(Attributes)]
#[attributes(ignored("verbose", summary = "of no effect in SOFA"))]
struct Diagonal {
    #[attribute(flatten)]
    common: Common,
}

/// A symmetric sweep of over-relaxation, a preconditioner: z = (2 - w) (I + w D^-1 L)^-1 (D/w + U)^-1 r, w being `omega`.
#[derive(Attributes)]
#[attributes(ignored("verbose", summary = "of no effect in SOFA"))]
struct Relaxation {
    /// by how much the sweep over-relaxes; 1: Gauss-Seidel
    #[attribute(default = "1", positive)]
    omega: f64,
    #[attribute(flatten)]
    common: Common,
}

/// How SOFA calls layouts of matrices.
const TEMPLATES: &[&str] = &[
    "CompressedRowSparseMatrixMat3x3d",
    "CompressedRowSparseMatrixMat3x3",
    "CompressedRowSparseMatrixd",
    "CompressedRowSparseMatrix",
    "FullMatrix",
    "SparseMatrix",
    "DiagonalMatrix",
    "BlockDiagonalMatrix3d",
    "BTDMatrix6d",
];

const SAMPLES: &[Sample] = &[Sample::new("")];
/// Factors that serve in as many steps as there are.
const SAMPLES_OF_ASYNC: &[Sample] = &[Sample::new("delay='1'"), Sample::new("delay='2'")];
/// What approximates a solution serves a conjugate gradient, which is found first.
const SAMPLES_OF_PRECONDITIONERS: &[Sample] = &[Sample::new("")
    .before("<PCGLinearSolver name='served' iterations='500' tolerance='1e-28' preconditioner='@linear'/>")];
const SAMPLES_OF_LDL: &[Sample] = &[Sample::new(""), Sample::new("exactProjection='1'")];

fn add(b: &mut Builder<'_>, class: &'static str, method: Method, common: &Common) {
    add_reusing(b, class, method, common, Reuse::None);
}

fn add_reusing(b: &mut Builder<'_>, class: &'static str, method: Method, common: &Common, reuse: Reuse) {
    let Common { exact_projection } = *common;
    let solver = DirectSolver { class, method, exact_projection, reuse, kept: KeptNames::OF_SOLVER };
    b.scene.add_linear_solver(b.component, Box::new(solver));
}

macro_rules! sparse {
    ($class:literal, $Method:ident) => {
        ComponentDescription::new::<Sparse>(Family::LinearSolver, $class, |b| {
            let s = Sparse::read(b)?;
            add(b, $class, Method::$Method, &s.common);
            Ok(())
        })
        .templates(TEMPLATES)
        .samples(SAMPLES)
    };
}

fn build_dense(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Dense::read(b)?;
    add(b, "CholeskySolver", Method::DenseLlt, &s.common);
    Ok(())
}

fn build_svd(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Svd::read(b)?;
    let min_singular_value = s.min_singular_value;
    add(b, "SVDLinearSolver", Method::DenseSvd { min_singular_value }, &s.common);
    Ok(())
}

fn build_block_tridiagonal(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = BlockTridiagonal::read(b)?;
    add(b, "BTDLinearSolver", Method::BlockTridiagonal, &s.common);
    Ok(())
}

fn build_precomputed(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Precomputed::read(b)?;
    add_reusing(b, "PrecomputedLinearSolver", Method::Ldlt, &s.common, Reuse::Forever);
    Ok(())
}

fn build_async(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Async::read(b)?;
    let delay = u32::try_from(s.delay).unwrap_or(u32::MAX);
    add_reusing(b, "AsyncSparseLDLSolver", Method::Ldlt, &s.common, Reuse::Delayed(delay));
    Ok(())
}

fn build_relaxation(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Relaxation::read(b)?;
    add(b, "SSORPreconditioner", Method::Ssor { omega: s.omega }, &s.common);
    Ok(())
}

macro_rules! diagonal {
    ($class:literal, $Method:ident) => {
        ComponentDescription::new::<Diagonal>(Family::LinearSolver, $class, |b| {
            let s = Diagonal::read(b)?;
            add(b, $class, Method::$Method, &s.common);
            Ok(())
        })
    };
}

/// All direct solvers.
pub fn descriptions() -> Vec<ComponentDescription> {
    vec![
        ComponentDescription::new::<Async>(Family::LinearSolver, "AsyncSparseLDLSolver", build_async)
            .templates(TEMPLATES)
            .samples(SAMPLES_OF_ASYNC),
        ComponentDescription::new::<BlockTridiagonal>(
            Family::LinearSolver,
            "BTDLinearSolver",
            build_block_tridiagonal,
        )
        .templates(TEMPLATES)
        .samples(SAMPLES),
        diagonal!("BlockJacobiPreconditioner", BlockJacobi)
            .summary("Approximates a solution by the blocks D of three rows on the diagonal of the matrix, a preconditioner: z = D^-1 r")
            .templates(TEMPLATES)
            .samples(SAMPLES_OF_PRECONDITIONERS),
        diagonal!("JacobiPreconditioner", Jacobi).templates(TEMPLATES).samples(SAMPLES_OF_PRECONDITIONERS),
        ComponentDescription::new::<Precomputed>(
            Family::LinearSolver,
            "PrecomputedLinearSolver",
            build_precomputed,
        )
        .templates(TEMPLATES)
        .samples(SAMPLES),
        ComponentDescription::new::<Relaxation>(Family::LinearSolver, "SSORPreconditioner", build_relaxation)
            .templates(TEMPLATES)
            .samples(SAMPLES_OF_PRECONDITIONERS),
        ComponentDescription::new::<Dense>(Family::LinearSolver, "CholeskySolver", build_dense)
            .templates(TEMPLATES)
            .samples(SAMPLES),
        sparse!("EigenSimplicialLDLT", Ldlt),
        sparse!("EigenSimplicialLLT", Llt)
            .summary("A = L L^T of a sparse matrix, exact in each step; symmetric positive definite matrices only")
            .old_names(&["SparseCholeskySolver", "EigenCholmodSupernodalLLT"]),
        sparse!("EigenSparseLU", Lu)
            .summary("A = L U of a sparse matrix, with pivots, exact in each step; symmetric or not")
            .old_names(&["SparseLUSolver"]),
        sparse!("EigenSparseQR", Qr)
            .summary("A = Q R of a sparse matrix with an orthogonal Q, exact in each step; symmetric or not"),
        ComponentDescription::new::<Svd>(Family::LinearSolver, "SVDLinearSolver", build_svd)
            .templates(TEMPLATES)
            .samples(SAMPLES),
        sparse!("SparseLDLSolver", Ldlt).samples(SAMPLES_OF_LDL),
    ]
}
