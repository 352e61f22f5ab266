//! Steps that an animation loop divides.

use super::support::*;
use weft::simulation::{Simulation, SimulationOptions};

/// A scene of the gallery with another loop and time step.
fn with_loop(scene: &str, animation_loop: &str, dt: f64) -> String {
    let text = scene.replace("<DefaultAnimationLoop/>", animation_loop);
    assert_ne!(text, scene);
    text.replacen("dt=\"0.01\"", &format!("dt=\"{dt}\""), 1)
}

fn bits(simulation: &Simulation) -> Vec<u64> {
    let states = simulation.states();
    let rows = states.iter().flat_map(|s| s.position.iter().chain(&s.velocity)).flatten();
    rows.map(|v| v.to_bits()).collect()
}

/// The time step 0.04 is four times 0.01 to the last bit, so that a quarter of it is the same number.
const PARTS: usize = 4;

#[test]
fn parts_of_a_step_are_steps_of_the_parts_length() {
    let stack = include_str!("../../../scenes/gallery/stack.scn");
    let divided = r#"<MultiStepAnimationLoop collisionSteps="4"/>"#;
    for options in
        [sequential(), SimulationOptions { threads: 2, pin: false, ..SimulationOptions::default() }]
    {
        let mut whole = simulate_with(
            &with_loop(stack, "<DefaultAnimationLoop></DefaultAnimationLoop>", 0.01),
            options.clone(),
        );
        let mut parts = simulate_with(&with_loop(stack, divided, 0.04), options);
        let mut contacts = 0;
        for _ in 0..40 {
            steps(&mut whole, PARTS);
            contacts += steps(&mut parts, 1).map_or(0, |report| report.contacts);
            assert_eq!(bits(&whole), bits(&parts));
        }
        assert!(contacts > 0, "nothing touched");
        parts.check_plan().unwrap();
        // SOFA's time: behind each detection it begins anew.
        close(parts.time(), 40.0 * 0.01, 1e-12);
        assert_eq!(parts.dt(), 0.04);
    }
}

#[test]
fn contacts_stay_where_only_the_integration_is_divided() {
    let stack = include_str!("../../../scenes/gallery/stack.scn");
    let divided = r#"<MultiStepAnimationLoop integrationSteps="4"/>"#;
    let mut simulation = simulate_with(&with_loop(stack, divided, 0.04), sequential());
    steps(&mut simulation, 100);
    close(simulation.time(), 4.0, 1e-12);
    simulation.check_plan().unwrap();
    // The boxes lie on each other.
    let heights = ["box1/dofs", "box2/dofs", "box3/dofs"].map(|name| along(&simulation, name, 1).0);
    assert!(
        heights[0] > 0.3 && heights[1] > heights[0] + 0.8 && heights[2] > heights[1] + 0.8,
        "{heights:?}"
    );
}

#[test]
fn a_step_without_parts_is_refused() {
    let text = r#"<Node name="root"><MultiStepAnimationLoop integrationSteps="0"/></Node>"#;
    let refused = scenes::load::load_text(text, "test.scn", &scenes::load::LoadOptions::default());
    let said = refused.err().expect("it is refused").diagnostics;
    assert!(said.iter().any(|d| d.to_string().contains("`integrationSteps` is 0")), "{said:?}");
}

/// Constraints project after the last solver: a solver whose turn comes later sees where the one before has moved a point, not
/// where a constraint puts it at the end of the step.
#[test]
fn constraints_project_after_the_last_solver() {
    let (h, k, length) = (0.1, 4.0, 0.5);
    let mut s = simulate(&format!(
        r#"<Node name="root" dt="{h}" gravity="0 0 0">
            <Node name="led">
                <EulerExplicitSolver/>
                <MechanicalObject name="dofs" position="0 0 0"/>
                <UniformMass vertexMass="1"/>
                <AffineMovementProjectiveConstraint indices="0" translation="0.2 0 0" endConstraintTime="2"/>
            </Node>
            <Node name="follows">
                <EulerExplicitSolver/>
                <MechanicalObject name="dofs" position="1 0 0"/>
                <UniformMass vertexMass="1"/>
                <SpringForceField object1="@../led/dofs" object2="@dofs" spring="0 0 {k} 0 {length}"/>
            </Node>
        </Node>"#
    ));
    let (mut x, mut v) = (1.0, 0.0);
    for step in 0..8 {
        let begins = along(&s, "led", 0).0;
        steps(&mut s, 1);
        v -= h * k * (x - begins - length);
        x += h * v;
        close(along(&s, "follows", 0).0, x, 1e-12);
        // The time of a projection is that at the beginning of the step.
        close(along(&s, "led", 0).0, f64::from(step) * h * 0.1, 1e-12);
    }
}

/// A spring between bodies of two solvers pulls at both by where they are at the beginning of the step: free motions are not seen.
#[test]
fn forces_of_a_free_motion_are_those_at_the_beginning_of_the_step() {
    for spring_in in ["a", "b"] {
        let body = |name: &str, x: f64, v: f64| {
            let spring = r#"<SpringForceField object1="@/a" object2="@/b" spring="0 0 100 0 0.5"/>"#;
            format!(
                r#"<Node name="{name}"><EulerExplicitSolver/>
                    <MechanicalObject name="dofs" position="{x} 0 0" velocity="{v} 0 0"/>
                    <UniformMass totalMass="2"/><UncoupledConstraintCorrection/>{}</Node>"#,
                if spring_in == name { spring } else { "" }
            )
        };
        let (a, b) = (body("a", 0.0, 3.0), body("b", 1.0, 0.0));
        let mut s = simulate(&format!(
            r#"<Node name="root" dt="0.01" gravity="0 0 0"><FreeMotionAnimationLoop/>{a}{b}</Node>"#
        ));
        steps(&mut s, 1);
        // 100 N/m on half a meter, on 2 kg, for 0.01 s; what another solver moves feels nothing of it.
        let change = 100.0 * 0.5 / 2.0 * 0.01;
        let velocity = |path: &str| state(&s, path).velocity[0][0];
        close(velocity("/a/"), 3.0 + if spring_in == "a" { change } else { 0.0 }, 1e-12);
        close(velocity("/b/"), if spring_in == "b" { -change } else { 0.0 }, 1e-12);
    }
}

/// **Source:** SOFA's constraints ask the scene for its time step, which a loop that divides a step leaves as it is.
#[test]
fn a_curve_gives_the_velocity_of_a_whole_step_to_parts_of_it() {
    let mut s = simulate(
        r#"<Node name="root" dt="0.5" gravity="0 -10 0"><MultiStepAnimationLoop integrationSteps="2"/>
            <EulerExplicitSolver/><MechanicalObject name="dofs" position="0 0 0"/><UniformMass totalMass="1"/>
            <ParabolicProjectiveConstraint indices="0" P2="1 1 0" P3="2 0 0" EndTime="2"/></Node>"#,
    );
    steps(&mut s, 1);
    // y = 2 t - t^2 at x = t; the second part of the step begins at 0.25.
    let t = 0.25;
    let ((x, vx), (y, vy)) = (along(&s, "dofs", 0), along(&s, "dofs", 1));
    [(x, t), (y, 2.0 * t - t * t), (vx, 1.0), (vy, 2.0 - 2.0 * t - 0.5)]
        .iter()
        .for_each(|(is, wanted)| close(*is, *wanted, 1e-12));
}
