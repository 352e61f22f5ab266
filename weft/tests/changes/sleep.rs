//! Objects come to rest, fall asleep and wake. What the plans hold after each change is what would be recorded anew.

use super::support::{self, bits, of_elements, same_bits_everywhere, ways};
use components::force_field::mouse_spring_force_field::MouseSpring;
use scenes::element::Element;
use scenes::load::LoadOptions;
use sim_core::math::Vec3;
use sim_core::scene::StateId;
use weft::simulation::{PlanChange, Simulation, SimulationOptions};

/// A scene that comes to rest; the last ball falls from so high that the others sleep before.
#[derive(Clone, Copy)]
struct Setting {
    merges: bool,
    sleeping: bool,
    last_falls_from: f64,
}

const FALLS: Setting = Setting { merges: true, sleeping: true, last_falls_from: 3.0 };

/// A soft pair of points on a plane; its collision spheres are on a mapped state.
fn ball(name: &str, x: f64, y: f64, stiffness: f64) -> Element {
    Element::node(name)
        .child(Element::new("EulerImplicitSolver").with("rayleighStiffness", 0.05).with("rayleighMass", 4))
        .child(
            Element::new("CGLinearSolver")
                .with("iterations", 30)
                .with("tolerance", 1e-12)
                .with("threshold", 1e-30),
        )
        .child(
            Element::new("MechanicalObject")
                .with("name", "dofs")
                .with("position", format!("{x} {y} 0  {x} {y} 0.4")),
        )
        .child(Element::new("UniformMass").with("totalMass", 2))
        .child(
            Element::new("SpringForceField")
                .with("object1", "@dofs")
                .with("object2", "@dofs")
                .with("spring", "0 1 200 2 0.4"),
        )
        .child(
            Element::new("PlaneForceField")
                .with("normal", "0 1 0")
                .with("stiffness", 2000)
                .with("damping", 5),
        )
        .child(
            Element::node("surface")
                .child(Element::new("MechanicalObject"))
                .child(
                    Element::new("SphereCollisionModel")
                        .with("radius", 0.3)
                        .with("contactStiffness", stiffness),
                )
                .child(Element::new("IdentityMapping")),
        )
}

/// Contacts that no solver sees must be soft.
fn stiffness(merges: bool) -> f64 {
    if merges { 400.0 } else { 4.0 }
}

fn scene(s: Setting) -> Element {
    let mut root = Element::node("root").with("dt", "0.01").with("gravity", "0 -9.81 0");
    for class in ["CollisionPipeline", "BruteForceBroadPhase", "BVHNarrowPhase"] {
        root.push(Element::new(class));
    }
    root.push(
        Element::new("MinProximityIntersection").with("alarmDistance", 0.1).with("contactDistance", 0.02),
    );
    root.push(Element::new("CollisionResponse").with("response", "PenalityContactForceField"));
    if s.merges {
        root.push(Element::new("CollisionGroupManager"));
    }
    if s.sleeping {
        root.push(Element::new("Sleeping").with("speed", 0.01).with("delay", 0.2));
    }
    let stiffness = stiffness(s.merges);
    root.child(ball("left", 0.0, 0.05, stiffness))
        .child(ball("right", 0.61, 0.05, stiffness))
        .child(ball("apart", 5.0, 0.05, stiffness))
        .child(ball("last", 0.1, s.last_falls_from, stiffness))
}

fn simulation(setting: Setting, options: SimulationOptions) -> Simulation {
    of_elements(scene(setting), options)
}

/// Steps, checks plans that changed, and tells how many objects sleep after each step.
fn run(s: &mut Simulation, steps: usize) -> Vec<usize> {
    (0..steps)
        .map(|_| {
            let report = s.step().expect("a step");
            if report.plan == PlanChange::Updated {
                s.check_plan().expect("an updated plan equals one made anew");
            }
            assert_eq!(report.asleep, s.n_asleep());
            s.n_asleep()
        })
        .collect()
}

fn height(s: &Simulation, object: &str) -> f64 {
    let states = s.states();
    states.iter().find(|v| v.path == format!("/{object}/dofs")).expect("it is there").position[0][1]
}

#[test]
fn what_rests_sleeps_and_what_falls_on_it_wakes_it() {
    for merges in [true, false] {
        let setting = Setting { merges, ..FALLS };
        let mut s = simulation(setting, SimulationOptions { threads: 1, ..SimulationOptions::default() });
        let asleep = run(&mut s, 100);
        assert_eq!(asleep[99], 3, "{asleep:?}");
        let resting = height(&s, "left");
        let zero = |v: &Vec<f64>| v.iter().all(|c| *c == 0.0);
        let at_rest = |p: &&weft::simulation::StateView| !p.path.starts_with("/last");
        assert!(s.states().iter().filter(at_rest).all(|v| v.velocity.iter().all(zero)));
        let asleep = run(&mut s, 100);
        // The two that the last ball touches wake, the one apart does not.
        assert_eq!(asleep.iter().min(), Some(&1), "{asleep:?}");
        assert_ne!(height(&s, "left"), resting, "the ball pushes it");
        let asleep = run(&mut s, 600);
        assert_eq!(asleep.last(), Some(&4), "{asleep:?}");
        let before = s.state_hash().expect("finite");
        run(&mut s, 20);
        assert_eq!(s.state_hash().expect("finite"), before, "what sleeps stays as it is");
    }
}

#[test]
fn until_something_sleeps_nothing_is_different() {
    let hash = |sleeping| {
        let options = SimulationOptions { threads: 1, ..SimulationOptions::default() };
        let mut s = simulation(Setting { sleeping, ..FALLS }, options);
        let mut hashes = Vec::new();
        while hashes.len() < 30 {
            s.step().expect("a step");
            assert!(s.n_asleep() == 0 || hashes.len() > 15, "asleep after {} steps", hashes.len());
            if s.n_asleep() == 0 {
                hashes.push(s.state_hash().expect("finite"));
            } else {
                break;
            }
        }
        hashes
    };
    let (with, without) = (hash(true), hash(false));
    assert!(with.len() > 10);
    assert_eq!(with[..], without[..with.len()]);
}

/// A course with everything that wakes.
fn course(merges: bool, options: SimulationOptions) -> Vec<u64> {
    let mut s = simulation(Setting { merges, ..FALLS }, options);
    let sleeps = |s: &mut Simulation| {
        let asleep = run(s, 700);
        assert_eq!(asleep.last(), Some(&s.world().objects.iter().filter(|o| o.solver.is_some()).count()));
    };
    sleeps(&mut s);
    let mut all = bits(&s);

    s.set_gravity(Vec3::new(0.0, -9.0, 0.0)).expect("finite");
    assert_eq!(run(&mut s, 1), [0], "gravity is felt by all");
    sleeps(&mut s);
    all.extend(bits(&s));

    let state: StateId = s.world().objects[0].root;
    let x = Vec3::new(0.0, 1.0, 0.2);
    let spring = MouseSpring { index: 0, local: Vec3::zeros(), target: x, stiffness: 50.0, damping: 1.0 };
    let mouse = s.attach_body(state, spring).expect("it is there");
    run(&mut s, 10);
    assert!(!s.is_asleep(s.world().objects[0].id), "the mouse pulls");
    run(&mut s, 300);
    s.mouse_spring_mut(mouse).expect("it is there").target.x += 0.1;
    run(&mut s, 1);
    assert!(!s.is_asleep(s.world().objects[0].id), "the mouse moves");
    s.remove_force_field(mouse).expect("it is there");
    sleeps(&mut s);
    all.extend(bits(&s));

    let solver = s.world().scene.solvers.ode[0].component;
    s.set_attribute(solver, "rayleighMass", "3").expect("a number");
    sleeps(&mut s);
    let root = s.world().scene.root();
    let added = s
        .add_object(root, ball("new", 5.0, 1.5, stiffness(merges)), &LoadOptions::default())
        .expect("it fits");
    sleeps(&mut s);
    s.remove_object(added.node).expect("nobody needs it");
    s.check_plan().expect("without the object");
    assert!(run(&mut s, 1)[0] == 0, "the one below may fall");
    sleeps(&mut s);
    all.extend(bits(&s));
    all
}

#[test]
fn whatever_stirs_wakes_and_no_executor_changes_a_bit() {
    same_bits_everywhere(|options| course(true, options));
}

#[test]
fn contacts_outside_all_solvers_wake_too() {
    let options = ways().into_iter().next().expect("there is one");
    course(false, options);
}

/// Four balls by SOFA's rules: one sleeps in the air until another falls on it, one rests and falls asleep, one rests and may not sleep.
const CONTROLLED: &str = r#"<Node name="root" dt="0.01" gravity="0 -10 0"><DefaultAnimationLoop/>
    <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
    <NewProximityIntersection alarmDistance="0.2" contactDistance="0.1"/>
    <CollisionResponse response="PenalityContactForceField"/><CollisionGroupManager/>
    <Node name="others"><SleepController/></Node>
    <Node name="hangs" sleeping="1" canChangeSleepingState="1">{solver}<MechanicalObject position="0 1 0"/>{ball}</Node>
    <Node name="falls" canChangeSleepingState="1">{solver}<MechanicalObject position="0.1 2.5 0"/>{ball}</Node>
    <Node name="rests" canChangeSleepingState="1">{solver}<MechanicalObject position="5 0 0" velocity="0.0005 0 0"/>
        {ball}<ConstantForceField forces="0 10 0"/></Node>
    <Node name="never">{solver}<MechanicalObject position="9 0 0" velocity="0.0005 0 0"/>
        {ball}<ConstantForceField forces="0 10 0"/></Node></Node>"#;

#[test]
fn a_sleep_controller_obeys_sofas_rules() {
    let solver =
        r#"<EulerImplicitSolver/><CGLinearSolver iterations="30" tolerance="1e-14" threshold="1e-14"/>"#;
    let ball = r#"<UniformMass totalMass="1"/><SphereCollisionModel radius="0.3" contactStiffness="300"/>"#;
    let text = CONTROLLED.replace("{solver}", solver).replace("{ball}", ball);
    let run = |options: SimulationOptions, check: bool| {
        let mut s = super::support::scene(&text, options);
        let mut since_waking = 0.0;
        let (mut x, mut woke) = (5.0, None);
        for k in 0..60 {
            s.step().expect("a step");
            s.check_plan().expect("with who is awake");
            let states = s.states();
            if since_waking < 0.1 {
                (x, since_waking) = (x + 0.0005 * 0.01, since_waking + 0.01);
            }
            let (hangs, rests, never) = (&states[0], &states[2], &states[3]);
            if woke.is_none() && hangs.position[0][1] != 1.0 {
                woke = Some(k);
            }
            if check {
                assert!((rests.position[0][0] - x).abs() < 1e-12, "step {k}");
                assert!((rests.velocity[0][0] - 0.0005).abs() < 1e-12, "it keeps its velocity");
                assert!((never.position[0][0] - 9.0 - 0.000_005 * (k + 1) as f64).abs() < 1e-12);
                let asleep = usize::from(woke.is_none()) + usize::from(k >= 11);
                assert_eq!(s.n_asleep(), asleep, "step {k}");
            }
        }
        let woke = woke.expect("the other falls on it");
        // It falls by 0.8 m, to a distance of 0.7 m between centers.
        assert!((35..45).contains(&woke), "{woke}");
        bits(&s)
    };
    run(super::support::sequential(), true);
    same_bits_everywhere(|options| run(options, false));
}

/// Points that contacts with friction hold, two of them joined; the last one falls on one of these when they sleep.
const HELD: &str = r#"<Node name="root" dt="0.01" gravity="0 -9.81 0"><FreeMotionAnimationLoop/>
    <BlockGaussSeidelConstraintSolver maxIterations="200" tolerance="1e-10"/>
    <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
    <NewProximityIntersection alarmDistance="0.1" contactDistance="0.02"/>
    <CollisionResponse response="FrictionContactConstraint" responseParams="mu=0.4"/>{sleeping}
    <Node name="floor"><MeshTopology position="-90 0 -50  90 0 -50  0 0 150" triangles="0 2 1"/>
        <MechanicalObject position="-90 0 -50  90 0 -50  0 0 150"/>
        <TriangleCollisionModel simulated="0" moving="0"/></Node>
    <Node name="left" canChangeSleepingState="1">{solver}<MechanicalObject name="dofs" position="0 0.4 0"/>{ball}</Node>
    <Node name="right" canChangeSleepingState="1">{solver}<MechanicalObject name="dofs" position="0.8 0.4 0"/>{ball}</Node>
    <BilateralLagrangianConstraint name="joint" object1="@left/dofs" object2="@right/dofs" first_point="0" second_point="0" rest_vector="0.8 0 0"/>
    <Node name="apart" canChangeSleepingState="1">{solver}<MechanicalObject name="dofs" position="5 0.4 0"/>{ball}</Node>
    <Node name="last" canChangeSleepingState="1">{solver}<MechanicalObject name="dofs" position="-0.4 {height} 0"/>{ball}</Node></Node>"#;

fn held(sleeping: &str, height: f64, options: SimulationOptions) -> Simulation {
    let solver =
        r#"<EulerImplicitSolver/><CGLinearSolver iterations="30" tolerance="1e-14" threshold="1e-14"/>"#;
    let ball =
        r#"<UniformMass totalMass="1"/><SphereCollisionModel radius="0.3"/><UncoupledConstraintCorrection/>"#;
    let text = HELD.replace("{solver}", solver).replace("{ball}", ball);
    let text = text.replace("{sleeping}", sleeping).replace("{height}", &height.to_string());
    super::support::scene(&text, options)
}

/// Multipliers are found for what is awake: where nothing moves there are none.
#[test]
fn what_multipliers_hold_sleeps_and_wakes_too() {
    let course = |options: SimulationOptions| {
        let mut s = held(r#"<Sleeping speed="0.01" delay="0.2"/>"#, 6.0, options);
        let asleep = run(&mut s, 90);
        assert_eq!(asleep[89], 3, "{asleep:?}");
        assert_eq!(s.multipliers().len(), 0, "the joint sleeps with what it joins");
        let resting = (height(&s, "left"), height(&s, "right"));
        assert!((resting.0 - 0.32).abs() < 1e-3, "{resting:?}");
        // It falls by 5.4 m, which takes 1.05 s.
        let wakes = (0..40).find(|_| run(&mut s, 1) == [1]);
        assert!(wakes.is_some(), "the two that are joined wake");
        assert!(s.multipliers().len() == 1 && s.multipliers()[0].lambda.len() == 3);
        let asleep = run(&mut s, 400);
        assert_eq!(asleep.last(), Some(&4), "{asleep:?}");
        let before = s.state_hash().expect("finite");
        let report = s.step().expect("a step");
        assert_eq!(report.constraint_sweeps, None, "nothing is left to be found");
        assert_eq!(s.state_hash().expect("finite"), before, "what sleeps stays as it is");
        s.set_gravity(Vec3::new(0.5, -9.0, 0.0)).expect("finite");
        assert_eq!(run(&mut s, 1), [0], "gravity is felt by all");
        run(&mut s, 5);
        bits(&s)
    };
    same_bits_everywhere(course);
}

#[test]
fn multipliers_are_the_same_until_something_sleeps() {
    let hashes = |sleeping: &str| {
        let mut s = held(sleeping, 0.5, super::support::sequential());
        let mut hashes = Vec::new();
        while hashes.len() < 60 && s.n_asleep() == 0 {
            s.step().expect("a step");
            hashes.push(s.state_hash().expect("finite"));
        }
        hashes
    };
    let (with, without) = (hashes(r#"<Sleeping speed="0.01" delay="0.2"/>"#), hashes(""));
    assert!((20..60).contains(&with.len()), "{}", with.len());
    assert_eq!(with[..with.len() - 1], without[..with.len() - 1]);
}

/// By SOFA's rules what rests falls asleep at the beginning of a step, here too.
#[test]
fn a_sleep_controller_goes_with_multipliers() {
    let controller = r#"<SleepController immobileThreshold="0.05" minTimeSinceWakeUp="0.1"/>"#;
    same_bits_everywhere(|options| {
        let mut s = held(controller, 6.0, options);
        let asleep = run(&mut s, 90);
        assert_eq!(asleep[89], 3, "{asleep:?}");
        // The ball above is awake: it is too fast.
        assert!(asleep[..11].iter().all(|n| *n == 0), "{asleep:?}");
        let asleep = run(&mut s, 40);
        assert_eq!(asleep.iter().min(), Some(&1), "{asleep:?}");
        bits(&s)
    });
}

/// Without a controller a node that sleeps stays where it is for ever; beside one, `sleeping` alone says nothing.
#[test]
fn nodes_sleep_by_their_controller() {
    let load = |controller: &str, node: &str| {
        let text = format!(
            r#"<Node name="root" gravity="0 -10 0"><DefaultAnimationLoop/>{controller}<Node name="ball" {node}><EulerExplicitSolver/>
            <MechanicalObject position="0 0 0"/><UniformMass totalMass="1"/></Node><Node name="other"><EulerExplicitSolver/>
            <MechanicalObject position="5 0 0"/><UniformMass totalMass="1"/></Node></Node>"#
        );
        let loaded = scenes::load::load_text(&text, "t.scn", &LoadOptions::default()).expect("a scene");
        let said: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        (loaded.scene.n_states(), said)
    };
    let (n, said) = load("", r#"sleeping="1""#);
    assert!(n == 2 && said.len() == 1 && said[0].contains("nothing wakes"), "{said:?}");
    let (n, said) = load("<SleepController/>", r#"sleeping="1""#);
    assert!(n == 2 && said.iter().any(|s| s.contains("canChangeSleepingState")), "{said:?}");
    let (n, said) = load("<SleepController/>", r#"sleeping="1" canChangeSleepingState="1""#);
    assert!(n == 2 && said.is_empty(), "{said:?}");
}

/// What sleeps for ever is an obstacle, though a solver stands above it, and so is what is mapped from it: the same as where no solver
/// does and nothing acts on it.
#[test]
fn what_nothing_wakes_is_an_obstacle() {
    let solver =
        "<EulerImplicitSolver/><CGLinearSolver iterations='30' tolerance='1e-10' threshold='1e-14'/>";
    let floor = |components: &str, sleeping: &str| {
        format!(
            "<Node name='floor' {sleeping}>{components}
            <MechanicalObject name='dofs' position='-2 0 -2  2 0 -2  2 0 2  -2 0 2'/>
            <Node name='below'><MeshTopology triangles='0 2 1 0 3 2'/><MechanicalObject name='points'/>
            <TriangleCollisionModel simulated='0'/><IdentityMapping/></Node></Node>"
        )
    };
    let scene_of = |above: &str, beside: &str, floor: String| {
        format!(
            "<Node dt='0.01' gravity='0 -9.81 0'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
            <NewProximityIntersection alarmDistance='0.3' contactDistance='0.1'/><CollisionResponse/>{above}
            <Node name='ball'>{beside}<MechanicalObject name='dofs' position='0.1 0.15 0.2' velocity='0 -3 0'/>
            <UniformMass totalMass='1'/><PointCollisionModel contactStiffness='3000'/></Node>{floor}</Node>"
        )
    };
    let acting = "<UniformMass totalMass='4'/><ConstantForceField indices='0' forces='0 9 0'/>";
    same_bits_everywhere(|options| {
        let run = |text: &str| {
            let mut s = support::scene(text, options.clone());
            let begin = s.states();
            for _ in 0..60 {
                s.step().expect("a step");
                s.check_plan().expect("a plan");
            }
            let end = s.states();
            for path in ["/floor/dofs", "/floor/below/points"] {
                let [before, after] =
                    [&begin, &end].map(|all| all.iter().find(|s| s.path == path).expect(path));
                assert_eq!(before.position, after.position);
            }
            bits(&s)
        };
        let asleep = run(&scene_of(solver, "", floor(acting, "sleeping='1'")));
        assert_eq!(asleep, run(&scene_of("", solver, floor("", ""))));
        asleep
    });
}

/// What is mapped into a node that sleeps for ever stays where the mapping has put it at the beginning.
#[test]
fn what_is_mapped_into_a_sleeping_node_stays() {
    let scene_of = |sleeping: &str| {
        format!(
            "<Node dt='0.01' gravity='0 -9.81 0'><EulerExplicitSolver/><MechanicalObject name='above' position='0 0 0  1 0 0'/>
            <UniformMass totalMass='2'/><Node name='below' {sleeping}><MechanicalObject name='points'/>
            <SubsetMapping indices='1'/><ConstantForceField indices='0' forces='0 90 0'/></Node></Node>"
        )
    };
    let places = |sleeping: &str| {
        let mut s = support::scene(&scene_of(sleeping), SimulationOptions::default());
        (0..10).for_each(|_| drop(s.step().expect("a step")));
        let states = s.states();
        [states[0].position[1][1], states[1].position[0][1]]
    };
    let [above, below] = places("sleeping='1'");
    assert!(above < -0.05 && below == 0.0, "{above} {below}");
    let [above, below] = places("");
    assert!(above > 0.05 && below == above, "{above} {below}");
}

/// Where a point is after steps in a scene of its own, with objects that may sleep and without.
fn places(components: &[Element]) -> [Vec3; 2] {
    [true, false].map(|sleeps| {
        let mut root = Element::node("root").with("dt", "0.01").with("gravity", "0 0 0");
        if sleeps {
            root.push(Element::new("Sleeping").with("speed", 0.01).with("delay", 0.05));
        }
        let mut body = Element::node("body");
        components.iter().for_each(|c| body.push(c.clone()));
        let mut s = of_elements(root.child(body), SimulationOptions::default());
        for _ in 0..60 {
            s.step().expect("a step");
        }
        let [x, y, z] = s.states()[0].position[1][..3] else { panic!("a point") };
        Vec3::new(x, y, z)
    })
}

#[test]
fn what_time_moves_or_has_no_velocities_stays_awake() {
    let points = || Element::new("MechanicalObject").with("position", "0 0 0  1 0 0");
    let mass = || Element::new("UniformMass").with("totalMass", 1);
    let direct = || Element::new("SparseLDLSolver").with("template", "CompressedRowSparseMatrixMat3x3d");
    let spring = || {
        Element::new("SpringForceField")
            .with("object1", "@MechanicalObject1")
            .with("object2", "@MechanicalObject1")
            .with("spring", "0 1 100 1 1")
    };
    let implicit = || Element::new("EulerImplicitSolver");
    let movement = Element::new("LinearMovementProjectiveConstraint")
        .with("indices", 1)
        .with("keyTimes", "0 0.3 1")
        .with("movements", "0 0 0  0 0 0  0 1 0");
    let force = Element::new("LinearForceField")
        .with("points", 1)
        .with("times", "0 0.3 1")
        .with("forces", "0 0 0  0 0 0  0 5 0");
    let pushed = Element::new("ConstantForceField").with("indices", 1).with("forces", "10 5 0");
    let held = Element::new("FixedProjectiveConstraint").with("indices", 0);
    let slowly =
        Element::new("CGLinearSolver").with("iterations", 1).with("tolerance", 1e-9).with("threshold", 1e-9);
    let scenes = [
        vec![implicit(), direct(), points(), mass(), spring(), movement],
        vec![implicit(), direct(), points(), mass(), spring(), force],
        vec![
            Element::new("StaticSolver").with("newton_iterations", 1),
            slowly,
            points(),
            held,
            spring(),
            pushed,
        ],
    ];
    for components in &scenes {
        let [with, without] = places(components);
        assert_eq!(with, without, "{components:?}");
        assert!((without - Vec3::x()).norm() > 0.01, "it moves: {without}");
    }
}

/// One rests, and another that touches it (without a force, within the alarm distance) goes away while both are one group. The one
/// falls asleep in the step in which the other has left it, which goes on.
#[test]
fn what_leaves_one_that_falls_asleep_goes_on() {
    let point = |name: &str, x: f64, v: f64| {
        Element::node(name)
            .child(Element::new("EulerImplicitSolver"))
            .child(Element::new("CGLinearSolver").with("iterations", 5))
            .child(
                Element::new("MechanicalObject")
                    .with("name", "dofs")
                    .with("position", format!("{x} 0 0"))
                    .with("velocity", format!("{v} 0 0")),
            )
            .child(Element::new("UniformMass").with("totalMass", 1))
            .child(Element::new("SphereCollisionModel").with("radius", 0.1).with("contactStiffness", 10))
    };
    let mut root = Element::node("root").with("dt", "0.01").with("gravity", "0 0 0");
    for class in ["CollisionPipeline", "BruteForceBroadPhase", "BVHNarrowPhase", "CollisionGroupManager"] {
        root.push(Element::new(class));
    }
    root.push(
        Element::new("MinProximityIntersection").with("alarmDistance", 0.5).with("contactDistance", 0.01),
    );
    root.push(Element::new("CollisionResponse").with("response", "PenalityContactForceField"));
    root.push(Element::new("Sleeping").with("speed", 0.01).with("delay", 0.2));
    let root = root.child(point("stays", 0.0, 0.0)).child(point("goes", 0.3, 0.5));
    for options in ways() {
        let mut simulation = of_elements(root.clone(), options);
        for step in 1..=200 {
            let report = simulation.step().expect("a step");
            let x: Vec<f64> = simulation.states().iter().map(|s| s.position[0][0]).collect();
            let expected = 0.3 + 0.005 * f64::from(step);
            assert!((x[1] - expected).abs() < 1e-9 && x[0] == 0.0, "step {step}: {x:?}, not {expected}");
            assert_eq!(simulation.n_asleep() == 1, report.contacts == 0 && step > 20, "step {step}");
            simulation.check_plan().expect("a plan as recorded anew");
        }
    }
}

/// A ball hits a body that sleeps, of the same mass: each goes on with half of its speed, however many alarm distances a step is long.
#[test]
fn what_multipliers_push_awake_takes_its_share_of_the_momentum() {
    for speed in [1.0, 2.0, 5.0, 9.0, 12.0, 20.0] {
        let body = |name: &str, x: f64, v: f64| {
            format!(
                r#"<Node name="{name}"><MechanicalObject template="Rigid3" name="dofs" position="{x} 0 0 0 0 0 1" velocity="{v} 0 0 0 0 0"/>
                <EulerImplicitSolver/><CGLinearSolver iterations="50" tolerance="1e-14" threshold="1e-14"/>
                <UniformMass vertexMass="1 1 0.1 0 0 0 0.1 0 0 0 0.1"/><UncoupledConstraintCorrection/>
                <SphereCollisionModel radius="0.2"/></Node>"#
            )
        };
        let text = format!(
            r#"<Node name="root" dt="0.005" gravity="0 0 0"><FreeMotionAnimationLoop/>
            <BlockGaussSeidelConstraintSolver maxIterations="1000" tolerance="1e-12"/>
            <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
            <NewProximityIntersection alarmDistance="0.05" contactDistance="0.02"/>
            <CollisionResponse response="FrictionContactConstraint" responseParams="mu=0"/><Sleeping speed="0.02"/>
            {}{}</Node>"#,
            body("sleeper", 0.0, 0.0),
            body("ball", -1.2 * speed - 0.5, speed)
        );
        let course = |options: SimulationOptions| {
            let mut s = support::scene(&text, options);
            let asleep = run(&mut s, 200);
            assert_eq!(asleep[199], 1, "{speed}: one sleeps when it is hit");
            run(&mut s, 200);
            let along = |part: &str| {
                let states = s.states();
                states.iter().find(|s| s.path.contains(part)).map_or(0.0, |s| s.velocity[0][0])
            };
            let (ball, sleeper) = (along("ball"), along("sleeper"));
            assert!((ball + sleeper - speed).abs() < 1e-9 * speed, "{speed}: {ball} and {sleeper}");
            assert!(sleeper > 0.0, "{speed}: it is pushed");
            bits(&s)
        };
        same_bits_everywhere(course);
    }
}
