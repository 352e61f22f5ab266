//! What a scene has for multipliers.

use nalgebra::DMatrix;
use sim_core::component::animation_loop::StepStage;
use sim_core::component::mechanical_state::for_initial_state;
use sim_core::math::{Deriv, StateType};
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::visitor::world::World;

use super::integrator::{number, numbers};
use super::multipliers::{Compliance, Multiplied, Multipliers};

/// What a scene has for multipliers, under a loop that finds them.
pub(super) fn multipliers(world: &World) -> Result<Option<Multipliers>, String> {
    let World { scene, store, .. } = world;
    let stages = scene.animation_loop.stages();
    let order =
        stages.iter().find_map(|s| if let StepStage::Correct(order) = s { Some(*order) } else { None });
    let Some(order) = order else { return Ok(None) };
    let mut constraints = Vec::new();
    for c in scene.parts.lagrangian.iter().filter(|c| scene.has_component(c.component)) {
        let path = scene.path(c.component);
        let direct = c.node.direct(store).ok_or(format!("{path} cannot be evaluated"))?;
        constraints.push(Multiplied { ends: [c.first, c.second].map(|s| s.0 as usize), direct });
    }
    let mut corrections = Vec::new();
    for c in scene.present(&scene.solvers.corrections) {
        let Some(state) = scene.state_in(c.at) else { continue };
        corrections.push((state.0 as usize, compliance(scene, c.component, state)?));
    }
    let is = |class: &str| {
        let mut solvers = scene.present(&scene.solvers.constraint);
        solvers.any(|c| scene.component(c.component).class == class)
    };
    let lcp = scene
        .present(&scene.solvers.constraint)
        .map(|c| c.component)
        .find(|c| scene.component(*c).class == "LCPConstraintSolver");
    let unbuilt_lcp = match lcp {
        Some(c) => number(scene, c, "build_lcp").unwrap_or(1.0) == 0.0,
        None => false,
    };
    let unbuilt = unbuilt_lcp || is("UnbuiltGaussSeidelConstraintSolver");
    let mut solvers = scene.present(&scene.solvers.constraint);
    let exact_factors =
        solvers.any(|c| number(scene, c.component, "exactFactors").is_ok_and(|exact| exact != 0.0));
    let (by_shares, is_lcp) = (is("ImprovedJacobiConstraintSolver"), lcp.is_some());
    let (projects, leaves_forces) = (!is_lcp, !is_lcp);
    let free = Vec::new();
    Ok(Some(Multipliers {
        order,
        constraints,
        corrections,
        unbuilt,
        leaves_out_factors: unbuilt && !exact_factors,
        by_shares,
        projects,
        leaves_forces,
        free,
    }))
}

fn compliance(scene: &Scene, component: ComponentId, state: StateId) -> Result<Compliance, String> {
    // What a scene does not set is kept of some components only.
    let real = |name, default| number(scene, component, name).unwrap_or(default);
    let of_matrix = |factor, whole, first| {
        Ok(Compliance::OfMatrix { factor, regularization: real("regularizationTerm", 0.0), whole, first })
    };
    match scene.component(component).class {
        "LinearSolverConstraintCorrection" => of_matrix(1.0, false, false),
        "PrecomputedConstraintCorrection" => of_matrix(1.0, false, true),
        "GenericConstraintCorrection" => of_matrix(real("complianceFactor", 1.0), true, false),
        "UncoupledConstraintCorrection" => {
            let own = if real("useOdeSolverIntegrationFactors", 1.0) == 0.0 {
                Some([real("correctionPositionFactor", 1.0), real("correctionVelocityFactor", 1.0)])
            } else {
                None
            };
            let list = numbers(scene, component, "compliance").unwrap_or_default();
            fn size_of<S: StateType>(n: usize) -> usize {
                n * S::Deriv::SIZE
            }
            let size = for_initial_state!(scene.initial(state), S, s => size_of::<S>(s.velocity.len()));
            // Of a body: that of the translation, then the symmetric matrix of the rotation.
            let matrix = if let [t, a, b, c, d, e, f] = list[..] {
                let of_body = |i: usize, j: usize| match (i, j) {
                    (0..3, 0..3) if i == j => t,
                    (3..6, 3..6) => [[a, b, c], [b, d, e], [c, e, f]][i - 3][j - 3],
                    _ => 0.0,
                };
                DMatrix::from_fn(size, size, |i, j| if i / 6 == j / 6 { of_body(i % 6, j % 6) } else { 0.0 })
            } else {
                let each = real("defaultCompliance", 1e-5);
                DMatrix::identity(size, size) * list.first().copied().unwrap_or(each)
            };
            Ok(Compliance::Uncoupled { matrix, own })
        }
        other => Err(format!("the reference does not know {other}: teach it in {}", file!())),
    }
}
