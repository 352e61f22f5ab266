//! Constraints with Lagrange multipliers against closed forms: joints, bounds, chains, bodies on slopes.

use super::support::*;
use weft::simulation::{ExecutorKind, Simulation, SimulationOptions};

const G: f64 = 9.81;
const DIRECT: &str = "<EulerImplicitSolver/><SparseLDLSolver/>";
const EXACT: &str = r#"<BlockGaussSeidelConstraintSolver tolerance="1e-13" maxIterations="5000"/>"#;

fn world(head: &str, content: &str) -> String {
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -{G} 0"><FreeMotionAnimationLoop/>{head}{content}</Node>"#
    )
}

/// Two points on a spring; the first of one hangs at the second of the other.
fn two_springs(correction: [&str; 2], held: &str) -> String {
    let body = |name: &str, x: f64, correction: &str, held: &str| {
        format!(
            r#"<Node name="{name}">{DIRECT}
                <MechanicalObject position="{x} 0 0  {} 0 0"/><UniformMass totalMass="2"/>
                <SpringForceField spring="0 1 500 0 1"/>{held}{correction}
            </Node>"#,
            x + 1.0
        )
    };
    let joint =
        r#"<BilateralLagrangianConstraint object1="@a" object2="@b" first_point="1" second_point="0"/>"#;
    let bodies = body("a", 0.0, correction[0], held) + &body("b", 1.0, correction[1], "");
    world(EXACT, &(bodies + joint))
}

const BY_FACTORS: &str = "<LinearSolverConstraintCorrection/>";
const UNCOUPLED: &str = r#"<UncoupledConstraintCorrection defaultCompliance="1"/>"#;

/// Whatever corrects them: points that are held stay, points that are joined are at one place.
#[test]
fn joined_points_are_at_one_place_and_held_ones_at_rest() {
    let generic = "<GenericConstraintCorrection/>";
    for corrections in [[BY_FACTORS; 2], [BY_FACTORS, UNCOUPLED], [UNCOUPLED; 2], [generic, BY_FACTORS]] {
        let held = r#"<FixedLagrangianConstraint indices="0"/>"#;
        let mut s = simulate(&two_springs(corrections, held));
        for _ in 0..40 {
            steps(&mut s, 1);
            let (a, b) = (state(&s, "/a/"), state(&s, "/b/"));
            for k in 0..3 {
                close(a.position[0][k], 0.0, 1e-12);
                close(a.position[1][k], b.position[0][k], 1e-12);
                close(a.velocity[1][k], b.velocity[0][k], 1e-9);
            }
        }
        assert!(state(&s, "/b/").position[1][1] < -0.5, "{corrections:?}: it swings down");
    }
}

/// Sweeps over what multipliers move end where those over the matrix of compliances end, whatever corrects the bodies.
#[test]
fn an_unbuilt_matrix_gives_the_forces_of_a_built_one() {
    let own =
        r#"<UncoupledConstraintCorrection defaultCompliance="0.02" useOdeSolverIntegrationFactors="0"/>"#;
    let held = r#"<FixedLagrangianConstraint indices="0"/>"#;
    for corrections in [[own, own], [BY_FACTORS, own], [own, BY_FACTORS]] {
        // A regularization is no part of motions, as in SOFA: without a matrix it only slows the sweeps.
        let regularized = r#" regularizationTerm="0.003""#;
        let relaxed = r#" sor="1.2" exactRelaxation="1""#;
        for (more, of_built) in [("", ""), (relaxed, r#" sor="1.2""#), (regularized, "")] {
            let swept = |class: &str, more: &str| {
                let solver = format!(r#"<{class} tolerance="1e-13" maxIterations="5000"{more}/>"#);
                let mut s = simulate(&two_springs(corrections, held).replace(EXACT, &solver));
                steps(&mut s, 30);
                [state(&s, "/a/"), state(&s, "/b/")].map(|s| s.position.concat()).concat()
            };
            let built = swept("BlockGaussSeidelConstraintSolver", of_built);
            let unbuilt = swept("UnbuiltGaussSeidelConstraintSolver", more);
            built.iter().zip(&unbuilt).for_each(|(a, b)| close(*a, *b, 1e-9));
            assert!(built[4] < -0.02, "{corrections:?}: it moves");
        }
    }
}

/// With the integrator's factors, which SOFA leaves out, they do so whatever is corrected, and for any correction; without, a scene is
/// warned of.
#[test]
fn an_unbuilt_matrix_gives_these_forces_with_all_factors() {
    let held = r#"<FixedLagrangianConstraint indices="0"/>"#;
    let scaled = r#"<GenericConstraintCorrection complianceFactor="0.5"/>"#;
    let by_velocities = r#"<FreeMotionAnimationLoop solveVelocityConstraintFirst="1"/>"#;
    let by_positions = "<FreeMotionAnimationLoop/>";
    let cases = [
        (by_positions, [UNCOUPLED; 2]),
        (by_positions, [scaled, BY_FACTORS]),
        (by_velocities, [BY_FACTORS; 2]),
        (by_velocities, [UNCOUPLED, BY_FACTORS]),
    ];
    for (animation_loop, corrections) in cases {
        let scene = |solver: &str| {
            let solver = format!(r#"<{solver} tolerance="1e-13" maxIterations="5000"/>"#);
            let scene = two_springs(corrections, held).replace(EXACT, &solver);
            scene.replace(by_positions, animation_loop)
        };
        let swept = |solver: &str| {
            let mut s = simulate(&scene(solver));
            steps(&mut s, 30);
            [state(&s, "/a/"), state(&s, "/b/")].map(|s| s.position.concat()).concat()
        };
        let built = swept("BlockGaussSeidelConstraintSolver");
        let unbuilt = swept(r#"UnbuiltGaussSeidelConstraintSolver exactFactors="1""#);
        built.iter().zip(&unbuilt).for_each(|(a, b)| close(*a, *b, 1e-9));
        assert!(built[4] < -0.02, "{corrections:?}: it moves");
        let said = |solver: &str| warnings(&scene(solver)).iter().any(|w| w.contains("exactFactors"));
        assert!(said("UnbuiltGaussSeidelConstraintSolver"), "{animation_loop} {corrections:?}");
        assert!(!said(r#"UnbuiltGaussSeidelConstraintSolver exactFactors="1""#));
        assert!(!said("BlockGaussSeidelConstraintSolver"));
    }
}

/// SOFA's relaxation without a matrix: sweeps see what all of each has moved, so that forces end as so many times those that are needed.
#[test]
fn relaxed_sweeps_without_a_matrix_end_with_a_multiple_of_the_forces() {
    let height = |class: &str, more: &str, held: &str| {
        let solver = format!(r#"<{class} tolerance="1e-14" maxIterations="5000"{more}/>"#);
        let body = format!(
            r#"<Node name="a">{DIRECT}<MechanicalObject position="0 0 0"/><UniformMass totalMass="2"/>{held}
                <UncoupledConstraintCorrection defaultCompliance="0.02" useOdeSolverIntegrationFactors="0"/></Node>"#
        );
        let mut s = simulate(&world(&solver, &body));
        steps(&mut s, 1);
        state(&s, "/a/").position[0][1]
    };
    let (unbuilt, held) =
        ("UnbuiltGaussSeidelConstraintSolver", r#"<FixedLagrangianConstraint indices="0"/>"#);
    let [free, whole] = ["", held].map(|held| height(unbuilt, "", held));
    close(whole, 0.0, 1e-12);
    for sor in [0.7, 1.2] {
        let relaxed = format!(r#" sor="{sor}""#);
        close(height(unbuilt, &relaxed, held) - free, sor * (whole - free), 1e-12);
        close(height(unbuilt, &format!(r#"{relaxed} exactRelaxation="1""#), held), whole, 1e-12);
        close(height("BlockGaussSeidelConstraintSolver", &relaxed, held), whole, 1e-12);
    }
}

/// Bricks that stand by friction: the same sweeps, block by block, but for rounding.
#[test]
fn a_dry_wall_stands_alike_by_motions_and_by_the_matrix() {
    let swept = |solver: &str| {
        let wall = weft::gallery::find("bricks").expect("it is there");
        let set = [("solver", solver), ("courses", "3"), ("length", "3"), ("ball", "0")];
        let set: Vec<_> = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut s = simulate(&wall.export(&set).expect("its parameters"));
        let report = steps(&mut s, 30).expect("steps");
        assert!(report.contacts > 50, "{} contacts", report.contacts);
        let at = |k: usize| state(&s, &format!("/brick{k}/dofs")).position[0].clone();
        (0..9).map(at).collect::<Vec<_>>()
    };
    let (built, unbuilt) = (swept("built"), swept("unbuilt"));
    for (k, (a, b)) in built.iter().zip(&unbuilt).enumerate() {
        a.iter().zip(b).for_each(|(a, b)| close(*a, *b, 1e-8));
        // Each course is where it was laid.
        close(a[1], 0.22 + 0.42 * (k / 3) as f64, 5e-3);
    }
}

/// A bar of tetrahedra that is held at one end, under a solver and with a correction.
fn held_bar(solver: &str, method: &str, spin: &str, correction: &str) -> String {
    world(
        EXACT,
        &format!(
            r#"<Node name="bar"><EulerImplicitSolver rayleighStiffness="0.01"/>{solver}
                <RegularGridTopology name="grid" n="2 2 4" min="0 0 0" max="0.3 0.3 0.9"/>
                <MechanicalObject position="@grid.position" {spin}/><UniformMass totalMass="1"/>
                <TetrahedronFEMForceField youngModulus="3000" poissonRatio="0.3" method="{method}"/>
                <FixedLagrangianConstraint indices="0 1"/>{correction}</Node>"#
        ),
    )
}

/// The largest difference of two states' positions.
fn distance(a: &Simulation, b: &Simulation) -> f64 {
    let (a, b) = (state(a, "/bar/"), state(b, "/bar/"));
    let pairs = a.position.iter().flatten().zip(b.position.iter().flatten());
    pairs.fold(0.0, |largest, (a, b)| f64::max(largest, (a - b).abs()))
}

/// A matrix that stays what it was at first is the same whenever it is found, and whatever solves by it.
#[test]
fn a_precomputed_compliance_is_that_of_a_constant_matrix() {
    let precomputed = "<PrecomputedConstraintCorrection/>";
    let of_factors = held_bar("<SparseLDLSolver/>", "small", "", BY_FACTORS);
    let mut expected = simulate(&of_factors);
    steps(&mut expected, 30);
    assert!(state(&expected, "/bar/").position[15][1] < 0.2, "it bends");
    let by_gradient = r#"<CGLinearSolver iterations="500" tolerance="1e-28" threshold="1e-30"/>"#;
    for (solver, tolerance) in [("<SparseLDLSolver/>", 1e-12), (by_gradient, 1e-9)] {
        let mut s = simulate(&held_bar(solver, "small", "", precomputed));
        steps(&mut s, 30);
        assert!(distance(&s, &expected) < tolerance, "{solver}: {:e}", distance(&s, &expected));
    }
    let explicit = held_bar("<SparseLDLSolver/>", "small", "", precomputed)
        .replace("EulerImplicitSolver rayleighStiffness=\"0.01\"", "NewmarkImplicitSolver");
    let refused = refusal(&explicit);
    assert!(refused.contains("EulerImplicitSolver"), "{refused}");
}

/// A solver that goes on from its former solution begins with what the last unit force made, as SOFA leaves it.
#[test]
fn a_first_step_begins_with_the_solution_of_the_last_unit_force() {
    let precomputed = "<PrecomputedConstraintCorrection/>";
    let pushed = format!("<ConstantForceField indices=\"15\" forces=\"0 0 1\"/>{precomputed}");
    let weightless = |text: String| text.replace(&format!("0 -{G} 0"), "0 0 0");
    let mut expected = simulate(&weightless(held_bar("<SparseLDLSolver/>", "small", "", &pushed)));
    let no_iterations = "<PCGLinearSolver iterations=\"0\"/>";
    let mut s = simulate(&weightless(held_bar(no_iterations, "small", "", precomputed)));
    steps(&mut expected, 1);
    steps(&mut s, 1);
    let moved = state(&s, "/bar/").velocity[15][2];
    assert!(
        moved > 1e-3 && distance(&s, &expected) < 1e-12 * moved,
        "{moved:e}: {:e}",
        distance(&s, &expected)
    );
}

/// What turns has the compliance that it had at first, turned: nearer to that of its present matrix.
#[test]
fn a_precomputed_compliance_turns_with_the_points() {
    let velocities: Vec<String> = (0..16)
        .map(|k| {
            let (y, z) = (f64::from(k / 2 % 2) * 0.3, f64::from(k / 4) * 0.3);
            format!("0 {} {}", -6.0 * z, 6.0 * y)
        })
        .collect();
    let spin = format!("velocity=\"{}\"", velocities.join(" "));
    let run = |correction: &str| {
        let mut s = simulate(&held_bar("<SparseLDLSolver/>", "polar", &spin, correction));
        steps(&mut s, 25);
        s
    };
    let expected = run(BY_FACTORS);
    let off = |rotations: &str| {
        distance(&run(&format!("<PrecomputedConstraintCorrection rotations=\"{rotations}\"/>")), &expected)
    };
    let (turned, not) = (off("1"), off("0"));
    assert!(not > 1e-3 && turned < 0.3 * not, "{turned:e} turned, {not:e} not");
    let unknown =
        held_bar("<SparseLDLSolver/>", "polar", "", "<PrecomputedConstraintCorrection rotations=\"1\"/>")
            .replace("TetrahedronFEMForceField", "HexahedronFEMForceField");
    assert!(refusal(&unknown).contains("rotations"), "{}", refusal(&unknown));
}

/// Why a scene cannot be simulated.
fn refusal(text: &str) -> String {
    let loaded = scenes::load::load_text(text, "test.scn", &scenes::load::LoadOptions::default());
    let loaded = loaded.unwrap_or_else(|e| panic!("{e}\n{:#?}", e.diagnostics));
    match Simulation::new(loaded.scene, sequential()) {
        Ok(_) => panic!("it was not refused: {text}"),
        Err(e) => e.to_string(),
    }
}

/// A matrix that an explicit integrator never has cannot correct anything.
#[test]
fn corrections_by_a_matrix_are_refused_where_there_is_none() {
    for correction in [BY_FACTORS, "<GenericConstraintCorrection/>"] {
        let text = two_springs([correction, UNCOUPLED], "");
        let refused = refusal(&text.replace("<EulerImplicitSolver/>", "<EulerExplicitSolver/>"));
        assert!(refused.contains("EulerExplicitSolver") && refused.contains("Uncoupled"), "{refused}");
    }
}

/// One correction corrects all that its solver moves, coupled or not.
#[test]
fn a_generic_correction_is_of_all_that_its_solver_moves() {
    let body = |name: &str, x: f64, more: &str| {
        format!(
            r#"<Node name="{name}"><MechanicalObject position="{x} 0 0  {} 0 0"/><UniformMass totalMass="2"/>
                <SpringForceField spring="0 1 500 0 1"/><FixedLagrangianConstraint indices="0"/>{more}</Node>"#,
            x + 1.0
        )
    };
    let bodies = |first: &str, second: &str| {
        let content = body("a", 0.0, first) + &body("b", 5.0, second);
        simulate(&world(EXACT, &format!("<Node name=\"both\">{DIRECT}{content}</Node>")))
    };
    let (mut generic, mut expected) =
        (bodies("<GenericConstraintCorrection/>", ""), bodies(BY_FACTORS, BY_FACTORS));
    steps(&mut generic, 20);
    steps(&mut expected, 20);
    for name in ["/a/", "/b/"] {
        let (a, b) = (state(&generic, name), state(&expected, name));
        assert!(a.position[1][1] < -0.1, "{name} swings");
        for (a, b) in a.position.iter().flatten().zip(b.position.iter().flatten()) {
            close(*a, *b, 1e-12);
        }
    }
}

/// Redundant constraints are regularised, and what stands alone is not.
#[test]
fn only_the_null_space_is_regularised() {
    let twice = r#"<FixedLagrangianConstraint indices="0"/><FixedLagrangianConstraint indices="0"/>"#;
    let run = |attributes: &str| {
        let solver = format!(
            r#"<BlockGaussSeidelConstraintSolver tolerance="1e-13" maxIterations="5000" {attributes}/>"#
        );
        let text = two_springs([BY_FACTORS; 2], twice).replace(EXACT, &solver);
        let mut s = simulate(&text);
        steps(&mut s, 10);
        let (a, b) = (state(&s, "/a/"), state(&s, "/b/"));
        (a.position[0][1], a.position[1][1] - b.position[0][1])
    };
    let (held, gap) = run(r#"regularizationTerm="0.001""#);
    assert!(held.abs() > 1e-6 && gap.abs() > 1e-8, "all give way: {held:e} {gap:e}");
    let (held, gap) = run(r#"regularizationTerm="0.001" useSVDForRegularization="1""#);
    assert!(held.abs() > 1e-6 && gap.abs() < 1e-11, "the joint does not: {held:e} {gap:e}");
}

/// A joint takes from one body what it gives to the other: without gravity's part, nothing of the momentum is lost.
#[test]
fn a_joint_keeps_momentum_and_the_center_falls_freely() {
    let mut s = simulate(&two_springs([BY_FACTORS; 2], ""));
    steps(&mut s, 50);
    let mut momentum = [0.0; 3];
    for body in ["/a/", "/b/"] {
        for v in state(&s, body).velocity {
            (0..3).for_each(|k| momentum[k] += v[k]);
        }
    }
    // Backward Euler of a free fall: v = -g n h, exactly; four points of 1 kg.
    close(momentum[1], -4.0 * G * 0.5, 1e-12);
    assert!(momentum[0].abs() < 1e-12 && momentum[2].abs() < 1e-12, "{momentum:?}");
}

/// A joint that is pulled at reports what it carries: the weight of all below it, when nothing moves any more.
#[test]
fn multipliers_are_the_forces_that_joints_carry() {
    let held = r#"<FixedLagrangianConstraint name="nail" indices="0"/>"#;
    let damped = r#"<UniformVelocityDampingForceField dampingCoefficient="4"/><SpringForceField"#;
    let mut s = simulate(&two_springs([BY_FACTORS; 2], held).replace("<SpringForceField", damped));
    steps(&mut s, 1000);
    let multipliers = s.multipliers();
    let of = |name: &str| {
        let found = multipliers.iter().find(|m| m.path.contains(name));
        found.unwrap_or_else(|| panic!("{name} is in {multipliers:?}")).lambda.clone()
    };
    // Four points of 1 kg hang at the nail, two of them at the joint.
    let (nail, joint) = (of("nail"), of("Bilateral"));
    assert_eq!((nail.len(), joint.len()), (3, 3));
    close(nail[1].abs() / 0.01, 4.0 * G, 1e-8);
    close(joint[1].abs() / 0.01, 2.0 * G, 1e-8);
    for k in [0, 2] {
        assert!(nail[k].abs() / 0.01 < 1e-6 && joint[k].abs() / 0.01 < 1e-6, "{multipliers:?}");
    }
}

/// A value stops at its bounds, and one that is within moves as if there were none; one beyond a bound begins at it.
#[test]
fn a_stopper_bounds_a_value() {
    let body = |x: f64, v: f64| {
        format!(
            r#"<Node name="v">{DIRECT}<MechanicalObject template="Vec1" position="{x}" velocity="{v}"/>
                <UniformMass totalMass="1"/><StopperLagrangianConstraint min="-0.1" max="0.2"/>{BY_FACTORS}</Node>"#
        )
    };
    let still = |content: &str| {
        format!(
            r#"<Node name="root" dt="0.01" gravity="0 0 0"><FreeMotionAnimationLoop/>{EXACT}{content}</Node>"#
        )
    };
    let mut s = simulate(&still(&body(0.0, -1.0)));
    steps(&mut s, 5);
    close(along(&s, "/v/", 0).0, -0.05, 1e-12);
    steps(&mut s, 20);
    let (x, v) = along(&s, "/v/", 0);
    close(x, -0.1, 1e-12);
    assert!(v.abs() < 1e-9, "it has stopped: {v}");
    let mut s = simulate(&still(&body(0.15, 1.0)));
    steps(&mut s, 10);
    close(along(&s, "/v/", 0).0, 0.2, 1e-12);
    let mut s = simulate(&still(&body(0.3, -1.0)));
    steps(&mut s, 1);
    close(along(&s, "/v/", 0).0, 0.19, 1e-12);
}

/// A chain of rigid links between two nails, at rest: what each joint carries along x is the same all along, and what it
/// carries along y differs by the weight of a link. So the slopes of the links are an arithmetic progression (the discrete catenary).
#[test]
fn a_hanging_chain_is_a_catenary() {
    const LINKS: usize = 8;
    let span = 1.6;
    let mut content = String::new();
    for k in 0..LINKS {
        // Slack: links stand zigzag at first, so that they reach from nail to nail.
        let x = span * (k as f64 + 0.5) / LINKS as f64;
        let angle = if k < LINKS / 2 { -0.7f64 } else { 0.7 };
        let y = -0.257 * ((k as f64 + 0.5).min(LINKS as f64 - k as f64 - 0.5)) * 0.65;
        let (sine, cosine) = (angle / 2.0).sin_cos();
        content += &format!(
            r#"<Node name="link{k}"><EulerImplicitSolver rayleighMass="8"/><CGLinearSolver iterations="20" tolerance="1e-14" threshold="0"/>
                <MechanicalObject template="Rigid3" position="{x} {y} 0 0 0 {sine} {cosine}"/>
                <UniformMass vertexMass="1 1 0.004 0 0 0 0.004 0 0 0 0.004"/><UncoupledConstraintCorrection/>
                <Node name="ends"><MechanicalObject name="ends" position="-0.13 0 0  0.13 0 0"/><RigidMapping/></Node>
            </Node>"#
        );
    }
    content += &format!(
        r#"<Node name="nails"><MechanicalObject name="nails" position="0 0 0  {span} 0 0"/></Node>"#
    );
    let mut join = |first: String, i: usize, second: String, j: usize| {
        content += &format!(
            r#"<BilateralLagrangianConstraint object1="@{first}" object2="@{second}" first_point="{i}" second_point="{j}"/>"#
        );
    };
    join("nails/nails".into(), 0, "link0/ends/ends".into(), 0);
    for k in 1..LINKS {
        join(format!("link{}/ends/ends", k - 1), 1, format!("link{k}/ends/ends"), 0);
    }
    join(format!("link{}/ends/ends", LINKS - 1), 1, "nails/nails".into(), 1);
    let mut s = simulate(&world(EXACT, &content));
    steps(&mut s, 600);
    let slopes: Vec<f64> = (0..LINKS)
        .map(|k| {
            let ends = state(&s, &format!("/link{k}/ends/")).position;
            (ends[1][1] - ends[0][1]) / (ends[1][0] - ends[0][0])
        })
        .collect();
    let step = slopes[1] - slopes[0];
    assert!(step > 0.1, "it hangs: {slopes:?}");
    for pair in slopes.windows(2) {
        close(pair[1] - pair[0], step, 1e-4);
    }
}

/// A brick on a plane that is tilted by an angle, with contacts of multipliers.
fn brick(angle: f64, mu: f64, solver: &str, stages: &str) -> String {
    let (down, across) = (-G * angle.cos(), G * angle.sin());
    let corner = |k: usize| {
        let side = |bit: usize, half: f64| if k >> bit & 1 == 1 { half } else { -half };
        format!("{} {} {}", side(0, 0.5), side(1, 0.1), side(2, 0.3))
    };
    let corners: Vec<String> = (0..8).map(corner).collect();
    let corners = corners.join("  ");
    let floor = floor_with_friction(0.02, mu);
    format!(
        r#"<Node name="root" dt="0.01" gravity="{across} {down} 0">
            <FreeMotionAnimationLoop {stages}/>{solver}
            {floor}
            <Node name="brick"><EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-14" threshold="0"/>
                <MechanicalObject name="frame" template="Rigid3" position="0 0.12 0 0 0 0 1"/>
                <UniformMass vertexMass="2 1 0.033 0 0 0 0.113 0 0 0 0.087"/><UncoupledConstraintCorrection/>
                <Node name="surface"><MechanicalObject position="{corners}"/>
                    <PointCollisionModel/><RigidMapping/></Node>
            </Node>
        </Node>"#
    )
}

/// Below the cone a brick stays where it is; above it, it slides with g (sin - mu cos).
#[test]
fn a_brick_on_a_slope_obeys_coulomb() {
    let lcp = r#"<LCPConstraintSolver tolerance="1e-12" maxIt="2000" mu="0.4"/>"#;
    let nncg = r#"<NNCGConstraintSolver tolerance="1e-12" maxIterations="2000"/>"#;
    for solver in [EXACT, nncg, lcp] {
        let mut s = simulate(&brick(0.3, 0.4, solver, ""));
        steps(&mut s, 100);
        let (x, v) = along(&s, "frame", 0);
        assert!(x.abs() < 1e-8 && v.abs() < 1e-8, "{solver}: it stays, at {x} with {v}");
        let mut s = simulate(&brick(0.6, 0.4, solver, ""));
        steps(&mut s, 100);
        let expected = G * (0.6f64.sin() - 0.4 * 0.6f64.cos());
        let (x, v) = along(&s, "frame", 0);
        close(v, expected, 1e-3);
        close(x, expected * 0.5 * 1.01, 2e-3);
        close(along(&s, "frame", 1).0, 0.12, 1e-6);
    }
}

/// What gives no forces back may still be held by contacts, and `mapConstraints` alone has no effect, as in SOFA.
#[test]
fn contacts_go_through_a_mapping_that_gives_no_forces_back() {
    let fallen = 0.12 - G * 1e-4 * f64::from(50 * 51) / 2.0;
    for (attributes, y) in [
        ("mapForces='0'", 0.12),
        ("mapConstraints='0'", 0.12),
        ("mapForces='0' mapConstraints='0'", fallen),
        ("isMechanical='0'", fallen),
    ] {
        let text = brick(0.0, 0.4, EXACT, "");
        let mut s = simulate(&text.replace("<RigidMapping/>", &format!("<RigidMapping {attributes}/>")));
        steps(&mut s, 50);
        close(along(&s, "frame", 1).0, y, 1e-6);
    }
}

/// Balls on top of each other, each at the contact distance from the one below, and on a floor.
fn stack(masses: &[f64], solver: &str) -> String {
    let ball = |(k, mass): (usize, &f64)| {
        format!(
            r#"<Node name="ball{k}"><EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-14" threshold="0"/>
                <MechanicalObject name="frame" template="Rigid3" position="0 {} 0 0 0 0 1"/>
                <UniformMass totalMass="{mass}"/><UncoupledConstraintCorrection/><SphereCollisionModel radius="0.3"/></Node>"#,
            0.32 + 0.62 * k as f64
        )
    };
    let balls: Vec<String> = masses.iter().enumerate().map(ball).collect();
    let floor = floor_with_friction(0.02, 0.3);
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -{G} 0"><FreeMotionAnimationLoop/>{solver}
            {floor}
            {}
        </Node>"#,
        balls.concat()
    )
}

/// Each contact carries the weight of all above it, so that nothing sinks, also below a heavy one.
#[test]
fn a_stack_of_balls_stays_where_it_is() {
    let nncg = r#"<NNCGConstraintSolver tolerance="1e-12" maxIterations="2000"/>"#;
    for (solver, masses) in
        [(EXACT, [1.0, 1.0, 1.0, 1.0]), (EXACT, [1.0, 1.0, 1.0, 5.0]), (nncg, [5.0, 1.0, 2.0, 1.0])]
    {
        let mut s = simulate(&stack(&masses, solver));
        steps(&mut s, 100);
        for k in 0..masses.len() {
            let (y, v) = along(&s, &format!("ball{k}/frame"), 1);
            close(y, 0.32 + 0.62 * k as f64, 1e-6);
            assert!(v.abs() < 1e-6, "ball {k} of {masses:?} has the velocity {v}");
        }
    }
}

/// A brick that sticks stays where it is on a wall and below a ceiling, too.
#[test]
fn a_brick_that_sticks_stays() {
    for angle in [0.6, 1.5, 3.0] {
        let friction = r#"FrictionContactConstraint" responseParams="mu=0.4""#;
        let text = brick(angle, 0.4, EXACT, "").replace(friction, r#"StickContactConstraint""#);
        let mut s = simulate(&text);
        steps(&mut s, 50);
        for (axis, expected) in [(0, 0.0), (1, 0.12), (2, 0.0)] {
            let (x, v) = along(&s, "frame", axis);
            assert!((x - expected).abs() < 1e-7 && v.abs() < 1e-7, "{angle}: {x} with {v} along {axis}");
        }
    }
}

/// Beams between nails: whatever factorises their matrix, the same multipliers.
#[test]
fn all_factors_give_the_same_compliance() {
    let run = |solver: &str| {
        let body = format!(
            r#"<Node name="beams"><EulerImplicitSolver rayleighStiffness="0.1" rayleighMass="0.1"/><{solver} template="BTDMatrix6"/>
                <MeshTopology position="0 0 0  1 0 0  2 0 0  3 0 0  4 0 0" edges="0 1  1 2  2 3  3 4"/>
                <MechanicalObject name="frames" template="Rigid3"/><UniformMass totalMass="1"/>
                <BeamFEMForceField radius="0.1" youngModulus="1e5" poissonRatio="0.3"/>
                <FixedLagrangianConstraint indices="0 4"/>{BY_FACTORS}</Node>"#
        );
        let mut s = simulate(&world(EXACT, &body));
        steps(&mut s, 30);
        state(&s, "/beams/").position
    };
    let expected = run("SparseLDLSolver");
    assert!(expected[2][1] < -1e-4, "it bends: {expected:?}");
    for solver in ["BTDLinearSolver", "SparseLUSolver", "EigenSimplicialLLT"] {
        for (a, b) in run(solver).iter().zip(&expected) {
            (0..7).for_each(|k| close(a[k], b[k], 1e-9));
        }
    }
}

/// Where velocities are solved for, the brick stays, and slides, alike.
#[test]
fn velocities_can_be_solved_for() {
    let stages = r#"solveVelocityConstraintFirst="1""#;
    let mut s = simulate(&brick(0.3, 0.4, EXACT, stages));
    steps(&mut s, 100);
    let (x, v) = along(&s, "frame", 0);
    assert!(x.abs() < 1e-8 && v.abs() < 1e-8, "it stays, at {x} with {v}");
    let mut s = simulate(&brick(0.6, 0.4, EXACT, stages));
    steps(&mut s, 100);
    close(along(&s, "frame", 0).1, G * (0.6f64.sin() - 0.4 * 0.6f64.cos()), 1e-3);
}

/// The same constraint twice: its blocks are solved one by one, and nothing becomes infinite.
#[test]
fn redundant_constraints_do_no_harm() {
    let held = r#"<FixedLagrangianConstraint indices="0"/><FixedLagrangianConstraint indices="0"/>"#;
    let mut s = simulate(&two_springs([BY_FACTORS; 2], held));
    steps(&mut s, 30);
    close(state(&s, "/a/").position[0][1], 0.0, 1e-12);
}

/// An object without correction stays where it is: only corrections take over what the free motion does.
#[test]
fn without_correction_nothing_moves() {
    let mut s = simulate(&world(
        "",
        &format!(
            r#"<Node name="a">{DIRECT}<MechanicalObject position="1 2 3"/><UniformMass totalMass="1"/></Node>"#
        ),
    ));
    steps(&mut s, 3);
    assert_eq!(state(&s, "/a/").position[0], [1.0, 2.0, 3.0]);
}

/// Contacts that come and go, joints and two kinds of corrections, under every executor.
#[test]
fn every_executor_finds_the_same_multipliers() {
    let ball = |k: usize, x: f64, y: f64| {
        format!(
            r#"<Node name="ball{k}"><EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-12" threshold="0"/>
                <MechanicalObject name="frame" template="Rigid3" position="{x} {y} 0.{k} 0 0 0 1" velocity="0.{k} -1 0 0 0 1"/>
                <UniformMass totalMass="1"/><UncoupledConstraintCorrection/><SphereCollisionModel radius="0.3"/></Node>"#
        )
    };
    let floor = floor_with_friction(0.02, 0.3);
    let text = format!(
        r#"<Node name="root" dt="0.01" gravity="0 -{G} 0"><FreeMotionAnimationLoop/>{EXACT}
            {floor}
            {}{}{}
            <Node name="soft">{DIRECT}<RegularGridTopology n="3 3 3" min="0.8 0.6 0" max="1.4 1.2 0.6"/>
                <MechanicalObject name="points"/><UniformMass totalMass="1"/>
                <HexahedronFEMForceField youngModulus="3000" poissonRatio="0.3"/>
                <PointCollisionModel/>{BY_FACTORS}</Node>
            <BilateralLagrangianConstraint object1="@ball1/frame" object2="@ball2/frame" first_point="0" second_point="0"
                rest_vector="0.9 0 0 0 0 0"/>
        </Node>"#,
        ball(1, -1.0, 0.6),
        ball(2, -0.1, 0.6),
        ball(3, -1.1, 1.3),
    );
    let run = |text: &str, options: SimulationOptions| -> Vec<String> {
        let mut s = simulate_with(text, options);
        (0..8)
            .map(|_| {
                steps(&mut s, 10);
                s.state_hash().expect("a finite state")
            })
            .collect()
    };
    let sticking =
        text.replace(r#"FrictionContactConstraint" responseParams="mu=0.3""#, r#"StickContactConstraint""#);
    for text in [&text, &sticking] {
        let expected = run(text, sequential());
        for executor in [ExecutorKind::Replay, ExecutorKind::Stealing, ExecutorKind::ForkJoin] {
            for threads in [1, 3] {
                let options =
                    SimulationOptions { executor, threads, pin: false, ..SimulationOptions::default() };
                assert_eq!(run(text, options), expected, "{executor:?} on {threads}");
            }
        }
    }
}

/// What cannot be combined says so.
#[test]
fn what_has_no_factors_is_refused() {
    use scenes::load::{LoadOptions, load_text};
    let body = format!(
        r#"<Node name="a"><EulerImplicitSolver/><CGLinearSolver iterations="5" tolerance="1e-9" threshold="1e-9"/>
            <MechanicalObject position="1 2 3"/><UniformMass totalMass="1"/>{BY_FACTORS}</Node>"#
    );
    let loaded = load_text(&world("", &body), "test.scn", &LoadOptions::default()).expect("a scene");
    let refused =
        weft::simulation::Simulation::new(loaded.scene, sequential()).err().expect("an error").to_string();
    assert!(refused.contains("LinearSolverConstraintCorrection needs the factors"), "{refused}");
}
