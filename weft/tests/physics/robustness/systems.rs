//! Systems of equations that are badly conditioned, singular, redundant or contradictory.

use super::*;
use scenes::load::{LoadOptions, load_text};

/// A light mass between two heavy ones, and the other way round; and stiff springs beside soft ones: each at the force that statics says.
#[test]
fn ratios_of_masses_and_stiffnesses_change_no_balance() {
    let hang = |masses: [f64; 2], stiffness: [f64; 2], linear: &str| {
        let [a, b] = masses;
        let [k, l] = stiffness;
        format!(
            r#"<Node name="root" dt="10" gravity="0 -10 0">
                <EulerImplicitSolver/>{linear}
                <MechanicalObject name="points" position="0 0 0  0 -1 0  0 -2 0"/>
                <DiagonalMass vertexMass="1 {a} {b}"/>
                <SpringForceField spring="0 1 {k} 0 1  1 2 {l} 0 1"/>
                <FixedProjectiveConstraint indices="0"/>
                <PartialFixedProjectiveConstraint fixAll="1" fixedDirections="1 0 1"/>
            </Node>"#
        )
    };
    for (masses, stiffness) in [
        ([1.0, 1e6], [1e8, 1e8]),
        ([1e6, 1.0], [1e8, 1e8]),
        ([1.0, 1e-6], [1e3, 1e3]),
        ([1.0, 1.0], [1e10, 1e2]),
        ([1.0, 1.0], [1e2, 1e10]),
    ] {
        for linear in [CG, LDL] {
            let s = endures(&hang(masses, stiffness, linear), 400);
            let y = state(&s, "points").position.iter().map(|p| p[1]).collect::<Vec<_>>();
            let first = 10.0 * (masses[0] + masses[1]) / stiffness[0];
            let second = 10.0 * masses[1] / stiffness[1];
            let text = format!("{masses:?} {stiffness:?} {linear}: {y:?}");
            // Lengths of 1 m hold 1e-16; forces balance up to the stiffest spring's rounding on the softest one.
            let worst = stiffness[0].max(stiffness[1]) / stiffness[0].min(stiffness[1]);
            let tolerance = 1e-9 + 1e-15 * worst;
            assert!((y[1] + 1.0 + first).abs() < tolerance * (1.0 + first), "{text}");
            assert!((y[1] - y[2] - 1.0 - second).abs() < tolerance * (1.0 + second), "{text}");
        }
    }
}

/// A ball hangs at another one, by multipliers, that is a million times lighter: the conjugate gradient of sweeps finds what the joint
/// carries. Sweeps alone go on to their limit, as the report says, and what they have found by then is finite.
#[test]
fn multipliers_carry_a_million_times_their_own_mass() {
    let run = |solver: &str, limit: u32| {
        let body = |name: &str, y: f64, mass: f64, more: &str| {
            format!(
                r#"<Node name="{name}"><EulerImplicitSolver rayleighMass="1"/>{LDL}
                    <MechanicalObject name="dofs" position="0 {y} 0"/><UniformMass totalMass="{mass}"/>
                    <LinearSolverConstraintCorrection/>{more}</Node>"#
            )
        };
        let nail = r#"<FixedLagrangianConstraint name="nail" indices="0"/>"#;
        let mut s = simulate(&format!(
            r#"<Node name="root" dt="0.01" gravity="0 -10 0"><FreeMotionAnimationLoop/>
                <{solver} tolerance="1e-12" maxIterations="{limit}"/>{}{}{}
                <BilateralLagrangianConstraint name="first" object1="@a" object2="@b" first_point="0" second_point="0"/>
                <BilateralLagrangianConstraint name="second" object1="@b" object2="@c" first_point="0" second_point="0"/>
            </Node>"#,
            body("a", 0.0, 1.0, nail),
            body("b", 0.0, 1.0, ""),
            body("c", 0.0, 1e6, "")
        ));
        let (_, failure) = endure(&mut s, 19);
        assert!(failure.is_none(), "{solver}: {failure:?}");
        let report = s.step().expect("a step");
        (s, report)
    };
    let (s, _) = run("NNCGConstraintSolver", 20_000);
    let all = s.multipliers();
    let second = all.iter().find(|m| m.path.contains("second")).expect("the joint below");
    // Impulses of a step: the weight of 1e6 kg.
    close(second.lambda[1].abs() / 0.01 / 1e7, 1.0, 1e-3);
    assert!(along(&s, "/c/", 1).0.abs() < 1e-6, "it hangs: {:?}", along(&s, "/c/", 1));
    let (s, report) = run("BlockGaussSeidelConstraintSolver", 2000);
    assert_eq!(report.constraint_sweeps, Some(2000), "the report says that it has not converged");
    let error = report.constraint_error.expect("and how far it is from that");
    assert!(!error.is_reached && error.remaining > error.tolerance, "{error:?}");
    let solver = s.constraint_solver().expect("and whose sweeps they are");
    assert!(solver.starts_with("BlockGaussSeidelConstraintSolver /"), "{solver}");
}

/// What rounding leaves beside the mean that two points are held to is no residual: a conjugate gradient that has found everything else
/// does not follow it.
#[test]
fn attached_points_lead_no_conjugate_gradient_astray() {
    let run = |linear: &str| {
        let s = endures(
            &format!(
                r#"<Node name="root" dt="0.005" gravity="0.3 -9.81 0.5"><EulerImplicitSolver rayleighStiffness="0.02" rayleighMass="0.1"/>{linear}
                    <TriangleSetTopologyContainer position="0 0 0  1 0 0  0 1 0.1  1 1 0  0 0 0  1 0 0  0 -1 0.1  1 -1 0" triangles="0 1 2  1 3 2  4 6 5  5 6 7"/>
                    <MechanicalObject name="points" position="0 0 0  1 0 0  0 1 0.1  1 1 0  0 0 0  1 0 0  0 -1 0.1  1 -1 0"
                        velocity="0.1 0.2 0.3  -0.2 0.3 0.1  0.3 0.1 -0.1  0 0.4 0.2  0.1 0.2 0.3  -0.2 0.3 0.1  0.1 -0.1 0.5  0.2 0.2 0"/>
                    <UniformMass totalMass="3"/><TriangularFEMForceField youngModulus="300" poissonRatio="0.3" method="large"/>
                    <AttachProjectiveConstraint indices1="0 1" indices2="4 5" twoWay="1"/>
                </Node>"#
            ),
            10,
        );
        state(&s, "points").velocity.to_vec()
    };
    let right = run(r#"<CGLinearSolver iterations="500" tolerance="1e-14" threshold="1e-30"/>"#);
    let found = run(r#"<PCGLinearSolver iterations="500" tolerance="1e-28"/>"#);
    for (a, b) in right.iter().flatten().zip(found.iter().flatten()) {
        assert!((a - b).abs() < 1e-10, "{a} {b}");
    }
}

/// A constraint that ends lets go, and one that is over from the beginning holds nothing: as SOFA's `endTime`.
#[test]
fn constraints_end_at_their_time() {
    let fallen = |constraint: &str| {
        let s = endures(
            &format!(
                r#"<Node name="root" dt="0.1" gravity="0 -10 0"><EulerImplicitSolver/>
                    <CGLinearSolver iterations="20" tolerance="1e-12" threshold="1e-20"/>
                    <MechanicalObject name="points" position="0 0 0  1 0 0"/><UniformMass totalMass="2"/>{constraint}
                </Node>"#
            ),
            4,
        );
        state(&s, "points").velocity[1][1]
    };
    assert!((fallen(r#"<FixedProjectiveConstraint indices="1"/>"#)).abs() < 1e-12);
    // The steps that begin at 0 and 0.1 are held, those at 0.2 and 0.3 are not.
    assert!((fallen(r#"<FixedProjectiveConstraint indices="1" endTime="0.15"/>"#) + 2.0).abs() < 1e-9);
    assert!((fallen(r#"<FixedProjectiveConstraint indices="1" endTime="0"/>"#) + 4.0).abs() < 1e-9);
    let attached = |end: &str| {
        fallen(&format!(
            r#"<FixedProjectiveConstraint indices="0"/><AttachProjectiveConstraint indices1="0" indices2="1" {end}/>"#
        ))
    };
    // One way, the second point has no displacement; both have the mean of their velocities.
    assert!(attached("").abs() < 1e-12);
    assert!((attached(r#"endTime="0.15""#) + 2.0).abs() < 1e-9);
}

/// The same joint many times, and joints that contradict each other: what can be held is held, and all stays finite.
#[test]
fn redundant_and_contradictory_multipliers_stay_finite() {
    for solver in [
        r#"<BlockGaussSeidelConstraintSolver tolerance="1e-10" maxIterations="200"/>"#,
        r#"<NNCGConstraintSolver tolerance="1e-10" maxIterations="200"/>"#,
        r#"<ImprovedJacobiConstraintSolver tolerance="1e-10" maxIterations="200" useSpectralCorrection="1" useConjugateResidue="1" conjugateResidueSpeedFactor="0.6"/>"#,
        r#"<UnbuiltGaussSeidelConstraintSolver tolerance="1e-10" maxIterations="200"/>"#,
    ] {
        let scene = |joints: &str| {
            format!(
                r#"<Node name="root" dt="0.01" gravity="0 -10 0"><FreeMotionAnimationLoop/>{solver}
                    <Node name="a"><EulerImplicitSolver/>{LDL}
                        <MechanicalObject name="dofs" position="0 0 0  1 0 0"/><UniformMass totalMass="2"/>
                        <LinearSolverConstraintCorrection/>
                        <FixedLagrangianConstraint indices="0"/><FixedLagrangianConstraint indices="0 1"/>
                    </Node>
                    <Node name="b"><EulerImplicitSolver/>{LDL}
                        <MechanicalObject name="dofs" position="0 0 0"/><UniformMass totalMass="1"/>
                        <LinearSolverConstraintCorrection/></Node>{joints}
                </Node>"#
            )
        };
        let joint = |to: usize| {
            format!(
                r#"<BilateralLagrangianConstraint object1="@a" object2="@b" first_point="{to}" second_point="0"/>"#
            )
        };
        if load_text(&scene(""), "test.scn", &LoadOptions::default()).is_err() {
            // A solver that there is not (yet) says so; the others are tested.
            continue;
        }
        // Sweeps that answer all blocks at once answer a joint that is there five times five times over: they diverge, and say so.
        if solver.contains("ImprovedJacobi") {
            let (_, failure) = endure(&mut simulate(&scene(&joint(0).repeat(5))), 20);
            assert!(failure.is_some(), "{solver}: five times the same joint");
        } else {
            let s = endures(&scene(&joint(0).repeat(5)), 20);
            close(along(&s, "/b/", 0).0, 0.0, 1e-6);
            close(along(&s, "/b/", 1).0, 0.0, 1e-6);
        }
        // It cannot be at both points: it stays between them, wherever the last sweep leaves it.
        let mut s = simulate(&scene(&(joint(0) + &joint(1))));
        let mut diverged = false;
        for _ in 0..20 {
            let report = match s.step() {
                Ok(report) => report,
                // Its sweeps diverge then, which it must not hide.
                Err(_) if solver.contains("ImprovedJacobi") => {
                    diverged = true;
                    break;
                }
                Err(f) => panic!("{solver}: {f}"),
            };
            assert!(report.constraint_sweeps.is_some_and(|n| n > 0), "{solver}");
            s.state_hash().expect("finite");
        }
        if diverged {
            continue;
        }
        let x = along(&s, "/b/", 0).0;
        assert!((-1.0..=2.0).contains(&x), "{solver}: {x}");
    }
}

/// What nothing holds has no statics: a solver says that there are no factors, or the residuals of Newton's method say that it has
/// not converged.
#[test]
fn singular_systems_are_named() {
    for linear in ["<SparseLDLSolver/>", "<EigenSimplicialLLT/>", "<EigenSparseLU/>", "<CholeskySolver/>", CG]
    {
        let text = format!(
            r#"<Node name="root" dt="0.01" gravity="0 -9.81 0"><StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton="5"/>{linear}
                <RegularGridTopology n="2 2 2" min="0 0 0" max="1 1 1"/>
                <MechanicalObject name="cube"/><UniformMass totalMass="1"/>
                <HexahedronFEMForceField youngModulus="1000" poissonRatio="0.3"/></Node>"#
        );
        let mut s = simulate(&text);
        let before = s.state_hash().expect("finite");
        match s.step() {
            Ok(report) => {
                s.state_hash().expect("finite");
                let residuals = &report.residuals[0];
                let (first, last) = (residuals[0], residuals[residuals.len() - 1]);
                assert!(last > 1e-3 * first, "{linear}: nothing tells of it: {residuals:?}");
            }
            Err(failure) => {
                assert!(
                    failure.component.contains("StaticSolver") && failure.message.contains("no factors"),
                    "{failure}"
                );
                assert_eq!(s.state_hash().ok(), Some(before));
            }
        }
    }
}

/// A Newton iteration that cannot converge reports every residual, and the state stays finite or the step is named.
#[test]
fn newtons_method_without_convergence_reports_its_residuals() {
    // Beams turn the fixed tangent away: beyond Euler's load the iteration has nowhere to go.
    let text = r#"<Node name="root" dt="1" gravity="0 0 0">
        <StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton="12" relativeSuccessiveStoppingThreshold="0"
            relativeInitialStoppingThreshold="1e-14" absoluteResidualStoppingThreshold="1e-14"/><SparseLDLSolver/>
        <MeshTopology edges="0 1 1 2 2 3"/>
        <MechanicalObject name="column" template="Rigid3" position="0 0 0 0 0 0 1 1 0 0 0 0 0 1 2 0 0 0 0 0 1 3 0 0 0 0 0 1"/>
        <UniformMass totalMass="1"/>
        <BeamFEMForceField radius="0.05" youngModulus="1e6" poissonRatio="0.3"/>
        <FixedProjectiveConstraint indices="0"/>
        <ConstantForceField indices="3" forces="-3.5 0.001 0 0 0 0"/></Node>"#;
    let mut s = simulate(text);
    match s.step() {
        Ok(report) => {
            let residuals = &report.residuals[0];
            assert!(residuals.len() > 5 && residuals.iter().all(|r| r.is_finite()), "{residuals:?}");
            let (first, last) = (residuals[0], residuals[residuals.len() - 1]);
            assert!(last > 1e-12 * first, "it has not converged: {residuals:?}");
            s.state_hash().expect("finite");
        }
        Err(failure) => assert!(!failure.component.is_empty(), "{failure}"),
    }
}

/// From a microsecond to a second, an implicit step ends in the same balance, and never leaves it.
#[test]
fn time_steps_of_six_orders_of_magnitude() {
    let bar = |dt: f64, linear: &str| {
        format!(
            r#"<Node name="root" dt="{dt}" gravity="0 -9.81 0">
                <EulerImplicitSolver rayleighMass="2" rayleighStiffness="0.05"/>{linear}
                <RegularGridTopology n="4 2 2" min="0 0 0" max="1.5 0.5 0.5"/>
                <MechanicalObject name="bar"/><UniformMass totalMass="1"/>
                <HexahedronFEMForceField youngModulus="3000" poissonRatio="0.3" method="large"/>
                <BoxROI name="wall" box="-0.01 -1 -1 0.01 1 1"/>
                <FixedProjectiveConstraint indices="@wall.indices"/>
            </Node>"#
        )
    };
    let tip = |s: &Simulation| {
        let bar = state(s, "bar");
        let end = bar.position.iter().max_by(|a, b| a[0].total_cmp(&b[0])).expect("points").clone();
        (end[1], bar.velocity.iter().map(|v| norm(v)).fold(0.0, f64::max))
    };
    for linear in [CG, LDL] {
        let at_rest = tip(&endures(&bar(1.0, linear), 200));
        assert!(at_rest.1 < 1e-6 && at_rest.0 < 0.5, "{linear}: {at_rest:?}");
        let shorter = tip(&endures(&bar(0.1, linear), 400));
        close(shorter.0, at_rest.0, 1e-6);
        for dt in [1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
            let s = endures(&bar(dt, linear), 20);
            // It begins to fall freely: backward Euler's speed after 20 steps, as long as elements hardly feel it; then no
            // point is faster than the tip of the first mode, whose share in a uniform load is 1.57.
            let (_, speed) = tip(&s);
            assert!(speed <= 1.57 * 9.81 * 20.0 * dt, "{linear} {dt}: {speed}");
            if dt < 2e-4 {
                assert!(speed > 0.97 * 9.81 * 20.0 * dt, "{linear} {dt}: {speed}");
            }
        }
    }
}
