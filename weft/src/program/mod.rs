//! The whole command line program, with the components that its caller gives it.
//!
//! A crate with components of its own gets `run`, `view`, `profile`, `predict`, `check`, `list` and the rest by
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use weft::prelude::*;
//!
//! fn main() -> ExitCode {
//!     let mut registry = Registry::with_builtins();
//!     // registry.register(wind_force_field::DESCRIPTION);
//!     weft::program::main(registry)
//! }
//! ```
//!
//! The window is there if the feature `view` of `weft` is on.

mod arguments;
mod character_arguments;
mod command;
mod event_arguments;
mod failure;
mod logger;
mod progress;
mod rig_arguments;
mod say;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use scenes::registry::Registry;

use arguments::{Arguments, Command};
use failure::Failure;

/// What the commands know of the program that they belong to.
struct Program {
    /// How its user calls it.
    name: String,
    /// The components of its scenes.
    registry: Registry,
}

/// Does what the command line of the process says; a program's `main` returns the exit code.
///
/// The exit code is 0 if all went well, 1 if the scene or the input is wrong, 2 if the command line is wrong, 3 if the
/// simulation failed.
pub fn main(registry: Registry) -> ExitCode {
    run(registry, std::env::args_os())
}

/// Does what a command line says: `arguments` begins with the path of the program, whose file name is the program's name
/// in messages.
///
/// The exit codes are those of [`main`]. Messages are logged by `env_logger`, unless the process has a logger already.
pub fn run(registry: Registry, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let program = Program { name: name(arguments.first()), registry };
    let code = match program.parse(&arguments) {
        Ok(arguments) => {
            logger::start(arguments.verbose);
            program.obey(arguments.command).err().map(|failure| {
                if !matches!(failure, Failure::Said(..)) {
                    say::complain(&format!("error: {failure}"));
                }
                failure.exit_code()
            })
        }
        Err(e) => program.answer(&e),
    };
    // What fails otherwise has said why.
    code.unwrap_or_else(|| match say::not_said() {
        Some(message) => {
            say::complain(&format!("error: {message}"));
            ExitCode::FAILURE
        }
        None => ExitCode::SUCCESS,
    })
}

/// A program's name, by its path.
fn name(path: Option<&OsString>) -> String {
    let file = path.and_then(|path| Path::new(path).file_name()).unwrap_or("weft".as_ref()).to_string_lossy();
    file.strip_suffix(std::env::consts::EXE_SUFFIX).unwrap_or(&file).to_owned()
}

impl Program {
    fn parse(&self, arguments: &[OsString]) -> Result<Arguments, clap::Error> {
        let mut definition = Arguments::command().bin_name(&self.name).display_name(&self.name);
        if self.name != "weft" {
            definition = definition.version(concat!("(weft ", env!("CARGO_PKG_VERSION"), ")"));
        }
        let mut matches = definition.try_get_matches_from_mut(arguments)?;
        Arguments::from_arg_matches_mut(&mut matches).map_err(|e| e.format(&mut definition))
    }

    fn obey(&self, command: Option<Command>) -> Result<(), Failure> {
        match command {
            None => command::front(self),
            Some(Command::Run(run)) => command::run(self, *run),
            Some(Command::Profile(profile)) => command::profile(self, &profile),
            Some(Command::Stages(stages)) => command::stages(self, &stages),
            Some(Command::View(view)) => command::view(self, &view),
            Some(Command::Check(check)) => command::check(self, &check),
            Some(Command::List(list)) => command::list(self, &list),
            Some(Command::Predict(predict)) => command::predict(self, &predict),
            Some(Command::Topology(topology)) => command::topology(self, &topology),
            Some(Command::Regress(regress)) => command::regress(self, &regress),
            Some(Command::New(new)) => command::new(self, &new),
        }
    }

    /// Help and version as clap writes them; a wrong command line in one line, and the exit code.
    fn answer(&self, error: &clap::Error) -> Option<ExitCode> {
        match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                say::say(error.render().to_string().trim_end());
                None
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                say::complain(error.render().to_string().trim_end());
                Some(ExitCode::from(2))
            }
            _ => {
                let text = error.render().to_string();
                let said: Vec<&str> = text
                    .lines()
                    .take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more"))
                    .map(str::trim)
                    .filter(|l| !l.is_empty())
                    .collect();
                say::complain(&format!("{} (see `{} --help`)", said.join(" "), self.name));
                Some(ExitCode::from(2))
            }
        }
    }
}
