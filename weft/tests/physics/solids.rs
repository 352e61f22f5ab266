//! Boxes, capsules and cylinders that collide, against closed forms: at rest by the penalty law, on slopes, rolling, in a stack.

use super::friction::{G, world};
use super::support::*;
use weft::simulation::{ExecutorKind, Simulation, SimulationOptions};

/// Contact distance [m], as `world` has it.
const SKIN: f64 = 0.05;
/// Square root of the stiffness of a contact times the skin.
const ROOT: f64 = 22.0;
/// The stiffness of a contact [N/m].
const STIFFNESS: f64 = ROOT * ROOT / SKIN;
const NEW: &str = "NewProximityIntersection";
const BOX: &str = r#"OBBCollisionModel extents="0.5 0.2 0.3""#;

/// A body of 1 kg with a solid for its shape, moments of inertia relative to its mass, and a position with an orientation.
fn body(name: &str, model: &str, inertia: [f64; 3], position: &str, velocity: &str) -> String {
    let [x, y, z] = inertia;
    format!(
        r#"<Node name="{name}"><EulerImplicitSolver/><CGLinearSolver iterations="100" tolerance="1e-14" threshold="0"/>
            <MechanicalObject template="Rigid3" name="dofs" position="{position}" velocity="{velocity}"/>
            <UniformMass vertexMass="1 1 {x} 0 0 0 {y} 0 0 0 {z}"/>
            <{model} contactStiffness="{ROOT}"/></Node>"#
    )
}

fn box_inertia() -> [f64; 3] {
    [0.4 * 0.4 + 0.6 * 0.6, 1.0 + 0.6 * 0.6, 1.0 + 0.4 * 0.4].map(|s: f64| s / 12.0)
}

fn brick(name: &str, y: f64, velocity: &str) -> String {
    body(name, BOX, box_inertia(), &format!("0.1 {y} 0 0 0 0 1"), velocity)
}

/// Floors at height 0: triangles with a seam under what stands on them, lines and points of them too, a box.
fn floors() -> [String; 3] {
    let triangles = |others: &str| {
        let x = "-9 0 -9  9 0 -9  9 0 9  -9 0 9";
        format!(
            r#"<Node name="floor"><MeshTopology position="{x}" triangles="0 2 1  0 3 2"/><MechanicalObject position="{x}"/>
                <TriangleCollisionModel simulated="0" moving="0" contactStiffness="{ROOT}"/>{others}</Node>"#
        )
    };
    let lines = format!(r#"<LineCollisionModel simulated="0" moving="0" contactStiffness="{ROOT}"/>"#);
    let points = format!(r#"<PointCollisionModel simulated="0" moving="0" contactStiffness="{ROOT}"/>"#);
    let ground = format!(
        r#"<Node name="floor"><MechanicalObject template="Rigid3" position="0 -1 0 0 0 0 1"/>
            <OBBCollisionModel extents="9 1 9" simulated="0" moving="0" contactStiffness="{ROOT}"/></Node>"#
    );
    [triangles(""), triangles(&(lines + &points)), ground]
}

/// The floor that has no seam near.
fn ground() -> String {
    floors()[2].clone()
}

#[test]
fn a_box_at_rest_is_as_deep_as_four_springs_say() {
    let expected = 0.2 + SKIN - G / (4.0 * STIFFNESS);
    for floor in floors() {
        for method in [NEW, "MinProximityIntersection", "LocalMinDistance"] {
            let content = floor.clone() + &brick("brick", 0.2 + SKIN, "0 0 0 0 0 0");
            let mut s = simulate(&world(0.01, 0.0, "", method, &content));
            steps(&mut s, 600);
            let (y, v) = along(&s, "brick/dofs", 1);
            println!("{method}: {y} instead of {expected}, {v:e}");
            close(y, expected, 1e-9);
            let q = &state(&s, "brick/dofs").position[0][3..7];
            assert!(q[..3].iter().all(|c| c.abs() < 1e-9), "it lies flat: {q:?}");
        }
    }
    // Without distance the product of both stiffnesses counts.
    let content = ground() + &brick("brick", 0.2, "0 0 0 0 0 0");
    let mut s = simulate(
        &world(0.01, 0.0, "", "DiscreteIntersection", &content)
            .replace("alarmDistance=\"0.1\" contactDistance=\"0.05\"", ""),
    );
    steps(&mut s, 1000);
    close(along(&s, "brick/dofs", 1).0, 0.2 - G / (4.0 * ROOT * ROOT), 1e-9);
}

#[test]
fn cylinders_stand_and_lie_and_capsules_lie_as_deep_as_their_springs_say() {
    let cylinder = r#"CylinderCollisionModel radii="0.3" heights="1""#;
    let capsule = r#"CapsuleCollisionModel radii="0.3" heights="1""#;
    let quarter = "0.7071067811865476 0 0 0.7071067811865476";
    let cases = [
        (cylinder, "0.1 0.55 0 0 0 0 1".to_owned(), 0.5, 8.0),
        (cylinder, format!("0.1 0.35 0 {quarter}"), 0.3, 2.0),
        (capsule, format!("0.1 0.35 0 {quarter}"), 0.3, 2.0),
    ];
    for floor in floors() {
        for (model, position, height, points) in &cases {
            let content = floor.clone() + &body("body", model, [0.1; 3], position, "0 0 0 0 0 0");
            let mut s = simulate(&world(0.01, 0.0, "", NEW, &content));
            steps(&mut s, 600);
            close(along(&s, "body/dofs", 1).0, height + SKIN - G / (points * STIFFNESS), 1e-9);
        }
    }
    // A ball on a box: of spheres on frames the surface is reported, and the spring is as long as if it were the center.
    let ball = r#"SphereCollisionModel radius="0.3""#;
    let content = ground() + &body("body", ball, [0.036; 3], "0 0.35 0 0 0 0 1", "0 0 0 0 0 0");
    let mut s = simulate(&world(0.01, 0.0, r#"friction="0.1""#, NEW, &content));
    steps(&mut s, 1000);
    println!("a ball at {}", along(&s, "body/dofs", 1).0);
    close(along(&s, "body/dofs", 1).0, 0.3 + SKIN - G / (ROOT * ROOT / (SKIN + 0.3)), 1e-9);
}

fn on_slope(slope: f64, mu: f64, content: &str) -> Simulation {
    simulate(&world(0.002, slope.atan(), &format!(r#"friction="{mu}""#), NEW, content))
}

#[test]
fn a_box_on_a_slope_obeys_coulomb() {
    for floor in floors() {
        let (mu, slope) = (0.5, 0.4f64);
        let mut s = on_slope(slope, mu, &(floor.clone() + &brick("brick", 0.249, "0 0 0 0 0 0")));
        steps(&mut s, 500);
        let (x, _) = along(&s, "brick/dofs", 0);
        steps(&mut s, 500);
        let (later, v) = along(&s, "brick/dofs", 0);
        println!("below the cone {x} {later} {v:e}");
        assert!((later - x).abs() < 1e-6 && v.abs() < 1e-6, "it stays");
        let slope = 0.8f64;
        let mut s = on_slope(slope, mu, &(floor + &brick("brick", 0.249, "0 0 0 0 0 0")));
        steps(&mut s, 150);
        let before = along(&s, "brick/dofs", 0).1;
        steps(&mut s, 150);
        let a = (along(&s, "brick/dofs", 0).1 - before) / 0.3;
        let expected = G * (slope.atan().sin() - mu * slope.atan().cos());
        println!("above it {a} instead of {expected}");
        close(a, expected, 0.01);
    }
}

#[test]
fn capsules_and_cylinders_roll_down_a_slope() {
    // About its axis a body has half of its mass times the square of its radius: it rolls with two thirds of gravity's part.
    let (slope, r) = (0.3f64, 0.3);
    let quarter = "0.7071067811865476 0 0 0.7071067811865476";
    for class in ["CapsuleCollisionModel", "CylinderCollisionModel"] {
        for floor in floors() {
            let model = format!(r#"{class} radii="{r}" heights="1""#);
            // In world axes, as SOFA's masses have it: it rolls about z.
            let inertia = [0.2, 0.2, r * r / 2.0];
            let roller = body("roller", &model, inertia, &format!("-5 0.349 0 {quarter}"), "0 0 0 0 0 0");
            let mut s = on_slope(slope, 0.5, &(floor + &roller));
            steps(&mut s, 250);
            let before = along(&s, "roller/dofs", 0).1;
            steps(&mut s, 250);
            let (v, all) = (along(&s, "roller/dofs", 0).1, state(&s, "roller/dofs").velocity[0].clone());
            let expected = 2.0 / 3.0 * G * slope.atan().sin();
            println!("{class} {} instead of {expected}, {all:?}", (v - before) / 0.5);
            close((v - before) / 0.5, expected, 0.02);
            close(-all[5] * r, v, 0.02);
            assert!(all[2].abs() < 1e-3, "it goes straight on");
        }
    }
}

#[test]
fn a_stack_of_ten_boxes_stands() {
    // One exactly over the other, and of one size: corners meet corners.
    let mut content = ground();
    let mut y = 0.2;
    let mut heights = Vec::new();
    for k in 0..10 {
        y += SKIN - (10 - k) as f64 * G / 4.0 / STIFFNESS;
        heights.push(y);
        content += &brick(&format!("brick{k}"), y, "0 0 0 0 0 0");
        y += 0.4;
    }
    let mut s = simulate(&world(0.01, 0.0, r#"friction="0.5""#, NEW, &content));
    steps(&mut s, 300);
    for (k, y) in heights.iter().enumerate() {
        let brick = state(&s, &format!("brick{k}/dofs"));
        println!("{k}: {:?} {:?}", brick.position[0], brick.velocity[0]);
        close(brick.position[0][1], *y, 1e-6);
        assert!(
            (brick.position[0][0] - 0.1).abs() < 1e-6 && brick.velocity[0].iter().all(|v| v.abs() < 1e-6)
        );
    }
}

/// Momentum and angular momentum of free bodies whose inertia is the same about all axes, by their states.
fn momenta(s: &Simulation, inertia: f64) -> [[f64; 3]; 2] {
    let mut all = [[0.0; 3]; 2];
    for part in ["first/dofs", "second/dofs"] {
        let body = state(s, part);
        let (x, v) = (&body.position[0], &body.velocity[0]);
        let moment = cross(&x[..3], &v[..3]);
        for k in 0..3 {
            all[0][k] += v[k];
            all[1][k] += moment[k] + inertia * v[3 + k];
        }
    }
    all
}

#[test]
fn two_free_bodies_keep_their_momenta() {
    let shapes = [
        r#"OBBCollisionModel extents="0.3 0.2 0.25""#,
        r#"CapsuleCollisionModel radii="0.2" heights="0.5""#,
        r#"CylinderCollisionModel radii="0.25" heights="0.5""#,
        r#"SphereCollisionModel radius="0.3""#,
    ];
    for (k, first) in shapes.iter().enumerate() {
        for second in &shapes[k..shapes.len().min(k + 3)] {
            let content =
                body("first", first, [0.05; 3], "-0.6 0 0 0.1 0.2 0.3 0.9273618495495704", "1 0 0 0.5 1 0.2")
                    + &body(
                        "second",
                        second,
                        [0.05; 3],
                        "0.6 0.12 0.07 0 0 0.3826834323650898 0.9238795325112867",
                        "-1 0.1 0 0 -1 0.7",
                    );
            let text = world(0.002, 0.0, "", NEW, &content).replace(&format!("-{G}"), "0");
            let mut s = simulate(&text);
            let before = momenta(&s, 0.05);
            steps(&mut s, 600);
            let after = momenta(&s, 0.05);
            let v = &state(&s, "first/dofs").velocity[0];
            assert!((v[0] - 1.0).abs() > 0.1, "they met: {first} {second} {v:?}");
            for part in 0..2 {
                for k in 0..3 {
                    assert!(
                        (after[part][k] - before[part][k]).abs() < 1e-9,
                        "{first} {second}: {before:?} {after:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn multipliers_keep_solids_at_the_contact_distance() {
    let floor = |slope: f64| {
        let (down, across) = (-G * slope.atan().cos(), G * slope.atan().sin());
        move |content: &str| {
            format!(
                r#"<Node name="root" dt="0.01" gravity="{across} {down} 0"><FreeMotionAnimationLoop/>
                <BlockGaussSeidelConstraintSolver maxIterations="1000" tolerance="1e-12"/>
                <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
                <NewProximityIntersection alarmDistance="0.1" contactDistance="{SKIN}"/>
                <CollisionResponse response="FrictionContactConstraint" responseParams="mu=0.5"/>{content}</Node>"#
            )
        }
    };
    let correction = r#"<UncoupledConstraintCorrection/></Node>"#;
    let corrected = |body: String| body.replace("</Node>", correction);
    for ground in floors() {
        for (slope, stays) in [(0.4f64, true), (0.8, false)] {
            let content = ground.clone() + &corrected(brick("brick", 0.2 + SKIN, "0 0 0 0 0 0"));
            let mut s = simulate(&floor(slope)(&content));
            steps(&mut s, 50);
            let before = along(&s, "brick/dofs", 0).1;
            steps(&mut s, 50);
            let (y, v) = (along(&s, "brick/dofs", 1).0, along(&s, "brick/dofs", 0).1);
            let expected = if stays { 0.0 } else { G * (slope.atan().sin() - 0.5 * slope.atan().cos()) };
            println!("{slope}: {y}, {} instead of {expected}", (v - before) / 0.5);
            close(y, 0.2 + SKIN, 1e-3);
            close((v - before) / 0.5, expected, 0.02);
        }
    }
}

/// A floor without friction has no torque on what rolls or turns on it: its push acts where the step begins, and not where the free
/// motion has turned it to.
#[test]
fn multipliers_without_friction_leave_spin_alone() {
    let floor = ground();
    let lying = "0 0.32 0 0.7071067811865475 0 0 0.7071067811865476";
    for shape in [
        r#"CylinderCollisionModel radii="0.3" heights="0.6""#,
        r#"CapsuleCollisionModel radii="0.3" heights="0.6""#,
    ] {
        let roller = body("roller", shape, [0.045; 3], lying, "2 0 0 0 0 -6.5");
        let roller = roller.replace("</Node>", "<UncoupledConstraintCorrection/></Node>");
        let text = format!(
            r#"<Node name="root" dt="0.01" gravity="0 -{G} 0"><FreeMotionAnimationLoop/>
            <BlockGaussSeidelConstraintSolver maxIterations="1000" tolerance="1e-12"/>
            <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
            <NewProximityIntersection alarmDistance="0.1" contactDistance="0.02"/>
            <CollisionResponse response="FrictionContactConstraint" responseParams="mu=0"/>{floor}{roller}</Node>"#
        );
        let mut s = simulate(&text);
        steps(&mut s, 150);
        let v = &state(&s, "roller/dofs").velocity[0];
        println!("{shape}: {v:?}");
        close(v[0], 2.0, 1e-9);
        close(v[5], -6.5, 1e-9);
    }
}

/// A rod is hit off its centre: J = 2 v / (1/m + x^2 / I), in whatever axes it lies, where its inertia turns with it.
#[test]
fn an_uncoupled_correction_gives_way_by_an_inertia_that_turns() {
    let across = "0 0 0 0 0 0.7071067811865475 0.7071067811865476";
    let rod = format!(
        r#"<Node name="rod"><MechanicalObject template="Rigid3" name="dofs" position="{across}" velocity="0 0 -1 0 0 0"/>
            <EulerImplicitSolver/><CGLinearSolver iterations="50" tolerance="1e-12" threshold="1e-14"/>
            <UniformMass vertexMass="1 1 1 0 0 0 0.01 0 0 0 1" gyroscopic="1"/>
            <UncoupledConstraintCorrection/><CapsuleCollisionModel radii="0.1" heights="2"/></Node>
        <Node name="ball"><MechanicalObject template="Rigid3" position="0.8 0 -0.25 0 0 0 1"/>
            <SphereCollisionModel radius="0.1" simulated="0" moving="0"/></Node>"#
    );
    let scene = |solver: &str| {
        format!(
            r#"<Node name="root" dt="0.001" gravity="0 0 0"><FreeMotionAnimationLoop/>
            <{solver} maxIterations="1000" tolerance="1e-12"/>
            <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
            <NewProximityIntersection alarmDistance="0.05" contactDistance="0.01"/>
            <CollisionResponse response="FrictionContactConstraint" responseParams="mu=0&amp;bounce=1"/>{rod}</Node>"#
        )
    };
    for solver in
        ["BlockGaussSeidelConstraintSolver", r#"UnbuiltGaussSeidelConstraintSolver exactFactors="1""#]
    {
        let mut s = simulate(&scene(solver));
        steps(&mut s, 150);
        let v = &state(&s, "rod/dofs").velocity[0];
        let push = 2.0 / (1.0 + 0.8 * 0.8);
        println!("{solver}: {v:?}");
        close(v[2], push - 1.0, 1e-6);
        close(v[4], -0.8 * push, 1e-3);
    }
}

/// Two boxes of one state, one above the other.
#[test]
fn boxes_of_one_model_meet_where_they_are_to() {
    let run = |model: &str, other: &str| {
        let content = ground()
            + &format!(
                r#"<Node name="pair"><EulerImplicitSolver/><CGLinearSolver iterations="100" tolerance="1e-14" threshold="0"/>
                <MechanicalObject template="Rigid3" name="dofs" position="0 0.24 0 0 0 0 1  0 0.68 0 0 0 0 1"/>
                <UniformMass vertexMass="1 1 0.1 0 0 0 0.1 0 0 0 0.1"/>
                <OBBCollisionModel extents="0.5 0.2 0.3  0.4 0.2 0.2" contactStiffness="{ROOT}" {model}/>{other}</Node>"#
            );
        let mut s = simulate(&world(0.01, 0.0, r#"friction="0.4""#, NEW, &content));
        steps(&mut s, 600);
        state(&s, "pair/dofs").position.iter().map(|x| x[1]).collect::<Vec<_>>()
    };
    let low = 0.2 + SKIN;
    let y = run(r#"selfCollision="1""#, "");
    close(y[0], low - 2.0 * G / (4.0 * STIFFNESS), 1e-8);
    close(y[1], low - 3.0 * G / (4.0 * STIFFNESS) + 0.4 + SKIN, 1e-8);
    let apart = run("", "");
    close(apart[1], low - G / (4.0 * STIFFNESS), 1e-8);
    // The floor is of no group, and keeps all up.
    let grouped = run(r#"group="1""#, "");
    assert_eq!(grouped, apart);
}

/// A rope of capsules around edges lies over a box, and hangs down on both sides.
#[test]
fn a_rope_of_capsules_hangs_over_a_box() {
    let points: Vec<String> = (0..21).map(|k| format!("{} 0.2 0", 0.1 * f64::from(k) - 1.0)).collect();
    let edges: Vec<String> = (0..20).map(|k| format!("{k} {}", k + 1)).collect();
    let content = format!(
        r#"<Node name="bar"><MechanicalObject template="Rigid3" position="0 0 0 0 0 0 1"/>
            <OBBCollisionModel extents="0.3 0.1 0.3" simulated="0" moving="0" contactStiffness="30"/></Node>
        <Node name="rope"><EulerImplicitSolver rayleighMass="1"/><CGLinearSolver iterations="100" tolerance="1e-12" threshold="0"/>
            <MeshTopology position="{}" edges="{}"/><MechanicalObject name="dofs" position="{}"/><UniformMass totalMass="0.5"/>
            <MeshSpringForceField stiffness="500" damping="1"/>
            <CapsuleCollisionModel defaultRadius="0.03" contactStiffness="30"/></Node>"#,
        points.join(" "),
        edges.join(" "),
        points.join(" "),
    );
    let mut s = simulate(&world(0.005, 0.0, r#"friction="0.6""#, NEW, &content));
    steps(&mut s, 800);
    let x = state(&s, "rope/dofs").position;
    println!("{x:?}");
    assert!((x[10][1] - (0.1 + 0.03 + SKIN)).abs() < 0.02, "its middle lies on the box: {:?}", x[10]);
    for end in [0, 20] {
        assert!(x[end][1] < -0.3 && x[end][0].abs() > 0.3, "its ends hang beside: {:?}", x[end]);
    }
}

/// Some of all, on a floor of triangles and in a heap.
fn heap(response: &str) -> String {
    let mut content = floors()[0].clone();
    let shapes = [
        r#"OBBCollisionModel extents="0.3 0.2 0.25""#,
        r#"CapsuleCollisionModel radii="0.2" heights="0.5""#,
        r#"CylinderCollisionModel radii="0.25" heights="0.5""#,
        r#"SphereCollisionModel radius="0.3""#,
    ];
    for k in 0..8 {
        let (x, y, z) = (0.1 * f64::from(k % 3), 0.5 + 0.5 * f64::from(k), 0.07 * f64::from(k % 2));
        let position = format!("{x} {y} {z} 0.1 0.2 0.3 0.9273618495495704");
        content += &body(&format!("body{k}"), shapes[k as usize % 4], [0.05; 3], &position, "0 0 0 1 0 0.5");
    }
    world(0.01, 0.0, response, NEW, &content)
}

#[test]
fn every_executor_moves_solids_alike() {
    for response in [r#"friction="0.4" rollingFriction="0.02""#, ""] {
        let run = |options: SimulationOptions| -> Vec<String> {
            let mut s = simulate_with(&heap(response), options);
            (0..5)
                .map(|_| {
                    steps(&mut s, 25);
                    s.state_hash().expect("a finite state")
                })
                .collect()
        };
        let expected = run(sequential());
        assert_eq!(run(sequential()), expected, "again from the beginning");
        for executor in [ExecutorKind::Replay, ExecutorKind::Stealing, ExecutorKind::ForkJoin] {
            for threads in [1, 3] {
                let options =
                    SimulationOptions { executor, threads, pin: false, ..SimulationOptions::default() };
                assert_eq!(run(options), expected, "{executor:?} on {threads}");
            }
        }
    }
}

/// Without gain of energy: what falls into a heap comes to rest, on the floor and above it.
#[test]
fn a_heap_of_solids_comes_to_rest() {
    let mut s = simulate(&heap(r#"friction="0.5" rollingFriction="0.02""#).replace(
        "<EulerImplicitSolver/>",
        r#"<EulerImplicitSolver rayleighMass="0.5" rayleighStiffness="0.02"/>"#,
    ));
    steps(&mut s, 2000);
    for k in 0..8 {
        let body = state(&s, &format!("body{k}/dofs"));
        println!("{k} {:?} {:?}", body.position[0], body.velocity[0]);
        let speed = norm(&body.velocity[0]);
        assert!(speed < 0.02, "{k}: {speed}");
        assert!(body.position[0][1] > 0.15 && body.position[0][1] < 2.0);
    }
}
