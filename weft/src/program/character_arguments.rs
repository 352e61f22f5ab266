//! What the command line says of characters (glTF and BVH files).

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Where vertices are moved by joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Skinning {
    /// Here, by tasks
    #[default]
    Cpu,
    /// Nowhere: joints' matrices are all that a graphics card needs
    Matrices,
}

/// How models of a character are animated, and what of them is written.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Characters")]
pub struct CharacterArguments {
    /// The clip that is played, by its name; `none` for the pose at rest [default: the file's first]
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Animate each model every so many frames [default: 1]
    #[arg(long, value_name = "FRAMES", value_parser = clap::value_parser!(u64).range(1..))]
    pub interval: Option<u64>,
    /// Where vertices are moved by joints
    #[arg(long, value_name = "WHERE", value_enum)]
    pub skinning: Option<Skinning>,
    /// Write the joints' matrices after each frame, one JSON object per line, frame and model
    #[arg(long, value_name = "FILE.jsonl")]
    pub export_pose: Option<PathBuf>,
}

impl CharacterArguments {
    /// The first option that was given; only characters have them.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.clip.is_some(), "--clip"),
            (self.interval.is_some(), "--interval"),
            (self.skinning.is_some(), "--skinning"),
            (self.export_pose.is_some(), "--export-pose"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}
