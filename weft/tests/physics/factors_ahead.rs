//! Factors that are found beside the steps while older ones serve: `AsyncSparseLDLSolver`.

use std::time::{Duration, Instant};

use super::support::*;
use weft::simulation::{ExecutorKind, Simulation, SimulationOptions};

/// A bar of hexahedra that bends, and loses a corner at 0.045 s and two elements at 0.085 s, in the middle of what is under way.
fn torn_bar(linear: &str) -> String {
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -9.81 0"><DefaultAnimationLoop/>
        <RegularGridTopology name="grid" n="7 3 3" min="0 0 0" max="3 1 1"/>
        <Node name="body">
            <EulerImplicitSolver rayleighStiffness="0.02" rayleighMass="0.1"/>{linear}
            <HexahedronSetTopologyContainer name="hexahedra" src="@../grid"/>
            <HexahedronSetTopologyModifier/>
            <MechanicalObject name="dofs" src="@../grid"/>
            <UniformMass vertexMass="0.05"/>
            <FixedProjectiveConstraint indices="0 7 14 21 28 35 42 49 56"/>
            <HexahedronFEMForceField youngModulus="2000" poissonRatio="0.3" method="large"/>
            <TopologicalChangeProcessor useDataInputs="1" hexahedraToRemove="23" timeToRemove="0.045"/>
            <TopologicalChangeProcessor useDataInputs="1" hexahedraToRemove="10 4" timeToRemove="0.085"/>
        </Node></Node>"#
    )
}

fn options(executor: ExecutorKind, threads: usize) -> SimulationOptions {
    SimulationOptions { executor, threads, pin: false, ..sequential() }
}

/// The largest difference of any position.
fn apart(a: &Simulation, b: &Simulation) -> f64 {
    let numbers =
        |s: &Simulation| -> Vec<f64> { s.states().into_iter().flat_map(|s| s.position).flatten().collect() };
    numbers(a).into_iter().zip(numbers(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The bits after each of some steps.
fn bits(text: &str, options: SimulationOptions, n: u64) -> Vec<String> {
    let mut s = simulate_with(text, options);
    (0..n)
        .map(|_| {
            steps(&mut s, 1);
            s.state_hash().expect("finite")
        })
        .collect()
}

/// Whoever finds the factors, and whenever: nobody beside the steps, a thread beside one worker or two, or one that has no time.
#[test]
fn bits_do_not_depend_on_who_finds_factors_when_elements_go() {
    for linear in [
        "<AsyncSparseLDLSolver delay='3'/>",
        "<AsyncSparseLDLSolver delay='1'/>",
        "<PCGLinearSolver iterations='400' tolerance='1e-24' preconditioner='@p'/><AsyncSparseLDLSolver name='p' delay='4'/>",
    ] {
        let text = torn_bar(linear);
        let wanted = bits(&text, sequential(), 20);
        for (executor, threads) in [
            (ExecutorKind::Replay, 1),
            (ExecutorKind::Replay, 2),
            (ExecutorKind::ForkJoin, 2),
            (ExecutorKind::Stealing, 2),
        ] {
            assert!(bits(&text, options(executor, threads), 20) == wanted, "{executor:?} {threads} {linear}");
        }
    }
}

/// After a change, too, old factors precondition, and do not decide.
#[test]
fn factors_of_before_a_change_bend_no_solution() {
    let run = |linear: &str| {
        let mut s = simulate_with(&torn_bar(linear), options(ExecutorKind::Replay, 2));
        steps(&mut s, 20);
        s
    };
    let old = "<PCGLinearSolver iterations='400' tolerance='1e-28' preconditioner='@p'/><AsyncSparseLDLSolver name='p' delay='6'/>";
    let (found, wanted) = (run(old), run("<SparseLDLSolver/>"));
    assert!(apart(&found, &wanted) < 1e-8, "{:e} apart", apart(&found, &wanted));
    let late = apart(&run("<AsyncSparseLDLSolver delay='6'/>"), &wanted);
    assert!(late > 1e-6, "older factors alone are another matter: {late:e}");
}

/// A simulation that is made anew, as the window's reset does, while factors are on their way begins as the first one did; who goes
/// waits for nobody.
#[test]
fn what_is_under_way_when_a_simulation_goes_is_forgotten() {
    let text = torn_bar("<AsyncSparseLDLSolver delay='3'/>");
    let wanted = bits(&text, sequential(), 8);
    for n in 1..8 {
        let mut first = simulate_with(&text, options(ExecutorKind::Replay, 2));
        steps(&mut first, n);
        drop(first);
        assert!(bits(&text, options(ExecutorKind::Replay, 2), 8) == wanted, "after {n} steps");
    }
}

/// A plane that a point falls onto is in the matrix of the step in which they touch. A step by older factors differs there first, whatever
/// their age; with `delay` 1 they are one solution old.
#[test]
fn factors_serve_the_stated_number_of_solutions_later() {
    let scene = |linear: &str| {
        format!(
            r#"<Node name="root" dt="0.02" gravity="0 -10 0">
                <EulerImplicitSolver/>{linear}
                <MechanicalObject name="point" position="0.2 0.1 0"/>
                <UniformMass vertexMass="1"/>
                <PlaneForceField normal="0 1 0" d="0" stiffness="900" damping="0"/>
            </Node>"#
        )
    };
    let path = |linear: &str| -> Vec<f64> {
        let mut s = simulate(&scene(linear));
        (0..24)
            .map(|_| {
                steps(&mut s, 1);
                state(&s, "point").position[0][1]
            })
            .collect()
    };
    let first_difference = |delay: u32| {
        let (late, present) =
            (path(&format!("<AsyncSparseLDLSolver delay='{delay}'/>")), path("<SparseLDLSolver/>"));
        late.iter().zip(&present).position(|(a, b)| (a - b).abs() > 1e-12)
    };
    let touches = first_difference(24).expect("the plane is touched");
    assert!(touches > 2 && touches < 20, "{touches}");
    for delay in [1, 2, 5] {
        assert_eq!(
            first_difference(delay),
            Some(touches),
            "no factors know of the plane before it is touched"
        );
    }
}

/// Steps go on while a thread finds factors; the record of a step shows the work once it is over.
#[test]
fn factors_are_found_while_steps_go_on() {
    let whole = |text: String| text.replace("0.045", "1e9").replace("0.085", "1e9");
    let text = whole(torn_bar("<AsyncSparseLDLSolver delay='40'/>"));
    let mut s: Simulation = simulate_with(&text, options(ExecutorKind::Replay, 1));
    s.observe(true);
    let begin = Instant::now();
    let work = loop {
        assert!(begin.elapsed() < Duration::from_secs(120), "no thread has found factors");
        steps(&mut s, 1);
        if let Some(work) = s.record().and_then(|record| record.beside.first().cloned()) {
            break work;
        }
    };
    assert_eq!(work.name, "factorization beside the steps");
    assert!(work.duration_ns > 0 && s.step_index() > 40, "{work:?}, step {}", s.step_index());
    // It is told of once.
    steps(&mut s, 1);
    assert!(s.record().is_some_and(|record| !record.beside.contains(&work)));
}
