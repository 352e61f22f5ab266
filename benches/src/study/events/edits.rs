//! What a change of the graph costs while it runs.

use std::fmt::Write;

use animation::event::FieldId;
use animation::event::runtime::EventOptions;
use anyhow::{Result, bail};
use weft::events::EventSimulation;

use super::{Setting, graphs, middle};

/// Frames that are played, and each of how many is preceded by an edit.
const FRAMES: u64 = 160;
const EVERY: u64 = 4;

/// What frames took \[ms\].
struct Played {
    plain: f64,
    edited: f64,
    edits: u64,
    rebuilds: u64,
}

/// Edits between frames and by a Script.
///
/// # Errors
/// A frame fails, or rebuilds are not as many as edits.
pub fn page(text: &mut String, setting: &Setting<'_>) -> Result<()> {
    let flat = graphs::parade(setting.humanoids, "flat")?;
    let scene = graphs::scene_of(&flat)?;
    text.push_str(
        "\n## Edits\n\nScene 3 on one worker; each fourth frame is preceded by a change, or a Script makes it in the frame. Rebuilds are counted without the first. The cost of one is what \
         such frames take longer (medians).\n\n| change | edits | rebuilds | a frame, ms | with an edit, ms | an edit, ms |\n|---|---|---|---|---|---|\n",
    );
    let new = || graphs::simulation(scene.clone(), EventOptions::default(), &graphs::workers(1));
    let named = |simulation: &EventSimulation, name: &str, field: &str| {
        let scene = simulation.graph().scene();
        let node = scene.nodes.iter().position(|n| n.def.as_deref() == Some(name));
        let node = animation::event::NodeId(node.unwrap_or(0) as u32);
        (node, scene.node(node).node_type.field(field).unwrap_or(FieldId(0)))
    };
    let mut row = |name: &str, played: Played| -> Result<()> {
        if played.edits != played.rebuilds {
            bail!("{name}: {} rebuilds for {} edits", played.rebuilds, played.edits);
        }
        let Played { plain, edited, edits, rebuilds } = played;
        let cost = edited - plain;
        let _ = writeln!(text, "| {name} | {edits} | {rebuilds} | {plain:.3} | {edited:.3} | {cost:.3} |");
        Ok(())
    };
    let within = play(new(), |simulation, k| {
        let (from, to) =
            (named(simulation, "H0_TURN1", "value_changed"), named(simulation, "H0_J1", "rotation"));
        let graph = simulation.graph_mut();
        let done = if k % 2 == 0 { graph.delete_route(from, to) } else { graph.add_route(from, to) };
        Ok(done?)
    })?;
    row("a route in a humanoid", within)?;
    let between = play(new(), |simulation, k| {
        let last = simulation
            .graph()
            .scene()
            .nodes
            .iter()
            .rev()
            .find_map(|n| n.def.as_deref()?.strip_suffix("_WALK").map(str::to_owned));
        let to = format!("{}_TURN2", last.unwrap_or_default());
        let (from, to) =
            (named(simulation, "H0_WAY", "fraction_changed"), named(simulation, &to, "set_fraction"));
        let graph = simulation.graph_mut();
        let done = if k % 2 == 0 { graph.add_route(from, to) } else { graph.delete_route(from, to) };
        Ok(done?)
    })?;
    row("a route from the first humanoid to the last", between)?;
    let all = play(new(), |simulation, _| {
        // What is left of a failed frame is not trusted: all is made anew.
        simulation.graph_mut().fail_frame();
        Ok(())
    })?;
    row("all of it anew, as before edits were spliced", all)?;
    row("a route by a Script, in the frame", script(&flat)?)?;
    Ok(())
}

fn play(
    mut simulation: EventSimulation,
    mut edit: impl FnMut(&mut EventSimulation, u64) -> Result<()>,
) -> Result<Played> {
    let (mut plain, mut edited, mut edits) = (Vec::new(), Vec::new(), 0);
    for _ in 0..40 {
        simulation.step()?;
    }
    let before = simulation.graph().rebuilds();
    for frame in 0..FRAMES {
        let is_edited = frame % EVERY == 0;
        let rebuilds = simulation.graph().rebuilds();
        if is_edited {
            edit(&mut simulation, edits)?;
            edits += 1;
        }
        let ms = simulation.step()?.total_ns as f64 * 1e-6;
        if is_edited {
            edited.push(ms)
        } else {
            plain.push(ms)
        }
        // Costs are looked at once, which may make all anew.
        if !is_edited && simulation.graph().rebuilds() != rebuilds {
            bail!("a frame without an edit was made anew");
        }
    }
    let rebuilds = simulation.graph().rebuilds() - before;
    Ok(Played { plain: middle(plain), edited: middle(edited), edits, rebuilds })
}

/// A Script that adds a route and deletes it again; it runs in each frame, so that frames without a change are stopped for it, too.
fn script(flat: &str) -> Result<Played> {
    let text = format!(
        "{flat}\nDEF TICK TimeSensor {{ loop TRUE }}\nDEF EDITOR Script {{\n directOutput TRUE\n inputOnly SFTime tick\n initializeOnly SFInt32 n 0\n initializeOnly SFNode \
         from USE H0_WAY\n initializeOnly SFNode to USE H1_TURN2\n url \"ecmascript: function tick(v) {{ n = n + 1; if (n % 8 == 1) Browser.addRoute(from, \
         'fraction_changed', to, 'set_fraction'); if (n % 8 == 5) Browser.deleteRoute(from, 'fraction_changed', to, 'set_fraction'); }}\"\n}}\nROUTE TICK.time TO \
         EDITOR.tick\n"
    );
    let mut simulation =
        graphs::simulation(graphs::scene_of(&text)?, EventOptions::default(), &graphs::workers(1));
    for _ in 0..40 {
        simulation.step()?;
    }
    let (mut plain, mut edited) = (Vec::new(), Vec::new());
    let (version, rebuilds) = (simulation.graph().version(), simulation.graph().rebuilds());
    for _ in 0..FRAMES {
        let before = simulation.graph().version();
        let ms = simulation.step()?.total_ns as f64 * 1e-6;
        if simulation.graph().version() == before { plain.push(ms) } else { edited.push(ms) }
    }
    if let Some(complaint) = simulation.take_said().first() {
        bail!("the Script: {complaint}");
    }
    let (edits, rebuilds) =
        (simulation.graph().version() - version, simulation.graph().rebuilds() - rebuilds);
    Ok(Played { plain: middle(plain), edited: middle(edited), edits, rebuilds })
}
