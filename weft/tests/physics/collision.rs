//! Penalty contacts between moving objects.

use super::support::*;
use weft::simulation::Simulation;

const RADIUS: f64 = 0.5;
/// k = s1 s2 / (contact distance + radii).
const STIFFNESS: f64 = 40.0 * 40.0 / (2.0 * RADIUS);
const MASSES: [f64; 2] = [1.0, 3.0];
const X: [f64; 2] = [-1.0, 1.0];
const V: [f64; 2] = [2.0, -0.5];

const CG: &str = r#"<CGLinearSolver iterations="50" tolerance="1e-15" threshold="0"/>"#;

fn pipeline(intersection: &str, groups: bool) -> String {
    format!(
        r#"<DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>{intersection}
           <CollisionResponse response="PenalityContactForceField"/>{}"#,
        if groups { "<CollisionGroupManager/>" } else { "" }
    )
}

fn ball(name: &str, solver: &str, mass: f64, x: f64, v: f64) -> String {
    format!(
        r#"<Node name="{name}">
            {solver}
            <MechanicalObject name="dofs" position="{x} 0.25 0" velocity="{v} 0 0"/>
            <UniformMass vertexMass="{mass}"/>
            <SphereCollisionModel radius="{RADIUS}" contactStiffness="40"/>
        </Node>"#
    )
}

/// Two balls on a line.
fn balls(dt: f64, solver: &str, groups: bool) -> String {
    format!(
        r#"<Node name="root" dt="{dt}" gravity="0 0 0">{}{}{}</Node>"#,
        pipeline("<DiscreteIntersection/>", groups),
        ball("left", solver, MASSES[0], X[0], V[0]),
        ball("right", solver, MASSES[1], X[1], V[1])
    )
}

fn implicit() -> String {
    format!("<EulerImplicitSolver/>{CG}")
}

fn reduced_mass() -> f64 {
    MASSES[0] * MASSES[1] / (MASSES[0] + MASSES[1])
}

/// (x, v) of both balls.
fn both(simulation: &Simulation) -> [(f64, f64); 2] {
    ["left", "right"].map(|name| along(simulation, name, 0))
}

/// Follows the distance's own recurrence: v' = (v - h w^2 e) / (1 + s h^2 w^2) while e = x2 - x1 - 2 r is negative at the
/// start of a step, w^2 = k / (reduced mass); s = 0 where the contact is explicit, 1 where it is in the matrix. The centre
/// of mass moves uniformly. Returns the numbers of groups that were seen, in their order.
fn collides(text: &str, dt: f64, s: f64) -> Vec<usize> {
    let mut simulation = simulate(text);
    let total = MASSES[0] + MASSES[1];
    let momentum = MASSES[0] * V[0] + MASSES[1] * V[1];
    let center = MASSES[0] * X[0] + MASSES[1] * X[1];
    let w2 = STIFFNESS / reduced_mass();
    let (mut e, mut v) = (X[1] - X[0] - 2.0 * RADIUS, V[1] - V[0]);
    let mut groups: Vec<usize> = Vec::new();
    let mut steps_in_contact = 0;
    while simulation.time() < 1.0 {
        let touches = e < 0.0;
        let report = steps(&mut simulation, 1).expect("a step");
        assert_eq!(report.contacts, usize::from(touches), "at {}", simulation.time());
        if touches {
            close(report.max_penetration, -e, 1e-11);
            v = (v - dt * w2 * e) / (1.0 + s * dt * dt * w2);
            steps_in_contact += 1;
        }
        e += dt * v;
        let [(x1, v1), (x2, v2)] = both(&simulation);
        close(x2 - x1 - 2.0 * RADIUS, e, 1e-10);
        close(v2 - v1, v, 1e-10);
        close(MASSES[0] * v1 + MASSES[1] * v2, momentum, 1e-12);
        close(MASSES[0] * x1 + MASSES[1] * x2, center + momentum * simulation.time(), 1e-11);
        if groups.last() != Some(&report.groups) {
            groups.push(report.groups);
        }
    }
    // Half a period of the oscillator that the contact is, and a step of rounding.
    let expected = std::f64::consts::PI / w2.sqrt() / dt;
    assert!((f64::from(steps_in_contact) - expected).abs() < 2.0 + 0.02 * expected);
    let [(_, v1), (_, v2)] = both(&simulation);
    let energy = |v: [f64; 2]| MASSES[0] * v[0] * v[0] + MASSES[1] * v[1] * v[1];
    let (before, after) = (energy(V), energy([v1, v2]));
    // Explicit: the spring is entered and left in mid-step, an error of the order of a step of either sign.
    assert!(after <= before * (1.0 + if s == 0.0 { 8.0 * dt } else { 1e-12 }), "{before} {after}");
    // Elastic in the limit: v_i' = 2 V - v_i with V the centre's velocity.
    for (v, v0) in [v1, v2].iter().zip(V) {
        assert!((v - (2.0 * momentum / total - v0)).abs() < 300.0 * dt, "{v} after {v0}");
    }
    groups
}

/// Without a group manager each ball has its solver, and the contact is explicit on both sides.
#[test]
fn an_explicit_contact_conserves_momentum() {
    for solver in [implicit(), "<EulerExplicitSolver/>".to_owned()] {
        assert_eq!(collides(&balls(1e-3, &solver, false), 1e-3, 0.0), [2]);
    }
}

/// With one the balls are one group while they touch, and the contact is in its matrix.
#[test]
fn a_group_comes_with_the_contact_and_goes_with_it() {
    assert_eq!(collides(&balls(1e-3, &implicit(), true), 1e-3, 1.0), [2, 1, 2]);
}

/// A step that an explicit contact does not survive.
#[test]
fn an_implicit_contact_is_stable_at_long_steps() {
    let dt = 0.1;
    assert!(dt * (STIFFNESS / reduced_mass()).sqrt() > 2.0);
    let mut simulation = simulate(&balls(dt, &implicit(), true));
    let mut energy = f64::INFINITY;
    for _ in 0..100 {
        steps(&mut simulation, 1);
        let now: f64 = both(&simulation).iter().zip(MASSES).map(|((_, v), m)| m * v * v).sum();
        assert!(now <= energy * (1.0 + 1e-12) || energy < 1.0, "{now} after {energy}");
        energy = now;
    }
    assert!(energy <= MASSES[0] * V[0] * V[0] + MASSES[1] * V[1] * V[1]);
}

/// A row of balls, all under solvers of their own, of which the first hits the second, and so on.
fn row(n: usize, velocities: &[f64]) -> String {
    let all: String =
        (0..n).map(|i| ball(&format!("ball{i}"), &implicit(), 1.0, 1.2 * i as f64, velocities[i])).collect();
    format!(
        r#"<Node name="root" dt="0.002" gravity="0 0 0">{}{all}</Node>"#,
        pipeline("<DiscreteIntersection/>", true)
    )
}

/// Groups are the connected parts of the contacts of the step, in and after every change.
#[test]
fn groups_are_the_connected_parts_of_the_contacts() {
    let mut simulation = simulate(&row(4, &[3.0, 0.0, 0.0, -3.0]));
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..500 {
        let before: Vec<f64> = (0..4).map(|i| along(&simulation, &format!("ball{i}"), 0).0).collect();
        let report = steps(&mut simulation, 1).expect("a step");
        let touching = before.windows(2).filter(|p| p[1] - p[0] < 2.0 * RADIUS).count();
        assert_eq!(report.groups, 4 - touching);
        assert_eq!(report.cg_iterations.len(), report.groups);
        seen.insert(report.groups);
        let momentum: f64 = (0..4).map(|i| along(&simulation, &format!("ball{i}"), 0).1).sum();
        close(momentum, 0.0, 1e-11);
    }
    assert!(seen.len() >= 3, "{seen:?}");
}

const BOX: &str = r#"<MeshOBJLoader name="mesh" filename="generated:box?nx=2&amp;ny=2&amp;nz=2"/>"#;
/// A regular tetrahedron of height 1.15 or so: its four faces make a bounding tree of one cell.
const TETRAHEDRON: &str = r#"<MeshTopology name="mesh" position="0.5 0.5 0.5  -0.5 -0.5 0.5  -0.5 0.5 -0.5  0.5 -0.5 -0.5"
    triangles="0 2 1  0 1 3  0 3 2  1 2 3"/>"#;

/// Surfaces of triangles on three rigid frames.
fn bodies(mesh: &str, positions: &[Vec<f64>], velocities: &[Vec<f64>]) -> String {
    let mut all = String::new();
    for (i, (x, v)) in positions.iter().zip(velocities).enumerate() {
        all += &format!(
            r#"<Node name="body{i}">
                <EulerImplicitSolver rayleighMass="0.1" rayleighStiffness="0.01"/>
                <CGLinearSolver iterations="40" tolerance="0" threshold="0"/>
                <MechanicalObject name="frame" template="Rigid3" position="{}" velocity="{}"/>
                <UniformMass vertexMass="1 1 0.17 0 0 0 0.17 0 0 0 0.17"/>
                <Node name="surface">
                    <MeshTopology src="@/mesh"/>
                    <MechanicalObject name="points" src="@/mesh"/>
                    <TriangleCollisionModel contactStiffness="30"/>
                    <RigidMapping/>
                </Node>
            </Node>"#,
            numbers([x]),
            numbers([v])
        );
    }
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 0 0">
            {}{mesh}{all}
        </Node>"#,
        pipeline(r#"<NewProximityIntersection alarmDistance="0.1" contactDistance="0.05"/>"#, true)
    )
}

fn frames(simulation: &Simulation) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let all = [0, 1, 2].map(|i| state(simulation, &format!("body{i}/frame")));
    (all.iter().map(|s| s.position[0].clone()).collect(), all.iter().map(|s| s.velocity[0].clone()).collect())
}

fn start() -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let at = |x: f64, y: f64, z: f64| vec![x, y, z, 0.05, 0.1, 0.02, (1.0f64 - 0.0129).sqrt()];
    let v = |y: f64| vec![0.1, y, 0.0, 0.2, 0.0, 0.1];
    (vec![at(0.0, 0.0, 0.0), at(0.2, 1.3, 0.1), at(-0.1, 2.7, 0.2)], vec![v(0.5), v(-1.0), v(-2.5)])
}

/// A simulation that is started anew from the state in mid-flight goes on with the same bits: groups, plans and contacts
/// have no memory. (Bounding trees do, as in SOFA: built at the start, their shape gives the order of contacts. Here it has
/// no choice.)
#[test]
fn what_follows_does_not_depend_on_history() {
    let (x, v) = start();
    let mut simulation = simulate(&bodies(TETRAHEDRON, &x, &v));
    let mut group_counts = std::collections::BTreeSet::new();
    for _ in 0..4 {
        steps(&mut simulation, 25);
        let (x, v) = frames(&simulation);
        let mut anew = simulate(&bodies(TETRAHEDRON, &x, &v));
        assert_eq!(anew.state_hash().ok(), simulation.state_hash().ok());
        for _ in 0..30 {
            let a = steps(&mut simulation, 1).expect("a step");
            let b = steps(&mut anew, 1).expect("a step");
            assert_eq!((a.contacts, a.groups), (b.contacts, b.groups));
            assert_eq!(anew.state_hash().ok(), simulation.state_hash().ok());
            group_counts.insert(a.groups);
        }
    }
    assert!(group_counts.len() >= 2, "{group_counts:?}");
}

/// Three tumbling boxes: linear and angular momentum of all (inertia in world axes: I w, as SOFA's rigid mass has it).
#[test]
fn boxes_conserve_momentum() {
    let (x, v) = start();
    let text = bodies(BOX, &x, &v).replace(r#"rayleighMass="0.1" rayleighStiffness="0.01""#, "");
    let mut simulation = simulate(&text);
    let momenta = |simulation: &Simulation| {
        let (x, v) = frames(simulation);
        let mut sum = [0.0; 6];
        for (x, v) in x.iter().zip(&v) {
            let orbit = cross(&x[..3], &v[..3]);
            for k in 0..3 {
                sum[k] += v[k];
                sum[3 + k] += orbit[k] + 0.17 * v[3 + k];
            }
        }
        sum
    };
    let first = momenta(&simulation);
    let mut contacts = 0;
    for _ in 0..150 {
        contacts += steps(&mut simulation, 1).expect("a step").contacts;
    }
    assert!(contacts > 50, "{contacts}");
    let last = momenta(&simulation);
    for k in 0..3 {
        close(last[k], first[k], 1e-9);
        // Contact points are apart by up to the contact distance along the normal, and x moves after the force: the
        // moment is conserved to the order of the step only.
        assert!((last[3 + k] - first[3 + k]).abs() < 0.05, "{first:?} {last:?}");
    }
}

/// The number of contacts of a pyramid's points with a triangle in z = 0: its tip stands at z, the rest far from there on the other
/// side of the tip than `toward`.
fn touches_of_a_tip(z: f64, toward: f64, method: &str, lines: &str, floor: &str) -> usize {
    let h = z - 3.0 * toward;
    let faces = if toward < 0.0 { "0 2 1 0 3 2 0 4 3 0 1 4" } else { "0 1 2 0 2 3 0 3 4 0 4 1" };
    let x = format!("0 0 {z} 1 1 {h} -1 1 {h} -1 -1 {h} 1 -1 {h}");
    let text = format!(
        r#"<Node name="root" dt="0.01" gravity="0 0 0">{}
            <Node name="floor">
                <MechanicalObject position="-9 -9 0 9 -9 0 0 15 0"/>
                <MeshTopology triangles="0 1 2"/>
                <TriangleCollisionModel simulated="0" {floor}/>
            </Node>
            <Node name="body">
                {}
                <MechanicalObject name="dofs" position="{x}"/>
                <UniformMass vertexMass="1"/>
                <MeshTopology position="{x}" triangles="{faces}"/>
                {lines}
                <PointCollisionModel/>
            </Node>
        </Node>"#,
        pipeline(&format!("<LocalMinDistance alarmDistance='0.3' contactDistance='0.2' {method}/>"), false),
        implicit(),
    );
    steps(&mut simulate(&text), 1).expect("a step").contacts
}

#[test]
fn local_min_distance_asks_the_surfaces_around_both_points() {
    let lines = "<LineCollisionModel/>";
    assert_eq!(touches_of_a_tip(0.1, -1.0, "", lines, ""), 1, "a tip that hangs over the floor");
    assert_eq!(touches_of_a_tip(0.1, 1.0, "", lines, ""), 0, "a tip that has come through it from below");
    for accepts_all in ["filterIntersection='0'", "useLMDFilters='1'", "angleCone='2'"] {
        assert_eq!(touches_of_a_tip(0.1, 1.0, accepts_all, lines, ""), 1, "{accepts_all}");
    }
    // Points have a surface only where there are lines.
    assert_eq!(touches_of_a_tip(0.1, 1.0, "", "", ""), 1);
    assert_eq!(touches_of_a_tip(-0.1, 1.0, "", lines, ""), 0, "behind the floor");
    assert_eq!(touches_of_a_tip(-0.1, 1.0, "", lines, "bothSide='1'"), 1);
}
