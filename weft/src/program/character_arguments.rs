//! What the command line says of characters (glTF, BVH and ozz files).

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Deserialize;

/// Where vertices are moved by joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Skinning {
    /// Here, by tasks
    #[default]
    Cpu,
    /// Nowhere: joints' matrices are all that a graphics card needs
    Matrices,
}

/// How models of a character are animated.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[command(next_help_heading = "Characters")]
#[serde(deny_unknown_fields, default)]
pub struct CharacterArguments {
    /// The clip that is played, by its name; `none` for the pose at rest [default: the file's first]
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// A clip that comes in later, at a time [s] and over a time [s] (0.3 if not said); may be given several times
    #[arg(long, value_name = "NAME@TIME[/OVER]")]
    pub then: Vec<String>,
    /// Play the clips on the character of this file, by names of joints; of a clip of ozz the file with its skeleton [default: the file's own; of ozz the only one of as many joints beside it]
    #[arg(long, value_name = "FILE")]
    pub skeleton: Option<PathBuf>,
    /// How many models of the character there are [default: 1]
    #[arg(long, value_name = "N")]
    pub models: Option<usize>,
    /// From a time [s] on there are so many models; may be given several times
    #[arg(long, value_name = "N@TIME")]
    pub models_at: Vec<String>,
    /// Animate each model every so many frames [default: 1]
    #[arg(long, value_name = "FRAMES")]
    pub interval: Option<u64>,
    /// Animate each model at least so many times a second, whatever the interval says
    #[arg(long, value_name = "RATE")]
    pub least_rate: Option<f64>,
    /// Animate at most so many models a frame; the others wait for their turn [default: all whose turn it is]
    #[arg(long, value_name = "MODELS")]
    pub budget: Option<usize>,
    /// A camera amid the models turns once in so many seconds; models that it does not see are not animated
    #[arg(long, value_name = "SECONDS")]
    pub look_around: Option<f64>,
    /// Intervals by model, in a file only; those of further models begin again with the first.
    #[arg(skip)]
    pub intervals: Vec<u64>,
    /// Priorities by model, in a file only; those of further models begin again with the first.
    #[arg(skip)]
    pub priorities: Vec<u32>,
    /// Draw vertices for so many frames after the one in which they were moved [default: the interval]
    #[arg(long, value_name = "FRAMES")]
    pub life: Option<u64>,
    /// Where vertices are moved by joints
    #[arg(long, value_name = "WHERE", value_enum)]
    pub skinning: Option<Skinning>,
    /// Draw each frame, in software on the program's own thread, while the workers compute the next one; a report says how much of both was
    /// at the same time
    #[arg(long)]
    pub draw: bool,
    /// Read these options from a file with one JSON object, `threads` too; what is also said here holds
    #[arg(long, value_name = "FILE.json")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// Number of workers, in a file only: on the command line it is an option for all scenes. None is the plain path: one model after the
    /// other on the program's own thread.
    #[arg(skip)]
    pub threads: Option<usize>,
}

impl CharacterArguments {
    /// The first option that was given; only characters have them.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.clip.is_some(), "--clip"),
            (!self.then.is_empty(), "--then"),
            (self.skeleton.is_some(), "--skeleton"),
            (self.models.is_some(), "--models"),
            (!self.models_at.is_empty(), "--models-at"),
            (self.draw, "--draw"),
            (self.interval.is_some(), "--interval"),
            (self.least_rate.is_some(), "--least-rate"),
            (self.budget.is_some(), "--budget"),
            (self.look_around.is_some(), "--look-around"),
            (self.life.is_some(), "--life"),
            (self.skinning.is_some(), "--skinning"),
            (self.config.is_some(), "--config"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// What is said here, and where nothing is, what another says.
    pub fn or(self, other: Self) -> Self {
        fn list<T>(said: Vec<T>, other: Vec<T>) -> Vec<T> {
            if said.is_empty() { other } else { said }
        }
        Self {
            clip: self.clip.or(other.clip),
            then: list(self.then, other.then),
            least_rate: self.least_rate.or(other.least_rate),
            budget: self.budget.or(other.budget),
            look_around: self.look_around.or(other.look_around),
            intervals: list(self.intervals, other.intervals),
            priorities: list(self.priorities, other.priorities),
            skeleton: self.skeleton.or(other.skeleton),
            models: self.models.or(other.models),
            models_at: list(self.models_at, other.models_at),
            draw: self.draw || other.draw,
            interval: self.interval.or(other.interval),
            life: self.life.or(other.life),
            skinning: self.skinning.or(other.skinning),
            config: self.config.or(other.config),
            threads: self.threads.or(other.threads),
        }
    }
}
