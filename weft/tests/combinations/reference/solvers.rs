//! The solvers of a scene, as far as they matter here.

use nalgebra::DMatrix;
use sim_core::scene::{ComponentId, Scene};

use super::integrator::{Integrator, number};

/// All that matters of a linear solver here, since the reference solves with LU.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Linear {
    /// Whether it assembles a matrix.
    pub(super) assembled: bool,
    /// Whether it solves by factors, of a matrix in which only some constraints clear what they hold.
    pub(super) direct: bool,
    /// Whether its matrix has no blocks in wrong places, which SOFA's has.
    pub(super) exact: bool,
    /// Whether it starts from the solution of the step before: then it is merged only with its like.
    pub(super) warm: bool,
    /// Whether it starts from a solution before, where a singular matrix has several.
    pub(super) goes_on: bool,
    /// Whether it is a conjugate gradient, which an indefinite matrix may lead anywhere.
    pub(super) gradient: bool,
    /// When it ends, where that is by another residual than one relative to the right-hand side's size.
    pub(super) ends: Ends,
    /// Whether it needs a positive definite matrix.
    pub(super) positive: bool,
    /// Whether it needs one without saying so.
    pub(super) definite: bool,
    /// Whether it needs a regular one.
    pub(super) regular: bool,
    /// Whether it needs blocks of six rows on the diagonal and beside it only.
    pub(super) banded: bool,
    /// The component, of a solver that is never merged.
    pub(super) alone: Option<usize>,
    /// How long a matrix serves.
    pub(super) serves: Serves,
}

/// When an iterative solver ends, with its tolerance t.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Ends {
    #[default]
    ByRightHandSide,
    /// Minimal residuals: |r| <= t N |x|. N^2 is the sum of squares of the tridiagonal matrix that they find, which is at most that of A's
    /// entries, and of the size of the first residual, b - A x of the step before.
    ///
    /// **Source:** as SOFA's.
    Minimal(f64),
    /// With a preconditioner P: r.P^-1 r <= t b.b. P has A's scale at most, so that |r|^2 <= t |A| |b|^2.
    ///
    /// **Source:** as SOFA's.
    Preconditioned(f64),
}

/// How long the matrix of a linear solver serves.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Serves {
    #[default]
    Once,
    /// The first one for ever.
    Forever,
    /// One in so many is assembled, and serves from the next such time on.
    Late(usize),
}

/// The matrices of a linear solver that serve for longer.
#[derive(Default)]
pub(super) struct Served {
    pub(super) count: usize,
    pub(super) now: Option<DMatrix<f64>>,
    pub(super) next: Option<DMatrix<f64>>,
}

/// An ODE solver with its linear solver.
pub(super) struct Solver {
    pub(super) at: usize,
    pub(super) path: String,
    pub(super) integrator: Integrator,
    /// Those behind it in its node: each takes a whole step from where the one before has left off.
    pub(super) further: Vec<Integrator>,
    /// Its linear solver; none if it has none.
    pub(super) linear: Option<Linear>,
    pub(super) served: Served,
    /// The matrix of its last system, before projection.
    pub(super) system: Option<DMatrix<f64>>,
    /// The exact matrix of its first system of as many unknowns, before projection.
    pub(super) first_system: Option<DMatrix<f64>>,
    /// What lessens the velocities that it leaves: rate and threshold.
    pub(super) damps: Vec<(f64, f64)>,
}

/// The solvers that are not below another one.
pub(super) fn solvers(scene: &Scene) -> Result<Vec<Solver>, String> {
    let all = || scene.solvers.ode.iter().filter(|s| scene.has_component(s.component));
    let odes: Vec<_> = all().filter(|s| !s.node.follows()).collect();
    let order = scene.depth_first();
    let mut result: Vec<Solver> = Vec::new();
    for ode in &odes {
        if let Some(first) = result.iter_mut().find(|s| s.at == ode.at.0 as usize) {
            first.further.push(Integrator::of(scene, ode.component)?);
            continue;
        }
        let outer = scene.upward(ode.at).skip(1).any(|n| odes.iter().any(|o| o.at == n));
        if outer {
            continue;
        }
        // In its node first, else downwards.
        let linears = scene.solvers.linear.iter().filter(|l| scene.has_component(l.component));
        let linears = linears.filter(|l| scene.upward(l.at).any(|n| n == ode.at));
        let found = linears.min_by_key(|l| order.iter().position(|n| *n == l.at));
        let linear = match found {
            Some(l) => Some(linear(scene, l.component)?),
            None => None,
        };
        let integrator = Integrator::of(scene, ode.component)?;
        let mut damps = Vec::new();
        for after in all().filter(|s| s.node.follows() && s.at == ode.at) {
            damps.push((
                number(scene, after.component, "rate")?,
                number(scene, after.component, "threshold")?,
            ));
        }
        let (at, path) = (ode.at.0 as usize, scene.path(ode.component));
        result.push(Solver {
            at,
            path,
            integrator,
            further: Vec::new(),
            linear,
            served: Served::default(),
            system: None,
            first_system: None,
            damps,
        });
    }
    Ok(result)
}

fn linear(scene: &Scene, component: ComponentId) -> Result<Linear, String> {
    let flag = |name| Ok::<bool, String>(number(scene, component, name)? != 0.0);
    let found = scene.component(component);
    let recipe = found.recipe.as_ref().map(|r| &r.attributes);
    let of_matrix = Linear { assembled: true, ..Linear::default() };
    let alone = Some(component.0 as usize);
    Ok(match found.class {
        "CGLinearSolver" => {
            let template = recipe.and_then(|a| a.template.as_deref());
            let assembled = !matches!(template, None | Some("GraphScattered"));
            let (exact, warm) = (flag("exactProjection")?, flag("warmStart")?);
            Linear { assembled, exact, warm, goes_on: warm, gradient: true, ..of_matrix }
        }
        "MinResLinearSolver" => {
            let ends = Ends::Minimal(number(scene, component, "tolerance")?);
            Linear { assembled: false, goes_on: true, ends, ..of_matrix }
        }
        "PCGLinearSolver" => {
            // What it converges to does not depend on its preconditioner, which needs a positive definite matrix.
            let is_preconditioned = recipe.is_some_and(|a| a.links.contains_key("preconditioner"));
            let alone = alone.filter(|_| is_preconditioned);
            let found = Linear { assembled: false, goes_on: true, gradient: true, ..of_matrix };
            let ends = match is_preconditioned {
                true => Ends::Preconditioned(number(scene, component, "tolerance")?),
                false => Ends::ByRightHandSide,
            };
            Linear { definite: is_preconditioned, alone, ends, ..found }
        }
        "AsyncSparseLDLSolver" => {
            let serves = Serves::Late(number(scene, component, "delay")? as usize);
            Linear {
                exact: flag("exactProjection")?,
                regular: true,
                alone,
                serves,
                direct: true,
                ..of_matrix
            }
        }
        "PrecomputedLinearSolver" => {
            let (exact, serves) = (flag("exactProjection")?, Serves::Forever);
            Linear { exact, regular: true, alone, serves, direct: true, ..of_matrix }
        }
        "BTDLinearSolver" => {
            Linear { exact: flag("exactProjection")?, regular: true, banded: true, direct: true, ..of_matrix }
        }
        class @ ("CholeskySolver"
        | "EigenSimplicialLDLT"
        | "EigenSimplicialLLT"
        | "EigenSparseLU"
        | "EigenSparseQR"
        | "SVDLinearSolver"
        | "SparseLDLSolver") => Linear {
            exact: flag("exactProjection")?,
            positive: matches!(class, "CholeskySolver" | "EigenSimplicialLLT"),
            regular: class != "SVDLinearSolver",
            direct: true,
            ..of_matrix
        },
        other => return Err(format!("the reference does not know {other}: teach it in {}", file!())),
    })
}
