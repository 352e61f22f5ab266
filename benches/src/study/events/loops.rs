//! Circles of all kinds: each frame ends, no field sends twice in it, and where the circle was broken is the same for all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use animation::event::runtime::{EventOptions, Mode, Strategy};
use anyhow::{Result, bail};
use weft::events::EventSimulation;
use weft::execution::{ExecutorKind, SimulationOptions};

use super::graphs;

const HEAD: &str = "#X3D V3.3 utf8\nPROFILE Immersive\n";
/// Two clocks and what they move.
const ENTRIES: &str = "DEF CLOCK TimeSensor { cycleInterval 1 loop TRUE }\nDEF WAY PositionInterpolator { key [ 0 1 ] keyValue [ 1 1 1, 2 2 2 ] }\n\
    ROUTE CLOCK.fraction_changed TO WAY.set_fraction\nDEF A Transform { }\nDEF B Transform { }\nDEF C Transform { }\n";
const FRAMES: u32 = 12;

/// Name, and what follows [`ENTRIES`].
const CORPUS: [(&str, &str); 9] = [
    ("itself", "ROUTE WAY.value_changed TO A.translation\nROUTE A.translation TO A.translation\n"),
    (
        "two nodes",
        "ROUTE WAY.value_changed TO A.translation\nROUTE A.translation TO B.translation\nROUTE B.translation TO A.translation\nROUTE B.translation TO C.translation\n",
    ),
    (
        "two fields of a node",
        "ROUTE WAY.value_changed TO A.scale\nROUTE A.scale TO A.translation\nROUTE A.translation TO A.scale\n",
    ),
    (
        "two entries, now one and now both",
        "DEF SLOW TimeSensor { cycleInterval 0.3 loop TRUE }\nDEF STEP IntegerTrigger { integerKey 1 }\nDEF OTHER Script { inputOnly SFTime cycle outputOnly SFVec3f out url \"ecmascript: function cycle(v) { out = new SFVec3f(v, 0, 7); }\" }\n\
         ROUTE SLOW.cycleTime TO OTHER.cycle\nROUTE WAY.value_changed TO A.translation\nROUTE OTHER.out TO B.translation\nROUTE A.translation TO B.translation\nROUTE B.translation TO A.translation\nROUTE A.translation TO C.translation\n",
    ),
    (
        "through a Script",
        "DEF S Script { inputOnly SFVec3f put outputOnly SFVec3f out url \"ecmascript: function put(v) { out = v.add(new SFVec3f(1, 0, 0)); }\" }\n\
         ROUTE WAY.value_changed TO A.translation\nROUTE A.translation TO S.put\nROUTE S.out TO A.translation\n",
    ),
    (
        "across borders of prototypes",
        "PROTO Body [ inputOutput SFVec3f at 0 0 0 ] { Transform { translation IS at } }\nDEF P Body { }\nDEF Q Body { }\n\
         ROUTE WAY.value_changed TO P.at\nROUTE P.at TO Q.at\nROUTE Q.at TO A.translation\nROUTE A.translation TO P.at\n",
    ),
    (
        "isolated",
        "ROUTE A.translation TO B.translation\nROUTE B.translation TO A.translation\nROUTE WAY.value_changed TO C.translation\n",
    ),
    (
        "two that touch",
        "ROUTE WAY.value_changed TO A.translation\nROUTE A.translation TO B.translation\nROUTE B.translation TO A.translation\nROUTE B.translation TO C.translation\nROUTE C.translation TO B.translation\n",
    ),
    (
        "with a way out and in again",
        "ROUTE WAY.value_changed TO A.translation\nROUTE A.translation TO B.scale\nROUTE B.scale TO C.center\nROUTE C.center TO A.translation\nROUTE C.center TO C.scale\n",
    ),
];

/// Runs the corpus.
///
/// # Errors
/// A scene is evaluated otherwise by another executor or mode, or a field sends twice.
pub fn page(text: &mut String) -> Result<()> {
    let mut ways = Vec::new();
    for executor in ExecutorKind::ALL {
        for mode in [Mode::Dataflow, Mode::Levels(Strategy::PoolStatic), Mode::Levels(Strategy::LoopDynamic)]
        {
            ways.push((executor, mode));
        }
    }
    let _ = writeln!(
        text,
        "\n## Circles\n\n{FRAMES} frames of each, by {} executors in `dataflow` and two strategies of `levels`: {} runs with the same log. No route delivers twice in a frame. An event that reaches a \
         field which has sent in this time stamp is dropped.\n\n| circle | deliveries | dropped on |\n|---|---|---|",
        ExecutorKind::ALL.len(),
        ways.len()
    );
    for (name, routes) in CORPUS {
        let scene = graphs::scene_of(&format!("{HEAD}{ENTRIES}{routes}"))?;
        let mut expected: Option<Vec<String>> = None;
        let mut row = (0, BTreeMap::new());
        for &(executor, mode) in &ways {
            let options = SimulationOptions { executor, ..graphs::workers(2) };
            let events = EventOptions { mode, log: true, ..EventOptions::default() };
            let mut simulation = graphs::simulation(scene.clone(), events, &options);
            let mut lines = Vec::new();
            row = (0, BTreeMap::new());
            for frame in 0..FRAMES {
                simulation.step()?;
                let mut seen = BTreeSet::new();
                for delivery in &simulation.log().deliveries {
                    let route = route(&simulation, delivery.route);
                    if !seen.insert(delivery.route) {
                        bail!("{name}: frame {frame}: {route} delivers twice");
                    }
                    lines.push(format!("{frame} {route} {} {}", delivery.value, delivery.is_dropped));
                    row.0 += 1;
                    if delivery.is_dropped {
                        *row.1.entry(route).or_insert(0) += 1;
                    }
                }
            }
            match &expected {
                None => expected = Some(lines),
                Some(first) if *first != lines => bail!("{name}: another log by {executor:?} in {mode:?}"),
                Some(_) => {}
            }
        }
        let (n, dropped): (u32, BTreeMap<String, u32>) = row;
        let dropped: Vec<String> = dropped.iter().map(|(route, n)| format!("{route} ({n} times)")).collect();
        let dropped = if dropped.is_empty() { "nothing".to_owned() } else { dropped.join(", ") };
        let _ = writeln!(text, "| {name} | {n} | {dropped} |");
    }
    Ok(())
}

/// A route by names.
fn route(simulation: &EventSimulation, number: u32) -> String {
    let graph = simulation.graph();
    let end = |(node, field)| {
        let node_of = graph.scene().node(node);
        let name = node_of.def.as_deref().unwrap_or(&node_of.node_type.name);
        format!("{name}.{}", graph.scene().field((node, field)).name)
    };
    graph.route(number).map_or_else(String::new, |r| format!("`{} > {}`", end(r.from), end(r.to)))
}
