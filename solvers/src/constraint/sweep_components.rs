//! The names and attributes of constraint solvers that sweep. The file is long for its five classes.
//!
//! The multipliers λ of all rows fulfil d = W λ + δ with W = Σ J C Jᵀ over the corrections and the violations δ after the free motion:
//! d = 0 where a row holds, 0 ≤ λ, 0 ≤ d, λ d = 0 where it pushes, and of a contact with friction |λₜ| ≤ μ λₙ besides, against the
//! sliding. A block of rows is solved by λ −= W_bb^-1 d, of a row that pushes by λ = max(λ − d/w, 0); of a contact λₙ −= dₙ/w, then λₜ −=
//! 2 dₜ/(w₁ + w₂) with both tangents' entries of W, brought back onto the cone.
//!
//! - `BlockGaussSeidelConstraintSolver` solves one block after the other, in sweeps that end where Σ |W Δλ| is below `tolerance` (times the
//!   number of rows with `scaleTolerance`); `sor` is the share of a sweep that is taken.
//! - `NNCGConstraintSolver` adds b p after a sweep, p being the direction so far and b the ratio of the squares of this sweep's change and
//!   the last one's; it begins anew where b > 1.
//! - `UnbuiltGaussSeidelConstraintSolver` does without W where a correction is uncoupled: forces move what they act on.
//! - `ImprovedJacobiConstraintSolver` solves all blocks by the d of the sweep before. It answers all of d, or the share
//!   `spectralCorrectionFactor` min(1, 1.8/ρ²) with the greatest eigenvalue ρ of W, and may go on along the last change.
//! - `PreconditionedConjugateResidual` solves D^-1/2 W D^-1/2 y = −D^-1/2 δ for λ = D^-1/2 y as if all rows held, D being W's diagonal.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family, Sample};

use super::block_gauss_seidel::{Scheme, SweepingConstraintSolver};
use super::improved_jacobi::Jacobi;
use super::null_space::NullSpace;
use super::sweep_settings::SweepSettings;

/// Attributes of all solvers that sweep.
#[derive(Attributes)]
#[attributes(
    ignored("computeConstraintForces", "computeGraphs", "multithreading"),
    ignored(
        "constraintForces",
        "currentNumConstraints",
        "currentNumConstraintGroups",
        "currentError",
        "currentIterations",
        summary = "what SOFA's tells of the last step; multipliers and sweeps are in the report"
    )
)]
struct Settings {
    /// greatest number of sweeps
    #[attribute(default = "1000", alias = "maxIt")]
    max_iterations: i64,
    /// error at which sweeps end
    #[attribute(default = "0.001")]
    tolerance: f64,
    /// share of each sweep that is taken
    #[attribute(default = "1")]
    sor: f64,
    /// added to the diagonal of the compliance
    #[attribute(default = "0", non_negative)]
    regularization_term: f64,
    /// `regularizationTerm` is added only to rows in the null space of the compliance, found by its singular values
    #[attribute(name = "useSVDForRegularization", default = "0")]
    use_svd: bool,
    /// share of the greatest singular value below which one belongs to the null space
    #[attribute(name = "svdSingularValueNullSpaceCriteriaFactor", default = "0.01", non_negative)]
    value_factor: f64,
    /// entry of a singular vector above which its row belongs to the null space
    #[attribute(name = "svdSingularVectorNullSpaceCriteriaFactor", default = "0.001", non_negative)]
    vector_factor: f64,
    /// multiply the tolerance by the number of rows
    #[attribute(default = "1")]
    scale_tolerance: bool,
    /// stop only when every row is within the tolerance
    #[attribute(default = "0")]
    all_verified: bool,
    /// the corrections; all below are taken
    _constraint_corrections: Option<LinkTarget>,
}

/// Attributes of sweeps without a matrix.
#[derive(Attributes)]
struct UnbuiltSettings {
    /// of our own: with `sor` other than 1, sweeps see the motions of what is taken of a sweep; SOFA's see those of all of it, and end with `sor` times the multipliers that are needed
    exact_relaxation: bool,
    /// of our own: bodies give way by the integrator's factors, as where a matrix is built; SOFA's leave these out, or have those of positions where velocities are asked for
    exact_factors: bool,
    #[attribute(flatten)]
    sweeps: Settings,
}

/// Attributes of sweeps that answer all blocks at once.
#[derive(Attributes)]
struct JacobiSettings {
    /// sweeps answer a share of violations only, by the greatest eigenvalue of the compliance
    use_spectral_correction: bool,
    /// factor of that share
    #[attribute(default = "1", non_negative)]
    spectral_correction_factor: f64,
    /// sweeps go on in the direction of the last one, the more the later they are
    use_conjugate_residue: bool,
    /// the last direction counts (sweep / maxIterations) to this power
    #[attribute(default = "10", non_negative)]
    conjugate_residue_speed_factor: f64,
    #[attribute(flatten)]
    sweeps: Settings,
}

fn settings(s: Settings) -> Result<SweepSettings, BuildError> {
    let max_iterations = u32::try_from(s.max_iterations)
        .map_err(|_| BuildError::attribute("maxIterations", "`maxIterations` must not be negative"))?;
    Ok(SweepSettings {
        max_iterations,
        tolerance: s.tolerance,
        sor: s.sor,
        moves_by_relaxed: false,
        exact_factors: false,
        regularization: s.regularization_term,
        null_space: s
            .use_svd
            .then_some(NullSpace { value_factor: s.value_factor, vector_factor: s.vector_factor }),
        scale_tolerance: s.scale_tolerance,
        all_verified: s.all_verified,
    })
}

/// Sweeps until nothing changes.
const CONVERGED: &[Sample] = &[Sample::new("maxIterations='5000' tolerance='1e-15'")];

const fn description(
    class: &'static str,
    summary: &'static str,
    build: fn(&mut Builder<'_>) -> Result<(), BuildError>,
) -> ComponentDescription {
    ComponentDescription::new::<Settings>(Family::ConstraintSolver, class, build).summary(summary)
}

/// What is said of a regularization where no matrix is built.
pub(super) const NO_REGULARIZATION: &str = "a sweep divides by it, but what forces move is without it, as in SOFA: multipliers end where they do without a regularization";

fn put(b: &mut Builder<'_>, class: &'static str, scheme: Scheme) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    put_with(b, class, scheme, s)
}

fn put_jacobi(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = JacobiSettings::read(b)?;
    let how = Jacobi {
        spectral: s.use_spectral_correction.then_some(s.spectral_correction_factor),
        speed: s.use_conjugate_residue.then_some(s.conjugate_residue_speed_factor),
    };
    put_with(b, "ImprovedJacobiConstraintSolver", Scheme::ImprovedJacobi(how), s.sweeps)
}

fn put_unbuilt(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let UnbuiltSettings { exact_relaxation, exact_factors, sweeps } = UnbuiltSettings::read(b)?;
    let settings = SweepSettings { moves_by_relaxed: exact_relaxation, exact_factors, ..settings(sweeps)? };
    if settings.null_space.is_some() {
        return Err(BuildError::attribute(
            "useSVDForRegularization",
            "there is no matrix to find singular values of: use a BlockGaussSeidelConstraintSolver",
        ));
    }
    if settings.regularization != 0.0 {
        b.warn(Some("regularizationTerm"), NO_REGULARIZATION);
    }
    if settings.sor != 1.0 && !exact_relaxation {
        let what = format!(
            "multipliers end as {} times those that are needed, as in SOFA; `exactRelaxation=\"1\"` ends with these",
            settings.sor
        );
        b.warn(Some("sor"), what);
    }
    add(b, "UnbuiltGaussSeidelConstraintSolver", Scheme::Unbuilt, settings);
    Ok(())
}

fn put_with(b: &mut Builder<'_>, class: &'static str, scheme: Scheme, s: Settings) -> Result<(), BuildError> {
    let settings = settings(s)?;
    add(b, class, scheme, settings);
    Ok(())
}

fn add(b: &mut Builder<'_>, class: &'static str, scheme: Scheme, settings: SweepSettings) {
    let solver = SweepingConstraintSolver { class, scheme, settings };
    b.scene.add_constraint_solver(b.component, Box::new(solver));
}

pub(super) const BLOCK_GAUSS_SEIDEL: ComponentDescription = description(
    "BlockGaussSeidelConstraintSolver",
    "Finds Lagrange multipliers by block Gauss-Seidel.",
    |b| put(b, "BlockGaussSeidelConstraintSolver", Scheme::GaussSeidel),
)
.samples(CONVERGED)
.old_names(&["GenericConstraintSolver", "ProjectedGaussSeidelConstraintSolver"]);

pub(super) const UNBUILT_GAUSS_SEIDEL: ComponentDescription = ComponentDescription::new::<UnbuiltSettings>(
    Family::ConstraintSolver,
    "UnbuiltGaussSeidelConstraintSolver",
    put_unbuilt,
)
.summary("Finds Lagrange multipliers by block Gauss-Seidel, by the motions of single objects; of those with an `UncoupledConstraintCorrection` no matrix is made.")
.samples(&[
    Sample::new("maxIterations='5000' tolerance='1e-15'"),
    Sample::new("maxIterations='5000' tolerance='1e-15' exactFactors='1'"),
]);

pub(super) const NNCG: ComponentDescription = description(
    "NNCGConstraintSolver",
    "Finds Lagrange multipliers by block Gauss-Seidel and conjugate directions between sweeps.",
    |b| put(b, "NNCGConstraintSolver", Scheme::Conjugate),
)
.samples(CONVERGED);

pub(super) const IMPROVED_JACOBI: ComponentDescription = ComponentDescription::new::<JacobiSettings>(
    Family::ConstraintSolver,
    "ImprovedJacobiConstraintSolver",
    put_jacobi,
)
.summary("Finds Lagrange multipliers by sweeps over all blocks at once, optionally damped and with momentum.")
.samples(&[Sample::new(
    "maxIterations='5000' tolerance='1e-15' useSpectralCorrection='1' useConjugateResidue='1' conjugateResidueSpeedFactor='0.6'",
)]);

/// What its example has: rows that hold, and as many iterations as rows. Where its error is small by accident it ends early, so that no
/// sample is compared with exact multipliers.
pub(super) const CONJUGATE_RESIDUAL: ComponentDescription = description(
    "PreconditionedConjugateResidual",
    "Finds the Lagrange multipliers of rows that hold, by a conjugate residual.",
    |b| put(b, "PreconditionedConjugateResidual", Scheme::ConjugateResidual),
);
