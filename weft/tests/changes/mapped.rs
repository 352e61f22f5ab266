//! What is mapped from a state whose points and elements go.

use super::support::{bits, same_bits_everywhere, scene, sequential};
use sim_core::renumbering::ElementKind;
use sim_core::scene::ComponentId;
use weft::simulation::{ChangeError, Simulation};

const SOLVER: &str = r#"<EulerImplicitSolver rayleighStiffness="0.1" rayleighMass="0.1"/>
    <CGLinearSolver iterations="300" tolerance="1e-16" threshold="1e-20"/>"#;

/// A bar of three hexahedra along x, with what is mapped from it: a copy with the border's faces and a copy of this, some of its points
/// with a mass, and points that lie in it, which touch a floor. `order` are the points that there are, `indices` those that
/// are copied, and `held` the two of them that a spring joins to others.
fn bar(points: &str, hexahedra: &str, modifier: &str, indices: &str, held: [usize; 2]) -> String {
    let [held, of_subset] = held;
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 -9.81 0"><DefaultAnimationLoop/>
        <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
        <NewProximityIntersection alarmDistance="0.3" contactDistance="0.1"/>
        <CollisionResponse response="PenalityContactForceField" friction="0.3"/>
        <Node name="floor"><MeshTopology position="-5 -0.35 -5  -5 -0.35 9  9 -0.35 -5" triangles="0 1 2"/>
            <MechanicalObject/><TriangleCollisionModel moving="0" simulated="0"/></Node>
        <Node name="bar">{SOLVER}
            <MechanicalObject name="dofs" position="{points}"/>
            <HexahedronSetTopologyContainer name="cells" position="{points}" hexahedra="{hexahedra}"/>{modifier}
            <MeshMatrixMass massDensity="2"/>
            <HexahedralFEMForceField youngModulus="3000" poissonRatio="0.3" method="large"/>
            <Node name="copy"><MechanicalObject name="dofs"/>
                <QuadSetTopologyContainer name="faces"/><QuadSetTopologyModifier/>
                <Hexa2QuadTopologicalMapping input="@../cells" output="@faces"/>
                <IdentityMapping/>
                <SpringForceField object1="@dofs" object2="@dofs" spring="{held} 1 50 0.1 2.5"/>
                <Node name="again"><MechanicalObject name="dofs"/><IdentityMapping/>
                    <ConstantForceField indices="{held}" forces="0 0 30"/></Node>
            </Node>
            <Node name="some"><MechanicalObject name="dofs"/><SubsetMapping indices="{indices}"/>
                <UniformMass vertexMass="0.3"/>
                <SpringForceField object1="@dofs" object2="@/floor" spring="{of_subset} 0 20 0.1 1"/></Node>
            <Node name="inside"><MechanicalObject name="dofs" position="0.3 0.1 0.5  0.9 0.2 0.2  1.4 0.1 0.7  2.6 0.3 0.5"/>
                <BarycentricMapping/><SphereCollisionModel radius="0.2" contactStiffness="300"/></Node>
        </Node></Node>"#
    )
}

fn text(rows: impl IntoIterator<Item = impl ToString>) -> String {
    rows.into_iter().map(|x| x.to_string()).collect::<Vec<_>>().join(" ")
}

/// Points by layers along x.
fn points() -> Vec<[f64; 3]> {
    (0..16).map(|i| [(i / 4) as f64, (i % 2) as f64, (i / 2 % 2) as f64]).collect()
}

fn hexahedron(first: usize) -> [usize; 8] {
    [0, 4, 5, 1, 2, 6, 7, 3].map(|k| first + k)
}

fn whole(options: weft::simulation::SimulationOptions) -> Simulation {
    let hexahedra = text((0..3).flat_map(|k| hexahedron(4 * k)));
    let modifier = "<HexahedronSetTopologyModifier/>";
    scene(&bar(&text(points().iter().flatten()), &hexahedra, modifier, "13 2 9 1 15 5", [6, 2]), options)
}

fn component(s: &Simulation, path: &str) -> ComponentId {
    s.find_component(path).expect("it is there")
}

fn of(s: &Simulation, path: &str) -> Vec<Vec<f64>> {
    s.states().into_iter().find(|v| v.path == path).expect("it is there").position
}

/// What is cut before the first step moves as what was never there.
#[test]
fn what_is_mapped_is_as_in_a_bar_that_never_had_the_cell() {
    let mut cut = whole(sequential());
    let cells = component(&cut, "/bar/cells");
    cut.remove_elements(cells, ElementKind::Hexahedron, &[0]).expect("all that is mapped follows");
    cut.check_plan().expect("with other points");
    // As SOFA numbers them: points 0 to 3 have gone.
    let order = [12, 13, 14, 15, 4, 5, 6, 7, 8, 9, 10, 11];
    let now = |old: usize| order.iter().position(|k| *k == old).expect("it is left");
    let all = points();
    let left = order.map(|k| all[k]);
    assert_eq!(of(&cut, "/bar/dofs"), left.map(|p| p.to_vec()));
    assert_eq!(of(&cut, "/bar/copy/again/dofs"), of(&cut, "/bar/dofs"));
    // Of "13 2 9 1 15 5" point 2 gets the place of the last, then 1 of the next.
    let copied = [13, 5, 9, 15];
    assert_eq!(of(&cut, "/bar/some/dofs"), copied.map(|k| all[k].to_vec()));
    let hexahedra = text([8, 4].into_iter().flat_map(|first| hexahedron(first).map(now)));
    let never = bar(&text(left.iter().flatten()), &hexahedra, "", &text(copied.map(now)), [now(6), 2]);
    // The spring from point 1 has gone with it.
    let never = never.replace(&format!(r#"spring="{} 1 50 0.1 2.5""#, now(6)), r#"spring="""#);
    let mut never = scene(&never, sequential());
    let (mut worst, mut contacts) = (0.0_f64, 0);
    for _ in 0..40 {
        let report = cut.step().expect("a step");
        contacts += report.contacts;
        never.step().expect("a step");
        for (a, b) in cut.states().iter().zip(never.states()) {
            assert_eq!(a.path, b.path);
            for (a, b) in a.position.iter().flatten().zip(b.position.iter().flatten()) {
                worst = worst.max((a - b).abs());
            }
        }
    }
    assert!(contacts > 40, "{contacts}");
    assert!(worst < 1e-7, "{worst:e}");
}

/// Points whose cell has gone follow the nearest one that is left from then on, and those of cells that stay stay where they are.
#[test]
fn points_within_what_goes_lie_in_what_is_left() {
    let mut s = whole(sequential());
    for _ in 0..10 {
        s.step().expect("a step");
    }
    let before = of(&s, "/bar/inside/dofs");
    let corner = of(&s, "/bar/dofs");
    s.remove_elements(component(&s, "/bar/cells"), ElementKind::Hexahedron, &[0]).expect("it follows");
    let after = of(&s, "/bar/inside/dofs");
    for kept in [2, 3] {
        let apart = after[kept].iter().zip(&before[kept]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-12, "{apart:e}");
    }
    // The first point is 0.7 before the second cell, whose x goes from 1 to 2.
    let weights = |along: f64, y: f64, z: f64| {
        let mut at = [0.0; 3];
        for k in 0..8 {
            let (x, u, w) = (k / 4, k % 2, k / 2 % 2);
            let weight = (if x == 1 { along } else { 1.0 - along })
                * (if u == 1 { y } else { 1.0 - y })
                * (if w == 1 { z } else { 1.0 - z });
            (0..3).for_each(|a| at[a] += weight * corner[4 + k][a]);
        }
        at
    };
    let expected = weights(-0.7, 0.1, 0.5);
    let apart = after[0].iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-12, "{:?} {expected:?}", after[0]);
    s.step().expect("a step");
}

/// The bits are those of every executor, also while contacts are there, and where cells come again.
#[test]
fn what_is_mapped_follows_in_every_way_of_execution() {
    same_bits_everywhere(|options| {
        let mut s = whole(options);
        let cells = component(&s, "/bar/cells");
        for step in 0..30 {
            match step {
                12 => s.remove_elements(cells, ElementKind::Hexahedron, &[0]).expect("it follows"),
                20 => {
                    let last = s.world().scene.topology(cells).expect("a topology").hexahedra[1];
                    s.remove_elements(cells, ElementKind::Hexahedron, &[1]).expect("it follows");
                    let n = s.world().scene.topology(cells).expect("a topology").n_points as u32;
                    if last.iter().all(|p| *p < n) {
                        s.add_elements(cells, ElementKind::Hexahedron, &[last.to_vec()]).expect("it comes");
                    }
                }
                _ => {}
            }
            s.step().expect("a step");
            s.check_plan().expect("as recorded anew");
        }
        bits(&s)
    });
}

/// Nothing changes where a mapping cannot follow, and where nothing would be left for points to lie in.
#[test]
fn a_mapping_that_cannot_follow_is_named() {
    let mut s = whole(sequential());
    let before = bits(&s);
    let cells = component(&s, "/bar/cells");
    let refused = s.remove_elements(cells, ElementKind::Hexahedron, &[0, 1, 2]).expect_err("nothing is left");
    assert!(matches!(refused, ChangeError::Topology(_)), "{refused}");
    assert!(refused.to_string().contains("/bar/inside/"), "{refused}");
    assert!(bits(&s) == before);
    s.check_plan().expect("as it was");
    let hexahedra = text((0..3).flat_map(|k| hexahedron(4 * k)));
    let text =
        bar(&text(points().iter().flatten()), &hexahedra, "<HexahedronSetTopologyModifier/>", "1 2", [6, 0]);
    let measured = r#"<Node name="far"><MechanicalObject template="Vec1"/>
        <DistanceFromTargetMapping name="measure" indices="1" targetPositions="3 0 0"/></Node>"#;
    let at = text.find(r#"<Node name="some">"#).expect("it is there");
    let text = format!("{}{measured}{}", &text[..at], &text[at..]);
    let mut s = scene(&text, sequential());
    let cells = component(&s, "/bar/cells");
    let refused = s.remove_elements(cells, ElementKind::Hexahedron, &[0]).expect_err("it measures");
    assert!(refused.to_string().contains("/bar/far/measure: a DistanceFromTargetMapping"), "{refused}");
    s.step().expect("a step");
}
