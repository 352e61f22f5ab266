//! SOFA's components for linear systems: a solver makes its own system here, so that they have nothing to do but to be checked. The file
//! is long for its many small classes.
//!
//! `ConstantSparsityPatternSystem` puts the k-th entry that a component writes where its k-th entry of the first step was; where
//! contacts come and go, SOFA's numbers land in wrong places then. Here they never do.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::solver::SolverSetting;

/// The matrix of all that a solver moves; the solver makes it. A system that leaves parts out may stand beside it, for who looks at it.
#[derive(Attributes)]
#[attributes(
    ignored("checkIndices", summary = "blocks outside the matrix are errors"),
    ignored("parallelAssemblyIndependentMatrices", summary = "assembly is tasks in any case"),
    ignored("preconditionerSystem", summary = "a preconditioner makes its own"),
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
    /// geometric stiffness of mappings is part of the matrix
    #[attribute(default = "1")]
    assemble_geometric_stiffness: bool,
}

const TEMPLATES: &[&str] = &[
    "CompressedRowSparseMatrixd",
    "CompressedRowSparseMatrix",
    "CompressedRowSparseMatrixMat3x3d",
    "CompressedRowSparseMatrixMat3x3",
    "GraphScattered",
    "FullMatrix",
];

/// Notes what is left out of the matrix: a scene whose solver uses such a system is refused once it is whole.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let parts = [
        ("assembleStiffness", s.assemble_stiffness),
        ("assembleMass", s.assemble_mass),
        ("assembleDamping", s.assemble_damping),
        ("applyProjectiveConstraints", s.apply_projective_constraints),
        ("applyMappedComponents", s.apply_mapped_components),
        ("assembleGeometricStiffness", s.assemble_geometric_stiffness),
    ];
    if let Some((name, _)) = parts.into_iter().find(|(_, is_part)| !is_part) {
        b.scene.solvers.settings.insert(b.component, SolverSetting::PartialSystem(name));
    }
    Ok(())
}

/// How often a preconditioner's matrix is assembled.
#[derive(Attributes)]
#[attributes(
    ignored("preconditionerSystem", summary = "a preconditioner makes its own"),
    ignored("matrixChanged", summary = "output of SOFA's")
)]
struct Preconditioned {
    /// once in how many set-ups of the system the preconditioner's matrix is assembled
    #[attribute(default = "1", alias = "update_step", positive)]
    assembling_rate: i64,
}

fn build_preconditioned(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Preconditioned::read(b)?;
    let rate = u32::try_from(s.assembling_rate).unwrap_or(u32::MAX);
    b.scene.solvers.settings.insert(b.component, SolverSetting::AssemblingRate(rate));
    Ok(())
}

/// Several systems, of which a solver uses one, as here: the one that it makes.
#[derive(Attributes)]
#[attributes(
    ignored("linearSystems", "solverLinearSystem", summary = "the solver makes its own"),
    ignored("matrixChanged", summary = "output of SOFA's")
)]
struct Composite {}

/// The system of a PrecomputedWarpPreconditioner, which in SOFA holds a matrix that nothing is assembled into.
#[derive(Attributes)]
#[attributes(ignored("matrixChanged", summary = "output of SOFA's"))]
struct PrecomputedMatrix {}

/// How what acts on mapped states comes into the matrix: by the Jacobians of the present step.
#[derive(Attributes)]
#[attributes(
    ignored("mechanicalStates", summary = "this holds for all pairs of states"),
    ignored("parallelProduct", summary = "of no effect on the numbers")
)]
struct Projection {
    /// the Jacobians of the first assembly serve for ever in SOFA; here those of the present step do, which are the same of a linear mapping
    are_jacobians_constant: bool,
}

fn build_projection(b: &mut Builder<'_>) -> Result<(), BuildError> {
    if Projection::read(b)?.are_jacobians_constant {
        let message = "Jacobians are those of the present step here: the same where mappings are linear; where they are not, SOFA's matrix is another one";
        b.warn(Some("areJacobiansConstant"), message);
    }
    Ok(())
}

/// How often the matrix under a warped preconditioner is assembled.
///
/// In between, SOFA turns the older factors by the present rotations of the nodes. Here they serve as they are, which takes
/// the conjugate gradient more iterations.
#[derive(Attributes)]
#[attributes(
    ignored("mainSystem", summary = "a preconditioner makes its own"),
    ignored("rotationFinder", summary = "rotations are not looked at, see `assemblingRate`"),
    ignored("matrixChanged", summary = "output of SOFA's")
)]
struct Rotated {
    /// once in how many set-ups of the system the matrix is assembled; in between its factors serve without rotations
    #[attribute(default = "1", positive)]
    assembling_rate: i64,
}

fn build_rotated(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Rotated::read(b)?;
    if s.assembling_rate != 1 {
        b.warn(
            Some("assemblingRate"),
            "between assemblies the older factors serve without the rotations that SOFA applies: the solution is found to the same tolerance in other iterations",
        );
    }
    let rate = u32::try_from(s.assembling_rate).unwrap_or(u32::MAX);
    b.scene.solvers.settings.insert(b.component, SolverSetting::WarpingRate(rate));
    Ok(())
}

/// The components.
pub fn descriptions() -> Vec<ComponentDescription> {
    let system =
        |class| ComponentDescription::new::<Settings>(Family::Ignored, class, build).templates(TEMPLATES);
    let projection = |class| {
        ComponentDescription::new::<Projection>(Family::Ignored, class, build_projection).templates(TEMPLATES)
    };
    vec![
        ComponentDescription::new::<Composite>(Family::Ignored, "CompositeLinearSystem", |_| Ok(()))
            .templates(TEMPLATES),
        projection("ConstantSparsityProjectionMethod"),
        system("ConstantSparsityPatternSystem"),
        system("MatrixFreeSystem"),
        system("MatrixLinearSystem"),
        projection("MatrixProjectionMethod"),
        ComponentDescription::new::<PrecomputedMatrix>(
            Family::Ignored,
            "PrecomputedMatrixSystem",
            |_| Ok(()),
        )
        .templates(TEMPLATES),
        ComponentDescription::new::<Preconditioned>(
            Family::Ignored,
            "PreconditionedMatrixFreeSystem",
            build_preconditioned,
        )
        .templates(TEMPLATES),
        ComponentDescription::new::<Rotated>(Family::Ignored, "RotationMatrixSystem", build_rotated)
            .templates(&["RotationMatrix", "RotationMatrixd"]),
    ]
}
