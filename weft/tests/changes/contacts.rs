//! Contacts of all kinds come and go: between bodies of one solver, of two, of none, with collision models that are obstacles,
//! beside springs on the same pair. What the plan holds after each step is what would be recorded anew.

use super::support::{bits, of_elements, same_bits_everywhere, scene};
use scenes::element::Element;
use weft::simulation::{PlanChange, Simulation, SimulationOptions};

/// What makes a scene.
#[derive(Clone, Copy)]
struct Setting {
    /// A group manager merges what touches.
    merges: bool,
    /// All bodies are below one solver.
    together: bool,
    /// A spring in the first body's node joins it with the second, one in the second body's node too.
    springs: [bool; 2],
    /// The collision models that are no obstacles, by body.
    simulated: [bool; 2],
    /// The second body has a solver.
    is_moved: bool,
    /// The springs go from the second body to the first.
    is_reversed: bool,
}

fn solver(node: Element) -> Element {
    node.child(Element::new("EulerImplicitSolver").with("rayleighStiffness", 0.05))
        .child(Element::new("CGLinearSolver").with("iterations", 30).with("tolerance", 1e-12))
}

/// A ball of one point with a collision model of its own, and a smaller one beside it that may touch the first.
fn ball(name: &str, x: f64, velocity: f64, simulated: bool, moved: bool) -> Element {
    let node = Element::node(name);
    let node = if moved { solver(node) } else { node };
    let other = if simulated { "1" } else { "0" };
    node.child(
        Element::new("MechanicalObject")
            .with("name", "dofs")
            .with("position", format!("{x} 0 0  {x} 0.7 0"))
            .with("velocity", format!("{velocity} 0 0  {velocity} 0 0")),
    )
    .child(Element::new("UniformMass").with("totalMass", 2))
    .child(
        Element::new("SphereCollisionModel")
            .with("radius", 0.3)
            .with("selfCollision", "1")
            .with("contactStiffness", 400)
            .with("simulated", other),
    )
    .child(
        Element::new("SpringForceField")
            .with("object1", "@dofs")
            .with("object2", "@dofs")
            .with("spring", "0 1 80 1 0.7"),
    )
}

fn link([first, second]: [&str; 2], stiffness: f64) -> Element {
    Element::new("SpringForceField")
        .with("name", "link")
        .with("object1", format!("@/{first}/dofs"))
        .with("object2", format!("@/{second}/dofs"))
        .with("spring", format!("0 0 {stiffness} 0.2 0.8"))
}

const WORLD: &str = "<Node dt='0.02' gravity='0 0 0'>
    <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
    <NewProximityIntersection alarmDistance='0.1' contactDistance='0.05'/>
    <CollisionResponse response='PenalityContactForceField'/>
</Node>";

fn world(setting: Setting, options: SimulationOptions) -> Simulation {
    let mut root = scenes::parse::parse_text(WORLD, "test.scn").expect("well formed").root;
    if setting.merges {
        root.children.push(Element::new("CollisionGroupManager"));
    }
    let own = !setting.together;
    let [first, second] = setting.springs;
    let mut a = ball("a", 0.0, 1.0, setting.simulated[0], own);
    let mut b = ball("b", 0.9, -1.0, setting.simulated[1], own && setting.is_moved);
    let far = ball("c", 3.0, -1.0, true, own);
    let ends = if setting.is_reversed { ["b", "a"] } else { ["a", "b"] };
    if first {
        a = a.child(link(ends, 3.0));
    }
    if second {
        b = b.child(link(ends, 5.0));
    }
    if setting.together {
        root = solver(root);
    }
    of_elements(root.child(a).child(b).child(far), options)
}

/// All settings, each that comes to the same once.
fn settings() -> impl Iterator<Item = Setting> {
    let all = (0u32..256).map(|k| {
        let bit = |n: u32| k >> n & 1 == 1;
        Setting {
            merges: bit(0),
            together: bit(1),
            springs: [bit(2), bit(3)],
            simulated: [bit(4), bit(5)],
            is_moved: bit(6),
            is_reversed: bit(7),
        }
    });
    all.filter(|s| s.merges && s.is_moved || !s.together)
        .filter(|s| s.springs != [false, false] || !s.is_reversed)
}

fn course(setting: Setting, options: SimulationOptions) -> (Vec<u64>, usize, usize) {
    let mut s = world(setting, options);
    let (mut touched, mut parted, mut before) = (0, 0, 0);
    for step in 0..90 {
        let report = s.step().expect("a step");
        touched += usize::from(before == 0 && report.contacts > 0);
        parted += usize::from(before > 0 && report.contacts == 0);
        before = report.contacts;
        if report.plan == PlanChange::Updated || step % 30 == 29 {
            s.check_plan().unwrap_or_else(|e| panic!("{step}: {e}"));
        }
        if step % 12 == 5 {
            for body in ["a", "b"] {
                let Some(link) = s.find_component(&format!("/{body}/link")) else { continue };
                s.set_attribute(link, "rayleighStiffness", if step % 24 == 5 { "0.1" } else { "0" })
                    .expect("it has that");
                s.check_plan().unwrap_or_else(|e| panic!("{step}, {body}'s spring: {e}"));
            }
        }
    }
    (bits(&s), touched, parted)
}

impl std::fmt::Debug for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { merges, together, springs, simulated, is_moved, is_reversed } = self;
        write!(f, "merges {merges}, together {together}, springs {springs:?}, simulated {simulated:?}, ")?;
        write!(f, "moved {is_moved}, reversed {is_reversed}")
    }
}

#[test]
fn whoever_touches_and_parts_leaves_nothing_behind() {
    let options = SimulationOptions { threads: 2, ..SimulationOptions::default() };
    let (mut touched, mut parted) = (0, 0);
    for setting in settings() {
        let found = std::panic::catch_unwind(|| course(setting, options.clone()));
        let Ok((_, came, went)) = found else { panic!("{setting:?}") };
        touched += came;
        parted += went;
    }
    assert!(touched > 40 && parted > 20, "{touched} times touched, {parted} times parted");
}

#[test]
fn every_executor_gives_the_same_bits() {
    for setting in settings().step_by(7) {
        same_bits_everywhere(|options| course(setting, options).0);
    }
}

/// A body whose points are in a collision group of their own, and, with `obstacle`, a part that is an obstacle to others.
fn heavy(name: &str, x: f64, velocity: f64, obstacle: bool) -> Element {
    let model = |simulated: &str| {
        Element::new("SphereCollisionModel")
            .with("radius", 0.3)
            .with("contactStiffness", 30)
            .with("simulated", simulated)
    };
    let node = solver(Element::node(name))
        .child(
            Element::new("MechanicalObject")
                .with("name", "dofs")
                .with("position", format!("{x} 0 0"))
                .with("velocity", format!("{velocity} 0 0")),
        )
        .child(Element::new("UniformMass").with("totalMass", 20))
        .child(model("1").with("group", 1));
    if !obstacle {
        return node;
    }
    node.child(
        Element::node("obstacle")
            .child(Element::new("MechanicalObject").with("position", format!("{x} 0 0")))
            .child(Element::new("IdentityMapping"))
            .child(model("0")),
    )
}

/// A contact that is attached to one side acts on the other too while a third body, which touches both, has their solvers
/// move together.
#[test]
fn a_third_body_joins_two_that_are_in_contact_already() {
    same_bits_everywhere(|options| {
        let mut root = scenes::parse::parse_text(WORLD, "test.scn").expect("well formed").root;
        root.children.push(Element::new("CollisionGroupManager"));
        let passing = solver(Element::node("c"))
            .child(
                Element::new("MechanicalObject").with("position", "0.28 0 -1.4").with("velocity", "0 0 1.6"),
            )
            .child(Element::new("UniformMass").with("totalMass", 10))
            .child(Element::new("SphereCollisionModel").with("radius", 0.25).with("contactStiffness", 30));
        let root =
            root.child(heavy("a", 0.0, 0.02, false)).child(heavy("b", 0.56, -0.02, true)).child(passing);
        let mut s = of_elements(root, options);
        let mut groups = Vec::new();
        for step in 0..100 {
            let report = s.step().expect("a step");
            assert!(report.contacts > 0 || step > 80, "step {step}");
            if groups.last() != Some(&report.groups) {
                groups.push(report.groups);
            }
            if report.plan == PlanChange::Updated {
                s.check_plan().unwrap_or_else(|e| panic!("{step}: {e}"));
            }
        }
        s.check_plan().expect("at the end");
        assert!(groups.len() > 2 && groups.contains(&1) && groups.last() == Some(&3), "{groups:?}");
        bits(&s)
    });
}

/// Solvers that are merged only with their like part where one of them gets another number while their bodies touch, and come
/// together where it gets the old one back. Contacts are where a scene with these numbers has them.
#[test]
fn bodies_that_touch_are_together_as_long_as_their_solvers_are_alike() {
    let body = |name: &str, x: f64| {
        format!(
            "<Node name='{name}'><NewmarkImplicitSolver name='ode' gamma='0.6' beta='0.3'/>
                <CGLinearSolver iterations='30' tolerance='1e-12' threshold='1e-30'/>
                <MechanicalObject name='dofs' position='{x} 0 0'/><UniformMass totalMass='20'/>
                <SphereCollisionModel radius='0.3' contactStiffness='10'/></Node>"
        )
    };
    let text = format!(
        "<Node name='root' dt='0.01' gravity='0 0 0'>
            <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><CollisionGroupManager/>
            <NewProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>
            <CollisionResponse response='PenalityContactForceField'/>{}{}</Node>",
        body("a", 0.0),
        body("b", 0.58)
    );
    same_bits_everywhere(|options| {
        let mut s = scene(&text, options);
        let mut groups = Vec::new();
        for step in 0..100 {
            let number = match step {
                5 => Some("0.9"),
                10 => Some("0.6"),
                _ => None,
            };
            if let Some(number) = number {
                let ode = s.find_component("/a/ode").expect("it is there");
                s.set_attribute(ode, "gamma", number).expect("it can be changed");
                s.check_plan().unwrap_or_else(|e| panic!("{step}: {e}"));
            }
            let report = s.step().expect("a step");
            assert!(step > 10 || report.contacts == 1, "{step}");
            s.check_plan().unwrap_or_else(|e| panic!("{step}: {e}"));
            if groups.last() != Some(&report.groups) {
                groups.push(report.groups);
            }
        }
        assert_eq!(groups, [1, 2, 1, 2], "together, apart, together, and out of touch");
        bits(&s)
    });
}
