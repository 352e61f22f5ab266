//! A program as a drawing, for Graphviz.

use std::fmt::Write;

use super::program::Program;
use super::task::TaskId;

/// The stages and tasks of a program in Graphviz's language; an arrow leads from each buffer's writer to its readers
/// in recorded order.
pub fn to_graphviz(program: &Program) -> String {
    let mut out = String::from("digraph program {\n  rankdir=TB; node [shape=box, fontsize=9];\n");
    let mut writer: Vec<Option<u32>> = vec![None; program.n_data()];
    let mut edges: Vec<(u32, u32)> = Vec::new();
    let stages = program.groups().flat_map(|(id, g)| g.stages.iter().map(move |s| (id, s)));
    for (number, (group, stage)) in stages.enumerate() {
        let label = format!("{number} {} {:?} (group {})", stage.name, stage.kind, group.0);
        let _ = writeln!(out, "  subgraph cluster_{number} {{ label={label:?};");
        if stage.tasks.is_empty() {
            let _ = writeln!(out, "    s{number} [label={:?}, shape=diamond];", stage.name);
        }
        for (_, &TaskId(task)) in stage.tasks.iter() {
            let _ = writeln!(out, "    t{task} [label={:?}];", program.task(TaskId(task)).name);
            for access in program.accesses_of(TaskId(task)).iter().filter(|a| a.kind.is_data()) {
                let before = &mut writer[access.id as usize];
                edges.extend(before.map(|w| (w, task)));
                if access.kind.is_exclusive() {
                    *before = Some(task);
                }
            }
        }
        out.push_str("  }\n");
    }
    edges.sort_unstable();
    edges.dedup();
    for (from, to) in edges {
        let _ = writeln!(out, "  t{from} -> t{to};");
    }
    out.push_str("}\n");
    out
}
