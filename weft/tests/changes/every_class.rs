//! Each class that follows when elements go, by its samples: it is as in a scene that never had them.

use std::collections::BTreeMap;

use super::support::sequential;
use scenes::load::{LoadOptions, load_text};
use scenes::registry::Registry;
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::renumbering::ElementKind;
use sim_core::scene::ComponentId;
use weft::simulation::{Simulation, SimulationOptions};

const DT: f64 = 0.005;

/// A beam of cubes along z, in the elements that a sample asks for.
struct Shape {
    kind: ElementKind,
    /// Of the topology's classes, as in `HexahedronSetTopologyContainer`.
    name: &'static str,
    /// Of each cube, from below.
    cubes: Vec<Vec<Vec<u32>>>,
}

/// How many cubes there are.
const CUBES: u32 = 3;

impl Shape {
    fn of(elements: &str) -> Option<Self> {
        let (kind, name, of_cube): (_, _, &[&[u32]]) = match elements {
            "hexahedra" => (ElementKind::Hexahedron, "Hexahedron", &[&[0, 1, 3, 2, 4, 5, 7, 6]]),
            "" | "any" | "tetrahedra" => (
                ElementKind::Tetrahedron,
                "Tetrahedron",
                &[&[0, 5, 1, 7], &[0, 1, 3, 7], &[0, 3, 2, 7], &[0, 2, 6, 7], &[0, 6, 4, 7], &[0, 4, 5, 7]],
            ),
            "triangles" => {
                (ElementKind::Triangle, "Triangle", &[&[0, 1, 5], &[0, 5, 4], &[2, 3, 7], &[2, 7, 6]])
            }
            // Regular grids have no modifier.
            _ => return None,
        };
        let cube = |k: u32| of_cube.iter().map(|e| e.iter().map(|p| p + 4 * k).collect()).collect();
        Some(Self { kind, name, cubes: (0..CUBES).map(cube).collect() })
    }
}

/// Numbers that look random, from -1 to 1, the same in every run.
fn noise(k: usize) -> f64 {
    (12.9898 * (k as f64 + 1.0)).sin() * 0.8
}

fn text(rows: impl IntoIterator<Item = impl ToString>) -> String {
    rows.into_iter().map(|x| x.to_string()).collect::<Vec<_>>().join(" ")
}

/// What a scene has besides the component.
struct Points {
    rest: Vec<[f64; 3]>,
    position: Vec<Vec<f64>>,
    velocity: Vec<Vec<f64>>,
}

impl Points {
    fn begin() -> Self {
        let n = 4 * (CUBES as usize + 1);
        let rest: Vec<[f64; 3]> =
            (0..n).map(|i| [(i % 2) as f64, (i / 2 % 2) as f64, (i / 4) as f64]).collect();
        let moved = |(i, p): (usize, &[f64; 3])| (0..3).map(|a| p[a] + 0.03 * noise(3 * i + a)).collect();
        let position = rest.iter().enumerate().map(moved).collect();
        let velocity = (0..n).map(|i| (0..3).map(|a| 0.3 * noise(100 + 3 * i + a)).collect()).collect();
        Self { rest, position, velocity }
    }
}

fn scene(
    shape: &Shape,
    elements: &[Vec<u32>],
    points: &Points,
    component: &str,
    is_mass: bool,
    time: f64,
) -> String {
    let mass = if is_mass { "" } else { "<UniformMass vertexMass='0.4'/>" };
    let (name, attribute) = (shape.name, shape.kind.plural());
    format!(
        "<Node name='root' dt='{DT}' time='{time}' gravity='0.3 -9.81 0.5'><DefaultAnimationLoop/><Node name='body'>
        <EulerImplicitSolver/><CGLinearSolver iterations='500' tolerance='1e-15' threshold='1e-30'/>
        <{name}SetTopologyContainer name='topology' position='{}' {attribute}='{}'/><{name}SetTopologyModifier/>
        <MechanicalObject name='dofs' rest_position='{}' position='{}' velocity='{}'/>{mass}{component}</Node></Node>",
        text(points.rest.iter().flatten()),
        text(elements.iter().flatten()),
        text(points.rest.iter().flatten()),
        text(points.position.iter().flatten()),
        text(points.velocity.iter().flatten()),
    )
}

fn simulation(text: &str) -> Result<Simulation, String> {
    let loaded = load_text(text, "test.scn", &LoadOptions::default()).map_err(|e| e.to_string())?;
    Simulation::new(loaded.scene, SimulationOptions { pin: false, ..sequential() }).map_err(|e| e.to_string())
}

fn topology(s: &Simulation) -> ComponentId {
    let scene = &s.world().scene;
    scene.all_components().find(|c| scene.path(*c) == "/body/topology").expect("it is there")
}

/// The component as a scene file has it, with points' new numbers in its lists, with another total mass and this share of a total
/// force; none where its lists are not of points alone.
fn element(
    description: &ComponentDescription,
    sample: &Sample,
    numbers: Option<&BTreeMap<usize, usize>>,
    total_mass: Option<f64>,
    share: f64,
) -> Option<String> {
    let following = description.following?;
    let mut attributes = sample.attributes.to_owned();
    let value = |attributes: &str, name: &str| {
        let begin = [format!(" {name}='"), format!("{name}='")];
        let at = attributes.find(&begin[0]).map(|k| k + begin[0].len());
        let at = at.or_else(|| attributes.starts_with(&begin[1]).then_some(begin[1].len()))?;
        attributes[at..].find('\'').map(|n| (at, at + n))
    };
    if let Some(mass) = total_mass
        && let Some((begin, end)) = value(&attributes, "totalMass")
    {
        attributes.replace_range(begin..end, &mass.to_string());
    }
    if let Some((begin, end)) = value(&attributes, "totalForce") {
        let forces = attributes[begin..end].split_whitespace().filter_map(|n| n.parse::<f64>().ok());
        attributes.replace_range(begin..end, &text(forces.map(|f| f * share)));
    }
    if let Some(numbers) = numbers {
        let prepared = following.prepared.iter().any(|name| {
            !["totalMass", "vertexMass", "massDensity"].contains(name) && value(&attributes, name).is_some()
        });
        let lists = following.elements.iter().any(|(name, _)| value(&attributes, name).is_some());
        if prepared || lists || following.pairs.is_some() {
            return None;
        }
        for name in following.points {
            if let Some((begin, end)) = value(&attributes, name) {
                let old = attributes[begin..end].split_whitespace().filter_map(|n| n.parse::<usize>().ok());
                let new = text(old.filter_map(|n| numbers.get(&n)));
                attributes.replace_range(begin..end, &new);
            }
        }
    }
    Some(format!("{}<{} name='it' {attributes}/>{}", sample.before, description.class, sample.after))
}

/// Runs a sample, of which the first or the last cube goes after some steps; the greatest difference from a scene that begins then
/// and has never had it.
fn compare(
    description: &ComponentDescription,
    sample: &Sample,
    (first, after): (bool, usize),
) -> Result<Option<f64>, String> {
    let Some(shape) = Shape::of(sample.elements) else { return Ok(None) };
    let is_mass = description.family == Family::Mass;
    let all: Vec<Vec<u32>> = shape.cubes.iter().flatten().cloned().collect();
    let begin = Points::begin();
    let Some(own) = element(description, sample, None, None, 1.0) else { return Ok(None) };
    let mut cut = simulation(&scene(&shape, &all, &begin, &own, is_mass, 0.0))?;
    for _ in 0..after {
        cut.step().map_err(|e| e.to_string())?;
    }
    let before = cut.states().swap_remove(0);
    let (n, of_cube) = (all.len() as u32, shape.cubes[0].len() as u32);
    let gone: Vec<u32> = if first { (0..of_cube).collect() } else { (n - of_cube..n).collect() };
    let cells = topology(&cut);
    cut.remove_elements(cells, shape.kind, &gone).map_err(|e| format!("refused: {e}"))?;
    cut.check_plan()?;
    let state = cut.states().swap_remove(0);
    let mut old: Vec<usize> = Vec::new();
    for p in &state.position {
        // A constraint may have put two points into one place.
        let mut places = (0..before.position.len()).filter(|k| before.position[*k] == *p);
        old.push(places.find(|k| !old.contains(k)).expect("it was there"));
    }
    let numbers: BTreeMap<usize, usize> = old.iter().enumerate().map(|(new, old)| (*old, new)).collect();
    let world = cut.world();
    let total_mass = is_mass.then(|| world.scene.parts.masses[0].node.total_mass(&world.store, old.len()));
    // Each point keeps its part of what was shared out.
    let share = old.len() as f64 / before.position.len() as f64;
    let is_renumbered = old.iter().enumerate().any(|(new, old)| new != *old);
    let numbers = is_renumbered.then_some(&numbers);
    let Some(other) = element(description, sample, numbers, total_mass, share) else {
        return Ok(None);
    };
    let t = world.scene.topology(cells).expect("a topology");
    let left: Vec<Vec<u32>> = match shape.kind {
        ElementKind::Hexahedron => t.hexahedra.iter().map(|e| e.to_vec()).collect(),
        ElementKind::Tetrahedron => t.tetrahedra.iter().map(|e| e.to_vec()).collect(),
        _ => t.triangles.iter().map(|e| e.to_vec()).collect(),
    };
    let points = Points {
        rest: old.iter().map(|k| begin.rest[*k]).collect(),
        position: state.position,
        velocity: state.velocity,
    };
    let mut never = simulation(&scene(&shape, &left, &points, &other, is_mass, DT * after as f64))
        .map_err(|e| format!("without what went: {e}"))?;
    let mut worst = 0.0_f64;
    for _ in 0..6 {
        let results = [cut.step().map(|_| ()), never.step().map(|_| ())];
        if results.iter().all(Result::is_err) {
            break;
        }
        results.into_iter().collect::<Result<Vec<()>, _>>().map_err(|e| e.to_string())?;
        let (a, b) = (cut.states().swap_remove(0), never.states().swap_remove(0));
        let rows = a.position.iter().chain(&a.velocity).zip(b.position.iter().chain(&b.velocity));
        for (a, b) in rows.flat_map(|(a, b)| a.iter().zip(b)) {
            worst = worst.max((a - b).abs() / (1.0 + b.abs()));
        }
    }
    Ok(Some(worst))
}

/// Classes that go on from where points were when the scene began, which another scene knows nothing of.
const OF_THE_BEGINNING: [&str; 6] = [
    "AffineMovementProjectiveConstraint",
    "FixedWeakConstraint",
    "LinearMovementProjectiveConstraint",
    "PartialLinearMovementProjectiveConstraint",
    "PatchTestMovementProjectiveConstraint",
    "TriangleBendingSprings",
];

#[test]
fn what_follows_is_as_if_what_went_was_never_there() {
    let families = [Family::ForceField, Family::InteractionForceField, Family::Mass, Family::Constraint];
    let registry = Registry::with_builtins();
    let (mut compared, mut wrong) = (0, Vec::new());
    for description in registry.iter().filter(|d| families.contains(&d.family)) {
        let fits = |s: &&Sample| {
            let own = if s.template.is_empty() { description.templates } else { &[s.template][..] };
            (own.is_empty() || own.contains(&"Vec3")) && !s.attributes.contains('{')
        };
        for sample in description.samples.iter().filter(fits) {
            if description.following.is_none() {
                continue;
            }
            let remembers = OF_THE_BEGINNING.contains(&description.class);
            let ways = [(false, 0), (true, 0), (false, 4), (true, 4)];
            for way in ways.into_iter().filter(|(_, after)| *after == 0 || !remembers) {
                let name = || format!("{} {} {way:?}", description.class, sample.attributes);
                match compare(description, sample, way) {
                    Ok(None) => {}
                    Ok(Some(worst)) if worst < 1e-8 => compared += 1,
                    Ok(Some(worst)) => wrong.push(format!("{}: {worst:e}", name())),
                    Err(e) if e.starts_with("refused: /body/it: ") => {}
                    Err(e) => wrong.push(format!("{}: {e}", name())),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "of {compared} compared:\n{}", wrong.join("\n"));
    assert!(compared > 100, "{compared}");
}
