//! The command line program `weft`: see `weft --help`.

mod arguments;
mod command;
mod failure;
mod progress;
mod say;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use arguments::{Arguments, Command};
use failure::Failure;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(e) => return answer(&e),
    };
    start_log(arguments.verbose);
    let result = match arguments.command {
        None => command::front(),
        Some(Command::Run(run)) => command::run(*run),
        Some(Command::Profile(profile)) => command::profile(&profile),
        Some(Command::View(view)) => command::view(&view),
        Some(Command::Check(check)) => command::check(&check),
        Some(Command::List(list)) => command::list(&list),
        Some(Command::Predict(predict)) => command::predict(&predict),
        Some(Command::Topology(topology)) => command::topology(&topology),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !matches!(failure, Failure::Said(_)) {
                say::complain(&format!("error: {failure}"));
            }
            failure.exit_code()
        }
    }
}

/// Help and version as clap writes them; a wrong command line in one line.
fn answer(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            say::say(error.render().to_string().trim_end());
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            say::complain(error.render().to_string().trim_end());
            ExitCode::from(2)
        }
        _ => {
            let text = error.render().to_string();
            let said: Vec<&str> = text
                .lines()
                .take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more"))
                .map(str::trim)
                .filter(|l| !l.is_empty())
                .collect();
            say::complain(&format!("{} (see `weft --help`)", said.join(" ")));
            ExitCode::from(2)
        }
    }
}

fn start_log(verbose: u8) {
    let level = ["warn", "info", "debug", "trace"][usize::from(verbose.min(3))];
    // Drivers that are tried in vain before the right one is found are no news.
    let filter = format!("{level},wgpu_hal=off,wgpu_core=error,naga=error");
    let environment = env_logger::Env::default().default_filter_or(filter);
    env_logger::Builder::from_env(environment).format_timestamp(None).format_target(false).init();
}
