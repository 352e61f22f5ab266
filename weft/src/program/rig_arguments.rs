//! What the command line says of rigs (.rig files).

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What of a rig is written, and how it is evaluated.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Rigs")]
pub struct RigArguments {
    /// Write outputs after each frame, one JSON object per line, frame and output (repeatable)
    #[arg(long, value_name = "[NAME,...:]FILE.jsonl", value_parser = output_export)]
    pub export_outputs: Vec<OutputExport>,
    /// What runs on several workers.
    #[command(flatten)]
    pub mode: RigModeArguments,
}

impl RigArguments {
    /// The first of the options that was given, for who has no rig.
    pub fn given(&self) -> Option<&'static str> {
        (!self.export_outputs.is_empty()).then_some("--export-outputs").or_else(|| self.mode.given())
    }
}

/// What of a rig runs on several workers. No bit of the values depends on it.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Rigs")]
pub struct RigModeArguments {
    /// What of a rig runs on several workers [default: graph]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub threading: Option<RigThreading>,
    /// Leave a node of a rig whole where --threading divides nodes (repeatable)
    #[arg(long, value_name = "NODE")]
    pub whole: Vec<String>,
    /// What may run at the same time as a node of a rig, or as all nodes of a kind: reentrant, threadsafe, type-unsafe, globally-unsafe, or
    /// a word for a group (repeatable)
    #[arg(long, value_name = "NODE=WORD", value_parser = safety)]
    pub safety: Vec<(String, String)>,
}

impl RigModeArguments {
    /// The first of the options that was given, for who has no rig.
    pub fn given(&self) -> Option<&'static str> {
        let all = [
            (self.threading.is_some(), "--threading"),
            (!self.whole.is_empty(), "--whole"),
            (!self.safety.is_empty(), "--safety"),
        ];
        all.iter().find(|(is_given, _)| *is_given).map(|(_, name)| *name)
    }
}

/// Names of what runs on several workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RigThreading {
    /// Nodes beside each other
    Graph,
    /// Parts of nodes that move many points, node after node
    Nodes,
    /// Nodes and parts of nodes beside each other
    Both,
    /// Nothing
    Off,
}

fn safety(text: &str) -> Result<(String, String), String> {
    let both = text.rsplit_once('=').filter(|(node, word)| !node.is_empty() && !word.is_empty());
    both.map(|(node, word)| (node.to_owned(), word.to_owned())).ok_or_else(|| "write NODE=WORD".to_owned())
}

/// Outputs whose values go into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputExport {
    /// Their names; none: all of them.
    pub names: Vec<String>,
    /// The file.
    pub path: PathBuf,
}

fn output_export(text: &str) -> Result<OutputExport, String> {
    let (names, path) = text.rsplit_once(':').unwrap_or(("", text));
    let names: Vec<String> =
        names.split(',').map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()).collect();
    if path.is_empty() || (text.contains(':') && names.is_empty()) {
        return Err("write NAME,NAME:FILE.jsonl, or FILE.jsonl for all outputs".to_owned());
    }
    Ok(OutputExport { names, path: PathBuf::from(path) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_to_export() {
        let export = output_export("left hand, mesh:out.jsonl").expect("parses");
        assert_eq!((export.names.len(), export.names[0].as_str()), (2, "left hand"));
        assert_eq!(output_export("out.jsonl").expect("parses").names.len(), 0);
        for bad in ["", "hand:", ":out.jsonl"] {
            assert!(output_export(bad).is_err(), "{bad}");
        }
    }
}
