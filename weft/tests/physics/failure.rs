//! Steps that fail.

use super::support::*;
use engine::graph::Sums;
use scenes::load::{LoadOptions, load_text};
use weft::simulation::{Simulation, SimulationOptions, StepFailure};

/// Forward Euler beyond its limit of stability: the amplitude grows without bound until it is not finite.
const DIVERGING: &str = r#"<Node name="root" dt="1" gravity="0 -9.81 0">
    <Node name="calm">
        <EulerExplicitSolver/>
        <MechanicalObject name="other" position="1 1 1"/>
        <UniformMass vertexMass="1"/>
    </Node>
    <Node name="wild">
        <EulerExplicitSolver symplectic="0"/>
        <MechanicalObject name="point" position="0 1 0"/>
        <UniformMass vertexMass="1"/>
        <PlaneForceField name="spring" normal="0 1 0" stiffness="1e6" damping="0" bilateral="1"/>
    </Node>
</Node>"#;

/// Steps until one fails; the failure, and the bits of the state before it.
fn until_failure(simulation: &mut Simulation) -> (StepFailure, String) {
    for _ in 0..1_000 {
        let before = simulation.state_hash().expect("a finite state");
        if let Err(f) = simulation.step() {
            return (f, before);
        }
    }
    panic!("it did not fail");
}

#[test]
fn a_diverging_step_names_who_where_and_when() {
    let mut simulation = simulate(DIVERGING);
    let (failure, before) = until_failure(&mut simulation);
    assert_eq!(failure.step, simulation.step_index());
    assert!(failure.component.contains("wild"), "{failure}");
    assert!(!failure.task.is_empty(), "{failure}");
    assert_eq!(failure.file, "test.scn");
    let line = DIVERGING.lines().nth(failure.line as usize - 1).unwrap_or_default();
    let class = failure.component.rsplit('/').next().unwrap_or_default();
    assert!(
        line.contains(class) || line.contains(&format!("name=\"{class}\"")),
        "line {}: {line}; {failure}",
        failure.line
    );
    assert!(failure.to_string().contains("test.scn:"), "{failure}");
    // The state before the step is there, to the bit, and the step fails again in the same way.
    assert_eq!(simulation.state_hash().ok(), Some(before.clone()));
    let again = simulation.step().expect_err("it fails again");
    assert_eq!(again.to_string(), failure.to_string());
    assert_eq!(simulation.state_hash().ok(), Some(before));
}

/// The conjugate gradient meets numbers that are not finite before the state does.
#[test]
fn an_implicit_step_that_overflows_is_abandoned() {
    let text = r#"<Node name="root" dt="1" gravity="0 -9.81 0">
        <EulerImplicitSolver/>
        <CGLinearSolver iterations="10" tolerance="1e-12" threshold="0"/>
        <MechanicalObject name="point" position="0 0 0" velocity="0 1e200 0"/>
        <UniformMass vertexMass="1"/>
        <PlaneForceField normal="0 1 0" stiffness="1" damping="0" bilateral="1"/>
    </Node>"#;
    let mut simulation = simulate(text);
    let before = simulation.state_hash().ok();
    let failure = simulation.step().expect_err("1e200 squared is not finite");
    assert_eq!((failure.step, &*failure.file), (0, "test.scn"));
    assert!(
        failure.component.contains("CGLinearSolver") || failure.component.contains("EulerImplicitSolver"),
        "{failure}"
    );
    assert_eq!(simulation.state_hash().ok(), before);
    // An integrator's numbers overflow last: what is greatest before the step is where to look.
    let speed = "the greatest speed is 1.000e200 (of /point, point 0, test.scn:4)";
    assert!(failure.message.contains(speed), "{failure}");
}

/// What is at rest has finite numbers at any time.
#[test]
fn a_time_beyond_all_numbers_is_not_reached() {
    let text = r#"<Node name="root" dt="1e308" gravity="0 0 0"><EulerExplicitSolver/>
        <MechanicalObject name="point" position="1 2 3"/><UniformMass vertexMass="1"/></Node>"#;
    let mut simulation = simulate(text);
    steps(&mut simulation, 1);
    let failure = simulation.step().expect_err("2e308 is not finite");
    assert!(failure.message.contains("the time is 1e308 s"), "{failure}");
    assert_eq!((simulation.step_index(), simulation.time()), (1, 1e308));
}

/// Of several components the one is named whose forces are too great.
#[test]
fn the_component_with_the_greatest_force_is_named() {
    let text = r#"<Node name="root" dt="1" gravity="0 -9.81 0">
        <EulerImplicitSolver/>
        <CGLinearSolver iterations="10" tolerance="1e-12" threshold="0"/>
        <MechanicalObject name="points" position="0 1 0  0 2 0"/>
        <UniformMass name="mass" vertexMass="1"/>
        <ConstantForceField name="push" indices="1" forces="1e300 0 0"/>
        <PlaneForceField normal="0 1 0" stiffness="1" damping="0" bilateral="1"/>
    </Node>"#;
    let failure = simulate(text).step().expect_err("1e300 squared is not finite");
    let force = "the greatest force is 1.000e300 (of /push, point 1, test.scn:6)";
    assert!(failure.message.contains(force), "{failure}");
}

/// A shorter step carries on from the state that was kept, as if the failed step had never been tried.
/// A residual of 1e160 N is a number; its square is none, and, where sums are SOFA's, stands in no vector that a task could be blamed for.
#[test]
fn a_sum_that_overflows_is_said_where_no_vector_does() {
    let options = SimulationOptions { sums: Sums::Sofa, ..sequential() };
    let mut simulation = simulate_with(
        r#"<Node name="root" gravity="0 0 0"><Node name="pushed">
            <EulerImplicitSolver/><CGLinearSolver iterations="5" tolerance="1e-9" threshold="1e-9"/>
            <MechanicalObject position="0 0 0"/><UniformMass vertexMass="1"/>
            <ConstantForceField name="push" forces="1e160 0 0" indices="0"/>
        </Node></Node>"#,
        options,
    );
    let (failure, _) = until_failure(&mut simulation);
    assert_eq!((failure.step, failure.component.as_str(), failure.task.as_str()), (0, "/", "solve"));
    let message = failure.to_string();
    assert!(message.contains("sums over it overflow") && message.contains("/pushed/push"), "{message}");
}

#[test]
fn a_shorter_step_goes_on_from_the_kept_state() {
    let text = r#"<Node name="root" dt="1e300" gravity="0 0 0">
        <EulerExplicitSolver/>
        <MechanicalObject name="point" position="0 1 0" velocity="0 1e10 0"/>
        <UniformMass vertexMass="1"/>
    </Node>"#;
    let mut simulation = simulate(text);
    let failure = simulation.step().expect_err("the position overflows");
    assert!(failure.message.contains("non-finite"), "{failure}");
    simulation.set_dt(0.5).expect("a positive step");
    steps(&mut simulation, 1);
    assert_eq!(along(&simulation, "point", 1), (1.0 + 0.5 * 1e10, 1e10));
    assert_eq!((simulation.step_index(), simulation.time()), (1, 0.5));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(simulation.set_dt(bad).is_err());
    }
}

/// The corotational frames that a failed step has overwritten are computed anew: going on equals a fresh start.
#[test]
fn components_state_is_kept_too() {
    let scene = |dt: f64, x: &str, v: &str| {
        format!(
            r#"<Node name="root" dt="{dt}" gravity="0 -9.81 0">
                <EulerImplicitSolver/>
                <CGLinearSolver iterations="50" tolerance="0" threshold="0"/>
                <RegularGridTopology name="grid" n="4 2 2" min="0 0 0" max="3 1 1"/>
                <MechanicalObject name="bar" {x} {v}/>
                <UniformMass totalMass="1"/>
                <FixedProjectiveConstraint indices="0 4 8 12"/>
                <HexahedronFEMForceField youngModulus="1000" poissonRatio="0.3" method="large"/>
                <Node name="embedded">
                    <MechanicalObject name="points" position="0.5 0.5 0.5  2 0.2 0.1"/>
                    <BarycentricMapping/>
                </Node>
            </Node>"#
        )
    };
    let mut simulation = simulate(&scene(0.01, "", ""));
    steps(&mut simulation, 5);
    let before = simulation.states();
    simulation.set_dt(1e300).expect("a positive step");
    simulation.step().expect_err("the step overflows");
    let kept = simulation.states();
    for (a, b) in kept.iter().zip(&before) {
        assert_eq!((&a.position, &a.velocity), (&b.position, &b.velocity), "{}", a.path);
    }
    simulation.set_dt(0.01).expect("a positive step");
    let mut undisturbed = simulate(&scene(0.01, "", ""));
    steps(&mut undisturbed, 5);
    for _ in 0..5 {
        steps(&mut simulation, 1);
        steps(&mut undisturbed, 1);
        assert_eq!(simulation.state_hash().ok(), undisturbed.state_hash().ok());
    }
}

/// Plastic strain lasts from step to step, so what a failed step and the search for its culprit let creep is undone.
#[test]
fn plastic_strain_is_kept_too() {
    let solvers = [
        "<EulerImplicitSolver/><CGLinearSolver iterations='60' tolerance='1e-12' threshold='1e-12'/>",
        "<EulerExplicitSolver/>",
        "<RungeKutta4Solver/>",
    ];
    for solver in solvers {
        let scene = |plastic: &str| {
            format!(
                r#"<Node name="root" dt="0.002" gravity="0 -9.81 0">
                    <Node name="bar">
                        {solver}
                        <RegularGridTopology name="grid" n="4 2 2" min="0 0 0" max="3 1 1"/>
                        <MechanicalObject name="dofs" velocity="0 -8 0"/>
                        <UniformMass totalMass="1"/>
                        <FixedProjectiveConstraint indices="0 4 8 12"/>
                        <TetrahedronFEMForceField youngModulus="1000" poissonRatio="0.3" {plastic}/>
                    </Node>
                    <Node name="point">
                        <EulerExplicitSolver/>
                        <MechanicalObject name="other" position="0 0 0" velocity="0 1e10 0"/>
                        <UniformMass totalMass="1"/>
                    </Node>
                </Node>"#
            )
        };
        let plastic = "plasticMaxThreshold='10' plasticYieldThreshold='0.00001' plasticCreep='0.2'";
        let mut simulation = simulate(&scene(plastic));
        let mut undisturbed = simulate(&scene(plastic));
        let mut elastic = simulate(&scene(""));
        for s in [&mut simulation, &mut undisturbed, &mut elastic] {
            steps(s, 5);
        }
        for _ in 0..3 {
            let before = simulation.state_hash().ok();
            simulation.set_dt(1e300).expect("a positive step");
            simulation.step().expect_err("the position overflows");
            assert_eq!(simulation.state_hash().ok(), before);
        }
        simulation.set_dt(0.002).expect("a positive step");
        for k in 0..20 {
            for s in [&mut simulation, &mut undisturbed, &mut elastic] {
                steps(s, 1);
            }
            assert_eq!(simulation.state_hash().ok(), undisturbed.state_hash().ok(), "{solver}, step {k}");
        }
        assert_ne!(simulation.state_hash().ok(), elastic.state_hash().ok(), "{solver}: nothing creeps");
    }
}

/// Numbers that are not finite do not get into a simulation.
#[test]
fn a_state_that_is_not_finite_is_refused() {
    for bad in ["nan 0 0", "0 inf 0", "0 0 1e999"] {
        let text = DIVERGING.replace("position=\"1 1 1\"", &format!("position=\"{bad}\""));
        let error =
            load_text(&text, "test.scn", &LoadOptions::default()).map(|_| ()).expect_err("it is refused");
        let first = error.errors().next().expect("an error").to_string();
        assert!(first.contains("test.scn:4"), "{first}");
        assert!(first.contains("finite"), "{first}");
    }
}

/// Time steps and workers that make no sense are refused before anything runs.
#[test]
fn nonsense_options_are_refused() {
    let scene = || load_text(DIVERGING, "test.scn", &LoadOptions::default()).expect("a scene").scene;
    for dt in [0.0, -0.1, f64::NAN] {
        let options = weft::simulation::SimulationOptions { dt: Some(dt), ..sequential() };
        assert!(Simulation::new(scene(), options).is_err(), "dt = {dt}");
    }
    let options = weft::simulation::SimulationOptions { threads: 0, ..sequential() };
    assert!(Simulation::new(scene(), options).is_err());
}
