//! What counts as rest, and a heap that comes to it.

use super::support::{of_elements, scene};
use scenes::element::Element;
use scenes::gallery;
use weft::simulation::{Simulation, SimulationOptions};

/// Two states of 50 points each under one solver. Nothing acts; one point of all moves at 0.05 m/s. The root mean square of the
/// speeds is 0.0071 m/s over 50 points and 0.005 m/s over all 100.
fn pieces(mapping: &str, speed: f64) -> Simulation {
    let points = |fast: &str| {
        let positions: String = (0..50).map(|k| format!("{k} 0 0 ")).collect();
        let velocities = format!("{fast} 0 0 {}", "0 0 0 ".repeat(49));
        format!(
            "<MechanicalObject name='points' position='{positions}' velocity='{velocities}'/><UniformMass totalMass='50'/>"
        )
    };
    let (one, other) = (points("0.05"), points("0"));
    let text = format!(
        "<Node name='root' dt='0.01' gravity='0 0 0'>
            <Sleeping speed='{speed}' delay='0.1'/>
            <Node name='body'>
                <EulerImplicitSolver/><CGLinearSolver/>
                <Node name='one'>{one}</Node>
                <Node name='other'>{other}</Node>
                {mapping}
            </Node>
        </Node>"
    );
    scene(&text, SimulationOptions { threads: 1, ..SimulationOptions::default() })
}

fn asleep_after(mut s: Simulation, steps: usize) -> usize {
    for _ in 0..steps {
        s.step().expect("a step");
    }
    s.n_asleep()
}

#[test]
fn an_object_rests_by_the_root_mean_square_of_its_speeds() {
    assert_eq!(asleep_after(pieces("", 0.0072), 20), 2, "one point keeps nothing awake");
    assert_eq!(asleep_after(pieces("", 0.0070), 20), 0, "they are one island, of which one is too fast");
}

#[test]
fn the_pieces_of_a_body_rest_as_one() {
    let mapping = "<Node name='seam'>
        <MechanicalObject position='0 0 0  1 0 0'/>
        <SubsetMultiMapping input='@../one/points @../other/points' indexPairs='0 0  1 1'/>
    </Node>";
    assert_eq!(asleep_after(pieces(mapping, 0.0051), 20), 2);
    assert_eq!(asleep_after(pieces(mapping, 0.0049), 20), 0);
}

/// How many objects sleep at most within some steps.
fn most_asleep(inside: &str, steps: usize) -> usize {
    let text = format!(
        "<Node name='root' dt='0.01' gravity='0 -9.81 0'>
            <DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
            <NewProximityIntersection alarmDistance='0.1' contactDistance='0.05'/>
            <CollisionResponse response='PenalityContactForceField' friction='0.3'/>
            <Sleeping speed='0.05' delay='0.2'/>
            {inside}
        </Node>"
    );
    let solver =
        "<EulerImplicitSolver/><CGLinearSolver iterations='30' tolerance='1e-12' threshold='1e-30'/>";
    let text = text.replace("<solver/>", solver);
    let mut s = scene(&text, SimulationOptions { threads: 1, ..SimulationOptions::default() });
    (0..steps).map(|_| s.step().expect("a step").asleep).max().unwrap_or(0)
}

#[test]
fn what_is_thrown_or_swings_or_slides_does_not_sleep() {
    let thrown =
        "<solver/><MechanicalObject position='0 0 0' velocity='0.3 4 0'/><UniformMass totalMass='1'/>";
    assert_eq!(most_asleep(thrown, 120), 0, "nor at the top of its path");
    // A pendulum of 1 m, let go at 0.1 rad: three swings.
    let pendulum =
        "<solver/><MechanicalObject position='0 0 0  0.0998 -0.995 0'/><UniformMass totalMass='2'/>
        <FixedProjectiveConstraint indices='0'/>
        <SpringForceField object1='@.' object2='@.' spring='0 1 5000 5 1'/>";
    assert_eq!(most_asleep(pendulum, 600), 0, "nor where it turns");
    // A ball on a slope, which begins to roll.
    let slope = |rise: f64| {
        let corners = format!("-9 {} -50  -9 {} 50  90 {} 0", rise * 9.0, rise * 9.0, -rise * 90.0);
        format!(
            "<Node name='slope'><MeshTopology position='{corners}' triangles='0 1 2'/>
                <MechanicalObject position='{corners}'/>
                <TriangleCollisionModel simulated='0' moving='0' contactStiffness='300'/></Node>
            <Node name='ball'><solver/><MechanicalObject template='Rigid3' position='0 0.34 0 0 0 0 1'/>
                <UniformMass vertexMass='1 1 0.036 0 0 0 0.036 0 0 0 0.036'/>
                <SphereCollisionModel radius='0.3' contactStiffness='300'/></Node>"
        )
    };
    assert_eq!(most_asleep(&slope(0.2), 300), 0, "nor while it is slow");
    assert_eq!(most_asleep(&slope(0.0), 300), 1, "but where it is level");
}

/// A point on which nothing acts, and one whose velocity is prescribed, under damping of what is slower than 0.1 m/s.
fn coasting(speed: f64) -> Simulation {
    let point = |name: &str, constraint: &str| {
        format!(
            "<Node name='{name}'>
                <EulerImplicitSolver/><CGLinearSolver iterations='10' tolerance='1e-12' threshold='1e-30'/>
                <MechanicalObject name='dofs' position='0 0 0' velocity='{speed} 0 0'/><UniformMass totalMass='1'/>
                {constraint}
            </Node>"
        )
    };
    let (free, driven) = (
        point("free", ""),
        point(
            "driven",
            &format!(
                "<LinearVelocityProjectiveConstraint indices='0' keyTimes='0 9' velocities='{speed} 0 0 {speed} 0 0'/>"
            ),
        ),
    );
    let text = format!(
        "<Node name='root' dt='0.01' gravity='0 0 0'>
            <Sleeping speed='0' damping='5' dampingSpeed='0.1'/>{free}{driven}
        </Node>"
    );
    scene(&text, SimulationOptions { threads: 1, ..SimulationOptions::default() })
}

#[test]
fn what_is_slow_is_damped_the_more_the_slower_it_is() {
    for start in [0.01, 0.08, 0.1, 1.0] {
        let mut s = coasting(start);
        let mut expected: f64 = start;
        for _ in 0..50 {
            s.step().expect("a step");
            let share = 1.0 - (expected / 0.1).powi(2);
            expected /= 1.0 + 5.0 * share.max(0.0) * 0.01;
            let states = s.states();
            let speed =
                |path: &str| states.iter().find(|v| v.path == path).expect("it is there").velocity[0][0];
            let (free, driven) = (speed("/free/dofs"), speed("/driven/dofs"));
            assert!((free - expected).abs() <= 1e-12 * start, "{free} instead of {expected}");
            assert!((driven - start).abs() <= 1e-12 * start, "what is prescribed stays: {driven}");
        }
        assert_eq!(expected < start, start < 0.1);
    }
}

/// The velocity along x after some steps of a point that starts at `start` [m/s] and is accelerated [m/s^2], beside what it should
/// be.
fn braked(start: f64, acceleration: f64) -> (f64, f64) {
    let text = format!(
        "<Node name='root' dt='0.01' gravity='{acceleration} 0 0'>
            <Sleeping speed='0' braking='2' dampingSpeed='0.5'/>
            <EulerImplicitSolver/><CGLinearSolver iterations='10' tolerance='1e-12' threshold='1e-30'/>
            <MechanicalObject name='dofs' position='0 0 0' velocity='{start} 0 0'/><UniformMass totalMass='1'/>
        </Node>"
    );
    let mut s = scene(&text, SimulationOptions { threads: 1, ..SimulationOptions::default() });
    let mut expected = start;
    for _ in 0..60 {
        s.step().expect("a step");
        expected += acceleration * 0.01;
        expected -= (2.0 * (1.0 - (expected / 0.5).powi(2)).max(0.0) * 0.01).min(expected);
    }
    (s.states()[0].velocity[0][0], expected)
}

#[test]
fn what_is_slow_is_braked_and_held() {
    for (start, acceleration, rests) in
        [(0.3, 0.0, true), (0.6, 0.0, false), (0.0, 1.9, true), (0.0, 3.0, false), (0.3, 0.5, true)]
    {
        let (found, expected) = braked(start, acceleration);
        assert!((found - expected).abs() <= 1e-12, "{found} instead of {expected}");
        assert_eq!(found == 0.0, rests, "{start} m/s, {acceleration} m/s^2: {found}");
    }
}

/// Two sheets on springs, one 2 mm below the other, and a weight on both.
const SHEETS: &str = "<Node name='root' dt='0.01' gravity='0 0 -9.81'>
  <DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
  <NewProximityIntersection alarmDistance='0.3' contactDistance='0.2'/>
  <CollisionResponse response='PenalityContactForceField' friction='0.4'/>
  <CollisionGroupManager/>
  <Node name='sheets'>
    <EulerImplicitSolver rayleighStiffness='0.02' rayleighMass='1'/><CGLinearSolver iterations='25' tolerance='1e-6' threshold='1e-10'/>
    <MeshTopology triangles='0 1 2 3 4 5'/>
    <MechanicalObject name='dofs' position='-4 -3 0  4 -3 0  0 5 0  -4 -3 -0.002  4 -3 -0.002  0 5 -0.002'/>
    <UniformMass totalMass='0.6'/>
    <RestShapeSpringsForceField stiffness='1000'/>
    <TriangleCollisionModel contactStiffness='20'/>
  </Node>
  <Node name='load'>
    <EulerImplicitSolver rayleighStiffness='0.02' rayleighMass='1'/><CGLinearSolver iterations='25' tolerance='1e-6' threshold='1e-10'/>
    <MeshTopology triangles='0 1 2'/>
    <MechanicalObject name='dofs' position='-0.3 -0.2 0.19  0.3 -0.2 0.19  0 0.3 0.19'/>
    <UniformMass totalMass='5'/>
    <TriangleCollisionModel contactStiffness='20'/>
  </Node>
</Node>";

#[test]
fn a_weight_on_two_sheets_side_by_side_comes_to_rest_on_both() {
    let mut s = scene(SHEETS, SimulationOptions { threads: 1, ..SimulationOptions::default() });
    for _ in 0..800 {
        s.step().expect("a step");
    }
    for _ in 0..8 {
        s.step().expect("a step");
        for v in s.states() {
            let fastest = v.velocity.iter().flatten().fold(0.0, |m: f64, c| m.max(c.abs()));
            assert!(fastest < 1e-3, "{} moves at {fastest} m/s", v.path);
        }
    }
    let states = s.states();
    let sheets = states.iter().find(|v| v.path == "/sheets/dofs").expect("the sheets");
    let weight: f64 = 5.0 * 9.81;
    let held = |points: std::ops::Range<usize>, from: f64| {
        points.map(|i| 1000.0 * (from - sheets.position[i][2]) - 0.1 * 9.81).sum::<f64>()
    };
    let (upper, lower) = (held(0..3, 0.0), held(3..6, -0.002));
    assert!((upper + lower - weight).abs() < 0.01 * weight, "{upper} N and {lower} N");
    assert!(lower > 0.4 * weight && upper > lower, "{upper} N and {lower} N");
}

/// Moves what has a translation up.
fn raise(e: &mut Element, by: f64) {
    for a in e.attributes.iter_mut().filter(|a| a.name == "translation") {
        let mut at: Vec<f64> = a.value.split_whitespace().map(|c| c.parse().expect("a number")).collect();
        at[1] += by;
        a.value = scenes::element::numbers(at);
    }
    e.children.iter_mut().for_each(|c| raise(c, by));
}

/// Steps until something holds, which takes at most so many seconds of simulated time.
fn until(s: &mut Simulation, within: f64, mut holds: impl FnMut(&Simulation) -> bool) {
    let begin = s.time();
    while !holds(s) {
        assert!(s.time() - begin < within, "after {within} s {} objects sleep", s.n_asleep());
        s.step().expect("a step");
    }
}

#[test]
fn a_heap_comes_to_rest_and_does_so_again_after_one_more_has_landed() {
    let set = [("objects".to_owned(), "7".to_owned())];
    let mut root = gallery::find("falling").and_then(|s| s.elements(&set)).expect("a gallery scene");
    let objects = root.children.iter_mut().find(|e| e.name() == Some("objects")).expect("it has objects");
    // Falls at 10 m/s in the end, as damping by its mass allows.
    raise(objects.children.last_mut().expect("seven"), 150.0);
    let mut s = of_elements(root, SimulationOptions { threads: 1, ..SimulationOptions::default() });
    until(&mut s, 10.0, |s| s.n_asleep() == 6);
    until(&mut s, 18.0, |s| s.n_asleep() < 6);
    until(&mut s, 10.0, |s| s.n_asleep() == 7);
    let before = s.state_hash().expect("finite");
    (0..20).for_each(|_| assert_eq!(s.step().expect("a step").asleep, 7));
    assert_eq!(s.state_hash().expect("finite"), before);
}

#[test]
fn a_dozen_objects_rest_within_ten_seconds() {
    let set = [("objects".to_owned(), "12".to_owned())];
    let root = gallery::find("falling").and_then(|s| s.elements(&set)).expect("a gallery scene");
    let mut s = of_elements(root, SimulationOptions { threads: 1, ..SimulationOptions::default() });
    until(&mut s, 10.0, Simulation::rests);
    let before = s.state_hash().expect("finite");
    let report = s.step().expect("a step");
    assert_eq!(report.asleep, 12);
    assert_eq!(s.state_hash().expect("finite"), before);
}
