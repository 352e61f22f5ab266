//! How solvers have converged: what the report, the summary, warnings and failures say of it.

use super::{Answer, Scratch, weft, weft_ok};

/// A point that hangs on a spring, at rest under its weight once Newton's method has converged.
fn hanging(newton: &str, point: &str) -> String {
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -10 0">
    <StaticSolver name="balance"/>
    <NewtonRaphsonSolver absoluteResidualStoppingThreshold="1e-11" relativeInitialStoppingThreshold="0"
        relativeSuccessiveStoppingThreshold="0" {newton}/>
    <SparseLDLSolver/>
    <MechanicalObject name="point" position="0 0 0  {point}"/>
    <UniformMass vertexMass="2"/>
    <FixedProjectiveConstraint indices="0"/>
    <SpringForceField spring="0 1 100 0 1"/>
</Node>"#
    )
}

/// A bar whose conjugate gradient is to be as exact as it never becomes in four iterations.
fn bar(linear: &str) -> String {
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -10 0">
    <EulerImplicitSolver name="euler"/>
    {linear}
    <RegularGridTopology n="5 2 2" min="0 0 0" max="4 1 1"/>
    <MechanicalObject name="points"/>
    <UniformMass totalMass="1"/>
    <FixedProjectiveConstraint indices="0 5 10 15"/>
    <HexahedronFEMForceField youngModulus="1000" poissonRatio="0.3"/>
</Node>"#
    )
}

fn run(s: &Scratch, text: &str, steps: &str) -> (Answer, serde_json::Value) {
    let (scene, report) = (s.file("scene.scn", text), s.path("r.json"));
    let answer = weft_ok(&["run", &scene, "--steps", steps, "--report", &report]);
    (answer, s.json("r.json"))
}

fn warnings(a: &Answer) -> Vec<&str> {
    a.stderr.lines().filter(|l| l.to_lowercase().contains("newton's")).collect()
}

#[test]
fn newtons_method_at_its_limit_is_reported_and_warned_of_once() {
    let s = Scratch::new();
    let (a, r) = run(&s, &hanging("maxNbIterationsNewton='2'", "0.2 -1.4 0"), "1");
    let solver = &r["solvers"][0];
    assert_eq!(solver["solver"], "StaticSolver /balance", "{r}");
    let newton = &solver["newton"];
    assert_eq!((newton["steps_at_limit"].as_u64(), newton["limit"].as_u64()), (Some(1), Some(2)), "{r}");
    let residuals: Vec<f64> =
        newton["residuals"].as_array().expect("a history").iter().filter_map(|n| n.as_f64()).collect();
    assert!(residuals.len() == 3 && residuals.iter().all(|r| *r > 1e-11), "{residuals:?}");
    assert_eq!(r["newton_iterations"]["max"], 2.0);
    assert_eq!(r["cg_iterations"]["max"], 0.0, "no linear solver iterates");
    let found = warnings(&a);
    assert_eq!(found.len(), 1, "{}", a.stderr);
    for word in ["scene.scn:2:", "/balance", "step 0", "2 iterations", "residuals", "warnWhenDiverge"] {
        assert!(found[0].contains(word), "{word}: {}", found[0]);
    }
    for line in ["Newton iterations", "StaticSolver /balance: ", "in 1 step at the limit of 2"] {
        assert!(a.stdout.contains(line), "{line}: {}", a.stdout);
    }

    // Where it converges, nobody is warned; the later steps begin in balance.
    let (a, r) = run(&s, &hanging("maxNbIterationsNewton='60'", "0.2 -1.4 0"), "3");
    let newton = &r["solvers"][0]["newton"];
    assert_eq!((newton["steps_at_limit"].as_u64(), warnings(&a).len()), (Some(0), 0), "{}", a.stderr);
    assert!(newton["iterations"]["max"].as_f64() > Some(2.0), "{r}");

    // Of a limit that every step ends at there is one warning, and none where nobody wants it, or of one iteration.
    let never = "absoluteResidualStoppingThreshold='0'";
    let text = |newton: &str| {
        hanging(newton, "0.2 -1.4 0").replace("absoluteResidualStoppingThreshold=\"1e-11\"", never)
    };
    let (a, r) = run(&s, &text("maxNbIterationsNewton='3'"), "4");
    assert_eq!(warnings(&a).len(), 1, "{}", a.stderr);
    assert_eq!(r["solvers"][0]["newton"]["steps_at_limit"].as_u64(), Some(4));
    let (a, _) = run(&s, &text("maxNbIterationsNewton='3' warnWhenDiverge='0'"), "4");
    assert_eq!(warnings(&a).len(), 0, "{}", a.stderr);
    let (a, r) = run(&s, &text("maxNbIterationsNewton='1'"), "4");
    assert_eq!(warnings(&a).len(), 0, "{}", a.stderr);
    assert_eq!(r["solvers"][0]["newton"]["steps_at_limit"].as_u64(), Some(4));
}

#[test]
fn a_line_search_that_fails_is_reported_and_warned_of_once() {
    let s = Scratch::new();
    let text = |more: &str| {
        let search = "maxNbIterationsNewton='6' maxNbIterationsLineSearch='2' lineSearchCoefficient='0.99' warnWhenDiverge='0'";
        hanging(&format!("{search} {more}"), "1.5 0.1 0")
    };
    let (a, r) = run(&s, &text(""), "2");
    assert!(r["solvers"][0]["newton"]["failed_line_searches"].as_u64() > Some(0), "{r}");
    let found = warnings(&a);
    assert!(found.len() == 1 && found[0].contains("line search"), "{}", a.stderr);
    assert!(found[0].contains("warnWhenLineSearchFails"), "{}", found[0]);
    assert!(a.stdout.contains("line search"), "{}", a.stdout);
    let (a, _) = run(&s, &text("warnWhenLineSearchFails='0'"), "2");
    assert_eq!(warnings(&a).len(), 0, "{}", a.stderr);
}

/// At its limit, as in SOFA's scenes, a conjugate gradient is no reason to warn; the report says what is left.
#[test]
fn linear_solvers_at_their_limits_are_reported() {
    let s = Scratch::new();
    for (class, attributes) in [
        ("CGLinearSolver", "tolerance='1e-12' threshold='0'"),
        ("PCGLinearSolver", "tolerance='1e-24'"),
        ("MinResLinearSolver", "tolerance='1e-12'"),
    ] {
        let linear = |n: u32| format!("<{class} name='linear' iterations='{n}' {attributes}/>");
        let (a, r) = run(&s, &bar(&linear(4)), "5");
        let solver = &r["solvers"][0];
        assert_eq!(
            (&solver["solver"], solver["newton"].is_null()),
            (&"EulerImplicitSolver /euler".into(), true)
        );
        let found = &solver["linear_solver"];
        assert_eq!(found["solver"], format!("{class} /linear"), "{r}");
        assert_eq!((found["steps_at_limit"].as_u64(), found["limit"].as_u64()), (Some(5), Some(4)), "{r}");
        let tolerance = found["tolerance"].as_f64();
        assert!(found["last_residual_ratio"].as_f64() > tolerance && tolerance > Some(0.0), "{r}");
        assert_eq!(found["iterations"]["max"], r["cg_iterations"]["max"]);
        assert!(a.stdout.contains("in 5 steps at the limit of 4"), "{}", a.stdout);
        assert_eq!(a.stderr, "", "{class}");

        let (a, r) = run(&s, &bar(&linear(400)), "5");
        let found = &r["solvers"][0]["linear_solver"];
        assert_eq!(found["steps_at_limit"].as_u64(), Some(0), "{r}");
        assert!(found["residual_ratio"]["max"].as_f64().expect("a ratio") <= tolerance.expect("one"), "{r}");
        assert!(a.stdout.contains("in no step at the limit of 400"), "{}", a.stdout);
    }
}

/// A linear solver within Newton's method is named beside it.
#[test]
fn newtons_method_and_its_linear_solver_are_counted_apart() {
    let s = Scratch::new();
    let linear = "<CGLinearSolver name='linear' iterations='50' tolerance='1e-12' threshold='0'/>";
    let text = hanging("maxNbIterationsNewton='60'", "0.2 -1.4 0").replace("<SparseLDLSolver/>", linear);
    let (_, r) = run(&s, &text, "1");
    let solver = &r["solvers"][0];
    let newton = solver["newton"]["iterations"]["max"].as_f64();
    assert_eq!(newton, r["newton_iterations"]["max"].as_f64());
    assert_eq!(newton.map(|n| n as usize + 1), solver["newton"]["residuals"].as_array().map(Vec::len));
    assert_eq!(solver["linear_solver"]["iterations"]["max"], r["cg_iterations"]["max"]);
    assert!(r["cg_iterations"]["max"].as_f64() < newton, "two directions at most: {r}");
}

/// A step that fails says how its solver has come there.
#[test]
fn a_failed_step_says_the_history_of_residuals() {
    let s = Scratch::new();
    let far = hanging("maxNbIterationsNewton='9'", "0 -1e153 0");
    let scene = s.file("far.scn", &far);
    let a = weft(&["run", &scene, "--steps", "1"]);
    assert_eq!(a.code, Some(3), "{}", a.stderr);
    assert!(a.complaint().contains("after 0 iterations of Newton's method, residuals inf"), "{}", a.stderr);

    let fast = r#"<Node name="root" dt="1" gravity="0 -10 0"><EulerImplicitSolver/>
        <CGLinearSolver iterations="30" tolerance="1e-12" threshold="0"/>
        <MechanicalObject position="0 0 0" velocity="0 1e200 0"/><UniformMass vertexMass="1"/>
        <PlaneForceField normal="0 1 0" stiffness="1" damping="0" bilateral="1"/></Node>"#;
    let scene = s.file("fast.scn", fast);
    let a = weft(&["run", &scene, "--steps", "1"]);
    assert_eq!(a.code, Some(3), "{}", a.stderr);
    assert!(a.complaint().contains("of at most 30 iterations of the linear solver"), "{}", a.stderr);
}
