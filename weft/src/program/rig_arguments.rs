//! What the command line says of rigs (.rig files).

use std::path::PathBuf;

use clap::Args;

/// What of a rig is written.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Rigs")]
pub struct RigArguments {
    /// Write outputs after each frame, one JSON object per line, frame and output (repeatable)
    #[arg(long, value_name = "[NAME,...:]FILE.jsonl", value_parser = output_export)]
    pub export_outputs: Vec<OutputExport>,
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
