//! Friction of penalty contacts against closed forms: bodies on slopes, what slides to a halt, what rolls, stacks and heaps.

use super::support::*;
use weft::simulation::{ExecutorKind, Simulation, SimulationOptions};

pub(super) const G: f64 = 9.81;
/// Contact distance [m].
const SKIN: f64 = 0.05;
const CG: &str = r#"<CGLinearSolver iterations="100" tolerance="1e-14" threshold="0"/>"#;

/// A scene with this friction whose gravity is tilted: a horizontal floor is a slope of this angle, down which is along x.
pub(super) fn world(dt: f64, angle: f64, response: &str, method: &str, content: &str) -> String {
    let (down, across) = (-G * angle.cos(), G * angle.sin());
    format!(
        r#"<Node name="root" dt="{dt}" gravity="{across} {down} 0">
            <DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
            <{method} alarmDistance="0.1" contactDistance="{SKIN}"/>
            <CollisionResponse response="PenalityContactForceField" {response}/><CollisionGroupManager/>
            {content}
        </Node>"#
    )
}

fn friction(mu: f64) -> String {
    format!(r#"friction="{mu}""#)
}

/// A floor at height 0: one triangle, so that no edge of it is near.
fn floor(stiffness: f64) -> String {
    format!(
        r#"<Node name="floor">
            <MeshTopology position="-90 0 -50  90 0 -50  0 0 150" triangles="0 2 1"/>
            <MechanicalObject name="corners" position="-90 0 -50  90 0 -50  0 0 150"/>
            <TriangleCollisionModel simulated="0" moving="0" contactStiffness="{stiffness}"/>
        </Node>"#
    )
}

/// A rigid brick of 1 kg with sides 1, 0.4 and 0.6 m around its center, the horizontal ones times `scale`.
fn brick(name: &str, at: [f64; 3], velocity: &str, scale: f64) -> String {
    let [x, y, z] = at;
    let corner = |k: usize| {
        let side = |bit: usize, half: f64| if k >> bit & 1 == 1 { half } else { -half };
        format!("{} {} {}", scale * side(0, 0.5), side(1, 0.2), scale * side(2, 0.3))
    };
    let corners: Vec<String> = (0..8).map(corner).collect();
    let corners = corners.join("  ");
    // Moments of inertia of a brick relative to its mass.
    let [xx, yy, zz] = [0.4 * 0.4 + 0.6 * 0.6, 1.0 + 0.6 * 0.6, 1.0 + 0.4 * 0.4].map(|s: f64| s / 12.0);
    format!(
        r#"<Node name="{name}">
            <EulerImplicitSolver/>{CG}
            <MechanicalObject template="Rigid3" name="dofs" position="{x} {y} {z} 0 0 0 1" velocity="{velocity}"/>
            <UniformMass vertexMass="1 1 {xx} 0 0 0 {yy} 0 0 0 {zz}"/>
            <Node name="surface">
                <MeshTopology position="{corners}" triangles="0 1 5 0 5 4 2 6 7 2 7 3 0 2 3 0 3 1 4 5 7 4 7 6 0 4 6 0 6 2 1 3 7 1 7 5"/>
                <MechanicalObject name="corners" position="{corners}"/>
                <TriangleCollisionModel contactStiffness="{ROOT}"/>
                <RigidMapping/>
            </Node>
        </Node>"#
    )
}

/// The stiffness of each contact of a brick is this squared over the skin [N/m].
const ROOT: f64 = 22.0;

/// The height of a brick's center at rest on the floor of a slope, on its four corners.
fn height(angle: f64) -> f64 {
    0.2 + SKIN - G * angle.cos() / 4.0 / (ROOT * ROOT / SKIN)
}

fn brick_on_slope(dt: f64, angle: f64, mu: f64, speed: f64) -> Simulation {
    let content =
        floor(ROOT) + &brick("brick", [0.0, height(angle), 0.0], &format!("{speed} 0 0 0 0 0"), 1.0);
    simulate(&world(dt, angle, &friction(mu), "NewProximityIntersection", &content))
}

#[test]
fn a_brick_on_a_slope_below_the_cone_stays() {
    for (mu, slope) in [(0.4, 0.35f64), (1.0, 0.9)] {
        let mut simulation = brick_on_slope(0.01, slope.atan(), mu, 0.0);
        let begin = state(&simulation, "brick/dofs").position[0].clone();
        let report = steps(&mut simulation, 1000).expect("a step");
        println!("contacts {}", report.contacts);
        let end = state(&simulation, "brick/dofs");
        let drift = norm(&[0, 1, 2].map(|k| end.position[0][k] - begin[k]));
        println!("mu {mu}, slope {slope}: moved by {drift:e}, moves with {:e}", norm(&end.velocity[0]));
        assert!(drift < 4e-4 && norm(&end.velocity[0]) < 1e-9);
        let at_rest = end.position[0].clone();
        steps(&mut simulation, 1000);
        let end = state(&simulation, "brick/dofs").position[0].clone();
        assert!(norm(&[0, 1, 2].map(|k| end[k] - at_rest[k])) < 1e-9);
    }
}

#[test]
fn a_brick_on_a_slope_above_the_cone_slides_as_coulomb_says() {
    for (mu, slope) in [(0.4, 0.6f64), (0.1, 0.2), (0.3, 1.0)] {
        let angle = slope.atan();
        let mut simulation = brick_on_slope(0.002, angle, mu, 0.0);
        steps(&mut simulation, 250);
        let v = along(&simulation, "brick/dofs", 0).1;
        steps(&mut simulation, 250);
        let a = (along(&simulation, "brick/dofs", 0).1 - v) / 0.5;
        let expected = G * (angle.sin() - mu * angle.cos());
        println!("mu {mu}, slope {slope}: {a} instead of {expected}");
        close(a, expected, 0.01 * expected / (1.0 + expected));
    }
}

#[test]
fn a_sliding_brick_stops_where_coulomb_says() {
    for (mu, v) in [(0.4, 2.0), (0.2, 1.0)] {
        let mut simulation = brick_on_slope(0.002, 0.0, mu, v);
        let expected = v * v / (2.0 * mu * G);
        steps(&mut simulation, (1.5 * v / (mu * G) / 0.002) as usize);
        let (x, v) = along(&simulation, "brick/dofs", 0);
        println!("mu {mu}: {x} instead of {expected}, still {v:e}");
        close(x, expected, 0.02 * expected / (1.0 + expected));
        assert!(v.abs() < 1e-6);
        let aside = state(&simulation, "brick/dofs").position[0][2];
        println!("aside {aside:e}");
        assert!(aside.abs() < 1e-3, "it goes straight on");
    }
}

/// A floor at height 0 of 12 x 12 pairs of triangles of 1.7 m.
fn tessellated_floor(stiffness: f64) -> String {
    let n = 12;
    let at = |i: usize, k: usize| i + (n + 1) * k;
    let place = |i: usize| (i as f64 / n as f64 - 0.5) * 20.0;
    let rows = || (0..=n).flat_map(|k| (0..=n).map(move |i| (i, k)));
    let points: Vec<String> = rows().map(|(i, k)| format!("{} 0 {}", place(i), place(k))).collect();
    let cells = rows().filter(|(i, k)| *i < n && *k < n);
    let triangles: Vec<String> = cells
        .map(|(i, k)| {
            let [a, b, c, d] = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
            format!("{a} {c} {b} {a} {d} {c}")
        })
        .collect();
    format!(
        r#"<Node name="floor"><MeshTopology position="{}" triangles="{}"/><MechanicalObject/>
            <TriangleCollisionModel simulated="0" moving="0" contactStiffness="{stiffness}"/></Node>"#,
        points.join("  "),
        triangles.join("  ")
    )
}

/// Contacts that are so stiff that a step stops what comes, whose depth when it is found says nothing of the force: friction takes what the
/// normal impulse allows, which is what the momentum across says.
#[test]
fn an_impact_takes_along_what_its_normal_impulse_allows() {
    let mu = 0.4;
    for dt in [0.01, 0.002] {
        let content = floor(100.0)
            + &brick("brick", [0.0, height(0.0) + 0.03, 0.0], "2 -1.5 0 0 0 0", 1.0)
                .replace(&format!("contactStiffness=\"{ROOT}\""), "contactStiffness=\"100\"");
        let mut s = simulate(&world(dt, 0.0, &friction(mu), "NewProximityIntersection", &content));
        let n = (0.2 / dt) as usize;
        steps(&mut s, n);
        let [along, up] = [0, 1].map(|k| state(&s, "/brick/dofs").velocity[0][k]);
        let impulse = up + 1.5 + G * 0.2;
        let lost = (2.0 - along) / (mu * impulse);
        // A step that slows down much exerts less than the cone: it answers the speed at its end.
        assert!((0.8..=1.0 + 1e-9).contains(&lost), "dt {dt}: {lost} of what friction allows");
    }
}

/// Where contacts of other edges and corners carry a brick on its way, its friction is that of its weight.
#[test]
fn a_brick_slides_over_a_tessellated_floor_as_coulomb_says() {
    let (mu, angle) = (0.4, 0.5f64.atan());
    for x in [0.13, 0.4, 0.9] {
        let content = tessellated_floor(100.0)
            + &brick("brick", [x, 0.2 + SKIN - 1e-5, 0.21], "0 0 0 0 0 0", 1.0)
                .replace(&format!("contactStiffness=\"{ROOT}\""), "contactStiffness=\"100\"");
        let text = world(0.01, angle, &friction(mu), "NewProximityIntersection exactEdges=\"1\"", &content);
        let mut s = simulate(&text);
        let speeds = [100, 200].map(|n| {
            steps(&mut s, n);
            state(&s, "/brick/dofs").velocity[0][0]
        });
        let (gained, expected) = (speeds[1] - speeds[0], G * (angle.sin() - mu * angle.cos()) * 2.0);
        assert!((gained / expected - 1.0).abs() < 0.05, "{gained} m/s, expected {expected}");
    }
}

fn ball(dt: f64, angle: f64, mu: f64, speed: f64) -> Simulation {
    ball_with(dt, angle, &friction(mu), &format!("{speed} 0 0 0 0 0"))
}

/// A ball of 1 kg and radius 0.3 m; spheres on frames are reported at their center or surface, as the method goes.
pub(super) fn ball_with(dt: f64, angle: f64, response: &str, velocity: &str) -> Simulation {
    let (r, stiffness) = (0.3f64, 60.0f64);
    let inertia = 0.4 * r * r;
    let depth = G * angle.cos() / (stiffness * stiffness / (r + SKIN));
    let y = r + SKIN - depth;
    let content = floor(stiffness)
        + &format!(
            r#"<Node name="ball">
                <EulerImplicitSolver/>{CG}
                <MechanicalObject template="Rigid3" name="dofs" position="0 {y} 0 0 0 0 1" velocity="{velocity}"/>
                <UniformMass vertexMass="1 1 {inertia} 0 0 0 {inertia} 0 0 0 {inertia}"/>
                <SphereCollisionModel radius="{r}" contactStiffness="{stiffness}"/>
            </Node>"#
        );
    simulate(&world(dt, angle, response, "NewProximityIntersection", &content))
}

/// Velocity and spin of the ball's surface around its center, along the slope.
pub(super) fn ball_motion(simulation: &Simulation) -> (f64, f64) {
    let v = &state(simulation, "ball/dofs").velocity[0];
    (v[0], -v[5] * 0.3)
}

#[test]
fn a_ball_that_slides_ends_in_rolling() {
    let (v, mu) = (3.0, 0.3);
    let mut simulation = ball(0.002, 0.0, mu, v);
    // It slides for 2 v / (7 mu g) = 0.291 s.
    steps(&mut simulation, 100);
    let (sliding, spin) = ball_motion(&simulation);
    println!("after 0.2 s {sliding} {spin}, expected {} {}", v - mu * G * 0.2, 2.5 * mu * G * 0.2);
    close(sliding, v - mu * G * 0.2, 0.01);
    close(spin, 2.5 * mu * G * 0.2, 0.01);
    steps(&mut simulation, 200);
    let (rolling, spin) = ball_motion(&simulation);
    println!("rolls with {rolling} {spin}, expected {}", 5.0 / 7.0 * v);
    close(rolling, 5.0 / 7.0 * v, 0.005);
    close(spin, rolling, 1e-3);
    // Rolling costs nothing.
    steps(&mut simulation, 500);
    close(ball_motion(&simulation).0, rolling, 1e-3);
}

#[test]
fn a_ball_rolls_down_a_slope() {
    let angle = 0.5f64.atan();
    let mut simulation = ball(0.002, angle, 0.4, 0.0);
    steps(&mut simulation, 250);
    let (before, _) = ball_motion(&simulation);
    steps(&mut simulation, 250);
    let (v, spin) = ball_motion(&simulation);
    let expected = 5.0 / 7.0 * G * angle.sin();
    println!("{} instead of {expected}", (v - before) / 0.5);
    close((v - before) / 0.5, expected, 0.01);
    close(spin, v, 5e-3);
}

#[test]
fn a_stack_of_ten_bricks_stands() {
    let load = |k: usize| (10 - k) as f64 * G / 4.0 / (ROOT * ROOT / SKIN);
    let mut y = 0.0;
    let mut content = floor(ROOT);
    for k in 0..10 {
        y += 0.4 * f64::from(u8::from(k > 0)) + SKIN - load(k) + if k == 0 { 0.2 } else { 0.0 };
        // A little apart, the corners of each above the next one's face.
        let (x, z) = (0.003 * ((k * 7 % 5) as f64 - 2.0), 0.003 * ((k * 3 % 5) as f64 - 2.0));
        content += &brick(&format!("brick{k}"), [x, y, z], "0 0 0 0 0 0", 1.0 - 0.04 * k as f64);
    }
    let mut simulation = simulate(&world(0.01, 0.0, &friction(0.4), "NewProximityIntersection", &content));
    let places = |s: &Simulation| -> Vec<Vec<f64>> {
        (0..10).map(|k| state(s, &format!("brick{k}/dofs")).position[0].clone()).collect()
    };
    let apart = |a: &[Vec<f64>], b: &[Vec<f64>]| {
        let each = a.iter().zip(b).map(|(a, b)| norm(&[0, 1, 2].map(|i| a[i] - b[i])));
        each.fold(0.0, f64::max)
    };
    let begin = places(&simulation);
    // It sways, since nothing but the scheme damps it, and comes to rest.
    for _ in 0..40 {
        steps(&mut simulation, 100);
        assert!(apart(&places(&simulation), &begin) < 0.05, "at {} s", simulation.time());
    }
    let standing = places(&simulation);
    for _ in 0..20 {
        steps(&mut simulation, 100);
        assert!(apart(&places(&simulation), &standing) < 1e-4, "at {} s", simulation.time());
    }
}

/// A heap of balls that do not turn: the less they hold each other, the flatter it ends.
#[test]
fn a_heap_is_the_steeper_the_more_friction_there_is() {
    let slope = |mu: f64| {
        let place = |k: usize| {
            let (i, j, layer) = (k % 3, k / 3 % 3, k / 9);
            let shift = if layer % 2 == 1 { 0.04 } else { 0.0 };
            format!(
                "{} {} {}",
                0.205 * i as f64 + shift,
                0.105 + 0.18 * layer as f64,
                0.205 * j as f64 + shift
            )
        };
        let places: Vec<String> = (0..54).map(place).collect();
        let content = floor(30.0)
            + &format!(
                r#"<Node name="heap">
                    <EulerImplicitSolver rayleighStiffness="0.01"/>{CG}
                    <MechanicalObject name="dofs" position="{}"/>
                    <UniformMass vertexMass="0.1"/>
                    <SphereCollisionModel radius="0.1" contactStiffness="30" selfCollision="1"/>
                </Node>"#,
                places.join("  ")
            );
        let method = "NewProximityIntersection";
        let scene =
            world(0.005, 0.0, &friction(mu), method, &content).replace(&format!("\"{SKIN}\""), "\"0\"");
        let mut simulation = simulate(&scene);
        steps(&mut simulation, 800);
        let x = state(&simulation, "heap/dofs").position;
        let mean = |axis: usize| x.iter().map(|p| p[axis]).sum::<f64>() / 54.0;
        let (cx, cz) = (mean(0), mean(2));
        let wide = x.iter().map(|p| (p[0] - cx).powi(2) + (p[2] - cz).powi(2)).sum::<f64>() / 54.0;
        (mean(1) - 0.1) / wide.sqrt()
    };
    let found = [0.1, 0.2, 0.3, 0.5].map(slope);
    println!("height over width: {found:?}");
    assert!(found[0] < 0.05, "with little friction it is flat");
    assert!(found.windows(2).all(|pair| pair[1] > pair[0] + 0.02), "{found:?}");
}

/// Two rigid balls graze each other in free space: momentum is kept, and spin comes from it.
#[test]
fn balls_that_graze_each_other_conserve_momentum() {
    let inertia = 0.4 * 0.25;
    let ball = |name: &str, mass: f64, x: &str, v: &str| {
        format!(
            r#"<Node name="{name}">
                <EulerImplicitSolver/>{CG}
                <MechanicalObject template="Rigid3" name="dofs" position="{x} 0 0 0 1" velocity="{v} 0 0 0"/>
                <UniformMass vertexMass="{mass} 1 {inertia} 0 0 0 {inertia} 0 0 0 {inertia}"/>
                <SphereCollisionModel radius="0.5" contactStiffness="60"/>
            </Node>"#
        )
    };
    let content = ball("one", 1.0, "-0.6 0.3 0", "2 0 0.1") + &ball("two", 3.0, "0.6 -0.3 0", "-1 0 0");
    let scene = world(0.001, 0.0, &friction(0.3), "NewProximityIntersection", &content)
        .replace(&format!("\"{SKIN}\""), "\"0\"")
        .replace(&format!("gravity=\"0 {} 0\"", -G), "gravity=\"0 0 0\"");
    let mut simulation = simulate(&scene);
    let momenta = |s: &Simulation| {
        let mut sum = [0.0; 6];
        for (name, mass) in [("one", 1.0), ("two", 3.0)] {
            let b = state(s, &format!("{name}/dofs"));
            let (x, v) = (&b.position[0], &b.velocity[0]);
            let orbit = cross(&x[..3], &v[..3]);
            for k in 0..3 {
                sum[k] += mass * v[k];
                sum[3 + k] += mass * (orbit[k] + inertia * v[3 + k]);
            }
        }
        sum
    };
    let before = momenta(&simulation);
    let touched: usize = (0..400).map(|_| steps(&mut simulation, 1).map_or(0, |r| r.contacts)).sum();
    let after = momenta(&simulation);
    let spin = norm(&state(&simulation, "one/dofs").velocity[0][3..]);
    println!("{touched} contacts, spin {spin}, {before:?} {after:?}");
    assert!(touched > 20 && spin > 1.0);
    for k in 0..3 {
        close(after[k], before[k], 1e-10);
        // The two ends are apart by the depth, so friction is a couple, too.
        assert!((after[3 + k] - before[3 + k]).abs() < 0.05, "{before:?} {after:?}");
    }
}

/// What friction remembers is state: a step that fails leaves it, and every executor has it.
#[test]
fn a_failed_step_leaves_elongations_as_they_were() {
    let scene = || {
        let content = floor(ROOT)
            + &brick("brick", [0.0, height(0.3), 0.0], "1 0 0.3 0 0.5 0", 1.0)
            + r#"<Node name="far">
                <EulerExplicitSolver/>
                <MechanicalObject name="point" position="0 9 0" velocity="0 1e10 0"/>
                <UniformMass totalMass="1"/>
            </Node>"#;
        world(0.005, 0.3, r#"friction="0.4" rollingFriction="0.01""#, "NewProximityIntersection", &content)
    };
    let (mut failing, mut undisturbed) = (simulate(&scene()), simulate(&scene()));
    let mut others: Vec<Simulation> =
        [(ExecutorKind::Replay, 2), (ExecutorKind::Stealing, 2), (ExecutorKind::ForkJoin, 2)]
            .map(|(executor, threads)| {
                simulate_with(&scene(), SimulationOptions { executor, threads, ..sequential() })
            })
            .into();
    // While it slides, and when it has come to rest.
    for n in [5, 20, 120] {
        for s in others.iter_mut().chain([&mut failing, &mut undisturbed]) {
            steps(s, n);
        }
        for _ in 0..2 {
            let before = failing.state_hash().ok();
            failing.set_dt(1e300).expect("a positive step");
            failing.step().expect_err("the position overflows");
            assert_eq!(failing.state_hash().ok(), before);
        }
        failing.set_dt(0.005).expect("a positive step");
        for _ in 0..10 {
            for s in others.iter_mut().chain([&mut failing, &mut undisturbed]) {
                steps(s, 1);
            }
            let expected = undisturbed.state_hash().expect("a finite state");
            assert_eq!(failing.state_hash().ok(), Some(expected.clone()), "at {} s", failing.time());
            for s in &others {
                assert_eq!(s.state_hash().ok(), Some(expected.clone()), "at {} s", s.time());
            }
        }
    }
}

/// **Source:** as SOFA's: sweeps end by the tolerance of the contact, where it has one of its own, whatever is that of the solver.
#[test]
fn an_augmented_contact_is_solved_to_its_own_tolerance() {
    let slid = |own: &str| {
        let floor = floor_with_friction(0.05, 0.3)
            .replace("NewProximityIntersection", "MinProximityIntersection")
            .replace("FrictionContactConstraint", "AugmentedLagrangianResponseConstraint")
            .replace("mu=0.3", &format!("mu=0.3&amp;epsilon=20{own}"));
        let mut s = simulate(&format!(
            r#"<Node name="root" dt="0.01" gravity="0 -10 0"><FreeMotionAnimationLoop/>
                <BlockGaussSeidelConstraintSolver tolerance="1e-3" maxIterations="1000"/>{floor}
                <Node name="point"><EulerImplicitSolver/><SparseLDLSolver/>
                    <MechanicalObject position="0.5 0.05 0.3" velocity="1 0 0.5"/><UniformMass totalMass="0.5"/>
                    <LinearSolverConstraintCorrection/><PointCollisionModel/></Node></Node>"#
        ));
        steps(&mut s, 1);
        state(&s, "point").position[0].clone()
    };
    let x = slid("&amp;tol=1e-9");
    for (x, wanted) in x.iter().zip([0.51026833, 0.05, 0.30513416]) {
        close(*x, wanted, 1e-8);
    }
    // A sweep answers 20 * 0.01 / 0.5 of what is left of the millimeter by which the point would fall: there are 27 of them.
    let left = |x: &[f64]| (0.05 - x[1]) / 0.001;
    close(left(&x), 0.6_f64.powi(27), 1e-9);
    assert!(left(&slid("")) > 0.6_f64.powi(26));
}
