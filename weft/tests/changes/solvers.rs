//! Solvers of objects that come while a scene runs.

use super::support::{scene, sequential};
use scenes::load::LoadOptions;
use scenes::parse::parse_text;

/// A soft bar whose conjugate gradient stands before the preconditioner that it links to, which is built before it.
fn bar(preconditioner: &str) -> String {
    format!(
        "<Node name='bar'><EulerImplicitSolver/>
            <PCGLinearSolver iterations='200' tolerance='1e-26' preconditioner='@p'/><{preconditioner} name='p'/>
            <RegularGridTopology n='2 2 4' min='0 0 0' max='1 1 3'/><MechanicalObject name='dofs'/>
            <UniformMass totalMass='2'/><FixedProjectiveConstraint indices='0 1 2 3'/>
            <HexahedronFEMForceField youngModulus='2000' poissonRatio='0.3'/></Node>"
    )
}

#[test]
fn what_comes_is_solved_by_the_first_linear_solver_of_its_node() {
    for preconditioner in ["SSORPreconditioner", "JacobiPreconditioner", "SparseLDLSolver"] {
        let world = |content: &str| {
            let text = format!(
                "<Node name='root' dt='0.01' gravity='0 -9.81 0'><DefaultAnimationLoop/>{content}</Node>"
            );
            scene(&text, sequential())
        };
        // A scene has something that moves from the beginning on.
        let first = "<Node name='first'><EulerExplicitSolver/><MechanicalObject position='5 0 0'/><UniformMass totalMass='1'/></Node>";
        let bar = bar(preconditioner);
        let (mut file, mut added) = (world(&format!("{first}{bar}")), world(first));
        let element = parse_text(&bar, "bar.scn").expect("well formed").root;
        let root = added.world().scene.root();
        added.add_object(root, element, &LoadOptions::default()).expect("it fits");
        for step in 0..10 {
            let wanted = file.step().expect("a step").cg_iterations;
            let found = added.step().expect("a step").cg_iterations;
            assert_eq!(found, wanted, "{preconditioner}, step {step}");
            assert_eq!(
                file.state_hash().unwrap(),
                added.state_hash().unwrap(),
                "{preconditioner}, step {step}"
            );
        }
    }
}
