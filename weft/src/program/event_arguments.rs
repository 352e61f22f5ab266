//! What the command line says of event graphs (X3D files).

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// How an event graph is evaluated, and what of it is written.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "X3D files")]
pub struct EventArguments {
    /// Write every event that travels along a route, one JSON object a line
    #[arg(long, value_name = "FILE.jsonl")]
    pub export_events: Option<PathBuf>,
    /// Write values of fields after each frame, one JSON object per line, frame and field (repeatable)
    #[arg(long, value_name = "NAME.field,...:FILE.jsonl", value_parser = field_export)]
    pub export_fields: Vec<FieldExport>,
    /// How they are evaluated.
    #[command(flatten)]
    pub mode: EventModeArguments,
    /// Whether nodes share tasks [default: on]
    #[arg(long, value_name = "WHEN", value_enum)]
    pub fusion: Option<Switch>,
}

/// How events travel.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "X3D files")]
pub struct EventModeArguments {
    /// How events travel [default: dataflow]
    #[arg(long, value_name = "MODE", value_enum)]
    pub events: Option<EventMode>,
    /// How a level is shared out among workers; with --events levels [default: pool-static]
    #[arg(long, value_name = "NAME", value_enum)]
    pub strategy: Option<Strategy>,
    /// What becomes of a frame in which a node changes the graph [default: resume]
    #[arg(long, value_name = "HOW", value_enum)]
    pub restart: Option<Restart>,
}

impl EventModeArguments {
    /// The first of the options that was given, for who has no event graph.
    pub fn given(&self) -> Option<&'static str> {
        let all = [
            (self.events.is_some(), "--events"),
            (self.strategy.is_some(), "--strategy"),
            (self.restart.is_some(), "--restart"),
        ];
        all.iter().find(|(is_given, _)| *is_given).map(|(_, name)| *name)
    }
}

impl EventArguments {
    /// The first of the options that was given, for who has no event graph.
    pub fn given(&self) -> Option<&'static str> {
        self.given_but_fusion().or(self.fusion.is_some().then_some("--fusion"))
    }

    /// The same for rigs, whose nodes share tasks as well.
    pub fn given_but_fusion(&self) -> Option<&'static str> {
        let all = [
            (self.export_events.is_some(), "--export-events"),
            (!self.export_fields.is_empty(), "--export-fields"),
        ];
        let written = all.iter().find(|(is_given, _)| *is_given).map(|(_, name)| *name);
        written.or_else(|| self.mode.given())
    }
}

/// Fields whose values go into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldExport {
    /// Node and field of each.
    pub fields: Vec<(String, String)>,
    /// The file.
    pub path: PathBuf,
}

/// Names of ways in which events travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EventMode {
    /// A node runs once what it hangs on has run
    Dataflow,
    /// Level after level, with a step between that carries the events on: for comparison (MCEE)
    Levels,
}

/// Names of ways to share a level out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Equal counts for each worker
    PoolStatic,
    /// A queue, node by node
    PoolDynamic,
    /// A parallel loop in equal parts
    LoopStatic,
    /// A parallel loop, node by node
    LoopDynamic,
    /// A parallel loop in parts that become smaller
    LoopGuided,
}

/// Names of ways to go on after a change of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Restart {
    /// What the change concerns is put into tasks anew
    Resume,
    /// The whole graph is, and is gone through from its start (MCEE); nodes that have had their events keep what they sent
    Full,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Yes
    On,
    /// No
    Off,
}

fn field_export(text: &str) -> Result<FieldExport, String> {
    const FORM: &str = "write NAME.field,NAME.field:FILE.jsonl";
    let (fields, path) = text.split_once(':').ok_or(FORM)?;
    if path.is_empty() {
        return Err(FORM.to_owned());
    }
    let field = |word: &str| {
        // Names of nodes may hold points, names of fields do not.
        let (node, field) = word.trim().rsplit_once('.').ok_or_else(|| format!("`{word}`: {FORM}"))?;
        let is_whole = !node.is_empty() && !field.is_empty();
        is_whole.then(|| (node.to_owned(), field.to_owned())).ok_or_else(|| format!("`{word}`: {FORM}"))
    };
    let fields = fields.split(',').map(field).collect::<Result<_, _>>()?;
    Ok(FieldExport { fields, path: PathBuf::from(path) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_to_export() {
        let export = field_export("T.translation, a.b.rotation:out.jsonl").expect("parses");
        let expected = [("T", "translation"), ("a.b", "rotation")];
        assert_eq!(export.fields, expected.map(|(n, f)| (n.to_owned(), f.to_owned())));
        assert_eq!(export.path, PathBuf::from("out.jsonl"));
        for bad in ["", "T.x", "T.x:", "T:out", ".x:out", "T.:out", "T.x,:out"] {
            assert!(field_export(bad).is_err(), "{bad}");
        }
    }
}
