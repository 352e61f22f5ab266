//! `weft list`: the gallery, and the components.

use std::fmt::Write;

use scenes::gallery;
use scenes::registry::Registry;
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription, Family};

use crate::events::gallery as graphs;
use crate::games::gallery as games;
use crate::rigs::gallery as rigs;

use super::catalogue::{self, FAMILIES, kind};
use super::scene::wrong_parameter;
use crate::program::Program;
use crate::program::arguments::ListArguments;
use crate::program::failure::Failure;
use crate::program::say::say;

/// Lists what is asked for.
///
/// # Errors
/// There is no such gallery scene, or it has no such parameter.
pub fn list(program: &Program, arguments: &ListArguments) -> Result<(), Failure> {
    if let Some(name) = &arguments.export {
        if let Ok(graph) = graphs::find(name) {
            say(graph.text(&arguments.set).map_err(wrong_parameter)?.trim_end());
            return Ok(());
        }
        if let Ok(rig) = rigs::find(name) {
            let text = rig.text().ok_or_else(|| {
                Failure::Usage(format!("the rig `{name}` is made by a program: it has no file"))
            })?;
            say(text.trim_end());
            return Ok(());
        }
        if games::find(name).is_ok() {
            return Err(Failure::Usage(format!("the game `{name}` is a program: it has no file")));
        }
        let scene = gallery::find(name).map_err(|e| Failure::Usage(e.to_string()))?;
        say(scene.export(&arguments.set).map_err(wrong_parameter)?.trim_end());
    } else if arguments.json {
        say(&catalogue::json(&program.registry)?);
    } else if arguments.components && arguments.names {
        let mut names: Vec<&str> = program.registry.iter().map(|d| d.class).collect();
        names.sort_unstable();
        say(&names.join("\n"));
    } else if arguments.components {
        say(components(&program.registry).trim_end());
    } else if arguments.names {
        let (graphs, rigs) = (graphs::ALL.iter().map(|g| g.name), rigs::ALL.iter().map(|r| r.name));
        let games = games::ALL.iter().map(|g| g.name);
        let all = gallery::all();
        let names: Vec<&str> = all.iter().map(|g| g.name).chain(graphs).chain(rigs).chain(games).collect();
        say(&names.join("\n"));
    } else {
        say(scenes(&program.name).trim_end());
    }
    Ok(())
}

fn scenes(program: &str) -> String {
    let mut text = format!("Gallery scenes (`{program} run NAME`; parameters by `--set NAME=VALUE`):\n");
    let scenes = gallery::all().into_iter().map(|s| (s.name, s.summary, s.parameters));
    let graphs = graphs::ALL.iter().map(|g| (g.name, g.summary, g.parameters));
    let rigs = rigs::ALL.iter().map(|r| (r.name, r.summary, r.parameters));
    let games = games::ALL.iter().map(|g| (g.name, g.summary, g.parameters));
    for (name, summary, parameters) in scenes.chain(graphs).chain(rigs).chain(games) {
        let _ = writeln!(text, "\n{name:16} {summary}");
        for p in parameters {
            let _ = writeln!(text, "    {} = {}: {}", p.name, p.default, p.summary);
        }
    }
    text
}

fn components(registry: &Registry) -> String {
    let mut text = String::new();
    for (family, title) in FAMILIES {
        let members: Vec<&ComponentDescription> = registry.iter().filter(|d| d.family == *family).collect();
        if members.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{title}\n{}\n", "-".repeat(title.len()));
        members.iter().for_each(|d| component(&mut text, d));
    }
    for (family, title) in [
        (Family::Visual, "Accepted, seen, not simulated (any attribute)"),
        (Family::Ignored, "Accepted, without effect"),
    ] {
        let names: Vec<&str> = registry.iter().filter(|d| d.family == family).map(|d| d.class).collect();
        let _ = writeln!(text, "{title}:\n    {}\n", names.join(", "));
    }
    let kinds: Vec<&str> = registry.rig_nodes().kinds().collect();
    let _ = writeln!(text, "Kinds of nodes of rigs (`.rig` files):\n    {}", kinds.join(", "));
    text
}

fn component(text: &mut String, d: &ComponentDescription) {
    let _ = writeln!(text, "{}: {}", d.class, d.summary);
    if !d.templates.is_empty() {
        let _ = writeln!(text, "    template: {}", d.templates.join(", "));
    }
    if !d.old_names.is_empty() {
        let _ = writeln!(text, "    old names: {}", d.old_names.join(", "));
    }
    let mut ignored = Vec::new();
    for a in d.all_attributes() {
        if a.kind == AttributeKind::Ignored {
            ignored.push(a.name);
        } else {
            attribute(text, a);
        }
    }
    if !ignored.is_empty() {
        let _ = writeln!(text, "    without effect: {}", ignored.join(", "));
    }
    text.push('\n');
}

fn attribute(text: &mut String, a: &AttributeDescription) {
    let names = [&[a.name], a.aliases].concat().join(", ");
    let _ = write!(text, "    {names} ({}", kind(a.kind));
    if !a.default.is_empty() {
        let _ = write!(text, ", default {}", a.default);
    }
    if !a.unit.is_empty() {
        let _ = write!(text, ", {}", a.unit);
    }
    let sofa = if a.kind == AttributeKind::Unsupported { "SOFA " } else { "" };
    let _ = writeln!(text, "): {sofa}{}", a.summary);
}
